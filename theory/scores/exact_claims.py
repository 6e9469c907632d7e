"""The claims about which heads have a score of 1 besides positional and symbolic ones, and which have both."""

from __future__ import annotations

from itertools import combinations

from headproof.theory.claim import Claim, Fidelity, Kind, Mutant, Premise, Statement
from headproof.theory.derivation import Entailment, equal
from headproof.theory.proof import Proof
from headproof.theory.scores.faithful_claims import NAMES, ONE_TOKEN, POSITIONAL, SYMBOLIC, Holds, has_one, on_heads
from headproof.theory.scores.faithful_proofs import (
    EQUAL_AFTER,
    EQUAL_BEFORE,
    PARALLEL,
    PROOF_OF_ALIKE,
    PROOF_OF_BOTH,
    PROOFS_OF_EXACTLY,
    alike,
    both,
    enough,
    needed,
)
from headproof.theory.scores.head_cases import HeadCase
from headproof.theory.scores.swap_claims import SCORES
from headproof.theory.scores.swap_proofs import PROOF_OF_TABLE, ii, ij, ji, jj, of_the_table, s, t


def score_is_one(which: int) -> Premise:
    """The premise that a score is 1 on every swap."""
    return Premise(f"{NAMES[which]} score 1", f"the {NAMES[which]} score of every swap is 1", has_one(which))


# -- exactly -------------------------------------------------------------------------------------------------------


def _symmetric(first: int, second: int) -> Holds:
    """Whether `E_ij E_first = E_ji E_second` for all pairs of keys, 0 for i and 1 for j."""

    def holds(case: HeadCase) -> bool:
        rows = case.rows
        return all(
            rows[i][j] * rows[(i, j)[first]][(i, j)[first]] == rows[j][i] * rows[(i, j)[second]][(i, j)[second]]
            for i, j in combinations(range(case.keys), 2)
        )

    return holds


SYMMETRIC = {POSITIONAL: _symmetric(0, 1), SYMBOLIC: _symmetric(1, 0)}


def _is_symmetric(case: HeadCase) -> bool:
    return all(case.rows[i][j] == case.rows[j][i] for i, j in combinations(range(case.keys), 2))


def _if_and_only_if(which: int, condition: Holds, *forms: Entailment) -> Statement:
    one = has_one(which)
    return on_heads((ONE_TOKEN,), lambda case: one(case) == condition(case), of_the_table(), *forms)


def _exactly(which: int) -> Claim:
    letter, other = (s, t) if which == POSITIONAL else (t, s)
    own, less = NAMES[which], ("lambda_j", "lambda_i")[which]
    constant: Holds = lambda case: case.is_positional if which == POSITIONAL else case.is_symbolic  # noqa: E731
    columns = (equal(ij, jj), equal(ji, ii)) if which == POSITIONAL else (equal(ij, ii), equal(ji, jj))
    return Claim(
        id=f"dec.scores.faithful.{own}.exactly",
        kind=Kind.THEOREM,
        fidelity=Fidelity.OURS,
        title=f"The {own} score is 1 on every swap exactly where M_ij - {less} is symmetric in i and j",
        source=SCORES,
        latex=rf"s_{{{own[:3]}}}(i,j) = 1\ \forall i,j \iff M_{{ij}} - \lambda_{'ji'[which]} = M_{{ji}} - "
        rf"\lambda_{'ij'[which]}\ \forall i,j",
        sentence=f"With blocks of one token, M_ij the logit of content i at position j and lambda the logits in use, "
        f"the {own} score of every swap is 1 if and only if M_ij - {less} is symmetric in i and j.",
        domain="every real logit table, every number of keys, any attention to other keys",
        statement=_if_and_only_if(which, SYMMETRIC[which], enough(letter), needed(letter)),
        proof=Proof((PROOF_OF_TABLE, *PROOFS_OF_EXACTLY[letter])),
        mutants=(
            Mutant(
                "the other one",
                f"M_ij - {('lambda_i', 'lambda_j')[which]} is symmetric",
                _if_and_only_if(
                    which,
                    SYMMETRIC[1 - which],
                    enough(letter, PARALLEL[other]),
                    needed(letter, equal(PARALLEL[other])),
                ),
            ),
            Mutant(
                "symmetric table",
                "M is symmetric",
                _if_and_only_if(which, _is_symmetric, enough(letter, ij - ji), needed(letter, equal(ij, ji))),
            ),
            Mutant(
                own,
                f"the head is {own} on the input",
                _if_and_only_if(which, constant, enough(letter), needed(letter, *columns)),
            ),
        ),
        remarks=(
            "For blocks of more tokens the same holds with the logs of the block sums in place of logits.",
            f"With m keys that is m (m - 1) / 2 equations, half of what {own} on the input asks for.",
        ),
    )


