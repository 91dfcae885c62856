"""Text faces for language models and people.

``text`` observations contain everything (rules, history, question), for players without memory. ``chat`` observations
contain only the news since the seat's last move; the rules are separate (`TextFace.rules`), for players that keep a
transcript.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium import spaces

from econzoo.envs.core import ROUND_CEILING, ROUND_FLOOR, dollars
from econzoo.envs.core.contract import SEALED, ActionSchema, Bounds, Choice, Event, Game, Invalid, Kind, Legal, Message
from econzoo.envs.core.contract import Number, alphabet
from econzoo.envs.core.faces.finish import check_finish, find_cut_move
from econzoo.envs.core.faces.parse import parse_reply, read_reply, render_reply
from econzoo.envs.core.faces.prompts import MAX_EXTRA, Fields, Prompts, Template, break_markup, fill_constants
from econzoo.envs.core.faces.prompts import format_number, template_pieces
from econzoo.envs.core.faces.spaces import FLOAT32, MAX_TEXT, UnicodeText
from econzoo.envs.core.faces.structured_face import InformationState
from econzoo.envs.core.faces.wording import seat_wording, text_module_of

if TYPE_CHECKING:
    from econzoo.envs.core.faces.wording import Wording


STOPPED_TEXT = "The match was stopped before the game ended."
"""Text of a truncated match, unless the game has its own ``ending.stopped``."""


SEALED_MOVE_TEXT = "Round {event_round}: {who} made a move that you cannot see."
"""Text of a hidden move, unless the game has its own ``event.sealed``."""


class Teller:
    """Formats a game as text for one seat.

    Args:
        roles: Names of the seats; None: those under default parameters.
        actions: Kinds of move in display order; None: as declared.
    """

    def __init__(
        self,
        game: Game,
        prompts: Prompts,
        messages: int,
        roles: tuple[str, ...] | None = None,
        actions: ActionSchema | None = None,
        seat: int = 0,
    ) -> None:
        self.game, self.prompts, self.messages, self.seat = game, prompts, messages, seat
        self.actions = game.actions if actions is None else actions
        known: Any = game.view_type
        self._parameters = [name for name in game.defaults if name in known._fields]
        self._word_texts = {name[5:]: text for name, text in prompts.items() if name.startswith("word.")}
        names = game.facts.roles if roles is None else roles
        self.roles = tuple([self._word_texts.get(name, name) for name in names])
        self._text = text_module_of(game, prompts)  # defines templates and fields
        self._together = getattr(self._text, "together", None)
        self.words = seat_wording(game, prompts, self.actions, seat, self.roles)
        self._plain = self.words.is_plain
        self._is_verbatim = self.words.is_plain and not self._word_texts and not hasattr(self._text, "ROWS")
        self._texts_with_parts: set[str] = set()  # templates that may have parts
        self.clear_cache()
        self._story: tuple[tuple[Event, ...], str] = ((), "")

    def clear_cache(self) -> None:
        """Clear cached constants, which chance moves of the next match may change."""
        self._constant: Mapping[str, str] | None = None
        self._filled_templates: dict[Any, Template] = {}
        self._formats: dict[Any, str] = {}
        self._brief: list[str] | None = None
        self.cached_rules: str | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_text": None}  # modules cannot be copied or pickled

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._text = text_module_of(self.game, self.prompts)

    def constant_fields(self, view: Any) -> Mapping[str, str]:
        """Return the fields that are constant during a match: parameters in the view, and the text module's."""
        if self._constant is None:
            values = {name: getattr(view, name) for name in self._parameters}
            numbers = {name: format_number(one) for name, one in values.items() if not isinstance(one, tuple)}
            self._constant = self._fields({**numbers, **self._text.constant_fields(view, self.roles)})
            self._formats.clear()  # what they are without
        return self._constant

    def rules(self, view: Any) -> str:
        """Return the rules brief of the seat as one paragraph."""
        if self.cached_rules is None:
            self.cached_rules = " ".join(self.brief(view)).strip()
        return self.cached_rules

    def brief(self, view: Any) -> list[str]:
        """Return the parts of the rules brief of the seat."""
        if self._brief is None:
            keys = self._text.brief(view, self.messages)
            parts = [self._fill_template(self.prompts[f"brief.{key}"], view, {}) for key in keys]
            self._brief = [part for part in parts if part]
        return self._brief

    def _fields(self, values: Mapping[str, Any]) -> Mapping[str, str]:
        """Format the values of fields with the templates' replacements and number format."""
        return values if self._is_verbatim else {name: self._show_value(value) for name, value in values.items()}

    def _show_value(self, value: Any) -> str:
        """Format a value; values of `ROWS` fields are (name of a text, fields of each line)."""
        if isinstance(value, str):
            return self.words.localize_number(self._word_texts.get(value, value))
        return "\n".join([self.prompts[f"part.{value[0]}"].format_map(Fields(self._fields(row))) for row in value[1]])

    def _fill_template(self, text: str, view: Any, fields: Mapping[str, Any], event: Event | None = None) -> str:
        """Fill a template with its fields, the constant fields and the parts of the text module."""
        # Constant fields and parts are filled in once per template, and anew if `own` has one of them.
        own = fields if self._is_verbatim else self._fields(fields)
        template, parts = self._filled_templates.get(text), None
        if template is None and text in self._texts_with_parts:
            parts = self._text.parts(view, event)
            template = self._filled_templates.get((text, *parts.items()))
        if template is None or not template[2].isdisjoint(own):
            constants = {name: value for name, value in self.constant_fields(view).items() if name not in own}
            key = text if parts is None else (text, *parts.items())
            template = self._filled_templates[key] = fill_constants(self._pieces(text, parts or {}), constants)
        form, values, _ = template
        try:
            return form % values(own)
        except KeyError:  # a field that is a part, or does not exist at this point of the game
            if parts is None and hasattr(self._text, "parts"):
                self._texts_with_parts.add(text)
                del self._filled_templates[text]
                return self._fill_template(text, view, fields, event)
            return form % values(Fields({**self.constant_fields(view), **own}))

    def _pieces(self, text: str, parts: Mapping[str, str]) -> Iterator[tuple[str, str]]:
        """Split a template into pieces, expanding the templates of its parts."""
        for words, field in template_pieces(text):
            if field not in parts:
                yield words, field
                continue
            yield words, ""
            if parts[field]:
                rest = {name: part for name, part in parts.items() if name != field}
                yield from self._pieces(self.prompts[f"part.{parts[field]}"], rest)

    def lines(self, view: Any, events: Sequence[Event]) -> list[str]:
        """Return one line per event, or per moment if the text module defines ``together``."""
        together = self._together
        if together is None:
            return self.event_lines(view, events)
        moments = [list(group) for _, group in groupby(events, lambda event: event.moment)]
        texts = [together(view, group, self.roles) for group in moments]
        return [self._fill_template(self.prompts[f"event.{name}"], view, fields) for name, fields in texts]

    def event_lines(self, view: Any, events: Sequence[Event]) -> list[str]:
        """Format every event as a line."""
        text, prompts, filled, verbatim, out = self._text, self.prompts, self._filled_templates, self._is_verbatim, []
        for event in events:
            if event.action == SEALED and event.fact is None:
                template = prompts.get("event.sealed", SEALED_MOVE_TEXT)
                out.append(template.format(event_round=event.round, who=self.roles[event.seat]))
                continue
            template = prompts["event." + text.event(view, event)]
            fields, known = text.event_fields(view, event, self.roles), filled.get(template)
            # The usual case of `_fill_template`, at once: most of the time of an observation goes here.
            if verbatim and known is not None and known[2].isdisjoint(fields):
                try:
                    out.append(known[0] % known[1](fields))
                    continue
                except KeyError:
                    pass
            out.append(self._fill_template(template, view, fields, event))
        return out

    def question(self, state: InformationState) -> str:
        """Return the question to the seat, or how the game ended."""
        view, text, prompts = state.view, self._text, self.prompts
        fields = text.fields(view, self.roles)
        if view.over:
            return self._fill_template(prompts["ending." + text.ending(view)], view, fields)
        if state.ended:
            return self._fill_template(prompts.get("ending.stopped", STOPPED_TEXT), view, fields)
        if True not in state.legal.kinds:
            return self._fill_template(prompts["turn.wait"], view, fields)
        turn, form = self._fill_template(prompts["turn." + text.turn(view)], view, fields), self.format(state.legal)
        body = f"{turn}\n{form}" if form else turn
        return (
            f"{prompts['format.feedback'].format(problem=break_markup(state.error.text))}\n{body}"
            if state.error
            else body
        )

    def read(self, reply: Any, legal: Legal) -> Any:
        """Parse a reply to a typed action, or an `Invalid` in the seat's wording."""
        action = parse_reply(reply, self.actions, legal) if self._plain else read_reply(reply, self.words, legal)
        return self._translate_error(action) if action.__class__ is Invalid else action

    def _translate_error(self, problem: Invalid) -> Invalid:
        """Apply the templates' text for an error code, if any."""
        own = self.prompts.get(f"error.{problem.code}")
        if own is None:
            return problem
        quoted = problem.text.split('"')
        return problem._replace(text=own.format(problem=problem.text, key=quoted[1] if len(quoted) > 2 else "-"))

    def write(self, action: Any, legal: Legal) -> str:
        """Format a typed action as a reply of the seat."""
        return render_reply(self.words, action, legal)

    def format(self, legal: Legal) -> str:
        """Return the answer form for all legal kinds of move."""
        key = (legal.kinds, legal.bounds)
        form = self._formats.get(key)
        if form is None:
            form = (
                "" if self.actions.source else answer_form(self.actions.fit_to_bounds(legal.bounds), legal, self.words)
            )
            name = self._text.answer_format(legal, self.seat) if hasattr(self._text, "answer_format") else "answer"
            name = name if f"format.{name}" in self.prompts else "answer"
            fields = Fields(self._constant or {}, **self.words.fields, form=form)
            form = self._formats[key] = self.prompts[f"format.{name}"].format_map(fields)
        return form

    def news(self, state: InformationState) -> list[str]:
        """Return the lines of the events since the seat's last move."""
        events, seat = state.events, state.view.seat
        start = len(events)
        while start and events[start - 1].seat != seat:
            start -= 1
        if not start:
            return self.lines(state.view, events)
        own = events[start - 1]
        # Simultaneous moves of others may precede the own move in the history, but are news. So are facts revealed by
        # the own move.
        first = start - 1
        while first and events[first - 1].moment == own.moment:
            first -= 1
        own_seat = seat if own.fact is None else None
        return self.lines(state.view, [e for e in events[first:] if e.moment > own.moment or e.seat != own_seat])

    def story(self, state: InformationState) -> str:
        """Return the lines of all events, each with a line break; cached incrementally."""
        events = state.events
        cached_events, lines = self._story
        if events is not cached_events:
            count = len(cached_events)
            # Histories only grow: the same last event implies the same prefix. Moves without fields are equal tuples.
            if count > len(events) or (count and events[count - 1] is not cached_events[-1]):
                count, lines = 0, ""
            if count < len(events):
                lines += "\n".join(self.lines(state.view, events[count:])) + "\n"
            self._story = events, lines
        return lines


