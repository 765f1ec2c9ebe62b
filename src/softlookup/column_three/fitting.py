"""Mini-batch training as Keras's ``fit`` does it, many networks side by side."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .adam import Adam
from .loss import correct, cross_entropy
from .model import stand
from .parameters import Parameters

__all__ = ["HISTORY", "fit", "training_rows"]

Array = NDArray[Any]

HISTORY = ("loss", "accuracy", "val_loss", "val_accuracy")
"""What is recorded after each epoch, under Keras's names."""


def training_rows(rows: int, validation: float) -> int:
    """Return how many rows are trained on; the last ones are held out, as Keras does it.

    Examples
    --------
    >>> training_rows(1000, validation=0.2)
    800
    """
    return int(rows * (1 - validation))


def fit(
    start: Parameters,
    x: Array,
    y: Array,
    *,
    gradient: Callable[[Parameters, Array, Array, Parameters], Array],
    logits: Callable[[Parameters, Array], Array],
    order: Callable[[int], Array],
    learning_rate: float,
    frozen: int = 0,
    epochs: int = 20,
    batch: int = 64,
    validation: float = 0.2,
    snapshots: Collection[int] = (),
    history: bool = False,
) -> tuple[dict[int, Parameters], dict[str, Array]]:
    """Train each seed's network on its own rows.

    Parameters
    ----------
    start
        Where to start; it is not changed.
    x : ndarray, shape (seeds, rows, columns)
        Rows.
    y : ndarray, shape (seeds, rows)
        Labels, 0 or 1.
    gradient
        Called with the parameters, a batch (standing, see `stand`), its labels, and the
        parameters to write the slopes into; returns the logits.
    logits
        Called with the parameters and rows (standing); returns the logits.
    order
        Called with the number of an epoch, from 0; returns each seed's order of the training
        rows, shape (seeds, training rows).
    learning_rate
        Adam's.
    frozen
        How many parameters, counted from the first, stay as they start.
    epochs, batch
        Passes over the training rows, and rows in a batch; the last batch may be smaller.
    validation
        The share of rows, at the end, that is held out.
    snapshots
        After which epochs to keep a copy of the parameters; 0 is the start.
    history
        Whether to record the numbers that Keras prints after each epoch. Its ``loss`` and
        ``accuracy`` are running means over the epoch's batches, taken while the weights still
        move; its ``val_`` twins are taken at the epoch's end.

    Returns
    -------
    snapshots : dict
        Epoch → parameters.
    history : dict
        Name → array of shape (seeds, epochs); empty unless asked for.
    """
    parameters, slope = start.copy(), start.copy()
    optimiser = Adam(parameters.flat[:, frozen:], learning_rate)
    free_slope = slope.flat[:, frozen:]
    trained = training_rows(x.shape[1], validation)
    held_out, held_out_label = stand(x[:, trained:]), y[:, trained:]
    # One long table of all seeds' rows: picking rows from it is much faster than from each seed's.
    all_x, all_y = x.reshape(-1, x.shape[2]), y.reshape(-1)
    first_row = np.arange(0, len(all_y), y.shape[1])[:, None]
    kept = {0: start.copy()} if 0 in snapshots else {}
    answers = np.empty((len(x), trained), x.dtype)
    log = {name: np.zeros((len(x), epochs), x.dtype) for name in HISTORY if history}

    for epoch in range(epochs):
        rows = order(epoch) + first_row
        standing, label = stand(all_x.take(rows, axis=0)), all_y.take(rows)
        for first in range(0, trained, batch):
            part = slice(first, min(first + batch, trained))
            answers[:, part] = gradient(parameters, standing[..., part], label[:, part], slope)
            optimiser.step(free_slope)
        if history:
            log["loss"][:, epoch] = cross_entropy(answers, label).mean(axis=1)
            log["accuracy"][:, epoch] = correct(answers, label).mean(axis=1)
        if history and trained < x.shape[1]:
            answer = logits(parameters, held_out)
            log["val_loss"][:, epoch] = cross_entropy(answer, held_out_label).mean(axis=1)
            log["val_accuracy"][:, epoch] = correct(answer, held_out_label).mean(axis=1)
        if epoch + 1 in snapshots:
            kept[epoch + 1] = parameters.copy()
    return kept, log
