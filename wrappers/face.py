"""Wrappers that change the face of a structured environment to numeric or text."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pettingzoo import AECEnv
from pettingzoo.utils import BaseWrapper

from econzoo.envs.core.contract import Invalid, Legal, check_value, short_repr
from econzoo.envs.core.env import GRID_SIZES, AgentDict, AgentSpaces, GameEnv
from econzoo.envs.core.faces import FRACTION_RANGE_OR_NONE, Face, InformationState, MoveSpace, NumericFace, TextFace
from econzoo.envs.core.faces import load_templates, parse_structured_observation, space_error

__all__ = ["DiscreteActions", "TextObservation"]


def check_aec_env(env: Any) -> AECEnv:
    """Return the environment if it is one of this package, wrapped or not."""
    if not isinstance(env, AECEnv) or not isinstance(env.unwrapped, GameEnv):
        raise ValueError(f"invalid env={short_repr(env)}: expected an AEC environment of this package")
    return env


class FaceView(AgentSpaces, BaseWrapper):
    """Base class: converts structured observations and moves to another face.

    Invalid answers are handled by the inner environment (its `max_retries` and `on_error`); error texts are those
    of the outer face.
    """

    def __init__(self, env: Any) -> None:
        super().__init__(check_aec_env(env))
        self.game = env.unwrapped.game
        for agent in env.possible_agents:
            if not isinstance(env.action_space(agent), MoveSpace):
                raise ValueError(f"{type(self).__name__} needs an environment with face='structured'")
        self._make_faces()
        seats = list(enumerate(self._faces.items()))
        self.observation_spaces = AgentDict({agent: face.observation_space(i) for i, (agent, face) in seats})
        self.action_spaces = AgentDict({agent: face.action_space(i) for i, (agent, face) in seats})

    def make_face(self, legal: Legal, seat: int) -> Face:
        """Return the face of one agent, given all moves that can ever be legal for it."""
        raise NotImplementedError

    def _features(self) -> int:
        return len(self.game.feature_names(self.env.unwrapped.params))

    def _make_faces(self) -> None:
        self._widest = AgentDict({agent: self.env.action_space(agent).legal for agent in self.env.possible_agents})
        seats = enumerate(self._widest.items())
        self._faces = AgentDict({agent: self.make_face(given, seat) for seat, (agent, given) in seats})

    def face(self, agent: str) -> Face:
        return self._faces[agent]

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """See `econzoo.envs.core.env.aec.GameEnv.reset`."""
        self.env.reset(seed=seed, options=options)
        self._make_faces()  # the options may have changed the setting
        self._invalid: Invalid | None = None
        self._problems: dict[str, str] = {}
        self._update_infos()

    def step(self, action: Any) -> None:
        """Play an action of the outer face."""
        agent = self.env.agent_selection
        self._invalid = None
        if not (self.env.terminations[agent] or self.env.truncations[agent]):
            face = self._faces[agent]
            decoded = space_error(face, action, agent)
            if decoded and self.env.unwrapped.options.on_error is None:
                raise ValueError(f"{self.game.name}: {decoded.text}")
            decoded = decoded or face.decode(action, self.information_state(agent).legal)
            self._invalid = decoded if isinstance(decoded, Invalid) else None
            action = self._invalid or self.game.actions.to_plain(
                decoded
            )  # an `Invalid` is also invalid for the inner environment
            if self._invalid:
                self._problems[agent] = self._invalid.text
        self.env.step(action)
        self._update_infos()

    def information_state(self, agent: str) -> InformationState:
        widest = self._widest[agent]
        seen = parse_structured_observation(self.game, self.env.observe(agent), widest.messages, widest.max_message)
        refused = self.env.unwrapped.legal(agent).refusal  # a function of the position, which no observation tells
        seen = seen._replace(legal=seen.legal._replace(refusal=refused))
        # The inner environment words the error for its structured face.
        return seen._replace(error=self._invalid) if seen.error and self._invalid else seen

    def observe(self, agent: str) -> Any:
        """Return the observation of an agent on the outer face."""
        return self._faces[agent].observe(self.information_state(agent))

    def _update_infos(self) -> None:
        """Compute all infos, once per step: equal infos must be the same object."""
        self.infos = {agent: self._info(agent, dict(info)) for agent, info in self.env.infos.items()}

    def _info(self, agent: str, info: dict[str, Any]) -> dict[str, Any]:
        if self._invalid and "error" in info:
            info.update(error=self._invalid.text, error_code=self._invalid.code)
        if "last_problem" in info:
            info["last_problem"] = self._problems.get(agent, info["last_problem"])
        if info.pop("legal_actions", None) is None:
            return info
        return {**self._faces[agent].info(self.information_state(agent).legal), **info}


class DiscreteActions(FaceView):
    """Numeric interface, like ``face="numeric"``: observes ``Dict(observation=Box, action_mask=int8)``, takes numbers.

    Args:
        env: Environment with ``face="structured"``.
        grid: Grid size of amounts, 2 to 10,001.
        grid_range: Fraction of the usual range that the grid covers, such as ``(0.4, 0.7)``; None: all.

    Raises:
        ValueError: The environment has another face, or invalid grid.
    """

    def __init__(self, env: Any, grid: int = 101, grid_range: tuple[float, float] | None = None) -> None:
        self.grid = check_value("DiscreteActions: grid", grid, GRID_SIZES)
        self.grid_range = check_value("DiscreteActions: grid_range", grid_range, FRACTION_RANGE_OR_NONE)
        super().__init__(env)

    def make_face(self, legal: Legal, seat: int) -> Face:
        """See `econzoo.envs.core.faces.numeric_face.NumericFace`."""
        inside = self.env.unwrapped
        shape = {"actions": inside.actions, "seats": len(inside.possible_agents), "grid_range": self.grid_range}
        return NumericFace(self.game, self.grid, self._features(), **shape)


class TextObservation(FaceView):
    """Text interface, like ``face="text"``: observations with ``text``, and replies with one JSON object.

    Args:
        env: Environment with ``face="structured"``.
        chat: Whether texts contain only news, like ``face="chat"``; the rules are in ``face(agent).rules(view)``.
        prompts: Custom templates (see `econzoo.envs.core.faces.prompts`).

    Raises:
        ValueError: The environment has another face, or invalid template.
    """

    def __init__(self, env: Any, chat: bool = False, prompts: Mapping[str, str] | str | Path | None = None) -> None:
        self.chat = chat
        self._prompts = load_templates(check_aec_env(env).unwrapped.game.package, prompts)
        super().__init__(env)

    def make_face(self, legal: Legal, seat: int) -> Face:
        """See `econzoo.envs.core.faces.text_face.TextFace`."""
        arguments = (
            self._prompts,
            self.chat,
            self.env.unwrapped.roles,
            self._features(),
            self.env.unwrapped.ordered_actions,
        )
        return TextFace(self.game, legal.messages, *arguments, seat)
