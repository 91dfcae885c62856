"""One learner against scripted players in many games at once."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest

import econzoo
from econzoo.envs.core.vector import CannotCompileError, LearnerBatch
from econzoo.envs.core.vector.scripted_seats import pool_entries
from refusals import refuses

pytest.importorskip("numba")
pytestmark = pytest.mark.usefixtures("interpreted")

POOL = ("fair", "boulware(0.2)", "tit-for-tat")
ACCEPT, REJECT = 101, 102


def made(games: int = 50, weights: tuple[float, ...] = (1, 1, 1), **given: Any) -> LearnerBatch:
    """Games of bargaining; the same players in the same order are compiled once."""
    return LearnerBatch("bargaining", games, opponent=dict(zip(POOL, weights, strict=True)), **{"seat": "both"} | given)


def at_random(masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Legal actions."""
    return (rng.random(masks.shape) * masks).argmax(axis=1)


def played(batch: LearnerBatch, seed: int, steps: int = 12) -> list[np.ndarray]:
    """All that a learner sees, and who sat opposite."""
    rng, out = np.random.default_rng(0), list(batch.reset(seed=seed))
    for _ in range(steps):
        *now, _ = batch.step(at_random(out[-1] if len(out) == 2 else out[-2], rng))
        out += [now[0], now[1], now[2], now[3], batch.opponents.scripted.seated_players.copy()]  # type: ignore[union-attr]
    return out


def test_one_seed_determines_settings_seats_opponents_and_their_luck():
    first, again, other = (played(made(params="train"), seed) for seed in (1, 1, 2))
    assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))
    assert not np.array_equal(first[0], other[0])


def test_who_takes_half_at_once_wins_half_and_the_next_game_starts_in_the_same_step():
    batch = made(weights=(1, 1e-12, 1e-12), seat=1)
    observations, masks = batch.reset(seed=1)
    assert masks[:, [ACCEPT, REJECT]].all()
    assert np.allclose(observations[:, 9], 0.5)  # the share that is offered
    after, rewards, dones, masks, infos = batch.step(np.full(50, ACCEPT))
    assert dones.all()
    assert np.allclose(rewards, 0.5)
    assert np.allclose(infos["gain"], 0.5)
    assert np.array_equal(after, observations)


def test_a_refused_offer_goes_on_with_the_learners_own_and_pays_nothing_yet():
    batch = made(weights=(1, 1e-12, 1e-12), seat=1, params={"delta": (1.0, 0.8), "horizon": 4})
    batch.reset(seed=1)
    _, rewards, dones, masks, _ = batch.step(np.full(50, REJECT))
    assert not dones.any()
    assert not rewards.any()
    assert masks[:, :101].all()
    _, rewards, dones, *_ = batch.step(np.full(50, 50))  # half, which fair takes, a round later
    assert dones.all()
    assert np.allclose(rewards, 0.4)


def test_rewards_are_what_the_objective_says():
    for objective, reward in [("self_gain", 0.4), ("efficiency", 0.9)]:
        batch = made(5, (1, 1e-12, 1e-12), seat=1, params={"delta": (1.0, 0.8), "horizon": 4}, objective=objective)
        batch.reset(seed=1)
        batch.step(np.full(5, REJECT))
        assert np.allclose(batch.step(np.full(5, 50))[1], reward), objective


def test_the_learners_seat_is_drawn_for_every_game_and_stands_in_the_observation():
    batch = made(400)
    observations, _ = batch.reset(seed=1)
    assert 140 < (observations[:, 0] == 0).sum() < 260
    observations, _, _, _, infos = batch.step(at_random(batch.observe()[1], np.random.default_rng(1)))
    assert np.array_equal(observations[:, 0], infos["seat"])
    cast = batch.opponents.scripted.seated_players
    assert np.array_equal(cast[np.arange(400), infos["seat"]], np.full(400, -1))
    assert (cast[np.arange(400), 1 - infos["seat"]] >= 0).all()


def test_in_self_play_an_offer_that_is_accepted_pays_who_made_it_too():
    batch = LearnerBatch("bargaining", 3, params={"delta": (0.9, 0.8), "horizon": 2})
    batch.reset(seed=1)
    batch.step(np.full(3, 60))
    _, rewards, dones, _, infos = batch.step(np.full(3, ACCEPT))
    assert dones.all()
    assert np.allclose(rewards, 0.4)
    assert np.allclose(infos["reward"], [[0.6, 0.4]] * 3)


