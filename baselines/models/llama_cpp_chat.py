"""Local chat models with llama.cpp: `gguf:PATH` and `gguf:smollm2`.

The library `xllamacpp` runs llama.cpp's server in this process: it answers several conversations at once, keeps what it
has read between turns and matches, and ends with the process.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from math import ceil
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from econzoo.baselines import ModelError, RefusedError
from econzoo.baselines.models.chat import Completion, Conversation, Message, Schema, ServedChat, fit_to_budget
from econzoo.baselines.models.chat import merge_system_message
from econzoo.baselines.models.conversations import acceptable_messages, has_blank_reply
from econzoo.baselines.models.gbnf import close_text, longest_text, to_gbnf
from econzoo.baselines.models.kind_probabilities import served_probabilities, token_choices, wanted_kinds
from econzoo.baselines.models.prefix_cache import CACHE_LIMIT
from econzoo.baselines.models.providers import thinking_template
from econzoo.baselines.models.sampling import SYSTEM, TEMPERATURE, check_all
from econzoo.baselines.models.smollm2 import smollm2_gguf
from econzoo.baselines.models.token_counts import estimate
from econzoo.baselines.models.variants import REPLIES
from econzoo.envs.core import open_file, require_libraries
from econzoo.envs.core.contract import clean
from econzoo.envs.core.faces import LENGTH
from econzoo.envs.core.record import Served

DEFAULT_REPLY_TOKENS = 256
"""Default token limit of a reply."""

DEFAULT_CONTEXT = 8192
"""Default maximum of tokens of prompt and reply."""

SMOLLM2 = "smollm2"

_MAGIC = b"GGUF"
_NO_LOG = -1
_MAX_SEED = 2**32 - 1
"""Seeds are below: this one asks for a random seed."""

_LIKELIEST = 1000
"""Tokens with log-probabilities at each place. They are from before the grammar, so that kinds may be far behind."""

_TOO_LONG = "exceed_context_size_error"
_DENSER = 1.1
"""By how much more tokens are expected, at least, when a conversation has to be truncated again."""


class GrammarError(Exception):
    """llama.cpp refuses a grammar."""


class LlamaCppChat(ServedChat):
    """A GGUF model, loaded on first use and shared within the process.

    A reply depends on its own conversation, schema and seed up to rounding, which differs between batches, and between
    a prompt that is read and one from the cache: with ``cache=0`` and ``batch_size=1`` it does not.
    """

    native_tools: ClassVar[bool] = False
    takes_limits: ClassVar[bool] = True
    libraries: ClassVar[tuple[str, ...]] = ("xllamacpp",)

    def __init__(
        self,
        path: str,
        *,
        temperature: float = TEMPERATURE,
        max_new_tokens: int | None = None,
        reasoning_tokens: int = 0,
        constrained: bool | None = None,
        threads: int | None = None,
        context: int = DEFAULT_CONTEXT,
        batch_size: int = 1,
        system: str = SYSTEM[0],
        thinking: bool | None = None,
        chat_template_kwargs: Mapping[str, Any] | None = None,
        cache: int = CACHE_LIMIT,
    ) -> None:
        """Describe the model; nothing is loaded yet.

        Args:
            path: GGUF file (the first part of several), or `smollm2`.
            temperature: Sampling temperature; 0 is greedy.
            max_new_tokens: Token limit of a reply; None: as needed for the game's moves, else 256, and what the texts
                of the schema need in addition.
            reasoning_tokens: Extra tokens for reasoning in free text; JSON replies have none.
            constrained: Whether replies must follow the schemas; None: if llama.cpp can; False: schemas are ignored.
            threads: Threads of computation; None: as many as the machine has cores.
            context: Maximum tokens of prompt and reply, and at most what the model was trained with.
            batch_size: Conversations at once; each needs memory for the context.
            system: `separate`, or `merge` into the first user message.
            thinking: Turns reasoning on or off in the chat template; None: template default.
            chat_template_kwargs: Arguments of the chat template.
            cache: Memory in MiB for what was read of conversations that are not in work; 0: every prompt is read anew.
        """
        counts = {"max_new_tokens": max_new_tokens, "threads": threads, "context": context, "batch_size": batch_size}
        check_all(
            ("temperature", temperature, 0 <= temperature < float("inf"), "0 or a positive number"),
            *[(name, value, value is None or value >= 1, "1 or more") for name, value in counts.items()],
            ("cache", cache, cache >= 0, "0 or more"),
            ("system", system, system in SYSTEM, " or ".join(SYSTEM)),
            ("reasoning_tokens", reasoning_tokens, reasoning_tokens >= 0, "0 or more"),
        )
        # Read when the library is loaded: threads that spin while they wait take minutes for seconds on a busy machine.
        os.environ.setdefault("OMP_WAIT_POLICY", "passive")
        self.path = path
        self.temperature = temperature
        self.max_tokens, self.reasoning_tokens = max_new_tokens, reasoning_tokens
        self.constrained = constrained
        self.threads, self.context, self.concurrency, self.cache = threads, context, batch_size, cache
        self.system, self._is_told = system, False
        self.template = {**({} if thinking is None else thinking_template(thinking)), **(chat_template_kwargs or {})}

    @property
    def name(self) -> str:
        """`gguf:PATH`."""
        return f"gguf:{self.path}"

    def __repr__(self) -> str:
        return f"LlamaCppChat({self.path!r}, temperature={self.temperature})"

    @property
    def prompt_limit(self) -> int:
        """Maximum tokens of a conversation that leave room for a reply."""
        return self.context - self._reply_limit(None, None)

    def _reply_limit(self, needed: int | None, schema: Schema | None) -> int:
        """Return the token limit of a reply."""
        most = needed or self.max_tokens or DEFAULT_REPLY_TOKENS
        if schema is None:
            most += self.reasoning_tokens
        elif self.max_tokens is None:
            # A token has a character or more, so that the schema ends the reply, and not the limit.
            most += longest_text(schema)
        return min(most, max(self.context // 2, 1))

    def answer(self, conversation: Conversation, schema: Schema | None, seed: int, limit: int | None) -> Completion:
        """See `ServedModel.answer`."""
        engine = open_engine(self.path, self.threads, self.context, self.concurrency, self.cache)
        asked = conversation, schema, seed, limit
        if schema is None or self.constrained is False:
            return self._answer(engine, *asked)
        try:
            return self._answer(engine, *asked, _grammar(json.dumps(schema)))
        except (ValueError, GrammarError) as error:
            refusal = f"{self.name}: llama.cpp refuses the grammar of the replies ({error})"
        if self.constrained:
            raise RefusedError(f"{refusal}; constrained=no lets the model write freely")
        if not self._is_told:
            self._is_told = True
            print(f"econzoo: {refusal}: it writes freely where it does", file=sys.stderr, flush=True)
        reply = self._answer(engine, *asked)
        return replace(reply, unsupported=("constrained", *reply.unsupported))

    def _answer(
        self,
        engine: Engine,
        conversation: Conversation,
        schema: Schema | None,
        seed: int,
        limit: int | None,
        grammar: str | None = None,
    ) -> Completion:
        most = self._reply_limit(limit, schema if grammar else None)
        request = {
            "max_tokens": most,
            "temperature": self.temperature,
            "samplers": ["temperature"],
            "cache_prompt": self.cache > 0,
            "seed": seed % _MAX_SEED,
            **({"chat_template_kwargs": self.template} if self.template else {}),
            **({"grammar": grammar} if grammar else {}),
            **({"logprobs": True, "top_logprobs": _LIKELIEST} if wanted_kinds(schema) else {}),
        }
        whole = merge_system_message(conversation) if self.system == SYSTEM[1] else list(conversation)
        begin = time.perf_counter()
        messages, dropped, answer = self._ask(engine, whole, request, self.context - most)
        choice, usage = answer["choices"][0], answer["usage"]
        finish, text = str(choice["finish_reason"]), choice["message"]["content"] or ""
        closed = close_text(text, schema) if grammar and schema and finish == "length" else None
        return Completion(
            text=closed or text,
            prompt_tokens=usage["prompt_tokens"],
            completion_tokens=usage["completion_tokens"],
            seconds=time.perf_counter() - begin,
            dropped_turns=dropped,
            finish=LENGTH if finish == "length" and not closed else "",
            closed_by_grammar=closed is not None,
            limit=most,
            cached_tokens=usage["prompt_tokens_details"]["cached_tokens"],
            probabilities=served_probabilities(token_choices(choice.pop("logprobs", None)), schema, self.temperature),
            unsupported=(REPLIES,) * has_blank_reply(messages),
            served={**engine.served, "finish": finish},
            raw={"request": {"messages": messages, **request}, "response": answer},
        )

    def _ask(
        self, engine: Engine, conversation: Sequence[Message], request: Mapping[str, Any], budget: int
    ) -> tuple[Sequence[Message], int, Mapping[str, Any]]:
        """Return the conversation that leaves room for a reply, the number of truncated messages, and the response."""
        messages, dropped, density = conversation, 0, 0.0
        while True:
            answer = engine.ask({**request, "messages": acceptable_messages(messages)})
            error = answer.get("error")
            if error is None:
                read, is_whole = answer["usage"]["prompt_tokens"], answer["choices"][0]["finish_reason"] != "length"
            elif error.get("type") == _TOO_LONG:
                read, is_whole = error["n_prompt_tokens"], False
            else:
                reason = clean(" ".join(str(error.get("message", error)).split()))[:400]
                if "grammar" in request and "grammar" in reason:
                    raise GrammarError(reason)
                raise ModelError(f"{self.name}: llama.cpp: {reason}")
            if read <= budget or is_whole:
                return messages, dropped, answer
            # Tokens are counted only by asking, so they are estimated by their density in this conversation.
            density = max(density * _DENSER, read / estimate(messages))
            previous = messages
            messages, dropped = fit_to_budget(conversation, partial(_count_tokens, density), budget)
            if messages == previous:
                raise ModelError(f"{self.name}: the conversation is too long and cannot be truncated further (context)")


def _count_tokens(density: float, conversation: Conversation) -> int:
    return ceil(estimate(conversation) * density)


@cache
def _grammar(schema: str) -> str:
    return to_gbnf(json.loads(schema))


class Engine(NamedTuple):
    """A model in memory."""

    server: Any
    served: Served

    def ask(self, request: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the response to a request, or an object with its error."""
        try:
            return self.server.handle_chat_completions(request)
        except (RuntimeError, ValueError) as error:
            return {"error": {"message": str(error)}}


