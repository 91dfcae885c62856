"""A game as a PettingZoo parallel environment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces

from econzoo.envs.core.contract import Game, short_repr
from econzoo.envs.core.env.aec import GameEnv
from econzoo.envs.core.env.pettingzoo_env import ParallelEnv

__all__ = ["ParallelGameEnv"]


class ParallelGameEnv(ParallelEnv):
    """A game as a PettingZoo parallel environment.

    A step is one move, or one move of each mover if several move at once; the other agents wait. Actions of waiting or
    departed agents (`black_death`) are optional and ignored. So that every mask has a 1, games with waiting agents have
    one more numeric action, the last: a no-op, legal exactly if no move is. On the other faces ``legal_actions`` is
    then empty.

    Args:
        game: Game to play.
        **kwargs: Arguments of `GameEnv`.
    """

    def __init__(self, game: Game, **kwargs: Any) -> None:
        self.aec = GameEnv(game, "parallel", **kwargs)
        self.metadata = {**self.aec.metadata, "is_parallelizable": True}
        self.possible_agents = list(self.aec.possible_agents)
        self.render_mode = self.aec.render_mode

    @property
    def observation_spaces(self) -> dict[str, spaces.Space[Any]]:
        """By agent."""
        return self.aec.observation_spaces

    @property
    def action_spaces(self) -> dict[str, spaces.Space[Any]]:
        """By agent."""
        return self.aec.action_spaces

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the observation space of an agent, always the same object."""
        return self.aec.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the action space of an agent, always the same object."""
        return self.aec.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """Start a match; see `GameEnv.reset`."""
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
        """Play one step.

        Args:
            actions: Actions by agent; required for movers.

        Returns:
            Observations, rewards, terminations, truncations and infos by agent.

        Raises:
            RuntimeError: Not reset yet.
            ValueError: Not a mapping, a mover has no action, or its action is rejected (see `GameEnv`); then nothing is
                played.
        """
        self._check_started("step")
        if not self.agents:
            return {}, {}, {}, {}, {}
        env, agents = self.aec, self.agents
        if not isinstance(actions, Mapping):
            raise ValueError(
                f"{env.game.name}: actions must be a mapping from agents to actions, got {short_repr(actions)}"
            )
        rewards = dict.fromkeys(agents, 0.0)
        # All valid, the usual case; else agent by agent, which also retries and counts invalid answers.
        if env._together and env.step_together(actions):
            rewards = dict(env.rewards)
        else:
            self._check_actions_given(actions)
            for agent in self._movers():
                self._move(agent, actions, rewards)
        observations = self._observations(agents)
        # Before the finished agents are dropped, with their entries.
        results = (observations, rewards, dict(env.terminations), dict(env.truncations))
        infos = self._infos(agents)
        self._drop_finished()
        return (*results, infos)

    def _check_started(self, call: str) -> None:
        """Raise `RuntimeError` until the first `reset`."""
        if "agents" not in self.__dict__:
            raise RuntimeError(f"{self.aec.game.name}: {call}() is not possible now; call reset() first")

    def _movers(self) -> list[str]:
        return [self.aec.possible_agents[seat] for seat in self.aec._cycle]

    def _check_actions_given(self, actions: Mapping[str, Any]) -> None:
        """Raise `ValueError` if a mover has no action, ahead of any move."""
        for agent in self._movers():
            if agent not in actions:
                given = sorted(map(str, actions))
                raise ValueError(f"{self.aec.game.name}: no action for {agent}, who is to move, in {given}")

    def _move(self, agent: str, actions: Mapping[str, Any], rewards: dict[str, float]) -> None:
        env, moves, together = self.aec, self.aec.moves, self.aec._together
        # A step cannot end within a joint move: there the same answer uses up the retries of its agent.
        while env.moves == moves and not env.over:
            env.step(actions[agent])
            for name, reward in env.rewards.items():
                rewards[name] += reward
            if not together:
                return  # invalid answers are retried in the next step

    def _drop_finished(self) -> None:
        env = self.aec
        # PettingZoo removes an agent at its step with None.
        while env.agents and (env.terminations[env.agent_selection] or env.truncations[env.agent_selection]):
            env.step(None)
        self.agents = list(env.agents)

    def state(self) -> np.ndarray:
        """See `GameEnv.state`."""
        self._check_started("state")
        return self.aec.state()

    def render(self) -> str | np.ndarray | None:
        """See `GameEnv.render`."""
        self._check_started("render")
        return self.aec.render()

    def close(self) -> None:
        """Nothing to release."""
