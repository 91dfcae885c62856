"""What a run is going to cost: told by its own first matches, and agreed to before the others are played."""

from __future__ import annotations

import math
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import typer

from econzoo.baselines.models import purse
from econzoo.baselines.models.purse import Purse, SpentError, dollars
from econzoo.envs.core.plurals import many
from econzoo.envs.core.record.spec import labels
from econzoo.evaluate.budget import Spent, ended_at, has_prices
from econzoo.evaluate.plan import Plan
from econzoo.evaluate.table import Match

__all__ = ["Estimate", "estimate", "in_steps"]

FIRST = 3
"""Matches of each pairing that an estimate is made from."""

TOLD = 8
"""Pairings that are told one by one."""

STUDENT = (12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23)
"""Quantiles of 97.5% of Student's t, with 1, 2, ... degrees of freedom."""

Pairing = tuple[str, ...]
"""Labels of those who meet, whatever the seats."""


def in_steps(plan: Plan, folder: Path, todo: Sequence[Match]) -> Iterator[Sequence[Match]]:
    """The matches to play, in one step; where they cost money, the first ones, and the others if that is agreed to.

    Args:
        plan: Of the folder.
        folder: With the matches that were played.
        todo: Those that are missing.

    Raises:
        SpentError: It is not agreed to.
    """
    own = purse.current()
    if own is None or own.agreed or not has_prices(plan.names()):
        yield todo
        return
    told = labels(plan.names())
    first, rest = _parted(todo, told, Counter(pairing for pairing, _ in _played(plan, folder, told)))
    if first:
        yield first
    if any(map(_paid, rest)):
        paid = [_pairing(match, told) for match in rest if _paid(match)]
        agree(estimate(_played(plan, folder, told), paid), own)
        own.agreed = True
    if rest:
        yield rest


def _pairing(match: Match, told: Mapping[str, str]) -> Pairing:
    return tuple(sorted({told[spec] for spec in match.players}))


def _paid(match: Match) -> bool:
    return has_prices(match.players)


def _parted(
    todo: Sequence[Match], told: Mapping[str, str], played: Counter[Pairing]
) -> tuple[list[Match], list[Match]]:
    """The matches that are still needed for an estimate, and the others."""
    first: list[Match] = []
    rest: list[Match] = []
    for match in todo:
        pairing = _pairing(match, told)
        needed = _paid(match) and played[pairing] < FIRST
        played[pairing] += needed
        (first if needed else rest).append(match)
    return first, rest


def _played(plan: Plan, folder: Path, told: Mapping[str, str]) -> list[tuple[Pairing, Spent]]:
    """Pairing and cost of every match that cost something and has ended in the folder."""
    found = ended_at(folder)
    return [(_pairing(match, told), found[id]) for match, id in plan.identified() if id in found and _paid(match)]


class Estimate(NamedTuple):
    """What the rest of a run is going to cost.

    Attributes:
        matches: That are to come.
        first: That it was made from.
        cost: US dollars.
        low: Lower end of the 95% interval.
        high: Its upper end.
        tokens: Read and written.
        pairings: Who meets, matches to come, and the mean cost of one in US dollars, the dearest first.
    """

    matches: int
    first: int
    cost: float
    low: float
    high: float
    tokens: float
    pairings: list[tuple[str, int, float]]


def estimate(played: Iterable[tuple[Pairing, Spent]], rest: Iterable[Pairing]) -> Estimate:
    """The cost of matches from that of others: pairing by pairing the mean, with one variance for all of them.

    The interval is that of the sum of the matches to come: it holds what they vary by, and what the means may be off.

    Args:
        played: Pairing and cost of the first matches.
        rest: Pairings of the matches to come; those that have not met cost as much as the others do on average.
    """
    by_pairing: dict[Pairing, list[Spent]] = defaultdict(list)
    for pairing, spent in played:
        by_pairing[pairing].append(spent)
    every = [spent for found in by_pairing.values() for spent in found]
    squares = sum((one.cost - _mean(found)) ** 2 for found in by_pairing.values() for one in found)
    freedom = len(every) - len(by_pairing)
    variance = squares / freedom if freedom else math.nan
    cost = tokens = spread = 0.0
    pairings = []
    for pairing, count in Counter(rest).items():
        found = by_pairing.get(pairing) or every
        cost += count * _mean(found)
        tokens += count * sum(one.tokens for one in found) / max(len(found), 1)
        spread += variance * (count + count**2 / max(len(found), 1))
        pairings.append((" / ".join(pairing), count, _mean(found)))
    off = STUDENT[min(freedom, len(STUDENT)) - 1] * math.sqrt(spread) if freedom else math.nan
    total = sum(count for _, count, _ in pairings)
    ranked = sorted(pairings, key=lambda one: -one[1] * one[2])
    return Estimate(total, len(every), cost, max(cost - off, 0.0), cost + off, tokens, ranked)


def _mean(found: Sequence[Spent]) -> float:
    return sum(one.cost for one in found) / len(found) if found else math.nan


def sentences(found: Estimate) -> list[str]:
    """The estimate in words, the dearest pairings below."""
    ends = "" if math.isnan(found.high) else f" (95% interval {dollars(found.low)} to {dollars(found.high)})"
    about = "an unknown sum: no match has ended" if math.isnan(found.cost) else f"about {dollars(found.cost)}{ends}"
    tokens = "" if math.isnan(found.cost) else f" and {found.tokens:,.0f} tokens"
    by = f", by {many(found.first, 'match')}" if found.first else ""
    lines = [f"The {many(found.matches, 'match')} to come cost {about}{tokens}{by}"]
    lines += [
        f"  {who}: {dollars(mean)} a match, {count:,} to come" for who, count, mean in found.pairings[:TOLD] if mean
    ]
    more = len(found.pairings) - TOLD
    return [*lines, *([f"  and {many(more, 'pairing')} more"] if more > 0 else [])]


def agree(found: Estimate, own: Purse) -> None:
    """Tells the estimate, and asks the person at the terminal whether to go on.

    Raises:
        SpentError: No, or there is no terminal.
    """
    for line in sentences(found):
        print(line, file=sys.stderr)
    left = None if own.max_cost is None else own.max_cost - own.cost
    if left is not None and found.cost > left:
        print(f"That is more than the {dollars(max(left, 0.0))} that are left of the budget", file=sys.stderr)
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise SpentError(f"stopped before the others, at {own}: nobody is here to agree; to go on, add --yes")
    if not typer.confirm("Play them?", default=False, err=True):
        raise SpentError(f"stopped before the others, at {own}; the same command asks again")
