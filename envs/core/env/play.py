"""How moves are played: nature's, of one seat, of several at once, and by what a referee finds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from econzoo.envs.core.contract.chance import draw, drawn, edges_of, scripted
from econzoo.envs.core.contract.distributions import SMOOTH
from econzoo.envs.core.contract.game import CHANCE, Event, Fact, Move
from econzoo.envs.core.contract.moves import new
from econzoo.envs.core.contract.rules import P, S, V
from econzoo.envs.core.contract.streams import derived_seed
from econzoo.envs.core.env.audience import Audience
from econzoo.envs.core.env.refereeing import plain_ruling
from econzoo.envs.core.env.results import GameEnding


class GamePlay(GameEnding[P, S, V]):
    """The part of a `GameEnv` that goes from one position to the next."""

    chance_draws: list[float]
    chosen: dict[int, Any]
    moves: int
    rulings: list[dict[str, Any]]
    _cycle: list[int]
    _moment: int
    _outcomes: Any
    _referee: Any
    _scripted_chance: list[Any]

    def _play_nature(self) -> None:
        """Draws a move of nature and plays it; it is as wide as the others."""
        outcome = self._draw()
        self.chance_draws.append(outcome)
        move = Move(CHANCE, (outcome, *self._waits.values[1:]))
        self.game_state = self._apply(self.params, self.game_state, (move,))

    def _draw(self) -> float:
        rules = self.game.rules
        distribution = rules.chance(self.params, self.game_state)
        if self._scripted_chance:
            return scripted(self.game, distribution, self._scripted_chance.pop(0))
        if self._nature is None:  # made when it first moves: many matches never need it
            self._nature = self.stream("nature")
        if isinstance(distribution, SMOOTH):
            return draw(rules, self.params, distribution, self.game_state, self._nature)
        if distribution is not self._outcomes:
            self._outcomes, self._edges = distribution, edges_of(distribution)
        return drawn(distribution, self._edges, self._nature)

    def _play_alone(self, seat: int, action: Any) -> None:
        """Plays the move of one seat."""
        before, move = self.game_state, self._move(action)
        self._moment += 1
        self.game_state = self._apply(self.params, before, (move,))
        if self._facts is None and self._audience is None:
            self.events += (new(Event, (seat, before.round, action, None, self._moment)),)
        else:
            facts = () if self._facts is None else self._facts(self.params, before, (move,), self.game_state)
            self._tell(before, {seat: action}, {seat: move}, facts)

    def _play_together(self, actions: list[Any]) -> None:
        """Plays the moves of all seats of the cycle, in their order."""
        before = self.game_state
        self._moment += 1
        if self._alive is not None:
            self.moves += self._gone(before)  # seats that have left pass
        acted = dict(zip(self._cycle, actions, strict=True))
        if self._referee is not None:
            self._play_by_referee(acted)
            return
        moves = [self._waits] * len(self.possible_agents)
        for seat, action in acted.items():
            moves[seat] = self._move(action)
        self.game_state = self._apply(self.params, before, tuple(moves))
        if self._came_out is not None:
            acted = self._as_it_came_out(acted, before, tuple(moves))
        facts = () if self._facts is None else self._facts(self.params, before, tuple(moves), self.game_state)
        self._tell(before, acted, dict(enumerate(moves)), facts)

    def _gone(self, state: S) -> int:
        """How many seats have left the game."""
        return sum(not self._alive(self.params, state, seat) for seat in range(len(self.possible_agents)))  # type: ignore[misc]

    def _tell(self, before: S, acted: dict[int, Any], moves: dict[int, Move], facts: Sequence[Fact]) -> None:
        """Adds what was done at one moment, and what came to light of it, to the events."""
        now, at = self._moment, before.round
        beside: dict[int, Fact] = {}  # the first fact about a seat that acted stands beside its move
        alone = [f for f in facts if f.about not in acted or beside.setdefault(f.about, f) is not f]
        paired = [(seat, action, beside.get(seat)) for seat, action in acted.items()]
        paired += [(fact.about, None, fact) for fact in alone]
        events = [new(Event, (seat, at, action, fact and fact.told, now)) for seat, action, fact in paired]
        if self._audience is None and any(fact.to is not None for fact in facts):
            self._audience = Audience(self.game, self.params, len(self.possible_agents), self.events)
        if self._audience is not None:
            audiences = [None if fact is None else fact.to for _, _, fact in paired]
            self._audience.tell(before, self.game_state, moves, events, audiences)
        self.events += tuple(events)

    def _as_it_came_out(self, acted: dict[int, Any], before: S, moves: tuple[Move, ...]) -> dict[int, Any]:
        """The actions as everybody sees them, where they may differ from those that were chosen."""
        self.chosen = acted
        made, out = self._came_out(self.params, before, moves, self.game_state), {}  # type: ignore[misc]
        for seat, action in acted.items():
            kind, values = made[seat]
            same = made[seat] == moves[seat]
            out[seat] = action if same else self.actions.make(kind, values, self.actions.told(action)[1])
        return out

    def _play_by_referee(self, acted: dict[int, Any]) -> None:
        """Lets the game's referee find out what the actions lead to, and plays that."""
        before = self.game_state
        seed = derived_seed(self.setting, self._seed, "referee", len(self.rulings))
        ruling = self._referee(self.params, before, list(acted.values()), seed)
        self.rulings.append(plain_ruling(ruling))
        self.game_state = self._apply(self.params, before, ruling.moves)
        moves = {seat: self._move(action) for seat, action in acted.items()}
        self._tell(before, acted, moves, [Fact(seat, result) for seat, result in enumerate(ruling.results)])
