"""All measures of behaviour of a folder of records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from econzoo.envs.core.plurals import format_count
from econzoo.envs.core.record.record import Record
from econzoo.evaluate.analyses.behaviour.deals import agreement, anchoring, concession
from econzoo.evaluate.analyses.behaviour.exchanges import (
    GAME,
    KEYWORDS_LABEL,
    SELLER,
    Reader,
    exchange_table,
    read_keywords,
)
from econzoo.evaluate.analyses.behaviour.offers import GAMES, ending_table, offer_table
from econzoo.evaluate.analyses.behaviour.persuasion import honesty, trust
from econzoo.evaluate.analyses.behaviour.rows import Row, distinct
from econzoo.evaluate.analyses.description import PlayedGame, played_games
from econzoo.evaluate.analyses.seat_columns import PLACE_COLUMNS, places

__all__ = ["Behaviour", "measure"]

MEASURED_GAMES = (*GAMES, GAME)
"""The games that these measures are made for."""


@dataclass(frozen=True)
class Behaviour:
    """What was found.

    Attributes:
        rows: Every number.
        matches: Game to the number of its matches.
        clusters: Game to the number of its clusters of market and seed.
        excluded_matches: Matches of games that have no such measures.
        keyword_messages: Messages in words that were read by keywords, and how many of them could not be read.
        played_games: What was played, game by game.
    """

    rows: list[Row]
    matches: dict[str, int]
    clusters: dict[str, int]
    excluded_matches: int = 0
    keyword_messages: tuple[int, int] = (0, 0)
    played_games: list[PlayedGame] = field(repr=False, default_factory=list)

    @property
    def keyword_note(self) -> str:
        """What stands apart because words were read by keywords; empty: nothing."""
        messages, unread = self.keyword_messages
        if not messages:
            return ""
        share = f"{unread / messages:.0%} of {format_count(messages, 'message')} could not be read"
        advice = "so what rests on them stands apart. --reader SPEC has a language model read them."
        return f"{KEYWORDS_LABEL.capitalize()}: words were read by their keywords and {share}, {advice}"

    @property
    def games(self) -> list[str]:
        """The games that were measured."""
        return list(self.matches)

    def players(self, game: str) -> list[str]:
        """Everybody who played a game."""
        return distinct([row for row in self.rows if row.game == game], "player")


def measure(records: Sequence[Record], read: Reader = read_keywords) -> Behaviour:
    """Everything that can be measured of records of bargaining, negotiation and persuasion, in any mixture.

    Args:
        records: See `econzoo.evaluate.run.folder.read_folder`.
        read: Reads messages of persuasion (see `econzoo.evaluate.analyses.behaviour.exchanges`).

    Raises:
        ValueError: No record is of one of these games.
    """
    used = [record for record in records if record.game in MEASURED_GAMES]
    if not used:
        raise ValueError(f"there is no match of {', '.join(MEASURED_GAMES)}")
    endings = ending_table(used)
    offers, exchanges = offer_table(used), exchange_table(used, read)
    rows = [
        *anchoring(endings),
        *concession(offers, endings),
        *agreement(endings),
        *honesty(exchanges),
        *trust(exchanges),
    ]
    matches, clusters = _counts(used)
    spoken = exchanges[(exchanges["seat"] == SELLER) & exchanges["words"]]
    guessed = spoken[spoken["role"].str.endswith(KEYWORDS_LABEL)]
    unread = len(guessed), int(guessed["said"].isna().sum())
    return Behaviour(rows, matches, clusters, len(records) - len(used), unread, played_games(used))


def _counts(records: Sequence[Record]) -> tuple[dict[str, int], dict[str, int]]:
    """Matches and clusters of each game, also of matches without any move."""
    found = {game: (set[str](), set[str]()) for game in MEASURED_GAMES}
    for record in records:
        for seen, what in zip(found[record.game], PLACE_COLUMNS[:2], strict=True):
            seen.add(places(record)[0][what])
    matches, clusters = ({game: len(seen[at]) for game, seen in found.items() if seen[at]} for at in (0, 1))
    return matches, clusters
