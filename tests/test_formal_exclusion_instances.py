"""The Coq theorems about exclusion, used by name at tables and rotary heads that Python has decided."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest
from coq_words import Instance, assert_instances, assert_refuted_at, place, real, rows_of

from headproof.checks.engines import coq
from headproof.checks.registry import claims
from headproof.theory.cases import RotaryCase, TableCase
from headproof.theory.claim import Statement
from headproof.theory.exclusion.claims import ATTAINED
from headproof.theory.statements import IS_POSITIONAL, IS_SYMBOLIC, value

pytestmark = pytest.mark.skipif(coq.coqc() is None, reason=coq.MISSING)

FILE = "exclusion"
BESIDE = Fraction(1, 7)
SUMS = "rewrite ?big_ord_recl ?big_ord0 /lambda /M /=; field"


def table(case: TableCase) -> str:
    """`M` for what follows: the logits by content and position."""
    rows = rows_of([[real(each) for each in row] for row in case.rows])
    return f"let M := fun a b : 'I_{case.size} => nth 0 (nth [::] {rows} a) b in "


def keys(count: int, size: int) -> str:
    """Brings one goal for each choice of so many keys."""
    return "move=> " + " ".join(["[" + "[|" * size + "?" + "]" * size + " ?]"] * count) + " //="


def require_decided(statement: Statement, case: Any, other: Any) -> None:
    """Python finds premises and conclusion true of the case, and both false of the other."""
    assert statement.meets(case)
    assert statement.conclusion(case)
    assert not statement.meets(other)
    assert not statement.conclusion(other)


def drawn(seed: int, sizes: Sequence[int]) -> list[TableCase]:
    draw = random.Random(seed)
    return [
        TableCase.of([[Fraction(draw.randint(-6, 6), draw.randint(1, 2)) for _ in range(m)] for _ in range(m)])
        for m in sizes
    ]


def columns(*values: int | str, own: int | None = None) -> TableCase:
    """A table with constant columns: positional."""
    return TableCase.of([values] * len(values), own)


def rows(*values: int | str, own: int | None = None) -> TableCase:
    """A table with constant rows: symbolic."""
    return TableCase.of([[each] * len(values) for each in values], own)


# -- theorem 1 -----------------------------------------------------------------------------------------------------

# Attained: each entry is the mean of its two logits.
SHARP = [TableCase.of([["3/2"]]), ATTAINED]
# The logits of the first are equal, so that it has nothing but slack.
TABLES = [*SHARP, TableCase.of([[0, 1], [-1, 0]]), *drawn(41, (2, 3))]


def test_the_closed_form_gives_the_sum_over_all_permutations():
    literal = claims()["dec.thm1.closed-form"].statement.form.left
    instances = []
    for case in TABLES:
        total = value(literal, case)
        said = f"{table(case)}norm2 (delta_pos M) + norm2 (delta_sym M) = "
        script = f"move=> M; rewrite dec_thm1_closed_form; {SUMS}."
        instances.append(Instance("dec_thm1_closed_form", said + real(total), said + real(total + BESIDE), script))
    assert_instances(FILE, instances)


def test_the_identity_gives_the_bound():
    literal = claims()["dec.thm1.identity"].statement.form.left
    instances = []
    for case in TABLES:
        bound = value(literal, case)
        said = f"{table(case)}bound M = "
        script = (
            f"move=> M; apply: (Rmult_eq_reg_l (INR {case.size} ^ 2)); last by apply: pow_nonzero; apply: INR_neq0. "
            f"rewrite dec_thm1_identity // Rmult_plus_distr_l slack_pairs // /variance /mean; {SUMS}."
        )
        instances.append(Instance("dec_thm1_identity", said + real(bound), said + real(bound + BESIDE), script))
    assert_instances(FILE, instances)


def test_the_bound_is_at_least_the_variance_and_no_more_is_known_of_it():
    """Nothing but the theorem tells the bound here; where it is attained, what is beside is false as well."""
    form = claims()["dec.thm1"].statement.form
    instances = []
    for case in TABLES:
        variance = value(form.left, case)
        assert (value(form.right, case) == variance) is (case in SHARP)
        said = f"{table(case)}{{}} <= bound M"
        of_logits = f"apply: Req_le; rewrite /variance /mean; {SUMS}"
        script = f"move=> M; apply: Rle_trans (@dec_thm1 {case.size} M isT); {of_logits}."
        right, wrong = (said.format(real(variance + beside)) for beside in (0, BESIDE))
        instances.append(Instance("dec_thm1", right, wrong, script))
    assert_instances(FILE, instances)


# -- the definitions -----------------------------------------------------------------------------------------------

DEFINED = {
    "positional": ("pos", IS_POSITIONAL, "dec_definitions_positional"),
    "symbolic": ("sym", IS_SYMBOLIC, "dec_definitions_symbolic"),
}
READ = [columns(1), rows(2, 3, 3), columns(2, 3, 3), rows(1, 2), columns(1, 2), TableCase.of([[0, 1], [1, 0]])]
READ += drawn(43, (3,))


def off(case: TableCase, name: str) -> str:
    """Two keys that the equation of a definition does not hold at; some two where it holds at all."""
    pairs = [(j, k) for j in range(case.size) for k in range(case.size) if j != k]
    entries = {(j, k): case.rows[k][j] if name == "positional" else case.rows[j][k] for j, k in pairs}
    found = [(j, k) for j, k in pairs if entries[j, k] != case.rows[j][j]]
    return " ".join(place(each, case.size) for each in (found or pairs)[0])


@pytest.mark.parametrize("name", DEFINED)
def test_a_definition_says_that_deviations_vanish_and_which_entries_are_equal(name):
    """All four directions, at tables of both kinds: from entries to deviations, and from these to the definition."""
    short, holds, theorem = DEFINED[name]
    statement = claims()[f"dec.definitions.{name}"].statement
    instances, verdicts = [], set()
    for case in READ:
        verdict = value(statement.form.right, case) == 0
        assert verdict == holds.holds(case)
        assert statement.conclusion(case)
        said = [f"norm2 (delta_{short} M) = 0", f"{name} M"]
        if verdict:
            by_entries = f"{keys(2, case.size)} _; rewrite /lambda /M /=; lra"
            scripts = [
                f"apply (proj1 (proj1 ({theorem} M))); apply (proj2 (proj2 ({theorem} M))); {by_entries}",
                f"apply (proj2 (proj1 ({theorem} M))); rewrite norm2_delta_{short}; {SUMS}",
            ]
        else:
            at_keys = f"/(proj1 (proj2 ({theorem} M))) /(_ {off(case, name)} ltac:(by []))"
            scripts = [
                f"move=> /(proj2 (proj1 ({theorem} M))) {at_keys}; rewrite /lambda /M /=; lra",
                f"move=> /(proj1 (proj1 ({theorem} M))); rewrite norm2_delta_{short} "
                "?big_ord_recl ?big_ord0 /lambda /M /=; lra",
            ]
        for each, script in zip(said, scripts, strict=True):
            right, wrong = f"{table(case)}{each}", f"{table(case)}~ ({each})"
            if not verdict:
                right, wrong = wrong, right
            instances.append(Instance(theorem, right, wrong, f"move=> M; {script}."))
        verdicts.add(verdict)
    assert verdicts == {True, False}
    assert_instances(FILE, instances)


CONSTANT = [columns("2/3"), columns(1, 1), columns(-2, -2, -2)]
POSITIONAL_ALONE = [columns(0, 1), columns(5, 5, 6)]
SYMBOLIC_ALONE = [rows(0, 1), rows(5, 5, 6)]


def is_both(size: int) -> str:
    """Proves that a table of numbers is positional and symbolic, as `pos` and `sym`."""
    entries = f"{keys(2, size)} _; rewrite /lambda /M /=; lra"
    return (
        f"have pos : positional M by (apply/positional_columns; {entries}). "
        f"have sym : symbolic M by (apply/symbolic_rows; {entries})."
    )


def at_both(theorem: str, name: str, said: str, use: str) -> list[Instance]:
    """What a theorem says of tables that are both; at tables that are only one Python finds its conclusion false."""
    statement = claims()[f"dec.definitions.{name}"].statement
    instances = []
    for case in (TableCase(each.rows, own) for each in CONSTANT for own in (each.rows[0][0], Fraction(4))):
        beside = [each for each in (*POSITIONAL_ALONE, *SYMBOLIC_ALONE) if each.size == max(case.size, 2)]
        for other in (TableCase(each.rows, case.own) for each in beside):
            require_decided(statement, case, other)
            right, wrong = (
                f"{table(each)}let own := {real(each.own)} in {said.format(m=each.size)}" for each in (case, other)
            )
            instances.append(
                Instance(theorem, right, wrong, f"move=> M own. {is_both(case.size)} {use.format(m=case.size)}")
            )
    return instances


def not_both(theorem: str, use: str) -> list[Instance]:
    """By a theorem a table whose logits differ is not both, though it is one of the two."""
    instances = []
    for case, known, other in (
        *((case, "positional", "symbolic") for case in POSITIONAL_ALONE),
        *((case, "symbolic", "positional") for case in SYMBOLIC_ALONE),
    ):
        assert {name: holds.holds(case) for name, (_, holds, _) in DEFINED.items()} == {known: True, other: False}
        lines = {"positional": "columns", "symbolic": "rows"}[known]
        entries = f"{keys(2, case.size)} _; rewrite /lambda /M /=; lra"
        at = f"{place(0, case.size)} {place(case.size - 1, case.size)}"
        script = (
            f"move=> M {other[:3]}. have {known[:3]} : {known} M by (apply/{known}_{lines}; {entries}). "
            f"{use.format(at=at)} rewrite /lambda /M /=; lra."
        )
        instances.append(Instance(theorem, f"{table(case)}~ {other} M", f"{table(case)}~ {known} M", script))
    return instances


def test_both_definitions_leave_constant_logits():
    theorem = "dec_definitions_both_constant"
    said = "forall j k : 'I_{m}, lambda M j = lambda M k"
    instances = at_both(theorem, "both-constant", said, f"exact: ({theorem} pos sym).")
    assert_instances(FILE, [*instances[::2], *not_both(theorem, f"have := {theorem} pos sym {{at}}.")])


def test_all_visible_keys_get_the_weight_that_their_number_makes():
    theorem = "dec_definitions_uniform_visible_keys"
    instances = at_both(
        theorem,
        "uniform.visible-keys",
        "forall j, softmax (lambda M) j = / INR {m}",
        f"move=> j; rewrite ({theorem} pos sym) /=; field.",
    )
    weights = []
    for case in CONSTANT:
        said = f"{table(case)}forall j, softmax (lambda M) j = "
        script = f"move=> M j. {is_both(case.size)} rewrite ({theorem} pos sym) /=; field."
        weights.append(
            Instance(theorem, said + real(Fraction(1, case.size)), said + real(Fraction(1, case.size + 1)), script)
        )
    use = f"have same := {theorem} pos sym. have := proj1 (softmax_uniform _) same {{at}}."
    assert_instances(FILE, [*instances[::4], *weights, *not_both(theorem, use)])


def test_earlier_keys_share_a_weight_whatever_the_own_key():
    theorem = "dec_definitions_uniform_repaired"
    said = "forall j k : 'I_{m}, softmax (visible M own) (earlier j) = softmax (visible M own) (earlier k)"
    instances = at_both(theorem, "uniform.repaired", said, f"exact: ({theorem} own pos sym).")
    use = f"have := {theorem} 3 pos sym {{at}}. move=> /softmax_eq; rewrite !visible_earlier."
    assert_instances(FILE, [*instances[::2], *not_both(theorem, use)])


@pytest.mark.parametrize("other", [columns(0, 0, own=0), rows(0, 1, own=1)], ids=["own key equal", "not both"])
def test_attention_over_all_keys_is_not_uniform_at_the_counterexample(other):
    """From the denied statement at the counterexample; not where the own logit is equal, or the table not both."""

    def tactics(case: TableCase) -> str:
        return (
            f"move=> all. have : {table(case)}False; last by []. move=> M. {is_both(case.size)} "
            f"have /softmax_uniform same := all {case.size}%N M {real(case.own)} isT pos sym. "
            f"have := same (earlier {place(0, case.size)}) ord_max. "
            "rewrite visible_earlier visible_own /lambda /M /=; lra."
        )

    name = "dec_definitions_uniform_earlier_keys"
    assert_refuted_at(FILE, f"{name}_fails", claims()["dec.definitions.uniform.earlier-keys"], tactics, other)


# -- rotary heads --------------------------------------------------------------------------------------------------


def vectors(pairs: Sequence[tuple[Fraction, Fraction]]) -> str:
    return "[:: " + "; ".join(f"({real(x)}, {real(y)})" for x, y in pairs) + "]"


def head(case: RotaryCase) -> str:
    """`q`, `k` and, for angles `theta` that are known before, the head's table `M`."""
    planes, size = len(case.turns), len(case.keys)
    return (
        f"let q := fun f : 'I_{planes} => nth (0, 0) {vectors(case.query)} f in "
        f"let k := fun (a : 'I_{size}) (f : 'I_{planes}) => "
        f"nth (0, 0) (nth [::] [:: {'; '.join(map(vectors, case.keys))}] a) f in let M := rope_table theta q k in "
    )


