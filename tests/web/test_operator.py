"""Pages of the operator: for whoever has the token, from forms of their own."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="the web table needs the extra web")

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient
from visitor import phrase

from econzoo.people.server import ServeOptions, create_site, new_site, operator_only, serving
from econzoo.people.server.passwords import FAILURE_WINDOW, MAX_FAILURES, PASSWORD_VARIABLE, Password, read_password
from econzoo.people.server.security import csrf
from econzoo.people.server.serving import TOKEN, TOKEN_VARIABLE, load_token
from econzoo.people.server.sessions import LINK_SECONDS, SESSION_SECONDS, Sessions
from econzoo.people.table_server import build_folder_app
from refusals import refuses

SECRET = "a-token-that-nobody-guesses"


@operator_only
async def secret_page(request: Request) -> Response:
    return HTMLResponse(csrf() if request.method == "GET" else "done")


def browser(folder: Path, root: str = "", base: str = "http://testserver", trusted: bool = False) -> TestClient:
    app = build_folder_app(
        folder, site=new_site(root, SECRET, trusted, password=Password.from_text(SECRET) if trusted else None)
    )
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
    assert phrase("operator.wrong") in wrong.text
    assert visitor.post("/operator", data={"token": SECRET, "to": "/secret"}).url.path == "/secret"
    assert visitor.get("/secret").status_code == 200


def test_the_address_with_the_token_signs_in_and_leaves_the_address_bar(visitor):
    answer = visitor.get(f"/operator?token={SECRET}")
    assert str(answer.url) == "http://testserver/"
    assert visitor.get("/secret").status_code == 200


def test_signing_in_leads_to_no_other_site(visitor):
    for to in ("//elsewhere.example", "https://elsewhere.example", "/\\elsewhere.example", "/ x"):
        answer = visitor.post("/operator", data={"token": SECRET, "to": to}, follow_redirects=False)
        assert answer.headers["location"] == "/", to


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
    other = TestClient(build_folder_app(tmp_path, site=new_site(token="the-token-of-another-server")))
    other.get("/operator?token=the-token-of-another-server")
    (_, value), _ = other.cookies.items()
    (name,) = (
        cookie.partition("=")[0]
        for cookie in [visitor.get(f"/operator?token={SECRET}", follow_redirects=False).headers["set-cookie"]]
    )
    stranger = browser(tmp_path)
    stranger.cookies.set(name, value)
    assert stranger.get("/secret", follow_redirects=False).status_code == 303


# Sessions


def test_signing_out_ends_the_session_for_whoever_has_the_cookie(visitor):
    visitor.get(f"/operator?token={SECRET}")
    (name, value), _ = visitor.cookies.items()
    assert visitor.post("/operator/out", data={}).status_code == 403
    out = visitor.post("/operator/out", data={"csrf": visitor.get("/secret").text})
    assert (out.url.path, len(visitor.cookies)) == ("/operator", 1)
    visitor.cookies.set(name, value)
    assert visitor.get("/secret", follow_redirects=False).status_code == 303
    assert visitor.post("/operator/out", data={}).status_code == 403


def test_every_browser_has_a_session_and_forms_of_its_own(visitor):
    other = TestClient(visitor.app)
    for one in (visitor, other):
        one.get(f"/operator?token={SECRET}")
    (mine, _), (theirs, _) = visitor.cookies.values(), other.cookies.values()
    assert mine != theirs
    assert other.post("/secret", data={"csrf": visitor.get("/secret").text}).status_code == 403
    visitor.post("/operator/out", data={"csrf": visitor.get("/secret").text})
    assert other.get("/secret", follow_redirects=False).status_code == 200


def test_a_session_outlives_the_server_and_neither_a_week_nor_another_token(tmp_path):
    now = [1_000.0]

    def sessions(token: str = SECRET) -> Sessions:
        return Sessions(token, tmp_path / "operator.sessions", lambda: now[0])

    secret = sessions().begin()
    assert sessions().find_session(secret)
    assert not sessions("another token of an operator").find_session(secret)
    now[0] += SESSION_SECONDS
    assert not sessions().find_session(secret)
    later = sessions().begin()
    assert len((tmp_path / "operator.sessions").read_text().splitlines()) == 1  # what is over is not kept
    sessions().end(later)
    assert (tmp_path / "operator.sessions").read_text() == ""


def test_what_is_kept_of_sessions_opens_nothing_and_is_the_operators(tmp_path):
    file = tmp_path / "operator.sessions"
    secret = Sessions(SECRET, file).begin()
    kept = file.read_text()
    assert not {secret, SECRET} & {*kept.split()}
    assert not any(Sessions(SECRET, file).find_session(word) for word in (*kept.split(), kept, ""))
    assert file.stat().st_mode & 0o077 == 0


def test_a_server_keeps_its_sessions_in_its_folder(tmp_path, monkeypatch):
    monkeypatch.delenv(TOKEN_VARIABLE, raising=False)
    secret = create_site(tmp_path, ServeOptions(), "en").sessions.begin()
    assert create_site(tmp_path, ServeOptions(), "en").sessions.find_session(secret)


def test_a_link_signs_in_once_and_soon(tmp_path):
    now, site = [1_000.0], new_site(token=SECRET)
    site = site._replace(sessions=Sessions(SECRET, now=lambda: now[0]))
    app = build_folder_app(tmp_path / "linked", site=site)
    first, second = site.sessions.new_link(), site.sessions.new_link()
    one, other = TestClient(app), TestClient(app)
    assert one.get(f"/operator?once={first}&to=/manage").url.path == "/manage"
    assert other.get(f"/operator?once={first}").status_code == 403
    assert other.get("/operator?once=").status_code == 200
    now[0] += LINK_SECONDS
    assert other.get(f"/operator?once={second}").status_code == 403
    assert other.get("/manage", follow_redirects=False).status_code == 303


def test_the_browser_is_opened_without_the_token(tmp_path, monkeypatch):
    opened: list[str] = []
    monkeypatch.setattr(serving.webbrowser, "open", opened.append)
    monkeypatch.setattr(serving, "listen_at", lambda app, host, port, announce: announce("http://127.0.0.1:1"))
    site = new_site(token=SECRET)
    app = build_folder_app(tmp_path, site=site)
    serving.listen(app, ServeOptions(port=0), site, lambda url: None, open_browser=True)
    assert SECRET not in opened[0]
    path = opened[0][opened[0].index("/operator") :]
    assert TestClient(app).get(path).url.path == "/"


# From elsewhere

PASSWORD = "correct horse battery"


def elsewhere(folder: Path, address: str = "203.0.113.7", password: str = "", **site) -> TestClient:
    site = new_site(token=SECRET, password=Password.from_text(password) if password else None, **site)
    app = build_folder_app(folder, site=site)
    app.routes.insert(0, Route("/secret", secret_page, methods=["GET", "POST"]))
    return TestClient(app, client=(address, 50000))


def sign_in(visitor: TestClient, typed: str, **headers: str) -> int:
    return visitor.post("/operator", data={"token": typed, "to": "/secret"}, headers=headers).status_code


def test_the_token_signs_in_on_this_machine(tmp_path):
    for address in ("127.0.0.1", "::1", "127.8.8.8"):
        assert sign_in(elsewhere(tmp_path, address), SECRET) == 200, address


def test_from_elsewhere_nothing_signs_in_without_a_password(tmp_path):
    for address in ("203.0.113.7", "10.0.0.2", "2001:db8::1", "172.17.0.1"):
        visitor = elsewhere(tmp_path, address)
        answer = visitor.post("/operator", data={"token": SECRET})
        assert answer.status_code == 403, address
        assert phrase("operator.elsewhere") in answer.text
        assert visitor.get(f"/operator?token={SECRET}").status_code == 403
        assert visitor.get("/secret", follow_redirects=False).status_code == 303


def test_what_a_proxy_hands_on_comes_from_elsewhere(tmp_path):
    for header in ("x-forwarded-for", "forwarded", "x-real-ip"):
        for trusts in (False, True):
            visitor = elsewhere(tmp_path, "127.0.0.1", trust_proxy=trusts)
            assert sign_in(visitor, SECRET, **{header: "127.0.0.1"}) == 403, header


def test_the_password_signs_in_from_elsewhere_and_the_token_does_not(tmp_path):
    visitor = elsewhere(tmp_path, password=PASSWORD)
    assert sign_in(visitor, SECRET) == 403
    assert sign_in(visitor, f" {PASSWORD} ") == 200
    assert visitor.get("/secret").status_code == 200


@pytest.mark.slow
def test_wrong_passwords_are_counted_for_the_half_of_an_address_that_one_visitor_has(tmp_path, monkeypatch):
    site = {"address": "2001:db8::1", "password": PASSWORD}
    visitor = elsewhere(tmp_path, **site)
    neighbours = [TestClient(visitor.app, client=(f"2001:db8::{n:x}", 50000)) for n in range(MAX_FAILURES)]
    pause, waits = turns(monkeypatch)
    assert [sign_in(one, "guessed, and wrong") for one in neighbours] == [403] * MAX_FAILURES
    assert (sign_in(TestClient(visitor.app, client=("2001:db8:0:1::1", 50000)), PASSWORD), waits) == (200, [])
    assert (sign_in(visitor, PASSWORD), waits) == (200, [pytest.approx(pause, abs=0.5)])


def turns(monkeypatch) -> tuple[float, list[float]]:
    """The pause between sign-ins beyond the limit, and the waits from now on, which take no time."""
    waits: list[float] = []

    async def wait(seconds: float) -> None:
        waits.append(seconds)

    monkeypatch.setattr("econzoo.people.server.passwords.sleep", wait)
    return FAILURE_WINDOW / MAX_FAILURES, waits


@pytest.mark.slow
def test_a_stranger_behind_the_operators_address_locks_out_nobody(tmp_path, monkeypatch):
    """Ten wrong passwords of an address, and all others wait for their turn: the right one too, but it gets it."""
    pause, waits = turns(monkeypatch)
    owner = elsewhere(tmp_path, password=PASSWORD)
    stranger, new = (TestClient(owner.app, client=("203.0.113.7", n)) for n in (2, 3))
    assert sign_in(owner, PASSWORD) == 200
    owner.post("/operator/out", data={"csrf": owner.get("/secret").text})
    assert [sign_in(stranger, "guessed, and wrong") for _ in range(MAX_FAILURES)] == [403] * MAX_FAILURES
    # A browser that has signed in before counts by itself, and does not wait.
    waits.clear()
    assert (sign_in(owner, PASSWORD), waits) == (200, [])
    assert sign_in(new, PASSWORD) == 200
    assert 0 < waits[0] <= 2 * pause  # the first sign-in of the owner counts for the address, too
    # Whoever forges the cookie counts for the address; and so many may wait.
    stranger.cookies.set(f"{cookie_of(owner)}_known", "forged.forged")
    answers = [sign_in(stranger, "guessed, and wrong") for _ in range(MAX_FAILURES)]
    assert 0 < answers.count(403) <= MAX_FAILURES // 2
    assert answers[-1] == 429
    here = elsewhere(tmp_path / "here", "127.0.0.1", PASSWORD)
    assert 429 in [sign_in(here, "guessed, and wrong") for _ in range(2 * MAX_FAILURES)]
    assert (sign_in(here, PASSWORD), sign_in(here, SECRET)) == (429, 200)


@pytest.mark.slow
def test_strangers_of_many_addresses_guess_together_and_known_browsers_do_not_notice(tmp_path, monkeypatch):
    _, waits = turns(monkeypatch)
    monkeypatch.setattr("econzoo.people.server.serving.MAX_FAILURES_OF_STRANGERS", 12)
    owner = elsewhere(tmp_path, password=PASSWORD)
    assert sign_in(owner, PASSWORD) == 200
    strangers = [TestClient(owner.app, client=(f"198.51.100.{n}", 1)) for n in range(40)]
    answers = [sign_in(one, "guessed, and wrong") for one in strangers]
    assert (answers[:11], answers[-1]) == ([403] * 11, 429)
    waits.clear()
    assert (sign_in(owner, PASSWORD), waits) == (200, [])


@pytest.mark.slow
def test_guesses_at_once_count_for_each_other(tmp_path, monkeypatch):
    """Each is counted before its password is compared."""
    _, waits = turns(monkeypatch)
    owner = elsewhere(tmp_path, password=PASSWORD)
    with ThreadPoolExecutor(30) as pool:
        answers = [*pool.map(lambda _: sign_in(owner, "guessed, and wrong"), range(30))]
    assert answers.count(403) <= MAX_FAILURES + MAX_FAILURES // 2
    assert answers.count(429) + len(waits) >= 30 - MAX_FAILURES


def cookie_of(visitor: TestClient) -> str:
    """The name of the session's cookie."""
    return min(visitor.cookies, key=len)


