"""Records of the games of alternating offers as tables: one row for every offer, and one for every seat of a match.

All amounts are parts of the market's scale (``money``): in bargaining the share that the seat asked for itself, in
negotiation the price. A move that the environment made because no answer could be used (`Turn.default`) is nobody's
behaviour: it makes no row, but what came of it counts.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

import pandas as pd

from econzoo.envs.core.record.record import Record, Turn
from econzoo.evaluate.analyses.behaviour.rows import frame_of
from econzoo.evaluate.analyses.seat_columns import PLACE_COLUMNS, places


class Terms(NamedTuple):
    """How a game writes its offers.

    Attributes:
        amount: Field of the offer.
        is_division: Whether the amount is what the proposer keeps of a sum, so that the other gets the rest; else it is
            a price, the same for both.
        word: What is asked for, in words.
    """

    amount: str
    is_division: bool
    word: str


GAMES = {
    "bargaining": Terms("gain", True, "share asked for oneself"),
    "negotiation": Terms("price", False, "price, in parts of the scale"),
}
"""The games with alternating offers."""

DEAL, NO_DEAL, CUT_OFF = "deal", "no deal", "cut off"
"""How a match ended: the rules' two ways, and forfeits, limits of moves and players that left."""


def offer_table(records: Iterable[Record]) -> pd.DataFrame:
    """One row for every offer that a player made.

    Columns: ``match``, ``cluster`` (market and seed), ``market``, ``game``, ``player``, ``opponent``, ``role``,
    ``seat``, ``round``, ``asked`` and ``step`` (the change since the seat's last offer; NaN for its first).
    """
    made = (row for record in records if record.game in GAMES for row in _offers(record))
    return frame_of(made, [*PLACE_COLUMNS, "round", "asked", "step"])


def ending_table(records: Iterable[Record]) -> pd.DataFrame:
    """One row for every seat of a match.

    Columns: those of `offer_table` up to ``seat``; ``opens`` (whether the seat made the first offer), ``first`` (its
    own first offer), ``first_round``, ``final`` (what was agreed, in the same terms), ``at_once`` (whether that first
    offer is what was agreed), ``ended`` (`DEAL`, `NO_DEAL`, `CUT`), ``rounds`` (begun) and ``horizon`` (rounds that
    the market allows).
    """
    made = (row for record in records if record.game in GAMES for row in _endings(record))
    columns = ["opens", "first", "first_round", "final", "at_once", "ended", "rounds", "horizon"]
    return frame_of(made, [*PLACE_COLUMNS, *columns])


def _list_offers(record: Record) -> list[tuple[Turn, float]]:
    """Every offer and its amount, also those that a default made."""
    name, money = GAMES[record.game].amount, record.params["money"]
    return [(t, t.action[name] / money) for t in record.turns if t.action is not None and t.action["kind"] == "offer"]


def _offers(record: Record) -> list[dict[str, Any]]:
    where, last = places(record), [math.nan] * len(record.players)
    out = []
    for turn, asked in _list_offers(record):
        if not turn.default:
            out.append({**where[turn.seat], "round": turn.round, "asked": asked, "step": asked - last[turn.seat]})
            last[turn.seat] = asked
    return out


def _endings(record: Record) -> list[dict[str, Any]]:
    made = _list_offers(record)
    agreed = made[-1] if made and record.metrics["agreed"] else None
    rounds = max((turn.round for turn in record.turns), default=0)
    known = record.params["horizon"]
    common = {
        "ended": DEAL if agreed else NO_DEAL if record.status == "finished" else CUT_OFF,
        "rounds": rounds,
        "horizon": record.params["max_rounds"] if known is None else known,
    }
    return [{**place, **_seat_terms(record.game, place["seat"], made, agreed), **common} for place in places(record)]


def _seat_terms(
    game: str, seat: int, made: list[tuple[Turn, float]], agreed: tuple[Turn, float] | None
) -> dict[str, Any]:
    """First and final terms of one seat."""
    mine = next(((turn, asked) for turn, asked in made if turn.seat == seat), None)
    if mine is not None and mine[0].default:
        mine = None
    final = math.nan
    if agreed is not None:
        mirrored = GAMES[game].is_division and agreed[0].seat != seat
        final = 1.0 - agreed[1] if mirrored else agreed[1]
    return {
        "opens": bool(made) and made[0][0].seat == seat,
        "first": mine[1] if mine else math.nan,
        "first_round": mine[0].round if mine else 0,
        "final": final,
        "at_once": bool(mine and agreed and mine[0] is agreed[0]),
    }
