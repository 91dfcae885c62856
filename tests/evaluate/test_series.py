"""Matches that differ in nothing but their seed: in order, with the right ids, and played once where that is exact."""

from __future__ import annotations

import json

import pytest
from recorded import lines, timeless

from econzoo.baselines import player, pool, scripted_players
from econzoo.envs.core import game as find_game
from econzoo.envs.core import games
from econzoo.envs.core.record import Record
from econzoo.evaluate.run import PlayerCache, find_settings, is_seed_independent, new_design, new_match, play_matches
from econzoo.evaluate.run import replay, run
from econzoo.evaluate.run.match import chunks, group_by_setting, play_together
from econzoo.evaluate.run.settings import ALL_SETTINGS
from exhaustive import long_unless


def test_matches_go_market_by_market_whatever_the_order_of_the_plan():
    design = new_design("bargaining", ["fair", "random"], ["default", "ultimatum"], seeds=3)
    found = group_by_setting(design.matches())
    assert [match.params["horizon"] for match in found] == [12] * 12 + [1] * 12
    assert [match.seed for match in found] == [0, 1, 2] * 8
    assert {match.id for match in found} == {match.id for match in design.matches()}
    assert len(found) == len(design)


def test_chunks_have_so_many_matches_and_lose_none():
    match = new_match("bargaining", ["fair", "fair"], 0)
    matches = [match._replace(seed=seed) for seed in range(5)]
    for size in (1, 2, 5, 7):
        found = list(chunks(matches, size))
        assert [one for chunk in found for one in chunk] == matches
        assert {len(chunk) for chunk in found[:-1]} <= {size}
    assert list(chunks([], 5)) == []


def test_ids_of_a_plan_are_those_of_its_matches():
    design = new_design(
        "negotiation", ["random"], ["default", {"horizon": None}], seeds=[0, 7, 2**62], metrics="glee-code"
    )
    assert [(match, match.id) for match in design.matches()] == list(design.matches_with_ids())


def test_copies_for_other_seeds_are_what_playing_would_have_given():
    for players in [("spe", "fair"), ("tit-for-tat", "boulware(0.2)"), ("greedy", "greedy")]:
        for market in [{}, {"horizon": 2, "messages": False}, {"horizon": None, "delta": (1.0, 0.8)}]:
            cast, match = PlayerCache("bargaining"), new_match("bargaining", players, 0, **market)
            assert is_seed_independent(match, cast), (players, market)
            matches = [match._replace(seed=seed) for seed in (0, 5, 12345, 2**62)]
            (ended,) = play_together(matches, cast)
            copies, played = ended.lines, [record.to_json() for record in play_matches(matches, cast, 1)]
            assert ended.matches == matches
            assert [timeless(line) for line in copies] == [timeless(line) for line in played], (players, market)
            assert [list(json.loads(line)) for line in copies] == [list(json.loads(line)) for line in played], (
                players,
                market,
            )  # same order
            assert all(replay(Record.from_json(line)) == [] for line in copies), (players, market)


def test_a_copy_with_the_own_seed_is_the_record_itself():
    record = next(play_matches([new_match("persuasion", ["random", "random"], 3)], PlayerCache("persuasion"), 1))
    assert list(record.lines_with_seeds([3])) == [record.to_json()]
    record.source = {"dataset": 'a "quoted" one'}
    assert list(record.lines_with_seeds([3])) == [record.to_json()]


def test_where_chance_plays_a_part_every_match_is_played():
    for game, players, options in [
        ("bargaining", ("fair", "random"), {}),
        ("persuasion", ("honest", "bayes"), {}),  # nature moves
        ("bargaining", ("fair", "fair"), {"channel": "scrambled"}),
    ]:
        assert not is_seed_independent(new_match(game, players, 0, **options), PlayerCache(game)), (game, players)


def test_seeds_differ_where_they_matter(tmp_path):
    run(new_design("persuasion", ["honest", "bayes"], seeds=8), tmp_path, jobs=1)
    assert len({tuple(json.loads(line)["chance"]) for line in lines(tmp_path)}) == 8


def known(game):
    """Specs of all pools of a game, and of its strategies that came after these were published."""
    return list(dict.fromkeys([*(spec for name in POOLS for spec in pool(game, name)), *LATER.get(game, ())]))


POOLS = ("standard", "training", "validation")
GENERATED = ("generated('harden', 3)", "generated('irregular', 5)")
TALK = ("sender('weak', 'training', 3)", "receiver")
LATER = {
    "bargaining": ("deadline", *GENERATED, *TALK),
    "negotiation": ("holdout", *GENERATED),
    "multi_issue": GENERATED,
}
CHANCELESS = [name for name in games() if not find_game(name).facts.chance]


@pytest.mark.parametrize("game", long_unless(lambda game: CHANCELESS.index(game) % 3 == 0, CHANCELESS, "slow"))
def test_players_that_say_so_do_not_use_their_seed(game):
    specs = [spec for spec in known(game) if player(spec, game).deterministic]
    assert len(specs) > 5
    markets = find_settings(find_game(game), [ALL_SETTINGS])[:2]
    for own, partner in zip(specs, [*specs[1:], specs[0]], strict=True):
        for market in markets:
            seats = find_game(game).seats(find_game(game).params(**market.params)[1])
            match = new_match(game, (own, *[partner] * (seats - 1)), 0, **market.params)
            first, other = play_matches([match, match._replace(seed=99)], PlayerCache(game), 1)
            assert [turn.action for turn in first.turns] == [turn.action for turn in other.turns], (own, market.name)


def test_every_scripted_player_is_in_the_test_above():
    for game in CHANCELESS:
        others = {"identify", "plan", "quantal"}  # in no pool, since they compute; draws
        assert set(scripted_players(game)) - others <= {spec.partition("(")[0] for spec in known(game)}, game


def test_what_takes_long_is_handed_on_before_all_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever stops a run of slow players loses a second of play, and quick ones are not written one by one."""
    from econzoo.evaluate.run import match

    clock = iter([0.0, 0.4, 1.2, 1.2, *[1.3] * 40])
    monkeypatch.setattr(match.time, "monotonic", lambda: next(clock))
    played = (match.EndedMatches([], [str(line)]) for line in range(12))
    assert [len(match.play_for_seconds(played, match.PATIENCE).lines) for _ in range(3)] == [2, 10, 0]
