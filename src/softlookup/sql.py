"""The same attention, as SQL over SQLite.

Arrays become tables in long form, one row per entry: ``query(position, col, x)``,
``key(position, col, x)`` and ``value(position, col, x)``. One statement does the rest. A further
axis is a further column: ``batch`` for many tables at once, ``head`` for many sets of views.
"""

from __future__ import annotations

import math
import re
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import shapes
from .projections import Heads, check_source, rounded
from .scores import default_scale, safe_factors

__all__ = [
    "Table",
    "attention",
    "attention_statement",
    "connect",
    "long_form",
    "multi_head_attention",
    "multi_head_statement",
    "run",
    "self_attention",
    "view_statement",
]


@dataclass(frozen=True)
class Table:
    """What the database answered: column names and rows.

    Shows as a table in a notebook and in a terminal.

    Examples
    --------
    >>> Table(("dish", "price"), [("ramen", 12), ("dal", 8.5)])
    dish   price
    ramen     12
    dal      8.5
    """

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]

    def __repr__(self) -> str:
        cells = [self.columns, *([_show(x) for x in row] for row in self.rows)]
        widths = [max(len(row[i]) for row in cells) for i in range(len(self.columns))]
        numeric = self._numeric()
        return "\n".join(
            "  ".join(
                text.rjust(width) if right else text.ljust(width)
                for text, width, right in zip(row, widths, numeric, strict=True)
            ).rstrip()
            for row in cells
        )

    def _repr_markdown_(self) -> str:
        rule = ["--:" if right else ":--" for right in self._numeric()]
        lines = [
            [_plain(column) for column in self.columns],
            rule,
            *([_plain(_show(x)) for x in row] for row in self.rows),
        ]
        return "\n".join("| " + " | ".join(line) + " |" for line in lines if self.columns)

    def _numeric(self) -> list[bool]:
        return [
            bool(self.rows)
            and all(row[i] is None or isinstance(row[i], (int, float)) for row in self.rows)
            for i in range(len(self.columns))
        ]


def connect(**tables: Iterable[Mapping[str, Any]]) -> sqlite3.Connection:
    """Return an in-memory database that holds the given tables and knows ``EXP``.

    Parameters
    ----------
    **tables
        The rows of each table, as dictionaries with the same keys in the same order.

    Returns
    -------
    sqlite3.Connection
        ``EXP`` is Python's ``math.exp``, because not every SQLite is compiled with one; as in
        SQLite, ``EXP(NULL)`` is NULL, and what is too large is ``Inf``.

    Raises
    ------
    TypeError
        For rows that are not dictionaries, or an entry that is an array.
    ValueError
        For a table with no rows or no columns, or rows that do not have the same columns.

    Examples
    --------
    >>> db = connect(menu=[{"dish": "dal", "price": 8}])
    >>> run(db, "SELECT price FROM menu WHERE dish = :dish", dish="dal").rows
    [(8,)]
    """
    db = sqlite3.connect(":memory:")
    db.create_function("EXP", 1, _exp, deterministic=True)
    for name, given in tables.items():
        rows = list(given)
        if not rows:
            raise ValueError(f"{name}: needed at least one row, got none.")
        for row in rows:
            if not isinstance(row, Mapping):
                raise TypeError(f"{name}: needed rows that are dictionaries, got {row!r}.")
        columns = tuple(rows[0])
        if not columns:
            raise ValueError(f"{name}: needed at least one column, got none.")
        for row in rows:
            if tuple(row) != columns:
                raise ValueError(
                    f"{name}: needed the columns {columns} in every row, got {tuple(row)}."
                )
        _create(db, name, columns, [[_plain_value(x) for x in row.values()] for row in rows])
    return db


