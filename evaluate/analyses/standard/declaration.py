"""The benchmark ``standard``: games, settings, opponents and seeds, declared in one data file."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from typing import Any, NamedTuple

from econzoo.baselines import describe_unknown, expand_preset, is_known_spec, seats_of
from econzoo.envs.core import PACKAGE
from econzoo.envs.core import game as find_game
from econzoo.envs.core.record import labels
from econzoo.evaluate.run import SUITES, Design, Setting, new_design, parse_entry

PLAYER = "PLAYER"
"""Placeholder for the scored player in line-ups."""

MIN_REFERENCE_GAP = 0.03
"""Minimum gap between reference and random player per setting, the unit of scores."""

MIN_SCORE = -1.0
"""Minimum score of a setting: as far below the random player as the reference is above it."""


class StandardGame(NamedTuple):
    """One game of the benchmark.

    Attributes:
        random: Mean gain of the random player per setting (score 0).
        reference: Mean gain of the reference scripts per setting (score 1).
        answers: Approximate answers of a language model per match.
        tokens: Approximate tokens per answer, prompt and completion.
        versions: Versions of ``rules``, ``texts``, the ``numeric`` face, ``replies`` and random ``streams``.
    """

    name: str
    settings: tuple[Setting, ...]
    lineups: tuple[tuple[str, ...], ...]
    random: tuple[float, ...]
    reference: tuple[float, ...]
    answers: float
    tokens: float
    versions: dict[str, int]

    @property
    def gain_range(self) -> tuple[float, float]:
        """Least and greatest gain of a match that count, see `econzoo.envs.core.contract.game.GameFacts`."""
        return find_game(self.name).facts.gain_range

    def counted_gain(self, gain: float, defaulted: bool) -> float:
        """Return the gain of a match that counts for the score.

        Args:
            defaulted: Whether the scored seat is among `Record.defaulting_seats`: the match counts as the least gain
                whatever it paid, so that no player, however badly it stands, is better off without an answer.
        """
        low, high = self.gain_range
        return low if defaulted else min(max(gain, low), high)

    def score(self, gain: float, setting: str) -> float:
        """Return (gain - random) / (reference - random) in a setting, at least `MIN_SCORE`.

        Gains above the reference score more than 1.
        """
        place = [one.name for one in self.settings].index(setting)
        scale = self.reference[place] - self.random[place]
        return max((gain - self.random[place]) / scale, MIN_SCORE)


class Standard(NamedTuple):
    """The benchmark.

    Attributes:
        hash: 12 hexadecimal digits of the hash of its file.
        players: Named players with game-specific specs: name to game to specs.
    """

    version: int
    hash: str
    seeds: int
    games: dict[str, StandardGame]
    players: dict[str, dict[str, tuple[str, ...]]]

    @property
    def name(self) -> str:
        """Name with version: ``standard-1``."""
        return f"standard-{self.version}"

    def version_changes(self) -> list[str]:
        """Describe games whose versions differ from those of the benchmark."""
        found = [(one, find_game(one.name).versions._asdict()) for one in self.games.values()]
        return [
            f"{one.name}: installed {installed}, {self.name} expects {one.versions}"
            for one, installed in found
            if installed != one.versions
        ]

    def citation(self, seeds: int) -> str:
        part = "" if seeds == self.seeds else f", {seeds} of {self.seeds} seeds"
        return f"EconZoo {self.name}{part} (hash {self.hash}, econzoo {version(PACKAGE)})"


@cache
def standard() -> Standard:
    data = (files(SUITES) / "standard.toml").read_bytes()
    given = tomllib.loads(data.decode())
    games = {name: _game(name, one, given["versions"]) for name, one in given["games"].items()}
    players = {name: {game: tuple(specs) for game, specs in one.items()} for name, one in given["players"].items()}
    # A checkout with other line ends has the same hash.
    digest = hashlib.sha256(data.replace(b"\r\n", b"\n")).hexdigest()[:12]
    return Standard(given["version"], digest, given["seeds"], games, players)


def _game(name: str, given: dict[str, Any], versions: Mapping[str, int]) -> StandardGame:
    settings = tuple(Setting(*item) for item in given.pop("settings").items())
    lineups = tuple(tuple(lineup) for lineup in given.pop("lineups"))
    own = {**given.pop("versions"), **versions}
    zero, one = tuple(given.pop("random")), tuple(given.pop("reference"))
    for setting, low, high in zip(settings, zero, one, strict=True):
        if high - low < MIN_REFERENCE_GAP:
            gap = f"{name}, {setting.name}: invalid gap={high - low:.3f} of reference to random player"
            raise ValueError(f"{gap}: expected at least {MIN_REFERENCE_GAP}")
    return StandardGame(name, settings, lineups, zero, one, versions=own, **given)


# Scored players


class Entrant(NamedTuple):
    """A scored player.

    Attributes:
        text: The player as given by the user.
        specs: Game to specs, of which the first that can take the seat plays.
    """

    text: str
    specs: dict[str, tuple[str, ...]]

    def seats(self, game: StandardGame) -> dict[tuple[str, ...], set[int]]:
        """Return its line-ups in a game with the scored seats."""
        found: dict[tuple[str, ...], set[int]] = {}
        for lineup in game.lineups:
            seat = lineup.index(PLAYER)
            own = next((spec for spec in self.specs.get(game.name, ()) if _can_take(spec, game.name, seat)), None)
            if own is not None:
                specs = tuple(expand_preset(own if one == PLAYER else one) for one in lineup)
                # A player that is among its own opponents turns several line-ups into the same one, with several scored
                # seats.
                found.setdefault(specs, set()).add(seat)
        return found

    @property
    def plays_all(self) -> bool:
        """Whether it plays all games in all seats."""
        games = standard().games.values()
        return all(sum(map(len, self.seats(game).values())) == len(game.lineups) for game in games)


def _can_take(spec: str, game: str, seat: int) -> bool:
    seats = seats_of(spec, game)
    return seats is None or seat in seats


def entrant(text: str) -> Entrant:
    """Parse a scored player.

    Args:
        text: A spec, for all games that accept it; ``GAME=SPEC`` entries separated by semicolons, for these games; or a
            named player of the benchmark.
    """
    known = standard()
    if text in known.players:
        return Entrant(text, known.players[text])
    parts = [parse_entry(part.strip()) for part in text.split(";")]
    if all(game for game, _ in parts):
        specs: dict[str, tuple[str, ...]] = {}
        for game, spec in parts:
            _check_known(spec, [game] if game in known.games else [])
            specs[str(game)] = (*specs.get(str(game), ()), spec)
        return Entrant(text, specs)
    return Entrant(text, dict.fromkeys(_check_known(text, known.games), (text,)))


def _check_known(spec: str, games: Collection[str | None]) -> list[str]:
    found = [game for game in games if game is not None and is_known_spec(spec, game)]
    if not found:
        only = next(iter(games), None) if len([*games]) == 1 else None
        more = () if only else (*standard().players, "GAME=SPEC")
        raise ValueError(f"{standard().name}: {describe_unknown(spec, only, *more)}")
    return found


def short_names(entrants: Sequence[Entrant]) -> dict[str, str]:
    """Return display names of entrants by text."""
    plain = labels([one.text for one in entrants if {(one.text,)} == set(one.specs.values())])
    return {one.text: plain.get(one.text, one.text) for one in entrants}


# Matches


def designs(entrants: Sequence[Entrant], seeds: int | None = None) -> dict[str, Design]:
    """Return the design of every game that an entrant plays.

    Args:
        seeds: Number of seeds, at most those of the benchmark; None: all.
    """
    known = standard()
    count = known.seeds if seeds is None else seeds
    if not 1 <= count <= known.seeds:
        raise ValueError(f"invalid seeds={count}: expected an integer from 1 to {known.seeds} for {known.name}")
    built = {name: _design(game, entrants, count) for name, game in known.games.items()}
    return {name: design for name, design in built.items() if design is not None}


def _design(game: StandardGame, entrants: Sequence[Entrant], seeds: int) -> Design | None:
    lineups = list(dict.fromkeys(lineup for one in entrants for lineup in one.seats(game)))
    if not lineups:
        return None
    tested = {
        spec for one in entrants for lineup, seats in one.seats(game).items() for spec in _specs_at(lineup, seats)
    }
    players = [spec for spec in dict.fromkeys(spec for lineup in lineups for spec in lineup) if spec in tested]
    others = [spec for spec in dict.fromkeys(spec for lineup in lineups for spec in lineup) if spec not in tested]
    return new_design(game.name, players, game.settings, seeds, others or players, lineups=lineups)


def _specs_at(lineup: Sequence[str], seats: Iterable[int]) -> list[str]:
    return [lineup[seat] for seat in seats]
