"""Rules of a game as one typed object, built from the pure functions of the game's ``rules.py``.

Rules handle numbers only: no text, randomness or I/O. Names follow OpenSpiel, purity follows pgx.
`Rules` lists the functions and classes that the module defines; the constants and `draft`, `put` and `to_tuple` are for
use in it.

``Params``, ``State`` and ``View`` are NamedTuples of numbers, or of tuples of numbers (e.g. one per seat). A public
parameter is declared in ``Params`` (see `econzoo.envs.core.contract.parameters.declared_parameters`) and
hidden unless ``View`` has a field of the same name, which is then the same number or UNKNOWN. In views UNKNOWN replaces
a number, never an item of a tuple. The same functions serve the scalar environment and, compiled, the vector
environment (`econzoo.envs.core.vector.batch`). Use float powers only (``delta ** (s.round - 1.0)``): compiled and plain
Python round integer powers differently, and the two must agree bit for bit.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, dataclass, fields
from difflib import get_close_matches
from functools import partial
from inspect import isfunction, unwrap
from typing import Any, Generic, Protocol, cast

from typing_extensions import TypeVar

from econzoo.envs.core.contract.moves import Bounds, Distribution, Fact, Legal, Move

__all__ = ["Rules", "RulesModule"]

CHANCE = -1
DONE = -2
SEVERAL = -3
PASS = -4

UNKNOWN = -math.inf
"""Value in a `View` for a number that is hidden from the seat or does not exist (yet)."""

NO_FEATURE = -1.0
"""Feature value for UNKNOWN."""


class Position(Protocol):
    """Required field of every State: the round, from 1."""

    @property
    def round(self) -> int: ...


class SeatView(Protocol):
    """Required fields of every View: observing seat, round, and whether the game is over, 1 or 0."""

    @property
    def seat(self) -> int: ...
    @property
    def round(self) -> int: ...
    @property
    def over(self) -> int: ...


# Defaults let strict type checkers accept a bare `Game`.
T = TypeVar("T")
P = TypeVar("P", default=Any)
S = TypeVar("S", bound=Position, default=Any)
V = TypeVar("V", bound=SeatView, default=Any)
P_contra = TypeVar("P_contra", contravariant=True)
V_co = TypeVar("V_co", bound=SeatView, covariant=True, default=Any)

Moves = tuple[Move, ...]

MIN_SIMILARITY = 0.8
"""`difflib` ratio from which a function name counts as a misspelled part."""


def no_bounds(params: Any, state: Any, seat: int) -> tuple[()]:
    """`bounds` of a game whose moves have no numbers."""
    return ()


def no_chance(params: Any, state: Any) -> Distribution:
    """`chance` of a game without chance moves."""
    raise LookupError("nature is to move but the rules define no chance()")


class RulesModule(Protocol[P_contra, S, V_co]):
    """Type of rules modules, from which type checkers infer Params, State and View of `Rules`."""

    def initial(self, params: P_contra, /) -> S: ...
    def to_act(self, params: P_contra, state: S, /) -> int: ...
    def legal(self, params: P_contra, state: S, seat: int, /) -> tuple[bool, ...]: ...
    def apply(self, params: P_contra, state: S, moves: Moves, /) -> S: ...
    def payoffs(self, params: P_contra, state: S, /) -> tuple[float, ...]: ...
    def observe(self, params: P_contra, state: S, seat: int, /) -> V_co: ...


@dataclass(frozen=True, kw_only=True)
class Rules(Generic[P, S, V]):
    """Parts of a game's rules; those with a default are optional."""

    Params: type[P]
    """NamedTuple class of a setting."""

    View: type[V]
    """NamedTuple class of views."""

    initial: Callable[[P], S]
    """Initial position."""

    to_act: Callable[[P, S], int]
    """Seat to move, SEVERAL (all seats with a legal move), CHANCE or DONE."""

    legal: Callable[[P, S, int], tuple[bool, ...]]
    """Legal kinds of move of a seat, one flag each in the game's order; all False if it waits."""

    apply: Callable[[P, S, Moves], S]
    """Position after one `Move` of a seat or nature; with SEVERAL, after one of each seat, with kind PASS for seats
    that wait or have left."""

    payoffs: Callable[[P, S], tuple[float, ...]]
    """Payoff of each seat in the game's own unit."""

    observe: Callable[[P, S, int], V]
    """View of a seat: public and its private information only."""

    features: Callable[[V], tuple[float, ...]]
    """Features of a view in [-1, 1]."""

    FEATURES: tuple[str, ...] = ()
    """Description of each feature."""

    feature_names: Callable[[P], tuple[str, ...]] | None = None
    """Replaces `FEATURES` if their number depends on the parameters."""

    chance: Callable[[P, S], Distribution] = no_chance
    """Distribution of a chance move: (outcome, probability) pairs, `Uniform`, `Normal` or `ByQuantile`."""

    quantile: Callable[[P, S, float], float] | None = None
    """Quantile function of chance moves, for `ByQuantile`."""

    alive: Callable[[P, S, int], bool] | None = None
    """Whether a seat is still active, if seats can leave before the end."""

    bounds: Callable[[P, S, int], tuple[Bounds, ...]] = no_bounds
    """Bounds of each number of all kinds of move of a seat, in the order of declaration."""

    span: Callable[[P, S, int], tuple[Bounds, ...]] | None = None
    """As `bounds`: sensible values, if the bounds are much wider. Used by random play, and by grids if it is public."""

    public_span: Callable[[P], tuple[Bounds, ...]] | None = None
    """As `bounds`: sensible values from public information only, for grids, if `span` reveals private information."""

    refuses: Callable[[P, S, int, Move], int] | None = None
    """0 if a move within the bounds is legal, else the index, from 1, of the reason in `REFUSALS`."""

    REFUSALS: tuple[str, ...] = ()
    """Texts of the reasons of `refuses`."""

    gains: Callable[[P, S], tuple[float, ...]] | None = None
    """Self-gains at the end, for compiled rewards."""

    sees: Callable[[P, S, Move, S, int, int], int] | None = None
    """Visibility of a move to a seat (HIDDEN, SEALED or OPEN), from the previous position, the move, the next position,
    the mover and the seat; all moves are OPEN without it."""

    Result: Any = None
    """NamedTuple class of public results."""

    facts: Callable[[P, S, Moves, S], tuple[Fact, ...]] | None = None
    """Facts revealed by moves, from the previous and next positions, with the seats they concern and reach."""

    entry_round: Callable[[P, S, int], int] | None = None
    """Round in which the player of a seat joined, if new players take seats during the game; it has observed nothing
    before and counts rounds from there."""

    realized_moves: Callable[[P, S, Moves, S], Moves] | None = None
    """Realized moves of SEVERAL, given the chosen ones, if hands may tremble."""

    Status: Any = None
    """NamedTuple class of `status`."""

    status: Callable[[P, S, int], Any] | None = None
    """Status of a seat for its infos."""

    @classmethod
    def from_module(cls, module: RulesModule[P, S, V]) -> Rules[P, S, V]:
        """Build the rules that a module defines or imports.

        Raises:
            TypeError: A required part is missing, or a function name looks like a misspelled part.
        """
        name, names = cast("Any", module).__name__, vars(module)
        for part in fields(cls):
            if part.default is MISSING and part.name not in names:
                raise TypeError(f"{name} lacks {_part_signature(part)}; see econzoo/envs/core/contract/rules.py")
        _check_misspelled_parts(name, names, {part.name: part for part in fields(cls) if part.name not in names})
        return cls(**{part.name: names[part.name] for part in fields(cls) if part.name in names})

    def legal_moves(self, params: P, state: S, seat: int) -> Legal:
        """Return the legal moves of a seat, without messages but with `span` and refusals."""
        kinds, bounds = self.legal(params, state, seat), self.bounds(params, state, seat)
        span, grid = self.span and self.span(params, state, seat), self.public_span and self.public_span(params)
        refused = self.refuses and partial(self.refusal, params, state, seat)
        # Messages are no matter of the rules: the environment adds them.
        return Legal(kinds, bounds, False, span, None, refused, grid)

    def refusal(self, params: P, state: S, seat: int, move: Move) -> str | None:
        """Return why a move within the bounds is illegal, or None."""
        place = self.refuses(params, state, seat, move) if self.refuses else 0
        return self.REFUSALS[place - 1] if place else None

    @property
    def defined_parts(self) -> tuple[str, ...]:
        """Names of the parts that this game defines."""
        return tuple([part.name for part in fields(self) if getattr(self, part.name) is not part.default])


