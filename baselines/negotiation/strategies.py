"""Negotiation strategies: equilibrium, honesty, fixed price, commitment, concession, error; and sampled ones."""

from __future__ import annotations

import math
from typing import Any

from econzoo.baselines import ObservationDict, argument
from econzoo.baselines.negotiation.base import ASSUMED_SURPLUS, NegotiationPlayer, gain_at, highest_price
from econzoo.baselines.negotiation.base import price_for_gain, surplus
from econzoo.baselines.offers import SCRAP, Committed, Firm, GeneratedHaggler, Identifier, QuantalHaggler, TimeDependent
from econzoo.baselines.offers import clip_share, concession_share, last_round, make_demand_rules, remember
from econzoo.baselines.offers import round_to_cents
from econzoo.envs.core.contract import UNKNOWN, Move, Numbers, StrategyMemory, UniformPair
from econzoo.envs.families.offers import STEPS, Memory, sample_place
from econzoo.envs.games.negotiation.best_response import build_offer_game
from econzoo.envs.games.negotiation.private_values import best_atom, linear_equilibrium
from econzoo.envs.games.negotiation.quantal import OWN_TYPE, KnownSetting, answer_probabilities, price_interval
from econzoo.envs.games.negotiation.quantal import price_probabilities
from econzoo.envs.games.negotiation.rules import ACCEPT, OFFER, SELLER, Params, View
from econzoo.envs.games.negotiation.scenarios import GLEE_FACTORS


def best_posted_price(v: View) -> tuple[float, float]:
    """Return the optimal price against GLEE's four equally likely values, and its expected gain (Myerson 1981)."""
    sign = 1.0 if v.seat == SELLER else -1.0  # a buyer sells money for the good
    price, _, gain = best_atom(sign * v.own_value, [sign * (factor * v.money) for factor in GLEE_FACTORS])
    return sign * price, gain


def seller_and_buyer_values(v: View, other: float) -> tuple[float, float]:
    """Return the seller's and the buyer's value, given the opponent's."""
    return (v.own_value, other) if v.seat == SELLER else (other, v.own_value)


def last_price(v: View) -> float:
    """Return the equilibrium price of the last round; the seat's own value without a zone of agreement."""
    seller, buyer = seller_and_buyer_values(v, v.other_value)
    if seller > buyer:
        return v.own_value
    # The seller proposes in odd rounds, and the last proposer gets the whole surplus.
    return buyer if int(v.horizon) % 2 else seller


def equilibrium_price(v: View, stake: float, x: Numbers, past: StrategyMemory) -> float:
    """Return the equilibrium price of this round."""
    if v.other_value == UNKNOWN:
        return best_posted_price(v)[0]
    return price_for_gain(v, stake / 2) if v.horizon == UNKNOWN else last_price(v)


def continuation_value(v: View, stake: float, x: Numbers, past: StrategyMemory) -> float:
    """Return the continuation value in equilibrium."""
    if v.other_value == UNKNOWN:
        return 0.0 if last_round(v) else best_posted_price(v)[1]
    return stake / 2 if v.horizon == UNKNOWN else gain_at(v, last_price(v))


def half_or_linear_gain(v: View, stake: float, x: Numbers, past: StrategyMemory) -> float:
    """Return half of the surplus, or the gain at the linear equilibrium price over GLEE's range of values."""
    if v.other_value != UNKNOWN:
        return stake / 2
    low, high = GLEE_FACTORS[0] * v.money, GLEE_FACTORS[-1] * v.money
    return gain_at(v, linear_equilibrium(v.seat, v.own_value, low, high))


