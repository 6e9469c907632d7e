"""The claims about what heads over a set of angles answer on Index, whatever their widths (dec.toy)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import partial

from sympy import pi

from headproof.theory.canonical import Classes, alias_classes, mean_largest_multiplicity, period, places_modulo
from headproof.theory.canonical.alias_proofs import (
    PROOF_OF_APART,
    PROOF_OF_EXCHANGED,
    PROOF_OF_NOT_ABOVE,
    PROOF_OF_TIE,
    apart,
    exchanged,
    not_above,
    phi,
    tie,
)
from headproof.theory.canonical.cases import (
    PairToyCase,
    SetCase,
    ToyCase,
    aliased_pairs,
    computes_index,
    equal_keys_share,
    exchanges_unseen,
    invariant_share,
)
from headproof.theory.claim import Claim, Fidelity, Kind, Mutant, Premise, Source, Statement
from headproof.theory.derivation import Entailments
from headproof.theory.expressivity.plane_index_proofs import theta
from headproof.theory.proof import Proof

TOYS = Source("DEC", "experiments on one-layer toys")
TWO_SYMBOLS = Premise("two symbols", "the alphabet has two symbols at least", lambda case: case.symbols >= 2)
SUMMED = "That a logit is the sum of its planes' parts, so that what holds in each plane holds of it, is said in words."
Rule = Callable[[Iterable[bool]], bool]


def aliases(case: SetCase | ToyCase | PairToyCase, last: int = 2, times: int = 1, rule: Rule = all) -> bool:
    """Whether for some `1 <= t <= n - last`, n the query's place, all (or any) `times t theta` are whole turns."""
    distances = range(1, case.keys + 2 - last)
    return any(rule((angle * (times * t)).is_multiple_of_full_turn for angle in case.angles) for t in distances)


# -- none of them where two places alias ---------------------------------------------------------------------------


def _no_head(last: int = 2, times: int = 1, rule: Rule = all, symbols: int = 2) -> Statement:
    turns = "2 pi" if times == 1 else "pi"
    premises = [
        Premise(
            "aliases",
            f"for some 1 <= t <= n - {last}, t theta is a multiple of {turns} for {rule.__name__} of the angles",
            partial(aliases, last=last, times=times, rule=rule),
        )
    ]
    premises += [TWO_SYMBOLS] * (symbols == 2)
    form = exchanged(last, 2 * pi if times == 1 else pi, symbols, theta if rule is all else phi)
    return Statement(
        ToyCase, tuple(premises), lambda case: exchanges_unseen(case) and not computes_index(case), Entailments((form,))
    )


aliased = Claim(
    id="dec.toy.index.aliased",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="No head over angles at which two key places alias computes Index",
    source=TOYS,
    latex=r"t\theta \in 2\pi\mathbb{Z}\ \text{for all}\ \theta \in A,\ 1 \le t \le n - 2\ \Rightarrow\ "
    r"\text{no head over}\ A\ \text{is right on every input}",
    sentence="If for some distance 1 <= t <= n - 2 between key places t theta is a multiple of 2 pi for every angle "
    "theta of a set, then no one-layer head over that set, whatever its number of planes, its embeddings, its VAL and "
    "its F, is right on every Index input of length n with two symbols or more.",
    domain="every finite set of real angles that aliases, any number of planes an angle, every length, all key and "
    "query vectors, any logit of the query's own key, every VAL and F, softmax at any inverse temperature or hard "
    "attention with ties averaged; the search covers VAL the identity, F the projection and hard attention, and that "
    "both places give every symbol the same logit",
    statement=_no_head(),
    proof=Proof((PROOF_OF_EXCHANGED,)),
    mutants=(
        Mutant("one multiple more", "1 <= t <= n - 1: places as far apart as n - 1 may alias", _no_head(1)),
        Mutant("half turns", "t theta a multiple of pi", _no_head(2, 2)),
        Mutant("some angle", "t theta a multiple of 2 pi for some angle of the set", _no_head(rule=any)),
        Mutant("one symbol", "one symbol or more", _no_head(symbols=1)),
    ),
    remarks=(
        "The distances that alias are the multiples of one, the least common period of the angles; the set is as good "
        "as one angle of that period. With one angle, dec.thm3.angles gives a head wherever this leaves room; with "
        "several, dec.toy.index.together does.",
        f"In a plane the part of the logit is the same at both places. {SUMMED}",
    ),
)

# -- one of them where none does -----------------------------------------------------------------------------------


def _together(last: int = 2, times: int = 1, rule: Rule = all, symbols: int = 2) -> Statement:
    turn = 2 * pi if times == 1 else pi
    form = Entailments((apart(times), not_above(), tie(last, turn, symbols, theta if rule is all else phi)))

    def holds(case: SetCase) -> bool:
        right = equal_keys_share(case.angles, case.keys, case.symbols) == 1
        return right != aliases(case, last, times, rule)

    return Statement(SetCase, (TWO_SYMBOLS,) * (symbols == 2), holds, form)


