"""What can be earned against a pool, on average over markets and seats, and how that is known.

The most that can be earned against known opponents is exact where a game's solution finds it. A game has it whose
solution has ``pool_response(params, seat, opponents, drawing)`` (see `econzoo.envs.families.offers.pool_response`) and
whose scripted players have ``as_opponent(spec)``; or whose solution has ``script_response(params, seat, script)`` (see
`econzoo.envs.games.persuasion.best_response`), which finds the best response to each script, and with it a bound for
somebody who is not told whom it meets. For other games, and for opponents that no solution takes, the best of the
game's own scripts is what is known (`econzoo.evaluate.suites.ceiling`).
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cache
from statistics import fmean
from typing import Any, NamedTuple

from econzoo.baselines.factory import seats_of
from econzoo.baselines.learned_opponent import known_opponent
from econzoo.envs.core.contract.game import Game
from econzoo.envs.core.plurals import many
from econzoo.envs.core.record.values import plain
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.analyses.regret import DRAWS, SEARCH, script_of
from econzoo.evaluate.analyses.solutions import params_of, solution_part
from econzoo.evaluate.run.settings import Market
from econzoo.evaluate.show.numbers import NOTHING
from econzoo.evaluate.show.parts import TEXT, Column, Table

EXACT, BOUND, KNOWN = "exact", "upper bound", "best known"
"""How sure a number is: nobody can earn more, and somebody does; nobody can; somebody does."""


class Cell(NamedTuple):
    """What can be earned in one seat of one market.

    Attributes:
        market: Its name.
        seat: Of who earns it.
        known: Opponent to the gain of the best response, of somebody who knows who it is.
        exact: Opponent to whether that is exact; else it is the best known.
        unknown: Mean gain over the opponents of the best plan of somebody who does not know who it is.
        bounded: Whether that is only known to be no more than this.
    """

    market: str
    seat: int
    known: dict[str, float]
    exact: dict[str, bool]
    unknown: float
    bounded: bool = False


def solvable(game: Game, specs: Sequence[str]) -> list[str]:
    """Those of a pool that the game's solution can answer."""
    if solution_part(game, "script_response") is not None:
        return [spec for spec in specs if spec == DRAWS or script_of(game.name, spec) is not None]
    if solution_part(game, "pool_response") is None:
        return []
    return [spec for spec in specs if (_limited(game) if spec == DRAWS else known_opponent(game, spec) is not None)]


def _limited(game: Game) -> bool:
    """Whether a best response exists to somebody who takes any amount."""
    try:
        solution_part(game, "pool_response")(game.params()[1], 0, [], 1)
    except ValueError:
        return False
    return True


def cells(game: Game, specs: Sequence[str], markets: Sequence[Market], seats: Sequence[int] = (0, 1)) -> list[Cell]:
    """What can be earned against a pool, in every market and seat in which somebody of it can be met.

    Args:
        game: One with a ``pool_response`` or a ``script_response``.
        specs: Opponents out of `solvable`, each as likely.
        markets: The markets; all that some seat of them is told is known to who earns this.
        seats: Of who earns it.
    """
    publics = {market.name: json.dumps(plain(game.params(**market.params)[0]), sort_keys=True) for market in markets}
    found = []
    for name, public in publics.items():
        for seat in seats:
            met = tuple(sorted(spec for spec in specs if 1 - seat in (seats_of(spec, game.name) or (0, 1))))
            solve = solved if solution_part(game, "script_response") is None else solved_apart
            found += [Cell(name, seat, *solve(game.name, public, seat, met))] if met else []
    return found


Solved = tuple[dict[str, float], dict[str, bool], float, bool]
"""See `Cell`: ``known``, ``exact``, ``unknown`` and ``bounded`` in a market."""


@cache
def solved(game_name: str, public: str, seat: int, specs: tuple[str, ...]) -> Solved:
    """Against a pool whose opponents can be told apart by what they do."""
    game = find_game(game_name)
    met = [spec for spec in specs if spec != DRAWS]
    others: list[Any] = [known_opponent(game, spec) for spec in met]
    respond = solution_part(game, "pool_response")
    best = respond(params_of(game_name, public), seat, others, len(specs) - len(met), **SEARCH)
    found = dict(zip([*met, *[DRAWS] * (len(specs) - len(met))], best.known, strict=True))
    gains = {spec: one.gain for spec, one in found.items()}
    return gains, {spec: one.exact for spec, one in found.items()}, best.gain, False


@cache
def solved_apart(game_name: str, public: str, seat: int, specs: tuple[str, ...]) -> Solved:
    """Against scripts one by one: who is not told whom it meets earns no more than who is."""
    respond, params = solution_part(find_game(game_name), "script_response"), params_of(game_name, public)
    gains = {spec: respond(params, seat, None if spec == DRAWS else script_of(game_name, spec)) for spec in specs}
    return gains, dict.fromkeys(specs, True), fmean(gains.values()), len(specs) > 1


READER = (
    "ceiling: mean gain of the best possible player, by full information. It knows all that any seat is told of the "
    "setting, and the pool, each of whom it meets as often; for a last round that no seat is told it takes a far one. "
    "Told: it knows too who it meets. Not told: it finds out by what the other does."
)
BOUNDED = "How much of it somebody can earn who is not told is not known: no more than who is."
REMEMBERING = "Against {} it counts as told, with the best reply that a search found."
LEFT_OUT = "Not counted among all: {}, to which no best reply is known, or none exists."
CHANCE = "Nature draws: ceilings are means over its draws, gains of scripts are those of the matches played (--seeds)."
SCRIPTED = "best script: of the standard, training and validation pools, by matches in the same settings and seats."


