"""The text faces: what a language model or a person reads, and the reply it writes.

``text`` tells everything in every observation (rules, all that happened, the question), for players without
memory. ``chat`` tells only what is new since the seat's last move; the rules come separately (`TextFace.rules`),
for players that keep their own transcript.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

import numpy as np
from gymnasium import spaces

from econzoo.envs.core.contract.actions import ActionSchema, Legal
from econzoo.envs.core.contract.game import SEALED, Event, Game
from econzoo.envs.core.contract.validation import Invalid
from econzoo.envs.core.faces.answer_form import answer_form
from econzoo.envs.core.faces.finish import early_end, standing
from econzoo.envs.core.faces.parse import read_reply, render_reply
from econzoo.envs.core.faces.prompts import Fields, Prompts, number
from econzoo.envs.core.faces.spaces import MAX_TEXT, UnicodeText
from econzoo.envs.core.faces.structured_face import Seen
from econzoo.envs.core.faces.wording import text_of, words_of

STOPPED = "The match was stopped before the game ended."
"""What a seat reads then, unless the game has its own text ``ending.stopped``."""


SEALED_MOVE = "Round {event_round}: {who} made a move that you cannot see."
"""What a seat reads of such a move, unless the game has its own text ``event.sealed``."""


class Teller:
    """Puts a game into words for one seat.

    Args:
        game: The game; its `text` module names the templates and fields.
        prompts: Templates by ``"table.name"``.
        messages: Whether words may be sent.
        roles: Names of the seats; None: those of the default game.
        actions: The kinds of move in the order in which they are told; None: as the game declares them.
        seat: Whose words they are.

    Attributes:
        words: How the answers of the seat are written.
    """

    def __init__(
        self,
        game: Game,
        prompts: Prompts,
        messages: bool,
        roles: tuple[str, ...] | None = None,
        actions: ActionSchema | None = None,
        seat: int = 0,
    ) -> None:
        self.game, self.prompts, self.messages, self.seat = game, prompts, messages, seat
        self.actions = game.actions if actions is None else actions
        known: Any = game.view_type
        self._parameters = [name for name in game.defaults if name in known._fields]
        self.roles = game.facts.roles if roles is None else roles
        self.words = words_of(game, prompts, self.actions, seat, self.roles)
        self._own_words = {name[5:]: text for name, text in prompts.items() if name.startswith("word.")}
        self.begin()
        self._story: tuple[tuple[Event, ...], str] = ((), "")

    def begin(self) -> None:
        """Forgets what stays the same all game: in the next one nature may have drawn it otherwise."""
        self._constant: Fields | None = None
        self._formats: dict[Any, str] = {}
        self._brief: list[str] | None = None

    @property
    def _text(self) -> Any:
        """Names the templates and fields; no part of what is copied or pickled with an environment."""
        return text_of(self.game, self.prompts)

    def constant(self, view: Any) -> Fields:
        """The fields that stay the same all game: parameters that are numbers of the view, and the text module's."""
        if self._constant is None:
            told = {name: getattr(view, name) for name in self._parameters}
            numbers = {name: number(one) for name, one in told.items() if not isinstance(one, tuple)}
            self._constant = self._fields({**numbers, **self._text.constant_fields(view, self.roles)})
        return self._constant

    def rules(self, view: Any) -> str:
        """The rules brief of the seat, one paragraph."""
        return " ".join(self.brief(view)).strip()

    def brief(self, view: Any) -> list[str]:
        """The parts of the rules brief of the seat, each about one thing."""
        if self._brief is None:
            constant = self.constant(view)
            keys = self._text.brief(view, self.messages)
            told = [self._filled(f"brief.{key}", Fields(constant), view) for key in keys]
            self._brief = [part for part in told if part]
        return self._brief

    def _fields(self, values: Mapping[str, Any]) -> Fields:
        """Fields with the words and the signs in numbers that the templates have for their values."""
        if self.words.plain and not self._own_words:
            return Fields(values)
        shown, own = self.words.shown, self._own_words
        return Fields({name: shown(own.get(one, one)) if isinstance(one, str) else one for name, one in values.items()})

    def _with_constant(self, view: Any, values: Mapping[str, Any]) -> Fields:
        """Fields, and those that stay the same all game; of both the signs in numbers are changed once."""
        return Fields({**self.constant(view), **self._fields(values)})

    def _filled(self, name: str, values: Fields, view: Any, happened: Event | None = None) -> str:
        """A text with its fields, also those that are texts themselves (``parts`` of the text module)."""
        for field, value in values.items():
            if not isinstance(value, str):  # the name of a text, and the fields of each of its lines
                rows = [self.prompts[f"part.{value[0]}"].format_map(self._fields(row)) for row in value[1]]
                values[field] = "\n".join(rows)
        parts = getattr(self._text, "parts", None)
        return self._with_parts(self.prompts[name], values, parts(view, happened) if parts else {})

    def _with_parts(self, template: str, values: Fields, parts: Mapping[str, str]) -> str:
        for field, part in parts.items():
            if f"{{{field}}}" in template:
                rest = {name: text for name, text in parts.items() if name != field}
                values[field] = self._with_parts(self.prompts[f"part.{part}"], values, rest) if part else ""
        return template.format_map(values)

    def lines(self, view: Any, events: Sequence[Event]) -> list[str]:
        """A line for each event, or for all of a moment where the text module tells them ``together``."""
        together = getattr(self._text, "together", None)
        if together is None:
            return [self.event(view, event) for event in events]
        moments = [list(group) for _, group in groupby(events, lambda event: event.moment)]
        told = [together(view, group, self.roles) for group in moments]
        return [self._filled(f"event.{name}", self._with_constant(view, fields), view) for name, fields in told]

    def event(self, view: Any, event: Event) -> str:
        """One line for one event."""
        if event.action == SEALED and event.fact is None:
            told = self.prompts.get("event.sealed", SEALED_MOVE)
            return told.format(event_round=event.round, who=self.roles[event.seat])
        values = self._with_constant(view, self._text.event_fields(view, event, self.roles))
        return self._filled("event." + self._text.event(view, event), values, view, event)

    def question(self, seen: Seen) -> str:
        """What the seat is asked now, or how the game ended."""
        view = seen.view
        values = self._with_constant(view, self._text.fields(view, self.roles))
        if view.over:
            return self._filled("ending." + self._text.ending(view), values, view)
        if seen.ended:
            return self.prompts.get("ending.stopped", STOPPED).format_map(values)
        if not any(seen.legal.kinds):
            return self.prompts["turn.wait"].format_map(values)
        turn = self._filled("turn." + self._text.turn(view), values, view)
        feedback = self.prompts["format.feedback"].format(problem=seen.error.text) + "\n" if seen.error else ""
        form = self.format(seen.legal)
        return f"{feedback}{turn}\n{form}" if form else f"{feedback}{turn}"

    def read(self, reply: Any, legal: Legal) -> Any:
        """The typed action of a reply, or an `Invalid` in the words of the seat."""
        action = read_reply(reply, self.words, legal)
        return self._told(action) if action.__class__ is Invalid else action

    def _told(self, problem: Invalid) -> Invalid:
        """An error as the templates tell it, where they have words of their own for its code."""
        own = self.prompts.get(f"error.{problem.code}")
        if own is None:
            return problem
        quoted = problem.text.split('"')
        return problem._replace(text=own.format(problem=problem.text, key=quoted[1] if len(quoted) > 2 else "-"))

    def write(self, action: Any, legal: Legal) -> str:
        """A typed action as a reply of the seat."""
        return render_reply(self.words, action, legal)

    def format(self, legal: Legal) -> str:
        """The form of an answer, for every kind of move possible now."""
        key = (legal.kinds, legal.bounds, self._constant is None)
        told = self._formats.get(key)
        if told is None:
            form = "" if self.actions.source else answer_form(self.actions.sized(legal.bounds), legal, self.words)
            name = self._text.answer_format(legal, self.seat) if hasattr(self._text, "answer_format") else "answer"
            name = name if f"format.{name}" in self.prompts else "answer"
            fields = Fields(self._constant or {}, **self.words.fields, form=form)
            told = self._formats[key] = self.prompts[f"format.{name}"].format_map(fields)
        return told

    def news(self, seen: Seen) -> list[str]:
        """The lines of what happened since the seat's last move."""
        events, seat = seen.events, seen.view.seat
        start = len(events)
        while start and events[start - 1].seat != seat:
            start -= 1
        if not start:
            return self.lines(seen.view, events)
        own = events[start - 1]
        # Others who moved at the same moment may stand before the own move, but were not known to it. Of the own move,
        # what it brought to light is news too.
        first = start - 1
        while first and events[first - 1].moment == own.moment:
            first -= 1
        known = seat if own.fact is None else None
        return self.lines(seen.view, [e for e in events[first:] if e.moment > own.moment or e.seat != known])

    def story(self, seen: Seen) -> str:
        """The lines of everything that happened, each with its line break; what was told before is used again."""
        events = seen.events
        told_for, told = self._story
        known = len(told_for)
        # Histories only ever grow: the same last event means the same beginning.
        if known > len(events) or (known and events[known - 1] is not told_for[-1]):
            known, told = 0, ""
        told += "".join([line + "\n" for line in self.lines(seen.view, events[known:])])
        self._story = (events, told)
        return told


