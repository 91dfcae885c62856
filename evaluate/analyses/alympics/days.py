"""The days of recorded matches of the ALYMPICS games, obtained by replaying their moves."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import CHANCE, DONE, PASS, Move, Rules
from econzoo.envs.core.record import Record
from econzoo.envs.families.survival import Day
from econzoo.envs.games.guess_average import rules as guess_average
from econzoo.envs.games.guess_average.indicators import Round
from econzoo.envs.games.survival_auction import rules as survival_auction
from econzoo.envs.games.water_allocation import rules as water_allocation
from econzoo.evaluate.analyses import moves

WATER, GUESS, AUCTION = "water_allocation", "guess_average", "survival_auction"
"""Names of the games."""

RESULTS: dict[str, Callable[..., tuple[Any, ...]]] = {
    WATER: water_allocation.results,
    GUESS: guess_average.results,
    AUCTION: survival_auction.results,
}
"""Game to the results of a round, one per seat, eliminated seats included."""

Amounts = tuple[float, ...]
"""One per seat; NaN for eliminated seats."""


class Step(NamedTuple):
    """One round of simultaneous moves.

    Attributes:
        amounts: Amount of each seat's move; NaN for eliminated seats.
    """

    state_before: Any
    amounts: Amounts
    state_after: Any
    results: tuple[Any, ...]


def params_of(record: Record) -> Any:
    """Return the rules' parameters of a record."""
    return find_game(record.game).params(**record.params)[1]


def steps(record: Record) -> Iterator[Step]:
    """Yield the complete rounds of a match."""
    game, params = find_game(record.game), params_of(record)
    rules, state = game.rules, game.rules.initial(params)
    draws, played = iter(record.chance), iter(moves(game, record))
    while (turn := rules.to_act(params, state)) != DONE:
        if turn == CHANCE:
            outcome = next(draws, None)
            if outcome is None:
                return
            state = rules.apply(params, state, (Move(CHANCE, (outcome,)),))
            continue
        seats = [seat for seat in range(len(record.players)) if rules.alive(params, state, seat)]  # type: ignore[misc]
        # `seats` first: `zip` then takes no move beyond that of the last seat.
        round_moves = [move for _, move in zip(seats, played, strict=False)]
        if len(round_moves) < len(seats):  # the match was broken off within the round
            return
        yield (step := _apply_moves(rules, params, state, seats, round_moves, record))
        state = step.state_after


def _apply_moves(rules: Rules, params: Any, state: Any, seats: list[int], played: list[tuple], record: Record) -> Step:
    if [(seat, round) for seat, round, _, _ in played] != [(seat, state.round) for seat in seats]:
        raise ValueError(f"match {record.id}: the moves of round {state.round} violate the rules")
    amount_of = {seat: amount for seat, _, _, amount in played}
    kinds = {seat: kind for seat, _, kind, _ in played}
    all_seats = range(len(record.players))
    joint_move = tuple([Move(kinds.get(seat, PASS), (amount_of.get(seat, 0.0),)) for seat in all_seats])
    after = rules.apply(params, state, joint_move)
    amounts = tuple([amount_of.get(seat, math.nan) for seat in all_seats])
    return Step(state, amounts, after, RESULTS[record.game](params, state, joint_move, after))


def days_of(record: Record, game: str) -> list[Any]:
    """Return the complete days or rounds of a match, in the format of its game's indicators."""
    if record.game != game:
        raise ValueError(f"invalid record of {record.game}: expected a match of {game}")
    return [DAYS[game](step) for step in steps(record)]


def water_day(step: Step) -> Day:
    order = sorted([(one.place, seat) for seat, one in enumerate(step.results) if one.place])
    return _day(step, int(step.state_before.supply), tuple([seat for _, seat in order]))


def auction_day(step: Step) -> Day:
    """Convert a step to a day of survival_auction, whose supply is one unit."""
    return _day(step, 1, tuple([seat for seat, one in enumerate(step.results) if one.won]))


def _day(step: Step, supply: int, winners: tuple[int, ...]) -> Day:
    before, after, left = step.state_before, step.state_after, tuple([one.balance for one in step.results])
    return Day(before.round, supply, step.amounts, before.balance, winners, left, after.health, after.dry, after.died)


def guess_round(step: Step) -> Round:
    after = step.state_after
    won = tuple([bool(one) for one in after.won])
    return Round(step.state_before.round, step.amounts, after.mean, after.target, won, after.health)


DAYS: dict[str, Callable[[Step], Any]] = {
    WATER: water_day,
    GUESS: guess_round,
    AUCTION: auction_day,
}
"""Game to the function that converts a `Step` to a day or round."""
