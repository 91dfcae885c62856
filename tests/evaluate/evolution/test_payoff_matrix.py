"""Payoffs per round with their errors: from matches, from files."""

from __future__ import annotations

import math

import numpy as np
import pytest
from handmade import match
from hypothesis import given, settings
from hypothesis import strategies as st

from econzoo.evaluate.analyses.evolution import StudyOptions, evolution_study, matrix_files, matrix_from_records
from econzoo.evaluate.analyses.evolution import payoff_matrix
from econzoo.evaluate.analyses.evolution.matches import rounds_of
from econzoo.evaluate.analyses.evolution.page import sections
from econzoo.evaluate.analyses.evolution.payoff_matrix import ARRAYS, PayoffMatrix, spread
from econzoo.evaluate.analyses.evolution.payoff_matrix import matrix_from_payoffs as given_matrix
from econzoo.evaluate.analyses.evolution.tables import number_tables
from econzoo.evaluate.show import Table, json_of, write_value
from econzoo.evaluate.show.files import write_parts
from econzoo.evaluate.stats import Columns, Observation, estimate_pairs
from econzoo.evaluate.stats import estimate as tables_estimate
from refusals import refuses, says


def played(first, second, payoffs, seed=0, status="finished", game="bargaining", **params):
    record = match(game, [], players=(first, second), seed=seed, status=status, **params)
    record.payoffs = list(map(float, payoffs))
    return record


def both_orders(first, second, payoffs, **more):
    return [played(first, second, payoffs, **more), played(second, first, payoffs[::-1], **more)]


def test_rounds_of_the_base_game():
    for params, rounds in [
        ({"rounds": 50}, 50),
        ({"rounds": 4, "turns": 10}, 40),
        ({"horizon": 99}, 1),
        ({"rounds": None}, 1),
        ({}, 1),
    ]:
        assert rounds_of(params) == rounds, params


def test_payoffs_are_per_round_whatever_the_length():
    for rounds in [4, 20]:
        records = [played("a", "b", (3 * rounds, 2 * rounds), game="persuasion", rounds=rounds)]
        records += [played("b", "a", (2 * rounds, 3 * rounds), game="persuasion", rounds=rounds)]
        records += [played(x, x, (rounds, rounds), game="persuasion", rounds=rounds) for x in "ab"]
        assert matrix_from_records(records).mean.tolist() == [[1.0, 3.0], [2.0, 1.0]], rounds


def test_both_seats_count_alike_and_oneself_is_met_once():
    """a earns 10 as first and 4 as second against b: 7, however often each was played."""
    records = [played("a", "b", (10, 2), seed=s) for s in range(3)] + [played("b", "a", (6, 4), seed=0)]
    records += [played("a", "a", (8, 2)), played("b", "b", (5, 5))]
    found = matrix_from_records(records)
    assert found.types == ("a", "b")
    assert found.mean.tolist() == [[5.0, 7.0], [4.0, 5.0]]
    assert found.matches.tolist() == [[1, 4], [4, 1]]


def test_the_error_is_that_of_means_over_seeds():
    """Two seeds with the means 2 and 4: error sqrt(2) / sqrt(2) = 1; one seed says nothing."""
    records = both_orders("a", "b", (2, 0), seed=0) + both_orders("a", "b", (4, 0), seed=1)
    records += [played("a", "a", (1, 3)), played("b", "b", (0, 0), seed=0), played("b", "b", (0, 0), seed=1)]
    found = matrix_from_records(records)
    assert found.mean[0, 1] == 3.0
    assert found.error[0, 1] == pytest.approx(1.0)
    assert found.clusters[0, 1] == 2
    assert math.isnan(found.error[0, 0])
    assert found.error[1, 1] == 0.0
    assert found.deviation[0, 1] == pytest.approx(math.sqrt(2))


@given(st.lists(st.tuples(st.floats(-5, 5), st.floats(-5, 5)), min_size=2, max_size=9))
@settings(max_examples=30)
def test_with_both_seats_in_every_cluster_the_error_is_the_usual_one(pairs):
    seen = [Observation(seat, str(at), pair[seat]) for at, pair in enumerate(pairs) for seat in (0, 1)]
    means = np.array(pairs).mean(axis=1)
    found = estimate_pairs(seen)
    assert found.mean == pytest.approx(means.mean(), abs=1e-12)
    assert found.error == pytest.approx(means.std(ddof=1) / math.sqrt(len(means)), abs=1e-9)


def test_intervals_are_those_of_the_means_of_tables_and_need_six_draws():
    """Eight seeds of skewed payoffs: the interval of `estimates.estimate`; of five there is none."""
    payoffs = np.random.default_rng(0).exponential(size=8)
    seen = [Observation(0, str(at), payoff) for at, payoff in enumerate(payoffs)]
    table = Columns({"cluster": np.arange(8), "x": payoffs, "player": np.zeros(8)})
    wanted = tables_estimate(table, ["player"], ["x"])[0.0]["x"]
    found = _matrix_with(estimate_pairs(seen))
    assert [ends[0, 1] for ends in found.interval] == pytest.approx([wanted.low, wanted.high], rel=1e-6)
    assert [ends[0, 0] for ends in found.interval] == pytest.approx([math.nan, math.nan], nan_ok=True), "exact"
    assert np.isnan(_matrix_with(estimate_pairs(seen[:5])).interval).all()
    plain = given_matrix(("a", "b"), np.zeros((2, 2)), np.array([[0.0, 1.0], [2.0, 0.0]]))
    assert plain.interval[1][1, 0] == pytest.approx(2 * 1.96, abs=0.01), "errors of unknown origin are normal"


