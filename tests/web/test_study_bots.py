"""Bots take part in studies: what they find, what they cannot miss, and that example studies are without fault."""

from __future__ import annotations

import dataclasses
import json
import random
import re
import shutil
import socket
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stderr
from io import StringIO
from pathlib import Path
from statistics import fmean
from threading import Thread
from typing import Any

import pytest

pytest.importorskip("uvicorn", reason="the pages of studies need the extra web")

from participant import file_of
from test_items import png
from test_study_items import KINDS
from test_study_stages import PARTS

from econzoo.__main__ import main
from econzoo.envs.core import games
from econzoo.evaluate.serving.connections import build_server
from econzoo.people.bots import Crowd
from econzoo.people.bots.bot_behaviour import LEAVING_STAGES, WAITING, WAYS_TO_LEAVE, sample_behaviours
from econzoo.people.bots.form_filling import amount_in_bounds, parse_bounds
from econzoo.people.bots.story import Stay
from econzoo.people.bots.testing import mean_minutes
from econzoo.people.bots.trial import LOG, ServerProcess, TrialResult, run_trial
from econzoo.people.bots.verdict import ExportedStudy, Verdict
from econzoo.people.participation import entry_link
from econzoo.people.server import new_site
from econzoo.people.study import DESIGNS, Study, design_example, example_study, read_study, speed_up
from econzoo.people.study.settings import load_design
from econzoo.people.study_server import RunningStudy, build_app, prepare_folder
from exhaustive import long_unless
from refusals import says

SPEED = 300.0
"""At which a tenth of a second stands for half a minute."""


def study_of(folder: Path, text: str) -> Study:
    """A study in a file of its own."""
    folder.mkdir(exist_ok=True)
    (folder / "study.toml").write_text(text, encoding="utf-8")
    return read_study(folder / "study.toml")


def trial(folder: Path, text: str, people: int, drop: int = 0, **given: object) -> tuple[Study, TrialResult]:
    """Bots have taken part in a study."""
    study, home = study_of(folder, text), folder / "home"
    home.mkdir()
    crowd = Crowd(people, drop, arrive=0.3, think=30 / SPEED, speed=SPEED)._replace(**given)
    return speed_up(study, SPEED), run_trial(study, crowd, home)


def reasons(study: Study, seen: TrialResult) -> list[str]:
    """What was wrong."""
    return Verdict(study, seen, ExportedStudy(seen.folder, seen.folder.parent / "export.zip")).find_problems()


SHORT = {"horizon": 3, "rounds": 2, "days": 2, "length": 4, "max_rounds": 2, "steps": 3}
"""Parameters by which a match is kept short."""


def shortened(text: str) -> str:
    """A file with one short match for each participant."""
    for name, value in SHORT.items():
        text = re.sub(rf"^# {name} = .*$", f"{name} = {value}", text, flags=re.MULTILINE)
    return re.sub(r"^repetitions = .*$", "repetitions = 1", text, flags=re.MULTILINE)


def test_the_example_of_a_game_is_without_fault(tmp_path: Path):
    study, seen = trial(tmp_path, shortened(example_study("matrix", "study.toml")), 6)
    assert reasons(study, seen) == []
    assert sum(bool(one.played_matches) for one in seen.stories) >= 1
    assert all(one.has_ended for one in seen.stories)


class ServerHere(ServerProcess):
    """The server of a study in this process, which takes no time to start."""

    def __init__(self, file: Path, folder: Path, speed: float) -> None:
        study = speed_up(read_study(file), speed)
        site, listening = new_site(texts=study.texts), socket.create_server(("127.0.0.1", 0))
        self._running = RunningStudy(study, prepare_folder(study, folder), site)
        self._running.start()
        self._server = build_server(build_app(self._running, site))
        self._thread = Thread(target=self._server.run, args=([listening],))
        self._thread.start()
        (folder.parent / LOG).touch()
        assert self._parse_entry(entry_link(study, f"http://127.0.0.1:{listening.getsockname()[1]}"))

    def stop(self) -> None:
        self._server.should_exit = True
        self._thread.join()
        self._running.close()


