"""Somebody does not answer: time runs out, a player fails, a person leaves. What was agreed on follows, and is told."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event, Thread

import pytest

pytest.importorskip("starlette", reason="the web table needs the extra web")

from starlette.testclient import TestClient
from visitor import Visitor, phrase

from econzoo.baselines import Budget, open_budget
from econzoo.envs.core.record import Record
from econzoo.evaluate.run import replay
from econzoo.people.table import LiveMatch, Tables, build_terms
from econzoo.people.table_server import build_folder_app
from refusals import says

RANDOM = "econzoo.baselines.random_and_mock.RandomPlayer.act"
PATIENCE = 10.0

NEXT = 'name="number" value="1"'
"""In the form of a seat's second move."""

OVER = 'data-testid="payoff"'
THINKING = phrase("table.thinking", who="Bob", seconds="|").partition("|")[0]


def unanswered(role: str, seconds: int = 60, why: str = "default_played", **fields: str) -> str:
    """What pages say of a seat that did not answer in the first round."""
    return phrase(f"absent.{why}", round=1, role=role, why=phrase("absent.timeout", seconds=seconds), **fields)


def looked(visitor: Visitor, text: str) -> Visitor:
    """Loads the page again until it has a text."""
    end = time.monotonic() + PATIENCE
    while text not in visitor.look().raw and time.monotonic() < end:
        time.sleep(0.01)
    assert text in visitor.text
    return visitor


def record_of(visitor: Visitor) -> Record:
    record = Record.from_json(visitor.record().text)
    assert replay(record) == []
    return record


@pytest.fixture
def two(visit: Callable[[], Visitor]) -> Callable[..., tuple[Visitor, Visitor]]:
    """Two people at a table, each of whom has opened the page."""

    def begun(game: str, **given: str) -> tuple[Visitor, Visitor]:
        alice, bob = visit(), visit()
        alice.start(game, player_1="human", **given)
        bob.open(alice.invitations[0])
        return alice, bob

    return begun


# A person's time


def test_the_default_action_is_played_when_time_runs_out(two, wait):
    """In the prisoner's dilemma the default is to defect, so that silence is not taken for cooperation."""
    alice, bob = two("matrix", param_rounds="2", terms_person_seconds="60", terms_policy="default")
    assert phrase("absent.left_for_move", clock="|", policy="|").partition("|")[0] in bob.text
    assert phrase("absent.default_move", move="D") in bob.text
    alice.move("C")
    late = bob.page
    wait(61)
    looked(bob, NEXT)
    assert phrase("absent.timeout", seconds=60)[1:] in bob.text
    assert unanswered("Bob") in looked(alice, "Bob").text
    bob.post({"number": "0", "kind": "C"} | {one.name: one.value for one in late.move_forms[0].inputs if one.value})
    assert phrase("table.late") in bob.text
    alice.look()
    alice.move("C")
    bob.look()
    bob.move("C")
    turns = record_of(bob).turns
    assert [turn.action["kind"] for turn in turns] == ["C", "D", "C", "C"]
    assert [turn.default for turn in turns] == [False, True, False, False]
    assert (turns[1].error[0], turns[1].finish, turns[1].limit) == ("timeout", "timeout", 60)


def test_a_move_that_a_slow_connection_delays_still_counts(two, wait, monkeypatch):
    """The clock that Bob sees has run out; his move was on its way."""
    monkeypatch.setattr("econzoo.people.table.live.GRACE", 30.0)
    alice, bob = two("matrix", param_rounds="1", terms_person_seconds="60", terms_policy="default")
    alice.move("C")
    wait(75)
    assert 'data-left="0"' in bob.look().raw
    bob.move("C")
    assert record_of(bob).defaults == [0, 0]


def test_or_the_seat_forfeits(two, wait):
    alice, _bob = two("bargaining", terms_person_seconds="5", terms_policy="forfeit")
    wait(6)
    looked(alice, OVER)
    assert (record_of(alice).status, record_of(alice).forfeit) == ("forfeited", 0)


def test_or_a_script_takes_the_seat_for_good(two, wait, tmp_path):
    """Tit for tat plays on for Bob, who can watch; so it does in a new server."""
    given = {"terms_person_seconds": "60", "terms_policy": "replace", "terms_substitute": "tit-for-tat"}
    alice, bob = two("matrix", param_rounds="3", **given)
    alice.move("D")
    wait(61)
    looked(bob, unanswered("", why="you_replaced", who="tit-for-tat"))
    assert unanswered("Bob", why="replaced", who="tit-for-tat") in looked(alice, NEXT).text
    again = Visitor(TestClient(build_folder_app(tmp_path)))
    again.open(alice.path)
    again.move("C")
    again.move("C")
    record = record_of(again)
    assert [turn.action["kind"] for turn in record.turns] == ["D", "C", "C", "D", "C", "C"]
    assert record.replacements == [{"seat": 1, "turn": 1, "player": "tit-for-tat", "reason": "timeout"}]
    assert record.players == ["human", "human"]
    assert f"<bdi>{phrase('absent.then', player='human', who='tit-for-tat')}</bdi>" in again.text