def _matrix_with(one):
    numbers = (np.array([[0.0, value], [0.0, 0.0]]) for value in (one.mean, one.error))
    counts = [np.array([[1, number], [1, 1]]) for number in (one.matches, one.clusters)]
    none = np.zeros((2, 2), int)
    return PayoffMatrix(("a", "b"), *numbers, *counts, none, none, none, skewness=np.array([[0, one.skewness], [0, 0]]))


def test_what_clusters_share_does_not_make_the_estimate_surer():
    """The same match ten times under one seed is one observation."""
    seen = [Observation(0, str(at % 2), float(at % 2)) for at in range(20)]
    assert estimate_pairs(seen).error == pytest.approx(0.5)


def test_failed_matches_are_counted_apart_and_never_as_zero():
    records = [*both_orders("a", "b", (3, 1)), played("a", "a", (2, 2)), played("b", "b", (2, 2))]
    records += [played("a", "b", (0, 0), seed=9, status="forfeited"), played("b", "b", (0, 0), 8, "abandoned")]
    found = matrix_from_records(records)
    assert found.mean.tolist() == [[2.0, 3.0], [1.0, 2.0]]
    assert found.failed.tolist() == [[0, 1], [1, 1]]


def test_default_moves_are_told():
    records = [*both_orders("a", "b", (3, 1)), played("a", "a", (2, 2)), played("b", "b", (2, 2))]
    records[0].defaults = [2, 0]
    assert matrix_from_records(records).defaults.tolist() == [[0, 1], [1, 0]]
    records[3].rulings = [{"moves": [], "results": [{"failed": 0}, {"failed": 2}]}]
    assert matrix_from_records(records, failed_rounds=True).defaults.tolist() == [[0, 1], [1, 1]]


def program_match(first, second, *rounds):
    """A match of programs of ten turns a meta-round, each with the points of both and their unanswered turns."""
    points = tuple(map(sum, zip(*[points for points, _ in rounds], strict=True)))
    record = played(first, second, points, game="program_matrix", rounds=len(rounds))
    record.rulings = [
        {"moves": [], "results": [{"payoff": p, "failed": f} for p, f in zip(points, failed, strict=True)]}
        for points, failed in rounds
    ]
    return record


def test_rounds_in_which_a_program_failed_do_not_make_defection_pay():
    """Nobody of both types of cooperators defects, but one fails half of the time: 30 points to a defector then."""
    both, none = (30, 30), (0, 0)
    records = [
        program_match("c", "c", (both, none), (both, none)),
        program_match("c", "d", ((0, 50), none), ((0, 30), (10, 0))),
        program_match("d", "c", ((50, 0), none), ((50, 0), none)),
        program_match("d", "d", ((10, 10), none), ((10, 10), none)),
    ]
    assert matrix_from_records(records).mean.tolist() == [[3.0, 0.0], [5.0, 1.0]]
    counted = matrix_from_records(records, failed_rounds=True)
    assert counted.mean.tolist() == [[3.0, 0.0], [(4.0 + 5.0) / 2, 1.0]]
    assert matrix_from_records(records).failed_rounds.tolist() == counted.failed_rounds.tolist() == [[0, 1], [0, 0]]
    assert counted.defaults.tolist() == [[0, 1], [1, 0]]
    with refuses(ValueError, "--failed-rounds", 1):
        matrix_from_records([*records[:3], program_match("d", "d", ((0, 30), (10, 0)))])


def test_verdicts_are_told_without_and_with_failed_rounds(tmp_path):
    """Who fails against its like is no equilibrium; the points that the rules give to failures make it one."""
    records = [
        program_match("c", "c", ((30, 30), (0, 0)), ((60, 60), (10, 10))),
        program_match("c", "d", ((0, 40), (0, 0))),
        program_match("d", "c", ((40, 0), (0, 0))),
        program_match("d", "d", ((10, 10), (0, 0))),
    ]
    without, counted = (matrix_from_records(records, failed_rounds=count) for count in (False, True))
    found = evolution_study(without, StudyOptions(runs=5, starts=5, population=10, generations=5), counted)
    titles = {one.title: one for one in sections(found) if isinstance(one, Table)}
    verdicts = {title: [write_value(one.columns[1], row[1]) for row in one.rows] for title, one in titles.items()}
    assert verdicts["Types"] == ["no?", "yes?"]
    assert verdicts["Types, failed rounds counted"] == ["yes?", "yes?"]
    assert [row[-1] for row in titles["Types"].rows] == [2, 0]
    says(titles["Payoff per round"].note, "2 programs")
    names = {path.name for path in write_parts(list(number_tables(found)), tmp_path, ["csv"])}
    assert {"payoffs_with_failed_rounds.csv", "types_with_failed_rounds.csv"} <= names
    payoffs = [row["payoff"] for row in json_of(number_tables(found))["payoffs_with_failed_rounds"]]
    assert payoffs == counted.mean.ravel().tolist()


