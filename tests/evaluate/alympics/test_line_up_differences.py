"""Line-ups of a setting meet the same luck: they are compared game by game."""

import math

import pytest

from econzoo.evaluate.alympics.line_up_differences import Played, behind_best, difference_tables

LUCK = (5, 1, 4, 2, 3, 0, 5, 1)
"""What a seed brings to everybody, by far more than the line-ups differ."""


def games(setting, **more):
    return [
        Played(setting, lineup, seed, luck + less * (1 + seed % 2 / 10))
        for lineup, less in more.items()
        for seed, luck in enumerate(LUCK)
    ]


def test_the_luck_that_line_ups_share_cancels():
    (gap,) = behind_best(games("scarce", good=0.0, bad=-0.5))
    assert gap[:3] == ("scarce", "good", "bad")
    assert gap.gap.mean == pytest.approx(0.525)
    assert 0.5 < gap.gap.low < gap.gap.high < 0.55
    assert gap.gap.distinct


def test_every_setting_has_its_own_best_and_all_are_counted_together():
    found = behind_best([*games("scarce", a=0.0, b=-0.5), *games("plenty", a=-0.5, b=0.0), *games("medium", a=1.0)])
    assert [(one.setting, one.best) for one in found] == [("scarce", "a"), ("plenty", "b")]
    (table,) = difference_tables(found, "survivors")
    assert [row[-1] for row in table.rows] == ["yes", "yes"]
    assert table.title.startswith("Survivors less than that of the best line-up")


def test_games_that_have_no_value_are_left_out():
    known = games("scarce", a=0.0, b=-0.5)
    assert behind_best([*known, Played("scarce", "c", 0, math.nan)]) == behind_best(known)
    assert behind_best([]) == []
    assert difference_tables(behind_best(games("scarce", a=0.0, b=0.0)), "survivors") == []  # no gap, no interval
