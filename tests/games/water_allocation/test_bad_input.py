"""What water allocation refuses, and in which words: residents, supplies, bids and personas of every kind."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np

import econzoo
from econzoo.envs.core.contract import Invalid
from econzoo.envs.games.water_allocation import GAME, RESIDENTS, Bid
from econzoo.envs.games.water_allocation.personas import personas
from games.parameters import refuses_each
from refusals import refuses

ADA, BEN = ("Ada", 1, 10.0), ("Ben", 2, 20.0)


def many(count: int) -> list[tuple[str, int, float]]:
    return [(f"No. {i}", 1 + i % 9, 10.0) for i in range(count)]


# -- residents ---------------------------------------------------------------------------------------------------------


def test_towns_of_any_size_are_played_to_the_end() -> None:
    for count in (1, 2, 100):
        match = econzoo.play("water_allocation", ["random"] * count, seed=1, residents=many(count), days=5)
        assert (match.status, len(match.payoffs)) == ("finished", count)
        env = econzoo.make("water_allocation", residents=many(count), face="text")
        env.reset(seed=0)
        assert len(env.possible_agents) == count
        assert f"No. {count - 1} (units" in env.last()[0]["text"]


def test_residents_that_cannot_be_are_refused_by_name() -> None:
    for residents in [
        [],
        many(101),
        [ADA, ADA],
        [ADA, ("Ada", 5, 7.0)],
        [("Ada", 1)],
        [("Ada", 1, 10.0, 4)],
        [("", 1, 10.0)],
        [(" Ada", 1, 10.0)],
        [("A" * 41, 1, 10.0)],
        [("Ad\na", 1, 10.0)],
        [("Ada\u202e", 1, 10.0)],
        [(7, 1, 10.0)],
        [(None, 1, 10.0)],
        [("Ada", 0, 10.0)],
        [("Ada", -1, 10.0)],
        [("Ada", 1.5, 10.0)],
        [("Ada", 1.0, 10.0)],
        [("Ada", True, 10.0)],
        [("Ada", "1", 10.0)],
        [("Ada", math.nan, 10.0)],
        [("Ada", 10**7, 10.0)],
        [("Ada", 1, -0.01)],
        [("Ada", 1, math.nan)],
        [("Ada", 1, math.inf)],
        [("Ada", 1, 1e10)],
        [("Ada", 1, "10")],
        [("Ada", 1, True)],
        [("Ada", 1, None)],
        [{"name": "Ada", "requirement": 1}],
        [{"name": "Ada", "requirement": 1, "salary": 1.0, "persona": "kind"}],
        ["Ada"],
        [None],
        "Ada",
        b"Ada",
        5,
        None,
        {"Ada": (1, 10.0)},
        {ADA, BEN},
    ]:
        with refuses(ValueError, "water_allocation", "residents", 1, 100) as told:
            econzoo.make("water_allocation", residents=residents)
        assert "\n" not in str(told.value), residents
        assert len(str(told.value)) < 300, residents


def test_residents_may_be_written_in_several_ways() -> None:
    for one in [
        ("Ada", 3, 10),
        ["Ada", 3, 10.0],
        {"salary": 10, "name": "Ada", "requirement": 3},
        ("Ada", np.int64(3), np.float64(10)),
        np.array(["Ada", 3, 10.0], object),
    ]:
        public, params = GAME.params(residents=[one, BEN])
        assert public["residents"] == (("Ada", 3, 10.0), BEN), one
        assert (params.requirement, params.salary) == ((3, 2), (10.0, 20.0)), one


# -- the other parameters ----------------------------------------------------------------------------------------------


def test_ranges_of_supply_that_cannot_be_are_refused() -> None:
    for supply in (
        (20, 10),
        (-1, 10),
        (0, 1001),
        (10,),
        (1, 2, 3),
        (1.0, 2),
        (1.5, 2),
        "ab",
        10,
        None,
        (True, 2),
        (0, 2e6),
    ):
        with refuses(ValueError, "water_allocation", "supply", supply):
            econzoo.make("water_allocation", supply=supply)


def test_ranges_of_supply_that_can_be() -> None:
    for supply in [(0, 0), (0, 1000), (1_000_000, 1_000_000), [10, 20], np.array([10, 20])]:
        assert GAME.params(supply=supply)[0]["supply"] == tuple(supply)


def test_other_parameters_that_cannot_be_are_refused() -> None:
    wrong = {
        "days": (0, -1, 10_001, 2.5, "5", None, True, math.nan),
        "start_health": (0, -1, 1001, 8.5, "8", None),
        "max_health": (0, 1001, 10.5, None),
        "reward": ("money", "", None, 0, "Survival"),
        "persona": (1, "yes", None, 0),
    }
    refuses_each("water_allocation", wrong)


def test_nobody_begins_healthier_than_one_can_be() -> None:
    with refuses(ValueError, "start_health", 8, "max_health", 7):
        econzoo.make("water_allocation", max_health=7)
    assert GAME.params(max_health=8)[1].max_health == 8


# -- personas ----------------------------------------------------------------------------------------------------------


def test_every_resident_of_the_paper_has_a_complete_persona() -> None:
    assert list(personas()) == [name for name, _, _ in RESIDENTS]
    for who in personas().values():
        assert set(who) == {"profession", "personality", "background"}
        assert all(text.strip() for text in who.values())


def test_personas_are_for_those_who_have_one() -> None:
    with refuses(ValueError, "persona", "Ada", "Alex", "Bob"):
        econzoo.make("water_allocation", residents=[("Alex", 1, 1.0), ADA], persona=True)
    env = econzoo.make("water_allocation", residents=[("Eric", 1, 1.0), ("Alex", 2, 1.0)], persona=True)
    assert env.roles == ("Eric", "Alex")


# -- supplies of a replay ----------------------------------------------------------------------------------------------


def test_supplies_that_cannot_be_are_refused() -> None:
    for supply, maker in product(
        [
            [9],
            [21],
            [10, 21],
            [10] * 21,
            [10.0],
            [10.5],
            [math.nan],
            [math.inf],
            ["10"],
            [None],
            [True],
            [[10]],
            "10",
            10,
            10.0,
            {10: 1},
            {10, 11},
            np.array([10.0]),
            np.array([[10, 11]]),
        ],
        (econzoo.make, econzoo.make_parallel),
    ):
        env = maker("water_allocation")
        with refuses(ValueError, "water_allocation", "supply", 10, 20):
            env.reset(seed=0, options={"supply": supply})


def test_supplies_fix_the_first_days() -> None:
    for supply in [[], [10], [20] * 20, (10, 20), np.array([11, 12]), range(10, 15)]:
        env = econzoo.make("water_allocation", face="structured", start_health=10)
        env.reset(seed=4, options={"supply": supply})
        while env.agents and not env.over:
            env.step(None if env.terminations[env.agent_selection] else {"bid": 0})
        assert env.chance_draws[: len(supply)] == [float(units) for units in supply][: len(env.chance_draws)]
        again = econzoo.make("water_allocation", face="structured", start_health=10)
        again.reset(seed=9, options={"supply": [int(units) for units in env.chance_draws]})
        while again.agents and not again.over:
            again.step(None if again.terminations[again.agent_selection] else {"bid": 0})
        assert again.game_state == env.game_state, supply


def test_later_days_follow_the_seed_and_every_reset_is_for_itself() -> None:
    def supplies(options: Any) -> list[float]:
        env.reset(seed=4, options=options)
        while env.agents and not env.over:
            env.step(None if env.terminations[env.agent_selection] else {"bid": 0})
        return env.chance_draws

    env = econzoo.make("water_allocation", face="structured")
    drawn = supplies(None)
    assert supplies({"supply": [20, 20]})[:2] == [20.0, 20.0]
    assert supplies(None) == drawn


def test_the_same_thing_may_not_be_said_twice() -> None:
    env = econzoo.make("water_allocation")
    with refuses(ValueError, "chance", "supply"):
        env.reset(options={"chance": [10.0], "supply": [10]})
    env.reset(options={"chance": None, "supply": [10]})
    assert env.game_state.supply == 10.0


def test_supplies_are_those_of_the_new_parameters() -> None:
    env = econzoo.make("water_allocation")
    env.reset(options={"params": {"supply": (30, 31)}, "supply": [31]})
    assert env.game_state.supply == 31.0


# -- bids --------------------------------------------------------------------------------------------------------------

WRONG = [
    (-1, "out_of_range"),
    (-1e-300, "out_of_range"),
    (math.nan, "not_finite"),
    (math.inf, "not_finite"),
    (-math.inf, "not_finite"),
    (1e13, "out_of_range"),
    (10**400, "out_of_range"),
    ("70", "wrong_type"),
    ("", "wrong_type"),
    (True, "wrong_type"),
    (np.True_, "wrong_type"),
    (None, "wrong_type"),
    ([70], "wrong_type"),
    ({}, "wrong_type"),
    (1j, "wrong_type"),
    (np.array([70.0]), "wrong_type"),
]


def test_bids_that_are_none() -> None:
    for amount, code in WRONG:
        env = econzoo.make("water_allocation", face="structured", max_retries=1)
        env.reset(seed=0)
        answer = env.face("player_0").decode({"bid": amount}, env.legal("player_0"))
        assert isinstance(answer, Invalid), amount
        assert answer.code == code, amount
        assert answer.text.startswith('"bid" must'), amount
        env.step({"bid": amount})
        assert env.infos["player_0"]["error_code"] == code, amount
        assert env.infos["player_0"]["balance"] == 70.0, "the standing is told with the question"
        assert (env.moves, env.pending) == (0, {}), amount


def test_moves_that_are_no_bid() -> None:
    for plain in [{}, {"bids": 7}, {"bid": 7, "message": "hi"}, {"amount": 7}, [7], 7, "7", None]:
        env = econzoo.make("water_allocation", face="structured")
        env.reset(seed=0)
        assert isinstance(env.face("player_0").decode(plain, env.legal("player_0")), Invalid)


def test_bids_are_exact_amounts() -> None:
    for amount in (
        0,
        0.0,
        70,
        70.0,
        4800,
        33.333333333333336,
        5e-324,
        np.float32(1.5),
        np.float64(0.1),
        np.int64(3),
        np.uint8(200),
    ):
        env = econzoo.make("water_allocation", face="structured")
        env.reset(seed=0)
        move = env.face("player_0").decode({"bid": amount}, env.legal("player_0"))
        assert move == Bid(float(amount))
        assert type(move.bid) is float, amount
        assert env.action_space("player_0").contains({"bid": amount})


def test_replies_that_are_no_bid() -> None:
    for (reply, code), face in product(
        [
            ("", "empty"),
            ("I bid 70.", "no_json"),
            ("$70", "no_json"),
            ('{"bid": NaN}', "bad_json"),
            ('{"bid": Infinity}', "bad_json"),
            ('{"bid": 1e999}', "not_finite"),
            ('{"bid": -5}', "out_of_range"),
            ('{"bid": "70"}', "wrong_type"),
            ('{"bid": true}', "wrong_type"),
            ('{"bid": null}', "wrong_type"),
            ('{"bid": 1} {"bid": 2}', "many_json"),
            ('{"bid": 1, "bid": 2}', "bad_json"),
            ('{"bid": 70', "bad_json"),
            ('{"price": 70}', "unknown_key"),
            ('{"kind": "sell", "bid": 70}', "unknown_kind"),
        ],
        ("text", "chat"),
    ):
        env = econzoo.make("water_allocation", face=face)
        env.reset(seed=0)
        env.step(reply)
        assert env.infos["player_0"]["error_code"] == code, (reply, face)
        assert env.infos["player_0"]["error"] in env.last()[0]["text"], (reply, face)
        assert env.moves == 0, (reply, face)


def test_numbers_run_from_nothing_to_all_one_has() -> None:
    env = econzoo.make("water_allocation", grid=11)
    env.reset(seed=0)
    moves = [env.face("player_0").decode(number, env.legal("player_0")) for number in range(11)]
    assert [move.bid for move in moves] == [7.0 * step for step in range(11)]
    with refuses(ValueError, 11, 0, 10):
        env.step(11)


def test_a_forfeit_ends_the_match_and_is_told_to_all() -> None:
    for seat in (0, 2, 4):
        env = econzoo.make("water_allocation", face="structured", max_retries=0, on_error="forfeit")
        env.reset(seed=0)
        for _ in range(seat):
            env.step({"bid": 1})
        env.step({"bid": "all"})
        assert env.forfeiting_seat == seat
        assert all(env.terminations.values()), seat
        assert [env.infos[agent]["forfeit"] for agent in env.agents] == [i == seat for i in range(5)], seat
        assert env.events == (), "bids of the day stay sealed"


def test_an_unusable_bid_may_stand_for_nothing() -> None:
    options = {"max_retries": 0, "on_error": "default", "supply": (50, 50)}
    env = econzoo.make_parallel("water_allocation", face="structured", **options)
    env.reset(seed=0)
    bids = {agent: {"bid": -1 if agent == "player_3" else 1} for agent in env.agents}
    env.step(bids)
    assert [event.action.bid for event in env.aec.events] == [1.0, 1.0, 1.0, 0.0, 1.0]
    assert (env.aec.errors, env.aec.defaults) == ([0, 0, 0, 1, 0], [0, 0, 0, 1, 0])
