"""The Coq statements on inverse temperatures (lemma F.1) say what the Python ones do."""

from fractions import Fraction
from random import Random

import pytest

from headproof.checks.engines import coq
from headproof.checks.engines.kernel import accepted
from headproof.theory.angles import Angle
from headproof.theory.discrepancy import IndexCase, RetrievalInput, index_logits, retrieval_logits
from headproof.theory.discrepancy.temperature import (
    DecodingCase,
    TemperatureCase,
    decodes,
    index_decodes,
    letters_decode,
    numbers_decode,
)
from headproof.theory.errors import InputError
from headproof.theory.sequences import index_function, require_proper, require_valid_index

pytestmark = pytest.mark.skipif(coq.coqc() is None, reason=coq.MISSING)
TOPIC = "discrepancy_temperature"
LETTERS = "abc"


def ratio(value):
    """A rational number in Coq."""
    value = Fraction(value)
    return f"({value.numerator} / {value.denominator})"


def letter(name, letters):
    return f"(Ordinal (isT : ({LETTERS.index(name)} < {letters})%N))"


def half(part, letters):
    """A letter or a number, as a number token or the right half of a pair."""
    return f"inl {letter(part, letters)}" if isinstance(part, str) else f"inr {part}%N"


def sequence(tokens, letters):
    """The tokens as a function of the places before the last one, and its type."""
    pairs = isinstance(tokens[0], tuple)
    kind = f"temperature_{'pair' if pairs else 'number'}_token {letters}"
    shown = [f"({letter(t[0], letters)}, {half(t[1], letters)})" if pairs else half(t, letters) for t in tokens]
    return f"(fun t => nth ({shown[0]}) [:: {'; '.join(reversed(shown))}] t : {kind})"


def numbers(random, n):
    """A number sequence, valid or not."""
    return [random.choice([*"ab", *range(4)]) for _ in range(n)]


def pairs(random, n):
    """A letter sequence, proper or not."""
    return [(random.choice(LETTERS), random.choice([*LETTERS, 0, 1])) for _ in range(n)]


def allowed(check, tokens):
    try:
        return bool(check(tokens))
    except InputError:
        return False


# -- what the definitions compute ----------------------------------------------------------------------------------


def test_index_logits():
    """Each logit is the cosine of the angle that Python gives it; a wrong multiple is refused."""
    random, texts = Random(1), {}
    script = "Proof. rewrite /temperature_index_logit /=; congr cos; field. Qed."
    for n in (2, 3, 4, 4):
        turns, i = Fraction(random.randint(-7, 7), random.randint(1, 5)), random.randint(0, n - 1)
        x = sequence([*random.choices("ab", k=n - 1), i or "a"], 2)
        for t, angle in enumerate(index_logits(IndexCase(Angle(turns), n), i)):
            goal = f"Goal temperature_index_logit ({ratio(turns)} * PI) {x} {t}%N = cos"
            texts[f"{n} {i} {t} {len(texts)}"] = f"{goal} ({ratio(angle.turns)} * PI). {script}"
    texts["wrong"] = f"{goal} ({ratio(angle.turns + 1)} * PI). {script}"
    found = accepted(TOPIC, texts)
    assert found == {name: name != "wrong" for name in texts}


def test_retrieval_logits():
    random, texts = Random(2), {}
    script = (
        "Proof. rewrite /temperature_retrieval_logit /temperature_omega /temperature_wanted /=; "
        "congr cos; field; lra. Qed."
    )
    while len(texts) < 20:
        tokens = tuple(pairs(random, random.randint(2, 4)))
        if not allowed(require_proper, tokens):
            continue
        turns = Fraction(random.randint(0, 7), random.randint(1, 5))
        for t, angle in enumerate(retrieval_logits(RetrievalInput(3, Angle(turns), 4, tokens))):
            goal = f"Goal temperature_retrieval_logit ({ratio(turns)} * PI) {sequence(tokens, 3)} {t}%N = cos"
            texts[f"{tokens} {t}"] = f"{goal} ({ratio(angle.turns)} * PI). {script}"
    texts["wrong"] = f"{goal} ({ratio(angle.turns + Fraction(1, 3))} * PI). {script}"
    found = accepted(TOPIC, texts)
    assert found == {name: name != "wrong" for name in texts}


