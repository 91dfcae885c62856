"""Parameters as people type them, and markets by name, by value and from files."""

from __future__ import annotations

import json

import econzoo
from econzoo.evaluate.run import find_settings, label_setting, parse_params, parse_value, read_settings
from econzoo.evaluate.run import resolve_settings, validation_settings
from refusals import refuses

GAME = econzoo.game("bargaining")


def test_values():
    for text, value in [
        ("3", 3),
        ("-3", -3),
        ("0.9", 0.9),
        ("1e4", 1e4),
        ("none", None),
        ("None", None),
        ("null", None),
        ("true", True),
        ("No", False),
        ("0.9,0.8", (0.9, 0.8)),
        ("(0.9, 0.8)", (0.9, 0.8)),
        ("[1,2]", (1, 2)),
        ("(1,)", (1,)),
        ("glee-code", "glee-code"),
        ("", ""),
        (" 12 ", 12),
    ]:
        found = parse_value(text)
        assert (found, type(found)) == (value, type(value)), text


def test_params():
    assert parse_params(["delta=0.9,0.8", "horizon=none", "max-rounds=5"]) == {
        "delta": (0.9, 0.8),
        "horizon": None,
        "max_rounds": 5,
    }


def test_params_that_are_none():
    for text in ["delta", "=3", "", "a b=3", "1x=3"]:
        with refuses(ValueError, "NAME=VALUE"):
            parse_params([text])


def test_a_parameter_given_twice():
    with refuses(ValueError, "money", "repeated"):
        parse_params(["money=1", "money=2"])


def test_a_label_says_what_is_not_the_default_and_can_be_typed():
    params = {"delta": (0.9, 0.8), "horizon": None, "messages": False, "money": 10_000}
    assert label_setting(GAME, params) == "delta=0.9,0.8 horizon=none messages=false"
    assert parse_params(label_setting(GAME, params).split()) == {k: v for k, v in params.items() if k != "money"}
    assert label_setting(GAME, {}) == label_setting(GAME, dict(GAME.defaults)) == "default"


def test_names():
    assert [market.name for market in find_settings(GAME, ["silent", "default", "silent"])] == ["silent", "default"]
    assert len(find_settings(GAME, ["all"])) == len(GAME.scenarios.SETTINGS)
    assert [market.params for market in validation_settings(GAME)] == list(GAME.scenarios.VALIDATION)
    assert len(find_settings(GAME, ["glee"])) == 384
    with refuses(ValueError, "'moon'", "default", "validation, test"):
        find_settings(GAME, ["moon"])


def test_names_and_parameters_mixed():
    found = resolve_settings(GAME, ["ultimatum", {"delta": [0.5, 0.5]}])
    assert [market.name for market in found] == ["ultimatum", "delta=0.5,0.5"]


def test_files(tmp_path):
    file = tmp_path / "markets.json"
    file.write_text(json.dumps({"a": {"horizon": 1}, "b": {}}))
    assert [tuple(market) for market in read_settings(GAME, file)] == [("a", {"horizon": 1}), ("b", {})]
    file.write_text(json.dumps([{"horizon": 1}, {}]))
    assert [market.name for market in read_settings(GAME, file)] == ["horizon=1", "default"]


TOO_DEEP = "[" * 10**5


def test_files_that_hold_no_markets(tmp_path):
    for text in ["", "{", "[]", "{}", "3", "[3]", '{"a": 3}', '"x"', TOO_DEEP]:
        (tmp_path / "m.json").write_text(text)
        with refuses(ValueError, "m.json"):
            read_settings(GAME, tmp_path / "m.json")


def test_names_that_would_read_alike_are_refused(tmp_path):
    for name in ("a\udcff", "a\u200b", "a\x1b[2J"):
        (tmp_path / "m.json").write_text(json.dumps({name: {"horizon": 1}, "a": {}}))
        with refuses(ValueError, "m.json", repr(name)):
            read_settings(GAME, tmp_path / "m.json")


def test_a_file_that_is_missing(tmp_path):
    with refuses(FileNotFoundError, tmp_path / "none.json"):
        read_settings(GAME, tmp_path / "none.json")
