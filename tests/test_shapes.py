"""What a bad input is told, word for word."""

import datetime
import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from softlookup import shapes


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.longdouble])
def test_floating_point_arrays_pass_without_a_copy(dtype):
    array = np.ones((2, 3), dtype)
    assert shapes.floats("x", array) is array


@pytest.mark.parametrize(
    "given",
    [[[1, 2], [3, 4]], ((1, 2), (3, 4)), np.array([[1, 2], [3, 4]], np.uint8),
     [[1.0, 2], [3, 4]], [np.float64([1, 2]), np.array([3, 4])]],
)  # fmt: skip
def test_integers_and_lists_become_float64(given):
    array = shapes.floats("x", given)
    assert array.dtype == np.float64
    assert array.tolist() == [[1, 2], [3, 4]]


@pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")
def test_a_matrix_becomes_a_plain_array():
    # numpy.matrix would turn every later product into a matrix product.
    assert type(shapes.floats("x", np.matrix([[1.0, 2.0]]))) is np.ndarray


def test_extreme_and_empty_arrays_are_finite_numbers():
    for dtype in (np.float16, np.float32, np.float64):
        numbers = np.finfo(dtype)
        extreme = np.array([numbers.max, numbers.min, numbers.smallest_subnormal, -0.0], dtype)
        assert shapes.floats("x", extreme) is extreme
    assert shapes.floats("x", np.zeros((0, 3))).shape == (0, 3)


@pytest.mark.parametrize(
    ("given", "got"),
    [
        ("ramen", "text, such as 'ramen' (str)"),
        ([1.0, "2"], "text, such as '1.0' (str)"),
        (b"ramen", "bytes, such as b'ramen' (bytes)"),
        ([1 + 2j], "complex numbers"),
        ([True, False], "booleans"),
        (None, "Python objects, such as None (NoneType)"),
        ([1.0, None], "Python objects, such as 1.0 (float)"),
        ([Decimal(1)], "Python objects, such as Decimal('1') (Decimal)"),
        ([Fraction(1, 2)], "Python objects, such as Fraction(1, 2) (Fraction)"),
        ([2**70], "Python objects, such as 1180591620717411303424 (int)"),
        ({1: 2}, "Python objects, such as {1: 2} (dict)"),
        (np.datetime64("2026-11-29"), "dates"),
        (np.timedelta64(1, "D"), "time differences"),
        (np.zeros(2, "f8,i4"), "[('f0', '<f8'), ('f1', '<i4')] entries"),
    ],
)
def test_what_is_not_a_real_number(given, got):
    with pytest.raises(TypeError) as caught:
        shapes.floats("query", given)
    assert str(caught.value) == f"query: needed real numbers, got {got}."


def test_a_long_text_is_not_quoted_in_full():
    with pytest.raises(TypeError) as caught:
        shapes.floats("query", "ramen " * 1000)
    assert len(str(caught.value)) < 120


@pytest.mark.parametrize(
    ("given", "got"),
    [
        ([[1.0, math.nan]], "nan at index [0, 1]"),
        (np.array([[1], [math.inf], [math.nan]], np.float32), "inf at index [1, 0]"),
        ([-math.inf], "-inf at index [0]"),
        (np.array(math.nan), "nan"),
        (np.array([1e308, math.nan]), "nan at index [1]"),
    ],
)
def test_what_is_not_finite(given, got):
    with pytest.raises(ValueError, match=r"finite") as caught:
        shapes.floats("key", given)
    assert str(caught.value) == (
        f"key: needed finite numbers, got {got}. "
        "To hide an entry, use mask= rather than NaN or infinity."
    )


@pytest.mark.parametrize("given", [[[1, 2], [3]], [np.ones((2, 3)), np.ones((2, 2))], [[1], 2]])
def test_rows_of_unequal_length(given):
    for check in (lambda x: shapes.floats("mask", x), shapes.mask_array):
        with pytest.raises(ValueError, match=r"^mask: needed rows of equal length, got rows that"):
            check(given)


class Unreadable:
    """Stands for a symbolic tensor: an array that has no numbers yet."""

    def __array__(self, dtype=None, copy=None):
        raise ValueError("no numbers yet")


def test_an_array_that_cannot_be_read():
    with pytest.raises(TypeError) as caught:
        shapes.floats("value", Unreadable())
    assert str(caught.value) == (
        "value: needed an array, got Unreadable, which NumPy cannot read (no numbers yet)."
    )


