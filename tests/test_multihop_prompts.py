"""The 1-hop tasks as prompts: questions, likelihoods by whole passes, controls, what is kept."""

from __future__ import annotations

import re
import types
from string import ascii_letters, digits

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from zoo import GROUPED, ROTATING, tiny  # noqa: E402

from headproof.checks.trained import kept  # noqa: E402
from headproof.checks.trained.models import Model  # noqa: E402
from headproof.checks.trained.multihop import prompts  # noqa: E402
from headproof.checks.trained.multihop.prompts import CONTROLS, PROMPTS_TABLE, Plan, ask, likelihoods, piece  # noqa: E402
from headproof.checks.trained.multihop.questions import (  # noqa: E402
    INSTRUCTIONS,
    TASKS,
    Form,
    continuations,
    questions,
    shown_of,
    told,
)
from headproof.theory.errors import InputError  # noqa: E402
from headproof.theory.sequences import (  # noqa: E402
    letter_path,
    number_path,
    require_proper,
    require_unambiguous,
)

pytestmark = [pytest.mark.torch, pytest.mark.usefixtures("one_thread")]
BARE = Form(instruction=False, shots=0)
QUICK = Plan(tasks=("number", "letter-value"), lengths=(4, 6), count=3, form=BARE)


class Characters:
    """A token a character, and other ones for letters and digits after a space; the start of a text is token 1."""

    symbols = (*ascii_letters, *digits, *(f" {one}" for one in ascii_letters + digits), *":.,\n")
    all_special_ids = (1,)

    def __call__(self, texts, add_special_tokens=True, verbose=False):
        rows = [[2 + self.symbols.index(one) for one in re.findall(r"(?s) ?[^ ]", text)] for text in texts]
        return types.SimpleNamespace(input_ids=[[1] * add_special_tokens + row for row in rows])


def reader(kind="llama", **sizes):
    name, own = ROTATING[kind]
    model = tiny(name, **{**own, "vocab_size": 2 + len(Characters.symbols), **sizes})
    return Model(model.model, Characters(), model.source)


def as_sequence(question, query):
    """The question as tokens of `theory.sequences`."""
    if question.task == "number":
        return (*question.words[:-1], int(query))
    return (*((word[0], int(word[1])) for word in question.words[:-1]), (query[0], query[1]))


# -- questions -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("length", [4, 12, 32, 100])
def test_the_tasks_own_solver_agrees(task, length):
    for question in questions(task, length, 20):
        assert len(question.words) == length
        for query, answer in ((question.words[-1], question.answer), (question.other_query, question.other_answer)):
            tokens = as_sequence(question, query)
            number = task == "number"
            path = number_path(tokens) if number else letter_path(require_unambiguous(require_proper(tokens)))
            assert len(path) == 2
            found = question.words[path[-1] - 1]
            assert answer == (found[1] if task == "letter-value" else found)
        assert question.answer != question.other_answer
        assert {question.answer, question.other_answer} <= set(question.candidates)
        words = set(question.words[:-1])
        assert set(question.candidates) == ({word[1] for word in words} if task == "letter-value" else words)


@given(st.integers(4, 40), st.integers(0, 1000))
def test_places_are_balanced(length, seed):
    held = questions("number", length, 2 * (length - 1), seed)
    assert np.bincount([question.place for question in held], minlength=length).tolist() == [0, *[2] * (length - 1)]
    assert all(question.words[question.place - 1] == question.answer for question in held)


def test_letters_stand_equally_often():
    (question,) = questions("number", 100, 1)
    often = [question.words.count(letter) for letter in question.candidates]
    assert len(often) == 26
    assert max(often) - min(often) <= 1
    (question,) = questions("letter", 100, 1)
    assert len(question.candidates) == 25
    assert question.words[-1][0] not in {word[0] for word in question.words[:-1]}


def test_questions_follow_the_seed():
    assert questions("letter", 12, 5, 3) == questions("letter", 12, 5, 3)
    assert questions("letter", 12, 5, 3) != questions("letter", 12, 5, 4)
    assert [one.words for one in questions("letter", 12, 5)] == [one.words for one in questions("letter-value", 12, 5)]
    shown = shown_of("number", Form(shots=5), 0)
    assert not {one.words for one in shown} & {one.words for one in questions("number", 12, 100)}


def test_the_text():
    (question,) = questions("letter-value", 4, 1)
    shown = shown_of("letter-value", Form(shots=1, shot_length=5), 0)
    text = told(question, Form(shots=1, shot_length=5), shown)
    assert text.startswith(INSTRUCTIONS["letter"] + "\n\nList: ")
    assert f"\nAnswer: {shown[0].words[-1][1]}{shown[0].answer}\n\nList: " in text
    assert text.endswith(f"List: {' '.join(question.words)}\nAnswer: {question.words[-1][1]}")
    assert continuations(question) == list(question.candidates)
    (question,) = questions("number", 4, 1)
    assert told(question, BARE) == f"List: {' '.join(question.words)}\nAnswer:"
    assert continuations(question) == [f" {letter}" for letter in question.candidates]


def test_the_control_keeps_the_answer():
    (question,) = questions("number", 12, 1)
    asked = question.shuffled()
    assert asked.answer == question.answer
    assert asked.words == (*question.words[:-1], question.other_query)
    assert asked.shuffled() == question


@pytest.mark.parametrize("arguments", [("word", 12, 1), ("number", 3, 1), ("number", 1001, 1), ("number", 12, 0)])
def test_no_questions(arguments):
    with pytest.raises(InputError):
        questions(*arguments)


