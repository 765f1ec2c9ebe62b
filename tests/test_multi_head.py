"""Heads: multi_head_attention against its definition, against one head, and against Keras."""

import dataclasses

import numpy as np
import pytest

from softlookup import (
    Heads,
    attention_weights,
    causal_mask,
    multi_head_attention,
    padding_mask,
    scaled_dot_product_attention,
    self_attention,
    sinusoidal_positions,
)
from softlookup.keras_loader import load_keras

HEADS, N_Q, N_K, D_K, D_V, D_OUT = 2, 3, 5, 7, 11, 13
D_QUERY, D_KEY, D_VALUE, BATCH = 17, 19, 23, 29
MATRICES = {
    "w_query": (HEADS, D_QUERY, D_K),
    "w_key": (HEADS, D_KEY, D_K),
    "w_value": (HEADS, D_VALUE, D_V),
    "w_output": (HEADS, D_V, D_OUT),
}
BIASES = {
    "b_query": (HEADS, D_K),
    "b_key": (HEADS, D_K),
    "b_value": (HEADS, D_V),
    "b_output": (D_OUT,),
}


def random(shape, dtype=np.float64, seed=0):
    return np.random.default_rng([seed, *shape]).normal(size=shape).astype(dtype)


def some_heads(*, biases=(), dtype=np.float64, **changed):
    shapes = MATRICES | {name: BIASES[name] for name in biases} | changed
    arrays = {
        name: random(shape, dtype, seed) / np.sqrt(len(shape) * 3)
        for seed, (name, shape) in enumerate(shapes.items())
    }
    return Heads(**{name: array.astype(dtype) for name, array in arrays.items()})


def tables(*batch, dtype=np.float64):
    shapes = ((*batch, N_Q, D_QUERY), (*batch, N_K, D_KEY), (*batch, N_K, D_VALUE))
    return [random(shape, dtype, seed) for seed, shape in enumerate(shapes, start=9)]


# The definition


@pytest.mark.parametrize("biases", [(), tuple(BIASES), ("b_key",), ("b_query", "b_output")])
@pytest.mark.parametrize("batch", [(), (BATCH,)])
def test_head_by_head_with_distinct_primes(biases, batch):
    heads, (query, key, value) = some_heads(biases=biases), tables(*batch)
    own = heads.arrays()
    joined = []
    for h in range(HEADS):
        q, k, v = (
            array @ own[f"w_{name}"][h] + (own[f"b_{name}"][h] if f"b_{name}" in own else 0)
            for name, array in (("query", query), ("key", key), ("value", value))
        )
        joined.append(scaled_dot_product_attention(q, k, v))
    # As the paper has it: the heads' answers side by side, then one matrix.
    expected = np.concatenate(joined, axis=-1) @ own["w_output"].reshape(HEADS * D_V, D_OUT)
    expected = expected + own.get("b_output", 0)
    answer = multi_head_attention(query, key, value, heads)
    assert answer.shape == (*batch, N_Q, D_OUT)
    np.testing.assert_allclose(answer, expected, rtol=1e-10, atol=1e-12)


def test_leading_axes_broadcast():
    query, key, value = tables()
    heads = some_heads()
    many = np.stack([query, 2 * query])
    answer = multi_head_attention(many, key, value, heads)
    assert answer.shape == (2, N_Q, D_OUT)
    np.testing.assert_allclose(answer[0], multi_head_attention(query, key, value, heads))
    np.testing.assert_allclose(answer[1], multi_head_attention(2 * query, key, value, heads))


def test_one_head_is_self_attention_and_a_matrix():
    x = random((5, 3))
    views = [random(shape, seed=s) for s, shape in enumerate(((3, 2), (3, 2), (3, 7)))]
    w_output = random((7, 11))
    one = Heads(*(w[None] for w in views), w_output[None])
    np.testing.assert_allclose(
        multi_head_attention(x, x, x, one), self_attention(x, *views) @ w_output, rtol=1e-12
    )


def test_one_head_of_identities_is_attention():
    query, key, value = (random(shape, seed=s) for s, shape in enumerate(((3, 2), (5, 2), (5, 7))))
    one = Heads(np.eye(2)[None], np.eye(2)[None], np.eye(7)[None], np.eye(7)[None])
    np.testing.assert_allclose(
        multi_head_attention(query, key, value, one),
        scaled_dot_product_attention(query, key, value),
        rtol=1e-12,
    )


