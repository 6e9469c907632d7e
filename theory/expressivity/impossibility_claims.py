"""Claims about what positional heads cannot compute (DEC, theorem 4 and corollary 1; DYN, remark 3.1)."""

from __future__ import annotations

from typing import Any

from headproof.theory.claim import Claim, Fidelity, Kind, Mutant, Premise, Source
from headproof.theory.derivation import FALSE, Entailment, Entailments, equal, greater
from headproof.theory.expressivity.impossibility_proofs import (
    AFFINE,
    LINKED_FIRST,
    LINKED_ONE,
    LINKED_SECOND,
    LINKED_TWO,
    MOST,
    PROOF_OF_AFFINE,
    PROOF_OF_LINK,
    PROOF_OF_MOST,
    PROOF_OF_SCORES,
    RIGHT_TWICE,
    SCORES,
    affine,
    link,
    most,
    scores,
)
from headproof.theory.expressivity.invariance_claims import (
    ANY_MAP,
    BOTH_KINDS,
    POSITIONAL,
    SYMBOLIC,
    THREE_TOKENS,
    TWO_ATTRIBUTES,
    TWO_LETTERS,
    TWO_SYMBOLS,
    Maps,
    impossible,
    read_literally,
    tacit,
)
from headproof.theory.expressivity.invariance_proofs import F, out, out_too, right, right_too
from headproof.theory.expressivity.task_cases import AffineCase, InductionCase, LetterCase, RetrievalCase
from headproof.theory.proof import Proof

PROJECTED = Maps(
    "projection",
    "VAL the identity on one-hot pairs, F the projection onto attributes",
    "with one-hot pairs, VAL the identity and F the projection onto attributes",
    r"VAL = I,\ F \text{ the projection onto attributes}",
)
MOST_ATTENDED = Maps(
    "projection",
    "VAL the identity on one-hot pairs, F = a",
    "with one-hot pairs, VAL the identity and F = a, the token with the most attention",
    r"VAL = I,\ F = a",
)
THEOREM_4 = Source("DEC", "theorem 4")


def _told_apart(title: str) -> Entailment:
    """With any output map: two outputs, which may differ, have two answers. No contradiction follows."""
    hypotheses = {
        "linked 1": LINKED_FIRST,
        "linked 2": LINKED_SECOND,
        "right": equal(F(out), right),
        "right there": equal(F(out_too), right_too),
        "different": greater(right, right_too),
    }
    return Entailment(title, hypotheses, (FALSE,))


def _forms(*parts: Entailment) -> Entailments:
    return Entailments(parts)


ANSWER_ONCE = greater(-RIGHT_TWICE.expression)  # the same attribute is right on both inputs


def _projection_claim(claim_id: str, case_type: Any, alphabet: tuple[Premise, ...], **texts: Any) -> Claim:
    """No positional head; near misses leave out one premise each or let the output map be any."""
    everything = (POSITIONAL, *alphabet, THREE_TOKENS)

    def without(*dropped: Premise) -> tuple[Premise, ...]:
        return tuple(each for each in everything if each not in dropped)

    def projected(premises: tuple[Premise, ...], form: Entailment) -> Any:
        return impossible(case_type, premises, _forms(form), "projection")

    return Claim(
        id=claim_id,
        kind=Kind.THEOREM,
        fidelity=Fidelity.PRINTED,
        statement=projected(everything, scores()),
        proof=Proof((PROOF_OF_SCORES,)),
        mutants=(
            Mutant("any head", "no head at all", projected(without(POSITIONAL), scores(()))),
            Mutant("one attribute", "any attributes", projected(without(TWO_ATTRIBUTES), scores((), ANSWER_ONCE))),
            Mutant("two tokens", "n >= 2", projected(without(THREE_TOKENS), scores((LINKED_FIRST,)))),
            *(
                Mutant("one symbol", "any symbols", projected(without(each), scores((LINKED_SECOND,))))
                for each in alphabet
                if each is TWO_SYMBOLS
            ),
            Mutant(
                "any output map", "every output map", impossible(case_type, everything, _forms(_told_apart(SCORES)))
            ),
        ),
        **texts,
    )


