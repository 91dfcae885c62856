"""Strategies of multi-issue bargaining: from theory, by norms, by the clock, by imitation, and by trading off kinds."""

from __future__ import annotations

from typing import Any, ClassVar

from econzoo.baselines.haggling import Committed, Firm, TimeDependent, high_and_low
from econzoo.baselines.multi_issue.base import Divider
from econzoo.baselines.strategy import Seen, argument
from econzoo.envs.families.offers.best_response import Memory
from econzoo.envs.games.multi_issue import ACTIONS, GAME, LAST
from econzoo.envs.games.multi_issue.rules import OFFER, State, worth
from econzoo.envs.games.multi_issue.solution import spe_move


class Spe(Divider):
    """Plays the subgame-perfect equilibrium; what the other's values are it is told, or takes to be its own.

    Source: Rubinstein (1982), Perfect equilibrium in a bargaining model; Stahl (1972), Bargaining Theory.
    """

    lines = ("I keep {own} and you get {other}; waiting would not bring you more.",)

    def move(self, seen: Seen) -> dict[str, Any]:
        """The move of the equilibrium of the market as it sees it."""
        own, other, seat = seen["own_values"], seen["other_values"], seen["seat"]
        other = other if min(other) >= 0 else own
        values = (own, other) if seat == 0 else (other, own)
        _, params = GAME.params(**{name: seen[name] for name in ("items", "horizon", "delta")}, values=values)
        rest = [count - held for count, held in zip(seen["items"], seen["own_items"], strict=True)]
        first = seen["own_items"] if seat == 0 or seen["by"] < 0 else tuple(rest)
        kind, numbers = spe_move(params, State(seen["round"], first, seen["by"], False, False))
        keep = {"keep": [int(number) for number in numbers]} if kind == OFFER else {}
        return {"kind": ACTIONS.names[kind], **keep}


class Fair(Firm, Divider):
    """Asks for half of what it could have, and accepts as much.

    Source: Fehr and Schmidt (1999), A theory of fairness, competition, and cooperation: equal division as the norm
    of people who dislike inequality; here each side is measured by its own values, as it cannot see the other's.
    """

    share = 0.5
    lines = ("That is even, I think: {own} for me and {other} for you.", "I still think {own} for me is fair.")


class Greedy(Committed, Divider):
    """Asks for nearly everything in every turn, and takes less in the last one only (see `Committed`).

    Source: Schelling (1960), The Strategy of Conflict, chapter 2.

    Args:
        share: What it asks for, as a share of what it could have; from 0.5 to 1.
    """

    lines = ("I need {own}. {other} is for you.", "My demand has not changed: {own} for me.")

    def __init__(self, spec: str = "greedy", share: Any = 0.9) -> None:
        super().__init__(spec, share)


class Concede(TimeDependent, Divider):
    """Comes down from ``high`` to ``low`` by the clock, late with e below 1, early above (see `TimeDependent`).

    Source: Faratin, Sierra and Jennings (1998), Negotiation decision functions for autonomous agents, section 4.1.

    Args:
        e: Concession rate; above 0, at most 1e6.
        high: First ask as a share of what it could have; from 0 to 1.
        low: Reservation share; from 0 to `high`.
    """

    lines = (
        "Let me begin with {own} for me and {other} for you.",
        "I come towards you: {own} for me, {other} for you.",
    )

    def __init__(self, spec: str = "concede", e: Any = 1.0, high: Any = 0.9, low: Any = 0.3) -> None:
        super().__init__(spec, argument(spec, "e", e, 0.0, 1e6, open_low=True), high, low)


class Logroll(Concede):
    """Concedes by the clock, and in the kinds that the other seems to want most: it learns them from what it asks for.

    A kind is taken to be worth as much to the other as it kept of it in its offers so far, in the mean; before them
    stands one for everything, so that what was not asked for counts as well, but less.

    Source: Pruitt (1981), Negotiation Behavior (logrolling); Faratin, Sierra and Jennings (2002), Using similarity
    criteria to make issue trade-offs in automated negotiations. Artificial Intelligence 142(2), 205-237.
    """

    memory: ClassVar[Memory] = "history"
    recalled = LAST
    lines = ("What matters most to you? I could live with {own}.", "Then take {other}, and I keep {own}.")

    def guess(self, seen: Seen) -> tuple[float, ...]:
        """What it knows, or the share of each kind that the other kept in its offers; at first all the same."""
        if min(seen["other_values"]) >= 0:
            return super().guess(seen)
        asked = [tuple(seen["items"]), *demands(seen)]
        return tuple(sum(kept[k] for kept in asked) / (len(asked) * count) for k, count in enumerate(seen["items"]))


class TitForTat(Divider):
    """Cuts its demand by the same part by which the other has cut what it denies this seat, in own points.

    Source: Faratin, Sierra and Jennings (1998), section 4.3, relative tit-for-tat with a delay of one. Its first ask is
    measured from all items, as if the other had wanted everything before.

    Args:
        high: First ask as a share of what it could have; from 0 to 1.
        low: Reservation share; from 0 to `high`.
    """

    memory: ClassVar[Memory] = "history"
    lines = ("I suggest {own} for me and {other} for you, and I move as you move.", "My turn: {own} for me.")

    def __init__(self, spec: str = "tit-for-tat", high: Any = 0.9, low: Any = 0.3) -> None:
        super().__init__(spec)
        self.high, self.low = high_and_low(spec, high, low)

    def ask(self, seen: Seen) -> float:
        """Its first ask, times what is left of what the other denied it at first."""
        stake, asked = self.stake(seen), demands(seen)
        denied = worth(seen["own_values"], asked[-1]) / stake if asked else 1.0
        return min(max(self.high * denied, self.low), self.high) * stake

    def threshold(self, seen: Seen) -> float:
        """The reservation share."""
        return self.low * self.stake(seen)


def demands(seen: Seen) -> list[tuple[int, ...]]:
    """What the other kept in each of its offers so far."""
    return [move["keep"] for move in seen["history"] if move["kind"] == "offer" and move["seat"] != seen["seat"]]
