"""What each scripted strategy of bargaining asks for and accepts, by hand."""

from __future__ import annotations

from itertools import product

import pytest
from positions import accepts, answers, ask, least, market, next_ask

import econzoo
from econzoo.baselines.bargaining.base import mover
from econzoo.baselines.offers import round_to_cents
from econzoo.envs.games.bargaining import rules
from econzoo.envs.games.bargaining.rules import Params
from econzoo.envs.games.bargaining.scenarios import GLEE_DELTAS
from econzoo.envs.games.bargaining.solution import equilibrium_payoffs, share_of_equilibrium, spe_payoffs

# spe


def test_spe_asks_what_backward_induction_says():
    for delta, horizon, asks in [
        ((0.9, 0.9), 1, [1.0]),  # an ultimatum: the proposer takes all
        ((0.9, 0.9), 2, [0.1, 1.0]),  # the second mover waits for 0.9
        ((0.8, 0.8), 3, [0.84, 0.2, 1.0]),  # 1 - 0.8 * (1 - 0.8 * 1)
        ((0.9, 0.5), 3, [0.95, 0.1, 1.0]),  # 1 - 0.5 * (1 - 0.9 * 1)
    ]:
        params = market(delta, horizon)
        assert [ask("spe", params, t) for t in range(1, horizon + 1)] == pytest.approx(asks), (delta, horizon, asks)


def test_spe_accepts_its_continuation_value():
    for round, threshold in ((1, 0.16), (2, 0.8), (3, 0.0)):  # 0.8 * 0.2, 0.8 * 1, nothing
        assert least("spe", market((0.8, 0.8), 3), round) == pytest.approx(threshold), (round, threshold)


def test_two_spe_players_agree_in_round_1_on_the_equilibrium():
    for delta, horizon in product(((0.9, 0.9), (0.8, 0.95), (1.0, 0.9), (1.0, 1.0), (0.5, 0.99)), (1, 2, 3, 7, 12)):
        record = econzoo.play("bargaining", ["spe", "spe"], delta=delta, horizon=horizon)
        assert record.payoffs == pytest.approx(spe_payoffs(Params(10_000.0, delta, horizon, True, True))), delta
        assert [turn.round for turn in record.turns] == [1, 1], (delta, horizon)


def test_without_a_known_horizon_spe_plays_rubinsteins_equilibrium_in_every_round():
    for delta, share in (
        ((0.9, 0.9), 0.5263),
        ((0.9, 0.8), 0.7143),
        ((1.0, 0.8), 1.0),
        ((0.8, 1.0), 0.0),
        ((1.0, 1.0), 0.5),
    ):
        params = market(delta, None)
        assert [ask("spe", params, t) for t in (1, 41)] == pytest.approx([share, share], abs=1e-4), (delta, share)
        record = econzoo.play("bargaining", ["spe", "spe"], delta=delta, horizon=None)
        assert record.payoffs == pytest.approx([10_000 * share, 10_000 * (1 - share)], abs=1), (delta, share)


def test_two_spe_players_capture_all_of_the_reference_where_nobody_is_told_the_last_round():
    for *delta, ends in product(GLEE_DELTAS, GLEE_DELTAS, (98, 99)):
        record = econzoo.play("bargaining", ["spe", "spe"], delta=delta, horizon=None, max_rounds=ends)
        params = econzoo.game("bargaining").params(**record.params)[1]
        due = equilibrium_payoffs(params)
        assert share_of_equilibrium(params, record.payoffs) == tuple(1.0 if own else None for own in due), (delta, ends)
        assert sum(due) == 10_000.0, (delta, ends)


def test_spe_takes_an_unknown_discount_factor_to_be_its_own():
    for horizon in (3, None):
        private = market((0.8, 0.95), horizon, told=False)
        assert ask("spe", private, 1) == ask("spe", market((0.8, 0.8), horizon), 1), horizon
        assert least("spe", private, 1) == least("spe", market((0.95, 0.95), horizon), 1), horizon


# all


def test_an_offer_is_the_ask_without_noise():
    for amount in (72.50000000000001, 72.49999999999999, 52.63157894736842, 0.0088235100000001):
        gain = round_to_cents(amount, 100.0, up=False)  # of which a cent is no small part
        assert len(f"{gain!r}".replace(".", "").lstrip("0")) <= 12, amount
        assert gain == pytest.approx(amount, rel=1e-11), amount


