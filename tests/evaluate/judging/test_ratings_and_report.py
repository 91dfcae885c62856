"""Tables of ratings: alpha against published reliability data, and statistics that can be checked by hand."""

from __future__ import annotations

import csv
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from econzoo.evaluate.analyses.judging import Rating, judgements_page, judging_report, read_ratings
from econzoo.evaluate.analyses.judging.agreement import agreement
from econzoo.evaluate.analyses.judging.report import ALL, JUDGE, PLAYER
from refusals import refuses

TOO_FEW = "two judges"
NO_VARIATION = "are equal"
X = math.nan

CONTENT_ANALYSIS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, X, X, X],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, X, 3],
    [X, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, X],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, X],
]
"""Four observers, twelve units (Krippendorff 2011, Computing Krippendorff's Alpha-Reliability, example C)."""


def test_alpha_of_published_reliability_data():
    found = agreement(CONTENT_ANALYSIS)
    assert (round(found.ordinal, 3), round(found.interval, 3)) == (0.815, 0.849)
    assert (found.items, found.judges, found.ratings, found.undefined) == (11, 4, 40, "")


def test_alpha_worked_by_hand():
    """Two judges, three items: 1 1, 2 2, 1 3.

    Observed disagreement, interval: ordered pairs within items 0, 0, 0, 0, 4, 4 over 6 values: 8 / 6.
    Expected: values 1 1 1 2 2 3; squared differences of the 30 ordered pairs of different values:
    1-2: 6 pairs x 1, 1-3: 3 x 4, 2-3: 2 x 1, each twice: 2 (6 + 12 + 2) = 40; 40 / 30.
    alpha = 1 - (8 / 6) / (40 / 30) = 0.
    """
    assert agreement([[1, 2, 1], [1, 2, 3]]).interval == pytest.approx(0.0, abs=1e-12)


def test_agreement_at_its_best_and_worst():
    best, worst = agreement([[1, 3, 5], [1, 3, 5]]), agreement([[1, 5], [5, 1]])
    assert (best.ordinal, best.interval) == (1.0, 1.0)
    # Worst: disagreement 16 in each item; expected (16 x 8) / 12 of the 12 ordered pairs of 1 1 5 5: 1 - 16 / (32/3).
    assert worst.interval == pytest.approx(-0.5)


def test_where_alpha_is_not_defined_it_says_why():
    for scores, why in [
        ([[1, 2, 3]], TOO_FEW),
        ([[1, X], [X, 2]], TOO_FEW),
        ([[X, X], [X, X]], TOO_FEW),
        ([[4, 4], [4, 4]], NO_VARIATION),
        ([[4, 4, 1], [4, 4, X]], NO_VARIATION),
    ]:
        found = agreement(scores)
        assert math.isnan(found.ordinal), scores
        assert math.isnan(found.interval), scores
        assert why in found.undefined, scores


@given(st.lists(st.lists(st.sampled_from([1, 2, 3, 4, 5, X]), min_size=3, max_size=3), min_size=1, max_size=6))
def test_alpha_is_at_most_1_or_said_to_be_undefined_whoever_comes_first(units):
    scores = np.array(units, dtype=float).T
    found, turned = agreement(scores), agreement(scores[::-1])
    if found.undefined:
        assert math.isnan(found.interval)
        assert turned.undefined == found.undefined
    else:
        assert found.interval <= 1
        assert found.interval == pytest.approx(turned.interval)
        assert found.ordinal == pytest.approx(turned.ordinal)


# Statistics


def ratings(**judges):
    """One dimension, items m0:0, m1:0, ... in order; players p and q in turn."""
    return [
        Rating(f"m{at}:0", judge, "adaptability", score, player="pq"[at % 2])
        for judge, scores in judges.items()
        for at, score in enumerate(scores)
    ]


def test_the_columns_of_table_3(alympics):
    """1 2 3 4 5 5: mean 20/6, sum of squares 80 - 400/6 = 40/3, sd sqrt(8/3), quartiles at 1.25, 2.5, 3.75 steps."""
    found = judging_report(ratings(a=[1, 2, 3, X], b=[4, 5, 5, X]), alympics)
    (row,) = found.rows_by(ALL)
    assert (row.n, row.missing) == (6, 2)
    assert row.mean == pytest.approx(20 / 6)
    assert row.sd == pytest.approx(math.sqrt(8 / 3))
    assert (row.low_quartile, row.median, row.high_quartile) == (2.25, 3.5, 4.75)
    assert math.isnan(row.low), "two matches are too few"
    assert (found.items, found.judges) == (4, ["a", "b"])


def test_means_of_players_and_of_judges(alympics):
    found = judging_report(ratings(a=[1, 2, 1, 2], b=[3, 4, 3, 4]), alympics)
    assert {row.who: row.mean for row in found.rows_by(PLAYER)} == {"p": 2.0, "q": 3.0}
    assert {row.who: row.mean for row in found.rows_by(JUDGE)} == {"a": 1.5, "b": 3.5}
    assert found.agreement["adaptability"].items == 4