PAIR = (
    "((s1,y1), (s2,y2), s1) and ((s2,y1), (s1,y2), s1) hold the same attributes place by place, with the same weights"
)
theorem_4 = _projection_claim(
    "dec.thm4",
    RetrievalCase,
    (TWO_ATTRIBUTES,),
    title="No positional head computes Retrieval with VAL the identity and F the projection: two attributes at least "
    "and n >= 3",
    source=THEOREM_4,
    latex=r"\text{positional} \Rightarrow H \not\equiv f_{SYM}"
    rf"\ ({PROJECTED.latex},\ |A| \ge 2,\ n \ge 3)",
    sentence="With one-hot pairs, VAL the identity, F the projection onto attributes, two attributes at least and "
    "n >= 3, so two pairs and two symbols at least, no head that is positional on every valid input of length n "
    f"computes Retrieval: the inputs {PAIR}, but have different answers; at greater length further pairs, the same in "
    "both, come before.",
    domain="every alphabet with two attributes at least, every length n >= 3 that has an input (n - 1 symbols at "
    f"least), {PROJECTED.domain}, {BOTH_KINDS}",
    remarks=(
        tacit(
            "two attributes and two pairs at least",
            "with one attribute there is one answer, with one pair it is that pair's, and the head whose logits are "
            "all 0 computes Retrieval",
        ),
        "Positional is asked on valid inputs only, where a symbol stands once: (s1,y1) and (s1,y2) never stand in one "
        "input, but (s1,y1), (s2,y1) do, and (s1,y2), (s2,y2); that is all the proof needs.",
        "The two inputs have identical scores, so any other function of the scores fails too.",
    ),
)

theorem_4_literal = read_literally(
    theorem_4,
    POSITIONAL,
    "Retrieval",
    "one attribute or one pair",
    "all of it from two attributes and two pairs on; one attribute, or one pair, leaves nothing to find out",
    PROJECTED,
)

# -- any values and an affine output map ---------------------------------------------------------------------------

_affine_premises = (POSITIONAL, TWO_ATTRIBUTES, THREE_TOKENS)
no_affine = Claim(
    id="dec.thm4.affine",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="No positional head computes Retrieval with any values and an affine output map",
    source=THEOREM_4,
    latex=r"\text{positional} \Rightarrow \exists x:\ \arg\max_y \sum_j w_j u_y(x_j) + b_y(x_n) \ne f_{SYM}(x)\ "
    r"(|A| \ge 2,\ n \ge 3)",
    sentence="Whatever the values and whatever term the output map adds for the query, if the scores are affine in "
    "the attention output then no head that is positional on every valid input computes Retrieval, from two "
    "attributes and two pairs on: eight inputs cannot all be right.",
    domain=f"every alphabet with two attributes, every length n >= 3, every value map, scores affine in the attention "
    f"output with a term of the query's own, {BOTH_KINDS}",
    statement=impossible(AffineCase, _affine_premises, _forms(link(), affine()), "affine"),
    proof=Proof((PROOF_OF_LINK, PROOF_OF_AFFINE)),
    mutants=(
        Mutant(
            "symbolic",
            "no symbolic head",
            impossible(AffineCase, (SYMBOLIC, *_affine_premises[1:]), _forms(link(()), affine()), "affine"),
        ),
        Mutant(
            "one attribute",
            "any attributes",
            impossible(AffineCase, (POSITIONAL, THREE_TOKENS), _forms(link(), affine(attributes=1)), "affine"),
        ),
        Mutant(
            "two tokens",
            "n >= 2",
            impossible(AffineCase, (POSITIONAL, TWO_ATTRIBUTES), _forms(link(()), affine(both_places=False)), "affine"),
        ),
        Mutant(
            "any output map",
            "every output map",
            impossible(AffineCase, _affine_premises, _forms(link(), _told_apart(AFFINE))),
        ),
    ),
    remarks=(
        "With D = u_y1 - u_y2 and W the weight on the two places, query s1 says W (D(s1,y1) + D(s2,y2) - D(s2,y1) - "
        "D(s1,y2)) > 0 and query s2 the opposite; the parity of two bits is not affine.",
    ),
)