def test_the_weights_of_each_head():
    query, key, value = tables()
    heads = some_heads(biases=BIASES)
    q, k, v = heads.views(query, key, value)
    assert (q.shape, k.shape, v.shape) == (
        (HEADS, N_Q, D_K), (HEADS, N_K, D_K), (HEADS, N_K, D_V))  # fmt: skip
    mask = causal_mask(N_Q, N_K)
    weights = attention_weights(q, k, mask=mask)
    assert weights.shape == (HEADS, N_Q, N_K)
    rebuilt = np.einsum("hqk,hkv,hvo->qo", weights, v, heads.w_output) + heads.b_output
    answer = multi_head_attention(query, key, value, heads, mask=mask)
    np.testing.assert_allclose(rebuilt, answer, rtol=1e-10, atol=1e-12)


def test_another_order_of_heads_changes_nothing():
    query, key, value = tables()
    heads = some_heads(biases=BIASES)
    flipped = dataclasses.replace(
        heads,
        **{name: a[::-1] for name, a in heads.arrays().items() if name != "b_output"},
    )
    np.testing.assert_allclose(
        multi_head_attention(query, key, value, flipped),
        multi_head_attention(query, key, value, heads),
        rtol=1e-10,
    )


def test_permutation_equivariance_and_how_positions_break_it():
    x = random((5, 3))
    heads = some_heads(w_query=(2, 3, 7), w_key=(2, 3, 7), w_value=(2, 3, 11))
    order = np.array([3, 1, 4, 0, 2])

    def attend(rows):
        return multi_head_attention(rows, rows, rows, heads)

    np.testing.assert_allclose(attend(x[order]), attend(x)[order], rtol=1e-10)
    positions = sinusoidal_positions(5, 3)
    assert np.abs(attend(x[order] + positions) - attend(x + positions)[order]).max() > 0.01


# Masks


def test_one_mask_serves_every_head_and_each_batch_has_its_own():
    query, key, value = tables(3)
    heads = some_heads(biases=BIASES)
    mask = causal_mask(N_Q, N_K) & padding_mask([5, 2, 0], N_K)
    answer = multi_head_attention(query, key, value, heads, mask=mask)
    for b in range(3):
        np.testing.assert_allclose(
            answer[b],
            multi_head_attention(query[b], key[b], value[b], heads, mask=mask[b]),
            rtol=1e-10,
        )


@pytest.mark.parametrize(
    "shape", [(), (1,), (N_K,), (N_Q, 1), (N_Q, N_K), (3, 1, 1), (3, N_Q, N_K)]
)
def test_a_mask_broadcasts(shape):
    query, key, value = tables(3)
    mask = np.random.default_rng(1).random(shape) < 0.7
    heads = some_heads()
    whole = np.broadcast_to(mask, (3, N_Q, N_K))
    np.testing.assert_array_equal(
        multi_head_attention(query, key, value, heads, mask=mask),
        multi_head_attention(query, key, value, heads, mask=whole),
    )


def test_a_mask_as_many_as_heads_is_not_taken_for_one_per_head():
    query, key, value = tables()
    with pytest.raises(ValueError, match=r"^mask: needed a shape that broadcasts to"):
        multi_head_attention(query, key, value, some_heads(), mask=np.ones((HEADS, N_Q, N_K), bool))


def test_a_query_that_may_attend_to_nothing_gets_the_output_bias():
    query, key, value = tables()
    mask = np.ones((N_Q, N_K), bool)
    mask[1] = False
    heads = some_heads(biases=BIASES)
    answer = multi_head_attention(query, key, value, heads, mask=mask)
    np.testing.assert_array_equal(answer[1], heads.b_output)
    bare = multi_head_attention(query, key, value, some_heads(), mask=mask)
    assert np.all(bare[1] == 0)
    assert np.all(bare[0] != 0)


# The parameters


def test_parameters_counted_by_hand():
    # 2 heads: 2*17*7 + 2*19*7 + 2*23*11 + 2*11*13, and the biases 14 + 14 + 22 + 13.
    assert some_heads().parameters == 238 + 266 + 506 + 286
    assert some_heads(biases=BIASES).parameters == 238 + 266 + 506 + 286 + 63
    assert some_heads().count == HEADS


