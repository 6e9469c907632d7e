"""The claims about DYN's Index construction (theorem 3.1, feasibility): as printed, repaired, and what goes wrong."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from sympy import cos, pi

from headproof.theory.angles import Angle, aliases, same_cosine
from headproof.theory.claim import Claim, Fidelity, Kind, Mutant, Premise, Source, Statement
from headproof.theory.derivation import Entailment, Entailments, Part, equal
from headproof.theory.expressivity.feasibility import (
    NumberCase,
    computes_index,
    index_is_positional,
    index_output,
    maximum_is_unique,
    reach,
    right_by_counting,
)
from headproof.theory.expressivity.feasibility_proofs import (
    HALF,
    PROOF_OF_COUNTED,
    PROOF_OF_COUNTED_BACK,
    PROOF_OF_LETTER_WINS,
    PROOF_OF_NO_TIE,
    PROOF_OF_NO_TIE_EVER,
    PROOF_OF_SAME_KEY,
    PROOF_OF_TIE,
    U,
    counted,
    counted_back,
    letter_wins,
    n,
    no_tie,
    no_tie_ever,
    no_tie_short,
    proof_of_no_tie_short,
    same_key,
    t,
    theta,
    tie,
    u,
)
from headproof.theory.proof import Proof
from headproof.theory.sequences import index_function

FEASIBILITY = Source("DYN", "theorem 3.1 and its proof, Index construction")
IRRATIONAL = Premise("irrational", "theta is an irrational number", lambda case: case.theta.is_irrational)
Test = Callable[[NumberCase], bool]


def _no_aliasing(up_to: str, distance: Callable[[NumberCase], int]) -> Premise:
    return Premise(
        "no aliasing",
        f"t theta is no multiple of 2 pi for 1 <= t {up_to}",
        lambda case: not aliases(case.theta, distance(case)),
    )


NO_ALIASING = _no_aliasing("< n", lambda case: case.n - 1)

# -- is the largest logit unique? ----------------------------------------------------------------------------------


def _unique(distance: Callable[[NumberCase], int], *parts: Entailment) -> Statement:
    return Statement(
        NumberCase,
        (),
        lambda case: maximum_is_unique(case) == (not aliases(case.theta, distance(case))),
        Entailments(parts),
    )


unique_repaired = Claim(
    id="dyn.thm3.1.index.unique-maximum.repaired",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="The largest logit is unique exactly if no other key aliases with the target",
    source=FEASIBILITY,
    latex=r"\text{unique maximum} \iff t\theta \notin 2\pi\mathbb{Z}\ \text{for}\ 1 \le t \le \max(i, n-1-i)",
    sentence="The last token's largest logit is unique if and only if t theta is no multiple of 2 pi for "
    "1 <= t <= max(i, n - 1 - i), where i is the integer it holds, 0 for a letter.",
    domain="every real angle, every valid sequence of any length",
    statement=_unique(reach, no_tie(U), tie(U)),
    proof=Proof((PROOF_OF_NO_TIE, PROOF_OF_TIE)),
    mutants=(
        Mutant("one less", "t up to one less", _unique(lambda case: reach(case) - 1, no_tie(U - 1), tie(U - 1))),
        Mutant("one more", "t up to one more", _unique(lambda case: reach(case) + 1, no_tie(U + 1), tie(U + 1))),
        Mutant(
            "as under a letter",
            "t < n whatever the last token",
            _unique(lambda case: case.n - 1, no_tie(n - 1), tie(n - 1)),
        ),
    ),
    remarks=(
        "For all inputs of length n at once (a letter as the query reaches farthest): t theta is no multiple of 2 pi "
        "for 1 <= t < n. It is enough that theta / pi is irrational.",
    ),
)

unique_printed = Claim(
    id="dyn.thm3.1.index.unique-maximum",
    kind=Kind.THEOREM,
    fidelity=Fidelity.PRINTED,
    title="With an irrational angle the largest logit is unique",
    source=FEASIBILITY,
    latex=r"\theta \notin \mathbb{Q} \ \Rightarrow\ \text{the maximal logit is unique}",
    sentence="If theta is irrational, the Index construction has one largest logit at every token of every input.",
    domain="every irrational angle, every valid sequence of any length",
    statement=Statement(NumberCase, (IRRATIONAL,), maximum_is_unique),
    repair=unique_repaired.id,
    survives="the theorem: an angle with theta / pi irrational exists, and pi / n0 will do as well",
    remarks=(
        "An irrational multiple of nothing in particular is not enough: theta = 2 pi / 5 is irrational, and "
        "cos(5 theta) = 1, so from length 6 on a letter's largest logit is shared by the key five places before it; "
        "theta = 2 pi is irrational too, and all logits are equal.",
    ),
)

# -- is the output right? ------------------------------------------------------------------------------------------


def _right(premise: Premise, conclusion: Test, *parts: Entailment) -> Statement:
    return Statement(NumberCase, (premise,), conclusion, Entailments(parts))


index_repaired = Claim(
    id="dyn.thm3.1.index.repaired",
    kind=Kind.CONSTRUCTION,
    fidelity=Fidelity.OURS,
    title="Without aliasing below n the construction computes Index",
    source=FEASIBILITY,
    latex=r"t\theta \notin 2\pi\mathbb{Z}\ (1 \le t < n) \Rightarrow \text{the output at every token is that of Index}",
    sentence="If t theta is no multiple of 2 pi for 1 <= t < n, the transformer's output is that of Index at every "
    "token of every valid input of n tokens, under hard attention.",
    domain="every real angle, every valid sequence of any length",
    statement=_right(NO_ALIASING, computes_index, no_tie(U), letter_wins(2, 1)),
    proof=Proof((PROOF_OF_NO_TIE, PROOF_OF_LETTER_WINS)),
    mutants=(
        Mutant(
            "one less",
            "t < n - 1",
            _right(_no_aliasing("< n - 1", lambda case: case.n - 2), computes_index, no_tie(U - 1), letter_wins(2, 1)),
        ),
        Mutant(
            "value 1",
            "W_V is 1 on letters",
            _right(NO_ALIASING, partial(computes_index, value=1), no_tie(U), letter_wins(1, 1)),
        ),
        Mutant(
            "no residual",
            "F = a instead of x + a",
            _right(NO_ALIASING, partial(computes_index, residual=0), no_tie(U), letter_wins(2, 0)),
        ),
    ),
)

index_printed = Claim(
    id="dyn.thm3.1.index.irrational",
    kind=Kind.CONSTRUCTION,
    fidelity=Fidelity.PRINTED,
    title="With an irrational angle the construction computes Index",
    source=FEASIBILITY,
    latex=r"\theta \notin \mathbb{Q} \Rightarrow \text{the output at every token is that of Index}",
    sentence="If theta is irrational, the transformer's output is that of Index at every token of every valid input.",
    domain="every irrational angle, every valid sequence of any length",
    statement=Statement(NumberCase, (IRRATIONAL,), computes_index),
    repair=index_repaired.id,
    survives="the construction, with an angle that does not alias below n0, and so the theorem",
)


INCOMMENSURABLE = Premise("irrational multiple", "theta / pi is irrational", lambda case: case.theta.is_incommensurable)
index_incommensurable = Claim(
    id="dyn.thm3.1.index.irrational-multiple",
    kind=Kind.CONSTRUCTION,
    fidelity=Fidelity.PRINTED,
    title="With an angle that is an irrational multiple of pi the construction computes Index",
    source=FEASIBILITY,
    latex=r"\theta/\pi \notin \mathbb{Q} \Rightarrow \text{the output at every token is that of Index}",
    sentence="Read charitably, with theta / pi irrational: the transformer's output is that of Index at every token of "
    "every valid input, whatever its length, under hard attention.",
    domain="every such angle, every valid sequence of any length",
    statement=_right(INCOMMENSURABLE, computes_index, no_tie_ever, letter_wins(2, 1)),
    proof=Proof((PROOF_OF_NO_TIE_EVER, PROOF_OF_LETTER_WINS)),
    mutants=(
        Mutant("irrational", "theta irrational", _right(IRRATIONAL, computes_index, no_tie(U), letter_wins(2, 1))),
        Mutant(
            "value 1",
            "W_V is 1 on letters",
            _right(INCOMMENSURABLE, partial(computes_index, value=1), no_tie_ever, letter_wins(1, 1)),
        ),
        Mutant(
            "no residual",
            "F = a instead of x + a",
            _right(INCOMMENSURABLE, partial(computes_index, residual=0), no_tie_ever, letter_wins(2, 0)),
        ),
    ),
)


def _counting(value: int = 2, residual: int = 1) -> Statement:
    def agrees(case: NumberCase) -> bool:
        right = bool(index_output(case, case.n, value, residual) == index_function(case.tokens)[-1])
        return right_by_counting(case) == right

    return Statement(NumberCase, (), agrees, Entailments((counted(value, residual), counted_back(value, residual))))


wrong_outputs = Claim(
    id="dyn.thm3.1.index.tied-outputs",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="For which inputs a tie makes the output wrong",
    source=FEASIBILITY,
    latex=r"\text{right} \iff 2b < k + 2c\ (\text{letter}),\quad 2c > k\ (\text{integer to a letter}),\quad "
    r"2b < k\ (\text{integer to an integer})",
    sentence="Of the k keys that alias with the target let c hold the target's letter and b another letter. The last "
    "output is right if and only if for each other letter 2 b < k + 2 c under a letter, 2 c > k under an integer "
    "whose target is a letter, and 2 b < k under an integer whose target is an integer.",
    domain="every real angle, every valid sequence of any length",
    statement=_counting(),
    proof=Proof((PROOF_OF_COUNTED, PROOF_OF_COUNTED_BACK)),
    mutants=(
        Mutant("value 1", "W_V is 1 on letters", _counting(value=1)),
        Mutant("no residual", "F = a", _counting(residual=0)),
        Mutant("value 3", "W_V is 3 on letters", _counting(value=3)),
        Mutant(
            "always wrong",
            "right exactly if the largest logit is unique",
            Statement(
                NumberCase,
                (),
                lambda case: (
                    maximum_is_unique(case) == bool(index_output(case, case.n) == index_function(case.tokens)[-1])
                ),
                Entailments((counted(4, 2), counted_back(4, 2))),
            ),
        ),
    ),
    remarks=(
        "So a tie of two keeps every letter, and spoils an integer's output as soon as the other key holds another "
        "letter or none: at theta = 2 pi / 5 first for the integer 5 at place 6, whose own key ties, and for letters "
        "first at place 16, where three aliasing keys hold one other letter.",
    ),
)

# -- the theorem itself --------------------------------------------------------------------------------------------


def _short(places: int) -> Premise:
    what = f"(n - {places}) theta" if places else "n theta"

    def holds(case: NumberCase) -> bool:
        return case.theta.is_positive and (Angle.of_pi(2) - case.theta * (case.n - places)).is_positive

    return Premise("short", f"0 < theta and {what} < 2 pi", holds)


SHORT = no_tie_short(2 * pi - (n - 1) * theta)
feasible = Claim(
    id="dyn.thm3.1.index",
    kind=Kind.THEOREM,
    fidelity=Fidelity.PRINTED,
    title="For every n0 one layer with one head and one angle computes Index up to n0",
    source=Source("DYN", "theorem 3.1"),
    latex=r"\forall n_0\ \exists\theta:\ \text{Index on all valid inputs of length } \le n_0;\quad"
    r"\text{any } 0 < \theta < 2\pi/(n_0 - 1)",
    sentence="For every n0 there is an angle, for instance any with 0 < (n0 - 1) theta < 2 pi, with which the "
    "construction computes Index on all valid inputs of length up to n0 under hard attention, and so, by lemma F.1, "
    "under softmax at a large enough inverse temperature.",
    domain="every n0, every valid sequence of n <= n0 tokens, under hard attention",
    statement=_right(_short(1), computes_index, SHORT, letter_wins(2, 1)),
    proof=Proof(
        (
            proof_of_no_tie_short(Part(("range",), HALF), Part(("t < n", "angle"), HALF)),
            PROOF_OF_LETTER_WINS,
        )
    ),
    mutants=(
        Mutant(
            "a turn longer",
            "(n - 2) theta < 2 pi",
            _right(_short(2), computes_index, no_tie_short(2 * pi - (n - 2) * theta), letter_wins(2, 1)),
        ),
        Mutant(
            "value 1",
            "W_V is 1 on letters",
            _right(_short(1), partial(computes_index, value=1), SHORT, letter_wins(1, 1)),
        ),
        Mutant(
            "no residual", "F = a", _right(_short(1), partial(computes_index, residual=0), SHORT, letter_wins(2, 0))
        ),
    ),
)


def _moves_nothing(case: NumberCase) -> bool:
    """Whether the earlier keys' logits do not depend on their places."""
    angles = [case.theta * (case.n - j - _offset(case)) for j in range(1, case.n)]
    return all(same_cosine(angle, angles[0]) for angle in angles)


