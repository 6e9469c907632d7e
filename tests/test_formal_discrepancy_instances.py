"""The Coq theorems on the discrepancies used by name at points that Python decides, and what they deny at its cases."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cmp_to_key
from string import ascii_lowercase
from typing import Any

import pytest
from coq_angles import angle
from coq_cosines import PI, cosine, exact, terms, total
from coq_words import Instance, assert_instances, assert_refuted_at, goal, real, right_ones

from headproof.checks.engines import coq
from headproof.checks.registry import claims
from headproof.theory.angles import Angle, compare_cosines
from headproof.theory.cosine_sums import ONE, Sum, compare, minus, smallest
from headproof.theory.discrepancy import (
    BoundCase,
    IndexCase,
    RetrievalCase,
    RetrievalInput,
    best_wrong_letter,
    gap,
    index_positive_gaps,
    key_angles,
    largest_gap,
    letter_offsets,
    retrieval_logits,
    smallest_gap_with_ties,
    smallest_positive_gap,
    smallest_wrong_gap,
)
from headproof.theory.discrepancy.index_claims import largest_gap as index_largest_gap
from headproof.theory.formal import identifier, theorems

pytestmark = pytest.mark.skipif(coq.coqc() is None, reason=coq.MISSING)
FILE = "discrepancy"
SQUARE = "have : 9 < PI ^ 2 < 10; first (split; nra); rewrite /=; lra"


# -- words ---------------------------------------------------------------------------------------------------------


def pairs(tokens: tuple[Any, ...]) -> str:
    """An input of the letter task."""
    place = ascii_lowercase.index
    half = [f"inl {place(right)}%N" if isinstance(right, str) else f"inr {right}%N" for _, right in tokens]
    shown = (f"({place(left)}%N, {right})" for (left, _), right in zip(tokens, half, strict=True))
    return f"([:: {'; '.join(shown)}] : seq pair_token)"


def omega(letters: int, times: str, theta: Angle) -> str:
    """omega less so many steps, as the statements write it."""
    return f"omega {letters} - INR {times} * {angle(theta)}"


# -- exact values --------------------------------------------------------------------------------------------------

Closed = Callable[[RetrievalCase], Sum]


def largest_closed(case: RetrievalCase) -> Sum:
    """The closed form of the largest gap, also beyond the range in which it is that."""
    if case.letters % 2:
        return (*ONE, (1, case.omega * Fraction(1, 2) - case.theta))
    return (*ONE, (1, case.theta * (case.n - 1)))


def wrong_closed(case: RetrievalCase) -> Sum:
    return minus(ONE, ((1, case.omega - case.theta * (case.n - 1)),))


def lead_closed(case: RetrievalCase) -> Sum:
    return minus(((1, case.theta * (case.n - 2)),), ((1, case.omega - case.theta * (case.n - 1)),))


# Of each theorem: Python's reading, the closed form, how many steps fit into omega, and the statement's predicate.
VALUES: dict[str, tuple[Closed, Closed, Callable[[int], int], str]] = {
    "dyn_def3_1_retrieval_largest": (
        largest_gap, largest_closed, lambda n: 2 * (n - 1), "largest (retrieval_gaps {0} {1} {2})",
    ),
    "dyn_def3_1_retrieval_best_wrong_letter": (
        best_wrong_letter, wrong_closed, lambda n: n - 1, "best_wrong_letter {0} {1} {2}",
    ),
    "dyn_def3_1_retrieval_smallest_lead": (
        smallest_wrong_gap, lead_closed, lambda n: 2 * n - 3, "smallest (retrieval_leads {0} {1} {2})",
    ),
}  # fmt: skip


def grid() -> Iterator[RetrievalCase]:
    for letters in range(2, 7):
        for n in (2, 3, 4):
            yield from (RetrievalCase(letters, Angle(Fraction(twelfth, 12)), 2, n) for twelfth in range(13))


def points_of(theorem: str, draw: random.Random) -> tuple[list[RetrievalCase], list[RetrievalCase]]:
    """Cases in the range, two of them where it ends, and cases beyond it at which the closed form is another value."""
    reading, closed, steps, _ = VALUES[theorem]
    ends, inside, beyond = [], [], []
    for case in grid():
        if exact(closed(case)) is None or exact(reading(case)) is None:
            continue
        rest = (case.omega - case.theta * steps(case.n)).turns
        if rest >= 0:
            (inside if rest else ends).append(case)
        elif exact(closed(case)) != exact(reading(case)):
            beyond.append(case)
    return draw.sample(ends, 2) + draw.sample(inside, 2), draw.sample(beyond, 4)


def value_goal(theorem: str, case: RetrievalCase, value: Fraction | None) -> str:
    assert value is not None
    return f"{VALUES[theorem][3].format(case.letters, angle(case.theta), case.n)} {real(value)}"


def closed_facts(theorem: str, case: RetrievalCase, number: int) -> str:
    """Facts about the cosines of the closed form, in the statement's words."""
    letters, n, theta = case.letters, case.n, case.theta
    near = f"INR {n}.-{1 if 'largest' in theorem else 2} * {angle(theta)}"
    far = f"omega {letters} / 2 - {angle(theta)}" if "largest" in theorem else omega(letters, f"{n}.-1", theta)
    words = [near] if "lead" in theorem or ("largest" in theorem and letters % 2 == 0) else []
    words += [far] if "largest" not in theorem or letters % 2 else []
    angles = [each for _, each in VALUES[theorem][1](case)][-len(words) :]
    both = enumerate(zip(words, angles, strict=True))
    return "".join(cosine(f"c{number}{place}", word, each) for place, (word, each) in both)


