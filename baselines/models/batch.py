"""Models behind a provider's batch interface: half the price, replies within a day, and a run that can be resumed.

Every call runs in a thread of its own, as it would without batches. Where it would send a request, it waits; once all
calls wait, their requests are one batch. So retries and adapted requests are part of the next one. The id of a batch is
in the journal of the run while it is waited for: an interrupted run finds the batches that have its calls, and takes
their replies instead of paying again.
"""

from __future__ import annotations

import hashlib
import json
import sys
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import Any, ClassVar, Protocol

from econzoo.baselines import ModelError, current_budget, current_journal
from econzoo.baselines.models.batch_interfaces import BatchInterface, Line, Mark, Progress, cut
from econzoo.baselines.models.chat import Completion, Conversation, Schema, check_lengths, collect_completions
from econzoo.baselines.models.pacing import backoff, retry_after
from econzoo.baselines.models.server import RetryError, ServerStatusError
from econzoo.baselines.models.server_errors import ServerError
from econzoo.baselines.models.token_counts import Prices, Usage, cost_of
from econzoo.envs.core import format_count
from econzoo.envs.core.contract import clean

HALF = 0.5
"""Default price of a batch, as a fraction of the model's prices."""

MAX_CALLS = 4_000
"""Calls of one batch; each has a thread."""

FIRST_PAUSE, LONGEST_PAUSE, GROWTH = 5.0, 300.0, 1.5
"""Seconds between two looks at a batch: the first ones, the longest ones, and their ratio."""

FIRST_NOTICE, LONGEST_NOTICE = 60.0, 1800.0
"""Seconds between two notices of a wait, which double."""

MAX_SUBMISSIONS = 5
"""Batches in which a request may fail to be executed, such as by expiry, before its call fails."""

_FULL = ("token_limit", "enqueued", "queue limit", "quota_exceeded")
"""Words of a provider whose queue takes no batch of this size at present."""


class Served(Protocol):
    """What a batch needs of a served model: `econzoo.baselines.models.OpenAIChat`."""

    price_per_million: Prices
    max_tokens: int | None
    native_tools: ClassVar[bool]

    @property
    def name(self) -> str: ...
    @property
    def prompt_limit(self) -> int | None: ...
    @property
    def usage(self) -> Usage: ...
    def answer(self, conversation: Conversation, schema: Schema | None, seed: int, limit: int | None) -> Completion: ...


@dataclass(eq=False)
class _Call:
    """A call of the model.

    Attributes:
        place: Index among the calls of the batch.
        key: Hash of the call, and its number among equal ones: the id of its requests.
        replies: Replies from batches of an interrupted run, with the fields of their requests.
        looked: Whether these batches have been looked for.
        refused: Fields of its requests that those had not.
    """

    place: int
    key: str
    replies: deque[tuple[Sequence[str], Line]] = field(default_factory=deque)
    looked: bool = False
    refused: set[str] = field(default_factory=set)


@dataclass(eq=False)
class _Request:
    """A request of a call that waits for its response."""

    call: _Call
    body: dict[str, Any]
    submissions: int = 0
    response: SimpleQueue[Line | Exception] = field(default_factory=SimpleQueue)


@dataclass
class _Batch:
    """A batch that is waited for.

    Attributes:
        fields: Names of the fields of each request, by id.
        is_found: Whether an interrupted run has submitted it.
    """

    id: str
    requests: dict[str, _Request]
    fields: Mapping[str, Sequence[str]]
    is_found: bool
    progress: Progress


