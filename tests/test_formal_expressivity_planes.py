"""The Coq statements about heads of one or two planes say what the Python ones do.

Where a predicate of Python goes through every input of a size, the Coq predicate is proved or refuted at the same
sizes and angles, and the verdicts have to agree.
"""

from fractions import Fraction

import pytest

from headproof.checks.engines import coq
from headproof.checks.engines.kernel import accepted
from headproof.checks.registry import claims
from headproof.theory.angles import Angle
from headproof.theory.errors import InputError
from headproof.theory.expressivity.feasibility import (
    LETTERS,
    NumberCase,
    PairCase,
    RangeCase,
    index_angles,
    pair_angle,
    right_on_all_pairs,
)
from headproof.theory.expressivity.feasibility import computes_index as writes_index
from headproof.theory.expressivity.plane_bindings import (
    computes_induction,
    computes_induction_by_phase,
    computes_retrieval,
    computes_retrieval_softly,
)
from headproof.theory.expressivity.plane_heads import (
    IndexCase,
    InductionCase,
    PhaseCase,
    RetrievalCase,
    SoftmaxCase,
    computes_index,
)
from headproof.theory.formal import identifier, theorems
from headproof.theory.sequences import index_function, require_proper, require_valid_index, retrieval_function

pytestmark = pytest.mark.skipif(coq.coqc() is None, reason=coq.MISSING)
TOPIC = "expressivity_planes"
ONE = Angle(Fraction(0), Fraction(1))

# A multiple a pi in and out of the range below b pi, and one of which no multiple is a whole number of turns.
ANGLES = """
Lemma in_range (a b : R) (k : Z) : 0 < Rabs (a - 2 * IZR k) < b -> plane_reduced (a * PI) (b * PI).
Proof.
have pi0 := PI_RGT_0; exists k; have -> : a * PI - 2 * IZR k * PI = (a - 2 * IZR k) * PI by lra.
by rewrite Rabs_mult (Rabs_pos_eq PI); nra.
Qed.
Lemma off_range (a b : R) : 0 <= a <= 1 -> b <= 1 -> a = 0 \\/ b <= a -> ~ plane_reduced (a * PI) (b * PI).
Proof.
have pi0 := PI_RGT_0; move=> a_in b1 off [k]; have -> : a * PI - 2 * IZR k * PI = (a - 2 * IZR k) * PI by lra.
rewrite Rabs_mult (Rabs_pos_eq PI); last by lra.
move=> [low high]; have {low high} : 0 < Rabs (a - 2 * IZR k) < b by nra.
case: (Z_lt_le_dec k 0) => [lt|].
  have /IZR_le : (k <= -1)%Z by lia.
  by split_Rabs; lra.
case: (Z.eq_dec k 0) => [->|ne] ge; first by split_Rabs; lra.
have /IZR_le : (1 <= k)%Z by lia.
by split_Rabs; lra.
Qed.
Lemma no_whole (t : nat) (p q z : Z) :
  (0 < q)%Z -> (Z.of_nat t * p mod q <> 0)%Z -> INR t * (2 * (IZR p / IZR q) * PI) <> 2 * IZR z * PI.
Proof.
move=> /IZR_lt q0 rest e; apply: rest; have pi0 := PI_RGT_0.
have : IZR (Z.of_nat t * p) = IZR (z * q).
  rewrite !mult_IZR -INR_IZR_INZ; apply: (Rmult_eq_reg_r (2 * PI / IZR q)).
    by transitivity (INR t * (2 * (IZR p / IZR q) * PI)); [|rewrite e]; field; lra.
  by apply: Rgt_not_eq; apply: Rdiv_lt_0_compat; lra.
by move/eq_IZR => ->; apply: Z_mod_mult.
Qed.
"""


def goal(statement, script):
    return f"Goal {statement}. Proof. {script} Qed."


def ratio(value):
    value = Fraction(value)
    return f"({value.numerator} / {value.denominator})"


