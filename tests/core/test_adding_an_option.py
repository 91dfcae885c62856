"""A new option of every environment is one line in the signature of `Options`; all else follows."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from refusals import says

NEW = "        tempo: Annotated[int, Option(Integer(1, 9), recorded=True)] = 1,\n"
BEFORE = '    ) -> None:\n        """Validate the options'

USE = """
import inspect, json, sys, types

import econzoo

module = types.ModuleType("econzoo.envs.core.env.options")
sys.modules[module.__name__] = module
exec(compile(sys.stdin.read(), "options.py", "exec"), vars(module))

from econzoo.evaluate.run.match import play_match
from econzoo.evaluate.run.design import new_design
from econzoo.evaluate.run.replay import replay
from econzoo.evaluate.run.settings import PARAM
from econzoo.wrappers.recording import RecordMatch
from econzoo.wrappers.single_agent import SingleAgentEnv


def refused(**options):
    try:
        return econzoo.make("bargaining", **options)
    except ValueError as error:
        return str(error)


def played(**options):
    return play_match("bargaining", ["fair", "greedy"], seed=1, **options)


def watched(**options):
    env = RecordMatch(econzoo.make("bargaining", **options), ["one", "other"])
    env.reset(seed=1)
    return env.record.options


print(json.dumps({
    "default": econzoo.make("bargaining").options.tempo,
    "set": econzoo.make("bargaining", tempo=3).options.tempo,
    "parallel": econzoo.make_parallel("bargaining", tempo=3).aec.options.tempo,
    "single agent": SingleAgentEnv("bargaining", "fair", tempo=3)._env.options.tempo,
    "refused": refused(tempo=0),
    "help": str(inspect.signature(type(econzoo.make("bargaining"))).parameters["tempo"]),
    "help of commands": "tempo" in PARAM,
    "record": played(tempo=2).options,
    "ids": len({played().id, played(tempo=1).id, played(tempo=2).id}),
    "replay": replay(played(tempo=2)),
    "record of any loop": [watched(), watched(tempo=2)],
    "design": new_design("bargaining", ["fair", "greedy"], tempo=2).options,
}))
"""


def edited() -> str:
    """The source of the options with one line more."""
    found = find_spec("econzoo.envs.core.env.options")
    assert found is not None
    assert found.origin is not None
    source = Path(found.origin).read_text(encoding="utf-8")
    assert source.count(BEFORE) == 1
    return source.replace(BEFORE, NEW + BEFORE)


@pytest.fixture(scope="module")
def seen() -> dict[str, Any]:
    """What a process with that line sees of the option."""
    done = subprocess.run([sys.executable, "-c", USE], input=edited(), capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr
    return json.loads(done.stdout)


def test_one_line_is_enough(seen: dict[str, Any]) -> None:
    for where, what in {
        "default": 1,
        "set": 3,
        "parallel": 3,
        "single agent": 3,
        "help": "tempo: int = 1",
        "help of commands": True,
        "record": {"tempo": 2},
        "ids": 3,
        "replay": [],
        "record of any loop": [{}, {"tempo": 2}],
        "design": {"tempo": 2},
    }.items():
        assert seen[where] == what, where
    says(seen["refused"], "bargaining", "tempo", 0, 1, 9)


def test_the_reference_of_public_names_shows_the_type_and_the_default() -> None:
    griffe = pytest.importorskip("griffe")
    from docstrings import bare

    module = griffe.visit("options", Path("options.py"), edited())
    parameters = [module["Options.__init__"].parameters[name] for name in ("black_death", "tempo")]
    assert [(str(bare(one.annotation)), one.default) for one in parameters] == [("bool | None", "None"), ("int", "1")]
