"""Blinding of judges: hides the identity of players in every text that a judge reads."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from econzoo.baselines import PREFIXES
from econzoo.envs.core.record import Record, split_address, split_name
from econzoo.evaluate.analyses.seat_columns import roles_of

HIDDEN_NAME = "[name]"

FAMILIES = (
    r"chat-?gpt\S*|gpt-?\d[\w.-]*|open-?ai|anthropic|claude[\w.-]*|gemini[\w.-]*|gemma[\w.-]*|deep-?mind|llama[\w.-]*"
    r"|mi[sx]tral[\w.-]*|qwen[\w.-]*|deep-?seek[\w.-]*|smol-?lm[\w.-]*|grok[\w.-]*|phi-\d[\w.-]*|hugging ?face"
)
"""Names of language models and their providers, as a regular expression."""


def telltales(record: Record) -> Iterator[str]:
    """Yield words that identify a player or the match: specs ``PREFIX:TARGET`` and their parts, ids, file names.

    Plain names of scripts (``fair``, ``random``) are excluded, as they are ordinary words and appear in nothing that
    the player reads; in imported matches they are names of models and included. Names of seats are excluded.
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
    """Yield the spec, its target (model or file) and address; nothing for plain names and canned replies."""
    name, spec = split_name(spec)
    yield name
    prefix, _, rest = spec.partition(":")
    if prefix not in PREFIXES or prefix == CANNED_PREFIX:
        return
    plain = rest.partition("?")[0]
    target, address = split_address(plain)
    yield from (spec, rest, plain, target, _last_path_part(target), address)


def _last_path_part(path: str) -> str:
    return re.split(r"[/\\]", path)[-1]


CANNED_PREFIX = "mock"
"""The prefix of specs that contain the player's replies."""


def _line_wrap_pattern(word: str) -> str:
    """A regular expression for the word, in which spaces match line breaks of wrapped text."""
    return r"\s+".join(map(re.escape, word.split()))


class Blindfold:
    """Replace telltales by `HIDDEN_NAME`.

    Args:
        words: Telltales; those of fewer than three characters are ignored, as they would hide too much.
    """

    def __init__(self, words: Iterable[str]) -> None:
        # The longest first: a shorter one that begins it would leave the rest visible.
        known = sorted({word.strip() for word in words if len(word.strip()) > 2}, key=len, reverse=True)
        either = "|".join([*map(_line_wrap_pattern, known), FAMILIES])
        self._pattern = re.compile(rf"(?<!\w)(?:{either})(?!\w)", re.IGNORECASE)

    def __call__(self, text: str) -> str:
        return self._pattern.sub(HIDDEN_NAME, text)