def entry(case: RotaryCase, a: int, b: int, beside: Fraction | int = 0) -> str:
    size = len(case.keys)
    return f"M {place(a, size)} {place(b, size)} = {real(case.table.rows[a][b] + beside)}"


STILL = [
    RotaryCase.of([[1, 0]], [[1, 2]], [[[1, -1]], [["1/2", 3]]]),
    RotaryCase.of([[1, 0]] * 2, [[1, 0], [2, 1]], [[[1, 1], [0, 2]], [[2, 1], [3, "1/3"]], [[0, 1], [1, 1]]]),
]
HALF_TURNS = [RotaryCase.of([[-1, 0]] * len(case.turns), case.query, case.keys) for case in STILL]


def test_without_angles_a_key_has_the_logit_of_its_own_place_everywhere():
    """The theorem moves a key to another position; with half turns Python finds the head not symbolic."""
    theorem = "dec_definitions_nope_symbolic"
    statement = claims()["dec.definitions.nope-symbolic"].statement
    instances = []
    for case, turning in zip(STILL, HALF_TURNS, strict=True):
        require_decided(statement, case, turning)
        still, half = (f"let theta := fun _ : 'I_{len(case.turns)} => {by} : R in {head(case)}" for by in ("0", "PI"))
        each_plane = f"move=> [{'[|' * len(case.turns)}?{']' * len(case.turns)} ?] //="
        premise = f"apply: {theorem}; {each_plane}; rewrite /theta; lra"
        symbolic = f"move=> theta q k M. have sym : symbolic M by ({premise})."
        instances.append(Instance(theorem, f"{still}symbolic M", f"{half}symbolic M", f"{symbolic} exact: sym."))
        last = len(case.keys) - 1
        for a, b in ((0, last), (last, 0)):
            right, wrong = (f"{still}{entry(case, a, b, beside)}" for beside in (0, BESIDE))
            script = (
                f"{symbolic} rewrite (symbolic_entry sym) /lambda /M /rope_table /rope_logit /theta /q /k "
                "?big_ord_recl ?big_ord0 /turn /dot !Rmult_0_l cos_0 sin_0 /=; field."
            )
            instances.append(Instance(theorem, right, wrong, script))
    assert_instances(FILE, instances)


