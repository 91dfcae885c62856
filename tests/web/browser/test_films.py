"""Films and replays with a script: they go on by themselves, stop, and follow the keys."""

from __future__ import annotations

import re

import pytest

pytest.importorskip("playwright", reason="browser tests need the extra browser")

from playwright.sync_api import expect

pytestmark = pytest.mark.long


def watched(table, rounds: int) -> None:
    """Two players, and nobody else."""
    table.page.goto(f"{table.url}?game=matrix")
    table.page.get_by_role("radio", name="None: watch only").check()
    table.page.locator("details.more > summary").click()
    for name, value in (("player.0", "tit-for-tat"), ("player.1", "random"), ("param.rounds", str(rounds))):
        table.page.locator(f'[name="{name}"]').fill(value)
    table.page.get_by_role("button", name="Start").click()
    table.page.wait_for_url("**/watch/**")


def test_a_film_goes_on_by_itself_until_it_is_stopped(new):
    table = new()
    watched(table, 20)
    table.page.get_by_role("link", name="5x", exact=True).click()
    at = table.page.get_by_test_id("at")
    expect(at).to_have_text(re.compile(r"Move ([3-9]|\d\d) of 40"))
    table.page.keyboard.press(" ")
    expect(table.page.get_by_role("link", name="Play", exact=True)).to_be_visible()
    stopped = at.inner_text()
    table.page.wait_for_timeout(600)
    assert at.inner_text() == stopped
    number = int(stopped.split()[1])
    for key, there in (("ArrowRight", number + 1), ("ArrowLeft", number), ("Home", 0)):
        table.page.keyboard.press(key)
        expect(at).to_have_text(f"Move {there} of 40")
        table.page.wait_for_load_state()  # the script hears no key before


def test_arrow_keys_turn_the_pages_of_a_replay(new):
    table = new()
    watched(table, 3)
    table.page.goto(table.page.url.replace("/watch/", "/replay/").partition("?")[0])
    at = table.page.get_by_test_id("at")
    for key, there in (("Home", 0), ("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("End", 6)):
        table.page.keyboard.press(key)
        expect(at).to_have_text(f"Turn {there} of 6")
        table.page.wait_for_load_state()
    assert table.page.get_by_test_id("verdict").inner_text() == "Verified"
