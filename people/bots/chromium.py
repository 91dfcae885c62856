"""A real browser of a participant: Chromium without a window, driven by Playwright."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Mapping
from typing import Any

from econzoo.envs.core.extras import explain_missing_library
from econzoo.people.bots.html_page import HtmlForm, Page
from econzoo.people.bots.http_browser import ANSWER_TIMEOUT, NoAnswerError, PageLoad

FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update")

EXECUTABLE_NAMES = ("chromium", "chromium-browser", "google-chrome")

POLL_INTERVAL = 0.1
"""Seconds between two looks at a page that may change."""


def find_browser() -> str | None:
    """The browser: the one that CHROMIUM names, or one that is found; None: that of Playwright."""
    named = os.environ.get("CHROMIUM")
    return named or next((found for name in EXECUTABLE_NAMES if (found := shutil.which(name))), None)


def check_browser() -> None:
    """Starts a browser and ends it.

    Raises:
        MissingLibraryError: Playwright is not installed.
        ValueError: There is no browser.
    """
    ChromiumBrowser("http://127.0.0.1").close()


class ChromiumBrowser:
    """Somebody's browser; only the thread that has made it may use it.

    Args:
        origin: Of the server: ``http://127.0.0.1:8765``.

    Attributes:
        page: That is shown.
        path: Of it.
        status: Of the last answer; of one that a script asked for 422 where the page tells problems.
        was_late: Whether the last answer says that what was sent came too late.
        page_loads: What was waited for.

    Raises:
        MissingLibraryError: Playwright is not installed.
        ValueError: There is no browser.
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
            told = str(error).strip().splitlines()[0]
            raise ValueError(
                f"study test --browser finds no browser ({told}); allowed: chromium or google-chrome on the PATH, the "
                "environment variable CHROMIUM, or `playwright install chromium`"
            ) from error
        self._tab: Any = self._browser.new_page(viewport={"width": 390, "height": 844})
        self._tab.set_default_timeout(1000 * ANSWER_TIMEOUT)
        self._tab.on(
            "response",
            lambda answer: self._answer_statuses.append(answer.status) if _is_form_post(answer.request) else None,
        )
        self._answer_statuses: list[int] = []
        self.page, self.path, self.status, self.was_late = Page(""), "", 0, False
        self.page_loads: list[PageLoad] = []

    _shown_mark: tuple[Any, ...] = ()
    """The mark of what is shown, which also changes between two looks at the page."""

    @property
    def fragment_path(self) -> str:
        """Address of that part of the page which changes; empty: there is none."""
        return self.page.attribute("table", "data-table")

    def visit(self, path: str, what: str = "page") -> None:
        """Opens a page.

        Raises:
            NoAnswerError: The server does not answer.
        """
        began = time.monotonic()
        try:
            answer = self._tab.goto(f"{self._origin}{path}", wait_until="load")
        except self._error as error:
            raise NoAnswerError(str(error)) from error
        self._read_page(answer.status if answer else 200)
        self.page_loads.append(PageLoad(what, time.monotonic() - began, self.status))

    def reload(self) -> None:
        """Loads the page again."""
        self.visit(self.path)

    def _read_page(self, status: int = 0) -> None:
        """Keeps what is shown."""
        self._shown_mark = self._mark()
        try:
            self.page = Page(self._tab.content())
        except self._error as error:  # another page is on its way
            raise NoAnswerError(str(error)) from error
        path, _, asked = self._tab.url.removeprefix(self._origin).partition("?")
        self.was_late = "late" in asked
        self.status = status or (422 if self._tab.locator("#problems").count() else 200)
        self.path = self.path if self.status == 422 else path  # where a form was sent to is no page

    def submit(self, form: HtmlForm, given: Mapping[str, str], twice: bool = False) -> bool:
        """Fills a form, presses its button, and waits for the page that follows; returns True, as it was answered.

        Raises:
            NoAnswerError: The server does not answer.
        """
        same = [one for one in self.page.forms if one.action == form.action]
        there = self._tab.locator(f'form[action="{form.action}"]').nth(same.index(form))
        began, before = time.monotonic(), self._mark()
        try:
            for name, value in given.items():
                self._fill(there, name, value)
            pressed = next(
                (f'button[name="{n}"][value="{given[n]}"]' for n in form.button_names if n in given), "button"
            )
            there.locator(pressed).first.click(click_count=2 if twice else 1)
            while self._mark() == before:
                if time.monotonic() - began > ANSWER_TIMEOUT:
                    raise NoAnswerError(f"{form.step} leads nowhere")
                time.sleep(POLL_INTERVAL)
            self._tab.wait_for_timeout(1000 * POLL_INTERVAL)  # a script shows what has come
            self._tab.wait_for_load_state("load")
        except self._error as error:
            raise NoAnswerError(str(error)) from error
        self._read_page()
        self.page_loads.append(PageLoad(form.step, time.monotonic() - began, self.status))
        return True

    def _mark(self) -> tuple[Any, ...]:
        """Changes with every page, every answer to a form, and all news; not with what is typed."""
        try:
            now = self._tab.evaluate("[performance.timeOrigin, document.querySelector('#state')?.dataset.state]")
        except self._error:  # between two pages
            return ()
        return (*now, len(self._answer_statuses))

    def _fill(self, form: Any, name: str, value: str) -> None:
        """One input; hidden ones have their value."""
        several = form.locator(f'[name="{name}"]:not(button)')
        count = several.count()
        kind = several.first.evaluate("one => one.type") if count else "hidden"
        if kind in ("radio", "checkbox"):
            values = [several.nth(at).get_attribute("value") for at in range(count)]
            several.nth(values.index(value) if value in values else 0).check()
        elif kind != "hidden":
            several.first.fill(value)

    def wait_for_update(self, seconds: float) -> bool:
        """Waits for news of the page, so many seconds at most; returns whether there were any.

        Raises:
            NoAnswerError: The page is gone.
        """
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            self._tab.wait_for_timeout(1000 * POLL_INTERVAL)
            if (now := self._mark()) and now != self._shown_mark:
                self._tab.wait_for_load_state("load")
                self._read_page()
                return True
        return False

    def leave(self) -> None:
        """Closes the page."""
        self._tab.goto("about:blank")

    def close(self) -> None:
        """Closes the browser."""
        self._browser.close()
        self._playwright.stop()


def _is_form_post(request: Any) -> bool:
    """Whether a form is sent."""
    return request.method == "POST" and "/noticed/" not in request.url
