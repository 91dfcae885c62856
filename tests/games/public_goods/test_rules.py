"""Incomes of rounds worked out by hand, what points cost and take, and the compiled batch beside the scalar rules."""

from __future__ import annotations

import numpy as np
import pytest

import econzoo
from econzoo.envs.core.contract import Move
from econzoo.envs.core.vector import GameBatch
from econzoo.envs.games.public_goods import rules
from econzoo.envs.games.public_goods.rules import COSTS
from games.public_goods.halves import NONE, played
from refusals import refuses


def test_income_from_contributions() -> None:
    for gave, mpcr, incomes in [
        ((0, 0, 0, 0), 0.4, (20, 20, 20, 20)),
        ((20, 20, 20, 20), 0.4, (32, 32, 32, 32)),  # 0.4 * 80
        ((0, 20, 20, 20), 0.4, (44, 24, 24, 24)),  # 0.4 * 60 = 24, and the free rider keeps 20
        ((20, 0, 0, 0), 0.4, (8, 28, 28, 28)),
        ((5, 10, 0, 15), 0.5, (30, 25, 35, 20)),  # 0.5 * 30 = 15
        ((1, 0, 0, 0), 0.0, (19, 20, 20, 20)),
        ((20, 0), 0.7, (14, 34)),
    ]:
        env = played(gave, players=len(gave), mpcr=mpcr, rounds=1, punishment=False)
        assert env.payoffs == pytest.approx(incomes), (gave, mpcr)
        assert env.over, (gave, mpcr)


def test_what_points_cost_and_take() -> None:
    """One free rider (income 44) among three who contribute everything (24 each)."""
    for cost, points, incomes in [
        ("fehr-gaechter", (NONE, NONE, NONE, NONE), (44, 24, 24, 24)),
        ("fehr-gaechter", (NONE, [3, 0, 0], NONE, NONE), (30.8, 20, 24, 24)),  # 30% of 44 is 13.2; 3 points cost 4
        ("fehr-gaechter", (NONE, [3, 0, 0], [4, 0, 0], [5, 0, 0]), (0, 20, 18, 15)),  # 12 points take no more than all
        ("fehr-gaechter", ([1, 1, 1], [2, 0, 0], NONE, NONE), (32.2, 19.6, 21.6, 21.6)),  # 44 * 0.8 - 3; 24 * 0.9 - 2
        ("linear", (NONE, [3, 0, 0], NONE, NONE), (35, 21, 24, 24)),
        ("linear", ([0, 0, 10], NONE, NONE, [8, 0, 0]), (10, 24, 24, -8)),  # 44 - 24 - 10; 24 - 24 - 8
    ]:
        env = played((0, 20, 20, 20), points, cost=cost, rounds=1)
        assert env.payoffs == pytest.approx(incomes), (cost, points)
        assert sum(env.errors) == 0, (cost, points)


def test_the_cost_schedule_of_the_paper() -> None:
    assert COSTS == (0, 1, 2, 4, 6, 9, 12, 16, 20, 25, 30)


def test_points_are_paid_out_of_the_income_of_the_round() -> None:
    """Also in round 2, where 20 tokens of round 1 lie on the side."""
    for cost, points, allowed in [
        ("fehr-gaechter", [8, 0, 0], True),  # 20 of 20 tokens
        ("fehr-gaechter", [8, 1, 0], False),  # 21
        ("fehr-gaechter", [6, 4, 2], True),  # 12 + 6 + 2
        ("fehr-gaechter", [6, 5, 0], False),  # 12 + 9
        ("linear", [10, 10, 0], True),
        ("linear", [10, 10, 1], False),
    ]:
        nothing = (NONE,) * 4
        env = played((0, 0, 0, 0), nothing, (0, 0, 0, 0), cost=cost)
        env.step({"kind": "assign", "points": points})
        assert env.errors[0] == (not allowed), (cost, points)


def test_an_income_pays_for_as_many_points_as_it_has_tokens() -> None:
    """Five give 20 each and get 0.29 * 100, which falls short of 29 in binary."""
    env = played((20,) * 5, players=5, mpcr=0.29, cost="linear")
    assert env.game_state.income[0] < 29
    env.step({"kind": "assign", "points": [10, 10, 9, 0]})
    assert env.errors[0] == 0
    env.step({"kind": "assign", "points": [10, 10, 10, 0]})
    assert env.errors[1] == 1


