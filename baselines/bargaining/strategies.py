"""Bargaining strategies: equilibrium, equal split, commitment, satisficing, error; and sampled ones."""

from __future__ import annotations

from typing import Any

from econzoo.baselines.bargaining.base import BargainingPlayer
from econzoo.baselines.offers.demands import last_round, round_to_cents
from econzoo.baselines.offers.generated import GeneratedHaggler
from econzoo.baselines.offers.haggler import Committed, Firm
from econzoo.baselines.offers.identifier import Identifier
from econzoo.baselines.offers.productions import clip_share, make_demand_rules, remember
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
    """Return the discount factors of both seats; an unknown one is assumed equal to the seat's own."""
    other = v.own_delta if v.other_delta == UNKNOWN else v.other_delta
    return (v.own_delta, other) if v.seat == 0 else (other, v.own_delta)


def equilibrium_share(v: View) -> float:
    """Return the proposer's equilibrium share given what the seat knows; see `Spe`."""
    delta = factors(v)
    if v.horizon == UNKNOWN:
        return endless_share(v.own_delta, delta[1 - v.seat])
    return stahl_share(delta[0], delta[1], int(v.horizon), v.round)


def equilibrium_ask(v: View, stake: float, x: Numbers, past: StrategyMemory) -> float:
    """Return the proposer's equilibrium demand in this round."""
    return stake * equilibrium_share(v)


def equilibrium_threshold(v: View, stake: float, x: Numbers, past: StrategyMemory) -> float:
    """Return the continuation value: next round's demand, discounted once."""
    if v.horizon == UNKNOWN:
        return v.own_delta * stake * equilibrium_share(v)
    return stake - stake * equilibrium_share(v)


def all_but_threshold(v: View, stake: float, x: Numbers, past: StrategyMemory) -> float:
    """Return all but its threshold, at least the threshold; number: the threshold."""
    return max(x[0], 1.0 - x[0]) * stake


def half_until_deadline(v: View, stake: float, x: Numbers, past: StrategyMemory) -> float:
    """Return half of the money, or more near the deadline; numbers: the late share, the number of late rounds."""
    late = v.horizon != UNKNOWN and v.round > v.horizon - x[1]
    return (x[0] if late else 0.5) * stake


def share_until_last_round(v: View, stake: float, x: Numbers, past: StrategyMemory) -> float:
    """Return a share of the money, or 0 in a known last round; third number: the share."""
    return 0.0 if last_round(v) else x[2] * stake


