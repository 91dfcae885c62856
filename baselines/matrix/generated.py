"""A grammar of strategies of repeated 2x2 games, sampled by number, with millions of opponents.

Sources. Probabilities after each outcome of the last round: Nowak, M. and Sigmund, K. (1993), A strategy of win-stay,
lose-shift that outperforms tit-for-tat, Nature 364, 56-58; Press, W. H. and Dyson, F. J. (2012), PNAS 109, 10409-10413.
Finite automata: Rubinstein, A. (1986), Finite automata play the repeated prisoner's dilemma, Journal of Economic Theory
39, 83-96. Triggers and counts of defections: Friedman, J. W. (1971), A non-cooperative equilibrium for supergames,
Review of Economic Studies 38, 1-12; Axelrod, R. (1984), The Evolution of Cooperation. Mean payoffs of a move,
over all rounds or discounted: Sutton, R. S. and Barto, A. G. (1998), Reinforcement Learning, chapter 2. Changes in
mid-match and all distributions are this package's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from random import Random
from typing import Any, TypeAlias
from zlib import crc32

from econzoo.baselines import argument
from econzoo.baselines.matrix import productions as p
from econzoo.baselines.matrix.classic import Classic, ignore_payoffs
from econzoo.baselines.matrix.description import describe_strategy
from econzoo.envs.core.contract import short_repr

MAX_NUMBER = 999_999
"""Highest number of a strategy."""

FIRST_HELD_OUT = 900_000
"""First number held out for evaluation: lower numbers are different strategies than higher ones."""

HELD_OUT_EVERY = 10
"""One strategy in this many is held out for evaluation."""

Row: TypeAlias = tuple[float, ...]


def _last_round(rng: Random) -> Row:
    """Sample five probabilities of C, at least one strictly between 0 and 1: deterministic ones are automata."""
    while True:
        chances = [float(rng.randrange(2)) if rng.random() < 0.4 else round(rng.random(), 6) for _ in range(5)]
        if any(0.0 < chance < 1.0 for chance in chances):
            return float(p.LAST_ROUND), *chances


def minimise_automaton(moves: list[int], after: list[tuple[int, int]]) -> tuple[list[int], list[tuple[int, int]]]:
    """Return the equivalent automaton with the fewest states, in order of first visit.

    Args:
        moves: Move of each state; the first state is the initial one.
        after: Next states after a C and a D of the opponent, for each state.
    """
    kinds, count = list(moves), 0
    while len(set(kinds)) > count:  # refine classes of states with the same move and the same next classes
        count = len(set(kinds))
        keys = [(kinds[state], *(kinds[following] for following in after[state])) for state in range(len(moves))]
        kinds = [keys.index(one) for one in keys]
    order = [kinds[0]]
    for state in order:
        order += dict.fromkeys(kinds[following] for following in after[state] if kinds[following] not in order)
    ways = [(order.index(kinds[after[state][0]]), order.index(kinds[after[state][1]])) for state in order]
    return [moves[state] for state in order], ways


def _automaton(rng: Random) -> Row:
    """Sample an automaton of three to six states; those of two are classics."""
    while True:
        states = range(rng.randint(3, 6))
        drawn = [rng.randrange(2) for _ in states], [(rng.choice(states), rng.choice(states)) for _ in states]
        moves, after = minimise_automaton(*drawn)
        if len(moves) >= 3:
            rows = [float(one) for move, following in zip(moves, after, strict=True) for one in (move, *following)]
            return float(p.AUTOMATON), *rows


def _count(rng: Random) -> Row:
    """Sample a limit on defections in the opponent's last 2 to 12 moves or, half of the time, on their share of all."""
    grace, opening = float(rng.choice((2, 3, 6, 10))), float(rng.random() < 0.3)
    if rng.random() < 0.5:
        window = rng.randint(2, 12)
        return float(p.COUNT), float(window), float(rng.randint(1, window)), 0.0, 0.0, grace, opening
    # Often exactly one half, as in majorities, where ties occur and their rule matters.
    half = rng.random() < 0.4
    share, inclusive = (0.5, float(rng.randrange(2))) if half else (round(rng.uniform(0.05, 0.95), 6), 0.0)
    return float(p.COUNT), 0.0, 0.0, share, inclusive, grace, opening


