"""Random sequences of the letter task: two chains of names, and a query that enters one of them (dyn.tasks).

Letters are dealt roles. `long` letters form one chain and `short` letters another one: the first of each is bound to a
number, a *terminal*, and every other one names the one before it. These letters have one symbol each, and some pair
names each of them, the last of a chain too; so any query among them is unambiguous. The other letters are named by
nobody, the query's left letter among them. They may have several symbols, with letters and with numbers. The query
names the letter of a chain at the depth that is wanted.

*Nothing before the query tells where the answer is.* Shape, numbers, copies and places are drawn alike for both
terminals, and a query enters either chain as often as the other. Too few letters are left for two chains of the most
hops, eight letters of which four hops take five; so the most hops always lead into the long chain, and fewer hops into
the short one as much more often (`into_long`). Nor does anything before the query tell the hops. That is so at the
lengths of training; in longer windows, where the further tokens take two letters, the short chain has two and the long
one the others, so that few hops lead into the one and many into the other.

Both terminals have equally many copies, up to `MOST_COPIES`. Further tokens of longer windows, like all others of the
target window, are pairs of letters that nobody names: there are two such letters always in longer windows, where the
letters allow for it, and in `SPARED` of the sequences otherwise (the small vocabulary never allows for it: its further
tokens are pairs of the query's letter). So the two terminals are the rarest pairs of a long window, alike.
"""

from __future__ import annotations

import numpy as np

from headproof.checks.trained.multihop.tasks import Ids
from headproof.checks.trained.multihop.windows import Labels, Windows

MOST_COPIES = 3
# The share of sequences of the training length whose short chain spares a letter.
SPARED = 0.2


def short_chain(windows: Windows, spared: int) -> int:
    """Letters of the short chain, if `spared` letters besides the query's stay out of both where they can."""
    longest = max(windows.hops)
    return max(1, min(longest, windows.task.letters - 1 - longest - spared))


def into_long(windows: Windows, short: int) -> float:
    """The probability that a query of no more than `short` hops enters the long chain: such that half of all do.

    It is 0 where more than half of the hop classes have more hops than the short chain has letters.
    """
    forced = sum(hops > short for hops in windows.hops) / len(windows.hops)
    return max(0.0, 0.5 - forced) / (1 - forced) if forced < 1 else 0.0


