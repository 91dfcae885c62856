"""Another objective as the reward of an environment that already exists."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pettingzoo.utils import BaseWrapper

from econzoo.envs.core.contract.objectives import Objective
from econzoo.envs.core.env.options import resolve_black_death
from econzoo.wrappers.face import check_aec_env

__all__ = ["ObjectiveReward"]


class ObjectiveReward(BaseWrapper):
    """Replaces the rewards, as ``econzoo.make(..., objective=...)`` would have made them.

    Everybody is paid as its match terminates, so that a seat that stays after it has left (``black_death``) is paid at
    the end. A match that is cut pays nothing.

    Args:
        env: Any environment of this package, before or after other wrappers.
        objective: Spec or `Objective`.

    Raises:
        ValueError: The spec cannot be read; or it depends on others too, in a game that seats can leave, and the
            environment was made with ``black_death=False``.
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
        """Plays an action; agents whose game it ends get their value."""
        actor, before = self.env.agent_selection, self._terminated_agents()
        self.env.step(action)
        earned = {agent: 0.0 if agent == actor else x for agent, x in self._cumulative_rewards.items()}
        pays = self.objective.is_individual or not self.env.unwrapped.is_truncated
        new = self._terminated_agents() - before if pays else set()
        self.rewards = {agent: self._value(agent) if agent in new else 0.0 for agent in self.env.agents}
        self._cumulative_rewards = {agent: earned[agent] + x for agent, x in self.rewards.items()}

    def _terminated_agents(self) -> set[str]:
        return {agent for agent in self.env.agents if self.env.terminations[agent]}

    def _value(self, agent: str) -> float:
        inner = self.env.unwrapped
        seat = inner.possible_agents.index(agent)
        reward = self.objective.reward(inner.payoffs, inner.outcome(), seat)
        return reward - inner.options.penalty * inner.errors[seat]
