"""Words that scripted buyers took by their keywords: what came of them stands apart, because much goes unread."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from econzoo.baselines.factory import scripted_name, scripted_players
from econzoo.baselines.persuasion.signals import NOTHING, detect_signal, needs_reader
from econzoo.baselines.reader_option import reads_keywords  # players are loaded where there are such words only
from econzoo.envs.core.plurals import format_count

BY_KEYWORDS = "words by keywords"
"""What is said of a table of such matches."""


class KeywordCounts(NamedTuple):
    """What scripted buyers took by keywords.

    Attributes:
        matches: In which they go by keywords.
        messages: In words of a seller's own; the sentences of scripted sellers are known exactly.
        unread: Those among them in which no keyword told anything.
    """

    matches: int
    messages: int
    unread: int

    def __str__(self) -> str:
        return (
            f"In {format_count(self.matches, 'match')} scripted buyers take words by keywords, which could not read "
            f"{self.unread / self.messages:.0%} of {format_count(self.messages, 'message')}: these stand apart. "
            "--reader SPEC has a language model read them."
        )


def uses_keywords(given: Mapping[str, Any]) -> bool:
    """Whether in a match, by the dictionary of its record, words may be said to a scripted buyer who goes by keywords.

    Those of scripted sellers count too, so that all sellers are compared in the same matches.
    """
    if given["params"].get("message_type") != "text" or given.get("source") is not None:
        return False

    return any(reads_keywords(player, given["game"]) for player in given["players"])


def is_all_scripted(given: Mapping[str, Any]) -> bool:
    """Whether every player is a scripted one, whose sentences are known."""
    known = scripted_players(given["game"])
    return all(scripted_name(player) in known for player in given["players"])


def count_keywords(found: Iterable[Mapping[str, Any]]) -> KeywordCounts | None:
    """What was taken by keywords; None if all that was said is known exactly.

    Args:
        found: Matches of `uses_keywords`; turns may be missing where all players are scripted.
    """
    matches, signals = 0, Counter[Any]()
    for given in found:
        matches += 1
        said = [(turn["action"] or {}).get("message", "") for turn in given.get("turns", ())]
        signals.update(detect_signal(words) for words in said if isinstance(words, str) and needs_reader(words))
    return KeywordCounts(matches, signals.total(), signals[NOTHING]) if signals else None
