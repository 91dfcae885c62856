"""Theory of the guessing game for exact integers, and for the rule that nobody wins if all chose the same number.

That rule changes the textbook's answer. Everybody at the least number is still an equilibrium, but one in which nobody
wins; the best a group can do is that all but one agree on a number and one stays away, in turn.

Sources:
    Nagel, R. (1995). Unraveling in guessing games: an experimental study. American Economic Review 85(5), 1313-1326.
    Stahl, D. and Wilson, P. (1995). On players' models of other players. Games and Economic Behavior 10(1), 218-254.
    Moulin, H. (1986). Game Theory for the Social Sciences. New York University Press. (Iterated elimination.)
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations_with_replacement

from econzoo.envs.core.contract.arguments import check_argument, check_setting
from econzoo.envs.core.contract.game import UNKNOWN
from econzoo.envs.core.contract.parameters import Integer, Real, TupleOf
from econzoo.envs.games.guess_average.rules import Params, View, initial, target_hundredths, winning_number

MOST_PROFILES = 200_000
"""What brute force looks at, at most."""


# One round


def is_winner(params: Params, own: int, others: Sequence[int]) -> bool:
    """Whether a number wins a round in which nobody is out.

    Args:
        params: The match.
        own: The number.
        others: Numbers of the other players, one each.
    """
    return winner(params, (own, *others)) == own


def winner(params: Params, numbers: Sequence[int]) -> int | None:
    """The number that wins a round in which nobody is out; None if nobody wins.

    Raises:
        ValueError: There is not one number a player.
    """
    chosen = check_argument("numbers", numbers, TupleOf(params.players, Integer(params.low, params.high)))
    target = target_hundredths(params, sum(chosen) / params.players)
    best = winning_number(params, initial(params), list(map(float, chosen)), target)
    return None if best == UNKNOWN else int(best)


def best_replies(params: Params, others: Sequence[int]) -> tuple[int, ...]:
    """The numbers that win against known numbers of the others; empty if none does."""
    return tuple([own for own in range(params.low, params.high + 1) if is_winner(params, own, others)])


# Levels of thought


def level_k(params: Params, level: int, start: float | None = None) -> float:
    """The number of a player who thinks k steps ahead, before it is rounded: start times factor to the power of k.

    Level 0 chooses at random around `start`; level k takes all others to be at level k - 1, and its own weight in the
    mean for nothing, as is usual (Nagel 1995, section I).

    Args:
        params: The match.
        level: k, >= 0.
        start: Mean number of level 0; None: the middle of the range.

    Returns:
        A number, at least the least that may be chosen.

    Raises:
        ValueError: The level or the start is out of range.
    """
    steps = check_argument("level", level, Integer(0, 10_000))
    middle = (params.low + params.high) / 2.0
    begin = check_argument("start", middle if start is None else start, Real(params.low, params.high))
    return max(float(params.low), begin * params.factor**steps)


def level_k_choice(params: Params, level: int, start: float | None = None) -> int:
    """`level_k` as a number that may be chosen: the nearest whole one, a half upwards."""
    return min(params.high, math.floor(level_k(params, level, start) + 0.5))


# Iterated elimination


def elimination(params: Params) -> tuple[int, ...]:
    """Iterated elimination from above: the greatest number that is left after each round of it.

    A number x goes as soon as x - 1 wins wherever x does. If nobody chooses more than M, that is so if the target is
    not above x - 1/2 when x - 1 is played against one other at x and the rest at M (at x = M, against one at M - 1 and
    the rest at M: nobody wins if all are at M). It is weak dominance, but for the last two numbers of three players,
    which may pay the same everywhere. With two players all but the least number go at once.

    What iterated weak dominance leaves depends on the order. Taken away from above, as here, the least number always
    stays; if all that are dominated go in each round (`undominated_numbers`), small numbers may go as well, for three
    players and a factor of 0.95 say. With a factor near 1 the elimination stops above the least number.

    Returns:
        The greatest number at the beginning and after each round, down to where nothing more goes.
    """
    left = [check_setting(params, Params).high]
    while (below := _greatest_surviving(params, left[-1])) < left[-1]:
        left.append(below)
    return tuple(left)


def _greatest_surviving(params: Params, most: int) -> int:
    """The greatest number that wins somewhere where the next lower one does not, if nobody chooses more than `most`."""
    if most == params.low or _is_target_above(params, most, params.players * most - 2):
        return most
    kept, gone = params.low, most
    while gone - kept > 1:
        middle = (kept + gone) // 2
        rest = (params.players - 2) * most
        kept, gone = (middle, gone) if _is_target_above(params, middle, 2 * middle - 1 + rest) else (kept, middle)
    return kept


def _is_target_above(params: Params, number: int, total: int) -> bool:
    """Whether the target of numbers with this sum is above number - 1/2."""
    return target_hundredths(params, total / params.players) > 100 * number - 50


def undominated_numbers(params: Params, numbers: Iterable[int]) -> tuple[int, ...]:
    """Those of some numbers that no other of them weakly dominates, if everybody chooses one of them; by brute force.

    Args:
        params: The match.
        numbers: Different ones that may be chosen.

    Raises:
        ValueError: There are more than `MOST_PROFILES` combinations of what the others may choose.
    """
    among = sorted(set(numbers))
    against = list(_profiles(among, params.players - 1))
    won = {own: [is_winner(params, own, others) for others in against] for own in among}
    return tuple([x for x in among if not any(_dominates(won[y], won[x]) for y in among)])


def _dominates(one: Sequence[bool], other: Sequence[bool]) -> bool:
    return one != other and all(mine >= yours for mine, yours in zip(one, other, strict=True))


def _profiles(numbers: Sequence[int], players: int) -> Iterator[tuple[int, ...]]:
    """What some players, told apart by nothing, may choose."""
    count = math.comb(len(numbers) + players - 1, players)
    if count > MOST_PROFILES:
        raise ValueError(f"{count:,} combinations of {players} players are too many; allowed: {MOST_PROFILES:,}")
    return combinations_with_replacement(numbers, players)


# Equilibria


def pure_equilibria(params: Params) -> tuple[tuple[int, ...], ...]:
    """All pure equilibria of a round in which nobody is out, up to the names of the players; by brute force.

    Where all choose the same, nobody wins, and nobody can win by leaving as long as even the next lower number does not
    win alone. So it is at the least number, and above it only if the factor is near 1 or the players are many.

    Returns:
        Rising numbers, one per player, for each equilibrium.

    Raises:
        ValueError: There are more than `MOST_PROFILES` combinations of numbers.
    """
    numbers = range(params.low, params.high + 1)
    return tuple([profile for profile in _profiles(numbers, params.players) if _is_equilibrium(params, profile)])


def _is_equilibrium(params: Params, profile: tuple[int, ...]) -> bool:
    """Whether no loser could win by another number."""
    best = winner(params, profile)
    for own in sorted(set(profile)):
        place = profile.index(own)
        if own != best and best_replies(params, profile[:place] + profile[place + 1 :]):
            return False
    return True


# For reports: the same names in every game


def equilibrium_payoffs(params: Params) -> tuple[float, ...]:
    """Rounds won in the equilibrium that treats all alike, everybody at the least number in every round: none.

    It is subgame perfect: against it no number wins while two or more are in. It is far from the only one. In a single
    round all but one at the least number is an equilibrium too, which pays 1 to each of them.
    """
    return (0.0,) * check_setting(params, Params).players


def most_wins(params: Params) -> int:
    """The most rounds that all players together can win.

    A round has a loser as long as two or more are in, so with m in, at most m - 1 win. Whoever has no health left goes
    out; the losers are therefore taken in turn, until each has one health point left. Then every round costs a player.
    """
    inside, spare, total = check_setting(params, Params).players, params.players * (params.health - 1), 0
    for _ in range(params.rounds):
        total += max(1, inside - 1)
        if spare:
            spare -= 1
        elif inside > 1:
            inside -= 1
    return total


def reference(params: Params) -> dict[str, tuple[float, ...]]:
    """Named reference points, each with rounds won by each seat.

    Returns:
        ``equilibrium`` (all at the least number) and ``efficient`` (`most_wins`, shared equally).
    """
    share = most_wins(params) / params.players
    return {"equilibrium": equilibrium_payoffs(params), "efficient": (share,) * params.players}


# For players: what a seat may be told


def advise(view: View) -> dict[str, str]:
    """What theory says to the seat of a view, from the view alone: levels of thought, elimination, the equilibrium."""
    if view.over:
        return {"advice": "the game is over"}
    inside = sum([1 for out in view.out if out == 0])
    if inside < 2:
        return {"advice": "you are alone: every number wins"}
    params = Params(inside, view.factor, view.low, view.high, view.rounds, 1)
    start = view.mean if view.low <= view.mean <= view.high else None
    levels = [level_k_choice(params, level, start) for level in range(1, 5)]
    return {
        "levels of thought 1 to 4": ", ".join(map(str, levels)),
        "never worse than a greater number": f"{elimination(params)[:2][-1]}",
        "equilibrium": f"everybody at {view.low}; but nobody wins a round in which all choose the same",
    }
