"""Ceilings: best-response values against a pool, averaged over settings and seats, and their certainty.

Best-response values are exact where a game's solution computes them. It does if it has ``pool_response(params, seat,
opponents, drawing)`` (see `econzoo.envs.families.offers.pool_response`) and the scripted players have
``as_opponent(spec)``; or if it has ``script_response(params, seat, script)`` (see
`econzoo.envs.games.persuasion.best_response`), which computes the best response to each script, and with it an upper
bound on the Bayes-adaptive value. For other games, and for opponents that no solution handles, the best known value is
that of the game's best script (`econzoo.evaluate.suites.ceiling`).
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cache
from statistics import fmean
from typing import Any, NamedTuple

from econzoo.baselines import opponent_function, seats_of
from econzoo.envs.core import format_count
from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import Game, to_plain
from econzoo.evaluate.analyses import DRAWS, SEARCH, params_of, script_of, solution_part
from econzoo.evaluate.run import Setting
from econzoo.evaluate.show import NOTHING, TEXT, Column, Table

EXACT, UPPER_BOUND, BEST_KNOWN = "exact", "upper bound", "best known"
"""Certainty of a value: attained and maximal; not exceedable, perhaps not attained; attained, perhaps not maximal."""


class Cell(NamedTuple):
    """Best-response values in one seat of one setting.

    Attributes:
        seat: Seat of the best response.
        full_information: Opponent to the gain of the best response to it.
        is_exact: Opponent to whether that is exact; else it is the best known.
        bayes_adaptive: Mean gain over opponents of the Bayes-adaptive best response.
        is_upper_bound: Whether `bayes_adaptive` is only an upper bound.
    """

    setting: str
    seat: int
    full_information: dict[str, float]
    is_exact: dict[str, bool]
    bayes_adaptive: float
    is_upper_bound: bool = False


def solvable_opponents(game: Game, specs: Sequence[str]) -> list[str]:
    """Return the opponents to which the game's solution has a best response."""
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
    """Whether a best response exists to an opponent that accepts any amount."""
    try:
        solution_part(game, "pool_response")(game.params()[1], 0, [], 1)
    except ValueError:
        return False
    return True


def cells(game: Game, specs: Sequence[str], settings: Sequence[Setting], seats: Sequence[int] = (0, 1)) -> list[Cell]:
    """Compute the best-response values against equally likely opponents in every setting and seat that has any."""
    # The solvers below are cached, so they take parameters as text and opponents in a fixed order.
    publics = {
        setting.name: json.dumps(to_plain(game.params(**setting.params)[0]), sort_keys=True) for setting in settings
    }
    found = []
    for name, public in publics.items():
        for seat in seats:
            own = tuple(sorted(spec for spec in specs if 1 - seat in (seats_of(spec, game.name) or (0, 1))))
            solve = solve_pool if solution_part(game, "script_response") is None else solve_scripts
            found += [Cell(name, seat, *solve(game.name, public, seat, own))] if own else []
    return found


CellSolution = tuple[dict[str, float], dict[str, bool], float, bool]
"""The fields of `Cell` from ``full_information`` on."""


@cache
def solve_pool(game_name: str, public: str, seat: int, specs: tuple[str, ...]) -> CellSolution:
    """Solve against a pool whose opponents can be identified by their moves."""
    game = find_game(game_name)
    known = [spec for spec in specs if spec != DRAWS]
    others: list[Any] = [opponent_function(game, spec) for spec in known]
    respond = solution_part(game, "pool_response")
    best = respond(params_of(game_name, public), seat, others, len(specs) - len(known), **SEARCH)
    responses = dict(zip([*known, *[DRAWS] * (len(specs) - len(known))], best.responses, strict=True))
    gains = {spec: one.gain for spec, one in responses.items()}
    return gains, {spec: one.exact for spec, one in responses.items()}, best.gain, False


@cache
def solve_scripts(game_name: str, public: str, seat: int, specs: tuple[str, ...]) -> CellSolution:
    """Solve against scripts one by one; the full-information mean bounds the Bayes-adaptive value."""
    respond, params = solution_part(find_game(game_name), "script_response"), params_of(game_name, public)
    gains = {spec: respond(params, seat, None if spec == DRAWS else script_of(game_name, spec)) for spec in specs}
    return gains, dict.fromkeys(specs, True), fmean(gains.values()), len(specs) > 1


CEILING_NOTE = (
    "Ceiling: mean gain of the best response, which knows all that any seat knows of the setting, and the pool, whose "
    "opponents are equally likely; it takes an undisclosed horizon to be a long one. Full information: it also knows "
    "its opponent. Bayes-adaptive: it learns about its opponent from the moves."
)
BOUND_NOTE = "The Bayes-adaptive value is not known exactly; full information is an upper bound."
SEARCH_NOTE = "Against {}: full information, and the best response that a search found."
EXCLUDED_NOTE = "Excluded from all: {}, to which no best response is known, or none exists."
CHANCE_NOTE = "Chance: ceilings are expectations, gains of scripts are means of the matches played (--seeds)."
SCRIPT_NOTE = "best script: of the standard, training and validation pools, by matches in the same settings and seats."


class BestScript(NamedTuple):
    spec: str
    gain: float


class Scripts(NamedTuple):
    """The best scripts.

    Attributes:
        by_opponent: Opponent to the best script against it.
        by_role: Role to the best script over all of its opponents; key ``""`` if all players can take every seat.
    """

    by_opponent: dict[str, BestScript]
    by_role: dict[str, BestScript]


