"""The evolutionary analysis of a payoff matrix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from econzoo.envs.core.contract import check_arguments
from econzoo.evaluate.analyses.evolution.basins import Basin, basins, random_starts
from econzoo.evaluate.analyses.evolution.fitness import Fitness, fitness_map, generations
from econzoo.evaluate.analyses.evolution.moran import Fixation, counts_of, fixation_matrix, rare_mutations, simulate
from econzoo.evaluate.analyses.evolution.payoff_matrix import PayoffMatrix
from econzoo.evaluate.analyses.evolution.replicator import Orbit, orbit, start_shares
from econzoo.evaluate.analyses.evolution.rest_points import STABLE, RestPoints, rest_points
from econzoo.evaluate.analyses.evolution.stability import MixedVerdict, PureVerdict, mixed_verdicts, pure_verdicts

__all__ = ["StudyOptions", "Study", "evolution_study"]


class StudyOptions(NamedTuple):
    """Options of an evolutionary analysis.

    Attributes:
        start: Initial share of each type; None: equal.
        time: Length of the replicator orbit; None: until it settles.
        generations: Generations of the discrete map.
        redraw: Whether the discrete map resamples payoffs in every generation, as the Axelrod library does.
        population: Population size of the Moran process.
        runs: Number of simulated populations.
        fitness: One of `MAPS`; None: linear if no payoff is negative, else exponential.
        intensity: Intensity of selection.
        starts: Random starts for basins of attraction.
        resamples: Resampled matrices for the robustness of rest points.
        seed: Random seed.
    """

    start: tuple[float, ...] | None = None
    time: float | None = None
    generations: int = 200
    redraw: bool = False
    population: int = 100
    runs: int = 200
    fitness: str | None = None
    intensity: float = 1.0
    starts: int = 500
    resamples: int = 400
    seed: int = 0


@dataclass(frozen=True)
class Study:
    """Results of an evolutionary analysis.

    Attributes:
        matrix: Payoffs.
        options: Options of the analysis.
        fitness: The map from payoffs to fitness.
        start: Initial shares, shape (n,).
        orbit: Orbit of the replicator equation from there.
        rest_points: Rest points of the replicator equation.
        type_verdicts: Verdict on each type.
        point_verdicts: Verdict on each rest point, in their order.
        basins: Basins of attraction, the largest first.
        ecosystem: Shares of each generation of the discrete map, shape (generations + 1, n).
        fixation: Fixation probability of one row-type mutant among the column type, shape (n, n).
        rare_mutation_shares: Long-run shares under rare mutations, shape (n,).
        moran: Simulated populations.
        failed_rounds_study: Results with failed meta-rounds included; None if there are none or `matrix` has them.
    """

    matrix: PayoffMatrix
    options: StudyOptions
    fitness: Fitness
    start: np.ndarray
    orbit: Orbit
    rest_points: RestPoints
    type_verdicts: Sequence[PureVerdict]
    point_verdicts: Sequence[MixedVerdict]
    basins: Sequence[Basin]
    ecosystem: np.ndarray
    fixation: np.ndarray
    rare_mutation_shares: np.ndarray
    moran: Fixation
    failed_rounds_study: Study | None = None

    def kind(self, at: int) -> str:
        """Return the kind of the rest point with index `at`: by its eigenvalues, or stable if it is an ESS."""
        return STABLE if self.point_verdicts[at].ess else self.rest_points.points[at].kind


@check_arguments
def evolution_study(
    matrix: PayoffMatrix, options: StudyOptions | None = None, failed_rounds_matrix: PayoffMatrix | None = None
) -> Study:
    """Analyze the evolutionary dynamics of a payoff matrix.

    Args:
        matrix: Payoffs per round.
        options: Options; None: defaults.
        failed_rounds_matrix: The matrix with failed rounds included, for comparison.

    Raises:
        ValueError: An option is invalid, or does not match the matrix.
    """
    options = options or StudyOptions()
    a = matrix.mean
    start = start_shares(options.start, len(matrix))
    fitness = fitness_map(options.fitness, options.intensity, a)
    counts = counts_of(start, options.population)
    rest = rest_points(a)
    deviation = matrix.deviation if options.redraw else None
    fixation = fixation_matrix(a, options.population, fitness)
    return Study(
        matrix=matrix,
        options=options,
        fitness=fitness,
        start=start,
        orbit=orbit(a, start, options.time),
        rest_points=rest,
        type_verdicts=pure_verdicts(matrix),
        point_verdicts=mixed_verdicts(matrix, rest, options.resamples, options.seed),
        basins=basins(a, rest, random_starts(len(matrix), options.starts, options.seed)),
        ecosystem=generations(a, start, options.generations, fitness, deviation, options.seed),
        fixation=fixation,
        rare_mutation_shares=rare_mutations(fixation),
        moran=simulate(a, counts, options.runs, options.seed, fitness),
        failed_rounds_study=None if failed_rounds_matrix is None else evolution_study(failed_rounds_matrix, options),
    )
