"""Progress on a pipe: a line now and then, and none that nobody asked for."""

from types import SimpleNamespace

import pytest

from headproof import progressing


@pytest.fixture
def clock(monkeypatch):
    """A clock that a test sets."""
    now = SimpleNamespace(seconds=100.0)
    monkeypatch.setattr(progressing.time, "monotonic", lambda: now.seconds)
    return now


def test_a_pipe_is_told_now_and_then(clock, capsys):
    with progressing.bar(False, "measuring") as bar:
        for done in range(1, 101):
            clock.seconds += 1.0
            bar.step(f"piece {done}", done, 100)
    out, told = capsys.readouterr()
    assert not out
    assert told.splitlines() == [
        "measuring 30/100 after 0:30: piece 30",
        "measuring 60/100 after 1:00: piece 60",
        "measuring 90/100 after 1:30: piece 90",
    ]


def test_what_is_taken_up_is_told_at_once(clock, capsys):
    with progressing.bar(False, "deciding") as bar:
        bar.task_done(SimpleNamespace(name="dec.thm1"), 1, 2, True)
        bar.task_done(SimpleNamespace(name="dec.thm2"), 2, 2, False)
    assert capsys.readouterr().err == "dec.thm1: taken up from an interrupted run\n"


def test_quiet_is_quiet(clock, capsys):
    with progressing.bar(True, "measuring") as bar:
        clock.seconds += 1000.0
        bar.step("piece", 1, 2)
        bar.message("a word")
    assert capsys.readouterr() == ("", "")


def test_a_terminal_has_a_bar_and_no_lines(clock, capsys, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")  # as on a terminal
    with progressing.bar(False, "measuring") as bar:
        clock.seconds += 1000.0
        bar.step("piece", 1, 2)
        bar.message("a word")
    told = capsys.readouterr().err
    assert "a word" in told
    assert "after" not in told
