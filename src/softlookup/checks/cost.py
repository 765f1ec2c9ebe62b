"""What attention costs: a state by hand, merging two halves, a cache, streaming in blocks."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softlookup import attention as library
from softlookup.softmax import softmax

from . import guard, mistakes
from .answers import Known, check_numbers
from .exercise import Case, FunctionExercise, Mistake, Stage, check_function, primes
from .noted import noted
from .result import NOT_YET, Result

__all__ = ["cache_size", "merge", "state_by_hand", "streaming"]

Array = NDArray[Any]
State = tuple[float, float, float]


def state_by_hand(m_l_o: Any) -> Result:
    """Check m, l and o after the scores 0 and ln 3 with the values 4 and 8.

    Parameters
    ----------
    m_l_o : row of three numbers

    Returns
    -------
    Result

    Examples
    --------
    >>> state_by_hand([np.log(3), 2, 12])
    Not yet. The second key came in without shrinking what was there. When the largest score \
changes, l and o of the past are multiplied by a factor.
    """
    m = np.log(3)
    return check_numbers(
        m_l_o,
        name="m_l_o",
        right=_state(np.array([0.0, m]), np.array([4.0, 8.0])),
        tolerance=0.01,
        known=(
            Known(
                "past not shrunk",
                (m, 2.0, 12.0),
                "The second key came in without shrinking what was there. When the largest score "
                "changes, l and o of the past are multiplied by a factor.",
            ),
            *(
                Known(
                    "no maximum subtracted",
                    (largest, 4.0, 28.0),
                    "These are sums of e^s as they are. "
                    "The largest score is subtracted in the exponent.",
                )
                for largest in (m, 0.0)
            ),
            Known(
                "o divided",
                (m, 4 / 3, 7.0),
                "m and l are right, and o has been divided already. "
                "The division comes once, at the very end.",
            ),
            Known(
                "o not shrunk",
                (m, 4 / 3, 12.0),
                "m and l are right. The past of o shrinks by the same factor as the past of l.",
            ),
            Known(
                "l not shrunk",
                (m, 2.0, 28 / 3),
                "m and o are right. The past of l shrinks by the same factor as the past of o.",
            ),
            Known(
                "new key shrunk",
                (m, 1 + 1 / 3, 4 + 8 / 3),
                "The new key was shrunk instead of the past. "
                "It is the new one that has the largest score.",
            ),
            Known(
                "grown",
                (m, 4.0, 20.0),
                "The past has grown by 3 instead of shrinking. "
                "The factor is e to the power of old minus new.",
            ),
            Known(
                "after the first",
                (0.0, 1.0, 4.0),
                "That is the state after the first key. The second is still to come.",
            ),
        ),
        otherwise="After the first key m = 0, l = 1, o = 4. By which factor do l and o shrink "
        "when m grows to ln 3?",
        praise="And 28/3 divided by 4/3 is 7, the blend.",
    )


def _state(scores: Array, values: Array) -> State:
    """Return m, l and o of some keys; o / l is the library's blend."""
    m = scores.max()
    largest = softmax(scores).max()  # e^(m - m) / l
    return float(m), float(1 / largest), float(softmax(scores) @ values / largest)


# ------------------------------------------------------------------ merging


def _merge(
    first: State, second: State, *, largest: str = "larger", shrink: str = "both", o: str = "summed"
) -> Array:
    (m1, l1, o1), (m2, l2, o2) = first, second
    m = {
        "larger": max(m1, m2),
        "smaller": min(m1, m2),
        "first": m1,
        "second": m2,
        "nothing": 0.0,
        "sum": m1 + m2,
        "mean": (m1 + m2) / 2,
    }[largest]
    c1, c2 = np.exp(np.float64(m1) - m), np.exp(np.float64(m2) - m)
    if shrink == "turned":
        c1, c2 = np.exp(np.float64(m) - m1), np.exp(np.float64(m) - m2)
    if shrink == "crossed":
        c1, c2 = c2, c1
    if shrink == "none":
        c1 = c2 = np.float64(1.0)
    if shrink == "times m":
        c1, c2 = np.exp(np.float64(m1)), np.exp(np.float64(m2))
    for_l = (1.0, 1.0) if shrink == "o only" else (c1, c2)
    for_o = (1.0, 1.0) if shrink == "l only" else (c1, c2)
    total = for_l[0] * l1 + for_l[1] * l2
    out = for_o[0] * o1 + for_o[1] * o2
    if o == "divided":
        out = out / total
    if o == "blends":
        out = (o1 / l1 + o2 / l2) / 2
    if o == "times l":
        out = for_o[0] * l1 * o1 + for_o[1] * l2 * o2
    return np.array([m, total, out])


