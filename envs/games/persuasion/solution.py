"""Theory of persuasion: babbling, commitment, full revelation, the buyer's best response, rationality.

A *policy* says how likely each quality is to be recommended; a Bayesian buyer who knows it buys after a signal whenever
the product is then worth its price to it in expectation (and buys if it is indifferent, as is usual in this
literature). Payoffs are expected dollars of the whole game. Qualities are independent and the price is fixed, so those
of a policy are ``rounds`` times those of one round.

Without commitment the seller wants every product sold, whatever its quality: cheap talk with state-independent
preferences. In one round all messages that are sent must then sell equally often, and the buyer can do no better than
by its prior (`equilibrium_payoffs`). If the prior worth is not exactly the price, this payoff is unique. History
does not matter: qualities are independent, so the last round pays the same after every history, and by backward
induction so does every earlier round. This requires a commonly known last round. Myopic buyers do not observe it here:
babbling is still an equilibrium, but perhaps not the only one. If the number of rounds is hidden, there is no
equilibrium payoff of the match, only one per round.

Talk can pay only outside this model: if the seller can commit (`commitment_payoffs`); if there is no last round that
both know and both are patient (then nearly everything is an equilibrium, Margaria and Smolin 2018); or if buyers give
some weight to a seller who is committed by nature. From short-lived buyers who see the past, such a seller, if patient
enough, earns at least the pure Stackelberg payoff (`pure_stackelberg_payoffs`: Fudenberg and Levine 1989). With mixed
commitment types it earns about the commitment payoff, since every quality is revealed, and never much more
(Fudenberg and Levine 1992). These are limits for ever more patient sellers without a last round, and for buyers who see
the signals too. Our myopic buyers see statistics only, and our long-living buyer is patient itself. So these payoffs
are reference points here, not predictions.

Everything is computed as if the buyer knew the prior and the seller the values; where they do not, it is a
reference point as well. The babbling payoff needs only the former.

Sources:
    Crawford, V. and Sobel, J. (1982). Strategic information transmission. Econometrica 50(6), 1431-1451.
    Kamenica, E. and Gentzkow, M. (2011). Bayesian persuasion. American Economic Review 101(6), 2590-2615.
    Lipnowski, E. and Ravid, D. (2020). Cheap talk with transparent motives. Econometrica 88(4), 1631-1660.
    Margaria, C. and Smolin, A. (2018). Dynamic communication with biased senders. Games and Economic Behavior 110,
        330-339.
    Fudenberg, D. and Levine, D. (1989). Reputation and equilibrium selection in games with a patient player.
        Econometrica 57(4), 759-778.
    Fudenberg, D. and Levine, D. (1992). Maintaining a reputation when strategies are imperfectly observed. Review of
        Economic Studies 59(3), 561-579.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from functools import partial
from typing import NamedTuple

from econzoo.envs.core.contract import UNKNOWN, CustomDomain, Move, Real, TupleOf, check_argument
from econzoo.envs.families import shares, tally_moves
from econzoo.envs.games.persuasion import best_response, rules
from econzoo.envs.games.persuasion.rules import BUY, BUYER, DISCOURAGE, RECOMMEND, SELLER, Params, State, View
from econzoo.envs.games.persuasion.validation import TOLERANCE, validate_setting

Pair = tuple[float, float]
"""Dollars of the seller and of the buyer."""


class Policy(NamedTuple):
    """A memoryless signalling policy of the seller.

    Attributes:
        high: Probability that a product of high quality is recommended; otherwise it is discouraged.
        low: The same for low quality.
    """

    high: float
    low: float


POLICY = CustomDomain(TupleOf(2, Real(0.0, 1.0)), "two probabilities")

BABBLING, HONEST = Policy(1.0, 1.0), Policy(1.0, 0.0)


class Round(NamedTuple):
    """One round that was played."""

    signal: Hashable
    high: bool
    bought: bool


script_response, script_regret = best_response.script_response, best_response.script_regret


# Policies and the buyer's best response to them


def persuasion_rate(prior: float, high_value: float, low_value: float) -> float:
    """Probability of recommending low quality under the optimal commitment (Kamenica and Gentzkow 2011).

    High quality is always recommended. After a recommendation the buyer is just willing to buy as long as
    prior (v - 1) >= (1 - prior) q (1 - u), with v and u the values of high and low quality as a fraction of the price.
    So q = min(1, prior (v - 1) / ((1 - prior) (1 - u))), and q = 1 where low quality is free of loss or does not occur.

    Args:
        prior: Probability of high quality, in [0, 1].
        high_value: v, at least 1.
        low_value: u, in [0, 1].

    Returns:
        A probability.
    """
    gain, loss = prior * (high_value - 1.0), (1.0 - prior) * (1.0 - low_value)
    return 1.0 if gain >= loss - TOLERANCE else gain / loss


def posteriors(params: Params, policy: Policy) -> tuple[float | None, float | None]:
    """Probability of high quality after a recommendation and after the contrary, by Bayes' rule.

    Returns:
        Two probabilities; None for a signal that is never sent.
    """
    return tuple(high / (high + low) if high + low else None for high, low in _signal_probabilities(params, policy))  # type: ignore[return-value]


def is_worth_price(params: Params, posterior: float) -> bool:
    """Whether a product that is high with this probability is worth its price; indifferent buyers buy."""
    return posterior * params.high_value + (1.0 - posterior) * params.low_value >= 1.0 - TOLERANCE


def policy_payoffs(params: Params, policy: Policy) -> Pair:
    """Payoffs under a policy that the buyer knows."""
    policy = Policy(*check_argument("policy", policy, POLICY))
    sales = surplus = 0.0
    for (high, low), posterior in zip(
        _signal_probabilities(validate_setting(params), policy), posteriors(params, policy), strict=True
    ):
        if posterior is not None and is_worth_price(params, posterior):
            sales += high + low
            # An indifferent buyer buys: rounding must not make that a loss.
            surplus += max(_surplus(params, high, low), 0.0)
    return _dollars(params, sales, surplus)


def _signal_probabilities(params: Params, policy: Policy) -> tuple[Pair, Pair]:
    """Joint probabilities of (high, low) quality with a recommendation, and without."""
    high, low = params.prior * policy.high, (1.0 - params.prior) * policy.low
    return (high, low), (params.prior - high, 1.0 - params.prior - low)


def _surplus(params: Params, high: float, low: float) -> float:
    """Total worth minus price of products, as a fraction of the price."""
    return high * (params.high_value - 1.0) + low * (params.low_value - 1.0)


def _dollars(params: Params, sales: float, surplus: float) -> Pair:
    """Payoffs in dollars from sales and surplus per round."""
    scale = params.price * params.rounds
    return scale * sales, scale * surplus


def commitment_policy(params: Params) -> Policy:
    """Optimal policy of a seller with commitment; see `persuasion_rate`."""
    validate_setting(params)
    return Policy(1.0, persuasion_rate(params.prior, params.high_value, params.low_value))


# Reference payoffs


def equilibrium_payoffs(params: Params) -> Pair:
    """Payoffs without commitment: signals mean nothing, and the buyer buys always or never, by the prior.

    The unique equilibrium payoffs of a game whose last round both know, unless the prior worth is exactly the price
    (then the buyer gets 0 in every equilibrium, and this is the one that is best for the seller); NaN where the number
    of rounds is hidden. See the module.
    """
    payoffs = policy_payoffs(params, BABBLING)
    return payoffs if params.rounds_known else (math.nan, math.nan)


def commitment_payoffs(params: Params) -> Pair:
    """Payoffs under optimal commitment, the maximum of the seller against a Bayesian buyer."""
    return policy_payoffs(params, commitment_policy(params))


def full_revelation_payoffs(params: Params) -> Pair:
    """Payoffs under full revelation, the maximum of the buyer."""
    return policy_payoffs(params, HONEST)


def pure_stackelberg_payoffs(params: Params) -> Pair:
    """Payoffs under the better pure commitment of the seller: full revelation or babbling."""
    return max(policy_payoffs(params, BABBLING), full_revelation_payoffs(params), key=lambda payoffs: payoffs[0])


def reference(params: Params) -> dict[str, Pair]:
    """Reference points by name, each with the expected payoffs of both seats in dollars of the whole game.

    Returns:
        ``equilibrium`` (babbling; left out where it is NaN), ``commitment``, ``full_revelation`` and
        ``pure_stackelberg``: what a round pays times the rounds of the match, also where the seats are not told how
        many.
    """
    return {
        **({"equilibrium": equilibrium_payoffs(params)} if params.rounds_known else {}),
        "commitment": commitment_payoffs(params),
        "full_revelation": full_revelation_payoffs(params),
        "pure_stackelberg": pure_stackelberg_payoffs(params),
    }


def share_of_equilibrium(params: Params, payoffs: Sequence[float]) -> tuple[float | None, ...]:
    """Each seat's payoff divided by its equilibrium payoff; see `shares`.

    The ratio is undefined if the equilibrium payoff is 0, which it is wherever the prior alone does not sell, and if
    the number of rounds is hidden.
    """
    return shares(payoffs, equilibrium_payoffs(params), TOLERANCE * params.price)


# Advice to seats, from views only


def advise(view: View) -> dict[str, str]:
    """Theoretical advice to the seat of a view, from the view alone; unknown parameters are named.

    To a buyer: how likely high quality must be for the product to be worth its price, and whether the prior is enough.
    To a seller: what the buyer does on the prior alone, and how often the best policy of a seller who can commit
    recommends low quality (`persuasion_rate`).
    """
    hidden = {
        "the probability of high quality": view.prior,
        "what the products are worth to the buyer": view.high_value,
        "the number of rounds": 1 if view.myopic and view.seat == BUYER else view.rounds,
    }
    unknown = [name for name, value in hidden.items() if value == UNKNOWN]
    out: dict[str, str] = {"not known to you": ", ".join(unknown)} if unknown else {}
    if view.over:
        return {**out, "advice": "the game is over"}
    if view.high_value == UNKNOWN:
        return {**out, "advice": "without the buyer's values no policy can be computed"}
    needed = buying_threshold(view.high_value, view.low_value)
    out["buying pays"] = f"if high quality is at least {needed:.1%} likely"
    if view.prior != UNKNOWN:
        out["on the prior alone a buyer"] = "buys" if view.prior >= needed - TOLERANCE else "declines"
        if view.seat == SELLER:
            rate = persuasion_rate(view.prior, view.high_value, view.low_value)
            out["best policy for a seller who can commit"] = (
                f"recommend high quality always, low with chance {rate:.1%}"
            )
    return out


def buying_threshold(high_value: float, low_value: float) -> float:
    """The smallest probability of high quality with which a product is worth its price.

    (1 - u) / (v - u), with v >= 1 and u in [0, 1] the worth of high and low quality as a fraction of the price.
    """
    return 0.0 if low_value >= 1.0 else (1.0 - low_value) / (high_value - low_value)


# The buyer in hindsight


def signal_counts(rounds: Iterable[Round]) -> dict[Hashable, tuple[int, int]]:
    """Counts of (high, low) quality by signal."""
    counts: dict[Hashable, list[int]] = defaultdict(lambda: [0, 0])
    for signal, high, _ in rounds:
        counts[signal][not high] += 1  # high at index 0, low at 1
    return {signal: (high, low) for signal, (high, low) in counts.items()}


def empirical_posteriors(rounds: Iterable[Round]) -> dict[Hashable, float]:
    """Empirical share of high quality by signal (see `is_worth_price`)."""
    return {signal: high / (high + low) for signal, (high, low) in signal_counts(rounds).items()}


def hindsight_payoff(params: Params, rounds: Iterable[Round]) -> float:
    """Payoff of the best fixed response to each signal in hindsight, in dollars.

    For every signal: buy always if its products are worth their price on average, else never.
    """
    counts = signal_counts(rounds).values()
    return validate_setting(params).price * sum(max(_surplus(params, high, low), 0.0) for high, low in counts)


def buyer_regret(params: Params, rounds: Sequence[Round]) -> float:
    """Mean regret of the buyer per round: `hindsight_payoff` minus its payoff.

    Returns:
        Dollars per round; 0 without rounds. Negative for a buyer that adapted its responses, for example when an honest
        seller started to deceive.
    """
    bought = [bool(one.high) for one in rounds if one.bought]
    earned = params.price * _surplus(validate_setting(params), sum(bought), len(bought) - sum(bought))
    return (hindsight_payoff(params, rounds) - earned) / len(rounds) if rounds else 0.0


class Violations(NamedTuple):
    """Counts of one seat's violations of rationality, and of its moves.

    High quality is never worth less than its price, so a buyer who may take a signal for proof of high quality can
    always justify to buy; only where high quality is known not to occur it cannot. The next two counts compare with
    the babbling equilibrium (`equilibrium_payoffs`), in which signals mean nothing; they are no mistakes
    against a seller whose signals do. Buyers who do not know the prior have nothing to compare with and are not
    counted. The last two need no theory; they show whether signals are heard. A seller who sends words gives no signal
    that could be read here.

    Attributes:
        bought_at_sure_loss: Bought where quality is known to be low for certain, and worth less than its price.
        declined_sure_gain: Declined where the product was known to be worth more than its price for certain.
        bought_below_price: Bought although, by the prior, the product was worth less than its price.
        declined_above_price: Declined although, by the prior, it was worth more.
        bought_discouraged: Bought what the seller had advised against.
        declined_recommended: Declined what the seller had recommended.
    """

    signals: int = 0
    decisions: int = 0
    bought_at_sure_loss: int = 0
    declined_sure_gain: int = 0
    bought_below_price: int = 0
    declined_above_price: int = 0
    bought_discouraged: int = 0
    declined_recommended: int = 0


def _count_violations(params: Params, state: State, seat: int, move: Move) -> dict[str, int]:
    if seat != BUYER:
        return {"signals": 1}
    # Values of the qualities that can occur: at a prior of 0 or 1 one of them cannot.
    worth = [params.low_value] * (params.prior < 1.0) + [params.high_value] * (params.prior > 0.0)
    mean = params.prior * params.high_value + (1.0 - params.prior) * params.low_value
    known = params.buyer_knows_prior
    if move.kind == BUY:
        return {
            "decisions": 1,
            "bought_at_sure_loss": int(known and max(worth) < 1.0 - TOLERANCE),
            "bought_below_price": int(known and mean < 1.0 - TOLERANCE),
            "bought_discouraged": int(state.said == DISCOURAGE),
        }
    return {
        "decisions": 1,
        "declined_sure_gain": int(known and min(worth) > 1.0 + TOLERANCE),
        "declined_above_price": int(known and mean > 1.0 + TOLERANCE),
        "declined_recommended": int(state.said == RECOMMEND),
    }


individual_rationality_violations = partial(tally_moves, rules, validate_setting, _count_violations, Violations)
"""``individual_rationality_violations(params, events)`` counts the buyer's violations of individual rationality in a
played game; see `tally_moves`. The seller has none: a sale pays it the same after every signal."""
