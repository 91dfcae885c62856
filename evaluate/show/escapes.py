"""Names and texts of others, made harmless and short for what shows them: a terminal, a page, a figure, LaTeX."""

from __future__ import annotations

import json
from typing import Any

from econzoo.envs.core.contract.validation import clean

MAX_SHOWN_LENGTH = 6000
"""Characters of a prompt or reply that are shown."""


def sanitize_text(text: str) -> str:
    """Text that cannot change what stands around it: no control and no reordering characters, not too long."""
    cut = (
        text
        if len(text) <= MAX_SHOWN_LENGTH
        else f"{text[:MAX_SHOWN_LENGTH]} … ({len(text) - MAX_SHOWN_LENGTH:,} more characters)"
    )
    return clean(cut.replace("\r", ""))


def shorten_middle(text: str, length: int) -> str:
    """The text, or its beginning and its end in whole lines around a note of what is missing.

    Args:
        text: In lines.
        length: Characters that may stay; the note comes on top.
    """
    if len(text) <= length:
        return text
    half = length // 2
    first = text[:half].rpartition("\n")[0] or text[:half]
    last = text[len(text) - half :]
    last = last.partition("\n")[2] or last
    missing = len(text) - len(first) - len(last)
    return f"{first}\n\n[... {missing:,} characters in the middle are left out ...]\n\n{last}"


def reply_text(reply: Any) -> str:
    """A reply as it stands in a record, in words or as JSON."""
    return reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False)


_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "[": "{[}",  # after a line break a bracket would be its argument
    "]": "{]}",
    '"': r"\textquotedbl{}",
    "\u2713": r"$\surd$",
    "\u2717": r"$\times$",
    **{one: "\\" + one for one in "&%$#_{}"},
}


def escape_latex(text: str) -> str:
    """Any text as LaTeX prints it."""
    return "".join(_SPECIAL.get(one, one) for one in sanitize_text(text).replace("\n", " "))
