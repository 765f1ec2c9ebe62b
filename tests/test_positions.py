"""Sinusoidal positions."""

import math

import numpy as np
import pytest

from softlookup import sinusoidal_positions


@pytest.mark.parametrize(
    ("n", "d", "base"), [(7, 4, 10000.0), (5, 3, 10000.0), (3, 1, 2.0), (11, 6, 100)]
)
def test_by_definition(n, d, base):
    rows = sinusoidal_positions(n, d, base=base)
    assert (rows.shape, rows.dtype) == ((n, d), np.float64)
    for p in range(n):
        for column in range(d):
            angle = p / base ** (2 * (column // 2) / d)
            wave = math.sin if column % 2 == 0 else math.cos
            assert rows[p, column] == pytest.approx(wave(angle), abs=1e-14)


def test_by_hand():
    # d_model = 4: waves of 1 and of 1/100 of a turn's angle per position.
    np.testing.assert_allclose(
        sinusoidal_positions(2, 4),
        [[0, 1, 0, 1], [math.sin(1), math.cos(1), math.sin(0.01), math.cos(0.01)]],
        rtol=1e-15,
    )


def test_the_dot_product_of_two_positions_depends_on_their_distance_only():
    rows = sinusoidal_positions(23, 6)
    products = rows @ rows.T
    for distance in range(23):
        diagonal = np.diagonal(products, distance)
        np.testing.assert_allclose(diagonal, diagonal[0], rtol=0, atol=1e-12)
    np.testing.assert_allclose(np.diagonal(products), 3, rtol=1e-13)  # d_model / 2
    assert np.abs(products[0, 1:] - products[0, 0]).min() > 0.05


def test_with_an_odd_number_of_columns_it_does_not():
    products = sinusoidal_positions(23, 5) @ sinusoidal_positions(23, 5).T
    assert np.ptp(np.diagonal(products)) > 1e-6


@pytest.mark.parametrize("step", [1, 5])
def test_a_step_is_a_rotation_wherever_it_starts(step):
    d = 6
    rows = sinusoidal_positions(23, d)
    turn = np.zeros((d, d))
    for i in range(0, d, 2):
        angle = step / 10000 ** (i / d)
        # (sin, cos) @ block = (sin(a + angle), cos(a + angle))
        turn[i : i + 2, i : i + 2] = [
            [math.cos(angle), -math.sin(angle)],
            [math.sin(angle), math.cos(angle)],
        ]
    np.testing.assert_allclose(turn @ turn.T, np.eye(d), atol=1e-15)
    np.testing.assert_allclose(rows[:-step] @ turn, rows[step:], atol=1e-13)


def test_no_two_positions_are_alike():
    rows = sinusoidal_positions(200, 4)
    gaps = np.linalg.norm(rows[:, None] - rows, axis=-1)
    assert gaps[~np.eye(200, dtype=bool)].min() > 0.01


def test_more_positions_begin_with_the_same_rows():
    np.testing.assert_array_equal(sinusoidal_positions(9, 4)[:5], sinusoidal_positions(5, 4))


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        ((0, 4), {}, ValueError, "n_positions: needed a whole number of at least 1, got 0."),
        ((3, 0), {}, ValueError, "d_model: needed a whole number of at least 1, got 0."),
        ((3.0, 4), {}, TypeError,
         "n_positions: needed a whole number of at least 1, got 3.0 (float)."),
        ((3, 4), {"base": 0.5}, ValueError,
         "base: needed a finite number of at least 1, got 0.5."),
        ((3, 4), {"base": math.inf}, ValueError, "base: needed a finite number, got inf."),
        ((3, 4), {"base": "10000"}, TypeError,
         "base: needed a finite number, got '10000' (str)."),
    ],
)  # fmt: skip
def test_what_is_refused(arguments, options, error, message):
    with pytest.raises(error) as caught:
        sinusoidal_positions(*arguments, **options)
    assert str(caught.value) == message
