"""Measuring: the functions are measured that were asked for, and known growth is recognised."""

import tracemalloc

import numpy as np
import pytest

from softlookup import measure, scaled_dot_product_attention, streaming_attention


class Clock:
    """A clock that only passes when it is told to: no test waits, none depends on the machine."""

    def __init__(self, monkeypatch):
        self.now = 0.0
        monkeypatch.setattr(measure.time, "perf_counter", lambda: self.now)

    def passes(self, seconds):
        self.now += seconds


def test_readings_have_a_row_per_round_and_a_column_per_size(monkeypatch):
    clock, calls = Clock(monkeypatch), []
    functions = {
        name: lambda n, name=name: calls.append((name, n)) or clock.passes(n / 1000)
        for name in ("a", "b")
    }
    readings = measure.seconds(functions, {1: [1], 20: [20]}, rounds=3, idle=0, least=0)
    assert {name: rows.shape for name, rows in readings.items()} == {"a": (3, 2), "b": (3, 2)}
    for rows in readings.values():
        np.testing.assert_allclose(rows, [[0.001, 0.020]] * 3)
    # Behind the calls that are not measured they take turns, and not always in the same order.
    assert calls[8:] == [
        *(("a", 1), ("b", 1), ("a", 20), ("b", 20)),
        *(("b", 1), ("a", 1), ("b", 20), ("a", 20)),
        *(("a", 1), ("b", 1), ("a", 20), ("b", 20)),
    ]


def test_short_calls_are_averaged(monkeypatch):
    clock, calls = Clock(monkeypatch), []
    readings = measure.seconds(
        {"short": lambda: calls.append(0) or clock.passes(0.001)}, {1: []}, rounds=2, least=0.0039
    )["short"]
    # One call unmeasured, one to see how long it takes, and four of it make a reading.
    assert len(calls) == 2 + 2 * 4
    np.testing.assert_allclose(readings, 0.001)


def test_memory_is_the_peak_and_not_what_is_left():
    def table(n):
        np.ones((n, n, 128)).sum()  # n * n KiB, gone when it returns

    inputs = {n: [n] for n in (32, 64, 128)}
    peaks = measure.allocated_mebibytes({"table": table, "row": np.ones}, inputs)
    np.testing.assert_allclose(peaks["table"], [1, 4, 16], rtol=0.02)
    assert (peaks["row"] < 0.01).all()
    assert not tracemalloc.is_tracing()


def test_memory_is_counted_while_the_caller_is_counting():
    tracemalloc.start()
    try:
        kept = np.ones(2**20)
        peaks = measure.allocated_mebibytes({"ones": np.ones}, {1: [2**17]})
        assert tracemalloc.is_tracing()
    finally:
        tracemalloc.stop()
    assert kept.nbytes == 8 * 2**20
    np.testing.assert_allclose(peaks["ones"], [1], rtol=0.02)


def test_resident_memory_is_seen_where_the_system_tells():
    peaks = measure.resident_mebibytes({"ones": lambda n: np.ones(n).sum()}, {1: [2**24]})["ones"]
    assert np.isnan(peaks).all() or 100 < peaks[0] < 200  # 128 MiB


def test_resident_memory_is_nan_where_it_does_not(monkeypatch):
    def refuse(self, *_, **__):
        raise FileNotFoundError(self)

    monkeypatch.setattr(measure.Path, "write_text", refuse)
    peaks = measure.resident_mebibytes({"ones": np.ones}, {1: [1], 2: [2]})
    assert np.isnan(peaks["ones"]).tolist() == [True, True]


@pytest.mark.parametrize("power", [0, 1, 2, -0.5])
def test_a_power_is_recognised(power):
    n = np.array([128, 256, 1024])
    assert measure.slope(n, 3 * n**power) == pytest.approx((power,) * 3)


