"""What served the replies of language models, where it matters for a comparison, in sentences."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from urllib.parse import parse_qsl

from econzoo.envs.core import format_count
from econzoo.envs.core.contract import parse_json
from econzoo.envs.core.faces import join_names
from econzoo.envs.core.record import SERVER_PREFIXES, Record, elide, split_address, split_name
from econzoo.evaluate.show import sanitize_text

NOUNS = {"model": "model", "provider": "upstream provider", "fingerprint": "system fingerprint"}
"""Field of `Served` to its noun."""

MAX_NAMES = 4
"""Most names that are listed with their counts."""

MAX_LENGTH = 60
"""Maximum characters of a name."""

PINS = ("only", "order")
"""Keys of OpenRouter's ``provider`` that choose the upstream."""

_SUFFIX = re.compile(
    r"[-@:._](latest|preview|exp|free|nitro|floor|exacto|\d{3,}|\d{4}-\d\d-\d\d|\d\d-\d\d|\d\d-\d{4}|v\d+:\d+)$"
)
"""Date, version or routing at the end of a model's name."""


def served_notes(records: Iterable[Record]) -> list[str]:
    """Return a sentence on each player that several models or servers served, or another model than requested.

    Another tells of a router that chose the upstream provider. The records are labelled
    (see `econzoo.envs.core.record.spec`).
    """
    specs: dict[str, str] = {}
    found: dict[str, dict[str, Counter[str]]] = {}  # numbers of replies by label, field of `Served` and value
    for record in records:
        if not any(":" in spec for spec in record.players) and {*record.faces} <= {"numeric", "structured"}:
            continue  # without models; its turns may be on the disk
        for turn in record.turns:
            label = record.labels[turn.seat]
            for served in (turn.served, *(call.get("served", {}) for call in turn.calls)):
                if served:
                    specs.setdefault(label, record.players[turn.seat])
                    counts = found.setdefault(label, {name: Counter() for name in NOUNS})
                    for name in NOUNS.keys() & served.keys():
                        counts[name][str(served.get(name))] += 1
    return [note for label, counts in sorted(found.items()) for note in _notes(label, specs[label], counts)]


def _notes(label: str, spec: str, counts: Mapping[str, Counter[str]]) -> Iterator[str]:
    player = sanitize_text(label)
    several = {name: values for name, values in counts.items() if len(values) > 1}
    if several:
        each = [f"{format_count(len(values), NOUNS[name])} ({_name_list(values)})" for name, values in several.items()]
        yield f"{player} was served by {join_names(each)}; numbers are replies."
    models, (requested, options) = counts["model"], _request(spec)
    others = Counter({name: models[name] for name in models if requested and not is_same_model(name, requested)})
    if others:
        name, share = sanitize_text(elide(requested, MAX_LENGTH)), f"{others.total():,} of {models.total():,} replies"
        yield f"{player} requested {name}, but {share} came from other models ({_name_list(others)})."
    if counts["provider"] and not _is_pinned(options):
        pin = 'extra_body={"provider": {"only": [NAME]}}'
        yield f"The upstream provider of {player} was chosen by the router; {pin} pins one."


def _name_list(counts: Counter[str]) -> str:
    """Return names with their numbers of replies, the most frequent first."""
    first = [f"{sanitize_text(elide(name, MAX_LENGTH))}: {n:,}" for name, n in counts.most_common(MAX_NAMES)]
    more = len(counts) - MAX_NAMES
    return ", ".join([*first, *([f"and {more:,} more"] if more > 0 else [])])


def _request(spec: str) -> tuple[str, dict[str, str]]:
    """Return model and options of a served model's spec; no model for other players."""
    try:
        target, _, query = split_name(spec).spec.partition("?")
    except ValueError:  # a label from elsewhere
        return "", {}
    prefix, _, model = target.partition(":")
    return split_address(model)[0] if prefix in SERVER_PREFIXES else "", dict(parse_qsl(query))


def _is_pinned(options: dict[str, str]) -> bool:
    try:
        return any(key in parse_json(options["extra_body"])["provider"] for key in PINS)
    except (KeyError, TypeError, ValueError):
        return False


def is_same_model(served: str, requested: str) -> bool:
    """Whether two names of a model differ at most in owner, date, version or routing at the end."""
    return _base(served) == _base(requested)


def _base(name: str) -> str:
    name = name.lower().rpartition("/")[2]
    while (shorter := _SUFFIX.sub("", name)) != name:
        name = shorter
    return name
