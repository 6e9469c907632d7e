"""The Coq theorems about interaction in rotary heads, used by name at heads that Python has decided."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import pytest
from coq_words import Instance, assert_instances, place, real

from headproof.checks.engines import coq
from headproof.checks.registry import claims
from headproof.theory.cases import RotaryCase
from headproof.theory.disentanglement import roots
from headproof.theory.disentanglement.cases import InteractionCase, Vector, square, turn
from headproof.theory.disentanglement.heads import along_axis, axes, is_along_axis, resultant_square, scatters
from headproof.theory.disentanglement.tables import mean_square_effect

pytestmark = pytest.mark.skipif(coq.coqc() is None, reason=coq.MISSING)

FILE = "disentanglement"
BESIDE = Fraction(1, 97)
SUMS = "?big_ord_recl ?big_ord0"


def keys(count: int, size: int) -> str:
    """Brings one goal for each choice of so many keys, or planes."""
    return "move=> " + " ".join(["[" + "[|" * size + "?" + "]" * size + " ?]"] * count) + " //="


# -- planes --------------------------------------------------------------------------------------------------------

NORM = (
    "have norm_is x y r : 0 <= r -> x * x + y * y = r * r -> norm (x, y) = r "
    "by (move=> r0 e; rewrite /norm /dot /= e sqrt_square //). "
)


Lines = Sequence[tuple[Fraction | int, Fraction | int]]


def vector(pair: Vector) -> str:
    return f"({real(pair[0])}, {real(pair[1])})"


def vectors(pairs: Lines) -> str:
    return f"[:: {'; '.join(map(vector, pairs))}]"


def root(number: Fraction) -> Fraction:
    """The square root, which has to be rational."""
    found = roots.exact_root(number)
    assert found is not None
    return found


def most(case: InteractionCase) -> Fraction:
    """The bound of the interaction: all lengths are rational here."""
    return sum(map(root, case.bound_squares), Fraction(0))


def planes(
    tangents: Sequence[str], queries: Lines, differences: Lines, at: tuple[int, int] = (3, 1)
) -> InteractionCase:
    """A case whose other key is (1, 1/2) in every plane, and its key by these differences from it."""
    count = len(tangents)
    columns = [tuple(Fraction(each[x]) for each in queries) for x in range(2)]
    other = (Fraction(1),) * count, (Fraction(1, 2),) * count
    angles = tuple(map(Fraction, tangents))
    return InteractionCase(angles, *columns, *other, *other, *at).with_differences(tuple(differences))


def steep(factors: Sequence[int], tangents: Sequence[str], queries: Lines) -> InteractionCase:
    """Keys that differ by multiples of the directions in which the interaction is largest."""
    case = planes(tangents, queries, queries)
    scaled = [(x * by, y * by) for by, (x, y) in zip(factors, case.steepest, strict=True)]
    return case.with_differences(tuple((Fraction(x), Fraction(y)) for x, y in scaled))


TANGENTS, QUERIES = ("1/2", "-1/3"), ((3, 4), (Fraction(5, 2), -6))
GENERIC = [
    claims()["gen.thm2"].witness,
    planes(TANGENTS, QUERIES, ((4, 3), (-5, 12))),
    planes(TANGENTS, QUERIES, ((0, -2), (8, 6)), (0, 2)),
]
STEEP = {factors: steep(factors, TANGENTS, QUERIES) for factors in ((2, 0), (1, -2))}
STEEP |= {factors: steep(factors, ("2",), ((0, 1),)) for factors in ((3,), (-1,))}


def head(case: InteractionCase) -> str:
    """`theta`, `q`, `k` and `k0` for what follows: angles with Python's cosines and sines, and its vectors."""
    count, known = len(case.tangents), []
    shift = case.distance - case.other_distance
    for f, tangent in enumerate(case.tangents):
        for by in (case.distance, case.other_distance):
            cosine, sine = turn(tangent, 2 * by)
            known += [f"cos (t{f} * {by}) = {real(cosine)}", f"sin (t{f} * {by}) = {real(sine)}"]
        known.append(f"sin (t{f} * ({case.distance} - {case.other_distance}) / 2) = {real(turn(tangent, shift)[1])}")
    angles = [f"t{f}" for f in range(count)]
    lists = {"theta": ("0", f"[:: {'; '.join(angles)}]")}
    for name, which in (("q", 0), ("k", 1), ("k0", 2)):
        lists[name] = "(0, 0)", vectors([each[which] for each in case.vectors])
    return f"forall {' '.join(angles)} : R, {''.join(f'{each} -> ' for each in known)}" + "".join(
        f"let {n} := fun f : 'I_{count} => nth {z} {v} f in " for n, (z, v) in lists.items()
    )