def test_notes_on_settings_and_seats():
    records = [*both_orders("a", "b", (3, 1)), played("a", "a", (2, 2)), played("b", "b", (2, 2))]
    assert matrix_from_records(records).notes == ()
    one_seat = matrix_from_records([records[0], *records[2:]]).notes
    (said,) = one_seat
    says(said, "a against b", "b against a")
    more = matrix_from_records([*records, *both_orders("a", "b", (3, 1), horizon=3)]).notes
    says(more[0], "2 settings")
    assert len(more) == 2


def test_only_some_players():
    records = [played(x, y, (ord(x), ord(y))) for x in "abc" for y in "abc"]
    assert matrix_from_records(records, ["c", "a"]).mean.tolist() == [[99.0, 99.0], [97.0, 97.0]]
    assert matrix_from_records(records).select_types(["c", "a"]).mean.tolist() == [[99.0, 99.0], [97.0, 97.0]]
    with refuses(ValueError, "'d'", "a, b, c"):
        matrix_from_records(records).select_types(["d", "a"])


def test_records_that_make_no_matrix():
    for records, named in [
        ([], ("matches",)),
        (both_orders("a", "b", (1, 2)), ("'a' against 'a'",)),
        ([played("a", "a", (0, 0), status="forfeited")], ("1 match",)),
        ([played("a", "b", (1, 1)), played("a", "b", (1, 1), game="persuasion")], ("bargaining", "persuasion", "one")),
        ([match("water_allocation", [], players=("a",) * 5)], ("water_allocation", 5)),
        ([played("a", "a", (1, 1))], ("1 types", 2, 100)),
    ]:
        with refuses(ValueError, *named):
            matrix_from_records(records)


def test_matrices_that_are_refused():
    for types, mean, error, named in [
        (["a"], [[1.0]], None, ("1 types", 2, 100)),
        (list(map(str, range(101))), np.ones((101, 101)), None, ("101 types", 2, 100)),
        (["a", "a"], np.ones((2, 2)), None, ("'a'",)),
        (["a", " "], np.ones((2, 2)), None, ("type 2",)),
        (["a", "b"], np.ones((2, 3)), None, ((2, 3),)),
        (["a", "b"], [[1.0, np.nan], [1.0, 1.0]], None, ("'a' against 'b'",)),
        (["a", "b"], [[1.0, np.inf], [1.0, 1.0]], None, ("'a' against 'b'", "inf", "-1e+09", "1e+09")),
        (["a", "b"], [[1.0, 1.0], [-1e308, 1.0]], None, ("'b' against 'a'", "-1e+308", "-1e+09")),
        (["a", "b"], np.ones((2, 2)), np.full((2, 2), 1e308), ("standard error", 0, "1e+09")),
        (["a", "b"], np.ones((2, 2)), -np.ones((2, 2)), ("standard error", 0, "1e+09")),
    ]:
        with refuses(ValueError, *named):
            payoff_matrix.matrix_from_payoffs(types, mean, error)


def test_the_unit_of_rates():
    assert spread(np.array([[3.0, 0.0], [5.0, 1.0]])) == 2.0
    assert spread(np.ones((2, 2))) == 1.0


# Files


def test_what_is_written_is_read(tmp_path):
    n, rng = 3, np.random.default_rng(0)
    error = rng.uniform(size=(n, n))
    error[0, 1] = np.nan
    counts = [rng.integers(0, 9, (n, n)) for _ in range(5)]
    one = PayoffMatrix(("a,b", 'c"d', "ü"), rng.normal(size=(n, n)), error, *counts)
    other = matrix_files.read_matrix_file(matrix_files.write_matrix_file(one, tmp_path / "payoffs.csv"))
    assert other.types == one.types
    for name in ARRAYS:
        assert np.array_equal(getattr(one, name), getattr(other, name), equal_nan=name == "error")


def test_a_square_written_by_hand(tmp_path):
    path = tmp_path / "square.csv"
    path.write_text(",hawk,dove\nhawk,-0.5,2\n\ndove, 0 ,1\n", encoding="utf-8-sig")
    found = matrix_files.read_matrix_file(path)
    assert (found.types, found.mean.tolist()) == (("hawk", "dove"), [[-0.5, 2.0], [0.0, 1.0]])
    assert not found.error.any()


def test_pairs_without_errors_are_exact(tmp_path):
    path = tmp_path / "pairs.csv"
    path.write_text("type,opponent,payoff\na,a,1\na,b,2\nb,a,3\nb,b,4\n")
    assert matrix_files.read_matrix_file(path).mean.tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert not matrix_files.read_matrix_file(path).error.any()
