"""Requests to the model, and reasoning as generators that yield requests and receive completions.

Reasoning pauses at every request, so that a thread plays many matches, and requests to a local model are one batch.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from econzoo.baselines.models import Completion, Message, Schema
from econzoo.baselines.parts import Diary

Result = TypeVar("Result")

PURPOSES = (
    "answer",
    "thought",
    "prediction",
    "discussion",
    "draft",
    "critique",
    "reflection",
    "summary",
    "simulation",
    "plan",
    "attempt",
    "tool",
)
"""Purposes of calls of the built-in parts; custom parts can have others."""


class Request(NamedTuple):
    """A request to the model.

    Attributes:
        conversation: The full chat.
        schema: JSON schema of the reply; None: free text.
        purpose: One word for the record.
        about_seat: Seat in whose place the model replies; None: its own.
        prompt_messages: Number of last messages in the record; earlier ones are the seat's memory.
        problem: Problem of the previous reply that this request is about, for the record.
        is_thought: Whether the reply is reasoning, which has its own token limit.
    """

    conversation: Sequence[Message]
    schema: Schema | None
    purpose: str
    about_seat: int | None = None
    prompt_messages: int = 1
    problem: str = ""
    is_thought: bool = False

    @property
    def prompt(self) -> str:
        """Prompt in the record."""
        return "\n\n".join(message["content"] for message in self.conversation[-self.prompt_messages :])


RequestGenerator = Generator[Request, Completion, Result]
"""Yields requests, is sent their completions, and returns a result."""


@dataclass(frozen=True)
class Question:
    """The question of a turn.

    Attributes:
        conversation: Conversation from the memory; the last message is the question.
        schema: JSON schema of the legal moves if decoding is constrained, else None.
    """

    diary: Diary
    conversation: Sequence[Message]
    schema: Schema | None

    def with_text(self, text: str) -> list[Message]:
        """Return the conversation with a text below the question."""
        last = self.conversation[-1]
        return [*self.conversation[:-1], {**last, "content": f"{last['content']}\n\n{text}"}]

    def ask(self, name: str, purpose: str, **fields: object) -> Request:
        """Return a free-text request with the text of this name below the question."""
        return Request(self.with_text(self.diary.texts[name].format(**fields)), None, purpose, is_thought=True)

    def answer(self, conversation: Sequence[Message], purpose: str = "answer") -> Request:
        """Return a request for a move."""
        return Request(conversation, self.schema, purpose)


def continue_conversation(request: Request, reply: Completion, text: str, role: str = "user") -> list[Message]:
    """Append a reply and a further message to a conversation; role ``tool`` after a call."""
    said = {"role": "assistant", "content": reply.text}
    if reply.echo and role == "tool":
        said["echo"] = reply.echo
    return [*request.conversation, said, {"role": role, "content": text}]


class Reasoning:
    """Base of methods of reasoning, which answers directly.

    Attributes:
        needs_seen: Whether it needs the round and the events.
    """

    needs_seen: bool = False

    def refusal(self, diary: Diary) -> str:
        """Return why the game does not support it, as an error message; empty if it does."""
        return ""

    def look_back(self, question: Question) -> RequestGenerator[str]:
        """Reflect at the start of every round but the first; returns a text to prepend to the question."""
        return ""
        # Unreachable; makes this function a generator.
        yield

    def turn(self, question: Question) -> RequestGenerator[Completion]:
        """Request the answer; the returned completion is the seat's reply."""
        return (yield question.answer(question.conversation))
