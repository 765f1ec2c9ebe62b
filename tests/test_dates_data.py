"""The dates: CLDR's patterns, no traps, a split by day, and a vocabulary that round-trips."""

from __future__ import annotations

import re
import sys
import unicodedata
from collections import Counter
from datetime import date

import numpy as np
import pytest

from softlookup import dates
from softlookup.dates.formats import characters

DAY = date(2026, 11, 29)
EVERY_FORM = [
    (language, locale, form) for language, forms in dates.FORMATS.items() for locale, form in forms
]


def test_each_language_has_several_formats_and_all_are_different():
    rows = dates.examples(DAY)
    assert [row["written"] for row in rows] == [
        "Nov 29, 2026",
        "November 29, 2026",
        "Sunday, November 29, 2026",
        "29 Nov 2026",
        "29 November 2026",
        "Sunday, 29 November 2026",
        "2026. 11. 29.",
        "2026년 11월 29일",
        "2026년 11월 29일 일요일",
        "2026년 11월 29일 (일)",
        "29.11.2026",
        "29. November 2026",
        "Sonntag, 29. November 2026",
        "29. Nov. 2026",
        "29 nov. 2026",
        "29 novembre 2026",
        "dimanche 29 novembre 2026",
        "dim. 29 nov. 2026",
        "2026/11/29",
        "2026年11月29日",
        "2026年11月29日日曜日",
        "2026年11月29日(日)",
    ]
    assert {row["iso"] for row in rows} == {"2026-11-29"}
    assert min(Counter(row["language"] for row in rows).values()) >= 4


@pytest.mark.parametrize(("language", "locale", "form"), EVERY_FORM)
def test_no_trap_is_among_them(language, locale, form):
    """Four digits of year; and 3 April is never written as 4 March is, in any language."""
    text = dates.write(date(2026, 4, 3), locale, form)
    assert "2026" in text
    swapped = date(2026, 3, 4)
    others = {dates.write(swapped, other, other_form) for _, other, other_form in EVERY_FORM}
    assert text not in others


def test_the_traps_are_real():
    """What is left out would have been ambiguous."""
    assert "2026" not in dates.write(DAY, "en_US", "short")
    american = dates.write(date(2026, 3, 4), "en_US", "yMd")
    assert re.findall(r"\d+", american) == ["3", "4", "2026"]
    british = dates.write(date(2026, 4, 3), "en_GB", "short")
    assert re.findall(r"\d+", british) == ["03", "04", "2026"]


def test_no_written_date_means_two_days():
    """Every day of four years, a leap year among them, in every format: one text, one day."""
    meaning: dict[str, date] = {}
    for day in dates.days():
        if day.year not in (1951, 2000, 2009, 2010):
            continue
        for _, locale, form in EVERY_FORM:
            text = dates.write(day, locale, form)
            assert meaning.setdefault(text, day) == day


def test_every_day_of_a_hundred_years_leap_days_included():
    every = dates.days()
    assert (every[0], every[-1]) == (date(1950, 1, 1), date(2049, 12, 31))
    assert len(set(every)) == len(every) == 36_525
    assert sum(day.month == 2 and day.day == 29 for day in every) == 25


def test_the_split_is_by_calendar_day():
    train, held_out = dates.draw(train=40_000, held_out=3_652, seed=3)
    assert not set(train.iso) & set(held_out.iso)
    assert set(train.iso) | set(held_out.iso) == {day.isoformat() for day in dates.days()}
    assert len(set(held_out.iso)) == 3_652
    leap_days = [iso for iso in train.iso + held_out.iso if iso.endswith("02-29")]
    assert len(set(leap_days)) == 25


def test_what_is_drawn():
    train, held_out = dates.draw(train=2_000, held_out=500, seed=1)
    assert (len(train), len(held_out)) == (2_000, 500)
    assert set(Counter(train.language).values()) == {400}
    assert len(set(train.form)) == len(EVERY_FORM)
    for text, iso, form in zip(train.text, train.iso, train.form, strict=True):
        assert text == dates.write(date.fromisoformat(iso), *form.split())
        assert unicodedata.is_normalized("NFC", text)


