"""Responses of servers with the OpenAI protocol, whole or in a stream, as one completion."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from econzoo.envs.core.contract import parse_json


class PageError(ValueError):
    """A page in place of JSON, as of a login."""


def read_response(response: Any) -> Any:
    """Return the completion of a raw response.

    Raises:
        ValueError: It is not JSON.
    """
    return _completion(read_json(response.http_response.read()))


def read_json(body: bytes) -> Any:
    """Return a body as plain values.

    Raises:
        PageError: It is a page.
        ValueError: It is not JSON.
    """
    text = body.decode("utf-8", "replace")
    if text.lstrip().startswith("<"):
        raise PageError(" ".join(text.split())[:_SHOWN])
    return parse_json(text)


_SHOWN = 80
"""Characters of a page that are shown."""


def is_stream(http: Any) -> bool:
    """Whether a response is a stream of events; servers that ignore the request for one answer as a whole."""
    return bool(http.headers.get("content-type", "").startswith("text/event-stream"))


def read_stream(response: Any) -> Any:
    """Return the completion of a streamed response; one without a stream, as of servers that ignore it, is read whole.

    Raises:
        ValueError: It is not JSON.
        EOFError: The stream ended ahead of the reply's end.
    """
    http = response.http_response
    if not is_stream(http):
        return read_response(response)
    whole: dict[str, Any] = {}
    choices: dict[int, dict[str, Any]] = {}
    is_done = False
    for chunk in events(http):
        if chunk is None:
            is_done = True
            break
        for choice in chunk.pop("choices", None) or []:
            whole_choice = choices.setdefault(choice.get("index") or 0, {"message": {}})
            _add(whole_choice["message"], choice.pop("delta", None) or {})
            logprobs = choice.pop("logprobs", None)
            if logprobs:
                _add(whole_choice.setdefault("logprobs", {}), logprobs)
            whole_choice.update(
                {name: value for name, value in choice.items() if value is not None or name not in whole_choice}
            )
        whole.update({name: value for name, value in chunk.items() if value is not None or name not in whole})
    found = [choice for _, choice in sorted(choices.items())] if "error" not in whole else []
    if "error" not in whole and not is_done and not any(choice.get("finish_reason") for choice in found):
        raise EOFError(STOPPED)
    return _completion({**whole, "object": "chat.completion", "choices": found})


STOPPED = "the stream ended ahead of the reply's end"


def events(http: Any) -> Iterator[dict[str, Any] | None]:
    """Yield the data of a stream of events, and None at its declared end."""
    for line in http.iter_lines():
        # An event may be in several lines by the standard; no server does that, as JSON fits on one.
        name, _, value = line.partition(":")
        if name != "data" or not value.strip():
            continue
        if value.strip() == "[DONE]":
            yield None
            return
        chunk = parse_json(value)
        if isinstance(chunk, dict):
            yield chunk


_REPEATED = {"role", "type", "id", "format", "name"}
"""Texts that some servers repeat in each part; others are continued."""


def _add(whole: dict[str, Any], part: Mapping[str, Any]) -> None:
    """Add a part of a message: texts are joined, lists by the index of their items, other values replaced."""
    for name, value in part.items():
        known = whole.get(name)
        if value is None or (name in _REPEATED and not value):
            whole.setdefault(name, value)
        elif isinstance(known, list) or isinstance(value, list):
            whole[name] = _add_list(_parts(known), _parts(value))
        elif isinstance(known, str) and isinstance(value, str) and name not in _REPEATED:
            whole[name] = known + value
        elif isinstance(known, dict) and isinstance(value, Mapping):
            _add(known, value)
        else:
            whole[name] = value


def _parts(value: Any) -> list[Any]:
    """Return a content as parts, because some servers send both texts and parts."""
    return value if isinstance(value, list) else [{"type": "text", "text": value}] if value else []


def _add_list(known: list[Any], parts: list[Any]) -> list[Any]:
    places = {one["index"]: one for one in known if isinstance(one, dict) and "index" in one}
    for part in parts:
        if isinstance(part, dict) and part.get("index") in places:
            _add(places[part["index"]], part)
        else:
            known.append(part)
            if isinstance(part, dict) and "index" in part:
                places[part["index"]] = part
    return known


def as_plain(answer: Any) -> Any:
    """Return a response as plain values."""
    return answer.to_dict(warnings=False) if hasattr(answer, "to_dict") else answer


def _completion(body: Any) -> Any:
    """Return a body as the client's type, whose fields need not fit."""
    from openai.types.chat import ChatCompletion

    return ChatCompletion.construct(**body) if isinstance(body, dict) else body
