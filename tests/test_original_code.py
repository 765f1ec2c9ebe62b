"""Chapter 3 lists what breaks in the original experiment's code; each line of that table is so."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import nbformat
import numpy as np
import pytest

from softlookup.keras_loader import load_keras

CHAPTER = Path(__file__).parent.parent / "book" / "03-column-three.ipynb"


@pytest.fixture(scope="module")
def keras():
    return load_keras()


@pytest.fixture(scope="module")
def table():
    cells = nbformat.read(CHAPTER, as_version=4).cells
    (text,) = [c.source for c in cells if "What has broken since" in c.source]
    return text


ROWS = np.random.default_rng(0).standard_normal((100, 5)).astype("float32")
LABELS = np.random.default_rng(1).integers(0, 2, 100).astype("float32")


def quoted(table, start):
    """Return the words of the error that the table quotes, without its type."""
    (line,) = [line for line in table.splitlines() if f"`{start}" in line]
    return line.split(f"`{start}: ")[1].split("`")[0]


def test_a_name_used_before_it_exists(table):
    code = "def get_data(x):\n    x[:, attention_column] = 1\nget_data(x)"
    with pytest.raises(NameError) as error:
        exec(code, {"x": ROWS.copy()})
    assert quoted(table, "NameError") == str(error.value)


def test_a_lambda_over_another_layers_tensor_builds_and_fails_in_fit(keras, table):
    layers = keras.layers
    row = layers.Input((5,))
    key = layers.Dense(5, activation="softmax")(row)
    dot = layers.Lambda(lambda query: query * key)(row)
    model = keras.Model(row, layers.Dense(1, activation="sigmoid")(dot))
    model.compile("adam", "binary_crossentropy")
    with pytest.raises(TypeError) as error:
        model.fit(ROWS, LABELS, verbose=0)
    assert str(error.value).startswith(quoted(table, "TypeError"))


def test_the_backend_has_no_function_any_more(keras, table):
    with pytest.raises(AttributeError) as error:
        keras.backend.function  # noqa: B018
    assert str(error.value) == quoted(table, "AttributeError")


def test_columns_gathered_outside_a_layer(keras, table):
    import tensorflow as tf  # noqa: PLC0415

    with pytest.raises(ValueError, match="KerasTensor") as error:
        tf.gather(keras.layers.Input((5,)), [3, 1, 2, 0, 4], axis=1)
    said = "A KerasTensor cannot be used as input to a TensorFlow function."
    assert str(error.value).startswith(said)
    assert f"`ValueError: {said}`" in table


def test_a_model_with_a_lambda_saves_and_does_not_load(keras, table, tmp_path):
    row = keras.layers.Input((5,))
    doubled = keras.layers.Lambda(lambda query: query * 2)(row)
    keras.Model(row, doubled).save(tmp_path / "model.keras")
    with pytest.raises(ValueError, match="Lambda") as error:
        keras.models.load_model(tmp_path / "model.keras")
    said = "Requested the deserialization of a Lambda layer"
    assert str(error.value).replace("`", "").startswith(said)
    assert f"`ValueError: {said}`" in table


def test_eager_execution_switched_off(table):
    code = """
import numpy as np
from softlookup.keras_loader import load_keras
keras = load_keras()
import tensorflow as tf
tf.compat.v1.disable_eager_execution()
row = keras.layers.Input((5,))
model = keras.Model(row, keras.layers.Dense(1, activation="sigmoid")(row))
model.compile("adam", "binary_crossentropy")
model.fit(np.zeros((8, 5)), np.zeros(8), verbose=0)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode != 0
    last = done.stderr.strip().splitlines()[-1].replace("`", "")
    assert last == f"RuntimeError: {quoted(table, 'RuntimeError')}"
