"""Attention in SQLite equals attention in NumPy, and tables are shown as they are."""

import math
import re
import sqlite3

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import attention_inputs, exact_attention, law

from softlookup import causal_mask, menu, scaled_dot_product_attention, sql

# The statement


@law
@given(inputs=attention_inputs() | attention_inputs(extreme=True), causal=st.booleans())
def test_sql_equals_numpy_and_exact_arithmetic(inputs, causal):
    query, key, value, mask, scale = inputs
    answer = sql.attention(query, key, value, mask=mask, causal=causal, scale=scale)
    if causal:
        mask = causal_mask(len(query), len(key)) & (True if mask is None else mask)
    slack = 1e-12 * max(1, np.abs(value).max())
    np.testing.assert_allclose(
        answer,
        scaled_dot_product_attention(query, key, value, mask=mask, scale=scale),
        rtol=1e-9,
        atol=slack,
    )
    np.testing.assert_allclose(
        answer,
        exact_attention(query, key, value, mask=mask, scale=scale),
        rtol=1e-9,
        atol=slack,
    )


@law
@given(data=st.data())
def test_sql_equals_numpy_for_any_numbers_whose_scores_can_be_told_apart(data):
    # Any finite entries at all, one column: a score is one product, so no sum can cancel.
    entry = st.floats(allow_nan=False, allow_infinity=False)
    query = np.array([data.draw(st.lists(entry, min_size=1, max_size=5))]).T
    key = np.array([data.draw(st.lists(entry, min_size=1, max_size=7))]).T
    value = np.arange(3.0 * len(key)).reshape(len(key), 3)
    np.testing.assert_allclose(
        sql.attention(query, key, value, scale=1.0),
        scaled_dot_product_attention(query, key, value, scale=1.0),
        rtol=1e-9,
    )


def test_by_hand_with_distinct_primes():
    # Scores ln 2, 0, 0, 0, 0 for the first query: weights 2 : 1 : 1 : 1 : 1.
    query = np.array([[math.log(2), 0.0, 0.0], [0.0, 0.0, 0.0]])
    key = np.zeros((5, 3))
    key[0, 0] = 1
    value = np.zeros((5, 7))
    value[0] = np.arange(7)
    answer = sql.attention(query, key, value, scale=1.0)
    np.testing.assert_allclose(answer, [np.arange(7) / 3, np.arange(7) / 5], rtol=1e-15)


def test_a_query_that_no_row_matches_is_null_in_sql_and_0_here():
    mask = np.array([[True, False], [False, False]])
    answer = sql.attention(np.eye(2), np.eye(2), [[10.0], [20.0]], mask=mask)
    assert answer.tolist() == [[10], [0]]
    db = sql.connect(
        query=[{"position": i, "col": 0, "x": 1.0} for i in range(2)],
        key=[{"position": i, "col": 0, "x": 1.0} for i in range(2)],
        value=[{"position": i, "col": 0, "x": 10.0 * (i + 1)} for i in range(2)],
        mask=[{"query": 0, "key": 0}],
    )
    table = sql.run(db, sql.attention_statement(mask=True), scale=1, temperature=1)
    assert table.columns == ("query", "col", "x")
    assert table.rows == [(0, 0, 10.0), (1, None, None)]
    assert repr(table) == "query   col     x\n    0     0    10\n    1  NULL  NULL"


def test_the_largest_values_do_not_overflow_in_the_sum():
    most = np.finfo(float).max
    for rows in ([[most]] * 7, [[most], [most], [-most]], [[1e308], [0], [1e-308]]):
        query, key = np.ones((1, 2)), np.ones((len(rows), 2))
        expected = scaled_dot_product_attention(query, key, rows)
        assert np.isfinite(expected).all()
        np.testing.assert_allclose(sql.attention(query, key, rows), expected, rtol=1e-12)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.longdouble, np.int32])
def test_the_type_comes_back(dtype):
    answer = sql.attention(*(np.ones((2, 2), dtype) for _ in range(3)))
    assert answer.dtype == (np.float64 if dtype is np.int32 else dtype)
    assert answer.tolist() == [[1, 1], [1, 1]]


@pytest.mark.parametrize("shapes", [((0, 3), (5, 3), (5, 2)), ((2, 3), (5, 3), (5, 0))])
def test_nothing_asked_nothing_answered(shapes):
    arrays = [np.ones(shape) for shape in shapes]
    expected = scaled_dot_product_attention(*arrays)
    for options in ({}, {"causal": True}, {"mask": np.ones(5, bool)}):
        assert sql.attention(*arrays, **options).shape == expected.shape


