"""What the kept playthroughs play: for each game a few settings that show what it can do, and options of the match."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple


class Setting(NamedTuple):
    """One setting.

    Attributes:
        params: Public parameters of the game.
        options: Options of the environment.
    """

    params: Mapping[str, Any]
    options: Mapping[str, Any] = MappingProxyType({})


DEFAULTS = {"max_retries": 0, "on_error": "default", "penalty": 0.125}
"""Every unusable answer is replaced at once by the game's default action."""

SETTINGS: dict[str, dict[str, Setting]] = {
    "bargaining": {
        "known": Setting({"horizon": 4, "delta": (0.9, 0.8)}, {"channel": "scrambled"}),
        "in the dark": Setting(
            {"money": 99.99, "delta": (0.7, 0.95), "complete_information": False, "horizon": None, "max_rounds": 5},
            DEFAULTS,
        ),
        "silent, cut short": Setting({"messages": False}, {"max_cycles": 3}),
    },
    "multi_issue": {
        "private": Setting({"horizon": 5}, {"channel": "scrambled"}),
        "open, discounted": Setting({"complete_information": True, "delta": 0.9, "horizon": 6}, DEFAULTS),
        "silent, two kinds, cut short": Setting(
            {"items": (2, 2), "values": ((4, 1), (1, 4)), "messages": False}, {"max_cycles": 3}
        ),
    },
    "negotiation": {
        "known": Setting({"horizon": 4}, {"max_message": 12}),
        "in the dark": Setting(
            {"seller_value": 0.7, "buyer_value": 1.4, "complete_information": False, "horizon": None, "max_rounds": 5},
            DEFAULTS,
        ),
        "no outside option, silent": Setting({"outside_option": False, "messages": False}, {"max_cycles": 3}),
    },
    "persuasion": {
        "words": Setting({"rounds": 3}),
        "recommendations": Setting({"rounds": 4, "message_type": "binary", "buyer_messages": True}, DEFAULTS),
        "myopic buyers": Setting({"rounds": 4, "buyer": "myopic", "seller_knows_value": False}),
        "cut short": Setting({"rounds": 6, "buyer_knows_prior": False}, {"max_cycles": 2, "metrics": "glee-code"}),
    },
    "water_allocation": {
        "short": Setting({"days": 4, "start_health": 4}),
        "persona": Setting({"days": 3, "persona": True, "supply": (10, 20)}, DEFAULTS),
        "duel": Setting(
            {"residents": [("Ada", 3, 9.5), ("Ben", 4, 12.0)], "supply": (3, 5), "days": 6, "start_health": 2}, DEFAULTS
        ),
    },
    "guess_average": {
        "deadly": Setting({"health": 4, "rounds": 5}),
        "duel": Setting({"players": 2, "low": 7, "high": 80, "factor": 0.5, "rounds": 3}, DEFAULTS),
        "cut short": Setting({"rounds": 6}, {"max_cycles": 2}),
    },
    "survival_auction": {
        "short": Setting({"days": 4, "start_health": 4}),
        "duel": Setting({"players": 2, "salary": 9.5, "days": 5, "start_health": 3, "reward": "days"}, DEFAULTS),
        "cut short": Setting({"players": 3}, {"max_cycles": 2}),
    },
    "matrix": {
        "dilemma": Setting({"rounds": 3}),
        "noisy, hidden end": Setting({"stage_game": "chicken", "rounds": 5, "noise": 0.4, "known": False}, DEFAULTS),
        "silent": Setting(
            {"payoffs": (((3.0, 6.0), (0.0, 8.0)), ((5.0, 0.0), (1.0, 2.0))), "messages": False, "rounds": 3}
        ),
    },
    "coin_game": {
        "default": Setting({"rounds": 6}),
        "tiny, hidden end": Setting({"size": 2, "rounds": 5, "known": False}, DEFAULTS),
        "silent": Setting({"size": 4, "rounds": 5, "messages": False}, {"max_cycles": 4}),
    },
    "program_matrix": {
        "dilemma": Setting({"rounds": 2, "turns": 4}),
        "as published, noisy": Setting(
            {"rounds": 2, "turns": 4, "noise": 0.2, "on_wrong_return": "D", "on_exception": "random"}, DEFAULTS
        ),
    },
    "program_coin": {"default": Setting({"rounds": 2, "turns": 4}), "wide": Setting({"size": 4, "turns": 5}, DEFAULTS)},
    "code_reading": {
        "words": Setting({"item": "TitForTat", "answers": "words", "variant": "masked"}),
        "probability": Setting({"item": "Random", "items": "held-out", "variant": "obfuscated"}, DEFAULTS),
    },
    "double_auction": {
        "pair": Setting({"k": 0.25}),
        "market": Setting({"buyers": 3, "sellers": 2, "talk": 2, "money": 9.5}, DEFAULTS),
        "cut short": Setting({"talk": 3, "messages": False}, {"max_cycles": 2}),
    },
    "public_goods": {
        "one round": Setting({"rounds": 1}),
        "trio, linear": Setting({"players": 3, "rounds": 2, "cost": "linear", "mpcr": 0.45}, DEFAULTS),
        "no points": Setting({"rounds": 4, "punishment": False}, {"max_cycles": 2}),
    },
}
"""Settings by game and by what is special about them."""

SEEDS = (1, 2)
