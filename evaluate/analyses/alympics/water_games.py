"""Games of water_allocation for analysis: line-up, setting and days."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import setting_parameters
from econzoo.envs.core.record import Record
from econzoo.envs.families.survival import Day
from econzoo.envs.games.water_allocation import scenarios
from econzoo.envs.games.water_allocation.indicators import alive_mask
from econzoo.envs.games.water_allocation.rules import Params
from econzoo.evaluate.analyses.alympics.days import WATER, days_of
from econzoo.evaluate.analyses.alympics.survival_bounds import Supplies, complete_supplies, supplies_of
from econzoo.evaluate.run import label_setting, read_suite

if TYPE_CHECKING:
    from econzoo.evaluate.formats.alympics import PublishedGame, Status
    from econzoo.evaluate.run import Design

SETTINGS = tuple(read_suite("water")["settings"])
"""Names of the paper's six settings, in its order."""

PUBLISHED_LINEUP = "published games"
"""Line-up of published games."""


class WaterGame(NamedTuple):
    """One game.

    Attributes:
        supplies: Units of each day, also after the death of all; None if unknown (see
            `econzoo.evaluate.analyses.alympics.survival_bounds.complete_supplies`).
    """

    lineup: str
    setting: str
    seed: int
    names: tuple[str, ...]
    params: Params
    days: list[Day]
    supplies: Supplies | None

    @property
    def alive(self) -> tuple[bool, ...]:
        """Whether each resident is alive at the end."""
        return alive_mask(self.params, self.days)


def lineup(specs: Sequence[str]) -> str:
    """Return the label of a line-up: one spec if it fills all seats."""
    return specs[0] if len(set(specs)) == 1 else " / ".join(specs)


def game_from_record(record: Record, design: Design | None = None) -> WaterGame:
    """Convert a recorded match.

    Args:
        design: Design with the settings' names; None: the paper's names.
    """
    game = find_game(record.game)
    public, params = game.params(**record.params)
    setting = (design and design.setting_name(record.params)) or _setting_name(public)
    names = tuple(game.roles(len(record.players), public))
    days, supplies = days_of(record, WATER), supplies_of(record)
    seed = parse_game_number(str((record.source or {}).get("id", "")), record.seed)
    return WaterGame(lineup(record.labels), setting, seed, names, params, days, supplies)


def parse_game_number(name: str, default: int) -> int:
    """Parse the number at the end of a game's name, such as 5 in ``WAC_persona_10_20_5``."""
    match = re.search(r"_(\d{1,9})$", name)
    return int(match[1]) if match else default


def game_from_published(game: PublishedGame, number: int, lineup: str = PUBLISHED_LINEUP) -> WaterGame:
    """Convert a published game as printed, bookkeeping errors included."""
    public, params = find_game(WATER).params(**game.params)
    days = [_day(game, at) for at in range(len(game.days))]
    supplies = complete_supplies(params, days)
    return WaterGame(
        lineup, _setting_name(public), parse_game_number(game.id, number), game.names, params, days, supplies
    )


def _setting_name(public: Mapping[str, Any]) -> str:
    """The paper's name of a setting, or a label of its parameters other than residents."""
    rules = find_game(WATER)
    own = setting_parameters(rules.parameters, public)
    named = (
        name
        for name in SETTINGS
        if setting_parameters(rules.parameters, rules.params(**scenarios.SETTINGS[name])[0]) == own
    )
    return next(named, label_setting(rules, {name: value for name, value in own.items() if name != "residents"}))


def _day(game: PublishedGame, at: int) -> Day:
    """A published day; states of the dead are those of the day of their death."""
    printed, names = game.days[at].result, game.names
    states = [_last_status(game, at, name) for name in names]
    died = [_death_day(game, at, name) for name in names]
    budgets = [game.days[at].answers[n].question.status.balance if n in printed.bids else 0.0 for n in names]
    return Day(
        day=printed.day,
        supply=printed.supply,
        bids=tuple([printed.bids.get(name, math.nan) for name in names]),
        budgets=tuple(budgets),
        # Each once, in the printed order, also if a name is printed twice.
        winners=tuple(dict.fromkeys(names.index(name) for name in printed.winners)),
        balances=tuple([state.balance for state in states]),
        healths=tuple([state.health for state in states]),
        # The printed counter is 1 after a day with water.
        no_water_days=tuple([state.counter - 1 for state in states]),
        died=tuple(died),
    )


def _last_status(game: PublishedGame, at: int, name: str) -> Status:
    """The last printed state of a resident up to a day."""
    return next(day.result.after[name] for day in reversed(game.days[: at + 1]) if name in day.result.after)


def _death_day(game: PublishedGame, at: int, name: str) -> int:
    days = (day.result for day in game.days[: at + 1])
    return next((one.day for one in days if name in one.after and one.after[name].health <= 0), 0)


def group_by_lineup(games: Iterable[WaterGame]) -> dict[tuple[str, str], list[WaterGame]]:
    """Group games by line-up and setting in order of first appearance, sorted by seed."""
    out: dict[tuple[str, str], list[WaterGame]] = {}
    for game in games:
        out.setdefault((game.lineup, game.setting), []).append(game)
    return {key: sorted(own, key=lambda game: game.seed) for key, own in out.items()}
