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
from econzoo.baselines.learned_opponent import opponent_function
from econzoo.envs.core.contract.game import Game
from econzoo.envs.core.plurals import format_count
from econzoo.envs.core.record.values import to_plain
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.analyses.regret import DRAWS, SEARCH, script_of
from econzoo.evaluate.analyses.solutions import params_of, solution_part
from econzoo.evaluate.run.settings import Setting
from econzoo.evaluate.show.numbers import NOTHING
from econzoo.evaluate.show.parts import TEXT, Column, Table

EXACT, UPPER_BOUND, BEST_KNOWN = "exact", "upper bound", "best known"
"""How sure a number is: nobody can earn more, and somebody does; nobody can; somebody does."""


class Cell(NamedTuple):
    """What can be earned in one seat of one market.

    Attributes:
        setting: Its name.
        seat: Of who earns it.
        full_information: Opponent to the gain of the best response, of somebody who knows who it is.
        is_exact: Opponent to whether that is exact; else it is the best known.
        bayes_adaptive: Mean gain over the opponents of the best plan of somebody who does not know who it is.
        is_upper_bound: Whether that is only known to be no more than this.
    """

    setting: str
    seat: int
    full_information: dict[str, float]
    is_exact: dict[str, bool]
    bayes_adaptive: float
    is_upper_bound: bool = False


def solvable_opponents(game: Game, specs: Sequence[str]) -> list[str]:
    """Those of a pool that the game's solution can answer."""
    if solution_part(game, "script_response") is not None:
        return [spec for spec in specs if spec == DRAWS or script_of(game.name, spec) is not None]
    if solution_part(game, "pool_response") is None:
        return []
    return [
        spec
        for spec in specs
        if (_has_best_response(game) if spec == DRAWS else opponent_function(game, spec) is not None)
    ]


def _has_best_response(game: Game) -> bool:
    """Whether a best response exists to somebody who takes any amount."""
    try:
        solution_part(game, "pool_response")(game.params()[1], 0, [], 1)
    except ValueError:
        return False
    return True


def cells(game: Game, specs: Sequence[str], settings: Sequence[Setting], seats: Sequence[int] = (0, 1)) -> list[Cell]:
    """What can be earned against a pool, in every market and seat in which somebody of it can be met.

    Args:
        game: One with a ``pool_response`` or a ``script_response``.
        specs: Opponents out of `solvable_opponents`, each as likely.
        settings: The markets; all that some seat of them is told is known to who earns this.
        seats: Of who earns it.
    """
    publics = {
        market.name: json.dumps(to_plain(game.params(**market.params)[0]), sort_keys=True) for market in settings
    }
    found = []
    for name, public in publics.items():
        for seat in seats:
            met = tuple(sorted(spec for spec in specs if 1 - seat in (seats_of(spec, game.name) or (0, 1))))
            solve = solve_pool if solution_part(game, "script_response") is None else solve_scripts
            found += [Cell(name, seat, *solve(game.name, public, seat, met))] if met else []
    return found


CellSolution = tuple[dict[str, float], dict[str, bool], float, bool]
"""See `Cell`: ``known``, ``exact``, ``unknown`` and ``bounded`` in a market."""


@cache
def solve_pool(game_name: str, public: str, seat: int, specs: tuple[str, ...]) -> CellSolution:
    """Against a pool whose opponents can be told apart by what they do."""
    game = find_game(game_name)
    met = [spec for spec in specs if spec != DRAWS]
    others: list[Any] = [opponent_function(game, spec) for spec in met]
    respond = solution_part(game, "pool_response")
    best = respond(params_of(game_name, public), seat, others, len(specs) - len(met), **SEARCH)
    found = dict(zip([*met, *[DRAWS] * (len(specs) - len(met))], best.responses, strict=True))
    gains = {spec: one.gain for spec, one in found.items()}
    return gains, {spec: one.exact for spec, one in found.items()}, best.gain, False


@cache
def solve_scripts(game_name: str, public: str, seat: int, specs: tuple[str, ...]) -> CellSolution:
    """Against scripts one by one: who is not told whom it meets earns no more than who is."""
    respond, params = solution_part(find_game(game_name), "script_response"), params_of(game_name, public)
    gains = {spec: respond(params, seat, None if spec == DRAWS else script_of(game_name, spec)) for spec in specs}
    return gains, dict.fromkeys(specs, True), fmean(gains.values()), len(specs) > 1


CEILING_NOTE = (
    "ceiling: mean gain of the best possible player, by full information. It knows all that any seat is told of the "
    "setting, and the pool, each of whom it meets as often; for a last round that no seat is told it takes a far one. "
    "Told: it knows too who it meets. Not told: it finds out by what the other does."
)
BOUND_NOTE = "How much of it somebody can earn who is not told is not known: no more than who is."
SEARCH_NOTE = "Against {} it counts as told, with the best reply that a search found."
EXCLUDED_NOTE = "Not counted among all: {}, to which no best reply is known, or none exists."
CHANCE_NOTE = (
    "Nature draws: ceilings are means over its draws, gains of scripts are those of the matches played (--seeds)."
)
SCRIPT_NOTE = "best script: of the standard, training and validation pools, by matches in the same settings and seats."


class BestScript(NamedTuple):
    """The script that earns the most of all, and its mean gain."""

    spec: str
    gain: float


class Scripts(NamedTuple):
    """What scripts earn.

    Attributes:
        by_opponent: Opponent to the script that earns most against it: as if one were told who it is.
        by_role: Role to the script that earns most over the opponents that it meets; one for ``""`` if everybody can
            take
            every seat.
    """

    by_opponent: dict[str, BestScript]
    by_role: dict[str, BestScript]