any_output_map = Claim(
    id="dec.thm4.any-output-map",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="No positional head computes Retrieval, whatever its output map",
    source=THEOREM_4,
    latex=r"\text{positional} \Rightarrow H \not\equiv f_{SYM}\ \text{for every map } F(a_n, x_n)",
    sentence="From two attributes and two pairs on no head that is positional on every valid input computes "
    "Retrieval, even with an output map F that is not a projection.",
    domain=f"every alphabet with two attributes, every length n >= 3, {ANY_MAP}, {BOTH_KINDS}",
    statement=impossible(AffineCase, _affine_premises),
    repair=no_affine.id,
    survives="output maps that are affine in the attention output, with any values; uniform attention shows which "
    "pairs are present, and a map that looks up the pair of the query symbol, such as an MLP, does the rest; the score "
    "a_n[(x_n, y)] does, which is linear in the attention output but whose matrix depends on the query",
)

# -- corollary 1 ---------------------------------------------------------------------------------------------------

induction_positional = _projection_claim(
    "dec.cor1.positional",
    InductionCase,
    (TWO_SYMBOLS, TWO_ATTRIBUTES),
    title="No positional head computes partial induction with VAL the identity and F the projection: two symbols, two "
    "attributes at least and n >= 3",
    source=Source("DEC", "corollary 1"),
    latex=r"\text{positional} \Rightarrow H \not\equiv f_{MIX}"
    rf"\ ({PROJECTED.latex},\ |S|, |A| \ge 2,\ n \ge 3)",
    sentence="With one-hot pairs, VAL the identity, F the projection onto attributes, two symbols and two attributes "
    "at least and n >= 3, no head that is positional on every valid input of length n computes partial induction: at "
    f"the last places {PAIR}, but have different answers.",
    domain="every alphabet with two symbols and two attributes at least, every length n >= 3, "
    f"{PROJECTED.domain}, {BOTH_KINDS}",
    remarks=(
        tacit(
            "two symbols, two attributes and two pairs at least",
            "with one attribute there is one answer, with one pair it is that pair's, and with one symbol the task is "
            "to copy the attribute of the last pair, which a head does with most of its weight on the last place",
        ),
        "Its conditions on VAL and F are those of theorem 4.",
        "The inputs ((s1,y1), (s1,y2), s1) and ((s1,y1), (s2,y2), s1) contradict each other as well: the first asks "
        "for more weight at the last place than before it, the second for less.",
    ),
)

induction_positional_literal = read_literally(
    induction_positional,
    POSITIONAL,
    "partial induction",
    "one symbol, one attribute or one pair",
    "all of it from two symbols, two attributes and two pairs on",
    PROJECTED,
)

induction_any_map = Claim(
    id="dec.cor1.positional.any-output-map",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="No positional head computes partial induction, whatever its output map",
    source=Source("DEC", "corollary 1"),
    latex=r"\text{positional} \Rightarrow H \not\equiv f_{MIX}\ \text{for every map } F(a_n, x_n)",
    sentence="From two symbols, two attributes and two pairs on no head that is positional on every valid input "
    "computes partial induction, even with an output map F that is not a projection.",
    domain=f"every alphabet with two symbols and two attributes, every length n >= 3, {ANY_MAP}, {BOTH_KINDS}",
    statement=impossible(InductionCase, (POSITIONAL, TWO_SYMBOLS, TWO_ATTRIBUTES, THREE_TOKENS)),
    repair=induction_positional.id,
    survives="the projection, and with it the print's conditions; a positional head with weights 1, 2, 4, ... gives "
    "every input an output of its own, from which an output map can read anything",
)

# -- DYN: Retrieval on whole sequences -----------------------------------------------------------------------------

REMARK = Source("DYN", "remark 3.1")
_whole = (POSITIONAL, TWO_LETTERS, THREE_TOKENS)
WHOLE_RETRIEVAL = "Retrieval on whole sequences, read at the last token"

