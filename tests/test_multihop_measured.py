"""Claims about trained multihop models: numbers, criteria and controls on tables made by hand.

Nothing is trained and nothing measured is read. A *made run* is described by a few settings (`GOOD`): when each hop
class is learned, what scores and angles layers have, what breaks without them, where places look, how accuracy falls
with length. The settings of `GOOD` show what is claimed, but where two claims exclude each other (`BESIDES`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from headproof.checks.trained.committed import MeasuredModel
from headproof.checks.trained.judging import controls_hold, judge, met
from headproof.checks.trained.multihop import kind_numbers, learning_numbers, length_numbers, mechanism_numbers
from headproof.checks.trained.multihop.learning import learned, peaks_of
from headproof.checks.trained.multihop.tables import ANGLES, TABLES
from headproof.checks.trained.multihop.trained import LOSS, Trained, exact, largest, last, least, runs_of
from headproof.theory.claim import Verdict
from headproof.theory.multihop import learning_findings, length_findings, mechanism_findings
from headproof.theory.multihop.learning_findings import AFTER, DELAYED, LEARNING_CLAIMS, REVERSED
from headproof.theory.multihop.length_findings import GUESS, LENGTH_CLAIMS, OTHER, RULE, SWAPPED
from headproof.theory.multihop.measured import SIZES, TASKS, UNTRAINED
from headproof.theory.multihop.mechanism_findings import MECHANISM_CLAIMS, UPSIDE_DOWN

FINDING = {
    finding.name: finding
    for finding in (
        *learning_findings.FINDINGS,
        *learning_findings.FULL_FINDINGS,
        *mechanism_findings.FINDINGS,
        *length_findings.FINDINGS,
    )
}
PARTS = (learning_numbers, kind_numbers, mechanism_numbers, length_numbers)
MEASURES = {name: measure for part in PARTS for name, measure in part.MEASURES.items()}
NAMES = list(FINDING)

# -- made runs -----------------------------------------------------------------------------------------------------

STEPS, HOPS, LAYERS = (0, 10, 14, 20, 28, 40, 60), (1, 2, 3, 4), 12
WRONG = 0.2  # accuracy of what is not learned, or broken
LENGTHS = (17, 20, 24, 32, 48, 64, 100, 150, 200, 300, 500, 850)
CHECKED = (17, 100, 850)
HALF = 0.03  # half of an interval of accuracy
POSITIONAL, SYMBOLIC, UNIFORM, MIXED = (0.95, 0.3), (0.3, 0.95), (0.97, 0.97), (0.6, 0.7)
VARIANTS = ("recopied", "redirected")

Settings = Mapping[str, Any]
# Layer l moves place l of every path that has one after it, and without it those classes break: a stack.
STACK = {layer: tuple(hops for hops in HOPS if hops > layer) for layer in range(4)}
MOVES = {layer: tuple((hops, layer) for hops in HOPS if hops > layer) for layer in range(4)}
BOTH: Settings = {
    "size": "full",
    "steps": STEPS,
    "when": (1, 2, 3, 4),  # the checkpoint from which each hop class is learned, by number; None: never
    "right": 1.0,  # accuracy of what is learned
    "start": UNIFORM,  # positional and symbolic score of every layer at step 0, or of each
    "inside": None,  # the same pairs as `scores`, within the target window; None: those
    "start_angles": dict.fromkeys(ANGLES, 0.2),
    "broken": STACK,
    "start_broken": {},
    "depth": HOPS,  # how many layers' attention each class takes
    "start_depth": (99,) * 4,
    "moves": MOVES,
    "start_moves": {},
    "start_long": dict.fromkeys(CHECKED, 0.1),
    "rules": {length: {"guess": 0.3, "rare": 0.5 if length == 17 else 0.8} for length in LENGTHS},
    "start_reach": dict.fromkeys(ANGLES, 2),
    "other_reach": 3,  # of the other task's construction
}
GOOD: Mapping[str, Settings] = {
    "number": {
        **BOTH,
        "scores": [POSITIONAL] * 2 + [SYMBOLIC] * 10,
        "angles": {"mean_angle": 0.3, "index_angle": [0.5] * 5 + [0.01] * 7, "median_angle": 0.5, "top_angle": 0.5},
        "long": {length: {17: 1.0, 20: 0.95}.get(length, 0.5) for length in LENGTHS},
        "varied": {},
        "reach": {**dict.fromkeys(ANGLES, 2), "top_angle": [30, 40, 25, 35] + [2] * 8},
    },
    "letter": {
        **BOTH,
        "scores": [SYMBOLIC] * 12,
        "angles": {"mean_angle": 0.3, "index_angle": 0.01, "median_angle": 0.02, "top_angle": 0.5},
        "long": dict.fromkeys(LENGTHS, 1.0),
        "varied": {
            **{variant: dict.fromkeys(CHECKED, 0.97) for variant in VARIANTS},
            "far": dict.fromkeys(LENGTHS, 0.95),
        },
        "reach": {**dict.fromkeys(ANGLES, 2), "top_angle": [600, 900, 700, 800] + [2] * 8},
    },
}


def table(about: Settings, **columns: Any) -> pa.Table:
    """Columns, with those that name a run, of measured types: single precision but for `lengths` and `baselines`."""
    count = len(next(iter(columns.values())))
    kept = {}
    for name, values in {**{name: [value] * count for name, value in about.items()}, **columns}.items():
        held = np.asarray(values)
        kept[name] = pa.array(held.tolist() if held.dtype.kind == "U" else held)
    return pa.table(kept)


def single(values: Any) -> Any:
    return np.asarray(values, dtype=np.float32)


def made(task: str, seed: int, given: Settings) -> dict[str, pa.Table]:
    """The tables of a run of these settings."""
    steps = np.array(given["steps"])
    about = {"task": task, "size": given["size"], "seed": seed}
    ends = {int(steps[-1]): "", int(steps[0]): "start_"}  # of a single checkpoint the untrained one's settings
    accuracy = np.array(
        [
            [given["right"] if at is not None and place >= at else WRONG for at in given["when"]]
            for place in range(len(steps))
        ]
    )
    accuracy = np.concatenate([accuracy.mean(axis=1, keepdims=True), accuracy], axis=1)
    whole = dict(zip(steps.tolist(), accuracy, strict=True))
    classes = (0, *HOPS)
    return {
        "steps": table(
            about,
            step=np.repeat(steps, len(classes)),
            hops=np.tile(classes, len(steps)),
            accuracy=single(accuracy.reshape(-1)),
        ),
        "heads": _heads(about, steps, given),
        "roles": _roles(about, ends, given),
        "ablations": _ablations(about, ends, whole, given),
        "lengths": _lengths(about, ends, given),
        "baselines": _baselines(about, given),
        "reaches": _reaches(about, ends, given),
    }


def _heads(about: Settings, steps: Any, given: Settings) -> pa.Table:
    def pairs(name: str) -> Any:
        scores = given["scores"] if given[name] is None else given[name]
        return np.broadcast_to(np.array(scores), (LAYERS, 2))

    def angles(name: str) -> Any:
        first, after = (np.broadcast_to(given[part][name], LAYERS) for part in ("start_angles", "angles"))
        return np.concatenate([first, *[after] * (len(steps) - 1)])

    scores, inside = (
        np.concatenate([pairs("start"), *[pairs(name)] * (len(steps) - 1)]) for name in ("scores", "inside")
    )
    # Layers upside down, for rows come in any order.
    turn = np.arange(len(scores))[::-1]
    columns = {
        "step": np.repeat(steps, LAYERS),
        "layer": np.tile(np.arange(LAYERS), len(steps)),
        "hops": np.zeros(len(scores), dtype=int),
        "query": np.zeros(len(scores), dtype=int),
        "positional": single(scores[:, 0]),
        "symbolic": single(scores[:, 1]),
        "positional_target": single(inside[:, 0]),
        "symbolic_target": single(inside[:, 1]),
        "entropy_share": single(scores.min(axis=1)),
        **{name: single(angles(name)) for name in ANGLES},
    }
    return table(about, **{name: values[turn] for name, values in columns.items()})


def _roles(about: Settings, ends: Mapping[int, str], given: Settings) -> pa.Table:
    rows = [
        (step, layer, hops, query, (hops, query) in given[f"{part}moves"].get(layer, ()))
        for step, part in ends.items()
        for layer in range(LAYERS)
        for hops in HOPS
        for query in range(hops + 1)
    ]
    *named, moves = zip(*rows, strict=True)
    columns = dict(zip(("step", "layer", "hops", "query"), named, strict=True))
    words = {"role": ("move", "Reflexive"), "most": ("next", "own")}
    return table(
        about, **columns, **{name: [yes if each else no for each in moves] for name, (yes, no) in words.items()}
    )


def _ablations(about: Settings, ends: Mapping[int, str], whole: Mapping[int, Any], given: Settings) -> pa.Table:
    rows: list[tuple[Any, ...]] = []

    def add(step: int, layer: int, kind: str, layers: str, by_hops: list[float], places: str = "every") -> None:
        held = (sum(by_hops) / len(by_hops), *by_hops)
        rows.extend((step, layer, kind, layers, places, *each) for each in zip((0, *HOPS), held, strict=True))

    for step, part in ends.items():
        own = whole[step][1:].tolist()
        add(step, -1, "none", "one", own)
        for layer in range(LAYERS):
            broken = given[f"{part}broken"].get(layer, ())
            one = [WRONG if hops in broken else share for hops, share in zip(HOPS, own, strict=True)]
            depth = given[f"{part}depth"]
            onward = [given["right"] if layer >= each else WRONG for each in depth]
            add(step, layer, "mean", "one", one)
            add(step, layer, "mean", "onward", onward)
            # Rows that no claim is about.
            add(step, layer, "zero", "one", [0.0] * len(HOPS))
            add(step, layer, "mean", "one", [0.0] * len(HOPS), "last")
            add(step, layer, "mean", "onward", [0.0] * len(HOPS), "others")
    names = ("step", "layer", "kind", "layers", "places", "hops", "accuracy")
    columns = dict(zip(names, zip(*rows, strict=True), strict=True))
    return table(about, **{**columns, "accuracy": single(columns["accuracy"])})


def _lengths(about: Settings, ends: Mapping[int, str], given: Settings) -> pa.Table:
    rows = [
        (step, "plain", length, share) for step, part in ends.items() for length, share in given[f"{part}long"].items()
    ]
    last = int(given["steps"][-1])
    rows += [(last, variant, *each) for variant, held in given["varied"].items() for each in held.items()]
    columns = dict(zip(("step", "variant", "length", "accuracy"), zip(*rows[::-1], strict=True), strict=True))
    accuracy = np.array(columns["accuracy"])
    low, high = np.maximum(accuracy - HALF, 0), np.minimum(accuracy + HALF, 1)
    every = {**columns, "accuracy": accuracy, "low": low, "high": high}
    classes = (0, *HOPS)
    return table(
        about,
        **{name: np.repeat(values, len(classes)) for name, values in every.items()},
        hops=np.tile(classes, len(rows)),
        sequences=np.tile((400, *(100,) * len(HOPS)), len(rows)),
    )


def _baselines(about: Settings, given: Settings) -> pa.Table:
    rows = [(length, 0, rule, share) for length, held in given["rules"].items() for rule, share in held.items()]
    columns = zip(("length", "hops", "rule", "accuracy"), zip(*rows, strict=True), strict=True)
    return table({name: about[name] for name in ("task", "size")}, **dict(columns))


def _reaches(about: Settings, ends: Mapping[int, str], given: Settings) -> pa.Table:
    rows = [
        (step, layer, reading, int(reach))
        for step, part in ends.items()
        for reading, held in given[f"{part}reach"].items()
        for layer, reach in enumerate(np.broadcast_to(held, LAYERS))
    ]
    columns = dict(zip(("step", "layer", "reading", "own"), zip(*rows, strict=True), strict=True))
    own = {"number": "index", "letter": "retrieval"}
    reaches = {
        own[task]: columns["own"] if task == about["task"] else [given["other_reach"]] * len(rows) for task in TASKS
    }
    return table(about, **{name: columns[name] for name in ("step", "layer", "reading")}, **reaches)


Changes = Mapping[str, Any]
# What runs have that is not as in GOOD: by task, of one run or of several.
World = Mapping[str, Changes | list[Changes]]


KEPT: dict[str, tuple[Trained, ...]] = {}


def runs_of_task(task: str, changes: Changes | list[Changes]) -> tuple[Trained, ...]:
    """The full runs of a task, kept, for worlds differ in little."""
    key = repr((task, changes))
    if key not in KEPT:
        several = changes if isinstance(changes, list) else [changes]
        parts = [made(task, seed, {**GOOD[task], **each}) for seed, each in enumerate(several)]
        # `baselines` are of no run.
        held = {name: pa.concat_tables([part[name] for part in parts]) for name in parts[0] if name != "baselines"}
        KEPT[key] = runs_of({task: {**held, "baselines": parts[0]["baselines"]}}, "full")[task]
    return KEPT[key]


def runs(world: World) -> dict[str, tuple[Trained, ...]]:
    return {task: runs_of_task(task, world.get(task, {})) for task in TASKS}


def run(task: str, **changes: Any) -> Trained:
    return runs_of_task(task, changes)[0]


def found(name: str, world: World = MappingProxyType({})) -> tuple[Any, Any]:
    """The numbers of a finding, and those of its controls, none of which is NaN."""
    numbers, controls = MEASURES[name](runs(world))
    for held in (numbers, *controls.values()):
        assert held
        assert not [key for key, number in held.items() if math.isnan(number.value)]
    return numbers, controls


def verdict(name: str, world: World) -> Verdict:
    model, about = MeasuredModel("made", "made", "", ""), dict.fromkeys(("command", "versions", "device", "dtype"), "")
    return judge(FINDING[name], *found(name, world), (), model, "made", about).verdict


def first_of(pairs: Any, count: int, other: Any) -> list[Any]:
    """So many layers of one kind and the others of another."""
    return [pairs] * count + [other] * (LAYERS - count)


def only(task: str, **changes: Any) -> World:
    return {task: changes}


def both(**changes: Any) -> World:
    return dict.fromkeys(TASKS, changes)


def fewer(moves: Mapping[int, Any], layer: int, place: tuple[int, int]) -> dict[int, Any]:
    return {**moves, layer: tuple(each for each in moves[layer] if each != place)}


# Where claims exclude each other: what a world in which the finding holds has besides.
BESIDES: Mapping[str, World] = {
    "letter-at-once": only("letter", when=(3, 3, 3, 4)),
    "number-without-symbolic": only("number", scores=first_of(POSITIONAL, 4, SYMBOLIC)),
    # So far that the length of training is no guess.
    "number-reach-predicted": only(
        "number",
        long={length: 1.0 if length <= 64 else 0.5 for length in LENGTHS},
        reach={**dict.fromkeys(ANGLES, 2), "top_angle": 60},
    ),
}
UNLEARNED = {"when": (1, 2, 3, None)}
NONE_NEEDED: Changes = {"broken": {}}
NOT_PURE = {"scores": first_of(MIXED, 1, SYMBOLIC)}
ORDERS = (
    {"when": (1, 1, 2, 3)},
    {"when": (4, 3, 2, 1)},
    {"when": (0, 0, 0, 0)},
    UNLEARNED,
    # One after the other, all within a factor of 1.5.
    {"steps": (0, 100, 110, 120, 130), "when": (1, 2, 3, 4)},
)
DEPTHS = (
    {"depth": (1, 2, 2, 3)},
    {"depth": (0, 0, 0, 0)},
    {"depth": (4, 3, 2, 1)},
    {"depth": (1, 2, 99, 99)},
    # The last class is not solved at all.
    {"depth": (1, 2, 3, 99), **UNLEARNED},
)
# Worlds in which a finding does not hold: just not, in one of the tasks.
BAD: Mapping[str, tuple[World, ...]] = {
    "start-high": (only("number", start=first_of((0.97, 0.89), 1, UNIFORM)), only("letter", start=(0.89, 0.97))),
    "pure-at-peak": (
        only("letter", when=(None,) * 4),
        only("letter", **NOT_PURE),
        only("number", scores=first_of(UNIFORM, 1, SYMBOLIC)),
    ),
    "some-pure-at-peak": (
        only("letter", scores=[POSITIONAL] * 12),
        only("number", scores=[POSITIONAL] * 12),
        only("number", scores=[SYMBOLIC] * 12),
    ),
    "needed-pure": (only("letter", **NOT_PURE), only("number", **NONE_NEEDED), only("letter", **NONE_NEEDED)),
    "needed-pure-in-window": (
        only("letter", inside=first_of(MIXED, 1, SYMBOLIC)),
        only("number", inside=first_of(UNIFORM, 4, SYMBOLIC)),
        only("number", **NONE_NEEDED),
    ),
    "sufficing-pure": (
        only("letter", **NOT_PURE),
        only("number", scores=first_of(POSITIONAL, 3, MIXED)),
        only("number", depth=(1, 2, 3, 99), when=(1, 2, 3, None)),
    ),
    "sufficing-pure-in-window": (
        only("letter", inside=first_of(MIXED, 1, SYMBOLIC)),
        only("number", inside=first_of(POSITIONAL, 3, UNIFORM)),
        only("letter", depth=(0, 0, 0, 0)),
    ),
    "number-hop-by-hop": tuple(only("number", **each) for each in ORDERS),
    "letter-hop-by-hop": tuple(only("letter", **each) for each in ORDERS),
    "letter-at-once": (only("letter", when=(3, 3, 3, 5)), only("letter", when=(3, 3, 3, None)), only("letter")),
    "number-both-kinds": (
        only("number", scores=[SYMBOLIC] * 12),
        only("number", scores=first_of(POSITIONAL, 4, SYMBOLIC)),
        only("number", **NONE_NEEDED),
    ),
    "letter-symbolic": (
        only("letter", scores=first_of(POSITIONAL, 1, SYMBOLIC)),
        only("letter", **NOT_PURE),
        only("letter", **NONE_NEEDED),
    ),
    "letter-symbolic-larger": (
        only("letter", scores=first_of((0.6, 0.69), 1, SYMBOLIC)),
        only("letter", scores=first_of(POSITIONAL, 1, SYMBOLIC)),
        only("letter", **NONE_NEEDED),
    ),
    "letter-symbolic-suffices": (
        only("letter", scores=first_of(MIXED, 1, SYMBOLIC)),
        only("letter", scores=[SYMBOLIC] * 3 + [POSITIONAL] * 9),
        only("letter", depth=(1, 2, 3, 99), when=(1, 2, 3, None)),
        only("letter", depth=(0, 0, 0, 0)),
    ),
    "number-reach-predicted": (
        only("number", reach={**dict.fromkeys(ANGLES, 2), "top_angle": 41}),
        only("number", long={**dict.fromkeys(LENGTHS, 0.1), 17: 0.89}),
        only("number", depth=(1, 2, 3, 99), when=(1, 2, 3, None)),
    ),
    "letter-reach-predicted": (
        only("letter", reach={**dict.fromkeys(ANGLES, 2), "top_angle": 424}),
        # The layers beyond those that suffice are not asked.
        only("letter", reach={**dict.fromkeys(ANGLES, 2), "top_angle": [400] * 4 + [850] * 8}),
    ),
    "number-without-symbolic": (
        only("number", scores=first_of(POSITIONAL, 3, SYMBOLIC)),
        only("number", inside=first_of(POSITIONAL, 3, SYMBOLIC)),
        only("number", depth=(1, 2, 3, 99), when=(1, 2, 3, None)),
    ),
    "letter-without-positional": (
        only("letter", scores=first_of(POSITIONAL, 1, SYMBOLIC)),
        only("letter", inside=first_of(POSITIONAL, 1, SYMBOLIC)),
        only("letter", depth=(1, 2, 3, 99), when=(1, 2, 3, None)),
    ),
    "letter-angles": (
        only("letter", angles=dict.fromkeys(ANGLES, [0.01] * 11 + [0.11])),
        # The mean of the angles is not asked.
        only("letter", angles={**dict.fromkeys(ANGLES, 0.5), "mean_angle": 0.01}),
    ),
    "number-angles": (
        only("number", angles=dict.fromkeys(ANGLES, [0.5] * 4 + [0.01] * 8)),
        only("number", angles=dict.fromkeys(ANGLES, 0.5)),
        only("number", angles=dict.fromkeys(ANGLES, 0.01)),
    ),
    "path-attended": (
        only("number", moves=fewer(MOVES, 3, (4, 3))),
        only("letter", moves=fewer(MOVES, 0, (1, 0))),
        only("letter", moves={}),
    ),
    "number-deeper": tuple(only("number", **each) for each in DEPTHS),
    "letter-deeper": tuple(only("letter", **each) for each in DEPTHS),
    "pure-breaks-its-moves": (
        only("letter", moves=fewer(fewer(MOVES, 0, (1, 0)), 0, (2, 0))),
        only("number", broken={**STACK, 0: (3, 4)}),
        only("number", **NONE_NEEDED),
        only("letter", scores=[MIXED] * 12),
    ),
    "letter-850": (
        only("letter", long={**GOOD["letter"]["long"], 850: 0.92}),
        only("letter", long={**GOOD["letter"]["long"], 24: 0.5}),
    ),
    "letter-far": (
        only("letter", varied={**GOOD["letter"]["varied"], "far": {**dict.fromkeys(LENGTHS, 1.0), 850: 0.92}}),
        only("letter", varied={**GOOD["letter"]["varied"], "far": {**dict.fromkeys(LENGTHS, 1.0), 24: 0.5}}),
    ),
    "letter-follows": (
        only("letter", varied={**GOOD["letter"]["varied"], "redirected": {**dict.fromkeys(CHECKED, 1.0), 850: 0.94}}),
        only("letter", varied={**GOOD["letter"]["varied"], "recopied": {**dict.fromkeys(CHECKED, 1.0), 17: 0.94}}),
        # No better than the rarest pair.
        only("letter", long={**GOOD["letter"]["long"], 850: 0.89}),
        only("letter", varied={variant: {17: 1.0} for variant in VARIANTS}),
        only("letter", varied={}),
    ),
    "number-hardly": (
        only("number", long={**GOOD["number"]["long"], 48: 0.88}),
        only("number", long={**GOOD["number"]["long"], 17: 0.92}),
        only("number", long=dict.fromkeys(LENGTHS, 1.0)),
    ),
    "letter-further": (
        only("letter", long=GOOD["number"]["long"]),
        only("number", long=GOOD["letter"]["long"]),
        # Neither carries.
        {
            "number": {"long": dict.fromkeys(LENGTHS, 0.89)},
            "letter": {"long": {**dict.fromkeys(LENGTHS, 0.1), 17: 0.9}},
        },
    ),
    "reach-predicted": (
        only("letter", reach={**dict.fromkeys(ANGLES, 2), "top_angle": 424}),
        only("number", reach={**dict.fromkeys(ANGLES, 2), "top_angle": 41}),
        # Each task by another reading.
        only("number", reach={**dict.fromkeys(ANGLES, 2), "mean_angle": 20}),
        only("letter", **NONE_NEEDED),
    ),
}
PURE_AT_START = {"start": SYMBOLIC}
EVEN = dict.fromkeys(range(LAYERS), HOPS)
ALL_MOVES = {layer: tuple((hops, 0) for hops in HOPS) for layer in range(LAYERS)}
# Worlds in which the numbers meet the criterion and a control does, too.
UPHELD: Mapping[tuple[str, str], World] = {
    ("start-high", AFTER): both(scores=[UNIFORM] * 12),
    ("pure-at-peak", UNTRAINED): both(**PURE_AT_START),
    ("some-pure-at-peak", UNTRAINED): {
        "number": {"start": GOOD["number"]["scores"]},
        "letter": PURE_AT_START,
    },
    ("needed-pure", UNTRAINED): both(**PURE_AT_START),
    ("needed-pure-in-window", UNTRAINED): both(**PURE_AT_START),
    ("sufficing-pure", UNTRAINED): both(**PURE_AT_START),
    ("sufficing-pure-in-window", UNTRAINED): both(**PURE_AT_START),
    ("letter-at-once", DELAYED): only("letter", when=(6, 6, 6, 6)),
    ("number-both-kinds", UNTRAINED): only("number", start=GOOD["number"]["scores"]),
    ("letter-symbolic", UNTRAINED): only("letter", **PURE_AT_START),
    ("letter-symbolic-larger", UNTRAINED): only("letter", start=(0.5, 0.65)),
    ("letter-symbolic-suffices", UNTRAINED): only("letter", **PURE_AT_START),
    ("number-reach-predicted", UNTRAINED): only("number", start_reach=GOOD["number"]["reach"]),
    ("letter-reach-predicted", UNTRAINED): only("letter", start_reach=GOOD["letter"]["reach"]),
    ("number-reach-predicted", GUESS): only("number", long=GOOD["number"]["long"], reach=GOOD["number"]["reach"]),
    ("letter-reach-predicted", GUESS): only(
        "letter", long={**dict.fromkeys(LENGTHS, 0.1), 17: 1.0, 20: 1.0}, reach=dict.fromkeys(ANGLES, 20)
    ),
    ("number-reach-predicted", OTHER): only("number", other_reach=60),
    ("letter-reach-predicted", OTHER): only("letter", other_reach=850),
    ("number-without-symbolic", UNTRAINED): only("number", start_depth=HOPS),
    ("letter-without-positional", UNTRAINED): only("letter", start_depth=HOPS),
    ("letter-angles", UNTRAINED): only("letter", start_angles={**dict.fromkeys(ANGLES, 0.5), "median_angle": 0.05}),
    ("number-angles", UNTRAINED): only("number", start_angles=GOOD["number"]["angles"]),
    ("path-attended", UNTRAINED): both(start_moves=MOVES),
    ("number-deeper", UNTRAINED): only("number", start_depth=HOPS),
    ("letter-deeper", UNTRAINED): only("letter", start_depth=HOPS),
    ("pure-breaks-its-moves", UNTRAINED): both(
        when=(0,) * 4, start=SYMBOLIC, start_broken=STACK, start_moves=MOVES, scores=[SYMBOLIC] * 12
    ),
    ("pure-breaks-its-moves", UPSIDE_DOWN): both(broken=EVEN, moves=ALL_MOVES),
    ("letter-850", UNTRAINED): only("letter", start_long=dict.fromkeys(CHECKED, 0.95)),
    ("letter-850", RULE): only(
        "letter", rules={length: {"guess": 0.3, "rare": 0.5 if length == 17 else 0.95} for length in LENGTHS}
    ),
    ("letter-far", UNTRAINED): only("letter", start_long=dict.fromkeys(CHECKED, 0.95)),
    ("letter-follows", UNTRAINED): only("letter", start_long=dict.fromkeys(CHECKED, 0.95)),
    ("letter-further", UNTRAINED): only("letter", start_long={17: 0.95, 100: 0.95, 850: 0.1}),
    ("number-hardly", UNTRAINED): only("number", start_long={17: 0.95, 100: 0.1, 850: 0.1}),
    ("reach-predicted", UNTRAINED): {task: {"start_reach": GOOD[task]["reach"]} for task in TASKS},
    ("reach-predicted", SWAPPED): {
        "number": {"long": {**dict.fromkeys(LENGTHS, 1.0), 100: 0.5}, "reach": dict.fromkeys(ANGLES, 70)},
        "letter": {"long": {**dict.fromkeys(LENGTHS, 1.0), 150: 0.5}, "reach": dict.fromkeys(ANGLES, 90)},
    },
}
# Controls that are the claim's opposite: upheld in these worlds, in which the claim does not hold.
OPPOSITE: Mapping[tuple[str, str], World] = {
    ("number-hop-by-hop", REVERSED): only("number", when=(4, 3, 2, 1)),
    ("letter-hop-by-hop", REVERSED): only("letter", when=(4, 3, 2, 1)),
}
# Worlds in which one untrained run, or one task's, shows what is claimed.
ONE_IS_ENOUGH: Mapping[str, World] = {
    "start-high": only("letter", scores=[UNIFORM] * 12),
    "pure-at-peak": only("letter", **PURE_AT_START),
    "letter-symbolic": {"letter": [{}, PURE_AT_START]},
    "letter-angles": {"letter": [{}, {"start_angles": {**dict.fromkeys(ANGLES, 0.5), "median_angle": 0.05}}]},
    "letter-deeper": {"letter": [{"start_depth": HOPS, "when": (0, 0, 0, 0)}, {}]},
}
NOTHING = both(
    when=(None,) * 4, scores=[UNIFORM] * 12, broken={}, depth=(99,) * 4, moves={}, long=dict.fromkeys(LENGTHS, 0.1),
    varied={variant: dict.fromkeys(CHECKED, 0.1) for variant in VARIANTS}, angles=dict.fromkeys(ANGLES, 0.2),
    reach=dict.fromkeys(ANGLES, 2),
)  # fmt: skip


def beside(name: str, world: World) -> World:
    """A world with what the finding's good one has besides, where it says nothing else."""
    besides = BESIDES.get(name, {})
    return {task: {**_one(besides, task), **_one(world, task)} for task in TASKS}


