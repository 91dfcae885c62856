"""Gemini's generateContent, also at Vertex."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, ClassVar

from econzoo.baselines.models.providers import Provider
from econzoo.baselines.models.wire import OFF, ON, ParsedRequest, Wire, WireCall, WireReply, usage_of

_THINKERS = re.compile(r"gemini-(2\.5|[3-9]|\d\d)")
_BUDGETED = re.compile(r"gemini-2\.5")
"""Models whose thoughts have a budget of tokens; later ones have a level."""

_LEVELS = {"xhigh": "high"}
_SETTINGS = {"temperature": "temperature", "top_p": "topP", "seed": "seed", "stop": "stopSequences"}


class GeminiWire(Wire):
    """generateContent of Gemini: thoughts with signatures, tools, schemas; prompts are cached by the provider."""

    provider: ClassVar[Provider] = Provider(
        title="Gemini",
        on={"thinking": ON},
        off={"thinking": OFF},
        too_long="The input token count (1048577) exceeds the maximum number of tokens allowed (1048576).",
        batch="google",
    )
    names: ClassVar[Mapping[str, str]] = {
        r"response_?(mime_?type|json_?schema|schema)": "response_format",
        r"thinking_?(config|budget|level)|\bthinking\b": "thinking",
        r"function_?declarations": "tools",
        r"stop_?sequences": "stop",
        r"\btop_?p\b": "top_p",
    }
    key: ClassVar[str] = "parts"
    roles: ClassVar[tuple[str, str]] = ("user", "model")

    @property
    def path(self) -> str:
        return f"/models/{self.model.removeprefix('models/')}:generateContent"

    def stream(self, path: str, body: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        return f"{path.replace(':generateContent', ':streamGenerateContent')}?alt=sse", body

    def join(self, events: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
        whole: dict[str, Any] = {}
        candidate: dict[str, Any] = {}
        parts: list[Any] = []
        logprobs: dict[str, list[Any]] = {}
        for event in events:
            whole |= event
            for one in event.get("candidates", ())[:1]:
                candidate |= one
                parts += one.get("content", {}).get("parts", ())
                for name, places in one.get("logprobsResult", {}).items():
                    if isinstance(places, list):
                        logprobs.setdefault(name, []).extend(places)
        content = {"role": "model", "parts": parts}
        return {**whole, "candidates": [{**candidate, "content": content, "logprobsResult": logprobs}]}

    def body(self, asked: ParsedRequest) -> dict[str, Any]:
        settings = {_SETTINGS[name]: value for name, value in asked.settings.items()}
        settings |= {"maxOutputTokens": asked.limit}
        if asked.schema is not None:
            settings |= {"responseMimeType": "application/json", "responseJsonSchema": asked.schema}
        if asked.alternatives is not None:
            settings |= {"responseLogprobs": True, "logprobs": asked.alternatives}
        if thoughts := self._thoughts(asked):
            settings["thinkingConfig"] = thoughts
        body: dict[str, Any] = {"contents": self.turns(asked), "generationConfig": settings}
        if asked.system:
            body["systemInstruction"] = {"parts": [self.text(asked.system)]}
        if asked.functions:
            body["tools"] = [{"functionDeclarations": [_declaration(one) for one in asked.functions]}]
        return body

    def _thoughts(self, asked: ParsedRequest) -> dict[str, Any]:
        if asked.thinking == OFF or asked.effort == "none":
            return {"thinkingBudget": 0}
        shown = {"includeThoughts": True} if _THINKERS.search(self.model) else {}
        if asked.effort is None and (asked.thinking is None or not _BUDGETED.search(self.model)):
            return {"includeThoughts": True} if asked.thinking == ON else shown
        if _BUDGETED.search(self.model):
            return {"includeThoughts": True, "thinkingBudget": self.budget(asked)}
        return {"includeThoughts": True, "thinkingLevel": _LEVELS.get(asked.effort or "", asked.effort)}

    def text(self, text: str) -> dict[str, Any]:
        return {"text": text}

    def call(self, call: WireCall) -> dict[str, Any]:
        return {"functionCall": {"name": call.name, "args": call.arguments}}

    def result(self, call: WireCall, text: str) -> dict[str, Any]:
        named = {"id": call.id} if call.id else {}
        return {"functionResponse": {**named, "name": call.name, "response": {"result": text}}}

    def call_in(self, part: Mapping[str, Any]) -> WireCall | None:
        call = part.get("functionCall")
        return None if call is None else WireCall(call.get("id", ""), call["name"], call.get("args", {}))

    def parse_answer(self, answer: Mapping[str, Any]) -> WireReply:
        # A blocked prompt has no candidate.
        block = (answer.get("promptFeedback") or {}).get("blockReason")
        blocked = {"finishReason": f"content_filter: {block}"}
        candidate: Mapping[str, Any] = blocked if block else answer["candidates"][0]
        parts = candidate.get("content", {}).get("parts", [])
        call, native = self.up_to_call(parts)
        used = answer.get("usageMetadata") or {}
        thought, written = used.get("thoughtsTokenCount", 0), used.get("candidatesTokenCount", 0)
        return WireReply(
            "".join(part["text"] for part in parts if "text" in part and not part.get("thought")),
            "".join(part["text"] for part in parts if "text" in part and part.get("thought")),
            call,
            native,
            candidate.get("finishReason"),
            usage_of(
                used.get("promptTokenCount"), written + thought, used.get("cachedContentTokenCount"), thought=thought
            ),
            {"model": answer.get("modelVersion"), "id": answer.get("responseId")},
            logprobs=_logprobs(candidate.get("logprobsResult") or {}),
        )


class VertexGeminiWire(GeminiWire):
    """generateContent of Gemini at Vertex."""

    provider = replace(GeminiWire.provider, title="Vertex", batch="Google Cloud Storage")

    @property
    def path(self) -> str:
        return f"/publishers/google{super().path}"


def _logprobs(result: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return log probabilities as in chat completions."""
    chosen = [_token(one) for one in result.get("chosenCandidates", ())]
    tops = [[_token(one) for one in place["candidates"]] for place in result.get("topCandidates", ())]
    return [{**one, "top_logprobs": top} for one, top in zip(chosen, tops or [[]] * len(chosen), strict=False)]


def _token(candidate: Mapping[str, Any]) -> dict[str, Any]:
    return {"token": candidate.get("token", ""), "logprob": candidate.get("logProbability", 0.0)}


def _declaration(function: Mapping[str, Any]) -> dict[str, Any]:
    names = {"name": "name", "description": "description", "parameters": "parametersJsonSchema"}
    return {names[name]: value for name, value in function.items() if name in names}
