"""The log of calls beside the records: complete, linked to its match, small, without keys, off where it should be."""

from __future__ import annotations

import gzip
import io
import json
import signal
import subprocess
import sys
import threading

import pytest

pytest.importorskip("openai")

from local_server import LocalServer, error, reply

from econzoo.__main__ import main
from econzoo.baselines import LogFollower, ModelError, call_log, call_log_files, log_call, log_start, open_call_log
from econzoo.baselines import read_call_log, without_call_log
from econzoo.baselines.call_log import CALLS_FOLDER, hide_secret
from econzoo.baselines.models import Call, Completion, OpenAIChat
from econzoo.baselines.models.chat import complete_calls
from econzoo.envs.core.record import read_record_file
from econzoo.evaluate.run import read_folder

KEY = "sk-proj-0123456789abcdefghij"
TALK = [{"role": "system", "content": "The rules. " * 20}, {"role": "user", "content": "Your move, Alice?"}]


def called(number=0, match="m", seat=0, talk=TALK):
    return Call(match, seat, number, talk, None, 7)


def answered(text="yes", **raw):
    return Completion(text, 10, 2, 0.5, raw=raw or None)


def log(folder, *results, **of):
    """Logs the results of the calls of a seat, in turn; returns what is read."""
    with open_call_log(folder / "records.jsonl"):
        for number, result in enumerate(results):
            log_call(called(number, **of), result, 1000.0 + number, 0.25)
    return read_call_log(folder)


def text_of(folder):
    """All that the log holds, as it is unpacked."""
    return b"".join(gzip.decompress(path.read_bytes()) for path in call_log_files(folder)).decode()


def command(*words):
    with pytest.raises(SystemExit) as ended:
        main([str(word) for word in words])
    assert not ended.value.code


def play(folder, *more, who="mock:hello"):
    command("play", "bargaining", who, "fair", "--seed", 1, "--out", folder / "records.jsonl", *more)


# What is in it


def test_a_call_is_read_as_it_was_sent_and_received(tmp_path):
    sent, received = {"model": "m", "messages": TALK, "n": 1}, {"id": "x", "choices": [{"text": "yes"}], "fee": 0.5}
    (one,) = log(tmp_path, answered(request=sent, response=received, attempts=[{"status": 529, "error": "overloaded"}]))
    assert (one.match, one.seat, one.number, one.started, one.seconds) == ("m", 0, 0, 1000.0, 0.25)
    assert (one.request, one.response, one.error) == (sent, received, "")
    assert list(one.attempts) == [{"status": 529, "error": "overloaded"}]


def test_without_what_was_sent_the_log_has_the_conversation(tmp_path):
    (one,) = log(tmp_path, answered("ten"))
    assert one.request == {"messages": TALK, "seed": 7}
    assert one.response == {"text": "ten", "prompt_tokens": 10, "completion_tokens": 2}


def test_a_failed_call_has_its_error_and_no_response(tmp_path):
    (one,) = log(tmp_path, ModelError("gave up after 6 attempts"))
    assert (one.error, one.response) == ("ModelError: gave up after 6 attempts", None)


def test_every_call_of_a_match_is_linked_to_its_turn(tmp_path):
    play(tmp_path)
    (record,) = read_record_file(tmp_path / "records.jsonl")
    turns = [turn for turn in record.turns if turn.seat == 0]
    calls = read_call_log(tmp_path, record.id)
    assert [(one.seat, one.number) for one in calls] == [(0, number) for number in range(len(turns))]
    assert [one.response["text"] for one in calls] == [turn.reply for turn in turns]
    assert all(turn.prompt in one.request["messages"][-1]["content"] for one, turn in zip(calls, turns, strict=True))


def test_marks_of_the_log_in_a_reply_stay_what_they_are(tmp_path):
    odd = {"$part": 0, "$text": ["a"], "$dict": []}
    (one,) = log(tmp_path, answered(request={"body": odd, "list": [odd, "$part"]}, response={"$text": [{"$part": 1}]}))
    assert (one.request, one.response) == ({"body": odd, "list": [odd, "$part"]}, {"$text": [{"$part": 1}]})


# Its size


def test_growing_prefixes_are_written_once(tmp_path):
    talks = [
        [*TALK, *({"role": "user", "content": f"Turn {i}: " + "words " * 200} for i in range(n))] for n in range(60)
    ]
    with open_call_log(tmp_path / "records.jsonl"):
        for number, talk in enumerate(talks):
            log_call(called(number, talk=talk), answered(), 0.0, 1.0)
    assert [one.request["messages"] for one in read_call_log(tmp_path)] == talks
    assert len(text_of(tmp_path)) < 3 * len(str(talks[-1]))


