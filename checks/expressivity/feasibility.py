"""Checks of DYN's functions and of its constructions for Index and Retrieval (theorem 3.1); part of `expressivity`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from typing import Any

from hypothesis import strategies as st

from headproof.checks.drawing import rationals
from headproof.checks.engines.decision import Decision
from headproof.checks.registry import Check, Context
from headproof.checks.standard import proof_check, search_check
from headproof.theory.angles import Angle
from headproof.theory.claim import Claim, Statement, Tier, Verdict
from headproof.theory.errors import InputError
from headproof.theory.expressivity.feasibility import NumberCase, PairCase, RangeCase
from headproof.theory.expressivity.feasibility_claims import INDEX_CLAIMS
from headproof.theory.expressivity.function_claims import FUNCTION_CLAIMS, SequenceCase
from headproof.theory.expressivity.retrieval_claims import RETRIEVAL_CLAIMS
from headproof.theory.sequences import proper_inputs, valid_index_inputs

# -- where cases are drawn from ------------------------------------------------------------------------------------


@st.composite
def number_sequences(draw: st.DrawFn, largest: int = 8) -> tuple[Any, ...]:
    """Valid sequences of letters and integers, often with long paths or with one letter at most places."""
    size = draw(st.integers(1, largest))
    tokens: list[Any] = []
    letters = draw(st.integers(0, 3))
    for place in range(1, size + 1):
        kind = draw(st.integers(0, 3))
        if place == 1 or kind < letters:
            tokens.append(draw(st.sampled_from("abbb")))
        elif kind == 3:
            tokens.append(1)
        else:
            tokens.append(draw(st.integers(1, place - 1)))
    return tuple(tokens)


@st.composite
def angles(draw: st.DrawFn, size: int) -> Angle:
    """Angles that alias at distances near `size`, simple fractions of pi, radians, tiny ones; either sign."""
    near = max(1, size + draw(st.integers(-3, 2)))
    share = Fraction(2, near) * draw(st.sampled_from([Fraction(1), Fraction(1), Fraction(1, 2), Fraction(9, 10)]))
    plain = draw(rationals(0, 2, 8))
    radians = draw(rationals(0, 7, 6))
    theta = draw(st.sampled_from([Angle(share), Angle(share), Angle(plain), Angle(Fraction(0), radians)]))
    return theta * draw(st.sampled_from([1, 1, 1, -1]))


@st.composite
def number_cases(draw: st.DrawFn, largest: int = 8) -> NumberCase:
    """Angles with valid sequences of 1 to `largest` tokens."""
    tokens = draw(number_sequences(largest))
    return NumberCase(draw(angles(len(tokens))), tokens)


@st.composite
def pair_sequences(draw: st.DrawFn, letters: int = 3, largest: int = 6) -> tuple[Any, ...]:
    """Proper sequences of pairs; mostly few symbols repeated, sometimes a letter with two numbers."""
    alphabet = "abcdefgh"[:letters]
    tokens: list[Any] = []
    for _ in range(draw(st.integers(1, largest))):
        held = sorted({pair[0] for pair in tokens})
        left = draw(st.sampled_from(alphabet))
        kind = draw(st.integers(0, 3))
        if tokens and kind == 0:
            pair: Any = draw(st.sampled_from(tokens))
        elif held and kind <= 2:
            pair = (left, draw(st.sampled_from(held)))
        else:
            pair = (left, draw(st.sampled_from([1, 1, 1, 2])))
        if _proper([*tokens, pair]):
            tokens.append(pair)
    return tuple(tokens) or (("a", 1),)


def _proper(tokens: list[Any]) -> bool:
    try:
        PairCase(8, Angle(Fraction(0)), tuple(tokens))
    except InputError:
        return False
    return True


@st.composite
def pair_cases(draw: st.DrawFn, largest: int = 6) -> PairCase:
    """Alphabets of 1 to 5 letters, angles around the thresholds, proper sequences; often the farthest match against
    copies of a neighbouring letter's pair."""
    letters = draw(st.integers(1, 5))
    tokens = draw(pair_sequences(letters, largest))
    if letters >= 2 and draw(st.booleans()):
        size = draw(st.integers(2, largest))
        wrong = draw(st.sampled_from(["b", "abcde"[letters - 1]]))
        tokens = (("a", 1), *([(wrong, 1)] * (size - 2)), (wrong, "a"))
    size = len(tokens)
    factor = Fraction(draw(st.sampled_from([1, 1, 2 * size, max(1, 2 * size - 3), size, size + 1, 2 * size - 1])))
    share = draw(st.sampled_from([Fraction(9, 10), Fraction(99, 100), Fraction(1), Fraction(1, 2), Fraction(0)]))
    theta = draw(
        st.sampled_from([Angle(Fraction(2, letters) * share / factor), Angle(Fraction(1, 3)), Angle.of_radians(1)])
    )
    return PairCase(letters, theta * draw(st.sampled_from([1, 1, 1, -1])), tokens)


