"""What a run keeps in its folder: its description, float16 weights at its checkpoints, a log, and the latest state.

`run.json` names the run; `step-000200.safetensors` holds the weights after 200 steps; `log.jsonl` has one line for each
checkpoint; `latest.safetensors` has float32 weights and the optimiser's moments, from which an interrupted run goes on,
and is deleted when the run is complete. Every file appears whole or not at all.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save

from headproof.checks.files import output_folder, write_atomic
from headproof.checks.trained.multihop.model import build, config
from headproof.checks.trained.multihop.runs import Run
from headproof.theory.errors import InputError

DESCRIPTION, LOG, LATEST = "run.json", "log.jsonl", "latest.safetensors"
# By task; raised when sequences, model or training change, so that what was begun before is not continued after.
FORMAT = {"number": 1, "letter": 2}
Tensors = dict[str, torch.Tensor]


@dataclass(frozen=True)
class Loaded:
    """A checkpoint: the model in evaluation mode, in float32, the run and the step that it is from."""

    model: Any
    run: Run
    step: int


def weights_path(folder: Path, step: int) -> Path:
    """Where the weights after `step` steps stand."""
    return Path(folder) / f"step-{step:06d}.safetensors"


def open_folder(folder: Path, run: Run) -> None:
    """Make the folder of a run, or make sure that it is this run's; InputError otherwise, naming what differs."""
    output_folder(folder)
    path, wanted = Path(folder) / DESCRIPTION, {"format": FORMAT[run.task], "run": run.to_json()}
    if not path.exists():
        if any(Path(folder).glob("*.safetensors")):
            raise InputError(f"{folder} holds models of no known run", "give another folder")
        write_atomic(path, json.dumps(wanted, indent=1) + "\n")
        return
    held = _described(path)
    given, asked = held["run"], run.to_json()
    if names := [name for name in {**given, **asked} if given.get(name) != asked.get(name)]:
        told = "; ".join(f"{name} {given.get(name)!r:.60}, here {asked.get(name)!r:.60}" for name in names[:2])
        more = "" if len(names) <= 2 else f"; and {len(names) - 2} more"
        raise InputError(f"{folder} holds another run: {told}{more}", "give another folder, or that run")
    if held["format"] != wanted["format"]:
        raise InputError(f"{folder} was trained by other code, format {held['format']}", "give another folder")


def clear(folder: Path) -> None:
    """Delete what a run keeps in its folder, and nothing else. Raises InputError for a folder that is no run's."""
    if not folder.exists() or not any(folder.iterdir()):
        return
    run_of(folder)
    # The description last: interrupted here, the folder still says whose the rest is.
    for path in [*folder.glob("step-*.safetensors"), *(folder / name for name in (LATEST, LOG, DESCRIPTION))]:
        path.unlink(missing_ok=True)


def run_of(folder: Path) -> Run:
    """The run whose folder this is. Raises InputError if it is none."""
    return Run.from_json(_described(Path(folder) / DESCRIPTION)["run"])


def keep_weights(folder: Path, run: Run, step: int, model: Any) -> None:
    """Write the weights after `step` steps as float16. Raises InputError for weights that float16 does not hold."""
    tensors = {name: value.detach().to("cpu", torch.float16).contiguous() for name, value in model.named_parameters()}
    for name, value in tensors.items():
        if not bool(torch.isfinite(value).all()):
            raise InputError(f"weights {name} of {run.name} after {step} steps leave float16's range", "lower the rate")
    write_atomic(weights_path(folder, step), save(tensors, metadata=_metadata(run, step)))


def load(folder: Path, step: int | None = None, device: str = "cpu", attention: str = "sdpa") -> Loaded:
    """The model after `step` steps, by default after the last that is kept; `attention="eager"` shows its weights.

    Raises InputError for a folder without a run, a step that is not kept (it lists those that are), a damaged file or
    one of another run, and a device that is not there.
    """
    from headproof.checks.trained.models import require_device

    require_device(device)
    run, held = run_of(folder), kept_steps(folder)
    chosen = held[-1] if step is None and held else step
    if chosen not in held or chosen is None:
        raise InputError(
            f"{folder} has no weights after {chosen} steps", f"it has {', '.join(map(str, held)) or 'none'}"
        )
    return load_file(weights_path(folder, chosen), run, chosen, device, attention)


