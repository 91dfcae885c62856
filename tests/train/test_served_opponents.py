"""Opponents behind a chat server, in both modes of GRPO: they play, and a match in which they fail is left out."""

from __future__ import annotations

import pytest
from lm_world import SHORT, SMALL, learning_curve
from local_server import LocalServer, error, reply

from econzoo.train.lm.environment import GAME_OVER, as_trl_environment
from econzoo.train.lm.grpo import GRPORecipe, train_grpo
from refusals import says

pytestmark = pytest.mark.models


@pytest.fixture(autouse=True)
def client(monkeypatch):
    pytest.importorskip("openai")
    monkeypatch.setenv("OPENAI_API_KEY", "none")


def opponent(server, **options):
    given = "&".join(f"{name}={value}" for name, value in options.items())
    return f"openai:m@{server.url}?{given}" if options else f"openai:m@{server.url}"


def recipe(model, out, spec, **more):
    small = {"groups": 1, "group_size": 4, "max_new_tokens": 24, "lr": 1e-3, "warmup": 0, "dtype": "float32"}
    known = {"seats": [0], "param": SHORT, "opponents": [spec], "steps": 1, "max_resamples": 0}
    return GRPORecipe(model=f"hf:{model}", out=out, **small, **known, **more)


def test_a_served_opponent_plays_with_the_policy(tiny, tmp_path):
    with LocalServer(judge=lambda asked: reply('{"kind": "accept"}')) as server:
        train_grpo(recipe(tiny, tmp_path, opponent(server), constrained=True))
        assert server.requests
    header, row = learning_curve(tmp_path)
    found = dict(zip(header, row, strict=True))
    assert (float(found["agreed"]), float(found["errors"])) == (1.0, 0.0)


def test_a_server_that_fails_loses_matches_and_not_the_run(tiny, tmp_path, capsys):
    with LocalServer(error(400, "overloaded for good")) as server:
        train_grpo(recipe(tiny, tmp_path, opponent(server, max_retries=0), constrained=True))
    assert capsys.readouterr().err.count("failed and is left out of training") == 4
    assert (tmp_path / "training.json").exists()


def test_it_plays_in_the_environment_with_tools(capsys):
    with LocalServer(reply('{"kind": "reject"}'), reply('{"kind": "offer", "gain": 40}')) as server:
        seat = as_trl_environment("bargaining", opponents=[opponent(server)], **SMALL)()
        seat.reset(seed=1)
        assert "40" in seat.offer(gain=70.0)
        seat.accept()
        assert seat.get_reward() == pytest.approx(0.6, abs=0.1)
    with LocalServer(error(400, "overloaded for good")) as server:
        seat = as_trl_environment("bargaining", opponents=[opponent(server, max_retries=0)], **SMALL)()
        seat.reset(seed=1)
        assert seat.offer(gain=70.0) == GAME_OVER
        assert seat.get_reward() is None
    says(capsys.readouterr().err, "overloaded for good")


@pytest.mark.slow
def test_a_training_with_tools_takes_it(tiny, tmp_path):
    with LocalServer(judge=lambda asked: reply('{"kind": "accept"}')) as server:
        train_grpo(recipe(tiny, tmp_path, opponent(server), mode="tools", max_length=64))
    assert len(learning_curve(tmp_path)) == 2
