"""The served backend against a real HTTP server on this machine."""

from __future__ import annotations

import logging
import socket
import threading

import pytest

pytest.importorskip("openai")

from local_server import Answer, LocalServer, error, reply
from move_schema import MOVE

from econzoo.baselines import ModelError
from econzoo.baselines.models import OpenAIChat, Usage
from econzoo.baselines.models.strict_schema import make_strict
from refusals import refuses, says

pytestmark = pytest.mark.usefixtures("no_surroundings")

KEY = "sk-very-secret-1234567890"
TALK = [{"role": "system", "content": "rules"}, {"role": "user", "content": "your move"}]


def client(server, **options):
    """A client whose waits are noted instead of waited for."""
    waits: list[float] = []
    chat = OpenAIChat("m", server.url, **{"api_key": KEY, "sleep": waits.append, **options})
    return chat, waits


def ask(chat, schema=None, seed=7, talk=TALK):
    return chat.complete([talk], [schema], [seed])[0]


def test_a_reply_with_its_tokens_cost_and_seed():
    with LocalServer(reply("I offer half.", 100, 20)) as server:
        chat, waits = client(server, temperature=0.3, max_tokens=99, price_per_million=(1.0, 4.0))
        got = ask(chat)
        assert (got.text, got.prompt_tokens, got.completion_tokens) == ("I offer half.", 100, 20)
        assert got.cost == pytest.approx(180e-6)
        assert got.seconds > 0
        ask(chat)
    assert chat.usage == Usage(2, 0, 200, 40, pytest.approx(360e-6))
    assert server.requests[0] == {"model": "m", "messages": TALK, "temperature": 0.3, "seed": 7, "max_tokens": 99}
    assert server.keys[0] == f"Bearer {KEY}"
    assert waits == []


def test_a_schema_becomes_a_response_format():
    with LocalServer(reply('{"kind":"accept"}')) as server:
        assert ask(client(server)[0], MOVE).text == '{"kind":"accept"}'
    wanted = {"name": "move", "schema": make_strict(MOVE), "strict": True}
    assert server.requests[0]["response_format"] == {"type": "json_schema", "json_schema": wanted}


@pytest.mark.parametrize("status", [400, 422])
def test_a_server_without_response_formats_is_asked_for_free_text_from_then_on(status):
    def judge(request):
        refused = "response_format" in request
        return error(status, "'response_format.type' is not supported") if refused else reply("ok")

    with LocalServer(judge=judge) as server:
        chat, waits = client(server)
        assert [ask(chat, MOVE).text, ask(chat, MOVE).text] == ["ok", "ok"]
    assert ["response_format" in r for r in server.requests] == [True, False, False]
    assert waits == []


