"""The conformance suite can fail, says what to do, and warns where a game of another package may do without."""

from __future__ import annotations

import dataclasses
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Annotated, Any, NamedTuple
from unittest import SkipTest

import pytest

import econzoo
from econzoo.envs.core.contract import ActionSchema, Game, Kind, Message
from econzoo.testing import Check, ConformanceError, ConformanceWarning, check_game, checks_of
from econzoo.testing.advice import the_reference_does_not_move_with_what_no_seat_knows
from econzoo.testing.parts import idle_parts
from econzoo.testing.perspective import views, wrong_fields
from econzoo.testing.playing import make_env, play, random_policy
from econzoo.testing.suite import PARTS, replace_rules
from refusals import refuses, says
from toy_games import COIN, PENNIES

GUIDE = (Path(__file__).resolve().parents[2] / "docs" / "adding_a_game.md").read_text(encoding="utf-8")


def chosen(game: Game, part: str, name: str) -> list[Check]:
    return [one for one in checks_of(game, [part]) if one.name == f"{part}.{name}"]


def test_every_module_of_the_suite_has_checks_whose_section_of_the_guide_exists() -> None:
    for part in PARTS:
        checks = checks_of(PENNIES, [part])
        assert checks, part
        assert {f"## {one.declaration.guide}" for one in checks} <= set(GUIDE.splitlines()), part
        assert all(one.description.strip() and one.remedy_text.strip() for one in checks)


@pytest.mark.slow
def test_a_game_that_conforms_is_reported_with_what_is_missing_around_it() -> None:
    report = check_game(PENNIES)
    assert report.passed > 100
    assert len(report.warnings) == 3
    says(report.warnings, "econzoo.games", "PLAYERS", "README")
    assert not set(econzoo.games()) & {"pennies"}, "it is known while it is checked only"


@pytest.mark.slow
def test_a_game_that_does_not_conform_is_told_what_to_do() -> None:
    broken = replace_rules(PENNIES, features=lambda view: (7.0,) * 4)
    with refuses(ConformanceError) as told:
        check_game(broken)
    wrong_fields = (7.0,) * 4
    says(told.value, "pennies-folder.features_of_the_rules", "features()", "rules.py", "[-1, 1]", wrong_fields)
    says(told.value, '"The rules"', "docs/adding_a_game.md")


def test_what_is_no_game_is_refused() -> None:
    with refuses(ValueError, "game='pennies'", "Game"):
        check_game("pennies")  # type: ignore[arg-type]


def test_a_missing_page_is_a_warning_in_another_package_and_an_error_in_this_one() -> None:
    with pytest.warns(ConformanceWarning, match=r"pennies.*README"):
        [one() for one in chosen(PENNIES, "package_files", "page")]
    ours = dataclasses.replace(PENNIES, name="farthings", package="econzoo.envs.games.farthings")
    with refuses(AssertionError, "docs/games/farthings.md"):
        [one() for one in chosen(ours, "package_files", "page")]


def test_a_leak_is_caught_on_every_face() -> None:
    """Here the caller sees the coin."""
    leaky = replace_rules(COIN, observe=lambda p, s, seat: COIN.rules.observe(p, s, 0)._replace(seat=seat))
    for one in chosen(leaky, "privacy", "secrets_are_kept"):
        with refuses(AssertionError, "side"):
            one()


def test_undeclared_secrets_are_asked_for() -> None:
    hidden = dataclasses.replace(PENNIES, facts=dataclasses.replace(PENNIES.facts, perfect_information=False))
    with refuses(AssertionError, "perfect_information=False", 0):
        [one() for one in chosen(hidden, "privacy", "every_secret_is_declared")]


def test_a_seat_that_claims_to_know_too_much_is_found_out() -> None:
    """It claims to know the other's patience."""
    game = econzoo.game("bargaining")
    env = make_env(game, delta=(0.9, 0.8), complete_information=False)
    play(env, random_policy(1), limit=1)
    own, other = views(env)
    assert wrong_fields(game.perspective.infer_view(own, 1)._replace(own_delta=0.9), other) == ["own_delta"]


def test_a_reference_that_follows_from_a_hidden_last_round_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Backward induction from a last round that no seat is told: who proposes in it has everything at (1, 1)."""
    game = econzoo.game("bargaining")
    monkeypatch.setattr(game.solution, "equilibrium_payoffs", game.solution.spe_payoffs)
    with refuses(AssertionError, {"max_rounds": 99}):
        [one() for one in chosen(game, "advice", "the_reference_follows_from_no_secret")]
    open_ended = {"delta": (1.0, 1.0), "horizon": None, "max_rounds": 6}
    with refuses(AssertionError, {"max_rounds": 7}):
        the_reference_does_not_move_with_what_no_seat_knows(game, open_ended)


def test_a_part_that_is_never_called_is_named() -> None:
    """Nature has no move in matching pennies."""
    idle = replace_rules(PENNIES, chance=lambda p, s: ((0.0, 1.0),), quantile=lambda p, s, part: part)
    assert idle_parts(idle) == {"chance", "quantile"}


@pytest.mark.slow
def test_a_compiled_game_that_differs_is_found() -> None:
    """Python's whole numbers have no end; compiled ones have 64 bits."""
    pytest.importorskip("numba")
    game = econzoo.game("matrix")

    def payoffs(p: Any, s: Any) -> tuple[float, float]:
        return float((2**62 + s.round) * 4 % 7), 0.0

    checks = chosen(replace_rules(game, payoffs=payoffs), "compilation", "the_compiled_game_is_the_scalar_game")
    with refuses(AssertionError, "payoffs") as told:
        checks[0]()
    says(told.value.__notes__[0], "envs/core/vector/compiling.py")


class Say(NamedTuple):
    """Say something."""

    message: Annotated[str, Message("words to the others")] = ""


def test_a_kind_of_move_with_words_only_conforms() -> None:
    """All speak at once: what differs between two matches is words alone."""
    talk = words_only()
    for one in checks_of(talk, ["privacy", "faces", "texts", "bad_answers", "audience"]):
        if one.quick:
            with suppress(SkipTest):
                one()


def words_only() -> Game:
    """Matching pennies in which both speak instead of showing a side."""
    talk = dataclasses.replace(
        replace_rules(PENNIES, legal=lambda p, s, seat: (True,)),
        actions=ActionSchema(Kind("say", Say)),
        facts=dataclasses.replace(PENNIES.facts, language=True),
        default_action=lambda view: Say(),
    )

    def event_fields(view: Any, happened: Any, names: tuple[str, ...]) -> dict[str, str]:
        return {"event_round": str(happened.round), "side": happened.action.message}

    text = {**vars(PENNIES.text), "example": lambda view, kind, messages: Say(), "event_fields": event_fields}
    vars(talk)["text"] = SimpleNamespace(**text)
    return talk