def test_an_offer_stays_within_the_money():
    """Also where twelve digits of the money are more than all of it."""
    for asked, gain in ((-1e-9, 0.0), (0.5, 0.5), (1.00000000000096, 1.00000000000096), (2, 1.0)):
        params = market(money=1.00000000000096)
        view, move = (
            rules.observe(params, rules.initial(params), 0),
            mover(lambda *_, asked=asked: asked, lambda *_: 0.0, False),
        )
        named = move(view, (), (), 0.0).values[0]
        assert 0.0 <= named <= params.money, (asked, gain)
        assert named == pytest.approx(gain, rel=1e-11), (asked, gain)


# fair, greedy, acceptor


def test_fair_and_acceptor_do_the_same_in_every_round():
    for params in (market(horizon=1), market((1.0, 0.5), 12), market(horizon=None, told=False)):
        for spec, asked, threshold in [
            ("fair", 0.5, 0.5),
            ("acceptor", 0.6, 0.4),
            ("acceptor(0.3)", 0.7, 0.3),
            ("acceptor(threshold=0)", 1.0, 0.0),
            ("acceptor(0.8)", 0.8, 0.8),  # it never asks for less than it would accept
            ("acceptor(1)", 1.0, 1.0),
        ]:
            for round in range(1, min(params.horizon, 12) + 1):
                assert ask(spec, params, round) == pytest.approx(asked), (spec, asked, threshold, params)
                assert least(spec, params, round) == pytest.approx(threshold), (spec, asked, threshold, params)


def test_greedy_gives_in_only_where_refusing_leaves_it_nothing():
    for spec, share in (("greedy", 0.99), ("greedy(0.8)", 0.8)):
        params = market(horizon=4)
        assert [ask(spec, params, t) for t in (1, 2, 3, 4)] == pytest.approx([share] * 4), (spec, share)
        assert [least(spec, params, t) for t in (1, 2, 3)] == pytest.approx([share] * 3), (spec, share)
        assert accepts(spec, params, 4, 0.0001), (spec, share)
        assert not accepts(spec, params, 4, 0.0), (spec, share)


def test_greedy_never_gives_in_if_it_does_not_know_the_last_round():
    params = market(horizon=None)
    assert not accepts("greedy", params, 99, 0.98)


# deadline


def test_deadline_asks_for_half_until_the_deadline_is_near():
    for spec, asks in [
        ("deadline", [0.5, 0.5, 0.5, 0.8, 0.8]),
        ("deadline(0.7, 3)", [0.5, 0.5, 0.7, 0.7, 0.7]),
        ("deadline(rounds=0)", [0.5] * 5),
        ("deadline(1, 99)", [1.0] * 5),
    ]:
        assert [ask(spec, market(horizon=5), t) for t in range(1, 6)] == pytest.approx(asks), (spec, asks)
        assert [ask(spec, market(horizon=None), t) for t in range(1, 6)] == [0.5] * 5, (spec, asks)


def test_deadline_accepts_nearly_half_and_anything_at_the_end():
    for delta in ((1.0, 1.0), (0.9, 0.6)):
        params = market(delta, 4)
        assert [least("deadline", params, t) for t in (1, 2, 3, 4)] == pytest.approx([0.4, 0.4, 0.4, 0.0]), delta
        for t in (1, 2, 99):
            assert least("deadline(least=0.2)", market(delta, None), t) == pytest.approx(0.2), (delta, t)
        assert accepts("deadline", params, 4, 0.0), delta
        assert accepts("deadline(least=0)", params, 1, 0.0), delta


# boulware, linear, conceder


def test_time_dependent_tactics_concede_by_the_clock():
    for spec, horizon, asks in [
        # 0.9 - 0.7 * ((t - 1) / (T - 1)) ** (1 / e)
        ("linear", 8, [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2]),
        ("boulware(0.5)", 6, [0.9, 0.872, 0.788, 0.648, 0.452, 0.2]),  # the passed time squared
        ("boulware(0.2)", 3, [0.9, 0.878125, 0.2]),  # a half to the fifth is 1/32
        ("boulware", 3, [0.9, 0.878125, 0.2]),
        ("conceder(2)", 5, [0.9, 0.55, 0.9 - 0.7 * 0.5**0.5, 0.9 - 0.7 * 0.75**0.5, 0.2]),
        ("conceder", 5, [0.9, 0.55, 0.9 - 0.7 * 0.5**0.5, 0.9 - 0.7 * 0.75**0.5, 0.2]),
        ("linear(1, 0)", 5, [1.0, 0.75, 0.5, 0.25, 0.0]),
        ("linear(high=0.8, low=0.8)", 3, [0.8, 0.8, 0.8]),
        ("linear", 1, [0.9]),  # in round 1 no time has passed yet
        ("linear", 2, [0.9, 0.2]),
    ]:
        params = market(horizon=horizon)
        assert [ask(spec, params, t) for t in range(1, horizon + 1)] == pytest.approx(asks), (spec, horizon, asks)


