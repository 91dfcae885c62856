"""Real browser of a bot: headless Chromium, driven by Playwright."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Mapping
from typing import Any

from econzoo.envs.core import explain_missing_library
from econzoo.people.bots.html_page import HtmlForm, Page
from econzoo.people.bots.http_browser import ANSWER_TIMEOUT, NoAnswerError, PageLoad

# Chromium's sandbox does not start as root or in most containers; the browser opens pages of this test only.
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update")

EXECUTABLE_NAMES = ("chromium", "chromium-browser", "google-chrome")

POLL_INTERVAL = 0.1
"""Seconds between checks of the page."""


def find_browser() -> str | None:
    """Return the path of the browser: CHROMIUM, or one on the PATH; None: Playwright's own."""
    named = os.environ.get("CHROMIUM")
    return named or next((path for name in EXECUTABLE_NAMES if (path := shutil.which(name))), None)


def check_browser() -> None:
    """Check that a browser can be started."""
    ChromiumBrowser("http://127.0.0.1").close()


class ChromiumBrowser:
    """A bot's Chromium; not thread-safe.

    Args:
        origin: Origin of the server: ``http://127.0.0.1:8765``.

    Attributes:
        status: Status of the last response; 422 if a script shows errors.
    """

    def __init__(self, origin: str) -> None:
        with explain_missing_library("study test --browser", "browser"):
            from playwright.sync_api import Error, sync_playwright
        self._error, self._origin = Error, origin
        self._playwright = sync_playwright().start()
        try:
            self._browser = self._playwright.chromium.launch(executable_path=find_browser(), args=[*FLAGS])
        except Error as error:
            self._playwright.stop()
            reason = str(error).strip().splitlines()[0]
            raise ValueError(
                f"study test --browser found no browser ({reason}): expected chromium or google-chrome on the PATH, "
                "the environment variable CHROMIUM, or `playwright install chromium`"
            ) from error
        self._tab: Any = self._browser.new_page(viewport={"width": 390, "height": 844})  # the size of a phone
        self._tab.set_default_timeout(1000 * ANSWER_TIMEOUT)
        self._tab.on(
            "response",
            lambda answer: self._answer_statuses.append(answer.status) if _is_form_post(answer.request) else None,
        )
        self._answer_statuses: list[int] = []
        self.page, self.path, self.status, self.was_late = Page(""), "", 0, False
        self.page_loads: list[PageLoad] = []

    _shown_mark: tuple[Any, ...] = ()
    """State of the page as last read."""

    @property
    def fragment_path(self) -> str:
        """URL of the updated part of the page; empty: none."""
        return self.page.attribute("table", "data-table")

    def visit(self, path: str, what: str = "page") -> None:
        began = time.monotonic()
        try:
            answer = self._tab.goto(f"{self._origin}{path}", wait_until="load")
        except self._error as error:
            raise NoAnswerError(str(error)) from error
        self._read_page(answer.status if answer else 200)
        self.page_loads.append(PageLoad(what, time.monotonic() - began, self.status))

    def reload(self) -> None:
        self.visit(self.path)

    def _read_page(self, status: int = 0) -> None:
        self._shown_mark = self._mark()
        try:
            self.page = Page(self._tab.content())
        except self._error as error:  # during navigation
            raise NoAnswerError(str(error)) from error
        path, _, query = self._tab.url.removeprefix(self._origin).partition("?")
        self.was_late = "late" in query
        self.status = status or (422 if self._tab.locator("#problems").count() else 200)
        self.path = self.path if self.status == 422 else path  # the URL of a form is not a page

    def submit(self, form: HtmlForm, given: Mapping[str, str], twice: bool = False) -> bool:
        """Fill and submit a form and wait for the next page; return True, since it was answered."""
        # Several forms may have one action: those of the kinds of a move.
        same = [one for one in self.page.forms if one.action == form.action]
        there = self._tab.locator(f'form[action="{form.action}"]').nth(same.index(form))
        began, shown = time.monotonic(), self._mark()
        try:
            for name, value in given.items():
                self._fill(there, name, value)
            pressed = next(
                (f'button[name="{n}"][value="{given[n]}"]' for n in form.button_names if n in given), "button"
            )
            there.locator(pressed).first.click(click_count=2 if twice else 1)
            while self._mark() == shown:
                if time.monotonic() - began > ANSWER_TIMEOUT:
                    raise NoAnswerError(f"{form.step} has no effect")
                time.sleep(POLL_INTERVAL)
            self._tab.wait_for_timeout(1000 * POLL_INTERVAL)  # for scripts
            self._tab.wait_for_load_state("load")
        except self._error as error:
            raise NoAnswerError(str(error)) from error
        self._read_page()
        self.page_loads.append(PageLoad(form.step, time.monotonic() - began, self.status))
        return True

    def _mark(self) -> tuple[Any, ...]:
        """Return a state that changes with pages, form responses and updates, but not with input."""
        try:
            now = self._tab.evaluate("[performance.timeOrigin, document.querySelector('#state')?.dataset.state]")
        except self._error:  # during navigation
            return ()
        # Answers count, since a script may show the errors of a form without another page or state.
        return (*now, len(self._answer_statuses))

    def _fill(self, form: Any, name: str, value: str) -> None:
        """Fill an input; hidden ones keep their value."""
        several = form.locator(f'[name="{name}"]:not(button)')
        count = several.count()
        kind = several.first.evaluate("one => one.type") if count else "hidden"
        if kind in ("radio", "checkbox"):
            values = [several.nth(at).get_attribute("value") for at in range(count)]
            several.nth(values.index(value) if value in values else 0).check()
        elif kind != "hidden":
            several.first.fill(value)

    def wait_for_update(self, seconds: float) -> bool:
        """Wait at most `seconds` for an update of the page; return whether there was one."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            self._tab.wait_for_timeout(1000 * POLL_INTERVAL)
            if (now := self._mark()) and now != self._shown_mark:
                self._tab.wait_for_load_state("load")
                self._read_page()
                return True
        return False

    def leave(self) -> None:
        self._tab.goto("about:blank")

    def close(self) -> None:
        self._browser.close()
        self._playwright.stop()


def _is_form_post(request: Any) -> bool:
    """Whether a request posts a form; scripts also post that a page was hidden or shown (``/noticed/``)."""
    return request.method == "POST" and "/noticed/" not in request.url
