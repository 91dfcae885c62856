"""Open-source games over base games: players submit programs that read each other and play for them.

Everything can be derived from the base game. A program gets the view of its seat as a dictionary (None for unknown
values), the moves of both seats as dictionaries, and both sources; it returns a move as a dictionary. Only programs to
move are called. Messages are dropped. A turn without an answer is the base game's default action. The parameters are
those of the base game, with ``rounds`` renamed ``turns`` and without ``messages``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from types import SimpleNamespace
from typing import Any, NamedTuple

from econzoo.envs.core import registry
from econzoo.envs.core.contract import ActionSchema, Game, GameOptions, Legal, Move, Outcome, Parameter, Rules
from econzoo.envs.core.contract import check_arguments
from econzoo.envs.core.faces import UNLIMITED, Teller, answer_form, declared_wording, load_templates
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
"""Fields of every view, which the view of a program's author has too."""


RENAMED_PARAMETERS = {"rounds": "turns"}
"""Parameters of the base game that would collide with those of the meta-rounds, and their new names."""


class GenericMetaRounds(MetaRounds):
    """Meta-rounds over any base game, scored by its metrics, and the metrics of the match."""

    DEFINITIONS = ("paper",)
    tally = (("agreed", "1 if the last meta-round ended in an agreement, else 0."),)
    totals = (
        ("gains", "Sum of the self-gains of the base game."),
        ("welfare", "Sum of its efficiency, and sum of its fairness."),
    )

    def __init__(self, game: Game, name: str) -> None:
        """Create the classes, which pickle finds by the name of the open-source game."""
        self.game, self.rules, self.name = game, game.rules, name
        self.setting = tuple([BASE_PREFIX + name for name in game.view_type._fields if name not in META_ROUND_FIELDS])  # type: ignore[attr-defined]
        super().__init__(__name__)
        self.name_classes(self.State, self.View, self.Result)

    def name_classes(self, *kinds: type) -> None:
        """Make classes importable for pickle by the name of the game; see `__getattr__`."""
        for kind in kinds:
            kind.__module__, kind.__qualname__ = __name__, f"{self.name}.{kind.__name__}"

    def __reduce__(self) -> str:
        return f"{self.name}.META"

    def count(self, p: Params, inner: Any, program_moves: tuple[list[Move], list[Move]]) -> RoundCounts:
        """Payoffs and metrics of the base game."""
        outcome: Outcome = self.game.metrics.outcome(p.base, inner)
        agreed = float(outcome.agreed)
        first, second = outcome.gains
        points = self.rules.payoffs(p.base, inner)
        return RoundCounts(points, ((agreed, agreed),), ((first, second), (outcome.efficiency, outcome.fairness)))

    def is_playable(self, base: Any, s: Any, seat: int, move: Move) -> bool:
        """Whether the move is legal in the base game."""
        actions = self.game.actions_of(base)
        # There and back: a legal move is one that its own dictionary is parsed as.
        plain = actions.to_plain(actions.make(move.kind, move.values[:-1]))
        return parse_move(self.game, base, s, seat, plain) == without_failure(move)

    def start_view(self, v: Any) -> Any:
        """Return the base game's view at its start, from a view."""
        # `setting` has all fields but those of META_ROUND_FIELDS; seat and round are set below, and `over` is 0.
        known = {name: getattr(v, BASE_PREFIX + name, 0) for name in self.game.view_type._fields}  # type: ignore[attr-defined]
        return self.game.view_type(**{**known, "seat": v.seat, "round": 1})

    def features(self, v: Any) -> tuple[float, ...]:
        """Progress of the match, and the features of the base game at its start."""
        return (v.round / v.rounds, *self.rules.features(self.start_view(v)))

    def gains(self, p: Params, s: Any) -> tuple[float, float]:
        """Mean self-gain per meta-round; unplayed ones count 0."""
        return s.gains[0] / p.rounds, s.gains[1] / p.rounds

    def outcome(self, p: Params, s: Any, definition: str = "paper") -> Outcome:
        """Means of the base game's metrics over all meta-rounds, unplayed ones as 0; agreed as in the last one."""
        first, second, efficiency, fairness = [number / p.rounds for number in (*s.gains, *s.welfare)]
        return Outcome((first, second), efficiency, fairness, bool(s.over and s.agreed[0]))

    def parameters(self) -> tuple[Parameter, ...]:
        """Public parameters of the meta-rounds, and of the base game."""
        own = [one for one in self.game.parameters if one.name != "messages"]
        return (ROUNDS, *[replace(one, name=RENAMED_PARAMETERS.get(one.name, one.name)) for one in own])

    def configure(self, public: Mapping[str, Any]) -> dict[str, Any]:
        """The base game's parameters, and the limits of programs."""
        # `messages` is the only parameter of the base game without a public one: off.
        own = {name: public.get(RENAMED_PARAMETERS.get(name, name), False) for name in self.game.defaults}
        return {"base": self.game.rule_params(own), **running_conditions(public, ())}

    def build_rules(self) -> Rules[Any, Any, Any]:
        """The rules of the open-source game."""
        names = "initial", "to_act", "legal", "apply", "payoffs", "observe", "features", "gains", "View", "Result"
        features = "meta-round over the number of meta-rounds: 0 to 1", *self.game.feature_names()
        return Rules(Params=Params, FEATURES=features, **{name: getattr(self, name) for name in names})


