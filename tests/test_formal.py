"""The formal files as text: their parser, what it refuses, and that every universal claim is stated or says why not."""

import re
from pathlib import Path

import pytest

from headproof.checks.ledger import records
from headproof.checks.registry import claims, topics
from headproof.theory import formal
from headproof.theory.claim import Kind, Tier
from headproof.theory.errors import InputError

HEADER = "From headproof Require Import common.\n(* end of header *)\n"
PROBE = """(** a.b. Twice a number
    is more. *)
Theorem a_b :
  forall x : nat, (* all *) x <= 2 * x.
Proof.
by lia.
Qed.
(* mutant halved
   from: 2 * x
   to:   x / 2 *)

Theorem c_d_fails :
  ~ (0 = 1).
Proof. by []. Qed.
(* counterexample: {"n": 1} *)
(* mutant equal
   from: 0 = 1
   to:   1 =
         1 *)
"""
FILES = [file for topic in topics() for file in formal.files_of(topic.name)]
STATED = [
    (topic.name, claim, theorem)
    for topic in topics()
    for claim in topic.claims
    if (theorem := formal.theorem_of(topic.name, claim.id)) is not None
]


@pytest.fixture
def write(monkeypatch, tmp_path):
    """Puts a text in the place of a topic's formal file."""
    monkeypatch.setattr(formal, "path_of", lambda topic: tmp_path / f"{topic}.v")
    return lambda text, topic="probe": (tmp_path / f"{topic}.v").write_text(text)


# -- the parser ----------------------------------------------------------------------------------------------------


def test_theorems_are_read_as_they_stand(write):
    write(HEADER + PROBE)
    first, second = formal.theorems("probe").values()
    assert (first.name, first.doc, first.line) == ("a_b", "a.b. Twice a number is more.", 5)
    assert first.statement.split() == ["forall", "x", ":", "nat,", "x", "<=", "2", "*", "x"]
    assert first.script.strip() == "by lia."
    assert [(edit.name, edit.statement) for edit in first.mutants] == [("halved", "forall x : nat, x <= x / 2")]
    assert (first.negated, first.case) == (False, None)
    assert (second.negated, second.case, second.doc) == (True, {"n": 1}, "")
    assert second.mutants[0].statement == "~ (1 = 1)"
    assert formal.theorem_of("probe", "a.b") == first
    assert formal.theorem_of("probe", "c-d") == second
    assert formal.theorem_of("probe", "e") is None


