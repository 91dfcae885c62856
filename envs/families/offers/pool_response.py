"""Bayes-adaptive best response to an opponent drawn from a known pool, in alternating-offers games over one amount.

For opponents that depend only on the round and the pending amount: the behaviour of each is then a list by rounds
(`build_schedule`), whatever was played before. The responder knows the setting and the pool, has a uniform prior over
its opponents, and updates it on their proposals and rejections. The value of the optimal plan (Bayes-adaptive: Duff
2002; bargaining against unknown types: Sobel and Takahashi 1983) follows by backward induction over the rounds and the
set of opponents consistent with the history. A uniformly random player is weighted by the likelihood of the history.

Exactness. Amounts are continuous and opponents monotone: one that accepts an amount accepts every milder one, and one
that ends the game over a rejected amount does so over all of them. Then the only candidate proposals are the boldest
amount that some opponent accepts, found by bisection (`EDGE_PRECISION_FACTOR`), and one that is bolder than all.

Information. The plan knows the opponents' private value or discount factor too: a full-information bound. It does not
know what no seat knows: with an unknown horizon it plans for a far one
(`econzoo.envs.families.offers.horizon.mask_unknown_horizon`), and its value may be out of reach in shorter matches.

Sources:
    Duff, M. (2002). Optimal learning: computational procedures for Bayes-adaptive Markov decision processes. PhD
        thesis, University of Massachusetts Amherst.
    Sobel, J. and Takahashi, I. (1983). A multistage model of bargaining. Review of Economic Studies 50(3), 411-426.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from econzoo.envs.core.contract import Move
from econzoo.envs.families.offers.best_response import OfferGame, Opponent, best_response
from econzoo.envs.families.offers.horizon import mask_unknown_horizon

EDGE_PRECISION_FACTOR = 2.0**20
"""Tolerance of the boldest accepted amount in multiples of `OfferGame.precision`: about 1e-10 of the scale."""


class Round(NamedTuple):
    """Behaviour of an opponent in one round, independent of the history.

    Attributes:
        amount: In its own rounds its proposal; in ours the boldest amount that it accepts, or None.
        payoff: Our payoff from agreement on that amount; 0 without one.
        ends_game: Whether it ends the game over bolder amounts.
    """

    amount: float | None
    payoff: float
    ends_game: bool = False


class RandomRound(NamedTuple):
    """Behaviour in one round of an opponent that draws uniformly among its moves.

    Attributes:
        accept_probability: Probability that it accepts any amount.
        leave_probability: Probability that it ends the game over any amount.
        payoffs: Our payoff from agreement on its proposal is uniform on this interval (low, high).
    """

    accept_probability: float
    leave_probability: float
    payoffs: tuple[float, float]


Schedule = tuple[Round, ...]
"""Behaviour of an opponent by round; round t at index t - 1."""


def round_starts(game: OfferGame) -> Iterator[Any]:
    """Yield the state at the start of each round, without earlier agreement."""
    rules, state = game.rules, game.rules.initial(game.params)
    while not state.over:
        yield state
        offered = rules.apply(game.params, state, (Move(rules.OFFER, (game.amounts[0],)),))
        state = rules.apply(game.params, offered, (Move(rules.REJECT, (0.0,)),))


def apply_kinds(game: OfferGame, state: Any, *kinds: int, amount: float = 0.0) -> Any:
    """Return the state after moves of these kinds, with the amount in each offer."""
    for kind in kinds:
        state = game.rules.apply(game.params, state, (Move(kind, (amount if kind == game.rules.OFFER else 0.0,)),))
    return state


def agreement_payoff(game: OfferGame, state: Any, amount: float) -> float:
    """Payoff to the seat of agreement on an amount in this round."""
    agreed = apply_kinds(game, state, game.rules.OFFER, game.rules.ACCEPT, amount=amount)
    return float(game.rules.payoffs(game.params, agreed)[game.seat])


def build_schedule(game: OfferGame, opponent: Opponent) -> Schedule:
    """Build the schedule of an opponent that depends only on the round and the pending amount."""
    return tuple(_round_behaviour(game, opponent, state) for state in round_starts(game))


def _round_behaviour(game: OfferGame, opponent: Opponent, state: Any) -> Round:
    if game.rules.to_act(game.params, state) != game.seat:
        amount = opponent(game.params, state, 1 - game.seat, ())[1][0]
        return Round(amount, agreement_payoff(game, state, amount))
    boldest, leaves = _find_boldest_accepted(game, lambda amount: _apply_answer(game, opponent, state, amount))
    return Round(boldest, 0.0 if boldest is None else agreement_payoff(game, state, boldest), leaves)


def _apply_answer(game: OfferGame, opponent: Opponent, state: Any, amount: float) -> Any:
    """Return the state after our proposal and the opponent's answer."""
    offered = apply_kinds(game, state, game.rules.OFFER, amount=amount)
    return game.rules.apply(game.params, offered, (opponent(game.params, offered, 1 - game.seat, ()),))


