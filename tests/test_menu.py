"""The running data keeps the properties that the chapters rely on."""

import numpy as np
import pytest

from softlookup import menu


def test_five_dishes_with_five_features_and_two_stored_columns():
    assert menu.keys().shape == (5, 5)
    assert menu.values().shape == (5, 2)
    assert len(set(menu.DISHES)) == 5
    assert menu.FEATURES == ("spicy", "soupy", "sweet", "rich", "cold")
    assert menu.STORED == ("price", "kcal")


def test_features_are_one_decimal_between_minus_1_and_1_and_oppose():
    keys = menu.keys()
    assert (abs(keys) <= 1).all()
    np.testing.assert_array_equal(keys, keys.round(1))
    assert (keys.min(axis=0) < 0).all()
    assert (keys.max(axis=0) > 0).all()


def test_columns_come_in_the_order_asked_for():
    np.testing.assert_array_equal(menu.keys("cold", "spicy"), menu.keys()[:, [4, 0]])
    np.testing.assert_array_equal(menu.values("kcal"), menu.values()[:, [1]])


def test_rows_and_arrays_hold_the_same_numbers():
    rows = menu.rows()
    assert [row["dish"] for row in rows] == list(menu.DISHES)
    assert [[row[name] for name in menu.FEATURES] for row in rows] == menu.keys().tolist()
    assert [[row[name] for name in menu.STORED] for row in rows] == menu.values().tolist()


def test_each_call_gives_new_data():
    menu.keys()[:] = 0
    menu.values()[:] = 0
    menu.rows()[0]["price"] = 0
    assert menu.keys("spicy")[0, 0] == 0.2
    assert menu.values("price")[0, 0] == 12
    assert menu.rows()[0]["price"] == 12


@pytest.mark.parametrize(("position", "dish"), list(enumerate(menu.DISHES)))
def test_index_finds_each_dish(position, dish):
    assert menu.index(dish) == position


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: menu.keys("price"), "needed one of spicy, soupy, sweet, rich, cold; got 'price'"),
        (lambda: menu.values("spicy"), "needed one of price, kcal; got 'spicy'"),
        (lambda: menu.index("pho"),
         "needed one of ramen, dal, tacos, gazpacho, sorbet; got 'pho'"),
    ],
)  # fmt: skip
def test_unknown_names_are_told_the_known_ones(call, message):
    with pytest.raises(KeyError) as caught:
        call()
    assert caught.value.args == (message,)
