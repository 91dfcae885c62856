"""Tables of learning: gains over training seeds, differences to scripts and shares of the ceiling, known by hand.

In one round acceptor(x) leaves x to the other when it proposes, and takes x or more when it answers. Against
acceptor(0.45) the best that can be had is 0.55 first and 0.45 second, 0.5 on average.
"""

import csv
import json
from math import sqrt
from statistics import fmean, stdev
from zipfile import ZipFile

import numpy as np
import pytest

import econzoo
from econzoo.__main__ import main
from econzoo.baselines import metadata_of
from econzoo.evaluate.analyses import analyze
from econzoo.evaluate.analyses.exploitability import exploitability
from econzoo.evaluate.analyses.learning import Training, learning_table, plain_table, read_learning_tables, trainings
from econzoo.evaluate.analyses.learning import write_learning_table
from econzoo.evaluate.run import Setting, play_all
from econzoo.evaluate.stats import mean_of_draws, predict_draw, quantile
from econzoo.evaluate.suites import evaluation_design
from refusals import refuses, says

ONCE = [Setting("once", {"horizon": 1})]
GAINS = {
    "acceptor(0.45)": 0.5,  # leaves just enough and takes what it is left
    "acceptor(0.5)": 0.25,  # leaves too much, 0.5, and refuses 0.45
    "acceptor(0.4)": 0.225,  # leaves too little and takes 0.45
}
SEEDS = Training("made", {"acceptor(0.45)": 0, "acceptor(0.5)": 1, "acceptor(0.4)": 2})
T = 4.302653
"""97.5% of Student's t with two degrees of freedom."""


@pytest.fixture(scope="module")
def found():
    design = evaluation_design("bargaining", list(SEEDS.seeds), ["acceptor(0.45)"], ONCE, seeds=1, scripts=True)
    return learning_table(design, play_all(design, jobs=1), [SEEDS], "given", ceiling=True)


def test_the_mean_over_seeds_has_students_interval(found):
    (training,) = found.comparisons[0].trainings
    assert {one.spec: one.gain.mean for one in training.policies} == pytest.approx(GAINS)
    half = T * stdev(GAINS.values()) / sqrt(3)
    mean = fmean(GAINS.values())
    assert training.seeds[:3] == pytest.approx((mean, mean - half, mean + half))
    assert training.new_seed[:3] == pytest.approx((mean, mean - 2 * half, mean + 2 * half)), "of one more than three"


def test_the_share_is_of_the_exact_ceiling(found):
    one = found.comparisons[0]
    assert (one.ceiling.gain, one.ceiling.certainty) == (pytest.approx(0.5), "exact")
    assert one.share(one.trainings[0].counted_gain).mean == pytest.approx(0.65)
    assert one.share_of(one.trainings[0].policies[0]) == pytest.approx(1.0)


def test_every_other_script_is_there_and_the_best_one_first(found):
    ""
    one = found.comparisons[0]
    gains = [script.gain.mean for script in one.scripts]
    assert gains == sorted(gains, reverse=True)
    assert not {script.spec for script in one.scripts} & set(GAINS), "those that are measured are no scripts here"
    assert {"fair", "spe", "greedy", "conceder(5)"} <= {script.spec for script in one.scripts}


def test_without_a_ceiling_several_seeds_have_no_share():
    design = evaluation_design("bargaining", list(SEEDS.seeds), ["acceptor(0.45)"], ONCE, seeds=1)
    (one,) = learning_table(design, play_all(design, jobs=1), [SEEDS], "given").comparisons
    (training,) = one.trainings
    assert (one.ceiling, str(training.counted_gain.mean), str(one.share(training.counted_gain).mean)) == (
        None,
        "nan",
        "nan",
    )
    assert training.seeds.mean == pytest.approx(0.325)


def test_each_seat_by_itself_is_what_it_earns_there():
    design = evaluation_design("bargaining", list(SEEDS.seeds), ["acceptor(0.45)"], ONCE, seeds=1, scripts=True)
    both, *seats = learning_table(
        design, play_all(design, jobs=1), [SEEDS], "given", ceiling=True, by_seat=True
    ).comparisons
    earned = {one.role: {own.spec: own.gain.mean for own in one.trainings[0].policies} for one in seats}
    first, second = earned.values()
    assert first == pytest.approx({"acceptor(0.45)": 0.55, "acceptor(0.5)": 0.5, "acceptor(0.4)": 0.0})
    assert second == pytest.approx({"acceptor(0.45)": 0.45, "acceptor(0.5)": 0.0, "acceptor(0.4)": 0.45})
    assert (both.role, [one.ceiling for one in seats]) == ("", [None, None])


