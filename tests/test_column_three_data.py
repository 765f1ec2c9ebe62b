"""What the data of the experiment must be like."""

from __future__ import annotations

import numpy as np
import pytest

from softlookup.column_three import Task, draw

MANY = 200_000
TASKS = {
    "published": Task(),
    "plus and minus one": Task(coding="pm1"),
    "another column": Task(label_column=0),
    "coin instead of the label": Task(label_column=None, coin_column=3),
    "label elsewhere, coin in 3": Task(label_column=1, coin_column=3),
    "nothing to learn": Task(label_column=None),
}


@pytest.mark.parametrize("name", TASKS)
def test_each_column_holds_what_the_task_says(name):
    task = TASKS[name]
    x, y = task.draw(np.random.default_rng(8), rows=MANY)
    assert x.shape == (MANY, 5)
    assert y.shape == (MANY,)
    assert set(np.unique(y)) == {0.0, 1.0}
    error = 5 / np.sqrt(MANY)  # five standard errors of a mean of unit variance
    assert abs(y.mean() - 0.5) < error
    codes = {0.0, 1.0} if task.coding == "01" else {-1.0, 1.0}
    for column in range(5):
        values = x[:, column]
        with_label = np.corrcoef(values, y)[0, 1]
        if column == task.label_column:
            assert set(np.unique(values)) == codes
            np.testing.assert_array_equal(values == 1, y == 1)
        elif column == task.coin_column:
            assert set(np.unique(values)) == codes
            assert abs(np.mean(values == 1) - 0.5) < error
            assert abs(with_label) < error
        else:
            assert abs(values.mean()) < error
            assert abs(values.std() - 1) < error
            assert abs((values**3).mean()) < 4 * error
            assert abs((values**4).mean() - 3) < 10 * error
            assert abs(with_label) < error
    correlation = np.corrcoef(x, rowvar=False) - np.eye(5)
    assert np.abs(correlation).max() < error


def test_tasks_share_everything_they_do_not_write():
    published, _ = draw(4)
    coin, _ = draw(4, Task(label_column=1, coin_column=3))
    np.testing.assert_array_equal(published[..., [0, 2, 4]], coin[..., [0, 2, 4]])
    assert (published[..., 3] != coin[..., 3]).any()


def test_labels_are_the_same_whatever_the_task():
    for task in TASKS.values():
        np.testing.assert_array_equal(draw(4, task).y, draw(4).y)


def test_a_seed_gives_the_same_rows_alone_and_among_others():
    many = draw([5, 6, 7], rows=30)
    np.testing.assert_array_equal(many.x[2:], draw(7, rows=30).x)
    np.testing.assert_array_equal(many.y[2:], draw(7, rows=30).y)
    assert (many.x[0] != many.x[1]).any()


def test_fresh_rows_are_other_rows():
    assert (draw(1).x[..., 0] != draw(1, purpose="fresh").x[..., 0]).all()


def test_dtype_is_kept_and_only_rounds():
    single, double = draw(2, dtype=np.float32), draw(2, dtype="float64")
    assert single.x.dtype == single.y.dtype == np.float32
    assert double.x.dtype == double.y.dtype == np.float64
    np.testing.assert_array_equal(double.x.astype(np.float32), single.x)


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: Task(label_column=5), ValueError, "label_column: needed a column from 0 to 4"),
        (lambda: Task(coin_column=-1), ValueError, "coin_column: needed a column from 0 to 4"),
        (lambda: Task(label_column="3"), TypeError, "label_column: needed a whole number or None"),
        (lambda: Task(label_column=True), TypeError, "label_column: needed a whole number"),
        (lambda: Task(coin_column=3), ValueError, "column 3 already carries the label"),
        (lambda: Task(coding="0/1"), ValueError, 'coding: needed "01" or "pm1", got \'0/1\''),
        (lambda: draw([]), ValueError, "seeds: needed at least one"),
        (lambda: draw(-1), ValueError, "seeds: needed numbers from 0 up, got -1"),
        (lambda: draw(1.5), TypeError, "seeds: needed a whole number or several, got 1.5"),
        (lambda: draw([1, 2.5]), TypeError, "seeds: needed whole numbers, got 2.5"),
        (lambda: draw("7"), TypeError, "seeds: needed a whole number or several, got '7'"),
        (lambda: draw(1, rows=0), ValueError, "rows: needed a whole number from 1 up, got 0"),
        (lambda: draw(1, rows=2.0), TypeError, "rows: needed a whole number, got 2.0"),
        (lambda: draw(1, "published"), TypeError, "task: needed a Task, got str"),
        (lambda: draw(1, dtype="float16"), ValueError, "dtype: needed float32 or float64"),
        (lambda: draw(1, dtype="cat"), ValueError, "dtype: needed float32 or float64, got 'cat'"),
    ],
)
def test_bad_input_is_told_what_was_needed(make, error, message):
    with pytest.raises(error) as caught:
        make()
    assert message in str(caught.value)
