"""The Coq statements of theorem 7 against the Python ones: logits, steps of the target, shapes, ranges, theorems."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
import sympy
from coq_angles import COSINES, cosine, folded
from coq_words import goal, place, real

from headproof.checks.engines import coq
from headproof.checks.engines.kernel import accepted
from headproof.constructions.expressivity import h_pos
from headproof.constructions.tasks import index_task
from headproof.theory.angles import Angle, reduced
from headproof.theory.shapes import (
    ShapeCase,
    falls_then_rises,
    is_inverted,
    is_inverted_u_shaped,
    is_u_shaped,
    positional_step,
    symbolic_step,
)
from headproof.theory.shapes.claims import u_beyond

pytestmark = pytest.mark.skipif(coq.coqc() is None, reason=coq.MISSING)

FILE = "shapes"
ORDER = {-1: "<", 0: "=", 1: ">"}


def known(turns: Fraction) -> bool:
    """Whether the cosine of so many times pi is rational."""
    return folded(turns)[2] in COSINES


# -- logits and steps ----------------------------------------------------------------------------------------------


def test_the_logits_are_those_of_the_construction():
    """The logits of H_POS, from its exact weights in Python, are Coq's; a number beside it is not."""
    texts = {}
    for keys, turns in ((3, Fraction(1, 3)), (4, Fraction(1, 2))):
        head, task = h_pos(("a", "b"), keys, sympy.pi * turns), index_task(("a", "b"), keys)
        for target in range(1, keys):
            logits = head.logits(task.encode((*"abab"[: keys - 1], target)))
            for k in range(1, keys + 1):
                value = Fraction(str(logits[k - 1]))
                tactics = (
                    "rewrite /positional_logit /place /= Rmult_1_l; "
                    f"{cosine(FILE, turns * (target - k))[1]}."
                )  # fmt: skip
                logit = f"positional_logit 1 (PI * {real(turns)}) {place(target - 1, keys)} {place(k - 1, keys)}"
                texts[f"{keys} {target} {k}"] = goal(f"{logit} = {real(value)}", tactics)
                texts[f"{keys} {target} {k}, beside"] = goal(f"{logit} = {real(value + 1)}", tactics)
    found = accepted(FILE, texts)
    assert {name for name, holds in found.items() if holds} == {name for name in texts if "beside" not in name}


def step_text(case: ShapeCase, j: int, order: str, matched: bool) -> str:
    """`w(j+1) < w(j)`, or another order, from the definition of the weights."""
    here, there = place(j - 1, case.keys), place(j, case.keys)
    theta, c = f"(PI * {real(case.theta.turns)})", real(case.c)
    if matched:
        half = Fraction(case.keys + 1, 2)
        distances = (j - half, j + 1 - half)
        weight, step, unfold = f"symbolic_weight {c} {theta} 0", f"symbolic_step {theta} 0", "/drop /place /centre"
        forms = [f"cos ({theta} * ({shown} - (INR {case.keys} + 1) / 2))" for shown in (f"INR {j}", f"(INR {j} + 1)")]
    else:
        distances = (Fraction(j), Fraction(case.keys - j))
        weight, step, unfold = f"positional_weight {c} {theta}", f"positional_step {theta}", "/gap /place"
        forms = [f"cos ({theta} * INR {j})", f"cos ({theta} * (INR {case.keys} - INR {j}))"]
    facts = ""
    for name, form, distance in zip(("first", "second"), forms, distances, strict=True):
        value, proof = cosine(FILE, case.theta.turns * distance)
        facts += f"have {name} : {form} = {real(value)}. {{ rewrite /=; {proof}. }} "
    return goal(
        f"{weight} {there} {order} {weight} {here}",
        f"have pos : 0 < {c} by lra. {facts}"
        f"have := {step} pos (erefl : nat_of_ord {there} = (nat_of_ord {here}).+1). "
        f"rewrite {unfold} [nat_of_ord _]/= first second. lra.",
    )


@pytest.mark.parametrize("matched", [False, True])
def test_steps_of_the_weights(matched):
    """The order of two neighbouring targets' weights is the one that Python decides, and no other."""
    draw, texts, expected = random.Random(int(matched)), {}, set()
    seen = set()
    while len(expected) < 9:
        keys = draw.randrange(2, 7)
        turns = Fraction(draw.randrange(0, 9), draw.choice((2, 3))) * (2 if matched and keys % 2 == 0 else 1)
        case = ShapeCase(Angle(turns), keys, Fraction(draw.randrange(1, 5), draw.randrange(1, 4)))
        j = draw.randrange(1, keys)
        name = f"{case}, {j}"
        half = Fraction(2 * j - keys - 1, 2)
        if name in seen or (matched and not (known(turns * half) and known(turns * (half + 1)))):
            continue
        seen.add(name)
        right = (symbolic_step if matched else positional_step)(case, j)
        for order in ORDER.values():
            texts[f"{name}: {order}"] = step_text(case, j, order, matched)
        expected.add(f"{name}: {ORDER[right]}")
    found = accepted(FILE, texts)
    assert {name for name, holds in found.items() if holds} == expected
    assert len({name[-1] for name in expected}) == 3


