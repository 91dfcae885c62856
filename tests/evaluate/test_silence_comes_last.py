"""Who never answers legally, or stops when it is behind, comes last, whatever a forfeit or a default action pays."""

from __future__ import annotations

import math

import pytest

from econzoo.envs.core import MissingLibraryError, games
from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import Objective
from econzoo.evaluate.analyses import COUNTED, analyze
from econzoo.evaluate.analyses.glee_benchmark import results
from econzoo.evaluate.analyses.learning import Training, learning_table, learning_tables, plain_table
from econzoo.evaluate.analyses.ranking_values import value_range
from econzoo.evaluate.analyses.summary import ranking, sentences, summarize
from econzoo.evaluate.run import new_design, play_all, read_records, run
from econzoo.evaluate.suites.ceiling import best_script, gains_of
from players_that_quit import MUTE, QUITTER, RANDOM, adding_quitters
from refusals import says

pytestmark = pytest.mark.usefixtures("blank_figures")

OBJECTIVES = ("self_gain", "efficiency", "fairness")
QUICK = ("bargaining", "negotiation", "coin_game", "public_goods")
"""Games in which silence pays more than random play by some objective."""

PLAYERS = [RANDOM, MUTE, QUITTER]


@pytest.fixture(autouse=True)
def quitters():
    with adding_quitters():
        yield


def designed(game, players=PLAYERS, seeds=6):
    return new_design(game, players, [dict(find_game(game).cases.short)], seeds)


@pytest.mark.parametrize("game", [pytest.param(one, marks=[] if one in QUICK else pytest.mark.slow) for one in games()])
def test_silence_comes_last_by_every_objective(game):
    design = designed(game)
    try:
        records = play_all(design, jobs=1)
    except MissingLibraryError as error:
        pytest.skip(str(error))
    assert any(one.defaulting_seats for one in records)
    for objective in OBJECTIVES:
        for group in summarize(records, design, objective=objective, seconds=0.0).groups:
            means = {player: group.overall[player][COUNTED].mean for player in group.players}
            assert group.players[0] == RANDOM, (objective, means)
            assert {MUTE, QUITTER} == set(group.players[1:]), objective
            assert all(gap.mean >= 0 for gap in group.gaps_to_best.values()), objective


def test_by_the_recorded_means_silence_would_be_first():
    """These stay as they are."""
    design = designed("public_goods")
    found = summarize(play_all(design, jobs=1), design, seconds=0.0)
    assert max(PLAYERS, key=lambda player: found.overall[player]["self_gain"].mean) == MUTE


def test_counted_is_the_least_of_the_range_for_the_players_that_default_and_recorded_for_the_others():
    design = designed("coin_game")
    records = play_all(design, jobs=1)
    found = summarize(records, design, seconds=0.0)
    low, _ = value_range(records[0], "self_gain", 0)
    assert low < min(gain for one in records for gain in one.metrics["gains"])
    for player in PLAYERS:
        recorded, counted = [], []
        for one in records:
            defaulting = {one.players[seat] for seat in one.defaulting_seats}
            own = [gain for gain, spec in zip(one.metrics["gains"], one.players, strict=True) if spec == player]
            recorded += own
            counted += [low] * len(own) if player in defaulting else own
        assert found.overall[player]["self_gain"].mean == pytest.approx(sum(recorded) / len(recorded)), player
        assert found.overall[player][COUNTED].mean == pytest.approx(sum(counted) / len(counted)), player


def test_an_objective_without_a_bound_counts_as_the_lowest_value_of_the_setting():
    game = "negotiation"
    design = new_design(game, PLAYERS, [{**find_game(game).cases.short, "bound": None}], 6)
    records = play_all(design, jobs=1)
    lowest = min(Objective("payoff")(one.payoffs, None, seat) for one in records for seat in (0, 1))
    found = summarize(records, design, objective="payoff", seconds=0.0)
    own = [one for one in records if MUTE in one.players]
    counted = [
        lowest if MUTE in {one.players[seat] for seat in one.defaulting_seats} else payoff
        for one in own
        for spec, payoff in zip(one.players, one.payoffs, strict=True)
        if spec == MUTE
    ]
    assert value_range(records[0], "payoff", 0)[0] == -math.inf
    assert found.overall[MUTE][COUNTED].mean == pytest.approx(sum(counted) / len(counted))


def test_who_errs_and_then_answers_is_counted_as_recorded():
    design = designed("bargaining", [RANDOM, "mock:nothing|*"])
    records = play_all(design, jobs=1)
    found = summarize(records, design, seconds=0.0)
    assert sum(sum(one.errors) for one in records)
    assert not any(one.defaulting_seats for one in records)
    assert COUNTED not in found.overall[RANDOM]
    assert "counted" not in " ".join([*sentences(found), *(column.title for column in ranking(found)[0].columns)])


def test_tables_sentences_and_pages_say_the_rule(tmp_path):
    run(designed("negotiation"), tmp_path, jobs=1)
    found = summarize(read_records(tmp_path), seconds=0.0)
    says(sentences(found)[1], found.players[0], "counted gain")
    table, gaps = ranking(found)
    assert [column.key for column in table.columns[:3]] == ["player", "self_gain", COUNTED]
    says(table.legend, "forfeited or left", "default action", "least value of the setting")
    says(gaps.title, "Counted gain")
    html = analyze(tmp_path, regret=False).to_html()
    says(html, "least value of the setting")
    assert analyze(tmp_path, regret=False).to_dict()["players"][0][COUNTED]["mean"] is not None


def test_the_learning_table_orders_by_what_is_counted():
    design = designed("public_goods", [*PLAYERS, "cooperator"])
    found = learning_table(design, play_all(design, jobs=1), [Training("made", {"cooperator": 0})], "given")
    assert found.comparisons[0].scripts[0].spec == RANDOM
    assert plain_table(found)["comparisons"][0]["best_script"] == RANDOM
    says(learning_tables(plain_table(found))[0].legend, "least value of the setting")
    gains = {gap.script: gap.settings.mean for gap in found.comparisons[0].trainings[0].gaps}
    assert min(gains, key=gains.get) == RANDOM


def test_the_benchmark_of_glee_orders_by_what_is_counted(tmp_path):
    run(designed("negotiation"), tmp_path, jobs=1)
    for own in results(tmp_path).groups.values():
        assert next(iter(own)) == RANDOM
        assert own[MUTE][COUNTED].mean < own[MUTE]["self_gain"].mean


def test_the_best_script_of_a_pool_answers():
    records = play_all(designed("negotiation"), jobs=1)
    assert best_script(gains_of(records, {*PLAYERS}, {*PLAYERS}, by_role=False)).spec == RANDOM
