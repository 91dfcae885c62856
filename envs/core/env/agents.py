"""What belongs to each agent."""

from __future__ import annotations

from typing import Any, NoReturn, TypeVar

from gymnasium import spaces

Value = TypeVar("Value")


class AgentDict(dict[str, Value]):
    """A value for every agent; asked for another one, it says which there are."""

    def __missing__(self, agent: str) -> NoReturn:
        """Raises `ValueError`."""
        raise ValueError(f"unknown agent {agent!r}; allowed: {', '.join(self)}")


class AgentSpaces:
    """An environment that makes the spaces of its agents once."""

    observation_spaces: dict[str, spaces.Space[Any]]
    action_spaces: dict[str, spaces.Space[Any]]

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The observation space of an agent; the same object every time."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The action space of an agent; the same object every time."""
        return self.action_spaces[agent]