def agree(cases, statement, proved, refuted, verdict):
    """Coq proves the statement where Python's verdict is true and refutes it where not, and never the contrary."""
    texts, expected = {}, {}
    for case in cases:
        right = verdict(*case)
        texts[f"{case} right"] = goal(statement(*case), proved(*case))
        texts[f"{case} wrong"] = goal(f"~ {statement(*case)}", refuted(*case))
        expected |= {f"{case} right": right, f"{case} wrong": not right}
    assert len({verdict(*case) for case in cases}) == 2
    first = next(iter(texts))
    texts[first] = ANGLES + texts[first]
    assert accepted(TOPIC, texts) == expected


def bounded(bound, share):
    """Write a bound of Coq's as `share pi`, and go on with the first goal."""
    return f"rewrite (_ : {bound} = {ratio(share)} * PI); last by rewrite /=; field."


# -- partial induction ---------------------------------------------------------------------------------------------


def test_one_angle_is_right_where_python_says():
    cases = [(2, 2, "1/4"), (2, 2, "1/3"), (2, 2, "1/2"), (2, 2, 0), (2, 2, "7/4"), (2, 1, 0), (3, 2, "1/5")]
    cases += [(3, 2, "1/4"), (2, 3, "1/6"), (2, 3, "1/5"), (3, 3, "1/8"), (3, 3, "1/7")]

    def share(symbols, keys):
        return Fraction(2, symbols * (2 * keys - 1))

    def bound(symbols, keys):
        return bounded(f"2 * PI / INR {symbols} / (2 * INR {keys} - 1)", share(symbols, keys))

    agree(
        cases,
        lambda s, t, a: f"plane_induction 2 {t} plane_hard (plane_phase {s} ({ratio(a)} * PI)) (-1)",
        lambda s, t, a: (
            f"apply/(@dec_thm6_one_angle_range {s} 2 {t} _ isT isT isT). "
            + ("by left." if t == 1 else f"right; {bound(s, t)} apply: (in_range (k := {round(Fraction(a) / 2)})). ")
            + ("" if t == 1 else "by split_Rabs; lra.")
        ),
        lambda s, t, a: (
            f"move/(@dec_thm6_one_angle_range {s} 2 {t} _ isT isT isT) => [//|]. {bound(s, t)} apply: off_range; lra."
        ),
        lambda s, t, a: computes_induction_by_phase(PhaseCase(Angle(Fraction(a)), s, 2, t + 1)),
    )


def test_two_angles_are_right_where_python_says():
    cases = [(2, "1/2", "1/2"), (2, "2/3", "1/2"), (2, "1/2", 3), (3, "1/3", "1/2"), (3, "2/5", "1/2"), (3, 0, "1/2")]
    cosines = "rewrite (_ : 2 * PI / INR 2 = PI); last by rewrite /=; field. rewrite cos_PI. "

    def bound(keys):
        return bounded(f"2 * PI / (2 * INR {keys} - 1)", Fraction(2, 2 * keys - 1))

    def exact(t, a, b):
        return f"@dec_thm6_range 2 2 {t} ({ratio(a)} * PI) {ratio(b)} isT isT isT ltac:(lra)"

    def refuted(t, a, b):
        begin = f"move/({exact(t, a, b)}) => [//|[]]. "
        if b == 3:  # the angle is in the range, the margin fails
            whole = f"rewrite (_ : INR 2 * ({ratio(a)} * PI) = PI); last by rewrite /=; field. "
            quarter = f"rewrite (_ : {ratio(a)} * PI = PI / 2); last by field. "
            return f"{begin} move=> _. {cosines} {whole} {quarter} rewrite cos_PI cos_PI2. lra."
        return f"{begin} move=> range _; move: range. {bound(t)} apply: off_range; lra."

    agree(
        cases,
        lambda t, a, b: (
            f"plane_induction 2 {t} plane_hard (plane_two_angles 2 ({ratio(a)} * PI) {ratio(b)}) (-1 - {ratio(b)})"
        ),
        lambda t, a, b: (
            f"apply/({exact(t, a, b)}); right; split. "
            f"{bound(t)} apply: (in_range (k := 0)); split_Rabs; lra. {cosines} "
            f"have := COS_bound ({ratio(a)} * PI); have := COS_bound (INR {t} * ({ratio(a)} * PI)); lra."
        ),
        refuted,
        lambda t, a, b: computes_induction(InductionCase(Angle(Fraction(a)), 2, 2, t + 1, Fraction(b))),
    )


