"""Time attention against the libraries, in one run, and print ratios to the fastest peer.

python benchmarks/attention.py             seven cases, a few minutes
python benchmarks/attention.py --quick     four small cases
python benchmarks/attention.py --causal    with a causal mask
python benchmarks/attention.py --memory    peak memory too

PyTorch, JAX and Keras take part where they are installed; the course itself needs none of them to
run this. A peer that is missing is named with the reason. Readings are taken in turns with a rest
before each, and medians compared: threads of one library that still spin slow down the next, up
to a hundredfold for small cases. Close what else is running: every library here waits for the
slowest of its threads.

To have all peers: a new virtual environment with
``pip install -e '.[keras]' torch jax`` (for PyTorch without CUDA see its own site).

Memory is the growth of a new process's peak, output included, while the function is called once
at this size after a call at a small one; Linux only.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from softlookup import causal_mask, measure, scaled_dot_product_attention, streaming_attention

CASES = [(128, 1), (512, 1), (2048, 1), (8192, 1), (512, 8), (2048, 8), (8192, 8)]
QUICK = [(128, 1), (512, 1), (2048, 1), (512, 8)]
MEMORY = [(2048, 8), (8192, 8)]
D = 64
PEERS = ("PyTorch", "JAX", "Keras eager", "Keras compiled")
OURS = ("NumPy textbook", "NumPy in place", "streaming")
Attention = Callable[..., object]
# A function, and what turns arrays of shape (1, heads, n, d) and a mask into its arguments.
Contender = tuple[Attention, Callable[..., list[Any]]]


def textbook(query: Any, key: Any, value: Any, mask: Any = None) -> Any:
    """Compute the formula as it stands, with the largest score subtracted."""
    scores = query @ np.swapaxes(key, -1, -2) / np.float32(math.sqrt(query.shape[-1]))
    if mask is not None:
        scores = np.where(mask, scores, np.float32(-np.inf))
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return (weights / weights.sum(axis=-1, keepdims=True)) @ value


def numpy_contender(function: Attention) -> Contender:
    """Arrays as they are; the mask by its name."""
    return (
        lambda query, key, value, mask: function(query, key, value, mask=mask),
        lambda arrays, mask: [*arrays, mask],
    )


def pytorch() -> Contender:
    """PyTorch's own fused kernel."""
    import torch  # noqa: PLC0415

    attention = torch.nn.functional.scaled_dot_product_attention

    def call(query: Any, key: Any, value: Any, causal: bool) -> object:
        with torch.no_grad():
            return attention(query, key, value, is_causal=causal)

    return call, lambda arrays, mask: [*map(torch.from_numpy, arrays), mask is not None]


def jax() -> Contender:
    """JAX's function of that name, compiled."""
    import jax  # noqa: PLC0415

    compiled = jax.jit(jax.nn.dot_product_attention, static_argnames="is_causal")

    def call(query: Any, key: Any, value: Any, causal: bool) -> object:
        return compiled(query, key, value, is_causal=causal).block_until_ready()

    # It wants (batch, n, heads, d).
    return call, lambda arrays, mask: [
        *(jax.numpy.asarray(x.swapaxes(1, 2)) for x in arrays),
        mask is not None,
    ]


def keras(compiled: bool) -> Contender:
    """``keras.ops.dot_product_attention`` on TensorFlow, as it is or as one graph."""
    from softlookup.keras_loader import load_keras  # noqa: PLC0415

    loaded = load_keras()
    import tensorflow as tf  # noqa: PLC0415

    attention = loaded.ops.dot_product_attention
    call = tf.function(attention) if compiled else attention

    def convert(arrays: Any, mask: Any) -> list[Any]:
        tensors = [tf.constant(np.ascontiguousarray(x.swapaxes(1, 2))) for x in arrays]
        return tensors if mask is None else [*tensors, None, tf.constant(mask)]

    return (lambda *arguments: np.asarray(call(*arguments))), convert


MAKERS: dict[str, Callable[[], Contender]] = {
    "PyTorch": pytorch,
    "JAX": jax,
    "Keras eager": lambda: keras(compiled=False),
    "Keras compiled": lambda: keras(compiled=True),
    "NumPy textbook": lambda: numpy_contender(textbook),
    "NumPy in place": lambda: numpy_contender(scaled_dot_product_attention),
    "streaming": lambda: numpy_contender(streaming_attention),
}


