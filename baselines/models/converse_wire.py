"""Amazon Bedrock's Converse, one interface for the models of all makers there."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, ClassVar
from urllib.parse import quote

from econzoo.baselines.models.anthropic_wire import AnthropicWire
from econzoo.baselines.models.providers import Provider
from econzoo.baselines.models.strict_schema import LIMITS
from econzoo.baselines.models.wire import OFF, ON, ParsedRequest, Wire, WireCall, WireReply, usage_of

_CACHES = re.compile(r"anthropic|nova")
"""Models that take marks of what is to be cached."""

_CLAUDE = re.compile(r"anthropic|claude")
_SETTINGS = {"temperature": "temperature", "top_p": "topP", "stop": "stopSequences"}
_MARK = {"cachePoint": {"type": "default"}}


class ConverseWire(Wire):
    """Converse of Bedrock: thoughts with signatures, tools, schemas, cached prompts of Claude and Nova."""

    provider: ClassVar[Provider] = Provider(
        title="Bedrock",
        without=("seed", "logprobs", "top_logprobs", "stream", *LIMITS),  # its streams are binary
        on={"thinking": ON},
        off={"thinking": OFF},
        too_long="Input is too long for requested model.",
        batch="Amazon S3",
    )
    names: ClassVar[Mapping[str, str]] = {
        r"output_?config|text_?format|json_?schema|output_?format": "response_format",
        r"tool_?config|tool_?use": "tools",
        r"(?<!expected `)thinking|budget_tokens|\beffort\b|reasoning": "thinking",
        r"stop_?sequences": "stop",
        r"\btop_?p\b": "top_p",
    }

    @property
    def path(self) -> str:
        return f"/model/{quote(self.model, safe='')}/converse"

    def body(self, asked: ParsedRequest) -> dict[str, Any]:
        settings = {_SETTINGS[name]: value for name, value in asked.settings.items()}
        body: dict[str, Any] = {"messages": self.turns(asked)}
        body["inferenceConfig"] = {"maxTokens": asked.limit, **settings}
        marks = [_MARK] if _CACHES.search(self.model) else []
        body["messages"][-1]["content"].extend(marks)
        if asked.system:
            body["system"] = [self.text(asked.system), *marks]
        if asked.functions:
            body["toolConfig"] = {"tools": [_tool(one) for one in asked.functions]}
        if asked.schema is not None:
            schema = {"name": "move", "schema": json.dumps(asked.schema)}
            body["outputConfig"] = {"textFormat": {"type": "json_schema", "structure": {"jsonSchema": schema}}}
        if _CLAUDE.search(self.model):
            thoughts = AnthropicWire(self.model.rpartition("anthropic.")[2], self._reasoning_tokens).thoughts(asked)
        else:
            thoughts = {"reasoning_effort": asked.effort} if asked.effort else {}
        if thoughts:
            body["additionalModelRequestFields"] = thoughts
        return body

    def text(self, text: str) -> dict[str, Any]:
        return {"text": text}

    def call(self, call: WireCall) -> dict[str, Any]:
        return {"toolUse": {"toolUseId": call.id, "name": call.name, "input": call.arguments}}

    def result(self, call: WireCall, text: str) -> dict[str, Any]:
        return {"toolResult": {"toolUseId": call.id, "content": [{"text": text}]}}

    def call_in(self, part: Mapping[str, Any]) -> WireCall | None:
        use = part.get("toolUse")
        return None if use is None else WireCall(use["toolUseId"], use["name"], use["input"])

    def parse_answer(self, answer: Mapping[str, Any]) -> WireReply:
        parts, used = answer["output"]["message"]["content"], answer.get("usage") or {}
        call, native = self.up_to_call(parts)
        thoughts = [part["reasoningContent"].get("reasoningText", {}) for part in parts if "reasoningContent" in part]
        cached, stored = used.get("cacheReadInputTokens") or 0, used.get("cacheWriteInputTokens") or 0
        read = used.get("inputTokens")
        return WireReply(
            "".join(part["text"] for part in parts if "text" in part),
            "\n\n".join(one.get("text", "") for one in thoughts),
            call,
            native,
            answer.get("stopReason"),
            usage_of(None if read is None else read + cached + stored, used.get("outputTokens"), cached, stored),
            {},
        )


def _tool(function: Mapping[str, Any]) -> dict[str, Any]:
    named = {name: function[name] for name in ("name", "description") if function.get(name)}
    return {"toolSpec": {**named, "inputSchema": {"json": function["parameters"]}}}
