"""The figures of theorems: what their rows say, drawn from rows that were written and read back, and their captions."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pyarrow as pa
import pytest

from headproof.checks.registry import Context, select
from headproof.checks.trained.rows import Columns, columns_of, rows
from headproof.constructions.expressivity import h_pos
from headproof.constructions.tasks import index_task
from headproof.paper_figs import (
    discrepancy,
    discrepancy_heads,
    discrepancy_temperature,
    expressivity,
    shapes,
    theory_rows,
)
from headproof.paper_figs.data import as_written, description, read_data, write_csv
from headproof.paper_figs.figure import captioned, house_style
from headproof.theory.angles import Angle
from headproof.theory.discrepancy import IndexCase, RetrievalInput, gap, retrieval_logits
from headproof.theory.discrepancy.index_claims import index_printed, index_sharp
from headproof.theory.discrepancy.retrieval_gap_claims import retrieval_printed, worst_input
from headproof.theory.errors import InputError
from headproof.theory.expressivity.plane_heads import InductionCase
from headproof.theory.shapes import ShapeCase, positional_step, symbolic_step
from headproof.theory.shapes.claims import inverted_printed, inverted_range, u_beyond, u_printed, u_range

MODULES: dict[str, Any] = {
    "shapes": shapes,
    "discrepancy": discrepancy,
    "discrepancy_heads": discrepancy_heads,
    "discrepancy_temperature": discrepancy_temperature,
    "expressivity": expressivity,
}


# The sweep of toys is read by modules that need the extra `models`.
NAMED = [pytest.param(name, marks=pytest.mark.torch if name == "discrepancy_heads" else ()) for name in MODULES]


def silent(text: str) -> None:
    del text


@cache
def computed(name: str) -> pa.Table:
    return MODULES[name].figure.compute(Context(), silent)


def columns(name: str) -> Columns:
    return columns_of(computed(name))


def kept(data: pa.Table, name: str, folder: Path) -> pa.Table:
    """The data written as CSV and JSON, and read back."""
    written = as_written(data)
    write_csv(written, folder / f"{name}.csv")
    (folder / f"{name}.json").write_text(description(written, name), "utf-8")
    back = read_data(folder, name)
    assert back.equals(written)
    return back


def drawn(name: str, data: pa.Table) -> Any:
    with house_style():
        return MODULES[name].figure.draw(data)


# -- all of them ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMED)
def test_it_is_drawn_from_rows_that_were_written_and_read_back(name: str, tmp_path: Path) -> None:
    figure = MODULES[name].figure
    assert figure.name == name
    back = kept(computed(name), name, tmp_path)
    picture = drawn(name, back)
    panels = [axes for axes in picture.axes if axes.get_title(loc="left")]
    letters = [axes.get_title(loc="left")[:3] for axes in panels]
    assert letters == [f"{letter}  " for letter in "abcd"[: len(panels)]]
    assert all(axes.lines and axes.get_xlabel() + axes.get_title(loc="left") for axes in panels)
    assert picture.get_figwidth() == 7.2
    plt.close(picture)
    assert figure.caption(back) == figure.caption(as_written(computed(name)))


@pytest.mark.parametrize("name", NAMED)
def test_the_caption_names_its_claims_and_their_verdicts(name: str) -> None:
    figure = MODULES[name].figure
    claims = select(list(figure.claims))
    said = captioned(figure, computed(name))
    assert claims
    assert all(claim in said for claim in claims)
    own = figure.caption(computed(name))
    assert any(claim in own for claim in claims)
    assert "nan" not in own
    assert not set("{}") & set(own)
    assert "inf" not in own.replace("infimum", "")


@pytest.mark.parametrize("name", NAMED)
def test_verdicts_in_a_caption_come_from_the_ledger_alone(name: str) -> None:
    own = MODULES[name].figure.caption(computed(name))
    assert not re.search(r"\b(refuted|holds|supported|undecided)\b", own, re.IGNORECASE)


@pytest.mark.parametrize("name", ["shapes", pytest.param("discrepancy_heads", marks=pytest.mark.torch)])
def test_the_rows_are_the_same_when_computed_again(name: str) -> None:
    again = MODULES[name].figure.compute(Context(seed=3), silent)
    assert again.equals(computed(name), check_metadata=True)


# -- what they share -----------------------------------------------------------------------------------------------


def test_an_edge_is_found_and_a_condition_without_one_is_refused() -> None:
    third = theory_rows.edge(lambda x: 3 * x <= 1, Fraction(0), Fraction(1))
    assert 0 < third - Fraction(1, 3) < Fraction(1, 2**theory_rows.HALVINGS)
    assert theory_rows.least(lambda x: x >= Fraction(17, 3)) == pytest.approx(17 / 3, rel=1e-9)
    for never in (lambda x: False, lambda x: True):
        with pytest.raises(InputError, match="no edge from 0 to 1"):
            theory_rows.edge(never, Fraction(0), Fraction(1))


def test_labels_are_moved_apart_and_keep_their_order() -> None:
    wanted = [3.0, 0.0, 0.1, 0.2, 2.9]
    found = theory_rows.spread(wanted, 1.0)
    assert sorted(range(5), key=lambda each: found[each]) == sorted(range(5), key=lambda each: wanted[each])
    gaps = np.diff(sorted(found))
    assert (gaps > 0.999).all()
    assert theory_rows.spread([0.0, 5.0], 1.0) == [0.0, 5.0]


def test_missing_texts_are_empty_and_missing_numbers_null() -> None:
    table = theory_rows.tidy([{"a": "x", "n": np.int64(2)}, {"v": 0.5}],
                             {"a": theory_rows.TEXT, "n": theory_rows.WHOLE, "v": theory_rows.NUMBER}, {})  # fmt: skip
    assert table.to_pylist() == [{"a": "x", "n": 2, "v": None}, {"a": "", "n": None, "v": 0.5}]


# -- shapes --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("turns", [Fraction(1, 5), Fraction(3, 7), Fraction(5, 11)])
def test_the_weights_of_h_pos_are_those_of_its_logits(turns: Fraction) -> None:
    keys, case = 5, ShapeCase(Angle(turns), 5, shapes.WEIGHT)
    task = index_task(("a",), keys + 1)
    head = h_pos(("a",), keys + 1, float(case.theta), weight=float(shapes.WEIGHT))
    for target, weight in enumerate(shapes.weights("positional", case), start=1):
        logits = head.table(task.encode(("a",) * keys + (target,))).diagonal
        powers = np.exp(logits.astype(float))
        assert weight == pytest.approx(powers[target - 1] / powers.sum())


@pytest.mark.parametrize(("head", "step"), [("positional", positional_step), ("symbolic", symbolic_step)])
def test_drawn_weights_rise_and_fall_as_the_exact_steps(head: str, step: Any) -> None:
    held = rows(columns("shapes"), head=head)
    checked = 0
    for kind in ("curve", "by hand"):
        for share in np.unique(rows(held, kind=kind)["share"]):
            one = rows(held, kind=kind, share=share)
            case = ShapeCase(Angle.parse(str(one["angle"][0])), int(one["keys"][0]), shapes.WEIGHT)
            for j, rise in enumerate(np.diff(one["weight"]), start=1):
                assert (0 if abs(rise) < 1e-12 else math.copysign(1, rise)) == step(case, j)
                checked += 1
    assert checked == 5 * (shapes.KEYS - 1) + shapes.BY_HAND[head].keys - 1


def test_the_thresholds_part_the_shapes() -> None:
    found = rows(columns("shapes"), kind="threshold")
    u, inverted = rows(found, head="positional"), rows(found, head="symbolic")
    assert len(u["keys"]) == shapes.MOST - shapes.FEWEST + 1
    assert set(u["shape"]) == {"level"}
    assert set(u["before"]) == {"U"}
    assert set(u["beyond"]) == {"inverted U"}
    assert len(inverted["keys"]) == len(u["keys"]) - 1
    assert set(inverted["before"]) == {"inverted U"}
    assert "inverted U" not in set(inverted["shape"]) | set(inverted["beyond"])


def test_the_map_follows_the_claims() -> None:
    points = rows(columns("shapes"), kind="map")
    assert len(points["keys"]) == 2 * shapes.STEPS * (shapes.MOST - shapes.FEWEST + 1)
    for head, shape, less in (("positional", "U", 0), ("symbolic", "inverted U", 2)):
        mine = rows(points, head=head)
        below = mine["turns"] * (mine["keys"] - less) < 2 - 1e-9
        assert ((mine["shape"] == shape) == below).all()
        assert below.any()
        assert not below.all()
    assert {"U", "inverted U", "level", "neither"} == set(rows(points, head="positional")["shape"])


def test_the_counterexamples_refute_and_the_ranges_hold_there() -> None:
    held = rows(columns("shapes"), kind="by hand")
    for head, printed, truths in (
        ("positional", u_printed, (u_range, u_beyond)), ("symbolic", inverted_printed, (inverted_range,)),
    ):  # fmt: skip
        assert rows(held, head=head)["angle"][0] == "pi"
        assert printed.statement.refuted_by(shapes.BY_HAND[head])
        assert all(claim.statement.conclusion(shapes.BY_HAND[head]) for claim in truths)


def test_no_two_shapes_look_alike() -> None:
    for look in ("color", "marker", "linestyle"):
        assert len({str(each[look]) for each in shapes.LOOKS.values()}) == len(shapes.LOOKS)


def test_its_caption_says_how_lines_are_named_and_how_many_keys_the_diamonds_have() -> None:
    own = shapes.figure.caption(computed("shapes"))
    assert "a, c, for 9 keys" in own
    assert "named by N theta (a) or (N - 2) theta (c)" in own
    assert "theta = pi with 3 keys (H_POS) and with 5 (H_SYM)" in own


# -- discrepancy ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "reading", "refuted"),
    [
        ("index by length", "largest", True),
        ("index by length", "letter", False),
        ("index by length", "positive", True),
        ("index by angle", "largest", True),
        ("index by angle", "letter", False),
        ("retrieval by length", "largest", True),
        ("retrieval by length", "wrong letter", True),
        ("retrieval by length", "lead", True),
        ("retrieval by length", "positive", True),
    ],
)
def test_refuted_readings_exceed_the_printed_bound_and_others_do_not(kind: str, reading: str, refuted: bool) -> None:
    mine = rows(columns("discrepancy"), kind=kind, reading=reading, asked=True)
    assert len(mine["n"])
    assert (~mine["within"].astype(bool)).any() == refuted
    value, printed = mine["value"], mine["printed"]
    apart = np.abs(value - printed) > 1e-9
    assert ((value < printed)[apart] == mine["within"].astype(bool)[apart]).all()


def test_the_sharp_bound_holds_and_is_attained() -> None:
    for reading in ("largest", "letter"):
        for kind in ("index by length", "index by angle"):
            mine = rows(columns("discrepancy"), kind=kind, reading=reading)
            assert (mine["value"] <= mine["sharp"] + 1e-12).all()
        mine = rows(columns("discrepancy"), kind="index by length", reading=reading)
        assert mine["value"] == pytest.approx(mine["sharp"])


def test_a_row_of_index_is_the_one_that_is_refuted_by_hand() -> None:
    case = IndexCase(Angle(Fraction(2, 3)), 4)
    row = discrepancy.index_row("one", "largest", case)
    assert row["value"] == pytest.approx(1.5)
    assert row["printed"] == pytest.approx(2 * math.pi**2 / 16)
    assert row["asked"]
    assert not row["within"]
    assert index_printed.statement.refuted_by(case)
    assert not index_sharp.statement.refuted_by(case)


def test_the_largest_gap_of_retrieval_belongs_to_an_input_that_refutes_the_print() -> None:
    asked = rows(columns("discrepancy"), kind="retrieval by length", reading="largest", asked=True)
    assert list(asked["n"]) == list(range(2, discrepancy.N0 + 1))
    for n, value in zip(asked["n"], asked["value"], strict=True):
        letters, theta = discrepancy.LETTERS, Angle(Fraction(2, discrepancy.LETTERS * (2 * discrepancy.N0 + 1)))
        worst = worst_input(RetrievalInput(letters, theta, discrepancy.N0, (("a", 1),) * int(n)))
        assert retrieval_printed.statement.refuted_by(worst)
        assert theory_rows.number(gap(retrieval_logits(worst))) == pytest.approx(value)


def test_a_gap_over_a_bound_of_0_is_named_and_does_not_vanish_from_the_largest_ratio() -> None:
    over = rows(columns("discrepancy"), asked=True, within=False, reading="positive")
    at = over["printed"] == 0
    assert list(over["n"][at]) == [7]
    assert over["value"][at] > 0
    ratio = (over["value"][~at] / over["printed"][~at]).max()
    said = f"smallest positive gap {ratio:.3g} where the bound is not 0; also positive over a bound of 0 at n = 7"
    assert said in discrepancy.figure.caption(computed("discrepancy"))
    made = {"value": np.array([3.0, 1.0]), "printed": np.array([2.0, 0.0]), "n": np.array([4, 5])}
    assert discrepancy._worst(rows(made, n=4)) == "1.5"
    assert discrepancy._worst(rows(made, n=5)) == "positive over a bound of 0 at n = 5"
    assert discrepancy._worst(rows(made, n=6)) == "none above"


def test_every_value_of_the_panels_over_lengths_is_shown() -> None:
    picture = drawn("discrepancy", computed("discrepancy"))
    for panel, kind in ((0, "index by length"), (2, "retrieval by length"), (3, "retrieval at n0")):
        low, high = picture.axes[panel].get_ylim()
        value = rows(columns("discrepancy"), kind=kind)["value"]
        assert low < value.min() < value.max() < high
    plt.close(picture)


@pytest.mark.parametrize("n", [2, 7, 64])
def test_the_bound_of_a_length_is_the_printed_one(n: int) -> None:
    assert discrepancy.length_bound(n) == pytest.approx(2 * math.pi**2 / n**2, rel=1e-9)


def test_along_n0_the_readings_part() -> None:
    held = rows(columns("discrepancy"), kind="retrieval at n0")
    largest, wrong, lead, positive = (
        rows(held, reading=name)["value"] for name in ("largest", "wrong letter", "lead", "positive")
    )
    n0 = rows(held, reading="lead")["n0"]
    assert (largest > 1).all()
    assert (wrong > 1).all()  # 1 - cos(omega / 2), two letters
    assert (np.diff(lead * n0) < 4).all()
    assert (lead * n0 < 2 * math.pi * 2).all()
    assert lead[-1] < lead[0] / 3
    assert (positive * n0**2 < math.pi**2 / 8).all()


# -- temperature ---------------------------------------------------------------------------------------------------


def test_what_is_necessary_lies_below_and_what_is_sufficient_above() -> None:
    held = columns("discrepancy_temperature")
    kinds = {(str(q), str(a)) for q, a in zip(held["queries"], held["angle"], strict=True)}
    assert kinds == set(discrepancy_temperature.LOOKS)
    for queries, angle in kinds:
        mine = rows(held, queries=queries, angle=angle)
        smallest = rows(mine, what="smallest")["beta"]
        assert (np.diff(smallest) > 0).all()
        for what in set(mine["what"]) - {"smallest"}:
            bound = rows(mine, what=what)["beta"]
            side = smallest - bound if what == "necessary" else bound - smallest
            assert (side > -1e-8 * smallest).all(), (queries, angle, what)


def test_exact_predicates_confirm_the_smallest_at_short_lengths() -> None:
    data = computed("discrepancy_temperature").to_pylist()
    asked = [row for row in data if row["what"] == "smallest" and row["n0"] <= discrepancy_temperature.CONFIRMED]
    assert len(asked) >= 5 * 5
    assert all(row["confirmed"] is True for row in asked)
    assert all(row["confirmed"] is None for row in data if row not in asked)


def test_a_wrong_temperature_is_not_confirmed() -> None:
    angle = Angle(Fraction(1, 4))
    assert discrepancy_temperature._confirmed("index", angle, 8, 2.0) is False
    assert discrepancy_temperature._confirmed("index", angle, 8, 5.0) is False


def test_orders_of_growth_are_those_of_the_claims() -> None:
    held = rows(columns("discrepancy_temperature"), what="smallest")
    last = {}
    for queries, angle in discrepancy_temperature.LOOKS:
        mine = rows(held, queries=queries, angle=angle)
        doubled = mine["beta"][mine["n0"] == 512][0] / mine["beta"][mine["n0"] == 256][0]
        last[queries, angle] = math.log2(doubled)
    assert last["index", "2 pi / n0"] == pytest.approx(2, abs=0.01)
    assert last["numbers", "omega / (2 n0)"] == pytest.approx(2, abs=0.01)
    assert last["letters", "omega / (2 n0)"] == pytest.approx(1, abs=0.15)
    assert last["letters", "0"] < 0.25
    assert last["letters", "omega / (16 n0)"] < 0.25
    zero = rows(held, queries="letters", angle="0")
    lag = 1 - math.cos(2 * math.pi / discrepancy_temperature.LETTERS)
    assert zero["beta"] == pytest.approx(np.log(zero["n0"] - 1) / lag)


def test_dashes_are_told_from_dots_whatever_their_length() -> None:
    dot = discrepancy_temperature.DOT
    dashes = discrepancy_temperature.LINES["sufficient"][0]
    longer = {kind: discrepancy_temperature.LONGER.get(kind, 1.0) for kind in discrepancy_temperature.LOOKS}
    assert min(longer.values()) * dashes > 3 * dot
    letters = [value for (queries, _), value in longer.items() if queries == "letters"]
    assert len(set(letters)) == len(letters)


# -- trained heads -------------------------------------------------------------------------------------------------


@pytest.mark.torch
def test_every_toy_of_one_angle_stands_once_beside_its_nulls() -> None:
    toys = rows(columns("discrepancy_heads"), kind="toy")
    for task in discrepancy_heads.TASKS:
        for length in discrepancy_heads.LENGTHS:
            mine = rows(toys, task=task, length=length)
            named = list(zip(mine["angles"], mine["seed"], mine["state"], strict=True))
            assert len(set(named)) == len(named)
            trained, before = (rows(mine, state=state) for state in ("trained", "untrained"))
            assert len(trained["seed"]) == len(before["seed"]) == 5 * len(set(mine["angles"]))
            assert len(rows(mine, state="shuffled")["seed"]) == 2 * len(set(mine["angles"]))
            assert not rows(mine, state="untrained")["learned"].any()
            assert not rows(mine, state="shuffled")["learned"].any()


@pytest.mark.torch
def test_index_toys_that_learned_lead_by_no_more_than_is_printed_and_nulls_do_not_lead() -> None:
    toys = rows(columns("discrepancy_heads"), kind="toy", task="index")
    learned = rows(toys, learned=True)
    assert len(learned["lead"]) > 50
    assert (learned["lead"] > 0).all()
    assert (learned["lead"] <= learned["printed"]).all()
    assert (learned["gap"] > learned["printed"]).any()
    for null in ("untrained", "shuffled"):
        assert (rows(toys, state=null)["lead"] < 0).all()


@pytest.mark.torch
def test_theory_stands_beside_the_toys() -> None:
    held = rows(columns("discrepancy_heads"), kind="theory")
    assert set(held["length"]) == set(discrepancy_heads.LENGTHS)
    # On one key place less than tokens the least lead may exceed the bound of the whole length, but not by much.
    shorter = np.array([discrepancy.length_bound(int(length) - 1) for length in held["length"]])
    assert (held["lead"] <= np.minimum(shorter, 2) + 1e-9).all()
    assert (held["lead"] >= 0).all()
    toys = rows(columns("discrepancy_heads"), kind="toy", task="index", state="trained")
    for length in discrepancy_heads.LENGTHS:
        for angle in ("1/10", "1/5"):
            printed = rows(toys, length=length, angles=angle)["printed"][0]
            first = 1 - math.cos(float(Fraction(angle)))
            assert printed == pytest.approx(min(first, discrepancy.length_bound(length)), abs=2e-5)


@pytest.mark.torch
def test_nothing_is_printed_of_angle_0_and_the_caption_counts_what_is() -> None:
    data = columns("discrepancy_heads")
    toys = rows(data, kind="toy")
    assert np.isnan(rows(toys, angle=0.0)["printed"]).all()
    kept = rows(toys, task="retrieval", length=discrepancy_heads.SHORT, state="trained", learned=True)
    at = np.isfinite(kept["printed"])
    above = int((kept["lead"] > kept["printed"])[at].sum())
    behind = kept["lead"] < 0
    assert (set(kept["angles"][at]), int(at.sum()), above) == ({"1/100"}, 5, 4)
    assert (set(kept["seed"][behind]), int(behind.sum())) == ({3}, 10)
    said = discrepancy_heads.figure.caption(computed("discrepancy_heads"))
    assert "Of the 5 Retrieval toys at allowed angles 4 lead by more than is printed" in said
    assert "10 of the 50 that learned the task are behind on some input asked (seed 3 at 10 of its 10 angles)" in said
    few = {"lead": np.array([-1.0, 1.0, 1.0]), "seed": np.array([0, 0, 1])}
    assert "1 of the 3" in discrepancy_heads._behind(few)
    assert "(seed 0 at 1 of its 2 angles)" in discrepancy_heads._behind(few)
    assert discrepancy_heads._behind(rows(few, seed=1)).endswith("on some input asked.")


@pytest.mark.torch
def test_theory_is_drawn_as_points_for_between_them_it_meets_0() -> None:
    picture = drawn("discrepancy_heads", computed("discrepancy_heads"))
    held = rows(columns("discrepancy_heads"), kind="theory")
    for axes, length, name in zip(picture.axes, (16, 32, 32), ("lead", "lead", "scale"), strict=False):
        (line,) = (each for each in axes.lines if each.get_marker() == ".")
        assert line.get_linestyle() == "None"
        assert np.array_equal(line.get_ydata(), rows(held, length=length)[name], equal_nan=True)
    plt.close(picture)
    # 2 pi / 7 lies between two of the points; there places 7 apart alias.
    angles = rows(held, length=16)["angle"]
    assert angles.min() < 2 * math.pi / 7 < angles.max()
    assert np.abs(angles - 2 * math.pi / 7).min() > 1e-4
    assert theory_rows.number(discrepancy.letter_gap(IndexCase(Angle(Fraction(2, 7)), 15))) == pytest.approx(0)
    assert rows(held, length=16)["lead"].min() > 0


def test_a_seed_that_never_learns_is_shown_in_its_last_round() -> None:
    cells = {
        "name": np.array(["a", "b", "c", "d"]), "answers": np.array(["true"] * 4), "angles": np.array(["1"] * 4),
        "seed": np.array([0, 0, 1, 1]), "round": np.array([1, 2, 1, 2]),
    }  # fmt: skip
    chosen = [cell["name"] for cell in discrepancy_heads._chosen(cells, {"c"})]
    assert sorted(chosen) == ["b", "c"]


# -- expressivity --------------------------------------------------------------------------------------------------


def test_the_grid_agrees_with_the_claim_and_with_the_construction() -> None:
    data = [row for row in computed("expressivity").to_pylist() if row["kind"] in ("grid", "one plane")]
    grid = [row for row in data if row["kind"] == "grid"]
    assert len(grid) == expressivity.LAST * len(expressivity.WEIGHTS)
    assert {row["right"] for row in grid} == {True, False}
    assert all(row["agrees"] for row in data if row["agrees"] is not None)
    ran = [row for row in data if row["ran"] is not None]
    assert all(row["ran"] == row["right"] for row in ran)
    assert {row["ran"] for row in ran} == {True, False}
    assert all(row["inputs"] == 3120 for row in ran)
    assert len(ran) > 20


def test_the_edge_separates_right_from_wrong() -> None:
    held = columns("expressivity")
    grid, line = rows(held, kind="grid"), rows(held, kind="edge")
    top = rows(held, kind="reach", head="two", keys=expressivity.KEYS)["turns"][0]
    assert top == pytest.approx(2 / (2 * expressivity.KEYS - 1))
    beyond = grid["turns"] >= top
    assert not grid["right"][beyond].astype(bool).any()
    most = dict(zip(np.round(line["turns"], 9), line["weight"], strict=True))
    for turns, weight, right in zip(grid["turns"], grid["weight"], grid["right"], strict=True):
        if turns < top:
            assert bool(right) == (weight < most[round(turns, 9)])


def test_the_printed_condition_lies_inside() -> None:
    held = columns("expressivity")
    printed, equal = (rows(held, kind=kind)["turns"][0] for kind in ("printed", "equal weights"))
    assert printed == pytest.approx(1 / (expressivity.S * expressivity.KEYS))
    assert printed < equal


def test_reaches_are_those_of_the_claims() -> None:
    held = rows(columns("expressivity"), kind="reach")
    for keys in range(2, expressivity.MOST_KEYS + 1):
        at = {head: rows(held, head=head, keys=keys)["turns"][0] for head in expressivity.ONE}
        omega = 2 / expressivity.S
        assert at["phase"] == pytest.approx(omega / (2 * keys - 1))
        assert at["ahead"] == pytest.approx(omega / max(2 * keys - 4, keys - 1))
        assert at["outer"] == pytest.approx(1 / (2 * (keys - 2)) if keys > 2 else 1)
        assert at["two"] == pytest.approx(2 / (2 * keys - 1))


def test_its_caption_says_what_is_decided_and_what_is_a_premise() -> None:
    own = expressivity.figure.caption(computed("expressivity"))
    assert "the third column of b evaluates the premises of a claim" in own
    assert "fall like 1 / T as T grows" in own
    outer = rows(columns("expressivity"), kind="one plane", head="outer")
    assert all(bool(right) != expressivity.barred(Fraction(step, expressivity.STEPS), expressivity.KEYS)
               for step, right in enumerate(outer["right"], start=1))  # fmt: skip


def test_a_head_that_errs_on_one_input_is_not_right() -> None:
    task = expressivity.partial_induction_task(expressivity.SYMBOLS, expressivity.ATTRIBUTES)
    runs = theory_rows.Runs.of(task, 3)
    head = expressivity.two_angle(expressivity.SYMBOLS, expressivity.ATTRIBUTES, 2, 0.1)
    assert runs.all_right(head)
    wrong = tuple("x" if answer == "y" else "y" for answer in runs.answers[:1]) + runs.answers[1:]
    assert not theory_rows.Runs(task, runs.embedded, wrong).all_right(head)
    far = expressivity.two_angle(expressivity.SYMBOLS, expressivity.ATTRIBUTES, 2, math.pi)
    assert not runs.all_right(far)
    assert not expressivity.computes_induction(InductionCase(Angle(Fraction(1)), 3, 2, 3))
