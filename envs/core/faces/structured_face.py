"""Faces: codecs between what a seat sees and does, and the rules.

A face turns `InformationState` (what one seat may know now) into an observation, and an action into a typed move or an
`Invalid`. All faces are functions of the same `InformationState`, which is made of `rules.observe` alone: a face cannot
leak what the rules hide. The numeric face is in `econzoo.envs.core.faces.numeric_face`, the text faces are in
`econzoo.envs.core.faces.text_face`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from gymnasium import spaces

from econzoo.envs.core.contract.events import SEALED, Event
from econzoo.envs.core.contract.moves import Legal
from econzoo.envs.core.contract.notation import UNKNOWN
from econzoo.envs.core.contract.validation import Invalid
from econzoo.envs.core.faces.spaces import MoveSpace, NumberSpace, TupleSpace

if TYPE_CHECKING:
    from econzoo.envs.core.contract.game import Game

_none_if_unknown: Callable[[Any, Any], Any] = {UNKNOWN: None}.get
"""``_known(value, value)`` is None for UNKNOWN and else the value: quicker than a comparison in Python."""


class InformationState(NamedTuple):
    """What one seat may know and do now.

    Attributes:
        view: The rules' ``View`` of the seat.
        legal: What it may do.
        events: What happened so far that it could see.
        error: Why its last answer was no move, or None.
        ended: Whether the match has ended for this seat, be it by the rules, a forfeit or a limit of moves.
    """

    view: Any
    legal: Legal
    events: tuple[Event, ...]
    error: Invalid | None
    ended: bool = False


class Face(Protocol):
    """A codec for one seat of one environment.

    Attributes:
        name: One of `FACES`.
        max_retries: How often an unusable answer is asked for again, unless the environment says otherwise.
        on_error: What follows after that, unless the environment says otherwise.
        numbers: Whole numbers from 0 to below this one are actions.
    """

    name: str
    max_retries: int
    on_error: str
    numbers: int

    def observation_space(self, seed: int) -> spaces.Space:
        """A new observation space."""

    def action_space(self, seed: int) -> spaces.Space:
        """A new action space."""

    def observe(self, state: InformationState) -> Any:
        """The observation."""

    def info(self, legal: Legal) -> dict[str, Any]:
        """What the info of the seat says about legality; a new dictionary."""

    def decode(self, action: Any, legal: Legal) -> Any:
        """A typed move, or an `Invalid`."""


class StructuredFace:
    """Plain dictionaries in and out, with exact amounts and words; None stands where a number is unknown.

    Args:
        game: The game.
        legal: What the seat may do at some time or other.
    """

    name = "structured"
    max_retries = 2
    on_error = "forfeit"
    numbers = 0

    def __init__(self, game: Game, legal: Legal) -> None:
        self.game, self.legal = game, legal
        self._fields = game.view_type._fields  # type: ignore[attr-defined]
        self._parse = game.actions.parse
        self._names: dict[tuple[bool, ...], tuple[str, ...]] = {}
        self._plain_events: tuple[tuple[Event, ...], tuple[dict[str, Any], ...]] = ((), ())

    def observation_space(self, seed: int) -> spaces.Dict:
        """The fields of the view, ``bounds``, ``span``, ``grid``, ``legal_actions``, ``history``, ``error``, ``ended``.

        ``bounds``, ``span`` and ``grid`` have a pair (smallest, largest) for each number of all kinds of move, in the
        order of declaration: what is allowed, what makes sense, and what the steps of the numeric face are spread over.
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
        """Plain dictionaries of typed moves."""
        return MoveSpace(self.game.actions, self.legal, seed)

    def names(self, legal: Legal) -> tuple[str, ...]:
        """Names of the kinds of move possible now."""
        names = self._names.get(legal.kinds)
        if names is None:
            names = tuple(n for n, ok in zip(self.game.actions.names, legal.kinds, strict=True) if ok)
            self._names[legal.kinds] = names
        return names

    def observe(self, state: InformationState) -> dict[str, Any]:
        """The view as a dictionary, with what happened and what may be done."""
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
        """The events as plain dictionaries, oldest first; what was made before is used again."""
        made_for, made = self._plain_events
        if made_for is events:
            return made
        known = len(made_for)
        # Histories only ever grow: the same last event means the same beginning.
        if known > len(events) or (known and events[known - 1] is not made_for[-1]):
            known, made = 0, ()
        made += tuple([plain_event(self.game, event) for event in events[known:]])
        self._plain_events = (events, made)
        return made

    def info(self, legal: Legal) -> dict[str, Any]:
        """The names of the kinds of move possible now."""
        return {"legal_actions": self.names(legal)}

    def decode(self, action: Any, legal: Legal) -> Any:
        """The typed move of a plain dictionary (typed moves themselves are taken as well)."""
        if isinstance(action, tuple) and action.__class__ in self.game.actions.models:
            action = self.game.actions.to_plain(action)
        return self._parse(action, legal)


def plain_event(game: Game, event: Event) -> dict[str, Any]:
    """An event as a plain dictionary: seat, round, moment, the keys of its move, and those of what came to light.

    A move that may not be seen is ``sealed``; where nobody acted, but something came to light, that is ``revealed``.
    """
    seat, round, action, fact, moment = event
    if action.__class__ in game.actions.models:
        plain = game.actions.to_plain(action, seat=seat, round=round, moment=moment)
    else:
        plain = {"seat": seat, "round": round, "moment": moment, "sealed" if action == SEALED else "revealed": True}
    return plain if fact is None else {**plain, **fact._asdict()}


_EVENT_KEYS = ("seat", "round", "moment", "revealed", "sealed")


def event_from_plain(game: Game, plain: dict[str, Any]) -> Event:
    """The event of a plain dictionary made by `plain_event`; ``moment`` may be missing."""
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
    """What a seat sees, read back from a structured observation.

    Wrappers use it to put another face on an environment that already exists.
    """
    fields = game.view_type._fields  # type: ignore[attr-defined]
    view = game.view_type(*(UNKNOWN if observation[n] is None else observation[n] for n in fields))
    kinds = tuple(name in observation["legal_actions"] for name in game.actions.names)
    error = Invalid(*observation["error"]) if observation["error"] else None
    events = tuple(event_from_plain(game, plain) for plain in observation["history"])
    bounds, span, grid = (tuple(observation[name]) for name in ("bounds", "span", "grid"))
    legal = Legal(kinds, bounds, messages, span, longest, None, grid)
    return InformationState(view, legal, events, error, observation["ended"])
