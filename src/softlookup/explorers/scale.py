"""The root under the fraction: what the number of columns does to a softmax, and what it undoes."""

from __future__ import annotations

import math
from html import escape
from typing import Any

import numpy as np
import traitlets
from numpy.typing import ArrayLike, NDArray

from .. import shapes
from ..softmax import softmax
from .explorer import Explorer, made_with
from .html import bar, controls, fixed, invitation, place, slider, status, tag

__all__ = ["Scale"]

#: The steepest slope's bar runs over so many powers of ten, up to 1.
POWERS = 8
#: Keys that fit into a figure.
MOST_KEYS = 12


class Scale(Explorer):
    r"""Turn the number of columns up and down, with the root and without; see softmax saturate.

    .. math:: w = \operatorname{softmax}\left(\frac{q \cdot k_1}{\sqrt{d}}, \frac{q \cdot k_2}
        {\sqrt{d}}, \dots\right), \qquad \text{steepest slope} = \max_i
        \frac{\partial w_i}{\partial s_i} = \max_i w_i (1 - w_i)

    where :math:`s_i` is what softmax is given. Without the root it is given the dot products.

    Parameters
    ----------
    scores : array_like, shape (n_draws, n_keys, n_sizes)
        Dot products of one query with from 2 to 12 keys, for each draw and each number of
        columns. They are rounded to three decimals.
    sizes : array_like of int, shape (n_sizes,)
        The numbers of columns, each larger than the one before.
    size
        The number of columns to start with, one of ``sizes``.
    root
        Whether to start with the root.

    Attributes
    ----------
    size : int
        The number of columns; setting it moves the slider.
    root : bool
        Whether scores are divided by the root of the number of columns.
    draw : int
        Which draw is shown, counting from 0.

    Raises
    ------
    TypeError, ValueError
        For inputs that are not finite real numbers, shapes that do not fit, sizes that do not
        grow, or a size or draw that is not there.

    Examples
    --------
    >>> explorer = Scale([[[1, 8], [0, 0]]], [1, 64], size=64)
    >>> explorer.weights.round(2), round(explorer.slope, 5)
    (array([1., 0.]), 0.00034)
    >>> explorer.root = True
    >>> explorer.weights.round(2), round(explorer.slope, 5)
    (array([0.73, 0.27]), 0.19661)
    """

    MODULE = "scale"
    STATE = ("size", "root", "draw", "scores", "sizes")

    size = traitlets.Int().tag(sync=True)
    root = traitlets.Bool(False).tag(sync=True)
    draw = traitlets.Int(0).tag(sync=True)
    scores = traitlets.List(traitlets.List(traitlets.List(traitlets.Float()))).tag(sync=True)
    sizes = traitlets.List(traitlets.Int()).tag(sync=True)

    def __init__(
        self, scores: ArrayLike, sizes: ArrayLike, *, size: int, root: bool = False
    ) -> None:
        array = shapes.floats("scores", scores)
        columns = shapes.whole_numbers("sizes", sizes)
        if columns.ndim != 1 or not len(columns) or columns[0] < 1 or (np.diff(columns) <= 0).any():
            raise ValueError(
                "sizes: needed whole numbers of at least 1, each larger than the one before, got "
                f"{columns.tolist()}."
            )
        needed = f"(n_draws, from 2 to {MOST_KEYS} keys, {len(columns)} sizes)"
        fits = array.ndim == 3 and len(array) > 0 and array.shape[2] == len(columns)
        if not (fits and 2 <= array.shape[1] <= MOST_KEYS):
            raise ValueError(f"scores: needed shape {needed}, got {array.shape}.")
        super().__init__(
            scores=(array.astype(float).round(3) + 0.0).tolist(),
            sizes=columns.tolist(),
            size=shapes.count("size", size),
            root=bool(root),
        )

    @traitlets.validate("scores", "sizes")
    def _check_data(self, proposal: dict[str, Any]) -> Any:
        return made_with(proposal)

    @traitlets.validate("size")
    def _check_size(self, proposal: dict[str, Any]) -> int:
        size = shapes.count("size", proposal["value"])
        if size not in self.sizes:
            raise ValueError(f"size: needed one of {self.sizes}, got {size}.")
        return size

    @traitlets.validate("draw")
    def _check_draw(self, proposal: dict[str, Any]) -> int:
        draw = shapes.count("draw", proposal["value"], least=0)
        if draw >= len(self.scores):
            raise ValueError(
                f"draw: needed a whole number from 0 to {len(self.scores) - 1}, got {draw}."
            )
        return draw

    @property
    def factor(self) -> float:
        """What the dot products are divided by."""
        return math.sqrt(self.size) if self.root else 1.0

    @property
    def scaled(self) -> NDArray[Any]:
        """What softmax is given: the dot products, divided by the root or left as they are."""
        at = self.sizes.index(self.size)
        return np.array([key[at] for key in self.scores[self.draw]]) / self.factor

    @property
    def weights(self) -> NDArray[Any]:
        """The weights of the keys, which add up to 1."""
        return softmax(self.scaled)

    @property
    def slope(self) -> float:
        """The steepest slope of a weight, for each 1 that its own score grows."""
        weights = self.weights
        return float((weights * (1 - weights)).max())

    def sentence(self) -> str:
        """Return in words how far the scores reach, what the best key gets, and the slope."""
        scaled, weights = self.scaled, self.weights
        columns = "1 column" if self.size == 1 else f"{self.size} columns"
        return (
            f"{columns}, {'with' if self.root else 'without'} the root: scores from "
            f"{fixed(scaled.min(), 1)} to {fixed(scaled.max(), 1)}, largest weight "
            f"{fixed(weights.max(), 2)} (fair share {fixed(1 / len(weights), 2)}), steepest slope "
            f"{_small(self.slope)}."
        )

    def frame(self) -> str:
        """Return the table of scores and weights, the slope, and the controls."""
        sentence = (
            "Turn the columns up: sooner or later one key takes nearly all, and the slope is lost. "
            "Then divide by the root: the weights stay soft, and the slope stays. "
            "One draw is luck; draw others."
        )
        columns = slider(
            "size",
            "columns, d",
            self.sizes.index(self.size),
            low=0,
            high=len(self.sizes) - 1,
            step=1,
            shown=str(self.size),
        )
        tick = tag("input", type="checkbox", data_part="root", checked=self.root)
        root = tag("label", tick + tag("span", "divide by \N{SQUARE ROOT}d"), class_="tick-box")
        other = tag("button", self._which(), type="button", data_part="draw")
        return tag(
            "div",
            invitation(sentence)
            + self._table()
            + self._gauge()
            + status(self.sentence())
            + controls(columns, root, other),
            class_="scale",
        )

    def _which(self) -> str:
        return f"draw others ({self.draw + 1} of {len(self.scores)})"

    def _table(self) -> str:
        kind = "q \N{DOT OPERATOR} k"
        head = f"{kind} / \N{SQUARE ROOT}{self.size}" if self.root else kind
        top = "<td></td>" + tag("th", head, data_part="kind", scope="col", colspan=2, class_="over")
        top += tag("th", "weight", scope="col", colspan=2, class_="over")
        longest = float(np.abs(self.scores).max()) or 1.0
        rows = ""
        for i, (score, weight) in enumerate(zip(self.scaled, self.weights, strict=True)):
            cells = tag("th", f"key {i + 1}", scope="row")
            cells += tag("td", fixed(score, 2), data_part="score", class_="score")
            signed = tag("i", style=_signed(float(score) / longest), data_part="signed")
            cells += tag("td", signed, class_="signed")
            cells += bar(weight) + tag("td", fixed(weight, 2), data_part="weight")
            rows += tag("tr", cells)
        return tag("table", tag("thead", tag("tr", top)) + tag("tbody", rows))

    def _gauge(self) -> str:
        name = tag("span", "steepest slope")
        shown = tag("b", escape(_small(self.slope)), data_part="slope")
        style = f"--share: {_share(self.slope)};"
        ends = tag("span", fixed(10.0**-POWERS, POWERS))
        ends += tag("span", "each mark: \N{MULTIPLICATION SIGN} 10") + tag("span", "1")
        return tag(
            "div",
            tag("p", name + shown)
            + tag("div", style=style, data_part="gauge", class_="gauge")
            + tag("p", ends, class_="ends"),
            class_="slope",
        )


def _signed(part: float) -> str:
    """Return the style of a bar that goes so far to the left or right, from -1 to 1."""
    return f"--from: {place(0.5 + min(0, part) / 2, 4)}; --long: {place(abs(part) / 2, 4)};"


def _small(slope: float) -> str:
    """Return a slope, with two digits that say something even if it is small."""
    if slope < 10.0**-POWERS:
        return f"< {fixed(10.0**-POWERS, POWERS)}"
    return fixed(slope, 4 if slope >= 0.001 else 1 - math.floor(math.log10(slope)))


def _share(slope: float) -> str:
    """Return how much of its bar a slope fills: one part of `POWERS` per power of ten."""
    power = math.log10(slope) if slope > 0 else -POWERS
    return place(max(0, 1 + power / POWERS), 4)
