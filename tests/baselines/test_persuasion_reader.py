"""Scripted buyers for whom a language model reads what sellers say in words."""

from __future__ import annotations

import json
import random
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from recorded import timeless

from econzoo.baselines import ModelError, add_reader, open_journal, player, reads_keywords
from econzoo.baselines.models import Completion, FunctionChat, ServedChat
from econzoo.baselines.persuasion.hindsight import rounds_of
from econzoo.baselines.persuasion.reader import Reader
from econzoo.baselines.persuasion.signals import DISCOURAGED, DISCOURAGEMENT, NOTHING, RECOMMENDATION, RECOMMENDED
from econzoo.baselines.persuasion.signals import signal_in
from econzoo.envs.core.contract import Invalid
from econzoo.envs.core.record import Record
from econzoo.evaluate.run import EnvPool, ask_again, new_match, play_match, play_matches, replay
from econzoo.evaluate.suites import SuiteRequest
from refusals import refuses

PITCH, WARNING, GREETING = "You will love this one!", "Let this one pass.", "Good day to you."
MEANT = {PITCH: "recommends", WARNING: "advises against", GREETING: "says neither"}


def says(*messages: str) -> str:
    """A seller of canned words."""
    return "mock:" + "|".join(json.dumps({"kind": "say", "message": one}) for one in messages)


def understanding(conversation: Any, schema: Any, seed: int) -> str:
    """A model that understands the three sentences."""
    words = conversation[1]["content"].splitlines()[1]
    return json.dumps({"signal": MEANT[words]})


def reading(spec: str, answer: Any = understanding) -> Any:
    """A buyer with a reader of our own."""
    made: Any = player(spec, "persuasion").fork()
    made.reader = Reader("mock:reader", FunctionChat(answer))
    made.spec = f"{spec[:-1] if '(' in spec else spec + '('}reader='mock:reader')"
    return made


def play(buyer: Any, *messages: str, **market: Any) -> Record:
    return play_match("persuasion", [says(*messages), buyer], seed=1, rounds=len(messages), **market)


def bought(record: Record) -> str:
    return "".join(turn.action["kind"][0] for turn in record.turns if turn.seat == 1 and turn.action)


def test_a_buyer_goes_by_what_its_model_reads():
    assert bought(play("trust(0)", PITCH, WARNING, GREETING)) == "ddd"  # no keyword in any of them
    assert bought(play(reading("trust(0)"), PITCH, WARNING, GREETING)) == "bdd"


def test_the_reading_stands_in_the_record_and_the_first_one_pays():
    record = Record.from_json(play(reading("trust(0)"), PITCH, PITCH, WARNING).to_json())
    turns = [turn for turn in record.turns if turn.seat == 1]
    calls = [call for turn in turns for call in turn.calls]
    assert [(call["purpose"], call["about_seat"]) for call in calls] == [("reading", 0)] * 3
    assert [json.loads(call["reply"])["signal"] for call in calls] == ["recommends", "recommends", "advises against"]
    assert [sum(call["tokens"]) > 0 for call in calls] == [True, False, True]
    assert [turn.tokens for turn in turns] == [call["tokens"] for call in calls]
    assert [one.signal for one in rounds_of(record)] == [RECOMMENDED, RECOMMENDED, DISCOURAGED]


def test_a_record_replays_without_a_model_also_when_buyers_are_asked_again():
    record = play(reading("grim"), PITCH, WARNING, PITCH)
    record.players[1] = "grim(reader='hf:/no/such/model')"
    record.id = record.match_id()
    assert replay(record) == []
    assert ask_again(json.loads(record.to_json()), EnvPool()).problems == []
    turn = next(turn for turn in record.turns if turn.seat == 1)
    turn.calls[0]["reply"] = '{"signal": "advises against"}'
    (problem,) = ask_again(json.loads(record.to_json()), EnvPool()).problems
    assert problem.turn == 2


def test_the_sentences_of_scripted_sellers_need_no_model():
    buyer = reading("trust(0)", lambda *asked: pytest.fail("the model was asked"))
    assert bought(play(buyer, RECOMMENDATION, DISCOURAGEMENT, RECOMMENDATION)) == "bdb"
    binary = play_match("persuasion", ["honest", buyer], rounds=3, message_type="binary")
    assert not any(turn.calls for turn in binary.turns)


def test_words_that_many_matches_wait_for_are_read_together_and_once():
    buyer = reading("trust(0)")
    cast = {says(PITCH): player(says(PITCH)), buyer.spec: buyer}
    matches = [new_match("persuasion", [says(PITCH), buyer.spec], seed, rounds=2) for seed in range(5)]
    records = list(play_matches(matches, cast.__getitem__, 5))
    assert len(records) == 5
    assert len(buyer.reader._model.questions) == 1


class ServedReader(ServedChat):
    """Reads at random times, once it is let."""

    name, concurrency = "reader", 4

    def __init__(self, seed: int | None = None) -> None:
        self.draw, self.asked, self.may_read = seed and random.Random(seed), list[str](), threading.Event()

    def answer(self, conversation: Any, schema: Any, seed: int, limit: int | None) -> Completion:
        self.asked.append(conversation[1]["content"])
        assert self.may_read.wait(20)
        time.sleep(0.003 * self.draw.random() if self.draw else 0.0)
        return Completion(understanding(conversation, schema, seed), 10, 2, 0.25, cost=0.01)


