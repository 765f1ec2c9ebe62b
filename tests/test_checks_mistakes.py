"""Each known mistake gets its own hint and no other, and no hint gives the solution away."""

import re
from datetime import date

import numpy as np
import pytest
from checked import CHECKS, EXERCISES, blank_and_solution, chapter

import notebooks
from softlookup import (
    attention_weights,
    checks,
    multi_head_attention,
    scaled_dot_product_attention,
    self_attention,
    softmax,
)
from softlookup.checks.exercise import check_function
from softlookup.checks.result import NOT_YET

KNOWN = [
    pytest.param(EXERCISES[name], mistake, id=f"{name}: {mistake.name}, {mistake.changes}")
    for name in EXERCISES
    for mistake in EXERCISES[name].mistakes
]


# ------------------------------------------------------------------ the catalogue


@pytest.mark.parametrize("name", EXERCISES)
def test_a_family_without_changes_is_the_library(name):
    exercise = EXERCISES[name]
    assert check_function(exercise.family, exercise).correct


@pytest.mark.parametrize(("exercise", "mistake"), KNOWN)
def test_a_known_mistake_is_named_with_its_own_hint(exercise, mistake):
    result = check_function(lambda *case: exercise.family(*case, **mistake.changes), exercise)
    assert result.status == NOT_YET
    assert result.mistakes == (mistake.name,)
    assert mistake.hint in result.message


def test_there_are_many_kinds():
    assert len({(e.asks, m.name) for e in EXERCISES.values() for m in e.mistakes}) > 150
    assert len({m.name for e in EXERCISES.values() for m in e.mistakes}) > 100


@pytest.mark.parametrize("name", EXERCISES)
def test_hints_are_two_sentences(name):
    wrong = {
        mistake.name: mistake.hint
        for mistake in EXERCISES[name].mistakes
        if len(re.findall(r"[.?!](?= |$)", mistake.hint)) != 2
    }
    assert wrong == {}


def pieces(solution: str) -> set[str]:
    """Return a solution's lines, and what stands right of = and return in them."""
    lines = [line.split("#")[0].strip() for line in solution.splitlines()]
    parts = {part for line in lines for part in (line, *re.split(r" = |^return ", line)[1:])}
    return {part.strip() for part in parts if len(part.strip()) > 7}


def told(exercise) -> list[str]:
    return [*(mistake.hint for mistake in exercise.mistakes), exercise.needs]


def test_no_hint_holds_a_line_of_a_solution():
    solved = {blank_and_solution(*place)[1] for place in CHECKS}
    lines = set().union(*map(pieces, solved))
    assert len(lines) > 80
    hints = [hint for exercise in EXERCISES.values() for hint in told(exercise)]
    assert [(line, hint) for line in lines for hint in hints if line in hint] == []


def test_the_net_over_solutions_holds():
    found = pieces("def f(x):\n    y = x @ x.T @ x  # why\n    return y / y.sum()")
    assert {"x @ x.T @ x", "y / y.sum()"} <= found


# ------------------------------------------------------------------ as people write them


def no_root(query, key, value):
    s = query @ key.T
    e = np.exp(s - s.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True) @ value


def d_k_itself(query, key, value):
    return softmax(query @ key.T / key.shape[1]) @ value


def root_of_d_v(query, key, value):
    return softmax(query @ key.T / np.sqrt(value.shape[-1])) @ value


def root_of_keys(query, key, value):
    return softmax(query @ key.T / np.sqrt(len(key))) @ value


def wrong_axis(query, key, value):
    return softmax(query @ key.T / np.sqrt(query.shape[1]), axis=0) @ value


def no_axis(query, key, value):
    e = np.exp(query @ key.T / np.sqrt(query.shape[1]))
    return e / e.sum() @ value


def lost_axis(query, key, value):
    e = np.exp(query @ key.T / np.sqrt(query.shape[1]))
    return e / e.sum(axis=1) @ value


def not_transposed(query, key, value):
    return softmax(query @ key / np.sqrt(query.shape[1])) @ value


def no_softmax(query, key, value):
    return query @ key.T / np.sqrt(query.shape[1]) @ value


def swapped(query, key, value):
    return softmax(query @ value.T / np.sqrt(value.shape[1])) @ key


def overflowing(query, key, value):
    e = np.exp(query @ key.T / np.sqrt(query.shape[1]))
    return e / e.sum(axis=1, keepdims=True) @ value


