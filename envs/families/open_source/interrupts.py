"""Ctrl-C while a program runs: it ends the run, and no program is told of it.

What the host does for a program (a simulation, what it prints) runs inside of the program. An interrupt that is raised
there would be an error of the program, which could even catch it, and nobody would be stopped. So it waits outside.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_PENDING: list[FrameType | None] = []
"""Where the process was when an interrupt came that waits."""


@contextmanager
def defer_interrupts() -> Iterator[None]:
    """Holds interrupts back to the end of this, or of the outermost one if they are nested."""
    handler = signal.getsignal(signal.SIGINT)
    here = threading.current_thread() is threading.main_thread()  # only there are interrupts raised
    if not here or not callable(handler) or handler is _record_interrupt:
        yield
        return
    signal.signal(signal.SIGINT, _record_interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        if _PENDING:
            where = _PENDING[0]
            _PENDING.clear()
            handler(signal.SIGINT, where)


def _record_interrupt(number: int, where: FrameType | None) -> None:
    _PENDING.append(where)


def check_interrupted() -> None:
    """Raises `RuntimeError` if an interrupt waits: nothing more is worth doing for the program."""
    if _PENDING:
        raise RuntimeError("the run is being stopped")
