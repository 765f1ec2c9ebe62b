"""Right answers are called right, in whatever form they come."""

import math
from fractions import Fraction

import numpy as np
import pytest
from checked import CHECKS, SUBJECTS, blank_and_solution, checked, names_of
from test_import import third_party_loaded_by

from softlookup import (
    attention_weights,
    checks,
    menu,
    multi_head_attention,
    padding_mask,
    scaled_dot_product_attention,
    softmax,
)
from softlookup.checks.result import CORRECT, NOT_STARTED
from softlookup.keras_loader import load_keras

STEMS = sorted({stem for stem, _ in CHECKS})
by_exercise = pytest.mark.parametrize(("stem", "exercise"), CHECKS, ids=str)


# ------------------------------------------------------------------ the chapters


@by_exercise
def test_a_blank_is_not_started(stem, exercise):
    names = names_of(stem)
    exec(blank_and_solution(stem, exercise)[0], names)
    result = checked(stem, exercise, names)
    assert result.status == NOT_STARTED
    assert repr(result) == repr(checked(stem, exercise, names))  # nbval compares it


@by_exercise
def test_the_chapters_solution_is_right(stem, exercise, monkeypatch):
    if (stem, exercise) == ("07-transformer", "ex4"):
        # The notebook's own test lets the real reader read; here Keras stays unloaded.
        from softlookup import dates  # noqa: PLC0415

        monkeypatch.setattr(dates, "translate", lambda reader, text: "2026-11-09")
    names = names_of(stem)
    source = blank_and_solution(stem, exercise)[1]
    exec(source.replace("range(200)", "range(4)"), names)
    result = checked(stem, exercise, names)
    assert result.status == CORRECT, result


def test_every_exercise_of_every_chapter_has_a_check_of_this_package():
    assert len(STEMS) == len(SUBJECTS) == 8
    for (stem, exercise), source in CHECKS.items():
        subject, _, _ = source.removeprefix("checks.").partition(".")
        assert source.startswith("checks."), (stem, exercise)
        assert stem[3:].replace("-", "_") == subject, (stem, exercise)


# ------------------------------------------------------------------ functions, in many styles


def attention_in_loops(query, key, value):
    answer = []
    for q in query.tolist():
        scores = [
            sum(a * b for a, b in zip(q, k, strict=True)) / math.sqrt(len(q)) for k in key.tolist()
        ]
        largest = max(scores)
        e = [math.exp(s - largest) for s in scores]
        answer.append(
            [
                sum(w * v[c] for w, v in zip(e, value.tolist(), strict=True)) / sum(e)
                for c in range(len(value[0]))
            ]
        )
    return answer


def attention_by_einsum(query, key, value):
    s = np.einsum("qd,kd->qk", query, key) / query.shape[-1] ** 0.5
    e = np.exp(s - np.amax(s, axis=-1)[:, np.newaxis])
    return np.einsum("qk,kv->qv", e / np.einsum("qk->q", e)[:, None], value)


def attention_row_by_row(query, key, value):
    rows = np.zeros((query.shape[0], value.shape[1]))
    for i, q in enumerate(query):
        s = key @ q * key.shape[1] ** -0.5
        w = np.exp(s - max(s))
        rows[i] = w / w.sum() @ value
    return rows


def attention_by_division_last(query, key, value):
    s = (query / np.sqrt(query.shape[1])).dot(np.transpose(key))
    e = np.exp((s.T - s.max(1)).T)
    return (e @ value) / e.sum(1).reshape(-1, 1)


def attention_in_float32(query, key, value):
    s = (query @ key.T / np.sqrt(key.shape[1])).astype(np.float32)
    e = np.exp(s - s.max(axis=1, keepdims=True))
    return (e / e.sum(axis=1, keepdims=True) @ value).astype(np.float32)


def attention_in_its_type_in_place(query, key, value):
    s = query @ key.T
    s /= np.sqrt(key.shape[1])
    np.exp(s - s.max(axis=1, keepdims=True), out=s)
    return np.divide(s, s.sum(axis=1, keepdims=True)) @ value


def attention_in_its_type_by_einsum(query, key, value):
    s = np.einsum("qd,kd->qk", query, key) * np.float32(key.shape[1] ** -0.5)
    e = np.exp(s - np.max(s, axis=1)[:, None])
    return np.einsum("qk,kv,q->qv", e, value, 1 / e.sum(axis=1))


def attention_by_log(query, key, value):
    s = query @ key.T / math.sqrt(key.shape[1])
    return np.exp(s - np.logaddexp.reduce(s, axis=1, keepdims=True)) @ value


def attention_as_matrix(query, key, value):
    return np.asmatrix(scaled_dot_product_attention(query, key, value))


class Attention:
    def __call__(self, query, key, value):
        return attention_weights(query, key) @ value


