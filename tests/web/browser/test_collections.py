"""A collection in the browser: it is ordered, goes on without the server, is paused and resumed, and looked at."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event
from typing import Any

import pytest

pytest.importorskip("openai", reason="the models of this test are asked over HTTP")
pytest.importorskip("matplotlib", reason="figures need the extra evaluate")

from browsing import PATIENCE
from local_server import Answer, LocalServer, reply
from playwright.sync_api import Page, expect
from serving import Server
from test_access import AXE, BAD

import econzoo
from econzoo.envs.core.record import Record
from econzoo.evaluate.run import replay
from econzoo.people.manage import runs

pytestmark = pytest.mark.long

LONG = 6 * PATIENCE
"""Milliseconds for what starts a process of its own."""

expect.set_options(timeout=LONG)


class Held:
    """Two models: one accepts everything, one rejects, and then waits with its own offer until it is let go."""

    def __init__(self) -> None:
        self.go, self.asked = Event(), Counter[str]()

    def __call__(self, request: dict[str, Any]) -> Answer:
        """Answers a question."""
        self.asked[request["model"]] += 1
        if request["model"] == "quick":
            return reply('{"kind": "accept"}')
        if "propose a division" not in request["messages"][-1]["content"]:
            return reply('{"kind": "reject"}')
        self.go.wait(timeout=LONG / 1000)
        return reply('{"kind": "offer", "gain": 1, "message": ""}')


@pytest.fixture
def held() -> Iterator[tuple[Held, str]]:
    models = Held()
    with LocalServer(judge=models) as server:
        yield models, server.url
        models.go.set()


def sign_in(page: Page, server: Server) -> None:
    token = (server.folder / "econzoo_web" / "operator.token").read_text(encoding="utf-8").strip()
    page.goto(f"{server.url}operator?to=/manage")
    page.get_by_label("Token").fill(token)
    with page.expect_navigation():
        page.get_by_role("button", name="Sign in").click()


def order(page: Page, lineups: str) -> None:
    """Two line-ups, two settings, five repetitions."""
    page.get_by_role("link", name="New collection").click()
    page.get_by_role("link", name="Bargaining", exact=False).first.click()
    page.get_by_label("Players to compare").fill("")
    page.get_by_text("Fixed seats").click()
    page.get_by_label("Line-ups").fill(lineups)
    page.get_by_text("Parameters", exact=True).click()
    page.get_by_role("textbox", name="Horizon", exact=True).fill("2")
    page.get_by_role("textbox", name="Money", exact=True).fill("100; 1000")
    page.get_by_label("Repetitions").fill("5")
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_test_id("matches")).to_contain_text("20")
    page.get_by_role("button", name="Start").click()


def findings(page: Page) -> list[str]:
    page.evaluate(AXE)
    found = page.evaluate("axe.run()")["violations"]
    return [f"{one['impact']}: {one['id']} at {one['nodes'][0]['target']}" for one in found if one["impact"] in BAD]


def wide(page: Page) -> bool:
    """Whether the page is wider than the screen."""
    return bool(page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"))


@pytest.fixture
def look(browser: Any) -> Iterator[Callable[..., Page]]:
    made = []

    def page(**options: Any) -> Page:
        made.append(browser.new_context(**options))
        made[-1].set_default_timeout(LONG)
        return made[-1].new_page()

    yield page
    for context in made:
        context.close()


def test_a_collection_outlives_the_server_and_no_match_is_lost_or_doubled(look, held, tmp_path: Path):
    models, url = held
    quick, slow = (f"openai:{name}@{url}" for name in ("quick", "slow"))
    with Server(tmp_path, "--players", quick, "--players", slow) as server:
        page = look()
        sign_in(page, server)
        assert findings(page) == []
        order(page, f"fair | {quick}\nfair | {slow}")
        ended, kind = page.get_by_test_id("ended"), page.locator(".kind")
        expect(ended).to_have_text("10 of 20")  # the bar has moved, without a reload
        server.kill()
        server.start()
        page.reload()
        expect(kind).to_have_text("running")
        page.get_by_role("button", name="Pause").click()
        expect(kind).to_have_text("paused")
        expect(ended).to_have_text("10 of 20")
        assert models.asked["quick"] == 10
        models.go.set()
        page.get_by_role("button", name="Resume").click()
        expect(ended).to_have_text("20 of 20")
        expect(page.get_by_text("Of 20 matches.")).to_be_visible(timeout=LONG)
        expect(page.locator("figure svg").first).to_be_visible()
        with page.expect_download() as download:
            page.get_by_role("link", name="Records (JSONL)").click()
        records = [Record.from_json(line) for line in download.value.path().read_text(encoding="utf-8").splitlines()]
        assert findings(page) == []
        kept = next((tmp_path / "econzoo_web" / "collections").iterdir())
    assert len({record.id for record in records}) == len(records) == 20
    assert [problem for record in records for problem in replay(record)] == []
    assert models.asked["quick"] == 10  # nobody was asked twice
    assert not runs.load_last(kept).is_alive


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_of_collections_can_be_read_by_all(look, server, scheme):
    page = look(color_scheme=scheme, viewport={"width": 390, "height": 844})
    sign_in(page, server)
    page.goto(f"{server.url}manage/new?game=persuasion")
    for fold in page.locator("summary").all():
        fold.click()
    page.get_by_label("Repetitions").fill("1")
    assert findings(page) == []
    assert not wide(page)
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_test_id("matches")).to_be_visible()
    assert findings(page) == []
    page.get_by_role("button", name="Start").click()
    expect(page.locator(".kind")).to_have_text(re.compile("done"))
    expect(page.locator("figure svg").first).to_be_visible()
    for fold in page.locator("summary").all():
        fold.click()
    assert findings(page) == []
    assert not wide(page)


def test_a_collection_is_ordered_without_javascript(look, server):
    page = look(java_script_enabled=False)
    sign_in(page, server)
    page.goto(f"{server.url}manage/new?game=bargaining")
    page.get_by_label("Players to compare").fill("spe")
    page.get_by_role("button", name="Preview").click()
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_role("button", name="Pause").or_(page.get_by_text("done"))).to_have_count(1)
    page.get_by_role("link", name="Reload").click()
    expect(page.get_by_test_id("ended")).to_be_visible()


def test_judges_and_the_operator_read_all_pages(look, server, tmp_path: Path):
    path = tmp_path / "matches.jsonl"
    made = [econzoo.play("bargaining", ["fair", "linear"], seed=seed, horizon=2 + seed) for seed in range(2)]
    path.write_text("".join(record.to_json() + "\n" for record in made), encoding="utf-8")
    page = look(viewport={"width": 390, "height": 844})
    sign_in(page, server)
    page.goto(f"{server.url}judge")
    page.get_by_label("File of records").fill(str(path))
    page.get_by_label("Judges").fill("Ann\nBen")
    assert findings(page) == []
    with page.expect_navigation():  # the links are read at once: a locator's `all` does not wait for them
        page.get_by_role("button", name="Create links").click()
    home, links = page.url, [one.input_value() for one in page.get_by_test_id("link").all()]
    assert len(links) == 2
    for judge, link in enumerate(links):
        judging = look(viewport={"width": 390, "height": 844})
        judging.goto(link)
        assert findings(judging) == []
        assert not wide(judging)
        for dimension in judging.locator("fieldset.dimension").all():
            dimension.get_by_role("radio").nth(judge).check()
        judging.get_by_role("button", name="Save").click()
        expect(judging.get_by_text("1 of 4 judged")).to_be_visible()
    page.goto(home)
    expect(page.get_by_role("table").first).to_be_visible()
    assert findings(page) == []
    assert not wide(page)
