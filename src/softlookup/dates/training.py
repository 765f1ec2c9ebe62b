"""Teach a reader with the right answers, and count how many held-out dates it gets exactly."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import shapes
from ..keras_loader import load_keras
from ..progress import Progress
from .data import Dates
from .keras_model import Reader, predict
from .reading import best

__all__ = ["Epoch", "exact", "shares", "train"]


class Epoch(NamedTuple):
    """What one pass over the training dates ended with."""

    loss: float
    """The mean loss over the pass."""
    exact: float
    """The share of held-out dates read exactly, after it; NaN where none were given."""


def train(
    reader: Reader,
    dates: Dates,
    *,
    epochs: int = 3,
    batch: int = 256,
    seed: int = 0,
    held_out: Dates | None = None,
    progress: Progress | None = None,
) -> list[Epoch]:
    """Train a reader in place by teacher forcing.

    Parameters
    ----------
    reader
        From :func:`build`; training goes on from where it is.
    dates
        To learn from. What does not fill a batch is left for another epoch's order.
    epochs
        Passes over the dates.
    batch
        How many dates to learn from at once.
    seed
        Decides the order, another in each epoch.
    held_out
        Counted after each epoch, if given.
    progress
        Told how many batches are done; ``softlookup.progress.showing`` makes one.

    Returns
    -------
    list of Epoch

    Raises
    ------
    TypeError, ValueError
        For numbers below 1, a bad seed, or fewer dates than fill one batch.

    Notes
    -----
    The same seed on the same machine gives the same weights, except that sums may be taken in
    another order when several threads share the work; another processor or another version of
    TensorFlow gives others. What is compared between machines should be as coarse as a share of
    dates read.

    Examples
    --------
    >>> from softlookup.dates import build, draw
    >>> some, _ = draw(train=32, held_out=1)
    >>> len(train(build(units=4, embedding=2), some, epochs=1, batch=32))
    1
    """
    for name, number in (("epochs", epochs), ("batch", batch)):
        shapes.count(name, number)
    steps = len(dates) // batch
    if not steps:
        raise ValueError(f"dates: needed at least {batch} to fill one batch, got {len(dates)}.")
    rng = np.random.default_rng(shapes.count("seed", seed, least=0))
    keras = load_keras()
    source, before, target = dates.arrays()
    record = []
    for epoch in range(epochs):
        order = rng.permutation(len(dates))[: steps * batch]
        watching = []
        if progress:
            progress(epoch * steps, epochs * steps)
            watching = [_counting(keras, progress, done=epoch * steps, total=epochs * steps)]
        history = reader.model.fit(
            [source[order], before[order]],
            target[order],
            batch_size=batch,
            shuffle=False,
            verbose=0,
            callbacks=watching,
        )
        right = float("nan") if held_out is None else float(exact(reader, held_out).mean())
        record.append(Epoch(float(history.history["loss"][0]), right))
    return record


def exact(reader: Reader, dates: Dates) -> NDArray[np.bool_]:
    """Return for each date whether all ten characters of the reader's answer are right.

    One pass tells, with the right characters standing before each answer: if all ten are right
    that way, then each character that greedy reading puts before the next is right too, and the
    other way round. So this is the exact match of greedy reading, at a tenth of its cost.

    Parameters
    ----------
    reader
        From :func:`build`, trained or not.
    dates
        Such as those held out.

    Returns
    -------
    ndarray of bool, shape (len(dates),)

    Examples
    --------
    >>> from softlookup.dates import build, draw
    >>> _, some = draw(train=1, held_out=3)
    >>> exact(build(units=4, embedding=2), some)
    array([False, False, False])
    """
    source, before, target = dates.arrays()
    return np.asarray((best(predict(reader.model, source, before)) == target).all(axis=1))


def shares(right: NDArray[np.bool_], groups: Sequence[object]) -> dict[object, tuple[float, int]]:
    """Return the share of right answers in each group, and how many dates the group has.

    Parameters
    ----------
    right
        From :func:`exact`.
    groups
        What each date belongs to: ``dates.language``, ``dates.form``, or
        ``[len(text) for text in dates.text]``.

    Returns
    -------
    dict
        For each group, in sorted order, its share and its size.

    Raises
    ------
    ValueError
        If there is not one group for each answer.

    Examples
    --------
    >>> shares(np.array([True, False, True]), ["French", "French", "German"])
    {'French': (0.5, 2), 'German': (1.0, 1)}
    """
    if len(right) != len(groups):
        raise ValueError(f"groups: needed one for each of {len(right)} dates, got {len(groups)}.")
    answers: dict[object, list[bool]] = {}
    for one, group in zip(right.tolist(), groups, strict=True):
        answers.setdefault(group, []).append(one)
    ordered = sorted(answers, key=lambda group: group if isinstance(group, int) else str(group))
    return {group: (float(np.mean(answers[group])), len(answers[group])) for group in ordered}


def _counting(keras: object, progress: Progress, *, done: int, total: int) -> object:
    return keras.callbacks.LambdaCallback(  # type: ignore[attr-defined]
        on_train_batch_end=lambda batch, logs: progress(done + batch + 1, total)
    )
