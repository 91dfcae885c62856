"""A summary in plain sentences."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from econzoo.envs.core.contract.objectives import SELF_GAIN
from econzoo.envs.core.faces.transcript import join_names
from econzoo.envs.core.plurals import format_count
from econzoo.evaluate.analyses.frame import SHARE, SHARE_GAIN
from econzoo.evaluate.analyses.groups import Estimates, Group, has_same_matches
from econzoo.evaluate.run.folder import describe_unreadable
from econzoo.evaluate.show.escapes import sanitize_text
from econzoo.evaluate.show.numbers import NOISE, capitalize_first, format_percent, replace_nan
from econzoo.evaluate.stats.columns import Columns, values_of
from econzoo.evaluate.stats.estimates import Difference
from econzoo.evaluate.stats.intervals import Interval

if TYPE_CHECKING:
    import pandas as pd

    from econzoo.evaluate.analyses.summary.summary import Summary


def sentences(summary: Summary) -> list[str]:
    """What a reader should know first."""
    leaders = [_leader(summary, group) for group in summary.groups]
    shares = [_equilibrium(summary, group) for group in summary.groups]
    said = [_setting(summary), *leaders, *shares, _deals(summary), _conduct(summary)]
    said += [str(summary.keywords)] if summary.keywords else []
    said += [*describe_unreadable(summary.unreadable), summary.no_result_note]
    return [sentence for sentence in said if sentence]


def _setting(summary: Summary) -> str:
    settings, seeds = (len(set(values_of(summary.columns[name]))) for name in ("market", "seed"))
    among = "each other" if len(summary.players) > 1 else "itself"
    against = (
        among if set(summary.players) >= set(summary.opponents) else format_count(len(summary.opponents), "opponent")
    )
    where = f"in {format_count(settings, 'setting')} of {summary.game}"
    where += "" if summary.repeats else f" with {format_count(seeds, 'seed')}"
    met = f"met {against}" if summary.facts.seats > 1 else "played"
    text = f"{format_count(len(summary.players), 'player')} {met} {where}: {format_count(summary.matches, 'match')}."
    played = len(summary.played_matches)
    if summary.planned_matches is not None and summary.planned_matches > played:
        text += (
            f" {summary.planned_matches - played:,} more are planned, so this is a view of an unfinished tournament."
        )
    return " ".join(said for said in (text, summary.repeats_note, summary.no_gains_note) if said)


def _leader(summary: Summary, group: Group) -> str:
    first, *rest = group.players
    mean, measure = group.overall[first][summary.objective], f"mean {summary.measure}"
    start = _start(summary, group)
    if not rest:
        return f"{start}{sanitize_text(first)} has a {measure} of {_format_interval(mean)}."
    other = group.overall[rest[0]][summary.objective]
    if abs(mean.mean - other.mean) < NOISE:
        level = [one for one in group.players if abs(mean.mean - group.overall[one][summary.objective].mean) < NOISE]
        return (
            f"{start}{join_names([sanitize_text(one) for one in level])} share the highest {measure}, "
            f"{_format_interval(mean)}."
        )
    text = (
        f"{start}{sanitize_text(first)} has the highest {measure}, {_format_interval(mean)}, before "
        f"{sanitize_text(rest[0])} with "
    )
    return text + _format_interval(other) + _gap_phrase(group.gaps_to_best[rest[0]]) + "."


def _start(summary: Summary, group: Group) -> str:
    """``"As Alice (seller), "``; empty for all seats together."""
    start = f"As {summary.facts.role_with_part(group.role)}, " if group.role else ""
    return capitalize_first(start + (f"with {group.reading_label}, " if group.reading_label else ""))


def _gap_phrase(gap: Difference) -> str:
    """How far the second is behind, if an interval says how sure that is."""
    if math.isnan(gap.low):
        return ""
    less = f"; in the same settings and seeds {gap.mean:.3f} less (95% interval {gap.low:.3f} to {gap.high:.3f})"
    return less if gap.distinct else f"{less}, which may be chance"


def _format_interval(found: Interval) -> str:
    if math.isnan(found.low):
        return f"{found.mean:.3f}"
    return f"{found.mean:.3f} (95% interval {found.low:.3f} to {found.high:.3f})"


def _equilibrium(summary: Summary, group: Group) -> str:
    """Who captured most and least of what the equilibrium pays, over which matches, and with which gain in these."""
    found = {player: one for player, one in group.overall.items() if not math.isnan(one[SHARE].mean)}
    if not found:
        return ""
    best, least = (pick(found, key=lambda player: found[player][SHARE].mean) for pick in (max, min))
    same = has_same_matches(group.overall.values())
    captured = [
        f"{sanitize_text(player)} captured {format_percent(found[player][SHARE].mean)}"
        + ("" if same else _share_seats_phrase(found[player]))
        for player in dict.fromkeys((best, least))
    ]
    where = "" if same else ", where that is known and not 0"
    text = f"{_start(summary, group)}measured by what the equilibrium would pay in the same seats{where}, "
    return capitalize_first(
        text + ", ".join(captured).replace(f", {sanitize_text(least)} captured", f", {sanitize_text(least)}") + "."
    )


def _share_seats_phrase(found: Estimates) -> str:
    """In how many seats a player has a share, and what it gained in these."""
    return f" ({found[SHARE].rows:,} of {found[SELF_GAIN].rows:,} seats, mean gain {found[SHARE_GAIN].mean:.3f})"


def _deals(summary: Summary) -> str:
    facts = summary.facts
    per_match = _frame(summary, "match", "efficiency", "fairness", facts.agreement_column).drop_duplicates("match")
    efficiency, fairness = per_match["efficiency"].mean(), per_match["fairness"].mean()
    parts = []
    agreed = per_match[facts.agreement_column]
    if agreed.any() and facts.rate:
        parts.append(f"the mean {facts.rate} was {format_percent(agreed.mean())}")
    elif agreed.any():
        parts.append(f"there was {facts.agreement_with_article} in {format_percent(agreed.mean())} of the matches")
    if not math.isnan(efficiency):
        parts.append(f"mean efficiency was {efficiency:.2f}")
    if not math.isnan(fairness):
        parts.append(f"mean fairness {fairness:.2f}")
    text = ", ".join(parts)
    return capitalize_first(text) + "." if text else ""


def _frame(summary: Summary, *names: str) -> pd.DataFrame:
    """Some columns as a data frame: all of them would take several times as much memory."""
    return Columns({name: summary.columns[name] for name in dict.fromkeys(names)}).data_frame()


def _conduct(summary: Summary) -> str:
    table = _frame(summary, "forfeit", "left", "errors", "answers")
    forfeits, left = int(table["forfeit"].sum()), int(table["left"].sum())
    errors, answers = int(table["errors"].sum()), int(table["answers"].sum())
    if not forfeits and not left and not errors:
        return f"No match was forfeited, and all {format_count(answers, 'answer')} could be used."
    worst = max(summary.overall, key=lambda player: replace_nan(summary.overall[player]["error_rate"].mean, 0.0))
    rate = replace_nan(summary.overall[worst]["error_rate"].mean, 0.0)
    text = (f"{format_count(forfeits, 'match')} ended in a forfeit" if forfeits else "No match was forfeited") + (
        f", {format_count(left, 'match')} {'was' if left == 1 else 'were'} left" if left else ""
    )
    text += f"; {errors:,} of {format_count(answers, 'answer')} could not be used"
    return text + (
        f", most often those of {sanitize_text(worst)} ({format_percent(rate)} of its own)." if rate else "."
    )
