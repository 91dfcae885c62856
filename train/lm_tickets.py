"""Which matches a language model is trained on: tickets that travel through TRL as text or columns."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from econzoo.baselines.factory import player as make_player
from econzoo.baselines.factory import refuse_people
from econzoo.baselines.pools import pool
from econzoo.envs.core.contract.streams import stream
from econzoo.envs.core.contract.validation import from_json, short
from econzoo.envs.core.env.options import parted
from econzoo.envs.core.record.record import Record
from econzoo.envs.core.record.spec import identity
from econzoo.envs.core.record.values import plain
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.run.table import Match, new_match

LEARNER = "learner"
"""Spec of the seat that learns."""

SELF = "self"
"""Opponent spec: the policy in training, as it is at that moment."""

DRAWS = 100
"""Draws of a market until one is allowed."""

Refused = Callable[[Mapping[str, Any]], object]
"""Something true for parameters that are not allowed."""


@dataclass(frozen=True)
class Ticket:
    """One match to learn from; all samples of a group play the same one.

    Attributes:
        game: Name.
        params: Parameters of the game and options of the environment.
        seat: Of the learner.
        opponents: Specs of the other seats, in order.
        seed: Of nature and of the other players.
    """

    game: str
    params: dict[str, Any]
    seat: int
    opponents: tuple[str, ...]
    seed: int

    def match(self, learner: str = LEARNER) -> Match:
        """The match with the learner under this spec.

        Raises:
            ValueError: A parameter is not allowed, ``max_cycles`` among them, or the number of players is wrong.
        """
        if self.params.get("max_cycles") is not None:
            given = f"max_cycles={short(self.params['max_cycles'])} is not allowed in training"
            raise ValueError(f"{given}, as a match that is cut pays nothing; allowed: None, and a shorter game")
        players = list(self.opponents)
        players.insert(self.seat, learner)
        return new_match(self.game, players, self.seed, **self.params)

    @classmethod
    def of(cls, record: Record, seat: int) -> Ticket:
        """A recorded match, for somebody else to play in a seat of it."""
        others = tuple(spec for place, spec in enumerate(record.players) if place != seat)
        return cls(record.game, dict(record.params), seat, others, record.seed)

    @property
    def cell(self) -> tuple[str, int, tuple[str, ...]]:
        """Setting, seat and opponents: what two matches share that differ in the seed alone."""
        whole = find_game(self.game).params(**parted(self.params)[1])[0]
        return json.dumps(plain(whole), sort_keys=True), self.seat, tuple(map(identity, self.opponents))

    def to_json(self) -> str:
        """As one line; equal tickets give equal lines."""
        return json.dumps(asdict(self), sort_keys=True, separators=(",", ":"))

    @classmethod
    def from_json(cls, line: str) -> Ticket:
        """The ticket of a line.

        Raises:
            ValueError: The line is none.
        """
        given = from_json(line)
        try:
            return cls(**{**given, "opponents": tuple(given["opponents"])})
        except (KeyError, TypeError):
            raise ValueError(f"{short(given)} is no ticket; allowed: {', '.join(cls.__annotations__)}") from None


def market(game_name: str, name: str, seed: int, refused: Refused) -> dict[str, Any]:
    """A market drawn from a named distribution (or the named market itself), the same for the same seed.

    Args:
        game_name: The game.
        name: Of the distribution.
        seed: Of the draw.
        refused: Says of which markets another is drawn; after `DRAWS` of them in a row the last one is given.

    Raises:
        ValueError: Unknown name; the message lists the known ones.
    """
    game, rng = find_game(game_name), stream(f"{game_name} {name}", seed, "market")
    try:
        for _ in range(DRAWS):
            drawn = plain(game.sample(name, rng))
            if not refused(drawn):
                break
        return drawn
    except ModuleNotFoundError as error:
        if error.name != f"{game.package}.scenarios" or name != "default":
            raise
        return {}


def tickets(
    game_name: str,
    seeds: Sequence[int],
    seats: Sequence[int] | None = (0,),
    opponents: Sequence[str] | None = None,
    markets: Sequence[str] = ("default",),
    refused: Refused = lambda params: None,
    **params: Any,
) -> list[Ticket]:
    """One ticket for each seed; seats, opponents and markets take turns, so that each has its share.

    Args:
        game_name: The game.
        seeds: One match each.
        seats: Where the learner sits; None: in every seat that it can have in the market.
        opponents: Specs, also `SELF`; those that can take a seat take turns in it. None: the training pool.
        markets: Names of the game's markets or distributions of markets.
        refused: Of which parameters another market is drawn, `DRAWS` times at most.
        **params: Parameters of the game and options of the environment that hold in every market.

    Raises:
        ValueError: Something is not allowed; the message names it.
    """
    opponents = pool(game_name, "training") if opponents is None else opponents
    wanted = range(find_game(game_name).facts.seats) if seats is None else seats
    for name, given in (("seeds", seeds), ("seats", wanted), ("opponents", opponents), ("markets", markets)):
        if not given:
            raise ValueError(f"{name} is empty; wanted: one or more")
    check_opponents(opponents, game_name)
    able = _Able(game_name, opponents)
    out = []
    for number, seed in enumerate(seeds):
        if seed < 0:
            raise ValueError(f"seed={seed!r} is not allowed; allowed: 0 or more")
        turn, place = divmod(number, len(wanted))
        name = markets[turn // len(opponents) % len(markets)]
        chosen = {**market(game_name, name, seed, lambda drawn: refused({**drawn, **params})), **params}
        count = _seats(game_name, chosen)
        free = _kept_seats(game_name, chosen, count) if seats is None else wanted
        own = free[place % len(free)]
        _check_seat(own, count)
        _refuse_newcomers(game_name, chosen, own)
        others = [seat for seat in range(count) if seat != own]
        sitting = tuple(able.turn(seat, turn + later) for later, seat in enumerate(others))
        out.append(Ticket(game_name, plain(chosen), own, sitting, seed))
        out[-1].match()
    return out


class _Able:
    """The opponents that can take each seat."""

    def __init__(self, game_name: str, specs: Sequence[str]) -> None:
        self._specs = specs
        self._players = {spec: make_player(spec, game_name) for spec in specs if spec != SELF}

    def turn(self, seat: int, number: int) -> str:
        """Whose turn it is to take the seat."""
        able = [spec for spec in self._specs if spec == SELF or self._players[spec].fits(seat)]
        if not able:
            raise ValueError(f"opponents={list(self._specs)} is not allowed; allowed: some that can take seat {seat}")
        return able[number % len(able)]


def _refuse_newcomers(game_name: str, params: Mapping[str, Any], seat: int) -> None:
    """A seat that somebody new takes in every round is no one conversation to learn from."""
    if not _stays(game_name, params, seat):
        raise ValueError(
            f"{game_name}: seat={seat} is not allowed here, because somebody new takes it in every round; "
            f"allowed: another seat, or a market where its player stays"
        )


def _stays(game_name: str, params: Mapping[str, Any], seat: int) -> bool:
    """Whether one player has the seat in all rounds."""
    game = find_game(game_name)
    joined = game.rules.joined
    if joined is None:
        return True
    inner = _inner(game_name, params)
    return joined(inner, game.rules.initial(inner)._replace(round=2), seat) <= 1


def _kept_seats(game_name: str, params: Mapping[str, Any], count: int) -> list[int]:
    return [seat for seat in range(count) if _stays(game_name, params, seat)]


def _inner(game_name: str, params: Mapping[str, Any]) -> Any:
    return find_game(game_name).params(**parted(params)[1])[1]


def _seats(game_name: str, params: Mapping[str, Any]) -> int:
    return find_game(game_name).seats(_inner(game_name, params))


def _check_seat(seat: int, seats: int) -> None:
    if isinstance(seat, bool) or not isinstance(seat, int) or not 0 <= seat < seats:
        raise ValueError(f"seat={seat!r} is not allowed; allowed: 0 to {seats - 1}")


def check_opponents(specs: Sequence[str], game_name: str) -> None:
    """Refuses unknown specs before any work is done.

    Raises:
        ValueError: The spec cannot be read, or is a person.
    """
    refuse_people(specs, "training")
    for spec in specs:
        if spec != SELF:
            make_player(spec, game_name)
