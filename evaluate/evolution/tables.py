"""What a study found as tables of texts, for the terminal and for the page, and as CSV files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from econzoo.evaluate.console import NOTHING, many, percent
from econzoo.evaluate.csv_files import write_csv
from econzoo.evaluate.evolution import matrix_files
from econzoo.evaluate.evolution.rest_points import KINDS
from econzoo.evaluate.evolution.stability import CHECKED, VERDICTS
from econzoo.evaluate.evolution.study import Study
from econzoo.evaluate.figures import short

LISTED = 12
"""Rest points, basins and columns of payoffs that a table shows."""

LEAST = 5e-4
"""Shares below are left out where a population is told in words."""


class Table(NamedTuple):
    """A table of texts.

    Attributes:
        title: What it shows.
        note: How to read it.
        heads: Of the columns; the first column is text, the others are numbers.
        rows: As many cells each.
    """

    title: str
    note: str
    heads: list[str]
    rows: list[list[str]]


def tables(found: Study) -> list[Table]:
    """All tables."""
    return [payoff_table(found), type_table(found), rest_table(found), basin_table(found)]


def mixture(found: Study, shares: np.ndarray) -> str:
    """``"60% hawk, 40% dove"``, the largest first."""
    order = [at for at in np.argsort(-shares, kind="stable") if shares[at] >= LEAST]
    if len(order) == 1:
        return f"all {short(found.matrix.types[order[0]])}"
    told = [f"{100 * shares[at]:.3g}% {short(found.matrix.types[at])}" for at in order[:LISTED]]
    return ", ".join(told) + (f" and {len(order) - LISTED} more" if len(order) > LISTED else "")


def payoff_table(found: Study) -> Table:
    """Payoffs with their errors; of many types the first columns only."""
    matrix = found.matrix
    shown = range(min(LISTED, len(matrix)))
    heads = ["against", *(str(j + 1) for j in shown)]
    rows = [
        [f"{i + 1} {name}", *(_payoff(matrix.mean[i, j], matrix.error[i, j]) for j in shown)]
        for i, name in enumerate(matrix.types)
    ]
    note = "Row against column, with the standard error. " + " ".join(counted(found))
    if len(matrix) > LISTED:
        note += f" Columns {LISTED + 1} to {len(matrix)} are in payoffs.csv."
    return Table("Payoff per round", note, heads, rows)


def _payoff(mean: float, error: float) -> str:
    value = f"{mean:.3f}" if abs(mean) < 1000 else f"{mean:,.0f}"
    return f"{value} ±?" if np.isnan(error) else f"{value} ±{error:.2g}" if error > 0 else value


def counted(found: Study) -> list[str]:
    """What the payoffs are made of, and which matches are no part of them."""
    matrix = found.matrix
    out = list(matrix.notes)
    if (matrix.matches > 0).any():
        low, high = int(matrix.matches.min()), int(matrix.matches.max())
        out.insert(0, f"Matches of a pair: {low if low == high else f'{low} to {high}'}.")
    for name, text in (
        ("failed", "did not come to their end and do not count"),
        ("defaults", "count although a default move or a forfeited turn took the place of an answer"),
    ):
        pairs = np.triu(getattr(matrix, name))
        if pairs.any():
            i, j = np.unravel_index(int(np.argmax(pairs)), pairs.shape)
            worst = f"{short(matrix.types[i])} with {short(matrix.types[j])}: {pairs[i, j]}"
            out.append(f"{many(int(pairs.sum()), 'match')} {text} (most: {worst}).")
    if np.isnan(matrix.error).any():
        out.append("±?: one match says nothing about chance.")
    return out


SURVIVES = {None: "?", 0: "", 1: "*", 2: "**"}
MARKS = (
    "A verdict with ** stays if every payoff is off by two standard errors in the worst direction, with * by one, "
    "without a mark not even then, ?: not known. "
)


def type_table(found: Study) -> Table:
    """What each type is when everybody is of it, and how it fares in a finite population."""
    heads = ["type", "Nash", "strict", "ESS", "beaten by", "Moran", "rare mut."]
    sure = not found.matrix.error.any()
    rows = [
        [
            f"{one.type + 1} {found.matrix.types[one.type]}",
            *(_verdict(getattr(one, name), one.survives[name], sure) for name in VERDICTS),
            _invaders(found, one.invaders),
            percent(found.moran.fixed[one.type] / found.settings.runs),
            percent(float(found.rare[one.type])),
        ]
        for one in found.pure
    ]
    unsettled = (
        f" ({percent(found.moran.unsettled / found.settings.runs)} held several)" if found.moran.unsettled else ""
    )
    note = (
        f"{MARKS if found.matrix.error.any() else ''}Beaten by: numbers of the types that earn more against it. "
        f"Moran: part of {many(found.settings.runs, 'simulated population')} of {found.settings.population} that it "
        f"took over{unsettled}. Rare mut.: its part of the long run if mutants are rare. "
        f"Fitness: {found.fitness.told()}."
    )
    return Table("Types", note, heads, rows)


def _verdict(holds: bool, survives: int | None, sure: bool) -> str:
    return ("yes" if holds else "no") + ("" if sure else SURVIVES[survives])


def _invaders(found: Study, invaders: Sequence[int]) -> str:
    return (
        NOTHING if not invaders else ", ".join(str(at + 1) for at in invaders[:4]) + ("…" if len(invaders) > 4 else "")
    )


def rest_table(found: Study) -> Table:
    """Rest points of the replicator equation, the stable and Nash ones first."""
    heads = ["population", "kind", "Nash", "ESS", "payoff", "basin"]
    rows = [
        [
            mixture(found, one.point.shares),
            kind(found, at),
            "yes" if one.point.nash else "no",
            {True: "yes", False: "no", None: "?"}[one.ess],
            f"{one.point.payoff:.4g}",
            _basin(found, at),
        ]
        for at, one in enumerate(found.mixed[:LISTED])
    ]
    for continuum in found.rest.continua[: LISTED - len(rows)]:
        names = ", ".join(short(found.matrix.types[at]) for at in continuum.support[:LISTED])
        rows.append([f"many mixtures of {names}", f"{continuum.dimension}-dim. set", *[NOTHING] * 4])
    if found.matrix.known_error.any():
        again = [percent(one.same_kind) for one in found.mixed[:LISTED]]
        heads.append("again")
        rows = [[*row, more] for row, more in zip(rows, again + [NOTHING] * (len(rows) - len(again)), strict=True)]
    return Table("Rest points of the replicator equation", " ".join(_rest_note(found)), heads, rows)


def kind(found: Study, at: int) -> str:
    """The kind of a rest point; ``stable`` by its eigenvalues or because it is an ESS."""
    point = found.rest.points[at]
    return "stable" if found.stable(at) else point.kind


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


def basin_table(found: Study) -> Table:
    """Where the replicator equation leads from random starts."""
    rows = []
    for one in found.basins[:LISTED]:
        span = f"{percent(one.low)} to {percent(one.high)}"
        rows.append([limit(found, one.support, one.point, one.shares), percent(one.part), span])
    more = f" {len(found.basins) - LISTED} more are in basins.csv." if len(found.basins) > LISTED else ""
    note = f"Of {many(found.settings.starts, 'start')} spread evenly over the simplex, with 95% intervals.{more}"
    return Table("Where the replicator equation leads", note, ["limit", "part", "95%"], rows)


def limit(found: Study, support: Sequence[int], point: int | None, shares: np.ndarray) -> str:
    """Where orbits end, in words."""
    if not support:
        return "does not settle"
    if point is not None:
        return mixture(found, found.rest.points[point].shares)
    if any(tuple(support) == one.support for one in found.rest.continua):
        return f"mixtures of {', '.join(short(found.matrix.types[at]) for at in support[:LISTED])}"
    return mixture(found, shares)


# Files


def write_tables(found: Study, folder: Path) -> list[Path]:
    """Everything as CSV; returns the files."""
    types = found.matrix.types
    curves = {
        "replicator": ("time", found.orbit.times, found.orbit.shares),
        "ecosystem": ("generation", np.arange(len(found.ecosystem)), found.ecosystem),
        "moran": ("step", found.moran.steps, found.moran.mean),
    }
    paths = [matrix_files.write(found.matrix, folder / "payoffs.csv")]
    paths.append(write_csv(folder / "types.csv", TYPE_HEADS, _type_rows(found)))
    paths.append(write_csv(folder / "rest_points.csv", (*REST_HEADS, *types), _rest_rows(found)))
    basins = [(_joined(found, b.support), b.part, b.low, b.high, *b.shares.tolist()) for b in found.basins]
    paths.append(write_csv(folder / "basins.csv", ("support", "part", "low", "high", *types), basins))
    fixation = [(types[i], types[j], found.fixation[i, j].item()) for i in range(len(types)) for j in range(len(types))]
    paths.append(write_csv(folder / "fixation.csv", ("mutant", "resident", "probability"), fixation))
    for name, (head, times, shares) in curves.items():
        rows = [(time, *row) for time, row in zip(times.tolist(), shares.tolist(), strict=True)]
        paths.append(write_csv(folder / f"{name}.csv", (head, *types), rows))
    return paths


TYPE_HEADS = ("type", *VERDICTS, *(f"{name}_survives" for name in VERDICTS), "moran", "rare_mutations")
REST_HEADS = (
    *("support", "kind", "dimension", "nash", "ess", "payoff", "eigenvalues", "basin", "basin_low", "basin_high"),
    *("exists", "same_kind", "same_nash"),
)


def _type_rows(found: Study) -> Iterable[Sequence[Any]]:
    for one in found.pure:
        verdicts = [int(getattr(one, name)) for name in VERDICTS]
        survives = [float("nan") if (steps := one.survives[name]) is None else steps for name in VERDICTS]
        moran = float(found.moran.fixed[one.type] / found.settings.runs)
        yield (found.matrix.types[one.type], *verdicts, *survives, moran, float(found.rare[one.type]))


def _rest_rows(found: Study) -> Iterable[Sequence[Any]]:
    basins = {one.point: one for one in found.basins}
    for at, one in enumerate(found.mixed):
        point, basin = one.point, basins.get(at)
        part = (0.0, 0.0, 0.0) if basin is None else (basin.part, basin.low, basin.high)
        values = " ".join(f"{value:.6g}" for value in point.eigenvalues)
        ess = "" if one.ess is None else int(one.ess)
        first = (_joined(found, point.support), kind(found, at), 0, int(point.nash), ess, point.payoff, values)
        yield (*first, *part, one.exists, float(one.same_kind), float(one.same_nash), *point.shares.tolist())
    for continuum in found.rest.continua:
        blank = [""] * (len(REST_HEADS) - 3)
        yield (_joined(found, continuum.support), "continuum", continuum.dimension, *blank, *continuum.shares.tolist())


def _joined(found: Study, support: Sequence[int]) -> str:
    return " + ".join(found.matrix.types[at] for at in support)


def to_dict(found: Study) -> dict[str, Any]:
    """The study as plain values."""
    matrix = found.matrix
    errors = [[None if np.isnan(value) else value for value in row] for row in matrix.error.tolist()]
    return {
        "types": list(matrix.types),
        "payoffs": matrix.mean.tolist(),
        "errors": errors,
        "failed": matrix.failed.tolist(),
        "notes": counted(found),
        "verdicts": [one._asdict() | {"type": matrix.types[one.type]} for one in found.pure],
        "rest_points": [
            {
                "shares": one.point.shares.tolist(),
                "kind": kind(found, at),
                "nash": one.point.nash,
                "ess": one.ess,
                "eigenvalues": [[value.real, value.imag] for value in one.point.eigenvalues.tolist()],
            }
            for at, one in enumerate(found.mixed)
        ],
        "continua": [{"support": list(one.support), "dimension": one.dimension} for one in found.rest.continua],
        "basins": [
            {"limit": limit(found, b.support, b.point, b.shares), "part": b.part, "low": b.low, "high": b.high}
            for b in found.basins
        ],
        "fixation": found.fixation.tolist(),
        "moran": found.moran.fixed.tolist(),
        "rare_mutations": found.rare.tolist(),
    }