class BatchChat:
    """A served model behind its provider's batch interface.

    Args:
        chat: The model; it must send its requests by `send`.
        interface: Batch interface of its provider.
        label: What tells its calls from those of other models and options, now and in a resumed run.
        clock: Clock in seconds; replaced in tests.
        sleep: Sleep function in seconds; replaced in tests.
    """

    takes_limits: ClassVar[bool] = True
    patient: ClassVar[bool] = True

    def __init__(
        self,
        chat: Served,
        interface: BatchInterface,
        label: str,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.chat, self.interface, self._label = chat, interface, label
        self.native_tools = chat.native_tools
        self.concurrency, self.max_tokens = MAX_CALLS, chat.max_tokens
        self.clock, self.sleep = clock, sleep
        self.max_size = interface.max_requests
        self._here = threading.local()

    @property
    def name(self) -> str:
        """Name of the model."""
        return self.chat.name

    @property
    def prompt_limit(self) -> int | None:
        """See `econzoo.baselines.models.OpenAIChat.prompt_limit`."""
        return self.chat.prompt_limit

    @property
    def usage(self) -> Usage:
        """Total tokens, cost and retries."""
        return self.chat.usage

    def complete(
        self,
        conversations: Sequence[Conversation],
        schemas: Sequence[Schema | None],
        seeds: Sequence[int],
        limits: Sequence[int | None] | None = None,
    ) -> list[Completion]:
        """See `ChatModel.complete`."""
        return collect_completions(self.completions(conversations, schemas, seeds, limits=limits))

    def completions(
        self,
        conversations: Sequence[Conversation],
        schemas: Sequence[Schema | None],
        seeds: Sequence[int],
        on_reply: Callable[[int, Completion], None] = lambda place, reply: None,
        limits: Sequence[int | None] | None = None,
    ) -> Iterator[tuple[int, Completion | Exception]]:
        """Complete every conversation in as few batches as possible; yields replies or errors with their index.

        Args:
            conversations: See `ChatModel.complete`.
            schemas: See `ChatModel.complete`.
            seeds: See `ChatModel.complete`.
            on_reply: Called with index and reply as soon as there is one.
            limits: See `ChatModel`.
        """
        check_lengths(conversations, schemas, seeds)
        jobs = list(zip(conversations, schemas, seeds, limits or [None] * len(seeds), strict=True))
        seen: Counter[str] = Counter()
        for start in range(0, len(jobs), MAX_CALLS):
            part = jobs[start : start + MAX_CALLS]
            calls = [_Call(place, self._key(job, seen)) for place, job in enumerate(part)]

            def keep(at: int, reply: Completion, start: int = start) -> None:
                on_reply(start + at, reply)

            replies = _Round(self, calls).run(part, keep)
            yield from ((start + at, reply) for at, reply in replies)

    def _key(self, job: tuple[Any, ...], seen: Counter[str]) -> str:
        conversation, schema, seed, _ = job
        request = json.dumps([self._label, list(conversation), schema, seed], sort_keys=True, default=str)
        digest = hashlib.sha256(request.encode()).hexdigest()[:32]
        seen[digest] += 1
        return f"{digest}-{seen[digest]}"

    def send(self, body: dict[str, Any]) -> Any:
        """Return the body of the response to a request, once its batch is over; in the thread of a call."""
        response: Any = self._here.round.wait_for(self._here.call, body)
        return response

    def answer_in(self, round: _Round, call: _Call, job: tuple[Any, ...]) -> Completion:
        """Answer a call of a round, in its thread."""
        self._here.round, self._here.call = round, call
        return self.chat.answer(*job)

    def tell(self, text: str) -> None:
        print(f"econzoo: {clean(f'{self.name}: {text}')}", file=sys.stderr, flush=True)


class _Round:
    """Calls that are answered together."""

    def __init__(self, model: BatchChat, calls: Sequence[_Call]) -> None:
        self._model, self._calls = model, calls
        self._waiting: dict[_Request, None] = {}  # an ordered set
        self._running = len(calls)
        self._condition = threading.Condition()
        self._done: SimpleQueue[tuple[int, Completion | Exception]] = SimpleQueue()
        self._journal, self._budget = current_journal(), current_budget()
        self._reserved = 0

    # In the threads of calls

    def _answer(self, at: int, job: tuple[Any, ...], on_reply: Callable[[int, Completion], None]) -> None:
        try:
            reply = self._model.answer_in(self, self._calls[at], job)
            on_reply(at, reply)
            self._done.put((at, reply))
        except Exception as error:
            self._done.put((at, error))
        finally:
            self._count_running(-1)

    def wait_for(self, call: _Call, body: dict[str, Any]) -> Any:
        """Return the body of the response to a request.

        Raises:
            RetryError, ServerStatusError: See `econzoo.baselines.models.server.Server.send`.
            BudgetSpentError: The budget is spent.
        """
        if call.replies:
            fields, line = call.replies[0]
            if refused := next((name for name in _fields_of(body) if name not in {*fields, *call.refused}), None):
                # The provider has refused it in the interrupted run, and refuses it once more without being asked.
                call.refused.add(refused)
                raise ServerStatusError(ServerError(400, {"error": {"message": f"{refused} is not supported"}}), {})
            call.replies.popleft()
        else:
            request = _Request(call, body)
            with self._condition:
                self._waiting[request] = None
                self._count_running(-1)
            response = request.response.get()
            if isinstance(response, Exception):
                raise response
            if response is _ASK_AGAIN:
                return self.wait_for(call, body)
            line = response
        if line.status != 200:
            raise ServerStatusError(ServerError(line.status, line.body), {})
        return line.body

    def _count_running(self, more: int) -> None:
        with self._condition:
            self._running += more
            self._condition.notify_all()

    # In the thread that waits

    def run(
        self, jobs: Sequence[tuple[Any, ...]], on_reply: Callable[[int, Completion], None]
    ) -> Iterator[tuple[int, Completion | Exception]]:
        """Answer all calls; yields replies or errors with their index."""
        for at, job in enumerate(jobs):
            threading.Thread(target=self._answer, args=(at, job, on_reply), daemon=True).start()
        left = len(jobs)
        try:
            while left:
                with self._condition:
                    self._condition.wait_for(lambda: not self._running)
                self._release()
                with suppress(Empty):
                    while True:
                        yield self._done.get_nowait()
                        left -= 1
                if self._waiting:
                    self._send_all()
        finally:  # also if the consumer stopped, as after Ctrl-C
            self._release()
            self._respond(list(self._waiting), ModelError("stopped"))

    def _respond(self, requests: Sequence[_Request], response: Line | Exception) -> None:
        for request in requests:
            with self._condition:
                del self._waiting[request]
                self._running += 1
            request.response.put(response)

    def _release(self) -> None:
        if self._budget and self._reserved:
            self._budget.release_calls(self._reserved)
        self._reserved = 0

    def _send_all(self) -> None:
        """Send the requests of all calls, as far as the budget reaches, and respond to them."""
        batches = self._find_batches()
        found = {request for batch in batches for request in batch.requests.values()}
        # In the order of calls, not that of their threads.
        fresh = sorted(self._waiting.keys() - found, key=lambda request: request.call.place)
        for request in [one for one in fresh if one.submissions >= MAX_SUBMISSIONS]:
            fresh.remove(request)
            text = f"{self._model.name}: not executed in {MAX_SUBMISSIONS} batches (expired or cancelled)"
            self._respond([request], ModelError(text))
        if fresh:
            try:
                fresh = fresh[: self._reserve(fresh)]
            except Exception as error:  # the budget is spent: batches under way are paid all the same
                self._respond(fresh, error)
            else:
                batches += self._submit(fresh)
        self._wait(batches)

    def _reserve(self, fresh: Sequence[_Request]) -> int:
        """Return how many requests the budget has room for, and reserve them."""
        if self._budget is None:
            return len(fresh)
        largest = [self._bound(request.body) for request in fresh]
        most = max(cost for cost, _ in largest), max(tokens for _, tokens in largest)
        self._reserved = self._budget.reserve_calls(len(fresh), most)
        return self._reserved

    def _bound(self, body: Mapping[str, Any]) -> tuple[float, int]:
        """Return about the most that a request can cost, in US dollars and tokens."""
        read = len(json.dumps(body)) // 4
        fields = _fields_of(body)
        written = next((limit for name in _LIMITS if (limit := fields.get(name))), 0)
        return cost_of(self._model.chat.price_per_million, read, written), read + written

    def _submit(self, fresh: Sequence[_Request]) -> list[_Batch]:
        """Submit requests, in batches of the size that the provider takes."""
        batches: list[_Batch] = []
        interface, by_key = self._model.interface, {request.call.key: request for request in fresh}
        size = max(self._model.max_size, 1)
        for start in range(0, len(fresh), size):
            bodies = [(request.call.key, request.body) for request in fresh[start : start + size]]
            for part in cut(bodies, interface):
                requests = {key: by_key[key] for key in part}
                fields = {key: sorted(_fields_of(body)) for key, body in part.items()}
                entry, marks = _to_entry(fields), list[Mark]()

                def announce(mark: Mark, entry: dict[str, Any] = entry, marks: list[Mark] = marks) -> None:
                    marks.append(mark)
                    self._store({**entry, "mark": mark})

                try:
                    batch = interface.submit(part, announce)
                except Exception as error:
                    self._respond(list(requests.values()), error)
                    continue
                self._store({**entry, "id": batch, "mark": marks[-1]})
                self._model.tell(f"batch {batch} of {format_count(len(part), 'request')} submitted")
                for request in requests.values():
                    request.submissions += 1
                batches.append(_Batch(batch, requests, fields, False, Progress(False, 0, len(part))))
        return batches

    def _store(self, entry: dict[str, Any]) -> None:
        if self._journal:
            self._journal.add_batch(entry)

    def _find_batches(self) -> list[_Batch]:
        """Return the batches of an interrupted run that have requests of the calls that wait."""
        wanted = {request.call.key: request for request in self._waiting if not request.call.looked}
        batches: list[_Batch] = []
        for entry in self._journal.batches if self._journal and wanted else ():
            fields = _from_entry(entry)
            requests = {key: wanted[key] for key in fields if key in wanted and wanted[key] in self._waiting}
            if not requests:
                continue
            try:
                batch = entry.get("id") or self._patiently(self._model.interface.find, entry["mark"])
            except ServerStatusError as error:
                self._respond(list(requests.values()), error)
                continue
            if batch and batch not in [one.id for one in batches]:
                self._model.tell(f"batch {batch} of an interrupted run found")
                batches.append(_Batch(batch, requests, fields, True, Progress(False, 0, len(fields))))
        for request in wanted.values():
            request.call.looked = True
        return batches

    def _wait(self, batches: Sequence[_Batch]) -> None:
        """Wait for batches, and respond to their requests as each is over."""
        clock, waiting, pause = self._model.clock, list(batches), FIRST_PAUSE
        started = told = clock()
        notice = FIRST_NOTICE
        while waiting:
            for batch in list(waiting):
                try:
                    batch.progress = self._patiently(self._model.interface.look_up, batch.id)
                    if batch.progress.is_over:
                        self._take(batch)
                        waiting.remove(batch)
                except ServerStatusError as error:
                    waiting.remove(batch)
                    self._lose(batch, error)
            if waiting:
                if clock() - told >= notice:
                    told, notice = clock(), min(2 * notice, LONGEST_NOTICE)
                    self._tell_progress(waiting, clock() - started)
                self._model.sleep(pause)
                pause = min(GROWTH * pause, LONGEST_PAUSE)
        self._respond([request for request in self._waiting if request.call.replies], _ASK_AGAIN)

    def _tell_progress(self, waiting: Sequence[_Batch], seconds: float) -> None:
        done = sum(batch.progress.done for batch in waiting)
        total = sum(max(batch.progress.total, len(batch.requests)) for batch in waiting)  # unknown at first
        self._model.tell(
            f"{done:,} of {format_count(total, 'request')} done after {_format_minutes(seconds)}, in "
            f"{', '.join(batch.id for batch in waiting)}; an interrupted run finds them again"
        )

    def _take(self, batch: _Batch) -> None:
        """Respond to the requests of a batch that is over; those that were not executed go into the next one."""
        if batch.progress.refusal is not None:
            self._handle_refusal(batch)
            return
        for key, line in self._patiently(lambda one: dict(self._model.interface.results(one)), batch.id).items():
            request = batch.requests.get(key)
            if request is None:
                continue
            if batch.is_found:
                # Errors may have passed since, and are no replies.
                if line.status == 200:
                    request.call.replies.append((batch.fields[key], line))
            else:
                self._respond([request], line)

    def _handle_refusal(self, batch: _Batch) -> None:
        """Handle a batch that was refused as a whole."""
        if batch.is_found:
            return
        refusal = ServerError(400, {"error": batch.progress.refusal})
        if any(word in refusal.searchable_text for word in _FULL):
            self._model.max_size = max(len(batch.requests) // 2, 1)
            for request in batch.requests.values():
                request.submissions -= 1
            self._model.tell(
                f"batch {batch.id} does not fit into the provider's queue; batches are smaller from now on"
            )
            self._model.sleep(LONGEST_PAUSE if len(batch.requests) == 1 else FIRST_PAUSE)
            return
        self._respond(list(batch.requests.values()), Line(400, refusal.body))

    def _lose(self, batch: _Batch, error: ServerStatusError) -> None:
        """Handle a batch that cannot be read."""
        if error.error.status == 404:
            self._model.tell(f"batch {batch.id} does not exist any more; its requests are sent again")
        else:
            self._respond([one for one in batch.requests.values() if one in self._waiting], error)

    def _patiently(self, ask: Callable[[Any], Any], what: Any) -> Any:
        """Ask a provider about a batch, for as long as it takes: nothing is lost meanwhile."""
        attempt, clock = 0, self._model.clock
        told, notice = clock(), FIRST_NOTICE
        while True:
            try:
                return ask(what)
            except RetryError as failure:
                reason, wait = str(failure), failure.wait
            except ServerStatusError as failure:
                if not failure.error.is_retryable:
                    raise
                reason, wait = f"HTTP {failure.error.status}: {failure.error.text}", retry_after(failure.headers)
            if clock() - told >= notice:
                told, notice = clock(), min(2 * notice, LONGEST_NOTICE)
                self._model.tell(f"the state of a batch cannot be read, still trying: {reason}")
            self._model.sleep(backoff(attempt, 1.0, wait, base=1.0, maximum=LONGEST_PAUSE))
            attempt += 1


_ASK_AGAIN = Line(0, None)
"""Response to a request whose call has got replies of an interrupted run."""


_LIMITS = ("max_tokens", "max_completion_tokens", "max_output_tokens", "maxOutputTokens")


def _fields_of(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a request; Gemini has most in `generationConfig`."""
    return {**body, **body.get("generationConfig", {})}


def _format_minutes(seconds: float) -> str:
    return f"{seconds / 3600:.1f} h" if seconds >= 3600 else f"{seconds / 60:.0f} min"


def _to_entry(fields: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Return ids of requests and the names of their fields for the journal; most have the same fields."""
    kinds = [list(kind) for kind in dict.fromkeys(tuple(names) for names in fields.values())]
    return {"requests": {key: kinds.index(list(names)) for key, names in fields.items()}, "fields": kinds}


def _from_entry(entry: Mapping[str, Any]) -> dict[str, Sequence[str]]:
    return {key: entry["fields"][kind] for key, kind in entry["requests"].items()}