@st.composite
def range_cases(draw: st.DrawFn) -> RangeCase:
    """Alphabets of 1 to 5 letters, lengths 1 to 6, angles at and around every threshold in question."""
    letters, size = draw(st.integers(1, 5)), draw(st.integers(1, 6))
    factor = Fraction(max(1, 2 * size + draw(st.integers(-5, 1))))
    share = draw(
        st.sampled_from([Fraction(1), Fraction(1), Fraction(49, 50), Fraction(51, 50), Fraction(0), Fraction(2)])
    )
    plain = draw(rationals(0, 2, 12))
    radians = draw(rationals(0, 3, 12))
    theta = draw(
        st.sampled_from([Angle(Fraction(2, letters) * share / factor), Angle(plain), Angle(Fraction(0), radians)])
    )
    return RangeCase(letters, size, theta * draw(st.sampled_from([1, 1, -1])) + Angle(2 * draw(TURNS)))


TURNS = st.sampled_from([Fraction(0), Fraction(0), Fraction(1), Fraction(-1)])


@st.composite
def sequence_cases(draw: st.DrawFn, numbers: bool, largest: int = 7) -> SequenceCase:
    """Sequences of one kind, valid or proper, and some with a token changed so that they are not."""
    tokens = draw(number_sequences(largest) if numbers else pair_sequences(4, largest))
    if draw(st.integers(0, 3)) == 0:
        place = draw(st.integers(0, len(tokens) - 1))
        other: Any = (
            draw(st.integers(1, 9)) if numbers else (draw(st.sampled_from("abcd")), draw(st.sampled_from("abcd")))
        )
        tokens = (*tokens[:place], other, *tokens[place + 1 :])
    return SequenceCase(tokens)


def _of_numbers(claim: Claim) -> bool:
    return "number" in claim.id or "index" in claim.id


def _strategy(claim: Claim, context: Context) -> Any:
    assert claim.statement is not None
    largest = context.examples(7, 10)
    if claim.statement.case_type is NumberCase:
        return number_cases(largest)
    if claim.statement.case_type is PairCase:
        return pair_cases(context.examples(6, 8))
    if claim.statement.case_type is RangeCase:
        return range_cases()
    return sequence_cases(_of_numbers(claim), largest)


def _domain(claim: Claim, context: Context) -> str:
    assert claim.statement is not None
    most = {PairCase: context.examples(6, 8), RangeCase: 6}.get(claim.statement.case_type, context.examples(7, 10))
    return f"sequences of up to {most} tokens" + (
        ", exact angles" if claim.statement.case_type is not SequenceCase else ""
    )


# -- exhaustive ----------------------------------------------------------------------------------------------------


def _every_number_sequence(largest: int) -> Iterator[tuple[Any, ...]]:
    for size in range(1, largest + 1):
        yield from valid_index_inputs("ab", largest, size)


def _every_pair_sequence(largest: int) -> Iterator[tuple[Any, ...]]:
    for size in range(1, largest + 1):
        yield from proper_inputs("abc" if size < largest else "ab", (1, 2), size)


def _exhaustive(claim: Claim) -> Check:
    """Tier `exact`: every valid or proper sequence over a small vocabulary, one after the other."""
    numbers = _of_numbers(claim)

    def decide(statement: Statement, context: Context) -> Decision:
        largest = context.examples(6, 8) if numbers else context.examples(4, 5)
        sequences = _every_number_sequence(largest) if numbers else _every_pair_sequence(largest)
        what = (
            f"letters a, b and integers, length <= {largest}"
            if numbers
            else (f"pairs over a, b, c and 1, 2, length < {largest}, over a, b and 1, 2 at length {largest}")
        )
        met = 0
        for tokens in sequences:
            case = SequenceCase(tokens)
            if statement.meets(case):
                met += 1
                if not statement.conclusion(case):
                    return Decision(Verdict.REFUTED, f"every sequence of {what}", case, "the first that fails")
        if met == 0:
            return Decision(Verdict.VACUOUS, f"every sequence of {what}")
        return Decision(Verdict.HOLDS, f"every sequence of {what}: {met} of them meet the premises")

    return Check(claim.id, Tier.EXACT, decide)


CLAIMS = (*FUNCTION_CLAIMS, *INDEX_CLAIMS, *RETRIEVAL_CLAIMS)
CHECKS = (
    *(proof_check(claim) for claim in CLAIMS if claim.proof is not None),
    *(_exhaustive(claim) for claim in FUNCTION_CLAIMS),
    *(search_check(claim, partial(_strategy, claim), partial(_domain, claim), 100, 3000) for claim in CLAIMS),
)
CASES: dict[str, Callable[[Context], Any]] = {claim.id: partial(_strategy, claim) for claim in CLAIMS}
