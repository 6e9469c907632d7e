"""The Coq statements on the discrepancies (definition 3.1, theorem 3.2, remark 3.2) say what the Python ones do."""

import random
from fractions import Fraction

import pytest

from headproof.checks.discrepancy import CLAIMS
from headproof.checks.engines import coq
from headproof.checks.engines.kernel import accepted
from headproof.theory.angles import Angle
from headproof.theory.cosine_sums import collected, compare
from headproof.theory.discrepancy import (
    IndexCase,
    RetrievalCase,
    RetrievalInput,
    best_other,
    best_wrong_letter,
    gap,
    index_gaps,
    index_logits,
    index_positive_gaps,
    largest_gap,
    positive_gap,
    retrieval_logits,
    smallest_positive_gap,
    smallest_wrong_gap,
)
from headproof.theory.errors import InputError
from headproof.theory.formal import identifier, theorems
from headproof.theory.sequences import require_proper, require_valid_index

pytestmark = pytest.mark.skipif(coq.coqc() is None, reason=coq.MISSING)
TOPIC = "discrepancy"
LETTERS = "abc"
ONE_RADIAN = Angle(Fraction(0), Fraction(1))
SIXTHS = [Angle(Fraction(turns, 6)) for turns in (0, 2, 3, 4, 6)]  # angles with rational cosines
RATIONAL = {Fraction(0): 1, Fraction(1, 3): Fraction(1, 2), Fraction(1, 2): 0, Fraction(2, 3): Fraction(-1, 2), 1: -1}


def goal(statement, script):
    return f"Goal {statement}. Proof. {script} Qed."


def ratio(value):
    value = Fraction(value)
    return f"({value.numerator} / {value.denominator})"


def exact(total):
    """A sum of such cosines."""
    return sum((factor * RATIONAL[angle.turns] for factor, angle in collected(total)), Fraction(0))


def is_refused(check, tokens):
    try:
        check(tokens)
    except InputError:
        return True
    return False


# -- inputs --------------------------------------------------------------------------------------------------------


def number_token(token):
    return f"Letter {LETTERS.index(token)}" if isinstance(token, str) else f"Number {token}"


def pair_token(token):
    left, right = token
    half = f"inl {LETTERS.index(right)}%N" if isinstance(right, str) else f"inr {right}%N"
    return f"({LETTERS.index(left)}%N, {half})"


def sequence(tokens, one, kind):
    return f"([:: {'; '.join(map(one, tokens))}] : seq {kind})"


def number_sequences(seed=3):
    source = random.Random(seed)
    for size in (1, 1, 2, 2, 3, 3, 3, 4, 4, 4, 4, 5):
        yield tuple(source.choice([*LETTERS[:1], *range(1, 1 + source.choice([2, size]))]) for _ in range(size))


def pair_sequences(seed=4):
    source = random.Random(seed)
    for size in (1, 1, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4):
        yield tuple((source.choice(LETTERS), source.choice([*LETTERS[:2], 1])) for _ in range(size))


PROPER = [
    (("b", 1), ("a", "b")),
    (("a", 1), ("b", 1), ("a", 1), ("c", "b")),
    (("c", 2), ("a", "a")),
    (("b", "b"), ("c", "b"), ("b", "b")),
]


@pytest.mark.parametrize(
    ("inputs", "check", "predicate", "one", "kind"),
    [
        ([*number_sequences(), ("a", 1), ("a", 2), (1,)], require_valid_index, "valid", number_token, "number_token"),
        ([*pair_sequences(), *PROPER], require_proper, "proper", pair_token, "pair_token"),
    ],
)
def test_the_same_inputs_are_allowed(inputs, check, predicate, one, kind):
    texts, expected = {}, {}
    for tokens in inputs:
        allowed = not is_refused(check, tokens)
        for answer in ("true", "false"):
            text = f"{tokens} {answer}"
            texts[text] = goal(f"{predicate} {sequence(tokens, one, kind)} = {answer}", "by [].")
            expected[text] = allowed == (answer == "true")
    assert {*expected.values()} == {True, False}
    assert {is_refused(check, tokens) for tokens in inputs} == {True, False}
    assert accepted(TOPIC, texts) == expected


def index_inputs():
    return [tokens for tokens in number_sequences() if not is_refused(require_valid_index, tokens) and len(tokens) > 1]