def test_heads_keep_their_own_copy_and_change_no_input():
    given = {name: random(shape) for name, shape in MATRICES.items()}
    before = {name: array.copy() for name, array in given.items()}
    heads = Heads(**given)
    arrays = tables()
    expected = multi_head_attention(*arrays, heads, mask=causal_mask(N_Q, N_K))
    for name, array in given.items():
        np.testing.assert_array_equal(array, before[name])
        array[:] = 0
    np.testing.assert_array_equal(
        multi_head_attention(*arrays, heads, mask=causal_mask(N_Q, N_K)), expected
    )
    for array, copy in zip(arrays, tables(), strict=True):
        np.testing.assert_array_equal(array, copy)
    with pytest.raises(dataclasses.FrozenInstanceError):
        heads.w_query = given["w_query"]


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_the_type_comes_back(dtype):
    heads = some_heads(biases=BIASES, dtype=dtype)
    arrays = tables(dtype=dtype)
    answer = multi_head_attention(*arrays, heads)
    assert answer.dtype == dtype
    wide = Heads(**{name: a.astype(np.float64) for name, a in heads.arrays().items()})
    expected = multi_head_attention(*(a.astype(np.float64) for a in arrays), wide)
    np.testing.assert_allclose(answer, expected, atol=30 * np.finfo(dtype).eps)


# Keras


@pytest.fixture(scope="module")
def keras():
    return load_keras()


# A layer of Keras multiplies by 1 / sqrt(key_dim) in float32, whatever its own type; with a key_dim
# whose root is exact, 1, 4 or 16, float64 layers can be compared to the last digits.
LAYERS = {
    "two heads": {"num_heads": 2, "key_dim": 4},
    "other widths": {"num_heads": 3, "key_dim": 4, "value_dim": 11},
    "output": {"num_heads": 2, "key_dim": 4, "value_dim": 11, "output_shape": 13},
    "no bias": {"num_heads": 5, "key_dim": 1, "value_dim": 3, "use_bias": False},
    "one head": {"num_heads": 1, "key_dim": 4, "output_shape": (13,)},
}
MASKS = {
    "none": None,
    "causal": causal_mask(3, 5),
    "padding": padding_mask([5, 2], 5),
    "both": causal_mask(3, 5) & padding_mask([5, 2], 5),
}
# float64 layers agree to the last digits. float32 sums are rounded in another order: a few
# units in the last place of numbers of size 1.
TOLERANCES = {"float32": 1e-6, "float64": 1e-12}


def filled(layer, keras_shapes, seed=3):
    """Build a layer, and give it weights of size 1 rather than Keras's small ones and 0."""
    layer.build(*keras_shapes)
    rng = np.random.default_rng(seed)
    layer.set_weights(
        [
            rng.normal(size=w.shape) / np.sqrt(w.shape[0] if w.ndim else 1)
            for w in layer.get_weights()
        ]
    )
    return layer


@pytest.mark.parametrize("dtype", TOLERANCES)
@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("options", LAYERS)
def test_weights_copied_out_of_keras_cross_attention(keras, options, mask, dtype):
    query, key, value = (
        random((2, n, d), dtype, seed=n + d) for n, d in ((3, 17), (5, 19), (5, 23))
    )
    layer = keras.layers.MultiHeadAttention(**LAYERS[options], dtype=dtype)
    filled(layer, (query.shape, value.shape, key.shape))
    heads = Heads.from_keras(layer)
    assert heads.parameters == layer.count_params()
    assert heads.count == LAYERS[options]["num_heads"]
    may = MASKS[mask]
    whole = None if may is None else np.broadcast_to(may, (2, 3, 5))
    expected = np.asarray(layer(query, value, key=key, attention_mask=whole))
    answer = multi_head_attention(query, key, value, heads, mask=may)
    assert answer.dtype == dtype
    np.testing.assert_allclose(
        answer, expected, rtol=0, atol=TOLERANCES[dtype] * max(1, np.abs(expected).max())
    )
    _, scores = layer(query, value, key=key, attention_mask=whole, return_attention_scores=True)
    q, k, _ = heads.views(query, key, value)
    mine = attention_weights(q, k, mask=None if whole is None else whole[:, None])
    np.testing.assert_allclose(mine, np.asarray(scores), rtol=0, atol=TOLERANCES[dtype])


