"""Small servers with the interfaces that providers have of their own, as their references describe them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

from local_server import Answer, LocalServer

BID = '{"number": 30}'
THOUGHTS = "They will say 40."
SIGNATURE = "c2lnbmVk"
READ, CACHED, WROTE, THOUGHT = 1_000, 600, 10, 200
"""Tokens of every reply: read, of them from the cache, written, and thought."""

Judge = Callable[[dict[str, Any]], Answer | None]


class NativeServer(LocalServer):
    """Calls the first tool that is offered, then replies; refuses what breaks the rules of the interface.

    Args:
        said: The text of a reply.
        judge: What is answered to a request instead; None: the usual.
    """

    model = "m"

    def __init__(self, said: str = BID, judge: Judge = lambda request: None) -> None:
        super().__init__(judge=lambda request: judge(request) or self._answer(request))
        self.said = said

    def _answer(self, request: dict[str, Any]) -> Answer:
        try:
            self.check(request)
        except AssertionError as wrong:
            return self.refusal(400, str(wrong))
        return Answer(body=self.reply(self.called(request) if self.wants_call(request) else None))

    def wants_call(self, request: dict[str, Any]) -> bool:
        return self.called(request) is not None and SIGNATURE not in json.dumps(request)

    def check(self, request: dict[str, Any]) -> None:
        """Raise `AssertionError` with the words of the refusal."""

    def called(self, request: dict[str, Any]) -> str | None:
        """The name of the first tool that is offered."""
        raise NotImplementedError

    def reply(self, tool: str | None) -> Any:
        raise NotImplementedError

    def refusal(self, status: int, message: str) -> Answer:
        raise NotImplementedError

    def events(self, whole: Any) -> Iterator[Any]:
        """The events of a stream with a reply."""
        raise NotImplementedError


ARGUMENTS = {"expression": "2/3*60"}


class Anthropic(NativeServer):
    root, path, spec = "", "/v1/messages", "anthropic:claude-opus-4-6"

    def check(self, request):
        assert request["messages"][0]["role"] == "user", "messages: first message must use the user role"
        roles = [turn["role"] for turn in request["messages"]]
        assert all(a != b for a, b in pairwise(roles)), "messages: roles must alternate"
        assert "seed" not in request, "seed: Extra inputs are not permitted"
        for turn, after in pairwise(request["messages"]):
            uses = [part for part in turn["content"] if part["type"] == "tool_use"]
            ids = {part["tool_use_id"] for part in after["content"] if part["type"] == "tool_result"}
            assert ids == {part["id"] for part in uses}, "tool_use ids were found without tool_result blocks"
            if uses and request.get("thinking", {}).get("type") == "adaptive":
                first = turn["content"][0]
                assert first.get("signature") == SIGNATURE, "Expected `thinking`, but found `tool_use`"

    def called(self, request):
        return next((tool["name"] for tool in request.get("tools", ())), None)

    def reply(self, tool):
        thinking = {"type": "thinking", "thinking": THOUGHTS, "signature": SIGNATURE}
        call = {"type": "tool_use", "id": "toolu_01", "name": tool, "input": ARGUMENTS}
        usage = {
            "input_tokens": READ - CACHED - 100,
            "cache_read_input_tokens": CACHED,
            "cache_creation_input_tokens": 100,
            "output_tokens": WROTE + THOUGHT,
        }
        return {
            "id": "msg_01",
            "type": "message",
            "role": "assistant",
            "model": "claude-opus-4-6",
            "content": [thinking, call if tool else {"type": "text", "text": self.said}],
            "stop_reason": "tool_use" if tool else "end_turn",
            "usage": usage,
        }

    def refusal(self, status, message):
        return Answer(status, {"type": "error", "error": {"type": "invalid_request_error", "message": message}})

    def events(self, whole):
        begun = {"content": [], "stop_reason": None, "usage": {**whole["usage"], "output_tokens": 1}}
        yield {"type": "message_start", "message": {**whole, **begun}}
        yield {"type": "ping"}
        for place, part in enumerate(whole["content"]):
            texts = {name: part[name] for name in ("thinking", "signature", "text") if name in part}
            arguments = {"partial_json": json.dumps(part["input"])} if "input" in part else {}
            empty = {**part, **dict.fromkeys(texts, ""), **({"input": {}} if arguments else {})}
            yield {"type": "content_block_start", "index": place, "content_block": empty}
            for name, text in {**texts, **arguments}.items():
                for half in (text[:4], text[4:]):
                    yield {"type": "content_block_delta", "index": place, "delta": {"type": "any", name: half}}
        used = {"output_tokens": whole["usage"]["output_tokens"]}
        yield {"type": "message_delta", "delta": {"stop_reason": whole["stop_reason"]}, "usage": used}
        yield {"type": "message_stop"}


class Gemini(NativeServer):
    root, path, spec = "/v1beta", "/v1beta/models/gemini-3-pro:generateContent", "google:gemini-3-pro"
    stream_path = "/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse"

    def check(self, request):
        for turn in request["contents"]:
            for part in turn["parts"]:
                signed = "functionCall" not in part or part.get("thoughtSignature") == SIGNATURE
                assert signed, "Function call is missing a thought_signature in functionCall parts."

    def called(self, request):
        return next((tool["functionDeclarations"][0]["name"] for tool in request.get("tools", ())), None)

    def reply(self, tool):
        call = {"functionCall": {"name": tool, "args": ARGUMENTS}, "thoughtSignature": SIGNATURE}
        parts = [{"text": THOUGHTS, "thought": True}, call if tool else {"text": self.said}]
        usage = {
            "promptTokenCount": READ,
            "cachedContentTokenCount": CACHED,
            "candidatesTokenCount": WROTE,
            "thoughtsTokenCount": THOUGHT,
            "totalTokenCount": READ + WROTE + THOUGHT,
        }
        return {
            "candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}],
            "usageMetadata": usage,
            "modelVersion": "gemini-3-pro",
            "responseId": "r1",
        }

    def refusal(self, status, message):
        return Answer(status, {"error": {"code": status, "message": message, "status": "INVALID_ARGUMENT"}})

    def events(self, whole):
        (candidate,) = whole["candidates"]
        for part in candidate["content"]["parts"]:
            said = part["text"] if "text" in part and "thought" not in part else ""
            for piece in [{"text": said[:4]}, {"text": said[4:]}] if said else [part]:
                yield {**whole, "candidates": [{"index": 0, "content": {"role": "model", "parts": [piece]}}]}
        yield {**whole, "candidates": [{"index": 0, "finishReason": candidate["finishReason"]}]}


class Responses(NativeServer):
    root, path, spec = "/v1", "/v1/responses", "openai-responses:gpt-5"

    def check(self, request):
        assert request["store"] is False
        items = request["input"]
        for place, item in enumerate(items):
            if item.get("type") == "function_call":
                before = items[place - 1]
                thought = before.get("type") == "reasoning" and before["encrypted_content"] == SIGNATURE
                assert thought, "function_call was provided without its required 'reasoning' item"
                after = items[place + 1]
                assert after.get("call_id") == item["call_id"], "No tool output found for function call"

    def called(self, request):
        return next((tool["name"] for tool in request.get("tools", ())), None)

    def reply(self, tool):
        summary = [{"type": "summary_text", "text": THOUGHTS}]
        thought = {"type": "reasoning", "id": "rs_1", "summary": summary, "encrypted_content": SIGNATURE}
        call = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": tool}
        text = {"type": "output_text", "text": self.said, "annotations": []}
        said = {"type": "message", "role": "assistant", "status": "completed", "content": [text]}
        return {
            "id": "resp_1",
            "object": "response",
            "model": "gpt-5-2025-08-07",
            "status": "completed",
            "error": None,
            "incomplete_details": None,
            "output": [thought, {**call, "arguments": json.dumps(ARGUMENTS)} if tool else said],
            "usage": {
                "input_tokens": READ,
                "input_tokens_details": {"cached_tokens": CACHED},
                "output_tokens": WROTE + THOUGHT,
                "output_tokens_details": {"reasoning_tokens": THOUGHT},
                "total_tokens": READ + WROTE + THOUGHT,
            },
        }

    def refusal(self, status, message):
        return Answer(status, {"error": {"message": message, "type": "invalid_request_error", "param": None}})

    def events(self, whole):
        yield {"type": "response.created", "response": {**whole, "status": "in_progress", "output": [], "usage": None}}
        yield {"type": "response.output_text.delta", "delta": self.said}
        yield {"type": "response.completed", "response": whole}


class Bedrock(NativeServer):
    root, path = "", "/model/anthropic.claude-opus-4-6-v1%3A0/converse"
    spec = "bedrock:anthropic.claude-opus-4-6-v1:0"

    def check(self, request):
        for turn in request["messages"]:
            for place, part in enumerate(turn["content"]):
                thought = {"reasoningText": {"text": THOUGHTS, "signature": SIGNATURE}}
                signed = "toolUse" not in part or turn["content"][place - 1] == {"reasoningContent": thought}
                assert signed, "Expected `thinking`, but found `tool_use`"

    def called(self, request):
        return next((tool["toolSpec"]["name"] for tool in request.get("toolConfig", {}).get("tools", ())), None)

    def reply(self, tool):
        thought = {"reasoningContent": {"reasoningText": {"text": THOUGHTS, "signature": SIGNATURE}}}
        call = {"toolUse": {"toolUseId": "t1", "name": tool, "input": ARGUMENTS}}
        usage = {
            "inputTokens": READ - CACHED,
            "cacheReadInputTokens": CACHED,
            "outputTokens": WROTE + THOUGHT,
            "totalTokens": READ + WROTE + THOUGHT,
        }
        message = {"role": "assistant", "content": [thought, call if tool else {"text": self.said}]}
        return {"output": {"message": message}, "stopReason": "tool_use" if tool else "end_turn", "usage": usage}

    def refusal(self, status, message):
        return Answer(status, {"message": message})


SERVERS = (Anthropic, Gemini, Responses, Bedrock)