def one_maximum(query, key, value):
    s = query @ key.T / np.sqrt(query.shape[1])
    e = np.exp(s - s.max())
    return e / e.sum(axis=1, keepdims=True) @ value


def in_place(query, key, value):
    query /= np.sqrt(query.shape[1])
    return softmax(query @ key.T) @ value


def weights_only(query, key, value):
    return attention_weights(query, key)


def forgot_to_return(query, key, value):
    attention_weights(query, key) @ value


def wide(query, key, value):
    return (attention_weights(query, key) @ value).astype(np.float64)


def turned_back_late(query, key, value):
    return wide(query, key, value).astype(query.dtype)


def scores_turned_back(query, key, value):
    scores = (query @ key.T / np.sqrt(key.shape[1])).astype(query.dtype)
    return softmax(scores) @ value


def widened_first(query, key, value):
    tables = (table.astype(np.float64) for table in (query, key, value))
    return np.asarray(scaled_dot_product_attention(*tables), query.dtype)


def temperature_multiplied(scores, temperature=1.0):
    e = np.exp(scores * temperature)
    return e / e.sum()


def temperature_outside(scores, temperature=1.0):
    e = np.exp(scores)
    return e / e.sum() / temperature


def temperature_above_only(scores, temperature=1.0):
    return np.exp(scores / temperature) / np.exp(scores).sum()


def rounded(scores, temperature=1.0):
    return [round(float(weight), 3) for weight in softmax(scores, temperature=temperature)]


def temperature_cancels(scores, temperature=1.0):
    e = np.exp(scores) / temperature
    return e / e.sum()


def exponentials(scores, temperature=1.0):
    return np.exp(scores / temperature)


def no_lengths(query, keys):
    return [sum(a * b for a, b in zip(query, key, strict=True)) for key in keys]


def length_of_table(query, keys):
    return keys @ query / (np.linalg.norm(keys) * np.linalg.norm(query))


def soft_key_sum(query, keys):
    return softmax(keys @ query) @ keys


def scaled_keys(query, keys):
    return (keys @ query)[:, None] * keys


def flipped(scores, mask):
    return softmax(scores, mask=~mask)


def after(scores, mask):
    return softmax(scores) * mask


def after_and_renewed(scores, mask):
    w = softmax(scores) * mask
    return w / w.sum() if mask.any() else w


def times_mask(scores, mask):
    return softmax(scores * mask) if mask.any() else np.zeros(len(scores))


def nan_with_nothing(scores, mask):
    s = np.where(mask, scores, -np.inf)
    e = np.exp(s - s.max())
    return e / e.sum()


def minus_a_billion(scores, mask):
    return softmax(np.where(mask, scores, -1e9))


def added_billion(scores, mask):
    return softmax(scores + np.where(mask, 0, -1e9))


def picked_only(scores, mask):
    return softmax(scores[mask]) if mask.any() else np.zeros(len(scores))


def overflow_hidden_from_view(scores, mask):
    if not mask.any():
        return np.zeros(len(scores))
    e = np.where(mask, np.exp(scores - scores[mask].max()), 0)
    return e / e.sum()


def turned_around(query, key, value):
    return softmax(query @ key.T / np.sqrt(key.shape[-1])) @ value


def keys_counted(query, key, value):
    return softmax(query @ key.swapaxes(1, 2) / np.sqrt(key.shape[1])) @ value


def over_queries(query, key, value):
    return softmax(query @ key.swapaxes(1, 2) / np.sqrt(key.shape[2]), axis=1) @ value


def one_too_many(lengths, n_keys):
    return np.arange(n_keys) <= np.array(lengths)[:, None, None]


def no_middle_axis(lengths, n_keys):
    return np.arange(n_keys) < np.array(lengths)[:, None]


def as_numbers(lengths, n_keys):
    return (np.arange(n_keys) < np.array(lengths)[:, None, None]).astype(int)


def views_swapped(x, w_query, w_key, w_value):
    return self_attention(x, w_key, w_query, w_value)


def rows_blended(x, w_query, w_key, w_value):
    return attention_weights(x @ w_query, x @ w_key) @ x


def table_counted(x, w_query, w_key, w_value):
    return softmax(x @ w_query @ (x @ w_key).T / np.sqrt(x.shape[1])) @ (x @ w_value)


def heads_mixed(x, heads):
    return x.reshape(heads, x.shape[0], -1)


def heads_interleaved(x, heads):
    return np.stack([x[:, h::heads] for h in range(heads)])


