"""Chat models behind an OpenAI-compatible server: `openai:MODEL@URL` (OpenAI, vLLM, llama.cpp, Ollama, ...)."""

from __future__ import annotations

import random
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from econzoo.baselines.models.answers import ProviderFailedError, estimate_completion, parse_completion
from econzoo.baselines.models.chat import (
    Completion,
    Conversation,
    Schema,
    check_lengths,
    collect_completions,
    fit_to_budget,
)
from econzoo.baselines.models.dialect import Dialect, limit_of
from econzoo.baselines.models.pacing import LONGEST_WAIT, TokenBucket, backoff, retry_after, run_concurrently
from econzoo.baselines.models.providers import provider_at
from econzoo.baselines.models.sampling import ON_REFUSED, Sampling, check_all
from econzoo.baselines.models.server import ReplyTimeoutError, RetryError, Server, ServerStatusError
from econzoo.baselines.models.server_errors import ServerError
from econzoo.baselines.models.token_counts import PRICES_ALLOWED, USAGE, Prices, are_prices, estimate
from econzoo.envs.core.contract.validation import clean
from econzoo.envs.core.faces.finish import FILTER, REASONING

_MAX_TIMEOUTS = 1
"""How often a question is asked again that was not answered in time: the thoughts for it may be paid for each time."""

_BASE_SECONDS, _TOKENS_PER_SECOND = 120.0, 40
"""Seconds for a reply without thoughts, and tokens of thoughts in a second on top, where nobody names a limit."""

_NOTICES = {
    "system": "takes no system message: it opens the first question from now on, as with system=merge",
    "reasoning_tokens": "has no room for thoughts on top of a reply (reasoning_tokens)",
    USAGE: "tells no tokens that can be: they are estimated from the text",
    REASONING: "gave all of a reply as thoughts and none as text: its reasoning parser may be the wrong one",
}
"""What is said once, on standard error."""


@dataclass(frozen=True)
class Usage:
    """What a model has used so far, over all its replies.

    Attributes:
        replies: answers received.
        retries: requests that were sent again.
        prompt_tokens: tokens read.
        completion_tokens: tokens written, thoughts included.
        cost: US dollars.
        cached_tokens: those of `prompt_tokens` that the provider had in its cache.
        timeouts: requests that were not answered in time.
    """

    replies: int = 0
    retries: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0
    cached_tokens: int = 0
    timeouts: int = 0


