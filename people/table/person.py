"""A person whose answers come from elsewhere: asked, and answered whenever they come."""

from __future__ import annotations

import time
from typing import Any, NamedTuple

from econzoo.baselines.human import strip_reply_format
from econzoo.baselines.player import Player, PlayerLeft, SeatInfo
from econzoo.envs.core.contract.actions import Legal
from econzoo.envs.core.contract.game import Game
from econzoo.envs.core.contract.validation import Invalid
from econzoo.envs.core.faces.finish import no_reply_error
from econzoo.envs.core.faces.parse import Reply, read_reply
from econzoo.envs.core.faces.wording import Wording, declared_wording
from econzoo.envs.core.record.record import Turn


class OpenQuestion(NamedTuple):
    """A question that waits for its answer.

    Attributes:
        lines: What is new.
        legal: What the seat may do.
        since: When it was asked, on the clock of `econzoo.people.table.clocks.Uptime`.
        seen: What the seat may know, before any face.
        news_count: How many of the lines tell what has happened; the others ask.
    """

    lines: list[str]
    legal: Legal
    since: float
    seen: Any = None
    news_count: int = 0


class HistoryEntry(NamedTuple):
    """What a person has read, and what it answered.

    Attributes:
        lines: Of the text.
        answer: The move as records have it, and the words that went with it; None: there was nothing to answer.
        missed_reply: What stands in the place of an answer that did not come.
    """

    lines: list[str]
    answer: tuple[dict[str, Any] | None, str] | None = None
    missed_reply: Reply | None = None


class Person(Player):
    """Keeps what its seat may read, for pages to show; whoever has its answers plays them.

    Attributes:
        info: What it was told when it sat down.
        history: All that it has read and answered, in order.
        answer_count: How many answers it has given.
        open_question: The question that waits for an answer now, or None.
        payoff: At the end of its own game.
        is_leaving: Whether it leaves when it is its turn, and ends the match.
        has_left: Whether it has left a match that goes on.
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
        """How its answers are written."""
        return self.info.teller.words if self.info.teller else declared_wording(self.info.game.actions)

    @property
    def names(self) -> list[str]:
        """What the seats are called in all that it reads: rules, questions and the pages around them."""
        return list(self.info.teller.roles if self.info.teller else self.info.game.roles(self.info.seats))

    def reset(self, seat: int, info: SeatInfo, seed: int) -> None:
        """Takes a seat, or takes it anew as somebody who remembers nothing."""
        self.seat, self.info, self.history = seat, info, []

    def ask(self, observation: Any, legal: Legal, seen: Any = None, since: float | None = None) -> None:
        """Shows a question.

        Args:
            observation: Of the chat face.
            legal: What the seat may do.
            seen: What the seat may know, before any face.
            since: When it was first asked; None: now.
        """
        at = time.monotonic() if since is None else since
        lines, teller = self._new_lines(observation["text"], legal), self.info.teller
        asks = len(self._new_lines(teller.question(seen), legal)) if teller and seen is not None else len(lines)
        self.open_question = OpenQuestion(lines, legal, at, seen, max(0, len(lines) - asks))

    def _new_lines(self, text: str, legal: Legal) -> list[str]:
        """What is new, without the form of an answer: people have the form of the page."""
        form = self.info.teller.format(legal) if self.info.teller else ""
        return (
            text.removesuffix(form).rstrip("\n").split("\n")
            if form and text.endswith(form)
            else strip_reply_format(text)
        )

    def act(self, observation: Any, info: dict[str, Any]) -> Any:
        """Nothing: it is asked by `ask`.

        Raises:
            LeftTable: Always.
        """
        self.open_question = None
        raise PlayerLeft("the person has left")

    def record_answer(self, reply: str) -> None:
        """Remembers the answer to the question, or that there was none."""
        assert self.open_question is not None
        answer = parse_move(self.info.game, self.wording, reply, self.open_question.legal)
        missed = reply if isinstance(reply, Reply) and no_reply_error(reply) is not None else None
        self.history.append(HistoryEntry(self.open_question.lines, answer, missed))
        self.open_question, self.answer_count = None, self.answer_count + 1

    def recall(self, observation: Any, info: dict[str, Any], turn: Turn) -> Any:
        """Remembers a question and its answer."""
        self.ask(observation, info["seen"].legal)
        self.record_answer(turn.answer)
        return turn.reply

    def on_elimination(self, observation: Any, info: dict[str, Any]) -> None:
        """Reads that its own game has ended."""
        self.payoff = info["payoff"]
        self.history.append(HistoryEntry(strip_reply_format(observation["text"])))

    def finish(self, observation: Any, info: dict[str, Any]) -> None:
        """Reads how the match has ended."""
        if self.payoff is None and not self.is_leaving:
            self.history.append(HistoryEntry(strip_reply_format(observation["text"])))
        self.payoff = info.get("payoff")  # none of a match that was cut


def parse_move(game: Game, words: Wording, reply: str, legal: Legal) -> tuple[dict[str, Any] | None, str]:
    """The move of a reply as records have it, and the words with it; a reply that is no move is nothing but words.

    Args:
        game: The game.
        words: How the answers of the seat are written.
        reply: The answer.
        legal: What the seat could do.
    """
    action = Invalid("", "") if game.actions.source else read_reply(reply, words, legal)
    if isinstance(action, Invalid):
        return None, reply
    return game.actions.to_plain(action), game.actions.kind_and_message(action)[1]


def wording_names(words: Wording) -> dict[str, str]:
    """What a seat calls the kinds of move and their fields, by the names that the game declares."""
    kinds = words.actions.kinds
    fields = {field: words.key(field) for kind in kinds for field in kind.marks}
    return {**fields, **{kind.name: words.name(kind) or kind.name for kind in kinds}}
