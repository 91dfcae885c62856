"""GLEE's configurations: ids that stay what they are, subsets that say what they promise, GLEE's design of play."""

from __future__ import annotations

import hashlib
from collections import Counter

from econzoo.envs.core import game as find_game
from econzoo.evaluate.formats.glee import FAMILIES, grid
from econzoo.evaluate.formats.glee.scenarios import BASELINE, id_of
from econzoo.evaluate.run import Sampling, describe_no_gains, has_no_gains, new_design, read_design
from econzoo.evaluate.run.design import sample_schedule, write_design
from econzoo.evaluate.suites.glee import configurations
from refusals import refuses, says


def values_of(market):
    """What GLEE varies independently of each other: the parameters, each discount factor by itself."""
    given = dict(market.params)
    if "delta" in given:
        given["delta_A"], given["delta_B"] = given.pop("delta")
    return given


def named(family, id):
    """The configuration of the grid with an id."""
    return {market.name: market for market in grid(family)}[id]


def subset(name, family):
    return configurations([name], [family])[family]


def neighbours(family, centre):
    """The configurations of the grid that differ from one of them in at most one value."""
    base = values_of(named(family, f"{family}/{centre}"))
    return [market for market in grid(family) if len(values_of(market).items() - base.items()) <= 1]


def test_an_id_says_the_parameters_and_nothing_else():
    for id, params in [
        (
            "bargaining/d0.8-0.95_m100_tinf_ii_ma",
            {
                "delta": (0.8, 0.95),
                "money": 100.0,
                "horizon": None,
                "complete_information": False,
                "messages": True,
            },
        ),
        (
            "negotiation/v1-1.5_m1000000_t10_ci_nm",
            {
                "seller_value": 1.0,
                "buyer_value": 1.5,
                "money": 1e6,
                "horizon": 10,
                "complete_information": True,
                "messages": False,
            },
        ),
        (
            "persuasion/p1of3_v1.25_m10000_ii_text_myopic",
            {
                "prior": 1 / 3,
                "high_value": 1.25,
                "price": 1e4,
                "seller_knows_value": False,
                "message_type": "text",
                "buyer": "myopic",
            },
        ),
    ]:
        family = id.partition("/")[0]
        assert named(family, id).params == params, id
        assert id_of(family, params) == id, id
        assert id_of(family, dict(reversed(params.items()))) == id, id  # in whatever order they come
        find_game(family).params(**params)


def test_the_ids_are_pinned():
    """Records are found again by them: they may not change."""
    ids = sorted(market.name for family in FAMILIES for market in grid(family))
    assert len(ids) == len(set(ids)) == 1320
    assert hashlib.sha256("\n".join(ids).encode()).hexdigest() == PINNED


PINNED = "bd97ddbe34bdb290a3e15f7c911c40c4db6bf0b0ba629de088e43f3d70713cde"


def test_the_grid_is_that_of_the_game_and_every_id_is_of_its_parameters():
    for family, size in [("bargaining", 384), ("negotiation", 576), ("persuasion", 360)]:
        assert len(grid(family)) == size, family
        given = [dict(params) for params in find_game(family).scenarios.GLEE]
        assert all(market.params in given for market in grid(family)), family
        assert all(id_of(family, market.params) == market.name for market in grid(family)), family


def test_main_is_the_baseline_and_its_neighbours():
    for family, size in [("bargaining", 12), ("negotiation", 13), ("persuasion", 12)]:
        base = values_of(named(family, BASELINE[family]))
        levels = {name: {values_of(market)[name] for market in grid(family)} for name in base}
        assert size == 1 + sum(len(values) - 1 for values in levels.values()), family  # one for every other value
        assert len(subset("main", family)) == size, family
        for name, values in levels.items():
            found = [
                m
                for m in subset("main", family)
                if all(values_of(m)[other] == base[other] for other in base if other != name)
            ]
            assert {values_of(market)[name] for market in found} == values, family


def test_small_has_every_value_of_every_parameter_equally_often():
    for family in FAMILIES:
        chosen = subset("small", family)
        assert len(chosen) == len({market.name for market in chosen}) == 12, family
        assert BASELINE[family] in {market.name for market in chosen}, family
        for name in values_of(chosen[0]):
            counts = Counter(values_of(market)[name] for market in chosen)
            assert set(counts) == {values_of(market)[name] for market in grid(family)}, family
            assert max(counts.values()) - min(counts.values()) <= 1, family


def test_small_is_pinned():
    ids = [market.name for family in FAMILIES for market in subset("small", family)]
    assert hashlib.sha256("\n".join(ids).encode()).hexdigest() == PINNED_SMALL


