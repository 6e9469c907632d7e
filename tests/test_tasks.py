"""Prompts in equal blocks: what each task promises of its tokens, for several tokenizers, and what is refused."""

import dataclasses
import functools
import os
import re
import subprocess
import sys
from collections import Counter
from types import SimpleNamespace

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
tokenizers = pytest.importorskip("tokenizers")

from headproof.checks.trained import binding, tasks  # noqa: E402
from headproof.checks.trained.binding import COLOURS, NAMES, binding_prompts, fact  # noqa: E402
from headproof.checks.trained.capture import capture  # noqa: E402
from headproof.checks.trained.models import ensure_ready, find_model, in_memory, load_model  # noqa: E402
from headproof.checks.trained.tasks import BlockPrompt, induction_prompts, text_file, text_prompt  # noqa: E402
from headproof.theory.errors import InputError  # noqa: E402
from headproof.theory.scores.blocks import Blocks  # noqa: E402

SPECIAL = ["<s>", "</s>", "[UNK]"]
BOS = tokenizers.processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 0)])
BOTH_ENDS = tokenizers.processors.TemplateProcessing(single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 1)])
TEXTS = [*binding.OPENINGS, binding.question("Alice"), "the cat sat on a mat and looked at me for a long time"]


def tiny(tokenizer=None, vocabulary=64, positions=4096, **config):
    """A random model of a few hundred weights."""
    sizes = {"hidden_size": 4, "intermediate_size": 4, "num_hidden_layers": 1, "num_attention_heads": 1}
    made = transformers.LlamaConfig(
        vocab_size=len(tokenizer) if tokenizer is not None else vocabulary,
        max_position_embeddings=positions,
        **{"bos_token_id": 0, "eos_token_id": 1, "pad_token_id": None, **config},
        **sizes,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        module = transformers.LlamaForCausalLM._from_config(made, attn_implementation="eager")
    return in_memory(module, "tiny", tokenizer)


def fast(made, template=None):
    if template is not None:
        made.post_processor = template
    return transformers.PreTrainedTokenizerFast(tokenizer_object=made, bos_token="<s>", eos_token="</s>")


def words(names=NAMES, colours=COLOURS, template=BOS, lower=False):
    """Every word a token; what it does not know is [UNK]."""
    known = [*names, *colours, *re.findall(r"\w+|[^\w\s]", " ".join([*TEXTS, fact("Alice", "red")]))]
    vocabulary = dict.fromkeys([*SPECIAL, *(word.lower() if lower else word for word in known)])
    made = tokenizers.Tokenizer(
        tokenizers.models.WordLevel({word: number for number, word in enumerate(vocabulary)}, unk_token="[UNK]")
    )
    made.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    if lower:
        made.normalizer = tokenizers.normalizers.Lowercase()
    return fast(made, template)


def byte_pairs(size=700, template=None, text=(*NAMES, *COLOURS * 8)):
    """Byte pairs learned from the words themselves: some have one token, others several."""
    made = tokenizers.Tokenizer(tokenizers.models.BPE())
    made.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = tokenizers.decoders.ByteLevel()
    alphabet = sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=size, special_tokens=SPECIAL, initial_alphabet=alphabet, show_progress=False
    )
    made.train_from_iterator([" ".join(text)], trainer)
    return fast(made, template)


REAL = "smollm2"
KINDS = {
    "words": words,
    "words-no-bos": lambda: words(template=None),
    "words-both-ends": lambda: words(template=BOTH_ENDS),
    "words-lower-case": lambda: words(lower=True),
    "byte-pairs": byte_pairs,
    "byte-pairs-bos": lambda: byte_pairs(template=BOS),
}


@functools.cache
def built(kind):
    """A tiny model with one kind of tokenizer, or with that of the real model."""
    if kind != REAL:
        return tiny(KINDS[kind]())
    return tiny(transformers.AutoTokenizer.from_pretrained(ensure_ready(find_model()), local_files_only=True))


