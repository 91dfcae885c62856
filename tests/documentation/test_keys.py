"""docs/records.md lists every key of records and other files, and no other, below the heading of what has it."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

import econzoo
from econzoo.baselines.policy_files import KEYS
from econzoo.envs.core.contract import Versions
from econzoo.envs.core.env import RECORDED_OPTIONS
from econzoo.envs.core.record import OPTIONAL_TURN_FIELDS, Provenance, Record, Served, Software, shape
from econzoo.envs.core.record.turn import Turn
from econzoo.evaluate.analyses import TrainingExposure
from econzoo.evaluate.analyses.judging import Judgement
from econzoo.evaluate.analyses.learning.learning_table import LearningTable
from econzoo.evaluate.analyses.prediction.answers import Answer
from econzoo.evaluate.analyses.programs.labels import Label
from econzoo.evaluate.run import RunStart, Sampling, new_design
from econzoo.evaluate.run.replay import UNCHECKED_FIELDS
from econzoo.train.lm import dpo, grpo, iterate, measures, sft
from econzoo.train.rl import curve

pytestmark = pytest.mark.repo

METHODS = ("sft", "dpo", "iterate", "grpo")

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "records.md").read_text(encoding="utf-8")


def rows(heading: str) -> dict[str, str]:
    """The rows of the table of keys below a heading, by key."""
    section = re.split(r"^#+ ", PAGE.partition(f"# {heading}\n")[2], maxsplit=1, flags=re.MULTILINE)[0]
    return dict(re.findall(r"^\| `(\w+)`( ○)? \| .+ \|$", section, flags=re.MULTILINE))


def text_of(key: str) -> str:
    """The meaning of a key of a match, a turn or a manifest."""
    found = re.search(rf"^\| `{key}`(?: ○)? \| (.+) \|$", PAGE, flags=re.MULTILINE)
    assert found is not None, key
    return found[1]


def optional(heading: str) -> set[str]:
    return {key for key, mark in rows(heading).items() if mark}


def test_records_have_the_keys_of_the_page() -> None:
    assert [*rows("The match")] == [field.name for field in fields(Record)]
    assert optional("The match") == {*shape.OPTIONAL_FIELDS}
    assert [*rows("A turn")] == [field.name for field in fields(Turn)]
    assert optional("A turn") == {*OPTIONAL_TURN_FIELDS}
    assert [*rows("A call")] == [*shape.CALL_FIELDS]
    assert optional("A call") == {*shape.OPTIONAL_CALL_FIELDS}


def test_the_manifest_has_the_keys_of_the_page(tmp_path: Path) -> None:
    econzoo.run(new_design("bargaining", ["fair"], seeds=1), tmp_path)
    written = json.loads((tmp_path / "manifest.json").read_text(encoding="utf-8"))
    assert [*rows("The manifest")] == [*written]


@pytest.mark.parametrize(
    ("key", "inner"),
    [
        ("options", RECORDED_OPTIONS),
        ("metrics", ("gains", "efficiency", "fairness", "agreed")),
        ("versions", Versions._fields),
        ("software", Software._fields),
        ("rulings", ("moves", "results")),
        ("replacements", ("seat", "turn", "player", "reason")),
        ("served", Served.__annotations__),
        ("sampling", Sampling._fields),
        ("provenance", Provenance._fields),
        ("run_start", RunStart._fields),
        ("status", shape.STATUSES),
    ],
)
def test_the_row_of_an_object_names_its_keys(key: str, inner: tuple[str, ...]) -> None:
    assert [name for name in inner if f"`{name}`" not in text_of(key)] == []


def test_the_page_names_what_a_replay_does_not_compare() -> None:
    assert f"follows from them: {', '.join(f'`{name}`' for name in UNCHECKED_FIELDS)}." in PAGE


@pytest.mark.parametrize(
    ("heading", "kind"),
    [
        ("Training exposure", TrainingExposure),
        ("Judgements", Judgement),
        ("Labels of programs", Label),
        ("Predictions", Answer),
    ],
)
def test_lines_of_files_have_the_keys_of_the_page(heading: str, kind: Any) -> None:
    assert [*rows(heading)] == [field.name for field in fields(kind)]


def test_policies_and_learning_tables_have_the_keys_of_the_page() -> None:
    assert [*rows("Policies")] == [*KEYS]
    assert {*rows("Learning tables")} == {"format", *LearningTable._fields}


def test_training_files_have_the_keys_of_the_page() -> None:
    """Those of the trainings whose curves are kept, and the validations, which these lack."""
    kept = [json.loads((ROOT / "tests/goldens/curves" / f"{name}.json").read_text()) for name in METHODS]
    validations = {"first_validation", "last_validation"}
    assert {*rows("Trained language models")} == {"software", *validations}.union(*kept)
    assert optional("Trained language models") == validations.union(*kept) - set.intersection(*map(set, kept))


def test_learning_curves_have_the_columns_of_the_page() -> None:
    trainings = sft.SFTRecipe.COLUMNS, dpo.DPORecipe.COLUMNS, grpo.CHAT, grpo.TOOLS, grpo.LEARNING
    rounds = {*curve.HEADER, *curve.EXTRA_COLUMNS, *measures.HEADER, *iterate.HEADER, "seconds"}
    assert {*rows("Learning curves")} == rounds.union(*trainings)
