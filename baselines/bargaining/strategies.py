"""Strategies that come from theory and from experiments: equilibrium, equal split, hard line, satisficing, error."""

from __future__ import annotations

from typing import Any

from econzoo.baselines.bargaining.base import BargainingPlayer
from econzoo.baselines.offers.demands import last_round, round_to_cents
from econzoo.baselines.offers.haggler import Committed, Firm
from econzoo.baselines.offers.identifier import Identifier
from econzoo.baselines.offers.quantal import QuantalHaggler
from econzoo.baselines.strategy import ObservationDict, argument
from econzoo.envs.core.contract.game import UNKNOWN, Move
from econzoo.envs.core.contract.scripts import Numbers, StrategyMemory, UniformPair
from econzoo.envs.families.offers.quantal import STEPS, sample_place
from econzoo.envs.games.bargaining.best_response import build_offer_game
from econzoo.envs.games.bargaining.quantal import Factors, accept_probability, ask_probabilities
from econzoo.envs.games.bargaining.rules import ACCEPT, OFFER, REJECT, Params, View
from econzoo.envs.games.bargaining.solution import endless_share, stahl_share


def factors(v: View) -> Factors:
    """The discount factors of both seats; an unknown one is taken to equal the own."""
    other = v.own_delta if v.other_delta == UNKNOWN else v.other_delta
    return (v.own_delta, other) if v.seat == 0 else (other, v.own_delta)


def equilibrium_share(v: View) -> float:
    """Share that the proposer of the round asks for, as far as the seat can know; see `Spe`."""
    delta = factors(v)
    if v.horizon == UNKNOWN:
        return endless_share(v.own_delta, delta[1 - v.seat])
    return stahl_share(delta[0], delta[1], int(v.horizon), v.round)


def equilibrium_ask(v: View, stake: float, x: Numbers, past: StrategyMemory) -> float:
    """What the proposer of this round asks in equilibrium."""
    return stake * equilibrium_share(v)


def equilibrium_threshold(v: View, stake: float, x: Numbers, past: StrategyMemory) -> float:
    """Its continuation value: what it would ask next round, discounted once."""
    if v.horizon == UNKNOWN:
        return v.own_delta * stake * equilibrium_share(v)
    return stake - stake * equilibrium_share(v)


def all_but_threshold(v: View, stake: float, x: Numbers, past: StrategyMemory) -> float:
    """All but what it accepts, but at least that; number: the least it accepts."""
    return max(x[0], 1.0 - x[0]) * stake


def half_until_deadline(v: View, stake: float, x: Numbers, past: StrategyMemory) -> float:
    """Half of the money, and more when few rounds are left; numbers: the share asked then, and how few."""
    late = v.horizon != UNKNOWN and v.round > v.horizon - x[1]
    return (x[0] if late else 0.5) * stake


def share_until_last_round(v: View, stake: float, x: Numbers, past: StrategyMemory) -> float:
    """A share of the money, and nothing in the round that is known to be the last; third number: the share."""
    return 0.0 if last_round(v) else x[2] * stake