def served(model: ServedReader, talks: list[tuple[str, ...]]) -> Iterator[Record]:
    """Matches with one reader, in the order in which they end."""
    buyer = reading("trust(0)")
    buyer.reader = Reader("mock:reader", model)
    cast = {buyer.spec: buyer, **{says(*talk): player(says(*talk)) for talk in talks}}
    matches = [new_match("persuasion", [says(*talk), buyer.spec], 1, rounds=len(talk)) for talk in talks]
    return play_matches(matches, cast.__getitem__, alone=model.draw is None)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_equal_words_are_read_once_and_records_do_not_depend_on_the_order_of_replies(seed):
    talks = [tuple(random.Random(at).choices([*MEANT], k=3)) for at in range(8)]
    models = [ServedReader(), ServedReader(seed)]
    lines = []
    for model in models:
        model.may_read.set()
        records = sorted(served(model, talks), key=lambda one: one.players)
        lines.append([timeless(one.to_json()) for one in records])
        assert sorted(map(len, (model.asked, set(model.asked)))) == [len(MEANT)] * 2
    assert lines[0] == lines[1]
    for record in records:  # each match has the cost of what it heard, once
        heard = {turn.action["message"] for turn in record.turns if turn.seat == 0}
        assert sum(turn.cost for turn in record.turns) == pytest.approx(0.01 * len(heard))


def test_matches_go_on_while_a_model_reads():
    model = ServedReader(1)
    records = served(model, [(PITCH,), (RECOMMENDATION, RECOMMENDATION)])
    assert next(records).turns[0].action["message"] == RECOMMENDATION
    model.may_read.set()
    assert bought(next(records)) == "b"


def test_an_answer_that_cannot_be_used_is_asked_for_again_and_then_nothing_was_heard():
    replies = iter(["Hm.", '{"signal": "buy"}', '{"signal": "recommends"}', *["Hm."] * 3])
    buyer = reading("trust(0)", lambda conversation, schema, seed: next(replies))
    record = play(buyer, PITCH, WARNING)
    assert bought(record) == "bd"
    calls = [call for turn in record.turns if turn.seat == 1 for call in turn.calls]
    assert ["problem" in call for call in calls] == [False, True]


def test_what_was_read_is_not_paid_for_twice_after_a_stop(tmp_path):
    asked: list[str] = []

    def counted(conversation: Any, schema: Any, seed: int) -> str:
        asked.append(conversation[1]["content"])
        return understanding(conversation, schema, seed)

    for _ in range(2):  # the second time in another process, as it were
        with open_journal(tmp_path / "records.jsonl") as calls:
            play(reading("trust(0)", counted), PITCH, WARNING)
            calls.keeps_file = True
    assert len(asked) == 2


def test_a_model_that_fails_fails_the_match():
    def broken(conversation: Any, schema: Any, seed: int) -> str:
        raise ModelError("the server is gone")

    with refuses(ModelError, "the server is gone"):
        play(reading("trust(0)", broken), PITCH)


def test_answers_are_read_strictly():
    for reply, signal in [
        ('{"signal": "recommends"}', RECOMMENDED),
        ('Well: {"signal": "advises against"}', DISCOURAGED),
        ('{"signal": "says neither"}', NOTHING),
        ('{"signal": "Recommends"}', None),
        ('{"signal": 1}', None),
        ('{"signal": "recommends", "reason": "praise"}', None),
        ('{"decision": "recommends"}', None),
        ("recommends", None),
    ]:
        found = signal_in(reply)
        assert (None if isinstance(found, Invalid) else found) == signal, (reply, signal)


def test_a_reader_is_given_to_those_who_listen():
    specs = ["honest", "never", "always", "babbling", "random", "hf:smollm2", "bayes", "trust(0.7)", "tit-for-tat"]
    given = add_reader(specs, "persuasion", "mock:x")
    assert given[:6] == specs[:6]
    assert given[6:] == ["bayes(reader='mock:x')", "trust(0.7, reader='mock:x')", "tit-for-tat(reader='mock:x')"]
    assert add_reader(["wary=trust(0.9)"], "persuasion", "mock:x") == ["wary=trust(0.9, reader='mock:x')"]
    assert add_reader(given, "persuasion", "mock:y") == given
    assert [reads_keywords(spec, "persuasion") for spec in specs] == [False] * 6 + [True] * 3
    assert add_reader(["spe"], "bargaining", "mock:x") == ["spe"]


def test_a_reader_that_is_none_is_refused():
    for spec, *named in [
        ("grim(reader='spe')", "reader 'spe'", "hf:PATH_OR_ID"),
        ("grim(reader=3)", "reader=3"),
        ("grim(reader='hf:smollm2?memory=table')", "'hf:smollm2?memory=table'", "memory"),
        ("never(reader='mock:x')", "never"),
    ]:
        with refuses(ValueError, spec, *named):
            player(spec, "persuasion")


@pytest.mark.models
@pytest.mark.long
@pytest.mark.smollm2
def test_a_small_model_reads_words():
    """It answers in the form that is asked for; how well it reads is another matter."""
    record = play("trust(0, reader='hf:smollm2')", PITCH, WARNING)
    calls = [call for turn in record.turns for call in turn.calls]
    assert len(calls) == 2
    assert all(not isinstance(signal_in(call["reply"]), Invalid) for call in calls)


def test_line_ups_are_split_with_and_without_blanks():
    for text in ("honest|trust(0)", "honest | trust(0)"):
        given = SuiteRequest(players=["honest", "trust(0)"], lineups=[text], reader="mock:a")
        assert given.with_readers("persuasion").lineups == ["honest | trust(0, reader='mock:a')"]
