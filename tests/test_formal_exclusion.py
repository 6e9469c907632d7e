"""The Coq statements about exclusion against the Python ones: same numbers and same verdicts on the same cases."""

import itertools
import math
import random
from fractions import Fraction

import pytest

from headproof.checks.engines import coq
from headproof.checks.engines.kernel import accepted
from headproof.checks.registry import claims
from headproof.theory.cases import RotaryCase, TableCase
from headproof.theory.exclusion import exclusion_terms, literal_exclusion_terms
from headproof.theory.exclusion.definitions import is_positional, is_symbolic
from headproof.theory.table import LogitTable

pytestmark = pytest.mark.skipif(coq.coqc() is None, reason=coq.MISSING)

COMPUTE = "rewrite ?big_ord_recl ?big_ord0 /lambda /M /=; field"
TO_PAIRS = {
    "norm2 (delta_pos M)": "rewrite norm2_delta_pos",
    "norm2 (delta_sym M)": "rewrite norm2_delta_sym",
    "bound M": "rewrite /bound norm2_delta_pos norm2_delta_sym",
    "variance (lambda M)": "rewrite /variance /mean",
    "slack M": "apply: (Rmult_eq_reg_l (INR size ^ 2)); "
    "[rewrite slack_pairs /size | apply: pow_nonzero; apply: INR_neq0]",
}


def number(value):
    return f"({value.numerator} / {value.denominator})" if value.denominator > 1 else f"({value.numerator})"


def column(values):
    return "[:: " + "; ".join(map(number, values)) + "]"


def nested(rows):
    return "[:: " + "; ".join(map(column, rows)) + "]"


def table_text(rows):
    """`let M := ... in`, the table as a function of content and position."""
    return f"let M := fun a b : 'I_{len(rows)} => nth 0 (nth [::] {nested(rows)} a) b in "


def key(place, size):
    return f"(@Ordinal {size} {place} isT)"


def each_pair(size):
    """Brings one goal for each pair of keys that a statement `forall j k` is about."""
    pattern = "[" + "[|" * size + "?" + "]" * size + " ?]"
    return f"move=> {pattern} {pattern}"


def fractions(source, count):
    return [Fraction(source.randint(-6, 6), source.randint(1, 2)) for _ in range(count)]


def random_rows(source, size):
    return [fractions(source, size) for _ in range(size)]


def tables(seed=7, sizes=(1, 2, 2, 3, 3, 4)):
    source = random.Random(seed)
    return [random_rows(source, size) for size in sizes]


def python_terms(rows):
    """The same quantities as in TO_PAIRS, by the definitions in `theory.exclusion`, permutation by permutation."""
    table, size = LogitTable.of_rows(rows), len(rows)
    positional, symbolic = (Fraction(each) for each in literal_exclusion_terms(table))
    terms = exclusion_terms(table)
    count = math.factorial(size) * size
    values = (positional * count, symbolic * count, positional + symbolic, terms.variance, terms.slack)
    return dict(zip(TO_PAIRS, map(Fraction, values), strict=True))


def value_goal(rows, term, value):
    script = f"pose size := {len(rows)}%N. {TO_PAIRS[term]} => //; {COMPUTE}."
    return f"Goal {table_text(rows)}{term} = {number(value)}. Proof. move=> M. {script} Qed."


@pytest.mark.parametrize("term", TO_PAIRS)
def test_the_definitions_have_the_values_of_the_literal_sums(term):
    cases = tables()
    right = {f"right {n}": value_goal(rows, term, python_terms(rows)[term]) for n, rows in enumerate(cases)}
    wrong = {
        f"wrong {n}": value_goal(rows, term, python_terms(rows)[term] + Fraction(1, 7))
        for n, rows in list(enumerate(cases))[::2]
    }
    found = accepted("exclusion", right | wrong)
    assert {name for name, well in found.items() if well} == set(right)


def constant_columns(values):
    return [list(values) for _ in values]


