"""The claims about the letter task as printed: its formal definition B.2, and what proper inputs are good for."""

from __future__ import annotations

from headproof.theory.claim import Claim, Fidelity, Kind, Mutant, Premise, Source, Statement
from headproof.theory.expressivity.function_claims import ENDS, PROPER, UNAMBIGUOUS, SequenceCase, accepted
from headproof.theory.multihop import letter_outcomes, letter_windows
from headproof.theory.multihop.defined import Conclusion, defined
from headproof.theory.sequences import solve_letter

DEFINITION = Source("DYN", "appendix B.2, the letter task")
WINDOWS = Premise(
    "two windows",
    "the sequence is letter-number pairs and then letter-letter pairs, one of each at least",
    lambda case: accepted(letter_windows, case.tokens),
)
FORWARD = Premise(
    "no pair names itself",
    "no pair of letters has its left letter as its right one",
    lambda case: all(not isinstance(token, tuple) or token[0] != token[1] for token in case.tokens),
)


def _statement(premises: tuple[Premise, ...], conclusion: Conclusion) -> Statement:
    return Statement(SequenceCase, premises, defined(conclusion))


def _agrees(
    *premises: Premise, ordered: bool = False, hops: bool = True, fewer: int = 0, backwards: bool = False
) -> Statement:
    """The chains' answer is that of following pairs back, and their only one; with `hops` so is their length."""

    def holds(case: SequenceCase) -> bool:
        found, solution = letter_outcomes(case.tokens, ordered, backwards), solve_letter(case.tokens)
        if hops:
            return found == {(solution.answer, solution.hops - fewer)}
        return {pair for pair, _ in found} == {solution.answer}

    return _statement((WINDOWS, *premises), holds)


repaired = Claim(
    id="dyn.tasks.letter.formal.repaired",
    kind=Kind.DEFINITION,
    fidelity=Fidelity.OURS,
    title="A formal definition of the letter task that agrees with following pairs back",
    source=DEFINITION,
    latex=r"k_1 = n_2,\ k_{i+1} < k_i,\ y_{k_i} = x_{k_{i+1}},\ y_{k_{HL}} = s_{i^*}",
    sentence="If the path from the last pair ends, each right letter on it naming one symbol among the pairs up to it, "
    "then the chains of B.2 whose places fall, k_(i+1) < k_i, have one answer, the path's, and one length, its number "
    "of moves.",
    domain="every sequence of letter-number and then letter-letter pairs with a path that ends, all such proper ones",
    statement=_agrees(ENDS, ordered=True),
    mutants=(
        Mutant("without the order", "any k_(i+1) with y_ki = x_k(i+1)", _agrees(ENDS, hops=False)),
        Mutant("without the query's move", "HL is one less than the moves", _agrees(ENDS, ordered=True, fewer=1)),
        Mutant("left for right", "x_ki = y_k(i+1)", _agrees(ENDS, ordered=True, backwards=True)),
        Mutant("any sequence", "whether or not the path ends", _agrees(ordered=True)),
    ),
    remarks=(
        "Proof. On the path the pairs up to k_i whose left letter is y_ki are one symbol, not the pair at k_i itself, "
        "or the path would not end: so they stand before it, all in one window. A falling chain can go to any of "
        "them, and their right letters are alike, as are, where they are letter-number pairs, they themselves.",
    ),
)

printed = Claim(
    id="dyn.tasks.letter.formal",
    kind=Kind.DEFINITION,
    fidelity=Fidelity.PRINTED,
    title="The printed formal definition of the letter task agrees with following pairs back, on proper inputs",
    source=DEFINITION,
    latex=r"k_1 = n_2,\ y_{k_i} = x_{k_{i+1}},\ y_{k_{HL}} = s_{i^*}",
    sentence="On a proper sequence of letter-number and then letter-letter pairs whose path ends, all chains of B.2 "
    "from the last pair have one answer, the one that following earlier pairs leads to.",
    domain="every proper sequence of letter-number and then letter-letter pairs with a path that ends",
    statement=_agrees(PROPER, ENDS, hops=False),
    repair=repaired.id,
    survives="all of it with the order k_(i+1) < k_i that B.2 leaves out, or on unambiguous sequences: proper asks for "
    "one symbol among the pairs up to a place, and B.2 lets a chain go forward to a later one",
)

