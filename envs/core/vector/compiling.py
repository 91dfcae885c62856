"""Compilation of a game's scalar rules into loops over many games, with Numba.

Functions of the rules module are copied unchanged, with their global names bound to compiled versions of the functions
they call. Named tuples, constants and modules are passed through. Code that only the loops need (loading and storing a
`State`) is generated from the annotations of the named tuples.

Compilable rules use numbers, tuples of fixed length, named tuples built by position, ``if``, loops and lists, but no
generator expressions, ``_replace``, dictionaries, text or ``float`` of a flag. ``tuple`` of a list is compiled to the
list; functions annotated to return a ``State`` convert it back. Updates by
`econzoo.envs.core.contract.rules.draft` avoid lists and are much faster. Use float exponents
(``delta ** float(rounds)``): Numba computes integer powers by repeated multiplication, which rounds differently. With
``NUMBA_DISABLE_JIT=1`` the same loops run uncompiled, for debugging.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from types import ModuleType
from typing import Any

from econzoo.envs.core.contract import ByQuantile, Choice, Game, Kind, Move, MoveFunction, Normal, NoteFunction, P, S
from econzoo.envs.core.contract import Uniform, V, turns_of
from econzoo.envs.core.vector import kernels as vector_kernels
from econzoo.envs.core.vector import script_kernels
from econzoo.envs.core.vector.function_compiler import GENERATED, FunctionCompiler, numba
from econzoo.envs.core.vector.layout import CannotCompileError, Layout, bounds_writer, moves_source, play_source
from econzoo.envs.core.vector.layout import row_writer, short_error

REQUIRED_PARTS = ("initial", "to_act", "legal", "bounds", "apply", "payoffs", "observe", "features")
OPTIONAL_PARTS = ("refuses", "chance", "quantile", "gains", "span", "public_span")
"""Required and optional functions of the rules that the loops call."""

MAX_NUMBERS = 1000
"""Maximum numbers in the parameters and position of one game (a long list of parameters counts as one). Compile time
grows quickly: minutes for hundreds, over a quarter of an hour for three thousand."""

UNCOUNTED = {"_nrt": False, "forceinline": True}
"""Options of Numba for strategies that create no lists: counting references to arrays takes longer than their moves."""

UNCOMPILED_HINT = "use gymnasium.make_vec, which does not compile"

_COMPILED_GAMES: dict[Any, CompiledGame] = {}

_DRAWS: dict[type, Callable[..., Any]] = {
    tuple: vector_kernels.draw_of_list,
    Uniform: vector_kernels.draw_uniform,
    Normal: vector_kernels.draw_normal,
    ByQuantile: vector_kernels.draw_by_quantile,
}


def compile_game(game: Game[P, S, V], params: P) -> CompiledGame:
    """Compile a game for parameters of this shape, once per process.

    Raises:
        CannotCompileError: Too many numbers, or the rules cannot be compiled.
        ValueError: The game has a referee.
    """
    if game.referee is not None:
        raise ValueError(f"{game.name} cannot be compiled: its results are computed by a referee; {UNCOMPILED_HINT}")
    layouts = Layout(params, tables=True), Layout(game.rules.initial(params))
    numbers = sum(len(layout.leaves) for layout in layouts)
    if numbers > MAX_NUMBERS:
        raise CannotCompileError(
            f"{game.name} cannot be compiled with these parameters: they and a position have {numbers:,} numbers, "
            f"expected at most {MAX_NUMBERS:,}; {UNCOMPILED_HINT}"
        )
    # The turn order is part of the key, as it selects the loops.
    key = (game.rules, game.actions, game.default_action, turns_of(game, params), *layouts)
    if key not in _COMPILED_GAMES:
        _COMPILED_GAMES[key] = CompiledGame(game, params)
    return _COMPILED_GAMES[key]


class CompiledGame(FunctionCompiler):
    """Loops of `econzoo.envs.core.vector.kernels` over one game's rules, compiled on first call.

    Args:
        params: Parameters of the rules, as an example of their shape.
    """

    # One compiled loop per kernel in `vector_kernels.KERNELS`.
    play: Callable[..., Any]
    play_one: Callable[..., Any]
    start: Callable[..., Any]
    write_waiting: Callable[..., Any]
    first_invalid: Callable[..., Any]
    write_legal: Callable[..., Any]
    write_numbers: Callable[..., Any]
    write_masks: Callable[..., Any]
    write_features: Callable[..., Any]
    write_payoffs: Callable[..., Any]
    write_gains: Callable[..., Any]

    def __init__(self, game: Game[P, S, V], params: P) -> None:
        super().__init__(game.name)
        self.game, self._example = game, params
        example = game.rules.initial(params)
        self.params, self.state = Layout(params, tables=True), Layout(example)
        self.seats = len(game.rules.payoffs(params, example))
        self.actions, self.turns = game.actions_of(params), turns_of(game, params)
        self.features = len(game.feature_names(params))
        self._rules: Any = ModuleType(f"compiled rules of {game.name}")
        for name, layout in (("params", self.params), ("state", self.state)):
            vars(self._rules).update(self._define(layout.functions(name), layout.scope()))
        self._bind_rules()
        self._generate()
        k, kept_at = vector_kernels, self._cache_file(vector_kernels.KERNELS)
        self._scripts, self._loops = ModuleType("compiled strategies"), dict[Any, Callable[..., Any]]()
        for kernel in vector_kernels.KERNELS:
            setattr(self, kernel.__name__, self._guard_errors(self._compile(kernel, kept_at, loop=True)))
        vars(self._rules)["step"] = self._copies[k.play if self.turns.has_joint_moves else k.play_one]
        self._assign_names()

    def script_loop(
        self, kernel: Callable[..., Any], strategies: Sequence[tuple[MoveFunction, NoteFunction]]
    ) -> Callable[..., Any]:
        """Return the cached loop of a kernel of `script_kernels` over strategies, given as (move, note) functions."""
        key = kernel, *strategies
        if key not in self._loops:
            counted = partial(self._compile_scripts, kernel, strategies, {})
            self._loops[key] = self._guard_errors(self._compile_scripts(kernel, strategies, UNCOUNTED), counted)
        return self._loops[key]

    def _compile_scripts(
        self,
        kernel: Callable[..., Any],
        strategies: Sequence[tuple[MoveFunction, NoteFunction]],
        options: dict[str, bool],
    ) -> Callable[..., Any]:
        copies, text = dict(self._copies), list(self._text)  # keeps the name independent of other loops
        self._scripts, self._options = ModuleType(f"compiled strategies of {self.game.name}"), options
        scope = {
            f"{name}_{i}": one
            for i, both in enumerate(strategies)
            for name, one in zip(("move", "note"), both, strict=True)
        }
        scope = {name: self._compile(function) for name, function in scope.items()}
        vars(self._scripts).update(self._define(play_source(len(strategies), self.actions.width), scope))
        loop = self._compile(kernel, self._cache_file((kernel, script_kernels.play_scripts)), loop=True)
        self._assign_names()
        self._copies, self._text, self._options = copies, text, {}
        return loop

    @cached_property
    def branch(self) -> Callable[..., Any]:
        """Loop `econzoo.envs.core.vector.kernels.branch`, for enumerating positions."""
        loop = self._compile(vector_kernels.branch, self._cache_file((vector_kernels.branch,)), loop=True)
        self._assign_names()
        return self._guard_errors(loop)

    def __reduce__(self) -> tuple[Any, ...]:
        return compile_game, (self.game, self._example)

    def __deepcopy__(self, memo: Any) -> CompiledGame:
        return self

    def _bind_rules(self) -> None:
        """Bind the game's functions and the helpers of the kernels that fit it."""
        source, k = self.game.rules, vector_kernels
        own = [name for name in OPTIONAL_PARTS if name in source.defined_parts]
        chosen = {name: getattr(source, name) for name in (*REQUIRED_PARTS, *own)}
        for index, kind in enumerate(self.game.actions.kinds):
            self._copies[kind.model] = self._move_constructor(index, kind)
        chosen.setdefault("span", chosen["bounds"])
        chosen["grid"] = k.grid_of_any_seat if "public_span" in chosen else chosen["span"]
        chosen.setdefault("refuses", k.refuse_none)
        chosen["nature"] = k.play_chance if self.game.facts.chance else k.skip_chance
        if self.game.facts.chance:
            chosen["draw"] = self._draw_kernel()
        chosen |= {"usable": k.is_usable, "moves_now": k.moves_now, "default": self.game.default_action}
        chosen["after"] = k.apply_any if self.turns.has_single_moves else k.apply_several
        chosen["unexpected"] = k.never_unexpected if self.turns.has_single_moves else k.is_one_seat
        for name, function in chosen.items():
            setattr(self._rules, name, self._compile(function))
        self._rules.no_kinds = (False,) * len(self.game.actions.kinds)
        self._rules.no_payoffs = (0.0,) * self.seats

    def _draw_kernel(self) -> Callable[..., Any]:
        """Return the sampler of chance moves."""
        if len(self.turns.chance) > 1:
            names = ", ".join(one.__name__ for one in self.turns.chance)
            raise CannotCompileError(
                f"{self.game.name}: chance moves have distributions {names}; compiled games support one type only"
            )
        return _DRAWS.get(self.turns.chance[0], _DRAWS[tuple]) if self.turns.chance else _DRAWS[tuple]

    def _generate(self) -> None:
        """Generate the conversions between tuples and arrays."""
        seats, actions = self.seats, self.actions
        widths = {"payoffs": seats, "kinds": len(actions.kinds), "features": self.features}
        writers = "".join(row_writer(name, width) for name, width in widths.items()) + bounds_writer(actions.slots)
        vars(self._rules).update(self._define(writers, {}))
        kinds = zip(actions.first, actions.marks, strict=True)
        numbers = [[(slot, mark.is_integer) for slot, mark in enumerate(marks, first)] for first, marks in kinds]
        own = {name: getattr(self._rules, name) for name in ("apply", "bounds", "moves_now")}
        functions = self._define(
            moves_source(numbers, actions.width, seats), {"Move": Move, "floor": math.floor, **own}
        )
        vars(self._rules).update(functions)

    def _define(self, source: str, scope: dict[str, Any]) -> dict[str, Any]:
        """Execute generated source and compile its functions."""
        given = {*scope, "__builtins__"}
        self._text.append(source)
        exec(compile(source, f"{GENERATED} for {self.game.name}>", "exec"), scope)
        return {name: self._compile(function) for name, function in scope.items() if name not in given}

    def _move_constructor(self, index: int, kind: Kind) -> Any:
        """Return a function that replaces a typed model in `default_action` and returns a `Move`."""
        arguments = [f"{name}=''" if name == kind.message else f"{name}=0.0" for name in kind.model._fields]
        numbers = [part for name in kind.numbers for part in self._number_sources(kind, name)]
        numbers += ["0.0"] * (self.actions.width - len(numbers))
        values = "".join(f"{number}, " for number in numbers)
        source = f"def make({', '.join(arguments)}):\n    return Move({index}, ({values}))\n"
        return self._define(source, {"Move": Move})["make"]

    def _number_sources(self, kind: Kind, name: str) -> list[str]:
        """Source of the numbers of a field of a typed model."""
        mark, own = kind.numbers[name], [field for field in kind.slot_names(self.actions.group) if field == name]
        parts = [f"{name}[{i}]" for i in range(len(own))] if name in kind.groups else [name]
        if not isinstance(mark, Choice):
            return [f"float({part})" for part in parts]
        places = " else ".join(f"{place}.0 if {{0}} == {option!r}" for place, option in enumerate(mark.options))
        return [f"({places.format(part)} else -1.0)" for part in parts]

    def _wrap_compiled(self, function: Any, compiled: Any) -> Any:
        return self._cast_result(function, compiled) if _gives_state(function) else compiled

    def _cast_result(self, function: Any, made: Any) -> Any:
        """Wrap a function to convert lists in its result to tuples, so that all results have one type."""
        names = ", ".join(function.__code__.co_varnames[: function.__code__.co_argcount])
        source = f"def as_state({names}):\n    return cast(made({names}))\n"
        return self._define(source, {"cast": self._rules.cast_state, "made": made})["as_state"]

    def _bind_global(self, name: str, value: Any) -> Any:
        if value is vector_kernels.rules:
            return self._rules
        if value is script_kernels.scripts:
            return self._scripts
        return super()._bind_global(name, value)

    def _guard_errors(self, kernel: Any, spare: Callable[[], Any] | None = None) -> Callable[..., Any]:
        """Return a loop with clear errors; `spare` makes another one for functions that this one does not compile."""

        def call(*arguments: Any) -> Any:
            nonlocal kernel, spare
            try:
                return kernel(*arguments)
            except numba().core.errors.NumbaError as error:
                if spare is not None:
                    kernel, spare = spare(), None
                    return call(*arguments)
                message = f"{self.game.name}: the rules cannot be compiled: {short_error(error)}"
                raise CannotCompileError(message) from error

        return call


def _gives_state(function: Any) -> bool:
    """Whether a function of the rules is annotated to return a position."""
    return function.__annotations__.get("return") in ("State", function.__globals__.get("State", "State"))
