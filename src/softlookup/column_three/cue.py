r"""A small task where attention helps: the question says where to look.

A row holds five drawers in a new order each time. Each drawer has a name on it and a bit in it,
and at the end of the row stands a cue: one of the names. The answer is the bit in the drawer of
that name. No column holds the answer; *which* column does changes from row to row.

Attention reads it as a lookup. With the cue's one-hot :math:`c`, the name :math:`e_i` and the bit
:math:`v_i = \pm 1` of drawer :math:`i`:

.. math::

    q = W_q^\top c, \quad k_i = W_k^\top e_i, \quad
    a = \mathrm{softmax}_i(q \cdot k_i / \sqrt{d}), \quad r = \sum_i a_i v_i, \quad o = w r + b

Its gradient, with :math:`\bar o = (p - y)/n` and :math:`\bar r = w \bar o`:

.. math::

    \bar s_i = a_i (v_i - r) \bar r, \quad
    \bar q = \sum_i \bar s_i k_i / \sqrt{d}, \quad \bar k_i = \bar s_i q / \sqrt{d}, \quad
    \bar W_q = \sum c \bar q^\top, \quad \bar W_k = \sum_i e_i \bar k_i^\top

(plain sums over the rows of the batch as well). Its rival is a plain network, one ReLU layer and
a sigmoid, that sees the same row.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from math import comb, isfinite, sqrt
from typing import Any, Protocol

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ..progress import Progress
from . import model
from .blocks import in_blocks
from .data import Data, float_type, whole
from .fitting import fit, training_rows
from .loss import correct, sigmoid
from .model import stand
from .parameters import Layout, Parameters, glorot_start
from .randomness import generator, seed_list
from .training import join, shuffled
from .variants import Variant

__all__ = [
    "DRAWERS",
    "CueAttention",
    "CueDense",
    "CueRun",
    "best_without_looking",
    "cue_accuracy",
    "cue_weights",
    "draw_cues",
    "stored_accuracy",
    "train_cues",
]

Array = NDArray[Any]

DRAWERS = 5
"""How many drawers a row has, and how many names there are."""

# Columns of one drawer (its name, one-hot, and its bit) and of a row (five of them and the cue).
_DRAWER = DRAWERS + 1
CUE_COLUMNS = DRAWERS * _DRAWER + DRAWERS


def draw_cues(
    seeds: int | Iterable[int],
    *,
    rows: int = 1_000,
    purpose: str = "data",
    dtype: DTypeLike = np.float32,
) -> Data:
    """Draw rows of drawers, one data set for each seed.

    Parameters
    ----------
    seeds, rows, purpose, dtype
        As in `draw`.

    Returns
    -------
    Data
        ``x`` of shape (seeds, rows, 35): five times a one-hot name and a bit as -1 or 1, then
        the one-hot cue. ``y`` of shape (seeds, rows): the bit as 0 or 1.

    Examples
    --------
    >>> x, y = draw_cues(0, rows=1)
    >>> drawers = x[0, 0, :30].reshape(5, 6)
    >>> wanted = x[0, 0, 30:].argmax()
    >>> (found,) = (drawers[:, wanted] == 1).nonzero()[0]
    >>> bool((drawers[found, 5] > 0) == y[0, 0])
    True
    """
    seeds = seed_list(seeds)
    rows = whole("rows", rows)
    dtype = float_type(dtype)
    x = np.zeros((len(seeds), rows, CUE_COLUMNS), dtype)
    y = np.empty((len(seeds), rows), dtype)
    one_hot = np.eye(DRAWERS)
    every = np.arange(rows)
    for i, seed in enumerate(seeds):
        rng = generator(seed, f"cue {purpose}")
        names = rng.permuted(np.tile(np.arange(DRAWERS), (rows, 1)), axis=1)
        bits = rng.integers(0, 2, (rows, DRAWERS))
        place = rng.integers(0, DRAWERS, rows)
        drawers = x[i, :, :-DRAWERS].reshape(rows, DRAWERS, _DRAWER)
        drawers[:, :, :DRAWERS] = one_hot[names]
        drawers[:, :, DRAWERS] = 2 * bits - 1
        x[i, :, -DRAWERS:] = one_hot[names[every, place]]
        y[i] = bits[every, place]
    return Data(x, y)


def best_without_looking() -> float:
    """Return the accuracy of answering with the bit that most drawers hold.

    Nothing that ignores the cue can do better.

    Returns
    -------
    float
        The mean over all fillings of the drawers of the larger share.

    Examples
    --------
    >>> best_without_looking()
    0.6875
    """
    fillings = range(DRAWERS + 1)
    larger = sum(comb(DRAWERS, ones) * max(ones, DRAWERS - ones) for ones in fillings)
    return larger / float(DRAWERS * 2**DRAWERS)


def stored_accuracy() -> dict[str, NDArray[np.float64]]:
    """Return the accuracies of 200 plain networks with ten times the rows, or the epochs.

    Training them takes a minute, so they were trained once, by ``benchmarks/cue.py``.

    Returns
    -------
    dict
        ``"rows"``: 20 epochs on 8,000 of 10,000 rows; ``"epochs"``: 200 epochs on 800 of 1,000.
        Each an array with one accuracy on fresh rows for each of the seeds 0 to 199, of
        ``CueDense(20)``, rounded to four digits.

    Examples
    --------
    >>> {name: numbers.shape for name, numbers in stored_accuracy().items()}
    {'rows': (200,), 'epochs': (200,)}
    """
    text = (files("softlookup") / "readings" / "cue.json").read_text(encoding="utf-8")
    return {name: np.array(numbers) for name, numbers in json.loads(text)["accuracy"].items()}


class CueNetwork(Protocol):
    """What `train_cues` needs of a network."""

    @property
    def layout(self) -> Layout:
        """The layers."""

    @property
    def learning_rate(self) -> float:
        """Adam's."""

    def start(self, seeds: Iterable[int], dtype: DTypeLike = np.float32) -> Parameters:
        """Return the networks before training."""

    def logits(self, parameters: Parameters, x: Array) -> Array:
        """Return the logits of standing rows."""

    def gradient(self, parameters: Parameters, x: Array, label: Array, slope: Parameters) -> Array:
        """Write the slopes; return the logits."""


