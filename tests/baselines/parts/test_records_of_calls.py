"""Calls in records: counted, kept, checked, left out where there are none; a paused match takes them up again."""

from __future__ import annotations

import dataclasses
import json
from itertools import product

import pytest

import econzoo
from econzoo.baselines import player
from econzoo.envs.core.record import Record
from econzoo.evaluate.run import replay
from econzoo.evaluate.run.resuming import restore_table
from refusals import refuses

SPEC = "mock:*?reasoning=refine(1)&memory=summary&tools=calculator&tool_calls=2"


@pytest.fixture(scope="module")
def record():
    return econzoo.play("persuasion", [SPEC, "mock:*?reasoning=cot"], seed=3, rounds=4)


def test_a_call_says_what_for_what_was_asked_and_what_it_took(record):
    calls = [call for turn in record.turns for call in turn.calls]
    assert {call["purpose"] for call in calls} >= {"draft", "critique", "summary", "thought"}
    assert all(
        list(call) == ["purpose", "about_seat", "prompt", "reply", "tokens", "seconds", "cost"] for call in calls
    )
    assert all(call["prompt"] for call in calls)


def test_tokens_of_a_turn_are_those_of_all_its_calls(record):
    for turn in record.turns:
        before = [sum(call["tokens"][i] for call in turn.calls) for i in (0, 1)]
        assert turn.tokens[1] == before[1] + len(turn.reply.split())
        assert turn.tokens[0] > before[0]


def test_records_with_calls_come_back_and_replay(record):
    again = Record.from_json(record.to_json())
    assert again == record
    assert replay(again) == []


def test_turns_without_calls_are_written_as_they_always_were():
    plain = econzoo.play("bargaining", ["fair", "mock:*"], seed=1)
    turns = json.loads(plain.to_json())["turns"]
    assert all(list(turn)[-1] == "closed_by_grammar" for turn in turns)
    assert Record.from_json(plain.to_json()).turns[0].calls == []


def test_the_same_match_has_the_same_calls(record):
    again = econzoo.play("persuasion", [SPEC, "mock:*?reasoning=cot"], seed=3, rounds=4)
    assert [_timeless(turn) for turn in again.turns] == [_timeless(turn) for turn in record.turns]


def test_composed_players_are_opponents_in_single_agent_environments():
    import gymnasium

    env = gymnasium.make("econzoo/Bargaining-v0", opponent=SPEC.replace("refine(1)", "k-level(1)"), horizon=3)
    env.reset(seed=1)
    done = False
    while not done:
        mask = env.unwrapped.action_masks()
        _, _, terminated, truncated, info = env.step(int(mask.argmax()))
        done = terminated or truncated
    assert info["errors"] == 0


def test_a_call_of_the_wrong_form_is_named(record):
    for name, value in [
        ("purpose", 5),
        ("about_seat", -1),
        ("prompt", None),
        ("reply", None),
        ("tokens", [1]),
        ("seconds", "x"),
        ("cost", float("inf")),
    ]:
        given = json.loads(record.to_json())
        given["turns"][0]["calls"][0][name] = value
        with refuses(ValueError, "turn 1", "call 1", name):
            Record.from_json(json.dumps(given))


def test_calls_that_are_no_list_of_objects_are_refused(record):
    for calls in (5, [5], None):
        given = json.loads(record.to_json())
        given["turns"][0]["calls"] = calls
        with refuses(ValueError, "turn 1", "calls"):
            Record.from_json(json.dumps(given))


METHODS = ("direct", "cot", "reflect", "refine", "predict", "solo", "k-level(2)")


@pytest.mark.slow
def test_a_paused_match_is_taken_up_without_asking_the_model():
    """Cut off after any turn, the player knows what it knew, and the rest comes out as it did."""
    for reasoning, memory in product(METHODS, ("full", "summary", "retrieve(1)")):
        spec = f"mock:*|I see.|*?reasoning={reasoning}&memory={memory}&tools=calculator&constrained=yes"
        whole = econzoo.play("bargaining", [spec, spec], seed=7, horizon=4)
        for cut in range(len(whole.turns)):
            paused = _cut(whole, cut)
            table = restore_table(paused)
            assert all(one.model.questions == [] for one in table.players), "nobody was asked"
            while not table.is_over:
                table.answer(table.player.act(table.observation, table.info))
            again = table.close()
            assert [_timeless(turn) for turn in again.turns] == [_timeless(turn) for turn in whole.turns], reasoning


def _timeless(turn):
    return dataclasses.replace(turn, seconds=0.0, calls=[{**call, "seconds": 0.0} for call in turn.calls])


def _cut(record, turns):
    """The record as it was when that many turns had been played."""
    kept = record.turns[:turns]
    errors = [sum(t.error is not None for t in kept if t.seat == seat) for seat in (0, 1)]
    return dataclasses.replace(record, turns=kept, status="paused", forfeit=None, errors=errors, payoffs=[0.0, 0.0])


def test_a_record_whose_calls_do_not_fit_the_player_is_refused(record):
    made = player(SPEC, "persuasion")
    paused = dataclasses.replace(record, status="paused", turns=[dataclasses.replace(record.turns[0], calls=[])])
    with refuses(ValueError, 1):
        restore_table(paused, [made, "mock:*?reasoning=cot"])