def test_a_prompt_that_is_one_text_grows_by_its_paragraphs(tmp_path):
    prompts = ["\n\n".join(f"{i} " + "word " * 100 for i in range(n)) for n in range(1, 40)]
    calls = log(tmp_path, *(answered(request={"prompt": one}) for one in prompts))
    assert [one.request["prompt"] for one in calls] == prompts
    assert len(text_of(tmp_path)) < 3 * len(prompts[-1])


# Keys


ODD_PLACES = {
    "header": {"headers": {"Authorization": f"Bearer {KEY}", "X-Goog-Api-Key": "whatever", "Set-Cookie": "a=b"}},
    "address": {"url": f"https://host/v1?key={KEY}&alt=json", "other": "https://host/?a=1&key=abc-def"},
    "text": {"messages": [{"role": "user", "content": f"my key is {KEY}, " * 9}]},
    "name": {f"a {KEY}": 1},
    "tuple": {"more": ({"api_key": ["plain words"]}, [{"access_token": "plain words"}])},
    "object": {"error": ValueError(f"bad key {KEY}")},
}


@pytest.mark.parametrize("place", ODD_PLACES)
@pytest.mark.parametrize("part", ["request", "response", "attempts"])
def test_keys_are_in_no_log_wherever_they_stand(tmp_path, place, part):
    raw = [ODD_PLACES[place]] if part == "attempts" else ODD_PLACES[place]
    log(tmp_path, answered(**{"request": {"n": 1}, part: raw}))
    text = text_of(tmp_path)
    assert "[key]" in text
    for secret in (KEY, "whatever", "a=b", "abc-def", "plain words"):
        assert secret not in text


def test_keys_of_the_environment_and_of_clients_are_in_no_log(tmp_path, monkeypatch):
    monkeypatch.setenv("CORPORATE_API_KEY", "a wholly unusual secret")
    hide_secret("another secret of a client")
    for more in range(1, 8):  # each begins with the one before it
        hide_secret("another secret of a client" + ", and its rest" * more)
    log(
        tmp_path,
        answered("a wholly unusual secret"),
        ModelError("401: another secret of a client"),
        answered("another secret of a client" + ", and its rest" * 7),
    )
    assert "unusual" not in text_of(tmp_path)
    assert "another secret" not in text_of(tmp_path)
    assert "its rest" not in text_of(tmp_path)


def test_the_call_of_a_server_is_there_with_its_failed_attempts_and_without_its_key(tmp_path):
    key = "my own odd key"
    with (
        LocalServer(error(429, f"slow down, {key}", retry_after="0"), reply(f"your key is {key}")) as server,
        open_call_log(tmp_path / "records.jsonl"),
    ):
        chat = OpenAIChat("m", server.url, api_key=key, sleep=lambda _: None)
        list(complete_calls(chat, [called()]))
    (one,) = read_call_log(tmp_path)
    assert (one.request["model"], one.request["messages"]) == ("m", TALK)
    assert one.response["choices"][0]["message"]["content"] == "your key is [key]"
    assert [attempt["status"] for attempt in one.attempts] == [429]
    assert key not in text_of(tmp_path)


def test_words_that_are_no_keys_stay(tmp_path):
    hide_secret("none")
    request = {
        "max_tokens": 5,
        "token": "a",
        "signature": "EqoBCkgIARAB",
        "text": "none of the hf-internal-testing task-keys",
    }
    (one,) = log(tmp_path, answered(request=request))
    assert one.request == request


# Threads and kills


def test_calls_of_many_threads_are_all_there(tmp_path):
    with open_call_log(tmp_path / "records.jsonl"):
        each = [
            threading.Thread(target=log_call, args=(called(n, seat=n % 4), answered(f"{n} " * 99), 0.0, 1.0))
            for n in range(64)
        ]
        for thread in each:
            thread.start()
        for thread in each:
            thread.join()
    calls = read_call_log(tmp_path)
    assert sorted(one.number for one in calls) == list(range(64))
    assert all(one.response["text"] == f"{one.number} " * 99 for one in calls)


KILLED = """
import os, signal, sys
from pathlib import Path
from econzoo.baselines import log_call, log_start, open_call_log
from econzoo.baselines.models import Call, Completion, OpenAIChat
from econzoo.baselines.models.chat import complete_calls
with open_call_log(Path(sys.argv[1]) / "records.jsonl"):
    for n in range(20):
        call = Call("m", 0, n, [{"role": "user", "content": "question " * 30}], None, 0)
        log_start(call, 5.0)
        if n == 19:
            os.kill(os.getpid(), signal.SIGKILL)
        log_call(call, Completion("answer", 1, 1, 1.0), 5.0, 1.0)
"""


@pytest.mark.slow
def test_a_killed_run_keeps_every_call_and_the_next_begins_a_file(tmp_path):
    assert subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], check=False).returncode == -signal.SIGKILL
    calls = read_call_log(tmp_path)
    assert [(one.number, one.is_open) for one in calls] == [(n, n == 19) for n in range(20)]
    log(tmp_path, answered())
    assert (len(call_log_files(tmp_path)), len(read_call_log(tmp_path))) == (2, 21)


