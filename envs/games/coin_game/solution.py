"""Theory of the Coin Game: what exact planning says, and where nobody knows an equilibrium.

Of the points of a round, what a player gets for coins depends on its own step alone, and what it loses on the other's
alone: two players on a coin are both paid as if alone. So in the last round every step that takes the most coins is
dominant, whoever's they are. Both together gain 1 point with an own coin and lose 1 with the other's: two players who
take any coin expect nothing together, and two who keep to their own do well. It is a dilemma like the prisoner's,
spread over many steps (Lerer and Peysakhovich 2017). Before the last round steps also decide who is near which coin
later, and no equilibrium is known.

The values here are expectations over all ways in which nature can place players and coins, exact up to rounding
(`econzoo.envs.games.coin_game.planning`).

Sources:
    Lerer, A. and Peysakhovich, A. (2017). Maintaining cooperation in complex social dilemmas using deep reinforcement
        learning. arXiv:1707.01068.
    Bellman, R. (1957). Dynamic Programming. Princeton University Press.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

from econzoo.envs.core.contract.arguments import check_setting
from econzoo.envs.core.contract.game import UNKNOWN
from econzoo.envs.core.contract.validation import short_repr
from econzoo.envs.games.coin_game import planning
from econzoo.envs.games.coin_game.planning import HORIZON
from econzoo.envs.games.coin_game.policies import (
    POLICIES,
    STEP_NAMES,
    STEPS,
    Observation,
    Policy,
    cooperative_policy,
    flagged_steps,
    greedy_policy,
    least_cost_policy,
    next_cell,
    observation_of,
)
from econzoo.envs.games.coin_game.rules import Params, View

UNKNOWN_PAYOFFS = (math.nan, math.nan)


def policy_of(name: str) -> Policy:
    """A policy by name.

    Raises:
        ValueError: There is none of this name.
    """
    if not isinstance(name, str) or name not in POLICIES:
        raise ValueError(f"policy={short_repr(name)} is not allowed; allowed: {', '.join(POLICIES)}")
    return POLICIES[name]


# Expected points, before nature has placed anything


def expected_payoffs(params: Params, first: str, second: str) -> tuple[float, float]:
    """Expected points of both seats if each plays a policy to the end.

    Args:
        params: The match.
        first: Name of the policy of seat 0, one of `econzoo.envs.games.coin_game.policies.POLICIES`.
        second: That of seat 1.

    Returns:
        Points; NaN where there are too many positions and rounds (`planning.possible`).

    Raises:
        ValueError: Unknown policy.
    """
    policies = policy_of(first), policy_of(second)
    p = check_setting(params, Params)
    if not planning.is_tractable(p.size, p.rounds):
        return UNKNOWN_PAYOFFS
    return _policy_payoffs(p.size, p.rounds, *policies)


@lru_cache(maxsize=128)
def _policy_payoffs(size: int, rounds: int, first: Policy, second: Policy) -> tuple[float, float]:
    one, other = planning.policy_values(size, (first, second), rounds).mean(axis=1)
    return round(float(one), 12) + 0.0, round(float(other), 12) + 0.0  # a sum of 0 is told as 0.0, and not as -1e-17


def efficient_total(params: Params) -> float:
    """The most points that both seats together can expect, whatever they do; NaN where it is not worked out."""
    p = check_setting(params, Params)
    return _joint_payoff(p.size, p.rounds) if planning.is_tractable(p.size, p.rounds) else math.nan


@lru_cache(maxsize=128)
def _joint_payoff(size: int, rounds: int) -> float:
    return float(planning.joint_values(size, rounds)[rounds].mean())


def best_response(params: Params, policy: str) -> float:
    """The most points that a player can expect against a policy; NaN where it is not worked out.

    Args:
        params: The match.
        policy: Of the other seat, by name.

    Raises:
        ValueError: Unknown policy.
    """
    other, p = policy_of(policy), check_setting(params, Params)
    return _best_response_payoff(p.size, p.rounds, other) if planning.is_tractable(p.size, p.rounds) else math.nan


@lru_cache(maxsize=128)
def _best_response_payoff(size: int, rounds: int, policy: Policy) -> float:
    return float(planning.best_response_values(size, rounds, policy)[rounds].mean())


def exploitability(params: Params, policy: str) -> float:
    """How many points more than the policy itself the best answer to it expects; NaN where it is not worked out.

    It is 0 exactly if the policy, played by both, is an equilibrium.
    """
    return best_response(params, policy) - expected_payoffs(params, policy, policy)[0]


# For reports: the same names in every game


def equilibrium_payoffs(params: Params) -> tuple[float, float]:
    """Expected points of a match of one round in which nobody harms the other without gain; NaN for longer ones.

    In one round every step that takes the most coins is dominant. Where an own coin and one of the other's are both one
    step away they are as good for oneself; this is the equilibrium in which such a player spares the other. Equilibria
    of longer matches are not known, nor of one whose length the players do not know; what is known is that
    `greedy_policy` players are none (`exploitability`).
    """
    p = check_setting(params, Params)
    if p.rounds > 1 or not p.known or not planning.is_tractable(p.size, 1):
        return UNKNOWN_PAYOFFS
    return _policy_payoffs(p.size, 1, last_step_policy, last_step_policy)


@least_cost_policy
def last_step_policy(sight: Observation, cell: int) -> int:
    """The steps that take the most coins at once, and of these those that take the fewest of the other's."""
    own, other = int(cell == sight.own_coin), int(cell == sight.other_coin)
    return other - 2 * (own + other)


