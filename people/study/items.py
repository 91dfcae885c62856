"""Survey items: questions on the pages of a study, and their keys in the study file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from econzoo.envs.core.contract import CustomDomain, Flag, Integer, OneOf, Option, Real, exact_decimal
from econzoo.people.study.toml_reading import TomlTable, line_domain, make_domain, text_domain, text_list_domain

CHOICE, MULTIPLE, LIKERT, SLIDER, NUMBER, TEXT, BOX, IMAGE = KINDS = (
    *("choice", "multiple", "likert", "slider"),
    *("number", "text", "box", "image"),
)
"""Kinds of items: one option, several options, Likert scale, slider, number, text, checkbox, picture."""

IMAGES: Mapping[str, tuple[str, bytes]] = {
    ".png": ("image/png", b"\x89PNG\r\n\x1a\n"),
    ".jpg": ("image/jpeg", b"\xff\xd8\xff"),
    ".jpeg": ("image/jpeg", b"\xff\xd8\xff"),
    ".gif": ("image/gif", b"GIF8"),
    ".webp": ("image/webp", b"RIFF"),
}
"""Suffix to content type and first bytes. SVG is excluded because it can contain scripts."""

MAX_IMAGE_BYTES = 2**22

TICKED_ANSWER = "yes"
"""Answer of a ticked box."""

REQUIRED_KEYS: Mapping[str, tuple[str, ...]] = {
    CHOICE: ("options",),
    MULTIPLE: ("options",),
    LIKERT: ("labels",),
    SLIDER: ("least", "most"),
    IMAGE: ("image",),
}
OPTIONAL_KEYS: Mapping[str, tuple[str, ...]] = {
    LIKERT: ("points",),
    SLIDER: ("step", "labels"),
    NUMBER: ("least", "most"),
}
"""Required and optional keys of a kind of item; only pictures are allowed for all kinds."""

_KIND_KEYS = dict.fromkeys(
    key for keys in (*REQUIRED_KEYS.values(), *OPTIONAL_KEYS.values()) for key in keys if key != "image"
)


def _parse_answer(it: Any) -> str | float:
    if isinstance(it, str) and it.strip():
        return it
    return Real()(it)


def _parse_explanation(it: Any) -> tuple[str, ...]:
    given = [it] if isinstance(it, str) else it
    if not (isinstance(given, list) and given and all(isinstance(one, str) for one in given)):
        raise ValueError
    return tuple(given)


def _is_image(name: Any) -> bool:
    return isinstance(name, str) and any(name.casefold().endswith(end) for end in IMAGES)


@dataclass(frozen=True)
class Item:
    """A survey item.

    Attributes:
        question: Text of the question; for a box the statement to agree to.
        kind: One of `KINDS`.
        options: Options of a choice.
        labels: Labels of the two ends of a scale or slider.
        points: Number of points of a scale.
        least: Minimum of a number or slider; None: none.
        most: Maximum; None: none.
        step: Step of a slider.
        optional: Whether it may be left unanswered; None: only for texts.
        image: File name of a picture above the answer; empty: none.
        alt: Alternative text of the picture.
    """

    question: Annotated[str, Option(text_domain())]
    kind: Annotated[str, Option(OneOf(*KINDS))] = TEXT
    options: Annotated[tuple[str, ...], Option(text_list_domain(2))] = ()
    labels: Annotated[tuple[str, ...], Option(text_list_domain(2, 2))] = ()
    points: Annotated[int, Option(Integer(2, 11))] = 7
    least: Annotated[float | None, Option(Real())] = None
    most: Annotated[float | None, Option(Real())] = None
    step: Annotated[float, Option(Real(0, is_low_excluded=True))] = 1.0
    optional: Annotated[bool | None, Option(Flag())] = None
    image: Annotated[str, Option(make_domain(_is_image, f"a file {', '.join(IMAGES)} beside this one"))] = ""
    alt: Annotated[str, Option(line_domain())] = ""

    @property
    def may_be_empty(self) -> bool:
        return self.kind == TEXT if self.optional is None else self.optional

    @property
    def scale(self) -> tuple[str, ...]:
        """Possible answers of a choice: options, or points of a scale."""
        if self.kind == LIKERT:
            return tuple(str(point) for point in range(1, self.points + 1))
        return self.options

    def accepts_number(self, number: float) -> bool:
        """Whether a number is within the bounds and, for a slider, on a step."""
        within = (self.least is None or self.least <= number) and (self.most is None or number <= self.most)
        return within and (
            self.kind != SLIDER
            # In decimals, since 0.3 is no multiple of 0.1 as a float.
            or not (exact_decimal(number) - exact_decimal(self.least or 0)) % exact_decimal(self.step)
        )


@dataclass(frozen=True, kw_only=True)
class Question(Item):
    """A question of the comprehension quiz.

    Attributes:
        answer: Correct answer.
        explanation: Explanation after a wrong answer: none, one text, or one per option.
    """

    kind: Annotated[str, Option(OneOf(CHOICE, NUMBER))] = CHOICE
    answer: Annotated[str | float, Option(CustomDomain(_parse_answer, "one of the options, or the right number"))]
    explanation: Annotated[
        tuple[str, ...], Option(CustomDomain(_parse_explanation, "a text, or a list with a text for each option"))
    ] = ()

    def accepts(self, answer: str) -> bool:
        """Whether a stored answer is correct."""
        return float(answer) == self.answer if self.kind == NUMBER else answer == self.answer

    def explain(self, answer: str) -> str:
        """Return the explanation of a stored wrong answer; empty: correct, or no explanation."""
        if self.accepts(answer) or not self.explanation:
            return ""
        return self.explanation[self.options.index(answer) if len(self.explanation) > 1 else 0]


# Reading


def read_items(parts: list[TomlTable]) -> tuple[Item, ...]:
    """Read survey items from tables of a study file."""
    items = []
    for part in parts:
        items.append(part.read(Item))
        _check_item(part, items[-1])
    return tuple(items)


def read_quiz(parts: list[TomlTable]) -> tuple[Question, ...]:
    """Read quiz questions, each with its correct answer."""
    questions = []
    for part in parts:
        question = part.read(Question)
        _check_item(part, question)
        if "optional" in part:
            part.refuse("optional", "this key only in the questionnaire")
        if question.kind == CHOICE and question.answer not in question.options:
            part.refuse("answer", f"one of the options: {', '.join(question.options)}")
        if question.kind == NUMBER and not (
            isinstance(question.answer, float) and question.accepts_number(question.answer)
        ):
            part.refuse("answer", "a number within the bounds")
        if len(question.explanation) > 1 and len(question.explanation) != len(question.options):
            part.refuse("explanation", "a text, or a list with a text for each option")
        questions.append(question)
    return tuple(questions)


def _check_item(part: TomlTable, item: Item) -> None:
    """Raise for keys that do not fit the kind of item, and for impossible values."""
    needed = REQUIRED_KEYS.get(item.kind, ())
    for key in part.values:
        if key in _KIND_KEYS and key not in (*needed, *OPTIONAL_KEYS.get(item.kind, ())):
            kinds = [kind for kind in KINDS if key in (*REQUIRED_KEYS.get(kind, ()), *OPTIONAL_KEYS.get(kind, ()))]
            part.refuse(key, f"this key only with kind = {' or '.join(kinds)}")
    for key in needed:
        if key not in part:
            part.raise_error("", f"{part.key_path(key)} is missing: required for kind = {item.kind}")
    if len(set(item.options)) < len(item.options):
        part.refuse("options", "distinct texts")
    if item.least is not None and item.most is not None:
        if item.most <= item.least:
            part.refuse("most", f"a number above {item.least:g}")
        if item.kind == SLIDER and not item.accepts_number(item.most):
            part.refuse("step", f"a divisor of the range from {item.least:g} to {item.most:g}")
    _check_image(part, item)


def _check_image(part: TomlTable, item: Item) -> None:
    """Raise for a picture that is missing, too large, of another format, or without alternative text."""
    if not item.image:
        if "alt" in part:
            part.refuse("alt", "this key only with image")
        return
    if "alt" not in part:
        part.raise_error("", f"{part.key_path('alt')} is missing: expected an alternative text for {item.image}")
    content = part.read_attached_file("image", item.image, MAX_IMAGE_BYTES)
    if not content.startswith(IMAGES[Path(item.image).suffix.casefold()][1]):
        part.refuse("image", f"a picture; {item.image} has another file format")
