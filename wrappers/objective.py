"""Wrapper that changes the objective."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pettingzoo.utils import BaseWrapper

from econzoo.envs.core.contract import Objective
from econzoo.envs.core.env import resolve_black_death
from econzoo.wrappers.face import check_aec_env

__all__ = ["ObjectiveReward"]


class ObjectiveReward(BaseWrapper):
    """Replaces the rewards by those of ``econzoo.make(..., objective=...)``.

    Agents are paid when they terminate, so departed seats that stay (``black_death``) are paid at the end. Truncated
    matches pay nothing.

    Args:
        env: Environment of this package, wrapped or not.
        objective: Spec or `Objective`.

    Raises:
        ValueError: Invalid spec, or an objective that depends on other seats in a game that seats can leave, with
            ``black_death=False``.
    """

    def __init__(self, env: Any, objective: str | Objective) -> None:
        super().__init__(check_aec_env(env))
        self.objective = objective if isinstance(objective, Objective) else Objective(objective)
        inner = env.unwrapped
        resolve_black_death(inner.game, self.objective, inner.options.black_death)

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """See `econzoo.envs.core.env.aec.GameEnv.reset`."""
        self.env.reset(seed=seed, options=options)
        self.rewards = dict.fromkeys(self.env.agents, 0.0)
        self._cumulative_rewards = dict(self.rewards)

    def step(self, action: Any) -> None:
        """Play an action; agents that terminate get their reward."""
        actor, previous = self.env.agent_selection, self._terminated_agents()
        self.env.step(action)
        # As in PettingZoo: rewards since the last own step of an agent.
        earned = {agent: 0.0 if agent == actor else x for agent, x in self._cumulative_rewards.items()}
        pays = self.objective.is_individual or not self.env.unwrapped.is_truncated
        new = self._terminated_agents() - previous if pays else set()
        self.rewards = {agent: self._value(agent) if agent in new else 0.0 for agent in self.env.agents}
        self._cumulative_rewards = {agent: earned[agent] + x for agent, x in self.rewards.items()}

    def _terminated_agents(self) -> set[str]:
        return {agent for agent in self.env.agents if self.env.terminations[agent]}

    def _value(self, agent: str) -> float:
        inner = self.env.unwrapped
        seat = inner.possible_agents.index(agent)
        reward = self.objective.reward(inner.payoffs, inner.outcome(), seat)
        return reward - inner.options.penalty * inner.errors[seat]
