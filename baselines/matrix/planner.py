"""Player of repeated 2x2 games that plans against a posterior over strategies."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from econzoo.baselines import Player, argument, view_of
from econzoo.baselines.matrix import planning
from econzoo.baselines.matrix.classic import HIDDEN, Payoffs
from econzoo.baselines.matrix.generated import FAMILIES, FIRST_HELD_OUT, Generated
from econzoo.baselines.matrix.planning import Array
from econzoo.baselines.offers import effort_of
from econzoo.envs.core.contract import UNKNOWN
from econzoo.envs.core.vector import FunctionCompiler
from econzoo.envs.games.matrix.rules import C, D, View
from econzoo.wrappers import SeatInfo

FAR, EXPECTED = 30, 50
"""Most rounds of a plan, and the expected further rounds of a match of undisclosed length."""

NEAR = 12
"""Most rounds to a known end in which plans have closing moves."""

DEPTH = 2
"""Number of moves that are chosen by the opponent's answers before a plan is."""

DOUBT = 0.1
"""Weight of an opponent whose next answer is unlike the one met."""

SCRIPT_SHARE, OUTSIDE_SHARE = 0.25, 0.25
"""Prior probabilities of the classic scripts, and of strategies that are not in the grammar."""

SLIP = 0.02
"""Probability of a choice by the toss of a coin."""

MACHINES = 6
"""Opponents to which best responses are computed."""


class Prior(NamedTuple):
    """Opponents with what is believed of them before a match; see `planning`.

    Attributes:
        kinds: Integers of shape (opponents,).
        rows: Shape (opponents, numbers).
        draws: Whether each randomises, flags.
        weights: Log prior probabilities.
    """

    kinds: Array
    rows: Array
    draws: Array
    weights: Array


@cache
def compiled_kernels() -> list[Callable[..., Any]]:
    """Return the compiled functions `planning.update_beliefs` and `planning.evaluate_moves`."""
    return FunctionCompiler("plan").compile_kernels([planning.update_beliefs, planning.evaluate_moves])


@cache
def plan_table(ends: bool) -> Array:
    """Return every deterministic memory-one plan, with and without a closing move."""
    closings = ((D, 0), (D, 1), (C, 1)) if ends else ((D, 0),)
    return np.array([(*after, *closing) for after in product((C, D), repeat=4) for closing in closings])


def outside_numbers(number: int, payoffs: Payoffs) -> tuple[float, ...]:
    """Sample the numbers of a noisy best replier (even numbers) or reciprocator (odd ones)."""
    rng = np.random.default_rng([number, 71])
    kindness = rng.uniform(0.5, 2.0) if number % 2 else 0.0
    return (*payoffs, kindness, math.exp(rng.uniform(0.5, 3.0)), rng.uniform(0.05, 1.0), rng.uniform(0.2, 1.0))


@lru_cache(maxsize=64)
def make_prior(count: int, payoffs: Payoffs, families: Sequence[str] = FAMILIES) -> Prior:
    """Return a prior with about this many opponents whose payoffs are given: scripts, the grammar's and others."""
    rng, outside = np.random.default_rng(71), max(round(count * OUTSIDE_SHARE), 4)
    known = max(count - outside - len(planning.SCRIPTS), len(families))
    numbers = rng.integers(FIRST_HELD_OUT, size=known).tolist()
    drawn = [Generated("generated", families[i % len(families)], number) for i, number in enumerate(numbers)]
    classics = [*drawn, *planning.SCRIPTS]
    places = {move: place for place, move in enumerate(planning.STRATEGIES)}
    kinds = [*(places[one.move] for one in classics), *[planning.NOISY_REPLY] * outside]
    rows = [*(one.numbers(payoffs) for one in classics), *(outside_numbers(i, payoffs) for i in range(outside))]
    padded = np.zeros((len(rows), max(map(len, rows))))
    for place, row in enumerate(rows):
        padded[place, : len(row)] = row
    draws = np.array([*(not one.deterministic for one in classics), *[True] * outside])
    sizes = (known, len(planning.SCRIPTS), outside)
    shares = (1.0 - SCRIPT_SHARE - OUTSIDE_SHARE, SCRIPT_SHARE, OUTSIDE_SHARE)
    weights = np.concatenate([np.full(n, share / n) for n, share in zip(sizes, shares, strict=True)])
    return Prior(np.array(kinds), padded, draws, np.log(weights))


