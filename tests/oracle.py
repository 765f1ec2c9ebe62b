"""Attention written a second time, so that the package is not its own judge.

Loops over Python fractions: scores are exact whatever the size of the inputs, and no step can
overflow. Only ``exp`` rounds. Also here: the settings and inputs that the laws share.
"""

import atexit
import math
import shutil
import tempfile
from fractions import Fraction

import numpy as np
from hypothesis import configuration, settings
from hypothesis import strategies as st

# The same examples in every run, and no folder left in the repository.
_home = tempfile.mkdtemp(prefix="hypothesis-")
atexit.register(shutil.rmtree, _home, ignore_errors=True)
configuration.set_hypothesis_home_dir(_home)
law = settings(derandomize=True, database=None, deadline=None, max_examples=60)

EXTREMES = (0.0, 1.0, -1.0, 5e-324, 1e-308, -1e-160, 1e160, -1e300, 1e308, 1.7976931348623157e308)


def exact_softmax(scores, allowed=None, temperature=1.0):
    """Weights of one row of exact scores, as floats."""
    allowed = [True] * len(scores) if allowed is None else allowed
    kept = [score for score, may in zip(scores, allowed, strict=True) if may]
    if not kept:
        return [0.0] * len(scores)
    exponents = [(score - max(kept)) / Fraction(temperature) for score in scores]
    powers = [
        math.exp(float(max(x, Fraction(-1000)))) if may else 0.0
        for x, may in zip(exponents, allowed, strict=True)
    ]
    return [power / math.fsum(powers) for power in powers]


def exact_scores(query, key, scale=None):
    """Every score as a fraction, one row per query."""
    scale = 1 / math.sqrt(len(key[0])) if scale is None else scale
    query, key = _fractions(query), _fractions(key)
    return [
        [Fraction(scale) * sum(a * b for a, b in zip(q, k, strict=True)) for k in key]
        for q in query
    ]


def exact_weights(query, key, *, mask=None, scale=None, temperature=1.0):
    """Attention weights of two matrices."""
    shape = (len(query), len(key))
    mask = np.ones(shape, bool) if mask is None else np.broadcast_to(mask, shape)
    rows = zip(exact_scores(query, key, scale), mask.tolist(), strict=True)
    return np.array([exact_softmax(row, may, temperature) for row, may in rows]).reshape(shape)


def exact_attention(query, key, value, *, mask=None, scale=None, temperature=1.0):
    """Attention of three matrices."""
    value = _fractions(value)
    return np.array(
        [
            [float(sum(Fraction(w) * v for w, v in zip(row, column, strict=True)))
             for column in zip(*value, strict=True)]
            for row in exact_weights(
                query, key, mask=mask, scale=scale, temperature=temperature
            ).tolist()
        ]
    ).reshape(len(query), len(value[0]))  # fmt: skip


def _fractions(matrix):
    return [[Fraction(float(x)) for x in row] for row in np.asarray(matrix).tolist()]


@st.composite
def attention_inputs(draw, *, extreme=False, most=(5, 7, 4, 3)):
    """Draw ``query, key, value, mask, scale``: shapes up to ``most``, any mask or none.

    Scores that are large and cancel are ill-conditioned: the last digit of a product decides
    who wins, and no two orders of addition agree. So the extreme inputs are small whole numbers
    times a power of two, for which every sum is exact.
    """
    n_queries, n_keys, d_k, d_v = (draw(st.integers(1, n)) for n in most)
    if extreme:
        entries = st.integers(-8, 8).map(float)
        power = st.sampled_from([-1000, -500, -30, 0, 5, 60, 300, 511, 600, 1020])
        scale = st.sampled_from([1.0, 0.5, -2.0, 2.0**-1000, 2.0**1000, 0.0])
    else:
        entries = st.floats(-4, 4, width=32)
        power = st.just(0)
        scale = st.none() | st.floats(-2, 2)

    def matrix(rows, columns):
        row = st.lists(entries, min_size=columns, max_size=columns)
        numbers = draw(st.lists(row, min_size=rows, max_size=rows))
        return np.ldexp(np.array(numbers), draw(power))

    query, key, value = matrix(n_queries, d_k), matrix(n_keys, d_k), matrix(n_keys, d_v)
    row = st.lists(st.booleans(), min_size=n_keys, max_size=n_keys)
    rows = st.lists(row, min_size=n_queries, max_size=n_queries)
    mask = draw(st.none() | row.map(np.array) | rows.map(np.array))
    return query, key, value, mask, draw(scale)
