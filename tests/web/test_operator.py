"""Pages of the operator: for whoever has the token, from forms of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="the web table needs the extra web")

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient

from econzoo.evaluate.web.security import csrf, operator_only
from econzoo.evaluate.web.server import app_in
from econzoo.evaluate.web.serving import TOKEN, TOKEN_VARIABLE, token_of
from econzoo.evaluate.web.site import new_site

SECRET = "a-token-that-nobody-guesses"


@operator_only
async def secret_page(request: Request) -> Response:
    return HTMLResponse(csrf() if request.method == "GET" else "done")


def browser(folder: Path, root: str = "", base: str = "http://testserver", trusted: bool = False) -> TestClient:
    app = app_in(folder, site=new_site(root, SECRET, trusted))
    app.routes.insert(0, Route("/secret", secret_page, methods=["GET", "POST"]))
    return TestClient(app, base_url=base)


@pytest.fixture
def visitor(tmp_path: Path) -> TestClient:
    return browser(tmp_path)


def test_strangers_are_sent_to_sign_in_and_may_not_post(visitor):
    answer = visitor.get("/secret?page=2", follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, "/operator?to=/secret%3Fpage%3D2")
    assert visitor.post("/secret", data={"csrf": ""}).status_code == 403


def test_who_has_the_token_comes_where_they_wanted_to_go(visitor):
    wrong = visitor.post("/operator", data={"token": "guessed", "to": "/secret"})
    assert wrong.status_code == 403
    assert "not the token" in wrong.text
    assert visitor.post("/operator", data={"token": SECRET, "to": "/secret"}).url.path == "/secret"
    assert visitor.get("/secret").status_code == 200


def test_the_address_with_the_token_signs_in_and_leaves_the_address_bar(visitor):
    answer = visitor.get(f"/operator?token={SECRET}")
    assert str(answer.url) == "http://testserver/"
    assert visitor.get("/secret").status_code == 200


@pytest.mark.parametrize("to", ["//elsewhere.example", "https://elsewhere.example", "/\\elsewhere.example", "/ x"])
def test_signing_in_leads_to_no_other_site(visitor, to):
    answer = visitor.post("/operator", data={"token": SECRET, "to": to}, follow_redirects=False)
    assert answer.headers["location"] == "/"


def test_a_form_needs_the_token_of_its_page(visitor):
    visitor.get(f"/operator?token={SECRET}")
    form = visitor.get("/secret").text
    assert visitor.post("/secret", data={}).status_code == 403
    assert visitor.post("/secret", data={"csrf": "guessed"}).status_code == 403
    assert visitor.post("/secret", data={"csrf": form}).text == "done"


@pytest.mark.parametrize(("base", "secure"), [("http://testserver", False), ("https://testserver", True)])
def test_the_cookie_is_for_these_pages_alone(tmp_path, base, secure):
    told = browser(tmp_path, base=base).get(f"/operator?token={SECRET}", follow_redirects=False).headers["set-cookie"]
    assert {"HttpOnly", "SameSite=strict", "Path=/"} <= set(told.split("; "))
    assert ("Secure" in told) == secure
    assert SECRET not in told


def test_the_cookie_of_another_server_does_not_let_in(tmp_path, visitor):
    other = TestClient(app_in(tmp_path, site=new_site(token="the-token-of-another-server")))
    other.get("/operator?token=the-token-of-another-server")
    ((_, value),) = other.cookies.items()
    (name,) = (
        cookie.partition("=")[0]
        for cookie in [visitor.get(f"/operator?token={SECRET}", follow_redirects=False).headers["set-cookie"]]
    )
    stranger = browser(tmp_path)
    stranger.cookies.set(name, value)
    assert stranger.get("/secret", follow_redirects=False).status_code == 303


# The token


def test_the_token_is_drawn_once_for_a_folder_and_nobody_else_may_read_it(tmp_path):
    token = token_of(tmp_path)
    assert token_of(tmp_path) == token
    assert len(token) == 24
    assert (tmp_path / TOKEN).stat().st_mode & 0o077 == 0


def test_the_token_of_the_environment_counts_and_is_long(tmp_path, monkeypatch):
    monkeypatch.setenv(TOKEN_VARIABLE, SECRET)
    assert token_of(tmp_path) == SECRET
    monkeypatch.setenv(TOKEN_VARIABLE, "short")
    with pytest.raises(ValueError, match="allowed: at least 16 characters"):
        token_of(tmp_path)


# Behind a proxy


@pytest.mark.parametrize("path", ["/econzoo/secret", "/secret"])
def test_a_proxy_may_leave_the_root_or_take_it_away(tmp_path, path):
    answer = browser(tmp_path, root="/econzoo").get(path, follow_redirects=False)
    assert answer.headers["location"] == "/econzoo/operator?to=/secret"


def test_all_addresses_of_pages_begin_with_the_root(tmp_path):
    visitor = browser(tmp_path, root="/econzoo")
    text = visitor.get("/econzoo/?game=bargaining").text
    assert 'href="/econzoo/static/web.css"' in text
    assert 'action="/econzoo/"' in text
    assert visitor.get("/econzoo/static/web.css").status_code == 200
    assert visitor.get("/econzoo").status_code == 200
    told = visitor.get(f"/econzoo/operator?token={SECRET}", follow_redirects=False).headers
    assert told["location"] == "/econzoo/"
    assert "Path=/econzoo/" in told["set-cookie"]


@pytest.mark.parametrize("trusted", [False, True])
def test_a_proxy_is_believed_only_where_it_is_trusted(tmp_path, trusted):
    proxy = {"x-forwarded-proto": "https", "x-forwarded-host": "games.example"}
    visitor = browser(tmp_path, trusted=trusted)
    told = visitor.get(f"/operator?token={SECRET}", headers=proxy, follow_redirects=False).headers["set-cookie"]
    assert ("Secure" in told) == trusted
    given = {"game": "bargaining", "seat": "0", "player.0": "human", "player.1": "human"}
    answer = visitor.post("/", data=given, headers=proxy | {"origin": "https://games.example"})
    assert answer.status_code == (200 if trusted else 403)
    if trusted:
        seat = visitor.get(answer.url.path, headers=proxy)
        assert 'value="https://games.example/s/' in seat.text


@pytest.mark.parametrize("root", ["econzoo", "//elsewhere.example", "/a b", "/a?b"])
def test_a_root_that_is_no_path_is_refused(root):
    with pytest.raises(ValueError, match="allowed: a path such as /econzoo"):
        new_site(root)
