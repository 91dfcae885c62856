"""The numbers of a summary: ranking, cross-play, seats, conduct, theory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import SELF_GAIN, GameFacts, check_list
from econzoo.envs.core.record import Record, label_players
from econzoo.evaluate.analyses import CLIPPED_COLUMN, COUNTED, EXACT, OBJECTIVES, REGRET, SECONDS, SHARE_GAIN
from econzoo.evaluate.analyses import UNFORFEITED_GAIN, VIOLATION_PREFIX, ComparableMatches, Estimates, Group
from econzoo.evaluate.analyses import SeatValues, add_counted, add_regret, case_rows, columns, describe_missing
from econzoo.evaluate.analyses import describe_no_result, least_values, matches_with_result, places, split_by_result
from econzoo.evaluate.analyses.summary.keyword_buyers import BY_KEYWORDS, KeywordCounts, count_keywords, uses_keywords
from econzoo.evaluate.run import Cost, Costs, Design, Records, UnreadableLine, describe_no_gains, lost_matches
from econzoo.evaluate.show import Table, file_table, json_of, plain_estimates
from econzoo.evaluate.stats import BEST, RATES, RATIOS, WORST, Columns, Difference, Population, Tabular, course_hash
from econzoo.evaluate.stats import describe_repeats, estimate, find_labels, has_different_seats, is_in, remove_repeats
from econzoo.evaluate.stats import robust_means, values_of

if TYPE_CHECKING:
    import pandas as pd

CONDUCT = ("forfeit", "left", CLIPPED_COLUMN, "rounds", "tokens", "cost")
"""Columns of every game besides the objectives, `RATIOS`, the agreement rate and the regret."""


@dataclass(frozen=True)
class Summary:
    """Estimates for every player, pair, seat and setting.

    Attributes:
        matches: Number of matches that count; see `records`.
        groups: Players that are compared: all of them, over all seats; or, where players take different seats, one
            group per seat, so that sellers are compared with sellers. Matches in which scripted players read
            messages by keywords have groups of their own, the last ones.
        planned_matches: Number of matches of the design; None without a design.
        players: Compared players, the highest mean of the objective first, group by group.
        opponents: Their opponents, in the same order.
        pairs: (player, opponent) to estimates, all seats together.
        seats: (player, role) to estimates.
        settings: (player, setting) to estimates.
        violations: Player to counts of moves, by the game's own names.
        missing_regrets: Seats whose regret was not computed for lack of time.
        columns: See `econzoo.evaluate.analyses.frame.columns`; with the regret.
        records: Matches behind the estimates; one per pairing and setting if seeds make no difference.
        repeats: Deterministic repetitions of `records`, which do not count.
        without_result: Truncated matches, which do not count.
        lost: Matches without a valid record: failed, or not replayable.
        distinct_courses: Number of `records` that differ in more than their seeds.
        costs: Cost of models over all matches played.
        keywords: Messages that scripted players read by keywords; None without any.
        design: Names of settings and players; None without a design.
    """

    game: str
    matches: int
    groups: list[Group]
    planned_matches: int | None
    players: list[str]
    opponents: list[str]
    overall: dict[str, Estimates]
    pairs: dict[tuple[str, str], Estimates]
    seats: dict[tuple[str, str], Estimates]
    settings: dict[tuple[str, str], Estimates]
    violations: dict[str, dict[str, int]]
    clusters: int
    unreadable: list[UnreadableLine] = field(default_factory=list)
    missing_regrets: int = 0
    columns: Columns = field(repr=False, default_factory=lambda: Columns({}))
    records: list[Record] = field(repr=False, default_factory=list)
    repeats: list[Record] = field(repr=False, default_factory=list)
    without_result: list[Record] = field(repr=False, default_factory=list)
    lost: list[Record] = field(repr=False, default_factory=list)
    distinct_courses: int = 0
    costs: list[Cost] = field(default_factory=list)
    keywords: KeywordCounts | None = None
    objective: str = SELF_GAIN
    design: Design | None = field(repr=False, default=None)

    @cached_property
    def table(self) -> pd.DataFrame:
        """The columns as a data frame (needs pandas)."""
        return self.columns.data_frame()

    @property
    def population_note(self) -> str:
        """The population of the intervals; and those of other groups, where they differ."""
        first = self.groups[0].population_note
        others = {group.population_note: group.reading_label or f"as {group.role}" for group in reversed(self.groups)}
        return first + "".join(f"; {where}: {note}" for note, where in others.items() if note != first)

    @cached_property
    def repeats_note(self) -> str:
        """A note on matches that repeat others with another seed; empty without any."""
        return describe_repeats(self.records, self.repeats, self.distinct_courses)

    @property
    def played_matches(self) -> list[Record]:
        """All matches played, including repetitions and those without a result."""
        return [*self.records, *self.repeats, *self.without_result]

    @property
    def has_cases(self) -> bool:
        """Whether tables show worst and best cases, because matches of a player are missing."""
        return any(group.has_cases for group in self.groups)

    @property
    def is_ordered(self) -> bool:
        """Whether the whole order of the players holds whatever the missing matches are."""
        return all(group.is_ordered for group in self.groups)

    @property
    def no_result_note(self) -> str:
        """A note on matches without a result; empty without any."""
        if self.has_cases:
            return describe_missing([*self.lost, *self.without_result], self.matches + len(self.repeats))
        return describe_no_result(self.without_result)

    @cached_property
    def no_gains_note(self) -> str:
        """A note on settings without gains from trade; empty without any."""
        return describe_no_gains(self.game, (record.params for record in self.records))

    @property
    def rounds(self) -> list[int]:
        """Number of rounds of each of `records`."""
        return values_of(self.columns["rounds"][self.columns["seat"] == 0])

    def setting(self, record: Record) -> str:
        """Return the name of the setting of a match."""
        name = self.design.setting_name(record.params) if self.design else None
        return str(places(record, name or "")[0]["setting"])

    @property
    def facts(self) -> GameFacts:
        return find_game(self.game).facts

    @property
    def measure(self) -> str:
        """``"gain"``, or the objective."""
        return "gain" if self.objective == SELF_GAIN else self.objective

    @property
    def ranked_measure(self) -> str:
        """What players are ordered by."""
        return f"{COUNTED} {self.measure}" if COUNTED in self.columns else self.measure

    @property
    def prompts(self) -> list[str]:
        """Names and hashes of the prompt sets of the matches."""
        sets = (record.options.get("prompts", {}) for record in self.records)
        return sorted({f"{one['name']} ({one['hash']})" for one in sets if "name" in one})

    @property
    def numbers(self) -> list[Table]:
        """All estimates, as tables for files."""
        heads = ("role", "best", "player", *Difference._fields, *((WORST, BEST) if self.has_cases else ()))
        gaps = [
            [group.role, group.players[0], player, *gap, *group.gap_cases.get(player, (None, None))]
            for group in self.groups
            for player, gap in group.gaps_to_best.items()
        ]
        return [
            self._estimates("players", ([player, self.overall[player]] for player in self.players), "player"),
            file_table("gaps_to_best", heads, (row[: len(heads)] for row in gaps)),
            self._estimates("cross_play", ([*key, one] for key, one in self.pairs.items()), "player", "opponent"),
            self._estimates("seats", ([*key, one] for key, one in self.seats.items()), "player", "role"),
            self._estimates("settings", ([*key, one] for key, one in self.settings.items()), "player", "setting"),
        ]

    def _estimates(self, key: str, found: Iterable[Sequence[Any]], *names: str) -> Table:
        measures = list(next(iter(self.overall.values())))
        return file_table(key, (*names, *measures), ([*place, *map(one.get, measures)] for *place, one in found))

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers for JSON; null where one is undefined."""
        return {
            "game": self.game,
            "matches": self.matches,
            **({"repeats": len(self.repeats)} if self.repeats else {}),
            **({"without_result": len(self.without_result)} if self.without_result else {}),
            "planned": self.planned_matches,
            **({"objective": self.objective} if self.objective != SELF_GAIN else {}),
            **({"prompts": self.prompts} if self.prompts else {}),
            "clusters": self.clusters,
            "compared_by_role": bool(self.groups[0].role),
            **json_of(self.numbers),
            "violations": self.violations,
            "unreadable": [str(one) for one in self.unreadable],
            "regret_left_out": self.missing_regrets,
            **self._keyword_groups(),
        }

    def _keyword_groups(self) -> dict[str, Any]:
        """Estimates of matches whose messages were read by keywords, if there are any."""
        if self.keywords is None:
            return {}
        groups = [group for group in self.groups if group.reading_label]
        players = [{"role": g.role, "player": p, **plain_estimates(g.overall[p])} for g in groups for p in g.players]
        return {BY_KEYWORDS.replace(" ", "_"): {**self.keywords._asdict(), "players": players}}


