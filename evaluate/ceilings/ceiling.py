"""What can be earned against a pool, on average over markets and seats, and how that is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, NamedTuple

from econzoo.envs.core.plurals import many
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.ceilings.bounds import EXACT, KNOWN, Cell
from econzoo.evaluate.console import TextTable
from econzoo.evaluate.formats import NOTHING, number

READER = (
    "ceiling: mean gain of the best possible player. It knows all parameters of the market, also those that seats are "
    "not told, and the pool, each of whom it meets as often. Told: it knows too who it meets. Not told: it finds out "
    "by what the other asks for and refuses."
)
REMEMBERING = "Against {} it counts as told, with the best reply that a search found."
LEFT_OUT = "Not counted among all: {}, to which no best reply is known, or none exists."
SCRIPTED = "best script: of the standard, training and validation pools, by matches in the same markets and seats."


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
        return fmean(cell.known[opponent] for cell in self.cells) if opponent in self.answered else None

    def exact(self, opponent: str) -> bool:
        """Whether it is exact in every market and seat."""
        return all(cell.exact[opponent] for cell in self.cells)

    @property
    def answered(self) -> list[str]:
        """The opponents that a solution answers."""
        return [one for one in self.opponents if self.cells and one in self.cells[0].known]

    @property
    def remembering(self) -> list[str]:
        """Those whose best reply was searched for, without a proof that it is the best."""
        return [one for one in self.answered if not self.exact(one)]

    @property
    def told(self) -> float:
        """Mean gain of somebody who knows who it meets."""
        return fmean(fmean(cell.known.values()) for cell in self.cells)

    @property
    def unknown(self) -> float:
        """Mean gain of somebody who does not."""
        return fmean(cell.unknown for cell in self.cells)

    def how(self, opponents: Sequence[str]) -> str:
        """How sure the number of these opponents is."""
        return EXACT if all(self.exact(one) for one in opponents) else KNOWN

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        told = {one: {"gain": self.known(one), "how": self.how([one])} for one in self.answered}
        how = self.how(self.answered)
        found = {"told": self.told, "not_told": self.unknown, "how": how, "against": told} if self.cells else None
        scripts = self.scripts and {
            "against": {one: best._asdict() for one, best in self.scripts.against.items()},
            "all": {role: best._asdict() for role, best in self.scripts.all.items()},
        }
        return {"game": self.game, "pool": self.pool, "markets": self.markets, "ceiling": found, "scripts": scripts}

    def table(self) -> TextTable:
        """For the terminal and for pages."""
        against = self.scripts.against if self.scripts else {}
        rows = [[one, *self._number([one], self.known(one)), *_script(against.get(one))] for one in self.opponents]
        if self.cells:
            rows.append(["all, told", *self._number(self.answered, self.told), *_script(None)])
        for role, best in (self.scripts.all if self.scripts else {"": None}).items():
            unsure = self._number(self.answered, self.unknown if self.cells else None)
            rows.append(
                [f"all, not told{role and ' as ' + find_game(self.game).facts.called(role)}", *unsure, *_script(best)]
            )
        heads = ["against", "ceiling", "how", "best script", "its gain"]
        return TextTable(
            f"{self.game}, {self.pool} pool, {many(self.markets, 'market')}, all seats", heads, rows, self.note
        )

    @property
    def note(self) -> str:
        """What the numbers mean."""
        left = [one for one in self.opponents if one not in self.answered]
        told = [READER] if self.cells else []
        told += [REMEMBERING.format(" and ".join(self.remembering))] if self.remembering else []
        told += [LEFT_OUT.format(", ".join(left))] if left and self.cells else []
        told += [SCRIPTED] if self.scripts else []
        return " ".join(told)

    def _number(self, opponents: Sequence[str], gain: float | None) -> list[str]:
        return [NOTHING, NOTHING] if gain is None else [number(gain), self.how(opponents)]


def _script(best: Best | None) -> list[str]:
    return [NOTHING, NOTHING] if best is None else [best.spec, number(best.gain)]
