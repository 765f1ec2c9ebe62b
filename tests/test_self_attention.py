"""One table asks itself: self_attention."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import exact_attention, law

from softlookup import (
    attention_weights,
    causal_mask,
    menu,
    padding_mask,
    scaled_dot_product_attention,
    self_attention,
    sinusoidal_positions,
)

N, D_MODEL, D_K, D_V, BATCH = 5, 3, 2, 7, 11


def random(*shapes, dtype=np.float64, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=shape).astype(dtype) for shape in shapes]


def table_and_views(dtype=np.float64, batch=()):
    return random((*batch, N, D_MODEL), (D_MODEL, D_K), (D_MODEL, D_K), (D_MODEL, D_V), dtype=dtype)


# What it computes


def test_by_hand():
    # x asks with its first column (times ln 3), answers with its second, hands over both doubled.
    x = np.array([[1.0, 0.0], [0.0, 1.0]])
    answer = self_attention(x, [[np.log(3)], [0]], [[0], [1]], [[2, 0], [0, 2]], scale=1)
    # Row 0: scores 0 and ln 3, weights 1/4 and 3/4. Row 1: scores 0 and 0.
    np.testing.assert_allclose(answer, [[0.5, 1.5], [1, 1]], rtol=1e-15)


@law
@given(data=st.data())
def test_equals_exact_arithmetic_on_the_projected_rows(data):
    n, d_model, d_k, d_v = (data.draw(st.integers(1, most)) for most in (5, 3, 2, 7))
    entry = st.integers(-4, 4).map(float)  # whole numbers: the projections are exact
    x, w_query, w_key, w_value = (
        np.array(data.draw(st.lists(entry, min_size=r * c, max_size=r * c))).reshape(r, c)
        for r, c in ((n, d_model), (d_model, d_k), (d_model, d_k), (d_model, d_v))
    )
    bits = data.draw(st.none() | st.lists(st.booleans(), min_size=n * n, max_size=n * n))
    mask = None if bits is None else np.array(bits).reshape(n, n)
    np.testing.assert_allclose(
        self_attention(x, w_query, w_key, w_value, mask=mask),
        exact_attention(x @ w_query, x @ w_key, x @ w_value, mask=mask),
        rtol=1e-9,
        atol=1e-11,
    )


@pytest.mark.parametrize("batch", [(), (BATCH,), (BATCH, 13)])
def test_shapes_with_distinct_primes(batch):
    x, *views = table_and_views(batch=batch)
    answer = self_attention(x, *views)
    assert answer.shape == (*batch, N, D_V)
    first = (0,) * len(batch)
    np.testing.assert_allclose(answer[first], self_attention(x[first], *views), rtol=1e-13)


def test_a_view_not_given_is_the_table_itself():
    x = menu.keys()
    np.testing.assert_array_equal(self_attention(x), scaled_dot_product_attention(x, x, x))
    (w_value,) = random((5, 2))
    np.testing.assert_array_equal(
        self_attention(x, w_value=w_value), scaled_dot_product_attention(x, x, x @ w_value)
    )
    identity = np.eye(5)
    np.testing.assert_array_equal(self_attention(x, identity, None, identity), self_attention(x))


def test_the_scale_is_that_of_the_queries_not_of_the_table():
    x, *views = table_and_views()
    np.testing.assert_array_equal(
        self_attention(x, *views), self_attention(x, *views, scale=1 / np.sqrt(D_K))
    )


# Scores of a table with itself


def test_without_views_the_scores_are_symmetric_and_with_them_they_are_not():
    x = menu.keys()
    scores = np.log(attention_weights(x, x)) + np.log(
        np.exp(x @ x.T / np.sqrt(5)).sum(axis=1, keepdims=True)
    )
    np.testing.assert_allclose(scores, scores.T, rtol=1e-12)
    w_query, w_key = random((5, 2), (5, 2))
    asked = (x @ w_query) @ (x @ w_key).T
    assert np.abs(asked - asked.T).max() > 1


def test_the_last_row_of_causal_attention_sees_all():
    x, *views = table_and_views()
    np.testing.assert_allclose(
        self_attention(x, *views, mask=causal_mask(N))[-1], self_attention(x, *views)[-1]
    )


@pytest.mark.parametrize("n", range(1, N + 1))
def test_causal_attention_does_not_know_what_follows(n):
    x, *views = table_and_views()
    whole = self_attention(x, *views, mask=causal_mask(N))
    trimmed = self_attention(x[:n], *views, mask=causal_mask(n))
    np.testing.assert_allclose(whole[:n], trimmed, rtol=1e-13)


def test_without_the_causal_mask_it_does_know():
    x, *views = table_and_views()
    assert not np.allclose(self_attention(x, *views)[:2], self_attention(x[:2], *views))


def test_causal_and_padding_masks_combine_by_and():
    lengths = np.array([5, 2, 0])
    x, *views = table_and_views(batch=(3,))
    mask = causal_mask(N) & padding_mask(lengths, N)
    assert mask.shape == (3, N, N)
    answer = self_attention(x, *views, mask=mask)
    for b, length in enumerate(lengths):
        real = self_attention(x[b, :length], *views, mask=causal_mask(length)) if length else 0
        np.testing.assert_allclose(answer[b, :length], real, rtol=1e-13)
    # The padding rows of the second sequence see its two real rows; the third sees nothing.
    np.testing.assert_allclose(answer[1, 4], self_attention(
        x[1], *views, mask=padding_mask(2, N))[4], rtol=1e-13)  # fmt: skip
    assert np.all(answer[2] == 0)


# Order


def test_another_order_of_rows_gives_the_same_answers_in_that_order():
    x, *views = table_and_views()
    for seed in range(5):
        order = np.random.default_rng(seed).permutation(N)
        np.testing.assert_allclose(
            self_attention(x[order], *views), self_attention(x, *views)[order], rtol=1e-12
        )


@pytest.mark.parametrize("breaker", ["positions", "causal"])
def test_positions_and_the_causal_mask_give_order_a_say(breaker):
    x, *views = table_and_views()
    order = np.array([4, 3, 2, 1, 0])

    def attend(rows):
        if breaker == "causal":
            return self_attention(rows, *views, mask=causal_mask(N))
        return self_attention(rows + sinusoidal_positions(N, D_MODEL), *views)

    assert np.abs(attend(x[order]) - attend(x)[order]).max() > 0.1


# Types and edges


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_the_type_comes_back(dtype):
    x, *views = table_and_views(dtype)
    answer = self_attention(x, *views, mask=causal_mask(N))
    assert answer.dtype == dtype
    wide = self_attention(*(a.astype(np.float64) for a in (x, *views)), mask=causal_mask(N))
    np.testing.assert_allclose(answer, wide, rtol=20 * np.finfo(dtype).eps, atol=1e-3)


def test_integers_become_float64_and_types_mix_as_in_numpy():
    x = np.eye(3, dtype=np.int8)
    assert self_attention(x).dtype == np.float64
    assert self_attention(np.eye(3, dtype=np.float32), np.eye(3)).dtype == np.float64


def test_no_input_is_changed():
    inputs = [*table_and_views(), causal_mask(N)]
    before = [array.copy() for array in inputs]
    self_attention(*inputs[:4], mask=inputs[4])
    self_attention(inputs[0])
    for array, copy in zip(inputs, before, strict=True):
        np.testing.assert_array_equal(array, copy)


def test_a_row_that_may_attend_to_nothing_is_0():
    x, *views = table_and_views()
    mask = np.ones((N, N), bool)
    mask[2] = False
    answer = self_attention(x, *views, mask=mask)
    assert np.all(answer[2] == 0)
    np.testing.assert_array_equal(np.delete(answer, 2, 0), np.delete(
        self_attention(x, *views), 2, 0))  # fmt: skip


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"x": np.ones(3)}, ValueError,
         "x: needed at least two axes, shape (..., n, d_model), got shape (3,). "
         "A single row still needs its axis: array[None, :]."),
        ({"x": [["ramen"]]}, TypeError, "x: needed real numbers, got text, such as 'ramen' (str)."),
        ({"w_query": np.ones((2, 3))}, ValueError,
         "x and w_query: needed one row of w_query per column of x, d_model; "
         "got x shape (5, 3) and w_query shape (2, 3)."),
        ({"w_value": np.ones(3)}, ValueError,
         "w_value: needed two axes, shape (d_model, d), got shape (3,). "
         "A single row still needs its axis: array[None, :]."),
        ({"w_key": np.ones((2, 3, 2))}, ValueError,
         "w_key: needed two axes, shape (d_model, d), got shape (2, 3, 2)."),
        ({"w_key": np.ones((3, 7))}, ValueError,
         "queries and keys: needed as many columns in both, d_k, to compare them; "
         "got 2 from w_query and 7 from w_key."),
        ({"w_query": None}, ValueError,
         "queries and keys: needed as many columns in both, d_k, to compare them; "
         "got 3 from x itself and 2 from w_key."),
        ({"w_key": [[np.nan], [1], [2]]}, ValueError,
         "w_key: needed finite numbers, got nan at index [0, 0]. "
         "To hide an entry, use mask= rather than NaN or infinity."),
        ({"mask": np.ones((3, 5), bool)}, ValueError,
         "mask: needed a shape that broadcasts to (..., n_queries, n_keys) = (5, 5), got (3, 5)."),
        ({"x": np.full((5, 3), 1e300), "w_value": np.full((3, 7), 1e300)}, ValueError,
         "x @ w_value: needed a product that fits into float64, got a larger one."),
        ({"x": np.full((5, 3), 200, np.float16), "w_query": np.ones((3, 2), np.float16),
          "w_key": np.ones((3, 2), np.float16), "w_value": np.full((3, 7), 200, np.float16)},
         ValueError, "output: needed a product that fits into float16, got a larger one."),
    ],
)  # fmt: skip
def test_what_is_refused(changed, error, message):
    x, w_query, w_key, w_value = table_and_views()
    inputs = {"x": x, "w_query": w_query, "w_key": w_key, "w_value": w_value} | changed
    with pytest.raises(error) as caught:
        self_attention(**inputs)
    assert str(caught.value) == message
