"""Games here as environments of verifiers: both seats by models, each with its reward.

verifiers is in no other extra, and needs an older `openai`: `.ci/adapters verifiers` has these tests run.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from local_server import LocalServer, error, reply

import econzoo
from adapters.acceptance import GAMES, OPPONENT, Answerer, Played, accept, hear, move, nothing, rewards_of
from econzoo.envs.core.record import Record
from econzoo.evaluate.commands.replay import replay_files
from econzoo.evaluate.run import replay

vf = pytest.importorskip("verifiers.v1", reason="needs the extra verifiers")

from verifiers.v1.utils.loaders import load_environment, resolve_env_config  # noqa: E402

PAGE = Path(__file__).resolve().parents[2] / "docs" / "adapters.md"
SECTION = PAGE.read_text(encoding="utf-8").split("\n## verifiers and prime-rl\n")[1].split("\n## ")[0]
MODULE, TOML = (re.search(rf"<<'{end}'\n(.*?)^{end}$", SECTION, re.M | re.S)[1] for end in ("PYTHON", "TOML"))
"""The module that makes an environment package, and a configuration."""

SEEDS = 50
ANSWERS = {"move": move, "nothing": nothing, "broken": None}


def judge(request: dict[str, Any]):
    """A model by the name of what it answers by."""
    answer = ANSWERS[request["model"]]
    if answer is None:
        return error(400, "this model is not well")
    content = request["messages"][-1]["content"]
    return reply(answer(content if isinstance(content, str) else "".join(part["text"] for part in content)))


@pytest.fixture(scope="module")
def server():
    with LocalServer(judge=judge) as server:
        yield server


@pytest.fixture(scope="module")
def package(tmp_path_factory, server):
    """The environment package on the path, and what it reads of the server."""
    folder = tmp_path_factory.mktemp("package")
    (folder / "econzoo_games.py").write_text(MODULE, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        patch.setenv("SOME_KEY", "none")
        yield folder


@pytest.fixture
def played(package, server):
    """Plays matches of a taskset, with an answer for each seat of an agent."""

    def run(game: str, count: int, *models: str, taskset: dict[str, Any] | None = None, **env: Any) -> list[Any]:
        given = {"taskset": {"id": "econzoo-games", "game": game, **(taskset or {})}, **env}
        for seat, model in enumerate(models):
            given[f"seat_{seat}"] = {"model": model, **given.get(f"seat_{seat}", {})}
        client = vf.EvalClientConfig(base_url=server.url, api_key_var="SOME_KEY")
        loaded = load_environment(resolve_env_config(given))

        async def together() -> list[Any]:
            async with loaded.serving():
                context, few = vf.ModelContext(model="none", client=client), asyncio.Semaphore(4)
                slots = [slot for task in loaded.taskset.take(count) for slot in loaded.slots(task)]
                return await asyncio.gather(*[loaded.run_slot(slot, context, few) for slot in slots])

        return asyncio.run(together())

    return run


def of(episode: Any) -> dict[int, Any]:
    """The traces of an episode by seat."""
    return {int(trace.metrics["seat"]): trace for trace in episode.traces}


def record_of(episode: Any) -> Record:
    (record,) = {json.dumps(trace.info["econzoo"]) for trace in episode.traces}
    return Record.from_json(record)


@pytest.mark.slow
def test_payoffs_are_those_of_our_runner(played):
    """All matches of a game and a seat are played side by side, as verifiers does, and then looked at one by one."""
    known: dict[Any, list[Any]] = {}

    def play(game, params, seed, seat, answer):
        key, seats = (game, seat, answer.__name__), [OPPONENT, OPPONENT]
        seats[seat] = "agent"
        if key not in known:
            models = [answer.__name__] * 2
            known[key] = played(
                game, 1 if answer is nothing else SEEDS, *models, taskset={"params": params, "seats": seats}
            )
        episode = known[key][seed]
        assert episode.ok, episode.errors
        trace, record = of(episode)[seat], record_of(episode)
        assert replay(record) == []
        assert trace.metrics["payoff"] == record.payoffs[seat]
        assert trace.rewards["self_gain"].score == rewards_of(record)[seat]
        return Played(record.seed, record.payoffs, bool(trace.metrics["forfeit"]))

    accept(play, seeds=SEEDS)


@pytest.mark.slow
def test_replies_arrive_as_they_were_given(played):
    def play(game, params, seed, seat, answer):
        ANSWERS["said"] = answer
        played(game, 1, "said", taskset={"params": params, "seats": ["agent", OPPONENT]})

    hear(play, examples=20)


@pytest.mark.parametrize("game", GAMES)
def test_models_in_both_seats_are_paid_for_their_own_seat(played, game):
    (episode,) = played(game, 1, "move", "move", taskset={"params": GAMES[game], "first_seed": 7})
    record, traces = record_of(episode), of(episode)
    ours = econzoo.play(game, [Answerer(move), Answerer(move)], seed=7, **GAMES[game])
    assert (record.seed, record.payoffs) == (7, ours.payoffs)
    assert record.players == ["verifiers:move", "verifiers:move"]
    assert replay(record) == []
    for seat, trace in traces.items():
        assert trace.agent.name == f"seat_{seat}"
        assert trace.rewards["self_gain"].score == ours.metrics["gains"][seat]
        assert trace.metrics["rounds"] == ours.turns[-1].round
        assert trace.metrics["agreed"] == ours.metrics["agreed"]
        assert (trace.metrics["errors"], trace.metrics["forfeit"]) == (0.0, 0.0)
        assert trace.messages if hasattr(trace, "messages") else trace.assistant_messages


def test_a_model_reads_what_a_language_model_of_ours_reads(played, server):
    server.requests.clear()
    (episode,) = played("bargaining", 1, "move", "move", taskset={"params": {"horizon": 3}})
    record, first = record_of(episode), server.requests[0]["messages"]
    assert [message["role"] for message in first] == ["system", "user"]
    texts = [
        message["content"] if isinstance(message["content"], str) else message["content"][0]["text"]
        for message in first
    ]
    assert texts == [record.rules[0], record.turns[0].prompt]
    spoken = [len(request["messages"]) for request in server.requests]
    assert max(spoken) >= 4  # who is asked again has its own words before it
    assert all(request["messages"][0]["role"] == "system" for request in server.requests)


def test_who_says_nothing_usable_forfeits_after_the_repairs_and_the_other_seat_does_not(played):
    (episode,) = played("bargaining", 1, "move", "nothing")
    record, traces = record_of(episode), of(episode)
    assert record.forfeit == 1
    assert [traces[seat].metrics["forfeit"] for seat in (0, 1)] == [0.0, 1.0]
    assert traces[1].metrics["errors"] == record.errors[1] == 3
    assert episode.ok


def test_a_limit_of_verifiers_leaves_the_seat_without_words(played):
    (episode,) = played("matrix", 1, "move", "move", taskset={"params": {"rounds": 3}}, seat_1={"max_turns": 1})
    record = record_of(episode)
    assert record.forfeit == 1
    assert [turn.reply for turn in record.turns if turn.seat == 1][1:] == [""] * 3


def test_a_provider_that_fails_is_no_forfeit(played):
    (episode,) = played("bargaining", 1, "broken", "move")
    assert not episode.ok
    assert "seat 0 has no answer" in str(episode.errors)
    assert all("econzoo" not in trace.info for trace in episode.traces)


def test_objectives_fixed_seats_and_games_of_several(played):
    taskset = {"params": {"players": 4}, "seats": ["random", "agent", "agent", "random"]}
    ANSWERS["ten"] = lambda text: '{"number":10}'
    (episode,) = played("guess_average", 1, "", "ten", "ten", taskset=taskset, objective="fairness", fixed=[2])
    record, traces = record_of(episode), of(episode)
    assert sorted(traces) == [1, 2]
    assert record.players == ["random", "verifiers:ten", "verifiers:ten", "random"]
    assert [traces[seat].agent.trainable for seat in (1, 2)] == [True, False]
    fairness = record.metrics["fairness"]
    assert {trace.rewards["fairness"].score for trace in traces.values()} == {0.0 if fairness is None else fairness}


def test_what_is_not_allowed_is_named_before_anything_is_played(played):
    for taskset, named in [
        ({"game": "chess"}, "chess"),
        ({"seats": ["agent"]}, "seats"),
        ({"params": {"speed": 3}}, "speed"),
    ]:
        with pytest.raises(ValueError, match=named):
            played("bargaining", 1, "move", "move", taskset=taskset)
    (episode,) = played("bargaining", 1, "move", taskset={"seats": ["agent", "nobody"]})
    assert "'nobody'" in str(episode.errors)
    with pytest.raises(ValueError, match="first 8 seats"):
        played("guess_average", 1, taskset={"params": {"players": 9}})


@pytest.mark.slow
def test_the_example_of_the_page_and_going_on_after_a_stop(package, server, tmp_path):
    (tmp_path / "econzoo.toml").write_text(TOML.replace("http://127.0.0.1:8000/v1", server.url), encoding="utf-8")
    assert "\nvf-eval @ econzoo.toml\n" in SECTION
    vf_eval = str(Path(sys.executable).with_name("vf-eval"))

    def evaluate(*more: str) -> list[Any]:
        done = subprocess.run(
            [vf_eval, "@", *more], cwd=tmp_path, env=environment(package), capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        (file,) = (tmp_path / "outputs").glob("*/traces.jsonl")
        return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]

    first = evaluate("econzoo.toml")
    assert {len(episode["traces"]) for episode in first} == {2}
    (file,) = (tmp_path / "outputs").glob("*/traces.jsonl")
    lines = file.read_text(encoding="utf-8").splitlines()
    file.write_text("\n".join(lines[2:]) + "\n", encoding="utf-8")
    again = evaluate(str(file.parent / "configs/resolved/eval.json"), "--resume")
    payoffs = [
        sorted((e["task"]["data"]["seed"], e["traces"][0]["info"]["econzoo"]["payoffs"]) for e in of)
        for of in (first, again)
    ]
    assert payoffs[0] == payoffs[1]
    reading = re.search(r"```python\n(.*?)```", SECTION, re.S)[1]
    exec(reading.replace("outputs/RUN", str(file.parent)).replace("runs/", f"{tmp_path}/runs/"), {})
    replayed = replay_files([tmp_path / "runs/verifiers/records.jsonl"])
    assert (replayed.matches, replayed.problems) == (len(first), [])


def environment(package: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": f"{package}:{os.environ.get('PYTHONPATH', '')}", "SOME_KEY": "none"}
