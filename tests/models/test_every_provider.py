"""Every game by the server of every provider, as far as their manners are known."""

from __future__ import annotations

import json
import ssl
from functools import partial
from itertools import product
from pathlib import Path

import pytest

pytest.importorskip("openai")

import numpy as np
from local_server import LocalServer, reply
from server_forms import CACHED, DOLLARS, LONGEST, READ, THOUGHT, WROTE, ProviderServer, failure

import econzoo
from econzoo.baselines import LanguageModelPlayer, ModelError, RefusedError
from econzoo.baselines.models import OpenAIChat
from econzoo.baselines.models.mock_chat import sample_from_schema
from econzoo.baselines.models.providers import provider_at, providers
from econzoo.envs.core import game as find_game
from econzoo.envs.core import games
from econzoo.envs.core.faces import fence_code
from econzoo.envs.core.record import Record
from econzoo.evaluate.run import replay
from exhaustive import long_unless
from refusals import refuses

TALK = [{"role": "system", "content": "rules"}, {"role": "user", "content": "your move"}]
CONTEXT = ssl.create_default_context()
PRICES = (1.0, 0.1, 10.0)
CALLED = {"response_format": "constrained", "random_seed": "seed"}
SENT = {"temperature", "seed", "random_seed", "response_format"}
VALUES = {
    "temperature": ("temperature", 0.2),
    "top_p": ("top_p", 0.9),
    "stop": ("stop", ("END",)),
    "seed": ("seed", True),
    "response_format": ("constrained", True),
    "reasoning_effort": ("reasoning_effort", "low"),
}
"""Fields of a request to the arguments that ask for them by name."""


@pytest.fixture(autouse=True)
def no_surroundings(monkeypatch):
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(ssl, "create_default_context", lambda *_, **__: CONTEXT)  # the client's; reading it takes long


class Told(OpenAIChat):
    """Leaves what it is asked where the server of a test finds it: not all of it is in what is sent."""

    schema = None

    def answer(self, conversation, schema, seed, limit):
        self.schema, self.seed = schema, seed
        return super().answer(conversation, schema, seed, limit)


def chat(server, name, **options):
    return Told("m", server.url, provider=name, sleep=lambda _: None, concurrency=1, **options)


def obedient(model):
    """A legal answer to what a model was just asked."""
    if model.schema is None:
        return fence_code(model.program)
    return json.dumps(sample_from_schema(model.schema, np.random.default_rng(model.seed)))


def a_match(game_name, model):
    """A few turns of a game with a model in the first seat."""
    source = find_game(game_name).actions.source
    model.program = source[1].library()[0] if source else ""
    others = ["random"] * (len(econzoo.make(game_name).unwrapped.possible_agents) - 1)
    me = LanguageModelPlayer("openai:m", model)
    return econzoo.play(game_name, [me, *others], seed=1, max_cycles=4, **find_game(game_name).cases.short)


def expected(provider):
    """What a server leaves of a request for a move, and the dollars of it."""
    left_out = {CALLED.get(one, one) for one in {*provider.refuses, *provider.without} & SENT}
    priced = ((READ - CACHED) * PRICES[0] + CACHED * PRICES[1] + (WROTE + THOUGHT) * PRICES[2]) / 1e6
    return left_out, DOLLARS if provider.usage == "cost" else priced


def in_short(name, fifth):
    return fifth == list(providers()).index(name) % 5


@pytest.mark.parametrize(("name", "fifth"), long_unless(in_short, product(providers(), range(5)), "slow"))
def test_every_game_is_played_by_the_server_of_a_provider(name, fifth):
    left_out, dollars = expected(providers()[name])
    with ProviderServer(providers()[name], lambda _: obedient(model)) as server:
        model = chat(server, name, price_per_million=PRICES)
        records = {game_name: a_match(game_name, model) for game_name in games()[fifth::5]}
    for game_name, record in records.items():
        turns = [turn for turn in record.turns if turn.seat == 0]
        assert record.status in ("finished", "truncated"), game_name
        assert {turn.error[0] for turn in turns if turn.error} <= {"refused"}, game_name  # by rules beyond the schema
        assert turns, game_name
        free = find_game(game_name).actions.source is not None
        for turn in turns:
            assert turn.tokens == [READ, WROTE + THOUGHT], game_name
            assert (turn.cached_tokens, turn.cost) == (CACHED, pytest.approx(dollars)), game_name
            assert set(turn.unsupported) == left_out - ({"constrained"} if free else set()), game_name
        assert replay(Record.from_json(record.to_json())) == []
    assert model.usage.retries == 1


