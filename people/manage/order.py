"""The order of a collection: a tournament with its settings, seeds and budget."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

from econzoo.envs.core import check_format
from econzoo.envs.core.contract import parse_json, to_plain
from econzoo.evaluate.run import PLAYER_SEPARATOR, Design, Setting, new_design

SETTINGS_FILE = "settings.json"
"""File of settings beside the records, in the format of ``--settings``."""


class Order(NamedTuple):
    """A tournament, with its budget.

    Attributes:
        opponents: Specs of the opponents; empty: round robin.
        lineups: Specs by seat of each line-up; empty: all players in all seats.
        max_cost: Budget in US dollars; None: no limit.
        max_tokens: Budget in tokens; None: no limit.
    """

    title: str
    game: str
    players: tuple[str, ...]
    opponents: tuple[str, ...]
    lineups: tuple[tuple[str, ...], ...]
    settings: dict[str, dict[str, Any]]
    seeds: int
    max_cost: float | None = None
    max_tokens: int | None = None

    @property
    def specs(self) -> list[str]:
        """All specs, without duplicates."""
        return list(dict.fromkeys([*self.players, *self.opponents]))

    def plan(self) -> Design:
        """Design of all matches."""
        settings = [Setting(name, params) for name, params in self.settings.items()]
        return new_design(self.game, self.players, settings, self.seeds, self.opponents, lineups=self.lineups)

    def command(self, records: Path, costs_agreed: bool) -> list[str]:
        """Command line that plays or resumes the tournament."""
        limits = {"--max-cost": self.max_cost, "--max-tokens": self.max_tokens}
        # With "=" and "--", no spec that begins with a dash is taken for an option.
        options = [f"{name}={value!r}" for name, value in limits.items() if value is not None]
        options += [f"--opponents={spec}" for spec in self.opponents]
        options += [f"--lineups={f' {PLAYER_SEPARATOR} '.join(lineup)}" for lineup in self.lineups]
        options += ["--yes"] * costs_agreed
        settings = str(records.parent / SETTINGS_FILE)
        fixed = ["--out", str(records), "--settings", settings, "--seeds", str(self.seeds)]
        return [sys.executable, "-m", "econzoo", "tournament", self.game, *fixed, *options, "--", *self.players]

    def to_json(self) -> str:
        return json.dumps({"format": 1, **to_plain(self._asdict())}, indent=2) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Order:
        try:
            given = parse_json(text)
            check_format("the order", given.pop("format", None))
            lists = {name: tuple(given[name]) for name in ("players", "opponents")}
            return cls(**{**given, **lists, "lineups": tuple(map(tuple, given["lineups"]))})
        except (KeyError, TypeError) as error:
            raise ValueError(f"invalid order of a collection: {error!r}") from None


FORECAST_TIMEOUT = 30.0
"""Timeout in seconds, after which the forecast holds only the number of matches."""


class Forecast(NamedTuple):
    """Estimated time and cost of a collection.

    Attributes:
        seconds: Estimated time of the scripted matches; None: unknown, or no such matches.
        prompt_tokens: Estimated prompt tokens of all language models.
        completion_tokens: Lower bound of their completion tokens.
        cost: Lower bound of the cost in US dollars; 0 without prices.
        problem: Error of a trial match or of the forecast; empty: none.
    """

    matches: int
    seconds: float | None = None
    model_matches: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0
    trial_matches: int = 0
    problem: str = ""


def run_forecast(order: Order) -> Forecast:
    """Run the forecast in a separate process, with a timeout."""
    matches = len(order.plan())
    try:
        line = [sys.executable, "-m", "econzoo.people.manage.forecast"]
        done = subprocess.run(
            line, input=order.to_json(), capture_output=True, text=True, timeout=FORECAST_TIMEOUT, check=True
        )
        return Forecast(**parse_json(done.stdout))
    except subprocess.TimeoutExpired:
        return Forecast(matches, problem=f"no match ended within {FORECAST_TIMEOUT:.0f} seconds")
    except subprocess.CalledProcessError as error:
        return Forecast(matches, problem=(error.stderr.strip().splitlines() or ["unknown"])[-1])
