"""Tests import the scripts in tools/ as modules, and the longest of them begin first."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tools"))

#: Files that take longest, in this order. Workers take a file at a time: a long one that is begun
#: last would keep all but one of them waiting.
LONGEST_FIRST = (
    "test_binder.py",  # installs, which leaves the processor to others for a while
    "test_solutions.py",
    "03-column-three.ipynb",
    "test_every_page.py",
    "07-transformer.ipynb",
    "test_explorers_move.py",
    "test_reading.py",
    "test_jupyterlab.py",
    "test_types.py",
    "test_dates_model.py",
    "08-cost.ipynb",
    "test_site.py",
    "test_nbval_net.py",
    "test_column_three_keras.py",
    "test_make.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Sort the files that take longest to the front; the order within a file stays."""
    rank = {name: place for place, name in enumerate(LONGEST_FIRST)}
    items.sort(key=lambda item: rank.get(item.path.name, len(rank)))
