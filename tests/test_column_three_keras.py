"""The Keras twin: its shape as published, its layers by name, and a life after saving."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest

from softlookup.column_three import VARIANTS, draw, initialise
from softlookup.column_three.keras_model import build, from_keras, read_layer, to_keras
from softlookup.column_three.model import SWAPPED, forward, stand


@pytest.fixture(scope="module")
def published():
    model, network = build(), initialise(31)
    network.flat += np.random.default_rng(1).normal(scale=0.3, size=network.flat.shape)
    to_keras(network, model)
    return model, network


def test_the_published_network(published):
    model, _ = published
    config = {layer.name: layer.get_config() for layer in model.layers}
    assert {name: c["activation"] for name, c in config.items() if "activation" in c} == {
        "key_1": "softmax",
        "key_2": "softmax",
        "hidden": "linear",
        "output": "sigmoid",
    }
    assert [config[name]["units"] for name in ("key_1", "key_2", "hidden", "output")] == [
        5,
        5,
        20,
        1,
    ]
    adam = model.optimizer.get_config()
    assert type(model.optimizer).__name__ == "Adam"
    assert adam["learning_rate"] == pytest.approx(0.001)
    assert (adam["beta_1"], adam["beta_2"], adam["epsilon"]) == (0.9, 0.999, 1e-7)
    assert not any(type(layer).__name__ == "Lambda" for layer in model.layers)


def test_every_named_layer_can_be_read(published):
    model, network = published
    x = draw(31, rows=40).x
    layers = forward(VARIANTS["published"], network, stand(x))
    key_1, key_2 = layers.keys[0].swapaxes(1, 2)
    expected = {
        "query": x[0],
        "key_2_raw": x[0][:, SWAPPED],
        "key_1": key_1,
        "key_2": key_2,
        "dot_1": x[0] * key_1,
        "dot_2": x[0] * key_2,
        "weighted_1": x[0] * key_1**2,
        "weighted_2": x[0] * key_2**2,
        "sum": layers.sum[0, :5].T,
        "hidden": layers.hidden[0, :20].T,
        "output": 1 / (1 + np.exp(-layers.logit[0].T)),
    }
    assert {layer.name for layer in model.layers} == set(expected)
    for name, values in expected.items():
        np.testing.assert_allclose(read_layer(model, name, x[0]), values, atol=2e-6, err_msg=name)


def test_an_unknown_layer_is_told_the_names(published):
    with pytest.raises(ValueError, match=r"needed one of query, key_2_raw, .* got 'key_3'"):
        read_layer(published[0], "key_3", np.zeros((1, 5)))


def test_saved_models_live_on_in_a_process_that_knows_keras_alone(tmp_path):
    names = ["published", "scaled dot product"]
    models = [build(name) for name in names]
    for name, model in zip(names, models, strict=True):
        to_keras(initialise(3, name), model)  # a start that is the same in every run
    rows = draw(2, rows=20).x[0]
    np.save(tmp_path / "rows.npy", rows)
    for name, model in zip(names, models, strict=True):
        model.save(tmp_path / f"{name}.keras")
    code = (
        "import sys, json, keras, numpy as np\n"
        "rows = np.load('rows.npy')\n"
        "models = [keras.models.load_model(name + '.keras') for name in sys.argv[1:]]\n"
        "answers = [keras.ops.convert_to_numpy(model(rows)).tolist() for model in models]\n"
        "assert 'softlookup' not in sys.modules\n"
        "print(json.dumps(answers))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *names],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    for model, answer in zip(models, json.loads(done.stdout.splitlines()[-1]), strict=True):
        assert np.std(answer) > 0.01  # the rows do matter
        np.testing.assert_allclose(answer, read_layer(model, "output", rows), atol=1e-6)


def test_weights_travel_both_ways(published):
    model, network = published
    np.testing.assert_array_equal(from_keras(model).flat, network.flat)
    with pytest.raises(ValueError, match="needed one network, got 2"):
        to_keras(initialise([1, 2]), model)


def test_a_fresh_import_loads_numpy_alone():
    code = (
        "import sys, softlookup.column_three\n"
        "print([m for m in ('keras', 'tensorflow', 'matplotlib', 'IPython') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