@pytest.fixture(params=[*KINDS, pytest.param(REAL, marks=pytest.mark.model)])
def model(request):
    """A tiny model with each kind of tokenizer in turn."""
    return built(request.param)


@pytest.fixture(scope="module")
def spoken():
    return tiny(words())


@pytest.fixture(scope="module")
def mute():
    """A model without a tokenizer."""
    return tiny()


def squeezed(text):
    return "".join(text.split()).casefold()


def block_texts(model, prompt):
    start = prompt.blocks.starts
    return [model.tokenizer.decode(list(prompt.tokens[s : s + prompt.blocks.length])) for s in start]


def refused(message, make, *args, **kwargs):
    """That the call is refused in one line that matches `message`; the line."""
    with pytest.raises(InputError, match=message) as caught:
        make(*args, **kwargs)
    assert "\n" not in str(caught.value)
    return str(caught.value)


# -- the prompt itself ---------------------------------------------------------------------------------------------

GOOD = BlockPrompt("one", "text", None, (5, 6, 7, 8), Blocks((1, 2), 1), None, None, "a b c d")


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"task": "riddle"}, "unknown task 'riddle'; there are binding, induction, text, prompt"),
        ({"blocks": Blocks((1,), 1)}, "one has 1 blocks; a swap takes two"),
        ({"blocks": Blocks((1, 3), 1)}, "a block of one ends at 4, its query is at 3"),
        ({"target": 2}, "one has no block 2; it has blocks 0 to 1"),
        ({"target": -1}, "one has no block -1"),
    ],
)
def test_a_prompt_that_contradicts_itself_is_refused(changed, message):
    assert dataclasses.replace(GOOD, target=1).query == 3
    refused(message, dataclasses.replace, GOOD, **changed)


# -- binding -------------------------------------------------------------------------------------------------------


def facts_in_blocks(model, with_sink):
    """All that nine facts promise."""
    prompts = binding_prompts(model, 9, "every", seed=3, with_sink=with_sink)
    assert len(prompts) == 9
    facts = block_texts(model, prompts[0])[with_sink:]
    found = [re.fullmatch(r"(\w+)likes(\w+)\.", squeezed(one)).groups() for one in facts]
    assert len({name for name, _ in found}) == 9
    known = {name.casefold() for name in NAMES}
    assert all(name in known and colour in COLOURS for name, colour in found)
    for number, prompt in enumerate(prompts):
        name, colour = found[number]
        assert prompt.target == number + with_sink
        assert (prompt.blocks.starts[0] == 0) == with_sink
        assert prompt.blocks.count == 9 + with_sink
        assert len(prompt.tokens) == len(model.tokenizer(prompt.text, add_special_tokens=False).input_ids)
        assert squeezed(prompt.text).endswith(f"whatcolordoes{name}like?{name}likes")
        start = prompt.blocks.starts[prompt.target]
        assert prompt.answer in prompt.tokens[start : start + prompt.blocks.length]
        # The right next token, by tokenizing the prompt with its answer as a whole.
        answered = model.tokenizer(f"{prompt.text} {colour}", add_special_tokens=False).input_ids
        assert tuple(answered[: prompt.query + 2]) == (*prompt.tokens, prompt.answer)
        assert colour.startswith(squeezed(model.tokenizer.decode([prompt.answer])))


def test_every_block_is_one_fact_and_the_target_is_the_fact_asked(model):
    facts_in_blocks(model, with_sink=False)


@pytest.mark.parametrize("kind", ["words", "words-no-bos", pytest.param(REAL, marks=pytest.mark.model)])
def test_with_the_sink_the_opening_is_one_more_block(kind):
    facts_in_blocks(built(kind), with_sink=True)


def test_no_opening_as_long_as_a_fact(spoken, monkeypatch):
    monkeypatch.setattr(binding, "OPENINGS", binding.OPENINGS[:1])
    assert len(binding_prompts(spoken, 9, with_sink=False)) == 3
    refused("no opening has 4 tokens, .*; leave the sink out", binding_prompts, spoken, 9, with_sink=True)