PINNED_SMALL = "737eba49ab2b15ea78968935c6a3fce2d85b44266ccfc1784cc648e16487ff2e"


def test_subsets():
    assert {family: len(found) for family, found in configurations(["full"]).items()} == {
        "bargaining": 384,
        "negotiation": 576,
        "persuasion": 360,
    }
    assert set(configurations(["persuasion"])) == {"persuasion"}
    assert subset("persuasion", "persuasion") == list(grid("persuasion"))
    assert set(configurations(["small"], ["negotiation"])) == {"negotiation"}
    with refuses(ValueError, "'tiny'", "full, main, main-trade, small, bargaining"):
        configurations(["tiny"])
    with refuses(ValueError, "'chess'", "bargaining"):
        configurations(["small"], ["chess"])


# GLEE's design of play


def seatings(names):
    return [(alice, bob) for alice in names for bob in names]


def test_a_plan_of_play_by_hand():
    draws = list(sample_schedule(Sampling(games=4, seed=3), seatings("AB"), 3))
    assert [draw.players for draw in draws] == [
        ("A", "A"),
        ("A", "B"),
        ("A", "A"),
        ("A", "B"),
        ("B", "A"),
        ("B", "B"),
        ("B", "A"),
        ("B", "B"),
    ]
    markets = [draw.setting for draw in draws]
    assert sorted(markets[:3]) == sorted(markets[3:6]) == [0, 1, 2]  # used up, then shuffled again
    assert set(markets[6:]) < {0, 1, 2}


def test_players_play_equally_often_and_markets_come_up_equally_often():
    draws = list(sample_schedule(Sampling(games=50, seed=0), seatings("ABCDE"), 12))
    assert Counter(draw.players[0] for draw in draws) == dict.fromkeys("ABCDE", 50)
    assert Counter(draw.players[1] for draw in draws) == dict.fromkeys("ABCDE", 50)
    assert set(Counter(draw.setting for draw in draws).values()) <= {20, 21}
    assert len(set(draws)) == len(draws)  # the same players in the same market again have another seed


def test_the_seed_decides_about_the_order_of_markets():
    def order(seed):
        return [draw.setting for draw in sample_schedule(Sampling(20, seed), seatings("AB"), 10)]

    assert order(0) == order(0) != order(1)


def test_buyers_take_turns_where_sellers_cannot_buy():
    possible = [("seller", "x"), ("seller", "y"), ("both", "x"), ("both", "y"), ("both", "both"), ("seller", "both")]
    draws = list(sample_schedule(Sampling(games=6), possible, 5))
    assert Counter(draw.players[0] for draw in draws) == {"seller": 6, "both": 6}
    assert set(Counter(draw.players for draw in draws).values()) == {2}


def test_a_sample_is_a_plan_like_others(tmp_path):
    design = new_design("bargaining", ["fair", "spe", "random"], subset("small", "bargaining"), sampling=Sampling(40))
    matches = list(design.matches())
    assert len(design) == len(matches) == 120
    assert len({match.id for match in matches}) == 120
    write_design(design, tmp_path)
    again = read_design(tmp_path)
    assert again.sampling == design.sampling
    assert [match.id for match in again.matches()] == [match.id for match in matches]
    for other in (Sampling(41), Sampling(40, 1), None):
        with refuses(ValueError, "sampling"):
            write_design(new_design("bargaining", design.players, design.settings, 1, sampling=other), tmp_path)
    more = new_design("bargaining", [*design.players, "greedy"], design.settings, 1, sampling=Sampling(40))
    with refuses(ValueError, "players", "settings"):
        write_design(more, tmp_path)
    with refuses(ValueError, "opponents", "line-ups"):
        new_design("bargaining", ["fair"], opponents=["spe"], sampling=Sampling(1))


def test_in_main_most_markets_of_negotiation_leave_nothing_to_gain_in_main_trade_none():
    said = {
        name: describe_no_gains("negotiation", [m.params for m in subset(name, "negotiation")])
        for name in ("main", "main-trade")
    }
    says(said["main"], "10 of 13")
    assert said["main-trade"] == ""


def test_main_trade_is_every_neighbour_with_gains_from_trade():
    near = neighbours("negotiation", "v0.8-1.5_m10000_t10_ci_nm")
    assert subset("main-trade", "negotiation") == [m for m in near if not has_no_gains("negotiation", m.params)]
    for family in ("bargaining", "persuasion"):
        assert subset("main-trade", family) == subset("main", family)