def no_residual(x, block):
    a = block.norm_1(multi_head_attention(x, x, x, block.attention))
    return block.norm_2(a + block.feed_forward(a))


def norm_first(x, block):
    y = block.norm_1(x)
    a = x + multi_head_attention(y, y, y, block.attention)
    return a + block.feed_forward(block.norm_2(a))


def just_added(first, second):
    return max(first[0], second[0]), first[1] + second[1], first[2] + second[2]


def to_the_first(first, second):
    c = np.exp(second[0] - first[0])
    return first[0], first[1] + c * second[1], first[2] + c * second[2]


def short_block_lost(query, key, value, block=5):
    n = len(key) // block * block or len(key)
    return attention_weights(query, key[:n]) @ value[:n]


def no_shrinking(query, key, value, block=5):
    m, total, out = np.full((len(query), 1), -np.inf), 0, 0
    for i in range(0, len(key), block):
        s = query @ key[i : i + block].T / np.sqrt(key.shape[1])
        m = np.maximum(m, s.max(axis=1, keepdims=True))
        e = np.exp(s - m)
        total = total + e.sum(axis=1, keepdims=True)
        out = out + e @ value[i : i + block]
    return out / total


def query_by_query(query, key, value, block=5):
    root = np.sqrt(key.shape[1])
    return np.stack([softmax(key @ q / root) @ value for q in query])


def query_by_query_added(query, key, value, block=5):
    root = np.sqrt(key.shape[1])
    return np.stack([softmax((key * q).sum(axis=1) / root) @ value for q in query])


def kept_whole(query, key, value, block=5):
    return attention_weights(query, key) @ value


def half_the_slope(*row):
    q, k1, k2, u, b, y = row
    return (1 / (1 + np.exp(-(u @ (q * (k1**2 + k2**2)) + b))) - y) * u * q * k1


def slope_turned(*row):
    q, k1, k2, u, b, y = row
    return (y - 1 / (1 + np.exp(-(u @ (q * (k1**2 + k2**2)) + b)))) * u * q * 2 * k1


@pytest.mark.parametrize(
    ("check", "function", "mistake"),
    [
        (checks.formula.attention, no_root, "no root"),
        (checks.formula.attention, d_k_itself, "d_k, not its root"),
        (checks.formula.attention, root_of_d_v, "root of d_v"),
        (checks.formula.attention, root_of_keys, "root of the number of keys"),
        (checks.formula.attention, wrong_axis, "softmax over queries"),
        (checks.formula.attention, no_axis, "softmax over everything"),
        (checks.formula.attention, lost_axis, "sum with a lost axis"),
        (checks.formula.attention, not_transposed, "keys not transposed"),
        (checks.formula.attention, no_softmax, "no softmax"),
        (checks.formula.attention, swapped, "key and value swapped"),
        (checks.formula.attention, overflowing, "unstable softmax"),
        (checks.formula.attention, one_maximum, "one maximum for all rows"),
        (checks.formula.attention, in_place, "in place"),
        (checks.formula.attention, weights_only, "weights returned"),
        (checks.formula.attention, forgot_to_return, "no return"),
        (checks.formula.attention_in_its_type, wide, "float64 leaks"),
        (checks.formula.attention_in_its_type, turned_back_late, "float64 on the way"),
        (checks.formula.attention_in_its_type, scores_turned_back, "float64 on the way"),
        (checks.formula.attention_in_its_type, widened_first, "float64 on the way"),
        (checks.lookup.softmax, temperature_multiplied, "temperature multiplied"),
        (checks.lookup.softmax, temperature_outside, "temperature on the weights"),
        (checks.lookup.softmax, temperature_above_only, "temperature above only"),
        (checks.lookup.softmax, rounded, "rounded"),
        (checks.lookup.softmax, temperature_cancels, "temperature ignored"),
        (checks.lookup.softmax, exponentials, "not normalised"),
        (checks.similarity.cosine_similarity, no_lengths, "lengths left in"),
        (checks.similarity.cosine_similarity, length_of_table, "one length for all keys"),
        (checks.similarity.weighted_key_sum, soft_key_sum, "softmax weights"),
        (checks.similarity.weighted_key_sum, scaled_keys, "not added"),
        (checks.formula.masked_softmax, flipped, "mask flipped"),
        (checks.formula.masked_softmax, after, "masked after softmax"),
        (checks.formula.masked_softmax, after_and_renewed, "masked after softmax, renewed"),
        (checks.formula.masked_softmax, times_mask, "zero scores"),
        (checks.formula.masked_softmax, nan_with_nothing, "nan with nothing left"),
        (checks.formula.masked_softmax, minus_a_billion, "uniform with nothing left"),
        (checks.formula.masked_softmax, added_billion, "unmasked with nothing left"),
        (checks.formula.masked_softmax, picked_only, "hidden entries dropped"),
        (checks.formula.masked_softmax, overflow_hidden_from_view, "warns"),
        (checks.batches.attention, turned_around, "all axes turned"),
        (checks.batches.attention, keys_counted, "root of the number of keys"),
        (checks.batches.attention, over_queries, "softmax over queries"),
        (checks.batches.padding_mask, one_too_many, "one too many"),
        (checks.batches.padding_mask, no_middle_axis, "axis for the queries missing"),
        (checks.batches.padding_mask, as_numbers, "numbers for true and false"),
        (checks.self_attention.formula, views_swapped, "views of query and key swapped"),
        (checks.self_attention.formula, rows_blended, "values without their view"),
        (checks.self_attention.formula, table_counted, "root of d_model"),
        (checks.self_attention.split_heads, heads_mixed, "rows mixed"),
        (checks.self_attention.split_heads, heads_interleaved, "columns interleaved"),
        (checks.transformer.encoder_block, no_residual, "first residual missing"),
        (checks.transformer.encoder_block, norm_first, "norms before the parts"),
        (checks.cost.merge, just_added, "not shrunk"),
        (checks.cost.merge, to_the_first, "one half's maximum"),
        (checks.cost.streaming, short_block_lost, "last block dropped"),
        (checks.cost.streaming, no_shrinking, "past not shrunk"),
        (checks.cost.streaming, kept_whole, "whole score matrix"),
        (checks.cost.streaming, query_by_query, "all keys at once"),
        (checks.cost.streaming, query_by_query_added, "all keys at once"),
        (checks.column_three.slope, half_the_slope, "factor 2 missing"),
        (checks.column_three.slope, slope_turned, "sign turned"),
    ],
    ids=lambda thing: getattr(thing, "__name__", str(thing)),
)
def test_a_mistake_as_people_write_it_is_named(check, function, mistake):
    result = check(function)
    assert result.status == NOT_YET
    assert result.mistakes == (mistake,), result


