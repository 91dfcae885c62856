"""Exact payoffs of memory-one strategies against each other, from a Markov chain over four outcomes.

A memory-one strategy is four probabilities of C, after CC, CD, DC and DD in the previous round, the own move first.

Sources:
    Nowak, M. and Sigmund, K. (1993). A strategy of win-stay, lose-shift that outperforms tit-for-tat in the Prisoner's
        Dilemma game. Nature 364, 56-58.
    Press, W. and Dyson, F. (2012). Iterated Prisoner's Dilemma contains strategies that dominate any evolutionary
        opponent. PNAS 109(26), 10409-10413.
    Kemeny, J. and Snell, J. (1960). Finite Markov Chains. Van Nostrand. (Recurrent classes, chapters 3 to 5.)
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from econzoo.envs.core.contract import check_argument
from econzoo.envs.games.matrix.tables import Table
from econzoo.envs.games.matrix.validation import FIRST, ROUNDS, validate_memory_one, validate_noise, validate_table

__all__ = ["STRATEGIES", "memory_one_payoffs", "outcome_chain", "outcome_shares"]

STRATEGIES: dict[str, tuple[float, float, float, float]] = {
    "cooperate": (1.0, 1.0, 1.0, 1.0),
    "defect": (0.0, 0.0, 0.0, 0.0),
    "tit-for-tat": (1.0, 0.0, 1.0, 0.0),
    "grim": (1.0, 0.0, 0.0, 0.0),
    "win-stay-lose-shift": (1.0, 0.0, 0.0, 1.0),
}
"""Well-known memory-one strategies, for `memory_one_payoffs`; all but ``defect`` begin with C."""


def outcome_chain(row: Sequence[float], column: Sequence[float], noise: float = 0.0) -> np.ndarray:
    """Transition matrix between the outcomes of consecutive rounds.

    Args:
        row: Strategy of the row seat.
        column: Strategy of the column seat, its own move first.
        noise: Probability that a choice is flipped, in [0, 1/2].

    Returns:
        Float64 of shape (4, 4), rows sum to 1; outcomes CC, CD, DC, DD, the row seat's move first.
    """
    p, q = validate_memory_one("row", row), validate_memory_one("column", column)
    # The column seat names its own move first: what is CD to the row seat is DC to it.
    return np.array([_outcome_probabilities(p[i], q[j], validate_noise(noise)) for i, j in enumerate((0, 2, 1, 3))])


def _outcome_probabilities(first: float, second: float, noise: float) -> tuple[float, float, float, float]:
    """Probabilities of CC, CD, DC, DD from the probabilities of choosing C."""
    x, y = (chance * (1.0 - noise) + (1.0 - chance) * noise for chance in (first, second))
    return x * y, x * (1.0 - y), (1.0 - x) * y, (1.0 - x) * (1.0 - y)


def outcome_shares(chain: np.ndarray, start: np.ndarray, rounds: int | None = None) -> np.ndarray:
    """Expected share of rounds with each outcome.

    Args:
        chain: Transition matrix of shape (4, 4), see `outcome_chain`.
        start: Probabilities of the outcomes of the first round, shape (4,).
        rounds: Number of rounds; None for the long-run limit.

    Returns:
        Float64 of shape (4,), sums to 1.
    """
    if rounds is None:
        return start @ _long_run_shares(chain)
    total, now = np.zeros(4), start
    for _ in range(rounds):
        total, now = total + now, now @ chain
    return total / rounds


def _long_run_shares(chain: np.ndarray) -> np.ndarray:
    """Long-run share of time in each state by starting state: absorption into recurrent classes, then stationarity."""
    size = len(chain)
    # Positive entries of (I + A)^n are the states that can be reached within n steps. A state is recurrent if every
    # state that it reaches leads back to it; then the rows of a class are the same.
    reach = np.linalg.matrix_power((np.eye(size) + chain > 0.0).astype(int), size) > 0
    recurrent = (reach <= reach.T).all(1)
    recurrent_states, transient = np.flatnonzero(recurrent), np.flatnonzero(~recurrent)
    out = np.zeros((size, size))
    for members in map(np.flatnonzero, np.unique(reach[recurrent_states], axis=0)):
        out[np.ix_(members, members)] = _stationary_distribution(chain[np.ix_(members, members)])
    if transient.size:
        staying, leaving = chain[np.ix_(transient, transient)], chain[np.ix_(transient, recurrent_states)]
        ends = np.linalg.solve(np.eye(len(transient)) - staying, leaving)
        out[np.ix_(transient, recurrent_states)] = ends @ out[np.ix_(recurrent_states, recurrent_states)]
    return out


def _stationary_distribution(chain: np.ndarray) -> np.ndarray:
    """Stationary distribution of an irreducible chain."""
    size = len(chain)
    # One balance equation is redundant, and the sum to 1 comes in addition: a consistent system of size + 1 equations.
    equations = np.vstack([np.eye(size) - chain.T, np.ones(size)])
    return np.linalg.lstsq(equations, np.append(np.zeros(size), 1.0), rcond=None)[0]


def memory_one_payoffs(
    row: Sequence[float],
    column: Sequence[float],
    table: Table,
    noise: float = 0.0,
    *,
    initial_cooperation: Sequence[float] = (1.0, 1.0),
    rounds: int | None = None,
) -> tuple[float, float]:
    """Expected points per round of two memory-one strategies against each other.

    Args:
        row: Row seat's probabilities of C after the realised outcomes CC, CD, DC, DD of the previous round.
        column: Column seat's probabilities, its own move first.
        table: Points of the row seat for CC, CD, DC, DD, then of the column seat for the same cells.
        noise: Probability that a choice is flipped, in [0, 1/2].
        initial_cooperation: Probability of C of each seat in the first round. In the long run it matters only with
            several recurrent classes, e.g. for two grim triggers without noise.
        rounds: Number of rounds; None for the long-run limit, which always exists as a time average.

    Returns:
        Points per round of the row seat and of the column seat.

    Raises:
        ValueError: An argument is invalid.
    """
    values, flip = validate_table(table), validate_noise(noise)
    row_first, column_first = check_argument("initial_cooperation", initial_cooperation, FIRST)
    start = _outcome_probabilities(row_first, column_first, flip)
    rounds = check_argument("rounds", rounds, ROUNDS)
    shares = outcome_shares(outcome_chain(row, column, flip), np.array(start), rounds)
    return float(shares @ np.array(values[:4])), float(shares @ np.array(values[4:]))