def softmax_in_lists(scores, temperature=1.0):
    e = [math.exp(s / temperature) for s in scores]
    return tuple(x / sum(e) for x in e)


def softmax_safe(scores, temperature=1.0):
    s = np.array(scores) / temperature
    s -= s.max()
    return np.exp(s) / np.exp(s).sum()


def cosine_with_hypot(query, keys):
    def length(x):
        return math.hypot(*x)

    return [float(k @ query) / (length(k) * length(query)) for k in keys]


def key_sum_in_a_loop(query, keys):
    total = 0
    for key in keys:
        total = total + (query @ key) * key
    return total


def masked_by_picking(scores, mask):
    weights = np.zeros_like(scores)
    if mask.sum() > 0:
        e = np.exp(scores[mask] - scores[mask].max())
        weights[mask] = e / e.sum()
    return weights


def masked_in_lists(scores, mask):
    seen = [s for s, m in zip(scores, mask, strict=True) if m]
    if not seen:
        return [0] * len(scores)
    e = [math.exp(s - max(seen)) if m else 0.0 for s, m in zip(scores, mask, strict=True)]
    return [x / sum(e) for x in e]


def batched_by_einsum(query, key, value):
    s = np.einsum("bqd,bkd->bqk", query, key) / query.shape[-1] ** 0.5
    return np.einsum("bqk,bkv->bqv", softmax(s), value)


def batched_with_transpose(query, key, value):
    s = np.matmul(query, np.transpose(key, (0, 2, 1))) / np.sqrt(query.shape[2])
    return softmax(s, axis=2) @ value


def padding_in_lists(lengths, n_keys):
    return [[[position < n for position in range(n_keys)]] for n in lengths]


def self_attention_by_helper(x, w_query, w_key, w_value):
    return scaled_dot_product_attention(x @ w_query, x @ w_key, np.dot(x, w_value))


def split_by_slices(x, heads):
    d = x.shape[1] // heads
    return np.stack([x[:, h * d : (h + 1) * d] for h in range(heads)])


def split_by_numpy(x, heads):
    return np.split(x, heads, axis=1)


def block_written_out(x, block):
    attended = multi_head_attention(x, x, x, block.attention)
    rows = block.norm_1(attended + x)
    changed = block.feed_forward(rows)
    changed += rows
    return block.norm_2(changed)


def merge_by_differences(first, second):
    if first[0] < second[0]:
        first, second = second, first
    c = math.exp(second[0] - first[0])
    return [first[0], first[1] + c * second[1], first[2] + c * second[2]]


def streaming_key_by_key(query, key, value, block=5):
    answer = np.empty((len(query), value.shape[1]))
    for i, q in enumerate(query):
        m, total, out = -math.inf, 0.0, 0.0
        for k, v in zip(key, value, strict=True):
            s = float(q @ k) / math.sqrt(len(q))
            new = max(m, s)
            c, e = math.exp(m - new), math.exp(s - new)
            m, total, out = new, c * total + e, c * out + e * v
        answer[i] = out / total
    return answer


def streaming_by_split(query, key, value, block=5):
    m = np.full(len(query), -np.inf)
    total = np.zeros(len(query))
    out = np.zeros((len(query), value.shape[1]))
    while len(key):
        s = query @ key[:block].T / np.sqrt(query.shape[1])
        new = np.maximum(m, s.max(1))
        c, e = np.exp(m - new), np.exp(s - new[:, None])
        total = total * c + e.sum(1)
        out = out * c[:, None] + e @ value[:block]
        m, key, value = new, key[block:], value[block:]
    return out / total[:, None]


def slope_step_by_step(*row):
    q, k1, k2, u, b, y = row
    o = b + sum(u[i] * q[i] * (k1[i] ** 2 + k2[i] ** 2) for i in range(len(q)))
    guess = math.exp(o) / (1 + math.exp(o))
    return [(guess - y) * u[i] * 2 * q[i] * k1[i] for i in range(len(q))]


