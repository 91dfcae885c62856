"""Hostile words of people, models and names of players: every page shows them as typed, and they do nothing."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from urllib.parse import quote, urlsplit

import pytest

pytest.importorskip("playwright", reason="browser tests need the extra browser")

from browsing import Table
from serving import Server

from econzoo.evaluate.run import replay

LONGEST = 500
"""Characters that a message may have."""

HOSTILE = (
    "=1+1 <img src=pwned.png onerror='window.pwned=1'><script>window.pwned=2</script><svg onload='window.pwned=3'>"
    "<iframe src=pwned.html></iframe></textarea></bdi><style>*{display:none}</style><a href='pwned'>link</a>'\"&amp;"
    "&lt; [x](javascript:window.pwned=4) ![x](pwned.png) {{ 7 * 7 }} ${7*7} \u05e9\u05dc\u05d5\u05dd "
    "\u0645\u0631\u062d\u0628\u0627 \u202ekcab\u2066 \U0001f600\U0001f468\u200d\U0001f469\u200d\U0001f467"
    "\n<b>line</b>\n"
).ljust(LONGEST, "-")
"""HTML that would run or ask for something, Markdown, templates, a formula, both reading orders, emoji, line breaks."""

REORDERING = "\u202e\u2066"
"""Characters that would turn what stands around them; shown as the sign for what cannot be shown."""


def typed(*texts: str) -> list[str]:
    """The lines of texts as a page should have them, without blanks at their ends."""
    return [
        line.strip()
        for text in texts
        for line in text.translate({ord(one): "\ufffd" for one in REORDERING}).split("\n")
    ]


def model(*replies: str) -> str:
    """The spec of a model with these replies, hostile as a name too."""
    coded = {ord(sign): quote(sign) for sign in "%?|\n"}
    return "mock:" + "|".join(reply.translate(coded) for reply in replies)


JUNK = HOSTILE.replace("=1+1", "no JSON")
OFFER = json.dumps({"message": HOSTILE, "kind": "offer", "gain": 6000}, ensure_ascii=False)
MODEL = model(OFFER, JUNK)
NAME = MODEL[:30]
"""As much of it as all pages show."""

INERT = """() => [...document.querySelectorAll("bdi *, pre *, .words *, .note *, option *, textarea *")]
  .filter(one => !["BDI", "MARK"].includes(one.tagName)).map(one => one.outerHTML)"""
"""Elements where nothing but texts of others should be."""

FOREIGN = "main :is(img, script, svg, iframe, style, object, [onerror], [onload]), a[href=pwned], a[href^=javascript]"
"""What the words would make; the link that offers the match once more has them within its own address."""


class Guarded:
    """A browser that keeps which paths it asked for."""

    def __init__(self, table: Table) -> None:
        self.table, self.page, self.asked = table, table.page, list[str]()
        table.page.on("request", lambda request: self.asked.append(urlsplit(request.url).path))

    def inert(self) -> None:
        """Nothing has come to life on the page that is shown."""
        self.page.wait_for_load_state()
        assert self.page.evaluate("window.pwned") is None
        assert self.page.locator(FOREIGN).count() == 0
        assert self.page.evaluate(INERT) == []
        assert [path for path in self.asked if "pwned" in path] == []

    def shows(self, text: str) -> None:
        """A text stands on the page as it was typed, and is nothing but text."""
        self.inert()
        self.page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
        shown = [line.strip() for line in self.page.locator("main").inner_text().split("\n")]
        lines = [line for line in typed(text) if line]
        assert [line for line in lines if not any(line in one for one in shown)] == []


@pytest.fixture(scope="module")
def hosting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server(tmp_path_factory.mktemp("hostile"), "--players", MODEL) as server:
        yield server


@pytest.fixture
def guest(new, hosting):
    return lambda: Guarded(new(hosting.url))


def operator(one: Guarded, hosting: Server) -> None:
    token = (hosting.folder / "econzoo_web" / "operator.token").read_text(encoding="utf-8").strip()
    one.page.goto(f"{hosting.url}operator")
    one.page.locator("#token").fill(token)
    with one.page.expect_navigation():
        one.page.get_by_role("button", name="Sign in").click()


def record_of(one: Guarded):
    record = one.table.record()
    assert replay(record) == []
    return record


def test_words_of_a_person(guest):
    alice, bob, watcher = guest(), guest(), guest()
    alice.table.start("bargaining", player_1="human", param_horizon="2")
    bob.page.goto(alice.table.invitations[0])
    watched = alice.page.locator("input.link").last.input_value()
    watcher.page.goto(f"{watched}?at=0")
    alice.table.move("offer", gain="6000", words=HOSTILE)
    bob.table.settle()
    watcher.page.locator("#now .words").wait_for()
    for one in (alice, bob, watcher):
        one.shows(HOSTILE.replace('"', '\\"') if one is bob else HOSTILE)
    bob.table.move("accept")
    bob.table.settle()
    for one in (alice, bob):
        one.table.settle()
        one.shows(HOSTILE)
    bob.page.get_by_role("link", name="Replay").click()
    bob.page.wait_for_url("**/replay/**")
    bob.shows(HOSTILE)
    assert record_of(alice).turns[0].action["message"] == "\n".join(typed(HOSTILE)).strip()


def test_replies_of_a_model_and_its_name(guest, hosting):
    """First an offer with such words, then a reply that is nothing else and therefore no move."""
    alice = guest()
    alice.page.goto(f"{hosting.url}?game=bargaining")
    alice.inert()
    alice.page.get_by_text("About the players").click()
    alice.shows(MODEL)
    alice.table.start("bargaining", player_0=MODEL, param_horizon="2", seat="1")
    alice.table.settle()
    alice.shows(HOSTILE.replace('"', '\\"'))
    alice.table.move("reject")
    alice.table.settle()
    alice.table.move("offer", gain="5000")
    alice.table.settle()
    assert alice.table.over
    for text in (NAME, HOSTILE):
        alice.shows(text)
    record = record_of(alice)
    assert [turn.reply for turn in record.turns if turn.seat == 0][:2] == [OFFER, JUNK]
    alice.page.get_by_role("link", name="Replay").click()
    alice.page.wait_for_url("**/replay/**")
    for text in (NAME, HOSTILE, JUNK, OFFER):
        alice.shows(text)
    with alice.page.expect_navigation():
        alice.page.get_by_role("link", name="Play as a film").click()
    alice.page.goto(alice.page.url.replace("at=0", "at=4"))
    for text in (NAME, HOSTILE):
        alice.shows(text)

    operator(alice, hosting)
    for query in ("", "?text=script", f"?player={quote(NAME)}"):
        alice.page.goto(f"{hosting.url}transcripts{query}")
        alice.shows(NAME)
    table = alice.page.context.request.get(f"{hosting.url}transcripts.csv").text()
    cells = [cell for row in csv.reader(io.StringIO(table)) for cell in row]
    assert "'" + "\n".join(typed(HOSTILE)).strip() in cells  # the apostrophe makes it a text of a spreadsheet
    assert [cell for cell in cells if cell.startswith(("=", "+", "@"))] == []
