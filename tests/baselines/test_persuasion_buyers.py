"""What each scripted buyer of persuasion buys, by hand and against exact enumeration; how it reads words."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import econzoo
from econzoo.baselines import player
from econzoo.baselines.persuasion.signals import DISCOURAGED, DISCOURAGEMENT, NOTHING, RECOMMENDATION, RECOMMENDED
from econzoo.baselines.persuasion.signals import detect_signal
from econzoo.evaluate.run import EnvPool, MatchTable, PlayerCache, new_match
from econzoo.wrappers import seat_info
from refusals import refuses


def bought(spec: str, rounds: str, words: str = "binary", **market: Any) -> str:
    """What a buyer does in rounds such as ``H+ L- H?`` (quality, signal): ``b`` or ``d`` in each."""
    said = {"+": RECOMMENDATION, "-": DISCOURAGEMENT, "?": ""}
    story = rounds.split()
    params = {"message_type": words, "rounds": len(story), "high_value": 2.0, **market}
    # A table resets the player for every myopic buyer; its seller is played here.
    match = new_match("persuasion", ["honest", spec], 0, **params)
    table = MatchTable(match, [PlayerCache("persuasion")(name).fork() for name in match.players], EnvPool())
    table.env.reset(seed=0, options={"chance": [float(one[0] == "H") for one in story]})
    table.look()
    out = []
    for one in story:
        if words == "text":
            table.answer({"kind": "say", "message": said[one[1]]} if said[one[1]] else {"kind": "say"})
        else:
            table.answer({"kind": "recommend" if one[1] == "+" else "discourage"})
        move = table.player.act(table.observation, table.info)
        table.answer(move)
        out.append(move["kind"][0])
    return "".join(out)


def test_what_is_bought_by_hand() -> None:
    for words in ("binary", "text"):
        for spec, rounds, decisions in [
            # a prior of 1/2, worth 2 or 0: the prior just sells, and half of a record has to be good
            ("always", "H+ L+ L-", "bbb"),
            ("never", "H+ L+ L-", "ddd"),
            ("babbling", "H+ L+ L-", "bbb"),
            ("grim", "H+ L- L+ H+ H+", "bdbdd"),
            ("tit-for-tat", "H+ L- L+ H+ H+ L+ H-", "bdbdbbd"),
            ("trust", "H+ L+ L+ H+ H+ H-", "bbbdbd"),  # 1/1, 1/2, 1/3, 2/4, and no recommendation
            ("trust(0)", "L+ L+ L+ H- H+", "bbbdb"),  # trusts whatever happens
            ("trust(1)", "H+ H+ L+ H+ H+", "bbbdd"),
            ("trust(0.6)", "H+ H+ L+ L+ H+", "bbbbd"),  # 2/3 is enough, 2/4 is not
            ("bayes", "H+ H- L+ L- L+ L+ H+", "bbbbbdd"),  # + after 1H 1L: 1/2; then 1H 2L, 1H 3L
            ("bayes", "L- L- L- H- H- H-", "bddddd"),  # - after 1L: 1/3; 2L, 3L; 3L 1H; 3L 2H
            ("bayes", "L- H- H- L+ L+", "bdbbd"),  # - after 1L, after 1L 1H; then + of which nothing is known
            ("bayes(0.1)", "L+ H+ H+", "bdb"),
            ("bayes(1000000)", "L+ L+ L+", "bdd"),  # the prior just sells: any bad news is enough
        ]:
            assert bought(spec, rounds, words) == decisions, (spec, rounds, decisions, words)


def test_what_is_bought_in_silence() -> None:
    for spec, rounds, decisions in [
        ("always", "H? L?", "bb"),
        ("babbling", "H? L?", "bb"),
        ("grim", "H? H+", "db"),
        ("trust(0)", "H? H+", "db"),
        ("tit-for-tat", "L? H+", "db"),
        ("bayes", "L? L? H? H? H?", "bdddb"),  # silence is a signal of its own: 1/3, 1/4, 2/5, 3/6
    ]:
        assert bought(spec, rounds, "text") == decisions, (spec, rounds, decisions)


def test_without_experience_the_prior_counts() -> None:
    for market, decision in [
        ({"prior": 0.5, "high_value": 1.9}, "d"),
        ({"prior": 0.5, "high_value": 2.0}, "b"),
        ({"prior": 0.5, "high_value": 1.6, "low_value": 0.4}, "b"),
        ({"prior": 0.5, "high_value": 1.5, "low_value": 0.4}, "d"),
        ({"prior": 0.8, "high_value": 1.25}, "b"),
        ({"prior": 0.9, "high_value": 1.9, "buyer_knows_prior": False}, "d"),  # taken to be a half
        ({"prior": 0.1, "high_value": 2.0, "buyer_knows_prior": False}, "b"),
    ]:
        for spec in ("babbling", "bayes"):
            assert bought(spec, "H+", **market) == decision, (spec, market, decision)


# myopic buyers


def test_what_myopic_buyers_buy() -> None:
    for spec, rounds, decisions in [
        ("always", "H+ L+", "bb"),
        ("grim", "H+ L- L+ H+ H+", "bdbdd"),  # somebody before was deceived
        ("trust", "H+ L+ L+ H+ H+", "bbbdd"),  # 1/1, 1/2, 1/3, and as nobody buys it stays there
        ("tit-for-tat", "L+ L+", "bb"),  # does not know the product before
        ("bayes", "H+ L+ L+ H+", "bbbd"),  # of those who bought 1 of 1 got high quality; 1 of 2; 1 of 3
        ("bayes", "L- L- H+", "ddb"),  # advice against is believed; then the prior counts, since nobody has bought
        ("bayes", "L+ H+ H+", "bdd"),  # whom nobody can trust any more
        ("bayes", "H+ L- H+ H-", "bdbd"),  # an honest seller keeps its buyers
    ]:
        assert bought(spec, rounds, buyer="myopic") == decisions, (spec, rounds, decisions)


def answer(spec: str, past: str, signal: str) -> str:
    """What a new myopic buyer does after a past in which others bought or declined."""
    rounds = past.split()
    env = econzoo.make("persuasion", face="structured", message_type="binary", buyer="myopic", high_value=3.0)
    env.reset(seed=0, options={"chance": [float(one[0] == "H") for one in rounds]})
    for kind in [k for one in rounds for k in (one[1], one[2])] + [signal]:
        env.step({"kind": {"+": "recommend", "-": "discourage", "b": "buy", "d": "decline"}[kind]})
    buyer = player(spec, "persuasion").fork()
    buyer.reset(1, seat_info(env, 1), 0)
    return buyer.act(env.observe("player_1"), env.infos["player_1"])["kind"]


def test_a_myopic_buyer_gives_the_same_answer_after_pasts_with_equal_statistics() -> None:
    for spec in ("bayes", "bayes(9)", "trust(0.5)", "trust(0.6)", "grim", "tit-for-tat", "babbling"):
        pasts = ("H+b L+b L-d", "L-b H-b H+d", "L+d H+b L+b")
        for signal in "+-":
            assert len({answer(spec, past, signal) for past in pasts}) == 1, spec


def test_other_statistics_matter() -> None:
    assert answer("bayes", "L+b L+b L+b", "+") != answer("bayes", "L+b H+b H+b", "+")


# Bayes' rule, exactly


def enumerated(
    policy: tuple[Fraction, Fraction], prior: Fraction, high_value: int, rounds: int
) -> tuple[Fraction, ...]:
    """Exact expected sales and surplus of the learner over every course of a short game.

    After n observations of a signal, h of them high, its belief is (2 prior + h) / (2 + n).
    """
    sales = surplus = Fraction(0)
    for course in product(product((0, 1), repeat=2), repeat=rounds):  # (high, recommended) in every round
        probability, seen = Fraction(1), {0: [0, 0], 1: [0, 0]}
        earned = sold = Fraction(0)
        for high, told in course:
            share = policy[0] if high else policy[1]
            probability *= (prior if high else 1 - prior) * (share if told else 1 - share)
            low_seen, high_seen = seen[told]
            if (2 * prior + high_seen) / (2 + high_seen + low_seen) * high_value >= 1:
                sold, earned = sold + 1, earned + (high_value - 1 if high else -1)
            seen[told][high] += 1
        sales, surplus = sales + probability * sold, surplus + probability * earned
    return sales, surplus


def test_bayes_earns_what_exact_enumeration_says() -> None:
    """Every course of three rounds is played at the table and weighted with its exact probability."""
    for high, low, prior, worth in [
        ("1", "0", "1/2", 2),
        ("1", "1/2", "1/3", 2),
        ("1", "1/4", "1/4", 3),
        ("0", "1", "1/2", 2),
        ("1/2", "1/2", "2/5", 3),
    ]:
        policy, p, rounds = (Fraction(high), Fraction(low)), Fraction(prior), 3
        sales = surplus = Fraction(0)
        for course in product(("H+", "H-", "L+", "L-"), repeat=rounds):
            probability = Fraction(1)
            for quality, told in course:
                share = policy[0] if quality == "H" else policy[1]
                probability *= (p if quality == "H" else 1 - p) * (share if told == "+" else 1 - share)
            if not probability:
                continue
            decisions = bought("bayes", " ".join(course), prior=float(p), high_value=float(worth))
            kept = [one[0] for one, decision in zip(course, decisions, strict=True) if decision == "b"]
            sales += probability * len(kept)
            surplus += probability * (kept.count("H") * (worth - 1) - kept.count("L"))
        assert (sales, surplus) == enumerated(policy, p, worth, rounds), (high, low, prior, worth)


def test_who_learns_an_honest_seller_ends_at_full_revelation() -> None:
    record = econzoo.play("persuasion", ["honest", "bayes"], seed=2, rounds=500, message_type="binary", prior=0.4)
    high = sum(record.chance)
    gain, most = record.metrics["gains"][1], 0.25 * high / 500
    assert most - 0.01 < gain <= most


# words


def test_what_is_heard() -> None:
    for message, signal in [
        (RECOMMENDATION, RECOMMENDED),
        (DISCOURAGEMENT, DISCOURAGED),
        ("", NOTHING),
        ("This is an excellent product, you should buy it!", RECOMMENDED),
        ("The quality is high.", RECOMMENDED),
        ("HIGH quality", RECOMMENDED),
        ("Don't hesitate to buy.", RECOMMENDED),
        ("You will not regret buying it.", RECOMMENDED),
        ("It is of low quality.", DISCOURAGED),
        ("I do not recommend this product.", DISCOURAGED),
        ("I wouldn\u2019t buy this one", DISCOURAGED),
        ("It is bad. Avoid it.", DISCOURAGED),
        ("This is no good", DISCOURAGED),
        ("Not bad at all.", NOTHING),
        ("Good product, but the quality is low.", NOTHING),  # says both
        ("Is it good?", NOTHING),  # asks
        ("What do you think of this?", NOTHING),
        ("Good day to you.", NOTHING),  # greets
        ("Good morning! It is of low quality.", DISCOURAGED),
        ("40% of my products have been of high quality.", NOTHING),  # how often it is so
        ("3 of 10 were good, 7 were bad.", NOTHING),
        ("The chance of high quality is 12.5%.", NOTHING),
        ("It may be great, or not.", NOTHING),  # what may be
        ("I have sold good ones so far.", NOTHING),  # what was before
        ("40% of them are good. This one is excellent.", RECOMMENDED),
        ("Goodbye, highway.", NOTHING),  # no keyword is a word of its own
        ("\u5f88\u597d", NOTHING),
    ]:
        assert detect_signal(message) == signal, (message, signal)


@given(message=st.one_of(st.text(), st.text("not good bad . , ? ! buy n't '", max_size=200), st.none(), st.integers()))
def test_hearing_never_fails(message: Any) -> None:
    assert detect_signal(message) in (RECOMMENDED, DISCOURAGED, NOTHING)


def test_what_is_no_text_is_no_signal() -> None:
    for message in (b"buy", ["buy"], {"buy": 1}, 1.5, float("nan")):
        assert detect_signal(message) == NOTHING, message


@pytest.mark.slow
def test_long_messages_are_read_quickly_enough_to_be_read() -> None:
    assert detect_signal("good " * 100_000) == RECOMMENDED


def test_bad_arguments_are_refused() -> None:
    for spec, *named in [
        ("bayes(0)", "strength=0", "0 < strength"),
        ("bayes(-1)", "strength=-1"),
        ("trust(1.1)", "threshold=1.1"),
        ("trust(None)", "threshold=None"),
        ("grim(3)", "grim"),
    ]:
        with refuses(ValueError, spec, *named):
            player(spec, "persuasion")
