"""A browser without JavaScript, for tests: reads the forms of a page, fills them, follows what comes."""

from __future__ import annotations

import re
from typing import Any

import pytest

from econzoo.people.bots.html_page import HtmlForm, Page, find_problems
from econzoo.people.texts import load_texts
from econzoo.people.texts.points import NBSP

BOUNDS = re.compile(r"from (-?[\d,.e+]+) to (-?[\d,.e+]+)|from (-?[\d,.e+]+) up|up to (-?[\d,.e+]+)", re.IGNORECASE)
SPAN = 300.0
"""How far above its least value a field without a greatest one is filled, and the other way round."""


def phrase(name: str, /, lang: str = "en", **fields: object) -> str:
    """A text of the pages by its name in their file, as a page shows it."""
    return str(load_texts(lang).say_markup(name, **fields))


def filled(page: Page, form: HtmlForm, button: str, part: float, words: str = "", program: str = "") -> dict[str, str]:
    """What is posted: numbers are filled from their bounds, 0 for the least and 1 for the greatest, options likewise.

    Args:
        page: With the form.
        form: The form.
        button: That is pressed.
        part: Where between the bounds.
        words: For messages.
        program: For texts that are moves.
    """
    given = {"kind": button}
    for one in form.inputs:
        if one.kind == "hidden":
            given[one.name] = one.value
        elif one.kind == "radio":
            options = [other.value for other in form.inputs if other.name == one.name]
            given[one.name] = options[int(part * (len(options) - 1))]
        elif one.kind == "decimal":
            given[one.name] = number(page.by_id[one.described_by], part)
        else:
            given[one.name] = program if one.described_by == "source" else words
    return given


def number(hint: str, part: float) -> str:
    """A number between the bounds that a hint tells."""
    found = BOUNDS.search(hint)
    told = [float(one.replace(",", "")) if one else None for one in (found.groups() if found else (None,) * 4)]
    low = next((one for one in (told[0], told[2]) if one is not None), None)
    high = next((one for one in (told[1], told[3]) if one is not None), None)
    low = (0.0 if high is None else high - SPAN) if low is None else low
    high = low + SPAN if high is None else high
    value = low + part * (high - low)
    whole = "whole" in hint.casefold()
    return str(round(value)) if whole else f"{value:.2f}" if low <= round(value, 2) <= high else repr(value)


class Visitor:
    """Somebody in a seat, or on the way to one.

    Args:
        client: A TestClient.
        root: Path of the table where it stands behind a proxy.
    """

    def __init__(self, client: Any, root: str = "") -> None:
        self.client, self.home, self.path = client, f"{root}/", f"{root}/"
        self.received: list[str] = []
        self.status = 200

    def _take(self, response: Any) -> Page:
        self.received.append(response.text)
        self.text, self.status = response.text.replace(NBSP, " "), response.status_code
        self.page = Page(response.text)
        return self.page

    def start(self, game: str, **given: str) -> Page:
        """Begins a match; ``player_1="human"`` and ``param_horizon="3"`` stand for the inputs' names."""
        page = self._take(self.client.get(self.home, params={"game": game}))
        (form,) = page.forms
        posted = {one.name: one.value for one in form.inputs if one.kind != "radio" and one.value}
        posted |= {name.replace("_", ".", 1): value for name, value in given.items()}
        page = self._take(response := self.client.post(self.home, data=posted))
        if "cannot be played here" in self.text:
            pytest.skip(f"{game} needs a library that is not here")
        self.path = response.url.path
        return page

    def open(self, path: str) -> Page:
        """Opens the link of a seat."""
        self.path = path
        return self.look()

    def look(self) -> Page:
        """Loads the page again."""
        return self._take(self.client.get(self.path))

    def post(self, given: dict[str, str]) -> Page:
        """Posts a move as it is given."""
        return self._take(self.client.post(f"{self.path}/move", data=given))

    def check(self, given: dict[str, str]) -> Page:
        """Has a program checked, as it is given."""
        return self._take(self.client.post(f"{self.path}/check", data=given))

    def move(self, button: int | str = 0, part: float = 0.5, words: str = "", program: str = "", **own: str) -> Page:
        """Plays a move: that of a button by its place or name, with numbers from their bounds but for `own`."""
        choices = [(form, name) for form in self.page.move_forms for name in form.buttons]
        named = [pair for pair in choices if pair[1] == button]
        form, name = named[0] if isinstance(button, str) else choices[button % len(choices)]
        given = filled(self.page, form, name, part, words, program)
        given |= {f"move.{key}": value for key, value in own.items()}
        page = self.post(given)
        asked = {one.value for form in page.move_forms for one in form.inputs if one.name == "sure"}
        return self.post(given | {"sure": asked.pop()}) if asked else page

    @property
    def problems(self) -> str:
        """What is wrong with what was posted."""
        return find_problems(self.text)

    @property
    def over(self) -> bool:
        """Whether there is nothing more to play."""
        return not self.page.move_forms

    @property
    def invitations(self) -> list[str]:
        """Paths of the seats of the others."""
        links = [given["value"] for tag, given in self.page.elements if given.get("data-testid") == "invite"]
        return ["/s/" + link.rpartition("/s/")[2] for link in links]

    def record(self) -> Any:
        """The record of the match that has ended."""
        return self.client.get(f"{self.path}/record.jsonl")
