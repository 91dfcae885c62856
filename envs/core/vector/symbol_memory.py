"""Who has heard which symbol in many games at once (see `econzoo.envs.core.contract.symbols`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from econzoo.envs.core.contract.symbols import NO_SYMBOL, symbol_count
from econzoo.envs.core.vector.layout import CannotCompileError

if TYPE_CHECKING:
    from econzoo.envs.core.contract.actions import ActionSchema
    from econzoo.envs.core.contract.game import Game


class SymbolMemory:
    """The last symbol that each seat of each game has sent to each other.

    Args:
        game: The game.
        actions: Its kinds of move, with symbols.
        sets: Public parameters of which each game has one.
        num_games: Number of games.
        seats: Number of seats.

    Attributes:
        last: int8 of shape (games, who hears, who speaks); `NO_SYMBOL` where nothing was sent.
        speaks: Whether a seat may send symbols with each of the parameters, bool of shape (sets, seats).

    Raises:
        CannotCompileError: The rules say by themselves who sees a move that carries symbols.
    """

    def __init__(
        self, game: Game, actions: ActionSchema, sets: Sequence[Mapping[str, Any]], num_games: int, seats: int
    ) -> None:
        self.symbols = actions.symbols
        self.speaks = np.array([seat_speaks(game, public, seats) for public in sets])
        self.last = np.full((num_games, seats, seats), NO_SYMBOL, np.int8)
        # For each kind of move that carries symbols, places among its numbers that name who hears it; none: all do.
        self._to: dict[int, list[int]] = {}
        for index, kind in enumerate(actions.kinds):
            if kind.message:
                to, names = kind.marks[kind.message].recipients, kind.slot_names(actions.group)
                self._to[index] = [place for place, name in enumerate(names) if name in to]
                if game.rules.sees and not to:
                    told = "its rules say who sees a move, so that no compiled game knows who hears a symbol"
                    raise CannotCompileError(f"{game.name}: {told}; allowed: messages=True, or gymnasium.make_vec")
        self._others = np.array([[other for other in range(seats) if other != seat] for seat in range(seats)])

    def clear(self, started: np.ndarray) -> None:
        """Forgets what was said in games that start; flags of shape (games,)."""
        self.last[started] = NO_SYMBOL

    def record_symbols(
        self, sent_symbols: np.ndarray, turns: np.ndarray, kinds: np.ndarray, values: np.ndarray, wrong: np.ndarray
    ) -> None:
        """Takes in what came with moves that were played.

        Args:
            sent_symbols: Symbols, int64 of the shape of `kinds`; `NO_SYMBOL`: none.
            turns: The seat that was to act where one was, int64 of shape (games,).
            kinds: Of the moves, int64 of shape (games, 1), or (games, seats) where seats move at once.
            values: Their numbers, float64 of shape (games, numbers of all moves of a row).
            wrong: Whose symbols nobody hears: who may not send any, or did not move; bool of shape (games, seats).
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
        """As `econzoo.envs.core.contract.symbols.last_symbol_features`: float32, (games, (seats - 1) * symbols)."""
        last = self.last[games[:, None], seats[:, None], self._others[seats]]
        return (last[:, :, None] == np.arange(self.symbols)).astype(np.float32).reshape(len(games), -1)


def seat_speaks(game: Game, public: Mapping[str, Any], seats: int) -> list[bool]:
    """Whether each seat may send symbols with these public parameters."""
    return [bool(game.message_mode(public, seat)) for seat in range(seats)]


def common_symbol_count(game: Game, sets: Sequence[Mapping[str, Any]]) -> int:
    """How many symbols there are with these public parameters; 0 where words are free or there are none.

    Raises:
        ValueError: They differ.
    """
    found = {symbol_count({**game.defaults, **public}) for public in sets}
    if len(found) > 1:
        raise ValueError(
            f"{game.name}: messages={sorted(found)} is not allowed; allowed: one number of symbols for all"
        )
    return found.pop()
