"""Rounds in which a program fails are paid by the rules of the match: ranks are told without and with them."""

from __future__ import annotations

import math

import pytest
from program_sources import COOPERATE, DEFECT

from econzoo.evaluate.analyses.programs.measures import measure
from econzoo.evaluate.analyses.programs.tables import ranking_tables
from econzoo.evaluate.show import write_value
from refusals import says

pytest.importorskip("radon")
GAME = "program_matrix"


@pytest.fixture
def kind_and_harsh(by_hand):
    """Ann cooperates with her like; Ben defects, and meets an author without a program in the second round."""

    def payoffs(record, *pairs):
        for ruling, pair in zip(record.rulings, pairs, strict=True):
            for result, payoff in zip(ruling["results"], pair, strict=True):
                result["payoff"] = payoff
        return record

    kind = by_hand([(COOPERATE, COOPERATE, "CCCC", "CCCC"), (COOPERATE, COOPERATE, "CCCC", "CC-C")])
    harsh = by_hand([(DEFECT, DEFECT, "DDDD", "DDDD"), (DEFECT, COOPERATE, "DDDD", "----")], seed=1)
    kind.players, harsh.players = ["ann", "ann"], ["ben", "cid"]
    return [payoffs(kind, (12.0, 12.0), (9.0, 10.0)), payoffs(harsh, (4.0, 4.0), (20.0, 0.0))]


def test_payoffs_are_told_without_and_with_failed_rounds(kind_and_harsh):
    table = measure(kind_and_harsh).table.set_index(["player", "seat", "round"])
    assert table.loc[("ann", 0, 1), "payoff"] == table.loc[("ann", 0, 1), "payoff_with_failed"] == 3.0
    assert table["payoff"].isna().tolist() == [False, False, True, True] * 2  # whoever failed, for both
    assert table.loc[("ben", 0, 2), "payoff_with_failed"] == 5.0
    assert table.loc[("ben", 0, 2), ["failed", "failed_against"]].tolist() == [0, 4]


def test_failed_rounds_do_not_lift_a_defector(kind_and_harsh):
    ranking = ranking_tables(measure(kind_and_harsh), GAME)[0]
    texts = [[write_value(*pair) for pair in zip(ranking.columns, row, strict=True)] for row in ranking.rows]
    rows = {row[0]: row[1:] for row in texts}
    assert all(math.isnan(row[1].low) for row in ranking.rows)
    assert next(iter(rows)) == "ann"
    assert rows["ann"] == ["3.00", "1", "1", "4", "2.69"]
    assert rows["ben"] == ["1.00", "0", "1", "2", "3.00"]  # with failed rounds it would be the first
    assert rows["cid"] == ["1.00", "1", "0", "2", "0.50"]


def test_the_others_are_compared_with_the_first_in_the_same_seeds(by_hand):
    matches = [by_hand([(COOPERATE, DEFECT, "CC", "DD" if seed else "DC")], seed) for seed in range(8)]
    for seed, one in enumerate(matches):
        for result, payoff in zip(one.rulings[0]["results"], (0.0, 10.0 - seed % 3), strict=True):
            result["payoff"] = payoff
    _, gaps = ranking_tables(measure(matches), GAME)
    says(gaps.title, "ben")
    ((name, gap, certain),) = gaps.rows
    assert (name, certain) == ("ann", True)
    assert gap.mean == pytest.approx(sum(10 - seed % 3 for seed in range(8)) / 16)
