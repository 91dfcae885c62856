"""The summary of a report in plain sentences."""

from __future__ import annotations

import math

from econzoo.envs.core.plurals import many
from econzoo.evaluate.escapes import called
from econzoo.evaluate.folder import left_out
from econzoo.evaluate.formats import capitalized, known, percent
from econzoo.evaluate.groups import Group
from econzoo.evaluate.intervals import Interval
from econzoo.evaluate.statistics import Difference
from econzoo.evaluate.summary import Summary


def sentences(summary: Summary) -> list[str]:
    """What a reader should know first."""
    leaders = [_leader(summary, group) for group in summary.groups]
    said = [_setting(summary), *leaders, _equilibrium(summary), _deals(summary), _conduct(summary)]
    said += [str(summary.keywords)] if summary.keywords else []
    said += left_out(summary.unreadable)
    return [sentence for sentence in said if sentence]


def _setting(summary: Summary) -> str:
    table = summary.table
    markets, seeds = table["market"].nunique(), table["seed"].nunique()
    against = (
        "each other" if set(summary.players) >= set(summary.opponents) else many(len(summary.opponents), "opponent")
    )
    where = f"in {many(markets, 'market')} of {summary.game} with {many(seeds, 'seed')}"
    text = f"{many(len(summary.players), 'player')} met {against} {where}: {many(summary.matches, 'match')}."
    if summary.planned is not None and summary.planned > summary.matches:
        text += (
            f" {summary.planned - summary.matches:,} more are planned, so this is a view of an unfinished tournament."
        )
    return f"{text} {summary.repeated}".strip()


def _leader(summary: Summary, group: Group) -> str:
    first, *rest = group.players
    mean, measure = group.overall[first][summary.objective], f"mean {summary.measure}"
    start = f"As {summary.facts.called(group.role)}, " if group.role else ""
    start += f"with {group.heard}, " if group.heard else ""
    start = capitalized(start)
    text = f"{start}{called(first)} has the {measure} {_with_interval(mean)}"
    if not rest:
        return text + "."
    other = group.overall[rest[0]][summary.objective]
    text = f"{start}{called(first)} has the highest {measure}, {_with_interval(mean)}, before {called(rest[0])} with "
    return text + _with_interval(other) + _paired(group.behind[rest[0]]) + "."


def _paired(gap: Difference) -> str:
    """How far the second is behind, if an interval says how sure that is."""
    if math.isnan(gap.low):
        return ""
    less = f"; in the same markets and seeds {gap.mean:.3f} less (95% interval {gap.low:.3f} to {gap.high:.3f})"
    return less if gap.distinct else f"{less}, which may be chance"


def _with_interval(found: Interval) -> str:
    if math.isnan(found.low):
        return f"{found.mean:.3f}"
    return f"{found.mean:.3f} (95% interval {found.low:.3f} to {found.high:.3f})"


def _equilibrium(summary: Summary) -> str:
    shares = {player: found["share"].mean for player, found in summary.overall.items()}
    known = {player: share for player, share in shares.items() if not math.isnan(share)}
    if not known:
        return ""
    best, least = max(known, key=known.__getitem__), min(known, key=known.__getitem__)
    text = (
        f"Measured by what the equilibrium would pay in the same seats, {called(best)} captured {percent(known[best])}"
    )
    return text + (f", {called(least)} {percent(known[least])}." if least != best else ".")


def _deals(summary: Summary) -> str:
    per_match = summary.table.drop_duplicates("match")
    efficiency, fairness = per_match["efficiency"].mean(), per_match["fairness"].mean()
    parts = []
    if per_match["agreed"].any():
        parts.append(f"there was a {summary.facts.agreement} in {percent(per_match['agreed'].mean())} of the matches")
    if not math.isnan(efficiency):
        parts.append(f"mean efficiency was {efficiency:.2f}")
    if not math.isnan(fairness):
        parts.append(f"mean fairness {fairness:.2f}")
    text = ", ".join(parts)
    return capitalized(text) + "." if text else ""


def _conduct(summary: Summary) -> str:
    table = summary.table
    forfeits, left = int(table["forfeit"].sum()), int(table["left"].sum())
    errors, answers = int(table["errors"].sum()), int(table["answers"].sum())
    if not forfeits and not left and not errors:
        return f"No match was forfeited, and all {many(answers, 'answer')} could be used."
    worst = max(summary.overall, key=lambda player: known(summary.overall[player]["error_rate"].mean, 0.0))
    rate = known(summary.overall[worst]["error_rate"].mean, 0.0)
    text = (f"{many(forfeits, 'match')} ended in a forfeit" if forfeits else "No match was forfeited") + (
        f", {many(left, 'match')} were left" if left else ""
    )
    text += f"; {errors:,} of {many(answers, 'answer')} could not be used"
    return text + (f", most often those of {called(worst)} ({percent(rate)} of its own)." if rate else ".")