def test_masked_arrays_would_show_what_they_hide():
    hidden = np.ma.array([1.0, 2.0], mask=[True, False])
    for check in (lambda x: shapes.floats("mask", x), shapes.mask_array):
        with pytest.raises(TypeError, match=r"^mask: needed a plain array, got a numpy\.ma masked"):
            check(hidden)


@pytest.mark.parametrize(
    ("dtypes", "computing", "answer"),
    [
        (("f2", "f2"), "f4", "f2"),
        (("f2", "f4"), "f4", "f4"),
        (("f4", "f4"), "f4", "f4"),
        (("f4", "f8"), "f8", "f8"),
    ],
)
def test_the_type_to_compute_in_and_the_type_to_answer_in(dtypes, computing, answer):
    arrays, dtype = shapes.same_float(a=np.ones(1, dtypes[0]), b=np.ones(1, dtypes[1]))
    assert [array.dtype for array in arrays] == [computing, computing]
    assert dtype == answer


def test_norm_and_largest():
    array = np.array([[3.0, 0.0], [-4.0, 0.0]])
    assert shapes.norm(array) == shapes.norm(array[:, ::2]) == 5
    assert shapes.largest(array) == 4
    assert shapes.norm(array[:0]) == shapes.largest(array[:0]) == 0


MASK_HINT = (
    '. If 1 means "may attend", pass mask.astype(bool); if your mask is added to the scores, '
    "pass mask == 0."
)


@pytest.mark.parametrize(
    ("mask", "got"),
    [
        ([[0, 1]], "int64 numbers" + MASK_HINT),
        (np.zeros((2, 2), np.float32), "float32 numbers" + MASK_HINT),
        (np.array([0, -math.inf]), "float64 numbers" + MASK_HINT),
        (np.ones(2, np.uint8), "uint8 numbers" + MASK_HINT),
        ("causal", "text, such as 'causal' (str)."),
        ([True, None], "Python objects, such as True (bool)."),
    ],
)
def test_a_mask_that_is_not_boolean(mask, got):
    with pytest.raises(TypeError) as caught:
        shapes.mask_array(mask)
    assert str(caught.value) == f"mask: needed booleans, True = may attend, got {got}"


@pytest.mark.parametrize("shape", [(3,), (2, 1, 5), (7, 2, 5), (5, 2), (0, 5)])
def test_a_mask_that_does_not_fit_or_would_enlarge_the_result(shape):
    with pytest.raises(ValueError, match=r"broadcasts") as caught:
        shapes.check_mask(np.ones(shape, bool), (2, 5), needs="(n_queries, n_keys)")
    assert str(caught.value) == (
        f"mask: needed a shape that broadcasts to (n_queries, n_keys) = (2, 5), got {shape}."
    )


@pytest.mark.parametrize("shape", [(), (5,), (1,), (1, 5), (2, 1), (2, 5)])
def test_a_mask_that_fits(shape):
    assert shapes.check_mask(np.ones(shape, bool), (2, 5), needs="").shape == shape


@pytest.mark.parametrize("two", [2, np.int8(2), np.uint64(2)])
def test_count_takes_any_whole_number(two):
    assert shapes.count("n", two) == 2
    assert type(shapes.count("n", two)) is int


@pytest.mark.parametrize("two", [2.0, np.float64(2), "2", None, np.array([2]), datetime.date.max])
def test_count_refuses_the_rest(two):
    with pytest.raises(TypeError, match=r"^n: needed a whole number of at least 1, got .+\.$"):
        shapes.count("n", two)


@pytest.mark.parametrize("shape", [(), (2,), (2, 3), (2, 3, 5)])
def test_the_number_of_axes(shape):
    array = np.ones(shape)
    hint = " A single row still needs its axis: array[None, :]." if len(shape) == 1 else ""
    if len(shape) < 2:
        with pytest.raises(ValueError, match="axes") as caught:
            shapes.check_matrix("key", array, needs="(..., n, d)")
        assert str(caught.value) == (
            f"key: needed at least two axes, shape (..., n, d), got shape {shape}.{hint}"
        )
    if len(shape) != 2:
        with pytest.raises(ValueError, match="axes") as caught:
            shapes.check_matrix("key", array, needs="(n, d)", exactly=True)
        assert str(caught.value) == (
            f"key: needed two axes, shape (n, d), got shape {shape}.{hint}"
        )
    if len(shape) != 1:
        with pytest.raises(ValueError, match="axis") as caught:
            shapes.check_vector("query", array, needs="(d,)")
        assert str(caught.value) == f"query: needed one axis, shape (d,), got shape {shape}."
