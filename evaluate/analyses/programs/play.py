"""What was played: shares of cooperative moves, of answers to the round before, and of a player's own coins.

A move of a 2x2 game is one character: ``C``, ``D``, or ``-`` where it was forfeited. A forfeited move is nobody's
choice: it is no case of any share here, and no move is a case that answers a round with a forfeited move in it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

from econzoo.envs.families.open_source.interfaces import MATRIX

__all__ = ["Pair", "cooperation_after", "conditional_cooperation", "cooperation", "memory_one_index", "own_coins"]

COOPERATE, DEFECT = MATRIX.moves
FORFEITED = MATRIX.forfeit_symbol
MOVES = (*MATRIX.moves, FORFEITED)
ROUNDS = ("CC", "CD", "DC", "DD")
"""A round as a player saw it: its own move first."""


class Share(NamedTuple):
    """So many of so many.

    Attributes:
        hits: How many.
        cases: Of how many.
    """

    hits: int
    cases: int

    @property
    def value(self) -> float:
        """The share, in [0, 1]; NaN without a case."""
        return self.hits / self.cases if self.cases else math.nan

    def __add__(self, other: object) -> Share:
        """Both together."""
        if not isinstance(other, Share):
            return NotImplemented
        return Share(self.hits + other.hits, self.cases + other.cases)


EMPTY_SHARE = Share(0, 0)
Pair = tuple[str, str]
"""The moves of both players of one match, oldest first and equally many."""


def cooperation(moves: Iterable[str]) -> Share:
    """How many of all moves are cooperative.

    Args:
        moves: Of any number of players and matches, a text each.

    Raises:
        ValueError: There is a character that is no move.
    """
    every = "".join(_check_moves(one) for one in moves)
    return Share(every.count(COOPERATE), len(every) - every.count(FORFEITED))


def cooperation_after(own: str, other: str) -> dict[str, Share]:
    """How often one player cooperated after each kind of round.

    Args:
        own: Its moves.
        other: The other player's moves in the same rounds.

    Returns:
        What the player saw in the round before (`ROUNDS`) to the share of cooperation in the round after.

    Raises:
        ValueError: Not equally many moves, or a character that is no move.
    """
    if len(_check_moves(own)) != len(_check_moves(other)):
        raise ValueError(f"{len(own)} moves stand against {len(other)}; allowed: equally many")
    found = dict.fromkeys(ROUNDS, EMPTY_SHARE)
    for mine, theirs, answer in zip(own, other, own[1:], strict=False):
        if FORFEITED not in (mine, theirs, answer):
            found[mine + theirs] += Share(int(answer == COOPERATE), 1)
    return found


def conditional_cooperation(matches: Iterable[Pair]) -> dict[str, Share]:
    """`answers` of both players of all matches together."""
    found = dict.fromkeys(ROUNDS, EMPTY_SHARE)
    for first, second in matches:
        for one in (cooperation_after(first, second), cooperation_after(second, first)):
            found = {seen: found[seen] + share for seen, share in one.items()}
    return found


def memory_one_index(matches: Iterable[Pair]) -> Share:
    """P(C | both played C in the round before), over both players and all matches.

    Each player's move after a round of mutual cooperation is one case, so that such a round with another after it
    makes two. Source: Sistla and Kleiman-Weiner 2025 (arXiv:2512.00371), who report 305 of 306.

    Args:
        matches: The moves of both players of each.
    """
    return conditional_cooperation(matches)["CC"]


def own_coins(own: int, other: int) -> Share:
    """How many of the coins that a player collected in the coin game are of its own colour.

    Args:
        own: Coins of its colour that it collected.
        other: Coins of the other colour that it collected.

    Raises:
        ValueError: A number is negative.
    """
    if min(own, other) < 0:
        raise ValueError(f"coins={min(own, other)} is not allowed; allowed: 0 or more")
    return Share(own, own + other)


def _check_moves(moves: str) -> str:
    bad = next((move for move in moves if move not in MOVES), None)
    if bad is not None:
        raise ValueError(f"the move {bad!r} is not allowed; allowed: {', '.join(map(repr, MOVES))}")
    return moves