class TextFace:
    """Text in, text out: ``Dict(observation=Box, text=UnicodeText)`` and a reply with one JSON object.

    Args:
        game: The game.
        messages: Whether words may be sent.
        prompts: Templates by ``"table.name"``.
        chat: Whether only news is told (the ``chat`` face).
        roles: Names of the seats; None: those of the default game.
        features: How many there are; None: as many as with default parameters.
        actions: See `Teller`.
        seat: Whose face it is.
    """

    reasks = 2
    on_error = "forfeit"
    numbers = 0

    def __init__(
        self,
        game: Game,
        messages: bool,
        prompts: Prompts,
        chat: bool = False,
        roles: tuple[str, ...] | None = None,
        features: int | None = None,
        actions: ActionSchema | None = None,
        seat: int = 0,
    ) -> None:
        self.name = "chat" if chat else "text"
        self.game, self.teller = game, Teller(game, prompts, messages, roles, actions, seat)
        self.count = len(game.feature_names()) if features is None else features
        self._features = game.rules.features

    def observation_space(self, seed: int) -> spaces.Dict:
        """``observation``: the numeric features, float32 in [-1, 1]; ``text``: what the seat reads."""
        box = spaces.Box(-1.0, 1.0, (self.count,), np.float32)
        return spaces.Dict({"observation": box, "text": UnicodeText()}, seed=seed)

    def action_space(self, seed: int) -> UnicodeText:
        """Any text; what it means is for the parser."""
        return UnicodeText(MAX_TEXT, seed)

    def observe(self, seen: Seen) -> dict[str, Any]:
        """The features and the text."""
        return {"observation": np.array(self._features(seen.view), np.float32), "text": self.text(seen)}

    def text(self, seen: Seen) -> str:
        """What the seat reads now."""
        teller = self.teller
        if self.name == "chat":
            return "\n".join([*([] if seen.error else teller.news(seen)), teller.question(seen)])
        return f"{teller.rules(seen.view)}\n\n{teller.story(seen)}{teller.question(seen)}"

    def rules(self, view: Any) -> str:
        """The rules brief of the seat."""
        return self.teller.rules(view)

    def info(self, legal: Legal) -> dict[str, Any]:
        """Nothing beyond the text."""
        return {}

    def decode(self, action: Any, legal: Legal) -> Any:
        """The typed move of a reply."""
        if action.__class__ is not str and (early := early_end(action, self.teller.prompts)):
            return early
        return self.teller.read(action, legal)

    def standing(self, action: Any, legal: Legal) -> Any:
        """What stands of a reply that was cut, when nobody is asked again: its move, or None."""
        return standing(action, self.teller.words, legal)

    def json_schema(self, legal: Legal) -> dict[str, Any]:
        """JSON schema of the answers that may be given now."""
        return self.teller.words.json_schema(legal)
