"""How many could have lived: the supplies of the whole game, and what is kept of the search."""

import json
import math

import pytest

from econzoo.envs.core import game as find_game
from econzoo.envs.core.record import Record
from econzoo.envs.core.record.record import Turn
from econzoo.envs.families.survival.solution import most_survivors, price_of_anarchy
from econzoo.envs.games.water_allocation.solution import town_of
from econzoo.evaluate.analyses.alympics import survival_bounds as possible_module
from econzoo.evaluate.analyses.alympics.days import params_of
from econzoo.evaluate.analyses.alympics.survival_bounds import FILE, SearchResult, SurvivalSearch, sample_supplies
from econzoo.evaluate.analyses.alympics.survival_bounds import supplies_of
from econzoo.evaluate.analyses.alympics.water_games import game_from_record
from econzoo.evaluate.analyses.alympics.water_table import water_rows
from econzoo.evaluate.run import new_design, play_match, recompute_record

WATER = "water_allocation"
TWO = {"residents": (("Ann", 3, 10.0), ("Ben", 4, 10.0)), "supply": (2, 5), "days": 12}
"""Water for at most one of them a day, and on some days for none."""

VOID = {"bid": 240}
"""A bid that nobody can pay."""


def dry_game(seed, chance=None, source=None):
    """Nobody is ever served, so both die on day 4: health 8, 7, 5, 2, -2."""
    game = find_game(WATER)
    public, _ = game.params(**TWO)
    turns = [Turn(seat, day, VOID, None) for day in range(1, 5) for seat in (0, 1)]
    told = {"faces": ["structured"] * 2, "turns": turns}
    bare = Record(WATER, public, {}, seed, ["waste"] * 2, **told, source={"format": "by hand"})
    bare.chance = [float(units) for units in chance or sample_supplies(bare)[:4]]
    record = recompute_record(bare)
    record.source = source
    return record


def town(record):
    return town_of(params_of(record), supplies_of(record))


def row_of(*records, possible):
    design = new_design(WATER, ["random"], seeds=1)
    (row,) = water_rows([game_from_record(record, design) for record in records], search=possible)
    return row


def test_the_supplies_of_a_seed_are_those_that_a_long_match_draws():
    for supply in [(10, 20), (15, 25), (0, 5), (3, 3)]:
        for seed in [0, 1, 7, 12345]:
            undying = play_match(WATER, ["bid(1)"] * 5, seed, supply=supply, start_health=1000, max_health=1000)
            assert undying.payoffs == [1.0] * 5, (seed, supply)
            assert [float(units) for units in sample_supplies(undying)] == undying.chance, (seed, supply)


def test_line_ups_on_the_same_seed_have_the_same_possible_whenever_they_die():
    for seed in range(4):
        dry, played = dry_game(seed), play_match(WATER, ["bid(0)", "bid(1)"], seed, **TWO)
        assert dry.payoffs == [0.0, 0.0], seed
        assert len(dry.chance) == 4, seed
        assert supplies_of(dry) == sample_supplies(dry) == supplies_of(played), seed
        assert town(dry) == town(played), seed
        possible = most_survivors(town(dry)).survivors
        assert price_of_anarchy(town(dry), dry.payoffs) == (
            math.inf if possible else pytest.approx(math.nan, nan_ok=True)
        ), seed


def test_a_town_that_was_broken_off_with_living_residents_counts_the_days_played():
    played = play_match(WATER, ["bid(0)", "bid(1)"], 3, **TWO, max_cycles=2)
    assert played.status == "truncated"
    assert supplies_of(played) == tuple(played.chance[:2])


def test_what_would_have_come_is_not_known_where_the_seed_did_not_draw_it():
    for elsewhere in [{"chance": [5, 5, 5, 5]}, {"source": {"format": "alympics", "id": "x"}}]:
        record = dry_game(0, **elsewhere)
        assert supplies_of(record) is None, elsewhere
        row = row_of(record, possible=SurvivalSearch())
        assert "most_survivors" not in row.cells, elsewhere
        mixed = row_of(record, dry_game(1), possible=SurvivalSearch())
        assert (mixed.games, mixed.cells["most_survivors"].rows) == (2, 1), elsewhere


# What is kept


def unsolvable(town):
    raise AssertionError("searched again")


def test_what_was_found_is_not_searched_for_again(tmp_path, monkeypatch):
    record = play_match(WATER, ["bid(0)", "bid(1)"], 3, **TWO)
    params, supplies = params_of(record), supplies_of(record)
    found = SurvivalSearch(tmp_path)(params, supplies)
    assert found == SearchResult(most_survivors(town(record)).survivors, True)
    monkeypatch.setattr(possible_module, "best_allocation", unsolvable)
    again = SurvivalSearch(tmp_path)
    assert again(params, supplies) == found
    assert again(params._replace(persona=True, reward=2), supplies) == found  # neither of them moves the water
    assert len((tmp_path / FILE).read_text().splitlines()) == 1
    with pytest.raises(AssertionError, match="searched"):
        again(params._replace(start_health=9), supplies)


def test_lines_that_cannot_be_read_count_for_nothing(tmp_path):
    record = play_match(WATER, ["bid(0)", "bid(1)"], 3, **TWO)
    given = params_of(record), supplies_of(record)
    found = SurvivalSearch(tmp_path)(*given)
    line = (tmp_path / FILE).read_text()
    (tmp_path / FILE).write_text("[]\n7\n{}\n" + line[:-30] + "\n")
    assert SurvivalSearch(tmp_path)(*given) == found
    assert json.loads((tmp_path / FILE).read_text().splitlines()[-1]) == json.loads(line)


def test_where_the_search_was_cut_short_the_best_found_is_shown_and_marked(monkeypatch):
    record = play_match(WATER, ["bid(0)", "bid(1)"], 3, **TWO)
    best = most_survivors(town(record))
    cut = best._replace(bound=best.bound + 1, proven=False)
    proven = row_of(record, possible=SurvivalSearch())
    monkeypatch.setattr(possible_module, "best_allocation", lambda town: cut)
    unproven = row_of(record, possible=SurvivalSearch())
    assert proven.cells["possible_proven"].mean == 1.0
    assert unproven.cells["possible_proven"].mean == 0.0
    for key in ("most_survivors", "possible_over_survivors"):
        assert unproven.cells[key].mean == proven.cells[key].mean
    assert proven.cells["possible_over_survivors"].mean == price_of_anarchy(town(record), record.payoffs)
    nothing = best._replace(lives=(False, False), proven=False)
    monkeypatch.setattr(possible_module, "best_allocation", lambda town: nothing)
    stopped = row_of(record, possible=SurvivalSearch())
    assert stopped.cells["most_survivors"].mean == stopped.cells["survivors"].mean > 0
