"""Formulas for people: sums over a table as plain text and as LaTeX."""

from __future__ import annotations

import re
from typing import Any

import sympy

from headproof.theory.sums import Relation, Sum, Term, mean_of

_TEXT_OVER = {
    "permutations": "sum over pi in S_m and j, k = pi(j), of ",
    "shifts": "sum over the m cyclic shifts pi and j, k = pi(j), of ",
    "pairs": "sum_{j,k} ",
    "unequal pairs": "sum_{j != k} ",
    "keys": "sum_j ",
}
_LATEX_OVER = {
    "permutations": r"\sum_{\pi \in S_m} \sum_{j,\,k=\pi(j)} ",
    "shifts": r"\sum_{\pi \in C_m} \sum_{j,\,k=\pi(j)} ",
    "pairs": r"\sum_{j,k} ",
    "unequal pairs": r"\sum_{j \ne k} ",
    "keys": r"\sum_{j} ",
}
_LATEX_NAMES = {letter: rf"\bar{{{sympy.latex(letter).split('_')[0]}}}" for letter in mean_of.values()} | {
    mean: rf"\bar{{{sympy.latex(letter)}}}".replace("_{j}", "") for letter, mean in mean_of.items()
}


def expression_text(expression: Any) -> str:
    """One expression in plain text, powers written `^`."""
    text = str(expression).replace("**", "^")
    return re.sub(r"\bfactorial\((\w+)\)", r"\1!", re.sub(r"\bfactorial\(([^()]+)\)", r"(\1)!", text))


def sum_text(total: Sum) -> str:
    """A sum in plain text."""
    return " + ".join(_term(term, expression_text, _TEXT_OVER) for term in total) or "0"


def sum_latex(total: Sum) -> str:
    """A sum in LaTeX."""
    return " + ".join(_term(term, expression_latex, _LATEX_OVER) for term in total) or "0"


def expression_latex(expression: Any) -> str:
    """One expression in LaTeX."""
    return str(sympy.latex(expression, symbol_names=_LATEX_NAMES))


def relation_text(relation: Relation) -> str:
    """A relation in plain text, for every table of its family."""
    return f"{sum_text(relation.left)}  {relation.relation}  {sum_text(relation.right)}   [{relation.family.name}]"


def _term(term: Term, show: Any, over: dict[str, str]) -> str:
    weight = "" if term.weight == 1 else f"{show(term.weight)} "
    summand = show(term.summand)
    if isinstance(term.summand, sympy.Add):
        summand = f"[{summand}]"
    return f"{weight}{over[term.over]}{summand}"
