r"""Views of one table: what a row asks, what it answers to, what it hands over.

A matrix turns each row of a table into a new row, :math:`x W`: other columns, the same rows. One
set of such views is a *head*; several sets side by side are the heads of multi-head attention.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import shapes

__all__ = ["Heads", "check_fits", "check_source", "project", "rounded"]


class _KerasLayer(Protocol):
    """What this module asks of ``keras.layers.MultiHeadAttention``, so as not to import Keras."""

    def get_weights(self) -> list[NDArray[Any]]: ...
    def set_weights(self, weights: list[NDArray[Any]]) -> None: ...


@dataclass(frozen=True, eq=False)
class Heads:
    r"""The matrices of multi-head attention: for each head a view that asks, answers, hands over.

    Parameters
    ----------
    w_query : array_like, shape (heads, d_model, d_k)
        :math:`W^Q`: what a row asks.
    w_key : array_like, shape (heads, d_model, d_k)
        :math:`W^K`: what a row answers to. Its ``d_model`` is the key's and may differ.
    w_value : array_like, shape (heads, d_model, d_v)
        :math:`W^V`: what a row hands over. Its ``d_model`` is the value's and may differ.
    w_output : array_like, shape (heads, d_v, d_out)
        :math:`W^O`: how the answers of the heads are put together.
    b_query, b_key : array_like, shape (heads, d_k), optional
    b_value : array_like, shape (heads, d_v), optional
    b_output : array_like, shape (d_out,), optional
        Biases, added after each product; none if not given.

    Raises
    ------
    TypeError, ValueError
        For arrays that are not finite real numbers or shapes that do not fit one another.

    Notes
    -----
    Vaswani et al. (2017), section 3.2.2, give each head its own matrices, as here, but join the
    heads' answers to one long row before a single :math:`W^O`. Cut into one slice per head, that
    :math:`W^O` is ``w_output``: a product with a joined row is the sum of the products with its
    parts.

    Examples
    --------
    Two heads over rows of two columns. The first looks at column 0, the second at column 1.

    >>> heads = Heads(
    ...     w_query=[[[1], [0]], [[0], [1]]],
    ...     w_key=[[[1], [0]], [[0], [1]]],
    ...     w_value=[[[1], [0]], [[0], [1]]],
    ...     w_output=[[[1, 0]], [[0, 1]]],
    ... )
    >>> heads.count, heads.parameters
    (2, 16)
    """

    w_query: ArrayLike
    w_key: ArrayLike
    w_value: ArrayLike
    w_output: ArrayLike
    b_query: ArrayLike | None = field(default=None, kw_only=True)
    b_key: ArrayLike | None = field(default=None, kw_only=True)
    b_value: ArrayLike | None = field(default=None, kw_only=True)
    b_output: ArrayLike | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        for name, given in self._given().items():
            # A copy: what the caller does to an array later does not reach in here.
            object.__setattr__(self, name, np.array(shapes.floats(name, given)))
        a = self.arrays()
        q, k, v, o = (a[name] for name in ("w_query", "w_key", "w_value", "w_output"))
        for name, array, needs in (
            ("w_query", q, "(heads, d_model, d_k)"),
            ("w_key", k, "(heads, d_model, d_k)"),
            ("w_value", v, "(heads, d_model, d_v)"),
            ("w_output", o, "(heads, d_v, d_out)"),
        ):
            if array.ndim != 3:
                raise ValueError(
                    f"{name}: needed three axes, shape {needs}, got shape {array.shape}."
                )
            if 0 in array.shape:
                raise ValueError(f"{name}: needed no empty axis, got shape {array.shape}.")
        if not q.shape[0] == k.shape[0] == v.shape[0] == o.shape[0]:
            raise ValueError(
                "w_query, w_key, w_value and w_output: needed as many heads in each, got "
                f"{q.shape[0]}, {k.shape[0]}, {v.shape[0]} and {o.shape[0]}."
            )
        if q.shape[2] != k.shape[2]:
            raise ValueError(
                "w_query and w_key: needed as many columns, d_k, to compare queries with keys; "
                f"got w_query shape {q.shape} and w_key shape {k.shape}."
            )
        if v.shape[2] != o.shape[1]:
            raise ValueError(
                "w_value and w_output: needed one row of w_output per column of w_value, d_v; "
                f"got w_value shape {v.shape} and w_output shape {o.shape}."
            )
        for name, needed in (
            ("b_query", (q.shape[0], q.shape[2])),
            ("b_key", (k.shape[0], k.shape[2])),
            ("b_value", (v.shape[0], v.shape[2])),
            ("b_output", (o.shape[2],)),
        ):
            if name in a and a[name].shape != needed:
                raise ValueError(f"{name}: needed shape {needed}, got shape {a[name].shape}.")

    @property
    def count(self) -> int:
        """How many heads there are."""
        return int(self.arrays()["w_query"].shape[0])

    @property
    def parameters(self) -> int:
        """How many numbers there are to learn, in all matrices and biases together."""
        return sum(array.size for array in self.arrays().values())

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the matrices and the biases there are, by name.

        Returns
        -------
        dict of str to ndarray

        Examples
        --------
        >>> one = Heads([[[1]]], [[[1]]], [[[1]]], [[[1]]])
        >>> list(one.arrays())
        ['w_query', 'w_key', 'w_value', 'w_output']
        """
        return {name: np.asarray(array) for name, array in self._given().items()}

    def views(
        self, query: ArrayLike, key: ArrayLike, value: ArrayLike
    ) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        """Return what each head asks, answers to and hands over.

        With them, ``attention_weights(q, k)`` are the weights of each head.

        Parameters
        ----------
        query : array_like, shape (..., n_queries, d_model)
        key : array_like, shape (..., n_keys, d_model)
        value : array_like, shape (..., n_keys, d_model)

        Returns
        -------
        q : ndarray, shape (..., heads, n_queries, d_k)
        k : ndarray, shape (..., heads, n_keys, d_k)
        v : ndarray, shape (..., heads, n_keys, d_v)

        Raises
        ------
        TypeError, ValueError
            For inputs that are not finite real numbers, shapes that do not fit, or a product
            too large for its type.

        Examples
        --------
        >>> one = Heads([[[1], [0]]], [[[1], [0]]], [[[0], [1]]], [[[1]]])
        >>> q, k, v = one.views([[1, 2]], [[3, 4]], [[3, 4]])
        >>> q.tolist(), k.tolist(), v.tolist()
        ([[[1.0]]], [[[3.0]]], [[[4.0]]])
        """
        given = {
            name: shapes.floats(name, array)
            for name, array in (("query", query), ("key", key), ("value", value))
        }
        own = self.arrays()
        _, answer = shapes.same_float(**given, **own)
        computing = np.result_type(answer, np.float32)
        seen = []
        for name, array in given.items():
            shapes.check_matrix(name, array, needs="(..., n, d_model)")
            # One axis for the heads, before rows and columns.
            rows = array.astype(computing, copy=False)[..., None, :, :]
            matrix = own[f"w_{name}"].astype(computing, copy=False)
            bias = own.get(f"b_{name}")
            check_source(array, matrix, names=(name, f"w_{name}"))
            if bias is not None:
                bias = bias.astype(computing, copy=False)[:, None, :]
            seen.append(project(rows, matrix, bias, names=(name, f"w_{name}")))
        q, k, v = seen
        return q, k, v

    @classmethod
    def from_keras(cls, layer: _KerasLayer) -> Heads:
        """Return a copy of the matrices of a built ``keras.layers.MultiHeadAttention``.

        Parameters
        ----------
        layer
            The layer. Keras keeps a kernel as (d_model, heads, d_k); here the heads come first.

        Returns
        -------
        Heads
            In the type of the layer's weights.

        Raises
        ------
        ValueError
            For a layer that is not built, or that has other weights than four kernels of three
            axes, with or without their biases.

        Examples
        --------
        >>> class Layer:  # stands in for keras.layers.MultiHeadAttention(1, key_dim=2)
        ...     def get_weights(self):
        ...         return [np.ones((5, 1, 2)), np.ones((5, 1, 2)), np.ones((5, 1, 2)),
        ...                 np.ones((1, 2, 5))]
        >>> Heads.from_keras(Layer()).parameters
        40
        """
        given = layer.get_weights()
        if not given:
            raise ValueError(
                "layer: needed a layer with weights, got none. Build it first: call it once, or "
                "layer.build(query_shape, value_shape)."
            )
        kernels = given[::2] if len(given) == 8 else given
        if len(kernels) != 4 or any(kernel.ndim != 3 for kernel in kernels):
            got = ", ".join(str(array.shape) for array in given)
            raise ValueError(
                "layer: needed the weights of MultiHeadAttention, four kernels of three axes "
                f"with or without their biases; got arrays of shape {got}."
            )
        w_query, w_key, w_value, w_output = kernels
        heads = cls(
            w_query.transpose(1, 0, 2),
            w_key.transpose(1, 0, 2),
            w_value.transpose(1, 0, 2),
            w_output,
        )
        if len(given) == 4:
            return heads
        b_query, b_key, b_value, b_output = given[1::2]
        return replace(heads, b_query=b_query, b_key=b_key, b_value=b_value, b_output=b_output)

    def to_keras(self, layer: _KerasLayer) -> None:
        """Copy these matrices into a built ``keras.layers.MultiHeadAttention``.

        Parameters
        ----------
        layer
            A layer with ``num_heads``, ``key_dim``, ``value_dim`` and ``output_shape`` to match,
            and ``use_bias=False`` where there are no biases.

        Returns
        -------
        None
            The layer is changed in place.

        Raises
        ------
        ValueError
            If some biases are given and others are not, which a Keras layer cannot hold, or if
            the layer has other shapes.

        Examples
        --------
        >>> class Layer:
        ...     def get_weights(self):
        ...         return self.kept
        ...     def set_weights(self, weights):
        ...         self.kept = weights
        >>> layer = Layer()
        >>> Heads([[[1], [0]]], [[[1], [0]]], [[[0], [1]]], [[[1]]]).to_keras(layer)
        >>> [array.shape for array in layer.get_weights()]
        [(2, 1, 1), (2, 1, 1), (2, 1, 1), (1, 1, 1)]
        """
        own = self.arrays()
        if len(own) not in (4, 8):
            lacking = ", ".join(f.name for f in fields(self) if f.name not in own)
            raise ValueError(
                f"biases: Keras keeps all four or none; {lacking} not given. Zeros do no harm."
            )
        given = []
        for name in ("query", "key", "value", "output"):
            kernel = own[f"w_{name}"]
            given.append(kernel if name == "output" else kernel.transpose(1, 0, 2))
            if len(own) == 8:
                given.append(own[f"b_{name}"])
        layer.set_weights(given)

    def _given(self) -> dict[str, ArrayLike]:
        pairs = ((f.name, getattr(self, f.name)) for f in fields(self))
        return {name: array for name, array in pairs if array is not None}