def _halves(rng: np.random.Generator, spread: float = 3.0) -> Iterator[Case]:
    for higher in (0.0, 1.0, -1.0):  # whatever is drawn, either half is the higher one once
        n, k = primes(rng, 2, cases=1)[0]
        first, second = rng.standard_normal(n) * spread, rng.standard_normal(k) * spread
        if higher:
            second += first.max() - second.max() + higher * spread / 2
        yield _state(first, rng.standard_normal(n)), _state(second, rng.standard_normal(k))


def _merged(first: State, second: State) -> Array:
    """Let the library merge: two keys with scores m + ln l and values o / l have the same sums."""
    (m1, l1, o1), (m2, l2, o2) = first, second
    m = max(m1, m2)
    scores = np.array([m1 + np.log(l1), m2 + np.log(l2)])
    total = np.exp(scores - m).sum()
    return np.array([m, total, softmax(scores) @ [o1 / l1, o2 / l2] * total])


_MERGE = FunctionExercise(
    asks="merge",
    parameters=("first", "second"),
    right=_merged,
    family=_merge,
    mistakes=(
        Mistake(
            "not shrunk",
            "The sums are added as they are, though each counts from a largest score of its own. "
            "Bring both halves to the same m first.",
            {"shrink": "none"},
        ),
        Mistake(
            "smaller maximum",
            "m is the smaller of the two largest scores. "
            "Then the other half's factor is above 1 and may overflow.",
            {"largest": "smaller"},
        ),
        Mistake(
            "one half's maximum",
            "m is always the first half's. The blend would be right, but the largest score of all "
            "keys may be in the other half.",
            {"largest": "first"},
        ),
        Mistake(
            "one half's maximum",
            "m is always the second half's. The blend would be right, but the largest score of all "
            "keys may be in the other half.",
            {"largest": "second"},
        ),
        Mistake(
            "no maximum",
            "m is 0, as if no score had been subtracted. The blend would be right, but large "
            "scores overflow.",
            {"largest": "nothing"},
        ),
        Mistake(
            "maxima added",
            "The two largest scores are added. The largest of all keys is one of them.",
            {"largest": "sum"},
        ),
        Mistake(
            "mean of the maxima",
            "m is the mean of the two largest scores. The largest of all keys is one of them.",
            {"largest": "mean"},
        ),
        Mistake(
            "factors turned",
            "The factors are turned: the half with the smaller scores grows. "
            "e to the power of old minus new is never above 1.",
            {"shrink": "turned"},
        ),
        Mistake(
            "factors crossed",
            "Each half is multiplied by the other's factor. "
            "The half that has the largest score stays as it is.",
            {"shrink": "crossed"},
        ),
        Mistake(
            "l not shrunk",
            "m and o are right, l is not. It shrinks by the same factors as o.",
            {"shrink": "o only"},
        ),
        Mistake(
            "o not shrunk",
            "m and l are right, o is not. It shrinks by the same factors as l.",
            {"shrink": "l only"},
        ),
        Mistake(
            "largest score not subtracted",
            "The factors are e^m of each half. "
            "In the exponent stands how far its m lies below the new one.",
            {"shrink": "times m"},
        ),
        Mistake(
            "o divided",
            "m and l are right, and o has been divided by l already. "
            "A state holds the sum; the division comes at the very end.",
            {"o": "divided"},
        ),
        Mistake(
            "blends averaged",
            "The two blends are averaged, as if both halves had the same weight. "
            "A state holds sums, which are shrunk and added.",
            {"o": "blends"},
        ),
        Mistake(
            "o times l",
            "o is multiplied by l, as if it were a blend. It is a sum already.",
            {"o": "times l"},
        ),
    ),
    stages=(
        Stage(
            _halves,
            lambda: [
                ((0.0, 1.0, 1.0), (1.0, 1.0, 2.0)),
                ((1.0, 1.0, 2.0), (0.0, 1.0, 1.0)),
                ((0.0, 2.0, 1.0), (1.0, 1.0, 3.0)),
                ((1.0, 1.0, 2.0), (2.0, 1.0, 1.0)),
            ],
        ),
        Stage(
            lambda rng: _halves(rng, spread=3000.0),
            lambda: [((0.0, 1.0, 1.0), (1000.0, 1.0, 2.0)), ((1000.0, 1.0, 2.0), (0.0, 1.0, 1.0))],
            "Right for small scores, wrong for large ones.",
        ),
    ),
    praise="And so attention can be shared out over machines.",
    needs="three numbers, m, l and o",
)