def test_opponents_are_drawn_by_weight():
    batch = made(2000, (3, 1, 1e-12), seat=0)
    batch.reset(seed=1)
    assert (batch.opponents.scripted.seated_players[:, 1] == 0).mean() == pytest.approx(0.75, abs=0.03)
    assert (batch.opponents.scripted.seated_players[:, 0] == -1).all()


def test_a_spec_with_distributions_gives_every_game_its_own_player():
    pool = pool_entries("boulware(e~loguniform(0.05, 0.9), low~uniform(0, 0.5))", "bargaining")
    drawn = np.array([entry.script.numbers for entry in pool])  # e, high, low
    assert len(pool) > 1000
    assert np.median(drawn[:, 0]) == pytest.approx((0.05 * 0.9) ** 0.5, rel=0.1)
    assert (drawn.min(axis=0)[[0, 2]] >= (0.05, 0.0)).all()
    assert (drawn.max(axis=0)[[0, 2]] <= (0.9, 0.5)).all()
    assert sum(entry.weight for entry in pool) == pytest.approx(1.0)


def test_who_cannot_be_compiled_says_so_and_who_can():
    for game, spec in [("survival_auction", "mpc"), ("bargaining", "mock('hello')")]:
        with refuses(CannotCompileError, spec, game, "random"):
            pool_entries(spec, game)


def test_gymnasium_makes_it_by_an_id_of_its_own():
    opponent = dict.fromkeys(POOL, 1)
    made = {"num_envs": 3, "seat": "both", "opponent": opponent}
    envs = gymnasium.make_vec("econzoo:econzoo/BargainingCompiled-v0", **made)
    observations, _ = envs.reset(seed=1)
    assert observations["observation"].shape == (3, 14)
    assert envs.spec.id == "econzoo/BargainingCompiled-v0"


# -- what is drawn anew --------------------------------------------------------------------------------------

DRAWN = ("fair", "boulware(e~loguniform(0.05, 0.9))")


def redrawn(seed: int, times: int = 20) -> LearnerBatch:
    """Games in which settings and players were drawn anew so often."""
    batch = LearnerBatch("bargaining", 32, seat="both", opponent=DRAWN, params="train")
    batch.reset(seed)
    for _ in range(times):
        batch.step(np.full(32, 50))
        batch.redraw(64, 16)
    return batch


def of(batch: LearnerBatch) -> tuple[list[Any], list[str]]:
    """Settings, and specs of players."""
    assert batch.opponents is not None
    return batch.batch.sets, [entry.spec for entry in batch.opponents.scripted.pool]


def seated(batch: LearnerBatch) -> list[list[str]]:
    """Who plays in each game."""
    assert batch.opponents is not None
    scripts = batch.opponents.scripted
    return [[scripts.pool[one].spec for one in row if one >= 0] for row in scripts.seated_players]


def test_those_who_play_for_long_meet_more_than_was_drawn_at_first():
    (settings, players), (first, other) = of(redrawn(1)), of(redrawn(1, 0))
    assert len(set(map(repr, settings)) - set(map(repr, first))) > 500, "of 1,280 that were drawn into 1,024 places"
    assert len(set(players) - set(other)) > 200, "of 320"
    assert players[0] == "fair"


def test_what_is_drawn_anew_follows_from_the_seed():
    first = of(redrawn(1, 3))
    assert first == of(redrawn(1, 3))
    assert first != of(redrawn(2, 3))


def test_games_that_are_played_keep_setting_and_players():
    batch = redrawn(3, 0)
    assert batch.opponents is not None
    for _ in range(5):
        batch.step(np.full(32, 100))
        before = [batch.batch.position(i) for i in range(32)]
        sitting = [
            [batch.opponents.scripted.pool[one].spec for one in row if one >= 0]
            for row in batch.opponents.scripted.seated_players
        ]
        batch.redraw(64, 64)
        assert [batch.batch.position(i) for i in range(32)] == before
        assert [
            [batch.opponents.scripted.pool[one].spec for one in row if one >= 0]
            for row in batch.opponents.scripted.seated_players
        ] == sitting


