"""Table 2 of ALYMPICS beside games, and its numbers beside each other."""

from __future__ import annotations

import math
from itertools import product
from statistics import fmean
from types import SimpleNamespace

import pytest

from econzoo.envs.core import game as find_game
from econzoo.envs.core.record import RecordFile
from econzoo.envs.games.water_allocation.indicators import rsr
from econzoo.evaluate.analyses import Comparison, analyze
from econzoo.evaluate.analyses.alympics.table_2 import DIED, END, LIVED, NAMES, compute_numbers, derive_numbers
from econzoo.evaluate.analyses.alympics.table_2 import mean_rsr_bounds, possible_groups
from econzoo.evaluate.analyses.alympics.water_games import PUBLISHED_LINEUP, WaterGame
from econzoo.evaluate.analyses.alympics.water_table import TABLE_2
from econzoo.evaluate.analyses.verdicts import COMPATIBLE, CONTRADICTS, EQUAL, UNIDENTIFIED
from econzoo.evaluate.run import play_match
from econzoo.evaluate.show import number_of
from refusals import refuses, says

MEDIUM = find_game("water_allocation").params(supply=(15, 25))[1]
TWO = find_game("water_allocation").params(residents=(("Ann", 3, 10.0), ("Ben", 4, 10.0)), supply=(2, 5))[1]


def town(died, number=1, lineup=PUBLISHED_LINEUP):
    """A game of 20 days in the paper's medium setting in which residents died on a day (0: they live)."""
    day = SimpleNamespace(day=20, died=died, healths=tuple(0 if one else 5 for one in died))
    return WaterGame(lineup, "medium", number, NAMES, MEDIUM, [day], None)


def cells(own):
    return {(one.row, one.cell): one.value if isinstance(one.value, str) else number_of(one.value) for one in own}


def test_the_table_has_462_cells_and_no_survivors():
    assert TABLE_2.size == 6 * (5 * 10 + 10 + 10 + 5 + 2) == 462
    assert not any("survivors" in row for row in TABLE_2.cells.values())


def test_beside_two_games():
    """Bob is dead in one of two; 20 units are expected, and the living need 50, or 41 without Bob's 9."""
    found = cells(compute_numbers([town((0, 0, 0, 0, 0)), town((0, 7, 0, 0, 0), 2)]))
    mean = {key[1]: value for key, value in found.items() if key[0] == "medium"}
    assert mean == pytest.approx(
        {"Alex": 1, "Bob": 0.5, "Cindy": 1, "David": 1, "Eric": 1, "survivors": 4.5}
        | {"RSR start": 20 / 50, "RSR end": (20 / 50 + 20 / 41) / 2}
    )
    assert found["medium 2", "RSR end"] == pytest.approx(20 / 41)
    # Alex's printed marks have his printed rate; those of Bob have not.
    assert (found["medium 2", "Alex"], found["medium 2", "Bob"]) == (LIVED, None)


def test_rates_are_exact_of_all_ten_published_games_and_estimates_of_others():
    """All live: in the paper's medium setting Alex lives in 8 of 10, and the mean RSR is 0.51 instead of 0.4."""
    games = [town((0,) * 5, number) for number in range(1, 11)]
    for used, rate, mean in (
        (games, CONTRADICTS, CONTRADICTS),
        (games[:9], COMPATIBLE, UNIDENTIFIED),  # all nine are alike
        (games[:5], UNIDENTIFIED, UNIDENTIFIED),
        ([one._replace(lineup="mpc") for one in games], COMPATIBLE, UNIDENTIFIED),
    ):
        one = Comparison("table-2", TABLE_2, compute_numbers(used))
        words = {(own.row, own.cell): one.verdict(own).word for own in one.numbers}
        assert (words["medium", "Alex"], words["medium", END]) == (rate, mean), len(used)
        assert words["medium", "RSR start"] == EQUAL


def test_games_of_other_players_are_not_those_that_are_printed_one_by_one():
    assert {one.row for one in compute_numbers([town((0,) * 5, lineup="mpc")])} == {"medium"}
    assert compute_numbers([town((0,) * 5)._replace(setting="wet")]) == []


def test_where_all_die_the_rsr_says_nothing():
    found = {(one.row, one.cell): one for one in compute_numbers([town((4,) * 5)])}
    assert found["medium", END].value is None
    says(found["medium", END].reason, "no survivors")
    assert found["medium 1", "Alex"].value == DIED


