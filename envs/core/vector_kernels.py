"""The loops over many games at once, written for no game in particular.

They do nothing as they stand: `econzoo.envs.core.vector_compile` compiles them with one game's rules in the place of
`rules`. States come as one array per number (``state[k][game]``), and so do sets of parameters; ``rows[game]`` says
which set a game has. ``turns[game]`` is what ``to_act`` says of its position.
"""

# mypy: disallow-untyped-defs=False

from __future__ import annotations

import math
from typing import Any

from econzoo.envs.core.game import CHANCE, DONE, EVERYONE, Move

rules: Any = object()
"""Stands for the compiled functions of one game, which the loader puts here."""

DEFAULT, FORFEIT = 0, 1
"""What follows an unusable move: the game's default action, or the end of the game with the payoffs as they are."""


def play(params, rows, next_rows, state, turns, chosen, kinds, amounts, policy, restart, rng, payoffs, done, errors):
    """Plays one move, or one round of moves, of every chosen game that is not over.

    Unusable moves are counted in `errors`, and replaced in `kinds` and `amounts` under `DEFAULT`. A game that ends is
    told by `done`, its row of `payoffs` is filled (all others are 0), and if `restart` the next one starts.
    """
    for i in range(len(turns)):
        done[i] = False
        rules.store_payoffs(payoffs, i, rules.no_payoffs)
        turn = turns[i]
        if turn == DONE or not chosen[i]:
            continue
        p, s = rules.load_params(params, rows[i]), rules.load_state(state, i)
        forfeited = False
        for j in range(kinds.shape[1]):
            seat = j if turn == EVERYONE else turn
            if rules.moves_now(p, s, turn, seat) and not rules.usable(p, s, seat, kinds[i, j], amounts[i, j]):
                errors[i, seat] += 1
                if policy == FORFEIT:
                    forfeited = True
                    break
                move = rules.default(rules.observe(p, s, seat))
                kinds[i, j], amounts[i, j] = move.kind, move.amount
        if forfeited:
            turn = DONE
        else:
            s = rules.cast_state(rules.apply(p, s, rules.moves(p, s, kinds, amounts, i)))
            s, turn = rules.nature(p, s, rng)
        if turn == DONE:
            done[i] = True
            rules.store_payoffs(payoffs, i, rules.payoffs(p, s))
            if restart:
                rows[i] = next_rows[i]
                p = rules.load_params(params, rows[i])
                s, turn = rules.nature(p, rules.cast_state(rules.initial(p)), rng)
        rules.store_state(state, i, s)
        turns[i] = turn


def start(params, rows, next_rows, state, turns, chosen, rng):
    """Starts the chosen games."""
    for i in range(len(turns)):
        if chosen[i]:
            rows[i] = next_rows[i]
            p = rules.load_params(params, rows[i])
            s, turns[i] = rules.nature(p, rules.cast_state(rules.initial(p)), rng)
            rules.store_state(state, i, s)


def first_unusable(params, rows, state, turns, chosen, kinds, amounts):
    """Number of the first game, and the seat, whose move cannot be played; (-1, -1) if all can."""
    for i in range(len(turns)):
        if turns[i] == DONE or not chosen[i]:
            continue
        p, s = rules.load_params(params, rows[i]), rules.load_state(state, i)
        for j in range(kinds.shape[1]):
            seat = j if turns[i] == EVERYONE else turns[i]
            if rules.moves_now(p, s, turns[i], seat) and not rules.usable(p, s, seat, kinds[i, j], amounts[i, j]):
                return i, seat
    return -1, -1


def allowed(params, rows, state, turns, games, seats, kinds, limits, spans):
    """Writes which kinds of move a seat of each of the games has now, its limits and its usual amounts."""
    for k in range(len(games)):
        i, seat = games[k], seats[k]
        p, s = rules.load_params(params, rows[i]), rules.load_state(state, i)
        limits[k, 0], limits[k, 1] = rules.limits(p, s, seat)
        spans[k, 0], spans[k, 1] = rules.span(p, s, seat)
        if turns[i] == DONE:
            rules.store_kinds(kinds, k, rules.no_kinds)
        else:
            rules.store_kinds(kinds, k, rules.legal(p, s, seat))


def look(params, rows, state, games, seats, out):
    """Writes the features that a seat of each of the games sees."""
    for k in range(len(games)):
        i = games[k]
        p, s = rules.load_params(params, rows[i]), rules.load_state(state, i)
        rules.store_features(out, k, rules.features(rules.observe(p, s, seats[k])))


def standing(params, rows, state, out):
    """Writes the payoffs of every seat of every game as it stands."""
    for i in range(len(rows)):
        p, s = rules.load_params(params, rows[i]), rules.load_state(state, i)
        rules.store_payoffs(out, i, rules.payoffs(p, s))


def gained(params, rows, state, games, out):
    """Writes the self-gain of every seat of each of the games, for rules that have `gains`."""
    for k in range(len(games)):
        i = games[k]
        p, s = rules.load_params(params, rows[i]), rules.load_state(state, i)
        rules.store_payoffs(out, k, rules.gains(p, s))


KERNELS = (play, start, first_unusable, allowed, look, standing, gained)

# What the loops need besides the rules themselves; the loader picks those that fit the game.


def usable(p, s, seat, kind, amount):
    """Whether a move is legal for this seat now; NaN is in no range."""
    if not (0 <= kind < len(rules.carries_amount) and rules.legal(p, s, seat)[kind]):
        return False
    if not rules.carries_amount[kind]:
        return True
    low, high = rules.limits(p, s, seat)
    return low <= amount <= high and not (rules.whole[kind] and amount != math.floor(amount))


def one_move(p, s, kinds, amounts, i):
    """The move of the seat whose turn it is."""
    return (rules.as_move(kinds[i, 0], amounts[i, 0]),)


def moves_of_the_living(p, s, kinds, amounts, i):
    """The moves of the seats that are still in the game, in order."""
    return [rules.as_move(kinds[i, j], amounts[i, j]) for j in range(kinds.shape[1]) if rules.alive(p, s, j)]


def as_move(kind, amount):
    """A move whose amount is 0 if its kind carries none."""
    return Move(kind, amount if rules.carries_amount[kind] else 0.0)


def as_it_is(values):
    """What ``tuple`` does when compiled: numbers are stored one by one, so a list of them is as good."""
    return values


def always(p, s, turn, seat):
    """Every seat whose turn it is moves."""
    return True


def if_alive(p, s, turn, seat):
    """Of all seats that move at once, only those still in the game."""
    return turn != EVERYONE or rules.alive(p, s, seat)


def no_chance(p, s, rng):
    """Who is to act after a move."""
    return s, rules.to_act(p, s)


def with_chance(p, s, rng):
    """Draws nature's moves, then says who is to act."""
    turn = rules.to_act(p, s)
    while turn == CHANCE:
        outcome = drawn(rules.chance(p, s), rng.random())
        s = rules.cast_state(rules.apply(p, s, (Move(CHANCE, outcome),)))
        turn = rules.to_act(p, s)
    return s, turn


def drawn(outcomes, uniform):
    """The outcome that a uniform number in [0, 1) picks, as the scalar environment does."""
    total = 0.0
    for _, probability in outcomes:
        total += probability
    edge = 0.0
    for outcome, probability in outcomes:
        edge += probability
        if uniform * total < edge:
            return float(outcome)
    return float(outcomes[len(outcomes) - 1][0])
