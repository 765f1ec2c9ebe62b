"""Train the readers of dates over several seeds, with and without attention, and keep the log.

python benchmarks/dates.py --log dates.json
python benchmarks/dates.py --seeds 1 --store

Both readers have the same layers, the same weights to learn, the same dates in the same order,
and as many epochs. For every epoch the log has the loss and the share of held-out dates read
exactly; after ``--marks`` epochs it has the shares by language, by format and by length too.
``--store`` writes the first seed's weights, as they are after the first mark, into the package;
the log that belongs to them lies beside them, with the commands that made it.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from softlookup import dates
from softlookup.dates import weights
from softlookup.keras_loader import load_keras

keras = load_keras()
import tensorflow  # noqa: E402  silent only after load_keras


def measure(
    seed: int, attention: bool, marks: list[int], rate: float, store: bool
) -> dict[str, Any]:
    """Train one reader and return what is to be known about it."""
    learn, held_out = dates.draw(seed=seed)
    wall, processors = time.perf_counter(), time.process_time()
    reader = dates.build(attention=attention, seed=seed, learning_rate=rate)
    curve, at = [], {}
    for epoch in range(1, max(marks) + 1):
        # One call per epoch: the order of each comes from a seed of its own.
        (last,) = dates.train(reader, learn, epochs=1, seed=1_000 * seed + epoch, held_out=held_out)
        curve.append([round(last.loss, 4), round(last.exact, 4)])
        print(seed, "with" if attention else "without", epoch, *curve[-1], flush=True)
        if epoch not in marks:
            continue
        right = dates.exact(reader, held_out)
        lengths = [len(text) // 5 * 5 for text in held_out.text]
        at[epoch] = {
            "exact": round(float(right.mean()), 4),
            "language": dates.shares(right, held_out.language),
            "form": dates.shares(right, held_out.form),
            "length": {f"{n} to {n + 4}": s for n, s in dates.shares(right, lengths).items()},
            "seconds": round(time.perf_counter() - wall, 1),
            "processor_seconds": round(time.process_time() - processors, 1),
        }
        if store and epoch == marks[0]:
            print(weights.save(reader))
    return {
        "seed": seed,
        "attention": attention,
        "parameters": reader.model.count_params(),
        "curve": curve,
        "at": at,
    }


def main() -> None:
    """Measure all that was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3, help="how many, from 0")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--marks", type=int, nargs="+", default=[3])
    parser.add_argument("--rate", type=float, default=0.01, help="the learning rate")
    parser.add_argument("--only", choices=["with", "without"])
    parser.add_argument("--log", type=Path)
    parser.add_argument("--store", action="store_true")
    chosen = parser.parse_args()
    log: dict[str, Any] = {
        "seeds": chosen.seeds,
        "marks": chosen.marks,
        "learning_rate": chosen.rate,
        "versions": {
            "python": sys.version.split()[0],
            "numpy": np.__version__,
            "keras": keras.__version__,
            "tensorflow": tensorflow.__version__,
        },
        "runs": [],
    }
    for seed in range(chosen.first, chosen.first + chosen.seeds):
        for attention in (True, False):
            if chosen.only in (None, "with" if attention else "without"):
                store = chosen.store and seed == chosen.first
                run = measure(seed, attention, sorted(chosen.marks), chosen.rate, store)
                log["runs"].append(run)
                log["peak_mib"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
                if chosen.log:
                    chosen.log.write_text(json.dumps(log, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
