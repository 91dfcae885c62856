"""The days of recorded matches of the ALYMPICS games: the rules are run again on the moves of a record."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from econzoo.envs.core.contract.game import CHANCE, DONE, PASS, Move
from econzoo.envs.core.contract.rules import Rules
from econzoo.envs.core.record.record import Record
from econzoo.envs.core.registry import game as find_game
from econzoo.envs.families.survival.metrics import Day
from econzoo.envs.games.guess_average import rules as guess_average
from econzoo.envs.games.guess_average.indicators import Round
from econzoo.envs.games.survival_auction import rules as survival_auction
from econzoo.envs.games.water_allocation import rules as water_allocation
from econzoo.evaluate.analyses.solutions import moves

WATER, GUESS, AUCTION = "water_allocation", "guess_average", "survival_auction"
"""Names of the games."""

RESULTS: dict[str, Callable[..., tuple[Any, ...]]] = {
    WATER: water_allocation.results,
    GUESS: guess_average.results,
    AUCTION: survival_auction.results,
}
"""What a round led to, one result a seat, those that are out included."""

Amounts = tuple[float, ...]
"""One a seat; NaN for seats that are out."""


class Step(NamedTuple):
    """One round in which all moved at once.

    Attributes:
        state_before: Position in which they moved.
        amounts: What each seat named; NaN for those that were out.
        state_after: Position that followed.
        results: What everybody learned, one a seat.
    """

    state_before: Any
    amounts: Amounts
    state_after: Any
    results: tuple[Any, ...]


def params_of(record: Record) -> Any:
    """The rules' parameters of a record.

    Raises:
        ValueError: They are not allowed.
    """
    return find_game(record.game).params(**record.params)[1]


def steps(record: Record) -> Iterator[Step]:
    """The rounds of a match in which all move at once; one that was broken off in the middle is left out.

    Raises:
        ValueError: The moves do not fit the rules.
    """
    game, params = find_game(record.game), params_of(record)
    rules, state = game.rules, game.rules.initial(params)
    draws, played = iter(record.chance), iter(moves(game, record))
    while (turn := rules.to_act(params, state)) != DONE:
        if turn == CHANCE:
            drawn = next(draws, None)
            if drawn is None:
                return
            state = rules.apply(params, state, (Move(CHANCE, (drawn,)),))
            continue
        seats = [seat for seat in range(len(record.players)) if rules.alive(params, state, seat)]  # type: ignore[misc]
        given = [move for _, move in zip(seats, played, strict=False)]
        if len(given) < len(seats):
            return
        yield (step := _apply_moves(rules, params, state, seats, given, record))
        state = step.state_after


def _apply_moves(rules: Rules, params: Any, state: Any, seats: list[int], given: list[tuple], record: Record) -> Step:
    if [(seat, round) for seat, round, _, _ in given] != [(seat, state.round) for seat in seats]:
        raise ValueError(f"match {record.id}: the moves of round {state.round} do not fit the rules")
    named = {seat: amount for seat, _, _, amount in given}
    kinds = {seat: kind for seat, _, kind, _ in given}
    seated = range(len(record.players))
    moved = tuple([Move(kinds.get(seat, PASS), (named.get(seat, 0.0),)) for seat in seated])
    after = rules.apply(params, state, moved)
    amounts = tuple([named.get(seat, math.nan) for seat in range(len(record.players))])
    return Step(state, amounts, after, RESULTS[record.game](params, state, moved, after))


def days_of(record: Record, game: str) -> list[Any]:
    """The days or rounds of a match that are over, as the indicators of its game want them.

    Args:
        record: The match.
        game: Name of the game that it has to be of, one of `DAYS`.

    Raises:
        ValueError: It is a match of another game, or its moves do not fit the rules.
    """
    if record.game != game:
        raise ValueError(f"a match of {record.game} has no days of {game}; give a record of {game}")
    return [DAYS[game](step) for step in steps(record)]


def water_day(step: Step) -> Day:
    """A day of water_allocation."""
    order = sorted([(one.place, seat) for seat, one in enumerate(step.results) if one.place])
    return _day(step, int(step.state_before.supply), tuple([seat for _, seat in order]))


def auction_day(step: Step) -> Day:
    """A day of survival_auction: the water is enough for one."""
    return _day(step, 1, tuple([seat for seat, one in enumerate(step.results) if one.won]))


def _day(step: Step, supply: int, winners: tuple[int, ...]) -> Day:
    now, then, left = step.state_before, step.state_after, tuple([one.balance for one in step.results])
    return Day(now.round, supply, step.amounts, now.balance, winners, left, then.health, then.dry, then.died)


def guess_round(step: Step) -> Round:
    """A round of guess_average."""
    then = step.state_after
    won = tuple([bool(one) for one in then.won])
    return Round(step.state_before.round, step.amounts, then.mean, then.target, won, then.health)


DAYS: dict[str, Callable[[Step], Any]] = {
    WATER: water_day,
    GUESS: guess_round,
    AUCTION: auction_day,
}
"""What makes a day or round of a `Step`, by the name of the game."""
