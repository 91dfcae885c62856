"""What strategies of the grammar of repeated 2x2 games do: one function for all of them, one for those that learn.

A strategy is a row of numbers: `HEAD` of them say when it changes, then one rule follows, or two, of which the second
one holds after the change. A rule is its kind and numbers of its own, named below. Who may draw which numbers is in
`econzoo.baselines.matrix.generated`.
"""

from __future__ import annotations

from econzoo.baselines.matrix.classic import (
    Moves,
    Numbers,
    Payoffs,
    cooperate_with_probability,
    defections,
    recent_defections,
)
from econzoo.envs.games.matrix.rules import C, D

# Places of the head.
CHANGE, WHEN, SECOND = range(3)
HEAD = 3
"""Numbers before the first rule: when it changes, a number of that, and the place of the second rule."""

NEVER, AT_ROUND, AT_DEFECTIONS, AT_COOPERATIONS = range(4)
"""When it changes: not; after so many rounds; once the other has defected, or cooperated, so often."""

LAST_ROUND, AUTOMATON, COUNT, TRIGGER, SEQUENCE = range(5)
"""Kinds of rule."""

# Places behind the kind of a rule. After the last round: the first chance of C, then those after CC, CD, DC and DD, the
# own move named first. Of an automaton: for each state its move, and the states after a C and after a D of the other.
# Of a sequence: how many moves, and these.

WINDOW, LEAST, SHARE, INCLUSIVE, GRACE, OPENING = range(1, 7)
"""Of a count: rounds that it looks back at (0: all) and the defections in them that are too many, or the share of all
rounds that is; whether just this share is too much; for how many rounds it opens, and with which move."""

NEEDED, IN_ROW, LENGTH, GROWTH, PEACE, AMENDS, SUSPICION = range(1, 8)
"""Of a trigger: defections that set it off, and whether in a row; rounds of punishment; by how much each is longer than
the one before; rounds of peace after it; cooperations in a row that end it early (0: none do); rounds in which it
defects at first."""

FOREVER = 1e6
"""Rounds of a punishment that does not end."""


def last_round(mine: Moves, theirs: Moves, turn: int, u: float, x: Numbers, at: int) -> int:
    """Cooperates with a probability for each outcome of the last round."""
    return cooperate_with_probability(x[at + 1] if turn == 0 else x[at + 2 + 2 * mine[turn - 1] + theirs[turn - 1]], u)


def automaton(theirs: Moves, turn: int, x: Numbers, at: int) -> int:
    """The move of the state to which the other's moves have led."""
    state = 0
    for t in range(turn):
        state = int(x[at + 2 + 3 * state + theirs[t]])
    return int(x[at + 1 + 3 * state])


def count(theirs: Moves, turn: int, x: Numbers, at: int) -> int:
    """Defects while the other has defected too often."""
    if turn < x[at + GRACE]:
        return int(x[at + OPENING])
    if x[at + WINDOW] > 0.0:
        return D if recent_defections(theirs, turn, int(x[at + WINDOW])) >= x[at + LEAST] else C
    excess = defections(theirs, 0, turn) - x[at + SHARE] * turn
    return D if excess > 0.0 or (excess == 0.0 and x[at + INCLUSIVE] == 1.0) else C


def trigger(theirs: Moves, turn: int, x: Numbers, at: int) -> int:
    """Punishes defections for a while or for ever; what happens in a punishment and in the peace after it passes.

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
    """Goes through the same moves again and again, whatever the other does."""
    return int(x[at + 2 + turn % int(x[at + 1])])


def has_changed(theirs: Moves, turn: int, x: Numbers) -> bool:
    """Whether the second rule holds; it does for the rest of a match."""
    if x[CHANGE] == AT_ROUND:
        return turn >= x[WHEN]
    bad = defections(theirs, 0, turn)
    if x[CHANGE] == AT_DEFECTIONS:
        return bad >= x[WHEN]
    return x[CHANGE] == AT_COOPERATIONS and turn - bad >= x[WHEN]


def generated_move(mine: Moves, theirs: Moves, turn: int, horizon: int, u: float, x: Numbers) -> int:
    """The move of a strategy of the grammar; given: its numbers."""
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


# Those that learn.

ROUNDS, MOVES, RATE, TIE, EVERY = range(4, 9)
"""Places behind the payoffs: rounds of the opening, its moves as the bits of a number, the first one last; how quickly
older payoffs fade (0: never); the move where both pay the same; every how many rounds it tries the worse one (0:
never)."""


def learning_move(mine: Moves, theirs: Moves, turn: int, horizon: int, u: float, x: Numbers) -> int:
    """Opens with moves of its own, then plays what has paid more on average; given: payoffs, and numbers of its own."""
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
    if tries_c == 0 or tries_d == 0:  # hands may have trembled in the opening
        return C if tries_c == 0 else D
    best = int(x[TIE]) if pays_c == pays_d else (C if pays_c > pays_d else D)
    tries = x[EVERY] > 0.0 and (turn - x[ROUNDS] + 1.0) % x[EVERY] == 0.0
    return 1 - best if tries else best


def prepend_payoffs(payoffs: Payoffs, x: Numbers) -> tuple[float, ...]:
    """The numbers of those that learn: the payoffs of the game, and their own."""
    return payoffs.cc, payoffs.cd, payoffs.dc, payoffs.dd, x[0], x[1], x[2], x[3], x[4]
