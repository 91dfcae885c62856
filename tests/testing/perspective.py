"""Perspectives: inferred views use only own information and are correct wherever not UNKNOWN."""

from __future__ import annotations

import json
from types import ModuleType
from typing import Any
from unittest import SkipTest

import numpy as np

from econzoo.envs.core.contract import UNKNOWN, Game, Legal, turns_of
from econzoo.envs.core.faces import InformationState, Teller, load_templates
from econzoo.testing.playing import draw, has_ended, make_env, positions_of, random_policy
from econzoo.testing.suite import check

GUIDE = "Perspectives"
REMEDY = "let infer_view() use the own view only, and return UNKNOWN otherwise"


SEEDS = range(3)
OBSERVING_SEATS = 4
"""Number of observing seats per position, limited because tables can be large."""


def perspective_of(game: Game) -> ModuleType:
    if game.perspective is None:
        raise SkipTest("the game has no perspective module")
    return game.perspective


def wrong_fields(imagined: Any, true: Any) -> list[str]:
    """Return the fields with wrong values."""
    return [name for name in true._fields if getattr(imagined, name) not in (UNKNOWN, getattr(true, name))]


def views(env: Any) -> list[Any]:
    """Return the views of a few seats: the first, the last and some between."""
    seats = len(env.possible_agents)
    return [
        env.view(seat)
        for seat in sorted({round(i * (seats - 1) / (OBSERVING_SEATS - 1)) for i in range(OBSERVING_SEATS)})
    ]


def positions(game: Game, setting: dict[str, Any]) -> Any:
    """Yield environments in every position of some random matches."""
    for seed in SEEDS:
        env = make_env(game, face="structured", **setting)
        previous = None
        for agent in positions_of(env, random_policy(seed), seed):
            position = env.game_state, agent if turns_of(game).has_single_moves else env.over
            if position != previous:  # within a round of sealed moves nothing changes for anybody
                yield env
            previous = position


@check(GUIDE, REMEDY)
def everything_imagined_is_true_or_unknown(game: Game, setting: dict[str, Any]) -> None:
    """`infer_view` uses only the seat's own view, and is correct or UNKNOWN in every position."""
    imagined = perspective_of(game).infer_view
    for env in positions(game, setting):
        for own in views(env):
            for other in views(env):
                found = imagined(own, other.seat)
                assert found._fields == other._fields
                assert wrong_fields(found, other) == [], f"seat {own.seat} of {other.seat} in {env.game_state}"


@check(GUIDE, REMEDY)
def what_is_public_is_imagined(game: Game, setting: dict[str, Any]) -> None:
    """Public fields are inferred: at least the seat itself and, for active seats, whether the game has ended."""
    imagined = perspective_of(game).infer_view
    for env in positions(game, setting):
        for own in views(env):
            for other in views(env):
                found = imagined(own, other.seat)
                assert found.seat == other.seat
                assert found.over in (other.over, UNKNOWN if own.over else other.over)


@check(GUIDE, REMEDY)
def options_are_those_of_the_rules(game: Game, setting: dict[str, Any]) -> None:
    options = perspective_of(game).options
    for env in positions(game, setting):
        agent = env.agent_selection
        if not has_ended(env):
            legal = env.legal(agent)
            assert options(env.information_state(agent).view) == (legal.kinds, legal.bounds)


@check(GUIDE, REMEDY)
def a_seat_that_is_out_has_no_options(game: Game, setting: dict[str, Any]) -> None:
    perspective = perspective_of(game)
    for env in positions(game, setting):
        alive = game.rules.alive
        for seat in range(len(env.possible_agents)):
            out = alive and not alive(env.params, env.game_state, seat)
            for own in views(env):
                if out or env.over:
                    assert not any(perspective.options(perspective.infer_view(own, seat))[0])


@check(GUIDE, REMEDY)
def the_view_that_answers_a_move_is_imagined_truly(game: Game, setting: dict[str, Any]) -> None:
    perspective = perspective_of(game)
    if not turns_of(game).has_single_moves:
        return
    answered = 0
    for env in positions(game, setting):
        if has_ended(env):
            continue
        rng = np.random.default_rng(len(env.events))
        action = draw(rng, game, env.legal(env.agent_selection))
        move, own = game.actions.move(action), env.information_state(env.agent_selection).view
        after = game.rules.apply(env.params, env.game_state, (move,))
        turn = game.rules.to_act(env.params, after)
        for seat in range(len(env.possible_agents)):
            found = perspective.infer_reply_view(own, move, seat)
            assert (found is None) == (seat != turn or seat == own.seat), "only who is to answer is asked"
            if found is not None:
                answered += 1
                assert wrong_fields(found, game.rules.observe(env.params, after, seat)) == []
                assert perspective.options(found)[0] == game.rules.legal(env.params, after, seat)
    assert answered


@check(GUIDE, REMEDY)
def an_imagined_position_can_be_put_into_words(game: Game, setting: dict[str, Any]) -> None:
    """Unknown values are formatted as words, never as numbers."""
    perspective, prompts = perspective_of(game), load_templates(game.package)
    for env in positions(game, setting):
        seen = env.information_state(env.agent_selection)
        for other in views(env):
            view = perspective.infer_view(seen.view, other.seat)
            kinds, bounds = perspective.options(view)
            state = InformationState(view, Legal(kinds, bounds, False), seen.events, None)
            teller = Teller(game, prompts, False, env.roles)
            text = f"{teller.rules(view)}\n{teller.story(state)}{teller.question(state) if any(kinds) else ''}"
            assert not {"inf", "-inf", "nan"} & set(json.dumps(text).replace("$", " ").replace("%", " ").split())