def test_a_topic_without_a_file_states_nothing(write):
    assert formal.theorems("probe") == {}


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("by lia.", "Admitted. by lia.", "probe.v, line 8: Admitted"),
        ("by lia.", "admit.", "admit"),
        ("Theorem a_b", "Axiom x : False.\nTheorem a_b", "line 5: Axiom"),
        ("Theorem a_b", "Unset  Guard  Checking.\nTheorem a_b", "Guard"),
        ("Theorem a_b", "Variable x : False.\nTheorem a_b", "outside every section"),
        ("Theorem a_b", "Section S.\nTheorem a_b", "within a section"),
        ("Theorem a_b", "Fixpoint f n := n where bar := foo.\nTheorem a_b", "where"),
        ("Theorem a_b", 'Definition s := "a".\nTheorem a_b', "may not stand"),
        ("Theorem a_b", "Require Import other.\nTheorem a_b", "another form"),
        ("Theorem a_b", "From Coq Require Import AdmitAxiom.\nTheorem a_b", "AdmitAxiom"),
        ("Theorem a_b", "Definition f : nat.\nProof. exact 1. Defined.\nTheorem a_b", "Defined"),
        ("Theorem a_b", "Lemma f : nat.\nProof. exact 1. Save.\nTheorem a_b", "Save"),
        ("Theorem a_b", "Goal 0 = 0.\nTheorem a_b", "Goal"),
        ("Theorem a_b", "Lemma f : 0 = 1.\nAbort.\nTheorem a_b", "Abort"),
        ("by lia.", "Inductive e := E. by lia.", "Inductive among its tactics"),
        ("by lia.", "Show. by lia.", "Show among its tactics"),
        ("by lia.", "idtac. by lia.", "idtac among its tactics"),
        ("(* mutant equal", "(* mutant equal\n   from: 0 = 1\n   to:   2 = 1 *)\n(* mutant equal", "two mutants"),
        ("Theorem a_b", "Notation foo := bar.\nTheorem a_b", "Notation"),
        ("Theorem a_b", "Record box := Box {\n  open :> nat }.\nTheorem a_b", "line 6: :>"),
        ("Theorem a_b", "Inductive box := Box (n : nat) :> box.\nTheorem a_b", "line 5: :>"),
        ("Theorem a_b", "Module M. End M.\nTheorem a_b", "Module"),
        ("Theorem a_b", "#[bypass_check(guard)] Theorem a_b", "bypass_check"),
        ("(* end of header *)\n", "", "end of header"),
        ("Theorem a_b :", "Theorem a_b (y : nat) :", "not written as the others"),
        ("Theorem c_d_fails", "Theorem a_b", "two theorems named a_b"),
        ("from: 2 * x", "from: 3 * x", "stands 0 times"),
        ("from: 2 * x", "from: x", "stands 3 times"),
        ("from: 2 * x", "fron: 2 * x", "begins with 'mutant' is not written, or"),
        ("(* mutant halved", "(*Mutant halved", "begins with 'mutant' is not written, or"),
        ("(* mutant halved", "(** mutants halved", "begins with 'mutant' is not written, or"),
        ("(** a.b.", "(* mutant a\n   from: x\n   to:   y *)\n(** a.b.", "begins with 'mutant' is not written, or"),
        ("counterexample:", "counterexample", "begins with 'counterexample' is not written, or"),
        ("to:   x / 2", "to:   x. Abort All", "ends a sentence"),
        ("Theorem a_b", '(* " (* " *) Axiom x : False. (* " *) " *)\nTheorem a_b', "line 5: Axiom"),
        ("Theorem a_b", "Import Nat.\nTheorem a_b", "another form"),
        ('{"n": 1}', "{n: 1}", "no JSON"),
        ('{"n": 1}', "[1]", "no JSON object"),
    ],
)
def test_what_the_parser_refuses(write, old, new, said):
    text = HEADER + PROBE
    assert old in text
    write(text.replace(old, new, 1))
    with pytest.raises(InputError, match=said.replace("(", r"\(")):
        formal.theorems("probe")


def test_words_in_comments_are_only_words(write):
    hidden = "(* Theorem e :\n  0 = 1.\nProof. by []. Qed. *)\n"
    write(HEADER + "(* no Axiom (* nor Admitted *) here *)\n" + hidden + PROBE)
    assert list(formal.theorems("probe")) == ["a_b", "c_d_fails"]


def test_a_file_whose_name_is_a_librarys_is_refused(write):
    write(HEADER + PROBE, "ClassicalDedekindReals")
    with pytest.raises(InputError, match="small letters"):
        formal.theorems("ClassicalDedekindReals")


def test_files_are_needed_in_order(write):
    write("", "common")
    write("From headproof Require Import common.\n", "one")
    write("From headproof Require Import common one.\n", "two")
    assert formal.needed_by("two") == ("common", "one")


def test_a_file_that_requires_itself_is_refused(write):
    write("From headproof Require Import two.\n", "one")
    write("From headproof Require Import one.\n", "two")
    with pytest.raises(InputError, match=r"one\.v requires itself"):
        formal.needed_by("one")


def test_a_topic_may_have_parts(write):
    write(HEADER + PROBE)
    write(HEADER + PROBE.replace("a_b", "e_f").replace("c_d", "g_h"), "probe_more")
    write(HEADER + PROBE, "probed")
    assert formal.files_of("probe") == ["probe", "probe_more"]
    assert formal.theorem_of("probe", "e.f").file == "probe_more"
    write(HEADER + PROBE, "probe_again")
    with pytest.raises(InputError, match="stated twice"):
        formal.theorem_of("probe", "a.b")