def test_the_password_is_kept_as_a_hash_and_is_long(monkeypatch):
    assert PASSWORD not in repr(Password.from_text(PASSWORD))
    assert Password.from_text(PASSWORD) != Password.from_text(PASSWORD)
    monkeypatch.setenv(PASSWORD_VARIABLE, PASSWORD)
    given = read_password(ask=False)
    assert given is not None
    assert given.matches(PASSWORD)
    assert not given.matches(PASSWORD.upper())
    monkeypatch.setenv(PASSWORD_VARIABLE, "short")
    with refuses(ValueError, 12):
        read_password(ask=False)
    monkeypatch.delenv(PASSWORD_VARIABLE)
    assert read_password(ask=False) is None
    with refuses(ValueError, "--password", PASSWORD_VARIABLE):
        read_password(ask=True)


def test_a_chosen_token_is_a_password_and_a_drawn_one_is_none(tmp_path, monkeypatch):
    assert create_site(tmp_path, ServeOptions(), "en").password is None
    monkeypatch.setenv(TOKEN_VARIABLE, SECRET)
    chosen = create_site(tmp_path, ServeOptions(), "en").password
    assert chosen is not None
    assert chosen.matches(SECRET)


# The token


def test_the_token_is_drawn_once_for_a_folder_and_nobody_else_may_read_it(tmp_path):
    token = load_token(tmp_path)
    assert load_token(tmp_path) == token
    assert len(token) == 24
    assert (tmp_path / TOKEN).stat().st_mode & 0o077 == 0


def test_the_token_of_the_environment_counts_and_is_long(tmp_path, monkeypatch):
    monkeypatch.setenv(TOKEN_VARIABLE, SECRET)
    assert load_token(tmp_path) == SECRET
    monkeypatch.setenv(TOKEN_VARIABLE, "short")
    with refuses(ValueError, TOKEN_VARIABLE, 16):
        load_token(tmp_path)


# Behind a proxy


def test_a_proxy_may_leave_the_root_or_take_it_away(tmp_path):
    for path in ("/econzoo/secret", "/secret"):
        answer = browser(tmp_path, root="/econzoo").get(path, follow_redirects=False)
        assert answer.headers["location"] == "/econzoo/operator?to=/secret", path


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


def test_a_root_that_is_no_path_is_refused():
    for root in ("econzoo", "//elsewhere.example", "/a b", "/a?b"):
        with refuses(ValueError, root, "/econzoo"):
            new_site(root)
