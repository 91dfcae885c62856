"""``econzoo serve STUDY.toml`` as a process, and participants with browsers."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from browsing import PATIENCE, Table
from participant import RIGHT, WORD, file_of
from serving import Server


class StudyServer(Server):
    """The process, with the folder of the study.

    Args:
        folder: Where it runs.
        **given: What is not as usual in the study; see `file_of`.
    """

    def __init__(self, folder: Path, **given: Any) -> None:
        (folder / "study.toml").write_text(given.pop("text", "") or file_of(**given), encoding="utf-8")
        super().__init__(folder)

    def start(self) -> None:
        """Starts it, on the same port as before; knows then the `url` for participants, but for their label."""
        line = [sys.executable, "-m", "econzoo", "serve", "study.toml", "--port", str(self.port)]
        self.process = subprocess.Popen(
            line, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        assert self.process.stdout is not None
        self.url = self.process.stdout.readline().strip().removesuffix("LABEL")
        self.port = int(self.url.split("/")[2].rpartition(":")[2])

    def kill(self) -> None:
        """As ``kill -9`` does."""
        os.kill(self.process.pid, signal.SIGKILL)
        self.process.wait()


class Participant:
    """Somebody with a browser of their own.

    Args:
        context: Of Playwright.
        server: Of the study.
        label: Of the link.
        listening: Whether all is kept that comes.

    Attributes:
        table: What the browser has received.
    """

    def __init__(self, context: Any, server: StudyServer, label: str, listening: bool = False) -> None:
        self.server, self.table = server, Table(context, server.url)
        self.page = self.table.page
        if listening:
            self.table.listen()
        self.page.goto(server.url + label)

    def press(self, button: str) -> None:
        """Presses a button that leads to another page."""
        with self.page.expect_navigation():
            self.page.locator(button).first.click()

    def ready(self) -> Participant:
        """Goes as far as the waiting room."""
        self.press('button[value="yes"]')
        self.page.locator("#word").fill(WORD)
        self.press('form[action$="/instructions"] button')
        self.page.get_by_label(RIGHT).check()
        self.press('form[action$="/quiz"] button')
        return self

    def playing(self) -> Participant:
        """Waits until the match has begun, without a reload."""
        self.page.wait_for_selector('.moves, #table[data-table*="of=play"]')
        return self

    def move(self, kind: str, **fields: str) -> None:
        """Plays a move."""
        self.page.wait_for_selector(f'.moves button[value="{kind}"]')
        for name, value in fields.items():
            self.page.locator(f'[name="move.{name}"]').fill(value)
        self.press(f'.moves button[value="{kind}"]')

    def over(self, match: int) -> None:
        """Waits until a match is over, without a reload; programs take their time."""
        self.page.get_by_text(re.compile(f"^Match {match} of . is over$")).wait_for(timeout=3 * PATIENCE)

    def next(self) -> None:
        """Goes on from a match that is over."""
        self.press('form[action$="/play"] button')

    def finish(self) -> str:
        """Answers the questions, reads the debriefing; gives the completion code."""
        self.page.locator('[name="item.0"]').fill("41")
        self.page.get_by_label("people").check()
        self.press('form[action$="/questionnaire"] button')
        self.press('form[action$="/debriefing"] button')
        return str(self.page.get_by_test_id("code").inner_text())
