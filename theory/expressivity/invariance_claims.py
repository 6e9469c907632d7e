"""Claims about symbolic heads: the order of keys, and what they cannot compute (DEC, lemma 1, theorem 2; DYN, 3.1)."""

from __future__ import annotations

from typing import Any

from headproof.theory.claim import Claim, Fidelity, Kind, Mutant, Premise, Source, Statement
from headproof.theory.derivation import Entailment, Entailments, Hypothesis, equal
from headproof.theory.expressivity.attention_cases import PermutedCase
from headproof.theory.expressivity.invariance import Impossible, Invariance, output_is_invariant
from headproof.theory.expressivity.invariance_proofs import (
    ALL_POSITIONAL,
    ALL_SYMBOLIC,
    FIRST_KEY_SYMBOLIC,
    FIRST_TWO_SWAPPED,
    LAST_PLACE_KEPT,
    PROOF_OF_ANSWERS,
    PROOF_OF_ORDER,
    PROOF_OF_SWAP,
    answers,
    at_one,
    at_two,
    order,
    other_at_one,
    other_at_two,
    swap,
)
from headproof.theory.expressivity.task_cases import IndexCase, InductionCase, NumberCase
from headproof.theory.proof import Proof

SYMBOLIC = Premise(
    "symbolic",
    "L(x_n, n, x_j, pi(j)) = L(x_n, n, x_j, j) on every valid input, for every permutation pi of the earlier keys",
    Invariance("symbolic"),
)
POSITIONAL = Premise(
    "positional",
    "L(x_n, n, x_pi(j), j) = L(x_n, n, x_j, j) on every valid input, for every permutation pi of the earlier keys",
    Invariance("positional"),
)
NEARLY_SYMBOLIC = Premise(
    "last place kept",
    "L(x_n, n, x_j, pi(j)) = L(x_n, n, x_j, j) for the permutations that keep the last place",
    Invariance("symbolic", "last place kept"),
)
TWO_SYMBOLS = Premise("two symbols", "two symbols at least", lambda case: case.symbols >= 2)
TWO_ATTRIBUTES = Premise("two attributes", "two attributes at least", lambda case: case.attributes >= 2)
TWO_LETTERS = Premise("two letters", "two letters at least", lambda case: case.letters >= 2)
THREE_TOKENS = Premise("three tokens", "n >= 3: two keys before the query", lambda case: case.length >= 3)
ROOM = Premise(
    "two letters or four tokens",
    "two letters at least, or n >= 4",
    lambda case: case.letters >= 2 or case.length >= 4,
)
BOTH_KINDS = "softmax and average hard attention"
ANY_MAP = "every value map and every output map F(a, x_n)"

# -- lemma 1 -------------------------------------------------------------------------------------------------------


def _invariant(name: str, sentence: str, known: Invariance, form: Hypothesis) -> Statement:
    premise = Premise(name, sentence, known)
    return Statement(PermutedCase, (premise,), output_is_invariant, Entailments((order(form),)))


