"""Seven keys; queries all over the plane, temperatures over all powers of ten."""

from __future__ import annotations

from typing import Any

import numpy as np

from softlookup import explorers


def case() -> tuple[explorers.SoftLookup, list[dict[str, Any]]]:
    """Return the explorer and its states."""
    rng = np.random.default_rng(7)
    explorer = explorers.SoftLookup(
        rng.uniform(-1, 1, (7, 2)).round(2),
        rng.uniform(-50, 900, 7).round(1),
        [f"a <b> & {i}" for i in range(7)],
        query=[0.25, -0.5],
        axes=("left & right", "up"),
        value_name="price",
        unit="coins",
    )
    states = [
        {"query": rng.uniform(-1, 1, 2).round(2).tolist(), "temperature": temperature}
        for temperature in (0.01, 0.0447, 0.2, 1.0, 3.16, 100.0)
    ]
    return explorer, [*states, {"query": [0.0, 0.0]}, {"query": [-1.0, 1.0]}]