@dataclass(frozen=True)
class Ceiling:
    """Best-response values against a pool.

    Attributes:
        cells: Values by setting and seat; empty if the game's solution handles no opponent.
        scripts: Best scripts; None: not played.
    """

    game: str
    pool: str
    opponents: list[str]
    settings: int
    cells: list[Cell]
    scripts: Scripts | None

    def known_gain(self, opponent: str) -> float | None:
        """Return the mean gain of the best response to an opponent; None if there is no solution."""
        gains = [cell.full_information[opponent] for cell in self.cells if opponent in cell.full_information]
        return fmean(gains) if gains else None

    def is_exact(self, opponent: str) -> bool:
        """Whether the best response to an opponent is exact in every setting and seat."""
        return all(cell.is_exact[opponent] for cell in self.cells if opponent in cell.is_exact)

    def select_seats(self, seats: Collection[int]) -> Ceiling:
        return replace(self, cells=[cell for cell in self.cells if cell.seat in seats])

    @property
    def solved_opponents(self) -> list[str]:
        """The opponents to which a best response is known."""
        known = {spec for cell in self.cells for spec in cell.full_information}
        return [one for one in self.opponents if one in known]

    @property
    def searched_opponents(self) -> list[str]:
        """The opponents whose best response was found by a search, without proof."""
        return [one for one in self.solved_opponents if not self.is_exact(one)]

    @property
    def full_information(self) -> float:
        """Mean gain of the full-information best response."""
        return self._mean([fmean(cell.full_information.values()) for cell in self.cells])

    @property
    def bayes_adaptive(self) -> float:
        """Mean gain of the Bayes-adaptive best response."""
        return self._mean([cell.bayes_adaptive for cell in self.cells])

    def _mean(self, gains: Sequence[float]) -> float:
        """Mean over cells, weighted by their numbers of opponents."""
        weights = [len(cell.full_information) for cell in self.cells]
        return sum(gain * weight for gain, weight in zip(gains, weights, strict=True)) / sum(weights)

    def certainty(self, opponents: Sequence[str]) -> str:
        """Return the certainty of the full-information value against some opponents."""
        return EXACT if all(self.is_exact(one) for one in opponents) else BEST_KNOWN

    @property
    def bayes_adaptive_certainty(self) -> str:
        return UPPER_BOUND if any(cell.is_upper_bound for cell in self.cells) else self.certainty(self.solved_opponents)

    def table(self) -> Table:
        against = self.scripts.by_opponent if self.scripts else {}
        rows = [
            [one, *self._gain_cells([one], self.known_gain(one)), *_script_cells(against.get(one))]
            for one in self.opponents
        ]
        for role, best in (self.scripts.by_role if self.scripts else dict.fromkeys(self._roles)).items():
            roles = find_game(self.game).facts.roles
            rows += self.select_seats(range(2) if not role else [roles.index(role)])._total_rows(role, best)
        columns = [
            Column("opponent", "against", TEXT),
            Column("ceiling"),
            Column("certainty", kind=TEXT),
            Column("best_script", kind=TEXT),
            Column("best_script_gain", "its gain"),
        ]
        title = f"{self.game}, {self.pool} pool, {format_count(self.settings, 'setting')}, all seats"
        return Table("ceiling", title, columns, rows, self.note)

    @property
    def _roles(self) -> list[str]:
        """Roles whose opponents differ; ``""`` if all have the same opponents."""
        roles = find_game(self.game).facts.roles
        pools = {cell.seat: set(cell.full_information) for cell in self.cells}
        return [""] if len({frozenset(one) for one in pools.values()}) < 2 else [roles[seat] for seat in sorted(pools)]

    def _total_rows(self, role: str, best: BestScript | None) -> list[list[Any]]:
        """The rows of all opponents together."""
        as_role = f" as {find_game(self.game).facts.role_with_part(role)}" if role else ""
        last = [f"all, Bayes-adaptive{as_role}"]
        if not self.cells:
            return [[*last, None, NOTHING, *_script_cells(best)]]
        first = [
            f"all, full information{as_role}",
            *self._gain_cells(self.solved_opponents, self.full_information),
            *_script_cells(None),
        ]
        return [first, [*last, self.bayes_adaptive, self.bayes_adaptive_certainty, *_script_cells(best)]]

    @property
    def note(self) -> str:
        excluded = [one for one in self.opponents if one not in self.solved_opponents]
        notes = [CEILING_NOTE] if self.cells else []
        notes += [BOUND_NOTE] if any(cell.is_upper_bound for cell in self.cells) else []
        notes += [SEARCH_NOTE.format(" and ".join(self.searched_opponents))] if self.searched_opponents else []
        notes += [EXCLUDED_NOTE.format(", ".join(excluded))] if excluded and self.cells else []
        notes += [SCRIPT_NOTE] if self.scripts else []
        notes += [CHANCE_NOTE] if self.scripts and self.cells and find_game(self.game).facts.chance else []
        return " ".join(notes)

    def _gain_cells(self, opponents: Sequence[str], gain: float | None) -> list[Any]:
        return [gain, NOTHING if gain is None else self.certainty(opponents)]


def _script_cells(best: BestScript | None) -> list[Any]:
    return [NOTHING, None] if best is None else [best.spec, best.gain]