def test_time_runs_from_when_the_page_is_opened(visit, wait):
    alice, bob = visit(), visit()
    alice.start("matrix", player_1="human", param_rounds="1", terms_person_seconds="60", terms_policy="default")
    alice.move("C")
    wait(1000)
    bob.open(alice.invitations[0])
    bob.move("C")
    assert record_of(bob).defaults == [0, 0]


def test_in_the_water_auction_bids_are_hidden_until_all_are_in_and_who_is_late_bids_nothing(visit, wait):
    """Five people; Eric closes his browser. The game's own policy is the default action: a bid of nothing."""
    host = visit()
    host.start("water_allocation", **{f"player_{seat}": "human" for seat in range(1, 5)}, terms_person_seconds="30")
    others = [visit() for _ in range(4)]
    for other, path in zip(others, host.invitations, strict=True):
        other.open(path)
    for bidder, bid in zip([host, *others[:3]], (61, 62, 63, 64), strict=True):
        bidder.move("bid", bid=str(bid))
    pages = [one.look().raw for one in (host, *others)]
    seen = [[bid for bid in (61, 62, 63, 64) if f"${bid}" in page] for page in pages]
    assert seen == [[61], [62], [63], [64], []]  # one's own alone
    wait(31)
    looked(host, unanswered("Eric", 30))
    assert all(f"${bid}" in host.text for bid in (62, 63, 64))
    host.client.post(f"{host.path}/leave")
    looked(host, phrase("absent.left"))


def test_no_page_has_half_of_what_has_happened(two, wait, monkeypatch):
    """A page that is loaded between the default action and the next question waits for the question."""
    pages, loading, asks = [], [], LiveMatch._ask_people

    def slowly(live: LiveMatch) -> None:
        one = Thread(target=lambda: pages.append(alice.client.get(alice.path).text))
        one.start()
        loading.append(one)
        one.join(0.1)
        asks(live)

    alice, bob = two("matrix", param_rounds="2", terms_person_seconds="60", terms_policy="default")
    alice.move("C")
    monkeypatch.setattr(LiveMatch, "_ask_people", slowly)
    wait(61)
    looked(bob, NEXT)
    for one in loading:
        one.join(PATIENCE)
    told = [page for page in pages if unanswered("Bob") in page]
    assert told
    assert all(NEXT in page for page in told)


def test_who_leaves_among_several_leaves_the_default_action_behind(two):
    alice, bob = two("matrix", param_rounds="2", terms_policy="default")
    bob.client.post(f"{bob.path}/leave")
    for _ in range(2):
        alice.look()
        alice.move("C")
    record = record_of(alice)
    assert [(turn.action["kind"], turn.finish) for turn in record.turns if turn.seat == 1] == [("D", "left")] * 2
    assert record.status == "finished"


# Players that think


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Iterator[Event]:
    """A random player that answers when it is told to."""
    done = Event()
    monkeypatch.setattr(Tables.advance, "__defaults__", (0.0,))
    monkeypatch.setattr(RANDOM, lambda *given: done.wait(PATIENCE) and {"kind": "C"})
    yield done
    done.set()


def test_a_player_that_thinks_too_long_is_not_waited_for(visit, wait, slow):
    alice = visit()
    alice.start("matrix", player_1="random", param_rounds="2", terms_player_seconds="20", terms_policy="default")
    alice.move("C")
    looked(alice, THINKING)
    wait(21)
    looked(alice, unanswered("Bob", 20))
    slow.set()  # what it says now is nobody's move
    looked(alice, NEXT)
    alice.move("C")
    looked(alice, OVER)
    played = record_of(alice).turns
    assert [(turn.action["kind"], turn.finish) for turn in played if turn.seat == 1] == [("D", "timeout"), ("C", "")]


def test_a_player_that_was_thinking_when_the_server_was_killed_is_asked_again(visit, slow, tmp_path):
    alice = visit()
    alice.start("matrix", player_1="random", param_rounds="1")
    alice.move("C")
    looked(alice, THINKING)
    slow.set()
    again = Visitor(TestClient(build_folder_app(tmp_path)))
    again.open(alice.path)
    looked(again, OVER)


