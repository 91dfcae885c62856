"""A tournament over markets with different numbers of seats: each is played by the seatings of its size."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from econzoo.evaluate.run.plan import new_plan, read_plan
from econzoo.evaluate.run.sampling import Sampling
from econzoo.evaluate.run.seatings import pairs
from econzoo.evaluate.run.tournament import play_all, run
from toy_games import BUDGET, registered

TWO, SIX = {"players": 2, "rounds": 1}, {"players": 6, "rounds": 1}


@pytest.fixture(autouse=True)
def _known() -> Iterator[None]:
    with registered(BUDGET):
        yield


def test_all_pairs_take_every_seat_in_tables_of_two_and_of_three() -> None:
    assert pairs(["a"], ["b"], "budget", 2) == [("a", "b"), ("b", "a")]
    assert pairs(["a"], ["b"], "budget", 3) == [("a", "b", "b"), ("b", "a", "b"), ("b", "b", "a")]


def test_every_market_is_played_by_the_seatings_of_its_size() -> None:
    plan = new_plan("budget", ["random", "mock:*"], [TWO, SIX], seeds=2)
    two, six = plan.tables()
    # Two players: in two seats 2 x 2 ordered pairs; in six seats each against itself, and each alone in every seat.
    assert (len(two), len(six)) == (4, 2 + 2 * 6)
    assert {len(seating) for seating in two} == {2}
    assert {len(seating) for seating in six} == {6}
    assert len(plan) == 2 * (4 + 14) == len(list(plan.matches()))
    assert all(len(match.players) == match.params["players"] for match in plan.matches())


def test_line_ups_go_to_the_markets_that_they_fill(tmp_path: Path) -> None:
    lineups = [("random", "mock:*"), ("mock:*",) * 6]
    plan = new_plan("budget", ["random", "mock:*"], [TWO, SIX], seeds=1, lineups=lineups)
    assert plan.tables() == [[lineups[0]], [lineups[1]]]
    assert run(plan, tmp_path, jobs=1) == 2
    assert read_plan(tmp_path) == plan
    assert run(plan, tmp_path, jobs=1) == 0, "nothing is missing"


def test_the_records_name_their_market() -> None:
    plan = new_plan("budget", ["mock:*"], [TWO, SIX], seeds=1)
    records = play_all(plan, jobs=1)
    assert [len(record.payoffs) for record in records] == [2, 6]
    assert [plan.market_of(record.params) for record in records] == [market.name for market in plan.markets]


def test_what_fits_nowhere_is_refused() -> None:
    with pytest.raises(ValueError, match=r"budget has 2 seats or 6 seats; got the line-up mock:\*, mock:\*, mock:\*"):
        new_plan("budget", ["mock:*"], [TWO, SIX], lineups=[("mock:*",) * 3])
    with pytest.raises(ValueError, match=r"nobody can be seated in the market 'players=6 rounds=1' as the plan says"):
        new_plan("budget", ["mock:*"], [TWO, SIX], lineups=[("mock:*",) * 2])
    with pytest.raises(ValueError, match=r"the markets must have the same number of seats here; got \{2, 6\}"):
        new_plan("budget", ["mock:*"], [TWO, SIX], sampling=Sampling(3))
