"""Agents of published studies at an OpenAI-compatible server: how often they ask, what each request holds."""

from __future__ import annotations

import json

import pytest
from local_server import LocalServer, reply

import econzoo
from econzoo.baselines import expand_preset, player
from econzoo.baselines.commands import GamesOptions, run
from econzoo.baselines.judges import open_language_model
from econzoo.baselines.models import OpenAIChat
from econzoo.baselines.parts.reasoning import objective_of
from econzoo.baselines.presets import NAMES, presets
from econzoo.evaluate.run import new_design
from refusals import refuses

pytest.importorskip("openai")

REASONS = 'The others are rich, and I am not thirsty.\n{"bid": 20}'
GOOD = "```python\ndef strategy_function(a, b, c, d):\n    return 'C'\n```"
BAD = "```python\ndef strategy_function(a, b, c, d):\n    return 'c'\n```"


def played(game, answer, options, others, **given):
    """A match of one agent behind a server; the requests that the server got, and the record."""
    with LocalServer(judge=answer if callable(answer) else lambda request: reply(answer)) as server:
        record = econzoo.play(game, [f"openai:m@{server.url}?{options}", *others], seed=1, **given)
    return server.requests, record


def limits(requests):
    return [(one["temperature"], one.get("top_p"), one["max_tokens"]) for one in requests]


def test_alympics_asks_once_a_day_and_keeps_its_own_reasons():
    requests, record = played("water_allocation", REASONS, "agent=alympics&persona=seat", ["random"] * 4, days=3)
    assert limits(requests) == [(0.7, 0.95, 800)] * 3
    assert [turn.action for turn in record.turns if turn.seat == 0] == [{"bid": 20.0}] * 3
    assert all("response_format" not in one for one in requests)  # reasons are free text
    system, *talk = requests[2]["messages"]
    assert "left school early" in system["content"]  # Alex
    assert [one["role"] for one in talk] == ["user", "assistant", "user", "assistant", "user"]
    assert [one["content"] for one in talk if one["role"] == "assistant"] == [REASONS] * 2
    assert "why you answer as you do" in talk[-1]["content"]


def test_alympics_with_the_prompts_of_its_study_answers_in_words():
    words = "The others are rich, and I am not thirsty. I will bid $20 today."
    others = ["random"] * 4
    requests, record = played("water_allocation", words, "agent=alympics", others, days=3, prompts="alympics")
    assert [turn.action for turn in record.turns if turn.seat == 0] == [{"bid": 20.0}] * 3
    asked = requests[2]["messages"]
    assert [one["content"] for one in asked if one["role"] == "assistant"] == [words] * 2
    assert "Give your bid and the reasons for it" in asked[-1]["content"]
    assert "why you answer as you do" not in asked[-1]["content"]


def test_k_level_simulates_each_opponent_from_its_own_view_and_answers_to_their_moves():
    def answer(request):
        number = 32 if "An expert predicts" in request["messages"][-1]["content"] else 40
        return reply(json.dumps({"number": number}))

    requests, record = played("guess_average", answer, "agent=k-level", ["fixed(50)"] * 4, rounds=2)
    assert limits(requests) == [*[(0.7, 0.95, 80)] * 4, (0.7, 0.95, 800)] * 2
    roles = ["Bob", "Cindy", "David", "Eric"]
    first = {turn.seat: turn.action["number"] for turn in record.turns if turn.round == 1}
    for seat, (role, one) in enumerate(zip(roles, requests[5:9], strict=True), start=1):
        system, question = one["messages"]
        assert f"You are {role}" in system["content"]
        assert f"you chose {first[seat]:g} " in question["content"]  # in the first round
    told = requests[9]["messages"][-1]["content"]
    assert all(f'- {role}: {{"number":40}}' in told for role in roles)
    assert [turn.action for turn in record.turns if turn.seat == 0] == [{"number": 32}] * 2


@pytest.mark.parametrize(
    ("preset", "words"),
    [
        ("author-payoff", "as many points of your own as possible"),
        ("author-cooperative", "as cooperatively as possible"),
        ("author-deceptive", "you may mislead"),
    ],
)
def test_authors_plan_and_write_and_begin_anew_after_a_failure(preset, words):
    replies = iter(["First plan.", BAD, "Second plan.", GOOD])
    requests, record = played(
        "program_matrix", lambda request: reply(next(replies)), f"agent={preset}", ["tit-for-tat"], rounds=1
    )
    assert limits(requests) == [(0.6, None, 1500), (0.6, None, 2500)] * 2
    assert all(words in one["messages"][1]["content"] for one in requests)
    assert requests[2]["messages"] == requests[0]["messages"]  # nothing of the failure is told
    assert [one["content"] for one in requests[3]["messages"] if one["role"] == "assistant"] == ["Second plan."]
    assert [call["purpose"] for call in record.turns[0].calls] == ["plan", "attempt", "plan"]
    assert record.turns[0].calls[1]["problem"].startswith("wrong return value")


def test_an_author_stops_after_five_attempts():
    requests, record = played("program_matrix", BAD, "agent=author-payoff", ["tit-for-tat"], rounds=1, max_retries=0)
    assert len(requests) == 10
    assert record.rulings[0]["results"][0]["failure"] == "wrong return value"


def test_options_of_the_spec_count_more_than_those_of_the_preset():
    made = player(
        "openai:m@http://127.0.0.1:1/v1?temperature=1&agent=author-payoff&max_tokens=3500&objective=deceptive"
    )
    assert isinstance(made.model, OpenAIChat)
    assert (made.parts.reasoning.attempts, made.parts.reasoning.objective) == (5, "deceptive")
    assert "temperature=1&agent=author-payoff&max_tokens=3500&objective=deceptive&reasoning=author-anew(5)" in made.spec
    assert made.spec.count("temperature") == 1


def test_records_and_plans_have_presets_written_out():
    spec = "mock:*?agent=k-level"
    written = f"{spec}&reasoning=k-level(1)&memory=full"
    assert expand_preset(spec).startswith(written)
    assert expand_preset(expand_preset(spec)) == expand_preset(spec)
    record = econzoo.play("matrix", [spec, "random"], rounds=1)
    assert record.players[0] == expand_preset(spec) == new_design("matrix", [spec, "random"], seeds=1).players[0]


def test_every_preset_is_a_player_of_every_kind_of_model(monkeypatch):
    monkeypatch.setenv("GOOGLE_CLOUD_PROJECT", "mine")
    for prefix in list(NAMES):
        for name in list(presets()):
            made = player(f"{prefix}:m?agent={name}")
            assert objective_of(made.spec) == name.partition("author-")[2], (prefix, name)
            assert all(one for one in presets()[name]), (prefix, name)


def test_an_unknown_preset_is_refused_with_those_that_exist():
    with refuses(ValueError, "agent='kr'", *presets()):
        player("mock:*?agent=kr")


def test_a_judge_is_no_published_agent():
    with refuses(ValueError, "agent"):
        open_language_model("mock:*?agent=alympics")


def test_the_command_tells_options_and_source_of_each():
    told = " ".join(run(GamesOptions(agents=True)).split())
    for name, one in presets().items():
        assert f"{name}: " in told
        assert one.gives in told
    assert "arXiv:2311.03220" in told
    assert json.loads(run(GamesOptions(agents=True, json=True)))["k-level"]["options"]["reasoning"] == "k-level(1)"
