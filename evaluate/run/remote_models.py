"""Language models in the workers of the open engine, for judges and other non-players."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from math import ceil
from typing import Any, TypeVar

from econzoo.baselines import MODELS, open_language_model
from econzoo.baselines.models import Call, ChatModel, Completion, Conversation, Schema, collect_completions
from econzoo.baselines.models import complete_calls
from econzoo.evaluate.run.budget import must_run_locally
from econzoo.evaluate.run.engine import current_engine, results

T = TypeVar("T")


def model_of(spec: str, allowed: str = MODELS) -> tuple[ChatModel, bool]:
    """Return `open_language_model`, in the workers of the open engine unless it must run locally."""
    model, constrained = open_language_model(spec, allowed)
    return model if current_engine() is None or must_run_locally([spec]) else RemoteModel(spec, model.name), constrained


def concurrency_of(spec: str, concurrent: int | None) -> int:
    """Return the number of parallel calls of a model: `concurrent` per worker; None: as many as it answers at once."""
    calls = concurrent or int(getattr(open_language_model(spec)[0], "concurrency", 1))
    engine = current_engine()
    return calls if engine is None or must_run_locally([spec]) else calls * engine.workers_for_models([spec])[0]


class RemoteModel:
    """A language model in the workers of the open engine."""

    def __init__(self, spec: str, name: str) -> None:
        self.spec, self.name = spec, name

    def _run_remotely(self, call: Callable[..., T], parts: Iterable[tuple[Any, ...]]) -> Iterator[T]:
        engine = current_engine()
        assert engine is not None
        asked = ((self.spec, *part) for part in parts)
        for _, found in results(engine, call, asked, *engine.workers_for_models([self.spec])):
            if isinstance(found, Exception):
                raise found
            yield found

    @cached_property
    def prompt_limit(self) -> int | None:
        """Maximum tokens of a conversation, if known; loads the model in a worker."""
        return next(self._run_remotely(_prompt_limit, [()]))

    def complete(
        self, conversations: Sequence[Conversation], schemas: Sequence[Schema | None], seeds: Sequence[int]
    ) -> list[Completion]:
        """See `ChatModel.complete`."""
        return collect_completions(self.completions(conversations, schemas, seeds))

    def completions(
        self,
        conversations: Sequence[Conversation],
        schemas: Sequence[Schema | None],
        seeds: Sequence[int],
        on_reply: Callable[[int, Completion], None] = lambda place, reply: None,
    ) -> Iterator[tuple[int, Completion | Exception]]:
        """Yield replies with their places as they come; each worker gets an equal share."""
        asked = list(enumerate(zip(conversations, schemas, seeds, strict=True)))
        # With one call each, the concurrency is the number of workers.
        size = max(1, ceil(len(asked) / concurrency_of(self.spec, 1)))
        for replies in self._run_remotely(
            _answer_calls, ((asked[start : start + size],) for start in range(0, len(asked), size))
        ):
            for place, reply in replies:
                if isinstance(reply, Completion):
                    on_reply(place, reply)
                yield place, reply


def _prompt_limit(spec: str) -> int | None:
    return getattr(open_language_model(spec)[0], "prompt_limit", None)


def _answer_calls(spec: str, asked: Sequence[tuple[int, tuple[Any, ...]]]) -> list[tuple[int, Completion | Exception]]:
    # Without a match, so that the worker does not record them; the caller does, by `on_reply`.
    calls = [Call("", 0, 0, *one) for _, one in asked]
    return [(asked[at][0], reply) for at, reply in complete_calls(open_language_model(spec)[0], calls)]