@pytest.mark.parametrize("dtype", TOLERANCES)
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("biases", [(), tuple(BIASES)])
def test_weights_copied_into_keras_self_attention(keras, biases, causal, dtype):
    x = random((2, 5, 17), dtype)
    shapes = {"w_query": (HEADS, 17, 4), "w_key": (HEADS, 17, 4), "w_value": (HEADS, 17, D_V)}
    if biases:
        shapes |= {"b_query": (HEADS, 4), "b_key": (HEADS, 4)}
    heads = some_heads(biases=biases, dtype=dtype, **shapes)
    layer = keras.layers.MultiHeadAttention(
        HEADS, 4, value_dim=D_V, output_shape=D_OUT, use_bias=bool(biases), dtype=dtype
    )
    layer.build(x.shape, x.shape)
    heads.to_keras(layer)
    expected = np.asarray(layer(x, x, use_causal_mask=causal))
    answer = multi_head_attention(x, x, x, heads, mask=causal_mask(5) if causal else None)
    np.testing.assert_allclose(
        answer, expected, rtol=0, atol=TOLERANCES[dtype] * max(1, np.abs(expected).max())
    )


@pytest.mark.parametrize("dtype", TOLERANCES)
def test_a_key_dim_without_an_exact_root_costs_keras_some_digits(keras, dtype):
    x = random((2, 5, 17), dtype)
    layer = keras.layers.MultiHeadAttention(2, 7, dtype=dtype)
    heads = Heads.from_keras(filled(layer, (x.shape, x.shape)))
    expected = np.asarray(layer(x, x))
    size = np.abs(expected).max()
    answer = multi_head_attention(x, x, x, heads)
    np.testing.assert_allclose(answer, expected, rtol=0, atol=1e-6 * size)
    rounded = float(np.float32(1 / np.sqrt(7)))
    errors = [
        np.abs(multi_head_attention(x, x, x, heads, scale=scale) - expected).max() / size
        for scale in (None, rounded)
    ]
    assert min(errors) < TOLERANCES[dtype]


def test_to_keras_and_back_is_the_same(keras):
    heads = some_heads(biases=BIASES, dtype=np.float32)
    layer = keras.layers.MultiHeadAttention(HEADS, D_K, value_dim=D_V, output_shape=D_OUT)
    layer.build((1, N_Q, D_QUERY), (1, N_K, D_VALUE), (1, N_K, D_KEY))
    heads.to_keras(layer)
    back = Heads.from_keras(layer)
    assert list(back.arrays()) == list(heads.arrays())
    for name, array in heads.arrays().items():
        np.testing.assert_array_equal(back.arrays()[name], array)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_what_keras_does_with_a_row_that_may_attend_to_nothing(keras, dtype):
    x = random((1, 5, 17), dtype)
    layer = keras.layers.MultiHeadAttention(2, 7, dtype=dtype)
    filled(layer, (x.shape, x.shape))
    heads = Heads.from_keras(layer)
    mask = causal_mask(5)[None].copy()
    mask[0, 2] = False
    mine = multi_head_attention(x, x, x, heads, mask=mask)[0, 2]
    np.testing.assert_array_equal(mine, heads.b_output)
    with_scores, scores = layer(x, x, attention_mask=mask, return_attention_scores=True)
    without = np.asarray(layer(x, x, attention_mask=mask))[0, 2]
    # With the plain average of all values, hidden ones included, in each head:
    _, _, v = heads.views(x, x, x)
    average = np.einsum("hkv,hvo->o", v[0], heads.w_output) / 5 + heads.b_output
    np.testing.assert_allclose(without, average, atol=1e-5)
    if tuple(map(int, keras.__version__.split(".")[:2])) >= (3, 10):
        assert np.all(np.asarray(scores)[0, :, 2] == 0)
        np.testing.assert_allclose(np.asarray(with_scores)[0, 2], mine, atol=1e-6)


@pytest.mark.parametrize("dtype", TOLERANCES)
@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize("mask", [None, "padding", "causal"])
def test_the_attention_layer(keras, dtype, scaled, mask):
    query, key, value = (random((2, n, d), dtype, seed=d) for n, d in ((3, 2), (5, 2), (5, 7)))
    layer = keras.layers.Attention(dtype=dtype)  # dot products, unscaled
    asked = query / np.sqrt(2).astype(dtype) if scaled else query
    padding = np.arange(5) < np.array([[5], [2]])
    expected = layer(
        [asked, value, key],  # in Keras's order
        mask=[None, padding] if mask == "padding" else None,
        use_causal_mask=mask == "causal",
    )
    may = {None: None, "padding": padding_mask([5, 2], 5), "causal": causal_mask(3, 5)}[mask]
    answer = scaled_dot_product_attention(
        query, key, value, mask=may, scale=None if scaled else 1.0
    )
    np.testing.assert_allclose(answer, np.asarray(expected), rtol=0, atol=3 * TOLERANCES[dtype])