class TextFace:
    """Text interface: ``Dict(observation=Box, text=UnicodeText)`` observations, and replies with one JSON object.

    Args:
        roles: Names of the seats; None: those under default parameters.
        features: Number of features; None: as with default parameters.
    """

    max_retries = 2
    on_error = "forfeit"
    numbers = 0
    plain: type | None = str
    allowed = "text"

    def __init__(
        self,
        game: Game,
        messages: int,
        prompts: Prompts,
        chat: bool = False,
        roles: tuple[str, ...] | None = None,
        features: int | None = None,
        actions: ActionSchema | None = None,
        seat: int = 0,
    ) -> None:
        self.name, self._chat = "chat" if chat else "text", chat
        self.game, self.teller = game, Teller(game, prompts, messages, roles, actions, seat)
        self.count = len(game.feature_names()) if features is None else features
        self._features = game.rules.features

    def observation_space(self, seed: int) -> spaces.Dict:
        """Return the space of ``observation``, float32 features in [-1, 1], and ``text``."""
        box = spaces.Box(-1.0, 1.0, (self.count,), np.float32)
        return spaces.Dict({"observation": box, "text": UnicodeText()}, seed=seed)

    def action_space(self, seed: int) -> UnicodeText:
        return UnicodeText(MAX_TEXT, seed)

    def contains(self, action: Any) -> bool:
        return isinstance(action, str)

    def observe(self, state: InformationState) -> dict[str, Any]:
        numbers = self._features(state.view)
        return {"observation": np.fromiter(numbers, FLOAT32, len(numbers)), "text": self.text(state)}

    def text(self, state: InformationState) -> str:
        """Return the text of an observation."""
        teller = self.teller
        if self._chat:
            return "\n".join([*([] if state.error else teller.news(state)), teller.question(state)])
        rules = teller.cached_rules or teller.rules(state.view)
        return f"{rules}\n\n{teller.story(state)}{teller.question(state)}"

    def rules(self, view: Any) -> str:
        return self.teller.rules(view)

    def info(self, legal: Legal) -> dict[str, Any]:
        return {}

    def decode(self, action: Any, legal: Legal) -> Any:
        """Decode a reply to a typed move, or an `Invalid`."""
        teller = self.teller
        if action.__class__ is not str and (early := check_finish(action, teller.prompts)):
            return early
        return teller.read(action, legal)

    def find_cut_move(self, action: Any, legal: Legal) -> Any:
        """Return the move in a truncated reply after the last retry, or None."""
        return find_cut_move(action, self.teller.words, legal)

    def json_schema(self, legal: Legal) -> dict[str, Any]:
        return self.teller.words.json_schema(legal)