VALID = """Proof. intros t i below; destruct t as [|[|[|[|t]]]]; try discriminate below; simpl; intro token;
  try discriminate token; injection token as <-; split; reflexivity. Qed."""
NOT_VALID = """Proof. intro valid; first [ """ + " | ".join(
    f"destruct (valid {t}%N _ isT erefl) as [one two]; first [discriminate one | discriminate two]" for t in range(4)
) + " ]. Qed."  # fmt: skip


def test_valid_inputs_and_answers():
    random, texts, expected = Random(3), {}, {}
    for n in (1, 2, 3, 3, 3, 4, 4, 4, 4):
        tokens = numbers(random, n)
        tokens[0], x = "a", None
        x = sequence(tokens, 2)
        valid = allowed(require_valid_index, tokens)
        for sense, script in (("", VALID), ("~ ", NOT_VALID)):
            texts[f"{sense}{tokens}"] = f"Goal {sense}@temperature_valid 2 {n} {x}. {script}"
            expected[f"{sense}{tokens}"] = valid == (not sense)
        if valid:
            right = index_function(tokens)[-1]
            for value in (right, "b" if right != "b" else "a"):
                goal = f"Goal temperature_index_answer {x} = {half(value, 2)}. Proof. reflexivity. Qed."
                texts[f"{tokens} {value}"], expected[f"{tokens} {value}"] = goal, value == right
    assert len(set(expected.values())) == 2
    assert accepted(TOPIC, texts) == expected


OTHER = "first [discriminate | let E := fresh in intro E; apply (f_equal (@nat_of_ord 3)) in E; discriminate E]"
PROPER = f"""Proof. intros t b below; destruct t as [|[|[|t]]]; try discriminate below; simpl; intro token;
  try discriminate token; injection token as <-; split;
  [ first [ exists 0%N; split; reflexivity | exists 1%N; split; reflexivity | exists 2%N; split; reflexivity ]
  | intros u v hu hv; destruct u as [|[|[|u]]]; try discriminate hu; destruct v as [|[|[|v]]]; try discriminate hv;
    simpl; intros eu ev; first [ reflexivity | exfalso; revert eu; {OTHER} | exfalso; revert ev; {OTHER} ] ]. Qed."""
NOT_PROPER = "Proof. intro proper; first [ " + " | ".join(
    [f"destruct (proper {t}%N _ isT erefl) as [[u [hu eu]] _]; destruct u as [|[|[|u]]]; try discriminate hu;"
     f"revert eu; {OTHER}" for t in range(3)]
    + [f"destruct (proper {t}%N _ isT erefl) as [_ same]; discriminate (same {u}%N {v}%N isT isT erefl erefl)"
       for t in range(3) for u in range(t, 3) for v in range(t, 3)]
    + [f"destruct (proper {t}%N _ isT erefl) as [_ same]; "
       f"generalize (f_equal snd (same {u}%N {v}%N isT isT erefl erefl)); simpl; intro E; injection E; {OTHER}"
       for t in range(3) for u in range(t, 3) for v in range(t, 3)]
) + " ]. Qed."  # fmt: skip


def test_proper_inputs():
    random, texts, expected = Random(4), {}, {}
    drawn = [pairs(random, n) for n in (1, 2, 2, 3, 3, 3, 3, 3, 3)]
    drawn += [[("a", 0), ("a", 1), ("b", "a")], [("a", 0), ("a", 0), ("b", "a")], [("b", "a"), ("a", 0)]]
    for tokens in drawn:
        proper = allowed(require_proper, tokens)
        for sense, script in (("", PROPER), ("~ ", NOT_PROPER)):
            goal = f"Goal {sense}@temperature_proper 3 {len(tokens)} {sequence(tokens, 3)}. {script}"
            texts[f"{sense}{tokens}"], expected[f"{sense}{tokens}"] = goal, proper == (not sense)
    assert sum(expected[f"{tokens}"] for tokens in drawn) in range(3, len(drawn) - 2)
    assert accepted(TOPIC, texts) == expected


# -- one input and two answers -------------------------------------------------------------------------------------

