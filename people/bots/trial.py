"""A study is tried: its server runs as a process, participants come, and it may be killed in between."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Sequence
from pathlib import Path
from threading import Thread
from typing import NamedTuple
from urllib.parse import parse_qsl, urlencode, urlsplit

from econzoo.envs.core.files import read_text
from econzoo.people.bots.bot_behaviour import sample_behaviours
from econzoo.people.bots.chromium import ChromiumBrowser
from econzoo.people.bots.http_browser import HttpBrowser
from econzoo.people.bots.participant import Pace, Participant
from econzoo.people.bots.story import Story
from econzoo.people.study.declaration import Study, speed_up

LOG = "server.log"
"""What the server has written on standard error."""

BROWSERS = 2
"""Participants with a real browser, where there are any."""

STOP_TIMEOUT = 10.0
"""Seconds in which a server stops."""

POLL_INTERVAL = 0.05
"""Seconds between two looks at where everybody is."""

RESTART_PAUSE = 1.0
"""Seconds between the end of a server that is killed and the next one."""


class Crowd(NamedTuple):
    """Who comes, and how fast everything goes.

    Attributes:
        people: How many come.
        drop: How many of them leave.
        arrive: Seconds within which they come.
        think: Seconds before a move, on average.
        speed: How many times faster all limits and pauses of the study pass.
        browsers: How many have a real browser.
        kill: Whether the server is killed in the middle, and started again.
        seed: Of all that is drawn.
    """

    people: int
    drop: int
    arrive: float
    think: float
    speed: float
    browsers: int = 0
    kill: bool = False
    seed: int = 1


class ServerProcess:
    """``econzoo serve`` on a free port of this machine.

    Args:
        file: Of the study.
        folder: Where it runs.
        speed: See `Crowd`.
    """

    def __init__(self, file: Path, folder: Path, speed: float) -> None:
        self._line = [sys.executable, "-m", "econzoo", "serve", str(file), "--out", str(folder), f"--speed={speed:g}"]
        self._log, self._port = folder.parent / LOG, 0
        self.start()

    def start(self) -> None:
        """Starts it, on the same port as before.

        Raises:
            ValueError: It does not start; the message is its own.
        """
        with open(self._log, "a", encoding="utf-8") as log:
            line = [*self._line, f"--port={self._port}"]
            self._process = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=log, text=True)
        assert self._process.stdout is not None
        if not self._parse_entry(self._process.stdout.readline().strip()):
            self.stop()
            raise ValueError(f"the study cannot be served: {read_text(self._log).strip()}")

    def _parse_entry(self, entry: str) -> bool:
        """Keeps where it is, by the link for participants; returns whether that is one."""
        parts = urlsplit(entry)
        self.origin, self._port = f"{parts.scheme}://{parts.netloc}", parts.port or 0
        self._entry, self._link_parameters = parts.path, [name for name, _ in parse_qsl(parts.query)]
        return bool(self._port)

    def link(self, name: str) -> str:
        """The path by which somebody comes."""
        return f"{self._entry}?{urlencode(dict.fromkeys(self._link_parameters, name))}"

    def kill(self) -> None:
        """As ``kill -9`` does, where there is such a thing."""
        self._process.kill()
        self._process.wait()

    def stop(self) -> None:
        """As Ctrl-C does."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGINT if os.name == "posix" else signal.SIGTERM)
        try:
            self._process.wait(STOP_TIMEOUT)
        except subprocess.TimeoutExpired:
            self.kill()


class TrialResult(NamedTuple):
    """What came of it.

    Attributes:
        stories: What participants have seen, in the order in which they came.
        folder: Of the study.
        log: What the server has written on standard error.
        seconds: That it took.
        kills: When the server was killed, on the clock of the test.
    """

    stories: list[Story]
    folder: Path
    log: str
    seconds: float
    kills: list[float]


def run_trial(study: Study, crowd: Crowd, home: Path) -> TrialResult:
    """Lets participants take part, until everybody has come to an end, has left, or is stuck.

    Args:
        study: The study, as its file has it.
        crowd: Who comes.
        home: Where the folder of the study goes; an empty one.

    Raises:
        ValueError: The study cannot be served.
    """
    folder = home / study.name
    server = ServerProcess(study.path, folder, crowd.speed)
    luck, served = random.Random(crowd.seed), speed_up(study, crowd.speed)
    told = sample_behaviours(crowd.people, crowd.drop, crowd.browsers, luck)
    names = study.recruitment.labels or [f"bot{place + 1}" for place in range(crowd.people)]
    stories = [Story(name, one) for name, one in zip(names, told, strict=False)]
    began = time.monotonic()
    pace = Pace(crowd.think, served.time.move, served.time.waiting, lambda: time.monotonic() - began)
    arrivals = sorted(luck.uniform(0, crowd.arrive) for _ in stories)
    people = [
        Thread(target=_take_part, args=(one, server, served, pace, at, crowd.seed), daemon=True)
        for one, at in zip(stories, arrivals, strict=True)
    ]
    try:
        for one in people:
            one.start()
        kills = [_kill_midway(server, stories, people, pace)] if crowd.kill else []
        for one in people:
            one.join()
    finally:
        server.stop()
    return TrialResult(stories, folder, read_text(home / LOG), pace.clock(), kills)


def _take_part(story: Story, server: ServerProcess, study: Study, pace: Pace, arrival: float, seed: int) -> None:
    """Comes at a time, and takes part."""
    luck = random.Random(f"{seed}/{story.name}")
    try:
        browser = ChromiumBrowser(server.origin) if story.behaviour.browser else HttpBrowser(server.origin)
        time.sleep(max(0.0, arrival - pace.clock()))
        Participant(story, browser, study, pace, luck).take_part(server.link(story.name))
    except Exception:
        story.problems.append(traceback.format_exc())


def _kill_midway(server: ServerProcess, stories: Sequence[Story], people: Sequence[Thread], pace: Pace) -> float:
    """Kills the server when half of the participants play, or have left, and starts it again; returns when it was."""
    while sum(bool(one.played_matches) or one.has_ended or one.has_left for one in stories) < len(stories) / 2:
        if not any(one.is_alive() for one in people):
            break
        time.sleep(POLL_INTERVAL)
    server.kill()
    when = pace.clock()
    time.sleep(RESTART_PAUSE)
    server.start()
    return when
