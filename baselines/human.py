"""Human players at a terminal, in any game, with ways to quit and to pause."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from econzoo.baselines.base import PausedMatch, Player, PlayerLeft
from econzoo.baselines.questions import Questions
from econzoo.baselines.terminal import PROCESS_TERMINAL, Terminal
from econzoo.envs.core import dollars
from econzoo.envs.core.contract import Game, Invalid, Legal, parse_json
from econzoo.envs.core.faces import SHARED_TEXTS, declared_wording, describe_action, event_from_plain, render_reply
from econzoo.envs.core.record import Turn
from econzoo.wrappers import SeatInfo

LONGEST_NAME = 40

FENCE = "```"
"""Delimiter of a code block."""

TITLE, ROLE, PLAIN, HINT, PROBLEM = "bold", "bold cyan", "", "dim", "yellow"
"""rich styles of the output."""


class HumanPlayer(Player):
    """A person at a terminal.

    The terminal shows the rules once, then the news of each turn, and asks for a move. Input is validated: an invalid
    move is explained and asked for again, so that a typing error cannot end a match. Quitting raises `PlayerLeft`,
    which records the match so far; pausing raises `PausedMatch`. Several people at one terminal take turns; see
    `Terminal` for what they see of each other.
    """

    face = "chat"
    wants_seen = True

    def __init__(self, spec: str = "human", name: str = "", *, terminal: Terminal = PROCESS_TERMINAL) -> None:
        super().__init__(spec)
        if not isinstance(name, str) or len(name) > LONGEST_NAME or not name.isprintable() or name != name.strip():
            expected = f"a printable name of at most {LONGEST_NAME} characters without surrounding spaces"
            raise ValueError(f"player {spec[:80]!r}: invalid name={name!r}: expected {expected}")
        if not isinstance(terminal, Terminal):
            raise ValueError(f"player {spec[:80]!r}: invalid terminal={terminal!r}: expected a Terminal")
        self.name, self.terminal = name, terminal
        self.left = False

    def reset(self, seat: int, info: SeatInfo, seed: int) -> None:
        """Take a seat; the rules are shown at the first question."""
        self.game: Game = info.game
        self.seat, self.rules = seat, info.rules
        role = info.role or info.game.roles(info.seats)[seat]
        self.who = f"{self.name} ({role})" if self.name else role
        self._prompts = info.teller.prompts if info.teller else SHARED_TEXTS
        self._teller = info.teller
        self.has_rules = self.left = self.out = False
        self.read: list[tuple[Sequence[str], str]] = []
        self.terminal.sit(seat, self)

    def act(self, observation: Any, info: dict[str, Any]) -> str:
        """Return the person's move as the JSON of the text face."""
        self._take_screen()
        if not self.has_rules:
            self._show_rules()
            if self.read:
                self._show_history("so_far")
        lines = strip_reply_format(observation["text"])
        self._show_lines(lines)
        reply = self._ask_move(info["seen"].legal)
        self.read.append((lines, reply))
        if self.terminal.others_play(self.seat):  # they may come before the screen is needed again
            self.terminal.clear()
            self._show(self._text("moved", who=self.who), HINT)
        return reply

    def recall(self, observation: Any, info: dict[str, Any], turn: Turn) -> Any:
        """Restore a turn before the pause; its notes were shown then."""
        self.terminal.notes.clear()
        self.read.append((strip_reply_format(observation["text"]), turn.reply))
        return turn.reply

    def on_elimination(self, observation: Any, info: dict[str, Any]) -> None:
        """Show that the person is eliminated: now, or when the keyboard is passed next."""
        self.out = True
        ended = self._text("eliminated", payoff=self._dollars(info["payoff"]))
        lines = [*strip_reply_format(observation["text"]), ended]
        if self.terminal.is_shared:
            self.terminal.notes.append((self, lines))
        elif not info.get("recalled"):
            self._show_lines(lines)
        self.terminal.retire(self.seat)

    def finish(self, observation: Any, info: dict[str, Any]) -> None:
        """Show how the match ended: one person reads all, several people at a terminal only their payoffs."""
        first = self.terminal.claim_first_end()
        cut = "position_payoff" in info
        payoff = self._dollars(info["position_payoff" if cut else "payoff"])
        if self.terminal.is_shared:
            if first:
                self.terminal.clear()
                self._show(self._text("cut_for_all" if cut else "over_for_all"), TITLE)
            who = self._text("who_left", who=self.who) if self.left else self.who
            self._show(f"  {who}: {payoff}", PLAIN)
            return
        news = [] if self.left or self.out else strip_reply_format(observation["text"])
        ended = self._text("left" if self.left else "over")
        result = self._text("cut", payoff=payoff) if cut else self._text("payoff", ended=ended, payoff=payoff)
        self._show_lines([*news, result])

    # -- questions -----------------------------------------------------------------------------------------

    def _ask_move(self, legal: Legal) -> str:
        """Ask for a legal move; returns it as JSON."""
        words = self._teller.words if self._teller else declared_wording(self.game.actions)
        questions, schema = (
            Questions(words.actions, self._read_line, self._complain, words),
            words.actions.json_schema(legal),
        )
        while True:
            move = self.game.actions.validate_action(questions.move(schema), legal)
            if not isinstance(move, Invalid):
                return render_reply(words, move, legal, questions.extra)
            self._complain(self._text("not_possible", problem=words.translate_error(move).text))

    def _take_screen(self) -> None:
        """Pass the screen to this person, who sees nothing of the previous one."""
        while self.terminal.notes:
            person, lines = self.terminal.notes[0]
            self._pass_keyboard(person)
            person._show_lines(lines)
            self._read_line(self._text("was_read"), hands_over=True)
            self.terminal.notes.pop(0)
        self._pass_keyboard(self)

    def _pass_keyboard(self, to: HumanPlayer) -> None:
        question = self._text("pass", who=to.who)
        self.terminal.hand_to(to.seat, lambda: self._read_line(question, hands_over=True))

    def _read_line(self, prompt: str, hands_over: bool = False) -> str:
        """Read a line; commands such as help and pause are handled here.

        Args:
            hands_over: Whether the keyboard is being passed, so that nothing private may be shown.
        """
        words = {"quit": self._quit, "pause": self._pause}
        if not hands_over:
            words |= {"help": self._show_rules, "?": self._show_rules, "history": self._show_history}
        while True:
            try:
                typed = self.terminal.ask(prompt)
            except (EOFError, KeyboardInterrupt):
                self._show("", PLAIN)
                typed = "quit"
            word = typed.strip().casefold()
            if word not in words:
                return typed
            words[word]()

    def _quit(self) -> None:
        """Quit after a confirmation; the end of the input confirms."""
        try:
            sure = self.terminal.ask(self._text("sure")).strip().casefold()
        except (EOFError, KeyboardInterrupt):
            self._show("", PLAIN)
            sure = "y"
        if sure in ("p", "pause"):
            self._pause()
        if sure in ("y", "yes", "quit"):
            self.left = True
            raise PlayerLeft(f"{self.who} left")

    def _pause(self) -> None:
        """Pause the match, and clear a shared screen."""
        if self.terminal.is_shared:
            self.terminal.clear()
        self.terminal.clear_table()
        raise PausedMatch(f"{self.who} paused the match")

    # -- output -------------------------------------------------------------------------------------

    def _dollars(self, amount: float) -> str:
        return self._teller.words.localize_number(dollars(amount)) if self._teller else dollars(amount)

    def _text(self, name: str, **fields: str) -> str:
        """Format a text of the prompts."""
        return self._prompts[f"person.{name}"].format(**fields)

    def _show(self, text: str, style: str) -> None:
        self.terminal.tell(text, style)

    def _complain(self, text: str) -> None:
        self._show(text, PROBLEM)

    def _show_lines(self, lines: Sequence[str]) -> None:
        """Show lines under the person's role: several people may share a terminal."""
        self._show(f"\n[{self.who}]", ROLE)
        for line in lines:
            self._show(line, PLAIN)

    def _show_rules(self) -> None:
        self.has_rules = True
        self._show(f"\n{self.game.name.replace('_', ' ').capitalize()}", TITLE)
        self._show(self.rules, PLAIN)
        self._show("\n" + self._text("help"), HINT)

    def _show_history(self, title: str = "history") -> None:
        """Show all turns of the person."""
        self._show(f"\n{self._text(title)}" if self.read else self._text("no_history"), TITLE)
        for lines, reply in self.read:
            for line in lines:
                self._show(line, PLAIN)
            self._show(f"> {describe_move(self.game, self.seat, reply)}", HINT)


def strip_reply_format(text: str) -> list[str]:
    """Return the lines of a chat text without the reply format at its end: people are asked part by part.

    The format is JSON in the last line, or a code block and the line that introduces it.
    """
    lines = text.split("\n")
    if lines[-1] == FENCE:
        return lines[: max(at for at, line in enumerate(lines[:-1]) if line.startswith(FENCE)) - 1]
    return lines[:-1] if len(lines) > 1 and "{" in lines[-1] else lines


def describe_move(game: Game, seat: int, reply: str) -> str:
    """Describe a recorded move; an invalid reply is returned unchanged."""
    try:
        return describe_action(game, event_from_plain(game, {"seat": seat, "round": 1, **parse_json(reply)}).action)
    except (ValueError, KeyError, TypeError):
        return reply