POWERS = """Lemma power{0} k x : x = - (INR k * ln 2) -> exp x = (1 / 2) ^ k.
Proof. move=> ->; rewrite Ropp_mult_distr_r temperature_exp_power exp_Ropp exp_ln; [congr pow; lra | lra]. Qed.
"""
RAISE = (
    "repeat match goal with |- context [exp ?x] => first [ "
    + " | ".join(f"rewrite (@power{{0}} {k} x); [| rewrite /=; ring]" for k in range(13))
    + " ] end"
)
LEAD = (
    "apply: (temperature_soft_lead (m := Ordinal (isT : ({1} < {2})%N))); "
    f"rewrite !big_ord_recl big_ord0 /= /bump /=; {RAISE}; rewrite /=; lra"
)


def decoding_cases(random, count):
    cases = []
    while len(cases) < count:
        n = random.randint(1, 3)
        gaps = [random.randint(0, 3) for _ in range(n)]
        gaps[random.randrange(n)] = 0
        differences = [Fraction(random.randint(-6, 6), random.randint(1, 3)) for _ in range(n)]
        cases.append(DecodingCase(tuple(map(Fraction, gaps)), tuple(differences), random.randint(0, 4)))
    return cases


def test_softmax_decodes_as_in_python():
    """Logits in units of ln 2 and a key's gift of `differences` to the right answer, nothing to the other one."""
    texts, expected = {}, {}
    cases = [case for case in decoding_cases(Random(5), 14) if decodes(case, case.beta) or _fails(case)]
    assert {decodes(case, case.beta) for case in cases} == {True, False}
    for number, case in enumerate(cases):
        n, top = len(case.gaps), case.gaps.index(0)
        logits = "; ".join(f"- ({gap} * ln 2)" for gap in case.gaps)
        gifts = "; ".join(map(ratio, case.differences))
        attention = f"(temperature_soft ({case.beta}) (fun t : 'I_{n} => nth 0 [:: {logits}] t))"
        gift = f"(fun (t : 'I_{n}) (s : bool) => if s then nth 0 [:: {gifts}] t else 0)"
        right = f"(temperature_decodes (temperature_score {attention} {gift}) true)"
        lead = LEAD.replace("{0}", str(number)).replace("{1}", str(top)).replace("{2}", str(n))
        yes = f"Goal {right}. Proof. move=> [] // _; {lead}. Qed."
        no = f"Goal ~ {right}. Proof. move=> /(_ false ltac:(done)); apply: Rlt_asym; {lead}. Qed."
        for sense, text in ((True, yes), (False, no)):
            texts[f"{number} {sense}"] = (POWERS.replace("{0}", str(number)) if sense else "") + text
            expected[f"{number} {sense}"] = decodes(case, case.beta) == sense
    assert accepted(TOPIC, texts) == expected


def _fails(case):
    """The other answer is strictly ahead."""
    against = DecodingCase(case.gaps, tuple(-each for each in case.differences), case.beta)
    return decodes(against, case.beta)


TOPS = """have T t : temperature_top ({l}) t = nth false [:: {tops}] t; first (by
    case: t => [[|[|[|m]]] lt] //=; first [ apply/temperature_topP => [[[|[|[|j]]] lj]] //=; lra
    | apply/negbTE/negP => /temperature_topP /(_ (Ordinal (isT : ({best} < {n})%N))) /=; lra ])"""
COUNT = """rewrite /temperature_tops -sum1_card big_mkcond !big_ord_recl big_ord0 /= !inE !T /="""


