"""Base environment: parameters, faces, spaces and observations. Dynamics are in `aec`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces

from econzoo.envs.core.contract.actions import ActionSchema, Legal
from econzoo.envs.core.contract.game import PASS, Event, Move
from econzoo.envs.core.contract.moves import new_tuple
from econzoo.envs.core.contract.probing import turns_of
from econzoo.envs.core.contract.rules import P, S, V
from econzoo.envs.core.contract.streams import Purpose, setting_of, stream
from econzoo.envs.core.contract.symbols import symbol_count
from econzoo.envs.core.contract.validation import Invalid
from econzoo.envs.core.env.agents import AgentDict
from econzoo.envs.core.env.audience import Audience
from econzoo.envs.core.env.channel import message_change
from econzoo.envs.core.env.kind_order import order_kinds
from econzoo.envs.core.env.options import RENDER_MODES, EnvWithOptions
from econzoo.envs.core.faces.numeric_face import NumericFace
from econzoo.envs.core.faces.spaces import MoveSpace
from econzoo.envs.core.faces.structured_face import Face, InformationState, StructuredFace
from econzoo.envs.core.faces.text_face import TextFace


class GameBase(EnvWithOptions[P, S, V]):
    """`GameEnv` without dynamics; arguments are documented there."""

    events: tuple[Event, ...]
    params: P
    game_state: S
    errors: list[int]
    defaults: list[int]
    problems: list[str]
    _nature: np.random.Generator | None
    _seed: int | None
    _setting: str | None
    _legal: Legal
    _legal_by_seat: dict[int, Legal]
    pending: dict[int, Any]
    departed_seats: set[int]
    """Seats that have left while others play on."""
    _error: Invalid | None
    _audience: Audience | None
    ordered_actions: ActionSchema
    """Schema in the display order of this match (option ``kind_order``)."""

    CHECKS_ACTION_SPACE: ClassVar[bool] = False
    """Whether actions must be in their space, unless the options of `reset` say, and spaces keep their size."""

    metadata: ClassVar[dict[str, Any]] = {
        "render_modes": list(RENDER_MODES),
        "is_parallelizable": False,
        "render_fps": 1,
    }

    def _build(self, params: dict[str, Any]) -> None:
        game, self.render_mode = self.game, self.options.render_mode
        self.metadata = {  # type: ignore[misc]
            **GameBase.metadata,
            "name": f"{game.name}_v{game.version}",
            "is_parallelizable": not (
                turns_of(game).has_single_moves or (self.options.black_death and game.rules.alive)
            ),
        }
        rules = game.rules
        self._initial, self._to_act, self._legal_kinds = rules.initial, rules.to_act, rules.legal
        self._bounds, self._apply, self._observe = rules.bounds, rules.apply, rules.observe
        self._refuses, self._alive, self._span = rules.refuses, rules.alive, rules.span
        self._is_restricted = self._span is not None or self._refuses is not None
        self._facts, self._realized_moves = rules.facts, rules.realized_moves
        self._status = rules.status if self.options.mask == "both" else None
        self._status_fields = rules.Status._fields if self._status is not None else ()
        self._outcomes: Any = None
        self._longest = self.options.max_message
        self._seed = None
        self.given_params = params
        self._configure(params)
        seats = game.seats(self.params)
        self.possible_agents = [f"player_{i}" for i in range(seats)]
        self._index = AgentDict({agent: i for i, agent in enumerate(self.possible_agents)})
        self._single_seats = [[seat] for seat in range(seats)]
        self._max_moves = self.options.max_moves(seats)
        self._make_faces()

    @cached_property
    def observation_spaces(self) -> dict[str, spaces.Space[Any]]:  # type: ignore[override]
        """Observation spaces by agent, created lazily because seeding a space is slow."""
        return AgentDict({agent: self._faces[seat].observation_space(seat) for agent, seat in self._index.items()})

    @cached_property
    def action_spaces(self) -> dict[str, spaces.Space[Any]]:  # type: ignore[override]
        """Action spaces by agent, created lazily."""
        return AgentDict({agent: self._faces[seat].action_space(seat) for agent, seat in self._index.items()})

    # -- parameters and faces ------------------------------------------------------------------------------

    def _configure(self, params: Mapping[str, Any]) -> None:
        self.public_params, self.params = self.game.params(**params)
        self._setting = None
        symbols = symbol_count(self.public_params)
        self.actions, self._grid = self.game.actions_of(self.params).with_symbols(symbols), self.game.grid(self.params)
        self._change = message_change(self.options.channel, symbols)
        self._move, self._waits = self.actions.move, Move(PASS, (0.0,) * self.actions.width)
        seats = self.game.seats(self.params)
        self._messages = tuple(self.game.message_mode(self.public_params, seat) for seat in range(seats))
        self.roles = self.game.roles(seats, self.public_params)

    def _make_faces(self) -> None:
        chosen = self.options.faces(len(self.possible_agents))
        self.ordered_actions = order_kinds(self.game.actions, self.options.kind_order, self._shuffle)
        self._faces: list[Face] = [self._face(name, seat) for seat, name in enumerate(chosen)]
        self._max_retries = [
            f.max_retries if self.options.max_retries is None else self.options.max_retries for f in self._faces
        ]
        self._on_error = [self.options.on_error or self.game.options.on_error or face.on_error for face in self._faces]

    def _face(self, name: str, seat: int) -> Face:
        if name == "numeric":
            grid, mask, flat = self.options.grid, self.options.mask, self.options.flat
            shape = {"actions": self.actions, "seats": len(self.possible_agents), "no_op": self._no_op()}
            shape["grid_range"] = self.options.grid_range
            features = len(self.game.feature_names(self.params))
            return NumericFace(self.game, grid, features, mask=mask, flat=flat, **shape)  # type: ignore[arg-type]
        if name == "structured":
            return StructuredFace(self.game, self._widest_legal(seat))
        arguments = self.options.templates(), name == "chat", self.roles, len(self.game.feature_names(self.params))
        return TextFace(self.game, self._messages[seat], *arguments, self.ordered_actions, seat)

    def _shuffle(self, kinds: int) -> Sequence[int]:
        """Return a random order for this match; before `reset`, the declared one."""
        return range(kinds) if self._seed is None else self.stream("kind order").permutation(kinds).tolist()

    def _no_op(self) -> bool:
        """Whether waiting agents have a no-op action; here only movers act."""
        return False

    def _reconfigure(self, params: Mapping[str, Any]) -> None:
        given = {**self.given_params, **params}
        public, params_given = self.game.params(**given)
        if self.game.seats(params_given) != len(self.possible_agents):
            raise ValueError(f"{self.game.name}: options['params'] may not change the number of seats")
        if self.game.actions_of(params_given).slots != self.actions.slots:
            raise ValueError(f"{self.game.name}: options['params'] may not change how many numbers a move has")
        sizes = (symbol_count(public), len(self.game.feature_names(params_given)))
        is_fixed = self.CHECKS_ACTION_SPACE and any(face.name == "numeric" for face in self._faces)
        if is_fixed and sizes != (self.actions.symbols, len(self.game.feature_names(self.params))):
            raise ValueError(f"{self.game.name}: options['params'] may not change the size of numeric spaces (symbols)")
        self.given_params = given  # only after validation
        self._configure(given)
        self._make_faces()
        for agent, space in self.__dict__.get("action_spaces", {}).items():
            if isinstance(space, MoveSpace):  # same object, with the bounds of the new setting
                space.legal = self._widest_legal(self._index[agent])

    def _widest_legal(self, seat: int) -> Legal:
        """Return the moves of a seat that can ever be legal."""
        start = self._make_legal((True,) * len(self.game.actions.kinds), self._initial(self.params), seat)
        seats, marks = len(self.possible_agents), [mark for marks in self.actions.marks for mark in marks]
        bounds = tuple([mark.widest_bounds(pair, seats) for mark, pair in zip(marks, start.bounds, strict=True)])
        return start._replace(bounds=bounds, refusal=None)

    def _make_legal(self, kinds: tuple[bool, ...], state: S, seat: int) -> Legal:
        bounds = self._bounds(self.params, state, seat)
        span = refused = None
        if self._is_restricted:
            span = None if self._span is None else self._span(self.params, state, seat)
            refused = None if self._refuses is None else partial(self.game.rules.refusal, self.params, state, seat)
        return new_tuple(Legal, (kinds, bounds, self._messages[seat], span, self._longest, refused, self._grid))

    def face(self, agent: str) -> Face:
        """Return the face of an agent."""
        return self._faces[self._index[agent]]

    # -- random streams -------------------------------------------------------------------------------------

    @property
    def setting(self) -> str:
        """Hash of the setting, see `econzoo.envs.core.contract.streams`."""
        if self._setting is None:
            self._setting = setting_of(self.game, self.public_params)
        return self._setting

    def stream(self, purpose: Purpose) -> np.random.Generator:
        """Return this match's random generator for a purpose."""
        assert self._seed is not None
        return stream(self.setting, self._seed, purpose)

    # -- observations --------------------------------------------------------------------------------------

    def _no_legal_moves(self, seat: int) -> Legal:
        return self._make_legal((False,) * len(self.game.actions.kinds), self.game_state, seat)

    def legal(self, agent: str) -> Legal:
        """Return the legal moves of an agent, whether or not it is the selected one."""
        return self._legal_of(self._index[agent])

    def _legal_of(self, seat: int) -> Legal:
        state = self.game_state
        return self._make_legal(self._legal_kinds(self.params, state, seat), state, seat)

    def info(self, agent: str) -> dict[str, Any]:
        """Return the info of a mover, whether or not it is the selected agent."""
        seat = self._index[agent]
        return self._info(seat, self._legal_of(seat))

    def _info(self, seat: int, legal: Legal) -> dict[str, Any]:
        """Build the info of a seat: legal moves, status, and counts of invalid answers if any."""
        info = self._faces[seat].info(legal)
        if self.errors[seat]:
            info["errors"], info["defaults"] = self.errors[seat], self.defaults[seat]
            info["last_problem"] = self.problems[seat]
        if self._status is not None:
            info.update(zip(self._status_fields, self._status(self.params, self.game_state, seat), strict=True))
        return info

    def visible_events(self, seat: int) -> tuple[Event, ...]:
        """Return the events observed by a seat since its player joined."""
        return self.events if self._audience is None else self._audience.visible_events[seat]

    def view(self, seat: int) -> V:
        """Return the rules' ``View`` of a seat."""
        return self._observe(self.params, self.game_state, seat)

    def message_mode(self, seat: int) -> int:
        """Return the message mode of a seat: 0 none, 1 free text, k >= 2 one of k symbols."""
        return self._messages[seat]

    def information_state(self, agent: str) -> InformationState:
        """Return the information state of an agent, from which its face builds observations."""
        seat = self._index[agent]
        ended = self.terminations.get(agent, True) or self.truncations.get(agent, True) or seat in self.departed_seats
        if agent == self.agent_selection and not ended:
            return self._mover_information(seat)
        asked, view = seat in self._legal_by_seat and seat not in self.pending and not ended, self.view(seat)
        return InformationState(
            view,
            self._legal_by_seat[seat] if asked else self._no_legal_moves(seat),
            self.visible_events(seat),
            None,
            ended,
        )

    def _mover_information(self, seat: int) -> InformationState:
        """Return the information state of a mover."""
        events = self.events if self._audience is None else self._audience.visible_events[seat]
        return new_tuple(
            InformationState,
            (self._observe(self.params, self.game_state, seat), self._legal, events, self._error, False),
        )

    def observe(self, agent: str) -> Any:
        """Return the observation of an agent, computed on demand."""
        return self._faces[self._index[agent]].observe(self.information_state(agent))

    def json_schema(self, agent: str) -> dict[str, Any]:
        """Return the JSON schema of the legal moves of an agent."""
        schema = getattr(self.face(agent), "json_schema", self.ordered_actions.json_schema)
        return schema(self.information_state(agent).legal)

    def state(self) -> np.ndarray:
        """Return the features of all seats, float32 of shape (seats * features,), for centralised critics."""
        views = [self._observe(self.params, self.game_state, i) for i in range(len(self.possible_agents))]
        return np.array([x for view in views for x in self.game.rules.features(view)], np.float32)
