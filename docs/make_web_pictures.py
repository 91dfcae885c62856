"""Makes the pictures of the browser table: docs/web.png (a match and its end), web_start.png and web_replay.png.

    python docs/make_web_pictures.py

Starts ``econzoo serve`` in an own folder, plays a match of bargaining against a script with a fixed seed, and takes
pictures of the pages. Needs econzoo[web,browser], Pillow, and Chromium on the path, or its name in CHROMIUM.
"""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Page, sync_playwright

HERE = Path(__file__).parent
SIZE, GAP = (600, 760), 24
"""Of a page in CSS pixels, and what stands between two; a picture has one and a half times as many."""

SCALE, COLOURS = 1.5, 64
PATIENCE = 120_000
"""Milliseconds that a page may take."""

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"]
MATCH = {"player.1": "linear", "param.horizon": "6", "seed": "3"}


@contextmanager
def served() -> Iterator[str]:
    """The address of a table while it runs."""
    line = [sys.executable, "-m", "econzoo", "serve", "--port", "0", "--no-open"]
    with (
        tempfile.TemporaryDirectory() as folder,
        subprocess.Popen(line, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server,
    ):
        assert server.stdout is not None
        try:
            yield server.stdout.readline().strip()
        finally:
            server.kill()


def shot(page: Page) -> Any:
    """What a page shows."""
    return Image.open(io.BytesIO(page.screenshot(timeout=PATIENCE))).convert("RGB")


def beside(left: Any, right: Any) -> Any:
    """Two pictures of the same height beside each other."""
    gap = round(GAP * SCALE)
    both = Image.new("RGB", (left.width + gap + right.width, left.height), "white")
    both.paste(left, (0, 0))
    both.paste(right, (left.width + gap, 0))
    return both


def save(picture: Any, name: str) -> None:
    """Writes a picture with few colours."""
    picture.quantize(COLOURS).save(HERE / name, optimize=True)


def play(page: Page, url: str) -> Iterator[Any]:
    """Plays the match; gives the pictures on the way."""
    page.goto(f"{url}?game=bargaining")
    page.locator("details.more > summary").click()
    for name, value in MATCH.items():
        page.locator(f'[name="{name}"]').fill(value)
    page.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
    yield shot(page)
    page.locator("main form button.button").last.click()
    page.locator('[name="move.gain"]').fill("6500")
    page.locator('[name="move.message"]').fill("Waiting costs us both: take it now.")
    page.locator('.moves button[value="offer"]').click()
    page.wait_for_selector('.moves button[value="reject"]')
    page.evaluate("scrollTo(0, document.querySelector('.rules').offsetTop - 12)")
    yield shot(page)
    page.locator('.moves button[value="accept"]').click()
    page.get_by_test_id("payoff").wait_for()
    page.get_by_text("being computed").wait_for(state="detached")
    page.evaluate("document.querySelector('.end').scrollIntoView({block: 'start'}); scrollBy(0, -12)")
    yield shot(page)
    page.get_by_role("link", name="Replay").click()
    page.get_by_test_id("verdict").wait_for()
    page.set_viewport_size({"width": 860, "height": SIZE[1]})
    yield shot(page)


def main() -> None:
    """Makes the pictures."""
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium")
    with served() as url, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=FLAGS)
        size = {"width": SIZE[0], "height": SIZE[1]}
        page = browser.new_page(viewport=size, device_scale_factor=SCALE, color_scheme="light")
        page.set_default_timeout(PATIENCE)
        chosen, table, end, replay = play(page, url)
        page.set_viewport_size(size)
        page.goto(url)
        save(beside(table, end), "web.png")
        save(beside(shot(page), chosen), "web_start.png")
        save(replay, "web_replay.png")
        browser.close()


if __name__ == "__main__":
    main()
