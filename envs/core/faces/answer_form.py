"""The form of an answer in words: names, units and ranges, and nothing that could be played as it stands.

A model copies what looks like an answer, so a form holds placeholders in angle brackets in the place of values.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from econzoo.envs.core.amounts import ROUND_CEILING, ROUND_FLOOR, dollars
from econzoo.envs.core.contract.actions import ActionSchema, Choice, Kind, Legal, Message
from econzoo.envs.core.contract.marks import Number
from econzoo.envs.core.contract.moves import Bounds

_MARKS = str.maketrans("", "", "<>")
"""Takes the marks of placeholders away."""

ANY = 1e12
"""Bounds at least as far from 0 are no limit that a player needs to know."""


def answer_form(actions: ActionSchema, legal: Legal) -> str:
    """One JSON object for the kinds of move that are possible now; kinds that differ only by name share one.

    For example ``{"kind":"offer","gain":<dollars that you keep, 0 to 100>}`` or ``{"kind":<one of: accept, reject>}``.
    """
    named = len(actions.kinds) > 1
    forms = [(names, ",".join([f'"{key}":{told}' for key, told in fields])) for names, fields in _forms(actions, legal)]
    return " or ".join(_object(names, fields, named) for names, fields in forms)


def answer_in_words(actions: ActionSchema, legal: Legal) -> str:
    """The same without an object: sentences that name the keys and what belongs there.

    For example ``Keys: "kind" (offer); "gain" (dollars that you keep, 0 to 100).``
    """
    sentences = []
    for names, fields in _forms(actions, legal):
        kind = [f'"kind" ({" or ".join(names)})'] if len(actions.kinds) > 1 else []
        sentences.append("; ".join([*kind, *(f'"{key}" ({_in_words(told)})' for key, told in fields)]))
    return " Or: ".join(f"Keys: {sentence}." for sentence in sentences)


def _in_words(placeholders: str) -> str:
    """What placeholders say, without their marks."""
    return placeholders.replace(">,<", "; ").translate(_MARKS)


def _forms(actions: ActionSchema, legal: Legal) -> list[tuple[list[str], tuple[tuple[str, str], ...]]]:
    """(names of kinds, (key, placeholder) of each of their fields) of what is possible now, in the order of telling."""
    forms: dict[tuple[tuple[str, str], ...], list[str]] = {}
    for index in actions.order:
        if legal.kinds[index]:
            kind = actions.kinds[index]
            forms.setdefault(tuple(_fields(actions, index, kind, legal)), []).append(kind.name)
    return [(names, fields) for fields, names in forms.items()]


def form_of_all(actions: ActionSchema, seats: int) -> str:
    """The same for all kinds of move, without words, and with no ranges but those that never change."""
    bounds = tuple(mark.ever((-ANY, ANY), seats) for marks in actions.marks for mark in marks)
    return answer_form(actions, Legal((True,) * len(actions.kinds), bounds, False))


def _object(names: list[str], fields: str, named: bool) -> str:
    """The form of kinds that take these fields."""
    kind = f"<one of: {', '.join(names)}>" if len(names) > 1 or not fields else f'"{names[0]}"'
    return "{" + ",".join([*([f'"kind":{kind}'] if named else []), *([fields] if fields else [])]) + "}"


def _fields(actions: ActionSchema, index: int, kind: Kind, legal: Legal) -> Iterator[tuple[str, str]]:
    """Each field of a kind with what belongs there."""
    bounds = iter(legal.bounds[actions.first[index] :])
    for name, mark in kind.marks.items():
        if isinstance(mark, Number):
            size = actions.group if name in kind.groups else 1
            told = [_number(mark, place, next(bounds)) for place in range(size)]
            yield name, f"[{','.join(told)}]" if name in kind.groups else told[0]
        elif isinstance(mark, Message) and legal.messages:
            yield name, f"<{mark.doc}, at most {legal.longest or mark.max_length} characters>"


def _number(mark: Number, place: int, bounds: Bounds) -> str:
    if isinstance(mark, Choice):
        return f"<{mark.told(place)}, one of: {', '.join(mark.possible(bounds))}>"
    return f"<{', '.join([mark.told(place), *_range(bounds, mark.whole)])}>"


def _range(bounds: Bounds, whole: bool) -> Iterable[str]:
    """In which range a number lies, as far as it has one."""
    roundings = ROUND_CEILING, ROUND_FLOOR  # nothing beyond the bounds may be shown
    low, high = (None if abs(x) >= ANY else dollars(x, way) for x, way in zip(bounds, roundings, strict=True))
    what = "a whole number" if whole else "a number"
    if low is None or high is None:
        return [f"{what}, {low} or more"] if low else [f"{what}, {high} or less"] if high else [what]
    return [f"{what} from {low} to {high}" if low != high else f"no other than {low}"]
