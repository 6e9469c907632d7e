"""Checks of the topic `exclusion`: the definitions (dec.definitions), theorem 1 (dec.thm1) and its identity."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from hypothesis import strategies as st

from headproof.checks.engines import exact
from headproof.checks.engines import property as property_engine
from headproof.checks.engines.decision import Decision
from headproof.checks.registry import Check, Context, Measurement, Topic
from headproof.checks.standard import kernel_checks, proof_check, search_check
from headproof.theory.cases import RotaryCase, TableCase
from headproof.theory.claim import Claim, Statement, Tier, Verdict
from headproof.theory.exclusion import exclusion_terms, residual_tolerance
from headproof.theory.exclusion.claims import ON_HEADS, THEOREMS, identity
from headproof.theory.exclusion.definition_claims import DEFINITION_CLAIMS
from headproof.theory.exclusion.family_claims import FAMILY_CLAIMS
from headproof.theory.exclusion.rotary_claims import ROTARY_CLAIMS
from headproof.theory.table import LogitTable

# -- where cases are drawn from ------------------------------------------------------------------------------------

ENTRY = st.one_of(
    st.integers(-2, 2).map(Fraction),
    st.sampled_from([Fraction(1, 2), Fraction(-1, 3), Fraction(10**6), Fraction(-(10**6)) + Fraction(1, 7)]),
)
UNIT = [(1, 0), (0, 1), (-1, 0), (0, -1), ("3/5", "4/5"), ("-5/13", "12/13")]  # rational turns: cosine, sine


@st.composite
def tables(draw: st.DrawFn, largest: int = 4) -> TableCase:
    """Tables of 1 to `largest` keys: any, with equal rows or columns, additive, attaining the bound, constant; now
    and then with the own key's logit, or with some permutations instead of all."""
    size = draw(st.integers(1, largest))
    vector = st.lists(ENTRY, min_size=size, max_size=size)
    kind = draw(st.sampled_from(["any", "positional", "symbolic", "additive", "attained", "constant", "all but one"]))
    content, position = draw(vector), draw(vector)
    rows = {
        "positional": lambda: [position] * size,
        "symbolic": lambda: [[value] * size for value in content],
        "additive": lambda: [[c + d for d in position] for c in content],
        "attained": lambda: [[c + d for d in content] for c in content],
        "constant": lambda: [[content[0]] * size] * size,
        "any": lambda: [draw(vector) for _ in range(size)],
        "all but one": lambda: [
            [content[0] if max(a, b) < size - 1 else draw(ENTRY) for b in range(size)] for a in range(size)
        ],
    }[kind]()
    own = draw(st.one_of(st.none(), ENTRY, st.just(rows[0][0])))
    some = st.lists(st.permutations(range(size)), min_size=1, max_size=3)
    return TableCase.of(rows, own, draw(st.one_of(st.none(), st.none(), some)))


@st.composite
def rotary(draw: st.DrawFn, largest: int = 3) -> RotaryCase:
    """Rotary heads of 1 or 2 planes and 1 to `largest` keys, at angles 0, right angles and Pythagorean ones."""
    planes = draw(st.integers(1, 2))
    vector = st.lists(st.tuples(st.integers(-2, 2), st.integers(-2, 2)), min_size=planes, max_size=planes)
    turn = st.sampled_from(UNIT)
    turns = draw(st.one_of(st.just([(1, 0)] * planes), st.lists(turn, min_size=planes, max_size=planes)))
    keys = draw(st.lists(vector, min_size=1, max_size=largest))
    if draw(st.booleans()):
        keys = [keys[0]] * len(keys)
        if draw(st.booleans()):
            keys[-1] = draw(vector)
    return RotaryCase.of(turns, draw(vector), keys)


# -- checks --------------------------------------------------------------------------------------------------------

ROTARY = {claim.id for claim in ROTARY_CLAIMS}


def _cases(claim: Claim, context: Context) -> Any:
    if claim.id in ROTARY:
        return rotary(context.examples(3, 5))
    return tables(context.examples(4, 5))