@dataclass(frozen=True)
class CueDense:
    """The rival: Dense(hidden, ReLU), Dense(1, sigmoid) on the whole row.

    Parameters
    ----------
    hidden
        Units of the hidden layer.
    learning_rate
        Adam's.

    Examples
    --------
    >>> CueDense(hidden=3).layout.size
    112
    """

    hidden: int
    learning_rate: float = 0.01

    def __post_init__(self) -> None:
        """Refuse a layer without units."""
        whole("hidden", self.hidden)

    @property
    def layout(self) -> Layout:
        """The layers."""
        return Layout({"hidden": (CUE_COLUMNS, self.hidden), "output": (self.hidden, 1)})

    @property
    def _variant(self) -> Variant:
        """The column-three network that is this one, but for the width of its rows."""
        return Variant(keys=0, hidden=self.hidden, activation="relu")

    def start(self, seeds: Iterable[int], dtype: DTypeLike = np.float32) -> Parameters:
        """Return the networks before training, as Keras starts."""
        return glorot_start(self.layout, seeds, dtype)

    def logits(self, parameters: Parameters, x: Array) -> Array:
        """Return the logits of standing rows, shape (seeds, rows)."""
        return model.logits(self._variant, parameters, x)

    def gradient(self, parameters: Parameters, x: Array, label: Array, slope: Parameters) -> Array:
        """Write the slopes of the mean loss into ``slope``; return the logits."""
        return model.gradient(self._variant, parameters, x, label, slope)


