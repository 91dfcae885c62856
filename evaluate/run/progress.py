"""Progress bars on terminals, and a message on interrupt."""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from econzoo.baselines import count_calls, current_budget

SPEED_SECONDS = 15.0
"""Seconds over which tokens a second are measured."""


class ModelProgress:
    """Calls in flight and waiting, tokens a second, and the cost or the tokens of models so far."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._seen = clock, deque[tuple[float, int]]()

    def __call__(self) -> str:
        """Return the present state; empty before the first call."""
        (flying, waiting), own = count_calls(), current_budget()
        tokens, now = own.tokens if own else 0, self._clock()
        self._seen.append((now, tokens))
        while now - self._seen[0][0] > SPEED_SECONDS:
            self._seen.popleft()
        begin, before = self._seen[0]
        speed = (tokens - before) / (now - begin) if now > begin else 0.0
        parts = {f"{flying:,} in flight": flying, f"{waiting:,} waiting": waiting, f"{speed:,.0f} tokens/s": speed}
        # Dollars if there are any, else tokens: the line has room for one of them.
        spent = [str(own).partition(", ")[0]] if own and tokens else []
        return ", ".join([*(text for text, count in parts.items() if count), *spent])


@contextmanager
def progress_bar(
    text: str, total: int, enabled: bool = True, suffix: Callable[[], str] | None = None, width: int = 12
) -> Iterator[Callable[[int], None]]:
    """Yield a function that advances the bar by a number of steps."""
    # In a notebook rich draws the bar below the cell.
    if not enabled or not (sys.stderr.isatty() or "ipykernel" in sys.modules):
        yield lambda done: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, TextColumn, TimeRemainingColumn
    from rich.text import Text

    told = suffix or ModelProgress()

    class Beside(ProgressColumn):
        def render(self, task: Any) -> Text:
            return Text(told())

    bars = TextColumn("{task.description}"), BarColumn(width), MofNCompleteColumn()
    with Progress(*bars, TimeRemainingColumn(), Beside(), console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(text, total=total)
        yield lambda done: bar.advance(task, done)


@contextmanager
def exit_on_interrupt(out: Path | None, describe_loss: Callable[[], str] | None = None) -> Iterator[None]:
    """Exit with code 130 on an interrupt.

    Args:
        out: Folder from which the same command resumes; None: it does not.
        describe_loss: Tells what is lost then.
    """
    try:
        yield
    except KeyboardInterrupt:
        import typer

        lost = f"stopped; {describe_loss()}" if describe_loss else "stopped"
        print(f"stopped; rerun the same command to resume in {out}" if out else lost, file=sys.stderr)
        raise typer.Exit(130) from None
