"""The exercises of lesson 7: questions, hints, solutions, and checks by headproof's own exact functions.

A check gets what the reader typed. It returns nothing where the answer is right, and otherwise one sentence that says
what is missing; an InputError says that the answer could not be read. `wrong` are answers that readers tend to give.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

import board

from headproof.checks.registry import claims
from headproof.theory.angles import Angle, aliases
from headproof.theory.cosine_sums import compare
from headproof.theory.discrepancy import IndexCase
from headproof.theory.discrepancy.index_claims import largest_gap, turn_share
from headproof.theory.errors import InputError
from headproof.theory.exclusion import exclusion_terms, variance_ratio
from headproof.theory.exclusion.definitions import is_positional, is_symbolic
from headproof.theory.measures import analysis_of_variance
from headproof.theory.rational import rational
from headproof.theory.shapes import ShapeCase, is_u_shaped
from headproof.theory.table import LogitTable

LONGEST = 200  # characters of an answer
RIGHT = ""


@dataclass(frozen=True)
class Exercise:
    """One exercise. `form` says how the answer is written; `options` makes it a choice between them."""

    name: str
    lesson: int
    title: str
    question: str
    form: str
    hint: str
    solution: str
    reason: str
    wrong: tuple[str, ...]
    check: Callable[[str], str]
    options: tuple[str, ...] = ()

    def feedback(self, answer: str) -> str | None:
        """None for no answer yet, empty for a right one, else what is wrong with it."""
        if not answer or not answer.strip():
            return None
        if len(answer) > LONGEST:
            return f"An answer has at most {LONGEST} characters."
        try:
            return self.check(answer.strip())
        except InputError as error:
            return f"This cannot be read: {error}."


# -- reading answers -----------------------------------------------------------------------------------------------

_OPERATIONS: Mapping[type[ast.operator], Callable[[Fraction, Fraction], Fraction]] = {
    ast.Add: lambda x, y: x + y,
    ast.Sub: lambda x, y: x - y,
    ast.Mult: lambda x, y: x * y,
    ast.Div: lambda x, y: x / y,
    ast.FloorDiv: lambda x, y: Fraction(x // y),
}


def evaluated(text: str, **names: int) -> Fraction:
    """The value of an arithmetic expression in integers and the given names: `+ - * / //` and brackets, exactly.

    Nothing else is read, so nothing else can be run. Raises InputError for anything else, and a division by zero.

    >>> evaluated("2 / (n // 2 + 1)", n=7)
    Fraction(1, 2)
    """
    try:
        tree = ast.parse(text, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise InputError(f"not an expression: {text!r:.60}", "write it as '2 / (n + 1)'") from error

    def of(node: ast.expr) -> Fraction:
        match node:
            case ast.Constant(value=int(number)) if not isinstance(number, bool):
                return Fraction(number)
            case ast.Name(id=name) if name in names:
                return Fraction(names[name])
            case ast.UnaryOp(op=ast.USub(), operand=inner):
                return -of(inner)
            case ast.BinOp(left=left, op=operation, right=right) if type(operation) in _OPERATIONS:
                try:
                    return _OPERATIONS[type(operation)](of(left), of(right))
                except ZeroDivisionError as error:
                    raise InputError(f"{text!r:.60} divides by zero at {names}") from error
        raise InputError(f"{ast.unparse(node)!r:.40} is not read", f"use {', '.join(names)}, integers, + - * / //")

    return of(tree.body)


def square_table(text: str, size: int) -> LogitTable:
    """A table of so many keys as typed; InputError for another size."""
    table = board.parsed_table(text)
    if table.size != size:
        raise InputError(f"a table of {table.size} keys", f"give one of {size}")
    return table


def index_case(text: str) -> IndexCase:
    """An angle and a length, parted by a semicolon."""
    parts = text.split(";")
    if len(parts) != 2 or not parts[1].strip().isdecimal() or len(parts[1]) > 9:
        raise InputError(f"not a case: {text!r:.40}", "write an angle, a semicolon and a length, such as '1/2 pi; 5'")
    return IndexCase(Angle.parse(parts[0].strip()), int(parts[1]))


# -- the checks ----------------------------------------------------------------------------------------------------


def _positional_table(text: str) -> str:
    table = square_table(text, 3)
    if not is_positional(table):
        return "Not positional: some column is not constant."
    if len(set(table.diagonal)) < 3:
        return "Positional, but two of the logits in use are equal."
    return RIGHT


def _additive_table(text: str) -> str:
    table = square_table(text, 3)
    if is_positional(table) or is_symbolic(table):
        return "This one is positional or symbolic."
    shares = analysis_of_variance(table)
    if shares.interaction != 0:
        return f"The interaction's sum of squares is {board.shown(shares.interaction)}, not 0."
    return RIGHT


RATIO_ROWS = ((0, 1, 2), (3, 2, 1), (0, 0, 4))


def _ratio(text: str) -> str:
    terms = exclusion_terms(LogitTable.of_rows(RATIO_ROWS))
    given = rational(text)
    if given == variance_ratio(terms):
        return RIGHT
    if given == 1 / variance_ratio(terms):
        return "That is bound over variance."
    if given in (terms.variance / terms.positional, terms.variance / terms.symbolic):
        return "That is the variance over one of the two deviations alone."
    return "No. Is the sum over all nine entries, both ways, divided by 9?"


DIAGONAL = (0, 2, 6)


def _attained(text: str) -> str:
    table = square_table(text, 3)
    if tuple(table.diagonal) != DIAGONAL:
        return f"The diagonal must be {DIAGONAL}."
    slack = exclusion_terms(table).slack
    return RIGHT if slack == 0 else f"The slack is {board.shown(slack)}, not 0."


NINE_KEYS, STEP = 9, Fraction(1, 20)


def _last_u(text: str) -> str:
    angle = Angle.parse(text)
    if angle.radians or angle.turns % STEP:
        return f"The angle is a whole multiple of {STEP} pi."
    if not is_u_shaped(ShapeCase(angle, NINE_KEYS)):
        return f"At {angle} the weight on the target is no strict U."
    if is_u_shaped(ShapeCase(Angle(angle.turns + STEP), NINE_KEYS)):
        return f"A U, but {Angle(angle.turns + STEP)} gives one as well."
    return RIGHT if 0 < angle.turns < 1 else "A U, but not between 0 and pi."


def _level(text: str) -> str:
    angle, keys = Angle.parse(text), 5
    if angle.is_multiple_of_full_turn:
        return "A full turn: all keys are one arrow. Find another angle."
    down, up = (is_u_shaped(ShapeCase(angle, keys, Fraction(sign)), at_most=0) for sign in (1, -1))
    return RIGHT if down and up else f"At {angle} some steps are not level."


def _best_angle(text: str) -> str:
    angle, n = Angle.parse(text), 10
    short = compare(largest_gap(IndexCase(angle, n)), turn_share(n // 2 + 1))
    return RIGHT if short == 0 else f"At {angle} the largest gap is below the sharp bound."


def _sharp_expression(text: str) -> str:
    for n in range(2, 25):
        turns = evaluated(text, n=n)
        if compare(largest_gap(IndexCase(Angle(turns), n)), turn_share(n // 2 + 1)) != 0:
            return f"At n = {n} the angle {Angle(turns)} does not have the largest possible gap."
    return RIGHT


def _halved(text: str) -> str:
    case = index_case(text)
    statement = claims()["dyn.thm3.2.index.best-other"].mutant("halved").statement
    return RIGHT if statement.refuted_by(case) else f"At {case} the mutant holds."


def _irrational_alias(text: str) -> str:
    angle, n0 = Angle.parse(text), 6
    if not angle.is_irrational:
        return f"{angle} is a rational number of radians."
    if not aliases(angle, n0 - 1):
        return f"No multiple of {angle} up to the fifth is a number of full turns, so the target is unique."
    return RIGHT


LEARNED = "dec.emp.correlation-learned.smollm2-135m"
VERDICTS = ("SUPPORTED", "NOT SUPPORTED", "NOT RUN")
NULLS = ("fresh", "shuffled")


def _learned_verdict() -> str:
    """What the claim's criterion says of the ledger's numbers."""
    (finding,) = board.record_of(LEARNED)["findings"]
    met = claims()[LEARNED].supported_by
    assert met is not None
    numbers = {name: number["value"] for name, number in finding["numbers"].items()}
    return "SUPPORTED" if met(numbers) else "NOT SUPPORTED"


def _learned(text: str) -> str:
    if text == "NOT RUN":
        return "The measurement is there."
    return RIGHT if text == _learned_verdict() else "Both intervals have to lie below 0."


def _interval(null: str) -> tuple[float, float]:
    """The 95 % interval of the excess, trained less this null."""
    low, high = (board.number_of(LEARNED, f"excess, trained - {null}, {end} %") for end in ("2.5", "97.5"))
    return low, high


def _intervals() -> str:
    lines = []
    for null in NULLS:
        low, high = _interval(null)
        lines.append(f"[{low:.3f}, {high:.3f}] against the *{null}* null")
    return " and ".join(lines)


def _why_learned(intervals: Mapping[str, tuple[float, float]]) -> str:
    """What decides the verdict: each interval that does not lie below 0, or that there is none."""
    short = [
        f"The interval against the {null} null {'holds 0' if low <= 0 else 'lies above 0'}: such a net shows as much"
        + (" or more." if low > 0 else ".")
        for null, (low, high) in intervals.items()
        if high >= 0
    ]
    return " ".join(short) or "Both intervals lie below 0: no null shows as much."


def _rows_text() -> str:
    return "; ".join(" ".join(map(str, row)) for row in RATIO_ROWS)


# -- the exercises -------------------------------------------------------------------------------------------------

TABLE_FORM = "a table: rows parted by `;`, numbers by spaces, such as `0 1/2; 1/2 1`"
ANGLE_FORM = "an angle, such as `2/5 pi` or `1/2` (radians)"

EXERCISES = (
    Exercise(
        name="positional",
        lesson=1,
        title="A positional table",
        question="Give a table of three keys that is positional on its input, and whose three logits in use differ.",
        form=TABLE_FORM,
        hint="Positional: the logit does not depend on the content. What must every *column* be?",
        solution="0 1 2; 0 1 2; 0 1 2",
        reason="Any table of equal rows with three different entries. The diagonal is then that row.",
        wrong=("0 0 0; 1 1 1; 2 2 2", "1 1 1; 1 1 1; 1 1 1", "0 1; 0 1"),
        check=_positional_table,
    ),
    Exercise(
        name="additive",
        lesson=1,
        title="Neither, and yet without interaction",
        question="Give a table of three keys that is neither positional nor symbolic, and has no interaction: content "
        "and position add.",
        form=TABLE_FORM,
        hint="Take a symbolic table and a positional one, and add them entry by entry.",
        solution="0 1 2; 1 2 3; 5 6 7",
        reason="$M[a, b] = c_a + d_b$ with $c = (0, 1, 5)$ and $d = (0, 1, 2)$. The two-angle head of lesson 1 is of "
        "this kind.",
        wrong=("1 0 0; 0 1 0; 0 0 1", "0 1 2; 0 1 2; 0 1 2"),
        check=_additive_table,
    ),
    Exercise(
        name="ratio",
        lesson=2,
        title="Variance over bound, by hand",
        question=f"For the table `{_rows_text()}`, what is variance over bound, as a fraction?",
        form="a fraction, such as `3/7`",
        hint="The logits are 0, 2, 4. Make the two tables of squares of lesson 2, step 2, and add up all entries.",
        solution="4/11",
        reason="The variance is 8/3. The squares against the columns' logits add up to 27, those against the rows' to "
        "39; together 66, over 9. So the ratio is (8/3) / (66/9) = 4/11.",
        wrong=("11/4", "8/9", "8/13", "8/3", "1/2"),
        check=_ratio,
    ),
    Exercise(
        name="attained",
        lesson=2,
        title="Attain the bound",
        question="Fill a table with the diagonal 0, 2, 6 so that the exclusion bound is attained.",
        form=TABLE_FORM,
        hint="Every entry off the diagonal must be the middle of its two logits.",
        solution="0 1 3; 1 2 4; 3 4 6",
        reason="$M[a, b] = (\\lambda_a + \\lambda_b)/2$: the slack is a sum of squares of what is missing to that.",
        wrong=("0 2 6; 0 2 6; 0 2 6", "0 2 6; 2 2 8; 6 8 6", "0 1 3; 1 2 4; 3 4 7"),
        check=_attained,
    ),
    Exercise(
        name="last-u",
        lesson=3,
        title="The last U",
        question="With N = 9 keys, which is the largest angle below pi, among the whole multiples of pi/20, at which "
        "the weight of H_POS on its target is a strict U?",
        form=ANGLE_FORM,
        hint="N theta must stay below one full turn, 2 pi.",
        solution="1/5 pi",
        reason="2 pi / 9 is 4.44 twentieths of pi; 4/20 = 1/5.",
        wrong=("1/4 pi", "3/20 pi", "2/9 pi"),
        check=_last_u,
    ),
    Exercise(
        name="level",
        lesson=3,
        title="All targets alike",
        question="With N = 5 keys, name an angle, not a whole number of turns, at which every target of H_POS gets the "
        "same weight.",
        form=ANGLE_FORM,
        hint="The keys must see the same circle from everywhere. How do five places go round it evenly?",
        solution="2/5 pi",
        reason="At a multiple of 2 pi / N the keys are the corners of a regular polygon (or fewer corners, each as "
        "often): every target has the same distances around it.",
        wrong=("1/5 pi", "2 pi", "1/2 pi"),
        check=_level,
    ),
    Exercise(
        name="best-angle",
        lesson=4,
        title="The angle of the largest gap",
        question="Index at length n = 10: at which angle is the discrepancy (the largest gap over the inputs) as large "
        "as it can be?",
        form=ANGLE_FORM,
        hint="A query for the middle sees no key more than n/2 = 5 places away. How many places must the circle hold?",
        solution="1/3 pi",
        reason="2 pi / (5 + 1) = pi / 3: six places on the circle, none of them nearer to the target than pi / 3.",
        wrong=("1/5 pi", "2/5 pi", "1"),
        check=_best_angle,
    ),
    Exercise(
        name="sharp",
        lesson=5,
        title="The sharp bound for every length",
        question="Write an expression x in n such that the angle x pi attains the largest possible discrepancy of "
        "Index at *every* length n. (It is checked exactly for n = 2 to 24.)",
        form="an expression in `n` with `+ - * / //`, such as `2 / n`",
        hint="Exercise 7 was n = 10. Floor division is `//`.",
        solution="2 / (n // 2 + 1)",
        reason="theta = 2 pi / (floor(n / 2) + 1), as in the repaired claim `dyn.thm3.2.index.sharp`.",
        wrong=("2 / n", "4 / n", "2 / (n / 2 + 1)", "2 / (n // 2)"),
        check=_sharp_expression,
    ),
    Exercise(
        name="halved",
        lesson=5,
        title="Kill a mutant",
        question="The gap of an input that ends in a letter is at most $2\\pi^2/n^2$. Its mutant has $\\pi^2/n^2$. "
        "Refute the mutant.",
        form="a case: an angle, a semicolon, a length, such as `1/2 pi; 5`",
        hint="The gap of such an input is 1 less the best cosine of the other places. Put them round the circle "
        "evenly.",
        solution="2/3 pi; 3",
        reason="At theta = 2 pi / 3 and n = 3 the other two places have the cosine -1/2, so the gap is 3/2, above "
        "pi^2 / 9 = 1.097.",
        wrong=("1/10 pi; 3", "pi; 3", "2/3 pi; 4"),
        check=_halved,
    ),
    Exercise(
        name="alias",
        lesson=5,
        title="Irrational is not enough",
        question="DYN's theorem 3.1 asks for an *irrational* angle, so that no two places alias. Name an irrational "
        "angle (in radians) for which Index fails at inputs of six tokens all the same.",
        form=ANGLE_FORM,
        hint="pi is irrational. When do five steps bring you back to where you were?",
        solution="2/5 pi",
        reason="2 pi / 5 is irrational, and five times it is a full turn. What is needed is that theta / pi is "
        "irrational, or that no multiple below the length is a whole number of turns.",
        wrong=("1", "3/7", "2/7 pi"),
        check=_irrational_alias,
    ),
    Exercise(
        name="learned",
        lesson=6,
        title="Read a criterion",
        question="A criterion, fixed before the measurement: SUPPORTED if *for each null* the 95 % interval of the "
        f"excess, trained less null, lies below 0. Measured on SmolLM2-135M: {_intervals()}. What is the verdict?",
        form="choose",
        hint="For *each* null.",
        solution=_learned_verdict(),
        reason=_why_learned({null: _interval(null) for null in NULLS}),
        wrong=tuple(verdict for verdict in VERDICTS if verdict != _learned_verdict()),
        check=_learned,
        options=VERDICTS,
    ),
)


def by_name(name: str) -> Exercise:
    """The exercise of a name; InputError for an unknown one."""
    for exercise in EXERCISES:
        if exercise.name == name:
            return exercise
    raise InputError(f"unknown exercise {name!r}", f"there are {', '.join(each.name for each in EXERCISES)}")
