"""OpenAI Responses."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from econzoo.baselines.models.providers import Provider
from econzoo.baselines.models.wire import ParsedRequest, Wire, WireCall, WireReply, usage_of

_LOGPROBS = "message.output_text.logprobs"
_ENDS = ("response.completed", "response.incomplete", "response.failed")
"""Events at the end of a stream, with the whole response."""

_THINKERS = re.compile(r"\bo\d\b|gpt-?([5-9]|\d\d)(?!.*chat)|codex|gpt-oss")


class ResponsesWire(Wire):
    """Responses of OpenAI, of which nothing is stored there: encrypted thoughts go back with the result of a call."""

    provider: ClassVar[Provider] = Provider(
        title="OpenAI (Responses)",
        without=("seed", "stop"),
        on={"reasoning_effort": "medium"},
        off={"reasoning_effort": "none"},
        too_long="Your input exceeds the context window of this model.",
        batch="responses",
    )
    names: ClassVar[Mapping[str, str]] = {
        r"text\.format|json_schema": "response_format",
        r"reasoning\.effort": "reasoning_effort",
    }

    @property
    def path(self) -> str:
        return "/responses"

    def body(self, asked: ParsedRequest) -> dict[str, Any]:
        body: dict[str, Any] = {"model": self.model, "input": self._items(asked), "max_output_tokens": asked.limit}
        body |= {**asked.settings, "store": False}
        if asked.system:
            body["instructions"] = asked.system
        if asked.functions:
            body["tools"] = [{"type": "function", **one} for one in asked.functions]
            body["parallel_tool_calls"] = False
            if _THINKERS.search(self.model):
                body["include"] = ["reasoning.encrypted_content"]
        if asked.alternatives is not None:
            body |= {"include": [*body.get("include", ()), _LOGPROBS], "top_logprobs": asked.alternatives}
        if asked.schema is not None:
            form = {"type": "json_schema", "name": "move", "schema": asked.schema, "strict": True}
            body["text"] = {"format": form}
        if asked.effort is not None:
            body["reasoning"] = {"effort": asked.effort}
        return body

    def _items(self, asked: ParsedRequest) -> list[dict[str, Any]]:
        items: list[dict[str, Any]] = []
        for turn in self.turns(asked):
            for part in turn["content"]:
                # A text is an item with a role, anything else an item by itself.
                items.append({"role": turn["role"], "content": part["text"]} if part.keys() == {"text"} else part)
        return items

    def text(self, text: str) -> dict[str, Any]:
        return {"text": text}

    def call(self, call: WireCall) -> dict[str, Any]:
        return {"type": "function_call", "call_id": call.id, "name": call.name, "arguments": call.json}

    def result(self, call: WireCall, text: str) -> dict[str, Any]:
        return {"type": "function_call_output", "call_id": call.id, "output": text}

    def call_in(self, part: Mapping[str, Any]) -> WireCall | None:
        if part.get("type") != "function_call":
            return None
        return WireCall(part["call_id"], part["name"], part["arguments"])

    def join(self, events: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
        whole = (event["response"] for event in events if event.get("type") in _ENDS)
        return next(whole, {"output": []})

    def parse_answer(self, answer: Mapping[str, Any]) -> WireReply:
        items, used = answer["output"], answer.get("usage") or {}
        call, native = self.up_to_call(items)
        parts = [part for item in items if item["type"] == "message" for part in item["content"]]
        thoughts = [item for item in items if item["type"] == "reasoning"]
        shown = [one["text"] for item in thoughts for one in item.get("content") or item.get("summary") or ()]
        status = answer.get("status")
        ends = {"incomplete": (answer.get("incomplete_details") or {}).get("reason"), "completed": "stop"}
        finish = "tool_calls" if call is not None and status == "completed" else ends.get(str(status), status)
        details = (used.get("input_tokens_details") or {}).get("cached_tokens")
        thought = (used.get("output_tokens_details") or {}).get("reasoning_tokens")
        return WireReply(
            "".join(part["text"] for part in parts if part["type"] == "output_text"),
            "\n\n".join(shown),
            call,
            native,
            finish,
            usage_of(used.get("input_tokens"), used.get("output_tokens"), details, thought=thought),
            {"model": answer.get("model"), "id": answer.get("id"), "error": answer.get("error")},
            "".join(part["refusal"] for part in parts if part["type"] == "refusal"),
            [token for part in parts for token in part.get("logprobs") or ()],
        )