def test_no_input_is_changed():
    inputs = [np.eye(3) * 1e200, np.eye(3) * 1e200, np.eye(3) * 1e308, causal_mask(3)]
    before = [array.copy() for array in inputs]
    sql.attention(*inputs[:3], mask=inputs[3])
    for array, copy in zip(inputs, before, strict=True):
        np.testing.assert_array_equal(array, copy)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("mask", [False, True])
def test_the_statement_filters_only_as_asked(causal, mask):
    statement = sql.attention_statement(causal=causal, mask=mask)
    assert ("key.position <= query.position" in statement) == causal
    assert ("IN mask" in statement) == mask
    assert ("WHERE" in statement) == (causal or mask)
    assert set(re.findall(r":(\w+)", statement)) == {"scale", "temperature"}


def test_the_statement_needs_no_sqlite_function_but_exp():
    names = set(re.findall(r"(\w+)\(", sql.attention_statement(causal=True, mask=True)))
    assert names == {"SUM", "EXP", "MAX"}


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"query": np.ones((11, 2, 3)), "key": np.ones((13, 5, 3))}, ValueError,
         "leading axes: needed shapes that broadcast, got query (11,), key (13,), value ()."),
        ({"key": np.ones(3)}, ValueError,
         "key: needed at least two axes, shape (..., n_keys, d_k), got shape (3,). "
         "A single row still needs its axis: array[None, :]."),
        ({"value": 1}, ValueError,
         "value: needed at least two axes, shape (..., n_keys, d_v), got shape ()."),
        ({"key": np.ones((3, 5))}, ValueError,
         "query and key: needed the same last axis, d_k, to compare them; got query shape (2, 3) "
         "and key shape (3, 5). Is key transposed? One key per row is needed."),
        ({"value": np.ones((7, 5))}, ValueError,
         "key and value: needed one value per key; got 5 keys (key shape (5, 3)) and 7 values "
         "(value shape (7, 5))."),
        ({"key": np.ones((0, 3)), "value": np.ones((0, 7))}, ValueError,
         "key: needed at least one key to attend to, got shape (0, 3)."),
        ({"mask": np.ones((5, 2), bool)}, ValueError,
         "mask: needed a shape that broadcasts to (n_queries, n_keys) = (2, 5), got (5, 2)."),
        ({"mask": np.ones((2, 5), int)}, TypeError,
         "mask: needed booleans, True = may attend, got int64 numbers. If 1 means \"may attend\", "
         "pass mask.astype(bool); if your mask is added to the scores, pass mask == 0."),
        ({"scale": math.inf}, ValueError, "scale: needed a finite number, got inf."),
        ({"query": "ramen"}, TypeError,
         "query: needed real numbers, got text, such as 'ramen' (str)."),
    ],
)  # fmt: skip
def test_what_attention_refuses(changed, error, message):
    inputs = {"query": np.ones((2, 3)), "key": np.ones((5, 3)), "value": np.ones((5, 7))} | changed
    with pytest.raises(error) as caught:
        sql.attention(**inputs)
    assert str(caught.value) == message


# Tables


def test_the_menu_goes_in_and_comes_out():
    db = sql.connect(menu=menu.rows())
    table = sql.run(db, "SELECT * FROM menu")
    assert table.columns == ("dish", *menu.FEATURES, *menu.STORED)
    assert table.rows == [tuple(row.values()) for row in menu.rows()]


def test_names_are_names_whatever_they_hold():
    evil = 'x"); DROP TABLE menu; --'
    db = sql.connect(menu=[{"dish": "dal"}], **{evil: [{evil: 1, "select": 2, "a b": 3}]})
    quoted = '"' + evil.replace('"', '""') + '"'
    table = sql.run(db, f"SELECT * FROM {quoted}")
    assert table.columns == (evil, "select", "a b")
    assert table.rows == [(1, 2, 3)]
    assert sql.run(db, "SELECT dish FROM menu").rows == [("dal",)]


def test_values_and_parameters_are_values_whatever_they_hold():
    evil = "'; DROP TABLE menu; --"
    db = sql.connect(menu=[{"dish": evil}])
    assert sql.run(db, "SELECT dish FROM menu WHERE dish = :dish", dish=evil).rows == [(evil,)]


def test_a_parameter_may_have_any_name():
    table = sql.run(sql.connect(), "SELECT :db + :statement AS total", db=1, statement=2)
    assert table.rows == [(3,)]


@pytest.mark.parametrize("x", [np.float64(0.5), np.float32(0.5), np.float16(0.5)])
def test_numpy_numbers_are_numbers(x):
    db = sql.connect(t=[{"x": x, "n": np.int64(7), "b": np.True_}])
    assert sql.run(db, "SELECT x + 1, n + 1, b FROM t WHERE x = :x", x=x).rows == [(1.5, 8, 1)]


