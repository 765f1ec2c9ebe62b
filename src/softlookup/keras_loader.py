"""Keras without its noise.

Importing TensorFlow prints machine-dependent messages straight to file descriptor 2, past
Python's ``sys.stderr``; in a notebook they would become outputs that no second run reproduces.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from types import ModuleType

__all__ = ["load_keras"]


def load_keras() -> ModuleType:
    """Import and return Keras with TensorFlow as its backend, silently.

    Returns
    -------
    module
        ``keras``, version 3.

    Raises
    ------
    ImportError
        If Keras or TensorFlow is not installed, with the command that installs them.

    Examples
    --------
    >>> keras = load_keras()
    >>> keras.__name__
    'keras'
    """
    os.environ.setdefault("KERAS_BACKEND", "tensorflow")
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    # oneDNN reorders float32 sums by processor; without it two machines agree to more digits.
    os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")
    try:
        with _silent_descriptor_2():
            import keras  # noqa: PLC0415  loaded only on demand, and silently
            import tensorflow  # noqa: PLC0415
    except ImportError as error:
        raise ImportError(
            "This cell compares with Keras, which needs TensorFlow; "
            "python -m pip install tensorflow brings both."
        ) from error
    tensorflow.get_logger().setLevel("ERROR")
    return keras  # type: ignore[no-any-return]


@contextlib.contextmanager
def _silent_descriptor_2() -> Iterator[None]:
    sys.stderr.flush()
    saved = os.dup(2)
    try:
        with open(os.devnull, "w") as nowhere:
            os.dup2(nowhere.fileno(), 2)
        yield
    finally:
        sys.stderr.flush()
        os.dup2(saved, 2)
        os.close(saved)
