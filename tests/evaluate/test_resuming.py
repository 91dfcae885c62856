"""A match that is paused and played on is the match that it would have been."""

from __future__ import annotations

import dataclasses
import hashlib
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import econzoo
from econzoo.baselines import LanguageModelPlayer, PausedMatch, Player, player, scripted_players, seats_of
from econzoo.baselines.models import Completion
from econzoo.envs.core.record import Record
from econzoo.evaluate.run import play_match, read_folder, replay, resume
from exhaustive import long_unless
from people import Fingers, Screens, lines
from refusals import refuses, says
from toy_games import TOYS, register_temporarily

GAMES = [*econzoo.games(), *TOYS]
MOCKS = ("mock('hm', '{\"kind\": \"accept\"}')", "mock('{\"bid\": 1}')", 'mock(\'{"kind": "heads"}\')')


class Whimsical:
    """A chat model whose replies depend on every word of its transcript and on the seed; some are no moves."""

    name = "whimsical"

    def complete(self, conversations, schemas, seeds):
        return [self._answer(*asked) for asked in zip(conversations, schemas, seeds, strict=True)]

    def _answer(self, conversation, schema, seed):
        digest = hashlib.sha256(json.dumps([conversation, seed]).encode()).digest()
        rng = np.random.default_rng(list(digest))
        text = "Let me think." if rng.random() < 0.2 else json.dumps(self._move(schema, rng))
        return Completion(text, int(digest[0]), int(digest[1]), 0.1, cost=digest[2] / 100)

    def _move(self, schema, rng):
        fields = rng.choice(schema.get("anyOf", [schema]))["properties"]
        return {name: self._value(field, rng) for name, field in fields.items()}

    def _value(self, field, rng):
        if "const" in field:
            return field["const"]
        if field["type"] == "array":
            places = field.get("prefixItems") or [field["items"]] * field["minItems"]
            return [self._value(one, rng) for one in places]
        if field["type"] == "string":
            return str(rng.choice(field.get("enum", ["Trust me."])))
        drawn = rng.uniform(field["minimum"], min(field["maximum"], 1e6))
        return round(drawn) if field["type"] == "integer" else float(drawn)


def model():
    return LanguageModelPlayer("whimsical", Whimsical())


def specs(game):
    """Everybody who can play a game without more being said."""
    own = [name for name in scripted_players(game) if makes(name, game)]
    return ["random", "whimsical", *MOCKS, *own]


def makes(name, game):
    try:
        return player(name, game) is not None
    except ValueError:
        return False


def seated(names, typed):
    """Players of these names; people share a terminal at which `typed` types."""
    screens = Screens(typed)
    made = {"human": screens.human, "whimsical": model}
    return [made[name]() if name in made else name for name in names]


def timeless(record):
    """All of a record but the time that it took."""
    turns = [{**vars(turn), "seconds": 0} for turn in record.turns]
    return {**vars(record), "turns": turns, "seconds": 0}


@st.composite
def seatings(draw, name):
    """Players of all kinds in the seats of a game, at least one of them a person."""
    game = TOYS.get(name) or econzoo.game(name)
    with register_temporarily(*TOYS.values()):
        who = specs(name)
        seats = range(game.seats(game.params()[1]))
        fits = [[w for w in who if (allowed := seats_of(w, name)) is None or seat in allowed] for seat in seats]
    names = [draw(st.sampled_from(["human", *fit])) for fit in fits]
    names[draw(st.sampled_from(seats))] = "human"
    return names


@pytest.mark.parametrize("name", long_unless("water_allocation".__eq__, GAMES))
@settings(max_examples=5)
@given(st.data(), st.integers(0, 2**32), st.sets(st.integers(0, 12), min_size=1, max_size=4))
def test_a_match_with_pauses_is_the_match_without(name, data, seed, pauses):
    names = data.draw(seatings(name))
    with register_temporarily(*TOYS.values()):
        whole = play_match(name, seated(names, Fingers(seed)), seed, on_error="default")
        fingers = Fingers(seed, tuple(pauses))
        record = play_match(name, seated(names, fingers), seed, on_error="default")
        while record.status == "paused":
            kept = Record.from_json(record.to_json())
            assert replay(kept) == []
            record = resume(kept, seated(names, fingers))
        assert timeless(record) == timeless(whole)


def test_every_kind_of_player_is_as_it_was():
    for kind in ["human", "random", "whimsical", "mock('hm', '{\"kind\": \"buy\"}')", "trust"]:
        names = ["human", kind]
        whole = play_match("persuasion", seated(names, Fingers(11, ())), 5, rounds=6, on_error="default")
        record = play_match("persuasion", seated(names, Fingers(11, (5,))), 5, rounds=6, on_error="default")
        assert record.status == "paused", kind
        assert {turn.seat for turn in record.turns} == {0, 1}, kind
        assert timeless(resume(record, seated(names, Fingers(11, ())))) == timeless(whole), kind


def paused(*typed, others=("fair",), game="bargaining", **params):
    """A match between a person who types this and then pauses, and others."""
    screens = Screens(lines(*typed, "pause"))
    record = play_match(game, [screens.human(), *others], **params)
    assert record.status == "paused"
    return record


def go_on(record, *typed):
    screens = Screens(lines(*typed))
    players = [screens.human() if spec == "human" else spec for spec in record.players]
    return resume(record, players), screens.shown


def test_the_position_is_kept_and_nobody_forfeits():
    record = paused("9000", "", others=["boulware(0.2)"], money=10_000, horizon=5)
    assert (record.status, record.forfeit, record.payoffs) == ("paused", None, [0.0, 0.0])
    assert [turn.seat for turn in record.turns] == [0, 1, 1]
    assert record.turns[0].action == {"kind": "offer", "gain": 9000.0}


