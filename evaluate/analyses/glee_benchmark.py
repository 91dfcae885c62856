"""The analysis ``glee`` of GLEE's configurations: every player in every seat, over configurations."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from econzoo.envs.core.plurals import many
from econzoo.envs.core.record.labelled import label_together
from econzoo.envs.core.record.record import Record
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.analyses.description import describe, played_in
from econzoo.evaluate.analyses.frame import columns
from econzoo.evaluate.analyses.summary.keyword_buyers import BY_KEYWORDS, Keywords, heard_by_keywords
from econzoo.evaluate.analyses.summary.tables import behind_table, estimates_table, measure_column, seat_and_words
from econzoo.evaluate.analyses.without_result import by_result, told_of, with_result
from econzoo.evaluate.run.design import Design, read_design
from econzoo.evaluate.run.folder import record_files
from econzoo.evaluate.run.gains_from_trade import nothing_to_gain, told_without_gains
from econzoo.evaluate.run.records import Records
from econzoo.evaluate.show.numbers import capitalized, known
from econzoo.evaluate.show.page import Page
from econzoo.evaluate.show.parts import HEADING, Divider, Part, Table, Text, file_table
from econzoo.evaluate.stats.columns import Columns, against_all, among, called, sorted_roles, values_of
from econzoo.evaluate.stats.estimates import Difference, behind, estimate
from econzoo.evaluate.stats.intervals import Interval


def glee(records: Records) -> Page:
    """A table of all seats for each family, and how far the others are behind the first one of each seat.

    Args:
        records: In a folder for each family, with its design.

    Raises:
        ValueError: No folder has a design, or no match of a family has a result.
    """
    played = {path.parent for path in record_files(records.place)}
    designs = {folder: design for folder in sorted(played) if (design := read_design(folder))}
    if not designs:
        raise ValueError(f"{records.place} has no folders of families; allowed: what econzoo run glee has played")
    parts: list[Part] = describe([one for design in designs.values() for one in played_in(design)], designs)
    found = [_family(design, [one for one in records if one.game == design.game]) for design in designs.values()]
    for one in found:
        parts += [Text(one.design.game, HEADING), *tables(*one)]
    parts += numbers(found)
    facts = [f"{design.game}: {many(len(design), 'match')} planned" for design in designs.values()]
    return Page("glee", f"GLEE: {records.place.resolve().name}", parts, facts, records.unreadable)


def _family(design: Design, records: Sequence[Record]) -> Family:
    wanted = {id for _, id in design.identified()}
    return Family(design, results(records, design), sum(one.id in wanted for one in records))


INTERVALS = (
    "Intervals are over configurations: each one that was played is a draw from others like it; with fewer than six "
    "there is none."
)
TROUBLE = ("forfeit", "error_rate")
"""Measures that are shown if anybody has some."""


def tables(design: Design, found: Results, played: int) -> list[Table | Text]:
    """A table of all seats, how far the others are behind the first one of each, and what the numbers mean."""
    facts = find_game(design.game).facts
    estimates = [one for own in found.groups.values() for one in own.values()]
    trouble = [name for name in TROUBLE if any(one[name].mean > 0 for one in estimates)]
    columns = [measure_column(facts, name, ranged=True) for name in ("self_gain", "efficiency")]
    columns += [measure_column(facts, name) for name in ("fairness", facts.agreement_column, *trouble)]
    title = f"{design.game}: {played:,} of {len(design):,} matches, {len(design.markets)} configurations"
    places: list[Divider | tuple[str, Any]] = []
    behind: list[Table] = []
    for place, own in found.groups.items():
        where = seat_and_words(facts, *place)
        places += [Divider(capitalized(where)), *own.items()]
        about = f", {where}" if where else ""
        behind.append(behind_table(next(iter(own)), found.behind[place], "gain", "configurations", about))
    idle = told_without_gains(design.game, (market.params for market in design.markets))
    apart = [
        str(found.keywords) if found.keywords else "",
        f"{idle} All of --settings main-trade have some." if idle else "",
        told_of(["truncated"] * found.cut) if found.cut else "",
    ]
    made = estimates_table(f"glee_{design.game}", title, columns, places, f"Gain: {facts.gain}. {INTERVALS}")
    return [made, *behind, *(Text(one) for one in apart if one)]


class Family(NamedTuple):
    """A family: its design, what came out of it, and how many of its matches were played."""

    design: Design
    found: Results
    played: int


FAMILY = (
    *("game", "matches", "planned", "configurations", "without_gains", "without_result"),
    *("by_keywords", "messages", "unread"),
)


def numbers(families: Sequence[Family]) -> list[Table]:
    """Counts of each family, and all measures of every player in every seat, for files."""
    counts = []
    for design, found, played in families:
        idle = sum(nothing_to_gain(design.game, market.params) for market in design.markets)
        keywords = found.keywords or (None, None, None)
        counts.append((design.game, played, len(design), len(design.markets), idle, found.cut, *keywords))
    rates = dict.fromkeys(find_game(one.design.game).facts.agreement_column for one in families)
    names = [*MEASURES, *(name for name in rates if name not in MEASURES)]
    rows = [
        (design.game, role, heard, player, *map(one.get, names), found.behind[role, heard].get(player))
        for design, found, _ in families
        for (role, heard), players in found.groups.items()
        for player, one in players.items()
    ]
    heads = ("game", "role", "heard", "player", *names, "behind")
    return [file_table("families", FAMILY, counts), file_table("players", heads, rows)]


def seat_table(records: Sequence[Record], design: Design | None) -> tuple[Columns, Keywords | None]:
    """One row for every seat of every match with a result, and what scripted buyers took by keywords.

    Columns: those of `econzoo.evaluate.analyses.frame.columns` without theory, and ``heard`` (`BY_KEYWORDS` or empty).
    """
    apart, keywords = heard_by_keywords(records)
    table = columns(records, design, GOALS, theory=False)
    table["heard"] = np.where(among(table["match"], apart), BY_KEYWORDS, "")
    return table, keywords


GOALS = ("self_gain", "efficiency", "fairness")
MEASURES = (*GOALS, "forfeit", "error_rate")

Place = tuple[str, str]
"""Role, and how words were heard where that sets matches apart (`econzoo.evaluate.analyses.summary.keyword_buyers`)."""


class Results(NamedTuple):
    """What came out of a family.

    Attributes:
        groups: Place to player to measure, the players with the highest gain first.
        behind: Place to player to how far its gain is below that of the first one, configuration by configuration.
        keywords: What scripted buyers took by keywords; None: nothing.
        cut: Matches that were cut and count for nothing.
    """

    groups: dict[Place, dict[str, dict[str, Interval]]]
    behind: dict[Place, dict[str, Difference]]
    keywords: Keywords | None
    cut: int = 0


def results(records: Sequence[Record], design: Design | None = None) -> Results:
    """The measures of every player in every seat, over the opponents that all players in that seat met.

    Intervals are over configurations: players that always do the same differ in nothing else.

    Args:
        records: Of one family.
        design: Gives the configurations their names and says which players are compared; None: all are.

    Raises:
        ValueError: There are matches, but none of them has a result.
    """
    label_together(records, design.names() if design else ())
    paid, cut = with_result(records), len(by_result(records)[1])
    if not paid:
        return Results({}, {}, None)
    table, keywords = seat_table(paid, design)
    if design is not None:
        table = table[among(table["player"], called(table, design.players))]
    measures = (*MEASURES, find_game(paid[0].game).facts.agreement_column)
    groups: dict[Place, dict[str, dict[str, Interval]]] = {}
    gaps: dict[Place, dict[str, Difference]] = {}
    for heard in sorted(set(values_of(table["heard"]))):
        part = table[table["heard"] == heard]
        alike = against_all(part, by_role=True)
        found = estimate(alike, ["role", "player"], measures, over="settings")
        ranked = sorted(found.items(), key=lambda item: -known(item[1]["self_gain"].mean, -math.inf))
        for role in sorted_roles(part):
            groups[role, heard] = {player: one for (took, player), one in ranked if took == role}
            own = alike[alike["role"] == role]
            gaps[role, heard] = behind(own, list(groups[role, heard]), "self_gain", over="settings")
    return Results(groups, gaps, keywords, cut)
