r"""Forward and backward through the network and all its variants.

Arrays here stand on their side: shape (seeds, columns, rows), so that a softmax over five columns
adds five long rows of memory, and below the columns stands one more row, of ones, so that a bias
is one more weight (see `Parameters`). Everything below is for one seed; the leading axis repeats
it.

Forward
-------
With the query :math:`q` (the row), the key inputs :math:`x_1 = q`, :math:`x_2 = q` with columns 0
and 3 swapped, and :math:`k_i = \mathrm{softmax}(W_i^\top x_i + b_i)`:

.. math::

    z &= \sum_i q \odot k_i \odot k_i          && \text{(as published, element by element)} \\
    z &= \sum_i a_i k_i, \; a = \mathrm{softmax}_i(q \cdot k_i / s) && \text{(true dot product)} \\
    h &= W^\top z + b, \qquad o = w^\top h + c, \qquad p = \sigma(o)

Backward
--------
Write :math:`\bar{t}` for :math:`\partial L / \partial t`, where :math:`L` is the mean of the
cross-entropy over the :math:`n` rows of the batch. Follow the chain from the end:

.. math::

    \bar o &= (p - y) / n &
    \bar w &= \textstyle\sum h \bar o, \quad \bar c = \sum \bar o \\
    \bar h &= w \bar o \; [h > 0 \text{ if ReLU}] &
    \bar W &= \textstyle\sum z \bar h^\top, \quad \bar b = \sum \bar h \\
    \bar z &= W \bar h

As published, :math:`z_j = q_j (k_{1j}^2 + k_{2j}^2)`, so position :math:`j` of either key meets
query column :math:`j` alone:

.. math:: \bar k_{ij} = 2 \, q_j \, k_{ij} \, \bar z_j

With a true dot product, a key is pulled as a value and, through its score, as a key:

.. math::

    \bar a_i = \bar z \cdot k_i, \quad
    \bar s_i = a_i \Bigl(\bar a_i - \sum_l a_l \bar a_l\Bigr), \quad
    \bar k_i = a_i \bar z + \bar s_i q / s

Two layers with no bend between them are one, of weights :math:`u = W w`: then
:math:`o = u^\top z + b^\top w + c`, and all that the loss says about the two layers is in
:math:`g = \sum z \bar o`:

.. math::

    \bar W = g w^\top, \quad \bar b = w \sum \bar o, \quad
    \bar w = W^\top g + b \sum \bar o, \quad \bar z = u \bar o

which is what `gradient` computes unless the hidden layer is a ReLU: no number for each unit and
row is needed.

Through a key's softmax to its Dense layer, with :math:`u_i = W_i^\top x_i + b_i`:

.. math::

    \bar u_{ij} = k_{ij} \Bigl(\bar k_{ij} - \sum_l k_{il} \bar k_{il}\Bigr), \quad
    \bar W_i = \sum x_i \bar u_i^\top, \quad \bar b_i = \sum \bar u_i

Plain sums run over the rows of the batch.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .data import COLUMNS
from .loss import sigmoid
from .parameters import Parameters
from .variants import Variant

__all__ = ["SWAPPED", "Layers", "forward", "gradient", "logits", "softmax_in_place", "stand"]

Array = NDArray[Any]

SWAPPED = (3, 1, 2, 0, 4)
"""Column order of key 2's input: 0 and 3 have changed places."""

_AS_IT_IS = (*range(COLUMNS), COLUMNS)
_KEY_INPUTS = {True: (_AS_IT_IS, (*SWAPPED, COLUMNS)), False: (_AS_IT_IS, _AS_IT_IS)}


@dataclass(frozen=True)
class Attended:
    """What comes before the hidden layer, for every row; the last axis is the row."""

    key_inputs: Array
    """Shape (seeds, keys, 6, rows): what each key is made from, and the ones."""
    keys: Array
    """Shape (seeds, keys, 5, rows)."""
    weights: Array | None
    """Shape (seeds, keys, 1, rows): how much each key counts, if the product is a true one."""
    sum: Array
    """Shape (seeds, 6, rows): the sum vector and the ones; the query where there is no key."""


@dataclass(frozen=True)
class Layers(Attended):
    """What each layer puts out for every row."""

    hidden: Array
    """Shape (seeds, 21, rows): the hidden layer and the ones; the sum where there is none."""
    logit: Array
    """Shape (seeds, 1, rows): what goes into the last sigmoid."""


