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
from headproof.checks.trained.multihop.likelihoods import Read, likelihoods, opening_of, quick  # noqa: E402
from headproof.checks.trained.multihop.prompts import CONTROLS, PROMPTS_TABLE, Part, Plan, ask, piece  # noqa: E402
from headproof.checks.trained.multihop.questions import (  # noqa: E402
    ASKED,
    INSTRUCTIONS,
    TASKS,
    Form,
    continuations,
    questions,
    shown_of,
    told,
)
from headproof.checks.trained.tasks import encode  # noqa: E402
from headproof.theory.errors import InputError  # noqa: E402
from headproof.theory.sequences import (  # noqa: E402
    letter_path,
    number_path,
    require_proper,
    require_unambiguous,
)

pytestmark = [pytest.mark.torch, pytest.mark.usefixtures("one_thread")]
BARE = Form(instruction=False, shots=0)
QUICK = Plan(tasks=("number", "letter-value"), lengths=(4, 6), count=3, few=2, form=BARE, control_lengths=(6,))


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


def part(task, length, count=3, control="none", tasks=None):
    return Part("trained", -1, tasks or (task,), control, length, count)


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


def test_the_most_frequent_words_by_counting():
    (question,) = questions("number", 32, 1)
    often = {word: question.words.count(word) for word in question.candidates}
    assert set(often.values()) == {1, 2}
    twice = [word for word in often if often[word] == 2]
    assert question.frequent() == (1 / len(twice) if question.answer in twice else 0)
    many = questions("number", 32, 310)
    # Five letters stand twice, in 10 of 31 places.
    assert np.mean([one.frequent() for one in many]) == pytest.approx(10 / 31 / 5, abs=0.02)
    for question in questions("letter-value", 12, 5):
        values = [word[1] for word in question.words[:-1]]
        most = max(values.count(each) for each in values)
        assert (question.frequent() > 0) == (values.count(question.answer) == most)
    assert all(one.frequent() == pytest.approx(1 / 11) for one in questions("letter", 12, 5))


# -- likelihoods ---------------------------------------------------------------------------------------------------

TEXT = "List: A B C D E F G 3\nAnswer:"


@pytest.mark.parametrize("kind", ["llama", "gemma3"])
@pytest.mark.parametrize("ends", [(" A", " B", "c"), (" a1", " a2", " b7", "xy"), ("abc", " d e f")])
@pytest.mark.parametrize("opened", [0, 1, 12])
def test_likelihoods_by_whole_passes(kind, ends, opened):
    model = reader(kind)
    (ids,) = encode(model, [TEXT], special=True)
    opening = opening_of(model, [ids, (*ids[:opened], 0, 0)]) if opened else None
    assert opening is None or opening.ids == ids[:opened]
    for attention in (False, True):
        if attention:
            with quick(model):
                read = likelihoods(model, ids, encode(model, ends), opening)
        else:
            read = likelihoods(model, ids, encode(model, ends), opening)
        for own, score, said in zip(encode(model, ends), read.scores(), read.written(), strict=True):
            with torch.inference_mode():
                logits = model.model(torch.tensor([ids + own]), use_cache=False).logits[0].double()
            rows = torch.log_softmax(logits[len(ids) - 1 : -1], dim=-1)
            assert score == pytest.approx(float(rows[range(len(own)), own].sum()), abs=1e-4)
            assert said == (rows.argmax(dim=-1).tolist() == list(own))


def test_an_opening_beyond_the_window():
    model = reader("gemma3")  # its window is 8 tokens
    texts = [f"List: A B C D E F G H I J K L M N O P {each}\nAnswer:" for each in "345"]
    rows = encode(model, texts, special=True)
    opening = opening_of(model, rows)
    assert opening is not None
    assert len(opening.ids) == 1 + len("List:") + 16
    for ids in rows:
        plain, opened = (
            likelihoods(model, ids, encode(model, (" a1", " b2")), each).scores() for each in (None, opening)
        )
        assert opened == pytest.approx(plain, abs=1e-4)


