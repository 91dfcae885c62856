"""Typed base classes from PettingZoo.

PettingZoo does not declare that it is typed (PEP 561). pyright reads its types anyway; for mypy its classes and their
subclasses would accept any attribute, so their members are declared here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Self

__all__ = ["AECEnv", "ParallelEnv"]

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

        def agent_iter(self, max_iter: int = 2**63) -> Iterator[str]: ...  # noqa: D102
        def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]: ...  # noqa: D102
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
