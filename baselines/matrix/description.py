"""A strategy of the grammar of repeated 2x2 games in plain words, from its numbers."""

from __future__ import annotations

from econzoo.baselines.matrix import productions as p
from econzoo.baselines.matrix.classic import Numbers

CHANGES = {
    p.AT_ROUND: "from round {after} on",
    p.AT_DEFECTIONS: "once the other has defected {times}",
    p.AT_COOPERATIONS: "once the other has cooperated {times}",
}
"""When it changes."""


PUNISHMENT_ENDS = (
    "",
    ", until the next cooperation",
    ", until two cooperations in a row",
    ", until three cooperations in a row",
)
"""What ends a punishment early."""


def letters(moves: Numbers) -> str:
    """Moves as letters."""
    return "".join("CD"[int(move)] for move in moves)


def times(count: int) -> str:
    """``once``, or ``3 times``."""
    return "once" if count == 1 else f"{count} times"


def last_round(x: Numbers, at: int) -> str:
    """What a rule about the last round does."""
    first, *after = (f"{chance:.0%}" for chance in x[at + 1 : at + 6])
    told = ", ".join(
        f"{chance} after {outcome}" for chance, outcome in zip(after, ("CC", "CD", "DC", "DD"), strict=True)
    )
    return f"cooperates with a chance of {first} at first, then of {told} (its own move first)"


def automaton(x: Numbers, at: int, end: int) -> str:
    """What an automaton does."""
    rows = [(letters(x[s : s + 1]), *(int(then) + 1 for then in x[s + 1 : s + 3])) for s in range(at + 1, end, 3)]
    told = "; ".join(f"{k}: {move}, then {c} or {d}" for k, (move, c, d) in enumerate(rows, 1))
    return f"goes through {len(rows)} states, led by the other's C or D ({told})"


def count(x: Numbers, at: int) -> str:
    """What a count does."""
    opening = f"after {int(x[at + p.GRACE])} rounds of {'CD'[int(x[at + p.OPENING])]}"
    if x[at + p.WINDOW]:
        least, window = int(x[at + p.LEAST]), int(x[at + p.WINDOW])
        return f"defects if the other has defected {times(least)} or more in the last {window} rounds, {opening}"
    bound = "or more" if x[at + p.INCLUSIVE] else "is exceeded"
    return f"defects if the other has defected in {x[at + p.SHARE]:.0%} of all rounds ({bound}), {opening}"


def trigger(x: Numbers, at: int) -> str:
    """What a trigger does."""
    needed, in_row, length, growth, peace, amends, suspicion = (int(one) for one in x[at + 1 : at + 8])
    how = f"answers {needed} defections{' in a row' * in_row}" if needed > 1 else "answers a defection"
    told = f"{how} with defections for ever" if length == p.FOREVER else f"{how} with {length} of its own"
    told += f", each time {growth} more" * bool(growth) + PUNISHMENT_ENDS[amends]
    told += f", then with {peace} rounds of peace" * bool(peace)
    return f"{told}; defects {times(suspicion)} at first" if suspicion else told


def rule(x: Numbers, at: int, end: int) -> str:
    """What a rule does; `at` is where in the numbers it begins, `end` where it ends."""
    kind = x[at]
    if kind == p.LAST_ROUND:
        return last_round(x, at)
    if kind == p.AUTOMATON:
        return automaton(x, at, end)
    if kind == p.COUNT:
        return count(x, at)
    return trigger(x, at) if kind == p.TRIGGER else f"plays {letters(x[at + 2 : end])} again and again"


def learner(x: Numbers) -> str:
    """What one of those that learn does."""
    rounds, moves, rate, tie, every = x
    opening = "".join("CD"[int(moves) >> turn & 1] for turn in range(int(rounds)))
    value = f"by values that move {rate:.0%} of the way to each payoff" if rate else "by the mean of all rounds"
    tries = f", and every {int(every)} rounds the other move" if every else ""
    return f"opens with {opening}, then plays what has paid more, {value} ({'CD'[int(tie)]} at a tie){tries}"


def describe_strategy(x: Numbers, *, learns: bool) -> str:
    """One sentence on a strategy, from its numbers; see `econzoo.baselines.matrix.productions`."""
    if learns:
        told = learner(x)
    elif x[p.CHANGE] == p.NEVER:
        told = rule(x, p.HEAD, len(x))
    else:
        second, after = int(x[p.SECOND]), int(x[p.WHEN])
        when = CHANGES[int(x[p.CHANGE])].format(after=after + 1, times=times(after))
        told = f"{rule(x, p.HEAD, second)}; {when}: {rule(x, second, len(x))}"
    return f"{told[0].upper()}{told[1:]}."