def constant_rows(values):
    return [[value] * len(values) for value in values]


def added(content, position):
    return [[c + d for d in position] for c in content]


def definition_cases():
    source = random.Random(11)
    for size in (1, 2, 3):
        values = fractions(source, size)
        yield from (constant_columns(values), constant_rows(values), [[values[0]] * size] * size)
        yield random_rows(source, size)
    yield [[Fraction(0), Fraction(1)], [Fraction(1), Fraction(0)]]  # symmetric, and its logits are equal


READ = {  # Python's predicate, and which entry the Coq definition compares with which logit
    "positional": (is_positional, "columns", lambda a, b: b),
    "symbolic": (is_symbolic, "rows", lambda a, b: a),
}


def off_own_logit(rows, owner):
    """Content and position of an entry that is not the logit it is compared with; (0, 0) if there is none."""
    size = len(rows)
    places = [(a, b) for a in range(size) for b in range(size) if rows[a][b] != rows[owner(a, b)][owner(a, b)]]
    return places[0] if places else (0, 0)


def definition_goal(name, rows, holds):
    """That the definition over all permutations holds or fails on a table."""
    size, (_, lines, owner) = len(rows), READ[name]
    if holds:
        script = f"apply/{name}_{lines}; {each_pair(size)} //= _; rewrite /M /lambda /=; lra."
    else:
        a, b = (key(place, size) for place in off_own_logit(rows, owner))
        script = f"move=> /{name}_entry /(_ {a} {b}); rewrite /M /lambda /=; lra."
    return f"Goal {table_text(rows)}{'' if holds else '~ '}{name} M. Proof. move=> M. {script} Qed."


@pytest.mark.parametrize("name", READ)
def test_positional_and_symbolic_are_the_predicates_on_tables(name):
    cases = list(definition_cases())
    verdicts = [bool(READ[name][0](LogitTable.of_rows(rows))) for rows in cases]
    assert set(verdicts) == {True, False}
    right, wrong = {}, {}
    for n, (rows, verdict) in enumerate(zip(cases, verdicts, strict=True)):
        right[f"right {n}"] = definition_goal(name, rows, verdict)
        wrong[f"wrong {n}"] = definition_goal(name, rows, not verdict)
    found = accepted("exclusion", right | wrong)
    assert {case for case, well in found.items() if well} == set(right)


def equality_goal(rows, attained):
    """That the variance is the bound, or below it, by the theorem."""
    size = len(rows)
    if attained:
        script = f"move=> _ [_]; apply; {each_pair(size)} //= _; rewrite /M /lambda /=; lra."
    else:
        pairs = itertools.product(range(size), repeat=2)
        off = [(a, b) for a, b in pairs if a != b and 2 * rows[a][b] != rows[a][a] + rows[b][b]] or [(0, size - 1)]
        a, b = (key(place, size) for place in off[0])
        script = f"case=> // same [/(_ same {a} {b}) mean _]; move: (mean ltac:(by [])); rewrite /M /lambda /=; lra."
    return (
        f"Goal {table_text(rows)}variance (lambda M) {'=' if attained else '<'} bound M. "
        f"Proof. move=> M. have [] := @dec_thm1_equality _ M isT. {script} Qed."
    )


def test_the_bound_is_attained_where_python_says_so():
    source = random.Random(13)
    cases = []
    for size in (1, 2, 3):
        values = fractions(source, size)
        cases += [added(values, values), constant_rows(values), random_rows(source, size)]
    cases += [[[Fraction(0), Fraction(1)], [Fraction(1), Fraction(1)]]]  # symmetric
    cases += [[[Fraction(0), Fraction(1)], [Fraction(0), Fraction(1)]]]  # M_jk + M_kj = lambda_j + lambda_k
    right, wrong, verdicts = {}, {}, set()
    for n, rows in enumerate(cases):
        terms = python_terms(rows)
        attained = terms["variance (lambda M)"] == terms["bound M"]
        assert claims()["dec.thm1.equality"].statement.conclusion(TableCase.of(rows))
        right[f"right {n}"] = equality_goal(rows, attained)
        wrong[f"wrong {n}"] = equality_goal(rows, not attained)
        verdicts.add(attained)
    found = accepted("exclusion", right | wrong)
    assert {case for case, well in found.items() if well} == set(right)
    assert verdicts == {True, False}