def test_bounds_of_the_mean_rsr_are_those_of_all_games_with_these_rates():
    """All ways in which three games can have the rates, two residents: 3 and 4 units, of 3.5 expected."""
    ways = list(product([(True, True), (True, False), (False, True)], repeat=3))
    for rates in {tuple(fmean(seat) for seat in zip(*way, strict=True)) for way in ways}:
        of_these = [way for way in ways if [fmean(seat) for seat in zip(*way, strict=True)] == list(rates)]
        means = [fmean(rsr(TWO, group) for group in way) for way in of_these]
        low, high = mean_rsr_bounds(TWO, rates)
        assert low <= min(means) + 1e-12, rates
        assert high >= max(means) - 1e-12, rates
        if max(rates) == 1:
            assert high == pytest.approx(max(means)), rates
        if min(rates) == max(rates) == 1:
            assert low == pytest.approx(min(means)), rates


def test_the_two_mean_rsr_of_the_paper_cannot_follow_from_its_rates():
    outside = {}
    for setting, supply in (("scarce", (10, 20)), ("medium", (15, 25)), ("plenty", (20, 30))):
        for row in (setting, f"{setting}-persona"):
            params = find_game("water_allocation").params(supply=supply)[1]
            printed = TABLE_2.cells[row]
            low, high = mean_rsr_bounds(params, [float(printed[name]) for name in NAMES])
            if not low <= float(printed[END]) + 0.005 or not float(printed[END]) - 0.005 <= high:
                outside[row] = (low, high)
    assert outside == {
        "medium": (20 / 38.5, math.inf),
        "plenty": (pytest.approx(25 / 48.8), pytest.approx((9 * 0.5 + 25 / 38) / 10)),
    }


def test_rates_and_rsr_leave_the_groups_that_a_search_leaves():
    groups = [(True, True), (True, False), (False, True)]
    for way in product(groups, repeat=3):
        printed = [f"{rsr(TWO, group):.2f}" for group in way]
        rates = [fmean(seat) for seat in zip(*way, strict=True)]
        assert possible_groups(TWO, printed, rates) == [{group} for group in way], way  # three needs, three RSR
    assert possible_groups(TWO, ["0.50"], [1.0, 0.0]) == [set()]  # 7 units are those of both


def test_beside_each_other_the_same_cells_fail_and_no_game_is_needed(tmp_path):
    made = Comparison("table-2", TABLE_2, derive_numbers())
    found = {(one.row, one.cell): made.verdict(one).word for one in made.numbers}
    odd = {key for key, verdict in found.items() if verdict not in (EQUAL, UNIDENTIFIED)}
    assert odd == {(row, END) for row in ("medium", "plenty", "plenty 8", "plenty 9", "plenty 10")}
    assert sum(column in NAMES for (row, column), verdict in found.items() if verdict == UNIDENTIFIED) == 19 * 11
    page = analyze(tmp_path / "new", "replicate-alympics")
    assert next(row for row in page.to_dict()["places"] if row["place"] == "Table 2")["cells"] == 462
    assert not (tmp_path / "new").exists()


def test_own_records_stand_in_a_table_of_their_own(tmp_path):
    """All bid nothing, so that who needs least is served first: Alex lives, and Eric does not."""
    for count, alex, eric in ((1, UNIDENTIFIED, UNIDENTIFIED), (8, COMPATIBLE, CONTRADICTS)):
        out = RecordFile(tmp_path / f"{count}.jsonl")
        for seed in range(count):
            out.append(play_match("water_allocation", ["bid(0)"] * 5, seed, supply=(15, 25)))
        page = analyze(tmp_path / f"{count}.jsonl", "replicate-alympics")
        rows = {row["cell"]: row["verdict"] for row in page.to_dict()["table-2"] if row["row"] == "medium"}
        assert (rows["Alex"], rows["Eric"], rows["RSR start"]) == (alex, eric, EQUAL), count
    RecordFile(tmp_path / "wet.jsonl").append(play_match("water_allocation", ["bid(0)"] * 5, 1, supply=(40, 45)))
    with refuses(ValueError, "scarce, medium"):
        analyze(tmp_path / "wet.jsonl", "replicate-alympics")