def draw_quantal_move(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> Move:
    """Sample a move from the quantal response equilibrium; number: the precision."""
    if v.proposing:
        asked = sample_place(ask_probabilities(factors(v), v.horizon, v.round, x[0]), u[0]) / STEPS * v.money
        return Move(OFFER, (round_to_cents(asked, v.money, False),))
    accepted = u[0] < accept_probability(factors(v), v.horizon, v.round, x[0], v.offered / v.money)
    return Move(ACCEPT if accepted else REJECT, (0.0,))


class Spe(BargainingPlayer):
    """Plays the subgame-perfect equilibrium given what its seat knows.

    It demands what leaves the opponent indifferent between accepting and waiting, and accepts anything worth at
    least its continuation value. It assumes that an unknown discount factor of the opponent equals its own and that
    an unknown horizon is infinite. If then nobody discounts, every split is an equilibrium; it plays the equal split,
    the limit for equally patient players.

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
    """Demands half of the money and accepts half or more, whatever delay costs.

    The strategy of a player so averse to inequality that less than half is worse than nothing. Equal division is the
    usual norm among people in such games.

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
    """Demands nearly everything in every round and accepts nothing less (see `Committed`).

    Source: Schelling (1960), The Strategy of Conflict, chapter 2.

    Args:
        share: Demand as a share of the money; from 0.5 to 1.
    """

    lines = (
        "I take ${own}. ${other} is for you, which is more than nothing.",
        "My demand has not changed: ${own} for me.",
        "We can do this as long as you like. I keep ${own}, you get ${other}.",
    )

    def __init__(self, spec: str = "greedy", share: Any = 0.99) -> None:
        super().__init__(spec, share)


class Acceptor(Firm, BargainingPlayer):
    """Satisficer: accepts any offer of at least its threshold and offers the opponent as much.

    It never demands less than it would accept: its demand is ``max(threshold, 1 - threshold)``.

    Source: Simon (1955), A behavioral model of rational choice; the minimal acceptable offer of ultimatum
    experiments (Güth, Schmittberger and Schwarze 1982).

    Args:
        threshold: Minimum acceptable offer as a share of the money; from 0 to 1.
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
    """Demands half until the deadline is near, then most; accepts nearly half, and anything in the last round.

    The last proposer can demand nearly everything, so the responder one round before should not wait for it. Without
    a known last round it always demands half.

    Source: Roth, Murnighan and Schoumaker (1988), The deadline effect in bargaining.

    Args:
        late: Demand near the deadline as a share of the money; from 0.5 to 1.
        rounds: Number of last rounds that count as near; an integer from 0 to 99.
        least: Minimum acceptable offer before the last round as a share of the money; from 0 to 0.5.
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
    """Infers which opponent of a pool it faces and plays the best response (see `Identifier`).

    It assumes that an unknown discount factor of the opponent equals its own and that an unknown last round is far.

    Source: Kalai and Lehrer (1993); see `Identifier`.

    Args:
        pool: Prior support: the pool standard, training, validation or test.
    """

    game, field, haggling = "bargaining", "gain", staticmethod(build_offer_game)

    def believed_params(self, seen: ObservationDict, horizon: int) -> Params:
        """Return the parameters with an unknown discount factor replaced by the seat's own."""
        view = self.view(seen)
        return Params(view.money, factors(view), horizon, view.horizon != UNKNOWN, view.other_delta != UNKNOWN)


class Quantal(QuantalHaggler, BargainingPlayer):
    """Plays the logit quantal response equilibrium: costlier errors are rarer, and it expects this of the opponent too.

    It accepts with probability ``1 / (1 + exp(-precision * (gain - continuation value)))`` and demands integer
    percentages of the money with probabilities proportional to ``exp(precision * expected gain)``, in shares of the
    money of round 1, where both seats do so in all later rounds. At precision 0 all moves are equally likely; as it
    grows the strategy tends to `spe`, whose assumptions about unknown parameters it shares.

    In one-round self-play at the default, 15% of offers are rejected; people reject 16% in 37 studies (Oosterbeek,
    Sloof and van de Kuilen 2004, Cultural differences in ultimatum game experiments). It offers 27% of the money there
    and people 40%, since it has no social preferences.

    Source: McKelvey and Palfrey (1998), Quantal response equilibria for extensive form games.

    Args:
        precision: Logit precision per share of the money; from 0 to a million.
    """

    lines = (
        "How about ${own} for me and ${other} for you?",
        "Then perhaps ${own} for me and ${other} for you.",
        "Let me try this: I get ${own}, you get ${other}.",
    )

    def __init__(self, spec: str = "quantal", precision: Any = 8) -> None:
        super().__init__(spec, precision)

    quantal_move = staticmethod(draw_quantal_move)


def own_share(v: View, past: StrategyMemory) -> float:
    """Return the share of the money that the seat last asked for, or UNKNOWN."""
    return UNKNOWN if v.own_ask == UNKNOWN else clip_share(v.own_ask / v.money)


def offered_share(v: View) -> float:
    """Return the share of the money that the opponent's last ask leaves the seat."""
    return clip_share((v.money - v.other_ask) / v.money)


def remember_offer(v: View, past: StrategyMemory) -> None:
    """Remember the opponent's offer, if one is open."""
    if v.offered != UNKNOWN:
        remember(offered_share(v), past)


class Generated(GeneratedHaggler, BargainingPlayer):
    """Follows rules sampled from a grammar of strategies by family and number (see `GeneratedHaggler`).

    Source: `econzoo.baselines.offers.generated` gives that of every rule.

    Args:
        family: One of clock, firm, steps, reciprocal, mirror, middle, harden, grudge, aspiration, irregular, switch.
        number: Index within the family; an integer from 0 to 999,999.
    """

    field, observed_field = "gain", "other_ask"
    asks, takes = (staticmethod(one) for one in make_demand_rules(own_share))
    note = staticmethod(remember_offer)
