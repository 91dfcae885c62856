"""A learner that dies before the others is paid as the vector environment and the records would pay it."""

from __future__ import annotations

import math

import econzoo
from econzoo.baselines import player
from econzoo.envs.core.contract import Objective, Outcome
from econzoo.wrappers import SingleAgentEnv

TOWN = {"supply": (15, 15), "days": 6, "reward": "survival"}
OTHERS = "bid(1)"
"""Four who bid a dollar: on 15 units, Bob (9 units) is served every day while the learner bids nothing."""


def dying(objective: str) -> tuple[float, dict, float]:
    """Reward, info and days of a learner in Alex's seat that never bids."""
    env = SingleAgentEnv(
        "water_allocation", player(OTHERS, "water_allocation"), seat=0, face="structured", objective=objective, **TOWN
    )
    _, info = env.reset(seed=1)
    days = 0
    while True:
        _, reward, terminated, truncated, info = env.step({"bid": 0.0})
        days += 1
        if terminated or truncated:
            return reward, info, days


def test_what_depends_on_others_is_paid_by_the_end_of_the_match() -> None:
    for objective in ["efficiency", "fairness", "inequity(0.5, 0.5)", "0.5*self_gain + 0.5*efficiency"]:
        reward, info, days = dying(objective)
        outcome = info["outcome"]
        ended = Outcome(outcome["gains"], outcome["efficiency"], outcome["fairness"], outcome["agreed"])
        assert days == 4, "four dry days kill"
        assert max(info["payoffs"]) == 1.0, "somebody lives to the end"
        assert math.isclose(reward, Objective(objective).reward(info["payoffs"], ended, 0)), objective


def test_the_own_result_stands_at_death() -> None:
    reward, info, _ = dying("self_gain")
    assert reward == 0.0
    assert info["payoffs"] == (0.0,) * 5, "the match was not played on"


def test_which_objectives_stand_at_death() -> None:
    for spec, own in [("self_gain", True), ("2*payoff", True), ("self_gain + fairness", False)]:
        assert Objective(spec).is_individual is own, spec


def test_bids_that_were_made_in_turn_are_not_made_again_together() -> None:
    env = econzoo.make_raw("survival_auction", face="structured", players=2)
    env.reset(seed=0)
    env.step({"bid": 1.0})
    assert not env.step_together({"player_0": {"bid": 5.0}, "player_1": {"bid": 5.0}})
    env.step({"bid": 2.0})
    assert [event.action.bid for event in env.events] == [1.0, 2.0]
