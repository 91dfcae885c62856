"""Formatting of counts with nouns."""

from __future__ import annotations


def format_count(count: int, noun: str) -> str:
    """Format ``1 match``, ``2,700 matches``."""
    return f"{count:,} {noun if count == 1 else plural(noun)}"


def format_times(count: int) -> str:
    """Format ``once``, ``3 times``."""
    return "once" if count == 1 else f"{count:,} times"


def plural(noun: str) -> str:
    """Return the plural: ``matches``, ``deals``, ``rounds of talk``."""
    first, of, rest = noun.partition(" of ")
    return first + ("es" if first.endswith(("ch", "s")) else "s") + of + rest
