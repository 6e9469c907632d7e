"""The engine of the tier `kernel`: what Coq accepts, what is held against a file, and what counts as a finding."""

import json
import subprocess
from dataclasses import replace

import pytest

from headproof import formal_text
from headproof.checks import deciding, ledger, runner
from headproof.checks.deciding import decide_claim
from headproof.checks.engines import coq, kernel, known_names
from headproof.checks.engines.decision import Decision
from headproof.checks.exclusion import topic
from headproof.checks.files import PARTIAL_PREFIX, clear_cache
from headproof.checks.ledger import differences, updated
from headproof.checks.registry import Check, Context, claims
from headproof.checks.report import assemble
from headproof.checks.standard import kernel_checks
from headproof.checks.verify import verify_report
from headproof.theory import formal
from headproof.theory.claim import Tier, Verdict
from headproof.theory.errors import InputError
from headproof.theory.formal import rules

needs_coq = pytest.mark.skipif(coq.coqc() is None, reason=coq.MISSING)
KERNEL = Context(tiers=("kernel",))
HEADER = """From Coq Require Import Reals Lra.
Open Scope R_scope.
(* end of header *)
Definition doubled (x : R) : R := 2 * x.
"""
TRUE = """(** x. Half of it is less. *)
Theorem x :
  forall y : R, 0 < y -> y < doubled y.
Proof.
intros y y0; unfold doubled; lra.
Qed.
(* mutant halved
   from: doubled y
   to:   doubled y / 2 *)
(* mutant weaker
   from: 0 < y
   to:   1 < y *)
(* mutant nonsense
   from: 0 < y
   to:   0 < z *)
"""