def test_seats_by_themselves_need_scripts_beside_them(capsys):
    with pytest.raises(SystemExit):
        main(["evaluate", "bargaining", "fair", "--opponents", "spe", "--by-seat"])
    says(capsys.readouterr().err, "--by-seat", "--scripts")


def test_differences_are_to_scripts_in_the_same_matches(found):
    (training,), scripts = found.comparisons[0].trainings, found.comparisons[0].scripts
    for gap, script in zip(training.gaps, scripts, strict=True):
        assert gap.settings.mean == pytest.approx(gap.seeds.mean)
        assert gap.seeds.mean == pytest.approx(0.325 - script.gain.mean)
        assert gap.seeds.high - gap.seeds.low == pytest.approx(training.seeds.high - training.seeds.low)


def test_holm_counts_the_scripts_of_all_trainings():
    """A second training, which differs from few scripts clearly, leaves the first one fewer."""
    settings = [Setting(f"{last} rounds", {"horizon": last}) for last in range(1, 13)]
    clear, noisy = Training("clear", {"acceptor(0.45)": 0}), Training("noisy", {"linear": 0, "tit-for-tat": 1})
    together, opponents = [*clear.seeds, *noisy.seeds], ["acceptor(0.45)", "conceder(2)"]
    design = evaluation_design("bargaining", together, opponents, settings, seeds=1, scripts=True)
    records = play_all(design, jobs=1)
    both, alone = (
        learning_table(design, records, given, "given").comparisons[0].trainings[0].gaps
        for given in ([clear, noisy], [clear])
    )
    found, least = ({gap.script: gap.settings for gap in gaps} for gaps in (both, alone))
    for name in found:  # the same intervals, but for the order of sums, which depends on how many there are
        assert found[name][:3] == pytest.approx(least[name][:3], abs=1e-12), name
    significant, more = ({name for name in found if gaps[name].distinct} for gaps in (found, least))
    assert significant < more


def test_what_is_kept_is_what_was_found(found, tmp_path):
    write_learning_table(found, tmp_path)
    kept = json.loads((tmp_path / "learning_table.json").read_text())
    assert kept == json.loads(json.dumps(plain_table(found)))
    earned, gaps = read_learning_tables(tmp_path)
    assert "made: mean of 3 seeds" in [row[0] for row in earned.rows]
    assert gaps.title == "made minus scripts"
    row, at = earned.rows[0], [column.key for column in earned.columns].index("new_seed")
    assert row[at][:3] == pytest.approx(found.comparisons[0].trainings[0].new_seed[:3])
    lines = (tmp_path / "learning_table.csv").read_text().splitlines()
    assert lines[1].split(",")[:4] == ["", "training", "made", ""]
    assert lines[0].endswith(",low_new_seed,high_new_seed")
    assert len({len(row) for row in csv.reader(lines)}) == 1


def test_buyers_are_compared_with_buyers_and_with_their_ceiling():
    given = Training("trust(0.5)", {"trust(0.5)": None})
    short = [Setting("short", {"rounds": 3, "message_type": "binary", "high_value": 2.0})]
    design = evaluation_design("persuasion", list(given.seeds), ["honest", "always"], short, seeds=2, scripts=True)
    (buyers,) = learning_table(design, play_all(design, jobs=1), [given], "given", ceiling=True).comparisons
    assert buyers.role == "Bob"
    assert buyers.ceiling.gain == pytest.approx(0.25), "0.5 from honest, nothing from always"
    assert {"honest", "quota"}.isdisjoint(script.spec for script in buyers.scripts)


def test_where_no_solution_is_the_best_scripts_are_what_is_known():
    given = Training("free-rider", {"free-rider": None})
    design = evaluation_design(
        "public_goods", list(given.seeds), ["cooperator"], [Setting("short", {"rounds": 2})], seeds=1, scripts=True
    )
    (found,) = learning_table(design, play_all(design, jobs=1), [given], "given", ceiling=True).comparisons
    assert found.ceiling.certainty == "best known"
    assert found.ceiling.gain == max(one.gain.mean for one in found.scripts), "of one opponent"


def policy(folder, **args):
    """A policy file that says what it was trained with; nobody plays it."""
    folder.mkdir(parents=True)
    about = metadata_of(econzoo.game("bargaining"), 11, "sb3", [4], 64, args)
    with ZipFile(folder / "policy.zip", "w") as archive:
        archive.writestr("econzoo.json", json.dumps(about))
    return f"ppo:{folder}"


def test_a_folder_of_seeds_stands_for_all_of_them(tmp_path):
    for seed in (0, 1, 10):
        policy(tmp_path / f"seed-{seed}", seed=seed, out=str(tmp_path / f"seed-{seed}"), entropy=0.05)
    (training,) = trainings([f"ppo:{tmp_path}"])
    assert list(training.seeds.values()) == [0, 1, 10]
    assert training.name == f"ppo:{tmp_path}"


