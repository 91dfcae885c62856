"""The rules of a game as one typed object, filled from the game's module of pure functions (its ``rules.py``).

The rules know numbers only: no text, no randomness, no input or output. Names follow OpenSpiel, purity follows pgx.
`Rules` lists the parts that such a module has; the rest of it is the game's own.

``Params``, ``State`` and ``View`` are NamedTuples of numbers, or of tuples of numbers (one a seat, say). A public
parameter is declared where ``Params`` has it (see `econzoo.envs.core.contract.parameters.declared_parameters`), and
hidden unless a ``View`` has it too: under the same name it is the same number, or UNKNOWN, and needs no other
description; if it is told to every seat, `econzoo.envs.core.contract.public` puts it in. UNKNOWN stands in a view for a
number, never inside a tuple. Written this way, one set of functions serves the scalar environment and, compiled, the
vector environment (`econzoo.envs.core.vector.batch`). Raise numbers to float powers only
(``delta ** (s.round - 1.0)``): compiled and plain Python round integer powers differently, and the two must agree to
the last bit.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, dataclass, fields
from difflib import get_close_matches
from functools import partial
from inspect import isfunction, unwrap
from typing import Any, Generic, Protocol, cast

from typing_extensions import TypeVar

from econzoo.envs.core.contract.distributions import Distribution
from econzoo.envs.core.contract.events import Fact
from econzoo.envs.core.contract.moves import Bounds, Legal, Move

__all__ = ["Rules", "RulesModule"]


class Position(Protocol):
    """What every State has: the round, 1-based."""

    @property
    def round(self) -> int: ...


class SeatView(Protocol):
    """What every View has: who looks, in which round, and whether the game has ended, 1 or 0."""

    @property
    def seat(self) -> int: ...
    @property
    def round(self) -> int: ...
    @property
    def over(self) -> int: ...


# With defaults: `Game` alone is a game of any rules, also for strict type checkers.
P = TypeVar("P", default=Any)
S = TypeVar("S", bound=Position, default=Any)
V = TypeVar("V", bound=SeatView, default=Any)
P_contra = TypeVar("P_contra", contravariant=True)
V_co = TypeVar("V_co", bound=SeatView, covariant=True, default=Any)

Moves = tuple[Move, ...]

MIN_SIMILARITY = 0.8
"""From this ratio of `difflib` on, the name of a function is taken for a misspelled part."""


def no_bounds(params: Any, state: Any, seat: int) -> tuple[()]:
    """The `bounds` of a game in which no move carries a number."""
    return ()


def no_chance(params: Any, state: Any) -> Distribution:
    """The `chance` of a game without it."""
    raise LookupError("nature is to move, but the rules define no chance()")


class RulesModule(Protocol[P_contra, S, V_co]):
    """What a module must have to be rules, for type checkers: they tell Params, State and View of `Rules` from it."""

    def initial(self, params: P_contra, /) -> S: ...  # noqa: D102 (see `Rules`)
    def to_act(self, params: P_contra, state: S, /) -> int: ...  # noqa: D102
    def legal(self, params: P_contra, state: S, seat: int, /) -> tuple[bool, ...]: ...  # noqa: D102
    def apply(self, params: P_contra, state: S, moves: Moves, /) -> S: ...  # noqa: D102
    def payoffs(self, params: P_contra, state: S, /) -> tuple[float, ...]: ...  # noqa: D102
    def observe(self, params: P_contra, state: S, seat: int, /) -> V_co: ...  # noqa: D102


@dataclass(frozen=True, kw_only=True)
class Rules(Generic[P, S, V]):
    """The parts of a game's rules. Those with a default are for the games that need them."""

    Params: type[P]
    """The class of a setting: a NamedTuple of numbers."""

    View: type[V]
    """The class of what `observe` gives."""

    initial: Callable[[P], S]
    """The position before the first move."""

    to_act: Callable[[P, S], int]
    """A seat, SEVERAL (every seat that has a legal move now), CHANCE or DONE."""

    legal: Callable[[P, S, int], tuple[bool, ...]]
    """For a seat, one flag per kind of move, in the game's order; all False for who waits."""

    apply: Callable[[P, S, Moves], S]
    """The position after one `Move` if a seat or nature acts; if SEVERAL act, after one of each seat, of kind PASS for
    who waits or has left."""

    payoffs: Callable[[P, S], tuple[float, ...]]
    """One number a seat, in the game's own unit."""

    observe: Callable[[P, S, int], V]
    """What a seat may know, and nothing else."""

    features: Callable[[V], tuple[float, ...]]
    """A view as numbers in [-1, 1], for learning."""

    FEATURES: tuple[str, ...] = ()
    """A few words for each number of `features`."""

    feature_names: Callable[[P], tuple[str, ...]] | None = None
    """In place of `FEATURES`, if their number depends on the parameters."""

    chance: Callable[[P, S], Distribution] = no_chance
    """What nature draws from, if the game has chance: (outcome, probability) of each outcome, or one of
    `econzoo.envs.core.contract.distributions`."""

    quantile: Callable[[P, S, float], float] | None = None
    """The outcome below which lies this part of nature's draws, for `ByQuantile`."""

    alive: Callable[[P, S, int], bool] | None = None
    """Whether a seat is still in the game, if seats can leave before the end."""

    bounds: Callable[[P, S, int], tuple[Bounds, ...]] = no_bounds
    """For a seat, the smallest and largest value of each number of all kinds of move in the order of declaration, if
    moves carry numbers."""

    span: Callable[[P, S, int], tuple[Bounds, ...]] | None = None
    """As `bounds`: values that make sense, if the bounds are far wider. Random play keeps to it, and so do grids if all
    of it is public."""

    public_span: Callable[[P], tuple[Bounds, ...]] | None = None
    """As `bounds`: values that make sense by what everybody knows, if a `span` tells something private; for grids."""

    refuses: Callable[[P, S, int, Move], int] | None = None
    """0, or why a seat cannot play a move within the bounds: its place, from 1, among the reasons in `REFUSALS`."""

    REFUSALS: tuple[str, ...] = ()
    """The reasons of `refuses`, in words."""

    gains: Callable[[P, S], tuple[float, ...]] | None = None
    """Self-gains at the end, if rewards are to be compiled too."""

    sees: Callable[[P, S, Move, S, int, int], int] | None = None
    """What of the mover's move a seat may see, decided when it is played, from the position before it, the move, the
    position after it, the mover and the seat: HIDDEN, SEALED (that it was made) or OPEN; if not all is open."""

    Result: Any = None
    """The class of public results: a NamedTuple of numbers."""

    facts: Callable[[P, S, Moves, S], tuple[Fact, ...]] | None = None
    """What came to light when moves were played, from the position before and the one after: about whom, and for
    whom."""

    entry_round: Callable[[P, S, int], int] | None = None
    """The round in which the player of a seat came, if somebody new takes a seat during the game: it has seen nothing
    before, and counts rounds from there."""

    realized_moves: Callable[[P, S, Moves, S], Moves] | None = None
    """The moves of SEVERAL as everybody sees them, where a hand may tremble; those that it gets were chosen."""

    Status: Any = None
    """The class of what `status` gives: a NamedTuple of numbers."""

    status: Callable[[P, S, int], Any] | None = None
    """How a seat stands, for its infos."""

    @classmethod
    def from_module(cls, module: RulesModule[P, S, V]) -> Rules[P, S, V]:
        """The rules that a module defines, or has taken over from another one.

        Raises:
            TypeError: A part that every game needs is missing, or a function looks like a part but is called otherwise.
        """
        name, names = cast("Any", module).__name__, vars(module)
        for part in fields(cls):
            if part.default is MISSING and part.name not in names:
                raise TypeError(
                    f"{name} lacks {_part_signature(part)}; what it is for: econzoo/envs/core/contract/rules.py"
                )
        _check_misspelled_parts(name, names, {part.name: part for part in fields(cls) if part.name not in names})
        return cls(**{part.name: names[part.name] for part in fields(cls) if part.name in names})

    def legal_moves(self, params: P, state: S, seat: int) -> Legal:
        """What a seat may do in a position, without words; `span` and refusals of these rules included."""
        kinds, bounds = self.legal(params, state, seat), self.bounds(params, state, seat)
        span, grid = self.span and self.span(params, state, seat), self.public_span and self.public_span(params)
        refused = self.refuses and partial(self.refusal, params, state, seat)
        return Legal(kinds, bounds, False, span, None, refused, grid)

    def refusal(self, params: P, state: S, seat: int, move: Move) -> str | None:
        """Why a move within the bounds is refused, or None."""
        place = self.refuses(params, state, seat, move) if self.refuses else 0
        return self.REFUSALS[place - 1] if place else None

    @property
    def defined_parts(self) -> tuple[str, ...]:
        """Names of the parts that this game has."""
        return tuple([part.name for part in fields(self) if getattr(self, part.name) is not part.default])


def _check_misspelled_parts(name: str, names: Mapping[str, Any], absent: Mapping[str, Field[Any]]) -> None:
    """Refuses public functions of a module itself that look like a part which it does not have."""
    for own, value in names.items():
        if own.startswith("_") or not isfunction(unwrap(value)) or value.__module__ != name:
            continue
        near = get_close_matches(own, absent, 1, MIN_SIMILARITY)
        if near:
            told = f"is no part of rules; did you mean {_part_signature(absent[near[0]])}?"
            raise TypeError(f"{name}.{own}() {told} A function of the game's own needs a name less like it")


def _part_signature(part: Field[Any]) -> str:
    """How a part is written in a module: ``observe(Params, State, int) -> View``."""
    found = re.match(r"Callable\[\[(.*?)\], ([^|]+)\]", str(part.type))
    if found is None:
        return part.name
    words = {"P": "Params", "S": "State", "V": "View"}
    return re.sub(r"\b[PSV]\b", lambda one: words[one[0]], f"{part.name}({found[1]}) -> {found[2]}")
