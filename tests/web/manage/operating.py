"""An operator with a browser without JavaScript: signs in, orders collections, waits for their processes."""

from __future__ import annotations

import os
import re
import select
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from econzoo.people.manage import runs
from econzoo.people.server import new_site
from econzoo.people.table_server import build_folder_app

SECRET = "a-token-that-nobody-guesses"
PAID = "mock:*?price_per_million=3,15"

SMALL = {"game": "bargaining", "players": "spe\nfair", "seeds": "2", "param.horizon": "1; 3"}
"""Two players, two settings, two repetitions."""


def row(page: str, number: int) -> str:
    """What the page of a study tells of a participant, without the buttons."""
    told = re.search(rf'<tbody id="row-{number}"><tr>(.*?)</tr>', page, re.DOTALL)[1]
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", told)).strip()


class Operator:
    """Somebody who has signed in.

    Args:
        folder: Of the server.
        offered: Players that it offers.
        **site: How it is set up.
    """

    def __init__(self, folder: Path, offered: tuple[str, ...] = (PAID,), **site: Any) -> None:
        self.folder = folder
        self.client = TestClient(build_folder_app(folder, offered_players=offered, site=new_site(token=SECRET, **site)))
        self.client.get(f"/operator?token={SECRET}")
        form = self.client.get("/manage/new?game=bargaining").text
        self.csrf = re.search(r'name="csrf" value="(\w+)"', form)[1]
        self.look("/manage")

    def _take(self, answer: Any) -> str:
        self.status, self.path, self.text = answer.status_code, answer.url.path, answer.text
        return self.text

    def look(self, path: str = "") -> str:
        """Loads a page, or the last one again."""
        return self._take(self.client.get(path or self.path))

    def post(self, path: str, **given: str) -> str:
        """Posts a form of the operator's."""
        return self._take(self.client.post(path, data={"csrf": self.csrf, **given}))

    def count(self, **given: str) -> str:
        """Asks what is known before a collection starts."""
        return self.post("/manage/new", **given, do="look")

    def order(self, **given: str) -> str:
        """Looks at a collection and starts it; gives its id."""
        seen = re.search(r'name="seen" value="(\w+)"', self.count(**given))[1]
        self.post("/manage/new", **given, do="start", seen=seen)
        return self.path.rpartition("/")[2]

    def at(self, id: str) -> Path:
        """The folder of a collection."""
        return self.folder / "collections" / id

    def wait(self, id: str) -> str:
        """Waits until the process of a collection has ended; gives its page then."""
        run = runs.load_last(self.at(id))
        try:
            handle = os.pidfd_open(run.pid)
        except ProcessLookupError:
            return self.look(f"/manage/c/{id}")
        with open(handle) as ended:
            assert select.select([ended], [], [], 120)[0], "it takes too long"
        return self.look(f"/manage/c/{id}")

    @property
    def told(self) -> str:
        """The page as people read it."""
        return re.sub(r"\s+", " ", re.sub(r"<svg.*?</svg>|<[^>]*>", " ", self.text, flags=re.DOTALL))
