"""Options of every environment: names, values and what is allowed, also at reset."""

from __future__ import annotations

import json
import math
import re
from typing import Any

import numpy as np
import pytest

import econzoo
from econzoo.envs.core.contract.objectives import Objective
from econzoo.envs.core.env.options import NO_LIMIT

WRONG: dict[str, tuple[Any, ...]] = {
    "face": (
        "numbers",
        "",
        None,
        5,
        ("numeric",),
        ("numeric", "text", "chat"),
        ("numeric", "numbers"),
        [],
        [None, None],
    ),
    "grid": (1, 0, -1, 10_002, 2.0, "101", None, True, math.nan),
    "objective": ("gain", "", None, 5),
    "metrics": ("papers", None, 3),
    "reasks": (-1, 21, 1.0, "2", True),
    "on_error": ("ignore", "", 5, True),
    "penalty": (-0.1, math.nan, math.inf, "1", None, True),
    "max_cycles": (0, -1, 1.5, "5", True),
    "max_message": (0, -1, 1.5, "5", True, 100_001),
    "kind_order": (
        "random",
        "",
        None,
        5,
        ("offer", "accept"),
        ("offer", "accept", "reject", "reject"),
        ["accept", 1, 2],
    ),
    "render_mode": ("video", "", 5, True),
    "mask": ("infos", "", None, True, ("both",)),
    "flat": ("yes", 1, None),
    "black_death": ("yes", 1),
}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in WRONG.items() for value in values])
def test_a_refused_option_is_named_with_its_value_and_what_is_allowed(name: str, value: Any) -> None:
    for maker in (econzoo.make, econzoo.make_raw, econzoo.make_parallel):
        with pytest.raises(ValueError, match="allowed: ") as told:
            maker("bargaining", **{name: value})
        assert f"{name}=" in str(told.value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("face", "chat"),
        ("face", ("numeric", "text")),
        ("face", ["text", "structured"]),
        ("grid", 2),
        ("grid", np.int64(10_001)),
        ("objective", "0.5*self_gain + 0.5*fairness"),
        ("objective", Objective("fairness")),
        ("metrics", "glee-code"),
        ("reasks", 0),
        ("reasks", None),
        ("on_error", "raise"),
        ("on_error", None),
        ("penalty", 1),
        ("max_cycles", 1),
        ("max_cycles", None),
        ("kind_order", "shuffled"),
        ("kind_order", ["reject", "offer", "accept"]),
        ("max_message", 1),
        ("max_message", 100_000),
        ("max_message", None),
        ("render_mode", "ansi"),
        ("render_mode", "rgb_array"),
        ("render_mode", None),
        ("prompts", {}),
        ("mask", "info"),
        ("mask", "observation"),
        ("flat", True),
        ("black_death", True),
    ],
)
def test_allowed_options(name: str, value: Any) -> None:
    env = econzoo.make("bargaining", **{name: value})
    env.reset(seed=1)
    env.step(env.action_space("player_0").sample())


@pytest.mark.parametrize(
    ("options", "allowed"),
    [
        ({"mask": "observation"}, "mask='observation' is not allowed with flat=True; allowed: info, both"),
        ({"face": "text"}, "face='text' is not allowed with flat=True; allowed: numeric"),
        ({"face": ("text", "chat")}, "face=('text', 'chat') is not allowed with flat=True; allowed: numeric"),
    ],
)
def test_a_flat_observation_has_place_for_numbers_only(options: dict[str, Any], allowed: str) -> None:
    for maker in (econzoo.make, econzoo.make_raw, econzoo.make_parallel):
        with pytest.raises(ValueError, match=re.escape(allowed)):
            maker("bargaining", flat=True, **options)
    assert econzoo.make("bargaining", flat=True, face=("text", "numeric")).observation_space("player_1").shape


def test_options_that_do_not_exist_are_told_as_unknown_parameters() -> None:
    with pytest.raises(ValueError, match="bargaining: unknown parameter 'faces'; allowed: money"):
        econzoo.make("bargaining", faces="text")