def test_index_has_the_same_logits():
    texts, expected = {}, {}
    for tokens in index_inputs():
        query = tokens[-1] if isinstance(tokens[-1], int) else 0
        for place, angle in enumerate(index_logits(IndexCase(ONE_RADIAN, len(tokens)), query)):
            for wrong in (0, 1):
                steps = abs(angle.radians) + wrong
                logit = f"index_logit theta {sequence(tokens, number_token, 'number_token')} {place}"
                text = f"{tokens} {place} {wrong}"
                texts[text] = goal(
                    f"forall theta, {logit} = cos ({ratio(steps)} * theta)",
                    "move=> theta; rewrite /index_logit /=; first [congr cos; lra | rewrite -cos_neg; congr cos; lra].",
                )
                expected[text] = not wrong
    assert accepted(TOPIC, texts) == expected


def test_retrieval_has_the_same_logits():
    texts, expected = {}, {}
    for tokens in [*filter(lambda each: not is_refused(require_proper, each), pair_sequences()), *PROPER]:
        if len(tokens) < 2:
            continue
        for place, angle in enumerate(retrieval_logits(RetrievalInput(3, ONE_RADIAN, 2, tokens))):
            letters, steps = angle.turns * 3 / 2, angle.radians
            for wrong in (0, 1):
                logit = f"retrieval_logit 3 theta {sequence(tokens, pair_token, 'pair_token')} {place}"
                text = f"{tokens} {place} {wrong}"
                texts[text] = goal(
                    f"forall theta, {logit} = cos ({ratio(letters + wrong)} * omega 3 + {ratio(steps)} * theta)",
                    "move=> theta; rewrite /retrieval_logit; congr cos; rewrite /=; lra.",
                )
                expected[text] = not wrong
    assert accepted(TOPIC, texts) == expected


# -- gaps ----------------------------------------------------------------------------------------------------------


def logit_rows(seed=5):
    source = random.Random(seed)
    return [[source.choice(SIXTHS) for _ in range(size)] for size in (2, 2, 2, 3, 3, 3, 4, 4, 4, 4)] + [SIXTHS[:1] * 3]


def row_text(values):
    return f"(nth 0 [:: {'; '.join(map(ratio, values))}])"


MIDDLE = {"gap": "split=> //", "positive_gap": "split; [rewrite /=; lra |]"}


@pytest.mark.parametrize(("predicate", "definition"), [("gap", gap), ("positive_gap", positive_gap)])
def test_gaps_are_the_same(predicate, definition):
    """Of all the differences of two logits the one that Python computes, and no other, is shown to be the gap."""
    texts, expected = {}, {}
    for number, row in enumerate(logit_rows()):
        values = [exact(((1, angle),)) for angle in row]
        found = definition(row)
        right = None if found is None else exact(found)
        for top in range(len(row)):
            for second in range(len(row)):
                value = values[top] - values[second]
                if top == second or values[top] != max(values):
                    continue
                text = f"{number} {top} {second}"
                texts[text] = goal(
                    f"{predicate} {len(row)} {row_text(values)} {ratio(value)}",
                    f"exists {top}%N, {second}%N; split; [split=> // | split; [split=> //; {MIDDLE[predicate]} | "
                    "rewrite /=; lra]]; move=> [|[|[|[|?]]]] //=; first [move=> *; lra | by move=> _ /(_ (erefl _))].",
                )
                expected[text] = value == right
    assert {*expected.values()} == {True, False}
    assert accepted(TOPIC, texts) == expected


# -- exact values --------------------------------------------------------------------------------------------------

COSINES = {
    "0": "cos_0",
    "PI / 3": "cos_PI3",
    "PI / 2": "cos_PI2",
    "2 * (PI / 3)": "cos_2PI3",
    "3 * (PI / 2)": "cos_3PI2",
    "PI": "cos_PI",
    "2 * PI": "cos_2PI",
}


def multiples(theta, count):
    """`INR u * theta` for u = 1 .. count, as angles above; the angle PI has the multiples PI and 2 PI, and so on."""
    names = {
        "PI / 3": ["PI / 3", "2 * (PI / 3)", "PI"],
        "PI / 2": ["PI / 2", "PI", "3 * (PI / 2)", "2 * PI"],
        "PI": ["PI", "2 * PI"],
        "0": ["0"] * 9,
    }[theta]
    return [(f"INR {u} * ({theta})", names[u - 1]) for u in range(1, count + 1)]