def merge(merge: Callable[..., Any]) -> Result:
    """Check a function that merges the states of two halves of the keys.

    Parameters
    ----------
    merge
        The function, of two states ``(m, l, o)``, each three numbers.

    Returns
    -------
    Result

    Examples
    --------
    >>> merge(lambda first, second: (max(first[0], second[0]), first[1] + second[1], 0)).status
    'not yet'
    """
    return check_function(merge, _MERGE)


def cache_size(cache_mib: Any) -> Result:
    """Check the MiB of a KV cache: 32 layers, 8 heads, 128 columns, 8,192 rows, float16.

    Parameters
    ----------
    cache_mib : number

    Returns
    -------
    Result

    Examples
    --------
    >>> cache_size(512)
    Not yet. A factor of 2 is missing. Keys and values are both kept, with two bytes each.
    """
    numbers = 32 * 8 * 8192 * (128 + 128)
    right = numbers * 2 / 2**20
    return check_numbers(
        cache_mib,
        name="cache_mib",
        right=right,
        tolerance=0.5,
        known=(
            Known(
                "factor 2",
                right / 2,
                "A factor of 2 is missing. Keys and values are both kept, with two bytes each.",
            ),
            Known(
                "two factors 2",
                right / 4,
                "A factor of 4 is missing. Keys and values are both kept, with two bytes each.",
            ),
            Known(
                "float32",
                right * 2,
                "That is twice too much. A number of float16 has two bytes.",
            ),
            Known("one layer", right / 32, "That is one layer. There are 32."),
            Known("one head", right / 8, "That is one head in each layer. There are eight."),
            Known("bytes", right * 2**20, "That is in bytes. A MiB has 2**20 of them."),
            Known("kibibytes", right * 2**10, "That is in KiB. A MiB has 1,024 of them."),
            Known("gibibytes", right / 2**10, "That is in GiB. One has 1,024 MiB."),
            Known("a round 1000", 1000, "That takes a GiB for 1,000 MiB. It has 1,024 of them."),
            Known("two thousands", numbers * 2 / 1.024e6, "Both steps, from bytes to KiB and from "
                  "KiB to MiB, are 1,024."),
            Known("megabytes", numbers * 2 / 1e6, "That is in MB, of 1,000,000 bytes. "
                  "A MiB has 2**20."),
            Known("bits", right * 8, "That is in bits. A byte has eight."),
            Known(
                "score matrix",
                32 * 8 * 8192**2 * 2 / 2**20,
                "That would be all score matrices. The cache keeps keys and values.",
            ),
        ),
        otherwise="Multiply layers, heads, rows, the columns of a key and a value together, and "
        "the bytes of a number.",
        praise="A gibibyte for one text.",
    )  # fmt: skip


# ------------------------------------------------------------------ streaming


def _streaming(
    query: Array,
    key: Array,
    value: Array,
    block: int = 5,
    *,
    keys: str = "all",
    shrink: str = "both",
    end: str = "divided",
    start: str = "-inf",
    scale: str = "root d_k",
    **changes: Any,
) -> Array:
    if changes or scale == "weights":
        return mistakes.attention(query, key, value, scale=scale, **changes)
    by = block**-0.5 if scale == "root block" else mistakes.factor(scale, query, key, value)
    q = query * by
    firsts = list(range(0, len(key), block))
    if keys == "full blocks":
        firsts = [i for i in firsts if i + block <= len(key)]
    if keys == "first block":
        firsts = firsts[:1]
    if keys == "last block":
        firsts = firsts[-1:]
    n = len(query)
    m = np.full((n, 1), {"-inf": -np.inf, "0": 0.0, "table": -np.inf, "none": 0.0}[start])
    total, out = np.zeros((n, 1)), np.zeros((n, value.shape[1]))
    blends = []
    for i in firsts:
        k, v = key[i : i + block], value[i : i + block]
        s = q @ k.T
        new = np.maximum(m, s.max(axis=1, keepdims=True))
        if start == "table":
            new = np.full_like(m, new.max())
        if start == "none":
            new = m
        c, e = np.exp(m - new), np.exp(s - new)
        blends.append(e @ v / e.sum(axis=1, keepdims=True))
        total = (c if shrink in ("both", "l only") else 1.0) * total
        total = total + e.sum(axis=1, keepdims=True)
        out = (c if shrink in ("both", "o only") else 1.0) * out + e @ v
        m = new
    if end == "blends":
        return np.asarray(np.mean(blends, axis=0))
    return out if end == "not divided" else out / total