def test_hard_attention_shares_equally():
    """The number of keys with the largest logit, and the lead under average hard attention."""
    texts = {}
    for number, case in enumerate(decoding_cases(Random(6), 10)):
        n, k = len(case.gaps), len(case.best)
        table = f"(fun t : 'I_{n} => nth 0 [:: {'; '.join(ratio(-gap) for gap in case.gaps)}] t)"
        gifts = "; ".join(map(ratio, case.differences))
        gift = f"(fun (t : 'I_{n}) (s : bool) => if s then nth 0 [:: {gifts}] t else 0)"
        tops = "; ".join("false" if gap else "true" for gap in case.gaps)
        script = TOPS.replace("{l}", table).replace("{tops}", tops)
        script = script.replace("{best}", str(case.gaps.index(0))).replace("{n}", str(n))
        for count, sense in ((k, ""), (k + 1, "wrong ")):
            goal = f"Goal temperature_tops {table} = {count}%N. Proof. {script}; by {COUNT}. Qed."
            texts[f"{sense}{number} count"] = goal
        lead = f"temperature_score (temperature_hard {table}) {gift} true"
        for value, sense in ((sum(case.best) / k, ""), (sum(case.best) / k + 1, "wrong ")):
            texts[f"{sense}{number} lead"] = (
                f"Goal {lead} = {ratio(value)}. Proof. {script}; have C : temperature_tops {table} = {k}%N; "
                f"first (by {COUNT}); "
                "rewrite /temperature_score /temperature_hard !big_ord_recl big_ord0 !C !T /= /bump /=; lra. Qed."
            )
    assert accepted(TOPIC, texts) == {name: not name.startswith("wrong") for name in texts}


# -- which temperatures decode -------------------------------------------------------------------------------------


MIDDLE = """move=> right; have := temperature_index_needs_half (L := 2) (i := Ordinal (isT : (1 < 3)%N)) isT isT right;
  rewrite big_mkcond !big_ord_recl big_ord0 /= /bump /=; set a := cos _; set b := cos _; """
ANY = """apply: (dyn_lemmaF_1_index_any_angle (gamma := 1)); [lra | | rewrite Rmult_1_l /=;
  have := exp_ineq1 1 ltac:(lra); lra]; """
INDEX = {  # theta / pi, n0, beta: why Coq decides as Python does
    ("1/2", 2, "1"): f"{ANY} case=> [|[|u]] // _; rewrite /= Rmult_1_l (_ : 1 / 2 * PI = PI / 2) ?cos_PI2; lra",
    ("1/2", 2, "0"): """move=> right;
        have := temperature_index_needs_half (L := 2) (i := Ordinal (isT : (1 < 2)%N)) isT isT right;
        rewrite big_mkcond !big_ord_recl big_ord0 /= !Rmult_0_l exp_0; lra""",
    ("1/2", 3, "1"): f"""{ANY} case=> [|[|[|u]]] // _; rewrite /=;
        [rewrite Rmult_1_l (_ : 1 / 2 * PI = PI / 2) ?cos_PI2; lra
        | rewrite (_ : (1 + 1) * (1 / 2 * PI) = PI) ?cos_PI; lra]""",
    ("1/2", 3, "1/2"): f"""{MIDDLE}
        have -> : a = 0; first (transitivity (cos (PI / 2)); [rewrite /a -cos_neg; congr cos; field
          | exact: cos_PI2]);
        have -> : b = 0; first (transitivity (cos (PI / 2)); [congr cos; field | exact: cos_PI2]);
        have := temperature_exp_tangent (1 / 2 * (0 - 1)); lra""",
    ("2", 3, "5"): f"""{MIDDLE}
        have -> : a = 1; first (transitivity (cos (0 + 2 * PI * -1)); [congr cos; field
          | rewrite (temperature_turns 0 (-1)) cos_0 //]);
        have -> : b = 1; first (transitivity (cos (0 + 2 * PI * 1)); [congr cos; field
          | rewrite (temperature_turns 0 1) cos_0 //]);
        rewrite Rminus_diag_eq // Rmult_0_r exp_0; lra""",
}
COLD = """have pi := PI_RGT_0; have one : ln 2 <= 1; first (rewrite -(ln_exp 1);
  have more := exp_ineq1 1 ltac:(lra); apply/Rlt_le/ln_increasing; lra);
  apply: dyn_lemmaF_1_retrieval_sufficient; [done | lra | rewrite /temperature_omega /=; lra |];
  rewrite (_ : PI ^ 2 * ln 2 / (2 * ({0} * PI) ^ 2) = / (2 * {0} ^ 2) * ln 2); [lra | field; lra]"""
COPIES = """move=> right; have := temperature_numbers_need (L := 2) isT right;
  rewrite big_mkcond !big_ord_recl big_ord0 /= /bump /=; """
