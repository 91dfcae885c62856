"""Posterior and roll-outs of `econzoo.baselines.matrix.planner`, as functions that compile.

Opponents are moves of `econzoo.baselines.matrix.classic`, told apart by their place in `STRATEGIES`, each with a row of
numbers. Arguments that several functions take:

* ``kinds`` and ``rows``: places and numbers of the opponents;
* ``mine`` and ``theirs``: realised moves of this seat and of the opponent, of which the first ``turn`` count;
* ``payoffs``: this seat's points for CC, CD, DC, DD, its own move first;
* ``noise``: the probability that a choice is flipped, and ``horizon``, as the opponent sees it (`HIDDEN`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from econzoo.baselines.matrix import grudges, memory_one, probers, tit_for_tats, unconditional
from econzoo.baselines.matrix.classic import Classic, Move, Moves, Numbers, cooperate_with_probability
from econzoo.baselines.matrix.productions import AUTOMATON, CHANGE, HEAD, LAST_ROUND, NEVER, SEQUENCE, generated_move
from econzoo.baselines.matrix.productions import learning_move
from econzoo.envs.games.matrix.rules import C, D

Array: TypeAlias = Any
"""Array of floats; integers or flags where a docstring says so."""

STATES = 12
"""Most states of an opponent whose best response is computed exactly: those of the longest sequence."""

CERTAIN = 30.0
"""Logit from which probabilities count as 0 or 1."""


def noisy_reply(mine: Moves, theirs: Moves, turn: int, horizon: int, u: float, given: Numbers) -> int:
    """Replies to the expected move with logistic noise; given: payoffs, kindness, precision, rate, first expectation.

    With kindness 0 a smooth best reply to discounted frequencies (Fudenberg, D. and Levine, D. K. (1998), The Theory of
    Learning in Games, chapter 4), otherwise also a reciprocator, who gains from being kind to those expected to be kind
    (Rabin, M. (1993), American Economic Review 83, 1281-1302).
    """
    expected = given[7]
    for t in range(turn):
        expected += given[6] * ((1.0 if theirs[t] == C else 0.0) - expected)
    scale = max(given[0], given[1], given[2], given[3]) - min(given[0], given[1], given[2], given[3])
    more = expected * (given[0] - given[2]) + (1.0 - expected) * (given[1] - given[3])
    z = given[5] * (given[4] * (2.0 * expected - 1.0) + more / max(scale, 1e-9))
    return cooperate_with_probability(1.0 / (1.0 + math.exp(-min(max(z, -CERTAIN), CERTAIN))), u)


CLASSICS = unconditional.FAMILY | tit_for_tats.FAMILY | grudges.FAMILY | memory_one.FAMILY | probers.FAMILY

SCRIPTS: tuple[Classic, ...] = (
    *(
        CLASSICS[name](name, *arguments)
        for name, *arguments in (
            *(("memory-one", 0.9, 0.1, 0.9, 0.1), ("memory-one", 0.7, 0.3, 0.3, 0.7)),
            *(("cooperator",), ("defector",), ("cycler", "CD"), ("mixed", 0.8), ("mixed", 0.5), ("tit-for-tat",)),
            *(("tit-for-two-tats",), ("two-tits-for-tat",), ("grudger",), ("soft-grudger",), ("go-by-majority", 10)),
            *(("generous-tit-for-tat", 0.2), ("zd-extort", 3), ("prober-2",), ("prober",), ("prober-3",), ("joss",)),
        )
    ),
)
"""Classic strategies that trainings meet: none of the validation or test pool."""

STRATEGIES: tuple[Move, ...] = (
    *(generated_move, learning_move, noisy_reply, memory_one.after_last_round),
    *dict.fromkeys(one.move for one in SCRIPTS if one.move is not memory_one.after_last_round),
)
"""Moves of opponents; `GENERATED` to `MEMORY_ONE` are the first places."""

GENERATED, LEARNING, NOISY_REPLY, MEMORY_ONE = range(4)


def move_by_place(strategies: Sequence[Move], first: int = 0) -> Callable[..., int]:
    """Return the function of the move of the opponent at a place, which is searched by bisection."""
    if len(strategies) == 1:
        only = strategies[0]

        def move(kind: int, mine: Moves, theirs: Moves, turn: int, horizon: int, u: float, x: Numbers) -> int:
            return only(mine, theirs, turn, horizon, u, x)

        return move
    middle = len(strategies) // 2
    edge = first + middle
    lower, upper = move_by_place(strategies[:middle], first), move_by_place(strategies[middle:], edge)

    def choose(kind: int, mine: Moves, theirs: Moves, turn: int, horizon: int, u: float, x: Numbers) -> int:
        if kind < edge:
            return lower(kind, mine, theirs, turn, horizon, u, x)
        return upper(kind, mine, theirs, turn, horizon, u, x)

    return choose


move_of = move_by_place(STRATEGIES)


def update_beliefs(
    kinds: Array,
    rows: Array,
    draws: Array,
    slip: float,
    mine: Array,
    theirs: Array,
    first: int,
    turn: int,
    horizon: int,
    noise: float,
    fits: Array,
) -> None:
    """Add each opponent's log-likelihood of its moves from a round on.

    Args:
        draws: Whether the opponent randomises, flags.
        slip: Probability of a choice by the toss of a coin.
        first: First round, from 0.
        fits: Output of shape (opponents,).
    """
    for n in range(len(kinds)):
        x = rows[n]
        for t in range(first, turn):
            # The probability of C by bisection, as random numbers below it play C.
            low, high = 0.0, 1.0
            for _ in range(8 if draws[n] else 1):
                middle = (low + high) / 2.0
                if move_of(kinds[n], theirs, mine, t, horizon, middle, x) == C:
                    low = middle
                else:
                    high = middle
            chance = (low + high) / 2.0 if draws[n] else (1.0 if low > 0.0 else 0.0)
            chance = (1.0 - slip) * chance + slip / 2.0
            chance = chance * (1.0 - noise) + (1.0 - chance) * noise
            fits[n] += math.log(max(chance if theirs[t] == C else 1.0 - chance, 1e-9))


def is_machine(kind: int, x: Array) -> bool:
    """Whether an opponent is an automaton with at most `STATES` states."""
    simple = kind == GENERATED and x[CHANGE] == NEVER
    return kind == MEMORY_ONE or (simple and x[HEAD] in (LAST_ROUND, AUTOMATON, SEQUENCE))


def fill_machine(kind: int, x: Array, chances: Array, after: Array) -> int:
    """Write an opponent that is an automaton, and return its number of states (see `is_machine`).

    Args:
        chances: Probability of C by state.
        after: Next states, integers of shape (`STATES`, 2, 2), by this seat's and the opponent's realised move.
    """
    at = HEAD
    if kind == MEMORY_ONE or x[at] == LAST_ROUND:
        size, first = 4, 1 if kind == MEMORY_ONE else at + 2
        for state in range(size):
            chances[state] = x[first + state]
            for own in range(2):
                for other in range(2):
                    after[state, own, other] = 2 * other + own
    elif x[at] == SEQUENCE:
        size = int(x[at + 1])
        for state in range(size):
            chances[state] = 1.0 - x[at + 2 + state]
            after[state] = (state + 1) % size
    else:
        # The row is padded by states that are never reached: they lead to the first.
        size = min((len(x) - at - 1) // 3, STATES)
        for state in range(size):
            chances[state] = 1.0 - x[at + 1 + 3 * state]
            for own in range(2):
                after[state, own] = int(x[at + 2 + 3 * state + own])
    return size


def state_of(kind: int, x: Array, mine: Array, theirs: Array, turn: int) -> int:
    """Return the state of an opponent of `fill_machine` after at least one round."""
    if kind == MEMORY_ONE or x[HEAD] == LAST_ROUND:
        return 2 * theirs[turn - 1] + mine[turn - 1]  # type: ignore[no-any-return]
    if x[HEAD] == SEQUENCE:
        return turn % int(x[HEAD + 1])
    state = 0
    for t in range(turn):
        state = int(x[HEAD + 2 + 3 * state + mine[t]])
    return state


def best_respond(
    size: int, chances: Array, after: Array, payoffs: Array, discount: float, noise: float, moves: Array
) -> None:
    """Write the best response to an automaton by dynamic programming.

    Args:
        moves: Output, integers of shape (rounds, `STATES`): the choice by rounds left, less 1, and state.
    """
    later, now = np.zeros(STATES), np.zeros(STATES)
    for left in range(len(moves)):
        for state in range(size):
            chance = chances[state] * (1.0 - noise) + (1.0 - chances[state]) * noise
            worth_c = worth_d = 0.0
            for other in range(2):
                weight = chance if other == C else 1.0 - chance
                worth_c += weight * (payoffs[other] + discount * later[after[state, C, other]])
                worth_d += weight * (payoffs[2 + other] + discount * later[after[state, D, other]])
            moves[left, state] = C if worth_c >= worth_d else D
            steady, flipped = max(worth_c, worth_d), min(worth_c, worth_d)
            now[state] = (1.0 - noise) * steady + noise * flipped
        later[:] = now


def choose_by_answers(values: Array, answers: Array, rounds: int, doubt: float) -> Array:
    """Return what each opponent pays if the option is chosen by its answers alone.

    Args:
        values: Shape (opponents, options).
        answers: The opponent's moves in some rounds as bits, integers of shape (opponents,).
        doubt: Weight of an opponent with another answer in one round.
    """
    groups = 2**rounds
    totals, worth = np.zeros((groups, values.shape[1])), np.zeros(values.shape[1])
    found = np.zeros(len(values))
    for s in range(len(values)):
        totals[answers[s]] += values[s]
    best = np.zeros(groups, np.int64)
    for group in range(groups):
        worth[:] = 0.0
        for other in range(groups):
            weight, bits = 1.0, group ^ other
            while bits > 0:
                weight *= doubt if bits % 2 == 1 else 1.0
                bits //= 2
            worth += weight * totals[other]
        best[group] = np.argmax(worth)
    for s in range(len(values)):
        found[s] = values[s, best[answers[s]]]
    return found


def flip(move: int, u: float, noise: float) -> int:
    return 1 - move if u < noise else move


def play_plan(
    kind: int,
    x: Array,
    mine: Array,
    theirs: Array,
    turn: int,
    horizon: int,
    noise: float,
    discount: float,
    payoffs: Array,
    uniforms: Array,
    begin: int,
    depth: int,
    plan: Array,
    known: int,
    known_x: Array,
    after: Array,
    moves: Array,
) -> tuple[float, int]:
    """Return what first moves and then a plan earn, and the opponent's answers to the first moves as bits.

    Args:
        begin: The first moves as bits, of number `depth`.
        plan: See `evaluate_moves`.
        known: Kind of the automaton to which `moves` is the best response, with its numbers and next states; -1: it
            follows the plan.
    """
    total, weight, state, answers, rounds = 0.0, 1.0, 0, 0, len(uniforms)
    for k in range(rounds):
        t = turn + k
        if known >= 0 and k == depth:
            state = state_of(known, known_x, mine, theirs, t)
        if k < depth:
            choice = (begin >> (depth - 1 - k)) % 2
        elif known >= 0:
            choice = moves[rounds - k - 1, state]
        else:
            choice = plan[4] if rounds - k <= plan[5] else plan[2 * mine[t - 1] + theirs[t - 1]]
        theirs[t] = flip(move_of(kind, theirs, mine, t, horizon, uniforms[k, 0], x), uniforms[k, 1], noise)
        mine[t] = flip(choice, uniforms[k, 2], noise)
        total += weight * payoffs[2 * mine[t] + theirs[t]]
        weight *= discount
        answers = 2 * answers + theirs[t] if k < depth else answers
        state = after[state, mine[t], theirs[t]]
    return total, answers


def evaluate_moves(
    kinds: Array,
    rows: Array,
    mine: Array,
    theirs: Array,
    turn: int,
    rounds: int,
    horizon: int,
    noise: float,
    discount: float,
    payoffs: Array,
    uniforms: Array,
    plans: Array,
    machines: Array,
    depth: int,
    doubt: float,
) -> Array:
    """Return the value of C and of D against opponents that are equally likely.

    The seat chooses each of its first moves by the opponent's answers so far, and then the plan that earns most against
    the opponents with these answers. Plans are those given, and best responses to automata.

    Args:
        mine, theirs: Realised moves, integers, with room for the rounds to plan.
        rounds: Number of rounds to plan, >= `depth`.
        uniforms: Random numbers of opponents, of their flips and of this seat's; shape (opponents, rounds, 3).
        plans: Integers of shape (plans, 6): the moves after CC, CD, DC and DD, a closing move and its number of rounds.
        machines: Indices of opponents to which best responses are computed, integers; all are automata.
        depth: Number of first moves, >= 1.
    """
    count, rest, given = len(kinds), rounds - depth, len(plans)
    chances, after = np.zeros(STATES), np.zeros((len(machines), STATES, 2, 2), np.int64)
    moves = np.zeros((len(machines), max(rest, 1), STATES), np.int64)
    for m in range(len(machines)):
        size = fill_machine(kinds[machines[m]], rows[machines[m]], chances, after[m])
        best_respond(size, chances, after[m], payoffs, discount, noise, moves[m])
    begins = 2**depth
    found, answers = np.zeros((begins, count, given + len(machines))), np.zeros((begins, count), np.int64)
    no_after, no_moves = np.zeros((STATES, 2, 2), np.int64), np.zeros((1, STATES), np.int64)
    for begin in range(begins):
        for s in range(count):
            x, luck = rows[s], uniforms[s]
            for j in range(given):
                found[begin, s, j], answers[begin, s] = play_plan(
                    kinds[s], x, mine, theirs, turn, horizon, noise, discount, payoffs, luck, begin, depth, plans[j],
                    -1, x, no_after, no_moves,
                )  # fmt: skip
            for m in range(len(machines)):
                found[begin, s, given + m], answers[begin, s] = play_plan(
                    kinds[s], x, mine, theirs, turn, horizon, noise, discount, payoffs, luck, begin, depth, plans[0],
                    kinds[machines[m]], rows[machines[m]], after[m], moves[m],
                )  # fmt: skip
    values = np.zeros((begins, count))
    for begin in range(begins):
        values[begin] = choose_by_answers(found[begin], answers[begin], depth, doubt)
    for k in range(depth - 1, 0, -1):
        for begin in range(2**k):
            pair = np.stack((values[2 * begin], values[2 * begin + 1]), axis=1)
            values[begin] = choose_by_answers(pair, answers[begin << (depth - k)] >> (depth - k), k, doubt)
    return np.array([values[0].mean(), values[1].mean()])
