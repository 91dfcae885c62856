"""What reasoning is made of: requests to the model, and generators that yield them and are sent the answers.

Because reasoning waits at every request, many matches can be played in lockstep, and their requests to one model are
answered as one batch.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from econzoo.baselines.models.chat import Completion, Message, Schema
from econzoo.baselines.parts.diary import Diary

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
"""What calls of the parts that come with the package are for; own parts can have others."""


class Request(NamedTuple):
    """A question to the model.

    Attributes:
        conversation: The whole chat; its last message waits for the answer.
        schema: JSON schema that the answer has to obey; None: free text.
        purpose: One word for the record.
        about_seat: The seat in whose place the model answers; None: the own one.
        prompt_messages: How many of the last messages the record shows; the others are what the seat remembers.
        problem: What was wrong with the reply to the request before, which this one asks to mend; the record keeps it.
        is_thought: Whether the reply is words for the model itself and no answer; the two have limits of their own.
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
        """What the record shows of the question."""
        return "\n\n".join(message["content"] for message in self.conversation[-self.prompt_messages :])


RequestGenerator = Generator[Request, Completion, Result]
"""Yields requests, is sent their completions, and returns a result."""


@dataclass(frozen=True)
class Question:
    """The question of a turn, as it is put to the reasoning.

    Attributes:
        diary: What the seat knows.
        conversation: What the memory makes of it; the last message is the question.
        schema: JSON schema of the legal moves, where the model is held to it; else None.
    """

    diary: Diary
    conversation: Sequence[Message]
    schema: Schema | None

    def with_text(self, text: str) -> list[Message]:
        """The conversation with a text below the question."""
        last = self.conversation[-1]
        return [*self.conversation[:-1], {**last, "content": f"{last['content']}\n\n{text}"}]

    def ask(self, name: str, purpose: str, **fields: object) -> Request:
        """A request in free text, with the text of this name below the question."""
        return Request(self.with_text(self.diary.texts[name].format(**fields)), None, purpose, is_thought=True)

    def answer(self, conversation: Sequence[Message], purpose: str = "answer") -> Request:
        """A request for a move."""
        return Request(conversation, self.schema, purpose)


def continue_conversation(request: Request, reply: Completion, text: str, role: str = "user") -> list[Message]:
    """The conversation of a request, the reply to it, and what is said then; ``tool``: the reply is a call."""
    return [
        *request.conversation,
        {"role": "assistant", "content": reply.text},
        {"role": role, "content": text},
    ]


class Reasoning:
    """How a player gets from the question of its turn to an answer. The base answers at once.

    Attributes:
        needs_seen: Whether it has to know the round and the events.
    """

    needs_seen: bool = False

    def refusal(self, diary: Diary) -> str:
        """Why it is not possible in the game of the diary, as the end of a sentence; empty where it is."""
        return ""

    def look_back(self, question: Question) -> RequestGenerator[str]:
        """Called at the start of every round but the first; what it returns is put before the question for good."""
        return ""
        yield

    def turn(self, question: Question) -> RequestGenerator[Completion]:
        """Finds the answer; the completion that is returned is the seat's reply."""
        return (yield question.answer(question.conversation))