def _random_streams(rng: np.random.Generator) -> Iterator[Case]:
    for block, (n_q, d_k, d_v, *_) in zip(
        ((), (3,), (1,), (4,)), primes(rng, 4, cases=4), strict=True
    ):
        n_k = int(rng.choice([11, 13, 17]))
        yield (*(rng.standard_normal(s) for s in ((n_q, d_k), (n_k, d_k), (n_k, d_v))), *block)
    yield tuple(rng.standard_normal((3, 5, 5)))  # one full block, and every product fits


def _large_streams(rng: np.random.Generator) -> Iterator[Case]:
    query, key, value = next(_random_streams(rng))
    yield 1000 * query, key, value
    yield np.array([[1000.0], [-1000.0]]), 1 + rng.random((7, 1)), rng.standard_normal((7, 2))
    yield np.array([[-2000.0]]), 1 + rng.random((7, 1)), rng.standard_normal((7, 2))


def _tiny_streams() -> Iterator[Case]:
    def case(query: Any, key: Any, value: Any, *block: int) -> Case:
        return (*(np.array(t, dtype=float) for t in (query, key, value)), *block)

    yield case([[1]], [[1], [0]], [[1], [0]], 1)
    yield case([[1]], [[0], [1]], [[1], [0]], 1)
    yield case([[1, 1]], [[1, 1], [0, 0]], [[1], [0]], 2)
    yield case([[1]], [[1], [0], [2]], [[1], [0], [1]], 2)
    yield case([[1, 0], [0, 1]], [[1, 0], [0, 1], [2, 1]], [[1], [0], [1]], 2)
    yield case([[1, 0], [0, 0]], [[1, 0], [2, 1]], [[1, 0], [0, 2]], 2)
    yield case([[1, 0], [0, 0]], [[1, 0], [0, 1], [1, 1]], [[1, 0], [0, 1], [2, 0]])


def _whole_table(function: Callable[..., Any], seconds: float) -> Result | None:
    """Return what there is to say if as much memory is taken as the whole score matrix has."""
    n_queries, n_keys, block = 61, 499, 23
    rng = np.random.default_rng()
    case = [rng.standard_normal((n, 2)) for n in (n_queries, n_keys, n_keys)]
    table = n_queries * n_keys * 8
    tracing = tracemalloc.is_tracing()
    if not tracing:
        tracemalloc.start()
    try:
        tracemalloc.reset_peak()
        before = tracemalloc.get_traced_memory()[0]
        outcome = guard.call(function, [*case, block], seconds=min(seconds, 4.0))
        peak = tracemalloc.get_traced_memory()[1] - before
    finally:
        if not tracing:
            tracemalloc.stop()
    if outcome.failure is not None:
        return None  # slow code has been right until here, and is not what is asked about
    if peak < 0.9 * table:
        return _whole_row(function, case, block, seconds)
    return Result(
        NOT_YET,
        f"The numbers are right. But for {n_queries} queries and {n_keys} keys in blocks of "
        f"{block} it took {peak / 2**10:.0f} KiB, and all scores together have "
        f"{table / 2**10:.0f}: more than one block of them is kept somewhere.",
        mistakes=("whole score matrix",),
    )


def _whole_row(
    function: Callable[..., Any], case: list[Array], block: int, seconds: float
) -> Result | None:
    """Return what there is to say if one query's scores with all keys are seen at once."""
    n_keys = len(case[1])
    watched = noted(*case)
    guard.call(function, [*watched, block], seconds=min(seconds, 4.0))
    # Keys or values that were scaled are no scores.
    tables = {case[1].shape, case[1].shape[::-1]}
    for name, _, shape in watched[0].made:
        if n_keys in shape and shape not in tables:
            return Result(
                NOT_YET,
                f"The numbers are right. But in blocks of {block} keys, {name} makes an array of "
                f"shape {shape}: as many entries as there are keys. Only a block of them should "
                "meet a query at a time.",
                mistakes=("all keys at once",),
            )
    return None


