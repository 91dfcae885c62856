"""Streams, to which a model changes when a silent call was cut."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

pytest.importorskip("openai")

from asking import TALK, message
from behaviours import called, said
from local_server import Answer, LocalServer, error, reply
from move_schema import MOVE
from native_servers import Anthropic, Bedrock, Gemini, Responses

from econzoo.baselines import ModelError
from econzoo.baselines.models import NativeChat, OpenAIChat
from econzoo.baselines.models import server as server_module
from econzoo.baselines.parts import CALCULATOR
from econzoo.baselines.parts.tools import allow_tool_calls

pytestmark = pytest.mark.usefixtures("no_surroundings")

CUT = error(504, "upstream request timeout")


def pieces(value, size=3):
    """A message in parts, as servers stream it."""
    for name, part in value.items():
        if name == "tool_calls":
            for place, call in enumerate(part):
                head = {**call, "index": place, "function": {**call["function"], "arguments": ""}}
                yield {name: [head]}
                for text in cut(call["function"]["arguments"], size):
                    yield {name: [{"index": place, "function": {"arguments": text}}]}
        elif isinstance(part, str) and name != "role":
            yield from ({name: text} for text in cut(part, size))
        else:
            yield {name: part}


def cut(text, size):
    return [text[place : place + size] for place in range(0, len(text), size)]


def streamed(answer, done=True, usage=True):
    """The stream of a whole answer."""
    body = answer.body
    head = {name: body[name] for name in ("id", "created", "model")} | {"object": "chat.completion.chunk"}
    choice = body["choices"][0]
    chunks = [{"choices": [{"index": 0, "delta": part, "finish_reason": None}]} for part in pieces(choice["message"])]
    chunks += [{"choices": [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}]}] if done else []
    chunks += [{"choices": [], "usage": body["usage"]}] if usage else []
    lines = [f"data: {json.dumps({**head, **chunk})}\n\n" for chunk in chunks] + ["data: [DONE]\n\n"] * done
    text = ": OPENROUTER PROCESSING\n\n" + "".join(lines)
    return Answer(body=text.encode(), headers={"Content-Type": "text/event-stream"})


def ask(server, **options):
    chat = OpenAIChat("m", server.url, sleep=lambda _: None, max_retries=0, **options)
    return chat.answer(TALK, allow_tool_calls(MOVE, [CALCULATOR]), 1, None)


def plain(done):
    return replace(done, seconds=0.0, raw=None)


@pytest.mark.parametrize(
    "whole",
    [
        said('{"kind":"accept"}', reasoning_content="Let me think."),
        said('{"kind":"acc', "length"),
        said(None, "content_filter"),
        called(
            "1+1", "2+2", content="I compute.", reasoning_details=[{"type": "reasoning.text", "text": "a", "index": 0}]
        ),
    ],
)
def test_a_call_that_was_cut_is_streamed_and_gives_the_same_reply(whole, capsys):
    with LocalServer(whole) as server:
        wanted = ask(server)
    with LocalServer(judge=lambda request: streamed(whole) if request.get("stream") else CUT) as server:
        found = ask(server)
    assert plain(found) == plain(wanted)
    assert "streamed from now on" in capsys.readouterr().err
    sent = [(request.get("stream"), request.get("stream_options")) for request in server.requests]
    assert sent == [(None, None), (True, {"include_usage": True})]


def test_a_connection_that_is_closed_after_a_long_silence_was_cut(monkeypatch):
    monkeypatch.setattr(server_module, "LEAST_SILENCE", 0.05)
    silent = Answer(sent=-1, delay=0.1)
    with LocalServer(judge=lambda request: streamed(reply("half")) if request.get("stream") else silent) as server:
        assert ask(server).text == "half"


def test_a_server_that_refuses_streams_is_asked_without():
    def judge(request):
        refused = "stream" in request and error(400, "stream is not supported")
        return refused or (CUT if len(server.requests) == 1 else reply("half"))

    with LocalServer(judge=judge) as server:
        done = ask(server)
    assert (done.text, done.unsupported) == ("half", ())
    assert ["stream" in request for request in server.requests] == [False, True, False]


def test_a_server_that_ignores_streams_is_read_as_it_answers():
    with LocalServer(judge=lambda request: reply("half") if request.get("stream") else CUT) as server:
        assert ask(server).text == "half"


def test_a_server_without_counts_in_streams_has_them_estimated():
    refusal = error(400, "stream_options is not supported")

    def judge(request):
        if not request.get("stream"):
            return CUT
        return refusal if "stream_options" in request else streamed(reply("half"), usage=False)

    with LocalServer(judge=judge) as server:
        done = ask(server)
    assert (done.text, done.unsupported) == ("half", ("usage",))


def test_a_stream_that_stops_is_no_reply():
    stopped = streamed(reply("half of it"), done=False)
    with LocalServer(CUT, stopped, streamed(reply("half"))) as server:
        chat = OpenAIChat("m", server.url, sleep=lambda _: None, max_retries=1)
        assert chat.answer(TALK, None, 1, None).text == "half"


def test_a_failure_within_a_stream_is_one_of_the_server():
    failing = Answer(
        body=b'data: {"error": {"message": "Overloaded", "code": 529}, "choices": []}\n\n',
        headers={"Content-Type": "text/event-stream"},
    )
    with LocalServer(CUT, failing, streamed(reply("half"))) as server:
        assert ask(server).text == "half"


def test_contents_in_parts_are_joined():
    parts = [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}]
    chunks = [{"content": parts}, {"content": "half"}, {"content": " of it"}]
    text = "".join(f"data: {json.dumps({'choices': [{'index': 0, 'delta': one}]})}\n\n" for one in chunks)
    body = f"{text}data: [DONE]\n\n".encode()
    with LocalServer(CUT, Answer(body=body, headers={"Content-Type": "text/event-stream"})) as server:
        done = ask(server)
    assert (done.text, done.reasoning) == ("half of it", "hm")


def test_the_request_and_the_response_stay_with_a_reply():
    with LocalServer(error(500, "boom"), message("half", reasoning_content="hm")) as server:
        chat = OpenAIChat("m", server.url, api_key="sk-secret", sleep=lambda _: None)
        raw = chat.answer(TALK, None, 1, None).raw
    assert raw["request"] == server.requests[1]
    assert raw["response"]["choices"][0]["message"]["reasoning_content"] == "hm"
    assert [(one["status"], one["error"]) for one in raw["attempts"]] == [(500, "HTTP 500: boom")]
    assert "sk-secret" not in json.dumps(raw)


# The providers' own interfaces

STREAMING = (Anthropic, Gemini, Responses)


def as_events(events):
    text = "".join(f"event: x\ndata: {json.dumps(one)}\n\n" for one in events)
    return Answer(body=text.encode(), headers={"Content-Type": "text/event-stream"})


def ask_own(kind, answers):
    """The reply to a question with a tool of a server with these answers, the last one again and again."""
    with kind(judge=lambda request: answers.pop(0) if len(answers) > 1 else answers[0]) as server:
        interface, model = server.spec.split(":", 1)
        chat = NativeChat(interface, model, server.url, api_key="k", sleep=lambda _: None, max_retries=2)
        return chat.answer(TALK, allow_tool_calls(MOVE, [CALCULATOR]), 1, None), server.requests


@pytest.mark.parametrize("tool", [None, "calculator"])
@pytest.mark.parametrize("kind", STREAMING)
def test_interfaces_of_providers_are_streamed_too_after_a_cut(kind, tool, capsys):
    whole = kind().reply(tool)
    wanted, _ = ask_own(kind, [Answer(body=whole)])
    found, _ = ask_own(kind, [CUT, as_events(kind().events(whole))])
    assert plain(found) == plain(wanted)
    assert capsys.readouterr().err.count("streamed from now on") == 1


@pytest.mark.parametrize("kind", STREAMING)
def test_a_stream_of_a_provider_that_stops_or_fails_is_no_reply(kind):
    events = list(kind().events(kind().reply(None)))
    failing = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded", "code": 529}}
    good = as_events(events)
    stopped = as_events(events[: -2 if kind is Anthropic else -1])
    for spoiled in (stopped, as_events([*events[:1], failing])):
        found, sent = ask_own(kind, [CUT, spoiled, good])
        assert found.text
        assert len(sent) == 3
    with pytest.raises(ModelError, match="ended ahead"):
        ask_own(kind, [CUT, stopped])


def test_bedrock_whose_streams_are_binary_is_asked_again_as_before(capsys):
    found, sent = ask_own(Bedrock, [CUT, Answer(body=Bedrock().reply(None))])
    assert found.text
    assert not any("stream" in request for request in sent)
    assert "streamed" not in capsys.readouterr().err
