"""Every behaviour of servers that public reports and documentations show, and how a match with it ends."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("openai")

from asking import command
from behaviours import MOVE, SIGNATURE, USAGE, Behaviour, always, both, called, empty_turns, first, grown, loop
from behaviours import more_than, moved, no_choices, other_model, refusal, refuses, renamed, retry_info, roles, said
from behaviours import seed_of, strict, tools_or_schema, wants_back
from local_server import Answer, LocalServer, error

import econzoo
from econzoo.baselines import ModelError, UnavailableError
from econzoo.envs.core.record import read_record_file
from econzoo.evaluate.run import replay
from refusals import refuses as raises

pytestmark = pytest.mark.usefixtures("no_surroundings")


@dataclass(frozen=True)
class Case:
    """A behaviour, and how it ends.

    Attributes:
        requests: Number of requests.
        errors: Code of the error of each turn of the model.
        omitted: `unsupported` of its last turn.
        waits: Waits that the server told.
        options: Options of the spec.
        ended: Words of the error that ends the match; the run too, if `ends_run`.
    """

    behave: Behaviour
    requests: int = 1
    errors: tuple[str, ...] = ("",)
    omitted: tuple[str, ...] = ()
    waits: tuple[float | None, ...] = ()
    options: str = ""
    ended: str = ""
    ends_run: bool = False
    game: str = "bargaining"


def thrice(behave: Behaviour, error: str, **more: Any) -> Case:
    """The model's own error, for which it is asked twice again."""
    return Case(behave, **{"requests": 3, "errors": (error,) * 3, "omitted": ("replies",), **more})


def too_long(answer: Answer) -> Case:
    return Case(grown(answer), 0, ("",) * 6, game="guess_average")


def calculates(behave: Behaviour, requests: int = 2, **more: Any) -> Case:
    return Case(behave, requests, options="tools=calculator", **more)


EMPTY = Answer(body={**said("").body, "usage": {**USAGE, "completion_tokens": 3}})
BLOCKS = refusal("messages.2: text content blocks must contain non-whitespace text")
NEITHER = Answer(400, {"object": "error", "message": "Assistant message must have either content or tool_calls."})
ALTERNATE = refusal("After the optional system message, conversation roles must alternate user/assistant/user/...")
THOUGHT = "I think that I should take half. "
FORBIDDEN = Answer(422, {"detail": [{"type": "extra_forbidden", "loc": ["body", "seed"], "msg": "not permitted"}]})
GEMINI = [{"error": {"code": 400, "message": 'Invalid JSON payload received. Unknown name "seed": Cannot find field.'}}]
NO_TOOLS = refusal('"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set')
SIGNED = refusal("Function call is missing a thought_signature in functionCall parts. This is required for tools.")
THINKING = refusal("The `reasoning_content` in the thinking mode must be passed back to the API.")
DETAILS = [{"type": "reasoning.encrypted", "data": "abc", "index": 0}]
BACK = {"content": None, "reasoning_content": "Let me compute."}