class Best(NamedTuple):
    """The script that earns the most of all, and its mean gain."""

    spec: str
    gain: float


class Scripts(NamedTuple):
    """What scripts earn.

    Attributes:
        against: Opponent to the script that earns most against it: as if one were told who it is.
        all: Role to the script that earns most over the opponents that it meets; one for ``""`` if everybody can take
            every seat.
    """

    against: dict[str, Best]
    all: dict[str, Best]


@dataclass(frozen=True)
class Ceiling:
    """What can be earned against a pool.

    Attributes:
        game: Name.
        pool: Name of the pool.
        opponents: Its specs.
        markets: How many.
        cells: Seat by seat of every market; empty if the game's solution answers none of the opponents.
        scripts: What scripts earn; None: not played.
    """

    game: str
    pool: str
    opponents: list[str]
    markets: int
    cells: list[Cell]
    scripts: Scripts | None

    def known(self, opponent: str) -> float | None:
        """Mean gain of the best response to an opponent; None if no solution answers it."""
        found = [cell.known[opponent] for cell in self.cells if opponent in cell.known]
        return fmean(found) if found else None

    def exact(self, opponent: str) -> bool:
        """Whether it is exact in every market and seat."""
        return all(cell.exact[opponent] for cell in self.cells if opponent in cell.exact)

    def of_seats(self, seats: Collection[int]) -> Ceiling:
        """The same for some seats."""
        return replace(self, cells=[cell for cell in self.cells if cell.seat in seats])

    @property
    def answered(self) -> list[str]:
        """The opponents that a solution answers."""
        met = {spec for cell in self.cells for spec in cell.known}
        return [one for one in self.opponents if one in met]

    @property
    def remembering(self) -> list[str]:
        """Those whose best reply was searched for, without a proof that it is the best."""
        return [one for one in self.answered if not self.exact(one)]

    @property
    def told(self) -> float:
        """Mean gain of somebody who knows who it meets."""
        return self._mean([fmean(cell.known.values()) for cell in self.cells])

    @property
    def unknown(self) -> float:
        """Mean gain of somebody who does not."""
        return self._mean([cell.unknown for cell in self.cells])

    def _mean(self, gains: Sequence[float]) -> float:
        """Over cells, each as often as there are opponents in it."""
        weights = [len(cell.known) for cell in self.cells]
        return sum(gain * weight for gain, weight in zip(gains, weights, strict=True)) / sum(weights)

    def how(self, opponents: Sequence[str]) -> str:
        """How sure the number of these opponents is."""
        return EXACT if all(self.exact(one) for one in opponents) else KNOWN

    @property
    def how_unknown(self) -> str:
        """How sure the number is of somebody who does not know who it meets."""
        return BOUND if any(cell.bounded for cell in self.cells) else self.how(self.answered)

    def table(self) -> Table:
        """For the terminal and for pages."""
        against = self.scripts.against if self.scripts else {}
        rows = [[one, *self._number([one], self.known(one)), *_script(against.get(one))] for one in self.opponents]
        for role, best in (self.scripts.all if self.scripts else dict.fromkeys(self._roles)).items():
            roles = find_game(self.game).facts.roles
            rows += self.of_seats(range(2) if not role else [roles.index(role)])._all(role, best)
        columns = [
            Column("against", kind=TEXT),
            Column("ceiling"),
            Column("how", kind=TEXT),
            Column("best_script", kind=TEXT),
            Column("its_gain"),
        ]
        title = f"{self.game}, {self.pool} pool, {many(self.markets, 'setting')}, all seats"
        return Table("ceiling", title, columns, rows, self.note)

    @property
    def _roles(self) -> list[str]:
        """Roles whose opponents differ; ``""`` if all meet the same."""
        roles = find_game(self.game).facts.roles
        met = {cell.seat: set(cell.known) for cell in self.cells}
        return [""] if len({frozenset(one) for one in met.values()}) < 2 else [roles[seat] for seat in sorted(met)]

    def _all(self, role: str, best: Best | None) -> list[list[Any]]:
        """The rows of all opponents together."""
        taken = f" as {find_game(self.game).facts.called(role)}" if role else ""
        last = [f"all, not told{taken}"]
        if not self.cells:
            return [[*last, None, NOTHING, *_script(best)]]
        told = [f"all, told{taken}", *self._number(self.answered, self.told), *_script(None)]
        return [told, [*last, self.unknown, self.how_unknown, *_script(best)]]

    @property
    def note(self) -> str:
        """What the numbers mean."""
        left = [one for one in self.opponents if one not in self.answered]
        told = [READER] if self.cells else []
        told += [BOUNDED] if any(cell.bounded for cell in self.cells) else []
        told += [REMEMBERING.format(" and ".join(self.remembering))] if self.remembering else []
        told += [LEFT_OUT.format(", ".join(left))] if left and self.cells else []
        told += [SCRIPTED] if self.scripts else []
        told += [CHANCE] if self.scripts and self.cells and find_game(self.game).facts.chance else []
        return " ".join(told)

    def _number(self, opponents: Sequence[str], gain: float | None) -> list[Any]:
        return [gain, NOTHING if gain is None else self.how(opponents)]


def _script(best: Best | None) -> list[Any]:
    return [NOTHING, None] if best is None else [best.spec, best.gain]
