"""Matches that other seeds only repeat count once; forfeited ones are told with and without."""

import io

import econzoo
from econzoo.evaluate.analyses.summary import notes, ranking, sentences, summarize
from econzoo.evaluate.analyses.summary.tables import conduct
from econzoo.evaluate.show import show
from econzoo.evaluate.show.numbers import format_interval
from econzoo.evaluate.stats import remove_repeats
from refusals import says


def matches(*players, seeds=3, **params):
    return [
        econzoo.play("bargaining", [one, other], seed=seed, horizon=3, **params)
        for one in players
        for other in players
        for seed in range(seeds)
    ]


def shown(summary):
    out = io.StringIO()
    show([*ranking(summary), *conduct(summary), *notes(summary)], out)
    return " ".join(out.getvalue().split())


def test_a_tournament_without_chance_has_one_match_of_each_pairing():
    records = matches("fair", "spe", "linear")
    summary, once = summarize(records), summarize(matches("fair", "spe", "linear", seeds=1))
    assert (summary.matches, len(summary.repeats), len(summary.played_matches)) == (9, 18, 27)
    assert summary.overall["fair"]["self_gain"].mean == once.overall["fair"]["self_gain"].mean
    assert summary.overall["fair"]["self_gain"].rows == 6
    says(shown(summary), "bargaining: 9 matches", "Deterministic", "3 times")
    says(" ".join(sentences(summary)), "3 players", "1 setting", "9 matches", "Deterministic")
    assert summary.to_dict()["repeats"] == 18
    assert once.repeats_note == ""


def test_where_one_player_draws_all_matches_count():
    records = matches("fair", "random")
    assert remove_repeats(records) == (records, [])
    says(shown(summarize(records)), "9 of 12 matches")  # fair meets itself, and may agree at once


def test_intervals_of_small_width_show_it():
    assert format_interval(0.2583, 0.2617) == "0.258\u20130.262"
    assert format_interval(0.21, 0.31) == "0.21\u20130.31"
    assert format_interval(-0.002, 0.001) == "-0.002 to 0.001", "-0.00 to 0.00 are no two numbers"


def test_gains_are_told_with_and_without_forfeited_matches():
    records = matches("fair", "mock:sorry", seeds=1)  # who only says sorry forfeits whatever it plays
    summary = summarize(records)
    found = summary.overall["fair"]
    assert found["unforfeited_gain"].mean == 0.5
    assert found["self_gain"].mean == 0.25
    told = shown(summary)
    assert "fair 0 2 0.250 0.500" in told
    assert "mock:sorry 3 1 0.000 - -" in told
    assert "forfeited" not in shown(summarize(matches("fair", "spe", seeds=1)))
