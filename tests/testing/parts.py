"""Every part of a game's rules is called in some match."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from inspect import isfunction, unwrap
from itertools import product
from typing import Any

from econzoo.envs.core.contract import Game, turns_of
from econzoo.envs.core.env import GameEnv
from econzoo.testing.playing import POLICIES, play, random_policy, shorten_setting
from econzoo.testing.suite import check, replace_rules

GUIDE = "The rules"
REMEDY = "delete the part, or give as the last of `Cases.settings` one that needs it"


COMPILED_PARTS = ("gains",)
"""Parts that only compiled games call."""

MAX_CYCLES = 12


def idle_parts(game: Game) -> set[str]:
    """Return functions of the rules that no match calls, in the default setting and some others."""
    calls: Counter[str] = Counter()

    def count_calls(name: str, part: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            calls[name] += 1
            return part(*arguments)

        return call

    names = [name for name in game.rules.defined_parts if isfunction(unwrap(getattr(game.rules, name)))]
    parts = {name: count_calls(name, getattr(game.rules, name)) for name in names}
    watched = replace_rules(game, **parts)
    turns_of(watched)  # looks at parts that no match may need
    calls.clear()
    for policy, setting in product(range(POLICIES), ({}, game.cases.chance, *game.cases.settings[-1:])):
        env = GameEnv(watched, face="text", max_cycles=MAX_CYCLES, **shorten_setting(game, setting))
        play(env, random_policy(policy), policy)
        if not (idle := set(names) - set(calls) - set(COMPILED_PARTS)):
            break
    return idle


@check(GUIDE, REMEDY)
def every_part_is_called(game: Game) -> None:
    idle = idle_parts(game)
    problem = f"{POLICIES} random players never call {', '.join(sorted(idle))} of rules.py"
    assert not idle, f"{problem}, in the default setting, in `Cases.chance` and in the last of `Cases.settings`"