def by_theorem(theorem: str, facts: str) -> str:
    """From the theorem at the goal's own numbers, whatever they are."""
    predicate = VALUES[theorem][3].format("?L", "?t", "?n")
    return (
        f"have pi := PI_RGT_0. {facts}match goal with |- {predicate} ?v => "
        f"have := @{theorem} L n t isT isT ltac:(lra) ltac:(rewrite /omega /=; lra); "
        "match goal with |- ?predicate ?w -> _ => suff -> : v = w by []; "
        "rewrite ?[odd _]/=; cbv beta iota; lra end end."
    )


@pytest.mark.parametrize("theorem", VALUES)
def test_exact_values(theorem: str):
    """At drawn points, the ends of the range among them, the theorem gives Python's value, and beyond it nothing."""
    draw, instances = random.Random(21), []
    inside, beyond = points_of(theorem, draw)
    for case, further in zip(inside, beyond, strict=True):
        value = exact(VALUES[theorem][0](case))
        assert value is not None
        facts = closed_facts(theorem, case, 0)
        right, wrong = (value_goal(theorem, case, value + more) for more in (0, Fraction(1, 9)))
        instances.append(Instance(theorem, right, wrong, by_theorem(theorem, facts)))
        facts += closed_facts(theorem, further, 1)
        outside = value_goal(theorem, further, exact(VALUES[theorem][1](further)))
        instances.append(Instance(theorem, right, outside, by_theorem(theorem, facts)))
    assert_instances(FILE, instances)


# -- what fails: a theorem's denial contradicted at a case -----------------------------------------------------------


def claim_of(name: str) -> Any:
    """The claim that a `_fails` theorem denies."""
    return next(claim for each, claim in claims().items() if identifier(each) + "_fails" == name)


def best_cosines(theta: Angle, reach: int) -> str:
    """Facts m1, m2, ... about the best cosines up to each distance, where all are rational."""
    word, best, facts = angle(theta), Fraction(-1), f"have m0 : best_cosine {angle(theta)} 0 = -1 by []. "
    for u in range(1, reach + 1):
        here = exact(((1, theta * u),))
        assert here is not None
        best = max(best, here)
        facts += (
            f"{cosine(f'c{u}', f'INR {u} * {word}', theta * u)}have m{u} : best_cosine {word} {u} = {real(best)}; "
            f"first (change (Rmax (best_cosine {word} {u - 1}) (cos (INR {u} * {word})) = {real(best)}); "
            f"rewrite m{u - 1} c{u}; first [rewrite Rmax_left; lra | rewrite Rmax_right; lra]). "
        )
    return facts


def irrational(theta: Angle) -> str:
    return f"(@irrational_scaled {theta.turns.numerator} {theta.turns.denominator} ltac:(lia) ltac:(lia))"


def by_index(case: IndexCase) -> str:
    theta, half = angle(case.theta), case.n // 2
    return (
        f"{PI}{best_cosines(case.theta, half)}move=> printed; have [_] := printed {theta} {case.n}%N _ "
        f"{irrational(case.theta)} isT (@dyn_def3_1_index_largest {theta} {case.n} isT). "
        f"change (best_cosine {theta} _) with (best_cosine {theta} {half}); rewrite m{half}; {SQUARE}."
    )


