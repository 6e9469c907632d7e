"""Positional and symbolic: the two definitions (dec.definitions), as predicates on logit tables.

On one input, with M the logit table of the query at position n over its m = n - 1 earlier keys:

    positional   L(x_n, n, x_pi(j), j) = L(x_n, n, x_j, j) for every permutation pi and every j
    symbolic     L(x_n, n, x_j, pi(j)) = L(x_n, n, x_j, j) for every permutation pi and every j

Every pair of keys occurs in some permutation, so positional says that each column of M is constant (M does not
depend on the content), and symbolic that each row is (M does not depend on the position). What follows from them, and
what does not, stands in `theory.definition_claims` and `theory.rotary_claims`.
"""

from __future__ import annotations

from typing import Any

from headproof.theory.table import LogitTable


def is_positional(table: LogitTable) -> Any:
    """Whether each column of the table is constant: logits depend on positions only. Exact comparison, batched."""
    diagonal = table.diagonal
    return (table.logits == diagonal[..., None, :]).all(axis=-1).all(axis=-1)


def is_symbolic(table: LogitTable) -> Any:
    """Whether each row of the table is constant: logits depend on contents only. Exact comparison, batched."""
    diagonal = table.diagonal
    return (table.logits == diagonal[..., :, None]).all(axis=-1).all(axis=-1)
