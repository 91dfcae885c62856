"""Agents over HTTP: matches are those that are played here, and what fails on the way is nobody's move."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
import time
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

import econzoo
from adapters.acceptance import OPPONENT, Played, accept, hear, move
from econzoo.__main__ import main
from econzoo.baselines import KEY, ModelError, information_state_of, restrict_connections, scripted_players
from econzoo.baselines import seat_info_of
from econzoo.baselines import player as make_player
from econzoo.baselines.http_player import HttpChat, HttpPlayer
from econzoo.baselines.seat_json import seat_json
from econzoo.envs.core.record import Record
from econzoo.evaluate.run import PlayerCache, new_match, play_matches, replay
from econzoo.wrappers import seat_info
from refusals import refuses, says

pytest.importorskip("uvicorn", reason="the server of a player needs the extra web")

from doors import at_the_door
from econzoo.evaluate.adapters import player_app
from econzoo.evaluate.serving import local_rules

PAGE = Path(__file__).resolve().parents[2] / "docs" / "adapters.md"
GAMES = {
    "bargaining": ["boulware(0.2)", "random", "mock:Well.|*"],
    "negotiation": ["anchor"],
    "matrix": ["grudger"],
    "persuasion": ["random"],
    "water_allocation": ["mpc"],
    "public_goods": ["random"],
    "multi_issue": ["random"],
}
"""Players that are served, by game."""


@contextmanager
def running(server):
    """The address of a server, which a thread runs."""
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def served(spec, key="", raw=False):
    """The address of a player behind its front door, which a thread serves."""
    with at_the_door(player_app(spec, raw), local_rules(key=key)) as url:
        yield url


@contextmanager
def agent(answer, **headers):
    """The address of an agent that answers each request by a function: with a status, and an object or bytes."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, told = answer({"path": self.path, "key": self.headers.get("X-API-Key"), **asked})
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            with suppress(ConnectionError):  # who asked may have given up
                self.wfile.write(told if isinstance(told, bytes) else json.dumps(told).encode())

        def log_message(self, *args):
            pass

    with running(ThreadingHTTPServer(("127.0.0.1", 0), Handler)) as url:
        yield url


def hasty(url, **options):
    """A player at an address that does not wait between its attempts."""
    return HttpPlayer(url, HttpChat(url, sleep=lambda seconds: None, **options))


def post(url, told, **headers):
    """Status and answer."""
    try:
        headers = {"Content-Type": "application/json", **headers}
        with urlopen(Request(url, json.dumps(told).encode(), headers)) as answer:
            return answer.status, json.loads(answer.read())
    except HTTPError as error:
        told = error.read()
        return error.code, json.loads(told) if told.startswith(b"{") else told.decode()


@pytest.mark.slow
def test_matches_of_an_agent_elsewhere_are_those_of_our_runner():
    say = {"answer": move}

    def play(game, params, seed, seat, answer):
        say["answer"] = answer
        record = econzoo.play(game, [at, OPPONENT][:: 1 - 2 * seat], seed=seed, **params)
        return Played(seed, record.payoffs, record.forfeit == seat)

    with agent(lambda asked: (200, {"response": say["answer"](asked["messages"][-1]["content"])})) as url:
        at = econzoo.player(url)
        accept(play)
        hear(play)


def hold_elsewhere(game, spec):
    """A player in the first two seats: here, and behind an address, from the same seed."""
    seats = len(econzoo.make(game).possible_agents)
    with served(spec) as url:
        for seat in filter(make_player(spec, game).can_take_seat, range(seats)[:2]):
            lineup = [OPPONENT] * seats
            lineup[seat] = spec
            here = econzoo.play(game, lineup, seed=5)
            lineup[seat] = url
            there = econzoo.play(game, lineup, seed=5)
            case = f"{spec} in seat {seat} of {game}"
            assert (there.payoffs, there.errors) == (here.payoffs, here.errors), case
            assert [turn.action for turn in there.turns] == [turn.action for turn in here.turns], case
            assert replay(Record.from_json(there.to_json())) == [], case


@pytest.mark.parametrize("game", GAMES)
def test_players_of_ours_play_elsewhere_as_they_play_here(game):
    for spec in GAMES[game]:
        hold_elsewhere(game, spec)


@pytest.mark.long
@pytest.mark.parametrize("game", econzoo.games())
def test_every_script_plays_elsewhere_as_it_plays_here(game):
    for spec in (*scripted_players(game), "random"):
        hold_elsewhere(game, "evolve(1, 4)" if spec == "evolve" else spec)  # which takes minutes