def run(db: sqlite3.Connection, statement: str, /, **parameters: Any) -> Table:
    """Return what the database answers to one statement, with ``:name`` parameters filled in.

    Parameters
    ----------
    db
        A database from :func:`connect`.
    statement
        One SQL statement.
    **parameters
        Numbers or texts, each put where the statement says ``:name``.

    Returns
    -------
    Table
        The columns and rows of the answer.

    Raises
    ------
    TypeError
        For a parameter that is an array.
    sqlite3.Error
        With the database's own message, for a statement it cannot run, or more than one.

    Examples
    --------
    >>> run(connect(), "SELECT 6 * 7 AS answer")
    answer
        42
    """
    given = {name: _plain_value(x) for name, x in parameters.items()}
    cursor = db.execute(statement, given)
    columns = tuple(column[0] for column in cursor.description or ())
    return Table(columns, cursor.fetchall())


def long_form(array: ArrayLike, *columns: str) -> list[dict[str, Any]]:
    """Return an array as the rows of a table, one per entry: where it stands, and what it is.

    Parameters
    ----------
    array : array_like
        Any number of axes.
    *columns
        One name per axis; ``position`` and ``col`` if none are given. The entry itself is ``x``.

    Returns
    -------
    list of dict
        Ready for :func:`connect`.

    Raises
    ------
    TypeError, ValueError
        For an array that is not finite real numbers, or names that do not fit its axes.

    Examples
    --------
    >>> long_form([[0.2, 0.9]])
    [{'position': 0, 'col': 0, 'x': 0.2}, {'position': 0, 'col': 1, 'x': 0.9}]
    """
    numbers = shapes.floats("array", array)
    names = columns or ("position", "col")
    if len(names) != numbers.ndim:
        raise ValueError(f"columns: needed one name per axis, {numbers.ndim}, got {names}.")
    return [dict(zip((*names, "x"), row, strict=True)) for row in _entries(numbers)]


def attention_statement(
    *, causal: bool = False, mask: bool = False, by: Sequence[str] = (), table: str | None = None
) -> str:
    """Return the statement that computes attention over the tables of this module.

    Parameters
    ----------
    causal
        Hide each key that stands after its query: ``WHERE key.position <= query.position``.
    mask
        Keep only the pairs listed in a table ``mask(query, key)``.
    by
        Columns that all three tables have besides: only rows that agree in them meet. With
        ``by=("batch",)``, each batch is a lookup of its own; with ``by=("head",)``, each head.
        A mask table has the same columns before its own two, except ``head``.
    table
        One table to join with itself, in place of ``query``, ``key`` and ``value``.

    Returns
    -------
    str
        SQL with two parameters, ``:scale`` and ``:temperature``. It answers with one row per
        query and value column, ``(query, col, x)`` (after the columns ``by``); a query that no
        key matches answers with one row whose col and x are NULL.

    Examples
    --------
    >>> print(attention_statement(causal=True))
    WITH score AS (
      SELECT query.position AS q, key.position AS k,
             SUM(query.x * key.x) * :scale AS s
      FROM query JOIN key USING (col)
      WHERE key.position <= query.position
      GROUP BY q, k
    ),
    weight AS (
      SELECT q, k, EXP((s - MAX(s) OVER (PARTITION BY q)) / :temperature) AS w
      FROM score
    )
    SELECT asked.q AS query, value.col, SUM(w * value.x) / SUM(w) AS x
    FROM (SELECT DISTINCT position AS q FROM query) AS asked
    LEFT JOIN weight USING (q)
    LEFT JOIN value ON value.position = weight.k
    GROUP BY asked.q, value.col
    ORDER BY asked.q, value.col

    Self-attention of a table is a self-join, and a batch is one more column to agree in:

    >>> print(attention_statement(table="dish", by=("batch",)))
    WITH score AS (
      SELECT batch, query.position AS q, key.position AS k,
             SUM(query.x * key.x) * :scale AS s
      FROM dish AS query JOIN dish AS key USING (batch, col)
      GROUP BY batch, q, k
    ),
    weight AS (
      SELECT batch, q, k, EXP((s - MAX(s) OVER (PARTITION BY batch, q)) / :temperature) AS w
      FROM score
    )
    SELECT asked.batch, asked.q AS query, value.col, SUM(w * value.x) / SUM(w) AS x
    FROM (SELECT DISTINCT batch, position AS q FROM dish) AS asked
    LEFT JOIN weight USING (batch, q)
    LEFT JOIN dish AS value ON value.batch = weight.batch AND value.position = weight.k
    GROUP BY asked.batch, asked.q, value.col
    ORDER BY asked.batch, asked.q, value.col
    """
    named = "".join(f"asked.{column}, " for column in by)
    return f"""\
WITH {_scores_and_weights(causal, mask, by, table)}
{_blend(by, table)}
ORDER BY {named}asked.q, value.col"""


