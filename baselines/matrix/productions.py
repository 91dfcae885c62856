"""Interpreter of sampled strategies of repeated 2x2 games: one function for rules, one for learning strategies.

A strategy is a row of numbers: a head of length `HEAD` with the condition of a change, then one rule, or two, of which
the second applies after the change. A rule is its kind followed by its parameters, named below. Their distributions are
in `econzoo.baselines.matrix.generated`.
"""

from __future__ import annotations

from econzoo.baselines.matrix.classic import Moves, Numbers, Payoffs, cooperate_with_probability, defections
from econzoo.baselines.matrix.classic import recent_defections
from econzoo.envs.games.matrix.rules import C, D

# Places of the head.
CHANGE, WHEN, SECOND = range(3)
HEAD = 3
"""Length of the head: condition of change, its count, and index of the second rule."""

NEVER, AT_ROUND, AT_DEFECTIONS, AT_COOPERATIONS = range(4)
"""Conditions of change: never; after a count of rounds, of the opponent's defections or of its cooperations."""

LAST_ROUND, AUTOMATON, COUNT, TRIGGER, SEQUENCE = range(5)
"""Kinds of rules."""

# Parameters of rules by offset from the kind. LAST_ROUND: first probability of C, then those after CC, CD, DC and DD,
# its own move first. AUTOMATON: for each state its move, and the next states after the opponent's C and D. SEQUENCE:
# length, then moves.
WINDOW, LEAST, SHARE, INCLUSIVE, GRACE, OPENING = range(1, 7)
"""COUNT: rounds to look back (0: all), limit on defections in them, or on their share of all rounds; whether the limit
on the share is inclusive; length and move of the opening."""

NEEDED, IN_ROW, LENGTH, GROWTH, PEACE, AMENDS, SUSPICION = range(1, 8)
"""TRIGGER: number of triggering defections, and whether consecutive; punishment length, and its increase; rounds of
peace afterwards; consecutive cooperations that end it early (0: none); initial rounds of defection."""

FOREVER = 1e6
"""Length of a permanent punishment."""


def last_round(mine: Moves, theirs: Moves, turn: int, u: float, x: Numbers, at: int) -> int:
    """Cooperates with a probability for each outcome of the last round."""
    return cooperate_with_probability(x[at + 1] if turn == 0 else x[at + 2 + 2 * mine[turn - 1] + theirs[turn - 1]], u)


def automaton(theirs: Moves, turn: int, x: Numbers, at: int) -> int:
    """Return the move of the state reached by the opponent's moves."""
    state = 0
    for t in range(turn):
        state = int(x[at + 2 + 3 * state + theirs[t]])
    return int(x[at + 1 + 3 * state])


def count(theirs: Moves, turn: int, x: Numbers, at: int) -> int:
    """Defects while the opponent's defections exceed the limit."""
    if turn < x[at + GRACE]:
        return int(x[at + OPENING])
    if x[at + WINDOW] > 0.0:
        return D if recent_defections(theirs, turn, int(x[at + WINDOW])) >= x[at + LEAST] else C
    excess = defections(theirs, 0, turn) - x[at + SHARE] * turn
    return D if excess > 0.0 or (excess == 0.0 and x[at + INCLUSIVE] == 1.0) else C


def trigger(theirs: Moves, turn: int, x: Numbers, at: int) -> int:
    """Punishes defections for a while or forever, ignoring moves during punishment and peace.

    The move in the last of these rounds counts again, as in `econzoo.baselines.matrix.grudges.punish`.
    """
    opening = int(x[at + SUSPICION])
    length, until, resume, wrongs, calm = int(x[at + LENGTH]), opening - 1, opening, 0, 0
    for t in range(opening, turn):
        if t < resume:
            calm = calm + 1 if theirs[t] == C else 0
            if t <= until and 0.0 < x[at + AMENDS] <= calm:
                until, resume = t, t + 1
            continue
        if theirs[t] == D:
            wrongs += 1
        elif x[at + IN_ROW] == 1.0:
            wrongs = 0
        if wrongs >= x[at + NEEDED]:
            until, resume = t + length, t + length + int(x[at + PEACE])
            length, wrongs, calm = length + int(x[at + GROWTH]), 0, 0
    return D if turn <= until else C


def sequence(turn: int, x: Numbers, at: int) -> int:
    """Repeats a sequence of moves, whatever the opponent does."""
    return int(x[at + 2 + turn % int(x[at + 1])])


def has_changed(theirs: Moves, turn: int, x: Numbers) -> bool:
    """Whether the second rule applies, then for the rest of the match."""
    if x[CHANGE] == AT_ROUND:
        return turn >= x[WHEN]
    bad = defections(theirs, 0, turn)
    if x[CHANGE] == AT_DEFECTIONS:
        return bad >= x[WHEN]
    return x[CHANGE] == AT_COOPERATIONS and turn - bad >= x[WHEN]


def generated_move(mine: Moves, theirs: Moves, turn: int, horizon: int, u: float, x: Numbers) -> int:
    """Return the move of a strategy of rules; given: its numbers."""
    at = int(x[SECOND]) if has_changed(theirs, turn, x) else HEAD
    if x[at] == LAST_ROUND:
        return last_round(mine, theirs, turn, u, x, at)
    if x[at] == AUTOMATON:
        return automaton(theirs, turn, x, at)
    if x[at] == COUNT:
        return count(theirs, turn, x, at)
    if x[at] == TRIGGER:
        return trigger(theirs, turn, x, at)
    return sequence(turn, x, at)


# Learning strategies

ROUNDS, MOVES, RATE, TIE, EVERY = range(4, 9)
"""Indices after the payoffs: rounds of the opening, its moves as bits from the lowest, discount rate of older payoffs
(0: none), move at a tie, and period of exploration of the worse move (0: never)."""


def learning_move(mine: Moves, theirs: Moves, turn: int, horizon: int, u: float, x: Numbers) -> int:
    """Opens with fixed moves, then plays the move with the higher mean payoff; given: payoffs, parameters."""
    if turn < x[ROUNDS]:
        return (int(x[MOVES]) >> turn) & 1
    tries_c, tries_d, pays_c, pays_d = 0, 0, 0.0, 0.0
    for t in range(turn):
        paid = x[2 * mine[t] + theirs[t]]
        if mine[t] == C:
            tries_c += 1
            pays_c += (paid - pays_c) * (1.0 / tries_c if x[RATE] == 0.0 or tries_c == 1 else x[RATE])
        else:
            tries_d += 1
            pays_d += (paid - pays_d) * (1.0 / tries_d if x[RATE] == 0.0 or tries_d == 1 else x[RATE])
    if tries_c == 0 or tries_d == 0:  # after trembles in the opening
        return C if tries_c == 0 else D
    best = int(x[TIE]) if pays_c == pays_d else (C if pays_c > pays_d else D)
    tries = x[EVERY] > 0.0 and (turn - x[ROUNDS] + 1.0) % x[EVERY] == 0.0
    return 1 - best if tries else best


def prepend_payoffs(payoffs: Payoffs, x: Numbers) -> tuple[float, ...]:
    """Return the numbers of learning strategies: payoffs, then parameters."""
    return payoffs.cc, payoffs.cd, payoffs.dc, payoffs.dd, x[0], x[1], x[2], x[3], x[4]