ANGLES = {"PI / 3": Angle(Fraction(1, 3)), "PI / 2": Angle(Fraction(1, 2)), "PI": Angle(Fraction(1)), "0": SIXTHS[0]}


def index_values():
    for theta, most in (("PI / 3", 4), ("PI / 2", 5), ("PI", 3), ("0", 6)):
        for n in range(2, most + 1):
            case = IndexCase(ANGLES[theta], n)
            gaps = [exact(each) for each in index_gaps(case)]
            yield f"largest (index_gaps ({theta}) {n})", "dyn_def3_1_index_largest", theta, n // 2, max(gaps), n
            yield f"smallest (index_gaps ({theta}) {n})", "dyn_def3_1_index_smallest", theta, n - 1, min(gaps), n


def best_facts(theta, reach):
    """The best cosines up to each distance, m1, m2, and so on, from the cosines c1, c2, and so on."""
    best, facts = Fraction(-1), f"have m0 : best_cosine ({theta}) 0 = -1 by []. "
    for u in range(1, reach + 1):
        best = max(best, RATIONAL[turns(ANGLES[theta], u)])
        step = f"best_cosine ({theta}) {u} = Rmax (best_cosine ({theta}) {u - 1}) (cos (INR {u} * ({theta})))"
        maximum = "first [rewrite Rmax_left; lra | rewrite Rmax_right; lra]"
        facts += f"have m{u} : best_cosine ({theta}) {u} = {ratio(best)}. "
        facts += f"have -> : {step} by []. rewrite m{u - 1} c{u}; {maximum}. "
    return facts


def test_index_has_the_same_largest_and_smallest_gaps():
    texts, expected = {}, {}
    for reading, theorem, theta, reach, value, n in index_values():
        for wrong in (0, Fraction(1, 4)):
            equal = "".join(
                f"have c{u} : cos (INR {u} * ({theta})) = {ratio(RATIONAL[turns(ANGLES[theta], u)])}. "
                f"rewrite (_ : {argument} = {name}); [rewrite {COSINES[name]}; lra | rewrite /=; lra]. "
                for u, (argument, name) in enumerate(multiples(theta, reach), start=1)
            )
            text = f"{reading} {wrong}"
            texts[text] = goal(
                f"{reading} {ratio(value + wrong)}",
                f"{equal}{best_facts(theta, reach)}"
                f"suff <- : 1 - best_cosine ({theta}) {reach} = {ratio(value + wrong)} "
                f"by have := {theorem} ({theta}) (isT : (2 <= {n})%N); first [by [] | by case]. "
                f"rewrite m{reach}; lra.",
            )
            expected[text] = not wrong
    assert accepted(TOPIC, texts) == expected


def turns(angle, times):
    """A multiple of the angle in turns of pi, folded to 0 .. 1."""
    share = angle.turns * times % 2
    return min(share, 2 - share)


def retrieval_values():
    """Letters, n, the angle; Python's values; and what the closed forms say of them."""
    cases = [(2, 2, "PI / 3"), (3, 2, "PI / 3"), (2, 2, "PI / 2"), (2, 3, "0"), (3, 3, "0"), (4, 2, "0"), (6, 2, "0")]
    for letters, n, theta in cases:
        case = RetrievalCase(letters, ANGLES[theta], 2, n)
        yield case, theta, exact(largest_gap(case)), exact(best_wrong_letter(case)), exact(smallest_wrong_gap(case))


NAMES = {Fraction(0): "0", Fraction(1, 3): "PI / 3", Fraction(1, 2): "PI / 2", Fraction(2, 3): "2 * (PI / 3)", 1: "PI"}


def cosine_fact(name, argument, angle):
    folded = turns(angle, 1)
    return (
        f"have {name} : cos ({argument}) = {ratio(RATIONAL[folded])}. "
        f"rewrite (_ : {argument} = {NAMES[folded]}); [rewrite {COSINES[NAMES[folded]]}; lra "
        "| rewrite /omega /=; lra]. "
    )


