"""Answers that a strict schema allows: any at all, and those of one kind as a model means them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from econzoo.baselines.models.mock_chat import sample_from_schema

Schema = Mapping[str, Any]
NULL = {"type": "null"}


def any_answer(schema: Schema, rng: np.random.Generator) -> dict[str, Any]:
    """Each key by itself, so that kinds of answer are mixed."""
    return {key: _drawn(field, rng) for key, field in schema["properties"].items()}


def fitting_answer(schema: Schema, rng: np.random.Generator) -> dict[str, Any]:
    """One of a kind: a key is null where the schema says so."""
    answer = any_answer(schema, rng)
    kind = next((answer[key] for key, field in schema["properties"].items() if _values(field) and answer[key]), None)
    for key, field in schema["properties"].items():
        if NULL in field.get("anyOf", ()):
            others = field.get("description", "").rpartition("null with ")[2].split(", ")
            answer[key] = None if kind in others else sample_from_schema(_said(field), rng)
    return answer


def _drawn(field: Schema, rng: np.random.Generator) -> Any:
    return None if NULL in field.get("anyOf", ()) and rng.random() < 0.3 else sample_from_schema(_said(field), rng)


def _said(field: Schema) -> Schema:
    return {"anyOf": [part for part in field["anyOf"] if part != NULL]} if "anyOf" in field else field


def _values(field: Schema) -> list[str]:
    return [name for part in field.get("anyOf", [field]) for name in part.get("enum", ())]


def wrongs(schema: Any, root: bool = True) -> list[str]:
    """What OpenAI's strict mode would refuse, by what its documentation says."""
    known = {"type", "description", "enum", "anyOf", "properties", "required", "additionalProperties", "items"}
    known |= {"minimum", "maximum", "minItems", "maxItems"}
    out = [f"keyword {key}" for key in schema if key not in known]
    if root and schema.get("type") != "object":
        out.append("the root is no object")
    if not ("type" in schema or ("anyOf" in schema and not root)):
        out.append("no type")
    if schema.get("type") == "object":
        out += [] if schema.get("additionalProperties") is False else ["additionalProperties"]
        out += [] if list(schema.get("required", ())) == list(schema["properties"]) else ["required"]
    if schema.get("type") == "array" and not isinstance(schema.get("items"), Mapping):
        out.append("an array without items")
    parts = [*schema.get("properties", {}).values(), *schema.get("anyOf", ())]
    parts += [schema["items"]] if isinstance(schema.get("items"), Mapping) else []
    return out + [wrong for part in parts for wrong in wrongs(part, root=False)]
