"""What a run is going to cost: told by its own first matches, and agreed to before the others are played."""

from __future__ import annotations

import math
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np
import typer

from econzoo.baselines.models import spending
from econzoo.baselines.models.spending import Budget, BudgetSpentError, format_dollars
from econzoo.envs.core.plurals import format_count
from econzoo.envs.core.record.spec import labels
from econzoo.evaluate.run.budget import NO_TERMINAL, Spending, has_prices, spending_by_match
from econzoo.evaluate.run.design import Design
from econzoo.evaluate.run.table import Match
from econzoo.evaluate.stats.intervals import quantile_of_t

__all__ = ["Estimate", "estimate", "iterate_confirmed_parts", "iterate_confirmed_matches"]

ESTIMATE_MATCHES = 3
"""Matches of each pairing that an estimate is made from."""

MAX_LISTED = 8
"""Pairings that are told one by one."""

T = TypeVar("T")

T_QUANTILES = (12.71, 4.30, 3.18, 2.78)
"""Quantiles of 97.5% of Student's t, with 1, 2, ... degrees of freedom; of more see `quantile_of_t`."""

Pairing = tuple[str, ...]
"""Labels of those who meet, whatever the seats."""


def iterate_confirmed_matches(
    designs: Mapping[Path, Design], todo: Mapping[Path, Sequence[Match]]
) -> Iterator[dict[Path, list[Match]]]:
    """The matches of designs to play, by folder: see `iterate_confirmed_parts`.

    Args:
        designs: Each with the folder that keeps its matches.
        todo: The matches of each that are missing.

    Raises:
        SpentError: It is not agreed to.
    """
    told = labels([spec for design in designs.values() for spec in design.names()])

    def pairing(match: Match) -> Pairing:
        return tuple(sorted({told[spec] for spec in match.players})) if has_prices(match.players) else ()

    def pairing_costs() -> list[tuple[Pairing, Spending]]:
        costs = []
        for folder, design in designs.items():
            found = spending_by_match(folder)
            costs += [
                (who, found[id]) for match, id in design.matches_with_ids() if id in found and (who := pairing(match))
            ]
        return costs

    every = [(folder, match) for folder, matches in todo.items() for match in matches]
    for part in iterate_confirmed_parts(every, lambda one: pairing(one[1]), pairing_costs):
        yield {folder: [match for at, match in part if at == folder] for folder in designs}


def iterate_confirmed_parts(
    todo: Sequence[T],
    pairing: Callable[[T], Pairing],
    past_costs: Callable[[], list[tuple[Pairing, Spending]]],
    unit: str = "match",
) -> Iterator[Sequence[T]]:
    """What is to be done, in one part; where it costs money, the first few, and the others if that is agreed to.

    Args:
        todo: What is to be done.
        pairing: Who meets in each; empty: it costs nothing.
        past_costs: Pairing and cost of what was done so far.
        unit: Is done, in the singular.

    Raises:
        SpentError: It is not agreed to.
    """
    own = spending.current_budget()
    if own is None or own.is_confirmed or not any(map(pairing, todo)):
        yield todo
        return
    first, rest = _split_for_estimate(todo, pairing, Counter(who for who, _ in past_costs()))
    if first:
        yield first
    if paid := [who for who in map(pairing, rest) if who]:
        confirm_cost(estimate(past_costs(), paid), own, unit)
    if rest:
        yield rest


def _split_for_estimate(
    todo: Sequence[T], pairing: Callable[[T], Pairing], played: Counter[Pairing]
) -> tuple[list[T], list[T]]:
    """What is still needed for an estimate, and the rest."""
    first: list[T] = []
    rest: list[T] = []
    for one in todo:
        who = pairing(one)
        needed = bool(who) and played[who] < ESTIMATE_MATCHES
        played[who] += needed
        (first if needed else rest).append(one)
    return first, rest


class Estimate(NamedTuple):
    """What the rest of a run is going to cost.

    Attributes:
        matches: That are to come.
        sample_size: That it was made from.
        cost: US dollars.
        low: Lower end of the 95% interval.
        high: Its upper end.
        tokens: Read and written.
        pairings: Who meets, matches to come, and the mean cost of one in US dollars, the dearest first.
    """

    matches: int
    sample_size: int
    cost: float
    low: float
    high: float
    tokens: float
    pairings: list[tuple[str, int, float]]


