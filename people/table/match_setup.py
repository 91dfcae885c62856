"""A match as it begins, and as it was when it was kept: set up again, and gone through turn by turn."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from econzoo.baselines.factory import is_person
from econzoo.baselines.player import Player
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.run.resuming import go_through
from econzoo.evaluate.run.table import EnvPool, Match, Table, new_match
from econzoo.people.table.person import Person
from econzoo.people.table.store import Kept
from econzoo.people.table.substitute import Substitute, check_substitute
from econzoo.people.table.terms import FORFEIT, REPLACE, Terms


def agreed_match(
    game: str, players: Sequence[str], seed: int, params: Mapping[str, Any], terms: Terms
) -> tuple[Match, Terms]:
    """A match with checked terms, and the terms as they are in its game.

    Raises:
        ValueError: A player, a parameter, the number of players or a term is not allowed.
    """
    agreed = terms.of(find_game(game))
    agreed.check()
    if agreed.policy == REPLACE:
        check_substitute(agreed.by, game, range(len(players)))
    return new_match(game, players, seed, **params, **agreed.options(find_game(game))), agreed


def set_up(kept: Kept, cast: Callable[[str], Player]) -> tuple[Table, dict[int, Person]]:
    """The table of a match with players who know what they knew then, and the people at it by seat.

    Args:
        kept: What is kept of the match.
        cast: Makes the player of a spec, for one seat of one match.

    Raises:
        ValueError: It does not come out as it is kept.
    """
    players = [Person(spec) if is_person(spec) else cast(spec) for spec in kept.match.players]
    people = {seat: one for seat, one in enumerate(players) if isinstance(one, Person)}
    table = Table(kept.match, players, EnvPool(), on_error="failed")
    table.recalling = True
    for number, turn in enumerate(kept.turns):
        _seat_anew(table, people, kept, number)
        for problem in go_through(table, number + 1, turn):
            raise ValueError(f"the match cannot go on as it was: {problem}")
    _seat_anew(table, people, kept, len(kept.turns))
    table.recalling = False
    if kept.record is not None and not table.over:
        table.record.status = kept.record.status  # a player had failed
    return table, people


def _seat_anew(table: Table, people: Mapping[int, Person], kept: Kept, turn: int) -> None:
    """Has others take the seats of who did not answer after so many turns."""
    for absence in [one for one in kept.absences if one.turn == turn and one.for_good]:
        person = people.get(absence.seat)
        if person is not None:
            person.leaving = not absence.by and kept.terms.policy == FORFEIT
            person.gone = not person.leaving
        if absence.by and not table.over:
            table.players[absence.seat] = Substitute(table, absence)  # type: ignore[index]
            table.look()


def people_of(players: Sequence[str]) -> list[int]:
    """The seats that people take."""
    return [seat for seat, spec in enumerate(players) if is_person(spec)]
