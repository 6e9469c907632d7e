"""The logit table: how one is built, what it refuses, and its views."""

import math
from fractions import Fraction

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from headproof.theory import table as table_module
from headproof.theory.errors import InputError
from headproof.theory.table import LogitTable, row_blocks

rationals = st.fractions(min_value=-3, max_value=3, max_denominator=4)


def square(entry, largest=5):
    return st.integers(1, largest).flatmap(
        lambda size: st.lists(st.lists(entry, min_size=size, max_size=size), min_size=size, max_size=size)
    )


def exact_array(rows):
    array = np.empty((len(rows), len(rows[0])), dtype=object)
    for index in np.ndindex(array.shape):
        array[index] = rows[index[0]][index[1]]
    return array


def with_entry(value, place=(1, 0), shape=(3, 3), dtype=np.float64):
    array = np.zeros(shape, dtype=dtype)
    array[place] = value
    return array


def to_torch(array):
    return pytest.importorskip("torch").from_numpy(array)


# -- building ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("shape", [(1, 1), (3, 3), (2, 1, 4, 4)])
def test_floating_arrays_are_kept(dtype, shape):
    array = np.ones(shape, dtype=dtype)
    assert LogitTable(array).logits is array
    by_torch = to_torch(array)
    assert LogitTable(by_torch).logits is by_torch


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64, np.uint8])
def test_integer_arrays_become_float64(dtype):
    array = np.array([[1, 2], [3, 4]], dtype=dtype)
    table = LogitTable(array)
    assert table.logits.dtype == np.float64
    assert table.logits.tolist() == [[1, 2], [3, 4]]
    assert array.dtype == dtype
    by_torch = LogitTable(to_torch(array))
    assert str(by_torch.logits.dtype) == "torch.float64"
    assert by_torch.logits.tolist() == [[1, 2], [3, 4]]
    assert not by_torch.exact


@given(square(rationals))
def test_rows_of_rationals_stay_exact(rows):
    table = LogitTable.of_rows(rows)
    assert table.exact
    assert table.size == len(rows)
    assert table.logits.tolist() == rows
    assert [row[j] for j, row in enumerate(rows)] == list(table.diagonal)


def test_rows_of_every_exact_kind():
    x = sympy.Symbol("x", real=True)
    table = LogitTable.of_rows([[1, "-2/3", x], [Fraction(1, 2), sympy.pi, 0], ["0.25", "4", x + 1]])
    assert table.exact
    assert table.logits.tolist() == [
        [1, Fraction(-2, 3), x],
        [Fraction(1, 2), sympy.pi, 0],
        [Fraction(1, 4), 4, x + 1],
    ]


def test_one_float_makes_a_float_table():
    table = LogitTable.of_rows([[1, "1/2"], [Fraction(1, 3), 0.25]])
    assert not table.exact
    assert table.logits.dtype == np.float64
    assert table.logits.tolist() == [[1.0, 0.5], [1 / 3, 0.25]]
    assert LogitTable.of_rows([[np.float32(0.5)]]).logits.dtype == np.float64


def test_numpy_integers_are_exact_and_do_not_wrap():
    """An exact table has no largest number: a square of 2^80 is no 0."""
    big = np.int64(2**40)
    for table in (LogitTable.of_rows([[big, 0], [0, 0]]), LogitTable(exact_array([[big, 0], [0, 0]]))):
        assert table.exact
        logits = table.logits - table.diagonal[..., None, :]
        assert (logits * logits).sum() == 2**80


def test_closed_form_counts_contents_first_and_from_zero():
    table = LogitTable.of_function(lambda content, position: 10 * content + position, 3)
    assert table.logits.tolist() == [[0, 1, 2], [10, 11, 12], [20, 21, 22]]
    assert list(table.diagonal) == [0, 11, 22]
    assert table.exact


def test_symbolic_tables_are_general():
    table = LogitTable.symbolic(3, "T")
    assert table.exact
    entries = set(table.logits.flat)
    assert len(entries) == 9
    assert all(entry.is_Symbol and entry.is_real for entry in entries)
    assert str(table.logits[2, 0]) == "T_2_0"


