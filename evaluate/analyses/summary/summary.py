"""What a folder of records says: ranking, cross-play, seats, conduct, theory. Reports and terminals show this."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from econzoo.envs.core.contract.game import GameFacts
from econzoo.envs.core.contract.objectives import SELF_GAIN
from econzoo.envs.core.contract.validation import check_list
from econzoo.envs.core.record.player_labels import label_players
from econzoo.envs.core.record.record import Record
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.analyses.frame import (
    CLIPPED_COLUMN,
    OBJECTIVES,
    SHARE_GAIN,
    UNFORFEITED_GAIN,
    VIOLATION_PREFIX,
    columns,
)
from econzoo.evaluate.analyses.groups import ComparableMatches, Estimates, Group
from econzoo.evaluate.analyses.missing_results import describe_no_result, matches_with_result, split_by_result
from econzoo.evaluate.analyses.regret import EXACT, REGRET, SECONDS, add_regret
from econzoo.evaluate.analyses.seat_columns import places
from econzoo.evaluate.analyses.summary.keyword_buyers import BY_KEYWORDS, KeywordCounts, count_keywords, uses_keywords
from econzoo.evaluate.run.costs import Cost, Costs
from econzoo.evaluate.run.design import Design
from econzoo.evaluate.run.folder import UnreadableLine
from econzoo.evaluate.run.gains_from_trade import describe_no_gains
from econzoo.evaluate.run.records import Records
from econzoo.evaluate.show.files import json_of
from econzoo.evaluate.show.numbers import plain_estimates
from econzoo.evaluate.show.parts import Table, file_table
from econzoo.evaluate.stats.columns import Columns, Tabular, find_labels, has_different_seats, is_in, values_of
from econzoo.evaluate.stats.estimates import RATIOS, Difference, Population, estimate, robust_means
from econzoo.evaluate.stats.outcomes import RATES
from econzoo.evaluate.stats.repeats import course_hash, describe_repeats, remove_repeats

if TYPE_CHECKING:
    import pandas as pd

CONDUCT = ("forfeit", "left", CLIPPED_COLUMN, "rounds", "tokens", "cost")
"""Columns that every game has besides the objectives, `RATIOS`, how often there was an agreement, and the regret."""


@dataclass(frozen=True)
class Summary:
    """Estimates of everything, for every player, pair and seat.

    Attributes:
        game: Name.
        matches: How many count; see `records`.
        groups: Who is compared with whom: everybody in all seats together; or, where players take different
            seats, one group for each seat, so that a seller is compared with sellers. Matches in which scripted
            players took words by keywords have groups of their own, the last ones.
        planned_matches: How many the design has, or None without a design.
        players: The players that are compared, the highest mean gain first (group by group).
        opponents: Whom they met, likewise.
        overall: Player to estimates.
        pairs: (player, opponent) to estimates, both seats together.
        seats: (player, role) to estimates.
        settings: (player, market) to estimates.
        violations: Player to counts of moves, by the game's own names.
        clusters: Of market and seed.
        unreadable: Lines that are no record.
        missing_regrets: Seats whose regret was not computed for lack of time.
        columns: See `econzoo.evaluate.analyses.frame.columns`; with the regret.
        records: What all this is made of: one match of each pairing and setting if all seeds bring the same.
        repeats: The others then, which count for nothing.
        without_result: Matches that were cut, which count for nothing either.
        distinct_courses: How many of `records` differ in more than their seeds.
        costs: What models have cost in all matches that were played.
        keywords: What scripted players took by keywords; None: nothing.
        objective: By whose mean players are ranked.
        design: That names markets and players; None: nothing does.
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
    distinct_courses: int = 0
    costs: list[Cost] = field(default_factory=list)
    keywords: KeywordCounts | None = None
    objective: str = SELF_GAIN
    design: Design | None = field(repr=False, default=None)

    @cached_property
    def table(self) -> pd.DataFrame:
        """The columns as a data frame; needs pandas."""
        return self.columns.data_frame()

    @property
    def population_note(self) -> str:
        """Of what the intervals speak; where those of other groups speak of something else, of what they do."""
        first = self.groups[0].population_note
        others = {group.population_note: group.reading_label or f"as {group.role}" for group in reversed(self.groups)}
        return first + "".join(f"; {where}: {told}" for told, where in others.items() if told != first)

    @cached_property
    def repeats_note(self) -> str:
        """That matches are others again with another seed, where some are; else nothing."""
        return describe_repeats(self.records, self.repeats, self.distinct_courses)

    @property
    def played_matches(self) -> list[Record]:
        """All matches that were played, those that repeat others or have no result included."""
        return [*self.records, *self.repeats, *self.without_result]

    @property
    def no_result_note(self) -> str:
        """How many matches have no result, if some have none; else nothing."""
        return describe_no_result(self.without_result)

    @cached_property
    def no_gains_note(self) -> str:
        """How many of the markets leave no gains from trade, if some do."""
        return describe_no_gains(self.game, (record.params for record in self.records))

    @property
    def rounds(self) -> list[int]:
        """How many rounds each of `records` took."""
        return values_of(self.columns["rounds"][self.columns["seat"] == 0])

    def setting(self, record: Record) -> str:
        """The name of the setting of a match."""
        own = self.design.setting_name(record.params) if self.design else None
        return str(places(record, own or "")[0]["market"])

    @property
    def facts(self) -> GameFacts:
        """What the game says about itself."""
        return find_game(self.game).facts

    @property
    def measure(self) -> str:
        """What players are ranked by, in words."""
        return "gain" if self.objective == SELF_GAIN else self.objective

    @property
    def prompts(self) -> list[str]:
        """Name and hash of every set of prompts with which these matches were played."""
        sets = (record.options.get("prompts", {}) for record in self.records)
        return sorted({f"{one['name']} ({one['hash']})" for one in sets if "name" in one})

    @property
    def numbers(self) -> list[Table]:
        """All estimates as tables for files."""
        overall = ([player, self.overall[player]] for player in self.players)
        behind = [
            [group.role, group.players[0], player, *gap]
            for group in self.groups
            for player, gap in group.gaps_to_best.items()
        ]
        return [
            self._estimates("players", overall, "player"),
            file_table("behind", ("role", "first", "player", *Difference._fields), behind),
            self._estimates("cross_play", ([*key, one] for key, one in self.pairs.items()), "player", "opponent"),
            self._estimates("seats", ([*key, one] for key, one in self.seats.items()), "player", "role"),
            self._estimates("markets", ([*key, one] for key, one in self.settings.items()), "player", "market"),
        ]

    def _estimates(self, key: str, found: Iterable[Sequence[Any]], *names: str) -> Table:
        measures = list(next(iter(self.overall.values())))
        return file_table(key, (*names, *measures), ([*place, *map(one.get, measures)] for *place, one in found))

    def to_dict(self) -> dict[str, Any]:
        """The numbers, for JSON: null where something is not defined."""
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
        """What stands apart because words were heard by keywords, if anything does."""
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
    """The summary of records of one game.

    Args:
        records: See `econzoo.evaluate.run.records.read_records`, which finds designs and what is unreadable too.
        design: Gives the markets their names and says which players are compared; None: see the records.
        objectives: Specs that become columns, besides `self_gain` and the one by which players are ranked.
        unreadable: Lines that are no record, to be reported.
        seconds: For the regret; 0: none.
        objective: The spec of an objective by whose mean players are ranked; None: that of the design.

    Raises:
        ValueError: There is no match with a result, there are several games, or an objective is not allowed.
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
            "there is no match" if not records else f"records of several games: {', '.join(sorted(played))}"
        )
    label_players(records, design.names() if design else ())
    without_result = split_by_result(records)[1]
    ended, courses, spent = matches_with_result(records), list[bytes](), Costs()
    objective = objective or (design.objective if design else SELF_GAIN)
    goals = tuple(dict.fromkeys([SELF_GAIN, objective, *objectives]))
    table = columns(_observe_records(ended, courses, spent), design, goals)
    for record in without_result:
        spent.add(record)
    records, repeats = remove_repeats(ended, courses)
    if repeats:
        table = table[is_in(table["match"], (record.id for record in records))]
    left_out = add_regret(table, records, seconds)
    agreed = find_game(*played).facts.agreement_column
    estimated = [
        *goals,
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
    compared = table if design is None else table[is_in(table["player"], find_labels(table, design.players))]
    heard = [record for record in records if uses_keywords(_record_facts(record))]
    keywords = count_keywords({"turns": [vars(turn) for turn in record.turns]} for record in heard)
    apart = is_in(compared["match"], [record.id for record in heard] if keywords else [])
    found = partial(_estimates, columns=estimated, objective=objective)
    by_role = has_different_seats(compared)
    parts = [
        ComparableMatches(compared[rows], by_role, heard, found, objective)
        for rows, heard in ((~apart, ""), (apart, BY_KEYWORDS))
    ]
    parts = [part for part in parts if len(part.rows)] or parts[:1]
    groups = [group for part in parts for group in part.groups]
    overall, pairs, seats, markets = (
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
        settings=markets,
        violations=_violations(compared),
        clusters=len(set(values_of(table["cluster"]))),
        unreadable=list(unreadable),
        missing_regrets=left_out,
        columns=table,
        records=records,
        repeats=repeats,
        without_result=without_result,
        distinct_courses=len(set(courses)),
        costs=spent.sorted_by_cost(),
        keywords=keywords,
        objective=objective,
        design=design,
    )


def _observe_records(records: Iterable[Record], courses: list[bytes], spent: Costs) -> Iterator[Record]:
    """Records on their way into a table: while the turns of one are at hand, all else is asked of them, too."""
    for record in records:
        courses.append(course_hash(record))
        spent.add(record)
        yield record


def _record_facts(record: Record) -> dict[str, Any]:
    return {name: getattr(record, name) for name in ("game", "params", "players", "source")}


def _occurring_rates(table: Columns) -> list[str]:
    """The rates of those outcomes of replies that occur."""
    return [rate for rate, (code, _) in RATES.items() if np.sum(table[code]) > 0]


def _estimates(
    rows: Tabular, *key: str, columns: Sequence[str], objective: str, over: Population | None = None
) -> dict[Any, Estimates]:
    """Estimates by player and by the columns of the key; but by market, also what a slip moves little."""
    found = estimate(rows, ["player", *key], columns, over=over)
    if key != ("market",):
        beside = robust_means(rows, ["player", *key], objective) if len(rows) else {}
        return {place: one | beside[place] for place, one in found.items()}
    return found


def _violations(table: Columns) -> dict[str, dict[str, int]]:
    """Player to the sum of each column of violations."""
    names = [name for name in table if name.startswith(VIOLATION_PREFIX)]
    players = dict.fromkeys(values_of(table["player"])) if names else {}
    own = {player: table[is_in(table["player"], [player])] for player in players}
    return {
        player: {name.removeprefix(VIOLATION_PREFIX): int(np.nansum(rows[name])) for name in names}
        for player, rows in own.items()
    }
