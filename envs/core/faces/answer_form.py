"""The form of an answer in words: names, units and ranges, and nothing that could be played as it stands.

A model copies what looks like an answer, so a form holds placeholders in angle brackets in the place of values.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from econzoo.envs.core.amounts import ROUND_CEILING, ROUND_FLOOR, dollars
from econzoo.envs.core.contract.actions import ActionSchema, Choice, Kind, Legal, Message
from econzoo.envs.core.contract.marks import Number
from econzoo.envs.core.contract.moves import Bounds

ANY = 1e12
"""Bounds at least as far from 0 are no limit that a player needs to know."""


def answer_form(actions: ActionSchema, legal: Legal) -> str:
    """One JSON object for the kinds of move that are possible now; kinds that differ only by name share one.

    For example ``{"kind":"offer","gain":<dollars that you keep, 0 to 100>}`` or ``{"kind":<one of: accept, reject>}``.
    """
    forms: dict[str, list[str]] = {}
    for index in actions.order:
        if legal.kinds[index]:
            kind = actions.kinds[index]
            forms.setdefault(",".join(_fields(actions, index, kind, legal)), []).append(kind.name)
    named = len(actions.kinds) > 1
    return " or ".join(_object(names, fields, named) for fields, names in forms.items())


def form_of_all(actions: ActionSchema, seats: int) -> str:
    """The same for all kinds of move, without words, and with no ranges but those that never change."""
    bounds = tuple(mark.ever((-ANY, ANY), seats) for marks in actions.marks for mark in marks)
    return answer_form(actions, Legal((True,) * len(actions.kinds), bounds, False))


def _object(names: list[str], fields: str, named: bool) -> str:
    """The form of kinds that take these fields."""
    kind = f"<one of: {', '.join(names)}>" if len(names) > 1 or not fields else f'"{names[0]}"'
    return "{" + ",".join([*([f'"kind":{kind}'] if named else []), *([fields] if fields else [])]) + "}"


def _fields(actions: ActionSchema, index: int, kind: Kind, legal: Legal) -> Iterator[str]:
    """Each field of a kind with what belongs there."""
    bounds = iter(legal.bounds[actions.first[index] :])
    for name, mark in kind.marks.items():
        if isinstance(mark, Number):
            size = actions.group if name in kind.groups else 1
            told = [_number(mark, place, next(bounds)) for place in range(size)]
            yield f'"{name}":' + (f"[{','.join(told)}]" if name in kind.groups else told[0])
        elif isinstance(mark, Message) and legal.messages:
            yield f'"{name}":<{mark.doc}, at most {legal.longest or mark.max_length} characters>'


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