lemma_1 = Claim(
    id="dec.lemma1",
    kind=Kind.THEOREM,
    fidelity=Fidelity.PRINTED,
    title="With a symbolic head the order of the earlier tokens does not change the output at the last position",
    source=Source("DEC", "lemma 1"),
    latex=r"L(x_n,n,x_j,\pi(j)) = L(x_n,n,x_j,j)\ \forall\pi,j \ \Rightarrow\ "
    r"F(a_n(x_{\pi(1)},\dots,x_{\pi(n-1)},x_n), x_n) = F(a_n(x_1,\dots,x_n), x_n)\ \forall\pi",
    sentence="If a head is symbolic on an input, then with its earlier tokens in any other order the one-layer model "
    "gives the same output at the last position, whatever the values and the output map.",
    domain=f"every length, every logit table that is symbolic on the input, {ANY_MAP}, {BOTH_KINDS}",
    statement=_invariant(SYMBOLIC.name, SYMBOLIC.sentence, Invariance("symbolic"), ALL_SYMBOLIC),
    proof=Proof((PROOF_OF_ORDER,)),
    mutants=(
        Mutant(
            "positional",
            "a positional head",
            _invariant(POSITIONAL.name, POSITIONAL.sentence, Invariance("positional"), ALL_POSITIONAL),
        ),
        Mutant(
            "first key only",
            "symbolic at the first key",
            _invariant(
                "first key", "the definition at j = 1", Invariance("symbolic", first_key_only=True), FIRST_KEY_SYMBOLIC
            ),
        ),
        Mutant(
            "last place kept",
            "symbolic under permutations that keep the last place",
            _invariant(NEARLY_SYMBOLIC.name, NEARLY_SYMBOLIC.sentence, NEARLY_SYMBOLIC.holds, LAST_PLACE_KEPT),  # type: ignore[arg-type]
        ),
        Mutant(
            "first two swapped",
            "symbolic under the swap of the first two places",
            _invariant(
                "first two places",
                "the definition for permutations of the places 1 and 2",
                Invariance("symbolic", "first two places"),
                FIRST_TWO_SWAPPED,
            ),
        ),
    ),
    remarks=(
        "Average hard attention: the proof's E is any function of the logit. With thresholds for E it says that both "
        "orders have the same largest logit, then with E = 1 for that logit and 0 for others that outputs agree.",
    ),
)

# -- what no symbolic head computes, whatever its output map -------------------------------------------------------


def _swap_forms(free: tuple[Hypothesis, ...] | None = None, keys: int = 2, differ: bool = True) -> Entailments:
    parts: list[Entailment] = [swap(keys=keys) if free is None else swap(free, keys), answers(differ)]
    return Entailments(tuple(parts))


BY_PLACE = (equal(at_one, other_at_one), equal(at_two, other_at_two))
PROOF_BY_SWAP = Proof((PROOF_OF_SWAP, PROOF_OF_ANSWERS))


def impossible(case_type: Any, premises: tuple[Premise, ...], form: Any = None, output: Any = "any") -> Statement:
    """No head of the class computes the task, by softmax or hard attention, with output maps of this kind."""
    return Statement(case_type, premises, Impossible(output), form)


def _symbolic_mutants(case_type: Any, *others: Premise) -> tuple[Mutant, ...]:
    """`others` are the alphabet's premise and three tokens."""
    alphabet, three = others
    return (
        Mutant(
            "positional",
            "no positional head",
            impossible(case_type, (POSITIONAL, alphabet, three), _swap_forms(BY_PLACE)),
        ),
        Mutant(
            "last place kept",
            "symbolic under permutations that keep the last place",
            impossible(case_type, (NEARLY_SYMBOLIC, alphabet, three), _swap_forms(())),
        ),
        Mutant(
            "any alphabet",
            f"without {alphabet.sentence}",
            impossible(case_type, (SYMBOLIC, three), _swap_forms(differ=False)),
        ),
        Mutant("two tokens", "n >= 2", impossible(case_type, (SYMBOLIC, alphabet), _swap_forms(keys=1))),
    )


def _symbolic_claim(
    claim_id: str, case_type: Any, alphabet: Premise, source: Source, task: str, pair: str, **texts: Any
) -> Claim:
    return Claim(
        id=claim_id,
        kind=Kind.THEOREM,
        fidelity=Fidelity.OURS,
        title=f"No symbolic head computes {task}: {alphabet.sentence}, and n >= 3",
        source=source,
        sentence=f"With {alphabet.sentence} and at each length n >= 3, no head that is symbolic on every valid input "
        f"computes {task}, whatever its values and its output map: {pair} have the same output and different answers.",
        domain=f"every alphabet with {alphabet.sentence}, every length n >= 3, {ANY_MAP}, {BOTH_KINDS}",
        statement=impossible(case_type, (SYMBOLIC, alphabet, THREE_TOKENS), _swap_forms()),
        proof=PROOF_BY_SWAP,
        mutants=_symbolic_mutants(case_type, alphabet, THREE_TOKENS),
        **texts,
    )


