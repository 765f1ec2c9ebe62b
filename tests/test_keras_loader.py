"""Keras is loaded without a word, and its absence is told with the remedy."""

import subprocess
import sys

import pytest

from softlookup.keras_loader import load_keras


def run(program):
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=120
    )


def test_loading_and_computing_print_nothing():
    done = run(
        "import os; os.environ.pop('TF_CPP_MIN_LOG_LEVEL', None)\n"
        "from softlookup.keras_loader import load_keras\n"
        "keras = load_keras()\n"
        "assert keras.backend.backend() == 'tensorflow'\n"
        "assert keras.__version__.startswith('3.')\n"
        "keras.ops.matmul(keras.ops.ones((2, 3)), keras.ops.ones((3, 5)))\n"
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_errors_written_after_loading_are_seen():
    done = run(
        "import sys; from softlookup.keras_loader import _silent_descriptor_2\n"
        "import os\n"
        "with _silent_descriptor_2():\n"
        "    os.write(2, b'hidden'); sys.stderr.write('hidden too')\n"
        "os.write(2, b'seen'); sys.stderr.write(', seen too')\n"
    )
    assert done.stderr == "seen, seen too"


@pytest.mark.parametrize("missing", ["keras", "tensorflow"])
def test_without_keras_the_message_says_what_to_install(monkeypatch, missing):
    monkeypatch.setitem(sys.modules, "keras", sys)  # a stand-in: nothing heavy is loaded
    monkeypatch.setitem(sys.modules, "tensorflow", sys)
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(ImportError) as caught:
        load_keras()
    assert str(caught.value) == (
        "This cell compares with Keras, which needs TensorFlow; "
        "python -m pip install tensorflow brings both."
    )
