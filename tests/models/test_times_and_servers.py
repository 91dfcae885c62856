"""How long each reply took, and what served it: of every call its own, in records, resumed runs, tables and reports."""

from __future__ import annotations

import json
from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("openai")

from asking import BID, TALK, guess
from local_server import Answer, LocalServer, error, reply

import econzoo
from econzoo.baselines import LanguageModelPlayer, http_player, open_journal
from econzoo.baselines.judges import ask as ask_judge
from econzoo.baselines.models import Completion, OpenAIChat
from econzoo.baselines.models.answers import parse_completion
from econzoo.baselines.parts import parts_of
from econzoo.baselines.persuasion.reader import Reader
from econzoo.envs.core.record import Record
from econzoo.evaluate.analyses import served_notes
from econzoo.evaluate.analyses.servers import is_same_model
from econzoo.evaluate.analyses.summary import sentences, summarize
from econzoo.evaluate.analyses.tidy.tables import tables
from econzoo.evaluate.run import EnvPool, MatchTable, new_match, play_matches, replay, seat_players
from refusals import says

OFFER, REJECT, NONSENSE = '{"kind": "offer", "gain": 6000}', '{"kind": "reject"}', "Let me think."


class Timed:
    """A chat model whose replies say how long they took: a function of the seed, and 1 s more after each nonsense."""

    name = "timed"

    def __init__(self, nonsense=0):
        self.nonsense, self.took = nonsense, {}

    def complete(self, conversations, schemas, seeds):
        return [self.reply_to(*one) for one in zip(conversations, seeds, strict=True)]

    def reply_to(self, conversation, seed):
        text = REJECT if "Do you accept" in conversation[-1]["content"] else OFFER
        if sum(one["content"] == NONSENSE for one in conversation) < self.nonsense:
            text = NONSENSE
        seconds = float(np.random.default_rng(seed).choice([0.05, 3.0]))
        self.took[seed] = seconds
        return Completion(text, 1, 1, seconds, served={"model": "timed-1", "id": f"r{seed}"})


def seated(model, **parts):
    return LanguageModelPlayer("timed", model, parts=parts_of("timed", parts))


# Times


def test_a_turn_has_the_time_of_its_own_call_however_many_are_asked_together():
    model = Timed()
    one = seated(model)
    matches = [new_match("bargaining", ["timed", "greedy"], seed, horizon=4, messages=False) for seed in range(20)]
    records = list(play_matches(matches, lambda spec: one if spec == "timed" else econzoo.player(spec)))
    turns = [turn for record in records for turn in record.turns if turn.seat == 0]
    assert Counter(turn.seconds for turn in turns) == Counter(model.took.values())
    assert {turn.seconds for turn in turns} == {0.05, 3.0}
    for turn in turns:
        assert turn.seconds == model.took[int(turn.served["id"][1:])]


def test_the_time_from_outside_counts_for_players_without_calls_of_their_own():
    for player, seconds in ((seated(Timed()), {0.05, 3.0}), (econzoo.player("greedy"), {9.0})):
        match = new_match("bargaining", [player.spec, "greedy"], 0, horizon=1, messages=False)
        table = MatchTable(match, seat_players("bargaining", [player, "greedy"]), EnvPool())
        table.answer(table.player.act(table.observation, table.info), 9.0)
        assert table.record.turns[0].seconds in seconds


@pytest.mark.parametrize("parts", [{"reasoning": "cot"}, {"reasoning": "k-level(1)"}, {"memory": "summary"}])
def test_a_turn_of_several_calls_has_their_sum_and_each_call_its_own(parts):
    model = Timed()
    record = econzoo.play("bargaining", [seated(model, **parts), "greedy"], horizon=4, messages=False)
    own = [turn for turn in record.turns if turn.seat == 0]
    calls = [call for turn in own for call in turn.calls]
    assert calls
    every = [*calls, *({"seconds": turn.seconds - sum(c["seconds"] for c in turn.calls)} for turn in own)]
    assert sum(one["seconds"] for one in every) == pytest.approx(sum(model.took.values()))
    assert {call["seconds"] for call in calls} <= {0.05, 3.0}
    assert all(call["served"]["model"] == "timed-1" for call in calls)
    assert len({call["served"]["id"] for call in calls} | {turn.served["id"] for turn in own}) == len(model.took)


