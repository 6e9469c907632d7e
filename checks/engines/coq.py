"""Coq itself: which one there is, the formal files as it has compiled them, and what `coqtop` answers.

A file is compiled in a folder of its own in the cache, named by what that depends on: its text, those of the files it
needs, and Coq with its libraries. So another text, as that of another checkout, has another folder; a folder stands
there whole or not at all, and nothing in it is overwritten. Texts are read once (`formal.sources_of`) and handed on, so
that a file that is edited meanwhile is none of the ones that are spoken of.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from headproof.checks.files import building, cache_folder, cache_lock
from headproof.theory.errors import InputError
from headproof.theory.formal import path_of, sources_of
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
# Coq's own recursion is as deep as a unary number is large, as that of 108,000 sequences. Past the usual 8 MB of stack
# OCaml says "Stack overflow" at best, and at worst goes on with spoilt memory; so ask for 256 MB, or all one may have.
WITH_STACK = ("sh", "-c", 'ulimit -S -s 262144 2>/dev/null || ulimit -S -s "$(ulimit -H -s)"; exec "$@"', "sh")
# What coqtop says of a sentence that took longer than it may.
TIMEOUT = "Timeout!"


@dataclass(frozen=True)
class Answers:
    """What coqtop printed, and whether some sentence ran out of its time, so that more of it may hold than was seen."""

    text: str
    timed_out: bool


@cache
def coqc() -> str | None:
    """What `coqc --version` says, on one line, and a digest of the libraries; None where Coq of VERSION, or MathComp,
    is not installed."""
    program = shutil.which(PROGRAM)
    if program is None or shutil.which("coqtop") is None:
        return None
    where = Path(_said([program, "-where"]))
    said = " ".join(_said([program, "--version"]).split())
    if f"version {VERSION}." not in said or not (where / "user-contrib/mathcomp/fingroup/perm.vo").is_file():
        return None
    # Their sizes and times: to read them all would take longer than most that is asked of them.
    stats = [(path, path.stat()) for path in sorted(where.rglob("*.vo"))]
    listed = "".join(f"{path} {stat.st_size} {stat.st_mtime_ns}\n" for path, stat in stats)
    return f"{said}, libraries {hashlib.sha256(listed.encode()).hexdigest()[:8]}"


def compiled(texts: Mapping[str, str]) -> tuple[Path, ...]:
    """The folders in which texts, as `formal.sources_of` gives them, stand compiled; compiles what is not there.

    Raises InputError where there is no Coq, no file, or a file breaks a rule or does not compile, with Coq's message.
    """
    if coqc() is None:
        raise InputError(f"no {PROGRAM}", MISSING)
    folders: list[Path] = []
    for name, text in texts.items():
        if not text:
            raise InputError(f"no formal file {path_of(name)}")
        require_honest(name, text)
        folder = folder_of(sources_of(name, texts.__getitem__))
        if not folder.is_dir():
            with cache_lock(folder.name):
                if not folder.is_dir():
                    _compile(name, text, folder, folders)
        folders.append(folder)
    return tuple(folders)


def _compile(name: str, text: str, folder: Path, needed: Sequence[Path]) -> None:
    with building(KIND, folder.name) as made:
        (made / f"{name}.v").write_text(text, "utf-8")
        ran = _run([PROGRAM, *QUIET, *_library([*needed, made]), f"{name}.v"], made)
        if ran.returncode != 0:
            raise InputError(f"theory/formal/{name}.v does not compile: {ran.stderr.strip()[-600:]}")


def depends_on(texts: Mapping[str, str]) -> str:
    """Names what the last of some texts, compiled, depends on: Coq, its text, and those of the files it needs."""
    digest = hashlib.sha256(f"{coqc()}".encode())
    for name, text in texts.items():
        digest.update(f"{name}\n{text}".encode())
    return digest.hexdigest()


def folder_of(texts: Mapping[str, str]) -> Path:
    """Where the last of some texts stands compiled, whether it does already or not."""
    return cache_folder(KIND) / f"{last_of(texts)}-{depends_on(texts)[:16]}"


def last_of(texts: Mapping[str, str]) -> str:
    """The name of the last of some texts, which the others stand for."""
    return next(reversed([*texts]))


def within(seconds: int) -> str:
    """The sentence by which each later one may take so many seconds."""
    return f"Set Default Timeout {seconds}."


def answers_after(
    texts: Mapping[str, str], script: str, seconds: int, folders: Sequence[Path], with_errors: bool = False
) -> Answers:
    """What coqtop prints of a script after the last of some texts; each sentence may take so many seconds.

    Raises InputError where Coq does not take up what it had compiled.
    """
    file = last_of(texts)
    opening = f"{header_of(texts[file])}\nFrom {LIBRARY} Require Import {file}.\nLocate Module {file}.\n"
    answers = session(f"{opening}{within(seconds)}\n{script}", folders, with_errors)
    if f"Module {LIBRARY}.{file}\n" not in answers.text:
        problem = f"Coq does not take up theory/formal/{file}.v, which it has compiled"
        raise InputError(problem, "run it again; if it stays, headproof cache clear")
    return answers


def session(script: str, folders: Sequence[Path], with_errors: bool = False) -> Answers:
    """What coqtop prints on stdout; a sentence that fails is told on stderr, and the next one is read.

    With errors, what is told of them stands where it was told.
    """
    command = ["coqtop", *QUIET, *_library(folders)]
    ran = _run(command, folders[-1], script, subprocess.STDOUT if with_errors else None)
    if ran.returncode != 0:  # not of a sentence that fails
        last = (ran.stderr or ran.stdout).strip().rpartition("\n")[2]
        raise InputError(f"coqtop ended with {ran.returncode} before it had answered: {last[-200:]}", "run it again")
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
            [*WITH_STACK, *command], cwd=folder, input=given, stdout=subprocess.PIPE, stderr=errors or subprocess.PIPE,
            text=True, timeout=SESSION, check=False, env={**os.environ, **NOWHERE},
        )  # fmt: skip
    except subprocess.TimeoutExpired as error:
        raise InputError(f"{command[0]} took more than {SESSION} s", "run it again") from error


def _said(command: list[str]) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