@pytest.fixture
def write(monkeypatch, tmp_path):
    """Puts a text in the place of a topic's formal file, and results in a cache of its own."""
    monkeypatch.setenv("HEADPROOF_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(formal, "path_of", lambda topic: tmp_path / f"{topic}.v")
    return lambda text, topic="probe": (tmp_path / f"{topic}.v").write_text(text)


def probe_compiled():
    return coq.compiled(formal.sources_of("probe"))


@needs_coq
def test_what_the_kernel_says_of_a_file(write):
    write(HEADER + TRUE)
    assert not kernel.is_current("probe")
    found = kernel.results("probe")["x"]
    assert found["again"] == "upheld"
    assert found["own"] is True
    assert found["mutants"] == {"halved": "rejected", "weaker": "upheld", "nonsense": "untypable"}
    assert found["axioms"]
    assert set(found["axioms"]) <= set(rules.ALLOWED)
    assert kernel.unfit(formal.theorems("probe")["x"], found) == ""
    assert kernel.is_current("probe")
    write(HEADER + TRUE.replace("Half of", "A half of"))
    assert not kernel.is_current("probe"), "a file that has changed is compiled again"


@needs_coq
@pytest.mark.parametrize(
    ("text", "said"),
    [
        (TRUE.replace("2 * x", "2 * x").replace("y < doubled y", "y > doubled y"), "does not compile"),
        (TRUE.replace("lra.", "admit. Admitted."), "may not stand"),
        (TRUE.replace("Theorem x", "Axiom a : 0 = 1.\nTheorem x"), "may not stand"),
    ],
)
def test_a_file_that_proves_nothing_is_refused(write, text, said):
    write(HEADER + text)
    with pytest.raises(InputError, match=said):
        kernel.results("probe")


@needs_coq
def test_another_axiom_is_found_by_the_kernel_too(write, monkeypatch):
    """Were the word to slip through the parser, `Print Assumptions` shows it; a lookalike of an allowed one as well."""
    monkeypatch.setattr(rules, "FORBIDDEN", ())
    axiom = "Axiom sig_not_dec : forall y : R, 0 < y -> y < doubled y.\n"
    write(HEADER + axiom + TRUE.replace("intros y y0; unfold doubled; lra.", "exact sig_not_dec."))
    found = kernel.results("probe")["x"]
    assert "sig_not_dec" in found["axioms"]
    assert kernel.unfit(formal.theorems("probe")["x"], found) == "x rests on sig_not_dec"


@needs_coq
def test_tactics_that_prove_only_in_their_own_file_are_held_against_it(write, monkeypatch):
    """Where the tactics do not prove the theorem after its file, that they fail on mutants shows nothing."""
    monkeypatch.setattr(rules, "ONLY_COMMON", ())
    mine = "Lemma mine : forall y : R, 0 < y -> y < doubled y.\nProof. intros; unfold doubled; lra. Qed.\n"
    hinted = "Create HintDb here.\n#[local] Hint Resolve mine : here.\n"
    write(HEADER + mine + hinted + TRUE.replace("unfold doubled; lra.", "solve [auto with here nocore]."))
    found = kernel.results("probe")["x"]
    assert found["again"] == "rejected"
    assert "mutants show nothing" in kernel.unfit(formal.theorems("probe")["x"], found)


@needs_coq
@pytest.mark.parametrize("program", ["coqc", "coqtop"])
def test_a_file_that_changes_while_coq_reads_it(write, monkeypatch, program):
    """What was found is about the text that was read, and is not taken for what the file says now."""
    other = TRUE.replace("y < doubled y", "doubled y < y")
    write(HEADER + TRUE)
    run = coq._run

    def slow(command, *given):
        write(HEADER + other)
        return run(command, *given)

    if program == "coqtop":
        probe_compiled()
    monkeypatch.setattr(coq, "_run", slow)
    found = kernel.results("probe")["x"]
    assert (found["again"], found["statement"]) == ("upheld", "forall y : R, 0 < y -> y < doubled y")
    assert formal.meaning_of("probe") == found["definitions"], "which are the same in both"
    assert not kernel.is_current("probe")
    with pytest.raises(InputError, match="does not compile"):
        kernel.results("probe")


@needs_coq
def test_a_finding_is_about_the_theorem_that_was_read(monkeypatch):
    other = {name: {"statement": "True"} for name in formal.theorems("exclusion")}
    monkeypatch.setattr(kernel, "results", lambda file: other)
    record = decide_claim("dec.thm1", KERNEL)
    assert record["verdict"] == Verdict.ERROR
    assert "was changed during this run; run it again" in record["findings"][0]["summary"]


@needs_coq
def test_what_is_compiled_is_not_deleted_meanwhile(write, monkeypatch):
    write(HEADER + TRUE)
    run, left = coq._run, []

    def clearing(command, *given):
        left.append([entry.path.name.removeprefix(PARTIAL_PREFIX) for entry in clear_cache()[1]])
        return run(command, *given)

    monkeypatch.setattr(coq, "_run", clearing)
    kernel.results("probe")
    assert left == [[coq.folder_of(formal.sources_of("probe")).name]] * 4, "compiling, examining, and two for names"


@needs_coq
def test_what_coq_does_not_take_up_is_told_and_not_kept(write):
    write(HEADER + TRUE)
    (folder,) = probe_compiled()
    (folder / "probe.vo").write_text("")
    with pytest.raises(InputError, match=r"does not take up theory/formal/probe\.v"):
        kernel.results("probe")
    with pytest.raises(InputError, match="does not take up"):
        kernel.accepted("probe", {"right": "Goal doubled 2 = 4. Proof. unfold doubled; lra. Qed."})
    assert not kernel.is_current("probe")


def shadowed(file="probe"):
    texts = formal.sources_of(file)
    return known_names.shadowed(texts, coq.compiled(texts))


@needs_coq
@pytest.mark.parametrize(
    "text",
    [
        "Definition one := 1. Definition cos (x : R) := 2.",
        "Program Definition cos (x : R) := 2.",
        "Lemma cos : R -> R.\nProof. exact (fun x => 2). Qed.",
        "Fact cos : R -> R.\nProof. exact (fun x => 2). Qed.",
        "Inductive turn : Set := down : turn | cos : R -> turn.",
        "Variant turn : Type :=\n| sine (x : R)\n| cos (x : R).",
        "Record turn := { angle : R; cos : R -> R }.",
        "Record turn := cos { angle : R }.",
        "Fixpoint even n := match n with O => true | S n => cos n end\n"
        "with cos n := match n with O => true | S n => even n end.",
    ],
)
def test_known_names_are_guarded_in_whatever_form_they_are_taken(write, text):
    header = HEADER.partition("Definition")[0]
    write(header + f"{text}\n")
    assert shadowed() == {"cos"}
    write("From headproof Require Import probe.\n" + header, "other")
    assert shadowed("other") == {"cos"}, "in a file that it needs, too"
    write(f"(* own meanings: cos *)\n{header}{text}\n")
    assert shadowed() == {"cos"}, "which no file may take, whatever it says"


@needs_coq
def test_other_known_names_are_taken_in_the_open(write):
    text = HEADER + "Definition continuity := 1.\nDefinition leq := 2.\n"
    write(text)
    assert shadowed() == {"continuity", "leq"}, "the one is of a library that is read, the other is known anyway"
    write(f"(* own meanings: continuity, leq *)\n{text}")
    assert shadowed() == {"leq"}
    write("From headproof Require Import probe.\n" + HEADER, "other")
    assert shadowed("other") == {"doubled", "leq"}, "a name of two files has two meanings"


@needs_coq
def test_another_text_stands_in_another_folder(write):
    """So that two checkouts, or a text and what it was before, do not take the place of each other."""
    write(HEADER + TRUE)
    (first,) = probe_compiled()
    write(HEADER + TRUE.replace("Half of", "A half of"))
    (second,) = probe_compiled()
    assert first != second
    write(
        "From headproof Require Import probe.\n"
        + HEADER.replace("doubled", "twice")
        + TRUE.replace("doubled", "twice"),
        "other",
    )
    assert coq.compiled(formal.sources_of("other"))[0] == second
    before = (second / "probe.vo").stat().st_mtime_ns
    write(HEADER + TRUE)
    assert probe_compiled() == (first,)
    assert (second / "probe.vo").stat().st_mtime_ns == before


@needs_coq
def test_a_library_in_the_users_folder_is_not_read(write, monkeypatch, tmp_path):
    """Coq would look there before its own, and a false MathComp would prove anything without an axiom."""
    foreign = tmp_path / "data" / "coq" / "foreign"
    foreign.mkdir(parents=True)
    (foreign / "thing.v").write_text("Definition thing := 0.\n")
    subprocess.run(["coqc", "-q", "-R", ".", "foreign", "thing.v"], cwd=foreign, check=True)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_DATA_DIRS", str(tmp_path / "data"))
    write(HEADER + TRUE)
    script = "From foreign Require Import thing.\nCheck thing.\n"
    assert "thing\n" not in coq.session(script, probe_compiled()).text
    monkeypatch.setattr(coq, "NOWHERE", {})
    assert "thing\n" in coq.session(script, probe_compiled()).text, "else nothing was shown"


@needs_coq
def test_numbers_as_large_as_the_sequences_fit_on_coqs_stack(write):
    write(HEADER + TRUE)  # on a stack of 8 MB: Stack overflow
    assert "= 300000\n" in coq.session("Eval vm_compute in (300 * 1000).", probe_compiled()).text


@needs_coq
def test_a_coq_that_breaks_down_is_told_with_its_last_words(write, monkeypatch):
    write(HEADER + TRUE)
    folders = probe_compiled()
    monkeypatch.setattr(coq, "WITH_STACK", ("sh", "-c", "echo 'Fatal error: out of memory' >&2; exit 134", "sh"))
    with pytest.raises(InputError, match="coqtop ended with 134 before it had answered: Fatal error: out of memory"):
        coq.session("Check 1.", folders)


@needs_coq
def test_a_theorem_that_ran_out_of_its_time_is_asked_again(write, monkeypatch):
    """On a busy machine tactics may be cut off that would succeed; such an answer is told, and not kept."""
    write(HEADER + TRUE)
    whole = coq.session

    def cut_off(*given):
        return coq.Answers(whole(*given).text.replace("proved_", "unproved_"), timed_out=True)

    monkeypatch.setattr(coq, "session", cut_off)
    assert kernel.results("probe")["x"]["again"] == "rejected"
    assert not kernel.is_current("probe")
    monkeypatch.setattr(coq, "session", whole)
    assert kernel.results("probe")["x"]["again"] == "upheld"
    assert kernel.is_current("probe")


@needs_coq
def test_a_near_miss_that_is_searched_in_vain_is_rejected(write, monkeypatch):
    monkeypatch.setattr(kernel, "SENTENCE", 1)
    write(HEADER + "Ltac search := search.\n" + TRUE.replace("lra.", "first [lra | search]."))
    found = kernel.results("probe")["x"]
    assert (found["again"], found["mutants"]["halved"]) == ("upheld", "rejected")
    assert kernel.is_current("probe")


def test_definitions_are_pinned_and_proofs_are_not(write):
    # What is proved could hide a definition, were a proof ended otherwise than by Qed.
    hidden = "Lemma l : nat.\nProof 3.\nInductive e := E.\nFact b : 1 = 1.\nProof. lra. Qed.\n"

    def meaning(text):
        write(text, "probe")
        return formal.meaning_of("probe")

    lemma = "Lemma l : 1 = 1.\nProof. lra. Qed.\n"
    text = HEADER + lemma + TRUE
    same = [HEADER + TRUE, text.replace("Half", "A half"), text.replace("unfold doubled; lra", "lra")]
    assert {meaning(text), *map(meaning, same)} == {meaning(text)}
    others = [text.replace("2 * x", "3 * x"), text.replace("Lra.", "Lra Lia."), text + "Definition a := 1."]
    others += [text + hidden, text + hidden.replace(":= E", ":= F")]
    assert len({meaning(text), *map(meaning, others)}) == 6
    write("From headproof Require Import probe.\n" + HEADER, "other")
    before = formal.meaning_of("other")
    write(text.replace("2 * x", "3 * x"))
    assert formal.meaning_of("other") != before


@needs_coq
def test_a_theorem_must_be_what_its_text_says(write):
    """A name that readers know may not be given another meaning, and the file's theorem has to prove its text."""
    write(HEADER + "Definition cos (x : R) := 2.\n" + TRUE)
    found = kernel.results("probe")["x"]
    assert found["shadowed"] == ["cos"]
    assert "another meaning" in kernel.unfit(formal.theorems("probe")["x"], found)
    other = replace(formal.theorems("probe")["x"], statement="forall y : R, y <= y")
    questions = "\n".join(kernel._questions(other, "probe", "k"))
    answers = coq.answers_after(formal.sources_of("probe"), questions, kernel.SENTENCE, probe_compiled())
    answer = kernel._answer(other, answers.text, "k")
    assert answer["own"] is False
    assert "not what its text says" in kernel.unfit(other, answer | {"shadowed": []})


@needs_coq
def test_goals_are_accepted_or_not(write):
    write(HEADER + TRUE)
    answers = kernel.accepted(
        "probe",
        {
            "right": "Goal doubled 2 = 4. Proof. unfold doubled; lra. Qed.",
            "wrong": "Goal doubled 2 = 5. Proof. unfold doubled; lra. Qed.",
            "broken": "Goal doubled 2 = . Proof. lra. Qed.",
            "defined": "Definition two := 2. Goal doubled two = 4. Proof. unfold doubled, two; lra. Qed.",
            "after a broken one": "Goal doubled 1 = 2. Proof. unfold doubled; lra. Qed.",
            # Without the sentence that fails it would be proved.
            "gone on": "Goal doubled 1 = 2. Proof. assert (2 = 3). unfold doubled; lra. unfold doubled; lra. Qed.",
            "no more than tactics": "Goal doubled 1 = 3. Proof. unfold doubled; lra. Qed.",
            "after a wrong one": "Goal doubled 1 = 2. Proof. unfold doubled; lra. Qed.",
        },
    )
    assert [name for name, found in answers.items() if found] == [
        *("right", "defined", "after a broken one", "after a wrong one")
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Goal 0 = 1. Proof. Admitted.", "Admitted"),
        ("Goal 0 = 1. Proof. admit. Qed.", "admit"),
        ("Goal 0 = 1. Proof. lra.", "no goal that could be proved"),
        ("Goal 0 = 1. Proof. Abort. Goal True. Proof. exact I. Qed.", "Abort"),
        ("Goal 0 = 1. Proof. Lemma y : True. exact I. Qed.", "Lemma"),
        ("Axiom y : 0 = 1. Goal 0 = 1. Proof. exact y. Qed.", "Axiom"),
        ("Goal 0 = 1. Proof. exact I. Qed. Lemma y : True. Proof. exact I. Qed.", "Qed"),
        ("Goal True. Proof. exact I. Qed. Goal 0 = 1. Proof. lra. Qed.", "Goal"),
        ("Goal True. Check (0 = 1). Proof. exact I. Qed.", "no goal that could be proved"),
    ],
)
def test_texts_that_could_prove_something_else_are_refused(write, text, said):
    write(HEADER + TRUE)
    with pytest.raises(InputError, match=said):
        kernel.accepted("probe", {"cheat": text})


