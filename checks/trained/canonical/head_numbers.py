"""The numbers of claims about how toys answer: the shape of their accuracy over places, and what their heads do."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from headproof.checks.trained.canonical.grouping import Found, Tables, by_length, groups, learned_toys
from headproof.checks.trained.canonical.results import curves_of
from headproof.checks.trained.canonical.shape import interval, shape_of
from headproof.checks.trained.canonical.sweep import SOLVED
from headproof.checks.trained.comparing import Result
from headproof.checks.trained.evidence import holm
from headproof.checks.trained.rows import rows
from headproof.theory.canonical.toy_findings import UNTRAINED

Array = np.ndarray[Any, Any]
LEVEL = 0.05
# By how much a set must exceed the angle 0 to have learned something.
LEARNS = 0.05


# -- shapes ---------------------------------------------------------------------------------------------------------


def _shapes(task: str, shape: str, tables: Tables, seed: int) -> Result:
    def at(length: int, value: str = "accuracy", dealt: bool = False) -> Found:
        sets = groups(tables, task, length)
        first = {each.one["angles"]: rows(each.cells, round=1) for each in sets}
        nothing = float(first["0"]["accuracy"].mean()) if task == "index" else float(first["0"]["untrained"].mean())
        asked = [
            each
            for each in sets
            if 0 < each.angle * each.keys < 2 * math.pi
            and nothing + LEARNS < first[each.one["angles"]]["accuracy"].mean() < SOLVED
        ]
        source = np.random.default_rng(seed)
        shapes = []
        for each in asked:
            curves = curves_of(tables["places"], first[each.one["angles"]]["name"], value)
            shapes.append(shape_of(source.permuted(curves, axis=1) if dealt else curves))
        p = holm(np.array([each.u if shape == "U" else each.inverted for each in shapes], dtype=float))
        found: Found = {"sets asked": len(asked), shape: int((p < LEVEL).sum())}
        for each, held in zip(asked, shapes, strict=True):
            found[f"left arm at {each.one['angles']}"], found[f"right arm at {each.one['angles']}"] = (
                held.left,
                held.right,
            )
        return found

    controls = {
        UNTRAINED: by_length(partial(at, value="untrained")),
        "places dealt at random": by_length(partial(at, dealt=True)),
    }
    return by_length(at), controls


# -- mechanism ------------------------------------------------------------------------------------------------------


def _heads(task: str, column: str, extra: Mapping[str, str], tables: Tables, seed: int) -> Result:
    def at(length: int, state: str = "trained") -> Found:
        solved = learned_toys(tables, task, length)
        of = rows(tables["heads"], state=state)
        place = {name: at for at, name in enumerate(of["name"].tolist())}
        chosen = np.array([place[name] for name in solved["name"].tolist()], dtype=int)
        values = of[column][chosen]
        medians = np.array([np.median(values[solved["seed"] == s]) for s in np.unique(solved["seed"])])
        low, high = interval(medians) if len(medians) > 1 else (math.nan, math.nan)
        found = {"toys": len(values), "median": float(np.median(values)) if len(values) else math.nan}
        found |= {"median, 2.5 %": low, "median, 97.5 %": high}
        return found | {name: float(np.median(of[other][chosen])) for name, other in extra.items() if len(values)}

    return by_length(at), {UNTRAINED: by_length(partial(at, state="untrained"))}


ON_PLACES: Mapping[str, Callable[[Tables, int], Result]] = {
    "index-u": partial(_shapes, "index", "U"),
    "retrieval-inverted-u": partial(_shapes, "retrieval", "inverted U"),
}
ON_HEADS: Mapping[str, Callable[[Tables, int], Result]] = {
    "index-keys": partial(_heads, "index", "keys_resultant", {"median share": "keys_share"}),
    "index-queries": partial(
        _heads,
        "index",
        "query_resultant",
        {"median explained": "explained", "chance": "query_chance", "median of a constant query": "query_constant"},
    ),
    "retrieval-code": partial(
        _heads,
        "retrieval",
        "symbol_share",
        {"median share of symbols that lead": "symbol_leads", "median worst lead": "worst_lead"},
    ),
}
