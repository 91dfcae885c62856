"""The analysis ``score-card`` of the benchmark ``standard``: scores by game and overall."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from econzoo.envs.core.contract.objectives import Objective
from econzoo.envs.core.contract.options import Option
from econzoo.envs.core.contract.parameters import Integer, OrNone
from econzoo.envs.core.plurals import format_count
from econzoo.envs.core.record.record import Record
from econzoo.envs.core.record.spec import identity
from econzoo.evaluate.analyses.frame import CLIPPED_COLUMN, seat_rows
from econzoo.evaluate.analyses.groups import Estimates
from econzoo.evaluate.analyses.standard.declaration import (
    MIN_SCORE,
    Entrant,
    Standard,
    StandardGame,
    designs,
    entrant,
    short_names,
    standard,
)
from econzoo.evaluate.analyses.standard.declaration import standard as declared
from econzoo.evaluate.run.design import Design
from econzoo.evaluate.run.folder import read_folder
from econzoo.evaluate.run.records import Records
from econzoo.evaluate.show.page import Page
from econzoo.evaluate.show.parts import (
    COUNT,
    MONEY,
    READER_PLACES,
    SHARE,
    TEXT,
    WARNING,
    Column,
    Part,
    Table,
    Text,
    file_table,
)
from econzoo.evaluate.stats.columns import Columns
from econzoo.evaluate.stats.estimates import estimate, mean_over_groups
from econzoo.evaluate.stats.intervals import IdenticalClusters, Interval

MEASURES = ("score", "self_gain", "efficiency", "fairness", "error_rate", "forfeit", CLIPPED_COLUMN, "tokens", "cost")
"""Columns of a card: means over matches, except ``error_rate``, which is over answers."""

AMOUNTS = ("score", "self_gain", "efficiency", "fairness", "tokens", "cost")
"""Measures that are not proportions, even if all values are 0 or 1."""

GOALS = {name: Objective(name) for name in ("self_gain", "efficiency", "fairness")}


class Card(NamedTuple):
    """The score card of one player.

    Attributes:
        player: Display name.
        games: Game to estimates of `MEASURES`.
        overall: Means over all games; None unless the player plays all games in all seats.
        matches: Number of finished matches.
        planned_matches: Number of matches of the card.
    """

    player: str
    games: dict[str, Estimates]
    overall: Estimates | None
    matches: int
    planned_matches: int


def score_cards(folder: str | Path, entrants: Sequence[Entrant], seeds: int | None = None) -> list[Card]:
    """Return the cards of players, in order.

    Args:
        folder: Folder with one folder per game.
        entrants: Scored players.
        seeds: See `econzoo.evaluate.analyses.standard.declaration.designs`.
    """
    named = short_names(entrants)
    return [_card(Path(folder), one, named[one.text], seeds) for one in entrants]


def _card(folder: Path, one: Entrant, name: str, seeds: int | None) -> Card:
    known, planned = standard(), designs([one], seeds)
    table = Columns.of_rows(_scored_rows(known, planned, folder, one))
    count = sum(map(len, planned.values()))
    if not len(table):
        return Card(name, {}, None, 0, count)
    found = estimate(table, ["game"], MEASURES, over="settings", signed=AMOUNTS)
    games = {game: _round_estimates(estimates) for game, estimates in found.items()}
    complete = one.plays_all and set(games) == set(known.games)
    overall = _round_estimates(mean_over_groups(table, "game", MEASURES, AMOUNTS)) if complete else None
    return Card(name, games, overall, len(set(table["match"])), count)


def _scored_rows(known: Standard, planned: Mapping[str, Design], folder: Path, one: Entrant) -> list[dict[str, Any]]:
    """One row per scored match, with the score of its setting, computed from the mean gain there."""
    rows: list[dict[str, Any]] = []
    for game, design in planned.items():
        settings: dict[str, list[dict[str, Any]]] = {}
        for row in _rows(folder / game, design, one, known):
            settings.setdefault(row["market"].removeprefix(f"{game}/"), []).append(row)
        for setting, own in settings.items():
            score = known.games[game].score(sum(row["self_gain"] for row in own) / len(own), setting)
            rows += [{**row, "score": score} for row in own]
    return rows


def _round_estimates(found: Estimates) -> Estimates:
    """Round away floating-point noise: the random player's score is 0 by definition.

    Values that are identical in all settings have no interval.
    """
    rounded = {name: [round(part, 7) + 0.0 for part in one[:3]] for name, one in found.items()}
    ends = {name: (math.nan, math.nan) if low == high else (low, high) for name, (_, low, high) in rounded.items()}
    ends["score"] = (max(ends["score"][0], MIN_SCORE), ends["score"][1])
    kinds = {name: IdenticalClusters if low == high else type(found[name]) for name, (_, low, high) in rounded.items()}
    return {name: kinds[name](rounded[name][0], *ends[name], found[name].rows) for name in found}


def _rows(folder: Path, design: Design, one: Entrant, known: Standard) -> Iterator[dict[str, Any]]:
    """One row per scored seat and match."""
    game, ids = known.games[design.game], {id for _, id in design.matches_with_ids()}
    scored = {_lineup_identity(lineup): seats for lineup, seats in one.seats(game).items()}
    with suppress(FileNotFoundError):  # no matches yet
        for record in read_folder(folder)[0]:
            if record.id in ids:
                yield from _scored_seats(record, design, game, scored[_lineup_identity(record.players)])


def _lineup_identity(players: Sequence[str]) -> tuple[str, ...]:
    return tuple(map(identity, players))


def _scored_seats(record: Record, design: Design, game: StandardGame, seats: set[int]) -> Iterator[dict[str, Any]]:
    setting = str(design.setting_name(record.params))
    rows = seat_rows(record, f"{game.name}/{setting}", GOALS, clipped=True)
    yield from (rows[seat] for seat in sorted(seats))


def card_table(cards: Sequence[Card]) -> Table:
    """Return cards for files: one row per player, game (``all``: over all games) and measure."""
    known = standard()
    heads = ("benchmark", "hash", "player", "game", "measure", *Interval._fields)
    rows = [
        (known.name, known.hash, card.player, game, measure, *interval)
        for card in cards
        for game, found in card_rows(card)
        for measure, interval in found.items()
    ]
    return file_table("score_cards", heads, rows)


def card_rows(card: Card) -> list[tuple[str, Estimates]]:
    """Return the rows of a card: overall, then by game."""
    return [*([("all", card.overall)] if card.overall else []), *card.games.items()]


def legal_share(found: Estimates) -> Interval:
    """Return the share of legal answers."""
    errors = found["error_rate"]
    return Interval(1 - errors.mean, 1 - errors.high, 1 - errors.low, errors.rows)


COLUMNS = (
    Column("score", show_interval=True),
    Column("self_gain", "gain"),
    Column("efficiency"),
    Column("fairness"),
    Column("legal", kind=SHARE),
)
OPTIONAL_COLUMNS = (
    Column("forfeit", "forfeits", SHARE),
    Column(CLIPPED_COLUMN, kind=SHARE),
    Column("tokens", kind=COUNT),
    Column("cost", kind=MONEY),
)
"""Columns shown if any value is not 0."""

LEGEND = (
    "Score: (gain - random) / (reference - random) per setting, at least "
    f"{MIN_SCORE:.0f}, averaged over settings and games; 0 is the random player, 1 the reference scripts. Clipped: "
    "matches with a gain outside the counted range. Gain: self-gain on each game's own scale. Legal: share of legal "
    "answers. Tokens, cost: per match. Intervals are over settings, as a sample of similar ones."
)


def score_card(
    records: Records,
    *,
    players: Annotated[list[str], Option(meaning="Scored players, under their names in the run.")] = [],  # noqa: B006
    seeds: Annotated[int | None, Option(OrNone(Integer(1)), "Number of seeds played, if fewer than all.")] = None,
) -> Page:
    """Return the score card of every player, with the line to cite.

    Args:
        records: Records, one folder per game of the benchmark.
        players: See `econzoo.evaluate.analyses.standard.declaration.entrant`.
        seeds: See `econzoo.evaluate.analyses.standard.declaration.designs`.

    Raises:
        ValueError: A player is unknown, or none is given.
    """
    if not players:
        raise ValueError("missing players: pass --players SPEC for each player to score")
    cards, known = score_cards(records.folder, [entrant(text) for text in dict.fromkeys(players)], seeds), declared()
    optional = [one for one in OPTIONAL_COLUMNS if any(f[one.key].mean for card in cards for f in card.games.values())]
    columns = [*COLUMNS, *optional]
    ranked = sorted(cards, key=lambda card: -card.overall["score"].mean if card.overall else math.inf)
    overall = [[one.player, *_cells(one.overall, columns), f"{len(one.games)}/{len(known.games)}"] for one in ranked]
    heads, title = [Column("player", kind=TEXT), *columns, Column("games")], f"{known.name}: mean over all games"
    parts: list[Part] = [card_table(cards), Table("overall", title, heads, overall, LEGEND, places=READER_PLACES)]
    for card in ranked:
        rows = [[game, *_cells(found, columns)] for game, found in card.games.items()]
        title = f"{card.player}: {card.matches:,} of {card.planned_matches:,} matches"
        parts.append(
            Table(f"games of {card.player}", title, [Column("game", kind=TEXT), *columns], rows, places=READER_PLACES)
        )
    incomplete = [card.player for card in ranked if card.matches < card.planned_matches]
    warning = f"Incomplete, not citable yet: {', '.join(incomplete)}"
    parts.append(Text(warning, WARNING) if incomplete else Text(f"To cite: {known.citation(seeds or known.seeds)}"))
    return Page("score-card", known.name, parts, [format_count(len(cards), "player")], records.unreadable)


def _cells(found: Estimates | None, columns: Sequence[Column]) -> list[Interval | None]:
    given = {} if found is None else {**found, "legal": legal_share(found)}
    return [given.get(one.key) for one in columns]
