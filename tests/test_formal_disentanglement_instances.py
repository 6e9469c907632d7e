"""The Coq theorems about interaction in tables, used by name at tables that Python has decided."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction

import pytest
from coq_words import Instance, assert_instances, place, real, rows_of

from headproof.checks.engines import coq
from headproof.checks.registry import claims
from headproof.theory.cases import TableCase
from headproof.theory.disentanglement.tables import double_differences, effects, mean_square_effect
from headproof.theory.exclusion.claims import ATTAINED, BOUND, VARIANCE
from headproof.theory.statements import value

pytestmark = pytest.mark.skipif(coq.coqc() is None, reason=coq.MISSING)

FILE = "disentanglement"
BESIDE = Fraction(1, 97)
SUMS = "?big_ord_recl ?big_ord0"
BY_PAIRS = f"rewrite /bound norm2_delta_pos norm2_delta_sym {SUMS} /lambda /M /=; field"
OF_LOGITS = f"rewrite /variance /mean {SUMS} /lambda /M /=; field"


# -- tables --------------------------------------------------------------------------------------------------------


def table(case: TableCase) -> str:
    """`M` for what follows: the logits by content and position."""
    rows = rows_of([[real(each) for each in row] for row in case.rows])
    return f"let M := fun a b : 'I_{case.size} => nth 0 (nth [::] {rows} a) b in "


def keys(count: int, size: int) -> str:
    """Brings one goal for each choice of so many keys."""
    return "move=> " + " ".join(["[" + "[|" * size + "?" + "]" * size + " ?]"] * count) + " //="


def pair(first: int, second: int, size: int) -> str:
    return f"{place(first, size)} {place(second, size)}"


def numbers(draw: random.Random, count: int) -> list[Fraction]:
    return [Fraction(draw.randint(-6, 6), draw.randint(1, 2)) for _ in range(count)]


def drawn(seed: int, sizes: Sequence[int]) -> list[TableCase]:
    draw = random.Random(seed)
    return [TableCase.of([numbers(draw, size) for _ in range(size)]) for size in sizes]


def one_entry(size: int) -> TableCase:
    """A table with one entry that is not 0, whose largest effect is as large as it may be."""
    return TableCase.of([[int(a == b == 0) for b in range(size)] for a in range(size)])


def test_an_effect_is_a_mean_of_double_differences_and_at_most_a_share_of_the_largest():
    theorem = "gen_additive_largest"
    claim = claims()["gen.additive.largest"]
    instances = []
    for case in (claim.witness, one_entry(3), *drawn(51, (1, 2))):
        size, found = case.size, effects(case.rows)
        said = f"{table(case)}effect M {pair(0, size - 1, size)} = "
        script = f"move=> M; have [-> _] := {theorem} M; rewrite /double_difference {SUMS} /M /=; field."
        right, wrong = (said + real(found[0][-1] + beside) for beside in (0, BESIDE))
        instances.append(Instance(theorem, right, wrong, script))
        most = max(map(abs, double_differences(case.rows)))
        share = Fraction(size - 1, size) ** 2
        assert claim.statement.conclusion(case)
        said = f"{table(case)}forall a b, Rabs (effect M a b) <= "
        right, wrong = (said + real(share * most - beside) for beside in (0, BESIDE))
        largest = "apply: largest_le => [|{}]; first lra. "
        script = (
            f"move=> M a b; have [_ most] := {theorem} M. "
            "apply: Rle_trans (le_largest (fun b => Rabs (effect M a b)) b) _. "
            "apply: Rle_trans (le_largest (fun a => largest (fun b => Rabs (effect M a b))) a) _. "
            f"apply: Rle_trans most _. apply: (Rle_trans _ (((INR {size} - 1) / INR {size}) ^ 2 * {real(most)})). "
            f"apply: Rmult_le_compat_l; first exact: pow2_ge_0. {''.join(map(largest.format, 'xyzw'))}"
            f"move: x y z w; {keys(4, size)}; rewrite /double_difference /M /=; split_Rabs; lra. "
            f"have -> : ((INR {size} - 1) / INR {size}) ^ 2 = {real(share)} by rewrite /=; field. lra."
        )
        instances.append(Instance(theorem, right, wrong, script))
    assert instances[1].statement.endswith(real(max(abs(each) for row in effects(claim.witness.rows) for each in row)))
    assert_instances(FILE, instances)


Parts = tuple[list[Fraction], list[Fraction]]


def added(parts: Parts) -> TableCase:
    return TableCase.of([[c + d for d in parts[1]] for c in parts[0]])


def parts_of(parts: Parts) -> str:
    """`c` and `d` for what follows."""
    texts = [f"[:: {'; '.join(map(real, each))}]" for each in parts]
    size = len(parts[0])
    return "".join(f"let {x} := fun a : 'I_{size} => nth 0 {t} a in " for x, t in zip("cd", texts, strict=True))


def at_parts(theorem: str, size: int) -> str:
    """The theorem for `M`, `c` and `d`, after a proof that the table is their sum."""
    return (
        f"move=> c d M. have sum a b : M a b = c a + d b by (move: a b; {keys(2, size)}; rewrite /M /c /d /=; lra). "
        f"have [first second] := @{theorem} {size} M c d isT sum."
    )


# Of the first two the parts agree up to a constant, of the third they are uncorrelated, of the fourth opposite.
PARTS: list[Parts] = [
    ([Fraction(5)], [Fraction(2)]),
    ([Fraction(0), Fraction(3)], [Fraction(1), Fraction(4)]),
    ([Fraction(0), Fraction(0), Fraction(1)], [Fraction(0), Fraction(1), Fraction(1, 2)]),
    ([Fraction(1), Fraction(0)], [Fraction(0), Fraction(1)]),
    (numbers(random.Random(53), 2), numbers(random.Random(54), 2)),
]
NOT_ADDITIVE = {size: table(one_entry(size)) for size in (2, 3)}


def test_additive_tables_have_the_variance_and_the_quotient_of_python():
    theorem = "gen_exclusion_ratio"
    statement = claims()["gen.exclusion.ratio"].statement
    instances = []
    for parts in PARTS:
        case, size = added(parts), len(parts[0])
        assert statement.meets(case)
        assert statement.conclusion(case)
        variance, bound = value(VARIANCE, case), value(BOUND, case)
        opening, by_parts = parts_of(parts), at_parts(theorem, size)
        moments = f"/variance /covariance /mean {SUMS} /c /d /="
        unfold = "/bound norm2_delta_pos norm2_delta_sym /covariance /mean"
        script = f"{by_parts} rewrite first {unfold} {SUMS} /lambda /M /c /d /=; field."
        right, wrong = (f"{opening}{table(case)}variance (lambda M) = {real(variance + by)}" for by in (0, BESIDE))
        instances.append(Instance(theorem, right, wrong, script))
        if size > 1:
            other = right.replace(table(case), NOT_ADDITIVE[size])
            assert not statement.meets(one_entry(size))
            assert not statement.conclusion(one_entry(size))
            instances.append(Instance(theorem, right, other, script))
        if bound == 0:
            continue
        spread = sum((value(VARIANCE, added((each, [Fraction(0)] * size))) for each in parts), Fraction(0))
        script = (
            f"{by_parts} have most : bound M = {real(bound)} by {BY_PAIRS}. rewrite second; last by rewrite most; lra. "
            f"have -> : variance c + variance d = {real(spread)} by (rewrite {moments}; field). "
            f"rewrite {moments}; field."
        )
        right, wrong = (
            f"{opening}{table(case)}variance (lambda M) / bound M = {real(variance / bound + by)}" for by in (0, BESIDE)
        )
        instances.append(Instance(theorem, right, wrong, script))
    assert_instances(FILE, instances)


def test_additive_tables_attain_the_bound_where_python_says_so():
    """By the equal differences of the parts, and by the symmetry of the table."""
    theorem = "gen_exclusion_attained"
    statement = claims()["gen.exclusion.attained"].statement
    instances, verdicts = [], set()
    for parts in PARTS:
        case, size = added(parts), len(parts[0])
        assert statement.meets(case)
        assert statement.conclusion(case)
        verdict = value(VARIANCE, case) == value(BOUND, case)
        texts = [f"{parts_of(parts)}{table(case)}{no}(variance (lambda M) = bound M)" for no in ("", "~ ")]
        right, wrong = texts if verdict else reversed(texts)
        differ = [(j, k) for j in range(size) for k in range(j) if case.rows[j][k] != case.rows[k][j]]
        assert verdict is not bool(differ)
        for which in ("first", "second"):
            if verdict:
                script = f"apply: (proj2 {which}); {keys(2, size)}; rewrite /M /c /d /=; lra."
            else:
                script = f"move=> /(proj1 {which}) /(_ {pair(*differ[0], size)}); rewrite /M /c /d /=; lra."
            instances.append(Instance(theorem, right, wrong, f"{at_parts(theorem, size)} {script}"))
            if verdict and size > 1:
                instances.append(
                    Instance(
                        theorem,
                        right,
                        right.replace(table(case), NOT_ADDITIVE[size]),
                        f"{at_parts(theorem, size)} {script}",
                    )
                )
        verdicts.add(verdict)
    assert verdicts == {True, False}
    assert_instances(FILE, instances)


def test_tables_that_attain_the_bound_are_sums_of_parts_that_agree():
    """Parts exist where Python finds the bound attained; and with one entry free, the theorem tells that entry."""
    theorem = "gen_exclusion_additive"
    statement = claims()["gen.exclusion.additive"].statement
    instances = []
    sharp = TableCase.of([[0, 1, 2], [1, 2, 3], [2, 3, 4]])
    for case, other in ((ATTAINED, TableCase.of([[0, 1], [0, 1]])), (sharp, one_entry(3))):
        assert statement.meets(case)
        assert statement.conclusion(case)
        assert not statement.meets(other)
        said = "exists c d, (forall a b, M a b = c a + d b) /\\ (forall j k, c j - d j = c k - d k)"
        right, wrong = f"{table(case)}{said}", f"{table(other)}{said}"
        attains = f"apply/(off_vanishes M isT); {keys(2, case.size)}; rewrite /off /lambda /M /=; lra"
        instances.append(Instance(theorem, right, wrong, f"move=> M; apply: {theorem} => //; {attains}."))
        entry = case.rows[0][-1]
        assert not statement.meets(TableCase(((*case.rows[0][:-1], entry + BESIDE), *case.rows[1:])))
        free = table(case).replace(f"{real(entry)}];", "x];", 1)
        assert free != table(case)
        last = case.size - 1
        script = (
            f"move=> x M /(@{theorem} {case.size} M isT) [c [d [parts same]]]. "
            f"have := same {pair(0, last, case.size)}. "
            f"have := parts {pair(0, 0, case.size)}; have := parts {pair(last, last, case.size)}; "
            f"have := parts {pair(0, last, case.size)}; rewrite /M /=; lra."
        )
        right, wrong = (
            f"forall x, {free}variance (lambda M) = bound M -> x = {real(entry + by)}" for by in (0, BESIDE)
        )
        instances.append(Instance(theorem, right, wrong, script))
    assert_instances(FILE, instances)


def means(case: TableCase) -> str:
    """Proofs of the means of a table's rows, of its columns and of all of it, as `rows`, `columns` and `grand`."""
    size = case.size
    sums = [[sum(line, Fraction(0)) / size for line in lines] for lines in (case.rows, zip(*case.rows, strict=True))]
    lists = [f"[:: {'; '.join(map(real, each))}]" for each in sums]
    of_lines = "".join(
        f"have {name}s i : {name}_mean M i = nth 0 {values} i "
        f"by (rewrite /{name}_mean /mean {SUMS}; move: i; {keys(1, size)}; rewrite /M /=; field). "
        for name, values in zip(("row", "column"), lists, strict=True)
    )
    grand = real(sum(sums[0], Fraction(0)) / size)
    return f"{of_lines}have grand : grand_mean M = {grand} by (rewrite /grand_mean /mean {SUMS} !rows /=; field). "


