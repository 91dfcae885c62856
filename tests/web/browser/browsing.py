"""Somebody at the table with a browser: starts matches, fills forms, and keeps all that the browser received."""

from __future__ import annotations

import os
import re
import shutil
from typing import Any
from urllib.parse import urlsplit

from visitor import number

from econzoo.envs.core.record import Record

FLAGS = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update"),
]

NAMES = ("chromium", "chromium-browser", "google-chrome")

PATIENCE = 20_000
"""Milliseconds that a page may need, on a busy machine."""


def chromium() -> str | None:
    """The browser: the one that CHROMIUM names, or one that is found."""
    named = os.environ.get("CHROMIUM")
    return named or next((found for name in NAMES if (found := shutil.which(name))), None)


class Table:
    """A browser of one person.

    Args:
        context: Of Playwright.
        url: Of the server.

    Attributes:
        bodies: Of all answers that have come.
        streamed: What streams have told.
    """

    def __init__(self, context: Any, url: str) -> None:
        self.context, self.url = context, url
        context.set_default_timeout(PATIENCE)
        self.bodies: list[str] = []
        self.streamed: list[str] = []
        self.asked_elsewhere: list[str] = []
        self.page = self.tab()

    def tab(self) -> Any:
        """One more page of the same browser."""
        page = self.context.new_page()
        page.on("request", lambda request: self._asked(request.url))
        told = self.context.new_cdp_session(page)
        told.send("Network.enable")
        told.on("Network.eventSourceMessageReceived", lambda event: self.streamed.append(event["data"]))
        return page

    def _asked(self, url: str) -> None:
        if urlsplit(url).netloc != urlsplit(self.url).netloc:
            self.asked_elsewhere.append(url)

    def listen(self) -> None:
        """Keeps every answer that comes from now on, redirects included."""
        self.context.route(lambda url: "/events" not in url, self._kept)

    def _kept(self, route: Any) -> None:
        answer = route.fetch(max_redirects=0)
        self.bodies += [answer.text(), str(answer.headers)]
        route.fulfill(response=answer)

    def close(self) -> None:
        """Closes the browser. Answers that are still on their way are let go: there is nobody left to give them to."""
        self.context.unroute_all(behavior="ignoreErrors")
        self.context.close()

    @property
    def received(self) -> str:
        """All that the browser has got: bodies and headers of answers, and what streams told."""
        return "\n".join([*self.bodies, *self.streamed])

    # -- a match -----------------------------------------------------------------------------------------------

    def start(self, game: str, **given: str) -> None:
        """Begins a match; ``player_1="human"`` and ``param_horizon="3"`` stand for the inputs' names."""
        self.page.goto(f"{self.url}?game={game}")
        for name, value in given.items():
            self.page.locator(f'[name="{name.replace("_", ".", 1)}"]').evaluate_all(SET, value)
        with self.page.expect_navigation():
            self.page.locator("main form button.button").last.click()

    @property
    def invitations(self) -> list[str]:
        """Links of the others' seats."""
        return [one.input_value() for one in self.page.get_by_test_id("invite").all()]

    @property
    def buttons(self) -> Any:
        """Of all moves."""
        return self.page.locator(".moves button[name=kind]")

    def fill(self, form: Any, part: float, words: str = "", program: str = "") -> None:
        """Fills a form: numbers from their bounds, 0 for the least and 1 for the greatest."""
        for field in form.locator("input[inputmode=decimal]").all():
            hint = self.page.locator(f"#{field.get_attribute('aria-describedby').split()[0]}").inner_text()
            field.fill(number(hint, part))
        for field in form.locator("textarea").all():
            field.fill(program if "source" in (field.get_attribute("class") or "") else words)
        for group in form.locator("fieldset.options").all():
            group.locator("input").first.check()

    def move(self, button: int | str, part: float = 0.5, words: str = "", program: str = "", **own: str) -> None:
        """Plays a move: that of a button by its place or name, with numbers from their bounds but for `own`."""
        named = self.page.locator(f'.moves button[value="{button}"]')
        pressed = named if isinstance(button, str) else self.buttons.nth(button % self.buttons.count())
        form = pressed.locator("xpath=ancestor::form")
        self.fill(form, part, words, program)
        for name, value in own.items():
            form.locator(f'[name="move.{name}"]').fill(value)
        for _ in range(2):
            with self.page.expect_navigation():
                pressed.click()
            if not self.page.locator("[name=sure]").count():  # else the page asks whether that is meant
                break

    def settle(self) -> None:
        """Waits until there is something to do, or nothing more to come."""
        self.page.wait_for_selector(".moves, .end, .problem")

    @property
    def over(self) -> bool:
        """Whether the match has ended."""
        return self.page.locator(".end").count() > 0

    @property
    def seat(self) -> str:
        """The address of the seat."""
        return self.page.url.partition("?")[0].partition("#")[0]

    def record(self) -> Record:
        """The record of the match that has ended."""
        answer = self.context.request.get(f"{self.seat}/record.jsonl")
        assert answer.ok, answer.status
        return Record.from_json(answer.text())

    @property
    def payoff(self) -> str:
        """On the end card."""
        return self.page.get_by_test_id("payoff").inner_text()


SET = """(inputs, value) => {
  const fitting = inputs.filter(one => one.type !== "radio" || one.value === value);
  if (!fitting.length) throw new Error(`no input takes ${value}`);
  for (const one of fitting) one.type === "radio" ? one.click() : one.value = value;
}"""


def secret_in(received: str, secret: str) -> bool:
    """Whether a number (``"9,871"``) stands in a text, with or without separators, and not within a longer one."""
    written = "|".join(map(re.escape, (secret, secret.replace(",", ""))))
    return re.search(rf"(?<![\d.,])(?:{written})(?!\d|[.,]\d)", received) is not None
