"""Base classes of environments: typed ones from PettingZoo, and mappings and spaces by agent.

PettingZoo does not declare that it is typed (PEP 561). pyright reads its types anyway; for mypy its classes and their
subclasses would accept any attribute, so their members are declared here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NoReturn, TypeVar

from gymnasium import spaces

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Self

__all__ = ["AECEnv", "AgentDict", "AgentSpaces", "ParallelEnv"]

Value = TypeVar("Value")

MYPY: Literal[False] = False
"""True for mypy only."""

if MYPY:

    class Env:
        """Members shared by both APIs."""

        possible_agents: list[str]
        agents: list[str]
        render_mode: str | None

        @property
        def num_agents(self) -> int: ...
        @property
        def max_num_agents(self) -> int: ...
        @property
        def unwrapped(self) -> Self: ...

    class AECEnv(Env):
        """`pettingzoo.AECEnv`."""

        agent_selection: str
        terminations: dict[str, bool]
        truncations: dict[str, bool]
        rewards: dict[str, float]
        infos: dict[str, dict[str, Any]]
        _cumulative_rewards: dict[str, float]
        _skip_agent_selection: str | None

        def agent_iter(self, max_iter: int = 2**63) -> Iterator[str]: ...
        def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]: ...
        def _was_dead_step(self, action: Any) -> None: ...
        def _deads_step_first(self) -> str: ...
        def _clear_rewards(self) -> None: ...
        def _accumulate_rewards(self) -> None: ...

    class ParallelEnv(Env):
        """`pettingzoo.ParallelEnv`."""

        metadata: dict[str, Any]

else:
    import pettingzoo

    AECEnv = pettingzoo.AECEnv[str, Any, Any]
    ParallelEnv = pettingzoo.ParallelEnv[str, Any, Any]


class AgentDict(dict[str, Value]):
    """Dictionary by agent; unknown agents raise `ValueError` with the known ones."""

    def __missing__(self, agent: str) -> NoReturn:
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