def test_only_policies_of_one_recipe_are_seeds_of_one_training(tmp_path):
    one, other = (policy(tmp_path / f"a-{seed}", seed=seed, entropy=0.05) for seed in (0, 1))
    third = policy(tmp_path / "b", seed=2, entropy=0.01)
    assert [len(found.seeds) for found in trainings([one, other, third])] == [2, 1]
    again = policy(tmp_path / "again", seed=1, entropy=0.05)
    with refuses(ValueError, "seed 1", "once"):
        trainings([one, other, again])


def run(*arguments):
    """The exit code of a command in this process."""
    with pytest.raises(SystemExit) as ended:
        main([*arguments])
    return ended.value.code


POOL = ["--opponents", "acceptor(0.45)", "-p", "horizon=1", "--seeds", "1", "--jobs", "1", "--ceiling"]


def test_the_command_compares_several_players(capsys):
    assert run("evaluate", "bargaining", "acceptor(0.45)", "acceptor(0.4)", *POOL, "--json", "--no-scripts") == 0
    found = json.loads(capsys.readouterr().out)["comparisons"][0]
    assert [one["share_of_ceiling"]["mean"] for one in found["trainings"]] == pytest.approx([1.0, 0.45])
    assert found["scripts"] == []


def test_exploitability_stands_beside_the_gain(capsys):
    """In one round who leaves what it would take loses nothing to a best response; who would refuse that does."""
    line = ["evaluate", "bargaining", "acceptor(0.45)", "linear", "random", "--no-scripts", "-p", "horizon=1"]
    assert run(*line, "--opponents", "fair", "--seeds", "1", "--exploitability", "--json") == 0
    printed = json.loads(capsys.readouterr().out)
    says(printed["unmeasured_players"].pop("random"), "deterministic")
    assert printed["unmeasured_players"] == {}
    found = printed["comparisons"][0]["trainings"]
    taken = {one["training"]: one["seeds"][0].get("exploitability") for one in found}
    linear = exploitability("linear", "bargaining", [{"horizon": 1}]).mean
    assert taken == {"acceptor(0.45)": pytest.approx(0.0), "linear": pytest.approx(linear), "random": None}
    assert linear > 0.1
    assert [one.get("exploitability", {}).get("mean") for one in found] == [*taken.values()]


def test_exploitability_has_students_interval_over_seeds():
    design = evaluation_design("bargaining", list(SEEDS.seeds), ["acceptor(0.45)"], ONCE, seeds=1, scripts=False)
    measured = {spec: exploitability(spec, "bargaining", [{"horizon": 2}]) for spec in SEEDS.seeds}
    taken = [one.mean for one in measured.values()]
    (one,) = learning_table(design, play_all(design, jobs=1), [SEEDS], "given", exploitability=measured).comparisons
    half = T * stdev(taken) / sqrt(3)
    assert half > 0
    assert one.trainings[0].exploitability[:3] == pytest.approx(
        (fmean(taken), fmean(taken) - half, fmean(taken) + half)
    )


def test_the_ceiling_is_one_of_gains(capsys):
    assert run("evaluate", "bargaining", "fair", "spe", *POOL, "--objective", "fairness") == 1
    says(capsys.readouterr().err, "--ceiling", "objective='fairness'", "self_gain")


def test_the_summary_has_the_table(found, tmp_path):
    pytest.importorskip("matplotlib")
    write_learning_table(found, tmp_path)
    (tmp_path / "learning_curve.csv").write_text("steps,reward\n0,0.1\n10,0.4\n")
    made = analyze(tmp_path).to_html()
    assert "Bayes-adaptive (exact)" in made
    assert ">Learning</a>" in made


def test_quantiles_of_students_t_are_those_of_its_tables():
    for part, freedom, known in [(0.975, 1, 12.7062), (0.975, 2, 4.3027), (0.975, 5, 2.5706)]:
        assert quantile(part, freedom) == pytest.approx(known, abs=1e-4), (part, freedom)


def test_what_one_seed_does_not_know_has_no_interval():
    assert list(map(str, mean_of_draws([0.3, float("nan")])[:3])) == ["nan"] * 3


def test_one_seed_has_no_interval():
    for interval in (mean_of_draws, predict_draw):
        assert interval([0.3])[0] == 0.3
        assert str(interval([0.3]).low) == "nan"


@pytest.mark.parametrize("seeds", [3, 10])
def test_the_interval_of_a_new_seed_holds_it_as_often_as_it_says(seeds):
    draws = np.random.default_rng(1).normal(size=(20_000, seeds + 1))
    held = [low <= new <= high for *seen, new in draws.tolist() for low, high in [predict_draw(seen)[1:3]]]
    assert fmean(held) == pytest.approx(0.95, abs=0.006)