def test_prompts_of_one_seed_differ_in_the_question_alone(model):
    prompts = binding_prompts(model, 12, seed=5)
    assert [one.name for one in prompts] == [f"binding-12-{where}-s5" for where in ("first", "middle", "last")]
    assert [one.target for one in prompts] == [0, 5, 11]
    assert len({one.blocks for one in prompts}) == 1
    stop = prompts[0].blocks.stop
    assert len({one.tokens[:stop] for one in prompts}) == 1
    assert len({one.tokens[stop:] for one in prompts}) == 3
    assert all((one.task, one.seed) == ("binding", 5) for one in prompts)


def test_seeds_reproduce_and_shuffle_names_colours_and_order(model):
    one, same, other = (block_texts(model, binding_prompts(model, 20, "last", seed)[0]) for seed in (0, 0, 1))
    assert one == same
    names = [{squeezed(text).split("likes")[0] for text in texts} for texts in (one, other)]
    assert names[0] != names[1]
    # A fact that both seeds have in one place with one colour would be chance: most are not.
    assert sum(a == b for a, b in zip(one, other, strict=True)) < 3


def test_colours_are_dealt_evenly(spoken):
    (prompt,) = binding_prompts(spoken, 100, "first")
    counts = Counter(squeezed(text).split("likes")[1] for text in block_texts(spoken, prompt))
    assert set(counts.values()) == {100 // len(COLOURS), 100 // len(COLOURS) + 1}
    assert len(counts) == len(COLOURS)


@pytest.mark.parametrize(
    ("asked", "labels"),
    [
        ("first", ["first"]),
        (7, ["7"]),
        ("7", ["7"]),
        ((0, "first", "0"), ["first"]),
        (("last", 3, "middle"), ["last", "3", "middle"]),
        ((4, 9), ["middle", "last"]),
        ("every", ["first", "1", "2", "3", "middle", "5", "6", "7", "8", "last"]),
        (("every", "last"), ["first", "1", "2", "3", "middle", "5", "6", "7", "8", "last"]),
    ],
)
def test_what_is_asked_once_is_a_prompt_with_one_name(spoken, asked, labels):
    assert [one.name for one in binding_prompts(spoken, 10, asked)] == [f"binding-10-{one}-s0" for one in labels]
    if "9" not in str(asked) and 9 not in (asked if isinstance(asked, tuple) else ()):
        found = [one.name for one in induction_prompts(spoken, 11, asked)]
        assert found == [f"induction-11-{one}-s0" for one in labels]


def test_two_facts_have_no_middle_of_their_own(spoken):
    assert [one.name for one in binding_prompts(spoken, 2)] == ["binding-2-first-s0", "binding-2-last-s0"]


def test_the_commonest_token_count_is_taken(model):
    """Of the names that the tokenizer writes with different numbers of tokens, the largest class."""
    counts = Counter(
        len(ids) for ids in model.tokenizer([f" {name}" for name in NAMES], add_special_tokens=False).input_ids
    )
    line = refused("allows", binding_prompts, model, 1000)
    assert int(re.search(r"allows (\d+) facts", line)[1]) == max(counts.values())
    assert len(binding_prompts(model, max(counts.values()), "last")) == 1


def test_names_and_colours_that_the_tokenizer_does_not_know_are_left_out():
    model = tiny(words(names=NAMES[:30], colours=COLOURS[:5]))
    refused("allows 30 facts, not 31: .* 30 names and, .* 5 colours; ask for fewer", binding_prompts, model, 31)
    (prompt,) = binding_prompts(model, 30, 4)
    unknown = model.tokenizer.convert_tokens_to_ids("[UNK]")
    assert unknown not in prompt.tokens
    for colours in ((), ("red",)):
        model = tiny(words(colours=colours))
        refused(r"allows 0 facts, not 12: .*; choose another task", binding_prompts, model, 12)


def test_colours_are_apart_by_their_first_token():
    # Bytes alone: every colour begins with the space, so that the next token would be no answer.
    refused(
        "allows 0 facts, not 12: .* apart by their first tokens, 1 colours", binding_prompts, tiny(byte_pairs(259)), 12
    )


def test_the_word_lists():
    assert len({name.casefold() for name in NAMES}) == len(NAMES) >= 400
    assert len({colour.casefold() for colour in COLOURS}) == len(COLOURS) >= 20
    assert not {name.casefold() for name in NAMES} & {colour.casefold() for colour in COLOURS}
    assert all(re.fullmatch("[A-Z][a-z]+", name) for name in NAMES)


def test_a_closing_special_token_is_left_off():
    model = tiny(words(template=BOTH_ENDS))
    assert model.tokenizer("red").input_ids[-1] == 1
    for prompt in (
        *binding_prompts(model, 4),
        *induction_prompts(model, 4),
        text_prompt(model, "the cat sat on a mat"),
    ):
        assert prompt.tokens[0] == 0
        assert 1 not in prompt.tokens


def test_all_tokens_that_a_tokenizer_puts_first_stay_out_of_the_blocks():
    first = tokenizers.processors.TemplateProcessing(single="</s> <s> $A", special_tokens=[("<s>", 0), ("</s>", 1)])
    model = tiny(words(template=first))
    assert text_prompt(model, cats(7), block_length=2).blocks == Blocks((2, 4, 6), 2)
    assert text_prompt(model, cats(7), block_length=2, with_sink=True).blocks == Blocks((0, 2, 4, 6), 2)
    refused("has 4 tokens, and 2 blocks of 1 take 5", text_prompt, model, cats(2))
    for with_sink in (False, True):
        prompt = induction_prompts(model, 4, 1, with_sink=with_sink)[0]
        assert prompt.tokens[:2] == (1, 0)
        assert prompt.tokens[prompt.blocks.starts[prompt.target]] == prompt.answer == prompt.tokens[4]
        assert prompt.blocks == Blocks.tiling(0 if with_sink else 2, 6, 1)
        prompt = binding_prompts(model, 4, 1, with_sink=with_sink)[0]
        assert prompt.blocks.starts[0] == (0 if with_sink else 7)


class Twisted:
    """A tokenizer whose ids are changed afterwards, by a rule that sees the text."""

    def __init__(self, tokenizer, rule):
        self.tokenizer, self.rule = tokenizer, rule

    def __getattr__(self, name):
        return getattr(self.tokenizer, name)

    def __call__(self, texts, **options):
        rows = self.tokenizer(texts, **options).input_ids
        return SimpleNamespace(input_ids=[self.rule(row, text) for row, text in zip(rows, texts, strict=True)])


THIN = "\u2009"  # a token of its own that reads as nothing
PEOPLE = words(names=("Adam", "Alice", "Bruno", "Clara", THIN))
ADAM, STOP, SPACE = PEOPLE.convert_tokens_to_ids(["Adam", ".", THIN])
TWISTS = {
    # One name is two tokens, but only before "likes".
    "unequal": (
        lambda row, text: [k for one in row for k in (one, SPACE)[: 1 + (one == ADAM and "Adam likes" in text)]],
        r"writes '\w+ likes \w+\.' as [45] tokens, '.*', and '\w+ likes \w+\.' as [45]; choose",
    ),
    "unread": (
        lambda row, text: [STOP if one == ADAM and "Adam likes" in text else one for one in row],
        r"writes 'Adam likes \w+\.' as 4 tokens, '\. likes \w+ \.', and '\w+ likes \w+\.' as 4; choose",
    ),
    "context": (lambda row, _: row[:20] + [one for one in row[20:] if one != STOP], "facts in a row otherwise"),
    "answer": (
        lambda row, text: [*row[:-1], 0] if re.search(r"\? \w+ likes \w+$", text) else row,
        "otherwise in the answer",
    ),
    "special": (lambda row, _: row[:1] + row[2:] if row[0] == 0 else row, "otherwise with its special tokens"),
}


class Strict(Twisted):
    """A tokenizer that does not answer for ids that it does not have."""

    def __len__(self):
        return len(self.tokenizer)

    def convert_ids_to_tokens(self, one):
        if one >= len(self):
            raise IndexError(one)
        return self.tokenizer.convert_ids_to_tokens(one)


def test_rows_of_the_embedding_beyond_the_tokenizer_are_not_asked_for():
    strict = Strict(words(), lambda row, _: row)
    model = dataclasses.replace(tiny(vocabulary=len(strict) + 500), tokenizer=strict)
    assert max(induction_prompts(model, 500, "last")[0].tokens) < len(strict)


@pytest.mark.parametrize("twist", TWISTS)
def test_a_tokenizer_that_does_not_keep_facts_apart_is_refused(twist):
    model, (rule, message) = tiny(PEOPLE), TWISTS[twist]
    assert len(binding_prompts(model, 4)) == 3
    refused(message, binding_prompts, dataclasses.replace(model, tokenizer=Twisted(PEOPLE, rule)), 4)


def test_facts_do_not_begin_the_text():
    plain = words(template=None)

    def drop(row, text):
        opening = len(plain(binding.OPENINGS[0], add_special_tokens=False).input_ids)
        return row[opening:] if text.startswith(binding.OPENINGS[0]) else row

    model = dataclasses.replace(tiny(plain), tokenizer=Twisted(plain, drop))
    refused("has no token for 'Here are some facts.'", binding_prompts, model, 4)


def test_the_opening_with_the_sink_is_as_long_as_a_fact(spoken):
    (prompt,) = binding_prompts(spoken, 6, "last", with_sink=True)
    assert prompt.name == "binding-6-last-s0-sink"
    assert prompt.blocks == Blocks.tiling(0, 28, 4)
    assert prompt.target == 6
    assert block_texts(spoken, prompt)[0] == "<s> Some facts ."
    without = binding_prompts(spoken, 6, "last")[0]
    assert block_texts(spoken, without) == block_texts(spoken, prompt)[1:]
    model = tiny(words(template=None))
    assert block_texts(model, binding_prompts(model, 6, with_sink=True)[0])[0] == "Here are facts ."


def test_as_many_facts_as_positions_allow_and_no_more():
    model = tiny(words(), positions=100)
    line = refused("takes 100; ask for at most", binding_prompts, model, 60)
    most = int(re.search(r"at most (\d+) facts", line)[1])
    assert len(binding_prompts(model, most)) == 3
    refused(f"ask for at most {most} facts", binding_prompts, model, most + 1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"facts": 1}, "the number of facts is an integer, 2 or more, got 1"),
        ({"facts": True}, "the number of facts is an integer"),
        ({"facts": 4.0}, "the number of facts is an integer"),
        ({"facts": 10**40}, r"not an integer near 2\^132"),
        ({"asked": "second"}, "no fact 'second'; ask for first, middle, last, every or a number"),
        ({"asked": ("first", 4)}, "there is no fact 4; they are 0 to 3"),
        ({"asked": -1}, "there is no fact -1"),
        ({"asked": "-1"}, "no fact '-1'"),
        ({"asked": 1.5}, "what is asked is a tuple"),
        ({"asked": (1.5,)}, "the number of a fact is an integer, got 1.5"),
        ({"asked": ()}, "no fact is asked; ask for first"),
        ({"seed": -1}, "a seed is an integer, 0 or more, got -1"),
        ({"seed": 1 << 63}, r"a seed is below 2\^63, got 9223372036854775808"),
        ({"seed": None}, "a seed is an integer"),
    ],
)
def test_bad_values_of_binding(spoken, arguments, message):
    refused(message, binding_prompts, spoken, **{"facts": 4, **arguments})


