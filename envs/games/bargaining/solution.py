"""Theory of bargaining: equilibrium, bargaining solutions, rationality, best responses.

Amounts are dollars. "Dollars of round t" are not discounted; "dollars of round 1" are multiplied by
``delta ** (t - 1)``, as in `rules.payoffs`. Reference points (`equilibrium_payoffs`, `reference`,
`individual_rationality_violations`) depend on the seats' information: with an unknown horizon they are those of
Rubinstein's infinite-horizon game. The ``spe_`` functions assume a known horizon, and so do best responses, which are
full-information bounds. All functions take both discount factors as common knowledge; if ``complete_information`` is
False they are full-information benchmarks, not predictions. All functions raise ValueError for an invalid setting:
money not finite or not above 0, a discount factor outside (0, 1], a horizon that is not an integer above 0.

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

from econzoo.envs.core import ROUND_FLOOR, dollars, strip_float_noise
from econzoo.envs.core.contract import UNKNOWN, Move, check_argument
from econzoo.envs.families import ROUND, shares, tally_moves, weights_of
from econzoo.envs.families.offers import check_round
from econzoo.envs.games.bargaining import best_response as replies
from econzoo.envs.games.bargaining import rules, validation
from econzoo.envs.games.bargaining.rules import TOLERANCE, Params, State, View

best_response, regret, pool_response = replies.best_response, replies.regret, replies.pool_response
acceptance_stakes = replies.acceptance_stakes


# Subgame-perfect equilibrium


def spe_shares(params: Params) -> tuple[float, ...]:
    """Share that the proposer of each round asks in the subgame-perfect equilibrium (Stahl 1972; Rubinstein 1982).

    Backward induction. In the last round the proposer asks for everything, since rejection pays 0. Before, it leaves
    the responder its continuation value: x[t] = 1 - delta_responder * x[t + 1], because the responder of round t
    proposes in round t + 1. The shares are unique even if a discount factor is 1; if both are, the last proposer takes
    all, and only the round of agreement is indeterminate (we take the first).

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
    """One of the `spe_shares`, without validation; it compiles."""
    # A loop for one round and no shared table: compiled players ask for one share at a time.
    share = 1.0
    for later in range(horizon - 1, round - 1, -1):
        share = 1.0 - (delta1 if later % 2 else delta0) * share
    return share


def spe_ask(params: Params, round: int) -> float:
    """Ask of the proposer of a round in the subgame-perfect equilibrium.

    Args:
        round: 1 to ``params.horizon``.

    Returns:
        Dollars of that round, in [0, money].
    """
    asks = spe_shares(params)
    return params.money * asks[check_round(round, params.horizon) - 1]


def spe_threshold(params: Params, round: int) -> float:
    """Smallest offer that the responder of a round accepts in the subgame-perfect equilibrium.

    It is the responder's continuation value: its discount factor times its ask in the next round; 0 in the last round.
    It is computed as money - ask, like offers in the rules, so that ``offered >= threshold`` holds to the last bit for
    the equilibrium ask.

    Args:
        round: 1 to ``params.horizon``.

    Returns:
        Dollars of that round, in [0, money].
    """
    ask = spe_ask(params, round)
    return params.money - ask


def spe_payoffs(params: Params) -> tuple[float, float]:
    """Payoffs in the subgame-perfect equilibrium, in dollars of round 1: agreement on seat 0's first offer.

    The horizon is assumed to be known; `equilibrium_payoffs` makes the distinction.
    """
    return spe_ask(params, 1), spe_threshold(params, 1)


def rubinstein_share(delta_proposer: float, delta_responder: float) -> float:
    """Share of the first proposer with an infinite horizon (Rubinstein 1982).

    (1 - delta_responder) / (1 - delta_proposer * delta_responder), the limit of `spe_shares` for long horizons. If both
    factors are 1 it raises ValueError: every split is an equilibrium then, and the limit depends on how the two factors
    approach 1 (see `patience_weights`).
    """
    check_argument("delta", (delta_proposer, delta_responder), validation.DISCOUNT_FACTORS)
    if delta_proposer == delta_responder == 1.0:
        reason = "otherwise every split is an equilibrium without a last round"
        raise ValueError(f"delta=(1.0, 1.0): expected at least one factor below 1, {reason}")
    return endless_share(delta_proposer, delta_responder)


def endless_share(own: float, other: float) -> float:
    """Share of the proposer with an infinite horizon; one half, the limit for equal factors, if both are 1."""
    return 0.5 if own == 1.0 and other == 1.0 else (1.0 - other) / (1.0 - own * other)


def equilibrium_ask(params: Params, round: int) -> float | None:
    """Ask of the proposer of a round in equilibrium, given the seats' information on the horizon.

    `spe_ask` if they know the horizon. Otherwise the ask of Rubinstein's infinite-horizon game (`rubinstein_share`),
    which is the same in all rounds of a proposer and does not depend on ``params.horizon``.

    Args:
        round: From 1, to ``params.horizon`` if the seats know it.

    Returns:
        Dollars of that round, in [0, money]; None if the horizon is unknown and both factors are 1: then every split is
        an equilibrium.
    """
    if validation.validate_setting(params).horizon_known:
        return spe_ask(params, round)
    own = (check_argument("round", round, ROUND) + 1) % 2
    if params.delta == (1.0, 1.0):
        return None
    return params.money * rubinstein_share(params.delta[own], params.delta[1 - own])