# What is refused


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"w_key": (3, D_KEY, D_K)},
         "w_query, w_key, w_value and w_output: needed as many heads in each, got 2, 3, 2 and 2."),
        ({"w_key": (HEADS, D_KEY, D_V)},
         "w_query and w_key: needed as many columns, d_k, to compare queries with keys; "
         "got w_query shape (2, 17, 7) and w_key shape (2, 19, 11)."),
        ({"w_output": (HEADS, D_K, D_OUT)},
         "w_value and w_output: needed one row of w_output per column of w_value, d_v; "
         "got w_value shape (2, 23, 11) and w_output shape (2, 7, 13)."),
        ({"w_query": (D_QUERY, D_K)},
         "w_query: needed three axes, shape (heads, d_model, d_k), got shape (17, 7)."),
        ({"w_value": (HEADS, 0, D_V)},
         "w_value: needed no empty axis, got shape (2, 0, 11)."),
        ({"b_query": (HEADS, D_V)}, "b_query: needed shape (2, 7), got shape (2, 11)."),
        ({"b_output": (D_V,)}, "b_output: needed shape (13,), got shape (11,)."),
    ],
)  # fmt: skip
def test_heads_that_do_not_fit_one_another(changed, message):
    arrays = {name: np.ones(shape) for name, shape in (MATRICES | changed).items()}
    with pytest.raises(ValueError) as caught:  # noqa: PT011  the whole message is compared
        Heads(**arrays)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"heads": None}, TypeError, "heads: needed softlookup.Heads, got NoneType."),
        ({"query": np.ones((3, 19))}, ValueError,
         "query and w_query: needed one row of w_query per column of query, d_model; "
         "got query shape (3, 19) and w_query shape (2, 17, 7)."),
        ({"value": np.ones((3, 23))}, ValueError,
         "key and value: needed one value per key; got 5 keys (key shape (5, 19)) and 3 values "
         "(value shape (3, 23))."),
        ({"key": np.ones(19)}, ValueError,
         "key: needed at least two axes, shape (..., n, d_model), got shape (19,). "
         "A single row still needs its axis: array[None, :]."),
        ({"key": np.ones((0, 19)), "value": np.ones((0, 23))}, ValueError,
         "key: needed at least one key to attend to, got shape (2, 0, 7)."),
        ({"query": np.ones((2, 3, 17)), "key": np.ones((3, 5, 19))}, ValueError,
         "leading axes: needed shapes that broadcast, got query (2,), key (3,), value ()."),
        ({"value": np.full((5, 23), np.nan)}, ValueError,
         "value: needed finite numbers, got nan at index [0, 0]. "
         "To hide an entry, use mask= rather than NaN or infinity."),
        ({"query": np.full((3, 17), 1e308)}, ValueError,
         "query @ w_query: needed a product that fits into float64, got a larger one."),
        ({"mask": np.ones((3, 5))}, TypeError,
         'mask: needed booleans, True = may attend, got float64 numbers. If 1 means "may attend", '
         "pass mask.astype(bool); if your mask is added to the scores, pass mask == 0."),
        ({"mask": np.ones((5, 3), bool)}, ValueError,
         "mask: needed a shape that broadcasts to (..., n_queries, n_keys) = (3, 5), "
         "got (5, 3)."),
    ],
)  # fmt: skip
def test_what_is_refused(changed, error, message):
    query, key, value = tables()
    given = {"query": query, "key": key, "value": value, "heads": some_heads()} | changed
    with pytest.raises(error) as caught:
        multi_head_attention(**given)
    assert str(caught.value) == message


def test_what_cannot_go_to_keras_or_come_from_it(keras):
    layer = keras.layers.MultiHeadAttention(2, 7)
    with pytest.raises(ValueError, match=r"^layer: needed a layer with weights, got none\. Build"):
        Heads.from_keras(layer)
    with pytest.raises(
        ValueError, match=r"^biases: Keras keeps all four or none; b_key, b_value, "
    ):
        some_heads(biases=["b_query"]).to_keras(layer)
    dense = keras.layers.Dense(2)
    dense.build((1, 3))
    with pytest.raises(
        ValueError, match=r"^layer: needed the weights of MultiHeadAttention, four "
    ):
        Heads.from_keras(dense)