def test_text_needs_a_tokenizer(mute):
    for make in (binding_prompts, lambda model: text_prompt(model, "the cat sat")):
        refused("tiny has no tokenizer; choose the task induction", make, mute)


def test_what_a_tokenizer_fails_on_is_told_in_one_line(spoken):
    refused("the tokenizer of tiny fails on", text_prompt, spoken, "the cat \udcff sat")
    refused("the tokenizer of tiny fails on 5", text_prompt, spoken, 5)


# -- induction -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("with_sink", [False, True])
def test_a_copy_and_its_repeat_up_to_the_token_asked(model, with_sink):
    prompts = induction_prompts(model, 12, seed=4, with_sink=with_sink)
    tail = "-sink" if with_sink else ""
    assert [one.name for one in prompts] == [f"induction-12-{where}-s4{tail}" for where in ("first", "middle", "last")]
    assert len({one.tokens[:13] for one in prompts}) == 1
    begins = model.tokenizer("red").input_ids[0] == 0
    for prompt, asked in zip(prompts, (0, 5, 10), strict=True):
        sink, copy, repeat = prompt.tokens[:1], prompt.tokens[1:13], prompt.tokens[13:]
        assert (sink == (0,)) == begins
        assert len({*sink, *copy}) == 13
        assert repeat == copy[: asked + 1]
        assert prompt.blocks == Blocks.tiling(0 if with_sink else 1, 13, 1)
        block = prompt.blocks.starts[prompt.target]
        assert prompt.tokens[block] == prompt.answer == copy[asked + 1]
        assert prompt.tokens[block - 1] == prompt.tokens[prompt.query]
        assert not {*copy, *(() if begins else sink)} & set(model.tokenizer.added_tokens_decoder)


