"""All measures of behaviour of a folder of records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from econzoo.envs.core import format_count
from econzoo.envs.core.contract import check_arguments
from econzoo.envs.core.record import Record
from econzoo.evaluate.analyses import PLACE_COLUMNS, PlayedGame, places, played_games
from econzoo.evaluate.analyses.behaviour.choices import choice_table, choices, has_choices
from econzoo.evaluate.analyses.behaviour.deals import agreement, anchoring, concession
from econzoo.evaluate.analyses.behaviour.exchanges import GAME, KEYWORDS_LABEL, SELLER, Reader, exchange_table
from econzoo.evaluate.analyses.behaviour.exchanges import read_keywords
from econzoo.evaluate.analyses.behaviour.offers import GAMES, ending_table, offer_table
from econzoo.evaluate.analyses.behaviour.persuasion import honesty, trust
from econzoo.evaluate.analyses.behaviour.rows import Row, distinct

__all__ = ["Behaviour", "measure"]

MEASURED_GAMES = (*GAMES, GAME)


@dataclass(frozen=True)
class Behaviour:
    """All measures of behaviour.

    Attributes:
        rows: All estimates.
        matches: Game to its number of matches.
        clusters: Game to its number of clusters of setting and seed.
        excluded_matches: Number of matches of games without these measures.
        keyword_messages: Number of messages read by keywords, and of those that could not be read.
        played_games: Settings and players, game by game.
    """

    rows: list[Row]
    matches: dict[str, int]
    clusters: dict[str, int]
    excluded_matches: int = 0
    keyword_messages: tuple[int, int] = (0, 0)
    played_games: list[PlayedGame] = field(repr=False, default_factory=list)

    @property
    def keyword_note(self) -> str:
        """Note on messages read by keywords; empty if there are none."""
        messages, unread = self.keyword_messages
        if not messages:
            return ""
        share = f"{unread / messages:.0%} of {format_count(messages, 'message')} could not be read"
        advice = "their matches are shown separately. Use --reader SPEC to read them with a language model."
        return f"{KEYWORDS_LABEL.capitalize()}: messages were read by keywords, {share}; {advice}"

    @property
    def games(self) -> list[str]:
        """The measured games."""
        return list(self.matches)

    def players(self, game: str) -> list[str]:
        """Return the players of a game."""
        return distinct([row for row in self.rows if row.game == game], "player")


@check_arguments
def measure(records: Sequence[Record], read: Reader = read_keywords) -> Behaviour:
    """Compute all measures of records of bargaining, negotiation and persuasion, and of choices in any game.

    Args:
        records: See `econzoo.evaluate.run.folder.read_folder`.
        read: Function that reads messages of persuasion (see `econzoo.evaluate.analyses.behaviour.exchanges`).

    Raises:
        ValueError: No record is of one of these games, or has probabilities of moves.
    """
    used = [record for record in records if record.game in MEASURED_GAMES]
    chosen = [record for record in records if record.game not in MEASURED_GAMES and has_choices(record)]
    if not used and not chosen:
        raise ValueError(f"no match of {', '.join(MEASURED_GAMES)}, or with probabilities of moves (--logprobs)")
    endings = ending_table(used)
    offers, exchanges = offer_table(used), exchange_table(used, read)
    rows = [
        *anchoring(endings),
        *concession(offers, endings),
        *agreement(endings),
        *honesty(exchanges),
        *trust(exchanges),
        *choices(choice_table([*used, *chosen])),
    ]
    used += chosen
    matches, clusters = _counts(used)
    # Every round has a row for each seat; the seller's counts its message once.
    spoken = exchanges[(exchanges["seat"] == SELLER) & exchanges["words"]]
    by_keywords = spoken[spoken["role"].str.endswith(KEYWORDS_LABEL)]
    counts = len(by_keywords), int(by_keywords["said"].isna().sum())
    return Behaviour(rows, matches, clusters, len(records) - len(used), counts, played_games(used))


def _counts(records: Sequence[Record]) -> tuple[dict[str, int], dict[str, int]]:
    """Matches and clusters of each game, also of matches without any move."""
    names = dict.fromkeys([*MEASURED_GAMES, *(record.game for record in records)])
    ids = {game: (set[str](), set[str]()) for game in names}
    for record in records:
        for values, column in zip(ids[record.game], PLACE_COLUMNS[:2], strict=True):
            values.add(places(record)[0][column])
    matches, clusters = ({game: len(sets[at]) for game, sets in ids.items() if sets[at]} for at in (0, 1))
    return matches, clusters