@pytest.mark.parametrize(
    ("check", "function"),
    [
        (checks.formula.attention, attention_in_loops),
        (checks.formula.attention, attention_by_einsum),
        (checks.formula.attention, attention_row_by_row),
        (checks.formula.attention, attention_by_division_last),
        (checks.formula.attention, attention_in_float32),
        (checks.formula.attention, attention_by_log),
        (checks.formula.attention, attention_as_matrix),
        (checks.formula.attention, Attention()),
        (checks.formula.attention, scaled_dot_product_attention),
        (checks.formula.attention_in_its_type, scaled_dot_product_attention),
        (checks.formula.attention_in_its_type, attention_in_its_type_in_place),
        (checks.formula.attention_in_its_type, attention_in_its_type_by_einsum),
        (checks.lookup.softmax, softmax_in_lists),
        (checks.lookup.softmax, softmax_safe),
        (checks.similarity.cosine_similarity, cosine_with_hypot),
        (checks.similarity.weighted_key_sum, key_sum_in_a_loop),
        (checks.similarity.weighted_key_sum, lambda q, k: np.einsum("nd,d,ne", k, q, k)),
        (checks.similarity.weighted_key_sum, lambda query, keys: keys.T @ keys @ query),
        (checks.formula.masked_softmax, masked_by_picking),
        (checks.formula.masked_softmax, masked_in_lists),
        (checks.formula.masked_softmax, lambda scores, mask: softmax(scores, mask=mask)),
        (checks.batches.attention, batched_by_einsum),
        (checks.batches.attention, batched_with_transpose),
        (checks.batches.padding_mask, padding_in_lists),
        (checks.batches.padding_mask, padding_mask),
        (checks.self_attention.formula, self_attention_by_helper),
        (checks.self_attention.split_heads, split_by_slices),
        (checks.self_attention.split_heads, split_by_numpy),
        (checks.transformer.encoder_block, block_written_out),
        (checks.cost.merge, merge_by_differences),
        (checks.cost.streaming, streaming_key_by_key),
        (checks.cost.streaming, streaming_by_split),
        (checks.column_three.slope, slope_step_by_step),
    ],
    ids=lambda thing: getattr(thing, "__name__", "object"),
)
def test_a_right_function_is_right_in_any_style(check, function):
    result = check(function)
    assert result.correct, result


def test_keras_is_a_style_too():
    keras = load_keras()

    def my_attention(query, key, value):
        layer = keras.layers.Attention()
        return layer([query[None] / np.sqrt(query.shape[1]), value[None], key[None]])[0]

    def my_softmax(scores, temperature=1.0):
        return keras.ops.softmax(keras.ops.convert_to_tensor(scores / temperature))

    for check, function in (
        (checks.formula.attention, my_attention),
        (checks.lookup.softmax, my_softmax),
    ):
        result = check(function)
        assert result.correct, result


# ------------------------------------------------------------------ values, in many forms


X, W_QUERY = menu.keys("spicy", "sweet", "rich", "cold"), [[0, 2], [0, 0], [2, 0], [0, 0]]
A = softmax(np.arange(15.0).reshape(3, 5) / 7)


@pytest.mark.parametrize(
    "result",
    [
        pytest.param(checks.lookup.score_by_hand(0.47), id="float"),
        pytest.param(checks.lookup.score_by_hand(Fraction(47, 100)), id="fraction"),
        pytest.param(checks.lookup.score_by_hand(np.float32(0.47)), id="NumPy number"),
        pytest.param(checks.lookup.score_by_hand(np.array(0.47)), id="array without axes"),
        pytest.param(checks.lookup.score_by_hand([0.47]), id="list of one"),
        pytest.param(checks.lookup.tie(0.514, 11), id="three digits and an int"),
        pytest.param(checks.lookup.tie(18 / 35, np.int64(11)), id="exact and a NumPy int"),
        pytest.param(checks.similarity.dal_can_win(np.bool_(False)), id="NumPy's False"),
        pytest.param(checks.similarity.dal_can_win(0), id="0 for False"),
        pytest.param(checks.formula.shapes([7, 11], np.array([7, 3])), id="lists for shapes"),
        pytest.param(checks.formula.shapes((7, 11), np.zeros((7, 3)).shape), id="shapes"),
        pytest.param(checks.formula.weight_by_hand(0.88), id="two digits"),
        pytest.param(
            checks.batches.portions((A.sum(axis=0) + 3 * A[0]).round(2).tolist(), A), id="rounded"
        ),
        pytest.param(checks.batches.portions([4, 1, 1] @ A, A), id="by a product"),
        pytest.param(checks.self_attention.query_by_hand((1.4, 0.4), X, W_QUERY), id="tuple"),
        pytest.param(
            checks.self_attention.query_by_hand([Fraction(7, 5), 0.4], X, W_QUERY), id="mixed"
        ),
        pytest.param(checks.self_attention.numbers_to_learn(2**20), id="int"),
        pytest.param(checks.self_attention.numbers_to_learn(1048576.0), id="whole float"),
        pytest.param(
            checks.self_attention.strict_past([[j < i for j in range(5)] for i in range(5)]),
            id="lists of bool",
        ),
        pytest.param(checks.transformer.layer_norm([-1.41, 1.41, 0, 0]), id="two decimals"),
        pytest.param(checks.cost.state_by_hand((1.1, 1.33, 9.33)), id="rounded tuple"),
        pytest.param(checks.cost.cache_size(1024), id="a power of 2"),
        pytest.param(checks.column_three.interval(0.72), id="rounded share"),
    ],
)
def test_a_right_value_is_right_in_any_form(result):
    assert result.correct, result


# ------------------------------------------------------------------ importing


def test_importing_the_checks_loads_numpy_alone():
    assert third_party_loaded_by("softlookup.checks") == {"numpy", "softlookup"}
