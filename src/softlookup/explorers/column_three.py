"""The column-three experiment, epoch by epoch: stored runs of a few seeds to scrub through."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape
from typing import Any

import numpy as np
import traitlets
from numpy.typing import ArrayLike

from .. import shapes
from .explorer import Explorer, made_with
from .html import controls, fixed, invitation, place, slider, status, tag

__all__ = ["ColumnThree"]

#: Stored numbers are rounded to so many decimals, and shown with so many.
STORED, SHOWN = 4, 2
#: What the bars of a picture that is 0 everywhere are drawn against.
LEAST = 1e-9
NO_BREAK = "\N{NO-BREAK SPACE}"


class ColumnThree(Explorer):
    r"""Scrub through training, seed by seed, and see which column each picture points at.

    Nothing is computed here but which number is the largest: what is seen was measured before, and
    is stored with the figure, rounded.

    Parameters
    ----------
    seeds
        One whole number for each run; the reader chooses among them.
    pictures
        Name → array of shape (seeds, epochs + 1, columns), none of it below 0. Epoch 0 is the
        start. A picture's bars are drawn against its largest number in any seed and epoch;
        names that differ in a final number alone, as *key 1* and *key 2*, share one.
    loss, accuracy : array_like, shape (seeds, epochs + 1)
        Measured after each epoch.
    pull : array_like, shape (seeds, epochs + 1)
        The effective weight :math:`u` of the column with the label.
    column
        Which column has the label.
    seed, epoch
        What is seen first; None is the first seed and the last epoch.

    Attributes
    ----------
    seed : int
        The seed chosen; setting it presses its button.
    epoch : int
        The epoch; setting it moves the slider.

    Raises
    ------
    TypeError, ValueError
        For shapes that do not fit, numbers below 0 in a picture, a seed that is not there, or an
        epoch out of range.

    Examples
    --------
    >>> keys = [[[0.5, 0.5], [0.4, 0.6]]]  # one seed, two columns, before and after one epoch
    >>> loss, accuracy, pull = [[0.7, 0.6]], [[0.5, 0.9]], [[-0.1, 0.2]]
    >>> explorer = ColumnThree(
    ...     [7], {"key": keys}, loss=loss, accuracy=accuracy, pull=pull, column=1
    ... )
    >>> explorer.largest
    [True]
    >>> explorer.epoch = 0
    >>> explorer.sentence()[:49], explorer.sentence()[-34:]
    ('Seed 7 before training: loss 0.70, accuracy 0.50,', 'Column 1 is largest in no picture.')
    """

    MODULE = "column_three"
    STATE = (
        "epoch",
        "seed",
        "seeds",
        "column",
        "names",
        "pictures",
        "scales",
        "loss",
        "accuracy",
        "pull",
    )

    epoch = traitlets.Int().tag(sync=True)
    seed = traitlets.Int().tag(sync=True)
    seeds = traitlets.List(traitlets.Int()).tag(sync=True)
    column = traitlets.Int().tag(sync=True)
    names = traitlets.List(traitlets.Unicode()).tag(sync=True)
    #: [picture][seed][epoch][column]
    pictures = traitlets.List(traitlets.List(traitlets.List(traitlets.List()))).tag(sync=True)
    scales = traitlets.List(traitlets.Float()).tag(sync=True)
    loss = traitlets.List(traitlets.List(traitlets.Float())).tag(sync=True)
    accuracy = traitlets.List(traitlets.List(traitlets.Float())).tag(sync=True)
    pull = traitlets.List(traitlets.List(traitlets.Float())).tag(sync=True)

    def __init__(
        self,
        seeds: Iterable[int],
        pictures: Mapping[str, ArrayLike],
        *,
        loss: ArrayLike,
        accuracy: ArrayLike,
        pull: ArrayLike,
        column: int = 3,
        seed: int | None = None,
        epoch: int | None = None,
    ) -> None:
        chosen = [int(s) for s in seeds]
        if not chosen or len(set(chosen)) != len(chosen):
            raise ValueError(f"seeds: needed at least one, each once, got {chosen}.")
        if not pictures:
            raise ValueError("pictures: needed at least one, got none.")
        stored = {name: _stored(name, given) for name, given in pictures.items()}
        shape = next(iter(stored.values())).shape
        for name, array in stored.items():
            if array.ndim != 3 or array.shape != shape or len(array) != len(chosen):
                raise ValueError(
                    f"{name}: needed shape ({len(chosen)}, epochs + 1, columns), the same for "
                    f"every picture, got {array.shape}."
                )
            if array.min() < 0:
                raise ValueError(f"{name}: needed numbers from 0 up, got {array.min():g}.")
        if min(shape[1:]) < 2 or not 0 <= column < shape[2]:
            raise ValueError(
                f"pictures: needed two epochs or more and a column {column}, got shape {shape}."
            )
        measures = {
            name: _stored(name, given)
            for name, given in (("loss", loss), ("accuracy", accuracy), ("pull", pull))
        }
        for name, array in measures.items():
            if array.shape != shape[:2]:
                raise ValueError(f"{name}: needed shape {shape[:2]}, got {array.shape}.")
        self._last = shape[1] - 1
        # The keys are compared with one another, so one height for all whose names say so.
        kinds = [name.rstrip("0123456789 ") for name in stored]
        highest = {
            kind: max(
                float(a.max()) for k, a in zip(kinds, stored.values(), strict=True) if k == kind
            )
            for kind in kinds
        }
        super().__init__(
            seeds=chosen,
            column=column,
            names=list(stored),
            pictures=[array.tolist() for array in stored.values()],
            scales=[max(highest[kind], LEAST) for kind in kinds],
            seed=chosen[0] if seed is None else seed,
            epoch=self._last if epoch is None else epoch,
            **{name: array.tolist() for name, array in measures.items()},
        )

    @traitlets.validate(
        "seeds", "column", "names", "pictures", "scales", "loss", "accuracy", "pull"
    )
    def _check_data(self, proposal: dict[str, Any]) -> Any:
        return made_with(proposal)

    @traitlets.validate("seed")
    def _check_seed(self, proposal: dict[str, Any]) -> int:
        seed: int = proposal["value"]
        if seed not in self.seeds:
            raise ValueError(f"seed: needed one of {', '.join(map(str, self.seeds))}, got {seed}.")
        return seed

    @traitlets.validate("epoch")
    def _check_epoch(self, proposal: dict[str, Any]) -> int:
        epoch: int = proposal["value"]
        if not 0 <= epoch <= self._last:
            raise ValueError(f"epoch: needed a whole number from 0 to {self._last}, got {epoch}.")
        return epoch

    @property
    def rows(self) -> list[list[float]]:
        """The numbers seen: one row for each picture, one entry for each column."""
        run = self.seeds.index(self.seed)
        return [picture[run][self.epoch] for picture in self.pictures]

    @property
    def largest(self) -> list[bool]:
        """Whether the column with the label is the largest, for each picture; a tie is not."""
        return [_largest(row) == self.column for row in self.rows]

    def sentence(self) -> str:
        """Return in words what is seen: how well the network does, and who points where."""
        run = self.seeds.index(self.seed)
        loss, accuracy, pull = (
            fixed(numbers[run][self.epoch], SHOWN)
            for numbers in (self.loss, self.accuracy, self.pull)
        )
        there = [name for name, is_it in zip(self.names, self.largest, strict=True) if is_it]
        other = [name for name in self.names if name not in there]
        where = f"largest in {_listed(there)}, not in {_listed(other)}"
        if not other:
            where = "largest in every picture"
        elif not there:
            where = "largest in no picture"
        return (
            f"Seed {self.seed} {_when(self.epoch)}: loss {loss}, accuracy {accuracy}, "
            f"u{_below(self.column)}{NO_BREAK}={NO_BREAK}{pull}. Column {self.column} is {where}."
        )

    def frame(self) -> str:
        """Return the pictures, one above the other, and the controls."""
        columns = "".join(
            tag(
                "th",
                str(i) + (tag("small", "label") if i == self.column else ""),
                scope="col",
                class_="label" if i == self.column else None,
            )
            for i in range(len(self.rows[0]))
        )
        head = tag("thead", tag("tr", tag("th", "column", scope="col") + columns))
        body = tag("tbody", "".join(map(self._row, self.names, self.rows, self.scales)))
        buttons = tag("span", "seed", class_="name") + "".join(
            tag(
                "button",
                str(seed),
                type="button",
                data_part="seed",
                aria_label=f"seed {seed}",
                aria_pressed="true" if seed == self.seed else "false",
            )
            for seed in self.seeds
        )
        knob = slider(
            "epoch", "epoch", self.epoch, low=0, high=self._last, step=1, shown=str(self.epoch)
        )
        sentence = (
            "Move the epoch from 0 to the end, then choose another seed. Which pictures point at "
            f"column {self.column}, and from when on? The largest of each row is underlined."
        )
        return tag(
            "div",
            invitation(sentence)
            + tag("table", head + body)
            + status(self.sentence())
            + controls(knob, tag("div", buttons, role="group", aria_label="seed", class_="seeds")),
            class_="column-three",
        )

    def _row(self, name: str, row: list[float], scale: float) -> str:
        cells = "".join(
            tag(
                "td",
                fixed(x, SHOWN),
                data_part="cell",
                class_=_cell_class(i == self.column, i == _largest(row)),
                style=_height(x / scale),
            )
            for i, x in enumerate(row)
        )
        return tag("tr", tag("th", escape(name), scope="row") + cells)


def _stored(name: str, given: ArrayLike) -> Any:
    """Return the numbers, checked and rounded."""
    return np.round(np.asarray(shapes.floats(name, given), float), STORED)


def _largest(row: list[float]) -> int | None:
    """Return where the largest number is, or None if two are."""
    top = max(row)
    return row.index(top) if row.count(top) == 1 else None


def _cell_class(label: bool, largest: bool) -> str:
    return f"{'label' if label else 'noise'} {'largest' if largest else 'other'}"


def _height(share: float) -> str:
    return f"--share: {place(share, 4)};"


def _when(epoch: int) -> str:
    if not epoch:
        return "before training"
    return f"after {epoch} epoch{'s' if epoch > 1 else ''}"


def _below(column: int) -> str:
    """Return a number as it is written below the line."""
    return "".join(chr(0x2080 + int(digit)) for digit in str(column))


def _listed(names: list[str]) -> str:
    return ", ".join(names[:-1]) + (" and " if len(names) > 1 else "") + names[-1] if names else ""
