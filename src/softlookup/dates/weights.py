"""Weights of readers that were trained before, as ``benchmarks/dates.py`` stored them."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .keras_model import Reader, build

__all__ = ["save", "stored"]

_FILES = {True: "with_attention.npz", False: "without_attention.npz"}
_HERE = Path(__file__).parent / "trained"


@cache
def stored(*, attention: bool = True) -> Reader:
    """Return a reader that was trained before, by the same code with seed 0.

    Training depends in the last digit on the processor, and in the end on every digit. These
    weights are for what must look the same everywhere, such as a figure. How they were made and
    what they reach is in ``benchmarks/dates.py`` and the log beside the weights.

    Parameters
    ----------
    attention
        With it or without.

    Returns
    -------
    Reader
        Made once; do not train it further.

    Examples
    --------
    >>> stored().model.count_params() == stored(attention=False).model.count_params()
    True
    """
    reader = build(attention=attention)
    load(reader, _HERE / _FILES[attention])
    return reader


def save(reader: Reader, folder: Path = _HERE) -> Path:
    """Write a reader's weights, in half precision, with the weights' names beside them.

    Parameters
    ----------
    reader
        Trained.
    folder
        Where to.

    Returns
    -------
    Path
        Of the file.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / _FILES[reader.attention]
    halves: dict[str, Any] = {n: a.astype(np.float16) for n, a in _named(reader).items()}
    np.savez_compressed(path, **halves)
    return path


def load(reader: Reader, path: Path) -> None:
    """Give a reader the weights that a file holds.

    Parameters
    ----------
    reader
        Of the same sizes; its weights are overwritten.
    path
        Written by :func:`save`.

    Raises
    ------
    ValueError
        If the file holds other weights.
    """
    with np.load(path) as file:
        arrays = {name: file[name].astype(np.float32) for name in file.files}
    own = _named(reader)
    if {n: a.shape for n, a in own.items()} != {n: a.shape for n, a in arrays.items()}:
        raise ValueError(f"{path.name}: needed weights for this reader, got others.")
    reader.model.set_weights([arrays[name] for name in own])


def _named(reader: Reader) -> dict[str, NDArray[Any]]:
    """Return the weights, named by layer and number: Keras's own names differ between versions."""
    return {
        f"{layer.name}_{number}": np.asarray(array)
        for layer in reader.model.layers
        for number, array in enumerate(layer.get_weights())
    }
