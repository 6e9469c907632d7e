"""Files that headproof writes: its cache, and results that appear whole or not at all.

Every file is written under a temporary name in its own folder and moved into place when it is complete, so a
reader never meets half a file and an interrupted run leaves the old one as it was.
"""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout
from platformdirs import user_cache_path

from headproof.theory.errors import InputError

CACHE_VARIABLE = "HEADPROOF_CACHE"
# The tag of bford.info/cachedir: backup programs skip a folder that holds it, and it tells a cache that
# headproof made from a folder of the user's own.
TAG_NAME = "CACHEDIR.TAG"
TAG_TEXT = "Signature: 8a477f597d28d172789f06886806bc55\n# Made by headproof; safe to delete.\n"
LOCKS = "locks"
PARTIAL_PREFIX = ".partial-"


# -- writing ---------------------------------------------------------------------------------------------


def write_atomic(path: str | Path, data: str | bytes) -> Path:
    """Write a whole file, text as UTF-8 with newlines as given; returns its path.

    Missing parent folders are made. Raises InputError where the file cannot be written; the old file then
    stays.
    """
    with replacing(path) as temporary:
        temporary.write_bytes(data.encode() if isinstance(data, str) else data)
    return Path(path)


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """A temporary path beside `path`; the file written there takes its place when the block ends well.

    If the block raises, or is interrupted, the temporary file is removed and `path` stays as it was. Missing
    parent folders are made. Raises InputError for a folder that cannot be made or written, for a folder in
    the file's place, and when the disk is full.
    """
    target = Path(path).expanduser()
    if target.is_dir():
        raise InputError(f"cannot write {path}: it is a folder", "give the name of a file in it")
    if target.exists() and not target.is_file():
        raise InputError(f"cannot write {path}: it is no ordinary file", "give the name of one")
    if target.is_symlink():
        target = target.resolve()  # the file behind a link is replaced, not the link
    parent = output_folder(target.parent)
    temporary = parent / f".{target.stem}-{uuid.uuid4().hex[:12]}{target.suffix}"
    try:
        temporary.touch()
    except OSError as error:
        raise InputError(f"cannot write {path}: {_reason(error)}", "choose a folder that you may write") from error
    try:
        yield temporary
        with temporary.open("rb+") as written:
            os.fsync(written.fileno())
        temporary.replace(target)
    except OSError as error:
        refused = error.filename == str(temporary) and error.errno != errno.ENOENT
        if refused or error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise InputError(f"cannot write {path}: {_reason(error)}", _remedy(error)) from error
        raise
    finally:
        temporary.unlink(missing_ok=True)


def require_writable(path: str | Path) -> None:
    """Raise InputError now if a file could not be written at `path` later; writes nothing that stays."""
    with suppress(_Unwritten), replacing(path):
        raise _Unwritten


class _Unwritten(Exception):
    """Ends a trial of writing before anything is moved into place."""


def output_folder(path: str | Path) -> Path:
    """The folder at `path`, made with its parents where missing.

    Raises InputError if a file is in the way, or if the folder cannot be made or written.
    """
    folder = Path(path).expanduser()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        blocking = next((part for part in (folder, *folder.parents) if part.is_file()), folder)
        raise InputError(
            f"cannot make the folder {folder}: {blocking} is a file", "move it away or choose another folder"
        ) from error
    except OSError as error:
        raise InputError(f"cannot make the folder {folder}: {_reason(error)}", _remedy(error)) from error
    if not os.access(folder, os.W_OK | os.X_OK):
        raise InputError(f"cannot write to the folder {folder}", "choose a folder that you may write")
    return folder


def sha256_of(path: str | Path) -> str:
    """The SHA-256 of a file's bytes, in hexadecimal. Raises InputError if the file cannot be read."""
    try:
        with Path(path).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise InputError(f"cannot read {path}: {_reason(error)}") from error


# -- the cache -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class CacheEntry:
    """One thing in the cache: its kind (the cache's subfolder), its path and its size in bytes.

    `unfinished` marks what an interrupted run left behind, or what a running one is still making.
    """

    kind: str
    path: Path
    size: int
    unfinished: bool = False


