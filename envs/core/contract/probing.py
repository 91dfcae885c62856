"""Turn order of a game, found by random play."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from econzoo.envs.core.contract.chance import draw
from econzoo.envs.core.contract.moves import Move
from econzoo.envs.core.contract.rules import CHANCE, DONE, PASS, SEVERAL

if TYPE_CHECKING:
    from econzoo.envs.core.contract.game import Game
    from econzoo.envs.core.contract.rules import P, S, V

MAX_POSITIONS = 1000
"""Maximum positions to visit."""

MAX_MATCHES = 20
MAX_TRIES = 20
"""Attempts to sample a legal move until the default action is used."""


class Turns(NamedTuple):
    """Turn structure of a game."""

    has_single_moves: bool
    has_joint_moves: bool
    has_waiting_seats: bool
    chance: tuple[type, ...] = ()

    @property
    def turn_order(self) -> str:
        """``"alternating"``, ``"simultaneous"`` or ``"mixed"``."""
        return (
            "mixed"
            if self.has_single_moves and self.has_joint_moves
            else "alternating"
            if self.has_single_moves
            else "simultaneous"
        )


@lru_cache(maxsize=1024)
def turns_of(game: Game[P, S, V], params: P | None = None) -> Turns:
    """Return the turn structure under these parameters of the rules, or the defaults.

    Plays up to `MAX_MATCHES` random matches with a fixed seed, visiting at most `MAX_POSITIONS` positions.
    For games with a referee, which rules alone cannot play, only the first position is visited.
    """
    params = game.params()[1] if params is None else params
    rng, turns, remaining, drawn = np.random.default_rng(0), set(), MAX_POSITIONS, set()
    for _ in range(MAX_MATCHES):
        state = game.rules.initial(params)
        while remaining > 0:
            remaining -= 1
            turn = game.rules.to_act(params, state)
            if turn == DONE:
                break
            turns.add(_classify_turn(game, params, state, turn))
            if turn == CHANCE:
                drawn.add(type(game.rules.chance(params, state)))
            # Only the referee can compute the next position.
            if game.referee is not None:
                remaining = 0
                break
            state = game.rules.apply(params, state, sample_moves(game, params, state, turn, rng))
    kinds = {kind for kind, _ in turns}
    # Sorted, as the order of a set of classes differs from process to process.
    types = tuple(sorted(drawn, key=lambda one: one.__name__))
    return Turns("alone" in kinds, "together" in kinds, any(waits for _, waits in turns), types)


def _classify_turn(game: Game[P, S, V], params: P, state: S, turn: int) -> tuple[str, bool]:
    """Return (mover type, whether an active seat waits)."""
    if turn == CHANCE:
        return "nature", False
    alive = game.rules.alive
    inside = [seat for seat in range(game.seats(params)) if alive is None or alive(params, state, seat)]
    waits = not all(any(game.rules.legal(params, state, seat)) for seat in inside)
    return ("together" if turn == SEVERAL else "alone"), waits


def sample_moves(game: Game[P, S, V], params: P, state: S, turn: int, rng: np.random.Generator) -> tuple[Move, ...]:
    """Sample legal moves of all movers, including nature; in joint moves the others PASS."""
    zeros = (0.0,) * game.actions_of(params).width
    if turn == CHANCE:
        return (Move(CHANCE, (draw(game.rules, params, game.rules.chance(params, state), state, rng), *zeros[1:])),)
    if turn != SEVERAL:
        return (_sample_move(game, params, state, turn, rng),)
    seats = range(game.seats(params))
    movers = [seat for seat in seats if any(game.rules.legal(params, state, seat))]
    return tuple([_sample_move(game, params, state, i, rng) if i in movers else Move(PASS, zeros) for i in seats])


def _sample_move(game: Game[P, S, V], params: P, state: S, seat: int, rng: np.random.Generator) -> Move:
    """Sample a legal move; the default action if `MAX_TRIES` samples are refused."""
    actions, rules = game.actions_of(params), game.rules
    # Within `span`: with bounds that only guard against slips, hardly any sampled move would be sensible.
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
