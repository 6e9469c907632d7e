"""Checks of what symbolic and positional heads cannot compute (DEC, lemma 1, theorems 2 and 4, corollary 1; DYN, 3.1).

Exports CLAIMS, CHECKS and CASES; the topic `expressivity` joins them with those of the constructions.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cache, partial
from itertools import product
from typing import Any

from hypothesis import strategies as st

from headproof.checks.engines import attention
from headproof.checks.engines.decision import Decision
from headproof.checks.registry import Check, Context
from headproof.checks.standard import proof_check, search_check
from headproof.theory.claim import Claim, Statement, Tier
from headproof.theory.errors import InputError
from headproof.theory.expressivity.attention_cases import MOST_SEQUENCES, HeadCase, PermutedCase
from headproof.theory.expressivity.attention_instances import OWN, Entry
from headproof.theory.expressivity.impossibility_claims import IMPOSSIBILITY_CLAIMS
from headproof.theory.expressivity.invariance_claims import INVARIANCE_CLAIMS
from headproof.theory.expressivity.task_cases import (
    AffineCase,
    IndexCase,
    InductionCase,
    LetterCase,
    NumberCase,
    RetrievalCase,
)
from headproof.theory.inputs import Token

CLAIMS: tuple[Claim, ...] = (*INVARIANCE_CLAIMS, *IMPOSSIBILITY_CLAIMS)

# The largest sizes of the instances, quick and full, in the order of each case's counts.
SIZES: Mapping[type[Any], tuple[tuple[int, ...], tuple[int, ...]]] = {
    IndexCase: ((3, 4), (3, 5)),
    RetrievalCase: ((3, 3, 4), (4, 3, 5)),
    AffineCase: ((3, 2, 4), (3, 3, 4)),
    InductionCase: ((2, 2, 4), (3, 2, 4)),
    NumberCase: ((2, 4), (3, 4)),
    LetterCase: ((2, 2, 3), (3, 2, 4)),
}
SHORTEST = 2
KEYS = (4, 5)


def instances(case_type: Any, effort: str) -> tuple[Any, ...]:
    """The instances up to the largest sizes, each as the head whose logits are all 0."""
    return _instances(case_type, effort)


@cache
def _instances(case_type: Any, effort: str) -> tuple[Any, ...]:
    if case_type is PermutedCase:
        return tuple(PermutedCase(keys) for count in range(1, KEYS[effort != "quick"] + 1) for keys in _patterns(count))
    return tuple(_valid(case_type, SIZES[case_type][effort != "quick"]))


def _valid(case_type: Any, largest: tuple[int, ...]) -> Iterator[HeadCase]:
    ranges = [range(1, top + 1) for top in largest[:-1]] + [range(SHORTEST, largest[-1] + 1)]
    for sizes in product(*ranges):
        try:
            yield case_type(*sizes)
        except InputError:
            continue


def _patterns(count: int) -> Iterator[tuple[str, ...]]:
    """All ways in which `count` tokens can repeat, as letters in order of first occurrence."""
    for keys in product("abcde"[:count], repeat=count):
        if list(dict.fromkeys(keys)) == list("abcde"[: len(set(keys))]):
            yield keys


def _bounds(case_type: Any, effort: str) -> str:
    if case_type is PermutedCase:
        return f"every input of up to {KEYS[effort != 'quick']} keys, which may repeat"
    largest = SIZES[case_type][effort != "quick"]
    names = instances(case_type, effort)[0].sizes
    said = [f"{name} <= {top}" for name, top in zip(names, largest, strict=True)]
    return f"{', '.join(said)}, as far as there is an input and there are at most {MOST_SEQUENCES} sequences"


# -- where cases are drawn from ------------------------------------------------------------------------------------

Factor = Callable[[Entry], int]
FEW = (1, 1, 2, 3, 4, 8)


def _asked(entry: Entry, length: int) -> bool:
    """Whether the query asks for this key: by its place, by its symbol, or by itself where it is its own answer."""
    query, content = entry.query, entry.content
    if isinstance(query, int):
        return entry.position in (query, length - query)
    if isinstance(query, tuple):
        return content[0] == query[1] if isinstance(query[1], str) and isinstance(content, tuple) else content == query
    return isinstance(content, tuple) and content[0] == query


def _heads(length: int, chance: random.Random) -> list[Factor]:
    """Kinds of heads: the same weight everywhere; by place; by content; what is asked for; the latest of that; the
    own key; all but one content or place alike; anything."""
    drawn: dict[tuple[str, Token, Any], int] = {}

    def any_of(name: str, *key: Any) -> int:
        return drawn.setdefault((name, str(key), None), chance.choice(FEW))

    def by_content(entry: Entry) -> int:
        return any_of("content", entry.query, entry.content)

    free = chance.choice("abq")

    def exception(entry: Entry) -> int:
        name = str(entry.content[0]) if isinstance(entry.content, tuple) else str(entry.content)
        return any_of("any", entry) if name == free else by_content(entry)

    return [
        lambda entry: 1,
        lambda entry: any_of("place", entry.query, entry.position),
        lambda entry: 2**entry.position,
        by_content,
        lambda entry: 8 if _asked(entry, length) else 1,
        lambda entry: 8**entry.position if entry.position and _asked(entry, length) else 1,
        lambda entry: 3 * length if entry.position == OWN else 1,
        lambda entry: any_of("any", entry) if entry.position == length - 1 else by_content(entry),
        lambda entry: any_of("any", entry) if entry.position == 1 else by_content(entry),
        exception,
        lambda entry: any_of("any", entry),
    ]


def _drawn(blank: HeadCase, chance: random.Random) -> HeadCase:
    length = getattr(blank, "length", None) or len(blank.instance.inputs[0].keys) + 1
    factor = chance.choice(_heads(length, chance))
    case: Any = blank.with_factors({entry: Fraction(factor(entry)) for entry in blank.instance.entries})
    if isinstance(case, AffineCase):
        symbols, attributes = case.symbols, range(case.attributes)
        identity = [Fraction(y == own) for _ in range(symbols) for own in attributes for y in attributes]
        values = chance.choice([identity, identity, [Fraction(chance.randint(-2, 2)) for _ in identity], []])
        biases = chance.choice([[], [Fraction(chance.randint(-1, 1)) for _ in range(symbols) for _ in attributes]])
        case = replace(case, values=tuple(values), biases=tuple(biases))
    if isinstance(case, LetterCase):
        case = replace(case, values=chance.choice([(), attention.own_key_values(case.tokens)]))
    if isinstance(case, PermutedCase):
        case = replace(case, values=tuple(Fraction(chance.randint(-2, 3)) for _ in case.tokens))
    drawn: HeadCase = case
    return drawn


def cases(claim: Claim, context: Context) -> Any:
    """Heads of all kinds on small instances, degenerate ones included."""
    assert claim.statement is not None
    blanks = instances(claim.statement.case_type, context.effort)
    # The seed alone is drawn: a head is shrunk through `smaller`, not through what it was drawn from.
    seeds = st.integers(0, 2**32)
    return st.tuples(st.sampled_from(blanks), seeds).map(lambda drawn: _drawn(drawn[0], random.Random(drawn[1])))


def _domain(claim: Claim, context: Context) -> str:
    assert claim.statement is not None
    return f"{_bounds(claim.statement.case_type, context.effort)}; heads with rational e^logit"


# -- checks --------------------------------------------------------------------------------------------------------


def _exact(claim: Claim) -> Check:
    def decide(statement: Statement, context: Context) -> Decision:
        bounds = _bounds(statement.case_type, context.effort)
        domain = f"{bounds}: every head of the class, all real logits"
        return attention.decide(statement, instances(statement.case_type, context.effort), domain)

    return Check(claim.id, Tier.EXACT, decide)


CHECKS: tuple[Check, ...] = (
    *(proof_check(claim) for claim in CLAIMS if claim.proof is not None),
    *(_exact(claim) for claim in CLAIMS),
    *(search_check(claim, partial(cases, claim), partial(_domain, claim), 100, 1500) for claim in CLAIMS),
)
CASES: dict[str, Callable[[Context], Any]] = {claim.id: partial(cases, claim) for claim in CLAIMS}
