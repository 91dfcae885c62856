"""Fifty people at once go through a study; how long an answer took is reported, and not required."""

from __future__ import annotations

import asyncio
import re
import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

pytest.importorskip("aiohttp", reason="the load test needs the extra browser")

import aiohttp
from participant import ANSWERS, RIGHT, WORD
from studying import StudyServer

pytestmark = pytest.mark.long

PEOPLE, MATCHES = 50, 2

THINKS = 0.5
"""Seconds before a move."""


class Crowd:
    """Participants who do what their page asks for.

    Args:
        url: Of the study, but for the label.

    Attributes:
        took: Seconds until each answer of the server, by what was posted.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self.took: dict[str, list[float]] = {}

    async def come(self) -> None:
        """All at once, until all are done."""
        await asyncio.gather(*(self._one(f"p{n}") for n in range(PEOPLE)))

    async def _one(self, label: str) -> None:
        async with aiohttp.ClientSession(raise_for_status=True) as session:
            async with session.get(self._url + label) as answer:
                me, text = str(answer.url), await answer.text()
            while 'data-testid="code"' not in text:
                step, given = self._wanted(text)
                if step == "move":
                    await asyncio.sleep(THINKS)
                text = await self._post(session, f"{me}/{step}", given) if step else await self._look(session, me)

    def _wanted(self, text: str) -> tuple[str, dict[str, str]]:
        """What the page asks for: a step and its answers; nothing where one has to wait."""
        forms = re.findall(r'action="[^"]*/(\w+)"', text)
        step = next((one for one in forms if one != "withdraw"), "")
        given = {"consent": "yes", "word": WORD, "quiz.0": RIGHT, "kind": "C", **ANSWERS}
        return step, given | dict(re.findall(r'type="hidden" name="(\w+)" value="(\w+)"', text))

    async def _post(self, session: aiohttp.ClientSession, url: str, given: dict[str, str]) -> str:
        began = time.monotonic()
        async with session.post(url, data=given) as answer:
            text = await answer.text()
        self.took.setdefault(url.rpartition("/")[2], []).append(time.monotonic() - began)
        return text

    async def _look(self, session: aiohttp.ClientSession, url: str) -> str:
        await asyncio.sleep(0.2)
        async with session.get(url) as answer:
            return await answer.text()


def test_fifty_people_at_once(tmp_path: Path, capsys):
    with StudyServer(tmp_path, participants=PEOPLE, repetitions=MATCHES) as server:
        crowd = Crowd(server.url)
        with ThreadPoolExecutor(1) as thread:  # the browser of other tests has a loop in this one
            thread.submit(lambda: asyncio.run(asyncio.wait_for(crowd.come(), 120))).result()
        megabytes = server.megabytes
    with sqlite3.connect(tmp_path / "pilot" / "table.sqlite") as kept:
        (codes,) = kept.execute("SELECT count(DISTINCT completion_code) FROM participants").fetchone()
        (matches,) = kept.execute("SELECT count(*) FROM matches WHERE record IS NOT NULL").fetchone()
    assert (codes, matches) == (PEOPLE, PEOPLE // 2 * MATCHES)
    slow = {step: sorted(took)[int(0.95 * len(took))] for step, took in crowd.took.items()}
    with capsys.disabled():
        told = ", ".join(f"{step} {1000 * seconds:.0f}" for step, seconds in slow.items())
        print(f"\nfifty participants: 95 of 100 answers came within these milliseconds: {told}; {megabytes:.0f} MB")
    assert megabytes < 150
