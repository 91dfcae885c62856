"""Theory of the Coin Game by exact planning; equilibria of matches of several rounds are not known.

In a round, a player's gains from coins depend on its own step alone and its losses on the other's alone: two players on
a coin are both paid as if alone. So in the last round every step that takes the most coins is dominant, whatever their
colour. The sum of points rises by 1 with an own coin and falls by 1 with the other's: two players who take any coin
expect 0 together, and two who take only their own do well. It is a prisoner's dilemma, spread over many steps (Lerer
and Peysakhovich 2017). Before the last round steps also change distances to coins, and no equilibrium is known.

Values are expectations over nature's placements of players and coins, exact up to rounding
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

from econzoo.envs.core.contract import UNKNOWN, check_setting, short_repr
from econzoo.envs.games.coin_game import planning
from econzoo.envs.games.coin_game.planning import HORIZON
from econzoo.envs.games.coin_game.policies import POLICIES, STEP_NAMES, STEPS, Observation, Policy, cooperative_policy
from econzoo.envs.games.coin_game.policies import flagged_steps, greedy_policy, least_cost_policy, next_cell
from econzoo.envs.games.coin_game.policies import observation_of
from econzoo.envs.games.coin_game.rules import Params, View

UNKNOWN_PAYOFFS = (math.nan, math.nan)


def policy_of(name: str) -> Policy:
    if not isinstance(name, str) or name not in POLICIES:
        raise ValueError(f"invalid policy={short_repr(name)}: expected one of {', '.join(POLICIES)}")
    return POLICIES[name]


# Expected points, before nature's placements


def expected_payoffs(params: Params, first: str, second: str) -> tuple[float, float]:
    """Expected points of both seats under a pair of policies.

    Args:
        first: Policy of seat 0, a name in `econzoo.envs.games.coin_game.policies.POLICIES`.
        second: Policy of seat 1.

    Returns:
        Points; NaN if the setting is too large (`planning.is_tractable`).
    """
    policies = policy_of(first), policy_of(second)
    p = check_setting(params, Params)
    if not planning.is_tractable(p.size, p.rounds):
        return UNKNOWN_PAYOFFS
    return _policy_payoffs(p.size, p.rounds, *policies)


@lru_cache(maxsize=128)
def _policy_payoffs(size: int, rounds: int, first: Policy, second: Policy) -> tuple[float, float]:
    one, other = planning.policy_values(size, (first, second), rounds).mean(axis=1)
    return round(float(one), 12) + 0.0, round(float(other), 12) + 0.0  # -1e-17 becomes 0.0


def efficient_total(params: Params) -> float:
    """Maximum expected sum of both seats' points; NaN if the setting is too large."""
    p = check_setting(params, Params)
    return _joint_payoff(p.size, p.rounds) if planning.is_tractable(p.size, p.rounds) else math.nan


@lru_cache(maxsize=128)
def _joint_payoff(size: int, rounds: int) -> float:
    return float(planning.joint_values(size, rounds)[rounds].mean())


def best_response(params: Params, policy: str) -> float:
    """Expected points of a best response to a policy; NaN if the setting is too large."""
    other, p = policy_of(policy), check_setting(params, Params)
    return _best_response_payoff(p.size, p.rounds, other) if planning.is_tractable(p.size, p.rounds) else math.nan


@lru_cache(maxsize=128)
def _best_response_payoff(size: int, rounds: int, policy: Policy) -> float:
    return float(planning.best_response_values(size, rounds, policy)[rounds].mean())


def exploitability(params: Params, policy: str) -> float:
    """Exploitability of a policy in self-play: gain of a best response in points; NaN if the setting is too large.

    It is 0 if and only if the policy, played by both, is an equilibrium.
    """
    return best_response(params, policy) - expected_payoffs(params, policy, policy)[0]


# For reports, under the same names in every game


def equilibrium_payoffs(params: Params) -> tuple[float, float]:
    """Expected points in the equilibrium of a one-round match; NaN for longer ones.

    In one round every step that takes the most coins is dominant. A player with both coins one step away is
    indifferent; in the selected equilibrium it takes its own. Equilibria of longer matches, or of unknown length, are
    not known; a pair of `greedy_policy` players is not one (`exploitability`).
    """
    p = check_setting(params, Params)
    if p.rounds > 1 or not p.known or not planning.is_tractable(p.size, 1):
        return UNKNOWN_PAYOFFS
    return _policy_payoffs(p.size, 1, last_step_policy, last_step_policy)


@least_cost_policy
def last_step_policy(sight: Observation, cell: int) -> int:
    """Steps that take the most coins at once, and among them the fewest of the other's."""
    own, other = int(cell == sight.own_coin), int(cell == sight.other_coin)
    return other - 2 * (own + other)


def reference(params: Params) -> dict[str, tuple[float, float]]:
    """Reference points by name, each with the expected points of both seats.

    Returns:
        ``efficient`` (`efficient_total`, shared equally), ``both cooperative``, ``only seat 1 greedy``, ``both
        greedy``, and ``equilibrium`` for a match with one known round; empty if the setting is too large. All but the
        last use the true number of rounds even if hidden: full-information benchmarks.
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


# Advice to seats, from views only


def advise(view: View) -> dict[str, str]:
    """Theoretical advice to the seat of a view, from the view alone: coins within reach, and optimal steps.

    Steps are optimal for both together, or for oneself against a player that takes any coin or only its own. With a
    hidden or large number of rounds the lookahead is `planning.HORIZON` rounds; there is none on large boards.
    """
    if view.over:
        return {"advice": "the game is over"}
    sight = observation_of(view)
    reach = {"coins that a step takes": describe_reach(sight)}
    if view.rounds == view.round:
        return {
            **reach,
            "last round": f"nothing is better for you than {format_steps(flagged_steps(last_step_policy(sight)))}",
        }
    left = HORIZON if view.rounds == UNKNOWN else int(view.rounds) - view.round + 1
    if not planning.is_tractable(view.size, HORIZON):
        return {**reach, "theory": "the board is too large to look ahead"}
    return {
        **reach,
        "best for both together": format_steps(planning.efficient_steps(sight, left, view.seat)),
        "best for you against one who takes any coin": format_steps(
            planning.best_response_steps(sight, left, greedy_policy)
        ),
        "best for you against one who takes the own coin only": format_steps(
            planning.best_response_steps(sight, left, cooperative_policy)
        ),
    }


def describe_reach(sight: Observation) -> str:
    """Describe the coins that each step takes."""
    parts = []
    for kind in STEPS:
        cell = next_cell(sight, kind)
        coins = [name for name, coin in (("your", sight.own_coin), ("the other's", sight.other_coin)) if cell == coin]
        if coins:
            parts.append(f"{STEP_NAMES[kind]} takes {' and '.join(coins)} coin{'s' if len(coins) > 1 else ''}")
    return "; ".join(parts) or "none"


def format_steps(steps: Sequence[int]) -> str:
    return " or ".join([STEP_NAMES[kind] for kind in steps])
