"""Matches side by side: each goes on when its reply comes, and its record is that of a match played alone."""

from __future__ import annotations

import json
import os
import random
import threading
import time
from collections import Counter
from zlib import crc32

import numpy as np
import pytest

from econzoo.baselines import Budget, BudgetSpentError, LanguageModelPlayer, ModelError, Need, Pending, Player
from econzoo.baselines import Scheduler, count_calls, open_budget, open_journal, player
from econzoo.baselines.models import Call, Completion, FunctionChat, ServedChat, complete_calls
from econzoo.baselines.models.mock_chat import sample_from_schema
from econzoo.baselines.parts.spec import parts_of
from econzoo.evaluate.run import new_match, play_matches

PARTS = {"m": {}, "thinks": {"reasoning": "refine(1)"}, "counts": {"tools": "calculator", "memory": "window(2)"}}


class Served(ServedChat):
    """Answers by what it is asked: legal moves, nonsense, or a failure; at random times, if it has any.

    Args:
        times: Draws the seconds of a call; None: at once.
    """

    def __init__(self, name="served", times=None, concurrency=4, fails=True):
        self.called, self.times, self.concurrency, self.fails = name, times, concurrency, fails
        self.asked, self.busy, self.most_busy, self.lock = Counter(), 0, 0, threading.Lock()

    @property
    def name(self):
        return self.called

    def answer(self, conversation, schema, seed, limit):
        question = json.dumps([list(conversation), seed])
        with self.lock:
            self.asked[question] += 1
            self.busy += 1
            self.most_busy = max(self.busy, self.most_busy)
            seconds = self.times() if self.times else 0.0
        time.sleep(seconds)
        with self.lock:
            self.busy -= 1
        kind = crc32(question.encode()) % 40
        if kind == 0 and self.fails:
            raise ModelError("gone")
        text = "No idea." if schema is None or kind in range(1, 8) else legal(schema, seed)
        return Completion(text, len(question), 5, 0.25, cost=0.01)


def legal(schema, seed):
    return json.dumps(sample_from_schema(schema, np.random.default_rng(seed)))


def cast_of(models):
    """Players of several models, each with other parts, and scripts."""
    made = {}
    for name, model in models.items():
        for part, options in PARTS.items():
            spec = f"{name}-{part}"
            made[spec] = LanguageModelPlayer(spec, model, parts=parts_of(spec, options))
    scripts = {spec: player(spec, "bargaining") for spec in ("fair", "greedy")}
    return {**made, **scripts}


def matches_of(cast, seeds=2, **params):
    names = [*cast]
    pairs = [(one, names[(at + step) % len(names)]) for at, one in enumerate(names) for step in (1, 3)]
    return [new_match("bargaining", pair, seed, horizon=3, **params) for pair in pairs for seed in range(seeds)]


def lines_of(records):
    """Records by id, without the time of the whole match."""
    lines = {}
    for record in records:
        record.seconds = 0.0
        record.turns = [
            turn for turn in record.turns if setattr(turn, "seconds", 0.25 * bool(sum(turn.tokens))) is None
        ]
        lines[record.id] = record.to_json()
    return lines


def play(models, matches=None, **how):
    cast = cast_of(models)
    return lines_of(play_matches(matches or matches_of(cast), cast.__getitem__, on_error="failed", **how))


def late(seed, most=0.004):
    draw = random.Random(seed)
    return lambda: most * draw.random() ** 3


@pytest.mark.parametrize("seed", range(3))
def test_records_do_not_depend_on_the_order_of_replies(seed):
    alone = play({"a": Served("a"), "b": Served("b")}, alone=True)
    models = {"a": Served("a", late(seed)), "b": Served("b", late(seed + 9), concurrency=2)}
    together = play(models)
    assert together == alone
    assert {json.loads(line)["status"] for line in alone.values()} >= {"failed", "finished"}
    assert all(1 < model.most_busy <= model.concurrency for model in models.values())


def test_a_slow_reply_delays_its_own_match_only():
    """One call waits until all others have been answered."""
    rest, first = threading.Event(), threading.Lock()

    class Slow(Served):
        def answer(self, conversation, schema, seed, limit):
            assert not first.acquire(blocking=False) or rest.wait(5)
            return super().answer(conversation, schema, seed, limit)

    slow = Slow(fails=False)
    cast = cast_of({"a": slow})
    matches = [new_match("bargaining", ["a-m", "fair"], seed, horizon=3) for seed in range(12)]
    played = play_matches(matches, cast.__getitem__, on_error="failed")
    ended = [next(played).seed for _ in range(11)]
    rest.set()
    assert [*ended, next(played).seed][-1] == 0


def test_models_are_asked_at_the_same_time_whatever_the_order_of_the_matches():
    together = threading.Barrier(3)

    class Meeting(Served):
        def answer(self, conversation, schema, seed, limit):
            together.wait(5)  # breaks unless all three are asked at once
            return super().answer(conversation, schema, seed, limit)

    models = {name: Meeting(name, concurrency=1, fails=False) for name in "abc"}
    cast = cast_of(models)
    order = [new_match("bargaining", [f"{name}-m", "greedy"], seed, horizon=1) for name in "abc" for seed in range(4)]
    assert len(list(play_matches(order, cast.__getitem__))) == 12


