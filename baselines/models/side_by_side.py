"""Calls side by side in threads for which nobody waits at the end: Ctrl-C is not held up by a server that is slow."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

Reply = TypeVar("Reply")


def side_by_side(
    answer: Callable[..., Reply], jobs: Sequence[tuple[Any, ...]], most: int, keep: Callable[[int, Reply], None]
) -> Iterator[tuple[int, Reply | Exception]]:
    """Answers every job; each answer, or what went wrong, is given with its place as soon as it is there.

    Args:
        answer: Of a job.
        jobs: Arguments of each.
        most: Jobs at once.
        keep: Told of each answer with its place, in the thread that got it and before that one takes another job.
    """
    waiting: SimpleQueue[tuple[int, tuple[Any, ...]]] = SimpleQueue()
    done: SimpleQueue[tuple[int, Reply | Exception]] = SimpleQueue()

    def work() -> None:
        with suppress(Empty):
            while True:
                place, job = waiting.get_nowait()
                try:
                    reply = answer(*job)
                    keep(place, reply)
                    done.put((place, reply))
                except Exception as error:
                    done.put((place, error))

    for one in enumerate(jobs):
        waiting.put(one)
    for _ in range(min(most, len(jobs))):
        threading.Thread(target=work, daemon=True).start()
    try:
        for _ in jobs:
            yield done.get()
    finally:  # nobody waits any more: what has not begun is left
        with suppress(Empty):
            while True:
                waiting.get_nowait()
