"""Chat models that run in this process, through transformers: `hf:PATH_OR_ID` and `hf:smollm2`."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from econzoo.baselines.models.chat import (
    Completion,
    Conversation,
    Schema,
    check_lengths,
    fit_to_budget,
    merge_system_message,
)
from econzoo.baselines.models.connections import may_have_key
from econzoo.baselines.models.decode import Row, generate
from econzoo.baselines.models.loading import HUB, LoadedModel, load, remote_source
from econzoo.baselines.models.prefix_cache import CACHE_LIMIT
from econzoo.baselines.models.providers import thinking_template
from econzoo.baselines.models.sampling import SYSTEM, check_all
from econzoo.envs.core.faces.finish import LENGTH

DEFAULT_REPLY_TOKENS = 256
"""Tokens of a reply where nobody says how many it needs."""


class TransformersChat:
    """A local chat model, loaded on first use and shared by all its users in the process.

    A reply depends on its own conversation, schema and seed, not on the batch that it is made in, up to the rounding
    of the arithmetic: exact in practice in float32, not in bfloat16.
    """

    takes_limits: ClassVar[bool] = True

    def __init__(
        self,
        path_or_id: str,
        *,
        temperature: float = 0.7,
        max_new_tokens: int | None = None,
        reasoning_tokens: int = 0,
        constrained: bool = True,
        device: str | None = None,
        dtype: str | None = None,
        context: int | None = None,
        batch_size: int = 32,
        system: str = "separate",
        thinking: bool | None = None,
        chat_template_kwargs: Mapping[str, Any] | None = None,
        cache: int = CACHE_LIMIT,
    ) -> None:
        """Describe the model; nothing is loaded yet.

        Args:
            path_or_id: a transformers folder, a LoRA adapter's folder, a hub id, or `smollm2`.
            temperature: 0 takes the likeliest token each time.
            max_new_tokens: the most tokens of one reply; constrained JSON that runs into it is closed by the grammar.
                None takes what a question says that it needs, else 256.
            reasoning_tokens: tokens for the model's own thoughts, on top; in free text, since JSON has no room for any.
            constrained: obey the schemas; if False they are ignored and the model writes freely.
            device: as in torch; None takes a GPU if there is one.
            dtype: name of a torch type; `auto` takes the fastest one of this machine; None takes bfloat16 on a GPU and
                float32 on a CPU.
            context: the most tokens of prompt and reply together; None asks the model's configuration.
            batch_size: the most replies made at once.
            system: `separate`, or `merge`: the system message opens the first user message.
            thinking: turns the thoughts of the model on or off, by the switches of chat templates; None says nothing.
            chat_template_kwargs: for the chat template.
            cache: MiB of what the model has read that stay in memory, so that it is not read again in the next turn or
                the next match; 0 keeps nothing. The tensors of a batch, as large as its rows are long, come on top.
        """
        counts = {"max_new_tokens": max_new_tokens, "batch_size": batch_size, "context": context}
        check_all(
            ("temperature", temperature, 0 <= temperature < float("inf"), "0 or a positive number"),
            *[(name, value, value is None or value >= 1, "1 or more") for name, value in counts.items()],
            ("cache", cache, cache >= 0, "0 or more"),
            ("system", system, system in SYSTEM, " or ".join(SYSTEM)),
            ("reasoning_tokens", reasoning_tokens, reasoning_tokens >= 0, "0 or more"),
        )
        if (address := remote_source(path_or_id)) is not None:
            may_have_key(address, HUB)
        self.path_or_id = path_or_id
        self.temperature = temperature
        self.max_tokens, self.reasoning_tokens = max_new_tokens, reasoning_tokens
        self.constrained = constrained
        self.device = device
        self.dtype = dtype
        self.context = context
        self.batch_size = batch_size
        self.system = system
        self.template = {**({} if thinking is None else thinking_template(thinking)), **(chat_template_kwargs or {})}
        self.cache = cache

    @property
    def name(self) -> str:
        """`hf:` and the model's path or id."""
        return f"hf:{self.path_or_id}"

    def __repr__(self) -> str:
        return f"TransformersChat({self.path_or_id!r}, temperature={self.temperature})"

    def load(self) -> LoadedModel:
        """The model itself, from memory or from disk."""
        return load(self.path_or_id, self.device, self.dtype)

    @property
    def prompt_limit(self) -> int:
        """The most tokens of a conversation, so that a reply still fits; loads the model."""
        context = self._context(self.load())
        return context - self._reply_limit(context, None, True)

    def _context(self, loaded: LoadedModel) -> int:
        return min(self.context or loaded.context, loaded.context)

    def _reply_limit(self, context: int, needed: int | None, thinks: bool) -> int:
        """The most tokens of a reply, and of the thoughts in front of it."""
        most = (needed or self.max_tokens or DEFAULT_REPLY_TOKENS) + (self.reasoning_tokens if thinks else 0)
        return min(most, max(context // 2, 1))

    def complete(
        self,
        conversations: Sequence[Conversation],
        schemas: Sequence[Schema | None],
        seeds: Sequence[int],
        limits: Sequence[int | None] | None = None,
    ) -> list[Completion]:
        """Answer every conversation; see `ChatModel.complete`."""
        check_lengths(conversations, schemas, seeds)
        if not conversations:
            return []
        loaded = self.load()
        with loaded.lock:
            parts = zip(conversations, schemas, seeds, limits or [None] * len(seeds), strict=True)
            asked = [self._ask(loaded, *one) for one in parts]
            # Rows of like length share a batch, so that little of it is padding.
            order = sorted(range(len(asked)), key=lambda i: len(asked[i][0].prompt))
            replies: dict[int, Completion] = {}
            for start in range(0, len(order), self.batch_size):
                batch = order[start : start + self.batch_size]
                replies.update(zip(batch, self._batch(loaded, [asked[i] for i in batch]), strict=True))
        return [replies[i] for i in range(len(asked))]

    def _ask(
        self, loaded: LoadedModel, conversation: Conversation, schema: Schema | None, seed: int, needed: int | None
    ) -> tuple[Row, int]:
        """The prompt of one conversation, cut to what the model can read, and how much was cut."""
        context = self._context(loaded)
        guide = loaded.grammars.guide(schema) if self.constrained and schema is not None else None
        limit = self._reply_limit(context, needed, guide is None)
        told = merge_system_message(conversation) if self.system == SYSTEM[1] else conversation
        fitted, dropped = fit_to_budget(
            told, lambda messages: len(loaded.encode(messages, self.template)), context - limit
        )
        prompt = loaded.encode(fitted, self.template)[-(context - limit) :]
        return Row(prompt, seed, limit, guide), dropped

    def _batch(self, loaded: LoadedModel, asked: Sequence[tuple[Row, int]]) -> list[Completion]:
        rows = [row for row, _ in asked]
        begin = time.perf_counter()
        generate(loaded.reader, rows, temperature=self.temperature, stops=loaded.stop_tokens, cache_limit=self.cache)
        seconds = (time.perf_counter() - begin) / len(rows)
        merged = not loaded.supports_system_message and self.system != SYSTEM[1]
        return [
            Completion(
                text=loaded.text(row.tokens, row.guide),
                finish=LENGTH if row.is_cut and not loaded.has_stopped(row.tokens) else "",
                limit=row.limit,
                prompt_tokens=len(row.prompt),
                completion_tokens=len(row.tokens),
                seconds=seconds,
                truncated_turns=dropped,
                closed=row.closed_by_grammar,
                unmet=("system",) if merged else (),
            )
            for row, dropped in asked
        ]
