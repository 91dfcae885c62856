"""What theory says about a bargaining game: equilibrium, bargaining solutions, rationality, best responses.

Amounts are dollars. "Dollars of round t" are not discounted; "dollars of round 1" are multiplied by
``delta ** (t - 1)``, as `rules.payoffs` does. Everything is computed for complete information and the true
horizon. Where seats are told less (``horizon_known`` or ``complete_information`` is False) it is a reference
point, not a prediction. Every function raises ValueError for a market that is not valid: money not finite and
above 0, a discount factor outside (0, 1], a horizon that is no whole number above 0.

Sources:
    Stahl, I. (1972). Bargaining Theory. Stockholm School of Economics. (Finite horizon.)
    Rubinstein, A. (1982). Perfect equilibrium in a bargaining model. Econometrica 50(1), 97-109.
    Nash, J. (1950). The bargaining problem. Econometrica 18(2), 155-162.
    Kalai, E. (1977). Nonsymmetric Nash solutions and replications of 2-person bargaining. IJGT 6(3), 129-133.
    Kalai, E. and Smorodinsky, M. (1975). Other solutions to Nash's bargaining problem. Econometrica 43(3), 513-518.
    Binmore, K., Rubinstein, A. and Wolinsky, A. (1986). The Nash bargaining solution in economic modelling.
        RAND Journal of Economics 17(2), 176-188.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache, partial
from typing import NamedTuple

from econzoo.envs.core.amounts import ROUND_FLOOR, dollars, without_noise
from econzoo.envs.core.contract.arguments import checked
from econzoo.envs.core.contract.game import UNKNOWN, Move
from econzoo.envs.families.offers.horizon import round_within
from econzoo.envs.families.two_seats import shares, tally, weights_of
from econzoo.envs.games.bargaining import best_response as replies
from econzoo.envs.games.bargaining import rules, valid
from econzoo.envs.games.bargaining.rules import Params, State, View

TOLERANCE = 1e-9
"""Share of the money below which a difference counts as rounding."""

best_response, regret, pool_response = replies.best_response, replies.regret, replies.pool_response
at_stake = replies.at_stake


# Subgame-perfect equilibrium


def spe_shares(params: Params) -> tuple[float, ...]:
    """What the proposer of each round asks in the subgame-perfect equilibrium (Stahl 1972; Rubinstein 1982).

    Backward induction. In the last round the proposer asks for everything, since refusing brings nothing.
    Before, it leaves the other exactly what waiting is worth to it: x[t] = 1 - delta_responder * x[t + 1],
    because the responder of round t proposes in round t + 1. The shares are unique, also where a discount
    factor is 1; with both at 1 whoever proposes last takes all, and only the round of agreement is left open
    (we take the first).

    Returns:
        ``horizon`` shares of the money of that round, each in [0, 1]; round t at index t - 1.
    """
    valid.market(params)
    return _shares(params.delta[0], params.delta[1], params.horizon)


@lru_cache(maxsize=4096)
def _shares(delta0: float, delta1: float, horizon: int) -> tuple[float, ...]:
    return tuple(stahl_share(delta0, delta1, horizon, round) for round in range(1, horizon + 1))


@lru_cache(maxsize=4096)
def stahl_share(delta0: float, delta1: float, horizon: int, round: int) -> float:
    """One of the `spe_shares`, of factors and rounds that are taken as they are; it compiles."""
    share = 1.0
    for later in range(horizon - 1, round - 1, -1):
        share = 1.0 - (delta1 if later % 2 else delta0) * share
    return share


def spe_ask(params: Params, round: int) -> float:
    """What the proposer of that round asks for itself in the subgame-perfect equilibrium.

    Args:
        params: The market.
        round: 1 to ``params.horizon``.

    Returns:
        Dollars of that round, in [0, money].

    Raises:
        ValueError: The round is outside the game.
    """
    asks = spe_shares(params)
    return params.money * asks[round_within(round, params.horizon) - 1]


def spe_threshold(params: Params, round: int) -> float:
    """The smallest offer that the responder of that round accepts in the subgame-perfect equilibrium.

    It is the responder's continuation value: its discount factor times what it will ask next round; 0 in the
    last round. It is computed as money - ask, as the rules compute an offer, so that ``offered >= threshold``
    holds to the last bit when the equilibrium ask is made.

    Args:
        params: The market.
        round: 1 to ``params.horizon``.

    Returns:
        Dollars of that round, in [0, money].
    """
    ask = spe_ask(params, round)
    return params.money - ask


def spe_payoffs(params: Params) -> tuple[float, float]:
    """Dollars of round 1 of each seat in the subgame-perfect equilibrium: agreement on seat 0's first offer."""
    return spe_ask(params, 1), spe_threshold(params, 1)


