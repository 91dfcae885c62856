"""Line-ups of a setting meet the same luck: they are compared game by game."""

import math

import pytest

from econzoo.envs.games.code_reading.items import items
from econzoo.evaluate.analyses import Case, gap_table, gap_tables, group_gaps_to_best
from econzoo.evaluate.analyses.judging import Rating, judging_report, load_rubric
from econzoo.evaluate.analyses.sparc.answers import Answer
from econzoo.evaluate.analyses.sparc.page import reader_differences
from econzoo.evaluate.show import TEXT, Column, csv_of
from econzoo.evaluate.show.files import latex_of

LUCK = (5, 1, 4, 2, 3, 0, 5, 1)
"""What a seed brings to everybody, by far more than the line-ups differ."""


def games(setting, **more):
    return [
        Case(setting, lineup, seed, luck + less * (1 + seed % 2 / 10))
        for lineup, less in more.items()
        for seed, luck in enumerate(LUCK)
    ]


def test_the_luck_that_line_ups_share_cancels():
    (gap,) = group_gaps_to_best(games("scarce", good=0.0, bad=-0.5))
    assert gap[:3] == ("scarce", "good", "bad")
    assert gap.gap.mean == pytest.approx(0.525)
    assert 0.5 < gap.gap.low < gap.gap.high < 0.55
    assert gap.gap.distinct


def test_every_setting_has_its_own_best_and_all_are_counted_together():
    found = group_gaps_to_best(
        [*games("scarce", a=0.0, b=-0.5), *games("plenty", a=-0.5, b=0.0), *games("medium", a=1.0)]
    )
    assert [(one.group, one.best) for one in found] == [("scarce", "a"), ("plenty", "b")]
    table = gap_tables(found, "Survivors", (Column("setting", kind=TEXT), Column("line-up", kind=TEXT)))[-1]
    assert [row[-1] for row in table.rows] == [True, True]
    assert [row[:3] for row in table.rows] == [("scarce", "a", "b"), ("plenty", "b", "a")]


def test_a_table_of_differences_has_those_with_an_interval():
    gaps = [
        (one[:3], one.gap)
        for one in group_gaps_to_best([*games("scarce", a=0.0, b=-0.5), *games("plenty", a=0.0, b=0.0)])
    ]
    table = gap_table("gaps", "Gaps", ("setting", "best", "line-up"), gaps, "Note.")
    assert [row[:3] for row in table.rows] == [("scarce", "a", "b")]
    heads, ((*_, certain),) = csv_of(table)
    assert heads == [
        "setting",
        "best",
        "line-up",
        "gap_to_best",
        "gap_to_best_low",
        "gap_to_best_high",
        "gap_to_best_n",
        "distinct",
    ]
    assert certain == 1
    assert "a & b & $0.53$ & yes" in latex_of(table)
    assert table.legend.startswith("Note. Holm: ")
    assert not gap_table("gaps", "Gaps", ("setting",), [])


def test_games_that_have_no_value_are_left_out():
    known = games("scarce", a=0.0, b=-0.5)
    assert group_gaps_to_best([*known, Case("scarce", "c", 0, math.nan)]) == group_gaps_to_best(known)
    assert group_gaps_to_best([]) == []
    names = (Column("setting", kind=TEXT), Column("name", kind=TEXT))
    assert not gap_tables(group_gaps_to_best(games("scarce", a=0.0, b=0.0)), "", names)[-1]  # no gap, no interval


def test_readers_are_compared_item_by_item():
    """Both are asked ten programs that defect; the worse one is wrong about every second one."""
    defect = [one.name for one in items() if one.label == 0.0][:10]
    given = [
        Answer(player, "-", "plain", item, 0, 0.9 if player == "worse" and at % 2 else 0.1, 0)
        for player in ("worse", "best")
        for at, item in enumerate(defect)
    ]
    ((*names, behind, certain),) = reader_differences(given).rows
    assert (names, behind.mean, certain) == (["plain", "best", "worse"], 0.5, True)


def test_players_that_were_judged_are_compared_match_by_match():
    """One is judged better in nearly every match, by a judge who is mild in some and strict in others."""
    rubric = load_rubric("alympics")
    key = rubric.dimensions[0].key
    ratings = [
        Rating(f"m{at}:{seat}", "ann", key, 2 + at % 3 + (1 - seat) * (at != 4), player=player)
        for at in range(16)
        for seat, player in enumerate(("good", "bad"))
    ]
    ((dimension, best, name, gap),) = judging_report(ratings, rubric).gaps_to_best
    assert (dimension, best, name) == (key, "good", "bad")
    assert gap.mean == 15 / 16
    assert gap.distinct
