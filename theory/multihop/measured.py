"""What findings about trained multihop models (dyn.learning, dyn.length) have in common: sizes, words, when written."""

from __future__ import annotations

from collections.abc import Callable

from headproof.theory.claim import Claim, Fidelity, Source
from headproof.theory.empirical import Finding, claim_of

PRINTED, OURS = Fidelity.PRINTED, Fidelity.OURS
LEARNING = Source("DYN", "the 12-layer model while it learns; reconstructed, data and code were not at hand")
LENGTH = Source("DYN", "accuracy on longer target windows; reconstructed, data and code were not at hand")
TASKS = ("number", "letter")
# By size: what the models are, in words. The source's model is the full one.
SIZES = {
    "full": "the full models: 12 layers of one head, 128 wide, 17 tokens, up to 4 hops; one run of each task, letter "
    "6,000 steps and number 9,000",
    "small": "small models: 6 layers of one head, 64 wide, 13 tokens, up to 3 hops; 3 seeds of each task, 1,500 steps",
}
MARGIN, WIDE, SOLVED = 0.1, 1.5, 0.9
LOOKED = (
    "The criterion was written before the tables were made, after a look at small models of 1,000 steps, whose letter "
    "sequences had shortcuts that these do not have, and at the training log of the letter run: at step 1,500 accuracy "
    "by hops was 1.00, .97, .85, .72. Before there were tables it was made stricter where made-up tables of models "
    "that had learned nothing met it, and controls that no table could uphold were dropped."
)
PURE = (
    "Pure at a margin gamma: one mean score at least 1 - gamma and the other below it (dec.scores), at the last query, "
    "over 100 held-out sequences, blocks of one token, all pairs, tau = 1e-4. The peak is the first checkpoint whose "
    "accuracy is within .01 of the largest."
)
NEEDED = (
    "A layer is needed if accuracy falls by .1 or more where its attention output is replaced by its mean at every "
    "place, after the last step. Where layers stand in for each other no layer is needed alone, and this reading says "
    "nothing of heads; see the claims about the layers that suffice."
)
CLASSES = (
    "A hop class is learned from the first checkpoint on from which its accuracy stays at .9 or above, on about 250 "
    "held-out sequences (330 of small models). Checkpoints were added after a first measurement, in whose grid the "
    "number model's classes of 2, 3 and 4 hops came within one interval: every 50 steps from 400 to 2,000, of small "
    "models every 25 from 150 to 900. The same weights came out at the steps that both have."
)
SUFFICE = (
    "The layers that suffice are the first ones, as few as leave every hop class at .9 where the attention of all "
    "others is replaced by its mean at every place. Layers stand in for each other: where one lacks, others often do "
    "its work, so that few or none are needed alone."
)
AFTERWARDS = (
    "The criterion was written after the tables had been read, in which few layers turned out to be needed alone, and "
    "the letter model's not at all; it asks what those that were written before asked, of the layers that suffice."
)
UNTRAINED = "before training"


def finding(
    name: str,
    fidelity: Fidelity,
    title: str,
    latex: str,
    sentence: str,
    criterion: str,
    controls: tuple[str, ...],
    supported: Callable[[dict[str, float]], bool],
    *remarks: str,
    written: str = LOOKED,
) -> Finding:
    """A finding that each run of a size must show; its domain is the size's."""
    rule = f"SUPPORTED if, in every run, {criterion}"
    return Finding(
        name, fidelity, title, latex, sentence, "", rule, controls, lambda n: supported(dict(n)), (written, *remarks)
    )


def on_sizes(
    findings: tuple[Finding, ...], prefix: str, source: Source, sizes: tuple[str, ...] = tuple(SIZES)
) -> tuple[Claim, ...]:
    """The claims of all findings, size by size; ids are `prefix.name.size`."""
    return tuple(
        claim_of(
            each, f"{prefix}.{each.name}.{size}", source, each.fidelity, f"{each.title}: {size} models", SIZES[size]
        )
        for size in sizes
        for each in findings
    )
