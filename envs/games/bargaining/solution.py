"""What theory says about a bargaining game: equilibrium, bargaining solutions, rationality, best responses.

Amounts are dollars. "Dollars of round t" are not discounted; "dollars of round 1" are multiplied by
``delta ** (t - 1)``, as `rules.payoffs` does. What players are measured by (`equilibrium_payoffs`, `reference`,
`individual_rationality_violations`) follows from what seats are told: where they are not told the last round, it is
Rubinstein's game without one, whatever ``horizon`` is. The ``spe_`` functions take the horizon as known to both, and so
do best responses, which are ceilings of somebody who knows everything. All of it takes both discount factors as known
to both; where ``complete_information`` is False it is a reference point of full information, not a prediction. Every
function raises ValueError for a market that is not valid: money not finite and above 0, a discount factor outside
(0, 1], a horizon that is no whole number above 0.

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

from econzoo.envs.core.amounts import ROUND_FLOOR, dollars, strip_float_noise
from econzoo.envs.core.contract.arguments import check_argument
from econzoo.envs.core.contract.game import UNKNOWN, Move
from econzoo.envs.families.offers.horizon import check_round
from econzoo.envs.families.two_seats import ROUND, shares, tally_moves, weights_of
from econzoo.envs.games.bargaining import best_response as replies
from econzoo.envs.games.bargaining import rules, validation
from econzoo.envs.games.bargaining.rules import Params, State, View

TOLERANCE = 1e-9
"""Share of the money below which a difference counts as rounding."""

best_response, regret, pool_response = replies.best_response, replies.regret, replies.pool_response
acceptance_stakes = replies.acceptance_stakes


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
    validation.validate_setting(params)
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
    return params.money * asks[check_round(round, params.horizon) - 1]


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
    """Dollars of round 1 of each seat in the subgame-perfect equilibrium: agreement on seat 0's first offer.

    The last round counts as known to both; `equilibrium_payoffs` asks whether it is.
    """
    return spe_ask(params, 1), spe_threshold(params, 1)


def rubinstein_share(delta_proposer: float, delta_responder: float) -> float:
    """Share of the first proposer when there is no last round (Rubinstein 1982).

    (1 - delta_responder) / (1 - delta_proposer * delta_responder), the limit of `spe_shares` for a far horizon.

    Raises:
        ValueError: A discount factor is outside (0, 1], or both are 1: then every split is an equilibrium, and
            the limit depends on how the two factors approach 1 (see `patience_weights`).
    """
    check_argument("delta", (delta_proposer, delta_responder), validation.DISCOUNT_FACTORS)
    if delta_proposer == delta_responder == 1.0:
        told = "without a last round every split is an equilibrium"
        raise ValueError(f"delta=(1.0, 1.0) is not allowed: {told}; allowed: at least one of them below 1")
    return endless_share(delta_proposer, delta_responder)


def endless_share(own: float, other: float) -> float:
    """Share of the proposer if there is no last round; one half, the limit for equals, if nobody discounts."""
    return 0.5 if own == 1.0 and other == 1.0 else (1.0 - other) / (1.0 - own * other)


def equilibrium_ask(params: Params, round: int) -> float | None:
    """What the proposer of that round asks for itself in the equilibrium of the game that the seats are told.

    `spe_ask` if they are told the last round. If not, the ask of Rubinstein's game without one (`rubinstein_share`),
    which is the same in all rounds of a proposer and does not depend on ``params.horizon``.

    Args:
        params: The market.
        round: From 1, to ``params.horizon`` if the seats know it.

    Returns:
        Dollars of that round, in [0, money]; None if no last round is known and nobody discounts: every split is an
        equilibrium.

    Raises:
        ValueError: The round is outside the game.
    """
    if validation.validate_setting(params).horizon_known:
        return spe_ask(params, round)
    own = (check_argument("round", round, ROUND) + 1) % 2
    if params.delta == (1.0, 1.0):
        return None
    return params.money * rubinstein_share(params.delta[own], params.delta[1 - own])


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
    first = validation.validate_setting(params).money * weights_of(weights)[0]
    return first, params.money - first


def patience_weights(params: Params) -> tuple[float, float]:
    """Bargaining power that discounting implies (Binmore, Rubinstein and Wolinsky 1986).

    w0 = ln(delta1) / (ln(delta0) + ln(delta1)), what `rubinstein_share` tends to, whoever proposes first, when
    rounds get short, that is for delta ** h with h to 0. If both factors are 1, both seats are equally patient
    and the weights are equal (the limit along delta0 = delta1; other paths lead elsewhere).

    Returns:
        Weights of the seats in [0, 1]; they sum to 1.
    """
    validation.validate_setting(params)
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
    return validation.validate_setting(params).money / 2.0, params.money / 2.0


# For reports: the same names in every game


def equilibrium_payoffs(params: Params) -> tuple[float, ...]:
    """Each seat's payoff in the equilibrium that reports measure against, in dollars of round 1.

    Agreement on seat 0's first offer (`equilibrium_ask`): `spe_payoffs` where the seats know the last round, and
    Rubinstein's equilibrium where they do not. If then nobody discounts, every split is an equilibrium. One half each
    stands for them, a selection: the limit for ever more patient equals, and the point of Nash (1950).
    """
    ask = equilibrium_ask(params, 1)
    first = params.money / 2.0 if ask is None else ask
    return first, params.money - first


def reference(params: Params) -> dict[str, tuple[float, ...]]:
    """Named reference points, each with the payoffs of both seats in dollars of round 1.

    Returns:
        ``equilibrium`` (`equilibrium_payoffs`: a selection where no last round is known and nobody discounts),
        ``nash``, ``nash_patience`` (weighted by patience), ``kalai_smorodinsky`` and, unless both discount factors are
        1, ``rubinstein`` (seat 0 first, no last round). None of them depends on a horizon that seats are not told.
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

    With all parameters known it is the subgame-perfect equilibrium; without a known last round that of a game without
    one (`equilibrium_ask`). What the seat is not told is named, and nothing is assumed about it.
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
    known = view.horizon != UNKNOWN
    delta = (view.own_delta, view.other_delta) if view.seat == 0 else (view.other_delta, view.own_delta)
    ask = equilibrium_ask(Params(view.money, delta, int(max(view.horizon, view.round)), known, True), view.round)
    if ask is None:
        return {**out, "advice": "nobody loses by waiting and no last round is known: every split is an equilibrium"}
    theory = "subgame-perfect equilibrium" if known else "equilibrium of the game without a last round"
    if view.proposing:
        return {
            **out,
            "theory": theory,
            "ask for yourself": f"${dollars(strip_float_noise(ask), ROUND_FLOOR, cents=True)}",
        }
    return {**out, "theory": theory, "smallest offer worth accepting": f"${dollars(view.money - ask, cents=True)}"}


