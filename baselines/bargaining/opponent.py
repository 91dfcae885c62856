"""Scripted strategies as the pure functions that the search for best responses takes."""

from __future__ import annotations

from typing import Any

from econzoo.baselines.bargaining.base import BargainingPlayer, Seen
from econzoo.baselines.factory import player
from econzoo.baselines.player import Player
from econzoo.envs.core.game import UNKNOWN, Move
from econzoo.envs.games.bargaining import GAME
from econzoo.envs.games.bargaining.best_response import History, Memory
from econzoo.envs.games.bargaining.rules import ACCEPT, OFFER, REJECT, Params, State, observe


class Opponent:
    """A strategy as a function ``opponent(params, state, seat, history) -> Move``.

    It is shown what its seat may know, not the whole state, and answers as it does at the table.

    Args:
        strategy: The strategy.
    """

    def __init__(self, strategy: BargainingPlayer) -> None:
        self.strategy = strategy

    @property
    def memory(self) -> Memory:
        """What the search has to allow for: pass it to `best_response`."""
        return self.strategy.memory

    def __call__(self, params: Params, state: State, seat: int, history: History) -> Move:
        """The move of the strategy in that seat."""
        seen = _seen(params, state, seat, history if self.memory == "history" else ())
        if state.pending:
            return Move(ACCEPT if self.strategy.accepts(seen) else REJECT, 0.0)
        return Move(OFFER, self.strategy.gain(seen))

    def __repr__(self) -> str:
        return f"<opponent {self.strategy.spec}>"


def as_opponent(spec: str | Player) -> Opponent:
    """The strategy of a spec as a function that `best_response` takes.

    Args:
        spec: For example ``"boulware(0.2)"``, or the player itself.

    Returns:
        A callable ``(params, state, seat, history) -> Move`` with the attribute ``memory``.

    Raises:
        ValueError: Unknown spec, or a player that is no function of what its seat has observed.
    """
    strategy = player(spec, GAME.name)
    if not isinstance(strategy, BargainingPlayer):
        raise ValueError(f"player {strategy.spec!r} is not allowed; allowed: a deterministic strategy of {GAME.name}")
    return Opponent(strategy)


def _seen(params: Params, state: State, seat: int, history: History) -> Seen:
    """The structured observation of the seat, as far as strategies read it."""
    view = observe(params, state, seat)
    fields: dict[str, Any] = {k: None if v == UNKNOWN else v for k, v in zip(view._fields, view, strict=True)}
    fields["history"] = tuple(
        {"seat": who, "round": round, "kind": GAME.actions.names[move.kind], "gain": move.amount}
        for who, round, move in history[-6:]
    )
    return fields
