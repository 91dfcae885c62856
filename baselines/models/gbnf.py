"""Convert JSON schemas to GBNF, the grammars of llama.cpp.

Its own conversion leaves out bounds of decimal numbers, and allows line breaks and indentation, in which small models
get lost. Here JSON is on one line, and numbers have at most four decimals within their bounds.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from econzoo.baselines.models.chat import Schema
from econzoo.baselines.models.constrained_decoding import add_number_bounds
from econzoo.envs.core.contract import parse_json

DECIMALS = 4
"""Most decimals of a number; bounds with more are narrowed to these."""

_CHARACTER = r'([^"\\\x00-\x1F\x7F] | "\\" ["\\nt])'
_DATA = ("description", "title", "default")
"""Keywords that constrain nothing."""

_KEYWORDS = {
    "object": {"properties", "required", "additionalProperties"},
    "array": {"items", "prefixItems", "minItems", "maxItems"},
    "string": {"minLength", "maxLength"},
    "number": {"minimum", "maximum"},
    "integer": {"minimum", "maximum"},
    "boolean": set[str](),
    "null": set[str](),
}


def to_gbnf(schema: Schema) -> str:
    """Return a grammar with exactly the replies that a schema allows, up to blanks and decimals.

    Raises:
        ValueError: A keyword or combination that games and tools do not use.
    """
    return f"root ::= {_rule(add_number_bounds(schema))}\n"


def longest_text(schema: Schema) -> int:
    """Return the most characters of all texts in a reply; texts without a limit count as empty."""
    if "anyOf" in schema:
        return max(map(longest_text, schema["anyOf"]))
    parts = [*schema.get("properties", {}).values(), *schema.get("prefixItems", ())]
    same = schema.get("items") or None
    several = longest_text(same) * schema.get("maxItems", 1) if same else 0
    return int(schema.get("maxLength", 0)) + sum(map(longest_text, parts)) + several


def close_text(text: str, schema: Schema) -> str | None:
    """Return a reply that was cut within its last text with text and brackets closed; None for other replies."""
    closers, quoted, escaped = "", False, False
    for sign in text:
        if escaped or sign == "\\":
            escaped = not escaped
        elif sign == '"':
            quoted = not quoted
        elif not quoted and sign in "{[":
            closers = "}]"["{[".index(sign)] + closers
        elif not quoted and sign in "}]":
            closers = closers[1:]
    whole = f'{text[: len(text) - escaped]}"{closers}'
    try:
        value = parse_json(whole) if quoted else None
    except ValueError:
        return None
    options = schema.get("anyOf", [schema])
    fits = isinstance(value, dict) and any(_has_fields(value, option.get("properties", {})) for option in options)
    return whole if fits else None


def _has_fields(value: Mapping[str, Any], fields: Mapping[str, Any]) -> bool:
    return value.keys() == fields.keys() and all(
        value[key] == one.get("const", value[key]) for key, one in fields.items()
    )


def _rule(schema: Mapping[str, Any]) -> str:
    known = {key: value for key, value in schema.items() if key not in _DATA}
    if "anyOf" in known and len(known) == 1:
        return _any(*map(_rule, known["anyOf"]))
    values = [known["const"]] if "const" in known else known.get("enum")
    if values is not None:
        return _any(*(_literal(json.dumps(value, ensure_ascii=False)) for value in values))
    kind = known.pop("type", None)
    if kind not in _KEYWORDS or not known.keys() <= _KEYWORDS[kind]:
        raise ValueError(f"schema without a grammar: {json.dumps(schema)[:200]}")
    return _MAKERS[kind](known)


def _object(known: Mapping[str, Any]) -> str:
    fields = known.get("properties", {})
    if set(known.get("required", ())) != set(fields) or known.get("additionalProperties") is not False:
        raise ValueError("schema without a grammar: an object with optional or further keys")
    pairs = [f"{_literal(json.dumps(key) + ': ')} {_rule(field)}" for key, field in fields.items()]
    return " ".join([_literal("{"), f" {_literal(', ')} ".join(pairs), _literal("}")])


def _array(known: Mapping[str, Any]) -> str:
    items = [_rule(item) for item in known.get("prefixItems", ())]
    if not items:
        if known.get("minItems") != known.get("maxItems") or not isinstance(known.get("items"), Mapping):
            raise ValueError("schema without a grammar: an array of variable length")
        items = [_rule(known["items"])] * known["maxItems"]
    return " ".join([_literal("["), f" {_literal(', ')} ".join(items), _literal("]")])


def _string(known: Mapping[str, Any]) -> str:
    return rf'"\"" {_CHARACTER}{{{known.get("minLength", 0)},{known.get("maxLength", "")}}} "\""'


def _number(known: Mapping[str, Any], decimals: int = DECIMALS) -> str:
    low, high = (Fraction(repr(known[end])) for end in ("minimum", "maximum"))  # as written, not as binary
    kinds = [part for places in range(decimals + 1) for part in _numbers(low, high, places)]
    if not kinds:
        raise ValueError(f"schema without a grammar: no number from {float(low):g} to {float(high):g}")
    return _any(*kinds)


def _numbers(low: Fraction, high: Fraction, places: int) -> list[str]:
    """Return rules for the numbers within bounds that have exactly so many decimals."""
    least, most = math.ceil(low * 10**places), math.floor(high * 10**places)
    rules = [*_digits(max(least, 0), most, places)]
    # Zero has no sign.
    return [*rules, *(f'"-" {rule}' for rule in _digits(max(-most, 1), -least, places))]


def _digits(least: int, most: int, places: int) -> list[str]:
    """Return rules for numbers in units of the last decimal, one for each number of digits."""
    out, low = [], least
    while low <= most:
        # Before the point stands at least one digit.
        high = min(most, 10 ** max(len(str(low)), places + 1) - 1)
        texts = [str(number).zfill(places + 1) for number in (low, high)]
        out.append(
            _between(*(text[: len(text) - places] + "." * (places > 0) + text[len(text) - places :] for text in texts))
        )
        low = high + 1
    return out


def _between(low: str, high: str) -> str:
    """Return a rule for the texts of digits between two of equal length, whose points are in the same place."""
    if not low:
        return '""'
    first, last, rest = low[0], high[0], len(low) - 1
    if first == last:
        return f"{_literal(first)} {_between(low[1:], high[1:])}" if rest else _literal(first)
    zeros, nines = ("".join(one if one == "." else digit for one in low[1:]) for digit in "09")
    parts = []
    if low[1:] != zeros:
        parts.append(f"{_literal(first)} {_between(low[1:], nines)}")
        first = chr(ord(first) + 1)
    ends = high[1:] != nines
    if first <= (inner := chr(ord(last) - ends)):
        parts.append(f"[{first}-{inner}] {_free(low[1:])}")
    if ends:
        parts.append(f"{_literal(last)} {_between(zeros, high[1:])}")
    return _any(*parts)


def _free(shape: str) -> str:
    """Return a rule for any digits in the places of a text's digits."""
    return " ".join('"."' if one == "." else "[0-9]" for one in shape)


def _any(*rules: str) -> str:
    return rules[0] if len(rules) == 1 else f"({' | '.join(rules)})"


def _literal(text: str) -> str:
    # Of the escapes of JSON, GBNF knows those of quotes and backslashes.
    return json.dumps(text, ensure_ascii=False)


_MAKERS = {
    "object": _object,
    "array": _array,
    "string": _string,
    "number": _number,
    "integer": lambda known: _number(known, 0),
    "boolean": lambda known: '("true" | "false")',
    "null": lambda known: '"null"',
}
