"""Batches, self-joins, views and heads in SQLite equal their NumPy twins."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import exact_attention, law

from softlookup import (
    Heads,
    causal_mask,
    menu,
    multi_head_attention,
    padding_mask,
    scaled_dot_product_attention,
    self_attention,
    sql,
)

entries = st.floats(-4, 4, width=32)


def arrays(draw, *shapes):
    return [
        np.array(draw(st.lists(entries, min_size=n, max_size=n))).reshape(shape)
        for shape in shapes
        for n in [int(np.prod(shape))]
    ]


def some_mask(draw, *shape):
    n = int(np.prod(shape))
    bits = draw(st.none() | st.lists(st.booleans(), min_size=n, max_size=n))
    return None if bits is None else np.array(bits).reshape(shape)


def close(got, expected):
    assert got.shape == expected.shape
    np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-11)


# Batches


@law
@given(data=st.data(), causal=st.booleans())
def test_a_batch_equals_numpy(data, causal):
    batch, n_queries, n_keys, d_k, d_v = (data.draw(st.integers(1, n)) for n in (3, 2, 5, 3, 2))
    query, key, value = arrays(
        data.draw, (batch, n_queries, d_k), (batch, n_keys, d_k), (batch, n_keys, d_v)
    )
    mask = some_mask(data.draw, batch, n_queries, n_keys)
    got = sql.attention(query, key, value, mask=mask, causal=causal)
    if causal:
        mask = causal_mask(n_queries, n_keys) & (True if mask is None else mask)
    close(got, scaled_dot_product_attention(query, key, value, mask=mask))
    for b in range(batch):
        one = None if mask is None else np.broadcast_to(mask, (*got.shape[:2], n_keys))[b]
        expected = exact_attention(query[b], key[b], value[b], mask=one)
        np.testing.assert_allclose(got[b], expected, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize(
    ("query", "key", "value", "mask"),
    [
        ((11, 2, 3), (5, 3), (5, 7), None),
        ((2, 3), (11, 5, 3), (5, 7), (11, 1, 5)),
        ((2, 3), (5, 3), (11, 5, 7), (2, 1)),
        ((13, 1, 2, 3), (11, 5, 3), (1, 5, 7), (13, 1, 2, 5)),
        ((0, 2, 3), (5, 3), (5, 7), None),
        ((1, 2, 3), (1, 5, 3), (1, 5, 7), (1, 2, 5)),
    ],
)
def test_leading_axes_broadcast(query, key, value, mask):
    rng = np.random.default_rng(5)
    arrays = [rng.normal(size=shape) for shape in (query, key, value)]
    may = None if mask is None else rng.random(mask) < 0.6
    close(
        sql.attention(*arrays, mask=may),
        scaled_dot_product_attention(*arrays, mask=may),
    )


def test_a_batch_of_extremes():
    query = np.array([[[1e200, -1e200]], [[1e-200, 3.0]]])
    key = np.array([[1e200, 1e200], [-1e200, 1.0]])
    value = np.array([[np.finfo(float).max], [1.0]])
    got = sql.attention(query, key, value, scale=1.0)
    np.testing.assert_allclose(got, scaled_dot_product_attention(query, key, value, scale=1.0))


def test_batches_do_not_meet():
    # Were the batches to meet, each query would see the other batch's far better key.
    query = np.array([[[9.0]], [[-9.0]]])
    key = np.array([[[-9.0]], [[9.0]]])
    value = np.array([[[2.0]], [[3.0]]])
    assert sql.attention(query, key, value).ravel().tolist() == [2, 3]


def test_a_batch_whose_query_matches_nothing_is_null():
    # Two sequences of two keys, the second all padding.
    mask = padding_mask([2, 0], 2)
    x = np.stack([menu.keys()[:2]] * 2)
    assert np.all(sql.attention(x, x, x, mask=mask)[1] == 0)
    tables = {
        name: sql.long_form(x, "batch", "position", "col") for name in ("query", "key", "value")
    }
    pairs = [{"batch": 0, "query": i, "key": j} for i in range(2) for j in range(2)]
    db = sql.connect(**tables, mask=pairs)
    statement = sql.attention_statement(mask=True, by=("batch",))
    rows = sql.run(db, statement, scale=1, temperature=1).rows
    assert rows[-2:] == [(1, 0, None, None), (1, 1, None, None)]
    assert len(rows) == 2 * 5 + 2


# Self-joins and views


@law
@given(data=st.data(), causal=st.booleans())
def test_self_attention_equals_numpy(data, causal):
    n, d_model, d_k, d_v = (data.draw(st.integers(1, most)) for most in (5, 3, 2, 7))
    batch = data.draw(st.sampled_from([(), (2,)]))
    (x,) = arrays(data.draw, (*batch, n, d_model))
    views = arrays(data.draw, (d_model, d_k), (d_model, d_k), (d_model, d_v))
    if data.draw(st.booleans()):
        views[2] = None
    if d_k == d_model and data.draw(st.booleans()):
        views[0] = None
    mask = some_mask(data.draw, n, n)
    got = sql.self_attention(x, *views, mask=mask, causal=causal)
    if causal:
        mask = causal_mask(n) & (True if mask is None else mask)
    close(got, self_attention(x, *views, mask=mask))


def test_a_table_joined_with_itself():
    x = menu.keys()
    db = sql.connect(dish=sql.long_form(x))
    statement = sql.attention_statement(table="dish", causal=True)
    assert "FROM dish AS query JOIN dish AS key USING (col)" in statement
    rows = sql.run(db, statement, scale=1 / np.sqrt(5), temperature=1).rows
    got = np.array([entry for _, _, entry in rows]).reshape(5, 5)
    close(got, self_attention(x, mask=causal_mask(5)))


def test_three_views_of_one_table():
    rng = np.random.default_rng(3)
    x, w = menu.keys(), {name: rng.normal(size=(5, 2)) for name in ("query", "key", "value")}
    matrices = {f"w_{name}": sql.long_form(w[name], "source", "col") for name in w}
    db = sql.connect(dish=sql.long_form(x), **matrices)
    for name, matrix in w.items():
        assert sql.run(db, sql.view_statement(name, f"w_{name}")).columns == ()
        rows = sql.run(db, f"SELECT x FROM {name} ORDER BY position, col").rows
        np.testing.assert_allclose(np.reshape(rows, (5, 2)), x @ matrix, rtol=1e-12)
    rows = sql.run(db, sql.attention_statement(), scale=1 / np.sqrt(2), temperature=1).rows
    got = np.array([entry for _, _, entry in rows]).reshape(5, 2)
    close(got, self_attention(x, w["query"], w["key"], w["value"]))


# Heads


@law
@given(data=st.data(), causal=st.booleans())
def test_heads_equal_numpy(data, causal):
    heads, n_queries, n_keys, d_model, d_k, d_v, d_out = (
        data.draw(st.integers(1, most)) for most in (3, 2, 5, 3, 2, 2, 3)
    )
    batch = data.draw(st.sampled_from([(), (2,)]))
    matrices = arrays(
        data.draw,
        (heads, d_model, d_k),
        (heads, d_model, d_k),
        (heads, d_model, d_v),
        (heads, d_v, d_out),
    )
    shapes = {
        "b_query": (heads, d_k),
        "b_key": (heads, d_k),
        "b_value": (heads, d_v),
        "b_output": (d_out,),
    }
    chosen = data.draw(st.lists(st.sampled_from(sorted(shapes)), unique=True))
    biases = dict(zip(chosen, arrays(data.draw, *(shapes[name] for name in chosen)), strict=True))
    several = Heads(*matrices, **biases)
    query, key = arrays(data.draw, (*batch, n_queries, d_model), (n_keys, d_model))
    mask = some_mask(data.draw, n_queries, n_keys)
    got = sql.multi_head_attention(query, key, key, several, mask=mask, causal=causal)
    if causal:
        mask = causal_mask(n_queries, n_keys) & (True if mask is None else mask)
    close(got, multi_head_attention(query, key, key, several, mask=mask))


def test_a_masked_query_is_null_from_the_heads_and_the_output_bias_in_the_end():
    x = menu.keys()
    rng = np.random.default_rng(7)
    several = Heads(
        *(rng.normal(size=shape) for shape in ((2, 5, 3), (2, 5, 3), (2, 5, 7), (2, 7, 11))),
        b_output=np.arange(11.0),
    )
    mask = np.ones((5, 5), bool)
    mask[1] = False
    got = sql.multi_head_attention(x, x, x, several, mask=mask)
    close(got, multi_head_attention(x, x, x, several, mask=mask))
    np.testing.assert_array_equal(got[1], np.arange(11.0))


def test_the_heads_statement_by_hand():
    # Head 0 sees column 0, head 1 sees column 1; each is put where it came from.
    x = [[1.0, 4.0], [3.0, 8.0]]
    pick = np.eye(2)[:, :, None]  # (head, source, col)
    tables = {
        name: sql.long_form(pick, "head", "source", "col")
        for name in ("w_query", "w_key", "w_value")
    }
    db = sql.connect(
        dish=sql.long_form(x),
        w_output=sql.long_form(np.eye(2)[:, None, :], "head", "source", "col"),
        **tables,
    )
    for name in ("query", "key", "value"):
        sql.run(db, sql.view_statement(name, f"w_{name}", by=("head",)))
    table = sql.run(db, sql.multi_head_statement(), scale=0, temperature=1)
    assert table.columns == ("query", "col", "x")
    assert table.rows == [(0, 0, 2.0), (0, 1, 6.0), (1, 0, 2.0), (1, 1, 6.0)]


# The edges


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_the_type_comes_back(dtype):
    x = np.ones((2, 3), dtype)
    one = Heads(*(np.ones(shape, dtype) for shape in ((1, 3, 2), (1, 3, 2), (1, 3, 2), (1, 2, 5))))
    assert sql.self_attention(x).dtype == dtype
    assert sql.self_attention(x, w_value=x.T @ x).dtype == dtype
    assert sql.multi_head_attention(x, x, x, one).dtype == dtype
    assert sql.attention(x[None], x, x).dtype == dtype


def test_numbers_that_sql_would_make_null_are_refused():
    message = "^query, key and value: needed numbers whose products fit into float64, got some so"
    with pytest.raises(ValueError, match=message):
        sql.self_attention([[1e160], [1.0]], [[1e160]])
    one = Heads([[[1.0]]], [[[1.0]]], [[[1e200]]], [[[1e200]]])
    with pytest.raises(ValueError, match=message):
        sql.multi_head_attention([[1.0]], [[1.0]], [[1.0]], one)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: sql.self_attention(np.ones((5, 3)), np.ones((2, 3))), ValueError,
         "x and w_query: needed one row of w_query per column of x, d_model; "
         "got x shape (5, 3) and w_query shape (2, 3)."),
        (lambda: sql.self_attention(np.ones(3)), ValueError,
         "x: needed at least two axes, shape (..., n, d_model), got shape (3,). "
         "A single row still needs its axis: array[None, :]."),
        (lambda: sql.self_attention(np.ones((5, 3)), mask=np.ones((3, 5), bool)), ValueError,
         "mask: needed a shape that broadcasts to (n_queries, n_keys) = (5, 5), got (3, 5)."),
        (lambda: sql.self_attention(np.ones((7, 5, 3)), mask=np.ones((2, 5, 5), bool)), ValueError,
         "mask: needed a shape that broadcasts to (..., n_queries, n_keys) = (7, 5, 5), "
         "got (2, 5, 5)."),
        (lambda: sql.multi_head_attention([[1.0]], [[1.0]], [[1.0]], None), TypeError,
         "heads: needed softlookup.Heads, got NoneType."),
        (lambda: sql.self_attention(np.ones((0, 3))), ValueError,
         "x: needed at least one key to attend to, got shape (0, 3)."),
        (lambda: sql.long_form([[1.0]], "position"), ValueError,
         "columns: needed one name per axis, 2, got ('position',)."),
    ],
)  # fmt: skip
def test_what_is_refused(call, error, message):
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value) == message
