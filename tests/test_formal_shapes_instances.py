"""The Coq refutations of theorem 7's printed shapes, at cases that Python decides.

The denied statement contradicts itself at a case exactly where Python refutes the claim there, by the steps of the
weights alone.
"""

from __future__ import annotations

from fractions import Fraction

import pytest
from coq_angles import cosine
from coq_words import assert_refuted_at, goal, place, real, right_ones

from headproof.checks.engines import coq
from headproof.checks.registry import claims
from headproof.theory.angles import Angle
from headproof.theory.formal import theorems
from headproof.theory.shapes import ShapeCase

pytestmark = pytest.mark.skipif(coq.coqc() is None, reason=coq.MISSING)
FILE = "shapes"


def step(case: ShapeCase, j: int, matched: bool) -> str:
    """Tactics that bring in what the denied `shape` says of the weights at j and j + 1, and how these two compare."""
    theta, at = f"(PI * {real(case.theta.turns)})", f"{place(j - 1, case.keys)} {place(j, case.keys)}"
    if matched:
        theorem, unfold = f"@symbolic_step {case.keys} {real(case.c)} {theta} 0", "/drop /place /centre"
        centre = Fraction(case.keys + 1, 2)
        angles = [case.theta.turns * (each - centre) for each in (j, j + 1)]
        shown = [f"cos ({theta} * ({each} - (INR {case.keys} + 1) / 2))" for each in (f"INR {j}", f"(INR {j} + 1)")]
    else:
        theorem, unfold = f"@positional_step {case.keys} {real(case.c)} {theta}", "/gap /place"
        angles = [case.theta.turns * each for each in (j, case.keys - j)]
        shown = [f"cos ({theta} * {each})" for each in (f"INR {j}", f"(INR {case.keys} - INR {j})")]
    facts = ""
    for name, form, angle in zip(("first", "second"), shown, angles, strict=True):
        value, proof = cosine(FILE, angle)
        facts += f"have {name} : {form} = {real(value)} by rewrite /=; {proof}. "
    return (
        f"{facts}have := {theorem} {at} pos erefl; rewrite {unfold} [nat_of_ord _]/= first second; clear first second; "
        f"have := shape {at} erefl; move=> [a b]; try (have := a isT); try (have := b isT); clear a b. "
    )


def refutes(case: ShapeCase, matched: bool) -> str:
    """Tactics that prove False from what the theorem denies, by all that it says at this case."""
    other = " 0" if matched else ""
    steps = "".join(step(case, j, matched) for j in range(1, case.keys))
    return (
        f"move=> printed; have pos : 0 < {real(case.c)} by lra. "
        f"have shape := printed {case.keys}%N (PI * {real(case.theta.turns)}) {real(case.c)}{other} pos. {steps} lra."
    )


BOTH = {
    "dec.thm7.u-shape": ("dec_thm7_u_shape_fails", False, ShapeCase(Angle(Fraction(2, 3)), 3)),
    "dec.thm7.inverted-u": ("dec_thm7_inverted_u_fails", True, ShapeCase(Angle(Fraction(2, 3)), 5)),
}
# Numbers of keys and multiples of pi, all steps of which have rational cosines.
CASES = {
    "dec.thm7.u-shape": [(3, "1/2"), (3, "7/3"), (3, "3"), (4, "2/3"), (4, "1"), (5, "2/3"), (2, "1")],
    "dec.thm7.inverted-u": [(3, "1"), (4, "2/3"), (4, "2"), (5, "4/3"), (5, "1"), (6, "2/3"), (7, "2/3")],
}


@pytest.mark.parametrize("claim_id", BOTH)
def test_the_printed_shape_fails_at_its_counterexample(claim_id):
    """At the counterexample, but not where the claim holds: at 2 pi / 3 the three weights of H_POS are level."""
    name, matched, other = BOTH[claim_id]
    assert_refuted_at(FILE, name, claims()[claim_id], lambda case: refutes(case, matched), other)


@pytest.mark.parametrize("claim_id", BOTH)
def test_the_printed_shape_fails_where_python_says(claim_id):
    """The denied statement is contradicted at just those cases, in and out of the range, that refute the claim."""
    name, matched, _ = BOTH[claim_id]
    denied = theorems(FILE)[name].statement.strip().removeprefix("~ ")
    cases = [ShapeCase(Angle.of_pi(share), keys, Fraction(3, 2)) for keys, share in CASES[claim_id]]
    cases.append(ShapeCase(Angle.of_pi(1), 5, Fraction(-1)))  # no weight above 0
    texts = {str(case): goal(f"({denied}) -> False", refutes(case, matched)) for case in cases}
    expected = {str(case) for case in cases if claims()[claim_id].statement.refuted_by(case)}
    assert right_ones(FILE, texts) == expected
    assert 3 <= len(expected) <= 5