def test_intervals_are_over_matches_and_not_scores(alympics):
    """Ten judges of one match say as little about other matches as one; six that differ say something."""
    same = [Rating("m:0", f"j{i}", "adaptability", 1 + i % 5) for i in range(10)]
    (row,) = judging_report(same, alympics).rows_by(ALL)
    assert math.isnan(row.low)
    (row,) = judging_report(ratings(a=[1, 1, 5, 5, 2, 2, 3, 3, 4, 4, 2, 2]), alympics).rows_by(ALL)
    assert (row.low, row.high) == pytest.approx((2.0, 3.8), abs=0.02)


def test_nothing_but_missing_scores(alympics):
    found = judging_report(ratings(a=[X, X], b=[X, X]), alympics)
    (row,) = found.rows_by(ALL)
    assert (row.n, row.missing) == (0, 4)
    assert all(map(math.isnan, (row.mean, row.low, row.high, row.sd, row.low_quartile)))
    assert judgements_page(found, "x", "x").to_dict()["scores"][0]["mean"] is None
    assert found.agreement["adaptability"].undefined.endswith(TOO_FEW)


def test_one_score_has_no_spread(alympics):
    (row,) = judging_report(ratings(a=[4]), alympics).rows_by(ALL)
    assert (row.mean, row.median) == (4, 4)
    assert math.isnan(row.sd)


def test_ratings_given_twice_or_not_at_all_are_refused(alympics):
    with refuses(ValueError, "duplicate", "judge a", "adaptability", "m0:0"):
        judging_report(ratings(a=[4]) * 2, alympics)
    with refuses(ValueError, "ratings"):
        judging_report([], alympics)


def test_the_csv_has_every_row(alympics, tmp_path):
    found = judging_report(ratings(a=[1, 2, 1, 2], b=[3, 4, 3, 4]), alympics)
    judgements_page(found, "r", "x").write(tmp_path)
    with (tmp_path / "r" / "scores.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [(row["by"], row["who"]) for row in rows] == [
        ("all", ""),
        ("player", "p"),
        ("player", "q"),
        ("judge", "a"),
        ("judge", "b"),
    ]
    assert float(rows[0]["alpha_interval"]) == pytest.approx(found.agreement["adaptability"].interval)
    assert rows[1]["alpha_interval"] == ""


# Tables of a study


def table(tmp_path, *rows, heads="item,judge,dimension,score,reason"):
    path = tmp_path / "sheets.csv"
    path.write_text("\n".join([heads, *rows]) + "\n")
    return path


def test_a_table_of_ratings(alympics, tmp_path):
    path = table(tmp_path, "g1:0,ann,IU,4,well read", "g1:0,ben,Information utilisation,2.0,", "", "g2:1,ann,IA,,")
    found = read_ratings(path, alympics).ratings
    assert found[:2] == [
        Rating("g1:0", "ann", "information_utilisation", 4.0, "well read"),
        Rating("g1:0", "ben", "information_utilisation", 2.0),
    ]
    assert math.isnan(found[2].score)
    assert found[2].match == "g2"
    assert Rating("game", "ann", "x", 1.0).match == "game"


def test_a_cell_off_the_scale_is_refused_or_left_out_and_listed(alympics, tmp_path):
    for cell in ["6", "0", "12", "2.5", "five", "2 point", "nan", '",3"', "true"]:
        path = table(tmp_path, "1,ann,IU,4,", f"1,ann,LR,{cell},", "1,ben,LR,17,")
        with refuses(ValueError, "row 3", "column score", "ann on 1, LR", 1, 5, "1 more", "--drop-off-scale"):
            read_ratings(path, alympics)
        found = read_ratings(path, alympics, drop_off_scale=True)
        assert [rating.score for rating in found.ratings] == [4.0], cell
        assert [line.split(", ")[1] for line in found.dropped_cells] == ["row 3", "row 4"], cell


def test_a_table_that_is_none_is_refused(alympics, tmp_path):
    for heads, row, named in [
        ("item,judge,dimension", "1,a,IU", ("'score'", "item, judge, dimension, score")),
        ("item,judge,dimension,score,mood", "1,a,IU,3,", ("'mood'",)),
        (
            "item,judge,dimension,score",
            "1,a,IQ,3",
            ("row 2", "column dimension", "'IQ'", "information_utilisation"),
        ),
        ("item,judge,dimension,score", "1,,IU,3", ("row 2", "column judge")),
        ("item,judge,dimension,score", ",a,IU,3", ("row 2", "column item")),
        ("item,judge,dimension,score", "1,a,IU,3,4", ("row 2", "cells")),
        ("item,judge,dimension,score", "1,a,IU,3\n1,a,IU,3", ("row 3", "a", "IU", 1)),
    ]:
        with refuses(ValueError, "sheets.csv", *named):
            read_ratings(table(tmp_path, row, heads=heads), alympics)


def test_a_table_that_is_no_text_is_refused(alympics, tmp_path):
    path = tmp_path / "sheets.csv"
    path.write_bytes(b"\xff\xfe\x00")
    with refuses(ValueError, path):
        read_ratings(path, alympics)
