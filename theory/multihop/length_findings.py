"""Empirical claims about multihop models on sequences longer than those of their training (dyn.length)."""

from __future__ import annotations

from headproof.theory.claim import Claim
from headproof.theory.empirical import Finding
from headproof.theory.multihop.measured import (
    AFTERWARDS,
    LENGTH,
    NEEDED,
    OURS,
    PRINTED,
    SUFFICE,
    TASKS,
    UNTRAINED,
    finding,
    on_sizes,
)

GOOD, CLOSE, LEAD, FACTOR = 0.9, 0.05, 0.1, 2.0
INTERVALS = (
    "Intervals are Wilson's at 95 per cent. A hop class has 381 sequences of each length up to 100, and 93 of longer "
    "ones; the further tokens stand first, and the path never visits them."
)
RULE, SWAPPED = "the best rule that follows no path, beyond the length of training", "tasks exchanged"
REACH = (
    "The reach is the greatest length asked for up to which accuracy is at .9 or above at every length; lengths are "
    "17 (of small models 13, too), 20, 24, 32, 48, 64, 100, 150, 200, 300, 500, 850."
)

LETTER_LONG = finding(
    "letter-850",
    PRINTED,
    "The letter model is right in more than 90 per cent up to 850 tokens, the answer near the query",
    r"\text{accuracy}(n) > 0.9,\ n \le 850",
    "Lengthening the target window with tokens that the path never visits leaves the letter model's accuracy above 90 "
    "per cent up to 850 tokens, if they stand before what was there, so that the answer stays within 16 places of the "
    "query as in training.",
    "the lower end of the interval of the letter model's accuracy, all hop classes together, is above .9 at every "
    "length up to 850",
    (UNTRAINED, RULE),
    lambda n: n["least lower end up to 850, letter"] > GOOD,
    INTERVALS,
)
LETTER_FAR = finding(
    "letter-far",
    PRINTED,
    "The letter model is right in more than 90 per cent up to 850 tokens, the answer far from the query",
    r"\text{accuracy}(n) > 0.9,\ n \le 850",
    "Lengthening the target window with tokens that the path never visits leaves the letter model's accuracy above 90 "
    "per cent up to 850 tokens, if they stand between the answer and the query.",
    "the lower end of the interval of the letter model's accuracy, all hop classes together, is above .9 at every "
    "length up to 850, with the part of the target window that holds the answer at its front",
    (UNTRAINED,),
    lambda n: n["least lower end up to 850, answer far, letter"] > GOOD,
    INTERVALS,
    "The source does not say where the further tokens stand.",
    written="The criterion is that of letter-850, read of sequences that a trial on 40 of them had shown to be hard.",
)
FOLLOWS = finding(
    "letter-follows",
    OURS,
    "The letter model follows the path on long inputs, too",
    r"\text{accuracy}_{\text{recopied}}, \text{accuracy}_{\text{redirected}} \ge \text{accuracy} - 0.05",
    "More copies of the answer's pair, or a query that leads to another answer, leave the letter model's accuracy what "
    "it is.",
    "at the length of training, at 100 and at 850 tokens the letter model's accuracy is .1 or more above that of the "
    "best rule that follows no path, and on either variant it is less by .05 at most than on plain sequences of as "
    "many hops",
    (UNTRAINED,),
    lambda n: n["least lead over the best rule, letter"] >= LEAD and n["largest loss by a variant, letter"] <= CLOSE,
    INTERVALS,
    "Sequences without room for copies before the answer's place have no recopied variant. In longer windows another "
    "query never asks for more than 2 hops.",
    "A redirected query leads to the other answer of the sequence by as nearly as many moves as there are.",
)
NUMBER_SHORT = finding(
    "number-hardly",
    PRINTED,
    "The number model hardly carries beyond the length of its training",
    r"\text{accuracy}(n) < 0.9,\ n \ge 2 n_0",
    "The number model is right at the length of its training, and not at twice that length or beyond.",
    "the number model's accuracy at the length of training is at least .9, lower end of its interval included, and at "
    "every length from twice that on the upper end is below .9",
    (UNTRAINED,),
    lambda n: (
        n["lower end at the length of training, number"] >= GOOD
        and n["largest upper end from twice the length, number"] < GOOD
    ),
    INTERVALS,
    "'Hardly' has no number in the source; twice the length, and .9, are ours.",
)
FURTHER = finding(
    "letter-further",
    OURS,
    "The letter model carries further than the number model",
    r"n_{\text{letter}} > n_{\text{number}}",
    "The length up to which the letter model is right is greater than that of the number model.",
    "both have a reach, and the letter model's is greater than the number model's, of every pair of runs",
    (UNTRAINED,),
    lambda n: n["least reach, number"] > 1 and n["least reach, letter"] > n["largest reach, number"],
    REACH,
    INTERVALS,
)
THEORY = finding(
    "reach-predicted",
    OURS,
    "The reach is what the discrepancy theory of one-plane constructions gives at the trained angles",
    r"\tfrac12 \le n_{\text{theory}} / n_{\text{measured}} \le 2",
    "Taking each needed layer for a construction at its weighted mean angle and logit scale, Index in the number model "
    "and Retrieval in the letter model, the exact discrepancy theory tells the reach within a factor of two.",
    "both have a reach, and by one reading of the angle the least reach or the largest of the needed layers' "
    "constructions is within a factor of 2 of the model's, in both tasks",
    (UNTRAINED, SWAPPED),
    lambda n: (
        min(n[f"least reach of the model, {task}"] for task in TASKS) > 1
        and n["largest factor between theory and model by the best reading"] <= FACTOR
    ),
    REACH,
    NEEDED,
    "Where no layer is needed the theory's reach is set to 1. Generous to the theory: four readings of the angle, and "
    "the least or the largest reach of the needed layers. Both are cut at 850.",
)


def _reach(task: str, construction: str) -> Finding:
    return finding(
        f"{task}-reach-predicted",
        OURS,
        f"The {task} model's reach is what the discrepancy theory gives for {construction} at the trained angles",
        r"\tfrac12 \le n_{\text{theory}} / n_{\text{measured}} \le 2",
        f"Taking each layer that suffices for the {task} task for the {construction} construction at its weighted mean "
        "angle and logit scale, the exact discrepancy theory tells the reach within a factor of two.",
        f"the {task} model has a reach, some first layers suffice, and by one reading of the angle the least or the "
        "largest reach of their constructions is within a factor of 2 of the model's",
        (UNTRAINED, OTHER, GUESS),
        lambda n: n[f"least reach, {task}"] > 1 and n[f"largest factor by the best reading, {task}"] <= FACTOR,
        REACH,
        SUFFICE,
        "The theory is of one plane and of the worst input; Index has all keys one vector, Retrieval the letters at "
        "equal angles. The premise of one plane fails: the plane of the largest weight has .12 to .34 of all in the "
        "full number model's layers, .03 in the letter model's; the scale counts all planes. Best of eight readings.",
        "Where the length of training is as good a guess the criterion says nothing for the theory, and its being "
        "upheld decides against the claim.",
        written=AFTERWARDS,
    )


OTHER, GUESS = "the other construction", "the length of training for the theory's reach"
REACHES = {task: _reach(task, name) for task, name in (("number", "Index"), ("letter", "Retrieval"))}
FINDINGS: tuple[Finding, ...] = (LETTER_LONG, LETTER_FAR, FOLLOWS, NUMBER_SHORT, FURTHER, THEORY, *REACHES.values())
LENGTH_CLAIMS: tuple[Claim, ...] = on_sizes(FINDINGS, "dyn.length", LENGTH)
