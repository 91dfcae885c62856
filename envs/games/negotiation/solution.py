"""Theory of negotiation: zone of agreement, equilibrium, bargaining solutions, rationality.

Prices are dollars; payoffs are dollars won over the own value, as in `rules.payoffs`. Reference points
(`equilibrium_payoffs`, `reference`, `individual_rationality_violations`) do not depend on an unknown horizon. The
``spe_`` functions assume a known horizon, and so do best responses, which are full-information bounds. All functions
take both values as common knowledge; if ``complete_information`` is False they are full-information benchmarks, not
predictions; theory of private values is in `private_values`. All functions raise ValueError for an invalid setting: a
scale not finite or not above 0, a value that is negative or not finite, a horizon that is not an integer above 0.

Sources:
    Stahl, I. (1972). Bargaining Theory. Stockholm School of Economics. (Finite horizon.)
    Raiffa, H. (1982). The Art and Science of Negotiation. Harvard University Press. (Zone of agreement.)
    Nash, J. (1950). The bargaining problem. Econometrica 18(2), 155-162.
    Kalai, E. (1977). Nonsymmetric Nash solutions and replications of 2-person bargaining. IJGT 6(3), 129-133.
    Kalai, E. and Smorodinsky, M. (1975). Other solutions to Nash's bargaining problem. Econometrica 43(3), 513-518.
    Binmore, K., Shaked, A. and Sutton, J. (1989). An outside option experiment. Quarterly Journal of Economics 104(4),
        753-770. (An outside option counts only if it pays more than going on.)
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from econzoo.envs.core import ROUND_CEILING, ROUND_FLOOR, dollars
from econzoo.envs.core.contract import UNKNOWN, Move
from econzoo.envs.families import shares, tally_moves, weights_of
from econzoo.envs.families.offers import check_round
from econzoo.envs.games.negotiation import best_response as replies
from econzoo.envs.games.negotiation import rules, validation
from econzoo.envs.games.negotiation.private_values import glee_prior, posted_price
from econzoo.envs.games.negotiation.rules import BUYER, SELLER, Params, State, View

best_response, regret, pool_response = replies.best_response, replies.regret, replies.pool_response
acceptance_stakes = replies.acceptance_stakes


# The zone of agreement


def zone(params: Params) -> tuple[float, float] | None:
    """The prices at which nobody loses (Raiffa 1982): [V_A, V_B], one price if they are equal, None if V_A > V_B."""
    seller, buyer = validation.validate_setting(params).value
    return (seller, buyer) if seller <= buyer else None


def surplus(params: Params) -> float:
    """Dollars that a trade creates: V_B - V_A, or 0 if there is no zone of agreement."""
    seller, buyer = validation.validate_setting(params).value
    return max(buyer - seller, 0.0)


# Subgame-perfect equilibrium


def last_proposer(params: Params) -> int:
    """The proposer of the last round: the seller if the horizon is odd, else the buyer."""
    return BUYER if validation.validate_setting(params).horizon % 2 == 0 else SELLER


def spe_price(params: Params, round: int) -> float:
    """Price of the proposer of a round in the subgame-perfect equilibrium.

    Backward induction. In the last round rejection pays 0, so the proposer takes the whole surplus: the seller asks
    V_B, the buyer bids V_A. Without discounting, waiting for that round is free to its proposer, so no other price is
    accepted before. Payoffs are unique; the round of trade is not (we take the first). The outside option pays 0, never
    more than continuing, and changes nothing.

    Without a zone of agreement there is no trade in equilibrium: each side posts its own value and the other rejects.
    With equal values the payoffs are 0 with or without a trade.

    Args:
        round: 1 to ``params.horizon``.

    Returns:
        Dollars.
    """
    check_round(round, validation.validate_setting(params).horizon)
    if zone(params) is None:
        return params.value[SELLER if round % 2 else BUYER]
    return params.value[1 - last_proposer(params)]


def spe_threshold(params: Params, round: int) -> float:
    """Price at which the responder of a round is indifferent between accepting and continuing in equilibrium.

    A responding seller accepts it and every higher price, a buyer every lower one. It is the price of the last round
    (`spe_price`); without a zone of agreement it is the responder's own value.
    """
    posted = spe_price(params, round)
    return posted if zone(params) else params.value[BUYER if round % 2 else SELLER]


def spe_payoffs(params: Params) -> tuple[float, float]:
    """Dollars won by each seat in the subgame-perfect equilibrium: the last proposer gets the whole surplus."""
    return (surplus(params), 0.0) if last_proposer(params) == SELLER else (0.0, surplus(params))


# Axiomatic solutions: over u_A + u_B <= surplus, u >= 0, with disagreement at (0, 0)


def nash_price(params: Params, weights: tuple[float, float] | None = None) -> float | None:
    """Price that maximises (p - V_A) ** w_A * (V_B - p) ** w_B (Nash 1950; with unequal weights, Kalai 1977).

    Utility is transferable, so it divides the surplus in proportion to the weights; with equal ones it is the middle of
    the zone.

    Args:
        weights: Bargaining power of seller and buyer, >= 0, not both 0; equal if None.

    Returns:
        Dollars, or None without a zone of agreement.
    """
    share = weights_of(weights)[SELLER]
    return None if zone(params) is None else params.value[SELLER] + share * surplus(params)


def nash_point(params: Params, weights: tuple[float, float] | None = None) -> tuple[float, float]:
    """Dollars won by each seat at `nash_price`; nothing without a zone of agreement."""
    first = weights_of(weights)[SELLER] * surplus(params)
    return first, surplus(params) - first


def kalai_smorodinsky_price(params: Params) -> float | None:
    """Price with gains proportional to each seat's maximum gain (Kalai and Smorodinsky 1975).

    Both maxima are the whole surplus, so it is the middle of the zone, as in Nash's solution.

    Returns:
        Dollars, or None without a zone of agreement.
    """
    return None if zone(params) is None else params.value[SELLER] + surplus(params) / 2


def payoffs_at(params: Params, price: float | None) -> tuple[float, float]:
    """Dollars won by each seat in a trade at a price; 0 for None."""
    if price is None:
        return 0.0, 0.0
    return price - validation.validate_setting(params).value[SELLER], params.value[BUYER] - price


# For reports, under the same names in every game


def equilibrium_payoffs(params: Params) -> tuple[float, ...]:
    """Payoffs in the reference equilibrium of reports, in dollars.

    `spe_payoffs` if the seats know the horizon. Otherwise the last proposer is unknown, and without discounting every
    division of the surplus is an equilibrium (Rubinstein 1982, with discount factors of 1); we select the symmetric
    one, `nash_point`.
    """
    return spe_payoffs(params) if validation.validate_setting(params).horizon_known else nash_point(params)


def reference(params: Params) -> dict[str, tuple[float, ...]]:
    """Reference points by name, each with the payoffs of both seats in dollars.

    Returns:
        ``equilibrium`` (`equilibrium_payoffs`: a selection where no last round is known), ``nash``,
        ``kalai_smorodinsky`` and, if the seats know that there is one round, and values are private, ``posted_price``:
        the seller posts the best price against `private_values.glee_prior`, the buyer takes it if it does not lose by
        it. None of them depends on a horizon that seats are not told.
    """
    points = {
        "equilibrium": equilibrium_payoffs(params),
        "nash": nash_point(params),
        "kalai_smorodinsky": payoffs_at(params, kalai_smorodinsky_price(params)),
    }
    if params.horizon_known and params.horizon == 1 and not params.complete_information:
        price = posted_price(SELLER, params.value[SELLER], glee_prior(params.money)).price
        points["posted_price"] = payoffs_at(params, price if price <= params.value[BUYER] else None)
    return points


def share_of_equilibrium(params: Params, payoffs: Sequence[float]) -> tuple[float | None, ...]:
    """Payoff of each seat divided by its equilibrium payoff; None if that is 0 (see `shares`)."""
    return shares(payoffs, equilibrium_payoffs(params), rules.rounding_tolerance(params))


# Advice to seats, from views only


format_price = partial(dollars, cents=True)


def advise(view: View) -> dict[str, str]:
    """Theoretical advice to the seat of a view, from the view alone.

    With both values known: the zone of agreement, its middle (`nash_price`), and with a known last round the price of
    the subgame-perfect equilibrium. With a private value of the other: the own limit, and in a game of one round the
    best price to post if the other's value is any of GLEE's four with the same chance (`posted_price`).
    """
    hidden = {"the last round": view.horizon, "what the good is worth to the other": view.other_value}
    unknown = [name for name, value in hidden.items() if value == UNKNOWN]
    out: dict[str, str] = {"not known to you": ", ".join(unknown)} if unknown else {}
    if view.over:
        return {**out, "advice": "the game is over"}
    limit = "lowest price" if view.seat == SELLER else "highest price"
    out[f"{limit} that is no loss to you"] = f"${format_price(view.own_value)}"
    return {**out, **(_advise_private_value(view) if view.other_value == UNKNOWN else _advise_known_values(view))}


def _advise_known_values(view: View) -> dict[str, str]:
    last = int(max(view.horizon, view.round))  # if it is unknown, nothing below depends on it
    value = (view.own_value, view.other_value) if view.seat == SELLER else (view.other_value, view.own_value)
    params = Params(view.money, value, last, True, True, bool(view.outside_option))
    zone_, middle = zone(params), nash_price(params)
    if zone_ is None or middle is None:
        return {"zone of agreement": "none: no price is good for both"}
    out = {
        "zone of agreement": f"${format_price(zone_[0])} to ${format_price(zone_[1])}",
        "even price": f"${format_price(middle)}",
    }
    if view.horizon != UNKNOWN:
        within = ROUND_FLOOR if last_proposer(params) == SELLER else ROUND_CEILING  # a price that the other accepts
        out["price of the subgame-perfect equilibrium"] = f"${format_price(spe_price(params, view.round), within)}"
    return out


def _advise_private_value(view: View) -> dict[str, str]:
    if view.horizon != 1 or not view.proposing:
        return {}
    factors = "one of GLEE's four factors of the scale, all equally likely"
    best = posted_price(view.seat, view.own_value, glee_prior(view.money)).price
    return {f"best price to post if the other's value is {factors}": f"${format_price(best)}"}


class Violations(NamedTuple):
    """Counts of one seat's violations of rationality, and of its moves.

    The last two compare with the subgame-perfect equilibrium of the subgame that was reached (`spe_threshold`); where
    no last round is known every division is an equilibrium, waiting may be worth all of the surplus or nothing, and
    only less or more than that is counted. The others need no theory of the other's play. Differences of less than
    `rules.rounding_tolerance` are not counted.

    Attributes:
        posted_at_a_loss: Posted a price that would lose it money: the seller below its value, the buyer above.
        accepted_at_a_loss: Accepted such a price.
        rejected_last_gain: Rejected a price that would have won it money in what it knew to be the last round, or
            opted out on one in any round: that ends the game with nothing.
        accepted_below_continuation: Accepted less than its continuation value: waiting would have paid more.
        rejected_above_continuation: Turned down more than its continuation value: waiting pays less.
    """

    offers: int = 0
    answers: int = 0
    posted_at_a_loss: int = 0
    accepted_at_a_loss: int = 0
    rejected_last_gain: int = 0
    accepted_below_continuation: int = 0
    rejected_above_continuation: int = 0


def _count_violations(params: Params, state: State, seat: int, move: Move) -> dict[str, int]:
    slack = rules.rounding_tolerance(params)
    if move.kind == rules.OFFER:
        return {"offers": 1, "posted_at_a_loss": int(payoffs_at(params, move.values[0])[seat] < -slack)}
    gain = payoffs_at(params, rules.current_price(state))[seat]
    due = payoffs_at(params, spe_threshold(params, state.round))[seat]
    least, most = (due, due) if params.horizon_known else (0.0, surplus(params))  # range of continuation values
    if move.kind == rules.ACCEPT:
        return {
            "answers": 1,
            "accepted_at_a_loss": int(gain < -slack),
            "accepted_below_continuation": int(gain < least - slack),
        }
    final = move.kind == rules.OPT_OUT or (params.horizon_known and state.round == params.horizon)
    return {
        "answers": 1,
        "rejected_last_gain": int(final and gain > slack),
        "rejected_above_continuation": int(gain > most + slack),
    }


individual_rationality_violations = partial(
    tally_moves, rules, validation.validate_setting, _count_violations, Violations
)
"""``individual_rationality_violations(params, events)`` counts each seat's moves against individual and sequential
rationality in a played game; see `tally_moves`."""
