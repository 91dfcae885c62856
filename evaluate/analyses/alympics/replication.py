"""The analysis ``replicate-alympics``: printed numbers of ALYMPICS (arXiv:2311.03220) beside published or own games."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

from econzoo.envs.core import format_count
from econzoo.envs.core.contract import Option
from econzoo.evaluate.analyses import Comparison, OwnNumber, Paper, compare_paper, read_paper
from econzoo.evaluate.analyses.alympics import printed_games, water_figures
from econzoo.evaluate.analyses.alympics.game_collection import GameCollection, merge_collections
from econzoo.evaluate.analyses.alympics.table_2 import compute_numbers, derive_numbers
from econzoo.evaluate.analyses.alympics.table_3 import compare_ratings, compare_self_assessment, comparison_figure
from econzoo.evaluate.analyses.alympics.water import ExtraGames, gather, run_tables
from econzoo.evaluate.analyses.alympics.water_games import PUBLISHED_LINEUP, SETTINGS, WaterGame, group_by_lineup
from econzoo.evaluate.analyses.alympics.water_table import TABLE_2, sort_by_setting
from econzoo.evaluate.run import Records
from econzoo.evaluate.show import HEADING, PAGE, READER_PLACES, Figure, Page, Part, Text

NAME = "replicate-alympics"

INTERNAL_CHECK = "each other"
"""Source of comparison if there are no games."""


def alympics(
    records: Records,
    *,
    beside: ExtraGames = [],  # noqa: B006  as typer reads it
    ratings: Annotated[
        list[str], Option(meaning="CSV of judges' ratings of the agents, as for judge --ratings (repeatable).")
    ] = [],  # noqa: B006  as typer reads it
) -> Page:
    """Compare ALYMPICS' printed numbers with games and ratings; without these, with each other.

    Args:
        records: Matches of water_allocation; may be empty.
        ratings: See `econzoo.evaluate.analyses.alympics.table_3.compare_ratings`.
    """
    paper, has_games = read_paper("alympics"), bool(records or beside)
    found = merge_collections(gather(records, beside)) if has_games else GameCollection()
    comparisons = (
        [*_table_2(found)] if has_games else [Comparison("table-2", TABLE_2, derive_numbers(), INTERNAL_CHECK)]
    )
    comparisons += _other_comparisons(paper, comparisons[0], found.games, ratings)
    table_3 = next(one for one in comparisons if one.key == "table-3")
    parts: list[Part] = [*compare_paper(paper, comparisons), *_figures(found.games, table_3 if ratings else None)]
    if has_games:
        runs = run_tables(sort_by_setting(group_by_lineup(found.games)), places=READER_PLACES)
        parts += [Text("Run by run", HEADING), *runs]
    facts = [format_count(len(found.games), "game")] if has_games else ["no games: printed numbers beside each other"]
    return Page(NAME, f"{paper.title}: printed numbers and ours", parts, facts, found.problems)


def _other_comparisons(
    paper: Paper, table: Comparison, games: Sequence[WaterGame], ratings: Sequence[str]
) -> Iterator[Comparison]:
    """The places of the paper besides Table 2; the printed day is compared with our rules if its game is missing."""
    table_3, people, day = (paper.places[key] for key in ("table-3", "self-assessment", "day-7"))
    yield compare_ratings(table_3, people, ratings) if ratings else compare_self_assessment(table_3, people)
    yield _sentences(paper, table)
    published = printed_games.day_of(day, games)
    source = PUBLISHED_LINEUP if published else printed_games.RULES_LABEL
    yield Comparison("day-7", day, published or printed_games.day_by_rules(day), source)
    yield from printed_games.compare_people_games(paper.places)


def _table_2(found: GameCollection) -> Iterator[Comparison]:
    """Table 2 beside each line-up, the published games first."""
    names = sorted(dict.fromkeys(game.lineup for game in found.games), key=lambda name: name != PUBLISHED_LINEUP)
    numbers = {name: compute_numbers([game for game in found.games if game.lineup == name]) for name in names}
    used = {name: own for name, own in numbers.items() if own}
    if not used:
        raise ValueError(f"no game in a setting of the paper: expected one of {', '.join(SETTINGS)}")
    for at, (name, own) in enumerate(used.items()):
        few = list(dict.fromkeys(one.row for one in own if one.row in SETTINGS and one.games != TABLE_2.games))
        counts = (
            [f"The paper has {TABLE_2.games} games per setting; numbers here differ in {', '.join(few)}."]
            if few
            else []
        )
        # Notes are about published games, whose line-up is first.
        notes = counts if at else [*counts, *(f"{note}." for note in found.notes)]
        yield Comparison(f"table-2{f'-{at + 1}' if at else ''}", TABLE_2, own, name, notes)


def _sentences(paper: Paper, table: Comparison) -> Comparison:
    """Numbers of Table 2 in the paper's text, beside ours or those of the table."""
    place = paper.places["sentences"]
    keys = [(row, cell) for row, cells in place.cells.items() for cell in cells]
    if table.source == INTERNAL_CHECK:
        own = [OwnNumber(row, cell, float(TABLE_2.cells[row][cell])) for row, cell in keys]
        return Comparison("sentences", place, own, TABLE_2.title)
    ours = {(one.row, one.cell): one for one in table.numbers}
    return Comparison("sentences", place, [ours[one] for one in keys if one in ours], table.source)


CURVES = (
    ("figure-7", "Figure 7: bids", water_figures.bid, "dollars"),
    ("figure-8", "Figure 8: health", water_figures.health, "health points"),
    ("figure-9", "Figure 9: balances", water_figures.balance, "dollars"),
)


def _figures(games: Sequence[WaterGame], table_3: Comparison | None) -> Iterator[Part]:
    """The paper's figures, which print no numbers, drawn from the published games and from ratings."""
    settings = {
        setting: own
        for (who, setting), own in sort_by_setting(group_by_lineup(games)).items()
        if who == PUBLISHED_LINEUP and setting in SETTINGS
    }
    if settings or table_3:
        yield Text("Figures of the paper", HEADING, places=(PAGE,))
    if table_3:
        note = "Judges' scores of agents, and self-ratings of people: mean (dot) and quartiles (line)."
        yield Figure("figure-5", "Figure 5: agents and people", note, comparison_figure(table_3), "scores")
    if not settings:
        return
    note = "Lowest served bid: boxes over games, their median by day, and the mean of these medians."
    yield Figure(
        "figure-4",
        "Figure 4: minimum successful bid",
        note,
        water_figures.minimum_bid_figure(settings),
        PUBLISHED_LINEUP,
    )
    note = "Survivors and RSR at the end: boxes over games."
    ends = water_figures.survivors_figure(settings)
    yield Figure("figure-6-of-version-1", "Figure 6 of the first version: survivors", note, ends, PUBLISHED_LINEUP)
    first = {setting: own[:1] for setting, own in settings.items()}
    for key, title, value, label in CURVES:
        figure = water_figures.curves_figure(first, value, label)
        yield Figure(
            key, title, "Game 1 of each setting; grey: RSR of those alive in the morning.", figure, PUBLISHED_LINEUP
        )
