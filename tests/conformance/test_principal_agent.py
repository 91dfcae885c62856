"""A contract for hidden effort, written outside by the guide: its hidden action, late chance and parted actions."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from econzoo.envs.core.contract import OPEN, Cases, Game
from econzoo.testing import check_game, checks_of
from econzoo.testing.parts import idle_parts
from econzoo.testing.suite import replace_rules
from refusals import refuses
from toy_games import PENNIES, PRINCIPAL_AGENT

AGENT = 1


def run(game: Game, part: str, name: str) -> None:
    """All cases of a check."""
    for one in checks_of(game, [part]):
        if one.name == f"{part}.{name}":
            one()


def with_cases(game: Game, **cases: Any) -> Game:
    """The game with other cases."""
    out = dataclasses.replace(game)
    vars(out)["cases"] = dataclasses.replace(game.cases, **cases)  # where the cached property keeps it
    return out


@pytest.mark.slow
def test_it_passes_all_checks() -> None:
    assert check_game(PRINCIPAL_AGENT).passed > 100


def test_effort_that_can_be_seen_is_found() -> None:
    told = replace_rules(PRINCIPAL_AGENT, sees=lambda *_: OPEN)
    viewed = replace_rules(PRINCIPAL_AGENT, observe=lambda p, s, seat: observe(p, s, AGENT)._replace(seat=seat))
    observe = PRINCIPAL_AGENT.rules.observe
    for leaky, face in ((told, "structured"), (viewed, "numeric"), (viewed, "structured"), (viewed, "text")):
        for one in checks_of(leaky, ["privacy"]):
            if one.name == "privacy.secrets_are_kept" and one.arguments["face"] == face:
                with refuses(AssertionError, face, "effort"):
                    one()


def test_what_follows_from_effort_is_found() -> None:
    """Here a lazy agent is caught by what it has to do next: nothing is left to nature."""
    rules = PRINCIPAL_AGENT.rules

    def apply(p: Any, s: Any, moves: Any) -> Any:
        then = rules.apply(p, s, moves)
        return then._replace(wage=0.0) if then.effort >= 0 and then.effort < 0.5 else then

    with refuses(AssertionError, "effort"):
        run(replace_rules(PRINCIPAL_AGENT, apply=apply), "privacy", "secrets_are_kept")


def test_a_secret_move_that_nobody_makes_is_no_secret() -> None:
    (secret, *_) = PRINCIPAL_AGENT.cases.secrets
    with refuses(AssertionError, "no match came to", "effort"):
        run(with_cases(PRINCIPAL_AGENT, secrets=(secret._replace(moves=("decline",)),)), "privacy", "secrets_are_kept")


def test_nature_may_wait_for_a_move() -> None:
    """The first random player declines the contract, and nature never moves; others accept it."""
    run(PRINCIPAL_AGENT, "episodes", "chance_is_drawn_by_the_seed")
    assert not idle_parts(PRINCIPAL_AGENT)


def test_nature_that_never_moves_or_always_does_the_same_is_told_apart() -> None:
    declined = replace_rules(
        PRINCIPAL_AGENT, legal=lambda p, s, seat: (*legal(p, s, seat)[:1], False, seat == 1, False)
    )
    legal = PRINCIPAL_AGENT.rules.legal
    certain = replace_rules(PRINCIPAL_AGENT, chance=lambda p, s: ((1.0, 1.0),))
    for game, told in ((declined, "never moved"), (certain, "always drew the same")):
        with refuses(AssertionError, told):
            run(game, "episodes", "chance_is_drawn_by_the_seed")


def test_the_most_moves_are_those_of_the_longest_match() -> None:
    name = "no_match_has_more_moves_than_the_most"
    run(PRINCIPAL_AGENT, "edges", name)
    with refuses(AssertionError, "3 moves", "max_moves=2"):
        run(with_cases(PRINCIPAL_AGENT, max_moves=2), "edges", name)


def test_a_short_match_of_all_at_once_needs_no_long_case() -> None:
    """PettingZoo's test cuts matches after four moves of every seat, and this one has no more than three."""
    three = with_cases(PENNIES, long={}, max_moves=6, short={"rounds": 3})
    with pytest.raises(Exception, match="no match has more than 6 moves"):
        run(three, "pettingzoo_api", "max_cycles")
    assert Cases().max_moves == 0
