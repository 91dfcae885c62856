"""What symbols tell: closed forms of the information, and players of whom it is known."""

from __future__ import annotations

import math

import numpy as np
import pytest

from econzoo.baselines import Player
from econzoo.evaluate.analyses.behaviour import channel_designs
from econzoo.evaluate.analyses.behaviour.channel import arm_of, channel, twin_key
from econzoo.evaluate.analyses.behaviour.influence import influence
from econzoo.evaluate.analyses.behaviour.talk import symbol_measures
from econzoo.evaluate.run import Records, play_all, play_match
from econzoo.evaluate.stats import mutual_information, permutation_p_value


def bits(x, y):
    return mutual_information(np.array(x), np.array(y), np.ones((1, len(x))))[0]


# Information


def test_who_tells_all_of_k_types_tells_log_k_bits():
    for k in (2, 3, 4, 8):
        types = np.arange(400) % k
        assert bits(types, types) == pytest.approx(math.log2(k), abs=0.01), k
        assert bits((types + 1) % k, types) == pytest.approx(math.log2(k), abs=0.01), "the names do not matter"


def test_half_a_lie_tells_what_the_binary_channel_lets_through():
    """A binary symmetric channel with error e has 1 - H(e) bits (Shannon 1948)."""
    types = np.arange(4000) % 2
    for wrong in (0.0, 0.1, 0.25, 0.5):
        lies = np.arange(4000) // 2 % 20 < 20 * wrong
        entropy = -sum(p * math.log2(p) for p in (wrong, 1 - wrong) if p)
        assert bits(types ^ lies, types) == pytest.approx(1 - entropy, abs=0.01), wrong


def test_the_bias_of_counts_is_gone():
    """Four symbols and three types without relation: counts of 100 cases alone give 6 / (2 * 100 ln 2) = 0.04 bits."""
    rng = np.random.default_rng(1)
    found = [bits(rng.integers(4, size=100), rng.integers(3, size=100)) for _ in range(300)]
    assert np.mean(found) == pytest.approx(0.0, abs=0.01)


def test_a_weight_of_two_is_a_row_twice():
    x, y = np.array([0, 1, 0, 1, 1]), np.array([0, 1, 1, 1, 0])
    twice = np.repeat(np.arange(5), [1, 2, 1, 1, 3])
    assert mutual_information(x, y, np.array([[1.0, 2, 1, 1, 3]]))[0] == pytest.approx(bits(x[twice], y[twice]))


def test_chance_is_counted_over_matches_and_not_over_moves():
    """Each of six matches repeats one symbol and one type fifty times; three of each: that is little evidence."""
    matches = np.repeat(np.arange(6), 50)
    types, symbols = matches % 2, np.isin(matches, (1, 3, 4)).astype(int)
    assert bits(symbols, types) > 0.05
    assert permutation_p_value(symbols, types, matches) > 0.3
    assert permutation_p_value(symbols, types, np.arange(300)) == 0.001
    assert math.isnan(permutation_p_value(symbols, types, np.zeros(300, int)))


def test_the_influence_of_a_symbol_is_what_it_tells_of_the_move():
    assert influence(np.array([[0.3, 0.7], [0.3, 0.7]])) == pytest.approx(0.0)
    assert influence(np.eye(4)) == pytest.approx(2.0)
    assert influence(np.array([[0.9, 0.1], [0.1, 0.9]])) == pytest.approx(
        1 + 0.9 * math.log2(0.9) + 0.1 * math.log2(0.1)
    )
    assert influence(np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])) == pytest.approx(math.log2(3) - 2 / 3)


# Players


class Honest(Player):
    """Says A of a good product and B of a bad one."""

    seats = (0,)

    def act(self, observation, info):
        return {"kind": "say", "message": "AB"[observation["quality"] == 0.0]}


class Babbler(Player):
    """Says A and B in turn."""

    seats = (0,)

    def act(self, observation, info):
        return {"kind": "say", "message": "AB"[observation["round"] % 2]}


class Believer(Player):
    """Buys after A."""

    seats = (1,)

    def act(self, observation, info):
        return {"kind": "buy" if observation["history"][-1].get("message") == "A" else "decline"}


