"""What a study costs and can find, worked out by hand."""

from __future__ import annotations

import math
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from given import TEXT, study

import econzoo
from econzoo.__main__ import main
from econzoo.envs.core.record import Record
from econzoo.evaluate.stats import quantile
from econzoo.people.study import Assumptions, build_plan, example_study, plan_lines, plan_matches, read_pilot
from econzoo.people.study import warning_lines
from econzoo.people.study.declaration import Payment
from econzoo.people.study.expected_earnings import correlate_settings, expected_bonus
from econzoo.people.study.power import Contrast, WithinContrast, contrasts, detectable_effect, detectable_effect_within
from econzoo.people.study.power import within_contrasts
from exhaustive import long_unless
from refusals import refuses, says

PAYMENT = Payment(fee=1.0, rate=0.01, floor=0.5, cap=2.0, partial=True)


# Detectable effects


def test_the_smallest_detectable_effect() -> None:
    for first, second, correlation, effect in (
        # 64 a group: the textbook's 0.5 of a standard deviation (Cohen 1988, table 2.4.1)
        ((1,) * 64, (1,) * 64, 1.0, 0.500),
        # 17 a group: Cohen's 1.0
        ((1,) * 17, (1,) * 17, 1.0, 0.990),
        # four observations in a group that are all alike are one
        ((4,) * 17, (4,) * 17, 1.0, 0.990),
        # four independent ones are four: half of it
        ((4,) * 17, (4,) * 17, 0.0, 0.495),
        # (1 + 3 x 0.2) / 4 = 0.4 of the variance: the root of 0.4 times 0.990
        ((4,) * 17, (4,) * 17, 0.2, 0.626),
    ):
        contrast = Contrast("a", "b", (first, second))
        found = detectable_effect(contrast, 1.0, correlation)
        assert found == pytest.approx(effect, abs=0.002), correlation
        assert detectable_effect(contrast, 10.0, correlation) == pytest.approx(10 * found)


def test_one_group_is_too_few() -> None:
    assert math.isnan(detectable_effect(Contrast("a", "b", ((12,), (3,) * 12)), 1.0, 1.0))
    assert not math.isnan(detectable_effect(Contrast("a", "b", ((12,) * 2, (3,) * 12)), 1.0, 1.0))


def test_what_is_no_variance_is_refused() -> None:
    for deviation, correlation in (
        (0.0, 1.0),
        (-1.0, 1.0),
        (math.nan, 1.0),
        (1.0, 1.1),
    ):
        with refuses(ValueError, deviation if correlation == 1.0 else correlation):
            detectable_effect(Contrast("a", "b", ((1,) * 9, (1,) * 9)), deviation, correlation)


def test_people_who_meet_are_no_independent_observations() -> None:
    """12 people are 3 groups of 4 strangers with 4 x 3 observations, 12 among programs are 12 groups with 3."""
    (contrast,) = contrasts(study(), plan_matches(study()), "bargaining")
    assert contrast == Contrast("people", "program", ((12,) * 3, (3,) * 12))


def test_settings_are_compared_where_nobody_plays_in_two() -> None:
    alone = TEXT[: TEXT.index("[[arms]]")] + TEXT[TEXT.index('[[arms]]\nname = "program"') :]
    once = study_of_text(alone.replace("repetitions = 3", "repetitions = 1"))
    assert contrasts(once, plan_matches(once), "bargaining") == [
        Contrast("setting 1", "setting 2", ((1,) * 12, (1,) * 12))
    ]
    often = study_of_text(alone)
    assert contrasts(often, plan_matches(often), "bargaining") == []


