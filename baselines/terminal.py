"""Terminal of human players, with a shared screen and keyboard."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from shutil import get_terminal_size
from typing import Any

Ask = Callable[[str], str]
Tell = Callable[[str], None]
Clear = Callable[[], None]

QUESTION = 3
"""Rows of the screen reserved for a question."""

WIPE = "\x1b[H\x1b[2J\x1b[3J"
"""To the corner, wipe the screen, wipe what was scrolled away: last, as some terminals scroll away what they wipe."""


class Terminal:
    """A terminal shared by one or more people.

    Several people take turns. Between them the screen and its scrollback are cleared, and nothing is shown until the
    next person confirms that they have the keyboard.

    Args:
        ask: Shows a prompt and returns a line, as `input` does; raises EOFError at the end of the input.
        tell: Shows a line; None: in colours on a terminal, plainly elsewhere.
        clear: Clears the screen; None: with ANSI codes on a terminal, not at all elsewhere.
    """

    def __init__(self, ask: Ask | None = None, tell: Tell | None = None, clear: Clear | None = None) -> None:
        for name, given in (("ask", ask), ("tell", tell), ("clear", clear)):
            if given is not None and not callable(given):
                raise ValueError(f"terminal: invalid {name}={given!r}: expected a function")
        self._ask, self._tell, self._clear = ask, tell, clear
        self._people: dict[int, object] = {}
        self._playing: set[int] = set()
        # Person and lines to read when the keyboard is passed next.
        self.notes: list[tuple[Any, list[str]]] = []
        self._holder: int | None = None
        self._ended = False
        self._rows = 0

    # -- people --------------------------------------------------------------------------------------------

    def sit(self, seat: int, person: object) -> None:
        """Seat a person, replacing those of the previous match."""
        if self._ended or self._people.get(seat, person) is not person:
            self.clear_table()
        self._people[seat] = person
        self._playing.add(seat)

    def clear_table(self) -> None:
        """Remove all people after a match or at a pause."""
        self._people.clear()
        self._playing.clear()
        self.notes.clear()
        self._holder, self._ended = None, False

    def retire(self, seat: int) -> None:
        """Mark a seat as eliminated; its person stays for the result."""
        self._playing.discard(seat)

    @property
    def is_shared(self) -> bool:
        """Whether several people take turns, interactively and not from a pipe."""
        return len(self._people) > 1 and (self._ask is not None or sys.stdin.isatty())

    def others_play(self, seat: int) -> bool:
        """Whether another person at this terminal is still in the game."""
        return self.is_shared and bool(self._playing - {seat})

    def hand_to(self, seat: int, ready: Callable[[], Any]) -> None:
        """Pass the screen to a seat, after `ready` has returned."""
        if self.is_shared and self._holder != seat:
            # Ahead of the first person there is nothing to hide, and earlier output stays.
            if self._holder is not None:
                self.clear()
            ready()
            self.clear()
        self._holder = seat

    def claim_first_end(self) -> bool:
        """Return True on the first call after a match."""
        first, self._ended = not self._ended, True
        return first

    # -- screen and keyboard -------------------------------------------------------------------------------

    def ask(self, prompt: str) -> str:
        self._rows = 0
        return (self._ask or input)(prompt)

    def tell(self, text: str, style: str = "") -> None:
        """Show a line, with paging on a terminal."""
        if self._tell:
            self._tell(text)
        else:
            show(text, style, self._make_room)

    def _make_room(self) -> None:
        """Wait ahead of a row that would scroll unread text off the screen."""
        if self._rows >= get_terminal_size().lines - QUESTION and self._ask is None and sys.stdin.isatty():
            with suppress(EOFError, KeyboardInterrupt):  # the next question deals with who leaves
                self.ask("Press Enter to continue. ")
        self._rows += 1

    def clear(self) -> None:
        """Clear screen, scrollback, input history and pending keys."""
        self._rows = 0
        if self._clear:
            self._clear()
        elif self._ask is None:
            wipe()


def show(text: str, style: str, prepare_row: Callable[[], None] = lambda: None) -> None:
    """Print a line; on a terminal in a rich style, wrapped, with `prepare_row` called ahead of each row."""
    if not sys.stdout.isatty():
        print(text, flush=True)
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False)
    for row in Text(text, style=style).wrap(console, console.width):
        prepare_row()
        console.print(row)


def wipe() -> None:
    """Clear the terminal of this process."""
    if sys.stdout.isatty():
        print(WIPE, end="", flush=True)
    if readline := sys.modules.get("readline"):
        readline.clear_history()
    if sys.stdin.isatty():
        _forget_keys()


def _forget_keys() -> None:
    """Two quick presses of Enter must not show the next person's screen."""
    try:
        import termios
    except ImportError:  # not on this system
        return
    termios.tcflush(sys.stdin, termios.TCIFLUSH)


PROCESS_TERMINAL = Terminal()
"""The terminal of this process."""
