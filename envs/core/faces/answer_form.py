"""The form of an answer in words: names, units and ranges, and nothing that could be played as it stands.

A model copies what looks like an answer, so a form holds placeholders in angle brackets in the place of values.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from econzoo.envs.core.amounts import ROUND_CEILING, ROUND_FLOOR, dollars
from econzoo.envs.core.contract.actions import ActionSchema, Choice, Kind, Legal, Message
from econzoo.envs.core.contract.marks import Number
from econzoo.envs.core.contract.moves import Bounds
from econzoo.envs.core.contract.symbols import alphabet
from econzoo.envs.core.faces.prompts import MAX_EXTRA

if TYPE_CHECKING:
    from econzoo.envs.core.faces.wording import Wording

_MARKS = str.maketrans("", "", "<>")
"""Takes the marks of placeholders away."""

UNLIMITED = 1e12
"""Bounds at least as far from 0 are no limit that a player needs to know."""


def answer_form(actions: ActionSchema, legal: Legal, words: Wording) -> str:
    """One JSON object for the kinds of move that are possible now; kinds that differ only by name share one.

    For example ``{"kind":"offer","gain":<dollars that you keep, 0 to 100>}`` or ``{"kind":<one of: accept, reject>}``.
    """
    return AnswerForm(actions, legal, words).to_object()


def answer_sentences(actions: ActionSchema, legal: Legal, words: Wording) -> str:
    """The same without an object: sentences that name the keys and what belongs there.

    For example ``Keys: "kind" (offer); "gain" (dollars that you keep, 0 to 100).``
    """
    return AnswerForm(actions, legal, words).to_sentences()


class AnswerForm:
    """The form of the answers that are possible now.

    Args:
        actions: The kinds of move, with groups as long as they are now.
        legal: What may be done.
        words: The names in the answers, and the templates of what stands between them.
    """

    def __init__(self, actions: ActionSchema, legal: Legal, words: Wording) -> None:
        self.actions, self.legal, self.words = actions, legal, words
        self._texts = words.prompts

    def to_object(self) -> str:
        """One JSON object for every kind."""
        forms = [(names, ",".join([f'"{key}":{told}' for key, told in fields])) for names, fields in self._forms()]
        return self._texts["form.or"].join(self._kinds_object(names, fields) for names, fields in forms)

    def to_sentences(self) -> str:
        """A sentence for every kind."""
        sentences = []
        for names, fields in self._forms():
            kind = [f'"{self.words.kind_key}" ({" or ".join(names)})'] if names[0] else []
            sentences.append("; ".join([*kind, *(f'"{key}" ({_strip_brackets(told)})' for key, told in fields)]))
        return " Or: ".join(f"Keys: {sentence}." for sentence in sentences)

    def _forms(self) -> list[tuple[list[str], tuple[tuple[str, str], ...]]]:
        """(names of kinds, (key, placeholder) of each of their fields) of what is possible now, in order."""
        forms: dict[tuple[tuple[str, str], ...], list[str]] = {}
        for index in self.actions.order:
            if self.legal.kinds[index]:
                kind = self.actions.kinds[index]
                name = self.words.name(kind, self.legal.messages)
                forms.setdefault(tuple(self._fields(index, kind)), []).append(name)
        return [(names, fields) for fields, names in forms.items()]

    def _kinds_object(self, names: list[str], fields: str) -> str:
        """The form of kinds that take these fields."""
        named = f'"{names[0]}"' if len(names) == 1 and fields else f"<{self._format_options(names)}>"
        kind = [f'"{self.words.kind_key}":{named}'] if names[0] else []
        return "{" + ",".join([*kind, *([fields] if fields else [])]) + "}"

    def _fields(self, index: int, kind: Kind) -> Iterator[tuple[str, str]]:
        """Each key of a kind with what belongs there."""
        slots, first = self.actions.slot_names, self.actions.first[index]
        for name in self.words.parts(kind, self.legal.messages):
            mark = kind.marks.get(name)
            if isinstance(mark, Number):
                at = slots.index(name, first)
                size = self.actions.group if name in kind.groups else 1
                told = [
                    self._number_placeholder(name, mark, place, self.legal.bounds[at + place]) for place in range(size)
                ]
                yield self.words.key(name), f"[{','.join(told)}]" if name in kind.groups else told[0]
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
        """In which range a number lies, as far as it has one."""
        ends = zip(
            bounds, (ROUND_CEILING, ROUND_FLOOR), mark.are_guards, strict=True
        )  # nothing beyond them may be shown
        low, high = (None if guard or abs(x) >= UNLIMITED else dollars(x, way) for x, way, guard in ends)
        kind = self._texts["form.whole_number" if mark.is_integer else "form.number"]
        if low is None and high is None:
            return kind
        name = "up_to" if low is None else "from" if high is None else "range" if low != high else "only"
        low, high = (None if end is None else self.words.localize_number(end) for end in (low, high))
        return self._texts[f"form.{name}"].format(kind=kind, low=low, high=high)


def _strip_brackets(placeholders: str) -> str:
    """What placeholders say, without their marks."""
    return placeholders.replace(">,<", "; ").translate(_MARKS)