def view_statement(
    name: str, matrix: str | None = None, *, table: str = "dish", by: Sequence[str] = ()
) -> str:
    """Return the statement that creates one of the views that attention joins.

    ``query``, ``key`` and ``value`` are then three views of one table: what a row asks, what it
    answers to, what it hands over.

    Parameters
    ----------
    name
        The view: ``query``, ``key`` or ``value``.
    matrix
        A table ``(source, col, x)``: column ``col`` of the view counts the column ``source`` of
        the table ``x`` times. None for the table itself, unchanged.
    table
        The table seen, in long form ``(position, col, x)``.
    by
        Further columns of the table or of the matrix, such as ``batch`` and ``head``.

    Returns
    -------
    str
        SQL without parameters.

    Examples
    --------
    >>> print(view_statement("query", "w_query"))
    CREATE VIEW query AS
    SELECT position, w_query.col, SUM(dish.x * w_query.x) AS x
    FROM dish JOIN w_query ON w_query.source = dish.col
    GROUP BY position, w_query.col
    >>> print(view_statement("value"))
    CREATE VIEW value AS
    SELECT position, col, x
    FROM dish
    """
    columns = "".join(f"{column}, " for column in by)
    if matrix is None:
        return f"CREATE VIEW {name} AS\nSELECT {columns}position, col, x\nFROM {table}"
    return f"""\
CREATE VIEW {name} AS
SELECT {columns}position, {matrix}.col, SUM({table}.x * {matrix}.x) AS x
FROM {table} JOIN {matrix} ON {matrix}.source = {table}.col
GROUP BY {columns}position, {matrix}.col"""


def multi_head_statement(
    *, causal: bool = False, mask: bool = False, by: Sequence[str] = ()
) -> str:
    """Return the statement that computes multi-head attention.

    Parameters
    ----------
    causal, mask, by
        As in :func:`attention_statement`. The views ``query``, ``key`` and ``value`` have a
        column ``head``, which ``by`` does not name; a table ``w_output(head, source, col, x)``
        puts the heads' answers together.

    Returns
    -------
    str
        SQL with two parameters, ``:scale`` and ``:temperature``, that answers as
        :func:`attention_statement` does.

    Examples
    --------
    >>> print(multi_head_statement())
    WITH score AS (
      SELECT head, query.position AS q, key.position AS k,
             SUM(query.x * key.x) * :scale AS s
      FROM query JOIN key USING (head, col)
      GROUP BY head, q, k
    ),
    weight AS (
      SELECT head, q, k, EXP((s - MAX(s) OVER (PARTITION BY head, q)) / :temperature) AS w
      FROM score
    ),
    answer AS (
      SELECT asked.head, asked.q AS query, value.col, SUM(w * value.x) / SUM(w) AS x
      FROM (SELECT DISTINCT head, position AS q FROM query) AS asked
      LEFT JOIN weight USING (head, q)
      LEFT JOIN value ON value.head = weight.head AND value.position = weight.k
      GROUP BY asked.head, asked.q, value.col
    )
    SELECT query, w_output.col, SUM(answer.x * w_output.x) AS x
    FROM answer
    LEFT JOIN w_output ON w_output.head = answer.head AND w_output.source = answer.col
    GROUP BY query, w_output.col
    ORDER BY query, w_output.col
    """
    columns = "".join(f"{column}, " for column in by)
    every = (*by, "head")
    answer = _blend(every, None).replace("\n", "\n  ")
    return f"""\
WITH {_scores_and_weights(causal, mask, every, None)},
answer AS (
  {answer}
)
SELECT {columns}query, w_output.col, SUM(answer.x * w_output.x) AS x
FROM answer
LEFT JOIN w_output ON w_output.head = answer.head AND w_output.source = answer.col
GROUP BY {columns}query, w_output.col
ORDER BY {columns}query, w_output.col"""


