"""A table of learning for terminals and pages, from its plain form, in which files keep it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from econzoo.envs.core.contract.objectives import SELF_GAIN
from econzoo.envs.core.plurals import many
from econzoo.envs.core.record.spec import labels
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.analyses.learning.ceiling_line import CeilingLine
from econzoo.evaluate.show.parts import SHARE, TEXT, Column, Row, Table
from econzoo.evaluate.stats.intervals import Interval

NOTE = (
    "Over seeds: interval over training seeds (Student's t): the same training with other seeds, in these settings and "
    "against these opponents. That beside the {}: for just these policies, an interval {}."
)
SCRIPTS = "Scripts play the same matches; the best one stands first."
GAPS = (
    "Differences in the same matches; Holm: not by chance over settings, all scripts counted. A training is better for "
    "sure where both intervals are above 0."
)


def learning_tables(found: Mapping[str, Any]) -> list[Table]:
    """What was earned, role by role, and below how far each training is above scripts.

    Args:
        found: See `econzoo.evaluate.analyses.learning.files.plain`.
    """
    return [made for one in found["compared"] for made in (_earned(found, one), *_gaps(found, one))]


def _earned(found: Mapping[str, Any], one: Mapping[str, Any]) -> Table:
    measure = "gain" if found["objective"] == SELF_GAIN else found["objective"]
    players, line = _players(one), one["ceiling"] and CeilingLine(**one["ceiling"])
    size = many(next((own["matches"] for own in players), 0), "match")
    title = f"{found['game']}{_seat(found, one)}, {found['pool']} pool, {many(found['markets'], 'setting')}: {size}"
    columns = [
        Column("player", kind=TEXT),
        Column("over_settings", measure, ranged=True),
        Column("over_seeds", ranged=True),
        *([Column("share_of_ceiling", "share", kind=SHARE, ranged=True)] if line else []),
    ]
    told = [NOTE.format(measure, found["intervals_over_settings"]), SCRIPTS * bool(one["scripts"])]
    notes = [*told, line.note if line else "", found.get("unpaid", "")]
    rows = [row[: len(columns)] for row in _rows(one, line)]
    return Table(_key("learning", one), f"{title} of each player", columns, rows, " ".join(filter(None, notes)))


def _players(one: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [*(own for training in one["trainings"] for own in training["seeds"]), *one["scripts"]]


def _seat(found: Mapping[str, Any], one: Mapping[str, Any]) -> str:
    return f" as {find_game(found['game']).facts.called(one['role'])}" if one["role"] else ""


def _key(name: str, one: Mapping[str, Any], *more: object) -> str:
    return "_".join(map(str, filter(None, [name, one["role"], *more]))).lower()


def _rows(one: Mapping[str, Any], line: CeilingLine | None) -> Iterator[Row]:
    """Name, what was earned with its interval over settings, that over seeds, share."""
    told = labels([own["player"] for own in _players(one)])
    for training in one["trainings"]:
        seeds = training["seeds"]
        if len(seeds) > 1:
            name = f"{training['training']}: mean of {many(len(seeds), 'seed')}"
            yield name, *(_interval(training[key]) for key in ("over_settings", "over_seeds", "share_of_ceiling"))
        for own in seeds:
            name = f"seed {own['seed']}" if len(seeds) > 1 and "seed" in own else told[own["player"]]
            yield _row(name, own)
    if line:
        yield f"{line.name} ({line.how})", line.gain, None, 1.0
        if line.told != line.gain:
            yield f"ceiling, told ({line.how})", line.told, None, line.told / line.gain
    yield from (_row(told[own["player"]], own) for own in one["scripts"])


def _row(name: str, own: Mapping[str, Any]) -> Row:
    return name, _interval(own["over_settings"]), None, own["share_of_ceiling"]


def _interval(found: Mapping[str, Any]) -> Interval:
    mean, low, high = (math.nan if found[key] is None else float(found[key]) for key in ("mean", "low", "high"))
    return Interval(mean, low, high, found.get("rows", 0))


def _gaps(found: Mapping[str, Any], one: Mapping[str, Any]) -> Iterator[Table]:
    told = labels([own["player"] for own in one["scripts"]])
    columns = [
        Column("script", kind=TEXT),
        Column("mean", "its mean"),
        Column("over_settings", "difference", signed=True, ranged=True),
        Column("distinct", "Holm"),
        Column("over_seeds", signed=True, ranged=True),
    ]
    for at, training in enumerate(one["trainings"], start=1):
        if gaps := training["less_scripts"]:
            title = f"{training['training']}{_seat(found, one)}, less scripts"
            rows = [*_gap_rows(one["scripts"], gaps, told)]
            yield Table(_key("less_scripts", one, at), title, columns, rows, GAPS)


def _gap_rows(
    scripts: Sequence[Mapping[str, Any]], gaps: Sequence[Mapping[str, Any]], told: Mapping[str, str]
) -> Iterator[Row]:
    for own, gap in zip(scripts, gaps, strict=True):
        settings = gap["over_settings"]
        mean = own["over_settings"]["mean"]
        yield told[gap["script"]], mean, _interval(settings), settings["distinct"], _interval(gap["over_seeds"])
