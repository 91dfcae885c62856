"""The loops over many games at once, written for no game in particular.

They do nothing as they stand: `econzoo.envs.core.vector.compiling` compiles them with one game's rules in the place of
`rules`. States come as one array per number (``state[k][game]``), and so do sets of parameters; ``rows[game]`` says
which set a game has. ``turns[game]`` is what ``to_act`` says of its position.
"""

# mypy: disallow-untyped-defs=False

from __future__ import annotations

import math
from typing import Any

from econzoo.envs.core.contract.notation import CHANCE, DONE, SEVERAL

rules: Any = object()
"""Stands for the compiled functions of one game, which the loader puts here."""

DEFAULT, FORFEIT = 0, 1
"""What follows an unusable move: the game's default action, or the end of the game with the payoffs as they are."""


def play(params, rows, next_rows, state, turns, chosen, kinds, values, policy, restart, rng, payoffs, done, errors):
    """Plays one move, or the moves of several seats, in every chosen game that is not over.

    `kinds` has one column, or one for each seat; `values` has as many numbers as a move for each of its columns.
    Unusable moves are counted in `errors`, and replaced in `kinds` and `values` under `DEFAULT`. A game that ends is
    told by `done`, its row of `payoffs` is filled (all others are 0), and if `restart` the next one starts.

    Gives the number of games in which seats were to move in another way than random play has ever shown.
    """
    unexpected = 0
    for i in range(len(turns)):
        done[i] = False
        rules.store_payoffs(payoffs, i, rules.no_payoffs)
        turn = turns[i]
        if turn == DONE or not chosen[i]:
            continue
        p, s = rules.load_params(params, rows[i]), rules.load_state(state, i)
        forfeited, kind, v = False, kinds[i, 0], rules.load_values(values, i, 0)
        for j in range(kinds.shape[1]):
            seat = j if turn == SEVERAL or kinds.shape[1] > 1 else turn
            if kinds.shape[1] == 1 or rules.moves_now(p, s, turn, seat):
                kind, v = kinds[i, j], rules.load_values(values, i, j)
                if not rules.usable(p, s, seat, kind, v):
                    errors[i, seat] += 1
                    if policy == FORFEIT:
                        forfeited = True
                        break
                    kind, v = rules.default(rules.observe(p, s, seat))
                    kinds[i, j] = kind
                    rules.store_values(values, i, j, v)
        if forfeited:
            turn = DONE
        else:
            unexpected += rules.unexpected(turn)
            s = rules.cast_state(rules.after(p, s, turn, kind, v, kinds, values, i))
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
    return unexpected


def play_one(params, rows, next_rows, state, turns, chosen, kinds, values, policy, restart, rng, payoffs, done, errors):
    """The same as `play` for games in which one seat moves at a time: without columns it takes half the time.

    Written out, because arrays that are handed from function to function would cost what is won.
    """
    unexpected = 0
    for i in range(len(turns)):
        done[i] = False
        rules.store_payoffs(payoffs, i, rules.no_payoffs)
        turn = turns[i]
        if turn == DONE or not chosen[i]:
            continue
        unexpected += turn == SEVERAL
        p, s = rules.load_params(params, rows[i]), rules.load_state(state, i)
        kind, v, then = kinds[i, 0], rules.load_values(values, i, 0), policy
        while not rules.usable(p, s, turn, kind, v):  # a loop compiles to faster code than a branch does
            errors[i, turn] += 1
            if then == FORFEIT:
                turn = DONE
                break
            kind, v = rules.default(rules.observe(p, s, turn))
            kinds[i, 0] = kind
            rules.store_values(values, i, 0, v)
            then = FORFEIT  # if not even the default action is legal
        if turn != DONE:
            s = rules.cast_state(rules.apply(p, s, (rules.as_move(kind, v),)))
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
    return unexpected


def start(params, rows, next_rows, state, turns, chosen, rng):
    """Starts the chosen games."""
    for i in range(len(turns)):
        if chosen[i]:
            rows[i] = next_rows[i]
            p = rules.load_params(params, rows[i])
            s, turns[i] = rules.nature(p, rules.cast_state(rules.initial(p)), rng)
            rules.store_state(state, i, s)