def interaction(case: InteractionCase) -> str:
    return f"interaction theta q k k0 {case.distance} {case.other_distance}"


class Steps:
    """Tactics at a case, after `head`."""

    def __init__(self, case: InteractionCase):
        count = len(case.tangents)
        known = [f"H{n}" for n in range(5 * count)]
        self.intro = f"move=> {' '.join(f't{f}' for f in range(count))} {' '.join(known)} theta q k k0. "
        self.known = " ".join(f"?{each}" for each in known)
        self.each = keys(1, count)
        self.numbers = f"rewrite /double /cross /dot /turn /theta /q /k /k0 /=; rewrite {self.known}"
        at = f"{case.distance} - {case.other_distance}"
        self.bound = (
            f"sum_(f < {count}) (2 * norm (q f) * norm (minus (k f) (k0 f)) * Rabs (sin (theta f * ({at}) / 2)))"
        )
        differences = [(key[0] - other[0], key[1] - other[1]) for _, key, other in case.vectors]
        self.lengths, names = NORM, ""
        for f, ((query, key, other), difference) in enumerate(zip(case.vectors, differences, strict=True)):
            self.lengths += (
                f"have long{f} : norm {vector(query)} = {real(root(square(query)))} by (apply: norm_is; lra). "
                f"have apart{f} : norm (minus {vector(key)} {vector(other)}) = {real(root(square(difference)))} "
                "by (rewrite /minus /=; apply: norm_is; lra). "
            )
            names += f"?long{f} ?apart{f} "
        self.total = f"rewrite {SUMS} /theta /q /k /k0 /=; rewrite {names}{self.known}; split_Rabs; lra"


def test_the_interaction_is_at_most_what_python_computes():
    """The theorem alone tells something of the interaction here; where it is attained, less is false as well."""
    statement = claims()["gen.thm2"].statement
    instances, attained = [], set()
    for case in (*GENERIC, *STEEP.values()):
        assert statement.conclusion(case)
        attained.add(abs(case.interaction) == most(case))
        steps = Steps(case)
        script = f"{steps.intro}{steps.lengths}apply: Rle_trans (gen_thm2 _ _ _ _ _ _) _. {steps.total}."
        right, wrong = (f"{head(case)}Rabs ({interaction(case)}) <= {real(most(case) - by)}" for by in (0, BESIDE))
        instances.append(Instance("gen_thm2", right, wrong, script))
    assert attained == {True, False}
    assert_instances(FILE, instances)


