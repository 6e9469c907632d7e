"""The claims about heads whose scores are 1: positional and symbolic ones have it, and which others have."""

from __future__ import annotations

from collections.abc import Callable

from headproof.theory.claim import Claim, Fidelity, Kind, Mutant, Premise, Statement
from headproof.theory.derivation import Entailment, Entailments, equal
from headproof.theory.proof import Proof
from headproof.theory.scores.faithful_proofs import (
    AT_PLACES,
    LENGTHS,
    OF_CONTENTS,
    POSITIONAL_ONE,
    PROOF_OF_POSITIONAL,
    PROOF_OF_SYMBOLIC,
    PROOF_OF_TOKEN,
    S,
    T,
    positional_one,
    symbolic_one,
    token,
    u,
    v,
    x,
)
from headproof.theory.scores.head_cases import HeadCase
from headproof.theory.scores.swap_claims import SCORES
from headproof.theory.scores.swap_proofs import PROOF_OF_TABLE, ii, ij, ji, jj, of_the_table, s, t

ONE_LENGTH = Premise("one length", "all blocks have the same length", lambda case: len(set(case.lengths)) == 1)
ONE_TOKEN = Premise("one token", "all blocks have one token", lambda case: set(case.lengths) == {1})
IS_POSITIONAL = Premise("positional", "no logit depends on the key's content", lambda case: case.is_positional)
IS_SYMBOLIC = Premise("symbolic", "no logit depends on the key's position", lambda case: case.is_symbolic)
POSITIONAL, SYMBOLIC = 0, 1
NAMES = ("positional", "symbolic")
Holds = Callable[[HeadCase], bool]


def has_one(which: int) -> Holds:
    """Whether a score is 1 on every swap; then so is its average."""
    return lambda case: all(pair[which] == 1 for pair in case.squares.values())


def on_heads(premises: tuple[Premise, ...], conclusion: Holds, *forms: Entailment) -> Statement:
    """A statement about a head on an input; without forms if it is not proved."""
    return Statement(HeadCase, premises, conclusion, Entailments(forms) if forms else None)


# -- positional and symbolic heads ---------------------------------------------------------------------------------

ALL_BUT_ONE = {
    POSITIONAL: Premise(
        "positional but one",
        "no logit depends on the key's content, the last content apart",
        lambda case: all(row == case.rows[0] for row in case.rows[:-1]),
    ),
    SYMBOLIC: Premise(
        "symbolic but one",
        "no logit depends on the key's position, the last content apart",
        lambda case: all(each == row[0] for row in case.rows[:-1] for each in row),
    ),
}
# Three keys, a positional head with the factors S, T, x, and blocks of one and of two tokens.
_unequal = Entailment(
    POSITIONAL_ONE,
    LENGTHS
    | {
        "u": equal(u, 1),
        "v": equal(2 * v, 1),
        "E_ii": equal(ii, S),
        "E_jj": equal(jj, T + x),
        "E_ji": equal(ji, S + T),
        "E_ij": equal(ij, x),
    },
    (equal(s, 1),),
)

positional = Claim(
    id="dec.scores.faithful.positional",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="A positional head has the positional score 1",
    source=SCORES,
    latex=r"M_{ab} = M_{bb}\ \forall a, b \ \Rightarrow\ s_{pos}(i,j) = 1\ \forall i,j",
    sentence="If a head is positional on an input, its positional score there is 1 on every swap of blocks of one "
    "length, and so at every temperature.",
    domain="every real logit table, every number and length of blocks, any attention to other keys",
    statement=on_heads((ONE_LENGTH, IS_POSITIONAL), has_one(POSITIONAL), token(), of_the_table(), positional_one()),
    proof=Proof((PROOF_OF_TOKEN, PROOF_OF_TABLE, PROOF_OF_POSITIONAL)),
    mutants=(
        Mutant(
            "symbolic head",
            "a symbolic head has it",
            on_heads(
                (ONE_LENGTH, IS_SYMBOLIC), has_one(POSITIONAL), token(), of_the_table(), positional_one(OF_CONTENTS)
            ),
        ),
        Mutant(
            "symbolic score",
            "a positional head has the symbolic score 1",
            on_heads(
                (ONE_LENGTH, IS_POSITIONAL),
                has_one(SYMBOLIC),
                token(),
                of_the_table(),
                positional_one(conclusion=equal(t, 1)),
            ),
        ),
        Mutant(
            "unequal lengths",
            "blocks of any lengths",
            on_heads((IS_POSITIONAL,), has_one(POSITIONAL), token(), of_the_table(), _unequal),
        ),
        Mutant(
            "all contents but one",
            "positional for all contents but the last",
            on_heads(
                (ONE_LENGTH, ALL_BUT_ONE[POSITIONAL]),
                has_one(POSITIONAL),
                token(),
                of_the_table(),
                positional_one({"at i": AT_PLACES["at i"]}),
            ),
        ),
    ),
)

symbolic = Claim(
    id="dec.scores.faithful.symbolic",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="A symbolic head has the symbolic score 1",
    source=SCORES,
    latex=r"M_{ab} = M_{aa}\ \forall a, b \ \Rightarrow\ s_{sym}(i,j) = 1\ \forall i,j",
    sentence="If a head is symbolic on an input, its symbolic score there is 1 on every swap of blocks, of one length "
    "or not, and so at every temperature.",
    domain="every real logit table, every number of blocks, any lengths, any attention to other keys",
    statement=on_heads((IS_SYMBOLIC,), has_one(SYMBOLIC), token(), symbolic_one()),
    proof=Proof((PROOF_OF_TOKEN, PROOF_OF_SYMBOLIC)),
    mutants=(
        Mutant(
            "positional head",
            "a positional head has it",
            on_heads((IS_POSITIONAL,), has_one(SYMBOLIC), token(), symbolic_one(AT_PLACES)),
        ),
        Mutant(
            "positional score",
            "a symbolic head has the positional score 1",
            on_heads((IS_SYMBOLIC,), has_one(POSITIONAL), token(), symbolic_one(conclusion=equal(s, 1))),
        ),
        Mutant(
            "all contents but one",
            "symbolic for all contents but the last",
            on_heads((ALL_BUT_ONE[SYMBOLIC],), has_one(SYMBOLIC), token(), symbolic_one({"of i": OF_CONTENTS["of i"]})),
        ),
    ),
)

unequal = Claim(
    id="dec.scores.unequal",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="A positional head has the positional score 1 on swaps of blocks of unequal length too",
    source=SCORES,
    latex=r"M_{ab} = M_{bb}\ \forall a, b \ \Rightarrow\ s_{pos}(i,j) = 1\ \forall i,j,\ \text{blocks of any lengths}",
    sentence="If two blocks of unequal length are swapped, which moves the tokens between them, a positional head "
    "still has the positional score 1.",
    domain="every real logit table, every number of blocks, any lengths, any attention to other keys",
    statement=on_heads((IS_POSITIONAL,), has_one(POSITIONAL)),
    repair=positional.id,
    survives="blocks of one length; and a symbolic head has the symbolic score 1 with blocks of any lengths "
    "(dec.scores.faithful.symbolic)",
    remarks=(
        "The means are then taken over other positions than before, so that a change of position counts against a head "
        "that attends by position alone. Scores from unequal blocks lean to symbolic; the toolkit refuses them.",
    ),
)

FAITHFUL_CLAIMS = (positional, symbolic, unequal)