def test_the_printed_range_of_two_angles():
    texts, expected = {}, {}
    for symbols, keys, a in [(2, 2, "1/5"), (3, 2, "1/7"), (2, 3, "1/7"), (2, 3, "1/4"), (3, 2, 0)]:
        statement = f"plane_induction 2 {keys} plane_hard (plane_two_angles {symbols} ({ratio(a)} * PI) 1) (-2)"
        texts[f"{symbols} {keys} {a}"] = goal(statement, "apply: dec_thm6; have := PI_RGT_0; rewrite /=; lra.")
        expected[f"{symbols} {keys} {a}"] = inside = 0 < symbols * keys * Fraction(a) < 1
        assert computes_induction(InductionCase(Angle(Fraction(a)), symbols, 2, keys + 1)) or not inside
    assert set(expected.values()) == {True, False}
    assert accepted(TOPIC, texts) == expected


def test_the_lead_of_one_angle():
    script = (
        "have pi0 := PI_RGT_0; have edge : 2 * PI / INR 2 / (2 * INR 2 - 1) = PI / 3 by rewrite /=; field. "
        "have := @dec_thm6_one_angle_margin 2 2 (1 / 4 * PI) isT isT; rewrite edge => -[|t [u [t1 [tu [u2]]]]]. "
        "exists 0%Z; rewrite Rabs_pos_eq; lra. "
        "have -> : t = 1%N by case: t u t1 tu u2 => [|[|t]] [|[|[|u]]]. "
        "have -> : u = 2%N by case: u tu u2 => [|[|[|u]]] //; case: t t1. "
        "by rewrite (_ : INR 2 = 2) // Rmult_1_l => lead; apply: Rlt_le_trans lead _; lra."
    )

    def text(constant):
        return goal(f"cos (1 / 4 * PI) - cos (2 * (1 / 4 * PI)) < {constant} * (PI / 3) ^ 2", script)

    assert accepted(TOPIC, {"3/2": text("3 / 2"), "1/2": text("1 / 2")}) == {"3/2": True, "1/2": False}


# -- Retrieval -----------------------------------------------------------------------------------------------------


def test_softmax_needs_the_same_growth():
    cases = [(1, 2, 2, "1/9"), (2, 2, 3, 1), (2, 2, 3, "9/8"), (3, 2, 4, 2), (3, 2, 4, "5/2"), (3, 3, 3, "1/2")]
    agree(
        cases,
        lambda s, a, n, g: f"plane_retrieval {a} {n}.-1 plane_soft (plane_match {s} (ln {ratio(g)})) 0",
        lambda s, a, n, g: f"apply/(@dec_thm5_softmax {s} {a} {n} _ isT isT isT); rewrite exp_ln /=; lra.",
        lambda s, a, n, g: f"move/(@dec_thm5_softmax {s} {a} {n} _ isT isT isT); rewrite exp_ln /=; lra.",
        lambda s, a, n, g: computes_retrieval_softly(SoftmaxCase(s, a, n, Fraction(g))),
    )


def test_h_sym_needs_a_weight():
    texts, expected = {}, {}
    for weight in (1, "1/5", 0, -1):
        texts[str(weight)] = goal(
            f"plane_retrieval 2 2 plane_hard (plane_match 3 {ratio(weight)}) 0", "apply: dec_thm5; lra."
        )
        expected[str(weight)] = computes_retrieval(RetrievalCase(3, 2, 3, Fraction(weight)))
    assert set(expected.values()) == {True, False}
    assert accepted(TOPIC, texts) == expected


def test_retrieval_over_letters_has_the_same_range():
    cases = [(2, 2, "1/2"), (2, 2, 1), (2, 2, 0), (2, 3, "1/4"), (2, 3, "1/3"), (3, 3, "1/5"), (3, 3, "2/9")]

    def bound(letters, n):
        return bounded(f"2 * PI / INR {letters} / (2 * INR {n} - 3)", Fraction(2, letters * (2 * n - 3)))

    agree(
        cases,
        lambda s, n, a: (
            f"(forall x : nat -> 'I_{s} * ('I_{s} + nat), "
            f"plane_proper x {n} -> plane_pair_right ({ratio(a)} * PI) x {n})"
        ),
        lambda s, n, a: (
            f"apply/(@dyn_thm3_1_retrieval_range {s} {n} _ isT isT). "
            f"{bound(s, n)} apply: (in_range (k := 0)); split_Rabs; lra."
        ),
        lambda s, n, a: f"move/(@dyn_thm3_1_retrieval_range {s} {n} _ isT isT). {bound(s, n)} apply: off_range; lra.",
        lambda s, n, a: right_on_all_pairs(RangeCase(s, n, Angle(Fraction(a)))),
    )


