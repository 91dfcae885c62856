"""Convert JSON schemas to servers' strict mode: one root object in which every key is required.

OpenAI and Anthropic reject ``anyOf`` at the root, ``const`` and ``enum`` without a type, tuple-typed arrays, and
optional keys. So kinds of reply are merged into one object with all keys: a key that a kind lacks is null, which
parsers treat as absent. Dependencies between keys are lost; a reply that mixes kinds is rejected by the parser.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from econzoo.baselines.models.chat import Schema

LIMITS = ("maxLength", "minLength", "pattern", "minimum", "maximum", "minItems", "maxItems")
"""Keywords that some servers reject; the parser of replies checks these limits."""

_NULL = {"type": "null"}
_TYPES = {str: "string", bool: "boolean", int: "integer", float: "number"}


def make_strict(schema: Schema, unsupported: Collection[str] = ()) -> dict[str, Any]:
    """Return a schema in strict form."""
    kinds = [_strict_schema(kind, unsupported) for kind in schema.get("anyOf", [schema])]
    keys = dict.fromkeys(key for kind in kinds for key in kind["properties"])
    return _object({key: _merge_kinds(key, kinds) for key in keys}) if len(kinds) > 1 else kinds[0]


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _merge_kinds(key: str, kinds: list[dict[str, Any]]) -> dict[str, Any]:
    """Merge the schemas of a key over all kinds."""
    fields = _unique(kind["properties"][key] for kind in kinds if key in kind["properties"])
    # Names of all kinds become one list, so that the merged key still excludes any other name.
    if all("enum" in field for field in fields):
        fields = _unique([{"type": fields[0]["type"], "enum": _unique(name for one in fields for name in one["enum"])}])
    others = [name for kind in kinds if key not in kind["properties"] for name in _names(kind)]
    if all(key in kind["properties"] for kind in kinds):
        return fields[0] if len(fields) == 1 else {"anyOf": fields}
    notes = [fields[0]["description"]] if "description" in fields[0] else []
    notes += [f"null with {', '.join(others)}"] if others else []
    return {"anyOf": [*fields, _NULL]} | ({"description": "; ".join(notes)} if notes else {})


def _names(kind: Mapping[str, Any]) -> list[str]:
    """Return the values that identify a kind: its first key with a single value."""
    return next((field["enum"] for field in kind["properties"].values() if len(field.get("enum", ())) == 1), [])


def _unique(values: Iterable[Any]) -> list[Any]:
    out: list[Any] = []
    for value in values:
        if value not in out:
            out.append(value)
    return out


def _strict_schema(schema: Schema, without: Collection[str]) -> dict[str, Any]:
    """Convert a schema to strict form except for ``anyOf`` at its root."""
    out = {key: value for key, value in schema.items() if key not in without}
    if "const" in out:
        out["enum"] = [out.pop("const")]
    if "enum" in out:
        return {"type": _TYPES[type(out["enum"][0])], **out}
    if "anyOf" in out:
        return {**out, "anyOf": [_strict_schema(part, without) for part in out["anyOf"]]}
    if "prefixItems" in out:
        places = _unique(_strict_schema(part, without) for part in out.pop("prefixItems"))
        out["items"] = places[0] if len(places) == 1 else {"anyOf": places}
    elif "items" in out:
        out["items"] = _strict_schema(out["items"], without)
    if "properties" in out:
        needed = out.get("required", ())
        fields = {key: _strict_schema(field, without) for key, field in out["properties"].items()}
        out |= _object({key: one if key in needed else {"anyOf": [one, _NULL]} for key, one in fields.items()})
    return out
