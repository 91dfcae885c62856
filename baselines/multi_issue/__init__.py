"""Scripted players of multi-issue bargaining, by name, and the pools that training and evaluation draw from."""

from __future__ import annotations

from functools import partial
from typing import Any

from econzoo.baselines.offers.demands import last_round
from econzoo.baselines.offers.haggler import Committed, Firm, Haggler, TimeDependent, high_and_low, opponent_of
from econzoo.baselines.pools import read_pools
from econzoo.baselines.strategy import Seen, offers_of_other
from econzoo.envs.games.multi_issue import ACTIONS, GAME
from econzoo.envs.games.multi_issue.rules import LAST, OFFER, State, View, rest, worth
from econzoo.envs.games.multi_issue.solution import divisions, equilibrium
from econzoo.envs.games.multi_issue.text import listed

__all__ = ["PLAYERS", "POOLS", "Divider", "as_opponent"]

TOLERANCE = 1e-9


def stake(v: View) -> float:
    """Points that all items are worth to a seat."""
    return worth(v.own_values, v.items)


class Divider(Haggler):
    """A strategy that says how many points it wants (`ask`) and how few it takes in the last turn (`threshold`).

    It accepts an offer that is worth what it would ask for in its own, as in Faratin, Sierra and Jennings (1998). Of
    the divisions worth as much to itself it offers the one that it thinks is best for the other (`guess`).
    """

    View, stake = View, staticmethod(stake)

    @property
    def script(self) -> None:
        """None: what it offers is found among all divisions."""
        return None

    def move(self, seen: Seen) -> dict[str, Any]:
        """An offer or an answer, without words."""
        last = "offer" not in seen["legal_actions"]
        least = self.threshold(seen) if last else self.ask(seen)
        if "accept" in seen["legal_actions"] and worth(seen["own_values"], seen["own_items"]) >= least - TOLERANCE:
            return {"kind": "accept"}
        return {"kind": "leave"} if last else {"kind": "offer", "keep": self.keep(seen)}

    def keep(self, seen: Seen) -> list[int]:
        """The items that its offer keeps: worth its ask, and of these the least valuable to the other."""
        own, other, view = seen["own_values"], self.guess(seen), self.view(seen)
        wanted = min(self.ask(seen), stake(view)) - TOLERANCE
        enough = [kept for kept in divisions(tuple(seen["items"])) if worth(own, kept) >= wanted]
        best = min(enough, key=lambda kept: (worth(other, kept), -worth(own, kept), sum(kept)))
        return list(map(int, best))

    def guess(self, seen: Seen) -> tuple[float, ...]:
        """What it thinks that an item of each kind is worth to the other: what it knows, else all the same."""
        known: tuple[float, ...] = seen["other_values"]
        return known if min(known) >= 0 else (1.0,) * len(known)

    def say(self, seen: Seen, keep: Any) -> str:
        """The words of an offer: they name its two sides and nothing that the other may not know."""
        return self.line(seen, keep).format(own=listed(keep), other=listed(rest(seen["items"], keep)))


class Spe(Divider):
    """Plays the subgame-perfect equilibrium; what the other's values are it is told, or takes to be its own.

    Source: Rubinstein (1982), Perfect equilibrium in a bargaining model; Stahl (1972), Bargaining Theory.
    """

    lines = ("I keep {own} and you get {other}; waiting would not bring you more.",)

    def move(self, seen: Seen) -> dict[str, Any]:
        """The move of the equilibrium of the market as it sees it."""
        own, other, first = seen["own_values"], seen["other_values"], seen["own_items"]
        values = own, other if min(other) >= 0 else own
        if seen["seat"] == 1:
            values, first = values[::-1], first if seen["by"] < 0 else rest(seen["items"], first)
        _, params = GAME.params(**{name: seen[name] for name in ("items", "horizon", "delta")}, values=values)
        kind, keep = equilibrium(params, State(seen["round"], first, seen["by"], False, False)).move
        return {"kind": ACTIONS.names[kind], **({"keep": list(map(int, keep))} if kind == OFFER else {})}


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


class Logroll(Concede):
    """Concedes by the clock, and in the kinds that the other seems to want most: it learns them from what it asks for.

    A kind is taken to be worth as much to the other as it kept of it in its offers so far, in the mean; before them
    stands one for everything, so that what was not asked for counts as well, but less.

    Source: Pruitt (1981), Negotiation Behavior (logrolling); Faratin, Sierra and Jennings (2002), Using similarity
    criteria to make issue trade-offs in automated negotiations. Artificial Intelligence 142(2), 205-237.
    """

    memory = "history"
    recalled = LAST
    lines = ("What matters most to you? I could live with {own}.", "Then take {other}, and I keep {own}.")

    def guess(self, seen: Seen) -> tuple[float, ...]:
        """What it knows, or the share of each kind that the other kept in its offers; at first all the same."""
        if min(seen["other_values"]) >= 0:
            return super().guess(seen)
        asked = [seen["items"], *[offer["keep"] for offer in offers_of_other(seen["history"], seen["seat"])]]
        return tuple(sum(kept[k] for kept in asked) / (len(asked) * count) for k, count in enumerate(seen["items"]))


class TitForTat(Divider):
    """Cuts its demand by the same part by which the other has cut what it denies this seat, in own points.

    Source: Faratin, Sierra and Jennings (1998), section 4.3, relative tit-for-tat with a delay of one. Its first ask is
    measured from all items, as if the other had wanted everything before.

    Args:
        high, low: As for `Concede`.
    """

    memory = "history"
    recalled = LAST
    lines = ("I suggest {own} for me and {other} for you, and I move as you move.", "My turn: {own} for me.")

    def __init__(self, spec: str = "tit-for-tat", high: Any = 0.9, low: Any = 0.3) -> None:
        super().__init__(spec)
        self.numbers = high_and_low(spec, high, low)

    def ask(self, seen: Seen) -> float:
        """Its first ask, times what is left of what the other denied it at first."""
        (high, low), total = self.numbers, stake(self.view(seen))
        asked = offers_of_other(seen["history"], seen["seat"])
        denied = worth(seen["own_values"], asked[-1]["keep"]) / total if asked else 1.0
        return min(max(high * denied, low), high) * total

    def threshold(self, seen: Seen) -> float:
        """What it would ask next; the reservation share in the last turn."""
        view = self.view(seen)
        return self.numbers[1] * stake(view) if last_round(view) else self.ask(seen)


PLAYERS: dict[str, type[Divider]] = {
    "spe": Spe,
    "fair": Fair,
    "greedy": Greedy,
    "concede": Concede,
    "logroll": Logroll,
    "tit-for-tat": TitForTat,
}
"""Name to class; a class gets (spec, *arguments of the spec)."""

POOLS = read_pools(__package__)
"""Name of a pool to its specs; see `econzoo.baselines.pools`."""

as_opponent = partial(opponent_of, game=GAME)
"""``as_opponent(spec)`` is a function that `best_response` takes; see `opponent_of`."""