def test_the_bound_is_attained_where_python_says_so():
    theorem = "gen_thm2_equality"
    statement = claims()["gen.thm2.equality"].statement
    instances = []
    generic = planes(("1/2",), ((3, 4),), ((4, 3),))
    for factors, case in ((None, generic), *STEEP.items()):
        assert statement.conclusion(case)
        steps, total = Steps(case), most(case)
        by_theorem = (
            f"{steps.intro}have := @{theorem} {len(case.tangents)} theta q k k0 {case.distance} "
            f"{case.other_distance}. rewrite /=; move=> [up [down steep]]. {steps.lengths}"
            f"have total : {steps.bound} = {real(total)} by ({steps.total}). "
        )
        for sign, which in ((1, "up"), (-1, "down")):
            attained = case.interaction == sign * total
            said = f"{head(case)}{interaction(case)} {{}} {{}}"
            if attained:
                right, wrong = said.format("=", real(case.interaction)), said.format("=", real(-sign * total + BESIDE))
                script = (
                    f"rewrite (proj2 {which}); first by rewrite total; lra. {steps.each}; {steps.numbers}; split; lra."
                )
            else:
                right, wrong = said.format("<>", real(sign * total)), said.format("<>", real(case.interaction))
                off = [f for f, part in enumerate(case.interactions) if case.across[f] or sign * part < 0]
                script = (
                    f"move=> same; move: (proj1 {which}); rewrite total same => every. "
                    f"have := every ltac:(lra) {place(off[0], len(case.tangents))}; {steps.numbers}; lra."
                )
            instances.append(Instance(theorem, right, wrong, by_theorem + script))
        if factors and min(factors) >= 0:
            right, wrong = (f"{head(case)}{interaction(case)} = {real(sign * case.interaction)}" for sign in (1, -1))
            exists = " | ".join(f"exists {by}" for by in factors)
            script = (
                f"rewrite steep; first by rewrite total; lra. {steps.each}; [{exists}]; (split; first lra); "
                f"rewrite /times /minus /turn /theta /q /k /k0 /= !cos_neg !sin_neg {steps.known}; congr (_, _); field."
            )
            instances.append(Instance(theorem, right, wrong, by_theorem + script))
    assert_instances(FILE, instances)


# -- tables of rotary heads ----------------------------------------------------------------------------------------


def rotary(tangents: Sequence[str], query: Lines, keys: Sequence[Lines]) -> RotaryCase:
    """A head whose plane f turns by four times the arc of that tangent, so that half of the angle is rational too."""
    return RotaryCase.of([turn(Fraction(each), 2) for each in tangents], query, keys)


def sines(f: int, tangent: str, size: int) -> list[str]:
    """What 1 - D^2 depends on."""
    half, all_halves = (real(turn(Fraction(tangent), times)[1]) for times in (1, size))
    return [f"sin (t{f} / 2) = {half}", f"sin (INR {size} * t{f} / 2) = {all_halves}"]


def resultant_is(f: int, case: RotaryCase) -> str:
    """Proves the square of D; the plane's sines are the premises from `H(2 f)` on."""
    by, size, known = case.turns[f], len(case.keys), (f"H{2 * f}", f"H{2 * f + 1}")
    turns = f"rewrite resultant_turns; [rewrite pow2_abs {' '.join(known)} /=; field | rewrite {known[0]}; lra]"
    still = f"rewrite resultant_still; [field | rewrite {known[0]}; lra]"
    square_of_mean = real(resultant_square(by, size, size))
    return f"have D{f} : resultant {size} t{f} ^ 2 = {square_of_mean} by ({still if by[0] == 1 else turns}). "


def squares_are(names: str, query: str, keys: str, lengths: Vector) -> str:
    """Proves the square of a query's length and of the keys' deviation, from the moments of their numbers."""
    scatter = f"rewrite scatter_moments // /mean_vec /mean /dot {SUMS} /k /=; field"
    long, apart = names.split()
    return (
        f"have {long} : norm {query} ^ 2 = {real(lengths[0])} by (rewrite norm_pow /q /dot /=; field). "
        f"have {apart} : sigma {keys} ^ 2 = {real(lengths[1])} "
        f"by (rewrite /sigma pow2_sqrt; [{scatter} | exact: scatter_ge0]). "
    )