_STREAMING = FunctionExercise(
    asks="streaming",
    parameters=("query", "key", "value", "block"),
    right=lambda query, key, value, block=5: library.scaled_dot_product_attention(
        query, key, value
    ),
    family=_streaming,
    mistakes=(
        Mistake(
            "last block dropped",
            "The keys behind the last full block are left out. "
            "The last block may be shorter than the others.",
            {"keys": "full blocks"},
        ),
        Mistake(
            "first block only",
            "Only the first block counts. Does the loop return too early?",
            {"keys": "first block"},
        ),
        Mistake(
            "last block only",
            "Only the last block counts. Are m, l and o carried from block to block?",
            {"keys": "last block"},
        ),
        Mistake(
            "past not shrunk",
            "l and o keep what they had when a larger score arrives. "
            "Everything that was summed before has to shrink by one factor.",
            {"shrink": "none"},
        ),
        Mistake(
            "l not shrunk",
            "o shrinks when a larger score arrives, l does not. Both hold sums of the past.",
            {"shrink": "o only"},
        ),
        Mistake(
            "o not shrunk",
            "l shrinks when a larger score arrives, o does not. Both hold sums of the past.",
            {"shrink": "l only"},
        ),
        Mistake(
            "not divided",
            "This is o, the sum, and it is right. One division is left, at the very end.",
            {"end": "not divided"},
        ),
        Mistake(
            "blends averaged",
            "Each block makes a blend of its own, and these are averaged. "
            "Blocks with better keys should count for more: add up l and o instead.",
            {"end": "blends"},
        ),
        Mistake(
            "root of the block",
            "The scores are divided by the root of the block's size. "
            "What counts is how many columns a key has.",
            {"scale": "root block"},
        ),
        Mistake(
            "no running maximum",
            "The exponentials are taken of the scores as they are, and overflow or vanish. "
            "Subtract the running maximum.",
            {"start": "none"},
        ),
        Mistake(
            "maximum starts at 0",
            "The running maximum starts at 0, so scores far below 0 leave only zeros to add up. "
            "It has to start below every score.",
            {"start": "0"},
        ),
        Mistake(
            "one maximum for all queries",
            "One running maximum serves all queries, so a query far below it has only zeros "
            "left. Each query has a running maximum of its own.",
            {"start": "table"},
        ),
        *(
            mistake
            for mistake in mistakes.ATTENTION
            # the same said above in the words of streaming
            if mistake.name not in ("unstable softmax", "one maximum for all rows")
            and mistake.changes != {"weigh": "exponentials"}
        ),
    ),
    stages=(
        Stage(_random_streams, _tiny_streams),
        Stage(
            lambda rng: [(*next(_random_streams(rng)), 100)],
            lambda: [(np.array([[1.0]]), np.array([[1.0], [0.0]]), np.array([[1.0], [0.0]]), 9)],
            "Right where several blocks are needed, but not where one block holds everything.",
        ),
        Stage(
            _large_streams,
            lambda: [
                (np.array([[1000.0]]), np.array([[0.0], [1.0]]), np.array([[1.0], [0.0]])),
                (np.array([[-1000.0]]), np.array([[1.0], [2.0]]), np.array([[1.0], [0.0]])),
                (
                    np.array([[1000.0], [-1000.0]]),
                    np.array([[1.0], [2.0]]),
                    np.array([[1.0], [0.0]]),
                ),
            ],
            "Right for small scores, wrong for large ones.",
        ),
    ),
    praise="The same answer, and never more than a block of scores.",
    needs="one row per query, as wide as a value",
    extra=_whole_table,
    seconds=8.0,
)


def streaming(streaming: Callable[..., Any]) -> Result:
    """Check attention of all queries at once that takes the keys in blocks.

    Parameters
    ----------
    streaming
        The function, of query, key, value and the size of a block (5 if it is not given).

    Returns
    -------
    Result

    Examples
    --------
    >>> from softlookup import scaled_dot_product_attention
    >>> def whole(query, key, value, block=5):
    ...     return scaled_dot_product_attention(query, key, value)
    >>> streaming(whole).mistakes
    ('whole score matrix',)
    """
    return check_function(streaming, _STREAMING)
