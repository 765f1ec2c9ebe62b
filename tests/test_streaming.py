"""streaming_attention: the answers of scaled_dot_product_attention, in memory that stays flat."""

import threading
import tracemalloc
import warnings
from contextlib import nullcontext

import numpy as np
import pytest
import test_attention
from hypothesis import given
from hypothesis import strategies as st
from oracle import attention_inputs, exact_attention, law

from softlookup import causal_mask, padding_mask, scaled_dot_product_attention
from softlookup import streaming as module

MIB = 2**20


def threads(patch, number, few=0):
    """Have more than ``few`` scores computed by so many threads, whatever this machine has."""
    patch.setattr(module, "one_blas_thread", lambda: nullcontext(number))
    patch.setattr(module, "FEW", few)


def streaming_attention(*arrays, rows=3, numbers=15, workers=2, **options):
    """Stream in blocks of 3 queries and 5 keys, so that small inputs make many blocks."""
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        patch.setattr(module, "ROWS", rows)
        patch.setattr(module, "ROWS_AT_LEAST", rows)
        patch.setattr(module, "NUMBERS", numbers)
        threads(patch, workers, few=0 if workers else 2**19)
        warnings.simplefilter("error")  # in the threads too
        return module.streaming_attention(*arrays, **options)


def cases_of(test):
    """Return what another module's test is parametrised with."""
    return next(mark.args[1] for mark in test.pytestmark if mark.name == "parametrize")


# The same answers


@law
@given(
    inputs=attention_inputs(most=(7, 11, 3, 2)),
    rows=st.integers(1, 5),
    numbers=st.integers(1, 20),
    workers=st.integers(0, 3),
)
def test_equals_exact_arithmetic(inputs, rows, numbers, workers):
    query, key, value, mask, scale = inputs
    blocks = {"rows": rows, "numbers": numbers, "workers": workers}
    np.testing.assert_allclose(
        streaming_attention(query, key, value, mask=mask, scale=scale, **blocks),
        exact_attention(query, key, value, mask=mask, scale=scale),
        rtol=1e-9,
        atol=1e-12,
    )


@law
@given(
    inputs=attention_inputs(extreme=True, most=(5, 7, 3, 2)),
    rows=st.integers(1, 3),
    numbers=st.integers(1, 9),
)
def test_equals_exact_arithmetic_for_extreme_inputs(inputs, rows, numbers):
    query, key, value, mask, scale = inputs
    np.testing.assert_allclose(
        streaming_attention(query, key, value, mask=mask, scale=scale, rows=rows, numbers=numbers),
        exact_attention(query, key, value, mask=mask, scale=scale),
        rtol=1e-9,
        atol=1e-12 * np.abs(value).max(),
    )


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("size", [1, 21.9, 22.1, 87, 89, 1000, 1e30])
@pytest.mark.parametrize("sign", [1, -1])
def test_scores_of_every_size(dtype, size, sign):
    # Every score is size or -size, and the largest come in the first, a middle or the last block.
    value = np.random.default_rng(3).normal(size=(23, 2)).astype(dtype)
    for best in (0, 11, 22):
        key = np.full((23, 1), -size, dtype)
        key[best] = size
        query = np.full((5, 1), sign, dtype)
        np.testing.assert_allclose(
            streaming_attention(query, key, value, scale=1),
            exact_attention(query, key, value, scale=1),
            rtol=1e-5 if dtype == np.float32 else 1e-12,
        )


@pytest.mark.parametrize(("size", "scale"), [(1e-162, 1e16), (1e-170, 1e-2), (1e-300, 1e300)])
def test_lengths_whose_squares_are_too_small_to_see(size, scale):
    # The square of a query's length is 0 in floating point, but its scores need not be.
    query, key = np.full((4, 1), size), np.array([[1e150], [-1e150], [0.0]])
    value = np.array([[1.0], [2.0], [4.0]])
    np.testing.assert_allclose(
        streaming_attention(query, key, value, scale=scale),
        exact_attention(query, key, value, scale=scale),
        rtol=1e-12,
    )


