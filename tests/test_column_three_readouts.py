"""Readouts against values worked out by hand, and the statistics around them."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from softlookup.column_three import (
    VARIANTS,
    Data,
    Parameters,
    Task,
    Variant,
    draw,
    effective_weight,
    evaluate,
    importance,
    initialise,
    mean_weight,
    read,
    share,
    share_largest,
    symmetries,
    train,
)
from softlookup.column_three.model import forward, logits, stand
from softlookup.column_three.readouts import mean_layers


def by_hand() -> tuple[Variant, Parameters]:
    """Build a network of two hidden units whose every layer can be worked out on paper."""
    variant = Variant(hidden=2)
    network = Parameters(variant.layout, np.zeros((1, variant.parameter_count)))
    # Key 1 is (1/2, 1/8, 1/8, 1/8, 1/8) on every row, key 2 follows the swapped query's entry 0.
    network.bias("key_1")[0] = [math.log(4), 0, 0, 0, 0]
    network.kernel("key_2")[0, 0, 1] = math.log(2)
    network.kernel("hidden")[0] = [[1, -3], [0, 0], [2, 2], [-1, 1], [4, 0]]
    network.kernel("output")[0] = [[2], [1]]
    network.bias("output")[0] = [-1]
    return variant, network


def test_each_layer_by_hand():
    variant, network = by_hand()
    row = np.array([[[10.0, 20.0, 30.0, 2.0, 40.0]]])
    layers = forward(variant, network, stand(row))
    np.testing.assert_allclose(layers.keys[0, 0, :, 0], [1 / 2, 1 / 8, 1 / 8, 1 / 8, 1 / 8])
    # The swapped query starts with the 2 of column 3: e^(2 log 2) = 4 against four ones.
    np.testing.assert_allclose(layers.keys[0, 1, :, 0], [1 / 8, 1 / 2, 1 / 8, 1 / 8, 1 / 8])
    both = 1 / 4 + 1 / 64
    summed = np.array([10 * both, 20 * both, 30 / 32, 2 / 32, 40 / 32])
    np.testing.assert_allclose(layers.sum[0, :5, 0], summed)
    hidden = [summed @ [1, 0, 2, -1, 4], summed @ [-3, 0, 2, 1, 0]]
    np.testing.assert_allclose(layers.hidden[0, :2, 0], hidden)
    np.testing.assert_allclose(layers.logit[0, 0, 0], 2 * hidden[0] + hidden[1] - 1)


def test_a_true_dot_product_by_hand():
    variant = Variant(product="dot", scaled=True, hidden=0)
    network = Parameters(variant.layout, np.zeros((1, variant.parameter_count)))
    network.bias("key_1")[0] = [math.log(4), 0, 0, 0, 0]
    row = np.array([[[8.0, 0.0, 0.0, 0.0, 0.0]]])
    layers = forward(variant, network, stand(row))
    scores = np.array([8 / 2, 8 / 5]) / math.sqrt(5)
    weights = np.exp(scores) / np.exp(scores).sum()
    np.testing.assert_allclose(layers.weights[0, :, 0, 0], weights)
    expected = weights[0] * np.array([0.5, *[0.125] * 4]) + weights[1] * np.full(5, 0.2)
    np.testing.assert_allclose(layers.sum[0, :5, 0], expected)
    np.testing.assert_allclose(
        mean_layers(variant, network, row)["attention"], weights[None], atol=1e-12
    )


def test_position_i_of_a_key_gates_column_i_alone():
    """Question 4: z_i = q_i (k1_i² + k2_i²)."""
    networks, x = initialise([1, 2], dtype="float64"), draw([1, 2], dtype="float64").x
    layers = forward(Variant(), networks, stand(x))
    gate = (layers.keys**2).sum(axis=1)
    np.testing.assert_allclose(layers.sum[:, :5], x.swapaxes(1, 2) * gate, atol=1e-14)
    read_out = mean_layers(Variant(), networks, x)
    np.testing.assert_allclose(read_out["gate"], gate.mean(axis=2))


def test_weights_by_hand():
    _, network = by_hand()
    np.testing.assert_allclose(mean_weight(network), [[2, 0, 2, 1, 2]])
    np.testing.assert_allclose(effective_weight(network), [[-1, 0, 6, -1, 8]])


def test_without_a_hidden_layer_the_output_layer_is_read():
    network = initialise(3, "logistic")
    np.testing.assert_array_equal(mean_weight(network), np.abs(network.kernel("output")[..., 0]))
    np.testing.assert_array_equal(effective_weight(network), network.kernel("output")[..., 0])


def test_the_effective_weight_is_all_that_reaches_the_output():
    networks, x = initialise([1, 2], "no attention", dtype="float64"), draw([1, 2]).x
    networks.bias("output")[...] = 0.3
    answer = logits(VARIANTS["no attention"], networks, stand(x.astype("float64")))
    expected = np.einsum("srj,sj->sr", x, effective_weight(networks)) + 0.3
    np.testing.assert_allclose(answer, expected, atol=1e-12)


def oracle():
    """Build a network that reads column 3 and nothing else: p = sigmoid(20 (x_3 - 1/2))."""
    variant = VARIANTS["logistic"]
    network = Parameters(variant.layout, np.zeros((1, 6)))
    network.kernel("output")[0, 3] = 20
    network.bias("output")[0] = -10
    return variant, network


def test_loss_and_accuracy_by_hand():
    variant, network = oracle()
    x, y = draw(1, dtype="float64")
    loss, accuracy = evaluate(variant, network, Data(x, y))
    np.testing.assert_allclose(loss, math.log1p(math.exp(-10)))
    assert accuracy == 1
    _, wrong = evaluate(variant, network, Data(x, 1 - y))
    assert wrong == 0


def test_each_network_is_evaluated_on_its_own_rows_however_many_there_are():
    variant, data = VARIANTS["published"], draw(range(19), rows=30)
    networks = initialise(range(19))
    together = evaluate(variant, networks, data)
    for i in range(19):
        row = slice(i, i + 1)
        alone = evaluate(variant, networks[row], Data(data.x[row], data.y[row]))
        assert [numbers[i] for numbers in together] == [numbers[0] for numbers in alone]


def test_importance_is_what_shuffling_costs():
    variant, network = oracle()
    gained, lost = importance(variant, network, draw(1, rows=40_000, dtype="float64"), (1,))
    assert lost[0, 3] == pytest.approx(0.5, abs=0.02)  # half the shuffled labels are right
    assert gained[0, 3] == pytest.approx(5, abs=0.2)  # and each wrong one costs 10
    np.testing.assert_array_equal(gained[0, [0, 1, 2, 4]], 0)


def test_reading_without_shuffling_leaves_out_nothing_else():
    run = train(range(3), "published", epochs=1)
    reading, quick = read(run, rows=50), read(run, rows=50, shuffle=False)
    for field in dataclasses.fields(reading):
        whole, part = getattr(reading, field.name), getattr(quick, field.name)
        if field.name in ("loss_gained", "accuracy_lost"):
            assert whole is not None
            assert part is None
        else:
            np.testing.assert_array_equal(whole, part)


def test_reading_does_not_depend_on_what_it_is_read_with():
    run = train(range(11), "published", epochs=2, snapshots=[1])
    reading = read(run, 1, rows=50)
    alone = read(train([10], "published", epochs=2, snapshots=[1]), 1, rows=50)
    for field in dataclasses.fields(reading):
        whole, part = getattr(reading, field.name), getattr(alone, field.name)
        if whole is None:
            assert part is None
        else:
            assert len(whole) == 11
            np.testing.assert_allclose(whole[10], part[0], atol=1e-5, err_msg=field.name)


@pytest.mark.parametrize(
    ("name", "missing"),
    [
        ("published", {"attention"}),
        ("scaled dot product", {"gate"}),
        ("one key", {"attention", "key_2", "key_2_raw"}),
        ("no attention", {"attention", "gate", "key_1", "key_2", "key_2_raw"}),
        ("ReLU", {"attention", "effective"}),
    ],
)
def test_a_reading_has_what_its_variant_has(name, missing):
    reading = read(train([1, 2], name, epochs=1), rows=20)
    for field in dataclasses.fields(reading):
        value = getattr(reading, field.name)
        assert (value is None) == (field.name in missing), field.name
        if value is not None:
            assert np.isfinite(value).all()


def test_before_training_the_raw_second_key_peaks_where_the_label_was_moved_to():
    reading = read(train(range(5), epochs=1), 0)
    np.testing.assert_array_equal(reading.key_2_raw.argmax(axis=1), 0)
    assert abs(reading.key_2_raw[:, 0] - 0.5).max() < 0.1
    np.testing.assert_allclose(reading.key_1.sum(axis=1), 1, atol=1e-5)


def test_fresh_rows_may_be_of_another_task():
    run = train([1, 2], "no attention")
    assert read(run).accuracy.min() > 0.95
    assert abs(read(run, task=Task(label_column=None)).accuracy - 0.5).max() < 0.1


def test_two_networks_with_the_same_answers_and_different_weights():
    """Question 7."""
    networks = train(range(4)).after(20)
    x = stand(draw(range(4)).x)
    before = logits(Variant(), networks, x)
    for column in range(5):
        twins = symmetries.same_answers(networks, column, variant=Variant())
        np.testing.assert_array_equal(mean_weight(twins).argmax(axis=1), column)
        others = np.delete(mean_weight(twins), column, axis=1).max(axis=1)
        assert (mean_weight(twins)[:, column] > 1.49 * others).all()
        np.testing.assert_allclose(logits(Variant(), twins, x), before, atol=2e-5)
        np.testing.assert_allclose(effective_weight(twins), effective_weight(networks), atol=2e-5)


def test_renaming_key_2s_weights_undoes_the_swap_and_itself():
    networks, x = initialise([1, 2], dtype="float64"), stand(draw([1, 2], dtype="float64").x)
    renamed = symmetries.without_swap(networks)
    assert (renamed.flat != networks.flat).any()
    np.testing.assert_allclose(
        logits(Variant(swap=False), renamed, x), logits(Variant(), networks, x), atol=1e-14
    )
    np.testing.assert_array_equal(symmetries.without_swap(renamed).flat, networks.flat)


def test_wilsons_interval_against_its_definition():
    """Each end is where the observed share lies exactly z standard errors away."""
    for hits, trials in ((840, 1000), (3, 10), (1, 200)):
        found = share(np.arange(trials) < hits)
        assert found.value == hits / trials
        for end in (found.low, found.high):
            error = math.sqrt(end * (1 - end) / trials)
            assert abs(found.value - end) == pytest.approx(1.959964 * error, rel=1e-5)
    assert share([True] * 10).high == 1
    assert share([False] * 10).low == 0
    assert share([False] * 10).high == pytest.approx(1.959964**2 / (10 + 1.959964**2), rel=1e-5)
    assert share([True, False], confidence=0.5).low > share([True, False]).low


def test_shares_of_the_largest():
    readout = np.array([[0, 0, 0, 9, 0], [0, 0, 0, 9, 1], [9, 0, 0, 1, 0], [0, 0, 0, -9, 1]])
    assert share_largest(readout)[3:] == (2, 4)
    assert share_largest(readout, 0).hits == 1
    assert str(share_largest(readout)) == "50.0 % [15.0, 85.0]"


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: share([1, 0]), ValueError, "hits: needed a row of true and false"),
        (lambda: share(np.zeros(0, bool)), ValueError, "got shape (0,) of bool"),
        (lambda: share([True], confidence=95), ValueError, "needed a number between 0 and 1"),
        (lambda: share_largest([1, 2]), ValueError, "needed shape (seeds, columns)"),
        (lambda: share_largest([[1, 2]], 3), ValueError, "with a column 3, got (1, 2)"),
        (
            lambda: symmetries.without_swap(initialise(1, "one key")),
            ValueError,
            "needed networks with a Dense second key",
        ),
        (
            lambda: symmetries.same_answers(initialise(1, "logistic"), 1),
            ValueError,
            "needed networks with a hidden layer",
        ),
        (
            lambda: symmetries.same_answers(initialise(1), 1, variant=VARIANTS["ReLU"]),
            ValueError,
            "needed a linear hidden layer, got a ReLU",
        ),
        (lambda: symmetries.same_answers(initialise(1), 5), ValueError, "needed 0 to 4, got 5"),
        (
            lambda: symmetries.same_answers(initialise(1), 1, margin=1),
            ValueError,
            "margin: needed more than 1",
        ),
        (lambda: initialise(1).kernel("key_3"), KeyError, "needed one of key_1, key_2, hidden"),
        (
            lambda: Parameters(Variant().layout, np.zeros((1, 200))),
            ValueError,
            "flat: needed shape (seeds, 201), got (1, 200)",
        ),
    ],
)
def test_bad_input_is_told_what_was_needed(make, error, message):
    with pytest.raises(error) as caught:
        make()
    assert message in str(caught.value)