@needs_coq
def test_a_goal_on_another_axiom_is_not_accepted(write, monkeypatch):
    """Were the word to slip through."""
    write(HEADER + TRUE)
    texts = {
        "axiom": "Axiom y : doubled 2 = 5. Goal doubled 2 = 5. Proof. exact y. Qed.",
        "none": "Goal doubled 2 = 4. Proof. unfold doubled; lra. Qed.",
    }
    monkeypatch.setattr(kernel, "FORBIDDEN", ())
    assert kernel.accepted("probe", texts) == {"axiom": False, "none": True}


@needs_coq
def test_without_coq_the_tier_is_not_run(monkeypatch):
    monkeypatch.setattr(coq, "coqc", lambda: None)
    record = decide_claim("dec.thm1", KERNEL)
    (finding,) = (each for each in record["findings"] if each["tier"] == Tier.KERNEL)
    assert finding["verdict"] == record["verdict"] == Verdict.NOT_RUN
    assert "apt install coq" in finding["summary"]
    with pytest.raises(InputError, match="no coqc"):
        kernel.results("exclusion")


# -- findings ------------------------------------------------------------------------------------------------------


def record_with(monkeypatch, decision, claim="dec.thm1"):
    """The record of a claim of which the kernel's engine answers so."""
    check = Check(claim, Tier.KERNEL, lambda statement, context: decision)
    monkeypatch.setattr(deciding, "kernel_checks", lambda topic, claims: (check,))
    return decide_claim(claim, KERNEL, topic)