def every_alphabet(
    claim_id: str, case_type: Any, premise: Premise, repair: Claim, task: str, survives: str, output: Any = "any"
) -> Claim:
    """The reading of an impossibility over every alphabet and length: degenerate ones refute it."""
    maps = ANY_MAP if output == "any" else "VAL the identity, F the projection onto answers"
    return Claim(
        id=claim_id,
        kind=Kind.THEOREM,
        fidelity=Fidelity.PRINTED,
        title=f"No {premise.name} head computes {task}, over every alphabet and length",
        source=repair.source,
        latex=repair.latex.split(r"\ (")[0],
        sentence=f"No head that is {premise.name} on every valid input computes {task}, however small the alphabet "
        "and however short the input.",
        domain=f"every alphabet, every length n >= 2, {maps}, {BOTH_KINDS}",
        statement=impossible(case_type, (premise,), output=output),
        repair=repair.id,
        survives=survives,
    )


two_symbols = _symbolic_claim(
    "dec.thm2.two-symbols",
    IndexCase,
    TWO_SYMBOLS,
    Source("DEC", "theorem 2"),
    "Index",
    "with different symbols s and t the inputs (s, t, ..., 1) and (t, s, ..., 1), and likewise for every query j with "
    "s and t at place j and any other,",
    latex=r"\text{symbolic} \Rightarrow H \not\equiv f_{POS}\ (|S| \ge 2,\ n \ge 3)",
    remarks=("Queries name a place; at one length naming an offset instead only renames the queries.",),
)

theorem_2 = every_alphabet(
    "dec.thm2",
    IndexCase,
    SYMBOLIC,
    two_symbols,
    "Index",
    "all of it from two symbols and two keys on; one symbol, or one place to name, leaves nothing to find out",
)

induction_symbolic = _symbolic_claim(
    "dec.cor1.symbolic",
    InductionCase,
    TWO_ATTRIBUTES,
    Source("DEC", "corollary 1"),
    "partial induction",
    "the inputs (..., (s,y1), (s,y2), s) and (..., (s,y2), (s,y1), s), for which one symbol is enough,",
    latex=r"\text{symbolic} \Rightarrow H \not\equiv f_{MIX}\ (|A| \ge 2,\ n \ge 3)",
)

induction_symbolic_any = every_alphabet(
    "dec.cor1.symbolic.any-alphabet",
    InductionCase,
    SYMBOLIC,
    induction_symbolic,
    "partial induction",
    "all of it from two attributes and two keys on, even over one symbol",
)

whole_index = _symbolic_claim(
    "dyn.rem3.1.index",
    NumberCase,
    ROOM,
    Source("DYN", "remark 3.1"),
    "Index on whole sequences, read at the last token",
    "the inputs (..., x, y, 1) and (..., y, x, 1) for two letters x and y, or for a letter x and the integer y = 1 "
    "from the third-last place on",
    latex=r"\text{symbolic} \Rightarrow H \not\equiv \mathrm{Index}\ (n \ge 3;\ |\Sigma| \ge 2 \text{ or } n \ge 4)",
    remarks=(
        "An integer whose target is an integer stays, so from four tokens on one letter is enough: the last token of "
        "(a, 1, a, 1) becomes a, that of (a, a, 1, 1) stays 1.",
    ),
)

whole_index_any = every_alphabet(
    "dyn.rem3.1.index.any-alphabet",
    NumberCase,
    SYMBOLIC,
    whole_index,
    "Index on whole sequences, read at the last token",
    "all of it from three tokens on with two letters, and from four tokens on with any",
)

INVARIANCE_CLAIMS = (
    lemma_1,
    theorem_2,
    two_symbols,
    induction_symbolic,
    induction_symbolic_any,
    whole_index,
    whole_index_any,
)