@given(st.integers(1, 4).flatmap(lambda m: st.tuples(*[st.lists(rationals, min_size=m, max_size=m)] * 2)))
def test_additive_tables(parts):
    content, position = parts
    expected = [[c + d for d in position] for c in content]
    assert LogitTable.additive(content, position).logits.tolist() == expected
    floats = LogitTable.additive(np.array(content, dtype=float), np.array(position, dtype=float))
    assert np.array_equal(
        floats.logits, np.array(content, dtype=float)[:, None] + np.array(position, dtype=float)[None, :]
    )


def test_additive_tables_in_batches():
    content, position = np.arange(6.0).reshape(2, 3), 10 * np.arange(6.0).reshape(2, 3)
    table = LogitTable.additive(content, position)
    assert table.logits.shape == (2, 3, 3)
    assert table.logits[1, 2, 0] == content[1, 2] + position[1, 0]
    by_torch = LogitTable.additive(to_torch(content), to_torch(position))
    assert by_torch.logits.tolist() == table.logits.tolist()


# -- what is refused --------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("kind", [lambda array: array, to_torch], ids=["numpy", "torch"])
def test_entries_that_are_not_finite_are_named_with_their_place(value, dtype, kind):
    with pytest.raises(InputError, match=f"logit {value} at content 2, position 1"):
        LogitTable(kind(with_entry(value, (2, 1), dtype=dtype)))
    with pytest.raises(InputError, match=f"logit {value} at content 2, position 1"):
        LogitTable(kind(with_entry(value, (1, 2, 1), (2, 3, 3), dtype)))


def test_a_bad_entry_is_named_in_whatever_block_it_stands(monkeypatch):
    monkeypatch.setattr(table_module, "BLOCK_ENTRIES", 6)
    for content in range(7):
        with pytest.raises(InputError, match=f"content {content}, position 3"):
            LogitTable(with_entry(math.nan, (content, 3), (7, 7)))


