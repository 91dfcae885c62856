"""Spaces for words, plain values and typed moves, as Gymnasium uses them."""

from __future__ import annotations

import pickle

import gymnasium
import numpy as np
from gymnasium.vector.utils import batch_space

import econzoo
from econzoo.envs.core.contract import Invalid, Legal
from econzoo.envs.core.faces import MoveSpace, UnicodeText
from econzoo.envs.core.faces.spaces import MAX_TEXT, NumberSpace, TupleSpace
from econzoo.envs.games.bargaining import ACTIONS
from toy_games import LOWEST_BID


def test_any_text_is_inside() -> None:
    for text in [
        "",
        "hello world",
        "\u20ac5 \u2014 caf\u00e9",
        "\U0001f469\u200d\U0001f9b0",
        "\u4f60\u597d",
        "\n\t",
        "{}",
    ]:
        assert text in UnicodeText(20), text


def test_what_is_no_text_or_too_long_is_outside() -> None:
    for thing in ["x" * 21, 5, None, b"bytes", ["a"], np.array("a")]:
        assert thing not in UnicodeText(20), thing


def test_a_text_space_is_small_and_quick() -> None:
    space = UnicodeText(seed=3)
    assert space.max_length == MAX_TEXT
    assert len(repr(space)) < 50
    assert all(sample in space and len(sample) <= 80 for sample in (space.sample() for _ in range(50)))
    assert UnicodeText(0).sample() == ""


def test_texts_are_sampled_by_seed() -> None:
    one, two = UnicodeText(seed=3), UnicodeText(seed=3)
    assert [one.sample() for _ in range(5)] == [two.sample() for _ in range(5)]


def test_numbers_or_nothing() -> None:
    for value, inside in [(1, True), (0.5, True), (None, True), (True, True), ("1", False), ([], False)]:
        assert (value in NumberSpace()) == inside, (value, inside)


def test_sequences_are_tuples() -> None:
    assert () in TupleSpace("moves")
    assert ({"a": 1},) in TupleSpace("moves")
    assert [] not in TupleSpace("moves")
    assert TupleSpace("moves") != TupleSpace("names")
    assert NumberSpace(1) == NumberSpace(2)
    assert NumberSpace().sample() in NumberSpace()
    assert TupleSpace("moves").sample() == ()
    assert not NumberSpace().is_np_flattenable


def moves(messages: bool = True) -> MoveSpace:
    return MoveSpace(ACTIONS, Legal((True,) * 3, ((0.0, 100.0),), messages), seed=1)


def test_the_space_of_moves_holds_what_could_be_legal_some_time() -> None:
    assert {"kind": "offer", "gain": 50.0, "message": "hi"} in moves()
    assert {"kind": "accept"} in moves()
    assert {"kind": "offer", "gain": 101.0} not in moves()
    assert {"kind": "offer", "gain": 50.0, "message": "hi"} not in moves(messages=False)
    assert "accept" not in moves()
    assert set(moves().spaces) == {"kind", "gain", "message", "other_gain"}


def test_moves_are_sampled_over_all_kinds_and_by_mask() -> None:
    space = moves()
    samples = [space.sample() for _ in range(60)]
    assert all(sample in space for sample in samples)
    assert {sample["kind"] for sample in samples} == {"offer", "accept", "reject"}
    assert {space.sample(mask=np.array([0, 1, 0], np.int8))["kind"] for _ in range(20)} == {"accept"}
    assert all("message" not in moves(messages=False).sample() for _ in range(10))
    assert all(0 <= s.get("gain", 0) <= 100 for s in samples)


def test_spaces_survive_pickling_as_equals() -> None:
    """Gymnasium compares the spaces of its worker processes."""
    for space in (moves(), UnicodeText(9), NumberSpace(), TupleSpace("moves")):
        assert pickle.loads(pickle.dumps(space)) == space
    assert moves() != moves(messages=False)
    assert moves() != MoveSpace(LOWEST_BID.actions, Legal((True,), ((0.0, 100.0),), True))


def test_spaces_are_the_same_objects_every_time_and_separate_for_each_agent() -> None:
    for face in ["numeric", "structured", "text", "chat"]:
        env = econzoo.make("bargaining", face=face)
        for space in (env.observation_space, env.action_space):
            assert space("player_0") is space("player_0"), face
            assert space("player_0") is not space("player_1"), face
            assert space("player_0") == space("player_1"), "equal for all seats"
        samples = [[env.action_space(agent).sample() for _ in range(5)] for agent in env.possible_agents]
        assert samples[0] != samples[1], "seeded apart"


def test_numeric_spaces_are_what_libraries_expect() -> None:
    env = econzoo.make("bargaining")
    space = env.observation_space("player_0")
    assert isinstance(space, gymnasium.spaces.Dict)
    assert space["observation"].dtype == np.float32
    assert space["action_mask"].dtype == np.int8
    assert env.action_space("player_0") == gymnasium.spaces.Discrete(103)
    assert batch_space(space, 3)["observation"].shape == (3, 14)


def test_other_parameters_at_reset_move_the_limits_of_the_space() -> None:
    env = econzoo.make("bargaining", face="structured", money=100.0)
    space = env.action_space("player_0")
    assert {"kind": "offer", "gain": 150.0} not in space
    env.reset(options={"params": {"money": 200.0}})
    assert env.action_space("player_0") is space
    assert {"kind": "offer", "gain": 150.0} in space
    env.step({"kind": "offer", "gain": 150.0})
    assert not isinstance(env.events[0].action, Invalid)
    assert env.observe("player_1")["offered"] == 50.0
