"""Masks: who may attend to whom. True = may attend, everywhere in this package."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import shapes

__all__ = ["causal_mask", "padding_mask"]


def causal_mask(n_queries: int, n_keys: int | None = None) -> NDArray[np.bool_]:
    r"""Return the mask under which each query sees its own position and those before it.

    .. math:: M_{ij} = [\,j \le i\,]

    In SQL: ``WHERE key.position <= query.position``.

    Parameters
    ----------
    n_queries
        Number of queries, at positions 0, 1, ...
    n_keys
        Number of keys, at positions 0, 1, ...; as many as queries if not given.

    Returns
    -------
    ndarray of bool, shape (n_queries, n_keys)
        True = may attend.

    Raises
    ------
    TypeError, ValueError
        For anything but whole numbers of at least 1.

    Notes
    -----
    With unequal counts both sequences start at position 0, as in PyTorch's
    ``scaled_dot_product_attention(is_causal=True)``; some other kernels align their ends
    instead. Source: Vaswani et al., *Attention Is All You Need* (2017), section 3.2.3.

    Examples
    --------
    >>> causal_mask(3).astype(int)
    array([[1, 0, 0],
           [1, 1, 0],
           [1, 1, 1]])
    """
    rows = shapes.count("n_queries", n_queries)
    columns = rows if n_keys is None else shapes.count("n_keys", n_keys)
    return np.arange(columns) <= np.arange(rows)[:, None]


def padding_mask(lengths: ArrayLike, n_keys: int) -> NDArray[np.bool_]:
    r"""Return the mask that hides the padding behind sequences of unequal length.

    .. math:: M_{b,1,j} = [\,j < \text{length}_b\,]

    Parameters
    ----------
    lengths : array_like of int, shape (...)
        How many of the ``n_keys`` keys are real, from 0 to ``n_keys``, for each sequence.
    n_keys
        The padded number of keys.

    Returns
    -------
    ndarray of bool, shape (..., 1, n_keys)
        True = may attend. The axis of length 1 stands for the queries, so that the mask
        broadcasts to scores of shape (..., n_queries, n_keys).

    Raises
    ------
    TypeError
        For lengths that are not whole numbers.
    ValueError
        For a length below 0 or above ``n_keys``.

    Examples
    --------
    >>> padding_mask([3, 1], n_keys=3).astype(int)[:, 0]
    array([[1, 1, 1],
           [1, 0, 0]])
    """
    columns = shapes.count("n_keys", n_keys)
    numbers = shapes.whole_numbers("lengths", lengths)
    outside = (numbers < 0) | (numbers > columns)
    if outside.any():
        raise ValueError(
            f"lengths: needed whole numbers from 0 to n_keys = {columns}, "
            f"got {numbers[outside].flat[0]}."
        )
    return np.arange(columns) < numbers[..., None, None]
