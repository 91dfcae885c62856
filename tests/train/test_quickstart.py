"""Quickstart: its curve is measured in the matches of its scripts, and what it says of the agent follows from them."""

from __future__ import annotations

import csv
import math
import sys
import tomllib
from pathlib import Path

import pytest

from econzoo.evaluate.analyses.learning import SeatComparison
from econzoo.evaluate.analyses.learning.learning_table import Gap, PlayerGain, TrainingGain
from econzoo.evaluate.run import settings
from econzoo.evaluate.show import files
from econzoo.evaluate.stats import Difference, Interval
from econzoo.train.rl import quickstart
from econzoo.train.rl.ppo import PPORecipe
from econzoo.train.rl.quickstart import Quickstart
from refusals import refuses

pytestmark = [pytest.mark.models, pytest.mark.slow]

SCRIPTS = ["boulware", "linear", "conceder"]
NONE = Interval(math.nan, math.nan, math.nan, 0)


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The folder of a very short run with three scripts in six settings, and the last thing it says."""
    folder = tmp_path_factory.mktemp("quickstart") / "q"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(quickstart, "pool", lambda name, which: SCRIPTS)
        patch.setattr(quickstart, "validation_settings", lambda played: settings.validation_settings(played)[:6])
        patch.setattr(files, "_write_figure", lambda *given: [])  # drawn on the page, which is enough
        said = quickstart.run(Quickstart(out=folder, timesteps=8192))
    return folder, said


def read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_the_curve_ends_with_the_gain_and_the_interval_of_the_table(out: tuple[Path, str]) -> None:
    *_, last = (row for row in read(out[0] / "ppo" / "learning_curve.csv") if row["opponent"] == quickstart.LEARNER)
    earned = read(out[0] / "learning_table.csv")[0]
    assert last["timesteps"] == "8192"
    for one, other in (("gain", "gain"), ("low", "low_settings"), ("high", "high_settings")):
        assert float(last[one]) == pytest.approx(float(earned[other]), abs=1e-9)


def test_the_best_script_stands_beside_it_at_every_measurement(out: tuple[Path, str]) -> None:
    rows = read(out[0] / "ppo" / "learning_curve.csv")
    agent, beside = ([row for row in rows if (row["opponent"] == quickstart.LEARNER) == own] for own in (True, False))
    assert [row["timesteps"] for row in agent] == [row["timesteps"] for row in beside]
    rows = read(out[0] / "learning_table.csv")
    gains = {row["player"]: float(row["gain"]) for row in rows if row["player"] in SCRIPTS}
    best = max(gains, key=lambda name: gains[name])
    assert {row["opponent"] for row in beside} == {quickstart.BEST.format(best)}
    assert [float(row["gain"]) for row in beside] == pytest.approx([gains[best]] * len(beside), abs=1e-9)


def test_the_training_draws_no_setting_in_which_it_is_measured(out: tuple[Path, str]) -> None:
    options = tomllib.loads((out[0] / "ppo" / "config.toml").read_text(encoding="utf-8"))
    assert (options["settings"], options["eval_settings"]) == ("wide", "validation")
    assert options["opponents"] == options["eval_opponents"] == SCRIPTS


def test_it_says_where_the_report_is_and_how_to_go_on(out: tuple[Path, str]) -> None:
    folder, said = out
    assert f"Report: {folder / 'summary.html'}" in said
    assert f"econzoo play bargaining human ppo:{folder / 'ppo'}" in said
    assert f"econzoo quickstart --out {folder} --model gguf:smollm2" in said
    assert "the agent" in (folder / "summary.html").read_text(encoding="utf-8")


def test_a_model_that_cannot_be_played_is_refused_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "transformers", None)
    with refuses(ImportError, "--model hf:smollm2", "transformers", "econzoo[llm]"):
        quickstart.run(Quickstart(out=tmp_path / "q", model="hf:smollm2"))
    assert not (tmp_path / "q").exists()


def compared(*gaps: tuple[str, float, float]) -> SeatComparison:
    found = [Gap(name, Difference(mean, low, mean + 0.1, False), NONE) for name, mean, low in gaps]
    learned = TrainingGain("ppo", [], Interval(0.4, 0.3, 0.5, 10), NONE, NONE, NONE, NONE, found)
    return SeatComparison("", None, [learned], [PlayerGain(name, None, NONE, 0.0, 0.0) for name, *_ in gaps])


def test_an_interrupted_curve_goes_on(tmp_path: Path) -> None:
    def curve() -> quickstart.LiveCurve:
        recipe = PPORecipe(game="bargaining", out=tmp_path)
        return quickstart.LiveCurve(recipe, lambda model: Interval(0.5, 0.4, 0.6, 6), ("fair", NONE._replace(mean=0.3)))

    for step in (0, 100, 200):
        (going := curve()).open(step)
        going.measure(None, step + 100)
    curve().open(250)
    found = [(row["timesteps"], float(row["gain"])) for row in read(tmp_path / "learning_curve.csv")]
    assert found == [(step, gain) for step in ("100", "200") for gain in (0.3, 0.5)]


def test_it_beats_every_script_only_where_no_interval_holds_0() -> None:
    told = quickstart._format_verdict(compared(("tit-for-tat", 0.03, 0.01), ("fair", 0.05, 0.02)))
    assert "more than every script.\nNext best is tit-for-tat: +0.030 (+0.010 to +0.130, 95%)" in told
    told = quickstart._format_verdict(compared(("tit-for-tat", 0.03, -0.01), ("fair", 0.05, 0.02)))
    assert "significantly more than 1 of 2 scripts,\nbut not than tit-for-tat: +0.030 (-0.010 to +0.130, 95%)" in told
    assert "significantly more than 0 of 1 script" in quickstart._format_verdict(compared(("fair", 0.03, math.nan)))
