"""The text faces: what a language model or a person reads, and the reply it writes.

``text`` tells everything in every observation (rules, all that happened, the question), for players without
memory. ``chat`` tells only what is new since the seat's last move; the rules come separately (`TextFace.rules`),
for players that keep their own transcript.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces

from econzoo.envs.core.contract.actions import ActionSchema, Legal
from econzoo.envs.core.contract.game import SEALED, Event, Game
from econzoo.envs.core.faces.answer_form import answer_form
from econzoo.envs.core.faces.finish import early_end
from econzoo.envs.core.faces.parse import parse_reply
from econzoo.envs.core.faces.prompts import Fields, Prompts
from econzoo.envs.core.faces.spaces import MAX_TEXT, UnicodeText
from econzoo.envs.core.faces.structured_face import Seen

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
    """

    def __init__(
        self,
        game: Game,
        prompts: Prompts,
        messages: bool,
        roles: tuple[str, ...] | None = None,
        actions: ActionSchema | None = None,
    ) -> None:
        self.game, self.prompts, self.messages = game, prompts, messages
        self.actions = game.actions if actions is None else actions
        self.roles = game.facts.roles if roles is None else roles
        self._constant: Fields | None = None
        self._formats: dict[Any, str] = {}
        self._brief: str | None = None
        self._story: tuple[tuple[Event, ...], str] = ((), "")

    def constant(self, view: Any) -> Fields:
        """The fields that stay the same all game."""
        if self._constant is None:
            self._constant = Fields(self.game.text.constant_fields(view, self.roles))
        return self._constant

    def rules(self, view: Any) -> str:
        """The rules brief of the seat, one paragraph."""
        if self._brief is None:
            constant = self.constant(view)
            keys = self.game.text.brief(view, self.messages)
            self._brief = " ".join(self.prompts[f"brief.{key}"].format_map(constant) for key in keys)
        return self._brief

    def event(self, view: Any, event: Event) -> str:
        """One line for one event."""
        if event.action == SEALED and event.fact is None:
            told = self.prompts.get("event.sealed", SEALED_MOVE)
            return told.format(event_round=event.round, who=self.roles[event.seat])
        values = Fields(self.constant(view), **self.game.text.event_fields(view, event, self.roles))
        return self.prompts["event." + self.game.text.event(view, event)].format_map(values)

    def question(self, seen: Seen) -> str:
        """What the seat is asked now, or how the game ended."""
        view = seen.view
        values = Fields(self.constant(view), **self.game.text.fields(view, self.roles))
        if view.over:
            return self.prompts["ending." + self.game.text.ending(view)].format_map(values)
        if seen.ended:
            return self.prompts.get("ending.stopped", STOPPED).format_map(values)
        if not any(seen.legal.kinds):
            return self.prompts["turn.wait"].format_map(values)
        turn = self.prompts["turn." + self.game.text.turn(view)].format_map(values)
        feedback = self.prompts["format.feedback"].format(problem=seen.error.text) + "\n" if seen.error else ""
        return f"{feedback}{turn}\n{self.format(seen.legal)}"

    def format(self, legal: Legal) -> str:
        """The form of an answer, for every kind of move possible now."""
        key = (legal.kinds, legal.bounds)
        told = self._formats.get(key)
        if told is None:
            form = "" if self.actions.source else answer_form(self.actions.sized(legal.bounds), legal)
            told = self._formats[key] = self.prompts["format.answer"].format(form=form)
        return told

    def news(self, seen: Seen) -> list[str]:
        """The lines of what happened since the seat's last move."""
        events, seat = seen.events, seen.view.seat
        start = len(events)
        while start and events[start - 1].seat != seat:
            start -= 1
        if not start:
            return [self.event(seen.view, e) for e in events]
        own = events[start - 1]
        # Others who moved at the same moment may stand before the own move, but were not known to it. Of the own move,
        # what it brought to light is news too.
        first = start - 1
        while first and events[first - 1].moment == own.moment:
            first -= 1
        known = seat if own.fact is None else None
        news = [e for e in events[first:] if e.moment > own.moment or e.seat != known]
        return [self.event(seen.view, e) for e in news]

    def story(self, seen: Seen) -> str:
        """The lines of everything that happened, each with its line break; what was told before is used again."""
        events = seen.events
        told_for, told = self._story
        known = len(told_for)
        # Histories only ever grow: the same last event means the same beginning.
        if known > len(events) or (known and events[known - 1] is not told_for[-1]):
            known, told = 0, ""
        told += "".join([self.event(seen.view, event) + "\n" for event in events[known:]])
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
    """

    reasks = 2
    on_error = "forfeit"

    def __init__(
        self,
        game: Game,
        messages: bool,
        prompts: Prompts,
        chat: bool = False,
        roles: tuple[str, ...] | None = None,
        features: int | None = None,
        actions: ActionSchema | None = None,
    ) -> None:
        self.name = "chat" if chat else "text"
        self.game, self.teller = game, Teller(game, prompts, messages, roles, actions)
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
        return parse_reply(action, self.teller.actions, legal)
