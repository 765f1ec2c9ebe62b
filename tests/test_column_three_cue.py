"""The task that needs attention, its two networks, and their gradients."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from softlookup.column_three.cue import (
    CueAttention,
    CueDense,
    best_without_looking,
    cue_accuracy,
    cue_weights,
    draw_cues,
    stored_accuracy,
    train_cues,
)
from softlookup.column_three.loss import cross_entropy
from softlookup.column_three.model import stand
from softlookup.column_three.parameters import glorot_start

NETWORKS = [CueAttention(width=3), CueDense(hidden=4)]


def test_the_answer_is_in_the_drawer_that_the_cue_names():
    x, y = draw_cues([1, 2], rows=500)
    assert x.shape == (2, 500, 35)
    drawers, cue = x[..., :30].reshape(2, 500, 5, 6), x[..., 30:]
    names, bits = drawers[..., :5], drawers[..., 5]
    assert set(np.unique(names)) == {0, 1}
    assert set(np.unique(bits)) == {-1, 1}
    np.testing.assert_array_equal(names.sum(axis=2), 1)  # every name is on one drawer
    np.testing.assert_array_equal(names.sum(axis=3), 1)  # every drawer has one name
    np.testing.assert_array_equal(cue.sum(axis=2), 1)
    wanted = np.einsum("srdn,srn,srd->sr", names, cue, bits)
    np.testing.assert_array_equal(wanted > 0, y == 1)


def test_no_column_gives_the_answer_away():
    x, y = draw_cues(3, rows=50_000, dtype="float64")
    for column in x[0].T:
        # A drawer's bit is the answer one time in five, and nothing else tells anything.
        assert abs(np.corrcoef(column, y[0])[0, 1]) < 0.2 + 0.025
    np.testing.assert_allclose(x[0, :, 30:].mean(axis=0), 0.2, atol=0.01)
    assert abs(y.mean() - 0.5) < 0.015


def test_best_without_looking_by_counting():
    right = 0
    for bits in itertools.product((0, 1), repeat=5):
        guess = sum(bits) > 2
        right += sum(bit == guess for bit in bits)
    assert best_without_looking() == right / (5 * 32)


@pytest.mark.parametrize("network", NETWORKS, ids=["attention", "dense"])
def test_gradient_equals_finite_differences(network):
    seeds = (1, 2)
    x, y = draw_cues(seeds, rows=30, dtype="float64")
    x = stand(x)
    parameters = glorot_start(network.layout, seeds, "float64")
    parameters.flat += np.random.default_rng(3).normal(scale=0.5, size=parameters.flat.shape)
    slope = parameters.copy()
    slope.flat[...] = np.nan
    network.gradient(parameters, x, y, slope)
    step = 1e-6
    for place in range(network.layout.size):
        up, down = parameters.copy(), parameters.copy()
        up.flat[:, place] += step
        down.flat[:, place] -= step
        high, low = (cross_entropy(network.logits(some, x), y).mean(axis=1) for some in (up, down))
        np.testing.assert_allclose(
            slope.flat[:, place], (high - low) / (2 * step), rtol=1e-5, atol=2e-8
        )
    assert np.abs(slope.flat).max(axis=1).min() > 1e-3


def test_the_attention_is_softlookups_own():
    from softlookup import scaled_dot_product_attention  # noqa: PLC0415

    network = CueAttention(width=3)
    x, _ = draw_cues(1, rows=10, dtype="float64")
    parameters = glorot_start(network.layout, 1, "float64")
    *_, found, _ = network.forward(parameters, stand(x))
    drawers, cue = x[0, :, :30].reshape(10, 5, 6), x[0, :, 30:]
    blend = scaled_dot_product_attention(
        cue[:, None] @ parameters.kernel("query")[0],
        drawers[..., :5] @ parameters.kernel("key")[0],
        drawers[..., 5:],
    )
    np.testing.assert_allclose(found[0, 0], blend[:, 0, 0], atol=1e-12)


def test_attention_solves_what_a_plain_network_of_its_size_cannot():
    seeds = range(6)
    attention, dense = CueAttention(), CueDense(hidden=3)
    assert attention.layout.size <= dense.layout.size
    looked = train_cues(seeds, attention, epochs=20)
    assert (looked.snapshots[0].kernel("output") == 1).all()
    assert cue_accuracy(looked).min() > 0.99
    weights = cue_weights(looked)
    np.testing.assert_allclose(weights.sum(axis=2), 1, atol=1e-5)
    np.testing.assert_array_equal(weights.argmax(axis=2), np.tile(np.arange(5), (6, 1)))
    plain = train_cues(seeds, dense, epochs=20)
    assert cue_accuracy(plain).max() < best_without_looking() + 0.05


def test_the_output_weight_starts_where_it_is_told():
    seeds = range(3)
    random = glorot_start(CueAttention().layout, seeds)
    for output in (-1.0, 0.5):
        start = CueAttention(output=output).start(seeds)
        assert (start.kernel("output") == output).all()
        np.testing.assert_array_equal(start.kernel("key"), random.kernel("key"))
    np.testing.assert_array_equal(CueAttention(output=None).start(seeds).flat, random.flat)


def test_a_random_start_fails_where_the_weight_begins_below_zero():
    seeds = range(12)
    network = CueAttention(output=None)
    above = network.start(seeds).kernel("output")[:, 0, 0] > 0
    assert 2 < above.sum() < 10
    right = cue_accuracy(train_cues(seeds, network, epochs=20)) > 0.99
    assert right[above].all()
    assert not right[~above].all()


def test_the_stored_accuracies_are_those_of_their_networks():
    """As ``benchmarks/cue.py`` trains them; the first of them, by one kind each."""
    stored = stored_accuracy()
    for name, how in (("rows", {"rows": 10_000}), ("epochs", {"epochs": 200})):
        found = cue_accuracy(train_cues(range(2), CueDense(20), **({"epochs": 20} | how)))
        np.testing.assert_allclose(found, stored[name][:2], atol=0.03)
    assert stored["rows"].min() > stored["epochs"].max()


def test_bad_input_is_told_what_was_needed():
    with pytest.raises(ValueError, match="output: needed a number or None, got nan"):
        CueAttention(output=float("nan"))
    with pytest.raises(ValueError, match=r"hidden: needed a whole number from 1 up, got 0"):
        CueDense(hidden=0)
    with pytest.raises(TypeError, match=r"width: needed a whole number, got 2\.5"):
        CueAttention(width=2.5)
    with pytest.raises(ValueError, match="needed a CueAttention's, got a CueDense's"):
        cue_weights(train_cues(1, CueDense(hidden=1), rows=10, epochs=1))
    with pytest.raises(ValueError, match="rows: needed a whole number from 5 up, got 2"):
        train_cues(1, CueDense(hidden=1), rows=2)


def test_training_starts_where_it_is_told_and_leaves_that_alone():
    network = CueAttention(3)
    start = network.start(range(2))
    own = train_cues(range(2), network, rows=100, epochs=2)
    told = train_cues(range(2), network, rows=100, epochs=2, start=start)
    np.testing.assert_array_equal(told.snapshots[2].flat, own.snapshots[2].flat)

    start.kernel("output")[...] *= -1
    before = start.flat.copy()
    turned = train_cues(range(2), network, rows=100, epochs=2, start=start)
    np.testing.assert_array_equal(start.flat, before)
    assert not np.allclose(turned.snapshots[2].flat, own.snapshots[2].flat)


def test_a_start_for_other_seeds_is_refused():
    network = CueAttention(3)
    with pytest.raises(ValueError, match=r"start: needed 2 networks of \d+ numbers each, got"):
        train_cues(range(2), network, rows=100, epochs=1, start=network.start(range(3)))
