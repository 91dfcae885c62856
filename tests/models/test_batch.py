"""Batches: one for all calls, at half the price, with what fails in the next one, and found again after a crash."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

pytest.importorskip("openai")

from batch_server import Batch, BatchServer, completion, refusal

from econzoo.baselines import Budget, BudgetSpentError, Journal, ModelError, open_budget, open_journal
from econzoo.baselines.models import Completion, NativeChat, OpenAIChat
from econzoo.baselines.models import batch as batches
from econzoo.baselines.models.batch import BatchChat
from econzoo.baselines.models.batch_interfaces import Http, MessageBatches

PRICES = (10.0, 20.0)
COST = (100 * 10 + 20 * 20) / 1e6
"""Of a reply of `completion`, without a batch."""

pytestmark = pytest.mark.usefixtures("no_surroundings")


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "FIRST_PAUSE", 0.001)
    monkeypatch.setattr(batches, "LONGEST_PAUSE", 0.001)


def echo(body: dict[str, Any]) -> tuple[int, Any]:
    return 200, completion(f"you said {body['messages'][-1]['content']}")


def chat(server: BatchServer, **options: Any) -> OpenAIChat:
    given = {"provider": "openai", "price_per_million": PRICES, "api_key": "SECRET", "sleep": lambda seconds: None}
    return OpenAIChat("m", server.url, **{**given, **options})


def model(server: BatchServer, **options: Any) -> BatchChat:
    return chat(server, **options).in_batches("m")


def ask(asked: Any, count: int = 3, start: int = 0) -> list[Completion]:
    numbers = range(start, start + count)
    texts = [[{"role": "user", "content": str(number)}] for number in numbers]
    return asked.complete(texts, [None] * count, list(numbers))


def texts(replies: Sequence[Completion]) -> list[str]:
    return [reply.text.removeprefix("you said ") for reply in replies]


def test_all_calls_are_one_batch():
    with BatchServer(echo) as server:
        assert texts(ask(model(server), 50)) == [str(number) for number in range(50)]
        assert server.sizes == [50]
        assert server.single == []


@pytest.mark.parametrize("provider", ["openai", "groq", "mistral", "together"])
def test_replies_are_those_of_single_requests_at_half_the_price(provider):
    with BatchServer(echo) as server:
        single = ask(chat(server, provider=provider))
        batched = ask(model(server, provider=provider))
        assert list(server.batches[0].requests.values()) == sorted(
            server.single, key=lambda body: body["messages"][0]["content"]
        )
    bare = {"seconds": 0.0, "raw": None}
    assert [replace(one, cost=0.0, **bare) for one in batched] == [replace(one, cost=0.0, **bare) for one in single]
    assert [one.cost for one in single] == pytest.approx([COST] * 3)
    assert [one.cost for one in batched] == pytest.approx([COST / 2] * 3)


def test_the_price_of_a_batch_can_be_told():
    with BatchServer(echo) as server:
        assert ask(chat(server).in_batches("m", 0.75))[0].cost == pytest.approx(0.75 * COST)


def test_failed_requests_go_into_the_next_batch():
    def judge(body: dict[str, Any]) -> tuple[int, Any]:
        is_unlucky = body["messages"][0]["content"] == "1" and len(server.batches) == 1
        return (500, {"error": {"message": "oops"}}) if is_unlucky else echo(body)

    with BatchServer(judge) as server:
        assert texts(ask(model(server))) == ["0", "1", "2"]
        assert server.sizes == [3, 1]


def test_a_refused_default_is_omitted_from_the_next_batch_on():
    with BatchServer(
        lambda body: refusal("temperature is not supported") if "temperature" in body else echo(body)
    ) as server:
        asked = model(server)
        assert [reply.unsupported for reply in [*ask(asked), *ask(asked, start=3)]] == [("temperature",)] * 6
        assert server.sizes == [3, 3, 3]


def test_a_request_that_cannot_be_served_fails_alone():
    with BatchServer(lambda body: (403, "no") if body["messages"][0]["content"] == "1" else echo(body)) as server:
        asked = model(server)
        replies = dict(
            asked.completions([[{"role": "user", "content": str(n)}] for n in range(3)], [None] * 3, range(3))
        )
    assert [isinstance(replies[at], Exception) for at in range(3)] == [False, True, False]


@pytest.mark.parametrize("state", ["expired", "cancelled"])
def test_what_was_not_executed_is_submitted_again(state):
    def plan(batch: Batch) -> None:
        if len(server.batches) == 1:
            batch.state, batch.executed = state, 1

    with BatchServer(echo, plan) as server:
        replies = ask(model(server))
        assert texts(replies) == ["0", "1", "2"]
        assert server.sizes == [3, 2]
    assert sum(reply.cost for reply in replies) == pytest.approx(1.5 * COST)


def test_what_is_never_executed_is_given_up():
    def plan(batch: Batch) -> None:
        batch.state, batch.executed = "expired", 0

    with BatchServer(echo, plan) as server, pytest.raises(ModelError, match="not executed in 5 batches"):
        ask(model(server))
    assert server.sizes == [3] * 5


def test_a_batch_that_is_refused_says_why():
    def plan(batch: Batch) -> None:
        batch.state, batch.errors = "failed", {"object": "list", "data": [{"code": "x", "message": "no batches of m"}]}

    with BatchServer(echo, plan) as server, pytest.raises(ModelError, match="no batches of m"):
        ask(model(server))


def test_batches_become_smaller_where_the_queue_is_full():
    def plan(batch: Batch) -> None:
        if len(batch.requests) > 2:
            batch.state, batch.errors = "failed", {"data": [{"code": "token_limit_exceeded", "message": "Enqueued"}]}

    with BatchServer(echo, plan) as server:
        assert texts(ask(model(server), 4)) == ["0", "1", "2", "3"]
        assert server.sizes == [4, 2, 2]


@pytest.mark.parametrize(("limit", "most"), [("max_requests", 2), ("max_bytes", 900)])
def test_batches_stay_below_the_limits_of_the_provider(limit, most):
    with BatchServer(echo) as server:
        asked = model(server)
        setattr(asked.interface, limit, most)
        assert texts(ask(asked, 5)) == ["0", "1", "2", "3", "4"]
        assert server.sizes == [2, 2, 1]


def test_a_batch_whose_submission_was_not_confirmed_is_not_submitted_twice():
    with BatchServer(echo) as server:
        server.trouble = [None, 0]  # the file is taken, and the batch too, but nobody hears of it
        assert texts(ask(model(server))) == ["0", "1", "2"]
        assert server.sizes == [3]


def test_a_provider_that_is_down_while_a_batch_runs_is_waited_for():
    with BatchServer(echo) as server:
        server.trouble = [None, None, *[503] * 20, 429, 0]
        assert texts(ask(model(server))) == ["0", "1", "2"]
        assert server.sizes == [3]


def test_a_wrong_key_is_told_without_the_key():
    with BatchServer(echo) as server:
        server.trouble = [401] * 9
        with pytest.raises(ModelError) as told:
            ask(model(server))
    assert "key" in str(told.value)
    assert "SECRET" not in str(told.value)
    assert server.sizes == []


def test_progress_is_told(capsys, monkeypatch):
    def plan(batch: Batch) -> None:
        batch.looks = 40

    with BatchServer(echo, plan) as server:
        asked = model(server)
        now = iter(range(0, 10**6, 5))
        asked.clock = lambda: float(next(now))
        ask(asked)
    told = capsys.readouterr().err
    assert "batch batch_0 of 3 requests submitted" in told
    assert "0 of 3 requests done after 1 min" in told
    assert told.count("done after") <= 3


# Budgets


def test_a_batch_is_as_large_as_the_budget_allows():
    with BatchServer(echo) as server, open_budget(Budget(max_tokens=100_000)) as budget:
        asked = model(server)
        pay(budget, asked, 400, 0)
        pay(budget, asked, 400, 400)
        with pytest.raises(BudgetSpentError):
            pay(budget, asked, 400, 800)
        # A call of 120 tokens is reserved at 20 and 512 tokens at first, then at 120.
        assert server.sizes[0] < 400
        assert sum(server.sizes) == 834  # 833 calls are 99,960 tokens


def pay(budget: Budget, asked: BatchChat, count: int, start: int) -> list[Completion]:
    """Asks, and charges as the calls of a run are charged."""

    def charge(at: int, reply: Completion) -> None:
        budget.charge_call(reply.cost, reply.prompt_tokens + reply.completion_tokens)

    numbers = range(start, start + count)
    conversations = [[{"role": "user", "content": str(number)}] for number in numbers]
    replies = [reply for _, reply in asked.completions(conversations, [None] * count, list(numbers), charge)]
    for reply in replies:
        if isinstance(reply, Exception):
            raise reply
    return replies


# After a crash


def crash(monkeypatch: pytest.MonkeyPatch, asked: BatchChat, at: Callable[[], Any] = lambda: None) -> None:
    def sleep(seconds: float) -> None:
        at()
        raise KeyboardInterrupt

    monkeypatch.setattr(asked, "sleep", sleep)


def test_a_resumed_run_takes_the_replies_of_its_batch(tmp_path, monkeypatch):
    with BatchServer(echo) as server:
        first = model(server)
        crash(monkeypatch, first)
        with pytest.raises(KeyboardInterrupt), open_journal(tmp_path / "records.jsonl"):
            ask(first)
        with open_journal(tmp_path / "records.jsonl"):
            assert texts(ask(model(server), 4)) == ["0", "1", "2", "3"]
        assert server.sizes == [3, 1]
        assert "SECRET" not in repr(server.files)


def test_a_resumed_run_says_what_was_refused_before(tmp_path, monkeypatch):
    with BatchServer(
        lambda body: refusal("temperature is not supported") if "temperature" in body else echo(body)
    ) as server:
        first = model(server)
        ask(first)
        crash(monkeypatch, first)
        with pytest.raises(KeyboardInterrupt), open_journal(tmp_path / "records.jsonl"):
            ask(first, start=3)
        with open_journal(tmp_path / "records.jsonl"):
            again = ask(model(server), start=3)
        assert server.sizes == [3, 3, 3]
    assert [reply.unsupported for reply in again] == [("temperature",)] * 3


def test_a_resumed_run_asks_again_for_what_failed(tmp_path, monkeypatch):
    def judge(body: dict[str, Any]) -> tuple[int, Any]:
        return (500, "oops") if len(server.batches) == 1 and body["messages"][0]["content"] == "1" else echo(body)

    with BatchServer(judge) as server:
        first = model(server)
        crash(monkeypatch, first)
        with pytest.raises(KeyboardInterrupt), open_journal(tmp_path / "records.jsonl"):
            ask(first)
        with open_journal(tmp_path / "records.jsonl"):
            assert texts(ask(model(server))) == ["0", "1", "2"]
        assert server.sizes == [3, 1]


def test_a_batch_is_found_by_its_file_if_its_id_was_never_known(tmp_path, monkeypatch):
    def add_batch(self: Journal, entry: dict[str, Any]) -> None:
        if "id" in entry:
            raise KeyboardInterrupt
        stored(self, entry)

    stored = Journal.add_batch
    with BatchServer(echo) as server:
        monkeypatch.setattr(Journal, "add_batch", add_batch)
        with pytest.raises(KeyboardInterrupt), open_journal(tmp_path / "records.jsonl"):
            ask(model(server))
        monkeypatch.setattr(Journal, "add_batch", stored)
        with open_journal(tmp_path / "records.jsonl"):
            assert texts(ask(model(server))) == ["0", "1", "2"]
        assert server.sizes == [3]


def test_a_batch_of_other_options_is_not_taken(tmp_path, monkeypatch):
    with BatchServer(echo) as server:
        first = model(server)
        crash(monkeypatch, first)
        with pytest.raises(KeyboardInterrupt), open_journal(tmp_path / "records.jsonl"):
            ask(first)
        with open_journal(tmp_path / "records.jsonl"):
            ask(chat(server).in_batches("m?temperature=0"))
        assert server.sizes == [3, 3]


def test_a_batch_that_is_gone_is_submitted_again(tmp_path, monkeypatch):
    with BatchServer(echo) as server:
        first = model(server)
        crash(monkeypatch, first, server.batches.clear)
        with pytest.raises(KeyboardInterrupt), open_journal(tmp_path / "records.jsonl"):
            ask(first)
        with open_journal(tmp_path / "records.jsonl"):
            assert texts(ask(model(server))) == ["0", "1", "2"]


# The providers' own interfaces


def answer_messages(body: dict[str, Any]) -> tuple[int, Any]:
    text = str(body["messages"][-1]["content"])
    if "bad" in text:
        return 400, {"type": "error", "error": {"type": "invalid_request_error", "message": "bad"}}
    usage = {"input_tokens": 100, "output_tokens": 20}
    content = [{"type": "text", "text": text}]
    return 200, {"id": "msg", "model": "c", "content": content, "stop_reason": "end_turn", "usage": usage}


def answer_responses(body: dict[str, Any]) -> tuple[int, Any]:
    output = [{"type": "message", "content": [{"type": "output_text", "text": str(body["input"][-1])}]}]
    usage = {"input_tokens": 100, "output_tokens": 20}
    return 200, {"id": "r", "model": "m", "status": "completed", "output": output, "usage": usage}


def answer_contents(body: dict[str, Any]) -> tuple[int, Any]:
    text = body["contents"][-1]["parts"][0]["text"]
    if "bad" in text:
        return 400, {"error": {"code": 3, "message": "bad", "status": "INVALID_ARGUMENT"}}
    if "temperature" in body["generationConfig"] and "hot" in text:
        return 400, {"error": {"code": 3, "message": "temperature is not supported", "status": "INVALID_ARGUMENT"}}
    usage = {"promptTokenCount": 100, "candidatesTokenCount": 20}
    candidate = {"content": {"role": "model", "parts": [{"text": text}]}, "finishReason": "STOP"}
    return 200, {"candidates": [candidate], "usageMetadata": usage}


@pytest.mark.parametrize(
    ("interface", "judge", "path"),
    [
        ("anthropic", answer_messages, ""),
        ("openai-responses", answer_responses, "/v1"),
        ("google", answer_contents, "/v1"),
    ],
)
def test_own_interfaces_have_batches_too(interface, judge, path):
    with BatchServer(judge) as server:
        server.is_gemini = interface == "google"
        options = {"price_per_million": PRICES, "api_key": "SECRET"}
        asked = [NativeChat(interface, "m", server.url.removesuffix("/v1") + path, **options) for _ in range(2)]
        single, batched = ask(asked[0]), ask(asked[1].in_batches("m"))
        assert len(server.single) == 3
        assert server.sizes == [3]
        assert len(server.keys) == 1
    assert [reply.text for reply in batched] == [reply.text for reply in single]
    assert [reply.cost for reply in batched] == pytest.approx([COST / 2] * 3)


@pytest.mark.parametrize(
    ("interface", "model", "store"),
    [
        ("bedrock", "claude-m", "Bedrock, .*Amazon S3"),
        ("vertex", "claude-m", "Vertex, .*Google Cloud Storage"),
        ("vertex", "gemini-m", "Vertex, .*Google Cloud Storage"),
    ],
)
def test_interfaces_whose_batches_need_a_store_are_refused(interface, model, store):
    with pytest.raises(ValueError, match=f"anthropic:, google:, openai-responses:, OpenAI.*{store}"):
        NativeChat(interface, model, "http://127.0.0.1:9").in_batches("m")


def gemini_chat(server: BatchServer) -> BatchChat:
    server.is_gemini = True
    options = {"price_per_million": PRICES, "api_key": "SECRET", "sleep": lambda seconds: None}
    return NativeChat("google", "m", server.url, **options).in_batches("m")


def test_gemini_batches_are_found_retried_and_refused():
    def plan(batch: Batch) -> None:
        if len(server.batches) == 1:
            batch.state, batch.executed = "cancelled", 1

    with BatchServer(answer_contents, plan) as server:
        server.trouble = [0]  # nobody hears that the batch exists
        assert texts(ask(gemini_chat(server))) == ["0", "1", "2"]
        assert server.sizes == [3, 2]
        asked = gemini_chat(server)
        hot = asked.complete([[{"role": "user", "content": "hot"}]], [None], [0])
        assert hot[0].unsupported == ("temperature",)
        with pytest.raises(ModelError, match="bad"):
            asked.complete([[{"role": "user", "content": "bad"}]], [None], [0])

    def fail(batch: Batch) -> None:
        batch.state, batch.errors = "failed", {"code": 3, "message": "no batches of m"}

    with BatchServer(answer_contents, fail) as server, pytest.raises(ModelError, match="no batches of m"):
        ask(gemini_chat(server))


def test_responses_of_gemini_without_keys_are_not_attributed():
    """They come in any order."""
    with BatchServer(answer_contents) as server:
        shown = server._show_operation

        def without_keys(batch: Batch) -> dict[str, Any]:
            given = shown(batch)
            for line in given.get("response", {"inlinedResponses": {}})["inlinedResponses"].get("inlinedResponses", ()):
                del line["metadata"]
            return given

        server._show_operation = without_keys
        with pytest.raises(ModelError, match="has no key"):
            ask(gemini_chat(server))
        assert server.sizes == [3]


def test_message_batches_return_replies_errors_and_what_was_not_executed():
    def plan(batch: Batch) -> None:
        batch.state, batch.executed = "expired", 2

    bodies = {name: {"messages": [{"content": text}]} for name, text in (("a", "hello"), ("b", "bad"), ("c", "late"))}
    with BatchServer(answer_messages, plan) as server:
        interface = MessageBatches(Http(server.url.removesuffix("/v1"), {}, lambda text, most: text))
        server.trouble = [0]  # nobody hears that the batch exists
        batch = interface.submit(bodies, lambda mark: None)
        assert interface.look_up(batch)[:3] == (False, 0, 3)
        assert interface.look_up(batch)[:3] == (True, 3, 3)
        replies = dict(interface.results(batch))
        assert server.sizes == [3]
    assert {key: line.status for key, line in replies.items()} == {"a": 200, "b": 400}
