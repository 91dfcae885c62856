"""Quantal response equilibrium of negotiation: what seats do that err, and err less where it costs them more.

See `econzoo.envs.families.offers.quantal`. Payoffs are measured as self-gain is: dollars won over the own value, in
parts of the scale. A seat names one of evenly spaced prices of its `rules.span`, all of them no loss to it; an answer
may be a mistake at a loss. Where values are private, the other is one of four types, GLEE's values, equally likely, and
takes the seat to be so too; the seat itself is a fifth, with which nobody else reckons.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from econzoo.envs.core.contract.game import UNKNOWN
from econzoo.envs.families.offers.quantal import (
    LOOKAHEAD_ROUNDS,
    STEPS,
    Logit,
    Stage,
    Values,
    build_backward_induction,
    logit_amounts,
    logit_answers,
)
from econzoo.envs.games.negotiation import validation
from econzoo.envs.games.negotiation.private_values import best_atom
from econzoo.envs.games.negotiation.rules import BOUND, BUYER, SELLER, Params, initial, span
from econzoo.envs.games.negotiation.scenarios import GLEE_FACTORS

OWN_TYPE = len(GLEE_FACTORS)
"""Number of the type that a seat is which knows its own value; those before it are GLEE's."""


class KnownSetting(NamedTuple):
    """A setting as far as a seat knows it.

    Attributes:
        money: Scale of values and prices in dollars.
        values: Dollars that the good is worth to the seller and to the buyer; UNKNOWN if that is private.
        horizon: Last round, or UNKNOWN.
        can_opt_out: Whether whoever answers may opt out.
        precision: At least 0, per scale.
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
    """Dollars that the good is worth to a type of a seat."""
    return (
        known.money * GLEE_FACTORS[type_index]
        if has_private_values(known) and type_index != OWN_TYPE
        else known.values[seat]
    )


def type_count(known: KnownSetting, seat: int) -> int:
    """How many types there are of a seat; the last one of a seat whose value is known is the seat itself."""
    return len(GLEE_FACTORS) * has_private_values(known) + (known.values[seat] != UNKNOWN)


def logit(known: KnownSetting) -> Logit:
    """How both decide."""
    kinds = type_count(known, SELLER), type_count(known, BUYER)
    return Logit(known.precision, known.can_opt_out, len(GLEE_FACTORS) if has_private_values(known) else 1, kinds)


def price_interval(known: KnownSetting, seat: int, type_index: int) -> tuple[float, float]:
    """The lowest and the highest price that a type of a seat may name."""
    value = value_of(known, seat, type_index)
    params = Params(known.money, (value, value), 1, True, True, False, BOUND)
    return span(params, initial(params), seat)[0]


def stage(known: KnownSetting, round: int, type_index: int) -> Stage:
    """A round. Of values, that of the proposer is in it, and that of the other stands in `besides`."""
    seat = (round + 1) % 2
    low, high = price_interval(known, seat, type_index)
    value, lowest = value_of(known, seat, type_index) / known.money, low / known.money
    step = (high - low) / known.money / STEPS
    return Stage(lowest - value, step, -lowest, step) if seat == SELLER else Stage(value - lowest, -step, lowest, -step)


expected_values = build_backward_induction(stage)


def type_offsets(known: KnownSetting) -> list[float]:
    """What there is in a deal for each type of the seller that answers, then of the buyer, besides the price."""
    seller = [-value_of(known, SELLER, kind) / known.money for kind in range(type_count(known, SELLER))]
    buyer = [value_of(known, BUYER, kind) / known.money for kind in range(type_count(known, BUYER))]
    return seller + buyer


def continuation_values(known: KnownSetting, round: int) -> Values:
    """What each type of the seller, then of the buyer, expects of going on after a round, as a fraction of the scale.

    Without a known last round, what follows the next `AHEAD` rounds is worth what `spe` takes it to be: half of the
    surplus, or what the best price wins on average against GLEE's values.

    Args:
        known: The setting.
        round: 0 to the horizon.
    """
    return _continuation_values(
        known, round % 2 if known.horizon == UNKNOWN else round
    )  # then only whose turn it is counts


@lru_cache(maxsize=1024)
def _continuation_values(known: KnownSetting, round: int) -> Values:
    """The same of round 0 or 1 where no last round is known."""
    types = type_offsets(known)
    end = [0.0] * len(types)
    if known.horizon != UNKNOWN:
        return expected_values(logit(known), known, round + 1, int(known.horizon), types, end, True)
    for place in range(len(types)):
        end[place] = (
            posted_price_gain(types[place]) if has_private_values(known) else max(types[0] + types[1], 0.0) / 2.0
        )
    return expected_values(logit(known), known, round + 1, round + LOOKAHEAD_ROUNDS, types, end, True)


def posted_price_gain(value: float) -> float:
    """What the best price wins on average against GLEE's values, as a fraction of the scale (Myerson 1981).

    Args:
        value: As in `besides`: below 0 for a seller; a buyer sells money for the good.
    """
    sign = 1.0 if value < 0.0 else -1.0
    return best_atom(-value, [sign * factor for factor in GLEE_FACTORS])[2]


def price_probabilities(known: KnownSetting, round: int) -> list[float]:
    """Probability of each of the prices that the proposer of a round may name, from its lowest to its highest.

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
    """Probabilities of accepting, of rejecting and of opting out.

    Args:
        known: The setting as the seat knows it that answers.
        round: 1 to the horizon.
        price: Dollars.
    """
    seat = round % 2
    value, waiting = known.values[seat], continuation_values(known, round)
    gain = (price - value if seat == SELLER else value - price) / known.money
    return logit_answers(
        logit(known), gain, waiting[type_count(known, SELLER) - 1 if seat == SELLER else len(waiting) - 1]
    )


def quantal_payoffs(params: Params, precision: float) -> tuple[float, float]:
    """Dollars that each seat expects to win in the quantal response equilibrium.

    Args:
        params: The setting; as in `spe_payoffs`, all of it is known to both.
        precision: At least 0, per scale.
    """
    validation.validate_setting(params)
    seller, buyer = continuation_values(
        KnownSetting(params.money, params.value, params.horizon, params.outside_option, precision), 0
    )
    return params.money * seller, params.money * buyer
