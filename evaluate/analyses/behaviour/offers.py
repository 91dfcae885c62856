"""Records of the games of alternating offers as tables: one row per offer, and one per seat and match.

All amounts are fractions of the setting's scale (``money``): in bargaining the share that the seat asked for itself, in
negotiation the price. A default action (`Turn.default`) is not a player's behaviour and has no row, but its
consequences count.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

import pandas as pd

from econzoo.envs.core.record import Record, Turn
from econzoo.evaluate.analyses import PLACE_COLUMNS, places
from econzoo.evaluate.analyses.behaviour.rows import frame_of


class Terms(NamedTuple):
    """The offers of a game.

    Attributes:
        is_division: Whether the amount is the proposer's part of a sum; else it is a price.
        word: Axis label.
    """

    amount: str
    is_division: bool
    word: str


GAMES = {
    "bargaining": Terms("gain", True, "share asked for oneself"),
    "negotiation": Terms("price", False, "price / scale"),
}
"""The games with alternating offers."""

DEAL, NO_DEAL, CUT_OFF = "deal", "no deal", "cut off"
"""Endings of a match: by the rules with or without a deal; by a forfeit, a limit of moves or a dropout."""


def offer_table(records: Iterable[Record]) -> pd.DataFrame:
    """Return one row per offer, default actions excluded.

    Columns: ``match``, ``cluster`` (setting and seed), ``setting``, ``game``, ``player``, ``opponent``, ``role``,
    ``seat``, ``round``, ``asked`` and ``step`` (the change from the seat's last offer; NaN for its first).
    """
    rows = (row for record in records if record.game in GAMES for row in _offers(record))
    return frame_of(rows, [*PLACE_COLUMNS, "round", "asked", "step"])


def ending_table(records: Iterable[Record]) -> pd.DataFrame:
    """Return one row per seat and match.

    Columns: those of `offer_table` up to ``seat``; ``opens`` (whether the seat made the first offer), ``first`` (its
    own first offer), ``first_round``, ``final`` (the agreement, in the same terms), ``at_once`` (whether that first
    offer was accepted), ``ended`` (`DEAL`, `NO_DEAL`, `CUT_OFF`), ``rounds`` (begun) and ``horizon`` (maximum rounds of
    the setting).
    """
    rows = (row for record in records if record.game in GAMES for row in _endings(record))
    columns = ["opens", "first", "first_round", "final", "at_once", "ended", "rounds", "horizon"]
    return frame_of(rows, [*PLACE_COLUMNS, *columns])


def _list_offers(record: Record) -> list[tuple[Turn, float]]:
    """Every offer and its amount, default actions included."""
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
    offers = _list_offers(record)
    # An agreement ends the match, so its terms are the last offer; a default offer can be accepted too.
    agreed = offers[-1] if offers and record.metrics["agreed"] else None
    rounds = max((turn.round for turn in record.turns), default=0)
    known = record.params["horizon"]
    common = {
        "ended": DEAL if agreed else NO_DEAL if record.status == "finished" else CUT_OFF,
        "rounds": rounds,
        "horizon": record.params["max_rounds"] if known is None else known,
    }
    return [{**place, **_seat_terms(record.game, place["seat"], offers, agreed), **common} for place in places(record)]


def _seat_terms(
    game: str, seat: int, offers: list[tuple[Turn, float]], agreed: tuple[Turn, float] | None
) -> dict[str, Any]:
    """First and final terms of one seat."""
    mine = next(((turn, asked) for turn, asked in offers if turn.seat == seat), None)
    # A later offer is no first one: it answers what the others made of the default.
    if mine is not None and mine[0].default:
        mine = None
    final = math.nan
    if agreed is not None:
        mirrored = GAMES[game].is_division and agreed[0].seat != seat
        final = 1.0 - agreed[1] if mirrored else agreed[1]
    return {
        "opens": bool(offers) and offers[0][0].seat == seat,
        "first": mine[1] if mine else math.nan,
        "first_round": mine[0].round if mine else 0,
        "final": final,
        "at_once": bool(mine and agreed and mine[0] is agreed[0]),
    }
