"""What would tell a judge who played is taken out of every text that the judge reads."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from econzoo.baselines.factory import PREFIXES
from econzoo.envs.core.record.record import Record
from econzoo.envs.core.record.spec import split_name
from econzoo.evaluate.analyses.seat_columns import roles_of

HIDDEN_NAME = "[name]"

FAMILIES = (
    r"chat-?gpt\S*|gpt-?\d[\w.-]*|open-?ai|anthropic|claude[\w.-]*|gemini[\w.-]*|gemma[\w.-]*|deep-?mind|llama[\w.-]*"
    r"|mi[sx]tral[\w.-]*|qwen[\w.-]*|deep-?seek[\w.-]*|smol-?lm[\w.-]*|grok[\w.-]*|phi-\d[\w.-]*|hugging ?face"
)
"""Names that language models give themselves and their makers, as a regular expression."""


def telltales(record: Record) -> Iterator[str]:
    """Words that name a player or the match: of a spec ``PREFIX:TARGET`` the whole and its parts, ids, file names.

    Plain names of players (``fair``, ``random``) are none: they are also words of the language, and nothing that the
    player reads has them. In a match that was played elsewhere they are names of models. Names of seats are none.
    """
    roles = {role.casefold() for role in roles_of(record)}
    yield from (word for word in _words(record) if word.strip().casefold() not in roles)


def _words(record: Record) -> Iterator[str]:
    yield record.id
    for spec in record.players:
        yield from _parts(spec.strip())
    if record.source is not None:
        yield from (word for name in record.players for word in (name, _last_path_part(name)))
        yield from (value for value in record.source.values() if isinstance(value, str))


def _parts(spec: str) -> Iterator[str]:
    """The spec, what it names (a model, a file) and where that is; nothing of a plain name or of canned replies."""
    name, spec = split_name(spec)
    yield name
    prefix, _, rest = spec.partition(":")
    if prefix not in PREFIXES or prefix == CANNED_PREFIX:
        return
    plain = rest.partition("?")[0]
    target, _, address = plain.rpartition("@") if "@" in plain else (plain, "", "")
    yield from (spec, rest, plain, target, _last_path_part(target), address)


def _last_path_part(path: str) -> str:
    return re.split(r"[/\\]", path)[-1]


CANNED_PREFIX = "mock"
"""The prefix of specs that hold the very words that the player says."""


def _line_wrap_pattern(word: str) -> str:
    """The word as a regular expression; its blanks may be line breaks, as texts are wrapped."""
    return r"\s+".join(map(re.escape, word.split()))


class Blindfold:
    """Replaces telltales by `HIDDEN`.

    Args:
        words: Telltales; those of fewer than three characters would hide too much and stay.
    """

    def __init__(self, words: Iterable[str]) -> None:
        known = sorted({word.strip() for word in words if len(word.strip()) > 2}, key=len, reverse=True)
        either = "|".join([*map(_line_wrap_pattern, known), FAMILIES])
        self._pattern = re.compile(rf"(?<!\w)(?:{either})(?!\w)", re.IGNORECASE)

    def __call__(self, text: str) -> str:
        """The text without telltales."""
        return self._pattern.sub(HIDDEN_NAME, text)