def test_a_program_arrives_as_it_was_given():
    program = "\ndef strategy_function(me, other, mine, given):\n    return 'C'  # </think>\n\n"
    for given, errors in [(program, 0), (f"{program})", 3)]:
        with agent(lambda asked, given=given: (200, {"move": {"program": given}})) as url:
            record = econzoo.play("program_matrix", [url, "cooperate"], seed=1, rounds=1, turns=1)
        assert record.errors == [errors, 0]
        assert next(turn.action["program"] for turn in record.turns if turn.seat == 0 and turn.action) == given


def test_moves_are_written_in_the_words_of_the_prompts():
    with served("fair") as url:
        here = econzoo.play("bargaining", ["fair", "greedy"], seed=1, prompts="glee")
        there = econzoo.play("bargaining", [url, "greedy"], seed=1, prompts="glee")
    assert there.payoffs == here.payoffs
    assert there.errors == [0, 0]


def test_what_an_agent_is_told():
    heard = []

    def answer(asked):
        heard.append(asked)
        return 200, {"move": {"kind": "reject"} if asked["decision"] else {"kind": "offer", "gain": 10_000}}

    market = {"horizon": 2, "complete_information": False, "delta": [0.9, 0.8]}
    with agent(answer) as url:
        record = econzoo.play("bargaining", ["fair", url], seed=1, **market)
    decision, offer = heard
    told = decision["game_params"]
    assert [one["decision"] for one in heard] == [True, False]
    assert [one["path"] for one in heard] == ["/chat", "/chat"]
    assert [message["role"] for message in offer["messages"]] == ["system", "user", "assistant", "user"]
    assert told["rules"] == decision["messages"][0]["content"]
    assert (told["public_name"], told["player_id"], told["seat"], told["match"]) == ("Bob", 2, 1, record.id)
    assert told["observation"]["own_delta"] == 0.8
    assert told["observation"]["other_delta"] is None
    assert "0.9" not in json.dumps({name: value for name, value in told.items() if name != "seed"})


def test_what_is_told_is_read_back():
    for game in econzoo.games():
        env = econzoo.make(game, face="chat")
        env.reset(seed=2)
        seat = env.possible_agents.index(env.agent_selection)
        info, seen = seat_info(env, seat), env.information_state(env.agent_selection)
        told = json.loads(json.dumps(seat_json(info, seat, seen), allow_nan=False))
        again, read = seat_info_of(told), information_state_of(told)
        assert (read.view, read.legal.bounds, read.legal.kinds) == (seen.view, seen.legal.bounds, seen.legal.kinds)
        assert (again.game, again.seats, again.messages, again.rules) == (
            info.game,
            info.seats,
            info.messages,
            info.rules,
        )
        assert (again.role, again.features, again.teller.roles) == (info.role, info.features, info.teller.roles)


def test_a_fault_on_the_way_is_asked_again_and_is_no_move():
    faults = [(503, {}), (429, {}), (200, b"[1"), (200, {"answer": "accept"}), (200, {"response": 5})]
    with agent(lambda asked: faults.pop() if faults else (200, {"response": '{"kind":"reject"}'})) as url:
        record = econzoo.play("bargaining", ["fair", hasty(url, max_retries=5)], seed=1, horizon=1)
    assert (record.errors, record.forfeit) == ([0, 0], None)


def test_what_stays_wrong_ends_the_match_and_forfeits_nothing():
    def late(asked):
        time.sleep(0.3)
        return 200, {"response": "Too late."}

    for answer, options, named in [
        (lambda asked: (500, {"error": "out of order"}), {"max_retries": 1}, ("2", "500", "out of order")),
        (lambda asked: (404, {}), {}, ("404",)),
        (late, {"max_retries": 0, "timeout": 0.05}, ("0.05", "seconds")),
    ]:
        with agent(answer) as url, refuses(ModelError, url, *named):
            econzoo.play("bargaining", ["fair", hasty(url, **options)], seed=1)
    with refuses(ModelError, "127.0.0.1:9", "connection failed"):
        econzoo.play("bargaining", ["fair", hasty("http://127.0.0.1:9", max_retries=0)], seed=1)


def test_a_run_keeps_a_match_without_an_agent_as_failed():
    match = new_match("bargaining", ["fair", "http://127.0.0.1:9?max_retries=0"], 1)
    (record,) = play_matches([match], PlayerCache("bargaining"), on_error="failed")
    assert (record.status, record.forfeit) == ("failed", None)
    says(record.reason, "http://127.0.0.1:9")


