"""The checker of derivations: every fact is made by a named rule from facts before it, and compared in normal form.

The rules are few, each an elementary theorem:

    sine              sin x > 0 for 0 < x < pi; sin x >= 0 for 0 <= x <= pi
    cosine            -1 <= cos x <= 1
    cosine off turns  cos x < 1 where x is no multiple of 2 pi
    parabola          1 - cos x <= x^2 / 2
    chord             pi sin x >= 2 x for 0 <= x <= pi / 2
    sine below x      -x <= sin x <= x for x >= 0
    sine at most one  -1 <= sin x <= 1
    exponential       exp x > 0
    tangent           exp x >= 1 + x
    monotone          x > y gives exp x > exp y (and >=)
    integer           an integer above 0 is at least 1
    quotient          A B > 0 and B > 0 give A > 0
    pi                3 < pi < 22/7
    floor             for every real x there is an integer k with x < k <= x + 1
    dirichlet         for integer n >= 2 and every x there are integers 1 <= u < n and k with |u x - 2 pi k| <= 2 pi / n
    window            sums over a window of fixed length that moves by one gain a term and lose a term
    rearrange         sums over all keys agree if a term depends on its key's content alone: the permutation pairs them
    equality          e >= 0 and -e >= 0 give e = 0
    replace           a letter that equals an expression, replaced by it
    instance          a hypothesis for all values, at one value that meets its conditions

and `Derive`, `Suppose`, `Split` of `theory.derivation`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import sympy
from sympy.core.function import AppliedUndef

from headproof.checks.engines.language import require_plain
from headproof.checks.engines.normal import integer_polynomial, is_zero
from headproof.theory.derivation import (
    FALSE,
    Derivation,
    DerivationStep,
    Derive,
    Entailment,
    Fact,
    NotMultiple,
    Split,
    Suppose,
    Universal,
    Use,
)

Known = Fact | NotMultiple | Universal


class Unproved(Exception):
    """A step that does not check, and why."""


@dataclass(frozen=True)
class Context:
    """The facts at hand by name, the integer letters and every letter that means something already."""

    facts: Mapping[str, Known]
    integers: frozenset[str]
    letters: frozenset[str]
    entailment: Entailment

    def known(self, name: str) -> Known:
        """A fact by name; raises Unproved if there is none."""
        if name not in self.facts:
            raise Unproved(f"there is no fact {name!r}")
        return self.facts[name]

    def inequality(self, name: str) -> Fact:
        """A fact that is an equation or inequality."""
        fact = self.known(name)
        if not isinstance(fact, Fact):
            raise Unproved(f"{name!r} is no equation or inequality")
        return fact

    def with_facts(self, name: str, facts: Iterable[Known], integers: Iterable[str] = ()) -> Context:
        """This context with further facts: `name` for one, `name.1`, `name.2`, ... for several."""
        made = list(facts)
        names = [name] if len(made) == 1 else [f"{name}.{place}" for place in range(1, len(made) + 1)]
        if taken := [each for each in names if each in self.facts]:
            raise Unproved(f"the name {taken[0]!r} is taken")
        letters = self.letters.union(*(letters_of(fact) for fact in made))
        return replace(
            self,
            facts={**self.facts, **dict(zip(names, made, strict=True))},
            integers=self.integers | set(integers),
            letters=letters,
        )

    def supports(self, wanted: Fact) -> bool:
        """Whether a fact at hand says so, or a contradiction says everything."""
        return any(
            isinstance(fact, Fact) and (self.implies(fact, wanted) or self.implies(fact, FALSE))
            for fact in self.facts.values()
        )

    def implies(self, fact: Fact, wanted: Fact) -> bool:
        """Whether one fact is the other, or a stronger one with the same expression."""
        strong_enough = wanted.relation == fact.relation or wanted.relation == ">="
        return strong_enough and self.same(fact.expression, wanted.expression)

    def same(self, left: Any, right: Any) -> bool:
        """Whether two expressions are identical."""
        return is_zero(sympy.sympify(left) - right, self.integers)

    def require(self, name: str, wanted: Fact) -> Fact:
        """The named fact if it gives the wanted one; raises Unproved otherwise."""
        fact = self.inequality(name)
        if not self.implies(fact, wanted):
            raise Unproved(f"{name!r} does not say that {wanted.expression} {wanted.relation} 0")
        return fact


def verify_derivation(entailment: Entailment, derivation: Derivation) -> None:
    """Raise Unproved, naming the step, unless the derivation proves every conclusion of the entailment.

    Raises OutOfScope for expressions that are not written in the language of derivations.
    """
    require_plain(entailment, derivation)
    facts = entailment.hypotheses
    written = [*facts.values(), *entailment.conclusions]
    letters = frozenset().union(
        *(letters_of(each) for each in written),
        *(_names(part) for sums in entailment.rearranged for part in vars(sums).values()),
        *(_names(part) for window in entailment.windows for part in (window.summand, window.length, window.letter)),
        {letter.name for letter in entailment.integers},
    )
    context = Context(facts, frozenset(letter.name for letter in entailment.integers), letters, entailment)
    context = _run(context, derivation.steps)
    for conclusion in entailment.conclusions:
        if not context.supports(conclusion):
            raise Unproved(f"the steps do not reach {conclusion.expression} {conclusion.relation} 0")


def _run(context: Context, steps: Iterable[DerivationStep]) -> Context:
    for step in steps:
        try:
            context = _apply(context, step)
        except Unproved as reason:
            raise Unproved(f"{step.name}: {reason}") from None
    return context


def _apply(context: Context, step: DerivationStep) -> Context:
    match step:
        case Derive():
            _verify_sum(context, step)
            return context.with_facts(step.name, [step.fact])
        case Use():
            if step.rule not in _RULES:
                raise Unproved(f"there is no rule {step.rule!r}")
            return _RULES[step.rule](context, step)
        case Suppose():
            inner = _run(context.with_facts(step.name, [step.fact]), step.steps)
            if not inner.supports(FALSE):
                raise Unproved("the supposition leads to no contradiction")
            return context.with_facts(step.name, [step.fact.negated()])
        case Split():
            if fresh := letters_of(step.fact) - context.letters:
                raise Unproved(f"the letters {sorted(fresh)} mean nothing outside the cases")
            for fact, steps in (
                (Fact(step.on, ">"), step.positive),
                (Fact(step.on, "=="), step.zero),
                (Fact(-step.on, ">"), step.negative),
            ):
                if not _run(context.with_facts(step.name, [fact]), steps).supports(step.fact):
                    raise Unproved(f"in the case {fact.expression} {fact.relation} 0 the fact is not reached")
            return context.with_facts(step.name, [step.fact])
        case _:
            raise Unproved(f"a step of an unknown kind, {type(step).__name__}")


def _verify_sum(context: Context, step: Derive) -> None:
    """The claimed expression is the sum of the parts, and their signs give the claimed relation."""
    total: Any = sympy.Integer(0)
    strict, equation = False, True
    for part in step.parts:
        facts = [context.inequality(name) for name in part.facts]
        product: Any = sympy.sympify(part.times)
        for expression in (*(fact.expression for fact in facts), *(square**2 for square in part.squares)):
            product = product * expression
        total = total + product
        if any(fact.relation == "==" for fact in facts):
            continue
        equation = False
        times = sympy.sympify(part.times)
        if not times.is_Rational or times < 0:
            raise Unproved(f"the factor {times} is no non-negative number")
        strict = strict or bool(times > 0 and not part.squares and all(fact.relation == ">" for fact in facts))
    if not context.same(step.fact.expression, total):
        raise Unproved(f"{step.fact.expression} is not the sum of the parts")
    if (step.fact.relation == ">" and not strict) or (step.fact.relation == "==" and not equation):
        raise Unproved(f"the parts do not give {step.fact.relation} 0")


# -- rules ---------------------------------------------------------------------------------------------------------


def _arguments(step: Use, count: int, given: int) -> tuple[Any, ...]:
    if len(step.arguments) != count or len(step.given) != given:
        raise Unproved(f"the rule {step.rule!r} takes {count} arguments and {given} facts")
    return tuple(sympy.sympify(each) for each in step.arguments)


def _sine(context: Context, step: Use) -> Context:
    (x,) = _arguments(step, 1, 2)
    bounds = [
        context.require(step.given[0], Fact(x, ">=")),
        context.require(step.given[1], Fact(sympy.pi - x, ">=")),
    ]
    relation: Any = ">" if all(fact.relation == ">" for fact in bounds) else ">="
    return context.with_facts(step.name, [Fact(sympy.sin(x), relation)])


def _cosine(context: Context, step: Use) -> Context:
    (x,) = _arguments(step, 1, 0)
    return context.with_facts(step.name, [Fact(1 - sympy.cos(x), ">="), Fact(1 + sympy.cos(x), ">=")])


def _cosine_off_turns(context: Context, step: Use) -> Context:
    (x,) = _arguments(step, 1, 1)
    known = context.known(step.given[0])
    if not isinstance(known, NotMultiple):
        raise Unproved(f"{step.given[0]!r} does not say that an angle is no multiple of 2 pi")
    if not (context.same(known.argument, x) or context.same(known.argument, -x)):
        raise Unproved(f"{step.given[0]!r} is about {known.argument}, not {x}")
    return context.with_facts(step.name, [Fact(1 - sympy.cos(x), ">")])


def _parabola(context: Context, step: Use) -> Context:
    (x,) = _arguments(step, 1, 0)
    return context.with_facts(step.name, [Fact(x**2 / 2 - 1 + sympy.cos(x), ">=")])


def _sine_below_x(context: Context, step: Use) -> Context:
    (x,) = _arguments(step, 1, 1)
    context.require(step.given[0], Fact(x, ">="))
    return context.with_facts(step.name, [Fact(x - sympy.sin(x), ">="), Fact(x + sympy.sin(x), ">=")])


def _sine_at_most_one(context: Context, step: Use) -> Context:
    (x,) = _arguments(step, 1, 0)
    return context.with_facts(step.name, [Fact(1 - sympy.sin(x), ">="), Fact(1 + sympy.sin(x), ">=")])


def _chord(context: Context, step: Use) -> Context:
    (x,) = _arguments(step, 1, 2)
    context.require(step.given[0], Fact(x, ">="))
    context.require(step.given[1], Fact(sympy.pi / 2 - x, ">="))
    return context.with_facts(step.name, [Fact(sympy.pi * sympy.sin(x) - 2 * x, ">=")])


def _tangent(context: Context, step: Use) -> Context:
    (x,) = _arguments(step, 1, 0)
    return context.with_facts(step.name, [Fact(sympy.exp(x) - 1 - x, ">=")])


def _exponential(context: Context, step: Use) -> Context:
    (x,) = _arguments(step, 1, 0)
    return context.with_facts(step.name, [Fact(sympy.exp(x), ">")])


def _monotone(context: Context, step: Use) -> Context:
    x, y = _arguments(step, 2, 1)
    fact = context.require(step.given[0], Fact(x - y, ">="))
    return context.with_facts(step.name, [Fact(sympy.exp(x) - sympy.exp(y), fact.relation)])


def _integer(context: Context, step: Use) -> Context:
    _arguments(step, 0, 1)
    fact = context.inequality(step.given[0])
    if fact.relation != ">" or not integer_polynomial(fact.expression, context.integers):
        raise Unproved(f"{step.given[0]!r} does not say that an integer is above 0")
    return context.with_facts(step.name, [Fact(fact.expression - 1, ">=")])


def _quotient(context: Context, step: Use) -> Context:
    (x,) = _arguments(step, 1, 2)
    product, factor = (context.inequality(name) for name in step.given)
    if factor.relation != ">" or not context.same(product.expression, x * factor.expression):
        raise Unproved(f"{step.given[0]!r} is not {x} times the positive {step.given[1]!r}")
    return context.with_facts(step.name, [Fact(x, product.relation)])


def _pi(context: Context, step: Use) -> Context:
    _arguments(step, 0, 0)
    return context.with_facts(step.name, [Fact(sympy.pi - 3, ">"), Fact(sympy.Rational(22, 7) - sympy.pi, ">")])


def _floor(context: Context, step: Use) -> Context:
    k, x = _arguments(step, 2, 0)
    _require_fresh(context, k)
    _require_known(context, x)
    return context.with_facts(step.name, [Fact(k - x, ">"), Fact(x + 1 - k, ">=")], [k.name])


def _dirichlet(context: Context, step: Use) -> Context:
    u, k, x, n = _arguments(step, 4, 1)
    _require_fresh(context, u, k)
    _require_known(context, x, n)
    context.require(step.given[0], Fact(n - 2, ">="))
    if not integer_polynomial(n, context.integers):
        raise Unproved(f"{n} is not seen to be an integer")
    distance = n * (u * x - 2 * sympy.pi * k)
    facts = [
        Fact(u - 1, ">="),
        Fact(n - 1 - u, ">="),
        Fact(2 * sympy.pi - distance, ">="),
        Fact(2 * sympy.pi + distance, ">="),
    ]
    return context.with_facts(step.name, facts, [u.name, k.name])


def _window(context: Context, step: Use) -> Context:
    (j,) = _arguments(step, 1, 1)
    windows = context.entailment.windows
    if len(windows) != 1:
        raise Unproved(f"the statement has {len(windows)} windows, not one")
    window = windows[0]
    if not integer_polynomial(window.length, context.integers):
        raise Unproved(f"the length {window.length} is not seen to be an integer")
    context.require(step.given[0], Fact(window.length, ">="))
    gained = _replaced(window.summand, {window.letter.name: j})
    lost = _replaced(window.summand, {window.letter.name: j - window.length})
    return context.with_facts(step.name, [Fact(window.total(j + 1) - window.total(j) - gained + lost, "==")])


def _rearrange(context: Context, step: Use) -> Context:
    """`sum_b t(p(b), b) = sum_b t(b, b)`: with a = p(b) the term t(a, b) is t(a, a), and a runs over all places once.

    Given is an equation for all contents and places (within 1 .. length) that makes the terms equal.
    """
    (before,) = _arguments(step, 1, 1)
    found = [each for each in context.entailment.rearranged if each.before == before]
    if len(found) != 1:
        raise Unproved(f"the statement has {len(found)} rearranged sums {before}")
    sums = found[0]
    rule = context.known(step.given[0])
    if not isinstance(rule, Universal) or not isinstance(rule.conclusion, Fact) or rule.conclusion.relation != "==":
        raise Unproved(f"{step.given[0]!r} is no equation for all contents and places")
    if {letter.name for letter in rule.letters} != {sums.content.name, sums.place.name}:
        raise Unproved(f"{step.given[0]!r} is not about {sums.content} and {sums.place}")
    ranges = [fact for letter in rule.letters for fact in (Fact(letter - 1, ">="), Fact(sums.length - letter, ">="))]
    for condition in rule.conditions:
        if not any(context.implies(each, condition) for each in ranges):
            raise Unproved(f"the condition {condition.expression} {condition.relation} 0 is not met at every place")
    entry, rest = _linear_entry(rule.conclusion.expression, sums)
    term = sympy.sympify(sums.summand).xreplace({entry: rest})
    on_own_place = {sums.place.name: sums.content}
    own = _replaced(sums.summand, on_own_place)
    if not context.same(term, own):
        raise Unproved(f"the term {term} is not the content's own term {own}")
    return context.with_facts(step.name, [Fact(sums.before - sums.after, "==")])


def _linear_entry(equation: Any, sums: Any) -> tuple[Any, Any]:
    """The equation `entry = rest`, the entry a function of both content and place."""
    equation = sympy.sympify(equation)
    both = {sums.content.name, sums.place.name}
    for entry in equation.atoms(AppliedUndef):
        rest = entry - equation
        if _names(entry) == both and not rest.has(entry):
            return entry, rest
    raise Unproved("the equation says nothing of an entry for content and place")


def _equality(context: Context, step: Use) -> Context:
    _arguments(step, 0, 2)
    one, other = (context.inequality(name) for name in step.given)
    if not context.same(one.expression, -other.expression):
        raise Unproved(f"{step.given[0]!r} and {step.given[1]!r} are not opposite")
    return context.with_facts(step.name, [Fact(one.expression, "==")])


def _replace(context: Context, step: Use) -> Context:
    letter, value = _arguments(step, 2, 2)
    fact, equation = (context.inequality(name) for name in step.given)
    if not letter.is_Symbol or equation.relation != "==":
        raise Unproved("a letter and an equation are needed")
    if not any(context.same(equation.expression, sign * (letter - value)) for sign in (1, -1)):
        raise Unproved(f"{step.given[1]!r} does not say that {letter} = {value}")
    return context.with_facts(step.name, [Fact(_replaced(fact.expression, {letter.name: value}), fact.relation)])


def _instance(context: Context, step: Use) -> Context:
    if not step.given:
        raise Unproved("an instance of what?")
    known = context.known(step.given[0])
    if not isinstance(known, Universal):
        raise Unproved(f"{step.given[0]!r} is not about all values")
    values = _arguments(step, len(known.letters), 1 + len(known.conditions))
    for letter, value in zip(known.letters, values, strict=True):
        if letter.name in context.integers and not integer_polynomial(value, context.integers):
            raise Unproved(f"{value} is not seen to be an integer")
    put = {letter.name: value for letter, value in zip(known.letters, values, strict=True)}
    for condition, name in zip(known.conditions, step.given[1:], strict=True):
        context.require(name, Fact(_replaced(condition.expression, put), condition.relation))
    conclusion = known.conclusion
    if isinstance(conclusion, NotMultiple):
        made: Known = NotMultiple(_replaced(conclusion.argument, put))
    else:
        made = Fact(_replaced(conclusion.expression, put), conclusion.relation)
    return context.with_facts(step.name, [made])


_RULES: Mapping[str, Callable[[Context, Use], Context]] = {
    "sine": _sine,
    "cosine": _cosine,
    "cosine off turns": _cosine_off_turns,
    "parabola": _parabola,
    "sine below x": _sine_below_x,
    "sine at most one": _sine_at_most_one,
    "chord": _chord,
    "exponential": _exponential,
    "tangent": _tangent,
    "monotone": _monotone,
    "integer": _integer,
    "quotient": _quotient,
    "pi": _pi,
    "floor": _floor,
    "dirichlet": _dirichlet,
    "window": _window,
    "rearrange": _rearrange,
    "equality": _equality,
    "replace": _replace,
    "instance": _instance,
}


def _require_fresh(context: Context, *letters: Any) -> None:
    """A letter that stands for something that exists must not mean anything yet."""
    names = [letter.name for letter in letters if getattr(letter, "is_Symbol", False)]
    if len(names) != len(letters) or len(set(names)) != len(names):
        raise Unproved(f"new letters are needed, got {letters}")
    if taken := sorted(set(names) & context.letters):
        raise Unproved(f"the letter {taken[0]} means something already")


def _require_known(context: Context, *expressions: Any) -> None:
    """What a new letter depends on must be fixed before it."""
    for expression in expressions:
        if strange := _names(expression) - context.letters:
            raise Unproved(f"the letters {sorted(strange)} mean nothing yet")


def _replaced(expression: Any, values: Mapping[str, Any]) -> Any:
    """The expression with values for letters, by name: two symbols of one name are one letter here."""
    expression = sympy.sympify(expression)
    put = {symbol: values[symbol.name] for symbol in expression.free_symbols if symbol.name in values}
    return expression.subs(put, simultaneous=True)


def letters_of(known: Known) -> frozenset[str]:
    """The letters that a fact speaks of; those bound by "for all" count as well."""
    if isinstance(known, Universal):
        parts = [letters_of(each) for each in (*known.conditions, known.conclusion)]
        return frozenset().union({letter.name for letter in known.letters}, *parts)
    return _names(known.expression if isinstance(known, Fact) else known.argument)


def _names(expression: Any) -> frozenset[str]:
    return frozenset(symbol.name for symbol in sympy.sympify(expression).free_symbols)
