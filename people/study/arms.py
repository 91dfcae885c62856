"""Who sits where: the arms of a study's file."""

from __future__ import annotations

from econzoo.baselines.factory import in_game, is_person, knows, player
from econzoo.envs.core.contract.validation import short
from econzoo.envs.core.record.spec import named
from econzoo.evaluate.run.table import new_match
from econzoo.people.study.declaration import HUMAN, PERSON, Arm, Study
from econzoo.people.study.toml_reading import Part


def arms_of(file: Part, game: str) -> tuple[Arm, ...]:
    """The arms; each has a name of its own, a participant in one seat at least, and players whom the game knows."""
    arms: list[Arm] = []
    for part in file.tables("arms", least=1):
        arm = Arm(part.line("name"), part.several("seats", 1), part.flag("blinded", False))
        part.done()
        if arm.name in [one.name for one in arms]:
            part.refuse("name", "a name that no other arm has")
        if not arm.people:
            part.refuse("seats", f'"{PERSON}" in one seat at least')
        for who in arm.others:
            check_player(part, "seats", who, game, f'"{PERSON}"')
        if arm.blinded and not arm.others:
            part.refuse("blinded", "true only in an arm with programs")
        arms.append(arm)
    return tuple(arms)


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
        part = file.tables("arms")[place]
        for setting, params in enumerate(study.settings):
            if study.roles[setting] is not None and len(arm.people) != 1:
                part.refuse("seats", f'one "{PERSON}", as the settings say in which seat a participant sits')
            try:
                seats = study.seats(arm, setting)
                new_match(study.game, [HUMAN if who == PERSON else who for who in seats], 0, **params)
            except ValueError as error:
                part.wrong("seats", f"{part.named('seats')}: {error}")
            for seat, who in enumerate(seats):
                if who != PERSON and ":" not in named(who).spec and not player(who, study.game).fits(seat):
                    part.wrong("seats", f"{part.named('seats')}: player {short(who)} cannot take seat {seat}")
