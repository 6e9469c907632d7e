"""Tables whose columns carry their definitions, of types that their values have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from headproof.theory.errors import InputError


def defined_table(definitions: Mapping[str, str], rows: Sequence[Mapping[str, Any]]) -> pa.Table:
    """Rows as a table of just these columns, None as null; each column's field carries its definition.

    Raises InputError for rows that have other columns.
    """
    for row in rows:
        if row.keys() != definitions.keys():
            stray = sorted(row.keys() ^ definitions.keys())
            raise InputError(f"a row differs from the table's columns at {', '.join(stray)}")
    fields, columns = [], []
    for name, meaning in definitions.items():
        values = [row[name] for row in rows]
        kind = _type([value for value in values if value is not None])
        fields.append(pa.field(name, kind, metadata={"definition": meaning}))
        columns.append(pa.array(values, kind))
    return pa.Table.from_arrays(columns, schema=pa.schema(fields))


def _type(values: Sequence[Any]) -> Any:
    if values and all(isinstance(value, bool) for value in values):
        return pa.bool_()
    if values and all(isinstance(value, int) for value in values):
        return pa.int32()
    return pa.string() if any(isinstance(value, str) for value in values) else pa.float64()
