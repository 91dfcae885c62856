"""Descriptions in words of sampled strategies of repeated 2x2 games."""

from __future__ import annotations

from econzoo.baselines.matrix import productions as p
from econzoo.baselines.matrix.classic import Numbers

CHANGES = {
    p.AT_ROUND: "from round {after} on",
    p.AT_DEFECTIONS: "once the other has defected {times}",
    p.AT_COOPERATIONS: "once the other has cooperated {times}",
}
"""Conditions of a change of rule."""


PUNISHMENT_ENDS = (
    "",
    ", until the next cooperation",
    ", until two cooperations in a row",
    ", until three cooperations in a row",
)
"""Conditions that end a punishment early."""


def letters(moves: Numbers) -> str:
    return "".join("CD"[int(move)] for move in moves)


def times(count: int) -> str:
    """Format a count as ``once`` or ``3 times``."""
    return "once" if count == 1 else f"{count} times"


def last_round(x: Numbers, at: int) -> str:
    """Describe a memory-one rule."""
    first, *after = (f"{chance:.0%}" for chance in x[at + 1 : at + 6])
    chances = ", ".join(
        f"{chance} after {outcome}" for chance, outcome in zip(after, ("CC", "CD", "DC", "DD"), strict=True)
    )
    return f"cooperates with a chance of {first} at first, then of {chances} (its own move first)"


def automaton(x: Numbers, at: int, end: int) -> str:
    rows = [(letters(x[s : s + 1]), *(int(state) + 1 for state in x[s + 1 : s + 3])) for s in range(at + 1, end, 3)]
    states = "; ".join(f"{k}: {move}, then {c} or {d}" for k, (move, c, d) in enumerate(rows, 1))
    return f"goes through {len(rows)} states, led by the other's C or D ({states})"


def count(x: Numbers, at: int) -> str:
    opening = f"after {int(x[at + p.GRACE])} rounds of {'CD'[int(x[at + p.OPENING])]}"
    if x[at + p.WINDOW]:
        least, window = int(x[at + p.LEAST]), int(x[at + p.WINDOW])
        return f"defects if the other has defected {times(least)} or more in the last {window} rounds, {opening}"
    bound = "or more" if x[at + p.INCLUSIVE] else "is exceeded"
    return f"defects if the other has defected in {x[at + p.SHARE]:.0%} of all rounds ({bound}), {opening}"


def trigger(x: Numbers, at: int) -> str:
    needed, in_row, length, growth, peace, amends, suspicion = (int(one) for one in x[at + 1 : at + 8])
    how = f"answers {needed} defections{' in a row' * in_row}" if needed > 1 else "answers a defection"
    text = f"{how} with defections for ever" if length == p.FOREVER else f"{how} with {length} of its own"
    text += f", each time {growth} more" * bool(growth) + PUNISHMENT_ENDS[amends]
    text += f", then with {peace} rounds of peace" * bool(peace)
    return f"{text}; defects {times(suspicion)} at first" if suspicion else text


def rule(x: Numbers, at: int, end: int) -> str:
    """Describe the rule in the numbers from `at` to `end`."""
    kind = x[at]
    if kind == p.LAST_ROUND:
        return last_round(x, at)
    if kind == p.AUTOMATON:
        return automaton(x, at, end)
    if kind == p.COUNT:
        return count(x, at)
    return trigger(x, at) if kind == p.TRIGGER else f"plays {letters(x[at + 2 : end])} again and again"


def learner(x: Numbers) -> str:
    rounds, moves, rate, tie, every = x
    opening = "".join("CD"[int(moves) >> turn & 1] for turn in range(int(rounds)))
    value = f"by values that move {rate:.0%} of the way to each payoff" if rate else "by the mean of all rounds"
    tries = f", and every {int(every)} rounds the other move" if every else ""
    return f"opens with {opening}, then plays what has paid more, {value} ({'CD'[int(tie)]} at a tie){tries}"


def describe_strategy(x: Numbers, *, learns: bool) -> str:
    """Describe a strategy in one sentence from its numbers (`econzoo.baselines.matrix.productions`)."""
    if learns:
        text = learner(x)
    elif x[p.CHANGE] == p.NEVER:
        text = rule(x, p.HEAD, len(x))
    else:
        second, after = int(x[p.SECOND]), int(x[p.WHEN])
        when = CHANGES[int(x[p.CHANGE])].format(after=after + 1, times=times(after))
        text = f"{rule(x, p.HEAD, second)}; {when}: {rule(x, second, len(x))}"
    return f"{text[0].upper()}{text[1:]}."
