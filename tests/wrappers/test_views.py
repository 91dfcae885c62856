"""Wrappers around an environment give what `make` gives, to the bit."""

from __future__ import annotations

from functools import partial
from itertools import product

import numpy as np
import pytest
from pettingzoo.test import api_test, seed_test

import econzoo
from econzoo.envs.constructors import make_raw
from econzoo.testing.playing import Turn, draw, encode, freeze
from econzoo.wrappers import DiscreteActions, MessageChannel, ObjectiveReward, RecordMatch, TextObservation
from toy_games import TOYS, register_temporarily

GAMES = ["bargaining", "water_allocation", "guess_average", "survival_auction", *TOYS]


@pytest.fixture(params=GAMES)
def game(request):
    if request.param in TOYS:
        with register_temporarily(TOYS[request.param]):
            yield request.param
    else:
        yield request.param


def episode(env, seed, choose=None, grid=21):
    """Everything an agent gets, in an episode of random moves (the same for the same seed)."""
    rng, turns = np.random.default_rng(seed), []
    env.reset(seed=seed)
    inner = env.unwrapped
    for agent in env.agent_iter(max_iter=500):
        observation, reward, terminated, truncated, info = env.last()
        turns.append(freeze(Turn(agent, observation, reward, terminated, truncated, info)))
        turns.append(freeze({name: float(x) for name, x in env.rewards.items()}))
        if terminated or truncated:
            action = None
        elif choose and (junk := choose(rng)) is not None:
            action = junk
        else:
            face = env.face(agent)
            move = draw(rng, inner.game, inner.legal(agent), grid)
            action = face.encode(move, inner.legal(agent)) if face.name == "numeric" else encode(env, agent, move)
        env.step(action)
    return turns


POLICY = {"max_retries": 1, "on_error": "default"}


def junk(rng):
    return [None, None, "no idea", '{"kind": "offer"}', "{} {}"][rng.integers(5)]


def test_text_around_a_structured_environment(game):
    for chat in (False, True):
        view = TextObservation(econzoo.make(game, face="structured", **POLICY), chat=chat)
        wanted = econzoo.make(game, face="chat" if chat else "text", **POLICY)
        assert episode(view, 0, junk) == episode(wanted, 0, junk), chat


def some(rng):
    return [None, 0, 1][rng.integers(3)]


def test_numbers_around_a_structured_environment(game):
    for seed, make in enumerate((econzoo.make, make_raw)):
        view = DiscreteActions(make(game, face="structured", **POLICY), grid=21)
        wanted = make(game, face="numeric", grid=21, **POLICY)
        assert episode(view, seed, some) == episode(wanted, seed, some), make


def test_another_objective(game):
    for objective, seed in product(("fairness", "0.5*self_gain + 0.5*efficiency", "payoff"), range(2)):
        group = objective != "payoff"  # then a seat that leaves stays, to be paid at the end
        view = ObjectiveReward(econzoo.make(game, penalty=0.1, grid=21, black_death=group), objective)
        wanted = econzoo.make(game, penalty=0.1, grid=21, objective=objective, black_death=group)
        assert episode(view, seed, some) == episode(wanted, seed, some), (objective, seed)


def test_views_of_views():
    inner = econzoo.make("bargaining", face="structured", **POLICY)
    view = ObjectiveReward(DiscreteActions(inner, grid=21), "fairness")
    wanted = econzoo.make("bargaining", grid=21, objective="fairness", **POLICY)
    assert episode(view, 3) == episode(wanted, 3)


def test_view_follows_a_change_of_market():
    view = DiscreteActions(econzoo.make("bargaining", face="structured"), grid=3)
    view.reset(seed=0, options={"params": {"money": 50.0}})
    view.step(1)
    assert view.unwrapped.events[0].action.gain == 25.0
    assert view.observe("player_1")["observation"][9] == 0.5


def test_own_prompts():
    view = TextObservation(econzoo.make("bargaining", face="structured"), prompts={"turn.wait": "Patience."})
    view.reset(seed=0)
    assert view.observe("player_1")["text"].endswith("Patience.")
    with pytest.raises(ValueError, match="nonsense"):
        TextObservation(econzoo.make("bargaining", face="structured"), prompts={"nonsense": ""})


def test_only_around_structured():
    for wrap in (TextObservation, DiscreteActions):
        with pytest.raises(ValueError, match="structured"):
            wrap(econzoo.make("bargaining", face="numeric"))


@pytest.mark.filterwarnings("ignore")
def test_pettingzoo_accepts_it(capsys):
    for wrap in (
        TextObservation,
        DiscreteActions,
        lambda env: ObjectiveReward(env, "fairness"),
        lambda env: MessageChannel(env, "scrambled"),
        lambda env: RecordMatch(env, ["a", "b"]),
    ):
        make = partial(lambda wrap: wrap(econzoo.make("bargaining", face="structured", on_error="default")), wrap)
        api_test(make(), num_cycles=30)
        seed_test(make, num_cycles=10)


# -- the channel ---------------------------------------------------------------------------------------------


def offer(env, words, gain=6000.0):
    env.reset(seed=7)
    env.step({"kind": "offer", "gain": gain, "message": words})
    return env.observe("player_1")["history"][0]


def test_channel_off():
    heard = offer(MessageChannel(econzoo.make("bargaining", face="structured"), "off"), "Take it")
    assert heard == {"seat": 0, "round": 1, "moment": 1, "kind": "offer", "gain": 6000.0}


def test_channel_scrambled_keeps_the_words_and_follows_the_seed():
    words = "I will never accept less than six thousand dollars"
    heard = [offer(MessageChannel(econzoo.make("bargaining", face="structured"), "scrambled"), words) for _ in range(2)]
    assert heard[0] == heard[1]
    assert heard[0]["message"] != words
    assert sorted(heard[0]["message"].split()) == sorted(words.split())


def test_channel_with_a_function():
    env = MessageChannel(econzoo.make("bargaining", face="structured"), lambda message, rng: message.upper())
    assert offer(env, "take it")["message"] == "TAKE IT"


def test_channel_around_text():
    env = MessageChannel(econzoo.make("bargaining", face="text"), "off")
    env.reset(seed=0)
    env.step('Well: {"kind": "offer", "gain": 6000, "message": "Take it"}')
    assert "Take it" not in env.observe("player_1")["text"]
    env.step("nonsense")
    assert env.infos["player_1"]["error_code"] == "no_json"


def test_channel_does_not_touch_moves_without_words():
    for face in ("structured", "numeric"):
        env = econzoo.make("bargaining", face=face)
        if face == "structured":
            assert episode(MessageChannel(env, "off"), 3) == episode(econzoo.make("bargaining", face=face), 3)


def test_unknown_change():
    with pytest.raises(ValueError, match="off, scrambled"):
        MessageChannel(econzoo.make("bargaining", face="structured"), "loud")
