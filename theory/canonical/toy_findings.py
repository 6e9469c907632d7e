"""What findings about one-layer toys (dec.toy) have in common: source, domain, when criteria were written."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from headproof.theory.claim import Fidelity, Source
from headproof.theory.empirical import Finding, Numbers

PRINTED, OURS = Fidelity.PRINTED, Fidelity.OURS
DEC = Source("DEC", "experiments on one-layer toys; reconstructed from the claims, its settings were not at hand")
LENGTHS = (16, 32)
DOMAIN = (
    "one layer, one head, attention only; 16 and 32 tokens, 12 to 16 angle sets a task, 5 seeds; failed toys again at "
    "four times the steps and two widths"
)
LOOKED = (
    "The criterion was written before a first whole sweep was read, after a look at seed 0 of a trial at 32 tokens, a "
    "seed that is among the committed ones; seven angle sets close to bounds were added later."
)
COUNTED = (
    "An angle set counts as learned if 4 of 5 seeds answer 99 % of held-out inputs in any round; the best round is "
    "chosen on the inputs that it is judged by."
)
SHARPENED = "The criterion was sharpened after the tables had been read: "
SPANS = SHARPENED + "a span is (T - 1) theta, from the first key to the last, and was T theta; no set changed sides."
SHUFFLED, DEALT, UNTRAINED = "toys with shuffled answers", "angles dealt at random", "untrained heads"


def both(rule: str) -> str:
    """The criterion of a rule that is asked for at both lengths."""
    return f"SUPPORTED if, at 16 and at 32 tokens, {rule}"


def _at(numbers: Numbers, length: int, what: str) -> float:
    return numbers[f"{what}, {length} tokens"]


def finding(
    name: str,
    fidelity: Fidelity,
    title: str,
    latex: str,
    sentence: str,
    criterion: str,
    controls: tuple[str, ...],
    supported: Callable[[Callable[[str], float]], bool],
    *remarks: str,
    written: str = LOOKED,
) -> Finding:
    """A finding that is asked for at both lengths: `supported` gets a function from names to numbers at one of them."""

    def rule(numbers: Numbers) -> bool:
        return all(bool(supported(partial(_at, numbers, length))) for length in LENGTHS)

    return Finding(
        name, fidelity, title, latex, sentence, DOMAIN, criterion, controls, rule, (written, COUNTED, *remarks)
    )
