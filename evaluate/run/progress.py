"""What people see of work that takes long: a progress bar where there is a terminal, and a word when they stop it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from econzoo.baselines.models.spending import current_budget


def format_spending() -> str:
    """What models have cost so far."""
    own = current_budget()
    return str(own) if own and own.tokens else ""


@contextmanager
def progress_bar(
    text: str, total: int, enabled: bool = True, suffix: Callable[[], str] = format_spending, width: int = 40
) -> Iterator[Callable[[int], None]]:
    """Gives a function that is told how many more are done.

    Args:
        text: What is counted.
        total: How many there are.
        enabled: Whether to draw at all.
        suffix: What stands at the end of the bar.
        width: Of the bar, in characters.
    """
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
    """Lets an interrupt end the command well, with the exit code 130.

    Args:
        out: Where the work goes on when the command is started again; None: nowhere.
    """
    try:
        yield
    except KeyboardInterrupt:
        import typer

        print(f"stopped; the same command goes on with what is missing in {out}" if out else "stopped", file=sys.stderr)
        raise typer.Exit(130) from None
