"""Everything that is found out about a payoff matrix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from econzoo.evaluate.analyses.evolution.basins import Basin, basins, random_starts
from econzoo.evaluate.analyses.evolution.fitness import Fitness, fitness_map, generations
from econzoo.evaluate.analyses.evolution.moran import Fixation, counts_of, fixation_matrix, rare_mutations, simulate
from econzoo.evaluate.analyses.evolution.payoff_matrix import PayoffMatrix
from econzoo.evaluate.analyses.evolution.replicator import Orbit, orbit, start_shares
from econzoo.evaluate.analyses.evolution.rest_points import STABLE, RestPoints, rest_points
from econzoo.evaluate.analyses.evolution.stability import MixedVerdict, PureVerdict, mixed_verdicts, pure_verdicts

__all__ = ["StudyOptions", "Study", "evolution_study"]


class StudyOptions(NamedTuple):
    """What is asked.

    Attributes:
        start: Shares at the start, one for each type; None: equal ones.
        time: Of the replicator curves; None: until they settle.
        generations: Of the discrete map.
        redraw: Whether the discrete map draws payoffs anew in every generation, as the Axelrod library does.
        population: Individuals of the Moran process.
        runs: Populations that are simulated.
        fitness: One of `MAPS`, or None: linear where no payoff is negative, else exponential.
        intensity: Of selection.
        starts: Random starts from which basins are measured.
        resamples: Matrices that are drawn to see which rest points survive the errors.
        seed: Of everything that is drawn.
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
    """What was found.

    Attributes:
        matrix: Payoffs.
        options: What was asked.
        fitness: The map from payoffs to fitness.
        start: Shares at the start, shape (n,).
        orbit: Of the replicator equation from there.
        rest_points: Rest points of the replicator equation.
        type_verdicts: Verdict on each type.
        point_verdicts: Verdict on each rest point, in their order.
        basins: The largest first.
        ecosystem: Shares of each generation of the discrete map, shape (generations + 1, n).
        fixation: Probability that one of the row type takes over the column type, shape (n, n).
        rare_mutation_shares: Long-run shares under rare mutations, shape (n,).
        moran: Simulated populations.
        failed_rounds_study: The same with meta-rounds in which a program failed; None where there are none, or they
            count.
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
        """The kind of a rest point: by its eigenvalues, or stable because it is an ESS.

        Args:
            at: Its place.
        """
        return STABLE if self.point_verdicts[at].ess else self.rest_points.points[at].kind


def evolution_study(
    matrix: PayoffMatrix, options: StudyOptions | None = None, failed_rounds_matrix: PayoffMatrix | None = None
) -> Study:
    """Everything about a payoff matrix.

    Args:
        matrix: Payoffs per round.
        options: None: the defaults.
        failed_rounds_matrix: The matrix with failed rounds, to be set beside.

    Raises:
        ValueError: A setting is not allowed, or does not go with the matrix.
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
