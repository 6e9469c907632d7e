"""The Coq statements about interaction and additivity against the Python ones: same numbers on the same cases."""

import itertools
import random
from fractions import Fraction

import pytest

from headproof.checks.engines import coq
from headproof.checks.engines.kernel import accepted
from headproof.checks.registry import claims
from headproof.theory.angles import Angle
from headproof.theory.cases import RotaryCase, TableCase
from headproof.theory.disentanglement.cases import STILL, InteractionCase, PolarCase, TurningCase, square, turn
from headproof.theory.disentanglement.exclusion_claims import _remainder
from headproof.theory.disentanglement.heads import axes, power, resultant_square, scatters
from headproof.theory.disentanglement.tables import double_differences, effects, mean_square, mean_square_effect
from headproof.theory.statements import IS_ADDITIVE

pytestmark = pytest.mark.skipif(coq.coqc() is None, reason=coq.MISSING)

TOPIC = "disentanglement"
SUMS = "rewrite ?big_ord_recl ?big_ord0"


def number(value):
    value = Fraction(value)
    return f"({value.numerator} / {value.denominator})" if value.denominator > 1 else f"({value.numerator})"


def listed(values):
    return "[:: " + "; ".join(values) + "]"


def vector(pair):
    return f"({number(pair[0])}, {number(pair[1])})"


def table_text(rows):
    entries = listed(listed(map(number, row)) for row in rows)
    return f"let M := fun a b : 'I_{len(rows)} => nth 0 (nth [::] {entries} a) b in "


def vectors_text(pairs):
    return f"(fun i : 'I_{len(pairs)} => nth (0, 0) {listed(map(vector, pairs))} i)"


def key(place, size):
    return f"(@Ordinal {size} {place} isT)"


def random_rows(source, size):
    return [[Fraction(source.randint(-6, 6), source.randint(1, 2)) for _ in range(size)] for _ in range(size)]


def equal(statement, value, script):
    """The goal that a term is a number, after what its hypotheses and abbreviations are."""
    return f"Goal {statement} = {number(value)}. Proof. {script} Qed."


def require_right_alone(right, wrong):
    """The kernel takes each of the right goals and none of the wrong ones."""
    assert right
    assert wrong
    found = accepted(
        TOPIC,
        {f"right {n}": text for n, text in enumerate(right)} | {f"wrong {n}": text for n, text in enumerate(wrong)},
    )
    assert [name for name, well in found.items() if well] == [f"right {n}" for n in range(len(right))]


# -- tables --------------------------------------------------------------------------------------------------------

EFFECT = "rewrite /effect /grand_mean /row_mean /column_mean /mean"
REST = "2 * (variance (row_mean (off M)) + variance (column_mean (off M)) + grand_mean (off M) ^ 2)"


def table_values(case):
    """Terms of Coq, what they are by Python, and what there is to unfold."""
    size, rows = case.size, case.rows
    places = (0, size - 1), (size - 1, 0)
    for a, b in places:
        yield f"effect M {key(a, size)} {key(b, size)}", effects(rows)[a][b], EFFECT
    (a, b), far = places
    places = " ".join(key(place, size) for place in (a, far[0], b, far[1]))
    double = rows[a][b] - rows[far[0]][b] - rows[a][far[1]] + rows[far[0]][far[1]]
    assert double in double_differences(rows)
    yield f"double_difference M {places}", double, "rewrite /double_difference"
    mean = f"1 / INR {size} ^ 2 * sum_(a < {size}) sum_(b < {size}) effect M a b ^ 2"
    yield mean, mean_square_effect(case), EFFECT
    if size < 3:
        yield REST, _remainder(case), "rewrite /variance /grand_mean /row_mean /column_mean /mean /off /lambda"


def test_effects_and_their_mean_squares_are_those_of_python():
    source = random.Random(5)
    cases = [TableCase.of(random_rows(source, size)) for size in (1, 2, 2, 3)]
    right, wrong = [], []
    for n, case in enumerate(cases):
        for term, value, unfold in table_values(case):
            script = f"move=> M; {unfold} {SUMS.removeprefix('rewrite ')} /M /=; field."
            right.append(equal(table_text(case.rows) + term, value, script))
            if n == 1:
                wrong.append(equal(table_text(case.rows) + term, value + Fraction(1, 7), script))
    require_right_alone(right, wrong)