def stand(x: Array) -> Array:
    """Return rows standing on their side, a row of ones below.

    Parameters
    ----------
    x : ndarray, shape (seeds, rows, columns)
        As `draw` gives them.

    Returns
    -------
    ndarray, shape (seeds, columns + 1, rows)
        What `forward` takes.

    Examples
    --------
    >>> stand(np.array([[[1.0, 2.0], [3.0, 4.0]]]))
    array([[[1., 3.],
            [2., 4.],
            [1., 1.]]])
    """
    seeds, rows, columns = x.shape
    standing = np.ones((seeds, columns + 1, rows), x.dtype)
    standing[:, :columns] = x.swapaxes(1, 2)
    return standing


def forward(variant: Variant, parameters: Parameters, query: Array) -> Layers:
    """Return every layer's output.

    Parameters
    ----------
    variant
        What the network is made of.
    parameters
        One network for each seed.
    query : ndarray, shape (seeds, 6, rows)
        The rows, as `stand` stands them.

    Returns
    -------
    Layers
        Keys, sum vector, hidden layer, logit.

    Examples
    --------
    >>> from softlookup.column_three import Variant, draw, initialise
    >>> x, y = draw([0, 1], rows=7)
    >>> layers = forward(Variant(), initialise([0, 1]), stand(x))
    >>> layers.keys.shape, layers.logit.shape
    ((2, 2, 5, 7), (2, 1, 7))
    """
    attended = _attend(variant, parameters, query)
    hidden = _hidden(variant, parameters, attended.sum)
    logit = parameters.matrix("output").swapaxes(1, 2) @ hidden
    return Layers(**vars(attended), hidden=hidden, logit=logit)


def logits(variant: Variant, parameters: Parameters, query: Array) -> Array:
    """Return the logits alone, shape (seeds, rows); arguments as in `forward`."""
    attended = _attend(variant, parameters, query)
    if variant.bends:
        hidden = _hidden(variant, parameters, attended.sum)
        return (parameters.matrix("output").swapaxes(1, 2) @ hidden)[:, 0]
    return (_as_one_layer(variant, parameters).swapaxes(1, 2) @ attended.sum)[:, 0]


def gradient(
    variant: Variant, parameters: Parameters, query: Array, label: Array, slope: Parameters
) -> Array:
    """Write the slope of the mean loss in every parameter into ``slope``.

    Parameters
    ----------
    variant, parameters, query
        As in `forward`.
    label : ndarray, shape (seeds, rows)
        0 or 1.
    slope
        Of the same layout; what it held is overwritten. Each seed's slope is its own.

    Returns
    -------
    ndarray, shape (seeds, rows)
        The logits, which the forward pass gave on the way.

    Examples
    --------
    Moving each weight against its slope lowers the loss:

    >>> from softlookup.column_three import Variant, draw, initialise
    >>> from softlookup.column_three.loss import cross_entropy
    >>> (x, y), network, slope = draw(0), initialise(0), initialise(0)
    >>> before = gradient(Variant(), network, stand(x), y, slope)
    >>> network.flat -= 0.1 * slope.flat
    >>> after = logits(Variant(), network, stand(x))
    >>> bool(cross_entropy(after, y).mean() < cross_entropy(before, y).mean())
    True
    """
    attended = _attend(variant, parameters, query)
    if variant.bends:
        hidden = _hidden(variant, parameters, attended.sum)
        logit = parameters.matrix("output").swapaxes(1, 2) @ hidden
    else:
        as_one = _as_one_layer(variant, parameters)
        logit = as_one.swapaxes(1, 2) @ attended.sum

    d_logit = sigmoid(logit)
    d_logit -= label[:, None]
    d_logit /= label.shape[-1]
    out = parameters.kernel("output")
    if variant.bends:
        np.matmul(hidden, d_logit.swapaxes(1, 2), out=slope.matrix("output"))
        # The kernel has one column: broadcasting multiplies it out faster than a matrix product.
        d_hidden = out * d_logit
        d_hidden *= hidden[:, :-1] > 0
        np.matmul(attended.sum, d_hidden.swapaxes(1, 2), out=slope.matrix("hidden"))
        d_sum = parameters.kernel("hidden") @ d_hidden
    else:
        said = attended.sum @ d_logit.swapaxes(1, 2)
        if variant.hidden:
            np.multiply(said, out.swapaxes(1, 2), out=slope.matrix("hidden"))
            np.matmul(parameters.matrix("hidden").swapaxes(1, 2), said, out=slope.kernel("output"))
            slope.bias("output")[...] = said[:, -1]
        else:
            slope.matrix("output")[...] = said
        d_sum = as_one[:, :-1] * d_logit

    trained = len(variant.dense_keys)
    if trained:
        keys = attended.keys[:, :trained]
        d_scores = _key_slope(variant, attended, query[:, :COLUMNS], d_sum)[:, :trained]
        d_scores *= keys
        d_scores -= keys * np.add.reduce(d_scores, axis=2, keepdims=True)
        np.matmul(
            attended.key_inputs[:, :trained],
            d_scores.swapaxes(2, 3),
            out=_key_matrices(variant, slope),
        )
    return logit[:, 0]


