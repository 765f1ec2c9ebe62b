"""The same networks in Keras 3: the published one as a functional model, and every variant.

Keras is imported when a function here is called, not before.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..keras_loader import load_keras
from .data import COLUMNS
from .model import SWAPPED
from .parameters import Parameters
from .variants import Variant, variant_named

__all__ = ["build", "from_keras", "read_layer", "to_keras"]


def build(variant: Variant | str = "published", *, dtype: str = "float32") -> Any:
    """Return the network as a compiled Keras model, its layers named.

    The published network's layers are ``query``, ``key_2_raw`` (the query with columns 0 and 3
    swapped), ``key_1`` and ``key_2``, ``dot_1`` and ``dot_2`` (the query times a key),
    ``weighted_1`` and ``weighted_2`` (times the key once more), ``sum``, ``hidden`` and
    ``output``. The variants leave some out; with a true dot product, ``keras.layers.Attention``
    named ``attention`` takes the place of the products.

    The swap is `keras.ops.take`, which a functional model records and saves like a layer; no
    Lambda holds on to a tensor. The model saves, and loads in a process that knows Keras alone.

    Parameters
    ----------
    variant
        A `Variant`, or a name in `VARIANTS`.
    dtype
        ``"float32"`` or ``"float64"``.

    Returns
    -------
    keras.Model
        Compiled with Adam, binary cross-entropy and accuracy. ``fit(x, y, batch_size=64,
        epochs=20, validation_split=0.2)`` trains it as published.

    Raises
    ------
    ImportError
        If Keras is not installed, with the command that installs it.
    ValueError
        For an unknown variant.

    Examples
    --------
    >>> model = build()
    >>> model.count_params()
    201
    """
    variant = variant_named(variant)
    keras = load_keras()
    layers = keras.layers

    query = keras.Input((COLUMNS,), name="query", dtype=dtype)
    key_inputs = [query]
    if variant.keys == 2:
        swapped = keras.ops.take(query, list(SWAPPED), axis=1) if variant.swap else query
        key_inputs.append(layers.Identity(name="key_2_raw", dtype=dtype)(swapped))
    keys = [
        layers.Dense(COLUMNS, "softmax", name=name, dtype=dtype, trainable=variant.train_keys)(
            key_input
        )
        if name in variant.dense_keys
        else key_input
        for name, key_input in zip(("key_1", "key_2"), key_inputs[: variant.keys], strict=False)
    ]

    summed = query
    if keys and variant.product == "elementwise":
        weighted = []
        for i, key in enumerate(keys, start=1):
            dot = layers.Multiply(name=f"dot_{i}", dtype=dtype)([query, key])
            weighted.append(layers.Multiply(name=f"weighted_{i}", dtype=dtype)([dot, key]))
        summed = weighted[0]
        if len(weighted) > 1:
            summed = layers.Add(name="sum", dtype=dtype)(weighted)
    elif keys:
        summed = _attention(layers, variant, query, keys, dtype)

    hidden = summed
    if variant.hidden:
        hidden = layers.Dense(variant.hidden, variant.activation, name="hidden", dtype=dtype)(
            summed
        )
    output = layers.Dense(1, "sigmoid", name="output", dtype=dtype)(hidden)
    model = keras.Model(query, output, name="column_three")
    model.compile(
        keras.optimizers.Adam(variant.learning_rate),
        keras.losses.BinaryCrossentropy(dtype=dtype),
        metrics=["accuracy"],
    )
    return model


def _attention(layers: Any, variant: Variant, query: Any, keys: list[Any], dtype: str) -> Any:
    """Return Keras's own attention of one query over the keys, which are the values too."""
    if variant.scaled:
        query = query * COLUMNS**-0.5
    query = layers.Reshape((1, COLUMNS), name="one_query", dtype=dtype)(query)
    rows = [
        layers.Reshape((1, COLUMNS), name=f"key_{i}_row", dtype=dtype)(key)
        for i, key in enumerate(keys, start=1)
    ]
    table = rows[0]
    if len(rows) > 1:
        table = layers.Concatenate(axis=1, name="key_table", dtype=dtype)(rows)
    blend = layers.Attention(name="attention", dtype=dtype)([query, table])
    return layers.Reshape((COLUMNS,), name="sum", dtype=dtype)(blend)


def to_keras(parameters: Parameters, model: Any) -> None:
    """Give a Keras model the weights of one network.

    Parameters
    ----------
    parameters
        Of one seed: ``run.after(20)[4:5]`` is the fifth.
    model
        Made by `build` from the same variant; its weights are overwritten.

    Raises
    ------
    ValueError
        If there is not exactly one network.

    Examples
    --------
    >>> from softlookup.column_three import initialise
    >>> model, network = build(), initialise(0)
    >>> to_keras(network, model)
    >>> bool((from_keras(model).flat == network.flat).all())
    True
    """
    if len(parameters) != 1:
        raise ValueError(f"parameters: needed one network, got {len(parameters)}.")
    for name in parameters.layout.layers:
        model.get_layer(name).set_weights([parameters.kernel(name)[0], parameters.bias(name)[0]])


def from_keras(model: Any, variant: Variant | str = "published") -> Parameters:
    """Return a Keras model's weights as one network.

    Parameters
    ----------
    model
        Made by `build`.
    variant
        What it was built from.

    Returns
    -------
    networks : Parameters
        Of one seed.
    """
    layout = variant_named(variant).layout
    flat = [
        np.asarray(array).ravel()
        for name in layout.layers
        for array in model.get_layer(name).get_weights()
    ]
    return Parameters(layout, np.concatenate(flat)[None])


def read_layer(model: Any, name: str, rows: ArrayLike) -> NDArray[Any]:
    """Return what one layer of a Keras model puts out.

    Parameters
    ----------
    model
        A functional model with one input.
    name
        The layer's name.
    rows : array_like, shape (n, 5)
        What to put in.

    Returns
    -------
    ndarray, shape (n, ...)
        The layer's output for each row.

    Raises
    ------
    ValueError
        For a name that no layer has, with the names there are.

    Examples
    --------
    >>> import numpy as np
    >>> read_layer(build(), "key_2_raw", np.array([[0.0, 1.0, 2.0, 3.0, 4.0]])).tolist()
    [[3.0, 1.0, 2.0, 0.0, 4.0]]
    """
    keras = load_keras()
    names = [layer.name for layer in model.layers]
    if name not in names:
        raise ValueError(f"name: needed one of {', '.join(names)}, got {name!r}.")
    part = keras.Model(model.input, model.get_layer(name).output)
    return np.asarray(keras.ops.convert_to_numpy(part(np.asarray(rows))))
