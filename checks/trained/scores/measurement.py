"""The committed measurement of the scores: its plan, how it is made anew, and how it is read back.

It takes many minutes a model, so `headproof check` replays it: the tables below `checks/measured/scores/` hold one
row a head (and plane), prompt and model, and every verdict is computed from them.
`headproof remeasure scores` makes them.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute

from headproof.checks.trained import committed
from headproof.checks.trained.committed import MODELS, MeasuredModel, known

__all__ = ["FOLDER", "KEPT", "MODELS", "folder_of", "read", "remeasure"]

FOLDER = committed.FOLDER / "scores"
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


def folder_of(model: MeasuredModel, root: Path = FOLDER) -> Path:
    """Where the measurement of a model stands."""
    return root / model.slug


def read(model: MeasuredModel, root: Path = FOLDER) -> dict[str, pa.Table] | None:
    """The committed tables of a model by name; None if there are none. Raises InputError for damaged ones."""
    return committed.read(folder_of(model, root), KEPT, "scores")


def remeasure(
    spec: str | None, device: str, progress: Callable[[str, int, int], None], message: Callable[[str], None], root: Path
) -> tuple[MeasuredModel, list[Path]]:
    """Measure a model by the plan, and write its tables below `root`; an interrupted run is taken up again.

    Raises InputError for a model that is not one of MODELS.
    """
    from headproof.checks.trained.models import find_model, load_model

    source = find_model(spec)
    model = known(source.sha256, source.name, "profile")
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
    return model, committed.write(tables, facts, folder_of(model, root))


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
    if "plane" in columns:
        table = table.filter(pa.compute.equal(table["temperature"], TEMPERATURES[0]))
        table = table.filter(pa.compute.match_substring_regex(table["prompt"].cast(pa.string()), PLANES_OF))
    return committed.rounded(table, columns, DECIMALS)
