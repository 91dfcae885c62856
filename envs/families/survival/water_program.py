"""Exact optimal allocation of known water supplies, by integer programming.

Health depends only on a resident's own days with and without water, so each resident takes a path through a network
whose nodes are (day, condition in the morning). Residents with the same requirement share a network; their paths are an
integer flow. The flows are coupled by the supply of each day: one maximal feasible set of residents is chosen, and only
its members are served. (Serving more is never worse, so maximal sets suffice; if there are too many, a constraint on
the units of the day replaces them, which is equally exact and slower.) HiGHS solves the program by branch and bound and
gives a bound.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from econzoo.envs.core import explain_missing_library
from econzoo.envs.families.survival.health import Condition, payoff_of, update_condition
from econzoo.envs.families.survival.water_planning import Allocation, Town, simulate_survival

TIME_LIMIT = 30.0
"""Default time limit of the solver in seconds."""

MOST_SETS = 1_000
"""Maximum number of feasible sets per day; above it a constraint on units is used."""

SLACK = 1e-6
"""Numerical tolerance of the solver's bound."""


class Step(NamedTuple):
    """One day of a path: an edge of a network, and a variable of the program.

    Attributes:
        group: Index of the requirement among the distinct ones.
        day: Day, from 0.
        condition: Condition in the morning.
        next_condition: Condition on the next morning; None if dead.
        value: Contribution to the payoffs.
    """

    group: int
    day: int
    condition: Condition
    served: bool
    next_condition: Condition | None
    value: float


class Groups(NamedTuple):
    """Residents grouped by requirement, ascending."""

    needs: list[int]
    seats: list[list[int]]

    @property
    def sizes(self) -> list[int]:
        """Number of residents in each group."""
        return [len(group) for group in self.seats]


def best_allocation(town: Town, time_limit: float = TIME_LIMIT) -> Allocation:
    """Find the allocation with the largest sum of payoffs, for known supplies.

    Args:
        time_limit: Seconds, > 0; after that the best allocation found so far is returned, with the bound. The five
            residents of the paper take a few seconds; many distinct requirements and long games take more.
    """
    needs = sorted(set(town.requirements))
    groups = Groups(needs, [[i for i, need in enumerate(town.requirements) if need == one] for one in needs])
    steps = _steps(town, groups)
    flow, bound = _Program(town, groups, steps).solve(time_limit)
    served = _decompose_flow(town, groups, steps, flow)
    payoffs, lives = simulate_survival(town, served)
    welfare = math.fsum(payoffs)
    # Payoffs are whole numbers, so no allocation reaches a fraction of the bound.
    bound = max(welfare, math.floor(bound + SLACK))
    return Allocation(served, lives, payoffs, welfare, bound, welfare >= bound)


# The networks


def _steps(town: Town, groups: Groups) -> list[Step]:
    """All reachable steps; a group cannot be served on a day whose supply is below its requirement."""
    steps = []
    for group, need in enumerate(groups.needs):
        conditions: set[Condition] = {(town.start_health, 0)}
        for day, supply in enumerate(town.supplies):
            options = (True, False) if need <= supply else (False,)
            # Sorted, so that the columns have one order: the solver's choice among optima may depend on it.
            new = [_step(town, group, day, one, served) for one in sorted(conditions) for served in options]
            conditions = {step.next_condition for step in new if step.next_condition is not None}
            steps += new
    return steps


def _step(town: Town, group: int, day: int, condition: Condition, served: bool) -> Step:
    """Create a step with its value: payoffs accrue on the last day or the day of death."""
    after = update_condition(town.max_health, condition, served)
    lives, last = after[0] > 0, day == len(town.supplies) - 1
    due = payoff_of(town.reward, 0 if lives else day + 1, after[0], day + 1) if last or not lives else 0.0
    return Step(group, day, condition, served, after if lives else None, due)


def _largest_sets(groups: Groups, supply: int) -> list[tuple[int, ...]] | None:
    """Maximal feasible sets of a supply as counts per group; None if there are more than `MOST_SETS` feasible sets."""
    # One more than allowed tells that there are too many.
    feasible = list(islice(_sets(groups, supply, ()), MOST_SETS + 1))
    if len(feasible) > MOST_SETS:
        return None
    return [counts for counts in feasible if not _has_room(groups, counts, supply)]