def test_no_opening():
    model = reader()
    assert opening_of(model, [(1, 2, 3)]) is None
    assert opening_of(model, [(1, 2, 3), (2, 2, 3)]) is None
    assert opening_of(model, [(1, 2), (1, 2)]).ids == (1,)


def test_torchs_own_attention_for_a_time():
    model = reader()
    with quick(model):
        assert model.config._attn_implementation == "sdpa"
    assert model.config._attn_implementation == "eager"
    other = tiny("qwen3", **ROTATING["qwen3"][1])
    with quick(other):
        assert other.config._attn_implementation == "eager"


def test_candidates_of_different_sizes():
    model = reader()
    with pytest.raises(InputError, match=r"\[1, 2\] tokens"):
        likelihoods(model, (1, 2), encode(model, (" a", " a1")))


def test_a_prompt_beyond_the_positions():
    with pytest.raises(InputError, match="takes 64"):
        likelihoods(reader(max_position_embeddings=64), (1,) * 70, [(2,)])


# -- the run -------------------------------------------------------------------------------------------------------


def decode(ids):
    return "".join(Characters.symbols[one - 2] for one in ids if one > 1)


def solving(model, ids, ends, opening):
    """What a model that reads the last list and answers rightly makes of a prompt."""
    del model, opening
    words = decode(ids).rsplit("List: ", 1)[1].split("\n")[0].split()
    query = words.pop()
    answer = words[-int(query)] if query.isdecimal() else next(word for word in words if word[0] == query[1])
    written = [decode(end) for end in ends]
    own = written.index(answer[1] if written[0].isdecimal() else f" {answer}")
    size = 2 + len(Characters.symbols)
    first, then = torch.zeros(size), torch.zeros(len(ends), len(ends[0]) - 1, size)
    first[ends[own][0]] = 9
    for place, token in enumerate(ends[own][1:]):
        then[own, place, token] = 9
    return Read(torch.tensor(ends), first, then)


@pytest.mark.parametrize("tasks", [TASKS, ("letter-value", "number"), ("letter",)])
def test_a_model_that_solves_the_tasks(monkeypatch, private_cache, tasks):
    monkeypatch.setattr(prompts, "likelihoods", solving)
    monkeypatch.setattr(prompts, "opening_of", lambda *_: None)
    plan = Plan(tasks=tasks, lengths=(12, 16), count=10, null_seeds=())
    rows = ask(reader(max_position_embeddings=4096), plan).table.to_pylist()
    assert len(rows) == len(tasks) * 2 * 2
    assert list(rows[0]) == list(PROMPTS_TABLE)
    for row in rows:
        plain = row["control"] == "none"
        assert row["accuracy"] == row["greedy"] == (1 if plain else 0)
        assert row["other"] == (0 if plain else 1)
        assert row["low"] <= row["accuracy"] <= row["high"]
        assert row["chance"] == pytest.approx(1 / row["candidates"], rel=0.2)


@pytest.mark.parametrize("kind", ["llama", "gemma3"])
@pytest.mark.parametrize("control", CONTROLS)
def test_the_digit_comes_with_the_letter(kind, control, monkeypatch):
    model = reader(kind, max_position_embeddings=4096)
    both = piece(model, part("", 12, control=control, tasks=("letter", "letter-value")))
    alone = piece(model, part("letter-value", 12, control=control))["letter-value"]
    for name, values in alone.items():
        assert both["letter-value"][name] == pytest.approx(values, abs=1e-5), name
    # Tokens that are not the same ones make a pass of their own.
    monkeypatch.setattr(prompts, "_follows", lambda *_: None)
    apart = piece(model, part("", 12, control=control, tasks=("letter", "letter-value")))
    for name, values in alone.items():
        assert apart["letter-value"][name] == pytest.approx(values, abs=1e-5), name