def _find_boldest_accepted(game: OfferGame, answer: Callable[[float], Any]) -> tuple[float | None, bool]:
    """Find the boldest accepted amount, and whether bolder ones end the game."""
    # Bisection over the amounts, then between two of them, as the opponent is monotone.
    amounts, low, high = game.amounts, -1, len(game.amounts)
    while high - low > 1:
        place = (low + high) // 2
        low, high = (place, high) if answer(amounts[place]).agreed else (low, place)
    if high == len(amounts):
        return amounts[-1], False
    if low < 0:
        return None, answer(amounts[0]).over
    mild, bold = amounts[low], amounts[high]
    while abs(bold - mild) > EDGE_PRECISION_FACTOR * game.precision:
        middle = mild + (bold - mild) / 2.0
        mild, bold = (middle, bold) if answer(middle).agreed else (mild, middle)
    return mild, answer(bold).over


def random_schedule(game: OfferGame) -> tuple[RandomRound, ...]:
    """Build the schedule of a player that draws uniformly among kinds of move and usual amounts."""
    if not game.has_amount_limit:
        raise ValueError("no best response exists: the random player accepts any amount, and amounts are unbounded")
    return tuple(_random_round(game, state) for state in round_starts(game))


def _random_round(game: OfferGame, state: Any) -> RandomRound:
    rules, params, other = game.rules, game.params, 1 - game.seat
    if rules.to_act(params, state) == game.seat:
        waiting = apply_kinds(game, state, rules.OFFER, amount=game.amounts[0])
        kinds = [kind for kind, legal in enumerate(rules.legal(params, waiting, other)) if legal]
        ends = [apply_kinds(game, waiting, kind) for kind in kinds]
        pairs = zip(kinds, ends, strict=True)
        leaves = sum(end.over and not end.agreed and kind != rules.REJECT for kind, end in pairs)
        return RandomRound(1 / len(kinds), leaves / len(kinds), (0.0, 0.0))
    ((least, most),) = getattr(rules, "span", rules.bounds)(params, state, other)
    low, high = sorted((agreement_payoff(game, state, least), agreement_payoff(game, state, most)))
    return RandomRound(0.0, 0.0, (low, high))


def expected_maximum(constant: float, low: float, high: float) -> float:
    """Expected maximum of a constant and a uniform variable on [low, high]."""
    if constant >= high or high == low:
        return max(constant, high)
    reached = max(constant, low)
    return (constant * (reached - low) + (high * high - reached * reached) / 2) / (high - low)


class BayesAdaptivePlan:
    """Optimal plan against an unknown opponent of a pool: backward induction over rounds and consistent opponents."""

    def __init__(
        self, game: OfferGame, schedules: Sequence[Schedule], random_rounds: Sequence[RandomRound] = ()
    ) -> None:
        self.schedules, self.random_rounds = schedules, random_rounds
        states = list(round_starts(game))
        self.is_own_round = [game.rules.to_act(game.params, state) == game.seat for state in states]
        self.boldest_payoffs = [
            agreement_payoff(game, state, game.amounts[-1]) if mine else 0.0
            for state, mine in zip(states, self.is_own_round, strict=True)
        ]
        # A cache of the plan, not of the class, which would keep every plan alive.
        self.value = lru_cache(None)(self._value)

    def _value(self, index: int, remaining: tuple[int, ...], random_weight: float = 0.0) -> float:
        """Value of the optimal plan from a round on, summed over the remaining opponents.

        Args:
            index: The round minus 1.
            remaining: Indices in ``schedules`` of the opponents consistent with the history, ascending.
            random_weight: Expected number of random opponents that are consistent with it.
        """
        if index == len(self.is_own_round) or not (remaining or random_weight):
            return 0.0
        if self.is_own_round[index]:
            return max(
                self.naming_value(index, remaining, payoff, random_weight)
                for payoff in self.candidate_payoffs(index, remaining)
            )
        return self._answer_value(index, remaining, random_weight)

    def candidate_payoffs(self, index: int, remaining: Iterable[int]) -> set[float]:
        """Payoffs of the candidate proposals: the boldest that each opponent accepts, and the boldest of all."""
        edges = (self.schedules[one][index] for one in remaining)
        return {self.boldest_payoffs[index], *(edge.payoff for edge in edges if edge.amount is not None)}

    def naming_value(self, index: int, remaining: Iterable[int], payoff: float, random_weight: float = 0.0) -> float:
        """Value of the optimal plan that starts with the proposal of this payoff."""
        accepting, rejecting = 0, []
        for one in remaining:
            edge = self.schedules[one][index]
            if edge.amount is not None and edge.payoff >= payoff:
                accepting += 1
            elif not edge.ends_game:
                rejecting.append(one)
        uniform = self.random_rounds[index] if random_weight else RandomRound(0.0, 0.0, (0.0, 0.0))
        later = self.value(
            index + 1, tuple(rejecting), random_weight * (1 - uniform.accept_probability - uniform.leave_probability)
        )
        return (accepting + random_weight * uniform.accept_probability) * payoff + later

    def _answer_value(self, index: int, remaining: tuple[int, ...], random_weight: float) -> float:
        """Value of the optimal answer; each proposal identifies the group of opponents that would make it."""
        groups: dict[float | None, list[int]] = {}
        for one in remaining:
            groups.setdefault(self.schedules[one][index].amount, []).append(one)
        value = sum(self.group_answer_value(index, tuple(group)) for group in groups.values())
        # A random proposal equals none of the others with probability 1, so it reveals its player; from then on the
        # value is proportional to the weight, and one cached value of weight 1 serves all.
        if random_weight:
            value += random_weight * expected_maximum(
                self.value(index + 1, (), 1.0), *self.random_rounds[index].payoffs
            )
        return value

    def group_answer_value(self, index: int, group: tuple[int, ...]) -> float:
        """The better of accepting the common proposal of a group and continuing."""
        return max(len(group) * self.schedules[group[0]][index].payoff, self.value(index + 1, group))


