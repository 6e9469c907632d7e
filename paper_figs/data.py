"""The data of a figure on disk: a CSV of stated digits, and a JSON file that says what its columns are."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv

from headproof import __version__
from headproof.theory.errors import InputError

# Significant decimal digits of a fraction in the CSV: more than any measurement repeats to, and no pixel's worth less.
DIGITS = 9
SCHEMA = "headproof-figure-1"
# Types that a column of a figure may have, by the name under which the JSON file keeps it.
TYPES = {str(each): each for each in (pa.string(), pa.bool_(), pa.int32(), pa.int64(), pa.float32(), pa.float64())}


def as_written(data: pa.Table) -> pa.Table:
    """The data as the CSV keeps them: fractions rounded to DIGITS significant digits, texts plain.

    Raises TypeError for a column of another type than TYPES.
    """
    columns = [_rounded(_plain(data[name], name)) for name in data.column_names]
    return pa.table(columns, names=data.column_names).replace_schema_metadata(data.schema.metadata)


def write_csv(data: pa.Table, path: Path) -> None:
    """The data as CSV; texts stand in quotes, a value that is missing is empty."""
    path.write_bytes(csv_bytes(data))


def csv_bytes(data: pa.Table) -> bytes:
    """What stands in the CSV."""
    sink = pa.BufferOutputStream()
    pa.csv.write_csv(data, sink)
    return bytes(sink.getvalue())


def description(data: pa.Table, name: str) -> str:
    """The JSON text beside the CSV: the figure's name, column types, digits, the CSV's hash, what measured it."""
    about = (data.schema.metadata or {}).get(b"headproof")
    held = {
        "schema": SCHEMA,
        "figure": name,
        "headproof": __version__,
        "digits": DIGITS,
        "sha256": sha256(csv_bytes(data)).hexdigest(),
        "columns": {field.name: str(field.type) for field in data.schema},
        "about": json.loads(about) if about is not None else None,
    }
    return json.dumps(held, indent=1, ensure_ascii=False) + "\n"


def read_data(folder: Path, name: str) -> pa.Table:
    """The data of a figure from NAME.csv and NAME.json in a folder, equal to what was written.

    Raises InputError if a file is missing, is another figure's, or does not fit the other: a caption says
    what was measured, so nothing is drawn from data that were changed since.
    """
    described = _described(folder / f"{name}.json", name)
    path = folder / f"{name}.csv"
    types = {column: TYPES[kind] for column, kind in described["columns"].items()}
    how = pa.csv.ConvertOptions(
        column_types=types, null_values=[""], strings_can_be_null=True, quoted_strings_can_be_null=False
    )
    lines = pa.csv.ParseOptions(newlines_in_values=True)
    try:
        held = path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}", f"headproof figures {name} writes it") from error
    if sha256(held).hexdigest() != described["sha256"]:
        raise InputError(f"{path} was changed since {name}.json described it", f"headproof figures {name} writes both")
    try:
        data = pa.csv.read_csv(pa.BufferReader(held), convert_options=how, parse_options=lines)
    except pa.ArrowInvalid as error:
        raise InputError(f"{path} is not the data of figure {name}: {str(error)[:200]}") from error
    if data.column_names != list(types):
        raise InputError(
            f"{path} has the columns {', '.join(data.column_names)[:200]}", f"{name}.json names {', '.join(types)}"
        )
    about = described["about"]
    return data if about is None else data.replace_schema_metadata({"headproof": json.dumps(about)})


def _described(path: Path, name: str) -> dict[str, Any]:
    try:
        held = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}", f"headproof figures {name} writes it") from error
    except ValueError as error:
        raise InputError(f"{path} is not JSON: {error}") from error
    if not isinstance(held, dict) or held.get("schema") != SCHEMA or held.get("figure") != name:
        said = held.get("figure") if isinstance(held, dict) else held
        raise InputError(f"{path} describes {str(said)[:80]!r}, not figure {name} ({SCHEMA})")
    columns = held.get("columns")
    if not isinstance(columns, dict) or not columns or not set(map(str, columns.values())) <= set(TYPES):
        raise InputError(f"{path} names no columns, or columns of unknown type: {str(columns)[:120]}")
    return {"columns": columns, "about": held.get("about"), "sha256": held.get("sha256")}


def _plain(column: Any, name: str) -> Any:
    """A column of one of TYPES; a dictionary of texts is written out."""
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_large_string(column.type):
        column = column.cast(pa.string())
    if str(column.type) not in TYPES:
        raise TypeError(f"column {name} of a figure is {column.type}; use one of {', '.join(TYPES)}")
    return column


def _rounded(column: Any) -> Any:
    """Fractions as the nearest number of DIGITS significant digits, in 64 bits; other columns as they are."""
    if not pa.types.is_floating(column.type):
        return column
    rounded = [None if value is None else float(f"{value:.{DIGITS}g}") for value in column.to_pylist()]
    return pa.chunked_array([pa.array(rounded, pa.float64())])
