"""Memory of earlier rounds in the prompt: the full transcript, a window, notes, or a table.

A memory converts the player's diary into the conversation for the model. The diary itself is complete, so that earlier
days and other players can be looked up with every memory (`Memory.recall`).
"""

from __future__ import annotations

from collections.abc import Sequence

from econzoo.baselines.models import Message
from econzoo.baselines.parts.diary import Diary, recall, table
from econzoo.baselines.parts.reasoning import Request, RequestGenerator
from econzoo.baselines.parts.tools import Tool


class Memory:
    """Base of all memories: the whole transcript.

    Attributes:
        needs_seen: Whether it needs the round and the events.
        tools: Additional tools for the model.
    """

    needs_seen: bool = True
    tools: Sequence[Tool] = ()
    _diary: Diary | None = None

    def open(self, diary: Diary) -> Memory:
        """Return a new memory of the same kind with the diary of a match."""
        fresh = type(self).__new__(type(self))
        fresh.__dict__.update(self.__dict__)
        fresh._diary = diary
        return fresh

    def digest(self, diary: Diary) -> RequestGenerator[None]:
        """Process earlier rounds at the start of every round but the first, possibly with model requests."""
        return
        # Unreachable; makes this function a generator.
        yield

    def conversation(self, diary: Diary) -> list[Message]:
        """Return the prompt: the system message first, the question last."""
        return list(diary.transcript)

    def recall(self, day: int | None = None, player: str | int | None = None) -> list[str]:
        """Return the history by day, player, or both; see `econzoo.baselines.parts.diary.recall`."""
        if self._diary is None:
            raise ValueError("nothing can be recalled before a match")
        return recall(self._diary, day, player)


class Full(Memory):
    """The full transcript."""

    needs_seen = False


class Window(Memory):
    """The transcript of the last rounds.

    Args:
        rounds: Rounds before the current one, >= 0.
    """

    def __init__(self, rounds: int) -> None:
        self.rounds = rounds

    def conversation(self, diary: Diary) -> list[Message]:
        """Return the system message and the messages of these rounds."""
        return [diary.transcript[0], *diary.transcript[diary.messages_before(diary.round - self.rounds) :]]


class Retrieve(Window):
    """A window, and a tool to look up any earlier day or player."""

    def __init__(self, rounds: int) -> None:
        super().__init__(rounds)
        day = {"type": "integer", "minimum": 1, "maximum": 100_000}
        words = {"type": "string", "maxLength": 40}
        doc = "what happened on a day (0: on all days), or what a player did (empty: all players)."
        # Every argument of a tool is required, so 0 and empty text stand for all.
        self.tools = (Tool("recall", doc, {"day": {**day, "minimum": 0}, "player": words}, _recall_text),)


def _recall_text(diary: Diary, day: int = 0, player: str = "") -> str:
    lines = recall(diary, day or None, player or None)
    return "\n".join(lines) or diary.texts["memory.nothing"]


class Summary(Memory):
    """Notes that the model updates after each round, with one call per round."""

    notes = ""
    _last_digest = 1  # messages covered by the notes, including the system message

    def digest(self, diary: Diary) -> RequestGenerator[None]:
        """Request new notes, if a round has passed since the last ones."""
        past = diary.transcript[self._last_digest : diary.messages_before(diary.round)]
        if not past:
            return
        texts, self._last_digest = diary.texts, self._last_digest + len(past)
        news = "\n".join(_line(diary, message) for message in past)
        question = texts["memory.summarise"].format(notes=self.notes or texts["memory.no_notes"], news=news)
        conversation = [diary.transcript[0], {"role": "user", "content": question}]
        self.notes = (yield Request(conversation, None, "summary", is_thought=True)).text.strip()

    def conversation(self, diary: Diary) -> list[Message]:
        """Return the system message, the notes, and the messages of this round."""
        notes = diary.texts["memory.notes"].format(notes=self.notes) if self.notes else ""
        return _replace_past(diary, notes)


def _line(diary: Diary, message: Message) -> str:
    if message["role"] == "assistant":
        return diary.texts["memory.own_reply"].format(reply=message["content"])
    return message["content"]


class Table(Memory):
    """A compact table of all players' moves in earlier rounds and their results."""

    def conversation(self, diary: Diary) -> list[Message]:
        """Return the system message, the table, and the messages of this round."""
        rows = table(diary)
        return _replace_past(diary, diary.texts["memory.table"].format(table=rows) if rows else "")


def _replace_past(diary: Diary, past: str) -> list[Message]:
    """Return the system message and this round's messages, with a text instead of earlier rounds."""
    system, current = diary.transcript[0], list(diary.transcript[diary.messages_before(diary.round) :])
    if past and current:
        current[0] = {**current[0], "content": f"{past}\n\n{current[0]['content']}"}
    return [system, *current]
