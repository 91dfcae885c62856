"""Words that scripted buyers took by their keywords: what came of them stands apart, because much goes unread."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from econzoo.baselines.persuasion.signals import NOTHING, heard, needs_reader
from econzoo.baselines.reader_option import reads_keywords  # players are loaded where there are such words only
from econzoo.envs.core.plurals import many
from econzoo.envs.core.record.record import Record

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


def heard_by_keywords(records: Sequence[Record]) -> tuple[list[str], Keywords | None]:
    """Ids of the matches in which scripted buyers may take words by keywords, and what they took.

    Matches of scripted sellers are among them too, so that all sellers are compared in the same matches. There are none
    if all that was said is known exactly.
    """
    found = [one for one in records if _goes_by_keywords(one)]
    said = [(turn.action or {}).get("message", "") for one in found for turn in one.turns]
    signals = Counter(heard(words) for words in said if isinstance(words, str) and needs_reader(words))
    if not signals:
        return [], None
    return [one.id for one in found], Keywords(len(found), signals.total(), signals[NOTHING])


def _goes_by_keywords(record: Record) -> bool:
    """Whether words may be said to a scripted buyer who goes by keywords."""
    if record.params.get("message_type") != "text" or record.source is not None:
        return False
    return any(reads_keywords(player, record.game) for player in record.players)
