"""Scaled dot-product attention: its value, its laws, and what it refuses."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import attention_inputs, exact_attention, exact_weights, law

from softlookup import attention_weights, causal_mask, padding_mask, scaled_dot_product_attention
from softlookup.keras_loader import load_keras

CASES = {
    case["name"]: case
    for case in json.loads((Path(__file__).parent / "cases" / "attention.json").read_text())
}


@pytest.fixture(scope="module")
def keras():
    return load_keras()


def random(*shapes, dtype=np.float64, seed=5):
    numbers = np.random.default_rng(seed)
    return [numbers.normal(size=shape).astype(dtype) for shape in shapes]


# Values that others have printed


def test_two_scores():
    case = CASES["two scores"]
    # One column of 8 in 64 and scale 1/8: the scores divided by sqrt(64).
    query = np.eye(1, case["d_k"])
    key = np.outer(case["scores"], query)
    weights = attention_weights(query, key)
    np.testing.assert_allclose(weights, [case["weights"]], atol=case["tol"])


def test_six_tokens():
    case = CASES["six tokens, no weights, unscaled"]
    keys = np.array(case["keys"])
    weights = attention_weights(keys[[1]], keys, scale=case["scale"])
    output = scaled_dot_product_attention(keys[[1]], keys, keys, scale=case["scale"])
    np.testing.assert_allclose(weights, [case["weights"]], atol=case["tol"])
    np.testing.assert_allclose(output, [case["output"]], atol=case["tol"])


def test_orthogonal_keys():
    case = CASES["orthogonal keys"]
    output = scaled_dot_product_attention(case["queries"], case["keys"], case["values"])
    np.testing.assert_allclose(output, case["outputs"], atol=case["tol"])


def test_two_by_two():
    case = CASES["two by two, unscaled"]
    weights = attention_weights(case["queries"], case["keys"], scale=case["scale"])
    output = scaled_dot_product_attention(
        case["queries"], case["keys"], case["values"], scale=case["scale"]
    )
    np.testing.assert_allclose(weights, case["weights"], atol=case["tol"])
    np.testing.assert_allclose(output, case["output"], atol=case["tol"])


def test_by_hand():
    # d_k = 4, so the scale is 1/2; scores ln 3 and 0; weights 3/4 and 1/4.
    query = [[2 * math.log(3), 0, 0, 0]]
    key = [[1, 5, 0, 0], [0, 0, 5, 0]]
    np.testing.assert_allclose(attention_weights(query, key), [[0.75, 0.25]], rtol=1e-15)
    output = scaled_dot_product_attention(query, key, [[4, 0, 8], [0, 4, 8]])
    np.testing.assert_allclose(output, [[3, 1, 8]], rtol=1e-15)


# The same, computed exactly


@law
@given(inputs=attention_inputs())
def test_equals_exact_arithmetic(inputs):
    query, key, value, mask, scale = inputs
    np.testing.assert_allclose(
        scaled_dot_product_attention(query, key, value, mask=mask, scale=scale),
        exact_attention(query, key, value, mask=mask, scale=scale),
        rtol=1e-9,
        atol=1e-12,
    )


@law
@given(inputs=attention_inputs(extreme=True))
def test_equals_exact_arithmetic_for_extreme_inputs(inputs):
    query, key, value, mask, scale = inputs
    np.testing.assert_allclose(
        scaled_dot_product_attention(query, key, value, mask=mask, scale=scale),
        exact_attention(query, key, value, mask=mask, scale=scale),
        rtol=1e-9,
        atol=1e-12 * np.abs(value).max(),
    )


def test_float32_is_as_exact_as_float32_can_be():
    query, key, value = random((7, 64), (23, 64), (23, 11), dtype=np.float32)
    exact = exact_attention(query, key, value)
    # A score is a sum of 64 products, about 8 in size before scaling, each rounded by 6e-8; the
    # error of a weight is the error of its score, and values are about 1.
    error = np.abs(scaled_dot_product_attention(query, key, value) - exact).max()
    assert error < 64**0.5 * 6e-8 * np.abs(value).max()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_products_that_overflow_get_the_right_weights(dtype):
    big = np.sqrt(np.finfo(dtype).max) * 4
    query = np.array([[big, big], [big, -big]], dtype)
    key = np.array([[big, big], [big, big], [-big, 0]], dtype)
    with np.errstate(over="raise", invalid="raise"):
        weights = attention_weights(query, key)
    assert weights.dtype == dtype
    np.testing.assert_allclose(weights, [[0.5, 0.5, 0], [0.5, 0.5, 0]], atol=1e-6)


def test_an_overflowing_product_that_the_scale_brings_back():
    weights = attention_weights([[2.0**600]], [[2.0**600], [0.0]], scale=2.0**-1000 * 2.0**-70)
    exact = exact_weights([[2.0**600]], [[2.0**600], [0.0]], scale=2.0**-1070)
    np.testing.assert_allclose(weights, exact)
    weights = attention_weights(np.float32([[1e-30]]), np.float32([[1e-30], [0]]), scale=1e60)
    np.testing.assert_allclose(weights, [[1 / (1 + math.exp(-1)), 1 / (1 + math.e)]], rtol=1e-5)
    weights = attention_weights([[1e-300]], [[1e308], [0.0]], scale=1e300)
    assert weights.tolist() == [[1, 0]]


def test_the_largest_and_the_smallest_values_survive():
    most = np.finfo(float).max
    query, key = np.ones((2, 3)), np.ones((7, 3))
    for size in (most, -most, 1e-310):
        blend = scaled_dot_product_attention(query, key, np.full((7, 5), size))
        np.testing.assert_allclose(blend, np.full((2, 5), size), rtol=1e-9)


# Shapes


def loop(query, key, value, mask=None, scale=None):
    """Attention of stacks: one exact attention per leading index."""
    leading = np.broadcast_shapes(query.shape[:-2], key.shape[:-2], value.shape[:-2])
    query, key, value = (
        np.broadcast_to(array, (*leading, *array.shape[-2:])) for array in (query, key, value)
    )
    full = (*leading, query.shape[-2], key.shape[-2])
    mask = np.broadcast_to(True if mask is None else mask, full)
    result = np.zeros((*full[:-1], value.shape[-1]))
    for i in np.ndindex(leading):
        result[i] = exact_attention(query[i], key[i], value[i], mask=mask[i], scale=scale)
    return result


@pytest.mark.parametrize(
    ("query", "key", "value", "mask"),
    [
        ((2, 3), (5, 3), (5, 7), None),
        ((11, 2, 3), (11, 5, 3), (11, 5, 7), None),
        ((11, 2, 3), (5, 3), (5, 7), (2, 5)),
        ((2, 3), (11, 5, 3), (5, 7), (5,)),
        ((2, 3), (5, 3), (11, 5, 7), (2, 1)),
        ((2, 3), (5, 3), (11, 5, 7), (11, 2, 5)),
        ((1, 2, 3), (1, 5, 3), (11, 5, 7), (11, 2, 5)),
        ((1, 2, 3), (1, 5, 3), (11, 5, 7), (1, 1, 1)),
        ((13, 1, 2, 3), (11, 5, 3), (1, 5, 7), (13, 1, 2, 5)),
        ((13, 1, 2, 3), (1, 11, 5, 3), (5, 7), (11, 1, 5)),
        ((2, 3), (5, 3), (5, 7), ()),
    ],
)
def test_leading_axes_broadcast_as_loops_do(query, key, value, mask):
    q, k, v = random(query, key, value)
    may = None if mask is None else np.random.default_rng(3).random(mask) < 0.6
    result = scaled_dot_product_attention(q, k, v, mask=may)
    expected = loop(q, k, v, may)
    assert result.shape == expected.shape
    np.testing.assert_allclose(result, expected, rtol=1e-11, atol=1e-13)


def test_weights_have_one_row_per_query_and_one_column_per_key():
    q, k = random((11, 2, 3), (13, 1, 5, 3))
    weights = attention_weights(q, k)
    assert weights.shape == (13, 11, 2, 5)
    np.testing.assert_allclose(weights[7, 4], exact_weights(q[4], k[7, 0]), rtol=1e-12)


@pytest.mark.parametrize(
    ("query", "key", "value", "result"),
    [
        ((0, 3), (5, 3), (5, 7), (0, 7)),
        ((2, 3), (5, 3), (5, 0), (2, 0)),
        ((0, 2, 3), (5, 3), (5, 7), (0, 2, 7)),
        ((2, 3), (0, 5, 3), (0, 5, 7), (0, 2, 7)),
    ],
)
def test_nothing_asked_nothing_answered(query, key, value, result):
    q, k, v = (np.ones(shape) for shape in (query, key, value))
    assert scaled_dot_product_attention(q, k, v).shape == result
    assert scaled_dot_product_attention(q, k, v, mask=np.ones(5, bool)).shape == result
    q, k, v = (array.astype(np.float16) for array in (q, k, v))
    assert scaled_dot_product_attention(q, k, v).dtype == np.float16


# Laws


@law
@given(inputs=attention_inputs(extreme=True) | attention_inputs())
def test_rows_sum_to_1_or_are_0(inputs):
    query, key, _, mask, scale = inputs
    weights = attention_weights(query, key, mask=mask, scale=scale)
    may = np.broadcast_to(True if mask is None else mask, weights.shape)
    assert (weights >= 0).all()
    assert (weights[~may] == 0).all()
    np.testing.assert_allclose(weights.sum(axis=-1), may.any(axis=-1), atol=1e-12)


@law
@given(inputs=attention_inputs(), data=st.data())
def test_the_order_of_keys_does_not_matter_and_queries_keep_theirs(inputs, data):
    query, key, value, mask, scale = inputs
    mask = np.broadcast_to(True if mask is None else mask, (len(query), len(key)))
    keys = data.draw(st.permutations(range(len(key))))
    queries = data.draw(st.permutations(range(len(query))))
    np.testing.assert_allclose(
        scaled_dot_product_attention(
            query[queries], key[keys], value[keys], mask=mask[queries][:, keys], scale=scale
        ),
        scaled_dot_product_attention(query, key, value, mask=mask, scale=scale)[queries],
        rtol=1e-9,
        atol=1e-12,
    )


@law
@given(inputs=attention_inputs(extreme=True) | attention_inputs())
def test_the_output_lies_between_the_values(inputs):
    query, key, value, mask, scale = inputs
    mask = np.broadcast_to(True if mask is None else mask, (len(query), len(key)))
    output = scaled_dot_product_attention(query, key, value, mask=mask, scale=scale)
    slack = 1e-12 * np.abs(value).max()
    for row, may in zip(output, mask, strict=True):
        seen = value[may] if may.any() else np.zeros((1, value.shape[1]))
        assert (row >= seen.min(axis=0) - slack).all()
        assert (row <= seen.max(axis=0) + slack).all()


@law
@given(inputs=attention_inputs())
def test_a_masked_key_might_as_well_not_be_there(inputs):
    query, key, value, mask, scale = inputs
    may = np.zeros(len(key), bool) if mask is None else np.atleast_2d(mask)[0]
    output = scaled_dot_product_attention(query, key, value, mask=may, scale=scale)
    if may.any():
        without = scaled_dot_product_attention(query, key[may], value[may], scale=scale)
        np.testing.assert_allclose(output, without, rtol=1e-9, atol=1e-12)
    else:
        assert (output == 0).all()


def test_a_shift_of_the_keys_changes_nothing():
    # It adds the same number, q . shift, to every score of a query.
    q, k, v = random((2, 3), (5, 3), (5, 7))
    np.testing.assert_allclose(
        scaled_dot_product_attention(q, k + np.array([3.0, -1.0, 2.0]), v),
        scaled_dot_product_attention(q, k, v),
        rtol=1e-11,
    )


def test_scale_zero_is_the_plain_average_and_minus_one_turns_the_order_round():
    q, k, v = random((2, 3), (5, 3), (5, 7))
    average = scaled_dot_product_attention(q, k, v, scale=0)
    np.testing.assert_allclose(average, np.broadcast_to(v.mean(axis=0), (2, 7)), atol=1e-14)
    np.testing.assert_allclose(
        attention_weights(q, k, scale=-1), attention_weights(-q, k, scale=1), rtol=1e-13
    )


def test_the_last_query_under_a_causal_mask_sees_all_and_the_first_only_itself():
    q, k, v = random((5, 3), (5, 3), (5, 7))
    output = scaled_dot_product_attention(q, k, v, mask=causal_mask(5))
    np.testing.assert_allclose(output[0], v[0], rtol=1e-14)
    np.testing.assert_allclose(output[-1], scaled_dot_product_attention(q, k, v)[-1], rtol=1e-14)
    changed = v.copy()
    changed[3:] += 100
    later = scaled_dot_product_attention(q, k, changed, mask=causal_mask(5))
    np.testing.assert_array_equal(later[:3], output[:3])


def test_padding_is_not_seen():
    q, k, v = random((2, 3, 4), (2, 5, 4), (2, 5, 7))
    padded = scaled_dot_product_attention(q, k, v, mask=padding_mask([2, 0], 5))
    np.testing.assert_allclose(padded[0], loop(q[0], k[0, :2], v[0, :2]), rtol=1e-12)
    assert (padded[1] == 0).all()


# Types and memory


@pytest.mark.parametrize(
    ("dtypes", "answer"),
    [
        (("f2", "f2", "f2"), "f2"),
        (("f2", "f4", "f2"), "f4"),
        (("f4", "f4", "f4"), "f4"),
        (("f4", "f4", "f8"), "f8"),
        (("f8", "f4", "f4"), "f8"),
        (("i4", "i4", "i4"), "f8"),
        (("f4", "f4", "i2"), "f8"),
    ],
)
def test_the_type_that_comes_back(dtypes, answer):
    q, k, v = (np.ones((2, 2), dtype) for dtype in dtypes)
    output = scaled_dot_product_attention(q, k, v)
    assert output.dtype == answer
    assert output.tolist() == [[1, 1], [1, 1]]
    assert attention_weights(q, k).dtype == np.result_type(
        *("f8" if dtype[0] == "i" else dtype for dtype in dtypes[:2])
    )


def test_float16_does_not_overflow_on_the_way():
    query, key = np.full((1, 64), 250, np.float16), np.zeros((2, 64), np.float16)
    key[0] = 250  # a dot product of 4,000,000, far past 65504
    value = np.array([[65504], [0]], np.float16)
    output = scaled_dot_product_attention(query, key, value)
    assert output.dtype == np.float16
    assert output.tolist() == [[65504]]


def test_lists_arrays_and_views_give_the_same_answer():
    q, k, v = random((2, 3), (5, 3), (5, 7))
    expected = scaled_dot_product_attention(q, k, v)
    np.testing.assert_array_equal(
        scaled_dot_product_attention(q.tolist(), tuple(map(tuple, k)), list(v)), expected
    )
    wide = np.zeros((10, 6))
    wide[::-2, ::2] = k
    views = [np.asfortranarray(q), wide[::-2, ::2], v[::-1][::-1]]
    for view in views:
        view.flags.writeable = False
    np.testing.assert_allclose(scaled_dot_product_attention(*views), expected, rtol=1e-14)


@pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")
def test_a_matrix_is_read_as_an_array():
    output = scaled_dot_product_attention(*(np.matrix(np.eye(3)) for _ in range(3)))
    assert type(output) is np.ndarray
    np.testing.assert_allclose(output, exact_attention(np.eye(3), np.eye(3), np.eye(3)))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("size", [1.0, 1e4])
def test_no_input_is_changed_and_none_is_handed_back(dtype, size):
    inputs = [(size * array).astype(dtype) for array in random((5, 3), (5, 3), (5, 3))]
    inputs.append(causal_mask(5))
    before = [array.copy() for array in inputs]
    output = scaled_dot_product_attention(*inputs[:3], mask=inputs[3])
    weights = attention_weights(*inputs[:2], mask=inputs[3])
    for array, copy in zip(inputs, before, strict=True):
        np.testing.assert_array_equal(array, copy)
        assert not np.shares_memory(array, output)
        assert not np.shares_memory(array, weights)
    assert output.flags.writeable


# The row with nothing left


def test_a_row_that_may_attend_to_nothing_is_0_without_a_warning():
    q, k, v = random((3, 2), (5, 2), (5, 7), dtype=np.float32)
    mask = np.ones((3, 5), bool)
    mask[1] = False
    with np.errstate(all="raise"):
        output = scaled_dot_product_attention(q, k, v, mask=mask)
    assert (output[1] == 0).all()
    np.testing.assert_allclose(
        output[[0, 2]], scaled_dot_product_attention(q[[0, 2]], k, v), rtol=1e-5
    )
    assert (scaled_dot_product_attention(q, k, v, mask=False) == 0).all()


# The same in Keras


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_keras_agrees(keras, dtype):
    # d_k = 4, because Keras takes its square root in float32 and that of 4 is exact.
    q, k, v = random((11, 5, 4), (11, 7, 4), (11, 7, 2), dtype=dtype)
    mask = np.random.default_rng(1).random((11, 5, 7)) < 0.6
    mask[..., 0] = True  # Keras has other opinions on a row with nothing left
    layer = keras.layers.Attention(dtype=dtype)  # does not scale
    output, weights = layer([q / 2, v, k], return_attention_scores=True)
    tolerance = 1e-5 if dtype == "float32" else 1e-11
    np.testing.assert_allclose(attention_weights(q, k), weights, atol=tolerance)
    np.testing.assert_allclose(scaled_dot_product_attention(q, k, v), output, atol=tolerance)
    heads = [array[:, :, None] for array in (q, k, v)]
    masked = keras.ops.dot_product_attention(*heads, mask=mask[:, None])
    np.testing.assert_allclose(
        scaled_dot_product_attention(q, k, v, mask=mask), masked[:, :, 0], atol=tolerance
    )


def test_keras_tensors_are_read_as_arrays(keras):
    q, k, v = random((2, 3), (5, 3), (5, 7), dtype=np.float32)
    mask = causal_mask(2, 5)
    tensors = [keras.ops.convert_to_tensor(array) for array in (q, k, v, mask)]
    output = scaled_dot_product_attention(*tensors[:3], mask=tensors[3])
    assert type(output) is np.ndarray
    np.testing.assert_array_equal(output, scaled_dot_product_attention(q, k, v, mask=mask))
    with pytest.raises(TypeError, match=r"^query: needed an array, got KerasTensor, which NumPy"):
        attention_weights(keras.Input((3,)), k)
    with pytest.raises(TypeError, match=r"^query: needed real numbers, got bfloat16 entries\.$"):
        attention_weights(keras.ops.cast(tensors[0], "bfloat16"), k)


# What is refused


Q, K, V = np.ones((2, 3)), np.ones((5, 3)), np.ones((5, 7))
ROW = "A single row still needs its axis: array[None, :]."


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"query": 1.0}, "query: needed at least two axes, shape (..., n_queries, d_k), "
         "got shape ()."),
        ({"query": np.ones(3)}, "query: needed at least two axes, shape (..., n_queries, d_k), "
         f"got shape (3,). {ROW}"),
        ({"key": np.ones(3)}, "key: needed at least two axes, shape (..., n_keys, d_k), "
         f"got shape (3,). {ROW}"),
        ({"key": np.array(2.0)}, "key: needed at least two axes, shape (..., n_keys, d_k), "
         "got shape ()."),
        ({"value": np.ones(5)}, "value: needed at least two axes, shape (..., n_keys, d_v), "
         f"got shape (5,). {ROW}"),
        ({"query": Q.T}, "query and key: needed the same last axis, d_k, to compare them; "
         "got query shape (3, 2) and key shape (5, 3)."),
        ({"key": K.T}, "query and key: needed the same last axis, d_k, to compare them; "
         "got query shape (2, 3) and key shape (3, 5). "
         "Is key transposed? One key per row is needed."),
        ({"value": V.T}, "key and value: needed one value per key; got 5 keys (key shape (5, 3)) "
         "and 7 values (value shape (7, 5))."),
        ({"key": K[:0], "value": V[:0]},
         "key: needed at least one key to attend to, got shape (0, 3)."),
        ({"query": Q[:, :0], "key": K[:, :0]},
         "key: needed at least one column to compare, got shape (5, 0)."),
        ({"query": np.ones((11, 2, 3)), "value": np.ones((13, 5, 7))},
         "leading axes: needed shapes that broadcast, got query (11,), key (), value (13,)."),
        ({"mask": np.ones((5, 2), bool)}, "mask: needed a shape that broadcasts to "
         "(..., n_queries, n_keys) = (2, 5), got (5, 2)."),
        ({"mask": np.ones((11, 2, 5), bool)}, "mask: needed a shape that broadcasts to "
         "(..., n_queries, n_keys) = (2, 5), got (11, 2, 5)."),
        ({"mask": np.ones((0, 5), bool)}, "mask: needed a shape that broadcasts to "
         "(..., n_queries, n_keys) = (2, 5), got (0, 5)."),
        ({"key": np.where(np.eye(5, 3), np.nan, 1)}, "key: needed finite numbers, got nan at index "
         "[0, 0]. To hide an entry, use mask= rather than NaN or infinity."),
        ({"value": np.where(np.eye(5, 7), -np.inf, 1)}, "value: needed finite numbers, got -inf "
         "at index [0, 0]. To hide an entry, use mask= rather than NaN or infinity."),
        ({"scale": math.nan}, "scale: needed a finite number, got nan."),
        ({"scale": -math.inf}, "scale: needed a finite number, got -inf."),
        ({"query": [[1, 2, 3], [4]]}, "query: needed rows of equal length, got rows that do not "
         "line up (setting an array element with a sequence. The requested array has an "
         "inhomogeneous shape after 1 dimensions. The detected shape was (2,) + inhomogeneous "
         "part.)."),
    ],
)  # fmt: skip
def test_values_and_shapes_that_are_refused(changed, message):
    with pytest.raises(ValueError, match="needed") as caught:
        scaled_dot_product_attention(**({"query": Q, "key": K, "value": V} | changed))
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"query": "spicy"}, "query: needed real numbers, got text, such as 'spicy' (str)."),
        ({"key": K + 1j}, "key: needed real numbers, got complex numbers."),
        ({"value": V > 0}, "value: needed real numbers, got booleans."),
        ({"value": None},
         "value: needed real numbers, got Python objects, such as None (NoneType)."),
        ({"mask": np.zeros((2, 5))}, "mask: needed booleans, True = may attend, got float64 "
         'numbers. If 1 means "may attend", pass mask.astype(bool); if your mask is added to the '
         "scores, pass mask == 0."),
        ({"scale": "1"}, "scale: needed a finite number, got '1' (str)."),
        ({"scale": True}, "scale: needed a finite number, got True (bool)."),
        ({"scale": np.ones(1)}, "scale: needed a finite number, got an array of shape (1,)."),
    ],
)  # fmt: skip
def test_types_that_are_refused(changed, message):
    with pytest.raises(TypeError) as caught:
        scaled_dot_product_attention(**({"query": Q, "key": K, "value": V} | changed))
    assert str(caught.value) == message


def test_weights_alone_do_not_speak_of_values():
    with pytest.raises(ValueError, match="leading") as caught:
        attention_weights(np.ones((11, 2, 3)), np.ones((13, 5, 3)))
    assert str(caught.value) == (
        "leading axes: needed shapes that broadcast, got query (11,), key (13,)."
    )


def test_masked_arrays_are_refused():
    hidden = np.ma.array(K, mask=K > 0)
    for name in ("query", "key", "value", "mask"):
        inputs = {"query": Q, "key": K, "value": V} | {name: hidden}
        with pytest.raises(TypeError, match=rf"^{name}: needed a plain array, got a numpy\.ma"):
            scaled_dot_product_attention(**inputs)
