"""Gymnasium spaces for text, typed moves and plain observations."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Callable, Sequence
from multiprocessing.heap import BufferWrapper
from typing import TYPE_CHECKING, Any, TypeVar, overload

import numpy as np
from gymnasium import Space, spaces
from gymnasium.spaces import flatdim
from gymnasium.vector.utils import batch_space, create_shared_memory, read_from_shared_memory, write_to_shared_memory

from econzoo.envs.core.contract import Invalid, Message, Source, alphabet

if TYPE_CHECKING:
    from econzoo.envs.core.contract import ActionSchema, Legal


# Shared memory
#
# In the shared memory of its AsyncVectorEnv Gymnasium supports only arrays of fixed shape; its text spaces have a
# closed character set and are not updated after the first read. Here every process has a slot for a pickled value.


SpaceType = TypeVar("SpaceType", bound=type[Space[Any]])
LENGTH_BYTES = 8
"""Bytes for the length of a value."""


class Slots(Sequence[Any]):
    """Last written values of several processes, initially None; copied as a plain tuple.

    Memory is reserved but only used where values are written.

    Args:
        room: Maximum bytes of a pickled value.
    """

    def __init__(self, count: int, room: int) -> None:
        self._size, self._room = count, room
        self._memory = BufferWrapper(count * (LENGTH_BYTES + room))
        for number in range(count):
            self._slot(number)[:LENGTH_BYTES] = bytes(LENGTH_BYTES)  # the memory may be reused

    def _slot(self, number: int) -> memoryview:
        start = number * (LENGTH_BYTES + self._room)
        return self._memory.create_memoryview()[start : start + LENGTH_BYTES + self._room]

    def write(self, number: int, value: Any) -> None:
        """Write a value to the slot of a process; raise `ValueError` if it is too long."""
        slot, data = self._slot(number), pickle.dumps(value)
        if len(data) > self._room:
            raise ValueError(
                f"a value of {len(data):,} bytes exceeds the shared memory slot of {self._room:,} bytes; "
                "use AsyncVectorEnv(shared_memory=False)"
            )
        slot[LENGTH_BYTES : LENGTH_BYTES + len(data)] = data
        slot[:LENGTH_BYTES] = len(data).to_bytes(LENGTH_BYTES, "little")

    def __len__(self) -> int:
        return self._size

    @overload
    def __getitem__(self, number: int) -> Any: ...
    @overload
    def __getitem__(self, number: slice) -> tuple[Any, ...]: ...
    def __getitem__(self, number: Any) -> Any:
        if isinstance(number, slice):
            return tuple(self)[number]
        slot = self._slot(range(self._size)[number])
        length = int.from_bytes(slot[:LENGTH_BYTES], "little")
        return pickle.loads(slot[LENGTH_BYTES : LENGTH_BYTES + length]) if length else None

    def __deepcopy__(self, memo: Any) -> tuple[Any, ...]:
        return tuple(self)

    def __repr__(self) -> str:
        return f"Slots{tuple(self)!r}"


def share_in_slots(space: SpaceType) -> SpaceType:
    """Class decorator that enables shared memory for a space; its instances have a `room` in bytes."""
    create_shared_memory.register(space, _create_slots)
    read_from_shared_memory.register(space, _read_slots)
    write_to_shared_memory.register(space, _write_slot)
    return space


def _create_slots(space: Any, n: int = 1, ctx: Any = None) -> Any:
    return Slots(n, space.room)


def _read_slots(space: Any, shared_memory: Slots, n: int = 1) -> Any:
    return shared_memory


def _write_slot(space: Any, index: int, value: Any, shared_memory: Slots) -> None:
    shared_memory.write(index, value)


FLOAT32 = np.dtype(np.float32)

MAX_TEXT = 1_000_000
"""Maximum characters of texts in spaces."""

PRINTABLE = "".join(map(chr, range(32, 127)))


@share_in_slots
class UnicodeText(spaces.Text):
    """Space of Unicode texts up to a length.

    Gymnasium's Text is limited to a character set; this space contains all of Unicode and samples printable ASCII.
    """

    def __init__(self, max_length: int = MAX_TEXT, seed: int | None = None) -> None:
        super().__init__(max_length, min_length=0, charset=PRINTABLE, seed=seed)

    @property
    def room(self) -> int:
        """Bytes of a text in shared memory: four per character, plus pickle overhead."""
        return 4 * self.max_length + 64  # UTF-8

    def contains(self, x: Any) -> bool:
        """Whether `x` is text of valid length."""
        return isinstance(x, str) and len(x) <= self.max_length

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        """Sample a short line of printable characters."""
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
    """Space of plain Python values that pass a test.

    Attributes:
        room: Maximum bytes of a value in shared memory.
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
        return self._inside(x)

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        return self._draw(self.np_random)

    @property
    def is_np_flattenable(self) -> bool:
        """False: plain values cannot be flattened."""
        return False

    def __repr__(self) -> str:
        return f"Plain({self.description})"

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, PlainSpace) and other.description == self.description

    __hash__ = None  # type: ignore[assignment]


class NumberSpace(PlainSpace):
    """Space of numbers, booleans, None (unknown) and tuples of numbers."""

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
    """Space of tuples of plain values."""

    def __init__(self, description: str, seed: int | None = None) -> None:
        super().__init__(f"a tuple of {description}", _is_tuple, _draw_nothing, seed)


def _is_tuple(x: Any) -> bool:
    return isinstance(x, tuple)


def _draw_nothing(_rng: np.random.Generator) -> tuple[()]:
    return ()


class MoveSpace(spaces.Dict):
    """Space of plain dictionaries of typed moves, e.g. ``{"kind": "offer", "gain": 6000.0, "message": "..."}``.

    A Dict space with one entry per key, but a move has only the keys of its kind. It contains all moves that can ever
    be legal in the game and samples over all kinds.
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
        """Whether `x` can ever be a legal move."""
        return not isinstance(self.schema.parse(x, self.legal), Invalid)

    def sample(self, mask: Any = None, probability: Any = None) -> dict[str, Any]:
        """Sample a move of a random kind.

        Args:
            mask: One flag per kind of move, or None.
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


batch_space.register(MoveSpace, batch_space.dispatch(spaces.Space))  # batches are tuples, because moves differ in keys


class NumericSpace(spaces.Dict):
    """Dict space of numeric observations that suggests ``flat=True`` to libraries that need one array.

    Libraries that accept only arrays either print the space in their error, or request its size and fail later. So its
    repr names the option, and `shape` and `gymnasium.spaces.flatdim` warn.
    """

    def __str__(self) -> str:
        return f"{self!r} (flat=True makes it one array, with the mask in the info)"

    @property
    def shape(self) -> tuple[int, ...] | None:
        """None, as for every Dict."""
        warnings.warn(f"this has no shape: {self}", stacklevel=2)
        return super().shape


@flatdim.register(NumericSpace)
def _flatdim(space: NumericSpace) -> int:
    """Return the total size, as for every Dict."""
    warnings.warn(f"only flattened observations have this size: {space}", stacklevel=3)
    return flatdim.dispatch(spaces.Dict)(space)
