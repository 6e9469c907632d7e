"""Prompts whose tokens fall into equal contiguous blocks: facts to bind, copies to induce, and texts cut evenly.

What the scores of a head swap are blocks (dec.scores), so each prompt says which token positions they take. All blocks
of a prompt are of one length in the model's own tokens, measured in the prompt as a whole; nothing is padded.
"""

from __future__ import annotations

import re
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from headproof.checks.trained.models import Model
from headproof.theory.errors import InputError
from headproof.theory.inputs import require_integer, require_sequence, short
from headproof.theory.scores.blocks import Blocks

TASKS = ("binding", "induction", "text", "prompt")
ASKED = ("first", "middle", "last")
EVERY = "every"
DEFAULT_BLOCKS = 48  # of a text, about
LARGEST_FILE = 1 << 22  # bytes; more tokens than a model takes in any case
# How tokenizers write bytes, unused tokens and commands, such as <0x0A>, <unused7> and [PAD].
MARK = re.compile(r"<.+>|\[.+\]")

Ids = tuple[int, ...]
Asked = str | int | Sequence[str | int]


@dataclass(frozen=True)
class BlockPrompt:
    """A prompt whose last token is the query, and the blocks of equal length among the tokens before it.

    `tokens` begin with the special tokens that the tokenizer puts first (a closing one is left off, for nothing
    follows it). `target` is the number of the block that holds the answer, `answer` the id of the right next token;
    both None if the task has none. Position 0, the attention sink, is in a block only if that was asked for. Raises
    InputError for an unknown task, fewer than two blocks, a block that reaches the query, or a target that is none.
    """

    name: str
    task: str
    seed: int | None
    tokens: Ids
    blocks: Blocks
    target: int | None
    answer: int | None
    text: str

    def __post_init__(self) -> None:
        if self.task not in TASKS:
            raise InputError(f"unknown task {short(self.task)}", f"there are {', '.join(TASKS)}")
        if self.blocks.count < 2:
            raise InputError(f"{self.name} has {self.blocks.count} blocks", "a swap takes two")
        if self.blocks.stop >= len(self.tokens):
            raise InputError(f"a block of {self.name} ends at {self.blocks.stop}, its query is at {self.query}")
        if self.target is not None and not 0 <= self.target < self.blocks.count:
            raise InputError(f"{self.name} has no block {self.target}", f"it has blocks 0 to {self.blocks.count - 1}")

    @property
    def query(self) -> int:
        """Position of the query, the last token."""
        return len(self.tokens) - 1


def induction_prompts(
    model: Model, length: int = 64, asked: Asked = ASKED, seed: int = 0, with_sink: bool = False
) -> tuple[BlockPrompt, ...]:
    """`length` distinct random tokens and their repeat, up to and with the token asked, a prompt for each.

    Before the first copy stand the special tokens that the tokenizer puts first, or one more random token; `with_sink`
    makes blocks of them too. The other blocks are the single tokens of the first copy. `asked` is as for
    `binding_prompts` and counts the tokens that have a successor, from 0 to `length - 2`; the target is the successor
    in the first copy. Tokens are ordinary: no special tokens, no bytes, nothing that prints as nothing; for a model
    without a tokenizer all ids but those that its config sets apart. Raises InputError for a length below 2 or above
    what vocabulary and positions allow, and a token that is not there.
    """
    count = require_integer(length, "the length of an induction prompt", 2)
    chance = np.random.default_rng(start := require_seed(seed))
    vocabulary = int(model.model.get_input_embeddings().weight.shape[0])
    drawn: list[int] = []
    for token in _ordinary(model, chance.permutation(vocabulary).tolist()):
        drawn.append(token)
        if len(drawn) > count:
            break
    if len(drawn) <= count:
        raise InputError(
            f"length {short(count)} takes {short(count + 1)} ordinary tokens and {model.source.name} has {len(drawn)}",
            "ask for a shorter one",
        )
    prefix = opened(model, decoded(model, drawn[:1]))[0] if model.tokenizer is not None else ()
    copy, sink = tuple(drawn[:count]), prefix or tuple(drawn[count:])
    first = len(sink)
    blocks = Blocks.tiling(0 if with_sink else first, first + count, 1)
    prompts = []
    for label, number in asked_numbers(asked, count - 1, "token with a successor"):
        tokens = sink + copy + copy[: number + 1]
        require_room(model, len(tokens), f"an induction prompt of length {count}", "ask for a shorter one")
        name = f"induction-{count}-{label}-s{start}{'-sink' if with_sink else ''}"
        target, answer = number + 1 + first * with_sink, copy[number + 1]
        prompts.append(BlockPrompt(name, "induction", start, tokens, blocks, target, answer, decoded(model, tokens)))
    return tuple(prompts)


