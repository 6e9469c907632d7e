"""Checks of the topic `multihop`: the two tasks as printed (dyn.tasks), and what trained models make of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import product
from typing import Any

from hypothesis import strategies as st

from headproof.checks.engines.decision import Decision
from headproof.checks.registry import Check, Context, Measurement, Topic
from headproof.checks.standard import kernel_checks, search_check
from headproof.theory.claim import Claim, Statement, Tier, Verdict
from headproof.theory.expressivity.function_claims import SequenceCase
from headproof.theory.multihop.angle_claims import ANGLE_CLAIMS, PRINTED_ANGLES, AngleCase
from headproof.theory.multihop.balance import ANSWERS, SPLITS, TOTAL, WHOLE, BalanceCase
from headproof.theory.multihop.example_claims import EXAMPLE, EXAMPLE_CLAIMS
from headproof.theory.multihop.learning_findings import LEARNING_CLAIMS
from headproof.theory.multihop.length_findings import LENGTH_CLAIMS
from headproof.theory.multihop.letter_claims import LETTER_CLAIMS
from headproof.theory.multihop.mechanism_findings import MECHANISM_CLAIMS
from headproof.theory.multihop.number_claims import NUMBER_CLAIMS
from headproof.theory.multihop.prompt_findings import PROMPT_CLAIMS
from headproof.theory.multihop.task_claims import TASK_CLAIMS
from headproof.theory.parameters import Tokens

CLAIMS = (*TASK_CLAIMS, *ANGLE_CLAIMS)
EMPIRICAL = (*LEARNING_CLAIMS, *MECHANISM_CLAIMS, *LENGTH_CLAIMS, *PROMPT_CLAIMS)
MOVES = range(1, 6)

# -- drawn ---------------------------------------------------------------------------------------------------------


@st.composite
def example_cases(draw: st.DrawFn) -> SequenceCase:
    """The printed example, as it is or with a token changed."""
    place = draw(st.integers(0, len(EXAMPLE) - 1))
    if draw(st.booleans()):
        return SequenceCase(EXAMPLE)
    return SequenceCase((*EXAMPLE[:place], draw(st.integers(1, 9)), *EXAMPLE[place + 1 :]))


@st.composite
def number_cases(draw: st.DrawFn, largest: int = 7) -> SequenceCase:
    """Letters and then integers, most of them small; now and then one that has no target, or a letter among them."""
    n1, n2 = draw(st.integers(1, largest // 2)), draw(st.integers(1, largest - largest // 2))
    letters = [draw(st.sampled_from("abc")) for _ in range(n1)]
    steps: list[Any] = [draw(st.integers(1, n1 + at)) for at in range(n2)]
    if draw(st.integers(0, 5)) == 0:
        steps[draw(st.integers(0, n2 - 1))] = draw(st.sampled_from(["a", n1 + n2, n1 + n2 + 1]))
    return SequenceCase((*letters, *steps))


@st.composite
def letter_cases(draw: st.DrawFn, largest: int = 7) -> SequenceCase:
    """Letter-number pairs and then pairs of letters, each of which names a letter that has a pair before it, itself now
    and then, or any letter at all."""
    names = draw(st.permutations("abcd"))
    if draw(st.integers(0, 5)) == 0:  # the first letter gets a second symbol once it has been named
        one, two, three, four = names
        query = (draw(st.sampled_from([one, two, four])), three)
        return SequenceCase(((one, 1), (two, draw(st.sampled_from([1, 2]))), (three, one), (one, two), query))
    n1, n2 = draw(st.integers(1, 3)), draw(st.integers(1, largest - 3))
    tokens: list[Any] = [(draw(st.sampled_from(names[:3])), draw(st.sampled_from([1, 1, 2]))) for _ in range(n1)]
    for _ in range(n2):
        left = draw(st.sampled_from(names))
        known = [token[0] for token in tokens]
        right = draw(st.sampled_from([*known, *known, *known, known[-1], known[-1], left, *names]))
        tokens.append((left, right))
    if draw(st.integers(0, 9)) == 0:
        tokens.append((names[0], 1))
    return SequenceCase(tuple(tokens))


@st.composite
def balance_cases(draw: st.DrawFn) -> BalanceCase:
    """Classes of the printed sizes, one sequence more or fewer, and of other sizes."""
    printed = draw(st.sampled_from([WHOLE, WHOLE, *SPLITS]))
    more = draw(st.sampled_from([0, 0, 0, 0, 1, 1, -1]))
    size = draw(st.sampled_from([printed + more] * 9 + [draw(st.integers(1, TOTAL))]))
    return BalanceCase(draw(st.sampled_from(list(ANSWERS))), draw(st.sampled_from(MOVES)), size)


@st.composite
def angle_cases(draw: st.DrawFn) -> AngleCase:
    """The printed angles, now and then one in another's place, or one that is not printed."""
    task = draw(st.sampled_from(list(PRINTED_ANGLES)))
    layer = draw(st.integers(0, len(PRINTED_ANGLES[task]) - 1))
    other = st.sampled_from(["0.5", "0.71", "0.0050", *PRINTED_ANGLES[task]])
    return AngleCase(task, layer, PRINTED_ANGLES[task][layer] if draw(st.integers(0, 5)) else draw(other))


