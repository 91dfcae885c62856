"""Probabilities of the kinds of move in a reply.

A reply is an object such as ``{"kind": "accept"}``. Given the reply up to the value of that key, the probability of a
kind is that of the tokens that spell it. They are read at the first token that tells the kinds apart. The schema of the
reply says which kinds there are.
"""

from __future__ import annotations

import json
import math
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

from econzoo.baselines import wants_logprobs
from econzoo.baselines.models.chat import Schema
from econzoo.envs.core.record import Probabilities

_MAX_UNCLEAR = 0.01
"""Maximum share of probability on served tokens that begin several kinds."""

_DIGITS = 6


class Kinds(NamedTuple):
    """The kinds of move that a reply may have, and the key that names them."""

    key: str
    names: tuple[str, ...]

    def remainders(self, text: str) -> dict[str, str]:
        """Return what is left to write of the key with each kind as its value, after a text that may have begun it.

        Kinds that the text has ruled out are left out.
        """
        start = f'"{self.key}":"'
        text = re.sub(rf'"{re.escape(self.key)}"\s*:\s*"', lambda _: start, text)
        forms = {name: f'"{self.key}":{json.dumps(name, ensure_ascii=False)}' for name in self.names}
        written = {name: _overlap(text, form) for name, form in forms.items()}
        most = max(written.values())
        return {name: forms[name][most:] for name, length in written.items() if length == most}


def _overlap(text: str, form: str) -> int:
    """Return the length of the longest end of a text that is a proper beginning of a form."""
    return next((n for n in range(min(len(text), len(form) - 1), 0, -1) if text.endswith(form[:n])), 0)


def kinds_in(schema: Schema | None) -> Kinds | None:
    """Return the kinds of move in a schema of replies; None with fewer than two, or if no key names all of them."""
    options = [] if schema is None else schema.get("anyOf", [schema])
    named = [_constants(option) for option in options]
    moves = [constants for constants in named if "tool" not in constants]
    keys = {key for constants in moves for key in [next(iter(constants), "")]}
    if len(moves) < 2 or len(keys) != 1 or "" in keys:
        return None
    key = keys.pop()
    return Kinds(key, tuple(constants[key] for constants in moves))


def _constants(option: Mapping[str, Any]) -> dict[str, str]:
    fields = option.get("properties", {})
    return {key: field["const"] for key, field in fields.items() if isinstance(field.get("const"), str)}


def wanted_kinds(schema: Schema | None) -> Kinds | None:
    """Return the kinds of a schema whose probabilities are wanted, if any."""
    return kinds_in(schema) if wants_logprobs() else None


def shares_of(masses: Mapping[str, float]) -> dict[str, float]:
    """Return each mass as a share of all; empty if all are 0."""
    total = sum(masses.values())
    return {name: round(mass / total, _DIGITS) for name, mass in masses.items()} if total > 0 else {}


def round_masses(masses: Mapping[str, float]) -> dict[str, float]:
    return {name: min(round(mass, _DIGITS), 1.0) for name, mass in masses.items()}


class Vocabulary:
    """The spellings of all tokens of a model, to find those that begin a text."""

    def __init__(self, spellings: Iterable[bytes]) -> None:
        self.spellings = list(spellings)
        self._sorted = sorted((spelled, token) for token, spelled in enumerate(self.spellings) if spelled)

    def tokens_towards(self, text: str) -> Iterator[int]:
        """Yield the tokens that write a beginning of a text, or all of it and more."""
        wanted = text.encode()
        for end in range(1, len(wanted) + 1):
            part = wanted[:end]
            at = bisect_left(self._sorted, (part, -1))
            while at < len(self._sorted) and self._sorted[at][0].startswith(part):
                if end < len(wanted) and self._sorted[at][0] != part:
                    break
                yield self._sorted[at][1]
                at += 1


# Served models: the likeliest tokens at each place

TokenChoices = Sequence[tuple[str, Mapping[str, float]]]
"""For each token of a reply its text, and the log-probabilities of the likeliest tokens at its place."""


def token_choices(logprobs: Any) -> TokenChoices:
    """Read the log-probabilities of a response: of OpenAI's form, or of the older one with a list for each field."""
    content = _get(logprobs, "content")
    if isinstance(content, list):
        return [
            (
                str(_get(one, "token")),
                {str(_get(top, "token")): _number(_get(top, "logprob")) for top in _get(one, "top_logprobs") or []}
                | {str(_get(one, "token")): _number(_get(one, "logprob"))},
            )
            for one in content
        ]
    texts, tops = _get(logprobs, "tokens"), _get(logprobs, "top_logprobs")
    if not (isinstance(texts, list) and isinstance(tops, list)):
        return []
    return [
        (str(text), {name: _number(value) for name, value in top.items()})
        for text, top in zip(texts, tops, strict=False)
        if isinstance(top, Mapping)
    ]


def has_logprobs(answer: Any) -> bool:
    """Whether a response tells the log-probabilities of its tokens, or has none to tell."""
    choices = getattr(answer, "choices", None) or []
    return not choices or bool(token_choices(getattr(choices[0], "logprobs", None)))


def _get(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)


def _number(value: Any) -> float:
    return float(value) if isinstance(value, int | float) else -math.inf


def served_probabilities(choices: TokenChoices, schema: Schema | None, temperature: float) -> Probabilities:
    """Return the probabilities of the kinds from the likeliest tokens at the place that tells them apart.

    Servers tell log-probabilities at temperature 1, so those of the kinds are computed for the temperature of the
    request. The last such place counts, as the last object of a reply does.

    Returns:
        Empty if the schema has no kinds, no place tells them apart, or likely tokens begin several of them.
    """
    kinds, text = kinds_in(schema), ""
    found: Probabilities = cast("Probabilities", {})
    for token, tops in choices if kinds else ():
        assert kinds is not None
        left = kinds.remainders(text)
        # A place where some kinds are ruled out already is one within a name that several kinds begin with.
        if len(left) == len(kinds.names):
            begun = {top: [name for name, rest in left.items() if _goes_towards(top, rest)] for top in tops}
            if 0 < len(begun.get(token, [])) < len(left):
                found = _read_place(tops, begun, kinds, temperature)
        text += token
    return found


def _goes_towards(token: str, rest: str) -> bool:
    return bool(token) and (rest.startswith(token) or token.startswith(rest))


def _read_place(
    tops: Mapping[str, float], begun: Mapping[str, Sequence[str]], kinds: Kinds, temperature: float
) -> Probabilities:
    raw, at_temperature = dict.fromkeys(kinds.names, 0.0), dict.fromkeys(kinds.names, 0.0)
    unclear, best = 0.0, max(tops[token] for token, names in begun.items() if names)
    for token, names in begun.items():
        if len(names) == 1:
            raw[names[0]] += math.exp(tops[token])
            # Relative to the likeliest token, so that low temperatures do not underflow.
            at_temperature[names[0]] += _power(tops[token] - best, temperature)
        elif names:
            unclear += math.exp(tops[token])
    if unclear > _MAX_UNCLEAR * (sum(raw.values()) + unclear) or not any(at_temperature.values()):
        return cast("Probabilities", {})
    return {"kinds": shares_of(at_temperature), "raw": round_masses(raw)}


def _power(difference: float, temperature: float) -> float:
    """Return exp(difference / temperature); at temperature 0 only the likeliest token counts."""
    return math.exp(difference / temperature) if temperature > 0 else float(difference == 0)