def cache_folder(kind: str = "") -> Path:
    """The cache, or its subfolder for one kind of thing, made where missing.

    It is the user's cache folder for headproof, or the folder that the environment variable HEADPROOF_CACHE
    names. Raises InputError for a folder that cannot be written, and for one that holds other files.
    """
    root = _cache_root()
    _require_own(root)
    folder = output_folder(root)
    if not (folder / TAG_NAME).exists():
        write_atomic(folder / TAG_NAME, TAG_TEXT)
    return output_folder(folder / kind) if kind else folder


def cache_entries() -> tuple[CacheEntry, ...]:
    """What stands in the cache, by kind and name. Makes no folder; an absent cache has no entries."""
    root = _cache_root()
    if root.exists() and not root.is_dir():
        raise InputError(f"the cache {root} is a file", f"name a folder in {CACHE_VARIABLE}")
    if not root.is_dir():
        return ()
    _require_own(root)
    kinds = sorted(child for child in root.iterdir() if child.is_dir() and child.name != LOCKS)
    return tuple(
        CacheEntry(kind.name, path, _size(path), path.name.startswith(PARTIAL_PREFIX))
        for kind in kinds
        for path in sorted(kind.iterdir())
    )


def clear_cache() -> tuple[tuple[CacheEntry, ...], tuple[CacheEntry, ...]]:
    """Delete what stands in the cache: (entries deleted, entries left because a running process makes them).

    Raises InputError if an entry cannot be deleted.
    """
    deleted, in_use = [], []
    for entry in cache_entries():
        try:
            with cache_lock(_lock_name(entry), timeout=0):
                if entry.path.is_dir() and not entry.path.is_symlink():
                    shutil.rmtree(entry.path)
                else:
                    entry.path.unlink(missing_ok=True)
        except Timeout:
            in_use.append(entry)
        except OSError as error:
            raise InputError(f"cannot delete {entry.path}: {_reason(error)}") from error
        else:
            deleted.append(entry)
    return tuple(deleted), tuple(in_use)


@contextmanager
def cache_lock(name: str, timeout: float = -1) -> Iterator[None]:
    """Hold the lock of one cache entry across processes and threads; a negative timeout (seconds) waits.

    Raises filelock.Timeout when another holds it for longer. A process that dies lets go of its locks.
    """
    with FileLock(cache_folder(LOCKS) / f"{name}.lock", timeout=timeout):
        yield


@contextmanager
def building(kind: str, name: str) -> Iterator[Path]:
    """A new folder in which to build the cache entry `name`; it becomes the entry when the block ends well.

    To be used under `cache_lock(name)`. Remains of interrupted builds of this entry are removed first. Raises
    InputError when the disk is full.
    """
    parent = cache_folder(kind)
    for remains in parent.glob(f"{PARTIAL_PREFIX}{name}*"):
        shutil.rmtree(remains, ignore_errors=True)
    temporary = parent / f"{PARTIAL_PREFIX}{name}"
    try:
        temporary.mkdir()
        yield temporary
        temporary.replace(parent / name)
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise InputError(f"cannot write to the cache {parent}: {_reason(error)}", _remedy(error)) from error
        raise
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _cache_root() -> Path:
    chosen = os.environ.get(CACHE_VARIABLE, "").strip()
    return Path(chosen).expanduser() if chosen else user_cache_path("headproof")


def _require_own(root: Path) -> None:
    # `clear_cache` deletes everything in the cache, so a folder with other things in it is never adopted.
    # A process that is just making the cache shows as the tag's temporary name.
    tag = Path(TAG_NAME).stem
    others = root.is_dir() and any(tag not in child.name for child in root.iterdir())
    if others and not (root / TAG_NAME).is_file():
        raise InputError(
            f"the cache folder {root} holds files that headproof did not make",
            f"set {CACHE_VARIABLE} to a new or an empty folder",
        )


def _lock_name(entry: CacheEntry) -> str:
    return entry.path.name.removeprefix(PARTIAL_PREFIX)


def _size(path: Path) -> int:
    files = path.rglob("*") if path.is_dir() else (path,)
    return sum(file.lstat().st_size for file in files if not file.is_dir())


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


def _remedy(error: OSError) -> str:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return "free some space"
    return "choose a folder that you may write"
