"""Chat models behind an OpenAI-compatible server: `openai:MODEL@URL` (OpenAI, vLLM, llama.cpp, Ollama, ...)."""

from __future__ import annotations

import random
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from econzoo.baselines import ModelError, UnavailableError, release_call
from econzoo.baselines.models.answers import WINDOW, ProviderFailedError, estimate_completion, parse_completion
from econzoo.baselines.models.batch import HALF, BatchChat
from econzoo.baselines.models.batch_interfaces import batch_interface
from econzoo.baselines.models.chat import Completion, Conversation, Schema, ServedChat, add_up
from econzoo.baselines.models.dialect import LOGPROBS, Dialect, limit_of
from econzoo.baselines.models.kind_probabilities import has_logprobs, wanted_kinds
from econzoo.baselines.models.pacing import TokenBucket, Waits, backoff
from econzoo.baselines.models.prices import list_price
from econzoo.baselines.models.providers import Provider, provider_at
from econzoo.baselines.models.responses import as_plain
from econzoo.baselines.models.sampling import ON_REFUSED, Sampling, check_all
from econzoo.baselines.models.server import BusyError, CutError, FilteredError, GoneError, RefusedReplyError
from econzoo.baselines.models.server import RefusedRequestError, ReplyTimeoutError, RetryError, Server
from econzoo.baselines.models.server import ServerStatusError, ShortenError, SignalError, WrongPageError
from econzoo.baselines.models.token_counts import CONTEXT, PRICES_ALLOWED, USAGE, Prices, PromptCounts, Usage
from econzoo.baselines.models.token_counts import are_prices, estimate, thinking_tokens
from econzoo.baselines.models.variants import REPLIES, USUAL, Asking, Variant, is_blank_loop, is_free
from econzoo.envs.core.contract import clean
from econzoo.envs.core.faces import FILTER, LENGTH, REASONING, has_tags

_MAX_TIMEOUTS = 1
"""Maximum retries after a timeout, since reasoning may be charged each time."""

_BASE_SECONDS, _TOKENS_PER_SECOND = 120.0, 40
"""Default timeout: seconds for a reply, plus its reasoning tokens at this rate per second."""

_LOOP, _STREAM, _UNKEPT = "loop", "stream", "unkept"

_UNKEPT_REPLIES = 2
"""Replies in a row of another form than the schema, after which it is told."""

_DEAD_RETRIES = 3
"""Maximum retries of a server that has never replied and that nobody answers for."""

_PAGE_RETRIES = 1

_NOTICES = {
    "system": "rejects system messages: merged into the first user message from now on, as with system=merge",
    "reasoning_tokens": "does not allow extra tokens for reasoning (reasoning_tokens)",
    REPLIES: "gets '(no answer)' in place of replies that it would refuse to take back, such as empty ones",
    LOGPROBS: "gives no logprobs: records have no probabilities of the kinds of move",
    _LOOP: "wrote blanks up to the limit under a schema: such a reply is requested again without it",
    CONTEXT: "read fewer tokens than the conversation has: its context may be too small (context)",
    "tools": "does not support tools as functions: offered as JSON in the reply",
    _UNKEPT: "took the schema of the replies and does not seem to keep it: two in a row are no JSON object",
    _STREAM: "or a proxy ended a call that was silent for long: replies are streamed from now on",
    USAGE: "reports no valid token counts: estimated from the text",
    REASONING: "returned a reply with reasoning only: its reasoning parser may be wrong",
}
"""Notices printed once to standard error."""


