"""Transitions of a match (chance, single, simultaneous and refereed moves) and its end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from econzoo.envs.core.contract.chance import check_scripted_move, cumulative_probabilities, draw, draw_outcome
from econzoo.envs.core.contract.game import CHANCE, Event, Fact, Move
from econzoo.envs.core.contract.moves import new_tuple
from econzoo.envs.core.contract.objectives import Objective, Outcome, reward_scale
from econzoo.envs.core.contract.rules import CONTINUOUS_DISTRIBUTIONS, P, S, V
from econzoo.envs.core.contract.streams import derive_seed
from econzoo.envs.core.env.audience import Audience
from econzoo.envs.core.env.base import GameBase
from econzoo.envs.core.env.options import check_choice
from econzoo.envs.core.env.refereeing import plain_ruling
from econzoo.envs.core.faces.transcript import picture, spectate


class GameEnding(GameBase[P, S, V]):
    """Part of `GameEnv`: results and termination."""

    departed_seats: set[int]
    _paid_seats: set[int]
    forfeiting_seat: int | None
    is_truncated: bool
    infos: dict[str, dict[str, Any]]

    def outcome(self, definition: str | None = None) -> Outcome:
        """Return the metrics of the position, normally at the end.

        Raises:
            ValueError: Unknown definition.
        """
        if definition is not None:
            check_choice("metrics", definition, self.game.metrics.DEFINITIONS)
        return self.game.metrics.outcome(self.params, self.game_state, definition or self.options.metrics)

    @property
    def payoffs(self) -> tuple[float, ...]:
        """Current payoffs of all seats in the game's own unit."""
        return tuple(map(float, self.game.rules.payoffs(self.params, self.game_state)))

    def seat_reward(self, seat: int) -> float:
        """Return the objective of the position for a seat, minus its penalties."""
        return self._reward(seat, self.outcome(), self.payoffs)

    def learner_reward(self, seat: int, objective: Objective | None = None) -> float:
        """Return the reward of a seat for learning, at the end: never higher for invalid answers than for a result.

        It is `seat_reward`, but for a forfeit, default actions and values near those: see
        `econzoo.envs.core.contract.objectives`.

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

    def _reward(self, seat: int, outcome: Outcome, payoffs: tuple[float, ...]) -> float:
        return self.options.objective.reward(payoffs, outcome, seat) - self.options.penalty * self.errors[seat]

    def _settle(self, agent: str, outcome: Outcome, payoffs: tuple[float, ...]) -> None:
        """Pay a seat and write its final info."""
        seat = self._index[agent]
        if seat not in self._paid_seats:  # departed seats have been paid
            self.rewards[agent] = reward = self._reward(seat, outcome, payoffs)
            self._cumulative_rewards[agent] += reward
        self._conclude(agent, "payoff", payoffs)

    def _conclude(self, agent: str, key: str, payoffs: tuple[float, ...]) -> None:
        seat = self._index[agent]
        ended: dict[str, Any] = {key: float(payoffs[seat]), "forfeit": self.forfeiting_seat == seat}
        ended["errors"], ended["defaults"] = self.errors[seat], self.defaults[seat]
        self.infos[agent] = {**self._info(seat, self._no_legal_moves(seat)), **ended}

    def truncate(self) -> None:
        """Truncate the match: nobody is paid, because the game has not ended.

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

    def _finish(self) -> None:
        """End the match by its rules or a forfeit, and pay."""
        outcome, payoffs = self.outcome(), self.game.rules.payoffs(self.params, self.game_state)
        for agent in self.agents:
            if not self.terminations[agent]:
                self.terminations[agent] = True
                self._settle(agent, outcome, payoffs)
        self.agent_selection = self.agents[0]

    # -- for spectators ------------------------------------------------------------------------------------

    @property
    def over(self) -> bool:
        """Whether the match has ended in any way."""
        terminated, truncated = self.terminations, self.truncations
        for agent in self.agents:  # noqa: SIM110 (asked after every move, and a generator costs ten times as much)
            if not (terminated[agent] or truncated[agent]):
                return False
        return True

    def render(self) -> str | np.ndarray | None:
        """Render the match as text (``"human"``: print, ``"ansi"``: return) or image.

        ``"rgb_array"`` returns an image of the last moves, uint8 of shape (540, 960, 3).

        Raises:
            ImportError: ``"rgb_array"`` without Pillow.
        """
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


