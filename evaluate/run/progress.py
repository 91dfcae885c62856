"""Progress bars on terminals, and a message on interrupt."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from econzoo.baselines import current_budget


def format_spending() -> str:
    """Return the cost of models so far."""
    own = current_budget()
    return str(own) if own and own.tokens else ""


@contextmanager
def progress_bar(
    text: str, total: int, enabled: bool = True, suffix: Callable[[], str] = format_spending, width: int = 40
) -> Iterator[Callable[[int], None]]:
    """Yield a function that advances the bar by a number of steps."""
    if not enabled or not sys.stderr.isatty():
        yield lambda done: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, TextColumn, TimeRemainingColumn
    from rich.text import Text

    class Beside(ProgressColumn):
        def render(self, task: Any) -> Text:
            return Text(suffix())

    bars = TextColumn("{task.description}"), BarColumn(width), MofNCompleteColumn()
    with Progress(*bars, TimeRemainingColumn(), Beside(), console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(text, total=total)
        yield lambda done: bar.advance(task, done)


@contextmanager
def exit_on_interrupt(out: Path | None) -> Iterator[None]:
    """Exit with code 130 on an interrupt.

    Args:
        out: Folder from which the same command resumes; None: it does not.
    """
    try:
        yield
    except KeyboardInterrupt:
        import typer

        print(f"stopped; rerun the same command to resume in {out}" if out else "stopped", file=sys.stderr)
        raise typer.Exit(130) from None
