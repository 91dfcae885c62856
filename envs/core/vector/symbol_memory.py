"""Received symbols in batches of games (see `econzoo.envs.core.contract.symbols`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from econzoo.envs.core.contract import NO_SYMBOL, symbol_count
from econzoo.envs.core.vector.layout import CannotCompileError

if TYPE_CHECKING:
    from econzoo.envs.core.contract import ActionSchema, Game


class SymbolMemory:
    """Last symbol from each seat to each other seat of each game.

    Attributes:
        last: Last symbols, int8 of shape (games, receiver, sender); `NO_SYMBOL` for none.
        speaks: Whether a seat may send symbols under each parameter set, bool of shape (sets, seats).
    """

    def __init__(
        self, game: Game, actions: ActionSchema, sets: Sequence[Mapping[str, Any]], num_games: int, seats: int
    ) -> None:
        self.symbols = actions.symbols
        self.speaks = np.array([seat_speaks(game, public, seats) for public in sets])
        self.last = np.full((num_games, seats, seats), NO_SYMBOL, np.int8)
        # For each kind of move with symbols, indices of its numbers that name receivers; empty: all seats.
        self._to: dict[int, list[int]] = {}
        for index, kind in enumerate(actions.kinds):
            if kind.message:
                to, names = kind.marks[kind.message].recipients, kind.slot_names(actions.group)
                self._to[index] = [place for place, name in enumerate(names) if name in to]
                if game.rules.sees and not to:
                    problem = "its rules restrict who observes moves, so the receivers of symbols are unknown"
                    raise CannotCompileError(f"{game.name}: {problem}; use messages=True or gymnasium.make_vec")
        self._others = np.array([[other for other in range(seats) if other != seat] for seat in range(seats)])

    def clear(self, started: np.ndarray) -> None:
        """Clear the symbols of games that start, given flags of shape (games,)."""
        self.last[started] = NO_SYMBOL

    def record_symbols(
        self, sent_symbols: np.ndarray, turns: np.ndarray, kinds: np.ndarray, values: np.ndarray, wrong: np.ndarray
    ) -> None:
        """Record the symbols of played moves.

        Args:
            sent_symbols: Symbols, int64 with the shape of `kinds`; `NO_SYMBOL`: none.
            turns: Seat that was to act, if a single one, int64 of shape (games,).
            kinds: Kinds of the moves, int64 of shape (games, 1), or (games, seats) where seats move at once.
            values: Numbers of the moves, float64 of shape (games, numbers of all moves of a row).
            wrong: Seats whose symbols are dropped (not allowed, or no move), bool of shape (games, seats).
        """
        rows, columns = np.arange(len(kinds)), kinds.shape[1]
        width = values.shape[1] // columns
        for column in range(columns):
            seats = np.maximum(turns, 0) if columns == 1 else np.full(len(kinds), column)
            sent = (sent_symbols[:, column] != NO_SYMBOL) & ~wrong[rows, seats]
            for kind, to in self._to.items():
                games = np.flatnonzero(sent & (kinds[:, column] == kind))
                speaking, symbols = seats[games], sent_symbols[games, column]
                if not to:
                    self.last[games, :, speaking] = symbols[:, None]
                for place in to:
                    listening = values[games, column * width + place].astype(np.int64)
                    self.last[games, listening, speaking] = symbols

    def features(self, seats: np.ndarray, games: np.ndarray) -> np.ndarray:
        """Features of received symbols, float32 (games, (seats - 1) * symbols), as `last_symbol_features` of faces."""
        last = self.last[games[:, None], seats[:, None], self._others[seats]]
        return (last[:, :, None] == np.arange(self.symbols)).astype(np.float32).reshape(len(games), -1)


def seat_speaks(game: Game, public: Mapping[str, Any], seats: int) -> list[bool]:
    """Return whether each seat may send symbols under these public parameters."""
    return [bool(game.message_mode(public, seat)) for seat in range(seats)]


def common_symbol_count(game: Game, sets: Sequence[Mapping[str, Any]]) -> int:
    """Return the common number of symbols of parameter sets; 0 if messages are free text or off."""
    counts = {symbol_count({**game.defaults, **public}) for public in sets}
    if len(counts) > 1:
        raise ValueError(
            f"{game.name}: invalid messages={sorted(counts)}: expected one number of symbols for all games"
        )
    return counts.pop()