def attention(
    query: ArrayLike,
    key: ArrayLike,
    value: ArrayLike,
    *,
    mask: ArrayLike | None = None,
    causal: bool = False,
    scale: float | None = None,
) -> NDArray[Any]:
    r"""Return scaled dot-product attention, computed by SQLite.

    .. math:: \operatorname{softmax}\!\left(\frac{Q K^\top}{\sqrt{d_k}}\right) V

    Parameters
    ----------
    query : array_like, shape (..., n_queries, d_k)
    key : array_like, shape (..., n_keys, d_k)
    value : array_like, shape (..., n_keys, d_v)
        Leading axes broadcast; in the tables they become one column, ``batch``.
    mask : array_like of bool, broadcastable to (..., n_queries, n_keys), optional
        True = may attend.
    causal
        If True, a query attends only to keys at its own position or before it; this joins
        ``mask`` with AND.
    scale
        The factor on the dot products; :math:`1/\sqrt{d_k}` if not given.

    Returns
    -------
    ndarray, shape (..., n_queries, d_v)
        SQLite computes in float64; the answer comes back in the type of the inputs. A query
        that no key matches, NULL in SQL, comes back as 0, as in
        :func:`softlookup.scaled_dot_product_attention`.

    Raises
    ------
    TypeError, ValueError
        As :func:`softlookup.scaled_dot_product_attention`.

    Examples
    --------
    >>> attention([[1.0, 1.0]], key=[[1, 0], [0, 1]], value=[[10], [20]])
    array([[15.]])
    """
    q, k = shapes.floats("query", query), shapes.floats("key", key)
    v = shapes.floats("value", value)
    for name, array, needs in (
        ("query", q, "(..., n_queries, d_k)"),
        ("key", k, "(..., n_keys, d_k)"),
        ("value", v, "(..., n_keys, d_v)"),
    ):
        shapes.check_matrix(name, array, needs=needs)
    shapes.check_columns(q, k)
    shapes.check_keys_match_values(k, v)
    leading = shapes.broadcast_leading(query=q, key=k, value=v)
    _, answer = shapes.same_float(query=q, key=k, value=v)
    allowed = _whole_mask(mask, (*leading, q.shape[-2], k.shape[-2]))
    factor = default_scale(q, scale)
    q, k, factor, temperature = safe_factors(q.astype(np.float64), k.astype(np.float64), factor)
    # Shrunk if need be, a sum over all keys of the largest values stays finite.
    room = np.finfo(np.float64).maxexp - k.shape[-2].bit_length()
    excess = max(0, int(np.frexp(shapes.largest(v))[1]) - room)
    v = np.ldexp(v.astype(np.float64), -excess)
    by = ("batch",) if leading else ()
    db = connect()
    try:
        for name, array in (("query", q), ("key", k), ("value", v)):
            _create(db, name, (*by, "position", "col", "x"), _entries(_batched(array, leading)))
        if allowed is not None:
            _create_mask(db, allowed, leading)
        statement = attention_statement(causal=causal, mask=allowed is not None, by=by)
        rows = run(db, statement, scale=factor, temperature=temperature).rows
    finally:
        db.close()
    result = _filled(rows, (*leading, q.shape[-2], v.shape[-1]))
    restored: NDArray[Any] = np.ldexp(result, excess).astype(answer)
    return restored


