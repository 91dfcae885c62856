"""Moves of a played game of persuasion against the mover's own interest, as far as its seat could know."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from typing import Any, NamedTuple

from econzoo.envs.core.game import CHANCE, Move
from econzoo.envs.core.parameters import real, whole
from econzoo.envs.core.values import short
from econzoo.envs.games.persuasion import rules
from econzoo.envs.games.persuasion.rules import BUY, BUYER, DISCOURAGE, HIGH, RECOMMEND, Params
from econzoo.envs.games.persuasion.valid import TOLERANCE, market


class Violations(NamedTuple):
    """How often one seat of one game moved against its own interest, and out of how many moves.

    High quality is never worth less than its price, so a buyer who may take a signal for proof of high quality can
    always justify to buy; only where high quality is known not to occur it cannot. The next two counts compare with
    the babbling equilibrium (`solution.equilibrium_payoffs`), in which signals mean nothing; they are no mistakes
    against a seller whose signals do. Buyers who do not know the prior have nothing to compare with and are not
    counted. The last two need no theory; they show whether signals are heard. A seller who sends words gives no signal
    that could be read here.

    Attributes:
        signals: Moves of this seat as the seller.
        decisions: Moves of this seat as the buyer.
        bought_at_sure_loss: Bought where quality is known to be low for certain, and worth less than its price.
        declined_sure_gain: Declined where the product was known to be worth more than its price for certain.
        bought_below_price: Bought although, by the prior, the product was worth less than its price.
        declined_above_price: Declined although, by the prior, it was worth more.
        bought_discouraged: Bought what the seller had advised against.
        declined_recommended: Declined what the seller had recommended.
    """

    signals: int = 0
    decisions: int = 0
    bought_at_sure_loss: int = 0
    declined_sure_gain: int = 0
    bought_below_price: int = 0
    declined_above_price: int = 0
    bought_discouraged: int = 0
    declined_recommended: int = 0


def individual_rationality_violations(
    params: Params, events: Iterable[tuple[int, int, int, float]]
) -> tuple[Violations, Violations]:
    """Counts the buyer's moves against individual rationality in a played game.

    The seller has nothing to be counted: a sale pays it the same whatever it said before.

    Args:
        params: The market.
        events: Moves of the seats in order, each (seat, round, kind, amount) with the kinds of `rules`, without
            those of nature. The game may be unfinished.

    Returns:
        The counts of the seller and of the buyer.

    Raises:
        ValueError: A move is out of turn or round, of an unknown kind, or is no such tuple.
    """
    counts: tuple[Counter[str], Counter[str]] = (Counter(), Counter())
    state = rules.initial(market(params))
    for event in _iterable(events):
        seat, round, kind = _played(event)
        if rules.to_act(params, state) == CHANCE:  # which quality does not matter for what is legal
            state = rules.apply(params, state, (Move(CHANCE, HIGH),))
        if round != state.round or not rules.legal(params, state, seat)[kind]:
            raise ValueError(f"event={short(event)}: not possible in {state}")
        counts[seat].update(_counted(params, state.said, kind) if seat == BUYER else {"signals": 1})
        state = rules.apply(params, state, (Move(kind, 0.0),))
    return Violations(**counts[0]), Violations(**counts[1])


def _counted(params: Params, said: int, kind: int) -> dict[str, int]:
    """What the buyer's decision adds to `Violations`."""
    worth = [params.low_value] * (params.prior < 1.0) + [params.high_value] * (params.prior > 0.0)
    mean = params.prior * params.high_value + (1.0 - params.prior) * params.low_value
    known = params.buyer_knows_prior
    if kind == BUY:
        return {
            "decisions": 1,
            "bought_at_sure_loss": int(known and max(worth) < 1.0 - TOLERANCE),
            "bought_below_price": int(known and mean < 1.0 - TOLERANCE),
            "bought_discouraged": int(said == DISCOURAGE),
        }
    return {
        "decisions": 1,
        "declined_sure_gain": int(known and min(worth) > 1.0 + TOLERANCE),
        "declined_above_price": int(known and mean > 1.0 + TOLERANCE),
        "declined_recommended": int(said == RECOMMEND),
    }


def _iterable(events: Any) -> Iterable[Any]:
    try:
        return iter(events)
    except TypeError:
        raise ValueError(f"events={short(events)}: must be a sequence of moves") from None


def _played(event: Any) -> tuple[int, int, int]:
    try:
        seat, round, kind, amount = event
        real(amount)
        return whole(seat, 0, 1), whole(round, 1, math.inf), whole(kind, 0, 4)
    except (TypeError, ValueError, OverflowError):
        must = "(seat, round, kind, amount), three whole numbers of the game and a finite amount"
        raise ValueError(f"event={short(event)}: must be {must}") from None