def _check_misspelled_parts(name: str, names: Mapping[str, Any], absent: Mapping[str, Field[Any]]) -> None:
    """Raise `TypeError` for public functions of a module whose names look like a missing part."""
    for own, value in names.items():
        # A part may be cached, hence unwrap(); an imported function with such a name is none of the module.
        if own.startswith("_") or not isfunction(unwrap(value)) or value.__module__ != name:
            continue
        near = get_close_matches(own, absent, 1, MIN_SIMILARITY)
        if near:
            part = _part_signature(absent[near[0]])
            raise TypeError(f"{name}.{own}() is not a part of rules; did you mean {part}? Else rename it")


def _part_signature(part: Field[Any]) -> str:
    """Format the signature of a part: ``observe(Params, State, int) -> View``."""
    # Types of the fields are text here, as the module postpones annotations.
    match = re.match(r"Callable\[\[(.*?)\], ([^|]+)\]", str(part.type))
    if match is None:
        return part.name
    names = {"P": "Params", "S": "State", "V": "View"}
    return re.sub(r"\b[PSV]\b", lambda one: names[one[0]], f"{part.name}({match[1]}) -> {match[2]}")


def draft(values: tuple[T, ...]) -> list[T]:
    """Return a mutable copy of a tuple for `put`; `to_tuple` converts it back.

    The vector environment compiles the three to in-place updates of tuples in registers, because lists are slow
    there. Continue with the return value of `put`.
    """
    return list(values)


def put(values: list[T], place: int, value: T) -> list[T]:
    """Set one value of a draft and return the draft."""
    values[place] = value
    return values


def to_tuple(values: list[T]) -> tuple[T, ...]:
    """Convert a draft to a tuple."""
    return tuple(values)