class GamePlay(GameEnding[P, S, V]):
    """Part of `GameEnv`: transitions."""

    chance_draws: list[float]
    chosen_actions: dict[int, Any]
    moves: int
    rulings: list[dict[str, Any]]
    _cycle: list[int]
    _moment: int
    _outcomes: Any
    _referee: Any
    _scripted_chance: list[Any]

    def _play_nature(self) -> None:
        """Sample and play a chance move, padded to the width of moves."""
        outcome = self._draw()
        self.chance_draws.append(outcome)
        move = Move(CHANCE, (outcome, *self._waits.values[1:]))
        self.game_state = self._apply(self.params, self.game_state, (move,))

    def _draw(self) -> float:
        rules = self.game.rules
        distribution = rules.chance(self.params, self.game_state)
        if self._scripted_chance:
            return check_scripted_move(self.game, distribution, self._scripted_chance.pop(0))
        if self._nature is None:  # lazily: many matches have no chance moves
            self._nature = self.stream("nature")
        if isinstance(distribution, CONTINUOUS_DISTRIBUTIONS):
            return draw(rules, self.params, distribution, self.game_state, self._nature)
        if distribution is not self._outcomes:
            self._outcomes, self._edges = distribution, cumulative_probabilities(distribution)
        return draw_outcome(distribution, self._edges, self._nature)

    def _play_alone(self, seat: int, action: Any) -> None:
        """Play the move of one seat."""
        before, move = self.game_state, self._move(action)
        self._moment += 1
        self.game_state = self._apply(self.params, before, (move,))
        if self._facts is None and self._audience is None:
            self.events += (new_tuple(Event, (seat, before.round, action, None, self._moment)),)
        else:
            facts = () if self._facts is None else self._facts(self.params, before, (move,), self.game_state)
            self._add_events(before, {seat: action}, {seat: move}, facts)

    def _play_together(self, actions: list[Any]) -> None:
        """Play the moves of all seats of the cycle, in order."""
        before = self.game_state
        self._moment += 1
        if self._alive is not None:
            self.moves += self._count_departed(before)  # departed seats pass
        acted = dict(zip(self._cycle, actions, strict=True))
        if self._referee is not None:
            self._play_by_referee(acted)
            return
        moves = [self._waits] * len(self.possible_agents)
        for seat, action in acted.items():
            moves[seat] = self._move(action)
        self.game_state = self._apply(self.params, before, tuple(moves))
        if self._realized_moves is not None:
            acted = self._realized_actions(acted, before, tuple(moves))
        facts = () if self._facts is None else self._facts(self.params, before, tuple(moves), self.game_state)
        self._add_events(before, acted, dict(enumerate(moves)), facts)

    def _count_departed(self, state: S) -> int:
        """Count the departed seats."""
        return sum(not self._alive(self.params, state, seat) for seat in range(len(self.possible_agents)))  # type: ignore[misc]

    def _add_events(self, before: S, acted: dict[int, Any], moves: dict[int, Move], facts: Sequence[Fact]) -> None:
        """Append the actions and revealed facts of one moment to the events."""
        now, at = self._moment, before.round
        beside: dict[int, Fact] = {}  # first fact about each acting seat, added to its move
        alone = [f for f in facts if f.seat not in acted or beside.setdefault(f.seat, f) is not f]
        paired = [(seat, action, beside.get(seat)) for seat, action in acted.items()]
        paired += [(fact.seat, None, fact) for fact in alone]
        events = [new_tuple(Event, (seat, at, action, fact and fact.result, now)) for seat, action, fact in paired]
        if self._audience is None and any(fact.audience is not None for fact in facts):
            self._audience = Audience(self.game, self.params, len(self.possible_agents), self.events)
        if self._audience is not None:
            audiences = [None if fact is None else fact.audience for _, _, fact in paired]
            self._audience.add_events(before, self.game_state, moves, events, audiences)
        self.events += tuple(events)

    def _realized_actions(self, acted: dict[int, Any], before: S, moves: tuple[Move, ...]) -> dict[int, Any]:
        """Return the realized actions, which may differ from the chosen ones."""
        self.chosen_actions = acted
        made, out = self._realized_moves(self.params, before, moves, self.game_state), {}  # type: ignore[misc]
        for seat, action in acted.items():
            kind, values = made[seat]
            same = made[seat] == moves[seat]
            out[seat] = action if same else self.actions.make(kind, values, self.actions.kind_and_message(action)[1])
        return out

    def _play_by_referee(self, acted: dict[int, Any]) -> None:
        """Call the game's referee on the actions and play its moves."""
        before = self.game_state
        seed = derive_seed(self.setting, self._seed, "referee", len(self.rulings))
        ruling = self._referee(self.params, before, list(acted.values()), seed)
        self.rulings.append(plain_ruling(ruling))
        self.game_state = self._apply(self.params, before, ruling.moves)
        moves = {seat: self._move(action) for seat, action in acted.items()}
        self._add_events(before, acted, moves, [Fact(seat, result) for seat, result in enumerate(ruling.results)])
