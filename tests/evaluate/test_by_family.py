"""Tables by family against computation by hand, and coverage of their intervals."""

from __future__ import annotations

from math import isclose
from statistics import fmean

import numpy as np
import pytest

import econzoo
from benchmark_scripts import load_benchmark
from econzoo.baselines import HELD_OUT_FAMILIES, members
from econzoo.baselines.pools import families
from econzoo.envs.core import game
from econzoo.evaluate.run import FIRST_SEED
from econzoo.evaluate.stats import mean_of_draws, p_value_of_mean
from econzoo.evaluate.suites import evaluate_families, named_families
from econzoo.evaluate.suites.families import FamilyTable, _holm
from econzoo.train.rl.recipe import PPORecipe
from refusals import refuses

SETTINGS = ["ultimatum", "two-rounds"]


def test_gains_are_means_over_members_seats_and_settings() -> None:
    kinds = {"firm": ["fair", "greedy(0.8)"], "late": ["deadline(0.6, 2, 0.4)"]}
    found = evaluate_families("bargaining", ["acceptor(0.3)"], kinds, SETTINGS, jobs=1)
    params = [game("bargaining").scenarios.SETTINGS[name] for name in SETTINGS]

    def gain(spec: str, other: str, **setting: object) -> float:
        first, second = (
            econzoo.play("bargaining", pair, seed=FIRST_SEED, **setting) for pair in ([spec, other], [other, spec])
        )
        return (first.metrics["gains"][0] + second.metrics["gains"][1]) / 2

    for row, (family, specs) in enumerate(kinds.items()):
        for place, setting in enumerate(params):
            for spec in ("acceptor(0.3)", "fair", "spe"):
                expected = fmean(gain(spec, other, **setting) for other in specs)
                table = found.by_script[found.scripts.index(spec)]
                assert table[row, place] == pytest.approx(expected), (family, spec)
        assert found.learned[0][0, row].tolist() == found.by_script[found.scripts.index("acceptor(0.3)"), row].tolist()
    gap = next(one for one in found.gaps() if one.script == "fair")
    own, fair = found.learned[0][0], found.by_script[found.scripts.index("fair")]
    assert gap.over_families == mean_of_draws((own - fair).mean(axis=1).tolist())
    assert gap.lowest[1] == min((own - fair).mean(axis=1))


def test_families_are_the_held_out_ones_or_those_that_are_named() -> None:
    assert named_families("bargaining", []) == families("bargaining", HELD_OUT_FAMILIES)
    assert list(named_families("bargaining", ["mirror", "fair"]).items())[1] == ("fair", ["fair"])
    with refuses(ValueError, "program_matrix has no families", "--opponents"):
        named_families("program_matrix", [])
    with refuses(ValueError, "different scripts", "--opponents"):
        evaluate_families("persuasion", ["random"], {"a": ["honest"], "b": ["bayes(1)"]}, ["default"])


def table(gains: np.ndarray, scripts: np.ndarray) -> FamilyTable:
    names = [f"family {i}" for i in range(gains.shape[1])]
    return FamilyTable("bargaining", names, ["a"], [gains], [["a"]], ["fair", "spe"][: len(scripts)], scripts)


def test_intervals_over_families_and_over_settings_cover_the_mean_in_19_of_20_samples() -> None:
    rng, draws, covered = np.random.default_rng(1), 2000, np.zeros(2)
    for _ in range(draws):
        over_families = rng.normal(0.0, 0.05, (6, 1)) + np.zeros((6, 5))
        over_settings = rng.normal(0.0, 0.05, (1, 5)) + np.zeros((6, 5))
        (first,) = table(over_families[None], np.zeros((1, 6, 5))).gaps()
        (other,) = table(over_settings[None], np.zeros((1, 6, 5))).gaps()
        covered += [one.low <= 0.0 <= one.high for one in (first.over_families, other.over_settings)]
    assert np.all(np.abs(covered / draws - 0.95) < 4 * np.sqrt(0.95 * 0.05 / draws)), covered


def test_a_p_value_is_below_the_level_exactly_where_the_interval_excludes_0() -> None:
    rng = np.random.default_rng(2)
    for count in (2, 3, 8):
        for _ in range(50):
            values = rng.normal(0.5, 1.0, count).tolist()
            found = mean_of_draws(values)
            assert (p_value_of_mean(values) < 0.05) == (found.low > 0 or found.high < 0), values
    assert isclose(p_value_of_mean([0.0, 2.0]), 0.5)  # t = 1 with one degree of freedom, Cauchy


def test_holm_tests_the_smallest_p_value_at_the_smallest_level() -> None:
    for values, rejected in (
        ([0.01, 0.04, 0.03], [True, False, False]),  # 0.05 / 3, then 0.03 > 0.05 / 2
        ([0.01, 0.04, 0.02], [True, True, True]),
        ([0.02, 0.02, 0.02], [False, False, False]),
    ):
        assert _holm(values) == rejected, values


def test_what_is_left_out_goes_with_the_mixed_families_that_may_have_its_rule() -> None:
    kinds = families("bargaining")
    for family, away in (
        ("mirror", {"mirror", "irregular", "switch"}),
        ("irregular", {"irregular"}),
        ("late", {"late"}),
        ("logit", {"logit"}),
    ):
        recipe = PPORecipe("bargaining", opponents=["families"], leave_out=[family])
        assert recipe.opponents == members("bargaining", [name for name in kinds if name not in away]), family
    with refuses(ValueError, "mirrors", "mirror"):
        PPORecipe("bargaining", opponents=["families"], leave_out=["mirrors"])
    with refuses(ValueError, "no opponents are left"):
        PPORecipe("bargaining", opponents=["mirror"], leave_out=["mirror"])


def test_a_file_that_is_not_the_sealed_one_is_not_opened(tmp_path, capsys) -> None:
    strangers = load_benchmark("strangers")
    file = tmp_path / "strangers_a.py"
    file.write_text("raise SystemExit('it was run')")
    digest = strangers.sha256(file.read_bytes()).hexdigest()
    assert strangers.check_seals(tmp_path, {"a": digest}) == {"a": file}
    for seals, named in (({"a": "0" * 64}, "not the file"), ({"a": digest, "b": digest}, "missing"), ({}, "no seal")):
        with pytest.raises(SystemExit, match=named):
            strangers.check_seals(tmp_path, seals)
    for players in ("fair", "spe"):
        strangers.log_opening(tmp_path / "opened.toml", [players], ["a"])
    assert "by fair\nresults are validation from now on" in capsys.readouterr().out
