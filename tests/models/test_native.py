"""Models behind the interfaces that providers have of their own."""

from __future__ import annotations

import json

import pytest
from asking import TALK, command
from local_server import Answer
from native_servers import ARGUMENTS, BID, SERVERS, SIGNATURE, THOUGHTS, Anthropic, Bedrock, Gemini, Responses

import econzoo
from econzoo.baselines import ModelError, RefusedError, UnavailableError, player, restrict_connections
from econzoo.baselines.models import NativeChat, OpenAIChat
from econzoo.baselines.models.wire_server import WireServer
from econzoo.envs.core.record import Record, identity, labels
from econzoo.evaluate.run import replay

KEYS = {
    "ANTHROPIC_API_KEY": "key-of-anthropic",
    "GEMINI_API_KEY": "key-of-google",
    "OPENAI_API_KEY": "key-of-openai",
    "AWS_BEARER_TOKEN_BEDROCK": "key-of-amazon",
    "GOOGLE_ACCESS_TOKEN": "token-of-google",
}
SCHEMA = {"type": "object", "properties": {"number": {"type": "integer"}}, "required": ["number"]}

each_server = pytest.mark.parametrize("kind", SERVERS)


@pytest.fixture(autouse=True)
def keys(monkeypatch):
    for name, key in KEYS.items():
        monkeypatch.setenv(name, key)


def guess(server, options="", **params):
    """One day of the guessing game, recorded and replayed."""
    record = econzoo.play(
        "guess_average", [f"{server.spec}@{server.url}?{options}", "fixed(50, 0)"], players=2, rounds=1
    )
    assert replay(Record.from_json(record.to_json())) == []
    return record.turns[0]


def ask(server, talk=TALK, schema=None, **options):
    interface, model = server.spec.split(":", 1)
    chat = NativeChat(interface, model, server.url, sleep=lambda _: None, **options)
    return chat.complete([talk], [schema], [1])[0]


@each_server
def test_a_day_is_played_and_told_in_our_words(kind):
    with kind() as server:
        turn = guess(server)
    assert turn.reply == BID
    assert turn.reasoning == THOUGHTS
    assert (turn.tokens, turn.cached_tokens) == ([1_000, 210], 600)
    assert not turn.finish
    assert turn.served["finish"]


@each_server
def test_the_key_is_sent_and_never_shown(kind):
    with kind() as server:
        turn = guess(server)
    sent = [value for one in server.headers for value in one.values() if any(key in value for key in KEYS.values())]
    assert len(sent) == 1
    assert not any(key in str(turn) for key in KEYS.values())


@each_server
def test_the_reply_is_constrained_to_the_schema(kind):
    with kind() as server:
        ask(server, schema=SCHEMA)
    assert '"number' in json.dumps(server.requests[0]).replace("\\", "")


@each_server
def test_a_schema_that_a_model_lacks_is_left_out_and_told(kind):
    words = {
        Anthropic: "output_config.format: Extra inputs are not permitted",
        Gemini: "JSON mode is not enabled: response_mime_type",
        Responses: "Invalid parameter: 'text.format' of type 'json_schema' is not supported with this model.",
        Bedrock: "This model doesn't support the outputConfig field.",
    }[kind]
    marks = ("output_config", "responseJsonSchema", "json_schema", "outputConfig")

    def judge(request):
        return server.refusal(400, words) if any(mark in json.dumps(request) for mark in marks) else None

    with kind(judge=judge) as server:
        assert ask(server, schema=SCHEMA).unsupported[-1:] == ("constrained",)
        with pytest.raises(RefusedError, match="constrained is refused"):
            ask(server, schema=SCHEMA, constrained=True)


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (Anthropic, "adaptive thinking is not supported on this model"),
        (Gemini, "Thinking level is not supported for this model."),
        (Responses, "Unsupported parameter: 'reasoning.effort' is not supported with this model."),
        (Bedrock, "additionalModelRequestFields: thinking: Extra inputs are not permitted"),
    ],
)
def test_a_named_option_that_is_refused_ends_the_run(kind, words):
    with (
        kind(judge=lambda _: server.refusal(400, words)) as server,
        pytest.raises(RefusedError, match="reasoning_effort is refused"),
    ):
        ask(server, reasoning_effort="high")


@pytest.mark.parametrize(
    ("kind", "status", "words"),
    [
        (Anthropic, 401, "invalid x-api-key"),
        (Gemini, 400, "API key not valid. Please pass a valid API key."),
        (Responses, 401, "Incorrect API key provided: key-of-openai."),
        (Bedrock, 403, "Authentication failed: key-of-amazon"),
    ],
)
def test_a_wrong_key_is_an_error_of_one_line_without_the_key(kind, status, words):
    with kind(judge=lambda _: server.refusal(status, words)) as server, pytest.raises(ModelError) as told:
        ask(server)
    assert "key" in str(told.value) or "access denied" in str(told.value)
    assert "\n" not in str(told.value)
    assert not any(key in str(told.value) for key in KEYS.values())
    assert len(server.requests) == 1