CONTROL = {"mutant": "halved", "title": "", "expected": "refuted", "outcome": "rejected", "passed": True, "case": None}


@pytest.mark.parametrize(
    ("decision", "verdict"),
    [
        (Decision(Verdict.HOLDS, "all", details={"controls": [CONTROL]}), Verdict.HOLDS),
        (Decision(Verdict.HOLDS, "all"), Verdict.ERROR),
        (Decision(Verdict.HOLDS, "all", details={"controls": [CONTROL | {"passed": False}]}), Verdict.ERROR),
        (Decision(Verdict.REFUTED, "all", details={"controls": [CONTROL]}), Verdict.ERROR),
        (Decision(Verdict.NOT_RUN, "nothing"), Verdict.NOT_RUN),
    ],
)
def test_a_kernel_finding_needs_near_misses_and_a_case(monkeypatch, decision, verdict):
    assert record_with(monkeypatch, decision)["verdict"] == verdict


def test_a_topic_cannot_speak_for_the_kernel():
    """A check of one's own that says it is of tier kernel is not asked; the formal file is."""
    claim = claims()["dec.thm1"]
    said = Decision(Verdict.HOLDS, "all", details={"controls": [CONTROL]})
    checks = tuple(each for each in topic.checks if each.claim == claim.id and each.tier is not Tier.KERNEL)
    mine = replace(
        topic,
        name="mine",
        claims=(claim,),
        checks=(Check(claim.id, Tier.KERNEL, lambda statement, context: said), *checks),
        cases={},
        measurements=(),
    )
    record = decide_claim(claim.id, KERNEL, mine)
    assert record["verdict"] == Verdict.ERROR
    assert "no formal file of the topic mine" in record["findings"][0]["summary"]