def estimate(past_costs: Iterable[tuple[Pairing, Spending]], rest: Iterable[Pairing]) -> Estimate:
    """The cost of matches from that of others: pairing by pairing the mean, with one variance for all of them.

    The interval is that of the sum of the matches to come: it holds what they vary by, and what the means may be off.

    Args:
        past_costs: Pairing and cost of the first matches.
        rest: Pairings of the matches to come; those that have not met cost as much as the others do on average.
    """
    by_pairing: dict[Pairing, list[Spending]] = defaultdict(list)
    for pairing, spent in past_costs:
        by_pairing[pairing].append(spent)
    every = [spent for found in by_pairing.values() for spent in found]
    squares = sum((one.cost - _mean_cost(found)) ** 2 for found in by_pairing.values() for one in found)
    freedom = len(every) - len(by_pairing)
    variance = squares / freedom if freedom else math.nan
    cost = tokens = spread = 0.0
    pairings = []
    for pairing, count in Counter(rest).items():
        found = by_pairing.get(pairing) or every
        cost += count * _mean_cost(found)
        tokens += count * sum(one.tokens for one in found) / max(len(found), 1)
        spread += variance * (count + count**2 / max(len(found), 1))
        pairings.append((" / ".join(pairing), count, _mean_cost(found)))
    off = _t_quantile(freedom) * math.sqrt(spread) if freedom else math.nan
    total = sum(count for _, count, _ in pairings)
    ranked = sorted(pairings, key=lambda one: -one[1] * one[2])
    return Estimate(total, len(every), cost, max(cost - off, 0.0), cost + off, tokens, ranked)


def _t_quantile(freedom: int) -> float:
    return T_QUANTILES[freedom - 1] if freedom <= len(T_QUANTILES) else float(quantile_of_t(0.975, np.array(freedom)))


def _mean_cost(found: Sequence[Spending]) -> float:
    return sum(one.cost for one in found) / len(found) if found else math.nan


def describe_estimate(estimated: Estimate, unit: str = "match") -> list[str]:
    """The estimate in words, the dearest pairings below."""
    ends = (
        ""
        if math.isnan(estimated.high)
        else f" (95% interval {format_dollars(estimated.low)} to {format_dollars(estimated.high)})"
    )
    about = (
        "an unknown sum: nothing has ended"
        if math.isnan(estimated.cost)
        else f"about {format_dollars(estimated.cost)}{ends}"
    )
    tokens = "" if math.isnan(estimated.cost) else f" and {estimated.tokens:,.0f} tokens"
    by = f", by {format_count(estimated.sample_size, unit)}" if estimated.sample_size else ""
    lines = [
        f"The {format_count(estimated.matches, unit)} to come "
        f"{'costs' if estimated.matches == 1 else 'cost'} {about}{tokens}{by}"
    ]
    lines += [
        f"  {who}: {format_dollars(mean)} a {unit}, {count:,} to come"
        for who, count, mean in estimated.pairings[:MAX_LISTED]
        if mean
    ]
    more = len(estimated.pairings) - MAX_LISTED
    return [*lines, *([f"  and {format_count(more, 'pairing')} more"] if more > 0 else [])]


def confirm_cost(estimated: Estimate, own: Budget, unit: str = "match") -> None:
    """Tells the estimate, and asks the person at the terminal whether to go on.

    Raises:
        SpentError: No, or there is no terminal.
    """
    for line in describe_estimate(estimated, unit):
        print(line, file=sys.stderr)
    left = None if own.max_cost is None else own.max_cost - own.cost
    if left is not None and estimated.cost > left:
        print(f"That is more than the {format_dollars(max(left, 0.0))} that are left of the budget", file=sys.stderr)
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise BudgetSpentError(f"stopped before the others, at {own}: {NO_TERMINAL}; add --yes to confirm the cost")
    if not typer.confirm("Go on?", default=False, err=True):
        raise BudgetSpentError(f"stopped before the others, at {own}; the same command asks again")