# -- Index ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("predicate", "half", "names"), [("", 1, "position"), ("_by_offset", 2, "offset")])
def test_h_pos_is_right_where_python_says(predicate, half, names):
    cases = [(3, 1, 2), (3, 1, 1), (4, 1, 2), (4, 1, 3), (5, 1, 3), (5, 2, 5), (2, 0, 1), (5, 3, 4)]

    def both(n, p, q, tactic):
        return f"{tactic}((@dec_thm3_angles 2 {n} 1 (2 * ({p} / {q}) * PI) isT Rlt_0_1).{half})"

    def refuted(n, p, q):
        t = next((t for t in range(1, n - 1) if t * p % q == 0), 1)
        return f"{both(n, p, q, 'move/')} => free. apply: (free {t}%N isT); exists {t * p // q}%Z; rewrite /=; field."

    agree(
        cases,
        lambda n, p, q: f"plane_index{predicate} 2 {n}.-1 1 (2 * ({p} / {q}) * PI)",
        lambda n, p, q: (
            f"{both(n, p, q, 'apply/')} => -[|[|[|[|t]]]] t_in [z]; "
            "first [by [] | by apply: no_whole; [lia | vm_compute; discriminate]]."
        ),
        refuted,
        lambda n, p, q: computes_index(IndexCase(Angle(Fraction(2 * p, q)), 2, n), names),
    )


def letter(name, letters=3):
    return f"(Ordinal (isT : ({LETTERS.index(name)} < {letters})%N))"


def half(part):
    return f"(inl {letter(part)} : 'I_3 + nat)" if isinstance(part, str) else f"(inr {part}%N : 'I_3 + nat)"


def token(given):
    return f"({letter(given[0])}, {half(given[1])})" if isinstance(given, tuple) else half(given)


def sequence(tokens):
    return f"(nth {token(tokens[0])} [:: {'; '.join(map(token, tokens))}])"


VALID = "by case=> [|[|[|[|p]]]] i //= _ [<-]."
NUMBERS = [("a", "b", 1), ("a", 1, 1), ("c", 1, "b", 3), ("b", "a", 2, 3), ("a", "a", 2)]


@pytest.mark.parametrize("tokens", NUMBERS)
def test_index_is_the_same_function(tokens):
    texts, expected = {}, {}
    for place, wanted in enumerate(index_function(tokens)):
        for answer in {"a", "b", "c", 1, 2, 3}:
            texts[f"{place} {answer}"] = goal(f"plane_index_of {sequence(tokens)} {place} = {half(answer)}", "by [].")
            expected[f"{place} {answer}"] = answer == wanted
    assert accepted(TOPIC, texts) == expected


def test_the_same_number_sequences_are_valid():
    texts, expected = {}, {}
    for tokens in [*NUMBERS, (1, "a"), ("a", 2), ("a", "b", 0), ("a", 1, 3)]:
        try:
            expected[str(tokens)] = bool(require_valid_index(tokens))
        except InputError:
            expected[str(tokens)] = False
        texts[str(tokens)] = goal(f"plane_valid {sequence(tokens)} {len(tokens)}", VALID)
    assert set(expected.values()) == {True, False}
    assert accepted(TOPIC, texts) == expected