@each_server
def test_a_dead_server_is_an_error(kind):
    with kind() as server:
        pass
    with pytest.raises(ModelError, match="connection failed"):
        ask(server, max_retries=1)


@pytest.mark.parametrize(
    ("kind", "change", "finish"),
    [
        (Anthropic, {"stop_reason": "max_tokens"}, "length"),
        (Anthropic, {"stop_reason": "refusal", "content": []}, "refusal"),
        (Gemini, {"candidates": [{"finishReason": "SAFETY", "index": 0}]}, "content_filter"),
        (Gemini, {"candidates": [], "promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}}, "content_filter"),
        (Responses, {"status": "incomplete", "incomplete_details": {"reason": "content_filter"}}, "content_filter"),
        (Bedrock, {"stopReason": "guardrail_intervened"}, "content_filter"),
    ],
)
def test_an_incomplete_reply_says_why(kind, change, finish):
    with kind(judge=lambda _: Answer(body={**server.reply(None), **change})) as server:
        assert ask(server).finish == finish


@each_server
def test_a_response_in_another_form_is_the_providers_failure(kind):
    with (
        kind(judge=lambda _: Answer(body={"choices": []})) as server,
        pytest.raises(ModelError, match="is not one of"),
    ):
        ask(server, max_retries=0)


def test_what_is_stored_in_the_cache_costs_a_quarter_more():
    with Anthropic() as server:
        reply = ask(server, price_per_million=(10, 1, 100))
    assert reply.cost == pytest.approx((300 * 10 + 100 * 12.5 + 600 * 1 + 210 * 100) / 1e6)


def test_prompts_are_marked_for_the_cache():
    with Anthropic() as server, Bedrock() as other:
        ask(server)
        ask(other)
    assert "cache_control" in server.requests[0]["system"][-1]
    assert "cache_control" in server.requests[0]["messages"][-1]["content"][-1]
    assert "cachePoint" in other.requests[0]["system"][-1]
    assert "cachePoint" in other.requests[0]["messages"][-1]["content"][-1]


@pytest.mark.parametrize(
    ("model", "form"),
    [
        ("claude-3-7-sonnet-20250219", {"type": "enabled", "budget_tokens": 2_048}),
        ("claude-sonnet-4-5", {"type": "enabled", "budget_tokens": 2_048}),
        ("claude-opus-4-1-20250805", {"type": "enabled", "budget_tokens": 2_048}),
        ("claude-opus-4-6", {"type": "adaptive", "display": "summarized"}),
        ("claude-sonnet-5", {"type": "adaptive", "display": "summarized"}),
    ],
)
def test_thoughts_are_asked_for_as_the_model_takes_it(model, form):
    with Anthropic() as server:
        NativeChat("anthropic", model, server.url, reasoning_effort="low").complete([TALK], [None], [1])
    assert server.requests[0]["thinking"] == form


@pytest.mark.parametrize(
    ("model", "form"), [("2.5-flash", {"thinkingBudget": 2_048}), ("3-pro", {"thinkingLevel": "low"})]
)
def test_gemini_has_a_budget_or_a_level(model, form):
    class Server(Gemini):
        path = f"/v1beta/models/gemini-{model}:generateContent"

    with Server() as server:
        NativeChat("google", f"gemini-{model}", server.url, reasoning_effort="low").complete([TALK], [None], [1])
    assert server.requests[0]["generationConfig"]["thinkingConfig"] == {"includeThoughts": True, **form}


def test_further_fields_go_into_the_providers_own():
    with Gemini() as server:
        ask(server, extra_body={"generationConfig": {"topK": 20}, "safetySettings": []})
    assert server.requests[0]["generationConfig"]["topK"] == 20
    assert server.requests[0]["generationConfig"]["seed"] == 1
    assert server.requests[0]["safetySettings"] == []


@pytest.mark.parametrize(
    ("model", "kind", "path"),
    [
        ("gemini-3-pro", Gemini, "/publishers/google/models/gemini-3-pro:generateContent"),
        ("claude-opus-4-6@20260101", Anthropic, "/publishers/anthropic/models/claude-opus-4-6@20260101:rawPredict"),
    ],
)
def test_vertex_speaks_for_both_makers(model, kind, path):
    class Vertex(kind):
        pass

    Vertex.root, Vertex.path = "/v1/p", f"/v1/p{path}"
    with Vertex() as server:
        reply = NativeChat("vertex", model, server.url).complete([TALK], [None], [1])[0]
    assert reply.text == BID
    assert "model" not in server.requests[0]
    assert server.keys == ["Bearer token-of-google"]


def test_the_log_has_the_request_and_the_response_in_the_providers_words():
    with Anthropic() as server:
        raw = ask(server).raw
    assert raw["request"] == server.requests[0]
    assert raw["response"] == server.reply(None)


def asked_for_logprobs(server):
    """The reply to a request for the likeliest tokens, in the form of chat completions."""
    interface, model = server.spec.split(":", 1)
    request = {"model": model, "messages": TALK, "max_tokens": 9, "logprobs": True, "top_logprobs": 2}
    client = WireServer(interface, model, server.url, None, 1, None)
    return client.send(request, 9).choices[0].logprobs["content"]


def test_log_probabilities_are_asked_for_where_the_interface_has_them():
    tops = [{"token": "30", "logprob": -0.1}, {"token": "20", "logprob": -2.0}]
    expected = [{"token": "30", "logprob": -0.1, "top_logprobs": tops}]
    words = [{"token": one["token"], "logProbability": one["logprob"]} for one in tops]
    with Gemini() as server:
        reply = server.reply(None)
        reply["candidates"][0]["logprobsResult"] = {
            "chosenCandidates": words[:1],
            "topCandidates": [{"candidates": words}],
        }
        server.reply = lambda _: reply
        assert asked_for_logprobs(server) == expected
        assert server.requests[0]["generationConfig"]["logprobs"] == 2
    with Responses() as server:
        reply = server.reply(None)
        reply["output"][1]["content"][0]["logprobs"] = expected
        server.reply = lambda _: reply
        assert asked_for_logprobs(server) == expected
        assert server.requests[0]["include"] == ["message.output_text.logprobs"]


def test_a_missing_key_is_told_ahead_of_any_request(monkeypatch):
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(ModelError, match="no key: set OPENAI_API_KEY"):
        OpenAIChat("gpt-5-mini").complete([TALK], [None], [1])
    with pytest.raises(ModelError, match="no key: set ANTHROPIC_API_KEY"):
        NativeChat("anthropic", "claude-opus-4-6").complete([TALK], [None], [1])
    with Anthropic() as proxy:
        assert ask(proxy).text == BID


def test_vertex_needs_a_project(monkeypatch):
    monkeypatch.delenv("GOOGLE_CLOUD_PROJECT", raising=False)
    with pytest.raises(UnavailableError, match="no project: set GOOGLE_CLOUD_PROJECT"):  # as a missing key
        NativeChat("vertex", "gemini-3-pro").complete([TALK], [None], [1])
    monkeypatch.setenv("GOOGLE_CLOUD_PROJECT", "mine")
    assert NativeChat("vertex", "gemini-3-pro").base_url == (
        "https://aiplatform.googleapis.com/v1/projects/mine/locations/global"
    )


def test_bedrock_without_a_key_is_signed(monkeypatch):
    pytest.importorskip("botocore")
    monkeypatch.delenv("AWS_BEARER_TOKEN_BEDROCK")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIA")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret-of-amazon")
    with Bedrock() as server:
        ask(server)
    assert server.keys[0].startswith("AWS4-HMAC-SHA256 Credential=AKIA/")
    assert "secret-of-amazon" not in str(server.headers)


def test_an_address_is_not_part_of_the_player_but_a_version_is():
    assert identity("anthropic:claude@http://127.0.0.1:1?timeout=3") == "anthropic:claude"
    assert identity("vertex:claude-sonnet-4-5@20250929") == "vertex:claude-sonnet-4-5@20250929"
    spec = "google:gemini-3-pro?temperature=0"
    assert labels([spec])[spec] == "gemini-3-pro"


def test_an_address_from_a_file_needs_a_confirmation_and_gets_no_key():
    asked = []
    with Anthropic() as server, restrict_connections(ask=lambda *address: asked.append(address) or True):
        chat = NativeChat("anthropic", "claude-opus-4-6", server.url)
        chat.complete([TALK], [None], [1])
    assert asked == [(server.url, False)]
    assert "x-api-key" not in server.headers[0]


def test_what_an_interface_lacks_is_refused_ahead():
    with pytest.raises(ValueError, match="stop is not supported by OpenAI"):
        player("openai-responses:gpt-5?stop=x")
    with pytest.raises(ValueError, match="chat_template_kwargs"):
        player("anthropic:claude-opus-4-6?chat_template_kwargs={}")


def test_a_limit_in_dollars_ends_the_run(tmp_path):
    with Anthropic() as server:
        spec = f"{server.spec}@{server.url}?price_per_million=10,100"
        words = "tournament", "guess_average", spec, "fixed(50, 0)", "-p", "players=2", "-p", "rounds=1"
        code = command(*words, "--seeds", 30, "--out", tmp_path, "--yes", "--max-cost", 0.1)
    assert code == 4
    assert 3 <= len(server.requests) <= 12


@each_server
def test_thoughts_and_signatures_come_back_with_the_result_of_a_tool(kind):
    with kind() as server:
        turn = guess(server, "tools=calculator&thinking=yes")
    (call,) = turn.calls
    assert json.loads(call["reply"]) == {"tool": "calculator", "arguments": ARGUMENTS}
    assert turn.reply == BID
    assert len(server.requests) == 2
    assert SIGNATURE in json.dumps(server.requests[1])
    assert "tools" not in turn.unsupported