def test_the_range_of_a_slope_grows_with_the_noise_and_holds_the_truth():
    n = np.array([128, 256, 512, 1024])
    noise = np.random.default_rng(7).normal(size=(9, 4))
    narrow, wide = (measure.slope(n, n**2 * np.exp(size * noise)) for size in (0.01, 0.2))
    for found in (narrow, wide):
        assert found.low <= found.middle <= found.high
        assert found.low < 2 < found.high
    assert wide.high - wide.low > 10 * (narrow.high - narrow.low)
    assert narrow.high - narrow.low < 0.05


def test_one_slow_reading_does_not_move_the_middle():
    n = np.array([128, 256, 512])
    rounds = np.tile(n**1.0, (5, 1))
    rounds[2, 2] *= 100
    assert measure.slope(n, rounds).middle == pytest.approx(1)


@pytest.mark.parametrize(
    ("sizes", "readings"),
    [([8], [1]), ([8, 16], [1, 0]), ([8, 16], [1, np.nan]), ([0, 16], [1, 2]), ([8, 16], [[1]])],
)
def test_what_has_no_slope_is_refused(sizes, readings):
    with pytest.raises(ValueError, match=r"^sizes and readings: needed"):
        measure.slope(sizes, readings)


def test_memory_of_attention_grows_as_the_chapter_says():
    sizes = [512, 1024, 2048]
    inputs = measure.random_inputs(sizes)
    peaks = measure.allocated_mebibytes(
        {"plain": scaled_dot_product_attention, "streaming": streaming_attention}, inputs
    )
    assert 1.8 < measure.slope(sizes, peaks["plain"]).middle < 2.2
    assert measure.slope(sizes, peaks["streaming"]).middle < 1.1
    assert peaks["plain"][-1] > 4 * peaks["streaming"][-1]


def test_the_stored_readings_say_what_the_chapter_says_of_them():
    stored = measure.stored()
    loop, product = (np.array(stored["guests"][name]) for name in ("loop", "product"))
    assert (loop / product).min() > 20  # the chapter says what the loop adds is most of its time
    sizes = np.array(stored["sizes"])
    quotients = np.array(stored["seconds"]["plain"]) / np.array(stored["seconds"]["streaming"])
    middle = np.median(quotients, axis=0)
    assert (middle[sizes < 512] < 1).all()
    assert (middle[sizes >= 512] > 1).all()
    assert (quotients.min(axis=0)[sizes >= 4096] > 1).all()
    # What the text beside the two pictures says, for whoever cannot see them.
    seconds = {name: np.median(rows, axis=0) for name, rows in stored["seconds"].items()}
    assert seconds["plain"][0].round(4) == 0.0003
    assert 0.4 < seconds["streaming"][-1] / seconds["plain"][-1] < 0.6
    assert (seconds["Keras"] > np.maximum(seconds["plain"], seconds["streaming"])).all()
    assert seconds["Keras"][0].round(4) == 0.0015
    assert seconds["Keras"][-1].round(1) == 0.4
    slopes = {n: measure.slope(sizes, rows).middle for n, rows in stored["seconds"].items()}
    assert max(slopes, key=slopes.__getitem__) == "plain"
    assert stored["allocated"]["plain"][0] == 0.3
    assert stored["allocated"]["plain"][-1] == 65
    assert stored["allocated"]["streaming"][-1] == 3.0
    assert stored["allocated"]["plain"][0] < stored["allocated"]["streaming"][0]
    assert stored["allocated"]["plain"][1] > stored["allocated"]["streaming"][1]
    grown = {name: np.array(mebibytes) for name, mebibytes in stored["mebibytes"].items()}
    assert (grown["Keras"] > 1.8 * grown["plain"]).all()
    assert (grown["plain"] > 5 * grown["streaming"]).all()


def test_inputs_are_the_same_for_the_same_seed():
    first, again = measure.random_inputs([5, 7], d=3), measure.random_inputs([5, 7], d=3)
    other = measure.random_inputs([5, 7], d=3, seed=1)
    for n in (5, 7):
        q, k, v = first[n]
        assert q.shape == k.shape == v.shape == (n, 3)
        assert q.dtype == np.float32
        assert not (q == k).any()
        np.testing.assert_array_equal(first[n], again[n])
        assert not (first[n][0] == other[n][0]).any()
