"""What decisions are credited with, which groups are drawn anew, and what is measured: without any model."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

import econzoo
from econzoo.envs.core.contract import Objective
from econzoo.evaluate.analyses import decision_stakes
from econzoo.evaluate.run import PlayerCache
from econzoo.train.lm import rollout_function
from econzoo.train.lm.credit import answer_values, decision_advantages, match_advantages, normalise_advantages
from econzoo.train.lm.credit import spread_over_tokens
from econzoo.train.lm.episode_specs import make_specs
from econzoo.train.lm.group_rollout import GroupRollout, group_statistics
from econzoo.train.lm.rollout import Policy
from econzoo.train.lm.sample import Sample, Span
from econzoo.train.reward import PENALTY, Reward

FORFEIT_REWARD = -0.25
"""Of bargaining, in which no result is worth less than 0."""

MARKET = {"money": 100.0, "messages": False, "horizon": 2, "delta": (0.9, 0.9)}
FAIRNESS = Reward(Objective("fairness"))
"""An objective whose stakes are not known."""


def offer(amount):
    return f'{{"kind": "offer", "gain": {amount}}}'


def play(*replies, opponent="fair", seat=0, seed=0, **params):
    """A match whose learner says this, as a sample whose replies have three tokens each, two of them its own."""
    spoken = ", ".join(repr(reply) for reply in replies)
    players = [f"mock({spoken})", opponent] if seat == 0 else [opponent, f"mock({spoken})"]
    record = econzoo.play("bargaining", players, seed=seed, **{**MARKET, **params})
    count = sum(turn.seat == seat for turn in record.turns)
    spans = [Span(5 * place, 5 * place + 3, False) for place in range(count)]
    tokens = 5 * count - 2
    return Sample(record, seat, [1], [7] * tokens, [int(place % 5 < 2) for place in range(tokens)], spans)


REJECT, ACCEPT = '{"kind": "reject"}', '{"kind": "accept"}'


def test_plays_are_compared_where_they_stood_before_the_same():
    """Both rejected 10 of 100 and were then asked for an offer; a third one accepted."""
    low, high, took = (
        play(*said, opponent="greedy(0.9)", seat=1) for said in ((REJECT, offer(40)), (REJECT, offer(60)), (ACCEPT,))
    )
    group, reward = [low, high, took], FAIRNESS
    values = [reward.compute(one.record, 1) for one in group]
    credit = decision_advantages(group, reward)
    assert [one.turns[1].prompt for one in (low, high)] == [low.turns[1].prompt] * 2
    mean = sum(values) / 3
    assert credit[2] == pytest.approx([values[2] - mean])
    assert credit[0] == pytest.approx([values[0] - mean, values[0] - (values[0] + values[1]) / 2])
    assert credit[1] == pytest.approx([values[1] - mean, values[1] - (values[0] + values[1]) / 2])


def test_a_penalty_that_no_reward_holds_is_not_given_back():
    """A reward is never below that of a forfeit, however large the penalties are."""
    harsh = Reward(Objective("fairness"), penalty=10.0)
    clean, late = (play(*said, opponent="greedy(0.9)", seat=1) for said in ((REJECT, offer(40)), ("hm", ACCEPT)))
    assert [len(clean.turns), len(late.turns)] == [2, 2]
    advantages = decision_advantages([clean, late], harsh)
    assert all(abs(one) < 2 for own in advantages for one in own)


def test_later_decisions_are_not_blamed_for_earlier_answers():
    clean, late = play(offer(50)), play("hm", offer(50))
    assert [turn.error is None for turn in late.turns] == [False, True]
    first, second = decision_advantages([clean, late], FAIRNESS)
    assert first == pytest.approx([PENALTY / 2], rel=1e-3)
    assert second[0] == pytest.approx(-PENALTY / 2, rel=1e-3)
    assert second[1] == 0.0, "no other play had a second decision"


def test_a_forfeit_is_what_it_is_at_every_decision():
    group = [play("hm"), play("hm")]
    assert decision_advantages(group, Reward()) == [[0.0] * 3] * 2
    assert {Reward().compute(one.record, 0) for one in group} == {FORFEIT_REWARD}


@pytest.mark.parametrize(("opponent", "right"), [("greedy(0.9)", False), ("fair", True)])
def test_an_answer_has_half_of_what_is_at_stake(opponent, right):
    """Accepting a tenth of the money is wrong by what the last offer is worth; accepting a half is right."""
    params = {"opponent": opponent, "seat": 1}
    took, left = play(ACCEPT, **params), play(REJECT, offer(50), **params)
    (stake,), (same, none) = decision_stakes(took.record, 1), decision_stakes(left.record, 1)[:2]
    assert stake == same
    assert (stake > 0) == right
    assert none is None
    assert answer_values(took, PENALTY) == [stake / 2]
    assert answer_values(left, PENALTY)[:2] == [-stake / 2, None]
    assert decision_advantages([took, took], Reward()) == [[pytest.approx(stake / 4)]] * 2, (
        "also where all say the same"
    )
    first, second = decision_advantages([took, left], Reward())
    assert (first[0], second[0]) == (stake / 2, -stake / 2), "both kinds were said: the mean is halfway"
    assert decision_advantages([took, took], FAIRNESS) == [[0.0]] * 2, "stakes are of the own gain"


@pytest.mark.parametrize("answer", [ACCEPT, REJECT])
def test_what_could_not_be_used_is_worse_than_a_wrong_answer(answer):
    sample = play("hm", "well", answer, offer(50), opponent="greedy(0.9)", seat=1)
    first, second, usable = answer_values(sample, PENALTY)[:3]
    half = abs(decision_stakes(sample.record, 1)[0]) / 2
    assert first == second == -half - PENALTY < min(usable, -half)
    assert abs(usable) == half


def test_all_of_a_step_have_a_root_mean_square_of_one():
    assert normalise_advantages([[3.0, 0.0], [-4.0, 0.0]]) == [[3 / 2.5, 0.0], [-4 / 2.5, 0.0]]
    assert normalise_advantages([[0.0], []]) == [[0.0], []]


def test_tokens_have_the_advantage_of_their_decision():
    sample = play(REJECT, offer(50), opponent="greedy(0.9)", seat=1)
    assert spread_over_tokens(sample, [1.0, -2.0]) == [1.0, 1.0, 1.0, 0.0, 0.0, -2.0, -2.0, -2.0]


class Scripted(GroupRollout):
    """Plays what it is told for each ticket's seed."""

    def __init__(self, said, monkeypatch, **more):
        policy = Policy(SimpleNamespace(context=1024))
        super().__init__(Reward(), policy, PlayerCache("bargaining"), 2, **more)
        self.asked_for = []

        def play_samples(policy, drawn, cast):
            self.asked_for.append([ticket.seed for ticket in drawn])
            policy.reply_count += len(drawn)
            return [play(offer(amount)) for ticket, amount in zip(drawn, self.amounts(drawn, said), strict=True)]

        monkeypatch.setattr(rollout_function, "play_samples", play_samples)

    def amounts(self, drawn, said):
        return [said[ticket.seed][place % 2] for place, ticket in enumerate(drawn)]


