"""What servers do besides replying: they fail, drip, put things elsewhere, and want the rules elsewhere."""

from __future__ import annotations

import socket
import threading
import time
from pathlib import Path

import pytest

pytest.importorskip("openai")

from asking import BID, TALK, ask, command, guess, message
from local_server import Answer, LocalServer, error, reply

from econzoo.__main__ import main
from econzoo.baselines import ModelError, RefusedError
from econzoo.baselines.models import OpenAIChat
from econzoo.envs.core.record import read_record_file
from refusals import refuses

pytestmark = pytest.mark.usefixtures("alone")

LONG = 15.0
"""Seconds that a run may take besides its calls on a busy machine."""


@pytest.mark.parametrize(
    ("content", "more", "text", "reasoning"),
    [
        ([{"type": "text", "text": '{"number":'}, {"type": "text", "text": " 30}"}], {}, BID, ""),
        (
            [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}, {"type": "text", "text": BID}],
            {},
            BID,
            "hm",
        ),
        ([{"type": "thinking", "thinking": "hm"}, {"type": "output_text", "text": BID}], {}, BID, "hm"),
        ([BID], {}, BID, ""),
        (BID, {"reasoning_content": "hm"}, BID, "hm"),
        (BID, {"reasoning": "hm"}, BID, "hm"),
        (BID, {"reasoning": {"content": "hm"}}, BID, "hm"),
        (BID, {"reasoning_details": [{"type": "reasoning.summary", "summary": "hm"}]}, BID, "hm"),
        (BID, {"thinking_blocks": [{"type": "thinking", "thinking": "hm"}]}, BID, "hm"),
    ],
)
def test_text_and_thoughts_are_found_wherever_a_server_puts_them(content, more, text, reasoning):
    with LocalServer(message(content, **more)) as server:
        _, (turn,) = guess(server)
    assert (turn.reply, turn.reasoning, turn.error) == (text, reasoning, None)


def test_what_is_shown_of_a_page_is_short_and_says_what_to_do():
    judge = lambda r: error(400, "temperature " + "x" * 9000) if "temperature" in r else reply(BID)  # noqa: E731
    with LocalServer(judge=judge) as server, refuses(RefusedError, "temperature", "on_refused=drop") as refused:
        guess(server, "temperature=0.2")
    assert len(str(refused.value)) < 500


def test_a_reply_that_comes_as_an_error_is_the_models_and_is_read():
    def judge(request):
        said = {"message": "Failed to generate JSON.", "code": "json_validate_failed", "failed_generation": "I bid 3"}
        return Answer(400, {"error": said}) if len(request["messages"]) == 2 else reply(BID)

    with LocalServer(judge=judge) as server:
        _, (first, second) = guess(server)
    assert (first.reply, first.error[0], first.unsupported) == ("I bid 3", "no_json", ["usage"])
    assert (second.unsupported, "response_format" in server.requests[-1]) == ([], True)


def test_a_refusal_among_the_parts_is_one():
    with LocalServer(message([{"type": "refusal", "refusal": "I will not play."}])) as server:
        assert guess(server)[1][0].error[0] == "refusal"


@pytest.mark.parametrize("content", [None, "", "  "])
@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_an_answer_that_stands_in_the_reasoning_alone_is_an_outcome_of_its_own(content, field, capsys):
    with LocalServer(message(content, **{field: f"I think: {BID}"}), reply(BID)) as server:
        record, (first, second) = guess(server)
    assert (first.error[0], first.finish, first.reasoning) == ("in_reasoning", "reasoning", f"I think: {BID}")
    assert (second.error, record.status) == (None, "finished")
    assert "all of it is reasoning" in server.requests[1]["messages"][-1]["content"]
    assert "reasoning parser" in capsys.readouterr().err


FAILURES = [
    message("", "error"),
    message(None, "ERROR"),
    message("half an ans", "network_error"),
    message("", "insufficient_system_resource"),
    Answer(body={**reply("").body, "usage": {"prompt_tokens": 9, "completion_tokens": 0, "total_tokens": 9}}),
    Answer(body={"error": {"message": "Provider returned error", "code": 502}}),
    Answer(body={"choices": [{"index": 0, "message": {"content": ""}, "error": {"message": "died", "code": 502}}]}),
]


@pytest.mark.parametrize("answer", FAILURES)
def test_a_failure_of_the_provider_is_asked_again_and_never_a_forfeit(answer):
    with LocalServer(answer, reply(BID)) as server:
        done, chat = ask(server)
        assert (done.text, chat.usage.retries) == (BID, 1)
    with LocalServer(answer) as server:
        with refuses(ModelError, "gave up after 2 attempts"):
            ask(server, max_retries=1)
        spec = f"openai:m@{server.url}?max_retries=0"
        run = "tournament", "guess_average", spec, "--opponents", "fixed(50, 0)", "--seeds", 1, "--out", "t"
        command(*run, "-p", "players=2", "-p", "rounds=1")
    for record in read_record_file(Path("t/records.jsonl.failed")):
        assert (record.status, record.errors, record.forfeit) == ("failed", [0, 0], None)
    assert not Path("t/records.jsonl").read_text()


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (400, "Conversation roles must alternate user/assistant/user/assistant/..."),
        (500, "Value is not callable: null at row 1: System role not supported"),
        (500, "jinja2.exceptions.TemplateError: Conversation roles must alternate user/assistant/user/assistant/..."),
        (400, "System role not supported"),
        (400, "Only user and assistant roles are supported! system is an invalid role"),
    ],
)
def test_a_template_without_a_system_role_is_asked_with_the_rules_in_the_question(status, said, capsys):
    judge = lambda r: error(status, said) if r["messages"][0]["role"] == "system" else reply(BID)  # noqa: E731
    with LocalServer(judge=judge) as server:
        _, (turn,) = guess(server)
        assert len(server.requests) == 2
        assert turn.unsupported == ["system"]
        (line,) = capsys.readouterr().err.splitlines()
        assert "system=merge" in line
        assert guess(server, "system=merge")[1][0].unsupported == []
        with refuses(RefusedError, "system=separate is refused", "system=merge"):
            guess(server, "system=separate")


