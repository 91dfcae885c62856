"""How replies end: each signal of a provider is an outcome of its own, told to the model, recorded and replayed."""

from __future__ import annotations

import pytest

pytest.importorskip("openai")

from local_server import Answer, LocalServer, reply

import econzoo
from econzoo.baselines import player
from econzoo.baselines.models import OpenAIChat
from econzoo.envs.core.faces import Reply
from econzoo.envs.core.record import Record
from econzoo.evaluate.run import replay, resume
from refusals import refuses, says

BID = '{"number": 30}'
PROGRAM = """def strategy_function(my_history, opponent_history, my_program, opponent_program):
    if not opponent_history:
        return "C"
    return opponent_history[-1]
"""
FENCED = f"```python\n{PROGRAM}```\n"
PROSE = "This program begins kindly and then does what the other did bef"


def ended(text: str | None, finish: str, **message: object) -> Answer:
    """The answer of a server that says how the reply ended."""
    answer = reply(text)
    answer.body["choices"][0] |= {"finish_reason": finish}
    answer.body["choices"][0]["message"] |= message
    return answer


def guesses(*answers: Answer, **params: object) -> Record:
    """One day of the guessing game with a model that gets these answers."""
    with LocalServer(*answers) as server:
        spec = f"openai:m@{server.url}?max_tokens=50&max_retries=0"
        record = econzoo.play("guess_average", [spec, "fixed(50, 0)"], players=2, rounds=1, **params)
    assert replay(Record.from_json(record.to_json())) == []
    return record


def codes(record: Record) -> list[str]:
    return [turn.error[0] if turn.error else "" for turn in record.turns if turn.seat == 0]


WITHHELD = Answer(400, {"error": {"message": "flagged", "type": None, "code": "content_filter"}})


@pytest.mark.parametrize(
    ("answer", "code", "finish", "told"),
    [
        (ended('{"numb', "length"), "cut", "length", "50 tokens"),
        (ended(f"I think of\n{BID}\nbecause", "length"), "cut", "length", "50 tokens"),
        (ended("", "length"), "cut", "length", "50 tokens"),
        (ended("<think>Maybe 30", "length"), "thinking", "length", "thinking"),
        (ended(None, "length", reasoning_content="Maybe 30"), "thinking", "thought", "thinking"),
        (ended(None, "length", reasoning="Maybe 30"), "thinking", "thought", "thinking"),
        (ended(BID, "content_filter"), "filtered", "content_filter", "content filter"),
        (ended("", "content_filter: PROHIBITED_CONTENT"), "filtered", "content_filter", "content filter"),
        (WITHHELD, "filtered", "content_filter", "content filter"),
        (ended(None, "stop", refusal="I will not play."), "refusal", "refusal", "a refusal"),
        (ended("", "stop"), "empty", "", "the reply is empty"),
        (ended("<think>Maybe 30", "stop"), "thinking", "", "ends inside a thought"),
        (ended("30", "stop"), "no_json", "", "no JSON object"),
    ],
)
def test_each_way_in_which_a_reply_ends_is_told_and_asked_again(answer, code, finish, told):
    with LocalServer(answer, reply(BID)) as server:
        spec = f"openai:m@{server.url}?max_tokens=50"
        record = econzoo.play("guess_average", [spec, "fixed(50, 0)"], players=2, rounds=1)
    first, second = [turn for turn in record.turns if turn.seat == 0]
    assert (first.error[0], first.finish, first.action) == (code, finish, None)
    assert (second.error, second.finish, second.action) == (None, "", {"number": 30.0})
    assert record.errors == [1, 0]
    asked = server.requests[1]["messages"][-1]["content"]
    assert told in asked
    again = Record.from_json(record.to_json())
    assert replay(again) == []
    assert again.turns == record.turns


def test_a_model_that_is_always_cut_or_withheld_forfeits_for_that_reason():
    assert codes(guesses(ended('{"num', "length"))) == ["cut"] * 3
    assert codes(guesses(WITHHELD)) == ["filtered"] * 3


def test_a_cut_reply_that_is_nothing_but_its_answer_is_a_move():
    for whole in (BID, f"{BID}\n\n   \n", f"```json\n{BID}\n```"):
        assert codes(guesses(ended(whole, "length"))) == [""], "models held to JSON may go on with blanks until the end"
    assert codes(guesses(ended('{"number": 300}', "length"), reply(BID))) == ["out_of_range", ""]


def test_a_whole_answer_before_cut_prose_stands_when_nobody_is_asked_again():
    record = guesses(ended(f"{BID}\nI chose this because", "length"))
    assert codes(record) == ["cut", "cut", ""]
    assert record.turns[2].action == {"number": 30.0}
    assert (record.turns[2].finish, record.errors, record.status) == ("length", [2, 0], "finished")


