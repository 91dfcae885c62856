"""Models by llama.cpp: requests, limits and errors with an engine that is none, and the real SmolLM2."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from move_schema import ACCEPT, MOVE, legal_move

import econzoo
from econzoo.baselines import Budget, ModelError, RefusedError, open_budget, player
from econzoo.baselines.descriptions import description
from econzoo.baselines.models import LlamaCppChat, llama_cpp_chat
from econzoo.baselines.models.gbnf import close_text
from econzoo.baselines.models.llama_cpp_chat import Engine
from econzoo.baselines.random_and_mock import RandomPlayer
from econzoo.envs.core import game, games
from econzoo.evaluate.run import replay
from refusals import refuses

QUESTION = [{"role": "user", "content": "Your move."}]
LONG = [
    {"role": "system", "content": "Rules."},
    *[{"role": role, "content": "word " * 100} for _ in range(5) for role in ("user", "assistant")],
    {"role": "user", "content": "Your move."},
]


class FakeServer:
    """Answers as llama.cpp does, and reads four tokens for each word."""

    def __init__(self, window: int = 8192, finish: str = "stop") -> None:
        self.window, self.finish, self.requests = window, finish, list[Any]()
        self.text = '{"kind": "accept"}'

    def handle_chat_completions(self, request: Mapping[str, Any]) -> dict[str, Any]:
        self.requests.append(request)
        read = sum(4 * len(message["content"].split()) for message in request["messages"])
        if read >= self.window:
            return {"error": {"code": 400, "type": "exceed_context_size_error", "message": "", "n_prompt_tokens": read}}
        tops = [{"token": "accept", "logprob": -3.0}, {"token": "offer", "logprob": -2.0}]
        spelled = [{"token": '{"kind": "'}, {"token": "accept", "logprob": -3.0, "top_logprobs": tops}, {"token": '"}'}]
        return {
            "choices": [
                {"finish_reason": self.finish, "message": {"role": "assistant", "content": self.text}}
                | ({"logprobs": {"content": spelled}} if "logprobs" in request else {})
            ],
            "usage": {"prompt_tokens": read, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 2}},
        }


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> FakeServer:
    fake = FakeServer()
    monkeypatch.setattr(llama_cpp_chat, "open_engine", lambda *_: Engine(fake, {"model": "m.gguf"}))
    return fake


def test_a_request_has_the_seed_the_temperature_and_the_grammar(server: FakeServer) -> None:
    reply = LlamaCppChat("m.gguf", temperature=0.3).answer(QUESTION, MOVE, 7, 64)
    (request,) = server.requests
    assert (request["seed"], request["temperature"], request["samplers"]) == (7, 0.3, ["temperature"])
    assert request["grammar"].startswith("root ::=")
    assert (reply.prompt_tokens, reply.completion_tokens, reply.cached_tokens, reply.finish) == (8, 5, 2, "")
    assert reply.served == {"model": "m.gguf", "finish": "stop"}


def test_the_largest_seed_is_no_random_one(server: FakeServer) -> None:
    LlamaCppChat("m.gguf").answer(QUESTION, None, 2**32 - 1, 64)
    assert server.requests[0]["seed"] == 0


def test_free_replies_have_no_grammar(server: FakeServer) -> None:
    LlamaCppChat("m.gguf", constrained=False).answer(QUESTION, MOVE, 7, 64)
    assert not {"grammar", "response_format"} & server.requests[0].keys()


UNKNOWN = {"type": "string", "pattern": "^a$"}


@pytest.mark.parametrize("schema", [MOVE, UNKNOWN])
def test_a_grammar_that_is_refused_is_told_once_and_recorded(
    server: FakeServer, schema: Mapping[str, Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(request: Mapping[str, Any], answer: Any = server.handle_chat_completions) -> Any:
        error = {"error": {"code": 400, "message": "Failed to initialize samplers: failed to parse grammar"}}
        return error if "grammar" in request else answer(request)

    monkeypatch.setattr(server, "handle_chat_completions", refuse)
    chat = LlamaCppChat("m.gguf")
    for reply in (chat.answer(QUESTION, schema, seed, 64) for seed in (7, 8)):
        assert (reply.text, reply.unsupported) == ('{"kind": "accept"}', ("constrained",))
    assert capsys.readouterr().err.count("refuses the grammar") == 1
    with refuses(RefusedError, "grammar", "constrained=no"):
        LlamaCppChat("m.gguf", constrained=True).answer(QUESTION, schema, 7, 64)


@pytest.mark.parametrize(
    ("text", "closed"),
    [
        ('{"kind": "offer", "gain": 5, "message": "I am', '{"kind": "offer", "gain": 5, "message": "I am"}'),
        (
            '{"kind": "offer", "gain": 5, "message": "a \\"b\\\\',
            '{"kind": "offer", "gain": 5, "message": "a \\"b\\\\"}',
        ),
        ('{"kind": "offer", "gain": 5, "message": "a\\', '{"kind": "offer", "gain": 5, "message": "a"}'),
        ('{"kind": "offer", "gain": 5', None),  # the next digit would be another offer
        ('{"kind": "off', None),
        ('{"kind": "accept', '{"kind": "accept"}'),
        ('{"kind": "offer", "gain": 5, "mess', None),
        ("I am", None),
    ],
)
def test_a_reply_that_is_cut_within_its_last_text_is_closed(text: str, closed: str | None) -> None:
    assert close_text(text, MOVE) == closed


def test_a_reply_that_is_closed_is_a_whole_one(server: FakeServer) -> None:
    server.finish, server.text = "length", '{"kind": "offer", "gain": 5, "message": "I am'
    reply = LlamaCppChat("m", max_new_tokens=9).answer(QUESTION, MOVE, 7, 9)
    assert (reply.text, reply.finish, reply.closed_by_grammar) == (server.text + '"}', "", True)
    free = LlamaCppChat("m", constrained=False).answer(QUESTION, MOVE, 7, 9)
    assert (free.text, free.finish, free.closed_by_grammar) == (server.text, "length", False)


def test_the_schema_ends_a_reply_and_not_the_limit(server: FakeServer) -> None:
    for chat, schema in (
        (LlamaCppChat("m"), MOVE),
        (LlamaCppChat("m"), ACCEPT),
        (LlamaCppChat("m", max_new_tokens=9), MOVE),
    ):
        chat.answer(QUESTION, schema, 7, chat.max_tokens or 64)
    assert [request["max_tokens"] for request in server.requests] == [364, 64, 9]


def test_a_cut_reply_is_one(server: FakeServer) -> None:
    server.finish = "length"
    assert LlamaCppChat("m").answer(QUESTION, None, 7, 64).finish == "length"


@pytest.mark.parametrize("context", [1000, 3000])
def test_a_long_conversation_is_cut_until_a_reply_has_room(server: FakeServer, context: int) -> None:
    server.window, server.finish = context, "length"
    reply = LlamaCppChat("m", context=context).answer(LONG, None, 7, 64)
    assert reply.prompt_tokens <= context - 64
    assert reply.dropped_turns > 0
    assert server.requests[-1]["messages"][0] == LONG[0]
    assert server.requests[-1]["messages"][-1] == LONG[-1]
    assert len(server.requests) <= 4


def test_a_conversation_that_fits_is_not_cut(server: FakeServer) -> None:
    assert LlamaCppChat("m").answer(LONG, None, 7, 64).dropped_turns == 0
    assert len(server.requests) == 1


def test_an_empty_reply_goes_back_as_a_placeholder(server: FakeServer) -> None:
    silent = [*QUESTION, {"role": "assistant", "content": ""}, *QUESTION]
    reply = LlamaCppChat("m").answer(silent, None, 7, 64)
    assert server.requests[0]["messages"][1]["content"] == "(no answer)"
    assert reply.unsupported == ("replies",)


def test_an_error_of_the_engine_is_one_line(monkeypatch: pytest.MonkeyPatch, server: FakeServer) -> None:
    monkeypatch.setattr(server, "handle_chat_completions", lambda _: {"error": {"message": "no\nsuch template"}})
    with refuses(ModelError, "gguf:m", "llama.cpp", "template") as told:
        LlamaCppChat("m").answer(QUESTION, None, 7, 64)
    assert "\n" not in str(told.value)


def test_probabilities_of_kinds_are_those_at_the_temperature(server: FakeServer) -> None:
    chat = LlamaCppChat("m.gguf", temperature=0.5)
    with open_budget(Budget(logprobs=True)):
        told, single = chat.answer(QUESTION, MOVE, 7, 64), chat.answer(QUESTION, ACCEPT, 7, 64)
        free = LlamaCppChat("m.gguf", temperature=0.5, constrained=False).answer(QUESTION, MOVE, 7, 64)
    assert free.probabilities == told.probabilities
    assert "grammar" not in server.requests.pop()
    assert told.probabilities is not None
    assert told.probabilities["kinds"] == pytest.approx({"offer": 0.880797, "accept": 0.119203})
    assert told.probabilities["raw"] == pytest.approx({"offer": 0.135335, "accept": 0.049787})
    assert "logprobs" in server.requests[0]
    assert not single.probabilities
    assert not chat.answer(QUESTION, MOVE, 7, 64).probabilities
    assert not any("logprobs" in request for request in server.requests[1:])


# -- specs -------------------------------------------------------------------------------------------------------


def test_options_are_those_of_hf() -> None:
    options = "temperature=0&max_new_tokens=9&context=2048&threads=1&batch_size=2&cache=0&system=merge&thinking=no"
    chat = player(f"gguf:m.gguf?{options}").model  # type: ignore[attr-defined]
    assert (chat.temperature, chat.max_tokens, chat.context, chat.threads, chat.concurrency) == (0, 9, 2048, 1, 2)
    assert chat.template == {"enable_thinking": False, "thinking": False}


@pytest.mark.parametrize("option", ["temperature=-1", "threads=0", "context=0", "batch_size=0", "cache=-1", "system=x"])
def test_bad_options_are_refused(option: str) -> None:
    with refuses(ValueError, option.partition("=")[0]):
        player(f"gguf:m.gguf?{option}")


def test_threads_and_conversations_at_once_are_no_part_of_the_player() -> None:
    from econzoo.envs.core.record import identity

    assert identity("gguf:m.gguf?threads=2&batch_size=8&temperature=0") == "gguf:m.gguf?temperature=0"


def test_reports_say_what_the_player_is() -> None:
    assert description("gguf:m.gguf?threads=2", "bargaining") == "the language model m.gguf, by llama.cpp"


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    with refuses(ImportError, "xllamacpp", "econzoo[gguf]"):
        LlamaCppChat("smollm2").answer(QUESTION, None, 7, 64)


def test_a_file_that_is_none_of_a_model_is_named_in_one_line(tmp_path: Path) -> None:
    pytest.importorskip("xllamacpp")
    (tmp_path / "text.gguf").write_bytes(b"words")
    (tmp_path / "damaged.gguf").write_bytes(b"GGUF" + bytes(100))
    for name, said in (
        ("none.gguf", "does not exist"),
        (".", "folder"),
        ("text.gguf", "hf:PATH"),
        ("damaged.gguf", "damaged"),
    ):
        with refuses(RefusedError, said) as told:  # ends the run, and no match counts as failed
            LlamaCppChat(str(tmp_path / name)).answer(QUESTION, None, 7, 64)
        assert "\n" not in str(told.value)


# -- SmolLM2 -----------------------------------------------------------------------------------------------------


class Listener(RandomPlayer):
    """Plays at random, and keeps the schemas of its moves."""

    wants_schema = True
    found: dict[str, Any]

    def act(self, observation: Any, info: dict[str, Any]) -> dict[str, Any]:
        self.found[json.dumps(info["json_schema"])] = info["json_schema"]
        return super().act(observation, info)


def fits(value: Any, schema: Mapping[str, Any]) -> bool:
    """Whether a schema of a move allows a value."""
    if "anyOf" in schema:
        return any(fits(value, part) for part in schema["anyOf"])
    if "const" in schema or "enum" in schema:
        return value in schema.get("enum", [schema.get("const")])
    if schema["type"] == "object":
        fields = schema["properties"]
        return list(value) == list(fields) and all(fits(value[key], field) for key, field in fields.items())
    if schema["type"] == "array":
        parts = schema.get("prefixItems") or [schema["items"]] * schema["maxItems"]
        return len(value) == len(parts) and all(map(fits, value, parts))
    if schema["type"] == "string":
        return isinstance(value, str) and len(value) <= schema.get("maxLength", 10**6)
    return schema["minimum"] <= value <= schema["maximum"] and (schema["type"] == "number" or isinstance(value, int))


def schemas_of(name: str) -> list[Mapping[str, Any]]:
    listener = Listener()
    listener.found = {}
    for seed in range(3):
        econzoo.play(name, [listener] * game(name).facts.seats, seed=seed)
    return list(listener.found.values())


@pytest.mark.long
@pytest.mark.smollm2
def test_smollm2_makes_legal_moves_of_all_kinds_in_all_games() -> None:
    pytest.importorskip("xllamacpp")
    chat = LlamaCppChat("smollm2", temperature=0.5, threads=1)
    for name in games():
        if game(name).actions.source is not None:
            continue
        for schema in schemas_of(name):
            for kind in schema.get("anyOf", [schema]):
                reply = chat.answer(QUESTION, kind, 3, 64)
                assert fits(json.loads(reply.text), kind), (name, reply)


@pytest.mark.smollm2
def test_smollm2_answers_several_at_once_and_says_what_it_is() -> None:
    pytest.importorskip("xllamacpp")
    replies = LlamaCppChat("smollm2", threads=1, batch_size=4).complete([QUESTION] * 4, [MOVE] * 4, range(4))
    for reply in replies:
        legal_move(reply.text)
        assert reply.served["model"] == "SmolLM2-135M-Instruct.Q4_1.gguf"
        assert reply.served["fingerprint"].startswith("sha256:b179c9523d0e")
        assert reply.served["provider"].startswith("llama.cpp, xllamacpp 2026.10.11549")


@pytest.mark.smollm2
def test_smollm2_reads_what_it_has_read_once() -> None:
    pytest.importorskip("xllamacpp")
    chat = LlamaCppChat("smollm2", threads=1)
    first = chat.answer(QUESTION, ACCEPT, 1, 64)
    second = chat.answer([*QUESTION, {"role": "assistant", "content": first.text}, *QUESTION], ACCEPT, 1, 64)
    assert second.cached_tokens >= first.prompt_tokens - 1
    assert second.prompt_tokens > first.prompt_tokens


@pytest.mark.smollm2
def test_smollm2_chooses_kinds_with_their_probabilities() -> None:
    pytest.importorskip("xllamacpp")
    chat, refuse = LlamaCppChat("smollm2", threads=1), json.loads(json.dumps(ACCEPT).replace("accept", "reject"))
    schema, count = {"anyOf": [ACCEPT, refuse]}, 20
    with open_budget(Budget(logprobs=True)):
        replies = [chat.answer(QUESTION, schema, seed, 64) for seed in range(count)]
    shares = [reply.probabilities["kinds"]["accept"] for reply in replies if reply.probabilities]
    seen, expected = sum("accept" in reply.text for reply in replies), sum(shares)
    assert len(shares) == count
    assert abs(seen - expected) < 3.5 * sum(share * (1 - share) for share in shares) ** 0.5
    assert chat.answer(QUESTION, schema, 0, 64).text == replies[0].text


@pytest.mark.smollm2
def test_a_match_of_smollm2_replays() -> None:
    pytest.importorskip("xllamacpp")
    record = econzoo.play("bargaining", ["gguf:smollm2?threads=1", "greedy"], seed=1, horizon=2)
    assert record.turns[0].served["model"] == "SmolLM2-135M-Instruct.Q4_1.gguf"
    assert replay(record) == []


@pytest.mark.smollm2
@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_ctrl_c_ends_a_run_at_once() -> None:
    pytest.importorskip("xllamacpp")
    command = [sys.executable, "-m", "econzoo", "play", "persuasion", *["gguf:smollm2?threads=1"] * 2]
    running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    time.sleep(8)
    assert running.poll() is None, running.stderr
    running.send_signal(signal.SIGINT)
    began = time.monotonic()
    running.communicate(timeout=20)
    assert time.monotonic() - began < 10