def _one(world: World, task: str) -> Changes:
    """The changes of a task of a single run."""
    changes = world.get(task, {})
    assert not isinstance(changes, list)
    return changes


# -- every finding -------------------------------------------------------------------------------------------------


def test_every_finding_has_a_measure_and_worlds() -> None:
    assert set(MEASURES) == set(BAD) == set(NAMES)
    assert len(MEASURES) == sum(len(each.MEASURES) for each in PARTS)
    pairs = [(name, control) for name in NAMES for control in FINDING[name].controls]
    assert sorted(pairs) == sorted([*UPHELD, *OPPOSITE])
    claims = {claim.id for claim in (*LEARNING_CLAIMS, *MECHANISM_CLAIMS, *LENGTH_CLAIMS)}
    full = [finding.name for finding in learning_findings.FULL_FINDINGS]
    assert len(claims) == len(NAMES) * len(SIZES) - len(full)
    assert f"dyn.learning.{full[0]}.small" not in claims


@pytest.mark.parametrize("name", NAMES)
def test_a_finding_is_met_where_it_holds_and_no_control_is(name: str) -> None:
    numbers, controls = found(name, BESIDES.get(name, {}))
    assert met(FINDING[name], numbers) is True
    assert set(controls) == set(FINDING[name].controls)
    assert {key: met(FINDING[name], held) for key, held in controls.items()} == dict.fromkeys(controls, False)
    assert controls_hold(FINDING[name], controls, ()) is True
    assert verdict(name, BESIDES.get(name, {})) is Verdict.SUPPORTED


