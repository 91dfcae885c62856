"""The main results of a summary, in sentences."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from econzoo.envs.core import format_count
from econzoo.envs.core.contract import SELF_GAIN
from econzoo.envs.core.faces import join_names
from econzoo.evaluate.analyses import COUNTED, SHARE, SHARE_GAIN, Estimates, Group, has_same_matches, served_notes
from econzoo.evaluate.run import FailedMatch, describe_unreadable
from econzoo.evaluate.show import NOISE, Column, capitalize_first, format_percent, replace_nan, sanitize_text
from econzoo.evaluate.show import write_number
from econzoo.evaluate.stats import BEST, WORST, Columns, Difference, Interval, values_of

if TYPE_CHECKING:
    import pandas as pd

    from econzoo.evaluate.analyses.summary.summary import Summary

MEAN = Column("mean")


def sentences(summary: Summary) -> list[str]:
    """Return the main results as sentences, the most important first."""
    leaders = [_leader(summary, group) for group in summary.groups]
    shares = [_equilibrium(summary, group) for group in summary.groups]
    results = [_sample(summary), *leaders, *shares, _deals(summary), _conduct(summary)]
    results += served_notes(summary.played_matches)
    results += [str(summary.keywords)] if summary.keywords else []
    # Failed matches are then part of `no_result_note`.
    unreadable = [one for one in summary.unreadable if not (summary.has_cases and isinstance(one, FailedMatch))]
    results += [*describe_unreadable(unreadable), summary.no_result_note]
    return [sentence for sentence in results if sentence]


def _sample(summary: Summary) -> str:
    settings, seeds = (len(set(values_of(summary.columns[name]))) for name in ("setting", "seed"))
    among = "each other" if len(summary.players) > 1 else "itself"
    opponents = (
        among if set(summary.players) >= set(summary.opponents) else format_count(len(summary.opponents), "opponent")
    )
    against = f" against {opponents}" if summary.facts.seats > 1 else ""
    size = format_count(settings, "setting") + ("" if summary.repeats else f", {format_count(seeds, 'seed')}")
    text = (
        f"{format_count(len(summary.players), 'player')} played {format_count(summary.matches, 'match')} of "
        f"{summary.game}{against} ({size})."
    )
    played = len(summary.played_matches) + (len(summary.lost) if summary.has_cases else 0)
    if (rest := (summary.planned_matches or 0) - played) > 0:
        text += f" The run is unfinished: {rest:,} more {'is' if rest == 1 else 'are'} planned."
    return " ".join(filter(None, (text, summary.repeats_note, summary.no_gains_note)))


def _leader(summary: Summary, group: Group) -> str:
    first, *rest = group.players
    mean, measure = group.overall[first][group.ranked], f"mean {summary.ranked_measure}"
    start = _start(summary, group)
    if not rest:
        return f"{start}{sanitize_text(first)} has a {measure} of {_format_interval(mean)}."
    if not group.established:
        return f"{start}{_no_order_sentence(group, group.players)}"
    second = group.overall[rest[0]][group.ranked]
    if abs(mean.mean - second.mean) < NOISE:
        tied = [one for one in group.players if abs(mean.mean - group.overall[one][group.ranked].mean) < NOISE]
        return (
            f"{start}{join_names([sanitize_text(one) for one in tied])} tie for the highest {measure}, "
            f"{_format_interval(mean)}."
        )
    highest = f"{start}{sanitize_text(first)} has the highest {measure}, {_format_interval(mean)}"
    if group.established == 1 < len(rest):
        return f"{highest}, in the worst case too. {_no_order_sentence(group, rest)}"
    return (
        f"{highest}, followed by {sanitize_text(rest[0])} with {_format_interval(second)}"
        f"{_difference_phrase(group.gaps_to_best[rest[0]])}."
    )


def _no_order_sentence(group: Group, players: Sequence[str]) -> str:
    """Which of the first of these players cannot be ordered, and why."""
    least = group.overall[players[0]][WORST].mean
    found = [one for one in players if one == players[0] or not group.overall[one][BEST].mean <= least]
    cases = {
        one: " to ".join(write_number(MEAN, group.overall[one][end].mean) for end in (WORST, BEST)) for one in found
    }
    listed = ", ".join(f"{sanitize_text(one)} {case}" for one, case in cases.items())
    return (
        f"{join_names([*map(sanitize_text, found)])} cannot be ordered: with every missing match at its least and at "
        f"its greatest value their {COUNTED + ' ' if group.ranked == COUNTED else ''}means are {listed}."
    )


def _start(summary: Summary, group: Group) -> str:
    """``"As Alice (seller), "``; empty for all seats together."""
    start = f"As {summary.facts.role_with_part(group.role)}, " if group.role else ""
    return capitalize_first(start + (f"with {group.reading_label}, " if group.reading_label else ""))


def _difference_phrase(gap: Difference) -> str:
    """The paired difference of the first two; empty without an interval."""
    if math.isnan(gap.low):
        return ""
    significance = "" if gap.distinct else ", not significant after Holm's correction"
    return f"; paired difference {gap.mean:.3f} (95% CI {gap.low:.3f} to {gap.high:.3f}){significance}"


def _format_interval(found: Interval) -> str:
    if math.isnan(found.low):
        return f"{found.mean:.3f}"
    return f"{found.mean:.3f} (95% CI {found.low:.3f} to {found.high:.3f})"


def _equilibrium(summary: Summary, group: Group) -> str:
    """The largest and the smallest share of the equilibrium payoff."""
    found = {player: one for player, one in group.overall.items() if not math.isnan(one[SHARE].mean)}
    if not found or group.has_cases or group.ranked == COUNTED:  # shares count neither defaults nor missing matches
        return ""
    best, least = (pick(found, key=lambda player: found[player][SHARE].mean) for pick in (max, min))
    same = has_same_matches(group.overall.values())
    shares = {
        player: format_percent(found[player][SHARE].mean) + ("" if same else _share_seats_phrase(found[player]))
        for player in (best, least)
    }
    text = f"{_start(summary, group)}{sanitize_text(best)} captured "
    if best == least:
        text += f"{shares[best]} of the equilibrium payoff of its seats"
    else:
        text += (
            f"the largest share of the equilibrium payoff of its seats, {shares[best]}, and {sanitize_text(least)} "
            f"the smallest, {shares[least]}"
        )
    return text + ("." if same else "; seats whose equilibrium payoff is unknown or 0 are excluded.")


def _share_seats_phrase(found: Estimates) -> str:
    """How many seats have a share, and the mean gain in these."""
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
        parts.append(f"there was {facts.agreement_with_article} in {format_percent(agreed.mean())} of matches")
    if not math.isnan(efficiency):
        parts.append(f"mean efficiency was {efficiency:.2f}")
    if not math.isnan(fairness):
        parts.append(f"mean fairness was {fairness:.2f}")
    return capitalize_first(join_names(parts)) + "." if parts else ""


def _frame(summary: Summary, *names: str) -> pd.DataFrame:
    """Some columns as a data frame; all of them would take several times the memory."""
    return Columns({name: summary.columns[name] for name in dict.fromkeys(names)}).data_frame()


def _conduct(summary: Summary) -> str:
    table = _frame(summary, "forfeit", "left", "errors", "answers")
    forfeits, left = int(table["forfeit"].sum()), int(table["left"].sum())
    errors, answers = int(table["errors"].sum()), int(table["answers"].sum())
    of = f"Of the {format_count(summary.matches, 'match')} with a result, " if summary.has_cases else ""
    if not forfeits and not left and not errors:
        return capitalize_first(f"{of}no match was forfeited, and all {format_count(answers, 'answer')} were valid.")
    worst = max(summary.overall, key=lambda player: replace_nan(summary.overall[player]["error_rate"].mean, 0.0))
    rate = replace_nan(summary.overall[worst]["error_rate"].mean, 0.0)
    text = of + (f"{format_count(forfeits, 'match')} ended in a forfeit" if forfeits else "no match was forfeited")
    text = capitalize_first(text)
    text += f", {format_count(left, 'match')} {'was' if left == 1 else 'were'} left" if left else ""
    text += f"; {errors:,} of {format_count(answers, 'answer')} were invalid"
    shown = rate and not summary.has_cases
    return text + (f", with the highest rate for {sanitize_text(worst)} ({format_percent(rate)})." if shown else ".")
