"""Binary cross-entropy and accuracy, as Keras computes them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["correct", "cross_entropy", "sigmoid"]


def sigmoid(logit: NDArray[Any]) -> NDArray[Any]:
    r"""Return :math:`p = 1 / (1 + e^{-a})`.

    Written with tanh, which cannot overflow: :math:`p = (1 + \tanh(a/2)) / 2`.

    Examples
    --------
    >>> sigmoid(np.array([-1000.0, 0.0, 1000.0]))
    array([0. , 0.5, 1. ])
    """
    probability = np.tanh(0.5 * logit)
    probability += 1
    probability *= 0.5
    return probability


def cross_entropy(logit: NDArray[Any], label: NDArray[Any]) -> NDArray[Any]:
    r"""Return the loss of each row, computed from the logit :math:`a`.

    .. math:: L = -y \log p - (1 - y) \log(1 - p) = \max(a, 0) - a y + \log(1 + e^{-|a|})

    Keras 3 does the same: a loss that finds the sigmoid's own input uses it, and then nothing is
    clipped. The slope is :math:`\partial L / \partial a = p - y`.

    Examples
    --------
    >>> cross_entropy(np.array([0.0, 1000.0]), np.array([1.0, 0.0])).round(4).tolist()
    [0.6931, 1000.0]
    """
    return (  # type: ignore[no-any-return]
        np.maximum(logit, 0) - logit * label + np.log1p(np.exp(-np.abs(logit)))
    )


def correct(logit: NDArray[Any], label: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which rows are answered correctly: the answer is 1 where p > ½.

    Examples
    --------
    >>> correct(np.array([-2.0, 0.0, 3.0]), np.array([0.0, 1.0, 1.0])).tolist()
    [True, False, True]
    """
    return (logit > 0) == (label > 0.5)  # type: ignore[no-any-return]
