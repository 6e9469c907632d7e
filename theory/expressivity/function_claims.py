"""The claims about DYN's functions on whole sequences: Index, Retrieval and what composing them computes.

The general proofs are by induction on the moves and stand in the claims' remarks; the checks are exhaustive over
small vocabularies.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from headproof.theory.claim import Claim, Fidelity, Kind, Mutant, Premise, Source, Statement
from headproof.theory.errors import InputError
from headproof.theory.parameters import ParameterCase, Tokens
from headproof.theory.sequences import (
    index_function,
    require_proper,
    require_unambiguous,
    require_valid_index,
    retrieval_function,
    solve_letter,
    solve_number,
)

FUNCTIONS = Source("DYN", "appendix B, Index, Retrieval and Reflexive")
MOST_TOKENS = 400


@dataclass(frozen=True)
class SequenceCase(ParameterCase):
    """A sequence of letters and integers, or of pairs, at least one token long."""

    tokens: Tokens

    def validate(self) -> None:
        if not 1 <= len(self.tokens) <= MOST_TOKENS:
            raise InputError(f"{len(self.tokens)} tokens", f"a case has 1 to {MOST_TOKENS}")


def accepted(check: Callable[[Sequence[Any]], Any], tokens: Sequence[Any]) -> bool:
    """Whether `check` takes the tokens without an InputError."""
    try:
        check(tokens)
    except InputError:
        return False
    return True


VALID = Premise(
    "valid",
    "every integer i at a place j has a target, i >= 1 and j - i >= 1",
    lambda case: accepted(require_valid_index, case.tokens),
)
PROPER = Premise(
    "proper",
    "the right letter of each pair of letters is the left letter of an earlier or equal pair, unique as a symbol",
    lambda case: accepted(require_proper, case.tokens),
)
UNAMBIGUOUS = Premise(
    "unambiguous",
    "each letter asked for is the left letter of one symbol of the whole sequence",
    lambda case: accepted(require_unambiguous, case.tokens),
)
ENDS = Premise(
    "the path ends",
    "the path from the last token reaches an answer",
    lambda case: accepted(solve_letter, case.tokens),
)


def _statement(premises: tuple[Premise, ...], conclusion: Callable[[SequenceCase], bool]) -> Statement:
    """The statement; where a function is not defined on a case the conclusion fails."""

    def holds(case: SequenceCase) -> bool:
        try:
            return conclusion(case)
        except InputError:
            return False

    return Statement(SequenceCase, premises, holds)


HOPS = Premise(
    "a hop",
    "by that count there is a hop: the path makes two moves or more",
    lambda case: accepted(require_valid_index, case.tokens) and solve_number(case.tokens).hops >= 2,
)


def iterated(function: Callable[[Any], Any], tokens: Tokens, times: int) -> Tokens | None:
    """The function applied so many times; None where it is not defined on the way."""
    try:
        for _ in range(times):
            tokens = tuple(function(tokens))
    except InputError:
        return None
    return tokens


def _last(function: Callable[[Any], Any], tokens: Tokens, times: int) -> Any:
    result = iterated(function, tokens, times)
    return None if result is None else result[-1]


# -- numbers -------------------------------------------------------------------------------------------------------


def _solves_number(fewer: int = 0) -> Callable[[SequenceCase], bool]:
    def holds(case: SequenceCase) -> bool:
        answer, moves = solve_number(case.tokens)
        times = max(0, moves - fewer)
        return all(_last(index_function, case.tokens, count) == answer for count in (times, times + 1))

    return holds


def _overwriting(tokens: Sequence[Any]) -> Tokens:
    """Index without the test that the target is a letter: an integer becomes whatever its target is."""
    valid = require_valid_index(tokens)
    return tuple(valid[place - token] if isinstance(token, int) else token for place, token in enumerate(valid))


number = Claim(
    id="dyn.functions.number",
    kind=Kind.THEOREM,
    fidelity=Fidelity.PRINTED,
    title="h applications of Index solve the number task of at most h moves",
    source=FUNCTIONS,
    latex=r"\text{number task} = (\text{Reflexive}^{\,l-h} \circ \text{Index}^h)(x)_n\ \text{for} \le h\ \text{hops}",
    sentence="On a valid sequence whose path makes h moves, the last query's included, the last token of Index^h is "
    "the answer, and stays so under one application more.",
    domain="every valid sequence",
    statement=_statement((VALID,), _solves_number()),
    mutants=(
        Mutant("one less", "Index^(h-1)", _statement((VALID,), _solves_number(1))),
        Mutant(
            "copying integers",
            "an integer is replaced by its target even if that is an integer",
            _statement(
                (VALID,),
                lambda case: (
                    _last(_overwriting, case.tokens, solve_number(case.tokens).hops) == solve_number(case.tokens).answer
                ),
            ),
        ),
        Mutant(
            "forwards only",
            "one application, whatever h",
            _statement(
                (VALID,),
                lambda case: _last(index_function, case.tokens, 1) == solve_number(case.tokens).answer,
            ),
        ),
    ),
    remarks=(
        "Proof. A token d moves from its answer is that letter after s applications if d <= s, and unchanged before: "
        "at d = 0 letters stay; at d + 1 the token's target is d moves away, so it is the letter after d applications "
        "and an integer before, and the token takes the letter with application d + 1.",
    ),
)

number_in_example = Claim(
    id="dyn.functions.number.hops-of-the-example",
    kind=Kind.THEOREM,
    fidelity=Fidelity.PRINTED,
    title="h applications of Index solve the number task, hops counted as in the source's example",
    source=Source("DYN", "example of the number task and appendix B"),
    latex=r"\text{C B A 1 4 1 3 2 1 1}:\ h = 4,\ \text{answer C}",
    sentence="Counting hops as the example does, without the move of the last token (four there, for the values 1, 2, "
    "1 and 4), the last token of Index^h is the answer.",
    domain="every valid sequence with a hop by that count",
    statement=_statement((VALID, HOPS), _solves_number(1)),
    repair=number.id,
    survives="everything, with the last token's move counted: the example makes five moves and needs five layers",
)

# -- letters -------------------------------------------------------------------------------------------------------


def _solves_letter(fewer: int = 0) -> Callable[[SequenceCase], bool]:
    def holds(case: SequenceCase) -> bool:
        answer, moves = solve_letter(case.tokens)
        return bool(_last(retrieval_function, case.tokens, max(0, moves - fewer)) == answer)

    return holds


def _stays_proper(case: SequenceCase) -> bool:
    return accepted(require_proper, retrieval_function(case.tokens))


def _stays_both(case: SequenceCase) -> bool:
    moved = retrieval_function(case.tokens)
    return accepted(require_proper, moved) and accepted(require_unambiguous, moved)


letter_repaired = Claim(
    id="dyn.functions.letter.repaired",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="On proper, unambiguous sequences h applications of Retrieval solve the letter task of h moves",
    source=FUNCTIONS,
    latex=r"\text{letter task} = \text{Retrieval}^h(x)_n",
    sentence="If the sequence is proper and each letter asked for is the left letter of one symbol only, and the path "
    "from the last token ends after h moves, the last token of Retrieval^h is the answer.",
    domain="every such sequence",
    statement=_statement((PROPER, UNAMBIGUOUS, ENDS), _solves_letter()),
    mutants=(
        Mutant("one less", "Retrieval^(h-1)", _statement((PROPER, UNAMBIGUOUS, ENDS), _solves_letter(1))),
        Mutant(
            "once",
            "one application, whatever h",
            _statement(
                (PROPER, UNAMBIGUOUS, ENDS),
                lambda case: _last(retrieval_function, case.tokens, 1) == solve_letter(case.tokens).answer,
            ),
        ),
        Mutant("ambiguous", "proper alone", _statement((PROPER, ENDS), _solves_letter())),
    ),
    remarks=(
        "Proof. After s applications every token is the one that s moves from it lead to, or the answer if that comes "
        "sooner: the token at j is then some pair (u, v) of the input, and the pair it is to become, the one with left "
        "letter v, has moved to every place whose pair was followed by it, such as the place of (u, v) s applications "
        "ago, which is at j or before; it is the only symbol with that left letter.",
    ),
)

letter_printed = Claim(
    id="dyn.functions.letter",
    kind=Kind.THEOREM,
    fidelity=Fidelity.PRINTED,
    title="On proper sequences applications of Retrieval solve the letter task",
    source=FUNCTIONS,
    latex=r"\text{letter task} = (\text{Reflexive}^{\,l-h} \circ \text{Retrieval}^h)(x)_n\ \text{on proper inputs}",
    sentence="On a proper sequence whose path from the last token ends after h moves, the last token of Retrieval^h "
    "is the answer.",
    domain="every proper sequence with a path that ends",
    statement=_statement((PROPER, ENDS), _solves_letter()),
    repair=letter_repaired.id,
    survives="everything where each left letter stands for one symbol; proper as defined asks that "
    "only of the tokens up to the pair, and the second application can then be undefined",
)

closed_repaired = Claim(
    id="dyn.functions.retrieval-closed.repaired",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="Retrieval keeps sequences that are proper and unambiguous so",
    source=FUNCTIONS,
    latex=r"x\ \text{proper, unambiguous} \Rightarrow \text{Retrieval}(x)\ \text{proper, unambiguous}",
    sentence="If a sequence is proper and each letter asked for is the left letter of one symbol only, both are true "
    "of its image under Retrieval, so that Retrieval can be applied again.",
    domain="every such sequence",
    statement=_statement((PROPER, UNAMBIGUOUS), _stays_both),
    mutants=(
        Mutant("proper alone", "without the second premise", _statement((PROPER,), _stays_both)),
        Mutant(
            "nothing moves",
            "Retrieval is the identity there",
            _statement((PROPER, UNAMBIGUOUS), lambda case: retrieval_function(case.tokens) == case.tokens),
        ),
        Mutant(
            "at once",
            "Retrieval is idempotent there",
            _statement(
                (PROPER, UNAMBIGUOUS),
                lambda case: iterated(retrieval_function, case.tokens, 2) == retrieval_function(case.tokens),
            ),
        ),
    ),
    remarks=(
        "Proof. The image has no new symbols, so it stays unambiguous. A pair (u, v) at place j of the image was the "
        "target of j: it stands at some place p <= j of the input, and the image holds its target, whose left letter "
        "is v, at p.",
    ),
)

closed_printed = Claim(
    id="dyn.functions.retrieval-closed",
    kind=Kind.THEOREM,
    fidelity=Fidelity.RECONSTRUCTED,
    title="Retrieval of a proper sequence is proper, so that it can be composed",
    source=FUNCTIONS,
    latex=r"x\ \text{proper} \Rightarrow \text{Retrieval}(x)\ \text{proper}",
    sentence="The image of a proper sequence under Retrieval is proper again, as composing Retrieval with itself "
    "takes for granted.",
    domain="every proper sequence",
    statement=_statement((PROPER,), _stays_proper),
    repair=closed_repaired.id,
    survives="composition on sequences in which no letter is the left letter of two symbols",
)


def _stays_valid(case: SequenceCase) -> bool:
    return accepted(require_valid_index, index_function(case.tokens))


index_closed = Claim(
    id="dyn.functions.index-closed",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="Index keeps valid sequences valid",
    source=FUNCTIONS,
    latex=r"x\ \text{valid} \Rightarrow \text{Index}(x)\ \text{valid}",
    sentence="If every integer of a sequence has a target, so has every integer of its image under Index.",
    domain="every valid sequence",
    statement=_statement((VALID,), _stays_valid),
    mutants=(
        Mutant(
            "copying integers",
            "also if integers are replaced by integers",
            _statement((VALID,), lambda case: _overwriting(case.tokens) == index_function(case.tokens)),
        ),
        Mutant(
            "nothing moves",
            "Index is the identity",
            _statement((VALID,), lambda case: index_function(case.tokens) == case.tokens),
        ),
        Mutant(
            "at once",
            "Index is idempotent",
            _statement(
                (VALID,),
                lambda case: iterated(index_function, case.tokens, 2) == index_function(case.tokens),
            ),
        ),
    ),
    remarks=(
        "Proof. Integers stay or become letters, at their places.",
        "The source defines Index where j - i >= 1 only; elsewhere it is refused here, by name.",
    ),
)

FUNCTION_CLAIMS = (
    index_closed,
    number,
    number_in_example,
    closed_printed,
    closed_repaired,
    letter_printed,
    letter_repaired,
)
