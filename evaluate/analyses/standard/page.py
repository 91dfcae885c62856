"""The analysis ``score-card`` of the benchmark ``standard``: scores by game and overall."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from econzoo.envs.core import format_count
from econzoo.envs.core.contract import Integer, Objective, Option, OrNone
from econzoo.envs.core.record import Record, identity
from econzoo.evaluate.analyses import CLIPPED_COLUMN, Estimates, seat_rows
from econzoo.evaluate.analyses.standard.declaration import MIN_SCORE, Entrant, Standard, StandardGame, designs, entrant
from econzoo.evaluate.analyses.standard.declaration import short_names, standard
from econzoo.evaluate.run import Design, Records, lost_matches, read_folder
from econzoo.evaluate.show import COUNT, MONEY, READER_PLACES, SHARE, TEXT, WARNING, Column, Page, Part, Table, Text
from econzoo.evaluate.show import file_table, replace_nan
from econzoo.evaluate.stats import BEST, MAX_MISSING, MISSING, WEIGHT, WORST, Columns, IdenticalClusters, Interval
from econzoo.evaluate.stats import cases_of, estimate, mean_over_groups

DEFAULTED = "defaulted"
"""Column: whether the player is among `Record.defaulting_seats`."""

MEASURES = (
    *("score", "self_gain", "efficiency", "fairness", "error_rate", DEFAULTED, "forfeit"),
    *(CLIPPED_COLUMN, "tokens", "cost"),
)
"""Columns of a card: means over matches, except ``error_rate``, which is over answers."""

AMOUNTS = ("score", "self_gain", "efficiency", "fairness", "tokens", "cost")
"""Measures that are not proportions, even if all values are 0 or 1."""

NO_ESTIMATES: Estimates = dict.fromkeys(MEASURES, Interval(math.nan, math.nan, math.nan, 0))

GOALS = {name: Objective(name) for name in ("self_gain", "efficiency", "fairness")}


class Card(NamedTuple):
    """The score card of one player.

    Attributes:
        games: Game to estimates of `MEASURES`, and of `WORST` and `BEST` if more than `MAX_MISSING` of the matches of a
            game failed.
        overall: Means over all games; None unless the player plays all games in all seats.
        matches: Number of finished matches.
        defaults: Number of finished matches in which the player defaulted.
        settings: (game, setting) to the score there, with every failed match at the least gain.
    """

    player: str
    games: dict[str, Estimates]
    overall: Estimates | None
    matches: int
    planned_matches: int
    defaults: int = 0
    failures: int = 0
    settings: Mapping[tuple[str, str], float] = {}


def score_cards(folder: str | Path, entrants: Sequence[Entrant], seeds: int | None = None) -> list[Card]:
    """Return the cards of players, in order."""
    named = short_names(entrants)
    return [_card(Path(folder), one, named[one.text], seeds) for one in entrants]


def _card(folder: Path, one: Entrant, name: str, seeds: int | None) -> Card:
    known, planned = standard(), designs([one], seeds)
    rows = list(_scored_rows(known, planned, folder, one))
    ended = [row for row in rows if not row[MISSING]]
    games, overall = _estimates(ended, known) if ended else ({}, None)
    cases = _cases(rows)
    if cases:
        games = {game: {**games.get(game, NO_ESTIMATES), **cases[game]} for game in planned if game in cases}
        overall = {**(overall or NO_ESTIMATES), **cases["all"]} if set(games) == set(known.games) else None
    matches, defaults, failures = (
        len({row["match"] for row in some})
        for some in (ended, [row for row in ended if row[DEFAULTED]], [row for row in rows if row[MISSING]])
    )
    planned_matches = sum(map(len, planned.values()))
    settings = {(row["game"], row["setting"]): row[WORST] for row in rows}
    played = overall if one.plays_all else None
    return Card(name, games, played, matches, planned_matches, defaults, failures, settings)


def _estimates(rows: Sequence[dict[str, Any]], known: Standard) -> tuple[dict[str, Estimates], Estimates | None]:
    """Return the estimates by game, and over all games if there are rows of all."""
    table = Columns.of_rows(rows)
    found = estimate(table, ["game"], MEASURES, over="settings", signed=AMOUNTS)
    games = {game: _round_estimates(estimates) for game, estimates in found.items()}
    if set(games) != set(known.games):
        return games, None
    return games, _round_estimates(mean_over_groups(table, "game", MEASURES, AMOUNTS))


def _cases(rows: Sequence[dict[str, Any]]) -> dict[str, Estimates]:
    """Return `WORST` and `BEST` by game and over all games (``all``); empty if few matches failed."""
    found = cases_of(Columns.of_rows(rows), ["game"]) if rows else {}
    if all(one.missing <= MAX_MISSING for one in found.values()):
        return {}
    cases = {game: one.estimates for game, one in found.items()}
    over_all = {name: sum(one[name].mean for one in cases.values()) / len(cases) for name in (WORST, BEST)}
    return {**cases, "all": {name: Interval(mean, math.nan, math.nan, len(rows)) for name, mean in over_all.items()}}


def _scored_rows(known: Standard, planned: Mapping[str, Design], folder: Path, one: Entrant) -> list[dict[str, Any]]:
    """One row per scored match, failed ones included, with the score of its setting and the cases of that score."""
    rows: list[dict[str, Any]] = []
    for name, design in planned.items():
        game, settings = known.games[name], dict[str, list[dict[str, Any]]]()
        for row in _rows(folder / name, design, one, known):
            settings.setdefault(row["setting"].removeprefix(f"{name}/"), []).append(row)
        for setting, own in settings.items():
            # A score is one of a setting's mean gain, as its floor applies to the mean, so all rows of the setting have
            # it. The worst and the best case count failed matches at the ends of the game's range.
            gains = [game.counted_gain(row["self_gain"], row[DEFAULTED]) for row in own if not row[MISSING]]
            ends = [[*gains, *[end] * (len(own) - len(gains))] for end in game.gain_range]
            means = [sum(some) / len(some) if some else math.nan for some in (gains, *ends)]
            scores = dict(zip(("score", WORST, BEST), (game.score(mean, setting) for mean in means), strict=True))
            rows += [{**row, **scores} for row in own]
    return rows


def _round_estimates(found: Estimates) -> Estimates:
    """Round away floating-point noise: the random player's score is 0 by definition.

    Values that are identical in all settings have no interval.
    """
    # Adding 0.0 turns -0.0 into 0.0.
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
        ended, unreadable = read_folder(folder)
        for record in (*ended, *lost_matches(ended, unreadable)):
            if record.id in ids:
                yield from _scored_seats(record, design, game, scored[_lineup_identity(record.players)])


def _lineup_identity(players: Sequence[str]) -> tuple[str, ...]:
    return tuple(map(identity, players))


def _scored_seats(record: Record, design: Design, game: StandardGame, seats: set[int]) -> Iterator[dict[str, Any]]:
    setting = str(design.setting_name(record.params))
    rows = seat_rows(record, f"{game.name}/{setting}", GOALS, clipped=True)
    for seat in sorted(seats):
        yield {
            **rows[seat],
            DEFAULTED: float(seat in record.defaulting_seats),
            MISSING: float(not record.has_result),
            WEIGHT: 1.0,
        }


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
    errors = found["error_rate"]
    # The complement swaps the ends.
    return Interval(1 - errors.mean, 1 - errors.high, 1 - errors.low, errors.rows)


COLUMNS = (
    Column("score", show_interval=True),
    Column("self_gain", "gain"),
    Column("efficiency"),
    Column("fairness"),
    Column("legal", kind=SHARE),
)
OPTIONAL_COLUMNS = (
    Column(
        DEFAULTED,
        kind=SHARE,
        meaning="Defaulted: matches that the player forfeited or left, or in which a default action replaced its "
        "answer; for the score they count as the least gain of the game",
    ),
    Column("forfeit", "forfeits", SHARE),
    Column(CLIPPED_COLUMN, kind=SHARE),
    Column(
        WORST, meaning="Worst case, best case: the score with every failed match at the least, at the greatest gain"
    ),
    Column(BEST),
    Column("tokens", kind=COUNT),
    Column("cost", kind=MONEY),
)
"""Columns shown if any value is not 0."""

LEGEND = (
    "Score: (gain - random) / (reference - random) per setting, at least "
    f"{MIN_SCORE:.0f}, averaged over settings and games; 0 is the random player, 1 the reference scripts. Clipped: "
    "matches with a gain outside the counted range. Gain: recorded self-gain on each game's own scale. Legal: share of "
    "legal answers. Tokens, cost: per match. Intervals are over settings, as a sample of similar ones."
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
    cards, known = score_cards(records.folder, [entrant(text) for text in dict.fromkeys(players)], seeds), standard()
    shown = {
        name for card in cards for found in card.games.values() for name in found if replace_nan(found[name].mean, 0.0)
    }
    optional = [one for one in OPTIONAL_COLUMNS if one.key in shown]
    columns = [*COLUMNS, *optional]
    ranked = sorted(
        cards, key=lambda card: -replace_nan(card.overall["score"].mean, -math.inf) if card.overall else math.inf
    )
    overall = [[one.player, *_cells(one.overall, columns), f"{len(one.games)}/{len(known.games)}"] for one in ranked]
    heads, title = [Column("player", kind=TEXT), *columns, Column("games")], f"{known.name}: mean over all games"
    parts: list[Part] = [card_table(cards), Table("overall", title, heads, overall, LEGEND, places=READER_PLACES)]
    for card in ranked:
        rows = [[game, *_cells(found, columns)] for game, found in card.games.items()]
        title = f"{card.player}: {card.matches:,} of {card.planned_matches:,} matches"
        parts.append(
            Table(f"games of {card.player}", title, [Column("game", kind=TEXT), *columns], rows, places=READER_PLACES)
        )
    parts += [Text(text) for text in map(describe_defaults, ranked) if text]
    incomplete = [describe_incomplete(card) for card in ranked if card.matches < card.planned_matches]
    warning = f"Incomplete, not citable yet: {', '.join(incomplete)}"
    parts.append(Text(warning, WARNING) if incomplete else Text(f"To cite: {known.citation(seeds or known.seeds)}"))
    return Page("score-card", known.name, parts, [format_count(len(cards), "player")], records.unreadable)


def _cells(found: Estimates | None, columns: Sequence[Column]) -> list[Interval | None]:
    given = {} if found is None else {**found, "legal": legal_share(found)}
    return [given.get(one.key) for one in columns]


def describe_defaults(card: Card) -> str:
    """Return a sentence on the matches in which the player defaulted; empty if there are none."""
    if not card.defaults:
        return ""
    found = f"{card.defaults:,} of {format_count(card.matches, 'match')}"
    return f"Illegal answers: {card.player} defaulted in {found}, which count as the least gain of their game."


def describe_incomplete(card: Card) -> str:
    """Return the player with the number of its failed matches."""
    return f"{card.player} ({format_count(card.failures, 'match')} failed)" if card.failures else card.player
