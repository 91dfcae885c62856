"""Quantal response equilibrium (QRE) of negotiation; see `econzoo.envs.families.offers.quantal`.

Payoffs are self-gains: dollars won over the own value, as a fraction of the scale. A seat proposes one of evenly spaced
prices of its `rules.span`, none of which is a loss to it; answers can be at a loss. With private values the other has
one of four equally likely types, GLEE's values, and the same prior over the seat; the seat's actual value is a fifth
type outside the prior.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from econzoo.envs.core.contract import UNKNOWN
from econzoo.envs.families.offers import LOOKAHEAD_ROUNDS, STEPS, Logit, Stage, Values, build_backward_induction
from econzoo.envs.families.offers import logit_amounts, logit_answers
from econzoo.envs.games.negotiation import validation
from econzoo.envs.games.negotiation.private_values import best_atom
from econzoo.envs.games.negotiation.rules import BOUND, BUYER, SELLER, Params, initial, span
from econzoo.envs.games.negotiation.scenarios import GLEE_FACTORS

OWN_TYPE = len(GLEE_FACTORS)
"""Index of the type with the seat's actual value; the preceding ones are GLEE's."""


class KnownSetting(NamedTuple):
    """A setting as known to a seat.

    Attributes:
        money: Scale of values and prices in dollars.
        values: Values of the good to the seller and to the buyer in dollars; UNKNOWN if private.
        horizon: Last round, or UNKNOWN.
        precision: >= 0, per unit of the scale.
    """

    money: float
    values: tuple[float, float]
    horizon: float
    can_opt_out: bool
    precision: float


def has_private_values(known: KnownSetting) -> bool:
    """Whether a seat knows its own value alone."""
    return known.values[SELLER] == UNKNOWN or known.values[BUYER] == UNKNOWN


def value_of(known: KnownSetting, seat: int, type_index: int) -> float:
    """Value of the good to a type of a seat in dollars."""
    return (
        known.money * GLEE_FACTORS[type_index]
        if has_private_values(known) and type_index != OWN_TYPE
        else known.values[seat]
    )


def type_count(known: KnownSetting, seat: int) -> int:
    """Number of types of a seat; if its value is known, the last type has it."""
    return len(GLEE_FACTORS) * has_private_values(known) + (known.values[seat] != UNKNOWN)


def logit(known: KnownSetting) -> Logit:
    kinds = type_count(known, SELLER), type_count(known, BUYER)
    return Logit(known.precision, known.can_opt_out, len(GLEE_FACTORS) if has_private_values(known) else 1, kinds)


def price_interval(known: KnownSetting, seat: int, type_index: int) -> tuple[float, float]:
    """Lowest and highest price that a type of a seat may propose."""
    value = value_of(known, seat, type_index)
    # Of the values `span` reads the own one only, and with complete information even the least bound does not cut it.
    params = Params(known.money, (value, value), 1, True, True, False, BOUND)
    return span(params, initial(params), seat)[0]


def stage(known: KnownSetting, round: int, type_index: int) -> Stage:
    """Stage of a round, with the value of the proposer; that of the responder is in `type_offsets`."""
    seat = (round + 1) % 2
    low, high = price_interval(known, seat, type_index)
    value, lowest = value_of(known, seat, type_index) / known.money, low / known.money
    step = (high - low) / known.money / STEPS
    return Stage(lowest - value, step, -lowest, step) if seat == SELLER else Stage(value - lowest, -step, lowest, -step)


expected_values = build_backward_induction(stage)


def type_offsets(known: KnownSetting) -> list[float]:
    """Payoff of a deal to each type of the seller, then of the buyer, without the price."""
    seller = [-value_of(known, SELLER, kind) / known.money for kind in range(type_count(known, SELLER))]
    buyer = [value_of(known, BUYER, kind) / known.money for kind in range(type_count(known, BUYER))]
    return seller + buyer


def continuation_values(known: KnownSetting, round: int) -> Values:
    """Expected payoff of continuing after a round, by type of the seller, then of the buyer, in units of the scale.

    With an unknown horizon the value after the next `LOOKAHEAD_ROUNDS` rounds is that of `spe`: half of the surplus, or
    the expected gain of the optimal price against GLEE's values.

    Args:
        round: 0 to the horizon.
    """
    # With an unknown horizon only whose turn it is counts: two entries of the cache serve all rounds.
    return _continuation_values(known, round % 2 if known.horizon == UNKNOWN else round)


@lru_cache(maxsize=1024)
def _continuation_values(known: KnownSetting, round: int) -> Values:
    """See `continuation_values`; with an unknown horizon the round is 0 or 1."""
    types = type_offsets(known)
    end = [0.0] * len(types)
    if known.horizon != UNKNOWN:
        # Without discounting a round differs from another only by its proposer, so values may converge: repeats is
        # True.
        return expected_values(logit(known), known, round + 1, int(known.horizon), types, end, True)
    for place in range(len(types)):
        end[place] = (
            posted_price_gain(types[place]) if has_private_values(known) else max(types[0] + types[1], 0.0) / 2.0
        )
    return expected_values(logit(known), known, round + 1, round + LOOKAHEAD_ROUNDS, types, end, True)


def posted_price_gain(value: float) -> float:
    """Expected gain of the optimal price against GLEE's values, as a fraction of the scale (Myerson 1981)."""
    # The value is a type offset: negative for a seller. A buyer sells money for the good.
    sign = 1.0 if value < 0.0 else -1.0
    return best_atom(-value, [sign * factor for factor in GLEE_FACTORS])[2]


def price_probabilities(known: KnownSetting, round: int) -> list[float]:
    """Probability of each price of the proposer of a round, from its lowest to its highest.

    Args:
        known: The setting as that seat knows it.
        round: 1 to the horizon.
    """
    seat = (round + 1) % 2
    own = type_count(known, seat) - 1
    return logit_amounts(
        logit(known), stage(known, round, own), seat, own, type_offsets(known), continuation_values(known, round)
    )


def answer_probabilities(known: KnownSetting, round: int, price: float) -> tuple[float, float, float]:
    """Probabilities of accepting, rejecting and opting out.

    Args:
        known: The setting as the responder knows it.
        round: 1 to the horizon.
        price: Dollars.
    """
    # The last type of a seat has its actual value.
    seat = round % 2
    value, waiting = known.values[seat], continuation_values(known, round)
    gain = (price - value if seat == SELLER else value - price) / known.money
    return logit_answers(
        logit(known), gain, waiting[type_count(known, SELLER) - 1 if seat == SELLER else len(waiting) - 1]
    )


def quantal_payoffs(params: Params, precision: float) -> tuple[float, float]:
    """Expected dollars won by each seat in the quantal response equilibrium.

    Args:
        precision: >= 0, per unit of the scale.
    """
    validation.validate_setting(params)
    seller, buyer = continuation_values(
        KnownSetting(params.money, params.value, params.horizon, params.outside_option, precision), 0
    )
    return params.money * seller, params.money * buyer
