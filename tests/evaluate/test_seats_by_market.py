"""A tournament over markets with different numbers of seats: each is played by the seatings of its size."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from econzoo.evaluate.run import Sampling, new_design, play_all, read_design, run
from econzoo.evaluate.run.design import pairs
from refusals import refuses
from toy_games import BUDGET, register_temporarily

TWO, SIX = {"players": 2, "rounds": 1}, {"players": 6, "rounds": 1}


@pytest.fixture(autouse=True)
def _known() -> Iterator[None]:
    with register_temporarily(BUDGET):
        yield


def test_all_pairs_take_every_seat_in_tables_of_two_and_of_three() -> None:
    assert pairs(["a"], ["b"], "budget", 2) == [("a", "b"), ("b", "a")]
    assert pairs(["a"], ["b"], "budget", 3) == [("a", "b", "b"), ("b", "a", "b"), ("b", "b", "a")]


def test_every_market_is_played_by_the_seatings_of_its_size() -> None:
    design = new_design("budget", ["random", "mock:*"], [TWO, SIX], seeds=2)
    two, six = design.tables()
    # Two players: in two seats 2 x 2 ordered pairs; in six seats each against itself, and each alone in every seat.
    assert (len(two), len(six)) == (4, 2 + 2 * 6)
    assert {len(seating) for seating in two} == {2}
    assert {len(seating) for seating in six} == {6}
    assert len(design) == 2 * (4 + 14) == len(list(design.matches()))
    assert all(len(match.players) == match.params["players"] for match in design.matches())


def test_line_ups_go_to_the_markets_that_they_fill(tmp_path: Path) -> None:
    lineups = [("random", "mock:*"), ("mock:*",) * 6]
    design = new_design("budget", ["random", "mock:*"], [TWO, SIX], seeds=1, lineups=lineups)
    assert design.tables() == [[lineups[0]], [lineups[1]]]
    assert run(design, tmp_path, jobs=1) == 2
    assert read_design(tmp_path) == design
    assert run(design, tmp_path, jobs=1) == 0, "nothing is missing"


def test_the_records_name_their_market() -> None:
    design = new_design("budget", ["mock:*"], [TWO, SIX], seeds=1)
    records = play_all(design, jobs=1)
    assert [len(record.payoffs) for record in records] == [2, 6]
    assert [design.setting_name(record.params) for record in records] == [market.name for market in design.settings]


def test_what_fits_nowhere_is_refused() -> None:
    with refuses(ValueError, "budget", "2 seats", "6 seats", "mock:*, mock:*, mock:*"):
        new_design("budget", ["mock:*"], [TWO, SIX], lineups=[("mock:*",) * 3])
    with refuses(ValueError, "'players=6 rounds=1'"):
        new_design("budget", ["mock:*"], [TWO, SIX], lineups=[("mock:*",) * 2])
    with refuses(ValueError, "seats", {2, 6}):
        new_design("budget", ["mock:*"], [TWO, SIX], sampling=Sampling(3))
