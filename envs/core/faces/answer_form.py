"""Answer forms in prompts: names, units and ranges with placeholders.

Models copy what looks like an answer, so a form has placeholders in angle brackets instead of playable values.
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
    """Form of the legal answers.

    Args:
        actions: Kinds of move, with the current length of groups.
        legal: Legal moves.
        words: Names in answers and templates.
    """

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
    """Return placeholders without brackets."""
    return placeholders.replace(">,<", "; ").translate(_MARKS)