def test_the_mean_of_squared_double_differences_is_what_the_theorem_says():
    source = random.Random(6)
    right, wrong = [], []
    for size in (1, 2):
        rows = random_rows(source, size)
        value = mean_square(double_differences(rows))
        index = " ".join(f"sum_({letter} < {size})" for letter in ("a", "a0", "b", "b0"))
        term = f"1 / INR {size} ^ 4 * {index} double_difference M a a0 b b0 ^ 2"
        script = f"move=> M; have [_ ->] := gen_additive_mean M; {EFFECT} {SUMS.removeprefix('rewrite ')} /M /=; field."
        right.append(equal(table_text(rows) + term, value, script))
        wrong.append(equal(table_text(rows) + term, value + 1, script))
    require_right_alone(right, wrong)


def additive_rows(source, size):
    parts = random_rows(source, size)
    return [[content + position for position in parts[0]] for content in (parts[-1] if size > 1 else [Fraction(3)])]


def test_tables_are_additive_where_python_says_so():
    source = random.Random(7)
    right, wrong, verdicts = [], [], set()
    cases = [random_rows(source, 2), random_rows(source, 3), [[1, 0], [0, 1]], [[0, 1, -1], [-1, 0, 1], [1, -1, 0]]]
    for rows in [*cases, *(additive_rows(source, size) for size in (1, 2, 3))]:
        case = TableCase.of(rows)
        size = case.size
        verdict = IS_ADDITIVE.holds(case)
        assert claims()["gen.additive.interaction"].statement.conclusion(case)
        parts = "exists c d : 'I_SIZE -> R, forall a b, M a b = c a + d b".replace("SIZE", str(size))
        cut = "move=> [" + "[|" * size + "?" + "]" * size + " ?]"
        if verdict:
            script = "move=> M; apply/gen_additive_interaction; " + " ".join([f"{cut};"] * 4)
            script += " rewrite ?ltn0 // /M /=; lra."
        else:
            places = next(
                place
                for place in itertools.product(range(size), repeat=4)
                if rows[place[0]][place[2]]
                - rows[place[1]][place[2]]
                - rows[place[0]][place[3]]
                + rows[place[1]][place[3]]
            )
            at = " ".join(key(place, size) for place in places)
            script = f"move=> M /(proj2 (gen_additive_interaction M)) /(_ {at}); rewrite /M /=; lra."
        right.append(f"Goal {table_text(case.rows)}{'' if verdict else '~ '}({parts}). Proof. {script} Qed.")
        wrong.append(f"Goal {table_text(case.rows)}{'~ ' if verdict else ''}({parts}). Proof. {script} Qed.")
        verdicts.add(verdict)
    assert verdicts == {True, False}
    require_right_alone(right, wrong)


# -- planes --------------------------------------------------------------------------------------------------------


def random_interaction(source, planes):
    def numbers():
        return tuple(Fraction(source.randint(-4, 4), source.randint(1, 2)) for _ in range(planes))

    tangents = tuple(Fraction(source.randint(-3, 3), source.randint(1, 3)) for _ in range(planes))
    distances = source.sample(range(4), 2)
    return InteractionCase(tangents, *(numbers() for _ in range(6)), *distances)


def assume(case):
    """The planes' angles as variables, with the cosine and sine of each multiple that the case needs."""
    names = [f"t{f}" for f in range(len(case.tangents))]
    known, used = [], []
    for name, tangent in zip(names, case.tangents, strict=True):
        for by in (case.distance, case.other_distance):
            cosine, sine = turn(tangent, 2 * by)
            known += [f"cos ({name} * {by}) = {number(cosine)}", f"sin ({name} * {by}) = {number(sine)}"]
        known.append(
            f"sin ({name} * ({case.distance} - {case.other_distance}) / 2) = "
            f"{number(turn(tangent, case.distance - case.other_distance)[1])}"
        )
    used = [f"H{n}" for n in range(len(known))]
    statement = f"forall {' '.join(names)} : R, " + "".join(f"{each} -> " for each in known)
    return statement, f"move=> {' '.join(names + used)}", "rewrite " + " ".join(f"?{each}" for each in used), names


