"""Films of matches: what may be told while a match goes on, at which speed, and all of it afterwards."""

from __future__ import annotations

import asyncio
import html
import re
from types import SimpleNamespace

import pytest

import econzoo
from econzoo.envs.core import MissingLibraryError
from econzoo.evaluate.analyses import replay_texts
from econzoo.evaluate.run import play_match

pytest.importorskip("starlette", reason="the web table needs the extra web")

from starlette.testclient import TestClient
from visitor import phrase

from econzoo.envs.core.record import RecordFile
from econzoo.people.server import new_site
from econzoo.people.table import Store, Tables, WatchPages
from econzoo.people.table.public_view import is_same_move, public_events
from econzoo.people.table_server import build_folder_app
from refusals import says


def watched(visitor) -> str:
    """Path of the film of the match that a host has begun."""
    return "/watch/" + re.search(r'value="[^"]*/watch/([^"]+)"', visitor.text)[1]


def moves(text: str) -> list[str]:
    return [html.unescape(move) for move in re.findall(r'<p class="did"><bdi>([^<]*)</bdi>', text)]


# What may be told


def test_a_film_of_a_match_that_goes_on_tells_no_value_that_only_one_seat_may_know(visit):
    values = {"param_money": "1000", "param_seller_value": "0.987", "param_buyer_value": "0.999", "param_horizon": "3"}
    seller, buyer = visit(), visit()
    seller.start("negotiation", player_1="human", param_complete_information="false", **values)
    buyer.open(seller.invitations[0])
    path, stranger = watched(seller), visit().client
    seller.move("offer", gain="", price="995", words="A bargain")
    told = "".join(stranger.get(f"{path}{rest}").text for rest in ("", "?at=0", "/table", "/table?at=1.1.0"))
    assert "A bargain" in told
    assert not re.search("987|999", told)
    assert "human" not in told
    assert stranger.get(path.replace("watch", "replay")).status_code == 409


def test_a_sealed_move_is_not_told_before_all_are_in(visit):
    first, second = visit(), visit()
    first.start("matrix", player_1="human", param_rounds="2")
    second.open(first.invitations[0])
    path = watched(first)
    first.move("D", words="betrayal")
    assert phrase("watch.at_so_far", at=0, of=0) in visit().client.get(path).text
    second.move("C")
    assert "betrayal" in visit().client.get(path).text


@pytest.mark.parametrize("game", econzoo.games())
def test_what_is_told_is_what_every_seat_has_seen(game):
    try:
        record = play_match(game, ["random"] * econzoo.game(game).facts.seats, 5)
    except MissingLibraryError as missing:
        pytest.skip(str(missing))
    seen = replay_texts(record).events
    for event in public_events(seen):
        for own in seen:
            forms = [one for one in own if (one.round, one.seat) == (event.round, event.seat)]
            assert any(event.fact is None or is_same_move(one.fact, event.fact) for one in forms)
            assert any(event.action in (None, 1) or is_same_move(one.action, event.action) for one in forms)


def test_who_talks_to_one_trader_alone_is_not_overheard():
    """Two buyers and two sellers: what a trader says to one of them is nobody else's."""
    record = play_match("double_auction", ["random"] * 4, 2, buyers=2, sellers=2)
    assert any(turn.action["kind"] == "say" for turn in record.turns)
    events = public_events(replay_texts(record).events)
    assert not any(type(event.action).__name__ == "Say" for event in events)
    assert sum(type(event.action).__name__ == "Offer" for event in events) == 4


