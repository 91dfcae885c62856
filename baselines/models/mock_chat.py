"""Chat models without a model behind them, for tests and demonstrations: ``mock:TEXT|TEXT`` and a Python function."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from econzoo.baselines.models.chat import Completion, Conversation, Message, Schema, check_lengths
from econzoo.baselines.models.token_counts import Prices, cost_of
from econzoo.envs.core.faces.parse import Reply

__all__ = ["CannedChat", "FunctionChat"]

ANY_MOVE = "*"
"""Among canned texts: a random reply that obeys the schema; free text where there is none."""

ECHO = "="
"""Among canned texts: the first JSON object in what was asked last, as it stands there; `ANY_MOVE` if there is none."""

WIDE_BOUND = 1e6
"""Bounds further apart than this say nothing about which numbers make sense."""

Answer = Callable[[Conversation, Schema | None, int], str]
"""Conversation, schema (or None) and seed to the text of a reply, or to a `Reply` that says how it ended."""


class MockQuestion(NamedTuple):
    """One question that a mock model was asked.

    Attributes:
        conversation: A copy.
        schema: JSON schema that the reply had to obey, or None.
        seed: Of the sampling.
        reply: What it said.
    """

    conversation: list[Message]
    schema: Schema | None
    seed: int
    reply: str


class FunctionChat:
    """A chat model that answers by a function and remembers what it was asked.

    Tokens are counted as words.

    Args:
        answer: See `Answer`.
        name: Of the model.

    Attributes:
        questions: Every question so far.
        batches: How many questions came together each time.
        price_per_million: US dollars for a million tokens, as an `OpenAIChat` has them.
    """

    price_per_million: Prices = (0.0, 0.0)

    def __init__(self, answer: Answer, name: str = "mock") -> None:
        self.answer, self.name = answer, name
        self.questions: list[MockQuestion] = []
        self.batches: list[int] = []

    def complete(
        self, conversations: Sequence[Conversation], schemas: Sequence[Schema | None], seeds: Sequence[int]
    ) -> list[Completion]:
        """Answer every conversation; see `ChatModel.complete`."""
        check_lengths(conversations, schemas, seeds)
        self.batches.append(len(conversations))
        return [self._complete_one(*parts) for parts in zip(conversations, schemas, seeds, strict=True)]

    def _complete_one(self, conversation: Conversation, schema: Schema | None, seed: int) -> Completion:
        reply = self.answer(conversation, schema, seed)
        self.questions.append(MockQuestion([dict(message) for message in conversation], schema, seed, reply))
        read = sum(len(message["content"].split()) for message in conversation)
        wrote = len(reply.split())
        finish, limit = (reply.finish, reply.limit) if isinstance(reply, Reply) else ("", 0)
        cost = cost_of(self.price_per_million, read, wrote)
        return Completion(str(reply), read, wrote, 0.0, cost, finish=finish, limit=limit or wrote)


class CannedChat(FunctionChat):
    """Answers with its texts in order, again and again; every match starts with the first.

    Args:
        texts: At least one; `ANY_MOVE` obeys whatever schema it is asked with, `ECHO` copies what it reads.
        replies_used: How many replies were given before.
        finishes: How they end (see `Completion.finish`), in turn too and as many as there are.
        library: Texts that are moves, for `ANY_MOVE` in a game whose moves are texts.
    """

    def __init__(
        self, texts: Sequence[str], replies_used: int = 0, finishes: Sequence[str] = ("",), library: Sequence[str] = ()
    ) -> None:
        super().__init__(self._next_text, f"mock:{'|'.join(texts)}")
        self.texts, self.finishes, self.library, self._given = tuple(texts), tuple(finishes), library, replies_used

    def fresh_copy(self, replies_used: int, library: Sequence[str] = ()) -> CannedChat:
        """The same texts for one match, of whose replies some were given already; see the class for `library`."""
        fresh = CannedChat(self.texts, replies_used, self.finishes, library)
        fresh.price_per_million = self.price_per_million
        return fresh

    def _next_text(self, conversation: Conversation, schema: Schema | None, seed: int) -> str:
        number = self._given + len(self.questions)
        text, finish = self.texts[number % len(self.texts)], self.finishes[number % len(self.finishes)]
        if text == ECHO:
            text = first_object(conversation[-1]["content"]) or ANY_MOVE
        said = self._random_move(schema, seed) if text == ANY_MOVE else text
        return Reply(said, finish) if finish else said

    def _random_move(self, schema: Schema | None, seed: int) -> str:
        if schema is None:
            return "Let me see."
        return json.dumps(sample_from_schema(schema, np.random.default_rng(seed), self.library))


def first_object(text: str) -> str | None:
    """The first JSON object that stands in a text, as it is written there; None if there is none."""
    decoder = json.JSONDecoder()
    for start in (place for place, letter in enumerate(text) if letter == "{"):
        try:
            return text[start : decoder.raw_decode(text, start)[1]]
        except ValueError:
            continue
    return None


def sample_from_schema(schema: Mapping[str, Any], rng: np.random.Generator, library: Sequence[str] = ()) -> Any:
    """A random value that a JSON schema allows (of the form that moves and tool calls have).

    Args:
        schema: The schema.
        rng: Draws the value.
        library: What a text may be; empty: a few words.
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
    """A number within bounds; not a huge one, where the bounds are so wide that they mean nothing."""
    if high - low > WIDE_BOUND:
        low = max(low, 0.0)
        high = min(high, low + 10.0 ** rng.uniform(1.0, 4.0))
    if kind == "integer":
        return int(rng.integers(int(np.ceil(low)), int(np.floor(high)), endpoint=True))
    drawn = round(float(rng.uniform(low, high)), 2)
    return min(max(drawn, low), high)
