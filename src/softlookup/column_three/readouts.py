"""What can be read off trained networks: weights, layers' means, and what a column is worth."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..progress import Progress
from .blocks import in_blocks
from .data import COLUMNS, Data, Task, draw
from .loss import correct, cross_entropy
from .model import forward, logits, stand
from .parameters import Parameters
from .randomness import generator
from .training import Run
from .variants import Variant

__all__ = [
    "Reading",
    "effective_weight",
    "evaluate",
    "importance",
    "mean_layers",
    "mean_weight",
    "read",
]

Array = NDArray[Any]


@dataclass(frozen=True)
class Reading:
    """Everything `read` reads, one row for each seed; None where a variant has no such thing."""

    weight: Array
    """Shape (seeds, 5): mean absolute weight of the first layer behind the sum, by column."""
    effective: Array | None
    """Shape (seeds, 5): the effective weight, sign and all; None behind a ReLU."""
    key_1: Array | None
    """Shape (seeds, 5): mean of key 1."""
    key_2_raw: Array | None
    """Shape (seeds, 5): mean of key 2's input."""
    key_2: Array | None
    """Shape (seeds, 5): mean of key 2."""
    gate: Array | None
    """Shape (seeds, 5): mean of what each query column is multiplied by."""
    attention: Array | None
    """Shape (seeds, keys): mean attention weight of each key, in a true dot product."""
    sum: Array
    """Shape (seeds, 5): mean of the sum vector."""
    loss: Array
    """Shape (seeds,): cross-entropy."""
    accuracy: Array
    """Shape (seeds,): share of rows answered correctly."""
    loss_gained: Array | None
    """Shape (seeds, 5): how much the loss grows when a column is shuffled; None if none was."""
    accuracy_lost: Array | None
    """Shape (seeds, 5): how much accuracy falls when a column is shuffled; None if none was."""


def mean_weight(parameters: Parameters) -> Array:
    r"""Return the published measure of a column: the mean of :math:`|W_{ju}|` over the units.

    Parameters
    ----------
    parameters
        Trained or not. Without a hidden layer, the output layer's weights are taken.

    Returns
    -------
    ndarray, shape (seeds, 5)
        One number for each column.

    Examples
    --------
    >>> from softlookup.column_three import initialise
    >>> mean_weight(initialise([0, 1])).shape
    (2, 5)
    """
    first = "hidden" if "hidden" in parameters else "output"
    return np.abs(parameters.kernel(first)).mean(axis=2)  # type: ignore[no-any-return]


def effective_weight(parameters: Parameters) -> Array:
    r"""Return what a linear hidden layer amounts to: :math:`u = W w`.

    Two linear layers are one: :math:`w^\top (W^\top z + b) + c = u^\top z + \text{const}`. Only
    :math:`u` reaches the output, and :math:`|W|` need not resemble it.

    Parameters
    ----------
    parameters
        Trained or not.

    Returns
    -------
    ndarray, shape (seeds, 5)
        With its sign.

    Examples
    --------
    >>> from softlookup.column_three import initialise
    >>> effective_weight(initialise([0, 1])).shape
    (2, 5)
    """
    output = parameters.kernel("output")
    kernel = parameters.kernel("hidden") @ output if "hidden" in parameters else output
    return kernel[:, :, 0]


def mean_layers(variant: Variant, parameters: Parameters, x: Array) -> dict[str, Array | None]:
    """Return the mean over rows of keys, gate, attention and sum vector.

    Parameters
    ----------
    variant
        What the networks are made of.
    parameters
        One network for each seed.
    x : ndarray, shape (seeds, rows, 5)
        The rows.

    Returns
    -------
    dict
        Under the names of `Reading`, arrays of shape (seeds, 5), or None.

    Examples
    --------
    >>> from softlookup.column_three import Variant, draw, initialise
    >>> means = mean_layers(Variant(), initialise([0, 1]), draw([0, 1]).x)
    >>> bool(abs(means["key_1"].sum(axis=1) - 1).max() < 1e-5)
    True
    """
    layers = forward(variant, parameters, stand(x))
    keys = layers.keys
    gate = variant.keys > 0 and variant.product == "elementwise"
    attention = None if layers.weights is None else layers.weights[:, :, 0].mean(axis=2)
    return {
        "key_1": keys[:, 0].mean(axis=2) if variant.keys else None,
        "key_2_raw": layers.key_inputs[:, 1, :COLUMNS].mean(axis=2) if variant.keys > 1 else None,
        "key_2": keys[:, 1].mean(axis=2) if variant.keys > 1 else None,
        "gate": (keys * keys).sum(axis=1).mean(axis=2) if gate else None,
        "attention": attention,
        "sum": layers.sum[:, :COLUMNS].mean(axis=2),
    }


