"""Train the larger plain networks of chapter 3's last question for longer, and on more rows.

python benchmarks/cue.py

Writes the accuracies on fresh rows of 200 networks of each kind into the package, where
`softlookup.column_three.cue.stored_accuracy` finds them.
"""

from __future__ import annotations

import json
import platform
from pathlib import Path

import numpy as np

import softlookup
from softlookup.column_three import cue

KINDS = {"rows": {"rows": 10_000, "epochs": 20}, "epochs": {"rows": 1_000, "epochs": 200}}


def main() -> None:
    """Train both kinds and write the record."""
    record = {
        "command": "python benchmarks/cue.py",
        "versions": {"Python": platform.python_version(), "NumPy": np.__version__},
        "accuracy": {
            name: cue.cue_accuracy(
                cue.train_cues(range(200), cue.CueDense(20), history=False, **how)
            )
            .round(4)
            .tolist()
            for name, how in KINDS.items()
        },
    }
    path = Path(softlookup.__file__).parent / "readings" / "cue.json"
    path.write_text(json.dumps(record) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