# Answer formats
#
# Models copy what looks like an answer, so a form has placeholders in angle brackets instead of playable values.


_MARKS = str.maketrans("", "", "<>")
"""Translation table that deletes the brackets of placeholders."""

UNLIMITED = 1e12
"""Absolute value from which bounds are not shown to players."""


def answer_form(actions: ActionSchema, legal: Legal, words: Wording) -> str:
    """Return one JSON object form per legal kind of move; kinds that differ only in name share one.

    For example ``{"kind":"offer","gain":<dollars that you keep, 0 to 100>}`` or ``{"kind":<one of: accept, reject>}``.
    """
    return AnswerForm(actions, legal, words).to_object()


def answer_sentences(actions: ActionSchema, legal: Legal, words: Wording) -> str:
    """Return sentences that list the keys and their contents.

    For example ``Keys: "kind" (offer); "gain" (dollars that you keep, 0 to 100).``
    """
    return AnswerForm(actions, legal, words).to_sentences()


class AnswerForm:
    def __init__(self, actions: ActionSchema, legal: Legal, words: Wording) -> None:
        self.actions, self.legal, self.words = actions, legal, words
        self._texts = words.prompts

    def to_object(self) -> str:
        """Return one JSON object per kind."""
        forms = [
            (names, ",".join([f'"{key}":{placeholder}' for key, placeholder in fields]))
            for names, fields in self._forms()
        ]
        return self._texts["form.or"].join(self._kinds_object(names, fields) for names, fields in forms)

    def to_sentences(self) -> str:
        """Return one sentence per kind."""
        sentences = []
        for names, fields in self._forms():
            kind = [f'"{self.words.kind_key}" ({" or ".join(names)})'] if names[0] else []
            sentences.append(
                "; ".join([*kind, *(f'"{key}" ({_strip_brackets(placeholder)})' for key, placeholder in fields)])
            )
        return " Or: ".join(f"Keys: {sentence}." for sentence in sentences)

    def _forms(self) -> list[tuple[list[str], tuple[tuple[str, str], ...]]]:
        """Return (names of kinds, their (key, placeholder) pairs) of the legal kinds, in order."""
        forms: dict[tuple[tuple[str, str], ...], list[str]] = {}
        for index in self.actions.order:
            if self.legal.kinds[index]:
                kind = self.actions.kinds[index]
                name = self.words.name(kind, self.legal.messages)
                forms.setdefault(tuple(self._fields(index, kind)), []).append(name)
        return [(names, fields) for fields, names in forms.items()]

    def _kinds_object(self, names: list[str], fields: str) -> str:
        """Form of kinds that share these fields."""
        named = f'"{names[0]}"' if len(names) == 1 and fields else f"<{self._format_options(names)}>"
        kind = [f'"{self.words.kind_key}":{named}'] if names[0] else []
        return "{" + ",".join([*kind, *([fields] if fields else [])]) + "}"

    def _fields(self, index: int, kind: Kind) -> Iterator[tuple[str, str]]:
        """Yield (key, placeholder) of a kind."""
        slots, first = self.actions.slot_names, self.actions.first[index]
        for name in self.words.parts(kind, self.legal.messages):
            mark = kind.marks.get(name)
            if isinstance(mark, Number):
                at = slots.index(name, first)
                size = self.actions.group if name in kind.groups else 1
                placeholders = [
                    self._number_placeholder(name, mark, place, self.legal.bounds[at + place]) for place in range(size)
                ]
                yield self.words.key(name), f"[{','.join(placeholders)}]" if name in kind.groups else placeholders[0]
            elif isinstance(mark, Message):
                yield self.words.key(name), self._message_placeholder(self.words.doc(name, mark.doc), mark)
            elif name in self.words.extra:
                yield name, self._words_placeholder(self.words.extra[name], MAX_EXTRA)
            elif mark is None:  # an amount that must agree with another
                yield self.words.key(name), f"<{self.words.doc(name, name)}>"

    def _message_placeholder(self, what: str, mark: Message) -> str:
        if symbols := alphabet(self.legal.messages):
            return f"<{self._texts['form.field'].format(what=what, values=self._format_options([*symbols]))}>"
        return self._words_placeholder(what, self.legal.max_message or mark.max_length)

    def _words_placeholder(self, what: str, longest: int) -> str:
        return f"<{self._texts['form.words'].format(what=what, longest=longest)}>"

    def _number_placeholder(self, name: str, mark: Number, place: int, bounds: Bounds) -> str:
        what = self.words.doc(name, mark.describe_item(place))
        values = (
            self._format_options(mark.possible_options(bounds))
            if isinstance(mark, Choice)
            else self._describe_range(bounds, mark)
        )
        return f"<{self._texts['form.field'].format(what=what, values=values)}>"

    def _format_options(self, names: list[str] | tuple[str, ...]) -> str:
        return self._texts["form.one_of"].format(options=", ".join(names))

    def _describe_range(self, bounds: Bounds, mark: Number) -> str:
        """Describe the range of a number; empty if unbounded."""
        ends = zip(
            bounds, (ROUND_CEILING, ROUND_FLOOR), mark.are_guards, strict=True
        )  # directed rounding: never show values outside the bounds
        low, high = (None if guard or abs(x) >= UNLIMITED else dollars(x, way) for x, way, guard in ends)
        kind = self._texts["form.whole_number" if mark.is_integer else "form.number"]
        if low is None and high is None:
            return kind
        name = "up_to" if low is None else "from" if high is None else "range" if low != high else "only"
        low, high = (None if end is None else self.words.localize_number(end) for end in (low, high))
        return self._texts[f"form.{name}"].format(kind=kind, low=low, high=high)


def _strip_brackets(placeholders: str) -> str:
    return placeholders.replace(">,<", "; ").translate(_MARKS)