def by_index_positive(case: IndexCase) -> str:
    return (
        f"{PI}have is_pi : {angle(case.theta)} = PI by lra. move=> printed; have [_] := printed {angle(case.theta)} "
        f"{case.n}%N 2 {irrational(case.theta)} isT ltac:(rewrite is_pi; exact: index_positive_at_pi). {SQUARE}."
    )


def logits(case: RetrievalInput) -> tuple[str, str, str]:
    """Facts about the logits of an input x, the gap in their terms, and its proof at the keys that Python finds."""
    word = f"retrieval_logit {case.letters} {angle(case.theta)} x"
    found, facts = retrieval_logits(case), f"pose x := {pairs(case.tokens)}. "
    for place, each in enumerate(found):
        steps = f"(INR (left_back x {place}) - INR (wanted x))"
        argument = f"{steps} * omega {case.letters} + INR {place} * {angle(case.theta)}"
        facts += cosine(f"f{place}", argument, each, f"{word} {place}")
    top, second = sorted(range(len(found)), key=cmp_to_key(lambda a, b: compare_cosines(found[b], found[a])))[:2]
    keys = "[|" * len(found) + "?" + "]" * len(found)
    proof = (
        f"exists {top}%N, {second}%N; split; [split=> // -{keys} //= *; lra "
        f"| split; [split=> //; split=> // -{keys} //= *; lra | by []]]"
    )
    return facts, f"({word} {top} - {word} {second})", proof


def start(case: RetrievalCase | RetrievalInput) -> str:
    """What is denied, at the case: letters, lengths and angle."""
    return f"{case.letters}%N {case.n0}%N {case.n}%N {angle(case.theta)}"


ALLOWED = "ltac:(lra) ltac:(rewrite /omega /=; lra)"


def printed_bound(case: RetrievalCase | RetrievalInput) -> str:
    """A fact about the cosine in the printed bound."""
    return cosine("low", omega(case.letters, str(case.n), case.theta), case.omega - case.theta * case.n)


def by_input(case: RetrievalInput) -> str:
    facts, value, proof = logits(case)
    return (
        f"{PI}{facts}{printed_bound(case)}move=> printed; have := printed {start(case)} x {value} "
        f"isT isT isT {ALLOWED} ltac:(by []) ltac:({proof}); lra."
    )


def value_at(theorem: str, case: RetrievalCase) -> str:
    """The value at the case, `found`, and facts about its cosines."""
    numbers = f"{case.letters} {case.n} {angle(case.theta)}"
    return f"{closed_facts(theorem, case, 0)}have found := @{theorem} {numbers} isT isT {ALLOWED}. "


def by_value(theorem: str) -> Callable[[RetrievalCase], str]:
    def tactics(case: RetrievalCase) -> str:
        return (
            f"{PI}{value_at(theorem, case)}{printed_bound(case)}"
            f"move=> printed; have := printed {start(case)} _ isT isT isT {ALLOWED} found; lra."
        )

    return tactics


def copies(case: RetrievalCase) -> str:
    """The smallest positive gap g, positive, and at most that of two copies."""
    theta = angle(case.theta)
    return (
        f"{PI}have below := @cos_lt_1 {theta} ltac:(lra). "
        f"have [g [found most]] := @copies_smallest {case.letters} {theta} {case.n} isT isT below. "
        "have some := positive_gap_gt0 (proj1 found). "
    )


def by_copies(case: RetrievalCase) -> str:
    return (
        f"{copies(case)}{printed_bound(case)}"
        f"move=> printed; have := printed {start(case)} g isT isT isT {ALLOWED} found; lra."
    )


def tied_input(case: RetrievalCase) -> RetrievalInput:
    """An input with the smallest gap, ties counted."""
    tokens = min(letter_offsets(case), key=lambda each: cmp_to_key(compare)(gap(key_angles(case, each))))
    letter = ascii_lowercase
    query = ("a", 1) if tokens[0] == 0 else (letter[tokens[0]], "a")
    others = ((letter[each], 1) for each in reversed(tokens[1:]))
    return RetrievalInput(case.letters, case.theta, case.n0, (*others, query))


def by_tie(case: RetrievalCase) -> str:
    facts, value, proof = logits(tied_input(case))
    return (
        f"{PI}{facts}move=> every; have := every {case.letters}%N {case.n}%N {angle(case.theta)} {value} isT isT "
        f"ltac:(lra) ltac:(exists x; split; [by [] | {proof}]); lra."
    )


