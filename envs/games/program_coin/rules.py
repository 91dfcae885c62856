"""The open-source coin game (Sistla and Kleiman-Weiner 2025, arXiv:2512.00371).

In each meta-round both authors submit a program at once. The two programs read each other and play the coin game
(`econzoo.envs.games.coin_game.rules`). A program that fails to answer stays where it is: it forfeits the turn.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import econzoo.envs.games.coin_game.rules as coin_game
from econzoo.envs.core.contract import NO_FEATURE, UNKNOWN, Move
from econzoo.envs.families.open_source import MetaRounds, RoundCounts


class Params(NamedTuple):
    """Parameters of a match.

    Attributes:
        size: Rows and columns of the board, >= 2.
        rounds: Meta-rounds, >= 1.
        turns: Turns of the coin game in each, >= 1.
        limits: See `MetaRounds`.
        policies: See `MetaRounds`.
    """

    size: int
    rounds: int
    turns: int
    limits: tuple[float, ...]
    policies: tuple[int, ...]


class CoinMetaRounds(MetaRounds):
    """The coin game."""

    rules = coin_game
    setting = ("turns", "size")
    tally = (
        ("own", "Coins of the own colour taken in the last meta-round."),
        ("others", "Coins of the other's colour taken in the last meta-round."),
    )
    totals = (
        ("taken", "Coins of either colour taken in all meta-rounds."),
        ("kept", "Coins of the own colour among them."),
    )
    view_counts = (
        ("took_own", "own", False, "Coins of its own colour that this seat took in the last meta-round."),
        ("took_other", "others", False, "Coins of the other's colour that it took."),
        ("lost", "others", True, "Coins of this seat's colour that the other took."),
        ("other_took_own", "own", True, "Coins of its own colour that the other took."),
    )
    result_counts = ("own", "others")

    def base(self, p: Params) -> coin_game.Params:
        """The coin game of one meta-round."""
        return coin_game.Params(p.size, p.turns, True)

    def count(self, p: Params, inner: coin_game.State, program_moves: tuple[list[Move], list[Move]]) -> RoundCounts:
        """Points, and the coins that were taken."""
        own, others = inner.own, inner.others
        taken = own[0] + others[0], own[1] + others[1]
        return RoundCounts(coin_game.payoffs(self.base(p), inner), (own, others), (taken, own))


META = CoinMetaRounds(__name__)
State, View, Result = META.State, META.View, META.Result
initial, to_act, legal, apply = META.initial, META.to_act, META.legal, META.apply
payoffs, observe, base = META.payoffs, META.observe, META.base


def gains(p: Params, s: Any) -> tuple[float, float]:
    """Points a turn, over all turns of the match."""
    turns = float(p.turns * p.rounds)
    return s.score[0] / turns, s.score[1] / turns


FEATURES = (
    "seat: 0 player A, 1 player B",
    "meta-round over the number of meta-rounds: 0 to 1",
    "2 over the side of the board: 0 to 1",
    "own points a turn of the last meta-round, halved: -1 to 1; -1 before the first",
    "other's points a turn of the last meta-round, halved: -1 to 1; -1 before the first",
    "coins of the own colour taken a turn of the last meta-round: 0 to 1",
    "coins of the other's colour taken a turn of the last meta-round: 0 to 1",
    "coins of the own colour that the other took a turn of the last meta-round: 0 to 1",
    "coins of its own colour that the other took a turn of the last meta-round: 0 to 1",
    "share of own turns without an answer in the last meta-round: 0 to 1",
    "share of the other's turns without an answer in the last meta-round: 0 to 1",
)


def features(v: Any) -> tuple[float, ...]:
    """Features of a view, as described by `FEATURES`."""
    points = [NO_FEATURE if x == UNKNOWN else max(-1.0, min(1.0, x / v.turns / 2)) for x in (v.own_last, v.other_last)]
    counts = v.took_own, v.took_other, v.lost, v.other_took_own, v.own_failed, v.other_failed
    return float(v.seat), v.round / v.rounds, 2.0 / v.size, *points, *[min(1.0, x / v.turns) for x in counts]
