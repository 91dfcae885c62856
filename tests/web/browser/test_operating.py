"""The operator's page of a study beside its participants: rows follow, and what the operator does is seen at once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("playwright", reason="browser tests need the extra browser")

from participant import WORD
from playwright.sync_api import Browser, Page, expect
from studying import Participant, StudyServer
from visitor import phrase

from econzoo.people.server.serving import TOKEN

PHONE = {"viewport": {"width": 390, "height": 844}}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[StudyServer]:
    running = StudyServer(tmp_path, move=120)
    yield running
    running.kill()


@pytest.fixture
def operator(browser: Browser, server: StudyServer) -> Iterator[Page]:
    """Who has signed in, on a phone."""
    context = browser.new_context(**PHONE)
    page = context.new_page()
    page.goto(f"http://127.0.0.1:{server.port}/operator?to=/manage/study/pilot")
    page.locator("#token").fill((server.folder / "pilot" / TOKEN).read_text(encoding="utf-8").strip())
    page.locator("main button").click()
    yield page
    context.close()


def tell(page: Page, which: str, text: str) -> None:
    """Sends a message to a participant or to all."""
    page.locator(f"#message-{which} summary").click()
    page.locator(f"#message-{which} input[name=text]").fill(text)
    page.locator(f"#message-{which} button").click()


def test_messages_and_pauses_are_seen_at_once_and_nothing_typed_is_lost(browser, server, operator):
    ann, ben, cleo = (Participant(browser.new_context(**PHONE), server, label) for label in ("ann", "ben", "cleo"))
    ann.ready()
    ben.ready().playing()
    ann.playing()
    cleo.press('button[value="yes"]')
    cleo.page.locator("#word").fill("half a w")
    expect(operator.locator("#row-3")).to_contain_text("cleo")  # the rows follow without a reload
    expect(operator.locator("#row-2")).to_contain_text(phrase("monitor.with", others="#1"))

    tell(operator, "all", "Please <b>look up</b>.")
    for guest in (ann, ben, cleo):
        expect(guest.page.locator("#notice")).to_contain_text("Please <b>look up</b>.")
    assert cleo.page.locator("#word").input_value() == "half a w"

    operator.locator("button.to-pause").click()
    for guest in (ann, ben, cleo):
        expect(guest.page.locator("#notice")).to_contain_text(phrase("study.paused"))
        expect(guest.page.locator("main form:not(footer form)").first).to_be_hidden()
    ann.page.reload()
    clock = ann.page.locator("#table .timer")
    before = clock.get_attribute("data-left")
    ann.page.wait_for_timeout(2100)
    assert clock.get_attribute("data-left") == before

    operator.locator("button.to-resume").click()
    expect(cleo.page.locator("#notice")).not_to_contain_text(phrase("study.paused"))
    assert cleo.page.locator("#word").input_value() == "half a w"
    cleo.page.locator("#word").fill(WORD)
    cleo.press('form[action$="/instructions"] button')

    operator.locator("#exclude-1 summary").click()
    operator.locator("#exclude-1 input").last.fill("half a reas")
    ben.move("C")  # the rows change, and what is typed stays
    expect(operator.locator("#row-1 [data-count]")).to_be_visible()
    expect(operator.locator("#row-2 [data-count]")).to_have_count(0)
    assert operator.locator("#exclude-1 input").last.input_value() == "half a reas"
    operator.locator("#exclude-1 button").click()
    expect(ann.page.get_by_text("half a reas")).to_be_visible()  # the page is another one, without a reload
    assert operator.evaluate("document.documentElement.scrollWidth") <= 390
    for guest in (ann, ben, cleo):
        guest.table.close()


def test_the_operator_signs_out(operator):
    operator.locator("form.out button").click()
    expect(operator.locator("#token")).to_be_visible()
    operator.goto(operator.url.partition("/operator")[0] + "/manage/study/pilot")
    expect(operator.locator("#token")).to_be_visible()