def test_the_smallest_effect_within() -> None:
    for sizes, correlation, paired, effect in (
        # 34 pairs that correlate at 0.5: their differences vary as one observation does, and 34 find 0.5 of that
        (((1, 1),) * 34, 1.0, 0.5, 0.495),
        # without correlation, the root of 2 times that
        (((1, 1),) * 34, 1.0, 0.0, 0.700),
        # four alike observations are one; four independent ones halve it
        (((4, 4),) * 34, 1.0, 0.5, 0.495),
        (((4, 4),) * 34, 0.0, 0.5, 0.2475),
        # va = 1 and vb = 0.25: the root of 1 + 0.25 - 2 x 0.5 x 0.5 = 0.75
        (((1, 4),) * 34, 0.0, 0.5, 0.429),
    ):
        within = WithinContrast("a", "b", sizes)
        assert detectable_effect_within(within, 1.0, correlation, paired) == pytest.approx(effect, abs=0.002), sizes
        assert detectable_effect_within(within, 7.0, correlation, paired) == pytest.approx(7 * effect, abs=0.02), sizes


def test_power_is_as_told_in_simulated_pairs() -> None:
    """Of 4,000 studies with 20 pairs and that effect about 80% find it."""
    rng = np.random.default_rng(1)
    effect = detectable_effect_within(WithinContrast("a", "b", ((1, 1),) * 20), 1.0, 1.0, 0.6)
    shared, own = rng.normal(size=(4000, 20)) * 0.6**0.5, rng.normal(size=(2, 4000, 20)) * 0.4**0.5
    differences = effect + (shared + own[0]) - (shared + own[1])
    t = differences.mean(axis=1) / (differences.std(axis=1, ddof=1) / 20**0.5)
    assert np.mean(np.abs(t) > quantile(0.975, 19)) == pytest.approx(0.8, abs=0.03)


def test_settings_that_the_same_groups_play_are_compared_within_them() -> None:
    alone = TEXT[: TEXT.index("[[arms]]")] + TEXT[TEXT.index('[[arms]]\nname = "program"') :]
    (within,) = within_contrasts(study_of_text(alone), plan_matches(study_of_text(alone)), "bargaining")
    assert (within.first, within.second, len(within.sizes)) == ("setting 1", "setting 2", 24)
    assert {sum(sizes) for sizes in within.sizes} == {3}, "three matches of each participant"
    once = study_of_text(alone.replace("repetitions = 3", "repetitions = 1"))
    assert within_contrasts(once, plan_matches(once), "bargaining") == []
    told = plan_lines(build_plan(study_of_text(alone), Assumptions(deviation=10.0, setting_correlation=0.3)))
    says(next(line for line in told if "setting 1" in line), "setting 2", 24)
    says(told[-1], 0.3)


def test_what_is_no_correlation_is_refused() -> None:
    for paired in (
        1.0,
        -1.1,
        math.nan,
    ):
        with refuses(ValueError, paired, -1, 1):
            detectable_effect_within(WithinContrast("a", "b", ((1, 1),) * 9), 1.0, 1.0, paired)