def test_random_play_can_pay_for_its_points_in_groups_of_any_size() -> None:
    for cost in ("fehr-gaechter", "linear"):
        record = econzoo.play("public_goods", ["random"] * 20, players=20, rounds=2, cost=cost, seed=1)
        assert record.errors == [0] * 20, cost
        assert any(any(turn.action.get("points", ())) for turn in record.turns), cost


def test_incomes_add_up_over_rounds_and_the_last_round_ends_the_game() -> None:
    env = played((20, 20), ([0], [1]), (0, 20), ([0], [0]), players=2, mpcr=0.75, rounds=2)
    # 30 each, of which a point takes 3 and costs 1; then 20 + 15 and 15.
    assert env.payoffs == pytest.approx((27 + 35, 29 + 15))
    assert env.over
    assert env.game_state.round == 2


def test_without_punishment_a_round_has_one_half() -> None:
    env = played((1, 2, 3, 4), (4, 3, 2, 1), punishment=False)
    assert env.game_state.round == 3
    assert [event.round for event in env.events] == [1] * 4 + [2] * 4


def test_bad_parameters_are_refused_by_name() -> None:
    for params, *told in [
        ({"players": 1}, "players", 1, 2, 20),
        ({"mpcr": -0.1}, "mpcr", -0.1, 0, 100),
        ({"endowment": 2.5}, "endowment", 2.5),
        ({"cost": "free"}, "cost", "free", "fehr-gaechter", "linear"),
    ]:
        with refuses(ValueError, *told):
            econzoo.make("public_goods", **params)


def test_what_is_no_move_counts_as_contributing_nothing() -> None:
    for move in [
        {"kind": "contribute", "tokens": 20.5},
        {"kind": "contribute", "tokens": 21},
        {"kind": "contribute", "tokens": -1},
        {"kind": "assign", "points": NONE},
    ]:
        env = played()
        for one in (move, *[{"kind": "contribute", "tokens": 20}] * 3):
            env.step(one)
        assert list(env.errors) == [1, 0, 0, 0], move
        assert env.game_state.gave == (0.0, 20.0, 20.0, 20.0), move


@pytest.mark.usefixtures("interpreted")
def test_a_batch_stands_where_the_scalar_rules_stand() -> None:
    """Matches with both costs and without points side by side; what cannot be paid for becomes no points."""
    markets = [{"cost": cost, "rounds": 3} for cost in ("fehr-gaechter", "linear")] * 3 + [{"punishment": False}] * 2
    batch = GameBatch("public_goods", len(markets), markets, seed=3, autoreset=False)
    rng, width = np.random.default_rng(0), batch.actions.width
    for _ in range(7):
        before = [batch.position(number) for number in range(batch.num_games)]
        kinds = np.array([[int(s.assigning)] * 4 for _, s in before])
        values = np.zeros((len(before), 4, width))
        values[..., 0] = rng.integers(0, 21, values.shape[:2])
        for number, (_, s) in enumerate(before):
            if s.assigning:
                values[number] = rng.integers(0, 4, values.shape[1:])
        payoffs, done = batch.step(kinds, values)
        for number, (p, s) in enumerate(before):
            if s.over:
                continue
            moves = [Move(int(s.assigning), tuple(own)) for own in values[number]]
            usual = [own if not rules.refuses(p, s, i, own) else Move(1, (0.0,) * width) for i, own in enumerate(moves)]
            then = rules.apply(p, s, tuple(usual))
            assert batch.position(number)[1] == then
            assert done[number] == then.over
            assert tuple(payoffs[number]) == (rules.payoffs(p, then) if then.over else (0.0,) * 4)
            for seat in range(4):
                seen = np.array(rules.features(rules.observe(p, then, seat)), np.float32)
                assert np.array_equal(batch.observe(seat, np.array([number]))[0], seen)
                here = [tuple(pair) for pair in batch.bounds(seat, np.array([number]))[0]]
                assert here == list(rules.bounds(p, then, seat))
