"""Words in wrong places: exchanges are what they say, and all levels move the same tokens."""

import itertools
import math

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from letters import Letters, lettered  # noqa: E402
from zoo import GROUPED, SLIDING, VOCABULARY, tiny  # noqa: E402

from headproof.checks.trained import corpus  # noqa: E402
from headproof.checks.trained.corpus import Text, Words, long_text, word_tokens  # noqa: E402
from headproof.checks.trained.disentanglement import tolerance  # noqa: E402
from headproof.checks.trained.disentanglement.tolerance import ANYWHERE, NEIGHBOURS, SHUFFLED, exchange  # noqa: E402
from headproof.checks.trained.models import Model  # noqa: E402
from headproof.checks.trained.steering import require_conforming  # noqa: E402
from headproof.theory.errors import InputError  # noqa: E402

TOKENS = 120
PROSE = Text(
    "prose",
    "the old miller and his small dog went down to the river, where a boat lay waiting;\n\nit was cold and the "
    "water had come up in the night so that they could not see the stones of the ford at all today",
)


pytestmark = pytest.mark.usefixtures("one_thread")


def words_of(lengths, seed=0):
    """Words of given numbers of tokens, after one token that stands at the start of a text."""
    stops = 1 + np.cumsum(lengths)
    generator = np.random.default_rng(seed)
    tokens = (1, *generator.integers(3, VOCABULARY, sum(lengths)).tolist())
    return Words(
        PROSE, tokens, tuple((int(stop) - length, int(stop)) for stop, length in zip(stops, lengths, strict=True))
    )


LENGTHS = [1, 2, 1, 1, 3, 2, 1, 1, 2, 2, 1, 3, 1, 1, 1, 2, 1, 1, 2, 1, 3, 1, 1, 2, 1]


@pytest.fixture(scope="module")
def llama():
    model = lettered()
    return require_conforming(model, torch.arange(3, 27))


# -- exchanges -----------------------------------------------------------------------------------------------------


def moved(words, found):
    """The word that stands in each word's place; fails unless whole words moved."""
    spans = list(words.spans)
    tokens = found.tokens.tolist()
    assert tokens[: spans[0][0]] == list(range(spans[0][0]))
    places = []
    for start, stop in spans:
        part = tokens[start:stop]
        assert part == list(range(part[0], part[0] + stop - start))
        places.append(spans.index((part[0], part[-1] + 1)))
    return places


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("share", [0.05, 0.2, 0.5, 1.0])
@pytest.mark.parametrize("reading", [NEIGHBOURS, ANYWHERE])
def test_pairs_have_equally_many_tokens_and_the_share_is_counted(reading, share, seed):
    words = words_of(LENGTHS, seed)
    found = exchange(words, share, reading, seed)
    places = moved(words, found)
    apart = [word for word, place in enumerate(places) if word != place]
    assert places[0] == 0
    assert all(places[places[word]] == word for word in apart)  # pairs
    if reading == NEIGHBOURS:
        assert all(abs(places[word] - word) == 1 for word in apart)
    assert found.reached == len(apart) / len(LENGTHS) <= share + 1 / len(LENGTHS)
    assert np.array_equal(found.tokens[found.tokens], np.arange(len(words.tokens)))
    assert np.array_equal(found.positions, found.tokens)
    tokens = np.array(words.tokens)
    for word in apart:
        one, other = (tokens[slice(*words.spans[place])] for place in (word, places[word]))
        assert len(one) == len(other)
        assert not np.array_equal(one, other)


@pytest.mark.parametrize("reading", [NEIGHBOURS, ANYWHERE])
def test_a_share_is_reached_where_there_are_enough_pairs(reading):
    words = Words(PROSE, tuple(range(3, 203)), tuple((place, place + 1) for place in range(200)))
    for share in (0.01, 0.02, 0.05, 0.1, 0.3, 0.5):
        assert exchange(words, share, reading, 3).reached == pytest.approx(share, abs=0.005)
    assert exchange(words, 1.0, ANYWHERE, 3).reached == 198 / 200  # the first word stays, and one is left over
    assert 0.8 < exchange(words, 1.0, NEIGHBOURS, 3).reached < 0.95


def test_pairs_of_a_smaller_share_are_among_those_of_a_larger_one():
    words = words_of(LENGTHS * 4)
    for reading in (NEIGHBOURS, ANYWHERE):
        small, large = (exchange(words, share, reading, 1).tokens for share in (0.1, 0.4))
        changed = small != np.arange(len(small))
        assert changed.any()
        assert np.array_equal(small[changed], large[changed])


def test_the_control_permutes_all_words_of_equally_many_tokens():
    words = words_of(LENGTHS * 4)
    found = exchange(words, 1.0, SHUFFLED, 1)
    places = moved(words, found)
    assert places[0] == 0
    assert sorted(places) == list(range(len(places)))
    assert found.reached > 0.9
    assert np.array_equal(found.tokens[found.positions], np.arange(len(words.tokens)))


