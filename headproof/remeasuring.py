"""`headproof remeasure`: makes the committed measurement of a topic anew."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from headproof import progressing, showing
from headproof.theory.errors import InputError

# Where each topic's committed measurement is made.
MEASUREMENTS = {
    "canonical": "headproof.checks.trained.canonical.measurement",
    "disentanglement": "headproof.checks.trained.disentanglement.measurement",
    "multihop": "headproof.checks.trained.multihop.measurement",
    "scores": "headproof.checks.trained.scores.measurement",
}


def remeasure(topic: str, spec: str | None, out: Path | None, device: str, quiet: bool) -> None:
    """Make the committed measurement of a topic anew, below `out` or in its place."""
    if topic not in MEASUREMENTS:
        raise InputError(f"no committed measurement of {topic!r}", f"there are {', '.join(MEASUREMENTS)}")
    from headproof.checks.files import output_folder

    measurement = import_module(MEASUREMENTS[topic])
    root = out if out is not None else measurement.FOLDER
    output_folder(root)
    with progressing.bar(quiet, "measuring") as bar:
        model, written = measurement.remeasure(spec, device, bar.step, bar.message, root)
    if not quiet:
        showing.say(f"{model.name}: wrote {', '.join(str(path) for path in written)}")