def first_invalid(params, rows, state, turns, chosen, kinds, values):
    """Number of the first game, and the seat, whose move cannot be played; (-1, -1) if all can."""
    for i in range(len(turns)):
        if turns[i] == DONE or not chosen[i]:
            continue
        p, s = rules.load_params(params, rows[i]), rules.load_state(state, i)
        for j in range(kinds.shape[1]):
            seat = j if turns[i] == SEVERAL or kinds.shape[1] > 1 else turns[i]
            v = rules.load_values(values, i, j)
            if rules.moves_now(p, s, turns[i], seat) and not rules.usable(p, s, seat, kinds[i, j], v):
                return i, seat
    return -1, -1


def write_legal(params, rows, state, turns, games, seats, kinds, bounds, spans, grids):
    """Writes the kinds of move that a seat of each of the games has now, its bounds, usual values, and its grid."""
    for k in range(len(games)):
        i, seat = games[k], seats[k]
        p, s = rules.load_params(params, rows[i]), rules.load_state(state, i)
        rules.store_bounds(bounds, k, rules.bounds(p, s, seat))
        rules.store_bounds(spans, k, rules.span(p, s, seat))
        rules.store_bounds(grids, k, rules.grid(p, s, seat))
        if turns[i] == DONE:
            rules.store_kinds(kinds, k, rules.no_kinds)
        else:
            rules.store_kinds(kinds, k, rules.legal(p, s, seat))


def write_numbers(spans, kinds, steps, slots, values):
    """Writes the numbers of moves that are given in steps of the numeric face.

    Args:
        spans: What the grid is spread over, float64 of shape (games, slots, 2).
        kinds: Of the moves, int64 of shape (games,).
        steps: Of their numbers, int64 of shape (games, width).
        slots: See `econzoo.envs.core.vector.layout.SlotArrays`.
        values: Is written to, float64 of shape (games, width).
    """
    first, count, counted, base, grid, whole = slots
    for i in range(len(kinds)):
        kind = kinds[i]
        for k in range(values.shape[1]):
            slot = first[kind] + k
            if k >= count[kind]:
                values[i, k] = 0.0
            elif counted[slot]:
                values[i, k] = base[slot] + steps[i, k]
            else:
                low, high, last = spans[i, slot, 0], spans[i, slot, 1], grid[slot] - 1
                value = high if steps[i, k] == last else low + steps[i, k] * (high - low) / last
                values[i, k] = math.floor(value + 0.5) if whole[slot] else value


def write_masks(params, rows, state, turns, games, seats, spans, kinds, steps, slots, values, out):
    """Writes which moves of a list a seat of each of the games can play, int8 of shape (games, moves).

    The list is as for `numbered`, once for all games; `values` is room for its numbers.
    """
    for k in range(len(games)):
        i, seat = games[k], seats[k]
        p, s = rules.load_params(params, rows[i]), rules.load_state(state, i)
        for number in range(len(kinds)):
            out[k, number] = 0
        if turns[i] != DONE and rules.moves_now(p, s, SEVERAL, seat):
            here = spans[k : k + 1]
            for number in range(len(kinds)):
                one = slice(number, number + 1)
                write_numbers(here, kinds[one], steps[one], slots, values[one])
                out[k, number] = rules.usable(p, s, seat, kinds[number], rules.load_values(values, number, 0))


def write_features(params, rows, state, games, seats, out):
    """Writes the features that a seat of each of the games sees."""
    for k in range(len(games)):
        i = games[k]
        p, s = rules.load_params(params, rows[i]), rules.load_state(state, i)
        rules.store_features(out, k, rules.features(rules.observe(p, s, seats[k])))


def write_payoffs(params, rows, state, out):
    """Writes the payoffs of every seat of every game as it stands."""
    for i in range(len(rows)):
        p, s = rules.load_params(params, rows[i]), rules.load_state(state, i)
        rules.store_payoffs(out, i, rules.payoffs(p, s))