def draw_quantal_move(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> Move:
    """A draw from the quantal response equilibrium; number: the precision."""
    if v.proposing:
        asked = sample_place(ask_probabilities(factors(v), v.horizon, v.round, x[0]), u[0]) / STEPS * v.money
        return Move(OFFER, (round_to_cents(asked, v.money, False),))
    accepted = u[0] < accept_probability(factors(v), v.horizon, v.round, x[0], v.offered / v.money)
    return Move(ACCEPT if accepted else REJECT, (0.0,))


class Spe(BargainingPlayer):
    """Plays the subgame-perfect equilibrium, as far as its seat can know it.

    It asks what leaves the other indifferent between accepting and waiting, and accepts whatever is worth at
    least as much as waiting is to itself. What it is not told it replaces by an assumption: an unknown discount
    factor of the other equals its own, and an unknown horizon is infinite (if nobody then discounts, every split
    is an equilibrium, and it takes the equal one, the limit of ever more patient equals).

    Source: Stahl (1972), Bargaining Theory; Rubinstein (1982), Perfect equilibrium in a bargaining model.
    """

    exact = True
    lines = (
        "I keep ${own} and you get ${other}; waiting would not bring you more.",
        "Time has passed, so the numbers are new: ${own} for me, ${other} for you. You will not do better later.",
        "Rejecting only shrinks what we share. ${other} now is as good for you as holding out.",
    )
    asks, takes = staticmethod(equilibrium_ask), staticmethod(equilibrium_threshold)


class Fair(Firm, BargainingPlayer):
    """Asks for half of the money and accepts half of it or more, whatever waiting costs.

    The strategy of somebody so averse to inequality that less than half is worse than nothing. Equal division
    is the usual norm of people in such games.

    Source: Fehr and Schmidt (1999), A theory of fairness, competition, and cooperation; the human players of
    GLEE, arXiv:2410.05254.
    """

    share = 0.5
    lines = (
        "Let us split it evenly: ${own} for me, ${other} for you.",
        "Half each is the only division I find right: ${own} and ${other}.",
        "I still think ${own} for me and ${other} for you is fair to us both.",
    )


class Greedy(Committed, BargainingPlayer):
    """Asks for nearly everything in every round and accepts nothing less (see `Committed`).

    Source: Schelling (1960), The Strategy of Conflict, chapter 2.

    Args:
        share: What it asks for, as a share of the money; from 0.5 to 1.
    """

    lines = (
        "I take ${own}. ${other} is for you, which is more than nothing.",
        "My demand has not changed: ${own} for me.",
        "We can do this as long as you like. I keep ${own}, you get ${other}.",
    )

    def __init__(self, spec: str = "greedy", share: Any = 0.99) -> None:
        super().__init__(spec, share)


class Acceptor(Firm, BargainingPlayer):
    """Accepts the first offer of at least its threshold, in any round, and offers the other as much.

    A satisficer: good enough is enough. It offers what it would accept itself, but never asks for less than
    that: it asks ``max(threshold, 1 - threshold)``.

    Source: Simon (1955), A behavioral model of rational choice; the minimal acceptable offer of ultimatum
    experiments (Güth, Schmittberger and Schwarze 1982).

    Args:
        threshold: The least it accepts, as a share of the money; from 0 to 1.
    """

    lines = (
        "I would be content with ${own} if you take ${other}.",
        "Nothing has changed for me: ${own} here, ${other} there, and we are done.",
        "I am not hard to please. ${own} for me, ${other} for you.",
    )

    asks = staticmethod(all_but_threshold)

    def __init__(self, spec: str = "acceptor", threshold: Any = 0.4) -> None:
        super().__init__(spec)
        self.numbers = (argument(spec, "threshold", threshold, 0.0, 1.0),)


class Deadline(BargainingPlayer):
    """Asks for half until the deadline is near, then for most; accepts nearly half, and in the last round anything.

    Whoever proposes last can ask for nearly everything, and whoever answers in the round before should not wait for
    it. Without a known last round it always asks for half.

    Source: Roth, Murnighan and Schoumaker (1988), The deadline effect in bargaining.

    Args:
        late: What it asks for near the deadline, as a share of the money; from 0.5 to 1.
        rounds: How many of the last rounds are near it; a whole number from 0 to 99.
        least: What it accepts before the last round, as a share of the money; from 0 to 0.5.
    """

    lines = (
        "I would take ${own} and leave you ${other}.",
        "My proposal is ${own} for me and ${other} for you.",
        "I keep ${own}. ${other} for you is better than nothing.",
    )
    asks, takes = staticmethod(half_until_deadline), staticmethod(share_until_last_round)

    def __init__(self, spec: str = "deadline", late: Any = 0.8, rounds: Any = 2, least: Any = 0.4) -> None:
        super().__init__(spec)
        near = argument(spec, "rounds", rounds, 0, 99, integer=True)
        self.numbers = (argument(spec, "late", late, 0.5, 1.0), near, argument(spec, "least", least, 0.0, 0.5))


class Identify(Identifier, BargainingPlayer):
    """Finds out which opponent of a pool it has met, and plays the best response (see `Identifier`).

    An unknown discount factor of the other it takes to be its own, an unknown last round to be far.

    Source: Kalai and Lehrer (1993); see `Identifier`.

    Args:
        pool: Name of the pool that it knows: standard, training, validation or test.
    """

    game, field, haggling = "bargaining", "gain", staticmethod(build_offer_game)

    def believed_params(self, seen: ObservationDict, horizon: int) -> Params:
        """The market with an unknown discount factor replaced by the own one."""
        view = self.view(seen)
        return Params(view.money, factors(view), horizon, view.horizon != UNKNOWN, view.other_delta != UNKNOWN)


class Quantal(QuantalHaggler, BargainingPlayer):
    """Plays the quantal response equilibrium: it errs, and expects errors, the less the more they cost.

    It accepts with probability ``1 / (1 + exp(-precision * (gain - value of going on)))`` and asks for whole percent of
    the money with probabilities proportional to ``exp(precision * expected gain)``, in shares of the money of round 1,
    with both seats expected to do so in all rounds that follow. At 0 all moves are as likely; as the precision grows it
    tends to `spe`, and what it is not told it replaces as `spe` does.

    By default 15% of offers are refused in a game of one round with itself. Of people's it is 16% over 37 studies
    (Oosterbeek, Sloof and van de Kuilen 2004, Cultural differences in ultimatum game experiments). It offers 27% of the
    money there, people 40%, since it cares for nothing but its own.

    Source: McKelvey and Palfrey (1998), Quantal response equilibria for extensive form games.

    Args:
        precision: Per share of the money; from 0 to a million.
    """

    lines = (
        "How about ${own} for me and ${other} for you?",
        "Then perhaps ${own} for me and ${other} for you.",
        "Let me try this: I get ${own}, you get ${other}.",
    )

    def __init__(self, spec: str = "quantal", precision: Any = 8) -> None:
        super().__init__(spec, precision)

    quantal_move = staticmethod(draw_quantal_move)
