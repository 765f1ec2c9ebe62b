"""Scores that cannot overflow."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import EXTREMES, exact_scores, law

from softlookup.scores import blend, default_scale, safe_factors, scaled_scores

SMALLEST = 5e-324
extreme = st.sampled_from(EXTREMES)


def test_default_scale_is_one_over_the_root_of_the_key_width():
    assert default_scale(np.ones((7, 25)), None) == 0.2
    assert default_scale(np.ones((7, 25)), 3) == 3.0


def test_scores_by_hand_with_distinct_primes():
    query = np.arange(6.0).reshape(2, 3)
    key = np.arange(15.0).reshape(5, 3) - 7
    by_hand = [[0.5 * sum(query[i, c] * key[j, c] for c in range(3)) for j in range(5)]
               for i in range(2)]  # fmt: skip
    scores, temperature = scaled_scores(query, key, 0.5)
    np.testing.assert_array_equal(scores, by_hand)
    assert temperature == 1.0


def test_ordinary_inputs_come_back_as_they_are():
    for dtype in (np.float32, np.float64):
        query, key = np.ones((2, 3), dtype), np.full((5, 3), 1e9, dtype)
        q, k, scale, temperature = safe_factors(query, key, -0.5)
        assert q is query
        assert k is key
        assert (scale, temperature) == (-0.5, 1.0)


def test_float32_products_that_overflow_are_taken_in_float64():
    query, key = np.full((1, 2), 1e30, np.float32), np.full((3, 2), 1e30, np.float32)
    scores, temperature = scaled_scores(query, key, 1.0)
    assert (scores.dtype, temperature) == (np.float64, 1.0)
    np.testing.assert_allclose(scores, 2e60, rtol=1e-6)


@law
@given(
    q=st.lists(extreme, min_size=2, max_size=2),
    k=st.lists(extreme, min_size=2, max_size=2),
    scale=st.sampled_from([0.0, 5e-324, 1e-300, 0.3, -2.0, 1e300, -float(np.finfo(float).max)]),
)
def test_factors_stand_for_the_same_scores_and_no_step_overflows(q, k, scale):
    with np.errstate(over="raise", invalid="raise", divide="raise"):
        query, key, factor, temperature = safe_factors(np.array([q]), np.array([k]), scale)
        score = (query * key).sum() * factor
        assert np.isfinite([2 * score, -2 * score]).all()
    assert 0 < temperature <= 1
    if temperature > SMALLEST:
        ((shrunk,),) = exact_scores(query, key, factor)
        ((exact,),) = exact_scores([q], [k], scale)
        # Nothing is lost but what underflows, far below the largest product.
        largest = abs(Fraction(max(map(abs, q))) * Fraction(max(map(abs, k))) * Fraction(scale))
        assert abs(shrunk / Fraction(temperature) - exact) <= largest / 2**500


def test_the_temperature_never_becomes_zero():
    most = np.array([[np.finfo(float).max]])
    assert safe_factors(most, most, np.finfo(float).max)[3] == SMALLEST


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_blend_of_the_largest_number_is_the_largest_number(dtype):
    most = np.finfo(dtype).max
    # Weights that sum to a little more than 1, as rounded weights may.
    weights = np.full((1, 3), np.nextafter(dtype(1 / 3), dtype(1)))
    with np.errstate(over="raise"):
        assert blend(weights, np.full((3, 1), most)) == most
        assert blend(weights, np.full((3, 1), -most)) == -most
