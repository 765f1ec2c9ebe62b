"""Dot products in the reader's hand: a query and keys to drag, and their scaled sum."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np
import traitlets
from numpy.typing import ArrayLike, NDArray

from .. import shapes
from .explorer import Explorer, made_with, matrix, names_for, numbers
from .html import (
    PLANE,
    UNIT,
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

__all__ = ["Similarity"]

#: How far the axes of the sum may reach: the first of these that holds all of it.
REACHES = (0.2, 0.5, 1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10, 12, 16)
#: So many keys can be told apart, and even their longest sum is within the last reach.
MOST_KEYS = 8
#: What stands where there is no direction to compare.
NONE = "\N{EN DASH}"


class Similarity(Explorer):
    r"""Drag a query and keys in the plane; see scores, scaled keys and their sum, tip to tail.

    .. math:: \sum_i s_i k_i \quad\text{with}\quad s_i = q \cdot k_i

    Parameters
    ----------
    keys : array_like, shape (n_keys, 2)
        From 1 to 8 keys, one per row, each coordinate from -1 to 1.
    names
        One name per key.
    query : array_like, shape (2,)
        Where the query starts, each coordinate from -1 to 1.
    axes
        What the two columns are called.

    Attributes
    ----------
    query : list of float
        The query; setting it moves the star.
    key : list of list of float
        The keys; setting them moves the arrows.
    added : int
        How many scaled keys are added up, in their order; at first all of them.
    chosen : int
        What the two sliders move: 0 is the query, 1 the first key.

    Raises
    ------
    TypeError, ValueError
        For inputs that are not finite real numbers, shapes that do not fit, coordinates out of
        range, or a count or choice that is none.

    Examples
    --------
    >>> explorer = Similarity([[1, 0], [0, 1]], ["tea", "soup"], query=[1, 0.5])
    >>> explorer.scores, explorer.total
    (array([1. , 0.5]), array([1. , 0.5]))
    >>> explorer.query = [-0.5, 0.0]
    >>> explorer.scores.tolist(), explorer.total.tolist()
    ([-0.5, 0.0], [-0.5, 0.0])
    """

    MODULE = "similarity"
    STATE = ("query", "key", "added", "chosen", "names")

    query = traitlets.List(traitlets.Float()).tag(sync=True)
    key = traitlets.List(traitlets.List(traitlets.Float())).tag(sync=True)
    added = traitlets.Int().tag(sync=True)
    chosen = traitlets.Int(0).tag(sync=True)
    names = traitlets.List(traitlets.Unicode()).tag(sync=True)

    def __init__(
        self,
        keys: ArrayLike,
        names: Sequence[str],
        *,
        query: ArrayLike,
        axes: tuple[str, str] = ("first", "second"),
    ) -> None:
        rows = matrix("keys", keys, needs="(n_keys, 2)")
        if not 1 <= len(rows) <= MOST_KEYS:
            raise ValueError(f"keys: needed from 1 to {MOST_KEYS} rows, got {len(rows)}.")
        self._axes = axes
        super().__init__(
            key=rows,
            names=names_for("names", names, len(rows)),
            query=np.asarray(query).tolist(),
            added=len(rows),
        )

    @traitlets.validate("names")
    def _check_data(self, proposal: dict[str, Any]) -> Any:
        return made_with(proposal)

    @traitlets.validate("query")
    def _check_query(self, proposal: dict[str, Any]) -> list[float]:
        query = numbers("query", proposal["value"], 2)
        if max(map(abs, query)) > 1:
            raise ValueError(f"query: needed coordinates from -1 to 1, got {query}.")
        return query

    @traitlets.validate("key")
    def _check_key(self, proposal: dict[str, Any]) -> list[list[float]]:
        rows = matrix("keys", proposal["value"], needs="(n_keys, 2)")
        if np.shape(rows) != (len(self.names), 2) or np.abs(rows).max() > 1:
            raise ValueError(
                f"keys: needed {len(self.names)} rows of two numbers from -1 to 1, to be drawn in "
                f"the plane, got shape {np.shape(rows)} with numbers up to "
                f"{np.abs(rows).max(initial=0):g}."
            )
        return rows

    @traitlets.validate("added", "chosen")
    def _check_count(self, proposal: dict[str, Any]) -> int:
        name = proposal["trait"].name
        count = shapes.count(name, proposal["value"], least=0)
        if count > len(self.names):
            raise ValueError(
                f"{name}: needed a whole number from 0 to {len(self.names)}, got {count}."
            )
        return count

    @property
    def scores(self) -> NDArray[Any]:
        """The dot products of the query with the keys."""
        return np.array(self._scores())

    @property
    def total(self) -> NDArray[Any]:
        """The sum of the scaled keys that are added so far."""
        return np.array(self._corners()[self.added])

    # What is drawn is computed number by number, in the order in which the module does it: so the
    # two agree to the last digit.

    def _scores(self) -> list[float]:
        (x, y) = self.query
        return [x * a + y * b for a, b in self.key]

    def _corners(self) -> list[tuple[float, float]]:
        """Return where the sum has got to, from the origin on."""
        corners = [(0.0, 0.0)]
        for score, (a, b) in zip(self._scores(), self.key, strict=True):
            x, y = corners[-1]
            corners.append((x + score * a, y + score * b))
        return corners

    def _reach(self) -> float:
        largest = max(max(abs(x), abs(y)) for x, y in self._corners())
        return next((reach for reach in REACHES if reach >= largest), REACHES[-1])

    def _cosines(self) -> list[float | None]:
        length = _length(self.query)
        products = [length * _length(key) for key in self.key]
        return [s / p if p > 0 else None for s, p in zip(self._scores(), products, strict=True)]

    def _pulls(self) -> list[float]:
        length = _length(self.query)
        return [s * s / length if length > 0 else 0.0 for s in self._scores()]

    def sentence(self) -> str:
        """Return in words which key matches best, which lies best, and which pulls hardest."""
        scores, pulls = self._scores(), self._pulls()
        x, y = self._corners()[self.added]
        total = f"Sum of {self.added}: {fixed(x, 2)}, {fixed(y, 2)}."
        if max(pulls) == 0:
            return f"No key has a score: the query has no length, or no key lies its way. {total}"
        best = scores.index(max(scores))
        hardest = pulls.index(max(pulls))
        straight = [-2.0 if x is None else x for x in self._cosines()]
        return (
            f"Best match: {self.names[best]}, score {fixed(scores[best], 2)}. "
            f"Best direction: {self.names[straight.index(max(straight))]}. "
            f"Hardest pull: {self.names[hardest]}, score {fixed(scores[hardest], 2)}. {total}"
        )

    def frame(self) -> str:
        """Return the two planes, the table, and the controls."""
        steps = slider(
            "added",
            "keys added",
            self.added,
            low=0,
            high=len(self.names),
            step=1,
            shown=f"{self.added} of {len(self.names)}",
        )
        at = [self.query, *self.key][self.chosen]
        places = (
            slider(f"at-{i}", name, x, low=-1, high=1, step=0.01, shown=fixed(x, 2))
            for i, (name, x) in enumerate(zip(self._axes, at, strict=True))
        )
        sentence = (
            "Drag the star, and the tip of a key. Turn a key away from the star: its score falls "
            "below 0, and its scaled arrow flips. Then stretch a key that lies askew, until it "
            "beats a short one that lies just right."
        )
        planes = tag("div", self._keys_plane() + self._sum_plane(), class_="planes")
        return tag(
            "div",
            invitation(sentence)
            + planes
            + self._table()
            + status(self.sentence())
            + controls(steps, self._select(), *places),
            class_="similarity",
        )

    def _keys_plane(self) -> str:
        x, y = self.query
        right, down = point(x, y)
        middle = place(PLANE / 2)
        across = _ends(-y, x)
        lines = tag("line", **across, data_part="zero", class_="zero")
        lines += tag("line", x1=middle, y1=middle, x2=right, y2=down, data_part="ray", class_="ray")
        arrows = "".join(map(self._key, range(len(self.names))))
        drag = star(x, y, f"query: {' and '.join(self._axes)}", _shown(self.query))
        picture = plane(lines + arrows + drag, self._axes, "The keys, and the query among them")
        return tag("div", tag("p", "The query (star) and the keys", class_="caption") + picture)

    def _key(self, i: int) -> str:
        x, y = self.key[i]
        right, down = PLANE / 2 + UNIT * x, PLANE / 2 - UNIT * y
        drawn = tag(
            "path",
            d=_arrow(PLANE / 2, PLANE / 2, right, down),
            data_part="arrow",
            class_="arrow",
        )
        drawn += tag(
            "text",
            escape(f"{i + 1} {self.names[i]}"),
            x=place(right),
            y=place(down + (-9 if y >= 0 else 20)),
            data_part="name",
            class_=_side(x, y),
        )
        return drawn + tag(
            "g",
            tag("circle", r="24", class_="grip") + tag("circle", r="4", class_="key"),
            data_part="tip",
            transform=f"translate({place(right)} {place(down)})",
            role="slider",
            aria_label=f"{self.names[i]}: {' and '.join(self._axes)}",
            aria_valuenow=number(x),
            aria_valuetext=_shown(self.key[i]),
        )

    def _sum_plane(self) -> str:
        reach, corners, scores = self._reach(), self._corners(), self._scores()
        unit = UNIT / reach
        at = [(PLANE / 2 + unit * x, PLANE / 2 - unit * y) for x, y in corners]
        end = at[self.added]
        drawn = tag("path", d=_arrow(*at[0], *end), data_part="sum", class_="sum")
        for i, score in enumerate(scores):
            seen = i < self.added
            kind = "arrow turned" if score < 0 else "arrow"
            drawn += tag(
                "path", d=_arrow(*at[i], *at[i + 1]) if seen else "", data_part="step", class_=kind
            )
            drawn += _number(i + 1, *at[i], *at[i + 1], seen=seen)
        x, y = corners[self.added]
        drawn += tag(
            "text",
            "sum",
            x=place(end[0]),
            y=place(end[1] + (-9 if y >= 0 else 20)),
            data_part="sum-name",
            class_=_side(x, y),
        )
        way = _ends(*self.query)
        way["x1"] = way["y1"] = place(PLANE / 2)
        picture = _axes(reach) + tag("line", **way, data_part="way", class_="ray") + drawn
        near = _ends(*self.query, edge=0.92)
        picture += tag(
            "text",
            "q" if any(self.query) else "",
            x=near["x2"],
            y=near["y2"],
            dy="0.35em",
            data_part="way-name",
            class_="middle",
        )
        caption = tag("p", "Scaled keys, tip to tail (scale fitted)", class_="caption")
        return tag(
            "div",
            caption
            + tag(
                "svg",
                picture,
                viewBox=f"0 0 {PLANE} {PLANE}",
                class_="plane",
                role="img",
                aria_label="The scaled keys, tip to tail, their sum, and the query's direction",
            ),
        )

    def _table(self) -> str:
        heads = ("length", "cos \N{GREEK SMALL LETTER THETA}", "score")
        top = "<td></td>" + "".join(tag("th", head, scope="col") for head in heads)
        top += tag("th", "pull", scope="col", colspan=2)
        rows = "".join(map(self._row, range(len(self.names))))
        x, y = self._corners()[self.added]
        total = tag("th", f"sum of {self.added}", data_part="sum-of", scope="row")
        total += tag("td", f"{fixed(x, 2)}, {fixed(y, 2)}", data_part="total", colspan=3)
        pulled = fixed(sum(self._pulls()[: self.added]), 2)
        total += '<td class="bar"></td>' + tag("td", pulled, data_part="pulled")
        body = tag("tbody", rows)
        return tag("table", tag("thead", tag("tr", top)) + body + tag("tfoot", tag("tr", total)))

    def _row(self, i: int) -> str:
        cosine, pulls = self._cosines()[i], self._pulls()
        share = pulls[i] / sum(pulls) if sum(pulls) > 0 else 0.0
        cells = tag("th", escape(f"{i + 1} {self.names[i]}"), scope="row")
        cells += tag("td", fixed(_length(self.key[i]), 2), data_part="length")
        shown = NONE if cosine is None else fixed(cosine, 2)
        cells += tag("td", shown, data_part="cosine")
        cells += tag("td", fixed(self._scores()[i], 2), data_part="score")
        cells += bar(share) + tag("td", fixed(pulls[i], 2), data_part="pull")
        return tag("tr", cells)

    def _select(self) -> str:
        options = "".join(
            tag(
                "option",
                escape(name),
                value=i,
                data_part="option",
                selected=i == self.chosen,
            )
            for i, name in enumerate(("query", *self.names))
        )
        name = tag("span", "the sliders move", class_="name")
        return tag("label", name + tag("select", options, data_part="chosen"))


def _length(vector: Sequence[float]) -> float:
    x, y = vector
    return math.sqrt(x * x + y * y)


def _shown(vector: Sequence[float]) -> str:
    return ", ".join(fixed(x, 2) for x in vector)


def _arrow(x0: float, y0: float, x1: float, y1: float) -> str:
    """Return the path of an arrow; a short one has a small head, and one of no length none."""
    x, y = x1 - x0, y1 - y0
    length = math.sqrt(x * x + y * y)
    if length == 0:
        return ""
    head = min(10, length)
    x, y, side = x / length, y / length, 0.4 * head
    a, b = x1 - head * x, y1 - head * y
    return (
        f"M{place(x0)} {place(y0)}L{place(a)} {place(b)}M{place(x1)} {place(y1)}"
        f"L{place(a - side * y)} {place(b + side * x)}L{place(a + side * y)} {place(b - side * x)}Z"
    )


def _side(x: float, y: float) -> str:
    """Return to which side of an arrow's tip its name goes: away from others, or to the middle."""
    right = x >= 0
    return "start" if right == (abs(y) > abs(x) and abs(x) < 0.5) else "end"


