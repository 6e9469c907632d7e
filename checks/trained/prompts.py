"""Fixed short texts on which heads are measured, of several kinds, in words of our own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from headproof.checks.trained.models import Model
from headproof.theory.errors import InputError

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True)
class Prompt:
    """A text and the name by which the ledger and the command line know it."""

    name: str
    text: str


PROMPTS = (
    Prompt(
        "story",
        "Every morning before sunrise Marta rowed her small blue boat across the bay to collect the "
        "mail. One day the fog was so thick that she could not see the end of her own oars. She "
        "stopped, listened, and heard a bell ringing somewhere to the left. It was the old bell on "
        "the school, which nobody had rung for years. She turned the boat towards the sound, and "
        "when the shore came into view, a boy was standing",
    ),
    Prompt(
        "binding",
        "Alice likes red. Bruno likes green. Clara likes yellow. David likes blue. Emma likes white. "
        "Felix likes black. Grace likes orange. Henry likes purple. Irene likes brown. Jonas likes "
        "pink. Karla likes grey. Louis likes gold. Question: what color does Felix like? Answer: "
        "Felix likes",
    ),
    Prompt(
        "list",
        "Things to pack for the walk in the mountains:\n1. two bottles of water\n"
        "2. a map and a compass\n3. warm socks and a woollen hat\n"
        "4. bread, cheese and four apples\n5. a torch with new batteries\n6. a small knife\n"
        "7. plasters and a bandage\n8. a whistle\n9. matches in a dry box\n10.",
    ),
    Prompt(
        "code",
        "def count_words(lines):\n    totals = {}\n    for line in lines:\n"
        "        for word in line.split():\n            key = word.lower().strip('.,!?')\n"
        "            if key not in totals:\n                totals[key] = 0\n"
        "            totals[key] += 1\n    return totals\n\n\ndef most_common(lines):\n"
        "    totals = count_words(lines)\n    return max(totals, key=",
    ),
    Prompt(
        "explanation",
        "Bread rises because yeast eats the sugar in the dough and gives off a gas. The gas cannot "
        "escape, since the flour and the water have formed a stretchy net, so it collects in "
        "thousands of bubbles and the dough swells. In the oven the bubbles grow once more before "
        "the heat kills the yeast and hardens the net. If the dough is left too long, however, the "
        "net tears, the gas escapes, and the bread",
    ),
    Prompt(
        "dialogue",
        '"Did you lock the back door?" asked Ruth.\n'
        '"I thought you had locked it," said Owen.\n'
        '"I never touched it. I was looking for the cat."\n'
        '"Then who turned off the lamp in the kitchen?"\n'
        'Ruth put down her cup. "Which lamp?"\n'
        '"The one by the window. It was burning when we came in, and now it is dark."\n'
        'Neither of them moved. Then Owen whispered, "I think we should',
    ),
)


def prompt(name: str) -> Prompt:
    """The fixed prompt of a name. Raises InputError naming those there are.

    >>> prompt("binding").text[:16]
    'Alice likes red.'
    """
    for one in PROMPTS:
        if one.name == name:
            return one
    raise InputError(f"no prompt {name!r}", f"there are {', '.join(one.name for one in PROMPTS)}")


def tokenize(model: Model, text: Prompt | str) -> torch.Tensor:
    """The token ids of a text, shape `(T,)`, with the special tokens that the tokenizer adds.

    Raises InputError for a model without a tokenizer and for a text of fewer than two tokens.
    """
    import torch

    written = text.text if isinstance(text, Prompt) else text
    if model.tokenizer is None:
        raise InputError(f"{model.source.name} has no tokenizer", "give it token ids")
    try:
        ids: Any = torch.tensor(model.tokenizer(written).input_ids, dtype=torch.int64)
    except Exception as error:  # tokenizers raises errors that are nothing more special
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise InputError(f"the tokenizer of {model.source.name} fails on {written!r:.40}: {reason}") from error
    if len(ids) < 2:
        raise InputError(f"the text {written!r} has {len(ids)} tokens", "give at least two")
    tokens: torch.Tensor = ids
    return tokens