def part_text(values):
    return f"(fun a : 'I_{len(values)} => nth 0 {column(values)} a)"


def instance_goal(theorem, content, position, term, value):
    """A theorem about special tables at one of them: its right side has Python's value of the left side."""
    size = len(content)
    parts = f"let c := {part_text(content)} in let d := {part_text(position)} in "
    table = {
        "dec_thm1_positional": "fun _ b => d b",
        "dec_thm1_symbolic": "fun a _ => c a",
    }.get(theorem, "fun a b => c a + d b")
    by = f"have [|_ ->] := @{theorem} _ M isT; [by []|]"
    if "additive" in theorem:
        by = f"rewrite (@{theorem} _ M c d isT) //"
    script = f"{by}; rewrite /variance /mean /M /c /d; {COMPUTE}."
    return (
        f"Goal {parts}let M : 'I_{size} -> 'I_{size} -> R := {table} in {term} = {number(value)}. "
        f"Proof. move=> c d M. {script} Qed."
    )


@pytest.mark.parametrize(
    ("theorem", "term"),
    [
        ("dec_thm1_additive", "bound M"),
        ("dec_thm1_additive_slack", "slack M"),
        ("dec_thm1_positional", "bound M"),
        ("dec_thm1_symbolic", "bound M"),
    ],
)
def test_special_tables_have_the_values_of_the_literal_sums(theorem, term):
    source = random.Random(17)
    right, wrong = {}, {}
    for n, size in enumerate((1, 2, 3, 4)):
        content, position = fractions(source, size), fractions(source, size)
        zero = [Fraction(0)] * size
        rows = added(
            zero if theorem == "dec_thm1_positional" else content, zero if theorem == "dec_thm1_symbolic" else position
        )
        value = python_terms(rows)[term]
        right[f"right {n}"] = instance_goal(theorem, content, position, term, value)
        wrong[f"wrong {n}"] = instance_goal(theorem, content, position, term, value + Fraction(1, 5))
    found = accepted("exclusion", right | wrong)
    assert {case for case, well in found.items() if well} == set(right)


# The three readings of uniform attention: the conclusion about the weights, for a table of {m} keys.
UNIFORM = {
    "visible-keys": "forall i, softmax (lambda M) i = 1 / INR {m}",
    "earlier-keys": "forall i, softmax (visible M own) i = 1 / INR {m}.+1",
    "repaired": "forall j k : 'I_{m}, softmax (visible M own) (earlier j) = softmax (visible M own) (earlier k)",
}


def uniform_script(reading, size):
    """Proves a conclusion: all logits are equal, by cases."""
    if reading == "visible-keys":
        return f"apply/softmax_uniform; {each_pair(size)} //="
    if reading == "repaired":
        return f"move=> j k; apply/softmax_eq; rewrite !visible_earlier; move: j k; {each_pair(size)} //="
    known = "case: (unliftP ord_max {0}) => [[[|[|?]] ?]|] -> //=; rewrite ?visible_own ?(visible_earlier M own) //="
    return f"apply/softmax_uniform => i j; {known.format('i')}; {known.format('j')}"


def refuting_script(reading, case):
    """Refutes it at two keys whose logits differ."""
    size, diagonal = case.size, [case.rows[j][j] for j in range(case.size)]
    other = next((j for j in range(size) if diagonal[j] != diagonal[0]), None)
    first, second = key(0, size), key(other or 0, size)
    if reading == "visible-keys":
        return f"move=> /softmax_uniform /(_ {first} {second})"
    if reading == "repaired":
        return f"move=> /(_ {first} {second}) /softmax_eq"
    return f"move=> /softmax_uniform /(_ (earlier {first}) {'ord_max' if other is None else f'(earlier {second})'})"


