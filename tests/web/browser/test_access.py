"""Who sees badly, has no mouse, no JavaScript or a small screen plays all the same."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files

import pytest

pytest.importorskip("axe_playwright_python", reason="the check of accessibility needs the extra browser")

from econzoo.evaluate.run import replay
from exhaustive import long_unless

AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
BAD = ("serious", "critical")


def pages(table) -> Iterator[str]:
    """Every page on the way through a match, each while it is shown."""
    table.page.goto(table.url)
    yield "start"
    table.page.goto(f"{table.url}?game=negotiation")
    yield "choose"
    table.page.locator("details.more > summary").click()
    table.page.locator('[name="param.money"]').fill("nothing")
    table.page.locator("main form button.button").last.click()
    table.page.wait_for_selector(".problem")
    yield "choose, with a problem"
    table.start("bargaining", player_1="human", param_horizon="2")
    yield "seat, with invitations and a form"
    table.move("offer", gain="50000")
    yield "seat, with a problem"
    table.move("offer", gain="6000", words="Half, nearly")
    yield "seat, waiting"
    table.start("public_goods", param_rounds="1")
    yield "public goods"
    table.start("coin_game")
    yield "a board"
    table.start("bargaining", player_1="fair", param_horizon="1")
    table.move("offer", gain="5000")
    table.settle()
    yield "end"
    table.page.get_by_role("link", name="Replay").click()
    table.page.wait_for_selector("[data-testid=verdict]")
    yield "replay"
    table.page.goto(table.page.url.replace("/replay/", "/watch/").partition("?")[0] + "?at=1")
    yield "watch"
    table.page.goto(f"{table.url}operator")
    yield "operator"
    table.page.goto(f"{table.url}nothing")
    yield "nothing there"


def findings(page) -> list[str]:
    page.evaluate(AXE)  # not as an element: the page's policy lets no script of another in
    found = page.evaluate("axe.run()")["violations"]
    return [f"{one['impact']}: {one['id']} at {one['nodes'][0]['target']}" for one in found]


@pytest.mark.parametrize("scheme", long_unless("light".__eq__, ["light", "dark"]))
def test_axe_finds_nothing_serious(new, scheme, capsys):
    table = new(color_scheme=scheme)
    found = {name: findings(table.page) for name in pages(table)}
    with capsys.disabled():
        print(f"\naxe, {scheme}: {len(found)} pages, {sum(map(len, found.values()))} findings of any kind")
    assert {name: some for name, told in found.items() if (some := [one for one in told if one.startswith(BAD)])} == {}


def test_no_page_scrolls_sideways_on_a_phone(new):
    table = new(viewport={"width": 390, "height": 844}, device_scale_factor=2, has_touch=True)
    wide = {name: table.page.evaluate("document.documentElement.scrollWidth") for name in pages(table)}
    assert {name: width for name, width in wide.items() if width > 390} == {}


def test_a_whole_game_by_keyboard_alone(new):
    """From the list of games to the end card with Tab, Enter and typing."""
    table = new()
    table.page.goto(table.url)
    press = table.page.keyboard.press
    until(table, "a[href$='game=bargaining']")
    with table.page.expect_navigation():
        press("Enter")
    until(table, "details.more > summary")
    press("Enter")
    until(table, "[name='param.horizon']")
    press("ControlOrMeta+a")
    table.page.keyboard.type("1")
    until(table, "form button.button")
    with table.page.expect_navigation():
        press("Enter")
    until(table, ".moves [name='move.gain']")
    table.page.keyboard.type("5000")
    until(table, ".moves button[name=kind]")
    with table.page.expect_navigation():
        press("Enter")
    table.settle()
    assert table.over
    assert replay(table.record()) == []


def until(table, selector: str, most: int = 80) -> None:
    """Presses Tab until something has the focus, and shows that it has."""
    for _ in range(most):
        table.page.keyboard.press("Tab")
        if table.page.evaluate("wanted => document.activeElement.matches(wanted)", selector):
            seen = (
                "(s => s.outlineStyle !== 'none' || s.boxShadow !== 'none')(getComputedStyle(document.activeElement))"
            )
            assert table.page.evaluate(seen), f"the focus on {selector} cannot be seen"
            return
    raise AssertionError(f"{selector} cannot be reached by Tab")


def test_a_game_can_be_finished_without_javascript(new):
    table = new(java_script_enabled=False)
    table.page.goto(f"{table.url}?game=bargaining")
    table.page.locator("details.more > summary").click()
    table.page.locator('[name="param.horizon"]').fill("2")
    table.page.locator("main form button.button").last.click()
    while not table.over:
        table.page.wait_for_selector(".moves, .end")
        if not table.over:
            offering = table.page.locator('[name="move.gain"]').count()
            table.move("offer", gain="6000") if offering else table.move("accept")
    assert replay(table.record()) == []


def test_the_first_load_is_small(new, capsys):
    table = new()
    sizes: list[int] = []
    table.page.on("requestfinished", lambda request: sizes.append(sum(request.sizes()[part] for part in PARTS)))
    table.page.goto(table.url, wait_until="load")
    # Not by wait_for_function: it calls eval in the page, which its content security policy forbids.
    milliseconds, table_sizes = table.page.evaluate(FIRST_PAINT), sizes.copy()
    with capsys.disabled():
        print(
            f"\nfirst load: {len(table_sizes)} requests, {sum(table_sizes) / 1000:.1f} kB, paint {milliseconds:.0f} ms"
        )
    assert sum(table_sizes) < 60_000


PARTS = ("responseBodySize", "responseHeadersSize")
FIRST_PAINT = """() => new Promise(told => new PerformanceObserver(list => {
    for (const paint of list.getEntriesByName("first-contentful-paint")) told(paint.startTime)
}).observe({type: "paint", buffered: true}))"""
"""Milliseconds to the first paint with content, waited for if it is still to come."""
