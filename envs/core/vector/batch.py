"""Batches of games as plain arrays, with compiled scalar rules.

    import numpy as np
    from econzoo.envs.core.vector import GameBatch

    batch = GameBatch("bargaining", 10_000, {"delta": (0.9, 0.8)})
    kinds, values = np.zeros(10_000, int), np.full((10_000, 1), 5_000.0)    # offers of a half
    payoffs, done = batch.step(kinds, values)     # one move in every game; finished games restart

`econzoo.envs.core.vector.gymnasium_env` wraps it as a Gymnasium vector environment.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from econzoo.envs.core import game as game_named
from econzoo.envs.core.contract import DONE, SEVERAL, Game, check_seed, stream
from econzoo.envs.core.env import ON_ERROR, check_choice
from econzoo.envs.core.vector import kernels as vector_kernels
from econzoo.envs.core.vector.compiling import UNCOMPILED_HINT, compile_game
from econzoo.envs.core.vector.layout import CannotCompileError, check_values, describe_array, read_only_view
from econzoo.envs.core.vector.layout import restore_array, to_array
from econzoo.envs.core.vector.parameter_sets import DrawnSets, parameter_sets
from econzoo.envs.core.vector.symbol_memory import SymbolMemory, common_symbol_count, seat_speaks

POLICIES = {"default": vector_kernels.DEFAULT, "forfeit": vector_kernels.FORFEIT, "raise": vector_kernels.DEFAULT}
MAX_GAMES = 2**31


class GameBatch:
    """Many matches of one game, stepped by array operations.

    Positions are bit-identical to those of the scalar environment after the same moves. All games are started by the
    constructor. Returned arrays are new, except `to_act` and `errors`, which are read-only views of the current state.

    Args:
        game: Game or its name.
        num_games: Number of games, >= 1.
        params: Public parameters of all games; a sequence with one set per game (any number if `draw_params`); or
            parameters with arrays of one row per game.
        seed: Random seed.
        on_error: Consequence of an illegal move: ``"default"`` plays the game's default action, ``"forfeit"`` ends the
            game with its current payoffs; both are counted in `errors`. ``"raise"`` raises `ValueError` and plays
            nothing.
        autoreset: Whether finished games restart in the same step; else they wait for `reset` and ignore moves.
        draw_params: Whether every game samples one of the parameter sets when it starts.

    Raises:
        CannotCompileError: The rules or their parameters cannot be compiled.
        ImportError: numba is not installed.
        ValueError: Invalid value.

    Attributes:
        seats: Number of seats.
        actions: Kinds of move with sized groups.
        turns: Turn structure (`econzoo.envs.core.contract.probing.Turns`).
        features: Number of features.
        symbol_memory: Received symbols; None without symbols (`econzoo.envs.core.contract.symbols`).
        sets: Distinct parameters of the rules.
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
            raise ValueError(f"invalid num_games={num_games!r}: expected an integer from 1 to {MAX_GAMES - 1}")
        check_choice("on_error", on_error, ON_ERROR)
        self.num_games, self.on_error, self.autoreset = int(num_games), on_error, autoreset
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
        # When drawing, every game draws from all sets, the first of which has index 0.
        count = np.full(num_games, len(self.sets) if draw_params else 1)
        self._drawn = DrawnSets(public, self._rows * (not draw_params), count)
        self._state = self.code.state.empty(num_games)
        self._turns = np.full(num_games, DONE, np.int64)
        self._errors = np.zeros((num_games, self.seats), np.int64)
        self._all_flags, self._all_games = np.ones(num_games, bool), np.arange(num_games)
        self.reset(seed)

    # -- play ----------------------------------------------------------------------------------------------

    def reset(self, seed: int | None = None, where: Any = None) -> None:
        """Restart games and reset their error counts.

        Args:
            seed: Random seed; None: continue with the current generator.
            where: Games to restart, bool of shape (games,); None: all.
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
        """Play one move, or the moves of all movers, in every game.

        Args:
            kinds: Index of the kind of move: integers of shape (games,), one move per game, if no game waits for
                several seats; else (games, seats), where those of waiting seats are ignored.
            values: Finite numbers of the moves, with the shape of `kinds`, plus an axis of the numbers of a move
                (optional if that is 1). None: 0.
            where: Games that move, bool of shape (games,); None: all.
            symbols: Symbols of the moves, int64 with the shape of `kinds`, `NO_SYMBOL` for none; None: no symbols.

        Returns:
            Payoffs in the game's own unit, float64 of shape (games, seats), 0 except for games that ended in this step;
            and flags of these, bool of shape (games,).

        Raises:
            ValueError: Wrong shape or type, NaN or infinity, or an illegal move under ``on_error="raise"``; nothing is
                played.
        """
        moves = self._check_kinds("kinds", kinds)
        sums = check_values("values", values, self.num_games, moves.shape[1], self.actions.width)
        chosen = self._flags(where)
        if self.on_error == "raise":
            self._check_legal(chosen, moves, sums)
        payoffs, done = np.empty((self.num_games, self.seats)), np.empty(self.num_games, bool)
        # Copies, as the loop below writes into both.
        previous = (self._turns.copy(), self._errors.copy()) if self.symbol_memory else None
        unexpected = (self.code.play if self.turns.has_joint_moves else self.code.play_one)(
            self._params, self._rows, self._next_rows(), self._state, self._turns, chosen, moves, sums,
            POLICIES[self.on_error], self.autoreset, self._nature_rng(), payoffs, done, self._errors,
        )  # fmt: skip
        self._check_turns(unexpected)
        if self.symbol_memory and previous:
            if symbols is not None:
                wrong = (self._errors > previous[1]) | ~chosen[:, None] | ~self.symbol_memory.speaks[self._rows]
                self.symbol_memory.record_symbols(symbols.reshape(moves.shape), previous[0], moves, sums, wrong)
            self.symbol_memory.clear(done & self.autoreset)
        return payoffs, done

    @property
    def has_play_loop(self) -> bool:
        """Whether `play_loop` plays the same as `step`."""
        simple = self.symbol_memory is None and self.on_error != "raise"
        return simple and not (self.game.facts.chance and self._drawn.is_random)

    def play_loop(self, loop: Any, *given: Any) -> np.ndarray:
        """Play by the loop `econzoo.envs.core.vector.script_kernels.play_until`; return flags of games that ended."""
        payoffs, nature = np.empty((self.num_games, self.seats)), self._nature_rng()
        done, waiting, ended = np.empty((3, self.num_games), bool)
        moves, unexpected = loop(
            *self.position_arrays, *given, POLICIES[self.on_error], nature, payoffs, done, self._errors, waiting, ended
        )
        self._check_turns(unexpected)
        for _ in range(moves):  # as `step` does
            self._next_rows()
        return ended

    def _check_turns(self, unexpected: int) -> None:
        if unexpected:
            problem = "seats take turns in a way that random play has not shown"
            raise CannotCompileError(f"{self.game.name}: {problem}; {UNCOMPILED_HINT}")

    def _nature_rng(self) -> np.random.Generator | None:
        return self._rng if self.game.facts.chance else None

    def _next_rows(self) -> np.ndarray:
        return self._drawn.draw(self._rng)

    def _check_legal(self, chosen: np.ndarray, kinds: np.ndarray, values: np.ndarray) -> None:
        where = (*self.position_arrays, chosen, kinds, values)
        game, seat = self.code.first_invalid(*where)
        if game >= 0:
            column, width = seat if kinds.shape[1] > 1 else 0, self.actions.width
            kind, own = int(kinds[game, column]), values[game, column * width : (column + 1) * width].tolist()
            possible, bounds, *_ = self.legal_arrays(np.array([seat]), np.array([game]))
            names = [f'{i} ("{name}")' for i, name in enumerate(self.actions.names) if possible[0, i]]
            names += [f"{n} from {a:g} to {b:g}" for n, (a, b) in zip(self.actions.slot_names, bounds[0], strict=True)]
            raise ValueError(
                f"{self.game.name}: kind {kind} with values {own} of seat {seat} in game {game} is illegal; "
                f"legal kinds: {', '.join(names)}"
            )

    def replace_params(self, params: Sequence[Mapping[str, Any]], rng: np.random.Generator) -> None:
        """Replace parameter sets that no game uses; games that start can sample the new ones.

        Args:
            params: Public parameters of the same shape; surplus sets are dropped.
            rng: Random generator for the places.
        """
        # A set of a running game must stay as it is until that game ends.
        free = np.setdiff1d(np.arange(len(self.sets)), self._rows)
        places = rng.permutation(free)[: len(params)]
        both = [self.game.params(**one) for one, _ in zip(params, places, strict=False)]
        for place, (public, self.sets[place]) in zip(places, both, strict=True):
            self._drawn.public[place] = public
            if self.symbol_memory:
                self.symbol_memory.speaks[place] = seat_speaks(self.game, public, self.seats)
        for column, values in zip(self._params, self.code.params.arrays([one for _, one in both]), strict=True):
            column[places] = values

    def change_params(self, changes: Mapping[str, Any], where: Any = None) -> None:
        """Change parameters of games that are reset next, and of those that follow them.

        Args:
            changes: Public parameters by name.
            where: Games to change, bool of shape (games,); None: all.

        Raises:
            ValueError: Invalid parameters, or a change of the number of seats, kinds of move or length of tuples.
        """
        chosen = self._flags(where)
        drawn, moved = self._drawn.change(changes, chosen)
        sets, setting, public = parameter_sets(self.game, self.num_games, drawn.public, True)
        actions = self.game.actions_of(sets[0]).with_symbols(common_symbol_count(self.game, public))
        if compile_game(self.game, sets[0]) is not self.code or actions != self.actions:
            fixed = "the number of seats, the kinds of move or the length of a tuple"
            raise ValueError(f"{self.game.name}: options['params'] may not change {fixed} of compiled games")
        self._params, self.sets, self._setting = self.code.params.arrays(sets), sets, setting
        drawn.public = [*public]
        self._drawn, self._rows = drawn, np.where(chosen, drawn.first, moved[self._rows])
        if self.symbol_memory:
            self.symbol_memory.speaks = np.array([seat_speaks(self.game, one, self.seats) for one in public])

    # -- saving -------------------------------------------------------------------------------------------

    def copy_state(self) -> dict[str, Any]:
        """Return positions, parameters and the generator, for `restore_state`: copies of arrays, plain values."""
        arrays = {"rows": self._rows, "turns": self._turns, "errors": self._errors, **self._positions()}
        return {
            **{name: array.copy() for name, array in arrays.items()},
            "params": list(self._drawn.public),
            "nature": self._rng.bit_generator.state,
        }

    def restore_state(self, state: Mapping[str, Any]) -> None:
        """Continue from the state of a batch of the same game, number of games and parameter sets."""
        for place, public in zip(range(len(self.sets)), state["params"], strict=True):
            self._drawn.public[place], self.sets[place] = self.game.params(**public)
            if self.symbol_memory:
                self.symbol_memory.speaks[place] = seat_speaks(self.game, self._drawn.public[place], self.seats)
        self._params = self.code.params.arrays(self.sets)
        restore_array("rows", self._rows, state["rows"], range(len(self.sets)))
        restore_array("turns", self._turns, state["turns"], range(SEVERAL, self.seats))
        for name, array in {"errors": self._errors, **self._positions()}.items():
            restore_array(name, array, state[name])
        self._rng.bit_generator.state = state["nature"]

    def _positions(self) -> dict[str, np.ndarray]:
        numbers = {f"position {i}": array for i, array in enumerate(self._state)}
        return numbers | ({"symbols": self.symbol_memory.last} if self.symbol_memory else {})

    # -- observations and legal moves -----------------------------------------------------------------------

    @property
    def to_act(self) -> np.ndarray:
        """Seat to act in every game, `SEVERAL` (-3) or `DONE` (-2); int64 of shape (games,)."""
        return read_only_view(self._turns)

    @property
    def errors(self) -> np.ndarray:
        """Illegal moves by game and seat since `reset`, including automatic restarts."""
        return read_only_view(self._errors)

    def legal(self, seat: Any = None, games: Any = None) -> np.ndarray:
        """Return the legal kinds of move of a seat.

        Args:
            seat: Seat, or one per game; None: the seat to act (seat 0 in finished games).
            games: Indices of the games; None: all.

        Returns:
            Flags, bool of shape (games, kinds).
        """
        return self.legal_arrays(seat, games)[0]

    def bounds(self, seat: Any = None, games: Any = None) -> np.ndarray:
        """Return the bounds of all numbers of a seat's moves, float64 (games, numbers, 2); arguments as for `legal`."""
        return self.legal_arrays(seat, games)[1]

    def span(self, seat: Any = None, games: Any = None) -> np.ndarray:
        """Return the usual range of each number; arguments and shape as for `bounds`."""
        return self.legal_arrays(seat, games)[2]

    def grid(self, seat: Any = None, games: Any = None) -> np.ndarray:
        """Return the grid range of each number on the numeric face; arguments and shape as for `bounds`."""
        return self.legal_arrays(seat, games)[3]

    def legal_arrays(self, seat: Any = None, games: Any = None) -> tuple[np.ndarray, ...]:
        """Return `legal`, `bounds`, `span` and `grid` in one pass, with their games and seats."""
        numbers, seats = self._games_and_seats(seat, games)
        kinds, room = np.empty((len(numbers), len(self.actions.kinds)), bool), (len(numbers), self.actions.slots, 2)
        rules, bounds = self.game.rules, np.empty(room)
        span = bounds if rules.span is None else np.empty(room)  # identical arrays are shared
        parts = (kinds, bounds, span, span if rules.public_span is None else np.empty(room))
        self.code.write_legal(*self.position_arrays, numbers, seats, *parts)
        return *parts, numbers, seats

    @property
    def position_arrays(self) -> tuple[Any, ...]:
        """Return parameters, their row per game, positions and movers, for the compiled loops."""
        return self._params, self._rows, self._state, self._turns

    def write_masks(self, *listed: Any) -> None:
        """See `econzoo.envs.core.vector.kernels.write_masks` (arguments from `games`)."""
        self.code.write_masks(*self.position_arrays, *listed)

    def observe(self, seat: Any = None, games: Any = None) -> np.ndarray:
        """Return the features of a seat, float32 (games, features); arguments as for `legal`."""
        numbers, seats = self._games_and_seats(seat, games)
        out = np.empty((len(numbers), self.code.features), np.float32)
        self.code.write_features(self._params, self._rows, self._state, numbers, seats, out)
        return np.concatenate([out, self.symbol_memory.features(seats, numbers)], axis=1) if self.symbol_memory else out

    def can_speak(self, seats: np.ndarray, games: np.ndarray | None = None) -> np.ndarray:
        """Whether seats, one per game (None: all games), may send symbols; bool of shape (games,)."""
        assert self.symbol_memory is not None
        return self.symbol_memory.speaks[self._rows[self._game_numbers(games)], seats]

    def payoffs(self) -> np.ndarray:
        """Return current payoffs, float64 of shape (games, seats)."""
        out = np.empty((self.num_games, self.seats))
        self.code.write_payoffs(self._params, self._rows, self._state, out)
        return out

    def gains(self, games: Any = None) -> np.ndarray:
        """Return current self-gains by the ``"paper"`` metrics, float64 (games, seats)."""
        numbers = self._game_numbers(games)
        out = np.empty((len(numbers), self.seats))
        if self.game.rules.gains is not None:
            self.code.write_gains(self._params, self._rows, self._state, numbers, out)
        else:
            for row, number in enumerate(numbers):
                out[row] = self.game.metrics.outcome(*self.position(number)).gains
        return out

    def position(self, number: int) -> tuple[Any, Any]:
        """Return parameters and state of one game for the scalar rules."""
        return self.sets[self._rows[number]], self.code.state.value(self._state, number)

    # -- input checks --------------------------------------------------------------------------------------

    def _games_and_seats(self, seat: Any, games: Any) -> tuple[np.ndarray, np.ndarray]:
        numbers = self._game_numbers(games)
        if seat is None:
            turns = self._turns[numbers]
            if np.any(turns == SEVERAL):
                raise ValueError(f"{self.game.name}: several seats move at once; pass a seat")
            return numbers, np.maximum(turns, 0)
        seats = np.asarray(seat)
        if seats.dtype.kind not in "iu" or seats.shape not in ((), numbers.shape):
            raise ValueError(f"invalid seat={seat!r}: expected an integer, or one per game")
        if np.any((seats < 0) | (seats >= self.seats)):
            raise ValueError(f"invalid seat={seat!r}: expected 0 to {self.seats - 1}")
        if seats.shape != numbers.shape:
            seats = np.broadcast_to(seats, numbers.shape)
        return numbers, np.ascontiguousarray(seats, np.int64)

    def _game_numbers(self, games: Any) -> np.ndarray:
        if games is None:
            return self._all_games
        numbers = np.asarray(games)
        if numbers.dtype.kind not in "iu" or numbers.ndim != 1:
            raise ValueError("games must be integers of shape (k,)")
        if np.any((numbers < 0) | (numbers >= self.num_games)):
            raise ValueError(f"games must be integers from 0 to {self.num_games - 1}")
        return np.array(numbers, np.int64)

    def _flags(self, where: Any) -> np.ndarray:
        if where is None:
            return self._all_flags
        flags = np.asarray(where)
        if flags.dtype != bool or flags.shape != (self.num_games,):
            raise ValueError(f"where must be bool of shape ({self.num_games},), got {describe_array(flags)}")
        return np.ascontiguousarray(flags)

    def _check_kinds(self, name: str, kinds: Any) -> np.ndarray:
        """Validate kinds of move: one column per seat, or one if no game waits for several seats."""
        array = to_array(name, kinds)
        alone = array.shape == (self.num_games,) and not (self.turns.has_joint_moves and np.any(self._turns == SEVERAL))
        if not alone and (not self.turns.has_joint_moves or array.shape != (self.num_games, self.seats)):
            shape = (self.num_games, self.seats) if self.turns.has_joint_moves else (self.num_games,)
            raise ValueError(f"{name} must have shape {shape}, got {describe_array(array)}")
        if array.dtype.kind not in "iu":
            raise ValueError(f"{name} must be integers, got {describe_array(array)}")
        return np.array(array, np.int64, order="C").reshape(self.num_games, -1)