class OpenAIChat(ServedChat):
    """A chat model on an OpenAI-compatible server.

    Requests are concurrent. Rate limits and overload are waited for, other failures retried with backoff, and long
    conversations are truncated from the first turn. Replies are streamed once a silent call was cut. Tools are offered
    as functions, or in the schema of the reply to servers without functions. Refused defaults are omitted from then on,
    with one notice and in `Completion.unsupported`. Refused explicit options end the run, unless `on_refused` is
    `drop`. The key never appears in `repr` or errors.
    """

    def __init__(
        self,
        model: str,
        base_url: str | None = None,
        *,
        api_key: str | None = None,
        temperature: float | None = None,
        max_tokens: int | None = None,
        reasoning_tokens: int | None = None,
        top_p: float | None = None,
        reasoning_effort: str | None = None,
        stop: Sequence[str] = (),
        system: str | None = None,
        seed: bool | None = None,
        constrained: bool | None = None,
        thinking: bool | None = None,
        chat_template_kwargs: Mapping[str, Any] | None = None,
        extra_body: Mapping[str, Any] | None = None,
        on_refused: str = ON_REFUSED[0],
        provider: str | None = None,
        max_retries: int = 5,
        requests_per_minute: float | None = None,
        tokens_per_minute: float | None = None,
        concurrency: int = 8,
        price_per_million: Prices | None = None,
        timeout: float | None = None,
        context: int | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Describe the model; nothing is sent yet.

        Args:
            model: Name of the model on the server.
            base_url: Address including `/v1`; None: OPENAI_BASE_URL or OpenAI's own.
            api_key: API key; None: OPENAI_API_KEY, or "none" for servers without keys.
            temperature: Sampling temperature; None: 0.7 if the server supports it.
            max_tokens: Token limit of a reply; None: as needed for the game's moves, else 512.
            reasoning_tokens: Extra tokens for reasoning; None: by the effort, else 4,096 if the model thinks, unless
                the server refuses or `max_tokens` is given, which then is the total.
            top_p: Nucleus sampling mass; None: not sent.
            reasoning_effort: Effort of a reasoning model; None: not sent.
            stop: Stop sequences, at most 4.
            system: `separate`, or `merge` into the first user message; None: merge if the server rejects system
                messages.
            seed: Whether to send the seed of each reply; None: if the server supports it.
            constrained: Whether the server must enforce schemas; None: if it can.
            thinking: Turns reasoning on or off in the provider's way; None: provider default.
            chat_template_kwargs: Arguments of the chat template of an open model (vLLM, SGLang, llama.cpp).
            extra_body: Additional fields of each request; they override others of the same name.
            on_refused: `end`: a refused explicit option ends the run; `drop`: it is omitted.
            provider: Name in `providers.toml`; None: by the address.
            max_retries: Retries after a failed request; waits for a busy server are none.
            requests_per_minute: Rate limit over all requests of this object; None: no limit.
            tokens_per_minute: Rate limit of prompt (estimated) and completion tokens; None: no limit.
            concurrency: Concurrent requests at the start; rate limits told by the server change it (`Pace`).
            price_per_million: US dollars per million input and output tokens, or input, cached input and output tokens;
                unused if the server reports the cost. None: the list price (`econzoo.baselines.models.list_price`),
                else 0.
            timeout: Seconds per reply; None: 120 plus time for reasoning.
            context: Maximum tokens of prompt and reply, estimated at four characters per token; None: left to the
                server.
            clock: Clock in seconds; replaced in tests.
            sleep: Sleep function in seconds; replaced in tests.
        """
        usual = temperature, max_tokens, reasoning_tokens, top_p, reasoning_effort, tuple(stop), system
        more = seed, constrained, thinking, chat_template_kwargs or {}, extra_body or {}, on_refused
        sampling = Sampling(*usual, *more)
        self.timeout = _BASE_SECONDS + sampling.thinking_tokens / _TOKENS_PER_SECOND if timeout is None else timeout
        price = price_per_million or (0.0, 0.0)
        _check_numbers(max_retries=max_retries, concurrency=concurrency, timeout=self.timeout, price=price)
        self._server, differences = self._connect(model, base_url, api_key, concurrency, provider)
        self.model, self.base_url = model, self._server.url
        self._dialect = Dialect(model, sampling, differences, context, self._server.format_message)
        self.max_tokens, self.max_retries = max_tokens, max_retries
        self.context, self.constrained = context, constrained
        listed = list_price(model, self.base_url, provider) if price_per_million is None else None
        self.price_per_million = listed.prices if listed else price
        self._bucket = TokenBucket(requests_per_minute, 1, clock, sleep) if requests_per_minute is not None else None
        self._tokens = TokenBucket(tokens_per_minute, 1, clock, sleep) if tokens_per_minute is not None else None
        self._clock, self._sleep = clock, sleep
        self._waits = Waits(self._print, clock, sleep, f"{model} at {self.base_url}")
        self._has_replied = False
        self._lock = threading.Lock()
        self._usage = Usage()
        self._prompts, self._noticed = PromptCounts(), set[str]()
        self._free_replies = 0
        self._jitter = random.Random()  # spreads retries in time; replies do not depend on it

    def _connect(
        self, model: str, base_url: str | None, api_key: str | None, concurrency: int, provider: str | None
    ) -> tuple[Server, Provider]:
        """Return the server, and what is different there."""
        server = Server(model, base_url, api_key, concurrency)
        return server, provider_at(server.url, provider)

    @property
    def name(self) -> str:
        """`openai:MODEL@URL`."""
        return f"openai:{self.model}@{self.base_url}"

    @property
    def concurrency(self) -> int:  # type: ignore[override]
        """Maximum number of concurrent requests at this time."""
        return self._server.pace.calls

    @property
    def prompt_limit(self) -> int | None:
        """Maximum tokens of a conversation that leave room for a reply; None: unknown."""
        return self._prompt_limit(None)

    def _prompt_limit(self, needed: int | None, variant: Variant = USUAL) -> int | None:
        return None if self.context is None else self.context - self._dialect.max_reply_tokens(needed, variant)

    @property
    def usage(self) -> Usage:
        """Total tokens, cost and retries."""
        return self._usage

    def __repr__(self) -> str:
        temperature = self._dialect.sampling.fields()["temperature"]
        return f"OpenAIChat({self.model!r}, base_url={self.base_url!r}, temperature={temperature})"

    def in_batches(self, label: str, price: float = HALF) -> BatchChat:
        """Send requests by the provider's batch interface from now on, and return the model behind it.

        Args:
            label: What tells its calls from those of other models and options, now and in a resumed run.
            price: Price of a batch, as a fraction of the model's prices.

        Raises:
            ValueError: The provider has no batch interface.
        """
        model = BatchChat(self, batch_interface(self._dialect.provider, self._server), label)
        self._server.batches = model.send
        # Limits per minute are not those of batches.
        self._bucket = self._tokens = None
        self.price_per_million = tuple(price * one for one in self.price_per_million)
        return model

    def answer(self, conversation: Conversation, schema: Schema | None, seed: int, limit: int | None) -> Completion:
        """See `ServedModel.answer`."""
        asking = Asking(list(conversation))
        try:
            return self._answer(asking, schema, seed, limit)
        except ModelError as error:
            error.raw = {"attempts": asking.attempts}  # type: ignore[attr-defined]
            raise

    def _answer(self, asking: Asking, schema: Schema | None, seed: int, limit: int | None) -> Completion:
        while True:
            if budget := self._prompt_limit(limit, asking.variant):
                asking.fit(budget)
            request, unsupported = self._dialect.request(asking.messages, schema, seed, limit, asking.variant)
            self._wait_for_rate(request)
            begin, answer = self._clock(), None
            try:
                answer = self._send(request, limit)
                reply = self._read(answer, request, schema, asking)
                self._has_replied = True
            except SignalError as signal:
                failed = {"status": signal.status, "error": str(signal), "seconds": self._clock() - begin}
                asking.attempts.append({name: value for name, value in failed.items() if value})
                if not isinstance(signal, BusyError | GoneError):
                    self._waits.end()
                if (given := self._take(signal, asking, request)) is None:
                    continue
                reply = given
            reply = replace(reply, seconds=self._clock() - begin)
            self._waits.end()
            if not self._is_spoiled(reply, asking, request, limit):
                break
            spoiled = {"error": "spoiled", "response": as_plain(answer), "seconds": reply.seconds}
            asking.attempts.append(spoiled)
        # Refused with the schema and answered without it: the schema is the cause.
        if asking.others is not None and asking.variant.is_free:
            self._dialect.omit_schema()
        # A reply that only room for thoughts completed is one of a model that thinks.
        self._dialect.has_thoughts |= asking.variant.has_room and not reply.finish
        unsupported = (*unsupported, *reply.unsupported)
        is_loop = asking.variant.is_free and asking.others is None
        self._free_replies = self._free_replies + 1 if "response_format" in request and is_free(reply) else 0
        unkept = [_UNKEPT] * (self._free_replies >= _UNKEPT_REPLIES)
        notices = [_LOOP if one == "constrained" and is_loop else one for one in unsupported]
        self._print_notices([*notices, *unkept, *([REASONING] if reply.finish == REASONING else [])])
        most = limit_of(request)
        finish = LENGTH if reply.finish == WINDOW else reply.finish
        raw = {"request": getattr(answer, "sent", request), "response": as_plain(answer), "attempts": asking.attempts}
        done = replace(reply, unsupported=unsupported, dropped_turns=asking.dropped, limit=most, finish=finish, raw=raw)
        # Spoiled replies are paid too.
        return add_up([*asking.spoiled, done])

    def _take(self, signal: SignalError, asking: Asking, request: dict[str, Any]) -> Completion | None:
        """Return the reply that a signal stands for; None to ask again, perhaps with another request."""
        if isinstance(signal, FilteredError):
            return Completion("", 0, 0, 0.0, finish=FILTER)
        if isinstance(signal, RefusedReplyError):
            return self._add_cost(estimate_completion(str(signal), request["messages"], self.price_per_million))
        if isinstance(signal, ShortenError) and not asking.shorten():
            raise self._server.error("the conversation is too long and cannot be truncated further")
        if isinstance(signal, RefusedRequestError):
            can_be_free = signal.error.names_nothing and "response_format" in request
            if not asking.vary(can_be_free and not self._dialect.requires("response_format")):
                raise self._server.error(str(signal))
        if isinstance(signal, CutError) and self._dialect.stream():
            self._print_notices([_STREAM])
            return None
        is_gone = isinstance(signal, GoneError)
        if isinstance(signal, BusyError) or (isinstance(signal, GoneError) and self._has_replied):
            seconds = backoff(asking.waits, self._jitter.random(), signal.wait)
            self._waits.wait(seconds, str(signal), signal.wait is not None)
            asking.waits += 1
            self._count(retries=1)
            return None
        # Without a status: no gateway either. Those of providers fail for one upstream, perhaps only once.
        if is_gone and signal.status is None and asking.failures >= min(self.max_retries, _DEAD_RETRIES):
            raise UnavailableError(self._server.format_message(f"no server answers: {signal}"))
        if isinstance(signal, ReplyTimeoutError):
            if asking.timeouts >= min(self.max_retries, _MAX_TIMEOUTS):
                tries = f"{asking.timeouts + 1} attempts: no reply within {self.timeout:g} seconds (timeout)"
                # A server that has never replied is not asked for the next matches too, each as long.
                kind = ModelError if self._has_replied else UnavailableError
                raise kind(self._server.format_message(f"gave up after {tries}"))
            self._wait(asking.timeouts, None, timeouts=1)
            asking.timeouts += 1
        if isinstance(signal, RetryError):
            is_page = isinstance(signal, WrongPageError)
            if asking.failures >= (min(self.max_retries, _PAGE_RETRIES) if is_page else self.max_retries):
                kind = UnavailableError if is_page and not self._has_replied else ModelError
                message = f"gave up after {asking.failures + 1} attempts: {signal}"
                raise kind(self._server.format_message(message))
            self._wait(asking.failures, signal.wait)
            asking.failures += 1
        return None

    def _is_spoiled(self, reply: Completion, asking: Asking, request: dict[str, Any], limit: int | None) -> bool:
        """Whether the server spoiled a reply that is requested again in another way."""
        variant = self._dialect.repeat(reply, request, limit, asking.variant)
        if variant is None and not (reply.finish == WINDOW and len(asking.messages) > 1 and asking.shorten()):
            return False
        asking.spoiled.append(reply)
        asking.variant = variant or asking.variant
        return True

    def _wait(self, attempt: int, asked: float | None, **more: int) -> None:
        self._sleep(backoff(attempt, self._jitter.random(), asked))
        self._count(retries=1, **more)

    def _print_notices(self, what: Sequence[str]) -> None:
        with self._lock:
            new = [one for one in what if one not in self._noticed]
            self._noticed.update(new)
        for one in new:
            self._print(_NOTICES.get(one, f"does not support {one}: omitted"))

    def _print(self, notice: str) -> None:
        print(f"econzoo: {clean(self._server.format_message(notice))}", file=sys.stderr, flush=True)

    def _wait_for_rate(self, request: dict[str, Any]) -> None:
        for bucket, amount in ((self._bucket, 1), (self._tokens, estimate(request["messages"]))):
            if bucket:
                with release_call():
                    bucket.wait(amount)

    def _send(self, request: dict[str, Any], needed: int | None) -> Any:
        """Send one request; failures raise one of the signals below, or an error that ends the match or the run."""
        try:
            return self._server.send(request, self.timeout)
        except ServerStatusError as answer:
            found = self._dialect.classify_error(answer.error, answer.headers, request, needed)
            if type(found) is ModelError and answer.error.is_unavailable and not self._has_replied:
                found = UnavailableError(str(found))
            if isinstance(found, SignalError):
                found.status = answer.error.status
            raise found from None

    def _read(self, answer: Any, request: dict[str, Any], schema: Schema | None, asking: Asking) -> Completion:
        try:
            reply = parse_completion(
                answer, self.price_per_million, request["messages"], schema, request.get("temperature", 1.0)
            )
        except ProviderFailedError as failed:
            kind = BusyError if failed.error and failed.error.is_busy else RetryError
            raise kind(str(failed), failed.error.wait if failed.error else None) from None
        except (AttributeError, IndexError, TypeError):
            raise RetryError("the response is not a chat completion") from None
        if wanted_kinds(schema) and not has_logprobs(answer):
            self._print_notices([LOGPROBS])
        used = getattr(answer, "usage", None)
        # From now on requests have room for them.
        self._dialect.has_thoughts |= bool(reply.reasoning or thinking_tokens(used) or has_tags(reply.text))
        if self._prompts.is_cut(request["messages"], used):
            reply = replace(reply, unsupported=(*reply.unsupported, CONTEXT))
        self._add_cost(reply)
        if "response_format" in request and is_blank_loop(reply) and self._dialect.requires("response_format"):
            asking.spoiled.append(reply)
            raise RetryError("the provider failed: blanks up to the limit under the schema; constrained=no avoids it")
        return reply

    def _add_cost(self, reply: Completion) -> Completion:
        names = ("prompt_tokens", "completion_tokens", "cached_tokens", "cost")
        self._count(replies=1, **{name: getattr(reply, name) for name in names})
        if self._tokens:
            # The prompt is taken ahead of the request; the length of the reply is known only now.
            self._tokens.take(reply.completion_tokens)
        return reply

    def _count(self, **more: float) -> None:
        with self._lock:
            # Replaced as a whole, so that readers without the lock never see half an update.
            old = self._usage
            self._usage = Usage(**{key: value + more.get(key, 0) for key, value in vars(old).items()})


def _check_numbers(*, max_retries: int, concurrency: int, timeout: float, price: Prices) -> None:
    check_all(
        ("max_retries", max_retries, max_retries >= 0, "0 or more"),
        ("concurrency", concurrency, concurrency >= 1, "1 or more"),
        ("timeout", timeout, 0 < timeout < float("inf"), "a positive number of seconds"),
        ("price_per_million", price, are_prices(price), PRICES_ALLOWED),
    )