def letter_tokens(windows: Windows, wanted: Labels, source: np.random.Generator) -> Ids:
    """Tokens `(count, length)` with the labels that are wanted.

    Roles, by row: 0 to `own - 1` are the answer's chain, then `other` letters are the other one, the rest are named by
    nobody, the last one of them the query's left letter.
    """
    task, core, hops = windows.task, windows.core, wanted.hops
    count = len(hops)
    names = source.random((count, task.letters - 1)).argsort(axis=1)
    names += names >= (wanted.values // task.numbers)[:, None]
    names = np.concatenate([wanted.values[:, None] // task.numbers, names], axis=1)
    numbers = source.integers(task.numbers, size=(count, 2))
    numbers[:, 0] = wanted.values % task.numbers
    own, other = _chains(windows, hops, source)

    unnamed = task.letters - own - other
    places = (count, windows.target)
    roles = (own + other)[:, None] + source.integers(0, unnamed[:, None], size=places)
    values = source.integers(task.numbers, size=places)
    held, near = _terminals(windows, wanted.places, source), slice(windows.target - core, None)
    roles[:, near] = np.select([held == 0, held == 1], [np.zeros_like(held), own[:, None]], roles[:, near])
    values[:, near] = np.select([held == 0, held == 1], [numbers[:, :1], numbers[:, 1:]], values[:, near])
    target = task.bound + np.take_along_axis(names, roles, axis=1) * task.numbers + values

    left, right = _pairs(windows, hops, own, other, source)
    before = np.take_along_axis(names, left, axis=1) * task.letters + np.take_along_axis(names, right, axis=1)
    query = names[:, -1] * task.letters + names[np.arange(count), hops - 1]
    return np.concatenate([target, before, query[:, None]], axis=1)


def _chains(windows: Windows, hops: Ids, source: np.random.Generator) -> tuple[Ids, Ids]:
    """Letters `(count,)` of the answer's chain and of the other one."""
    shorts = np.array([short_chain(windows, spared) for spared in (0, 1)])
    chances = np.array([into_long(windows, int(short)) for short in shorts])
    # A letter is spared only where the queries can still be shared out between both chains.
    can = sum(each <= shorts[1] for each in windows.hops) * 2 >= len(windows.hops)
    share = 0.0 if not can else 1.0 if windows.target > windows.core else SPARED
    drawn = source.random((2, len(hops)))
    spared = (drawn[0] < share).astype(np.int64)
    short, longest = shorts[spared], max(windows.hops)
    into = (hops > short) | (drawn[1] < chances[spared])
    return np.where(into, longest, short), np.where(into, short, longest)


def _terminals(windows: Windows, places: Ids, source: np.random.Generator) -> Ids:
    """What the core holds `(count, core)`: 0 the answer's pair, 1 the other terminal's, 2 something else.

    The answer's last copy stands at its place, the other's at any other place; both have as many copies before them.
    """
    core, count = windows.core, len(places)
    others = source.integers(core - 1, size=count)
    others += others >= places
    first, last = np.minimum(places, others), np.maximum(places, others)
    more = source.integers(0, np.minimum(MOST_COPIES - 1, np.minimum(first, (last - 1) // 2)) + 1)
    at = np.arange(core)
    earlier, later = _chosen(at < first[:, None], more, source), at < last[:, None]
    later = _chosen(later & (at != first[:, None]) & ~earlier, more, source)
    is_first = (places == first)[:, None]
    held = np.where(earlier | (at == first[:, None]), np.where(is_first, 0, 1), 2)
    return np.where(later | (at == last[:, None]), np.where(is_first, 1, 0), held)


def _chosen(allowed: Ids, many: Ids, source: np.random.Generator) -> Ids:
    """So many of the places that are allowed `(count, core)`, drawn by row."""
    keys = np.where(allowed, source.random(allowed.shape), 2.0)
    chosen: Ids = keys.argsort(axis=1).argsort(axis=1) < many[:, None]
    return chosen


def _pairs(windows: Windows, hops: Ids, own: Ids, other: Ids, source: np.random.Generator) -> tuple[Ids, Ids]:
    """Roles of the pre-target window's left and right letters, `(count, before)` each.

    Each letter's pair stands there, and one for the last letter of each chain, in any order in which a pair names what
    stands before it; where there is no room for all, those of the path do. Places to spare hold copies of pairs, or
    pairs of unnamed letters with any letter that stands before.
    """
    letters, count, rows = windows.task.letters, len(hops), np.arange(len(hops))
    left, right = (np.zeros((count, windows.before), dtype=np.int64) for _ in range(2))
    # Items: the pair of each role, the pairs for the last letters of the chains, and a pair of an unnamed letter.
    item, ends = np.arange(letters + 2), np.stack([own - 1, own + other - 1], axis=1)
    named = np.concatenate([np.broadcast_to(np.arange(letters) - 1, (count, letters)), ends], axis=1)
    chain = (item < (own + other)[:, None]) & (item > 0) & (item != own[:, None])
    kept = chain | (item >= letters)
    must = kept if windows.before >= int(kept.sum(axis=1).max(initial=0)) else chain & (item < hops[:, None])
    unnamed = (letters - own - other)[:, None]
    by = (own + other)[:, None] + source.integers(0, unnamed, size=(count, windows.before + 2))
    lefts = np.concatenate([np.broadcast_to(np.arange(letters), (count, letters)), by[:, windows.before :]], axis=1)
    present = (np.arange(letters) == 0) | (np.arange(letters) == own[:, None])
    placed = np.zeros((count, letters + 2), dtype=bool)
    keys = source.random((windows.before, count, letters + 3))
    free = source.random((windows.before, count, letters))
    for place in range(windows.before):
        waiting = must & ~placed
        spare = (windows.before - place > waiting.sum(axis=1))[:, None]
        ready = kept & np.take_along_axis(present, named, axis=1)
        open_ = np.concatenate([ready & (waiting | spare), spare], axis=1)
        pick = np.where(open_, keys[place], -1.0).argmax(axis=1)
        extra = pick == letters + 2
        pick = np.where(extra, 0, pick)
        any_ = np.where(present, free[place], -1.0).argmax(axis=1)
        left[:, place] = np.where(extra, by[:, place], lefts[rows, pick])
        right[:, place] = np.where(extra, any_, named[rows, pick])
        placed[rows, pick] |= ~extra
        present[rows, left[:, place]] |= chain[rows, left[:, place]]
    return left, right
