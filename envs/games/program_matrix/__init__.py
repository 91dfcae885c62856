"""The open-source iterated game of two moves: both submit programs that read each other and play for them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Annotated, Any, NamedTuple

from econzoo.envs.core.actions import ActionSchema, Kind
from econzoo.envs.core.game import Game, GameFacts
from econzoo.envs.core.parameters import Parameter, Real
from econzoo.envs.core.rules import Rules
from econzoo.envs.families.open_source.interfaces import MATRIX
from econzoo.envs.families.open_source.submission import (
    kept,
    limits_of,
    meta_rounds,
    nothing,
    policies_of,
    program_source,
    running,
)
from econzoo.envs.games.matrix.tables import TABLE_PARAMETERS, table_from
from econzoo.envs.games.program_matrix import rules

SOURCE = program_source("matrix")


class Program(NamedTuple):
    """Submit a program: it will read the other player's program and play the base game for you."""

    program: Annotated[str, SOURCE]


ACTIONS = ActionSchema(Kind("program", Program))

PARAMETERS = (
    *TABLE_PARAMETERS,
    *meta_rounds(),
    Parameter(
        "noise", 0.0, Real(0.0, 0.5), "Probability that a move comes out as the other one, for each program by itself."
    ),
    *running(MATRIX.moves),
)


def configure(public: Mapping[str, Any]) -> rules.Params:
    """The rules' parameters from the public ones."""
    numbers = public["rounds"], public["turns"], public["noise"]
    return rules.Params(table_from(public), *numbers, limits_of(public), policies_of(public, MATRIX.moves))


GAME = Game(
    name="program_matrix",
    version=0,
    summary="Both submit programs that read each other and play an iterated game of two moves for them.",
    facts=GameFacts(
        seats=2,
        chance=True,
        perfect_information=True,
        language=False,
        roles=("Alice", "Bob"),
        source="Tennenholtz (2004), Program equilibrium, GEB 49(2); Sistla and Kleiman-Weiner (2025), arXiv:2512.00371",
        agreement="mutual cooperation",
        gain="points a turn, from the least (0) to the most (1) that a turn can pay",
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
