"""The checker of derivations: every rule accepts what it should, and nothing that is false can be derived."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st
from sympy import cos, exp, pi, sin

from headproof.checks.engines.derivation import Unproved, verify_derivation
from headproof.checks.engines.normal import OutOfScope, integer_polynomial, is_zero
from headproof.checks.engines.symbolic import verify_proof
from headproof.theory.claim import Statement
from headproof.theory.derivation import (
    FALSE,
    Derivation,
    Derive,
    Entailment,
    Entailments,
    Fact,
    NotMultiple,
    Part,
    Rearranged,
    Split,
    Suppose,
    Universal,
    Use,
    Window,
    at_least,
    equal,
    greater,
)
from headproof.theory.errors import InputError
from headproof.theory.proof import Expansion, Proof

x, y, z = sympy.symbols("x y z", real=True)
k, m, n = sympy.symbols("k m n", real=True)
INTEGERS = frozenset({"k", "m", "n"})


def prove(hypotheses, conclusions, steps, integers=(k, m, n), windows=()):
    entailment = Entailment("claim", hypotheses, tuple(conclusions) or (at_least(1),), integers, windows)
    steps = (*steps, Derive("trivial", at_least(1), (Part(),))) if not conclusions else tuple(steps)
    verify_derivation(entailment, Derivation("claim", steps))


def refuses(hypotheses, conclusions, steps, match, **more):
    with pytest.raises(Unproved, match=match):
        prove(hypotheses, conclusions, steps, **more)


# -- the normal form -----------------------------------------------------------------------------------------------

IDENTITIES = [
    (cos(x + y), cos(x) * cos(y) - sin(x) * sin(y)),
    (sin(x) ** 2 + cos(x) ** 2, 1),
    (cos(x) - cos(y), 2 * sin((x + y) / 2) * sin((y - x) / 2)),
    (1 - cos(x), 2 * sin(x / 2) ** 2),
    (exp(x) * exp(y - cos(x)), exp(x + y - cos(x))),
    (cos(x + pi), -cos(x)),
    (sin(x + pi / 2), cos(x)),
    (cos(x + 3 * pi / 2), sin(x)),
    (cos(x + 2 * pi * k), cos(x)),
    (sin(x - 4 * pi * k * n), sin(x)),
    (cos(n * (x + 2 * pi * k)), cos(n * x)),
    ((x + 1) * (x - 1), x**2 - 1),
    (cos(x + pi * k) ** 2, cos(x) ** 2),
]


@pytest.mark.parametrize(("left", "right"), IDENTITIES)
def test_identities_have_the_normal_form_zero(left, right):
    assert is_zero(left - right, INTEGERS)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (cos(x + pi * k), cos(x)),
        (cos(x + 2 * pi * y), cos(x)),  # y is no integer
        (sin(x), x),
        (exp(x + y), exp(x) + exp(y)),
        (cos(x + pi / 3), cos(x)),
        (cos(2 * x), 2 * cos(x)),
        (sympy.Function("f")(x), sympy.Function("f")(y)),
        (sympy.Function("f")(x), sympy.Function("g")(x)),
    ],
)
def test_what_is_no_identity_has_another_normal_form(left, right):
    assert not is_zero(left - right, INTEGERS)


@given(st.data())
def test_the_normal_form_agrees_with_numbers(data):
    """A random expression minus another is zero in normal form only if it vanishes at random points."""
    atoms = [x, y, sympy.Integer(2), pi, cos(x), sin(x + y), cos(2 * x), exp(y), sin(x) ** 2]
    some = st.lists(st.sampled_from(atoms), min_size=1, max_size=3)
    left = sympy.Add(*(sympy.Mul(*data.draw(some)) for _ in range(2)))
    right = sympy.Add(*(sympy.Mul(*data.draw(some)) for _ in range(2)))
    difference = left - right
    values = {x: 0.7312, y: -1.2177}
    numeric = abs(float(difference.subs(values)))
    if is_zero(difference):
        assert numeric < 1e-9
    else:
        assert numeric > 1e-12 or any(abs(float(difference.subs({x: a, y: 0.3}))) > 1e-12 for a in (0.1, 1.1, 2.3))


def test_equal_functions_of_equal_arguments_are_one_atom():
    f = sympy.Function("f")
    assert is_zero(f((x + 1) ** 2) - f(x**2 + 2 * x + 1))
    assert is_zero(f(cos(2 * x)) - f(2 * cos(x) ** 2 - 1))


@pytest.mark.parametrize("bad", [sympy.sqrt(2), 1 / x, sympy.Float(0.5), sympy.tan(x), cos(exp(x)), sympy.I * x])
def test_what_the_normal_form_does_not_cover_is_refused(bad):
    with pytest.raises(OutOfScope):
        is_zero(bad + x)


def test_a_letter_cannot_pass_for_pi():
    with pytest.raises(OutOfScope, match="letter named pi"):
        is_zero(sympy.Symbol("pi") - pi)


def test_integer_polynomials():
    assert integer_polynomial(2 * n * k - 3, INTEGERS)
    assert not integer_polynomial(n / 2, INTEGERS)
    assert not integer_polynomial(n + x, INTEGERS)
    assert not integer_polynomial(cos(n), INTEGERS)


# -- sums of parts -------------------------------------------------------------------------------------------------


def test_sums_of_products_of_facts():
    prove(
        {"a": greater(x), "b": at_least(y), "c": equal(z, 1)},
        [greater(2 * x + x * y + z)],
        [Derive("sum", greater(2 * x + x * y + z), (Part(("a",), 2), Part(("a", "b")), Part(("c",)), Part()))],
    )


def test_a_square_is_at_least_zero_but_not_above():
    prove({}, [at_least((x - y) ** 2)], [Derive("square", at_least((x - y) ** 2), (Part((), 1, (x - y,)),))])
    refuses(
        {}, [greater((x - y) ** 2)], [Derive("square", greater((x - y) ** 2), (Part((), 1, (x - y,)),))], "do not give"
    )


@pytest.mark.parametrize(
    ("parts", "match"),
    [
        ((Part(("a",), -1),), "no non-negative number"),
        ((Part(("a",), y),), "no non-negative number"),
        ((Part(("a",), 2),), "not the sum"),
        ((Part(("missing",)),), "no fact 'missing'"),
        ((Part(("off",)),), "no equation or inequality"),
    ],
)
def test_bad_parts(parts, match):
    refuses({"a": greater(x), "off": NotMultiple(x)}, [greater(x)], [Derive("bad", greater(-x), parts)], match)


def test_weak_facts_give_no_strict_ones():
    refuses({"a": at_least(x)}, [greater(x)], [Derive("b", greater(x), (Part(("a",)),))], "do not give > 0")
    refuses({"a": at_least(x)}, [equal(x)], [Derive("b", equal(x), (Part(("a",)),))], "do not give == 0")


def test_a_conclusion_must_be_reached():
    refuses({"a": at_least(x)}, [greater(x)], [], "do not reach")
    prove({"a": greater(x)}, [at_least(x)], [])
    prove({"no": FALSE}, [greater(x), equal(y, 3)], [])  # from a contradiction everything


def test_names_are_used_once():
    refuses({"a": greater(x)}, [greater(x)], [Derive("a", greater(x), (Part(("a",)),))], "is taken")


# -- rules ---------------------------------------------------------------------------------------------------------


def test_sine_needs_both_bounds():
    bounds = {"low": greater(x), "high": greater(pi, x)}
    prove(bounds, [greater(sin(x))], [Use("s", "sine", (x,), ("low", "high"))])
    weak = {"low": at_least(x), "high": greater(pi, x)}
    prove(weak, [at_least(sin(x))], [Use("s", "sine", (x,), ("low", "high"))])
    refuses(weak, [greater(sin(x))], [Use("s", "sine", (x,), ("low", "high"))], "do not reach")
    refuses(bounds, [greater(sin(x))], [Use("s", "sine", (x,), ("high", "low"))], "does not say")
    refuses(bounds, [greater(sin(2 * x))], [Use("s", "sine", (2 * x,), ("low", "high"))], "does not say")


def test_cosine_rules():
    prove({}, [at_least(1, cos(x)), at_least(cos(x), -1)], [Use("c", "cosine", (x,))])
    prove({"off": NotMultiple(x)}, [greater(1, cos(x))], [Use("c", "cosine off turns", (-x,), ("off",))])
    refuses({"off": NotMultiple(x)}, [FALSE], [Use("c", "cosine off turns", (2 * x,), ("off",))], "is about")
    refuses({"off": greater(x)}, [FALSE], [Use("c", "cosine off turns", (x,), ("off",))], "no multiple")
    prove({}, [at_least(x**2 / 2 + cos(x), 1)], [Use("p", "parabola", (x,))])


def test_sine_bounds():
    prove({"low": at_least(x)}, [at_least(x, sin(x)), at_least(sin(x), -x)], [Use("s", "sine below x", (x,), ("low",))])
    refuses({"low": at_least(-x)}, [FALSE], [Use("s", "sine below x", (x,), ("low",))], "does not say")
    prove({}, [at_least(1, sin(x)), at_least(sin(x), -1)], [Use("s", "sine at most one", (x,))])


def test_exponentials():
    prove({}, [greater(exp(x))], [Use("e", "exponential", (x,))])
    prove({"a": greater(x, y)}, [greater(exp(x), exp(y))], [Use("e", "monotone", (x, y), ("a",))])
    refuses({"a": at_least(x, y)}, [greater(exp(x), exp(y))], [Use("e", "monotone", (x, y), ("a",))], "do not reach")
    refuses({"a": greater(x, y)}, [FALSE], [Use("e", "monotone", (y, x), ("a",))], "does not say")


def test_integers_above_zero_are_at_least_one():
    prove({"a": greater(n, k)}, [at_least(n, k + 1)], [Use("i", "integer", (), ("a",))])
    refuses({"a": greater(x)}, [at_least(x, 1)], [Use("i", "integer", (), ("a",))], "an integer is above 0")
    refuses({"a": greater(n / 2)}, [FALSE], [Use("i", "integer", (), ("a",))], "an integer is above 0")
    refuses({"a": at_least(n)}, [at_least(n, 1)], [Use("i", "integer", (), ("a",))], "an integer is above 0")


def test_quotients():
    prove({"p": greater(x * y), "f": greater(y)}, [greater(x)], [Use("q", "quotient", (x,), ("p", "f"))])
    refuses({"p": greater(x * y), "f": at_least(y)}, [FALSE], [Use("q", "quotient", (x,), ("p", "f"))], "positive")
    refuses({"p": greater(x * y), "f": greater(y)}, [FALSE], [Use("q", "quotient", (x * 2,), ("p", "f"))], "positive")


def test_new_letters_are_new():
    prove({"a": greater(x)}, [], [Use("f", "floor", (k, x))], integers=(n,))
    refuses({"a": greater(k)}, [], [Use("f", "floor", (k, x))], "means something already", integers=(n, k))
    refuses({"a": greater(x)}, [greater(k, x)], [Use("f", "floor", (k, x))], "means something already", integers=())
    # a letter that a new one depends on must not be made later: k would depend on z before z means anything
    refuses({}, [], [Use("f", "floor", (k, z))], "mean nothing yet", integers=(n,))
    refuses({"a": greater(x)}, [], [Use("f", "floor", (k + 1, x))], "new letters are needed", integers=(n,))


def test_floor_gives_the_next_integer():
    prove(
        {"a": greater(x, 3)},
        [],
        [Use("k", "floor", (k, x)), Derive("k > 3", greater(k, 3), (Part(("k.1",)), Part(("a",))))],
        integers=(),
    )


def test_dirichlet():
    u = sympy.Symbol("u")
    steps = [
        Use("d", "dirichlet", (u, k, x, n), ("n",)),
        Use("p", "parabola", (u * x - 2 * pi * k,)),
    ]
    prove({"n": at_least(n, 2), "x": greater(x)}, [], steps, integers=(n,))
    refuses({"n": at_least(n, 1), "x": greater(x)}, [], steps, "does not say", integers=(n,))
    refuses({"n": at_least(n, 2), "x": greater(x)}, [], steps, "not seen to be an integer", integers=())
    same = [Use("d", "dirichlet", (u, u, x, n), ("n",))]
    refuses({"n": at_least(n, 2), "x": greater(x)}, [], same, "new letters", integers=(n,))


@given(st.integers(2, 12), st.fractions(-3, 3, max_denominator=50))
def test_dirichlets_theorem_itself(size, share):
    """|u x - 2 pi k| <= 2 pi / n with x = 2 pi share."""
    assert any(abs(u * share - round(u * share)) <= Fraction(1, size) for u in range(1, size))


def test_replace_and_equality():
    hypotheses = {"a": greater(cos(x * n)), "e": equal(n, 2)}
    prove(hypotheses, [greater(cos(2 * x))], [Use("r", "replace", (n, 2), ("a", "e"))])
    refuses(hypotheses, [FALSE], [Use("r", "replace", (n, 3), ("a", "e"))], "does not say")
    refuses({"a": greater(x), "e": at_least(n, 2)}, [FALSE], [Use("r", "replace", (n, 2), ("a", "e"))], "an equation")
    both = {"a": at_least(x, y), "b": at_least(y, x)}
    prove(both, [equal(x, y)], [Use("e", "equality", (), ("a", "b"))])
    refuses(both, [equal(x, y)], [Use("e", "equality", (), ("a", "a"))], "not opposite")


def test_instances_meet_the_conditions():
    hypotheses = {"all": Universal((m,), (at_least(m, 1), at_least(n, m)), greater(cos(m * x))), "n": at_least(n, 1)}
    steps = [Derive("one", at_least(1, 1), ()), Use("i", "instance", (1,), ("all", "one", "n"))]
    prove(hypotheses, [greater(cos(x))], steps)
    refuses(hypotheses, [FALSE], [Use("i", "instance", (n,), ("all", "n", "n"))], "does not say")
    refuses(hypotheses, [FALSE], [Use("i", "instance", (x,), ("all", "n", "n"))], "not seen to be an integer")
    refuses(hypotheses, [FALSE], [Use("i", "instance", (1,), ("n", "n", "n"))], "not about all values")
    refuses(hypotheses, [FALSE], [Use("i", "instance", (1,), ("all", "n"))], "takes 1 arguments and 3 facts")


def test_bound_letters_are_replaced_by_name():
    """A symbol of the same name with other assumptions is the same letter: an instance leaves none behind."""
    other = sympy.Symbol("m")
    hypotheses = {"all": Universal((m,), (), greater(other - x)), "x": greater(x)}
    prove(hypotheses, [greater(3, x)], [Use("i", "instance", (3,), ("all",))])
    refuses(hypotheses, [greater(other, x)], [Use("i", "instance", (3,), ("all",))], "do not reach")


def test_windows_gain_and_lose_a_term():
    total, letter = sympy.Function("D"), sympy.Symbol("d")
    window = Window(total, letter, exp(letter), n)
    step = Use("w", "window", (k,), ("n",))
    conclusion = equal(total(k + 1) - total(k), exp(k) - exp(k - n))
    prove({"n": at_least(n)}, [conclusion], [step], windows=(window,))
    refuses({"n": at_least(n, -1)}, [conclusion], [step], "does not say", windows=(window,))
    refuses({"n": at_least(n)}, [conclusion], [step], "0 windows", windows=())
    for length, place in ((3, 5), (0, 2), (4, -1)):  # the rule itself, in numbers
        sums = [sum(math.exp(j - each) for each in range(1, length + 1)) for j in (place, place + 1)]
        assert sums[1] - sums[0] == pytest.approx(math.exp(place) - math.exp(place - length))


def test_suppositions_end_in_a_contradiction():
    steps = (Derive("no", FALSE, (Part(("a",)), Part(("s",)))),)
    prove({"a": greater(x)}, [greater(x)], [Suppose("s", at_least(-x), steps)])
    refuses({"a": greater(x)}, [FALSE], [Suppose("s", at_least(x), ())], "no contradiction")
    with pytest.raises(InputError, match="disjunction"):
        equal(x).negated()


def test_cases_are_all_three():
    hypotheses = {"a": at_least(x * x)}
    good = Split(
        "s",
        x,
        greater(x**2 + 1),
        positive=(Derive("p", greater(x**2 + 1), (Part(("a",)), Part())),),
        zero=(Derive("p", greater(x**2 + 1), (Part(("a",)), Part())),),
        negative=(Derive("p", greater(x**2 + 1), (Part(("a",)), Part())),),
    )
    prove(hypotheses, [greater(x**2 + 1)], [good])
    bad = Split("s", x, greater(x), positive=(), zero=(), negative=())
    refuses(hypotheses, [greater(x)], [bad], "in the case x == 0")


def test_letters_made_within_a_case_do_not_leave_it():
    steps = (Use("k", "floor", (k, x)),)
    split = Split("s", x, greater(k, x), positive=steps, zero=steps, negative=steps)
    refuses({"a": at_least(x**2)}, [], [split], "mean nothing outside", integers=(n,))


def test_unknown_rules_and_steps():
    refuses({}, [FALSE], [Use("u", "magic", ())], "no rule 'magic'")
    with pytest.raises(Unproved, match="unknown kind"):
        prove({}, [FALSE], [type("Step", (), {"name": "odd"})()])


def test_titles_are_distinct():
    part = Entailment("same", {}, ())
    with pytest.raises(InputError, match="distinct titles"):
        Entailments((part, part))
    with pytest.raises(InputError, match="distinct titles"):
        Entailments(())


def test_a_fact_has_one_relation():
    assert greater(3, x) == Fact(3 - x, ">")
    assert at_least(x).negated() == Fact(-x, ">")


# -- what must not get in ------------------------------------------------------------------------------------------

WHOLE = sympy.Symbol("n", integer=True)
SQUARE_OF_I = [Derive("s", at_least(-1), (Part((), 1, (sympy.I,)),))]
DIVIDED = [Derive("s", equal(y), (Part(("e",), 1 / x),))]


@pytest.mark.parametrize(
    ("hypotheses", "steps"),
    [
        ({}, SQUARE_OF_I),
        ({}, [Derive("s", at_least(x), (Part((), 1, (sympy.sqrt(x),)),))]),
        ({"e": equal(x * y)}, DIVIDED),
        ({}, [Use("e", "exponential", (-sympy.oo,))]),
        ({}, [Use("e", "exponential", ("-oo",))]),
        ({}, [Use("e", "exponential", (sympy.I * pi,))]),
        ({}, [Use("e", "exponential", (sympy.log(x),))]),
        ({}, [Use("s", "cosine", (sympy.acos(2),))]),
        ({"all": Universal((z,), (), greater(exp(z)))}, [Use("i", "instance", (-sympy.oo,), ("all",))]),
        ({"all": Universal((z,), (), at_least(z**2))}, [Use("i", "instance", (sympy.I,), ("all",))]),
        ({"a": greater(n), "b": greater(1, n)}, [Use("s", "sine", (pi * WHOLE,), ("a", "b"))]),
        ({"a": greater(x)}, [Use("m", "monotone", (sympy.Symbol("x", zero=True), 0), ("a",))]),
        ({}, [Use("d", "dirichlet", (sympy.Symbol("pi"), k, 0, 2), ())]),
        ({"a": greater(sympy.Function("f", integer=True)(x))}, []),
        ({"a": greater(sympy.Symbol("x, 1), (y"))}, []),
        ({"a": Fact(x, "<")}, []),
        ({"a": Fact(x > 0, ">")}, []),
        ({"a": greater(sympy.Float(0.5))}, []),
        ({"a": greater(sympy.Abs(x))}, []),
        ({"a": greater(sympy.Dummy("x"))}, []),
        ({"a": "x > 0"}, []),
        ({}, [Suppose("s", Universal((z,), (), greater(z)), ())]),
        ({}, [Split("s", True, FALSE, (), (), ())]),
    ],
)
def test_nothing_outside_the_language_gets_in(hypotheses, steps):
    with pytest.raises(OutOfScope):
        prove(hypotheses, [FALSE], steps)


def test_captured_letters_are_refused():
    total, letter = sympy.Function("D"), sympy.Symbol("d")
    lambda_total = sympy.Lambda(letter, k * letter)
    for window in (
        Window(lambda_total, letter, x, n),
        Window(total, letter, x, letter),
        Window(total, letter, x * letter, n),
    ):
        with pytest.raises(OutOfScope):
            prove({"all": Universal((x,), (), greater(total(x)))}, [FALSE], [], windows=(window,))
    a, b, before, after = sympy.symbols("a b before after")
    table = sympy.Function("M")
    for sums in (
        Rearranged(before, after, a, b, table(a, b), a),
        Rearranged(before, after, a, a, table(a, a), n),
        Rearranged(a, after, a, b, table(a, b), n),
    ):
        with pytest.raises(OutOfScope, match="mean something else"):
            verify_derivation(Entailment("claim", {}, (FALSE,), (a, b, n), (), (sums,)), Derivation("claim", ()))


def test_a_part_is_proved_by_a_derivation_of_its_title_only():
    statement = Statement(object, (), bool, Entailments((Entailment("part", {}, (FALSE,)),)))
    results = verify_proof(Proof((Expansion("part", x, x, ""),)), statement)
    assert [result.accepted for result in results] == [True, False]


def test_a_part_concludes_something():
    with pytest.raises(OutOfScope, match="concludes nothing"):
        verify_derivation(Entailment("claim", {}, ()), Derivation("claim", ()))
