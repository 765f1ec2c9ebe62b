"""A learner's code can fail, wait, print, write into its inputs or cheat; the check stands."""

import itertools
import re
import sys
import threading
import time

import numpy as np
import pytest
from checked import EXERCISES

from softlookup import checks, scaled_dot_product_attention
from softlookup.checks import guard
from softlookup.checks.compare import Refused, plain
from softlookup.checks.exercise import check_function
from softlookup.checks.result import CORRECT, NOT_STARTED, NOT_YET, Result

ATTENTION = EXERCISES["formula.my_attention"]


def quick(function):
    """Check a function with little patience, so that an endless one does not cost seconds."""
    from dataclasses import replace  # noqa: PLC0415

    return check_function(function, replace(ATTENTION, seconds=0.3))


def patient(function):
    """Check a function that ends, however busy the machine is."""
    from dataclasses import replace  # noqa: PLC0415

    return check_function(function, replace(ATTENTION, seconds=60.0))


# ------------------------------------------------------------------ who would fool it


class AlwaysEqual:
    """Says yes to every comparison."""

    def __eq__(self, other):
        return True

    __hash__ = None
    shape = property(lambda self: AlwaysEqual())
    dtype = np.dtype(float)


class FriendlyArray(np.ndarray):  # noqa: PLW1641  nobody hashes it
    """An array that finds itself equal to everything, and close to it."""

    def __eq__(self, other):
        return np.ones(self.shape, dtype=bool)

    def __sub__(self, other):
        return np.zeros(self.shape)

    __rsub__ = __sub__

    def __array_function__(self, func, types, args, kwargs):
        return True


def forever(query, key, value):
    while True:
        pass


def forever_catching_exceptions(query, key, value):
    while True:
        try:
            time.sleep(0.01)
        except Exception:
            continue


def endless(query, key, value):
    return sum(number for number in itertools.count())


def without_end(query, key, value):
    return without_end(query, key, value)


def leaving(query, key, value):
    sys.exit(0)


FOOLERS = {
    "the query": lambda query, key, value: query,
    "the value": lambda query, key, value: value,
    "nan": lambda query, key, value: np.full((len(query), value.shape[1]), np.nan),
    "infinity": lambda query, key, value: np.full((len(query), value.shape[1]), np.inf),
    "zeros": lambda query, key, value: np.zeros((len(query), value.shape[1])),
    "always equal": lambda query, key, value: AlwaysEqual(),
    "a list of always equal": lambda query, key, value: [
        [AlwaysEqual()] * value.shape[1] for _ in query
    ],
    "friendly array": lambda query, key, value: np.zeros((len(query), value.shape[1])).view(
        FriendlyArray
    ),
    "generator": lambda query, key, value: (row for row in query),
    "text": lambda query, key, value: "correct",
    "true": lambda query, key, value: True,
    "complex": lambda query, key, value: scaled_dot_product_attention(query, key, value) + 1j,
    "masked array": lambda query, key, value: np.ma.masked_all((len(query), value.shape[1])),
    "a dictionary": lambda query, key, value: {"answer": 1},
    "itself": lambda query, key, value: forever,
    "ragged": lambda query, key, value: [[1.0], [1.0, 2.0]],
    "huge": lambda query, key, value: np.broadcast_to(1.0, (10**6, 10**6)),
    "empty": lambda query, key, value: [],
    "a result": lambda query, key, value: Result(CORRECT),
    "half precision": lambda query, key, value: (
        scaled_dot_product_attention(query, key, value) * 1.001
    ),
    "input emptied": lambda query, key, value: [a.fill(0) for a in (query, key, value)] and value,
    "one of many": lambda query, key, value: (
        scaled_dot_product_attention(query, key, value) if len(query) == 3 else query
    ),
    "endless": forever,
    "endless, exceptions caught": forever_catching_exceptions,
    "endless sum": endless,
    "recursion": without_end,
    "exit": leaving,
    "a number": 3.0,
    "a class": AlwaysEqual,
}


@pytest.mark.parametrize("name", FOOLERS)
def test_nothing_but_a_right_answer_is_right(name):
    result = quick(FOOLERS[name])
    assert result.status == NOT_YET
    assert len(result.message) > 10
    assert len(repr(result)) < 1200


@pytest.mark.parametrize("value", [AlwaysEqual(), "0.47", None, [], {}, np.nan, True, forever, 1j])
def test_values_are_not_fooled_either(value):
    result = checks.lookup.score_by_hand(value)
    assert result.status == NOT_YET
    assert len(result.message) > 10


