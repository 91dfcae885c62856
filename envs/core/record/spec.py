"""Player specs: name, identity and label in tables.

A spec may begin with a name, as in ``fast=openai:gpt-5``, or have it among its options, as in
``openai:gpt-5?name=fast``. The name, the transport options and the address of a server are not part of the player's
identity: changing them neither changes ids of matches nor prevents resuming a run.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import takewhile
from typing import NamedTuple
from urllib.parse import parse_qsl

from econzoo.envs.core.contract import clean

TRANSPORT = frozenset(
    (
        "price_per_million",
        "batch_price",
        "requests_per_minute",
        "tokens_per_minute",
        "concurrency",
        "max_retries",
        "timeout",
        "batch_size",
        "cache",
        "device",
        "threads",
    )
)
"""Options of transport and cost, which are not part of a player's identity."""

NATIVE_PREFIXES = ("anthropic", "google", "openai-responses", "bedrock", "vertex")
"""Prefixes of models behind their provider's own interface."""

SERVER_PREFIXES = ("openai", *NATIVE_PREFIXES)
"""Prefixes of models behind a server; followed by ``MODEL`` or ``MODEL@URL``."""

MODEL_PREFIXES = ("hf", "gguf", *SERVER_PREFIXES, "mock")
"""Prefixes of language models and their stand-in."""

_ADDRESS = re.compile(r"@(?!(\d+|default|latest)$)[^@]*$")
"""An address behind a model's name, which may itself end in a date or so (Vertex)."""

NAME = r"[^\W_](?:[\w .-]{0,38}[\w.-])?"
"""Pattern of names, see `ALLOWED_NAME`."""

ALLOWED_NAME = "one name of up to 40 letters, digits, blanks and _ . -, a letter or digit first"

SHORT_LABEL_LENGTH = 22
"""Characters up to which labels are not shortened."""

MAX_LABEL_LENGTH = 60
"""Maximum characters of a label."""

_NAMED_SPEC = re.compile(rf"(?P<name>{NAME})=(?P<spec>\s*[A-Za-z].*)", re.DOTALL)
_PREFIX = re.compile(r"[A-Za-z][\w-]*:")
_NESTED_SPEC = re.compile(r"""(?P<quote>["'])(?P<spec>[A-Za-z][\w-]*:.*?)(?P=quote)""")
"""Model used by another player, as in ``grim(reader='hf:PATH')``."""
_PATH = re.compile(r"[^\s{}()\[\]*'\"]+")


class NamedSpec(NamedTuple):
    """A spec split into name and rest.

    Attributes:
        name: Name of the player; empty: none.
    """

    name: str
    spec: str


@lru_cache(maxsize=4096)
def split_name(spec: str) -> NamedSpec:
    """Split a spec into name and rest; raise `ValueError` if a name is invalid, or there are two."""
    found = _NAMED_SPEC.fullmatch(spec.strip())
    front, rest = (found["name"], found["spec"].strip()) if found else ("", spec.strip())
    target, options = _split_options(rest)
    given = [value for key, value in parse_qsl("&".join(options), keep_blank_values=True) if key == "name"]
    if not given:
        return NamedSpec(front, rest)
    for name in given:
        if not re.fullmatch(NAME, name) or len({*given, front} - {""}) > 1:
            raise ValueError(f"player {spec[:80]!r}: invalid name={name!r}: expected {ALLOWED_NAME}")
    return NamedSpec(given[0], _join_options(target, [one for one in options if one.partition("=")[0] != "name"]))


@lru_cache(maxsize=4096)
def identity(spec: str) -> str:
    """Return the spec without name, transport options and address."""
    if ":" not in spec and "=" not in spec:
        return spec
    try:
        target, options = _split_options(split_name(spec).spec)
    except ValueError:  # not a spec, but a label from elsewhere
        return spec
    if not options:
        target = _NESTED_SPEC.sub(lambda found: found["quote"] + identity(found["spec"]) + found["quote"], target)
    if target.partition(":")[0] in SERVER_PREFIXES:
        target = split_address(target)[0]
    return _join_options(target, [one for one in options if one.partition("=")[0] not in TRANSPORT])


def split_address(target: str) -> tuple[str, str]:
    """Split ``MODEL@URL``; the address is empty if there is none."""
    found = _ADDRESS.search(target)
    return (target[: found.start()], target[found.start() + 1 :]) if found else (target, "")


def _split_options(spec: str) -> tuple[str, list[str]]:
    """Split into ``PREFIX:TARGET`` and raw options, which only specs with a prefix have."""
    if not _PREFIX.match(spec):
        return spec, []
    target, _, query = spec.partition("?")
    return target, query.split("&") if query else []


def _join_options(target: str, options: list[str]) -> str:
    return f"{target}?{'&'.join(options)}" if options else target


def label(spec: str) -> str:
    """Return the label of a single player; see `labels`."""
    return labels([spec])[spec]