def test_the_arrays_are_of_what_was_drawn_anew():
    batch = redrawn(4, 5)
    kept = batch.batch.code.params.arrays(batch.batch.sets)
    assert all(np.array_equal(ours, theirs) for ours, theirs in zip(batch.batch._params, kept, strict=True))
    assert batch.opponents is not None
    numbers = [number for entry in batch.opponents.scripted.pool for number in entry.script.numbers]
    assert batch.opponents.scripted._numbers.tolist() == numbers


def test_settings_that_were_given_stay():
    batch = LearnerBatch("bargaining", 4, seat=0, opponent="fair", params=[{"horizon": 2}, {"horizon": 3}])
    before = list(batch.batch.sets)
    batch.redraw(64, 16)
    assert batch.batch.sets == before


def money(batch: LearnerBatch) -> list[float]:
    """The money of each game."""
    return [batch.batch.position(number)[0].money for number in range(batch.num_games)]


def test_parameters_at_reset_stay_for_games_that_follow():
    batch = made(games=4, weights=(1, 1e-12, 1e-12), seat=1)
    batch.reset(seed=1, options={"params": {"money": 50.0}})
    assert batch.step(np.full(4, ACCEPT))[-1]["payoff"].tolist() == [[25.0, 25.0]] * 4
    assert batch.step(np.full(4, ACCEPT))[-1]["payoff"].tolist() == [[25.0, 25.0]] * 4, "games that follow"
    batch.reset(options={"params": {"horizon": 1}})
    assert money(batch) == [50.0] * 4, "changes add up"
    for options, named in [
        ({"money": 5.0}, "options={'params': {'money': ...}}"),
        ({"params": {"mony": 5.0}}, "did you mean 'money'"),
        ({"params": {"money": -5.0}}, "money=-5.0"),
        ({"params": {"messages": 3}}, "may not change"),
        ({"chance": [1.0]}, "gymnasium.make_vec"),
        ({"reset_mask": [True]}, "allowed: params"),
    ]:
        with refuses(ValueError, named):
            batch.reset(seed=1, options=options)
    assert money(batch) == [50.0] * 4, "a refused reset changes nothing"


def test_parameters_of_some_games_change_at_their_reset_only():
    sets = [{"money": float(100 * number)} for number in (1, 2, 3)]
    envs = econzoo.make_vec("bargaining", 6, seat=1, opponent="fair", params=sets, autoreset_mode="Disabled")
    envs.reset(seed=1)
    before, chosen = money(envs.games), np.array([True, False, True, False, False, False])
    assert set(before) <= {100.0, 200.0, 300.0}
    for mask in (3, [True], np.arange(6)):
        with refuses(ValueError, "reset_mask", "bool of shape (6,)"):
            envs.reset(options={"reset_mask": mask})
    envs.reset(options={"reset_mask": chosen, "params": {"money": 7.0}})
    now = money(envs.games)
    assert [now[0], now[2]] == [7.0, 7.0]
    assert [now[i] for i in (1, 3, 4, 5)] == [before[i] for i in (1, 3, 4, 5)], "games that go on are as they were"
    for round in range(40):  # every game is reset again and again: whose parameters changed keeps them
        payoffs = envs.step(np.full(6, ACCEPT))[-1]["payoff"].sum(axis=1)
        assert payoffs.tolist() == pytest.approx(money(envs.games))
        envs.reset(options={"reset_mask": np.ones(6, bool)} | ({"params": {"horizon": 2}} if round == 20 else {}))
        now = money(envs.games)
        assert [now[0], now[2]] == [7.0, 7.0]
        assert set(now) <= {7.0, 100.0, 200.0, 300.0}
    assert len(envs.batch.sets) <= 6
    envs.reset(options={"params": {"money": 9.0}})
    assert money(envs.games) == [9.0] * 6


def test_what_is_drawn_anew_has_the_parameters_of_the_reset():
    batch = LearnerBatch("bargaining", 4, seat=0, opponent="fair", params="train")
    batch.reset(seed=1, options={"params": {"money": 5.0}})
    batch.redraw(64, 0)
    assert {one.money for one in batch.batch.sets} == {5.0}
