"""Messages say what one sees: what has no width or reorders text is shown, emoji and all scripts stay."""

from __future__ import annotations

import unicodedata

from econzoo.envs.core.contract import clean
from econzoo.envs.core.contract.validation import REPLACEMENT

NOT_SEEN = [
    *"\u200b\u200e\u200f\u061c\u2028\u2029\u2060\u2061\u2064\u206a\ufeff\u00ad\u034f\u115f\u1160\u180e\u3164\uffa0\ufff9",
    *"\u202e\u2066\x1b\x00\x85\ud83d\U000e0041\U000e0001\U000e0100\U0001d173\U0001bca0",
]


def test_what_nobody_sees_is_shown() -> None:
    for sign in NOT_SEEN:
        assert clean(f"pay{sign}5") == f"pay{REPLACEMENT}5", sign
        assert clean(sign) == REPLACEMENT, sign
        assert clean(f"\u4f60{sign}") == f"\u4f60{REPLACEMENT}", sign


def test_emoji_and_scripts_stay() -> None:
    for text in [
        "\U0001f469\u200d\U0001f9b0",  # woman, red hair
        "\u2764\ufe0f\u200d\U0001f525",  # heart on fire
        "\U0001f3f3\ufe0f\u200d\U0001f308",  # rainbow flag
        "1\ufe0f\u20e3",  # keycap
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",  # Persian, with a non-joiner
        "\u0915\u094d\u200d\u0937",  # Hindi, with a joiner
        "\u05e9\u05dc\u05d5\u05dd",
        "caf\u00e9\u0301\tand\nso on",
    ]:
        assert clean(text) == text, text


def test_no_run_of_joiners_and_selectors_is_hidden_in_a_message() -> None:
    assert clean("a\u200c\u200db") == f"a{REPLACEMENT * 2}b"
    assert clean("\u00e9\u200c\u200d\u200cb") == f"\u00e9\u200c{REPLACEMENT * 2}b"
    assert clean("a\ufe01b\ufe0f\ufe00") == f"a{REPLACEMENT}b{REPLACEMENT * 2}"


def test_every_format_character_of_unicode_is_shown_or_joins() -> None:
    kept = {chr(code) for code in range(0x110000) if unicodedata.category(chr(code)) in ("Cf", "Zl", "Zp", "Cc", "Cs")}
    marks = {sign for sign in kept if clean(f"\u4f60{sign}\u4f60") == f"\u4f60{sign}\u4f60"}
    seen = {sign for sign in marks if unicodedata.bidirectional(sign) in ("AN", "AL", "L")}
    assert marks - seen == {"\t", "\n", "\u200c", "\u200d"}


def test_what_is_clean_stays_as_it_is() -> None:
    for sign in NOT_SEEN:
        once = clean(f"a\u200d{sign}\u200d{sign}\ufe0f")
        assert clean(once) == once
