"""Measure the seconds that chapter 8 shows, and store them with the machine they were taken on.

python benchmarks/cost_readings.py
python benchmarks/cost_readings.py --memory    leave the seconds as they are

Run it on a quiet machine. The chapter draws the stored readings, so that the picture is the same
for every reader; its cells measure anew on the reader's machine. Functions take turns, each in a
process of its own: threads of one library would be in the way of another's. How a process grew is
asked in a fresh process for each function and size: one that has freed memory uses it again and
grows less.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import platform
from pathlib import Path
from typing import Any

import numpy as np

from softlookup import (
    measure,
    menu,
    scaled_dot_product_attention,
    soft_lookup,
    streaming_attention,
)
from softlookup.keras_loader import load_keras

STORE = Path(__file__).parent.parent / "src" / "softlookup" / "readings" / "cost.json"
SIZES = (256, 512, 1024, 2048, 4096, 8192)


def by_keras(query: Any, key: Any, value: Any) -> Any:
    """Return the attention of Keras, on one sequence with one head."""
    return load_keras().ops.nn.dot_product_attention(
        query[None, :, None], key[None, :, None], value[None, :, None]
    )


FUNCTIONS = {
    "plain": scaled_dot_product_attention,
    "streaming": streaming_attention,
    "Keras": by_keras,
}


TASTES, PRICE = menu.keys(), menu.values("price")
WAYS = {
    "loop": lambda guests: np.stack([soft_lookup(guest, TASTES, PRICE) for guest in guests]),
    "product": lambda guests: scaled_dot_product_attention(guests, TASTES, PRICE, scale=1.0),
}


def asked() -> dict[str, list[float]]:
    """Return the seconds in which 1,024 guests ask the menu, one after the other and at once."""
    guests = np.random.default_rng(8).uniform(-1, 1, (1024, TASTES.shape[1]))
    np.testing.assert_allclose(WAYS["loop"](guests), WAYS["product"](guests))
    readings = measure.seconds(WAYS, {1024: [guests]}, rounds=7)
    return {name: np.round(r[:, 0], 6).tolist() for name, r in readings.items()}


def reading(name: str) -> list[float]:
    """Return the seconds of one function at every size, in this process."""
    inputs = measure.random_inputs(SIZES)
    seconds = measure.seconds({name: FUNCTIONS[name]}, inputs, rounds=1, idle=0.3, least=0.02)
    return [round(float(s), 6) for s in seconds[name][0]]


def timed(rounds: int = 7) -> dict[str, list[list[float]]]:
    """Return the seconds of each function, a row for each round, a column for each size."""
    spawn = multiprocessing.get_context("spawn")
    pools = {name: spawn.Pool(1) for name in FUNCTIONS}
    readings: dict[str, list[list[float]]] = {name: [] for name in FUNCTIONS}
    for turn in range(rounds + 1):
        for name, pool in pools.items():
            row = pool.apply(reading, (name,))
            if turn:  # the first is for warming up
                readings[name].append(row)
    for pool in pools.values():
        pool.terminate()
    return readings


def growth(name: str, n: int) -> float:
    """Return by how many mebibytes this process grows in one call, after one small call."""
    small = measure.random_inputs(SIZES[:1])[SIZES[0]]
    FUNCTIONS[name](*small)
    inputs = measure.random_inputs([n])
    peaks = measure.resident_mebibytes({name: FUNCTIONS[name]}, inputs, warm_up=False)
    return float(peaks[name][0])


def grown() -> dict[str, list[float]]:
    """Return the growth for each function and size, each in a process of its own."""
    sizes = SIZES[3:]
    with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        asked = [(name, n) for name in FUNCTIONS for n in sizes]
        answers = iter(pool.starmap(growth, asked, chunksize=1))
    return {name: [round(next(answers), 1) for _ in sizes] for name in FUNCTIONS}


def main() -> None:
    """Take seven readings of each function at each size, and store them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memory", action="store_true", help="the memory alone")
    only_memory = parser.parse_args().memory
    if only_memory:
        record = measure.stored()
    else:
        inputs = measure.random_inputs(SIZES)
        ours = {name: FUNCTIONS[name] for name in ("plain", "streaming")}
        allocated = measure.allocated_mebibytes(ours, {n: inputs[n] for n in SIZES[:-1]})
        record = {
            "machine": f"{os.cpu_count()} processors, {platform.system()} {platform.machine()}",
            "versions": {
                "Python": platform.python_version(),
                "NumPy": np.__version__,
                "Keras": load_keras().__version__,
            },
            "sizes": list(SIZES),
            "columns": 64,
            "guests": asked(),
            "seconds": timed(),
            "allocated_sizes": list(SIZES[:-1]),
            "allocated": {name: np.round(m, 1).tolist() for name, m in allocated.items()},
        }
    record |= {"memory_sizes": list(SIZES[3:]), "mebibytes": grown()}
    STORE.parent.mkdir(exist_ok=True)
    STORE.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    for name, r in record["seconds"].items():
        print(f"{name:10}", np.median(r, axis=0).round(4), record["mebibytes"][name])
    for name, taken in record["guests"].items():
        print(f"{name:10}", np.median(taken).round(6))


if __name__ == "__main__":
    main()