def test_the_interaction_costs_what_python_computes():
    """The whole difference, what it is at least, and the quotient's bound, which the claim's witness attains."""
    theorem = "gen_exclusion_cost"
    claim = claims()["gen.exclusion.cost"]
    instances = []
    for case in (claim.witness, *drawn(55, (1, 2))):
        assert claim.statement.conclusion(case)
        size, cost = case.size, 2 * mean_square_effect(case)
        bound, variance = value(BOUND, case), value(VARIANCE, case)
        by_theorem = (
            f"move=> M; have [whole [least most]] := @{theorem} {size} M isT. {means(case)}"
            f"have cost : 2 / INR {size} ^ 2 * sum_(a < {size}) sum_(b < {size}) effect M a b ^ 2 = {real(cost)} "
            f"by (rewrite {SUMS} /effect !rows !columns grand /M /=; field). "
        )
        rest = f"/variance /grand_mean /row_mean /column_mean /mean {SUMS} /lambda /M /="
        said = [
            ("bound M - variance (lambda M) = ", bound - variance, f"rewrite whole cost {rest}; field.", BESIDE),
            ("bound M - variance (lambda M) >= ", cost, "by rewrite -cost; apply: Rle_ge; exact: least.", BESIDE),
        ]
        if bound:
            script = (
                f"have total : bound M = {real(bound)} by {BY_PAIRS}. "
                "apply: Rle_trans (most _) _; first by rewrite total; lra. rewrite cost total; lra."
            )
            said.append(("variance (lambda M) / bound M <= ", 1 - cost / bound, script, -BESIDE))
        for term, number, script, beside in said[size > 2 :]:  # with three keys the whole is too long for `field`
            right, wrong = (f"{table(case)}{term}{real(number + by)}" for by in (0, beside))
            instances.append(Instance(theorem, right, wrong, by_theorem + script))
    witness = claim.witness
    assert 2 * mean_square_effect(witness) == value(BOUND, witness) - value(VARIANCE, witness) > 0
    assert_instances(FILE, instances)
