"""The lessons: each runs as a script, offline and without torch; moving a control moves what hangs on it; exercises."""

from __future__ import annotations

import importlib.util
import math
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from headproof.checks.ledger import records
from headproof.checks.trained.committed import MODELS
from headproof.theory.angles import Angle
from headproof.theory.claim import Verdict
from headproof.theory.cosine_sums import compare, value
from headproof.theory.discrepancy import IndexCase
from headproof.theory.discrepancy.index_claims import letter_gap
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
    "dec.thm7.inverted-u.range": "HOLDS",
    "dyn.thm3.2.index": "REFUTED",
    "dyn.thm3.2.index.sharp": "HOLDS",
    "dyn.thm3.2.index.best-other": "HOLDS",
    "dyn.thm3.2.symbolic-stays": "HOLDS",
    "dyn.thm3.2.symbolic-stays.allowed-angles": "REFUTED",
    "dyn.lemmaF.1.retrieval.necessary": "HOLDS",
    "dyn.thm3.1.index.unique-maximum": "REFUTED",
    "dec.emp.correlation.printed": "NOT RUN",
    **{f"dec.emp.correlation.{slug}": "SUPPORTED" for slug in ("smollm2-135m", "gemma-3-270m")},
    **{f"dec.emp.beyond-geometry.{slug}": "SUPPORTED" for slug in ("smollm2-135m", "gemma-3-270m")},
    **{f"dec.emp.correlation-learned.{slug}": "NOT SUPPORTED" for slug in ("smollm2-135m", "gemma-3-270m")},
    **{f"dec.emp.frequency-learned.{slug}": "NOT SUPPORTED" for slug in ("smollm2-135m", "gemma-3-270m")},
}


def test_the_prose_says_what_the_ledger_says() -> None:
    found = records()
    assert {claim: found[claim]["verdict"] for claim in PROSE} == PROSE


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


# -- lesson 6 ------------------------------------------------------------------------------------------------------


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
