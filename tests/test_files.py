"""Atomic writing, and a cache that can be listed, locked and cleared."""

import errno
import os
import threading

import pytest

from headproof.checks import files
from headproof.theory.errors import InputError


@pytest.fixture
def cache(tmp_path, monkeypatch):
    root = tmp_path / "cache"
    monkeypatch.setenv(files.CACHE_VARIABLE, str(root))
    return root


def failing(folder, file, error):
    """Write half a file under the temporary path or folder of a context manager, then fail."""
    with folder as temporary:
        assert not temporary.is_dir() or names(temporary) == []
        (temporary / file if file else temporary).write_text("half")
        raise error


def names(folder):
    return sorted(path.name for path in folder.iterdir())


# -- writing ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("data", ["two\nlines, größer\n", b"\x00\xff", "", b""])
def test_a_file_is_written_whole_with_its_parents(tmp_path, data):
    path = files.write_atomic(tmp_path / "a" / "b" / "result.txt", data)
    assert path.read_bytes() == (data.encode() if isinstance(data, str) else data)
    assert names(path.parent) == ["result.txt"]


def test_an_interrupted_write_leaves_the_old_file_and_nothing_else(tmp_path):
    path = files.write_atomic(tmp_path / "figure.svg", "old")
    with pytest.raises(KeyboardInterrupt):
        failing(files.replacing(path), "", KeyboardInterrupt())
    assert path.read_text() == "old"
    assert names(tmp_path) == ["figure.svg"]


def test_the_temporary_path_is_beside_the_file_and_keeps_its_suffix(tmp_path):
    with files.replacing(tmp_path / "figure.svg") as temporary:
        assert (temporary.parent, temporary.suffix) == (tmp_path, ".svg")
        temporary.write_text("new")
        assert not (tmp_path / "figure.svg").exists()
    assert (tmp_path / "figure.svg").read_text() == "new"


def test_a_link_is_written_through(tmp_path):
    real = files.write_atomic(tmp_path / "real.txt", "old")
    link = tmp_path / "link.txt"
    link.symlink_to(real)
    files.write_atomic(link, "new")
    assert link.is_symlink()
    assert real.read_text() == "new"


def test_the_usual_permissions_apply(tmp_path):
    (tmp_path / "usual").touch()
    files.write_atomic(tmp_path / "ours", "")
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_a_folder_or_a_file_in_the_way_is_refused(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match=r"cannot write .*: it is a folder; give the name of a file in it"):
        files.write_atomic(tmp_path, "x")
    for path in ("file/result.txt", "file/deeper/result.txt"):
        with pytest.raises(InputError, match=r"file is a file; move it away"):
            files.write_atomic(tmp_path / path, "x")
    with pytest.raises(InputError, match="file is a file"):
        files.output_folder(tmp_path / "file")


@pytest.mark.proc
def test_a_folder_that_cannot_be_made_is_refused():
    with pytest.raises(InputError, match=r"cannot make the folder /proc/none: .*; choose a folder"):
        files.write_atomic("/proc/none/result.txt", "x")


def test_a_folder_without_permission_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may write everywhere
    with pytest.raises(InputError, match=r"cannot write to the folder .*; choose a folder that you may write"):
        files.output_folder(tmp_path)


def test_a_full_disk_is_told_and_leaves_nothing(tmp_path, cache):
    full = OSError(errno.ENOSPC, "No space left on device")
    with pytest.raises(InputError, match="no space left on device; free some space"):
        failing(files.replacing(tmp_path / "a"), "", full)
    with pytest.raises(InputError, match="free some space"):
        failing(files.building("models", "one"), "weights", full)
    assert names(tmp_path) == ["cache"]
    assert names(cache / "models") == []


def test_errors_of_other_files_pass_through(tmp_path):
    with pytest.raises(FileNotFoundError), files.replacing(tmp_path / "a"):
        (tmp_path / "absent").read_text()


def test_sha256(tmp_path):
    path = files.write_atomic(tmp_path / "abc", "abc")
    # FIPS 180-2, appendix B.1.
    assert files.sha256_of(path) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    with pytest.raises(InputError, match="cannot read"):
        files.sha256_of(tmp_path / "absent")


# -- the cache -------------------------------------------------------------------------------------------


def test_an_absent_cache_is_empty_and_stays_absent(cache):
    assert files.cache_entries() == ()
    assert not cache.exists()


def test_entries_have_kinds_and_sizes_and_can_be_deleted(cache):
    files.write_atomic(files.cache_folder("models") / "one" / "weights", b"12345")
    files.write_atomic(files.cache_folder("runs") / "two.json", b"123")
    found = [(entry.kind, entry.path.name, entry.size) for entry in files.cache_entries()]
    assert found == [("models", "one", 5), ("runs", "two.json", 3)]
    deleted, in_use = files.clear_cache()
    assert [entry.path.name for entry in deleted] == ["one", "two.json"]
    assert in_use == ()
    assert files.cache_entries() == ()


def test_an_entry_that_is_being_made_is_not_deleted(cache):
    with files.cache_lock("one"), files.building("models", "one") as temporary:
        (temporary / "weights").write_bytes(b"1")
        assert [entry.unfinished for entry in files.cache_entries()] == [True]
        deleted, in_use = files.clear_cache()
        assert (len(deleted), len(in_use)) == (0, 1)
    assert [entry.path.name for entry in files.cache_entries()] == ["one"]


def test_an_interrupted_build_leaves_nothing_and_remains_are_removed(cache):
    remains = files.cache_folder("models") / f"{files.PARTIAL_PREFIX}one"
    files.write_atomic(remains / "half", "x")  # left by a process that was killed
    with pytest.raises(KeyboardInterrupt):
        failing(files.building("models", "one"), "weights", KeyboardInterrupt())
    assert names(cache / "models") == []


def test_a_folder_with_other_files_is_never_taken_as_the_cache(cache):
    files.write_atomic(cache / "thesis.tex", "x")
    for use in (files.cache_folder, files.cache_entries, files.clear_cache):
        with pytest.raises(InputError, match="did not make; set HEADPROOF_CACHE to a new or an empty folder"):
            use()
    assert names(cache) == ["thesis.tex"]


def test_threads_that_make_the_cache_at_once_agree(cache):
    errors = []

    def make():
        try:
            files.cache_folder("models")
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=make) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert names(cache) == [files.TAG_NAME, "models"]


def test_without_the_variable_the_cache_is_the_users(monkeypatch, tmp_path):
    monkeypatch.delenv(files.CACHE_VARIABLE, raising=False)
    monkeypatch.setattr(files, "user_cache_path", lambda name: tmp_path / name)
    assert files.cache_folder("models") == tmp_path / "headproof" / "models"
