"""The summary of several games: players by games, failures and costs."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from econzoo.envs.core import format_count
from econzoo.envs.core.contract import SELF_GAIN
from econzoo.envs.core.record import Record, labels
from econzoo.evaluate.analyses import CUT_MATCH, FORFEITED, INVALID, LEFT_MATCH, REPLIES, Estimates, describe
from econzoo.evaluate.analyses import played_games, served_notes, split_by_result
from econzoo.evaluate.analyses.summary.grids import MARK_NOTE, mark
from econzoo.evaluate.analyses.summary.match_pages import block, match_pages, new_listing, select_pages
from econzoo.evaluate.analyses.summary.summary import Summary, summarize
from econzoo.evaluate.analyses.summary.tables import NOT_ESTABLISHED, ranking_columns
from econzoo.evaluate.run import Cost, FailedMatch, Records, costs_tables, describe_unreadable
from econzoo.evaluate.show import COUNT, FILES, HEADING, MONEY, NOTE, PAGE, PLACES, READER_PLACES, SHARE, TERMINAL, TEXT
from econzoo.evaluate.show import Cell, Column, Divider, Page, Part, Table, Text, capitalize_first, file_table
from econzoo.evaluate.show import method_section, read_template
from econzoo.evaluate.stats import Interval, values_of

MAX_GAMES = 8
"""Maximum number of game columns in a terminal."""

MAX_ROWS = 60
"""Maximum number of rows (player, game) in a terminal."""

MEASURES = ("efficiency", "fairness", "error_rate", "default_rate", "forfeit", "left", "rounds", "tokens", "cost")
"""Columns of ``games.csv`` after the objective."""

OWN_SCALE_NOTE = (
    "Games have different scales, so there is no mean over games. The 95% intervals are over settings where a game "
    "has at least six, else over seeds; cells without one give the reason."
)


class Place(NamedTuple):
    """A player in a game.

    Attributes:
        player: Label, the same in all tables of the page.
        matches: Number of its matches with a result.
        estimates: Estimates, as in the summary of that game alone.
    """

    player: str
    game: str
    matches: int
    estimates: Estimates


def several_games(records: Records, objective: str | None, transcripts: int, title: str | None, *notes: str) -> Page:
    """Return the page of several games; see `econzoo.evaluate.analyses.summary.page.summary`.

    Args:
        transcripts: Maximum number of match pages: matches with problems first.
        *notes: Further sentences of the section on methods.
    """
    own = {game: records.filter(lambda one, game=game: one.game == game) for game in records.games}  # type: ignore[misc]
    ended = {game: split_by_result(of_game)[0] for game, of_game in own.items()}
    found = {game: summarize(own[game], seconds=0.0, objective=objective) for game in own if ended[game]}
    without = [one for game, of_game in own.items() if game not in found for one in of_game]
    if not found:
        raise ValueError(f"no match of {', '.join(own)} has a result")
    # Labels over all games: within single games one player could have several labels, or two the same.
    called = labels(spec for one in found.values() for spec in _specs(one).values())
    places = [place for one in found.values() for place in _places(one, called)]
    problems = {id: kinds for one in found.values() for id, kinds in _match_problems(one)}
    problems |= {record.id: [CUT_MATCH] for record in without if record.is_truncated}
    shown = {one.id: one for one in select_pages(own, problems, transcripts) if one.game in found}
    for repeat in (one for summary in found.values() for one in summary.repeats):
        shown.pop(repeat.id, None)

    def setting(record: Record) -> str:
        return found[record.game].setting(record)

    matches = new_listing([*shown.values()], setting)
    name = records.folder.resolve().name
    parts: list[Part] = [*_sentences(records, found, places, problems), *_results(found, places)]
    parts += _failures(own, problems, records)
    parts += _costs(found, called)
    if matches.records:
        parts += [Text("Matches", HEADING, places=(PAGE,)), block(matches, len(records), "summary")]
    parts += [
        *describe(played_games(records), [records.folder]),
        *method_section(OWN_SCALE_NOTE, _gains(found), *notes),
    ]
    facts = [
        format_count(len(records), "match"),
        format_count(len(own), "game"),
        format_count(len({one.player for one in places}), "player"),
    ]
    return Page(
        "summary",
        title or f"{format_count(len(own), 'game')}: {name}",
        parts,
        facts,
        records.unreadable,
        read_template("report.js") if matches.records else "",
        lambda: match_pages(matches.records, setting, "summary", [records.folder]),
    )


def _specs(summary: Summary) -> dict[str, str]:
    """Specs of the players by label, from the first matches on; at the end those of which no match has a result."""
    table, missing = summary.columns, [*summary.lost, *summary.without_result]
    specs = dict(zip(values_of(table["player"]), values_of(table["spec"]), strict=True))
    others = {label: spec for one in missing for label, spec in zip(one.labels, one.players, strict=True)}
    return specs | {label: spec for label, spec in others.items() if label not in specs}


def _places(summary: Summary, called: Mapping[str, str]) -> Iterator[Place]:
    table, specs = summary.columns, _specs(summary)
    seats = groupby(zip(values_of(table["match"]), values_of(table["player"]), strict=True), itemgetter(0))
    # A match against oneself counts once; the rows of a match are adjacent.
    matches = Counter(player for _, own in seats for player in {player for _, player in own})
    for player in summary.players:
        yield Place(called[specs[player]], summary.game, matches[player], summary.overall[player])


def _match_problems(summary: Summary) -> Iterator[tuple[str, list[str]]]:
    """Ids of matches with problems, and the kinds of problems."""
    table = summary.columns
    columns = {
        FORFEITED: "forfeit",
        LEFT_MATCH: "left",
        INVALID: "errors",
        **{kind: code for code, kind in REPLIES.items()},
    }
    found: dict[str, list[str]] = {}
    for kind, column in columns.items():
        rows = table[table[column] != 0]
        for match in dict.fromkeys(values_of(rows["match"])):
            found.setdefault(match, []).append(kind)
    yield from found.items()
    yield from ((record.id, [CUT_MATCH]) for record in summary.without_result if record.is_truncated)


def _sentences(
    records: Records, found: Mapping[str, Summary], places: Sequence[Place], problems: Mapping[str, list[str]]
) -> Iterator[Text]:
    players = len({one.player for one in places})
    yield Text(
        f"{format_count(players, 'player')} played {format_count(len(records), 'match')} of "
        f"{format_count(len(records.games), 'game')}."
    )
    counts = Counter(kind for kinds in problems.values() for kind in kinds)
    listed = ", ".join(f"{kind} {count:,}" for kind, count in counts.most_common())
    yield Text(
        f"{capitalize_first(format_count(len(problems), 'match'))} had problems: {listed}."
        if problems
        else "No match had problems."
    )
    cases = {game: one.no_result_note for game, one in found.items() if one.has_cases}
    rest = [
        one
        for one in records.unreadable
        if not (isinstance(one, FailedMatch) and one.record and one.record.game in cases)
    ]
    yield from map(
        Text, [*served_notes(records), *(f"{game}: {note}" for game, note in cases.items()), *describe_unreadable(rest)]
    )


# Results


def _results(found: Mapping[str, Summary], places: Sequence[Place]) -> Iterator[Part]:
    yield Text("Players by games", HEADING)
    ranked = {game: one.objective for game, one in found.items()}
    measures = (*MEASURES, *(one.key for one in ranking_columns("", (place.estimates for place in places))))
    rows = [
        (one.player, one.game, one.matches, ranked[one.game], *map(one.estimates.get, (ranked[one.game], *measures)))
        for one in places
    ]
    yield file_table("games", ("player", "game", "matches", "objective", "mean", *measures), rows)
    yield _player_table(found, places)
    if len(found) > MAX_GAMES:
        yield Text(f"{len(found)} games are too many for a terminal; games.csv has them.", NOTE, places=(TERMINAL,))
    by_game = _game_table(found, places)
    yield replace(by_game, places=(PAGE,))
    if len(places) <= MAX_ROWS:
        yield replace(by_game, places=(TERMINAL,))
    else:
        yield Text(f"{len(places)} rows of players by games are too many to list; games.csv has them.", NOTE)


def _measure(found: Mapping[str, Summary]) -> str:
    """What the means measure."""
    objectives = dict.fromkeys(one.objective for one in found.values())
    return " or ".join("gain" if one == SELF_GAIN else one for one in objectives)


def _player_table(found: Mapping[str, Summary], places: Sequence[Place]) -> Table:
    """One row per player, one column per game, then valid answers, forfeits and cost."""
    cells = {(one.player, one.game): one for one in places}
    where = PLACES if len(found) <= MAX_GAMES else (PAGE, FILES)
    columns = [
        Column("player", kind=TEXT),
        *(Column(game, game, show_interval=True, places=where) for game in found),
        Column("games", kind=COUNT),
        Column("matches", kind=COUNT),
        Column("valid", "valid answers", SHARE),
        Column("forfeits", kind=SHARE, meaning="Forfeits: matches that the player forfeited or left"),
        Column("cost", kind=MONEY, meaning="Cost: total over the player's matches"),
    ]

    def row(player: str) -> list[Any]:
        own = [one for one in places if one.player == player and one.matches]
        means = [
            Cell(here.estimates[one.objective], mark(here.estimates)) if (here := cells.get((player, game))) else None
            for game, one in found.items()
        ]
        matches = sum(one.matches for one in own)
        cost = sum(one.matches * one.estimates["cost"].mean for one in own) or None
        forfeits = sum(map(_forfeits, own)) / matches if matches else math.nan
        return [player, *means, len(own), matches, _valid_share(own), forfeits, cost]

    players = dict.fromkeys(one.player for one in places)
    order = sorted(players, key=lambda player: -sum(one.player == player for one in places))
    return Table(
        "games",
        f"Mean {_measure(found)} of players by games",
        columns,
        [*map(row, order)],
        OWN_SCALE_NOTE + (f" {MARK_NOTE}" if any(mark(one.estimates) for one in places) else ""),
        places=READER_PLACES,
    )


def _valid_share(own: Sequence[Place]) -> float:
    """Share of valid answers; NaN without answers."""
    # Error rates are over answers, so their rows are numbers of answers.
    answers = sum(one.estimates["error_rate"].rows for one in own)
    invalid = sum(one.estimates["error_rate"].mean * one.estimates["error_rate"].rows for one in own)
    return 1 - invalid / answers if answers else float("nan")


def _forfeits(one: Place) -> float:
    return one.matches * sum(one.estimates[name].mean for name in ("forfeit", "left"))


def _game_table(found: Mapping[str, Summary], places: Sequence[Place]) -> Table:
    """Players game by game, the highest mean first."""
    more = ranking_columns(_measure(found), (one.estimates for one in places), show_interval=False)
    columns = [
        Column("player", kind=TEXT),
        Column("matches", kind=COUNT),
        Column("mean", _measure(found), show_interval=True),
        *more,
        Column("efficiency"),
        Column("fairness"),
        Column("valid", "valid answers", SHARE),
        Column("forfeit", "forfeits", SHARE),
        Column("left", kind=SHARE),
        Column("tokens", kind=COUNT),
        Column("cost", kind=MONEY, meaning="Tokens, cost: per match"),
    ]
    rows: list[Any] = []
    for game, summary in found.items():
        rows.append(Divider(game, format_count(summary.matches, "match")))
        for one in (place for place in places if place.game == game):
            spent = [one.estimates[name].mean or None for name in ("tokens", "cost")]
            measures = [one.estimates[name] for name in ("efficiency", "fairness")]
            endings = [one.estimates[name] for name in ("forfeit", "left")]
            errors = one.estimates["error_rate"]
            valid = Interval(1 - errors.mean, 1 - errors.high, 1 - errors.low, errors.rows)
            mean, cases = one.estimates[summary.objective], [one.estimates.get(column.key) for column in more]
            rows.append([one.player, one.matches, mean, *cases, *measures, valid, *endings, *spent])
    shown = [column for column in columns if column.key != "left" or any(one.estimates["left"].mean for one in places)]
    indices = [columns.index(column) for column in shown]
    rows = [row if isinstance(row, Divider) else [row[at] for at in indices] for row in rows]
    is_ordered = all(one.is_ordered for one in found.values())
    return Table("by_game", "Results by game", shown, rows, "" if is_ordered else NOT_ESTABLISHED)


def _gains(found: Mapping[str, Summary]) -> str:
    """The definition of gain in each game."""
    return "Gain: " + "; ".join(f"{game}, {summary.facts.gain}" for game, summary in found.items()) + "."


def _failures(
    own: Mapping[str, Sequence[Record]], problems: Mapping[str, list[str]], records: Records
) -> Iterator[Part]:
    """Number of matches with problems, by game and kind."""
    failed = sum(isinstance(one, FailedMatch) for one in records.unreadable)
    kinds = [
        kind
        for kind in (FORFEITED, LEFT_MATCH, CUT_MATCH, INVALID, *REPLIES.values())
        if any(kind in one for one in problems.values())
    ]
    if not kinds:
        return
    yield Text("Problems", HEADING)
    counts = {
        game: Counter(kind for one in of_game for kind in problems.get(one.id, ())) for game, of_game in own.items()
    }
    rows = [[game, len(own[game]), *(counts[game][kind] for kind in kinds)] for game in own]
    columns = [Column("game", kind=TEXT), Column("matches", kind=COUNT), *(Column(one, one, COUNT) for one in kinds)]
    note = "Number of readable matches with each problem."
    note += f" {capitalize_first(format_count(failed, 'match'))} failed without a record." if failed else ""
    yield Table("failures", "Matches with problems", columns, rows, note, places=(*READER_PLACES, FILES))


def _costs(found: Mapping[str, Summary], called: Mapping[str, str]) -> Iterator[Part]:
    """Cost of models over all games, in one table."""
    spent: list[Cost] = [one._replace(player=called[one.spec]) for summary in found.values() for one in summary.costs]
    if spent:
        yield Text("Cost", HEADING)
        yield from costs_tables(sorted(spent, key=lambda one: (-one.cost, one.player, one.game)))