def test_tiers_not_asked_for_are_not_run():
    record = decide_claim("dec.thm1", Context(tiers=("proof",)))
    said = {finding["tier"]: finding["verdict"] for finding in record["findings"]}
    assert said == {"kernel": "NOT RUN", "proof": "HOLDS", "exact": "NOT RUN", "tested": "NOT RUN"}
    assert record["verdict"] == Verdict.HOLDS
    assert record["premises"] == []


def test_a_kernel_check_is_about_its_claim_alone():
    claim = claims()["dec.thm1"]
    (check,) = kernel_checks("exclusion", [claim])
    with pytest.raises(InputError, match="as it stands"):
        check.decide(claim.mutants[0].statement, Context())


def test_a_run_of_one_tier_covers_the_claims_that_have_it():
    assert runner._with_tier(["dec.thm1", "dec.emp.geometry"], Context(tiers=("exact",))) == ["dec.thm1"]
    assert runner._with_tier(["dec.thm1"], Context()) == ["dec.thm1"]
    with pytest.raises(InputError, match="has the tier measured"):
        runner._with_tier(["dec.thm1"], Context(tiers=("measured",)))


@pytest.mark.parametrize("quiet", [[], ["--quiet"]])
def test_a_tier_asked_for_that_cannot_run_is_no_pass(headproof, private_cache, monkeypatch, tmp_path, quiet):
    monkeypatch.setenv("PATH", str(tmp_path))  # for the workers
    monkeypatch.setattr(coq, "coqc", lambda: None)
    ran = headproof("check", "dec.thm1.identity", "--tier", "kernel", *quiet)
    assert ran.status == 1
    assert ran.err == f"headproof: tier kernel not run, of 1 claims: {coq.MISSING}\n"
    ran = headproof("check", "dec.thm1.identity", "--tier", "kernel", "--tier", "proof", *quiet)
    assert ran.status == 1
    assert coq.MISSING in ran.err
    ran = headproof("check", "dec.definitions.both-constant", *quiet)
    assert (ran.status, coq.MISSING in ran.err) == (0, not quiet)