def test_a_torn_line_costs_only_itself(tmp_path):
    log(tmp_path, *(answered(f"{number} " * 50) for number in range(5)))
    (path,) = call_log_files(tmp_path)
    path.write_bytes(path.read_bytes()[:-40])
    assert [one.number for one in read_call_log(tmp_path)] == [0, 1, 2, 3]


def test_forged_calls_that_grow_without_end_are_refused(tmp_path):
    """Parts of parts: each twice the one before, or itself; a match of many large calls; a file of too many parts."""
    doubled = ["word " * 20, *({"$text": [{"$part": n}] * 2} for n in range(60))]
    objects = [{"word": 0}, *({"$dict": [["a", {"$part": n}], ["b", {"$part": n}]]} for n in range(60))]
    deep = [{"$part": 0}]
    large = ["x" * 2**20, {"$text": [{"$part": 0}] * 100}]
    place = {"match": "m", "seat": 0, "number": 0, "started": 1.0, "seconds": 1.0}
    calls = tmp_path / "calls"
    calls.mkdir()
    for name, parts, last, count in (
        ("doubled", doubled, 60, 1),
        ("objects", objects, 60, 1),
        ("deep", deep, 0, 1),
        ("large", large, 1, 2),
    ):
        lines = [{**place, "parts": parts if not n else [], "request": {"$part": last}} for n in range(count)]
        file = calls / f"{name}.log.gz"
        file.write_bytes(gzip.compress("".join(json.dumps(one) + "\n" for one in lines).encode()))
        with pytest.raises(ValueError, match=f"{name}.*line {count}: the call grows without end") as refusal:
            read_call_log(tmp_path, "m")
        assert "\n" not in str(refusal.value)
        (followed,) = {call.request for call in LogFollower(file).read()}
        assert followed is None
        file.unlink()


def test_what_is_no_call_is_left_out(tmp_path):
    kept = log(tmp_path, answered())
    (path,) = call_log_files(tmp_path)
    place = {"match": "m", "seat": 0, "number": 0, "started": 1.0, "seconds": 1.0}
    wrong = {"match": 1, "seat": "x", "number": -1, "started": 1e300, "seconds": "1", "error": ["x"], "attempts": 3}
    lines = [{**place, name: value} for name, value in wrong.items()]
    path.write_bytes(path.read_bytes() + gzip.compress("".join(json.dumps(one) + "\n" for one in lines).encode()))
    assert read_call_log(tmp_path) == kept


def test_a_call_under_way_is_open_until_it_ends(tmp_path):
    with open_call_log(tmp_path / "records.jsonl"):
        log_start(called(), 3.0)
        assert [(one.is_open, one.started) for one in read_call_log(tmp_path)] == [(True, 3.0)]
        log_call(called(), answered(), 3.0, 1.0)
        assert [one.is_open for one in read_call_log(tmp_path)] == [False]


def test_a_full_disk_costs_the_log_and_not_the_match(tmp_path, monkeypatch):
    real, written = call_log.append, []

    def full(handle, data):
        written.append(1)
        if len(written) == 2:
            raise OSError(28, "No space left on device")
        real(handle, data)

    monkeypatch.setattr(call_log, "append", full)
    calls = log(tmp_path, *(answered(f"{n} " * 60) for n in range(4)))
    assert [one.response["text"] for one in calls] == [f"{n} " * 60 for n in (0, 2, 3)]


# Where it is off


def test_scripts_leave_no_log(tmp_path):
    play(tmp_path, who="fair")
    assert not (tmp_path / CALLS_FOLDER).exists()


def test_an_option_turns_it_off(tmp_path):
    play(tmp_path, "--no-call-log")
    assert not (tmp_path / CALLS_FOLDER).exists()
    with without_call_log():
        assert log(tmp_path, answered()) == []


def test_what_a_person_wrote_is_in_no_log(tmp_path, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    with pytest.raises(SystemExit):
        main(["play", "bargaining", "mock:*", "human", "--out", str(tmp_path / "records.jsonl")])
    assert not (tmp_path / CALLS_FOLDER).exists()


def test_a_log_is_for_nobody_else(tmp_path):
    log(tmp_path, answered())
    assert [oct(path.stat().st_mode & 0o777) for path in call_log_files(tmp_path)] == ["0o600"]


def test_commands_that_read_a_folder_do_not_take_a_log_for_records(tmp_path):
    play(tmp_path)
    records, unreadable = read_folder(tmp_path)
    assert (len(records), unreadable) == (1, [])
    command("convert", tmp_path, tmp_path / "merged", "--to", "records")
    assert len(read_folder(tmp_path / "merged")[0]) == 1
    command("replay", tmp_path / "records.jsonl")