def test_index_is_written_in_the_printed_range():
    texts, expected = {}, {}
    for tokens in NUMBERS:
        for share in ("1/4", "1/2", "3/2", 2):
            n, theta = len(tokens), Angle(Fraction(share))
            texts[f"{tokens} {share}"] = goal(
                f"plane_number_right 2 1 ({ratio(share)} * PI) {sequence(tokens)} {n}",
                f"have pi0 := PI_RGT_0; apply: (@dyn_thm3_1_index 3 {n}) => //; [lra | rewrite /=; lra |]. {VALID}",
            )
            expected[f"{tokens} {share}"] = inside = (n - 1) * Fraction(share) < 2
            assert writes_index(NumberCase(theta, tokens)) or not inside
    assert set(expected.values()) == {True, False}
    assert accepted(TOPIC, texts) == expected


@pytest.mark.parametrize("tokens", NUMBERS)
def test_index_has_the_same_logits(tokens):
    texts, expected = {}, {}
    for key, angle in enumerate(index_angles(ONE, tokens[-1], len(tokens))):
        for wrong in (0, 1):
            steps = abs(angle.radians) + wrong
            logit = f"plane_number_logit theta {half(tokens[-1])} {half(tokens[key])} {len(tokens) - 1 - key}"
            texts[f"{key} {wrong}"] = goal(
                f"forall theta, {logit} = cos ({ratio(steps)} * theta)",
                "move=> theta; rewrite plane_number_logitE /=; "
                "first [congr cos; lra | rewrite -cos_neg; congr cos; lra].",
            )
            expected[f"{key} {wrong}"] = not wrong
    assert accepted(TOPIC, texts) == expected


PAIRS = [
    (("b", 1), ("a", "b")),
    (("a", 1), ("b", 1), ("a", 1), ("c", "b")),
    (("c", 2), ("a", "a")),
    (("b", "b"), ("c", "b"), ("b", "b"), ("a", "c")),
]


@pytest.mark.parametrize("tokens", PAIRS)
def test_retrieval_has_the_same_targets_and_logits(tokens):
    texts, expected = {}, {}
    wanted = retrieval_function(require_proper(tokens))
    for place, query in enumerate(tokens):
        for key in range(place + 1):
            targets = tokens[key] == wanted[place] and (isinstance(query[1], str) or key == place)
            texts[f"target {place} {key}"] = goal(f"plane_target {sequence(tokens)} {place} {key}", "by [].")
            expected[f"target {place} {key}"] = targets
            angle = pair_angle(PairCase(3, ONE, tokens), query, tokens[key], place - key)
            for wrong in (0, 1):
                logit = f"plane_pair_logit theta {token(query)} {token(tokens[key])} {place - key}"
                texts[f"logit {place} {key} {wrong}"] = goal(
                    f"forall theta, {logit} = cos ({ratio(angle.turns)} * PI + {ratio(angle.radians + wrong)} * theta)",
                    "move=> theta; rewrite plane_pair_logitE /plane_turn /=; congr cos; field.",
                )
                expected[f"logit {place} {key} {wrong}"] = not wrong
    assert len(set(expected.values())) == 2
    assert accepted(TOPIC, texts) == expected


def test_the_same_letter_sequences_are_proper():
    script = (
        "move=> [|[|[|[|p]]]] b //= _ [<-]; "
        "(split; [first [by exists 0%N | by exists 1%N | by exists 2%N | by exists 3%N] | "
        "by move=> [|[|[|[|j]]]] [|[|[|[|k]]]] //= _ _ /(congr1 val) // _ /(congr1 val)])."
    )
    texts, expected = {}, {}
    for tokens in [*PAIRS, (("b", 1), ("b", 2), ("a", "b")), (("b", 1), ("a", "c")), (("a", "b"), ("b", 1))]:
        try:
            expected[str(tokens)] = bool(require_proper(tokens))
        except InputError:
            expected[str(tokens)] = False
        texts[str(tokens)] = goal(f"plane_proper {sequence(tokens)} {len(tokens)}", script)
    assert set(expected.values()) == {True, False}
    assert accepted(TOPIC, texts) == expected


# -- refuted claims ------------------------------------------------------------------------------------------------


def test_the_counterexamples_refute_the_python_statements():
    found = {name: theorem.case for name, theorem in theorems(TOPIC).items() if theorem.negated}
    assert len(found) == 5
    for claim_id, claim in claims().items():
        name = identifier(claim_id) + "_fails"
        if name in found:
            assert claim.statement.refuted_by(claim.statement.case_type.of_json(found[name]))
