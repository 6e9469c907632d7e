"""Empirical claims about one-layer toys (dec.toy), by criterion.

All criteria but one were written before a first whole sweep was read, after a look at seed 0 of a trial sweep at 32
tokens, in which learning rate, initial size and number of steps were chosen so that NoPE learns Retrieval. Those that
were sharpened afterwards say so. The committed sweep has six angle sets more, close to bounds that claims name.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from headproof.theory.claim import Claim, Fidelity, Kind, Source
from headproof.theory.empirical import Finding, Numbers

DEC = Source("DEC", "experiments on one-layer toys; reconstructed from the claims, its settings were not at hand")
LENGTHS = (16, 32)
DOMAIN = (
    "one layer, one head, attention only; 16 and 32 tokens, 12 to 16 angle sets a task, 5 seeds; failed toys again at "
    "four times the steps and two widths"
)
LOOKED = (
    "The criterion was written before a first whole sweep was read, after a look at seed 0 of a trial at 32 tokens, a "
    "seed that is among the committed ones; six angle sets close to bounds were added later. An angle set "
    "counts as learned if 4 of 5 seeds answer 99 % of held-out inputs in any round; the best round is chosen on the "
    "inputs that it is judged by."
)
SHARPENED = "The criterion was sharpened after the tables had been read: "
SPANS = SHARPENED + "a span is (T - 1) theta, from the first key to the last, and was T theta; no set changed sides."
SHUFFLED, DEALT, UNTRAINED = "toys with shuffled answers", "angles dealt at random", "untrained heads"


def _both(rule: str) -> str:
    return f"SUPPORTED if, at 16 and at 32 tokens, {rule}"


def _at(numbers: Numbers, length: int, what: str) -> float:
    return numbers[f"{what}, {length} tokens"]


def _finding(
    name: str,
    fidelity: Fidelity,
    title: str,
    latex: str,
    sentence: str,
    criterion: str,
    controls: tuple[str, ...],
    supported: Callable[[Callable[[str], float]], bool],
    *remarks: str,
) -> Finding:
    def rule(numbers: Numbers) -> bool:
        return all(bool(supported(partial(_at, numbers, length))) for length in LENGTHS)

    return Finding(name, fidelity, title, latex, sentence, DOMAIN, criterion, controls, rule, (LOOKED, *remarks))


ASKED = (
    "there are sets with 0 < T theta < 2 pi whose first round answers less than 99 % and 0.05 more than the angle 0 "
    "(Retrieval: than untrained toys), and each has "
)
TESTED = "by one-sided t tests over seeds of both, Holm-corrected over the sets, 5 %"


def _in_order(n: Callable[[str], float]) -> bool:
    return n("learned sets") > 0 and n("failed sets") > 0 and n("misordered pairs") == 0


PRINTED, OURS = Fidelity.PRINTED, Fidelity.OURS
FINDINGS = (
    _finding(
        "index-frequency",
        PRINTED,
        "Index is learned with large frequencies alone",
        r"\text{learned}(\theta) \iff \theta > \theta^*",
        "With a single allowed angle, Index is learned exactly at the angles above some threshold.",
        _both("some set is learned, some is not, and no learned angle is as low as a failed one"),
        (SHUFFLED, DEALT),
        _in_order,
        "High angles that repeat within the context, exactly or nearly, are part of the grid: among angles up to 1, "
        "which are all that a base gives, no pair is out of order. Read as an equivalence; the print says 'only'.",
    ),
    _finding(
        "index-repeats",
        OURS,
        "How nearly an angle repeats tells where Index is learned, better than the angle, where it can be",
        r"\min_{t < T} |t\theta - 2\pi\mathbb{Z}|",
        "The least distance of t theta to whole turns, over distances t between keys, separates toys that learn Index "
        "from those that do not better than theta does, among the angles at which some head computes Index.",
        _both(
            "the area under the curve of the repeat distance is at least 0.9, and the 95 % bootstrap interval over "
            "seeds of its lead over the angle's area lies above 0"
        ),
        (DEALT,),
        lambda n: n("AUC repeat") >= 0.9 and n("AUC lead, 2.5 %") > 0,
        SHARPENED
        + "it asks only angles that do not repeat exactly, since the others cannot be learned by theorem. With "
        "them (all sets) the repeat distance tells better; they alone make it so.",
        "The bootstrap is over seeds; the angle sets of the grid are few, and are not resampled.",
    ),
    _finding(
        "index-low-fails",
        PRINTED,
        "A low frequency fails on Index",
        r"0 < (T-1)\theta < \pi \implies \text{not learned}",
        "No toy whose keys span less than half a turn learns Index.",
        _both("there are such sets, and none is learned"),
        ("the angle 1 as a low one",),
        lambda n: n("low sets") > 0 and n("learned low sets") == 0,
        "Theory has a head for every angle that does not repeat exactly (dec.thm3.angles): 'must fail' is about "
        "training, and about how long. The source names no bound for 'low': half a turn is ours; the lowest two angles "
        "above 0 of the grid do fail.",
        SPANS,
    ),
    _finding(
        "index-ceiling",
        OURS,
        "Where angles repeat exactly, no toy beats the ceiling of dec.toy.index.ceiling",
        r"\text{accuracy} \le \frac{1}{T} \sum_c \mathbb{E} \max_c",
        "At angles of which a multiple is a whole number of turns within the context, no toy of any round answers more "
        "than theory allows any head.",
        _both("no cell exceeds its ceiling by more than four binomial standard errors of the held-out inputs"),
        ("learned toys under the ceiling of pi",),
        lambda n: n("largest excess, standard errors") <= 4,
    ),
    _finding(
        "index-ceiling-reached",
        OURS,
        "Training finds the best that repeating angles allow",
        r"\text{accuracy} \ge \text{ceiling} - 0.02",
        "At repeating angles toys come within 0.02 of the best accuracy that any head over these angles has.",
        _both("the mean over seeds of each such set's best accuracy falls short of the ceiling by 0.02 at most"),
        (UNTRAINED, SHUFFLED),
        lambda n: n("largest shortfall") <= 0.02,
    ),
    _finding(
        "retrieval-frequency",
        PRINTED,
        "Retrieval is learned with low frequencies alone",
        r"\text{learned}(\theta) \iff \theta < \theta^*",
        "With a single allowed angle, Retrieval is learned exactly at the angles below some threshold.",
        _both("some set is learned, some is not, and no learned angle is as high as a failed one"),
        (SHUFFLED, DEALT),
        _in_order,
    ),
    _finding(
        "retrieval-high-fails",
        PRINTED,
        "A high frequency fails on Retrieval",
        r"(T-1)\theta \ge 2\pi \implies \text{not learned}",
        "No toy whose keys span a full turn or more learns Retrieval.",
        _both("there are such sets, and none is learned"),
        ("the angle 0 as a high one",),
        lambda n: n("high sets") > 0 and n("learned high sets") == 0,
        SPANS,
    ),
    _finding(
        "retrieval-half-turn",
        OURS,
        "Retrieval is learned exactly where the keys stand within half a turn",
        r"\text{learned} \iff (T-1)\theta < \pi",
        "A match at one place and a wrong key at another can be told apart by one angle where all places lie within "
        "half a turn; there, and only there, Retrieval is learned.",
        _both("every set with (T - 1) theta below pi is learned, no other is, and there are both"),
        (SHUFFLED, DEALT, "half the bound", "twice the bound"),
        lambda n: n("within") > 0 and n("beyond") > 0 and n("failed within") == 0 and n("learned beyond") == 0,
        "Half a turn is where logits of matches can all be positive: a sinusoid of that angle has one sign within it.",
        "No head over one angle that copies pairs is right beyond, whatever its number of planes, and one is within "
        "(dec.toy.retrieval.within).",
        "The grid resolves the bound to between 0.89 and 1.01 half turns at 16 tokens, 0.95 and 1.06 at 32.",
    ),
    _finding(
        "induction-two-angles",
        PRINTED,
        "Partial induction needs two frequencies",
        r"\text{learned} \implies |\Theta| \ge 2",
        "Partial induction is learned with the angles 0 and theta_2, and with no single angle.",
        _both("some pair of angles is learned and no single angle is"),
        (SHUFFLED,),
        lambda n: n("learned pairs") > 0 and n("learned single angles") == 0,
        "Nor does theory need two: one angle above 0 will do wherever (T - 1) theta < pi (dec.toy.induction.exact).",
    ),
    _finding(
        "induction-threshold",
        OURS,
        "Beside 0, partial induction is learned exactly below the threshold of dec.thm6",
        r"\text{learned} \iff \theta_2 < 2\pi / (2T - 1)",
        "With the angles 0 and theta_2, toys learn partial induction exactly where the logit of the second plane falls "
        "over all distances.",
        _both("every pair with theta_2 below 2 pi / (2T - 1) is learned, no other is, and there are both"),
        (SHUFFLED, "half the bound", "twice the bound"),
        lambda n: n("below") > 0 and n("above") > 0 and n("failed below") == 0 and n("learned above") == 0,
        "The grid resolves the bound to between 0.92 and 1.04 of 2 pi / (2T - 1) at 16 tokens, 0.97 and 1.07 at 32. "
        "The threshold is that of a second plane whose logit is cos(t theta); with a phase it falls further. Learned "
        "above it are 0&9/40 at 16 tokens, and 0&11/100 at 32, which a first sweep did not have.",
    ),
    _finding(
        "induction-beside",
        OURS,
        "Beside 0, partial induction is learned exactly where heads that copy compute it",
        r"\text{learned} \iff (T - 2)\theta_2 < \pi",
        "With the angles 0 and theta_2, toys learn partial induction exactly where some head that copies pairs is "
        "right on every input (dec.toy.induction.beside).",
        _both("every pair with (T - 2) theta_2 below pi is learned, no other is, and there are both"),
        (SHUFFLED, "half the bound", "twice the bound"),
        lambda n: n("inside") > 0 and n("outside") > 0 and n("failed inside") == 0 and n("learned outside") == 0,
        "This criterion was written after the first whole sweep had been read, and before toys of 0&11/100 and 0&9/40 "
        "had been looked at; of all pairs 0&9/40 at 16 tokens alone tells it from dec.toy.induction-threshold.",
        "The grid resolves the bound to between 0.93 and 2.07 of pi / (T - 2) at 16 tokens, 0.92 and 1.02 at 32. There "
        "0&11/100, beyond it by 0.02, answers 0.991 to 0.996 of the inputs and counts as learned: not all are right.",
    ),
    _finding(
        "found",
        OURS,
        "Where theory has a construction, training finds one",
        r"\text{feasible} \implies \text{learned}",
        "Every angle set for which a head that computes the task is known is learned.",
        _both("every set that theory calls feasible is learned"),
        (SHUFFLED,),
        lambda n: n("feasible sets") > 0 and n("feasible sets not learned") == 0,
    ),
    _finding(
        "index-u",
        PRINTED,
        "With too low a frequency, Index accuracy is U-shaped in the answer's place",
        r"\text{accuracy}(j) \text{ falls, then rises}",
        "Toys whose angle is above 0, spans less than a full turn and fails on Index, while it learns something, "
        "answer best at both ends.",
        _both(ASKED + "a U: first and last quarter above the middle half, " + TESTED),
        (UNTRAINED, "places dealt at random"),
        lambda n: n("sets asked") > 0 and n("U") == n("sets asked"),
        SHARPENED + "it reads the first round, corrects over the sets for the asked shape alone, and leaves out sets "
        "that answer no better than the angle 0. Before, it read the longest training and asked those, too.",
        "In every toy of 1/30 the first and the last place alone stand out: a query can be turned past the end of the "
        "context, and its logit is then largest at the end.",
    ),
    _finding(
        "retrieval-inverted-u",
        PRINTED,
        "With a frequency not low enough, Retrieval accuracy is an inverted U in the answer's place",
        r"\text{accuracy}(j) \text{ rises, then falls}",
        "Toys whose angle is above 0, spans less than a full turn and fails on Retrieval, while it learns something, "
        "answer best in the middle.",
        _both(ASKED + "an inverted U: both quarters below the middle half, " + TESTED),
        (UNTRAINED, "places dealt at random"),
        lambda n: n("sets asked") > 0 and n("inverted U") == n("sets asked"),
        SHARPENED
        + "as index-u. At 16 tokens 9/40 and 3/10 are inverted U's; at 32 tokens 11/100, 3/25 and 3/20 are, while "
        "1/10, which is learned later, and 1/5 are asked and are not.",
    ),
    _finding(
        "index-keys",
        PRINTED,
        "In trained Index heads the keys gather in one direction",
        r"|\overline{k / |k|}| \ge 0.9",
        "The mean of the key directions of a toy that has learned Index is at least 0.9 long.",
        _both("the lower end of the 95 % t-interval over seeds of the median over learned toys is at least 0.9"),
        (UNTRAINED,),
        lambda n: n("median, 2.5 %") >= 0.9,
        "All planes turn by one angle: a direction is one of the whole head, up to the rotations that logits do not "
        "see.",
    ),
    _finding(
        "index-queries",
        PRINTED,
        "In trained Index heads the query's angle encodes the place",
        r"|\overline{e^{i(\arg z_j - \theta j)}}| \ge 0.95",
        "The query's angle against the mean key follows theta j, the line of H_POS, nothing fitted.",
        _both("the lower end of the 95 % t-interval over seeds of the median over learned toys is at least 0.95"),
        (UNTRAINED,),
        lambda n: n("median, 2.5 %") >= 0.95,
        "Asked is the slope theta; the print says 'encodes'. Low angles that are learned turn their queries further "
        "than theta j, most of all at the ends; a query that did not turn at all would have the value constant there.",
    ),
    _finding(
        "retrieval-code",
        OURS,
        "In trained Retrieval heads keys carry the symbol and each symbol matches its own",
        r"\mathrm{Var}_{\text{symbol}}(k) / \mathrm{Var}(k) \ge 0.9",
        "Nine tenths of the keys' variance are between symbols, and every symbol's own keys lead its match logits.",
        _both(
            "the lower end of the 95 % t-interval over seeds of the median share is at least 0.9, and in the median "
            "toy every symbol leads"
        ),
        (UNTRAINED,),
        lambda n: n("median, 2.5 %") >= 0.9 and n("median share of symbols that lead") == 1,
    ),
)


def on_toys() -> tuple[Claim, ...]:
    """The claims of all findings; ids are `dec.toy.name`."""
    return tuple(
        Claim(
            id=f"dec.toy.{finding.name}",
            kind=Kind.EMPIRICAL,
            fidelity=finding.fidelity,
            title=finding.title,
            source=DEC,
            latex=finding.latex,
            sentence=finding.sentence,
            domain=finding.domain,
            criterion=finding.criterion,
            controls=finding.controls,
            supported_by=finding.supported_by,
            remarks=finding.remarks,
        )
        for finding in FINDINGS
    )


MEASURED = on_toys()
