"""Numbers as they are typed into forms, none of which is taken for another one."""

from __future__ import annotations

import pytest

pytest.importorskip("starlette", reason="the web table needs the extra web")

from econzoo.people.server.form_numbers import number, whole
from econzoo.people.texts import texts_of


@pytest.mark.parametrize(("typed", "read"), [("7", 7), (" 07 ", 7), ("0000000000010", 10), ("20", 20)])
def test_a_whole_number(typed, read):
    assert whole(typed, 1, 20) == read


@pytest.mark.parametrize(
    "typed", ["", "0", "21", "-7", "1.0", "1e1", "²", "x", "1_0", "0000000000000000010", "9" * 5000]
)
def test_what_is_none_within_the_bounds(typed):
    assert whole(typed, 1, 20) is None


@pytest.mark.parametrize(
    ("lang", "typed", "read"),
    [
        ("en", "1,000", 1000.0),
        ("en", "1,234,567.5", 1234567.5),
        ("en", "1.5", 1.5),
        ("en", "-3", -3.0),
        ("en", "1,5", None),
        ("en", "1,0000", None),
        ("de", "1,5", 1.5),
        ("de", "1.000", 1000.0),
        ("de", "1.5", None),
        *[
            ("en", typed, None)
            for typed in ("", "nan", "inf", "1e5", "1_000", "$1", "1 000", "1" * 31, "\N{PILE OF POO}")
        ],
    ],
)
def test_a_number_in_the_language_of_the_pages(lang, typed, read):
    assert number(typed, texts_of(lang).signs) == read
