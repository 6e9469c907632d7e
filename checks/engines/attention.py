"""Deciding what the heads of a class can compute, over all tables of logits of the class, on one finite instance.

A class makes some entries of the table equal; what is left is one unknown factor `e^logit > 0` a group of entries.

* Any output map. Two inputs have the same attention output for all factors exactly if their keys are the same pairs
  (content, group), as often: each weight is one linear form over another, the lower form holds the unknown of the
  query's own key once, and linear forms factor uniquely. If two such inputs have one query and two answers, no head
  of the class computes the task, with average hard attention as little as with softmax. If not, all but a thin set
  of factors work, and one head is found and checked.
* Attention added up by answer. "Right on all inputs" is a system of strict linear inequalities in the factors, query
  by query. Average hard attention gives nothing more: sharp enough softmax is right where it is.
* Affine output map, where the class leaves weights that depend on the place alone and the task does not depend on
  the order of its keys: scores averaged over all orders are right where the scores were, and have equal weights, so
  that "right on all inputs" is a system of strict linear inequalities in values and biases. (A query whose keys have
  no weight at all, under hard attention, has one score for all inputs and is wrong on one.)
* A linear value map and nothing after it: only as far as one head that does it, or the first item, decides.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache
from itertools import permutations
from typing import Any

from headproof.checks.engines import inequalities
from headproof.checks.engines.decision import Decision
from headproof.checks.engines.property import shrink
from headproof.theory.claim import Statement, Verdict
from headproof.theory.errors import InputError
from headproof.theory.expressivity.attention_cases import HeadCase, PermutedCase
from headproof.theory.expressivity.attention_instances import OWN, Entry, Input, Instance, shown
from headproof.theory.expressivity.invariance import (
    Impossible,
    Invariance,
    OutputMap,
    carried,
    computes,
    output_is_invariant,
)
from headproof.theory.expressivity.task_cases import AffineCase, LetterCase
from headproof.theory.inputs import Token
from headproof.theory.parameters import Tokens

Groups = Mapping[Entry, int]
Links = frozenset[tuple[Entry, Entry]]
PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47)


@dataclass(frozen=True)
class Found:
    """A head that does it, or why there is none (JSON values), or neither: undecided."""

    head: HeadCase | None = None
    reason: Mapping[str, Any] = field(default_factory=dict)


def decide(statement: Statement, blanks: Iterable[HeadCase], domain: str) -> Decision:
    """Decide the statement for every head on each instance, given by the head whose logits are all 0.

    That head is in every class, so an instance counts exactly if it meets the premises.
    """
    reasons: list[dict[str, Any]] = []
    decided = 0
    for blank in sorted(blanks, key=lambda each: (each.complexity, str(each))):
        if not statement.meets(blank):
            continue
        if not blank.instance.inputs:
            continue
        decided += 1
        links: Links = frozenset().union(
            *(each.holds.links(blank.instance) for each in statement.premises if isinstance(each.holds, Invariance))
        )
        if statement.conclusion is output_is_invariant and isinstance(blank, PermutedCase):
            found = _reordered(blank, links)
        elif isinstance(statement.conclusion, Impossible):
            found = _computed(blank, links, statement.conclusion.output)
        else:
            raise InputError("this engine decides what heads can compute, and nothing else")
        if found.head is not None:
            if not statement.refuted_by(found.head):
                return Decision(Verdict.ERROR, domain, found.head, "the head that was found does not refute")
            return Decision(Verdict.REFUTED, str(blank).split(";")[0], shrink(statement, found.head), "a head does it")
        if not found.reason:
            return Decision(Verdict.UNDECIDED, domain, summary=f"undecided for {blank}")
        reasons.append({"instance": str(blank).split(";")[0], **found.reason})
    if not decided:
        return Decision(Verdict.VACUOUS, domain, summary="no instance meets the premises")
    name = "pairs" if "inputs" in reasons[0] else "certificates" if "sum" in reasons[0] else "orders"
    return Decision(
        Verdict.HOLDS, domain, summary=f"{decided} instances, all heads of the class on each", details={name: reasons}
    )


@cache
def _groups(instance: Instance, links: Links) -> Groups:
    """The number of each entry's group; linked entries are in one group."""
    parent = {entry: entry for entry in instance.entries}

    def root(entry: Entry) -> Entry:
        while parent[entry] != entry:
            entry = parent[entry]
        return entry

    for one, other in sorted(links, key=str):
        parent[root(one)] = root(other)
    roots = dict.fromkeys(root(entry) for entry in instance.entries)
    number = {each: place for place, each in enumerate(roots)}
    return {entry: number[root(entry)] for entry in instance.entries}