def test_a_seed_decides_everything():
    first, second, other = (
        dates.draw(train=200, held_out=50, seed=seed)[0].text for seed in (5, 5, 6)
    )
    assert first == second
    assert first != other


def test_some_languages_alone():
    train, _ = dates.draw(train=10, held_out=1, languages=["Korean"])
    assert set(train.language) == {"Korean"}


def test_arrays_teach_with_the_character_before():
    train, _ = dates.draw(train=50, held_out=1)
    source, before, target = train.arrays()
    assert dates.written().decode(source) == list(train.text)
    assert dates.iso().decode(target) == list(train.iso)
    assert dates.iso().decode(before) == [iso[:-1] for iso in train.iso]
    assert source.dtype == before.dtype == target.dtype == np.int32


def test_the_vocabulary_round_trips_every_format_and_month():
    some = [date(2049, month, day) for month in range(1, 13) for day in (1, 9, 14, 20, 28)]
    texts = [dates.write(day, locale, form) for day in some for _, locale, form in EVERY_FORM]
    vocabulary = dates.written()
    assert vocabulary.decode(vocabulary.encode(texts)) == texts
    assert vocabulary.size == len(vocabulary.characters) + 1


def test_the_vocabulary_holds_all_characters_of_all_days():
    """The shortcut, seven days of each month, misses none."""
    train, held_out = dates.draw(train=20_000, held_out=3_000)
    assert set("".join(train.text + held_out.text)) <= set(characters())


def test_a_decomposed_text_is_the_same_text():
    typed = unicodedata.normalize("NFD", "2026년 2월 1일 août")
    assert len(typed) > len("2026년 2월 1일 août")
    vocabulary = dates.written()
    assert vocabulary.decode(vocabulary.encode([typed])) == ["2026년 2월 1일 août"]


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        (lambda: dates.written().encode("2026"), TypeError, "put it in a list"),
        (lambda: dates.written().encode([2026]), TypeError, "needed text, got int"),
        (lambda: dates.written().encode([""]), ValueError, "got an empty one"),
        (lambda: dates.written().encode(["11月29日", "29 ноя"]), ValueError, r"'н' \(U\+043D, CYR"),
        (lambda: dates.iso().encode(["2026-11-29"], 9), ValueError, "at most 9 characters, got 10"),
        (lambda: dates.iso().decode([[12]]), ValueError, "from 0 to 11"),
        (lambda: dates.iso().decode([[-1]]), ValueError, "from 0 to 11"),
        (lambda: dates.iso().decode([1]), ValueError, "two axes"),
        (lambda: dates.iso().decode([[0.5]]), TypeError, "whole numbers"),
        (lambda: dates.Vocabulary("abca"), ValueError, "each of them once"),
        (lambda: dates.Vocabulary(""), ValueError, "at least one"),
        (lambda: dates.write(DAY, "xx_YY", "long"), ValueError, "locale: needed one that Babel"),
        (lambda: dates.write(DAY, "en_US", "longest"), ValueError, "form: needed short"),
        (lambda: dates.split(share=1.0), ValueError, "between 0 and 1"),
        (lambda: dates.split(seed=-1), ValueError, "at least 0"),
        (lambda: dates.draw(held_out=4_000), ValueError, "at most 3652"),
        (lambda: dates.draw(train=0), ValueError, "at least 1"),
        (lambda: dates.draw(languages=["Klingon"]), ValueError, "English, Korean"),
        (lambda: dates.draw(languages=[]), ValueError, "English, Korean"),
    ],
)
def test_errors_say_what_was_needed(wrong, error, message):
    with pytest.raises(error, match=message):
        wrong()


def test_without_babel_the_message_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "babel.core", None)
    with pytest.raises(ImportError, match="pip install babel"):
        dates.write(DAY, "en_AU", "long")
