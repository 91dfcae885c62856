"""Ctrl-C while a program runs: it ends the run and stays invisible to the program.

Host functions (a simulation, printing) run inside a call of the program. An interrupt raised there would be an error of
the program, which could even catch it, and the run would go on. So it is deferred until the call has ended.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_PENDING: list[FrameType | None] = []
"""Frame of a deferred interrupt."""


@contextmanager
def defer_interrupts() -> Iterator[None]:
    """Defer interrupts to the end of the context, or of the outermost one if nested."""
    handler = signal.getsignal(signal.SIGINT)
    is_main = threading.current_thread() is threading.main_thread()  # interrupts are raised only there
    # Only a handler in Python can be called later; `_record_interrupt` is that of an outer context.
    if not is_main or not callable(handler) or handler is _record_interrupt:
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
    """Raise `RuntimeError` if an interrupt is pending."""
    if _PENDING:
        raise RuntimeError("the run is being stopped")
