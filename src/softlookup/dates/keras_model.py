"""Two encoder-decoders in Keras that differ in one line: what is looked at before each answer.

Keras is imported when a function here is called, not before.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import shapes
from ..keras_loader import load_keras
from .vocabulary import ISO_LENGTH, NOTHING, iso, written

__all__ = ["Reader", "attend", "build"]

_BATCH = 512


def attend(query: Any, key: Any, value: Any, mask: Any) -> tuple[Any, Any]:
    r"""Return scaled dot-product attention and its weights, written out in ``keras.ops``.

    .. math:: \operatorname{softmax}\!\left(\frac{Q K^\top}{\sqrt{d_k}}\right) V

    Parameters
    ----------
    query : tensor, shape (batch, n_queries, d_k)
    key : tensor, shape (batch, n_keys, d_k)
    value : tensor, shape (batch, n_keys, d_v)
    mask : tensor of bool, shape (batch, n_keys)
        True = may be attended to. At least one in each row.

    Returns
    -------
    context : tensor, shape (batch, n_queries, d_v)
    weights : tensor, shape (batch, n_queries, n_keys)

    Examples
    --------
    >>> import numpy as np
    >>> one, keys = np.ones((1, 1, 2), "float32"), np.zeros((1, 3, 2), "float32")
    >>> _, weights = attend(one, keys, keys, np.array([[True, True, False]]))
    >>> np.asarray(weights).tolist()
    [[[0.5, 0.5, 0.0]]]
    """
    ops = load_keras().ops
    scores = ops.matmul(query, ops.transpose(key, (0, 2, 1))) / key.shape[-1] ** 0.5
    scores = ops.where(ops.expand_dims(mask, 1), scores, -1e9)
    weights = ops.softmax(scores)
    return ops.matmul(weights, value), weights


@dataclass(frozen=True)
class Reader:
    """A model that reads written dates, and a view of what goes on inside.

    Parameters
    ----------
    model : keras.Model
        Takes the written dates and the characters before each answer, returns a score for each
        character, (n, 10, 12).
    inside : keras.Model
        The same layers and the same inputs; returns a dictionary with ``states`` (the decoder's,
        the queries), ``encoded`` (the encoder's, keys and values), ``context`` (what was looked
        up) and ``scores``; with attention also ``weights``.
    attention
        Whether the answers look at the encoder's states, or at a summary of them.
    """

    model: Any
    inside: Any
    attention: bool


def build(
    *,
    attention: bool = True,
    units: int = 48,
    embedding: int = 24,
    learning_rate: float = 0.01,
    seed: int = 0,
) -> Reader:
    """Return an encoder-decoder, untrained, its weights decided by the seed.

    The encoder reads the written date from both sides. Its two last states are the *summary*;
    the decoder starts from it and is given it again at every step, beside the character before.
    Each answer is computed from the decoder's state and from a *context*: with attention, a
    blend of all the encoder's states, asked for by the decoder's state (keys = values = encoder
    states, padding masked); without, the summary once more. All layers are the same on both
    sides, and so is the number of weights: the attention itself has none.

    Parameters
    ----------
    attention
        With it or without.
    units
        The width of the states, an even number: one half for each reading direction.
    embedding
        How many numbers stand for a character.
    learning_rate
        Of Adam.
    seed
        Keras's own generators are set to it, Python's and NumPy's global ones too.

    Returns
    -------
    Reader
        Its ``model`` compiled.

    Raises
    ------
    ImportError
        If Keras is not installed, with the command that installs it.
    TypeError, ValueError
        For sizes that are not whole numbers from 1, or an odd number of units.

    Examples
    --------
    >>> build().model.count_params() == build(attention=False).model.count_params()
    True
    """
    if shapes.count("units", units) % 2:
        raise ValueError(f"units: needed an even number, one half per direction, got {units}.")
    shapes.count("embedding", embedding)
    keras = load_keras()
    layers, ops = keras.layers, keras.ops
    keras.utils.set_random_seed(seed)

    source = keras.Input((None,), dtype="int32", name="source")
    before = keras.Input((ISO_LENGTH,), dtype="int32", name="before")
    mask = ops.not_equal(source, NOTHING)

    characters = layers.Embedding(written().size, embedding, name="characters")(source)
    encoder = layers.GRU(units // 2, return_sequences=True, return_state=True)
    encoded, forwards, backwards = layers.Bidirectional(encoder, name="encoder")(
        characters, mask=mask
    )
    summary = ops.concatenate([forwards, backwards], axis=-1)
    summary_each_step = ops.repeat(ops.expand_dims(summary, 1), ISO_LENGTH, axis=1)

    said = layers.Embedding(iso().size, embedding, name="said")(before)
    states = layers.GRU(units, return_sequences=True, name="decoder")(
        ops.concatenate([said, summary_each_step], axis=-1), initial_state=summary
    )
    inside = {"states": states, "encoded": encoded}
    if attention:
        context, inside["weights"] = attend(states, encoded, encoded, mask)
    else:
        context = summary_each_step
    scores = layers.Dense(iso().size, name="answer")(ops.concatenate([states, context], axis=-1))

    model = keras.Model([source, before], scores, name="reader")
    model.compile(
        keras.optimizers.Adam(learning_rate),
        keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    )
    inside.update(context=context, scores=scores)
    return Reader(model, keras.Model([source, before], inside, name="inside"), attention)


def predict(model: Any, source: NDArray[Any], before: NDArray[Any]) -> Any:
    """Return what a Keras model says, as NumPy arrays, in batches that fit into memory.

    For few dates, ``model.predict`` spends nearly all of its time on preparing to be fed.
    """
    said = [
        model.predict_on_batch([source[i : i + _BATCH], before[i : i + _BATCH]])
        for i in range(0, len(source), _BATCH)
    ]
    if isinstance(said[0], dict):
        return {name: np.concatenate([part[name] for part in said]) for name in said[0]}
    return np.concatenate(said)
