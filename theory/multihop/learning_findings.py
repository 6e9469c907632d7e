"""Empirical claims about heads of multihop models while they learn (dyn.learning), by criterion."""

from __future__ import annotations

from headproof.theory.claim import Claim
from headproof.theory.empirical import Finding
from headproof.theory.multihop.measured import (
    AFTERWARDS,
    CLASSES,
    LEARNING,
    MARGIN,
    NEEDED,
    OURS,
    PRINTED,
    PURE,
    SOLVED,
    SUFFICE,
    TASKS,
    UNTRAINED,
    WIDE,
    finding,
    on_sizes,
)

AFTER, REVERSED, DELAYED = "after training", "hop classes in reverse order", "each class half as late again"


def _all_tasks(numbers: dict[str, float], what: str, least: float) -> bool:
    return all(numbers[f"{what}, {task}"] >= least for task in TASKS)


START = finding(
    "start-high",
    PRINTED,
    "Both scores start high at every layer",
    r"s_{pos}, s_{sym} \ge 0.9 \text{ at step } 0",
    "Before training attention is nearly uniform, and both scores of every layer are high.",
    "both mean scores of every layer are at least .9 before the first step, in both tasks",
    (AFTER,),
    lambda n: _all_tasks(n, "least score at the start", 1 - MARGIN),
    "Initial weights are GPT-J's: normal, standard deviation .02. That makes the attention uniform; an initialisation "
    "ten times as large need not.",
)
EVERY_PURE = finding(
    "pure-at-peak",
    PRINTED,
    "Accuracy peaks only once heads are pure, read of every head",
    r"\text{accuracy at its peak} \implies \text{every head is pure}",
    "At the first checkpoint at which accuracy is at its peak every layer's head is pure.",
    "accuracy comes to .9 at least, and every layer is pure at margin .1 at the peak, in both tasks",
    (UNTRAINED,),
    lambda n: _all_tasks(n, "accuracy at the peak", SOLVED) and _all_tasks(n, "% of layers pure at the peak", 100),
    PURE,
    "The same at margin .05 is among the numbers.",
)
SOME_PURE = finding(
    "some-pure-at-peak",
    PRINTED,
    "Accuracy peaks only once heads are pure, read of the kinds that each task is said to need",
    r"\text{accuracy at its peak} \implies \exists \text{ pure heads of each kind}",
    "At every checkpoint at which accuracy is at its peak the number model has a pure positional and a pure symbolic "
    "head, and the letter model a pure symbolic one.",
    "accuracy comes to .9 at least, and every checkpoint whose accuracy is within .01 of the largest has such layers "
    "at margin .1",
    (UNTRAINED,),
    lambda n: (
        _all_tasks(n, "accuracy at the peak", SOLVED)
        and min(n["positional layers at a peak, number"], n["symbolic layers at a peak, number"]) >= 1
        and n["symbolic layers at a peak, letter"] >= 1
    ),
    PURE,
)
NEEDED_PURE = finding(
    "needed-pure",
    OURS,
    "Accuracy peaks only once heads are pure, read of the heads that are needed",
    r"\text{accuracy at its peak} \implies \text{every needed head is pure}",
    "At the first checkpoint at which accuracy is at its peak every layer that the trained model needs is pure.",
    "some layer is needed, and every needed one is pure at margin .1 at the peak, in both tasks",
    (UNTRAINED,),
    lambda n: _all_tasks(n, "needed layers", 1) and _all_tasks(n, "% of needed layers pure", 100),
    PURE,
    NEEDED,
)
NEEDED_IN_WINDOW = finding(
    "needed-pure-in-window",
    OURS,
    "Heads that are needed are pure for swaps within the target window",
    r"\text{accuracy at its peak} \implies \text{every needed head is pure on } K_{\le n_1}",
    "At the first checkpoint at which accuracy is at its peak every layer that the trained model needs is pure by the "
    "swaps of tokens of one kind, those of the target window.",
    "some layer is needed, and every needed one is pure at margin .1 at the peak by swaps within the target window, in "
    "both tasks",
    (UNTRAINED,),
    lambda n: _all_tasks(n, "needed layers", 1) and _all_tasks(n, "% of needed layers pure", 100),
    PURE,
    NEEDED,
    "A head that looks for a place, and at letters rather than integers, is not pure by all swaps, for a swap with an "
    "integer takes the weight along.",
)
HOP_BY_HOP = finding(
    "number-hop-by-hop",
    PRINTED,
    "The number task is learned hop by hop",
    r"t_1 < t_2 < t_3 < t_4",
    "The number model learns one hop first, then two, then three, then four.",
    "every hop class of the number task is learned, each at a later checkpoint than the class of one hop less, and the "
    "last one after more than 1.5 times as many steps as the first",
    (REVERSED,),
    lambda n: (
        n["least checkpoints from class to class, number"] >= 1 and n["last class learned over first, number"] > WIDE
    ),
    CLASSES,
)
LETTER_HOP_BY_HOP = finding(
    "letter-hop-by-hop",
    OURS,
    "The letter task without shortcuts is learned hop by hop as well",
    r"t_1 < t_2 < t_3 < t_4",
    "The letter model learns one hop first, then two, then three, then four.",
    "every hop class of the letter task is learned, each at a later checkpoint than the class of one hop less, and the "
    "last one after more than 1.5 times as many steps as the first",
    (REVERSED,),
    lambda n: (
        n["least checkpoints from class to class, letter"] >= 1 and n["last class learned over first, letter"] > WIDE
    ),
    CLASSES,
    "The claim was asked because the log looked like it.",
)
AT_ONCE = finding(
    "letter-at-once",
    PRINTED,
    "The letter task is learned at all hops at once",
    r"\max_h t_h \le 1.5 \min_h t_h",
    "The letter model learns all hop classes at about the same time.",
    "every hop class of the letter task is learned, the last one after at most 1.5 times as many steps as the first",
    (DELAYED,),
    lambda n: n["last class learned over first, letter"] <= WIDE,
    CLASSES,
    "1.5 is ours. The same ratio of the number task is among the numbers. In the control the classes come at 1, 1.5, "
    "2.25, .. times the first one's step, up to the last step.",
    "Sequences whose answer can be told without following the path are learned at all hops at once for that reason; "
    "here one other pair looks like the answer, and simple rules that follow no path are at .5 (but for one hop, which "
    "the query shows, and four, which need the longest chain of names; see `baselines`).",
)
BOTH_KINDS = finding(
    "number-both-kinds",
    PRINTED,
    "The number task needs positional and symbolic heads",
    r"\exists\, l, l' \text{ needed}: l \text{ positional},\ l' \text{ symbolic}",
    "Among the layers that the trained number model needs some are positional and some symbolic.",
    "a needed layer of the number model is pure positional and another pure symbolic at margin .1 after the last step",
    (UNTRAINED,),
    lambda n: min(n["needed positional layers, number"], n["needed symbolic layers, number"]) >= 1,
    PURE,
    NEEDED,
)
SYMBOLIC_ONLY = finding(
    "letter-symbolic",
    PRINTED,
    "The letter task needs symbolic heads only",
    r"\forall\, l \text{ needed}: l \text{ symbolic}",
    "Every layer that the trained letter model needs is symbolic.",
    "a layer of the letter model is needed, and every needed one is pure symbolic at margin .1 after the last step",
    (UNTRAINED,),
    lambda n: n["needed layers, letter"] >= 1 and n["% of needed layers symbolic, letter"] >= 100,
    PURE,
    NEEDED,
)
SYMBOLIC_LARGER = finding(
    "letter-symbolic-larger",
    OURS,
    "No layer that the letter task needs is more positional than symbolic",
    r"\forall\, l \text{ needed}: s_{sym} \ge s_{pos} + 0.1",
    "In every layer that the trained letter model needs the symbolic score is the larger one, by .1 at least.",
    "a layer of the letter model is needed, and in every needed one the mean symbolic score is larger than the "
    "positional one by at least .1 after the last step",
    (UNTRAINED,),
    lambda n: n["needed layers, letter"] >= 1 and n["least symbolic - positional, letter"] >= MARGIN,
    NEEDED,
)