@pytest.mark.parametrize("name", list(providers()))
def test_what_was_asked_for_by_name_is_sent_or_ends_the_run_or_is_recorded(name):
    provider = providers()[name]
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
    for field in provider.refuses:
        argument, value = VALUES[field]
        with ProviderServer(provider, lambda _: "{}") as server:
            with refuses(RefusedError, argument, server.url, "on_refused=drop"):
                chat(server, name, **{argument: value}).complete([TALK], [schema], [1])
            model = chat(server, name, **{argument: value}, on_refused="drop")
            (done,) = model.complete([TALK], [schema], [1])
        assert argument in done.unsupported
        assert field not in server.requests[-1]
    for field in provider.without:
        argument, value = VALUES[field]
        with refuses(ValueError, argument, provider.title, "on_refused=drop"):
            OpenAIChat("m", "http://127.0.0.1:1/v1", provider=name, **{argument: value})
        with ProviderServer(provider, lambda _: "{}") as server:
            model = chat(server, name, **{argument: value}, on_refused="drop")
            (done,) = model.complete([TALK], [schema], [1])
        assert argument in done.unsupported


@pytest.mark.parametrize("name", long_unless(partial(in_short, fifth=0), providers(), "slow"))
def test_a_conversation_that_is_too_long_is_cut_in_the_words_of_every_provider(name):
    turns = [{"role": ("user", "assistant")[i % 2], "content": f"{i} " + "x" * 2000} for i in range(41)]
    with ProviderServer(providers()[name], lambda _: "{}") as server:
        (done,) = chat(server, name).complete([[TALK[0], *turns]], [None], [1])
    sent = server.requests[-1]["messages"]
    assert done.text == "{}"
    assert done.dropped_turns == 42 - len(sent) > 0
    assert LONGEST / 2 < sum(len(message["content"]) for message in sent) <= LONGEST


@pytest.mark.parametrize("name", list(providers()))
def test_thoughts_are_turned_on_and_off_in_the_words_of_every_provider(name):
    provider = providers()[name]
    for thinking, fields in ((True, provider.on), (False, provider.off)):
        if not fields:
            with refuses(ValueError, "thinking", provider.title, "extra_body"):
                OpenAIChat("m", "http://127.0.0.1:1/v1", provider=name, thinking=thinking)
            continue
        with ProviderServer(provider, lambda _: "{}") as server:
            model = chat(server, name, thinking=thinking, on_refused="drop")
            (done,) = model.complete([TALK], [None], [1])
        sent = fields.items() <= server.requests[-1].items()
        assert sent != ("thinking" in done.unsupported)
        assert sent == ({*provider.refuses, *provider.without}.isdisjoint(fields))


@pytest.mark.parametrize("name", [name for name, one in providers().items() if one.content != "text" or one.thoughts])
def test_thoughts_are_found_where_every_provider_has_them(name):
    with ProviderServer(providers()[name], lambda _: "{}") as server:
        (done,) = chat(server, name).complete([TALK], [None], [1])
    assert (done.text, done.reasoning, done.finish) == ("{}", "Let me see.", "")


def test_providers_are_known_by_their_addresses():
    for name, provider in providers().items():
        for host in provider.hosts:
            url = f"http://localhost{host}/v1" if host.startswith(":") else f"https://{host}/v1"
            assert provider_at(url) is provider, name
    assert provider_at("https://my-resource.openai.azure.com/openai/v1").title == "Azure OpenAI"
    assert provider_at("https://notapi.x.ai/v1").title == provider_at("http://10.0.0.1:11434/v1").title
    with refuses(ValueError, "provider", "mistrel", "mistral"):
        OpenAIChat("m", "http://localhost/v1", provider="mistrel")


@pytest.mark.parametrize("form", ["object", "flat", "list", "detail", "nested", "text", "raw", "plain"])
def test_a_refused_seed_is_read_in_every_form_of_error(form):
    message = 'Unknown name "seed": Cannot find field.'

    def judge(request):
        return failure(form, 422, message, "seed") if "seed" in request else reply("ok")

    with LocalServer(judge=judge) as server:
        (done,) = OpenAIChat("m", server.url).complete([TALK], [None], [1])
    assert (done.text, done.unsupported, len(server.requests)) == ("ok", ("seed",), 2)
    with LocalServer(failure(form, 400, "the moon is full")) as server, refuses(ModelError, "the moon is full"):
        OpenAIChat("m", server.url).complete([TALK], [None], [1])


def test_the_page_of_providers_has_them_all():
    page = (Path(__file__).parents[2] / "docs" / "providers.md").read_text(encoding="utf-8")
    for name, provider in providers().items():
        (row,) = [line for line in page.splitlines() if line.startswith(f"| {provider.title} | `{name}` | ")]
        assert f" `{provider.limit}` " in row
        assert ("`random_seed`" in row) == (provider.seed == "random_seed")
        assert all(f" `{one}` " in row for one in provider.off)
        assert ("only in the total" in row) == (provider.usage == "apart")
        assert not provider.thoughts or f"`{provider.thoughts}`" in row
