"""The report of a run: assembled, validated against its published schema, read back."""

from __future__ import annotations

import json
import platform
import sys
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from pathlib import Path
from typing import Any

from headproof import __version__
from headproof.checks.registry import Context
from headproof.theory.errors import InputError

SCHEMA_VERSION = 1
# What a record says in words; they are the registered claim's.
WORDS = ("kind", "fidelity", "title", "sentence", "domain", "repair", "survives", "source", "remarks")
# What a result can depend on; versions are stated in every report.
VERSIONED = ("numpy", "sympy", "hypothesis", "torch", "transformers", "gguf")

Report = dict[str, Any]


def assemble(
    records: Iterable[Mapping[str, Any]], context: Context, command: list[str], model: Mapping[str, Any] | None
) -> Report:
    """The report of a run; `model` is the measured model's name and hash, None if nothing was measured."""
    return {
        "schema": f"headproof-report-{SCHEMA_VERSION}",
        "headproof": __version__,
        "versions": versions(),
        "command": [word.encode("utf-8", "backslashreplace").decode() for word in command],
        "effort": context.effort,
        "seed": context.seed,
        "device": context.device,
        "model": dict(model) if model else None,
        "claims": [dict(record) for record in records],
    }


def versions() -> dict[str, str]:
    """Versions of Python and of the packages that results depend on; those not installed are left out."""
    found = {"python": platform.python_version(), "platform": f"{sys.platform} {platform.machine()}"}
    for name in VERSIONED:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


@cache
def schema() -> dict[str, Any]:
    """The JSON schema of reports, as shipped."""
    text = (files("headproof.checks") / "schema" / f"report-{SCHEMA_VERSION}.json").read_text("utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded


def to_text(report: Mapping[str, Any]) -> str:
    """The report as JSON text; raises ValueError if a number is not finite (JSON has none)."""
    return json.dumps(report, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def read(path: Path) -> Report:
    """A report from a file, validated. Raises InputError with the place and the reason of the first fault."""
    try:
        data = parse(Path(path).read_text("utf-8"))
    except OSError as error:
        raise InputError(f"cannot read report {path}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is not JSON: {error}", "give a file written by headproof check --json") from error
    validate(data, str(path))
    return data  # type: ignore[no-any-return]


def parse(text: str) -> Any:
    """JSON as this project writes it; raises ValueError for repeated names, infinities and endless numbers as well."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) != len(pairs):
            raise ValueError("a name stands twice in one object")
        return made

    def integer(digits: str) -> int:
        if len(digits) > 40:
            raise ValueError(f"a number of {len(digits)} digits")
        return int(digits)

    def constant(name: str) -> float:
        raise ValueError(f"{name} is no JSON number")

    return json.loads(text, object_pairs_hook=unique, parse_int=integer, parse_constant=constant)


def validate(data: Any, where: str) -> None:
    """Raise InputError if `data` is not a report of this schema version."""
    import jsonschema

    declared = data.get("schema") if isinstance(data, dict) else None
    if declared != f"headproof-report-{SCHEMA_VERSION}":
        raise InputError(
            f"{where} declares schema {declared!r}, expected 'headproof-report-{SCHEMA_VERSION}'",
            "give a file written by headproof check --json",
        )
    fault = jsonschema.exceptions.best_match(jsonschema.Draft202012Validator(schema()).iter_errors(data))
    if fault is not None:
        raise InputError(f"{where} is not a report: at {fault.json_path} {fault.message[:200]}")