EQUAL = [
    RotaryCase.of([["3/5", "4/5"]], [[1, 2]], [[["1/2", 3]]] * 3),
    RotaryCase.of([["5/13", "12/13"], [0, 1]], [[1, 0], [2, 1]], [[[1, 1], [0, 2]]] * 2),
]
# Keys of equal length in each plane that are not equal.
EQUALLY_LONG = [
    RotaryCase.of(EQUAL[0].turns, EQUAL[0].query, [[["1/2", 3]], [["1/2", -3]], [["1/2", 3]]]),
    RotaryCase.of(EQUAL[1].turns, EQUAL[1].query, [[[1, 1], [0, 2]], [[1, -1], [2, 0]]]),
]


def test_equal_keys_have_the_logit_of_the_position_whatever_the_angles():
    """The theorem puts another content in a place; for keys that are only equally long Python finds another logit."""
    theorem = "dec_definitions_equal_keys_positional"
    statement = claims()["dec.definitions.equal-keys-positional"].statement
    instances = []
    for case, unequal in zip(EQUAL, EQUALLY_LONG, strict=True):
        require_decided(statement, case, unequal)
        planes, size = len(case.turns), len(case.keys)
        places = [f"(theta {'(lift ord0 ' * f}ord0{')' * f})" for f in range(planes)]
        known = "".join(
            f"cos {at} = {real(x)} -> sin {at} = {real(y)} -> " for at, (x, y) in zip(places, case.turns, strict=True)
        )
        named, facts = (" ".join(f"{mark}C{f} {mark}S{f}" for f in range(planes)) for mark in ("", "?"))
        opening = f"forall theta : 'I_{planes} -> R, {known}"
        equal = f"{keys(2, size)} f; rewrite /k /=" + "; case: f => [[|[|?]] ?] //=; rewrite /dot /=; lra"
        positional = f"move=> theta {named} q k M. have pos : positional M by (apply: {theorem}; {equal})."
        by_turns = (
            f"have entry a b : M a b = sum_(f < {planes}) dot (k a f) (iter ({size}.+1 - b.+1) (turn (theta f)) (q f)) "
            "by apply: eq_bigr => f _; apply: dot_turn_distance; apply: leqW; apply: ltn_ord."
        )
        instances.append(
            Instance(
                theorem,
                f"{opening}{head(case)}positional M",
                f"{opening}{head(unequal)}positional M",
                f"{positional} exact: pos.",
            )
        )
        for a, b in ((0, size - 1), (size - 1, 0)):
            right, wrong = (f"{opening}{head(case)}{entry(case, a, b, beside)}" for beside in (0, BESIDE))
            number = f"rewrite ?big_ord_recl ?big_ord0 /q /k /dot /turn /= {facts}; field"
            logit = f"rewrite (positional_entry pos) /lambda entry; {number}."
            instances.append(Instance(theorem, right, wrong, f"{positional} {by_turns} {logit}"))
    assert_instances(FILE, instances)
