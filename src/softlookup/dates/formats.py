"""Dates as people write them in five languages, and the one form all of them mean.

The patterns and the names of months and weekdays are those of the Unicode CLDR, as the package
Babel brings them. Babel is imported when a function here is called, not before.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from datetime import date, timedelta
from functools import cache
from types import ModuleType

__all__ = ["FIRST", "FORMATS", "LANGUAGES", "LAST", "characters", "days", "examples", "write"]

FIRST, LAST = date(1950, 1, 1), date(2049, 12, 31)

FORMATS: dict[str, tuple[tuple[str, str], ...]] = {
    "English": (
        ("en_US", "medium"),  # Nov 29, 2026
        ("en_US", "long"),  # November 29, 2026
        ("en_US", "full"),  # Sunday, November 29, 2026
        ("en_GB", "medium"),  # 29 Nov 2026
        ("en_GB", "long"),  # 29 November 2026
        ("en_GB", "full"),  # Sunday, 29 November 2026
    ),
    "Korean": (
        ("ko_KR", "medium"),  # 2026. 11. 29.
        ("ko_KR", "long"),  # 2026년 11월 29일
        ("ko_KR", "full"),  # 2026년 11월 29일 일요일
        ("ko_KR", "yMMMEd"),  # 2026년 11월 29일 (일)
    ),
    "German": (
        ("de_DE", "medium"),  # 29.11.2026
        ("de_DE", "long"),  # 29. November 2026
        ("de_DE", "full"),  # Sonntag, 29. November 2026
        ("de_DE", "yMMMd"),  # 29. Nov. 2026
    ),
    "French": (
        ("fr_FR", "medium"),  # 29 nov. 2026
        ("fr_FR", "long"),  # 29 novembre 2026
        ("fr_FR", "full"),  # dimanche 29 novembre 2026
        ("fr_FR", "yMMMEd"),  # dim. 29 nov. 2026
    ),
    "Japanese": (
        ("ja_JP", "medium"),  # 2026/11/29
        ("ja_JP", "long"),  # 2026年11月29日
        ("ja_JP", "full"),  # 2026年11月29日日曜日
        ("ja_JP", "yMMMEd"),  # 2026年11月29日(日)
    ),
}
"""For each language, its formats: a locale, and one of CLDR's lengths or a skeleton.

Two kinds of traps are left out on purpose, because no reader could solve them either. Years of
two digits: CLDR's short forms in American English, German and Korean say 26 and leave the century
open. And numbers alone in an order that depends on the country: 03/04/2026 is a day in March in
the United States and a day in April in France and Britain. Numbers alone stay in where the
punctuation tells the order: year first (Japanese, Korean), or with full stops and the year last
(German). CLDR is followed where people are not: it writes *1 mars*, and the French say *1er mars*.
"""

LANGUAGES = tuple(FORMATS)


def days() -> list[date]:
    """Return every calendar day from 1950 to 2049, leap days included.

    Returns
    -------
    list of datetime.date

    Examples
    --------
    >>> len(days()), date(2000, 2, 29) in days()
    (36525, True)
    """
    return [FIRST + timedelta(n) for n in range((LAST - FIRST).days + 1)]


def write(day: date, locale: str, form: str) -> str:
    """Return a day as CLDR says that people write it.

    Parameters
    ----------
    day
        The day.
    locale
        Language and country, such as ``"ko_KR"``.
    form
        ``"short"``, ``"medium"``, ``"long"`` or ``"full"``, or one of CLDR's skeletons, such as
        ``"yMMMEd"``.

    Returns
    -------
    str
        In Unicode's composed form, NFC.

    Raises
    ------
    ImportError
        If Babel is not installed, with the command that installs it.
    ValueError
        For a locale or a form that Babel does not know.

    Examples
    --------
    >>> write(date(2026, 11, 29), "ko_KR", "full")
    '2026년 11월 29일 일요일'
    >>> write(date(2026, 11, 29), "en_GB", "medium")
    '29 Nov 2026'
    """
    return _writer(locale, form)(day)


def examples(day: date = date(2026, 11, 29)) -> list[dict[str, str]]:
    """Return one day in every format, as the rows of a table.

    Parameters
    ----------
    day
        The day to write.

    Returns
    -------
    list of dict
        With ``language``, ``locale``, ``form``, ``written`` and ``iso``.

    Examples
    --------
    >>> for row in examples()[::5]:
    ...     print(row["language"], "|", row["written"], "|", row["iso"])
    English | Nov 29, 2026 | 2026-11-29
    English | Sunday, 29 November 2026 | 2026-11-29
    German | 29.11.2026 | 2026-11-29
    French | 29 novembre 2026 | 2026-11-29
    Japanese | 2026年11月29日日曜日 | 2026-11-29
    """
    return [
        {
            "language": language,
            "locale": locale,
            "form": form,
            "written": write(day, locale, form),
            "iso": day.isoformat(),
        }
        for language, forms in FORMATS.items()
        for locale, form in forms
    ]


@cache
def characters() -> str:
    """Return every character that a date in one of the formats can contain, sorted.

    Returns
    -------
    str

    Examples
    --------
    >>> {"N", "월", "曜", "é"} <= set(characters()), "-" in characters()
    (True, False)
    """
    # The first seven days of each month hold every month and every weekday.
    some = [day for day in days() if day.year == LAST.year and day.day <= 7]
    found = {
        character
        for forms in FORMATS.values()
        for locale, form in forms
        for day in some
        for character in write(day, locale, form)
    }
    return "".join(sorted(found | set("0123456789")))


@cache
def _writer(locale: str, form: str) -> Callable[[date], str]:
    """Return a function that writes days, its pattern looked up once."""
    core = _babel()
    try:
        known = core.Locale.parse(locale)
    except (ValueError, core.UnknownLocaleError) as error:
        raise ValueError(f"locale: needed one that Babel knows, got {locale!r}.") from error
    if form in known.date_formats:
        pattern = known.date_formats[form]
    elif form in known.datetime_skeletons:
        pattern = known.datetime_skeletons[form]
    else:
        raise ValueError(
            f"form: needed short, medium, long, full or one of CLDR's skeletons, got {form!r}."
        )

    def written(day: date) -> str:
        return unicodedata.normalize("NFC", pattern.apply(day, known))

    return written


def _babel() -> ModuleType:
    try:
        import babel.core  # noqa: PLC0415  loaded only on demand
    except ImportError as error:
        raise ImportError(
            "Dates as people write them come from Babel; python -m pip install babel brings it."
        ) from error
    return babel.core
