"""Theory of the guessing game with integers, where nobody wins if all choose the same number.

That rule changes the textbook result. All at the smallest number is still an equilibrium, but one in which nobody wins;
the optimum for the group is that all but one choose the same number, taking turns as the exception.

Sources:
    Nagel, R. (1995). Unraveling in guessing games: an experimental study. American Economic Review 85(5), 1313-1326.
    Stahl, D. and Wilson, P. (1995). On players' models of other players. Games and Economic Behavior 10(1), 218-254.
    Moulin, H. (1986). Game Theory for the Social Sciences. New York University Press. (Iterated elimination.)
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations_with_replacement

from econzoo.envs.core.contract import UNKNOWN, Integer, Real, TupleOf, check_argument, check_setting
from econzoo.envs.games.guess_average.rules import Params, View, initial, target_hundredths, winning_number

MOST_PROFILES = 200_000
"""Maximum number of profiles enumerated by brute force."""


# One round


def is_winner(params: Params, own: int, others: Sequence[int]) -> bool:
    """Whether a number wins a round with all seats active."""
    return winner(params, (own, *others)) == own


def winner(params: Params, numbers: Sequence[int]) -> int | None:
    """Winning number of a round with all seats active; None if nobody wins."""
    chosen = check_argument("numbers", numbers, TupleOf(params.players, Integer(params.low, params.high)))
    target = target_hundredths(params, sum(chosen) / params.players)
    best = winning_number(params, initial(params), list(map(float, chosen)), target)
    return None if best == UNKNOWN else int(best)


def best_replies(params: Params, others: Sequence[int]) -> tuple[int, ...]:
    """Numbers that win against given numbers of the others; empty if none does."""
    return tuple([own for own in range(params.low, params.high + 1) if is_winner(params, own, others)])


# Levels of thought


def level_k(params: Params, level: int, start: float | None = None) -> float:
    """Unrounded level-k number: start times factor to the power of k, but at least the smallest legal number.

    Level 0 chooses at random around `start`; level k assumes all others at level k - 1 and ignores its own weight in
    the mean, as usual (Nagel 1995, section I).

    Args:
        level: k, >= 0.
        start: Mean number of level 0; default: the middle of the range.
    """
    steps = check_argument("level", level, Integer(0, 10_000))
    middle = (params.low + params.high) / 2.0
    begin = check_argument("start", middle if start is None else start, Real(params.low, params.high))
    return max(float(params.low), begin * params.factor**steps)


def level_k_choice(params: Params, level: int, start: float | None = None) -> int:
    """`level_k`, rounded half up to a legal number."""
    return min(params.high, math.floor(level_k(params, level, start) + 0.5))


# Iterated elimination


def elimination(params: Params) -> tuple[int, ...]:
    """Iterated elimination from above: the largest surviving number at the start and after each round.

    A number x is eliminated if x - 1 wins wherever x does. If all numbers are at most M, this holds if the target is
    not above x - 1/2 when x - 1 is played against one other at x and the rest at M (for x = M, against one at M - 1 and
    the rest at M, since nobody wins if all are at M). It is weak dominance, except for the last two numbers of three
    players, which may be payoff-equivalent. With two players all but the smallest number are eliminated at once.

    The result of iterated weak dominance depends on the order. From above, as here, the smallest number always
    survives; if all dominated numbers are eliminated in each round (`undominated_numbers`), small ones may be too, e.g.
    with three players and a factor of 0.95. With a factor near 1 the elimination stops above the smallest number.
    """
    largest = [check_setting(params, Params).high]
    while (below := _greatest_surviving(params, largest[-1])) < largest[-1]:
        largest.append(below)
    return tuple(largest)


def _greatest_surviving(params: Params, most: int) -> int:
    """Largest number that is not dominated by the next lower one, if all numbers are at most `most`."""
    # The largest number has a condition of its own: one other at most - 1, the rest at most (see `elimination`).
    if most == params.low or _is_target_above(params, most, params.players * most - 2):
        return most
    # Bisection: if a number is eliminated, so are all between it and the largest.
    surviving, eliminated = params.low, most
    while eliminated - surviving > 1:
        middle = (surviving + eliminated) // 2
        total = 2 * middle - 1 + (params.players - 2) * most
        if _is_target_above(params, middle, total):
            surviving = middle
        else:
            eliminated = middle
    return surviving


def _is_target_above(params: Params, number: int, total: int) -> bool:
    """Whether the target for this sum of numbers is above number - 1/2."""
    return target_hundredths(params, total / params.players) > 100 * number - 50


def undominated_numbers(params: Params, numbers: Iterable[int]) -> tuple[int, ...]:
    """Numbers of a set that are not weakly dominated if all players choose from it; by brute force.

    With more than `MOST_PROFILES` profiles of the others it raises ValueError.
    """
    candidates = sorted(set(numbers))
    profiles = list(_profiles(candidates, params.players - 1))
    won = {own: [is_winner(params, own, others) for others in profiles] for own in candidates}
    return tuple([x for x in candidates if not any(_dominates(won[y], won[x]) for y in candidates)])


def _dominates(one: Sequence[bool], other: Sequence[bool]) -> bool:
    return one != other and all(mine >= yours for mine, yours in zip(one, other, strict=True))


def _profiles(numbers: Sequence[int], players: int) -> Iterator[tuple[int, ...]]:
    """Iterate over the profiles of indistinguishable players."""
    count = math.comb(len(numbers) + players - 1, players)
    if count > MOST_PROFILES:
        raise ValueError(f"too many profiles of {players} players: {count:,}, expected at most {MOST_PROFILES:,}")
    return combinations_with_replacement(numbers, players)


# Equilibria


def pure_equilibria(params: Params) -> tuple[tuple[int, ...], ...]:
    """All pure equilibria of a round with all seats active, up to permutations of players; by brute force.

    If all choose the same number, nobody wins; it is an equilibrium if the next lower number would not win alone. This
    holds at the smallest number, and above it only with a factor near 1 or many players.

    Returns:
        Numbers in ascending order, one per player, for each equilibrium.
    """
    numbers = range(params.low, params.high + 1)
    return tuple([profile for profile in _profiles(numbers, params.players) if _is_equilibrium(params, profile)])


def _is_equilibrium(params: Params, profile: tuple[int, ...]) -> bool:
    """Whether no loser could win with another number."""
    best = winner(params, profile)
    for own in sorted(set(profile)):
        place = profile.index(own)
        if own != best and best_replies(params, profile[:place] + profile[place + 1 :]):
            return False
    return True


# For reports, under the same names in every game


def equilibrium_payoffs(params: Params) -> tuple[float, ...]:
    """Rounds won in the symmetric equilibrium, all at the smallest number in every round: 0.

    It is subgame perfect: against it no number wins while two or more seats are active. It is not unique: in a single
    round all but one at the smallest number is an equilibrium too, which pays each of them 1.
    """
    return (0.0,) * check_setting(params, Params).players


def most_wins(params: Params) -> int:
    """Maximum number of wins of all players together.

    A round with m >= 2 active seats has at most m - 1 winners. Seats without health are eliminated, so in the optimum
    losers take turns until each has one health point left; then every round eliminates one.
    """
    active, spare_health, total = check_setting(params, Params).players, params.players * (params.health - 1), 0
    for _ in range(params.rounds):
        total += max(1, active - 1)
        if spare_health:
            spare_health -= 1
        elif active > 1:
            active -= 1
    return total


def reference(params: Params) -> dict[str, tuple[float, ...]]:
    """Reference points by name, in rounds won by each seat.

    Returns:
        ``equilibrium`` (all at the smallest number) and ``efficient`` (`most_wins`, shared equally).
    """
    share = most_wins(params) / params.players
    return {"equilibrium": equilibrium_payoffs(params), "efficient": (share,) * params.players}


# Advice to seats, from views only


def advise(view: View) -> dict[str, str]:
    """Theoretical advice to the seat of a view, from the view alone: level k, elimination, the equilibrium."""
    if view.over:
        return {"advice": "the game is over"}
    active = sum([1 for out in view.out if out == 0])
    if active < 2:
        return {"advice": "you are alone: every number wins"}
    # The game among those who are left; health does not matter in one round.
    params = Params(active, view.factor, view.low, view.high, view.rounds, 1)
    start = view.mean if view.low <= view.mean <= view.high else None
    levels = [level_k_choice(params, level, start) for level in range(1, 5)]
    return {
        "levels of thought 1 to 4": ", ".join(map(str, levels)),
        "never worse than a greater number": f"{elimination(params)[:2][-1]}",
        "equilibrium": f"everybody at {view.low}; but nobody wins a round in which all choose the same",
    }