@dataclass(frozen=True)
class Ceiling:
    """What can be earned against a pool.

    Attributes:
        game: Name.
        pool: Name of the pool.
        opponents: Its specs.
        settings: How many.
        cells: Seat by seat of every market; empty if the game's solution answers none of the opponents.
        scripts: What scripts earn; None: not played.
    """

    game: str
    pool: str
    opponents: list[str]
    settings: int
    cells: list[Cell]
    scripts: Scripts | None

    def known_gain(self, opponent: str) -> float | None:
        """Mean gain of the best response to an opponent; None if no solution answers it."""
        found = [cell.full_information[opponent] for cell in self.cells if opponent in cell.full_information]
        return fmean(found) if found else None

    def is_exact(self, opponent: str) -> bool:
        """Whether it is exact in every market and seat."""
        return all(cell.is_exact[opponent] for cell in self.cells if opponent in cell.is_exact)

    def select_seats(self, seats: Collection[int]) -> Ceiling:
        """The same for some seats."""
        return replace(self, cells=[cell for cell in self.cells if cell.seat in seats])

    @property
    def solved_opponents(self) -> list[str]:
        """The opponents that a solution answers."""
        met = {spec for cell in self.cells for spec in cell.full_information}
        return [one for one in self.opponents if one in met]

    @property
    def searched_opponents(self) -> list[str]:
        """Those whose best reply was searched for, without a proof that it is the best."""
        return [one for one in self.solved_opponents if not self.is_exact(one)]

    @property
    def full_information(self) -> float:
        """Mean gain of somebody who knows who it meets."""
        return self._mean([fmean(cell.full_information.values()) for cell in self.cells])

    @property
    def bayes_adaptive(self) -> float:
        """Mean gain of somebody who does not."""
        return self._mean([cell.bayes_adaptive for cell in self.cells])

    def _mean(self, gains: Sequence[float]) -> float:
        """Over cells, each as often as there are opponents in it."""
        weights = [len(cell.full_information) for cell in self.cells]
        return sum(gain * weight for gain, weight in zip(gains, weights, strict=True)) / sum(weights)

    def certainty(self, opponents: Sequence[str]) -> str:
        """How sure the number of these opponents is."""
        return EXACT if all(self.is_exact(one) for one in opponents) else BEST_KNOWN

    @property
    def bayes_adaptive_certainty(self) -> str:
        """How sure the number is of somebody who does not know who it meets."""
        return UPPER_BOUND if any(cell.is_upper_bound for cell in self.cells) else self.certainty(self.solved_opponents)

    def table(self) -> Table:
        """For the terminal and for pages."""
        against = self.scripts.by_opponent if self.scripts else {}
        rows = [
            [one, *self._gain_cells([one], self.known_gain(one)), *_script_cells(against.get(one))]
            for one in self.opponents
        ]
        for role, best in (self.scripts.by_role if self.scripts else dict.fromkeys(self._roles)).items():
            roles = find_game(self.game).facts.roles
            rows += self.select_seats(range(2) if not role else [roles.index(role)])._total_rows(role, best)
        columns = [
            Column("against", kind=TEXT),
            Column("ceiling"),
            Column("how", kind=TEXT),
            Column("best_script", kind=TEXT),
            Column("its_gain"),
        ]
        title = f"{self.game}, {self.pool} pool, {format_count(self.settings, 'setting')}, all seats"
        return Table("ceiling", title, columns, rows, self.note)

    @property
    def _roles(self) -> list[str]:
        """Roles whose opponents differ; ``""`` if all meet the same."""
        roles = find_game(self.game).facts.roles
        met = {cell.seat: set(cell.full_information) for cell in self.cells}
        return [""] if len({frozenset(one) for one in met.values()}) < 2 else [roles[seat] for seat in sorted(met)]

    def _total_rows(self, role: str, best: BestScript | None) -> list[list[Any]]:
        """The rows of all opponents together."""
        taken = f" as {find_game(self.game).facts.role_with_part(role)}" if role else ""
        last = [f"all, not told{taken}"]
        if not self.cells:
            return [[*last, None, NOTHING, *_script_cells(best)]]
        told = [
            f"all, told{taken}",
            *self._gain_cells(self.solved_opponents, self.full_information),
            *_script_cells(None),
        ]
        return [told, [*last, self.bayes_adaptive, self.bayes_adaptive_certainty, *_script_cells(best)]]

    @property
    def note(self) -> str:
        """What the numbers mean."""
        left = [one for one in self.opponents if one not in self.solved_opponents]
        told = [CEILING_NOTE] if self.cells else []
        told += [BOUND_NOTE] if any(cell.is_upper_bound for cell in self.cells) else []
        told += [SEARCH_NOTE.format(" and ".join(self.searched_opponents))] if self.searched_opponents else []
        told += [EXCLUDED_NOTE.format(", ".join(left))] if left and self.cells else []
        told += [SCRIPT_NOTE] if self.scripts else []
        told += [CHANCE_NOTE] if self.scripts and self.cells and find_game(self.game).facts.chance else []
        return " ".join(told)

    def _gain_cells(self, opponents: Sequence[str], gain: float | None) -> list[Any]:
        return [gain, NOTHING if gain is None else self.certainty(opponents)]


def _script_cells(best: BestScript | None) -> list[Any]:
    return [NOTHING, None] if best is None else [best.spec, best.gain]
