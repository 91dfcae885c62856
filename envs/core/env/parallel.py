"""The parallel view of an environment: all agents step together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from econzoo.envs.core.contract.game import Game
from econzoo.envs.core.contract.probing import turns_of
from econzoo.envs.core.contract.validation import short
from econzoo.envs.core.env.agents import SpacesByAgent
from econzoo.envs.core.env.checks import CheckedEnv
from econzoo.envs.core.env.pettingzoo_env import ParallelEnv

__all__ = ["ParallelGameEnv"]


class AllAskedEnv(CheckedEnv):
    """A match in which agents are asked for an action also while they wait."""

    def _no_op(self) -> bool:
        """See `GameBase._no_op`."""
        stays = self._alive is not None and self.options.black_death
        return len(self.possible_agents) > 1 and (stays or turns_of(self.game, self.params).waiting)


class ParallelGameEnv(SpacesByAgent, ParallelEnv):
    """A game as a PettingZoo parallel environment.

    Where several move at once, a step is a move of each of them, else it is one move; the others wait. Who waits, or
    stays after it has left (`black_death`), passes anything, None or nothing at all, and it is not used. So that every
    mask has a 1, the numeric face has one action more where somebody can wait: the last one, a no-op, legal exactly
    where nothing else is. On the other faces nothing is among the ``legal_actions`` then.

    Args:
        game: The game.
        **kwargs: As for `GameEnv`.
    """

    def __init__(self, game: Game, **kwargs: Any) -> None:
        self.aec = AllAskedEnv(game, **kwargs)
        self.metadata = {**self.aec.metadata, "is_parallelizable": True}
        self.possible_agents = list(self.aec.possible_agents)
        self.render_mode = self.aec.render_mode
        self.observation_spaces, self.action_spaces = self.aec.observation_spaces, self.aec.action_spaces

    def reset(
        self, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """Starts a game; see `GameEnv.reset`."""
        self.aec.reset(seed, options)
        self.agents = list(self.aec.agents)
        return self._observations(self.agents), self._infos(self.agents)

    def _observations(self, agents: list[str]) -> dict[str, Any]:
        return {agent: self.aec.observe(agent) for agent in agents}

    def _infos(self, agents: list[str]) -> dict[str, dict[str, Any]]:
        return {agent: dict(self.aec.infos[agent]) or self.aec.info(agent) for agent in agents}

    def step(
        self, actions: Mapping[str, Any]
    ) -> tuple[dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        """Plays one step.

        Args:
            actions: By agent; needed for the agents to move.

        Returns:
            Observations, rewards, terminations, truncations and infos by agent.

        Raises:
            RuntimeError: There was no `reset` yet.
            ValueError: The actions are no mapping, an agent to move has none, or its action is refused (`CheckedEnv`);
                nothing has been played then.
        """
        self._started("step")
        if not self.agents:
            return {}, {}, {}, {}, {}
        env, agents = self.aec, self.agents
        if not isinstance(actions, Mapping):
            raise ValueError(f"{env.game.name}: actions must be a mapping from agents to actions; got {short(actions)}")
        rewards = dict.fromkeys(agents, 0.0)
        if env._together and env.step_together(actions):
            rewards = dict(env.rewards)
        else:
            self._refuse_missing(actions)
            for agent in self._movers():
                self._move(agent, actions, rewards)
        observations = self._observations(agents)
        results = (observations, rewards, dict(env.terminations), dict(env.truncations))
        infos = self._infos(agents)
        self._drop_finished()
        return (*results, infos)

    def _started(self, call: str) -> None:
        """Raises `RuntimeError` before the first `reset`."""
        if "agents" not in self.__dict__:
            raise RuntimeError(f"{self.aec.game.name}: {call}() is not possible now; call reset() first")

    def _movers(self) -> list[str]:
        return [self.aec.possible_agents[seat] for seat in self.aec._cycle]

    def _refuse_missing(self, actions: Mapping[str, Any]) -> None:
        """Refuses a step before anything of it is played."""
        for agent in self._movers():
            if agent not in actions:
                given = sorted(map(str, actions))
                raise ValueError(f"{self.aec.game.name}: {agent} is to move and has no action in {given}")

    def _move(self, agent: str, actions: Mapping[str, Any], rewards: dict[str, float]) -> None:
        env, before, together = self.aec, self.aec.moves, self.aec._together
        while env.moves == before and not env.over:
            env.step(actions[agent])
            for name, reward in env.rewards.items():
                rewards[name] += reward
            if not together:
                return  # an unusable answer is asked for again in the next step

    def _drop_finished(self) -> None:
        env = self.aec
        while env.agents and (env.terminations[env.agent_selection] or env.truncations[env.agent_selection]):
            env.step(None)
        self.agents = list(env.agents)

    def state(self) -> np.ndarray:
        """See `GameEnv.state`."""
        self._started("state")
        return self.aec.state()

    def render(self) -> str | np.ndarray | None:
        """See `GameEnv.render`."""
        self._started("render")
        return self.aec.render()

    def close(self) -> None:
        """Nothing to release."""
