"""Servers that refuse conversations: what a model says ends no match, and costs the same at any of them."""

from __future__ import annotations

import json
import re

import pytest

pytest.importorskip("openai")

from asking import BID, TALK, ask, command, guess, message
from hypothesis import given
from hypothesis import strategies as st
from local_server import LocalServer, error, reply
from move_schema import MOVE

import econzoo
from econzoo.baselines import ModelError
from econzoo.baselines.models import OpenAIChat, acceptable_messages
from econzoo.envs.core.record import read_record_file
from refusals import refuses

pytestmark = pytest.mark.usefixtures("alone")

TEXTS = st.sampled_from(["", " \n\t", "\u200b\ufeff", "\u2060", "\x00", "\ud83d", "hello", "a\ud83d"])
TURNS = st.builds(
    lambda role, content: {"role": role, "content": content}, st.sampled_from(["user", "assistant"]), TEXTS
)


def complaint(messages, tools=()):
    """What Anthropic, Mistral, Gemini, vLLM or a template would refuse in a conversation; empty: nothing."""
    turns = messages[1:] if messages[0]["role"] == "system" else messages
    for place, (turn, before) in enumerate(zip(turns, [{"role": ""}, *turns], strict=False)):
        calls = turn.get("tool_calls", [])
        if not calls and not re.search(r"[^\s\u200b\ufeff\u2060\x00]", turn["content"] or ""):
            return f"messages.{place}: text content blocks must contain non-whitespace text"
        if calls and not tools:
            return "Requests which have tool_use blocks in messages must define tools."
        for function in (call["function"] for call in calls):
            if not re.fullmatch("[a-zA-Z0-9_-]{1,64}", function["name"]):
                return "function.name: string does not match pattern"
            if not isinstance(json.loads(function["arguments"]), dict):
                return "arguments: expected an object"
        if turn["role"] == before["role"] and "tool" not in turn["role"]:
            return "conversation roles must alternate"
    if not turns or turns[0]["role"] != "user":
        return "first message must use the user role"
    return "" if turns[-1]["role"] in ("user", "tool") else "this model does not support assistant message prefill"


def strict(answer):
    """A server of a model that refuses what any provider refuses."""
    refused = []

    def judge(request):
        if text := complaint(request["messages"], request.get("tools", ())):
            refused.append(text)
            return error(400, text)
        return answer(request)

    server = LocalServer(judge=judge)
    server.refused = refused
    return server


@given(st.lists(TURNS, min_size=1, max_size=6), st.booleans())
def test_every_conversation_becomes_one_that_every_provider_accepts(turns, has_rules):
    rules = [{"role": "system", "content": "rules"}] if has_rules else []
    sent = acceptable_messages([*rules, *turns])
    assert complaint(sent) == ""
    json.dumps(sent, ensure_ascii=False).encode()
    for turn in turns:
        if "hello" in turn["content"]:
            assert any(one["role"] == turn["role"] and "hello" in one["content"] for one in sent)
    assert acceptable_messages(sent) == sent


def test_a_conversation_that_every_provider_accepts_is_sent_as_it_is():
    parts = {"role": "user", "content": [{"type": "text", "text": "?"}]}
    for last in ({"role": "user", "content": "?"}, parts):
        talk = [*TALK, {"role": "assistant", "content": " x "}, last]
        with LocalServer(reply("ok")) as server:
            assert ask(server, talk)[0].unsupported == ()
        assert server.requests[0]["messages"] == talk


SILENCES = {
    "empty": message(""),
    "null": message(None),
    "blank": message(" \n\t"),
    "invisible": message("\u200b\u2060\ufeff"),
    "half a sign": message("\ud83d"),
    "no parts": message([]),
    "thoughts only": message(None, reasoning_content="hm"),
    "cut": message("", "max_tokens"),
    "cut in thoughts": message("", "length", reasoning="hm"),
    "withheld": message(None, "content_filter"),
    "refused": message(None, "refusal"),
    "an odd call": message(
        None,
        "tool_calls",
        tool_calls=[{"id": "1", "type": "function", "function": {"name": "no tool, really", "arguments": "6*"}}],
    ),
}

AGENTS = [
    "",
    *[f"reasoning={name}" for name in ("cot", "refine(1)", "reflect", "k-level(2)")],
    *[f"memory={name}" for name in ("summary", "window(1)", "table")],
    "tools=calculator",
    "tools=calculator&tool_calls=1",
]
PROGRAM = "```python\ndef strategy_function(a, b, c, d):\n    return 'C'\n```"


def outcomes(silence, agent, game="guess_average", other="fixed(50, 0)", **params):
    """A model that is silent at every third question, by what others have said, at a strict and a tolerant server."""
    found = []

    def answer(request):
        count = sum(len(one["content"] or "") for one in request["messages"] if one["role"] == "user")
        text = BID if "response_format" in request else PROGRAM
        return SILENCES[silence] if count % 3 == 0 or len(server.requests) == 1 else reply(text, 10_000)

    for kind in (strict, lambda answer: LocalServer(judge=answer)):
        with kind(answer) as server:
            record = econzoo.play(game, [f"openai:m@{server.url}?{agent}", other], **params)
        assert getattr(server, "refused", []) == [], agent
        turns = [(turn.error, turn.action, turn.unsupported) for turn in record.turns if turn.seat == 0]
        found.append((turns, record.payoffs))
    return found


