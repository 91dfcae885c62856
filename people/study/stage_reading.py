"""Stages of a study file, with their settings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from econzoo.envs.core.contract.parameters import Integer, OneOf, Real
from econzoo.envs.core.registry import games
from econzoo.people.study.declaration import MAX_COUNT, PERSON, Arm
from econzoo.people.study.items import read_items
from econzoo.people.study.settings import read_settings
from econzoo.people.study.stages import GAME, KINDS, PRACTICE, SURVEY, Setting, Stage
from econzoo.people.study.toml_reading import MAX_MONEY, TomlTable, line_domain, text_domain, text_list_domain


def read_stages(
    file: TomlTable, game: str, repetitions: int, arms: Sequence[Arm]
) -> tuple[tuple[Stage, ...], tuple[Setting, ...]]:
    """Read the stages of a study file and all settings; default: a single stage of matches.

    Args:
        file: Study file.
        game: Default game of a stage.
        repetitions: Default number of matches of a stage.
        arms: Arms of the study.
    """
    parts, settings = file.tables("stages"), read_settings(file, game)
    read = [_read_stage(part, game, repetitions, settings, arms) for part in parts]
    read = read or [Stage(GAME, game=game, repetitions=repetitions)]
    if GAME not in [one.kind for one in read]:
        parts[0].raise_error("", f"[[stages]] lack kind = {GAME!r}: expected at least one")
    if all(one.settings for one in read if one.kind == GAME):
        settings = ()
    usual, found = range(len(settings)), list[Stage]()
    for one in read:
        own = range(len(settings), len(settings) + len(one.settings)) if one.settings else usual
        found.append(replace(one, setting_indices=own) if one.kind == GAME else one)
        if one.kind == GAME:
            settings = (*settings, *one.settings)
    return tuple(found), settings


def _read_stage(
    part: TomlTable, usual: str, repetitions: int, settings: Sequence[Setting], arms: Sequence[Arm]
) -> Stage:
    kind = part.value("kind", OneOf(*KINDS), SURVEY)
    if kind == SURVEY:
        title, text = part.value("title", line_domain(), ""), part.value("text", text_domain(), "")
        stage = Stage(kind, title, text, read_items(part.tables("items")))
        if not (text or stage.items):
            part.raise_error("", f"{part.key_path('items')} is missing: expected questions, or a text")
        part.check_unread_keys()
        return stage
    game = part.value("game", OneOf(*games()), usual)
    stage = Stage(kind, game=game)
    if kind == PRACTICE:
        own = read_settings(part, game)
        if len(own) > 1:
            part.refuse("settings", "one value for each parameter")
        stage = replace(stage, opponent=part.value("against", line_domain()), settings=own)
    else:
        count = part.value("repetitions", Integer(1, MAX_COUNT), repetitions)
        own = _read_own_settings(part, game, settings, arms)
        stage = replace(stage, settings=own, repetitions=count)
    part.check_unread_keys()
    return stage


def _read_own_settings(
    part: TomlTable, game: str, usual: Sequence[Setting], arms: Sequence[Arm]
) -> tuple[Setting, ...]:
    """Read the settings of a stage of matches; empty: the default settings."""
    rate = part.value("rate", Real(0, MAX_MONEY), None)
    seats = _read_seats(part.table("seats"), arms)
    alike = usual[0].game == game and "settings" not in part
    if alike and rate is None and not seats:
        return ()
    found = usual if alike else read_settings(part, game)
    return tuple(one._replace(rate=rate, seats=seats) for one in found)


def _read_seats(part: TomlTable, arms: Sequence[Arm]) -> dict[str, tuple[str, ...]]:
    """Read arm to seats of a stage."""
    found = {arm.name: part.value(arm.name, text_list_domain(1), None) for arm in arms}
    part.check_unread_keys()
    given = {name: seats for name, seats in found.items() if seats}
    for name, seats in given.items():
        check_person(part, name, seats)
    return given


def check_person(part: TomlTable, key: str, seats: Sequence[str]) -> None:
    """Raise for seats without a participant."""
    if PERSON not in seats:
        part.refuse(key, f'"{PERSON}" in at least one seat')