def self_attention(
    x: ArrayLike,
    w_query: ArrayLike | None = None,
    w_key: ArrayLike | None = None,
    w_value: ArrayLike | None = None,
    *,
    mask: ArrayLike | None = None,
    causal: bool = False,
    scale: float | None = None,
) -> NDArray[Any]:
    r"""Return self-attention, computed by SQLite as a join of three views of one table.

    .. math:: \operatorname{Attention}(x W^Q,\; x W^K,\; x W^V)

    Parameters
    ----------
    x : array_like, shape (..., n, d_model)
        The table; leading axes become a column ``batch``.
    w_query, w_key : array_like, shape (d_model, d_k), optional
    w_value : array_like, shape (d_model, d_v), optional
        The views; the table itself where not given.
    mask, causal, scale
        As in :func:`attention`.

    Returns
    -------
    ndarray, shape (..., n, d_v)
        As :func:`softlookup.self_attention`.

    Raises
    ------
    TypeError, ValueError
        As :func:`softlookup.self_attention`; also for numbers so large that their products,
        multiplied out, could exceed float64.

    Examples
    --------
    >>> self_attention([[1.0, 0.0], [0.0, 1.0]], w_value=[[10], [20]], causal=True, scale=0)
    array([[10.],
           [15.]])
    """
    rows = shapes.floats("x", x)
    shapes.check_matrix("x", rows, needs="(..., n, d_model)")
    given = {"query": w_query, "key": w_key, "value": w_value}
    itself = np.eye(rows.shape[-1], dtype=rows.dtype)
    matrices = {}
    for name, matrix in given.items():
        matrices[name] = itself if matrix is None else shapes.floats(f"w_{name}", matrix)
        shapes.check_matrix(f"w_{name}", matrices[name], needs="(d_model, d)", exactly=True)
        check_source(rows, matrices[name], names=("x", f"w_{name}"))
    one = Heads(
        matrices["query"][None],
        matrices["key"][None],
        matrices["value"][None],
        np.eye(matrices["value"].shape[1], dtype=rows.dtype)[None],
    )
    _check_some_keys("x", rows)
    leading = rows.shape[:-2]
    allowed = _whole_mask(mask, (*leading, rows.shape[-2], rows.shape[-2]))
    factor = default_scale(np.asarray(one.w_query), scale)
    _, answer = shapes.same_float(x=rows, **one.arrays())
    _check_sizes(dict.fromkeys(given, rows), one, factor)
    by = ("batch",) if leading else ()
    db = connect()
    try:
        _create(db, "dish", (*by, "position", "col", "x"), _entries(_batched(rows, leading)))
        for name, matrix in given.items():
            if matrix is not None:
                _create(db, f"w_{name}", ("source", "col", "x"), _entries(matrices[name]))
            run(db, view_statement(name, None if matrix is None else f"w_{name}", by=by))
        if allowed is not None:
            _create_mask(db, allowed, leading)
        statement = attention_statement(causal=causal, mask=allowed is not None, by=by)
        found = run(db, statement, scale=factor, temperature=1.0).rows
    finally:
        db.close()
    result = _filled(found, (*rows.shape[:-1], matrices["value"].shape[1]))
    return rounded("output", result, answer)