def test_tiers_that_are_none_and_claims_that_have_none(headproof):
    assert "repeat the option: --tier kernel --tier proof" in headproof("check", "--tier", "kernel,proof").err
    ran = headproof("check", "dec.thm6.one-plane.outer", "--tier", "kernel")
    assert ran.status == 2
    assert "not stated in Coq: no proof yet; it needs convexity" in ran.err


def test_a_theorem_that_vanished_is_a_difference():
    whole = report_of()
    rest = {**whole, "claims": []}
    asked = ["dec.thm1", "dec.thm2"]
    (found,) = ledger.unanswered(whole, rest, asked, ["kernel"])
    assert str(found) == "dec.thm1: tier kernel: HOLDS -> absent"
    assert ledger.unanswered(whole, whole, asked, ["kernel"]) == []
    assert ledger.unanswered(whole, rest, asked, ["measured"]) == []
    assert ledger.unanswered(whole, rest, ["dec.thm2"], ["kernel"]) == []
    assert ledger.unanswered(report_of(not_run), rest, asked, ["kernel"]) == []


def test_a_vanished_theorem_is_said_to_have_vanished(headproof, monkeypatch):
    monkeypatch.setattr(formal_text, "theorem_of", lambda topic, claim: None)
    assert "no formal file states what the ledger says that Coq has accepted" in headproof("explain", "dec.thm1").out


# -- the ledger and the checker of reports -------------------------------------------------------------------------


def report_of(*changes):
    """A report with the committed record of dec.thm1, its kernel finding changed."""
    record = json.loads(json.dumps(ledger.records()["dec.thm1"]))
    finding = next(each for each in record["findings"] if each["tier"] == "kernel")
    for change in changes:
        change(finding)
    record.pop("effort")
    return assemble([record], Context(effort="full"), ["headproof"], None)


def not_run(finding):
    finding.update(verdict="NOT RUN", domain="nothing", summary="no coq", details={}, controls=[])


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda f: f.update(domain=f["domain"].replace("it rests on ", "it rests on False, ")), "domain, kernel"),
        (lambda f: f["details"].update(statement="True"), "statement, kernel"),
        (lambda f: f["details"].update(definitions="0"), "definitions, kernel"),
        (lambda f: f.update(verdict="UNDECIDED"), "verdict, kernel"),
        (lambda f: f["controls"].pop(), "control, kernel"),
    ],
)
def test_the_ledger_pins_statement_axioms_and_controls(change, what):
    found = differences(report_of(), report_of(change))
    assert any(each.what.startswith(what) for each in found), found
    items = verify_report(report_of(change))
    assert any(item.accepted is False for item in items)


def test_what_is_not_run_is_no_difference_and_is_not_forgotten(tmp_path):
    assert differences(report_of(), report_of(not_run)) == []
    assert [item for item in verify_report(report_of(not_run)) if item.accepted is False] == []
    assert [item for item in verify_report(report_of()) if item.accepted is False] == []
    path = tmp_path / "ledger.json"
    path.write_text(updated(report_of(), path))
    kept = json.loads(updated(report_of(not_run), path))["full"]["claims"][0]
    assert next(each for each in kept["findings"] if each["tier"] == "kernel")["verdict"] == "HOLDS"
