"""Trial run of a study: a server process and bots, with an optional kill and restart."""

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

from econzoo.envs.core import read_text
from econzoo.people.bots.bot_behaviour import sample_behaviours
from econzoo.people.bots.chromium import ChromiumBrowser
from econzoo.people.bots.http_browser import HttpBrowser
from econzoo.people.bots.participant import Pace, Participant
from econzoo.people.bots.story import Story
from econzoo.people.study import Study, speed_up

LOG = "server.log"
"""File of the server's standard error."""

BROWSERS = 2
"""Number of bots with a real browser, if requested."""

STOP_TIMEOUT = 10.0
"""Seconds allowed for the server to stop."""

POLL_INTERVAL = 0.05
"""Seconds between checks of the bots' progress."""

RESTART_PAUSE = 1.0
"""Seconds between kill and restart."""


class Crowd(NamedTuple):
    """Bots and pace of a trial.

    Attributes:
        arrive: Seconds within which all arrive.
        think: Mean seconds per move.
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
    """Process of ``econzoo serve`` on a free local port."""

    def __init__(self, file: Path, folder: Path, speed: float) -> None:
        self._line = [sys.executable, "-m", "econzoo", "serve", str(file), "--out", str(folder), f"--speed={speed:g}"]
        self._log, self._port = folder.parent / LOG, 0
        self.start()

    def start(self) -> None:
        """Start the server, after a kill on the same port."""
        with open(self._log, "a", encoding="utf-8") as log:
            line = [*self._line, f"--port={self._port}"]
            self._process = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=log, text=True)
        assert self._process.stdout is not None
        # The first line of standard output is the link for participants, printed once the port is open.
        if not self._parse_entry(self._process.stdout.readline().strip()):
            self.stop()
            raise ValueError(f"the study cannot be served: {read_text(self._log).strip()}")

    def _parse_entry(self, entry: str) -> bool:
        """Store origin and parameters of the entry link; return whether it is valid."""
        parts = urlsplit(entry)
        self.origin, self._port = f"{parts.scheme}://{parts.netloc}", parts.port or 0
        self._entry, self._link_parameters = parts.path, [name for name, _ in parse_qsl(parts.query)]
        return bool(self._port)

    def link(self, name: str) -> str:
        """Return the entry path of a bot."""
        return f"{self._entry}?{urlencode(dict.fromkeys(self._link_parameters, name))}"

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()

    def stop(self) -> None:
        if self._process.poll() is None:
            # As by Ctrl-C; Windows cannot send it to another process.
            self._process.send_signal(signal.SIGINT if os.name == "posix" else signal.SIGTERM)
        try:
            self._process.wait(STOP_TIMEOUT)
        except subprocess.TimeoutExpired:
            self.kill()


class TrialResult(NamedTuple):
    """Result of a trial.

    Attributes:
        stories: Observations of the bots, in order of arrival.
        log: Standard error of the server.
        kills: Times of kills in seconds, on the clock of the test.
    """

    stories: list[Story]
    folder: Path
    log: str
    seconds: float
    kills: list[float]


def run_trial(study: Study, crowd: Crowd, home: Path) -> TrialResult:
    """Run bots through a study until all have ended, left, or are stuck.

    Args:
        home: Empty parent folder of the study's folder.
    """
    folder = home / study.name
    server = ServerProcess(study.path, folder, crowd.speed)
    rng, served = random.Random(crowd.seed), speed_up(study, crowd.speed)
    behaviours = sample_behaviours(crowd.people, crowd.drop, crowd.browsers, rng)
    names = study.recruitment.labels or [f"bot{place + 1}" for place in range(crowd.people)]
    # A study may list more labels than there are bots.
    stories = [Story(name, one) for name, one in zip(names, behaviours, strict=False)]
    began = time.monotonic()
    pace = Pace(crowd.think, served.time.move, served.time.waiting, lambda: time.monotonic() - began)
    arrivals = sorted(rng.uniform(0, crowd.arrive) for _ in stories)
    threads = [
        Thread(target=_take_part, args=(one, server, served, pace, at, crowd.seed), daemon=True)
        for one, at in zip(stories, arrivals, strict=True)
    ]
    try:
        for thread in threads:
            thread.start()
        kills = [_kill_midway(server, stories, threads, pace)] if crowd.kill else []
        for thread in threads:
            thread.join()
    finally:
        server.stop()
    return TrialResult(stories, folder, read_text(home / LOG), pace.clock(), kills)


def _take_part(story: Story, server: ServerProcess, study: Study, pace: Pace, arrival: float, seed: int) -> None:
    # A generator for each bot: its choices do not depend on the order of threads.
    rng = random.Random(f"{seed}/{story.name}")
    try:
        # In the thread of the bot, to which Playwright belongs, and before the wait, since Chromium takes a while to
        # start.
        browser = ChromiumBrowser(server.origin) if story.behaviour.browser else HttpBrowser(server.origin)
        time.sleep(max(0.0, arrival - pace.clock()))
        Participant(story, browser, study, pace, rng).take_part(server.link(story.name))
    # A problem of the test; an error of a thread would only be printed.
    except Exception:
        story.problems.append(traceback.format_exc())


def _kill_midway(server: ServerProcess, stories: Sequence[Story], people: Sequence[Thread], pace: Pace) -> float:
    """Kill and restart the server when half of the bots have played or left; return the time of the kill."""
    while sum(bool(one.played_matches) or one.has_ended or one.has_left for one in stories) < len(stories) / 2:
        if not any(one.is_alive() for one in people):
            break
        time.sleep(POLL_INTERVAL)
    server.kill()
    when = pace.clock()
    time.sleep(RESTART_PAUSE)
    server.start()
    return when
