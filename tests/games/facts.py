"""What a text tells whatever its words: numbers, players, C and D, high and low, gains and losses, and quotations."""

from __future__ import annotations

import re

FACT = re.compile(
    r'"(?:\\.|[^"\\])*"|(?<![\w.])[-+]?\$?\d+(?:,\d{3})*(?:\.\d+)?%?(?!\w)'
    r"|\b(?:C|D|high|low)\b|\b(?:gain|gained|lose|lost)(?= \$)"
    r"|\b(?:Alice|Bob|Ann|Ben|Cleo|Dan|Ada|Cy|Alex|Cindy|David|Eric|(?:Buyer|Seller)(?: \d+(?![\d.]))?)\b"
)


def facts(text: str) -> str:
    """The facts of a text in their order."""
    return " ".join(FACT.findall(text))


def tells(text: str, told: str) -> None:
    """Holds a text to telling these facts one after the other."""
    assert f" {told} " in f" {facts(text)} ", f"{told!r} not told in: {text}"