def text_prompt(
    model: Model,
    text: str,
    blocks: int | None = None,
    block_length: int | None = None,
    task: str = "text",
    name: str | None = None,
    with_sink: bool = False,
) -> BlockPrompt:
    """A text as blocks of `block_length` tokens; its last token is the query, what it is about is not asked.

    Blocks begin after the special tokens that the tokenizer puts first, at position 1 or later (`with_sink`: at 0);
    tokens that are left over stand between the last block and the query. Without `blocks` there are as many as fit,
    without `block_length` they are as long as can be, and without both there are about 48. `name` is the task's if not
    given. Raises InputError for a text too short (it says how many tokens it has and needs) or longer than the model's
    positions, counts that are not positive, and a model without a tokenizer.
    """
    if task not in ("text", "prompt"):
        raise InputError(f"a text is no prompt of the task {short(task)}", "give text or prompt")
    wide = None if block_length is None else require_integer(block_length, "the length of a block", 1)
    many = None if blocks is None else require_integer(blocks, "the number of blocks", 2)
    prefix, bare = opened(model, text)
    tokens = prefix + bare
    has = f"the text {text!r:.40} has {len(tokens)} token{'' if len(tokens) == 1 else 's'}"
    fits = len(decoded(model, bare[: max(0, (positions(model) or 0) - len(prefix))]))
    require_room(model, len(tokens), f"the text {text!r:.40}", f"cut it to its first {fits} characters or fewer")
    first = 0 if with_sink else max(1, len(prefix))
    room = len(tokens) - 1 - first
    length = wide if wide is not None else max(1, room // (many or DEFAULT_BLOCKS))
    number = many if many is not None else max(2, room // length)
    if number * length > room:
        raise InputError(
            f"{has}, and {short(number)} blocks of {short(length)} take "
            f"{short(number * length + 1 + first)}, counting the query and what stands before the blocks",
            "give a longer text, or fewer or shorter blocks",
        )
    tiles = Blocks.tiling(first, first + number * length, length)
    return BlockPrompt(name or task, task, None, tokens, tiles, None, None, decoded(model, tokens))


def text_file(path: str | Path) -> str:
    """The text of a UTF-8 file without the line breaks at its end, which editors put there.

    Raises InputError for what is no file that can be read, is larger than 4 MiB, empty, binary, or not UTF-8.
    """
    try:
        about = Path(path).stat()
        if stat.S_ISDIR(about.st_mode):
            raise InputError(f"{path} is a folder", "name a text file")
        if not stat.S_ISREG(about.st_mode):
            raise InputError(f"{path} is no regular file", "name a text file")
        if about.st_size > LARGEST_FILE:
            raise InputError(f"{path} has {about.st_size} bytes, more than {LARGEST_FILE}", "give a part of it")
        data = Path(path).read_bytes()
    except FileNotFoundError as error:
        raise InputError(f"no file {path}", "name a text file") from error
    except (OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"cannot read {str(path)!r}: {getattr(error, 'strerror', None) or error}") from error
    if b"\0" in data:
        raise InputError(f"{path} is binary: byte {data.index(0)} is 0", "name a text file")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 at byte {error.start}", "save it as UTF-8") from error
    if not text.strip():
        raise InputError(f"{path} is empty", "name a file with text")
    return text.rstrip("\r\n")


# -- what is asked -------------------------------------------------------------------------------------------------


def asked_numbers(asked: Asked, count: int, what: str) -> list[tuple[str, int]]:
    """(label, number) of all that are asked, in the order given, each once. A number's label is always the same."""
    places = dict(zip(ASKED, (0, (count - 1) // 2, count - 1), strict=True))
    found: dict[int, str] = {}
    for one in [asked] if isinstance(asked, str | int) else require_sequence(asked, "what is asked"):
        if isinstance(one, str) and not (one.isascii() and one.isdecimal()):
            if one not in (*places, EVERY):
                raise InputError(f"no {what} {short(one)}", f"ask for {', '.join(places)}, {EVERY} or a number")
            numbers = range(count) if one == EVERY else (places[one],)
        else:
            number = require_integer(int(one) if isinstance(one, str) else one, f"the number of a {what}")
            if not 0 <= number < count:
                raise InputError(f"there is no {what} {short(number)}", f"they are 0 to {count - 1}")
            numbers = (number,)
        for number in numbers:
            found[number] = next((label for label, place in places.items() if place == number), str(number))
    if not found:
        raise InputError(f"no {what} is asked", f"ask for {', '.join(places)}, {EVERY} or a number")
    return [(label, number) for number, label in found.items()]


def require_seed(seed: int) -> int:
    """A seed from 0 to 2^63 - 1. Raises InputError for anything else."""
    value = require_integer(seed, "a seed", 0)
    if value >= 1 << 63:
        raise InputError(f"a seed is below 2^63, got {short(seed)}")
    return value


# -- the tokenizer -------------------------------------------------------------------------------------------------


def encode(model: Model, texts: Sequence[str], special: bool = False) -> list[Ids]:
    """The token ids of each text, without or with the special tokens that the tokenizer adds.

    Raises InputError for a model without a tokenizer and for what its tokenizer fails on.
    """
    if model.tokenizer is None:
        raise InputError(f"{model.source.name} has no tokenizer", "choose the task induction")
    try:
        rows = model.tokenizer(list(texts), add_special_tokens=special, verbose=False).input_ids
        return [tuple(int(one) for one in row) for row in rows]
    except Exception as error:  # tokenizers raises errors that are nothing more special
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise InputError(f"the tokenizer of {model.source.name} fails on {texts[0]!r:.40}: {reason}") from error


def opened(model: Model, text: str) -> tuple[Ids, Ids]:
    """(special tokens that the tokenizer puts before a text, the text's own tokens). Raises InputError as `encode`."""
    (whole,), (bare,) = encode(model, [text], special=True), encode(model, [text])
    for start in range(len(whole) - len(bare) + 1):
        if whole[start : start + len(bare)] == bare:
            return whole[:start], bare
    raise InputError(f"the tokenizer of {model.source.name} writes {text!r:.40} otherwise with its special tokens")


def decoded(model: Model, tokens: Sequence[int]) -> str:
    """The text of tokens, special ones written out; for a model without a tokenizer the ids."""
    if model.tokenizer is None:
        return " ".join(map(str, tokens))
    return str(model.tokenizer.decode(list(tokens), skip_special_tokens=False, clean_up_tokenization_spaces=False))


def positions(model: Model) -> int | None:
    """The most tokens that a model takes by its config, if it says."""
    most = getattr(model.config, "max_position_embeddings", None)
    return most if isinstance(most, int) and most > 0 else None


def require_room(model: Model, count: int, what: str, remedy: str) -> None:
    """Raises InputError if `count` tokens are more than the model has positions for."""
    most = positions(model)
    if most is not None and count > most:
        raise InputError(f"{what} makes {count} tokens and {model.source.name} takes {most}", remedy)


def _ordinary(model: Model, ids: Iterable[int]) -> Iterator[int]:
    """Those of some ids that stand for ordinary text."""
    if model.tokenizer is None:
        config = model.config.to_dict()
        given = [value for key, value in config.items() if key.endswith("_token_id") and value is not None]
        apart = {int(one) for value in given for one in (value if isinstance(value, list) else [value])}
    else:
        apart = {*model.tokenizer.all_special_ids, *model.tokenizer.added_tokens_decoder}
    for token in ids:
        if token not in apart and (model.tokenizer is None or _prints(model.tokenizer, token)):
            yield token


def _prints(tokenizer: Any, token: int) -> bool:
    """Whether a token is a piece of text that prints: neither half a character, nor a mark, nor blank."""
    if token >= len(tokenizer):  # rows of the embedding that stand for nothing
        return False
    written, text = tokenizer.convert_ids_to_tokens(token), tokenizer.decode([token]).strip()
    return bool(written and text) and text.isprintable() and "\ufffd" not in text and not MARK.fullmatch(written)