def test_small_scores_beside_one_that_is_past_every_number():
    # The first key's score is -2 ** 1100. The others' are 0 and 1, and must not be lost over it.
    query, key = [[2.0**600, 1.0]] * 4, [[-(2.0**500), 0.0], [0.0, 0.0], [0.0, 1.0]]
    value = [[1.0], [2.0], [3.0]]
    np.testing.assert_allclose(
        streaming_attention(query, key, value, scale=1, numbers=3),
        exact_attention(query, key, value, scale=1),
        rtol=1e-12,
    )


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("score", [1, 20, 500])
def test_the_largest_and_the_smallest_values_survive(dtype, score):
    numbers = np.finfo(dtype)
    query, key = np.ones((4, 1), dtype), np.full((23, 1), score, dtype)
    for size in (numbers.max, -numbers.max, numbers.max / 2**40, numbers.tiny * 100):
        value = np.full((23, 2), size, dtype)
        for sign in (1, -1):
            blend = streaming_attention(sign * query, key, value)
            np.testing.assert_allclose(blend, value[:4], rtol=1e-5)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("hidden", [0.99, 1e-9, -0.3])
def test_a_huge_value_that_is_hidden_takes_no_digit_from_the_others(dtype, hidden):
    rng = np.random.default_rng(5)
    query, key, value = (rng.standard_normal((n, 3)).astype(dtype) for n in (5, 7, 7))
    value[2:4] *= 1e-9
    value[4] = hidden * np.finfo(dtype).max
    mask = np.ones((5, 7), np.bool_)
    mask[:, 4] = False
    mask[3] = [False, False, True, True, False, False, False]  # sees small ones alone
    np.testing.assert_allclose(
        streaming_attention(query, key, value, mask=mask),
        scaled_dot_product_attention(query, key, value, mask=mask),
        rtol=1e-5 if dtype == np.float32 else 1e-12,
        atol=0,
    )