def test_exchanges_go_by_text_seed_and_reading():
    words = words_of(LENGTHS * 4)
    other = Words(Text("other", "another text"), words.tokens, words.spans)
    first = exchange(words, 0.5, ANYWHERE, 0)
    assert np.array_equal(first.tokens, exchange(words, 0.5, ANYWHERE, 0).tokens)
    for again in (exchange(words, 0.5, ANYWHERE, 1), exchange(other, 0.5, ANYWHERE, 0)):
        assert not np.array_equal(first.tokens, again.tokens)


def test_identical_words_are_not_exchanged():
    words = Words(PROSE, (5,) * 50, tuple((place, place + 1) for place in range(50)))
    for reading in (NEIGHBOURS, ANYWHERE):
        assert exchange(words, 0.5, reading, 0).reached == 0


def test_unknown_readings_and_shares_are_refused():
    with pytest.raises(InputError, match="no reading 'near'; there are neighbours, anywhere, shuffled"):
        exchange(words_of(LENGTHS), 0.5, "near", 0)
    for share in (0, -0.1, 1.5, math.nan):
        with pytest.raises(InputError, match=r"a share of .* of the words; give one above 0 and at most 1"):
            exchange(words_of(LENGTHS), share, ANYWHERE, 0)


# -- levels --------------------------------------------------------------------------------------------------------


def test_still_predictions_have_a_target_and_a_last_token_that_did_not_move():
    tokens = np.array([0, 1, 4, 3, 2, 5, 6])
    assert tolerance.Exchange(tokens, 0.2).still.tolist() == [True, False, False, False, False, True]


def test_levels_move_the_same_tokens(llama):
    """The words level is a pass over the rewritten text; the others agree with the text as long as nothing moves."""
    words = words_of(LENGTHS)
    found = exchange(words, 0.2, ANYWHERE, 4)
    plain = tolerance.likelihoods(llama, words, found, "none")
    rewritten = np.array(words.tokens)[found.tokens]
    expected = llama.run(rewritten.tolist(), predict=range(len(rewritten) - 1)).nll
    assert np.array_equal(tolerance.likelihoods(llama, words, found, "words"), expected)
    first = int(np.flatnonzero(found.tokens != np.arange(len(rewritten)))[0])
    for level in ("indices", "keys"):
        nll = tolerance.likelihoods(llama, words, found, level)
        np.testing.assert_allclose(nll[:first], plain[:first], atol=1e-5)
        assert np.abs(nll - plain).max() > 1e-3


def test_levels_agree_where_positions_are_all_that_tells_tokens_apart():
    """At the last query of a one-layer model whose exchanged tokens it sees all, order only counts through positions:
    a rewritten text and exchanged indices are the same there, and so are exchanged keys if the query stays."""
    steerer = require_conforming(lettered(num_hidden_layers=1), torch.arange(3, 27))
    words, end = words_of(LENGTHS), 1 + sum(LENGTHS)
    found = exchange(words, 0.5, ANYWHERE, 4)
    found = tolerance.Exchange(np.append(found.tokens, [end, end + 1]), found.reached)  # two tokens more that stay
    words = Words(PROSE, (*words.tokens, 7, 8), words.spans)
    last = [tolerance.likelihoods(steerer, words, found, level)[-1] for level in tolerance.LEVELS]
    np.testing.assert_allclose(last, last[0], atol=1e-5)
    assert abs(last[0] - tolerance.likelihoods(steerer, words, found, "none")[-1]) > 1e-3


def test_measure_gives_each_row_once_and_again_the_same():
    model = lettered(max_position_embeddings=128)
    found, told = [], []
    for _ in range(2):
        found.append(
            tolerance.measure(model, [PROSE], [0.1, 0.5], [0, 1], TOKENS, progress=lambda *what: told.append(what))
        )
    table = found[0]
    assert told[:2] == [("prose 0", 1, 2), ("prose 1", 2, 2)]
    assert list(table) == list(tolerance.COLUMNS)
    assert all(np.array_equal(table[name], found[1][name]) for name in table)
    rows = list(zip(*(table[name] for name in ("seed", "reading", "level", "asked")), strict=True))
    expected = {(-1, "none", "none", 0.0)}
    for seed, level in itertools.product((0, 1), tolerance.LEVELS):
        expected |= {(seed, reading, level, share) for reading in tolerance.READINGS for share in (0.1, 0.5)}
        expected |= {(seed, "shuffled", level, 1.0)}
    assert len(rows) == len(expected) == 1 + 2 * 3 * 5
    assert set(rows) == expected
    assert np.all(table["tokens"] <= TOKENS)
    assert np.all(np.isfinite(table["nll"]))
    plain = table["reading"] == "none"
    assert table["nll"][plain] == table["nll_still"][plain] == table["plain_still"][plain]
    keys = table["level"] == "keys"
    for level in ("words", "indices"):  # the same predictions are still at all levels
        assert np.array_equal(table["plain_still"][table["level"] == level], table["plain_still"][keys], equal_nan=True)
    assert table["still"][plain] == table["tokens"][plain] - 1
    assert np.all(table["reached"][~plain] > 0)