def test_an_answer_that_got_lost_is_given_again_and_a_match_that_began_elsewhere_is_refused():
    asked = []

    def keep(given):
        asked.append({name: given[name] for name in ("messages", "decision", "game_params")})
        return post(f"{url}/chat", asked[-1])

    with served("random") as url, agent(keep) as between:
        econzoo.play("matrix", [between, "random"], seed=3, rounds=3)
        last, first = asked[-1], asked[0]
        assert post(f"{url}/chat", last) == post(f"{url}/chat", last)
        begun = post(f"{url}/chat", first)
        assert begun[0] == 200
        status, told = post(f"{url}/chat", last)
        assert status == 400
        says(told["error"], "turn 3", "restarted")


def test_only_who_has_the_key_is_answered(monkeypatch):
    monkeypatch.setenv(KEY, "secret")
    with served("fair", key="secret") as url:
        assert post(f"{url}/chat", {})[0] == 401
        assert post(f"{url}/chat", {}, **{"X-API-Key": "other"})[0] == 401
        assert post(f"{url}/chat", {}, **{"X-API-Key": "secret"})[0] == 400
        assert econzoo.play("bargaining", [url, "fair"], seed=1).payoffs == [5000.0, 5000.0]
    keys = []
    with agent(lambda asked: (keys.append(asked["key"]), (200, {"response": "-"}))[1]) as url:
        econzoo.play("bargaining", [url, "fair"], seed=1)
    assert set(keys) == {"secret"}


def test_a_body_that_is_too_long_or_has_no_end_is_not_read():
    with served("fair") as url:
        for length, status in (("-1", 400), ("10000001", 413)):
            assert post(f"{url}/chat", {}, **{"Content-Length": length})[0] == status


def test_the_key_follows_no_redirect(monkeypatch):
    monkeypatch.setenv(KEY, "secret")
    reached = []
    with agent(lambda asked: (reached.append(asked), (200, {"response": "-"}))[1]) as other:
        for status in (301, 302, 307, 308):
            with (
                agent(lambda asked, status=status: (status, {}), Location=f"{other}/chat") as url,
                refuses(ModelError, status),
            ):
                econzoo.play("bargaining", [hasty(url), "fair"], seed=1)
    assert reached == []


def test_an_address_that_a_file_names_is_asked_about_and_gets_no_key(monkeypatch):
    monkeypatch.setenv(KEY, "secret")
    url = "http://127.0.0.1:9"
    with restrict_connections(), refuses(ValueError, url, "--connect"):
        econzoo.player(url)
    with restrict_connections(ask=lambda address, key: True):
        assert HttpChat(url)._key == ""
    with restrict_connections([url]):
        assert HttpChat(url)._key == "secret"


def test_strangers_at_the_table_seat_no_agents():
    security = pytest.importorskip("econzoo.people.server.security", exc_type=ImportError)
    with refuses(ValueError, "'http://127.0.0.1:9'"):
        security.check_player("http://127.0.0.1:9", "bargaining", [])


def test_a_language_model_answers_glee_itself_and_a_script_says_what_it_needs():
    asked = {"messages": [{"role": "user", "content": "Decide."}], "decision": True, "game_params": {"delta": 0.9}}
    with served("mock:accept") as url:
        assert post(f"{url}/chat", asked)[0] == 400
    with served("mock:accept", raw=True) as url:
        assert post(f"{url}/chat", asked) == (200, {"response": "accept"})
    with served("fair") as url:
        status, told = post(f"{url}/chat", asked)
        assert status == 400
        says(told["error"], "observation")


def test_specs():
    assert econzoo.player("http:https://example.org/agent?timeout=5").model.url == "https://example.org/agent"
    for spec, named in [
        ("http:nowhere", ("http://HOST:PORT",)),
        ("http://user:word@host", ("http://HOST:PORT",)),
        ("http://host?speed=1", ("speed",)),
        ("http://host?timeout=0", ("timeout=0",)),
    ]:
        with refuses(ValueError, *named):
            econzoo.player(spec)
    with pytest.raises(SystemExit):
        main(["serve", "player", "human"])


def test_the_agent_of_the_page_plays():
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    (code,) = [block for block in blocks if "http.server" in block]
    made = {}
    exec(code.replace("8000", "0").replace("server.serve_forever()", ""), made)
    made["Agent"].log_message = lambda self, *told: None
    with running(made["server"]) as url:
        record = econzoo.play("bargaining", ["fair", url], seed=1)
        assert (record.payoffs, record.errors) == ([5000.0, 5000.0], [0, 0])
        assert econzoo.play("bargaining", [url, "acceptor"], seed=1).errors == [0, 0]


@pytest.mark.slow
def test_the_command_serves_until_it_is_stopped():
    command = [sys.executable, "-m", "econzoo", "serve", "player", "fair", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        url = process.stdout.readline().strip()
        record = econzoo.play("bargaining", [url, "fair"], seed=1)
        process.terminate()
    assert record.payoffs == [5000.0, 5000.0]
    assert record.players[0] == url
