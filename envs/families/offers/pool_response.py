"""The best that a seat can do against an opponent drawn from a known pool, where two seats haggle over one number.

For opponents that look only at the round and at the amount they have to answer: what each of them asks for and takes is
then a list by rounds (`schedule`), whatever has been played. Somebody who knows market and pool, and that each opponent
is as likely, learns who it is from its asks and from what it refuses. The value of the best such plan (Bayes-adaptive:
Duff 2002; for bargaining against unknown types, Sobel and Takahashi 1983) follows by backward induction over the rounds
and over the set of opponents that would have done all that was seen. One who draws uniformly is among them with the
probability of what was seen.

What is exact. Amounts are numbers on a continuum, and opponents are monotone: who takes an amount takes every milder
one, and who ends the game over one that it does not take does so over all of these. Then no amounts are worth naming
but the boldest that some opponent takes, found by bisection (`COARSE`), and one that is bolder than all.

What is known. The plan is that of somebody who knows the opponents' side too, a private value or discount factor: a
ceiling of full information. What no seat is told it does not know: where the last round is hidden it plans for a far
one (`econzoo.envs.families.offers.horizon.as_told`), and in a match that ends before nobody may come to as much.

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
from econzoo.envs.families.offers.best_response import Haggling, Opponent, best_response
from econzoo.envs.families.offers.horizon import as_told

COARSE = 2.0**20
"""The boldest amount that is taken is found to so many times `Haggling.precision`: about 1e-10 of the scale."""


class Round(NamedTuple):
    """What an opponent does in one round, whatever came before.

    Attributes:
        amount: In its own rounds what it names; in ours the boldest that it takes, None if it takes nothing.
        payoff: What agreement on that pays us; 0 without one.
        leaves: Whether it ends the game over bolder amounts.
    """

    amount: float | None
    payoff: float
    leaves: bool = False


class Drawn(NamedTuple):
    """What one does in a round who draws uniformly among its moves.

    Attributes:
        takes: Probability that it takes any amount.
        leaves: Probability that it ends the game over any amount.
        payoffs: Of agreement on what it names: uniform between these two, the lower first.
    """

    takes: float
    leaves: float
    payoffs: tuple[float, float]


Schedule = tuple[Round, ...]
"""What an opponent does round by round; round t at index t - 1."""


def rounds(game: Haggling) -> Iterator[Any]:
    """The position at the start of each round, had nothing been agreed before."""
    rules, state = game.rules, game.rules.initial(game.params)
    while not state.over:
        yield state
        offered = rules.apply(game.params, state, (Move(rules.OFFER, (game.amounts[0],)),))
        state = rules.apply(game.params, offered, (Move(rules.REJECT, (0.0,)),))


def after(game: Haggling, state: Any, *kinds: int, amount: float = 0.0) -> Any:
    """The position after moves of these kinds, with the amount in each that has one."""
    for kind in kinds:
        state = game.rules.apply(game.params, state, (Move(kind, (amount if kind == game.rules.OFFER else 0.0,)),))
    return state


def paid(game: Haggling, state: Any, amount: float) -> float:
    """What agreement on an amount in this round pays the seat."""
    agreed = after(game, state, game.rules.OFFER, game.rules.ACCEPT, amount=amount)
    return float(game.rules.payoffs(game.params, agreed)[game.seat])


def schedule(game: Haggling, opponent: Opponent) -> Schedule:
    """What an opponent that looks only at the round does in each round.

    Args:
        game: As `best_response` takes it.
        opponent: It must not look at anything earlier than the amount that it has to answer.
    """
    return tuple(_of_round(game, opponent, state) for state in rounds(game))


def _of_round(game: Haggling, opponent: Opponent, state: Any) -> Round:
    if game.rules.to_act(game.params, state) != game.seat:
        amount = opponent(game.params, state, 1 - game.seat, ())[1][0]
        return Round(amount, paid(game, state, amount))
    boldest, leaves = _boldest(game, lambda amount: _answer(game, opponent, state, amount))
    return Round(boldest, 0.0 if boldest is None else paid(game, state, boldest), leaves)


def _answer(game: Haggling, opponent: Opponent, state: Any, amount: float) -> Any:
    """The position after our amount and the opponent's answer."""
    offered = after(game, state, game.rules.OFFER, amount=amount)
    return game.rules.apply(game.params, offered, (opponent(game.params, offered, 1 - game.seat, ()),))


