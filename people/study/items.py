"""Survey items: what participants are asked on the pages of a study, and which keys of the file say it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from econzoo.envs.core.contract.options import Option
from econzoo.envs.core.contract.parameters import CustomDomain, Flag, Integer, OneOf, Real
from econzoo.envs.core.contract.validation import exact_decimal
from econzoo.people.study.toml_reading import TomlTable, line_domain, make_domain, text_domain, text_list_domain

CHOICE, MULTIPLE, LIKERT, SLIDER, NUMBER, TEXT, BOX, IMAGE = KINDS = (
    *("choice", "multiple", "likert", "slider"),
    *("number", "text", "box", "image"),
)
"""Kinds of items: one option, any options, a point of a scale, a range, a number, a text, a box to tick, a picture."""

IMAGES: Mapping[str, tuple[str, bytes]] = {
    ".png": ("image/png", b"\x89PNG\r\n\x1a\n"),
    ".jpg": ("image/jpeg", b"\xff\xd8\xff"),
    ".jpeg": ("image/jpeg", b"\xff\xd8\xff"),
    ".gif": ("image/gif", b"GIF8"),
    ".webp": ("image/webp", b"RIFF"),
}
"""End of a picture's name to its content type and its first bytes. SVG is a program, and none of them."""

MAX_IMAGE_BYTES = 2**22
"""Bytes of a picture."""

TICKED_ANSWER = "yes"
"""Answer of a box."""

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
"""Keys that an item of a kind must have, and may have; no other kind has them, but for pictures."""

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
    """Something that participants are asked.

    Attributes:
        question: As they read it; of a box: what they agree to.
        kind: One of `KINDS`.
        options: Of a choice.
        labels: What the two ends of a scale or slider are called.
        points: Of a scale.
        least: Least number, of a number or slider; None: any.
        most: Greatest number; None: any.
        step: Between two places of a slider.
        optional: Whether it may be left unanswered; None: only a text may.
        image: Name of a picture beside the file, shown above the answer; empty: none.
        alt: What is to be seen on it, for those who do not see it.
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
        """Whether no answer is one."""
        return self.kind == TEXT if self.optional is None else self.optional

    @property
    def scale(self) -> tuple[str, ...]:
        """The answers among which one is chosen: options, or the points of a scale."""
        if self.kind == LIKERT:
            return tuple(str(point) for point in range(1, self.points + 1))
        return self.options

    def accepts_number(self, number: float) -> bool:
        """Whether a number is within the bounds, and one of a slider on its steps."""
        within = (self.least is None or self.least <= number) and (self.most is None or number <= self.most)
        return within and (
            self.kind != SLIDER
            or not (exact_decimal(number) - exact_decimal(self.least or 0)) % exact_decimal(self.step)
        )


@dataclass(frozen=True, kw_only=True)
class Question(Item):
    """A question of the comprehension quiz.

    Attributes:
        answer: The right one.
        explanation: Why others are wrong: nothing, one text, or one for each option.
    """

    kind: Annotated[str, Option(OneOf(CHOICE, NUMBER))] = CHOICE
    answer: Annotated[str | float, Option(CustomDomain(_parse_answer, "one of the options, or the right number"))]
    explanation: Annotated[
        tuple[str, ...], Option(CustomDomain(_parse_explanation, "a text, or a list with a text for each option"))
    ] = ()

    def accepts(self, answer: str) -> bool:
        """Whether an answer, as it is kept, is the right one."""
        return float(answer) == self.answer if self.kind == NUMBER else answer == self.answer

    def explain(self, answer: str) -> str:
        """Why an answer that was kept is wrong; empty: the file does not say, or it is right."""
        if self.accepts(answer) or not self.explanation:
            return ""
        return self.explanation[self.options.index(answer) if len(self.explanation) > 1 else 0]


# Reading


def read_items(parts: list[TomlTable]) -> tuple[Item, ...]:
    """The items of tables of a file.

    Raises:
        ValueError: A key is not allowed, or missing.
    """
    found = []
    for part in parts:
        found.append(part.read(Item))
        _check_item(part, found[-1])
    return tuple(found)


def read_quiz(parts: list[TomlTable]) -> tuple[Question, ...]:
    """The questions of a quiz, each with a right answer.

    Raises:
        ValueError: A key is not allowed, or missing.
    """
    found = []
    for part in parts:
        asked = part.read(Question)
        _check_item(part, asked)
        if "optional" in part:
            part.refuse("optional", "in the questionnaire")
        if asked.kind == CHOICE and asked.answer not in asked.options:
            part.refuse("answer", f"one of the options: {', '.join(asked.options)}")
        if asked.kind == NUMBER and not (isinstance(asked.answer, float) and asked.accepts_number(asked.answer)):
            part.refuse("answer", "a number within the bounds")
        if len(asked.explanation) > 1 and len(asked.explanation) != len(asked.options):
            part.refuse("explanation", "a text, or a list with a text for each option")
        found.append(asked)
    return tuple(found)


def _check_item(part: TomlTable, item: Item) -> None:
    """Refuses keys that say nothing of this kind, or nothing that can be."""
    needed = REQUIRED_KEYS.get(item.kind, ())
    for key in part.values:
        if key in _KIND_KEYS and key not in (*needed, *OPTIONAL_KEYS.get(item.kind, ())):
            kinds = [kind for kind in KINDS if key in (*REQUIRED_KEYS.get(kind, ()), *OPTIONAL_KEYS.get(kind, ()))]
            part.refuse(key, f"with kind = {' or '.join(kinds)}")
    for key in needed:
        if key not in part:
            part.raise_error("", f"{part.key_path(key)} is missing; a question of kind {item.kind} has it")
    if len(set(item.options)) < len(item.options):
        part.refuse("options", "texts of which no two are equal")
    if item.least is not None and item.most is not None:
        if item.most <= item.least:
            part.refuse("most", f"a number above {item.least:g}")
        if item.kind == SLIDER and not item.accepts_number(item.most):
            part.refuse("step", f"a part of the range, so that steps from {item.least:g} reach {item.most:g}")
    _check_image(part, item)


def _check_image(part: TomlTable, item: Item) -> None:
    """Refuses a picture that is not there, too large, or no picture; and one that nobody describes."""
    if not item.image:
        if "alt" in part:
            part.refuse("alt", "beside image")
        return
    if "alt" not in part:
        part.raise_error("", f"{part.key_path('alt')} is missing; wanted: what is to be seen on {item.image}")
    held = part.read_attached_file("image", item.image, MAX_IMAGE_BYTES)
    if not held.startswith(IMAGES[Path(item.image).suffix.casefold()][1]):
        part.refuse("image", f"a picture; {item.image} does not begin as one")