def load_file(path: Path, run: Run, step: int, device: str = "cpu", attention: str = "sdpa") -> Loaded:
    """The model of one file of weights. Raises InputError if it is damaged or of another run or step."""
    from headproof.checks.trained.models import require_device

    where = require_device(device)
    tensors = _read(path, run, step, "train it again in an empty folder")[0]
    model = build(config(run.vocabulary, run.size, run.dropout), run.seed, attention)
    fill(model, tensors, path)
    return Loaded(model.to(where), run, step)


def kept_steps(folder: Path) -> list[int]:
    """The steps whose weights a folder holds, in order."""
    return sorted(
        int(path.stem.removeprefix("step-")) for path in Path(folder).glob("step-" + "[0-9]" * 6 + "*.safetensors")
    )


def fill(model: Any, tensors: Tensors, path: Path) -> None:
    """Set a model's parameters. Raises InputError if names or shapes are not the model's, naming the file."""
    parameters = dict(model.named_parameters())
    for name in {**parameters, **tensors}:
        if name not in parameters or name not in tensors or parameters[name].shape != tensors[name].shape:
            raise InputError(f"{path} does not fit the model at {name}", "train it again in an empty folder")
    with torch.no_grad():
        for name, value in parameters.items():
            value.copy_(tensors[name])


# -- the log and the latest state ------------------------------------------------------------------------


def keep_log(folder: Path, lines: list[dict[str, Any]]) -> None:
    """Write the whole log, one JSON object a line."""
    write_atomic(Path(folder) / LOG, "".join(json.dumps(line) + "\n" for line in lines))


def read_log(folder: Path) -> list[dict[str, Any]]:
    """The log's lines in order. Raises InputError if it is missing or damaged."""
    path = Path(folder) / LOG
    try:
        lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        if not all(isinstance(line["step"], int) for line in lines):
            raise ValueError("a line without a step")
        return lines
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"cannot read the log {path}: {error}", "train it again in an empty folder") from error


def keep_state(folder: Path, run: Run, step: int, tensors: Tensors) -> None:
    """Write what the run goes on from after `step` steps."""
    held = {name: value.detach().to("cpu").contiguous() for name, value in tensors.items()}
    write_atomic(Path(folder) / LATEST, save(held, metadata=_metadata(run, step)))


def read_state(folder: Path, run: Run) -> tuple[Tensors, int] | None:
    """The latest state and its step, or None if there is none. Raises InputError for a damaged one."""
    path = Path(folder) / LATEST
    return _read(path, run, None, "delete it; the run then starts again") if path.exists() else None


def drop_state(folder: Path) -> None:
    """Delete the latest state of a complete run."""
    (Path(folder) / LATEST).unlink(missing_ok=True)


def _metadata(run: Run, step: int) -> dict[str, str]:
    # In one entry: safetensors writes several in any order, and files that are alike would differ.
    return {"checkpoint": json.dumps({"run": run.to_json(), "step": step, "format": FORMAT[run.task]}, sort_keys=True)}


def _read(path: Path, run: Run, step: int | None, remedy: str) -> tuple[Tensors, int]:
    """A file's tensors and step, if it is of this run (and of this step, where one is given)."""
    try:
        with safe_open(path, framework="pt") as stored:
            told = json.loads((stored.metadata() or {})["checkpoint"])
            held, found = Run.from_json(told["run"]), int(told["step"])
            tensors = {name: stored.get_tensor(name) for name in stored.keys()}  # noqa: SIM118
    except (OSError, KeyError, ValueError, TypeError, SafetensorError) as error:
        raise InputError(f"cannot read {path}: {error}", remedy) from error
    if held != run or step not in (None, found):
        raise InputError(f"{path} is of {held.name} after {found} steps", f"it is not this run's; {remedy}")
    return tensors, found


def _described(path: Path) -> dict[str, Any]:
    try:
        held = json.loads(path.read_text("utf-8"))
        if not isinstance(held["run"], dict) or "format" not in held:
            raise ValueError("no run in it")
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"cannot read {path}: {error}", "give the folder of a training run") from error
    return dict(held)
