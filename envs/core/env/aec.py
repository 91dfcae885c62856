"""Generic PettingZoo AEC environment of any `Game`: one match, from its construction to its end."""

from __future__ import annotations

import secrets
import warnings
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar, Generic, Literal

import numpy as np
from gymnasium import spaces

from econzoo.envs.core.contract import CHANCE, DONE, PASS, SEVERAL, ActionSchema, Event, Fact, Game, Invalid, Legal
from econzoo.envs.core.contract import Move, Nature, Objective, Outcome, P, Purpose, S, V, check_seed, derive_seed
from econzoo.envs.core.contract import new_tuple, reward_scale, setting_of, short_repr, stream, symbol_count, turns_of
from econzoo.envs.core.env.audience import Audience, audience_of
from econzoo.envs.core.env.channel import apply_channel, message_change
from econzoo.envs.core.env.legal_moves import LegalMoves
from econzoo.envs.core.env.options import OPTIONS, RENDER_MODES, SHUFFLED, SIGNATURE, Options, check_choice
from econzoo.envs.core.env.options import check_reset_options, order_kinds
from econzoo.envs.core.env.pettingzoo_env import AECEnv, AgentDict
from econzoo.envs.core.env.refereeing import plain_ruling, referee_of
from econzoo.envs.core.faces import Face, InformationState, MoveSpace, NumericFace, Reply, StructuredFace, TextFace
from econzoo.envs.core.faces import no_reply_error, picture, space_error, spectate

__all__ = ["GameEnv"]

Api = Literal["raw", "aec", "parallel"]


