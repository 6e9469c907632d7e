"""Proofs about what positional heads cannot compute, as derivations for every length.

`E` turns a logit into the weight before it is divided by the sum of all, as in `invariance_proofs`.
"""

from __future__ import annotations

from typing import Any

import sympy

from headproof.theory.derivation import (
    FALSE,
    Derivation,
    Derive,
    Entailment,
    Fact,
    Hypothesis,
    Part,
    Use,
    at_least,
    equal,
    greater,
)

E = sympy.Function("E")

# -- positional, attention added up by answer ----------------------------------------------------------------------

SCORES = "the same scores cannot be right twice"
first, second, first_too, second_too, others = sympy.symbols("first second first_too second_too others", real=True)
LINKED_FIRST = equal(first, first_too)
LINKED_SECOND = equal(second, second_too)
RIGHT_TWICE = greater(0, E(first_too) - E(second_too) + others)


def scores(
    linked: tuple[Hypothesis, ...] = (LINKED_FIRST, LINKED_SECOND),
    right_there: Fact = RIGHT_TWICE,
) -> Entailment:
    """Query s1. The input ..(s1,y1)..(s2,y2).. has the answer y1, the input ..(s2,y1)..(s1,y2).. the answer y2; all
    other keys, which come before or do not hold s1, are the same. `first` is the logit of (s1,y1) at its place,
    `first_too` of (s2,y1) there, and so on. `others` is what other keys add to the score of y1 less that of y2."""
    return Entailment(
        SCORES,
        {
            **{f"linked {number}": each for number, each in enumerate(linked, start=1)},
            "right": greater(E(first) - E(second) + others),
            "right there": right_there,
        },
        (FALSE,),
    )


PROOF_OF_SCORES = Derivation(
    SCORES,
    (
        Use("first place", "replace", (first, first_too), ("right", "linked 1")),
        Use("second place", "replace", (second, second_too), ("first place", "linked 2")),
        Derive("contradiction", FALSE, (Part(("second place",)), Part(("right there",)))),
    ),
    why="(s1,y1) and (s2,y1) stand in one valid input with query s1, so they have one logit at each place, and so "
    "have (s2,y2) and (s1,y2): place by place both inputs hold the same attribute with the same weight",
)

# -- positional, any values, affine output map ---------------------------------------------------------------------

LINK = "a positional head gives four pairs one logit at each place"
AFFINE = "affine scores cannot be right on all eight inputs"
p11, p12, p21, p22 = sympy.symbols("p11 p12 p21 p22", real=True)
d11, d12, d21, d22, w1, w2, u1, u2, bias, bias_too = sympy.symbols(
    "d11 d12 d21 d22 w1 w2 u1 u2 bias bias_too", real=True
)
LINKS = (equal(p11, p22), equal(p21, p12), equal(p11, p21))


def link(links: tuple[Hypothesis, ...] = LINKS) -> Entailment:
    """`p11` is the logit of (s1,y1) at one place, and so on; each link is a valid input in which two pairs stand."""
    return Entailment(
        LINK,
        {f"linked {number}": each for number, each in enumerate(links, start=1)},
        (equal(p11, p12), equal(p11, p21), equal(p11, p22)),
    )


PROOF_OF_LINK = Derivation(
    LINK,
    (
        Derive("(s1,y2)", equal(p11, p12), (Part(("linked 3",)), Part(("linked 2",)))),
        Derive("(s2,y1)", equal(p11, p21), (Part(("linked 3",)),)),
        Derive("(s2,y2)", equal(p11, p22), (Part(("linked 1",)),)),
    ),
)


def _score(one: Any, two: Any, weights: tuple[Any, Any], constant: Any) -> Any:
    return weights[0] * one + weights[1] * two + constant


