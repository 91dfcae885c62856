"""What random play shows of a game: whether its seats move one at a time, several at once, or now so and now so."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from econzoo.envs.core.contract.chance import draw
from econzoo.envs.core.contract.moves import Move
from econzoo.envs.core.contract.notation import CHANCE, DONE, PASS, SEVERAL

if TYPE_CHECKING:
    from econzoo.envs.core.contract.game import Game
    from econzoo.envs.core.contract.rules import P, S, V

MAX_POSITIONS = 1000
"""Positions that are looked at."""

MAX_MATCHES = 20
MAX_TRIES = 20
"""Moves that are drawn where the rules refuse some, before the default action is taken."""


class Turns(NamedTuple):
    """How seats take turns.

    Attributes:
        has_single_moves: Whether there are positions in which one seat moves.
        has_joint_moves: Whether there are positions in which several move at once.
        has_waiting_seats: Whether a seat that is in the game ever waits while others move.
        chance: Types of the distributions that nature draws from.
    """

    has_single_moves: bool
    has_joint_moves: bool
    has_waiting_seats: bool
    chance: tuple[type, ...] = ()

    @property
    def turn_order(self) -> str:
        """In a word."""
        return (
            "mixed"
            if self.has_single_moves and self.has_joint_moves
            else "alternating"
            if self.has_single_moves
            else "simultaneous"
        )


@lru_cache(maxsize=1024)
def turns_of(game: Game[P, S, V], params: P | None = None) -> Turns:
    """How seats take turns with these parameters of the rules, or with the default ones.

    Found by playing `MATCHES` matches at random, or fewer if `MOVES` have been made before; the same ones each time.
    Of a game with a referee, which rules alone cannot play, the first position is taken for all.
    """
    params = game.params()[1] if params is None else params
    rng, found, left, drawn = np.random.default_rng(0), set(), MAX_POSITIONS, set()
    for _ in range(MAX_MATCHES):
        state = game.rules.initial(params)
        while left > 0:
            left -= 1
            turn = game.rules.to_act(params, state)
            if turn == DONE:
                break
            found.add(_classify_turn(game, params, state, turn))
            if turn == CHANCE:
                drawn.add(type(game.rules.chance(params, state)))
            if game.referee is not None:
                left = 0
                break
            state = game.rules.apply(params, state, sample_moves(game, params, state, turn, rng))
    kinds = {kind for kind, _ in found}
    types = tuple(sorted(drawn, key=lambda one: one.__name__))
    return Turns("alone" in kinds, "together" in kinds, any(waits for _, waits in found), types)


def _classify_turn(game: Game[P, S, V], params: P, state: S, turn: int) -> tuple[str, bool]:
    """Whether one moves or several, and whether somebody waits."""
    if turn == CHANCE:
        return "nature", False
    alive = game.rules.alive
    inside = [seat for seat in range(game.seats(params)) if alive is None or alive(params, state, seat)]
    waits = not all(any(game.rules.legal(params, state, seat)) for seat in inside)
    return ("together" if turn == SEVERAL else "alone"), waits


def sample_moves(game: Game[P, S, V], params: P, state: S, turn: int, rng: np.random.Generator) -> tuple[Move, ...]:
    """Legal moves of all who are to move, nature included, and PASS for the others where several are."""
    zeros = (0.0,) * game.actions_of(params).width
    if turn == CHANCE:
        return (Move(CHANCE, (draw(game.rules, params, game.rules.chance(params, state), state, rng), *zeros[1:])),)
    if turn != SEVERAL:
        return (_sample_move(game, params, state, turn, rng),)
    seats = range(game.seats(params))
    movers = [seat for seat in seats if any(game.rules.legal(params, state, seat))]
    return tuple([_sample_move(game, params, state, i, rng) if i in movers else Move(PASS, zeros) for i in seats])


def _sample_move(game: Game[P, S, V], params: P, state: S, seat: int, rng: np.random.Generator) -> Move:
    """A legal move at random."""
    actions, rules = game.actions_of(params), game.rules
    usual = (rules.span or rules.bounds)(params, state, seat)
    for _ in range(MAX_TRIES):
        kind = int(rng.choice(np.flatnonzero(rules.legal(params, state, seat))))
        marks = actions.marks[kind]
        own = usual[actions.first[kind] : actions.first[kind] + len(marks)]
        values = [mark.sample(bounds, rng) for mark, bounds in zip(marks, own, strict=True)]
        move = Move(kind, (*values, *[0.0] * (actions.width - len(values))))
        if rules.refuses is None or not rules.refuses(params, state, seat, move):
            return move
    return actions.move(game.default_action(rules.observe(params, state, seat)))
