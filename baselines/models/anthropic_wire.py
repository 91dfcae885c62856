"""Anthropic Messages, also at Vertex."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, ClassVar

from econzoo.baselines.models.providers import Provider
from econzoo.baselines.models.strict_schema import LIMITS
from econzoo.baselines.models.wire import OFF, ON, ParsedRequest, Wire, WireCall, WireReply, usage_of
from econzoo.envs.core.contract import parse_json

VERSION = "2023-06-01"
"""Version of the interface; later ones refuse a temperature for every model."""

_LEAST_THOUGHT = 1_024
"""Least tokens for thoughts that the provider takes."""

_BUDGETED = re.compile(r"claude-([23]|instant)|(opus|sonnet|haiku)-4(-[0-5])?(@|[-@](\d{8}|latest|v\d)|$)")
"""Models whose thoughts have a budget of tokens; later ones adapt, by an effort."""

_EFFORTS = {"minimal": "low"}
_CACHED = {"type": "ephemeral"}


class AnthropicWire(Wire):
    """Messages of Anthropic: cached prompts, thoughts with signatures, tools, schemas."""

    provider: ClassVar[Provider] = Provider(
        title="Anthropic",
        without=("seed", "logprobs", "top_logprobs", *LIMITS),
        on={"thinking": ON},
        off={"thinking": OFF},
        too_long="prompt is too long: 209000 tokens > 200000 maximum",
        batch="anthropic",
    )
    names: ClassVar[Mapping[str, str]] = {
        r"output_(config\.)?format|structured output": "response_format",
        r"(?<!expected `)thinking|budget_tokens|output_config\.effort|\beffort\b": "thinking",
        r"stop_sequences": "stop",
    }

    @property
    def path(self) -> str:
        return "/v1/messages"

    def body(self, asked: ParsedRequest) -> dict[str, Any]:
        turns = self.turns(asked)
        # A match is one growing prompt: each call reads what the one before has stored.
        turns[-1]["content"][-1] = {**turns[-1]["content"][-1], "cache_control": _CACHED}
        body: dict[str, Any] = {"model": self.model, "max_tokens": asked.limit, "messages": turns}
        if asked.system:
            body["system"] = [{**self.text(asked.system), "cache_control": _CACHED}]
        settings = dict(asked.settings)
        if stop := settings.pop("stop", None):
            body["stop_sequences"] = stop
        body |= settings
        if asked.functions:
            body["tools"] = [_tool(one) for one in asked.functions]
            body["tool_choice"] = {"type": "auto", "disable_parallel_tool_use": True}
        body |= self.thoughts(asked)
        if asked.schema is not None:
            form = {"type": "json_schema", "schema": asked.schema}
            body["output_config"] = {**body.get("output_config", {}), "format": form}
        return body

    def thoughts(self, asked: ParsedRequest) -> dict[str, Any]:
        """Return the fields that turn thoughts on or off."""
        if asked.thinking == OFF or asked.effort == "none":
            return {"thinking": {"type": "disabled"}}
        if asked.thinking is None and asked.effort is None:
            return {}
        if _BUDGETED.search(self.model):
            return {"thinking": {"type": "enabled", "budget_tokens": max(self.budget(asked), _LEAST_THOUGHT)}}
        effort = asked.effort and _EFFORTS.get(asked.effort, asked.effort)
        told = {"output_config": {"effort": effort}} if effort else {}
        return {"thinking": {"type": "adaptive", "display": "summarized"}, **told}

    def text(self, text: str) -> dict[str, Any]:
        return {"type": "text", "text": text}

    def call(self, call: WireCall) -> dict[str, Any]:
        return {"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments}

    def result(self, call: WireCall, text: str) -> dict[str, Any]:
        return {"type": "tool_result", "tool_use_id": call.id, "content": text}

    def call_in(self, part: Mapping[str, Any]) -> WireCall | None:
        return WireCall(part["id"], part["name"], part["input"]) if part.get("type") == "tool_use" else None

    def join(self, events: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
        whole: dict[str, Any] = {}
        parts: dict[int, dict[str, Any]] = {}
        for event in events:
            kind = event.get("type")
            if kind == "message_start":
                whole = dict(event["message"])
            elif kind == "content_block_start":
                parts[event["index"]] = dict(event["content_block"])
            elif kind == "content_block_delta":
                part = parts[event["index"]]
                for name, text in event["delta"].items():
                    if name != "type":
                        part[name] = part.get(name, "") + text
            elif kind == "message_delta":
                whole |= {**event["delta"], "usage": {**whole.get("usage", {}), **event.get("usage", {})}}
        for part in parts.values():
            with suppress(ValueError):  # empty, or cut at the limit of tokens
                part["input"] = parse_json(part.pop("partial_json", ""))
        return {**whole, "content": [part for _, part in sorted(parts.items())]}

    def parse_answer(self, answer: Mapping[str, Any]) -> WireReply:
        parts, used = answer["content"], answer.get("usage") or {}
        call, native = self.up_to_call(parts)
        cached, stored = used.get("cache_read_input_tokens") or 0, used.get("cache_creation_input_tokens") or 0
        read = used.get("input_tokens")
        return WireReply(
            "".join(part["text"] for part in parts if part["type"] == "text"),
            "\n\n".join(part["thinking"] for part in parts if part["type"] == "thinking"),
            call,
            native,
            answer.get("stop_reason"),
            usage_of(None if read is None else read + cached + stored, used.get("output_tokens"), cached, stored),
            {"model": answer.get("model"), "id": answer.get("id")},
        )


class VertexAnthropicWire(AnthropicWire):
    """Messages of Anthropic at Vertex, where the address names the model."""

    provider = replace(AnthropicWire.provider, title="Vertex", batch="Google Cloud Storage")

    @property
    def path(self) -> str:
        return f"/publishers/anthropic/models/{self.model}:rawPredict"

    def stream(self, path: str, body: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        return super().stream(path.replace(":rawPredict", ":streamRawPredict"), body)

    def body(self, asked: ParsedRequest) -> dict[str, Any]:
        body = super().body(asked)
        del body["model"]
        return {"anthropic_version": "vertex-2023-10-16", **body}


def _tool(function: Mapping[str, Any]) -> dict[str, Any]:
    names = {"name": "name", "description": "description", "parameters": "input_schema", "strict": "strict"}
    return {names[name]: value for name, value in function.items()}
