"""Bargaining strategies that compute replies: equilibrium, best response to a pool, quantal response."""

from __future__ import annotations

from typing import Any

from econzoo.baselines import ObservationDict
from econzoo.baselines.bargaining.base import BargainingPlayer
from econzoo.baselines.offers import Identifier, QuantalHaggler, round_to_cents
from econzoo.envs.core.contract import UNKNOWN, Move, Numbers, StrategyMemory, UniformPair
from econzoo.envs.families.offers import STEPS, sample_place
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
    # What a proposer would leave now is this seat's continuation value.
    return stake - stake * equilibrium_share(v)


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
