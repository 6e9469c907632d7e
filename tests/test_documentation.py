"""Documents: everything public says what it is, the reference is made from it, and the citation is the project's."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from headproof.theory.claim import SOURCES

ROOT = Path(__file__).resolve().parent.parent


def names_of(package: str) -> Iterator[str]:
    """All modules below a package, itself first; nothing is run as a program."""
    yield package
    for found in pkgutil.iter_modules(importlib.import_module(package).__path__):
        name = f"{package}.{found.name}"
        if found.ispkg:
            yield from names_of(name)
        elif found.name != "__main__":
            yield name


def undocumented(module: ModuleType) -> list[str]:
    """Public functions, classes and methods of a module without a docstring of their own or of a base class."""
    found = [] if module.__doc__ else [module.__name__]
    for name, thing in vars(module).items():
        if name.startswith("_") or getattr(thing, "__module__", None) != module.__name__:
            continue
        if not (inspect.isclass(thing) or inspect.isfunction(thing)):
            continue
        parts: dict[str, Any] = {name: thing}
        if inspect.isclass(thing):
            inner = {part: getattr(thing, part) for part in vars(thing) if not part.startswith("_")}
            parts |= {f"{name}.{part}": each for part, each in inner.items()
                      if inspect.isroutine(each) or isinstance(each, property)}  # fmt: skip
        found += [f"{module.__name__}.{part}" for part, each in parts.items() if not inspect.getdoc(each)]
    return found


@pytest.mark.slow
@pytest.mark.torch
def test_everything_public_says_what_it_is() -> None:
    assert [name for each in names_of("headproof") for name in undocumented(importlib.import_module(each))] == []


def test_what_says_nothing_is_found() -> None:
    module = ModuleType("silent")
    exec("def f(): pass\nclass C:\n  'Said.'\n  def m(self): pass\n  def _n(self): pass", module.__dict__)
    assert undocumented(module) == ["silent", "silent.f", "silent.C.m"]


def test_the_reference_is_made_from_the_docstrings(tmp_path: Path) -> None:
    """One module of each floor, as `make api` makes all of them."""
    pdoc = pytest.importorskip("pdoc")
    floors = ("theory.table", "constructions.rope", "checks.ledger", "paper_figs.figure")
    pdoc.pdoc(*(f"headproof.{name}" for name in floors), output_directory=tmp_path)
    for name in floors:
        page = (tmp_path / "headproof" / Path(*name.split("."))).with_suffix(".html").read_text("utf-8")
        summary = str(importlib.import_module(f"headproof.{name}").__doc__).split()[:4]
        assert " ".join(summary[:2]) in page


def test_the_citation_is_the_project_s() -> None:
    yaml = pytest.importorskip("yaml")
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert (cited["version"], cited["license"]) == (project["version"], project["license"])
    assert {"cff-version", "message", "title", "authors"} <= set(cited)
    for source in SOURCES.values():
        (work,) = [each for each in cited["references"] if each["notes"] in source]
        assert work["title"] in source
        assert all(author["family-names"] in source for author in work["authors"])


def test_the_changelog_has_the_version() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert f"\n## {project['version']}" in (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert (ROOT / "LICENSE").read_text("utf-8").startswith("MIT License")