def _without(task: str, kind: str, written: str) -> Finding:
    return finding(
        f"{task}-without-{kind}",
        OURS,
        f"The layers that suffice for the {task} task have no pure {kind} head",
        rf"\forall l < L:\ l \text{{ is not {kind}}}",
        f"The first layers of the {task} model suffice for all hop classes, and none of them is a pure {kind} head, "
        "either by all swaps or by those within the target window.",
        f"some first layers of the {task} model suffice, and none of them is pure {kind} at margin .1 after the last "
        "step, by all swaps or by those within the target window",
        (UNTRAINED,),
        lambda n: n[f"runs not solved, {task}"] == 0 and n[f"{kind} layers that suffice, {task}"] == 0,
        PURE,
        SUFFICE,
        "At the last query, after the last step: at other places of the path, and earlier, a layer may be pure by all "
        "swaps that is not so here.",
        written=written,
    )


def _sufficing(name: str, where: str, *remarks: str) -> Finding:
    return finding(
        name,
        OURS,
        f"Accuracy peaks only once heads are pure, read of the layers that suffice{where}",
        r"\text{accuracy at its peak} \implies \forall l < L:\ l \text{ is pure}",
        "At the first checkpoint at which accuracy is at its peak the layers that suffice after training are pure"
        f"{where}.",
        f"some first layers suffice after the last step, and each of them is pure at margin .1 at the peak{where}, in "
        "both tasks",
        (UNTRAINED,),
        lambda n: _all_tasks(n, "layers that suffice", 1) and _all_tasks(n, "% of layers that suffice pure", 100),
        PURE,
        SUFFICE,
        *remarks,
        written=AFTERWARDS,
    )


