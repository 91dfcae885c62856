"""Values of any length in the shared memory of Gymnasium's `AsyncVectorEnv`.

Gymnasium supports only arrays of fixed shape there; its text spaces have a closed character set and are not updated
after the first read. Here every process has a slot for a pickled value.
"""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from multiprocessing.heap import BufferWrapper
from typing import Any, TypeVar, overload

from gymnasium import Space
from gymnasium.vector.utils import create_shared_memory, read_from_shared_memory, write_to_shared_memory

SpaceType = TypeVar("SpaceType", bound=type[Space[Any]])
LENGTH_BYTES = 8
"""Bytes for the length of a value."""


class Slots(Sequence[Any]):
    """Last written values of several processes, initially None; copied as a plain tuple.

    Memory is reserved but only used where values are written.

    Args:
        count: Number of processes.
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
        """Write a value to the slot of a process.

        Raises:
            ValueError: The value is too long.
        """
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
