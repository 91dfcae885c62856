"""List prices: the file, which entry a name means, and that limits work without typing prices."""

from __future__ import annotations

from datetime import date
from itertools import combinations

import pytest

from econzoo.baselines import Budget, open_budget
from econzoo.baselines.models import OpenAIChat
from econzoo.baselines.models.prices import list_price, price_list, prices_of
from econzoo.baselines.models.providers import providers
from econzoo.baselines.models.token_counts import are_prices
from econzoo.evaluate.run import count_previous_costs
from econzoo.evaluate.run.budget import has_prices
from refusals import refuses

pytestmark = pytest.mark.usefixtures("no_surroundings")

OPENAI = "https://api.openai.com/v1"
EVERY = [(provider, price) for provider, prices in price_list().items() for price in prices]


def test_every_price_has_its_date_and_the_page_that_was_read():
    assert len(EVERY) > 80
    for provider, price in EVERY:
        assert provider in providers()
        assert are_prices(price.prices)
        assert min(price.prices) > 0
        assert date(2026, 1, 1) <= date.fromisoformat(price.date) <= date(2026, 12, 31)
        assert all(page.startswith("https://") for page in price.source.split("; "))


def test_cached_tokens_are_no_dearer_and_written_ones_no_cheaper():
    for _, price in EVERY:
        assert price.prices[-2] <= price.prices[0] <= price.prices[-1]


def test_no_model_is_listed_twice():
    for provider, prices in price_list().items():
        for one, other in combinations([price.model.lower() for price in prices], 2):
            assert one != other, provider


def test_each_listed_name_means_its_own_entry():
    for provider, price in EVERY:
        assert list_price(price.model, f"https://{providers()[provider].hosts[0]}/v1") == price


def test_a_name_stands_for_its_snapshots_unless_they_are_listed():
    assert list_price("gpt-5-2025-08-07", OPENAI) == list_price("gpt-5", OPENAI)
    assert list_price("claude-opus-4-20250514", "https://api.anthropic.com/v1").model == "claude-opus-4"
    assert list_price("gpt-4o-2024-05-13", OPENAI).prices == (5, 15)
    assert list_price("gpt-3.5-turbo-1106", OPENAI).model == "gpt-3.5-turbo-1106"  # the longest match wins
    assert list_price("GPT-5", OPENAI) == list_price("gpt-5", OPENAI)


@pytest.mark.parametrize("model", ["gpt-5.9", "gpt-5-codex", "my-gpt-5", "gpt-5-2", "mistral-large-latest"])
def test_other_names_have_no_price(model):
    assert list_price(model, OPENAI) is None


def test_local_and_unknown_servers_cost_nothing():
    assert list_price("gpt-5", "http://127.0.0.1:8000/v1") is None
    assert list_price("gpt-5", "http://localhost:8000/v1", "openai") is None
    assert list_price("gpt-5", "https://example.org/v1") is None
    assert list_price("gpt-5", "https://example.org/v1", "openai").model == "gpt-5"


def test_a_client_uses_the_price_of_the_spec_else_of_the_list_else_none():
    assert OpenAIChat("gpt-5", OPENAI).price_per_million == (1.25, 0.125, 10)
    assert OpenAIChat("gpt-5", OPENAI, price_per_million=(1, 2)).price_per_million == (1, 2)
    assert OpenAIChat("gpt-5", OPENAI, price_per_million=(0, 0)).price_per_million == (0, 0)
    assert OpenAIChat("gpt-5", "http://127.0.0.1:1/v1").price_per_million == (0, 0)


def test_a_limit_needs_no_typed_price_of_a_listed_model(capsys):
    with open_budget(Budget(max_cost=1.0)):
        count_previous_costs(None, ["fast=openai:gpt-5-mini?temperature=0", "grim(reader='openai:gpt-4.1')", "fair"])
    told = capsys.readouterr().err
    assert told == (
        "econzoo: prices of 2026-08-21, per million tokens: gpt-5-mini $0.25 ($0.025 cached) read and $2 written; "
        "gpt-4.1 $2 ($0.5 cached) read and $8 written; price_per_million=... overrides\n"
    )


def test_typed_prices_are_not_told(capsys):
    with open_budget(Budget(max_cost=1.0)):
        count_previous_costs(None, ["openai:gpt-5-mini?price_per_million=1,2"])
    assert capsys.readouterr().err == ""


def test_a_limit_of_an_unlisted_model_is_refused_as_before():
    with open_budget(Budget(max_cost=1.0)), refuses(ValueError, "max-cost"):
        count_previous_costs(None, ["openai:gpt-5.9", "hf:PATH"])


def test_a_server_that_reports_its_costs_needs_no_price():
    assert has_prices(["openai:qwen/qwen3-32b:free@https://openrouter.ai/api/v1"])
    assert prices_of(["openai:qwen/qwen3-32b@https://openrouter.ai/api/v1"]).listed == []


def test_a_local_server_has_no_price_whatever_the_name_of_its_model(capsys):
    spec = "openai:gpt-5@http://127.0.0.1:8000/v1"
    assert not has_prices([spec])
    with open_budget(Budget(max_tokens=1000)):
        count_previous_costs(None, [spec])
    assert capsys.readouterr().err == ""