def summarize(
    records: Sequence[Record],
    design: Design | None = None,
    objectives: Sequence[str] = OBJECTIVES,
    unreadable: Sequence[UnreadableLine] = (),
    seconds: float = SECONDS,
    objective: str | None = None,
) -> Summary:
    """Summarize records of one game.

    Args:
        records: Records; those of `econzoo.evaluate.run.records.read_records` bring designs and unreadable lines.
        design: Names of settings, and the players to compare; None: that of the records.
        objectives: Specs of further columns, besides `self_gain` and the ranking objective.
        seconds: Time limit of the regret, in seconds; 0 skips it.
        objective: Spec of the ranking objective; None: that of the design.
    """
    planned = None if design is None else len(design)
    if isinstance(records, Records):
        if design is None and records.designs:
            design, planned = records.design, sum(map(len, records.designs))
        unreadable, records = [*records.unreadable, *unreadable], records.records
    records = check_list("records", records, Record, "records, as read_records gives them")
    played = {record.game for record in records}
    if len(played) != 1:
        raise ValueError(
            f"invalid records: expected one game, got {', '.join(sorted(played))}" if records else "no matches"
        )
    lost = [record for record in lost_matches(records, unreadable) if record.game in played]
    # Labels are set in the records, and shared with lost matches, which tables of cases count beside them.
    label_players([*records, *lost], design.names() if design else ())
    without_result = split_by_result(records)[1]
    ended, courses, spent = matches_with_result(records), list[bytes](), Costs()
    least: SeatValues = {}
    objective = objective or (design.objective if design else SELF_GAIN)
    goals = tuple(dict.fromkeys([SELF_GAIN, objective, *objectives]))
    table = columns(_observe_records(ended, courses, spent, least, objective), design, goals)
    ranked = add_counted(table, objective, least)
    for record in without_result:  # they cost money too
        spent.add(record)
    missing, (records, repeats) = [*lost, *without_result], remove_repeats(ended, courses)
    # Before repeats are left out: a missing match may be the repeat of another, and weighs with it as one.
    cases = case_rows(table, ranked, objective, missing, design, ended if repeats else ())
    if repeats:
        table = table[is_in(table["match"], (record.id for record in records))]
    missing_regrets = add_regret(table, records, seconds)
    agreed = find_game(*played).facts.agreement_column
    estimated = [
        *goals,
        *([COUNTED] if ranked == COUNTED else []),
        *RATIOS,
        "share_each",
        SHARE_GAIN,
        UNFORFEITED_GAIN,
        agreed,
        *CONDUCT,
        *_occurring_rates(table),
        REGRET,
        EXACT,
    ]
    compared, cases = (
        rows if design is None else rows[is_in(rows["player"], find_labels(rows, design.players))]
        for rows in (table, cases)
    )
    by_keywords = [record for record in records if uses_keywords(_record_facts(record))]
    keywords = count_keywords({"turns": [vars(turn) for turn in record.turns]} for record in by_keywords)
    apart = is_in(compared["match"], [record.id for record in by_keywords] if keywords else [])
    estimate_rows = partial(_estimates, columns=estimated, objective=objective)
    by_role = has_different_seats(cases if len(cases) else compared)
    read = [record.id for record in [*ended, *missing] if uses_keywords(_record_facts(record))] if keywords else []
    cases_apart = is_in(cases["match"], read)
    parts = [
        ComparableMatches(compared[rows], by_role, label, estimate_rows, ranked, cases[own])
        for rows, own, label in ((~apart, ~cases_apart, ""), (apart, cases_apart, BY_KEYWORDS))
    ]
    parts = [part for part in parts if len(part.rows)] or parts[:1]
    groups = [group for part in parts for group in part.groups]
    overall, pairs, seats, settings = (
        # Where a player has matches of both kinds, those read without keywords come last and replace the others.
        {key: one for part in reversed(parts) for key, one in getattr(part, name).items()}
        for name in ("overall", "pairs", "seats", "settings")
    )
    return Summary(
        game=played.pop(),
        matches=len(records),
        groups=groups,
        planned_matches=planned,
        players=list(dict.fromkeys(name for group in groups for name in group.players)),
        opponents=list(dict.fromkeys(name for group in groups for name in group.opponents)),
        overall=overall,
        pairs=pairs,
        seats=seats,
        settings=settings,
        violations=_violations(compared),
        clusters=len(set(values_of(table["cluster"]))),
        unreadable=list(unreadable),
        missing_regrets=missing_regrets,
        columns=table,
        records=records,
        repeats=repeats,
        without_result=without_result,
        lost=lost,
        distinct_courses=len(set(courses)),
        costs=spent.sorted_by_cost(),
        keywords=keywords,
        objective=objective,
        design=design,
    )


