"""Shares of cooperative moves, of responses to the previous round, and of own coins.

A move of a 2x2 game is one character: ``C``, ``D``, or ``-`` if it was forfeited. Shares exclude forfeited moves and
responses to rounds with a forfeited move.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

from econzoo.envs.core.contract import check_arguments
from econzoo.envs.families.open_source import MATRIX

__all__ = ["Pair", "cooperation_after", "conditional_cooperation", "cooperation", "memory_one_index", "own_coins"]

COOPERATE, DEFECT = MATRIX.moves
FORFEITED = MATRIX.forfeit_symbol
MOVES = (*MATRIX.moves, FORFEITED)
ROUNDS = ("CC", "CD", "DC", "DD")
"""Outcomes of a round, the own move first."""


class Share(NamedTuple):
    """Share as counts, which can be pooled."""

    hits: int
    cases: int

    @property
    def value(self) -> float:
        """Share in [0, 1]; NaN without cases."""
        return self.hits / self.cases if self.cases else math.nan

    def __add__(self, other: object) -> Share:
        """Pool both shares."""
        if not isinstance(other, Share):
            return NotImplemented
        return Share(self.hits + other.hits, self.cases + other.cases)


EMPTY_SHARE = Share(0, 0)
Pair = tuple[str, str]
"""Moves of both players of a match in order, of equal length."""


@check_arguments
def cooperation(moves: Iterable[str]) -> Share:
    """Compute the share of cooperative moves.

    Args:
        moves: Move strings of any number of players and matches.

    Raises:
        ValueError: A character is not a move.
    """
    every = "".join(_check_moves(one) for one in moves)
    return Share(every.count(COOPERATE), len(every) - every.count(FORFEITED))


@check_arguments
def cooperation_after(own: str, other: str) -> dict[str, Share]:
    """Compute the share of cooperation of a player after each outcome.

    Args:
        own: Moves of the player.
        other: Opponent's moves in the same rounds.

    Returns:
        Share of cooperation by outcome of the previous round (`ROUNDS`).

    Raises:
        ValueError: Lengths differ, or a character is not a move.
    """
    if len(_check_moves(own)) != len(_check_moves(other)):
        raise ValueError(f"{len(own)} own and {len(other)} other moves: expected equal lengths")
    found = dict.fromkeys(ROUNDS, EMPTY_SHARE)
    # Cut to the shortest: the last round has no response.
    for mine, theirs, answer in zip(own, other, own[1:], strict=False):
        if FORFEITED not in (mine, theirs, answer):
            found[mine + theirs] += Share(int(answer == COOPERATE), 1)
    return found


@check_arguments
def conditional_cooperation(matches: Iterable[Pair]) -> dict[str, Share]:
    """Pool `cooperation_after` over both players and all matches."""
    found = dict.fromkeys(ROUNDS, EMPTY_SHARE)
    for first, second in matches:
        for one in (cooperation_after(first, second), cooperation_after(second, first)):
            found = {seen: found[seen] + share for seen, share in one.items()}
    return found


@check_arguments
def memory_one_index(matches: Iterable[Pair]) -> Share:
    """Compute P(C | CC in the previous round) over both players and all matches.

    Each player's move after mutual cooperation is one case. Source: Sistla and Kleiman-Weiner 2025 (arXiv:2512.00371),
    who report 305 of 306.

    Args:
        matches: Moves of both players of each match.
    """
    return conditional_cooperation(matches)["CC"]


@check_arguments
def own_coins(own: int, other: int) -> Share:
    """Compute the share of own-colour coins among those that a player collected in the coin game.

    Args:
        own: Number of collected coins of its own colour.
        other: Number of collected coins of the other colour.

    Raises:
        ValueError: A number is negative.
    """
    if min(own, other) < 0:
        raise ValueError(f"invalid coins={min(own, other)}: expected an integer >= 0")
    return Share(own, own + other)


def _check_moves(moves: str) -> str:
    bad = next((move for move in moves if move not in MOVES), None)
    if bad is not None:
        raise ValueError(f"invalid move {bad!r}: expected one of {', '.join(map(repr, MOVES))}")
    return moves