def draw_quantal_move(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> Move:
    """Sample a move from the quantal response equilibrium; number: the precision."""
    known = KnownSetting(v.money, seller_and_buyer_values(v, v.other_value), v.horizon, v.outside_option == 1, x[0])
    if v.proposing:
        low, high = price_interval(known, v.seat, OWN_TYPE)
        price = low + sample_place(price_probabilities(known, v.round), u[0]) / STEPS * (high - low)
        return Move(OFFER, (min(max(round_to_cents(price, v.money, v.seat != SELLER), 0.0), highest_price(v)),))
    return Move(
        ACCEPT + sample_place(answer_probabilities(known, v.round, v.offered), u[0]), (0.0,)
    )  # or the kinds that follow


class Spe(NegotiationPlayer):
    """Plays the subgame-perfect equilibrium given what its seat knows.

    With known values and horizon, the last proposer gets the whole surplus: it demands all as last proposer and nothing
    otherwise. With an unknown horizon it demands and accepts half, the limit for equally patient players. With an
    unknown value of the opponent it posts the optimal price against GLEE's four values, and accepts any price with at
    least that price's expected gain; in a known last round it accepts any gain.

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
    """Posts the midpoint of the two values, accepts it or better, and reveals its own value.

    If the opponent's value is unknown, its price and its limit are the linear equilibrium price of the double auction
    with values uniform over GLEE's range (0.8 to 1.5 times the scale): about two thirds of its own value plus a third
    of the middle of that range.

    Source: Chatterjee and Samuelson (1983), Bargaining under incomplete information; the midpoint is the solution of
    Nash (1950), The bargaining problem.
    """

    lines = (
        "The good is worth ${value} to me. I think that ${price} is fair to both of us.",
        "I told you what it is worth to me, ${value}, and it is true. ${price} is fair.",
        "My number has not changed, since my value has not: ${price}.",
    )
    asks = takes = staticmethod(half_or_linear_gain)


class FixedPrice(Firm, NegotiationPlayer):
    """Posts the same price in every round and accepts nothing worse, even in the last round.

    A fixed price is optimal for a seller with commitment against a buyer of unknown value; haggling gains nothing.

    Source: Riley and Zeckhauser (1983), Optimal selling strategies: when to haggle, when to hold firm.

    Args:
        share: Its share of the surplus (`surplus`) at this price; from 0 to 1.
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
    """Demands nearly the whole surplus in every round and accepts nothing less (see `Committed`).

    Source: Schelling (1960), The Strategy of Conflict, chapter 2; Siegel and Fouraker (1960), Bargaining and Group
    Decision Making (toughness pays, if there is an agreement).

    Args:
        share: Demanded share of the surplus; from 0.5 to 1.
    """

    lines = (
        "${price}. That is what it takes.",
        "My price has not moved and will not: ${price}.",
        "We can go on like this as long as you like. ${price}.",
    )

    def __init__(self, spec: str = "tough", share: Any = 0.95) -> None:
        super().__init__(spec, share)


class Truthful(Firm, NegotiationPlayer):
    """Posts its own value and accepts any price without a loss.

    It always trades if there is a surplus, and leaves all of it to the opponent: efficient, but not incentive
    compatible.

    Source: Myerson and Satterthwaite (1983), Efficient mechanisms for bilateral trading; as a response, the equilibrium
    of an ultimatum.
    """

    share = 0.0
    lines = (
        "I only want what the good is worth to me: ${price}.",
        "As I said, ${price} is all that it is worth to me.",
        "${price} it is; I neither win nor lose by it.",
    )


class Identify(Identifier, NegotiationPlayer):
    """Infers which opponent of a pool it faces and plays the best response (see `Identifier`).

    It assumes a surplus of `ASSUMED_SURPLUS` of the scale if the opponent's value is unknown, and that an unknown last
    round is far.

    Source: Kalai and Lehrer (1993); see `Identifier`.

    Args:
        pool: Prior support: the pool standard, training, validation or test.
    """

    game, field, haggling = "negotiation", "price", staticmethod(build_offer_game)

    def believed_params(self, seen: ObservationDict, horizon: int) -> Params:
        """Return the parameters with an unknown value replaced."""
        v = self.view(seen)
        is_known = v.other_value != UNKNOWN
        other = v.other_value if is_known else max(price_for_gain(v, ASSUMED_SURPLUS * v.money), 0.0)
        return Params(
            v.money, seller_and_buyer_values(v, other), horizon, v.horizon != UNKNOWN, is_known, v.outside_option == 1
        )


class Quantal(QuantalHaggler, NegotiationPlayer):
    """Plays the logit quantal response equilibrium: costlier errors are rarer, and it expects this of the opponent too.

    It responds, and posts one of 101 prices without a loss, with probabilities proportional to
    ``exp(precision * expected gain)``, in fractions of the scale, where both seats do so in all later rounds. At
    precision 0 all moves are equally likely; as it grows the strategy tends to `spe` if both values are known. Since
    delay is free, prices matter little before the last round. A private value of the opponent is one of GLEE's four,
    without learning; with an unknown last round the continuation value is that of `spe`.

    The default corresponds to 8 per share of the money in bargaining: the surplus is about 0.4 of the scale.

    Source: McKelvey and Palfrey (1998), Quantal response equilibria for extensive form games.

    Args:
        precision: Logit precision per scale; from 0 to a million.
    """

    lines = (
        "How about ${price}?",
        "Then perhaps ${price}.",
        "Let me try this: ${price}.",
    )

    def __init__(self, spec: str = "quantal", precision: Any = 20) -> None:
        super().__init__(spec, precision)

    quantal_move = staticmethod(draw_quantal_move)


HIGH, LOW = 1.5, 0.5
"""Prices beyond the values of most settings, as fractions of the scale: a seller's and a buyer's."""

NEVER = 1e6
"""More than any possible gain, as a fraction of the scale or of the surplus."""

HIGHEST = 100.0
"""Maximum demand of an anchor as a multiple of the surplus."""


def anchor_share(x: Numbers, round: int, horizon: float) -> float:
    """Return an anchor's demand as a share of the surplus, possibly above 1; numbers: start, goal."""
    if horizon != UNKNOWN and round >= horizon:
        return x[1]
    return x[0] - (x[0] - x[1]) * concession_share(1.0, round, horizon)


def anchor_demand(v: View, stake: float, x: Numbers, past: StrategyMemory) -> float:
    """Return an anchor's demand in this round."""
    return anchor_share(x, v.round, v.horizon) * stake


def anchor_threshold(v: View, stake: float, x: Numbers, past: StrategyMemory) -> float:
    """Return an anchor's next demand, or nearly 0 in a known last round."""
    return (SCRAP if last_round(v) else anchor_share(x, v.round + 1, v.horizon)) * stake


def rounds_left(v: View) -> float:
    """Return the number of rounds that follow; infinite if unknown."""
    return math.inf if v.horizon == UNKNOWN else v.horizon - v.round


def unreachable_gain(v: View, stake: float, x: Numbers, past: StrategyMemory) -> float:
    """Return the gain at an unacceptable price; in the last round that at the opponent's last price, if positive."""
    if rounds_left(v) == 0:
        gain = stake / 2 if v.other_price == UNKNOWN else gain_at(v, v.other_price)
        if gain > 0:
            return gain
    return min(max(gain_at(v, (HIGH if v.seat == SELLER else LOW) * v.money), 0.0), NEVER * stake)


def late_gain(v: View, stake: float, x: Numbers, past: StrategyMemory) -> float:
    """Return an unreachable threshold before the end; numbers: late gain over its own value, late rounds."""
    left = rounds_left(v)
    if left == 0 or stake == 0.0:
        return SCRAP * stake
    return x[0] * v.own_value if left <= x[1] or v.horizon == UNKNOWN else NEVER * v.money


class Concede(TimeDependent, NegotiationPlayer):
    """Concedes from ``high`` in round 1 to ``low`` in the last round (see `TimeDependent`).

    Source: Faratin, Sierra and Jennings (1998), Negotiation decision functions for autonomous agents, section 4.1.

    Args:
        e: Concession exponent; above 0, at most 1e6.
        high: First demand as a share of the surplus; from 0 to 1.
        low: Reservation share; from 0 to `high`.
    """

    lines = (
        "Let me begin with ${price}.",
        "I come towards you: ${price}.",
        "One more step: ${price}. I hope that you will take one too.",
    )

    def __init__(self, spec: str = "concede", e: Any = 1.0, high: Any = 0.9, low: Any = 0.1) -> None:
        super().__init__(spec, e, high, low)


class Anchor(NegotiationPlayer):
    """Opens at an extreme price, then concedes in equal steps to its goal.

    The first price is ``x`` times the surplus away from its own value: with x above 1 the opponent cannot accept it
    without a loss. Its purpose is anchoring: in experiments extreme first offers lead to better outcomes. In the last
    round, or the only one, it demands ``goal`` and accepts any gain.

    Source: Galinsky and Mussweiler (2001). First offers as anchors: the role of perspective-taking and negotiator
    focus. Journal of Personality and Social Psychology 81(4), 657-669.

    Args:
        x: Distance of the first price from its own value, in surpluses; from 0 to 100.
        goal: Final demand as a share of the surplus; from 0 to 1 and to `x`.
    """

    lines = (
        "Goods like this go for ${price}, and that is where I start.",
        "Since it is you: ${price}.",
        "I have come a long way already. ${price}.",
    )

    asks, takes = staticmethod(anchor_demand), staticmethod(anchor_threshold)

    def __init__(self, spec: str = "anchor", x: Any = 2.0, goal: Any = 0.5) -> None:
        super().__init__(spec)
        start = argument(spec, "x", x, 0.0, HIGHEST)
        self.numbers = (start, argument(spec, "goal", goal, 0.0, min(1.0, start)))


class Holdout(NegotiationPlayer):
    """Holds out: posts an unacceptable price, and accepts the opponent's late concessions.

    Early it accepts nothing, near the end a sufficient gain, and in the last round any gain. As last proposer it
    repeats the opponent's last price if that is a gain. With an unknown last round it accepts the first sufficient
    gain.

    Source: Ma and Manove (1993), Bargaining with deadlines and imperfect player control: waiting for the deadline.

    Args:
        gain: Sufficient gain as a fraction of its own value; from 0 to 1.
        rounds: Number of rounds before the last that count as late; an integer from 0 to 99.
    """

    memory: Memory = "history"
    lines = (
        "${price}, and I have time.",
        "I can wait. ${price}.",
        "Still ${price}.",
    )
    asks, takes = staticmethod(unreachable_gain), staticmethod(late_gain)

    def __init__(self, spec: str = "holdout", gain: Any = 0.1, rounds: Any = 1) -> None:
        super().__init__(spec)
        self.numbers = (argument(spec, "gain", gain, 0.0, 1.0), argument(spec, "rounds", rounds, 0, 99, integer=True))


def share_won(v: View, price: float) -> float:
    """Return the seat's share of the surplus at a price; UNKNOWN without a price, 0 without a surplus."""
    if price == UNKNOWN:
        return UNKNOWN
    stake = surplus(v)
    return clip_share(gain_at(v, price) / stake) if stake > 0.0 else 0.0


def own_share(v: View, past: StrategyMemory) -> float:
    """Return the share of the surplus that the seat last asked for, or UNKNOWN."""
    return share_won(v, v.own_price)


def offered_share(v: View) -> float:
    """Return the seat's share of the surplus at the opponent's last price."""
    return share_won(v, v.other_price)


def remember_offer(v: View, past: StrategyMemory) -> None:
    """Remember the opponent's offer, if one is open."""
    if v.offered != UNKNOWN:
        remember(offered_share(v), past)


class Generated(GeneratedHaggler, NegotiationPlayer):
    """Follows rules sampled from a grammar of strategies by family and number (see `GeneratedHaggler`).

    Source: `econzoo.baselines.offers.generated` gives that of every rule.

    Args:
        family: One of clock, firm, steps, reciprocal, mirror, middle, harden, grudge, aspiration, irregular, switch.
        number: Index within the family; an integer from 0 to 999,999.
    """

    field, observed_field = "price", "other_price"
    asks, takes = (staticmethod(one) for one in make_demand_rules(own_share))
    note = staticmethod(remember_offer)