def test_induction_tokens_reproduce_and_differ_by_seed(model):
    one, same, other = (induction_prompts(model, 10, seed=seed) for seed in (0, 0, 1))
    assert one == same
    assert one[0].tokens != other[0].tokens


def test_bytes_marks_blanks_and_added_tokens_are_not_drawn():
    odd = ["<0x41>", "<unused7>", "[PAD]", "\u2009", "\x07", "a\ufffdb", "\u200b"]
    ordinary = [f"w{k}" for k in range(20)] + ["ж", "7", "();", "<", "]"]
    made = tokenizers.Tokenizer(
        tokenizers.models.WordLevel({one: k for k, one in enumerate([*SPECIAL, *odd, *ordinary])}, unk_token="[UNK]")
    )
    made.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    made.add_special_tokens([tokenizers.AddedToken("speaker", special=True)])
    made.add_tokens(["added"])
    tokenizer = fast(made)
    model = dataclasses.replace(tiny(vocabulary=len(tokenizer) + 40), tokenizer=tokenizer)  # rows without a token
    most = len(ordinary) - 1  # one more is the sink
    (prompt,) = induction_prompts(model, most, "first")
    assert {tokenizer.convert_ids_to_tokens(one) for one in prompt.tokens} == set(ordinary)
    line = f"length {most + 1} takes {most + 2} ordinary tokens and tiny has {most + 1}; ask for a shorter one"
    refused(re.escape(line), induction_prompts, model, most + 1)