def test_a_function_that_gives_one_array_again_and_again_is_held_to_each():
    kept = np.zeros((3, 3))

    def same_array(query, key, value):
        kept.resize((len(query), value.shape[1]), refcheck=False)
        kept[...] = scaled_dot_product_attention(query, key, value)
        return kept

    assert patient(same_array).correct


def test_writing_into_the_inputs_is_found_even_if_the_answer_is_right():
    def sorting(query, key, value):
        answer = scaled_dot_product_attention(query, key, value)
        key.sort()
        return answer

    result = patient(sorting)
    assert result.mistakes == ("in place",)
    assert "changes key in place" in result.message


def test_the_cases_are_new_each_time():
    seen = []

    def my_attention(query, key, value):
        seen.append(query.copy())
        return scaled_dot_product_attention(query, key, value)

    assert patient(my_attention).correct
    half = len(seen)
    assert patient(my_attention).correct
    assert not any(np.array_equal(a, b) for a in seen[:3] for b in seen[half : half + 3])


# ------------------------------------------------------------------ time


def test_an_endless_answer_is_stopped_with_a_message():
    result = quick(forever)
    assert result.message.startswith("Stopped after 0 seconds.")
    assert "loop that never ends" in result.message


@pytest.mark.parametrize("function", [forever, endless, forever_catching_exceptions])
def test_a_thread_is_stopped_as_well(function):
    found = []
    thread = threading.Thread(target=lambda: found.append(quick(function)), daemon=True)
    thread.start()
    thread.join(5)
    assert not thread.is_alive()
    assert found[0].message.startswith("Stopped")


def test_a_right_answer_in_a_thread_is_right():
    found = []
    thread = threading.Thread(target=lambda: found.append(patient(scaled_dot_product_attention)))
    thread.start()
    thread.join(60)
    assert found[0].correct


def test_the_alarm_of_others_is_given_back():
    if not hasattr(guard.signal, "setitimer"):
        pytest.skip("no such signals on this system")
    rung = []
    before = guard.signal.signal(guard.signal.SIGALRM, lambda *_: rung.append(1))
    try:
        guard.signal.setitimer(guard.signal.ITIMER_REAL, 0.4)
        with guard.time_limit(5):
            time.sleep(0.05)
        assert 0 < guard.signal.getitimer(guard.signal.ITIMER_REAL)[0] < 0.4
        time.sleep(0.5)
    finally:
        guard.signal.signal(guard.signal.SIGALRM, before)
    assert rung == [1]


def test_a_stop_by_the_user_goes_through():
    def interrupted(query, key, value):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        quick(interrupted)


# ------------------------------------------------------------------ printing


def test_what_the_first_call_prints_is_shown_and_no_more(capsys):
    def chatty(query, key, value):
        print("query", query.shape)
        print("a warning", file=sys.stderr)
        return scaled_dot_product_attention(query, key, value)

    assert patient(chatty).correct
    said = capsys.readouterr()
    assert re.fullmatch(r"query \(\d, \d\)\n", said.out)
    assert said.err == ""


def test_printing_without_end_is_cut(capsys):
    def noise(query, key, value):
        while True:
            print("noise " * 100)

    assert quick(noise).status == NOT_YET
    assert len(capsys.readouterr().out) <= 2000


# ------------------------------------------------------------------ exceptions


def wrong_product(query, key, value):
    scores = query @ key
    return scores


def lost_column(query, key, value):
    scores = query @ key.T
    return scores - scores.max(axis=1)


def misspelt(query, key, value):
    return softmx(query @ key.T) @ value  # noqa: F821


def too_few(query, key):
    return query


def too_few_inside(query, key, value):
    return scaled_dot_product_attention(query, key)


def of_none(query, key, value):
    nothing = print(end="")
    return nothing + query


def of_lists(query, key, value):
    return query.tolist() / 2


def truth(query, key, value):
    return query if query > 0 else key


def by_math(query, key, value):
    import math  # noqa: PLC0415

    return math.exp(query)


def by_index(query, key, value):
    return query[len(query)]


def by_attribute(query, key, value):
    return query.tolist().T


def by_reshape(query, key, value):
    return query.reshape(1, 1)


def by_import(query, key, value):
    import softlookup_of_the_future  # noqa: PLC0415

    return softlookup_of_the_future


def by_zero(query, key, value):
    return 1 / 0


def by_overflow(query, key, value):
    import math  # noqa: PLC0415

    return math.exp(1000)


def later(query, key, value):
    scores = scores + 1  # noqa: F821
    return scores