def evaluate(variant: Variant, parameters: Parameters, data: Data) -> tuple[Array, Array]:
    """Return loss and accuracy of each seed's network on its rows.

    Parameters
    ----------
    variant
        What the networks are made of.
    parameters
        One network for each seed.
    data
        Rows and labels, as `draw` gives them.

    Returns
    -------
    loss, accuracy : ndarray, shape (seeds,)
        Means over the rows.

    Examples
    --------
    >>> from softlookup.column_three import Variant, draw, initialise
    >>> loss, accuracy = evaluate(Variant(), initialise([0, 1]), draw([0, 1]))
    >>> loss.shape, accuracy.shape
    ((2,), (2,))
    """

    def work(part: slice) -> tuple[Array, Array]:
        answer, label = logits(variant, parameters[part], stand(data.x[part])), data.y[part]
        return cross_entropy(answer, label).mean(axis=1), correct(answer, label).mean(axis=1)

    # A few networks at a time, so that what lies between rows and answers takes little memory.
    loss, accuracy = zip(*in_blocks(work, len(data.x), block=8), strict=True)
    return np.concatenate(loss), np.concatenate(accuracy)


def importance(
    variant: Variant, parameters: Parameters, data: Data, seeds: tuple[int, ...]
) -> tuple[Array, Array]:
    """Return what each column is worth: shuffle it over the rows and see what is lost.

    Parameters
    ----------
    variant
        What the networks are made of.
    parameters
        One network for each seed.
    data
        Rows that the networks were not trained on.
    seeds
        Whose stream shuffles.

    Returns
    -------
    loss_gained, accuracy_lost : ndarray, shape (seeds, 5)
        Against the same rows unshuffled. Near 0: shuffling the column costs nothing. Of a column
        that says nothing about the label that is so however much the network listens to it.

    Notes
    -----
    Source: Breiman (2001), section 10.

    Examples
    --------
    >>> from softlookup.column_three import Variant, draw, train
    >>> run = train([0, 1], "no attention")
    >>> gained, lost = importance(run.variant, run.after(20), draw([0, 1], purpose="x"), (0, 1))
    >>> gained.argmax(axis=1).tolist()
    [3, 3]
    """
    loss, accuracy = evaluate(variant, parameters, data)
    gained = np.empty((len(data.x), COLUMNS), loss.dtype)
    lost = np.empty((len(data.x), COLUMNS), accuracy.dtype)
    streams = [generator(seed, "permutation importance") for seed in seeds]
    for column in range(COLUMNS):
        shuffled = data.x.copy()
        for rows, stream in zip(shuffled, streams, strict=True):
            rows[:, column] = stream.permutation(rows[:, column])
        new_loss, new_accuracy = evaluate(variant, parameters, Data(shuffled, data.y))
        gained[:, column] = new_loss - loss
        lost[:, column] = accuracy - new_accuracy
    return gained, lost


def read(
    run: Run,
    epoch: int | None = None,
    *,
    task: Task | None = None,
    rows: int = 1_000,
    purpose: str = "fresh",
    shuffle: bool = True,
    progress: Progress | None = None,
    threads: int | None = None,
) -> Reading:
    """Read everything off a run's networks after one of its snapshots.

    Parameters
    ----------
    run
        What `train` returned.
    epoch
        Which snapshot; None is the last.
    task
        What rows to put in; None is what the run was trained on.
    rows
        How many of them for each seed.
    purpose
        ``"fresh"`` draws rows that training never saw; ``"data"`` takes the training run's own.
    shuffle
        Whether to shuffle each column and see what is lost, which takes most of the time.
    progress, threads
        As in `train`.

    Returns
    -------
    Reading
        One row for each seed.

    Examples
    --------
    >>> from softlookup.column_three import train
    >>> reading = read(train(range(3)))
    >>> reading.weight.shape, reading.accuracy.shape
    ((3, 5), (3,))
    """
    parameters = run.after(max(run.snapshots) if epoch is None else epoch)
    variant, task = run.variant, task or run.task
    linear = variant.activation == "linear"

    def work(part: slice) -> dict[str, Array | None]:
        some, seeds = parameters[part], run.seeds[part]
        data = draw(seeds, task, rows=rows, purpose=purpose, dtype=parameters.flat.dtype)
        loss, accuracy = evaluate(variant, some, data)
        gained, lost = importance(variant, some, data, seeds) if shuffle else (None, None)
        return {
            "weight": mean_weight(some),
            "effective": effective_weight(some) if linear else None,
            **mean_layers(variant, some, data.x),
            "loss": loss,
            "accuracy": accuracy,
            "loss_gained": gained,
            "accuracy_lost": lost,
        }

    blocks = in_blocks(work, len(run.seeds), block=8, threads=threads, progress=progress)
    return Reading(
        **{field.name: _stacked([b[field.name] for b in blocks]) for field in fields(Reading)}
    )


def _stacked(parts: list[Array | None]) -> Any:
    given = [part for part in parts if part is not None]
    return np.concatenate(given) if given else None