def _entries(each: Input) -> Iterator[tuple[Token, Entry]]:
    """Each key, the query's own included, and its entry."""
    for place, key in enumerate(each.keys, start=1):
        yield key, Entry(each.query, key, place)
    yield each.query, Entry(each.query, each.query, OWN)


@cache
def _computed(blank: HeadCase, links: Links, output: OutputMap) -> Found:
    groups = _groups(blank.instance, links)
    if output == "any":
        return _any_output(blank, groups)
    if output == "projection":
        return _by_answer(blank, groups)
    if isinstance(blank, LetterCase):
        return _linear(blank, groups)
    assert isinstance(blank, AffineCase)
    return _affine(blank, groups)


def _any_output(blank: HeadCase, groups: Groups) -> Found:
    seen: dict[Any, Input] = {}
    for each in blank.instance.inputs:
        forms = frozenset(Counter((token, groups[entry]) for token, entry in _entries(each)).items())
        before = seen.setdefault((each.query, forms), each)
        if before.answer != each.answer:
            return Found(reason=_forced(before, each, groups))
    for factors in _attempts(max(groups.values()) + 1):
        head = blank.with_factors({entry: factors[group] for entry, group in groups.items()})
        if computes(head, "any", hard=False):
            return Found(head)
    return Found()


def _attempts(count: int) -> Iterator[list[Fraction]]:
    """Factors for the groups: simple ones, then ones less and less likely to be special."""
    yield [Fraction(1)] * count
    yield [Fraction(2 ** (k % 5)) for k in range(count)]
    yield [Fraction(PRIMES[k % len(PRIMES)]) for k in range(count)]
    chance = random.Random(count)
    for largest in (100, 10**4, 10**6):
        yield [Fraction(chance.randint(1, largest)) for _ in range(count)]


def _forced(one: Input, other: Input, groups: Groups) -> dict[str, Any]:
    """Two inputs with one forced output and two answers; the output as a sum over keys, divided by the sum of all
    factors, with l0, l1, ... for the logits that the class leaves free."""
    return {
        "inputs": [_text(one), _text(other)],
        "answers": [shown(one.answer), shown(other.answer)],
        "output of both": " + ".join(sorted(f"e^l{groups[entry]} [{shown(token)}]" for token, entry in _entries(one))),
    }


def _text(each: Input) -> str:
    return " ".join(map(shown, (*each.keys, each.query)))


def _by_answer(blank: HeadCase, groups: Groups) -> Found:
    factors: dict[int, Fraction] = {}
    inputs = blank.instance.inputs
    answers = blank.instance.answers
    for query in dict.fromkeys(each.query for each in inputs):
        unknowns = sorted({group for entry, group in groups.items() if entry.query == query})
        column = {group: place for place, group in enumerate(unknowns)}
        rows: dict[tuple[int, ...], str] = {}
        for each in inputs:
            if each.query != query:
                continue
            for wrong in answers:
                if wrong == each.answer:
                    continue
                row = [0] * len(unknowns)
                for token, entry in _entries(each):
                    score = carried({token: 1}, answers)
                    row[column[groups[entry]]] += score[each.answer] - score[wrong]
                rows.setdefault(tuple(row), f"{_text(each)}: {shown(each.answer)} above {shown(wrong)}")
        for place in range(len(unknowns)):
            rows.setdefault(tuple(int(k == place) for k in range(len(unknowns))), "a factor is positive")
        outcome = inequalities.decide(list(rows))
        if outcome.solution is None:
            return Found(reason={"query": shown(query), **_certificate(rows, outcome.factors)})
        factors |= dict(zip(unknowns, outcome.solution, strict=True))
    return Found(blank.with_factors({entry: factors[group] for entry, group in groups.items()}))


def _certificate(rows: Mapping[tuple[int, ...], str], factors: Any) -> dict[str, Any]:
    used = [{"inequality": text, "times": str(f)} for text, f in zip(rows.values(), factors, strict=True) if f]
    return {"sum": "0 > 0", "of": used}


