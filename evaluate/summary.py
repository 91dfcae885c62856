"""What a folder of records says: ranking, cross-play, seats, conduct, theory. Reports and terminals show this."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from econzoo.envs.core.record import Record
from econzoo.evaluate.folder import Unreadable, read_folder
from econzoo.evaluate.frame import OBJECTIVES, VIOLATION, frame
from econzoo.evaluate.plan import MANIFEST, Plan, read_plan
from econzoo.evaluate.regret import EXACT, REGRET, SECONDS, add_regret
from econzoo.evaluate.replay import implausible, misplayed
from econzoo.evaluate.statistics import RATIOS, RESAMPLES, Interval, estimate

if TYPE_CHECKING:
    import pandas as pd

Estimates = dict[str, Interval]

CONDUCT = ("agreed", "forfeit", "left", "rounds", "tokens", "cost")
"""Columns that every game has besides the objectives, `RATIOS` and the regret."""


@dataclass(frozen=True)
class Summary:
    """Estimates of everything, for every player, pair and seat.

    Attributes:
        game: Name.
        matches: How many.
        planned: How many the plan has, or None without a plan.
        players: The players that are compared, the highest mean gain first.
        opponents: Whom they met, likewise.
        overall: Player to estimates.
        pairs: (player, opponent) to estimates, both seats together.
        seats: (player, role) to estimates.
        markets: (player, market) to estimates.
        violations: Player to counts of moves, by the game's own names.
        clusters: How many were resampled.
        unreadable: Lines that are no record.
        left_out: Seats whose regret was not computed for lack of time.
        table: See `econzoo.evaluate.frame.frame`.
        records: What all this is made of.
    """

    game: str
    matches: int
    planned: int | None
    players: list[str]
    opponents: list[str]
    overall: dict[str, Estimates]
    pairs: dict[tuple[str, str], Estimates]
    seats: dict[tuple[str, str], Estimates]
    markets: dict[tuple[str, str], Estimates]
    violations: dict[str, dict[str, int]]
    clusters: int
    unreadable: list[Unreadable] = field(default_factory=list)
    left_out: int = 0
    table: pd.DataFrame = field(repr=False, default=None)  # type: ignore[assignment]
    records: list[Record] = field(repr=False, default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """The numbers, for JSON: null where something is not defined."""
        return {
            "game": self.game,
            "matches": self.matches,
            "planned": self.planned,
            "clusters": self.clusters,
            "players": [{"player": p, **plain_estimates(self.overall[p])} for p in self.players],
            "cross_play": [
                {"player": p, "opponent": o, **plain_estimates(found)} for (p, o), found in self.pairs.items()
            ],
            "seats": [{"player": p, "role": r, **plain_estimates(found)} for (p, r), found in self.seats.items()],
            "markets": [{"player": p, "market": m, **plain_estimates(found)} for (p, m), found in self.markets.items()],
            "violations": self.violations,
            "unreadable": [str(one) for one in self.unreadable],
            "regret_left_out": self.left_out,
        }


def plain_estimates(found: Estimates) -> dict[str, Any]:
    """Estimates for JSON."""
    return {
        name: {key: None if math.isnan(value) else value for key, value in interval._asdict().items()}
        for name, interval in found.items()
    }


def summarize(
    records: list[Record],
    plan: Plan | None = None,
    objectives: Sequence[str] = OBJECTIVES,
    unreadable: Sequence[Unreadable] = (),
    resamples: int = RESAMPLES,
    seconds: float = SECONDS,
    planned: int | None = None,
) -> Summary:
    """The summary of records of one game.

    Args:
        records: See `econzoo.evaluate.folder.read_folder`.
        plan: Gives the markets their names and says which players are compared.
        objectives: Specs that become columns, besides `self_gain`, by which players are ranked.
        unreadable: Lines that are no record, to be reported.
        resamples: Of the bootstrap.
        seconds: For the regret; 0: none.
        planned: Matches of the plan, if that is not the plan's own number.

    Raises:
        ValueError: There is no record, or there are several games.
    """
    played = {record.game for record in records}
    if len(played) != 1:
        raise ValueError(
            "there is no match" if not records else f"records of several games: {', '.join(sorted(played))}"
        )
    goals = tuple(dict.fromkeys(["self_gain", *objectives]))
    table = frame(records, plan, goals)
    left_out = add_regret(table, records, seconds)
    columns = [*goals, *RATIOS, "share_each", *CONDUCT, REGRET, EXACT]
    compared = table if plan is None else table[table["player"].isin(plan.players)]
    alike = against_all(compared)
    found = {
        key: estimate(compared if key == ("opponent",) else alike, ["player", *key], columns, resamples=resamples)
        for key in ((), ("opponent",), ("role",), ("market",))
    }
    names = sorted(found[()], key=lambda player: -_or_least(found[()][player]["self_gain"].mean))
    met = list(dict.fromkeys([*names, *compared["opponent"]]))
    return Summary(
        game=played.pop(),
        matches=len(records),
        planned=planned if planned is not None or plan is None else len(plan),
        players=names,
        opponents=[name for name in met if name in set(compared["opponent"])],
        overall=found[()],
        pairs=found[("opponent",)],
        seats=found[("role",)],
        markets=found[("market",)],
        violations=_violations(compared),
        clusters=table["cluster"].nunique(),
        unreadable=list(unreadable),
        left_out=left_out,
        table=table,
        records=records,
    )


def against_all(table: pd.DataFrame) -> pd.DataFrame:
    """The rows against opponents that every player met: means over these compare like with like.

    If there is no such opponent all rows stay.
    """
    met = table.groupby("opponent")["player"].nunique()
    common = table[table["opponent"].isin(met[met == table["player"].nunique()].index)]
    return table if common.empty else common


def _or_least(value: float) -> float:
    return -math.inf if math.isnan(value) else value


def _violations(table: pd.DataFrame) -> dict[str, dict[str, int]]:
    columns = [name for name in table.columns if name.startswith(VIOLATION)]
    sums = table.groupby("player", sort=False)[columns].sum() if columns else None
    if sums is None:
        return {}
    return {
        player: {name.removeprefix(VIOLATION): int(value) for name, value in row.items()}
        for player, row in sums.to_dict("index").items()
    }


def read_summary(
    folder: str | Path, objectives: Sequence[str] = OBJECTIVES, resamples: int = RESAMPLES, verify: bool = False
) -> Summary:
    """The summary of a folder, or of a file of records.

    Args:
        folder: See `econzoo.evaluate.folder.record_files`.
        objectives: See `summarize`.
        resamples: Of the bootstrap.
        verify: Replay every record first, and leave out those that are not as the rules say (about 2 ms a match);
            otherwise only those are left out that name no possible market or move.

    Raises:
        FileNotFoundError: There are no records.
        ValueError: None can be used, or they are of several games.
    """
    records, bad = read_folder(folder, misplayed if verify else implausible)
    if not records and bad:
        raise ValueError(f"no line is a record; {bad[0]}")
    plans = found_plans(Path(folder), records)
    planned = sum(map(len, plans)) if plans else None
    return summarize(records, union(plans), objectives, bad, resamples, planned=planned)


def found_plans(folder: Path, records: Sequence[Record]) -> list[Plan]:
    """The plan of a folder, or those of the folders below it; none if they do not cover the records."""
    places = [folder] if (folder / MANIFEST).is_file() else sorted(path.parent for path in folder.rglob(MANIFEST))
    plans = [plan for plan in map(read_plan, places) if plan is not None]
    known = {name for plan in plans for name in plan.names()}
    games = {record.game for record in records} | {plan.game for plan in plans}
    covered = len(games) == 1 and all(set(record.players) <= known for record in records)
    return plans if covered else []


def union(plans: Sequence[Plan]) -> Plan | None:
    """One plan with the players and markets of several, to name and compare by; its length means nothing."""
    if not plans:
        return None
    players = tuple(dict.fromkeys(name for plan in plans for name in plan.players))
    opponents = tuple(dict.fromkeys(name for plan in plans for name in plan.opponents))
    markets = tuple({market.name: market for plan in plans for market in plan.markets}.values())
    return replace(plans[0], players=players, opponents=opponents, markets=markets)