class GenericTexts(Texts):
    """Texts that quote the rules of the base game."""

    forfeit_text = "the default move of the game is played for it"

    def setting_fields(self, view: Any, names: tuple[str, ...]) -> dict[str, str]:
        """The brief of the base game, the fields of its views, and the form of its moves."""
        game = self.game.base.game  # type: ignore[attr-defined]
        start = self.game.base.rules.start_view(view)  # type: ignore[attr-defined]
        return {
            "base": Teller(game, load_templates(game.package), False, names).rules(start),
            "view": ", ".join(start._fields),
            "answers": _all_kinds_form(game.actions, len(names)),
        }


def _all_kinds_form(actions: ActionSchema, seats: int) -> str:
    """Answer form of all kinds of move, without messages, and only with ranges that never change."""
    bounds = tuple(mark.widest_bounds((-UNLIMITED, UNLIMITED), seats) for marks in actions.marks for mark in marks)
    return answer_form(actions, Legal((True,) * len(actions.kinds), bounds, False), declared_wording(actions))


__all__ = ["make_open_source_game"]


@dataclass(frozen=True, eq=False)
class OpenSourceGame(Game[Any, Any, Any]):
    """A game in which players submit programs for the game `base`."""

    base: BaseGame = field(kw_only=True)

    @cached_property
    def text(self) -> Any:
        """Texts of the game; see `econzoo.envs.families.open_source.texts.Texts`."""
        return super().text.OwnTexts(self)

    @cached_property
    def referee(self) -> Any:
        """Referee that runs the programs; see `Game.referee`."""
        return Referee(self, self.base)

    def __reduce__(self) -> tuple[Any, ...]:
        return registry.game, (self.name,)


class GenericOpenSourceGame(OpenSourceGame):
    """An open-source game that is derived from its base game alone."""

    text = cached_property(GenericTexts)  # called with the game, the class makes its texts

    @property
    def metrics(self) -> Any:  # type: ignore[override]
        """See `GenericMetaRounds.outcome`."""
        return self.base.rules

    @property
    def classes(self) -> SimpleNamespace:
        """The classes that hand-written games have in their rules module."""
        meta, program = self.base.rules, self.actions.kinds[0].model
        return SimpleNamespace(META=meta, State=meta.State, View=meta.View, Result=meta.Result, Program=program)


def __getattr__(name: str) -> SimpleNamespace:
    """Return the classes of a derived game, for pickle."""
    game = registry.game(name) if name in registry.games() else None
    if not isinstance(game, GenericOpenSourceGame):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return game.classes


@check_arguments
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
    """Make the open-source game over a base game of two seats.

    Args:
        base: The base game with its interface for programs; or a game alone, from which everything else is derived
            (see the module).
        rules: Module with the parts of `MetaRounds`, and features.
        parameters: Public parameters, ahead of those of the limits of programs.
        configure: See `Game`.
        name: Snake-case id.
        library: Programs by name.
        summary: One sentence for lists.
        package: Import path of the game's folder.
        **facts: Fields of `GameFacts` that differ from those of the base game.

    Raises:
        ValueError: The base game does not have two seats.
    """
    kind: type[OpenSourceGame] = OpenSourceGame
    if isinstance(base, Game):
        if base.facts.seats != 2:
            raise ValueError(f"base={base.name}: expected a game of 2 seats, got {base.facts.seats}")
        meta = GenericMetaRounds(base, name)
        kind, base_game, meta_rules = GenericOpenSourceGame, BaseGame(base, meta), meta.build_rules()
        parameters, configure = meta.parameters(), meta.configure
    else:
        base_game, meta_rules = base, Rules.from_module(rules)
    actions = submission.make_program_action(base_game.interface, library, package)
    if isinstance(base_game.rules, GenericMetaRounds):
        base_game.rules.name_classes(actions.kinds[0].model)
    return kind(
        name=name,
        version=0,
        summary=summary,
        facts=replace(base_game.game.facts, **{"chance": True, "language": False, "title": "", **facts}),
        rules=meta_rules,
        actions=actions,
        parameters=(*parameters, *submission.running_parameters(base_game.interface.moves)),
        configure=configure,
        default_action=partial(submission.empty_program, actions),
        package=package,
        options=GameOptions(on_error="default", recover_action=partial(submission.salvage_program, actions)),
        base=base_game,
    )
