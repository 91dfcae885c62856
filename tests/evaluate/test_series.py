"""Matches that differ in nothing but their seed: in order, with the right ids, and played once where that is exact."""

from __future__ import annotations

import json

import pytest
from recorded import lines, timeless

from econzoo.baselines.factory import player, scripted
from econzoo.baselines.pools import pool
from econzoo.envs.core.record.record import Record
from econzoo.envs.core.registry import game as find_game
from econzoo.envs.core.registry import games
from econzoo.evaluate.run.design import new_design
from econzoo.evaluate.run.match import Cast, Series, chunks, gathered, play_matches, play_series, seed_changes_nothing
from econzoo.evaluate.run.replay import replay
from econzoo.evaluate.run.settings import ALL, named_markets
from econzoo.evaluate.run.table import EnvPool, new_match
from econzoo.evaluate.run.tournament import run
from exhaustive import long_unless


def in_pieces(series, size):
    return [[(one.match.players, one.seeds) for one in chunk] for chunk in chunks(series, size)]


def test_series_go_market_by_market_whatever_the_order_of_the_plan():
    design = new_design("bargaining", ["fair", "random"], ["default", "ultimatum"], seeds=3)
    found = gathered(design.matches())
    assert [one.match.params["horizon"] for one in found] == [12] * 4 + [1] * 4
    assert all(one.seeds == (0, 1, 2) for one in found)
    assert {match.id for one in found for match in one.matches()} == {match.id for match in design.matches()}
    assert sum(len(one.seeds) for one in found) == len(design)


def test_chunks_have_so_many_matches_and_lose_none():
    match = new_match("bargaining", ["fair", "fair"], 0)
    series = [Series(match._replace(players=("a", "b")), (0, 1, 2)), Series(match._replace(players=("c", "d")), (0, 1))]
    assert in_pieces(series, 2) == [
        [(("a", "b"), (0, 1))],
        [(("a", "b"), (2,)), (("c", "d"), (0,))],
        [(("c", "d"), (1,))],
    ]
    assert in_pieces(series, 5) == [[(("a", "b"), (0, 1, 2)), (("c", "d"), (0, 1))]]
    assert in_pieces([], 5) == []


def test_ids_of_a_plan_are_those_of_its_matches():
    design = new_design(
        "negotiation", ["random"], ["default", {"horizon": None}], seeds=[0, 7, 2**62], metrics="glee-code"
    )
    assert [(match, match.id) for match in design.matches()] == list(design.identified())


def test_copies_for_other_seeds_are_what_playing_would_have_given():
    for players in [("spe", "fair"), ("tit-for-tat", "boulware(0.2)"), ("greedy", "greedy")]:
        for market in [{}, {"horizon": 2, "messages": False}, {"horizon": None, "delta": (1.0, 0.8)}]:
            cast, match = Cast("bargaining"), new_match("bargaining", players, 0, **market)
            assert seed_changes_nothing(match, cast), (players, market)
            series = Series(match, (0, 5, 12345, 2**62))
            copies = list(play_series([series], cast, EnvPool()))
            played = [record.to_json() for record in play_matches(series.matches(), cast, 1)]
            assert [timeless(line) for line in copies] == [timeless(line) for line in played], (players, market)
            assert [list(json.loads(line)) for line in copies] == [list(json.loads(line)) for line in played], (
                players,
                market,
            )  # same order
            assert all(replay(Record.from_json(line)) == [] for line in copies), (players, market)


def test_a_copy_with_the_own_seed_is_the_record_itself():
    record = next(play_matches([new_match("persuasion", ["random", "random"], 3)], Cast("persuasion"), 1))
    assert list(record.with_seeds([3])) == [record.to_json()]
    record.source = {"dataset": 'a "quoted" one'}
    assert list(record.with_seeds([3])) == [record.to_json()]


def test_where_chance_plays_a_part_every_match_is_played():
    for game, players, options in [
        ("bargaining", ("fair", "random"), {}),
        ("persuasion", ("honest", "bayes"), {}),  # nature moves
        ("bargaining", ("fair", "fair"), {"channel": "scrambled"}),
    ]:
        assert not seed_changes_nothing(new_match(game, players, 0, **options), Cast(game)), (game, players)


def test_seeds_differ_where_they_matter(tmp_path):
    run(new_design("persuasion", ["honest", "bayes"], seeds=8), tmp_path, jobs=1)
    assert len({tuple(json.loads(line)["chance"]) for line in lines(tmp_path)}) == 8


def known(game):
    """Specs of all pools of a game, and of its strategies that came after these were published."""
    return list(dict.fromkeys([*(spec for name in POOLS for spec in pool(game, name)), *LATER.get(game, ())]))


POOLS = ("standard", "training", "validation")
LATER = {"bargaining": ("deadline",), "negotiation": ("holdout",)}
CHANCELESS = [name for name in games() if not find_game(name).facts.chance]


@pytest.mark.parametrize("game", long_unless(lambda game: CHANCELESS.index(game) % 3 == 0, CHANCELESS, "slow"))
def test_players_that_say_so_do_not_use_their_seed(game):
    specs = [spec for spec in known(game) if player(spec, game).deterministic]
    assert len(specs) > 5
    markets = named_markets(find_game(game), [ALL])[:2]
    for own, partner in zip(specs, [*specs[1:], specs[0]], strict=True):
        for market in markets:
            seats = find_game(game).seats(find_game(game).params(**market.params)[1])
            match = new_match(game, (own, *[partner] * (seats - 1)), 0, **market.params)
            first, other = play_matches([match, match._replace(seed=99)], Cast(game), 1)
            assert [turn.action for turn in first.turns] == [turn.action for turn in other.turns], (own, market.name)


def test_every_scripted_player_is_in_the_test_above():
    for game in CHANCELESS:
        others = {"identify", "quantal"}  # knows a pool, so that it is in none; draws
        assert set(scripted(game)) - others <= {spec.partition("(")[0] for spec in known(game)}, game


def test_lines_are_handed_on_when_they_take_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever stops a run of slow players loses a second of play, and quick ones are not written one by one."""
    from econzoo.evaluate.run import match

    clock = iter([0.0, 0.4, 1.2, 1.2, *[1.3] * 40])
    monkeypatch.setattr(match.time, "monotonic", lambda: next(clock))
    batches = list(match.in_time(map(str, range(2 + match.CHUNK + 1))))
    assert [len(batch) for batch in batches] == [2, match.CHUNK, 1]
