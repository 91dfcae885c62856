"""Structured face, and the `Face` protocol: codecs between seats and rules.

A face encodes an `InformationState` as an observation and decodes an action to a typed move or an `Invalid`. Faces are
functions of the `InformationState` alone, which comes from `rules.observe`, so that they cannot leak hidden
information. The numeric face is in `econzoo.envs.core.faces.numeric_face`, the text faces are in
`econzoo.envs.core.faces.text_face`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from gymnasium import spaces

from econzoo.envs.core.contract import SEALED, UNKNOWN, Event, Invalid, Legal, short_repr
from econzoo.envs.core.faces.spaces import MoveSpace, NumberSpace, TupleSpace

if TYPE_CHECKING:
    from econzoo.envs.core.contract import Game

_none_if_unknown: Callable[[Any, Any], Any] = {UNKNOWN: None}.get
"""``_none_if_unknown(value, value)`` is None for UNKNOWN, else the value: faster than a comparison in Python."""


class InformationState(NamedTuple):
    """Information and legal moves of one seat.

    Attributes:
        error: Error of its last answer, or None.
        ended: Whether the match has ended for this seat, by the rules, a forfeit or truncation.
    """

    view: Any
    legal: Legal
    events: tuple[Event, ...]
    error: Invalid | None
    ended: bool = False


class Face(Protocol):
    """Codec for one seat of an environment.

    Attributes:
        max_retries: Retries after an invalid action, unless the environment sets a number.
        on_error: What follows after that, unless the environment says otherwise.
        numbers: Integers from 0 to below this one are actions.
        plain: Class of which all values are in the action space; None: no such class.
    """

    name: str
    max_retries: int
    on_error: str
    numbers: int
    plain: type | None
    allowed: str

    def observation_space(self, seed: int) -> spaces.Space: ...

    def action_space(self, seed: int) -> spaces.Space: ...

    def contains(self, action: Any) -> bool:
        """Whether an action is in its space; text and objects are, even if they are no legal move."""

    def observe(self, state: InformationState) -> Any: ...

    def info(self, legal: Legal) -> dict[str, Any]:
        """Return the legality entries of the seat's info as a new dictionary."""

    def decode(self, action: Any, legal: Legal) -> Any:
        """Decode an action to a typed move, or an `Invalid`."""


OUTSIDE_SPACE = "outside_space"
"""Error code of an action outside its space."""


def space_error(face: Face, action: Any, agent: str) -> Invalid | None:
    """Return why an action is outside its space (a bug in the caller's loop or network), or None."""
    if face.contains(action):
        return None
    shape = getattr(action, "shape", None)
    hint = "; only a terminated agent takes None" if action is None else ""
    if shape is not None and prod(shape) == 1 and face.contains(action.item()):
        hint = "; pass int(action) or action.item()"
    text = f"action {short_repr(action)} of {agent} is outside its space; allowed: {face.allowed}{hint}"
    return Invalid(OUTSIDE_SPACE, text)