def interaction_goals(case, error=Fraction(0)):
    """The interaction and its planes' parts, the missed parts and the squares of the bounds."""
    known, intro, use, names = assume(case)
    planes = len(names)
    theta = f"(fun f : 'I_{planes} => nth 0 {listed(names)} f)"
    q, k, k0 = (vectors_text([each[part] for each in case.vectors]) for part in range(3))
    at = f"{case.distance} {case.other_distance}"
    script = f"{intro}; rewrite /interaction /logit {SUMS.removeprefix('rewrite ')} /dot /turn /=; {use}; field."
    yield equal(f"{known}interaction {theta} {q} {k} {k0} {at}", case.interaction + error, script)
    for f, (name, vectors) in enumerate(zip(names, case.vectors, strict=True)):
        q, k, k0 = map(vector, vectors)
        for product, values in (("dot", case.interactions), ("cross", case.across)):
            script = f"{intro}; rewrite /double /{product} /turn /=; {use}; field."
            yield equal(f"{known}double {product} {name} {q} {k} {k0} {at}", values[f] + error, script)
        sine = f"sin ({name} * ({case.distance} - {case.other_distance}) / 2)"
        bound = f"2 * norm {q} * norm (minus {k} {k0}) * Rabs ({sine})"
        script = f"{intro}; rewrite !Rpow_mult_distr !norm_pow pow2_abs /dot /minus /=; {use}; field."
        yield equal(f"{known}({bound}) ^ 2", case.bound_squares[f] + error, script)


def test_the_interaction_and_its_bound_are_those_of_python():
    source = random.Random(8)
    cases = [random_interaction(source, planes) for planes in (1, 1, 1, 2, 2, 3)]
    assert any(case.interaction for case in cases)
    right = [goal for case in cases for goal in interaction_goals(case)]
    wrong = [goal for case in cases[2:4] for goal in interaction_goals(case, Fraction(1, 5))]
    require_right_alone(right, wrong)


def test_the_steepest_keys_attain_the_bound():
    """The direction in the theorem is Python's."""
    source = random.Random(9)
    right, wrong = [], []
    for case in (random_interaction(source, 1) for _ in range(4)):
        known, intro, use, _ = assume(case)
        direction = f"minus (turn (- (t0 * {case.distance})) Q) (turn (- (t0 * {case.other_distance})) Q)"
        direction = direction.replace("Q", vector(case.vectors[0][0]))
        script = f"{intro}; rewrite /minus /turn !cos_neg !sin_neg /=; {use}; congr (_, _); field."
        x, y = case.steepest[0]
        right.append(f"Goal {known}{direction} = {vector((x, y))}. Proof. {script} Qed.")
        wrong.append(f"Goal {known}{direction} = {vector((x + 1, y))}. Proof. {script} Qed.")
    require_right_alone(right, wrong)


LENGTHS = """
Lemma along x : 0 <= x -> norm (x, 0) = x.
Proof. by move=> pos; rewrite /norm /dot /= Rmult_0_r Rplus_0_r; exact: sqrt_square. Qed.
Lemma polar x phi : 0 <= x -> norm (minus (x * cos phi, x * sin phi) (0, 0)) = x.
Proof.
move=> pos; rewrite /norm /dot /minus /= !Rminus_0_r -[RHS](sqrt_square x) //; congr sqrt.
have -> : x * cos phi * (x * cos phi) + x * sin phi * (x * sin phi) =
  x * x * (sin phi * sin phi + cos phi * cos phi) by ring.
by rewrite sin_sqr; ring.
Qed.
Lemma turned_part x y phi t d d0 : interaction (fun _ : 'I_1 => t) (fun=> (x, 0)) (fun=> (y * cos phi, y * sin phi))
  (fun=> (0, 0)) d d0 = x * y * cos (t * d + phi) - x * y * cos (t * d0 + phi).
Proof. by rewrite /interaction /logit !big_ord_recl !big_ord0 /dot /turn /= !cos_plus; ring. Qed.
"""