class ResponseValue(NamedTuple):
    """Value of the best response to one opponent as a fraction of the money; a lower bound if not exact."""

    gain: float
    exact: bool


class PoolResponse(NamedTuple):
    """Best responses to a pool of opponents.

    Attributes:
        gain: Bayes-adaptive value: mean over the pool with the opponent unknown, as a fraction of the money. Opponents
            with memory count with their full-information value.
        responses: Full-information best response to each opponent: those given, then the random ones.
    """

    gain: float
    responses: tuple[ResponseValue, ...]


def pool_response(
    game: Callable[[Any, int, int], OfferGame],
    params: Any,
    seat: int,
    opponents: Sequence[Any],
    random_count: int = 0,
    **search_options: Any,
) -> PoolResponse:
    """Compute the best responses of a seat to a known pool of equally likely opponents; see the module.

    Args:
        params: The setting, with the private information of both seats.
        opponents: Opponents with their ``memory``; those with ``"history"`` are searched one by one.
        random_count: Number of additional uniformly random opponents.
        **search_options: Passed on to `best_response`: ``grid``, ``width``.
    """
    if not opponents and not random_count:
        raise ValueError("the pool is empty: expected at least one opponent")
    # A grid of the two ends suffices: bisection finds the amounts between them.
    offer_game = game(params := mask_unknown_horizon(params), seat, 2)
    memoryless = [one for one in opponents if one.memory == "round"]
    random_rounds = random_schedule(offer_game) if random_count else ()
    plan = BayesAdaptivePlan(offer_game, [build_schedule(offer_game, one) for one in memoryless], random_rounds)

    def respond(opponent: Any) -> ResponseValue:
        if opponent in memoryless:
            return ResponseValue(plan.value(0, (memoryless.index(opponent),)) / params.money, True)
        best = best_response(game, params, seat, opponent, memory=opponent.memory, **search_options)
        return ResponseValue(best.value / params.money, best.exact)

    responses = [
        *map(respond, opponents),
        *(ResponseValue(plan.value(0, (), 1.0) / params.money, True) for _ in range(random_count)),
    ]
    # The random opponents, at the end of the responses, are in the plan already.
    searched = sum(best.gain for best, one in zip(responses, opponents, strict=False) if one not in memoryless)
    bayes_adaptive = plan.value(0, tuple(range(len(memoryless))), float(random_count)) / params.money
    return PoolResponse((bayes_adaptive + searched) / len(responses), tuple(responses))


def acceptance_stakes(
    game: Callable[[Any, int, int], OfferGame],
    params: Any,
    seat: int,
    opponent: Any,
    offers: Sequence[tuple[int, float]],
) -> list[float]:
    """Compute the payoff of accepting minus that of rejecting and playing on optimally, against a known opponent.

    Args:
        game: Builds the `OfferGame` from ``params``, ``seat`` and ``grid``.
        params: The setting, with the private information of both seats.
        opponent: A memoryless opponent, or None for a uniformly random one.
        offers: (round, amount) of each offer.

    Returns:
        One difference per offer as a fraction of the money; negative if rejecting is better.
    """
    masked = mask_unknown_horizon(params, max((round for round, _ in offers), default=1))
    offer_game = game(masked, seat, 2)
    schedules = [] if opponent is None else [build_schedule(offer_game, opponent)]
    plan = BayesAdaptivePlan(offer_game, schedules, () if schedules else random_schedule(offer_game))
    remaining, random_weight = tuple(range(len(schedules))), float(opponent is None)
    starts = list(round_starts(offer_game))
    return [
        (agreement_payoff(offer_game, starts[round - 1], amount) - plan.value(round, remaining, random_weight))
        / params.money
        for round, amount in offers
    ]
