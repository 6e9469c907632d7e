"""Formulas for people: sums over a table, and relations between them, as plain text."""

from __future__ import annotations

import re
from typing import Any

import sympy

from headproof.theory.derivation import (
    Derive,
    Entailment,
    Fact,
    Hypothesis,
    NotMultiple,
    Part,
    Split,
    Suppose,
    Universal,
    Use,
)
from headproof.theory.sums import Relation, Sum, Term

_OVER = {
    "permutations": "sum over pi in S_m and j, k = pi(j), of ",
    "shifts": "sum over the m cyclic shifts pi and j, k = pi(j), of ",
    "pairs": "sum_{j,k} ",
    "unequal pairs": "sum_{j != k} ",
    "keys": "sum_j ",
}


def expression_text(expression: Any) -> str:
    """One expression in plain text, powers written `^`.

    >>> expression_text(2 / sympy.Symbol("m") ** 2)
    '2/m^2'
    """
    text = str(expression).replace("**", "^")
    return re.sub(r"\bfactorial\((\w+)\)", r"\1!", re.sub(r"\bfactorial\(([^()]+)\)", r"(\1)!", text))


def sum_text(total: Sum) -> str:
    """A sum in plain text."""
    return " + ".join(_term(term) for term in total) or "0"


def relation_text(relation: Relation) -> str:
    """A relation in plain text, for every table of its family."""
    return f"{sum_text(relation.left)}  {relation.relation}  {sum_text(relation.right)}   [{relation.family.name}]"


def _term(term: Term) -> str:
    weight = "" if term.weight == 1 else f"{expression_text(term.weight)} "
    summand = expression_text(term.summand)
    if isinstance(term.summand, sympy.Add):
        summand = f"[{summand}]"
    return f"{weight}{_OVER[term.over]}{summand}"


def fact_text(known: Hypothesis) -> str:
    """A fact of a derivation, what is subtracted moved to the other side.

    >>> x, y = sympy.symbols("x y")
    >>> fact_text(Fact(x - y - 1, ">="))
    'x >= y + 1'
    """
    if isinstance(known, NotMultiple):
        return f"{expression_text(known.argument)} is no multiple of 2 pi"
    if isinstance(known, Universal):
        letters = ", ".join(map(str, known.letters))
        conditions = ", ".join(map(fact_text, known.conditions))
        return f"for all {letters} with {conditions}: {fact_text(known.conclusion)}"
    expression = sympy.sympify(known.expression)
    terms = sympy.Add.make_args(expression)
    left = sympy.Add(*(term for term in terms if not term.could_extract_minus_sign()))
    right = sympy.Add(*(-term for term in terms if term.could_extract_minus_sign()))
    relation = {"==": "="}.get(known.relation, known.relation)
    if expression == 0 and known.relation == ">":
        return "a contradiction, 0 > 0"
    return f"{expression_text(left)} {relation} {expression_text(right)}"


def entailment_lines(part: Entailment) -> list[str]:
    """An entailment in plain text: letters, hypotheses by name, conclusions."""
    lines = [f"{part.title}:"]
    if part.integers:
        lines.append(f"  integers {', '.join(map(str, part.integers))}; other letters are real")
    lines += [
        f"  {window.total(sympy.Symbol('j'))} = sum over k = 1..{expression_text(window.length)} of "
        f"{expression_text(window.summand)} at {window.letter} = j - k"
        for window in part.windows
    ]
    lines += [
        f"  {each.before} = sum over b of t(b, b), {each.after} = sum over b of t(p(b), b), p a permutation of 1.."
        f"{expression_text(each.length)}, t({each.content}, {each.place}) = {expression_text(each.summand)}"
        for each in part.rearranged
    ]
    lines += [f"  if   {fact_text(known)}   [{name}]" for name, known in part.hypotheses.items()]
    lines += [f"  then {fact_text(fact)}" for fact in part.conclusions]
    return lines


def derivation_lines(steps: tuple[Any, ...], indent: str = "") -> list[str]:
    """The steps of a derivation in plain text, cases and suppositions indented."""
    lines: list[str] = []
    for step in steps:
        why = f"   ({step.why})" if step.why else ""
        match step:
            case Derive(fact=fact, parts=parts):
                lines.append(f"{indent}[{step.name}] {fact_text(fact)}, from {_parts_text(parts)}{why}")
            case Use(rule=rule, arguments=arguments, given=given):
                at = f" at {', '.join(map(expression_text, arguments))}" if arguments else ""
                using = f", given {', '.join(f'[{name}]' for name in given)}" if given else ""
                lines.append(f"{indent}[{step.name}] by {rule}{at}{using}{why}")
            case Suppose(fact=fact, steps=inner):
                lines.append(f"{indent}[{step.name}] suppose {fact_text(fact)}:{why}")
                lines += derivation_lines(inner, indent + "  ")
                lines.append(f"{indent}  a contradiction, so {fact_text(fact.negated())}")
            case Split(on=on, fact=fact):
                lines.append(f"{indent}[{step.name}] {fact_text(fact)}, by the sign of {expression_text(on)}:{why}")
                cases = ((Fact(on, ">"), step.positive), (Fact(on, "=="), step.zero), (Fact(-on, ">"), step.negative))
                for case, inner in cases:
                    lines.append(f"{indent}  if {fact_text(case)}:")
                    lines += derivation_lines(inner, indent + "    ")
    return lines


def _parts_text(parts: tuple[Part, ...]) -> str:
    return " + ".join(map(_part_text, parts)) or "nothing: both sides are identical"


def _part_text(part: Part) -> str:
    factors = [f"[{name}]" for name in part.facts] + [f"({expression_text(square)})^2" for square in part.squares]
    if part.times != 1 or not factors:
        factors = [f"({expression_text(part.times)})", *factors]
    return " ".join(factors)
