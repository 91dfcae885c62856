"""Open-source games over base games: players submit programs that read each other and play for them.

Over a base game that says nothing about programs all of it follows from the base game. A program gets the view of its
seat as a dictionary (None where the seat does not know), the moves of both as dictionaries, and both sources; it
returns such a dictionary. Who is not to move is not asked. Words are dropped. A turn without an answer is the base
game's default action. The parameters are those of the base game, ``rounds`` called ``turns``, without ``messages``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from types import SimpleNamespace
from typing import Any, NamedTuple

from econzoo.envs.core import registry
from econzoo.envs.core.contract.actions import ActionSchema, Legal
from econzoo.envs.core.contract.game import Game, GameOptions, Move
from econzoo.envs.core.contract.objectives import Outcome
from econzoo.envs.core.contract.parameters import Parameter
from econzoo.envs.core.contract.rules import Rules
from econzoo.envs.core.faces.answer_form import UNLIMITED, answer_form
from econzoo.envs.core.faces.prompts import load_templates
from econzoo.envs.core.faces.text_face import Teller
from econzoo.envs.core.faces.wording import declared_wording
from econzoo.envs.families.open_source import submission
from econzoo.envs.families.open_source.match_referee import BaseGame, Referee, parse_move
from econzoo.envs.families.open_source.meta_rounds import BASE_PREFIX, MetaRounds, RoundCounts, without_failure
from econzoo.envs.families.open_source.submission import ROUNDS, running_conditions
from econzoo.envs.families.open_source.texts import Texts


class Params(NamedTuple):
    """One match.

    Attributes:
        base: The base game of each meta-round.
        rounds: Meta-rounds, >= 1.
        limits: See `MetaRounds`.
        policies: See `MetaRounds`.
    """

    base: Any
    rounds: int
    limits: tuple[float, ...]
    policies: tuple[int, ...]


META_ROUND_FIELDS = ("seat", "round", "over")
"""Fields of every view, which that of a program's author has of its own."""


RENAMED_PARAMETERS = {"rounds": "turns"}
"""What parameters of the base game are called beside those of the meta-rounds."""


class GenericMetaRounds(MetaRounds):
    """Meta-rounds over any base game, counted by its metrics; and the metrics of the whole match."""

    DEFINITIONS = ("paper",)
    tally = (("agreed", "1 if the last meta-round ended in an agreement, else 0."),)
    totals = (
        ("gains", "Sum of the self-gains of the base game."),
        ("welfare", "Sum of its efficiency, and sum of its fairness."),
    )

    def __init__(self, game: Game, name: str) -> None:
        """Makes the classes.

        Args:
            game: The base game.
            name: Of the open-source game, with which pickle finds the classes.
        """
        self.game, self.rules, self.name = game, game.rules, name
        self.setting = tuple([BASE_PREFIX + name for name in game.view_type._fields if name not in META_ROUND_FIELDS])  # type: ignore[attr-defined]
        super().__init__(__name__)
        self.name_classes(self.State, self.View, self.Result)

    def name_classes(self, *kinds: type) -> None:
        """Has pickle find classes by the name of the game; see `__getattr__`."""
        for kind in kinds:
            kind.__module__, kind.__qualname__ = __name__, f"{self.name}.{kind.__name__}"

    def __reduce__(self) -> str:
        return f"{self.name}.META"

    def count(self, p: Params, inner: Any, program_moves: tuple[list[Move], list[Move]]) -> RoundCounts:
        """Payoffs and metrics of the base game."""
        came: Outcome = self.game.metrics.outcome(p.base, inner)
        agreed = float(came.agreed)
        first, second = came.gains
        points = self.rules.payoffs(p.base, inner)
        return RoundCounts(points, ((agreed, agreed),), ((first, second), (came.efficiency, came.fairness)))

    def is_playable(self, base: Any, s: Any, seat: int, move: Move) -> bool:
        """Whether the base game would take it."""
        actions = self.game.actions_of(base)
        plain = actions.to_plain(actions.make(move.kind, move.values[:-1]))
        return parse_move(self.game, base, s, seat, plain) == without_failure(move)

    def start_view(self, v: Any) -> Any:
        """The base game's view at its start, from a view."""
        known = {name: getattr(v, BASE_PREFIX + name, 0) for name in self.game.view_type._fields}  # type: ignore[attr-defined]
        return self.game.view_type(**{**known, "seat": v.seat, "round": 1})

    def features(self, v: Any) -> tuple[float, ...]:
        """How far the match is, and the base game at its start."""
        return (v.round / v.rounds, *self.rules.features(self.start_view(v)))

    def gains(self, p: Params, s: Any) -> tuple[float, float]:
        """Mean self-gain of a meta-round; those to come count 0."""
        return s.gains[0] / p.rounds, s.gains[1] / p.rounds

    def outcome(self, p: Params, s: Any, definition: str = "paper") -> Outcome:
        """Means of the base game's metrics over all meta-rounds, those to come as 0; agreed as the last one is."""
        first, second, efficiency, fairness = [number / p.rounds for number in (*s.gains, *s.welfare)]
        return Outcome((first, second), efficiency, fairness, bool(s.over and s.agreed[0]))

    def parameters(self) -> tuple[Parameter, ...]:
        """Public parameters of the meta-rounds, and of the base game."""
        own = [one for one in self.game.parameters if one.name != "messages"]
        return (ROUNDS, *[replace(one, name=RENAMED_PARAMETERS.get(one.name, one.name)) for one in own])

    def configure(self, public: Mapping[str, Any]) -> dict[str, Any]:
        """The base game's parameters, and what a program may use."""
        own = {name: public.get(RENAMED_PARAMETERS.get(name, name), False) for name in self.game.defaults}
        return {"base": self.game.rule_params(own), **running_conditions(public, ())}

    def build_rules(self) -> Rules[Any, Any, Any]:
        """The rules of the open-source game."""
        names = "initial", "to_act", "legal", "apply", "payoffs", "observe", "features", "gains", "View", "Result"
        told = "meta-round over the number of meta-rounds: 0 to 1", *self.game.feature_names()
        return Rules(Params=Params, FEATURES=told, **{name: getattr(self, name) for name in names})


