"""Heads that compute Index, Retrieval and partial induction, with the derivation beside each weight.

Each takes one-hot embeddings in the order of its task's vocabulary (`tasks`), keeps the value map at the
identity and returns the attention output (`F` the projection `Task.readout`), as DEC states theorems 3, 5 and
6. Weights are exact where every parameter is; one float among them makes a float head.

That a head "computes" a task, or "is right", is said under hard attention (`answer`'s default) throughout. Softmax
with inverse temperature beta agrees where beta, or the head's weight, is large enough for the length, and not in
general: with weight 1 and beta 1 these heads err on inputs of five or six tokens.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
import sympy

from headproof.constructions import exact
from headproof.constructions.exact import Turn
from headproof.constructions.heads import Head
from headproof.constructions.rope import RopeConfig
from headproof.constructions.tasks import (
    Names,
    Task,
    Token,
    index_task,
    partial_induction_task,
    retrieval_task,
    symbol_of,
)
from headproof.theory.errors import InputError
from headproof.theory.inputs import require_integer


def answer(head: Head, task: Task, tokens: Sequence[Token], beta: float = math.inf) -> str | None:
    """What a head answers to one input: its output at the query, decoded; None where no answer is largest.

    `beta = inf` is average hard attention, ties between keys averaged, a finite one softmax.
    """
    return task.decode(head.output_at(task.encode(tokens), -1, beta))


def h_pos(symbols: Sequence[str], length: int, theta: Any, *, names: Names = "position", weight: Any = 1) -> Head:
    """`H_POS` (DEC, theorem 3): one RoPE angle `theta` computes Index, `index_task(symbols, length, names)`.

    The logit of the key at position `k` is `weight cos(theta (j - k))` for target `j`, whatever the key
    holds, so the head is positional. With `names="position"` it is right at exactly this length, since the
    query token has to know its own position; with "offset", at every length up to this one.

    No other key ties with the target, the query's own included, if no `t theta` with `1 <= t < length` is a
    multiple of 2 pi; InputError names the first such `t`. (`t = length - 1` would tie the first key with the
    query alone: the answer survives, at half the weight.) A float theta is refused also where `1 - cos(t
    theta)` is within rounding. A SymPy theta with free symbols gives the family of heads, and this premise
    stays with the caller. Raises InputError as well for a bad alphabet or length, and for a weight that is
    not positive.
    """
    task = index_task(symbols, length, names)
    length = int(length)
    angle = exact.angle_of(theta)
    c = _positive(weight, "weight")
    refuse_aliasing(angle, length)
    queries = []
    for token in task.vocabulary:
        # For target j = n - o: R_{n-k} rho(-o theta) v = rho((n - k - o) theta) v = rho((j - k) theta) v, and
        # its product with the key v = (1, 0) is cos((j - k) theta).
        if isinstance(token, int):
            offset = token if names == "offset" else length - token
            cos, sin = exact.turned(angle, -offset)
            queries.append([c * cos, c * sin])
        else:
            queries.append([0, 0])  # no symbol is a query at the last position
    keys = [[1, 0]] * len(task.vocabulary)  # W_K E = v for every token, the query's own included
    return _head(queries, keys, RopeConfig((angle,)))


def h_sym(symbols: Sequence[str], attributes: Sequence[str], *, weight: Any = 1) -> Head:
    """`H_SYM` (DEC, theorem 5): a NoPE head computes Retrieval, `retrieval_task(symbols, attributes)`.

    The logit is `weight` for the pair of the query symbol and 0 for every other key, the query's own
    included, wherever they stand, so the head is symbolic; right at every length. Raises InputError for a bad
    alphabet and for a weight that is not positive.
    """
    task = retrieval_task(symbols, attributes)
    c = _positive(weight, "weight")
    names = list(symbols)
    queries, keys = [], []
    for token in task.vocabulary:
        one_hot = [int(name == symbol_of(token)) for name in names]
        zero = [0] * len(names)
        # A pair is looked up by its symbol; a query asks for its symbol, and offers no key.
        queries.append([c * entry for entry in one_hot] if isinstance(token, str) else zero)
        keys.append(zero if isinstance(token, str) else one_hot)
    return _head(queries, keys, RopeConfig.nope(len(names)))


def two_angle(
    symbols: Sequence[str],
    attributes: Sequence[str],
    length: int,
    theta: Any,
    *,
    match: Any = 1,
    recency: Any = 1,
    directions: Sequence[Turn] | None = None,
) -> Head:
    """Two planes (DEC, theorem 6): angles 0 and `theta` compute partial induction at lengths up to `length`.

    Symbol `s` has a direction `u_s` on the unit circle (by default the regular polygon; `directions` gives
    others, rational ones as Turns). A pair of symbol `s`, `t` steps before a query for `q`, has the logit

        match u_s.u_q + recency cos(t theta),        1 <= t <= T = length - 1,

    and the query's own key the smallest value there is, `-match - recency`. The head is right on every input
    if and only if (two symbols and two attributes at least, else sufficient only), for `T >= 2` and `mu = max
    u_s.u_q over s != q`:

    * `cos(t theta)` strictly decreases on `t = 1 .. T`, that is, `0 < theta < 2 pi / (2T - 1)` up to sign and
      multiples of 2 pi: a match at `t` has to beat one at `t + 1`, and
      `cos(t theta) - cos((t+1) theta) = 2 sin((2t+1) theta/2) sin(theta/2)`;
    * `match (1 - mu) > recency (cos theta - cos(T theta))`: the farthest match beats a wrong key right before
      the query. Otherwise the input with that match and wrong keys of one other attribute at every later
      place is answered wrongly or, in a tie, not at all; under softmax too, at every beta.

    With one key (`T = 1`) nothing can go wrong. Had the query token the key 0 instead, hard attention would
    need `match + recency cos(T theta) >= 0` besides; softmax would not, for the query's value carries no
    attribute.

    Raises InputError outside these conditions, with the numbers; for a bad alphabet, a length below 2,
    weights that are not positive, and directions that are not one a symbol and distinct.
    """
    task = partial_induction_task(symbols, attributes)
    angle = exact.angle_of(theta)
    a, b = _positive(match, "match"), _positive(recency, "recency")
    steps = _steps(length)
    circle = _directions(len(symbols), directions)
    _require_recency(angle, steps)
    # On the regular polygon two neighbours are closest; rational directions are compared pair by pair.
    close = combinations(circle if directions is not None else circle[:2], 2)
    _require_margin(angle, steps, a, b, close)
    queries, keys = [], []
    for token in task.vocabulary:
        query = isinstance(token, str)
        x, y = circle[list(symbols).index(symbol_of(token))]
        # First plane (angle 0): key u_s, query match u_q. Second plane: key (1, 0), query recency (1, 0),
        # turned by t theta between them. The query token's own key points away from its query in both planes.
        queries.append([a * x, a * y, b, 0] if query else [0, 0, 0, 0])
        keys.append([-x, -y, -1, 0] if query else [x, y, 1, 0])
    return _head(queries, keys, RopeConfig((0, angle), "adjacent"))


def one_angle(symbols: Sequence[str], attributes: Sequence[str], length: int, theta: Any, *, weight: Any = 1) -> Head:
    """One plane with one angle computes partial induction at lengths up to `length`; beside DEC, theorem 6.

    DYN's construction for Retrieval (theorem 3.1) keeps the symbol in the phase, `omega = 2 pi / |symbols|`.
    A pair of symbol number `p`, `t` steps before a query for number `r`, has the logit

        weight cos(t theta + (p - r) omega),        1 <= t <= T = length - 1,

    and the query's own key `-weight`, the smallest value there is. The head is right on every input if and
    only if (two symbols and two attributes at least) `T = 1` or `0 < theta < omega / (2T - 1)`, up to the
    sign of theta and multiples of 2 pi. For a match at `t` has the phase `t theta` and the nearest wrong key
    at `t'` the phase `omega - t' theta`; no two keys share a place, so `t + t'` is at most `2T - 1`, and
    there

        cos(T theta) - cos(omega - (T-1) theta) = 2 sin((omega + theta)/2) sin((omega - (2T-1) theta)/2).

    Later matches win, for `cos(t theta)` decreases. So one angle is enough; its margin between two matches is
    at most `cos theta - cos 2 theta < 3/2 (omega / (2T - 1))^2`, smaller the more symbols there are.

    Raises InputError outside this condition, with the numbers; for a bad alphabet, a length below 2 and a
    weight that is not positive.
    """
    task = partial_induction_task(symbols, attributes)
    angle = exact.angle_of(theta)
    c = _positive(weight, "weight")
    steps = _steps(length)
    circle = _directions(len(symbols), None)
    _require_recency(angle, steps)
    _require_phase(angle, steps, circle)
    queries, keys = [], []
    for token in task.vocabulary:
        x, y = circle[list(symbols).index(symbol_of(token))]
        # Key rho(-p omega) v and query weight rho(-r omega) v, v = (1, 0); the query's own key is the
        # opposite of its query.
        query = isinstance(token, str)
        queries.append([c * x, -c * y] if query else [0, 0])
        keys.append([-x, y] if query else [x, -y])
    return _head(queries, keys, RopeConfig((angle,)))


def _head(queries: Sequence[Sequence[Any]], keys: Sequence[Sequence[Any]], rope: RopeConfig) -> Head:
    """The head with these queries and keys a token, values the identity; float if any of its numbers is."""
    exactly = rope.exact and all(exact.is_exact(entry) for rows in (queries, keys) for row in rows for entry in row)
    if not exactly:
        queries, keys = ([[exact.to_float(entry) for entry in row] for row in rows] for rows in (queries, keys))
        rope = rope.numeric()
    identity = np.eye(len(keys), dtype=float if not exactly else int)
    return Head(np.array(queries).T, np.array(keys).T, identity, rope)


def _positive(value: Any, what: str) -> Any:
    weight = exact.number(value, what)
    if exact.sign(weight) <= 0:
        raise InputError(f"{what} {exact.shown(weight)} is not positive")
    return weight


def _steps(length: int) -> int:
    """The distance of the farthest key."""
    return require_integer(length, "the length of an input, its query included,", 2) - 1


def refuse_aliasing(angle: Any, length: int) -> None:
    """Refuse an angle of which a multiple `t angle`, `1 <= t < length`, is a whole number of turns."""
    if exact.is_symbolic(angle):
        return
    for t in range(1, length):
        if isinstance(angle, float):
            # Weights and logits each round a cosine of an angle up to t theta; below this they cannot be told
            # apart.
            aliased = 1 - math.cos(t * angle) <= 8 * sys.float_info.epsilon * (1 + abs(t * angle))
        else:
            aliased = exact.sign(1 - exact.turned(angle, t)[0]) == 0
        if aliased:
            multiple, rounded = "a multiple of 2 pi", ""
            if isinstance(angle, float):
                multiple, rounded = f"within rounding of {multiple}", " to rounding"
            raise InputError(
                f"theta {exact.shown(angle)} aliases at length {length}: {t} theta is {multiple}",
                f"positions {t} apart have equal logits{rounded}, so the target is not unique",
            )


def _directions(count: int, given: Sequence[Turn] | None) -> list[tuple[Any, Any]]:
    """One point of the unit circle a symbol; by default the regular polygon, which has the smallest mu."""
    if given is None:
        return [exact.turned(2 * sympy.pi / count, vertex) for vertex in range(count)]
    if not all(isinstance(turn, Turn) for turn in given) or not len(given) == count == len(set(given)):
        raise InputError(f"directions are distinct Turns, one for each of {count} symbols, got {list(given)}")
    return [(turn.cos, turn.sin) for turn in given]


def _require_recency(angle: Any, steps: int) -> None:
    """Refuse unless `cos(t angle)` strictly decreases on `t = 1 .. steps`."""
    if steps > 1:
        exact.require_value(angle)
    cosines = [exact.turned(angle, t)[0] for t in range(1, steps + 1)]
    for t in range(1, steps):
        if exact.sign(cosines[t - 1] - cosines[t]) <= 0:
            raise InputError(
                f"theta {exact.shown(angle)}: cos({t} theta) is not above cos({t + 1} theta)",
                f"{steps} keys need 0 < theta < 2 pi / {2 * steps - 1} = {2 * math.pi / (2 * steps - 1):.6g}",
            )


def _require_margin(angle: Any, steps: int, match: Any, recency: Any, pairs: Any) -> None:
    """Refuse unless each pair of directions leaves a margin; a single key needs none."""
    if steps < 2:
        return
    spread = recency * (exact.turned(angle, 1)[0] - exact.turned(angle, steps)[0])
    for (x, y), (other_x, other_y) in pairs:
        margin = match * (1 - x * other_x - y * other_y)
        if exact.sign(margin - spread) <= 0:
            raise InputError(
                f"match (1 - mu) = {exact.shown(margin)} is not above "
                f"recency (cos theta - cos({steps} theta)) = {exact.shown(spread)}",
                "raise match, lower recency or theta, or shorten the input",
            )


def _require_phase(angle: Any, steps: int, circle: list[tuple[Any, Any]]) -> None:
    """Refuse unless the farthest match beats the neighbouring symbol one step nearer, on either side."""
    if steps < 2 or len(circle) < 2:
        return
    match, (cos, sin) = exact.turned(angle, steps)[0], exact.turned(angle, steps - 1)
    x, y = circle[1]
    for wrong in (x * cos - y * sin, x * cos + y * sin):
        if exact.sign(match - wrong) <= 0:
            raise InputError(
                f"theta {exact.shown(angle)}: a match {steps} steps back, {exact.shown(match)}, "
                f"is not above a wrong key {steps - 1} steps back, {exact.shown(wrong)}",
                f"needs 0 < theta < {2 * math.pi / len(circle) / (2 * steps - 1):.6g}",
            )
