"""Time the many-seeds trainer against Keras, in one run, and print the ratios.

python benchmarks/column_three.py

Each measurement that is compared with another is interleaved with it and repeated, and medians
are taken; memory is the peak of a process that does nothing else.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np

from softlookup.column_three import VARIANTS, draw, initialise, train
from softlookup.column_three.keras_model import build, to_keras
from softlookup.keras_loader import load_keras


def seconds(work: Callable[[], object]) -> float:
    """Return how long one call takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def one_seed(rounds: int) -> None:
    """One seed, 20 epochs, the same rows: NumPy against ``fit``, building the model left out."""
    load_keras()
    x, y = draw(0)
    ours, theirs = [], []
    for _ in range(rounds):
        model = build()
        to_keras(initialise(0), model)
        theirs.append(
            seconds(
                lambda model=model: model.fit(
                    x[0], y[0], batch_size=64, epochs=20, validation_split=0.2, verbose=0
                )
            )
        )
        time.sleep(0.2)  # let TensorFlow's threads stop spinning
        ours.append(min(seconds(lambda: train(0, history=True)) for _ in range(3)))
    fit, numpy = statistics.median(theirs), statistics.median(ours)
    print(f"one seed, 20 epochs      Keras fit {fit:7.3f} s   NumPy {numpy:7.4f} s", end="   ")
    print(f"NumPy is {fit / numpy:.0f} times faster")


def many_seeds(seeds: int, names: list[str]) -> None:
    """Train some variants, 20 epochs, each in a process of its own, whose peak can be read."""
    for name in names:
        done = subprocess.run(
            [sys.executable, __file__, "--alone", name, "--seeds", str(seeds)],
            capture_output=True,
            text=True,
            check=True,
        )
        print(f"{seeds} seeds, 20 epochs   {name:20} {done.stdout.strip()}", flush=True)


def alone(name: str, seeds: int) -> None:
    """Train and print the time, this process's processor time and its peak memory."""
    wall = seconds(lambda: train(range(seeds), name))
    usage = resource.getrusage(resource.RUSAGE_SELF)
    cpu = usage.ru_utime + usage.ru_stime
    peak = usage.ru_maxrss / 1024  # kibibytes on Linux
    print(f"{wall:6.2f} s   processors {cpu:6.2f} s   peak {peak:4.0f} MiB")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=1_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--variants", nargs="*", choices=list(VARIANTS), default=list(VARIANTS))
    parser.add_argument("--alone", choices=list(VARIANTS), help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.alone:
        alone(chosen.alone, chosen.seeds)
    else:
        print(f"NumPy {np.__version__}, Python {sys.version.split()[0]}")
        # First, while this process is small: a child's peak starts at its parent's size.
        many_seeds(chosen.seeds, chosen.variants)
        one_seed(chosen.rounds)
