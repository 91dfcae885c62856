"""Persuasion whose number of rounds nobody is told (GLEE, section 2.3): as bargaining without a known end."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import pytest

import econzoo
from econzoo.envs.core.contract import NO_FEATURE
from econzoo.envs.games.persuasion import rules, solution
from refusals import refuses

GAME = econzoo.game("persuasion")
SIGNALS = {"binary": {"kind": "recommend"}, "text": {"kind": "say", "message": "good"}}
WHERE = GAME.rules.FEATURES.index("round over the number of rounds: 0 to 1, or -1 if unknown")


def through(words: str, **market: Any) -> list[tuple[int, Any, Any]]:
    """A match in which everything is bought: seat, observation and view of every turn."""
    env = econzoo.make("persuasion", face="structured", message_type=words, **market)
    env.reset(seed=1)
    told = []
    while not env.over:
        seat = env.possible_agents.index(env.agent_selection)
        told.append((seat, env.last()[0], env.information_state(env.agent_selection).view))
        env.step({"kind": "buy"} if seat else SIGNALS[words])
    assert env.payoffs[0] == pytest.approx(len(told) / 2 * 10_000.0)
    return told


def test_it_ends_after_max_rounds_and_no_view_tells_when() -> None:
    for words, buyer, last in product(SIGNALS, ("long-living", "myopic"), (1, 4, 99)):
        told = through(words, buyer=buyer, rounds=None, max_rounds=last)
        assert len(told) == 2 * last, (words, buyer, last)
        for _, seen, view in told:
            assert seen["rounds"] is None, (words, buyer, last)
            assert rules.features(view)[WHERE] == NO_FEATURE, (words, buyer, last)


def test_gains_are_those_of_a_round() -> None:
    for last in (3, 30):
        _, params = GAME.params(rounds=None, max_rounds=last, prior=1.0, message_type="binary")
        state = rules.initial(params)._replace(sold_high=last)
        assert rules.gains(params, state) == pytest.approx((1.0, 0.25)), last


def test_a_known_number_does_not_heed_max_rounds() -> None:
    _, params = GAME.params(rounds=12, max_rounds=3)
    assert (params.rounds, params.rounds_known) == (12, True)
    assert GAME.params(rounds=None, max_rounds=3)[1][4:6] == (3, False)
    with refuses(ValueError, "rounds", 0, "None", "unknown"):
        GAME.params(rounds=0)


def test_texts_name_no_number_before_the_end() -> None:
    for words, prompts, seat in product(SIGNALS, (None, "glee"), (0, 1)):
        texts = []
        for last in (2, 40):
            env = econzoo.make(
                "persuasion", face="text", message_type=words, prompts=prompts, rounds=None, max_rounds=last
            )
            env.reset(seed=3)
            face, agent = env.face(env.possible_agents[seat]), env.possible_agents[seat]
            texts.append((face.rules(env.information_state(agent).view), env.observe(agent)["text"]))
        assert texts[0] == texts[1], (words, prompts, seat)
        assert ("unknown number of rounds" if prompts else "do not know how many rounds") in texts[0][0]


def test_theory_has_no_equilibrium_and_says_what_is_not_known() -> None:
    params, other = (GAME.params(rounds=None, max_rounds=last, prior=0.8)[1] for last in (5, 10))
    assert all(math.isnan(one) for one in solution.equilibrium_payoffs(params))
    assert solution.share_of_equilibrium(params, (1.0, 1.0)) == (None, None)
    assert set(solution.reference(params)) == {"commitment", "full_revelation", "pure_stackelberg"}
    for name, payoffs in solution.reference(other).items():  # a round pays the same, however many there are
        assert payoffs == pytest.approx([2 * one for one in solution.reference(params)[name]]), name
    views = [rules.observe(params, rules.initial(params), seat) for seat in (0, 1)]
    assert [solution.advise(view)["not known to you"] for view in views] == ["the number of rounds"] * 2