positional_exactly, symbolic_exactly = _exactly(POSITIONAL), _exactly(SYMBOLIC)


def _converse(which: int, repair: Claim) -> Claim:
    own = NAMES[which]
    constant: Holds = lambda case: case.is_positional if which == POSITIONAL else case.is_symbolic  # noqa: E731
    return Claim(
        id=f"dec.scores.faithful.{own}.converse",
        kind=Kind.THEOREM,
        fidelity=Fidelity.OURS,
        title=f"The {own} score 1 on every swap of two tokens makes a head {own} on the input",
        source=SCORES,
        latex=rf"s_{{{own[:3]}}}(i,j) = 1\ \forall i,j \ \Rightarrow\ \text{{{own} on the input}}",
        sentence=f"If the {own} score of every swap of blocks of one token is 1, the head is {own} on the input.",
        domain="every real logit table, every number of keys, any attention to other keys",
        statement=on_heads((ONE_TOKEN, score_is_one(which)), constant),
        repair=repair.id,
        survives=f"half of the equations: M_ij - {('lambda_j', 'lambda_i')[which]} is symmetric in i and j, so the "
        f"deviations from {own} come in equal pairs",
        remarks=(
            "By hand: two keys of logit 0 in use, and any other common logit after the swap. Attention is uniform "
            "before and after, both scores are 1, and the head is neither positional nor symbolic.",
        ),
    )


positional_converse = _converse(POSITIONAL, positional_exactly)
symbolic_converse = _converse(SYMBOLIC, symbolic_exactly)

# -- both scores 1 -------------------------------------------------------------------------------------------------


def _uniform(case: HeadCase) -> bool:
    return len({case.rows[key][key] for key in range(case.keys)}) == 1


def _both_one(condition: Holds, *forms: Entailment) -> Statement:
    def holds(case: HeadCase) -> bool:
        return (has_one(POSITIONAL)(case) and has_one(SYMBOLIC)(case)) == condition(case)

    return on_heads((ONE_TOKEN,), holds, of_the_table(), *forms)


blind = Claim(
    id="dec.scores.blind",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="Both scores are 1 exactly where the logits in use agree and the table is symmetric",
    source=SCORES,
    latex=r"s_{pos} = s_{sym} = 1\ \forall i,j \iff \lambda_i = \lambda_j,\ M_{ij} = M_{ji}\ \forall i,j",
    sentence="With blocks of one token both scores of every swap are 1 if and only if all logits in use agree and the "
    "logit table is symmetric.",
    domain="every real logit table, every number of keys, any attention to other keys",
    statement=_both_one(lambda case: _uniform(case) and _is_symmetric(case), alike(), both()),
    proof=Proof((PROOF_OF_TABLE, PROOF_OF_ALIKE, PROOF_OF_BOTH)),
    mutants=(
        Mutant(
            "constant table",
            "exactly where all logits of the table agree",
            _both_one(
                lambda case: len(set(case.factors)) == 1,
                alike(),
                both(EQUAL_BEFORE, EQUAL_AFTER, equal(ii, ij)),
            ),
        ),
        Mutant(
            "logits in use alone",
            "exactly where all logits in use agree",
            _both_one(_uniform, alike(EQUAL_BEFORE), both(EQUAL_BEFORE)),
        ),
        Mutant(
            "symmetric alone",
            "exactly where the table is symmetric",
            _both_one(_is_symmetric, alike(EQUAL_AFTER), both(EQUAL_AFTER)),
        ),
    ),
    remarks=(
        "So high on both means uniform attention among the blocks, as DEC reads it for the highest frequencies, and "
        "that of attention in use; it does not mean that content and position are indifferent: the entries off the "
        "diagonal, which no input at hand uses, can be as large as one likes.",
        "A table that is all interaction, such as logit 0 where content and position belong together and 5 elsewhere, "
        "scores 1 on both like the zero table. Its slack in dec.thm1 is 50 (m - 1) / m with m keys.",
    ),
)

EXACT_CLAIMS = (positional_exactly, positional_converse, symbolic_exactly, symbolic_converse, blind)
