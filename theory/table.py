"""The logit table: every claim, score, bound and figure of headproof is a function of one of these.

For a query at position `n` and the keys before it, `M[a, b]` is the logit of key *content* `a` placed at
*position* `b` (DEC, appendix C). The logits that the head really uses are the diagonal `lambda_j = M[j, j]`.
A table does not depend on what made it: a construction, a trained toy or a real model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from numbers import Rational
from typing import Any

import array_api_compat
import numpy as np
from jaxtyping import Shaped

from headproof.theory.errors import InputError
from headproof.theory.rational import rational

# Rows are visited in blocks of about this many entries: half a MiB in float64, which stays in a core's cache.
BLOCK_ENTRIES = 1 << 16


@dataclass(frozen=True, eq=False)
class LogitTable:
    """Logits of every key content at every key position, for one query; leading axes are a batch.

    `logits` has shape `(*batch, m, m)`: content on the last axis but one, position on the last, natural-log
    units (what softmax takes). numpy and torch floating arrays are kept as they are, on their device; integer
    arrays become float64; a numpy array of dtype object holds an exact table (int, Fraction, SymPy).

    Raises InputError for a table that is not square, is empty, or has a NaN or infinite entry.
    """

    logits: Shaped[Any, "*batch content position"]

    def __post_init__(self) -> None:
        logits = self.logits
        if not array_api_compat.is_array_api_obj(logits):
            raise InputError(
                f"a logit table needs a numpy or torch array, got {type(logits).__name__}",
                "use LogitTable.of_rows for lists",
            )
        if logits.ndim < 2 or logits.shape[-1] != logits.shape[-2]:
            raise InputError(
                f"a logit table has shape (..., m, m), one row a content and one column a position; got "
                f"{tuple(logits.shape)}"
            )
        if 0 in logits.shape:
            raise InputError(f"an empty logit table of shape {tuple(logits.shape)}", "a query needs at least one key")
        xp = array_api_compat.array_namespace(logits)
        if logits.dtype == object:
            object.__setattr__(self, "logits", _exact_array(logits))
        elif xp.isdtype(logits.dtype, "integral"):
            object.__setattr__(self, "logits", xp.astype(logits, xp.float64))
        elif not xp.isdtype(logits.dtype, "real floating"):
            raise InputError(f"logits must be real numbers, got an array of {logits.dtype}")
        else:
            self._require_finite(xp)

    def _require_finite(self, xp: Any) -> None:
        for rows in row_blocks(self):
            block = self.logits[..., rows, :]
            # One sum tells: it is finite unless an entry is not, or the sum itself overflows.
            with np.errstate(over="ignore", invalid="ignore"):
                if bool(xp.isfinite(xp.sum(block))):
                    continue
            bad = ~xp.isfinite(block)
            if bool(xp.any(bad)):
                first = tuple(int(axis[0]) for axis in xp.nonzero(bad))
                value = float(block[first])
                content, position = first[-2] + rows.start, first[-1]
                raise InputError(
                    f"logit {value} at content {content}, position {position}",
                    "a table holds finite numbers; leave masked keys out of it",
                )

    # -- builders ----------------------------------------------------------------------------------------

    @classmethod
    def of_rows(cls, rows: Sequence[Sequence[Any]]) -> LogitTable:
        """A table from nested sequences, `rows[content][position]`.

        Integers, Fractions, strings such as "2/3" and SymPy expressions give an exact table; one float among
        them makes it a float64 table.

        >>> LogitTable.of_rows([["0", "1/2"], ["1/2", 1]]).exact
        True
        """
        if isinstance(rows, str) or not all(isinstance(row, Iterable) and not isinstance(row, str) for row in rows):
            raise InputError(f"rows of logits are sequences of numbers, got {rows!r:.80}")
        entries = [[_entry(value) for value in row] for row in rows]
        widths = {len(row) for row in entries}
        if widths - {len(entries)}:
            raise InputError(f"a logit table is square; got {len(entries)} rows of lengths {sorted(widths)}")
        flat = [value for row in entries for value in row]
        if any(isinstance(value, float) for value in flat):
            if symbols := [value for value in flat if getattr(value, "free_symbols", None)]:
                raise InputError(f"floats and the expression {symbols[0]} in one table", "use exact numbers throughout")
            try:
                return cls(np.array(entries, dtype=np.float64).reshape(len(entries), -1))
            except OverflowError as error:
                raise InputError("a logit is too large for float64", "use exact numbers throughout") from error
        table = np.empty((len(entries), len(entries)), dtype=object)
        table.reshape(-1)[:] = flat
        return cls(table)

    @classmethod
    def of_function(cls, logit: Callable[[int, int], Any], size: int) -> LogitTable:
        """A table from a closed form `logit(content, position)`, both counted from 0."""
        return cls.of_rows([[logit(content, position) for position in range(size)] for content in range(size)])

    @classmethod
    def symbolic(cls, size: int, name: str = "M") -> LogitTable:
        """The general table of a size: entry `M_a_b` is a real SymPy symbol."""
        import sympy

        return cls.of_function(lambda a, b: sympy.Symbol(f"{name}_{a}_{b}", real=True), size)

    @classmethod
    def additive(cls, content: Any, position: Any) -> LogitTable:
        """The table `M[a, b] = content[a] + position[b]`, in which content and position do not interact."""
        if hasattr(content, "dtype") and hasattr(position, "dtype"):
            return cls(content[..., :, None] + position[..., None, :])
        if len(content) != len(position):
            raise InputError(f"{len(content)} contents and {len(position)} positions", "give as many of each")
        return cls.of_function(lambda a, b: _entry(content[a]) + _entry(position[b]), len(content))

    # -- views -------------------------------------------------------------------------------------------

    @property
    def size(self) -> int:
        """The number `m` of keys: contents, and positions."""
        return int(self.logits.shape[-1])

    @property
    def exact(self) -> bool:
        """Whether the entries are exact numbers or expressions rather than floats."""
        return bool(self.logits.dtype == object)

    @property
    def xp(self) -> Any:
        """The array namespace of the logits (array API standard)."""
        return array_api_compat.array_namespace(self.logits)

    @property
    def diagonal(self) -> Shaped[Any, "*batch position"]:
        """The logits `lambda_j = M[j, j]` that the head uses; shape `(*batch, m)`."""
        if self.exact or array_api_compat.is_numpy_array(self.logits):
            return np.diagonal(self.logits, axis1=-2, axis2=-1)
        return self.xp.linalg.diagonal(self.logits)

    def keys(self, chosen: Sequence[int]) -> LogitTable:
        """The table of some of the keys, in the given order: their contents at their positions."""
        index = list(chosen)
        if bad := [key for key in index if isinstance(key, float) or not 0 <= key < self.size]:
            raise InputError(f"key {bad[0]} is not in a table of {self.size} keys, counted from 0")
        return LogitTable(self.logits[..., index, :][..., :, index])


def row_blocks(table: LogitTable) -> Iterator[slice]:
    """Slices of the content axis, each small enough to work on in cache; together they cover the table once."""
    shape = table.logits.shape
    entries_per_row = max(1, int(np.prod(shape[:-2], dtype=np.int64)) * int(shape[-1]))
    step = max(1, BLOCK_ENTRIES // entries_per_row)
    for start in range(0, int(shape[-2]), step):
        yield slice(start, min(start + step, int(shape[-2])))


def _entry(value: Any) -> Any:
    """One number of a table built from rows: a Fraction, a SymPy expression or a float."""
    if isinstance(value, str):
        return rational(value)
    return float(value) if isinstance(value, (float, np.floating)) else _exact_entry(value)


def _exact_entry(value: Any) -> Any:
    """An exact number in its plainest form, so that numpy's integers, which wrap around, are none of them."""
    if not isinstance(value, bool) and isinstance(value, Rational):
        return rational(value)
    if hasattr(value, "free_symbols"):
        import sympy

        infinities = (sympy.nan, sympy.zoo, sympy.oo, -sympy.oo)
        if isinstance(value, sympy.Expr) and value.is_extended_real is not False and not value.has(*infinities):
            if value.has(sympy.Float):
                raise InputError(f"the float in {value} is not exact", "write a rational, such as 1/10")
            return value
    raise InputError(f"an exact logit is an integer, a Fraction or a finite real SymPy expression, got {value!r}")


def _exact_array(logits: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    exact = np.empty_like(logits)
    for place, value in np.ndenumerate(logits):
        try:
            exact[place] = _exact_entry(value)
        except InputError as error:
            raise InputError(f"content {place[-2]}, position {place[-1]}: {error}") from error
    return exact