class Violations(NamedTuple):
    """How often one seat of one game moved against its own interest, and out of how many moves.

    The first count needs no theory of the other's play; the rest compare with the equilibrium of the subgame that
    was reached, as far as seats are told of it (`equilibrium_ask`, in dollars of that round). Where every split is an
    equilibrium, waiting may be worth anything, and none of the rest is counted. Differences of less than `TOLERANCE`
    of the money are not counted.

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


def _count_violations(params: Params, state: State, seat: int, move: Move) -> dict[str, int]:
    """What a legal move in this state adds to `Violations`."""
    slack, ask = TOLERANCE * params.money, equilibrium_ask(params, state.round)
    least, most = (0.0, params.money) if ask is None else (params.money - ask,) * 2  # what waiting may be worth
    if move.kind == rules.OFFER:
        return {"offers": 1, "asked_above_acceptable": int(params.money - move.values[0] < least - slack)}
    offered = rules.offer_value(params, state, seat)
    if move.kind == rules.REJECT:
        return {"answers": 1, "rejected_above_continuation": int(offered > most + slack)}
    return {
        "answers": 1,
        "accepted_below_disagreement": int(offered < -slack),
        "accepted_below_continuation": int(offered < least - slack),
    }


individual_rationality_violations = partial(
    tally_moves, rules, validation.validate_setting, _count_violations, Violations
)
"""``individual_rationality_violations(params, events)`` counts each seat's moves against individual and sequential
rationality in a played game; see `tally`."""