def test_a_retry_is_a_turn_with_a_time_of_its_own():
    model = Timed(nonsense=2)
    record = econzoo.play("bargaining", [seated(model), "greedy"], horizon=1, messages=False)
    own = [turn.seconds for turn in record.turns if turn.seat == 0]
    assert (len(own), own) == (3, [*model.took.values()][:3])


def clocked():
    """A clock that only waiting moves."""
    now = [0.0]
    return now, {"clock": lambda: now[0], "sleep": lambda seconds: now.__setitem__(0, now[0] + seconds)}


def test_failed_attempts_and_waiting_are_no_time_of_the_reply():
    """The clock only moves while the client waits: for a minute asked by the server, and for a rate of one a minute."""
    now, clock = clocked()
    busy = error(429, "slow down", retry_after="60")
    with LocalServer(busy, busy, reply(BID)) as server:
        chat = OpenAIChat("m", server.url, requests_per_minute=1, concurrency=1, **clock)
        found = chat.complete([TALK, TALK], [None, None], [1, 2])
    assert now[0] >= 180
    assert [one.seconds for one in found] == [0.0, 0.0]


def test_the_request_itself_is_the_time_of_the_reply():
    with LocalServer(Answer(429, {}, delay=0.3), Answer(body=reply(BID).body, delay=0.1)) as server:
        (found,) = OpenAIChat("m", server.url, sleep=lambda _: None).complete([TALK], [None], [1])
    assert found.seconds >= 0.1


def test_a_program_behind_http_is_timed_alike(monkeypatch):
    now, clock = clocked()
    monkeypatch.setattr(http_player, "time", SimpleNamespace(perf_counter=clock["clock"]))
    asked = []

    def send(self, body):
        now[0] += 2.0
        asked.append(body)
        if len(asked) < 3:
            raise http_player.RetryError("busy", 30.0)
        return json.dumps({"response": OFFER}).encode()

    monkeypatch.setattr(http_player.HttpChat, "_send", send)
    (found,) = http_player.HttpChat("http://127.0.0.1:1", sleep=clock["sleep"]).complete([TALK], [None], [1])
    assert (found.seconds, now[0]) == (2.0, pytest.approx(66.0))


def test_a_resumed_run_keeps_the_time_and_the_server_of_the_first_call(tmp_path):
    """The journal of a stopped run answers, whatever server is there now."""
    target = tmp_path / "records.jsonl"
    with LocalServer(routed()) as server:
        spec = f"openai:m@{server.url}"

        def match():
            with open_journal(target) as journal:
                journal.keeps_file = True
                return econzoo.play("guess_average", [spec, "fixed(50, 0)"], players=2, rounds=2)

        first, count = match(), len(server.requests)
        file = target.with_name("records.jsonl.calls")
        made = [json.loads(line) for line in file.read_text().split("\n") if line]
        for call in made:
            call["reply"]["seconds"] = 3.0
        file.write_text("\n".join(map(json.dumps, made)))
        server._answers = [routed(model="another")]
        again = match()
        assert (len(server.requests), len(made)) == (count, 2)
    own = [turn for turn in again.turns if turn.seat == 0]
    assert [turn.seconds for turn in own] == [3.0, 3.0]
    assert [turn.served for turn in own] == [turn.served for turn in first.turns if turn.seat == 0]
    assert own[0].served["model"] == "vendor/m-2025-01-01"


def test_judges_and_readers_have_the_time_of_their_calls():
    class Judge(Timed):
        def reply_to(self, conversation, seed):
            return Completion('{"signal": "says neither"}', 1, 1, 2.5, served={"model": "judge-1"})

    model = Judge()
    reader = Reader("judge", model)
    found = reader.read(["Buy it, it is good.", "Do not buy it.", "Buy it, it is good."])
    calls = [reading.to_record(new) for reading, new in zip(found, (True, True, False), strict=True)]
    assert [call["seconds"] for call in calls] == [2.5, 2.5, 0.0]
    assert all(call["served"] == {"model": "judge-1"} for call in calls)
    _, question = reader._question("Perhaps.")
    assert (ask_judge(model, [question], None), question.seconds) == ([], 2.5)


# Servers


def routed(model="vendor/m-2025-01-01", provider="Cheap (fp4)", **more):
    """A response of OpenRouter."""
    body = reply(BID).body
    choice = {**body["choices"][0], "native_finish_reason": "STOP"}
    return Answer(body={**body, "id": "gen-1", "model": model, "provider": provider, "choices": [choice], **more})


