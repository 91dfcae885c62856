"""Open-source games over base games: players submit programs that read each other and play for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from types import ModuleType
from typing import Any

from econzoo.envs.core import registry
from econzoo.envs.core.game import Game
from econzoo.envs.core.parameters import Parameter
from econzoo.envs.core.rules import Rules
from econzoo.envs.families.open_source import submission
from econzoo.envs.families.open_source.playing import BaseGame, Referee
from econzoo.envs.families.open_source.texts import Texts


@dataclass(frozen=True, eq=False)
class OpenSourceGame(Game[Any, Any, Any]):
    """A game in which programs are submitted.

    Attributes:
        base: The game that they play.
    """

    base: BaseGame = field(kw_only=True)

    @cached_property
    def text(self) -> Any:
        """The texts of the game, or those of any base game; see `Texts`."""
        made: Texts = super().text.OwnTexts(self)
        return made

    @cached_property
    def referee(self) -> Any:
        """Runs the programs; see `Game.referee`."""
        return Referee(self, self.base)

    def __reduce__(self) -> tuple[Any, ...]:
        return registry.game, (self.name,)


def open_source(
    base: BaseGame,
    rules: ModuleType,
    parameters: tuple[Parameter, ...],
    configure: Callable[[Mapping[str, Any]], Any],
    *,
    name: str,
    library: str,
    summary: str,
    package: str,
    **facts: Any,
) -> OpenSourceGame:
    """The open-source game over a base game.

    Args:
        base: The base game, and what programs know of it.
        rules: Its module of rules: parts of `MetaRounds`, and features.
        parameters: Public ones, before those of what a program may use.
        configure: Makes ``Params`` of the public parameters.
        name: Snake-case id.
        library: Name of the base game in the library of written programs.
        summary: One sentence for lists.
        package: Import path of the game's folder.
        **facts: Of the game, where they are not those of the base game.
    """
    moves = base.interface.moves
    actions = submission.submitting(base.interface, partial(submission.written, library), package)
    told = {"chance": True, "perfect_information": True, "language": False, **facts}
    return OpenSourceGame(
        name=name,
        version=0,
        summary=summary,
        facts=replace(base.game.facts, **told),
        rules=Rules.of(rules),
        actions=actions,
        parameters=(*parameters, *submission.running(moves)),
        configure=configure,
        default_action=partial(submission.nothing, actions),
        package=package,
        on_error="default",
        kept=partial(submission.kept, actions),
        base=base,
    )