def test_without_a_tokenizer_all_ids_but_the_special_ones_are_drawn():
    model = tiny(vocabulary=20, bos_token_id=3, eos_token_id=[4, 5], pad_token_id=6)
    (prompt,) = induction_prompts(model, 15, "last")
    assert set(prompt.tokens) == set(range(20)) - {3, 4, 5, 6}
    assert prompt.text == " ".join(map(str, prompt.tokens))
    refused("length 16 takes 17 ordinary tokens and tiny has 16", induction_prompts, model, 16)
    refused(r"length an integer near 2\^132 takes", induction_prompts, model, 10**40)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"length": 1}, "the length of an induction prompt is an integer, 2 or more, got 1"),
        ({"length": "8"}, "the length of an induction prompt is an integer"),
        ({"asked": 7}, "there is no token with a successor 7; they are 0 to 6"),
        ({"asked": "none"}, "no token with a successor 'none'; ask for first"),
        ({"seed": -2}, "a seed is an integer, 0 or more, got -2"),
        ({"seed": 1 << 64}, r"a seed is below 2\^63"),
    ],
)
def test_bad_values_of_induction(mute, arguments, message):
    refused(message, induction_prompts, mute, **{"length": 8, **arguments})


def test_the_shortest_induction_prompt(mute):
    (prompt,) = induction_prompts(mute, 2)
    assert (prompt.name, prompt.target, len(prompt.tokens)) == ("induction-2-first-s0", 1, 4)


