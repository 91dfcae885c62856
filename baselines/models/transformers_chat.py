"""Local chat models with transformers: `hf:PATH_OR_ID` and `hf:smollm2`."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from econzoo.baselines import may_have_key
from econzoo.baselines.models.chat import Completion, Conversation, Schema, check_lengths, fit_to_budget
from econzoo.baselines.models.chat import merge_system_message
from econzoo.baselines.models.constrained_decoding import FreeText
from econzoo.baselines.models.conversations import has_blank_reply
from econzoo.baselines.models.decode import Row, generate
from econzoo.baselines.models.kind_probabilities import wanted_kinds
from econzoo.baselines.models.kind_reader import KindReader
from econzoo.baselines.models.loading import HUB, LoadedModel, load, remote_source
from econzoo.baselines.models.prefix_cache import CACHE_LIMIT
from econzoo.baselines.models.providers import thinking_template
from econzoo.baselines.models.sampling import SYSTEM, check_all
from econzoo.baselines.models.variants import REPLIES
from econzoo.envs.core.faces import LENGTH

DEFAULT_REPLY_TOKENS = 256
"""Default token limit of a reply."""


class TransformersChat:
    """A local chat model, loaded on first use and shared within the process.

    A reply depends on its own conversation, schema and seed, not on the batch, up to rounding: exact in practice in
    float32, not in bfloat16.
    """

    takes_limits: ClassVar[bool] = True
    libraries: ClassVar[tuple[str, ...]] = ("torch", "transformers")

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
            path_or_id: Transformers folder, LoRA adapter folder, hub id, or `smollm2`.
            temperature: Sampling temperature; 0 is greedy.
            max_new_tokens: Token limit of a reply, at which the grammar completes constrained JSON; None: as needed for
                the game's moves, else 256.
            reasoning_tokens: Extra tokens for reasoning in free text; JSON replies have none.
            constrained: Whether replies follow the schemas; else schemas are ignored.
            device: Torch device; None: a GPU if available.
            dtype: Torch dtype; `auto`: the fastest on this machine; None: bfloat16 on a GPU and float32 on a CPU.
            context: Maximum tokens of prompt and reply; None: from the model's configuration.
            batch_size: Maximum batch size.
            system: `separate`, or `merge` into the first user message.
            thinking: Turns reasoning on or off in the chat template; None: template default.
            chat_template_kwargs: Arguments of the chat template.
            cache: Prefix cache in MiB, reused across turns and matches; 0: none. The tensors of a batch need memory in
                addition.
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
            # Refuses a download that a file asks for and the user has not allowed.
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
        """`hf:PATH_OR_ID`."""
        return f"hf:{self.path_or_id}"

    def __repr__(self) -> str:
        return f"TransformersChat({self.path_or_id!r}, temperature={self.temperature})"

    def load(self) -> LoadedModel:
        """Load the model from memory or disk."""
        return load(self.path_or_id, self.device, self.dtype)

    @property
    def prompt_limit(self) -> int:
        """Maximum tokens of a conversation that leave room for a reply; loads the model."""
        context = self._context(self.load())
        return context - self._reply_limit(context, None, True)

    def _context(self, loaded: LoadedModel) -> int:
        return min(self.context or loaded.context, loaded.context)

    def _reply_limit(self, context: int, needed: int | None, thinks: bool) -> int:
        """Return the token limit of a reply with reasoning."""
        most = (needed or self.max_tokens or DEFAULT_REPLY_TOKENS) + (self.reasoning_tokens if thinks else 0)
        return min(most, max(context // 2, 1))

    def complete(
        self,
        conversations: Sequence[Conversation],
        schemas: Sequence[Schema | None],
        seeds: Sequence[int],
        limits: Sequence[int | None] | None = None,
    ) -> list[Completion]:
        """See `ChatModel.complete`."""
        check_lengths(conversations, schemas, seeds)
        if not conversations:
            return []
        loaded = self.load()
        with loaded.lock:
            parts = zip(conversations, schemas, seeds, limits or [None] * len(seeds), strict=True)
            prepared = [self._ask(loaded, *one) for one in parts]
            # Rows of similar length share a batch to reduce padding.
            order = sorted(range(len(prepared)), key=lambda i: len(prepared[i][0].prompt))
            replies: dict[int, Completion] = {}
            for start in range(0, len(order), self.batch_size):
                batch = order[start : start + self.batch_size]
                replies.update(zip(batch, self._batch(loaded, [prepared[i] for i in batch]), strict=True))
        return [replies[i] for i in range(len(prepared))]

    def _ask(
        self, loaded: LoadedModel, conversation: Conversation, schema: Schema | None, seed: int, needed: int | None
    ) -> tuple[Row, int, tuple[str, ...]]:
        """Return the prompt of a conversation, the number of truncated messages, and what is unsupported."""
        context = self._context(loaded)
        guide = loaded.grammars.guide(schema) if self.constrained and schema is not None else None
        limit = self._reply_limit(context, needed, guide is None)
        messages = merge_system_message(conversation) if self.system == SYSTEM[1] else conversation
        fitted, dropped = fit_to_budget(messages, lambda part: len(loaded.encode(part, self.template)), context - limit)
        # Cut once more: a chat may not fit even if all its messages are empty.
        prompt = loaded.encode(fitted, self.template)[-(context - limit) :]
        merged = not loaded.supports_system_message and self.system != SYSTEM[1]
        filled = not loaded.takes_empty_replies and has_blank_reply(fitted)
        kinds = wanted_kinds(schema)
        row = Row(prompt, seed, limit, guide, KindReader(kinds, FreeText(loaded.grammars)) if kinds else None)
        return row, dropped, ("system",) * merged + (REPLIES,) * filled

    def _batch(self, loaded: LoadedModel, asked: Sequence[tuple[Row, int, tuple[str, ...]]]) -> list[Completion]:
        rows = [row for row, *_ in asked]
        begin = time.perf_counter()
        generate(loaded.reader, rows, temperature=self.temperature, stops=loaded.stop_tokens, cache_limit=self.cache)
        seconds = (time.perf_counter() - begin) / len(rows)
        return [
            Completion(
                text=loaded.text(row.tokens, row.guide),
                finish=LENGTH if row.is_cut and not loaded.has_stopped(row.tokens) else "",
                limit=row.limit,
                prompt_tokens=len(row.prompt),
                completion_tokens=len(row.tokens),
                raw={"request": {"prompt": loaded.tokenizer.decode(row.prompt), "seed": row.seed, "limit": row.limit}},
                seconds=seconds,
                dropped_turns=dropped,
                closed_by_grammar=row.closed_by_grammar,
                unsupported=unsupported,
                probabilities=row.kinds.probabilities if row.kinds else {},
            )
            for row, dropped, unsupported in asked
        ]