@pytest.mark.parametrize(("name", "number"), [(name, number) for name in NAMES for number in range(len(BAD[name]))])
def test_a_finding_is_not_met_where_it_does_not_hold(name: str, number: int) -> None:
    assert met(FINDING[name], found(name, BAD[name][number])[0]) is False


@pytest.mark.parametrize("name", NAMES)
def test_the_worst_run_decides(name: str) -> None:
    world = BAD[name][0]
    (task,) = world
    besides: Any = BESIDES.get(name, {}).get(task, {})
    assert met(FINDING[name], found(name, {task: [besides, besides]})[0]) is True
    for pair in ([besides, world[task]], [world[task], besides]):
        assert met(FINDING[name], found(name, {task: pair})[0]) is False


@pytest.mark.parametrize(("name", "control"), UPHELD)
def test_an_upheld_control_refuses_a_finding_whose_numbers_are_met(name: str, control: str) -> None:
    world = beside(name, UPHELD[name, control])
    numbers, controls = found(name, world)
    assert met(FINDING[name], numbers) is True
    assert met(FINDING[name], controls[control]) is True
    assert controls_hold(FINDING[name], controls, ()) is False
    assert verdict(name, world) is Verdict.NOT_SUPPORTED


@pytest.mark.parametrize(("name", "control"), OPPOSITE)
def test_an_opposite_is_upheld_where_it_holds(name: str, control: str) -> None:
    numbers, controls = found(name, OPPOSITE[name, control])
    assert met(FINDING[name], controls[control]) is True
    assert met(FINDING[name], numbers) is False


