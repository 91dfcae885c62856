"""Games of water_allocation as the experiment looks at them: who played in which setting, and what happened."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from econzoo.envs.core.contract.streams import setting_parameters
from econzoo.envs.core.record.record import Record
from econzoo.envs.core.registry import game as find_game
from econzoo.envs.families.survival.metrics import Day
from econzoo.envs.games.water_allocation.indicators import alive_mask
from econzoo.envs.games.water_allocation.rules import Params
from econzoo.envs.games.water_allocation.scenarios import MARKETS
from econzoo.evaluate.analyses.alympics.days import WATER, days_of
from econzoo.evaluate.analyses.alympics.survival_bounds import Supplies, complete_supplies, supplies_of
from econzoo.evaluate.run.settings import label_setting, read_suite

if TYPE_CHECKING:
    from econzoo.evaluate.formats.alympics.published import PublishedGame
    from econzoo.evaluate.formats.alympics.texts import Status
    from econzoo.evaluate.run.design import Design

SETTINGS = tuple(read_suite("water")["settings"])
"""Names of the paper's six settings, in its order."""

PUBLISHED_LINEUP = "published games"
"""Line-up of games as they were published."""


class WaterGame(NamedTuple):
    """One game.

    Attributes:
        lineup: Who played, in words.
        setting: Name.
        seed: Of nature, which games of the same seed share; of published games, their number.
        names: Of the residents.
        params: The town.
        days: That are over.
        supplies: Units of each day, those after the death of all too; None if these are not known (see
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
        """Who lives at the end."""
        return alive_mask(self.params, self.days)


def lineup(specs: Sequence[str]) -> str:
    """Who plays, in words: one spec if it fills all seats."""
    return specs[0] if len(set(specs)) == 1 else " / ".join(specs)


def game_from_record(record: Record, design: Design | None = None) -> WaterGame:
    """A recorded match.

    Args:
        record: The match; an imported one has the number in its id for a seed.
        design: Has the names of the settings; None: they have the paper's.

    Raises:
        ValueError: Its moves do not fit the rules.
    """
    game = find_game(record.game)
    public, params = game.params(**record.params)
    setting = (design and design.setting_name(record.params)) or _setting_name(public)
    names = tuple(game.roles(len(record.players), public))
    days, supplies = days_of(record, WATER), supplies_of(record)
    seed = parse_game_number(str((record.source or {}).get("id", "")), record.seed)
    return WaterGame(lineup(record.labels), setting, seed, names, params, days, supplies)


def parse_game_number(name: str, default: int) -> int:
    """The number at the end of a game's name, such as 5 in ``WAC_persona_10_20_5``."""
    found = re.search(r"_(\d{1,9})$", name)
    return int(found[1]) if found else default


def game_from_published(game: PublishedGame, number: int, lineup: str = PUBLISHED_LINEUP) -> WaterGame:
    """A game as it was published, faults of its books included.

    Args:
        game: That has been checked (`econzoo.evaluate.formats.alympics.checking.check`).
        number: Stands for a seed where its name has no number.
        lineup: Who played.
    """
    public, params = find_game(WATER).params(**game.params)
    days = [_day(game, at) for at in range(len(game.days))]
    supplies = complete_supplies(params, days)
    return WaterGame(
        lineup, _setting_name(public), parse_game_number(game.id, number), game.names, params, days, supplies
    )


def _setting_name(public: Mapping[str, Any]) -> str:
    """The paper's name of a setting, or its parameters in words, the residents aside."""
    rules = find_game(WATER)
    own = setting_parameters(rules.parameters, public)
    named = (name for name in SETTINGS if setting_parameters(rules.parameters, rules.params(**MARKETS[name])[0]) == own)
    return next(named, label_setting(rules, {name: value for name, value in own.items() if name != "residents"}))


def _day(game: PublishedGame, at: int) -> Day:
    """A published day; the printed states of the dead are those of the day of their death."""
    told, names = game.days[at].result, game.names
    states = [_last_status(game, at, name) for name in names]
    died = [_death_day(game, at, name) for name in names]
    purses = [game.days[at].answers[n].question.status.balance if n in told.bids else 0.0 for n in names]
    return Day(
        day=told.day,
        supply=told.supply,
        bids=tuple([told.bids.get(name, math.nan) for name in names]),
        purses=tuple(purses),
        winners=tuple(dict.fromkeys(names.index(name) for name in told.winners)),
        balances=tuple([state.balance for state in states]),
        healths=tuple([state.health for state in states]),
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
    """Games by line-up and setting, in the order in which these come first, and by seed."""
    out: dict[tuple[str, str], list[WaterGame]] = {}
    for game in games:
        out.setdefault((game.lineup, game.setting), []).append(game)
    return {key: sorted(found, key=lambda game: game.seed) for key, found in out.items()}