def test_the_correlation_of_two_settings_comes_from_an_export(tmp_path: Path) -> None:
    """Who earns 10 more than others in one setting earns 10 more in the other: all that differs is of the person."""
    found, rows = [], ["match,group"]
    for group in range(12):
        for money in (100, 10000):
            record = econzoo.play("bargaining", ["fair", "boulware(0.2)"], seed=group, money=money, horizon=12)
            record.players, record.payoffs = ["human", "boulware(0.2)"], [money / 2 + 10 * group, 0.0]
            record.id = record.match_id()
            found.append(record)
            rows.append(f"{record.id},{group + 1}")
    (tmp_path / "records.jsonl").write_text("".join(one.to_json() + "\n" for one in found), encoding="utf-8")
    assert read_pilot(study(), "bargaining", tmp_path).paired_correlation is None, "nothing tells the groups"
    (tmp_path / "seats.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    assert read_pilot(study(), "bargaining", tmp_path).paired_correlation == (0.99, 12)
    for place, record in enumerate(found):  # now what differs is opposed
        record.payoffs = [record.params["money"] / 2 + (10 if place % 2 else -10) * (place // 2 - 5.5), 0.0]
    assert correlate_settings(found, {one.id: str(place // 2) for place, one in enumerate(found)}) == (
        pytest.approx(-1.0),
        12,
    )
    assert correlate_settings(found[:18], {one.id: str(place // 2) for place, one in enumerate(found)}) is None


def study_of_text(text: str) -> econzoo.people.study.study_file.Study:
    from econzoo.people.study.study_file import parse_study

    return parse_study(text, Path("pilot.toml"))


# Costs


def test_the_expected_bonus() -> None:
    for payoffs, repetitions, cents in (
        ([60.0], 2, 120),  # 2 x 60 x 0.01
        ([300.0], 1, 200),  # the cap
        ([0.0, 300.0], 1, 125),  # half the floor, half the cap; the bonus of the mean would be 1.50
    ):
        found = expected_bonus([[[payoff] for payoff in payoffs]] * repetitions, PAYMENT)
        assert found == pytest.approx(cents, rel=0.03), payoffs


def test_a_plan_in_words() -> None:
    told = plan_lines(build_plan(study(), Assumptions(payoff=1000.0, deviation=1500.0)))
    says(told[0], "USD 144.00", "USD 24.00", 24)
    says(told[1], "USD 60.00", "USD 1.00", "USD 1.50", "1,000")
    says(told[-5], 0.05, 0.8)
    # (t[0.975, 13] + t[0.8, 13]) x 1500 x sqrt(1/3 + 1/12) = (2.160 + 0.870) x 968.2
    says(told[-4], "people", "program", 3, 12, "2,934")
    # all 15 groups play in both settings: (t[0.975, 14] + t[0.8, 14]) x 1500 x sqrt(2 / 15) = (2.145 + 0.868) x 547.7
    says(told[-3], "setting 1", "setting 2", 15, "1,650")
    says(told[-1], 0)


def test_time_is_that_of_all_stages() -> None:
    """One round of bargaining is a move of each: 30 seconds, as a question takes; 5 minutes for other pages."""
    once = "[stages.settings]\nhorizon = 1\n"
    practice = f'[[stages]]\nkind = "practice"\nopponent = "fair"\n{once}'
    text, question = '[[stages]]\ntext = "Read."\n', '[[stages.items]]\nquestion = "Why?"\n'
    game = f'[[stages]]\nkind = "game"\nrepetitions = 2\n{once}'
    for stages, minutes in (
        (game, 6.0),
        (game + game, 7.0),
        (practice + text + "[[stages]]\n" + question + question + game, 8.0),
    ):
        plan = build_plan(study_of_text(TEXT.replace("[payment]", f"{stages}[payment]")), Assumptions())
        assert plan.minutes == pytest.approx(minutes), stages
    told = next(line for line in plan_lines(plan) if line.startswith("Time"))
    says(told, "about 8 minutes", "6.5 of them on pages outside the game")


def test_a_plan_that_finds_only_very_large_effects_is_warned_of() -> None:
    warned = warning_lines(build_plan(study(), Assumptions(payoff=1000.0, deviation=1500.0)))
    # 2,934 and 1,650 of the test above, in standard deviations; four times the groups halve an effect
    says(" ".join(warned), "people vs. program: 1.96", "setting 1 vs. setting 2: 1.1", 4)
    assert warned == warning_lines(build_plan(study(), Assumptions())), "in standard deviations where none is known"
    many = replace(study(), matching=replace(study().matching, participants=240))
    assert warning_lines(build_plan(many, Assumptions())) == []


def records(*payoffs: tuple[float, float]) -> list[Record]:
    """Matches of the study's first setting between a person and a script, with other payoffs."""
    found = []
    for seed, pair in enumerate(payoffs):
        record = econzoo.play("bargaining", ["fair", "boulware(0.2)"], seed=seed, money=100, horizon=12)
        record.players, record.payoffs, record.turns[0].seconds = ["human", "boulware(0.2)"], list(pair), 12.0
        found.append(record)
    return found


def test_a_plan_from_records(tmp_path: Path) -> None:
    file = tmp_path / "records.jsonl"
    file.write_text("".join(one.to_json() + "\n" for one in records((40, 60), (50, 50), (60, 40))), encoding="utf-8")
    found = read_pilot(study(), "bargaining", file)
    assert found.payable_payoffs == ((40,), (50,), (60,)), "those of people"
    assert found.deviation == pytest.approx(10)  # 40, 50, 60
    assert (found.has_people, found.has_study_settings, found.matches) == (True, True, 3)
    plan = build_plan(study(), Assumptions(records={"bargaining": found}))
    says(plan.bonus_basis, 3)
    assert plan.assumptions.deviation_in("bargaining") == pytest.approx(10)


def test_records_of_another_game_say_nothing(tmp_path: Path) -> None:
    file = tmp_path / "records.jsonl"
    file.write_text(econzoo.play("matrix", ["random", "random"]).to_json() + "\n", encoding="utf-8")
    with refuses(ValueError, file, "bargaining"):
        read_pilot(study(), "bargaining", file)


def test_a_match_that_was_cut_has_no_payoff_to_plan_with(tmp_path: Path) -> None:
    cut = econzoo.play("bargaining", ["greedy", "greedy"], horizon=9, max_cycles=2)
    file = tmp_path / "records.jsonl"
    file.write_text(cut.to_json() + "\n", encoding="utf-8")
    with refuses(ValueError, file, "bargaining"):
        read_pilot(study(), "bargaining", file)
    ended = records((40, 60))[0]
    file.write_text(cut.to_json() + "\n" + ended.to_json() + "\n", encoding="utf-8")
    assert read_pilot(study(), "bargaining", file).payable_payoffs == ((40,),)


# The commands


@pytest.mark.parametrize("game", long_unless(lambda game: game in ("bargaining", "public_goods"), econzoo.games()))
def test_the_example_of_every_game_is_read_and_planned(game: str) -> None:
    read = study_of_text(example_study(game, "example.toml"))
    assert read.games == (game,)
    table = plan_matches(read)
    assert {who for one in table for who in one.places} == set(range(read.matching.participants))
    assert build_plan(read, Assumptions()).table == table


def run(*words: str | Path) -> None:
    main([str(word) for word in words])


def test_a_study_is_begun_and_planned(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, out = tmp_path / "own.toml", tmp_path / "plan.md"
    with pytest.raises(SystemExit, match="0"):
        run("study", "init", "bargaining", "--out", file)
    with pytest.raises(SystemExit, match="1"):
        run("study", "init", "bargaining", "--out", file)
    says(capsys.readouterr().err.replace("\n", ""), file)
    with pytest.raises(SystemExit, match="0"):
        run("study", "plan", file, "--preregistration", out)
    told, warned = capsys.readouterr()
    says(told, "USD 60.00", "messages=false")
    says(warned, "warning", "people vs. program: 1.96 standard deviations")
    text = out.read_text(encoding="utf-8")
    says(text, sha256(file.read_bytes()).hexdigest(), "180 seconds")
    says(next(line for line in text.splitlines() if " quiz " in line), 2)


def test_the_randomisation_table_is_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "own.toml"
    file.write_text(TEXT, encoding="utf-8")
    with pytest.raises(SystemExit, match="0"):
        run("study", "plan", file, "--table")
    heads, *rows = capsys.readouterr().out.splitlines()
    assert heads == "planned_match,arm,setting,repetition,group,seat_0,seat_1,seed"
    assert len(rows) == len(plan_matches(study()))
    first = plan_matches(study())[0]
    assert rows[0].startswith("1,people,")
    assert rows[0].endswith(f",P{first.places[0] + 1},P{first.places[1] + 1},{first.seed}")