def _cases(claim: Claim, context: Context) -> Any:
    if claim in ANGLE_CLAIMS:
        return angle_cases()
    if claim in EXAMPLE_CLAIMS:
        return example_cases()
    if claim in NUMBER_CLAIMS:
        return number_cases(context.examples(7, 10))
    return letter_cases(context.examples(7, 8)) if claim in LETTER_CLAIMS else balance_cases()


def _domain(claim: Claim, context: Context) -> str:
    if claim in ANGLE_CLAIMS:
        return "the printed angles, and numbers beside them that are passed over"
    if claim in EXAMPLE_CLAIMS:
        return "the printed example, and sequences beside it that are passed over"
    if claim in NUMBER_CLAIMS:
        return f"letters and then integers, up to {context.examples(7, 10)} tokens"
    if claim in LETTER_CLAIMS:
        return f"pairs over four letters and two numbers, up to {context.examples(8, 9)} tokens"
    return "hop classes of the printed sizes, near them and of others, 1 to 5 moves"


# -- exhaustive ----------------------------------------------------------------------------------------------------


def every_number_sequence(longest: int) -> Iterator[Tokens]:
    """All valid sequences of letters a, b and then integers, shorter ones first."""
    for size in range(2, longest + 1):
        for n1 in range(1, size):
            steps = [range(1, at) for at in range(n1 + 1, size + 1)]
            for letters in product("ab", repeat=n1):
                for integers in product(*steps):
                    yield (*letters, *integers)


def every_letter_sequence(longest: int, numbers: int) -> Iterator[Tokens]:
    """All sequences of letter-number pairs and then letter-letter pairs over a, b, c, up to the letters' names, shorter
    ones first."""
    for size in range(2, longest + 1):
        for n1 in range(1, size):
            for word in _words(n1 + 2 * (size - n1)):
                before = tuple((word[at], word[at + 1]) for at in range(n1, len(word), 2))
                for values in product(range(1, numbers + 1), repeat=n1):
                    yield (*zip(word[:n1], values, strict=True), *before)


def _words(length: int, used: int = 0) -> Iterator[str]:
    """Words over a, b, c whose letters come first in this order."""
    if length == 0:
        yield ""
        return
    for number in range(min(used + 1, 3)):
        for rest in _words(length - 1, max(used, number + 1)):
            yield "abc"[number] + rest


def _every(claim: Claim, context: Context) -> tuple[str, Iterator[Any]]:
    """The finite domain of a claim, in words and one case after the other."""
    if claim in ANGLE_CLAIMS:
        listed = (AngleCase(task, at, each) for task, held in PRINTED_ANGLES.items() for at, each in enumerate(held))
        return "the 24 printed angles", listed
    if claim in EXAMPLE_CLAIMS:
        return "the printed example", iter((SequenceCase(EXAMPLE),))
    if claim in NUMBER_CLAIMS:
        longest = context.examples(6, 8)
        what = f"every valid sequence of letters a, b and then integers, up to {longest} tokens"
        return what, map(SequenceCase, every_number_sequence(longest))
    if claim in LETTER_CLAIMS:
        many, few = context.examples(4, 5), context.examples(5, 6)
        what = (
            f"every sequence of letter-number and then letter-letter pairs over a, b, c, up to their names: up to "
            f"{many} tokens with numbers 1, 2, up to {few} with 1"
        )
        found = (tokens for size, values in ((many, 2), (few, 1)) for tokens in every_letter_sequence(size, values))
        return what, map(SequenceCase, found)
    what = (
        "both tasks, 1 to 5 moves, hop classes of the whole data set and of its three splits, and of one sequence more"
    )
    sizes = [size + more for size in (WHOLE, *SPLITS) for more in (0, 1)]
    return what, (BalanceCase(task, hops, size) for task in ANSWERS for hops in MOVES for size in sizes)


def exhaustive(claim: Claim) -> Check:
    """Tier `exact`: every case of the claim's finite domain, one after the other."""

    def decide(statement: Statement, context: Context) -> Decision:
        what, cases = _every(claim, context)
        met = 0
        for case in cases:
            if statement.meets(case):
                met += 1
                if not statement.conclusion(case):
                    return Decision(Verdict.REFUTED, what, case, "the first that fails")
        if met == 0:
            return Decision(Verdict.VACUOUS, what)
        return Decision(Verdict.HOLDS, f"{what}: {met} of them meet the premises")

    return Check(claim.id, Tier.EXACT, decide)


def _measured(context: Context) -> Mapping[str, Decision]:
    """Decide the empirical claims from committed tables, which are read and not made anew."""
    from headproof.checks.trained.multihop.verdicts import decide_empirical

    return decide_empirical(context)


topic = Topic(
    name="multihop",
    title="The multihop tasks, and models that learn them",
    claims=(*CLAIMS, *EMPIRICAL),
    checks=(
        *kernel_checks("multihop", CLAIMS),
        *(exhaustive(claim) for claim in CLAIMS),
        *(search_check(claim, partial(_cases, claim), partial(_domain, claim)) for claim in CLAIMS),
    ),
    measurements=(
        Measurement(
            "multihop models", tuple(claim.id for claim in EMPIRICAL), _measured, needs=("torch", "safetensors")
        ),
    ),
    cases={claim.id: partial(_cases, claim) for claim in CLAIMS},
)
