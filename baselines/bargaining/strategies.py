"""Bargaining strategies from theory and experiments: equal split, commitment, satisficing, deadlines."""

from __future__ import annotations

from typing import Any

from econzoo.baselines import argument
from econzoo.baselines.bargaining.base import BargainingPlayer
from econzoo.baselines.offers import Committed, Firm, last_round
from econzoo.envs.core.contract import UNKNOWN, Numbers, StrategyMemory
from econzoo.envs.games.bargaining.rules import View


def all_but_threshold(v: View, stake: float, x: Numbers, past: StrategyMemory) -> float:
    """Return all but its threshold, at least the threshold; number: the threshold."""
    return max(x[0], 1.0 - x[0]) * stake


def half_until_deadline(v: View, stake: float, x: Numbers, past: StrategyMemory) -> float:
    """Return half of the money, or more near the deadline; numbers: the late share, the number of late rounds."""
    late = v.horizon != UNKNOWN and v.round > v.horizon - x[1]
    return (x[0] if late else 0.5) * stake


def share_until_last_round(v: View, stake: float, x: Numbers, past: StrategyMemory) -> float:
    """Return a share of the money, or 0 in a known last round; third number: the share."""
    return 0.0 if last_round(v) else x[2] * stake


class Fair(Firm, BargainingPlayer):
    """Demands half of the money and accepts half or more, whatever delay costs.

    The strategy of a player so averse to inequality that less than half is worse than nothing. Equal division is the
    usual norm among people in such games.

    Source: Fehr and Schmidt (1999), A theory of fairness, competition, and cooperation; the human players of
    GLEE, arXiv:2410.05254.
    """

    share = 0.5
    lines = (
        "Let us split it evenly: ${own} for me, ${other} for you.",
        "Half each is the only division I find right: ${own} and ${other}.",
        "I still think ${own} for me and ${other} for you is fair to us both.",
    )


class Greedy(Committed, BargainingPlayer):
    """Demands nearly everything in every round and accepts nothing less (see `Committed`).

    Source: Schelling (1960), The Strategy of Conflict, chapter 2.

    Args:
        share: Demand as a share of the money; from 0.5 to 1.
    """

    lines = (
        "I take ${own}. ${other} is for you, which is more than nothing.",
        "My demand has not changed: ${own} for me.",
        "We can do this as long as you like. I keep ${own}, you get ${other}.",
    )

    def __init__(self, spec: str = "greedy", share: Any = 0.99) -> None:
        super().__init__(spec, share)


class Acceptor(Firm, BargainingPlayer):
    """Satisficer: accepts any offer of at least its threshold and offers the opponent as much.

    It never demands less than it would accept: its demand is ``max(threshold, 1 - threshold)``.

    Source: Simon (1955), A behavioral model of rational choice; the minimal acceptable offer of ultimatum
    experiments (Güth, Schmittberger and Schwarze 1982).

    Args:
        threshold: Minimum acceptable offer as a share of the money; from 0 to 1.
    """

    lines = (
        "I would be content with ${own} if you take ${other}.",
        "Nothing has changed for me: ${own} here, ${other} there, and we are done.",
        "I am not hard to please. ${own} for me, ${other} for you.",
    )

    asks = staticmethod(all_but_threshold)

    def __init__(self, spec: str = "acceptor", threshold: Any = 0.4) -> None:
        super().__init__(spec)
        self.numbers = (argument(spec, "threshold", threshold, 0.0, 1.0),)


class Deadline(BargainingPlayer):
    """Demands half until the deadline is near, then most; accepts nearly half, and anything in the last round.

    The last proposer can demand nearly everything, so the responder one round before should not wait for it. Without
    a known last round it always demands half.

    Source: Roth, Murnighan and Schoumaker (1988), The deadline effect in bargaining.

    Args:
        late: Demand near the deadline as a share of the money; from 0.5 to 1.
        rounds: Number of last rounds that count as near; an integer from 0 to 99.
        least: Minimum acceptable offer before the last round as a share of the money; from 0 to 0.5.
    """

    lines = (
        "I would take ${own} and leave you ${other}.",
        "My proposal is ${own} for me and ${other} for you.",
        "I keep ${own}. ${other} for you is better than nothing.",
    )
    asks, takes = staticmethod(half_until_deadline), staticmethod(share_until_last_round)

    def __init__(self, spec: str = "deadline", late: Any = 0.8, rounds: Any = 2, least: Any = 0.4) -> None:
        super().__init__(spec)
        near = argument(spec, "rounds", rounds, 0, 99, integer=True)
        self.numbers = (argument(spec, "late", late, 0.5, 1.0), near, argument(spec, "least", least, 0.0, 0.5))
