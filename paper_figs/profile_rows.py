"""What the figures of a profile read of its tables: one group at one query and temperature, as arrays by head."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute

from headproof.checks.trained.evidence import cube, mean_over
from headproof.checks.trained.rows import columns_of, described
from headproof.paper_figs.groups import COLOURS
from headproof.theory.errors import InputError

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, eq=False)
class Heads:
    """Measures of every head of one group: arrays `(prompts, heads)`, heads by layer and number.

    Heads that see too few blocks are NaN. `layer` and `head` number the heads.
    """

    layer: Array
    head: Array
    values: dict[str, Array]

    def mean(self, name: str) -> Array:
        """The mean over prompts of a measure, of those in which it exists: `(heads,)`."""
        return mean_over(self.values[name])


def groups_in(table: pa.Table) -> list[str]:
    """The groups that a table has rows of, the trained model first."""
    present = set(pa.compute.unique(table["group"]).to_pylist())
    return [group for group in COLOURS if group in present]


def picked(table: pa.Table, names: tuple[str, ...], **wanted: Any) -> dict[str, Array]:
    """Columns of the rows in which other columns have the wanted values; of a null model, its first seed."""
    seed = -1 if wanted.get("group") == "trained" else described(table)["null_seeds"][0]
    mask = pa.compute.equal(table["null_seed"], seed)
    for name, value in wanted.items():
        mask = pa.compute.and_(mask, pa.compute.equal(table[name], value))
    return columns_of(table.filter(mask).select(names))


def by_head(table: pa.Table, names: tuple[str, ...], group: str, asked: str, temperature: float) -> Heads:
    """Measures of the heads of a group. Raises InputError if none was measured at this query and temperature."""
    keys = ("prompt", "layer", "head")
    columns = picked(table, (*keys, *names), group=group, asked=asked, temperature=temperature)
    if not len(columns["layer"]):
        raise InputError(f"the profile has no {group} heads at query {asked} and temperature {temperature:g}")
    numbers = 1 + columns["head"].max()
    code = columns["layer"].astype(np.int64) * numbers + columns["head"]
    values = {name: cube({**columns, "code": code}, name, ("prompt", "code")) for name in names}
    found = np.unique(code)
    return Heads(found // numbers, found % numbers, values)
