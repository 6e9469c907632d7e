"""Empirical claims about what one-layer toys (dec.toy) do: shapes by the answer's place, keys, queries, codes."""

from __future__ import annotations

from headproof.theory.canonical.toy_findings import OURS, PRINTED, SHARPENED, UNTRAINED, both, finding

ASKED = (
    "there are sets with 0 < T theta < 2 pi whose first round answers less than 99 % and 0.05 more than the angle 0 "
    "(Retrieval: than untrained toys), and each has "
)
TESTED = "by one-sided t tests over seeds of both, Holm-corrected over the sets, 5 %"
ON_PLACES_AND_HEADS = (
    finding(
        "index-u",
        PRINTED,
        "With too low a frequency, Index accuracy is U-shaped in the answer's place",
        r"\text{accuracy}(j) \text{ falls, then rises}",
        "Toys whose angle is above 0, spans less than a full turn and fails on Index, while it learns something, "
        "answer best at both ends.",
        both(ASKED + "a U: first and last quarter above the middle half, " + TESTED),
        (UNTRAINED, "places dealt at random"),
        lambda n: n("sets asked") > 0 and n("U") == n("sets asked"),
        SHARPENED + "it reads the first round, corrects over the sets for the asked shape alone, and leaves out sets "
        "that answer no better than the angle 0. Before, it read the longest training and asked those, too.",
        "In every toy of 1/30 the first and the last place alone stand out after the first round: a query can be "
        "turned past the end of the "
        "context, and its logit is then largest at the end.",
    ),
    finding(
        "retrieval-inverted-u",
        PRINTED,
        "With a frequency not low enough, Retrieval accuracy is an inverted U in the answer's place",
        r"\text{accuracy}(j) \text{ rises, then falls}",
        "Toys whose angle is above 0, spans less than a full turn and fails on Retrieval, while it learns something, "
        "answer best in the middle.",
        both(ASKED + "an inverted U: both quarters below the middle half, " + TESTED),
        (UNTRAINED, "places dealt at random"),
        lambda n: n("sets asked") > 0 and n("inverted U") == n("sets asked"),
        SHARPENED
        + "as index-u. At 16 tokens 9/40 and 3/10 are inverted U's; at 32 tokens 11/100, 3/25 and 3/20 are, while "
        "1/10, which is learned later, and 1/5 are asked and are not.",
    ),
    finding(
        "index-keys",
        PRINTED,
        "In trained Index heads the keys gather in one direction",
        r"|\overline{k / |k|}| \ge 0.9",
        "The mean of the key directions of a toy that has learned Index is at least 0.9 long.",
        both("the lower end of the 95 % t-interval over seeds of the median over learned toys is at least 0.9"),
        (UNTRAINED,),
        lambda n: n("median, 2.5 %") >= 0.9,
        "All planes turn by one angle: a direction is one of the whole head, up to the rotations that logits do not "
        "see.",
    ),
    finding(
        "index-queries",
        PRINTED,
        "In trained Index heads the query's angle encodes the place",
        r"|\overline{e^{i(\arg z_j - \theta j)}}| \ge 0.95",
        "The query's angle against the mean key follows theta j, the line of H_POS, nothing fitted.",
        both("the lower end of the 95 % t-interval over seeds of the median over learned toys is at least 0.95"),
        (UNTRAINED,),
        lambda n: n("median, 2.5 %") >= 0.95,
        "Asked is the slope theta; the print says 'encodes'. Low angles that are learned turn their queries further "
        "than theta j, most of all at the ends; a query that did not turn at all would have the value constant there. "
        "The median is over all toys, its interval over the seeds' medians.",
    ),
    finding(
        "retrieval-code",
        OURS,
        "In trained Retrieval heads keys carry the symbol and each symbol matches its own",
        r"\mathrm{Var}_{\text{symbol}}(k) / \mathrm{Var}(k) \ge 0.9",
        "Nine tenths of the keys' variance are between symbols, and every symbol's own keys lead its match logits.",
        both(
            "the lower end of the 95 % t-interval over seeds of the median share is at least 0.9, and in the median "
            "toy every symbol leads"
        ),
        (UNTRAINED,),
        lambda n: n("median, 2.5 %") >= 0.9 and n("median share of symbols that lead") == 1,
    ),
)
