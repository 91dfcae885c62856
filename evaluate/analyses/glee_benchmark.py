"""The analysis ``glee``: every player in every seat, over GLEE's configurations."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from econzoo.envs.core import format_count
from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import SELF_GAIN, Outcome, parse_json
from econzoo.envs.core.record import Record, label_players, labels, read_lines
from econzoo.evaluate.analyses.description import describe, design_games
from econzoo.evaluate.analyses.groups import comparable_rows, established_gap
from econzoo.evaluate.analyses.missing_results import describe_missing, describe_no_result
from econzoo.evaluate.analyses.ranking_values import COUNTED, SeatValues, add_counted, case_rows, least_values
from econzoo.evaluate.analyses.summary import BY_KEYWORDS, NOT_ESTABLISHED, KeywordCounts, count_keywords
from econzoo.evaluate.analyses.summary import estimates_table, gap_to_first_table, group_phrase, is_all_scripted
from econzoo.evaluate.analyses.summary import measure_column, ranking_columns, uses_keywords
from econzoo.evaluate.run import Design, Records, describe_no_gains, has_no_gains, label_setting, read_design
from econzoo.evaluate.run import read_failed_tries, record_files
from econzoo.evaluate.show import HEADING, Divider, Page, Part, Table, Text, capitalize_first, file_table, replace_nan
from econzoo.evaluate.stats import WORST, Difference, Interval, add_cases, count_established, estimate, find_labels
from econzoo.evaluate.stats import gap_cases, gaps_to_best, is_in, nan_if_none, sorted_roles


def glee(records: Records) -> Page:
    """Tabulate all seats of each family, with every player's gap to the best of its seat.

    Args:
        records: Records in one folder per family, each with its design.

    Raises:
        ValueError: No folder has a design, or no match of a family has a result.
    """
    played = {path.parent for path in record_files(records.place)}
    designs = {folder: design for folder in sorted(played) if (design := read_design(folder))}
    if not designs:
        raise ValueError(f"no folder of a GLEE family in {records.place}: expected the output of econzoo run glee")
    parts: list[Part] = describe([one for design in designs.values() for one in design_games(design)], designs)
    found = [Family(design, results(folder)) for folder, design in designs.items()]
    for one in found:
        parts += [Text(one.design.game, HEADING), *tables(*one)]
    parts += numbers(found)
    facts = [f"{design.game}: {format_count(len(design), 'match')} planned" for design in designs.values()]
    return Page("glee", f"GLEE: {records.place.resolve().name}", parts, facts, records.unreadable)


INTERVALS = (
    "Intervals are over configurations, as a sample of all configurations of the family; none with fewer than six."
)
TROUBLE_MEASURES = ("forfeit", "error_rate")
"""Measures that are shown if any player's is above 0."""


def tables(design: Design, found: Results) -> list[Table | Text]:
    """Return a table of all seats, the gaps to the best of each seat, and notes."""
    facts = find_game(design.game).facts
    estimates = [one for own in found.groups.values() for one in own.values()]
    trouble = [name for name in TROUBLE_MEASURES if any(one[name].mean > 0 for one in estimates)]
    gain, efficiency = (measure_column(facts, name, show_interval=True) for name in ("self_gain", "efficiency"))
    columns = [gain, *ranking_columns("gain", estimates), efficiency]
    columns += [measure_column(facts, name) for name in ("fairness", facts.agreement_column, *trouble)]
    title = f"{design.game}: {found.match_count:,} of {len(design):,} matches, {len(design.settings)} configurations"
    places: list[Divider | tuple[str, Any]] = []
    gaps: list[Table] = []
    for place, own in found.groups.items():
        where = group_phrase(facts, *place)
        places += [Divider(capitalize_first(where)), *own.items()]
        about = f", {where}" if where else ""
        first, gaps_to_first = next(iter(own)), found.gaps_to_best[place]
        cases = {player: gap_cases(own[first], own[player]) for player in gaps_to_first if WORST in own[first]}
        measure = f"{COUNTED} gain" if COUNTED in own[first] else "gain"
        gaps.append(gap_to_first_table(first, gaps_to_first, measure, "configurations", about, cases))
    no_gains = describe_no_gains(design.game, (setting.params for setting in design.settings))
    notes = [
        str(found.keywords) if found.keywords else "",
        f"{no_gains} All of --settings main-trade have some." if no_gains else "",
        describe_missing(found.missing, found.match_count - found.cut_count)
        if any(WORST in own for own in estimates)
        else describe_no_result([one for one in found.missing if one.is_truncated]),
    ]
    is_ordered = all(count_established([*own.values()]) == len(own) for own in found.groups.values())
    note = f"Gain: {facts.gain}. {INTERVALS}" + ("" if is_ordered else f" {NOT_ESTABLISHED}")
    table = estimates_table(f"glee_{design.game}", title, columns, places, note)
    return [table, *gaps, *(Text(note) for note in notes if note)]


class Family(NamedTuple):
    design: Design
    results: Results


