r"""One encoder block and one decoder block of the Transformer, from this package's own parts.

.. math:: y = \operatorname{Norm}(x + \operatorname{Sublayer}(x))
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import shapes
from .attention import multi_head_attention
from .projections import Heads, check_fits, check_source, project, rounded

__all__ = [
    "DecoderBlock",
    "EncoderBlock",
    "FeedForward",
    "LayerNorm",
    "decoder_block",
    "encoder_block",
]


@dataclass(frozen=True, eq=False)
class LayerNorm:
    r"""Bring each row to mean 0 and variance 1, then stretch and shift its columns.

    .. math:: \gamma \, \frac{x - \operatorname{mean}(x)}{\sqrt{\operatorname{var}(x)
        + \varepsilon}} + \beta

    Parameters
    ----------
    gamma, beta : array_like, shape (d_model,)
        The stretch and the shift of each column.
    epsilon
        Keeps a row of equal numbers from dividing by 0; Keras's layer has 0.001.

    Raises
    ------
    TypeError, ValueError
        For arrays that are not finite real numbers, of other shapes, or an epsilon that is not
        above 0.

    Notes
    -----
    Source: Ba, Kiros and Hinton, *Layer Normalization* (2016).

    Examples
    --------
    >>> LayerNorm([1, 1], [0, 0])([[1.0, 5.0], [10.0, 50.0]]).round(2)
    array([[-1.,  1.],
           [-1.,  1.]])
    """

    gamma: ArrayLike
    beta: ArrayLike
    epsilon: float = 1e-3

    def __post_init__(self) -> None:
        _keep_copies(self, gamma=1, beta=1)
        if np.shape(self.gamma) != np.shape(self.beta):
            raise ValueError(
                "gamma and beta: needed one number of each per column, got shapes "
                f"{np.shape(self.gamma)} and {np.shape(self.beta)}."
            )
        shapes.finite_number("epsilon", self.epsilon, positive=True)

    def __call__(self, x: ArrayLike) -> NDArray[Any]:
        """Return each row of x, of shape (..., n, d_model), normalised."""
        rows, gamma, beta, answer = _together(x, self.gamma, self.beta)
        if rows.shape[-1] != gamma.shape[0]:
            raise ValueError(
                f"x: needed {gamma.shape[0]} columns, as gamma has numbers, got shape {rows.shape}."
            )
        with np.errstate(over="ignore", invalid="ignore"):
            centred = rows - rows.mean(axis=-1, keepdims=True)
            variance = np.square(centred).mean(axis=-1, keepdims=True)
            normal = centred / np.sqrt(variance + rows.dtype.type(self.epsilon))
            result = normal * gamma + beta
            check_fits("variance of x", variance)
        return rounded("output", result, answer)


@dataclass(frozen=True, eq=False)
class FeedForward:
    r"""Change each row by itself: wider, nothing below 0, and back.

    .. math:: \max(0,\; x W_1 + b_1)\, W_2 + b_2

    Parameters
    ----------
    w_1 : array_like, shape (d_model, d_ff)
    b_1 : array_like, shape (d_ff,)
    w_2 : array_like, shape (d_ff, d_model)
    b_2 : array_like, shape (d_model,)

    Raises
    ------
    TypeError, ValueError
        For arrays that are not finite real numbers or shapes that do not fit one another.

    Notes
    -----
    Source: Vaswani et al., *Attention Is All You Need* (2017), equation 2.

    Examples
    --------
    >>> FeedForward([[1, -1]], [0, 0], [[1], [1]], [0])([[3.0], [-2.0]])  # |x|
    array([[3.],
           [2.]])
    """

    w_1: ArrayLike
    b_1: ArrayLike
    w_2: ArrayLike
    b_2: ArrayLike

    def __post_init__(self) -> None:
        _keep_copies(self, w_1=2, b_1=1, w_2=2, b_2=1)
        got = {f.name: np.shape(getattr(self, f.name)) for f in fields(self)}
        needed = {"b_1": got["w_1"][1:], "b_2": got["w_2"][1:]}
        for name, shape in needed.items():
            if got[name] != shape:
                raise ValueError(f"{name}: needed shape {shape}, got shape {got[name]}.")
        if got["w_1"][1] != got["w_2"][0]:
            raise ValueError(
                "w_1 and w_2: needed one row of w_2 per column of w_1, d_ff; got w_1 shape "
                f"{got['w_1']} and w_2 shape {got['w_2']}."
            )

    def __call__(self, x: ArrayLike) -> NDArray[Any]:
        """Return each row of x, of shape (..., n, d_model), changed."""
        rows, w_1, b_1, w_2, b_2, answer = _together(x, self.w_1, self.b_1, self.w_2, self.b_2)
        check_source(rows, w_1, names=("x", "w_1"))
        hidden = np.maximum(project(rows, w_1, b_1, names=("x", "w_1")), 0)
        return rounded("output", project(hidden, w_2, b_2, names=("hidden", "w_2")), answer)


@dataclass(frozen=True, eq=False)
class EncoderBlock:
    """The parts of an encoder block, in the order in which they are used.

    Parameters
    ----------
    attention
        Views for self-attention; ``d_out`` equals ``d_model``.
    norm_1
        After the rows have looked at one another.
    feed_forward
        What each row does by itself.
    norm_2
        After that.

    Examples
    --------
    See :func:`encoder_block`.
    """

    attention: Heads
    norm_1: LayerNorm
    feed_forward: FeedForward
    norm_2: LayerNorm


@dataclass(frozen=True, eq=False)
class DecoderBlock:
    """The parts of a decoder block, in the order in which they are used.

    Parameters
    ----------
    self_attention
        Views for looking at what has been written so far.
    norm_1
        After that.
    cross_attention
        Views for looking at the encoder's rows: queries from here, keys and values from there.
    norm_2
        After that.
    feed_forward
        What each row does by itself.
    norm_3
        After that.

    Examples
    --------
    See :func:`decoder_block`.
    """

    self_attention: Heads
    norm_1: LayerNorm
    cross_attention: Heads
    norm_2: LayerNorm
    feed_forward: FeedForward
    norm_3: LayerNorm


def encoder_block(
    x: ArrayLike, block: EncoderBlock, *, mask: ArrayLike | None = None
) -> NDArray[Any]:
    r"""Return what one encoder block makes of a table of rows.

    .. math:: a &= \operatorname{Norm}_1(x + \operatorname{MultiHead}(x, x, x)) \\
        y &= \operatorname{Norm}_2(a + \operatorname{FeedForward}(a))

    Parameters
    ----------
    x : array_like, shape (..., n, d_model)
        One item per row.
    block
        The parts.
    mask : array_like of bool, broadcastable to (..., n, n), optional
        True = may attend; for padding, ``padding_mask(lengths, n)``.

    Returns
    -------
    ndarray, shape (..., n, d_model)
        In the floating-point type of ``x`` and the parts together.

    Raises
    ------
    TypeError, ValueError
        As :func:`~softlookup.multi_head_attention`; also for parts whose answers cannot be added
        to the rows.

    Notes
    -----
    Norms stand after each addition, as in the paper; many later models put them before each
    part instead. There is no dropout, which is for training alone.

    Source: Vaswani et al., *Attention Is All You Need* (2017), sections 3.1 and 3.3.

    Examples
    --------
    >>> heads = Heads([[[1], [0]]], [[[1], [0]]], [[[1], [0]]], [[[1, 0]]])
    >>> plain = LayerNorm([1, 1], [0, 0])
    >>> block = EncoderBlock(heads, plain, FeedForward(np.eye(2), [0, 0], np.eye(2), [0, 0]), plain)
    >>> encoder_block([[1.0, 2.0], [4.0, 3.0]], block).round(2)
    array([[ 1., -1.],
           [ 1., -1.]])
    """
    _check_part("block", block, EncoderBlock)
    rows = _with_rest(x, lambda x: multi_head_attention(x, x, x, block.attention, mask=mask))
    rows = block.norm_1(rows)
    return block.norm_2(_with_rest(rows, block.feed_forward))


def decoder_block(
    x: ArrayLike,
    encoded: ArrayLike,
    block: DecoderBlock,
    *,
    mask: ArrayLike | None = None,
    encoded_mask: ArrayLike | None = None,
) -> NDArray[Any]:
    r"""Return what one decoder block makes of a table of rows and the encoder's rows.

    .. math:: a &= \operatorname{Norm}_1(x + \operatorname{MultiHead}(x, x, x)) \\
        b &= \operatorname{Norm}_2(a + \operatorname{MultiHead}(a, e, e)) \\
        y &= \operatorname{Norm}_3(b + \operatorname{FeedForward}(b))

    Parameters
    ----------
    x : array_like, shape (..., n, d_model)
        What has been written so far, one item per row.
    encoded : array_like, shape (..., m, d_encoded)
        The encoder's rows :math:`e`: keys and values of the second attention.
    block
        The parts.
    mask : array_like of bool, broadcastable to (..., n, n), optional
        For the first attention, True = may attend. Nothing is hidden if not given: pass
        ``causal_mask(n)``, and for padding ``causal_mask(n) & padding_mask(lengths, n)``.
    encoded_mask : array_like of bool, broadcastable to (..., n, m), optional
        For the second attention: ``padding_mask(lengths, m)``.

    Returns
    -------
    ndarray, shape (..., n, d_model)
        In the floating-point type of the inputs and the parts together.

    Raises
    ------
    TypeError, ValueError
        As :func:`encoder_block`.

    Notes
    -----
    Source: Vaswani et al., *Attention Is All You Need* (2017), sections 3.1 and 3.2.3.

    Examples
    --------
    With views that hand nothing over and a feed-forward part that adds nothing, the norms alone
    are left.

    >>> view = np.zeros((1, 2, 1))
    >>> none = Heads(view, view, view, np.zeros((1, 1, 2)))
    >>> plain = LayerNorm([1, 1], [0, 0])
    >>> still = FeedForward(np.eye(2), [0, 0], np.zeros((2, 2)), [0, 0])
    >>> block = DecoderBlock(none, plain, none, plain, still, plain)
    >>> decoder_block([[1.0, 2.0], [4.0, 3.0]], [[5.0, 6.0]], block).round(1)
    array([[-1.,  1.],
           [ 1., -1.]])
    """
    _check_part("block", block, DecoderBlock)
    rows = _with_rest(x, lambda x: multi_head_attention(x, x, x, block.self_attention, mask=mask))
    rows = block.norm_1(rows)
    rows = _with_rest(
        rows,
        lambda rows: multi_head_attention(
            rows, encoded, encoded, block.cross_attention, mask=encoded_mask
        ),
    )
    rows = block.norm_2(rows)
    return block.norm_3(_with_rest(rows, block.feed_forward))


def _with_rest(x: ArrayLike, part: Callable[[NDArray[Any]], NDArray[Any]]) -> NDArray[Any]:
    """Return the rows plus what a part makes of them: the residual connection."""
    rows = shapes.floats("x", x)
    change = part(rows)
    if change.shape != rows.shape:
        raise ValueError(
            "x and what a part makes of it: needed one shape, to add them; "
            f"got {rows.shape} and {change.shape}."
        )
    (rows, change), answer = shapes.same_float(x=rows, change=change)
    return rounded("output", rows + change, answer)


def _keep_copies(part: Any, **axes: int) -> None:
    """Replace the arrays of a part by checked copies: later changes do not reach in."""
    for name, needed in axes.items():
        array = np.array(shapes.floats(name, getattr(part, name)))
        if array.ndim != needed or 0 in array.shape:
            raise ValueError(
                f"{name}: needed {needed} axes, none of them empty, got shape {array.shape}."
            )
        object.__setattr__(part, name, array)


def _together(x: ArrayLike, *arrays: ArrayLike) -> tuple[Any, ...]:
    """Return the rows and a part's arrays in the type to compute in, and the type to answer in."""
    rows = shapes.floats("x", x)
    shapes.check_matrix("x", rows, needs="(..., n, d_model)")
    own = {f"part {n}": shapes.floats("part", array) for n, array in enumerate(arrays)}
    _, answer = shapes.same_float(x=rows, **own)
    computing = np.result_type(answer, np.float32)
    return *(array.astype(computing, copy=False) for array in (rows, *own.values())), answer


def _check_part(name: str, part: object, kind: type) -> None:
    if not isinstance(part, kind):
        raise TypeError(
            f"{name}: needed softlookup.transformer.{kind.__name__}, got {type(part).__name__}."
        )