def test_two_mistakes_at_once_are_both_named():
    def my_attention(query, key, value):
        e = np.exp(query @ key.T / key.shape[1])
        return e / e.sum(axis=0) @ value

    result = checks.formula.attention(my_attention)
    assert result.mistakes == ("d_k, not its root", "softmax over queries")
    assert result.message.startswith("Two things at once.")


def test_where_nothing_known_explains_it_the_first_difference_is_shown():
    result = checks.formula.attention(
        lambda query, key, value: attention_weights(query, key) @ value + 1
    )
    assert result.mistakes == ()
    assert result.message == "The shape is right, the numbers differ."
    assert result.case == (
        "query     [[1]]",
        "key       [[1], [0]]",
        "value     [[1], [0]]",
        "expected  [[0.731]]",
        "got       [[1.731]]",
        "the largest difference is 1 at [0, 0]",
    )


def test_a_wrong_shape_says_which_is_needed():
    result = checks.formula.attention(lambda query, key, value: value.sum(axis=0))
    assert "Needed shape" in result.message
    assert "one row per query, as wide as a value" in result.message
    assert result.case


def test_the_case_shown_is_what_the_learners_own_code_gives():
    seen = []

    def my_attention(query, key, value):
        answer = attention_weights(query, key, scale=1) @ value
        seen.append((query.shape, answer))
        return answer

    result = checks.formula.attention(my_attention)
    shape, answer = seen[-1]
    assert shape == (1, 2)
    assert result.case[-1] == f"got       [[{answer[0, 0]:.3f}]]"


