"""The best that a seat can do against an opponent drawn from a known pool, where two seats haggle over one number.

For opponents that look only at the round and at the amount they have to answer: what each of them asks for and takes is
then a list by rounds (`schedule`), whatever has been played. Somebody who knows market and pool, and that each opponent
is as likely, learns who it is from its asks and from what it refuses. The value of the best such plan (Bayes-adaptive:
Duff 2002; for bargaining against unknown types, Sobel and Takahashi 1983) follows by backward induction over the rounds
and over the set of opponents that would have done all that was seen. One who draws uniformly is among them with the
probability of what was seen.

What is exact. Amounts are numbers on a continuum, and opponents are monotone: who takes an amount takes every milder
one, and who ends the game over one that it does not take does so over all of these. Then no amounts are worth naming
but the boldest that some opponent takes, found by bisection (`EDGE_PRECISION_FACTOR`), and one that is bolder than all.

What is known. The plan is that of somebody who knows the opponents' side too, a private value or discount factor: a
ceiling of full information. What no seat is told it does not know: where the last round is hidden it plans for a far
one (`econzoo.envs.families.offers.horizon.mask_unknown_horizon`), and in a match that ends before nobody may come to as
much.

Sources:
    Duff, M. (2002). Optimal learning: computational procedures for Bayes-adaptive Markov decision processes. PhD
        thesis, University of Massachusetts Amherst.
    Sobel, J. and Takahashi, I. (1983). A multistage model of bargaining. Review of Economic Studies 50(3), 411-426.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from econzoo.envs.core.contract.game import Move
from econzoo.envs.families.offers.best_response import OfferGame, Opponent, best_response
from econzoo.envs.families.offers.horizon import mask_unknown_horizon

EDGE_PRECISION_FACTOR = 2.0**20
"""The boldest amount that is taken is found to so many times `Haggling.precision`: about 1e-10 of the scale."""


class Round(NamedTuple):
    """What an opponent does in one round, whatever came before.

    Attributes:
        amount: In its own rounds what it names; in ours the boldest that it takes, None if it takes nothing.
        payoff: What agreement on that pays us; 0 without one.
        ends_game: Whether it ends the game over bolder amounts.
    """

    amount: float | None
    payoff: float
    ends_game: bool = False


class RandomRound(NamedTuple):
    """What one does in a round who draws uniformly among its moves.

    Attributes:
        accept_probability: Probability that it takes any amount.
        leave_probability: Probability that it ends the game over any amount.
        payoffs: Of agreement on what it names: uniform between these two, the lower first.
    """

    accept_probability: float
    leave_probability: float
    payoffs: tuple[float, float]


Schedule = tuple[Round, ...]
"""What an opponent does round by round; round t at index t - 1."""


def round_starts(game: OfferGame) -> Iterator[Any]:
    """The position at the start of each round, had nothing been agreed before."""
    rules, state = game.rules, game.rules.initial(game.params)
    while not state.over:
        yield state
        offered = rules.apply(game.params, state, (Move(rules.OFFER, (game.amounts[0],)),))
        state = rules.apply(game.params, offered, (Move(rules.REJECT, (0.0,)),))


def apply_kinds(game: OfferGame, state: Any, *kinds: int, amount: float = 0.0) -> Any:
    """The position after moves of these kinds, with the amount in each that has one."""
    for kind in kinds:
        state = game.rules.apply(game.params, state, (Move(kind, (amount if kind == game.rules.OFFER else 0.0,)),))
    return state


def agreement_payoff(game: OfferGame, state: Any, amount: float) -> float:
    """What agreement on an amount in this round pays the seat."""
    agreed = apply_kinds(game, state, game.rules.OFFER, game.rules.ACCEPT, amount=amount)
    return float(game.rules.payoffs(game.params, agreed)[game.seat])


def build_schedule(game: OfferGame, opponent: Opponent) -> Schedule:
    """What an opponent that looks only at the round does in each round.

    Args:
        game: As `best_response` takes it.
        opponent: It must not look at anything earlier than the amount that it has to answer.
    """
    return tuple(_round_behaviour(game, opponent, state) for state in round_starts(game))


def _round_behaviour(game: OfferGame, opponent: Opponent, state: Any) -> Round:
    if game.rules.to_act(game.params, state) != game.seat:
        amount = opponent(game.params, state, 1 - game.seat, ())[1][0]
        return Round(amount, agreement_payoff(game, state, amount))
    boldest, leaves = _find_boldest_accepted(game, lambda amount: _apply_answer(game, opponent, state, amount))
    return Round(boldest, 0.0 if boldest is None else agreement_payoff(game, state, boldest), leaves)


def _apply_answer(game: OfferGame, opponent: Opponent, state: Any, amount: float) -> Any:
    """The position after our amount and the opponent's answer."""
    offered = apply_kinds(game, state, game.rules.OFFER, amount=amount)
    return game.rules.apply(game.params, offered, (opponent(game.params, offered, 1 - game.seat, ()),))


