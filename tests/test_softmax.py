"""Softmax: its value, its laws, and what it refuses."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import exact_softmax, law

from softlookup import softmax

any_finite = st.floats(allow_nan=False, allow_infinity=False)
rows = st.lists(any_finite, min_size=1, max_size=7)
moderate = st.lists(st.floats(-30, 30), min_size=1, max_size=7)
temperatures = st.floats(min_value=5e-324, allow_nan=False, allow_infinity=False)


def test_by_hand():
    # e^0 : e^ln2 : e^ln4 = 1 : 2 : 4
    np.testing.assert_allclose(softmax([0, math.log(2), math.log(4)]), [1 / 7, 2 / 7, 4 / 7])


@law
@given(scores=rows, temperature=temperatures)
def test_equals_exact_arithmetic_for_any_finite_scores_and_temperature(scores, temperature):
    exact = exact_softmax([Fraction(s) for s in scores], temperature=temperature)
    # Rounding a difference x of two scores costs a factor 1 + x * 1e-16, and x < 745 or all is 0.
    weights = softmax(scores, temperature=temperature)
    np.testing.assert_allclose(weights, exact, rtol=1e-12, atol=1e-300)


@law
@given(scores=rows)
def test_weights_are_between_0_and_1_and_sum_to_1(scores):
    weights = softmax(scores)
    assert ((weights >= 0) & (weights <= 1)).all()
    assert weights.sum() == pytest.approx(1, abs=1e-12)


@law
@given(scores=moderate, shift=st.integers(-1000, 1000))
def test_a_shift_of_all_scores_changes_nothing(scores, shift):
    scores = np.round(scores, 1)
    np.testing.assert_allclose(softmax(scores + shift), softmax(scores), rtol=1e-9)


@law
@given(scores=moderate, data=st.data())
def test_permuting_the_scores_permutes_the_weights(scores, data):
    order = data.draw(st.permutations(range(len(scores))))
    shuffled = [scores[i] for i in order]
    np.testing.assert_allclose(softmax(shuffled), softmax(scores)[order], rtol=1e-12)


@law
@given(scores=moderate, mask=st.lists(st.booleans(), min_size=7, max_size=7))
def test_masking_is_leaving_out(scores, mask):
    mask = np.array(mask[: len(scores)])
    weights = softmax(scores, mask=mask)
    assert (weights[~mask] == 0).all()
    if mask.any():
        np.testing.assert_allclose(weights[mask], softmax(np.array(scores)[mask]), rtol=1e-12)
    else:
        assert weights.tolist() == [0.0] * len(scores)


def test_temperature_runs_from_one_winner_to_the_plain_average():
    scores = [1.0, 3.0, 3.0, 2.0]
    for cold in (1e-3, 1e-300, 5e-324):
        assert softmax(scores, temperature=cold).tolist() == [0, 0.5, 0.5, 0]
    for hot in (1e6, 1e308):
        np.testing.assert_allclose(softmax(scores, temperature=hot), [0.25] * 4, atol=1e-5)


def test_dividing_the_scores_is_the_temperature():
    scores = np.array([0.5, -1.0, 2.0])
    np.testing.assert_allclose(softmax(scores, temperature=4), softmax(scores / 4), rtol=1e-15)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_scores_far_beyond_the_range_of_exp(dtype):
    most = np.finfo(dtype).max
    for scores, weights in [
        ([1000, 0], [1, 0]),
        ([-1000, -1000], [0.5, 0.5]),
        ([most, -most], [1, 0]),
        ([-most, -most, -most, -most], [0.25] * 4),
    ]:
        assert softmax(np.array(scores, dtype)).tolist() == weights
    # The difference of these two is infinite in their own type; divided by most, it is 2.
    two_apart = softmax(np.array([most, -most], dtype), temperature=most)
    np.testing.assert_allclose(two_apart, exact_softmax([1, -1]), rtol=1e-6)


def test_a_temperature_that_float32_cannot_hold():
    scores = np.array([2, 1, 2], np.float32)
    assert softmax(scores, temperature=1e-60).tolist() == [0.5, 0, 0.5]
    np.testing.assert_allclose(softmax(scores, temperature=1e60), [1 / 3] * 3, rtol=1e-6)


def test_float16_is_computed_in_float32():
    scores = np.array([65504, 65504, -65504], np.float16)
    weights = softmax(scores)
    assert weights.dtype == np.float16
    assert weights.tolist() == [0.5, 0.5, 0]
    # exp(12) is past float16's largest number; its weights are not.
    assert softmax(np.zeros(5, np.float16) + 12).astype(float) == pytest.approx(0.2, abs=1e-3)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.longdouble])
def test_the_type_comes_back(dtype):
    assert softmax(np.ones(3, dtype)).dtype == dtype


@pytest.mark.parametrize("scores", [[1, 2], (1, 2), np.array([1, 2], np.int8), range(1, 3)])
def test_integers_become_float64(scores):
    weights = softmax(scores)
    assert weights.dtype == np.float64
    np.testing.assert_allclose(weights, [1 / (1 + math.e), math.e / (1 + math.e)])


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -2, -3, np.int64(1)])
def test_every_axis_equals_a_loop(axis):
    scores = np.random.default_rng(2).normal(size=(2, 3, 5))
    loop = np.apply_along_axis(softmax, axis, scores)
    np.testing.assert_allclose(softmax(scores, axis=axis), loop, rtol=1e-12)


def test_a_mask_broadcasts_along_any_axis():
    scores = np.zeros((2, 3))
    assert softmax(scores, mask=[[True], [False]]).tolist() == [[1 / 3] * 3, [0] * 3]
    assert softmax(scores, axis=0, mask=[[True], [False]]).tolist() == [[1] * 3, [0] * 3]
    assert softmax(scores, mask=True).tolist() == [[1 / 3] * 3] * 2
    assert softmax(scores, mask=False).tolist() == [[0] * 3] * 2


def test_no_rows_give_no_rows():
    assert softmax(np.zeros((0, 3))).shape == (0, 3)
    assert softmax(np.zeros((0, 3)), mask=np.zeros((0, 3), bool)).shape == (0, 3)


def test_the_input_is_neither_changed_nor_returned():
    scores = np.array([[1.0, 2.0, 4.0]])
    mask = np.array([[True, False, True]])
    weights = softmax(scores, mask=mask, temperature=3)
    assert scores.tolist() == [[1, 2, 4]]
    assert mask.tolist() == [[True, False, True]]
    assert not np.shares_memory(scores, weights)
    scores.flags.writeable = False
    assert softmax(scores[:, ::-1]).sum() == pytest.approx(1)


TEMPERATURE = "temperature: needed a finite number above 0, got "


@pytest.mark.parametrize(
    ("temperature", "error", "got"),
    [
        (0, ValueError, "0."),
        (-1.5, ValueError, "-1.5."),
        (math.nan, ValueError, "nan."),
        (math.inf, ValueError, "inf."),
        (10**400, ValueError, "inf."),
        (None, TypeError, "None (NoneType)."),
        (True, TypeError, "True (bool)."),
        (np.True_, TypeError, "True (bool)."),
        ("1", TypeError, "'1' (str)."),
        (1j, TypeError, "1j (complex)."),
        (np.ones(2), TypeError, "an array of shape (2,)."),
    ],
)
def test_a_temperature_that_is_none(temperature, error, got):
    with pytest.raises(error) as caught:
        softmax([1.0, 2.0], temperature=temperature)
    assert str(caught.value) == TEMPERATURE + got


@pytest.mark.parametrize(
    "two", [2, 2.0, np.float32(2), np.float16(2), np.int8(2), np.array(2.0), Fraction(2)]
)
def test_a_temperature_may_be_any_real_number(two):
    np.testing.assert_array_equal(softmax([4.0, 0.0], temperature=two), softmax([2.0, 0.0]))


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"scores": 1.0}, ValueError, "scores: needed at least one axis, got a single number."),
        ({"scores": []}, ValueError,
         "scores: needed at least one entry along axis -1, got shape (0,)."),
        ({"scores": np.ones((0, 3)), "axis": 0}, ValueError,
         "scores: needed at least one entry along axis 0, got shape (0, 3)."),
        ({"scores": [1.0], "axis": 1}, ValueError,
         "axis: needed an axis of scores with shape (1,), got 1."),
        ({"scores": [1.0], "axis": -2}, ValueError,
         "axis: needed a whole number of at least -1, got -2."),
        ({"scores": [1.0], "axis": None}, TypeError,
         "axis: needed a whole number of at least -1, got None (NoneType)."),
        ({"scores": [1.0], "axis": 0.0}, TypeError,
         "axis: needed a whole number of at least -1, got 0.0 (float)."),
        ({"scores": [1.0, 2.0], "mask": [[True, True]]}, ValueError,
         "mask: needed a shape that broadcasts to the shape of scores = (2,), got (1, 2)."),
    ],
)  # fmt: skip
def test_what_is_refused(arguments, error, message):
    with pytest.raises(error) as caught:
        softmax(**arguments)
    assert str(caught.value) == message