@dataclass(frozen=True)
class CueAttention:
    """One query (from the cue), five keys (from the names), five values (the bits).

    Parameters
    ----------
    width
        Length d of query and keys.
    learning_rate
        Adam's.
    output
        Where the output weight starts; None for a random number, as Keras starts a Dense layer.
        What was read is the answer, so this weight has to end above 0. From a start below, many
        networks first learn to look away from the right drawer, and do not find back.

    Raises
    ------
    ValueError
        For keys of no length, or an output weight that is not a finite number.

    Examples
    --------
    >>> CueAttention(width=8).layout.size
    82
    """

    width: int = 8
    learning_rate: float = 0.01
    output: float | None = 1.0

    def __post_init__(self) -> None:
        """Refuse keys of no length, and a start that is no number."""
        whole("width", self.width)
        if self.output is not None and not isfinite(self.output):
            raise ValueError(f"output: needed a number or None, got {self.output!r}.")

    @property
    def layout(self) -> Layout:
        """The layers."""
        layers = {"query": (DRAWERS, self.width), "key": (DRAWERS, self.width), "output": (1, 1)}
        return Layout(layers, without_bias=frozenset({"query", "key"}))

    def start(self, seeds: Iterable[int], dtype: DTypeLike = np.float32) -> Parameters:
        """Return the networks before training: as Keras starts, but for ``output``."""
        begin = glorot_start(self.layout, seeds, dtype)
        if self.output is not None:
            begin.kernel("output")[...] = self.output
        return begin

    def forward(self, parameters: Parameters, x: Array) -> tuple[Array, ...]:
        """Return query, keys, attention weights, what was read (with ones), and logits.

        Parameters
        ----------
        parameters
            One network for each seed.
        x : ndarray, shape (seeds, 36, rows)
            Rows, as `stand` stands them.

        Returns
        -------
        query : ndarray, shape (seeds, d, rows)
        keys : ndarray, shape (seeds, 5, d, rows)
        weights : ndarray, shape (seeds, 5, rows)
        found : ndarray, shape (seeds, 2, rows)
        logit : ndarray, shape (seeds, 1, rows)
        """
        names, bits, cue = _parts(x)
        query = parameters.kernel("query").swapaxes(1, 2) @ cue
        keys = parameters.kernel("key").swapaxes(1, 2)[:, None] @ names
        scores = np.add.reduce(query[:, None] * keys, axis=2)
        scores *= 1 / sqrt(self.width)
        weights = model.softmax_in_place(scores, axis=1)
        found = np.ones((len(x), 2, x.shape[2]), x.dtype)
        np.add.reduce(weights * bits, axis=1, out=found[:, 0])
        return query, keys, weights, found, parameters.matrix("output").swapaxes(1, 2) @ found

    def logits(self, parameters: Parameters, x: Array) -> Array:
        """Return the logits of standing rows, shape (seeds, rows)."""
        logit = self.forward(parameters, x)[-1]
        return logit[:, 0]

    def gradient(self, parameters: Parameters, x: Array, label: Array, slope: Parameters) -> Array:
        """Write the slopes of the mean loss into ``slope``; return the logits."""
        names, bits, cue = _parts(x)
        query, keys, weights, found, logit = self.forward(parameters, x)
        d_logit = sigmoid(logit)
        d_logit -= label[:, None]
        d_logit /= label.shape[-1]
        slope.matrix("output")[...] = found @ d_logit.swapaxes(1, 2)
        d_found = parameters.kernel("output") * d_logit
        d_scores = weights * (bits - found[:, :1]) * d_found
        d_scores *= 1 / sqrt(self.width)
        d_query = np.add.reduce(d_scores[:, :, None] * keys, axis=1)
        d_keys = d_scores[:, :, None] * query[:, None]
        slope.matrix("query")[...] = cue @ d_query.swapaxes(1, 2)
        slope.matrix("key")[...] = (names @ d_keys.swapaxes(2, 3)).sum(axis=1)
        return logit[:, 0]


def _parts(x: Array) -> tuple[Array, Array, Array]:
    """Return names, bits and cue of standing rows."""
    seeds, _, rows = x.shape
    drawers = x[:, : DRAWERS * _DRAWER].reshape(seeds, DRAWERS, _DRAWER, rows)
    return drawers[:, :, :DRAWERS], drawers[:, :, DRAWERS], x[:, -DRAWERS - 1 : -1]


@dataclass(frozen=True)
class CueRun:
    """What came of training one network on the drawers, once for each seed."""

    network: CueDense | CueAttention
    """The network."""
    seeds: tuple[int, ...]
    """The seeds, in the order of every leading axis."""
    snapshots: Mapping[int, Parameters]
    """Epoch → parameters after it; 0 is the start."""
    history: Mapping[str, Array]
    """As in `Run`."""


