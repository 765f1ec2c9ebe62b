"""The score matrix, row by row: from scores to weights to output, with masks to put on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import Any, ClassVar

import numpy as np
import traitlets
from numpy.typing import ArrayLike, NDArray

from .. import shapes
from ..attention import attention_weights, scaled_dot_product_attention
from ..masks import causal_mask, padding_mask
from .explorer import Explorer, made_with, matrix, names_for, numbers, of_same_shape
from .html import choices, fixed, invitation, number, place, radio, status, tag

__all__ = ["ScoreMatrix"]

#: The masks that can be offered: how each is called where it is chosen, and in a sentence.
MASKS = {
    "none": ("none", "Without a mask"),
    "causal": ("causal", "With the causal mask"),
    "padding": ("padding", "With the padding masked"),
    "both": ("both", "With both masks"),
    "nothing": ("nothing left", "With everything hidden"),
}
HIDDEN, NEVER = "\N{MULTIPLICATION SIGN}", "\N{MINUS SIGN}\N{INFINITY}"


class ScoreMatrix(Explorer):
    r"""Choose a row of the score matrix and a mask; see the row become weights and an output.

    .. math:: A_{ij} = \frac{M_{ij}\, e^{q_i \cdot k_j / \sqrt{d_k}}}
        {\sum_l M_{il}\, e^{q_i \cdot k_l / \sqrt{d_k}}},
        \qquad o_i = \sum_j A_{ij} v_j

    Parameters
    ----------
    queries : array_like, shape (n_queries, d_k)
        One query per row.
    keys : array_like, shape (n_keys, d_k)
        One key per row.
    values : array_like, shape (n_keys,)
        One number per key: one column of the table of values.
    asking, names
        One name per query, and one per key.
    row
        The row to follow first, counted from 0.
    masks
        The masks that are offered, among "none", "causal", "padding", "both" (those two), and
        "nothing", under which the chosen row may attend to nothing.
    mask
        The mask to start with; the first of ``masks`` if not given.
    length
        How many of the keys are real; the others are padding. All, if not given.
    value_name, unit
        What a value is, and in what it is counted.

    Attributes
    ----------
    row : int
        The row that is followed; setting it chooses another.
    mask : str
        The mask; setting it chooses another.
    query : list of list of float
        The queries; setting them computes all scores anew.
    length : int
        How many of the keys are real; setting it moves the padding.

    Raises
    ------
    TypeError, ValueError
        For inputs that are not finite real numbers, shapes that do not fit, or a row, mask or
        length that is not there.

    Notes
    -----
    A row that may attend to nothing gets weights 0 and output 0, as in
    :func:`~softlookup.scaled_dot_product_attention`.

    Examples
    --------
    >>> explorer = ScoreMatrix(
    ...     [[1, 0], [0, 1]], [[0, 1], [1, 0]], [10, 20], asking=["Ana", "Bo"],
    ...     names=["tea", "soup"], masks=("none", "causal", "nothing"), unit="coins",
    ... )
    >>> explorer
    ScoreMatrix: Without a mask, Ana gives soup the largest weight, 0.67. Output: 16.70 coins.
    >>> explorer.mask = "causal"
    >>> explorer.weights.round(2)
    array([[1.  , 0.  ],
           [0.67, 0.33]])
    """

    MODULE = "score_matrix"
    STATE = ("row", "mask", "query", "key", "value", "length", "asking", "names", "unit")
    #: The masks that can be offered.
    MASKS: ClassVar[tuple[str, ...]] = tuple(MASKS)

    row = traitlets.Int(0).tag(sync=True)
    mask = traitlets.Unicode("none").tag(sync=True)
    query = traitlets.List(traitlets.List(traitlets.Float())).tag(sync=True)
    key = traitlets.List(traitlets.List(traitlets.Float())).tag(sync=True)
    value = traitlets.List(traitlets.Float()).tag(sync=True)
    length = traitlets.Int(0).tag(sync=True)
    asking = traitlets.List(traitlets.Unicode()).tag(sync=True)
    names = traitlets.List(traitlets.Unicode()).tag(sync=True)
    unit = traitlets.Unicode().tag(sync=True)

    def __init__(
        self,
        queries: ArrayLike,
        keys: ArrayLike,
        values: ArrayLike,
        *,
        asking: Sequence[str],
        names: Sequence[str],
        row: int = 0,
        masks: Sequence[str] = ("none",),
        mask: str | None = None,
        length: int | None = None,
        value_name: str = "value",
        unit: str = "",
    ) -> None:
        query = matrix("queries", queries, needs="(n_queries, d_k)")
        key = matrix("keys", keys, needs="(n_keys, d_k)")
        shapes.check_columns(np.asarray(query), np.asarray(key), name="keys")
        if isinstance(masks, str) or not masks or not set(masks) <= set(MASKS):
            raise ValueError(f"masks: needed some of {', '.join(MASKS)}, got {masks!r}.")
        self._masks, self._value_name = tuple(masks), value_name
        super().__init__(
            query=query,
            key=key,
            value=numbers("values", np.asarray(values).tolist(), len(key)),
            asking=names_for("asking", asking, len(query)),
            names=names_for("names", names, len(key)),
            row=row,
            mask=self._masks[0] if mask is None else mask,
            length=len(key) if length is None else length,
            unit=unit,
        )

    @traitlets.validate("key", "value", "asking", "names", "unit")
    def _check_data(self, proposal: dict[str, Any]) -> Any:
        return made_with(proposal)

    @traitlets.validate("query")
    def _check_query(self, proposal: dict[str, Any]) -> list[Any]:
        return of_same_shape(proposal)

    @traitlets.validate("row")
    def _check_row(self, proposal: dict[str, Any]) -> int:
        row = shapes.count("row", proposal["value"], least=0)
        if row >= len(self.query):
            raise ValueError(f"row: needed a number from 0 to {len(self.query) - 1}, got {row}.")
        return row

    @traitlets.validate("mask")
    def _check_mask(self, proposal: dict[str, Any]) -> str:
        mask: str = proposal["value"]
        if mask not in self._masks:
            raise ValueError(f"mask: needed one of {', '.join(self._masks)}, got {mask!r}.")
        return mask

    @traitlets.validate("length")
    def _check_length(self, proposal: dict[str, Any]) -> int:
        length = shapes.count("length", proposal["value"], least=0)
        if length > len(self.key):
            raise ValueError(f"length: needed a number from 0 to {len(self.key)}, got {length}.")
        return length

    @property
    def may_attend(self) -> NDArray[np.bool_]:
        """The present mask, one row per query: True = may attend."""
        shape = len(self.query), len(self.key)
        allowed = np.ones(shape, bool)
        if self.mask in ("causal", "both"):
            allowed &= causal_mask(*shape)
        if self.mask in ("padding", "both"):
            allowed &= padding_mask(self.length, shape[1])
        if self.mask == "nothing":
            allowed[self.row] = False
        return allowed

    @property
    def scores(self) -> NDArray[Any]:
        r"""The score matrix, :math:`QK^\top`."""
        return np.asarray(self.query) @ np.asarray(self.key).T

    @property
    def weights(self) -> NDArray[Any]:
        """The weights, one row per query."""
        return attention_weights(self.query, self.key, mask=self.may_attend)

    @property
    def output(self) -> NDArray[Any]:
        """The blended values, one per query."""
        column = np.asarray(self.value)[:, None]
        return scaled_dot_product_attention(self.query, self.key, column, mask=self.may_attend)[
            :, 0
        ]

    def sentence(self) -> str:
        """Return in words what became of the row that is followed."""
        who, weights = self.asking[self.row], self.weights[self.row]
        opening = f"{MASKS[self.mask][1]}, {who}"
        if not self.may_attend[self.row].any():
            return f"{opening} may attend to nothing: all weights are 0, and so is the output."
        best = int(weights.argmax())
        return (
            f"{opening} gives {self.names[best]} the largest weight, {fixed(weights[best], 2)}. "
            f"Output: {self._output()}."
        )

    def frame(self) -> str:
        """Return the table of scores, the steps of one row, and the choice of masks."""
        hint = "Choose a row and follow it down the table, from its scores to its output."
        offered = ""
        if len(self._masks) > 1:
            hint += " Then change the mask: what is hidden gets no weight, and the rest shares it."
            offered = choices(
                "mask", "Mask", {name: MASKS[name][0] for name in self._masks}, self.mask
            )
        top = "<td></td>" + "".join(
            tag("th", tag("span", escape(name)), scope="col") for name in self.names
        )
        table = tag(
            "table",
            tag("thead", tag("tr", top))
            + tag("tbody", self._matrix(), class_="scores")
            + tag("tbody", self._steps(), class_="steps")
            + tag("tfoot", self._total()),
            aria_label="Scores of each row, and one row step by step",
        )
        return tag(
            "form",
            invitation(hint) + table + status(self.sentence()) + offered,
            data_part="form",
            class_="score-matrix",
        )

    def _matrix(self) -> str:
        scores, may = self.scores, self.may_attend
        low, high = scores.min(), scores.max()
        rows = ""
        for i, name in enumerate(self.asking):
            cells = tag("th", radio("row", str(i), name, chosen=i == self.row), scope="row")
            for score, seen in zip(scores[i], may[i], strict=True):
                heat = (score - low) / (high - low) if high > low else 0
                cells += tag(
                    "td",
                    fixed(score, 2) if seen else HIDDEN,
                    data_part="score",
                    style=f"--heat: {place(heat, 3)};",
                    class_=_seen(seen),
                )
            rows += tag("tr", cells)
        return rows

    def _steps(self) -> str:
        scores, weights = self.scores[self.row], self.weights[self.row]
        may, columns = self.may_attend[self.row], len(self.key[0])
        scaled = scores / math.sqrt(columns)
        title = tag("span", escape(self.asking[self.row]), data_part="followed")
        head = tag("th", title + ", step by step", colspan=1 + len(self.key), scope="rowgroup")

        def line(name: str, cells: str) -> str:
            return tag("tr", tag("th", escape(name), scope="row") + cells)

        own = "".join(
            tag("td", fixed(s, 2), data_part="own", class_=_seen(m))
            for s, m in zip(scores, may, strict=True)
        )
        divided = "".join(
            tag("td", fixed(s, 2) if m else NEVER, data_part="scaled")
            for s, m in zip(scaled, may, strict=True)
        )
        shares = "".join(tag("td", fixed(w, 2), data_part="weight") for w in weights)
        towers = "".join(
            tag("td", data_part="tower", style=f"--share: {place(w, 4)};") for w in weights
        )
        values = "".join(tag("td", number(v).replace("-", "\N{MINUS SIGN}")) for v in self.value)
        products = "".join(
            tag("td", fixed(w * v, 2), data_part="product")
            for w, v in zip(weights, self.value, strict=True)
        )
        return (
            tag("tr", head)
            + line("score", own)
            + line(f"\N{DIVISION SIGN} \N{SQUARE ROOT}{columns}", divided)
            + line("weight", shares)
            + tag("tr", "<td></td>" + towers, class_="towers", aria_hidden="true")
            + line(f"\N{MULTIPLICATION SIGN} {self._value_name}", values)
            + line("=", products)
        )

    def _total(self) -> str:
        total = tag("td", escape(self._output()), data_part="output", colspan=len(self.key))
        return tag("tr", tag("th", "output", scope="row") + total)

    def _output(self) -> str:
        return f"{fixed(self.output[self.row], 2)} {self.unit}".strip()


def _seen(seen: bool) -> str:
    return "seen" if seen else "hidden"