# Axiomatic solutions on u0 + u1 <= money, u >= 0, with disagreement point (0, 0). The frontier is agreement in
# round 1; discounting keeps later agreements inside it.


def nash_point(params: Params, weights: tuple[float, float] | None = None) -> tuple[float, float]:
    """Payoffs that maximise u0 ** w0 * u1 ** w1 (Nash 1950; with unequal weights, Kalai 1977).

    Args:
        weights: Bargaining power of each seat, >= 0, not both 0; equal if None. `patience_weights` gives those
            that discounting implies.

    Returns:
        Payoffs in dollars of round 1; they sum to the money.
    """
    first = validation.validate_setting(params).money * weights_of(weights)[0]
    return first, params.money - first


def patience_weights(params: Params) -> tuple[float, float]:
    """Bargaining power that discounting implies (Binmore, Rubinstein and Wolinsky 1986).

    w0 = ln(delta1) / (ln(delta0) + ln(delta1)), the limit of `rubinstein_share` for short rounds (delta ** h with
    h to 0), whoever proposes first. If both factors are 1, the weights are equal (the limit along delta0 = delta1;
    other paths have other limits).

    Returns:
        Weights of the seats in [0, 1]; they sum to 1.
    """
    validation.validate_setting(params)
    rate0, rate1 = (abs(math.log(delta)) for delta in params.delta)
    if rate0 == rate1:
        return 0.5, 0.5
    return rate1 / (rate0 + rate1), rate0 / (rate0 + rate1)


def kalai_smorodinsky_point(params: Params) -> tuple[float, float]:
    """Efficient payoffs proportional to each seat's maximum (Kalai and Smorodinsky 1975).

    Each seat's best individually rational payoff is all the money, so the line from (0, 0) to the ideal point
    (money, money) meets the frontier at the equal split, which is Nash's solution too.

    Returns:
        Payoffs in dollars of round 1; they sum to the money.
    """
    return validation.validate_setting(params).money / 2.0, params.money / 2.0


# For reports, under the same names in every game


def equilibrium_payoffs(params: Params) -> tuple[float, ...]:
    """Payoffs in the reference equilibrium of reports, in dollars of round 1.

    Agreement on seat 0's first offer (`equilibrium_ask`): `spe_payoffs` if the seats know the horizon, else
    Rubinstein's equilibrium. If then both factors are 1, every split is an equilibrium; we select the equal one, the
    limit for equally patient seats and the Nash solution.
    """
    ask = equilibrium_ask(params, 1)
    first = params.money / 2.0 if ask is None else ask
    return first, params.money - first


def reference(params: Params) -> dict[str, tuple[float, ...]]:
    """Reference points by name, each with the payoffs of both seats in dollars of round 1.

    Returns:
        ``equilibrium`` (`equilibrium_payoffs`, a selection if the horizon is unknown and both factors are 1), ``nash``,
        ``nash_patience`` (weighted by patience), ``kalai_smorodinsky`` and, unless both factors are 1, ``rubinstein``
        (seat 0 first, infinite horizon). None of them depends on an unknown horizon.
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
    """Payoff of each seat (dollars of round 1) divided by its equilibrium payoff; see `shares`."""
    return shares(payoffs, equilibrium_payoffs(params), TOLERANCE * params.money)


# Advice to seats, from views only


def advise(view: View) -> dict[str, str]:
    """Theoretical advice to the seat of a view, from the view alone.

    The subgame-perfect equilibrium if all parameters are known; that of the infinite horizon if the horizon is unknown
    (`equilibrium_ask`). Unknown parameters are named, and nothing is assumed about them.
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
    """Counts of one seat's violations of rationality, and of its moves.

    The first count needs no theory of the other's play; the rest compare with the equilibrium of the subgame, given the
    seats' information (`equilibrium_ask`, in dollars of that round). They are 0 where every split is an equilibrium.
    Differences up to `TOLERANCE` of the money are not counted.

    Attributes:
        accepted_below_disagreement: Accepted offers worth less than disagreement, that is below 0.
        accepted_below_continuation: Accepted offers below the continuation value.
        rejected_above_continuation: Rejected offers above the continuation value.
        asked_above_acceptable: Asks that leave the other less than its continuation value, which an equilibrium player
            rejects. Not irrational against players who accept less.
    """

    offers: int = 0
    answers: int = 0
    accepted_below_disagreement: int = 0
    accepted_below_continuation: int = 0
    rejected_above_continuation: int = 0
    asked_above_acceptable: int = 0


def _count_violations(params: Params, state: State, seat: int, move: Move) -> dict[str, int]:
    # The threshold is money - ask, with the arithmetic of `spe_threshold` and of offers in the rules.
    slack, ask = TOLERANCE * params.money, equilibrium_ask(params, state.round)
    least, most = (0.0, params.money) if ask is None else (params.money - ask,) * 2  # range of continuation values
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
"""``individual_rationality_violations(params, events)`` counts each seat's violations of individual and sequential
rationality in a played game; see `tally_moves`."""