def test_retrieval_has_the_same_values():
    texts, expected = {}, {}
    pi = "have pi := PI_RGT_0. "
    for case, theta, largest, letter, lead in retrieval_values():
        count, n, angle, omega = case.letters, case.n, case.theta, case.omega
        far = cosine_fact("far", f"omega {count} - INR {n - 1} * ({theta})", omega - angle * (n - 1))
        near = cosine_fact("near", f"INR {n - 2} * ({theta})", angle * (n - 2))
        if count % 2:
            own = cosine_fact("own", f"omega {count} / 2 - {theta}", omega * Fraction(1, 2) - angle)
        else:
            own = cosine_fact("own", f"INR {n - 1} * ({theta})", angle * (n - 1))
        apply = f"{count} {n} ({theta}) isT isT ltac:(lra) ltac:(rewrite /omega /=; lra)"
        readings = {
            f"largest (retrieval_gaps {count} ({theta}) {n})": (largest, own, "retrieval_largest", "own"),
            f"best_wrong_letter {count} ({theta}) {n}": (letter, far, "retrieval_best_wrong_letter", "far"),
            f"smallest (retrieval_leads {count} ({theta}) {n})": (
                lead, far + near, "retrieval_smallest_lead", "far near"),
        }  # fmt: skip
        for reading, (value, facts, theorem, names) in readings.items():
            for wrong in (0, Fraction(1, 4)):
                texts[f"{reading} {wrong}"] = goal(
                    f"{reading} {ratio(value + wrong)}",
                    f"{pi}{facts}have := @dyn_def3_1_{theorem} {apply}. "
                    f"rewrite ?[odd _]/= ?[{n}.-1]/= ?[{n}.-2]/= ?[{n - 1}.-1]/= {names} => it. "
                    f"match type of it with ?f ?v => have -> : {ratio(value + wrong)} = v; [lra | exact: it] end.",
                )
                expected[f"{reading} {wrong}"] = not wrong
    assert accepted(TOPIC, texts) == expected


# -- bounds --------------------------------------------------------------------------------------------------------


