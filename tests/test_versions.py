"""What docs/versions.md says of numbers and of other versions is what the code does; the papers name the release."""

from __future__ import annotations

import dataclasses
import json
import re
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import gymnasium
import pytest

import econzoo
from econzoo.baselines import policy_files
from econzoo.envs.core import gymnasium_id
from econzoo.envs.core.record import record
from econzoo.evaluate.run import design, replay
from econzoo.train.rl.files import check_same
from toy_games import PENNIES, register_temporarily

pytestmark = pytest.mark.repo

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "versions.md").read_text(encoding="utf-8")
NUMBERS = dict(re.findall(r"^\| ([^|]+?) \| ([^|]+?) \| .+ \| .+ \|$", PAGE, flags=re.MULTILINE))
GAMES = (
    *("environment and rules of a game", "texts of a game", "numeric face of a game"),
    *("reading of replies", "random streams"),
)
"""The rows of a game's versions, in their order."""


def played() -> dict[str, Any]:
    return json.loads(econzoo.play("bargaining", ["mock:*", "fair"], horizon=1).to_json())


def test_the_page_has_the_numbers_of_the_code() -> None:
    assert NUMBERS["format of a file"] == str(record.FORMAT) == str(design.FORMAT)
    assert NUMBERS["package"] == econzoo.__version__
    versions = {econzoo.game(name).versions for name in econzoo.games()}
    assert [NUMBERS[item] for item in GAMES] == list(map(str, versions.pop()))
    assert not versions


def test_the_page_is_short() -> None:
    assert len(PAGE.split()) < 400


@pytest.mark.parametrize("version", ["rules", "numeric"])
def test_a_training_goes_on_with_the_versions_it_was_begun_with(version: str, tmp_path: Path) -> None:
    here = policy_files.metadata_of(econzoo.game("bargaining"), 11, "sb3", [4], 0, {})
    with zipfile.ZipFile(tmp_path / "policy.zip", "w") as archive:
        archive.writestr(policy_files.METADATA, json.dumps(here))
    check_same(tmp_path / "policy.zip", here)
    now = here["versions"] | {version: here["versions"][version] + 1}
    with pytest.raises(
        ValueError, match=re.escape(f"trained with versions {here['versions']}; cannot resume with {now}")
    ):
        check_same(tmp_path / "policy.zip", {**here, "versions": now})


@pytest.mark.parametrize("text", ["rules", "prompt"])
def test_another_wording_shows_in_a_replay_and_not_in_the_id(text: str) -> None:
    given = played()
    assert replay(given) == []
    if text == "rules":
        given["rules"][0] += "!"
    else:
        given["turns"][0]["prompt"] += "!"
    assert [problem.field for problem in replay(given)] == [text]


def test_gymnasium_names_the_new_id_for_an_old_one() -> None:
    with register_temporarily(dataclasses.replace(PENNIES, version=1)):
        with pytest.raises(gymnasium.error.DeprecatedEnv, match="Pennies-v1"), pytest.warns(match="out of date"):
            gymnasium.make(gymnasium_id(PENNIES.name, 0))
        assert econzoo.make(PENNIES.name).metadata["name"] == "pennies_v1"


# What names the release


def test_the_citation_is_valid_and_names_the_release() -> None:
    yaml = pytest.importorskip("yaml")
    given = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert {"cff-version", "message", "title", "authors"} <= set(given), "what CFF 1.2.0 demands"
    assert given["cff-version"] == "1.2.0"
    assert given["authors"] == [{"name": "The EconZoo authors"}]
    assert (given["type"], given["license"], given["version"]) == ("software", "MIT", econzoo.__version__)


def test_the_changelog_begins_with_this_release() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    newest = re.findall(r"^## (.+)$", text, flags=re.MULTILINE)[0]
    assert re.fullmatch(rf"{re.escape(econzoo.__version__)} - (unreleased|\d{{4}}-\d\d-\d\d)", newest)


def test_the_package_says_what_pyproject_says() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["version"] == econzoo.__version__