def test_opposite_infinities_do_not_cancel():
    array = with_entry(math.inf)
    array[2, 2] = -math.inf
    with pytest.raises(InputError, match="logit inf at content 1, position 0"):
        LogitTable(array)


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: LogitTable([[1.0, 2.0], [3.0, 4.0]]), "list.*of_rows"),
        (lambda: LogitTable(((1.0,),)), "tuple"),
        (lambda: LogitTable(1.0), "float"),
        (lambda: LogitTable(None), "NoneType"),
        (lambda: LogitTable("1"), "str"),
        (lambda: LogitTable(np.float64(1.0)), r"\(\)"),
        (lambda: LogitTable(np.zeros(4)), r"\(4,\)"),
        (lambda: LogitTable(np.zeros((2, 3))), r"\(2, 3\)"),
        (lambda: LogitTable(np.zeros((3, 3, 2))), r"\(3, 3, 2\)"),
        (lambda: LogitTable(to_torch(np.zeros((2, 3)))), r"\(2, 3\)"),
        (lambda: LogitTable(np.zeros((0, 0))), r"empty.*\(0, 0\)"),
        (lambda: LogitTable(np.zeros((0, 2, 2))), r"empty.*\(0, 2, 2\)"),
        (lambda: LogitTable(np.empty((0, 0), dtype=object)), r"empty.*\(0, 0\)"),
        (lambda: LogitTable(np.zeros((2, 2), dtype=bool)), "bool"),
        (lambda: LogitTable(np.zeros((2, 2), dtype=complex)), "complex128"),
        (lambda: LogitTable(np.zeros((2, 2), dtype=np.complex64)), "complex64"),
        (lambda: LogitTable(to_torch(np.zeros((2, 2), dtype=bool))), "bool"),
        (lambda: LogitTable(to_torch(np.zeros((2, 2), dtype=complex))), "complex128"),
        (lambda: LogitTable.of_rows([]), r"empty.*\(0, 0\)"),
        (lambda: LogitTable.of_rows([[]]), "1 rows of lengths.*0"),
        (lambda: LogitTable.of_rows([[1, 2]]), "1 rows of lengths.*2"),
        (lambda: LogitTable.of_rows([[1, 2], [3]]), "2 rows of lengths.*1, 2"),
        (lambda: LogitTable.of_rows([[0.5, 2], [3]]), "2 rows of lengths.*1, 2"),
        (lambda: LogitTable.of_rows([[0.0, 1], [math.nan, 1]]), "nan at content 1, position 0"),
        (lambda: LogitTable.of_rows([[0.0, -math.inf], [0, 1]]), "-inf at content 0, position 1"),
        (lambda: LogitTable.of_rows([[True]]), "True"),
        (lambda: LogitTable.of_rows([[np.True_]]), "True"),
        (lambda: LogitTable.of_rows([["nan"]]), "'nan'"),
        (lambda: LogitTable.of_rows([["1/0"]]), "'1/0'"),
        (lambda: LogitTable.of_rows([["one"]]), "'one'"),
        (lambda: LogitTable.of_rows([[None]]), "None"),
        (lambda: LogitTable.of_rows([[1j]]), "1j"),
        (lambda: LogitTable.of_rows([[sympy.oo]]), "oo"),
        (lambda: LogitTable.of_rows([[sympy.nan]]), "nan"),
        (lambda: LogitTable.of_function(lambda a, b: math.inf, 2), "inf at content 0, position 0"),
        (lambda: LogitTable.of_function(lambda a, b: 0, 0), "empty"),
        (lambda: LogitTable.symbolic(0), "empty"),
        (lambda: LogitTable.additive(np.zeros(2), np.zeros(3)), r"\(2, 3\)"),
    ],
)
def test_tables_that_are_refused(make, match):
    with pytest.raises(InputError, match=match):
        make()


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.5, "0.5"),
        (np.float64(0.25), "0.25"),
        (math.nan, "nan"),
        (True, "True"),
        (np.True_, "True"),
        (1j, "1j"),
        ("1", "'1'"),
        (None, "None"),
        (sympy.oo, "oo"),
        (-sympy.oo, "-oo"),
        (sympy.zoo, "zoo"),
        (sympy.nan, "nan"),
        (sympy.I, "I"),
        (1 + 2 * sympy.I, "2.I"),
    ],
)
def test_entries_that_an_exact_table_refuses(value, shown):
    with pytest.raises(InputError, match=shown):
        LogitTable(exact_array([[0, 0], [value, 0]]))


def test_an_exact_table_says_where_its_bad_entry_stands():
    for value in (0.5, sympy.oo):
        with pytest.raises(InputError, match="content 1, position 0"):
            LogitTable(exact_array([[0, 0], [value, 0]]))


@pytest.mark.parametrize("value", [sympy.Float(0.1), 2 * sympy.Float(0.1) * sympy.Symbol("x", real=True)])
def test_a_float_of_sympy_does_not_pass_for_exact(value):
    with pytest.raises(InputError, match=r"0\.1|0\.2"):
        LogitTable(exact_array([[0, 0], [value, 0]]))


def test_a_truth_value_of_sympy_is_no_logit():
    for value in (sympy.true, sympy.Symbol("x", real=True) > 0):
        with pytest.raises(InputError):
            LogitTable(exact_array([[0, 0], [value, 0]]))


def test_rows_that_mix_floats_with_expressions_are_refused_by_name():
    with pytest.raises(InputError, match="x"):
        LogitTable.of_rows([[0.5, sympy.Symbol("x", real=True)], [0, 0]])


def test_rows_that_are_no_rows_are_refused():
    with pytest.raises(InputError, match="1"):
        LogitTable.of_rows([1, 2])


@pytest.mark.parametrize("position", [[3, 4, 5], [3]])
def test_parts_of_different_lengths_do_not_add(position):
    with pytest.raises(InputError):
        LogitTable.additive([1, 2], position)


