"""Matrix games: 2x2 games, one-shot or repeated, such as the prisoner's dilemma."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple

from econzoo.envs.core.contract import ActionSchema, Flag, Game, GameFacts, GameOptions, Kind, Message, Messages
from econzoo.envs.core.contract import Parameter, Real, Rules, declared_parameters
from econzoo.envs.games.matrix import rules
from econzoo.envs.games.matrix.tables import TABLE_PARAMETERS, TITLES, name_of, resolve_table


class Cooperate(NamedTuple):
    """Play C: cooperate, where the game has such a move."""

    message: Annotated[str, Message("words to the other player, read when the round is over")] = ""


class Defect(NamedTuple):
    """Play D: defect, where the game has such a move."""

    message: Annotated[str, Message("words to the other player, read when the round is over")] = ""


ACTIONS = ActionSchema(Kind("C", Cooperate), Kind("D", Defect))

ROUNDS, NOISE = declared_parameters(rules.Params)

PARAMETERS = (
    *TABLE_PARAMETERS,
    ROUNDS,
    Parameter("known", True, Flag(), "Whether the players know the number of rounds; never with `prob_end`."),
    NOISE,
    Parameter("messages", True, Messages(), "Whether choices can carry messages."),
    Parameter(
        "prob_end",
        0.0,
        Real(0.0, 1.0),
        "Probability, known to the players, that the match ends after a round; it ends after `rounds` at the latest.",
        in_seed="unless default",
    ),
)


def configure(public: Mapping[str, Any]) -> dict[str, Any]:
    """Return the payoff table and the information on the end; with ``prob_end`` 1 the match has one round."""
    table, prob_end = resolve_table(public), public["prob_end"]
    if prob_end == 1.0:
        return {"table": table, "rounds": 1, "known": 1, "prob_end": 0.0}
    return {"table": table, "known": int(public["known"] and prob_end == 0.0)}


def default_action(view: rules.View) -> Any:
    """Default action: D, so that no invalid answer counts as cooperation."""
    return Defect()


def title(public: Mapping[str, Any]) -> str:
    """Title by payoffs, since not every 2x2 game is a dilemma."""
    return TITLES.get(name_of(resolve_table(public)) or "", "2x2 game")


GAME = Game(
    name="matrix",
    version=0,
    summary="Both choose C or D at once, round after round: the prisoner's dilemma and other games of two moves.",
    facts=GameFacts(
        seats=2,
        chance=True,
        perfect_information=False,
        language=True,
        roles=("Alice", "Bob"),
        has_person_names=True,
        source="Axelrod (1984), The Evolution of Cooperation; Rapoport, Guyer and Gordon (1976), The 2x2 Game",
        agreement="mutual cooperation",
        is_countable=False,
        gain="points per round, scaled from the smallest (0) to the largest (1) payoff of a round",
        gain_range=(0.0, 1.0),
        title="Prisoner's dilemma and other 2x2 games",
        pays_by_round=True,
    ),
    rules=Rules[rules.Params, rules.State, rules.View].from_module(rules),
    actions=ACTIONS,
    parameters=PARAMETERS,
    configure=configure,
    default_action=default_action,
    package=__name__,
    options=GameOptions(title=title),
)
