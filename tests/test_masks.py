"""Masks: True = may attend."""

import numpy as np
import pytest

from softlookup import causal_mask, padding_mask


@pytest.mark.parametrize(("n_queries", "n_keys"), [(1, 1), (3, 5), (5, 3), (7, 7)])
def test_causal_by_definition(n_queries, n_keys):
    mask = causal_mask(n_queries, n_keys)
    assert mask.dtype == np.bool_
    assert mask.shape == (n_queries, n_keys)
    assert all(mask[i, j] == (j <= i) for i in range(n_queries) for j in range(n_keys))


def test_causal_is_square_when_one_number_is_given():
    np.testing.assert_array_equal(causal_mask(5), causal_mask(5, 5))
    assert causal_mask(np.int32(2)).tolist() == [[True, False], [True, True]]


def test_padding_by_definition():
    lengths = [[0, 2, 5], [1, 3, 4]]
    mask = padding_mask(lengths, 5)
    assert mask.dtype == np.bool_
    assert mask.shape == (2, 3, 1, 5)
    for (a, b, _, j), may in np.ndenumerate(mask):
        assert may == (j < lengths[a][b])


@pytest.mark.parametrize("lengths", [2, np.int8(2), np.array(2, np.uint64)])
def test_one_length_needs_no_list(lengths):
    assert padding_mask(lengths, 3).tolist() == [[True, True, False]]


def test_no_sequences_give_no_masks():
    assert padding_mask(np.zeros(0, int), 3).shape == (0, 1, 3)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: causal_mask(0), ValueError,
         "n_queries: needed a whole number of at least 1, got 0."),
        (lambda: causal_mask(2, -1), ValueError,
         "n_keys: needed a whole number of at least 1, got -1."),
        (lambda: causal_mask(2.0), TypeError,
         "n_queries: needed a whole number of at least 1, got 2.0 (float)."),
        (lambda: causal_mask(True), TypeError,
         "n_queries: needed a whole number of at least 1, got True (bool)."),
        (lambda: padding_mask([1], None), TypeError,
         "n_keys: needed a whole number of at least 1, got None (NoneType)."),
        (lambda: padding_mask([1, 4], 3), ValueError,
         "lengths: needed whole numbers from 0 to n_keys = 3, got 4."),
        (lambda: padding_mask([-1], 3), ValueError,
         "lengths: needed whole numbers from 0 to n_keys = 3, got -1."),
        (lambda: padding_mask([1.0], 3), TypeError,
         "lengths: needed whole numbers, got float64 numbers."),
        (lambda: padding_mask([True], 3), TypeError,
         "lengths: needed whole numbers, got booleans."),
        (lambda: padding_mask("3", 3), TypeError,
         "lengths: needed whole numbers, got text, such as '3' (str)."),
        (lambda: padding_mask([2**70], 3), TypeError,
         "lengths: needed whole numbers, got Python objects, such as "
            "1180591620717411303424 (int)."),
    ],
)  # fmt: skip
def test_what_is_refused(call, error, message):
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value) == message


def test_ragged_lengths_are_refused():
    with pytest.raises(ValueError, match=r"^lengths: needed rows of equal length, got rows that"):
        padding_mask([[1], [1, 2]], 3)
