"""What a teacher would have done in matches of others: the labels of positions that its own play does not lead to."""

from __future__ import annotations

import json
import math

import pytest

import econzoo
from econzoo.envs.core.contract import Objective
from econzoo.train.lm.relabelling import answer_margin, best_answer, offer_value, relabel_moves, rollout_values
from econzoo.train.lm.transcripts import transcripts
from refusals import refuses


def own_moves(record, seat):
    return [turn.action for turn in record.turns if turn.seat == seat]


def test_who_follows_from_what_it_sees_advises_what_it_played():
    for game, players in [
        ("bargaining", ("spe", "linear")),
        ("bargaining", ("greedy(0.9)", "boulware(0.2)")),
        ("bargaining", ("fair", "random")),
        ("negotiation", ("concede", "tough")),
        ("persuasion", ("honest", "bayes")),
        ("matrix", ("tit-for-tat", "random")),
    ]:
        for seat in [0, 1]:
            record = econzoo.play(game, players, seed=3)
            if players[seat] != "random":
                assert relabel_moves(record, seat, players[seat]) == own_moves(record, seat), (game, players)


def test_it_speaks_of_the_positions_of_the_match_and_not_of_its_own():
    """Greedy rejects the half that Fair offers, until the last round; Fair would have accepted it each time."""
    record = econzoo.play("bargaining", ["greedy(0.9)", "fair"], seed=0, horizon=6, delta=[0.9, 0.9])
    assert [move["kind"] for move in own_moves(record, 0)] == ["offer", "reject", "offer", "reject", "offer", "accept"]
    advised = relabel_moves(record, 0, "fair")
    assert [move["kind"] for move in advised] == ["offer", "accept"] * 3
    assert {move["gain"] for move in advised[::2]} == {record.params["money"] / 2}


def test_it_is_told_beside_what_was_said():
    record = econzoo.play("bargaining", ["greedy(0.9)", "fair"], seed=0, horizon=4, messages=False)
    (chat,) = transcripts(record, 0, 0, target_moves=relabel_moves(record, 0, "fair"))
    offer, answer, *_ = [one for one in chat if one["role"] == "assistant"]
    assert (offer["content"], offer["meant"]) == ('{"kind":"offer","gain":9000}', '{"kind":"offer","gain":5000}')
    assert (answer["content"], answer["meant"]) == ('{"kind":"reject"}', '{"kind":"accept"}')


def coarse(share, grain):
    """What is learned where a share of 10,000 is advised."""
    record = econzoo.play("bargaining", ["fair", "fair"], seed=0, messages=False)
    (chat,) = transcripts(record, 0, 0, target_moves=[{"kind": "offer", "gain": 10_000.0 * share}], rounding=grain)
    return json.loads(chat[-1]["meant"])["gain"]


@pytest.mark.parametrize(("grain", "gain"), [(0.0, 8800), (0.05, 9000), (0.25, 7500), (0.5, 5000)])
def test_its_amounts_are_as_coarse_as_wanted(grain, gain):
    assert coarse(0.88, grain) == gain


@pytest.mark.parametrize(("share", "gain"), [(0.99, 9500), (0.01, 500), (1.0, 10_000), (0.0, 0)])
def test_nearly_all_is_not_all(share, gain):
    """Who asks for all is rejected by those who are content with a little."""
    assert coarse(share, 0.05) == gain


@pytest.mark.parametrize(("grain", "price"), [(0.0, 9230), (0.05, 9000), (0.02, 9200)])
def test_amounts_that_are_not_usual_are_as_coarse(grain, price):
    """The good is worth 10,000 to the seller, who names from 10,000 to 20,000 as a rule, but may name anything."""
    record = econzoo.play("negotiation", ["tough", "tough"], seed=0, messages=False, seller_value=1.0, horizon=1)
    meant = [{"kind": "offer", "price": 9230.0}]
    (chat,) = transcripts(record, 0, 0, target_moves=meant, rounding=grain)
    assert chat[-1]["meant"] == f'{{"kind":"offer","price":{price}}}'


def test_who_reads_text_cannot_advise():
    record = econzoo.play("bargaining", ["fair", "fair"], seed=0)
    with refuses(ValueError, "teacher='mock:*'"):
        relabel_moves(record, 0, "mock:*")


