"""Positions of a bargaining game in shares of the money, as a strategy's table shows them."""

from __future__ import annotations

from bisect import bisect_left

from econzoo.baselines.bargaining import make_opponent
from econzoo.envs.core.contract import Move
from econzoo.envs.games.bargaining.rules import ACCEPT, NO_OFFER, OFFER, REJECT, Params, State

MONEY = 100.0


def market(
    delta: tuple[float, float] = (0.9, 0.9), horizon: int | None = 12, told: bool = True, money: float = MONEY
) -> Params:
    """A market; a horizon of None is unknown and ends after 99 rounds."""
    return Params(money, delta, 99 if horizon is None else horizon, horizon is not None, told)


def ask(spec: str, params: Params, round: int) -> float:
    """Share that a strategy without memory asks for in a round."""
    state = State(round, False, (NO_OFFER, NO_OFFER), False, False)
    move = make_opponent(spec)(params, state, (round + 1) % 2, ())
    assert move.kind == OFFER
    return move.values[0] / params.money


def accepts(spec: str, params: Params, round: int, share: float) -> bool:
    """Whether a strategy without memory accepts a share of the money in a round."""
    proposer = (round + 1) % 2
    asked = [NO_OFFER, NO_OFFER]
    asked[proposer] = params.money - share * params.money
    move = make_opponent(spec)(params, State(round, True, (asked[0], asked[1]), False, False), 1 - proposer, ())
    assert move.kind in (ACCEPT, REJECT)
    return move.kind == ACCEPT


def least(spec: str, params: Params, round: int) -> float:
    """The smallest share that a strategy without memory accepts in a round, to four digits."""
    return bisect_left(range(10_000), True, key=lambda step: accepts(spec, params, round, step / 10_000)) / 10_000


def story(*asks: float) -> tuple[State, tuple[tuple[int, int, Move], ...]]:
    """The position and history after shares of `MONEY` asked for in turn, all but the last of them rejected."""
    history: list[tuple[int, int, Move]] = []
    asked = [NO_OFFER, NO_OFFER]
    for round, share in enumerate(asks, start=1):
        seat = (round + 1) % 2
        asked[seat] = share * MONEY
        history.append((seat, round, Move(OFFER, (share * MONEY,))))
        history.append((1 - seat, round, Move(REJECT, (0.0,))))
    return State(len(asks), True, (asked[0], asked[1]), False, False), tuple(history[:-1])


def next_ask(spec: str, params: Params, *asks: float) -> float:
    """Share that a strategy asks for after all of these asks were rejected."""
    state, history = story(*asks)
    seat = len(asks) % 2
    after = State(len(asks) + 1, False, state.asked, False, False)
    if asks:
        history = (*history, (seat, len(asks), Move(REJECT, (0.0,))))
    move = make_opponent(spec)(params, after, seat, history)
    assert move.kind == OFFER
    return move.values[0] / params.money


def answers(spec: str, params: Params, *asks: float) -> bool:
    """Whether a strategy accepts the last of these asks."""
    state, history = story(*asks)
    return make_opponent(spec)(params, state, len(asks) % 2, history).kind == ACCEPT
