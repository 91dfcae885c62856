"""Per-agent mappings and spaces."""

from __future__ import annotations

from typing import Any, NoReturn, TypeVar

from gymnasium import spaces

Value = TypeVar("Value")


class AgentDict(dict[str, Value]):
    """Dictionary by agent; unknown agents raise `ValueError` with the known ones."""

    def __missing__(self, agent: str) -> NoReturn:
        """Raise `ValueError`."""
        raise ValueError(f"unknown agent {agent!r}; allowed: {', '.join(self)}")


class AgentSpaces:
    """Mixin with constant spaces per agent."""

    observation_spaces: dict[str, spaces.Space[Any]]
    action_spaces: dict[str, spaces.Space[Any]]

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the observation space of an agent, always the same object."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the action space of an agent, always the same object."""
        return self.action_spaces[agent]
