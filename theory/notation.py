"""Formulas for people: sums over a table, and relations between them, as plain text."""

from __future__ import annotations

import re
from typing import Any

import sympy

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
