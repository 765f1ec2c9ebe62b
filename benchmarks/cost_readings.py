"""Measure what chapter 8's picture of time shows, and store it with the machine it was taken on.

python benchmarks/cost_readings.py

Run it on a quiet machine. The chapter draws the stored readings, so that the picture is the same
for every reader; its cells measure anew on the reader's machine.
"""

from __future__ import annotations

import json
import os
import platform
from pathlib import Path
from typing import Any

import numpy as np

from softlookup import measure, scaled_dot_product_attention, streaming_attention
from softlookup.keras_loader import load_keras

STORE = Path(__file__).parent.parent / "src" / "softlookup" / "readings" / "cost.json"
SIZES = (256, 512, 1024, 2048, 4096, 8192)


def main() -> None:
    """Take seven readings of each function at each size, and store the medians."""
    keras = load_keras()

    def by_keras(query: Any, key: Any, value: Any) -> Any:
        return keras.ops.nn.dot_product_attention(
            query[None, :, None], key[None, :, None], value[None, :, None]
        )

    functions = {
        "plain": scaled_dot_product_attention,
        "streaming": streaming_attention,
        "Keras": by_keras,
    }
    inputs = measure.random_inputs(SIZES)
    readings = measure.seconds(functions, inputs, rounds=7)
    ours = {name: functions[name] for name in ("plain", "streaming")}
    allocated = measure.allocated_mebibytes(ours, {n: inputs[n] for n in SIZES[:-1]})
    memory = measure.resident_mebibytes(functions, {n: inputs[n] for n in SIZES[3:]})
    record = {
        "machine": f"{os.cpu_count()} processors, {platform.system()} {platform.machine()}",
        "versions": {
            "Python": platform.python_version(),
            "NumPy": np.__version__,
            "Keras": keras.__version__,
        },
        "sizes": list(SIZES),
        "columns": 64,
        "seconds": {name: np.round(r, 6).tolist() for name, r in readings.items()},
        "allocated_sizes": list(SIZES[:-1]),
        "allocated": {name: np.round(m, 1).tolist() for name, m in allocated.items()},
        "memory_sizes": list(SIZES[3:]),
        "mebibytes": {name: np.round(m, 1).tolist() for name, m in memory.items()},
    }
    STORE.parent.mkdir(exist_ok=True)
    STORE.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    for name, r in readings.items():
        print(f"{name:10}", np.median(r, axis=0).round(4), memory[name].round(1))


if __name__ == "__main__":
    main()
