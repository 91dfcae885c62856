"""Tables of an evolutionary analysis."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product

import numpy as np

from econzoo.envs.core import format_count
from econzoo.evaluate.analyses.evolution.matrix_files import pair_table
from econzoo.evaluate.analyses.evolution.rest_points import KINDS
from econzoo.evaluate.analyses.evolution.stability import MAX_CHECKED, VERDICTS, PureVerdict
from econzoo.evaluate.analyses.evolution.study import Study
from econzoo.evaluate.show import COUNT, RAW, READER_PLACES, SHARE, TEXT, Cell, Column, Row, Table, file_table
from econzoo.evaluate.show import format_percent
from econzoo.evaluate.stats import MIN_CLUSTERS, Interval

MAX_LISTED = 12
"""Maximum number of rest points, basins and columns of payoffs in a displayed table."""

MIN_LISTED_SHARE = 5e-4
"""Minimum share of a type in the description of a population."""

FAILED_ROUNDS_SUFFIX = ", failed rounds counted"
"""Suffix of the titles of tables with failed rounds."""


def mixture(found: Study, shares: np.ndarray) -> str:
    """Format a population by decreasing share, as in ``"60% hawk, 40% dove"``."""
    order = [at for at in np.argsort(-shares, kind="stable") if shares[at] >= MIN_LISTED_SHARE]
    if len(order) == 1:
        return f"all {found.matrix.types[order[0]]}"
    parts = [f"{100 * shares[at]:.3g}% {found.matrix.types[at]}" for at in order[:MAX_LISTED]]
    return ", ".join(parts) + (f" and {len(order) - MAX_LISTED} more" if len(order) > MAX_LISTED else "")


def _numbered_type(found: Study, at: int) -> str:
    return f"{at + 1} {found.matrix.types[at]}"


def payoff_table(found: Study, title_suffix: str = "") -> Table:
    """Tabulate payoffs with intervals; with many types the first columns only."""
    matrix, (low, high) = found.matrix, found.matrix.interval
    shown = range(min(MAX_LISTED, len(matrix)))
    columns = [Column("type", "against", TEXT)]
    for j in shown:
        unsure = bool((matrix.error[:, j] != 0).any())
        columns.append(Column(str(j + 1), digits=_digits(matrix.mean[:, j]), show_interval=unsure))
    rows = [
        [
            _numbered_type(found, i),
            *(_payoff(matrix.mean[i, j], matrix.error[i, j], low[i, j], high[i, j]) for j in shown),
        ]
        for i in range(len(matrix))
    ]
    note = "Row against column, with the 95% interval. " + " ".join(payoff_notes(found))
    if len(matrix) > MAX_LISTED:
        first, last = MAX_LISTED + 1, len(matrix)
        which = f"Columns {first} to {last} are" if last > first else f"Column {last} is"
        note += f" {which} in payoffs.csv."
    return Table(
        "table_payoffs" + _key_suffix(title_suffix),
        f"Payoff per round{title_suffix}",
        columns,
        rows,
        note,
        places=READER_PLACES,
    )


def _digits(payoffs: np.ndarray) -> int:
    return 3 if (np.abs(payoffs) < 1000).all() else 0


def _key_suffix(title_suffix: str) -> str:
    return "_with_failed_rounds" if title_suffix else ""


def _payoff(mean: float, error: float, low: float, high: float) -> Cell:
    unsure = error != 0
    return Cell(Interval(mean, low, high, 0) if unsure else mean, " (?)" if unsure and np.isnan(low) else "")


def payoff_notes(found: Study) -> list[str]:
    """Describe the matches of the payoffs, and excluded ones."""
    matrix = found.matrix
    out = list(matrix.notes)
    if (matrix.matches > 0).any():
        low, high = int(matrix.matches.min()), int(matrix.matches.max())
        out.insert(0, f"Matches per pair: {low if low == high else f'{low} to {high}'}.")
    for name, text in (
        ("failed", "unfinished and excluded"),
        ("defaults", "included with a default action or a failed program"),
    ):
        pairs = np.triu(getattr(matrix, name))  # both entries of a pair count the same matches
        if pairs.any():
            i, j = np.unravel_index(int(np.argmax(pairs)), pairs.shape)
            worst = f"{matrix.types[i]} with {matrix.types[j]}: {pairs[i, j]}"
            out.append(f"{format_count(int(pairs.sum()), 'match')} {text} (most: {worst}).")
    if matrix.failed_rounds.any():
        does = (
            "are included in separate tables only" if found.failed_rounds_study else "are included, paid by the rules"
        )
        out.append(f"Meta-rounds of {format_count(int(matrix.failed_rounds.sum()), 'program')} that failed {does}.")
    if (np.isnan(matrix.interval[0]) & (matrix.error != 0)).any():
        out.append(f"(?): no interval, fewer than {MIN_CLUSTERS} draws.")
    return out


CERTAINTY_MARKS = {None: "?", False: "", True: "*"}
MARKS_NOTE = (
    "*: holds for all payoff differences within their simultaneous 95% intervals; no mark: not certain; ?: no "
    "interval. "
)


def type_table(found: Study, title_suffix: str = "") -> Table:
    """Tabulate stability tests of each type, and its success in finite populations."""
    lost = found.matrix.failed_rounds
    columns = [
        Column("type", kind=TEXT),
        *(Column(name, head) for name, head in zip(VERDICTS, ("Nash", "strict", "ESS"), strict=True)),
        Column("invaders", "beaten by"),
        Column("moran", "Moran", SHARE),
        Column("rare_mutations", "rare mutations", SHARE),
        *([Column("failed_rounds", "failed", COUNT)] if lost.any() else []),
    ]
    rows = [
        [
            _numbered_type(found, one.type),
            *(_verdict(found, one, name) for name in VERDICTS),
            ", ".join(str(at + 1) for at in one.invaders[:4]) + ("\u2026" if len(one.invaders) > 4 else "") or None,
            float(found.moran.fixation_counts[one.type] / found.options.runs),
            float(found.rare_mutation_shares[one.type]),
            *([int(lost[one.type].sum())] if lost.any() else []),
        ]
        for one in found.type_verdicts
    ]
    failed_note = " Failed: meta-rounds in which its program left a turn unanswered." if lost.any() else ""
    unsettled = (
        f" ({format_percent(found.moran.unsettled_runs / found.options.runs)} did not fixate)"
        if found.moran.unsettled_runs
        else ""
    )
    note = (
        f"{MARKS_NOTE if found.matrix.error.any() else ''}Beaten by: types that earn more against it. "
        f"Moran: share of {format_count(found.options.runs, 'simulated population')} of "
        f"{found.options.population} in which it fixated{unsettled}. Rare mutations: long-run share in the limit of "
        f"rare mutations. Fitness: {found.fitness.describe()}.{failed_note}"
    )
    return Table(
        "table_types" + _key_suffix(title_suffix), f"Types{title_suffix}", columns, rows, note, places=READER_PLACES
    )


def _verdict(found: Study, one: PureVerdict, name: str) -> Cell:
    return Cell(getattr(one, name), CERTAINTY_MARKS[one.certainty[name]] if found.matrix.error.any() else "")


def rest_table(found: Study) -> Table:
    """Tabulate rest points of the replicator equation, stable and Nash ones first."""
    columns = [
        Column("population", kind=TEXT),
        Column("kind", kind=TEXT),
        Column("nash", "Nash"),
        Column("ess", "ESS"),
        Column("payoff", digits=_digits(found.matrix.mean)),
        Column("basin", kind=SHARE, show_interval=True),
        Column("again", "robust", kind=SHARE),
    ]
    has_errors = found.matrix.known_error.any()
    basins = {one.point: Interval(one.start_share, one.low, one.high, found.options.starts) for one in found.basins}
    rows: list[Row] = [
        [
            mixture(found, one.point.shares),
            found.kind(at),
            one.point.nash,
            "?" if one.ess is None else one.ess,
            one.point.payoff,
            basins.get(at, 0.0),
            one.same_kind if has_errors else None,
        ]
        for at, one in enumerate(found.point_verdicts[:MAX_LISTED])
    ]
    for continuum in found.rest_points.continua[: MAX_LISTED - len(rows)]:
        names = ", ".join(found.matrix.types[at] for at in continuum.support[:MAX_LISTED])
        rows.append([f"many mixtures of {names}", f"{continuum.dimension}-dim. set", *[None] * 5])
    title = "Rest points of the replicator equation"
    return Table("table_rest_points", title, columns, rows, " ".join(_rest_note(found)), places=READER_PLACES)


def _rest_note(found: Study) -> Iterable[str]:
    points, continua = len(found.rest_points.points), len(found.rest_points.continua)
    if points + continua > MAX_LISTED:
        yield f"{points} rest points and {continua} sets of them; all are in rest_points.csv."
    if found.rest_points.searched_size is not None:
        yield (
            f"Only mixtures of up to {found.rest_points.searched_size} types were searched; larger ones are too many."
        )
    used = dict.fromkeys(found.rest_points.points[at].kind for at in range(min(MAX_LISTED, points)))
    yield " ".join(f"{name.capitalize()}: {KINDS[name]}." for name in used)
    yield "An ESS is also called stable."
    if found.matrix.known_error.any():
        tested = f"first {MAX_CHECKED} only; " if points > MAX_CHECKED else ""
        resampled = f"{found.options.resamples} matrices resampled within standard errors"
        yield f"Robust: share of {resampled} with such a rest point ({tested}same types, same kind)."


def basin_table(found: Study) -> Table:
    """Tabulate the limits of the replicator equation from random starts."""
    columns = [Column("limit", kind=TEXT), Column("part", "share of starts", SHARE, show_interval=True)]
    rows = [
        [
            limit(found, one.support, one.point, one.shares),
            Interval(one.start_share, one.low, one.high, found.options.starts),
        ]
        for one in found.basins[:MAX_LISTED]
    ]
    more = f" {len(found.basins) - MAX_LISTED} more are in basins.csv." if len(found.basins) > MAX_LISTED else ""
    note = f"{format_count(found.options.starts, 'start')} sampled uniformly from the simplex; 95% intervals.{more}"
    return Table("table_basins", "Basins of attraction", columns, rows, note, places=READER_PLACES)


def limit(found: Study, support: Sequence[int], point: int | None, shares: np.ndarray) -> str:
    """Describe a limit of orbits."""
    if not support:
        return "does not settle"
    if point is not None:
        return mixture(found, found.rest_points.points[point].shares)
    if any(tuple(support) == one.support for one in found.rest_points.continua):
        return f"mixtures of {', '.join(found.matrix.types[at] for at in support[:MAX_LISTED])}"
    return mixture(found, shares)


# Files


TYPE_HEADS = (
    *("type", *VERDICTS, *(f"{name}_certain" for name in VERDICTS)),
    *("moran", "rare_mutations", "failed_rounds"),
)
REST_HEADS = (
    *("support", "kind", "dimension", "nash", "ess", "payoff", "eigenvalues", "basin", "basin_low", "basin_high"),
    *("exists", "same_kind", "same_nash"),
)


def number_tables(found: Study) -> Iterator[Table]:
    """Yield file tables of all numbers; shares over time are for CSV only."""
    types = found.matrix.types
    yield pair_table(found.matrix)
    yield file_table("types", TYPE_HEADS, _type_rows(found))
    yield file_table("rest_points", (*REST_HEADS, *types), _rest_rows(found))
    basins = (
        (_join_types(found, one.support), one.start_share, one.low, one.high, *one.shares.tolist())
        for one in found.basins
    )
    yield file_table("basins", ("support", "part", "low", "high", *types), basins)
    pairs = product(range(len(types)), repeat=2)
    fixation = ((types[i], types[j], found.fixation[i, j].item()) for i, j in pairs)
    yield file_table("fixation", ("mutant", "resident", "probability"), fixation)
    for name, head, times, shares in (
        ("replicator", "time", found.orbit.times, found.orbit.shares),
        ("ecosystem", "generation", np.arange(len(found.ecosystem)), found.ecosystem),
        ("moran", "step", found.moran.steps, found.moran.mean),
    ):
        rows = ((time, *row) for time, row in zip(times.tolist(), shares.tolist(), strict=True))
        yield file_table(name, (head, *types), rows, RAW)
    if found.failed_rounds_study is not None:
        yield pair_table(found.failed_rounds_study.matrix, "payoffs" + _key_suffix(FAILED_ROUNDS_SUFFIX))
        yield file_table("types" + _key_suffix(FAILED_ROUNDS_SUFFIX), TYPE_HEADS, _type_rows(found.failed_rounds_study))


def _type_rows(found: Study) -> Iterator[Row]:
    for one in found.type_verdicts:
        verdicts = [getattr(one, name) for name in VERDICTS]
        certain = [one.certainty[name] for name in VERDICTS]
        moran = float(found.moran.fixation_counts[one.type] / found.options.runs)
        lost = int(found.matrix.failed_rounds[one.type].sum())
        yield (
            found.matrix.types[one.type],
            *verdicts,
            *certain,
            moran,
            float(found.rare_mutation_shares[one.type]),
            lost,
        )


def _rest_rows(found: Study) -> Iterator[Row]:
    basins = {one.point: one for one in found.basins}
    for at, one in enumerate(found.point_verdicts):
        point, basin = one.point, basins.get(at)
        part = (0.0, 0.0, 0.0) if basin is None else (basin.start_share, basin.low, basin.high)
        values = " ".join(f"{value:.12g}" for value in point.eigenvalues)
        first = (_join_types(found, point.support), found.kind(at), 0, point.nash, one.ess, point.payoff, values)
        yield *first, *part, one.existence_rate, float(one.same_kind), float(one.same_nash), *point.shares.tolist()
    for continuum in found.rest_points.continua:
        blank = [None] * (len(REST_HEADS) - 3)
        yield (
            _join_types(found, continuum.support),
            "continuum",
            continuum.dimension,
            *blank,
            *continuum.shares.tolist(),
        )


def _join_types(found: Study, support: Sequence[int]) -> str:
    return " + ".join(found.matrix.types[at] for at in support)