def _find_boldest_accepted(game: OfferGame, answer: Callable[[float], Any]) -> tuple[float | None, bool]:
    """The boldest amount that is taken, and whether bolder ones end the game."""
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
    """What the player does round by round who draws uniformly among kinds of move and usual amounts.

    Raises:
        ValueError: Amounts have no limit here that makes sense, and this player takes any of them.
    """
    if not game.has_amount_limit:
        raise ValueError("no best response exists to a player that takes any amount where amounts have no limit")
    return tuple(_random_round(game, state) for state in round_starts(game))


def _random_round(game: OfferGame, state: Any) -> RandomRound:
    rules, params, other = game.rules, game.params, 1 - game.seat
    if rules.to_act(params, state) == game.seat:
        waiting = apply_kinds(game, state, rules.OFFER, amount=game.amounts[0])
        kinds = [kind for kind, legal in enumerate(rules.legal(params, waiting, other)) if legal]
        ends = [apply_kinds(game, waiting, kind) for kind in kinds]
        left = sum(one.over and not one.agreed and kind != rules.REJECT for kind, one in zip(kinds, ends, strict=True))
        return RandomRound(1 / len(kinds), left / len(kinds), (0.0, 0.0))
    ((least, most),) = getattr(rules, "span", rules.bounds)(params, state, other)
    low, high = sorted((agreement_payoff(game, state, least), agreement_payoff(game, state, most)))
    return RandomRound(0.0, 0.0, (low, high))


def expected_maximum(otherwise: float, low: float, high: float) -> float:
    """The mean of the larger of a number and one that is uniform between two."""
    if otherwise >= high or high == low:
        return max(otherwise, high)
    reached = max(otherwise, low)
    return (otherwise * (reached - low) + (high * high - reached * reached) / 2) / (high - low)