def _attend(variant: Variant, parameters: Parameters, query: Array) -> Attended:
    """Return the keys, their weights and the sum vector."""
    key_inputs = np.take(query, _KEY_INPUTS[variant.swap][: variant.keys], axis=1)
    keys = _keys(variant, parameters, key_inputs)
    weights = None
    summed = query
    if variant.keys:
        columns = query[:, :COLUMNS]
        summed = _with_ones(query.shape, query.dtype)
        if variant.product == "elementwise":
            np.add.reduce(keys * keys, axis=1, out=summed[:, :COLUMNS])
            summed[:, :COLUMNS] *= columns
        else:
            scores = np.add.reduce(columns[:, None] * keys, axis=2, keepdims=True)
            scores *= _score_scale(variant)
            weights = softmax_in_place(scores, axis=1)
            np.add.reduce(weights * keys, axis=1, out=summed[:, :COLUMNS])
    return Attended(key_inputs, keys, weights, summed)


def _hidden(variant: Variant, parameters: Parameters, summed: Array) -> Array:
    """Return the hidden layer and the ones; the sum where there is no such layer."""
    if not variant.hidden:
        return summed
    seeds, _, rows = summed.shape
    hidden = _with_ones((seeds, variant.hidden + 1, rows), summed.dtype)
    np.matmul(parameters.matrix("hidden").swapaxes(1, 2), summed, out=hidden[:, :-1])
    if variant.activation == "relu":
        np.maximum(hidden, 0, out=hidden)
    return hidden


def _as_one_layer(variant: Variant, parameters: Parameters) -> Array:
    """Return the one layer, shape (seeds, 6, 1), that equals all layers after the sum vector."""
    if not variant.hidden:
        return parameters.matrix("output")
    layer: Array = parameters.matrix("hidden") @ parameters.kernel("output")
    layer[:, -1] += parameters.bias("output")
    return layer


def _keys(variant: Variant, parameters: Parameters, key_inputs: Array) -> Array:
    """Return the keys: softmaxed Dense layers of their inputs, or the input as it is."""
    dense = len(variant.dense_keys)
    if not dense:
        return key_inputs[:, :, :COLUMNS]
    matrices = _key_matrices(variant, parameters).swapaxes(2, 3)
    keys = softmax_in_place(matrices @ key_inputs[:, :dense], axis=2)
    if dense == variant.keys:
        return keys
    return np.concatenate([keys, key_inputs[:, dense:, :COLUMNS]], axis=1)


def _key_slope(variant: Variant, attended: Attended, columns: Array, d_sum: Array) -> Array:
    """Return the slope in each key, before its softmax."""
    if attended.weights is None:
        pull = columns * d_sum
        pull *= 2
        return pull[:, None] * attended.keys
    weights, d_sum = attended.weights, d_sum[:, None]
    d_scores = np.add.reduce(d_sum * attended.keys, axis=2, keepdims=True)
    d_scores -= np.add.reduce(weights * d_scores, axis=1, keepdims=True)
    d_scores *= weights
    d_scores *= _score_scale(variant)
    d_scores = d_scores * columns[:, None]
    d_scores += weights * d_sum
    return d_scores


def _key_matrices(variant: Variant, parameters: Parameters) -> Array:
    """Return the keys' matrices with an axis for the key, even where there is one key."""
    matrices = parameters.matrix(*variant.dense_keys)
    return matrices if len(variant.dense_keys) > 1 else matrices[:, None]


def _score_scale(variant: Variant) -> float:
    return 1 / sqrt(COLUMNS) if variant.scaled else 1.0


def _with_ones(shape: tuple[int, ...], dtype: Any) -> Array:
    """Return an array to be filled, but for its last row, which is ones already."""
    array = np.empty(shape, dtype)
    array[:, -1] = 1
    return array


def softmax_in_place(scores: Array, axis: int) -> Array:
    """Softmax in place."""
    scores -= np.maximum.reduce(scores, axis=axis, keepdims=True)
    np.exp(scores, out=scores)
    scores /= np.add.reduce(scores, axis=axis, keepdims=True)
    return scores