unambiguous = Claim(
    id="dyn.tasks.letter.formal.unambiguous",
    kind=Kind.DEFINITION,
    fidelity=Fidelity.OURS,
    title="On unambiguous inputs the printed formal definition of the letter task is right as it stands",
    source=DEFINITION,
    latex=r"x\ \text{unambiguous}:\ \text{B.2 has one answer and one } HL",
    sentence="If each letter asked for is the left letter of one symbol of the whole sequence and the path from the "
    "last pair ends, then all chains of B.2 have its answer and its number of moves.",
    domain="every such sequence of letter-number and then letter-letter pairs",
    statement=_agrees(UNAMBIGUOUS, ENDS),
    mutants=(
        Mutant("proper", "proper in place of unambiguous", _agrees(PROPER, ENDS)),
        Mutant("without the query's move", "HL is one less than the moves", _agrees(UNAMBIGUOUS, ENDS, fewer=1)),
        Mutant("left for right", "x_ki = y_k(i+1)", _agrees(UNAMBIGUOUS, ENDS, backwards=True)),
    ),
    remarks=("Proof. Wherever a chain goes, forward or back, it meets the symbols of the path, in their order.",),
)


def _ends(*premises: Premise, fewer: int = 0) -> Statement:
    """The path ends after as many moves as there are letter-letter pairs at most."""

    def holds(case: SequenceCase) -> bool:
        return solve_letter(case.tokens).hops <= len(letter_windows(case.tokens)[1]) - fewer

    return _statement((WINDOWS, *premises), holds)


ends_repaired = Claim(
    id="dyn.tasks.letter.proper-ends.repaired",
    kind=Kind.DEFINITION,
    fidelity=Fidelity.OURS,
    title="On proper inputs in which no pair names itself every path ends",
    source=DEFINITION,
    latex=r"x\ \text{proper},\ x_k \ne y_k \Rightarrow HL \le n_2",
    sentence="On a proper sequence of letter-number and then n2 letter-letter pairs, none of which has two equal "
    "letters, the path from the last pair reaches the target window, in n2 moves at most.",
    domain="every such sequence",
    statement=_ends(PROPER, FORWARD),
    mutants=(
        Mutant("proper alone", "whether or not a pair names itself", _ends(PROPER)),
        Mutant("any", "whether or not it is proper", _ends(FORWARD)),
        Mutant("one fewer", "n2 - 1 moves at most", _ends(PROPER, FORWARD, fewer=1)),
    ),
    remarks=(
        "Proof. The pair that a proper pair names stands at its own place or before; its own is left out, so the "
        "places fall until the target window.",
    ),
)

ends = Claim(
    id="dyn.tasks.letter.proper-ends",
    kind=Kind.DEFINITION,
    fidelity=Fidelity.RECONSTRUCTED,
    title="On proper inputs every path ends",
    source=DEFINITION,
    latex=r"x\ \text{proper} \Rightarrow \exists\, i^*:\ y_{k_{HL}} = s_{i^*}",
    sentence="On a proper sequence of letter-number and then n2 letter-letter pairs the path from the last pair "
    "reaches the target window, in n2 moves at most, as B.2 takes for granted.",
    domain="every proper sequence of letter-number and then letter-letter pairs",
    statement=_ends(PROPER),
    repair=ends_repaired.id,
    survives="all of it where no pair names itself: proper lets a pair be its own target",
)

LETTER_CLAIMS = (printed, repaired, unambiguous, ends, ends_repaired)