class BayesAdaptivePlan:
    """The best plan against an opponent that is one of several, by backward induction over rounds and over who is left.

    Args:
        game: As `best_response` takes it.
        schedules: What each of them does; see `schedule`.
        random_rounds: What those do who draw uniformly; see `random_schedule`.
    """

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
        self.value = lru_cache(None)(self._value)

    def _value(self, index: int, remaining: tuple[int, ...], random_weight: float = 0.0) -> float:
        """What the best plan earns from a round on, summed over those who are left.

        Args:
            index: The round less 1.
            remaining: Places in `known`, ascending.
            random_weight: The weight of those who draw.
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
        """What the amounts would pay that are worth naming: the boldest that somebody takes, and the boldest of all."""
        edges = (self.schedules[one][index] for one in remaining)
        return {self.boldest_payoffs[index], *(edge.payoff for edge in edges if edge.amount is not None)}

    def naming_value(self, index: int, remaining: Iterable[int], payoff: float, random_weight: float = 0.0) -> float:
        """What the best plan earns that begins by naming the amount that pays so much."""
        taken, refused = 0, []
        for one in remaining:
            edge = self.schedules[one][index]
            if edge.amount is not None and edge.payoff >= payoff:
                taken += 1
            elif not edge.ends_game:
                refused.append(one)
        luck = self.random_rounds[index] if random_weight else RandomRound(0.0, 0.0, (0.0, 0.0))
        later = self.value(
            index + 1, tuple(refused), random_weight * (1 - luck.accept_probability - luck.leave_probability)
        )
        return (taken + random_weight * luck.accept_probability) * payoff + later

    def _answer_value(self, index: int, remaining: tuple[int, ...], random_weight: float) -> float:
        """Each amount that may be named tells those apart who would name it."""
        alike: dict[float | None, list[int]] = {}
        for one in remaining:
            alike.setdefault(self.schedules[one][index].amount, []).append(one)
        found = sum(self.group_answer_value(index, tuple(group)) for group in alike.values())
        if random_weight:
            found += random_weight * expected_maximum(
                self.value(index + 1, (), 1.0), *self.random_rounds[index].payoffs
            )
        return found

    def group_answer_value(self, index: int, group: tuple[int, ...]) -> float:
        """The better of accepting the amount that all of a group name and of going on."""
        return max(len(group) * self.schedules[group[0]][index].payoff, self.value(index + 1, group))


class ResponseValue(NamedTuple):
    """What the best response to one opponent earns, in parts of the money; if not exact, at least that."""

    gain: float
    exact: bool


class PoolResponse(NamedTuple):
    """The best replies to the opponents of a pool.

    Attributes:
        gain: What the best plan earns of somebody who is not told who it meets: the mean over the pool, in parts of
            the money. Against opponents that remember it counts what one earns who is told.
        responses: The best response to each opponent, first those given, then those who draw.
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
    """The most that a seat can earn against opponents from a known pool, each as likely; see the module.

    Args:
        game: The game as the search sees it, from ``params``, ``seat`` and ``grid``.
        params: The market, all of it known that some seat is told.
        seat: The seat that replies, 0 or 1.
        opponents: Each with its ``memory``; those whose is ``"history"`` are searched one by one.
        random_count: How many more draw uniformly among their moves.
        **search_options: For that search: ``grid``, ``width``, as `best_response` takes them.

    Raises:
        ValueError: The pool is empty, an argument is out of range, or see `random_schedule`.
    """
    if not opponents and not random_count:
        raise ValueError("the pool is empty; allowed: at least one opponent")
    haggling = game(params := mask_unknown_horizon(params), seat, 2)
    forgetting = [one for one in opponents if one.memory == "round"]
    drawn = random_schedule(haggling) if random_count else ()
    plan = BayesAdaptivePlan(haggling, [build_schedule(haggling, one) for one in forgetting], drawn)

    def reply(one: Any) -> ResponseValue:
        if one in forgetting:
            return ResponseValue(plan.value(0, (forgetting.index(one),)) / params.money, True)
        found = best_response(game, params, seat, one, memory=one.memory, **search_options)
        return ResponseValue(found.value / params.money, found.exact)

    known = [
        *map(reply, opponents),
        *(ResponseValue(plan.value(0, (), 1.0) / params.money, True) for _ in range(random_count)),
    ]
    told = sum(one.gain for one, who in zip(known, opponents, strict=False) if who not in forgetting)
    unsure = plan.value(0, tuple(range(len(forgetting))), float(random_count)) / params.money
    return PoolResponse((unsure + told) / len(known), tuple(known))


def acceptance_stakes(
    game: Callable[[Any, int, int], OfferGame],
    params: Any,
    seat: int,
    opponent: Any,
    offers: Sequence[tuple[int, float]],
) -> list[float]:
    """What accepting pays a seat more than rejecting does and going on in the best way, told who the opponent is.

    Args:
        game: The game as the search sees it, from ``params``, ``seat`` and ``grid``.
        params: The market, all of it known that some seat is told.
        seat: Who answers.
        opponent: One that looks only at the round; None: one that draws uniformly among its moves.
        offers: Round and amount of the offers that it answers.

    Returns:
        For each of them, in parts of the money; below 0 where rejecting is better.

    Raises:
        ValueError: See `random_schedule`.
    """
    told = mask_unknown_horizon(params, max((round for round, _ in offers), default=1))
    haggling = game(told, seat, 2)
    known = [] if opponent is None else [build_schedule(haggling, opponent)]
    plan = BayesAdaptivePlan(haggling, known, () if known else random_schedule(haggling))
    left, drawing = tuple(range(len(known))), float(opponent is None)
    starts = list(round_starts(haggling))
    return [
        (agreement_payoff(haggling, starts[round - 1], amount) - plan.value(round, left, drawing)) / params.money
        for round, amount in offers
    ]