# -- shapes --------------------------------------------------------------------------------------------------------

SHAPES = {
    "falls_then_rises": lambda step, keys: falls_then_rises(step, keys),
    "rises_then_falls": lambda step, keys: falls_then_rises(lambda j: -step(j), keys),
    "falls_then_rises_or_stays": lambda step, keys: falls_then_rises(step, keys, at_most=0),
    "rises_then_falls_or_stays": lambda step, keys: falls_then_rises(lambda j: -step(j), keys, at_most=0),
}


def shape_texts(shape: str, weights: list[int]) -> dict[bool, str]:
    """That some numbers have a shape, and that they do not; tactics that look at every step."""
    keys = len(weights)
    said = f"{shape} (fun i : 'I_{keys} => nth 0 [:: {'; '.join(map(str, weights))}] i)"
    every = "move=> [i li] [j lj] /= e; subst j; do 6? [case: i li lj => [|i] // li lj]; split=> //= half; lra."
    steps = "".join(
        f"have := shape {place(i, keys)} {place(i + 1, keys)} erefl; rewrite /=; move=> [a b]; "
        "try (have := a isT); try (have := b isT); clear a b; "
        for i in range(keys - 1)
    )
    return {True: goal(said, every), False: goal(f"~ {said}", f"move=> shape. {steps} lra.")}


@pytest.mark.parametrize("shape", SHAPES)
def test_shapes_of_given_numbers(shape):
    """A row of numbers has a shape in Coq exactly where it has it in Python."""
    draw, texts, expected = random.Random(7), {}, set()
    rows = [
        [2, 1, 2],
        [2, 1, 1, 2],
        [2, 1, 0, 2],
        [1, 2, 1],
        [0, 1, 1, 0],
        [0, 1, 3, 1],
        [1, 1, 1],
        [2, 1],
        [1],
        [3, 2, 1, 2, 3],
    ]
    rows += [[draw.randrange(3) for _ in range(draw.randrange(3, 6))] for _ in range(6)]
    for weights in rows:

        def step(j: int, weights: list[int] = weights) -> int:
            return (weights[j] > weights[j - 1]) - (weights[j] < weights[j - 1])

        for holds, text in shape_texts(shape, weights).items():
            texts[f"{weights} {holds}"] = text
        expected.add(f"{weights} {SHAPES[shape](step, len(weights))}")
    found = accepted(FILE, texts)
    assert {name for name, holds in found.items() if holds} == expected
    assert {name.rpartition(" ")[2] for name in expected} == {"True", "False"}


# -- ranges and theorems -------------------------------------------------------------------------------------------


def reduced_tactics(turns: Fraction, period: int) -> str:
    """Tactics for `reduced (period * PI) (PI * turns) x`: the number of turns and the sign."""
    whole = round(turns / period)
    side = "left" if turns >= whole * period else "right"
    return f"split; [have := PI_RGT_0; lra | exists ({whole})%Z; {side}; field]."


@pytest.mark.parametrize("period", [2, 4])
def test_reduced_angles(period):
    """Coq's reduced angle is Python's, and nothing beside it."""
    draw, texts, expected = random.Random(period), {}, set()
    for _ in range(10):
        turns = Fraction(draw.randrange(-60, 60), draw.randrange(1, 9))
        right = reduced(Angle(turns), period).turns
        for value in (right, right + Fraction(1, 7), -right - 1):
            texts[f"{turns} to {value}"] = goal(
                f"reduced ({period} * PI) (PI * {real(turns)}) (PI * {real(value)})", reduced_tactics(turns, period)
            )
        expected.add(f"{turns} to {right}")
    found = accepted(FILE, texts)
    assert {name for name, holds in found.items() if holds} == expected