@pytest.mark.parametrize("name", ONE_IS_ENOUGH)
def test_a_control_is_upheld_by_one_run(name: str) -> None:
    assert met(FINDING[name], found(name, ONE_IS_ENOUGH[name])[0]) is True
    assert verdict(name, ONE_IS_ENOUGH[name]) is Verdict.NOT_SUPPORTED


# -- edges ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_a_model_that_learned_nothing_supports_nothing(name: str) -> None:
    assert verdict(name, NOTHING) is Verdict.NOT_SUPPORTED


@pytest.mark.parametrize(
    "changes",
    [
        {"when": (None,) * 4},
        NONE_NEEDED,
        {"scores": [MIXED] * 12},
        {"scores": [UNIFORM] * 12},
        {"moves": {}},
        {"depth": (99,) * 4},
        {"long": dict.fromkeys(LENGTHS, 0.0)},
        {"reach": dict.fromkeys(ANGLES, 2)},
    ],
    ids=["no class", "no needed", "no pure", "uniform", "no move", "no depth", "no length", "no reach"],
)
def test_numbers_of_what_is_not_there_are_no_nan(changes: Changes) -> None:
    for name in NAMES:
        found(name, both(**changes))


@pytest.mark.parametrize("name", NAMES)
def test_a_single_checkpoint_is_the_untrained_model_itself(name: str) -> None:
    same = {"steps": (0,), "when": (0,) * 4, "start_broken": STACK, "start_moves": MOVES, "start_depth": HOPS}
    world = {
        task: {
            **same,
            "start": GOOD[task]["scores"],
            "start_long": GOOD[task]["long"],
            "start_reach": GOOD[task]["reach"],
        }
        for task in TASKS
    }
    assert verdict(name, world) is Verdict.NOT_SUPPORTED