def _boldest(game: Haggling, answer: Callable[[float], Any]) -> tuple[float | None, bool]:
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
    while abs(bold - mild) > COARSE * game.precision:
        middle = mild + (bold - mild) / 2.0
        mild, bold = (middle, bold) if answer(middle).agreed else (mild, middle)
    return mild, answer(bold).over


def drawn_schedule(game: Haggling) -> tuple[Drawn, ...]:
    """What the player does round by round who draws uniformly among kinds of move and usual amounts.

    Raises:
        ValueError: Amounts have no limit here that makes sense, and this player takes any of them.
    """
    if not game.limited:
        raise ValueError("no best response exists to a player that takes any amount where amounts have no limit")
    return tuple(_drawn(game, state) for state in rounds(game))


def _drawn(game: Haggling, state: Any) -> Drawn:
    rules, params, other = game.rules, game.params, 1 - game.seat
    if rules.to_act(params, state) == game.seat:
        waiting = after(game, state, rules.OFFER, amount=game.amounts[0])
        kinds = [kind for kind, legal in enumerate(rules.legal(params, waiting, other)) if legal]
        ends = [after(game, waiting, kind) for kind in kinds]
        left = sum(one.over and not one.agreed and kind != rules.REJECT for kind, one in zip(kinds, ends, strict=True))
        return Drawn(1 / len(kinds), left / len(kinds), (0.0, 0.0))
    ((least, most),) = getattr(rules, "span", rules.bounds)(params, state, other)
    low, high = sorted((paid(game, state, least), paid(game, state, most)))
    return Drawn(0.0, 0.0, (low, high))


def expected_best(otherwise: float, low: float, high: float) -> float:
    """The mean of the larger of a number and one that is uniform between two."""
    if otherwise >= high or high == low:
        return max(otherwise, high)
    reached = max(otherwise, low)
    return (otherwise * (reached - low) + (high * high - reached * reached) / 2) / (high - low)


class Plan:
    """The best plan against an opponent that is one of several, by backward induction over rounds and over who is left.

    Args:
        game: As `best_response` takes it.
        known: What each of them does; see `schedule`.
        drawn: What those do who draw uniformly; see `drawn_schedule`.
    """

    def __init__(self, game: Haggling, known: Sequence[Schedule], drawn: Sequence[Drawn] = ()) -> None:
        self.known, self.drawn = known, drawn
        states = list(rounds(game))
        self.ours = [game.rules.to_act(game.params, state) == game.seat for state in states]
        self.most = [
            paid(game, state, game.amounts[-1]) if mine else 0.0 for state, mine in zip(states, self.ours, strict=True)
        ]
        self.value = lru_cache(None)(self._value)

    def _value(self, index: int, left: tuple[int, ...], drawing: float = 0.0) -> float:
        """What the best plan earns from a round on, summed over those who are left.

        Args:
            index: The round less 1.
            left: Places in `known`, ascending.
            drawing: The weight of those who draw.
        """
        if index == len(self.ours) or not (left or drawing):
            return 0.0
        if self.ours[index]:
            return max(self.naming(index, left, payoff, drawing) for payoff in self.worth_naming(index, left))
        return self._answering(index, left, drawing)

    def worth_naming(self, index: int, left: Iterable[int]) -> set[float]:
        """What the amounts would pay that are worth naming: the boldest that somebody takes, and the boldest of all."""
        edges = (self.known[one][index] for one in left)
        return {self.most[index], *(edge.payoff for edge in edges if edge.amount is not None)}

    def naming(self, index: int, left: Iterable[int], payoff: float, drawing: float = 0.0) -> float:
        """What the best plan earns that begins by naming the amount that pays so much."""
        taken, refused = 0, []
        for one in left:
            edge = self.known[one][index]
            if edge.amount is not None and edge.payoff >= payoff:
                taken += 1
            elif not edge.leaves:
                refused.append(one)
        luck = self.drawn[index] if drawing else Drawn(0.0, 0.0, (0.0, 0.0))
        later = self.value(index + 1, tuple(refused), drawing * (1 - luck.takes - luck.leaves))
        return (taken + drawing * luck.takes) * payoff + later

    def _answering(self, index: int, left: tuple[int, ...], drawing: float) -> float:
        """Each amount that may be named tells those apart who would name it."""
        alike: dict[float | None, list[int]] = {}
        for one in left:
            alike.setdefault(self.known[one][index].amount, []).append(one)
        found = sum(self.answering(index, tuple(group)) for group in alike.values())
        if drawing:
            found += drawing * expected_best(self.value(index + 1, (), 1.0), *self.drawn[index].payoffs)
        return found

    def answering(self, index: int, group: tuple[int, ...]) -> float:
        """The better of accepting the amount that all of a group name and of going on."""
        return max(len(group) * self.known[group[0]][index].payoff, self.value(index + 1, group))