def test_calls_are_counted_by_model_and_by_the_number_given():
    for concurrent, most in [(None, 4), (2, 2)]:
        model = Served(times=lambda: 0.002)
        play({"a": model}, concurrent=concurrent)
        assert model.most_busy == most
    shared = [Served("same", lambda: 0.002), Served("same", lambda: 0.002)]
    play(dict(zip("ab", shared, strict=True)))
    assert max(model.most_busy for model in shared) <= 4


def test_a_limit_that_grows_is_used_at_once():
    class Growing(Served):
        def answer(self, conversation, schema, seed, limit):
            self.concurrency = 6
            return super().answer(conversation, schema, seed, limit)

    model = Growing(times=lambda: 0.003, concurrency=1)
    play({"a": model})
    assert model.most_busy == 6


def test_a_model_of_this_process_is_asked_in_batches_beside_a_served_one():
    local = FunctionChat(lambda conversation, schema, seed: legal(schema, seed))
    cast = {"local": LanguageModelPlayer("local", local), "far": LanguageModelPlayer("far", Served(fails=False))}
    matches = [new_match("bargaining", pair, seed, horizon=2) for pair in (["local", "far"],) for seed in range(12)]
    assert len(list(play_matches(matches, cast.__getitem__))) == 12
    assert local.batches[0] == 12
    assert sum(local.batches) > 12


def test_a_patient_model_is_asked_when_no_other_call_is_in_flight():
    far = Served(times=late(1), fails=False)

    class Patient(FunctionChat):
        patient = True

        def complete(self, *asked):
            assert far.busy == 0
            return super().complete(*asked)

    near = Patient(lambda conversation, schema, seed: legal(schema, seed))
    cast = {"near": LanguageModelPlayer("near", near), "far": LanguageModelPlayer("far", far)}
    matches = [new_match("bargaining", [*cast][::step], seed, horizon=2) for seed in range(6) for step in (1, -1)]
    records = list(play_matches(matches, cast.__getitem__))
    assert len(records) == 12
    assert len(near.batches) <= 12


def test_a_budget_is_exceeded_by_no_more_than_the_calls_under_way_and_no_reply_is_paid_twice(tmp_path):
    whole = Served(fails=False)
    wanted = play({"a": whole})
    model = Served(times=late(3), fails=False)
    target = tmp_path / "records.jsonl"
    for limit in (0.205, 0.6):
        done = sum(model.asked.values())
        with open_budget(Budget(max_cost=limit, cost=0.01 * done)) as budget:
            with pytest.raises(BudgetSpentError), open_journal(target):
                play({"a": model})
            assert limit <= budget.cost < limit + 0.01 * model.concurrency
        assert budget.cost == pytest.approx(0.01 * sum(model.asked.values()))
    with open_journal(target):
        assert play({"a": model}) == wanted
    assert model.asked == whole.asked
    assert not os.listdir(tmp_path)


def test_an_error_that_ends_the_run_keeps_the_replies_of_calls_in_flight(tmp_path):
    """The first match fails while others wait for their replies, which are found in the journal."""
    others, first = threading.Barrier(4), threading.Lock()

    class Broken(Served):
        def answer(self, conversation, schema, seed, limit):
            is_first = first.acquire(blocking=False)
            others.wait(5)
            if is_first:
                raise KeyError("bug")
            return super().answer(conversation, schema, seed, limit)

    model = Broken(times=lambda: 0.05, fails=False)
    cast, target = cast_of({"a": model}), tmp_path / "records.jsonl"
    matches = matches_of({"a-m": 0, "fair": 0}, 8)
    with pytest.raises(KeyError), open_journal(target):
        list(play_matches(matches, cast.__getitem__))
    kept = len((tmp_path / "records.jsonl.calls").read_text().split("\n{")) - 1
    assert kept == sum(model.asked.values()) == 3


def test_what_is_in_flight_and_what_waits_is_counted():
    seen, until = threading.Event(), time.monotonic() + 5

    class Counted(Served):
        def answer(self, conversation, schema, seed, limit):
            # All the rest waits at last while the first two are in flight.
            while not seen.is_set() and time.monotonic() < until:
                if count_calls() == (2, 7):
                    seen.set()
            return super().answer(conversation, schema, seed, limit)

    model = Counted(concurrency=2, fails=False)
    calls = [Call("", 0, number, [{"role": "user", "content": "hello"}], None, number) for number in range(9)]
    assert len(list(complete_calls(model, calls))) == 9
    assert seen.is_set()
    assert count_calls() == (0, 0)


def test_a_task_that_needs_nothing_ends_at_once_and_in_order():
    def task(number):
        return number
        yield Need("never", None)

    ended = Scheduler([Pending({}, lambda at=at: task(at)) for at in range(5)]).run()
    assert [one for step in ended for one in step] == [(at, at) for at in range(5)]


def test_an_error_of_a_step_ends_its_match_only():
    class Bad(Player):
        def act_in_steps(self, observation, info):
            if self.match[0] in "0123456":
                raise SystemExit("my code is over")
            return {"kind": "offer", "gain": 9000.0} if "offer" in observation["legal_actions"] else {"kind": "accept"}
            yield

    cast = {"bad": Bad("bad"), "fair": player("fair", "bargaining")}
    matches = [new_match("bargaining", ["bad", "fair"], seed, messages=False) for seed in range(20)]
    status = {record.id[0] in "0123456": record.status for record in play_matches(matches, cast.get, on_error="failed")}
    assert status == {True: "failed", False: "finished"}
