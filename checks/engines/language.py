"""The language of derivations: what may stand in a statement or a step before any algebra touches it.

SymPy evaluates as it builds: it cancels `x * (1 / x)`, makes `exp(-oo)` zero, and takes a letter's assumptions for
facts. So every expression is looked at first, as it was written: rationals, pi, plain letters without assumptions but
`real`, sums, products, powers up to 40, cosine, sine, exponential, undefined functions; and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, get_args

import sympy
from sympy.core.function import AppliedUndef, UndefinedFunction

from headproof.checks.engines.normal import LARGEST_POWER, OutOfScope
from headproof.theory.derivation import (
    Derivation,
    DerivationStep,
    Derive,
    Entailment,
    Fact,
    Hypothesis,
    NotMultiple,
    Rearranged,
    Relation,
    Split,
    Suppose,
    Universal,
    Use,
    Window,
)

_NAME = re.compile(r"[^\W\d]\w*(?: \w+)*")


def require_plain(entailment: Entailment, derivation: Derivation) -> None:
    """Raise OutOfScope, naming the expression, unless the statement and every step are written in the language."""
    if not entailment.conclusions:
        raise OutOfScope(f"{entailment.title!r} concludes nothing")
    for known in (*entailment.hypotheses.values(), *entailment.conclusions):
        _fact(known)
    for letter in entailment.integers:
        _letter(letter)
    bound = {letter.name for known in entailment.hypotheses.values() for letter in _bound(known)}
    for window in entailment.windows:
        _window(window, bound)
    for sums in entailment.rearranged:
        _rearranged(sums)
    _steps(derivation.steps)


def plain(expression: Any) -> None:
    """Raise OutOfScope unless the expression is written in the language."""
    if isinstance(expression, int) and not isinstance(expression, bool):
        return
    if not isinstance(expression, sympy.Expr):
        raise OutOfScope(f"{expression!r:.60} is no expression")
    if expression.is_Rational or expression is sympy.pi:
        return
    if expression.is_Symbol:
        _letter(expression)
        return
    if expression.is_Pow and expression.func is sympy.Pow:
        if not (expression.exp.is_Integer and 0 <= int(expression.exp) <= LARGEST_POWER):
            raise OutOfScope(f"the power {expression}")
        plain(expression.base)
        return
    if isinstance(expression, AppliedUndef):
        _function(expression.func)
    elif expression.func not in (sympy.Add, sympy.Mul, sympy.cos, sympy.sin, sympy.exp):
        raise OutOfScope(f"{expression!s:.60} is not made of sums, products, powers, cos, sin and exp")
    for part in expression.args:
        plain(part)


def _letter(letter: Any) -> None:
    name = getattr(letter, "name", "")
    if type(letter) is not sympy.Symbol or not _NAME.fullmatch(name) or name == "pi":
        raise OutOfScope(f"{letter!r:.60} is no letter")
    if letter not in (sympy.Symbol(name), sympy.Symbol(name, real=True)):
        raise OutOfScope(f"the letter {name} with assumptions; state them as hypotheses")


def _function(function: Any) -> None:
    name = getattr(function, "__name__", "")
    if not isinstance(function, UndefinedFunction) or function != sympy.Function(name) or not _NAME.fullmatch(name):
        raise OutOfScope(f"{function!r:.60} is no undefined function")


def _fact(known: Hypothesis) -> None:
    match known:
        case Universal(letters=letters, conditions=conditions, conclusion=conclusion):
            for letter in letters:
                _letter(letter)
            for each in (*conditions, conclusion):
                _fact(each)
        case NotMultiple(argument=argument):
            plain(argument)
        case Fact(expression=expression, relation=relation):
            if relation not in get_args(Relation):
                raise OutOfScope(f"the relation {relation!r}")
            plain(expression)
        case _:
            raise OutOfScope(f"{known!r:.60} is no fact")


def _bound(known: Hypothesis) -> tuple[Any, ...]:
    return known.letters if isinstance(known, Universal) else ()


def _window(window: Window, bound: set[str]) -> None:
    _letter(window.letter)
    _function(window.total)
    plain(window.summand)
    plain(window.length)
    free = {symbol.name for part in (window.summand, window.length) for symbol in sympy.sympify(part).free_symbols}
    if caught := sorted((free - {window.letter.name}) & bound):
        raise OutOfScope(f"the window's letter {caught[0]} is bound by a hypothesis")
    if window.letter in sympy.sympify(window.length).free_symbols:
        raise OutOfScope(f"the window's length depends on its own letter {window.letter}")


def _rearranged(sums: Rearranged) -> None:
    for letter in (sums.content, sums.place, sums.before, sums.after):
        _letter(letter)
    plain(sums.summand)
    plain(sums.length)
    own = {sums.content.name, sums.place.name}
    outside = {s.name for part in (sums.length, sums.before, sums.after) for s in sympy.sympify(part).free_symbols}
    if len(own) < 2 or own & outside:
        raise OutOfScope(f"the sum's letters {sums.content}, {sums.place} mean something else as well")


def _steps(steps: Iterable[DerivationStep]) -> None:
    for step in steps:
        match step:
            case Derive(fact=fact, parts=parts):
                _equation_or_inequality(fact)
                for part in parts:
                    for expression in (part.times, *part.squares):
                        plain(expression)
            case Use(arguments=arguments):
                for expression in arguments:
                    plain(expression)
            case Suppose(fact=fact, steps=inner):
                _equation_or_inequality(fact)
                _steps(inner)
            case Split(on=on, fact=fact, positive=positive, zero=zero, negative=negative):
                plain(on)
                _equation_or_inequality(fact)
                for case in (positive, zero, negative):
                    _steps(case)


def _equation_or_inequality(fact: Any) -> None:
    if not isinstance(fact, Fact):
        raise OutOfScope(f"{fact!r:.60} is no equation or inequality")
    _fact(fact)