def test_time_dependent_tactics_accept_what_they_would_ask_next():
    for spec in ("linear", "boulware(0.5)", "conceder(3)", "linear(1, 0)"):
        params = market(horizon=6)
        for round in range(1, 6):
            assert least(spec, params, round) == pytest.approx(ask(spec, params, round + 1), abs=1.01e-4), spec
        reservation = 0.0 if "0)" in spec and "1, 0" in spec else 0.2
        assert least(spec, params, 6) == pytest.approx(reservation), spec


def test_a_boulware_holds_out_longer_than_a_linear_and_a_conceder_shorter():
    params = market(horizon=12)
    for round in range(2, 12):
        asks = [
            ask(s, params, round) for s in ("boulware(0.1)", "boulware(0.5)", "linear", "conceder(2)", "conceder(9)")
        ]
        assert asks == sorted(asks, reverse=True)
        assert len(set(asks)) == 5


def test_without_a_known_horizon_tactics_reckon_with_twenty_rounds_and_then_stay():
    unknown, twenty = market(horizon=None), market(horizon=20)
    for round in range(1, 21):
        assert ask("boulware(0.4)", unknown, round) == ask("boulware(0.4)", twenty, round)
    assert ask("boulware(0.4)", unknown, 57) == pytest.approx(0.2)


# tit-for-tat


def test_tit_for_tat_changes_its_demand_by_the_percentage_by_which_the_other_changed_its_own():
    for asks, expected in [
        ((), 0.9),  # it opens high
        ((1.0,), 0.9),  # the other wants everything: no concession
        ((0.8,), 0.72),  # the other left 20% of the whole: 0.9 * 0.8
        ((0.9, 0.8), 0.72),  # its own opening, cut by the other's 20%
        ((0.8, 0.72, 0.6), 0.54),  # 0.8 to 0.6 is a quarter less: 0.72 * 0.75
        ((0.8, 0.72, 0.8), 0.72),  # no concession for none
        ((0.6, 0.54, 0.9), 0.81),  # half as much again: 0.54 * 1.5
        ((0.5, 0.6, 0.9), 0.9),  # 1.08 is more than it ever asks
        ((0.9, 0.3, 0.3), 0.2),  # 0.1 is less than its reservation share
    ]:
        assert next_ask("tit-for-tat", market(), *asks) == pytest.approx(expected), (asks, expected)


def test_tit_for_tat_mirrors_a_whole_path_of_concessions():
    for asks in ([0.95, 0.9, 0.7, 0.65, 0.6], [0.9, 0.8, 0.85, 0.7, 0.75]):
        played: list[float] = []
        for theirs in asks:
            played.append(theirs)
            played.append(next_ask("tit-for-tat", market(), *played))
            assert played[-1] == pytest.approx(0.9 * theirs), asks


def test_tit_for_tat_accepts_what_it_would_ask_next():
    assert answers("tit-for-tat", market(), 0.52)  # leaves it 0.48, it would ask 0.468
    assert not answers("tit-for-tat", market(), 0.53)  # leaves it 0.47, it would ask 0.477


def test_tit_for_tat_accepts_its_reservation_share_in_a_known_last_round():
    assert answers("tit-for-tat", market(horizon=1), 0.8)
    assert not answers("tit-for-tat", market(horizon=1), 0.81)
    assert not answers("tit-for-tat", market(horizon=None), 0.8)


# at the table


def test_pairs_by_hand():
    for players, payoffs, rounds in [
        (["fair", "fair"], [5000, 5000], 1),
        (["greedy", "fair"], [0.9**11 * 5000] * 2, 12),  # only the last offer of half is taken by greed
        (["fair", "greedy"], [0, 0], 12),
        (["acceptor(0.4)", "acceptor(0.4)"], [6000, 4000], 1),
        (["acceptor(0.4)", "fair"], [4500, 4500], 2),
        (["deadline", "deadline"], [5000, 5000], 1),
        (["deadline", "greedy"], [0.9**11 * 100, 0.9**11 * 9900], 12),  # the last offer of greed is taken
        (["acceptor(0.3)", "deadline(0.7)"], [4500, 4500], 2),
        (["linear(1, 0)", "linear(1, 0)"], [0.9**5 * 4545.46, 0.9**5 * 5454.54], 6),  # 5 / 11 and 6 / 11
    ]:
        record = econzoo.play("bargaining", players)
        assert record.payoffs == pytest.approx(payoffs), (players, payoffs, rounds)
        assert record.turns[-1].round == rounds, (players, payoffs, rounds)
