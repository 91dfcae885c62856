"""Violations of individual rationality in persuasion, given the seat's information."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

from econzoo.envs.core.contract.game import Move
from econzoo.envs.families.two_seats import tally_moves
from econzoo.envs.games.persuasion import rules
from econzoo.envs.games.persuasion.rules import BUY, BUYER, DISCOURAGE, RECOMMEND, Params, State
from econzoo.envs.games.persuasion.validation import TOLERANCE, validate_setting


class Violations(NamedTuple):
    """Counts of one seat's violations of rationality, and of its moves.

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


def _count_violations(params: Params, state: State, seat: int, move: Move) -> dict[str, int]:
    """Counts of a legal move in a state."""
    if seat != BUYER:
        return {"signals": 1}
    worth = [params.low_value] * (params.prior < 1.0) + [params.high_value] * (params.prior > 0.0)
    mean = params.prior * params.high_value + (1.0 - params.prior) * params.low_value
    known = params.buyer_knows_prior
    if move.kind == BUY:
        return {
            "decisions": 1,
            "bought_at_sure_loss": int(known and max(worth) < 1.0 - TOLERANCE),
            "bought_below_price": int(known and mean < 1.0 - TOLERANCE),
            "bought_discouraged": int(state.said == DISCOURAGE),
        }
    return {
        "decisions": 1,
        "declined_sure_gain": int(known and min(worth) > 1.0 + TOLERANCE),
        "declined_above_price": int(known and mean > 1.0 + TOLERANCE),
        "declined_recommended": int(state.said == RECOMMEND),
    }


individual_rationality_violations = partial(tally_moves, rules, validate_setting, _count_violations, Violations)
"""``individual_rationality_violations(params, events)`` counts the buyer's violations of individual rationality in a
played game; see `tally_moves`. The seller has none: a sale pays it the same after every signal."""
