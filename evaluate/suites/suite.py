"""What ``econzoo run`` plays: designs by their folders, and the analysis that says what came of them.

A suite is a function from `SuiteRequest`, and from options of its own, to a `Suite`; it plays nothing itself. A game
is the
suite of its tournament (`econzoo.evaluate.suites.tournament`). Settings, opponents and numbers of published sets lie in
TOML files beside their functions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Annotated, Any

from econzoo.baselines.pools import POOLS
from econzoo.baselines.reader_option import add_reader, check_reader
from econzoo.envs.core.contract.options import Option
from econzoo.envs.core.contract.parameters import Integer, OneOf, OrNone
from econzoo.envs.core.contract.validation import unknown_name
from econzoo.envs.core.env.options import RECORDED_OPTIONS, split_settings
from econzoo.envs.core.registry import game as find_game
from econzoo.envs.core.registry import games, name_hint
from econzoo.evaluate.run.design import MAX_SEEDS, Design
from econzoo.evaluate.run.settings import Setting, label_setting, parse_params, read_settings, resolve_settings
from econzoo.evaluate.show.page import Page

__all__ = ["SUITES", "SuiteRequest", "Suite", "suite"]

SPECS = "spe, fair, 'boulware(0.2)', random, ..., hf:smollm2, hf:PATH, openai:MODEL@URL, ppo:FILE"
"""Examples of players for the help; an unknown spec is answered with the list of all."""


PARAM = f"NAME=VALUE of the game, or of its environment: {', '.join(RECORDED_OPTIONS)} (repeatable)."


@dataclass
class SuiteRequest:
    """What every design is made of; what is not given is None or empty.

    Attributes:
        players: Specs of the players that are compared.
        opponents: Specs that they meet.
        pool: Pool of opponents, of `econzoo.baselines.pools.POOLS`.
        settings: Names of settings, of distributions of settings, or paths of JSON files of settings.
        param: ``NAME=VALUE``: parameters of the game in all settings, and options of the environment.
        seeds: Number of seeds of each line-up in each setting.
        lineups: A spec for each seat with ``|`` between them, in place of all pairs in all seats.
        reader: Spec of a language model that reads the words to scripted players.
    """

    players: Annotated[list[str], Option(meaning=f"Players: {SPECS}.", positional=True)] = field(default_factory=list)
    opponents: Annotated[
        list[str], Option(meaning="Opponent spec (repeatable).", default="each other", panel="Design")
    ] = field(default_factory=list)
    pool: Annotated[
        str | None, Option(OrNone(OneOf(*POOLS)), "Opponent pool, met in held-out settings.", panel="Design")
    ] = None
    settings: Annotated[
        list[str],
        Option(meaning="Setting, distribution of settings, all, or JSON file (repeatable).", panel="Design"),
    ] = field(default_factory=list)
    param: Annotated[
        list[str],
        Option(meaning=PARAM, panel="Design", letter="-p"),
    ] = field(default_factory=list)
    seeds: Annotated[
        int | None, Option(OrNone(Integer(1, MAX_SEEDS)), "Seeds of each line-up in each setting.", panel="Design")
    ] = None
    lineups: Annotated[
        list[str],
        Option(meaning="'PLAYER | PLAYER', one for each seat (repeatable).", default="all pairs", panel="Design"),
    ] = field(default_factory=list)
    reader: Annotated[
        str | None, Option(meaning="Language model that reads messages to scripted players.", panel="Design")
    ] = None

    def params(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Options of the environment, and parameters of the game."""
        return split_settings(parse_params(self.param))

    def keywords(self, make: Callable[..., Any]) -> dict[str, Any]:
        """Options and parameters for a function that makes designs, which takes them by name.

        Raises:
            ValueError: One is the name of something else that the function takes.
        """
        found = parse_params(self.param)
        own = [name for name, one in signature(make).parameters.items() if one.kind is not one.VAR_KEYWORD]
        for name in found:
            if name in own:
                raise ValueError(f"-p {name}=... is not allowed; allowed: parameters of the game, and options")
        return found

    def resolve_settings(self, game: str) -> list[Setting]:
        """The settings that are named, each with the given parameters; those alone where no setting is named."""
        rules, (_, params) = find_game(game), self.params()
        found: list[Setting] = []
        for name in self.settings:
            found += read_settings(rules, name) if Path(name).suffix == ".json" else resolve_settings(rules, [name])
        if params and not found:
            return [Setting(label_setting(rules, params), params)]
        suffix = f" {label_setting(rules, params)}" if params else ""
        return [Setting(name + suffix, {**own, **params}) for name, own in found]

    def with_readers(self, game: str) -> SuiteRequest:
        """The same with the reader given to every scripted player that reads."""
        check_reader(self.reader, [*self.players, *self.opponents], game)
        players, opponents = (add_reader(specs, game, self.reader) for specs in (self.players, self.opponents))
        lineups = [" | ".join(add_reader(one.split(" | "), game, self.reader)) for one in self.lineups]
        return SuiteRequest(players, opponents, self.pool, self.settings, self.param, self.seeds, lineups)

    def refuse_options(self, name: str, *options: str) -> None:
        """Raises `ValueError` for options that a suite does not take."""
        for option in options:
            if getattr(self, option):
                raise ValueError(f"--{option} is not allowed with {name}")


@dataclass(frozen=True)
class Suite:
    """Designs and what is to be said of them.

    Attributes:
        designs: By their folders in the output folder; ``"."`` is that folder itself; none: nothing is played.
        analysis: Name of the analysis of the records.
        options: Of the analysis.
        lines: What is said before anything is played.
        page: What is shown of the output folder, with so many processes; None: the analysis of its records.
        unit: What a progress bar counts.
        takes_records: Whether the analysis is given the records; False: it reads the folder by itself.
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
    "standard": (".standard:standard", "Score card of players over all main games: fixed settings, opponents, seeds."),
    "glee": (
        ".glee:glee",
        "GLEE: its families in the settings small (default), main, main-trade, full, or of one family.",
    ),
    "sparc": (
        ".sparc.benchmark:sparc",
        "SPARC: will this program cooperate? Settings: all (default), training, held-out, generated, or names.",
    ),
    "water": (".alympics:water", "ALYMPICS: the Water Allocation Challenge in six settings."),
    "guess": (".alympics:guess", "K-level paper: guess 0.8 of the average against four others of one kind."),
    "auction": (".alympics:auction", "K-level paper: the survival auction against four others of one kind."),
    "channel": (".channel:channel", "Ablate the message channel of a game: on, off, scrambled."),
    "anchoring": (".anchoring:anchoring", "Ask the first questions of a game in several forms of the prompt."),
    "open-source": (
        ".open_source:open_source",
        "Open-source games: authors by objective, programs that look for likeness.",
    ),
}
"""Name to (``"module:function"``, one line of help); modules of this package begin with a dot."""


def suite(name: str) -> Callable[..., Suite]:
    """The function of a suite, or of the tournament of a game.

    Raises:
        ValueError: There is neither.
    """
    if name not in SUITES and name not in games():
        raise ValueError(unknown_name("game or suite", name, [*SUITES, *games()], hint=name_hint(name)))
    module, _, function = SUITES.get(name, (".tournament:tournament_of", ""))[0].partition(":")
    found: Callable[..., Any] = getattr(import_module(module, PACKAGE), function)
    return found if name in SUITES else found(name)
