"""Cost forecasts: estimated from a run's first matches, and confirmed ahead of the rest."""

from __future__ import annotations

import math
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np
import typer

from econzoo.baselines import Budget, BudgetSpentError, current_budget, format_dollars
from econzoo.envs.core import format_count
from econzoo.envs.core.record import labels
from econzoo.evaluate.run.budget import NO_TERMINAL, Spending, has_prices, spending_by_match
from econzoo.evaluate.run.design import Design
from econzoo.evaluate.run.table import Match
from econzoo.evaluate.stats import quantile_of_t

__all__ = ["Estimate", "estimate", "iterate_confirmed_parts", "iterate_confirmed_matches"]

ESTIMATE_MATCHES = 3
"""Matches per pairing from which the cost is estimated."""

MAX_LISTED = 8
"""Maximum pairings listed."""

T = TypeVar("T")

T_QUANTILES = (12.71, 4.30, 3.18, 2.78)
"""97.5% quantiles of Student's t with 1, 2, ... degrees of freedom; `quantile_of_t` is accurate only from 5 on."""

Pairing = tuple[str, ...]
"""Labels of the players of a match, sorted."""


def iterate_confirmed_matches(
    designs: Mapping[Path, Design], todo: Mapping[Path, Sequence[Match]]
) -> Iterator[dict[Path, list[Match]]]:
    """Yield the matches to play, by folder: see `iterate_confirmed_parts`."""
    label_of = labels([spec for design in designs.values() for spec in design.names()])

    def pairing(match: Match) -> Pairing:
        return tuple(sorted({label_of[spec] for spec in match.players})) if has_prices(match.players) else ()

    def pairing_costs() -> list[tuple[Pairing, Spending]]:
        costs = []
        for folder, design in designs.items():
            found = spending_by_match(folder)
            costs += [
                (who, found[id]) for match, id in design.matches_with_ids() if id in found and (who := pairing(match))
            ]
        return costs

    matches_by_folder = [(folder, match) for folder, matches in todo.items() for match in matches]
    for part in iterate_confirmed_parts(matches_by_folder, lambda one: pairing(one[1]), pairing_costs):
        yield {folder: [match for at, match in part if at == folder] for folder in designs}


def iterate_confirmed_parts(
    todo: Sequence[T],
    pairing: Callable[[T], Pairing],
    past_costs: Callable[[], list[tuple[Pairing, Spending]]],
    unit: str = "match",
) -> Iterator[Sequence[T]]:
    """Yield the work in one part; if it costs money, the first few items, and the rest after confirmation.

    Args:
        pairing: Returns the players of an item; empty: it is free.
    """
    own = current_budget()
    if own is None or own.is_confirmed or not any(map(pairing, todo)):
        yield todo
        return
    first, rest = _split_for_estimate(todo, pairing, Counter(who for who, _ in past_costs()))
    if first:
        yield first
    # `past_costs` is called again here: by now the caller has played the first part.
    if paid := [who for who in map(pairing, rest) if who]:
        confirm_cost(estimate(past_costs(), paid), own, unit)
    if rest:
        yield rest


def _split_for_estimate(
    todo: Sequence[T], pairing: Callable[[T], Pairing], played: Counter[Pairing]
) -> tuple[list[T], list[T]]:
    """Split work into what an estimate still needs, and the rest."""
    first: list[T] = []
    rest: list[T] = []
    for one in todo:
        who = pairing(one)
        # `played` counts what earlier runs and this part cover, so a resumed run asks without playing more first.
        needed = bool(who) and played[who] < ESTIMATE_MATCHES
        played[who] += needed
        (first if needed else rest).append(one)
    return first, rest


class Estimate(NamedTuple):
    """Forecast cost of the rest of a run.

    Attributes:
        cost: US dollars.
        low: Lower end of the 95% prediction interval; NaN with one match per pairing.
        high: Upper end.
        tokens: Tokens read and written.
        pairings: Players, remaining matches and mean cost per match in US dollars, in descending order of total cost.
    """

    matches: int
    sample_size: int
    cost: float
    low: float
    high: float
    tokens: float
    pairings: list[tuple[str, int, float]]


