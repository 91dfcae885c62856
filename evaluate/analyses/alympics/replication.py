"""The analysis ``replicate-alympics``: what ALYMPICS (arXiv:2311.03220) prints, beside published or own games."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

from econzoo.envs.core.contract.options import Option
from econzoo.envs.core.plurals import many
from econzoo.evaluate.analyses.alympics import printed_games, water_figures
from econzoo.evaluate.analyses.alympics.gathering import Gathered, together
from econzoo.evaluate.analyses.alympics.table_2 import from_each_other, own_numbers
from econzoo.evaluate.analyses.alympics.table_3 import beside_ratings, comparison_figure, from_self_assessment
from econzoo.evaluate.analyses.alympics.water import Besides, gather, run_tables
from econzoo.evaluate.analyses.alympics.water_games import GAMES, SETTINGS, WaterGame, grouped
from econzoo.evaluate.analyses.alympics.water_table import TABLE_2, setting_by_setting
from econzoo.evaluate.analyses.published import Beside, Own, Paper, compared, read_paper
from econzoo.evaluate.run.records import Records
from econzoo.evaluate.show.page import Page
from econzoo.evaluate.show.parts import HEADING, PAGE, SHOWN, Figure, Part, Text

NAME = "replicate-alympics"

EACH_OTHER = "each other"
"""What printed numbers stand beside where there are no games."""


def alympics(
    records: Records,
    *,
    beside: Besides = [],  # noqa: B006  as typer reads it
    ratings: Annotated[
        list[str], Option(meaning="CSV of judges' ratings of the agents, as for judge --ratings, repeatable.")
    ] = [],  # noqa: B006  as typer reads it
) -> Page:
    """What ALYMPICS prints beside games and ratings; without them, its numbers beside each other.

    Args:
        records: Matches of water_allocation; they may be none.
        beside: See `water`.
        ratings: See `econzoo.evaluate.analyses.alympics.table_3.beside_ratings`.

    Raises:
        FileNotFoundError: There are no games or ratings where some should be.
        ValueError: No game is in a setting of the paper, or a file is no table of ratings.
    """
    paper, given = read_paper("alympics"), bool(records or beside)
    found = together(gather(records, beside)) if given else Gathered()
    made = [*_table_2(found)] if given else [Beside("table-2", TABLE_2, from_each_other(), EACH_OTHER)]
    made += _others(paper, made[0], found.games, ratings)
    table_3 = next(one for one in made if one.key == "table-3")
    parts: list[Part] = [*compared(paper, made), *_figures(found.games, table_3 if ratings else None)]
    if given:
        runs = run_tables(setting_by_setting(grouped(found.games)), places=SHOWN)
        parts += [Text("Run by run", HEADING), *runs]
    facts = [many(len(found.games), "game")] if given else ["no games: printed numbers beside each other"]
    return Page(NAME, f"{paper.title}: what is printed, and ours", parts, facts, found.problems)


def _others(paper: Paper, table: Beside, games: Sequence[WaterGame], ratings: Sequence[str]) -> Iterator[Beside]:
    """The places of the paper besides Table 2; a day that is not among the games stands beside our rules."""
    table_3, people, day = (paper.places[key] for key in ("table-3", "self-assessment", "day-7"))
    yield beside_ratings(table_3, people, ratings) if ratings else from_self_assessment(table_3, people)
    yield _sentences(paper, table)
    played = printed_games.day_of(day, games)
    who = GAMES if played else printed_games.BY_RULES
    yield Beside("day-7", day, played or printed_games.day_by_rules(day), who)
    yield from printed_games.of_people(paper.places)


def _table_2(found: Gathered) -> Iterator[Beside]:
    """Table 2 beside each line-up, the published games first.

    Raises:
        ValueError: No game is in a setting of the paper.
    """
    names = sorted(dict.fromkeys(game.lineup for game in found.games), key=lambda name: name != GAMES)
    numbers = {name: own_numbers([game for game in found.games if game.lineup == name]) for name in names}
    used = {name: own for name, own in numbers.items() if own}
    if not used:
        raise ValueError(f"no game is in a setting of the paper; those are: {', '.join(SETTINGS)}")
    for at, (name, own) in enumerate(used.items()):
        few = list(dict.fromkeys(one.row for one in own if one.row in SETTINGS and one.games != TABLE_2.games))
        said = (
            [f"The paper has {TABLE_2.games} games of each setting, this has others of {', '.join(few)}."]
            if few
            else []
        )
        notes = said if at else [*said, *(f"{note}." for note in found.notes)]
        yield Beside(f"table-2{f'-{at + 1}' if at else ''}", TABLE_2, own, name, notes)


def _sentences(paper: Paper, table: Beside) -> Beside:
    """What the text says of Table 2, beside our numbers of it, or beside the table."""
    place = paper.places["sentences"]
    asked = [(row, cell) for row, cells in place.cells.items() for cell in cells]
    if table.of == EACH_OTHER:
        own = [Own(row, cell, float(TABLE_2.cells[row][cell])) for row, cell in asked]
        return Beside("sentences", place, own, TABLE_2.title)
    ours = {(one.row, one.cell): one for one in table.own}
    return Beside("sentences", place, [ours[one] for one in asked if one in ours], table.of)


CURVES = (
    ("figure-7", "Figure 7: bids", water_figures.bid, "dollars"),
    ("figure-8", "Figure 8: health", water_figures.health, "health points"),
    ("figure-9", "Figure 9: balances", water_figures.balance, "dollars"),
)


def _figures(games: Sequence[WaterGame], table_3: Beside | None) -> Iterator[Part]:
    """The paper's figures, drawn from the published games and from ratings; it prints no numbers in them."""
    settings = {
        setting: own
        for (who, setting), own in setting_by_setting(grouped(games)).items()
        if who == GAMES and setting in SETTINGS
    }
    if settings or table_3:
        yield Text("Figures of the paper", HEADING, places=(PAGE,))
    if table_3:
        told = "Scores of agents by judges, and of people by themselves: mean (dot) and quartiles (line)."
        yield Figure("figure-5", "Figure 5: agents and people", told, comparison_figure(table_3), "scores")
    if not settings:
        return
    told = "Lowest bid that was served: boxes over games, their median by day, and the mean of these medians."
    yield Figure(
        "figure-4", "Figure 4: minimum successful bid", told, water_figures.minimum_bid_figure(settings), GAMES
    )
    told = "Who lived to the end, and the RSR then: boxes over games."
    ends = water_figures.survivors_figure(settings)
    yield Figure("figure-6-of-version-1", "Figure 6 of the first version: survivors", told, ends, GAMES)
    first = {setting: own[:1] for setting, own in settings.items()}
    for key, title, value, label in CURVES:
        drawn = water_figures.curves_figure(first, value, label)
        yield Figure(key, title, "Game 1 of each setting; grey: RSR of those alive in the morning.", drawn, GAMES)