HALF = Angle(Fraction(0), Fraction(1, 2))
EIGHTH = Angle(Fraction(0), Fraction(1, 8))
LEAD = "dyn_def3_1_retrieval_smallest_lead"
WRONG = "dyn_def3_1_retrieval_best_wrong_letter"
# Of each theorem the tactics, and cases that Python does not refute: of the first one the tactics prove all premises
# unless every case with these premises is refuted, the others break one premise or meet the conclusion.
DENIED: dict[str, tuple[Callable[[Any], str], list[Any]]] = {
    "dyn_thm3_2_index_fails": (
        by_index, [IndexCase(Angle(Fraction(2, 3)), 3), IndexCase(Angle(Fraction(0), Fraction(2)), 4)],
    ),
    "dyn_thm3_2_index_smallest_positive_fails": (
        by_index_positive, [IndexCase(Angle(Fraction(1)), 3), IndexCase(Angle(Fraction(0), Fraction(3)), 4)],
    ),
    "dyn_thm3_2_retrieval_fails": (
        by_input,
        [
            RetrievalInput(2, HALF, 2, (("a", 1), ("a", 1))),
            RetrievalInput(2, HALF, 2, (("b", 1), ("b", 1), ("a", "b"))),
            RetrievalInput(2, Angle(Fraction(1, 3)), 2, (("b", 1), ("a", "b"))),
        ],
    ),
    "dyn_thm3_2_retrieval_best_wrong_letter_fails": (
        by_value(WRONG),
        [
            RetrievalCase(2, HALF, 2, 3), RetrievalCase(2, Angle(Fraction(1, 3)), 2, 2),
            RetrievalCase(2, Angle(Fraction(0)), 2, 2),
        ],
    ),
    "dyn_thm3_2_retrieval_smallest_lead_fails": (
        by_value(LEAD),
        [RetrievalCase(4, EIGHTH, 6, 6), RetrievalCase(2, HALF, 2, 3), RetrievalCase(2, Angle(Fraction(1, 3)), 2, 2)],
    ),
    "dyn_thm3_2_retrieval_smallest_positive_fails": (
        by_copies, [RetrievalCase(2, Angle(Fraction(1, 6)), 2, 3), RetrievalCase(2, Angle(Fraction(1, 3)), 2, 3)],
    ),
    "dyn_thm3_2_symbolic_stays_every_input_fails": (
        by_tie, [RetrievalCase(2, Angle(Fraction(2)), 2, 2), RetrievalCase(2, Angle(Fraction(1, 3)), 2, 2)],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", DENIED)
def test_what_is_denied_fails_at_its_case(name: str):
    """What the theorem denies gives a contradiction at the counterexample beside it, not at another case."""
    tactics, others = DENIED[name]
    assert_refuted_at(FILE, name, claim_of(name), tactics, others[0])


# -- what fails: what is denied, stated of one case ----------------------------------------------------------------


def stated_of(name: str, words: list[str]) -> str:
    """What a theorem denies for all values of its variables, said of these ones."""
    shape = re.fullmatch(r"~ \(forall ((?:\([^()]*\) ?)+), (.*)\)", theorems(FILE)[name].text)
    assert shape is not None
    return f"(fun {shape[1]} => {shape[2]}) {' '.join(words)}"


def words_of(case: Any) -> tuple[list[str], str]:
    """The case and Python's value at it as the denied statement's variables, and facts about the cosines it names."""
    theta, own = angle(case.theta), cosine("own", angle(case.theta), case.theta)
    if isinstance(case, IndexCase):
        return [theta, f"{case.n}%N"], own
    if isinstance(case, RetrievalInput):
        return [*start(case).split(" ", 3), pairs(case.tokens)], printed_bound(case)
    return start(case).split(" ", 3), printed_bound(case)


READINGS: dict[str, Callable[[Any], Sum]] = {
    "dyn_thm3_2_index_fails": index_largest_gap,
    "dyn_thm3_2_index_smallest_positive_fails": lambda case: smallest(index_positive_gaps(case)),
    "dyn_thm3_2_retrieval_fails": lambda case: gap(retrieval_logits(case)),
    "dyn_thm3_2_retrieval_best_wrong_letter_fails": best_wrong_letter,
    "dyn_thm3_2_retrieval_smallest_lead_fails": smallest_wrong_gap,
    "dyn_thm3_2_retrieval_smallest_positive_fails": lambda case: smallest_positive_gap(case) or (),
    "dyn_thm3_2_symbolic_stays_every_input_fails": smallest_gap_with_ties,
}


def no_premise(theta: Angle) -> str:
    """Tactics that contradict a premise."""
    ratio = theta.turns if theta.turns else theta.radians
    return (
        "exfalso; first [match goal with H : is_true _ |- _ => discriminate H end "
        f"| match goal with H : _ |- _ => by apply: (H {ratio.numerator}%Z {ratio.denominator}%Z); [lia | lra] end "
        "| lra | match goal with H : _ < _ / _ |- _ => move: H; rewrite /omega /=; lra end]"
    )


def test_what_is_denied_holds_of_the_other_cases():
    """Of a case that Python does not refute Coq proves what the theorem denies of all: a premise is false, or the
    conclusion true, with Python's value. Of the counterexample the same steps do not."""
    texts, expected = {}, set()
    for name, (_, others) in DENIED.items():
        statement = claim_of(name).statement
        for case in [statement.case_type.of_json(theorems(FILE)[name].case), *others]:
            words, facts = words_of(case)
            if "every_input" in name:  # which has no n0
                del words[1]
            value = READINGS[name](case)
            text = f"{name} {case}"
            texts[text] = goal(
                stated_of(name, [*words, total(value)]),
                f"cbv beta. {PI}{facts}{terms(value)}intros; first [{no_premise(case.theta)} | lra "
                f"| split; [lra | {SQUARE}]].",
            )
            if not statement.refuted_by(case):
                expected.add(text)
    assert len(expected) == len(texts) - len(DENIED)
    assert right_ones(FILE, texts) == expected


# -- what fails: a number that is the same for all lengths ---------------------------------------------------------

STAYS = re.compile(r"~ \(forall \(L : nat\), (.*?) -> exists c, 0 < c /\\ (forall .*)\)")
LEAD_STAYS = "dyn_thm3_2_symbolic_stays_allowed_angles_fails"
GAP_STAYS = "dyn_thm3_2_symbolic_stays_allowed_angles_smallest_positive_fails"


def by_lead(case: BoundCase) -> str:
    return (
        f"{PI}{value_at(LEAD, case)}move=> never; "
        f"have := never {case.n0}%N {case.n}%N {angle(case.theta)} _ isT isT {ALLOWED} found; lra."
    )


def by_smallest(case: BoundCase) -> str:
    own = cosine("own", angle(case.theta), case.theta)
    return (
        f"{copies(case)}{own}move=> never; "
        f"have := never {case.n0}%N {case.n}%N {angle(case.theta)} g isT isT {ALLOWED} found; lra."
    )


@pytest.mark.parametrize(("name", "tactics"), [(LEAD_STAYS, by_lead), (GAP_STAYS, by_smallest)])
def test_no_number_is_never_fallen_below(name: str, tactics: Callable[[BoundCase], str]):
    """A case refutes one number, the theorem that there is any; so what is tied is what it denies of that number.

    At the counterexample that gives a contradiction, and not with a smaller number, nor at a length above n0. And by
    the theorem itself no number above 0 will do for each alphabet, 0 for all it says.
    """
    statement, theorem = claim_of(name).statement, theorems(FILE)[name]
    shape = STAYS.fullmatch(theorem.text)
    assert shape is not None
    own = statement.case_type.of_json(theorem.case)
    others = [replace(own, bound=own.bound / 10), replace(own, n=own.n0 + 1), replace(own, theta=own.theta * 2)]
    texts, expected = {}, set()
    for case in (own, *others):
        said = f"(fun (L : nat) (c : R) => {shape[2]}) {case.letters}%N {real(case.bound)}"
        texts[f"{case}"] = goal(f"~ {said}", f"cbv beta. {tactics(case)}")
        if statement.refuted_by(case):
            expected.add(f"{case}")
    for number in (own.bound, others[0].bound, Fraction(0)):
        said = shape[2].replace("c <= g", f"{real(number)} <= g")
        assert said != shape[2]
        texts[f"any {number}"] = goal(
            f"~ (forall (L : nat), {shape[1]} -> {said})",
            f"move=> all; apply: {name} => L letters; exists {real(number)}; split; [lra | exact: all].",
        )
        if statement.premises[0].holds(replace(own, bound=number)):
            expected.add(f"any {number}")
    assert len(expected) == 3
    assert right_ones(FILE, texts) == expected
