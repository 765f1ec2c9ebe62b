"""The same attention, as SQL over SQLite.

Arrays become tables in long form, one row per entry: ``query(position, col, x)``,
``key(position, col, x)`` and ``value(position, col, x)``. One statement does the rest.
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
from .scores import default_scale, safe_factors

__all__ = ["Table", "attention", "attention_statement", "connect", "run"]


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


def attention_statement(*, causal: bool = False, mask: bool = False) -> str:
    """Return the statement that computes attention over the tables of this module.

    Parameters
    ----------
    causal
        Hide each key that stands after its query: ``WHERE key.position <= query.position``.
    mask
        Keep only the pairs listed in a table ``mask(query, key)``.

    Returns
    -------
    str
        SQL with two parameters, ``:scale`` and ``:temperature``. It answers with one row per
        query and value column, ``(query, col, x)``; a query that no key matches answers with
        one row whose col and x are NULL.

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
    """
    conditions = []
    if causal:
        conditions.append("key.position <= query.position")
    if mask:
        conditions.append("(query.position, key.position) IN mask")
    where = f"  WHERE {' AND '.join(conditions)}\n" if conditions else ""
    return f"""\
WITH score AS (
  SELECT query.position AS q, key.position AS k,
         SUM(query.x * key.x) * :scale AS s
  FROM query JOIN key USING (col)
{where}  GROUP BY q, k
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
ORDER BY asked.q, value.col"""


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
    query : array_like, shape (n_queries, d_k)
    key : array_like, shape (n_keys, d_k)
    value : array_like, shape (n_keys, d_v)
    mask : array_like of bool, broadcastable to (n_queries, n_keys), optional
        True = may attend.
    causal
        If True, a query attends only to keys at its own position or before it; this joins
        ``mask`` with AND.
    scale
        The factor on the dot products; :math:`1/\sqrt{d_k}` if not given.

    Returns
    -------
    ndarray, shape (n_queries, d_v)
        SQLite computes in float64; the answer comes back in the type of the inputs. A query
        that no key matches, NULL in SQL, comes back as 0, as in
        :func:`softlookup.scaled_dot_product_attention`.

    Raises
    ------
    TypeError, ValueError
        As :func:`softlookup.scaled_dot_product_attention`; more than two axes are refused too.

    Examples
    --------
    >>> attention([[1.0, 1.0]], key=[[1, 0], [0, 1]], value=[[10], [20]])
    array([[15.]])
    """
    q, k = shapes.floats("query", query), shapes.floats("key", key)
    v = shapes.floats("value", value)
    for name, array, needs in (
        ("query", q, "(n_queries, d_k)"),
        ("key", k, "(n_keys, d_k)"),
        ("value", v, "(n_keys, d_v)"),
    ):
        shapes.check_matrix(name, array, needs=needs, exactly=True)
    shapes.check_columns(q, k)
    shapes.check_keys_match_values(k, v)
    _, answer = shapes.same_float(query=q, key=k, value=v)
    allowed = None
    if mask is not None:
        shape = (len(q), len(k))
        allowed = np.broadcast_to(
            shapes.check_mask(mask, shape, needs="(n_queries, n_keys)"), shape
        )
    factor = default_scale(q, scale)
    q, k, factor, temperature = safe_factors(q.astype(np.float64), k.astype(np.float64), factor)
    # Shrunk if need be, a sum over all keys of the largest values stays finite.
    room = np.finfo(np.float64).maxexp - len(k).bit_length()
    excess = max(0, int(np.frexp(shapes.largest(v))[1]) - room)
    v = np.ldexp(v.astype(np.float64), -excess)
    db = connect()
    try:
        for name, array in (("query", q), ("key", k), ("value", v)):
            _create(db, name, ("position", "col", "x"), _long_form(array))
        if allowed is not None:
            _create(db, "mask", ("query", "key"), np.argwhere(allowed).tolist())
        statement = attention_statement(causal=causal, mask=allowed is not None)
        rows = run(db, statement, scale=factor, temperature=temperature).rows
    finally:
        db.close()
    result = np.zeros((q.shape[0], v.shape[1]))
    for position, col, x in rows:
        if col is not None:
            result[position, col] = x
    return np.ldexp(result, excess).astype(answer)


def _long_form(array: NDArray[Any]) -> list[tuple[int, int, float]]:
    return [(i, j, x) for i, row in enumerate(array.tolist()) for j, x in enumerate(row)]


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
