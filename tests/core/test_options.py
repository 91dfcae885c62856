"""Options of every environment: names, values and what is allowed, also at reset."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np

import econzoo
from econzoo.envs.core.contract import Objective
from econzoo.envs.core.env.options import NO_LIMIT
from refusals import refuses

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
    "max_retries": (-1, 21, 1.0, "2", True),
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

ALLOWED: dict[str, tuple[Any, ...]] = {
    "grid": (2, 10_001),
    "objective": ("self_gain", "efficiency", "fairness", "payoff"),
    "metrics": ("paper", "glee-code"),
    "max_retries": (0, 20, None),
    "on_error": ("default", "forfeit", "raise", None),
    "penalty": (0,),
    "max_cycles": (1, None),
    "max_message": (1, 100_000, None),
    "kind_order": ("declared", "reversed", "shuffled", "offer", "accept", "reject"),
    "render_mode": (None, "human", "ansi", "rgb_array"),
    "mask": ("both", "observation", "info"),
    "flat": (True, False),
    "black_death": (True, False, None),
}


def test_a_refused_option_is_named_with_its_value_and_what_is_allowed() -> None:
    for name, values in WRONG.items():
        for value in values:
            for maker in (econzoo.make, econzoo.make_raw, econzoo.make_parallel):
                named = (f"{name}={value!r}", *ALLOWED[name]) if name in ALLOWED else (name,)
                with refuses(ValueError, *named):
                    maker("bargaining", **{name: value})
    for face, allowed in [("numbers", ("numeric", "structured", "text", "chat")), (("numeric",), (2,))]:
        with refuses(ValueError, *allowed):
            econzoo.make("bargaining", face=face)


def test_allowed_options() -> None:
    for name, value in [
        ("face", "chat"),
        ("face", ("numeric", "text")),
        ("face", ["text", "structured"]),
        ("grid", 2),
        ("grid", np.int64(10_001)),
        ("objective", "0.5*self_gain + 0.5*fairness"),
        ("objective", Objective("fairness")),
        ("metrics", "glee-code"),
        ("max_retries", 0),
        ("max_retries", None),
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
    ]:
        env = econzoo.make("bargaining", **{name: value})
        env.reset(seed=1)
        env.step(env.action_space("player_0").sample())


def test_a_flat_observation_has_place_for_numbers_only() -> None:
    for options, named in [
        ({"mask": "observation"}, ("mask", "'observation'", "flat=True", "info", "both")),
        ({"face": "text"}, ("face", "'text'", "flat=True", "numeric")),
        ({"face": ("text", "chat")}, ("face", "'text'", "'chat'", "flat=True", "numeric")),
    ]:
        for maker in (econzoo.make, econzoo.make_raw, econzoo.make_parallel):
            with refuses(ValueError, *named):
                maker("bargaining", flat=True, **options)
    assert econzoo.make("bargaining", flat=True, face=("text", "numeric")).observation_space("player_1").shape


def test_options_that_do_not_exist_are_told_as_unknown_parameters() -> None:
    with refuses(ValueError, "bargaining", "'faces'", "money"):
        econzoo.make("bargaining", faces="text")


def test_unknown_games_are_told_with_the_known_ones() -> None:
    for name in ["poker", "", None, 5, "Bargaining", ["bargaining"]]:
        for maker in (econzoo.make, econzoo.make_raw, econzoo.make_parallel):
            with refuses(ValueError, repr(name), "bargaining", *([] if name == "Bargaining" else ["negotiation"])):
                maker(name)


def test_names_of_games_are_snake_case_words() -> None:
    for name in ["Two Words", "UPPER", "a-b", "", "1st", None, 5]:
        with refuses(ValueError, repr(name)):
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


def test_max_message_is_the_longest_message() -> None:
    for given, longest in [(None, 500), (3, 3), (2000, 2000)]:
        for face in ["structured", "text"]:
            for length in (longest, longest + 1):
                env = econzoo.make("bargaining", face=face, max_message=given)
                env.reset()
                schema = env.unwrapped.json_schema("player_0")
                assert schema["properties"]["message"]["maxLength"] == longest, (face, given, longest)
                move = {"kind": "offer", "gain": 1.0, "message": "m" * length}
                if face == "structured":
                    assert env.action_space("player_0").contains(move) == (length <= longest), (face, given, longest)
                env.step(move if face == "structured" else json.dumps(move))
                assert env.unwrapped.errors == [int(length > longest), 0], (face, given, longest)


# Reset


def test_parameters_at_reset_stay_for_later_games() -> None:
    env = econzoo.make("bargaining", money=100.0)
    env.reset(options={"params": {"delta": (0.5, 0.5)}})
    assert (env.public_params["money"], env.public_params["delta"]) == (100.0, (0.5, 0.5))
    env.reset()
    assert env.public_params["delta"] == (0.5, 0.5)


def test_a_refused_reset_changes_nothing() -> None:
    for options, named in [
        ({"params": {"money": -1}}, ("bargaining", "money", -1)),
        ({"params": {"maney": 1}}, ("'maney'",)),
        ({"params": {5: 1}}, ("options['params']", 5)),
        ({"params": [("money", 1)]}, ("options['params']", "'money'")),
        ({"params": "money"}, ("options['params']", "'money'")),
        ({"chance": 5}, ("options['chance']", 5)),
        ({"money": 5.0}, ("options={'params': {'money': ...}}",)),
        ({"face": "text"}, ("pass face where the environment is made",)),
        ({"supply": [1]}, ("unknown option 'supply'", "params, chance")),
        ({"parms": {}}, ("did you mean 'params'? allowed: params",)),
        ({5: 1}, ("unknown option 5",)),
        ({"chance": "heads"}, ("options['chance']", "'heads'")),
    ]:
        env = econzoo.make("bargaining", money=100.0, face="text")
        env.reset(seed=1)
        before = env.public_params
        with refuses(ValueError, *named):
            env.reset(seed=2, options=options)
        assert env.public_params == before, options
        env.reset(seed=2)
        assert "$100 " in env.last()[0]["text"], options


def test_no_options_at_reset_are_none() -> None:
    for options in [None, {}, {"options": 1}, {"params": {}}, {"params": None}, {"chance": None}]:  # 1: PettingZoo's
        env = econzoo.make("bargaining")
        env.reset(seed=1, options=options)
        env.step(0)


def test_numeric_spaces_keep_their_size() -> None:
    env = econzoo.make("bargaining")
    env.reset(seed=1)
    with refuses(ValueError, "may not change", "symbols"):
        env.reset(options={"params": {"messages": 3}})
    text = econzoo.make("bargaining", face="text")
    text.reset(options={"params": {"messages": 3}})
    assert text.actions.symbols == 3


def test_texts_follow_the_parameters_of_a_reset() -> None:
    env = econzoo.make("bargaining", face="text", money=100.0)
    env.reset()
    assert "$100 " in env.last()[0]["text"]
    env.reset(options={"params": {"money": 50.0, "messages": False}})
    assert "$50 " in env.last()[0]["text"]
    assert "message" not in env.last()[0]["text"]