def multi_head_attention(
    query: ArrayLike,
    key: ArrayLike,
    value: ArrayLike,
    heads: Heads,
    *,
    mask: ArrayLike | None = None,
    causal: bool = False,
    scale: float | None = None,
) -> NDArray[Any]:
    r"""Return multi-head attention, computed by SQLite: one join, with a column ``head``.

    .. math:: \sum_h \operatorname{Attention}(Q W^Q_h,\; K W^K_h,\; V W^V_h)\, W^O_h

    Parameters
    ----------
    query : array_like, shape (..., n_queries, d_model)
    key : array_like, shape (..., n_keys, d_model)
    value : array_like, shape (..., n_keys, d_model)
        Before any view is taken; leading axes broadcast and become a column ``batch``.
    heads
        The views of each head, and the matrix that puts their answers together. In the tables a
        bias is one more row of its matrix, for a column of the input that is 1 throughout; the
        output's bias is added to what the database answers.
    mask, causal, scale
        As in :func:`attention`.

    Returns
    -------
    ndarray, shape (..., n_queries, d_out)
        As :func:`softlookup.multi_head_attention`.

    Raises
    ------
    TypeError, ValueError
        As :func:`softlookup.multi_head_attention`; also for numbers so large that their
        products, multiplied out, could exceed float64.

    Examples
    --------
    >>> one = Heads([[[0], [0]]], [[[0], [0]]], [[[1], [0]]], [[[2]]], b_output=[0.5])
    >>> multi_head_attention([[1, 2]], [[1, 2], [3, 4]], [[1, 2], [3, 4]], one)
    array([[4.5]])
    """
    if not isinstance(heads, Heads):
        raise TypeError(f"heads: needed softlookup.Heads, got {type(heads).__name__}.")
    own = heads.arrays()
    given = {
        name: shapes.floats(name, array)
        for name, array in (("query", query), ("key", key), ("value", value))
    }
    for name, array in given.items():
        shapes.check_matrix(name, array, needs="(..., n, d_model)")
        check_source(array, own[f"w_{name}"], names=(name, f"w_{name}"))
    _check_some_keys("key", given["key"])
    shapes.check_keys_match_values(given["key"], given["value"])
    leading = shapes.broadcast_leading(**given)
    _, answer = shapes.same_float(**given, **own)
    n_queries, n_keys = given["query"].shape[-2], given["key"].shape[-2]
    allowed = _whole_mask(mask, (*leading, n_queries, n_keys))
    factor = default_scale(own["w_query"], scale)
    _check_sizes(given, heads, factor)
    by = ("batch",) if leading else ()
    db = connect()
    try:
        for name, array in given.items():
            rows, matrix = array.astype(np.float64), own[f"w_{name}"].astype(np.float64)
            if f"b_{name}" in own:
                rows = np.concatenate([rows, np.ones((*rows.shape[:-1], 1))], axis=-1)
                matrix = np.concatenate([matrix, own[f"b_{name}"][:, None, :]], axis=1)
            seen = f"{name}_table"
            _create(db, seen, (*by, "position", "col", "x"), _entries(_batched(rows, leading)))
            _create(db, f"w_{name}", ("head", "source", "col", "x"), _entries(matrix))
            run(db, view_statement(name, f"w_{name}", table=seen, by=(*by, "head")))
        _create(db, "w_output", ("head", "source", "col", "x"), _entries(own["w_output"]))
        if allowed is not None:
            _create_mask(db, allowed, leading)
        statement = multi_head_statement(causal=causal, mask=allowed is not None, by=by)
        found = run(db, statement, scale=factor, temperature=1.0).rows
    finally:
        db.close()
    result = _filled(found, (*leading, n_queries, own["w_output"].shape[-1]))
    if "b_output" in own:
        result += own["b_output"]
    return rounded("output", result, answer)


def _scores_and_weights(causal: bool, mask: bool, by: Sequence[str], table: str | None) -> str:
    """Return the two named queries that every statement here begins with."""
    columns = "".join(f"{column}, " for column in by)
    conditions = []
    if causal:
        conditions.append("key.position <= query.position")
    if mask:
        masked = "".join(f"{column}, " for column in by if column != "head")
        conditions.append(f"({masked}query.position, key.position) IN mask")
    where = f"  WHERE {' AND '.join(conditions)}\n" if conditions else ""
    joined = f"{_aliased(table, 'query')} JOIN {_aliased(table, 'key')} USING ({columns}col)"
    return f"""\
score AS (
  SELECT {columns}query.position AS q, key.position AS k,
         SUM(query.x * key.x) * :scale AS s
  FROM {joined}
{where}  GROUP BY {columns}q, k
),
weight AS (
  SELECT {columns}q, k, EXP((s - MAX(s) OVER (PARTITION BY {columns}q)) / :temperature) AS w
  FROM score
)"""


def _blend(by: Sequence[str], table: str | None) -> str:
    """Return the query that adds up the weighted values, for every query that was asked."""
    columns = "".join(f"{column}, " for column in by)
    named = "".join(f"asked.{column}, " for column in by)
    same = "".join(f"value.{column} = weight.{column} AND " for column in by)
    return f"""\
SELECT {named}asked.q AS query, value.col, SUM(w * value.x) / SUM(w) AS x
FROM (SELECT DISTINCT {columns}position AS q FROM {table or "query"}) AS asked
LEFT JOIN weight USING ({columns}q)
LEFT JOIN {_aliased(table, "value")} ON {same}value.position = weight.k
GROUP BY {named}asked.q, value.col"""