def test_thresholds_themselves_are_met() -> None:
    at = run("number", right=0.9)
    assert learned(at["steps"]) == {0: 28, 1: 10, 2: 14, 3: 20, 4: 28}
    assert at.depths(at.last) == [1, 2, 3, 4]
    below = run("number", right=0.8999)
    assert set(learned(below["steps"]).values()) == {None}
    assert below.depths(below.last) == [13] * 4
    kinds = run("letter", scores=[(0.9, 0.89999), (0.89999, 0.9), (0.9, 0.9), (0.89999, 0.89999)] + [SYMBOLIC] * 8)
    assert kinds.kinds_at(60)[:5].tolist() == ["positional", "symbolic", "both", "neither", "symbolic"]
    assert kinds.kinds_at(60, margin=0.05)[:5].tolist() == ["neither"] * 4 + ["symbolic"]
    assert length_numbers.reach(run("letter", long={17: 0.9, 20: 0.9, 24: 0.8999})) == 20


@pytest.mark.parametrize(
    ("name", "change", "supported"),
    [
        ("letter-850", {"long": dict.fromkeys(LENGTHS, 0.9 + HALF)}, False),
        ("letter-850", {"long": dict.fromkeys(LENGTHS, 0.9001 + HALF)}, True),
        ("letter-follows", {"varied": {variant: dict.fromkeys(CHECKED, 0.95) for variant in VARIANTS}}, True),
        ("letter-follows", {"varied": {variant: dict.fromkeys(CHECKED, 0.9499) for variant in VARIANTS}}, False),
        ("reach-predicted", {"reach": {**dict.fromkeys(ANGLES, 2), "top_angle": 425}}, True),
        ("letter-at-once", {"steps": (0, 10, 15, 30), "when": (1, 1, 1, 2)}, True),
    ],
)
def test_criteria_at_their_thresholds(name: str, change: Changes, supported: bool) -> None:
    assert met(FINDING[name], found(name, only("letter", **change))[0]) is supported


