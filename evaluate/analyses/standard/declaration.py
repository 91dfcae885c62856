"""What the benchmark ``standard`` is: its games, settings, opponents and seeds, all of one file of data."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from typing import Any, NamedTuple

from econzoo.baselines.factory import describe_unknown, is_known_spec, seats_of
from econzoo.baselines.presets import expand_preset
from econzoo.envs.core.extras import PACKAGE
from econzoo.envs.core.record.spec import labels
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.run.design import Design, new_design
from econzoo.evaluate.run.entries import parse_entry
from econzoo.evaluate.run.settings import SUITES, Setting

PLAYER = "PLAYER"
"""Stands in line-ups for the player that is scored."""

MIN_REFERENCE_GAP = 0.03
"""How far the reference is above the random player in every setting, at least: scores are parts of that."""

MIN_SCORE = -1.0
"""Of a setting: as far below the random player as the reference is above it."""


class StandardGame(NamedTuple):
    """One game of the benchmark.

    Attributes:
        name: Of the game.
        settings: Its markets.
        lineups: A spec for each seat, one of them `PLAYER`.
        random: Mean gain of the random player in each setting, in order: 0 of the score there.
        reference: Mean gain of the reference scripts in each setting: 1 of the score there.
        answers: Of a language model in a match, about.
        tokens: That it reads and writes for an answer, about.
        versions: Of ``rules``, ``texts`` and the ``numeric`` face, and of ``replies`` and random ``streams``.
    """

    name: str
    settings: tuple[Setting, ...]
    lineups: tuple[tuple[str, ...], ...]
    random: tuple[float, ...]
    reference: tuple[float, ...]
    answers: float
    tokens: float
    versions: dict[str, int]

    def score(self, gain: float, setting: str) -> float:
        """How far a mean gain is above the random player's in a setting, in parts of what the reference is above it.

        At least `MIN_SCORE`; what is above the reference is more than 1.
        """
        place = [market.name for market in self.settings].index(setting)
        above = self.reference[place] - self.random[place]
        return max((gain - self.random[place]) / above, MIN_SCORE)


class Standard(NamedTuple):
    """The benchmark.

    Attributes:
        version: Raised whenever anything of it changes.
        hash: 12 hexadecimal digits of the file that says what it is.
        seeds: Of every line-up in every setting.
        games: By name.
        players: Named players that are other specs in each game: name to game to specs.
    """

    version: int
    hash: str
    seeds: int
    games: dict[str, StandardGame]
    players: dict[str, dict[str, tuple[str, ...]]]

    @property
    def name(self) -> str:
        """``standard-1``."""
        return f"standard-{self.version}"

    def version_changes(self) -> list[str]:
        """Games whose rules, texts or random draws are not those that the benchmark was made with, in words."""
        found = [(one, find_game(one.name).versions._asdict()) for one in self.games.values()]
        return [f"{one.name} has {now}, {self.name} {one.versions}" for one, now in found if now != one.versions]

    def citation(self, seeds: int) -> str:
        """The line that a score is cited with."""
        part = "" if seeds == self.seeds else f", {seeds} of {self.seeds} seeds"
        return f"EconZoo {self.name}{part} (hash {self.hash}, econzoo {version(PACKAGE)})"


@cache
def standard() -> Standard:
    """The benchmark as its file declares it."""
    data = (files(SUITES) / "standard.toml").read_bytes()
    given = tomllib.loads(data.decode())
    games = {name: _game(name, one, given["versions"]) for name, one in given["games"].items()}
    players = {name: {game: tuple(specs) for game, specs in one.items()} for name, one in given["players"].items()}
    digest = hashlib.sha256(data.replace(b"\r\n", b"\n")).hexdigest()[:12]
    return Standard(given["version"], digest, given["seeds"], games, players)


def _game(name: str, given: dict[str, Any], versions: Mapping[str, int]) -> StandardGame:
    settings = tuple(Setting(*item) for item in given.pop("settings").items())
    lineups = tuple(tuple(lineup) for lineup in given.pop("lineups"))
    own = {**given.pop("versions"), **versions}
    zero, one = tuple(given.pop("random")), tuple(given.pop("reference"))
    for market, low, high in zip(settings, zero, one, strict=True):
        if high - low < MIN_REFERENCE_GAP:
            told = f"{name}, {market.name}: the reference is {high - low:.3f} above the random player"
            raise ValueError(f"{told}; allowed: at least {MIN_REFERENCE_GAP}")
    return StandardGame(name, settings, lineups, zero, one, versions=own, **given)


# Who is scored


class Entrant(NamedTuple):
    """A player of the benchmark.

    Attributes:
        text: As it was given.
        specs: Game to its specs there, of which the first plays that can take the seat; games that it does not play
            are left out.
    """

    text: str
    specs: dict[str, tuple[str, ...]]

    def seats(self, game: StandardGame) -> dict[tuple[str, ...], set[int]]:
        """Who sits where in its matches of a game, and in which seats it is scored."""
        found: dict[tuple[str, ...], set[int]] = {}
        for lineup in game.lineups:
            seat = lineup.index(PLAYER)
            own = next((spec for spec in self.specs.get(game.name, ()) if _can_take(spec, game.name, seat)), None)
            if own is not None:
                taken = tuple(expand_preset(own if one == PLAYER else one) for one in lineup)
                found.setdefault(taken, set()).add(seat)
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
    """The player that a text names.

    Args:
        text: A spec, which plays in every game that knows it; ``GAME=SPEC``, several with semicolons between them,
            which plays in these games only; or the name of a player of the benchmark's file.

    Raises:
        ValueError: No game of the benchmark knows it.
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


def _check_known(spec: str, games: Iterable[str | None]) -> list[str]:
    found = [game for game in games if game is not None and is_known_spec(spec, game)]
    if not found:
        raise ValueError(f"{standard().name}: {describe_unknown(spec, None, *standard().players, 'GAME=SPEC')}")
    return found


def short_names(entrants: Sequence[Entrant]) -> dict[str, str]:
    """What tables call the entrants, by their texts."""
    plain = labels([one.text for one in entrants if {(one.text,)} == set(one.specs.values())])
    return {one.text: plain.get(one.text, one.text) for one in entrants}


# What is played


def designs(entrants: Sequence[Entrant], seeds: int | None = None) -> dict[str, Design]:
    """The matches of the entrants in each game that one of them plays.

    Args:
        entrants: Who is scored.
        seeds: Fewer than the benchmark has; None: all.

    Raises:
        ValueError: There are more seeds than the benchmark has, or a spec is not allowed.
    """
    known = standard()
    count = known.seeds if seeds is None else seeds
    if not 1 <= count <= known.seeds:
        raise ValueError(f"seeds={count} is not allowed; allowed: 1 to {known.seeds}, the seeds of {known.name}")
    made = {name: _design(game, entrants, count) for name, game in known.games.items()}
    return {name: design for name, design in made.items() if design is not None}


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
