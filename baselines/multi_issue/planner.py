"""Player of multi-issue bargaining that plans against a posterior over strategies and the opponent's values."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from econzoo.baselines import ObservationDict
from econzoo.baselines.multi_issue.base import TOLERANCE, Divider
from econzoo.baselines.offers import Frame, Offers, Outlook, Planner, frame_history
from econzoo.envs.core.contract import UNKNOWN
from econzoo.envs.games.multi_issue.rules import View
from econzoo.envs.games.multi_issue.scenarios import beliefs
from econzoo.envs.games.multi_issue.solution import divisions

STEPS = 100
"""Demands of an opponent that are told apart."""

UNUSUAL_VALUES = 30
"""Number of sampled values of the opponent in settings other than those of `beliefs`."""

WASTE, ODD = 0.05, 0.05
"""How unlikely it is that an offer costs the other more than it must: scale, in shares of the other's points as the
maker sees them, and the smallest likelihood."""


class Packages(NamedTuple):
    """Divisions as both seats see them.

    Attributes:
        kept: Items that this seat keeps; shape (divisions, kinds).
        gains: This seat's share of its points; shape (divisions,).
        given: The opponent's share of its points, by class; shape (classes, divisions).
        takes, leaves: What the opponent keeps and leaves if it demands a share: see `planning`.
        fits: Log-likelihood of the items that an offer of the opponent keeps, given their worth, by class.
    """

    kept: Any
    gains: Any
    given: Any
    takes: Any
    leaves: Any
    fits: Any


def classes_of(v: View) -> Any:
    """Return the opponent's possible values; shape (classes, kinds)."""
    if v.other_values[0] >= 0:
        return np.array([v.other_values], float)
    known = beliefs(v.items, v.own_values)
    if known:
        return np.array([values for values, _ in known], float)
    return np.random.default_rng(71).dirichlet(np.ones(len(v.items)), UNUSUAL_VALUES) / np.array(v.items)


# A view of the start of a match, so that every decision of it finds the same.
@lru_cache(maxsize=256)
def packages(v: View) -> Packages:
    """Return all divisions as both seats see them."""
    items, kept = np.array(v.items, float), np.array(divisions(v.items), float)
    own, values = np.array(v.own_values, float), classes_of(v)
    guess = own if v.other_values[0] >= 0 else np.ones(len(items))  # what the opponent takes this seat's values to be
    gains, theirs = kept @ own / (own @ items), values @ (items - kept).T / (values @ items)[:, None]
    # Of the opponent's offers: what it keeps, as this seat's values are seen by it.
    cost, held = (items - kept) @ guess / (guess @ items), (items - kept).sum(axis=1)
    takes, leaves = np.zeros((len(values), STEPS + 1)), np.zeros((len(values), STEPS + 1))
    fits = np.zeros_like(theirs)
    for c, worth in enumerate(theirs):
        order = np.lexsort((held, -worth, cost))
        for step in range(STEPS + 1):
            first = order[np.argmax(worth[order] >= step / STEPS - TOLERANCE)]
            takes[c, step], leaves[c, step] = worth[first], gains[first]
        least = np.array([cost[worth >= one - TOLERANCE].min() for one in worth])
        fits[c] = np.log(np.maximum(np.exp(-(cost - least) / WASTE), ODD))
    return Packages(kept, gains, theirs, takes, leaves, fits)


class Plan(Planner, Divider):
    """Keeps a posterior over strategies and best responds to it, planning anew at every decision (see `Planner`).

    It infers private values of the opponent from the items that it keeps, and offers of the divisions with the same
    points for itself the one that is worth most to the opponent.

    Source: Kalai and Lehrer (1993); see `Planner`.

    Args:
        seconds: Seconds per move, about; above 0, at most 60.
    """

    outlook = Outlook(fair=0.2, touchy=0.05, gives_in=0.7)
    refusal = "leave"
    lines = ("How about {own} for me and {other} for you?", "Then let me suggest {own} for me, {other} for you.")

    def __init__(self, spec: str = "plan", seconds: Any = 0.03) -> None:
        super().__init__(spec, seconds)

    @staticmethod
    def packages(v: View) -> Packages:
        """Return the divisions of a match."""
        return packages(v._replace(round=0, own_items=(), by=-1))

    def frame(self, seen: ObservationDict) -> Frame:
        """Return the decision in shares of each seat's points."""
        v = self.view(seen)
        known = self.packages(v)
        place = {tuple(kept): i for i, kept in enumerate(known.kept.tolist())}
        items = np.array(v.items)

        def index(move: dict[str, Any]) -> int:
            return place[tuple(map(float, move["keep"] if move["seat"] == v.seat else items - move["keep"]))]

        met = [index(move) for move in seen["history"] if move["kind"] == "offer" and move["seat"] != v.seat]
        return Frame(
            v.round,
            v.horizon - 1,
            float(v.horizon),
            0,
            (v.delta, v.delta),
            float(known.gains[met[-1]]) if v.by == 1 - v.seat else UNKNOWN,
            *frame_history(seen, lambda move: known.given[:, index(move)], len(known.given)),
            known.fits[:, met].sum(axis=1),
            known.takes,
            known.leaves,
            True,
        )

    def offers(self, seen: ObservationDict, classes: Any) -> Offers:
        """Return the efficient divisions: of those worth as much to the seat, the best to the opponent on average."""
        known, best, chosen = self.packages(self.view(seen)), -1.0, []
        theirs = classes @ known.given
        for i in np.lexsort((theirs, known.gains))[::-1]:  # less for oneself has to be more for the other
            if theirs[i] > best + TOLERANCE:
                chosen.append(i)
                best = theirs[i]
        places = np.array(chosen[::-1])
        return Offers(known.kept[places], known.gains[places], known.given[:, places])

    def make_offer(self, seen: ObservationDict, amount: Any) -> dict[str, Any]:
        """Return the offer of a division."""
        return {"kind": "offer", "keep": list(map(int, amount))}