def test_an_array_is_not_an_entry():
    message = r"needed one number or text per entry, got an array of shape \(2,\)"
    with pytest.raises(TypeError, match=message):
        sql.connect(t=[{"x": np.ones(2)}])
    with pytest.raises(TypeError, match=message):
        sql.run(sql.connect(), "SELECT :x", x=np.ones(2))


@pytest.mark.parametrize(
    ("rows", "error", "message"),
    [
        ([], ValueError, "t: needed at least one row, got none."),
        ([{}], ValueError, "t: needed at least one column, got none."),
        ([{"a": 1}, {"b": 1}], ValueError,
         "t: needed the columns ('a',) in every row, got ('b',)."),
        ([{"a": 1, "b": 2}, {"b": 2, "a": 1}], ValueError,
         "t: needed the columns ('a', 'b') in every row, got ('b', 'a')."),
        ([(1, 2)], TypeError, "t: needed rows that are dictionaries, got (1, 2)."),
        ([{"a": 1}, [2]], TypeError, "t: needed rows that are dictionaries, got [2]."),
    ],
)  # fmt: skip
def test_rows_that_are_no_table(rows, error, message):
    with pytest.raises(error) as caught:
        sql.connect(t=rows)
    assert str(caught.value) == message


def test_rows_may_come_from_a_generator():
    db = sql.connect(t=({"x": i} for i in range(3)))
    assert sql.run(db, "SELECT SUM(x) FROM t").rows == [(3,)]


@pytest.mark.parametrize(
    ("x", "expected"),
    [("0", 1.0), ("1.0", math.e), ("-1e9", 0.0), ("1000", math.inf), ("NULL", None)],
)
def test_exp_is_that_of_sqlite(x, expected):
    assert sql.run(sql.connect(), f"SELECT EXP({x})").rows == [(expected,)]


@pytest.mark.parametrize("statement", ["SELECT 1; SELECT 2", "SELEC 1", "SELECT * FROM nowhere"])
def test_what_the_database_cannot_run(statement):
    # More than one statement is sqlite3.Warning up to Python 3.11.
    with pytest.raises((sqlite3.Error, sqlite3.Warning)):
        sql.run(sql.connect(), statement)


# How a table looks


def test_a_table_in_a_terminal():
    table = sql.Table(
        ("dish", "price", "share"),
        [("ramen", 12, 0.268941421), ("very long name of a dish", None, 2.0), ("dal", 8, 1e-9)],
    )
    assert repr(table).splitlines() == [
        "dish                      price   share",
        "ramen                        12  0.2689",
        "very long name of a dish   NULL       2",
        "dal                           8   1e-09",
    ]


def test_a_table_in_a_notebook():
    table = sql.Table(("dish", "SUM(w * v)"), [("ramen", 12.5), (None, -0.0)])
    assert table._repr_markdown_().splitlines() == [
        r"| dish | SUM(w \* v) |",
        "| :-- | --: |",
        "| ramen | 12.5 |",
        "| NULL | -0 |",
    ]


def test_text_in_a_notebook_stays_text():
    table = sql.Table(("a|b",), [("<b>*hot* & _cold_</b> $5$ `x`\nnext [l](u) \\ ~~s~~ #",)])
    lines = table._repr_markdown_().splitlines()
    assert lines[0] == r"| a\|b |"
    assert lines[2] == (
        r"| \<b\>\*hot\* \& \_cold\_\</b\> \$5\$ \`x\` next \[l\](u) \\ \~\~s\~\~ \# |"
    )


@pytest.mark.parametrize(
    ("x", "shown"),
    [
        (None, "NULL"), (3, "3"), (3.0, "3"), (0.5, "0.5"), (1 / 3, "0.3333"), (600.0, "600"),
        (math.inf, "inf"), (-math.inf, "-inf"), (math.nan, "nan"), (1e300, "1e+300"),
        (2**70, "1180591620717411303424"), ("text", "text"), ("", ""), (b"\x00", r"b'\x00'"),
    ],
)  # fmt: skip
def test_each_kind_of_entry(x, shown):
    assert repr(sql.Table(("column",), [(x,)])).split("\n")[1].strip() == shown


def test_a_result_without_rows_shows_its_columns():
    db = sql.connect(menu=menu.rows())
    table = sql.run(db, "SELECT dish, price FROM menu WHERE dish = 'pizza'")
    assert table.rows == []
    assert repr(table) == "dish  price"
    assert table._repr_markdown_() == "| dish | price |\n| :-- | :-- |"


def test_a_statement_without_a_result_shows_nothing():
    table = sql.run(sql.connect(menu=menu.rows()), "DELETE FROM menu")
    assert (table.columns, table.rows) == ((), [])
    assert (repr(table), table._repr_markdown_()) == ("", "")