def estimate(past_costs: Iterable[tuple[Pairing, Spending]], rest: Iterable[Pairing]) -> Estimate:
    """Forecast the cost of matches from that of others: means by pairing, with a pooled variance.

    The prediction interval of the total covers the variance between matches and the error of the means.
    """
    by_pairing: dict[Pairing, list[Spending]] = defaultdict(list)
    for pairing, spent in past_costs:
        by_pairing[pairing].append(spent)
    pooled = [spent for found in by_pairing.values() for spent in found]
    # One variance for all pairings: each has only `ESTIMATE_MATCHES` matches.
    squares = sum((one.cost - _mean_cost(found)) ** 2 for found in by_pairing.values() for one in found)
    freedom = len(pooled) - len(by_pairing)
    variance = squares / freedom if freedom else math.nan
    cost = tokens = spread = 0.0
    pairings = []
    for pairing, count in Counter(rest).items():
        # A pairing without a match, which failed or is new, is assumed to cost the overall mean.
        found = by_pairing.get(pairing) or pooled
        cost += count * _mean_cost(found)
        tokens += count * sum(one.tokens for one in found) / max(len(found), 1)
        # The variance of the sum of count further matches, and of count times the mean of those found.
        spread += variance * (count + count**2 / max(len(found), 1))
        pairings.append((" / ".join(pairing), count, _mean_cost(found)))
    margin = _t_quantile(freedom) * math.sqrt(spread) if freedom else math.nan
    total = sum(count for _, count, _ in pairings)
    ranked = sorted(pairings, key=lambda one: -one[1] * one[2])
    return Estimate(total, len(pooled), cost, max(cost - margin, 0.0), cost + margin, tokens, ranked)


def _t_quantile(freedom: int) -> float:
    return T_QUANTILES[freedom - 1] if freedom <= len(T_QUANTILES) else float(quantile_of_t(0.975, np.array(freedom)))


def _mean_cost(found: Sequence[Spending]) -> float:
    return sum(one.cost for one in found) / len(found) if found else math.nan


def describe_estimate(estimated: Estimate, unit: str = "match") -> list[str]:
    """Return the forecast as lines, with the most expensive pairings below."""
    ends = (
        ""
        if math.isnan(estimated.high)
        else f" (95% interval {format_dollars(estimated.low)} to {format_dollars(estimated.high)})"
    )
    about = (
        "an unknown amount: no match has ended"
        if math.isnan(estimated.cost)
        else f"about {format_dollars(estimated.cost)}{ends}"
    )
    tokens = "" if math.isnan(estimated.cost) else f" and {estimated.tokens:,.0f} tokens"
    by = f", estimated from {format_count(estimated.sample_size, unit)}" if estimated.sample_size else ""
    lines = [
        f"The remaining {format_count(estimated.matches, unit)} "
        f"{'costs' if estimated.matches == 1 else 'cost'} {about}{tokens}{by}"
    ]
    lines += [
        f"  {who}: {format_dollars(mean)} per {unit}, {count:,} remaining"
        for who, count, mean in estimated.pairings[:MAX_LISTED]
        if mean
    ]
    more = len(estimated.pairings) - MAX_LISTED
    return [*lines, *([f"  and {format_count(more, 'pairing')} more"] if more > 0 else [])]


def confirm_cost(estimated: Estimate, own: Budget, unit: str = "match") -> None:
    """Print the forecast, and ask for confirmation at the terminal."""
    for line in describe_estimate(estimated, unit):
        print(line, file=sys.stderr)
    left = None if own.max_cost is None else own.max_cost - own.cost
    if left is not None and estimated.cost > left:
        print(f"That is more than the {format_dollars(max(left, 0.0))} left in the budget", file=sys.stderr)
    # Nobody can answer: money is spent only with the option.
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise BudgetSpentError(f"stopped at {own}: {NO_TERMINAL}; rerun with --yes to confirm the cost")
    if not typer.confirm("Continue?", default=False, err=True):
        raise BudgetSpentError(f"stopped at {own}; rerun the same command to confirm")