def rubinstein_share(delta_proposer: float, delta_responder: float) -> float:
    """Share of the first proposer when there is no last round (Rubinstein 1982).

    (1 - delta_responder) / (1 - delta_proposer * delta_responder), the limit of `spe_shares` for a far horizon.

    Raises:
        ValueError: A discount factor is outside (0, 1], or both are 1: then every split is an equilibrium, and
            the limit depends on how the two factors approach 1 (see `patience_weights`).
    """
    checked("delta", (delta_proposer, delta_responder), valid.DISCOUNT_FACTORS)
    if delta_proposer == delta_responder == 1.0:
        raise ValueError("both discount factors are 1: without a last round every split is an equilibrium")
    return endless_share(delta_proposer, delta_responder)


def endless_share(own: float, other: float) -> float:
    """Share of the proposer if there is no last round; one half, the limit for equals, if nobody discounts."""
    return 0.5 if own == 1.0 and other == 1.0 else (1.0 - other) / (1.0 - own * other)


# Axiomatic solutions: over u0 + u1 <= money, u >= 0, with disagreement at (0, 0). The frontier is agreement in
# round 1; a later one is never outside it, since discounting shrinks the money of both.


def nash_point(params: Params, weights: tuple[float, float] | None = None) -> tuple[float, float]:
    """The payoffs that maximise u0 ** w0 * u1 ** w1 (Nash 1950; with unequal weights, Kalai 1977).

    Args:
        params: The market.
        weights: Bargaining power of each seat, >= 0, not both 0; equal if None. `patience_weights` gives those
            that discounting implies.

    Returns:
        Dollars of round 1 of each seat; they sum to the money.

    Raises:
        ValueError: A weight is negative or not finite, or both are 0.
    """
    first = valid.market(params).money * weights_of(weights)[0]
    return first, params.money - first


def patience_weights(params: Params) -> tuple[float, float]:
    """Bargaining power that discounting implies (Binmore, Rubinstein and Wolinsky 1986).

    w0 = ln(delta1) / (ln(delta0) + ln(delta1)), what `rubinstein_share` tends to, whoever proposes first, when
    rounds get short, that is for delta ** h with h to 0. If both factors are 1, both seats are equally patient
    and the weights are equal (the limit along delta0 = delta1; other paths lead elsewhere).

    Returns:
        Weights of the seats in [0, 1]; they sum to 1.
    """
    valid.market(params)
    rate0, rate1 = (abs(math.log(delta)) for delta in params.delta)
    if rate0 == rate1:
        return 0.5, 0.5
    return rate1 / (rate0 + rate1), rate0 / (rate0 + rate1)


def kalai_smorodinsky_point(params: Params) -> tuple[float, float]:
    """The efficient payoffs proportional to the most each seat could get (Kalai and Smorodinsky 1975).

    Each seat's best individually rational payoff is the whole money, so the line from (0, 0) to the ideal point
    (money, money) meets the frontier at the equal split: here the solution coincides with Nash's.

    Returns:
        Dollars of round 1 of each seat; they sum to the money.
    """
    return valid.market(params).money / 2.0, params.money / 2.0


# For reports: the same names in every game


def equilibrium_payoffs(params: Params) -> tuple[float, ...]:
    """Each seat's payoff in the equilibrium that reports measure against: `spe_payoffs`."""
    return spe_payoffs(params)


def reference(params: Params) -> dict[str, tuple[float, ...]]:
    """Named reference points, each with the payoffs of both seats in dollars of round 1.

    Returns:
        ``equilibrium``, ``nash``, ``nash_patience`` (weighted by patience), ``kalai_smorodinsky`` and, unless
        both discount factors are 1, ``rubinstein`` (seat 0 first, no last round).
    """
    points = {
        "equilibrium": equilibrium_payoffs(params),
        "nash": nash_point(params),
        "nash_patience": nash_point(params, patience_weights(params)),
        "kalai_smorodinsky": kalai_smorodinsky_point(params),
    }
    if min(params.delta) < 1.0:
        first = params.money * rubinstein_share(*params.delta)
        points["rubinstein"] = (first, params.money - first)
    return points