class StructuredFace:
    """Interface of plain dictionaries with exact amounts and messages; unknown numbers are None."""

    name = "structured"
    max_retries = 2
    on_error = "forfeit"
    numbers = 0
    plain: type | None = dict
    allowed = "an object with keys"

    def __init__(self, game: Game, legal: Legal) -> None:
        self.game, self.legal = game, legal
        self._fields = game.view_type._fields  # type: ignore[attr-defined]
        self._parse = game.actions.parse
        self._names: dict[tuple[bool, ...], tuple[str, ...]] = {}
        self._plain_events: tuple[tuple[Event, ...], tuple[dict[str, Any], ...]] = ((), ())

    def observation_space(self, seed: int) -> spaces.Dict:
        """Return the space of the view's fields and of legal moves, history, ``error`` and ``ended``.

        ``bounds``, ``span`` and ``grid`` have a pair (low, high) for each number of all kinds of move, in the order of
        declaration: legal values, sensible values, and range of the numeric face's grid.
        """
        parts: dict[str, spaces.Space] = {name: NumberSpace() for name in self._fields}
        parts["bounds"] = TupleSpace("pairs of numbers")
        parts["span"] = parts["grid"] = TupleSpace("pairs of numbers")
        parts["legal_actions"] = TupleSpace("names")
        parts["history"] = TupleSpace("moves")
        parts["error"] = TupleSpace("words")
        parts["ended"] = NumberSpace()
        return spaces.Dict(parts, seed=seed)

    def action_space(self, seed: int) -> MoveSpace:
        """Return the space of plain dictionaries of typed moves."""
        return MoveSpace(self.game.actions, self.legal, seed)

    def contains(self, action: Any) -> bool:
        """Whether an action is an object, a text or a typed move."""
        return isinstance(action, Mapping | str) or action.__class__ in self.game.actions.models

    def names(self, legal: Legal) -> tuple[str, ...]:
        """Return the names of the legal kinds of move."""
        names = self._names.get(legal.kinds)
        if names is None:
            names = tuple(n for n, ok in zip(self.game.actions.names, legal.kinds, strict=True) if ok)
            self._names[legal.kinds] = names
        return names

    def observe(self, state: InformationState) -> dict[str, Any]:
        """Return the view as a dictionary, with history and legal moves."""
        view, legal, events, error, ended = state
        out = dict(zip(self._fields, map(_none_if_unknown, view, view)))  # noqa: B905 (strict costs a fifth)
        kinds, bounds, _, span, _, _, grid = legal
        out["bounds"] = bounds
        out["span"] = usual = bounds if span is None else span
        out["grid"] = usual if grid is None else grid
        out["legal_actions"] = self._names.get(kinds) or self.names(legal)
        out["history"] = self.history(events)
        out["error"] = () if error is None else tuple(error)
        out["ended"] = ended
        return out

    def history(self, events: tuple[Event, ...]) -> tuple[dict[str, Any], ...]:
        """Return the events as plain dictionaries, oldest first; cached incrementally."""
        cached_events, plain = self._plain_events
        if cached_events is events:
            return plain
        count = len(cached_events)
        # Histories only grow: the same last event implies the same prefix.
        if count > len(events) or (count and events[count - 1] is not cached_events[-1]):
            count, plain = 0, ()
        plain += tuple([plain_event(self.game, event) for event in events[count:]])
        self._plain_events = (events, plain)
        return plain

    def info(self, legal: Legal) -> dict[str, Any]:
        """Return the names of the legal kinds of move."""
        return {"legal_actions": self.names(legal)}

    def decode(self, action: Any, legal: Legal) -> Any:
        """Decode a plain dictionary or typed move."""
        if isinstance(action, tuple) and action.__class__ in self.game.actions.models:
            action = self.game.actions.to_plain(action)
        return self._parse(action, legal)


def plain_event(game: Game, event: Event) -> dict[str, Any]:
    """Convert an event to a plain dictionary: seat, round, moment, and the keys of its move and fact.

    A hidden move has the kind ``sealed``; a fact without an action has the kind ``revealed``.
    """
    seat, round, action, fact, moment = event
    if action.__class__ in game.actions.models:
        plain = game.actions.to_plain(action, seat=seat, round=round, moment=moment)
    else:
        plain = {"seat": seat, "round": round, "moment": moment, "sealed" if action == SEALED else "revealed": True}
    return plain if fact is None else {**plain, **fact._asdict()}


_EVENT_KEYS = ("seat", "round", "moment", "revealed", "sealed")


def event_from_plain(game: Game, plain: dict[str, Any]) -> Event:
    """Convert a plain dictionary from `plain_event` back; ``moment`` is optional."""
    keys = {key: value for key, value in plain.items() if key not in _EVENT_KEYS}
    result, fact = game.rules.Result, None
    if result is not None and keys.keys() >= set(result._fields):
        fact = result(*(keys.pop(name) for name in result._fields))
    action: Any = SEALED if "sealed" in plain else None
    if action is None and "revealed" not in plain:
        action = game.actions.from_plain(keys)
    return Event(plain["seat"], plain["round"], action, fact, plain.get("moment", 0))


def parse_structured_observation(
    game: Game, observation: dict[str, Any], messages: int, longest: int | None = None
) -> InformationState:
    """Reconstruct the information state from a structured observation.

    Wrappers use it to change the face of an existing environment.
    """
    fields = game.view_type._fields  # type: ignore[attr-defined]
    view = game.view_type(*(UNKNOWN if observation[n] is None else observation[n] for n in fields))
    kinds = tuple(name in observation["legal_actions"] for name in game.actions.names)
    error = Invalid(*observation["error"]) if observation["error"] else None
    events = tuple(event_from_plain(game, plain) for plain in observation["history"])
    bounds, span, grid = (tuple(observation[name]) for name in ("bounds", "span", "grid"))
    legal = Legal(kinds, bounds, messages, span, longest, None, grid)
    return InformationState(view, legal, events, error, observation["ended"])