# -- likelihoods ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["llama", "gemma3"])
@pytest.mark.parametrize("ends", [(" A", " B", "c"), (" a1", " a2", " b7", "xy"), ("abc", " d e f")])
def test_likelihoods_by_whole_passes(kind, ends):
    model = reader(kind)
    text = "List: A B C D E F G 3\nAnswer:"
    scores, written, count = likelihoods(model, text, ends)
    (ids,) = model.tokenizer([text]).input_ids
    assert count == len(ids)
    for end, score, said in zip(ends, scores, written, strict=True):
        (own,) = model.tokenizer([end], add_special_tokens=False).input_ids
        with torch.inference_mode():
            logits = model.model(torch.tensor([ids + own]), use_cache=False).logits[0].double()
        rows = torch.log_softmax(logits[len(ids) - 1 : -1], dim=-1)
        assert score == pytest.approx(float(rows[range(len(own)), own].sum()), abs=1e-4)
        assert said == (rows.argmax(dim=-1).tolist() == own)


def test_candidates_of_different_sizes():
    with pytest.raises(InputError, match=r"\[1, 2\] tokens"):
        likelihoods(reader(), "List:", (" a", " a1"))


def test_a_prompt_beyond_the_positions():
    with pytest.raises(InputError, match="takes 64"):
        likelihoods(reader(max_position_embeddings=64), "a" * 70, (" a",))


# -- the run -------------------------------------------------------------------------------------------------------


def solving(model, text, texts):
    """Likelihoods of a model that reads the last list and answers rightly."""
    line = text.rsplit("List: ", 1)[1]
    *words, query = line.split("\n")[0].split()
    if query.isdecimal():
        answer = f" {words[-int(query)]}"
    else:
        answer = next(word for word in words if word[0] == query[1])
        answer = answer[1] if texts[0].isdecimal() else f" {answer}"
    scores = np.array([0.0 if each == answer else -9.0 for each in texts])
    return scores, scores == 0, len(text)


def test_a_model_that_solves_the_tasks(monkeypatch, private_cache):
    monkeypatch.setattr(prompts, "likelihoods", solving)
    plan = Plan(lengths=(12, 40), count=10, null_seeds=())
    rows = ask(reader(max_position_embeddings=4096), plan).table.to_pylist()
    assert len(rows) == 3 * 2 * 2
    assert list(rows[0]) == list(PROMPTS_TABLE)
    for row in rows:
        plain = row["control"] == "none"
        assert row["accuracy"] == row["greedy"] == (1 if plain else 0)
        assert row["other"] == (0 if plain else 1)
        assert row["low"] <= row["accuracy"] <= row["high"]
        assert row["chance"] == pytest.approx(1 / row["candidates"], rel=0.2)


def test_ties_are_shared(monkeypatch):
    monkeypatch.setattr(
        prompts, "likelihoods", lambda model, text, texts: (np.zeros(len(texts)), np.zeros(len(texts)), 9)
    )
    found = piece(reader(), "number", 12, plan=QUICK)
    assert found["right"] == pytest.approx(found["chance"])


def test_the_table_of_a_tiny_model(private_cache):
    model = reader()
    asked = []
    found = ask(model, QUICK, progress=lambda *each: asked.append(each))
    rows = found.table.to_pylist()
    trained = [(task, control, size) for task in QUICK.tasks for control in CONTROLS for size in QUICK.lengths]
    fresh = [(task, "none", size) for task in QUICK.tasks for size in QUICK.lengths]
    assert [(row["task"], row["control"], row["length"]) for row in rows] == [*trained, *fresh]
    assert [row["group"] for row in rows] == ["trained"] * 8 + ["fresh"] * 4
    assert asked[-1][1:] == (36, 36)
    assert [done for _, done, _ in asked] == sorted(done for _, done, _ in asked)
    assert all(field.metadata[b"definition"] for field in found.table.schema)
    assert found.about["settings"]["form"] == {"instruction": False, "shots": 0, "shot_length": 12}
    assert found.about["frames"]["number"].endswith("\nAnswer:")
    assert all(0 <= row["probability"] <= 1 for row in rows)


def test_what_was_kept_is_not_asked_again(private_cache, monkeypatch):
    model = reader()
    model = Model(model.model, model.tokenizer, types.SimpleNamespace(**{**vars(model.source), "sha256": "0" * 64}))
    first = ask(model, QUICK).table
    monkeypatch.setattr(prompts, "piece", lambda *_: pytest.fail("asked again"))
    assert ask(model, QUICK).table.equals(first)
    places = [kept.place_of("multihop-prompts", model, [seed], ("checks/trained",)) for seed in (0, 1)]
    assert places[0] != places[1]
    monkeypatch.undo()


@pytest.mark.parametrize(
    "settings",
    [
        {"tasks": ("word",)},
        {"tasks": ("number", "number")},
        {"lengths": (3,)},
        {"lengths": ()},
        {"count": 0},
        {"seed": -1},
        {"null_seeds": (0, 0)},
    ],
)
def test_no_plan(settings):
    with pytest.raises(InputError):
        Plan(**settings)


def test_an_unknown_control():
    with pytest.raises(InputError, match="other"):
        piece(reader(), "number", 12, "other", QUICK)


@pytest.mark.parametrize("settings", [{"shots": -1}, {"shots": 17}, {"shot_length": 2}])
def test_no_form(settings):
    with pytest.raises(InputError):
        Form(**settings)


def test_a_model_without_a_tokenizer():
    with pytest.raises(InputError, match="no tokenizer"):
        ask(tiny("llama", **GROUPED), QUICK)


@pytest.mark.model
@pytest.mark.slow
def test_a_real_model():
    from headproof.checks.trained.models import find_model, load_model

    model = load_model(find_model(None))
    found = piece(model, "letter-value", 12, plan=Plan(lengths=(12,), count=12))
    assert found["right"].mean() > 2 * found["chance"].mean()
