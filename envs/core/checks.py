"""The public environment: order and bounds checked in one flat layer instead of a stack of wrappers."""

from __future__ import annotations

from typing import Any

from econzoo.envs.core.aec import GameEnv
from econzoo.envs.core.faces import NumericFace

_SET_BY_RESET = (
    "agents",
    "agent_selection",
    "rewards",
    "terminations",
    "truncations",
    "infos",
    "_cumulative_rewards",
    "events",
    "game_state",
)


class CheckedEnv(GameEnv):
    """`GameEnv` that says clearly what was called wrongly.

    Raises:
        RuntimeError: ``step``, ``last``, ``observe`` or ``render`` before ``reset``, or ``step`` after the end.
        ValueError: A numeric action that is not in the action space, or an unknown agent.
    """

    def step(self, action: Any) -> None:
        """See `GameEnv.step`; checks order and bounds first."""
        state = self.__dict__
        if not state.get("agents"):
            raise RuntimeError(self._order("step"))
        agent = state["agent_selection"]
        face = self._faces[self._index[agent]]
        if face.__class__ is NumericFace and action is not None and not self.action_spaces[agent].contains(action):
            size = face.size  # type: ignore[attr-defined]
            raise ValueError(
                f"{self.game.name}: action {action!r} of {agent} is outside its space; allowed: whole numbers 0 to {size - 1}"
            )
        GameEnv.step(self, action)

    def _order(self, call: str) -> str:
        when = "the game is over: call reset() to start another" if "agents" in self.__dict__ else "call reset() first"
        return f"{self.game.name}: {call}() is not possible now; {when}"

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Observation, cumulative reward, terminated, truncated and info of the agent whose turn it is."""
        if not self.__dict__.get("agents"):
            raise RuntimeError(self._order("last"))
        agent = self.agent_selection
        return (
            self.observe(agent) if observe else None,
            self._cumulative_rewards[agent],
            self.terminations[agent],
            self.truncations[agent],
            self.infos[agent],
        )

    def observe(self, agent: str) -> Any:
        """See `GameEnv.observe`."""
        if "agents" not in self.__dict__:
            raise RuntimeError(self._order("observe"))
        if agent not in self._index:
            raise ValueError(f"{self.game.name}: unknown agent {agent!r}; allowed: {', '.join(self.possible_agents)}")
        return self._faces[self._index[agent]].observe(self.seen(agent))

    def render(self) -> str | None:
        """See `GameEnv.render`."""
        if "agents" not in self.__dict__:
            raise RuntimeError(self._order("render"))
        return GameEnv.render(self)

    def __getattr__(self, name: str) -> Any:
        # Only reached for attributes that do not exist (yet).
        if name in _SET_BY_RESET:
            raise AttributeError(f"{name} is set by reset(); call reset() first")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
