"""A person at a terminal, in any game: texts to read, questions to answer, and ways to leave or to go on later."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from econzoo.baselines.player import PausedMatch, Player, PlayerLeft, SeatInfo
from econzoo.baselines.questions import Questions
from econzoo.baselines.terminal import PROCESS_TERMINAL, Terminal
from econzoo.envs.core.amounts import dollars
from econzoo.envs.core.contract.actions import Legal
from econzoo.envs.core.contract.game import Game
from econzoo.envs.core.contract.validation import Invalid, parse_json
from econzoo.envs.core.faces.parse import render_reply
from econzoo.envs.core.faces.prompts import SHARED_TEXTS
from econzoo.envs.core.faces.structured_face import event_from_plain
from econzoo.envs.core.faces.transcript import describe_action
from econzoo.envs.core.faces.wording import declared_wording
from econzoo.envs.core.record.record import Turn

LONGEST_NAME = 40

FENCE = "```"
"""Begins and ends a code block."""

TITLE, ROLE, PLAIN, HINT, PROBLEM = "bold", "bold cyan", "", "dim", "yellow"
"""Looks of what is shown, as rich knows them."""


class HumanPlayer(Player):
    """A person.

    At a terminal it is shown the rules once and then what is new, and is asked for a move, which is checked as typed.
    Nothing that is typed can end a match by mistake: what cannot be a move is explained and asked for again.
    Leaving raises `PlayerLeft`, so that what was played until then is recorded; pausing raises `PausedMatch`.
    People at one terminal play in turn; see `Terminal` for what they see of each other.

    Args:
        spec: Its spec.
        name: Of the person, shown beside the role; ``human("Ann")``.
        terminal: Where the person sits.

    Raises:
        ValueError: The name or the terminal is none.
    """

    face = "chat"
    wants_seen = True

    def __init__(self, spec: str = "human", name: str = "", *, terminal: Terminal = PROCESS_TERMINAL) -> None:
        super().__init__(spec)
        if not isinstance(name, str) or len(name) > LONGEST_NAME or not name.isprintable() or name != name.strip():
            allowed = f"a printable name of at most {LONGEST_NAME} characters without blanks around it"
            raise ValueError(f"player {spec[:80]!r}: name={name!r} is not allowed; allowed: {allowed}")
        if not isinstance(terminal, Terminal):
            raise ValueError(f"player {spec[:80]!r}: terminal={terminal!r} is not allowed; allowed: a Terminal")
        self.name, self.terminal = name, terminal
        self.left = False

    def reset(self, seat: int, info: SeatInfo, seed: int) -> None:
        """Takes a seat; the rules are shown when the first question comes."""
        self.game: Game = info.game
        self.seat, self.rules = seat, info.rules
        role = info.role or info.game.roles(info.seats)[seat]
        self.who = f"{self.name} ({role})" if self.name else role
        self._prompts = info.teller.prompts if info.teller else SHARED_TEXTS
        self._teller = info.teller
        self.told = self.left = self.out = False
        self.read: list[tuple[Sequence[str], str]] = []
        self.terminal.sit(seat, self)

    def act(self, observation: Any, info: dict[str, Any]) -> str:
        """The person's move as the JSON that the text faces read.

        Raises:
            LeftTable: The person has left.
            PausedMatch: The person wants to go on later.
        """
        self._take_screen()
        if not self.told:
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
        """Remembers what was read and answered before the pause; notes were told before the answer."""
        self.terminal.notes.clear()
        self.read.append((strip_reply_format(observation["text"]), turn.reply))
        return turn.reply

    def on_elimination(self, observation: Any, info: dict[str, Any]) -> None:
        """Tells that the person's own game has ended: at once, or when the keyboard is passed next."""
        self.out = True
        ended = self._text("eliminated", payoff=self._dollars(info["payoff"]))
        lines = [*strip_reply_format(observation["text"]), ended]
        if self.terminal.is_shared:
            self.terminal.notes.append((self, lines))
        elif not info.get("recalled"):
            self._show_lines(lines)
        self.terminal.retire(self.seat)

    def finish(self, observation: Any, info: dict[str, Any]) -> None:
        """Tells how the match ended: to one person as the game tells it, to several only what each of them got."""
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
        told = self._text("cut", payoff=payoff) if cut else self._text("payoff", ended=ended, payoff=payoff)
        self._show_lines([*news, told])

    # -- questions -----------------------------------------------------------------------------------------

    def _ask_move(self, legal: Legal) -> str:
        """A move that can be played, as JSON."""
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
        """Nothing is shown before this person is there, and nothing of whoever was there before."""
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
        """A line as it was typed; the words that the help names are dealt with here.

        Args:
            prompt: The question.
            hands_over: Whether it is not yet sure that this person is there: nothing may be shown then.
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
        """Asks whether to leave, and leaves; at the end of the input without an answer."""
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
        """Puts the match aside; nothing of it stays on a screen that others share."""
        if self.terminal.is_shared:
            self.terminal.clear()
        self.terminal.clear_table()
        raise PausedMatch(f"{self.who} paused the match")

    # -- what is shown -------------------------------------------------------------------------------------

    def _dollars(self, amount: float) -> str:
        return self._teller.words.localize_number(dollars(amount)) if self._teller else dollars(amount)

    def _text(self, name: str, **fields: str) -> str:
        """What a person reads, in the words of the prompts."""
        return self._prompts[f"person.{name}"].format(**fields)

    def _show(self, text: str, style: str) -> None:
        self.terminal.tell(text, style)

    def _complain(self, text: str) -> None:
        self._show(text, PROBLEM)

    def _show_lines(self, lines: Sequence[str]) -> None:
        """What a seat reads, under the name of its role: several people may share a terminal."""
        self._show(f"\n[{self.who}]", ROLE)
        for line in lines:
            self._show(line, PLAIN)

    def _show_rules(self) -> None:
        self.told = True
        self._show(f"\n{self.game.name.replace('_', ' ').capitalize()}", TITLE)
        self._show(self.rules, PLAIN)
        self._show("\n" + self._text("help"), HINT)

    def _show_history(self, title: str = "history") -> None:
        """All turns of the person."""
        self._show(f"\n{self._text(title)}" if self.read else self._text("no_history"), TITLE)
        for lines, reply in self.read:
            for line in lines:
                self._show(line, PLAIN)
            self._show(f"> {describe_move(self.game, self.seat, reply)}", HINT)


def strip_reply_format(text: str) -> list[str]:
    """The lines of a chat text without those at its end that show the form of an answer: people are asked part by part.

    The form is JSON in the last line, or a code block and the line that introduces it.
    """
    lines = text.split("\n")
    if lines[-1] == FENCE:
        return lines[: max(at for at, line in enumerate(lines[:-1]) if line.startswith(FENCE)) - 1]
    return lines[:-1] if len(lines) > 1 and "{" in lines[-1] else lines


def describe_move(game: Game, seat: int, reply: str) -> str:
    """A move of this player in a few words; as it stands if it is none."""
    try:
        return describe_action(game, event_from_plain(game, {"seat": seat, "round": 1, **parse_json(reply)}).action)
    except (ValueError, KeyError, TypeError):
        return reply
