"""The lessons: each runs as a script, offline and without torch; moving a control moves what hangs on it; exercises."""

from __future__ import annotations

import importlib.util
import math
import re
import subprocess
import sys
import textwrap
from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from with_plugin import PLUGIN

from headproof.checks.discrepancy import index_cases
from headproof.checks.engines import property as property_engine
from headproof.checks.ledger import records
from headproof.checks.trained.committed import MODELS
from headproof.theory.angles import Angle
from headproof.theory.claim import Statement, Verdict
from headproof.theory.cosine_sums import compare, value
from headproof.theory.discrepancy import IndexCase
from headproof.theory.discrepancy.index_claims import below_square, largest_gap, letter_gap, turn_share
from headproof.theory.discrepancy.temperature import TemperatureCase, index_decodes, smallest_beta
from headproof.theory.errors import InputError
from headproof.theory.shapes import ShapeCase, is_u_shaped

mo = pytest.importorskip("marimo", reason="the lessons need marimo (pip install headproof[lessons])")

FOLDER = Path(__file__).resolve().parents[1] / "lessons"
LESSONS = sorted(FOLDER.glob("[0-9]*.py"))
TEXTS = {path.name: path.read_text("utf-8") for path in sorted(FOLDER.glob("*.py"))}
Run = Callable[..., Mapping[str, Any]]

# In the scripts' processes: no connection leaves, and whoever imports torch is told of.
GUARD = """
import atexit, socket, sys

def refuse(*arguments, **more):
    raise OSError("a lesson opened a connection")

socket.socket.connect = socket.create_connection = socket.getaddrinfo = refuse
atexit.register(lambda: "torch" in sys.modules and print("torch was imported", file=sys.stderr))
"""


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the lesson of a number, with some controls replaced; returns its definitions."""
    monkeypatch.syspath_prepend(str(FOLDER))

    def run_lesson(number: int, **controls: Any) -> Mapping[str, Any]:
        path = LESSONS[number - 1]
        spec = importlib.util.spec_from_file_location(f"lesson_{number}", path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        definitions: Mapping[str, Any] = module.app.run(defs=controls or None)[1]
        return definitions

    return run_lesson


@pytest.fixture
def exercises(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The module of the exercises."""
    monkeypatch.syspath_prepend(str(FOLDER))
    return importlib.import_module("exercises")


