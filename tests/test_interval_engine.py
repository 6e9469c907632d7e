"""Certified branch and bound: what it finds, what its checker refuses, and that undecided is never taken for either."""

import json
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import given, settings
from hypothesis import strategies as st

from headproof.checks.engines.boxes import leaves, simplest
from headproof.checks.engines.interval import (
    Certificate,
    Limits,
    Refutation,
    Rejected,
    Root,
    Tree,
    ball,
    decided,
    every,
    negated,
    precision,
    search,
    some,
    verify,
)
from headproof.theory.claim import Verdict
from headproof.theory.errors import InputError

SMALL = Limits(width=Fraction(1, 1 << 12))
rationals = st.fractions(min_value=-9, max_value=9, max_denominator=40)


def cosines(balls, parameters):
    """cos(x j) > cos(x (N - j)): true for 2 j < N where 0 < x N < 2 pi."""
    (x,), (size, j) = balls, parameters
    return decided((x * j).cos() - (x * (size - j)).cos())


PAIRS = [
    Root.of([(Fraction(1, 8 * size), Fraction(6, size))], (size, j)) for size in range(2, 8) for j in range(size // 2)
]
HALF = Root.of([("1/3", 2)])  # where cos x > 1/2 fails from pi/3 on
UNIT = Root.of([(0, 1)])


def above_half(balls, _):
    return decided(balls[0].cos() - arb(1) / 2)


def away_from_third(balls, _):
    """(3 x - 1)^2 > 0, which fails at 1/3 alone."""
    return decided((3 * balls[0] - 1) ** 2)


def ends(value):
    """The exact ends of a ball."""
    middle, radius = (
        Fraction(int(m)) * Fraction(2) ** int(e) for m, e in (value.mid().man_exp(), value.rad().man_exp())
    )
    return middle - radius, middle + radius


def contains(value, lower, upper):
    low, high = ends(value)
    return low <= lower and upper <= high


@st.composite
def boxes(draw):
    sides = draw(st.lists(st.tuples(rationals, rationals), min_size=0, max_size=3))
    return Root.of([(min(side), max(side)) for side in sides], draw(st.lists(st.integers(-5, 5), max_size=2)))


# -- balls and answers ------------------------------------------------------------------------------------


@given(rationals, rationals, st.sampled_from([2, 10, 53, 200]))
def test_a_ball_contains_its_interval(one, two, bits):
    lower, upper = min(one, two), max(one, two)
    assert contains(ball(lower, upper, bits), lower, upper)


def test_a_ball_is_no_wider_than_rounding_makes_it():
    low, high = ends(ball(Fraction(1, 3), Fraction(2, 3), 128))
    assert Fraction(1, 3) - Fraction(1, 10**8) < low < Fraction(1, 3)
    assert Fraction(2, 3) < high < Fraction(2, 3) + Fraction(1, 10**8)
    low, high = ends(ball(Fraction(1, 3), Fraction(1, 3), 128))
    assert 0 < high - low < Fraction(1, 1 << 120)
    assert ends(ball(Fraction(3, 8), Fraction(3, 8), 53)) == (Fraction(3, 8), Fraction(3, 8))


def test_a_ball_from_upper_to_lower_is_refused():
    with pytest.raises(InputError, match=r"\[1, 0\]"):
        ball(Fraction(1), Fraction(0), 53)


def test_the_precision_comes_back():
    before = ctx.prec

    def works():
        with precision(200):
            assert ctx.prec == 200
            raise ZeroDivisionError

    def fails(balls, _):
        return decided(1 / arb(0)) if ctx.prec == 53 else 1 / 0

    with pytest.raises(ZeroDivisionError):
        works()
    assert ctx.prec == before
    with pytest.raises(ZeroDivisionError):
        search(fails, [UNIT])
    assert ctx.prec == before
    with pytest.raises(ZeroDivisionError):
        verify(Certificate((53, 99), (Tree(UNIT, "1"),), 1), fails, [UNIT])
    assert ctx.prec == before


@pytest.mark.parametrize(
    ("value", "strict", "otherwise"),
    [
        (arb(2, 1), True, True),
        (arb(0), False, True),
        (arb(0, 1), None, None),
        (arb(-1, 1), None, None),
        (arb(-2, 1), False, False),
        (arb("nan"), None, None),
        (arb("0 +/- inf"), None, None),
        (arb("inf"), True, True),
        (arb(1) / arb(0, 1), None, None),
    ],
)
def test_undecided_is_neither_true_nor_false(value, strict, otherwise):
    assert decided(value) is strict
    assert decided(value, strict=False) is otherwise


@pytest.mark.parametrize("value", [1, 0.5, True, None, np.float64(1)])
def test_only_balls_are_decided(value):
    with pytest.raises(InputError, match="ball"):
        decided(value)


@pytest.mark.parametrize(
    "answers", [list(each) for size in range(4) for each in product((True, False, None), repeat=size)]
)
def test_three_valued_answers(answers):
    """An open answer counts as what every way to settle it makes of the whole."""
    settled = [
        [value if value is not None else fill.pop() for value in answers]
        for fill in (list(each) for each in product((True, False), repeat=answers.count(None)))
    ]
    for kleene, classic in ((every, all), (some, any)):
        possible = {classic(each) for each in settled}
        assert kleene(answers) is (possible.pop() if len(possible) == 1 else None)
    assert negated(every(answers)) is some(map(negated, answers))


@pytest.mark.parametrize("answer", [1, 0, np.True_, np.False_, "", arb(1)])
def test_other_answers_are_refused(answer):
    for call in (lambda: every([answer]), lambda: some([answer]), lambda: negated(answer)):
        with pytest.raises(InputError, match="answered"):
            call()
    with pytest.raises(InputError, match="answered"):
        search(lambda balls, parameters: answer, [UNIT])
    with pytest.raises(Rejected, match="not certain"):
        verify(Certificate((53,), (Tree(UNIT, "0"),), 1), lambda balls, parameters: answer, [UNIT])


def test_answers_are_asked_no_further_than_needed():
    def asked():
        yield False
        raise AssertionError

    assert every(asked()) is False
    assert some(negated(each) for each in asked()) is True


@given(rationals, rationals)
def test_simplest_numbers(one, two):
    lower, upper = min(one, two), max(one, two)
    found = simplest(lower, upper)
    assert lower <= found <= upper
    inside = [
        Fraction(p, q)
        for q in range(1, found.denominator + 1)
        for p in range(-9 * q, 9 * q + 1)
        if lower * q <= p <= upper * q
    ]
    assert found == min(inside, key=lambda value: (value.denominator, abs(value)))


# -- search and check agree -------------------------------------------------------------------------------


def test_a_theorem_is_certified():
    found = search(cosines, PAIRS)
    assert found.verdict is Verdict.HOLDS
    assert verify(found, cosines, PAIRS) is Verdict.HOLDS
    assert found.boxes == sum(len(tree.codes) for tree in found.trees)
    assert found == search(cosines, PAIRS)
    assert any(len(tree.codes) > 9 for tree in found.trees)


@given(boxes(), st.integers(0, 10**6), st.integers(1, 40))
@settings(max_examples=60)
def test_leaves_cover_the_root_once(root, seed, most):
    """Whatever a predicate answers: the leaves' volumes add up, they do not overlap, and verify finds the same."""
    rng = np.random.default_rng(seed)
    seen = []

    def predicate(balls, parameters):
        assert parameters == root.parameters
        answer = (True, None)[rng.integers(2)]
        seen.append((balls, answer))
        return answer

    limits = Limits(boxes=most, width=Fraction(1, 50), precisions=(53,))
    tree = search(predicate, [root], limits).trees[0]
    covered = [box for _, box in leaves(tree)]
    lengths = [upper - lower for lower, upper in root.box]
    positive = [axis for axis, length in enumerate(lengths) if length]
    shares = [
        Fraction(np.prod([(box[axis][1] - box[axis][0]) / lengths[axis] for axis in positive], initial=Fraction(1)))
        for box in covered
    ]
    assert sum(shares) == 1
    for one, two in combinations(covered, 2):
        assert any(one[axis][1] <= two[axis][0] or two[axis][1] <= one[axis][0] for axis in positive)
    certain = [box for code, box in leaves(tree) if code == "0"]
    # A box that is looked at closer is asked about again, at its midpoint: points are left out.
    answered = [balls for balls, answer in seen if answer]
    assert len(certain) <= len(answered)
    for box in certain:
        assert any(all(contains(value, *side) for value, side in zip(balls, box, strict=True)) for balls in answered)


@pytest.mark.parametrize("box", [[("1/3", "22/7")], [("1/3", "5/7"), ("-1/9", 3)], [(0, 1), (2, 2), ("1/7", "1/5")]])
@pytest.mark.parametrize("bits", [12, 20, 53])
def test_the_balls_of_the_search_contain_its_boxes(box, bits):
    """In the order of the tree: each leaf, with exact endpoints, lies in the balls that were found certain."""
    certain = []

    def predicate(balls, _):
        widest = max(value.rad() for value in balls)
        if widest > 0.05:
            return None
        if widest > 0.012:  # else it is a midpoint
            certain.append(balls)
        return True

    found = search(predicate, [Root.of(box)], Limits(precisions=(bits,)))
    assert found.verdict is Verdict.HOLDS
    assert len(certain) > 8
    for balls, (_, leaf) in zip(certain, found.leaves(), strict=True):
        assert all(contains(value, *side) for value, side in zip(balls, leaf, strict=True))


def test_the_widest_side_is_cut():
    found = search(lambda balls, _: True if balls[1].rad() < 0.3 else None, [Root.of([(0, 1), (0, 4)])])
    assert found.trees[0].codes[:2] == "bb"
    assert search(lambda balls, _: None, [Root.of([(0, 1), (0, 1)])], Limits(boxes=1)).trees[0].codes == "a--"


def test_integers_alone_need_no_box():
    roots = [Root((), (k,)) for k in range(4)]

    def predicate(balls, parameters):
        return decided(arb(3 - parameters[0]))

    assert verify(search(predicate, roots[:3]), predicate, roots[:3]) is Verdict.HOLDS
    found = search(predicate, roots)
    assert found.refutation == Refutation(3, ())
    assert verify(found, predicate, roots) is Verdict.REFUTED
    assert search(lambda balls, _: None, roots).verdict is Verdict.UNDECIDED


def test_nothing_to_cover_is_vacuous():
    assert verify(search(cosines, []), cosines, []) is Verdict.VACUOUS


def test_progress_is_told():
    told = []
    search(lambda balls, _: None, [UNIT], Limits(boxes=40_000, precisions=(53,)), lambda *now: told.append(now))
    assert told == [(1 << 14, 0), (1 << 15, 0)]


# -- refuted ----------------------------------------------------------------------------------------------


def test_a_false_statement_is_refuted_by_a_rational_point():
    found = search(above_half, [UNIT, HALF, UNIT])
    assert found.verdict is Verdict.REFUTED
    assert found.refutation.tree == 1
    (point,) = found.refutation.point
    assert Fraction(1047, 1000) < point <= 2
    assert point.denominator < 10
    assert found.trees[2].codes == "-"
    assert verify(found, above_half, [UNIT, HALF, UNIT]) is Verdict.REFUTED


def test_the_point_is_exactly_a_counterexample():
    found = search(lambda balls, _: decided(3 * balls[0] - 1), [UNIT])
    (point,) = found.refutation.point
    assert 3 * point - 1 <= 0
    assert found.trees[0].codes.count("!") == 1


def test_a_midpoint_refutes_where_no_box_does():
    """(2 x - 1)^2 > 0 fails at 1/2 alone."""

    def predicate(balls, _):
        return decided((2 * balls[0] - 1) ** 2)

    found = search(predicate, [UNIT])
    assert found.refutation == Refutation(0, (Fraction(1, 2),))
    assert verify(found, predicate, [UNIT]) is Verdict.REFUTED


def test_a_box_is_refuted_only_with_a_point():
    """A predicate that is false on a box but not at points inside contradicts itself: undecided, not refuted."""
    found = search(lambda balls, _: False if balls[0].rad() > 0 else None, [UNIT])
    assert found.refutation is None
    assert found.trees[0].codes == "?"
    assert found.verdict is Verdict.UNDECIDED

    def lower_half(balls, _):
        """The same below 1/2; above it, true at the least precision, to which the search must come back."""
        if balls[0].rad() == 0 or balls[0].rad() > 0.4:
            return None
        return False if balls[0] < 0.6 else ctx.prec == 53 or None

    assert search(lower_half, [UNIT]).trees[0].codes == "a?0"


@pytest.mark.parametrize(
    ("point", "message"),
    [
        ((Fraction(1, 2),), "not certainly false"),
        ((Fraction(3),), "not in"),
        ((Fraction(1, 4),), "not in"),
        ((), "not in"),
        ((Fraction(3, 2), Fraction(0)), "not in"),
    ],
)
def test_wrong_points_are_rejected(point, message):
    found = replace(search(above_half, [HALF]), refutation=Refutation(0, point))
    with pytest.raises(Rejected, match=message):
        verify(found, above_half, [HALF])


def test_an_undecided_point_refutes_nothing():
    certificate = Certificate((53, 128), (Tree(UNIT, "!"),), 1, Refutation(0, (Fraction(1, 3),)))
    with pytest.raises(Rejected, match="not certainly false at \\(1/3\\)"):
        verify(certificate, away_from_third, [UNIT])


# -- undecided --------------------------------------------------------------------------------------------


def test_touching_equality_stays_undecided():
    found = search(away_from_third, [UNIT], SMALL)
    assert found.verdict is Verdict.UNDECIDED
    assert found.refutation is None
    assert verify(found, away_from_third, [UNIT]) is Verdict.UNDECIDED
    open_boxes = [side for _, (side,) in found.leaves("?")]
    assert 1 <= len(open_boxes) <= 4
    assert any(lower <= Fraction(1, 3) <= upper for lower, upper in open_boxes)
    assert all(abs(lower - Fraction(1, 3)) < Fraction(1, 1 << 9) for lower, _ in open_boxes)
    assert all(upper - lower <= SMALL.width for lower, upper in open_boxes)


def test_equality_everywhere_stays_undecided_within_the_budget():
    def pythagoras(balls, _):
        return decided(balls[0].cos() ** 2 + balls[0].sin() ** 2 - 1, strict=False)

    found = search(pythagoras, [UNIT, UNIT], Limits(boxes=50))
    assert found.boxes == 50
    assert found.count("0123456789!") == 0
    assert found.count("-") > 0
    assert found.trees[1].codes == "-"
    assert verify(found, pythagoras, [UNIT, UNIT]) is Verdict.UNDECIDED


@pytest.mark.parametrize("code", ["?", "-", "!"])
def test_open_leaves_never_hold(code):
    certificate = Certificate((53,), (Tree(UNIT, f"a0{code}"),), 3)
    assert certificate.verdict is Verdict.UNDECIDED
    assert verify(certificate, lambda balls, _: True, [UNIT]) is Verdict.UNDECIDED
    with pytest.raises(Rejected, match="not certain"):
        verify(certificate, lambda balls, _: None, [UNIT])


def test_precision_rises_where_rounding_is_to_blame():
    precisions = set()

    def tiny(balls, _):
        precisions.add(ctx.prec)
        return decided((1 + balls[0] / 10**30) - 1)

    roots = [Root.of([("1/3", 2)])]
    found = search(tiny, roots)
    assert found.trees[0].codes == "1"
    assert precisions == {53, 128}
    precisions.clear()
    assert verify(found, tiny, roots) is Verdict.HOLDS
    assert precisions == {128}
    assert search(tiny, roots, Limits(boxes=99, precisions=(53, 60))).verdict is Verdict.UNDECIDED
    with pytest.raises(Rejected, match="at 53 bits"):
        verify(replace(found, trees=(Tree(roots[0], "0"),)), tiny, roots)


def test_what_is_cut_goes_on_at_the_higher_precision():
    """1 + x^2 / 10^30 > 1 + y / 10^30 on boxes that must be cut, where 53 bits tell nothing."""

    def tiny(balls, _):
        x, y = balls
        return decided((1 + x * x / 10**30) - (1 + y / 10**30))

    roots = [Root.of([(1, 2), ("1/3", "9/10")])]
    found = search(tiny, roots)
    assert verify(found, tiny, roots) is Verdict.HOLDS
    assert found.count("0") == 0
    assert found.count("1") > 2
    assert found.boxes < 50


def test_sides_that_are_not_cut_are_enclosed_at_the_higher_precision_too():
    """x^2 > x must be cut, and 10^25 (3 y - 1) at y = 1/3 is noise for 53 bits."""

    def noisy(balls, _):
        x, y = balls
        return decided(x * x - x + 10**25 * (3 * y - 1))

    roots = [Root.of([("5/4", 2), ("1/3", "1/3")])]
    found = search(noisy, roots, Limits(boxes=50))
    assert verify(found, noisy, roots) is Verdict.HOLDS
    assert found.count("1") > 1


def test_a_box_too_narrow_to_cut_gets_every_precision():
    def far(balls, _):
        return True if ctx.prec == 512 and balls[0].rad() > 0 else None

    assert search(far, [UNIT], Limits(width=Fraction(1, 2))).trees[0].codes == "a22"


# -- what the checker refuses -----------------------------------------------------------------------------

GOOD = search(cosines, PAIRS)
PLACE = max(range(len(PAIRS)), key=lambda place: len(GOOD.trees[place].codes))
CODES = GOOD.trees[PLACE].codes


def with_codes(codes):
    trees = list(GOOD.trees)
    trees[PLACE] = Tree(PAIRS[PLACE], codes)
    return replace(GOOD, trees=tuple(trees))


@pytest.mark.parametrize(
    ("codes", "message"),
    [
        (CODES[:-1], "without 1 of its boxes"),
        (CODES.replace("0", "", 1), "without 1 of its boxes"),
        ("a" + CODES, "without 1 of its boxes"),
        (CODES + "0", "after its end"),
        (CODES[1:], "not certain"),
        ("b" + CODES[1:], "across side 2 of a box with 1"),
        ("0", "not certain"),
        ("a00", "not certain"),
        (CODES.replace("0", "7", 1), "at precision 7 of 3"),
    ],
)
def test_trees_that_prove_nothing_are_rejected(codes, message):
    assert len(CODES) > 9
    with pytest.raises(Rejected, match=message):
        verify(with_codes(codes), cosines, PAIRS)


def test_another_complete_tree_is_rejected_for_what_it_covers():
    """The same leaves in mirrored order: complete, without gap, and certain of the wrong boxes."""
    tree = iter(CODES)

    def flip():
        code = next(tree)
        if code != "a":
            return code
        low, high = flip(), flip()
        return code + high + low

    flipped = flip()
    assert flipped != CODES
    with pytest.raises(Rejected, match="not certain"):
        verify(with_codes(flipped), cosines, PAIRS)


def test_a_merged_pair_of_leaves_is_rejected():
    """Each pair of sibling leaves was cut since their parent is not certain."""
    for place in range(len(CODES) - 2):
        if CODES[place : place + 3] == "a00":
            with pytest.raises(Rejected, match="not certain"):
                verify(with_codes(CODES[:place] + "0" + CODES[place + 3 :]), cosines, PAIRS)


@pytest.mark.parametrize(
    ("roots", "message"),
    [
        (PAIRS[:-1], "roots for"),
        ([*PAIRS, PAIRS[0]], "roots for"),
        (PAIRS[::-1], "not for"),
        ([Root(PAIRS[0].box, (3, 0)), *PAIRS[1:]], "not for"),
        ([Root(((Fraction(0), PAIRS[0].box[0][1]),), PAIRS[0].parameters), *PAIRS[1:]], "not for"),
    ],
    ids=["fewer", "more", "order", "parameters", "larger"],
)
def test_other_roots_are_rejected(roots, message):
    with pytest.raises(Rejected, match=message):
        verify(GOOD, cosines, roots)


def test_another_predicate_is_rejected():
    with pytest.raises(Rejected, match="not certain"):
        verify(GOOD, lambda balls, parameters: negated(cosines(balls, parameters)), PAIRS)

    def stronger(balls, parameters):
        (x,), (size, j) = balls, parameters
        return decided((x * j).cos() - (x * (size - j)).cos() - arb(1) / 100)

    with pytest.raises(Rejected, match="not certain"):
        verify(GOOD, stronger, PAIRS)


# -- data -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("predicate", [above_half, away_from_third, lambda balls, _: True])
def test_certificates_travel_through_json(predicate):
    found = search(predicate, [UNIT, HALF], SMALL)
    data = json.loads(json.dumps(found.to_json()))
    assert Certificate.of_json(data) == found
    assert data["trees"][1]["box"] == [["1/3", "2"]]
    assert verify(Certificate.of_json(data), predicate, [UNIT, HALF]) is found.verdict


def test_a_certificate_is_small():
    found = search(lambda balls, _: True if balls[0].rad() < 1e-4 else None, [Root.of([("1/3", 2)])])
    assert found.count("0") > 8000
    assert len(json.dumps(found.to_json())) < 2.1 * found.count("0") + 200


@pytest.mark.parametrize(
    "change",
    [
        {"precisions": [128, 53]},
        {"precisions": []},
        {"precisions": [1]},
        {"precisions": ["53"]},
        {"precisions": None},
        {"boxes": "many"},
        {"trees": [{"box": [["0", "1"]], "parameters": [], "codes": "a0 0"}]},
        {"trees": [{"box": [["0", "1"]], "parameters": [], "codes": ""}]},
        {"trees": [{"box": [["0", "1"]], "parameters": [], "codes": 0}]},
        {"trees": [{"box": [["0", 0.5]], "parameters": [], "codes": "0"}]},
        {"trees": [{"box": [["1", "0"]], "parameters": [], "codes": "0"}]},
        {"trees": [{"box": [["0"]], "parameters": [], "codes": "0"}]},
        {"trees": [{"box": [["0", "1"]], "parameters": [True], "codes": "0"}]},
        {"trees": [{"parameters": [], "codes": "0"}]},
        {"refutation": {"tree": 5, "point": ["0"]}},
        {"refutation": {"tree": 0, "point": [0.5]}},
        {"refutation": {"tree": "0", "point": ["0"]}},
    ],
)
def test_other_json_is_refused(change):
    data = search(above_half, [HALF]).to_json() | change
    with pytest.raises(InputError):
        Certificate.of_json(data)


def test_json_without_a_field_is_refused():
    data = search(above_half, [HALF]).to_json()
    for name in data:
        with pytest.raises(InputError):
            Certificate.of_json({key: value for key, value in data.items() if key != name})
    with pytest.raises(InputError):
        Certificate.of_json([])


@pytest.mark.parametrize(
    "bad",
    [
        lambda: Root.of([(1, 0)]),
        lambda: Root.of([(0, 1, 2)]),
        lambda: Root.of([(0, 0.5)]),
        lambda: Root(((0, 1),)),
        lambda: Root.of([(0, 1)], (0.5,)),
        lambda: Root.of([(0, 1)] * 27),
        lambda: Root(None, ()),
        lambda: Root.of(None),
        lambda: Root.of([1]),
        lambda: Root((), None),
        lambda: Root((), (True,)),
        *[lambda n=n: Limits(boxes=n) for n in ("3", float("inf"), 2.5, True, None)],
        *[lambda w=w: Limits(width=w) for w in (float("nan"), 0.5, None)],
        *[lambda p=p: Limits(precisions=p) for p in (53, None, "53")],
        lambda: search(None, [UNIT]),
        lambda: search(above_half, UNIT),
        lambda: search(above_half, [None]),
        lambda: search(above_half, [UNIT], None),
        lambda: verify(None, above_half, [UNIT]),
        lambda: verify(search(above_half, [UNIT]), None, [UNIT]),
        lambda: verify(search(above_half, [UNIT]), above_half, UNIT),
        lambda: Limits(boxes=0),
        lambda: Limits(width=Fraction(0)),
        lambda: Limits(precisions=(53, 53)),
        lambda: Limits(precisions=tuple(range(10, 21))),
    ],
)
def test_bad_boxes_and_limits_are_refused(bad):
    with pytest.raises(InputError):
        bad()


def test_integers_of_numpy_are_parameters_and_limits():
    root = Root.of([(np.int64(0), 1)], (np.int64(3),))
    assert [type(value) for value in root.parameters] == [int]
    assert Limits(boxes=np.int64(3)) == Limits(boxes=3)
