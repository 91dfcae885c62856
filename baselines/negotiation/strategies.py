"""Strategies that come from theory and from experiments: equilibrium, honesty, a firm price, a hard line, error."""

from __future__ import annotations

from typing import Any

from econzoo.baselines.negotiation.base import (
    ASSUMED_SURPLUS,
    NegotiationPlayer,
    gain_at,
    highest_price,
    price_for_gain,
)
from econzoo.baselines.offers.demands import last_round, round_to_cents
from econzoo.baselines.offers.haggler import Committed, Firm
from econzoo.baselines.offers.identifier import Identifier
from econzoo.baselines.offers.quantal import QuantalHaggler
from econzoo.baselines.strategy import ObservationDict, argument
from econzoo.envs.core.contract.game import UNKNOWN, Move
from econzoo.envs.core.contract.scripts import Numbers, StrategyMemory, UniformPair
from econzoo.envs.families.offers.quantal import STEPS, sample_place
from econzoo.envs.games.negotiation.best_response import build_offer_game
from econzoo.envs.games.negotiation.private_values import best_atom, linear_equilibrium
from econzoo.envs.games.negotiation.quantal import (
    OWN_TYPE,
    KnownSetting,
    answer_probabilities,
    price_interval,
    price_probabilities,
)
from econzoo.envs.games.negotiation.rules import ACCEPT, OFFER, SELLER, Params, View
from econzoo.envs.games.negotiation.scenarios import GLEE_FACTORS


def best_posted_price(v: View) -> tuple[float, float]:
    """The best price against GLEE's four values, all equally likely, and what it wins on average (Myerson 1981)."""
    sign = 1.0 if v.seat == SELLER else -1.0  # a buyer sells money for the good
    price, _, gain = best_atom(sign * v.own_value, [sign * (factor * v.money) for factor in GLEE_FACTORS])
    return sign * price, gain


def seller_and_buyer_values(v: View, other: float) -> tuple[float, float]:
    """What the good is worth to the seller and to the buyer, if it is worth this to the other."""
    return (v.own_value, other) if v.seat == SELLER else (other, v.own_value)


def last_price(v: View) -> float:
    """The price on which both agree in equilibrium: the last one; the own value if there is no zone of agreement."""
    seller, buyer = seller_and_buyer_values(v, v.other_value)
    if seller > buyer:
        return v.own_value
    return buyer if int(v.horizon) % 2 else seller


def equilibrium_price(v: View, stake: float, x: Numbers, past: StrategyMemory) -> float:
    """The equilibrium price of this round."""
    if v.other_value == UNKNOWN:
        return best_posted_price(v)[0]
    return price_for_gain(v, stake / 2) if v.horizon == UNKNOWN else last_price(v)


def continuation_value(v: View, stake: float, x: Numbers, past: StrategyMemory) -> float:
    """What going on is worth in equilibrium."""
    if v.other_value == UNKNOWN:
        return 0.0 if last_round(v) else best_posted_price(v)[1]
    return stake / 2 if v.horizon == UNKNOWN else gain_at(v, last_price(v))


def half_or_linear_gain(v: View, stake: float, x: Numbers, past: StrategyMemory) -> float:
    """Half of the surplus, or what the linear price over GLEE's range of values wins."""
    if v.other_value != UNKNOWN:
        return stake / 2
    low, high = GLEE_FACTORS[0] * v.money, GLEE_FACTORS[-1] * v.money
    return gain_at(v, linear_equilibrium(v.seat, v.own_value, low, high))


