"""Quantal response equilibrium of negotiation: what seats do that err, and err less where it costs them more.

See `econzoo.envs.families.offers.quantal`. Payoffs are measured as self-gain is: dollars won over the own value, in
parts of the scale. A seat names one of evenly spaced prices of its `rules.span`, all of them no loss to it; an answer
may be a mistake at a loss. Where values are private, the other is one of four types, GLEE's values, all as likely, and
takes the seat to be so too; the seat itself is a fifth, with which nobody else reckons.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from econzoo.envs.core.contract.game import UNKNOWN
from econzoo.envs.families.offers.quantal import AHEAD, NOTHING, STEPS, Logit, Stage, Values, induced
from econzoo.envs.games.negotiation import rules, valid
from econzoo.envs.games.negotiation.private_values import best_atom
from econzoo.envs.games.negotiation.rules import BUYER, SELLER, Params
from econzoo.envs.games.negotiation.scenarios import GLEE_FACTORS

LAST = -1
"""Place of the own type among those of a seat."""


class Known(NamedTuple):
    """A market as far as a seat knows it.

    Attributes:
        money: Scale of values and prices in dollars.
        values: Dollars that the good is worth to the seller and to the buyer; UNKNOWN if that is private.
        horizon: Last round, or UNKNOWN.
        leaves: Whether whoever answers may opt out.
        precision: At least 0, per scale.
    """

    money: float
    values: tuple[float, float]
    horizon: float
    leaves: bool
    precision: float


def types(known: Known) -> Values:
    """Dollars that the good may be worth to each seat; the own value of a seat that knows more is the last."""
    private, atoms = UNKNOWN in known.values, [factor * known.money for factor in GLEE_FACTORS]
    seller, buyer = ([*atoms * private, *[value] * (value != UNKNOWN)] for value in known.values)
    return np.array(seller), np.array(buyer)


def logit(known: Known) -> Logit:
    """How both decide."""
    seller, buyer = (_odds(len(own)) for own in types(known))
    return Logit(known.precision, (seller, buyer), known.leaves)


def _odds(count: int) -> np.ndarray:
    """All of GLEE's values are as likely; a fifth is that of a seat that knows it alone."""
    return np.ones(1) if count == 1 else np.array([1.0 / len(GLEE_FACTORS)] * len(GLEE_FACTORS) + [0.0])[:count]


def prices(known: Known, seat: int) -> np.ndarray:
    """Prices that a seat may name, of shape (its types, amounts)."""
    return np.array([_spanned(known.money, value, seat) for value in types(known)[seat]])


def _spanned(money: float, value: float, seat: int) -> np.ndarray:
    """Evenly spaced prices of a seat's span; the last ones are its ends."""
    params = Params(money, (value, value), 1, True, True, False)
    ((low, high),) = rules.span(params, rules.initial(params), seat)
    return np.linspace(low, high, STEPS + 1)


def going_on(known: Known, round: int) -> Values:
    """What each type of each seat expects of going on after a round, in parts of the scale.

    Without a known last round, what follows the next `AHEAD` rounds is worth what `spe` takes it to be: half of the
    surplus, or what the best price wins on average against GLEE's values.
    """
    if known.horizon == UNKNOWN:
        seller, buyer = _endless(known, round % 2)
        return seller[0], buyer[0]
    seller, buyer = _table(known)
    return seller[round], buyer[round]


def price_chances(known: Known, round: int) -> tuple[np.ndarray, np.ndarray]:
    """The prices that the proposer of a round may name, and the probability of each.

    Args:
        known: The market as that seat knows it.
        round: 1 to the horizon.
    """
    seat = (round + 1) % 2
    chances = logit(known).offers(_stages(known)[seat], going_on(known, round))
    return prices(known, seat)[LAST], chances[LAST]


def answer_chances(known: Known, round: int, price: float) -> np.ndarray:
    """Probabilities of accepting, of rejecting and, if that is possible, of opting out.

    Args:
        known: The market as the seat knows it that answers.
        round: 1 to the horizon.
        price: Dollars.
    """
    seat = round % 2
    gain = _gain(seat, np.array([price]), known.values[seat], known.money)
    return logit(known).answers(gain, going_on(known, round)[seat][LAST:])[0]


def quantal_payoffs(params: Params, precision: float) -> tuple[float, float]:
    """Dollars that each seat expects to win in the quantal response equilibrium.

    Args:
        params: The market; as in `spe_payoffs`, all of it is known to both.
        precision: At least 0, per scale.
    """
    valid.market(params)
    known = Known(params.money, params.value, params.horizon, params.outside_option, precision)
    seller, buyer = _table(known)
    return params.money * float(seller[0, 0]), params.money * float(buyer[0, 0])


def _gain(seat: int, price: np.ndarray, value: np.ndarray | float, money: float) -> np.ndarray:
    """What a price wins a seat, in parts of the scale."""
    return np.asarray((price - value if seat == SELLER else value - price) / money)


@lru_cache(maxsize=256)
def _stages(known: Known) -> tuple[Stage, Stage]:
    """The rounds in which the seller posts a price, and the buyer."""
    values, made = types(known), []
    for seat in (SELLER, BUYER):
        posted = prices(known, seat)
        own = _gain(seat, posted, values[seat][:, None], known.money)
        made.append(Stage(seat, own, _gain(1 - seat, posted[..., None], values[1 - seat], known.money)))
    return made[0], made[1]


@lru_cache(maxsize=128)
def _table(known: Known) -> Values:
    """What is expected when each round begins; at the end what is expected after the last."""
    stages, (seller, buyer) = _stages(known), types(known)
    nothing = NOTHING[0]
    end = nothing.repeat(len(seller)), nothing.repeat(len(buyer))
    return induced(logit(known), lambda round: stages[(round + 1) % 2], 1, int(known.horizon), end, True)


@lru_cache(maxsize=256)
def _endless(known: Known, first: int) -> Values:
    """The same from any round on in which this seat posts, without a known last one; nobody discounts."""
    stages, (seller, buyer) = _stages(known), types(known)
    if UNKNOWN in known.values:
        end = _posted(SELLER, seller, known.money), _posted(BUYER, buyer, known.money)
    else:
        half = np.maximum(buyer - seller, 0.0) / 2.0 / known.money
        end = half, half
    return induced(logit(known), lambda round: stages[(first + round) % 2], 0, AHEAD - 1, end, True)


def _posted(seat: int, values: np.ndarray, money: float) -> np.ndarray:
    """What the best price wins each type on average against GLEE's values, in parts of the scale (Myerson 1981)."""
    sign = 1.0 if seat == SELLER else -1.0  # a buyer sells money for the good
    atoms = [sign * factor * money for factor in GLEE_FACTORS]
    return np.array([best_atom(sign * value, atoms)[2] / money for value in values])
