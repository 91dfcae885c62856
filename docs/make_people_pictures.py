"""Makes the pictures of a study: docs/people_start.png, people_match.png, people_end.png and people_operator.png.

    python docs/make_people_pictures.py

Each but the last, which is the page of who runs the study, shows two pages of a participant. Writes the example of
bargaining into a folder of its own, runs it, and takes the way of a participant. Needs econzoo[web,browser], Pillow,
and Chromium on the path, or its name in CHROMIUM.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from make_web_pictures import FLAGS, PATIENCE, SCALE, SIZE, beside, save, shot
from playwright.sync_api import Page, sync_playwright

ECONZOO = [sys.executable, "-m", "econzoo"]
PROGRAM = '[[arms]]\nname = "people"\nseats = ["person", "person"]\n\n'
"""Left out of the file: one participant is enough then."""

WIDE, TOKEN = {"width": 960, "height": 640}, "a token of these pictures"
"""Of the operator's page, in CSS pixels, and what signs in to it."""


@contextmanager
def served() -> Iterator[tuple[str, dict[str, Any]]]:
    """The link of participants, but for the label, and the study while it runs."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([*ECONZOO, "study", "init", "bargaining"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        path = Path(folder) / "bargaining.toml"
        text = path.read_text(encoding="utf-8").replace(PROGRAM, "").replace("[true, false]", "[true]")
        path.write_text(re.sub("(?m)^# horizon = .*", "horizon = 4", text), encoding="utf-8")
        line = [*ECONZOO, "serve", path.name, "--port", "0"]
        given = {**os.environ, "ECONZOO_TOKEN": TOKEN}
        with subprocess.Popen(
            line, cwd=folder, env=given, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        ) as server:
            assert server.stdout is not None
            try:
                yield server.stdout.readline().strip().removesuffix("LABEL"), tomllib.loads(path.read_text("utf-8"))
            finally:
                server.kill()


def press(page: Page, button: str) -> None:
    """Presses a button that leads to another page."""
    with page.expect_navigation():
        page.locator(button).first.click()


def walk(page: Page, url: str, study: dict[str, Any]) -> Iterator[Any]:
    """Goes through the study; gives the pictures on the way."""
    page.goto(f"{url}ann")
    yield shot(page)
    press(page, 'button[value="yes"]')
    yield shot(page)
    page.locator("#word").fill(study["attention"]["code_word"])
    press(page, 'form[action$="/instructions"] button')
    for asked in study["quiz"]:
        page.get_by_label(asked["answer"], exact=True).check()
    press(page, 'form[action$="/quiz"] button')
    yield shot(page)
    for match in range(study["matching"]["repetitions"]):
        while True:
            page.wait_for_selector('.moves button, form[action$="/play"] button')
            if page.locator(".moves button").count() and not match and page.locator(".talk .mine").count() == 1:
                page.evaluate("scrollTo(0, 0)")
                yield shot(page)
            if not page.locator(".moves button").count():
                press(page, 'form[action$="/play"] button')
                break
            if page.locator('.moves button[value="accept"]').count():
                press(page, '.moves button[value="accept"]')
            else:
                page.locator('[name="move.gain"]').fill("6500")
                page.locator('[name="move.message"]').fill("Waiting costs us both: take it now.")
                press(page, '.moves button[value="offer"]')
    page.locator('[name="item.0"]').fill("41")
    for asked in page.locator('form[action$="/questionnaire"] fieldset').all():
        asked.locator("input").first.check()
    press(page, 'form[action$="/questionnaire"] button')
    yield shot(page)
    press(page, 'form[action$="/debriefing"] button')
    yield shot(page)


GUESTS = ("eva", "jon", "mia")
"""Those who are on other pages when the picture of the operator's page is taken."""


def watched(browser: Any, url: str, study: dict[str, Any]) -> Any:
    """The page of the operator, with some more participants."""
    for place, label in enumerate(GUESTS):
        guest = browser.new_page()
        guest.set_default_timeout(PATIENCE)
        guest.goto(f"{url}{label}")
        if place:
            press(guest, 'button[value="yes"]')
        if place == len(GUESTS) - 1:
            for _ in range(study["attention"]["attempts"]):
                guest.locator("#word").fill("oak")
                press(guest, 'form[action$="/instructions"] button')
    page = browser.new_page(viewport=WIDE, device_scale_factor=SCALE, color_scheme="light")
    page.set_default_timeout(PATIENCE)
    page.goto(f"{url.partition('/study/')[0]}/operator?token={TOKEN}&to=/manage")
    page.goto(f"{url.partition('/study/')[0]}/manage")
    return shot(page)


def main() -> None:
    """Makes the pictures."""
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium")
    with served() as (url, study), sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=FLAGS)
        size = {"width": SIZE[0], "height": SIZE[1]}
        page = browser.new_page(viewport=size, device_scale_factor=SCALE, color_scheme="light")
        page.set_default_timeout(PATIENCE)
        consent, instructions, room, match, debriefing, done = walk(page, url, study)
        save(beside(consent, instructions), "people_start.png")
        save(beside(room, match), "people_match.png")
        save(beside(debriefing, done), "people_end.png")
        save(watched(browser, url, study), "people_operator.png")
        browser.close()


if __name__ == "__main__":
    main()
