"""Open-source games over base games: players submit programs that read each other and play for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

from econzoo.envs.core import registry
from econzoo.envs.core.contract.game import Game, GameOptions
from econzoo.envs.core.contract.parameters import Parameter
from econzoo.envs.core.contract.rules import Rules
from econzoo.envs.families.open_source import submission
from econzoo.envs.families.open_source.any_base import AnyMetaRounds, AnyTexts
from econzoo.envs.families.open_source.playing import BaseGame, Referee

__all__ = ["open_source"]


@dataclass(frozen=True, eq=False)
class OpenSourceGame(Game[Any, Any, Any]):
    """A game in which programs are submitted.

    Attributes:
        base: The game that they play.
    """

    base: BaseGame = field(kw_only=True)

    @cached_property
    def text(self) -> Any:
        """The texts of the game; see `econzoo.envs.families.open_source.texts.Texts`."""
        return super().text.OwnTexts(self)

    @cached_property
    def referee(self) -> Any:
        """Runs the programs; see `Game.referee`."""
        return Referee(self, self.base)

    def __reduce__(self) -> tuple[Any, ...]:
        return registry.game, (self.name,)


class OverAnyBase(OpenSourceGame):
    """An open-source game of which all follows from the base game."""

    text = cached_property(AnyTexts)

    @property
    def metrics(self) -> Any:  # type: ignore[override]
        """See `AnyMetaRounds.outcome`."""
        return self.base.rules


def open_source(
    base: BaseGame | Game,
    rules: Any = None,
    parameters: tuple[Parameter, ...] = (),
    configure: Callable[[Mapping[str, Any]], Mapping[str, Any]] = dict,
    *,
    name: str,
    library: Callable[[], Mapping[str, str]],
    summary: str = "Both submit programs that read each other and play for them.",
    package: str = __package__,
    **facts: Any,
) -> OpenSourceGame:
    """The open-source game over a base game of two seats, whose moves are kinds or numbers.

    Args:
        base: The base game with what programs know of it; or a game alone, from which all but the names follows then
            (see `econzoo.envs.families.open_source.any_base`).
        rules: The module of rules: parts of `MetaRounds`, and features.
        parameters: Public ones, before those of what a program may use.
        configure: See `Game`.
        name: Snake-case id.
        library: Written programs by name.
        summary: One sentence for lists.
        package: Import path of the game's folder.
        **facts: Of the game, where they are not those of the base game.

    Raises:
        ValueError: The base game has more or fewer seats.
    """
    made: type[OpenSourceGame] = OpenSourceGame
    if isinstance(base, Game):
        if base.facts.seats != 2:
            raise ValueError(f"{base.name} has {base.facts.seats} seats; allowed: a game of 2")
        meta = AnyMetaRounds(base, package)
        made, played, whole = OverAnyBase, BaseGame(base, meta), meta.whole()
        parameters, configure = meta.parameters(), meta.configure
    else:
        played, whole = base, Rules.of(rules)
    actions = submission.submitting(played.interface, library, package)
    return made(
        name=name,
        version=0,
        summary=summary,
        facts=replace(played.game.facts, **{"chance": True, "language": False, **facts}),
        rules=whole,
        actions=actions,
        parameters=(*parameters, *submission.running(played.interface.moves)),
        configure=configure,
        default_action=partial(submission.nothing, actions),
        package=package,
        options=GameOptions(on_error="default", kept=partial(submission.kept, actions)),
        base=played,
    )