def samples_of(seconds: float, turn: int, rounds: int, plans: int) -> int:
    """Return the number of sampled opponents that take about this long, by measurement on one core of 2.5 GHz."""
    steps = 2**DEPTH * plans * rounds
    return int(min(max(seconds / (steps * (200e-9 + 7e-9 * (turn + rounds / 2))), 16), 256))


class Plan(Player):
    """Keeps a posterior over strategies and best responds to it, planning anew in every round.

    Opponents are strategies of the grammar, classic scripts, and noisy best repliers and reciprocators. It compares
    its moves by roll-outs against a sample of the posterior, with memory-one plans and best responses to automata.

    Source: Kalai and Lehrer (1993), Rational learning leads to Nash equilibrium, Econometrica 61(5), 1019-1045.

    Args:
        seconds: Seconds per move, about; above 0, at most 60.
    """

    deterministic = True
    families: Sequence[str] = FAMILIES

    def __init__(self, spec: str = "plan", seconds: Any = 0.03) -> None:
        super().__init__(spec)
        self.seconds = argument(spec, "seconds", seconds, 0.0, 60.0, open_low=True)

    def prior(self, payoffs: Payoffs) -> Prior:
        """Return the prior over opponents with these payoffs."""
        return make_prior(effort_of(self.seconds).strategies, payoffs, tuple(self.families))

    def reset(self, seat: int, info: SeatInfo, seed: int) -> None:
        self.mine, self.theirs, self.known = np.zeros(FAR, np.int64), np.zeros(FAR, np.int64), 0
        self.fits: Array | None = None

    def act(self, observation: Any, info: dict[str, Any]) -> dict[str, Any]:
        """Return the better move after the rounds played."""
        v = view_of(View, observation)
        turn = v.round - 1
        if turn + FAR > len(self.mine):
            self.mine, self.theirs = (np.append(moves, np.zeros_like(moves)) for moves in (self.mine, self.theirs))
        if turn > 0:
            self.mine[turn - 1], self.theirs[turn - 1] = int(v.last_own), int(v.last_other)
        values = self.evaluate(v, turn)
        return {"kind": "CD"[int(values[D] > values[C] + 1e-9)]}

    def believe(self, v: View, turn: int) -> Array:
        """Return the posterior probabilities of the opponents after the rounds played."""
        prior = self.prior(Payoffs(v.other_cc, v.other_dc, v.other_cd, v.other_dd))
        if self.fits is None:
            self.fits = prior.weights.copy()
        horizon = HIDDEN if v.rounds == UNKNOWN else int(v.rounds)
        compiled_kernels()[0](
            prior.kinds, prior.rows, prior.draws, SLIP, self.mine, self.theirs, self.known,
            turn, horizon, v.noise, self.fits,
        )  # fmt: skip
        self.known = turn  # a retry in the same round adds nothing
        weights = np.exp(self.fits - self.fits.max())
        return weights / weights.sum()

    def evaluate(self, v: View, turn: int) -> Array:
        """Return the values of C and D."""
        prior = self.prior(Payoffs(v.other_cc, v.other_dc, v.other_cd, v.other_dd))
        weights = self.believe(v, turn)
        hidden = v.rounds == UNKNOWN
        rounds = min(FAR, FAR if hidden else int(v.rounds) - turn)
        discount = 1.0 - (1.0 / EXPECTED if hidden and v.prob_end == 0.0 else v.prob_end)
        plans = plan_table(not hidden and rounds <= NEAR)
        samples = samples_of(self.seconds, turn, rounds, len(plans) + MACHINES)
        picks = np.searchsorted(np.cumsum(weights), (np.arange(samples) + 0.5) / samples).clip(0, len(weights) - 1)
        automata = [n for n in dict.fromkeys(picks.tolist()) if planning.is_machine(prior.kinds[n], prior.rows[n])]
        likely = sorted(automata, key=lambda n: -weights[n])[:MACHINES]
        machines = [int(np.argmax(picks == n)) for n in likely]
        return compiled_kernels()[1](
            prior.kinds[picks], prior.rows[picks], self.mine.copy(), self.theirs.copy(), turn, rounds,
            HIDDEN if hidden else int(v.rounds), v.noise, discount, np.array([v.cc, v.cd, v.dc, v.dd]),
            np.random.default_rng([71, turn]).random((samples, rounds, 3)), plans, np.array(machines, np.int64),
            min(DEPTH, rounds), DOUBT + v.noise,
        )  # fmt: skip
