"""Score cards of the benchmark ``standard``: how well a player does in every game and over all, with 95% intervals."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from econzoo.envs.core.contract.objectives import Objective
from econzoo.envs.core.record.record import Record
from econzoo.envs.core.record.spec import identity
from econzoo.evaluate.analyses.frame import seat_rows
from econzoo.evaluate.analyses.groups import Estimates
from econzoo.evaluate.analyses.standard.declaration import (
    Entrant,
    Standard,
    StandardGame,
    designs,
    short_names,
    standard,
)
from econzoo.evaluate.run.design import Design
from econzoo.evaluate.run.folder import read_folder
from econzoo.evaluate.show.parts import COUNT, FILES, TEXT, Column, Table
from econzoo.evaluate.stats.columns import Columns
from econzoo.evaluate.stats.estimates import estimate, mean_over
from econzoo.evaluate.stats.intervals import Interval

MEASURES = ("score", "self_gain", "efficiency", "fairness", "error_rate", "forfeit", "tokens", "cost")
"""Columns of a card. All are means of matches, but for ``error_rate``, which is of answers."""

AMOUNTS = ("score", "self_gain", "efficiency", "fairness", "tokens", "cost")
"""Those that are no shares of cases, though they may all be 0 or 1."""

CLIPPED = ("efficiency", "fairness")
"""Measures that are clipped to [0, 1], as GLEE's paper does it."""

GOALS = {name: Objective(name) for name in ("self_gain", *CLIPPED)}


class Card(NamedTuple):
    """The score card of one player.

    Attributes:
        player: What it is called.
        games: Game to estimates of `MEASURES`.
        overall: The means of these over all games of the benchmark; None unless it plays all of them in all seats.
        matches: That have ended.
        planned: That belong to the card.
    """

    player: str
    games: dict[str, Estimates]
    overall: Estimates | None
    matches: int
    planned: int


def score_cards(folder: str | Path, entrants: Sequence[Entrant], seeds: int | None = None) -> list[Card]:
    """The cards of players, in their order.

    Args:
        folder: With a folder for each game.
        entrants: Who is scored.
        seeds: See `econzoo.evaluate.analyses.standard.declaration.designs`.
    """
    named = short_names(entrants)
    return [_card(Path(folder), one, named[one.text], seeds) for one in entrants]


def _card(folder: Path, one: Entrant, name: str, seeds: int | None) -> Card:
    known, planned = standard(), designs([one], seeds)
    table = Columns.of_rows(
        [row for game, design in planned.items() for row in _rows(folder / game, design, one, known)]
    )
    count = sum(map(len, planned.values()))
    if not len(table):
        return Card(name, {}, None, 0, count)
    found = estimate(table, ["game"], MEASURES, over="settings", signed=AMOUNTS)
    games = {game: _exact(estimates) for game, estimates in found.items()}
    whole = one.plays_all and set(games) == set(known.games)
    overall = _exact(mean_over(table, "game", MEASURES, AMOUNTS)) if whole else None
    return Card(name, games, overall, len(set(table["match"])), count)


def _exact(found: Estimates) -> Estimates:
    """Estimates without the noise of floating-point numbers: the random player's score is 0 by definition.

    What is the same in every setting has no interval.
    """
    rounded = {name: [round(part, 7) + 0.0 for part in one[:3]] for name, one in found.items()}
    ends = {name: (math.nan, math.nan) if low == high else (low, high) for name, (_, low, high) in rounded.items()}
    return {name: Interval(rounded[name][0], *ends[name], found[name].rows) for name in found}


def _rows(folder: Path, design: Design, one: Entrant, known: Standard) -> Iterator[dict[str, Any]]:
    """A row for every seat of every match in which the player is scored."""
    game, ids = known.games[design.game], {id for _, id in design.identified()}
    scored = {_who(lineup): seats for lineup, seats in one.seats(game).items()}
    with suppress(FileNotFoundError):  # nothing has been played
        for record in read_folder(folder)[0]:
            if record.id in ids:
                yield from _scored(record, design, game, scored[_who(record.players)])


def _who(players: Sequence[str]) -> tuple[str, ...]:
    return tuple(map(identity, players))


def _scored(record: Record, design: Design, game: StandardGame, seats: set[int]) -> Iterator[dict[str, Any]]:
    setting = str(design.market_of(record.params))
    rows = seat_rows(record, f"{game.name}/{setting}", GOALS)
    for seat in sorted(seats):
        row = rows[seat]
        clipped = {name: min(max(row[name], 0.0), 1.0) if math.isfinite(row[name]) else math.nan for name in CLIPPED}
        yield {**row, **clipped, "score": game.score(row["self_gain"], setting)}


def card_table(cards: Sequence[Card]) -> Table:
    """Cards for files: a row a player, game (``all``: over all games) and measure."""
    known = standard()
    columns = [Column(name, kind=TEXT) for name in ("benchmark", "hash", "player", "game", "measure")]
    columns += [*map(Column, ("mean", "low", "high")), Column("rows", kind=COUNT)]
    rows = [
        (known.name, known.hash, card.player, game, measure, *interval)
        for card in cards
        for game, found in every_row(card)
        for measure, interval in found.items()
    ]
    return Table("score_cards", "Score cards", columns, rows, places=(FILES,))


def every_row(card: Card) -> list[tuple[str, Estimates]]:
    """The rows of a card: over all games, then game by game."""
    return [*([("all", card.overall)] if card.overall else []), *card.games.items()]


def legal(found: Estimates) -> Interval:
    """The share of answers that were legal moves."""
    wrong = found["error_rate"]
    return Interval(1 - wrong.mean, 1 - wrong.high, 1 - wrong.low, wrong.rows)