FAMILY_COLUMNS = (
    *("game", "matches", "planned", "configurations", "without_gains", "without_result"),
    *("by_keywords", "messages", "unread"),
)


def numbers(families: Sequence[Family]) -> list[Table]:
    """Return file tables: counts of each family, and all measures of every player in every seat."""
    counts = []
    for design, found in families:
        no_gains = sum(has_no_gains(design.game, setting.params) for setting in design.settings)
        keywords = found.keywords or (None, None, None)
        counts.append(
            (design.game, found.match_count, len(design), len(design.settings), no_gains, found.cut_count, *keywords)
        )
    rates = dict.fromkeys(find_game(one.design.game).facts.agreement_column for one in families)
    estimates = [one for _, found in families for players in found.groups.values() for one in players.values()]
    names = [*MEASURES, *(name for name in rates if name not in MEASURES)]
    names += [one.key for one in ranking_columns("gain", estimates)]
    rows = [
        (design.game, role, reading, player, *map(one.get, names), found.gaps_to_best[role, reading].get(player))
        for design, found in families
        for (role, reading), players in found.groups.items()
        for player, one in players.items()
    ]
    heads = ("game", "role", "reading", "player", *names, "gap_to_best")
    return [file_table("families", FAMILY_COLUMNS, counts), file_table("players", heads, rows)]


def quick_table(folder: str | Path) -> tuple[pd.DataFrame, KeywordCounts | None, set[str], list[Record]]:
    """Return one row per seat and record, counts of keyword readings, ids of all matches, and the missing matches.

    Missing matches are those that were truncated or failed. Columns: ``match``, ``player`` (its label), ``spec``,
    ``role``, ``seat``, ``opponent``, ``setting``, ``self_gain``, ``efficiency``, ``fairness``, ``agreed``, ``forfeit``,
    ``errors``, ``answers``, ``reading`` (`BY_KEYWORDS` or empty), and `COUNTED` if a seat defaulted.
    `econzoo.evaluate.analyses.frame.frame` has the rest.
    """
    design = read_design(folder)
    seen: set[str] = set()
    rows: list[tuple[Any, ...]] = []
    names: dict[str, str] = {}
    by_keywords: list[dict[str, Any]] = []
    missing: dict[str, Record] = {}
    least: SeatValues = {}
    for path in record_files(folder):
        for _, line in read_lines(path):
            try:
                given, answers = _outline(line)
                if given.get("position_payoffs") is not None:  # only truncated matches have this field
                    missing[given["id"]] = Record.from_json(line.decode())
                elif given["id"] not in seen:
                    has_keywords = uses_keywords(given)
                    by_keywords += [given if is_all_scripted(given) else parse_json(line)] if has_keywords else []
                    rows += _rows(given, answers, _name(given, design, names), BY_KEYWORDS if has_keywords else "")
                    seen.add(given["id"])
                    # Whole records are large, so they are only read where a seat may have defaulted.
                    if any(given["defaults"]) or given["forfeit"] is not None or given.get("replacements"):
                        least |= least_values([Record.from_json(line.decode())], SELF_GAIN, clipped=False)
            except (ValueError, KeyError, TypeError, IndexError):  # not a record; econzoo analyze reports it
                continue
    cut = set(missing)
    for path in record_files(folder):
        # A failed match is missing only if no other try of it was recorded.
        failed = read_failed_tries(path)
        missing |= {match: tries[-1][1] for match, tries in failed.items() if match not in seen | cut}
    table, keywords = pd.DataFrame(rows, columns=[*_COLUMNS]), count_keywords(by_keywords)
    specs = [*table["player"], *(design.names() if design else ())]
    label_of = labels(specs) | label_players([*missing.values()], specs)
    both = {name: table[name].map(label_of) for name in ("player", "opponent")}
    table = table.rename(columns={"agreed": agreement_column(set(table["game"]))})
    table = table.assign(spec=table["player"]).assign(**both)
    table = table if keywords else table.assign(reading="")
    add_counted(table, SELF_GAIN, least)
    return table, keywords, seen | cut, [*missing.values()]


def agreement_column(games: Collection[str]) -> str:
    """Return the column of the agreement rate of a game."""
    return find_game(*games).facts.agreement_column if games else "agreed"


_COLUMNS = (
    "match",
    "game",
    "player",
    "role",
    "seat",
    "opponent",
    "setting",
    "self_gain",
    "efficiency",
    "fairness",
    "agreed",
    "forfeit",
    "errors",
    "answers",
    "reading",
)


def _outline(line: bytes) -> tuple[dict[str, Any], list[int]]:
    """Parse a record without its turns, most of its size, and count the answers of each seat.

    Turns stand between two known keys, and quotes in texts are escaped, so turns are cut out unparsed if all moves are
    legal. Any other line is parsed in full.
    """
    start, end = line.find(b',"turns":[{"seat":'), line.rfind(b'}],"payoffs":[')
    if 0 < start < end:
        given = parse_json(line[:start] + line[end + 2 :])
        if not any(given["errors"]):
            turns = [line.count(b'{"seat":%d,"round":' % seat, start, end) for seat in range(len(given["players"]))]
            return given, turns
    given = parse_json(line)
    seats = [turn["seat"] for turn in given["turns"]]
    return given, [seats.count(seat) for seat in range(len(given["players"]))]


