"""The open-source coin game: both submit programs that read each other and collect coins for them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Annotated, Any, NamedTuple

from econzoo.envs.core.actions import ActionSchema, Kind
from econzoo.envs.core.game import Game, GameFacts
from econzoo.envs.core.rules import Rules
from econzoo.envs.families.open_source.interfaces import COIN_GAME
from econzoo.envs.families.open_source.submission import (
    kept,
    limits_of,
    meta_rounds,
    nothing,
    policies_of,
    program_source,
    running,
)
from econzoo.envs.games.coin_game import SIZE
from econzoo.envs.games.program_coin import rules

SOURCE = program_source("coin_game")


class Program(NamedTuple):
    """Submit a program: it will read the other player's program and play the base game for you."""

    program: Annotated[str, SOURCE]


ACTIONS = ActionSchema(Kind("program", Program))

PARAMETERS = (
    SIZE,
    *meta_rounds(),
    *running(COIN_GAME.moves),
)


def configure(public: Mapping[str, Any]) -> rules.Params:
    """The rules' parameters from the public ones."""
    numbers = public["size"], public["rounds"], public["turns"]
    return rules.Params(*numbers, limits_of(public), policies_of(public, COIN_GAME.moves))


GAME = Game(
    name="program_coin",
    version=0,
    summary="Both submit programs that read each other and play the coin game for them.",
    facts=GameFacts(
        seats=2,
        chance=True,
        perfect_information=True,
        language=False,
        roles=("Alice", "Bob"),
        source="Sistla and Kleiman-Weiner (2025), Evaluating LLMs in open-source games, NeurIPS, arXiv:2512.00371",
        parts=("A, red", "B, blue"),
        agreement="mutual cooperation",
        gain="points a turn",
    ),
    rules=Rules[rules.Params, rules.State, rules.View].of(rules),
    actions=ACTIONS,
    parameters=PARAMETERS,
    configure=configure,
    default_action=partial(nothing, ACTIONS),
    package=__name__,
    on_error="default",
    kept=partial(kept, ACTIONS),
)
