"""The proof checker: every step of a proof is put into an exact normal form and compared. It never simplifies.

Sums over a table of general size have a normal form, so that two of them are equal for every table of every size
if the forms agree (`normal_form`). Coefficients live in the field of rational functions of m and F = (m-1)!.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import sympy
from sympy.polys.polyerrors import CoercionFailed

from headproof.checks.engines import averages
from headproof.checks.engines.derivation import Unproved, verify_derivation
from headproof.checks.engines.normal import OutOfScope
from headproof.theory.averages import MeansRelation
from headproof.theory.claim import Statement
from headproof.theory.derivation import Derivation, Entailments
from headproof.theory.errors import InputError
from headproof.theory.proof import (
    ConcludeImplication,
    ConcludeMeans,
    ConcludeRelation,
    Conjunction,
    Counting,
    Expansion,
    Implication,
    Proof,
    Rewrite,
    Step,
)
from headproof.theory.sums import (
    GENERAL,
    Family,
    Relation,
    Sum,
    Term,
    cj,
    ck,
    dj,
    dk,
    lj,
    lk,
    m,
    mean_of,
    of_two_keys,
    on_diagonal,
    own,
    pjk,
    pkj,
    swapped,
)

F = sympy.Dummy("F", positive=True)  # (m-1)!; a dummy, so that no statement can name it
FIELD = sympy.QQ.frac_field(m, F)
LETTERS = (lj, lk, pjk, pkj, cj, ck, dj, dk)
OF_J, OF_K = {lj, cj, dj}, {lk, ck, dk}
SECONDS_PER_STEP = 20.0
# What SymPy and our own builders raise for expressions that the normal forms do not cover.
NOT_IN_SCOPE = (sympy.PolynomialError, CoercionFailed, InputError, ValueError, TypeError, NotImplementedError)

CONCLUSIONS = ConcludeRelation | ConcludeImplication | ConcludeMeans

Monomial = tuple[int, ...]
# ("pair", exponents of LETTERS) summed over j != k, or ("key", exponents) summed over j
NormalForm = dict[tuple[str, Monomial], Any]


class Rejected(Exception):
    """A step that does not check, and why."""


class _TimeUp(BaseException):
    """The time limit; no Exception, so that no handler inside SymPy takes it for one of its own."""


@dataclass(frozen=True)
class StepResult:
    """What the checker says of one step."""

    title: str
    accepted: bool
    reason: str = ""


def verify_proof(proof: Proof, statement: Statement) -> list[StepResult]:
    """Check every step of the proof, the last one against the statement.

    Postcondition: the statement is proved exactly if every result is accepted. A last step that does not conclude, and
    a part of the statement without a step, come as results that are not.
    """
    results = []
    for step in proof.steps:
        try:
            with _time_limit(SECONDS_PER_STEP):
                _verify(step, statement)
            results.append(StepResult(step.title, True))
        except Rejected as reason:
            results.append(StepResult(step.title, False, str(reason)))
        except NOT_IN_SCOPE as error:
            reason_text = f"not in the scope of the normal form: {type(error).__name__}: {error}"
            results.append(StepResult(step.title, False, reason_text))
    if isinstance(statement.form, Entailments):
        derivations = zip(proof.steps, results, strict=True)
        derived = {step.title for step, result in derivations if isinstance(step, Derivation) and result.accepted}
        missing = [part.title for part in statement.form.parts if part.title not in derived]
        results += [StepResult(title, False, "no accepted derivation proves it") for title in missing]
    elif isinstance(statement.form, Conjunction):
        proving = {step.title for step in proof.steps if isinstance(step, CONCLUSIONS | Derivation)}
        missing = [title for title in statement.form.titles if title not in proving]
        results += [StepResult(title, False, "no step proves it") for title in missing]
    elif not proof.steps or not isinstance(proof.steps[-1], CONCLUSIONS):
        results.append(StepResult("conclusion", False, "the proof does not end in a conclusion"))
    return results


def _verify(step: Step, statement: Statement) -> None:
    match step:
        case Rewrite():
            _require_zero(_difference(step.left, step.right, _family(statement)))
        case Expansion():
            _require_polynomial_zero(step.left - step.right)
        case Counting():
            _verify_counting(step)
        case ConcludeRelation():
            _conclude_relation(step, statement.form)
        case ConcludeImplication():
            _conclude_implication(step, statement.form)
        case ConcludeMeans():
            _conclude_means(step, statement.form)
        case Derivation():
            _derive(step, statement.form)
        case _:
            raise Rejected(f"a step of an unknown kind, {type(step).__name__}")


# -- sums ----------------------------------------------------------------------------------------------------------


def normal_form(total: Sum, family: Family = GENERAL) -> NormalForm:
    """The sum as a combination of `sum_{j != k} monomial` and `sum_j monomial`, unique up to the names j and k.

    Uses: each pair occurs in (m-1)! permutations and in one cyclic shift; sums over j != k of what depends on one
    key are (m-1) sums over keys; and `sum_j X_j mean(Y) = (1/m) sum_{j,k} X_j Y_k`.
    """
    form: NormalForm = {}
    for term in total:
        weight = FIELD.from_sympy(_without_factorials(term.weight))
        _require_no_pole(term.weight)
        if term.over == "keys":
            _add_keys(form, term, weight, family)
            continue
        if term.over == "permutations":
            weight = weight * FIELD.from_sympy(F)
        for monomial, coefficient in _terms(family.apply(term.summand), LETTERS):
            _add_pair(form, monomial, weight * coefficient)
            if term.over != "unequal pairs":
                _add_key(form, monomial, weight * coefficient)
    return {key: value for key, value in form.items() if value != 0}


def _terms(summand: sympy.Expr, letters: tuple[sympy.Expr, ...]) -> list[tuple[Monomial, Any]]:
    if extra := summand.free_symbols - set(letters):
        raise Rejected(f"the letters {sorted(map(str, extra))} do not belong in this sum")
    polynomial = sympy.Poly(summand, *letters, domain="QQ")
    return [(powers, FIELD.from_sympy(value)) for powers, value in polynomial.terms()]


def _add_keys(form: NormalForm, term: Term, weight: Any, family: Family) -> None:
    """A sum over keys, in which means may stand: at most two factors a term."""
    bars = {letter: mean_of[letter] for letter in OF_J}
    summand = term.summand.subs(
        {bar: family.apply(letter).subs(bars, simultaneous=True) for letter, bar in bars.items()}, simultaneous=True
    )
    summand = family.apply(summand)
    order = (lj, cj, dj)
    over_m = 1 / FIELD.from_sympy(m)
    for powers, coefficient in _terms(summand, (*order, *(mean_of[letter] for letter in order))):
        own = [letter for letter, power in zip(order, powers[:3], strict=True) for _ in range(power)]
        averaged = [letter for letter, power in zip(order, powers[3:], strict=True) for _ in range(power)]
        if averaged and len(own) + len(averaged) > 2:
            raise Rejected(f"{term.summand} has a product of more than two factors with a mean")
        if len(own) + len(averaged) == 2 and averaged:
            left, right = (own + averaged)[0], averaged[-1]
            product = _monomial([left, swapped[right]])
            _add_pair(form, product, weight * coefficient * over_m)
            _add_key(form, product, weight * coefficient * over_m)
        else:
            _add_key(form, _monomial(own + averaged), weight * coefficient)


def _monomial(letters: list[Any]) -> Monomial:
    return tuple(letters.count(letter) for letter in LETTERS)


def _map(monomial: Monomial, image: dict[Any, Any]) -> Monomial:
    powers = dict.fromkeys(LETTERS, 0)
    for letter, power in zip(LETTERS, monomial, strict=True):
        powers[image[letter]] += power
    return tuple(powers[letter] for letter in LETTERS)


def _add_key(form: NormalForm, monomial: Monomial, coefficient: Any) -> None:
    key = ("key", _map(monomial, on_diagonal))
    form[key] = form.get(key, FIELD.zero) + coefficient


def _add_pair(form: NormalForm, monomial: Monomial, coefficient: Any) -> None:
    present = {letter for letter, power in zip(LETTERS, monomial, strict=True) if power}
    if present <= OF_J or present <= OF_K:  # depends on one key: the other runs over m - 1 values
        _add_key(form, monomial, coefficient * FIELD.from_sympy(m - 1))
        return
    key = ("pair", max(monomial, _map(monomial, swapped)))
    form[key] = form.get(key, FIELD.zero) + coefficient


def _difference(left: Sum, right: Sum, family: Family) -> NormalForm:
    negated = tuple(Term(-term.weight, term.over, term.summand) for term in left)
    return normal_form((*right, *negated), family)


def _require_zero(form: NormalForm) -> None:
    for (kind, monomial), coefficient in form.items():
        factors = [f"{letter}^{power}" for letter, power in zip(LETTERS, monomial, strict=True) if power]
        over = "j != k" if kind == "pair" else "j"
        raise Rejected(f"the sides differ by {coefficient} sum_{{{over}}} {' '.join(factors) or '1'}, F = (m-1)!")


def _without_factorials(weight: sympy.Expr) -> sympy.Expr:
    """`(m + d)!` as a rational function of m times F = (m-1)!."""

    def rewrite(argument: sympy.Expr) -> sympy.Expr:
        offset = sympy.expand(argument - m)
        if not offset.is_Integer or offset < -1:
            raise Rejected(f"the factorial of {argument} is not (m - 1)! or a later one, which have a value for m >= 1")
        up = sympy.prod([m + step for step in range(int(offset) + 1)])
        return F * up

    return sympy.sympify(weight).replace(sympy.factorial, rewrite)


# -- conclusions ---------------------------------------------------------------------------------------------------


def _related(step: ConcludeRelation | ConcludeMeans, form: Any) -> Any:
    """What the step is to conclude: the statement's form, or the relation of the step's title in it."""
    if not isinstance(form, Conjunction):
        return form
    if step.title not in form.relations:
        raise Rejected(f"the statement has no relation named {step.title!r}")
    return form.relations[step.title]


def _conclude_relation(step: ConcludeRelation, form: Any) -> None:
    relation = _related(step, form)
    if not isinstance(relation, Relation):
        raise Rejected("the statement is not a relation between sums")
    if relation.relation == "==" and step.squares:
        raise Rejected("an identity leaves no squares over")
    squares = tuple(Term(each.coefficient, "unequal pairs", each.base**2) for each in step.squares)
    remainder = (*relation.right, *(Term(-t.weight, t.over, t.summand) for t in relation.left))
    _require_zero(_difference(squares, remainder, relation.family))
    for each in step.squares:
        _require_positive(each.coefficient)
        sympy.Poly(each.base, *LETTERS, domain="QQ")  # real-valued: raises for roots, i and other letters
    if relation.equality_conditions:
        conditions = [sympy.Poly(c, *LETTERS, domain="QQ").monic() for c in relation.equality_conditions]
        bases = [sympy.Poly(each.base, *LETTERS, domain="QQ").monic() for each in step.squares]
        if set(conditions) != set(bases):
            raise Rejected("the squares vanish together where the conditions named by the statement do not")


def _require_positive(coefficient: sympy.Expr) -> None:
    """Positive for all m >= 2, the sizes at which a pair j != k exists: as polynomials in m - 2 and F, numerator and
    denominator have no negative coefficient, and a positive one without m - 2."""
    if not all(_positive_from(part, 2) for part in _fraction(coefficient)):
        raise Rejected(f"the weight {coefficient} is not seen to be positive for m >= 2")


def _require_no_pole(weight: sympy.Expr) -> None:
    """A weight must mean something at every size m >= 1."""
    if not _positive_from(_fraction(weight)[1], 1):
        raise Rejected(f"the weight {weight} is not seen to be free of poles for m >= 1")


def _fraction(weight: sympy.Expr) -> tuple[sympy.Expr, sympy.Expr]:
    numerator, denominator = sympy.fraction(sympy.together(_without_factorials(weight)))
    return numerator, denominator


def _positive_from(part: sympy.Expr, least: int) -> bool:
    shifted = sympy.Poly(sympy.expand(part.subs(m, m + least)), m, F, domain="QQ")
    positive_there = any(powers[0] == 0 for powers in shifted.monoms() if shifted.coeff_monomial(powers) > 0)
    return positive_there and all(value >= 0 for value in shifted.coeffs())


def _conclude_means(step: ConcludeMeans, form: Any) -> None:
    form = _related(step, form)
    if not isinstance(form, MeansRelation):
        raise Rejected("the statement is not a relation between mean squares")
    if form.relation == "==" and step.squares:
        raise Rejected("an identity leaves no squares over")
    if bad := [each for each in step.squares if each.weight < 0]:
        raise Rejected(f"the coefficient {bad[0].coefficient} is negative")
    for pattern, value in averages.difference((*form.left, *step.squares), form.right).items():
        raise Rejected(f"the sides differ by {value} {averages.pattern_text(pattern)}")


def _derive(step: Derivation, form: Any) -> None:
    if not isinstance(form, Entailments | Conjunction):
        raise Rejected("the statement is not made of entailments")
    known = form.parts if isinstance(form, Entailments) else form.entailments
    parts = [part for part in known if part.title == step.title]
    if len(parts) != 1:
        raise Rejected(f"the statement has {len(parts)} parts named {step.title!r}")
    try:
        verify_derivation(parts[0], step)
    except (Unproved, OutOfScope) as reason:
        raise Rejected(str(reason)) from None


def _conclude_implication(step: ConcludeImplication, form: Any) -> None:
    if not isinstance(form, Implication):
        raise Rejected("the statement is not an implication between polynomials")
    if len(step.multipliers) != len(form.conclusions):
        raise Rejected(f"{len(form.conclusions)} conclusions but {len(step.multipliers)} combinations")
    for conclusion, multipliers in zip(form.conclusions, step.multipliers, strict=True):
        if any(not 0 <= index < len(form.hypotheses) for index in multipliers):
            raise Rejected("the proof uses a hypothesis that the statement does not make")
        used = [form.hypotheses[index] for index in multipliers]
        if conclusion.has(lj, own) and not of_two_keys(conclusion) and any(map(of_two_keys, used)):
            raise Rejected("a conclusion about one key needs hypotheses about one key: with one key there is no pair")
        # As polynomials before they are multiplied: a quotient could divide by what vanishes.
        letters = sorted({s for each in (conclusion, *used, *multipliers.values()) for s in _symbols(each)}, key=str)
        combination = sum(
            (
                _polynomial(value, letters) * _polynomial(form.hypotheses[index], letters)
                for index, value in multipliers.items()
            ),
            _polynomial(sympy.Integer(0), letters),
        )
        if combination != _polynomial(conclusion, letters):
            left = (_polynomial(conclusion, letters) - combination).as_expr()
            raise Rejected(f"not identically zero: {left}")


def _symbols(expression: Any) -> set[Any]:
    return set(sympy.sympify(expression).free_symbols)


def _polynomial(expression: Any, letters: list[Any]) -> Any:
    """A polynomial over the rationals in the letters; raises what NOT_IN_SCOPE names for anything else."""
    return sympy.Poly(expression, *(letters or [sympy.Dummy("unused")]), domain="QQ")


def _require_polynomial_zero(expression: Any) -> None:
    if not _polynomial(expression, sorted(_symbols(expression), key=str)).is_zero:
        raise Rejected(f"not identically zero: {sympy.expand(expression)}")


def _verify_counting(step: Counting) -> None:
    """#{pi : pi(j) = k} is the step's count, for every k.

    Composition with the transposition t = (k k') is an involution that turns pi(j) = k into pi(j) = k'; the value
    pi(j) is k, k' or another key, so three cases decide it. Hence the m classes are equally large, and m times
    the size is m!.
    """
    transposition = {"k": "k'", "k'": "k", "another": "another"}
    involution = all(transposition[transposition[value]] == value for value in transposition)
    exchanges = [value for value in transposition if transposition[value] == "k'"] == ["k"]
    together = FIELD.from_sympy(_without_factorials(sympy.factorial(m)) - m * _without_factorials(step.count))
    if not (involution and exchanges and together == 0):
        raise Rejected(f"m classes of {step.count} permutations are not seen to be m! together")


def _family(statement: Statement) -> Family:
    return statement.form.family if isinstance(statement.form, Relation) else GENERAL


@contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    """Reject a step whose algebra runs away. Where signals cannot be used the limit on the whole claim remains."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def expire(*_: Any) -> None:
        raise _TimeUp

    before = signal.signal(signal.SIGALRM, expire)
    # Again and again: an exception raised inside a callback of the interpreter can get lost.
    signal.setitimer(signal.ITIMER_REAL, seconds, 0.2)
    try:
        yield
    except _TimeUp:
        raise Rejected(f"no normal form within {seconds:g} s") from None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
