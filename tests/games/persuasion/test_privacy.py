"""Hidden information in persuasion stays hidden: quality, values, prior, and from myopic buyers the past."""

from __future__ import annotations

import re
from itertools import product
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import econzoo
from econzoo.testing.playing import FACES, encode, freeze

PRICE, HIGH, LOW, PRIOR, ROUNDS = 1000.0, 2.718, 0.577, 0.4321, 13


def shown(env: Any, agent: str) -> Any:
    """All that an agent can get hold of now, frozen so that equal means equal to the bit."""
    face = env.face(agent)
    brief = face.rules(env.information_state(agent).view) if face.name in ("text", "chat") else ""
    return brief, freeze(env.observe(agent)), freeze(env.infos[agent]), freeze(env.rewards[agent])


def step(env: Any, kind: str, message: str = "") -> None:
    """A move on any face."""
    index = env.game.actions.index[kind]
    env.step(encode(env, env.agent_selection, env.game.actions.make(index, (), message)))


def played(face: str, rounds: str, words: str = "binary", **params: Any) -> Any:
    """A match after rounds such as ``H+b L-d``, in the next of which the seller recommends; qualities go on high."""
    env = econzoo.make("persuasion", face=face, message_type=words, rounds=ROUNDS, **params)
    env.reset(seed=0, options={"chance": [float(one[0] == "H") for one in rounds.split()] + [1.0] * ROUNDS})
    text = words == "text" and face != "numeric"
    for signal, decision in [(one[1], one[2]) for one in rounds.split()] + [("+", "")]:
        said = f"It is {signal}." if text else ""
        step(env, "say" if words == "text" else "recommend" if signal == "+" else "discourage", said)
        if decision:
            step(env, "buy" if decision == "b" else "decline")
    return env


ONE_ROUND = st.tuples(st.sampled_from("HL"), st.sampled_from("+-"), st.sampled_from("bd")).map("".join)


def statistics(rounds: list[str]) -> tuple[int, int, int]:
    """Of those before: how many there were, how many bought, and how many bought low quality."""
    bought = [one[0] for one in rounds if one[2] == "b"]
    return len(rounds), len(bought), bought.count("L")


def retold(rounds: list[str], rng: np.random.Generator) -> list[str]:
    """Another past with the same statistics: other signals, other order, other qualities of what was declined."""
    changed = []
    for one in rounds:
        quality = one[0] if one[2] == "b" else str(rng.choice(list("HL")))
        changed.append(quality + str(rng.choice(list("+-"))) + one[2])
    return [changed[i] for i in rng.permutation(len(changed))]


@settings(max_examples=8)
@given(rounds=st.lists(ONE_ROUND, min_size=1, max_size=5), seed=st.integers(0, 1000))
def test_two_pasts_with_equal_statistics_look_the_same_to_a_myopic_buyer(rounds: list[str], seed: int) -> None:
    other = retold(rounds, np.random.default_rng(seed))
    assert statistics(other) == statistics(rounds)
    for words, face in product(("binary", "text"), FACES):
        one, two = (played(face, " ".join(past), words, buyer="myopic") for past in (rounds, other))
        assert shown(one, "player_1") == shown(two, "player_1"), (words, face)
        for env in (one, two):  # its decision, and the round of the next buyer
            step(env, "buy")
            step(env, "say" if words == "text" else "recommend")
        assert shown(one, "player_1") == shown(two, "player_1"), (words, face)


def test_a_myopic_buyer_knows_shares_only_and_not_how_many_came_before() -> None:
    for words, face, past in product(("binary", "text"), FACES, ("H+b", "L-d", "H+b L+d", "L+b H+b L-d")):
        once, twice = (played(face, f"{past} " * times, words, buyer="myopic") for times in (1, 2))
        assert shown(once, "player_1") == shown(twice, "player_1"), (words, face, past)


def test_other_statistics_look_different() -> None:
    """So the tests above can fail."""
    for face in FACES:
        pasts = ("", "H+b L+b", "H+b H+b", "H+b L+d", "H+d L+d", "H+b L+b L+d")
        told = {shown(played(face, past, buyer="myopic"), "player_1") for past in pasts}
        assert len(told) == len(pasts), face


def test_a_long_living_buyer_does_remember() -> None:
    for face in FACES:
        past, retold = "H+b L+d", "L+d H+b"
        assert shown(played(face, past), "player_1") != shown(played(face, retold), "player_1")


def story(face: str, seat: int, **params: Any) -> str:
    """All that a seat is shown over a whole match, as text."""
    market = {"price": PRICE, "high_value": HIGH, "low_value": LOW, "prior": PRIOR, "rounds": ROUNDS, **params}
    env = econzoo.make("persuasion", face=face, message_type="binary", **market)
    env.reset(seed=0)
    agent = env.possible_agents[seat]
    out = []
    while not env.over:
        brief = env.face(agent).rules(env.information_state(agent).view) if face in ("text", "chat") else ""
        out.append(f"{brief} {env.observe(agent)!r} {env.infos[agent]!r}")
        step(env, {"player_0": "recommend", "player_1": "decline"}[env.agent_selection])
    out.append(f"{env.observe(agent)!r} {env.infos[agent]!r} {env.rewards[agent]!r}")
    return "\n".join(out).replace(",", "")


def tells(text: str, *numbers: float) -> bool:
    """Whether one of the numbers stands in a text."""
    return any(re.search(rf"(?<![\d.]){re.escape(f'{x:.10g}'[:6])}", text) for x in numbers)


def test_the_seller_knows_the_values_only_if_it_is_told() -> None:
    for face, knows in product(FACES, (True, False)):
        values = (HIGH, HIGH * PRICE, 1 / HIGH, LOW, LOW * PRICE)
        assert tells(story(face, 0, seller_knows_value=knows), *values) == knows
        assert tells(story(face, 1, seller_knows_value=knows), *values), "the buyer always does"


def test_the_buyer_knows_the_prior_only_if_it_is_told() -> None:
    for face, knows in product(FACES, (True, False)):
        assert tells(story(face, 1, buyer_knows_prior=knows), PRIOR, 100 * PRIOR) == knows
        assert tells(story(face, 0, buyer_knows_prior=knows), PRIOR, 100 * PRIOR), "the seller always does"


def test_a_myopic_buyer_does_not_know_the_number_of_rounds() -> None:
    for face, buyer in product(("structured", "text", "chat"), ("long-living", "myopic")):
        rounds = 77
        market = {"buyer": buyer, "rounds": rounds, "message_type": "binary"}
        env = econzoo.make("persuasion", face=face, **market)
        env.reset(seed=0)
        for agent, may in (("player_0", True), ("player_1", buyer == "long-living")):
            brief = env.face(agent).rules(env.information_state(agent).view) if face != "structured" else ""
            assert tells(f"{brief} {env.observe(agent)!r}", rounds) == may, (face, buyer)


def test_the_quality_is_hidden_until_the_buyer_has_decided() -> None:
    for face in FACES:
        market = {"message_type": "binary", "rounds": 3}
        pair = []
        for quality in (0.0, 1.0):
            env = econzoo.make("persuasion", face=face, **market)
            env.reset(seed=0, options={"chance": [1.0, quality, 1.0]})
            pair.append(env)
        for kind in ("recommend", "buy", "discourage"):
            for env in pair:
                step(env, kind)
            if kind != "buy":  # after it, the seller sees the next product
                assert shown(pair[0], "player_1") == shown(pair[1], "player_1"), face
        for env in pair:
            step(env, "decline")
        assert shown(pair[0], "player_1") != shown(pair[1], "player_1"), "declined or not, it comes to light"
