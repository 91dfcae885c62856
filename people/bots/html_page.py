"""A page as somebody sees it: its forms, what stands in its elements, and where news of it come from."""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser
from typing import Any, NamedTuple


class Input(NamedTuple):
    """One input of a form.

    Attributes:
        name: Of the input.
        kind: Its type, what is typed into it, or its element.
        value: That it has.
        described_by: Id of the element that describes it, or else its class.
        bounds: Of a slider: least, greatest, step.
    """

    name: str
    kind: str
    value: str
    described_by: str
    bounds: tuple[str, ...] = ()


class HtmlForm:
    """A form of a page.

    Args:
        action: Where it is sent.

    Attributes:
        inputs: In order.
        buttons: Values of the buttons that have a name.
        button_names: The names of these buttons.
    """

    def __init__(self, action: str) -> None:
        self.action = action
        self.inputs: list[Input] = []
        self.buttons: list[str] = []
        self.button_names: list[str] = []

    @property
    def step(self) -> str:
        """The last part of its address, which says what it is for."""
        return self.action.rpartition("/")[2]


class Page(HTMLParser):
    """A page as its forms, its texts by id and by test id, its elements, and as it came; it is read when asked.

    Args:
        text: Of the page, or of a part of it.
    """

    forms: list[HtmlForm]
    by_id: dict[str, str]
    by_test_id: dict[str, str]
    elements: list[tuple[str, dict[str, Any]]]

    def __init__(self, text: str) -> None:
        super().__init__()
        self.raw, self._id, self._test_id = text, "", ""
        self._form: HtmlForm | None = None

    def __getattr__(self, name: str) -> Any:
        if name not in Page.__annotations__:
            raise AttributeError(name)
        self.forms, self.by_id, self.by_test_id, self.elements = [], {}, {}, []
        self.feed(self.raw)
        return getattr(self, name)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keeps what begins."""
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
        if tag != "bdi":
            self._id, self._test_id = given.get("id", ""), given.get("data-testid", "")

    def handle_endtag(self, tag: str) -> None:
        """Keeps where a form ends."""
        if tag == "form":
            self._form = None

    def handle_data(self, data: str) -> None:
        """Keeps a text."""
        for name, texts in ((self._id, self.by_id), (self._test_id, self.by_test_id)):
            if name:
                texts[name] = texts.get(name, "") + data

    @property
    def move_forms(self) -> list[HtmlForm]:
        """The forms that make a move."""
        return [form for form in self.forms if form.step == "move"]

    def attribute(self, id: str, name: str) -> str:
        """An attribute of an element; empty: there is none."""
        return next((str(given.get(name, "")) for _, given in self.elements if given.get("id") == id), "")


def find_problems(page: str) -> str:
    """What a page says is wrong, as people read it."""
    found = re.findall(r'<(p|div) class="problem"[^>]*>(.*?)</\1>', page, re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", " ".join(text for _, text in found))).split())
