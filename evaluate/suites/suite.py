"""Suites for ``econzoo run``: designs by folder, and the analysis of their records.

A suite is a function of a `SuiteRequest` and its own options that returns a `Suite`; it plays nothing itself. The suite
of a game is its tournament (`econzoo.evaluate.suites.tournament`). TOML files beside the functions hold the settings,
opponents and numbers of published sets.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Annotated, Any

from econzoo.baselines import POOLS, add_reader, check_reader
from econzoo.envs.core import game as find_game
from econzoo.envs.core import games, name_hint
from econzoo.envs.core.contract import Integer, OneOf, Option, OrNone, unknown_name
from econzoo.envs.core.env import split_settings
from econzoo.evaluate.run import MAX_SEEDS, PARAM, SPECS, Design, Setting, label_setting, parse_lineups, parse_params
from econzoo.evaluate.run import read_settings, resolve_settings
from econzoo.evaluate.show import Page

__all__ = ["SUITES", "SuiteRequest", "Suite", "suite"]


@dataclass
class SuiteRequest:
    """Options common to all designs; None or empty if not given.

    Attributes:
        players: Specs of the compared players.
        opponents: Specs of their opponents.
        pool: Opponent pool, one of `econzoo.baselines.pools.POOLS`.
        settings: Names of settings or setting distributions, or paths of JSON files of settings.
        param: ``NAME=VALUE``: game parameters for all settings, and environment options.
        seeds: Number of seeds per line-up and setting.
        lineups: One spec per seat, separated by ``|``; replaces all pairs in all seats.
        reader: Spec of a language model that interprets messages for scripted players.
    """

    players: Annotated[list[str], Option(meaning=f"Players: {SPECS}.", positional=True)] = field(default_factory=list)
    opponents: Annotated[
        list[str], Option(meaning="Opponent spec (repeatable).", default="round robin", panel="Design")
    ] = field(default_factory=list)
    pool: Annotated[
        str | None, Option(OrNone(OneOf(*POOLS)), "Opponent pool; played in held-out settings.", panel="Design")
    ] = None
    settings: Annotated[
        list[str],
        Option(meaning="Setting, setting distribution, all, or JSON file (repeatable).", panel="Design"),
    ] = field(default_factory=list)
    param: Annotated[
        list[str],
        Option(meaning=PARAM, panel="Design", letter="-p"),
    ] = field(default_factory=list)
    seeds: Annotated[
        int | None, Option(OrNone(Integer(1, MAX_SEEDS)), "Seeds per line-up and setting.", panel="Design")
    ] = None
    lineups: Annotated[
        list[str],
        Option(
            meaning="Line-up 'PLAYER | PLAYER', one player per seat (repeatable).", default="all pairs", panel="Design"
        ),
    ] = field(default_factory=list)
    reader: Annotated[
        str | None, Option(meaning="Language model that interprets messages for scripted players.", panel="Design")
    ] = None

    def params(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Environment options and game parameters."""
        return split_settings(parse_params(self.param))

    def keywords(self, make: Callable[..., Any]) -> dict[str, Any]:
        """Options and parameters as keyword arguments of a function that makes designs."""
        found = parse_params(self.param)
        # These would silently replace what other options say, such as seeds.
        own = [name for name, one in signature(make).parameters.items() if one.kind is not one.VAR_KEYWORD]
        for name in found:
            if name in own:
                raise ValueError(f"invalid -p {name}: expected a game parameter or an environment option")
        return found

    def resolve_settings(self, game: str) -> list[Setting]:
        """The named settings, overridden by the given parameters; without names, one setting of these parameters."""
        rules, (_, params) = find_game(game), self.params()
        found: list[Setting] = []
        for name in self.settings:
            found += read_settings(rules, name) if Path(name).suffix == ".json" else resolve_settings(rules, [name])
        if params and not found:
            return [Setting(label_setting(rules, params), params)]
        suffix = f" {label_setting(rules, params)}" if params else ""
        return [Setting(name + suffix, {**own, **params}) for name, own in found]

    def with_readers(self, game: str) -> SuiteRequest:
        """A copy that gives the reader to every scripted player that interprets messages."""
        check_reader(self.reader, [*self.players, *self.opponents], game)
        players, opponents = (add_reader(specs, game, self.reader) for specs in (self.players, self.opponents))
        lineups = [" | ".join(add_reader(one, game, self.reader)) for one in parse_lineups(self.lineups)]
        # Without the reader, which is now part of the specs.
        return SuiteRequest(players, opponents, self.pool, self.settings, self.param, self.seeds, lineups)

    def refuse_options(self, name: str, *options: str) -> None:
        """Raise `ValueError` for options that the suite does not support."""
        for option in options:
            if getattr(self, option):
                raise ValueError(f"{name} does not support --{option}")


@dataclass(frozen=True)
class Suite:
    """Designs and their analysis.

    Attributes:
        designs: Designs by subfolder of the output folder (``"."``: that folder itself); empty: nothing is played.
        lines: Lines printed ahead of play.
        page: Function from output folder and number of processes to the page of results; None: `analysis`.
        unit: Unit of the progress bar.
        takes_records: Whether the analysis receives the records; False: it reads the folder itself.
    """

    designs: Mapping[str, Design]
    analysis: str = "summary"
    options: Mapping[str, Any] = field(default_factory=dict)
    lines: Sequence[str] = ()
    page: Callable[[Path, int | None], Page] | None = None
    unit: str = "matches"
    takes_records: bool = True


PACKAGE = "econzoo.evaluate.suites"

SUITES: dict[str, tuple[str, str]] = {
    "standard": (".standard:standard", "Score card over all main games: fixed settings, opponents and seeds."),
    "glee": (
        ".glee:glee",
        "GLEE's game families. Settings: small (default), main, main-trade, full, or a family.",
    ),
    "sparc": (
        ".sparc.benchmark:sparc",
        "SPARC: will this program cooperate? Settings: all (default), training, held-out, generated, or names.",
    ),
    "water": (".alympics:water", "ALYMPICS: the Water Allocation Challenge in six settings."),
    "guess": (".alympics:guess", "K-level paper: guess 0.8 of the average, against four copies of an opponent."),
    "auction": (".alympics:auction", "K-level paper: survival auction, against four copies of an opponent."),
    "channel": (".channel:channel", "Ablate the message channel of a game: on, off, scrambled."),
    "anchoring": (
        ".anchoring:anchoring",
        "Prompt anchoring: the first questions of a game under several prompt variants.",
    ),
    "open-source": (
        ".open_source:open_source",
        "Open-source games: program authors by objective, and similarity-based cooperation.",
    ),
}
"""Suite name to (``"module:function"``, help line); a leading dot is relative to this package."""


def suite(name: str) -> Callable[..., Suite]:
    """Return the function of a suite, or of a game's tournament."""
    if name not in SUITES and name not in games():
        raise ValueError(unknown_name("game or suite", name, [*SUITES, *games()], hint=name_hint(name)))
    module, _, function = SUITES.get(name, (".tournament:tournament_of", ""))[0].partition(":")
    found: Callable[..., Any] = getattr(import_module(module, PACKAGE), function)
    return found if name in SUITES else found(name)
