"""The soft lookup in the reader's hand: a query to drag, and a temperature to turn."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np
import traitlets
from numpy.typing import ArrayLike, NDArray

from .. import lookup, shapes
from ..softmax import softmax
from .explorer import Explorer, made_with, matrix, names_for, numbers
from .html import (
    bar,
    controls,
    fixed,
    invitation,
    number,
    place,
    plane,
    point,
    slider,
    star,
    status,
    tag,
)

__all__ = ["SoftLookup"]

#: The slider of the temperature runs over powers of ten.
COLDEST, HOTTEST = 0.01, 100.0


class SoftLookup(Explorer):
    r"""Drag a query among two-column keys, turn the temperature, and see the blend answer.

    .. math:: \sum_i w_i v_i \quad\text{with}\quad
        w_i = \frac{e^{q \cdot k_i / T}}{\sum_j e^{q \cdot k_j / T}}

    Parameters
    ----------
    keys : array_like, shape (n_keys, 2)
        One key per row, each coordinate from -1 to 1.
    values : array_like, shape (n_keys,)
        One number per key.
    names
        One name per key.
    query : array_like, shape (2,)
        Where the query starts, each coordinate from -1 to 1.
    temperature
        The temperature to start with, from 0.01 to 100.
    axes
        What the two columns are called.
    value_name, unit
        What a value is, and in what it is counted.

    Attributes
    ----------
    query : list of float
        The query; setting it moves the star.
    temperature : float
        The temperature; setting it moves the slider.

    Raises
    ------
    TypeError, ValueError
        For inputs that are not finite real numbers, shapes that do not fit, or a query or
        temperature out of range.

    Examples
    --------
    >>> explorer = SoftLookup([[1, 0], [0, 1]], [10, 20], ["tea", "soup"], query=[1, 0])
    >>> explorer.weights.round(2), round(explorer.answer, 2)
    (array([0.73, 0.27]), 12.69)
    >>> explorer.temperature = 0.1
    >>> explorer
    SoftLookup: At T = 0.1 the blend is 10.00. Best match: tea, weight 1.00.
    """

    MODULE = "soft_lookup"
    STATE = ("query", "temperature", "key", "value", "names", "unit")

    query = traitlets.List(traitlets.Float()).tag(sync=True)
    temperature = traitlets.Float(1.0).tag(sync=True)
    key = traitlets.List(traitlets.List(traitlets.Float())).tag(sync=True)
    value = traitlets.List(traitlets.Float()).tag(sync=True)
    names = traitlets.List(traitlets.Unicode()).tag(sync=True)
    unit = traitlets.Unicode().tag(sync=True)

    def __init__(
        self,
        keys: ArrayLike,
        values: ArrayLike,
        names: Sequence[str],
        *,
        query: ArrayLike,
        temperature: float = 1.0,
        axes: tuple[str, str] = ("first", "second"),
        value_name: str = "value",
        unit: str = "",
    ) -> None:
        rows = matrix("keys", keys, needs="(n_keys, 2)")
        if len(rows[0]) != 2 or np.abs(rows).max() > 1:
            raise ValueError(
                "keys: needed two columns of numbers from -1 to 1, to be drawn in the plane, got "
                f"shape {np.shape(rows)} with numbers up to {np.abs(rows).max():g}."
            )
        self._axes, self._value_name = axes, value_name
        super().__init__(
            key=rows,
            value=numbers("values", np.asarray(values).tolist(), len(rows)),
            names=names_for("names", names, len(rows)),
            query=np.asarray(query).tolist(),
            temperature=temperature,
            unit=unit,
        )

    @traitlets.validate("key", "value", "names", "unit")
    def _check_data(self, proposal: dict[str, Any]) -> Any:
        return made_with(proposal)

    @traitlets.validate("query")
    def _check_query(self, proposal: dict[str, Any]) -> list[float]:
        query = numbers("query", proposal["value"], 2)
        if max(map(abs, query)) > 1:
            raise ValueError(f"query: needed coordinates from -1 to 1, got {query}.")
        return query

    @traitlets.validate("temperature")
    def _check_temperature(self, proposal: dict[str, Any]) -> float:
        temperature = shapes.finite_number("temperature", proposal["value"], positive=True)
        if not COLDEST <= temperature <= HOTTEST:
            raise ValueError(
                f"temperature: needed a number from {COLDEST} to {HOTTEST:g}, got {temperature}."
            )
        return temperature

    @property
    def weights(self) -> NDArray[Any]:
        """The weights of the keys, which add up to 1."""
        return softmax(np.asarray(self.key) @ self.query, temperature=self.temperature)

    @property
    def answer(self) -> float:
        """The blend of the values."""
        return float(
            lookup.soft_lookup(self.query, self.key, self.value, temperature=self.temperature)
        )

    def sentence(self) -> str:
        """Return in words what the blend is and which key counts most."""
        best = int(self.weights.argmax())
        blend = f"{fixed(self.answer, 2)} {self.unit}".strip()
        return (
            f"At T = {_rounded(self.temperature)} the blend is {blend}. "
            f"Best match: {self.names[best]}, weight {fixed(self.weights[best], 2)}."
        )

    def frame(self) -> str:
        """Return the plane, the table of weights, and the controls."""
        x, y = self.query
        shown = f"{fixed(x, 2)}, {fixed(y, 2)}"
        dots = "".join(map(self._dot, self.key, self.names, self.weights))
        drag = star(x, y, f"query: {' and '.join(self._axes)}", shown)
        picture = plane(dots + drag, self._axes, "The keys, and the query among them")
        rows = (
            slider(f"query-{i}", name, at, low=-1, high=1, step=0.01, shown=fixed(at, 2))
            for i, (name, at) in enumerate(zip(self._axes, self.query, strict=True))
        )
        knob = slider(
            "temperature",
            "temperature",
            round(math.log10(self.temperature), 2),
            low=math.log10(COLDEST),
            high=math.log10(HOTTEST),
            step=0.05,
            shown=_rounded(self.temperature),
        )
        sentence = (
            "Drag the star; turn the temperature all the way down and up. Cold, the best match "
            "alone answers; hot, every guest gets the plain average."
        )
        return (
            invitation(sentence)
            + tag("div", picture + self._table(), class_="side-by-side")
            + status(self.sentence())
            + controls(*rows, knob)
        )

    def _dot(self, key: list[float], name: str, weight: float) -> str:
        x, y = point(*key)
        dot = tag("circle", cx=x, cy=y, r=_radius(weight), data_part="dot", class_="key")
        below = place(float(y) + float(_radius(weight)) + 14)
        return dot + tag("text", escape(name), x=x, y=below, data_part="name", class_="middle")

    def _table(self) -> str:
        times = escape(f"\N{MULTIPLICATION SIGN} {self._value_name}")
        top = "<td></td>" + tag("th", "weight", scope="col", colspan=2)
        top += tag("th", times, scope="col") + tag("th", "=", scope="col")
        rows = "".join(map(self._row, self.names, self.weights, self.value))
        total = tag("th", "sum", scope="row") + "<td></td><td>1.00</td><td></td>"
        total += tag("td", fixed(self.answer, 2), data_part="answer")
        body = tag("tbody", rows)
        return tag("table", tag("thead", tag("tr", top)) + body + tag("tfoot", tag("tr", total)))

    def _row(self, name: str, weight: float, value: float) -> str:
        cells = tag("th", escape(name), scope="row") + bar(weight)
        cells += tag("td", fixed(weight, 2), data_part="weight") + tag("td", number(value))
        return tag("tr", cells + tag("td", fixed(weight * value, 2), data_part="product"))


def _radius(weight: float) -> str:
    """Return a dot's radius: its area grows with the weight, from a small one."""
    return place(math.sqrt(16 + 340 * weight))


def _rounded(temperature: float) -> str:
    return number(float(f"{temperature:.3g}"))
