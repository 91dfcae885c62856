"""Words that scripted buyers took by their keywords: what came of them stands apart, because much goes unread."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from econzoo.baselines.factory import scripted, scripted_name
from econzoo.baselines.persuasion.signals import NOTHING, heard, needs_reader
from econzoo.baselines.reader_option import reads_keywords  # players are loaded where there are such words only
from econzoo.envs.core.plurals import many

BY_KEYWORDS = "words by keywords"
"""What is said of a table of such matches."""


class Keywords(NamedTuple):
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
            f"In {many(self.matches, 'match')} scripted buyers take words by keywords, which could not read "
            f"{self.unread / self.messages:.0%} of {many(self.messages, 'message')}: these stand apart. "
            "--reader SPEC has a language model read them."
        )


def go_by_keywords(given: Mapping[str, Any]) -> bool:
    """Whether in a match, by the dictionary of its record, words may be said to a scripted buyer who goes by keywords.

    Those of scripted sellers count too, so that all sellers are compared in the same matches.
    """
    if given["params"].get("message_type") != "text" or given.get("source") is not None:
        return False

    return any(reads_keywords(player, given["game"]) for player in given["players"])


def all_scripted(given: Mapping[str, Any]) -> bool:
    """Whether every player is a scripted one, whose sentences are known."""
    known = scripted(given["game"])
    return all(scripted_name(player) in known for player in given["players"])


def counted(found: Iterable[Mapping[str, Any]]) -> Keywords | None:
    """What was taken by keywords; None if all that was said is known exactly.

    Args:
        found: Matches of `go_by_keywords`; turns may be missing where all players are scripted.
    """
    matches, signals = 0, Counter[Any]()
    for given in found:
        matches += 1
        said = [(turn["action"] or {}).get("message", "") for turn in given.get("turns", ())]
        signals.update(heard(words) for words in said if isinstance(words, str) and needs_reader(words))
    return Keywords(matches, signals.total(), signals[NOTHING]) if signals else None
