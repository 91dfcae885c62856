"""A file that names a server: nothing is sent to it unasked, and no key goes where the user did not send it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from local_server import LocalServer, reply

from econzoo.__main__ import main
from econzoo.baselines import PausedMatch, Player, may_have_key, restrict_connections
from econzoo.baselines.models import OpenAIChat, TransformersChat
from econzoo.envs.core.record import Record
from econzoo.evaluate.run import play_match, resume, save_match
from refusals import refuses, says

pytest.importorskip("openai")

KEY, ACCOUNT = "sk-SECRET", "org-SECRET"


def run(*words: str) -> int:
    """The exit code of a command."""
    with pytest.raises(SystemExit) as end:
        main(list(words))
    return int(end.value.code or 0)


class Pausing(Player):
    def act(self, observation, info):
        raise PausedMatch


@pytest.fixture(autouse=True)
def environment(monkeypatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_ORG_ID", ACCOUNT)
    monkeypatch.setenv("OPENAI_PROJECT_ID", ACCOUNT)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


@pytest.fixture
def server():
    with LocalServer(reply('{"kind": "accept"}'), judge=_take_it_or_ask) as running:
        yield running


def _take_it_or_ask(request: dict) -> object:
    offered = "offers" in request["messages"][-1]["content"]
    return reply('{"kind": "accept"}' if offered else '{"kind": "offer", "gain": 0.0}')


def paused(url: str) -> Record:
    """A match that somebody else paused before the first move, between a model behind an address and `fair`."""
    record = play_match("bargaining", [Pausing("fair"), "fair"])
    made = replace(record, players=[f"openai:m@{url}", "fair"], faces=["chat", "structured"], id="")
    from econzoo.baselines import player

    rules = play_match("bargaining", [_Rules(), "fair"]).rules
    assert player("fair", "bargaining").face == "structured"
    return replace(made, rules=rules, id=made.match_id())


class _Rules(Pausing):
    face = "chat"

    def __init__(self) -> None:
        super().__init__("rules")


def kept(url: str, folder: Path) -> Path:
    path = folder / "stranger.match.json"
    save_match(paused(url), path)
    return path


def test_nothing_is_sent_to_an_address_that_a_file_names(server, tmp_path, capsys) -> None:
    """Nobody can be asked here, where standard input is no terminal."""
    assert run("play", "--resume", str(kept(server.url, tmp_path))) == 1
    told = capsys.readouterr().err
    says(told, f"--connect {server.url}")
    assert len(told.splitlines()) == 1
    with refuses(ValueError, server.url):
        resume(paused(server.url))
    assert server.requests == []


def test_an_address_that_is_given_gets_the_key(server, tmp_path) -> None:
    assert run("play", "--resume", str(kept(server.url, tmp_path)), "--connect", server.url + "/") == 0
    assert server.requests
    assert set(server.keys) == {f"Bearer {KEY}"}


def test_another_address_than_the_one_that_is_given_is_refused(server, tmp_path) -> None:
    for given in (server.url.removesuffix("/v1"), "http://127.0.0.1/v1", server.url + "/x", "http://example.org/v1"):
        assert run("play", "--resume", str(kept(server.url, tmp_path)), "--connect", given) == 1
    assert server.requests == []


def test_a_yes_opens_the_connection_without_key_and_account(server) -> None:
    asked = []
    ended = resume(paused(server.url), ask=lambda *what: not asked.append(what))
    assert ended.status == "finished"
    assert asked == [(server.url, False)]
    assert server.requests
    assert set(server.keys) == {"Bearer none"}
    assert "SECRET" not in json.dumps(server.headers)


def test_a_no_ends_it(server) -> None:
    with refuses(ValueError, server.url):
        resume(paused(server.url), ask=lambda address, with_key: False)
    assert server.requests == []


def test_the_question_is_one_of_a_person(server, tmp_path, monkeypatch, capsys) -> None:
    """At a terminal: what would happen, where, and with what; Enter alone is a no."""
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    asked = []
    monkeypatch.setattr("typer.confirm", lambda text, default, err: bool(asked.append((text, default))))
    assert run("play", "--resume", str(kept(server.url, tmp_path))) == 1
    ((question, default),) = asked
    says(question, "without an API key")
    assert default is False
    says(capsys.readouterr().err, server.url)
    assert server.requests == []


def test_the_users_own_address_is_asked_about_too_and_gets_the_key(server, monkeypatch) -> None:
    """It costs the user's money; `openai:m` alone is this address."""
    monkeypatch.setenv("OPENAI_BASE_URL", server.url + "/")
    asked = []
    with restrict_connections(ask=lambda *what: not asked.append(what)):
        assert OpenAIChat("m")._server._key == KEY
        assert OpenAIChat("m", server.url)._server._key == KEY
        assert OpenAIChat("m", server.url + "x")._server._key == "none"
    assert asked == [(server.url, True), (server.url + "x", False)]
    with restrict_connections(), refuses(ValueError, server.url):
        OpenAIChat("m")


def test_what_users_type_is_their_own_doing() -> None:
    assert OpenAIChat("m", "http://example.org/v1")._server._key == KEY
    assert may_have_key("http://example.org/v1", "http://example.com/v1")


def test_players_that_are_given_again_may_connect(server) -> None:
    """``resume(record, [SPEC, ...])``: the specs are those of the caller."""
    record = paused(server.url)
    assert resume(record, record.players).status == "finished"
    assert set(server.keys) == {f"Bearer {KEY}"}


def test_models_of_the_hub_are_asked_about(tmp_path) -> None:
    """A folder is not, also one that is missing: nothing is fetched for it."""
    asked = []
    for name in ("org/model", "model", str(tmp_path), "/no/such"):
        with restrict_connections(ask=lambda *what: not asked.append(what)):
            TransformersChat(name)
    assert asked == [("https://huggingface.co", True)] * 2


def test_an_address_cannot_write_into_the_terminal() -> None:
    with restrict_connections(), pytest.raises(ValueError, match="\ufffd") as told:
        may_have_key("http://x/\x1b[2J\u202e", "http://y")
    assert "\x1b" not in str(told.value)
    assert "\u202e" not in str(told.value)


def test_connect_is_for_files(capsys) -> None:
    assert run("play", "bargaining", "fair", "fair", "--connect", "http://x/v1") == 1
    says(capsys.readouterr().err, "--connect", "--resume")


def test_a_permission_without_the_key_is_none_with_it():
    asked = []
    with restrict_connections(ask=lambda address, key: not asked.append((address, key))):
        assert not may_have_key("http://a", "http://b")
        assert not may_have_key("http://a", "http://b")
        assert may_have_key("http://a", "http://a")
    assert asked == [("http://a", False), ("http://a", True)], "each question once"