# -- numbers by hand -----------------------------------------------------------------------------------------------


def test_a_class_is_learned_where_it_stays_learned() -> None:
    steps = {
        "step": np.array([20, 0, 10, 30, 0, 10, 20, 30]),
        "hops": np.array([1, 1, 1, 1, 0, 0, 0, 0]),
        "accuracy": np.array([0.8, 0.95, 0.95, 0.9, 0.1, 0.995, 0.98, 1.0]),
    }
    assert learned(steps) == {0: 10, 1: 30}
    assert learned(steps, 0.99) == {0: 30, 1: None}
    assert peaks_of(steps) == [10, 30]


def test_a_run_knows_its_checkpoints() -> None:
    mine = run("number")
    # Accuracy of all classes is 1 where the last one is learned.
    assert (mine.first, mine.peak, mine.last) == (0, 28, 60)
    assert mine.kept == list(STEPS)
    assert mine.heads_at(0)["layer"].tolist() == list(range(LAYERS))
    assert mine.kinds_at(0).tolist() == ["both"] * 12
    assert mine.kinds_at(28).tolist() == ["positional"] * 2 + ["symbolic"] * 10
    assert run("number", inside=[MIXED] * 12).kinds_at(28, "_target").tolist() == ["neither"] * 12


def test_falls_of_exactly_a_tenth_count_in_single_precision() -> None:
    # In single precision .105 - .005 is less than .1, and so are many others.
    high, low = np.array([0.105, 0.116], dtype=np.float32), np.array([0.005, 0.016], dtype=np.float32)
    assert not (high - low >= LOSS).any()
    assert (exact(exact(high) - exact(low)) >= LOSS).all()
    assert exact(np.array(["a"])).tolist() == ["a"]
    assert peaks_of({"step": np.arange(2), "hops": np.zeros(2), "accuracy": single([0.987, 0.997])}) == [0, 1]