@pytest.fixture
def board(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The module that the lessons share."""
    monkeypatch.syspath_prepend(str(FOLDER))
    return importlib.import_module("board")


# -- as scripts ----------------------------------------------------------------------------------------------------


def test_there_are_seven_and_the_readme_names_each() -> None:
    assert len(LESSONS) == 7
    readme = (FOLDER / "README.md").read_text("utf-8")
    assert all(f"`{path.name}`" in readme for path in FOLDER.glob("*.py"))


@pytest.mark.slow
@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_runs_as_a_script_offline_and_without_torch(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sitecustomize.py").write_text(GUARD)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("HEADPROOF_CACHE", str(tmp_path / "cache"))
    ran = subprocess.run([sys.executable, str(path)], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr, ran.stdout) == (0, "", "")


def test_the_guard_would_tell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sitecustomize.py").write_text(GUARD)
    (tmp_path / "torch.py").write_text("")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    told = "import torch, socket; socket.create_connection(('127.0.0.1', 9))"
    ran = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=False)
    assert ran.returncode == 1
    assert "a lesson opened a connection" in ran.stderr
    assert ran.stderr.endswith("torch was imported\n")


@pytest.mark.slow
def test_marimo_finds_nothing_to_mend() -> None:
    command = [sys.executable, "-m", "marimo", "check", "--strict", *map(str, LESSONS)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr


# -- what they quote -----------------------------------------------------------------------------------------------

# What the prose says in its own words, and so what must stand in the ledger.
PROSE = {
    "dec.definitions.uniform.earlier-keys": "REFUTED",
    "dec.thm1": "HOLDS",
    "dec.thm1.identity": "HOLDS",
    "dec.thm1.ratio-on-heads": "SUPPORTED",
    "dec.thm7.u-shape": "REFUTED",
    "dec.thm7.u-shape.range": "HOLDS",
    "dec.thm7.u-shape.beyond": "HOLDS",
    "dec.thm7.inverted-u": "REFUTED",
    "dec.thm7.inverted-u.range": "HOLDS",
    "dyn.thm3.2.index": "REFUTED",
    "dyn.thm3.2.index.sharp": "HOLDS",
    "dyn.thm3.2.index.best-other": "HOLDS",
    "dyn.thm3.2.symbolic-stays": "HOLDS",
    "dyn.thm3.2.symbolic-stays.allowed-angles": "REFUTED",
    "dyn.thm3.2.symbolic-stays.allowed-angles.no-constant": "HOLDS",
    "dyn.thm3.2.symbolic-stays.allowed-angles.smallest-positive.decay": "HOLDS",
    "dyn.thm3.1.index": "HOLDS",
    "dyn.lemmaF.1.retrieval.necessary": "HOLDS",
    "dyn.thm3.1.index.unique-maximum": "REFUTED",
    "dec.emp.correlation.printed": "NOT RUN",
    **{f"dec.emp.correlation.{slug}": "SUPPORTED" for slug in ("smollm2-135m", "gemma-3-270m")},
    **{f"dec.emp.beyond-geometry.{slug}": "SUPPORTED" for slug in ("smollm2-135m", "gemma-3-270m")},
    **{f"dec.emp.correlation-learned.{slug}": "NOT SUPPORTED" for slug in ("smollm2-135m", "gemma-3-270m")},
    **{f"dec.emp.frequency-learned.{slug}": "NOT SUPPORTED" for slug in ("smollm2-135m", "gemma-3-270m")},
    **{
        f"dec.emp.{name}.{slug}": "SUPPORTED"
        for name in ("low-frequency", "high-frequency", "depth")
        for slug in ("smollm2-135m", "gemma-3-270m")
    },
    **{f"dec.emp.{name}": "HOLDS" for name in ("geometry", "geometry.uniform")},
}
# Where the prose does so: the lesson, its words, and the claim whose verdict they are. `*`: on both models.
WORDS = (
    (1, "A remark that is one word too strong", "dec.definitions.uniform.earlier-keys", "REFUTED"),
    (2, "none above 1, as the theorem says", "dec.thm1", "HOLDS"),
    (3, "The U is refuted by three keys", "dec.thm7.u-shape", "REFUTED"),
    (3, "three keys and half a turn refute it", "dec.thm7.u-shape", "REFUTED"),
    (3, "At a full turn it is level, just beyond it stands on its head", "dec.thm7.u-shape.beyond", "HOLDS"),
    (3, "Again the claim names no angle, and again there is an exact range", "dec.thm7.inverted-u", "REFUTED"),
    (4, "The printed *constant* is wrong", "dyn.thm3.2.index", "REFUTED"),
    (4, "It is right for a query that is a letter", "dyn.thm3.2.index.best-other", "HOLDS"),
    (4, "lies at or below that at every other angle", "dyn.thm3.2.index.sharp", "HOLDS"),
    (4, "Retrieval at $\\theta = 0$ stays at $1 - \\cos\\omega$", "dyn.thm3.2.symbolic-stays", "HOLDS"),
    (4, "as $1/n$ at the very edge", "dyn.thm3.2.symbolic-stays.allowed-angles.no-constant", "HOLDS"),
    (4, "Over **all** proper inputs Retrieval needs order $n_0^2$", "dyn.lemmaF.1.retrieval.necessary", "HOLDS"),
    (5, '"Refuted" is half a result', "dyn.thm3.2.index", "REFUTED"),
    (5, "with another reading of the discrepancy it is true", "dyn.thm3.2.index.best-other", "HOLDS"),
    (6, "So the correlation is real", "dec.emp.correlation.*", "SUPPORTED"),
    (6, "no evidence of specialisation by training", "dec.emp.correlation-learned.*", "NOT SUPPORTED"),
    (6, "points on a quarter circle correlate negatively", "dec.emp.geometry", "HOLDS"),
    (6, "Slow planes are symbolic", "dec.emp.low-frequency.*", "SUPPORTED"),
    (6, "faster ones positional", "dec.emp.high-frequency.*", "SUPPORTED"),
    (6, "The same trap, once more", "dec.emp.frequency-learned.*", "NOT SUPPORTED"),
    (6, "has a head that computes Index at any angle", "dyn.thm3.1.index", "HOLDS"),
)


def plain(text: str) -> str:
    """A lesson's text as a reader has it: line breaks, and those between the strings of its code, are one space."""
    return re.sub(r"\s+", " ", re.sub(r'(?<!")"\s*\n\s*[rf]*"(?!")', "", text))


def test_the_prose_says_what_the_ledger_says() -> None:
    found = records()
    assert {claim: found[claim]["verdict"] for claim in PROSE} == PROSE


@pytest.mark.parametrize(("lesson", "words", "claim", "verdict"), WORDS)
def test_words_that_state_a_verdict_stand_where_the_ledger_has_it(
    lesson: int, words: str, claim: str, verdict: str
) -> None:
    assert words in plain(TEXTS[LESSONS[lesson - 1].name]), "no longer said: strike it from WORDS"
    for slug in [model.slug for model in MODELS] if claim.endswith("*") else [""]:
        assert records()[claim.replace("*", slug)]["verdict"] == verdict


def test_what_is_not_run_is_the_ledgers_word(board: Any) -> None:
    """No verdict of a measurement is typed into lesson 6: each comes from the ledger."""
    own = TEXTS[LESSONS[5].name]
    assert not re.search(r"\b(NOT RUN|SUPPORTED|REFUTED)\b", own)
    assert '{board.verdict_of("dec.emp.correlation.printed")}' in own
    assert board.verdict_of("dec.emp.correlation.printed") == "NOT RUN"
    assert "-0.91" in records()["dec.emp.correlation.printed"]["sentence"]
    with pytest.raises(InputError, match="did you mean"):
        board.verdict_of("dec.emp.correlation.printd")


def test_every_claim_that_a_lesson_names_is_in_the_ledger() -> None:
    named = {name for text in TEXTS.values() for name in re.findall(r"[\"`]((?:dec|dyn|gen)\.[\w.-]*\w)[\"`]", text)}
    assert len(named) > 30
    assert sorted(named - set(records())) == []
    by_model = {name for text in TEXTS.values() for name in re.findall(r"f\"(dec\.emp\.[\w-]+)\.\{", text)}
    assert len(by_model) > 4
    slugs = ("smollm2-135m", "gemma-3-270m")
    assert sorted(f"{name}.{slug}" for name in by_model for slug in slugs if f"{name}.{slug}" not in records()) == []


def test_a_card_has_verdict_counterexample_and_what_survives(board: Any) -> None:
    card = board.card("dyn.thm3.2.index").text
    assert all(said in card for said in ("REFUTED", "2/3 pi, n = 4", "dyn.thm3.2.index.sharp"))
    with pytest.raises(InputError, match="did you mean"):
        board.card("dec.thm1x")
    with pytest.raises(InputError, match="reports no number 'x'"):
        board.number_of("dec.emp.correlation.smollm2-135m", "x")


# -- lesson 1 ------------------------------------------------------------------------------------------------------

SMALL = [[2, 1, 0, 0], [1, 2, 1, 0], [0, 1, 2, 1], [0, 0, 1, 2]]


def choice(value: str) -> Any:
    return mo.ui.dropdown([value], value=value)


@pytest.mark.parametrize(
    ("head", "kind", "shares"),
    [
        ("H_POS, computes Index", (True, False), (1, 0, 0)),
        ("H_SYM, computes Retrieval", (False, True), (0, 1, 0)),
    ],
)
def test_pure_heads(run: Run, head: str, kind: tuple[bool, bool], shares: tuple[int, ...]) -> None:
    found = run(1, head_choice=choice(head))
    assert (found["positional"], found["symbolic"]) == kind
    assert found["shares"] == shares
    assert found["after"] == (found["if_positional"] if kind[0] else found["if_symbolic"])


def test_a_head_that_is_neither_and_a_table_of_ones_own(run: Run) -> None:
    found = run(1, head_choice=choice("two angles, computes partial induction"))
    assert (found["positional"], found["symbolic"]) == (False, False)
    assert found["shares"][2] == 0
    assert 0 < found["shares"][0] < 1
    assert found["after"] != found["if_positional"]
    assert found["after"] != found["if_symbolic"]
    own = run(1, head_choice=choice("my own table"), own_table=mo.ui.matrix([[1.5] * 4] * 4))
    assert own["head"] is None
    assert own["positional"]
    assert own["symbolic"]
    assert own["shares"] == (None, None, None)


def test_uniform_over_the_earlier_keys_only(run: Run) -> None:
    found = run(1, own_logit=mo.ui.slider(-4, 4, 1, value=1), key_count=mo.ui.slider(1, 8, 1, value=2))
    first, second, own = found["weights"]
    assert found["own_key_both"]
    assert first == second == pytest.approx(1 / (2 + math.e))
    assert own == pytest.approx(math.e / (2 + math.e))


# -- lesson 2 ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rows", "ratio"),
    [
        ([[1, 0, 2], [3, 2, 0], [1, 1, 6]], Fraction(21, 59)),
        ([[0, 1, 5]] * 3, Fraction(1, 2)),
        ([[0] * 3, [1] * 3, [-5] * 3], Fraction(1, 2)),
        ([[0, 0.5, 3], [0.5, 1, 3.5], [3, 3.5, 6]], Fraction(1)),
        ([[2] * 3] * 3, None),
        ([[1, 0, 4], [2, 1, 0], [3, 5, 1]], Fraction(0)),
    ],
)
def test_the_identity_balances_exactly(run: Run, rows: list[list[float]], ratio: Fraction | None) -> None:
    found = run(2, entries=mo.ui.matrix(rows))
    terms = found["terms"]
    assert found["balanced"]
    assert isinstance(terms.variance, Fraction)
    assert terms.positional + terms.symbolic == terms.variance + terms.slack
    assert found["literal"] == (terms.positional, terms.symbolic)
    assert found["ratio"] == ratio


