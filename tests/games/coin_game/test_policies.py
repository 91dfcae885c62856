"""Steps of the simple policies of the Coin Game, by hand."""

from __future__ import annotations

import numpy as np

from econzoo.envs.games.coin_game import planning, policies, solution
from econzoo.envs.games.coin_game.policies import POLICIES, Observation, flagged_steps

POLICY_TABLE = [
    # own, other, own coin, other's coin: steps of greedy, cooperative, considerate, spiteful
    ((4, 8, 1, 7), "up down", "up", "up", "down"),
    ((4, 8, 1, 1), "up", "up", "down", "up"),  # both coins on a cell; waits below, next to it over the edge
    ((4, 8, 0, 1), "up", "left", "left", "up"),  # own coin two steps away, the other's in the way
    ((4, 8, 4, 3), "left", "up down right", "up down right", "left"),  # on the own coin: off it, to come back
    ((4, 8, 8, 0), "up down left right", "down right", "down right", "up left"),
    ((0, 4, 2, 6), "up left", "left", "left", "up"),  # over the edges
]


def test_policies() -> None:
    for where, greedy, cooperative, considerate, spiteful in POLICY_TABLE:
        seen = Observation(3, *where)
        for policy, steps in (
            (policies.greedy_policy, greedy),
            (policies.cooperative_policy, cooperative),
            (policies.considerate_policy, considerate),
            (policies.spiteful_policy, spiteful),
        ):
            assert solution.format_steps(flagged_steps(policy(seen))) == steps.replace(" ", " or "), (
                where,
                greedy,
                cooperative,
            )


def test_probabilities_of_steps_sum_to_one() -> None:
    for policy in POLICIES.values():
        steps = planning.policy_table(3, policy)
        assert steps.shape == (729, 4)
        assert np.allclose(steps.sum(axis=1), 1.0)
