"""Sanitizing and shortening of untrusted texts for terminals, pages, figures and LaTeX."""

from __future__ import annotations

import json
from typing import Any

from econzoo.envs.core.contract import clean

MAX_SHOWN_LENGTH = 6000
"""Maximum displayed length of a prompt or reply, in characters."""


def sanitize_text(text: str) -> str:
    """Remove control and bidirectional characters, and truncate to `MAX_SHOWN_LENGTH`."""
    cut = (
        text
        if len(text) <= MAX_SHOWN_LENGTH
        else f"{text[:MAX_SHOWN_LENGTH]} … ({len(text) - MAX_SHOWN_LENGTH:,} more characters)"
    )
    return clean(cut.replace("\r", ""))


def shorten_middle(text: str, length: int) -> str:
    """Cut whole lines from the middle of a text to a length without the note on how much is missing."""
    if len(text) <= length:
        return text
    half = length // 2
    first = text[:half].rpartition("\n")[0] or text[:half]
    last = text[len(text) - half :]
    last = last.partition("\n")[2] or last
    missing = len(text) - len(first) - len(last)
    return f"{first}\n\n[... {missing:,} characters in the middle are left out ...]\n\n{last}"


def reply_text(reply: Any) -> str:
    """A recorded reply as text, or as JSON if structured."""
    return reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False)


_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "[": "{[}",  # after a line break, LaTeX reads a bracket as an argument
    "]": "{]}",
    '"': r"\textquotedbl{}",
    "\u2713": r"$\surd$",
    "\u2717": r"$\times$",
    **{one: "\\" + one for one in "&%$#_{}"},
}


def escape_latex(text: str) -> str:
    return "".join(_SPECIAL.get(one, one) for one in sanitize_text(text).replace("\n", " "))
