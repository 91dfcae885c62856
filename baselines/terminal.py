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
"""Rows of the screen that are kept for a question."""

WIPE = "\x1b[H\x1b[2J\x1b[3J"
"""To the corner, wipe the screen, wipe what was scrolled away: last, as some terminals scroll away what they wipe."""


class Terminal:
    """What people at one terminal share.

    Several people take turns at it. Before the screen passes from one to another it is cleared, what was scrolled
    away included, and nothing is shown until the next person says that the keyboard is theirs.

    Attributes:
        notes: Persons, and the lines that each of them is to read when the keyboard is passed next.

    Args:
        ask: Shows a prompt and returns a line, as `input` does; raises EOFError at the end of the input.
        tell: Shows a line; by default in colours on a terminal, plainly elsewhere.
        clear: Clears the screen; by default with ANSI codes on a terminal, not at all elsewhere.

    Raises:
        ValueError: Something given is no function.
    """

    def __init__(self, ask: Ask | None = None, tell: Tell | None = None, clear: Clear | None = None) -> None:
        for name, given in (("ask", ask), ("tell", tell), ("clear", clear)):
            if given is not None and not callable(given):
                raise ValueError(f"terminal: invalid {name}={given!r}: expected a function")
        self._ask, self._tell, self._clear = ask, tell, clear
        self._people: dict[int, object] = {}
        self._playing: set[int] = set()
        self.notes: list[tuple[Any, list[str]]] = []
        self._holder: int | None = None
        self._ended = False
        self._rows = 0

    # -- people --------------------------------------------------------------------------------------------

    def sit(self, seat: int, person: object) -> None:
        """A person takes a seat; who sat here in an earlier match has gone."""
        if self._ended or self._people.get(seat, person) is not person:
            self.clear_table()
        self._people[seat] = person
        self._playing.add(seat)

    def clear_table(self) -> None:
        """The match is over, or put aside: nobody sits here."""
        self._people.clear()
        self._playing.clear()
        self.notes.clear()
        self._holder, self._ended = None, False

    def retire(self, seat: int) -> None:
        """The game of a seat has ended; its person stays for the result."""
        self._playing.discard(seat)

    @property
    def is_shared(self) -> bool:
        """Whether several people take turns; lines from a pipe come from nobody who could look away."""
        return len(self._people) > 1 and (self._ask is not None or sys.stdin.isatty())

    def others_play(self, seat: int) -> bool:
        """Whether another person at this terminal is still in the game."""
        return self.is_shared and bool(self._playing - {seat})

    def hand_to(self, seat: int, ready: Callable[[], Any]) -> None:
        """The screen belongs to this seat from now on.

        Args:
            seat: Of the person who comes.
            ready: Returns when the person is there.
        """
        if self.is_shared and self._holder != seat:
            if self._holder is not None:
                self.clear()
            ready()
            self.clear()
        self._holder = seat

    def claim_first_end(self) -> bool:
        """Whether nobody has been told yet that the match is over; true once."""
        first, self._ended = not self._ended, True
        return first

    # -- screen and keyboard -------------------------------------------------------------------------------

    def ask(self, prompt: str) -> str:
        """A line that is typed."""
        self._rows = 0
        return (self._ask or input)(prompt)

    def tell(self, text: str, style: str = "") -> None:
        """Shows a line; on a terminal, text that fills the screen waits until it has been read."""
        if self._tell:
            self._tell(text)
        else:
            show(text, style, self._make_room)

    def _make_room(self) -> None:
        """Waits before a row that would push another one, not yet read, off the screen."""
        if self._rows >= get_terminal_size().lines - QUESTION and self._ask is None and sys.stdin.isatty():
            with suppress(EOFError, KeyboardInterrupt):  # the next question deals with who leaves
                self.ask("Press Enter to continue. ")
        self._rows += 1

    def clear(self) -> None:
        """Leaves nothing on the screen, above it, or under the arrow keys, and forgets keys pressed too early."""
        self._rows = 0
        if self._clear:
            self._clear()
        elif self._ask is None:
            wipe()


def show(text: str, style: str, before_row: Callable[[], None] = lambda: None) -> None:
    """Prints a line: wrapped and with its looks on a terminal, as it is elsewhere.

    Args:
        text: The line, or several.
        style: Its looks, as rich knows them.
        before_row: Called before each row on a terminal.
    """
    if not sys.stdout.isatty():
        print(text, flush=True)
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False)
    for row in Text(text, style=style).wrap(console, console.width):
        before_row()
        console.print(row)


def wipe() -> None:
    """Clears the terminal of this process."""
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
