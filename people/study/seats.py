"""Who sits where in a study's file: whatever cannot sit there, or play the game, is refused."""

from __future__ import annotations

from collections.abc import Sequence

from econzoo.baselines.factory import in_game, is_person, knows, player
from econzoo.envs.core.contract.validation import short
from econzoo.envs.core.record.spec import named
from econzoo.evaluate.run.table import new_match
from econzoo.people.study.declaration import HUMAN, PERSON, Arm, Study
from econzoo.people.study.settings import Setting
from econzoo.people.study.stages import GAME, PRACTICE
from econzoo.people.study.toml_reading import Part, several


def seats_of(part: Part, arms: Sequence[Arm]) -> dict[str, tuple[str, ...]]:
    """Who sits where in a stage, by the name of the arm."""
    found = {arm.name: part.value(arm.name, several(1), None) for arm in arms}
    part.done()
    given = {name: seats for name, seats in found.items() if seats}
    for name, seats in given.items():
        check_person(part, name, seats)
    return given


def check_person(part: Part, key: str, seats: Sequence[str]) -> None:
    """Refuses seats without a participant."""
    if PERSON not in seats:
        part.refuse(key, f'"{PERSON}" in one seat at least')


def check_player(part: Part, key: str, spec: str, game: str, or_else: str) -> None:
    """Refuses a spec that names no player of the game, and people."""
    said = f"player {short(spec)}"
    if is_person(spec) or not knows(spec, game):
        part.wrong(key, f"{part.named(key)}: {said} is not allowed; allowed: {or_else}; players {in_game(game)}")
    if ":" not in named(spec).spec:  # others may be models, which are not loaded before they are needed
        try:
            player(spec, game)
        except ValueError as error:
            part.wrong(key, f"{part.named(key)}: {error}")


def check_seats(file: Part, study: Study) -> None:
    """Refuses arms that do not fill the seats of a setting, or put somebody where he cannot sit."""
    for place, arm in enumerate(study.arms):
        for number, setting in enumerate(study.settings):
            part, key = file.tables("arms")[place], "seats"
            if arm.name in setting.seats:
                stage = next(at for at, one in enumerate(study.stages) if number in one.among)
                part, key = file.tables("stages")[stage].table("seats"), arm.name
            if setting.role is not None and setting.seats.get(arm.name, arm.seats).count(PERSON) != 1:
                part.refuse(key, f'one "{PERSON}", as the settings say in which seat a participant sits')
            _check_sitting(part, key, study.seats(arm, number), setting)
        if arm.blinded and not study.others(arm):
            file.tables("arms")[place].refuse("blinded", "true only in an arm with programs")


def _check_sitting(part: Part, key: str, seats: Sequence[str], setting: Setting) -> None:
    """Refuses seats that are not those of a setting."""
    for who in dict.fromkeys(seats):
        if who != PERSON:
            check_player(part, key, who, setting.game, f'"{PERSON}"')
    try:
        new_match(setting.game, [HUMAN if who == PERSON else who for who in seats], 0, **setting.params)
    except ValueError as error:
        part.wrong(key, f"{part.named(key)}: {error}")
    for seat, who in enumerate(seats):
        if who != PERSON and ":" not in named(who).spec and not player(who, setting.game).fits(seat):
            part.wrong(key, f"{part.named(key)}: player {short(who)} cannot take seat {seat} of {setting.game}")


def check_practice(file: Part, study: Study) -> None:
    """Refuses a match of practice that cannot be played: only scripts take its other seats."""
    for place, stage in enumerate(study.stages):
        if stage.kind != PRACTICE:
            continue
        part = file.tables("stages")[place]
        if stage.game not in study.games:
            part.wrong("game", f"no stage of kind = {GAME!r} plays {stage.game}; allowed: {', '.join(study.games)}")
        check_player(part, "against", stage.against, stage.game, "scripts")
        if ":" in stage.against:
            part.refuse("against", f"scripts of {stage.game}")
        try:
            players, params = study.practice(stage)
            new_match(stage.game, players, 0, **params)
            for seat, who in enumerate(players):
                if who != HUMAN and not player(who, stage.game).fits(seat):
                    raise ValueError(f"player {short(who)} cannot take seat {seat}")
        except ValueError as error:
            part.wrong("against", f"{part.named('against')}: {error}")