@pytest.mark.parametrize("silence", SILENCES)
def test_silence_costs_a_retry_wherever_a_model_plays_and_whatever_its_parts(silence):
    for agent in AGENTS:
        one, other = outcomes(silence, agent, players=2, rounds=3)
        assert one == other, agent


def test_silence_costs_an_author_the_same_everywhere():
    one, other = outcomes("empty", "reasoning=author(2)", "program_matrix", "defect", rounds=2, turns=2)
    assert one == other


def test_a_placeholder_is_told_in_the_turn_that_was_asked_with_it():
    with strict(lambda request: message("") if len(server.requests) == 1 else reply(BID)) as server:
        _, (first, second) = guess(server)
    assert (first.error[0], first.reply, first.unsupported) == ("empty", "", [])
    assert (second.error, second.unsupported) == (None, ["replies"])
    assert [one["content"] for one in server.requests[1]["messages"]][2] == "(no answer)"


def test_a_table_is_the_same_at_a_strict_server_and_a_tolerant_one():
    def answer(request):
        text = request["messages"][-1]["content"]
        return message(" ") if "is empty" in text or sum(map(ord, text)) % 10 < 4 else reply(BID)

    payoffs = []
    for kind in (strict, lambda answer: LocalServer(judge=answer)):
        with kind(answer) as server:
            run = "tournament", "guess_average", f"g=openai:m@{server.url}", "--opponents", "fixed(50, 0)", "random"
            rest = "--seeds", 8, "-p", "players=2", "-p", "rounds=2", "--out", f"o{len(payoffs)}"
            assert [command(*run, *rest) for _ in range(2)] == [0, 0]
        records = read_record_file(f"o{len(payoffs)}/records.jsonl")
        payoffs.append(sorted((record.seed, record.payoffs, record.defaults, record.errors) for record in records))
    assert payoffs[0] == payoffs[1]
    assert len(payoffs[0]) == 2 * 2 * 8
    assert any(sum(defaults) for _, _, defaults, _ in payoffs[0])


def touchy(word):
    """A server that takes no reply of the model back with this word."""

    def judge(request):
        own = [one["content"] or "" for one in request["messages"] if one["role"] == "assistant"]
        return error(400, "the moon is full") if any(word in text for text in own) else reply(answers[len(own)])

    answers = ["I say <moon>.", "I say nothing.", BID, BID]
    return LocalServer(judge=judge)


def test_a_reply_that_its_server_does_not_take_back_is_withheld():
    with touchy("<moon>") as server:
        record, turns = guess(server)
    assert [turn.error and turn.error[0] for turn in turns] == ["no_json", "no_json", None]
    assert [turn.unsupported for turn in turns] == [[], ["replies"], ["replies"]]
    assert record.status == "finished"
    newest = [[one["content"] for one in r["messages"] if one["role"] == "assistant"] for r in server.requests]
    first, second = "I say <moon>.", "I say nothing."
    filler = "(no answer)"
    assert newest == [[], *[[first]] * 2, [filler], *[[first, second]] * 2, [first, filler], [filler] * 2]


def test_a_refusal_that_is_not_the_models_fails_the_match():
    with LocalServer(error(400, "the moon is full")) as server, refuses(ModelError, "the moon is full", "HTTP 400"):
        guess(server)
    assert len(server.requests) == 1, "no reply of the model can be the cause"
    judge = lambda r: reply("hm") if len(r["messages"]) < 3 else error(400, "the moon is full")  # noqa: E731
    with LocalServer(judge=judge) as server, refuses(ModelError, "the moon is full"):
        guess(server)
    assert len(server.requests) == 1 + 3
    once = [reply("hm"), error(400, "the moon is full"), reply(BID)]
    with LocalServer(*once) as server:
        _, (_, second) = guess(server)
    assert (second.error, second.unsupported) == (None, [])


def test_a_call_gets_a_text_where_a_server_wants_one():
    call = {"id": "1", "type": "function", "function": {"name": "calculator", "arguments": '{"expression": "1+1"}'}}

    def judge(request):
        if any(one["content"] is None for one in request["messages"]):
            return error(400, "invalid message content type: <nil>")
        is_told = request["messages"][-1]["role"] == "tool"
        return reply(BID) if is_told else message(None, "tool_calls", tool_calls=[call])

    for options, refused in (("tools=calculator", 1), ("tools=calculator&provider=ollama", 0)):
        with LocalServer(judge=judge) as server:
            _, (turn,) = guess(server, options)
        assert (turn.error, turn.unsupported, len(server.requests)) == (None, [], 2 + refused)


def test_a_server_that_takes_a_schema_and_ignores_it_is_told_once(capsys):
    with LocalServer(reply("I accept."), reply("I still accept.")) as server:
        chat = OpenAIChat("m", server.url, sleep=lambda _: None)
        replies = [chat.answer(TALK, MOVE, seed, None) for seed in range(3)]
    assert all(not one.unsupported for one in replies)
    assert capsys.readouterr().err.count("does not seem to keep it") == 1


@pytest.mark.parametrize("other", ['{"kind": "accept"}', "<think>Hm.</think>"])
def test_one_reply_of_another_form_is_no_sign(other, capsys):
    answers = [reply("I accept."), reply(other)] * 2
    with LocalServer(*answers) as server:
        chat = OpenAIChat("m", server.url, sleep=lambda _: None)
        for seed in range(4):
            chat.answer(TALK, MOVE, seed, None)
    assert "keep it" not in capsys.readouterr().err