def uniform_goal(reading, case, uniform):
    script = uniform_script(reading, case.size) if uniform else refuting_script(reading, case)
    conclusion = UNIFORM[reading].format(m=case.size)
    return (
        f"Goal {table_text(case.rows)}let own := {number(case.own)} in {'' if uniform else '~ '}({conclusion}). Proof. "
        f"move=> M own. {script}; rewrite ?visible_earlier ?visible_own /lambda /M /own /=; lra. Qed."
    )


@pytest.mark.parametrize("reading", UNIFORM)
def test_uniform_attention_means_what_python_decides_on_the_logits(reading):
    statement = claims()[f"dec.definitions.uniform.{reading}"].statement
    cases = [
        TableCase.of([["1/2"]], "1/2"),
        TableCase.of([[0]], 1),
        TableCase.of([[0, 0], [0, 0]], 1),
        TableCase.of([[2, 2], [2, 2]], 2),
        TableCase.of([[1, 0], [0, 1]], 1),
        TableCase.of([[0, 1], [0, 1]], 0),
        TableCase.of([["1/3", "1/3"], [0, 0]], "1/3"),
    ]
    verdicts = [bool(statement.conclusion(case)) for case in cases]
    assert set(verdicts) == {True, False}
    right = {f"right {n}": uniform_goal(reading, cases[n], verdict) for n, verdict in enumerate(verdicts)}
    wrong = {f"wrong {n}": uniform_goal(reading, cases[n], not verdict) for n, verdict in enumerate(verdicts)}
    found = accepted("exclusion", right | wrong)
    assert {case for case, well in found.items() if well} == set(right)


def weight_goal(case, divisor):
    """The weight of the query's own key, which is not among the table's."""
    return (
        f"Goal {table_text(case.rows)}softmax (visible M 3) ord_max = exp 3 / ({divisor}). Proof. move=> M. "
        "rewrite /softmax sum_visible visible_own !big_ord_recl big_ord0 /lambda /M /=; "
        "rewrite Rplus_0_r -?Rplus_assoc. reflexivity. Qed."
    )


def test_the_softmax_runs_over_the_earlier_keys_and_then_the_own_key():
    case = TableCase.of([["1/2", 7], [8, -1]], 3)
    goals = {"right": weight_goal(case, "exp (1 / 2) + exp (-1) + exp 3")}
    goals["no own key"] = weight_goal(case, "exp (1 / 2) + exp (-1)")
    goals["another entry"] = weight_goal(case, "exp (1 / 2) + exp 7 + exp 3")
    assert accepted("exclusion", goals) == {"right": True, "no own key": False, "another entry": False}


ROTARY = [
    RotaryCase.of([[1, 0]], [[1, 2]], [[[1, -1]], [["1/2", 3]]]),  # no angle
    RotaryCase.of([["3/5", "4/5"]], [[1, 2]], [[["1/2", 3]], [["1/2", 3]]]),  # equal keys
    RotaryCase.of([[-1, 0]], [[1, 0]], [[[1, 0]], [[1, 0]]]),  # half turns
    RotaryCase.of([["3/5", "4/5"]], [[1, 2]], [[[0, 1]], [[1, 0]]]),  # keys of equal length
    RotaryCase.of([[1, 0], ["-4/5", "3/5"]], [[1, 0], [2, 1]], [[[1, 1], [0, 2]], [[1, 1], [0, 2]]]),
    RotaryCase.of([[0, 1], ["5/13", "12/13"]], [[1, -1], [2, 1]], [[[1, 3], [0, 2]], [[2, 1], [1, "1/3"]]]),
    RotaryCase.of([["4/5", "-3/5"]], [[2, 1]], [[[1, 3]], [[0, 2]], [["1/2", -2]]]),
]


