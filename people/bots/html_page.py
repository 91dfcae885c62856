"""Parsed HTML page: forms, texts of elements, and attributes."""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser
from typing import Any, NamedTuple


class Input(NamedTuple):
    """An input of a form.

    Attributes:
        kind: Type, input mode, or tag.
        described_by: Id of the describing element, or else the class of the input.
        bounds: Minimum, maximum and step of a slider.
    """

    name: str
    kind: str
    value: str
    described_by: str
    bounds: tuple[str, ...] = ()


class HtmlForm:
    """A form of a page; `buttons` are the values of its named buttons, `button_names` their names."""

    def __init__(self, action: str) -> None:
        self.action = action
        self.inputs: list[Input] = []
        self.buttons: list[str] = []
        self.button_names: list[str] = []

    @property
    def step(self) -> str:
        """Purpose of the form, the last part of its URL."""
        return self.action.rpartition("/")[2]


class Page(HTMLParser):
    """A page with its forms, texts by id and test id, and elements; parsed on first access."""

    forms: list[HtmlForm]
    by_id: dict[str, str]
    by_test_id: dict[str, str]
    elements: list[tuple[str, dict[str, Any]]]

    def __init__(self, text: str) -> None:
        super().__init__()
        self.raw, self._id, self._test_id = text, "", ""
        self._form: HtmlForm | None = None

    def __getattr__(self, name: str) -> Any:
        # Called for missing attributes only, so the page is parsed once, and never if nobody asks.
        if name not in Page.__annotations__:
            raise AttributeError(name)
        self.forms, self.by_id, self.by_test_id, self.elements = [], {}, {}, []
        self.feed(self.raw)
        return getattr(self, name)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.elements.append((tag, given))
        if tag == "form":
            self._form = HtmlForm(given.get("action", ""))
            self.forms.append(self._form)
        if self._form and tag in ("input", "textarea", "select"):
            kind = given.get("type", given.get("inputmode", tag))
            described = given.get("aria-describedby", given.get("class", ""))
            bounds = tuple(given[name] for name in ("min", "max", "step") if name in given)
            self._form.inputs.append(Input(given.get("name", ""), kind, given.get("value", ""), described, bounds))
        if self._form and tag == "button" and "name" in given:
            self._form.buttons.append(given["value"])
            self._form.button_names.append(given["name"])
        # A bdi isolates the direction of a word within a text; the text goes on as that of the element around it.
        if tag != "bdi":
            self._id, self._test_id = given.get("id", ""), given.get("data-testid", "")

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._form = None

    def handle_data(self, data: str) -> None:
        for name, texts in ((self._id, self.by_id), (self._test_id, self.by_test_id)):
            if name:
                texts[name] = texts.get(name, "") + data

    @property
    def move_forms(self) -> list[HtmlForm]:
        return [form for form in self.forms if form.step == "move"]

    def attribute(self, id: str, name: str) -> str:
        """Return an attribute of an element; empty: none."""
        return next((str(given.get(name, "")) for _, given in self.elements if given.get("id") == id), "")


def find_problems(page: str) -> str:
    """Return the error messages of a page as text."""
    found = re.findall(r'<(p|div) class="problem"[^>]*>(.*?)</\1>', page, re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", " ".join(text for _, text in found))).split())