def _name(given: Mapping[str, Any], design: Design | None, names: dict[str, str]) -> str:
    key = str(given["params"])
    if key not in names:
        own = None if design is None else design.setting_name(given["params"])
        names[key] = own or label_setting(find_game(given["game"]), given["params"])
    return names[key]


def _rows(given: Mapping[str, Any], answers: list[int], setting: str, reading: str) -> list[tuple[Any, ...]]:
    metrics, roles = given["metrics"], find_game(given["game"]).facts.roles
    gains = tuple(map(nan_if_none, metrics["gains"]))
    outcome = Outcome(gains, nan_if_none(metrics["efficiency"]), nan_if_none(metrics["fairness"]), metrics["agreed"])
    common = *outcome[1:3], find_game(given["game"]).agreement_rate(outcome)
    return [
        (
            given["id"],
            given["game"],
            player,
            roles[seat],
            seat,
            " + ".join(dict.fromkeys(other for i, other in enumerate(given["players"]) if i != seat)),
            setting,
            gains[seat],
            *common,
            float(given["status"] == "forfeited" and given["forfeit"] == seat),
            given["errors"][seat],
            answers[seat],
            reading,
        )
        for seat, player in enumerate(given["players"])
    ]


CASE_COLUMNS = ("match", "setting", "seat", "role", "player", "spec", "opponent")
MEASURES = ("self_gain", "efficiency", "fairness", "forfeit", "error_rate")

Place = tuple[str, str]
"""Role, and how messages were read if that separates matches (`econzoo.evaluate.analyses.summary.keyword_buyers`)."""


class Results(NamedTuple):
    """The results of a family.

    Attributes:
        groups: Place to player to measures, players with the highest (counted) gain first.
        gaps_to_best: Place to player to its gap to the first player's (counted) gain, paired by configuration.
        keywords: Counts of scripted buyers' keyword readings; None: there are none.
        match_count: Recorded matches of the design.
        missing: Truncated and failed matches, which are left out.
    """

    groups: dict[Place, dict[str, dict[str, Interval]]]
    gaps_to_best: dict[Place, dict[str, Difference]]
    keywords: KeywordCounts | None
    match_count: int = 0
    missing: Sequence[Record] = ()

    @property
    def cut_count(self) -> int:
        return sum(one.is_truncated for one in self.missing)


def results(folder: str | Path) -> Results:
    """Compute the measures of every player in every seat, over the opponents common to all players of that seat.

    Intervals are over configurations, the only source of variation of deterministic players.
    """
    (table, keywords, ids, missing), design = quick_table(folder), read_design(folder)
    if not len(table) and any(one.is_truncated for one in missing):
        raise ValueError(f"no match in {folder} has a result: {describe_no_result(missing)[:-1]}")
    ranked = COUNTED if COUNTED in table else SELF_GAIN
    cases = case_rows(table, ranked, SELF_GAIN, missing, design, clipped=False, names=CASE_COLUMNS)
    if design is not None:
        compared = find_labels(cases if len(cases) else table, design.players)
        table = table[table["player"].isin(compared)]
        cases = cases[is_in(cases["player"], compared)]
    by_keywords = {one.id for one in missing if keywords and uses_keywords(vars(one))} | {
        match for match, reading in zip(table["match"], table["reading"], strict=True) if reading
    }
    columns = (*MEASURES, agreement_column(set(table["game"])), *([COUNTED] if ranked == COUNTED else []))
    groups: dict[Place, dict[str, dict[str, Interval]]] = {}
    gaps: dict[Place, dict[str, Difference]] = {}
    for reading in sorted(set(table["reading"])):
        part = table[table["reading"] == reading]
        own_cases = cases[is_in(cases["match"], by_keywords) == bool(reading)]
        comparable, own_cases = comparable_rows(part, own_cases, by_role=True)
        by = ["role", "player"]
        estimates = add_cases(estimate(comparable, by, columns, over="settings"), own_cases, by)
        order = sorted(estimates.items(), key=lambda item: -replace_nan(item[1][ranked].mean, -math.inf))
        for role in sorted_roles(part):
            own = groups[role, reading] = {player: one for (own_role, player), one in order if own_role == role}
            rows = comparable[comparable["role"] == role]
            played = [player for player in own if player in set(rows["player"])]
            gaps[role, reading] = {
                player: established_gap(gap, own[played[0]], own[player])
                for player, gap in gaps_to_best(rows, played, ranked, over="settings").items()
            }
    played_ids = len(ids) if design is None else sum(id in ids for _, id in design.matches_with_ids())
    return Results(groups, gaps, keywords, played_ids, missing)