def test_layers_are_needed_where_all_classes_together_lose() -> None:
    # Layer 3 breaks one class of four: .8 of it, .2 of all. Layer 5 breaks one that is at .55: .0875 of all.
    mine = run("letter")
    assert mine.needed(60).tolist() == [True] * 4 + [False] * 8
    assert not mine.needed(0).any()
    assert mine.lost(60)[3] == pytest.approx([0, 0, 0, 0.8], abs=1e-6)
    assert mine.lost(60)[0] == pytest.approx([0.8] * 4, abs=1e-6)
    assert mine.lost(60).shape == (12, 4)
    weak = run("letter", right=0.55, broken={5: (2,), 6: (2, 3)})
    assert weak.lost(60)[5] == pytest.approx([0, 0.35, 0, 0], abs=1e-6)
    assert weak.needed(60).nonzero()[0].tolist() == [6]
    assert pytest.approx(0.1) == LOSS


def test_numbers_of_purity_by_hand() -> None:
    # Three of twelve layers are not pure, one of the four that are needed.
    world = both(scores=[POSITIONAL, MIXED, SYMBOLIC, SYMBOLIC, UNIFORM, MIXED] + [SYMBOLIC] * 6)
    assert found("pure-at-peak", world)[0]["% of layers pure at the peak, letter"].value == 75
    assert found("pure-at-peak", world)[0]["% of layers pure at the peak, margin 0.05, letter"].value == pytest.approx(
        100 * 9 / 12
    )
    needed, controls = found("needed-pure", world)
    assert (needed["needed layers, number"].value, needed["% of needed layers pure, number"].value) == (4, 75)
    assert controls[UNTRAINED]["% of needed layers pure, number"].value == 0
    some = found("some-pure-at-peak", world)[0]
    assert [some[f"{kind} layers at a peak, letter"].value for kind in ("positional", "symbolic")] == [1, 8]
    start = found("start-high", both(start=[(0.95, 0.99)] * 11 + [(0.92, 0.91)]))[0]
    assert start["least score at the start, number"].value == pytest.approx(0.91, abs=1e-6)
    assert start["least entropy share at the start, letter"].value == pytest.approx(0.91, abs=1e-6)
    lead = found("letter-symbolic-larger", only("letter", scores=first_of((0.5, 0.75), 4, POSITIONAL)))
    assert lead[0]["least symbolic - positional, letter"].value == pytest.approx(0.25, abs=1e-6)


def test_gaps_and_ratios_by_hand() -> None:
    mine = run("number", when=(1, 3, 4, 6))
    assert learning_numbers._when(mine) == [10, 20, 28, 60]
    assert learning_numbers._gap(mine, learning_numbers._when) == 1
    assert learning_numbers._gap(mine, learning_numbers._reversed) == -2
    assert learning_numbers._ratio(mine, learning_numbers._when) == 6
    # Half as late again each, up to the last step.
    late = run("number", when=(3, 3, 3, 4))
    assert learning_numbers._delayed(late) == [20, 30, 45, 60]
    assert learning_numbers._ratio(late, learning_numbers._when) == 1.4
    never = run("number", **UNLEARNED)
    assert learning_numbers._when(never) == [10, 14, 20, -1]
    assert learning_numbers._gap(never, learning_numbers._when) == -1
    assert learning_numbers._ratio(never, learning_numbers._when) == 1e6
    assert learning_numbers._delayed(never) == [-1]
    # Learned before training: no division by 0.
    assert learning_numbers._ratio(run("number", when=(0,) * 4), learning_numbers._when) == 0


def test_angles_by_hand() -> None:
    numbers, controls = found("letter-angles")
    assert {key: round(number.value, 6) for key, number in numbers.items()} == {
        "largest angle of a layer by the best reading, letter": 0.01,
        "largest mean angle, letter": 0.3,
        "largest index angle, letter": 0.01,
        "largest median angle, letter": 0.02,
        "largest top angle, letter": 0.5,
    }
    assert controls[UNTRAINED]["largest angle of a layer by the best reading, letter"].value == pytest.approx(0.2)
    (number,), controls = found("number-angles")[0].values(), found("number-angles")[1]
    assert number.value == 12
    # .2 everywhere is as printed in five layers.
    assert [held.value for each in controls.values() for held in each.values()] == [5]


def test_paths_and_depths_by_hand() -> None:
    mine = run("letter")
    assert mechanism_numbers.moved(mine, 60)[:5].tolist() == [[hops > layer for hops in HOPS] for layer in range(5)]
    assert mine.depths(60) == [1, 2, 3, 4]
    assert mine.depths(0) == [13] * 4
    # Solved without any attention; with all of it; not at all.
    assert run("letter", depth=(0, 11, 12, 99)).depths(60) == [0, 11, 12, 12]
    unsolved = run("letter", depth=(0, 11, 12, 99), **UNLEARNED)
    assert unsolved.depths(60) == [0, 11, 12, 13]
    numbers = found("letter-deeper", only("letter", depth=(2, 5, 6, 9)))[0]
    assert numbers["least layers from class to class, letter"].value == 1
    assert numbers["largest depth of 4 hops, letter"].value == 9
    # Ten places have one after them, in classes of one to four hops.
    name = "% of moves with a layer that makes them, letter"
    assert found("path-attended", only("letter", moves=fewer(MOVES, 3, (4, 3))))[0][name].value == pytest.approx(90)
    assert found("path-attended")[1][UNTRAINED][name].value == 0


def test_agreement_by_hand() -> None:
    # The pure layers 0 and 1 break the classes 1, 2, 3 and 4; of these the layer moves three, and one that stays whole.
    mine = run(
        "letter",
        scores=first_of(SYMBOLIC, 2, MIXED),
        broken={0: (1, 2), 1: (3, 4), 2: HOPS},
        moves={0: ((1, 0), (2, 1), (3, 0), (3, 1)), 1: ((4, 2),), 5: ((4, 3),)},
    )
    assert mechanism_numbers._agreement(mine, 60, 1) == (4, 75, 75, 4)
    assert mechanism_numbers._agreement(mine, 60, -1) == (4, 0, 0, 0)
    # The untrained model has no pure layer.
    assert mechanism_numbers._agreement(mine, 0, 1) == (0, 0, 0, 0)
    numbers = found("pure-breaks-its-moves")[0]
    assert numbers["broken classes of pure layers, number"].value == 4 + 3 + 2 + 1
    assert numbers["moved classes of pure layers, letter"].value == 10