def test_a_pass_is_shared_only_by_the_same_tokens():
    model = reader(max_position_embeddings=4096)
    (question,) = questions("letter", 12, 1)
    letter, value = (prompts.Prompt.of(model, each, BARE, ()) for each in (question, question.valued()))
    read = likelihoods(model, letter.ids, letter.ends)
    assert prompts._follows(value, letter, read) is not None
    assert prompts._follows(letter, letter, read) is None
    other = prompts.Prompt(value.question, (*value.ids[:-2], 1, value.ids[-1]), value.ends)
    assert prompts._follows(other, letter, read) is None


def test_ties_are_shared(monkeypatch):
    def undecided(model, ids, ends, opening):
        del model, ids, opening
        return Read(torch.tensor(ends), torch.zeros(200), torch.zeros(len(ends), len(ends[0]) - 1, 200))

    monkeypatch.setattr(prompts, "likelihoods", undecided)
    found = piece(reader(), part("number", 12), BARE)["number"]
    assert found["right"] == pytest.approx(found["chance"])


def test_controls_are_asked_at_some_lengths_with_prompts_of_their_own():
    plan = Plan(lengths=(12, 100, 300), count=50, few=20, control_lengths=(12, 100, 999), null_seeds=(0, 7))
    parts = plan.parts()
    plain = [each for each in parts if (each.group, each.control) == ("trained", "none")]
    assert [(each.tasks, each.length, each.count) for each in plain] == [
        (tasks, length, count)
        for tasks in (("number",), ("letter", "letter-value"))
        for length, count in ((12, 50), (100, 50), (300, 20))
    ]
    others = [each for each in parts if each not in plain]
    assert {(each.length, each.count) for each in others} == {(12, 20), (100, 20)}
    groups = {(each.group, each.null_seed, each.control): each.stream for each in parts}
    assert len(groups) == len(set(groups.values())) == 6
    assert groups["trained", -1, "none"] == ASKED
    assert prompts.SHOWN not in groups.values()
    drawn = {one.words for stream in groups.values() for one in questions("number", 12, 5, stream=stream)}
    assert len(drawn) == 30


def test_the_table_of_a_tiny_model(private_cache):
    model = reader()
    asked = []
    found = ask(model, QUICK, progress=lambda *each: asked.append(each))
    rows = found.table.to_pylist()
    plain = [("trained", -1, task, "none", size, 3) for task in QUICK.tasks for size in QUICK.lengths]
    controls = [("trained", -1, task, "shuffled", 6, 2) for task in QUICK.tasks]
    fresh = [("fresh", seed, task, control, 6, 2) for seed in (0, 1) for control in CONTROLS for task in QUICK.tasks]
    named = ("group", "null_seed", "task", "control", "length", "prompts")
    assert [tuple(row[name] for name in named) for row in rows] == [*plain, *controls, *fresh]
    assert asked[-1][1:] == (32, 32)
    assert [done for _, done, _ in asked] == sorted(done for _, done, _ in asked)
    assert all(field.metadata[b"definition"] for field in found.table.schema)
    assert found.about["settings"]["form"] == {"instruction": False, "shots": 0, "shot_length": 12}
    assert found.about["frames"]["number"].endswith("\nAnswer:")
    assert all(0 <= row["probability"] <= 1 for row in rows)
    assert all(0 <= row["frequent"] <= 1 for row in rows)


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
        {"few": 0},
        {"control_lengths": (2,)},
    ],
)
def test_no_plan(settings):
    with pytest.raises(InputError):
        Plan(**settings)


def test_an_unknown_control():
    with pytest.raises(InputError, match="other"):
        piece(reader(), part("number", 12, control="other"))


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
    both = piece(model, part("", 12, tasks=("letter", "letter-value")))
    alone = piece(model, part("letter-value", 12))["letter-value"]
    assert (alone["right"] == both["letter-value"]["right"]).all()
    for name, values in alone.items():
        assert both["letter-value"][name] == pytest.approx(values, abs=1e-4), name