def test_windows_are_kept_under_exchanges():
    table = tolerance.measure(lettered("gemma3_text", **SLIDING, num_hidden_layers=6), [PROSE], [0.5], [0], TOKENS)
    assert len(table["nll"]) == 1 + 3 * 3


def test_no_texts_and_no_seeds_are_refused():
    with pytest.raises(InputError, match="0 texts and 1 seeds"):
        tolerance.measure(lettered(), [], [0.1], [0])


# -- the corpus ----------------------------------------------------------------------------------------------------


def test_words_are_tokenised_one_by_one_up_to_a_length():
    model = lettered()
    words = word_tokens(model, PROSE, TOKENS)
    assert words.tokens[0] == 1
    assert len(words.tokens) <= TOKENS
    assert [span[0] for span in words.spans[1:]] == [span[1] for span in words.spans[:-1]]
    assert words.spans[-1][1] == len(words.tokens)
    written = PROSE.text.split()
    for number, (start, stop) in enumerate(words.spans):
        spelt = f" {written[number]}" if number else written[number]
        assert list(words.tokens[start:stop]) == model.tokenizer(spelt, add_special_tokens=False).input_ids


def test_texts_and_tokenizers_that_do_not_do_are_refused():
    model = lettered()
    with pytest.raises(InputError, match=r"the text prose has \d+ tokens; ask for fewer than 400"):
        word_tokens(model, PROSE, 400)
    with pytest.raises(InputError, match="5 tokens hold 1 words of the text prose"):
        word_tokens(model, PROSE, 5)
    with pytest.raises(InputError, match="do not spell the text prose"):
        word_tokens(Model(model.model, Letters(spelling="something else"), model.source), PROSE, TOKENS)
    with pytest.raises(InputError, match="adds tokens after a text"):
        word_tokens(Model(model.model, Letters(end=(2,)), model.source), PROSE, TOKENS)
    with pytest.raises(InputError, match="has no tokenizer"):
        word_tokens(tiny("llama", **GROUPED), PROSE, TOKENS)


def test_a_long_text_holds_all_texts_before_it_repeats_any():
    model = lettered()
    texts = [Text(name, name * 3) for name in ("birch", "cedar", "maple")]
    parts = [tuple(model.tokenizer(f"{text.text}\n\n", add_special_tokens=False).input_ids) for text in texts]
    whole = sum(map(len, parts))
    tokens, repeats = long_text(model, texts, 5, 1 + whole)
    assert repeats == 0
    assert tokens[0] == 1
    assert tokens[1:] in {sum(order, ()) for order in itertools.permutations(parts)}
    longer, repeats = long_text(model, texts[::-1], 5, 2 + 2 * whole)
    assert (repeats, len(longer), longer[: len(tokens)]) == (2, 2 + 2 * whole, tokens)
    orders = {long_text(model, texts, seed, 1 + whole)[0] for seed in range(20)}
    assert len(orders) > 3
    with pytest.raises(InputError, match="no texts are given"):
        long_text(model, [], 0, 10)


def test_reading_a_folder(tmp_path):
    with pytest.raises(InputError, match="no texts in"):
        corpus.names(tmp_path)
    (tmp_path / "b.txt").write_text("Bread.\n", "utf-8")
    (tmp_path / "a.txt").write_text("Äpfel.", "utf-8")
    found = corpus.corpus(tmp_path)
    assert [(text.name, text.text) for text in found] == [("a", "Äpfel."), ("b", "Bread.")]
    assert found[1].sha256 == "7f1d167554e387930670618b443a5d84be1b99a92f34983418f5171de4f3563e"
    with pytest.raises(InputError, match="no text 'c'; there are a, b"):
        corpus.read("c", tmp_path)
    (tmp_path / "c.txt").write_text(" \n", "utf-8")
    with pytest.raises(InputError, match="the text c is empty"):
        corpus.read("c", tmp_path)
    (tmp_path / "c.txt").write_bytes(b"\xff\xfe\xff")
    with pytest.raises(InputError, match="cannot read the text c"):
        corpus.read("c", tmp_path)


def test_the_corpus_is_there():
    texts = corpus.corpus()
    assert len(texts) >= 20
    assert len({text.number for text in texts}) == len(texts)
