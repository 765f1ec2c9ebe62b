"""Train the experiment's network, or a relative of it, once for each of many seeds."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ..progress import Progress
from . import model
from .blocks import in_blocks
from .data import Data, Task, draw, float_type, whole
from .fitting import fit, training_rows
from .parameters import Parameters, glorot_start
from .randomness import generator, seed_list
from .variants import Variant, variant_named

__all__ = ["Run", "initialise", "join", "shuffled", "train"]

Array = NDArray[Any]

ROWS = 1_000
VALIDATION = 0.2


@dataclass(frozen=True)
class Run:
    """What came of training one variant on one task, once for each seed."""

    variant: Variant
    """The network."""
    task: Task
    """The data."""
    seeds: tuple[int, ...]
    """The seeds, in the order of every leading axis."""
    snapshots: Mapping[int, Parameters]
    """Epoch → parameters after it; 0 is the start."""
    history: Mapping[str, Array]
    """``loss``, ``accuracy``, ``val_loss``, ``val_accuracy`` → shape (seeds, epochs), if kept."""

    def after(self, epoch: int) -> Parameters:
        """Return the parameters after an epoch.

        Raises
        ------
        KeyError
            If none were kept, with the epochs that were.
        """
        if epoch not in self.snapshots:
            kept = ", ".join(map(str, self.snapshots))
            raise KeyError(f"epoch: parameters were kept after {kept}, not after {epoch}")
        return self.snapshots[epoch]


def initialise(
    seeds: int | Iterable[int],
    variant: Variant | str = "published",
    *,
    dtype: DTypeLike = np.float32,
) -> Parameters:
    """Return the networks before training, one for each seed.

    Parameters
    ----------
    seeds
        One seed, or several.
    variant
        A `Variant`, or a name in `VARIANTS`.
    dtype
        float32 or float64.

    Returns
    -------
    networks : Parameters
        Glorot-uniform kernels and zero biases, as Keras starts.

    Examples
    --------
    >>> initialise(range(3)).kernel("hidden").shape
    (3, 5, 20)
    """
    return glorot_start(variant_named(variant).layout, seeds, dtype)


def shuffled(seeds: Iterable[int], epochs: int, rows: int) -> NDArray[np.int32]:
    """Return the order in which each seed reads its training rows, epoch by epoch.

    Parameters
    ----------
    seeds
        The seeds.
    epochs, rows
        How many of each.

    Returns
    -------
    ndarray of int, shape (seeds, epochs, rows)
        Each last axis a permutation. More epochs begin with the same ones.

    Examples
    --------
    >>> order = shuffled([0, 1], epochs=2, rows=4)
    >>> order.shape, sorted(order[1, 1].tolist())
    ((2, 2, 4), [0, 1, 2, 3])
    """
    # For 200 epochs of many seeds this is the largest array there is; int32 is half of NumPy's own.
    order = np.empty((len(seeds := seed_list(seeds)), epochs, rows), np.int32)
    order[...] = np.arange(rows)
    for part, seed in zip(order, seeds, strict=True):
        generator(seed, "shuffle").permuted(part, axis=1, out=part)
    return order


def train(
    seeds: int | Iterable[int],
    variant: Variant | str = "published",
    task: Task | None = None,
    *,
    epochs: int = 20,
    snapshots: Collection[int] | None = None,
    history: bool = False,
    dtype: DTypeLike = np.float32,
    data: Data | None = None,
    start: Parameters | None = None,
    order: NDArray[np.integer[Any]] | None = None,
    progress: Progress | None = None,
    threads: int | None = None,
) -> Run:
    """Train one network for each seed, many of them side by side.

    As published: 1,000 rows of which the last 200 are held out, batches of 64 in a new order
    each epoch, binary cross-entropy, Adam at Keras's defaults. A seed's answer does not depend
    on which other seeds are trained with it.

    Parameters
    ----------
    seeds
        One seed, or several.
    variant
        A `Variant`, or a name in `VARIANTS`.
    task
        The data; None is the published task.
    epochs
        How long.
    snapshots
        After which epochs to keep the parameters; the start and the end are always kept.
    history
        Whether to keep loss and accuracy, epoch by epoch.
    dtype
        float32, as Keras, or float64.
    data
        Train on these rows instead of drawing them.
    start
        Start here instead of at `initialise`.
    order : ndarray of int, shape (seeds, epochs, 800)
        Read the training rows in this order instead of `shuffled`'s.
    progress
        Called with the seeds done and the seeds in all; `showing` makes one for notebooks.
    threads
        How many to use; None means one for each core, at most four.

    Returns
    -------
    Run
        Snapshots and history, the seed first.

    Raises
    ------
    TypeError, ValueError
        For anything that cannot be used, with what was needed and what arrived.

    Examples
    --------
    >>> run = train(range(3), epochs=2, snapshots=[1])
    >>> sorted(run.snapshots), run.after(2).kernel("hidden").shape
    ([0, 1, 2], (3, 5, 20))
    """
    seeds = seed_list(seeds)
    variant = variant_named(variant)
    task = Task() if task is None else task
    epochs = whole("epochs", epochs)
    wanted = {0, epochs, *(whole("snapshots", epoch, least=0) for epoch in snapshots or ())}
    if max(wanted) > epochs:
        raise ValueError(f"snapshots: needed epochs up to {epochs}, got {max(wanted)}.")
    dtype = float_type(dtype)
    rows = ROWS
    if data is not None:
        rows = _checked_rows(data, len(seeds))
    trained = training_rows(rows, VALIDATION)
    if start is not None and (len(start) != len(seeds) or start.layout != variant.layout):
        raise ValueError(
            f"start: needed {len(seeds)} networks of this variant "
            f"({variant.parameter_count} numbers each), got shape {start.flat.shape}."
        )
    if order is not None and order.shape != (len(seeds), epochs, trained):
        raise ValueError(f"order: needed shape {(len(seeds), epochs, trained)}, got {order.shape}.")

    def work(part: slice) -> tuple[dict[int, Parameters], dict[str, Array]]:
        x, y = draw(seeds[part], task, dtype=dtype) if data is None else (d[part] for d in data)
        orders = shuffled(seeds[part], epochs, trained) if order is None else order[part]
        if start is None:
            begin = initialise(seeds[part], variant, dtype=dtype)
        else:
            begin = Parameters(variant.layout, start.flat[part].astype(dtype))
        return fit(
            begin,
            x.astype(dtype, copy=False),
            y.astype(dtype, copy=False),
            gradient=partial(model.gradient, variant),
            logits=partial(model.logits, variant),
            order=lambda epoch: orders[:, epoch],
            learning_rate=variant.learning_rate,
            frozen=variant.frozen,
            epochs=epochs,
            validation=VALIDATION,
            snapshots=wanted,
            history=history,
        )

    kept, log = join(in_blocks(work, len(seeds), threads=threads, progress=progress))
    return Run(variant, task, seeds, kept, log)


def join(
    blocks: list[tuple[dict[int, Parameters], dict[str, Array]]],
) -> tuple[Mapping[int, Parameters], Mapping[str, Array]]:
    """Put the blocks' snapshots and histories one below the other."""
    snapshots, histories = zip(*blocks, strict=True)
    kept = {
        epoch: Parameters(some.layout, np.concatenate([block[epoch].flat for block in snapshots]))
        for epoch, some in sorted(snapshots[0].items())
    }
    log = {name: np.concatenate([block[name] for block in histories]) for name in histories[0]}
    return MappingProxyType(kept), MappingProxyType(log)


def _checked_rows(data: Data, seeds: int) -> int:
    x, y = data
    if x.ndim != 3 or y.shape != x.shape[:2] or len(x) != seeds or x.shape[2] != 5:
        raise ValueError(
            f"data: needed x of shape ({seeds}, rows, 5) and y of shape ({seeds}, rows), "
            f"got {x.shape} and {y.shape}."
        )
    if x.shape[1] < 5:
        raise ValueError(f"data: needed at least 5 rows to hold some out, got {x.shape[1]}.")
    return int(x.shape[1])