def _domain(claim: Claim, context: Context) -> str:
    if claim.id in ROTARY:
        return f"rotary heads at rational turns, n - 1 <= {context.examples(3, 5)}"
    return f"rational tables, n - 1 <= {context.examples(4, 5)}"


def _tested(claim: Claim) -> Check:
    return search_check(claim, partial(_cases, claim), partial(_domain, claim))


def _exact(claim: Claim) -> Check:
    return Check(claim.id, Tier.EXACT, lambda statement, context: exact.decide(statement))


@st.composite
def float_tables(draw: st.DrawFn, largest: int = 4) -> np.ndarray[Any, Any]:
    """float64 tables of any magnitude whose squares neither overflow nor vanish, some with a large common offset."""
    size = draw(st.integers(1, largest))
    scale = 10.0 ** draw(st.integers(-12, 12))
    entry = st.floats(-4, 4, allow_subnormal=False).map(lambda x: 0.0 if abs(x) < 1e-30 else x)
    rows = draw(st.lists(st.lists(entry, min_size=size, max_size=size), min_size=size, max_size=size))
    return np.array(rows) * scale + draw(st.sampled_from([0.0, 1.0, 1e6])) * scale


TERMS = ("positional", "symbolic", "variance", "slack")


def _float_terms(statement: Statement, context: Context) -> Decision:
    """The statement on float64 tables taken as the dyadic rationals they are, and the fast floating-point terms
    against the exact ones, each within the derived tolerance of the bound.

    The comparison has a control of its own: terms off by a part in a thousand million must be noticed.
    """
    cases = float_tables(context.examples(4, 5)).map(
        lambda array: TableCase.of([[Fraction(float(x)) for x in row] for row in array])
    )
    examples = context.examples(120, 1000)
    domain = f"float64 tables, n - 1 <= {context.examples(4, 5)}, as exact dyadic rationals"
    for factor, wanted in ((1.0, False), (1 + 1e-9, True)):
        agree = Statement(TableCase, (), partial(_terms_agree, factor))
        found = property_engine.search(agree, cases, examples, context.seed).found
        if (found is not None) is not wanted:
            said = "terms that are off go unnoticed" if wanted else f"floating-point and exact terms differ: {found}"
            return Decision(Verdict.ERROR, domain, summary=said)
    return property_engine.decide(statement, cases, examples, context.seed, domain)


def _terms_agree(factor: float, case: TableCase) -> bool:
    """Whether each floating-point term, times a factor, is the exact one up to the tolerance of the bound."""
    fast = exclusion_terms(LogitTable(case.array.astype(np.float64)))
    true = exclusion_terms(LogitTable(case.array))
    allowed = Fraction(residual_tolerance(case.size)) * true.bound
    pairs = [(getattr(fast, name), getattr(true, name)) for name in TERMS]
    return all(abs(Fraction(float(a) * factor) - b) <= allowed for a, b in pairs)


def _measure(context: Context) -> Mapping[str, Decision]:
    from headproof.checks.trained.exclusion_verdicts import decide_on_heads  # torch, only when it is used

    return decide_on_heads(context)


def _prepare(context: Context, message: Callable[[str], None]) -> None:
    from headproof.checks.trained.exclusion import prepare

    prepare(context, message)


_CLAIMS = (*DEFINITION_CLAIMS, *THEOREMS, *FAMILY_CLAIMS)

topic = Topic(
    name="exclusion",
    title="Positional and symbolic exclude each other",
    claims=(*_CLAIMS, *ON_HEADS),
    checks=(
        *kernel_checks("exclusion", _CLAIMS),
        *(proof_check(claim) for claim in _CLAIMS if claim.proof is not None),
        *(_exact(claim) for claim in _CLAIMS if claim.id not in ROTARY),
        *(_tested(claim) for claim in _CLAIMS),
        Check(identity.id, Tier.TESTED, _float_terms, "floating point"),
    ),
    measurements=(Measurement("exclusion on heads", tuple(claim.id for claim in ON_HEADS), _measure, _prepare),),
    cases={claim.id: partial(_cases, claim) for claim in _CLAIMS},
)
