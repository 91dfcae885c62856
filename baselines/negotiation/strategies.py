"""Strategies that come from theory and from experiments: equilibrium, honesty, a firm price, a hard line."""

from __future__ import annotations

from typing import Any

from econzoo.baselines.haggling import Committed, Firm, last_round
from econzoo.baselines.negotiation.base import NegotiationPlayer, gain_at, price_winning, surplus
from econzoo.baselines.strategy import Seen, argument
from econzoo.envs.games.negotiation.private_values import Posted, glee_prior, glee_range, linear_price, posted_price
from econzoo.envs.games.negotiation.rules import SELLER, Params
from econzoo.envs.games.negotiation.solution import spe_price, spe_threshold


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

    def wanted(self, seen: Seen) -> float:
        """The equilibrium price of this round."""
        if seen["other_value"] is None:
            return _posted(seen).price
        if seen["horizon"] is None:
            return price_winning(seen, surplus(seen) / 2)
        return spe_price(_believed(seen), seen["round"])

    def ask(self, seen: Seen) -> float:
        """What the proposer of this round wins by the equilibrium price."""
        return gain_at(seen, self.wanted(seen))

    def threshold(self, seen: Seen) -> float:
        """What going on is worth to it."""
        if seen["other_value"] is None:
            return 0.0 if last_round(seen) else _posted(seen).gain
        if seen["horizon"] is None:
            return surplus(seen) / 2
        return gain_at(seen, spe_threshold(_believed(seen), seen["round"]))


def _posted(seen: Seen) -> Posted:
    return posted_price(seen["seat"], seen["own_value"], glee_prior(seen["money"]))


def _believed(seen: Seen) -> Params:
    """The market as the seat sees it."""
    own, other = seen["own_value"], seen["other_value"]
    value = (own, other) if seen["seat"] == SELLER else (other, own)
    return Params(seen["money"], value, seen["horizon"], True, True, bool(seen["outside_option"]))


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

    def ask(self, seen: Seen) -> float:
        """Half of the surplus, or what the linear price wins."""
        if seen["other_value"] is not None:
            return surplus(seen) / 2
        return gain_at(seen, linear_price(seen["seat"], seen["own_value"], glee_range(seen["money"])))


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
        self.share = argument(spec, "share", share, 0.0, 1.0)


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