def bound_texts():
    """For each theorem a consequence at numbers, and the same with a bound that is too good."""
    share = "have c : cos (2 * PI / INR 3) = - / 2 by rewrite (_ : 2 * PI / INR 3 = 2 * (PI / 3)); "
    third = f"{share}[rewrite cos_2PI3; lra | rewrite /=; field]. "
    quarter = "have c : cos (2 * PI / INR 4) = 0 by rewrite (_ : 2 * PI / INR 4 = PI / 2); "
    fourth = f"{quarter}[exact: cos_PI2 | rewrite /=; field]. "
    omega_3 = "have w : omega 3 = 2 * (PI / 3) by rewrite /omega /=; field. "
    yield (
        "forall theta g, largest (index_gaps theta 4) g -> g <= {}", ("3 / 2", "149 / 100"),
        third + "move=> theta g /(dyn_thm3_2_index_sharp (n := 4) isT)[_ [+ _]]; rewrite [4./2.+1]/= c; lra.",
    )  # fmt: skip
    yield (
        "forall theta g, letter_gaps theta 4 g -> g <= {}", ("1", "99 / 100"),
        fourth + "move=> theta g /(dyn_thm3_2_index_best_other_sharp (n := 4) isT)[_ [+ _]]; rewrite c; lra.",
    )  # fmt: skip
    yield (
        "forall theta g, letter_gaps theta 10 g -> g <= {} * PI ^ 2", ("2 / 100", "1 / 100"),
        "move=> theta g /(dyn_thm3_2_index_best_other (n := 10) isT)[_ [_]]; rewrite /=; lra.",
    )  # fmt: skip
    yield (
        "forall theta g, index_gaps theta 9 g -> g <= {} * PI ^ 2", ("8 / 100", "7 / 100"),
        "move=> theta g /(dyn_thm3_2_positional_decay (n := 9) isT)[_]; rewrite /=; lra.",
    )  # fmt: skip
    yield (
        "forall theta, (forall (u : nat) (k : Z), (1 <= u <= 9)%N -> INR u * theta <> 2 * PI * IZR k) -> "
        "exists g, index_positive_gaps theta 10 g /\\ g <= {} * PI ^ 2", ("2 / 100", "1 / 100"),
        "move=> theta no; have [g [[here _] [_ le]]] := dyn_thm3_2_index_smallest_positive_no_alias "
        "(n := 10) isT no; exists g; split=> //; move: le; rewrite /=; lra.",
    )  # fmt: skip
    yield (
        "exists g, smallest (retrieval_positive_gaps 3 (PI / 6) 3) g /\\ g <= {}", ("14 / 100", "13 / 100"),
        omega_3 + "have pi := PI_RGT_0. have [g [least [_ le]]] := @dyn_thm3_2_retrieval_smallest_positive_within "
        "3 3 (PI / 6) isT isT ltac:(lra) ltac:(rewrite w /=; lra). exists g; split=> //; move: le; "
        "rewrite w (_ : 2 * (PI / 3) - INR 3 * (PI / 6) = PI / 6); [|rewrite /=; field]; rewrite cos_PI6; "
        "have := sqrt_sqrt 3; have := sqrt_pos 3; nra.",
    )  # fmt: skip
    yield (
        "exists g, largest (retrieval_gaps 5 (PI / 30) 4) g /\\ g > {}", ("1", "3 / 2"),
        "have pi := PI_RGT_0. exact: (@dyn_thm3_2_symbolic_stays_allowed_angles_definition 5 5 4 (PI / 30) isT isT isT "
        "isT ltac:(lra) ltac:(rewrite /omega /=; lra)).",
    )  # fmt: skip
    yield (
        "exists v, best_wrong_letter 3 (PI / 16) 4 v /\\ v > {}", ("1 / 2", "3 / 2"),
        omega_3 + "have pi := PI_RGT_0. have := @dyn_thm3_2_symbolic_stays_allowed_angles_best_wrong_letter 3 5 4 "
        "(PI / 16) isT isT isT isT ltac:(lra) ltac:(rewrite w /=; lra). "
        "rewrite w (_ : 2 * (PI / 3) / 2 = PI / 3); [|field]; rewrite cos_PI3. "
        "by move=> [v [it gt]]; exists v; split=> //; lra.",
    )  # fmt: skip
    yield (
        "exists g, smallest (retrieval_leads 2 (PI / 9) 4) g /\\ g < {} * PI", ("1 / 2", "1 / 3"),
        "have pi := PI_RGT_0. have w : omega 2 = PI by exact: omega_2. "
        "have [g [it lt]] := @dyn_thm3_2_symbolic_stays_allowed_angles_no_constant 2 4 4 (PI / 9) (PI / 2) isT isT isT "
        "erefl ltac:(rewrite w /=; lra) ltac:(rewrite w /=; lra) ltac:(rewrite w /=; lra). "
        "by exists g; split=> //; lra.",
    )  # fmt: skip
    yield (
        "exists g, smallest (retrieval_positive_gaps 2 (PI / 9) 7) g /\\ g < {} * PI ^ 2", ("1 / 128", "1 / 256"),
        "have pi := PI_RGT_0. have w : omega 2 = PI by exact: omega_2. "
        "have [g [it [_ lt]]] := @dyn_thm3_2_symbolic_stays_allowed_angles_smallest_positive_decay 2 4 7 (PI / 9) "
        "(PI ^ 2 / 128) isT isT isT ltac:(lra) ltac:(rewrite w /=; lra) ltac:(rewrite w /=; lra). "
        "by exists g; split=> //; move: lt; rewrite /=; lra.",
    )  # fmt: skip
    yield (
        "smallest (retrieval_leads 4 0 9) {}", ("1", "2"),
        "have [it _] := dyn_thm3_2_symbolic_stays (L := 4) (n := 9) isT isT (erefl 0); move: it. "
        "rewrite /omega (_ : 2 * PI / INR 4 = PI / 2); [|rewrite /=; field]. by rewrite cos_PI2 Rminus_0_r.",
    )  # fmt: skip
    yield (
        "exists g, smallest (retrieval_leads 2 0 3) g /\\ {} * (2 * sin (PI / 2 - PI / 12) * sin (PI / 4)) < g",
        ("1", "2"),
        "have pi := PI_RGT_0. have w : omega 2 = PI by exact: omega_2. have [g [it lt]] := "
        "@dyn_thm3_2_symbolic_stays_allowed_angles_infimum 2 3 3 0 isT isT isT ltac:(lra) ltac:(rewrite w /=; lra). "
        "exists g; split=> //; move: lt; rewrite w (_ : PI / (4 * INR 3) = PI / 12); [|rewrite /=; field]. "
        "by rewrite (_ : 3 * PI / (4 * INR 3) = PI / 4); [lra | rewrite /=; field].",
    )  # fmt: skip