whole_retrieval = Claim(
    id="dyn.rem3.1.retrieval",
    kind=Kind.THEOREM,
    fidelity=Fidelity.PRINTED,
    title="No positional head computes DYN's Retrieval with VAL the identity and F = a: two letters at least, n >= 3",
    source=REMARK,
    latex=r"\text{positional} \Rightarrow H \not\equiv \mathrm{Retrieval}"
    rf"\ ({MOST_ATTENDED.latex},\ |\Sigma| \ge 2,\ n \ge 3)",
    sentence="With one-hot pairs, VAL the identity and F = a, the token with the most attention, as in DYN's own "
    "construction, two letters at least and n >= 3, no head that is positional on every proper input of length n "
    "computes Retrieval at the last token: ((b,1), (c,1), (c,b)) and ((c,1), (b,1), (c,b)) ask for more weight at the "
    "first place than at the second and for less; at greater length copies of (c,1) come between them and the query.",
    domain=f"two letters at least, every length n >= 3, {MOST_ATTENDED.domain}, {BOTH_KINDS}",
    statement=impossible(LetterCase, _whole, _forms(most()), "projection"),
    proof=Proof((PROOF_OF_MOST,)),
    mutants=(
        Mutant(
            "symbolic",
            "no symbolic head",
            impossible(LetterCase, (SYMBOLIC, *_whole[1:]), _forms(most(())), "projection"),
        ),
        Mutant(
            "one letter",
            "any letters",
            impossible(LetterCase, (POSITIONAL, THREE_TOKENS), _forms(most((LINKED_ONE,))), "projection"),
        ),
        Mutant(
            "two tokens",
            "n >= 2",
            impossible(LetterCase, (POSITIONAL, TWO_LETTERS), _forms(most((LINKED_ONE, LINKED_TWO), ())), "projection"),
        ),
        Mutant("any output map", "every output map", impossible(LetterCase, _whole, _forms(_told_apart(MOST)))),
    ),
    remarks=(
        tacit(
            "two letters and three tokens at least",
            "with one letter each last token stays, with two tokens it alone says whether it stays or becomes the "
            "first, and a head that attends to the one or the other computes Retrieval",
        ),
        "The remark does not name VAL and F either; the claims on other maps show what they allow.",
    ),
)

whole_retrieval_literal = read_literally(
    whole_retrieval,
    POSITIONAL,
    WHOLE_RETRIEVAL,
    "one letter or one token before the last",
    "all of it from two letters and three tokens on, with VAL the identity and F = a",
    MOST_ATTENDED,
)

whole_retrieval_any_map = Claim(
    id="dyn.rem3.1.retrieval.any-output-map",
    kind=Kind.THEOREM,
    fidelity=Fidelity.PRINTED,
    title="No positional head computes DYN's Retrieval, whatever its output map",
    source=REMARK,
    latex=r"\text{positional} \Rightarrow H \not\equiv \mathrm{Retrieval}\ \text{for every map } F(a_n, x_n)",
    sentence="From two letters and three tokens on no head that is positional on every proper input computes "
    "Retrieval at the last token, whatever its output map.",
    domain=f"two letters at least, every length n >= 3, {ANY_MAP}, {BOTH_KINDS}",
    statement=impossible(LetterCase, _whole),
    repair=whole_retrieval.id,
    survives="VAL the identity and F = a, as in DYN's construction; uniform attention shows which pairs are present, "
    "and an output map can look up the one whose left letter the query names",
)

whole_retrieval_any_values = Claim(
    id="dyn.rem3.1.retrieval.any-value-map",
    kind=Kind.THEOREM,
    fidelity=Fidelity.PRINTED,
    title="No positional head of one linear layer computes DYN's Retrieval: any value map, F = a",
    source=REMARK,
    latex=r"\text{positional} \Rightarrow H \not\equiv \mathrm{Retrieval}\ \text{for every linear } VAL,\ F = a",
    sentence="From two letters and three tokens on no head that is positional on every proper input computes "
    "Retrieval at the last token with a linear value map and F = a, without activation function.",
    domain=f"two letters at least, every length n >= 3, one-hot pairs, every linear value map, F = a, {BOTH_KINDS}",
    statement=impossible(LetterCase, _whole, output="linear"),
    repair=whole_retrieval.id,
    survives="VAL the identity, as in DYN's construction; a head that attends most to its own key, whose value raises "
    "all pairs that its right letter names, lets the other keys decide which of them is there",
)

IMPOSSIBILITY_CLAIMS = (
    theorem_4,
    theorem_4_literal,
    any_output_map,
    no_affine,
    induction_positional,
    induction_positional_literal,
    induction_any_map,
    whole_retrieval,
    whole_retrieval_literal,
    whole_retrieval_any_map,
    whole_retrieval_any_values,
)
