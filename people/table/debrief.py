"""What a seat is told when its match is over: gains, shares, the best response in hindsight, and what was hidden."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from econzoo.envs.core.record.record import Record
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.analyses.solutions import shares_of_equilibrium
from econzoo.evaluate.analyses.stories import brief, turns_of
from econzoo.people.server.site import texts
from econzoo.people.table.hindsight import search_of
from econzoo.people.table.move_words import in_own_words, move_told, paid
from econzoo.people.table.record_check import checked
from econzoo.people.table.revealed_information import Revealed, revealed
from econzoo.people.table.seat_view import gain_of

CENT = 0.005
"""Less than that is no difference."""


class Afterwards:
    """The end card of a seat.

    Args:
        record: Of the match, which has ended.
        seat: Whose card.
    """

    def __init__(self, record: Record, seat: int) -> None:
        self._record, self.own = record, seat
        self._found = checked(record.to_json())

    @cached_property
    def match(self) -> dict[str, Any]:
        """The match as reports tell it, each seat with its share of the equilibrium payoff."""
        record = self._record
        told = in_own_words(record, {**brief(record, ""), "turns": turns_of(record, lit=self.verified, tell=move_told)})
        seats = zip(told["seats"], shares_of_equilibrium(record), strict=True)
        return {**told, "seats": [{**one, "share": share} for one, share in seats]}

    @property
    def shares(self) -> bool:
        """Whether anybody has a share of the equilibrium payoff."""
        return any(one["share"] == one["share"] for one in self.match["seats"])

    @property
    def gain_of(self) -> str:
        """What the gain of this game is."""
        return gain_of(self._record.game)

    @property
    def verified(self) -> bool:
        """Whether all comes out the same when the rules are run again."""
        return not self._found.problems

    @cached_property
    def hidden(self) -> Revealed:
        """What the seat could not know."""
        told = self._found.told
        return Revealed([], set()) if told is None else revealed(self._record, told, self.own)

    @property
    def turns(self) -> list[dict[str, Any]]:
        """All moves, each with whether it was ``unseen``."""
        return [{**turn, "unseen": at in self.hidden.unseen} for at, turn in enumerate(self.match["turns"])]

    @property
    def searching(self) -> bool:
        """Whether the best response is still searched for."""
        search = search_of(self._record, self.own)
        return search is not None and not search.done()

    @property
    def hindsight(self) -> str:
        """The best response in hindsight, in words; empty where the game, or this match, has none."""
        search, say = search_of(self._record, self.own), texts().say
        if search is None:
            return ""
        if not search.done():
            return say("end.best_searched")
        best = search.result()
        if best is None:
            return say("end.best_unknown")
        more = best.value - self._record.payoffs[self.own]
        game = find_game(self._record.game)
        told = {"best": paid(game, best.value), "more": paid(game, max(more, 0.0))}
        if more < CENT:
            return say("end.best_yours" if best.exact else "end.best_none", **told)
        return say("end.best" if best.exact else "end.best_least", **told)


def afterwards(record: Record | None, seat: int) -> Afterwards | None:
    """The end card; None while the match goes on, and where it could not be played to its end."""
    failed = record is None or record.status == "failed"
    return None if record is None or failed else Afterwards(record, seat)
