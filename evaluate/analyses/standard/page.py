"""The analysis ``score-card`` of the benchmark ``standard``: how well players do in every game and over all."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated

from econzoo.envs.core.contract.options import Option
from econzoo.envs.core.contract.parameters import OrNone, Whole
from econzoo.envs.core.plurals import many
from econzoo.evaluate.analyses.groups import Estimates
from econzoo.evaluate.analyses.standard.declaration import entrant
from econzoo.evaluate.analyses.standard.declaration import standard as declared
from econzoo.evaluate.analyses.standard.score_card import card_table, legal, score_cards
from econzoo.evaluate.run.records import Records
from econzoo.evaluate.show.page import Page
from econzoo.evaluate.show.parts import COUNT, MONEY, PAGE, SHARE, TERMINAL, TEXT, WARNING, Column, Part, Table, Text
from econzoo.evaluate.stats.intervals import Interval

COLUMNS = (
    Column("score", ranged=True),
    Column("self_gain", "gain"),
    Column("efficiency"),
    Column("fairness"),
    Column("legal", kind=SHARE),
)
OTHERS = (
    Column("forfeit", "forfeits", SHARE),
    Column("tokens", kind=COUNT),
    Column("cost", kind=MONEY),
)
"""Columns that are shown where anybody has some."""

LEGEND = (
    "Score: gain as a part of the way from the random player (0) to the reference scripts (1), the mean over games. "
    "Gain: self-gain on each game's own scale. Legal: answers that were legal moves. Tokens, cost: of a match. "
    "Intervals are over settings: each is a draw from others like it."
)


def score_card(
    records: Records,
    *,
    players: Annotated[list[str], Option(meaning="Players that are scored, as they were named when they played.")] = [],  # noqa: B006
    seeds: Annotated[int | None, Option(OrNone(Whole(1)), "Seeds that were played, if fewer than all.")] = None,
) -> Page:
    """The score card of every player, and the line that it is cited with.

    Args:
        records: In a folder for each game of the benchmark.
        players: See `econzoo.evaluate.analyses.standard.declaration.entrant`.
        seeds: See `econzoo.evaluate.analyses.standard.declaration.designs`.

    Raises:
        ValueError: A player is unknown, or none is named.
    """
    if not players:
        raise ValueError("no player is named; allowed: --players SPEC, those that have played")
    cards, known = score_cards(records.folder, [entrant(text) for text in dict.fromkeys(players)], seeds), declared()
    some = [one for one in OTHERS if any(f[one.key].mean for card in cards for f in card.games.values())]
    columns = [*COLUMNS, *some]
    ranked = sorted(cards, key=lambda card: -card.overall["score"].mean if card.overall else math.inf)
    whole = [[one.player, *_cells(one.overall, columns), f"{len(one.games)}/{len(known.games)}"] for one in ranked]
    heads, title = [Column("player", kind=TEXT), *columns, Column("games")], f"{known.name}: the means over all games"
    parts: list[Part] = [card_table(cards), Table("overall", title, heads, whole, LEGEND, places=SHOWN)]
    for card in ranked:
        rows = [[game, *_cells(found, columns)] for game, found in card.games.items()]
        title = f"{card.player}: {card.matches:,} of {card.planned:,} matches"
        parts.append(Table(f"games of {card.player}", title, [Column("game", kind=TEXT), *columns], rows, places=SHOWN))
    behind = [card.player for card in ranked if card.matches < card.planned]
    early = f"Not all matches have ended, so it is too early to cite: {', '.join(behind)}"
    parts.append(Text(early, WARNING) if behind else Text(f"To cite: {known.citation(seeds or known.seeds)}"))
    return Page("score-card", known.name, parts, [many(len(cards), "player")], records.unreadable)


SHOWN = (TERMINAL, PAGE)


def _cells(found: Estimates | None, columns: Sequence[Column]) -> list[Interval | None]:
    given = {} if found is None else {**found, "legal": legal(found)}
    return [given.get(one.key) for one in columns]
