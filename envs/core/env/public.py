"""Public environments: AEC with checks of call order and spaces in one layer, and parallel."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces

from econzoo.envs.core.contract.game import Game
from econzoo.envs.core.contract.probing import turns_of
from econzoo.envs.core.contract.validation import short_repr
from econzoo.envs.core.env.aec import GameEnv
from econzoo.envs.core.env.agents import AgentSpaces
from econzoo.envs.core.env.pettingzoo_env import ParallelEnv

__all__ = ["CheckedEnv", "ParallelGameEnv"]


RESET_ATTRIBUTES = (
    "agents",
    "agent_selection",
    "infos",
    "rewards",
    "terminations",
    "truncations",
    "events",
    "game_state",
)
"""Attributes that do not exist before `reset`."""


class CheckedEnv(GameEnv):
    """`GameEnv` with checks of call order and action spaces.

    Raises:
        RuntimeError: ``step``, ``last``, ``observe``, ``state`` or ``render`` before ``reset``; ``step`` after the end.
        ValueError: Action outside its space (unless ``on_error`` was given and applies), or unknown agent.
    """

    CHECKS_ACTION_SPACE = True

    def _build(self, params: dict[str, Any]) -> None:
        super()._build(params)
        self.__class__ = _UNRESET_CLASSES.get(type(self), type(self))

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """See `GameEnv.reset`; warns if other agents are active and none has moved since one left."""
        if -1 < self._last_exit_move == self.moves and not self.over:
            message = (
                "reset() ends a match in which other agents are active; a loop that stops when one agent leaves needs"
            )
            warnings.warn(f"{self.game.name}: {message} black_death=True", stacklevel=2)
        GameEnv.reset(self, seed, options)

    def _was_dead_step(self, action: Any) -> None:
        """Remove a terminated agent; raise `ValueError` if the action is not None."""
        if action is not None:
            wanted = "when an agent is dead, the only valid action is None"
            hint = "" if self.over else "; with black_death=True it stays and does not act again"
            raise ValueError(f"{self.game.name}: {wanted}; {self.agent_selection} got {short_repr(action)}{hint}")
        super()._was_dead_step(action)

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Return observation, cumulative reward, terminated, truncated and info of the selected agent."""
        try:
            agent = self.agent_selection
            terminated, truncated = self.terminations[agent], self.truncations[agent]
        except (AttributeError, KeyError):
            raise self._call_order_error("last") from None
        seen = None
        if observe:
            seat = self._index[agent]
            known = (
                self.information_state(agent)
                if terminated or truncated or self.departed_seats
                else self._mover_information(seat)
            )
            seen = self._faces[seat].observe(known)
        return seen, self._cumulative_rewards[agent], terminated, truncated, self.infos[agent]

    def observe(self, agent: str) -> Any:
        """See `GameEnv.observe`."""
        if "agents" not in self.__dict__:
            raise self._call_order_error("observe")
        return GameEnv.observe(self, agent)

    def state(self) -> np.ndarray:
        """See `GameEnv.state`."""
        if "agents" not in self.__dict__:
            raise self._call_order_error("state")
        return GameEnv.state(self)

    def render(self) -> str | np.ndarray | None:
        """See `GameEnv.render`."""
        if "agents" not in self.__dict__:
            raise self._call_order_error("render")
        return GameEnv.render(self)


class AskAllEnv(CheckedEnv):
    """AEC environment in which waiting agents act, too."""

    def _no_op(self) -> bool:
        """See `GameBase._no_op`."""
        stays = self._alive is not None and self.options.black_death
        return len(self.possible_agents) > 1 and (stays or turns_of(self.game, self.params).has_waiting_seats)


class _UnresetEnv(CheckedEnv):
    """Environment before its first `reset`, which changes its class to the requested one.

    A separate class keeps attribute access fast after `reset`, unlike `__getattr__` or properties there.
    """

    env_class: type[CheckedEnv] = CheckedEnv

    def __getattr__(self, name: str) -> Any:
        if name in RESET_ATTRIBUTES:
            raise AttributeError(f"{name} is set by reset(); call reset() first")
        raise AttributeError(f"{self.env_class.__name__!r} object has no attribute {name!r}")

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """See `GameEnv.reset`."""
        super().reset(seed, options)
        self.__class__ = self.env_class  # type: ignore[assignment]


class _UnresetAskAllEnv(_UnresetEnv, AskAllEnv):
    env_class = AskAllEnv


_UNRESET_CLASSES: dict[type[CheckedEnv], type[CheckedEnv]] = {CheckedEnv: _UnresetEnv, AskAllEnv: _UnresetAskAllEnv}


class ParallelGameEnv(AgentSpaces, ParallelEnv):
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
        self.aec = AskAllEnv(game, **kwargs)
        self.metadata = {**self.aec.metadata, "is_parallelizable": True}
        self.possible_agents = list(self.aec.possible_agents)
        self.render_mode = self.aec.render_mode

    @property
    def observation_spaces(self) -> dict[str, spaces.Space[Any]]:  # type: ignore[override]
        """By agent."""
        return self.aec.observation_spaces

    @property
    def action_spaces(self) -> dict[str, spaces.Space[Any]]:  # type: ignore[override]
        """By agent."""
        return self.aec.action_spaces

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
            RuntimeError: Called before `reset`.
            ValueError: Not a mapping, a mover has no action, or its action is rejected (`CheckedEnv`); then nothing is
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
        if env._together and env.step_together(actions):
            rewards = dict(env.rewards)
        else:
            self._check_actions_given(actions)
            for agent in self._movers():
                self._move(agent, actions, rewards)
        observations = self._observations(agents)
        results = (observations, rewards, dict(env.terminations), dict(env.truncations))
        infos = self._infos(agents)
        self._drop_finished()
        return (*results, infos)

    def _check_started(self, call: str) -> None:
        """Raise `RuntimeError` before the first `reset`."""
        if "agents" not in self.__dict__:
            raise RuntimeError(f"{self.aec.game.name}: {call}() is not possible now; call reset() first")

    def _movers(self) -> list[str]:
        return [self.aec.possible_agents[seat] for seat in self.aec._cycle]

    def _check_actions_given(self, actions: Mapping[str, Any]) -> None:
        """Raise `ValueError` if a mover has no action, before anything is played."""
        for agent in self._movers():
            if agent not in actions:
                given = sorted(map(str, actions))
                raise ValueError(f"{self.aec.game.name}: no action for {agent}, who is to move, in {given}")

    def _move(self, agent: str, actions: Mapping[str, Any], rewards: dict[str, float]) -> None:
        env, before, together = self.aec, self.aec.moves, self.aec._together
        while env.moves == before and not env.over:
            env.step(actions[agent])
            for name, reward in env.rewards.items():
                rewards[name] += reward
            if not together:
                return  # invalid answers are retried in the next step

    def _drop_finished(self) -> None:
        env = self.aec
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
