"""What a study found as tables of texts, for the terminal and for the page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from rich.text import Text

from econzoo.envs.core.plurals import many
from econzoo.evaluate.analyses.evolution.rest_points import KINDS
from econzoo.evaluate.analyses.evolution.stability import CHECKED, VERDICTS
from econzoo.evaluate.analyses.evolution.study import Study
from econzoo.evaluate.show.console import TextTable, table
from econzoo.evaluate.show.escapes import visible
from econzoo.evaluate.show.numbers import NOTHING, percent
from econzoo.evaluate.stats.intervals import FEWEST

LISTED = 12
"""Rest points, basins and columns of payoffs that a table shows."""

LEAST = 5e-4
"""Shares below are left out where a population is told in words."""


def tables(found: Study) -> list[TextTable]:
    """All tables."""
    types = [payoff_table(found), type_table(found)]
    if found.with_failed is not None:
        others = payoff_table(found.with_failed), type_table(found.with_failed)
        types += [one._replace(title=f"{one.title}, failed rounds counted") for one in others]
    return [*types, rest_table(found), basin_table(found)]


def shown(found: Study) -> Iterator[Any]:
    """What `econzoo.evaluate.show.console.show` prints, part by part."""
    for one in tables(found):
        yield table(f"\n{one.title}", one.heads, [[visible(cell) for cell in row] for row in one.rows])
        yield Text(visible(one.note), style="dim")


def mixture(found: Study, shares: np.ndarray) -> str:
    """``"60% hawk, 40% dove"``, the largest first."""
    order = [at for at in np.argsort(-shares, kind="stable") if shares[at] >= LEAST]
    if len(order) == 1:
        return f"all {found.matrix.types[order[0]]}"
    told = [f"{100 * shares[at]:.3g}% {found.matrix.types[at]}" for at in order[:LISTED]]
    return ", ".join(told) + (f" and {len(order) - LISTED} more" if len(order) > LISTED else "")


def payoff_table(found: Study) -> TextTable:
    """Payoffs with their errors; of many types the first columns only."""
    matrix = found.matrix
    low, high = matrix.interval
    shown = range(min(LISTED, len(matrix)))
    heads = ["against", *(str(j + 1) for j in shown)]
    rows = [
        [f"{i + 1} {name}", *(_payoff(matrix.mean[i, j], matrix.error[i, j], low[i, j], high[i, j]) for j in shown)]
        for i, name in enumerate(matrix.types)
    ]
    note = "Row against column, with the 95% interval. " + " ".join(counted(found))
    if len(matrix) > LISTED:
        first, last = LISTED + 1, len(matrix)
        note += (
            f" Columns {first} to {last} are in payoffs.csv." if last > first else f" Column {last} is in payoffs.csv."
        )
    return TextTable("Payoff per round", heads, rows, note)


def _payoff(mean: float, error: float, low: float, high: float) -> str:
    if error == 0:
        return _number(mean)
    return f"{_number(mean)} (?)" if np.isnan(low) else f"{_number(mean)} ({_number(low)} to {_number(high)})"


def _number(value: float) -> str:
    return f"{value:.3f}" if abs(value) < 1000 else f"{value:,.0f}"


def counted(found: Study) -> list[str]:
    """What the payoffs are made of, and which matches are no part of them."""
    matrix = found.matrix
    out = list(matrix.notes)
    if (matrix.matches > 0).any():
        low, high = int(matrix.matches.min()), int(matrix.matches.max())
        out.insert(0, f"Matches of a pair: {low if low == high else f'{low} to {high}'}.")
    for name, text in (
        ("failed", "did not come to their end and do not count"),
        ("defaults", "count although a default move took the place of an answer, or a program failed"),
    ):
        pairs = np.triu(getattr(matrix, name))
        if pairs.any():
            i, j = np.unravel_index(int(np.argmax(pairs)), pairs.shape)
            worst = f"{matrix.types[i]} with {matrix.types[j]}: {pairs[i, j]}"
            out.append(f"{many(int(pairs.sum()), 'match')} {text} (most: {worst}).")
    if matrix.failed_rounds.any():
        does = "count in tables of their own only" if found.with_failed else "count, paid as the rules of the match say"
        out.append(f"Meta-rounds of {many(int(matrix.failed_rounds.sum()), 'program')} that failed {does}.")
    if (np.isnan(matrix.interval[0]) & (matrix.error != 0)).any():
        out.append(f"(?): no interval, fewer than {FEWEST} draws.")
    return out


CERTAIN = {None: "?", False: "", True: "*"}
MARKS = (
    "*: so wherever in their 95% intervals the differences between payoffs lie (those of a type together); "
    "without a mark: not certain; ?: no interval. "
)


def type_table(found: Study) -> TextTable:
    """What each type is when everybody is of it, and how it fares in a finite population."""
    heads = ["type", "Nash", "strict", "ESS", "beaten by", "Moran", "rare mut."]
    lost = found.matrix.failed_rounds
    sure = not found.matrix.error.any()
    rows = [
        [
            f"{one.type + 1} {found.matrix.types[one.type]}",
            *(_verdict(getattr(one, name), one.certain[name], sure) for name in VERDICTS),
            _invaders(found, one.invaders),
            percent(found.moran.fixed[one.type] / found.settings.runs),
            percent(float(found.rare[one.type])),
            *([f"{lost[one.type].sum():,}"] if lost.any() else []),
        ]
        for one in found.pure
    ]
    heads += ["failed"] if lost.any() else []
    told = " Failed: meta-rounds in which its program left a turn unanswered." if lost.any() else ""
    unsettled = (
        f" ({percent(found.moran.unsettled / found.settings.runs)} held several)" if found.moran.unsettled else ""
    )
    note = (
        f"{MARKS if found.matrix.error.any() else ''}Beaten by: numbers of the types that earn more against it. "
        f"Moran: part of {many(found.settings.runs, 'simulated population')} of {found.settings.population} that it "
        f"took over{unsettled}. Rare mut.: its part of the long run if mutants are rare. "
        f"Fitness: {found.fitness.told()}.{told}"
    )
    return TextTable("Types", heads, rows, note)


def _verdict(holds: bool, certain: bool | None, sure: bool) -> str:
    return ("yes" if holds else "no") + ("" if sure else CERTAIN[certain])


def _invaders(found: Study, invaders: Sequence[int]) -> str:
    return (
        NOTHING if not invaders else ", ".join(str(at + 1) for at in invaders[:4]) + ("…" if len(invaders) > 4 else "")
    )


def rest_table(found: Study) -> TextTable:
    """Rest points of the replicator equation, the stable and Nash ones first."""
    heads = ["population", "kind", "Nash", "ESS", "payoff", "basin"]
    rows = [
        [
            mixture(found, one.point.shares),
            found.kind(at),
            "yes" if one.point.nash else "no",
            {True: "yes", False: "no", None: "?"}[one.ess],
            f"{one.point.payoff:.4g}",
            _basin(found, at),
        ]
        for at, one in enumerate(found.mixed[:LISTED])
    ]
    for continuum in found.rest.continua[: LISTED - len(rows)]:
        names = ", ".join(found.matrix.types[at] for at in continuum.support[:LISTED])
        rows.append([f"many mixtures of {names}", f"{continuum.dimension}-dim. set", *[NOTHING] * 4])
    if found.matrix.known_error.any():
        again = [percent(one.same_kind) for one in found.mixed[:LISTED]]
        heads.append("again")
        rows = [[*row, more] for row, more in zip(rows, again + [NOTHING] * (len(rows) - len(again)), strict=True)]
    return TextTable("Rest points of the replicator equation", heads, rows, " ".join(_rest_note(found)))


def _rest_note(found: Study) -> Iterable[str]:
    points, continua = len(found.rest.points), len(found.rest.continua)
    if points + continua > LISTED:
        yield f"{points} rest points and {continua} sets of them; all are in rest_points.csv."
    if found.rest.searched is not None:
        yield f"Only mixtures of up to {found.rest.searched} types were searched: there are too many of more."
    used = dict.fromkeys(found.rest.points[at].kind for at in range(min(LISTED, points)))
    yield " ".join(f"{name.capitalize()}: {KINDS[name]}." for name in used)
    yield "Stable is also what is an ESS."
    if found.matrix.known_error.any():
        seen = f"the first {CHECKED}; " if points > CHECKED else ""
        drawn = f"{found.settings.resamples} matrices drawn within the errors"
        yield f"Again: part of {drawn} with such a rest point ({seen}same types, same kind)."


def _basin(found: Study, at: int) -> str:
    own = [one for one in found.basins if one.point == at]
    return f"{percent(own[0].part)} ({percent(own[0].low)} to {percent(own[0].high)})" if own else "0%"


def basin_table(found: Study) -> TextTable:
    """Where the replicator equation leads from random starts."""
    rows = []
    for one in found.basins[:LISTED]:
        span = f"{percent(one.low)} to {percent(one.high)}"
        rows.append([limit(found, one.support, one.point, one.shares), percent(one.part), span])
    more = f" {len(found.basins) - LISTED} more are in basins.csv." if len(found.basins) > LISTED else ""
    note = f"Of {many(found.settings.starts, 'start')} spread evenly over the simplex, with 95% intervals.{more}"
    return TextTable("Where the replicator equation leads", ["limit", "part", "95%"], rows, note)


def limit(found: Study, support: Sequence[int], point: int | None, shares: np.ndarray) -> str:
    """Where orbits end, in words."""
    if not support:
        return "does not settle"
    if point is not None:
        return mixture(found, found.rest.points[point].shares)
    if any(tuple(support) == one.support for one in found.rest.continua):
        return f"mixtures of {', '.join(found.matrix.types[at] for at in support[:LISTED])}"
    return mixture(found, shares)