def test_values_with_known_mistakes():
    named = {
        checks.lookup.score_by_hand(0.17): "sign lost",
        checks.lookup.score_by_hand([0.15, 0.32]): "not added",
        checks.lookup.blended_kcal(500): "hard",
        checks.lookup.blended_kcal(360): "average",
        checks.lookup.tie(0.36, 11): "not divided",
        checks.lookup.tie(0.514, 12): "one of two",
        checks.lookup.tie(0.514, 8.8): "average of all",
        checks.similarity.dot_by_hand(0.78): "sign lost",
        checks.similarity.dal_can_win(True): "the dal wins",
        checks.formula.shapes((11, 7), ()): "scores turned",
        checks.formula.shapes((7, 11), (7, 4)): "as wide as a key",
        checks.formula.weight_by_hand(0.12): "second weight",
        checks.formula.weight_by_hand(1): "no root",
        checks.formula.weight_by_hand(0.56): "d_k, not its root",
        checks.formula.weight_by_hand(88): "percent",
        checks.batches.output_shape((4, 3, 6, 9)): "shape of the scores",
        checks.batches.output_shape((4, 1, 6, 2)): "not broadcast",
        checks.self_attention.numbers_to_learn(131072): "one head",
        checks.self_attention.numbers_to_learn(8 * 3 * 512 * 64): "W_O missing",
        checks.self_attention.strict_past(np.tri(5, dtype=bool)): "sees itself",
        checks.self_attention.strict_past(np.tri(5, k=-1)): "numbers for true and false",
        checks.self_attention.strict_past(np.triu(np.ones((5, 5), bool), 1)): "the future",
        checks.self_attention.strict_past(~np.tri(5, k=-1, dtype=bool)): "mask flipped",
        checks.transformer.score_shape((49, 5)): "patches ask",
        checks.transformer.layer_norm([-2, 2, 0, 0]): "only centred",
        checks.transformer.layer_norm([-1, 1, 0, 0]): "divided by the variance",
        checks.transformer.tricky_date("29 11"): "not that day",
        checks.transformer.tricky_date("29. 2026"): "no month",
        checks.transformer.tricky_date("29.11.26"): "not that day",
        checks.transformer.tricky_date("26 29 11"): "not that day",
        checks.transformer.tricky_date("2926 novembre"): "not that day",
        checks.transformer.tricky_date("29.12.2026"): "another month",
        checks.transformer.tricky_date("2026 29 1"): "another month",
        checks.cost.state_by_hand([np.log(3), 4, 28]): "no maximum subtracted",
        checks.cost.cache_size(512): "factor 2",
        checks.cost.cache_size(32): "one layer",
        checks.cost.cache_size(1000): "a round 1000",
        checks.cost.cache_size(1048.576): "two thousands",
        checks.cost.cache_size(1073.74): "megabytes",
        checks.column_three.interval(1.0): "share itself",
    }
    for result, mistake in named.items():
        assert result.status == NOT_YET
        assert result.mistakes == (mistake,), result


def test_a_prediction_that_fails_is_told_what_came_instead():
    from softlookup.column_three import Task  # noqa: PLC0415

    result = checks.column_three.control(Task(label_column=1, coin_column=3), 3, seeds=range(4))
    assert result.mistakes == ("prediction failed",)
    assert "column 1" in result.message
    assert checks.column_three.control(Task(), 3).mistakes == ("not a new control",)
    assert "0 to 4" in checks.column_three.control(Task(1, "01", 3), 7).message


def test_the_reader_that_reads_it_rightly_is_not_tricked(monkeypatch):
    from softlookup import dates  # noqa: PLC0415

    monkeypatch.setattr(dates, "translate", lambda reader, text: "2026-11-29")
    assert checks.transformer.tricky_date("29 Nov 2026", reader=1).mistakes == ("read rightly",)


def test_every_other_month_of_every_format_is_another_month(monkeypatch):
    from softlookup import dates  # noqa: PLC0415

    monkeypatch.setattr(dates, "translate", lambda reader, text: "2026-01-29")
    for month in range(1, 13):
        for row in dates.examples(date(2026, month, 29 if month != 2 else 28)):
            text = row["written"] if month != 2 else row["written"].replace("28", "29")
            result = checks.transformer.tricky_date(text, reader=1)
            assert (result.mistakes == ("another month",)) == (month != 11), text
            assert result.correct == (month == 11)


def test_networks_that_look_away_know_the_wrong_start():
    result = checks.column_three.look_away(1.0, seeds=range(4))
    assert result.mistakes == ("start of +1",)


def test_what_the_lesson_showed_to_fail_does_not_count_again():
    (cell,) = [c for c in notebooks.code_cells(chapter("07-transformer")) if c["id"] == "unseen"]
    (output,) = cell["outputs"]
    failed = [
        line.partition("→")[0].strip() for line in output["text"].splitlines() if "WRONG" in line
    ]
    assert failed
    for text in [*failed, failed[0].upper()]:
        result = checks.transformer.tricky_date(text, reader=1)
        assert result.mistakes == ("shown in the lesson",)