def test_who_comes_back_reads_the_rules_and_what_was_played():
    record = paused("9000", "Mine!", others=["boulware(0.2)"], horizon=5)
    ended, shown = go_on(record, "a")
    assert ended.status == "finished"
    assert shown.count("Bob divide") == 1
    before, now = shown.split("So far:")[1].split("[Alice]")[:2]
    assert "propose" in before
    assert '> offer  gain 9,000.00  "Mine!"' in before
    assert "Bob rejected" in now


def test_seconds_are_those_of_all_parts():
    record = paused("9000", "", others=["boulware(0.2)"], horizon=5)
    ended, _ = go_on(dataclasses.replace(record, seconds=1000.0), "a")
    assert 1000.0 < ended.seconds < 2000.0


def test_a_language_model_is_not_asked_twice():
    one, other = model(), model()
    screens = Screens(lines("9500", "", "pause"))
    record = play_match("bargaining", [screens.human(), one], 3, horizon=9)
    asked = []
    complete = other.model.complete
    other.model.complete = lambda *given: asked.append(given) or complete(*given)
    assert resume(record, [Screens(lines("quit", "y")).human(), other]).status == "abandoned"
    assert asked == []
    assert other.transcript == one.transcript


def test_whoever_was_eliminated_is_not_told_again():
    with register_temporarily(*TOYS.values()):
        screens = Screens(lines("", "1", "", "2", "", "3", "", "", "", "2", "pause"))
        players = [screens.human() for _ in range(3)]
        record = play_match("lowest_bid", players)
        assert screens.shown.count("game is over") == 1
        again = Screens(lines("", "3"))
        ended = resume(record, [again.human() for _ in range(3)])
    assert ended.status == "finished"
    assert "game is over" not in again.shown
    says(again.screens[0], "Cy", "Enter")  # whoever types --resume


# Refusals


def refused(record, *named, players=None):
    with refuses(ValueError, *named):
        resume(record, players)


def changed(record, **fields):
    return dataclasses.replace(Record.from_json(record.to_json()), **fields)


def with_turn(record, number, **fields):
    copy = Record.from_json(record.to_json())
    copy.turns[number - 1] = dataclasses.replace(copy.turns[number - 1], **fields)
    return copy


@pytest.fixture(scope="module")
def kept():
    return paused("9000", "", others=["boulware(0.2)"], horizon=5)


def test_what_is_not_paused():
    for status in ("finished", "abandoned", "forfeited", "truncated"):
        record = play_match("bargaining", ["fair", "fair"])
        refused(changed(record, status=status), status, "paused")


def test_other_rules_and_other_matches(kept):
    refused(changed(kept, versions={**kept.versions, "rules": 99}), "bargaining", "version 99", 0)
    refused(changed(kept, seed=1), "modified")
    refused(changed(kept, params={**kept.params, "horizon": 6}), "modified")
    refused(changed(kept, params={**kept.params, "horizon": -1}), "horizon=-1")
    refused(changed(kept, game="chess"), "'chess'")


def test_turns_that_do_not_come_out_again(kept):
    assert kept.turns[1].reply["kind"] == "reject"
    refused(with_turn(kept, 2, reply={"kind": "accept"}), "turn 2", "boulware(0.2)", "accept")
    refused(with_turn(kept, 1, reply='{"kind":"offer","gain":8000}'), "turn 1", "action", 8000.0, 9000.0)
    refused(with_turn(kept, 1, prompt="Something else."), "turn 1", "prompt")
    refused(with_turn(kept, 2, seat=0), "turn 2", "seat", 1, 0)
    refused(changed(kept, turns=[*kept.turns, *kept.turns]), "turn 4")
    refused(changed(kept, rules=["Be nice.", None]), "rules")


def test_nature_that_did_otherwise():
    record = paused(others=["trust"], game="persuasion", rounds=4)
    refused(changed(record, chance=[1 - draw for draw in record.chance]), "chance")


def test_players_that_nobody_can_make_or_who_are_others(kept):
    own = play_match("bargaining", [Screens(lines("pause")).human("Ann"), Stubborn()])
    refused(own, "'stubborn'", "bargaining")
    assert resume(own, [Screens(lines("5000", "")).human("Ann"), Stubborn()]).status == "finished"
    refused(kept, ["human", "fair"], players=["human", "fair"])


class Stubborn(Player):
    """Accepts everything."""

    def __init__(self):
        super().__init__("stubborn")

    def act(self, observation, info):
        return {"kind": "accept"}


class Moody(Player):
    """Answers otherwise every time, whatever the seed."""

    offers = iter(range(1000))

    def __init__(self):
        super().__init__("moody")

    def act(self, observation, info):
        return {"kind": "offer", "gain": float(next(self.offers))}


class Tired(Player):
    """Pauses at once: not only people may."""

    def act(self, observation, info):
        raise PausedMatch


def test_a_player_who_is_not_a_function_of_seed_and_sight():
    record = play_match("bargaining", [Moody(), Tired("tired")])
    refused(record, "turn 1", "moody", 1.0, 0.0, players=[Moody(), Tired("tired")])


def test_a_paused_match_is_no_result(kept, tmp_path):
    path = tmp_path / "records.jsonl"
    ended = resume(kept, [Screens(lines("a")).human(), kept.players[1]])
    path.write_text(f"{kept.to_json()}\n{ended.to_json()}\n")
    records, unread = read_folder(path)
    assert [record.status for record in records] == ["finished"]
    assert "paused" in unread[0].reason