def _affine(blank: AffineCase, groups: Groups) -> Found:
    if (found := _any_output(blank, groups)).reason:
        return found
    identity = {(token, y): Fraction(1) for token in blank.tokens if isinstance(token, tuple) for y in (token[1],)}
    if (head := _by_answer(blank, groups).head) is not None:
        return Found(_with_values(head, identity, {}))
    inputs = blank.instance.inputs
    answers = range(1, blank.attributes + 1)
    contents = dict.fromkeys(key for each in inputs for key in each.keys)
    queries = dict.fromkeys(each.query for each in inputs)
    names: list[tuple[Token, Token]] = [(token, y) for token in (*contents, *queries) for y in answers]
    column = {name: place for place, name in enumerate(names)}
    rows: dict[tuple[int, ...], str] = {}
    for each in inputs:
        for wrong in answers:
            if wrong != each.answer:
                row = [0] * len(column)
                for token in (*each.keys, each.query):
                    row[column[token, each.answer]] += 1
                    row[column[token, wrong]] -= 1
                rows.setdefault(tuple(row), f"{_text(each)}, all orders: {each.answer} above {wrong}")
    if not rows:
        return Found(blank)
    outcome = inequalities.decide(list(rows))
    if outcome.solution is not None:
        solved = {name: outcome.solution[place] for name, place in column.items()}
        values = {name: value for name, value in solved.items() if name[0] in contents}
        biases = {name: value / blank.length for name, value in solved.items() if name[0] in queries}
        return Found(_with_values(blank, values, biases))
    if _place_only(blank.instance, groups) and _order_free(inputs):
        return Found(reason=_certificate(rows, outcome.factors))
    return Found()


def _linear(blank: LetterCase, groups: Groups) -> Found:
    """Any value map, and the largest entry of the attention output as the answer: decided where no output map at all
    would do, and where a head that attends to its own key with these values does."""
    if (found := _any_output(blank, groups)).reason:
        return found
    own = Fraction(3 * blank.length)
    entries = blank.instance.entries
    head = blank.with_factors({entry: own for entry in entries if entry.position == OWN})
    return Found(replace(head, values=own_key_values(blank.tokens)))


def own_key_values(tokens: Tokens) -> tuple[Fraction, ...]:
    """A pair of letters raises the pairs that its right letter names by 4, every token itself by 1, a letter-number
    pair itself by 4 more. With own weight k and n - 1 keys of weight 1 it is right if 3 k > 9 (n - 1)."""
    return tuple(
        Fraction((one == other) + 4 * (other[0] == one[1]) + 4 * (one == other and not isinstance(one[1], str)))
        for one in tokens
        for other in tokens
        if isinstance(one, tuple) and isinstance(other, tuple)
    )


def _with_values(head: Any, values: Mapping[Any, Fraction], biases: Mapping[Any, Fraction]) -> HeadCase:
    answers = range(1, head.attributes + 1)
    queries = [token for token in head.tokens if not isinstance(token, tuple)]
    made: HeadCase = replace(
        head,
        values=tuple(values.get((token, y), Fraction(0)) for token in head.tokens for y in answers),
        biases=tuple(biases.get((query, y), Fraction(0)) for query in queries for y in answers),
    )
    return made


def _place_only(instance: Instance, groups: Groups) -> bool:
    """Whether the weight of a key depends on the query and its place alone: no two groups at one place."""
    at: dict[Any, set[int]] = {}
    for each in instance.inputs:
        for _, entry in _entries(each):
            at.setdefault((each.query, entry.position), set()).add(groups[entry])
    return all(len(found) == 1 for found in at.values())


def _order_free(inputs: Iterable[Input]) -> bool:
    """Whether each order of an input's keys is a valid input with the same answer."""
    answer = {(each.keys, each.query): each.answer for each in inputs}
    return all(answer.get((keys, q)) == right for (own, q), right in answer.items() for keys in permutations(own))


@cache
def _reordered(blank: PermutedCase, links: Links) -> Found:
    """Whether each order of the keys gives one output for all heads of the class and all values: the same pairs
    (content, group), as often. Otherwise factors and values that tell two orders apart."""
    groups = _groups(blank.instance, links)
    first = Counter((token, groups[entry]) for token, entry in _entries(blank.instance.inputs[0]))
    for order in permutations(blank.keys):
        if Counter((token, groups[entry]) for token, entry in _entries(Input(order, "q", "q"))) != first:
            break
    else:
        return Found(reason={"every order": "the same keys with the same logits"})
    values = tuple(Fraction(PRIMES[place]) for place in range(len(blank.tokens)))
    for factors in _attempts(max(groups.values()) + 1):
        head = blank.with_factors({entry: factors[group] for entry, group in groups.items()})
        head = replace(head, values=values)
        if not output_is_invariant(head):
            return Found(head)
    return Found()
