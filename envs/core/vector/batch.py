"""Thousands of games at once as plain arrays: the scalar rules of a game, compiled.

    batch = GameBatch("bargaining", 10_000, {"delta": (0.9, 0.8)})
    payoffs, done = batch.step(kinds, values)     # one move in every game; those that end start again

`econzoo.envs.core.vector.gymnasium_env` makes a Gymnasium vector environment of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from econzoo.envs.core.contract.game import DONE, SEVERAL, Game
from econzoo.envs.core.contract.parameters import check_seed
from econzoo.envs.core.contract.streams import stream
from econzoo.envs.core.env.options import ON_ERROR, check_choice
from econzoo.envs.core.registry import game as game_named
from econzoo.envs.core.vector import kernels as vector_kernels
from econzoo.envs.core.vector.compiling import UNCOMPILED_HINT, compile_game
from econzoo.envs.core.vector.layout import CannotCompileError, describe_array, read_only_view, to_array
from econzoo.envs.core.vector.parameter_sets import parameter_sets
from econzoo.envs.core.vector.symbol_memory import SymbolMemory, common_symbol_count, seat_speaks

POLICIES = {"default": vector_kernels.DEFAULT, "forfeit": vector_kernels.FORFEIT, "raise": vector_kernels.DEFAULT}
MAX_GAMES = 2**31


class GameBatch:
    """Many games of one kind, played in step by array operations.

    Every game stands where the scalar environment would stand after the same moves, to the last bit. All games have
    started when the batch is made. Arrays that come back belong to the caller and are not written to again, except
    `to_act` and `errors`, which are read-only views of the batch as it stands.

    Args:
        game: The game, or its name.
        num_games: How many, >= 1.
        params: Public parameters of all games; or a sequence of them, one for each game (any number if
            `draw_params`); or parameters of which some are arrays with a row for each game.
        seed: Of nature's moves and of drawn parameters.
        on_error: What follows a move that is not legal: ``"default"`` plays the game's default action,
            ``"forfeit"`` ends that game with its payoffs as they stand; both are counted in `errors`. ``"raise"``
            raises `ValueError` before anything is played.
        autoreset: Whether a game that ends starts again at once, in the same step. If not, it waits for `reset`,
            and moves in it do nothing.
        draw_params: Whether every game that starts draws one of the parameter sets, instead of keeping its own.

    Raises:
        CannotCompileError: The rules or their parameters cannot be compiled.
        ImportError: numba is not installed.
        ValueError: A value is not allowed; the message names it and what is allowed.

    Attributes:
        seats: Number of seats.
        actions: The kinds of move, groups sized.
        turns: How seats take turns (see `econzoo.envs.core.contract.probing.Turns`).
        features: How many numbers a seat sees.
        symbol_memory: Which symbols were heard; None: there are none (`econzoo.envs.core.contract.symbols`).
        sets: The different parameters of the rules.
    """

    def __init__(
        self,
        game: Game | str,
        num_games: int,
        params: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
        *,
        seed: int | None = None,
        on_error: str = "default",
        autoreset: bool = True,
        draw_params: bool = False,
    ) -> None:
        self.game = game_named(game) if isinstance(game, str) else game
        if isinstance(num_games, bool) or not isinstance(num_games, int | np.integer) or not 1 <= num_games < MAX_GAMES:
            raise ValueError(
                f"num_games={num_games!r} is not allowed; allowed: a whole number from 1 to {MAX_GAMES - 1}"
            )
        check_choice("on_error", on_error, ON_ERROR)
        self.num_games, self.on_error, self.autoreset = int(num_games), on_error, autoreset
        self.draw_params = draw_params
        self.sets, self._setting, public = parameter_sets(self.game, self.num_games, params, draw_params)
        self.code = compile_game(self.game, self.sets[0])
        symbols = common_symbol_count(self.game, public)
        self.seats, self.actions, self.turns = self.code.seats, self.code.actions.with_symbols(symbols), self.code.turns
        self.features = self.code.features + (self.seats - 1) * symbols
        self.symbol_memory = (
            SymbolMemory(self.game, self.actions, public, self.num_games, self.seats) if symbols else None
        )
        self._params = self.code.params.arrays(self.sets)
        self._rows = np.arange(num_games) if 1 < len(self.sets) == num_games else np.zeros(num_games, np.int64)
        self._state = self.code.state.empty(num_games)
        self._turns = np.full(num_games, DONE, np.int64)
        self._errors = np.zeros((num_games, self.seats), np.int64)
        self._all_flags, self._all_games = np.ones(num_games, bool), np.arange(num_games)
        self.reset(seed)

    # -- play ----------------------------------------------------------------------------------------------

    def reset(self, seed: int | None = None, where: Any = None) -> None:
        """Starts games anew, and counts their errors from 0.

        Args:
            seed: Of nature's moves and of drawn parameters; None goes on with the generator of the last seed.
            where: Flags of the games to start, bool of shape (games,); None: all.
        """
        seed = check_seed(seed)
        if seed is not None or not hasattr(self, "_rng"):
            self._rng = np.random.default_rng() if seed is None else stream(self._setting, seed, "nature")
        chosen = self._flags(where)
        if self.symbol_memory:
            self.symbol_memory.clear(chosen)
        self.code.start(
            self._params, self._rows, self._next_rows(), self._state, self._turns, chosen, self._nature_rng()
        )
        self._errors[chosen] = 0

    def step(
        self, kinds: Any, values: Any = None, where: Any = None, symbols: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Plays one move in every game, or those of all seats that are to move.

        Args:
            kinds: Index of the kind of move: whole numbers of shape (games,), one move a game, where no game waits for
                several seats; or of shape (games, seats), where those of seats that are not to move are not used.
            values: Its numbers: finite, of the same shape; or with one axis more, as long as a move has numbers (1 in
                games of one amount), and so in any case where it has more. None: 0.
            where: Flags of the games that move, bool of shape (games,); None: all.
            symbols: Symbols with the moves, int64 of the shape of `kinds`, `NO_SYMBOL` for none; None: nobody speaks.

        Returns:
            Payoffs in the game's own unit, float64 of shape (games, seats), 0 but for games that ended in this
            step; and whether they did, bool of shape (games,).

        Raises:
            ValueError: An array has the wrong shape or type or holds NaN or infinity; or a move is not legal and
                ``on_error="raise"``. Nothing is played then.
        """
        moves = self._check_kinds("kinds", kinds)
        sums = self._check_values("values", values, moves.shape[1])
        chosen = self._flags(where)
        if self.on_error == "raise":
            self._check_legal(chosen, moves, sums)
        payoffs, done = np.empty((self.num_games, self.seats)), np.empty(self.num_games, bool)
        before = (self._turns.copy(), self._errors.copy()) if self.symbol_memory else None
        unexpected = (self.code.play if self.turns.has_joint_moves else self.code.play_one)(
            self._params, self._rows, self._next_rows(), self._state, self._turns, chosen, moves, sums,
            POLICIES[self.on_error], self.autoreset, self._nature_rng(), payoffs, done, self._errors,
        )  # fmt: skip
        if unexpected:
            told = "seats take turns in a way that random play has not shown"
            raise CannotCompileError(f"{self.game.name}: {told}; {UNCOMPILED_HINT}")
        if self.symbol_memory and before:
            if symbols is not None:
                wrong = (self._errors > before[1]) | ~chosen[:, None] | ~self.symbol_memory.speaks[self._rows]
                self.symbol_memory.record_symbols(symbols.reshape(moves.shape), before[0], moves, sums, wrong)
            self.symbol_memory.clear(done & self.autoreset)
        return payoffs, done

    def _nature_rng(self) -> np.random.Generator | None:
        return self._rng if self.game.facts.chance else None

    def _next_rows(self) -> np.ndarray:
        if not self.draw_params or len(self.sets) == 1:
            return self._rows
        return self._rng.integers(len(self.sets), size=self.num_games)

    def _check_legal(self, chosen: np.ndarray, kinds: np.ndarray, values: np.ndarray) -> None:
        where = (*self.position_arrays, chosen, kinds, values)
        game, seat = self.code.first_invalid(*where)
        if game >= 0:
            column, width = seat if kinds.shape[1] > 1 else 0, self.actions.width
            kind, own = int(kinds[game, column]), values[game, column * width : (column + 1) * width].tolist()
            possible, bounds, *_ = self.legal_arrays(np.array([seat]), np.array([game]))
            told = [f'{i} ("{name}")' for i, name in enumerate(self.actions.names) if possible[0, i]]
            told += [f"{n} from {a:g} to {b:g}" for n, (a, b) in zip(self.actions.slot_names, bounds[0], strict=True)]
            raise ValueError(
                f"{self.game.name}: kind {kind} with values {own} of seat {seat} in game {game} is not legal; "
                f"allowed: kind {', '.join(told)}"
            )

    def replace_params(self, params: Sequence[Mapping[str, Any]], rng: np.random.Generator) -> None:
        """Puts sets of parameters in the place of some that no game has now; games that start draw them.

        Args:
            params: Public parameters, of the same shape; those for which there is no place are left out.
            rng: Draws the places.
        """
        free = np.setdiff1d(np.arange(len(self.sets)), self._rows)
        places = rng.permutation(free)[: len(params)]
        both = [self.game.params(**one) for one, _ in zip(params, places, strict=False)]
        for place, (public, self.sets[place]) in zip(places, both, strict=True):
            if self.symbol_memory:
                self.symbol_memory.speaks[place] = seat_speaks(self.game, public, self.seats)
        for column, values in zip(self._params, self.code.params.arrays([one for _, one in both]), strict=True):
            column[places] = values

    # -- what can be seen and done -------------------------------------------------------------------------

    @property
    def to_act(self) -> np.ndarray:
        """Seat to act in every game, `SEVERAL` (-3) if every seat with a legal move is, `DONE` (-2) if it is over.

        int64 of shape (games,).
        """
        return read_only_view(self._turns)

    @property
    def errors(self) -> np.ndarray:
        """Moves that were not legal, by game and seat, since `reset` (an automatic restart counts on)."""
        return read_only_view(self._errors)

    def legal(self, seat: Any = None, games: Any = None) -> np.ndarray:
        """Which kinds of move a seat has now.

        Args:
            seat: A seat, or one for each of the games; None: the seat to act (seat 0 in a game that is over).
            games: Numbers of the games; None: all.

        Returns:
            bool of shape (games, kinds).
        """
        return self.legal_arrays(seat, games)[0]

    def bounds(self, seat: Any = None, games: Any = None) -> np.ndarray:
        """Smallest and largest value of each number of a seat's moves; arguments as for `legal`.

        float64 of shape (games, numbers of all kinds of move in the order of declaration, 2).
        """
        return self.legal_arrays(seat, games)[1]

    def span(self, seat: Any = None, games: Any = None) -> np.ndarray:
        """Smallest and largest usual value of each number; arguments and shape as for `bounds`."""
        return self.legal_arrays(seat, games)[2]

    def grid(self, seat: Any = None, games: Any = None) -> np.ndarray:
        """Smallest and largest value of each number on the grid of the numeric face; as `bounds`."""
        return self.legal_arrays(seat, games)[3]

    def legal_arrays(self, seat: Any = None, games: Any = None) -> tuple[np.ndarray, ...]:
        """`legal`, `bounds`, `span` and `grid` in one pass, and the games and seats that they are of."""
        numbers, seats = self._games_and_seats(seat, games)
        kinds, room = np.empty((len(numbers), len(self.actions.kinds)), bool), (len(numbers), self.actions.slots, 2)
        rules, bounds = self.game.rules, np.empty(room)
        span = bounds if rules.span is None else np.empty(room)  # what is the same is written to one place
        parts = (kinds, bounds, span, span if rules.public_span is None else np.empty(room))
        self.code.write_legal(*self.position_arrays, numbers, seats, *parts)
        return *parts, numbers, seats

    @property
    def position_arrays(self) -> tuple[Any, ...]:
        """Parameters, which of them each game has, positions, and who is to act, as the compiled loops take them."""
        return self._params, self._rows, self._state, self._turns

    def write_masks(self, *listed: Any) -> None:
        """See `econzoo.envs.core.vector.kernels.write_masks`, from the games on."""
        self.code.write_masks(*self.position_arrays, *listed)

    def observe(self, seat: Any = None, games: Any = None) -> np.ndarray:
        """What a seat may know, as the numeric face shows it; arguments as for `legal`; float32 (games, features)."""
        numbers, seats = self._games_and_seats(seat, games)
        out = np.empty((len(numbers), self.code.features), np.float32)
        self.code.write_features(self._params, self._rows, self._state, numbers, seats, out)
        return np.concatenate([out, self.symbol_memory.features(seats, numbers)], axis=1) if self.symbol_memory else out

    def can_speak(self, seats: np.ndarray, games: np.ndarray | None = None) -> np.ndarray:
        """Whether seats may send symbols, one for each of the games (None: of all); bool of shape (games,)."""
        assert self.symbol_memory is not None
        return self.symbol_memory.speaks[self._rows[self._game_numbers(games)], seats]

    def payoffs(self) -> np.ndarray:
        """Payoffs of all seats as the games stand; float64 of shape (games, seats)."""
        out = np.empty((self.num_games, self.seats))
        self.code.write_payoffs(self._params, self._rows, self._state, out)
        return out

    def gains(self, games: Any = None) -> np.ndarray:
        """Self-gain of all seats as the games stand, by the game's ``"paper"`` metrics; float64 (games, seats)."""
        numbers = self._game_numbers(games)
        out = np.empty((len(numbers), self.seats))
        if self.game.rules.gains is not None:
            self.code.write_gains(self._params, self._rows, self._state, numbers, out)
        else:
            for row, number in enumerate(numbers):
                out[row] = self.game.metrics.outcome(*self.position(number)).gains
        return out

    def position(self, number: int) -> tuple[Any, Any]:
        """Parameters and state of one game, as the scalar rules take them."""
        return self.sets[self._rows[number]], self.code.state.value(self._state, number)

    # -- what comes in -------------------------------------------------------------------------------------

    def _games_and_seats(self, seat: Any, games: Any) -> tuple[np.ndarray, np.ndarray]:
        numbers = self._game_numbers(games)
        if seat is None:
            turns = self._turns[numbers]
            if np.any(turns == SEVERAL):
                raise ValueError(f"{self.game.name}: several seats move at once; say which seat is meant")
            return numbers, np.maximum(turns, 0)
        seats = np.asarray(seat)
        if seats.dtype.kind not in "iu" or seats.shape not in ((), numbers.shape):
            raise ValueError(f"seat={seat!r} is not allowed; allowed: a whole number, or one for each of the games")
        if np.any((seats < 0) | (seats >= self.seats)):
            raise ValueError(f"seat={seat!r} is not allowed; allowed: 0 to {self.seats - 1}")
        return numbers, np.array(np.broadcast_to(seats, numbers.shape), np.int64)

    def _game_numbers(self, games: Any) -> np.ndarray:
        if games is None:
            return self._all_games
        numbers = np.asarray(games)
        if numbers.dtype.kind not in "iu" or numbers.ndim != 1:
            raise ValueError("games must be whole numbers of shape (k,)")
        if np.any((numbers < 0) | (numbers >= self.num_games)):
            raise ValueError(f"games must be numbers from 0 to {self.num_games - 1}")
        return np.array(numbers, np.int64)

    def _flags(self, where: Any) -> np.ndarray:
        if where is None:
            return self._all_flags
        flags = np.asarray(where)
        if flags.dtype != bool or flags.shape != (self.num_games,):
            raise ValueError(f"where must be bool of shape ({self.num_games},); got {describe_array(flags)}")
        return np.ascontiguousarray(flags)

    def _check_kinds(self, name: str, kinds: Any) -> np.ndarray:
        """Kinds of move with a column for each seat, or with one where no game waits for several."""
        array = to_array(name, kinds)
        alone = array.shape == (self.num_games,) and not (self.turns.has_joint_moves and np.any(self._turns == SEVERAL))
        if not alone and (not self.turns.has_joint_moves or array.shape != (self.num_games, self.seats)):
            shape = (self.num_games, self.seats) if self.turns.has_joint_moves else (self.num_games,)
            raise ValueError(f"{name} must have shape {shape}; got {describe_array(array)}")
        if array.dtype.kind not in "iu":
            raise ValueError(f"{name} must be whole numbers; got {describe_array(array)}")
        return np.array(array, np.int64, order="C").reshape(self.num_games, -1)

    def _check_values(self, name: str, values: Any, columns: int) -> np.ndarray:
        """Numbers of the moves, all of a game in one row."""
        width, shape = self.actions.width, (self.num_games,) if columns == 1 else (self.num_games, columns)
        if values is None:
            return np.zeros((self.num_games, columns * width))
        array = to_array(name, values)
        if array.shape != (*shape, width) and (width > 1 or array.shape != shape):
            raise ValueError(
                f"{name} must have shape {shape if width == 1 else (*shape, width)}; got {describe_array(array)}"
            )
        if array.dtype.kind not in "iuf":
            raise ValueError(f"{name} must be numbers; got {describe_array(array)}")
        finite = np.isfinite(array)
        if not finite.all():
            raise ValueError(f"{name} must be finite; {array[~finite][0]} in game {int(np.argwhere(~finite)[0][0])}")
        return np.array(array, np.float64, order="C").reshape(self.num_games, columns * width)
