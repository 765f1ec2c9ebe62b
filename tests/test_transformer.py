"""The Transformer's blocks: equal to the same blocks in keras.layers, and to joins in SQL."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from softlookup import (
    Heads,
    attention_weights,
    causal_mask,
    multi_head_attention,
    padding_mask,
    sql,
)
from softlookup.keras_loader import load_keras
from softlookup.transformer import (
    DecoderBlock,
    EncoderBlock,
    FeedForward,
    LayerNorm,
    decoder_block,
    encoder_block,
)

# All different, so that no two axes can be swapped unnoticed. The root of D_K is exact: a layer of
# Keras multiplies by 1 / sqrt(key_dim) in float32, whatever its own type.
BATCH, ROWS, SOURCE, HEADS, D_K, D_V, D_MODEL, D_FF = 2, 5, 7, 3, 4, 13, 17, 19


def heads(rng, dtype="float64", biases=True):
    def some(*shape):
        return rng.normal(scale=0.4, size=shape).astype(dtype)

    return Heads(
        some(HEADS, D_MODEL, D_K),
        some(HEADS, D_MODEL, D_K),
        some(HEADS, D_MODEL, D_V),
        some(HEADS, D_V, D_MODEL),
        **(
            {
                "b_query": some(HEADS, D_K),
                "b_key": some(HEADS, D_K),
                "b_value": some(HEADS, D_V),
                "b_output": some(D_MODEL),
            }
            if biases
            else {}
        ),
    )


def norm(rng, dtype="float64"):
    return LayerNorm(
        rng.uniform(0.5, 1.5, D_MODEL).astype(dtype), rng.normal(size=D_MODEL).astype(dtype)
    )


def feed_forward(rng, dtype="float64"):
    shapes = ((D_MODEL, D_FF), (D_FF,), (D_FF, D_MODEL), (D_MODEL,))
    return FeedForward(*(rng.normal(scale=0.4, size=shape).astype(dtype) for shape in shapes))


def encoder(rng, dtype="float64"):
    return EncoderBlock(
        heads(rng, dtype), norm(rng, dtype), feed_forward(rng, dtype), norm(rng, dtype)
    )


def decoder(rng, dtype="float64"):
    return DecoderBlock(
        heads(rng, dtype),
        norm(rng, dtype),
        heads(rng, dtype),
        norm(rng, dtype),
        feed_forward(rng, dtype),
        norm(rng, dtype),
    )


def tables(rng, dtype="float64"):
    x = rng.normal(size=(BATCH, ROWS, D_MODEL)).astype(dtype)
    encoded = rng.normal(size=(BATCH, SOURCE, D_MODEL)).astype(dtype)
    return x, encoded


class InKeras:
    """The same blocks out of keras.layers, with weights copied in."""

    def __init__(self, dtype):
        self.layers, self.dtype = load_keras().layers, dtype

    def attention(self, own, query, value, mask=None):
        layer = self.layers.MultiHeadAttention(HEADS, D_K, D_V, dtype=self.dtype)
        layer.build(query.shape, value.shape)
        own.to_keras(layer)
        return layer(query, value, attention_mask=mask)

    def norm(self, own, x):
        layer = self.layers.LayerNormalization(dtype=self.dtype)
        layer.build(x.shape)
        layer.set_weights([own.gamma, own.beta])
        return layer(x)

    def feed_forward(self, own, x):
        wide = self.layers.Dense(D_FF, "relu", dtype=self.dtype)
        back = self.layers.Dense(D_MODEL, dtype=self.dtype)
        wide.build(x.shape)
        back.build((*x.shape[:-1], D_FF))
        wide.set_weights([own.w_1, own.b_1])
        back.set_weights([own.w_2, own.b_2])
        return back(wide(x))

    def add(self, x, y):
        return self.layers.Add(dtype=self.dtype)([x, y])

    def encoder(self, block, x, mask=None):
        x = self.norm(block.norm_1, self.add(x, self.attention(block.attention, x, x, mask)))
        x = self.norm(block.norm_2, self.add(x, self.feed_forward(block.feed_forward, x)))
        return np.asarray(x)

    def decoder(self, block, x, encoded, mask=None, encoded_mask=None):
        x = self.norm(block.norm_1, self.add(x, self.attention(block.self_attention, x, x, mask)))
        looked_up = self.attention(block.cross_attention, x, encoded, encoded_mask)
        x = self.norm(block.norm_2, self.add(x, looked_up))
        x = self.norm(block.norm_3, self.add(x, self.feed_forward(block.feed_forward, x)))
        return np.asarray(x)


TYPES = [("float32", 2e-6), ("float64", 1e-12)]


@pytest.mark.parametrize(("dtype", "close"), TYPES)
@pytest.mark.parametrize("masked", [False, True])
def test_the_encoder_block_equals_keras(dtype, close, masked):
    rng = np.random.default_rng(7)
    block, (x, _) = encoder(rng, dtype), tables(rng, dtype)
    mask = np.broadcast_to(padding_mask([3, ROWS], ROWS), (BATCH, ROWS, ROWS)) if masked else None
    ours, theirs = encoder_block(x, block, mask=mask), InKeras(dtype).encoder(block, x, mask)
    assert ours.dtype == dtype
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=close)


@pytest.mark.parametrize(("dtype", "close"), TYPES)
@pytest.mark.parametrize("masked", [False, True])
def test_the_decoder_block_equals_keras(dtype, close, masked):
    rng = np.random.default_rng(11)
    block, (x, encoded) = decoder(rng, dtype), tables(rng, dtype)
    masks = {}
    if masked:
        masks["mask"] = causal_mask(ROWS) & padding_mask([ROWS, 4], ROWS)
        masks["encoded_mask"] = np.broadcast_to(
            padding_mask([2, SOURCE], SOURCE), (BATCH, ROWS, SOURCE)
        )
    ours = decoder_block(x, encoded, block, **masks)
    assert ours.dtype == dtype
    theirs = InKeras(dtype).decoder(block, x, encoded, **masks)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=close)


def test_the_decoder_cannot_see_what_comes_later_nor_padding():
    rng = np.random.default_rng(13)
    block, (x, encoded) = decoder(rng), tables(rng)
    masks = {"mask": causal_mask(ROWS), "encoded_mask": padding_mask([4, 4], SOURCE)}
    answer = decoder_block(x, encoded, block, **masks)
    later, padding = x.copy(), encoded.copy()
    later[:, 3:], padding[:, 4:] = 100.0, -100.0
    np.testing.assert_allclose(
        decoder_block(later, padding, block, **masks)[:, :3], answer[:, :3], rtol=1e-12
    )
    assert not np.allclose(decoder_block(later, encoded, block)[:, :3], answer[:, :3])
    seen = decoder_block(x, padding, block, mask=causal_mask(ROWS))
    assert not np.allclose(seen, answer)


def test_an_encoder_block_shuffles_as_its_rows_do():
    rng = np.random.default_rng(17)
    block, (x, _) = encoder(rng), tables(rng)
    order = rng.permutation(ROWS)
    np.testing.assert_allclose(
        encoder_block(x[:, order], block), encoder_block(x, block)[:, order], rtol=0, atol=1e-12
    )


def test_blocks_by_hand():
    """The formulas, spelled out once more, without the helpers."""
    rng = np.random.default_rng(19)
    block, (x, _) = encoder(rng), tables(rng)

    def by_hand(own, rows):
        mean, spread = rows.mean(-1, keepdims=True), rows.var(-1, keepdims=True)
        return own.gamma * (rows - mean) / np.sqrt(spread + 0.001) + own.beta

    rows = by_hand(block.norm_1, x + multi_head_attention(x, x, x, block.attention))
    ff = block.feed_forward
    hidden = rows @ ff.w_1 + ff.b_1
    rows = by_hand(block.norm_2, rows + np.where(hidden > 0, hidden, 0) @ ff.w_2 + ff.b_2)
    np.testing.assert_allclose(encoder_block(x, block), rows, rtol=0, atol=1e-12)


def test_a_norm_of_equal_numbers_and_of_half_precision():
    rng = np.random.default_rng(23)
    plain = LayerNorm(np.ones(4), np.zeros(4))
    assert plain([[2.0, 2.0, 2.0, 2.0]]).tolist() == [[0.0] * 4]
    half = rng.normal(size=(3, 4)).astype(np.float16)
    small = LayerNorm(np.ones(4, np.float16), np.zeros(4, np.float16))
    assert small(half).dtype == np.float16
    np.testing.assert_allclose(small(half), plain(half.astype(float)), atol=2e-3)
    large = np.array([[60000.0, -60000.0, 60000.0, -60000.0]], np.float16)
    assert small(large).tolist() == [[1.0, -1.0, 1.0, -1.0]]


def test_cross_attention_is_a_join_of_two_tables():
    """Queries from one table, keys and values from another: the join that SQL has had all along."""
    rng = np.random.default_rng(29)
    decoder_rows = rng.normal(size=(3, 4))
    encoder_rows = rng.normal(size=(5, 4))
    allowed = padding_mask([4], 5)[0]
    in_sql = sql.attention(decoder_rows, encoder_rows, encoder_rows, mask=allowed)
    weights = attention_weights(decoder_rows, encoder_rows, mask=allowed)
    np.testing.assert_allclose(in_sql, weights @ encoder_rows, rtol=1e-12)


def test_cross_attention_with_heads_is_that_join_once_per_head():
    rng = np.random.default_rng(31)
    block, (x, encoded) = decoder(rng), tables(rng)
    mask = np.broadcast_to(padding_mask([2, SOURCE], SOURCE), (BATCH, ROWS, SOURCE))
    in_sql = sql.multi_head_attention(x, encoded, encoded, block.cross_attention, mask=mask)
    in_numpy = multi_head_attention(x, encoded, encoded, block.cross_attention, mask=mask)
    np.testing.assert_allclose(in_sql, in_numpy, rtol=1e-10)
    swapped = multi_head_attention(encoded, x, x, block.cross_attention)
    assert swapped.shape == (BATCH, SOURCE, D_MODEL)


def test_parts_are_copies_and_inputs_stay_as_they_are():
    gamma = np.ones(D_MODEL)
    own = LayerNorm(gamma, np.zeros(D_MODEL))
    gamma[:] = 7.0
    assert np.all(np.asarray(own.gamma) == 1.0)
    rng = np.random.default_rng(37)
    block, (x, encoded) = decoder(rng), tables(rng)
    before = x.copy(), encoded.copy()
    decoder_block(x, encoded, block)
    assert np.array_equal(x, before[0])
    assert np.array_equal(encoded, before[1])
    with pytest.raises(dataclasses.FrozenInstanceError):
        own.epsilon = 1.0


def wrong_width():
    rng = np.random.default_rng(41)
    return dataclasses.replace(encoder(rng), norm_1=LayerNorm(np.ones(3), np.zeros(3)))


def narrow_answers():
    """Heads whose answers are narrower than the rows that they should be added to."""
    own = heads(np.random.default_rng(43), biases=False)
    cut = dataclasses.replace(own, w_output=np.asarray(own.w_output)[..., :1])
    return dataclasses.replace(encoder(np.random.default_rng(43)), attention=cut)


X = np.ones((ROWS, D_MODEL))


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        (lambda: LayerNorm([1.0], [0.0, 0.0]), ValueError, "one number of each per column"),
        (lambda: LayerNorm([[1.0]], [0.0]), ValueError, "gamma: needed 1 axes"),
        (lambda: LayerNorm([1.0], [0.0], epsilon=0), ValueError, "epsilon"),
        (lambda: LayerNorm([np.nan], [0.0]), ValueError, "gamma: needed finite"),
        (lambda: LayerNorm([1.0], [0.0])([[1.0, 2.0]]), ValueError, "x: needed 1 columns"),
        (lambda: LayerNorm([1.0], [0.0])([1.0]), ValueError, r"\(..., n, d_model\)"),
        (lambda: LayerNorm([1, 1], [0, 0])([[1e300, -1e300]]), ValueError, "fits into float64"),
        (lambda: FeedForward([[1.0]], [0, 0], [[1.0]], [0]), ValueError, "b_1: needed shape"),
        (lambda: FeedForward([[1.0]], [0], [[1.0]], [0, 0]), ValueError, "b_2: needed shape"),
        (lambda: FeedForward([[1.0]], [0], [[1], [1]], [0]), ValueError, "w_1 and w_2: needed"),
        (lambda: FeedForward([[1.0]], [0], [[1.0]], [0])([[1.0, 2.0]]), ValueError, "x and w_1"),
        (lambda: encoder_block(X, wrong_width()), ValueError, "x: needed 3 columns"),
        (lambda: encoder_block(X, narrow_answers()), ValueError, "needed one shape, to add them"),
        (lambda: encoder_block(X, None), TypeError, "EncoderBlock, got NoneType"),
        (lambda: decoder_block(X, X, wrong_width()), TypeError, "DecoderBlock, got EncoderBlock"),
    ],
)
def test_errors_say_what_was_needed(wrong, error, message):
    with pytest.raises(error, match=message):
        wrong()