def _one_kind(case: NumberCase) -> bool:
    """Whether permuting contents changes nothing if an integer's key is -v: only where the kinds do not mix."""
    kinds = {isinstance(token, str) for token in case.tokens[:-1]}
    angles = [case.theta * (case.n - j - _offset(case)) for j in range(1, case.n)]
    return len(kinds) < 2 or all(same_cosine(angle, angle + Angle.of_pi(1)) for angle in angles)


def _offset(case: NumberCase) -> int:
    token = case.tokens[-1]
    return token if isinstance(token, int) else 0


SAME_PLACE = Entailment("moving a key changes nothing", {}, (equal(cos(t * theta), cos(u * theta)),))

purely_positional = Claim(
    id="dyn.thm3.1.purely-positional",
    kind=Kind.THEOREM,
    fidelity=Fidelity.PRINTED,
    title="The Index construction is purely positional",
    source=Source("DYN", "remark after theorem 3.1"),
    latex=r"L(x_n,n,x_{\pi(j)},j) = L(x_n,n,x_j,j)",
    sentence="No permutation of the earlier tokens' contents changes a logit of the Index construction.",
    domain="every real angle, every input",
    statement=Statement(NumberCase, (), index_is_positional, Entailments((same_key(),))),
    proof=Proof((PROOF_OF_SAME_KEY,)),
    mutants=(
        Mutant(
            "symbolic",
            "purely symbolic",
            Statement(NumberCase, (), _moves_nothing, Entailments((SAME_PLACE,))),
        ),
        Mutant(
            "letters and integers",
            "with another key for integers",
            Statement(NumberCase, (), _one_kind, Entailments((same_key(second_too=False),))),
        ),
        Mutant(
            "both",
            "positional and symbolic at once",
            Statement(
                NumberCase,
                (),
                lambda case: index_is_positional(case) and _moves_nothing(case),
                Entailments((same_key(), SAME_PLACE)),
            ),
        ),
    ),
)


INDEX_CLAIMS = (
    feasible,
    unique_printed,
    unique_repaired,
    index_printed,
    index_incommensurable,
    index_repaired,
    wrong_outputs,
    purely_positional,
)