def _trigger(rng: Random) -> Row:
    """Sample a trigger; seven rounds of punishment are left to a test player."""
    # Repeated values are likelier.
    needed, length = rng.choice((1, 1, 2, 3)), rng.choice((1, 2, 3, 4, 5, 6, 8, 9, 10, p.FOREVER, p.FOREVER, p.FOREVER))
    in_row, growth, peace, amends = rng.randrange(2), rng.choice((0, 0, 1, 2)), rng.randint(0, 3), rng.randint(0, 3)
    suspicion = rng.choice((0, 0, 0, 1, 2))
    if length == p.FOREVER:
        growth, peace = 0, 0
    drawn = (needed, in_row * (needed > 1), length, growth, peace, amends * (amends < length), suspicion)
    return float(p.TRIGGER), *map(float, drawn)


def _sequence(rng: Random) -> Row:
    """Sample an aperiodic sequence of four to twelve moves of both kinds."""
    while True:
        count, chance = rng.randint(4, 12), rng.uniform(0.1, 0.9)
        moves = [int(rng.random() < chance) for _ in range(count)]
        if not any(count % size == 0 and moves == moves[:size] * (count // size) for size in range(1, count)):
            return float(p.SEQUENCE), float(count), *map(float, moves)


RULES: Mapping[str, Callable[[Random], Row]] = {
    "last-round": _last_round,
    "automaton": _automaton,
    "count": _count,
    "trigger": _trigger,
    "sequence": _sequence,
}
"""Samplers by kind of rule."""

FAMILIES = (*RULES, "learning", "switch")
"""Families of strategies: one rule, learning from payoffs, or two rules in turn."""

CHANGES = ((p.AT_ROUND, 3, 15), (p.AT_DEFECTIONS, 1, 6), (p.AT_COOPERATIONS, 3, 10))
"""Conditions of a change of rule, with their minimum and maximum number of rounds or moves."""


def _learning(rng: Random) -> Row:
    """Sample an opening of two to eight moves, means or discounted values, and a rate of exploration."""
    rounds = rng.randint(2, 8)
    # Bits of the opening, neither all C nor all D: both moves are tried.
    moves, rate = rng.randint(1, 2**rounds - 2), round(rng.uniform(0.05, 0.8), 6) if rng.random() < 0.6 else 0.0
    every = float(rng.randint(3, 12)) if rng.random() < 0.5 else 0.0
    return float(rounds), float(moves), rate, float(rng.randrange(2)), every


def _draw_numbers(family: str, rng: Random) -> Row:
    if family == "learning":
        return _learning(rng)
    if family == "switch":
        how, least, most = rng.choice(CHANGES)
        first, second = (RULES[name](rng) for name in rng.sample(list(RULES), 2))
        return float(how), float(rng.randint(least, most)), float(p.HEAD + len(first)), *first, *second
    return float(p.NEVER), 0.0, float(p.HEAD), *RULES[family](rng)


@lru_cache(maxsize=100_000)
def sample_numbers(family: str, number: int) -> Row:
    """Return the numbers of a strategy in the encoding of `productions`.

    Args:
        number: Integer from 0 to `MAX_NUMBER`; those from `FIRST_HELD_OUT` on are the held-out strategies.
    """
    rng = Random(f"matrix {family} {number}")
    while True:
        numbers = _draw_numbers(family, rng)
        # By the strategy, not by its number: small families sample the same strategy under many numbers.
        if (crc32(repr(numbers).encode()) % HELD_OUT_EVERY == 0) == (number >= FIRST_HELD_OUT):
            return numbers


class Generated(Classic):
    """Follows rules sampled from a grammar of strategies by family and number.

    Source: `econzoo.baselines.matrix.generated` gives that of every rule.

    Args:
        family: One of last-round, automaton, count, trigger, sequence, learning, switch.
        number: Index within the family; an integer from 0 to 999,999. A number is always the same strategy.

    """

    def __init__(self, spec: str = "generated", family: Any = "automaton", number: Any = 0) -> None:
        if family not in FAMILIES:
            names = " or ".join(map(repr, FAMILIES))
            raise ValueError(f"player {spec[:80]!r}: invalid family={short_repr(family)}: expected {names}")
        drawn = sample_numbers(str(family), int(argument(spec, "number", number, 0, MAX_NUMBER, integer=True)))
        learns = family == "learning"
        draws = not learns and p.LAST_ROUND in (drawn[p.HEAD], drawn[int(drawn[p.SECOND])])
        super().__init__(
            spec,
            p.learning_move if learns else p.generated_move,
            drawn,
            p.prepend_payoffs if learns else ignore_payoffs,
            is_random=draws,
        )

    def describe(self) -> str:
        """Describe the strategy in one sentence."""
        return describe_strategy(self.arguments, learns=self.move is p.learning_move)