def inputs(n: int, heads: int, causal: bool) -> tuple[list[Any], Any]:
    """Draw queries, keys and values of shape (1, heads, n, d); return them and a mask or None."""
    arrays = np.random.default_rng(0).standard_normal((3, 1, heads, n, D), dtype=np.float32)
    return list(arrays), causal_mask(n) if causal else None


def installed() -> dict[str, Contender]:
    """Make every contender that can be made, and say why others cannot."""
    contenders = {}
    for name, make in MAKERS.items():
        try:
            contenders[name] = make()
        except ImportError as error:
            print(f"{name}: left out ({error})")
    return contenders


def agree(contenders: dict[str, Contender], causal: bool) -> None:
    """Stop if the contenders do not compute the same thing."""
    arrays, mask = inputs(96, 2, causal)
    right = textbook(*(x.astype(float) for x in arrays), mask)
    for name, (function, convert) in contenders.items():
        answer = np.asarray(function(*convert(arrays, mask)))
        if answer.shape != right.shape:
            answer = answer.swapaxes(1, 2)
        if not np.allclose(answer, right, atol=1e-5):
            raise SystemExit(f"{name}: another answer, off by {abs(answer - right).max():.1e}")


def times(contenders: dict[str, Contender], cases: list[tuple[int, int]], options: Any) -> None:
    """Print, for each case, the fastest peer and every other contender's ratio to it."""
    print(table_row("n, heads", "fastest peer", *contenders))
    for n, heads in cases:
        arrays, mask = inputs(n, heads, options.causal)
        readings: dict[str, list[float]] = {name: [] for name in contenders}
        arguments = {name: convert(arrays, mask) for name, (_, convert) in contenders.items()}
        for turn in range(options.rounds + 1):  # the first is not counted
            for name, (function, _) in contenders.items():
                time.sleep(options.idle)
                # seconds() of one call; it calls once more beforehand, behind the rest.
                one = measure.seconds(
                    {name: function}, {n: arguments[name]}, rounds=1, idle=0, least=0.02
                )
                if turn:
                    readings[name].append(float(one[name][0, 0]))
        typical = {name: float(np.median(row)) for name, row in readings.items()}
        peers = [name for name in typical if name in PEERS] or list(typical)
        best = min(peers, key=typical.__getitem__)
        print(
            table_row(
                f"{n:,}, {heads}",
                f"{best} {typical[best] * 1e3:,.2f} ms",
                *(f"{seconds / typical[best]:.2f}" for seconds in typical.values()),
            ),
            flush=True,
        )


def memory(contenders: dict[str, Contender], causal: bool) -> None:
    """Print each contender's peak extra memory, from a process of its own."""
    print(table_row("n, heads", "", *contenders))
    for n, heads in MEMORY:
        peaks = []
        for name in contenders:
            command = [sys.executable, __file__, "--alone", json.dumps([name, n, heads, causal])]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            peaks.append(done.stdout.split()[-1])
        print(table_row(f"{n:,}, {heads}", "MiB", *peaks), flush=True)


def alone(name: str, n: int, heads: int, causal: bool) -> None:
    """Print the peak of one call, in mebibytes."""
    function, convert = MAKERS[name]()
    function(*convert(*inputs(128, heads, causal)))
    big = {n: convert(*inputs(n, heads, causal))}
    peaks = measure.resident_mebibytes({name: function}, big, warm_up=False)
    print(f"{peaks[name][0]:.0f}")


def table_row(*cells: str) -> str:
    """Return a row of the table, in Markdown."""
    widths = (9, 24, *[14] * (len(cells) - 2))
    return " | ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small cases only")
    parser.add_argument("--causal", action="store_true", help="with a causal mask")
    parser.add_argument("--memory", action="store_true", help="memory as well as time")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--idle", type=float, default=0.2, help="seconds of rest")
    parser.add_argument("--alone", type=json.loads, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.alone:
        alone(*chosen.alone)
        raise SystemExit
    there = installed()
    agree(there, chosen.causal)
    print(f"Python {sys.version.split()[0]}, NumPy {np.__version__}, {os.cpu_count()} processors")
    times(there, QUICK if chosen.quick else CASES, chosen)
    if chosen.memory:
        memory(there, chosen.causal)
