"""Matches on a Ray cluster of several raylets: what becomes of a run when parts of it are killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import mortal_players
import pytest
from mortal_players import FATAL, SPARED

pytest.importorskip("ray")
pytest.importorskip("psutil")

import psutil
import ray
from ray.cluster_utils import Cluster
from ray.exceptions import OutOfMemoryError, RayTaskError
from recorded import timeless

import econzoo
from econzoo.envs.core.record import read_record_file
from econzoo.evaluate.run import Design, current_engine, missing_matches, new_design, open_engine, run
from econzoo.evaluate.run.ray_engine import Actor
from models.faults import BadDay
from refusals import refuses, says
from toy_games import PENNIES, register_temporarily

LONG_ENOUGH = 300
"""Seconds after which something that is waited for does not come any more."""


@pytest.fixture(scope="module")
def raylets() -> Iterator[Cluster]:
    """A head without CPUs, and two nodes with one each."""
    os.environ["RAY_AUTH_MODE"] = "disabled"  # else a token is written into the home folder
    os.environ["PYTHONPATH"] = os.pathsep.join(sys.path)
    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    for _ in range(2):
        made.add_node(num_cpus=1)
    yield made
    made.shutdown()


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def pennies() -> Iterator[None]:
    with register_temporarily():
        econzoo.register_game("pennies", PENNIES, players=mortal_players)
        yield


def played(folder: str) -> list[dict[str, Any]]:
    """The records of a folder by match, without seconds."""
    lines = [line for path in Path(folder).glob("records*.jsonl") for line in path.read_text().splitlines()]
    return sorted(map(timeless, lines), key=lambda record: record["id"])


def scripted(matches: int) -> Design:
    return new_design("bargaining", ["fair", "random", "boulware(0.2)", "spe"], seeds=matches // 16)


def test_records_are_those_of_the_local_engine(raylets: Cluster) -> None:
    econzoo.run(scripted(320), "far", engine="ray", ray_address=raylets.address)
    econzoo.run(scripted(320), "here", jobs=1)
    assert len(played("far")) == 320
    assert played("far") == played("here")


def test_a_match_that_kills_its_actor_fails_alone(raylets: Cluster, pennies: None) -> None:
    """The same command plays it again."""
    design = new_design("pennies", ["mortal"], seeds=[0, FATAL, 2, 4])
    econzoo.run(design, "o", engine="ray", ray_address=raylets.address)
    (failed,) = read_record_file("o/records.jsonl.failed")
    says(failed.reason, "process", "died")
    assert failed.seed == FATAL
    assert sorted(record.seed for record in read_record_file("o/records.jsonl")) == [0, 2, 4]
    Path(SPARED).touch()
    assert len(econzoo.run(design, "o", engine="ray", ray_address=raylets.address)) == 4


@pytest.mark.parametrize("matches", [1_008, pytest.param(100_000, marks=pytest.mark.long)])
def test_raylets_and_the_driver_are_killed_and_nothing_is_lost(raylets: Cluster, matches: int) -> None:
    """The driver is killed with two thirds to play; when it goes on, a raylet is killed, and later another one."""
    code = "import test_ray_engine as t; t.econzoo.run(t.scripted({}), 'far', engine='ray', ray_address='{}')"
    driver = subprocess.Popen([sys.executable, "-c", code.format(matches, raylets.address)], start_new_session=True)
    wait_for(Path("far/records.jsonl"), matches // 3)
    driver.kill()
    driver.wait()
    left = missing_matches(scripted(matches), "far")
    assert matches // 4 < len(left) < matches
    kill_at = [len(left) // 3, 2 * len(left) // 3]
    done = 0

    def told(more: int) -> None:
        nonlocal done
        done += more
        if kill_at and done >= kill_at[0]:
            kill_at.pop(0)
            raylets.remove_node(next(iter(raylets.worker_nodes)), allow_graceful=False)
            raylets.add_node(num_cpus=1)

    with open_engine("ray", raylets.address):
        assert run(scripted(matches), "far", on_progress=told, jobs=2) == len(left)
    assert not kill_at
    run(scripted(matches), "here", jobs=1)
    assert played("far") == played("here")
    assert not Path("far/records.jsonl.failed").exists()


def wait_for(path: Path, lines: int) -> None:
    """Until so many lines are in a file."""
    until = time.monotonic() + LONG_ENOUGH
    while not path.exists() or path.read_bytes().count(b"\n") < lines:
        assert time.monotonic() < until
        time.sleep(0.01)


def test_who_has_nothing_to_do_takes_over_from_a_slow_node(raylets: Cluster, pennies: None) -> None:
    """The first actor takes a tenth of a second for each match: the other one plays most of them."""
    design = new_design("pennies", ["slowed", "random"], lineups=[("slowed", "random")], seeds=256)
    started = time.monotonic()
    with open_engine("ray", raylets.address):
        run(design, "o", jobs=2)
    assert len(played("o")) == 256
    slow = sum(record.seconds > 0.1 for record in read_record_file("o/records.jsonl"))
    assert 0 < slow < 128
    assert time.monotonic() - started < LONG_ENOUGH


def test_matches_of_models_share_their_batches_in_an_actor_and_go_on_when_it_is_killed(raylets: Cluster) -> None:
    """What the actor was told until then is not asked again."""
    killed: list[int] = []
    with BadDay({}) as good:
        run(asked(good), "here", concurrent=4)
    with (
        BadDay(lambda call: killed.append(kill_actors()) if call == KILLED_AT else None) as server,
        open_engine("ray", raylets.address),
    ):
        run(asked(server), "far", jobs=1, concurrent=4)
    assert moves("far") == moves("here")
    assert killed == [1]
    assert server.calls - good.calls <= 2 * 4  # none if all replies were reported before the actor died


KILLED_AT = 20
"""The call of a server at which actors are killed."""


def asked(server: BadDay) -> Design:
    spec = f"openai:m@{server.url}?concurrency=4&constrained=yes"
    return new_design("bargaining", [spec, "fair"], lineups=[(spec, "fair")], seeds=12)


def moves(folder: str) -> dict[int, list[Any]]:
    return {one["seed"]: [turn["action"] for turn in one["turns"]] for one in played(folder)}


def kill_actors() -> int:
    """Kills all that run under this process; their number."""
    killed = 0
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            if process.cmdline()[:1] == ["ray::ActorCalls.run"]:
                process.send_signal(signal.SIGKILL)
                killed += 1
    return killed


def test_canned_models_answer_in_actors(raylets: Cluster) -> None:
    spec = 'mock:hello|{"kind": "accept"}'
    design = new_design("bargaining", [spec, "fair"], lineups=[(spec, "fair"), ("fair", spec)], seeds=8)
    econzoo.run(design, "far", engine="ray", ray_address=raylets.address)
    econzoo.run(design, "here")
    assert played("far") == played("here")
    far, here = (
        [(*one[:3], one.response) for one in econzoo.baselines.read_call_log(Path(name))] for name in ("far", "here")
    )
    assert far == here
    assert far


def test_models_are_asked_in_actors_what_comes_next(raylets: Cluster) -> None:
    """What they said there is not asked again."""
    econzoo.run(new_design("bargaining", ["random", "fair"], seeds=8), "o")
    how: dict[str, Any] = {"predictor": ['mock:{"probability": 0.5, "reason": "Who knows."}'], "concurrent": 4}
    econzoo.analyze("o", "predict", **how, engine="ray", ray_address=raylets.address)
    (file,) = Path("o/judging").iterdir()
    told = file.read_text()
    assert '"probability":0.5' in told
    econzoo.analyze("o", "predict", **how)
    assert file.read_text() == told


@pytest.mark.long
def test_an_actor_that_dies_while_it_is_at_nothing_is_dead_at_its_next_call(raylets: Cluster) -> None:
    """Ray starts it again, but what it was told before is gone."""
    with open_engine("ray", raylets.address):
        worker: Any = current_engine().make_worker(0)
        killed = worker.submit(os.getpid).result()
        os.kill(killed, signal.SIGKILL)
        ray.get(worker._actor.__ray_ready__.options(max_task_retries=-1).remote())
        says(worker.death(worker.submit(os.getpid).exception()), "died", "again")
        assert worker.submit(os.getpid).result() != killed


def test_what_ray_does_to_an_actor_is_a_death_and_what_a_call_raises_is_not() -> None:
    actor = Actor.__new__(Actor)
    says(actor.describe_death(OutOfMemoryError("the node has no memory left")), "OutOfMemoryError", "no memory left")
    with refuses(ValueError, "of the call"):
        actor.describe_death(RayTaskError("run", "", ValueError("of the call")))


def test_an_address_without_a_cluster_is_refused() -> None:
    with refuses(ConnectionError, "address"), open_engine("ray", "127.0.0.1:1"):
        pass
