"""Gymnasium spaces for words, typed moves and plain observations."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium import spaces
from gymnasium.spaces import flatdim
from gymnasium.vector.utils import batch_space

from econzoo.envs.core.contract.marks import Message, Source
from econzoo.envs.core.contract.symbols import alphabet
from econzoo.envs.core.contract.validation import Invalid
from econzoo.envs.core.faces.shared_memory import share_in_slots

if TYPE_CHECKING:
    from econzoo.envs.core.contract.actions import ActionSchema, Legal

FLOAT32 = np.dtype(np.float32)

MAX_TEXT = 1_000_000
"""Characters that an observed text or a reply may have in a space."""

PRINTABLE = "".join(map(chr, range(32, 127)))


@share_in_slots
class UnicodeText(spaces.Text):
    """Any text up to a length.

    Gymnasium's own Text refuses every character that its character set does not list; this one contains all of
    Unicode and samples printable ASCII.

    Args:
        max_length: Characters.
        seed: Of the sampling.
    """

    def __init__(self, max_length: int = MAX_TEXT, seed: int | None = None) -> None:
        super().__init__(max_length, min_length=0, charset=PRINTABLE, seed=seed)

    @property
    def room(self) -> int:
        """Bytes that a text may have in shared memory: four for each character, and what pickle adds."""
        return 4 * self.max_length + 64

    def contains(self, x: Any) -> bool:
        """Whether `x` is text that is not too long."""
        return isinstance(x, str) and len(x) <= self.max_length

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        """A short line of printable characters."""
        length = int(self.np_random.integers(0, min(80, self.max_length) + 1))
        letters = self.np_random.integers(32, 127, size=length, dtype=np.uint8)
        return letters.tobytes().decode("ascii")

    def __repr__(self) -> str:
        return f"UnicodeText({self.max_length})"

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, UnicodeText) and other.max_length == self.max_length

    __hash__ = None  # type: ignore[assignment]


@share_in_slots
class PlainSpace(spaces.Space[Any]):
    """Plain Python values that pass a test: numbers with a meaning, None for what is not known, tuples of events.

    Args:
        description: What is inside, in words.
        contains_test: The test.
        sample_value: Makes one value from a generator.
        seed: Of the sampling.

    Attributes:
        room: Bytes that a value may have in shared memory.
    """

    room = 2**20

    def __init__(
        self,
        description: str,
        contains_test: Callable[[Any], bool],
        sample_value: Callable[[np.random.Generator], Any],
        seed: int | None = None,
    ) -> None:
        super().__init__(None, None, seed)
        self.description, self._inside, self._draw = description, contains_test, sample_value

    def contains(self, x: Any) -> bool:
        """Whether `x` passes the test."""
        return self._inside(x)

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        """One value."""
        return self._draw(self.np_random)

    @property
    def is_np_flattenable(self) -> bool:
        """Never: plain values are for people and programs, not for networks."""
        return False

    def __repr__(self) -> str:
        return f"Plain({self.description})"

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, PlainSpace) and other.description == self.description

    __hash__ = None  # type: ignore[assignment]


class NumberSpace(PlainSpace):
    """A number, True/False, or None where it is unknown; or a tuple of numbers."""

    room = 2**12

    def __init__(self, seed: int | None = None) -> None:
        super().__init__("a number, None, or numbers", _is_number_or_none, _draw_number, seed)


def _is_number_or_none(x: Any) -> bool:
    if isinstance(x, tuple):
        return all(isinstance(part, int | float) for part in x)
    return x is None or isinstance(x, int | float)


def _draw_number(rng: np.random.Generator) -> float:
    return float(rng.random())


class TupleSpace(PlainSpace):
    """A tuple of anything plain."""

    def __init__(self, description: str, seed: int | None = None) -> None:
        super().__init__(f"a tuple of {description}", _is_tuple, _draw_nothing, seed)


def _is_tuple(x: Any) -> bool:
    return isinstance(x, tuple)


def _draw_nothing(_rng: np.random.Generator) -> tuple[()]:
    return ()


class MoveSpace(spaces.Dict):
    """Plain dictionaries of typed moves, e.g. ``{"kind": "offer", "gain": 6000.0, "message": "..."}``.

    A Dict space with one entry per key; a move carries the keys of its kind only. Contains every move that could
    ever be legal in this game, samples over all kinds.

    Args:
        schema: The game's kinds of move.
        legal: What may be done at some time or other.
        seed: Of the sampling.
    """

    def __init__(self, schema: ActionSchema, legal: Legal, seed: int | None = None) -> None:
        self.schema, self.legal = schema.fit_to_bounds(legal.bounds), legal
        super().__init__({key: self._part(key) for key in schema.keys}, seed=seed)

    def _part(self, key: str) -> spaces.Space[Any]:
        mark = next((kind.marks[key] for kind in self.schema.kinds if key in kind.marks), None)
        if isinstance(mark, Source):
            return UnicodeText(mark.max_length)
        if isinstance(mark, Message):
            return UnicodeText(self.legal.max_message or mark.max_length)
        return UnicodeText(40) if key == "kind" else NumberSpace()

    def contains(self, x: Any) -> bool:
        """Whether `x` could be a legal move at some time."""
        return not isinstance(self.schema.parse(x, self.legal), Invalid)

    def sample(self, mask: Any = None, probability: Any = None) -> dict[str, Any]:
        """A random move of a random kind.

        Args:
            mask: One flag per kind of move, or None.
            probability: Not used.
        """
        rng, schema = self.np_random, self.schema
        wanted = np.flatnonzero(mask) if mask is not None and np.any(mask) else np.arange(len(schema.kinds))
        index = int(rng.choice(wanted))
        words = "".join(map(chr, rng.integers(97, 123, size=6))) if self.legal.messages else ""
        if symbols := alphabet(self.legal.messages):
            words = symbols[int(rng.integers(len(symbols)))]
        source, own = schema.kinds[index].source, self.legal.usual_bounds[schema.first[index] :]
        if source is not None:
            return schema.to_plain(schema.make(index, [float(rng.integers(len(source.library())))]))
        values = [mark.sample(usual, rng) for mark, usual in zip(schema.marks[index], own, strict=False)]
        return schema.to_plain(schema.make(index, values, words))

    def __repr__(self) -> str:
        return f"MoveSpace({', '.join(self.schema.names)})"

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, MoveSpace) and other.legal == self.legal and other.schema.kinds == self.schema.kinds

    __hash__ = None  # type: ignore[assignment]


batch_space.register(MoveSpace, batch_space.dispatch(spaces.Space))  # several moves are a tuple, as they differ in keys


class NumericSpace(spaces.Dict):
    """The observations of the numeric face: a Dict that names ``flat=True`` to who wants one array.

    Libraries that take arrays only either show the space in their error, or ask for its size and fail later on the
    dictionary. So its text names the option, and its `shape` and its `gymnasium.spaces.flatdim` warn.
    """

    def __str__(self) -> str:
        return f"{self!r} (flat=True makes it one array, with the mask in the info)"

    @property
    def shape(self) -> tuple[int, ...] | None:
        """None, as of every Dict."""
        warnings.warn(f"this has no shape: {self}", stacklevel=2)
        return super().shape


@flatdim.register(NumericSpace)
def _flatdim(space: NumericSpace) -> int:
    """The numbers and the mask together, as of every Dict."""
    warnings.warn(f"only flattened observations have this size: {space}", stacklevel=3)
    return flatdim.dispatch(spaces.Dict)(space)