CASES: dict[str, Case] = {
    # replies
    "thoughts only": thrice(always(said(None, reasoning_content=THOUGHT + MOVE)), "in_reasoning"),
    "thoughts only, plain": thrice(always(said("", reasoning=MOVE)), "in_reasoning"),
    "thoughts to the limit": thrice(always(said(None, "length", reasoning_content=THOUGHT)), "thinking", requests=4),
    "thoughts apart": Case(always(said(reasoning_content="Let me think"))),
    "nothing": thrice(always(said(None)), "empty"),
    "parts": Case(always(said([{"type": "text", "text": MOVE}]))),
    "thoughts among parts": Case(
        always(
            said([{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}, {"type": "text", "text": MOVE}])
        )
    ),
    "half a character, replaced": Case(always(said('{"kind":"offer","gain":5000,"message":"\ufffd\ufffd\ufffd"}'))),
    "half a character, escaped": Case(always(said(r'{"kind":"offer","gain":5000,"message":"\ud83d"}'))),
    "end mark": Case(always(said(MOVE + "<|im_end|>"))),
    "channels": Case(
        always(said("<|channel|>analysis<|message|>{}<|end|><|start|>assistant<|channel|>final<|message|>" + MOVE))
    ),
    "channels without marks": Case(always(said("analysisWe should answer.assistantfinal" + MOVE))),
    "thought in the reply": Case(always(said('<think>maybe {"kind":"reject"}</think>\n' + MOVE))),
    "thought without a beginning": Case(always(said('maybe {"kind":"reject"}\n</think>\n' + MOVE))),
    "filter": thrice(always(said("", "content_filter")), "filtered"),
    "filter of the prompt": thrice(
        always(refusal("The response was filtered by the content management policy.", code="content_filter")),
        "filtered",
    ),
    "refusal": thrice(always(said("", "refusal")), "refusal"),
    # options
    "another limit, no temperature": Case(renamed, 3, omitted=("temperature",)),
    "no temperature, tersely": Case(
        refuses("temperature", refusal("Unsupported value.", param="temperature")), 2, omitted=("temperature",)
    ),
    "temperature is deprecated": Case(
        refuses("temperature", refusal("`temperature` is deprecated for this model.")), 2, omitted=("temperature",)
    ),
    "temperature or top_p": Case(both, 2, omitted=("temperature",), options="top_p=0.9"),
    "no schema": Case(
        refuses("response_format", refusal("This response_format is unavailable now")), 2, omitted=("constrained",)
    ),
    "no schema, DeepSeek": Case(
        refuses("response_format", refusal("response_format: unknown variant `json_schema`, expected `text`", 422)),
        2,
        omitted=("constrained",),
    ),
    "no schema, Gemini": Case(
        refuses("response_format", refusal("Unknown name \"additional_properties\" at 'response_schema'")),
        2,
        omitted=("constrained",),
    ),
    "no schema, without a reason": Case(
        refuses("response_format", refusal("Request contains an invalid argument.")), 2, omitted=("constrained",)
    ),
    "no alternatives in a schema": Case(
        refuses("response_format", refusal("Invalid schema for response_format: no 'anyOf' at the top level.")),
        2,
        omitted=("constrained",),
    ),
    "no length in a schema": Case(strict, 2),
    "seed, in a list": Case(refuses("seed", Answer(400, GEMINI)), 2, omitted=("seed",)),
    "seed, in details": Case(refuses("seed", FORBIDDEN), 2, omitted=("seed",)),
    "seed of 31 bits": Case(seed_of(31)),
    "roles alternate": Case(roles(True, ALTERNATE)),
    "no system message": Case(roles(False, refusal("System role not supported"), False), 2, omitted=("system",)),
    "no system message, other words": Case(roles(False, ALTERNATE), 2, omitted=("system",)),
    "template fails": Case(
        roles(False, refusal("Value is not callable: null at row 1: System role not supported", 500), False),
        2,
        omitted=("system",),
    ),
    **{
        f"less room for thoughts, {name}": Case(
            more_than(2048, message), 2, omitted=("reasoning_tokens",), options="reasoning_effort=medium"
        )
        for name, message in {
            "Anthropic": "max_tokens: 4176 > 2048, which is the maximum allowed number of output tokens for x",
            "Groq": "`max_tokens` must be less than or equal to `2048`, the maximum value for `max_tokens`",
            "vLLM": "'max_tokens' is too large: 4176. This model's maximum context length is 4096 tokens",
            "SGLang": "Requested token count exceeds the model's maximum context length of 4096 tokens.",
        }.items()
    },
    # what is too long
    **{
        f"too long, {name}": too_long(answer)
        for name, answer in {
            "vLLM": refusal("This model's maximum context length is 1024 tokens. However, you requested 1500 tokens"),
            "llama.cpp": refusal("the request exceeds the available context size, try increasing it"),
            "Anthropic": refusal("prompt is too long: 209000 tokens > 200000 maximum"),
            "Gemini": refusal(
                "The input token count (1048577) exceeds the maximum number of tokens allowed (1048576)."
            ),
            "SGLang": refusal("The input (1500 tokens) is longer than the model's context length (1024 tokens)."),
            "Groq": refusal("Request too large for model `x` on tokens per minute (TPM): Limit 6000", 413),
        }.items()
    },
    # calls
    "call of a tool": calculates(first(called("1+1"))),
    "two calls": calculates(first(called("1+1", "2+2", content="I will compute."))),
    "move as a call": Case(moved),
    "signature of a call": calculates(wants_back("extra_content", SIGNED, called("1+1", call=SIGNATURE))),
    "thoughts of a call": calculates(wants_back("reasoning_content", THINKING, called("1+1", **BACK))),
    "details of a call": calculates(
        wants_back("reasoning_details", THINKING, called("1+1", reasoning_details=DETAILS))
    ),
    "thoughts of a call are refused": calculates(
        lambda request, number: (
            called("1+1", **BACK)
            if number == 1
            else refusal("Extra inputs are not permitted: reasoning_content", 422)
            if any("reasoning_content" in message for message in request["messages"])
            else said()
        ),
        3,
    ),
    "tools or a schema, Gemini": calculates(
        tools_or_schema(refusal("Function calling with a response mime type: 'application/json' is unsupported")),
        omitted=("tools",),
    ),
    "tools or a schema, Groq": calculates(
        tools_or_schema(refusal("json mode cannot be combined with tool/function calling")), omitted=("tools",)
    ),
    "no tools, vLLM": calculates(refuses("tools", NO_TOOLS), omitted=("tools",)),
    # conversations
    "no empty turn, Anthropic": Case(empty_turns(BLOCKS, ""), 2, ("empty", ""), ("replies",)),
    "no blank turn, Anthropic": Case(empty_turns(BLOCKS, " \n"), 2, ("empty", ""), ("replies",)),
    "no empty turn, Mistral": Case(empty_turns(NEITHER, ""), 2, ("empty", ""), ("replies",)),
    # counts
    "cached": Case(always(said(usage={**USAGE, "prompt_tokens_details": {"cached_tokens": 300}, "cost": 0.00123}))),
    "cached, DeepSeek": Case(always(said(usage={**USAGE, "prompt_cache_hit_tokens": 300}))),
    "no counts": Case(always(said(usage=None)), omitted=("usage",)),
    "counts below 0": Case(always(said(usage=dict.fromkeys(USAGE, -1))), omitted=("usage",)),
    "prompt is cut": Case(always(said(usage={**USAGE, "prompt_tokens": 40, "total_tokens": 50})), omitted=("context",)),
    "another model": Case(always(other_model())),
    # what passes
    "rate limit": Case(first(error(429, "Rate limit reached", Retry_After="0.2")), 2, waits=(0.2,)),
    "rate limit, Gemini": Case(first(retry_info("34s")), 2, waits=(34.0,)),
    "rate limit in words": Case(
        first(error(429, "Limit 30, Used 30, Requested 1. Please try again in 38.2s."), times=9), 10, waits=(38.2,) * 9
    ),
    "overloaded, 503": Case(
        first(error(503, "The model is overloaded. Try again later."), times=9), 10, waits=(None,) * 9
    ),
    "overloaded, 529": Case(first(Answer(529, {"error": {"type": "overloaded_error"}})), 2, waits=(None,)),
    "server error": Case(first(error(500, "boom")), 2, waits=(None,)),
    "gateway": Case(
        first(Answer(520, "<html>520: Web server is returning an unknown error</html>"), times=2), 3, waits=(None,) * 2
    ),
    "error with status 200": Case(
        first(Answer(body={"error": {"message": "Provider returned error", "code": 502}})), 2, waits=(None,)
    ),
    "rate limit with status 200": Case(
        first(Answer(body={"error": {"message": "Rate limited", "code": 429}}), times=9), 10, waits=(None,) * 9
    ),
    "finish of an error": Case(first(said("", "error")), 2, waits=(None,)),
    "pause": Case(first(said("", "pause_turn")), 2, waits=(None,)),
    "no choices": Case(first(no_choices()), 2, waits=(None,)),
    "blanks under a schema": Case(loop, 2, omitted=("constrained",)),
    "malformed call": Case(first(said(None, "malformed_function_call")), 2),
    "recitation": Case(first(said(None, "RECITATION")), 2),
    # what does not pass
    "a page": Case(
        always(Answer(body=b"<html>login</html>")), 2, waits=(None,), ended="page and not JSON", ends_run=True
    ),
    "too slow": Case(
        always(replace(said(), delay=0.4)), 2, options="timeout=0.1", waits=(None,), ended="no reply within 0.1 seconds"
    ),
    "no balance": Case(always(error(402, "Insufficient Balance")), ended="credit or payment", ends_run=True),
    "no quota": Case(
        always(refusal("You exceeded your current quota, please check your plan.", 429, code="insufficient_quota")),
        ended="credit or payment",
        ends_run=True,
    ),
    "no credit, Anthropic": Case(
        always(refusal("Your credit balance is too low to access the Anthropic API.")),
        ended="credit or payment",
        ends_run=True,
    ),
    "bad key": Case(always(error(401, "Incorrect API key: sk-se***ret.")), ended="key was refused", ends_run=True),
    "bad key, Gemini": Case(
        always(refusal("API key not valid. Please pass a valid API key.")), ended="key was refused", ends_run=True
    ),
    "unknown model": Case(always(refusal("x is not a valid model ID")), ended="unknown model", ends_run=True),
    "another interface": Case(
        always(refusal("This model is only supported in v1/responses.", 404)), ended="v1/responses", ends_run=True
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_match_ends_as_it_should(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    case, waits = CASES[name], []
    monkeypatch.setattr("econzoo.baselines.models.openai_chat.backoff", lambda *told: waits.append(told[2]) or 0.0)
    params: dict[str, Any] = {"horizon": 4, "messages": "length in" in name or "character" in name}
    if case.game == "guess_average":
        params = {"players": 2, "rounds": 6}

    def judge(request: dict[str, Any]) -> Answer:
        answer = case.behave(request, len(server.requests))
        if isinstance(answer.body, dict) and answer.body.get("usage") == USAGE:
            read = len(json.dumps(request["messages"])) // 4  # as the conversation grows
            usage = {"prompt_tokens": read, "completion_tokens": 10, "total_tokens": read + 10}
            return replace(answer, body={**answer.body, "usage": usage})
        return answer

    with LocalServer(judge=judge) as server:
        players = [f"openai:m@{server.url}?{case.options}", "fair" if case.game == "bargaining" else "fixed(50, 0)"]
        if case.ended:
            with raises(UnavailableError if case.ends_run else ModelError, case.ended):
                econzoo.play(case.game, players, seed=1, **params)
            record = None
        else:
            record = econzoo.play(case.game, players, seed=1, **params)
    assert tuple(waits) == case.waits
    if case.requests:
        assert len(server.requests) == case.requests
    if record:
        turns = [turn for turn in record.turns if turn.seat == 0]
        assert tuple((turn.error or [""])[0] for turn in turns) == case.errors
        assert tuple(turns[-1].unsupported) == case.omitted
        if not case.requests:
            assert max(turn.dropped_turns for turn in turns) > 0


def test_a_signature_survives_a_resumed_match(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The call is found in the journal, and goes back with its signature; the record keeps it and replays."""
    monkeypatch.setenv("ECONZOO_CACHE", str(tmp_path))
    answers = [called("1+1", call=SIGNATURE), error(500, "boom"), said()]
    with LocalServer(*answers) as server:
        spec = f"openai:m@{server.url}?tools=calculator&max_retries=0"
        words = "play", "bargaining", spec, "fair", "--out", tmp_path / "r.jsonl", "-p", "horizon=4"
        assert [command(*words), command(*words)] == [3, 0]
    sent = server.requests[2]["messages"][-2]["tool_calls"][0]
    assert sent["extra_content"] == SIGNATURE["extra_content"]
    (record,) = read_record_file(tmp_path / "r.jsonl")
    assert json.loads(record.turns[0].calls[0]["echo"]) == {"tool_call": SIGNATURE}
    assert replay(record) == []
