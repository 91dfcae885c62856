"""The generic alternating-move environment: any `Game` as a PettingZoo AEC environment."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any, ClassVar

from econzoo.envs.core.contract.chance import chance_script
from econzoo.envs.core.contract.game import CHANCE, DONE, SEVERAL
from econzoo.envs.core.contract.moves import Legal
from econzoo.envs.core.contract.parameters import check_options_mapping, check_seed
from econzoo.envs.core.contract.rules import P, S, V
from econzoo.envs.core.contract.streams import STREAM_VERSION, derive_seed
from econzoo.envs.core.contract.validation import Invalid
from econzoo.envs.core.env.audience import audience_of
from econzoo.envs.core.env.channel import apply_channel
from econzoo.envs.core.env.decoding import recorded_answers, space_error
from econzoo.envs.core.env.kind_order import SHUFFLED
from econzoo.envs.core.env.play import GamePlay
from econzoo.envs.core.env.refereeing import referee_of
from econzoo.envs.core.faces.finish import no_reply_error
from econzoo.envs.core.faces.parse import Reply

__all__ = ["GameEnv"]


class GameEnv(GamePlay[P, S, V]):
    """A game as an AEC environment, without the checks of the public layer (`CheckedEnv`).

    The reward of every step is 0 until the game ends; then it is the objective's value for each seat. A seat that
    leaves a game before its end is paid as it leaves, if the objective depends on its own result alone, else with the
    others at the end (``black_death``). A match that ``max_cycles`` cuts is truncated: nobody is paid at the cut.
    Infos carry the legal moves of the face; after an unusable answer ``error``, ``error_code`` and ``attempt``, and
    from then on the counts ``errors`` and ``defaults`` of that seat and ``last_problem``, the text of the last one; at
    the end these counts in any case, ``forfeit``, and ``payoff`` (the game's own unit), or ``position_payoff`` where
    the match was cut. Where somebody new takes a seat during the game (`rules.joined`), its first info carries
    ``newcomer``: whoever answers for the seat must forget what was before. Where several choose at once, all who have
    not chosen yet have infos and observations as if they were to move.

    An unusable answer (no move, or not legal) never becomes a move silently. The same agent is asked again up
    to `max_retries` times, or not at all where the answer says that nobody answers
    (`econzoo.envs.core.faces.finish.NO_REPLY_REASONS`); then ``on_error`` decides, unless a reply that was cut holds a
    whole answer (`econzoo.envs.core.faces.finish`): ``"default"`` plays the game's default action and counts it,
    ``"forfeit"`` ends the game with the payoffs of the position, ``"raise"`` raises `ValueError`.

    Its options and parameters are those of `econzoo.envs.core.env.options.EnvWithOptions`.

    Raises:
        ValueError: A value is not allowed; the message names it and what is allowed.
    """

    CHECKS_ACTION_SPACE: ClassVar[bool] = False
    """Whether actions are looked for in their space, where the options of `reset` do not say so."""

    _last_exit_move = -1  # the number of moves when somebody last left before the end

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Starts a game.

        Args:
            seed: Of all that is drawn; None goes on from the last seed, or from any if there is none.
            options: ``params``: parameters that replace the environment's own for this and later games;
                ``chance``: nature's moves in order, instead of drawing them; each must have a probability above 0;
                the game's own names of nature's moves (`GameOptions.nature`), such as ``supply``, say the same;
                ``rulings``: those of the game's referee in order, as a record keeps them, instead of asking it;
                ``streams``: version of the random numbers (see `econzoo.envs.core.contract.streams`), to replay others;
                ``decoded``: for each answer in order what it means (`econzoo.envs.core.env.decoding.RecordedAnswer`),
                or None where its face is to say so;
                ``checked``: whether what is outside the numeric space is refused, or an unusable answer by
                ``on_error``, as in `CheckedEnv`; else a number such as 60.0 is taken for 60.
                Other keys are not used.

        Raises:
            ValueError: The seed, an option, a parameter or a chance move is not allowed.
        """
        seed, options = check_seed(seed), check_options_mapping(options)
        if options.get("params"):
            self._reconfigure(options["params"])
        self._seed, self._nature = self._next_seed() if seed is None else seed, None
        self._streams = options.get("streams", STREAM_VERSION)
        if self._change is not None:
            self._channel_rng = self.stream("channel")
        if self.options.kind_order == SHUFFLED:
            self._make_faces()
        self._scripted_chance = chance_script(self.game, self.params, options)
        self._referee, self.rulings = referee_of(self.game, options), []
        self._decoded, self._checked = (
            recorded_answers(self.game, options),
            options.get("checked", self.CHECKS_ACTION_SPACE),
        )
        self.chance_draws: list[float] = []
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}
        self._skip_agent_selection: str | None = None
        self.events = ()
        self._audience = audience_of(self.game, self.params)
        self.errors = [0] * len(self.agents)
        self.defaults = [0] * len(self.agents)
        self.problems = [""] * len(self.agents)
        self.departed_seats: set[int] = set()
        self._paid_seats: set[int] = set()
        self.forfeiting_seat: int | None = None
        self.is_truncated = False
        self.last_error: Invalid | None = None
        self._error = None
        self._attempt = 0
        self.moves = self._moment = 0
        self._last_exit_move = -1
        self.pending, self._legal_by_seat = {}, {}
        self.chosen_actions: dict[int, Any] = {}
        self.game_state = self._initial(self.params)
        self._advance()
        if self.chance_draws:
            for teller in (getattr(face, "teller", None) for face in self._faces):  # text faces have one
                if teller is not None:
                    teller.clear_cache()

    def _next_seed(self) -> int:
        """Of a match for which nobody names one."""
        if self._seed is None:
            return secrets.randbits(63)
        return derive_seed(self.setting, self._seed, "next match")

    def _advance(self) -> None:
        """Plays nature's moves, then finds out who is next."""
        turn = self._to_act(self.params, self.game_state)
        while turn == CHANCE:
            self._play_nature()
            turn = self._to_act(self.params, self.game_state)
        if self._audience is not None:
            self._audience.reset_newcomers(self.game_state, self._moment)
        if turn == DONE:
            self._finish()
            return
        leaves = False
        if self._alive is not None and self._retire():
            leaves, self._last_exit_move = True, self.moves
        if self.moves >= self._max_moves:
            self.truncate()
            return
        self._together = together = turn == SEVERAL
        if together:
            self._legal_by_seat = self._movers()
            self._cycle = [*self._legal_by_seat]
            for seat, legal in self._legal_by_seat.items():
                self._set_legal_info(seat, legal)
            self._select(self._cycle[0])
        else:
            params, state = self.params, self.game_state
            self._legal = legal = self._make_legal(self._legal_kinds(params, state, turn), state, turn)
            self._legal_by_seat, self._cycle, self.agent_selection = (
                {turn: legal},
                self._single_seats[turn],
                self.possible_agents[turn],
            )
            self.infos[self.agent_selection] = info = self._info(turn, legal)
            if self._audience is not None and self._audience.is_newcomer(turn):
                info["newcomer"] = True
        if leaves:
            self._deads_step_first()

    def _movers(self) -> dict[int, Legal]:
        """What each seat that has a legal move now may do."""
        params, state = self.params, self.game_state
        kinds = [self._legal_kinds(params, state, seat) for seat in range(len(self.possible_agents))]
        return {seat: self._make_legal(own, state, seat) for seat, own in enumerate(kinds) if True in own}

    def _retire(self) -> bool:
        """Tells seats that are out of the game while others go on so, pays them, and removes them if they do not stay.

        Returns:
            Whether the match has ended for anybody.
        """
        ended = False
        for agent in self.agents:
            seat = self._index[agent]
            if seat not in self.departed_seats and not self._alive(self.params, self.game_state, seat):  # type: ignore[misc]
                self.departed_seats.add(seat)
                self.terminations[agent] = not self.options.black_death
                payoffs = self.game.rules.payoffs(self.params, self.game_state)
                if self.options.objective.is_individual:
                    self._settle(agent, self.outcome(), payoffs)
                    self._paid_seats.add(seat)
                else:
                    self._conclude(agent, "payoff", payoffs)
            ended |= self.terminations[agent]
        return ended

    def _set_legal_info(self, seat: int, legal: Legal) -> None:
        self.infos[self.possible_agents[seat]] = info = self._info(seat, legal)
        if self._audience is not None and self._audience.is_newcomer(seat):
            info["newcomer"] = True

    def _select(self, seat: int) -> None:
        self._legal, self.agent_selection = self._legal_by_seat[seat], self.possible_agents[seat]

    def step(self, action: Any) -> None:
        """Plays the action of the agent whose turn it is (None for an agent whose game is over).

        Args:
            action: As the agent's face takes it.

        Raises:
            ValueError: The action is unusable and ``on_error="raise"``, or a finished agent does not pass None.
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
        self._cumulative_rewards[agent] = 0.0
        if self._paid_seats:
            self._clear_rewards()  # of those who left in the step before
        legal, recorded = self._legal, self._decoded.pop(0) if self._decoded else None
        decoded = self._decode(seat, action, legal) if recorded is None else recorded.decode(action, legal)
        if decoded.__class__ is Invalid:
            recorded, decoded = None, self._handle_invalid(agent, seat, decoded, action)
            if decoded is None:
                return
        if self._attempt:
            self._error, self._attempt = None, 0
        if self._change is not None:
            told = apply_channel(self.game.actions, decoded, self._change, self._channel_rng)
            decoded = told if recorded is None else decoded  # recorded words are those that were heard already
        self.moves += 1
        self.infos[agent] = {}
        if self._together:
            self._collect(seat, decoded)
        else:
            self._play_alone(seat, decoded)
            self._advance()

    def _call_order_error(self, call: str) -> RuntimeError:
        """What is wrong with a call before `reset` or after the end."""
        when = "the game is over: call reset() to start another" if "agents" in self.__dict__ else "call reset() first"
        return RuntimeError(f"{self.game.name}: {call}() is not possible now; {when}")

    def _decode(self, seat: int, answer: Any, legal: Legal) -> Any:
        """What the seat's face makes of an answer: a typed move, or an `Invalid`."""
        face = self._faces[seat]
        plain = answer.__class__ is int and 0 <= answer < face.numbers
        if not plain and self._checked and face.name == "numeric":
            wrong = space_error(face, answer, self.possible_agents[seat])
            if wrong is not None and self.options.on_error is None:
                raise ValueError(f"{self.game.name}: {wrong.text}")
            if wrong is not None:
                return wrong
        return face.decode(answer, legal)

    @property
    def awaited_agents(self) -> list[str]:
        """The agents whose moves are awaited: those that choose at once and have not yet, or the one to move."""
        return [] if self.over else [self.possible_agents[seat] for seat in self._cycle if seat not in self.pending]

    def _collect(self, seat: int, action: Any) -> None:
        """Keeps a simultaneous move hidden until the last seat of the cycle has moved."""
        self.pending[seat] = action
        if seat != self._cycle[-1]:
            self._select(self._cycle[self._cycle.index(seat) + 1])
            return
        pending, self.pending = self.pending, {}
        self._play_together([pending[i] for i in self._cycle])
        self._advance()

    def step_together(self, actions: Mapping[str, Any]) -> bool:
        """Plays the moves of all who are to move at once: the same as a `step` for each of them in order.

        Agents that went out before leave first.

        Args:
            actions: By agent, one for each that is to move.

        Returns:
            Whether they were played. If an answer is missing or unusable, or some have moved already, no move is
            made: `step` says what follows, agent by agent.
        """
        while self.terminations[self.agent_selection]:
            self.step(None)
        decoded = None if self.pending or self._decoded else self._decode_together(actions)
        if decoded is None:
            return False
        if self._change is not None:
            decoded = [apply_channel(self.game.actions, one, self._change, self._channel_rng) for one in decoded]
        self._error, self._attempt = None, 0
        self.moves += len(decoded)
        if self._paid_seats:
            self._clear_rewards()
        for seat in self._cycle:
            agent = self.possible_agents[seat]
            self._cumulative_rewards[agent], self.infos[agent] = 0.0, {}
        self._play_together(decoded)
        self._advance()
        return True

    def _decode_together(self, actions: Mapping[str, Any]) -> list[Any] | None:
        """The typed moves of all who are to move, or None if one is missing or unusable."""
        decoded: list[Any] = []
        for seat in self._cycle:
            agent = self.possible_agents[seat]
            if agent not in actions:
                return None
            action = self._decode(seat, actions[agent], self._legal_by_seat[seat])
            if action.__class__ is Invalid:
                if self._on_error[seat] == "raise" and not self._max_retries[seat]:  # before anything is played
                    raise ValueError(self._invalid_action_message(agent, action))
                return None
            decoded.append(action)
        return decoded

    # -- unusable answers ----------------------------------------------------------------------------------

    def _handle_invalid(self, agent: str, seat: int, error: Invalid, answer: Any) -> Any:
        """Returns what takes the place of the answer, if anything does: the default action, or what stands of it."""
        nobody = no_reply_error(answer)
        error = nobody or error
        if isinstance(answer, Reply) and self._attempt >= self._max_retries[seat]:
            standing = getattr(self._faces[seat], "find_cut_move", None)  # text faces have one
            if standing is not None and (stands := standing(answer, self._legal)) is not None:
                return stands
        self.errors[seat] += 1
        self.problems[seat] = error.text
        self.last_error = error
        self._attempt += 1
        if self._attempt <= self._max_retries[seat] and nobody is None:
            self._error = error
            told = {"error": error.text, "error_code": error.code, "attempt": self._attempt}
            self.infos[agent] = {**self._info(seat, self._legal), **told}
            return None
        policy = self._on_error[seat]
        if policy == "raise":
            raise ValueError(self._invalid_action_message(agent, error))
        if policy == "default":
            self.defaults[seat] += 1
            return self.game.fallback_action(self._observe(self.params, self.game_state, seat), answer, error)
        self._error = error
        self.forfeiting_seat = seat
        self._finish()
        return None

    def _invalid_action_message(self, agent: str, error: Invalid) -> str:
        return f"{self.game.name}: unusable action of {agent}: {error.text}"