@pytest.mark.long
def test_so_are_all_examples_and_published_designs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Four at a time, on servers in this process; what these tell on standard error is an error."""
    monkeypatch.setattr("econzoo.people.bots.trial.ServerProcess", ServerHere)
    texts = {game: shortened(example_study(game, "study.toml")) for game in games()}
    texts |= {f"{game} of {name}": design_example(name, game, "") for name in DESIGNS for game in load_design(name)}

    def wrong(name: str) -> list[str]:
        study, seen = trial(tmp_path / name, texts[name], 6, drop=1, think=0.03)
        assert all(one.has_ended or one.has_left for one in seen.stories), name
        assert any(one.payoffs for one in seen.stories), name
        return reasons(study, seen)

    with ThreadPoolExecutor(4) as pool, redirect_stderr(StringIO()) as told:
        assert dict(zip(texts, pool.map(wrong, texts), strict=True)) == {name: [] for name in texts}
    assert told.getvalue() == ""


@pytest.mark.parametrize("game", long_unless("matrix".__eq__, games()))
@pytest.mark.slow
def test_so_it_is_when_some_leave_and_the_server_is_killed(game: str, tmp_path: Path):
    text = shortened(example_study(game, "study.toml")).replace("repetitions = 1", "repetitions = 2")
    study, seen = trial(tmp_path, text, 15, drop=4, kill=True)
    assert len(seen.kills) == 1
    assert reasons(study, seen) == []
    assert sum(one.has_left or not one.has_ended for one in seen.stories) <= 4


@pytest.mark.slow
def test_so_is_a_study_with_practice_parts_and_questions_of_all_kinds(tmp_path: Path):
    (folder := tmp_path / "study").mkdir()
    (folder / "map.png").write_bytes(png())
    text = file_of(participants=6, partners="random", move=60).replace("[payment]", f"{KINDS}{PARTS}[payment]")
    study, seen = trial(folder, text, 7, drop=1)
    assert reasons(study, seen) == []
    assert any(one.played_matches == {0, 1, 2} for one in seen.stories)
    through = [one for one in seen.stories if one.has_ended and one.played_matches and not one.behaviour.leaves_at]
    passed = fmean(one.stays[-1].ended - one.stays[0].began for one in through) * SPEED / 60
    assert 0.5 * passed < mean_minutes(seen, SPEED)["minutes"] <= passed, "the estimate has all stages"
    assert sum(one.has_left or not one.has_ended for one in seen.stories) <= 1


# What must be found


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Study, TrialResult]:
    """Six have played in pairs, one has waited in vain, and nothing was wrong."""
    study, seen = trial(tmp_path_factory.mktemp("pairs"), file_of(participants=8, move=60), 7)
    assert reasons(study, seen) == []
    assert sorted(len(one.payoffs) for one in seen.stories) == [0] + [1] * 6
    return study, seen


TAMPERED = {
    "UPDATE participants SET bonus_cents = bonus_cents + 1 WHERE label = 'bot1'": ("bot1", "bonus"),
    "UPDATE participants SET completion_code = 'X' WHERE label = 'bot2'": ("bot2", "code"),
    "UPDATE participants SET completion_code = NULL WHERE label = 'bot3'": ("bot3", "no completion code"),
    "UPDATE answers SET answer = 'another' WHERE kind = 'questionnaire' AND item = 2": ("answers.csv",),
    "UPDATE matches SET record = NULL": ("match 1", "seats.csv"),
    'UPDATE matches SET record = replace(record, \'"kind":"C"\', \'"kind":"D"\')': (
        "does not replay",
        "made the moves",
    ),
}
"""What is changed in the file of a study, and what the verdict says of it."""


@pytest.mark.parametrize("change", TAMPERED)
def test_what_was_changed_afterwards_is_found(change: str, pairs: tuple[Study, TrialResult], tmp_path: Path):
    study, seen = pairs
    folder = tmp_path / "pilot"
    shutil.copytree(seen.folder, folder)
    with sqlite3.connect(folder / "table.sqlite") as db:
        assert db.execute(change).rowcount > 0
    says(" ".join(reasons(study, seen._replace(folder=folder))), *TAMPERED[change])


def test_who_is_passed_over_is_found(pairs: tuple[Study, TrialResult]):
    study, seen = pairs
    study = dataclasses.replace(study, stages=(dataclasses.replace(study.stages[0], repetitions=2),))
    (alone,) = [one for one in seen.stories if not one.payoffs]
    at = next(at for at, stay in enumerate(alone.stays) if stay.stage == WAITING)
    before, wait, after = alone.stays[at - 1 : at + 2]
    others = [one for one in seen.stories if one is not alone]

    def told(own: list[Stay], other: Stay) -> str:
        """What is said of them, if another one waited at that time."""
        changed = [
            dataclasses.replace(alone, stays=own),
            dataclasses.replace(others[0], stays=[other, *others[0].stays]),
        ]
        return " ".join(Verdict(study, seen._replace(stories=[*changed, *others[1:]]), exported).find_problems())

    exported = ExportedStudy(seen.folder, seen.folder.parent / "export.zip")
    ((number, there),) = exported.waiters_in_vain.items()
    all_along, too_late = wait._replace(ended=wait.ended + 1), Stay(WAITING, 0, wait.ended - 0.1, wait.ended + 1)
    assert there == set()
    assert told(alone.stays, all_along) == "", "the server had sent the other one on by then"
    exported.waiters_in_vain[number] = {row["participant"] for row in exported.participants.values()} - {number}
    says(told(alone.stays, all_along), alone.name, "no match 1", f"although {others[0].name} waited too")
    later = [stay._replace(match=1) if stay is wait else stay for stay in alone.stays]
    cases = [(alone.stays, too_late), (alone.stays, all_along._replace(match=1)), (later, all_along)]
    assert [told(own, other) for own, other in cases] == [""] * 3
    soon = [
        before._replace(ended=wait.began),
        wait._replace(ended=wait.began + 0.1),
        after._replace(began=wait.began + 0.1),
    ]
    says(told(soon, too_late), "without a match after 0.1 s")


# Who comes, and what they type


def test_leavers_leave_everywhere_and_in_every_way():
    every = len(LEAVING_STAGES) * len(WAYS_TO_LEAVE)
    found = sample_behaviours(100, every, 2, random.Random(1))
    assert {(one.leaves_at, one.way_to_leave) for one in found if one.leaves_at} == {
        (stage, way) for stage in LEAVING_STAGES for way in WAYS_TO_LEAVE
    }
    assert len([one for one in found if one.browser]) == 2
    assert [one for one in found if one.browser and one.leaves_at] == []
    for drop in range(len(LEAVING_STAGES) + 1):
        assert len({one.leaves_at for one in sample_behaviours(30, drop, 0, random.Random(drop))} - {""}) == drop


@pytest.mark.parametrize(
    ("hint", "low", "high"),
    [
        ("Whole number from 0 to 10,000", 0, 10_000),
        ("Ganze Zahl von 0 bis 10.000", 0, 10_000),
        ("Number from -1.5 to 2.25", -1.5, 2.25),
        ("Zahl von 0 bis 0,5", 0, 0.5),
        ("Number from 40 up", 40, 40),
    ],
)
def test_numbers_fit_the_hint_in_any_language(hint: str, low: float, high: float):
    assert parse_bounds(hint) == (low, high)
    assert all(low <= float(amount_in_bounds(hint, part / 10, integer=False)) <= high for part in range(1, 6))


# The command


@pytest.fixture
def printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """What commands print, in a folder of their own."""
    monkeypatch.chdir(tmp_path)
    return capsys.readouterr


def test_the_command(tmp_path: Path, printed: Any):
    study_of(tmp_path, file_of(participants=2))
    line = ["study", "test", "study.toml", "--think", "0.1", "--arrive", "0", "--out", "tested"]
    with pytest.raises(SystemExit) as ended:
        main(line)
    told = printed().out
    assert not ended.value.code
    says(told, "2 participants", "waiting room", "95%", "No problems")
    result = json.loads(Path("tested", "test.json").read_text(encoding="utf-8"))
    assert (result["people"], result["speed"], result["reasons"]) == (2, 300, [])
    with pytest.raises(SystemExit) as ended:
        main(["study", "plan", "study.toml", "--test", "tested"])
    assert not ended.value.code
    assert f"about {result['minutes']:.0f} minutes" in printed().out


@pytest.mark.parametrize(("more", "named"), [(["--people=2", "--drop=3"], "--drop=3"), (["--out=."], "not empty")])
def test_what_is_not_allowed_is_told(more: list[str], named: str, tmp_path: Path, printed: Any):
    study_of(tmp_path, file_of(participants=2))
    with pytest.raises(SystemExit) as ended:
        main(["study", "test", "study.toml", *more])
    assert ended.value.code
    says(printed().err, named)
