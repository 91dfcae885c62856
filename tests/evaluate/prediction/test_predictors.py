"""The entropy of the rule by which people choose is the floor of every honest prediction."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from simulated_people import decision, entropy, people, truth

from econzoo.evaluate.analyses.prediction import predictors
from econzoo.evaluate.analyses.prediction.scores import AUC, BIAS, ECE, LOG_LOSS, MEASURES, gains, log_losses, scores
from econzoo.evaluate.analyses.prediction.splitting import CONFIGURATION, PERSON, hold_out
from econzoo.evaluate.stats import area_under_roc
from refusals import refuses


def yes_of(decisions):
    return np.array([one.yes for one in decisions], float)


def loss(said, decisions):
    return float(log_losses(np.asarray(said), yes_of(decisions)).mean())


def divergence(p, q):
    """What is expected to be lost by saying q where p is true; never below 0."""
    return float(np.mean(p * np.log(p / q) + (1 - p) * np.log((1 - p) / (1 - q))))


# Known rule


def test_the_logit_reaches_the_floor_that_the_rule_sets():
    train, test, _ = hold_out(people(), PERSON, 0.2, 0)
    said, p = predictors.logit(train, test, 0), truth(test)
    assert divergence(p, said) < 0.01
    found = scores(said, test, PERSON).measures
    assert found[LOG_LOSS].low < entropy(p) < found[LOG_LOSS].high
    assert found[BIAS].low < 0 < found[BIAS].high
    assert found[ECE].mean < 0.1
    assert np.isnan(found[ECE].low)


def test_the_truth_is_better_than_the_base_rate_by_the_information_in_the_offer():
    decisions = people(persons=100, each=40)
    train, test, _ = hold_out(decisions, PERSON, 0.5, 0)
    p = truth(test)
    base = predictors.frequency(train, test, 0)
    gain = gains({"frequency": base, "truth": p}, test, PERSON, "frequency")["truth"]
    share = p.mean()
    information = -share * np.log(share) - (1 - share) * np.log(1 - share) - entropy(p)
    assert gain.low < information < gain.high
    assert gain.distinct


@pytest.mark.parametrize("seed", range(3))
def test_no_predictor_beats_the_floor_by_luck_that_both_sides_share(seed):
    """Twins meet the same offers with the same luck: who remembers one knows the others, unless luck is split too."""
    decisions = people(twins=True, seed=seed)
    persons = {f"p{i}" for i in range(8)}
    naive = [[one for one in decisions if (one.person in persons) == held] for held in (False, True)]
    honest = hold_out(decisions, PERSON, 0.2, seed)
    floor = entropy(truth(decisions))
    assert loss(remembered(*naive), naive[1]) < 0.2 * floor
    assert loss(remembered(honest.train, honest.test), honest.test) > floor
    assert honest.excluded > 0


def remembered(train, test):
    """What others did with the very same offer; else the base rate."""
    known = defaultdict(list)
    for one in train:
        known[one.numbers].append(one.yes)
    return [np.mean(known[one.numbers]) if one.numbers in known else yes_of(train).mean() for one in test]


@pytest.mark.skipif(not predictors.has_boosting(), reason="the extra predict is not installed")
def test_gradient_boosting_comes_near_the_floor():
    train, test, _ = hold_out(people(persons=100), PERSON, 0.2, 0)
    assert divergence(truth(test), predictors.boosting(train, test, 0)) < 0.05


# Base rates and scripts


def test_rates_by_hand():
    train = [decision(0, i, 0.5, i < 3, advised=(i < 4,)) for i in range(8)]
    test = [decision(1, 9, 0.5, 1, advised=(said,), round=turn) for said, turn in ((True, 1), (False, 2))]
    whole = (3 + 0.5) / 9
    assert predictors.frequency(train, test, 0) == pytest.approx([(3 + 5 * whole) / 13, whole])
    assert predictors.script_frequency(0, train, test, 0) == pytest.approx([3.5 / 5, 0.5 / 5])
    assert predictors.script_frequency(0, train, [decision(1, 9, 0.5, 1, advised=(None,))], 0) is None


def test_a_logit_of_numbers_that_say_nothing_is_the_base_rate():
    train = [decision(0, i, 0.5, i % 4 == 0) for i in range(40)]
    assert predictors.logit(train, train[:2], 0) == pytest.approx(0.25, abs=1e-6)


def test_a_logit_stays_finite_where_numbers_tell_everything():
    train = [decision(0, i, i / 20, i >= 10) for i in range(20)]
    said = predictors.logit(train, train, 0)
    assert np.isfinite(said).all()
    assert ((said > 0.5) == yes_of(train)).all()


def test_settings_with_more_numbers_than_others_are_learned_from_too():
    train = [decision(0, i, i / 40, i % 3 == 0) for i in range(40)]
    more = [one._replace(numbers=(*one.numbers, 1.0)) for one in train[:20]]
    assert np.isfinite(predictors.logit([*more, *train[20:]], train[:5], 0)).all()


# Splits


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(*[st.integers(0, 4)] * 3), min_size=2, max_size=60), st.floats(0.05, 0.95), st.integers(0, 9))
def test_sides_share_neither_what_is_held_out_nor_random_numbers(drawn, share, seed):
    decisions = [
        decision(person, i, 0.5, 0, cluster=f"{setting}#{luck}", configuration=str(setting))
        for i, (person, setting, luck) in enumerate(drawn)
    ]
    for by in (PERSON, CONFIGURATION):
        try:
            train, test, left_out = hold_out(decisions, by, share, seed)
        except ValueError:
            continue
        assert train
        assert test
        assert len(train) + len(test) + left_out == len(decisions)
        for name in (by, "cluster", "match"):
            assert {getattr(one, name) for one in train}.isdisjoint({getattr(one, name) for one in test}), name
        assert by == PERSON or not left_out
        assert hold_out(decisions, by, share, seed) == (train, test, left_out)


def test_every_game_with_two_persons_is_on_both_sides():
    games = {"bargaining": range(3), "negotiation": range(3, 5), "persuasion": range(1)}
    decisions = [
        decision(person, 10 * at + person, 0.5, 1)._replace(task=f"{game}: accept")
        for at, (game, persons) in enumerate(games.items())
        for person in persons
    ]
    train, test, left_out = hold_out(decisions, PERSON, 0.1, 0)
    assert {one.game for one in train} == {one.game for one in test} == {"bargaining", "negotiation"}
    assert left_out == 1


def test_a_limit_leaves_what_is_learned_from():
    whole, some = (hold_out(people(10, 10), PERSON, 0.5, 1, limit) for limit in (None, 7))
    assert whole.train == some.train
    assert len(some.test) == 7
    assert {one.id for one in some.test} <= {one.id for one in whole.test}


def test_one_person_cannot_be_held_out():
    with refuses(ValueError, "'person'", 1, "configuration"):
        hold_out([decision(0, i, 0.5, i % 2) for i in range(9)], PERSON, 0.2, 0)


# Scores


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=1, max_size=25))
def test_the_area_under_the_curve_counts_pairs(drawn):
    said, yes = np.array([one for one, _ in drawn]) / 5, np.array([one for _, one in drawn], float)
    pairs = [
        (a > b) + (a == b) / 2
        for a, i in zip(said, yes, strict=True)
        if i
        for b, j in zip(said, yes, strict=True)
        if not j
    ]
    found = area_under_roc(said, yes, np.ones((1, len(yes))))[0]
    assert found == pytest.approx(np.mean(pairs)) if pairs else np.isnan(found)


def test_an_answer_that_cannot_be_used_counts_as_one_half():
    test = people(10, 10)
    found = scores(np.full(100, np.nan), test, PERSON)
    assert found.failure_count == 100
    assert found.measures[LOG_LOSS].mean == pytest.approx(np.log(2))
    assert found.measures["accuracy"].mean == found.measures[AUC].mean == 0.5


def test_of_few_persons_with_few_matches_there_is_no_interval_and_it_is_said_why():
    found = scores(np.full(5, 0.6), [decision(i, i, 0.5, i % 2) for i in range(5)], PERSON).measures
    assert found[LOG_LOSS].no_interval_reason
    assert not found[ECE].no_interval_reason


def test_sure_and_wrong_costs_as_much_as_in_sparc():
    test = [decision(i, i, 0.5, 1) for i in range(8)]
    assert scores(np.zeros(8), test, PERSON).measures[LOG_LOSS].mean == pytest.approx(-np.log(0.01))
    assert set(scores(np.ones(8), test, PERSON).measures) == set(MEASURES)
