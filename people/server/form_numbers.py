"""Numbers as people type them into the operator's and the participants' forms."""

from __future__ import annotations

import re

LONGEST = 15
"""Digits of a whole number at most."""


def whole(typed: str, least: int, most: int) -> int | None:
    """A whole number from `least` to `most`, both from 0 up; None: it is none."""
    typed = typed.strip()
    if not typed.isdecimal() or len(typed) > LONGEST:
        return None
    return value if least <= (value := int(typed)) <= most else None


def number(typed: str, signs: tuple[str, str]) -> float | None:
    """A number with signs of thousands and of decimals, the former only where they belong; None: it is none."""
    thousands, decimal = signs
    grouped = rf"-?(?:\d{{1,3}}(?:{re.escape(thousands)}\d{{3}})+|\d+)(?:{re.escape(decimal)}\d+)?"
    typed = typed.strip()
    if len(typed) > 2 * LONGEST or not re.fullmatch(grouped, typed):
        return None
    return float(typed.replace(thousands, "").replace(decimal, "."))