class TestTrials:
    def test_an_answer_is_worth_what_comes_of_it(self):
        """Greedy offers 100 of 1,000. To reject is worth the half that Fair gets in the last round, halved by delay."""
        given = {"money": 1000.0, "horizon": 2, "delta": [0.8, 0.5], "messages": False}
        record = econzoo.play("bargaining", ["greedy(0.9)", "acceptor(0.05)"], seed=0, **given)
        assert own_moves(record, 1) == [{"kind": "accept"}]
        (values,) = rollout_values(record, 1, "fair", Objective("self_gain"))
        assert values == pytest.approx({"accept": 0.1, "reject": 0.25})
        assert best_answer({"kind": "accept"}, values) == {"kind": "reject"}
        assert answer_margin(values) == pytest.approx(0.15)

    def test_in_the_last_round_anything_is_better_than_nothing(self):
        record = econzoo.play("bargaining", ["greedy(0.9)", "fair"], seed=0, horizon=1)
        (values,) = rollout_values(record, 1, "fair", Objective("self_gain"))
        assert values == pytest.approx({"accept": 0.1, "reject": 0.0})

    def test_the_objective_decides(self):
        """Nothing is left for the other in the last round: to reject is as efficient as to accept is fair."""
        record = econzoo.play("bargaining", ["greedy(0.9)", "fair"], seed=0, horizon=1)
        (values,) = rollout_values(record, 1, "fair", Objective("efficiency"))
        assert values == {"accept": 1.0, "reject": 0.0}

    def test_an_offer_is_no_answer(self):
        record = econzoo.play("bargaining", ["fair", "fair"], seed=0)
        assert rollout_values(record, 0, "fair", Objective("self_gain")) == [{}]
        assert best_answer({"kind": "offer", "gain": 1.0}, {}) == {"kind": "offer", "gain": 1.0}
        assert answer_margin({}) is None

    def test_an_offer_is_worth_what_comes_of_the_advised_one(self):
        """`acceptor(0.4)` takes the half that Fair advises, where 900 of 1,000 were asked for."""
        record = econzoo.play("bargaining", ["greedy(0.9)", "acceptor(0.4)"], seed=0, money=1000.0, horizon=1)
        (values,) = rollout_values(record, 0, "fair", Objective("self_gain"), relabel_moves(record, 0, "fair"))
        assert values == pytest.approx({"offer": 0.5})
        assert offer_value(values) == pytest.approx(0.5)
        assert answer_margin(values) is None
        assert offer_value({"accept": 0.1, "reject": 0.2}) is offer_value({}) is None

    def test_a_later_offer_is_worth_less_by_the_delay(self):
        """Fair takes half in round 1, or in round 3 a half of a quarter: of 1,000, which are worth 250 by then."""
        given = {"money": 1000.0, "horizon": 3, "delta": [0.5, 0.5], "messages": False}
        record = econzoo.play("bargaining", ["greedy(0.9)", "acceptor(0.4)"], seed=0, **given)
        values = rollout_values(record, 0, "fair", Objective("self_gain"), relabel_moves(record, 0, "fair"))
        assert [offer_value(one) for one in values] == [pytest.approx(0.5), None, pytest.approx(0.125)]

    def test_games_with_three_answers(self):
        """In negotiation one can leave too, which is worth nothing."""
        record = econzoo.play("negotiation", ["tough", "concede"], seed=1, outside_option=True)
        values = [one for one in rollout_values(record, 1, "concede", Objective("self_gain")) if one]
        assert values
        assert all(set(one) == {"accept", "reject", "opt_out"} and one["opt_out"] == 0.0 for one in values)

    def test_as_good_means_as_advised_and_unknown_is_never_better(self):
        tie = {"accept": 0.3, "reject": 0.3}
        assert best_answer({"kind": "reject"}, tie) == {"kind": "reject"}
        assert answer_margin(tie) == 0.0
        unknown = {"accept": math.nan, "reject": math.nan}
        assert best_answer({"kind": "reject"}, unknown) == {"kind": "reject"}
        assert math.isnan(answer_margin(unknown))
        assert best_answer({"kind": "accept"}, {"accept": math.nan, "reject": 0.1}) == {"kind": "reject"}

    def test_the_others_draw_what_they_would_have_drawn(self):
        """Whoever plays on is in the state in which it was: to take up the match changes nothing in it."""
        record = econzoo.play("bargaining", ["random", "fair"], seed=5, horizon=8)
        values = rollout_values(record, 1, "fair", Objective("self_gain"))
        last, kind = [(value, move["kind"]) for value, move in zip(values, own_moves(record, 1), strict=True) if value][
            -1
        ]
        assert last[kind] == pytest.approx(record.metrics["gains"][1])
