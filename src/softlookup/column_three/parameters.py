"""The weights of many networks side by side, and where each of them starts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from .data import float_type
from .randomness import generator, seed_list

__all__ = ["Layout", "Parameters", "glorot_start"]


@dataclass(frozen=True)
class Layout:
    """The Dense layers of a network, in order: name, and numbers in and out.

    Layers named in ``without_bias`` are a kernel alone.

    Examples
    --------
    >>> Layout({"hidden": (5, 20), "output": (20, 1)}).size
    141
    """

    layers: Mapping[str, tuple[int, int]]
    without_bias: frozenset[str] = frozenset()

    def shape(self, name: str) -> tuple[int, int]:
        """Return a layer's shape, kernel and bias together."""
        inputs, units = self.layers[name]
        return inputs + (name not in self.without_bias), units

    @property
    def size(self) -> int:
        """How many numbers one network holds: kernels and biases."""
        return sum(rows * units for rows, units in map(self.shape, self.layers))


class Parameters:
    """The parameters of many networks of one layout, held in one array.

    One row of ``flat`` is one network, so a step of the optimiser is a few operations on one
    array. In it a layer's bias follows its kernel, so that the two read as one matrix whose last
    row is the bias: the weight of an input that is always 1.

    Parameters
    ----------
    layout
        The layers.
    flat : ndarray, shape (seeds, layout.size)
        The numbers.

    Raises
    ------
    ValueError
        If ``flat`` has another shape.

    Examples
    --------
    >>> parameters = Parameters(Layout({"output": (2, 1)}), np.array([[1.0, 2.0, 3.0]]))
    >>> parameters.kernel("output")
    array([[[1.],
            [2.]]])
    >>> parameters.bias("output")
    array([[3.]])
    """

    def __init__(self, layout: Layout, flat: NDArray[Any]) -> None:
        if flat.ndim != 2 or flat.shape[1] != layout.size:
            raise ValueError(f"flat: needed shape (seeds, {layout.size}), got {flat.shape}.")
        self.layout = layout
        self.flat = flat
        self._matrices: dict[tuple[str, ...], NDArray[Any]] = {}
        self._first: dict[str, int] = {}
        first = 0
        for name in layout.layers:
            self._first[name] = first
            rows, units = layout.shape(name)
            first += rows * units

    def matrix(self, *names: str) -> NDArray[Any]:
        """Return a layer's kernel with its bias as the last row: a view, the seed first.

        Parameters
        ----------
        *names
            One layer, for shape (seeds, inputs + 1, units); or several of one size that follow
            one another in the layout, for shape (seeds, layers, inputs + 1, units).

        Returns
        -------
        ndarray
            A view into ``flat``.

        Raises
        ------
        KeyError
            For a layer that the network does not have, with the layers it has.
        """
        if names not in self._matrices:
            for name in names:
                if name not in self._first:
                    have = ", ".join(self._first)
                    raise KeyError(f"layer: needed one of {have}, got {name}")
            rows, units = self.layout.shape(names[0])
            first = self._first[names[0]]
            columns = self.flat[:, first : first + len(names) * rows * units]
            stack = (len(names),) if len(names) > 1 else ()
            self._matrices[names] = columns.reshape(len(self.flat), *stack, rows, units)
        return self._matrices[names]

    def kernel(self, name: str) -> NDArray[Any]:
        """Return a layer's weights, shape (seeds, inputs, units): a view."""
        return self.matrix(name)[:, : self.layout.layers[name][0]]

    def bias(self, name: str) -> NDArray[Any]:
        """Return a layer's biases, shape (seeds, units): a view."""
        return self.matrix(name)[:, -1]

    def __contains__(self, name: object) -> bool:
        """Whether the networks have a layer of this name."""
        return name in self._first

    def __len__(self) -> int:
        """How many networks."""
        return len(self.flat)

    def __getitem__(self, which: slice) -> Parameters:
        """Return some of the networks, as views."""
        return Parameters(self.layout, self.flat[which])

    def copy(self) -> Parameters:
        """Return the same numbers in an array of their own."""
        return Parameters(self.layout, self.flat.copy())


def glorot_start(
    layout: Layout, seeds: int | Iterable[int], dtype: DTypeLike = np.float32
) -> Parameters:
    r"""Return Keras's default start: Glorot-uniform kernels, biases 0.

    .. math:: W_{ij} \sim U(-\ell, \ell), \quad \ell = \sqrt{6 / (n_{in} + n_{out})}

    Each layer draws from a stream of its own, named for the layer: networks that share a layer
    start it alike, whatever else they are made of.

    Parameters
    ----------
    layout
        The layers.
    seeds
        One seed, or several.
    dtype
        float32 or float64.

    Returns
    -------
    networks : Parameters
        One network for each seed.

    Notes
    -----
    Source: Glorot and Bengio (2010), equation 16.

    Examples
    --------
    >>> start = glorot_start(Layout({"output": (5, 1)}), seeds=[1, 2])
    >>> start.kernel("output").shape, bool(abs(start.kernel("output")).max() <= 1)
    ((2, 5, 1), True)
    """
    seeds = seed_list(seeds)
    start = Parameters(layout, np.zeros((len(seeds), layout.size), float_type(dtype)))
    for name, shape in layout.layers.items():
        limit = np.sqrt(6 / sum(shape))
        for kernel, seed in zip(start.kernel(name), seeds, strict=True):
            kernel[...] = generator(seed, f"start of {name}").uniform(-limit, limit, shape)
    return start