def test_a_template_that_fails_all_the_same_is_given_up_at_once():
    with LocalServer(error(500, "jinja2.exceptions.TemplateError: no")) as server:
        with refuses(ModelError, "chat template", "system=merge"):
            ask(server)
        assert len(server.requests) == 2


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (400, "prompt is too long: 209000 tokens > 200000 maximum"),
        (400, "The input token count (1048577) exceeds the maximum number of tokens allowed (1048576)."),
        (413, "Request too large for model `x` on tokens per minute (TPM): Limit 6000, Requested 7000"),
        (429, "Request too large for m on tokens per min (TPM): Limit 30000, Requested 40000."),
        (400, "[input_too_large] Current message (1149677 tokens) exceeds budget (975424 tokens)"),
        (500, "the request exceeds the available context size, try increasing it"),
    ],
)
def test_a_prompt_that_is_too_long_is_cut_in_each_providers_words(status, said):
    turns = [{"role": ("user", "assistant")[i % 2], "content": "x" * 300} for i in range(21)]
    judge = lambda r: error(status, said) if len(r["messages"]) > 9 else reply("ok")  # noqa: E731
    with LocalServer(judge=judge) as server:
        done, _ = ask(server, [TALK[0], *turns])
    assert (done.text, len(server.requests[-1]["messages"])) == ("ok", 22 - done.dropped_turns)


class Drip:
    """A server that sends a byte of an answer now and then, of its head or of its body, and never ends."""

    def __init__(self, head: bytes) -> None:
        self.socket, self.head, self.ended, self.calls = socket.create_server(("127.0.0.1", 0)), head, False, 0
        self.url = f"http://127.0.0.1:{self.socket.getsockname()[1]}/v1"
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while not self.ended:
            connection, _ = self.socket.accept()
            self.calls += 1
            threading.Thread(target=self._drip, args=(connection,), daemon=True).start()

    def _drip(self, connection: socket.socket) -> None:
        waits = threading.Event()
        connection.recv(65536)
        connection.sendall(self.head)
        try:
            while not self.ended:
                connection.sendall(b" ")
                waits.wait(0.02)
        except OSError:
            pass
        connection.close()


@pytest.mark.parametrize(
    "head",
    [
        b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99999\r\n\r\n",
        pytest.param(b"HTTP/1.1 200 OK\r\nX: ", marks=pytest.mark.slow),
    ],
)
def test_a_server_that_drips_is_not_waited_for_for_ever(head):
    server = Drip(head)
    chat = OpenAIChat("m", server.url, timeout=0.3, sleep=lambda _: None)
    with refuses(ModelError, "no reply within 0.3 seconds", "2 attempts"):
        chat.complete([TALK], [None], [1])
    server.ended = True
    assert (server.calls, chat.usage.timeouts) == (2, 1)


@pytest.mark.slow
@pytest.mark.parametrize("prices", ["", "&price_per_million=1000,2000"])
@pytest.mark.parametrize("kind", ["openai", "anthropic"])
def test_a_run_with_a_server_that_drips_ends_at_the_time_of_a_call(tmp_path, capsys, kind, prices):
    """With a price one match is played at a time: five of them that fail would last five times as long."""
    server, began = Drip(b"HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\n"), time.monotonic()
    spec = f"{kind}:m@{server.url}?timeout=1&max_retries=0{prices}"
    words = ["run", "bargaining", spec, "fair", "--seeds", "20", "--out", str(tmp_path / "run"), "--yes"]
    with pytest.raises(SystemExit) as ended:
        main([*words, *(["--max-cost", "1"] if prices else [])])
    server.ended = True
    assert (ended.value.code, server.calls <= 8) == (3, True)
    assert time.monotonic() - began < 1 + LONG
    assert "no reply within 1 seconds" in capsys.readouterr().err
    assert not list(tmp_path.rglob("*.failed")), "no match has failed"


def test_the_time_for_an_answer_fits_the_effort():
    times = [
        OpenAIChat("m", "http://127.0.0.1:1/v1", **given).timeout
        for given in (
            {"reasoning_effort": "none"},
            {},
            {"reasoning_effort": "xhigh"},
            {"reasoning_tokens": 40_000},
            {"reasoning_effort": "xhigh", "timeout": 7.0},
        )
    ]
    assert times == [120.0, 120 + 4096 / 40, 120 + 32768 / 40, 120 + 1000, 7.0]