_engines: dict[tuple[Any, ...], Engine] = {}
_lock = threading.Lock()


def open_engine(path: str, threads: int | None, context: int, slots: int, cache: int) -> Engine:
    """Load a model; each is in memory once for the same options, and loaded anew if its file has changed.

    Raises:
        RefusedError: No such file, or none of a model that llama.cpp can run.
        MissingLibraryError: `xllamacpp` is not installed.
    """
    require_libraries("a gguf: player", "xllamacpp", extra="gguf")
    # Held while loading, so that two players never load a model twice.
    with _lock:
        file = smollm2_gguf() if path == SMOLLM2 else Path(path).expanduser()
        _check(file)
        about = file.stat()
        key = (file.resolve(), about.st_mtime_ns, about.st_size, threads, context, slots, cache)
        if key not in _engines:
            _engines[key] = _load(file, threads, context, slots, cache)
        return _engines[key]


def _check(file: Path) -> None:
    """Raise `RefusedError` unless a file begins like a GGUF model."""
    if not file.is_file():
        kind = "is a folder" if file.is_dir() else "does not exist"
        raise RefusedError(f"{file} {kind}; expected a GGUF file, or {SMOLLM2}")
    with open_file(file) as stream:
        if stream.read(len(_MAGIC)) != _MAGIC:
            raise RefusedError(f"{file} is no GGUF file; a folder of transformers plays as hf:PATH")


def _load(file: Path, threads: int | None, context: int, slots: int, cache: int) -> Engine:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(file)
    params.n_ctx, params.n_parallel, params.cache_ram_mib = context * slots, slots, cache
    if threads is not None:
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    params.verbosity = _NO_LOG
    params.reasoning_format = xllamacpp.common_reasoning_format.COMMON_REASONING_FORMAT_NONE
    # It listens on a free port of the loopback interface as well, which nobody is to use.
    params.api_keys = [secrets.token_hex()]
    version = f"xllamacpp {xllamacpp.__version__}"
    try:
        server = xllamacpp.Server(params)
    except RuntimeError:
        raise RefusedError(f"llama.cpp ({version}) cannot load {file}: damaged, or an unknown kind") from None
    with open_file(file) as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    return Engine(server, {"model": file.name, "fingerprint": f"sha256:{digest}", "provider": f"llama.cpp, {version}"})
