"""Messages that scripted buyers read by keywords; reported separately, because many are not understood."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from econzoo.baselines import reads_keywords, scripted_name, scripted_players
from econzoo.baselines.persuasion.signals import NOTHING, detect_signal, needs_reader
from econzoo.envs.core import format_count

BY_KEYWORDS = "words by keywords"
"""Label of tables of such matches."""


class KeywordCounts(NamedTuple):
    """Messages that scripted buyers read by keywords.

    Attributes:
        messages: Number of free-text messages; sentences of scripted sellers are known exactly.
        unread: Number of these without a keyword.
    """

    matches: int
    messages: int
    unread: int

    def __str__(self) -> str:
        return (
            f"In {format_count(self.matches, 'match')} scripted buyers read messages by keywords, which did not "
            f"interpret {self.unread / self.messages:.0%} of {format_count(self.messages, 'message')}; these matches "
            "are reported separately. With --reader SPEC a language model reads the messages."
        )


def uses_keywords(given: Mapping[str, Any]) -> bool:
    """Whether a scripted buyer of a match, given as the dictionary of its record, may read messages by keywords.

    Matches of scripted sellers count too, so that all sellers are compared in the same matches.
    """
    if given["params"].get("message_type") != "text" or given.get("source") is not None:
        return False

    return any(reads_keywords(player, given["game"]) for player in given["players"])


def is_all_scripted(given: Mapping[str, Any]) -> bool:
    """Whether all players are scripts, whose sentences are known."""
    known = scripted_players(given["game"])
    return all(scripted_name(player) in known for player in given["players"])


def count_keywords(found: Iterable[Mapping[str, Any]]) -> KeywordCounts | None:
    """Count the messages read by keywords; None if all messages are known exactly.

    Args:
        found: Matches of `uses_keywords`; turns may be missing where all players are scripts.
    """
    matches, signals = 0, Counter[Any]()
    for given in found:
        matches += 1
        messages = [(turn["action"] or {}).get("message", "") for turn in given.get("turns", ())]
        signals.update(detect_signal(text) for text in messages if isinstance(text, str) and needs_reader(text))
    return KeywordCounts(matches, signals.total(), signals[NOTHING]) if signals else None