def polar_case(turns, phase, query, length, distances, quiet=0, eps=0, eta=STILL):
    rows = [(Fraction(each),) for each in (turns, phase, query, length, quiet)]
    return PolarCase(*rows, *distances, eps=Fraction(eps), eta=eta)


def multiple(value):
    return f"({number(value)} * PI)"


POLAR = [
    polar_case("1/7", "1/3", "3/2", 2, (3, 1)),
    polar_case("1/5", "2/3", 1, "1/2", (0, 2)),
    polar_case("3/2", 0, 2, 3, (1, 0)),
]


def polar_goal(case, bound, script):
    """`|I| <= bound` in one plane, with Python's cosines."""
    t, phi, x, y = (each[0] for each in (case.turns, case.phases, case.queries, case.keys))
    here, there = (f"cos ({multiple(t)} * {d} + {multiple(phi)})" for d in (case.distance, case.other_distance))
    size = number(x * y)
    arguments = (
        f"(fun _ : 'I_1 => {multiple(t)}) (fun _ => ({number(x)}, 0)) "
        f"(fun _ => ({number(y)} * cos {multiple(phi)}, {number(y)} * sin {multiple(phi)})) (fun _ => (0, 0)) "
        f"{case.distance} {case.other_distance}"
    )
    return (
        f"Goal Rabs ({size} * {here} - {size} * {there}) <= {bound}. Proof. have pi := PI_RGT_0. "
        f"have angle : Rabs ({case.distance} - {case.other_distance}) = {case.shift} by split_Rabs; lra. "
        f"{script.replace('ARGUMENTS', arguments)} rewrite turned_part ?big_mkcond !big_ord_recl !big_ord0 /=. "
        f"rewrite ?along ?polar ?angle; try lra. "
        f"have -> : {number(x)} * {number(y)} = {size} by lra. move=> most; lra. Qed."
    )


@pytest.mark.parametrize("name", ["gen.thm2.slow", "gen.thm2.pattern"])
def test_polar_planes_have_the_bounds_of_python(name):
    """Python's consequence in cosines follows from the theorem, and Python confirms it; half of the bound does not."""
    right, wrong = [], []
    for case in POLAR:
        t, x, y = case.turns[0], case.queries[0], case.keys[0]
        if name == "gen.thm2.slow":
            assert claims()[name].statement.conclusion(case)
            bound = f"{number(x * y)} * Rmin 2 ({multiple(t)} * {case.shift})"
            script = "have [+ _] := @gen_thm2_slow 1 ARGUMENTS (fun _ => ltac:(move=> /=; lra))."
        else:
            marked = polar_case(
                t, case.phases[0], x, y, (case.distance, case.other_distance), eta=Angle(t * case.shift)
            )
            quiet = polar_case(t, case.phases[0], x, y, (case.distance, case.other_distance), quiet=1, eps=y)
            for each in (marked, quiet):
                assert claims()[name].statement.refuted_by(each) is False
            bound = f"({multiple(t)} * {case.shift}) * {number(x * y)}"
            premises = (
                "(fun _ => ltac:(move=> /=; lra)) (fun _ no => ltac:(by [])) (fun _ _ => ltac:(rewrite angle; lra))"
            )
            script = (
                f"have := @gen_thm2_pattern 1 ARGUMENTS 0 ({multiple(t)} * {case.shift}) (fun _ => false) {premises}."
            )
        right.append(polar_goal(case, bound, script))
        wrong.append(polar_goal(case, f"({bound}) / 2", script))
    require_right_alone([LENGTHS + right[0], *right[1:]], wrong)


# -- vectors that turn ---------------------------------------------------------------------------------------------

TURNING = [TurningCase(Fraction(t), m) for t, m in (("1/2", 1), ("1/3", 2), ("-2/3", 3), ("3", 4), ("1/5", 3))]


