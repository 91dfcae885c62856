"""A person at a terminal, in any game: texts to read, questions to answer, and a way to leave."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from econzoo.baselines.player import LeftTable, Player, SeatInfo
from econzoo.envs.core.actions import ActionSchema, Amount, Kind, Legal, Message
from econzoo.envs.core.game import Game
from econzoo.envs.core.parse import render_reply
from econzoo.envs.core.prompts import dollars
from econzoo.envs.core.values import Invalid

Ask = Callable[[str], str]
Tell = Callable[[str], None]

NUMBER = re.compile(r"[+-]?(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d*)?(?:[eE][+-]?\d{1,3})?", re.ASCII)
"""A number as people write it: 6000, 6,000.50, 6e3. A comma only separates thousands."""

UNBOUNDED = 1e15
"""A range this wide is no help to a person."""

TITLE, ROLE, PLAIN, HINT, PROBLEM = "bold", "bold cyan", "", "dim", "yellow"
"""Looks of what is shown, as rich knows them."""

HELP = (
    "Type the number, the name or the first letter of a move, and amounts as 6000, 6,000.50 or $6000.",
    'Type "help" to read this again, "quit" (or Ctrl-D, Ctrl-C) to leave the match.',
)


class HumanPlayer(Player):
    """Shows a person the rules once and then what is new, asks for a move and checks what is typed.

    Nothing that is typed can end a match by mistake: what cannot be a move is explained and asked for again.
    Leaving raises `LeftTable`, so that what was played until then is recorded.

    Args:
        spec: Its name.
        ask: Shows a prompt and returns a line, as `input` does; raises EOFError at the end of the input.
        tell: Shows a line; by default in colours on a terminal, plainly elsewhere.
    """

    face = "chat"
    wants_schema = True

    def __init__(self, spec: str = "human", *, ask: Ask | None = None, tell: Tell | None = None) -> None:
        super().__init__(spec)
        for name, given in (("ask", ask), ("tell", tell)):
            if given is not None and not callable(given):
                raise ValueError(f"player {spec[:80]!r}: {name}={given!r} is not allowed; allowed: a function")
        self._ask, self._tell = ask, tell
        self.left = False

    def reset(self, seat: int, info: SeatInfo, seed: int) -> None:
        """Takes a seat; the rules are shown when the first question comes."""
        self.game: Game = info.game
        self.rules, self.messages = info.rules, info.messages
        roles = info.game.facts.roles
        self.role = roles[seat] if seat < len(roles) else f"Player {seat + 1}"
        self.told = self.left = False

    def act(self, observation: Any, info: dict[str, Any]) -> str:
        """The person's move as the JSON that the text faces read.

        Raises:
            LeftTable: The person has left.
        """
        if not self.told:
            self._show_rules()
        self._show_lines(readable(observation["text"]))
        legal = legal_now(self.game.actions, info["json_schema"], self.messages)
        while True:
            move = self._move(legal)
            if not isinstance(move, Invalid):
                return render_reply(self.game.actions, move)
            self._show(f"That cannot be played: {move.text}.", PROBLEM)

    def finish(self, observation: Any, info: dict[str, Any]) -> None:
        """Tells how the match ended."""
        ended = "You have left the match." if self.left else "The match is over."
        news = [] if self.left else readable(observation["text"])
        self._show_lines([*news, f"{ended} Your payoff: {dollars(info['payoff'])}." if "payoff" in info else ended])

    # -- questions -----------------------------------------------------------------------------------------

    def _move(self, legal: Legal) -> Any:
        """A move put together from answers that were each checked, and checked once more as a whole."""
        actions = self.game.actions
        kind = self._kind([kind for kind, possible in zip(actions.kinds, legal.kinds, strict=True) if possible])
        plain: dict[str, Any] = {} if len(actions.kinds) == 1 else {"kind": kind.name}
        for name, mark in kind.marks.items():
            if isinstance(mark, Amount):
                plain[name] = self._amount(mark, legal.limits)
            elif legal.messages and (words := self._words(mark)):
                plain[name] = words
        return actions.parse(plain, legal)

    def _kind(self, kinds: Sequence[Kind]) -> Kind:
        """Which kind of move; not asked if there is only one."""
        if len(kinds) == 1:
            return kinds[0]
        menu = "   ".join(f"{place}) {kind.name}" for place, kind in enumerate(kinds, start=1))
        while True:
            found = chosen(self._line(f"Your move:   {menu}   > "), kinds)
            if found is not None:
                return found
            names = " or ".join(kind.name for kind in kinds)
            self._show(f"Please type {names}, or just the number or the first letter.", PROBLEM)

    def _amount(self, mark: Amount, limits: tuple[float, float]) -> float:
        """An amount within the limits."""
        low, high = limits
        bounds = "" if high - low >= UNBOUNDED else f" from {dollars(low)} to {dollars(high)}"
        while True:
            typed = self._line(f"{mark.doc[:1].upper()}{mark.doc[1:]} ({bounds.strip() or 'any number'}) > ")
            amount = number(typed)
            if amount is None:
                self._show(f"Please type a number{bounds}, with a point for decimals.", PROBLEM)
            elif not low <= amount <= high:
                self._show(f"{typed[:40]} is out of range. Please type a number{bounds}.", PROBLEM)
            else:
                return amount

    def _words(self, mark: Message) -> str:
        """Words, or none."""
        while True:
            typed = self._line("Your message (Enter for none) > ")
            if len(typed) <= mark.max_length:
                return typed
            self._show(f"That is {len(typed)} characters long; at most {mark.max_length} fit.", PROBLEM)

    def _line(self, prompt: str) -> str:
        """A line without the spaces around it; ``help`` and ``quit`` are dealt with here."""
        while True:
            try:
                typed = self._input(prompt).strip()
            except (EOFError, KeyboardInterrupt):
                self._show("", PLAIN)
                typed = "quit"
            if typed.casefold() == "quit":
                self._quit()
            elif typed.casefold() in ("help", "?"):
                self._show_rules()
            else:
                return typed

    def _quit(self) -> None:
        """Asks whether to leave, and leaves; at the end of the input without an answer."""
        try:
            sure = self._input("Leave the match? It will be recorded as abandoned. (y/n) > ").strip().casefold()
        except (EOFError, KeyboardInterrupt):
            self._show("", PLAIN)
            sure = "y"
        if sure in ("y", "yes", "quit"):
            self.left = True
            raise LeftTable(f"{self.role} left")

    # -- the terminal --------------------------------------------------------------------------------------

    def _input(self, prompt: str) -> str:
        return (self._ask or input)(prompt)

    def _show(self, text: str, style: str) -> None:
        if self._tell:
            self._tell(text)
        else:
            show(text, style)

    def _show_lines(self, lines: Sequence[str]) -> None:
        """What a seat reads, under the name of its role: two people may share a terminal."""
        self._show(f"\n[{self.role}]", ROLE)
        for line in lines:
            self._show(line, PLAIN)

    def _show_rules(self) -> None:
        self.told = True
        self._show(f"\n{self.game.name.replace('_', ' ').capitalize()}", TITLE)
        self._show(self.rules, PLAIN)
        self._show("\n" + "\n".join(HELP), HINT)


def show(text: str, style: str) -> None:
    """Prints a line: wrapped and with its looks on a terminal, as it is elsewhere."""
    if not sys.stdout.isatty():
        print(text, flush=True)
        return
    from rich.console import Console
    from rich.text import Text

    Console(highlight=False).print(Text(text, style=style))


def readable(text: str) -> list[str]:
    """The lines of a chat text without the last one if it shows the JSON form of an answer: people need it not."""
    lines = text.split("\n")
    return lines[:-1] if len(lines) > 1 and "{" in lines[-1] else lines


def legal_now(actions: ActionSchema, schema: Mapping[str, Any], messages: bool) -> Legal:
    """What may be done now, read back from the JSON schema of the legal moves."""
    fields = [field for option in schema.get("anyOf", [schema]) for field in option["properties"].values()]
    names = {field["const"] for field in fields if "const" in field} or {actions.names[0]}
    limits = [(field["minimum"], field["maximum"]) for field in fields if "minimum" in field]
    return Legal(tuple(name in names for name in actions.names), limits[0] if limits else (0.0, 0.0), messages)


def chosen(typed: str, kinds: Sequence[Kind]) -> Kind | None:
    """The kind with this number, this name, or this beginning of a name if only one has it."""
    typed = typed.casefold()
    places = {str(place): kind for place, kind in enumerate(kinds, start=1)}
    named = {kind.name: kind for kind in kinds}
    begun = [kind for kind in kinds if typed and kind.name.startswith(typed)]
    return places.get(typed) or named.get(typed) or (begun[0] if len(begun) == 1 else None)


def number(typed: str) -> float | None:
    """The number that somebody has typed, or None; infinite and undefined ones are none."""
    plain = typed.removeprefix("$").strip()
    if len(plain) > 40 or not NUMBER.fullmatch(plain):
        return None
    try:
        value = float(plain.replace(",", ""))
    except ValueError:  # no digits
        return None
    return value if abs(value) < float("inf") else None