def draw_quantal_move(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> Move:
    """A draw from the quantal response equilibrium; number: the precision."""
    known = KnownSetting(v.money, seller_and_buyer_values(v, v.other_value), v.horizon, v.outside_option == 1, x[0])
    if v.proposing:
        low, high = price_interval(known, v.seat, OWN_TYPE)
        price = low + sample_place(price_probabilities(known, v.round), u[0]) / STEPS * (high - low)
        return Move(OFFER, (min(max(round_to_cents(price, v.money, v.seat != SELLER), 0.0), highest_price(v)),))
    return Move(
        ACCEPT + sample_place(answer_probabilities(known, v.round, v.offered), u[0]), (0.0,)
    )  # or the kinds that follow


class Spe(NegotiationPlayer):
    """Plays the subgame-perfect equilibrium, as far as its seat can know it.

    With known values and a known horizon whoever has the last word gets the whole surplus: it asks for it if that is
    itself, and gives it away if not. What it is not told it replaces. Without a known horizon nobody has the last word,
    and it asks for half and accepts half, the limit for players who are ever more, and equally, patient. Without the
    other's value it posts the best price against GLEE's four values, and accepts what wins as much as that price does
    on average; in a known last round it accepts any gain.

    Source: Stahl (1972), Bargaining Theory; Binmore, Rubinstein and Wolinsky (1986), The Nash bargaining solution in
    economic modelling; Myerson (1981), Optimal auction design.
    """

    exact = True
    lines = (
        "${price} is my price; neither of us will do better later.",
        "Time changes nothing about the numbers: ${price}.",
        "I have thought this through to the last round. ${price}.",
    )
    asks, takes = staticmethod(equilibrium_price), staticmethod(continuation_value)


class HonestMidpoint(Firm, NegotiationPlayer):
    """Posts the middle of the two values, accepts it or better, and says what the good is worth to it.

    If it does not know the other's value, both its price and its limit are the price of the linear equilibrium of the
    double auction with values uniform over GLEE's range (0.8 to 1.5 times the scale): about two thirds of its own value
    and a third of the middle of that range.

    Source: Chatterjee and Samuelson (1983), Bargaining under incomplete information; the middle is the solution of Nash
    (1950), The bargaining problem.
    """

    lines = (
        "The good is worth ${value} to me. I think that ${price} is fair to both of us.",
        "I told you what it is worth to me, ${value}, and it is true. ${price} is fair.",
        "My number has not changed, since my value has not: ${price}.",
    )
    asks = takes = staticmethod(half_or_linear_gain)


class FixedPrice(Firm, NegotiationPlayer):
    """Names one price in every round and accepts no worse one, also in the last round.

    Holding firm is the best that a seller who can commit itself can do against a buyer of unknown value; haggling wins
    nothing more.

    Source: Riley and Zeckhauser (1983), Optimal selling strategies: when to haggle, when to hold firm.

    Args:
        share: Of the surplus (`surplus`), which its price leaves to itself; from 0 to 1.
    """

    lines = (
        "My price is ${price}, today and tomorrow.",
        "The price is still ${price}.",
        "I do not haggle: ${price}.",
    )

    def __init__(self, spec: str = "fixed-price", share: Any = 0.5) -> None:
        super().__init__(spec)
        self.numbers = (argument(spec, "share", share, 0.0, 1.0),)


class Tough(Committed, NegotiationPlayer):
    """Asks for nearly the whole surplus in every round and accepts nothing less (see `Committed`).

    Source: Schelling (1960), The Strategy of Conflict, chapter 2; Siegel and Fouraker (1960), Bargaining and Group
    Decision Making (toughness pays, if there is an agreement).

    Args:
        share: Of the surplus, which it asks for; from 0.5 to 1.
    """

    lines = (
        "${price}. That is what it takes.",
        "My price has not moved and will not: ${price}.",
        "We can go on like this as long as you like. ${price}.",
    )

    def __init__(self, spec: str = "tough", share: Any = 0.95) -> None:
        super().__init__(spec, share)


class Truthful(Firm, NegotiationPlayer):
    """Posts its own value and accepts any price that is no loss.

    It always trades where there is something to win, and leaves all of that to the other: the strategy that an
    efficient trade needs and that nobody has a reason to play without being paid for it.

    Source: Myerson and Satterthwaite (1983), Efficient mechanisms for bilateral trading; as an answer, the equilibrium
    of an ultimatum.
    """

    share = 0.0
    lines = (
        "I only want what the good is worth to me: ${price}.",
        "As I said, ${price} is all that it is worth to me.",
        "${price} it is; I neither win nor lose by it.",
    )


class Identify(Identifier, NegotiationPlayer):
    """Finds out which opponent of a pool it has met, and plays the best response (see `Identifier`).

    An unknown value of the other it takes to be `ASSUMED_SURPLUS` of the scale away, an unknown last round to be far.

    Source: Kalai and Lehrer (1993); see `Identifier`.

    Args:
        pool: Name of the pool that it knows: standard, training, validation or test.
    """

    game, field, haggling = "negotiation", "price", staticmethod(build_offer_game)

    def believed_params(self, seen: ObservationDict, horizon: int) -> Params:
        """The market with an unknown value replaced."""
        v = self.view(seen)
        told = v.other_value != UNKNOWN
        other = v.other_value if told else max(price_for_gain(v, ASSUMED_SURPLUS * v.money), 0.0)
        return Params(
            v.money, seller_and_buyer_values(v, other), horizon, v.horizon != UNKNOWN, told, v.outside_option == 1
        )


class Quantal(QuantalHaggler, NegotiationPlayer):
    """Plays the quantal response equilibrium: it errs, and expects errors, the less the more they cost.

    It answers, and posts one of 101 prices that are no loss to it, with probabilities proportional to
    ``exp(precision * expected gain)``, in parts of the scale, with both seats expected to do so in all rounds that
    follow. At 0 all moves are as likely; as the precision grows it tends to `spe` where both values are known. Since
    waiting costs nothing, prices mean little in a round that others follow. A private value of the other it takes to be
    any of GLEE's four, and learns nothing about it; what follows where no last round is known it takes to be worth what
    `spe` does.

    By default it errs as in bargaining, there 8 per share of the money: a trade is worth about 0.4 of the scale.

    Source: McKelvey and Palfrey (1998), Quantal response equilibria for extensive form games.

    Args:
        precision: Per scale; from 0 to a million.
    """

    lines = (
        "How about ${price}?",
        "Then perhaps ${price}.",
        "Let me try this: ${price}.",
    )

    def __init__(self, spec: str = "quantal", precision: Any = 20) -> None:
        super().__init__(spec, precision)

    quantal_move = staticmethod(draw_quantal_move)