class GenericTexts(Texts):
    """The base game tells its own rules."""

    forfeit_text = "the default move of the game is played for it"

    def setting_fields(self, view: Any, names: tuple[str, ...]) -> dict[str, str]:
        """The brief of the base game, what its views tell, and what its moves look like."""
        game = self.game.base.game  # type: ignore[attr-defined]
        start = self.game.base.rules.start_view(view)  # type: ignore[attr-defined]
        return {
            "base": Teller(game, load_templates(game.package), False, names).rules(start),
            "view": ", ".join(start._fields),
            "answers": _all_kinds_form(game.actions, len(names)),
        }


def _all_kinds_form(actions: ActionSchema, seats: int) -> str:
    """Of all kinds of move, without words, and with no ranges but those that never change."""
    bounds = tuple(mark.widest_bounds((-UNLIMITED, UNLIMITED), seats) for marks in actions.marks for mark in marks)
    return answer_form(actions, Legal((True,) * len(actions.kinds), bounds, False), declared_wording(actions))


__all__ = ["make_open_source_game"]


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


class GenericOpenSourceGame(OpenSourceGame):
    """An open-source game of which all follows from the base game."""

    text = cached_property(GenericTexts)

    @property
    def metrics(self) -> Any:  # type: ignore[override]
        """See `AnyMetaRounds.outcome`."""
        return self.base.rules

    @property
    def classes(self) -> SimpleNamespace:
        """What games with rules of their own have in the module of these."""
        meta, program = self.base.rules, self.actions.kinds[0].model
        return SimpleNamespace(META=meta, State=meta.State, View=meta.View, Result=meta.Result, Program=program)


def __getattr__(name: str) -> SimpleNamespace:
    """The classes of a game over any base, where pickle looks for them."""
    game = registry.game(name) if name in registry.games() else None
    if not isinstance(game, GenericOpenSourceGame):
        raise AttributeError(f"{__name__} has no {name}")
    return game.classes


def make_open_source_game(
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
            (see the module).
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
        meta = GenericMetaRounds(base, name)
        made, played, whole = GenericOpenSourceGame, BaseGame(base, meta), meta.build_rules()
        parameters, configure = meta.parameters(), meta.configure
    else:
        played, whole = base, Rules.from_module(rules)
    actions = submission.make_program_action(played.interface, library, package)
    if isinstance(played.rules, GenericMetaRounds):
        played.rules.name_classes(actions.kinds[0].model)
    return made(
        name=name,
        version=0,
        summary=summary,
        facts=replace(played.game.facts, **{"chance": True, "language": False, "title": "", **facts}),
        rules=whole,
        actions=actions,
        parameters=(*parameters, *submission.running_parameters(played.interface.moves)),
        configure=configure,
        default_action=partial(submission.empty_program, actions),
        package=package,
        options=GameOptions(on_error="default", recover_action=partial(submission.salvage_program, actions)),
        base=played,
    )