def train_cues(
    seeds: int | Iterable[int],
    network: CueDense | CueAttention,
    *,
    rows: int = 1_000,
    epochs: int = 20,
    snapshots: Collection[int] = (),
    history: bool = True,
    dtype: DTypeLike = np.float32,
    start: Parameters | None = None,
    progress: Progress | None = None,
    threads: int | None = None,
) -> CueRun:
    """Train a network on the drawers, once for each seed: Adam, batches of 64, a fifth held out.

    Parameters
    ----------
    seeds
        One seed, or several.
    network
        A `CueDense` or a `CueAttention`.
    rows
        Rows for each seed.
    epochs, snapshots, history, dtype, progress, threads
        As in `train`.
    start
        Start here instead of at the network's own ``start``.

    Returns
    -------
    CueRun
        Snapshots and history, the seed first.

    Raises
    ------
    ValueError
        For a start that does not hold one such network for each seed, or too few rows.

    Examples
    --------
    >>> run = train_cues(range(2), CueAttention(), rows=200, epochs=2)
    >>> run.history["val_accuracy"].shape
    (2, 2)
    """
    seeds = seed_list(seeds)
    epochs = whole("epochs", epochs)
    rows = whole("rows", rows, least=5)
    wanted = {0, epochs, *snapshots}
    trained = training_rows(rows, 0.2)
    model_of: CueNetwork = network
    if start is not None and (len(start) != len(seeds) or start.layout != network.layout):
        raise ValueError(
            f"start: needed {len(seeds)} networks of {network.layout.size} numbers each, "
            f"got shape {start.flat.shape}."
        )

    def work(part: slice) -> tuple[dict[int, Parameters], dict[str, Array]]:
        x, y = draw_cues(seeds[part], rows=rows, dtype=dtype)
        orders = shuffled(seeds[part], epochs, trained)
        if start is None:
            begin = model_of.start(seeds[part], dtype)
        else:
            begin = Parameters(network.layout, start.flat[part].astype(dtype))
        return fit(
            begin,
            x,
            y,
            gradient=model_of.gradient,
            logits=model_of.logits,
            order=lambda epoch: orders[:, epoch],
            learning_rate=model_of.learning_rate,
            epochs=epochs,
            snapshots=wanted,
            history=history,
        )

    done = in_blocks(work, len(seeds), block=8, threads=threads, progress=progress)
    return CueRun(network, seeds, *join(done))


def cue_accuracy(run: CueRun, epoch: int | None = None, *, rows: int = 2_000) -> Array:
    """Return the accuracy on rows that training never saw, shape (seeds,).

    Parameters
    ----------
    run
        What `train_cues` returned.
    epoch
        Which snapshot; None is the last.
    rows
        How many fresh rows for each seed.

    Returns
    -------
    ndarray, shape (seeds,)
        Share of rows answered correctly.
    """
    parameters = run.snapshots[max(run.snapshots) if epoch is None else epoch]

    def work(part: slice) -> Array:
        x, y = draw_cues(run.seeds[part], rows=rows, purpose="fresh", dtype=parameters.flat.dtype)
        accuracy: Array = correct(run.network.logits(parameters[part], stand(x)), y).mean(axis=1)
        return accuracy

    return np.concatenate(in_blocks(work, len(run.seeds), block=8))


def cue_weights(run: CueRun) -> Array:
    """Return how much attention each name gets under each cue.

    Every name is on one drawer of every row, so that the weights are the same in all rows.

    Parameters
    ----------
    run
        What `train_cues` returned for a `CueAttention`.

    Returns
    -------
    ndarray, shape (seeds, 5, 5)
        First the cue, then the name on the drawer; each row sums to 1.

    Raises
    ------
    ValueError
        For a network without attention.

    Examples
    --------
    >>> run = train_cues(0, CueAttention(), rows=200, epochs=1)
    >>> cue_weights(run).shape
    (1, 5, 5)
    """
    if not isinstance(run.network, CueAttention):
        raise ValueError(f"run: needed a CueAttention's, got a {type(run.network).__name__}'s.")
    parameters = run.snapshots[max(run.snapshots)]
    scores = parameters.kernel("query") @ parameters.kernel("key").swapaxes(1, 2)
    scores *= 1 / sqrt(run.network.width)
    weights: Array = model.softmax_in_place(scores, axis=2)
    return weights
