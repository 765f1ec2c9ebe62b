"""Training follows Keras's, and many seeds side by side are as one at a time."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from softlookup.column_three import (
    VARIANTS,
    Data,
    Task,
    Variant,
    draw,
    initialise,
    shuffled,
    symmetries,
    train,
)
from softlookup.column_three.adam import Adam
from softlookup.column_three.blocks import in_blocks
from softlookup.column_three.keras_model import build, from_keras, to_keras
from softlookup.keras_loader import load_keras


def in_the_given_order(epochs, rows):
    """Every epoch as it comes: what Keras does with shuffle=False."""
    return np.tile(np.arange(rows), (1, epochs, 1))


def rate_with_keras_rounding(adam):
    """Keras rounds the rate and both betas to float32 first, even where all else is float64."""
    rate, beta_1, beta_2 = (
        float(np.float32(number)) for number in (adam.learning_rate, adam.beta_1, adam.beta_2)
    )
    return rate * np.sqrt(1 - beta_2**adam.steps) / (1 - beta_1**adam.steps)


def test_that_rounding_hardly_changes_the_rate():
    adam = Adam(np.zeros(1))
    for adam.steps in range(1, 300):
        assert adam.corrected_rate() == pytest.approx(rate_with_keras_rounding(adam), rel=1e-5)


@pytest.mark.parametrize("name", ["published", "frozen keys", "scaled dot product"])
def test_training_follows_keras(name, monkeypatch):
    """Same start, same batches, the last fifth held out: the same weights and the same history."""
    load_keras()
    monkeypatch.setattr(Adam, "corrected_rate", rate_with_keras_rounding)
    variant, epochs = VARIANTS[name], 3
    x, y = draw(21, rows=300)  # float32 numbers, since fit rounds what it is given to float32
    start = initialise(21, variant, dtype="float64")
    model = build(variant, dtype="float64")
    to_keras(start, model)
    log = model.fit(
        x[0], y[0], batch_size=64, epochs=epochs, validation_split=0.2, shuffle=False, verbose=0
    )
    run = train(
        21,
        variant,
        epochs=epochs,
        dtype="float64",
        data=Data(x, y),
        start=start,
        order=in_the_given_order(epochs, 240),
        history=True,
    )
    moved = np.abs(run.after(epochs).flat - start.flat).max()
    assert moved > 0.005
    np.testing.assert_allclose(
        run.after(epochs).flat, from_keras(model, variant).flat, rtol=0, atol=1e-10 * moved
    )
    assert set(log.history) == set(run.history)
    for measure, values in log.history.items():
        np.testing.assert_allclose(run.history[measure][0], values, rtol=1e-6, err_msg=measure)


def test_training_follows_keras_in_float32_for_the_published_budget():
    """Twenty epochs, rounded as Keras rounds: the same network."""
    load_keras()
    x, y = draw(22)
    model = build()
    to_keras(initialise(22), model)
    model.fit(x[0, :800], y[0, :800], batch_size=64, epochs=20, shuffle=False, verbose=0)
    run = train(22, order=in_the_given_order(20, 800))
    moved = np.abs(run.after(20).flat - run.after(0).flat).max()
    assert moved > 0.1
    np.testing.assert_allclose(run.after(20).flat, from_keras(model).flat, rtol=0, atol=1e-4)


@pytest.mark.parametrize("name", VARIANTS)
def test_many_seeds_are_as_one_at_a_time(name):
    seeds = [3, 1, 4, 15, 9]
    together = train(seeds, name, epochs=2, history=True)
    for i, seed in enumerate(seeds):
        alone = train(seed, name, epochs=2, history=True)
        np.testing.assert_allclose(together.after(2).flat[i], alone.after(2).flat[0], atol=1e-6)
        for measure, values in alone.history.items():
            np.testing.assert_allclose(together.history[measure][i], values[0], atol=1e-5)


def test_neither_blocks_nor_threads_change_anything():
    seeds = range(70)  # three blocks
    one, two = (train(seeds, epochs=1, threads=threads) for threads in (1, 2))
    np.testing.assert_array_equal(one.after(1).flat, two.after(1).flat)
    some = train(range(60, 70), epochs=1)
    np.testing.assert_allclose(some.after(1).flat, one.after(1).flat[60:], atol=1e-6)


def test_longer_training_begins_like_shorter():
    long = train([1, 2], epochs=4, snapshots=[2])
    np.testing.assert_array_equal(long.after(2).flat, train([1, 2], epochs=2).after(2).flat)
    assert sorted(long.snapshots) == [0, 2, 4]
    with pytest.raises(KeyError, match="kept after 0, 2, 4, not after 3"):
        long.after(3)


def test_the_start_is_glorots():
    start = initialise(range(400))
    for name, (inputs, units) in Variant().layout.layers.items():
        limit = np.sqrt(6 / (inputs + units))
        kernel = start.kernel(name)
        assert (start.bias(name) == 0).all()
        assert 0.99 * limit < np.abs(kernel).max() <= np.float32(limit)
        assert abs(kernel.mean()) < 5 * limit / np.sqrt(3 * kernel.size)
        assert abs(kernel.std() / (limit / np.sqrt(3)) - 1) < 0.03


def test_variants_start_what_they_share_alike():
    published, lone = initialise(3), initialise(3, "no attention")
    np.testing.assert_array_equal(published.kernel("hidden"), lone.kernel("hidden"))
    assert (published.kernel("key_1") != published.kernel("key_2")).any()


def test_frozen_keys_do_not_move_and_the_rest_does():
    run = train([1, 2], "frozen keys", epochs=1)
    before, after = run.after(0), run.after(1)
    for name in ("key_1", "key_2"):
        np.testing.assert_array_equal(before.matrix(name), after.matrix(name))
    assert (before.kernel("hidden") != after.kernel("hidden")).all()
    moving = train([1, 2], epochs=1)
    assert (moving.after(1).kernel("key_1") != before.kernel("key_1")).any()


def test_swapping_columns_only_renames_weights():
    """Question 3: from matching starts, training with and without the swap is the same."""
    seeds = range(6)
    start = initialise(seeds, dtype="float64")
    with_swap = train(seeds, start=start, dtype="float64")
    without = train(seeds, "no swap", start=symmetries.without_swap(start), dtype="float64")
    moved = np.abs(with_swap.after(20).flat - start.flat).max()
    assert moved > 0.1
    np.testing.assert_allclose(
        symmetries.without_swap(with_swap.after(20)).flat, without.after(20).flat, atol=1e-9
    )


def test_inputs_are_left_as_they_were():
    start, (x, y) = initialise(5), draw(5)
    copies = start.flat.copy(), x.copy(), y.copy()
    train(5, start=start, data=Data(x, y), epochs=1)
    for now, then in zip((start.flat, x, y), copies, strict=True):
        np.testing.assert_array_equal(now, then)


def test_the_label_is_learnt_and_noise_is_not():
    learnt = train(range(10), "no attention", history=True)
    assert learnt.history["val_accuracy"][:, -1].min() > 0.95
    noise = train(range(10), "no attention", Task(label_column=None), history=True)
    assert noise.history["val_accuracy"][:, -1].mean() < 0.56


def test_history_is_kept_only_when_asked_for():
    assert dict(train(1, epochs=1).history) == {}


def test_adam_by_hand():
    theta = np.array([1.0])
    adam = Adam(theta, learning_rate=0.1)
    adam.step(np.array([2.0]))
    # m = 0.2, v = 0.004, rate = 0.1 sqrt(0.001) / 0.1, and epsilon joins sqrt(v)
    expected = 1 - 0.1 * np.sqrt(0.001) / 0.1 * 0.2 / (np.sqrt(0.004) + 1e-7)
    assert theta[0] == pytest.approx(expected, rel=1e-13)
    adam.step(np.array([-1.0]))
    m, v = 0.9 * 0.2 - 0.1, 0.999 * 0.004 + 0.001
    expected -= 0.1 * np.sqrt(1 - 0.999**2) / (1 - 0.9**2) * m / (np.sqrt(v) + 1e-7)
    assert theta[0] == pytest.approx(expected, rel=1e-12)


def test_progress_counts_up_to_all():
    told: list[tuple[int, int]] = []
    train(range(70), epochs=1, progress=lambda done, total: told.append((done, total)))
    assert told[0] == (0, 70)
    assert told[-1] == (70, 70)
    assert [done for done, _ in told] == sorted(done for done, _ in told)


@pytest.mark.parametrize("threads", [1, 2])
def test_an_error_in_a_block_is_raised(threads):
    def work(part: slice) -> None:
        raise RuntimeError(f"block at {part.start}")

    with pytest.raises(RuntimeError, match="block at"):
        in_blocks(work, 10, block=2, threads=threads)


X, Y = draw(1, rows=10)


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (
            lambda: train(1, "publish"),
            ValueError,
            "variant: needed a Variant or one of 'published'",
        ),
        (lambda: train(1, epochs=0), ValueError, "epochs: needed a whole number from 1 up, got 0"),
        (lambda: train(1, epochs=2.0), TypeError, "epochs: needed a whole number, got 2.0"),
        (lambda: train(1, snapshots=[21]), ValueError, "snapshots: needed epochs up to 20, got 21"),
        (lambda: train(1, snapshots=[-1]), ValueError, "snapshots: needed a whole number from 0"),
        (lambda: train(1, task="coin"), TypeError, "task: needed a Task, got str"),
        (lambda: train(1, dtype="int8"), ValueError, "dtype: needed float32 or float64"),
        (lambda: train([1, 2], start=initialise(1)), ValueError, "start: needed 2 networks"),
        (lambda: train(1, "one key", start=initialise(1)), ValueError, "(171 numbers each)"),
        (
            lambda: train([1, 2], data=Data(X, Y)),
            ValueError,
            "data: needed x of shape (2, rows, 5)",
        ),
        (lambda: train(1, data=Data(X[..., :4], Y)), ValueError, "got (1, 10, 4) and (1, 10)"),
        (lambda: train(1, data=Data(X[:, :4], Y[:, :4])), ValueError, "needed at least 5 rows"),
        (
            lambda: train(1, order=shuffled([1], 2, 800)),
            ValueError,
            "order: needed shape (1, 20, 800), got (1, 2, 800)",
        ),
        (lambda: Variant(keys=3), ValueError, "keys: needed one of 0, 1, 2, got 3"),
        (
            lambda: Variant(product="cross"),
            ValueError,
            "product: needed one of 'elementwise', 'dot'",
        ),
        (lambda: Variant(second_key="raw", keys=1), ValueError, "'raw' needs keys=2, got keys=1"),
        (lambda: Variant(product="dot", keys=0), ValueError, "'dot' needs at least one key"),
        (lambda: Variant(scaled=True), ValueError, "scaled: there is a score to scale only with"),
        (lambda: Variant(keys=0, train_keys=False), ValueError, "False needs at least one key"),
        (lambda: Variant(hidden=0, activation="relu"), ValueError, "'relu' needs a hidden layer"),
        (lambda: Variant(hidden=-1), ValueError, "hidden: needed a whole number from 0 up, got -1"),
        (lambda: Variant(learning_rate=0), ValueError, "learning_rate: needed a number above 0"),
    ],
)
def test_bad_input_is_told_what_was_needed(make, error, message):
    with pytest.raises(error) as caught:
        make()
    assert message in str(caught.value)


def test_no_two_variants_are_one():
    settings = [dataclasses.astuple(variant) for variant in VARIANTS.values()]
    assert len(set(settings)) == len(settings)
