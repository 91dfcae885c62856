"""Sealed bids: nobody learns anything of the bids of a day before all have bid."""

from __future__ import annotations

from itertools import product

import econzoo
from econzoo.testing.playing import FACES, encode
from games.sealed import compare_sealed, order_of_asking

DAYS = [(1, 2, 3, 4, 5), (70, 0, 0, 0, 9)]


def test_bids_of_the_day_are_sealed_on_every_face() -> None:
    for face, days in product(FACES, (0, 1, 2)):
        assert compare_sealed("water_allocation", face, DAYS[:days], (0, 7, 70, 1, 0), (60, 0, 20, 80, 119)) == 4


def test_bids_are_sealed_after_deaths_too() -> None:
    """Alex and Bob die on day 1 of thirst; three are left."""
    for face in FACES:
        params = {"supply": (33, 33), "start_health": 1}
        days = [(0, 0, 10, 10, 10)]
        assert compare_sealed("water_allocation", face, days, (0, 70, 1), (60, 20, 100), **params) == 2


def test_a_void_bid_is_as_sealed_as_any_other() -> None:
    for face in FACES:
        void = 120.0 if face == "numeric" else 4800.0  # the numeric face goes up to what one has
        assert compare_sealed("water_allocation", face, [], (0, 0, 0, void, 1), (70, 75, 100, 5, 5)) == 4


def test_who_is_asked_last_knows_no_more_than_who_is_asked_first() -> None:
    for face in FACES:
        one, other = order_of_asking("water_allocation", face)
        assert one == other, face


def test_everything_but_the_bids_is_public() -> None:
    """Perfect information about the past: all seats read the same balances, health and bids of yesterday."""
    for face in FACES:
        env = econzoo.make("water_allocation", face=face)
        env.reset(seed=0, options={"supply": [12]})
        for amount in (3.25, 11.5, 21.75, 31.25, 5.0):
            env.step(encode(env, env.agent_selection, env.game.actions.make(0, (amount,))))
        if face == "structured":
            histories = [env.observe(agent)["history"] for agent in env.agents]
            assert [event["bid"] for event in histories[0]] == [3.25, 11.5, 21.75, 31.25, 5.0], face
            assert all(history == histories[0] for history in histories), face
        elif face != "numeric":
            for agent in env.agents:
                assert all(
                    f"bid ${bid} and" in env.observe(agent)["text"] for bid in ("3.25", "11.50", "21.75", "31.25")
                ), face


def test_the_supply_of_tomorrow_is_nobodys() -> None:
    """Two futures that begin alike look alike until they part."""
    envs = [econzoo.make("water_allocation", face="structured", render_mode="ansi") for _ in range(2)]
    for env, supply in zip(envs, ([12, 15, 10], [12, 15, 20]), strict=True):
        env.reset(seed=1, options={"supply": supply})
    for day in range(2):
        for seat in range(5):
            for env in envs:
                assert env.observe(f"player_{seat}")["supply"] == (12, 15)[day]
            assert [env.observe(a) for a in envs[0].agents] == [env.observe(a) for a in envs[1].agents]
            for env in envs:
                env.step({"bid": 10.0 * seat})
    assert [env.observe("player_0")["supply"] for env in envs] == [10, 20]
