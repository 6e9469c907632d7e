"""Empirical claims about what the layers of trained multihop models do, beside the stacked construction (ours)."""

from __future__ import annotations

from headproof.theory.claim import Claim
from headproof.theory.empirical import Finding
from headproof.theory.multihop.measured import LEARNING, OURS, PURE, TASKS, UNTRAINED, finding, on_sizes

UPSIDE_DOWN = "layers in reverse order"
DEPTH = (
    "A class is solved by the layers before L if its accuracy stays at .9 or above where the attention of layer L and "
    "of all after it is replaced by its mean at every place; its depth is the least such L."
)


MOVED = (
    "A layer moves a place of the path if in more than half of the sequences its largest weight there is on the next "
    "place, or in more than half on places after that one."
)


def _deeper(task: str) -> Finding:
    return finding(
        f"{task}-deeper",
        OURS,
        f"More hops of the {task} task take more layers",
        r"L_1 < L_2 < L_3 < L_4",
        f"In the trained {task} model a class of more hops needs the attention of more layers, as in a stack of "
        "constructions.",
        f"every hop class of the {task} task is solved, and has a greater depth than the class of one hop less",
        (UNTRAINED,),
        lambda n: n[f"least layers from class to class, {task}"] >= 1,
        DEPTH,
    )


PATH = finding(
    "path-attended",
    OURS,
    "Every move of the path is made in some layer",
    r"\forall m < h\ \exists l:\ \arg\max \text{ weight of place } m \text{ is place } m + 1 \text{ of the path}",
    "For every hop class and every place of the path but the answer's there is a layer in which that place attends "
    "most to the next place of the path.",
    "in both tasks, for every hop class and every place of its path before the answer, in some layer the largest "
    "weight is on the next place in more than half of the sequences, after the last step",
    (UNTRAINED,),
    lambda n: all(n[f"% of moves with a layer that makes them, {task}"] >= 100 for task in TASKS),
)
BREAKS = finding(
    "pure-breaks-its-moves",
    OURS,
    "Without a pure head just those hop classes break whose path it moves",
    r"\text{broken}(l, h) \iff l \text{ moves a place of the path of class } h",
    "Replacing the attention of a pure head breaks the hop classes in which it attends to a later place of the path, "
    "and no others.",
    "in both tasks, after the last step, some hop class breaks without a layer that is pure at margin .1 "
    "(accuracy falls by .1 where the layer's attention is replaced by its mean); of the hop classes that break without "
    "a pure layer at least 90 per cent have a place of the path that it moves, and of those with such a place at least "
    "90 per cent break",
    (UNTRAINED, UPSIDE_DOWN),
    lambda n: all(
        n[f"broken classes of pure layers, {task}"] >= 1
        and min(n[f"% of broken classes that are moved, {task}"], n[f"% of moved classes that break, {task}"]) >= 90
        for task in TASKS
    ),
    PURE,
    MOVED,
    "Layers stand in for each other, so that a layer may move a place and not be needed for it.",
)

DEEPER = {task: _deeper(task) for task in TASKS}
FINDINGS: tuple[Finding, ...] = (PATH, *DEEPER.values(), BREAKS)
MECHANISM_CLAIMS: tuple[Claim, ...] = on_sizes(FINDINGS, "dyn.learning.mechanism", LEARNING)