def affine(queries: int = 2, attributes: int = 2, both_places: bool = True) -> Entailment:
    """`d11` is `u_y1 - u_y2` at the token (s1,y1), and so on. For query s1 the two places have the weights w1 and w2,
    and `bias` is all the rest: the output map's own term, the query's own key, other keys; for query s2 alike."""
    known: dict[str, Hypothesis] = {}
    for query, weights, constant in ((1, (w1, w2), bias), (2, (u1, u2), bias_too))[:queries]:
        known[f"weight 1 of query {query}"] = at_least(weights[0])
        known[f"weight 2 of query {query}"] = at_least(weights[1])
        for name, (one, two), sign in (("y1 y2", (d11, d22), 1), ("y2 y1", (d21, d12), -1))[:attributes]:
            sign = sign if query == 1 else -sign
            known[f"s1, s2 hold {name}, query {query}"] = greater(sign * _score(one, two, weights, constant))
            if both_places:
                known[f"s1, s2 hold {name}, query {query}, swapped"] = greater(
                    sign * _score(two, one, weights, constant)
                )
    return Entailment(AFFINE, known, (FALSE,))


DIFFERENCE = d11 + d22 - d21 - d12
PROOF_OF_AFFINE = Derivation(
    AFFINE,
    (
        *(
            Derive(
                f"query {query}",
                greater(weight * sign * DIFFERENCE),
                tuple(
                    Part((f"s1, s2 hold {name}, query {query}{order_}",))
                    for name in ("y1 y2", "y2 y1")
                    for order_ in ("", ", swapped")
                ),
            )
            for query, weight, sign in ((1, w1 + w2, 1), (2, u1 + u2, -1))
        ),
        Derive("W of query 1", at_least(w1 + w2), (Part(("weight 1 of query 1",)), Part(("weight 2 of query 1",)))),
        Derive("W of query 2", at_least(u1 + u2), (Part(("weight 1 of query 2",)), Part(("weight 2 of query 2",)))),
        # W D > 0 and -W' D > 0, but W D (-W' D) = -W W' D^2 <= 0
        Derive(
            "contradiction",
            FALSE,
            (
                Part(("query 1", "query 2")),
                Part(("W of query 1", "W of query 2"), 1, (DIFFERENCE,)),
            ),
        ),
    ),
    why="four inputs for one query say that W D > 0, four for the other that W' D < 0, with the same D",
)

# -- positional, one-hot values, the token with the most attention is the output -----------------------------------

MOST = "the same weights cannot favour both places"
target_one, target_two, rival_one, rival_two, copies = sympy.symbols(
    "target_one target_two rival_one rival_two copies", real=True
)
LINKED_ONE = equal(target_one, rival_one)
LINKED_TWO = equal(target_two, rival_two)
SWAPPED_RIGHT = greater(E(target_two) - E(rival_one) - copies)


def most(
    linked: tuple[Hypothesis, ...] = (LINKED_ONE, LINKED_TWO),
    swapped_right: tuple[Fact, ...] = (SWAPPED_RIGHT,),
) -> Entailment:
    """The target, whose letter the query names, at place one and a rival at place two, and the same with the two
    swapped; every other key is a copy of the rival, and `copies` is their weight. Logits by content and place."""
    return Entailment(
        MOST,
        {
            **{f"linked {number}": each for number, each in enumerate(linked, start=1)},
            "copies": at_least(copies),
            "right": greater(E(target_one) - E(rival_two) - copies),
            **dict(zip(("right, swapped",), swapped_right, strict=False)),
        },
        (FALSE,),
    )


PROOF_OF_MOST = Derivation(
    MOST,
    (
        Use("place one", "replace", (target_one, rival_one), ("right", "linked 1")),
        Use("place two", "replace", (target_two, rival_two), ("right, swapped", "linked 2")),
        Derive("contradiction", FALSE, (Part(("place one",)), Part(("place two",)), Part(("copies",), 2))),
    ),
    why="target and rival stand in one input, so they have one logit at each place",
)
