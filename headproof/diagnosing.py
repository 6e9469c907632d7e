"""`headproof doctor`: what is installed, what would not run here, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass

from headproof.checks import ledger
from headproof.checks.engines import coq
from headproof.checks.files import cache_entries, cache_folder
from headproof.checks.registry import figure_points, topics
from headproof.checks.report import VERSIONED, versions
from headproof.theory.errors import InputError


@dataclass(frozen=True)
class Line:
    """One finding: `good` is None where something is absent that nothing needs."""

    what: str
    good: bool | None
    found: str
    remedy: str = ""


def diagnose() -> list[Line]:
    """Look at everything that a run could need; imports torch only if it is installed."""
    lines = [*_packages(), _cache(), _topics(), _ledger()]
    lines += [_coq(), _model(), *_devices()]
    return lines


def _packages() -> list[Line]:
    found = versions()
    lines = [Line("python", True, f"{found['python']} on {found['platform']}")]
    for name in VERSIONED:
        if name in found:
            lines.append(Line(name, True, found[name]))
        else:
            lines.append(
                Line(name, False, "not installed: measured claims will not run", "pip install 'headproof[models]'")
            )
    return lines


def _cache() -> Line:
    try:
        folder = cache_folder()
        size = sum(entry.size for entry in cache_entries())
    except InputError as error:
        return Line("cache", False, str(error))
    return Line("cache", True, f"{folder}, {size / 1e6:,.0f} MB")


def _topics() -> Line:
    try:
        found = topics()
    except InputError as error:
        return Line("topics", False, str(error))
    count = sum(len(topic.claims) for topic in found)
    return Line("topics", True, f"{', '.join(t.name for t in found)}: {count} claims, {len(figure_points())} figures")


def _ledger() -> Line:
    efforts = []
    for effort in ("quick", "full"):
        try:
            if ledger.expected(effort) is not None:
                efforts.append(effort)
        except InputError as error:
            return Line("ledger", False, str(error), "restore checks/ledger.json")
    if not efforts:
        return Line("ledger", False, "none", "headproof check --update-ledger")
    return Line("ledger", True, f"{ledger.ledger_path()}, efforts {', '.join(efforts)}")


def _coq() -> Line:
    found = coq.coqc()
    if found is None:
        return Line("coq", None, f"none: the tier kernel will not run, which {coq.MISSING}")
    return Line("coq", True, found)


def _model() -> Line:
    try:
        from headproof.checks.trained.sources import find_model

        source = find_model()
    except InputError as error:
        return Line("default model", False, str(error))
    except ImportError as error:
        return Line("default model", False, f"cannot be looked for: {error}", "pip install 'headproof[models]'")
    return Line("default model", True, f"{source.name}, {source.file}, sha256 {source.sha256[:12]}")


def _devices() -> list[Line]:
    try:
        import torch
    except ImportError:
        return []
    lines = [Line("device cpu", True, f"{torch.get_num_threads()} threads")]
    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if count == 0:
        lines.append(Line("device cuda", None, "none: nothing needs it"))
    return lines + [Line(f"device cuda:{number}", True, torch.cuda.get_device_name(number)) for number in range(count)]