@pytest.mark.parametrize("name", ["poker", "", None, 5, "Bargaining", ["bargaining"]])
def test_unknown_games_are_told_with_the_known_ones(name: Any) -> None:
    for maker in (econzoo.make, econzoo.make_raw, econzoo.make_parallel):
        with pytest.raises(ValueError, match=r"unknown game .*; allowed: .*bargaining"):
            maker(name)


@pytest.mark.parametrize("name", ["Two Words", "UPPER", "a-b", "", "1st", None, 5])
def test_names_of_games_are_snake_case_words(name: str) -> None:
    with pytest.raises(ValueError, match="allowed: a snake-case word"):
        econzoo.register_game(name, "nowhere:GAME")


def test_max_cycles_counts_moves_of_each_seat() -> None:
    env = econzoo.make("bargaining", max_cycles=2)
    env.reset()
    for number in (100, 102, 100, 102):  # ask for all, reject, twice over
        assert not any(env.truncations.values())
        env.step(number)
    assert all(env.truncations.values())
    assert not any(env.terminations.values())
    assert env.payoffs == (0.0, 0.0)
    assert econzoo.make("bargaining").options.max_moves(2) == NO_LIMIT


@pytest.mark.parametrize("face", ["structured", "text"])
@pytest.mark.parametrize(("given", "longest"), [(None, 500), (3, 3), (2000, 2000)])
def test_max_message_is_the_longest_message(face: str, given: int | None, longest: int) -> None:
    for length in (longest, longest + 1):
        env = econzoo.make("bargaining", face=face, max_message=given)
        env.reset()
        schema = env.unwrapped.json_schema("player_0")
        assert schema["properties"]["message"]["maxLength"] == longest
        move = {"kind": "offer", "gain": 1.0, "message": "m" * length}
        if face == "structured":
            assert env.action_space("player_0").contains(move) == (length <= longest)
        env.step(move if face == "structured" else json.dumps(move))
        assert env.unwrapped.errors == [int(length > longest), 0]


# Reset


def test_parameters_at_reset_stay_for_later_games() -> None:
    env = econzoo.make("bargaining", money=100.0)
    env.reset(options={"params": {"delta": (0.5, 0.5)}})
    assert (env.public_params["money"], env.public_params["delta"]) == (100.0, (0.5, 0.5))
    env.reset()
    assert env.public_params["delta"] == (0.5, 0.5)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"params": {"money": -1}}, "bargaining: money=-1 is not allowed"),
        ({"params": {"maney": 1}}, "unknown parameter 'maney'"),
        ({"params": {5: 1}}, r"options\['params'\] must be parameters by name"),
        ({"params": [("money", 1)]}, r"options\['params'\] must be parameters by name"),
        ({"params": "money"}, r"options\['params'\] must be parameters by name"),
        ({"chance": 5}, r"options\['chance'\] must be a list"),
        ({"chance": "heads"}, r"options\['chance'\] must be a list"),
    ],
)
def test_a_refused_reset_changes_nothing(options: dict[str, Any], told: str) -> None:
    env = econzoo.make("bargaining", money=100.0, face="text")
    env.reset(seed=1)
    before = env.public_params
    with pytest.raises(ValueError, match=told):
        env.reset(seed=2, options=options)
    assert env.public_params == before
    env.reset(seed=2)
    assert "$100 " in env.last()[0]["text"]


@pytest.mark.parametrize("options", [None, {}, {"options": 1}, {"params": {}}, {"params": None}, {"chance": None}])
def test_other_options_at_reset_are_tolerated(options: Any) -> None:
    env = econzoo.make("bargaining")
    env.reset(seed=1, options=options)
    env.step(0)


def test_texts_follow_the_parameters_of_a_reset() -> None:
    env = econzoo.make("bargaining", face="text", money=100.0)
    env.reset()
    assert "$100 " in env.last()[0]["text"]
    env.reset(options={"params": {"money": 50.0, "messages": False}})
    assert "$50 " in env.last()[0]["text"]
    assert "message" not in env.last()[0]["text"]
