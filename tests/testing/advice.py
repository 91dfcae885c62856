"""Solutions: advice exists in every position and uses no hidden information; references use observed parameters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from itertools import islice, zip_longest
from math import isnan
from typing import Any, NamedTuple
from unittest import SkipTest

import numpy as np

from econzoo.envs.core.contract import Game
from econzoo.testing.playing import FACES, encode, has_ended, make_env, positions_of, random_policy, reset_alike
from econzoo.testing.playing import settings_of
from econzoo.testing.privacy import observable_state, quiet_move
from econzoo.testing.suite import check

GUIDE = "The solution"
REMEDY = "let advise() depend on the view only and return advice in every position"


def advise_of(game: Game) -> Any:
    if not hasattr(game.solution, "advise"):
        raise SkipTest("the game has no advice")
    return game.solution.advise


@check(GUIDE, REMEDY)
def there_is_advice_in_every_position(game: Game, setting: dict[str, Any]) -> None:
    advise = advise_of(game)
    env = make_env(game, face="structured", **setting)
    for agent in positions_of(env, random_policy(1), 1):
        if not has_ended(env):
            advice = advise(env.information_state(agent).view)
            lines = advice.values() if isinstance(advice, dict) else [advice]
            assert lines
            assert all(isinstance(line, str) and line.strip() for line in lines)
            assert not {"inf", "-inf", "nan"} & {word.strip("$%,.") for line in lines for word in line.split()}


@check(GUIDE, REMEDY)
def advice_at_the_start_tells_no_secret(game: Game) -> None:
    advise = advise_of(game)
    for secret in game.cases.secrets:
        advice = []
        for params, chance in zip((secret.first_params, secret.second_params), secret.chance, strict=True):
            env = make_env(game, face="structured", **params)
            reset_alike(env, 1, chance)
            advice.append(advise(env.view(secret.seat)))
        assert advice[0] == advice[1], f"advice reveals {secret.description}"


STEPS = 4
"""Moves after which a parameter that no seat has observed counts as unobserved."""

MAX_VALUES = 6
"""Other values of a parameter to try in a setting."""


class Match(NamedTuple):
    """Public parameters, and fixed moves of nature."""

    public: Mapping[str, Any]
    chance: Sequence[float] = ()


REFERENCE_REMEDY = "compute equilibrium_payoffs() from observed information; NaN if that is insufficient"


@check(GUIDE, REFERENCE_REMEDY)
def the_reference_follows_from_no_secret(game: Game) -> None:
    """The reference equilibrium does not depend on information that is hidden from all seats."""
    for secret in game.cases.secrets:
        publics = [
            game.params(**{**game.cases.short, **params})[0] for params in (secret.first_params, secret.second_params)
        ]
        if publics[0] != publics[1]:
            one, other = (Match(*match) for match in zip(publics, secret.chance, strict=True))
            check_equilibrium_is_unmoved(game, one, [other])


@check(GUIDE, REFERENCE_REMEDY)
def the_reference_does_not_move_with_what_no_seat_knows(game: Game, setting: dict[str, Any]) -> None:
    """The reference equilibrium does not depend on parameters that no seat observes."""
    public, every = game.params(**{**game.cases.short, **setting})[0], settings_of(game)
    others: list[Match] = []
    for name, value in public.items():
        elsewhere = [other[name] for other in every if name in other]
        others += map(
            Match, islice(changed_parameters(game, public, name, [*nearby_values(value), *elsewhere]), MAX_VALUES)
        )
    check_equilibrium_is_unmoved(game, Match(public), others)


def check_equilibrium_is_unmoved(game: Game, one: Match, others: Iterable[Match]) -> None:
    """Assert that other matches have the same equilibrium unless some seat observes a difference."""

    @cache
    def displayed_actions(face: str) -> list[list[Any]]:
        return [*observe_first_steps(game, face, one)]

    for other in others:
        # The cheapest face first: it shows most differences, and the others are drawn only in doubt.
        if are_distinguishable(displayed_actions("structured"), observe_first_steps(game, "structured", other)):
            continue
        found, moved = (equilibrium(game, game.params(**match.public)[1]) for match in (one, other))
        if found != moved and not any(
            are_distinguishable(displayed_actions(face), observe_first_steps(game, face, other)) for face in FACES
        ):
            differ = {name: value for name, value in other.public.items() if value != one.public[name]}
            raise AssertionError(f"no seat observes {differ}, but it changes the equilibrium from {found} to {moved}")


def changed_parameters(
    game: Game, public: Mapping[str, Any], name: str, values: Iterable[Any]
) -> Iterator[Mapping[str, Any]]:
    """Yield copies of the parameters with one value changed, if the game allows it."""
    for value in values:
        with suppress(ValueError):
            other = game.params(**{**public, name: value})[0]
            if other != public:
                yield other


def nearby_values(value: Any) -> Iterator[Any]:
    """Yield values near a value; some may be invalid."""
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int | float):
        yield from (value + 1, value - 1) if isinstance(value, int) else (0.9 * value, 1.1 * value)
    elif isinstance(value, tuple):
        for place, item in enumerate(value):
            yield from ((*value[:place], other, *value[place + 1 :]) for other in nearby_values(item))


def equilibrium(game: Game, params: Any) -> list[list[float | None]]:
    """Return the equilibrium of `equilibrium_payoffs` and, if defined, `reference`; None for NaN."""
    solution, solutions = game.solution, [game.solution.equilibrium_payoffs(params)]
    if hasattr(solution, "reference"):
        solutions.append(solution.reference(params).get("equilibrium", ()))
    return [[None if isnan(one) else float(one) for one in payoffs] for payoffs in solutions]


def are_distinguishable(one: Iterable[list[Any]], other: Iterable[list[Any]]) -> bool:
    """Whether some seat observes a difference between two matches, at the start or after the same moves."""
    return any(here != there for here, there in zip_longest(one, other))


def observe_first_steps(game: Game, face: str, match: Match) -> Iterator[list[Any]]:
    """Yield the observations of all seats at the start and after each of the first moves."""
    env, rng = make_env(game, face=face, **match.public), np.random.default_rng(1)
    reset_alike(env, 1, match.chance)
    for _ in range(STEPS):
        yield [(agent, observable_state(env, agent)) for agent in env.possible_agents]
        if not env.agents:
            return
        env.step(None if has_ended(env) else encode(env, env.agent_selection, quiet_move(env, rng)))
    yield [(agent, observable_state(env, agent)) for agent in env.possible_agents]