def test_a_repeat_beyond_the_positions_is_refused():
    model = tiny(positions=20)
    assert len(induction_prompts(model, 10, "last")[0].tokens) == 20
    refused("of length 11 makes 22 tokens and tiny takes 20; ask for a shorter", induction_prompts, model, 11, "last")


# -- texts ---------------------------------------------------------------------------------------------------------


def cats(count):
    return " ".join(["cat"] * count)


@pytest.mark.parametrize(
    ("words", "blocks", "length", "starts", "width"),
    [
        # `words` and the first token before them; the last word is the query.
        (3, None, None, (1, 2), 1),
        (49, None, None, tuple(range(1, 49)), 1),
        (97, None, None, tuple(range(1, 97, 2)), 2),
        (100, None, None, tuple(range(1, 99, 2)), 2),
        (12, 3, None, (1, 4, 7), 3),  # two tokens are left over
        (12, None, 5, (1, 6), 5),
        (12, 2, 3, (1, 4), 3),
        (13, 4, 3, (1, 4, 7, 10), 3),  # exactly enough
    ],
)
def test_a_text_is_tiled_and_the_rest_stands_before_the_query(spoken, words, blocks, length, starts, width):
    prompt = text_prompt(spoken, cats(words), blocks, length)
    assert prompt.blocks == Blocks(starts, width)
    assert len(prompt.tokens) == words + 1
    assert (prompt.target, prompt.answer, prompt.seed) == (None, None, None)
    assert block_texts(spoken, prompt) == [cats(width)] * len(starts)


def test_the_sink_is_tiled_if_asked(spoken):
    assert text_prompt(spoken, cats(12), 3, with_sink=True).blocks == Blocks((0, 4, 8), 4)
    assert text_prompt(spoken, cats(3), 3, with_sink=True).blocks == Blocks((0, 1, 2), 1)


def test_a_text_keeps_its_tokens_and_names(model):
    text = "the cat sat on a mat and looked at me for a long time"
    prompt = text_prompt(model, text, block_length=3)
    ids = tuple(model.tokenizer(text).input_ids)
    assert prompt.tokens == (ids if ids[-1] != 1 else ids[:-1])
    assert (prompt.task, prompt.name) == ("text", "text")
    assert squeezed(text) in squeezed(prompt.text)
    assert text_prompt(model, text, task="prompt").name == "prompt"
    assert text_prompt(model, text, name="text-cat.txt").name == "text-cat.txt"


@pytest.mark.parametrize(
    "arguments",
    [{"blocks": 6}, {"block_length": 9}, {"blocks": 7, "block_length": 3}, {"blocks": 3, "with_sink": True}],
)
def test_a_text_too_short_is_told_how_many_tokens_it_takes(spoken, arguments):
    line = refused(
        r"has 3 tokens, and .* take \d+, counting .*; give a longer", text_prompt, spoken, cats(2), **arguments
    )
    needed = int(re.search(r"take (\d+)", line)[1])
    assert len(text_prompt(spoken, cats(needed - 1), **arguments).tokens) == needed
    refused(f"has {needed - 1} tokens", text_prompt, spoken, cats(needed - 2), **arguments)


def test_four_tokens_are_the_least(spoken):
    assert text_prompt(spoken, cats(3)).blocks == Blocks((1, 2), 1)
    refused("has 3 tokens, and 2 blocks of 1 take 4", text_prompt, spoken, cats(2))


def test_no_text_at_all(model):
    refused("the text '' has 0 tokens, and 2 blocks of 1 take 4", text_prompt, model, "")