def reference(params: Params) -> dict[str, tuple[float, float]]:
    """Named reference points, each with the expected points of both seats.

    Returns:
        ``efficient`` (`efficient_total`, shared equally), ``both cooperative``, ``only seat 1 greedy``, ``both
        greedy``, and ``equilibrium`` for a match that is known to have one round; nothing where values are not worked
        out. All but the last are of the rounds of the match, also where the seats are not told how many: benchmarks of
        full information.
    """
    p = check_setting(params, Params)
    if not planning.is_tractable(p.size, p.rounds):
        return {}
    points = {
        "efficient": (efficient_total(p) / 2,) * 2,
        "both cooperative": expected_payoffs(p, "cooperative", "cooperative"),
        "only seat 1 greedy": expected_payoffs(p, "cooperative", "greedy"),
        "both greedy": expected_payoffs(p, "greedy", "greedy"),
    }
    equilibrium = equilibrium_payoffs(p)
    return points if math.isnan(equilibrium[0]) else {"equilibrium": equilibrium, **points}


# For players: what a seat may be told


def advise(view: View) -> dict[str, str]:
    """What theory says to the seat of a view, from the view alone: coins in reach, and the steps that are best.

    Steps are best for both together, or for oneself against a player that takes any coin or only its own. Where the
    number of rounds is hidden or large, `planning.HORIZON` rounds are looked ahead; on large boards nothing is.
    """
    if view.over:
        return {"advice": "the game is over"}
    sight = observation_of(view)
    told = {"coins that a step takes": describe_reach(sight)}
    if view.rounds == view.round:
        return {
            **told,
            "last round": f"nothing is better for you than {format_steps(flagged_steps(last_step_policy(sight)))}",
        }
    left = HORIZON if view.rounds == UNKNOWN else int(view.rounds) - view.round + 1
    if not planning.is_tractable(view.size, HORIZON):
        return {**told, "theory": "the board is too large to look ahead"}
    return {
        **told,
        "best for both together": format_steps(planning.efficient_steps(sight, left, view.seat)),
        "best for you against one who takes any coin": format_steps(
            planning.best_response_steps(sight, left, greedy_policy)
        ),
        "best for you against one who takes the own coin only": format_steps(
            planning.best_response_steps(sight, left, cooperative_policy)
        ),
    }


def describe_reach(sight: Observation) -> str:
    """The coins that each step takes, in words."""
    told = []
    for kind in STEPS:
        cell = next_cell(sight, kind)
        coins = [name for name, coin in (("your", sight.own_coin), ("the other's", sight.other_coin)) if cell == coin]
        if coins:
            told.append(f"{STEP_NAMES[kind]} takes {' and '.join(coins)} coin{'s' if len(coins) > 1 else ''}")
    return "; ".join(told) or "none"


def format_steps(steps: Sequence[int]) -> str:
    """Steps in words."""
    return " or ".join([STEP_NAMES[kind] for kind in steps])
