"""Claims about symbolic heads: the order of keys, and what they cannot compute (DEC, lemma 1, theorem 2; DYN, 3.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from headproof.theory.claim import Claim, Fidelity, Kind, Mutant, Premise, Source, Statement
from headproof.theory.derivation import Entailment, Entailments, Hypothesis, equal
from headproof.theory.expressivity.attention_cases import PermutedCase
from headproof.theory.expressivity.invariance import Impossible, Invariance, OutputMap, output_is_invariant
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

SYMBOLIC_IS = "L(x_n, n, x_j, pi(j)) = L(x_n, n, x_j, j)"
POSITIONAL_IS = "L(x_n, n, x_pi(j), j) = L(x_n, n, x_j, j)"
EACH_ORDER = "for every permutation pi of the earlier keys and every key j"
SYMBOLIC = Premise("symbolic", f"{SYMBOLIC_IS} on every valid input, {EACH_ORDER}", Invariance("symbolic"))
POSITIONAL = Premise("positional", f"{POSITIONAL_IS} on every valid input, {EACH_ORDER}", Invariance("positional"))
NEARLY_SYMBOLIC = Premise(
    "last place kept",
    f"{SYMBOLIC_IS} on every valid input, for the permutations that keep the last place",
    Invariance("symbolic", "last place kept"),
)
TWO_SYMBOLS = Premise("two symbols", "two symbols at least", lambda case: case.symbols >= 2)
TWO_ATTRIBUTES = Premise("two attributes", "two attributes at least", lambda case: case.attributes >= 2)
TWO_LETTERS = Premise("two letters", "two letters at least", lambda case: case.letters >= 2)
THREE_TOKENS = Premise("three tokens", "n >= 3: two keys before the query", lambda case: case.length >= 3)
ROOM = Premise(
    "two letters or four tokens",
    "(two letters at least, or n >= 4)",
    lambda case: case.letters >= 2 or case.length >= 4,
)
BOTH_KINDS = "softmax and average hard attention"
ANY_MAP = "every value map and every output map F(a, x_n)"

# -- lemma 1 -------------------------------------------------------------------------------------------------------


def _invariant(name: str, sentence: str, known: Invariance, form: Hypothesis) -> Statement:
    premise = Premise(name, sentence, known)
    return Statement(PermutedCase, (premise,), output_is_invariant, Entailments((order(form),)))


ON_IT = f"on the input x, {EACH_ORDER}"
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
    domain=f"every length, every input, every logit table that is symbolic on it, {ANY_MAP}, {BOTH_KINDS}",
    statement=_invariant("symbolic", f"{SYMBOLIC_IS} {ON_IT}", Invariance("symbolic"), ALL_SYMBOLIC),
    proof=Proof((PROOF_OF_ORDER,)),
    mutants=(
        Mutant(
            "positional",
            "a positional head",
            _invariant("positional", f"{POSITIONAL_IS} {ON_IT}", Invariance("positional"), ALL_POSITIONAL),
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
            _invariant(
                "last place kept",
                "the definition for permutations that keep the last place",
                Invariance("symbolic", "last place kept"),
                LAST_PLACE_KEPT,
            ),
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
        "DEC's symbolic head is symbolic on every input; that it is so on the one input at hand is enough.",
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


@dataclass(frozen=True)
class Maps:
    """The value and output maps that a statement is about: for the exact engine, in words, and as LaTeX."""

    output: OutputMap
    domain: str
    phrase: str
    latex: str


ANY = Maps("any", ANY_MAP, "whatever its values and its output map", r"\text{all } VAL, F")


def _symbolic_claim(
    claim_id: str, case_type: Any, alphabet: Premise, source: Source, task: str, pair: str, **texts: Any
) -> Claim:
    least = f"{alphabet.sentence} and n >= 3"
    return Claim(
        id=claim_id,
        kind=Kind.THEOREM,
        fidelity=Fidelity.PRINTED,
        title=f"No symbolic head computes {task}: {least}",
        source=source,
        sentence=f"With {least}, no head that is symbolic on every valid input of length n computes {task}, "
        f"{ANY.phrase}: {pair} have the same output and different answers.",
        domain=f"every alphabet and length with {least}, {ANY_MAP}, {BOTH_KINDS}",
        statement=impossible(case_type, (SYMBOLIC, alphabet, THREE_TOKENS), _swap_forms()),
        proof=PROOF_BY_SWAP,
        mutants=_symbolic_mutants(case_type, alphabet, THREE_TOKENS),
        **texts,
    )


def tacit(what: str, otherwise: str) -> str:
    """The remark on premises that the print does not spell out."""
    return (
        f"The print leaves it tacit that there are {what}. Exactly that is needed: {otherwise}. The claim holds at "
        "each such length by itself, so all the more at all lengths at once."
    )


def read_literally(repair: Claim, premise: Premise, task: str, least: str, survives: str, maps: Maps = ANY) -> Claim:
    """The print taken at its word, for each alphabet and each length by itself: the least ones refute it."""
    assert repair.statement is not None
    return Claim(
        id=f"{repair.id}.any-alphabet",
        kind=Kind.THEOREM,
        fidelity=Fidelity.PRINTED,
        title=f"Read literally: not even with {least} does a {premise.name} head compute {task}",
        source=repair.source,
        latex=repair.latex.split(r"\ (")[0] + rf"\ ({maps.latex},\ \text{{every alphabet}},\ n \ge 2)",
        sentence=f"Over no alphabet and at no length n >= 2, not even with {least}, is there a head that is "
        f"{premise.name} on every valid input of that length and computes {task}, {maps.phrase}.",
        domain=f"each alphabet and each length n >= 2 by itself, as far as it has an input, {maps.domain}, "
        f"{BOTH_KINDS}",
        statement=impossible(repair.statement.case_type, (premise,), output=maps.output),
        repair=repair.id,
        survives=survives,
    )


theorem_2 = _symbolic_claim(
    "dec.thm2",
    IndexCase,
    TWO_SYMBOLS,
    Source("DEC", "theorem 2"),
    "Index",
    "the inputs (s, t, ..., 1) and (t, s, ..., 1), with different symbols s and t,",
    latex=r"\text{symbolic} \Rightarrow H \not\equiv f_{POS}\ (\text{all } VAL, F,\ |S| \ge 2,\ n \ge 3)",
    remarks=(
        tacit(
            "two symbols and two keys at least",
            "with one symbol there is one answer, with one key one place to name, and the head whose logits are all 0 "
            "computes Index",
        ),
        "Queries name a place; at one length naming an offset instead only renames the queries.",
    ),
)

theorem_2_literal = read_literally(
    theorem_2,
    SYMBOLIC,
    "Index",
    "one symbol or one place to name",
    "all of it from two symbols and two keys on; one symbol, or one place to name, leaves nothing to find out",
)

induction_symbolic = _symbolic_claim(
    "dec.cor1.symbolic",
    InductionCase,
    TWO_ATTRIBUTES,
    Source("DEC", "corollary 1"),
    "partial induction",
    "the inputs (..., (s,y1), (s,y2), s) and (..., (s,y2), (s,y1), s), for which one symbol is enough,",
    latex=r"\text{symbolic} \Rightarrow H \not\equiv f_{MIX}\ (\text{all } VAL, F,\ |A| \ge 2,\ n \ge 3)",
    remarks=(
        tacit(
            "two attributes and two pairs at least",
            "with one attribute there is one answer, with one pair it is that pair's, and the head whose logits are "
            "all 0 computes the task",
        ),
    ),
)

induction_symbolic_literal = read_literally(
    induction_symbolic,
    SYMBOLIC,
    "partial induction",
    "one attribute or one pair",
    "all of it from two attributes and two pairs on, even over one symbol",
)

WHOLE_INDEX = "Index on whole sequences, read at the last token"
whole_index = _symbolic_claim(
    "dyn.rem3.1.index",
    NumberCase,
    ROOM,
    Source("DYN", "remark 3.1"),
    WHOLE_INDEX,
    "the inputs (..., x, y, 1) and (..., y, x, 1) with two letters x and y, or (a, 1, a, 1) and (a, a, 1, 1) with one "
    "letter, at greater length after more letters a,",
    latex=r"\text{symbolic} \Rightarrow H \not\equiv \mathrm{Index}"
    r"\ (\text{all } VAL, F,\ (|\Sigma| \ge 2 \text{ or } n \ge 4) \text{ and } n \ge 3)",
    remarks=(
        tacit(
            "three tokens at least, or four if there is only one letter",
            "otherwise inputs with one query and two answers differ in which tokens they hold, and the head whose "
            "logits are all 0 computes Index, with an output map that looks the tokens up",
        ),
        "An integer whose target is an integer stays: the last token of (a, 1, a, 1) becomes a, that of (a, a, 1, 1) "
        "stays 1.",
    ),
)

whole_index_literal = read_literally(
    whole_index,
    SYMBOLIC,
    WHOLE_INDEX,
    "one letter or one token before the last",
    "all of it from three tokens on with two letters, and from four tokens on with any",
)

INVARIANCE_CLAIMS = (
    lemma_1,
    theorem_2,
    theorem_2_literal,
    induction_symbolic,
    induction_symbolic_literal,
    whole_index,
    whole_index_literal,
)
