"""Generic PettingZoo AEC environment of any `Game`."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any

from econzoo.envs.core.contract.chance import chance_script
from econzoo.envs.core.contract.game import CHANCE, DONE, SEVERAL
from econzoo.envs.core.contract.moves import Legal
from econzoo.envs.core.contract.parameters import check_seed
from econzoo.envs.core.contract.rules import P, S, V
from econzoo.envs.core.contract.streams import derive_seed
from econzoo.envs.core.contract.validation import Invalid
from econzoo.envs.core.env.audience import audience_of
from econzoo.envs.core.env.channel import apply_channel
from econzoo.envs.core.env.decoding import space_error
from econzoo.envs.core.env.kind_order import SHUFFLED
from econzoo.envs.core.env.play import GamePlay
from econzoo.envs.core.env.refereeing import referee_of
from econzoo.envs.core.env.reset_options import check_reset_options
from econzoo.envs.core.faces.finish import no_reply_error
from econzoo.envs.core.faces.parse import Reply

__all__ = ["GameEnv"]


class GameEnv(GamePlay[P, S, V]):
    """A game as an AEC environment, without the checks of the public layer (`CheckedEnv`).

    Rewards are 0 until the game ends and then equal the objective of each seat. A seat that
    leaves early is paid when it leaves if the objective depends only on its own result, else with the
    others at the end (``black_death``). A match that reaches ``max_cycles`` is truncated without payment.
    Infos contain the legal moves of the face; after an invalid answer ``error``, ``error_code`` and ``attempt``, and
    from then on ``errors`` and ``defaults`` (counts of the seat) and ``last_problem`` (the last error text); at
    the end these counts in any case, ``forfeit``, and ``payoff`` (the game's own unit), or ``position_payoff`` if
    the match was truncated. If a new player takes a seat during the game (`rules.joined`), its first info contains
    ``newcomer``: the player must reset its memory. In simultaneous moves, all seats that have
    not chosen yet have infos and observations as if they were to move.

    An invalid answer (unparsable or illegal) never silently becomes a move. The agent is asked again up
    to `max_retries` times, unless the answer indicates that nobody answers
    (`econzoo.envs.core.faces.finish.NO_REPLY_REASONS`); then ``on_error`` applies, unless a truncated reply contains a
    complete answer (`econzoo.envs.core.faces.finish`): ``"default"`` plays the game's default action and counts it,
    ``"forfeit"`` ends the game with the payoffs of the position, ``"raise"`` raises `ValueError`.

    Arguments are those of `econzoo.envs.core.env.options.EnvWithOptions`.

    Raises:
        ValueError: Invalid value.
    """

    _last_exit_move = -1  # move count when a seat last left before the end

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Start a match.

        Args:
            seed: Random seed; None: derived from the last seed, or random if there is none.
            options: See `econzoo.envs.core.env.reset_options`.

        Raises:
            ValueError: Invalid seed, option, parameter or chance move.
        """
        seed, options = check_seed(seed), check_reset_options(self.game, options)
        if options.get("params"):
            self._reconfigure(options["params"])
        self._seed, self._nature = self._next_seed() if seed is None else seed, None
        if self._change is not None:
            self._channel_rng = self.stream("channel")
        if self.options.kind_order == SHUFFLED:
            self._make_faces()
        self._scripted_chance = chance_script(self.game, self.params, options)
        self._referee, self.rulings = referee_of(self.game, options), []
        self._checked = options.get("checked", self.CHECKS_ACTION_SPACE)
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
        """Return the seed of a match that is reset without one."""
        if self._seed is None:
            return secrets.randbits(63)
        return derive_seed(self.setting, self._seed, "next match")

    def _advance(self) -> None:
        """Play chance moves, then select who moves next."""
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
        """Return the legal moves of each seat that has any."""
        params, state = self.params, self.game_state
        kinds = [self._legal_kinds(params, state, seat) for seat in range(len(self.possible_agents))]
        return {seat: self._make_legal(own, state, seat) for seat, own in enumerate(kinds) if True in own}

    def _retire(self) -> bool:
        """Notify and pay seats that have left while others play on, and terminate them unless they stay.

        Returns:
            Whether the match has ended for any agent.
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
        """Play the action of the selected agent (None for a terminated agent).

        Args:
            action: Action in the format of the agent's face.

        Raises:
            ValueError: Invalid action under ``on_error="raise"``, or not None for a terminated agent.
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
            self._clear_rewards()  # of seats that left in the previous step
        decoded = self._decode(seat, action, self._legal)
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

    def _call_order_error(self, call: str) -> RuntimeError:
        """Error for a call before `reset` or after the end."""
        when = "the game is over: call reset() to start another" if "agents" in self.__dict__ else "call reset() first"
        return RuntimeError(f"{self.game.name}: {call}() is not possible now; {when}")

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

    @property
    def awaited_agents(self) -> list[str]:
        """Agents still to act: the mover, or those that have not chosen yet in a simultaneous move."""
        return [] if self.over else [self.possible_agents[seat] for seat in self._cycle if seat not in self.pending]

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
        if self._paid_seats:
            self._clear_rewards()
        for seat in self._cycle:
            agent = self.possible_agents[seat]
            self._cumulative_rewards[agent], self.infos[agent] = 0.0, {}
        self._play_together(decoded)
        self._advance()
        return True

    def _decode_together(self, actions: Mapping[str, Any]) -> list[Any] | None:
        """Decode the actions of all movers; None if any is missing or invalid."""
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

    # -- invalid answers -----------------------------------------------------------------------------------

    def _handle_invalid(self, agent: str, seat: int, error: Invalid, answer: Any) -> Any:
        """Return the replacement of an invalid answer (default action or complete part of a cut reply), or None."""
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
            problem = {"error": error.text, "error_code": error.code, "attempt": self._attempt}
            self.infos[agent] = {**self._info(seat, self._legal), **problem}
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
        return f"{self.game.name}: invalid action of {agent}: {error.text}"
