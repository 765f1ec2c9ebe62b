r"""Softmax: from scores to positive weights that sum to 1."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import shapes

__all__ = ["softmax", "softmax_in_place"]


def softmax(
    scores: ArrayLike,
    *,
    axis: int = -1,
    temperature: float = 1.0,
    mask: ArrayLike | None = None,
) -> NDArray[Any]:
    r"""Return weights of at least 0 that sum to 1 along ``axis`` and grow with the scores.

    .. math:: w_i = \frac{e^{s_i / T}}{\sum_j e^{s_j / T}}

    Towards :math:`T \to 0` the largest score takes everything (scores that tie for it share
    equally); towards :math:`T \to \infty` all weights become equal.

    Parameters
    ----------
    scores : array_like, shape (..., n, ...)
        The scores :math:`s`, any finite size.
    axis
        The axis along which the weights sum to 1.
    temperature
        The temperature :math:`T`, above 0.
    mask : array_like of bool, broadcastable to the shape of ``scores``, optional
        True = takes part. An entry that does not take part gets weight 0; where none takes
        part, all weights are 0.

    Returns
    -------
    ndarray, shape of ``scores``
        The weights, in the floating-point type of the scores (float64 for integers).

    Raises
    ------
    TypeError
        For scores that are not real numbers or a mask that is not boolean.
    ValueError
        For NaN or infinite scores, an empty axis, a mask that does not fit, or a temperature
        that is not above 0.

    Notes
    -----
    Subtracting the largest score first changes nothing, since
    :math:`e^{s - m} / \sum_j e^{s_j - m} = e^{s} / \sum_j e^{s_j}`, and keeps :math:`e^x` from
    overflowing. Source: Goodfellow, Bengio and Courville, *Deep Learning* (2016), section 4.1.

    Examples
    --------
    >>> softmax([1.0, 1.0])
    array([0.5, 0.5])
    >>> softmax([1000.0, 0.0])
    array([1., 0.])
    >>> softmax([3.0, 5.0, 3.0], mask=[True, False, True])
    array([0.5, 0. , 0.5])
    """
    given = shapes.floats("scores", scores)
    temperature = shapes.finite_number("temperature", temperature, positive=True)
    if given.ndim == 0:
        raise ValueError("scores: needed at least one axis, got a single number.")
    if shapes.count("axis", axis, least=-given.ndim) >= given.ndim:
        raise ValueError(f"axis: needed an axis of scores with shape {given.shape}, got {axis}.")
    if given.shape[axis] == 0:
        raise ValueError(
            f"scores: needed at least one entry along axis {axis}, got shape {given.shape}."
        )
    allowed = (
        None if mask is None else shapes.check_mask(mask, given.shape, needs="the shape of scores")
    )
    (computing,), answer = shapes.same_float(scores=given)
    weights = np.array(computing)
    softmax_in_place(weights, allowed, axis=axis, temperature=temperature)
    return weights.astype(answer, copy=False)


def softmax_in_place(
    scores: NDArray[Any],
    mask: NDArray[np.bool_] | None = None,
    *,
    axis: int = -1,
    temperature: float = 1.0,
) -> None:
    """Overwrite an array of scores with its softmax weights; the caller owns the array.

    The working part of :func:`softmax`, without its checks and without a copy.

    Parameters
    ----------
    scores : ndarray of float32 or wider, shape (..., n, ...)
        Overwritten.
    mask : ndarray of bool, broadcastable to the shape of ``scores``, optional
        True = takes part.
    axis, temperature
        As in :func:`softmax`.

    Examples
    --------
    >>> row = np.array([0.0, 0.0])
    >>> softmax_in_place(row)
    >>> row
    array([0.5, 0.5])
    """
    if mask is not None:
        np.copyto(scores, -np.inf, where=~mask)
    if temperature > 1:
        # Halved on both sides, no difference of two scores overflows before it is divided.
        scores *= 0.5
        temperature *= 0.5
    largest = scores.max(axis=axis, keepdims=True)
    if mask is not None:
        # A row with nothing left has no largest score; any finite stand-in leaves its
        # exponentials at exp(-inf) = 0.
        largest[np.isneginf(largest)] = 0
    # Far-apart scores may differ by more than the type can hold: -inf, which is weight 0.
    with np.errstate(over="ignore", under="ignore"):
        scores -= largest
        if temperature != 1:
            # In float64 at least: a temperature of 1e-50 would be 0 in float32.
            wide = np.result_type(scores, np.float64)
            np.divide(scores, temperature, out=scores, dtype=wide, casting="same_kind")
        np.exp(scores, out=scores)
    total = scores.sum(axis=axis, keepdims=True)
    if mask is not None:
        total[total == 0] = 1
    scores /= total