together = Claim(
    id="dec.toy.index.together",
    kind=Kind.CONSTRUCTION,
    fidelity=Fidelity.OURS,
    title="Angles compute Index together exactly where no two key places alias at all of them",
    source=TOYS,
    latex=r"\lambda_k = \sum_{\theta \in A} \cos(\theta (j - k)):\ \text{right on every input of length } n \iff "
    r"\nexists\, 1 \le t \le n - 2:\ t\theta \in 2\pi\mathbb{Z}\ \text{for all}\ \theta \in A",
    sentence="Under hard attention, with two symbols or more, the head with one plane for each angle of a set, all "
    "keys one vector, and the query turned to its target is right on every Index input of length n if and only if for "
    "no 1 <= t <= n - 2 all t theta are multiples of 2 pi.",
    domain="every finite set of real angles, every length, every alphabet of two symbols or more; hard attention, ties "
    "averaged",
    statement=_together(),
    proof=Proof((PROOF_OF_APART, PROOF_OF_NOT_ABOVE, PROOF_OF_TIE)),
    mutants=(
        Mutant("one multiple more", "1 <= t <= n - 1", _together(1)),
        Mutant("one multiple fewer", "1 <= t <= n - 3", _together(3)),
        Mutant("half turns", "for no t all t theta are multiples of pi", _together(2, 2)),
        Mutant("some angle", "for no t some t theta is a multiple of 2 pi", _together(rule=any)),
        Mutant("one symbol", "one symbol or more", _together(symbols=1)),
    ),
    remarks=(
        "So angles each of which aliases may do together what none does alone: 2 pi / 2 and 2 pi / 3 tell six places "
        f"apart. {SUMMED}",
    ),
)

# -- how many inputs, where they alias -----------------------------------------------------------------------------

Mean = Callable[[int, int], Fraction]


def _ceiling(
    classes: Callable[[SetCase], Classes] = lambda case: alias_classes(case.angles, case.keys),
    mean: Mean = mean_largest_multiplicity,
) -> Statement:
    def formula(case: SetCase) -> Fraction:
        return sum((mean(len(each), case.symbols) for each in classes(case)), Fraction(0)) / case.keys

    def holds(case: SetCase) -> bool:
        best = invariant_share(aliased_pairs(case.angles, case.keys), case.keys, case.symbols)
        return best == formula(case) == equal_keys_share(case.angles, case.keys, case.symbols)

    def ratio(case: SetCase) -> Fraction:
        return equal_keys_share(case.angles, case.keys, case.symbols) / formula(case)

    return Statement(SetCase, (), holds, ratio=ratio)


def _one_letter_less(letters: int, symbols: int) -> Fraction:
    return mean_largest_multiplicity(letters - 1, symbols)


def _first_alone(case: SetCase) -> Classes:
    return alias_classes(case.angles[:1], case.keys)


def _longer_period(case: SetCase) -> Classes:
    found = period(case.angles, case.keys - 1)
    return places_modulo(case.keys if found is None else found + 1, case.keys)


def _any_angle(case: SetCase) -> Classes:
    alone = [period((angle,), case.keys - 1) for angle in case.angles]
    return places_modulo(min((each for each in alone if each is not None), default=case.keys), case.keys)


def _guess(letters: int, symbols: int) -> Fraction:
    return max(Fraction(letters, symbols), Fraction(1))


highest = Claim(
    id="dec.toy.index.ceiling",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="The largest share of Index inputs that heads over a set of angles answer rightly",
    source=TOYS,
    latex=r"\max\ \Pr[\text{right}] = \frac{1}{n - 1} \sum_{C} \mathbb{E}\Big[\max_s |\{k \in C: x_k = s\}|\Big],\ "
    r"C\ \text{the classes of aliased key places}",
    sentence="A one-layer head over a set of angles, whatever its number of planes, its embeddings of tokens, its VAL "
    "and its F, under softmax or hard attention with ties averaged, answers rightly at most this share of the "
    "Index inputs of length n, symbols and target uniform: one (n - 1)-th of the sum over the classes of "
    "aliased key places of the mean largest number of equal symbols in a class; and the head whose keys are all "
    "one vector, answering the most frequent symbol that it attends to, reaches it.",
    domain="every finite set of real angles with up to 6 keys and 4 symbols, through the sets of one or two angles "
    "that stand for all of them; for larger sizes the argument is in words",
    statement=_ceiling(),
    mutants=(
        Mutant("one letter less", "|C| - 1 uniform letters for a class C", _ceiling(mean=_one_letter_less)),
        Mutant("guessing", "the mean number of one symbol in a class, 1 at least", _ceiling(mean=_guess)),
        Mutant("one angle", "the classes of the first angle alone", _ceiling(_first_alone)),
        Mutant("some angle", "the places equal modulo the shortest period of one angle", _ceiling(_any_angle)),
        Mutant("longer period", "the places equal modulo the period and one", _ceiling(_longer_period)),
    ),
    witness=SetCase((Fraction(0),), (), 3, 2),
    remarks=(
        "Why no head does better, in words, for any number of keys and symbols. By dec.toy.index.aliased an exchange "
        "of two aliased places changes no output, so for a target in a class C all rearrangements of the symbols of C "
        "get one answer. Among them the target holds each symbol as often as C does, so at most the largest number "
        "of equal symbols over |C| of them are right. The mean over inputs, summed over the |C| targets of C, is the "
        "mean of that number.",
        "Why all sets are covered at each length: which places alias depends on the least common period of the angles "
        "alone, and there is an angle of each period among those decided. Decided are the best function that no "
        "exchange changes, by going through all inputs, the formula, and the head with equal keys.",
        "Under softmax the same head reaches it at a large inverse temperature: aliased places have equal weights, and "
        "all others together less than one of them.",
    ),
)

ALIAS_CLAIMS: tuple[Claim, ...] = (aliased, together, highest)
