"""Matches through OpenEnv are those that are played here: in both seats, and with sixteen clients at once."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

import econzoo
from adapters.acceptance import GAMES, OPPONENT, Answerer, Played, accept, hear, move
from econzoo.__main__ import main

pytest.importorskip("openenv", reason="needs the extra openenv")
pytest.importorskip("uvicorn")

from doors import at_the_door
from econzoo.evaluate.adapters import Answer, SeatClient, openenv_app
from econzoo.evaluate.adapters.openenv import MAX_SESSIONS
from econzoo.evaluate.serving import local_rules

pytestmark = pytest.mark.slow

PAGE = Path(__file__).resolve().parents[2] / "docs" / "adapters.md"


def served(app):
    """The address of an application, which a thread serves."""
    return at_the_door(app, local_rules())


@pytest.fixture(scope="module")
def clients():
    """A client for each game of the acceptance."""
    with (
        served(openenv_app("bargaining", [OPPONENT], **GAMES["bargaining"])) as first,
        served(openenv_app("negotiation", [OPPONENT], **GAMES["negotiation"])) as second,
        served(openenv_app("matrix", [OPPONENT], **GAMES["matrix"])) as third,
        SeatClient(first).sync() as bargaining,
        SeatClient(second).sync() as negotiation,
        SeatClient(third).sync() as matrix,
    ):
        yield {"bargaining": bargaining, "negotiation": negotiation, "matrix": matrix}


def result(told, seat):
    about = told.observation.about
    return Played(about["match_seed"], told.reward, about["forfeited"] == seat)


def test_matches_are_those_of_our_runner(clients):
    def play(game, params, seed, seat, answer):
        told = clients[game].reset(seed=seed, seat=seat)
        while not told.done:
            told = clients[game].step(Answer(text=answer(told.observation.text)))
        return result(told, seat)

    accept(play)
    hear(play)


def test_a_session_tells_its_own_state_and_refuses_a_seat_that_there_is_not(clients):
    env = clients["bargaining"]
    env.reset(seed=1, episode_id="mine")
    env.step(Answer(text="nothing"))
    assert (env.state().episode_id, env.state().step_count) == ("mine", 1)
    with pytest.raises(Exception, match="seat=2"):
        env.reset(seed=1, seat=2)


def test_a_reset_that_is_not_possible_is_refused_in_a_line(clients):
    with served(openenv_app("bargaining", ["fair"])) as url:
        for given, named in [({"seat": 99}, "seat=99"), ({"seat": -1}, "seat=-1"), ({"colour": 1}, "colour")]:
            asked = Request(f"{url}/reset", json.dumps(given).encode(), {"Content-Type": "application/json"})
            with pytest.raises(HTTPError) as refused:
                urlopen(asked)
            detail = json.loads(refused.value.read())["detail"]
            assert (refused.value.code, named in detail, "\n" in detail) == (422, True, False)


async def episode(url, seed):
    async with SeatClient(url) as env:
        told = await env.reset(seed=seed, seat=seed % 2)
        while not told.done:
            await asyncio.sleep(0.01)
            told = await env.step(Answer(text=move(told.observation.text)))
        return result(told, seed % 2)


def test_sixteen_clients_at_once_get_a_reward_of_their_own_each():
    async def together(url):
        return await asyncio.gather(*(episode(url, seed) for seed in range(MAX_SESSIONS)))

    with served(openenv_app("matrix", [OPPONENT], rounds=20)) as url:
        played = asyncio.run(together(url))
    rewards = set()
    for seed, (match_seed, reward, _) in enumerate(played):
        seats = [Answerer(move), OPPONENT]
        record = econzoo.play("matrix", seats[:: 1 - 2 * (seed % 2)], seed=match_seed, rounds=20)
        assert reward == record.metrics["gains"][seed % 2]
        rewards.add(reward)
    assert len(played) == 16
    assert len(rewards) > 1


def test_the_example_of_the_page(clients, capsys):
    (example,) = [
        code for code in re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.M | re.S) if "SeatClient" in code
    ]
    with served(openenv_app("bargaining", ["fair"])) as url:
        exec(example.replace("http://127.0.0.1:8000", url), {})
    assert capsys.readouterr().out.endswith("0.5 [5000.0, 5000.0]\n")


def test_the_command_serves_until_it_is_stopped():
    words = ["serve", "openenv", "bargaining", "--opponents", "fair", "--seat", "1", "--port", "0"]
    with subprocess.Popen([sys.executable, "-m", "econzoo", *words], stdout=subprocess.PIPE, text=True) as process:
        with SeatClient(process.stdout.readline().strip()).sync() as env:
            env.reset(seed=1)
            told = env.step(Answer(text='{"kind":"accept"}'))
        process.terminate()
    assert (told.done, told.reward) == (True, 0.5)


def test_what_is_not_allowed_is_refused_before_anything_is_served(capsys):
    for words, named in [
        (["bargaining", "--opponents", "nobody"], "nobody"),
        (["bargaining", "--seat", "2"], "seat=2"),
        (["bargaining", "-p", "horizon=0"], "horizon"),
        (["persuasion", "--opponents", "trust", "--seat", "1"], "trust"),
    ]:
        with pytest.raises(SystemExit):
            main(["serve", "openenv", *words])
        assert named in capsys.readouterr().err
