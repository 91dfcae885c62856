"""Honesty and trust, on matches that can be checked by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from handmade import exchanges, value
from hypothesis import given, settings
from hypothesis import strategies as st

from econzoo.baselines.persuasion.base import Seller
from econzoo.evaluate.analyses.behaviour.exchanges import exchange_table, read_keywords
from econzoo.evaluate.analyses.behaviour.persuasion import BAYES, BELIEF, BIAS, BRIER, BUYS, CALIBRATION, ERROR, HONEST
from econzoo.evaluate.analyses.behaviour.persuasion import LIES, RATE, REFERENCE, UNREADABLE, honesty, trust
from econzoo.evaluate.run import play_match

RECOMMEND = "I recommend this product to you."
AGAINST = "I advise you against this product."


def table(records):
    return exchange_table(records, read_keywords)


def rates(records):
    return {(row.measure, row.key): (row.value, row.n) for row in honesty(table(records))}


def scores(records):
    return {row.key: row for row in trust(table(records)) if row.measure == CALIBRATION}


class Spiteful(Seller):
    """Says the contrary of what is so."""

    def __init__(self):
        super().__init__("spiteful")

    @staticmethod
    def says_yes(v, x, past, u):
        return not v.quality


# Honesty

MIXED = [(1, 1, 1), (0, 1, 1), (0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]
"""(good, recommended, bought): one lie in round 2, one in round 4, one in round 6."""


def test_rates_by_hand():
    found = rates([exchanges(MIXED)])
    assert found[HONEST, "all"] == (0.5, 6)
    assert found[LIES, "recommends bad"] == (pytest.approx(2 / 3), 3)
    assert found[LIES, "discourages good"] == (pytest.approx(1 / 3), 3)
    assert found[BUYS, "buys if recommended"] == (0.5, 4)
    assert found[BUYS, "buys if discouraged"] == (0.0, 2)
    assert (UNREADABLE, "all") not in found


def test_one_match_has_no_interval_though_others_have():
    """That one match always gives the same rate is no certainty."""
    alone = exchanges(MIXED, players=("alone", "b"))
    others = [exchanges(MIXED[:4], players=("c", "d"), seed=1 + i) for i in range(6)]
    rows = honesty(table([alone, *others]))
    assert math.isnan(value(rows, measure=HONEST, player="alone", key="all").low)
    assert not math.isnan(value(rows, measure=HONEST, player="c", key="all").low)


def test_rates_by_third_of_the_match():
    """Rounds 1-2, 3-4 and 5-6: each third has one lie in two rounds."""
    found = rates([exchanges(MIXED)])
    assert [found[HONEST, f"{third} third"] for third in ("first", "second", "last")] == [(0.5, 2)] * 3
    assert found[LIES, "recommends bad, second third"] == (0.0, 1)


def test_a_lie_comes_to_light_at_the_end_of_its_round():
    """The lie of round 2 is still before; rounds 3 to 6 are after."""
    found = rates([exchanges(MIXED)])
    assert found[HONEST, "before caught"] == (0.5, 2)
    assert found[HONEST, "after caught"] == (0.5, 4)
    assert found[LIES, "recommends bad, after caught"] == (0.5, 2)


def test_myopic_buyers_learn_of_bad_products_that_were_bought_only():
    lies = [(0, 1, 0), (1, 0, 1), (0, 1, 1), (1, 1, 1)]  # not bought; said to be bad; bought: caught
    myopic, lasting = (
        table([exchanges(lies, buyer=buyer)])["caught"][::2].tolist() for buyer in ("myopic", "long-living")
    )
    assert myopic == [False, False, False, True]
    assert lasting == [False, True, True, True]


def test_a_planted_liar_is_found_in_signals_and_in_words():
    for kind in ["binary", "text"]:
        for seller, recommends_bad, discourages_good in [
            ("honest", 0.0, 0.0),
            ("always", 1.0, 0.0),
            (Spiteful(), 1.0, 1.0),
        ]:
            found = rates([play_match("persuasion", [seller, "random"], seed, message_type=kind) for seed in range(4)])
            assert found[LIES, "recommends bad"][0] == recommends_bad, (kind, seller)
            assert found[LIES, "discourages good"][0] == discourages_good, (kind, seller)
            assert found.get((UNREADABLE, "all"), (0.0, 0))[0] == 0.0, (kind, seller)


def test_words_that_cannot_be_read_are_counted_and_lie_about_nothing():
    words = [RECOMMEND, "What a day.", AGAINST, ""]
    found = rates([exchanges([(1, 0, 1), (0, 0, 1), (1, 0, 0), (1, 0, 0)], words)])
    assert found[UNREADABLE, "all"] == (pytest.approx(1 / 3), 3)  # silence is no message
    assert found[HONEST, "all"] == (0.5, 2)


def test_a_default_move_is_nobodys_word():
    record = exchanges([(0, 1, 1), (1, 1, 1)])
    record.turns[0].default = record.turns[3].default = True
    assert rates([record])[HONEST, "all"] == (1.0, 1)
    assert table([record])["bought"].tolist()[::2] == pytest.approx([1.0, math.nan], nan_ok=True)


@settings(max_examples=8)
@given(st.lists(st.tuples(*[st.integers(0, 1)] * 3), min_size=1, max_size=12))
def test_honesty_and_lies_add_up(rounds):
    found = rates([exchanges(rounds)])
    lies = [found.get((LIES, key), (0.0, 0)) for key in ("recommends bad", "discourages good")]
    assert sum(rate * n for rate, n in lies) == pytest.approx((1 - found[HONEST, "all"][0]) * len(rounds))
    parts = [found[HONEST, key] for key in ("before caught", "after caught") if (HONEST, key) in found]
    assert sum(n for _, n in parts) == len(rounds)


# Trust


def beliefs(rounds, **more):
    return table([exchanges(rounds, **more)])["belief"][1::2].tolist()


def test_nothing_is_learned_before_the_first_round():
    for prior in [0.2, 0.5, 0.8]:
        for recommended in (0, 1):
            assert beliefs([(1, recommended, 1)], prior=prior) == pytest.approx([prior]), prior


def test_belief_after_one_round_by_bayes_rule():
    for before, recommended, belief in [
        ((1, 1, 1), 1, 4 / 7),  # recommends the good with 2/3, the bad with 1/2
        ((1, 1, 1), 0, 2 / 5),  # 1/3 against 1/2
        ((0, 0, 0), 1, 3 / 5),  # 1/2 against 1/3
        ((0, 1, 1), 1, 3 / 7),  # 1/2 against 2/3
    ]:
        assert beliefs([before, (1, recommended, 1)])[1] == pytest.approx(belief), (before, recommended)


def test_honesty_is_believed_in_the_end_and_babbling_never():
    n = 40
    honest = beliefs([(i % 2, i % 2, 1) for i in range(n)] + [(1, 1, 1)])[-1]
    assert honest == pytest.approx((n / 2 + 1) / (n / 2 + 2))
    babble = beliefs([(i % 2, 1, 1) for i in range(n)] + [(1, 1, 1)], prior=0.3)[-1]
    assert babble == pytest.approx(0.3)


def test_an_unknown_prior_is_learned_from_qualities():
    """After two good products the next one is good with 3/4; the seller babbled, so words change nothing much."""
    rounds = [(1, 1, 1), (1, 1, 1), (1, 1, 1)]
    told = beliefs(rounds, buyer_knows_prior=False)
    assert told[0] == pytest.approx(0.5)
    assert told[2] == pytest.approx(3 / 4 * 3 / 4 / (3 / 4 * 3 / 4 + 1 / 4 * 1 / 2))


def test_myopic_buyers_have_no_record_to_learn_from():
    assert np.isnan(beliefs([(1, 1, 1)] * 3, buyer="myopic")).all()
    assert trust(table([exchanges([(1, 1, 1)] * 3, buyer="myopic")])) == []


def test_who_always_buys_is_as_wrong_as_the_belief_is_low():
    records = [exchanges([(1, 1, 1), (0, 1, 1), (1, 1, 1)], seed=i) for i in range(3)]
    belief = np.array(beliefs([(1, 1, 1), (0, 1, 1), (1, 1, 1)]))
    found = scores(records)
    assert found[ERROR].value == pytest.approx(1 - belief.mean())
    assert found[BIAS].value == pytest.approx(1 - belief.mean())
    assert found[BRIER].value == pytest.approx(((1 - belief) ** 2).mean())
    assert found[REFERENCE].value == pytest.approx(((np.array([1, 0, 1]) - belief) ** 2).mean())
    assert found[ERROR].n == 9


def test_the_reliability_table_by_hand():
    """Belief 0.5 in round 1 of four matches; one buys."""
    records = [exchanges([(1, 1, bought)], seed=i) for i, bought in enumerate((1, 0, 0, 0))]
    rows = trust(table(records))
    assert (value(rows, measure=RATE).key, value(rows, measure=RATE).value) == ("0.5-0.6", 0.25)
    assert value(rows, measure=BELIEF).value == 0.5
    assert value(rows, key=ERROR).value == pytest.approx(0.25)


def test_buying_pays_from_a_belief_on():
    """A good product is worth 4 prices, a bad one nothing: buying pays from a belief of 1/4 on."""
    market = {"high_value": 4.0, "low_value": 0.0}
    found = scores([exchanges([(1, 1, 1), (1, 1, 0)], **market), exchanges([(1, 1, 1), (1, 1, 1)], seed=1, **market)])
    assert found[BAYES].value == pytest.approx(3 / 4)


def simulated(buys, matches=150, rounds=20, seed=0):
    """A seller who recommends the good with 0.9 and the bad with 0.4, before a buyer who buys with `buys(belief)`."""
    rng = np.random.default_rng(seed)
    for number in range(matches):
        played, said = [], {(q, s): 0 for q in (0, 1) for s in (0, 1)}
        for _ in range(rounds):
            good = int(rng.random() < 0.5)
            word = int(rng.random() < (0.9 if good else 0.4))
            says = [(said[q, word] + 1) / (said[q, 0] + said[q, 1] + 2) for q in (0, 1)]
            belief = says[1] / (says[0] + says[1])
            played.append((good, word, int(rng.random() < buys(belief))))
            said[good, word] += 1
        yield exchanges(played, seed=number)


def test_a_buyer_who_buys_as_often_as_it_believes_is_calibrated():
    found = scores(list(simulated(lambda belief: belief)))
    assert found[ERROR].value < 0.03
    assert found[BIAS].low < 0 < found[BIAS].high
    assert abs(found[BIAS].value) < 0.02


def test_a_buyer_who_trusts_a_quarter_more_than_it_should_is_found():
    found = scores(list(simulated(lambda belief: min(1.0, belief + 0.25))))
    assert found[BIAS].value == pytest.approx(0.25, abs=0.03)
    assert found[ERROR].value == pytest.approx(0.25, abs=0.03)
    assert found[BIAS].low > 0.2


def test_the_bayesian_who_maximises_always_does_as_the_bayesian():
    """With a prior of 1/2 and good products worth two prices it buys above a belief of 1/2, and is not calibrated."""
    records = list(simulated(lambda belief: belief > 0.5, matches=30))
    for record in records:
        record.params = {**record.params, "high_value": 2.0}
    found = scores(records)
    assert found[BAYES].value == 1.0
    assert found[ERROR].value > 0.2


@settings(max_examples=20)
@given(st.lists(st.tuples(*[st.integers(0, 1)] * 3), min_size=1, max_size=12))
def test_the_error_is_at_least_the_bias_and_at_most_one(rounds):
    found = scores([exchanges(rounds)])
    assert abs(found[BIAS].value) <= found[ERROR].value + 1e-12 <= 1 + 1e-9
    assert found[BRIER].value <= 1