def test_a_model_with_its_own_ideas_about_parameters_is_humoured():
    def judge(request):
        if "max_tokens" in request:
            return error(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.")
        if "temperature" in request:
            return error(400, "Unsupported value: 'temperature' does not support 0.7 with this model.")
        return reply("ok")

    with LocalServer(judge=judge) as server:
        assert ask(client(server, max_tokens=5)[0]).text == "ok"
    assert server.requests[-1]["max_completion_tokens"] == 5


def test_a_busy_server_is_asked_again_after_the_time_it_names():
    with LocalServer(error(429, "slow down", Retry_After="7"), reply("at last")) as server:
        chat, waits = client(server)
        assert ask(chat).text == "at last"
    assert waits == [7.0]
    assert chat.usage.retries == 1


def test_a_failing_server_is_given_up_after_growing_pauses():
    with LocalServer(error(500, "broken")) as server:
        chat, waits = client(server, max_retries=4)
        with refuses(ModelError, server.url, 5, "HTTP 500", "broken"):
            ask(chat)
    assert len(server.requests) == 5
    assert [0.25 * 2**k <= wait <= 0.5 * 2**k for k, wait in enumerate(waits)] == [True] * 4


def test_a_server_that_wants_hours_is_waited_for_and_that_is_told(capsys):
    with LocalServer(error(429, "come back later", Retry_After="7200"), reply("at last")) as server:
        chat, waits = client(server, max_retries=0)
        assert ask(chat).text == "at last"
    assert (sum(waits), max(waits)) == (7200.0, 60.0)
    (line,) = capsys.readouterr().err.splitlines()
    says(line, "waiting for 2.0 h more, as it asks", "come back later")


def test_an_empty_account_is_not_asked_again():
    with LocalServer(Answer(429, {"error": {"message": "no credit", "code": "insufficient_quota"}})) as server:
        with pytest.raises(ModelError, match="no credit"):
            ask(client(server)[0])
        assert len(server.requests) == 1


@pytest.mark.parametrize(
    "broken",
    [
        Answer(body=b"{not json"),
        Answer(body=b"[" * 200_000),
        Answer(body=b""),
        Answer(body=b"<html>proxy</html>", headers={"Content-Type": "text/html"}),
        Answer(body={"choices": []}),
        Answer(body={"hello": 1}),
        Answer(body=[1, 2]),
        Answer(body=None),
    ],
)
def test_an_answer_that_is_none_is_asked_for_again(broken):
    with LocalServer(broken, reply("better")) as server:
        assert ask(client(server)[0]).text == "better"
    with LocalServer(broken) as server, refuses(ModelError, 2):
        ask(client(server, max_retries=1)[0])


def test_an_empty_reply_and_missing_counts_are_no_error():
    silent = reply(None)
    silent.body.pop("usage")
    with LocalServer(silent) as server:
        got = ask(client(server)[0])
    assert (got.text, got.prompt_tokens, got.completion_tokens, got.unsupported) == ("", 13, 0, ("usage",))


@pytest.mark.parametrize("status", [401, 403, 404])
def test_errors_that_no_retry_mends_come_at_once_and_without_the_key(status, caplog):
    caplog.set_level(logging.DEBUG)
    with LocalServer(error(status, f"Incorrect API key provided: {KEY}.")) as server:
        chat, waits = client(server)
        with refuses(ModelError, status) as caught:
            ask(chat)
    assert (len(server.requests), waits) == (1, [])
    assert server.url in str(caught.value)
    for shown in (str(caught.value), repr(caught.value), repr(chat), str(chat), chat.name, caplog.text):
        assert KEY not in shown


def test_a_slow_server_times_out():
    slow = reply("too late")
    slow.delay = 1.0
    with LocalServer(slow) as server:
        chat, waits = client(server, timeout=0.1, max_retries=1)
        with refuses(ModelError, 2, 0.1):
            ask(chat)
    assert len(waits) == 1


def test_nobody_at_the_address():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    chat = OpenAIChat("m", url, max_retries=1, sleep=lambda _: None)
    with refuses(ModelError, url):
        ask(chat)


def test_replies_come_in_order_and_a_few_at_a_time():
    def judge(request):
        got = reply(request["messages"][-1]["content"])
        got.delay = 0.05
        return got

    talks = [[{"role": "user", "content": str(i)}] for i in range(12)]
    with LocalServer(judge=judge) as server:
        chat, _ = client(server, concurrency=3)
        assert [c.text for c in chat.complete(talks, [None] * 12, range(12))] == [str(i) for i in range(12)]
        assert 2 <= server.most_busy <= 3
    assert sorted(r["seed"] for r in server.requests) == list(range(12))
    assert chat.usage.replies == 12


def test_the_rate_limit_spreads_requests_by_its_own_clock():
    now, lock = [0.0], threading.Lock()

    def sleep(seconds):
        with lock:
            now[0] += seconds

    with LocalServer(reply("ok")) as server:
        chat, _ = client(server, requests_per_minute=30, concurrency=1, clock=lambda: now[0], sleep=sleep)
        chat.complete([TALK] * 5, [None] * 5, range(5))
    assert now[0] == pytest.approx(8.0)


def test_a_conversation_that_the_server_finds_too_long_is_cut_from_the_oldest_turn():
    def judge(request):
        size = sum(len(m["content"]) for m in request["messages"])
        return error(400, "This model's maximum context length is 500 tokens.") if size > 2000 else reply("ok")

    turns = [{"role": ("user", "assistant")[i % 2], "content": f"{i} " + "x" * 200} for i in range(31)]
    with LocalServer(judge=judge) as server:
        got = ask(client(server)[0], talk=[TALK[0], *turns])
    sent = server.requests[-1]["messages"]
    assert got.text == "ok"
    assert got.dropped_turns == 32 - len(sent) > 0
    assert sent[0] == TALK[0]
    assert sent[1:] == turns[-len(sent) + 1 :]
    assert sent[1]["role"] == "user"


def test_a_known_context_is_respected_before_anything_is_sent():
    turns = [{"role": ("user", "assistant")[i % 2], "content": "x" * 400} for i in range(21)]
    with LocalServer(reply("ok")) as server:
        got = ask(client(server, context=1000, max_tokens=100)[0], talk=turns)
    assert got.dropped_turns == 21 - len(server.requests[0]["messages"]) > 0


def test_a_server_that_finds_everything_too_long_is_given_up():
    with LocalServer(error(400, "context_length_exceeded")) as server, refuses(ModelError, server.url):
        ask(client(server)[0])


def test_the_key_and_url_come_from_the_environment(monkeypatch):
    with LocalServer(reply("ok")) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        ask(OpenAIChat("m"))
        monkeypatch.setenv("OPENAI_API_KEY", "from-outside")
        ask(OpenAIChat("m"))
    assert server.keys == ["Bearer none", "Bearer from-outside"]


def test_a_wrong_url_is_named():
    for url in ["localhost:8000", "ftp://x/v1", "http://", "nonsense"]:
        with refuses(ValueError, "base_url", url):
            OpenAIChat("m", url)


def test_a_key_in_the_url_is_refused_without_showing_it():
    with refuses(ValueError, "api_key") as caught:
        OpenAIChat("m", f"http://user:{KEY}@host/v1")
    assert KEY not in str(caught.value)


def test_wrong_arguments_are_named():
    for wrong in [
        {"temperature": float("nan")},
        {"max_tokens": 0},
        {"max_retries": -1},
        {"concurrency": 0},
        {"timeout": 0},
        {"price_per_million": (1, -1)},
        {"requests_per_minute": 0},
    ]:
        with pytest.raises(ValueError, match=next(iter(wrong))):
            OpenAIChat("m", "http://localhost/v1", **wrong)
