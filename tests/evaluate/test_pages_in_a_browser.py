"""Pages as a browser shows them, with five long names: nothing sticks out at 390 pixels, what goes on fades out."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from given_commands import command

NAMES = (
    *("DeepSeek-R1-Distill-Llama-70B-Instruct", "Llama-4-Maverick-17B-128E-Instruct-FP8"),
    *("Qwen3-235B-A22B-Thinking-2507", "Qwen3-235B-A22B-Instruct-2507", "NVIDIA-Nemotron-Nano-12B-v2-Base-BF16"),
)
OFFERS = ("boulware(0.2)", "fair", "spe", "linear", "random")
TOWN = ("reserve(2)", "need-based", "all-in", "shade", "random")
MOVES = ("tit-for-tat", "cooperator", "defector", "grudger", "random")
OPTIONS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
)

pytestmark = pytest.mark.long


def named(specs):
    """Players with the names of models."""
    return [f"{name}={spec}" for name, spec in zip(NAMES, specs, strict=True)]


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """A page of each kind."""
    folder = tmp_path_factory.mktemp("pages")
    played = folder / "bargaining"
    assert command("tournament", "bargaining", *named(OFFERS), "--seeds", 1, "-p", "horizon=4", "--out", played) == 0
    assert command("analyze", played, "summary", "behaviour", "regression") == 0
    dilemma = folder / "dilemma"
    assert command("tournament", "matrix", *named(MOVES), "-p", "rounds=5", "--seeds", 1, "--out", dilemma) == 0
    assert command("analyze", dilemma, "evolution", "--runs", 5, "--starts", 5, "--resamples", 5) == 0
    town = ("run", "water", *named(TOWN), "--rotate", "--seeds", 1, "-p", "days=3", "--settings", "scarce")
    assert command(*town, "--out", folder / "water") == 0
    assert command("analyze", folder / "water", "water") == 0
    match = next((played / "summary" / "matches").glob("*.html"))
    whole = ("summary.html", "behaviour.html", "regression.html")
    return [*(played / one for one in whole), match, dilemma / "evolution.html", folder / "water/water.html"]


@pytest.fixture(scope="module")
def browser():
    """Chromium, where there is one."""
    sync = pytest.importorskip("playwright.sync_api")
    chromium = shutil.which("chromium") or pytest.skip("there is no Chromium")
    with sync.sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=chromium, args=OPTIONS.split())
        yield opened
        opened.close()


def shown(browser, page: Path, width: int):
    """A page in a window."""
    window = browser.new_page(viewport={"width": width, "height": 900})
    window.goto(page.as_uri())
    return window


def test_nothing_sticks_out_at_the_side(browser, pages):
    for page in pages:
        for width in (390, 1280):
            window = shown(browser, page, width)
            assert window.evaluate("document.documentElement.scrollWidth") <= width, page.name
            window.close()


FADED = """() => [...document.querySelectorAll("figure")].filter(one => one.checkVisibility()).map(
    one => [one.scrollWidth > one.clientWidth + 1, getComputedStyle(one).maskImage != "none"])"""


def test_figures_that_go_on_beyond_the_edge_fade_out_there_and_no_others(browser, pages):
    seen = []
    for page in pages:
        window = shown(browser, page, 390)
        window.wait_for_timeout(100)
        seen += window.evaluate(FADED)
        window.close()
    assert {tuple(one) for one in seen} == {(True, True), (False, False)}


TOPS = """() => [...document.querySelectorAll("table:not(.heat) tbody tr")].map(row =>
    [...row.children].filter(one => one.textContent.trim()).map(one => {
        const range = document.createRange();
        range.selectNodeContents(one);
        return range.getClientRects()[0].top;
    })).filter(tops => tops.length > 1).map(tops => Math.max(...tops) - Math.min(...tops))"""


def test_the_cells_of_a_row_begin_on_one_line(browser, pages):
    for page in pages:
        window = shown(browser, page, 1280)
        assert max(window.evaluate(TOPS)) < 8, page.name
        window.close()