def share_of_equilibrium(params: Params, payoffs: Sequence[float]) -> tuple[float | None, ...]:
    """Each seat's payoff (dollars of round 1) divided by its equilibrium payoff, if that is not 0; see `shares`."""
    return shares(payoffs, equilibrium_payoffs(params), TOLERANCE * params.money)


# For players: what a seat may be told


def advise(view: View) -> dict[str, str]:
    """What theory says to the seat of a view, from the view alone.

    With all parameters known it is the subgame-perfect equilibrium (`spe_ask`, `spe_threshold`); without a known last
    round that of a game without one (`rubinstein_share`). What the seat is not told is named, and nothing is assumed
    about it.
    """
    hidden = {"the last round": view.horizon, "what waiting costs the other": view.other_delta}
    unknown = [name for name, value in hidden.items() if value == UNKNOWN]
    out: dict[str, str] = {"not known to you": ", ".join(unknown)} if unknown else {}
    if view.over:
        return {**out, "advice": "the game is over"}
    if view.other_delta == UNKNOWN:
        return {
            **out,
            "advice": f"no equilibrium can be computed; an equal split is ${dollars(view.money / 2, cents=True)} each",
        }
    found = _reference_ask(view)
    if found is None:
        return {**out, "advice": "nobody loses by waiting and no last round is known: every split is an equilibrium"}
    ask, theory = found
    if view.proposing:
        return {**out, "theory": theory, "ask for yourself": f"${dollars(without_noise(ask), ROUND_FLOOR, cents=True)}"}
    return {**out, "theory": theory, "smallest offer worth accepting": f"${dollars(view.money - ask, cents=True)}"}


def _reference_ask(view: View) -> tuple[float, str] | None:
    """What the proposer of this round asks, in dollars of this round, and by which theory; None if none says."""
    delta = (view.own_delta, view.other_delta) if view.seat == 0 else (view.other_delta, view.own_delta)
    if view.horizon != UNKNOWN:
        params = Params(view.money, delta, int(view.horizon), True, True)
        return spe_ask(params, view.round), "subgame-perfect equilibrium"
    proposer = view.seat if view.proposing else 1 - view.seat
    if delta == (1.0, 1.0):
        return None
    share = rubinstein_share(delta[proposer], delta[1 - proposer])
    return view.money * share, "equilibrium of the game without a last round"


class Violations(NamedTuple):
    """How often one seat of one game moved against its own interest, and out of how many moves.

    The first count needs no theory of the other's play; the rest compare with the subgame-perfect equilibrium
    of the subgame that was reached (`spe_threshold`, in dollars of that round). Differences of less than
    `TOLERANCE` of the money are not counted.

    Attributes:
        offers: Offers this seat made.
        answers: Offers this seat answered.
        accepted_below_disagreement: Accepted an offer worth less than no agreement at all, that is below 0.
        accepted_below_continuation: Accepted less than its continuation value: waiting would have paid more.
        rejected_above_continuation: Rejected more than its continuation value: waiting pays less.
        asked_above_acceptable: Asked more than leaves the other its continuation value, so that an equilibrium
            player rejects. Not by itself irrational against players who accept less.
    """

    offers: int = 0
    answers: int = 0
    accepted_below_disagreement: int = 0
    accepted_below_continuation: int = 0
    rejected_above_continuation: int = 0
    asked_above_acceptable: int = 0


def _counted(params: Params, state: State, seat: int, move: Move) -> dict[str, int]:
    """What a legal move in this state adds to `Violations`."""
    slack, due = TOLERANCE * params.money, spe_threshold(params, state.round)
    if move.kind == rules.OFFER:
        return {"offers": 1, "asked_above_acceptable": int(params.money - move.values[0] < due - slack)}
    offered = rules.offered_to(params, state, seat)
    if move.kind == rules.REJECT:
        return {"answers": 1, "rejected_above_continuation": int(offered > due + slack)}
    return {
        "answers": 1,
        "accepted_below_disagreement": int(offered < -slack),
        "accepted_below_continuation": int(offered < due - slack),
    }


individual_rationality_violations = partial(tally, rules, valid.market, _counted, Violations)
"""``individual_rationality_violations(params, events)`` counts each seat's moves against individual and sequential
rationality in a played game; see `tally`."""
