"""Creation of matches, and restoring of stored ones by replaying their turns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from econzoo.baselines import Player, is_person
from econzoo.baselines import player as make_player
from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import Invalid, derive_seed
from econzoo.envs.core.faces import LEFT, StructuredFace, render_reply
from econzoo.evaluate.run import EnvPool, Match, MatchTable, new_match, replay_turn
from econzoo.people.table.person import Person
from econzoo.people.table.store import MatchState
from econzoo.people.table.terms import FORFEIT, REPLACE, Absence, Terms
from econzoo.wrappers import SeatInfo, seat_info


class Substitute(Player):
    """Script that continues for an absent player."""

    wants_seen = True

    def __init__(self, table: MatchTable, absence: Absence) -> None:
        super().__init__(absence.player)
        env, seat = table.env, absence.seat
        self.face = table.faces[seat]  # type: ignore[misc]
        self._table_face = env.face(env.possible_agents[seat])
        self._script = make_player(absence.player, env.game.name)
        self._own_face = StructuredFace(env.game, env.legal(env.possible_agents[seat]))
        # A seed of seat and turn: restoring the match repeats the same moves.
        self.reset(seat, seat_info(env, seat), derive_seed(env.setting, table.seed, "player", seat, absence.turn))

    def reset(self, seat: int, info: SeatInfo, seed: int) -> None:
        """Take the seat."""
        self._info = info
        self._script.reset(seat, info, seed)

    def act(self, observation: Any, info: dict[str, Any]) -> Any:
        """Return the script's move in the seat's format."""
        seen = info["seen"]
        own = {key: value for key, value in info.items() if key != "seen"} | self._own_face.info(seen.legal)
        reply = self._script.act(self._own_face.observe(seen), own)
        move = self._own_face.decode(reply, seen.legal)
        if isinstance(move, Invalid):
            raise ValueError(f"{self.spec}: {move.text}")
        if self._info.teller is not None:
            return render_reply(self._info.teller.words, move, seen.legal)
        return reply if self.face == "structured" else self._table_face.moves.encode(move, seen.legal)  # type: ignore[attr-defined]


def check_substitute(spec: str, game: str, seats: range) -> None:
    """Raise `ValueError` if a player cannot take a seat during a match; only scripts can."""
    player = make_player(spec, game)
    if player.face != "structured":
        raise ValueError(f"player {spec[:80]!r} cannot take a seat during a match: expected a script of {game}")
    for seat in seats:
        if not player.can_take_seat(seat):
            raise ValueError(f"player {spec[:80]!r} cannot take seat {seat}: expected a player for every seat")


def build_match(
    game: str, players: Sequence[str], seed: int, params: Mapping[str, Any], terms: Terms
) -> tuple[Match, Terms]:
    """Build a match with checked terms; return it with the terms filled in for its game."""
    terms = terms.for_game(find_game(game))
    terms.check()
    if terms.policy == REPLACE:
        check_substitute(terms.substitute, game, range(len(players)))
    return new_match(game, players, seed, **params, **terms.match_options(find_game(game))), terms


def restore_match(stored: MatchState, cast: Callable[[str], Player]) -> tuple[MatchTable, dict[int, Person]]:
    """Rebuild a stored match: its table, with the players' state, and its people by seat.

    Args:
        cast: Makes the player of a spec, for one seat of one match.

    Raises:
        ValueError: The replay differs from the stored turns.
    """
    players = [Person(spec) if is_person(spec) else cast(spec) for spec in stored.match.players]
    people = {seat: one for seat, one in enumerate(players) if isinstance(one, Person)}
    table = MatchTable(stored.match, players, EnvPool(), on_error="failed")
    table.is_recalling = True
    for number, turn in enumerate(stored.turns):
        _replace_absent(table, people, stored, number)
        for problem in replay_turn(table, number + 1, turn):
            raise ValueError(f"the match cannot be resumed: {problem}")
    _replace_absent(table, people, stored, len(stored.turns))
    table.is_recalling = False
    if stored.record is not None and not table.is_over:
        table.record.status = stored.record.status  # a player had failed
    return table, people


def _replace_absent(table: MatchTable, people: Mapping[int, Person], stored: MatchState, turn: int) -> None:
    """Apply the permanent absences at a turn: substitutes take their seats."""
    for absence in [one for one in stored.absences if one.turn == turn and one.is_permanent]:
        person = people.get(absence.seat)
        if person is not None:
            person.is_leaving = not absence.player and stored.terms.policy == FORFEIT and absence.reason == LEFT
            person.has_left = not person.is_leaving
        if absence.player and not table.is_over:
            table.players[absence.seat] = Substitute(table, absence)  # type: ignore[index]
            table.look()


def people_seats(players: Sequence[str]) -> list[int]:
    return [seat for seat, spec in enumerate(players) if is_person(spec)]