class Reply(NamedTuple):
    """What the best response to one opponent earns, in parts of the money; if not exact, at least that."""

    gain: float
    exact: bool


class PoolResponse(NamedTuple):
    """The best replies to the opponents of a pool.

    Attributes:
        gain: What the best plan earns of somebody who is not told who it meets: the mean over the pool, in parts of
            the money. Against opponents that remember it counts what one earns who is told.
        known: The best response to each opponent, first those given, then those who draw.
    """

    gain: float
    known: tuple[Reply, ...]


def pool_response(
    game: Callable[[Any, int, int], Haggling],
    params: Any,
    seat: int,
    opponents: Sequence[Any],
    drawing: int = 0,
    **how: Any,
) -> PoolResponse:
    """The most that a seat can earn against opponents from a known pool, each as likely; see the module.

    Args:
        game: The game as the search sees it, from ``params``, ``seat`` and ``grid``.
        params: The market, all of it known that some seat is told.
        seat: The seat that replies, 0 or 1.
        opponents: Each with its ``memory``; those whose is ``"history"`` are searched one by one.
        drawing: How many more draw uniformly among their moves.
        **how: For that search: ``grid``, ``width``, as `best_response` takes them.

    Raises:
        ValueError: The pool is empty, an argument is out of range, or see `drawn_schedule`.
    """
    if not opponents and not drawing:
        raise ValueError("the pool is empty; allowed: at least one opponent")
    haggling = game(params := as_told(params), seat, 2)
    forgetting = [one for one in opponents if one.memory == "round"]
    drawn = drawn_schedule(haggling) if drawing else ()
    plan = Plan(haggling, [schedule(haggling, one) for one in forgetting], drawn)

    def reply(one: Any) -> Reply:
        if one in forgetting:
            return Reply(plan.value(0, (forgetting.index(one),)) / params.money, True)
        found = best_response(game, params, seat, one, memory=one.memory, **how)
        return Reply(found.value / params.money, found.exact)

    known = [*map(reply, opponents), *(Reply(plan.value(0, (), 1.0) / params.money, True) for _ in range(drawing))]
    told = sum(one.gain for one, who in zip(known, opponents, strict=False) if who not in forgetting)
    unsure = plan.value(0, tuple(range(len(forgetting))), float(drawing)) / params.money
    return PoolResponse((unsure + told) / len(known), tuple(known))


def at_stake(
    game: Callable[[Any, int, int], Haggling],
    params: Any,
    seat: int,
    opponent: Any,
    waiting: Sequence[tuple[int, float]],
) -> list[float]:
    """What accepting pays a seat more than rejecting does and going on in the best way, told who the opponent is.

    Args:
        game: The game as the search sees it, from ``params``, ``seat`` and ``grid``.
        params: The market, all of it known that some seat is told.
        seat: Who answers.
        opponent: One that looks only at the round; None: one that draws uniformly among its moves.
        waiting: Round and amount of the offers that it answers.

    Returns:
        For each of them, in parts of the money; below 0 where rejecting is better.

    Raises:
        ValueError: See `drawn_schedule`.
    """
    told = as_told(params, max((round for round, _ in waiting), default=1))
    haggling = game(told, seat, 2)
    known = [] if opponent is None else [schedule(haggling, opponent)]
    plan = Plan(haggling, known, () if known else drawn_schedule(haggling))
    left, drawing = tuple(range(len(known))), float(opponent is None)
    starts = list(rounds(haggling))
    return [
        (paid(haggling, starts[round - 1], amount) - plan.value(round, left, drawing)) / params.money
        for round, amount in waiting
    ]