def part_is(f: int, case: RotaryCase) -> tuple[str, Fraction]:
    """Proves the square of a plane's part of the root of the bound, and, of a rational one, the part; its square."""
    at, size = f"{'(lift ord0 ' * f}ord0{')' * f}", len(case.keys)
    lengths = square(case.query[f]), scatters(case)[f]
    spread = 1 - resultant_square(case.turns[f], size, size)
    whole = lengths[0] * lengths[1] * spread
    spread_of = f"sqrt (1 - resultant {size} (theta {at}) ^ 2)"
    part = f"norm (q {at}) * sigma (fun a => k a {at}) * {spread_of}"
    script = (
        f"{squares_are(f'long{f} apart{f}', f'(q {at})', f'(fun a => k a {at})', lengths)}"
        f"have turns{f} : {spread_of} ^ 2 = {real(spread)} "
        f"by (rewrite pow2_sqrt; [rewrite (_ : theta {at} = t{f}) // D{f}; field | exact: spread_ge0]). "
        f"have square{f} : ({part}) ^ 2 = {real(whole)} "
        f"by (rewrite !Rpow_mult_distr long{f} apart{f} turns{f}; field). "
    )
    if len(case.turns) > 1:
        nonneg = "apply: Rmult_le_pos; [apply: Rmult_le_pos; [exact: norm_ge0 | exact: sqrt_pos] | exact: sqrt_pos]"
        script += (
            f"have part{f} : {part} = {real(root(whole))} "
            f"by (apply: Rsqr_inj; [{nonneg} | lra | rewrite !Rsqr_pow2 square{f}; field]). "
        )
    return script, whole


# Attained with two keys, by one plane and by two; not with three; a plane that does not turn.
HEADS = [
    (("1/2",), rotary(["1/2"], [(2, 1)], [[(0, 1)], [(1, 3)]])),
    (("1/2",), rotary(["1/2"], [(3, 4)], [[(0, 0)], [(-8, 6)]])),
    (("1", "1/3"), rotary(["1", "1/3"], [(3, 4), (0, 2)], [[(0, 0), (1, 1)], [(0, 6), (4, 5)]])),
    (("1/3",), rotary(["1/3"], [(1, 2)], [[(0, 0)], [(1, 1)], [(2, -1)]])),
    (("0",), rotary(["0"], [(1, 2)], [[(0, 0)], [(1, 1)]])),
]


def test_the_mean_square_of_a_table_is_at_most_what_python_computes():
    theorem = "gen_thm2_anova"
    statement = claims()["gen.thm2.anova"].statement
    instances, attained = [], set()
    for tangents, case in HEADS:
        assert statement.conclusion(case)
        count, size = len(tangents), len(case.keys)
        known = [each for f, tangent in enumerate(tangents) for each in sines(f, tangent, size)]
        angles = [f"t{f}" for f in range(count)]
        opening = (
            f"forall {' '.join(angles)}, {''.join(f'{each} -> ' for each in known)}"
            f"let theta := fun f : 'I_{count} => nth 0 [:: {'; '.join(angles)}] f in "
            f"let q := fun f : 'I_{count} => nth (0, 0) {vectors(case.query)} f in "
            f"let k := fun (a : 'I_{size}) (f : 'I_{count}) => "
            f"nth (0, 0) (nth [::] [:: {'; '.join(map(vectors, case.keys))}] a) f in "
        )
        proofs, squares = zip(*(part_is(f, case) for f in range(count)), strict=True)
        total = squares[0] if count == 1 else sum(map(root, squares), Fraction(0)) ** 2
        parts = "Rplus_0_r square0" if count == 1 else " ".join(f"part{f}" for f in range(count))
        script = (
            f"move=> {' '.join(angles)} {' '.join(f'H{n}' for n in range(2 * count))} theta q k. "
            f"{''.join(resultant_is(f, case) for f in range(count))}{''.join(proofs)}"
            f"apply: Rle_trans (@{theorem} {count} {size} theta q k isT) _; rewrite {SUMS} {parts}; lra."
        )
        found = f"1 / INR {size} ^ 2 * sum_(a < {size}) sum_(b < {size}) effect (rope_table theta q k) a b ^ 2"
        right, wrong = (f"{opening}{found} <= {real(total - by)}" for by in (0, BESIDE))
        instances.append(Instance(theorem, right, wrong, script))
        attained.add(mean_square_effect(case) == total)
    assert attained == {True, False}
    assert_instances(FILE, instances)