def _sets(groups: Groups, left: int, counts: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    if len(counts) == len(groups.needs):
        yield counts
        return
    need, size = groups.needs[len(counts)], len(groups.seats[len(counts)])
    for count in range(min(size, left // need), -1, -1):
        yield from _sets(groups, left - count * need, (*counts, count))


def _has_room(groups: Groups, counts: Sequence[int], supply: int) -> bool:
    """Whether one more resident could be served."""
    left = supply - sum([count * need for count, need in zip(counts, groups.needs, strict=True)])
    sides = zip(counts, groups.sizes, groups.needs, strict=True)
    return any(count < size and need <= left for count, size, need in sides)


# The program


class _Program:
    """The integer program: columns are the steps, then the feasible sets; rows have names."""

    def __init__(self, town: Town, groups: Groups, steps: Sequence[Step]) -> None:
        self._town, self._groups, self._steps = town, groups, steps
        self._sizes = [float(size) for size in groups.sizes]
        self._rows: dict[tuple, int] = {}
        self._limits: list[tuple[float, float]] = []
        self._entries: list[tuple[int, int, float]] = []
        self._columns = len(steps)
        self._add_flow_rows()
        for day in range(len(town.supplies)):
            self._add_water_rows(day)

    def _add_entry(self, row: tuple, column: int, value: float, low: float = 0.0, high: float = 0.0) -> None:
        """Add an entry; a new row is created with its limits."""
        if row not in self._rows:
            self._rows[row] = len(self._limits)
            self._limits.append((low, high))
        self._entries.append((self._rows[row], column, value))

    def _add_flow_rows(self) -> None:
        """Conserve flow: residents in a condition take one step from it."""
        for column, step in enumerate(self._steps):
            inflow = self._sizes[step.group] if step.day == 0 else 0.0
            self._add_entry(("flow", step.group, step.day, step.condition), column, 1.0, inflow, inflow)
            if step.next_condition is not None and step.day < len(self._town.supplies) - 1:
                self._add_entry(("flow", step.group, step.day + 1, step.next_condition), column, -1.0)

    def _add_water_rows(self, day: int) -> None:
        """Restrict the served steps of a day to one of its maximal sets, or to its units."""
        supply = self._town.supplies[day]
        sets = _largest_sets(self._groups, supply)
        for column, step in enumerate(self._steps):
            if step.day == day and step.served and sets is None:
                self._add_entry(("units", day), column, float(self._groups.needs[step.group]), -math.inf, float(supply))
            elif step.day == day and step.served:
                self._add_entry(("served", day, step.group), column, 1.0, -math.inf, 0.0)
        for counts in sets or ():
            self._add_entry(("set", day), self._columns, 1.0, 1.0, 1.0)
            for group, count in enumerate(counts):
                if count:
                    self._add_entry(("served", day, group), self._columns, -float(count), -math.inf, 0.0)
            self._columns += 1

    def solve(self, time_limit: float) -> tuple[list[int], float]:
        """Return the flow of each step and an upper bound; without a solution in time, nobody is served."""
        with explain_missing_library("the best allocation"):
            from scipy import optimize, sparse
        rows, columns, values = zip(*self._entries, strict=True)
        matrix = sparse.csr_array((values, (rows, columns)), shape=(len(self._rows), self._columns))
        sets = self._columns - len(self._steps)
        result = optimize.milp(
            [-step.value for step in self._steps] + [0.0] * sets,
            integrality=[1] * self._columns,
            bounds=optimize.Bounds(0, [self._sizes[step.group] for step in self._steps] + [1.0] * sets),
            constraints=optimize.LinearConstraint(matrix, *zip(*self._limits, strict=True)),
            options={"time_limit": time_limit, "mip_rel_gap": 0.0},
        )
        # Without a solution in time the flow of zeros serves nobody: paths follow dry days wherever none is left.
        flow = [0] * len(self._steps) if result.x is None else [round(x) for x in result.x[: len(self._steps)]]
        bound = result.mip_dual_bound
        return flow, self._best_case_value() if bound is None or not math.isfinite(bound) else min(
            self._best_case_value(), -bound
        )

    def _best_case_value(self) -> float:
        """Upper bound that ignores the supplies: every resident takes its best path."""
        best = [0.0] * len(self._sizes)
        for step in self._steps:
            best[step.group] = max(best[step.group], step.value)
        return math.fsum([size * most for size, most in zip(self._sizes, best, strict=True)])


def _decompose_flow(
    town: Town, groups: Groups, steps: Sequence[Step], flow: Sequence[int]
) -> tuple[tuple[int, ...], ...]:
    """Decompose the flow into paths of residents; return the seats served on each day."""
    # Residents of a group are interchangeable, so any decomposition is as good as another.
    remaining = {step[:4]: count for step, count in zip(steps, flow, strict=True)}
    served: list[list[int]] = [[] for _ in town.supplies]
    for group, seats in enumerate(groups.seats):
        for seat in seats:
            condition, day = (town.start_health, 0), 0
            while condition[0] > 0 and day < len(served):
                water = remaining.get((group, day, condition, True), 0) > 0
                remaining[group, day, condition, water] -= 1
                if water:
                    served[day].append(seat)
                condition, day = update_condition(town.max_health, condition, water), day + 1
    return tuple([tuple(sorted(day)) for day in served])
