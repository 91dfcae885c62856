"""Thoughts that models write between tags before they answer: where they end, and whether they do."""

from __future__ import annotations

OPENINGS = ("<think", "<thought", "<reasoning", "[think]")
"""Tags that open a thought, or how they begin, in small letters."""

ENDS = ("</think>", "</thinking>", "</thought>", "</thoughts>", "</reasoning>", "[/think]")
"""Tags that end a thought, in small letters, whichever tag has opened it."""


def after_thought(reply: str) -> str:
    """What stands after the last end of a thought; the whole reply if there is none."""
    small = _in_small_letters(reply)
    return reply[max([at + len(tag) for tag in ENDS if (at := small.rfind(tag)) >= 0], default=0) :]


def is_thinking(text: str) -> bool:
    """Whether a thought is opened in a text."""
    small = _in_small_letters(text)
    return any(tag in small for tag in OPENINGS)


def has_tags(text: str) -> bool:
    """Whether a text that is quoted in a reply could be read as one that opens or ends a thought."""
    return is_thinking(text) or after_thought(text) != text


def _in_small_letters(text: str) -> str:
    """The text in small letters, each in the place of its capital."""
    if "<" not in text and "[" not in text:
        return ""  # no tag can stand there
    return text.replace("\u0130", "i").lower()  # the only letter that becomes two
