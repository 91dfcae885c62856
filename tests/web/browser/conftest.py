"""A server as ``econzoo serve`` starts it, and Chromium, driven by Playwright."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytest.importorskip("playwright", reason="browser tests need the extra browser")
pytest.importorskip("uvicorn", reason="the web table needs the extra web")

from browsing import FLAGS, Table, chromium
from playwright.sync_api import Browser, sync_playwright
from serving import Server

New = Callable[..., Table]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    found = chromium()
    if found is None:
        pytest.skip("no Chromium is on the path, and CHROMIUM names none")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=found, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One for all tests that do not kill it."""
    with Server(tmp_path_factory.mktemp("table")) as running:
        yield running


@pytest.fixture
def new(browser: Browser, server: Server) -> Iterator[New]:
    """Makes visitors, each in a browser of their own; no one of them may ask another host for anything."""
    made: list[Table] = []

    def visitor(url: str = "", **options: object) -> Table:
        made.append(Table(browser.new_context(**options), url or server.url))
        return made[-1]

    yield visitor
    for one in made:
        one.close()
    assert [asked for one in made for asked in one.asked_elsewhere] == []
