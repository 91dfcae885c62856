"""Mock chat models for tests and demonstrations: ``mock:TEXT|TEXT`` and a Python function."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from econzoo.baselines.models.chat import Completion, Conversation, Message, Schema, check_lengths
from econzoo.baselines.models.token_counts import Prices, cost_of
from econzoo.envs.core.faces import Reply

__all__ = ["CannedChat", "FunctionChat"]

ANY_MOVE = "*"
"""Canned text that stands for a random reply under the schema, or free text without one."""

ECHO = "="
"""Canned text that stands for the first JSON object in the last message; `ANY_MOVE` without one."""

WIDE_BOUND = 1e6
"""Width of bounds above which they do not indicate plausible numbers."""

Answer = Callable[[Conversation, Schema | None, int], str]
"""Maps conversation, schema (or None) and seed to a reply, or to a `Reply` with a finish reason."""


class MockQuestion(NamedTuple):
    """One request to a mock model.

    Attributes:
        schema: JSON schema of the reply, or None.
    """

    conversation: list[Message]
    schema: Schema | None
    seed: int
    reply: str


class FunctionChat:
    """A chat model that replies with a function and logs its requests.

    Tokens are words.

    Args:
        answer: Reply function (`Answer`).
        name: Name of the model.

    Attributes:
        questions: All requests so far.
        batches: Sizes of all batches.
        price_per_million: US dollars per million tokens, as in `OpenAIChat`.
    """

    price_per_million: Prices = (0.0, 0.0)

    def __init__(self, answer: Answer, name: str = "mock") -> None:
        self.reply_to, self.name = answer, name
        self.questions: list[MockQuestion] = []
        self.batches: list[int] = []

    def complete(
        self, conversations: Sequence[Conversation], schemas: Sequence[Schema | None], seeds: Sequence[int]
    ) -> list[Completion]:
        """See `ChatModel.complete`."""
        check_lengths(conversations, schemas, seeds)
        self.batches.append(len(conversations))
        return [self._complete_one(*parts) for parts in zip(conversations, schemas, seeds, strict=True)]

    def _complete_one(self, conversation: Conversation, schema: Schema | None, seed: int) -> Completion:
        begin = time.perf_counter()
        reply = self.reply_to(conversation, schema, seed)
        seconds = time.perf_counter() - begin
        # A copy, as players go on with their transcripts.
        self.questions.append(MockQuestion([dict(message) for message in conversation], schema, seed, reply))
        read = sum(len(message["content"].split()) for message in conversation)
        wrote = len(reply.split())
        finish, limit = (reply.finish, reply.limit) if isinstance(reply, Reply) else ("", 0)
        cost = cost_of(self.price_per_million, read, wrote)
        return Completion(str(reply), read, wrote, seconds, cost, finish=finish, limit=limit or wrote)


class CannedChat(FunctionChat):
    """Replies with its texts in a cycle; every match starts with the first.

    Args:
        texts: At least one text; `ANY_MOVE` follows any schema, `ECHO` copies from the prompt.
        replies_used: Number of previous replies.
        finishes: Cycle of finish reasons (`Completion.finish`).
        library: Texts of moves for `ANY_MOVE` in games whose moves are texts.
    """

    def __init__(
        self, texts: Sequence[str], replies_used: int = 0, finishes: Sequence[str] = ("",), library: Sequence[str] = ()
    ) -> None:
        super().__init__(self._next_text, f"mock:{'|'.join(texts)}")
        self.texts, self.finishes, self.library, self._given = tuple(texts), tuple(finishes), library, replies_used

    def fresh_copy(self, replies_used: int, library: Sequence[str] = ()) -> CannedChat:
        """Return a copy for one match with previous replies; see the class for `library`."""
        fresh = CannedChat(self.texts, replies_used, self.finishes, library)
        fresh.price_per_million = self.price_per_million
        return fresh

    def _next_text(self, conversation: Conversation, schema: Schema | None, seed: int) -> str:
        number = self._given + len(self.questions)
        text, finish = self.texts[number % len(self.texts)], self.finishes[number % len(self.finishes)]
        if text == ECHO:
            text = first_object(conversation[-1]["content"]) or ANY_MOVE
        reply = self._random_move(schema, seed) if text == ANY_MOVE else text
        return Reply(reply, finish) if finish else reply

    def _random_move(self, schema: Schema | None, seed: int) -> str:
        if schema is None:
            return "Let me see."
        return json.dumps(sample_from_schema(schema, np.random.default_rng(seed), self.library))


def first_object(text: str) -> str | None:
    """Return the source of the first JSON object in a text, or None."""
    decoder = json.JSONDecoder()
    for start in (place for place, letter in enumerate(text) if letter == "{"):
        try:
            return text[start : decoder.raw_decode(text, start)[1]]
        except ValueError:
            continue
    return None


def sample_from_schema(schema: Mapping[str, Any], rng: np.random.Generator, library: Sequence[str] = ()) -> Any:
    """Sample a value of a JSON schema, as far as moves and tool calls use schemas.

    Args:
        library: Possible texts; empty: a short phrase.
    """
    if "anyOf" in schema:
        options = schema["anyOf"]
        return sample_from_schema(options[int(rng.integers(len(options)))], rng, library)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][int(rng.integers(len(schema["enum"])))]
    if schema["type"] == "object":
        return {name: sample_from_schema(part, rng, library) for name, part in schema["properties"].items()}
    if schema["type"] == "array":
        items = schema.get("prefixItems") or [schema["items"]] * schema["minItems"]
        return [sample_from_schema(item, rng, library) for item in items]
    if schema["type"] == "string":
        return library[int(rng.integers(len(library)))] if library else "Let us see."[: schema.get("maxLength")]
    return _number(schema["type"], schema.get("minimum", 0.0), schema.get("maximum", 100.0), rng)


def _number(kind: str, low: float, high: float, rng: np.random.Generator) -> float:
    """Sample a number within bounds, or a moderate one within very wide bounds."""
    if high - low > WIDE_BOUND:
        low = max(low, 0.0)
        high = min(high, low + 10.0 ** rng.uniform(1.0, 4.0))
    if kind == "integer":
        return int(rng.integers(int(np.ceil(low)), int(np.floor(high)), endpoint=True))
    drawn = round(float(rng.uniform(low, high)), 2)
    return min(max(drawn, low), high)
