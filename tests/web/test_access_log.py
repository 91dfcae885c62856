"""The access log: which pages were asked for and how it ended, and nothing that lets anybody in or names them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="the web table needs the extra web")

from participant import Lab, study_in
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.testclient import TestClient
from visitor import Visitor

from econzoo.people.server import build_application, new_site
from econzoo.people.server.security import HEADERS
from econzoo.people.server.serving import open_log
from econzoo.people.study_server import build_app
from econzoo.people.table_server import build_folder_app

LINE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00 (GET|POST) (\S+|\(no page\)) \d{3} \d+ ms")


def told(lines: list[str]) -> list[str]:
    """Method, pattern and status of every line, each of which has nothing else but time."""
    assert [line for line in lines if not LINE.fullmatch(line)] == []
    return [" ".join(line.split(" ")[1:-2]) for line in lines]


def test_the_table_is_logged_without_its_secrets(tmp_path: Path):
    lines: list[str] = []
    app = build_folder_app(tmp_path, site=new_site("/games", token="an operator's token", log=lines.append))
    visitor = Visitor(TestClient(app, client=("203.0.113.7", 50000)), "/games")
    visitor.start("bargaining", player_1="fair")
    visitor.client.get(f"{visitor.path}/record.jsonl")
    visitor.client.get(f"/games/s/mistyped{visitor.path}/%0A2026 GET / 200")
    visitor.client.get("/games/operator?token=guessed&to=/transcripts")
    visitor.client.get("/games/static/web.css")
    assert told(lines) == [
        *("GET / 200", "POST / 303", "GET /s/{token} 200", "GET /s/{token}/record.jsonl 404"),
        *("GET (no page) 404", "GET /operator 403", "GET /static 200"),
    ]
    secrets = (visitor.path.rpartition("/")[2], "203.0.113.7", "testclient", "guessed", "token=", "mistyped")
    assert [secret for secret in secrets if secret in "\n".join(lines)] == []


def test_so_is_a_study(tmp_path: Path):
    lab, lines = Lab(tmp_path, study_in(tmp_path)), []
    lab.app = build_app(lab.running, new_site(token="an operator's token", log=lines.append))
    ann = lab.guest("ann.example").agree().read().answer()
    lab.running.close()
    assert told(lines)[:3] == ["GET /study/{name} 303", "GET /p/{token} 200", "POST /p/{token}/{page} 303"]
    assert [secret for secret in (ann.token, "ann", "maple", "label") if secret in "\n".join(lines)] == []


def test_lines_are_added_to_a_file(tmp_path: Path):
    for line in ("first", "second"):
        log = open_log(str(tmp_path / "logs" / "access.log"))
        assert log is not None
        log(line)
    assert (tmp_path / "logs" / "access.log").read_text("utf-8") == "first\nsecond\n"
    assert open_log("") is None


def test_the_terminal_is_standard_error(capsys: pytest.CaptureFixture[str]):
    log = open_log("-")
    assert log is not None
    log("a line")
    assert capsys.readouterr() == ("", "a line\n")


def test_an_error_of_a_page_is_logged_and_has_the_headers():
    async def broken(request: Request) -> Response:
        raise RuntimeError("secret")

    lines: list[str] = []
    app = build_application([Route("/broken", broken)], new_site(token="an operator's token", log=lines.append))
    answer = TestClient(app, raise_server_exceptions=False).get("/broken")
    assert (answer.status_code, told(lines)) == (500, ["GET /broken 500"])
    assert answer.headers["content-security-policy"] == HEADERS["content-security-policy"]
    assert "secret" not in answer.text
    with pytest.raises(RuntimeError):  # which the server prints
        TestClient(app).get("/broken")
