"""A player whose answers arrive asynchronously from a page."""

from __future__ import annotations

import time
from typing import Any, NamedTuple

from econzoo.baselines import Player, PlayerLeft, strip_reply_format
from econzoo.envs.core.contract import Game, Invalid, Legal
from econzoo.envs.core.faces import Reply, Wording, declared_wording, no_reply_error, read_reply
from econzoo.envs.core.record import Turn
from econzoo.wrappers import SeatInfo


class OpenQuestion(NamedTuple):
    """A question that awaits an answer.

    Attributes:
        since: Time at which it was asked, on the clock of `econzoo.people.table.clocks.Uptime`.
        seen: Information state of the seat, as no face shows it.
        news_count: Number of leading lines that report events; the rest is the question.
    """

    lines: list[str]
    legal: Legal
    since: float
    seen: Any = None
    news_count: int = 0


class HistoryEntry(NamedTuple):
    """A text that a person has read, with the answer.

    Attributes:
        answer: Move in record form and its message; None: no answer was expected.
    """

    lines: list[str]
    answer: tuple[dict[str, Any] | None, str] | None = None
    missed_reply: Reply | None = None


class Person(Player):
    """Player that stores what its seat may read, for pages to show; the caller plays its answers.

    Attributes:
        open_question: Question that awaits an answer, or None.
        payoff: Payoff once the seat's own game has ended.
        is_leaving: Whether the person leaves on the next turn, which ends the match.
        has_left: Whether the person has left a match that continues.
    """

    face = "chat"
    wants_seen = True
    info: SeatInfo

    def __init__(self, spec: str = "human") -> None:
        super().__init__(spec)
        self.history: list[HistoryEntry] = []
        self.seat, self.answer_count = 0, 0
        self.open_question: OpenQuestion | None = None
        self.payoff: float | None = None
        self.is_leaving = self.has_left = False

    @property
    def wording(self) -> Wording:
        """Wording of the answers."""
        return self.info.teller.words if self.info.teller else declared_wording(self.info.game.actions)

    @property
    def names(self) -> list[str]:
        """Names of the seats in rules, questions and pages."""
        return list(self.info.teller.roles if self.info.teller else self.info.game.roles(self.info.seats))

    def reset(self, seat: int, info: SeatInfo, seed: int) -> None:
        """Take a seat with an empty history."""
        self.seat, self.info, self.history = seat, info, []

    def ask(self, observation: Any, legal: Legal, seen: Any = None, since: float | None = None) -> None:
        """Set the open question.

        Args:
            seen: Information state of the seat, as no face shows it.
            since: Time at which it was first asked; None: now.
        """
        at = time.monotonic() if since is None else since
        lines, teller = self._new_lines(observation["text"], legal), self.info.teller
        question_length = (
            len(self._new_lines(teller.question(seen), legal)) if teller and seen is not None else len(lines)
        )
        self.open_question = OpenQuestion(lines, legal, at, seen, max(0, len(lines) - question_length))

    def _new_lines(self, text: str, legal: Legal) -> list[str]:
        """Lines of a text without its answer format, which the page's form replaces."""
        form = self.info.teller.format(legal) if self.info.teller else ""
        return (
            text.removesuffix(form).rstrip("\n").split("\n")
            if form and text.endswith(form)
            else strip_reply_format(text)
        )

    def act(self, observation: Any, info: dict[str, Any]) -> Any:
        """Leave the match; answers come by `ask` and `record_answer` instead."""
        self.open_question = None
        raise PlayerLeft("the person has left")

    def record_answer(self, reply: str) -> None:
        """Add the answer to the open question, or its absence, to the history."""
        assert self.open_question is not None
        answer = parse_move(self.info.game, self.wording, reply, self.open_question.legal)
        missed = reply if isinstance(reply, Reply) and no_reply_error(reply) is not None else None
        self.history.append(HistoryEntry(self.open_question.lines, answer, missed))
        self.open_question, self.answer_count = None, self.answer_count + 1

    def recall(self, observation: Any, info: dict[str, Any], turn: Turn) -> Any:
        """Add a replayed question and its answer to the history."""
        self.ask(observation, info["seen"].legal)
        self.record_answer(turn.answer)
        return turn.reply

    def on_elimination(self, observation: Any, info: dict[str, Any]) -> None:
        """Record the payoff and text at the end of the seat's own game."""
        self.payoff = info["payoff"]
        self.history.append(HistoryEntry(strip_reply_format(observation["text"])))

    def finish(self, observation: Any, info: dict[str, Any]) -> None:
        """Record the payoff and text at the end of the match."""
        # After an elimination the end is in the history already.
        if self.payoff is None and not self.is_leaving:
            self.history.append(HistoryEntry(strip_reply_format(observation["text"])))
        self.payoff = info.get("payoff")  # truncated matches have none


def parse_move(game: Game, words: Wording, reply: str, legal: Legal) -> tuple[dict[str, Any] | None, str]:
    """Parse a reply to (move in record form, message); an invalid reply is (None, reply)."""
    action = Invalid("", "") if game.actions.source else read_reply(reply, words, legal)
    if isinstance(action, Invalid):
        return None, reply
    return game.actions.to_plain(action), game.actions.kind_and_message(action)[1]


def wording_names(words: Wording) -> dict[str, str]:
    """The seat's names of move kinds and fields, by their declared names."""
    kinds = words.actions.kinds
    fields = {field: words.key(field) for kind in kinds for field in kind.marks}
    return {**fields, **{kind.name: words.name(kind) or kind.name for kind in kinds}}
