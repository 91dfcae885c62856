"""What a collection is to play: everything that the command of its tournament says."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from econzoo.envs.core.contract.validation import parse_json
from econzoo.envs.core.record.values import to_plain
from econzoo.evaluate.run.design import new_design
from econzoo.evaluate.run.seatings import PLAYER_SEPARATOR
from econzoo.evaluate.run.settings import Setting

if TYPE_CHECKING:
    from econzoo.evaluate.run.design import Design

SETTINGS_FILE = "markets.json"
"""File beside the records with the settings, as ``--settings`` reads it."""


class Order(NamedTuple):
    """A tournament, with its budget.

    Attributes:
        title: What people call it; may be empty.
        game: Name.
        players: Specs that are compared.
        opponents: Specs that they meet; empty: each other.
        lineups: Who sits where, a spec for each seat; empty: everybody in every seat.
        markets: Name of each setting to its parameters.
        seeds: Matches of each seating in each setting.
        max_cost: US dollars; None: no limit.
        max_tokens: Likewise; None: no limit.
    """

    title: str
    game: str
    players: tuple[str, ...]
    opponents: tuple[str, ...]
    lineups: tuple[tuple[str, ...], ...]
    markets: dict[str, dict[str, Any]]
    seeds: int
    max_cost: float | None = None
    max_tokens: int | None = None

    @property
    def specs(self) -> list[str]:
        """Everybody, once."""
        return list(dict.fromkeys([*self.players, *self.opponents]))

    def plan(self) -> Design:
        """All its matches.

        Raises:
            ValueError: Something in it is not allowed.
        """
        settings = [Setting(name, params) for name, params in self.markets.items()]
        return new_design(self.game, self.players, settings, self.seeds, self.opponents, lineups=self.lineups)

    def command(self, records: Path, costs_agreed: bool) -> list[str]:
        """The command line that plays it, and goes on with what is missing.

        Args:
            records: Folder for the records; the settings stand in a file beside it.
            costs_agreed: Whether what the matches cost was agreed to.
        """
        limits = {"--max-cost": self.max_cost, "--max-tokens": self.max_tokens}
        options = [f"{name}={value!r}" for name, value in limits.items() if value is not None]
        options += [f"--opponents={spec}" for spec in self.opponents]
        options += [f"--lineups={f' {PLAYER_SEPARATOR} '.join(lineup)}" for lineup in self.lineups]
        options += ["--yes"] * costs_agreed
        settings = str(records.parent / SETTINGS_FILE)
        kept = ["--out", str(records), "--settings", settings, "--seeds", str(self.seeds)]
        return [sys.executable, "-m", "econzoo", "tournament", self.game, *kept, *options, "--", *self.players]

    def to_json(self) -> str:
        """For a file."""
        return json.dumps(to_plain(self._asdict()), indent=2) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Order:
        """What `to_json` wrote.

        Raises:
            ValueError: It is something else.
        """
        try:
            given = parse_json(text)
            lists = {name: tuple(given[name]) for name in ("players", "opponents")}
            return cls(**{**given, **lists, "lineups": tuple(map(tuple, given["lineups"]))})
        except (KeyError, TypeError) as error:
            raise ValueError(f"not the order of a collection: {error!r}") from None


FORECAST_TIMEOUT = 30.0
"""Seconds after which nothing more is known than the number of matches."""


class Forecast(NamedTuple):
    """What is known before the start.

    Attributes:
        matches: Of the collection.
        seconds: That those of scripted players take about; None: nobody knows, or there are none.
        model_matches: Matches in which a model is asked; how long these take, nobody knows.
        tokens_read: By all language models, about.
        tokens_written: Likewise, at least.
        cost: US dollars of both, by the prices that were given; 0 where none were.
        trial_matches: Matches that all this was taken from.
        problem: Why one of these failed, or why nothing but the number of matches is known; empty: all is well.
    """

    matches: int
    seconds: float | None = None
    model_matches: int = 0
    tokens_read: int = 0
    tokens_written: int = 0
    cost: float = 0.0
    trial_matches: int = 0
    problem: str = ""


def run_forecast(order: Order) -> Forecast:
    """The forecast of a process of its own, which is given up if it takes too long."""
    matches = len(order.plan())
    try:
        line = [sys.executable, "-m", "econzoo.people.manage.forecast"]
        made = subprocess.run(
            line, input=order.to_json(), capture_output=True, text=True, timeout=FORECAST_TIMEOUT, check=True
        )
        return Forecast(**parse_json(made.stdout))
    except subprocess.TimeoutExpired:
        return Forecast(matches, problem=f"no match ended within {FORECAST_TIMEOUT:.0f} seconds")
    except subprocess.CalledProcessError as error:
        return Forecast(matches, problem=(error.stderr.strip().splitlines() or ["unknown"])[-1])
