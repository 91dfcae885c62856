"""Game-independent loops over many games.

These are templates: `econzoo.envs.core.vector.compiling` compiles them with one game's rules in place of `rules`.
States are one array per number (``state[k][game]``), and so are sets of parameters; ``rows[game]`` is the set of a
game, and ``turns[game]`` the result of ``to_act``.
"""

# mypy: disallow-untyped-defs=False

from __future__ import annotations

import math
from typing import Any

from econzoo.envs.core.contract import CHANCE, DONE, SEVERAL

rules: Any = object()
"""Placeholder for the compiled functions of one game, which the loader inserts."""

DEFAULT, FORFEIT = 0, 1
"""Consequence of an illegal move: the game's default action, or the end of the game with current payoffs."""


def play(params, rows, next_rows, state, turns, chosen, kinds, values, policy, restart, rng, payoffs, done, errors):
    """Play one move, or the moves of several seats, in every chosen game that is not over.

    `kinds` has one column, or one per seat; `values` has the numbers of a move for each of its columns. Illegal moves
    are counted in `errors`, and replaced in `kinds` and `values` under `DEFAULT`. Games that end are flagged in
    `done`, their rows of `payoffs` are filled (others are 0), and they restart if `restart`.

    Returns the number of games with a turn order that random play has not shown.
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
            # With one column only the mover has a move, so nobody else is asked.
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
    """Play like `play` for games in which one seat moves at a time; without columns it is twice as fast.

    Duplicated, because passing arrays between functions would cost as much.
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
        kind, v, remedy = kinds[i, 0], rules.load_values(values, i, 0), policy
        while not rules.usable(p, s, turn, kind, v):  # a loop compiles to faster code than a branch
            errors[i, turn] += 1
            if remedy == FORFEIT:
                turn = DONE
                break
            kind, v = rules.default(rules.observe(p, s, turn))
            kinds[i, 0] = kind
            rules.store_values(values, i, 0, v)
            remedy = FORFEIT  # if the default action is illegal, too
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
    """Start the chosen games."""
    for i in range(len(turns)):
        if chosen[i]:
            rows[i] = next_rows[i]
            p = rules.load_params(params, rows[i])
            s, turns[i] = rules.nature(p, rules.cast_state(rules.initial(p)), rng)
            rules.store_state(state, i, s)


def write_waiting(params, rows, state, turns, chosen, seats, waiting):
    """Write which of the chosen games are not over and have no legal move for a seat; return whether any has none."""
    found = False
    for i in range(len(turns)):
        waiting[i] = False
        if chosen[i] and turns[i] != DONE:
            p, s = rules.load_params(params, rows[i]), rules.load_state(state, i)
            waiting[i] = True
            for flag in rules.legal(p, s, seats[i]):
                if flag:
                    waiting[i] = False
            found = found or waiting[i]
    return found


def first_invalid(params, rows, state, turns, chosen, kinds, values):
    """Return game and seat of the first illegal move, or (-1, -1)."""
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
    """Write legal kinds, bounds, usual ranges and grids of one seat per game."""
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
    """Write the numbers of moves given as steps of the numeric face.

    Args:
        spans: Ranges of the grids, float64 of shape (games, slots, 2).
        kinds: Kinds of the moves, int64 of shape (games,).
        steps: Steps of their numbers, int64 of shape (games, width).
        values: Output, float64 of shape (games, width).
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
    """Write the legality of a list of moves for one seat per game, int8 of shape (games, moves).

    The list is as for `write_numbers`, shared by all games; `values` is a buffer for its numbers.
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
    """Write the features of one seat per game."""
    for k in range(len(games)):
        i = games[k]
        p, s = rules.load_params(params, rows[i]), rules.load_state(state, i)
        rules.store_features(out, k, rules.features(rules.observe(p, s, seats[k])))


def write_payoffs(params, rows, state, out):
    """Write current payoffs of all seats of all games."""
    for i in range(len(rows)):
        p, s = rules.load_params(params, rows[i]), rules.load_state(state, i)
        rules.store_payoffs(out, i, rules.payoffs(p, s))


def write_gains(params, rows, state, games, out):
    """Write the self-gains of all seats of the games, for rules with `gains`."""
    for k in range(len(games)):
        i = games[k]
        p, s = rules.load_params(params, rows[i]), rules.load_state(state, i)
        rules.store_payoffs(out, k, rules.gains(p, s))