SUFFICING = _sufficing("sufficing-pure", "")
SUFFICING_IN_WINDOW = _sufficing("sufficing-pure-in-window", " by swaps within the target window")
NUMBER_WITHOUT = _without(
    "number",
    "symbolic",
    "The criterion was written after the number model's tables had been read, for what they showed was not asked for.",
)
LETTER_WITHOUT = _without(
    "letter", "positional", "The criterion was written after the number model's tables had been read, not the letter's."
)
LETTER_SUFFICES = finding(
    "letter-symbolic-suffices",
    PRINTED,
    "The letter task needs symbolic heads only, read of the layers that suffice",
    r"\forall l < L:\ l \text{ symbolic}",
    "Every one of the first layers of the letter model that suffice is symbolic.",
    "some first layers of the letter model suffice, and every one of them is pure symbolic at margin .1 after the last "
    "step",
    (UNTRAINED,),
    lambda n: n["runs not solved, letter"] == 0 and n["% of layers that suffice symbolic, letter"] >= 100,
    PURE,
    SUFFICE,
    written=AFTERWARDS,
)
LETTER_ANGLES = finding(
    "letter-angles",
    PRINTED,
    "The letter model's heads work at low angles",
    r"\bar\theta_l \le 0.1",
    "The weighted mean RoPE angle of every layer of the letter model is low, at most .1.",
    "by at least one of the readings that give a plane's angle (nearest plane to the weighted mean of their numbers, "
    "weighted median, plane of the largest weight) every layer's is at most .1 after the last step",
    (UNTRAINED,),
    lambda n: n["largest angle of a layer by the best reading, letter"] <= 0.1,
    "Printed are .0027 to .0866. They are angles of single planes (dyn.learning.angles.single), so the mean of the "
    "angles themselves, which is among the numbers, is no candidate.",
    "A model that has learned nothing weighs all planes alike: by two of the readings its angle is .01. A criterion "
    "that it meets, too, is no evidence of training, so its being upheld decides against the claim.",
)
NUMBER_ANGLES = finding(
    "number-angles",
    PRINTED,
    "The number model's first layers work at high angles, the others at low ones",
    r"\bar\theta_l \ge 0.1 \iff l < 5",
    "The weighted mean RoPE angle is high in the first five layers of the number model and low in the other seven.",
    "by at least one of the readings that give a plane's angle the five first layers are at .1 or above, and the other "
    "seven below, after the last step",
    (UNTRAINED,),
    lambda n: n["most layers as printed by one reading, number"] >= 12,
    "Printed are 1, .866, .866, .866, .274, and .0042 to .0056; .1 is between them. One reading is enough: by the "
    "plane nearest to the mean number layer 0 is at .1 itself; by the others fewer layers are as printed.",
)

FINDINGS: tuple[Finding, ...] = (
    START,
    EVERY_PURE,
    SOME_PURE,
    NEEDED_PURE,
    NEEDED_IN_WINDOW,
    SUFFICING,
    SUFFICING_IN_WINDOW,
    HOP_BY_HOP,
    LETTER_HOP_BY_HOP,
    AT_ONCE,
    BOTH_KINDS,
    SYMBOLIC_ONLY,
    SYMBOLIC_LARGER,
    NUMBER_WITHOUT,
    LETTER_WITHOUT,
    LETTER_SUFFICES,
    LETTER_ANGLES,
)
# The printed pattern is of twelve layers.
FULL_FINDINGS: tuple[Finding, ...] = (NUMBER_ANGLES,)
LEARNING_CLAIMS: tuple[Claim, ...] = (
    *on_sizes(FINDINGS, "dyn.learning", LEARNING),
    *on_sizes(FULL_FINDINGS, "dyn.learning", LEARNING, ("full",)),
)
