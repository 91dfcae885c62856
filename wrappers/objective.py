"""Another objective as the reward of an environment that already exists."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pettingzoo.utils import BaseWrapper

from econzoo.envs.core.contract.objectives import Objective
from econzoo.wrappers.wrapped import wrapped

__all__ = ["ObjectiveReward"]


class ObjectiveReward(BaseWrapper):
    """Replaces the rewards, as ``econzoo.make(..., objective=...)`` would have made them.

    Args:
        env: Any environment of this package, before or after other wrappers.
        objective: Spec or `Objective`.

    Raises:
        ValueError: The spec cannot be read.
    """

    def __init__(self, env: Any, objective: str | Objective) -> None:
        super().__init__(wrapped(env))
        self.objective = objective if isinstance(objective, Objective) else Objective(objective)

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """See `econzoo.envs.core.env.aec.GameEnv.reset`."""
        self.env.reset(seed=seed, options=options)
        self.rewards = dict.fromkeys(self.env.agents, 0.0)
        self._cumulative_rewards = dict(self.rewards)

    def step(self, action: Any) -> None:
        """Plays an action; agents whose game it ends get their value."""
        actor, before = self.env.agent_selection, self._ended()
        self.env.step(action)
        earned = {agent: 0.0 if agent == actor else x for agent, x in self._cumulative_rewards.items()}
        new = self._ended() - before
        self.rewards = {agent: self._value(agent) if agent in new else 0.0 for agent in self.env.agents}
        self._cumulative_rewards = {agent: earned[agent] + x for agent, x in self.rewards.items()}

    def _ended(self) -> set[str]:
        return {a for a in self.env.agents if self.env.terminations[a] or self.env.truncations[a]}

    def _value(self, agent: str) -> float:
        inner = self.env.unwrapped
        seat = inner.possible_agents.index(agent)
        reward = self.objective.reward(inner.payoffs, inner.outcome(), seat)
        return reward - inner.options.penalty * inner.errors[seat]
