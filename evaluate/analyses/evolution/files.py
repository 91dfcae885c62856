"""What a study found as CSV files and as plain values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from econzoo.evaluate.analyses.evolution import matrix_files
from econzoo.evaluate.analyses.evolution.stability import VERDICTS
from econzoo.evaluate.analyses.evolution.study import Study
from econzoo.evaluate.analyses.evolution.tables import counted, limit
from econzoo.evaluate.show.csv_files import write_csv


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
    if found.with_failed is not None:
        paths.append(matrix_files.write(found.with_failed.matrix, folder / "payoffs_with_failed_rounds.csv"))
        counted = _type_rows(found.with_failed)
        paths.append(write_csv(folder / "types_with_failed_rounds.csv", TYPE_HEADS, counted))
    return paths


TYPE_HEADS = (
    *("type", *VERDICTS, *(f"{name}_certain" for name in VERDICTS)),
    *("moran", "rare_mutations", "failed_rounds"),
)
REST_HEADS = (
    *("support", "kind", "dimension", "nash", "ess", "payoff", "eigenvalues", "basin", "basin_low", "basin_high"),
    *("exists", "same_kind", "same_nash"),
)


def _type_rows(found: Study) -> Iterable[Sequence[Any]]:
    for one in found.pure:
        verdicts = [int(getattr(one, name)) for name in VERDICTS]
        certain = ["" if (known := one.certain[name]) is None else int(known) for name in VERDICTS]
        moran = float(found.moran.fixed[one.type] / found.settings.runs)
        lost = int(found.matrix.failed_rounds[one.type].sum())
        yield (found.matrix.types[one.type], *verdicts, *certain, moran, float(found.rare[one.type]), lost)


def _rest_rows(found: Study) -> Iterable[Sequence[Any]]:
    basins = {one.point: one for one in found.basins}
    for at, one in enumerate(found.mixed):
        point, basin = one.point, basins.get(at)
        part = (0.0, 0.0, 0.0) if basin is None else (basin.part, basin.low, basin.high)
        values = " ".join(f"{value:.6g}" for value in point.eigenvalues)
        ess = "" if one.ess is None else int(one.ess)
        first = (_joined(found, point.support), found.kind(at), 0, int(point.nash), ess, point.payoff, values)
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
        "intervals": [
            [None if np.isnan(low) else [low, high] for low, high in zip(*row, strict=True)]
            for row in zip(*(ends.tolist() for ends in matrix.interval), strict=True)
        ],
        "failed": matrix.failed.tolist(),
        "failed_rounds": matrix.failed_rounds.tolist(),
        "notes": counted(found),
        "verdicts": [one._asdict() | {"type": matrix.types[one.type]} for one in found.pure],
        "rest_points": [
            {
                "shares": one.point.shares.tolist(),
                "kind": found.kind(at),
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
        **({"with_failed_rounds": to_dict(found.with_failed)} if found.with_failed else {}),
    }