@pytest.mark.parametrize(
    ("function", "line", "hint"),
    [
        (wrong_product, "scores = query @ key", "as many columns on the left"),
        (lost_column, "return scores - scores.max(axis=1)", "keepdims"),
        (misspelt, "return softmx(query @ key.T) @ value", "spelt"),
        (too_few, "", "It is called with 3 arguments: query, key, value."),
        (too_few_inside, "return scaled_dot_product_attention(query, key)", "other arguments"),
        (of_none, "return nothing + query", "is None"),
        (of_lists, "return query.tolist() / 2", "np.asarray"),
        (truth, "return query if query > 0 else key", "one true or false"),
        (by_math, "return math.exp(query)", "NumPy's"),
        (by_index, "return query[len(query)]", "counts from 0"),
        (by_attribute, "return query.tolist().T", "np.asarray"),
        (by_reshape, "return query.reshape(1, 1)", "exactly as many numbers"),
        (by_import, "import softlookup_of_the_future", "installed"),
        (by_zero, "return 1 / 0", "divide by"),
        (by_overflow, "return math.exp(1000)", "too large"),
        (later, "scores = scores + 1", "later than it is used"),
        (without_end, "return without_end(query, key, value)", "calls itself"),
    ],
)
def test_an_exception_is_shown_with_its_own_line_and_a_hint(function, line, hint):
    failure = guard.call(
        function, [np.ones((2, 3)), np.ones((5, 3)), np.ones((5, 7))], names=ATTENTION.parameters
    ).failure
    assert failure is not None
    assert line in failure.line
    assert bool(line) == bool(failure.line)
    assert hint in failure.hint
    assert "\n" not in failure.sentence


def test_a_check_shows_the_line_and_the_shapes():
    result = patient(lost_column)
    assert "keepdims" in result.message
    assert "return scores - scores.max(axis=1)" in f"{result.message}{result.case}"
    assert any("shape" in line for line in result.case)


def test_no_path_of_a_machine_is_shown():
    for function in (wrong_product, misspelt, by_import, without_end):
        assert __file__ not in repr(quick(function))


# ------------------------------------------------------------------ blank or not


def test_blanks():
    def dots(query, key, value): ...

    def passed(query, key, value):
        pass

    def described(query, key, value):
        """Say what it will do."""

    def with_default(scores, temperature=1.0, *rest, loud=False, **more): ...

    def returns_none(query, key, value):
        return None

    for function in (dots, passed, described, with_default, returns_none):
        assert guard.is_blank(function), function.__name__


def test_what_computes_is_not_blank():
    def forgot(query, key, value):
        query @ key.T

    def sums(x):
        x + 1

    for function in (forgot, sums, print, AlwaysEqual(), np.exp):
        assert not guard.is_blank(function)


@pytest.mark.parametrize("answer", [..., None])
def test_no_function_yet_is_not_started(answer):
    assert checks.formula.attention(answer).status == NOT_STARTED


# ------------------------------------------------------------------ comparing


def test_what_is_refused_says_what_it_is():
    for answer, word in (
        ("x", "text"),
        (None, "None"),
        (..., "..."),
        ({1: 2}, "dict"),
        ((i for i in ()), "generator"),
        (1j, "complex"),
        ([[1], [1, 2]], "equal length"),
        (([1], [1, 2]), "2 things of different shapes"),
        (AlwaysEqual(), "AlwaysEqual"),
        ([object()], "list with an entry of type object"),
        (np.ma.ones(2), "masked"),
    ):
        with pytest.raises(Refused, match=re.escape(word)):
            plain(answer)


def test_a_subclass_leaves_its_own_ideas_behind():
    array = plain(np.zeros(2).view(FriendlyArray))
    assert type(array) is np.ndarray


# ------------------------------------------------------------------ what is shown


def test_a_result_shows_in_a_terminal_and_in_a_notebook():
    result = Result(NOT_YET, "a < b.\nNext line.", ("got  <1>",))
    assert repr(result) == "Not yet. a < b.\nNext line.\n\n    got  <1>"
    html = result._repr_html_()
    assert "a &lt; b.<br>Next line." in html
    assert "got  &lt;1&gt;" in html
    assert "<script" not in html
    # The page's own colours for text and ground: both themes work.
    assert not re.search(r"[^-]color: (?!inherit)", html)
    assert not re.search(r"background: (?!transparent)", html)


@pytest.mark.parametrize("status", [CORRECT, NOT_STARTED, NOT_YET])
def test_the_status_is_said_in_words(status):
    assert status in repr(Result(status)).lower()
    assert status in Result(status)._repr_html_().lower()


def test_a_status_is_one_of_three():
    with pytest.raises(ValueError, match="status"):
        Result("wrong")