def test_the_reason_is_that_of_the_longest_prefix(monkeypatch):
    lines = {"a.*": "all", "a.b.*": "below", "a.b.c": "this"}
    monkeypatch.setattr(formal, "outside", lambda: lines)
    assert [formal.reason_outside(name) for name in ("a.x", "a.b", "a.b.d", "a.b.c", "ab")] == [
        "all",
        "below",
        "below",
        "this",
        None,
    ]


# -- the committed files -------------------------------------------------------------------------------------------


def test_no_file_is_idle():
    """Every file is a topic's, or some topic's file needs it."""
    needed = {name for file in FILES for name in formal.needed_by(file)}
    assert {path.stem for path in formal.path_of("common").parent.glob("*.v")} == {*FILES, *needed}


@pytest.mark.parametrize("file", FILES)
def test_a_file_keeps_the_rules(file):
    source = formal.source_of(file)
    assert formal.theorems(file), "it states nothing"
    assert max(map(len, source.splitlines())) <= 120
    assert "\t" not in source
    known = {formal.identifier(claim.id) for claim in claims().values()}
    assert {name.removesuffix(formal.FAILS) for name in formal.theorems(file)} <= known, "a theorem of no claim"


@pytest.mark.parametrize(("topic", "claim", "theorem"), STATED, ids=[claim.id for _, claim, _ in STATED])
def test_a_theorem_is_about_its_claim(topic, claim, theorem):
    assert theorem.doc, "it does not say what it says"
    assert (claim.repair is not None) == theorem.negated, "a claim that fails needs its negation"
    refutable = {mutant.name for mutant in claim.mutants if not mutant.stronger}
    if theorem.negated:
        assert theorem.mutants
        case = claim.statement.case_type.of_json(theorem.case)
        assert claim.statement.refuted_by(case)
    else:
        assert len(theorem.mutants) >= 2
        assert {edit.name for edit in theorem.mutants} <= refutable


@pytest.mark.parametrize("file", FILES)
def test_tests_tie_each_theorem_to_python(file):
    """Each is named in a test of its file, or its claim is; that the test then uses it is not seen here."""
    tied = "".join(path.read_text("utf-8") for path in Path(__file__).parent.glob(f"test_formal_{file}*.py"))
    ids = {formal.identifier(claim_id): claim_id for claim_id in claims()}
    assert [
        name
        for name in formal.theorems(file)
        if not re.search(rf"\b{name}\b", tied) and f'"{ids[name.removesuffix(formal.FAILS)]}"' not in tied
    ] == []


def test_every_universal_claim_is_stated_in_coq_or_says_why_not():
    stated = {claim.id for _, claim, _ in STATED}
    universal = [claim.id for claim in claims().values() if claim.kind is not Kind.EMPIRICAL]
    missing = [name for name in universal if name not in stated and not formal.reason_outside(name)]
    assert missing == []
    idle = [name for name in formal.outside() if not name.endswith("*") and name in stated]
    assert idle == [], "stated, and yet with a reason why not"
    unknown = [name for name in formal.outside() if not any(f"{c}.".startswith(name.rstrip("*")) for c in claims())]
    assert unknown == []
    assert all(len(line) > 20 and "\n" not in line for line in formal.outside().values())


def test_the_ledger_has_what_the_kernel_said():
    """Every stated claim has a finding of the kernel in the committed ledger, on the axioms of the reals at most."""
    kept = records()
    for _, claim, theorem in STATED:
        (finding,) = (each for each in kept[claim.id]["findings"] if each["tier"] == Tier.KERNEL)
        assert finding["verdict"] == ("REFUTED" if theorem.negated else "HOLDS"), claim.id
        assert finding["details"]["statement"] == theorem.text


def test_formal_files_are_packaged():
    assert Path(formal.path_of("common")).is_file()
    assert formal.path_of("outside").with_suffix(".toml").is_file()