def test_a_text_beyond_the_positions_is_told_where_to_cut():
    model = tiny(words(), positions=50)
    text = cats(60)
    line = refused("makes 61 tokens and tiny takes 50; cut it to its first", text_prompt, model, text)
    kept = text[: int(re.search(r"first (\d+) characters", line)[1])]
    assert len(text_prompt(model, kept).tokens) == 50


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"blocks": 1}, "the number of blocks is an integer, 2 or more, got 1"),
        ({"block_length": 0}, "the length of a block is an integer, 1 or more, got 0"),
        ({"blocks": 2.0}, "the number of blocks is an integer"),
        ({"blocks": 10**40}, "has 21 tokens, and an integer near"),
        ({"block_length": 10**40}, "has 21 tokens, and 2 blocks of an integer near"),
        ({"task": "binding"}, "a text is no prompt of the task 'binding'; give text or prompt"),
    ],
)
def test_bad_values_of_texts(spoken, arguments, message):
    refused(message, text_prompt, spoken, cats(20), **arguments)


# -- files ---------------------------------------------------------------------------------------------------------


def test_a_file_is_read_without_its_mark_and_its_last_line_break(tmp_path):
    path = tmp_path / "one.txt"
    path.write_bytes("\ufeffOne.\r\nZwölf.\r\n\n".encode())
    assert text_file(path) == text_file(str(path)) == "One.\r\nZwölf."


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is empty; name a file with text"),
        (b" \n\t\n", "is empty"),
        ("\ufeff".encode(), "is empty"),
        (b"ab\xffcd", "is not UTF-8 at byte 2; save it as UTF-8"),
        (b"GGUF\0\0", "is binary: byte 4 is 0; name a text file"),
        ("héllo".encode("utf-16"), "is binary"),
        (b"a" * (tasks.LARGEST_FILE + 1), "has 4194305 bytes, more than 4194304; give a part"),
    ],
    ids=["empty", "blank", "mark", "latin", "binary", "utf-16", "large"],
)
def test_files_that_are_no_text_are_refused(tmp_path, data, message):
    path = tmp_path / "text"
    path.write_bytes(data)
    refused(f"text {message}", text_file, path)


def test_paths_that_are_no_file_are_refused(tmp_path):
    refused("no file .*absent.txt; name a text file", text_file, tmp_path / "absent.txt")
    refused("is a folder; name a text file", text_file, tmp_path)
    refused("cannot read 'a.x00b'", text_file, "a\0b")
    refused("cannot read .*: .*too long", text_file, "a" * 5000)
    refused("no file|cannot read|is a folder", text_file, "")


@pytest.mark.posix
def test_a_pipe_is_refused_and_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    refused("is no regular file", text_file, tmp_path / "pipe")


# -- with the rest of the house ------------------------------------------------------------------------------------


def test_the_passes_take_the_prompts(spoken):
    for prompt in (*binding_prompts(spoken, 4), *induction_prompts(spoken, 4), text_prompt(spoken, cats(9))):
        assert capture(spoken, prompt.tokens).tokens == prompt.tokens


def test_importing_the_tasks_imports_no_torch():
    code = "import sys; import headproof.checks.trained.binding; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.model
def test_the_real_tokenizer_allows_256_facts_of_four_tokens():
    model = built(REAL)
    (prompt,) = binding_prompts(model, 256, "last")
    assert (prompt.blocks.count, prompt.blocks.length, len(prompt.tokens)) == (256, 4, 1037)
    refused("allows 467 facts", binding_prompts, model, 468)


@pytest.mark.model
def test_the_real_model_binds_the_first_fact_and_copies_the_last_token():
    """Small as it is, it prefers colours of the prompt, and answers the easiest questions rightly."""
    model = load_model(find_model())

    def rank(prompt):
        with torch.no_grad():
            logits = model.model(torch.tensor([prompt.tokens]), logits_to_keep=1).logits[0, -1]
        return int((logits > logits[prompt.answer]).sum())

    first, *others = binding_prompts(model, 12)
    assert rank(first) == 0
    assert all(rank(one) < 100 for one in others)  # of 49,152
    assert sum(rank(induction_prompts(model, 16, "last", seed)[0]) == 0 for seed in range(4)) >= 2
