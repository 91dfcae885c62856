"""Generic loop over the moves of scripted players.

Like `econzoo.envs.core.vector.kernels`, it is a template: it is compiled with one game's rules in place of `rules`, and
the strategies of a pool in place of `scripts`.
"""

# mypy: disallow-untyped-defs=False

from __future__ import annotations

import math
from typing import Any

from econzoo.envs.core.contract import DONE, choose_flagged
from econzoo.envs.core.vector.kernels import rules, write_waiting

scripts: Any = object()
"""Placeholder for the compiled strategies of a pool, which the loader inserts."""

RANDOM_STRATEGY = -1
"""Index of the strategy of the player ``random``."""

MAX_TRIES = 100
"""Attempts to sample a legal move where the rules refuse some."""


def play_scripts(
    params, rows, state, turns, chosen, cast, strategies, first, numbers, past, slots, rng, room, kinds, values
):
    """Write the moves of scripted seats in the chosen games that wait for them.

    Arguments are as for `econzoo.envs.core.vector.kernels.play`; `kinds` and `values` are outputs. `cast` is the index
    of the player of the pool in each seat, int64 of shape (games, seats), or -1. For each player, `strategies` is its
    index among `scripts`, or `RANDOM_STRATEGY`, and `first` the index of its first of `numbers`, with one more at the
    end. `past` is the memory of each seat, float64 of shape (games, seats, numbers), `rng` the random generator, and
    `room` a buffer of shape (1, slots, 2) for usual values.
    """
    for i in range(len(turns)):
        turn = turns[i]
        if turn == DONE or not chosen[i]:
            continue
        p, s = rules.load_params(params, rows[i]), rules.load_state(state, i)
        for seat in range(cast.shape[1]):
            one = cast[i, seat]
            if one >= 0 and rules.moves_now(p, s, turn, seat):
                column = seat if kinds.shape[1] > 1 else 0
                if strategies[one] == RANDOM_STRATEGY:
                    rules.store_bounds(room, 0, rules.span(p, s, seat))
                    draw_move(p, s, seat, slots, rng, room, kinds, values, i, column)
                else:
                    own = numbers[first[one] : first[one + 1]]
                    # Always two numbers: how many of them a strategy uses shifts no later draw.
                    view, u = rules.observe(p, s, seat), (rng.random(), rng.random())
                    kind, v = scripts.play(strategies[one], view, own, past[i, seat], u)
                    kinds[i, column] = kind
                    rules.store_values(values, i, column, v)


def play_until(
    params, rows, state, turns, chosen, learner, moved, cast, strategies, first, numbers, past, slots, rng, room,
    kinds, values, policy, nature, payoffs, done, errors, waiting, ended,
):  # fmt: skip
    """Play the scripted seats in the chosen games until a game ends or the learner has a legal move.

    Arguments are as for `play_scripts` and `econzoo.envs.core.vector.kernels.play`; `learner` is the learner's seat in
    each game. If `moved`, its move is in `kinds` and `values` and comes first. Games that end are flagged in `ended`;
    `payoffs`, `done` and `waiting` are buffers.

    Returns the number of moves of a game at most, and the number of games with an unexpected turn order.
    """
    moves, unexpected = 0, 0
    for i in range(len(turns)):
        waiting[i], ended[i] = chosen[i], False
    while moved or write_waiting(params, rows, state, turns, chosen, learner, waiting):
        # All games make a move before any makes the next, in the order of the random numbers.
        if kinds.shape[1] > 1 or not moved:
            play_scripts(
                params, rows, state, turns, waiting, cast, strategies, first, numbers, past, slots, rng, room, kinds,
                values,
            )  # fmt: skip
        unexpected += rules.step(
            params, rows, rows, state, turns, waiting, kinds, values, policy, False, nature, payoffs, done, errors
        )
        for i in range(len(turns)):
            ended[i] = ended[i] or done[i]
        moved, moves = False, moves + 1
    return moves, unexpected


def draw_move(p, s, seat, slots, rng, room, kinds, values, i, column):
    """Write a random move: a legal kind and usual values to five digits."""
    first, count, counted, _, _, whole = slots
    width = values.shape[1] // kinds.shape[1]
    for _ in range(MAX_TRIES):
        kind = choose_flagged(rules.legal(p, s, seat), rng.random())
        kinds[i, column] = kind
        for k in range(width):
            values[i, column * width + k] = 0.0
            if k < count[kind]:
                slot = first[kind] + k
                low, high, u = room[0, slot, 0], room[0, slot, 1], rng.random()
                if counted[slot]:
                    value = low + math.floor(u * (high - low + 1.0))
                else:
                    value = round_readable(low, high, low + (high - low) * u)
                values[i, column * width + k] = math.floor(value + 0.5) if whole[slot] else value
        if rules.usable(p, s, seat, kind, rules.load_values(values, i, column)):
            return


def round_readable(low, high, value):
    """Round a value to five digits of its range."""
    if high <= low:
        return value
    ten = 10.0 ** float(4 - math.floor(math.log10(high - low)))
    return min(max(math.floor(value * ten + 0.5) / ten, low), high)
