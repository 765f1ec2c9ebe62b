"""The check of chapter 4's attention, as a learner meets it."""

import numpy as np

from softlookup import attention_weights, checks


def test_a_right_answer_is_right():
    def my_attention(query, key, value):
        return attention_weights(query, key) @ value

    assert checks.formula.attention(my_attention).correct


def test_a_known_mistake_is_named_with_the_smallest_case():
    def my_attention(query, key, value):
        e = np.exp(query @ key.T / np.sqrt(key.shape[1]))
        return e / e.sum(axis=0) @ value

    result = checks.formula.attention(my_attention)
    assert result.mistakes == ("softmax over queries",)
    assert result.case[0].split() == ["query", "[[1]]"]