def match_of_programs(text: str, finish: str = "length") -> Record:
    with LocalServer(ended(text, finish)) as server:
        record = econzoo.play("program_matrix", [f"openai:m@{server.url}", "defect"], rounds=1)
    assert replay(record) == []
    return record


def test_a_whole_program_is_not_forfeited_for_the_prose_behind_it():
    for text in (FENCED + PROSE, f"```python\n{PROGRAM}\n{PROSE}"):
        record = match_of_programs(text)
        assert record.status == "finished"
        assert record.payoffs == match_of_programs(FENCED, "stop").payoffs


@pytest.mark.parametrize(
    "text",
    [
        "```python\n" + PROGRAM[:-15],
        "```python\n" + PROGRAM.rpartition("    return")[0],  # what is left is Python, and another program
        "```python\n" + PROGRAM,  # more of it may have been to come
        "```python\n" + PROGRAM + "\ndef helper(x",
        FENCED + "Better:\n```python\n" + PROGRAM[:60],
        PROGRAM,
    ],
)
def test_a_program_that_was_itself_cut_never_stands(text):
    env = econzoo.make("program_matrix", face="text").unwrapped
    env.reset(seed=0)
    assert env.face("player_0").find_cut_move(Reply(text, "length", 3000), env.legal("player_0")) is None


def test_what_a_reply_ended_with_can_be_told_in_own_words():
    own = {"format.cut": "only {limit} tokens, please", "format.feedback": "Sorry: {problem}."}
    record = guesses(ended("{", "length"), reply(BID), prompts=own)
    assert record.turns[0].error == ["cut", "only 50 tokens, please"]
    assert record.turns[1].prompt.startswith("Sorry: only 50 tokens, please.\n")


def test_what_a_reasoning_model_thought_is_kept_beside_its_reply():
    record = guesses(ended(BID, "stop", reasoning_content="Two thirds of 45."))
    assert record.turns[0].reasoning == "Two thirds of 45."
    assert '"reasoning":"Two thirds of 45."' in record.to_json()
    assert "reasoning" not in guesses(reply(BID)).to_json()


def test_an_author_is_told_that_its_attempt_was_cut():
    def judge(request):
        return ended(PROGRAM[:40], "length") if len(request["messages"]) == 4 else reply(FENCED)

    with LocalServer(judge=judge) as server:
        spec = f"openai:m@{server.url}?reasoning=author(2)&reasoning_tokens=35"
        record = econzoo.play("program_matrix", [spec, "defect"], rounds=1)
    (attempt,) = [call for call in record.turns[0].calls if call["purpose"] == "attempt"]
    assert attempt["finish"] == "length"
    assert attempt["problem"].startswith("cut: ")
    says(attempt["problem"], 3099)


def test_mock_replies_end_as_their_spec_says():
    spec = f"mock:I am still|{BID}?finish=length,stop"
    record = econzoo.play("guess_average", [spec, "fixed(50, 0)"], players=2, rounds=1)
    assert codes(record) == ["cut", ""]
    with refuses(ValueError, "finish", "'long'", "length"):
        player("mock:x?finish=long", "guess_average")


def test_a_paused_match_goes_on_with_the_replies_as_they_ended():
    spec = f"mock:I am still|{BID}|{BID}?finish=length,stop,stop"
    whole = econzoo.play("guess_average", [spec, "fixed(50, 0)"], players=2, rounds=2)
    paused = Record.from_json(whole.to_json())
    del paused.turns[2:]
    paused.status, paused.errors = "paused", [1, 0]
    paused.payoffs = [0.0, 0.0]
    resumed = resume(paused)
    assert [(t.reply, t.finish, t.error) for t in resumed.turns] == [(t.reply, t.finish, t.error) for t in whole.turns]


def test_the_finish_of_a_reply_belongs_to_what_is_recorded():
    line = guesses(ended("{", "length"), reply(BID)).to_json()
    with refuses(ValueError, "turn 1", "finish", "length, thought, content_filter, refusal"):
        Record.from_json(line.replace('"finish":"length"', '"finish":"long"'))
    with LocalServer(ended("x", "length")) as server:
        (done,) = OpenAIChat("m", server.url).complete([[{"role": "user", "content": "?"}]], [None], [1])
    assert (done.reply, done.reply.finish) == ("x", "length")


@pytest.mark.parametrize(
    "text", ["<" * 90_000, "`" * 90_000, "```\n" * 20_000, "{" * 90_000, "x " * 60_000, "a b\n" * 20_000]
)
def test_what_is_cut_is_looked_through_in_no_time(text):
    """A few milliseconds each; a quadratic search would take minutes."""
    for name in ("guess_average", "program_matrix"):
        env = econzoo.make(name, face="text").unwrapped
        env.reset(seed=0)
        face, legal, cut = env.face("player_0"), env.legal("player_0"), Reply(text, "length", 3000)
        assert face.decode(cut, legal).code == "cut"
        assert face.find_cut_move(cut, legal) is None
