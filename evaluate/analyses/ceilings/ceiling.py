"""What can be earned against a pool, on average over markets and seats, and how that is known."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any, NamedTuple

from econzoo.envs.core.plurals import many
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.analyses.ceilings.bounds import BOUND, EXACT, KNOWN, Cell
from econzoo.evaluate.show.numbers import NOTHING
from econzoo.evaluate.show.parts import TEXT, Column, Table

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
