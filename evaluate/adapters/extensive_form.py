"""Games in extensive form: sequential choices by index; simultaneous moves become hidden sequential moves.

Choices are the actions of the numeric face and nature's outcomes. Seats have perfect recall: they know all their
observations and their own actions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import CHANCE, PASS, SEVERAL, Finite, Move
from econzoo.envs.core.faces import NumericFace
from econzoo.evaluate.analyses.exploitability import outcomes

__all__ = ["ExtensiveForm", "Node"]


class ExtensiveForm:
    """A game with one set of public parameters; see `econzoo.evaluate.adapters.openspiel.openspiel_game`."""

    def __init__(self, name: str, params: Mapping[str, Any], grid: int, nature: int) -> None:
        self.game, self.nature = (game := find_game(name)), nature
        self.rules, self.params = game.rules, game.params(**params)[1]
        self.actions, self.seats = game.actions_of(self.params), game.seats(self.params)
        self.face = NumericFace(game, grid, actions=self.actions, seats=self.seats)
        self.root = Node(self, self.rules.initial(self.params)).reveal([()] * self.seats)


class Node(NamedTuple):
    """A node of the game tree.

    Attributes:
        information: By seat, its observations and own actions, in order.
        chosen_moves: Moves already chosen in a simultaneous move, by seat.
    """

    form: ExtensiveForm
    state: Any
    information: tuple[tuple[Any, ...], ...] = ()
    chosen_moves: Mapping[int, Move] = MappingProxyType({})

    def __deepcopy__(self, memo: Any) -> Node:
        return self  # immutable

    def reveal(self, known: Sequence[tuple[Any, ...]]) -> Node:
        """Append each seat's observation of the state to its information."""
        return self._replace(information=tuple([(*past, self.features(seat)) for seat, past in enumerate(known)]))

    def features(self, seat: int) -> tuple[float, ...]:
        """Numeric observation of a seat."""
        rules = self.form.rules
        return tuple(rules.features(rules.observe(self.form.params, self.state, seat)))

    @property
    def turn(self) -> int:
        """Seat to move, CHANCE or DONE."""
        turn = self.form.rules.to_act(self.form.params, self.state)
        return turn if turn != SEVERAL else next(seat for seat in self._movers() if seat not in self.chosen_moves)

    def _movers(self) -> list[int]:
        legal, params = self.form.rules.legal, self.form.params
        return [seat for seat in range(self.form.seats) if any(legal(params, self.state, seat))]

    def legal(self, seat: int) -> list[int]:
        """Legal actions of a seat."""
        mask = self.form.face.mask(self.form.rules.legal_moves(self.form.params, self.state, seat))
        return [action for action, allowed in enumerate(mask.tolist()) if allowed]

    def chance_outcomes(self) -> Finite:
        """Outcomes of nature, with probabilities."""
        return outcomes(self.form.game, self.form.params, self.state, self.form.nature)

    def child(self, choice: int) -> Node:
        """Child node after an action of the seat to move, or after the outcome of nature with this index."""
        form, seat, known, blank = self.form, self.turn, [*self.information], (0.0,) * self.form.actions.width
        if seat == CHANCE:
            moves: tuple[Move, ...] = (Move(CHANCE, (self.chance_outcomes()[choice][0], *blank[1:])),)
        else:
            allowed = form.rules.legal_moves(form.params, self.state, seat)
            moves = (Move(*form.actions.move(form.face.decode(choice, allowed))),)
            known[seat] = (*known[seat], choice)
        if form.rules.to_act(form.params, self.state) == SEVERAL:
            chosen = {**self.chosen_moves, seat: moves[0]}
            if len(chosen) < len(self._movers()):
                # The state is unchanged until all have chosen, so that nobody observes the choice of another.
                return self._replace(information=tuple(known), chosen_moves=chosen)
            # The rules expect a move of every seat in a simultaneous move.
            moves = tuple([chosen.get(i, Move(PASS, blank)) for i in range(form.seats)])
        return Node(form, form.rules.apply(form.params, self.state, moves)).reveal(known)

    def gains(self) -> list[float]:
        """Self-gains of all seats at a terminal node."""
        return [*self.form.game.metrics.outcome(self.form.params, self.state).gains]
