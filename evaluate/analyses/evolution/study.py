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
from econzoo.evaluate.analyses.evolution.stability import Mixed, Pure, mixed_verdicts, pure_verdicts

__all__ = ["Settings", "Study", "study"]


class Settings(NamedTuple):
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
        settings: What was asked.
        fitness: The map from payoffs to fitness.
        start: Shares at the start, shape (n,).
        orbit: Of the replicator equation from there.
        rest: Rest points of the replicator equation.
        pure: Verdict on each type.
        mixed: Verdict on each rest point, in their order.
        basins: The largest first.
        ecosystem: Shares of each generation of the discrete map, shape (generations + 1, n).
        fixation: Probability that one of the row type takes over the column type, shape (n, n).
        rare: Long-run shares under rare mutations, shape (n,).
        moran: Simulated populations.
        with_failed: The same with meta-rounds in which a program failed; None where there are none, or they count.
    """

    matrix: PayoffMatrix
    settings: Settings
    fitness: Fitness
    start: np.ndarray
    orbit: Orbit
    rest: RestPoints
    pure: Sequence[Pure]
    mixed: Sequence[Mixed]
    basins: Sequence[Basin]
    ecosystem: np.ndarray
    fixation: np.ndarray
    rare: np.ndarray
    moran: Fixation
    with_failed: Study | None = None

    def kind(self, at: int) -> str:
        """The kind of a rest point: by its eigenvalues, or stable because it is an ESS.

        Args:
            at: Its place.
        """
        return STABLE if self.mixed[at].ess else self.rest.points[at].kind


def study(matrix: PayoffMatrix, asked: Settings | None = None, with_failed: PayoffMatrix | None = None) -> Study:
    """Everything about a payoff matrix.

    Args:
        matrix: Payoffs per round.
        asked: None: the defaults.
        with_failed: The matrix with failed rounds, to be set beside.

    Raises:
        ValueError: A setting is not allowed, or does not go with the matrix.
    """
    asked = asked or Settings()
    a = matrix.mean
    start = start_shares(asked.start, len(matrix))
    fitness = fitness_map(asked.fitness, asked.intensity, a)
    counts = counts_of(start, asked.population)
    rest = rest_points(a)
    deviation = matrix.deviation if asked.redraw else None
    fixation = fixation_matrix(a, asked.population, fitness)
    return Study(
        matrix=matrix,
        settings=asked,
        fitness=fitness,
        start=start,
        orbit=orbit(a, start, asked.time),
        rest=rest,
        pure=pure_verdicts(matrix),
        mixed=mixed_verdicts(matrix, rest, asked.resamples, asked.seed),
        basins=basins(a, rest, random_starts(len(matrix), asked.starts, asked.seed)),
        ecosystem=generations(a, start, asked.generations, fitness, deviation, asked.seed),
        fixation=fixation,
        rare=rare_mutations(fixation),
        moran=simulate(a, counts, asked.runs, asked.seed, fitness),
        with_failed=None if with_failed is None else study(with_failed, asked),
    )
