"""Coq itself: which one there is, the formal files as it has compiled them, and what `coqtop` answers.

A file is compiled in a folder of its own in the cache, named by what that depends on: its text, those of the files it
needs, and Coq. So another text, as that of another checkout, has another folder, and no compiled file is overwritten.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from headproof.checks.files import cache_folder, cache_lock, write_atomic
from headproof.theory.errors import InputError
from headproof.theory.formal import needed_by, path_of, source_of
from headproof.theory.formal.rules import header_of, require_honest

PROGRAM = "coqc"
# Other versions lack lemmas that the files use, or name them otherwise.
VERSION = "8.16"
MISSING = "needs Coq 8.16 with MathComp's bigop and perm: apt install coq libcoq-mathcomp-fingroup on Debian 12"
LIBRARY = "headproof"
KIND = "formal"
QUIET = ("-q", "-w", "none")
# Seconds for a whole session or file.
SESSION = 900
# Where Coq would look for libraries before its own: a false one there could prove anything without an axiom.
NOWHERE = {"COQPATH": "", "XDG_DATA_HOME": "/nonexistent", "XDG_DATA_DIRS": "/nonexistent"}
# What coqtop says of a sentence that took longer than it may.
TIMEOUT = "Timeout!"


@dataclass(frozen=True)
class Answers:
    """What coqtop printed, and whether some sentence ran out of its time, so that more of it may hold than was seen."""

    text: str
    timed_out: bool


@cache
def coqc() -> str | None:
    """What `coqc --version` says, on one line; None where Coq of VERSION, or MathComp, is not installed."""
    program = shutil.which(PROGRAM)
    if program is None or shutil.which("coqtop") is None:
        return None
    library = Path(_said([program, "-where"])) / "user-contrib" / "mathcomp" / "fingroup" / "perm.vo"
    said = " ".join(_said([program, "--version"]).split())
    if f"version {VERSION}." not in said:
        return None
    return f"{said}, MathComp {hashlib.sha256(library.read_bytes()).hexdigest()[:8]}" if library.is_file() else None


def compiled(file: str) -> tuple[Path, ...]:
    """The folders in which what a file needs, and last the file itself, stand compiled; compiles what is not there.

    Raises InputError where there is no Coq, no file, or a file breaks a rule or does not compile, with Coq's message.
    """
    if coqc() is None:
        raise InputError(f"no {PROGRAM}", MISSING)
    folders: list[Path] = []
    for name in (*needed_by(file), file):
        if not source_of(name):
            raise InputError(f"no formal file {path_of(name)}")
        require_honest(name, source_of(name))
        folder, depends = folder_of(name), depends_on(name)
        folders.append(folder)
        done = folder / "compiled"
        with cache_lock(f"{KIND}-{folder.name}"):
            if done.is_file() and (folder / f"{name}.vo").is_file():
                continue
            write_atomic(folder / f"{name}.v", source_of(name))
            ran = _run([PROGRAM, *QUIET, *_library(folders), f"{name}.v"], folder)
            if ran.returncode != 0:
                raise InputError(f"theory/formal/{name}.v does not compile: {ran.stderr.strip()[-600:]}")
            if depends_on(name) != depends:
                raise InputError(f"theory/formal/{name}.v was changed while Coq read it", "run it again")
            write_atomic(done, depends)
    return tuple(folders)


def depends_on(file: str) -> str:
    """Names what a compiled file depends on: Coq, its text, and the files it needs."""
    digest = hashlib.sha256(f"{coqc()}".encode())
    for name in (*needed_by(file), file):
        digest.update(f"{name}\n{source_of(name)}".encode())
    return digest.hexdigest()


def folder_of(file: str) -> Path:
    """Where a file stands compiled, as it reads now, whether it does already or not."""
    return cache_folder(KIND) / f"{file}-{depends_on(file)[:16]}"


def opening(file: str, seconds: int) -> str:
    """The sentences with which a session after a file begins; each later one may take so many seconds."""
    return f"{header_of(source_of(file))}\nFrom {LIBRARY} Require Import {file}.\n{within(seconds)}\n"


def within(seconds: int) -> str:
    """The sentence by which each later one may take so many seconds."""
    return f"Set Default Timeout {seconds}."


def session(script: str, folders: Sequence[Path], with_errors: bool = False) -> Answers:
    """What coqtop prints on stdout; a sentence that fails is told on stderr, and the next one is read.

    With errors, what is told of them stands where it was told.
    """
    command = ["coqtop", *QUIET, *_library(folders)]
    ran = _run(command, folders[-1], script, subprocess.STDOUT if with_errors else None)
    if ran.returncode != 0:  # not of a sentence that fails
        raise InputError(f"coqtop ended with {ran.returncode} before it had answered", "run it again")
    told = re.sub(r"^(?:\S+ < )+", "", ran.stdout, flags=re.M)
    return Answers(told, TIMEOUT in f"{ran.stdout}{ran.stderr}")


def _library(folders: Sequence[Path]) -> list[str]:
    """Options by which Coq finds the files of folders in one library."""
    return [word for folder in folders for word in ("-Q", str(folder), LIBRARY)]


def _run(
    command: list[str], folder: Path, given: str = "", errors: int | None = None
) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            command, cwd=folder, input=given, stdout=subprocess.PIPE, stderr=errors or subprocess.PIPE, text=True,
            timeout=SESSION, check=False, env={**os.environ, **NOWHERE},
        )  # fmt: skip
    except subprocess.TimeoutExpired as error:
        raise InputError(f"{command[0]} took more than {SESSION} s", "run it again") from error


def _said(command: list[str]) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