def sharp_head(tangent: str, case: RotaryCase) -> tuple[str, str]:
    """One plane's head with its angle's cosines and sines, and proofs of `C`, `D0`, `long` and `apart`."""
    size, by, angle = len(case.keys), case.turns[0], Fraction(tangent)
    along, across = axes(by, size)
    known = [*sines(0, tangent, size), f"sin t0 = {real(by[1])}"]
    if by[1]:
        known.append(f"sin (INR {size} * t0) = {real(turn(angle, 2 * size)[1])}")
        proof = "rewrite signed_mean_turns H2 ?H3 /=; [field | lra]"
    else:
        known.append(f"cos ((INR {size} - 1) * t0) = {real(turn(angle, 2 * size - 2)[0])}")
        proof = "rewrite signed_mean_still; [rewrite H3; field | rewrite H2; field]"
    for name, value_of in zip(("cos", "sin"), turn(angle, size + 1), strict=True):
        known.append(f"{name} (t0 * (INR {size} + 1) / 2) = {real(value_of)}")
    opening = (
        f"forall t0, {''.join(f'{each} -> ' for each in known)}let q := {vector(case.query[0])} in "
        f"let k := fun a : 'I_{size} => nth (0, 0) {vectors([each[0] for each in case.keys])} a in "
    )
    script = (
        f"move=> t0 {' '.join(f'H{n}' for n in range(6))} q k. {resultant_is(0, case)}"
        f"have C : signed_mean {size} t0 = {real(1 - 2 * across)} by ({proof}). "
        f"{squares_are('long apart', 'q', 'k', (square(case.query[0]), scatters(case)[0]))}"
        f"have := @gen_thm2_anova_sharp {size} t0 q k isT; cbv zeta; rewrite C D0 long apart. "
        f"rewrite {'Rmax_left' if along >= across else 'Rmax_right'}; last by lra. move=> [most [parallel normal]]. "
    )
    return opening, script


def test_one_plane_has_at_most_the_larger_mean_square_and_attains_it_along_that_axis():
    theorem = "gen_thm2_anova_sharp"
    statement = claims()["gen.thm2.anova-sharp"].statement
    instances, larger = [], set()
    for tangent, size in (("1/3", 3), ("4/5", 3), ("1", 2)):
        points = [[(a, a * a - 1)] for a in range(size)]
        anywhere = rotary([tangent], [(2, 1)], points)
        for case in (anywhere, along_axis(anywhere)):
            assert statement.conclusion(case)
            along, across = axes(case.turns[0], size)
            total = square(case.query[0]) * scatters(case)[0] * max(along, across)
            opening, script = sharp_head(tangent, case)
            table_of = "rope_table (fun _ : 'I_1 => t0) (fun _ => q) (fun a _ => k a)"
            found = f"1 / INR {size} ^ 2 * sum_(a < {size}) sum_(b < {size}) effect ({table_of}) a b ^ 2"
            right, wrong = (f"{opening}{found} <= {real(total - by)}" for by in (0, BESIDE))
            instances.append(Instance(theorem, right, wrong, f"{script}apply: Rle_trans most _; lra."))
            if is_along_axis(case):
                assert mean_square_effect(case) == total
                which, product = ("parallel", "cross") if along >= across else ("normal", "dot")
                axis = f"rewrite /turn H4 H5 /{product} /minus /q /k; {keys(2, size)}; lra"
                right, wrong = (f"{opening}{found} = {real(total + by)}" for by in (0, BESIDE))
                script += f"rewrite {which}; [lra | lra | {axis}]."
                instances.append(Instance(theorem, right, wrong, script))
        larger.add(along >= across)
    assert larger == {True, False}
    assert_instances(FILE, instances)
