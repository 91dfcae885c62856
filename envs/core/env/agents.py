"""What belongs to each agent."""

from __future__ import annotations

from typing import NoReturn, TypeVar

Value = TypeVar("Value")


class ByAgent(dict[str, Value]):
    """A value for every agent; asked for another one, it says which there are."""

    def __missing__(self, agent: str) -> NoReturn:
        """Raises `ValueError`."""
        raise ValueError(f"unknown agent {agent!r}; allowed: {', '.join(self)}")