def drawn(*seeds):
    return make_specs("bargaining", seeds, [0], ["fair"])


def test_groups_without_spread_are_drawn_anew_until_they_have_it(monkeypatch):
    said = {0: (40, 40), 1: (40, 50), 7: (50, 50), 8: (30, 50), 9: (0, 0)}
    rollout = Scripted(said, monkeypatch, spare_specs=drawn(7, 8, 9), max_resamples=3)
    zero, one = drawn(0, 1)
    samples = rollout._play(rollout._trained, [zero, zero, one, one])
    assert rollout.asked_for == [[0, 0, 1, 1], [7, 7], [8, 8]]
    assert [s.record.turns[0].action["gain"] for s in samples] == [30, 50, 40, 50]
    assert rollout.statistics["resampled"] == 2
    assert rollout.statistics["spread"] == 0.5, "as it was drawn first"
    assert rollout.statistics["drawn_reward"] == pytest.approx((0.4 + 0.4 + 0.4 + 0.5) / 4, rel=1e-3)
    assert rollout.state() == {"reply_count": 8, "spares": 2}


def test_as_often_as_allowed_and_then_it_stays(monkeypatch):
    said = {0: (40, 40), 7: (50, 50), 8: (30, 30)}
    rollout = Scripted(said, monkeypatch, spare_specs=drawn(7, 8), max_resamples=1)
    (zero,) = drawn(0)
    samples = rollout._play(rollout._trained, [zero, zero])
    assert [s.record.turns[0].action["gain"] for s in samples] == [50, 50]
    assert rollout.statistics["resampled"] == 1


def test_it_goes_on_with_the_next_of_the_spares(monkeypatch):
    said = {0: (40, 40), 7: (50, 50), 8: (30, 40)}
    rollout = Scripted(said, monkeypatch, spare_specs=drawn(7, 8), max_resamples=1)
    rollout.restore({"reply_count": 20, "spares": 1})
    (zero,) = drawn(0)
    rollout._play(rollout._trained, [zero, zero])
    assert rollout.asked_for[-1] == [8, 8]
    assert rollout.state() == {"reply_count": 24, "spares": 2}


def test_figures_of_a_step():
    group = [play(offer(40)), play(offer(40)), play("hm", offer(50)), play("hm", "hm", "hm")]
    cut = [span._replace(is_cut=True) for span in group[3].spans]
    group[3].spans[:] = cut
    found = group_statistics([group], [match_advantages(group, Reward())], Reward())
    assert found["repetition"] == 0.5
    assert found["invalid"] == 4 / 7
    assert found["cut"] == 3 / 7
    assert found["spread"] == 1.0
    assert found["forfeits"] == 0.25