def test_a_record_names_what_served_each_reply():
    with LocalServer(routed(system_fingerprint="fp_1")) as server:
        record, (turn,) = guess(server)
    told = {"model": "vendor/m-2025-01-01", "fingerprint": "fp_1", "provider": "Cheap (fp4)", "id": "gen-1"}
    assert turn.served == {**told, "finish": "STOP"}
    assert json.loads(record.to_json())["turns"][0]["served"] == turn.served
    (table,) = [one for one in tables([record]) if one.name == "turns"]
    assert {name: table[f"served_{name}"].values[0] for name in turn.served} == turn.served


def test_only_what_is_told_is_recorded():
    with LocalServer(reply(BID)) as server:
        assert guess(server)[1][0].served == {"model": "m", "id": "x", "finish": "stop"}
    odd = {"model": None, "provider": {"name": "x"}, "system_fingerprint": 7, "id": ""}
    choice = SimpleNamespace(finish_reason="stop", message=SimpleNamespace(content=BID))
    assert parse_completion(SimpleNamespace(**odd, choices=[choice]), (0.0, 0.0), TALK).served == {"finish": "stop"}
    for players in (["mock:*", "fair"], ["spe", "fair"]):
        turns = json.loads(econzoo.play("bargaining", players).to_json())["turns"]
        assert not any("served" in turn for turn in turns)


@pytest.mark.parametrize("wrong", [[], {"model": 1}, {"colour": "red"}, "m"])
def test_other_forms_are_no_records(wrong):
    given = json.loads(econzoo.play("bargaining", ["spe", "fair"]).to_json())
    given["turns"][0]["served"] = wrong
    assert [problem.field for problem in replay(given)] == ["served"]
    with pytest.raises(ValueError, match="served"):
        Record.from_json(json.dumps(given))


def played(answers, options="", count=4):
    """Matches of one player that these answers served in turn."""
    with LocalServer(*answers) as server:
        records = [guess(server, options, seed=seed)[0] for seed in range(count)]
        for record in records:
            record.players[0] = record.players[0].replace(server.url, "https://openrouter.ai/api/v1")
    return records


def test_a_report_says_who_served_a_player():
    answers = [routed(), routed(provider="Dear"), routed(model="other-mini"), routed()]
    records = played(answers)
    several, other, unpinned = served_notes(records)
    says(several, "2 models", "vendor/m-2025-01-01: 3", "other-mini: 1", "2 upstream providers", "Dear: 1")
    says(other, "requested m", "1 of 4 replies", "other-mini")
    says(unpinned, "chosen by the router", "only")
    found = sentences(summarize(records, seconds=0))
    assert {several, other, unpinned} <= {*found}


def test_a_report_is_silent_about_one_server():
    pin = 'extra_body={"provider": {"only": ["cheap"]}}'
    assert served_notes(played([routed()], pin)) == []
    assert served_notes(played([reply(BID)])) == []
    assert served_notes([econzoo.play("bargaining", ["spe", "mock:*"])]) == []
    assert len(served_notes(played([routed()]))) == 1


def test_many_fingerprints_are_counted():
    answers = [reply(BID) for _ in range(7)]
    for number, answer in enumerate(answers):
        answer.body["system_fingerprint"] = f"fp_{number}"
    (note,) = served_notes(played(answers, count=7))
    says(note, "7 system fingerprints", "fp_0: 1", "and 3 more")


@pytest.mark.parametrize(
    ("served", "requested", "same"),
    [
        ("gpt-4o-2024-08-06", "gpt-4o", True),
        ("gpt-4-0613", "gpt-4", True),
        ("claude-3-5-sonnet-20241022", "anthropic/claude-3-5-sonnet-latest", True),
        ("models/gemini-2.5-flash-preview-05-20", "gemini-2.5-flash", True),
        ("Meta-Llama/Llama-3.1-8B", "llama-3.1-8b:free", True),
        ("mistral-large-2411", "mistral-large-latest", True),
        ("gpt-4o-mini-2024-07-18", "gpt-4o", False),
        ("gpt-5", "gpt-4", False),
        ("llama-3.1-8b", "llama-3.1-70b", False),
        ("claude-3-haiku-20240307", "claude-3-opus-20240229", False),
        ("glm-4.5", "glm-4.6", False),
        ("something-else-mini", "wrong_model", False),
    ],
)
def test_a_date_or_version_makes_no_other_model(served, requested, same):
    assert is_same_model(served, requested) is same
    assert is_same_model(requested, served) is same
