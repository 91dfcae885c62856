"""Matches played by Inspect are those that are played here.

Inspect is in no other extra: `pip install -c constraints.txt -e ".[all,dev,inspect]"` has these tests run.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from adapters.acceptance import hear
from econzoo.baselines import LanguageModelPlayer
from econzoo.baselines.models import FunctionChat
from econzoo.evaluate.adapters import inspect_records, inspect_task
from econzoo.evaluate.commands.replay import replay_files
from econzoo.evaluate.run import EnvPool, ask_again, play_match, replay
from refusals import refuses

inspect_ai = pytest.importorskip("inspect_ai", reason="needs the extra inspect")

from inspect_ai.model import ModelOutput, ModelUsage, get_model  # noqa: E402

PAGE = Path(__file__).resolve().parents[2] / "docs" / "adapters.md"
OFFER, ACCEPT = '{{"kind":"offer","gain":{},"message":"Deal?"}}', '{"kind":"accept"}'


def bargainer(words):
    """Asks for less and less, accepts at least a third, and says nothing usable to every fourth prompt."""
    asked = sum(1 for text in words if "Deal?" in text)
    if len(words[-1]) % 4 == 0:
        return "Let me think."
    if "accept" in words[-1] and asked >= 2:
        return ACCEPT
    return OFFER.format(9000 - 1500 * asked)


def ours(reply):
    return LanguageModelPlayer(
        "mock:x",
        FunctionChat(lambda conversation, schema, seed: reply([message["content"] for message in conversation])),
        constrained=False,
    )


def theirs(reply):
    """A mock model of Inspect; with usage, so that it needs no tokenizer."""

    def answer(messages, tools, tool_choice, config):
        out = ModelOutput.from_content("mockllm/model", reply([message.text for message in messages]))
        out.usage = ModelUsage(input_tokens=10, output_tokens=3, total_tokens=13)
        return out

    return get_model("mockllm/model", custom_outputs=answer, memoize=False)


@pytest.fixture
def run(tmp_path):
    def evaluated(task, reply, **roles):
        (log,) = inspect_ai.eval(
            task,
            model=theirs(reply),
            model_roles={name: theirs(role) for name, role in roles.items()},
            log_dir=str(tmp_path),
            display="none",
        )
        assert log.status == "success", log.error
        return log

    return evaluated


def scores(log, name):
    return {sample.id: sample.scores[name].value for sample in log.samples if name in (sample.scores or {})}


def test_payoffs_are_those_of_our_runner_on_fifty_seeds(run):
    log = run(inspect_task("bargaining", seat=0, opponents="boulware(0.2)", seeds=50, horizon=6), bargainer)
    payoffs, forfeited = scores(log, "payoff"), scores(log, "forfeited")
    assert len(payoffs) == 50
    for seed in range(50):
        record = play_match("bargaining", [ours(bargainer), "boulware(0.2)"], seed=seed, horizon=6)
        assert payoffs[f"{seed}-0"] == record.payoffs[0]
        assert forfeited[f"{seed}-0"] == (record.forfeit == 0)


@pytest.mark.slow
def test_replies_arrive_as_they_were_given(run):
    def play(game, params, seed, seat, answer):
        run(inspect_task(game, seat=seat, opponents="random", seeds=[seed], **params), lambda words: answer(words[-1]))

    hear(play, examples=20)


def test_records_of_a_log_replay_and_their_opponents_answer_again(run):
    log = run(inspect_task("bargaining", seat=1, opponents="fair", seeds=3, horizon=4), bargainer)
    records = inspect_records(log)
    assert [record.seed for record in records] == [0, 1, 2]
    for record in records:
        assert record.players == ["fair", "inspect:mockllm/model"]
        assert replay(record) == []
        assert ask_again(json.loads(record.to_json()), EnvPool()).problems == []
        played = play_match("bargaining", ["fair", ours(bargainer)], seed=record.seed, horizon=4)
        assert [(turn.prompt, turn.reply, turn.action) for turn in record.turns] == [
            (turn.prompt, turn.reply, turn.action) for turn in played.turns
        ]


def test_how_a_reply_ended_is_told_and_no_turn_is_sent_without_text(run):
    """Silence, a filter and a limit cost a retry each, as at any server."""
    ends, sent = iter([("", "stop"), ("", "content_filter"), ('{"kind":', "max_tokens"), (ACCEPT, "stop")]), []

    def answer(messages, tools, tool_choice, config):
        sent.append([message.text for message in messages])
        out = ModelOutput.from_content("mockllm/model", *next(ends))
        out.usage = ModelUsage(input_tokens=10, output_tokens=3, total_tokens=13)
        return out

    task = inspect_task("bargaining", seat=1, opponents="fair", seeds=1, horizon=2, max_retries=3)
    model = get_model("mockllm/model", custom_outputs=answer, memoize=False)
    (log,) = inspect_ai.eval(task, model=model, display="none")
    (record,) = inspect_records(log)
    own = [turn for turn in record.turns if turn.seat == 1]
    assert [turn.error and turn.error[0] for turn in own] == ["empty", "filtered", "cut", None]
    assert [turn.finish for turn in own] == ["", "content_filter", "length", ""]
    assert [turn.unsupported for turn in own] == [[], ["replies"], ["replies"], ["replies"]]
    assert all(text.strip() for texts in sent for text in texts)


def test_every_seat_in_turn_with_scores_by_seat(run):
    log = run(inspect_task("bargaining", opponents="fair", seeds=[7, 8], horizon=2), lambda words: ACCEPT)
    assert sorted(scores(log, "payoff")) == ["7-0", "7-1", "8-0", "8-1"]
    by_name = {score.name: score.metrics for score in log.results.scores}
    assert {"payoff", "share", "forfeited", "errors"} == set(by_name)
    assert {"mean", "stderr", "0", "1"} <= set(by_name["payoff"])
    assert by_name["forfeited"]["0"].value == 1.0  # nothing to accept in the first round
    assert by_name["payoff"]["1"].value == 5000.0
    assert by_name["errors"]["0"].value == 3.0


def test_a_role_of_inspect_is_an_opponent(run):
    greedy, meek = (lambda words: OFFER.format(9000)), (lambda words: ACCEPT)
    log = run(inspect_task("bargaining", seat=0, opponents="inspect:rival", seeds=2, horizon=2), greedy, rival=meek)
    assert set(scores(log, "payoff").values()) == {9000.0}


def test_a_game_of_several_and_an_agent(run):
    bids = lambda words: '{"number":10}' if "number" in words[-1] or len(words) > 2 else "Low."  # noqa: E731
    task = inspect_task(
        "guess_average", seat=2, opponents=["random", "random"], seeds=2, players=3, agent="memory=table"
    )
    log = run(task, bids)
    for record in inspect_records(log):
        assert record.players[2] == "inspect:mockllm/model?memory=table"
        assert replay(record) == []
    assert "share" not in {score.name for score in log.results.scores} or scores(log, "share") == {}


def test_the_viewer_shows_what_the_model_read_and_said(run):
    log = run(inspect_task("bargaining", seat=1, opponents="fair", seeds=1, horizon=2), lambda words: ACCEPT)
    (sample,) = log.samples
    assert [message.role for message in sample.messages] == ["system", "user", "assistant"]
    assert sample.messages[-1].text == ACCEPT == sample.output.completion
    assert sample.input == sample.messages[0].text


def test_what_is_not_allowed_is_refused_before_anything_is_played():
    for given, named in [
        ({"seat": 2}, ("seat=2", 0, 1, None)),
        ({"seeds": []}, ("seeds",)),
        ({"opponents": ["fair", "fair"]}, ("bargaining", 1)),
        ({"opponents": "nobody"}, ("'nobody'",)),
        ({"agent": "reasoning=magic"}, ("magic",)),
        ({"speed": 3}, ("speed",)),
    ]:
        with refuses(ValueError, *named):
            inspect_task("bargaining", **{"opponents": "fair", **given})


def test_a_player_that_cannot_take_the_seat_is_refused():
    with refuses(ValueError, "'trust'", "seat 0", "seat 1"):
        inspect_task("persuasion", seat=1, opponents="trust")


def test_the_examples_of_the_page(run, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    first, second = [code for code in blocks if "inspect_task" in code]
    played: dict[str, Any] = {"model": theirs(bargainer)}
    exec(first.replace('"openai/gpt-5-mini"', "model, display='none'"), played)
    assert "payoff" in capsys.readouterr().out
    replayed = replay_files([tmp_path / "runs/inspect/records.jsonl"])
    assert (replayed.matches, replayed.problems) == (40, [])
    exec(second, played)
    log = run(played["negotiation"](seeds=2), lambda words: ACCEPT)
    assert len(log.samples) == 2
