"""Hard and soft lookup with one query."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import attention_inputs, exact_attention, law

from softlookup import hard_lookup, menu, scaled_dot_product_attention, soft_lookup

KEYS = [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]]
PRICES = [12, 8, 5]
COOL_SOUP = [0.0, 1.0]


def test_hard_by_hand():
    # scores 0, 1, 0
    assert hard_lookup(COOL_SOUP, KEYS, PRICES) == 8
    assert hard_lookup(COOL_SOUP, KEYS, [[12, 600], [8, 350], [5, 200]]).tolist() == [8, 350]


def test_soft_by_hand():
    # weights 1 : e : 1
    expected = (12 + 8 * math.e + 5) / (2 + math.e)
    assert soft_lookup(COOL_SOUP, KEYS, PRICES) == pytest.approx(expected, rel=1e-14)
    both = soft_lookup(COOL_SOUP, KEYS, [[12, 600], [8, 350], [5, 200]])
    assert both == pytest.approx([expected, (800 + 350 * math.e) / (2 + math.e)], rel=1e-14)


def test_a_tie_hard_takes_the_first_and_soft_shares():
    keys = [[0, 1], [2, 0], [2, 5], [2, 0]]
    assert hard_lookup([1, 0], keys, [1, 2, 3, 4]) == 2
    assert soft_lookup([1, 0], keys, [1, 2, 3, 4], temperature=1e-9) == 3
    assert hard_lookup([0, 0], keys, [1, 2, 3, 4]) == 1


def test_hard_takes_the_largest_product_whatever_its_sign():
    assert hard_lookup([1.0], [[-5.0], [-2.0], [-9.0]], [1, 2, 3]) == 2


def test_the_key_itself_may_be_the_value():
    keys = menu.keys("spicy", "soupy")
    assert hard_lookup([1, 0], keys, keys).tolist() == keys[menu.index("tacos")].tolist()


@law
@given(inputs=attention_inputs(), temperature=st.floats(0.05, 20))
def test_soft_equals_exact_arithmetic(inputs, temperature):
    query, keys, values, _, _ = inputs
    blend = soft_lookup(query[0], keys, values, temperature=temperature)
    exact = exact_attention(query[:1], keys, values, scale=1.0, temperature=temperature)
    np.testing.assert_allclose(blend, exact[0], rtol=1e-9, atol=1e-9)


@law
@given(inputs=attention_inputs(extreme=True))
def test_soft_equals_exact_arithmetic_for_extreme_inputs(inputs):
    query, keys, values, _, _ = inputs
    values = np.sign(values)
    np.testing.assert_allclose(
        soft_lookup(query[0], keys, values),
        exact_attention(query[:1], keys, values, scale=1.0)[0],
        rtol=1e-9,
        atol=1e-12,
    )


@law
@given(inputs=attention_inputs())
def test_soft_is_attention_with_scale_one_over_temperature(inputs):
    query, keys, values, _, _ = inputs
    np.testing.assert_allclose(
        soft_lookup(query[0], keys, values, temperature=2.5),
        scaled_dot_product_attention(query[:1], keys, values, scale=0.4)[0],
        rtol=1e-12,
        atol=1e-12,
    )


@law
@given(inputs=attention_inputs())
def test_the_blend_lies_between_the_values(inputs):
    query, keys, values, _, _ = inputs
    blend = soft_lookup(query[0], keys, values)
    assert (blend >= values.min(axis=0) - 1e-12).all()
    assert (blend <= values.max(axis=0) + 1e-12).all()


def test_both_limits_of_the_temperature():
    query, keys, values = [0.9, 0.5], menu.keys("spicy", "soupy"), menu.values("price", "kcal")
    for cold in (1e-3, 1e-300, 5e-324):
        cold_blend = soft_lookup(query, keys, values, temperature=cold)
        np.testing.assert_allclose(cold_blend, hard_lookup(query, keys, values), rtol=1e-12)
    for hot in (1e9, 1e308):
        hot_blend = soft_lookup(query, keys, values, temperature=hot)
        np.testing.assert_allclose(hot_blend, values.mean(axis=0), rtol=1e-8)


@pytest.mark.parametrize("temperature", [1e-300, 1.0, 1e300])
def test_products_that_overflow_still_have_a_winner(temperature):
    keys = [[1e308, 1e308], [-1e308, 1e308]]
    assert hard_lookup([1e308, 1e308], keys, [1, 2]) == 1
    assert soft_lookup([1e308, 1e308], keys, [1, 2], temperature=temperature) == 1
    # 1e616 / 1e308 / 1e308: a temperature that brings an overflowing score back to 1.
    weight = soft_lookup([1e200], [[1e150], [0.0]], [1.0, 0.0], temperature=1e307)
    assert weight == 1
    near = soft_lookup([2.0**600], [[2.0**420], [0.0]], [1.0, 0.0], temperature=2.0**1020)
    assert near == pytest.approx(1 / (1 + math.exp(-1)), rel=1e-14)


@pytest.mark.parametrize("look_up", [hard_lookup, soft_lookup])
def test_what_comes_back(look_up):
    number = look_up(COOL_SOUP, KEYS, PRICES)
    assert type(number) is float
    for dtype in (np.float16, np.float32, np.longdouble):
        query, keys, values = (np.array(x, dtype) for x in (COOL_SOUP, KEYS, PRICES))
        assert type(look_up(query, keys, values)) is dtype
        row = look_up(query, keys, np.stack([values, values], axis=1))
        assert (row.dtype, row.shape) == (dtype, (2,))


@pytest.mark.parametrize("look_up", [hard_lookup, soft_lookup])
def test_the_inputs_are_neither_changed_nor_returned(look_up):
    inputs = [np.array(COOL_SOUP), np.array(KEYS), np.array(KEYS)]
    answer = look_up(*inputs)
    assert not any(np.shares_memory(answer, given) for given in inputs)
    answer[:] = 99
    for array, before in zip(inputs, (COOL_SOUP, KEYS, KEYS), strict=True):
        assert array.tolist() == before


@pytest.mark.parametrize("look_up", [hard_lookup, soft_lookup])
@pytest.mark.parametrize(
    ("query", "keys", "values", "message"),
    [
        (1.0, KEYS, PRICES, "query: needed one axis, shape (d_k,), got shape ()."),
        ([COOL_SOUP], KEYS, PRICES, "query: needed one axis, shape (d_k,), got shape (1, 2)."),
        (COOL_SOUP, [1.0, 0.0], PRICES,
         "keys: needed two axes, shape (n_keys, d_k), got shape (2,). "
         "A single row still needs its axis: array[None, :]."),
        (COOL_SOUP, [KEYS], PRICES,
         "keys: needed two axes, shape (n_keys, d_k), got shape (1, 3, 2)."),
        (COOL_SOUP, KEYS, 5, "values: needed shape (n_keys,) or (n_keys, d_v), got shape ()."),
        (COOL_SOUP, KEYS, [[PRICES]],
         "values: needed shape (n_keys,) or (n_keys, d_v), got shape (1, 1, 3)."),
        (COOL_SOUP, np.array(KEYS).T, PRICES[:2],
         "query and keys: needed the same last axis, d_k, to compare them; got query shape (2,) "
         "and keys shape (2, 3). Is keys transposed? One key per row is needed."),
        ([1.0, 2.0, 3.0, 4.0, 5.0], KEYS, PRICES,
         "query and keys: needed the same last axis, d_k, to compare them; got query shape (5,) "
         "and keys shape (3, 2)."),
        (COOL_SOUP, np.zeros((0, 2)), [],
         "keys: needed at least one key to attend to, got shape (0, 2)."),
        ([], np.zeros((3, 0)), PRICES,
         "keys: needed at least one column to compare, got shape (3, 0)."),
        (COOL_SOUP, KEYS, [PRICES],
         "keys and values: needed one value per key; got 3 keys (keys shape (3, 2)) and 1 values "
         "(values shape (1, 3))."),
    ],
)  # fmt: skip
def test_shapes_that_are_refused(look_up, query, keys, values, message):
    with pytest.raises(ValueError, match="needed") as caught:
        look_up(query, keys, values)
    assert str(caught.value) == message


@pytest.mark.parametrize("look_up", [hard_lookup, soft_lookup])
@pytest.mark.parametrize("name", ["query", "keys", "values"])
@pytest.mark.parametrize("bad", ["text", "nan"])
def test_a_bad_entry_is_blamed_on_its_own_argument(look_up, name, bad):
    inputs = {"query": COOL_SOUP, "keys": KEYS, "values": PRICES}
    inputs[name] = "ramen" if bad == "text" else np.full_like(inputs[name], math.nan, dtype=float)
    with pytest.raises(TypeError if bad == "text" else ValueError, match=f"^{name}: needed "):
        look_up(**inputs)


def test_a_temperature_that_is_not_above_zero():
    with pytest.raises(ValueError, match=r"^temperature: needed a finite number above 0, got 0\.$"):
        soft_lookup(COOL_SOUP, KEYS, PRICES, temperature=0)