@pytest.mark.parametrize(("policy", "by"), [("default", ""), ("replace", "tit-for-tat")])
def test_a_player_that_fails_is_told_and_what_was_agreed_on_follows(visit, monkeypatch, policy, by):
    def broken(*given: object) -> None:
        raise ValueError("no connection to <http://10.0.0.1/v1>")

    monkeypatch.setattr(RANDOM, broken)
    alice = visit()
    alice.start(
        "matrix", player_1="random", param_rounds="1", terms_policy=policy, **({"terms_substitute": by} if by else {})
    )
    alice.move("C")
    looked(alice, OVER)
    assert "random: no connection to" in alice.text
    assert "10.0.0.1" not in alice.text
    record = record_of(alice)
    assert record.reason.startswith("random: no connection")
    assert [one["player"] for one in record.replacements or ()] == ([by] if by else [])
    assert record.turns[1].finish == ("" if by else "broken")


def test_matches_that_share_a_model_are_asked_together_by_its_thread(tmp_path):
    visitors = [Visitor(TestClient(build_folder_app(tmp_path / str(n), offered_players=("mock:*",)))) for n in range(2)]
    for visitor in visitors:
        visitor.start("matrix", player_1="mock:*", param_rounds="2")
        for _ in range(2):
            looked(visitor, phrase("table.moves"))
            visitor.move("C")
        looked(visitor, OVER)
        assert record_of(visitor).turns[1].prompt


def test_a_model_may_cost_no_more_than_was_said(tmp_path):
    """What was spent before in the folder counts, and the match goes on with a larger budget."""
    spec = "mock:*?price_per_million=1000000,1000000"
    with open_budget(Budget(max_cost=1.0)):
        alice = Visitor(TestClient(build_folder_app(tmp_path, offered_players=(spec,))))
        alice.start("matrix", player_1=spec, param_rounds="2")
        alice.move("C")
        looked(alice, NEXT)
        alice.move("C")
        looked(alice, phrase("table.cannot_go_on", problem="|").partition("|")[0])
        says(alice.problems, "$1.00")
    with open_budget(Budget(max_cost=1e9)) as own:
        again = Visitor(TestClient(build_folder_app(tmp_path, offered_players=(spec,))))
        assert own.cost > 1.0
        again.open(alice.path)
        looked(again, OVER)


# The first page


def test_terms_that_cannot_be_are_refused_in_words(visit):
    visitor = visit()
    for given, *named in (
        ({"terms_person_seconds": "soon"}, phrase("terms.person_seconds"), "soon", 0, 86400),
        ({"terms_player_seconds": "-1"}, phrase("terms.player_seconds"), -1, 0, 86400),
        ({"terms_person_seconds": "86401"}, phrase("terms.person_seconds"), 86401, 0, 86400),
        ({"terms_policy": "wait"}, phrase("terms.policy"), "wait", "default", "forfeit", "replace"),
        ({"terms_policy": "replace", "terms_substitute": "nobody"}, "nobody", "spe", "fair"),
        ({"terms_policy": "replace", "terms_substitute": "mock:*"}, "mock:*", "--players"),
        ({"terms_policy": "replace", "terms_substitute": "human"}, "human"),
    ):
        visitor.start("bargaining", **given)
        assert visitor.status == 422, given
        says(visitor.problems, *named)


def test_what_follows_unusable_answers_is_what_was_agreed_on(visit, tmp_path: Path):
    visitor = visit()
    visitor.start("matrix", param_rounds="1", terms_policy="default")
    visitor.move("C")
    assert record_of(visitor).options == {"on_error": "default"}


def test_what_the_command_says_is_what_the_first_page_proposes(tmp_path):
    """Boulware is no player of matrix games: there it is chance that takes the seat."""
    terms = build_terms(45, 60, "boulware(0.2)")
    visitor = Visitor(TestClient(build_folder_app(tmp_path, terms=terms)))
    for game, by in (("bargaining", "boulware(0.2)"), ("matrix", "random")):
        visitor.open(f"/?game={game}")
        typed = {one.name: one.value for one in visitor.page.forms[0].inputs}
        assert (typed["terms.person_seconds"], typed["terms.player_seconds"], typed["terms.substitute"]) == (
            "45",
            "60",
            by,
        )
        assert '<option value="replace" selected>' in visitor.text
        visitor.start(game)
        assert visitor.status == 200


def test_a_clock_goes_on_where_it_was_when_the_server_is_started_again(two, wait, tmp_path):
    """45 of 60 seconds had passed; none passes while no server runs, and 16 more are too long."""
    alice, bob = two("matrix", param_rounds="2", terms_person_seconds="60", terms_policy="default")
    alice.move("C")
    wait(45)
    looked(bob, 'data-left="15"')
    time.sleep(0.1)  # until the running time is kept
    again = Visitor(TestClient(build_folder_app(tmp_path)))
    again.open(bob.path)
    assert 'data-left="15"' in again.text
    wait(16)
    looked(again, NEXT)
    assert unanswered("Bob") in alice.look().raw