def test_random_tables_go_from_a_quarter_to_equality(run: Run) -> None:
    noise = run(2)["random_ratios"]
    assert 0.2 < np.median(noise) < 0.3
    assert noise.max() <= 1
    additive = run(2, mixture=mo.ui.slider(0, 100, 5, value=100))["random_ratios"]
    assert additive == pytest.approx(1)


# -- lesson 3 ------------------------------------------------------------------------------------------------------


def turned(run: Run, degrees: int, keys: int, c: int = 3) -> Mapping[str, Any]:
    sliders = {"angle_steps": degrees, "key_count": keys, "weight": c}
    return run(3, **{name: mo.ui.slider(0, 400, 1, value=value) for name, value in sliders.items()})


@pytest.mark.parametrize(("keys", "c"), [(7, 3), (8, 1)])
def test_the_u_breaks_just_beyond_a_full_turn(run: Run, keys: int, c: int) -> None:
    last = math.ceil(360 / keys) - 1
    before, after = turned(run, last, keys, c), turned(run, 360 // keys + 1, keys, c)
    assert before["strict_u"]
    assert not after["strict_u"]
    assert after["inverted"]
    half = (keys + 1) // 2
    assert (np.diff(before["on_target"][:half]) < 0).all()
    assert (np.diff(after["on_target"][:half]) > 0).all()
    shapes = before["strip"]
    assert shapes[:last] == [2] * last
    assert 2 not in shapes[last:]


def test_three_keys_and_half_a_turn(run: Run) -> None:
    found = turned(run, 180, 3, 1)
    assert not found["level_u"]
    assert found["inverted"]
    counterexample = records()["dec.thm7.u-shape"]["findings"][0]["counterexample"]
    assert found["case"] == ShapeCase.of_json(counterexample)
    ends, middle = 1 / (2 + math.exp(-2)), 1 / (1 + 2 * math.exp(-2))
    assert found["on_target"] == pytest.approx([ends, middle, ends])


def test_level_at_a_full_turn_and_the_inverted_u(run: Run) -> None:
    level = turned(run, 72, 5)
    assert level["flat"]
    assert np.ptp(level["on_target"]) < 1e-12
    assert level["matched_u"]  # (N - 2) theta is below a full turn
    beyond = turned(run, 121, 5)
    assert not beyond["matched_u"]
    assert beyond["matched_strip"][:119] == [2] * 119
    assert 2 not in beyond["matched_strip"][119:]


# -- lesson 4 ------------------------------------------------------------------------------------------------------


def test_exact_gaps_against_the_printed_bound(run: Run) -> None:
    found = run(4, share=mo.ui.slider(0, 99, 1, value=0))
    assert found["above_print"] == [n for n in found["LENGTHS"] if n >= 4]
    assert all(compare(*pair) == 0 for pair in zip(found["index_largest"], found["sharp"], strict=True))
    assert all(compare(lead, found["no_angle_lead"]) == 0 for lead in found["retrieval_lead"])
    letter = found["needed"]["Retrieval, letter queries, θ = 0"]
    assert letter == pytest.approx([math.log(n - 1) for n in found["LENGTHS"]], rel=1e-9)  # omega is pi / 2
    assert found["exactly_bracketed"]


def test_other_angles_lengths_and_temperatures(run: Run) -> None:
    def at_length(n: int) -> Angle:
        return Angle(Fraction(2, n))

    best = mo.ui.dropdown({"n": at_length}, value="n")
    cold, warm = (
        run(4, angle_choice=best, share=mo.ui.slider(0, 99, 1, value=99), beta=mo.ui.slider(1, 200, 1, value=beta))
        for beta in (120, 20)
    )
    assert cold["above_print"] == []
    leads = [cold["decimal"](lead) for lead in cold["retrieval_lead"]]
    assert leads[-1] < leads[-4] / 1.8  # from 48 to 128 tokens, falling nearly as 1 / n
    for name, weights in cold["weight_of"].items():
        assert (np.diff(weights) < 1e-9).all(), name
        assert all(hot <= colder + 1e-12 for hot, colder in zip(warm["weight_of"][name], weights, strict=True)), name
    last = {name: weights[-1] for name, weights in cold["weight_of"].items()}
    assert last["Retrieval, letter query"] > last["Index"] > last["Retrieval, number query"]
    index = cold["needed"]["Index, θ = 2π / n₀"]
    assert index[-1] / index[-3] == pytest.approx(4, rel=0.01)
    numbers = cold["needed"]["Retrieval, number queries, θ at the share"]
    assert numbers[-1] / numbers[-3] == pytest.approx(4, rel=0.01)


def test_other_angles_can_attain_the_best_gap_and_none_exceeds_it() -> None:
    """`at or below`, not `below`."""
    n = 12
    best = turn_share(n // 2 + 1)
    sevenths = [compare(largest_gap(IndexCase(Angle(Fraction(2 * k, 7)), n)), best) for k in range(1, 7)]
    assert sevenths == [0] * 6
    assert "at $n = 12$ each multiple of $2\\pi/7$ that is no full turn" in plain(TEXTS[LESSONS[3].name])
    assert float(value(best).mid()) == pytest.approx(0.3765, abs=1e-4)
    others = [Angle(Fraction(k, 30)) for k in range(1, 31)] + [Angle(Fraction(0), Fraction(k, 5)) for k in range(1, 16)]
    assert [compare(largest_gap(IndexCase(angle, n)), best) for angle in others] == [-1] * len(others)


def test_the_lead_of_retrieval_falls_below_the_edge_too_but_not_to_0(run: Run) -> None:
    found = run(4)  # 90 % of the largest printed angle, four letters
    leads = {n: found["decimal"](lead) for n, lead in zip(found["LENGTHS"], found["retrieval_lead"], strict=True)}
    assert [round(leads[n], 3) for n in (3, 8, 32, 128)] == [0.518, 0.283, 0.156, 0.122]
    assert (np.diff(list(leads.values())) < 0).all()
    half = 0.9 * math.pi / 4  # the share times omega / 2
    limit = math.cos(half) - math.cos(math.pi / 2 - half)
    assert 0 < limit < leads[128] < limit * 1.11
    own = plain(TEXTS[LESSONS[3].name])
    told = f"from {leads[3]:.3f} at $n = 3$ to {leads[128]:.3f} at $n = 128$, on its way to {limit:.3f}"
    assert told in own
    assert "not to 0" in own
    # With these settings the letter query outlives Index, and the number query dies first.
    lasts = {name: sum(weight > 0.5 for weight in weights) for name, weights in found["weight_of"].items()}
    assert lasts["Retrieval, letter query"] > lasts["Index"] > lasts["Retrieval, number query"]


# -- lesson 5 ------------------------------------------------------------------------------------------------------


def text(value: str) -> Any:
    return mo.ui.text(value=value)


def test_search_check_mutants_and_audit(run: Run) -> None:
    found = run(5, case_angle=text("2/3 pi"), case_length=mo.ui.slider(2, 24, 1, value=4))
    statement = found["printed"].statement
    assert found["tried_refutes"]
    assert found["accepted"]
    assert statement.refuted_by(found["found"])
    assert all(statement.refuted_by(case) for case in found["path"])
    assert len(found["path"]) > 2
    assert found["path"][-1].complexity < found["path"][0].complexity
    assert found["box_verdict"] is Verdict.HOLDS
    assert {outcome for *_, outcome, _ in found["mutants"]} == {"refuted", "proof rejected"}
    assert len(found["mutants"]) == 2 * len(found["repaired"].mutants)
    assert list(found["audit"]) == ["no alias"]
    assert found["audit"]["no alias"] is not None
    assert found["own_verdict"] is Verdict.HOLDS
    assert {outcome for *_, outcome, _ in found["own_controls"]} == {"refuted"}


def test_a_reader_who_prints_the_same_bound_is_refuted(run: Run) -> None:
    found = run(
        5,
        constant=text("2"),
        irrational=mo.ui.switch(value=True),
        box=mo.ui.range_slider(0, 100, 1, value=[1, 20]),
        case_angle=text("two"),
    )
    assert found["own_verdict"] is Verdict.REFUTED
    assert found["own_topic"].claims[0].statement.refuted_by(found["own_case"])
    assert found["box_verdict"] is Verdict.REFUTED
    assert found["tried"] is None
    assert "two" in found["trouble"]


def test_a_loose_bound_fails_its_control_and_another_reading_holds(run: Run) -> None:
    loose = run(5, constant=text("100"))
    assert loose["own_verdict"] is Verdict.HOLDS
    assert {outcome for *_, outcome, _ in loose["own_controls"]} == {"upheld"}
    letter = run(5, constant=text("2"), reading=mo.ui.dropdown({"letter": letter_gap}, value="letter"))
    assert letter["own_verdict"] is Verdict.HOLDS
    assert {outcome for *_, outcome, _ in letter["own_controls"]} == {"refuted"}
    unreadable = run(5, constant=text("8.0e3"))
    assert unreadable["own_topic"] is None
    assert unreadable["own_trouble"]


def test_a_false_bound_is_green_and_refuted_beyond_the_search(run: Run) -> None:
    found = run(5, constant=text("7"))
    assert found["own_verdict"] is Verdict.HOLDS
    assert {outcome for *_, outcome, _ in found["own_controls"]} == {"refuted"}
    (claim,) = found["own_topic"].claims
    far, first = found["far_failure"], found["first_failure"]
    assert far == IndexCase(Angle(Fraction(2, 33)), 64)
    assert claim.statement.refuted_by(far)
    assert {c: case.n for c, case in first.items()} == {6: 11, 7: 21, Fraction(15, 2): 37}
    for c, case in first.items():
        assert not below_square(largest_gap(case), c, case.n)
        # Before it not even the sharp bound is above, so no angle is.
        assert all(below_square(turn_share(n // 2 + 1), c, n) for n in range(2, case.n))
    assert all(below_square(turn_share(n // 2 + 1), Fraction(8), n) for n in range(2, 400))
    assert not all(below_square(turn_share(n // 2 + 1), Fraction(79, 10), n) for n in range(2, 400))
    assert max(n for n, _ in searched(16)) == 16 < first[7].n
    own = plain(TEXTS[LESSONS[4].name])
    assert "it draws lengths up to 16" in own
    assert "pytest --headproof-claims FILE" in own
    assert "`docs/add-a-claim.md`" in own


def searched(longest: int) -> list[tuple[int, Angle]]:
    """Lengths and angles that the lesson's search draws."""
    drawn: list[tuple[int, Angle]] = []

    def note(case: IndexCase) -> bool:
        drawn.append((case.n, case.theta))
        return True

    property_engine.search(Statement(IndexCase, (), note), index_cases(longest), 600, 0)
    return drawn


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_lessons_own_topic_is_decided_by_pytest_as_well(tmp_path: Path) -> None:
    """The reader's claim and topic, cut out of the lesson into a file, as the prose says."""
    source = TEXTS[LESSONS[4].name]
    setup = textwrap.dedent(source.partition("with app.setup(hide_code=True):\n")[2].partition("\n\n\n@app.cell")[0])
    setup = "\n".join(line for line in setup.splitlines() if line not in ("import board", "import marimo as mo"))
    cell = source.partition("def _(constant, irrational, reading, shift):\n")[2].partition("    try:\n")[0]
    settings = "from types import SimpleNamespace\nreading = SimpleNamespace(value=largest_gap)\n"
    settings += "irrational = SimpleNamespace(value=False)\n"
    made = "topic = reader_topic(reader_claim(Fraction(2), 0))\n"
    (tmp_path / "mine.py").write_text(f"{setup}\n{settings}\n{textwrap.dedent(cell)}\n{made}", "utf-8")
    command = [sys.executable, "-m", "pytest", *PLUGIN, "--headproof-claims", "mine.py", "-p", "no:cacheprovider"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 1, ran.stdout + ran.stderr
    assert "reader.bound: REFUTED" in ran.stdout


# -- lesson 6 ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.slug)
def test_the_data_bear_out_what_lesson_6_says_of_them(run: Run, board: Any, model: Any) -> None:
    found = run(6, model=mo.ui.dropdown({model.name: model}, value=model.name))
    name = f"dec.emp.{{}}.{model.slug}".format
    r = board.number_of(name("correlation"), "r")
    shuffled = board.number_of(name("correlation"), "least r of a seed, shuffled")
    assert r < shuffled < -0.7  # nets that have learned nothing show it as well
    assert r < board.number_of(name("beyond-geometry"), "surrogates' mean r") - 0.2
    assert -1 < board.number_of(name("correlation-learned"), "excess, shuffled") - board.number_of(
        name("correlation-learned"), "excess, trained"
    ) < 0  # more beyond the surrogates than the trained model  # fmt: skip
    heads = found["heads"]
    trained = np.array(heads["group"].to_pylist()) == "trained"
    positional, symbolic = (heads[each].to_numpy()[trained] for each in ("positional", "symbolic"))
    assert ((positional > 0.9) & (symbolic < 0.3)).any()  # the band's two ends
    assert ((symbolic > 0.9) & (positional < 0.3)).any()
    assert found["slow_beta"] == pytest.approx(559_854, abs=1)


def test_a_slow_plane_computes_index_if_its_logits_are_large(run: Run) -> None:
    """`hardly`, not `cannot`: a third of a radian over the prompt, and the exact predicate says yes."""
    slow = Angle(Fraction(0), Fraction(1, 3 * 7))  # from the first to the last of 8 places
    needed = smallest_beta("index", 8, 1 / 21)
    assert 100 < needed < math.inf
    decodes = [index_decodes(TemperatureCase(slow, 8, 2, Fraction(round(needed * share)))) for share in (0.9, 1.1)]
    assert decodes == [False, True]
    own = plain(TEXTS[LESSONS[5].name])
    assert "can *hardly* tell positions apart, whatever was trained, unless its logits are very large" in own


def test_correlations_are_the_ledgers_and_the_null_has_one_too(run: Run, board: Any) -> None:
    found = run(6)
    claim = "dec.emp.beyond-geometry.smollm2-135m"
    assert found["mean_r"]["trained"] == pytest.approx(board.number_of(claim, "r"), abs=0.002)
    assert found["surrogate_r"]["trained"] == pytest.approx(board.number_of(claim, "surrogates' mean r"), abs=0.002)
    assert found["mean_r"]["shuffled"] < -0.5
    assert found["made_up_r"] < -0.85  # random numbers
    squares = found["made_up_scores"].positional + found["made_up_scores"].symbolic
    assert squares.min() > 1 - 1e-12
    waves, shares = found["more_symbolic"]["trained"]
    slow = board.number_of("dec.emp.low-frequency.smollm2-135m", "% more symbolic, trained")
    assert shares[waves >= 4096].mean() == pytest.approx(slow, abs=0.2)
    assert found["live_table"] is None


def test_another_model_task_temperature_and_world(run: Run) -> None:
    measured = MODELS[1]
    found = run(
        6,
        model=mo.ui.dropdown({measured.name: measured}, value=measured.name),
        task=mo.ui.dropdown({"48": "binding-48"}, value="48"),
        temperature=mo.ui.dropdown({"inf": math.inf}, value="inf"),
        sharpness=mo.ui.slider(steps=[0.1, 1], value=0.1),
    )
    prompts = set(found["heads"]["prompt"].to_pylist())
    assert {name.split("-")[1] for name in prompts} == {"48"}
    assert set(found["heads"]["temperature"].to_pylist()) == {math.inf}
    assert found["made_up_r"] > 0  # blunt attention and all swaps alike: no such correlation
    own, _ = found["correlation_of"]["trained"]
    assert len(own) == len(prompts)


@pytest.mark.model
@pytest.mark.slow
def test_a_live_head(run: Run) -> None:
    found = run(
        6, live=mo.ui.switch(value=True), prompt=mo.ui.text_area(value="One two three four five. One two three")
    )
    assert found["missing"] == []
    assert found["live_trouble"] == ""
    assert found["live_table"].size == len(found["captured"].tokens) - 1
    assert all(0 <= score <= 1 for pair in found["live_scores"] for score in pair)
    assert found["captured"].error < 1e-3
    short = run(6, live=mo.ui.switch(value=True), prompt=mo.ui.text_area(value="One"))
    assert short["live_table"] is None
    assert "token" in short["live_trouble"]


# -- lesson 7 ------------------------------------------------------------------------------------------------------


def test_eleven_exercises_over_all_lessons(exercises: Any) -> None:
    found = exercises.EXERCISES
    assert len(found) == 11
    assert [exercise.name for exercise in found] == NAMES
    assert "Eleven of them" in TEXTS[LESSONS[6].name]
    assert {exercise.lesson for exercise in found} == set(range(1, 7))
    for number, exercise in enumerate(found, 1):
        own = TEXTS[LESSONS[exercise.lesson - 1].name]
        told = re.search(r"Exercises?\s+(\d+)(?:\s+(?:and|to)\s+(\d+))?\s+of\s+lesson\s+7", own)
        assert told is not None
        first, last = told.groups()
        assert int(first) <= number <= int(last or first)


NAMES = ["positional", "additive", "ratio", "attained", "last-u", "level", "best-angle", "sharp", "halved", "alias"]
NAMES.append("learned")


@pytest.mark.parametrize("name", NAMES)
def test_solutions_pass_and_typical_mistakes_do_not(exercises: Any, name: str) -> None:
    exercise = exercises.by_name(name)
    assert exercise.feedback(exercise.solution) == ""
    assert exercise.feedback(f"  {exercise.solution} ") == ""
    assert len(exercise.wrong) >= 2
    for wrong in exercise.wrong:
        said = exercise.feedback(wrong)
        assert said, wrong
        assert "cannot be read" not in said or name in ("positional",), said
    assert exercise.feedback(" ") is None


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "answer", ["?", "1/0", "; ;", "1" * 300, "__import__('os')", "1e9", "pi pi", "1 2; 3", "n" * 150, "(" * 190]
)
def test_what_cannot_be_read_is_said_so(exercises: Any, name: str, answer: str) -> None:
    said = exercises.by_name(name).feedback(answer)
    assert isinstance(said, str)
    assert said


def test_the_reason_of_the_criterion_follows_the_numbers(exercises: Any) -> None:
    """The last exercise: verdict, reason and wrong answers come from the ledger."""
    learned = exercises.by_name("learned")
    assert learned.solution == records()[exercises.LEARNED]["verdict"]
    assert sorted((learned.solution, *learned.wrong)) == sorted(exercises.VERDICTS)
    assert learned.reason == exercises._why_learned({null: exercises._interval(null) for null in exercises.NULLS})
    low, high = exercises._interval("shuffled")
    assert low < 0 < high
    assert learned.reason == "The interval against the shuffled null holds 0: such a net shows as much."
    below, above = (-2.0, -1.0), (1.0, 2.0)
    assert "no null shows as much" in exercises._why_learned({"fresh": below, "shuffled": below})
    assert "lies above 0" in exercises._why_learned({"fresh": above, "shuffled": below})


def test_other_right_answers_count(exercises: Any) -> None:
    others = {"positional": "-1/2 0 9\n-1/2 0 9\n-1/2 0 9", "level": "4/5 pi", "alias": "1/2 pi", "halved": "1/2 pi; 4"}
    for name, answer in others.items():
        assert exercises.by_name(name).feedback(answer) == "", name
    assert exercises.by_name("sharp").feedback("4 / (2 * (n // 2) + 2)") == ""
    assert not is_u_shaped(ShapeCase(Angle.parse("4/5 pi"), 5))
    with pytest.raises(InputError, match="unknown exercise 'x'"):
        exercises.by_name("x")


def test_expressions_are_arithmetic_and_nothing_else(exercises: Any) -> None:
    assert exercises.evaluated("-(n + 1) * 2 / 3", n=5) == -4
    for bad in ("n.real", "abs(n)", "n ** 2", "True", "1.5", "m", "[n]", "n if n else 1", "n / (n - n)"):
        with pytest.raises(InputError):
            exercises.evaluated(bad, n=3)


def test_the_page_counts_what_is_solved(run: Run, exercises: Any) -> None:
    none = run(7)
    assert none["solved"] == []
    assert set(none["feedback"].values()) == {None}
    typed = {each.name: each.solution for each in exercises.EXERCISES} | {"ratio": "11/4"}
    answers = mo.ui.dictionary({name: mo.ui.text(value=answer) for name, answer in typed.items()})
    some = run(7, answers=answers)
    assert len(some["solved"]) == len(typed) - 1
    assert some["feedback"]["ratio"] == "That is bound over variance."


# -- the board -----------------------------------------------------------------------------------------------------


def test_numbers_and_tables_on_the_board(board: Any) -> None:
    assert board.shown(Fraction(-3, 4)) == "−3/4"
    assert board.shown(Fraction(123456789, 1000)) == "123456.789"
    assert board.tex(Fraction(-3, 4)) == r"-\tfrac{3}{4}"
    assert board.tex(-2) == "-2"
    table = board.parsed_table("0 1/2; 1/2, 1")
    assert table.logits.tolist() == [[0, Fraction(1, 2)], [Fraction(1, 2), 1]]
    assert board.table_of([[0.5, -2], [1, 3.25]]).logits[1, 1] == Fraction(13, 4)
    assert board.grid([[1, 2], [3, 4]], "ab", "12").splitlines()[2] == "| a | **1** | 2 |"
    for bad in ("", "1 2; 3", "1 x; 2 3"):
        with pytest.raises(InputError):
            board.parsed_table(bad)


def test_pictures_are_in_the_house_style_and_have_a_text(board: Any) -> None:
    import matplotlib

    before = dict(matplotlib.rcParams)
    with board.drawing((3, 2)) as (figure, axes):
        assert not matplotlib.rcParams["axes.spines.top"]
        axes.plot([0, 1])
    shown = board.image(figure, "a line")
    assert 'alt="a line"' in shown.text.replace("'", '"')
    assert dict(matplotlib.rcParams) == before


def test_the_largest_gap_drawn_is_the_definitions(run: Run) -> None:
    found = run(4)
    case = IndexCase(Angle(Fraction(2, 4 // 2 + 1)), 4)
    place = found["LENGTHS"].index(4)
    assert float(value(found["index_largest"][place]).mid()) == pytest.approx(1.5)
    assert str(case) == "theta = 2/3 pi, n = 4"