def branch(params, state, turns, kinds, values, after, turns_after):
    """Write the positions after moves of all movers, one per position, and who acts there.

    Chance moves are not played. `kinds` has one column per seat, ignored for waiting seats; `values` has the numbers
    of a move for each of its columns. All games have the first set of parameters.
    """
    for i in range(len(turns)):
        turn, p = turns[i], rules.load_params(params, 0)
        # SEVERAL is negative; then the first column stands in, and `after` reads them all.
        seat = max(turn, 0)
        kind, v = kinds[i, seat], rules.load_values(values, i, seat)
        s = rules.after(p, rules.load_state(state, i), turn, kind, v, kinds, values, i)
        rules.store_state(after, i, rules.cast_state(s))
        turns_after[i] = rules.to_act(p, s)


KERNELS = (
    play,
    play_one,
    start,
    write_waiting,
    first_invalid,
    write_legal,
    write_numbers,
    write_masks,
    write_features,
    write_payoffs,
    write_gains,
)

# Helpers of the loops; the loader selects those that fit the game.


def is_usable(p, s, seat, kind, v):
    """Whether a move is legal for this seat now; NaN never is."""
    if not (0 <= kind < len(rules.no_kinds) and rules.legal(p, s, seat)[kind]):
        return False
    return rules.inside(p, s, seat, kind, v) and rules.refuses(p, s, seat, rules.as_move(kind, v)) == 0


def grid_of_any_seat(p, s, seat):
    """Return a grid that does not depend on the seat."""
    return rules.public_span(p)


def refuse_none(p, s, seat, move):
    """Refusal function of games without refusals."""
    return 0


def apply_several(p, s, turn, kind, v, kinds, values, i):
    """Return the position after joint moves, in games with only joint moves."""
    return rules.apply_all(p, s, kinds, values, i)


def apply_any(p, s, turn, kind, v, kinds, values, i):
    """Return the position after single or joint moves, in games with both."""
    if turn == SEVERAL:
        return rules.cast_state(rules.apply_all(p, s, kinds, values, i))
    return rules.cast_state(rules.apply(p, s, (rules.as_move(kind, v),)))


def is_one_seat(turn):
    """Whether a turn is unexpected in games with only joint moves."""
    return turn != SEVERAL


def never_unexpected(turn):
    """Return False: in games with single and joint moves no turn is unexpected."""
    return False


def identity(values):
    """Compiled ``tuple``: numbers are stored one by one, so lists do."""
    return values


def moves_now(p, s, turn, seat):
    """Whether a seat is to move, alone or jointly."""
    if turn != SEVERAL:
        return seat == turn
    for flag in rules.legal(p, s, seat):  # noqa: SIM110 (generators do not compile)
        if flag:
            return True
    return False


def skip_chance(p, s, rng):
    """Return who acts, in games without chance moves."""
    return s, rules.to_act(p, s)


def play_chance(p, s, rng):
    """Play chance moves, then return who acts."""
    turn = rules.to_act(p, s)
    while turn == CHANCE:
        outcome = rules.draw(p, s, rng)
        s = rules.cast_state(rules.apply(p, s, (rules.of_nature(outcome),)))
        turn = rules.to_act(p, s)
    return s, turn


def draw_of_list(p, s, rng):
    return pick_outcome(rules.chance(p, s), rng.random())


def draw_uniform(p, s, rng):
    low, high = rules.chance(p, s)
    return low + (high - low) * rng.random()


def draw_normal(p, s, rng):
    mean, deviation = rules.chance(p, s)
    return mean + deviation * rng.standard_normal()


def draw_by_quantile(p, s, rng):
    """Sample by the rules' quantile function."""
    return rules.quantile(p, s, rng.random())


def pick_outcome(outcomes, uniform):
    """Select the outcome of a uniform number in [0, 1), like the scalar environment."""
    # Sums in the order of the outcomes, not sum(): the scalar environment adds them in the same way.
    total = 0.0
    for _, probability in outcomes:
        total += probability
    edge = 0.0
    for outcome, probability in outcomes:
        edge += probability
        if uniform * total < edge:
            return float(outcome)
    return float(outcomes[len(outcomes) - 1][0])