def _ends(x: float, y: float, *, edge: float = 1) -> dict[str, str]:
    """Return the two ends, at the picture's edge, of the line through the origin along (x, y)."""
    largest = max(abs(x), abs(y))
    far = edge * PLANE / 2 / largest if largest > 0 else 0
    ends = {"x1": -far * x, "y1": far * y, "x2": far * x, "y2": -far * y}
    return {name: place(PLANE / 2 + at) for name, at in ends.items()}


def _number(i: int, x0: float, y0: float, x1: float, y1: float, *, seen: bool) -> str:
    """Return a step's number, beside its middle; none where the step is too short for it."""
    x, y = x1 - x0, y1 - y0
    length = math.sqrt(x * x + y * y)
    long = seen and length >= 12
    across, down = (10 * y / length, -10 * x / length) if long else (0.0, 0.0)
    return tag(
        "text",
        str(i) if long else "",
        x=place((x0 + x1) / 2 + across),
        y=place((y0 + y1) / 2 + down),
        dy="0.35em",
        data_part="number",
        class_="middle",
    )


def _axes(reach: float) -> str:
    middle, end = place(PLANE / 2), place(PLANE)
    lines = tag("line", x1="0.0", y1=middle, x2=end, y2=middle, class_="axis")
    lines += tag("line", x1=middle, y1="0.0", x2=middle, y2=end, class_="axis")
    for sign in (-1, 1):
        x, y = point(sign, sign)
        tick = ("\N{MINUS SIGN}" if sign < 0 else "") + number(reach)
        part = "tick-low" if sign < 0 else "tick-high"
        lines += tag(
            "text", tick, x=x, y=place(PLANE / 2 + 15), data_part=part, class_="tick middle"
        )
        lines += tag(
            "text",
            tick,
            x=place(PLANE / 2 - 6),
            y=y,
            dy="0.35em",
            data_part=part,
            class_="tick end",
        )
    return lines
