"""The public environment: order and bounds checked in one flat layer instead of a stack of wrappers."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from econzoo.envs.core.contract.events import Event
from econzoo.envs.core.contract.validation import short
from econzoo.envs.core.env.aec import GameEnv

__all__ = ["CheckedEnv"]


class _SetByReset:
    """Stands on the class where `reset` will set an attribute of the instance.

    A `__getattr__` would say the same, but a class that has one pays for it at every access of any attribute.
    """

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: Any, owner: type) -> Any:
        raise AttributeError(f"{self.name} is set by reset(); call reset() first")


def _set_by_reset() -> Any:
    return _SetByReset()


class CheckedEnv(GameEnv):
    """`GameEnv` that says clearly what was called wrongly.

    Raises:
        RuntimeError: ``step``, ``last``, ``observe``, ``state`` or ``render`` before ``reset``; ``step`` after the end.
        ValueError: A numeric action that is not in the action space, unless ``on_error`` was given, which then governs
            it as any unusable answer; or an unknown agent.
    """

    CHECKED = True

    agents: list[str] = _set_by_reset()
    agent_selection: str = _set_by_reset()
    infos: dict[str, dict[str, Any]] = _set_by_reset()
    rewards: dict[str, float] = _set_by_reset()
    _cumulative_rewards: dict[str, float] = _set_by_reset()
    terminations: dict[str, bool] = _set_by_reset()
    truncations: dict[str, bool] = _set_by_reset()
    events: tuple[Event, ...] = _set_by_reset()
    game_state: Any = _set_by_reset()

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """See `GameEnv.reset`; warns if others go on and nobody has moved since an agent left."""
        if -1 < self._left_at == self.moves and not self.over:
            told = "reset() ends a match that others go on with; a loop that stops when one agent leaves needs"
            warnings.warn(f"{self.game.name}: {told} black_death=True", stacklevel=2)
        GameEnv.reset(self, seed, options)

    def step(self, action: Any) -> None:
        """See `GameEnv.step`; checks the order first."""
        self._agent("step")
        GameEnv.step(self, action)

    def _was_dead_step(self, action: Any) -> None:
        """Takes a finished agent out; raises `ValueError` if the action is not None."""
        if action is not None:
            wanted = "when an agent is dead, the only valid action is None"
            told = "" if self.over else "; with black_death=True it stays and is not asked again"
            raise ValueError(f"{self.game.name}: {wanted}; {self.agent_selection} got {short(action)}{told}")
        super()._was_dead_step(action)

    def _agent(self, call: str) -> str:
        """The agent whose turn it is; there is one between `reset` and the end."""
        try:
            if self.agents:
                return self.agent_selection
        except AttributeError:
            pass
        raise RuntimeError(self._order(call))

    def _order(self, call: str) -> str:
        when = "the game is over: call reset() to start another" if "agents" in self.__dict__ else "call reset() first"
        return f"{self.game.name}: {call}() is not possible now; {when}"

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Observation, cumulative reward, terminated, truncated and info of the agent whose turn it is."""
        agent = self._agent("last")
        return (
            GameEnv.observe(self, agent) if observe else None,
            self._cumulative_rewards[agent],
            self.terminations[agent],
            self.truncations[agent],
            self.infos[agent],
        )

    def observe(self, agent: str) -> Any:
        """See `GameEnv.observe`."""
        if "agents" not in self.__dict__:
            raise RuntimeError(self._order("observe"))
        return GameEnv.observe(self, agent)

    def state(self) -> np.ndarray:
        """See `GameEnv.state`."""
        if "agents" not in self.__dict__:
            raise RuntimeError(self._order("state"))
        return GameEnv.state(self)

    def render(self) -> str | np.ndarray | None:
        """See `GameEnv.render`."""
        if "agents" not in self.__dict__:
            raise RuntimeError(self._order("render"))
        return GameEnv.render(self)
