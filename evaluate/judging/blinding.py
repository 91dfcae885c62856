"""What would tell a judge who played is taken out of every text that the judge reads."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from econzoo.envs.core.record import Record

HIDDEN = "[name]"

FAMILIES = (
    r"chat-?gpt\S*|gpt-?\d[\w.-]*|open-?ai|anthropic|claude[\w.-]*|gemini[\w.-]*|gemma[\w.-]*|deep-?mind|llama[\w.-]*"
    r"|mi[sx]tral[\w.-]*|qwen[\w.-]*|deep-?seek[\w.-]*|smol-?lm[\w.-]*|grok[\w.-]*|phi-\d[\w.-]*|hugging ?face"
)
"""Names that language models give themselves and their makers, as a regular expression."""


def telltales(record: Record) -> Iterator[str]:
    """Words that name a player or the match: of a spec ``PREFIX:TARGET`` the whole and its parts, ids, file names.

    Plain names of players (``fair``, ``random``) are none: they are also words of the language, and nothing that the
    player reads has them.
    """
    yield record.id
    for spec in record.players:
        rest = spec.partition(":")[2]
        if _NAME.fullmatch(spec):
            plain = rest.partition("?")[0]
            target, _, address = plain.partition("@")
            yield from (spec, rest, plain, target, re.split(r"[/\\]", target)[-1], address)
    yield from (value for value in (record.source or {}).values() if isinstance(value, str))


_NAME = re.compile(r"[a-z-]+:[^\s{}\"'|]+")
"""A spec that names a model or a file, and does not hold the very words of a canned player."""


class Blindfold:
    """Replaces telltales by `HIDDEN`.

    Args:
        words: Telltales; those of fewer than three characters would hide too much and stay.
    """

    def __init__(self, words: Iterable[str]) -> None:
        known = sorted({word for word in words if len(word) > 2}, key=len, reverse=True)
        either = "|".join([*map(re.escape, known), FAMILIES])
        self._pattern = re.compile(rf"(?<!\w)(?:{either})(?!\w)", re.IGNORECASE)

    def __call__(self, text: str) -> str:
        """The text without telltales."""
        return self._pattern.sub(HIDDEN, text)
