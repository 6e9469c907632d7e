"""Topics that no entry point names: those of a Python file or module, found by its place."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module, invalidate_caches
from importlib.util import find_spec
from os.path import abspath
from pathlib import Path
from typing import Any, Self

from headproof.checks.registry import Topic, unknown, with_one_owner_each
from headproof.theory.claim import Verdict
from headproof.theory.errors import InputError

# Verdicts that a file can expect of its claims; an error, and what was not run, is no result.
EXPECTABLE = tuple(verdict for verdict in Verdict if verdict not in (Verdict.ERROR, Verdict.NOT_RUN))


@dataclass(frozen=True)
class Place:
    """Where topics stand: a Python file, and the name of one topic in it ("" for all).

    `file` is absolute, so that another process finds it, too. `module` is the dotted name of a module that can be
    imported as it is; "" for a file, whose folder comes onto the path.
    """

    file: Path
    module: str = ""
    name: str = ""

    @classmethod
    def of(cls, text: str, folder: Path) -> Self:
        """What `path/file.py`, `package.module` or either with `:topic` behind it means; paths start at `folder`.

        Raises InputError where there is no such file or module.
        """
        head, colon, name = text.rpartition(":")
        target, name = (head, name) if colon and name.isidentifier() else (text, "")
        if target.endswith(".py") or not all(part.isidentifier() for part in target.split(".")):
            file = Path(abspath(folder / target))  # as pytest writes it: no .., and links as they are
            if not file.is_file():
                raise InputError(f"there is no file {target!r:.200}", "claims stand in a Python file or module")
            return cls(file, "", name)
        try:
            spec = find_spec(target)
        except ModuleNotFoundError:
            spec = None
        if spec is None or spec.origin is None or not Path(spec.origin).is_file():
            raise InputError(f"there is no module {target!r:.200}", "a file's name ends in .py")
        return cls(Path(spec.origin), target, name)

    def __str__(self) -> str:
        return f"{self.file.name}{f':{self.name}' if self.name else ''}"


@dataclass(frozen=True)
class Given:
    """What a place brings: topics in the order of their definition, and the verdicts that it says to expect."""

    topics: tuple[Topic, ...]
    expected: Mapping[str, Verdict]


@cache
def given(place: Place) -> Given:
    """The topics at a place, and its `EXPECTED = {claim id: verdict}` if it has one. The file is executed.

    Raises InputError, naming the file, if it does not import, defines no topic, or expects what cannot be.
    """
    module = _imported(place)
    every = tuple({id(topic): topic for topic in _topics_among(vars(module).values())}.values())
    named = getattr(module, place.name, None) if place.name else None
    if place.name and not isinstance(named, Topic):
        raise InputError(f"{place.file.name} has no Topic named {place.name}")
    found = (named,) if isinstance(named, Topic) else every
    if not found:
        raise InputError(f"{place} defines no Topic", "see headproof.checks.registry.Topic")
    return Given(with_one_owner_each(found), _expected(place, getattr(module, "EXPECTED", {}), every))


def _topics_among(values: Iterable[Any]) -> Iterator[Topic]:
    """Topics as they stand and those in lists and tuples: none is passed over without a word."""
    for value in values:
        if isinstance(value, Topic):
            yield value
        elif isinstance(value, list | tuple):
            yield from (each for each in value if isinstance(each, Topic))


def _expected(place: Place, said: Any, topics: tuple[Topic, ...]) -> Mapping[str, Verdict]:
    if not isinstance(said, Mapping):
        raise InputError(f"{place}: EXPECTED is a {type(said).__name__}", "it maps claim ids to verdicts")
    known = {claim.id for topic in topics for claim in topic.claims}
    for claim, verdict in said.items():
        if claim not in known:
            raise unknown(f"claim in EXPECTED of {place}:", claim, known)
        if verdict not in EXPECTABLE:
            raise InputError(f"{place}: EXPECTED has {verdict!r:.40} for {claim}", f"use {', '.join(EXPECTABLE)}")
    return {claim: Verdict(verdict) for claim, verdict in said.items()}


def _imported(place: Place) -> Any:
    """The place's module. A file's folder (the one above its packages) comes onto the path, as with pytest's tests."""
    name = place.module or _dotted_name(place.file)
    folder = str(place.file.parents[name.count(".") + (place.file.stem == "__init__")])
    if not place.module and folder not in sys.path:
        sys.path.insert(0, folder)
    invalidate_caches()
    try:
        module = import_module(name)
    except (Exception, SystemExit) as error:
        said = str(error) if isinstance(error, InputError) else f"{type(error).__name__}: {error}"
        raise InputError(f"{place} does not import: {said}{_line(error, place.file)}") from error
    loaded = getattr(module, "__file__", None)
    if loaded is None or not place.file.samefile(loaded):
        raise InputError(
            f"{place} cannot be imported as {name}, which is {loaded or 'built in'}",
            "rename the file, or make its folder a package",
        )
    return module


def _dotted_name(file: Path) -> str:
    """The name that a file is imported by: its own, below those of the packages that it lies in."""
    if not file.stem.isidentifier():
        raise InputError(f"{file.name} is no name to import", "use letters, digits and _")
    parts = [] if file.stem == "__init__" else [file.stem]
    for folder in file.parents:
        if not (folder / "__init__.py").is_file():
            break
        parts.insert(0, folder.name)
    return ".".join(parts)


def _line(error: BaseException, file: Path) -> str:
    """Where in the file an error arose, if it did."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if Path(frame.filename) == file]
    return f" (line {lines[-1]})" if lines else ""