def write_gains(params, rows, state, games, out):
    """Writes the self-gain of every seat of each of the games, for rules that have `gains`."""
    for k in range(len(games)):
        i = games[k]
        p, s = rules.load_params(params, rows[i]), rules.load_state(state, i)
        rules.store_payoffs(out, k, rules.gains(p, s))


def branch(params, state, turns, kinds, values, after, turns_after):
    """Writes the positions after moves of all who are to move, one for each position, and who is to act there.

    Nature does not move here. `kinds` has one column for each seat, of which those of seats that wait are not used;
    `values` has as many numbers as a move for each of its columns. All games have the first set of parameters.
    """
    for i in range(len(turns)):
        turn, p = turns[i], rules.load_params(params, 0)
        seat = max(turn, 0)
        kind, v = kinds[i, seat], rules.load_values(values, i, seat)
        s = rules.after(p, rules.load_state(state, i), turn, kind, v, kinds, values, i)
        rules.store_state(after, i, rules.cast_state(s))
        turns_after[i] = rules.to_act(p, s)


KERNELS = (
    play,
    play_one,
    start,
    first_invalid,
    write_legal,
    write_numbers,
    write_masks,
    write_features,
    write_payoffs,
    write_gains,
)

# What the loops need besides the rules themselves; the loader picks those that fit the game.


def is_usable(p, s, seat, kind, v):
    """Whether a move is legal for this seat now; NaN is in no range."""
    if not (0 <= kind < len(rules.no_kinds) and rules.legal(p, s, seat)[kind]):
        return False
    return rules.inside(p, s, seat, kind, v) and rules.refuses(p, s, seat, rules.as_move(kind, v)) == 0


def grid_of_any_seat(p, s, seat):
    """The grid that does not depend on the seat."""
    return rules.public_span(p)


def refuse_none(p, s, seat, move):
    """Where every move within the bounds can be played."""
    return 0


def apply_several(p, s, turn, kind, v, kinds, values, i):
    """The position after the moves of all who move, in games where they always do so at once."""
    return rules.apply_all(p, s, kinds, values, i)


def apply_any(p, s, turn, kind, v, kinds, values, i):
    """The position after the moves of all who move, where it is now one seat and now several."""
    if turn == SEVERAL:
        return rules.cast_state(rules.apply_all(p, s, kinds, values, i))
    return rules.cast_state(rules.apply(p, s, (rules.as_move(kind, v),)))


def is_one_seat(turn):
    """What is unexpected where several seats move at once."""
    return turn != SEVERAL


def never_unexpected(turn):
    """What is unexpected in games of both kinds of turn."""
    return False


def identity(values):
    """What ``tuple`` does when compiled: numbers are stored one by one, so a list of them is as good."""
    return values


def moves_now(p, s, turn, seat):
    """Whether a seat is to move: alone, or as one of several."""
    if turn != SEVERAL:
        return seat == turn
    for flag in rules.legal(p, s, seat):  # noqa: SIM110 (generators do not compile)
        if flag:
            return True
    return False


def skip_chance(p, s, rng):
    """Who is to act after a move."""
    return s, rules.to_act(p, s)


def play_chance(p, s, rng):
    """Draws nature's moves, then says who is to act."""
    turn = rules.to_act(p, s)
    while turn == CHANCE:
        outcome = rules.draw(p, s, rng)
        s = rules.cast_state(rules.apply(p, s, (rules.of_nature(outcome),)))
        turn = rules.to_act(p, s)
    return s, turn


def draw_of_list(p, s, rng):
    """An outcome of a list."""
    return pick_outcome(rules.chance(p, s), rng.random())


def draw_uniform(p, s, rng):
    """A number from one to another."""
    low, high = rules.chance(p, s)
    return low + (high - low) * rng.random()


def draw_normal(p, s, rng):
    """A normal number."""
    mean, deviation = rules.chance(p, s)
    return mean + deviation * rng.standard_normal()


def draw_by_quantile(p, s, rng):
    """What the rules make of a number that is uniform in [0, 1)."""
    return rules.quantile(p, s, rng.random())


def pick_outcome(outcomes, uniform):
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
