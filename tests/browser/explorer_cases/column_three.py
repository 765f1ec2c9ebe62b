"""Three seeds, seven epochs, four columns; ties, zeros, and pictures of different heights."""

from __future__ import annotations

from typing import Any

import numpy as np

from softlookup import explorers


def case() -> tuple[explorers.ColumnThree, list[dict[str, Any]]]:
    """Return the explorer and its states."""
    rng = np.random.default_rng(11)
    pictures = {name: rng.uniform(0, 1, (3, 8, 4)) for name in ("key 1", "key 2", "a <b> & c")}
    pictures["key 2"] *= 3
    pictures["key 1"][0, 7] = [0.4, 0.4, 0.1, 0.1]  # no largest
    pictures["key 1"][0, 6] = 0
    pictures["seldom"] = np.zeros((3, 8, 4))
    for picture in pictures.values():
        picture[1, 5] = [0.1, 0.2, 0.3, 0.0625]  # all of them at the label
        picture[1, 4] = [0.1, 0.2, 0.3, 0.3]  # none
    explorer = explorers.ColumnThree(
        [12, 3, 128],
        pictures,
        loss=rng.uniform(0, 2, (3, 8)),
        accuracy=rng.uniform(0, 1, (3, 8)),
        pull=rng.uniform(-3, 3, (3, 8)),
        column=2,
        seed=3,
        epoch=5,
    )
    states = [{"seed": 3, "epoch": epoch} for epoch in (0, 1, 4, 5)]
    states += [{"seed": 12}, {"epoch": 6}, {"epoch": 7}, {"seed": 128}, {"epoch": 0}, {"epoch": 2}]
    return explorer, states
