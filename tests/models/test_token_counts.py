"""Tokens and dollars of replies, however a server counts them; budgets that hold."""

from __future__ import annotations

from contextlib import nullcontext

import pytest

pytest.importorskip("openai")

from asking import BID, ask, command, guess, message, told
from local_server import Answer, LocalServer, reply

from econzoo.baselines import Budget, BudgetSpentError, open_budget, player
from econzoo.baselines.models import Call, OpenAIChat, complete_calls
from econzoo.envs.core.record import identity
from refusals import refuses

pytestmark = pytest.mark.usefixtures("alone")


@pytest.mark.parametrize(
    ("usage", "read", "cached", "wrote"),
    [
        ({"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 2110}, 100, 0, 2010),
        ({"prompt_tokens": 100, "completion_tokens": 2010, "total_tokens": 2110}, 100, 0, 2010),
        ({"prompt_tokens": 100, "completion_tokens": 10}, 100, 0, 10),
        ({"prompt_tokens": 100, "completion_tokens": 10.0, "total_tokens": 90}, 100, 0, 10),
        (
            {"prompt_tokens": 100, "completion_tokens": 10, "prompt_tokens_details": {"cached_tokens": 90}},
            100,
            90,
            10,
        ),
        ({"prompt_tokens": 100, "completion_tokens": 10, "prompt_cache_hit_tokens": 900}, 100, 100, 10),
    ],
)
def test_thoughts_that_are_counted_apart_and_cached_tokens_are_paid(usage, read, cached, wrote):
    with LocalServer(told(**usage)) as server:
        done, chat = ask(server, price_per_million=(1.0, 0.25, 10.0))
        _, (turn,) = guess(server, "price_per_million=1,0.25,10")
    cost = ((read - cached) + cached * 0.25 + wrote * 10) / 1e6
    assert (done.prompt_tokens, done.cached_tokens, done.completion_tokens) == (read, cached, wrote)
    assert (done.cost, done.unsupported) == (pytest.approx(cost), ())
    assert (turn.tokens, turn.cached_tokens, turn.cost) == ([read, wrote], cached, pytest.approx(cost))
    assert (chat.usage.cached_tokens, chat.usage.cost) == (cached, pytest.approx(cost))


def test_the_cost_that_a_server_tells_is_taken():
    with LocalServer(told(prompt_tokens=100, completion_tokens=10, cost=0.5)) as server:
        assert ask(server, price_per_million=(1.0, 1.0))[0].cost == 0.5
    own = {"cost": 0.01, "is_byok": True, "cost_details": {"upstream_inference_cost": 0.5}}
    with LocalServer(told(prompt_tokens=100, completion_tokens=10, **own)) as server:
        assert ask(server)[0].cost == pytest.approx(0.51)
    with LocalServer(told(prompt_tokens=100, completion_tokens=10, cost={"total": 1})) as server:
        assert ask(server, price_per_million=(1.0, 1.0))[0].cost == pytest.approx(110e-6)


@pytest.mark.parametrize(
    "usage",
    [
        {},
        {"prompt_tokens": None, "completion_tokens": None, "total_tokens": None},
        {"prompt_tokens": float("nan"), "completion_tokens": float("nan")},
        {"prompt_tokens": -5, "completion_tokens": -1, "total_tokens": -6},
        {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0},
        {"prompt_tokens": "many", "completion_tokens": True},
    ],
)
def test_where_no_tokens_are_told_they_are_estimated_said_and_the_limit_holds(usage, capsys):
    with LocalServer(told(**usage)) as server:
        _, (turn,) = guess(server, "price_per_million=1000,1000")
        assert turn.unsupported == ["usage"]
        assert turn.tokens[0] > 100
        assert turn.tokens[1] == -(-len(BID) // 4)
        assert turn.cost == pytest.approx(sum(turn.tokens) / 1000)
        assert "estimated from the text" in capsys.readouterr().err
        purse = Budget(max_cost=turn.cost / 2)
        with open_budget(purse):
            guess(server, "price_per_million=1000,1000")
            with pytest.raises(BudgetSpentError):
                guess(server, "price_per_million=1000,1000")


@pytest.mark.parametrize(
    ("usage", "tokens", "unsupported"),
    [
        ({"input_tokens": 100, "output_tokens": 10}, [100, 10], []),
        ({"prompt_tokens": 100, "total_tokens": 300}, [100, 200], []),
        ({"completion_tokens": 10, "total_tokens": 300}, [290, 10], []),
        ({"prompt_tokens": 10**400, "completion_tokens": 1e300, "total_tokens": float("inf")}, None, ["usage"]),
        ({"prompt_tokens": [1], "completion_tokens": {"n": 2}}, None, ["usage"]),
    ],
)
def test_what_is_told_in_part_is_used(usage, tokens, unsupported):
    with LocalServer(told(**usage)) as server:
        _, (turn,) = guess(server)
    assert turn.unsupported == unsupported
    assert turn.tokens == (tokens or [turn.tokens[0], -(-len(BID) // 4)])


def test_thoughts_are_estimated_too():
    answer = message(BID, reasoning="x" * 400)
    answer.body["usage"] = None
    with LocalServer(answer) as server:
        assert ask(server)[0].completion_tokens == -(-(len(BID) + 400) // 4)


@pytest.mark.parametrize(("limit", "paid"), [({"max_cost": 3.5}, 4), ({"max_tokens": 60}, 4), ({"max_cost": 99.0}, 20)])
def test_calls_at_once_pass_a_limit_by_one_of_them_at_most(limit, paid):
    calls = [Call(f"{n}", 0, 0, [{"role": "user", "content": "?"}], None, n) for n in range(20)]
    with LocalServer(Answer(200, reply("ok").body, delay=0.05)) as server, open_budget(Budget(**limit)) as purse:
        chat = OpenAIChat("m", server.url, price_per_million=(0.0, 200_000.0), concurrency=8)
        spends = pytest.raises(BudgetSpentError, match=f"{paid * 15}") if paid < 20 else nullcontext()
        with spends:
            list(complete_calls(chat, calls))
        assert (len(server.requests), purse.cost) == (paid, pytest.approx(paid))
        assert 1 < server.most_busy <= (8 if paid == 20 else paid)


@pytest.mark.parametrize("prices", ["1", "1,2,3,4", "a,b", "1,-2", "1,nan", "nan,1", "1,inf"])
def test_prices_are_two_or_three(prices):
    with refuses(ValueError, "price_per_million"):
        player(f"openai:m@http://127.0.0.1:1/v1?price_per_million={prices}", "guess_average")
    three = identity("openai:m?price_per_million=1,0.1,2")
    assert three == identity("openai:m?price_per_million=1,2") == "openai:m"


def test_a_limit_of_costs_knows_three_prices():
    with LocalServer(told(prompt_tokens=100, completion_tokens=10, total_tokens=2110)) as server:
        spec = f"g=openai:m@{server.url}?price_per_million=0,0,10&concurrency=1"
        run = "tournament", "guess_average", spec, "--opponents", "fixed(50, 0)", "--seeds", 6, "--out", "t"
        assert command(*run, "-p", "players=2", "-p", "rounds=1", "--yes", "--max-cost", 0.05) == 4
        assert len(server.requests) == 3