NUMBERS = {
    ("1/4", 2, "8"): COLD.replace("{0}", "(1 / 4)"),
    ("1/6", 3, "18"): COLD.replace("{0}", "(1 / 6)"),
    ("1/4", 2, "0"): f"{COPIES} rewrite !Rmult_0_l exp_0; lra",
    ("1/6", 3, "1/2"): f"""{COPIES} rewrite Rmult_1_l (_ : (1 + 1) * (1 / 6 * PI) = PI / 3); last field;
        rewrite (_ : 1 / 6 * PI = PI / 6); last field; rewrite cos_PI3 cos_PI6;
        have := temperature_exp_tangent (1 / 2 * (sqrt 3 / 2 - 1));
        have := temperature_exp_tangent (1 / 2 * (1 / 2 - 1));
        have := sqrt_lt_1 1 3 ltac:(lra) ltac:(lra) ltac:(lra); rewrite sqrt_1; lra""",
}
AT_0 = "dyn_lemmaF_1_retrieval_letter_queries"
STRAIGHT = "rewrite /temperature_omega (_ : 2 * PI / INR 2 = PI); last (rewrite /=; field); rewrite cos_PI /=;"
ENOUGH = f"apply/({AT_0} _ _ _) => //; first lra"
LETTER_QUERIES = {  # letters, n0, beta, at theta = 0
    (2, 3, "1/2"): f"{ENOUGH}; {STRAIGHT} have := exp_ineq1 (1 / 2 * (1 - -1)) ltac:(lra); lra",
    (2, 3, "1/4"): f"""move=> /(proj1 ({AT_0} (L := 2) (n0 := 3) (beta := 1 / 4) isT isT ltac:(lra)));
        {STRAIGHT} rewrite (_ : 1 / 4 * (1 - -1) = 1 / 2); last field; have := exp_le_3;
        have sq : exp (1 / 2) * exp (1 / 2) = exp 1; first (rewrite -exp_plus; congr exp; field);
        have := exp_pos (1 / 2); nra""",
    (2, 2, "0"): f"""move=> /(proj1 ({AT_0} (L := 2) (n0 := 2) (beta := 0) isT isT ltac:(lra)));
        rewrite Rmult_0_l exp_0 /=; lra""",
    (3, 2, "1"): f"""{ENOUGH}; rewrite /temperature_omega (_ : 2 * PI / INR 3 = 2 * (PI / 3));
        last (rewrite /=; field; lra); rewrite cos_2PI3 /=;
        have := exp_ineq1 (1 * (1 - -1 / 2)) ltac:(lra); lra""",
}


def _decided(goal, case, python, script):
    """The goal or its negation, as Python decides; and the other one, which the same script must not prove."""
    right = python(case)
    texts = {sense: f"Goal {sense}{goal}. Proof. {script}. Qed." for sense in ("", "~ ")}
    return texts, {"": right, "~ ": not right}


def _agree(points):
    texts, expected = {}, {}
    for number, point in enumerate(points):
        for found, into in zip(_decided(*point), (texts, expected), strict=True):
            into.update({f"{number} {sense}": value for sense, value in found.items()})
    assert len(set(expected.values())) == 2
    assert accepted(TOPIC, texts) == expected


def test_index_decodes_where_python_says_so():
    _agree(
        (
            f"temperature_index_right 2 {n0} ({turns} * PI) ({beta})",
            TemperatureCase(Angle(Fraction(turns)), n0, 2, Fraction(beta)),
            index_decodes,
            script,
        )
        for (turns, n0, beta), script in INDEX.items()
    )


def test_letter_number_queries_decode_where_python_says_so():
    _agree(
        (
            f"temperature_numbers_right 2 {n0} ({ratio(turns)} * PI) ({beta})",
            TemperatureCase(Angle(Fraction(turns)), n0, 2, Fraction(beta)),
            numbers_decode,
            script,
        )
        for (turns, n0, beta), script in NUMBERS.items()
    )


def test_letter_letter_queries_decode_where_python_says_so():
    _agree(
        (
            f"temperature_letters_right {letters} {n0} 0 ({beta})",
            TemperatureCase(Angle(Fraction(0)), n0, letters, Fraction(beta)),
            letters_decode,
            script,
        )
        for (letters, n0, beta), script in LETTER_QUERIES.items()
    )
