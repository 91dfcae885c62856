"""What two strategies that remember one round earn against each other, exactly: a Markov chain over four outcomes.

A memory-one strategy is four probabilities of C, after CC, CD, DC and DD of the round before, the own move first.

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

from econzoo.envs.core.contract.arguments import check_argument
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
    """Probabilities from each outcome of a round to each of the next.

    Args:
        row: The row seat's strategy.
        column: The column seat's strategy, its own move first.
        noise: Probability that a choice comes out as the other one, in [0, 1/2].

    Returns:
        Float64 of shape (4, 4), rows sum to 1; outcomes CC, CD, DC, DD, the row seat's move first.
    """
    p, q = validate_memory_one("row", row), validate_memory_one("column", column)
    return np.array([_outcome_probabilities(p[i], q[j], validate_noise(noise)) for i, j in enumerate((0, 2, 1, 3))])


def _outcome_probabilities(first: float, second: float, noise: float) -> tuple[float, float, float, float]:
    """Probabilities of CC, CD, DC, DD, given those of choosing C."""
    x, y = (chance * (1.0 - noise) + (1.0 - chance) * noise for chance in (first, second))
    return x * y, x * (1.0 - y), (1.0 - x) * y, (1.0 - x) * (1.0 - y)


def outcome_shares(chain: np.ndarray, start: np.ndarray, rounds: int | None = None) -> np.ndarray:
    """Share of rounds with each outcome, on average over all that can happen.

    Args:
        chain: Of shape (4, 4), as of `outcome_chain`.
        start: Probabilities of the outcomes of the first round, of shape (4,).
        rounds: How many are played; None: the limit of ever more.

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
    """Mean share of time in each state for each state to start in: where the chain ends up, and how it lives there."""
    size = len(chain)
    reach = np.linalg.matrix_power((np.eye(size) + chain > 0.0).astype(int), size) > 0
    recurrent = (reach <= reach.T).all(1)
    inside, passing = np.flatnonzero(recurrent), np.flatnonzero(~recurrent)
    out = np.zeros((size, size))
    for members in map(np.flatnonzero, np.unique(reach[inside], axis=0)):
        out[np.ix_(members, members)] = _stationary_distribution(chain[np.ix_(members, members)])
    if passing.size:
        within, leaving = chain[np.ix_(passing, passing)], chain[np.ix_(passing, inside)]
        ends = np.linalg.solve(np.eye(len(passing)) - within, leaving)
        out[np.ix_(passing, inside)] = ends @ out[np.ix_(inside, inside)]
    return out


def _stationary_distribution(chain: np.ndarray) -> np.ndarray:
    """The one distribution that an irreducible chain leaves as it is."""
    size = len(chain)
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
    """Expected points a round of two memory-one strategies against each other.

    Args:
        row: The row seat's probabilities of C after CC, CD, DC, DD of the round before, as they came out.
        column: The column seat's, its own move named first.
        table: Points of the row seat for CC, CD, DC, DD, then of the column seat for the same cells.
        noise: Probability that a choice comes out as the other one, in [0, 1/2].
        initial_cooperation: Probability with which each seat chooses C in the first round. In the long run it matters
            only where play can settle in more than one way, as two grudgers without noise can.
        rounds: How many are played; None: the limit of ever more, which exists for every pair (as a mean over time).

    Returns:
        Points of the row seat and of the column seat, per round.

    Raises:
        ValueError: An argument is not as described.
    """
    values, slips = validate_table(table), validate_noise(noise)
    row_first, column_first = check_argument("initial_cooperation", initial_cooperation, FIRST)
    begin = _outcome_probabilities(row_first, column_first, slips)
    rounds = check_argument("rounds", rounds, ROUNDS)
    shares = outcome_shares(outcome_chain(row, column, slips), np.array(begin), rounds)
    return float(shares @ np.array(values[:4])), float(shares @ np.array(values[4:]))