def test_the_operator_alone_has_the_key_to_what_is_private(tmp_path):
    client = TestClient(build_folder_app(tmp_path, site=new_site(token="a token of an operator")))
    posted = {"game": "negotiation", "seat": "0", "player.0": "spe", "player.1": "human"}
    seat = client.post("/", data=posted | {"param.complete_information": "false", "param.buyer_value": "1.21"})
    path = watched(SimpleNamespace(text=seat.text))
    assert "private=" not in client.get(path).text
    client.get("/operator", params={"token": "a token of an operator"})
    (key,) = set(re.findall(r"private=(\w+)", client.get(path).text))
    assert len(key) == 36
    assert phrase("turn.prompt_and_reply") not in client.get(path).text
    number = re.search(r'name="number" value="(\d+)"', seat.text)[1]
    client.post(f"{seat.url.path}/move", data={"number": number, "kind": "offer", "move.price": "10500"})
    assert phrase("turn.prompt_and_reply") in client.get(path, params={"private": key}).text
    assert phrase("turn.prompt_and_reply") not in client.get(path, params={"private": "0" * 36}).text


# The film


def test_two_players_are_watched_from_the_first_move_to_the_last(visit):
    visitor = visit()
    visitor.start("matrix", seat="none", player_0="tit-for-tat", player_1="random", param_rounds="3", seed="7")
    assert visitor.path.startswith("/watch/")
    assert moves(visitor.text) == []
    shown = [moves(visitor.client.get(f"{visitor.path}?at={at}").text) for at in range(7)]
    assert [len(some) for some in shown] == list(range(7))
    assert shown[6][:3] == shown[3]
    assert 'id="ended">' in visitor.client.get(f"{visitor.path}?at=6").text
    assert 'id="ended">' not in visitor.client.get(f"{visitor.path}?at=5").text


def test_a_film_goes_on_without_javascript_and_stands_still_when_it_is_paused(visit):
    visitor = visit()
    visitor.start("matrix", seat="none", player_0="tit-for-tat", player_1="random", param_rounds="3")
    text = visitor.client.get(f"{visitor.path}?at=2&speed=5").text
    assert '<noscript><meta http-equiv="refresh" content="2; url=?at=3&amp;speed=5#now"></noscript>' in text
    paused = visitor.client.get(f"{visitor.path}?at=2&speed=5&paused").text
    assert "refresh" not in paused
    assert "data-events" not in paused
    assert f">{phrase('watch.play')}</a>" in paused


def test_nobody_watches_instead_of_a_person(visit):
    visitor = visit()
    visitor.start("bargaining", seat="none", player_0="fair", player_1="human")
    assert visitor.status == 422
    says(visitor.problems, "human")


@pytest.mark.parametrize(("last", "first"), [(None, "4.6.1"), ("5.6.1", "5.6.1")])
@pytest.mark.slow
def test_a_stream_goes_on_where_it_broke_off(tmp_path, last, first):
    """At five moves a second the next one comes after the first look."""
    tables = Tables(Store(tmp_path / "table.sqlite"), RecordFile(tmp_path / "matches.jsonl"))
    match, _ = tables.create_match("matrix", ["tit-for-tat", "random"], 1, {"rounds": 3})
    tables.open_match(match)
    left = iter([False] * 4)

    async def gone() -> bool:
        return next(left, True)

    headers = {"last-event-id": last} if last else {}
    request = SimpleNamespace(
        app=SimpleNamespace(state=SimpleNamespace(streams={})),
        url=SimpleNamespace(path="/watch"),
        path_params={"match": match},
        query_params={"at": "4.6.1", "speed": "5"},
        headers=headers,
        is_disconnected=gone,
    )

    async def told() -> list[str]:
        answer = await WatchPages(tables).events(request)
        return [line async for line in answer.body_iterator]

    lines = asyncio.run(told())
    at = int(first[0])
    assert lines[:2] == [f"id: {one}.6.1\ndata: {one}.6.1\n\n" for one in (at, at + 1)]
    tables.close()


def test_a_guessed_match_is_not_found(visit):
    for path in ("", "/table", "/events"):
        assert visit().client.get(f"/watch/AAAAAAAAAAAAAAAAAAAAAAAA{path}").status_code == 404, path