def test_reaches_by_hand() -> None:
    falls = {17: 1.0, 20: 0.95, 24: 0.9, 32: 0.89, 48: 0.99}
    assert length_numbers.reach(run("letter", long=falls)) == 24
    assert length_numbers.reach(run("letter", long={**falls, 17: 0.89})) == 1
    assert length_numbers.reach(run("letter")) == 850
    assert length_numbers.asked(run("letter"))["length"].tolist() == list(LENGTHS)
    assert length_numbers.asked(run("letter"), 0)["length"].tolist() == list(CHECKED)


def test_rules_and_losses_by_hand() -> None:
    rules = {20: {"a": 0.3, "b": 0.6}, 17: {"a": 0.5, "b": 0.4}, 850: {"a": 0.9, "b": 0.95}}
    assert length_numbers.best_rule(run("letter", rules=rules)).tolist() == [0.5, 0.6, 0.95]
    held = {"recopied": {17: 1.0, 100: 0.75, 850: 0.5}, "redirected": {17: 0.875, 100: 1.0, 850: 1.0}}
    mine = run("letter", long={**dict.fromkeys(LENGTHS, 1.0), 850: 0.625, 500: 0.0}, varied=held)
    assert length_numbers._losses(mine, ("recopied",)) == 0.25
    assert length_numbers._losses(mine, ("redirected",)) == 0.125
    assert length_numbers._losses(mine, VARIANTS) == 0.25
    numbers, controls = found("letter-follows")
    assert numbers["largest loss by a variant, letter"].value == pytest.approx(0.03)
    assert numbers["least lead over the best rule, letter"].value == pytest.approx(0.2)
    assert controls[UNTRAINED]["least lead over the best rule, letter"].value == pytest.approx(-0.7)
    short, controls = found("number-hardly")
    assert controls[UNTRAINED]["largest upper end from twice the length, number"].value == pytest.approx(0.13)
    assert short["lower end at the length of training, number"].value == pytest.approx(0.97)
    # From 34 on: 48 and more.
    assert short["largest upper end from twice the length, number"].value == pytest.approx(0.53)
    assert short["largest reach, number"].value == 20


def test_theory_by_hand() -> None:
    at = last
    number, letter = run("number"), run("letter")
    # Of the needed layers alone, which are the first four: 30, 40, 25, 35 and 600, 900, 700, 800.
    assert length_numbers.theory_reach(number, at, "top_angle", "least") == 25
    assert length_numbers.theory_reach(number, at, "top_angle", "largest") == 40
    assert length_numbers.theory_reach(letter, at, "top_angle", "least") == 600
    assert length_numbers.theory_reach(letter, at, "top_angle", "largest") == 850
    assert length_numbers.theory_reach(letter, at, "mean_angle", "largest") == 2
    assert length_numbers.theory_reach(run("letter", **NONE_NEEDED), at, "top_angle", "least") == 1
    numbers, controls = found("reach-predicted")
    # 25 of 20 and 600 of 850; 40 of 20.
    assert numbers["largest factor, least reach, top angle"].value == pytest.approx(850 / 600)
    assert numbers["largest factor, largest reach, top angle"].value == 2
    assert numbers["largest factor, least reach, mean angle"].value == 425
    best = "largest factor between theory and model by the best reading"
    assert numbers[best].value == pytest.approx(850 / 600)
    assert controls[UNTRAINED][best].value == 425
    # 25 of 850, or 600 of 20; by the largest 40 of 850, or 850 of 20; by the other readings 2 of 850.
    assert controls[SWAPPED][best].value == 34


# -- runs ----------------------------------------------------------------------------------------------------------


def test_tables_are_parted_by_size_and_seed() -> None:
    parts = [
        made("letter", 0, {**GOOD["letter"], "right": 0.99}),
        made("letter", 0, {**GOOD["letter"], "size": "small", "right": 0.98, "rules": {13: {"a": 0.5, "b": 0.4}}}),
        made("letter", 2, {**GOOD["letter"], "size": "small", "right": 0.97}),
    ]
    joined = {name: pa.concat_tables([part[name] for part in parts]) for name in parts[0]}
    joined["baselines"] = pa.concat_tables([part["baselines"] for part in parts[:2]])
    for size, seeds in {"full": [0], "small": [0, 2]}.items():
        held = runs_of({"letter": joined}, size)
        assert list(held) == ["letter"]
        assert [each.seed for each in held["letter"]] == seeds
        for each, right in zip(held["letter"], {"full": [0.99], "small": [0.98, 0.97]}[size], strict=True):
            assert each.task == "letter"
            assert each["steps"]["accuracy"].max() == pytest.approx(right)
            for name in parts[0]:
                assert set(each[name]["size"]) == {size}
            assert len(each["heads"]["layer"]) == LAYERS * len(STEPS)
            assert all(set(each[name]["seed"]) == {each.seed} for name in parts[0] if name != "baselines")
            # Of no run: the same with each of its size.
            assert sorted(set(each["baselines"]["length"].tolist())) == (list(LENGTHS) if size == "full" else [13])
    assert runs_of({"letter": joined}, "medium") == {"letter": ()}


def test_numbers_are_worst_over_runs() -> None:
    held = runs({"letter": [{"when": (1, 2, 3, 4)}, {"when": (1, 3, 4, 6)}]})["letter"]
    assert least(held, learning_numbers._ratio, learning_numbers._when) == pytest.approx(2.8)
    assert largest(held, learning_numbers._ratio, learning_numbers._when) == 6
    steps = found("letter-hop-by-hop", {"letter": [{"when": (1, 2, 3, 4)}, {"when": (1, 3, 4, 6)}]})[0]
    assert [steps[f"latest step at which {hops} hops are learned, letter"].value for hops in HOPS] == [10, 20, 28, 60]


def test_made_tables_have_columns_that_measured_ones_have() -> None:
    tables = made("letter", 0, GOOD["letter"])
    for name, columns in TABLES.items():
        if name in tables:
            assert set(tables[name].column_names) <= set(columns)
            assert {"task", "size", "seed", "step"} <= set(tables[name].column_names)