def labels(specs: Iterable[str]) -> dict[str, str]:
    """Return the labels of players by spec: equal for specs of one player, distinct for different players.

    The label is the (last given) name if there is one, else the spec, for models without the address. Long specs are
    reduced to the last part of a path or model name with only the options that distinguish it from others of the same
    model. Labels are limited in length; see `econzoo.envs.core.record.spec`.
    """
    every = list(dict.fromkeys(specs))
    names: dict[str, str] = {}
    for spec in every:
        names[identity(spec)] = _player_name(spec) or names.get(identity(spec), "")
    found = distinct_forms(
        {who: _label_choices(who, name, list(names)) for who, name in names.items()}, [*filter(names.get, names)]
    )
    short = distinct_short_forms(found.values(), MAX_LABEL_LENGTH)
    return {spec: short[found[identity(spec)]] for spec in every}


def _player_name(spec: str) -> str:
    try:
        return split_name(spec).name
    except ValueError:
        return ""


def _label_choices(who: str, name: str, others: list[str]) -> list[str]:
    """Return candidate labels of a player, shortest first; the last one is unique."""
    target, options = _split_options(who)
    models = _model_names(target)
    alike = [set(_split_options(one)[1]) for one in others if _split_options(one)[0] == target]
    common = set.intersection(*alike) if alike else set()
    telling = [one for one in options if one not in common]
    whole = [_join_options(models[0], options)]
    every = [_join_options(model, given) for model in models for given in ([], telling, options)]
    if len(whole[0]) > SHORT_LABEL_LENGTH:
        whole = []
    named = [name, f"{name} ({_join_options(models[0], telling)})"] if name else []
    return [*named, *dict.fromkeys([*whole, *every, who])]


def _model_names(target: str) -> list[str]:
    """Return candidate names of a target: the last part of its path, then more of it."""
    prefix, _, rest = target.partition(":")
    if prefix not in SERVER_PREFIXES and (
        len(target) <= SHORT_LABEL_LENGTH or "/" not in rest or not _PATH.fullmatch(rest)
    ):
        return [target]
    parts = rest.rstrip("/").split("/")
    return ["/".join(parts[at:]) for at in reversed(range(len(parts)))]


# Short forms


ELLIPSIS = "…"


def elide(text: str, length: int) -> str:
    """Shorten a text to one line of a length, keeping beginning and end.

    The result has no control or bidirectional characters.
    """
    text = " ".join(clean(text).split())
    if len(text) <= length:
        return text
    end = (length - 1) // 2
    return f"{text[: length - 1 - end]}{ELLIPSIS}{text[len(text) - end :]}"


def distinct_short_forms(texts: Iterable[str], length: int) -> dict[str, str]:
    """Shorten texts to a length such that no two are equal.

    Texts that fit are unchanged. Others are elided (`elide`), or, if ambiguous, reduced to the part where they first
    differ; texts that look the same are numbered.

    Args:
        length: Maximum characters of a short form, >= 16.
    """
    every = sorted(set(texts))
    choices = {}
    for at, text in enumerate(every):
        tag = f" ({at + 1})"
        forms = elide(text, length), _difference(every, at, length), elide(text, length - len(tag)) + tag
        choices[text] = list(dict.fromkeys(forms))
    return distinct_forms(choices, [text for text in every if choices[text][0] == text])


def _difference(every: Sequence[str], at: int, length: int) -> str:
    """Return the beginning of a sorted text and the part from where it differs from its neighbours."""
    text = every[at]
    beside = [*every[at - 1 : at], *every[at + 1 : at + 2]]
    begin = max((_common_prefix_length(text, other) for other in beside), default=0)
    head = length // 3
    # A few characters ahead of the difference as context. The limit is never reached: here `elide` only cleans.
    part = elide(text[max(begin - 4, 0) :][: 2 * length], 3 * length)
    return f"{elide(text[:head], head)}{ELLIPSIS}{part[: length - head - 2]}{ELLIPSIS}"


def _common_prefix_length(one: str, other: str) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def distinct_forms(choices: Mapping[str, Sequence[str]], kept_names: Collection[str] = ()) -> dict[str, str]:
    """Choose the best form of each name such that no two are equal, given distinct last forms.

    Args:
        choices: Name to its forms, best first.
        kept_names: Names that keep their best forms if others can change.
    """
    level = dict.fromkeys(choices, 0)
    # Every pass raises at least one level, and last forms are distinct: the loop ends.
    while True:
        shown = {name: choices[name][at] for name, at in level.items()}
        count = Counter(shown.values())
        able = [name for name in choices if count[shown[name]] > 1 and level[name] + 1 < len(choices[name])]
        if not able:
            return shown
        for name in [name for name in able if name not in kept_names] or able:
            level[name] += 1


# Labels of players


class PlayerLabels:
    """Base class of objects with labelled players.

    Labels are in a slot, not a field, because they depend on the table and are not recorded.
    """

    __slots__ = ("_labels",)
    players: list[str]
    _labels: list[str]

    @property
    def labels(self) -> list[str]:
        """Labels of the players by seat; see `econzoo.envs.core.record.spec.labels`."""
        if not hasattr(self, "_labels"):
            label_players([self])
        return self._labels


def label_players(matches: Sequence[PlayerLabels], specs: Iterable[str] = ()) -> dict[str, str]:
    """Assign labels to the players of all matches in the same tables; return the label of each spec."""
    found = labels([*dict.fromkeys(spec for match in matches for spec in match.players), *specs])
    own = {players: [found[spec] for spec in players] for players in {tuple(match.players) for match in matches}}
    for match in matches:
        match._labels = own[tuple(match.players)]
    return found