# -- what is accepted -------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:overflow encountered")
@pytest.mark.parametrize("kind", [lambda array: array, to_torch], ids=["numpy", "torch"])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_huge_finite_logits_are_accepted(dtype, kind):
    """Their sum overflows, none of them does."""
    largest = np.finfo(dtype).max
    for sign in (1, -1):
        array = np.full((3, 3), sign * largest, dtype=dtype)
        assert LogitTable(kind(array)).size == 3
    array[0] = -array[1]
    assert LogitTable(kind(array)).size == 3


@pytest.mark.filterwarnings("ignore:overflow encountered")
def test_an_infinity_among_huge_logits_is_found():
    array = np.full((3, 3), np.finfo(np.float64).max)
    array[2, 1] = np.inf
    with pytest.raises(InputError, match="inf at content 2, position 1"):
        LogitTable(array)


def test_one_key_is_valid():
    for logits in (np.array([[7.0]]), exact_array([[7]]), to_torch(np.array([[7.0]]))):
        table = LogitTable(logits)
        assert table.size == 1
        assert table.diagonal.tolist() == [7]


def test_a_table_is_frozen():
    table = LogitTable(np.zeros((1, 1)))
    with pytest.raises(AttributeError):
        table.logits = np.ones((1, 1))


# -- views ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(4, 4), (3, 4, 4), (2, 3, 1, 1)])
def test_the_diagonal_and_numpy_against_torch(shape):
    array = np.random.default_rng(0).normal(size=shape)
    table, by_torch = LogitTable(array), LogitTable(to_torch(array))
    assert table.diagonal.shape == shape[:-1]
    for batch in np.ndindex(shape[:-2]):
        assert table.diagonal[batch].tolist() == [array[batch][j, j] for j in range(shape[-1])]
    assert by_torch.diagonal.tolist() == table.diagonal.tolist()
    assert (table.size, table.exact) == (by_torch.size, by_torch.exact) == (shape[-1], False)
    assert table.xp.__name__ != by_torch.xp.__name__


def test_keys_take_contents_at_their_own_positions():
    array = np.arange(32.0).reshape(2, 4, 4)
    chosen = [3, 0, 2]
    for table in (LogitTable(array), LogitTable(to_torch(array))):
        part = table.keys(chosen).logits
        assert tuple(part.shape) == (2, 3, 3)
        for batch in range(2):
            for a, row in enumerate(chosen):
                for b, column in enumerate(chosen):
                    assert part[batch, a, b] == array[batch, row, column]
    symbolic = LogitTable.symbolic(3)
    assert symbolic.keys((2,)).logits.tolist() == [[symbolic.logits[2, 2]]]
    assert np.array_equal(LogitTable(array).keys(range(4)).logits, array)


@pytest.mark.parametrize(("chosen", "match"), [([4], "key 4"), ([0, -1], "key -1"), ([], "empty")])
def test_keys_that_a_table_lacks(chosen, match):
    with pytest.raises(InputError, match=match):
        LogitTable(np.zeros((4, 4))).keys(chosen)


@given(st.lists(st.integers(1, 3), max_size=2), st.integers(1, 13), st.integers(1, 200), st.booleans())
@settings(max_examples=60)
def test_row_blocks_cover_each_row_once(batch, size, entries, exact):
    array = np.zeros((*batch, size, size), dtype=object if exact else np.float64)
    table = LogitTable(array)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(table_module, "BLOCK_ENTRIES", entries)
        blocks = list(row_blocks(table))
    rows = [row for block in blocks for row in range(size)[block]]
    assert rows == list(range(size))
    entries_per_row = size * math.prod(batch)
    for block in blocks:
        count = block.stop - block.start
        assert count >= 1
        assert count == 1 or count * entries_per_row <= entries


def test_small_tables_are_one_block():
    assert list(row_blocks(LogitTable(np.zeros((4, 7, 7))))) == [slice(0, 7)]


@pytest.mark.parametrize("text", ["1e300000000", "1_000", " 1", "0x1", "1/0", "1/", "9" * 3000, "nan"])
def test_a_number_that_is_no_plain_rational_is_refused(text):
    with pytest.raises(InputError, match="not a rational number"):
        LogitTable.of_rows([[text]])