class GameEnv(AECEnv, Generic[P, S, V]):
    """A game as PettingZoo's AEC environment.

    Rewards are 0 until the game ends and then equal the objective of each seat (or by round, option ``rewards``). A
    seat that leaves early is paid when it leaves if the objective depends only on its own result, else with the
    others at the end (``black_death``). A match that reaches ``max_cycles`` is truncated without further payment.
    Infos contain the legal moves of the face; after an invalid answer ``error``, ``error_code`` and ``attempt``, and
    from then on ``errors`` and ``defaults`` (counts of the seat) and ``last_problem`` (the last error text); at
    the end these counts in any case, ``forfeit``, and ``payoff`` (the game's own unit), or ``position_payoff`` if
    the match was truncated. If a new player takes a seat during the game (`Rules.entry_round`), its first info contains
    ``newcomer``: the player must reset its memory. In simultaneous moves, all seats that have
    not chosen yet have infos and observations as if they were to move.

    An invalid answer (unparsable or illegal) never silently becomes a move. The agent is asked again up
    to `max_retries` times, unless the answer indicates that nobody answers
    (`econzoo.envs.core.faces.finish.NO_REPLY_REASONS`); then ``on_error`` applies, unless a truncated reply contains a
    complete answer (`econzoo.envs.core.faces.finish`): ``"default"`` plays the game's default action and counts it,
    ``"forfeit"`` ends the game with the payoffs of the position, ``"raise"`` raises `ValueError`.

    Args:
        game: Game to play.
        api: ``"aec"``: an action outside its space raises unless ``on_error`` is given, `reset` warns if other agents
            are active and none has moved since one left, and numeric spaces keep their size; ``"raw"``: without these
            checks; ``"parallel"``: as ``"aec"``, and waiting agents have a no-op.
        **settings: Options (`econzoo.envs.core.env.options.Options`) and game parameters.

    Attributes:
        ordered_actions: Kinds of move in the display order of this match (option ``kind_order``).
        departed_seats: Seats that have left while others play on.

    Raises:
        RuntimeError: ``step``, ``last``, ``observe``, ``state`` or ``render`` until ``reset``; ``step`` after the end.
        ValueError: Invalid value, action outside its space, or unknown agent.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "render_modes": list(RENDER_MODES),
        "is_parallelizable": False,
        "render_fps": 1,
    }
    __signature__ = SIGNATURE

    params: P
    game_state: S
    events: tuple[Event, ...]
    _seed: int | None
    _setting: str | None
    _legal: Legal
    _legal_by_seat: dict[int, Legal]

    # -- construction: options, parameters, faces and spaces -------------------------------------------------

    def __init__(self, game: Game[P, S, V], api: Api = "raw", /, **settings: Any) -> None:
        given = {name: settings.pop(name) for name in OPTIONS if name in settings}
        self.game, self.options, self.api = game, Options(game, **given), api
        rules = game.rules
        self._initial, self._to_act, self._observe = rules.initial, rules.to_act, rules.observe
        self._apply, self._facts, self._realized_moves = rules.apply, rules.facts, rules.realized_moves
        self._alive = rules.alive
        self._status = rules.status if self.options.mask == "both" else None
        self._status_fields = rules.Status._fields if self._status is not None else ()
        self._seed = None
        self._pays_by_round = self.options.pays_by_round
        self._last_exit_move = -1  # move count when a seat last left before the end
        self._configure(settings)
        seats = game.seats(self.params)
        self.possible_agents = [f"player_{i}" for i in range(seats)]
        self._index = AgentDict({agent: i for i, agent in enumerate(self.possible_agents)})
        self._max_moves = self.options.max_moves(seats)
        self.render_mode = self.options.render_mode
        # PettingZoo's conversions need a move of every agent in every cycle: no turns, no departed seats that stay.
        is_sequential = turns_of(game).has_single_moves or (self.options.black_death and rules.alive)
        name = f"{game.name}_v{game.version}"
        self.metadata = {**GameEnv.metadata, "name": name, "is_parallelizable": not is_sequential}  # type: ignore[misc]
        self._make_faces()

    def _configure(self, params: Mapping[str, Any]) -> None:
        self.given_params = params
        self.public_params, self.params = self.game.params(**params)
        self._setting = None
        symbols = symbol_count(self.public_params)
        self.actions = self.game.actions_of(self.params).with_symbols(symbols)
        self._change = message_change(self.options.channel, symbols)
        self._move, self._waits = self.actions.move, Move(PASS, (0.0,) * self.actions.width)
        seats = self.game.seats(self.params)
        self._messages = tuple(self.game.message_mode(self.public_params, seat) for seat in range(seats))
        self._legal_moves = LegalMoves(self.game, self.params, self._messages, self.options.max_message)
        self.roles = self.game.roles(seats, self.public_params)

    def _make_faces(self) -> None:
        chosen = self.options.faces(len(self.possible_agents))
        self.ordered_actions: ActionSchema = order_kinds(self.game.actions, self.options.kind_order, self._shuffle)
        self._faces: list[Face] = [self._face(name, seat) for seat, name in enumerate(chosen)]
        self._max_retries = [
            f.max_retries if self.options.max_retries is None else self.options.max_retries for f in self._faces
        ]
        self._on_error = [self.options.on_error or self.game.options.on_error or face.on_error for face in self._faces]

    def _face(self, name: str, seat: int) -> Face:
        game, options = self.game, self.options
        if name == "structured":
            return StructuredFace(game, self._legal_moves.widest(seat, self.actions))
        features = len(game.feature_names(self.params))
        if name == "numeric":
            shape = {"mask": options.mask, "flat": options.flat, "no_op": self._has_no_op()}
            shape |= {"actions": self.actions, "seats": len(self.possible_agents), "grid_range": options.grid_range}
            return NumericFace(game, options.grid, features, **shape)
        texts = options.templates(), name == "chat", self.roles, features
        return TextFace(game, self._messages[seat], *texts, self.ordered_actions, seat)

    def _shuffle(self, kinds: int) -> Sequence[int]:
        """Return a random order for this match; until `reset`, the declared one."""
        return range(kinds) if self._seed is None else self.stream("kind order").permutation(kinds).tolist()

    def _has_no_op(self) -> bool:
        """Whether waiting agents have a no-op action."""
        if self.api != "parallel" or len(self.possible_agents) == 1:
            return False
        stays = self._alive is not None and self.options.black_death
        return stays or turns_of(self.game, self.params).has_waiting_seats

    def face(self, agent: str) -> Face:
        """Return the face of an agent."""
        return self._faces[self._index[agent]]

    def message_mode(self, seat: int) -> int:
        """Return the message mode of a seat: 0 none, 1 free text, k >= 2 one of k symbols."""
        return self._messages[seat]

    @cached_property
    def observation_spaces(self) -> dict[str, spaces.Space[Any]]:
        """Observation spaces by agent, created lazily because seeding a space is slow."""
        return AgentDict({agent: self._faces[seat].observation_space(seat) for agent, seat in self._index.items()})

    @cached_property
    def action_spaces(self) -> dict[str, spaces.Space[Any]]:
        """Action spaces by agent, created lazily."""
        return AgentDict({agent: self._faces[seat].action_space(seat) for agent, seat in self._index.items()})

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the observation space of an agent, always the same object."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the action space of an agent, always the same object."""
        return self.action_spaces[agent]

    # -- reset -------------------------------------------------------------------------------------------------

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Start a match.

        Args:
            seed: Random seed; None: derived from the last seed, or random if there is none.
            options: See `econzoo.envs.core.env.options.check_reset_options`.

        Raises:
            ValueError: Invalid seed, option, parameter or chance move.
        """
        # No move since a seat left: the loop has taken its end for that of the match.
        if -1 < self._last_exit_move == self.moves and self.api != "raw" and not self.over:
            message = (
                "reset() ends a match in which other agents are active; a loop that stops when one agent leaves needs"
            )
            warnings.warn(f"{self.game.name}: {message} black_death=True", stacklevel=2)
        self.start(seed, options)

    def start(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Start a match as `reset` does, without a warning about agents that were active."""
        seed, options = check_seed(seed), check_reset_options(self.game, options)
        if options.get("params"):
            self._reconfigure(options["params"])
        self._seed = self._next_seed() if seed is None else seed
        if self._change is not None:
            self._channel_rng = self.stream("channel")
        # The order follows from the seed of the match, and faces keep it.
        if self.options.kind_order == SHUFFLED:
            self._make_faces()
        self._nature = Nature(self.game, self.params, options)
        self.chance_draws = self._nature.draws
        self._referee: Any = referee_of(self.game, options)
        self.rulings: list[dict[str, Any]] = []
        self._checked = options.get("checked", self.api != "raw")
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._earned = [0.0] * len(self.agents)  # paid by round
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}
        self._skip_agent_selection: str | None = None
        self.events = ()
        self._audience: Audience | None = audience_of(self.game, self.params)
        self.errors = [0] * len(self.agents)
        self.defaults = [0] * len(self.agents)
        self.problems = [""] * len(self.agents)
        self.departed_seats: set[int] = set()
        self._paid_seats: set[int] = set()
        self.forfeiting_seat: int | None = None
        self.is_truncated = False
        self.last_error: Invalid | None = None
        self._error: Invalid | None = None
        self._attempt = 0
        self.moves = self._moment = 0
        self._last_exit_move = -1
        self.pending: dict[int, Any] = {}
        self._legal_by_seat = {}
        self.chosen_actions: dict[int, Any] = {}
        self.game_state = self._initial(self.params)
        self._advance()
        # Nature has moved before the first question, and its moves may be among the constant fields of texts.
        if self.chance_draws:
            for face in self._faces:
                if isinstance(face, TextFace):
                    face.teller.clear_cache()

    def _reconfigure(self, params: Mapping[str, Any]) -> None:
        given = {**self.given_params, **params}
        public, params_given = self.game.params(**given)
        if self.game.seats(params_given) != len(self.possible_agents):
            raise ValueError(f"{self.game.name}: options['params'] may not change the number of seats")
        if self.game.actions_of(params_given).slots != self.actions.slots:
            raise ValueError(f"{self.game.name}: options['params'] may not change how many numbers a move has")
        sizes = (symbol_count(public), len(self.game.feature_names(params_given)))
        is_fixed = self.api != "raw" and any(face.name == "numeric" for face in self._faces)
        if is_fixed and sizes != (self.actions.symbols, len(self.game.feature_names(self.params))):
            raise ValueError(f"{self.game.name}: options['params'] may not change the size of numeric spaces (symbols)")
        self._configure(given)  # only after validation
        self._make_faces()
        for agent, space in self.__dict__.get("action_spaces", {}).items():
            if isinstance(space, MoveSpace):  # same object, with the bounds of the new setting
                space.legal = self._legal_moves.widest(self._index[agent], self.actions)

    def _next_seed(self) -> int:
        """Return the seed of a match that is reset without one."""
        if self._seed is None:
            # Seeds in records are below 2**63.
            return secrets.randbits(63)
        return derive_seed(self.setting, self._seed, "next match")

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

    # -- whose turn it is, and what is legal -------------------------------------------------------------------

    def _advance(self) -> None:
        """Play chance moves, then select who moves next, or end the match."""
        params, state = self.params, self.game_state
        turn = self._to_act(params, state)
        while turn == CHANCE:
            move = Move(CHANCE, (self._nature.move(state, self.stream), *self._waits.values[1:]))
            self.game_state = state = self._apply(params, state, (move,))
            turn = self._to_act(params, state)
        if self._audience is not None:
            self._audience.reset_newcomers(state, self._moment)
        if turn == DONE:
            self._finish()
            return
        leaves = self._alive is not None and self._retire()
        if leaves:
            self._last_exit_move = self.moves
        if self._pays_by_round:
            self._pay_round()
        # After the seats that have just left, whose pay is due in a truncated match too.
        if self.moves >= self._max_moves:
            self.truncate()
            return
        self._together = turn == SEVERAL
        if self._together:
            self._legal_by_seat = self._legal_moves.of_movers(state)
            self._cycle = [*self._legal_by_seat]
            for seat, legal in self._legal_by_seat.items():
                self.infos[self.possible_agents[seat]] = info = self._info(seat, legal)
                if self._audience is not None and self._audience.is_newcomer(seat):
                    info["newcomer"] = True
            self._select(self._cycle[0])
        else:  # the same for one seat, at once
            self._legal = legal = self._legal_moves.of(state, turn)
            self._legal_by_seat, self._cycle = {turn: legal}, [turn]
            self.agent_selection = agent = self.possible_agents[turn]
            self.infos[agent] = info = self._info(turn, legal)
            if self._audience is not None and self._audience.is_newcomer(turn):
                info["newcomer"] = True
        # PettingZoo lets agents that have left step first, with None.
        if leaves:
            self._deads_step_first()

    def _retire(self) -> bool:
        """Notify and pay seats that have left while others play on, and terminate them unless they stay."""
        ended = False
        for agent in self.agents:
            seat = self._index[agent]
            if seat not in self.departed_seats and not self._alive(self.params, self.game_state, seat):  # type: ignore[misc]
                self.departed_seats.add(seat)
                self.terminations[agent] = not self.options.black_death
                payoffs = self.game.rules.payoffs(self.params, self.game_state)
                # A result that others can still change is paid at the end.
                if self.options.objective.is_individual:
                    self._settle(agent, self.outcome(), payoffs)
                    self._paid_seats.add(seat)
                else:
                    self._conclude(agent, "payoff", payoffs)
            ended |= self.terminations[agent]
        return ended

    def _select(self, seat: int) -> None:
        self._legal, self.agent_selection = self._legal_by_seat[seat], self.possible_agents[seat]

    @property
    def awaited_agents(self) -> list[str]:
        """Agents still to act: the mover, or those that have not chosen yet in a simultaneous move."""
        return [] if self.over else [self.possible_agents[seat] for seat in self._cycle if seat not in self.pending]

    def legal(self, agent: str) -> Legal:
        """Return the legal moves of an agent, whether or not it is the selected one."""
        return self._legal_moves.of(self.game_state, self._index[agent])

    # -- observations and infos --------------------------------------------------------------------------------

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
            if terminated or truncated or self.departed_seats:
                known = self.information_state(agent)
            else:  # the same, at once
                view = self._observe(self.params, self.game_state, seat)
                events = self.events if self._audience is None else self._audience.visible_events[seat]
                known = new_tuple(InformationState, (view, self._legal, events, self._error, False))
            seen = self._faces[seat].observe(known)
        return seen, self._cumulative_rewards[agent], terminated, truncated, self.infos[agent]

    def observe(self, agent: str) -> Any:
        """Return the observation of an agent, computed on demand."""
        if "agents" not in self.__dict__:
            raise self._call_order_error("observe")
        return self._faces[self._index[agent]].observe(self.information_state(agent))

    def information_state(self, agent: str) -> InformationState:
        """Return the information state of an agent, from which its face builds observations."""
        seat = self._index[agent]
        ended = self.terminations.get(agent, True) or self.truncations.get(agent, True) or seat in self.departed_seats
        if agent == self.agent_selection and not ended:
            legal, error = self._legal, self._error
        else:
            asked = not ended and seat in self._legal_by_seat and seat not in self.pending
            legal = self._legal_by_seat[seat] if asked else self._legal_moves.none(self.game_state, seat)
            error = None
        view = self._observe(self.params, self.game_state, seat)
        events = self.events if self._audience is None else self._audience.visible_events[seat]
        return new_tuple(InformationState, (view, legal, events, error, ended))

    def view(self, seat: int) -> V:
        """Return the rules' ``View`` of a seat."""
        return self._observe(self.params, self.game_state, seat)

    def visible_events(self, seat: int) -> tuple[Event, ...]:
        """Return the events observed by a seat since its player joined."""
        return self.events if self._audience is None else self._audience.visible_events[seat]

    def state(self) -> np.ndarray:
        """Return the features of all seats, float32 of shape (seats * features,), for centralised critics."""
        if "agents" not in self.__dict__:
            raise self._call_order_error("state")
        views = [self._observe(self.params, self.game_state, i) for i in range(len(self.possible_agents))]
        return np.array([x for view in views for x in self.game.rules.features(view)], np.float32)

    def json_schema(self, agent: str) -> dict[str, Any]:
        """Return the JSON schema of the legal moves of an agent."""
        schema = getattr(self.face(agent), "json_schema", self.ordered_actions.json_schema)
        return schema(self.information_state(agent).legal)

    def info(self, agent: str) -> dict[str, Any]:
        """Return the info of a mover, whether or not it is the selected agent."""
        return self._info(self._index[agent], self.legal(agent))

    def _info(self, seat: int, legal: Legal) -> dict[str, Any]:
        """Build the info of a seat: legal moves, status, and counts of invalid answers if any."""
        info = self._faces[seat].info(legal)
        if self.errors[seat]:
            info["errors"], info["defaults"] = self.errors[seat], self.defaults[seat]
            info["last_problem"] = self.problems[seat]
        if self._status is not None:
            info.update(zip(self._status_fields, self._status(self.params, self.game_state, seat), strict=True))
        return info

    def _call_order_error(self, call: str) -> RuntimeError:
        """Error for a call ahead of `reset` or after the end."""
        when = "the game is over: call reset() to start another" if "agents" in self.__dict__ else "call reset() first"
        return RuntimeError(f"{self.game.name}: {call}() is not possible now; {when}")

    # -- step: an answer becomes a move --------------------------------------------------------------------------

    def step(self, action: Any) -> None:
        """Play the action of the selected agent (None for a terminated agent).

        Args:
            action: Action in the format of the agent's face.

        Raises:
            ValueError: Action outside its space, invalid under ``on_error="raise"``, or not None for a terminated
                agent.
        """
        try:
            agent = self.agent_selection
            dead = self.terminations[agent] or self.truncations[agent]
        except (AttributeError, KeyError):
            raise self._call_order_error("step") from None
        if dead:
            self._was_dead_step(action)
            return
        seat = self._index[agent]
        # By PettingZoo, what an agent has earned since its last own step.
        self._cumulative_rewards[agent] = 0.0
        if self._paid_seats or self._pays_by_round:
            self._clear_rewards()  # of the previous step
        face = self._faces[seat]
        # Inside the space, so that nothing is left to check.
        is_plain = (action.__class__ is int and 0 <= action < face.numbers) or action.__class__ is face.plain
        decoded = face.decode(action, self._legal) if is_plain else self._decode(seat, action, self._legal)
        if decoded.__class__ is Invalid:
            decoded = self._handle_invalid(agent, seat, decoded, action)
            if decoded is None:
                return
        if self._attempt:
            self._error, self._attempt = None, 0
        if self._change is not None:
            decoded = apply_channel(self.game.actions, decoded, self._change, self._channel_rng)
        self.moves += 1
        self.infos[agent] = {}
        if self._together:
            self._collect(seat, decoded)
        else:
            self._play_alone(seat, decoded)
            self._advance()

    def _was_dead_step(self, action: Any) -> None:
        """Remove a terminated agent; raise `ValueError` if the action is not None."""
        if action is not None:
            wanted = "when an agent is dead, the only valid action is None"
            hint = "" if self.over else "; with black_death=True it stays and does not act again"
            raise ValueError(f"{self.game.name}: {wanted}; {self.agent_selection} got {short_repr(action)}{hint}")
        super()._was_dead_step(action)

    def _decode(self, seat: int, answer: Any, legal: Legal) -> Any:
        """Decode an answer to a typed move, or an `Invalid`."""
        face = self._faces[seat]
        plain = answer.__class__ is int and 0 <= answer < face.numbers
        if not plain and self._checked:
            wrong = space_error(face, answer, self.possible_agents[seat])
            if wrong is not None and self.options.on_error is None:
                raise ValueError(f"{self.game.name}: {wrong.text}")
            if wrong is not None:
                return wrong
        return face.decode(answer, legal)

    def _handle_invalid(self, agent: str, seat: int, error: Invalid, answer: Any) -> Any:
        """Return the replacement of an invalid answer (default action or complete part of a cut reply), or None."""
        nobody = no_reply_error(answer)
        error = nobody or error
        # Ahead of the counts, as such an answer is no error.
        if isinstance(answer, Reply) and self._attempt >= self._max_retries[seat]:
            face = self._faces[seat]
            if isinstance(face, TextFace) and (move := face.find_cut_move(answer, self._legal)) is not None:
                return move
        self.errors[seat] += 1
        self.problems[seat] = error.text
        self.last_error = error
        self._attempt += 1
        if self._attempt <= self._max_retries[seat] and nobody is None:
            self._error = error
            problem = {"error": error.text, "error_code": error.code, "attempt": self._attempt}
            self.infos[agent] = {**self._info(seat, self._legal), **problem}
            return None
        policy = self._on_error[seat]
        if policy == "raise":
            raise ValueError(self._invalid_action_message(agent, error))
        if policy == "default":
            self.defaults[seat] += 1
            return self.game.fallback_action(self.view(seat), answer, error)
        self._error = error
        self.forfeiting_seat = seat
        self._finish()
        return None

    def _invalid_action_message(self, agent: str, error: Invalid) -> str:
        return f"{self.game.name}: invalid action of {agent}: {error.text}"

    def _collect(self, seat: int, action: Any) -> None:
        """Hold back a simultaneous move until the last seat of the cycle has moved."""
        self.pending[seat] = action
        if seat != self._cycle[-1]:
            self._select(self._cycle[self._cycle.index(seat) + 1])
            return
        pending, self.pending = self.pending, {}
        self._play_together([pending[i] for i in self._cycle])
        self._advance()

    def step_together(self, actions: Mapping[str, Any]) -> bool:
        """Play the moves of all movers at once, equivalent to a `step` for each in order.

        Terminated agents are removed first.

        Args:
            actions: One action per mover, by agent.

        Returns:
            Whether they were played. If an answer is missing or invalid, or some agents have already moved, nothing is
            played; use `step` agent by agent.
        """
        while self.terminations[self.agent_selection]:
            self.step(None)
        decoded = None if self.pending else self._decode_together(actions)
        if decoded is None:
            return False
        if self._change is not None:
            decoded = [apply_channel(self.game.actions, one, self._change, self._channel_rng) for one in decoded]
        self._error, self._attempt = None, 0
        self.moves += len(decoded)
        if self._paid_seats or self._pays_by_round:
            self._clear_rewards()
        for seat in self._cycle:
            agent = self.possible_agents[seat]
            self._cumulative_rewards[agent], self.infos[agent] = 0.0, {}
        self._play_together(decoded)
        self._advance()
        return True

    # Errors are not counted here: the caller goes on agent by agent, which decodes again and counts.
    def _decode_together(self, actions: Mapping[str, Any]) -> list[Any] | None:
        """Decode the actions of all movers; None if any is missing or invalid."""
        decoded: list[Any] = []
        for seat in self._cycle:
            agent = self.possible_agents[seat]
            if agent not in actions:
                return None
            action = self._decode(seat, actions[agent], self._legal_by_seat[seat])
            if action.__class__ is Invalid:
                if self._on_error[seat] == "raise" and not self._max_retries[seat]:  # ahead of any move
                    raise ValueError(self._invalid_action_message(agent, action))
                return None
            decoded.append(action)
        return decoded

    # -- transitions: moves of one seat, of several and of a referee ----------------------------------

    def _play_alone(self, seat: int, action: Any) -> None:
        """Play the move of one seat."""
        previous, move = self.game_state, self._move(action)
        self._moment += 1
        self.game_state = state = self._apply(self.params, previous, (move,))
        if self._facts is None and self._audience is None:
            self.events += (new_tuple(Event, (seat, previous.round, action, None, self._moment)),)
        else:
            facts = () if self._facts is None else self._facts(self.params, previous, (move,), state)
            self._add_events(previous, {seat: action}, {seat: move}, facts)

    def _play_together(self, actions: list[Any]) -> None:
        """Play the moves of all seats of the cycle, in order."""
        previous, seats = self.game_state, range(len(self.possible_agents))
        self._moment += 1
        if self._alive is not None:
            self.moves += sum([not self._alive(self.params, previous, seat) for seat in seats])  # departed seats pass
        acted = dict(zip(self._cycle, actions, strict=True))
        if self._referee is not None:
            self._play_by_referee(acted)
            return
        moves = [self._waits] * len(seats)
        for seat, action in acted.items():
            moves[seat] = self._move(action)
        self.game_state = self._apply(self.params, previous, tuple(moves))
        if self._realized_moves is not None:
            acted = self._realized_actions(acted, previous, tuple(moves))
        facts = () if self._facts is None else self._facts(self.params, previous, tuple(moves), self.game_state)
        self._add_events(previous, acted, dict(enumerate(moves)), facts)

    def _realized_actions(self, acted: dict[int, Any], previous: S, moves: tuple[Move, ...]) -> dict[int, Any]:
        """Return the realized actions, which may differ from the chosen ones."""
        self.chosen_actions = acted
        made, out = self._realized_moves(self.params, previous, moves, self.game_state), {}  # type: ignore[misc]
        for seat, action in acted.items():
            kind, values = made[seat]
            same = made[seat] == moves[seat]
            out[seat] = action if same else self.actions.make(kind, values, self.actions.kind_and_message(action)[1])
        return out

    def _play_by_referee(self, acted: dict[int, Any]) -> None:
        """Call the game's referee on the actions and play its moves."""
        previous = self.game_state
        seed = derive_seed(self.setting, self._seed, "referee", len(self.rulings))
        ruling = self._referee(self.params, previous, list(acted.values()), seed)
        self.rulings.append(plain_ruling(ruling))
        self.game_state = self._apply(self.params, previous, ruling.moves)
        moves = {seat: self._move(action) for seat, action in acted.items()}
        self._add_events(previous, acted, moves, [Fact(seat, result) for seat, result in enumerate(ruling.results)])

    def _add_events(self, previous: S, acted: dict[int, Any], moves: dict[int, Move], facts: Sequence[Fact]) -> None:
        """Append the actions and revealed facts of one moment to the events."""
        moment, at = self._moment, previous.round
        beside: dict[int, Fact] = {}  # first fact about each acting seat, added to its move
        alone = [f for f in facts if f.seat not in acted or beside.setdefault(f.seat, f) is not f]
        paired = [(seat, action, beside.get(seat)) for seat, action in acted.items()]
        paired += [(fact.seat, None, fact) for fact in alone]
        events = [new_tuple(Event, (seat, at, action, fact and fact.result, moment)) for seat, action, fact in paired]
        # The first fact for some seats only: from here on each seat has a history of its own.
        if self._audience is None and any(fact.audience is not None for fact in facts):
            self._audience = Audience(self.game, self.params, len(self.possible_agents), self.events)
        if self._audience is not None:
            audiences = [None if fact is None else fact.audience for _, _, fact in paired]
            self._audience.add_events(previous, self.game_state, moves, events, audiences)
        self.events += tuple(events)

    # -- the end, payoffs and rewards ------------------------------------------------------------------------------

    @property
    def over(self) -> bool:
        """Whether the match has ended in any way."""
        terminated, truncated = self.terminations, self.truncations
        for agent in self.agents:  # noqa: SIM110 (asked after every move, and a generator costs ten times as much)
            if not (terminated[agent] or truncated[agent]):
                return False
        return True

    def _finish(self) -> None:
        """End the match by its rules or a forfeit, and pay."""
        outcome, payoffs = self.outcome(), self.game.rules.payoffs(self.params, self.game_state)
        for agent in self.agents:
            if not self.terminations[agent]:
                self.terminations[agent] = True
                self._settle(agent, outcome, payoffs)
        self.agent_selection = self.agents[0]  # the first to take its last step, with None

    def _pay_round(self) -> None:
        """Pay what seats have earned since the last payment."""
        gains, payoffs = self.outcome().gains, self.payoffs
        for agent in self.agents:
            seat = self._index[agent]
            if seat not in self._paid_seats:
                earned = self.options.objective.sum_rounds(gains[seat], payoffs[seat])
                self.rewards[agent] = reward = earned - self._earned[seat]
                self._cumulative_rewards[agent] += reward
                self._earned[seat] = earned

    def truncate(self) -> None:
        """Truncate the match: nobody is paid any more, because the game has not ended.

        Learners bootstrap from the last observation. Infos contain the payoffs of the position as ``position_payoff``.
        A departed seat that was paid is terminated as well.
        """
        self.is_truncated, payoffs = True, self.game.rules.payoffs(self.params, self.game_state)
        for agent in self.agents:
            self.truncations[agent] = True  # for all agents: RLlib does not support partial truncation
            if self._index[agent] in self._paid_seats:
                self.terminations[agent] = True
            else:
                self._conclude(agent, "position_payoff", payoffs)
        self.agent_selection = self.agents[0]

    def _settle(self, agent: str, outcome: Outcome, payoffs: tuple[float, ...]) -> None:
        """Pay a seat and write its final info."""
        seat = self._index[agent]
        if seat not in self._paid_seats:  # departed seats have been paid
            self.rewards[agent] = reward = self._reward(seat, outcome, payoffs) - self._earned[seat]
            self._cumulative_rewards[agent] += reward
        self._conclude(agent, "payoff", payoffs)

    def _conclude(self, agent: str, key: str, payoffs: tuple[float, ...]) -> None:
        seat = self._index[agent]
        ended: dict[str, Any] = {key: float(payoffs[seat]), "forfeit": self.forfeiting_seat == seat}
        ended["errors"], ended["defaults"] = self.errors[seat], self.defaults[seat]
        self.infos[agent] = {**self._info(seat, self._legal_moves.none(self.game_state, seat)), **ended}

    @property
    def payoffs(self) -> tuple[float, ...]:
        """Current payoffs of all seats in the game's own unit."""
        return tuple(map(float, self.game.rules.payoffs(self.params, self.game_state)))

    def outcome(self, definition: str | None = None) -> Outcome:
        """Return the metrics of the position, normally at the end.

        Raises:
            ValueError: Unknown definition.
        """
        if definition is not None:
            check_choice("metrics", definition, self.game.metrics.DEFINITIONS)
        return self.game.metrics.outcome(self.params, self.game_state, definition or self.options.metrics)

    def seat_reward(self, seat: int) -> float:
        """Return the objective of the position for a seat, minus its penalties."""
        return self._reward(seat, self.outcome(), self.payoffs)

    def _reward(self, seat: int, outcome: Outcome, payoffs: tuple[float, ...]) -> float:
        return self.options.objective.reward(payoffs, outcome, seat) - self.options.penalty * self.errors[seat]

    def learner_reward(self, seat: int, objective: Objective | None = None) -> float:
        """Return the reward of a seat for learning, at the end: never higher for invalid answers than for a result.

        It is `seat_reward`, but for a forfeit, default actions and values near those: see
        `econzoo.envs.core.contract.rewards`.

        Args:
            seat: The seat.
            objective: Replaces that of the options.
        """
        options, goal = self.options, objective or self.options.objective
        scale = reward_scale(self.game, self.params, goal, seat, options.metrics)
        answers = sum([event.seat == seat for event in self.events])
        replaced = 1.0 if self.forfeiting_seat == seat else min(self.defaults[seat] / max(answers, 1), 1.0)
        return scale.reward(
            goal.reward(self.payoffs, self.outcome(), seat), options.penalty * self.errors[seat], replaced
        )

    # -- rendering and closing -------------------------------------------------------------------------------------

    def render(self) -> str | np.ndarray | None:
        """Render the match as text (``"human"``: print, ``"ansi"``: return) or image.

        ``"rgb_array"`` returns an image of the last moves, uint8 of shape (540, 960, 3).

        Raises:
            ImportError: ``"rgb_array"`` without Pillow.
        """
        if "agents" not in self.__dict__:
            raise self._call_order_error("render")
        if self.render_mode is None:
            return None
        shown = self.game, self.events, self.payoffs if self.over and not self.is_truncated else None, self.roles
        if self.render_mode == "rgb_array":
            return picture(*shown)
        if self.render_mode == "ansi":
            return spectate(*shown)
        print(spectate(*shown))
        return None

    def close(self) -> None:
        """Do nothing; there are no resources."""


# A __getattr__ would slow down every other attribute.
class _SetByReset:
    """An attribute that the instance has from `reset` on: reading it ahead of that says so."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, env: Any, owner: Any = None) -> Any:
        raise AttributeError(f"{self._name} is set by reset(); call reset() first")


for _name in ("agents", "agent_selection", "infos", "rewards", "terminations", "truncations", "events", "game_state"):
    setattr(GameEnv, _name, _SetByReset(_name))