class Deaf(Player):
    """Buys in odd rounds."""

    seats = (1,)

    def act(self, observation, info):
        return {"kind": "buy" if observation["round"] % 2 else "decline"}


class Announcer(Player):
    """Plays C and D in turn, and announces the next move."""

    def act(self, observation, info):
        now = observation["round"] % 2
        return {"kind": "CD"[now], "message": "AB"[1 - now]}


def told(game, players, **params):
    arms = [
        [play_match(game, players, seed, messages=2, channel=channel, **params) for seed in range(12)]
        for channel in ("open", "scrambled")
    ]
    return {(row.measure, row.role): row for row in symbol_measures(*arms)}


def test_an_honest_seller_and_a_believer_tell_and_listen_one_bit():
    found = told("persuasion", [Honest("honest"), Believer("believer")], rounds=10)
    for measure, role in [("signalling", "Alice"), ("coordination", "Bob"), ("listening", "Bob")]:
        row = found[measure, role]
        assert row.bits == pytest.approx(1.0, abs=0.03), measure
        assert row.p == 0.001, measure
        assert row.n == 120, measure


def test_a_babbler_tells_nothing_and_the_deaf_hear_nothing():
    found = told("persuasion", [Babbler("babbler"), Believer("believer")], rounds=10)
    assert found["signalling", "Alice"].bits == pytest.approx(0.0, abs=0.05)
    assert found["signalling", "Alice"].p > 0.05
    assert found["listening", "Bob"].bits == pytest.approx(1.0, abs=0.03), "it believes whatever it hears"
    found = told("persuasion", [Honest("honest"), Deaf("deaf")], rounds=10)
    assert found["signalling", "Alice"].bits == pytest.approx(1.0, abs=0.03)
    assert found["listening", "Bob"].bits == pytest.approx(0.0, abs=0.05)
    assert found["listening", "Bob"].p > 0.05


def test_coordination_without_listening():
    """Both play C and D in turn: each symbol goes with the other's next move, and causes nothing (Lowe et al. 2019)."""
    found = told("matrix", [Announcer("announcer")] * 2, rounds=9)
    for role in ("Alice", "Bob"):
        assert found["consistency", role].bits == pytest.approx(1.0, abs=0.02)
        assert found["coordination", role].bits == pytest.approx(1.0, abs=0.02)
        assert found["listening", role].bits == pytest.approx(0.0, abs=0.05)


def test_amounts_are_cut_into_quarters():
    """Who says A of the upper half of its values tells one bit of the quarter in which its value lies."""

    class Trader(Player):
        def act(self, observation, info):
            if "offer" in observation["legal_actions"]:
                return {"kind": "offer", "price": observation["value"]}
            upper = observation["value"] > 50.0
            return {"kind": "say", "whom": 1 - observation["seat"], "claim": 0.0, "message": "BA"[upper]}

    records = [play_match("double_auction", [Trader("trader")] * 2, seed, messages=2) for seed in range(60)]
    found = [row for row in symbol_measures(records) if row.measure == "signalling"]
    assert len(found) == 2
    assert all(0.7 < row.bits <= 1.0 for row in found)


# The three arms


def test_with_symbols_the_silent_arm_is_a_dead_channel():
    designs = channel_designs("matrix", ["random", "cooperator"], [{"messages": 2, "rounds": 2}], seeds=2)
    played = {arm: list(play_all(design, jobs=1)) for arm, design in designs.items()}
    for arm, records in played.items():
        assert {arm_of(record) for record in records} == {arm}
        assert {record.params["messages"] for record in records} == {2}, arm
    assert len({frozenset(map(twin_key, records)) for records in played.values()}) == 1


def test_the_page_shows_what_symbols_tell_where_there_are_some(capsys):
    players = [Honest("honest"), Believer("believer")]
    arms = [{}, {"channel": "off"}, {"channel": "scrambled"}]
    records = [play_match("persuasion", players, seed, messages=2, **arm) for arm in arms for seed in range(3)]
    channel(Records(records)).show()
    assert "signalling" in capsys.readouterr().out
    assert symbol_measures([play_match("persuasion", players, 0)]) == [], "free words are no symbols"