class OpenAIChat:
    """A chat model behind an OpenAI-compatible server.

    Replies come from a few requests at a time. A busy or failing server is asked again after growing pauses, and a
    conversation that is too long is cut from its oldest turn. Tools are offered as functions; a server that refuses
    them gets them in the schema of the reply. What is refused and nobody has asked for is left out from then on: that
    is said once, and `Completion.unmet` names it. What was asked for by name is never left out unless `on_refused` says
    so: a server that refuses it ends the run. The key is never shown: not in `repr`, not in errors.
    """

    takes_limits: ClassVar[bool] = True
    native_tools: ClassVar[bool] = True

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
        price_per_million: Prices = (0.0, 0.0),
        timeout: float | None = None,
        context: int | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Describe the model; nothing is sent yet.

        Args:
            model: the name that the server knows.
            base_url: up to and with `/v1`; None takes OPENAI_BASE_URL or OpenAI's own.
            api_key: None takes OPENAI_API_KEY, or "none" for servers that want no key.
            temperature: sampling temperature; None sends 0.7 where the server takes one.
            max_tokens: the most tokens of one reply; None takes what a question says that it needs, else 512.
            reasoning_tokens: tokens for a reasoning model's own thoughts, on top; None takes 4,096, or what goes with
                the effort, until a server finds that too many; none if `max_tokens` is given: that is the whole then.
            top_p: as servers know it; None sends none.
            reasoning_effort: likewise.
            stop: texts that end a reply, at most 4.
            system: `separate`, or `merge`: the system message opens the first user message; None merges where a server
                refuses the message.
            seed: whether the seed of each reply is sent; None sends it where the server takes one.
            constrained: whether a server has to hold replies to their schemas; None has it do so where it can.
            thinking: turns the thoughts of the model on or off, as its provider wants that said; None says nothing.
            chat_template_kwargs: for the chat template of an open model (vLLM, SGLang, llama.cpp).
            extra_body: fields of each request besides; they replace others of the same name.
            on_refused: `end`: an option that was asked for by name and is refused ends the run; `drop`: it is left out.
            provider: whose server it is, a name of `providers.toml`; None asks the address.
            max_retries: further attempts after a failed one.
            requests_per_minute: a limit for all requests of this object together; None for no limit.
            tokens_per_minute: likewise for the tokens that are read (by the estimate of `context`) and written.
            concurrency: requests under way at once.
            price_per_million: US dollars for a million tokens read and written, or read, read from the provider's
                cache, and written; not used where a server tells the cost.
            timeout: seconds to wait for one answer, all of it; None takes 120 and what the room for thoughts takes.
            context: the most tokens of prompt and reply (estimated by four characters a token); None lets the server
                judge.
            clock: seconds, for the rate limit; replaced in tests.
            sleep: waits for some seconds; replaced in tests.
        """
        usual = temperature, max_tokens, reasoning_tokens, top_p, reasoning_effort, tuple(stop), system
        more = seed, constrained, thinking, chat_template_kwargs or {}, extra_body or {}, on_refused
        sampling = Sampling(*usual, *more)
        self.timeout = _BASE_SECONDS + sampling.thinking_tokens / _TOKENS_PER_SECOND if timeout is None else timeout
        _check_numbers(max_retries=max_retries, concurrency=concurrency, timeout=self.timeout, price=price_per_million)
        self._server = Server(model, base_url, api_key)
        self.model, self.base_url = model, self._server.url
        self._dialect = Dialect(
            model, sampling, provider_at(self.base_url, provider), context, self._server.format_message
        )
        self.max_tokens, self.max_retries = max_tokens, max_retries
        self.concurrency, self.context = concurrency, context
        self.price_per_million = price_per_million
        self._bucket = TokenBucket(requests_per_minute, 1, clock, sleep) if requests_per_minute is not None else None
        self._tokens = TokenBucket(tokens_per_minute, 1, clock, sleep) if tokens_per_minute is not None else None
        self._sleep = sleep
        self._lock = threading.Lock()
        self._usage = Usage()
        self._told: set[str] = set()
        self._jitter = random.Random()  # spreads retries in time; it has no influence on any reply

    @property
    def name(self) -> str:
        """`openai:MODEL@URL`."""
        return f"openai:{self.model}@{self.base_url}"

    @property
    def prompt_limit(self) -> int | None:
        """The most tokens of a conversation, so that a reply still fits; None: only the server knows."""
        return self._prompt_limit(None)

    def _prompt_limit(self, needed: int | None) -> int | None:
        return None if self.context is None else self.context - self._dialect.max_reply_tokens(needed)

    @property
    def usage(self) -> Usage:
        """Totals of tokens, cost and retries."""
        return self._usage

    def __repr__(self) -> str:
        temperature = self._dialect.sampling.fields()["temperature"]
        return f"OpenAIChat({self.model!r}, base_url={self.base_url!r}, temperature={temperature})"

    def complete(
        self,
        conversations: Sequence[Conversation],
        schemas: Sequence[Schema | None],
        seeds: Sequence[int],
        limits: Sequence[int | None] | None = None,
    ) -> list[Completion]:
        """Answer every conversation; see `ChatModel.complete`. All are answered before the first failure is raised."""
        check_lengths(conversations, schemas, seeds)
        return collect_completions(self.completions(conversations, schemas, seeds, limits=limits))

    def completions(
        self,
        conversations: Sequence[Conversation],
        schemas: Sequence[Schema | None],
        seeds: Sequence[int],
        on_reply: Callable[[int, Completion], None] = lambda place, reply: None,
        limits: Sequence[int | None] | None = None,
    ) -> Iterator[tuple[int, Completion | Exception]]:
        """Answers every conversation; each reply, or what went wrong, is given with its place as soon as it is there.

        Args:
            conversations: See `ChatModel.complete`.
            schemas: Likewise.
            seeds: Likewise.
            on_reply: Told of each reply with its place, in the thread that got it and before that one asks again.
            limits: Likewise.
        """
        jobs = list(zip(conversations, schemas, seeds, limits or [None] * len(seeds), strict=True))
        return run_concurrently(self._answer, jobs, self.concurrency, on_reply)

    def _answer(self, conversation: Conversation, schema: Schema | None, seed: int, limit: int | None) -> Completion:
        budget = self._prompt_limit(limit)
        messages, dropped = fit_to_budget(conversation, estimate, budget) if budget else (list(conversation), 0)
        begin, attempt, late = time.perf_counter(), 0, 0
        while True:
            request, unmet = self._dialect.request(messages, schema, seed, limit)
            try:
                reply = self._read(self._send(request, limit), request, schema)
                break
            except _ShortenError:
                shorter, cut = fit_to_budget(messages, estimate, estimate(messages) * 3 // 4)
                if estimate(shorter) >= estimate(messages):
                    raise self._server.error("the conversation is too long and cannot be cut further") from None
                messages, dropped = shorter, dropped + cut
            except _ChangedRequestError:
                continue
            except _FilteredError:
                reply = Completion("", 0, 0, 0.0, finish=FILTER)
                break
            except _RefusedReplyError as said:
                reply = self._add_cost(estimate_completion(str(said), request["messages"], self.price_per_million))
                break
            except ReplyTimeoutError:
                if late >= min(self.max_retries, _MAX_TIMEOUTS):
                    told = f"gave up after {late + 1} attempts: no answer within {self.timeout:g} seconds (timeout)"
                    raise self._server.error(told) from None
                self._wait(late, None, timeouts=1)
                late += 1
            except RetryError as again:
                if attempt >= self.max_retries:
                    raise self._server.error(f"gave up after {attempt + 1} attempts: {again}") from None
                self._wait(attempt, again.wait)
                attempt += 1
        unmet = (*unmet, *reply.unmet)
        self._print_notices([*unmet, *([REASONING] if reply.finish == REASONING else [])])
        seconds, most = time.perf_counter() - begin, limit_of(request)
        return replace(reply, unmet=unmet, truncated_turns=dropped, seconds=seconds, limit=most)

    def _wait(self, attempt: int, asked: float | None, **more: int) -> None:
        self._sleep(backoff(attempt, self._jitter.random(), asked))
        self._count(retries=1, **more)

    def _print_notices(self, what: Sequence[str]) -> None:
        with self._lock:
            new = [one for one in what if one not in self._told]
            self._told.update(new)
        for one in new:
            told = self._server.format_message(_NOTICES.get(one, f"does not take {one}: it is left out"))
            print(f"econzoo: {clean(told)}", file=sys.stderr, flush=True)

    def _send(self, request: dict[str, Any], needed: int | None) -> Any:
        """One request; failures become one of the signals below, or an error that ends the match or the run."""
        if self._bucket:
            self._bucket.wait()
        if self._tokens:
            self._tokens.wait(estimate(request["messages"]))
        try:
            return self._server.send(request, self.timeout)
        except ServerStatusError as answer:
            raise self._classify_error(answer.error, answer.headers, request, needed) from None

    def _classify_error(
        self, error: ServerError, headers: Any, request: dict[str, Any], needed: int | None
    ) -> Exception:
        """What to do about an HTTP error."""
        if error.is_filtered:
            return _FilteredError()
        if error.rejected_reply is not None:
            return _RefusedReplyError(error.rejected_reply)
        if error.is_bad_request:
            if self._dialect.adapt_to_error(error, request, needed):
                return _ChangedRequestError()
            if error.is_too_long:
                return _ShortenError()
        wait = retry_after(headers)
        if error.is_retryable and (wait or 0) <= LONGEST_WAIT:
            return RetryError(f"HTTP {error.status}: {error.text}", wait)
        reasons = {401: "the key was refused", 403: "access was refused", 404: "unknown model or wrong URL"}
        reason = reasons.get(error.status, "the request was refused")
        if error.refuses_system and error.is_bad_request:
            reason = "its chat template refuses the conversation, also where the rules open it (system=merge)"
        return self._server.error(f"{reason} (HTTP {error.status}: {error.text})")

    def _read(self, answer: Any, request: dict[str, Any], schema: Schema | None) -> Completion:
        try:
            reply = parse_completion(answer, self.price_per_million, request["messages"], schema)
        except ProviderFailedError as failed:
            raise RetryError(str(failed)) from None
        except (AttributeError, IndexError, TypeError):
            raise RetryError("the answer is not a chat completion") from None
        return self._add_cost(reply)

    def _add_cost(self, reply: Completion) -> Completion:
        names = ("prompt_tokens", "completion_tokens", "cached_tokens", "cost")
        self._count(replies=1, **{name: getattr(reply, name) for name in names})
        if self._tokens:
            self._tokens.take(reply.completion_tokens)
        return reply

    def _count(self, **more: float) -> None:
        with self._lock:
            old = self._usage
            self._usage = Usage(**{key: value + more.get(key, 0) for key, value in vars(old).items()})


class _ChangedRequestError(Exception):
    """Try again at once, with the request put otherwise."""


class _FilteredError(Exception):
    """The provider's filter lets the question, or the reply to it, not pass: asked as it is, this never changes."""


class _RefusedReplyError(Exception):
    """The reply, which the server does not pass on as one, because it does not obey the schema."""


class _ShortenError(Exception):
    """Try again at once, with a shorter conversation."""


def _check_numbers(*, max_retries: int, concurrency: int, timeout: float, price: Prices) -> None:
    check_all(
        ("max_retries", max_retries, max_retries >= 0, "0 or more"),
        ("concurrency", concurrency, concurrency >= 1, "1 or more"),
        ("timeout", timeout, 0 < timeout < float("inf"), "a positive number of seconds"),
        ("price_per_million", price, are_prices(price), PRICES_ALLOWED),
    )