def test_sums_of_turned_vectors_are_those_of_python():
    right, wrong = [], []
    for case in TURNING:
        m, t = case.count, case.tangent
        values = [turn(t, 2 * b) for b in range(m + 1)]
        cosines, sines = (listed(number(each[part]) for each in values) for part in range(2))
        known = (
            f"forall t : R, (forall b : 'I_{m}, cos (INR b.+1 * t) = nth 0 {cosines} b.+1) -> "
            f"(forall b : 'I_{m}, sin (INR b.+1 * t) = nth 0 {sines} b.+1) -> "
            f"sin (t / 2) ^ 2 = {number(turn(t, 1)[1] ** 2)} -> "
        )
        intro = "move=> t Hc Hs H"
        total = f"(sum_(b < {m}) cos (INR b.+1 * t)) ^ 2 + (sum_(b < {m}) sin (INR b.+1 * t)) ^ 2"
        script = f"{intro}; rewrite (key_eq Hc) (key_eq Hs) {SUMS.removeprefix('rewrite ')} /=; field."
        right.append(equal(known + total, square(case.total), script))
        wrong.append(equal(known + total, square(case.total) + 1, script))
        script = f"{intro}; have [<- _] := gen_thm2_turning {m} t; rewrite (key_eq Hc) (key_eq Hs) H "
        script += f"{SUMS.removeprefix('rewrite ')} /=; field."
        value = turn(t, m)[1] ** 2  # sin(m theta / 2)^2
        assert claims()["gen.thm2.turning"].statement.conclusion(case)
        right.append(equal(f"{known}sin (INR {m} * t / 2) ^ 2", value, script))
        wrong.append(equal(f"{known}sin (INR {m} * t / 2) ^ 2", value / 2 + 1, script))
    require_right_alone(right, wrong)


def random_head(source, keys):
    t = Fraction(source.randint(1, 4), source.randint(1, 4))
    by = (1 - t * t) / (1 + t * t), 2 * t / (1 + t * t)

    def pair():
        return source.randint(-3, 3), Fraction(source.randint(-3, 3), 2)

    return RotaryCase.of([by], [pair()], [[pair()] for _ in range(keys)])


def test_scatter_and_mean_directions_are_those_of_python():
    source = random.Random(10)
    right, wrong = [], []
    for size in (1, 2, 3, 4):
        case = random_head(source, size)
        by = case.turns[0]
        whole = RotaryCase.of([(1, 0)], case.query, case.keys)
        goals = []
        unfold = f"rewrite /scatter /mean; rewrite (key_eq (fun a => norm_pow _)) {SUMS.removeprefix('rewrite ')}"
        script = f"{unfold} /dot /minus /mean_vec /mean {SUMS.removeprefix('rewrite ')} /=; field."
        goals.append((f"scatter {vectors_text([each[0] for each in case.keys])}", scatters(case)[0], script))
        half, all_half = (1 - by[0]) / 2, (1 - power(by, size)[0]) / 2
        known = (
            f"forall t : R, sin (t / 2) ^ 2 = {number(half)} -> sin (INR {size} * t / 2) ^ 2 = {number(all_half)} -> "
        )
        script = (
            f"move=> t H Hm; have no : sin (t / 2) <> 0 by (move=> none; move: H; rewrite none; lra). "
            f"rewrite (resultant_turns {size} no) pow2_abs /Rdiv Rpow_mult_distr pow_inv Rpow_mult_distr "
            f"-/(Rdiv _ 2) Hm H /=; field."
        )
        script = script.replace("pow_inv", "-Rinv_pow; last (apply: Rmult_integral_contrapositive; split=> //=; lra)")
        script = script.replace("; split=> //=; lra) Rpow", "; split=> //=; lra); rewrite Rpow")
        goals.append((f"{known}resultant {size} t ^ 2", resultant_square(by, size, size), script))
        goals.append(
            (
                f"forall t : R, sin (t / 2) = 0 -> resultant {size} t",
                resultant_square(whole.turns[0], size, size),
                "by move=> t still; rewrite resultant_still //; field.",
            )
        )
        known = f"forall t : R, sin t = {number(by[1])} -> sin (INR {size} * t) = {number(power(by, size)[1])} -> "
        script = "move=> t H Hm; rewrite signed_mean_turns H ?Hm /=; [field | lra]."
        goals.append((f"{known}(1 - signed_mean {size} t) / 2", axes(by, size)[1], script))
        for term, value, script in goals:
            right.append(equal(term, value, script))
            wrong.append(equal(term, value + 1, script))
    require_right_alone(right, wrong)