def plane_text(vectors):
    return "[:: " + "; ".join(f"({number(x)}, {number(y)})" for x, y in vectors) + "]"


def rotary_goal(case, conclusion, script):
    """About every list of angles whose cosines and sines are the case's turns."""
    planes, size = len(case.turns), len(case.keys)
    keys = "[:: " + "; ".join(map(plane_text, case.keys)) + "]"
    places = [f"(theta {'(lift ord0 ' * f}ord0{')' * f})" for f in range(planes)]
    turns = zip(places, case.turns, strict=True)
    angles = "".join(f"cos {at} = {number(x)} -> sin {at} = {number(y)} -> " for at, (x, y) in turns)
    named = " ".join(f"C{f} S{f}" for f in range(planes))
    return (
        f"Goal forall theta : 'I_{planes} -> R, {angles}"
        f"let q := fun f : 'I_{planes} => nth (0, 0) {plane_text(case.query)} f in "
        f"let k := fun (a : 'I_{size}) (f : 'I_{planes}) => nth (0, 0) (nth [::] {keys} a) f in "
        f"let M := rope_table theta q k in {conclusion}. "
        f"Proof. move=> theta {named} q k M. have entry a b : "
        f"M a b = sum_(f < {planes}) dot (k a f) (iter ({size}.+1 - b.+1) (turn (theta f)) (q f)) "
        "by apply: eq_bigr => f _; apply: dot_turn_distance; apply: leqW; apply: ltn_ord. "
        f"{script} Qed."
    )


def computed(case):
    """Turns entries of the rotary table into numbers."""
    facts = " ".join(f"?C{f} ?S{f}" for f in range(len(case.turns)))
    return f"rewrite !entry !big_ord_recl !big_ord0 /q /k /dot /turn /= {facts}"


def entry_goal(case, a, b, value):
    size = len(case.keys)
    conclusion = f"M {key(a, size)} {key(b, size)} = {number(value)}"
    return rotary_goal(case, conclusion, f"{computed(case)}; field.")


def test_the_rotary_table_has_the_entries_of_the_python_table():
    right, wrong = {}, {}
    for n, case in enumerate(ROTARY):
        for a, row in enumerate(case.table.rows):
            for b, value in enumerate(row):
                right[f"right {n} {a} {b}"] = entry_goal(case, a, b, value)
        wrong[f"wrong {n}"] = entry_goal(case, 0, 0, case.table.rows[0][0] + 1)
    found = accepted("exclusion", right | wrong)
    assert {case for case, well in found.items() if well} == set(right)


def rotary_verdict_goal(name, case, holds):
    """That the head is, or is not, positional or symbolic on the input."""
    rows, size, (_, lines, owner) = case.table.rows, len(case.keys), READ[name]
    if holds:
        script = f"apply/{name}_{lines}; {each_pair(size)} //= _; rewrite /lambda; {computed(case)}; lra."
    else:
        a, b = (key(place, size) for place in off_own_logit(rows, owner))
        script = f"move=> /{name}_entry /(_ {a} {b}); rewrite /lambda; {computed(case)}; lra."
    return rotary_goal(case, f"{'' if holds else '~ '}{name} M", script)


@pytest.mark.parametrize("name", READ)
def test_rotary_heads_are_positional_or_symbolic_where_python_says_so(name):
    claim = claims()["dec.definitions." + ("nope-symbolic" if name == "symbolic" else "equal-keys-positional")]
    right, wrong, verdicts = {}, {}, set()
    for n, case in enumerate(ROTARY):
        verdict = bool(claim.statement.conclusion(case))
        right[f"right {n}"] = rotary_verdict_goal(name, case, verdict)
        wrong[f"wrong {n}"] = rotary_verdict_goal(name, case, not verdict)
        verdicts.add(verdict)
    found = accepted("exclusion", right | wrong)
    assert {case for case, well in found.items() if well} == set(right)
    assert verdicts == {True, False}