def test_bounds_have_their_consequences_and_no_better_ones():
    texts, expected = {}, {}
    for statement, numbers, script in bound_texts():
        for number, right in zip(numbers, (True, False), strict=True):
            text = statement.format(f"({number})")
            texts[text], expected[text] = goal(text, script), right
    assert accepted(TOPIC, texts) == expected


def below(total, bound):
    return compare(total, ((Fraction(bound), SIXTHS[0]),))


def test_python_finds_the_same_bounds_sharp():
    """The bounds above by the Python definitions: what holds at every angle tried, and where it is met."""
    tried = [Angle(Fraction(turns, 30), Fraction(radians, 7)) for turns in range(0, 61, 5) for radians in (0, 1)]
    assert max(below(max_gap(IndexCase(theta, 4)), Fraction(3, 2)) for theta in tried) == 0
    assert below(max_gap(IndexCase(Angle(Fraction(2, 3)), 4)), Fraction(149, 100)) > 0
    assert max(below(index_gaps(IndexCase(theta, 4))[0], 1) for theta in tried) == 0
    assert below(index_gaps(IndexCase(Angle(Fraction(1, 2)), 4))[0], Fraction(99, 100)) > 0
    assert below(index_gaps(IndexCase(Angle(Fraction(1, 5)), 10))[0], Fraction(987, 10000)) > 0  # 1 pi^2 / 100
    assert below(max_gap(IndexCase(Angle(Fraction(2, 5)), 9)), Fraction(69087, 100000)) > 0  # 7 pi^2 / 100
    assert below(smallest_positive_gap(RetrievalCase(3, Angle(Fraction(1, 6)), 2, 3)), Fraction(14, 100)) < 0
    assert below(smallest_positive_gap(RetrievalCase(3, Angle(Fraction(1, 6)), 2, 3)), Fraction(13, 100)) > 0
    assert below(largest_gap(RetrievalCase(5, Angle(Fraction(1, 30)), 5, 4)), 1) > 0
    assert below(best_wrong_letter(RetrievalCase(3, Angle(Fraction(1, 16)), 5, 4)), Fraction(1, 2)) > 0
    assert below(smallest_wrong_gap(RetrievalCase(2, Angle(Fraction(1, 9)), 4, 4)), Fraction(157, 100)) < 0  # pi / 2
    assert exact(smallest_wrong_gap(RetrievalCase(4, SIXTHS[0], 2, 3))) == 1


def max_gap(case):
    gaps = index_gaps(case)
    best = gaps[0]
    for each in gaps:
        best = each if compare(each, best) > 0 else best
    return best


# -- what fails ----------------------------------------------------------------------------------------------------


def refuted():
    return [name for name, theorem in theorems(TOPIC).items() if theorem.negated and "thm3_2" in name]


@pytest.mark.parametrize("name", refuted())
def test_the_counterexample_refutes_the_python_claim(name):
    statement = next(c.statement for c in CLAIMS if identifier(c.id) + "_fails" == name)
    assert statement.refuted_by(statement.case_type.of_json(theorems(TOPIC)[name].case))


def test_python_finds_the_values_that_refute():
    assert exact(max_gap(IndexCase(Angle(Fraction(2, 3)), 4))) == Fraction(3, 2)
    assert {exact(each) for each in index_positive_gaps(IndexCase(Angle(Fraction(1)), 4))} == {2}
    assert exact(best_other(IndexCase(Angle(Fraction(1, 2)), 5), 3)) == 1


def test_pi_is_irrational_and_what_is_rational_is_not():
    statement = "irrational ({})"
    script = "exact: (irrational_scaled (a := 2) (b := 3) ltac:(lia) ltac:(lia))."
    texts = {
        "two thirds of pi": goal(statement.format("2 / 3 * PI"), script),
        "two thirds": goal(statement.format("2 / 3"), script),
        "no": goal("~ irrational (2 / 3)", "by move=> no; case: (no 2%Z 3%Z); [lia | lra]."),
    }
    assert accepted(TOPIC, texts) == {"two thirds of pi": True, "two thirds": False, "no": True}