def range_texts(case: ShapeCase, matched: bool) -> dict[bool, str]:
    """That the weights have their shape at a case, and that they do not, both by the theorem of the range alone."""
    keys, turns = case.keys, case.theta.turns
    theta, c = f"(PI * {real(turns)})", real(case.c)
    period = 4 if matched and keys % 2 == 0 else 2
    if matched:
        said = f"rises_then_falls (fun j : 'I_{keys} => symbolic_weight {c} {theta} 1 j)"
        theorem, room = f"@dec_thm7_inverted_u_range {keys} {theta} {c} 1 isT pos", keys - 2
    else:
        said = f"falls_then_rises (fun j : 'I_{keys} => positional_weight {c} {theta} j)"
        theorem, room = f"@dec_thm7_u_shape_range {keys} {theta} {c} isT pos", keys
    opening = f"have pos : 0 < {c} by lra. have pi := PI_RGT_0. have [only enough] := {theorem}. "
    inside = f"apply: enough. exists (PI * {real(reduced(case.theta, period).turns)}); split; last (rewrite /=; lra). "
    inside += "rewrite /=. "
    # x = PI * y: whatever the number z of turns, y is too large, or 0.
    whole = int(turns // period)
    outside = (
        "move=> /only [x [[_ [z eq]] [x0 x1]]]. rewrite /= in eq x1. "
        "pose y := x / PI. have ex : x = PI * y by rewrite /y; field; lra. have y0 : 0 < y by nra. "
        f"have y1 : y < 2 / {room} "
        f"by (have e1 : 2 * PI / {room} = PI * (2 / {room}) by field); apply: (Rmult_lt_reg_l PI); lra. "
        f"have e : {real(turns)} = {period} * IZR z + y \\/ {real(turns)} = {period} * IZR z - y "
        "by case: eq => eq; [left | right]; apply: (Rmult_eq_reg_l PI); lra. "
        f"have [/IZR_le bound | [bound | /IZR_le bound]] : "
        f"(z <= {whole - 1})%Z \\/ z = ({whole})%Z \\/ ({whole + 1} <= z)%Z by lia. "
        "all: try rewrite bound in e; case: e => e; lra."
    )
    return {
        True: goal(said, opening + inside + reduced_tactics(turns, period)),
        False: goal(f"~ {said}", opening + outside),
    }


@pytest.mark.parametrize("matched", [False, True])
def test_the_ranges(matched):
    """What the theorem of the range says of a case is what Python finds by going through all its steps."""
    draw, texts, expected = random.Random(11 + matched), {}, set()
    edge = [(keys, Fraction(2, keys - 2 if matched else keys)) for keys in range(4, 8)]
    chosen = [(keys, turns + shift) for keys, turns in edge for shift in (0, Fraction(1, 97), Fraction(-1, 97))]
    chosen += [(6, Fraction(9, 4)), (5, Fraction(9, 4)), (6, Fraction(17, 4)), (3, Fraction(1)), (4, Fraction(0))]
    chosen += [(draw.randrange(3, 9), Fraction(draw.randrange(-40, 40), draw.randrange(4, 24))) for _ in range(8)]
    for keys, turns in chosen:
        case = ShapeCase(Angle(turns), keys, Fraction(draw.randrange(1, 5), 2))
        right = (is_inverted_u_shaped if matched else is_u_shaped)(case)
        for holds, text in range_texts(case, matched).items():
            texts[f"{case} {holds}"] = text
        expected.add(f"{case} {right}")
    found = accepted(FILE, texts)
    assert {name for name, holds in found.items() if holds} == expected
    assert {name.rpartition(" ")[2] for name in expected} == {"True", "False"}


def test_just_beyond_the_range():
    """Where Python's premises of the claim hold, and only there, the theorem gives the inverted U that Python finds."""
    draw, texts, expected = random.Random(3), {}, set()
    for keys in range(3, 8):
        turns = [Fraction(2, keys) + Fraction(1, 50), Fraction(2, keys), Fraction(2, keys) - Fraction(1, 50)]
        turns += [Fraction(draw.randrange(1, 20), 20) for _ in range(3)]
        for each in turns:
            case = ShapeCase(Angle(each), keys)
            text = goal(
                f"rises_then_falls (fun j : 'I_{keys} => positional_weight 1 (PI * {real(each)}) j)",
                f"have pi := PI_RGT_0. apply: (dec_thm7_u_shape_beyond (x := PI * {real(each)})) => //; rewrite /=; "
                f"try lra. {reduced_tactics(each, 2)}",
            )
            texts[str(case)] = text
            if all(premise.holds(case) for premise in u_beyond.statement.premises):
                expected.add(str(case))
                assert is_inverted(case)
    found = accepted(FILE, texts)
    assert {name for name, holds in found.items() if holds} == expected
    assert 5 <= len(expected) < len(texts)