def check_source(rows: NDArray[Any], matrix: NDArray[Any], *, names: tuple[str, str]) -> None:
    """Refuse a matrix that does not have one row per column of what it is a view of.

    >>> check_source(np.ones((5, 3)), np.ones((2, 3)), names=("x", "w_key"))
    Traceback (most recent call last):
    ...
    ValueError: x and w_key: needed one row of w_key per column of x, d_model; got x shape \
(5, 3) and w_key shape (2, 3).
    """
    x, w = names
    if rows.shape[-1] != matrix.shape[-2]:
        raise ValueError(
            f"{x} and {w}: needed one row of {w} per column of {x}, d_model; "
            f"got {x} shape {rows.shape} and {w} shape {matrix.shape}."
        )


def project(
    rows: NDArray[Any],
    matrix: NDArray[Any],
    bias: NDArray[Any] | None = None,
    *,
    names: tuple[str, str],
) -> NDArray[Any]:
    """Return ``rows @ matrix``, plus the bias if there is one, finite.

    Parameters
    ----------
    rows : ndarray, shape (..., n, d_model)
    matrix : ndarray, shape (..., d_model, d)
    bias : ndarray, shape (..., 1, d), optional
    names
        What the caller calls rows and matrix.

    Examples
    --------
    >>> project(np.array([[1.0, 2.0]]), np.array([[3.0], [4.0]]), names=("x", "w_query"))
    array([[11.]])
    >>> project(np.array([[1e300]]), np.array([[1e300]]), names=("x", "w_query"))
    Traceback (most recent call last):
    ...
    ValueError: x @ w_query: needed a product that fits into float64, got a larger one.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        seen: NDArray[Any] = rows @ matrix
        if bias is not None:
            seen = seen + bias
    return check_fits(" @ ".join(names), seen)


def rounded(name: str, result: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return a finite result in the type to answer in, or refuse one that does not fit.

    >>> rounded("output", np.float32([1e5]), np.dtype(np.float16))
    Traceback (most recent call last):
    ...
    ValueError: output: needed a product that fits into float16, got a larger one.
    """
    with np.errstate(over="ignore"):
        return check_fits(name, result.astype(dtype, copy=False))


def check_fits(name: str, product: NDArray[Any]) -> NDArray[Any]:
    """Return a product of finite arrays, or refuse it if it went past the largest number.

    >>> check_fits("x @ w_key", np.array([1.0]))
    array([1.])
    """
    if not np.isfinite(product).all():
        raise ValueError(
            f"{name}: needed a product that fits into {product.dtype}, got a larger one."
        )
    return product