@pytest.mark.parametrize(
    ("query", "key", "value", "mask"),
    [
        *cases_of(test_attention.test_leading_axes_broadcast_as_loops_do),
        ((2, 4, 7, 3), (2, 4, 11, 3), (4, 11, 5), (2, 1, 1, 11)),
        ((3, 7, 3), (2, 3, 11, 3), (11, 5), (7, 1)),
    ],
)
@pytest.mark.parametrize("numbers", [1, 15, 2000])
def test_leading_axes_broadcast_as_loops_do(query, key, value, mask, numbers):
    q, k, v = test_attention.random(query, key, value)
    may = None if mask is None else np.random.default_rng(3).random(mask) < 0.6
    result = streaming_attention(q, k, v, mask=may, numbers=numbers)
    expected = test_attention.loop(q, k, v, may)
    assert result.shape == expected.shape
    np.testing.assert_allclose(result, expected, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize(
    ("query", "key", "value", "result"),
    cases_of(test_attention.test_nothing_asked_nothing_answered),
)
def test_nothing_asked_nothing_answered(query, key, value, result):
    q, k, v = (np.ones(shape, np.float16) for shape in (query, key, value))
    assert streaming_attention(q, k, v).shape == result
    output = streaming_attention(q, k, v, mask=np.ones(5, bool))
    assert (output.shape, output.dtype) == (result, np.float16)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_equals_the_plain_function_in_the_usual_blocks(dtype):
    q, k, v = test_attention.random((2, 601, 5), (1409, 5), (2, 1409, 3), dtype=dtype)
    lengths = padding_mask([701, 0], 1409)
    for mask in (None, causal_mask(601, 1409), lengths):
        for size in (1, 300):  # scores up to 20, or thousands
            plain = scaled_dot_product_attention(q * dtype(size), k, v, mask=mask)
            result = module.streaming_attention(q * dtype(size), k, v, mask=mask)
            assert result.dtype == dtype
            tolerance = {np.float16: 2e-3, np.float32: 2e-4, np.float64: 1e-11}[dtype]
            np.testing.assert_allclose(result, plain, atol=tolerance)
        if mask is lengths:
            assert (result[1] == 0).all()


# Masks


def test_rows_that_may_attend_to_nothing_or_only_late():
    q, k, v = test_attention.random((7, 3), (23, 3), (23, 2))
    mask = np.zeros((7, 23), bool)
    mask[1, 22] = mask[2, 0] = mask[4, 7:] = True
    for size in (1, 100):
        result = streaming_attention(size * q, k, v, mask=mask)
        assert (result[[0, 3, 5, 6]] == 0).all()
        np.testing.assert_array_equal(result[1], v[22])
        np.testing.assert_array_equal(result[2], v[0])
        np.testing.assert_allclose(result, exact_attention(size * q, k, v, mask=mask), rtol=1e-9)


def blocks_computed(monkeypatch, *arrays, **options):
    """Return how many blocks of scores were computed."""
    products = []

    class Counting:
        def __getattr__(self, name):
            return getattr(np, name)

        def matmul(self, *operands, **more):
            products.append(operands[0].shape)
            return np.matmul(*operands, **more)

    monkeypatch.setattr(module, "np", Counting())
    streaming_attention(*arrays, **options)
    return len(products)


def test_blocks_that_nobody_may_see_are_not_computed(monkeypatch):
    q, k, v = test_attention.random((30, 3), (30, 3), (30, 2))
    assert blocks_computed(monkeypatch, q, k, v) == 60
    # Of the i-th 3 queries the last sees 3 i + 3 keys, in blocks of 5.
    causal = sum(-(-(3 * i + 3) // 5) for i in range(10))
    assert blocks_computed(monkeypatch, q, k, v, mask=causal_mask(30)) == causal == 37
    assert blocks_computed(monkeypatch, q, k, v, mask=np.arange(30) < 11) == 30
    assert blocks_computed(monkeypatch, q, k, v, mask=np.zeros(30, bool)) == 0


# Threads


@pytest.mark.parametrize(("few", "workers", "most"), [(7 * 11, 3, 0), (0, 1, 0), (0, 3, 3)])
def test_threads_take_part_only_where_there_is_work_for_them(monkeypatch, few, workers, most):
    q, k, v = test_attention.random((7, 3), (11, 3), (11, 2))
    here, seen = threading.get_ident(), set()
    block = module._block

    def seeing(*arguments, **options):
        seen.add(threading.get_ident())
        return block(*arguments, **options)

    monkeypatch.setattr(module, "_block", seeing)
    monkeypatch.setattr(module, "ROWS_AT_LEAST", 1)
    threads(monkeypatch, workers, few)
    result = module.streaming_attention(q, k, v)
    np.testing.assert_allclose(result, exact_attention(q, k, v), rtol=1e-12)
    assert seen == {here} if most == 0 else 1 <= len(seen - {here}) <= most


@pytest.mark.parametrize(
    ("workers", "queries", "heads", "rows"),
    [(2, 2048, 1, 512), (2, 1024, 1, 256), (8, 2048, 1, 128), (8, 2048, 8, 512), (8, 128, 8, 128)],
)
def test_threads_get_two_blocks_each_where_there_are_queries_enough(
    monkeypatch, workers, queries, heads, rows
):
    seen = []
    monkeypatch.setattr(module, "_blocks", lambda *arrays, **_: seen.append(arrays[4]) or iter(()))
    threads(monkeypatch, workers)
    x = np.ones((heads, queries, 1))
    module.streaming_attention(x, x[:, :3], x[:, :3])
    assert seen == [rows]


def test_an_error_in_a_thread_is_the_callers(monkeypatch):
    def failing(*_, **__):
        raise MemoryError("no room")

    monkeypatch.setattr(module, "_block", failing)
    threads(monkeypatch, 2)
    with pytest.raises(MemoryError, match="no room"):
        module.streaming_attention(*test_attention.random((7, 3), (11, 3), (11, 2)))


# Types, inputs, messages


@pytest.mark.parametrize(
    ("dtypes", "answer"), cases_of(test_attention.test_the_type_that_comes_back)
)
def test_the_type_that_comes_back(dtypes, answer):
    q, k, v = (np.ones((2, 2), dtype) for dtype in dtypes)
    output = streaming_attention(q, k, v)
    assert output.dtype == answer
    assert output.tolist() == [[1, 1], [1, 1]]


def test_float16_does_not_overflow_on_the_way():
    query, key = np.full((4, 64), 250, np.float16), np.zeros((11, 64), np.float16)
    key[6] = 250  # a dot product of 4,000,000, far past 65504
    value = np.full((11, 2), 60000, np.float16)
    value[6] = 65504
    np.testing.assert_array_equal(streaming_attention(query, key, value), value[[6] * 4])


def test_float16_does_not_overflow_when_many_roundings_add_up():
    # In float32 so many times exp(15 / 64), one after the other, come out too small, and so many
    # times 65504 exp(15 / 64) too large, by 1 part in 3,000 together: past 65520, where float16
    # is rounded to infinity.
    query, key = np.full((1, 1), 15 / 64, np.float16), np.ones((20011, 1), np.float16)
    value = np.full((20011, 1), 65504, np.float16)
    answer = streaming_attention(query, key, value, numbers=1, workers=0)
    np.testing.assert_array_equal(answer, [[65504]])


@pytest.mark.parametrize("size", [1.0, 100.0, 1e200])
def test_no_input_is_changed(size):
    given_ = [*test_attention.random((4, 3), (11, 3), (11, 2)), causal_mask(4, 11)]
    given_[0] *= size
    given_[2] *= size
    before = [array.copy() for array in given_]
    for array in given_:
        array.flags.writeable = False
    streaming_attention(*given_[:3], mask=given_[3])
    for array, copy in zip(given_, before, strict=True):
        np.testing.assert_array_equal(array, copy)


@pytest.mark.parametrize(
    "changed",
    [
        changed
        for test in (
            test_attention.test_values_and_shapes_that_are_refused,
            test_attention.test_types_that_are_refused,
        )
        for changed, _ in cases_of(test)
    ],
)
def test_refuses_what_the_plain_function_refuses_in_the_same_words(changed):
    inputs = {"query": np.ones((2, 3)), "key": np.ones((5, 3)), "value": np.ones((5, 7))} | changed
    with pytest.raises((TypeError, ValueError)) as plain:
        scaled_dot_product_attention(**inputs)
    with pytest.raises(plain.type) as streaming:
        module.streaming_attention(**inputs)
    assert str(streaming.value) == str(plain.value)


# Memory


def extra_memory(attention, *arrays, **options):
    """Return the peak number of bytes allocated beyond inputs and output, with two threads."""
    with pytest.MonkeyPatch.context() as patch:
        threads(patch, 2)
        attention(*(array[..., :2, :] for array in arrays))  # what a first call imports
        tracemalloc.start()
        try:
            output = attention(*arrays, **options)
            return tracemalloc.get_traced_memory()[1] - output.nbytes
        finally:
            tracemalloc.stop()


@pytest.mark.parametrize(
    ("dtype", "heads", "size", "most"),
    [(np.float32, (), 1, 3), (np.float32, (3,), 100, 3), (np.float16, (2,), 1, 7),
     (np.float64, (), 1, 5), (np.float32, (), 1e20, 12)],
)  # fmt: skip
def test_memory_stays_flat(dtype, heads, size, most):
    # One table of 4,096 times 4,096 scores would be 64 MiB of float32, or 128 of float64.
    q, k, v = test_attention.random(*[(*heads, 4096, 64)] * 3, dtype=dtype)
    q *= dtype(size)
    k *= dtype(size)
    # A causal mask as a view: each row looks at the same numbers, one place further.
    steps = np.arange(2 * 4096 - 1) < 4096
    causal = np.lib.stride_tricks.sliding_window_view(steps, 4096)[::-1]
    assert causal[5, 5]
    assert not causal[5, 6]
    assert extra_memory(module.streaming_attention, q, k, v, mask=causal) < most * MIB


def test_memory_does_not_grow_with_the_number_of_heads():
    q, k, v = test_attention.random(*[(5, 13, 700, 8)] * 3, dtype=np.float16)
    # In float32 these inputs are 4.2 MiB, all tables of scores 122.
    assert extra_memory(module.streaming_attention, q, k, v) < 2.5 * MIB


def test_the_net_catches_a_table_of_scores():
    q, k, v = test_attention.random(*[(2048, 4)] * 3, dtype=np.float32)
    assert extra_memory(scaled_dot_product_attention, q, k, v) > 16 * MIB