def _aliased(table: str | None, name: str) -> str:
    return name if table is None else f"{table} AS {name}"


def _check_some_keys(name: str, key: NDArray[Any]) -> None:
    if key.shape[-2] == 0:
        raise ValueError(f"{name}: needed at least one key to attend to, got shape {key.shape}.")


def _check_sizes(given: Mapping[str, NDArray[Any]], heads: Heads, scale: float) -> None:
    """Refuse numbers whose products might be infinite: SQL would make them NULL without a word."""
    own = heads.arrays()

    def size(*arrays: NDArray[Any] | None) -> float:
        norms = (1 + shapes.norm(a.astype(np.float64)) for a in arrays if a is not None)
        return math.prod(norms)

    q, k, v = (size(given[n], own[f"w_{n}"], own.get(f"b_{n}")) for n in given)
    n_keys = given["key"].shape[-2]
    most = np.finfo(np.float64).max / 8
    if not (q * k * (1 + abs(scale)) < most and v * n_keys * size(own["w_output"]) < most):
        raise ValueError(
            "query, key and value: needed numbers whose products fit into float64, got some so "
            "large that they might not."
        )


def _whole_mask(mask: ArrayLike | None, shape: tuple[int, ...]) -> NDArray[np.bool_] | None:
    if mask is None:
        return None
    needs = "(..., n_queries, n_keys)" if len(shape) > 2 else "(n_queries, n_keys)"
    return np.broadcast_to(shapes.check_mask(mask, shape, needs=needs), shape)


def _batched(array: NDArray[Any], leading: tuple[int, ...]) -> NDArray[Any]:
    """Return an array with all its leading axes as one, or with none if there are none."""
    if not leading:
        return array
    whole = np.broadcast_to(array, (*leading, *array.shape[-2:]))
    return whole.reshape(math.prod(leading), *array.shape[-2:])


def _entries(array: NDArray[Any]) -> Iterable[tuple[Any, ...]]:
    """Return where each entry stands, and what it is."""
    numbers = array.astype(np.float64)
    return [(*where, x.item()) for where, x in np.ndenumerate(numbers)]


def _filled(rows: Iterable[Sequence[Any]], shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Return what the database answered as an array; where it answered NULL, 0."""
    result = np.zeros((math.prod(shape[:-2]), *shape[-2:]))
    for *where, x in rows:
        if where[-1] is not None:
            batch, position, col = where if len(where) == 3 else (0, *where)
            result[batch, position, col] = x
    return result.reshape(shape)


def _create_mask(
    db: sqlite3.Connection, allowed: NDArray[np.bool_], leading: tuple[int, ...]
) -> None:
    columns = (*(("batch",) if leading else ()), "query", "key")
    _create(db, "mask", columns, np.argwhere(_batched(allowed, leading)).tolist())


def _create(
    db: sqlite3.Connection, name: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]
) -> None:
    names = ", ".join(map(_quoted, columns))
    marks = ", ".join("?" * len(columns))
    db.execute(f"CREATE TABLE {_quoted(name)} ({names})")
    db.executemany(f"INSERT INTO {_quoted(name)} VALUES ({marks})", rows)


def _quoted(name: str) -> str:
    return '"' + str(name).replace('"', '""') + '"'


def _plain_value(x: Any) -> Any:
    """Return a NumPy number as Python's; SQLite would take it for bytes."""
    if isinstance(x, np.ndarray):
        raise TypeError(f"needed one number or text per entry, got an array of shape {x.shape}.")
    return x.item() if isinstance(x, np.generic) else x


def _exp(x: float | None) -> float | None:
    try:
        return None if x is None else math.exp(x)
    except OverflowError:
        return math.inf


def _show(x: Any) -> str:
    if x is None:
        return "NULL"
    if isinstance(x, float):
        return f"{x:g}" if x.is_integer() else f"{x:.4g}"
    return str(x)


def _plain(text: str) -> str:
    """Keep a cell's text from being read as Markdown, HTML or math."""
    return re.sub(r"([\\`*_\[\]<>&|$~#])", r"\\\1", " ".join(text.split()))
