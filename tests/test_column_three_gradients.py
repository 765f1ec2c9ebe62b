"""The hand-derived gradients against two oracles: TensorFlow's tape, and finite differences."""

from __future__ import annotations

import numpy as np
import pytest

from softlookup.column_three import VARIANTS, draw, initialise
from softlookup.column_three.keras_model import build, to_keras
from softlookup.column_three.loss import cross_entropy
from softlookup.column_three.model import gradient, logits, stand
from softlookup.keras_loader import load_keras

SEEDS = (11, 12, 13)


def somewhere(variant, dtype):
    """Networks away from their start, biases and all, and 37 rows for each."""
    networks = initialise(SEEDS, variant, dtype=dtype)
    stir = np.random.default_rng(5).normal(scale=0.4, size=networks.flat.shape)
    networks.flat += stir.astype(dtype)
    return networks, draw(SEEDS, rows=37, dtype=dtype)


def slopes(variant, networks, x, y):
    slope = networks.copy()
    slope.flat[...] = np.nan  # every entry must be written
    gradient(variant, networks, stand(x), y, slope)
    return slope


@pytest.mark.parametrize(("dtype", "relative"), [("float64", 1e-12), ("float32", 2e-6)])
@pytest.mark.parametrize("name", VARIANTS)
def test_gradient_equals_tensorflow(name, dtype, relative):
    load_keras()
    import tensorflow as tf  # noqa: PLC0415  loaded silently by load_keras

    variant = VARIANTS[name]
    networks, (x, y) = somewhere(variant, dtype)
    ours = slopes(variant, networks, x, y)
    model = build(variant, dtype=dtype)
    for i in range(len(SEEDS)):
        to_keras(networks[i : i + 1], model)
        layers = [model.get_layer(layer) for layer in variant.layout.layers]
        weights = [w.value for layer in layers for w in (layer.kernel, layer.bias)]
        with tf.GradientTape() as tape:
            tape.watch(weights)
            answer = model(x[i], training=True)
            loss = model.loss(y[i][:, None], answer)
        theirs = np.concatenate([np.ravel(g) for g in tape.gradient(loss, weights)])
        assert theirs.dtype == dtype
        assert np.abs(theirs).max() > 1e-3
        np.testing.assert_allclose(
            ours.flat[i], theirs, rtol=0, atol=relative * np.abs(theirs).max()
        )
        np.testing.assert_allclose(
            logits(variant, networks, stand(x))[i],
            np.asarray(answer._keras_logits)[:, 0],
            rtol=0,
            atol=relative * 10,
        )


@pytest.mark.parametrize("name", VARIANTS)
def test_gradient_equals_finite_differences(name):
    variant = VARIANTS[name]
    networks, (x, y) = somewhere(variant, "float64")
    ours = slopes(variant, networks, x, y)
    step = 1e-6
    for place in range(variant.parameter_count):
        up, down = networks.copy(), networks.copy()
        up.flat[:, place] += step
        down.flat[:, place] -= step
        high = cross_entropy(logits(variant, up, stand(x)), y).mean(axis=1)
        low = cross_entropy(logits(variant, down, stand(x)), y).mean(axis=1)
        np.testing.assert_allclose(
            ours.flat[:, place], (high - low) / (2 * step), rtol=1e-5, atol=2e-8
        )
