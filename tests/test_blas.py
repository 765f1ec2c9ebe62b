"""Holding NumPy's matrix products to one thread: found, nested, and always given back."""

import threading

import numpy as np
import pytest

from softlookup import blas, streaming_attention


class Library:
    """A stand-in for OpenBLAS."""

    threads = 7

    def get(self):
        return self.threads

    def put(self, number):
        self.threads = number


@pytest.fixture
def library(monkeypatch):
    stand_in = Library()
    monkeypatch.setattr(blas, "_openblas", lambda: (stand_in.get, stand_in.put))
    return stand_in


def test_one_thread_inside_and_the_usual_number_behind(library):
    with blas.one_blas_thread() as threads:
        assert (threads, library.threads) == (7, 1)
        with blas.one_blas_thread() as inner:
            assert (inner, library.threads) == (7, 1)
        assert library.threads == 1
    assert library.threads == 7


def test_an_error_gives_the_threads_back_too(library):
    with pytest.raises(KeyError), blas.one_blas_thread():
        raise KeyError
    assert library.threads == 7


def test_users_in_two_threads_may_leave_in_any_order(library):
    inside, leave = threading.Event(), threading.Event()

    def other():
        with blas.one_blas_thread():
            inside.set()
            leave.wait(10)

    thread = threading.Thread(target=other)
    with blas.one_blas_thread():
        thread.start()
        assert inside.wait(10)
    assert library.threads == 1
    leave.set()
    thread.join()
    assert library.threads == 7


def test_another_library_is_left_alone(monkeypatch):
    monkeypatch.setattr(blas, "_openblas", lambda: None)
    with blas.one_blas_thread() as threads:
        assert threads == 1
    q = np.random.default_rng(1).normal(size=(700, 3))
    alone = streaming_attention(q, q, q)
    monkeypatch.undo()
    np.testing.assert_allclose(streaming_attention(q, q, q), alone, rtol=1e-12)


def test_numpys_own_library_is_found_where_it_is_openblas():
    config = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    found = blas._openblas()
    if "openblas" not in config["name"]:
        assert found is None
        return
    get, _ = found
    usual = get()
    with blas.one_blas_thread() as threads:
        assert (threads, get()) == (usual, 1)
    assert get() == usual