def _observe_records(
    records: Iterable[Record], courses: list[bytes], spent: Costs, least: SeatValues, objective: str
) -> Iterator[Record]:
    """Yield records, and collect courses, costs and least values in the same pass, so that turns are read once."""
    for record in records:
        least.update(least_values([record], objective))
        courses.append(course_hash(record))
        spent.add(record)
        yield record


def _record_facts(record: Record) -> dict[str, Any]:
    return {name: getattr(record, name) for name in ("game", "params", "players", "source")}


def _occurring_rates(table: Columns) -> list[str]:
    """Rates of the reply outcomes that occur."""
    return [rate for rate, (code, _) in RATES.items() if np.sum(table[code]) > 0]


def _estimates(
    rows: Tabular, *key: str, columns: Sequence[str], objective: str, over: Population | None = None
) -> dict[Any, Estimates]:
    """Estimates by player and the key's columns; with robust means, except by setting."""
    found = estimate(rows, ["player", *key], columns, over=over)
    if key != ("setting",):
        robust = robust_means(rows, ["player", *key], objective) if len(rows) else {}
        return {place: one | robust[place] for place, one in found.items()}
    return found


def _violations(table: Columns) -> dict[str, dict[str, int]]:
    """Player to the sum of each violation column."""
    names = [name for name in table if name.startswith(VIOLATION_PREFIX)]
    players = dict.fromkeys(values_of(table["player"])) if names else {}
    own = {player: table[is_in(table["player"], [player])] for player in players}
    return {
        player: {name.removeprefix(VIOLATION_PREFIX): int(np.nansum(rows[name])) for name in names}
        for player, rows in own.items()
    }
