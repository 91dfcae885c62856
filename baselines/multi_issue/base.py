"""What all scripted strategies of multi-issue bargaining share: from points that they want to divisions and words."""

from __future__ import annotations

from typing import Any

from econzoo.baselines.haggling import Haggler, last_round
from econzoo.baselines.strategy import Seen
from econzoo.envs.games.multi_issue.rules import worth
from econzoo.envs.games.multi_issue.solution import divisions
from econzoo.envs.games.multi_issue.text import named

TOLERANCE = 1e-9


class Divider(Haggler):
    """A strategy that says how many points it wants (`ask`) and how few it takes in the last turn (`threshold`).

    It accepts an offer that is worth what it would ask for in its own, as in Faratin, Sierra and Jennings (1998). Of
    the divisions worth as much to itself it offers the one that it thinks is best for the other (`guess`).
    """

    def move(self, seen: Seen) -> dict[str, Any]:
        """An offer or an answer, without words."""
        last = last_round(seen)
        least = self.threshold(seen) if last else self.ask(seen)
        if "accept" in seen["legal_actions"] and worth(seen["own_values"], seen["own_items"]) >= least - TOLERANCE:
            return {"kind": "accept"}
        return {"kind": "leave"} if last else {"kind": "offer", "keep": self.keep(seen)}

    def stake(self, seen: Seen) -> float:
        """Points that all items are worth to it."""
        return worth(seen["own_values"], seen["items"])

    def keep(self, seen: Seen) -> list[int]:
        """The items that its offer keeps: worth its ask, and of these the least valuable to the other."""
        own, other = seen["own_values"], self.guess(seen)
        wanted = min(self.ask(seen), self.stake(seen)) - TOLERANCE
        enough = [kept for kept in divisions(tuple(seen["items"])) if worth(own, kept) >= wanted]
        best = min(enough, key=lambda kept: (worth(other, kept), -worth(own, kept), sum(kept)))
        return [int(number) for number in best]

    def guess(self, seen: Seen) -> tuple[float, ...]:
        """What it thinks that an item of each kind is worth to the other: what it knows, else all the same."""
        known: tuple[float, ...] = seen["other_values"]
        return known if min(known) >= 0 else (1.0,) * len(known)

    def say(self, seen: Seen, keep: Any) -> str:
        """The words of an offer: they name its two sides and nothing that the other may not know."""
        rest = [count - own for count, own in zip(seen["items"], keep, strict=True)]
        return self.line(seen, keep).format(own=named(keep), other=named(rest))
