"""Survival auction: every day equal players bid for water that is enough for one of them (Zhang et al. 2024)."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any, NamedTuple

from econzoo.envs.core.contract import ActionSchema, Amount, Game, GameFacts, GameOptions, Kind, Rules, bound_parameter
from econzoo.envs.core.contract import declared_parameters
from econzoo.envs.families.survival import REWARD, encode_reward_and_bound
from econzoo.envs.games.survival_auction import rules

NAMES = ("Alex", "Bob", "Cindy", "David", "Eric")


class Bid(NamedTuple):
    """Bid for the water of the day; the winner pays the own bid."""

    bid: Annotated[float, Amount("dollars that you bid", are_guards=(False, True))]


ACTIONS = ActionSchema(Kind("bid", Bid))


def default_action(view: rules.View) -> Any:
    """Default action: a bid of nothing."""
    return Bid(0.0)


GAME = Game(
    name="survival_auction",
    version=0,
    summary="Every day equal players bid for water that is enough for one of them; anyone dry for too long dies.",
    facts=GameFacts(
        seats=5,
        chance=False,
        perfect_information=True,
        language=False,
        roles=NAMES,
        has_person_names=True,
        source="Zhang et al. (2024), K-level reasoning with large language models, arXiv:2402.01521, game SAG",
        agreement="full survival",
        is_countable=False,
        gain="survival to the end (1 or 0), or health or days as a fraction of the maximum",
        gain_range=(0.0, 1.0),
        pays_by_round=True,
    ),
    rules=Rules[rules.Params, rules.State, rules.View].from_module(rules),
    actions=ACTIONS,
    parameters=(
        *declared_parameters(rules.Params),
        REWARD,
        bound_parameter(rules.BOUND, "Highest legal bid, as a multiple of the largest total income"),
    ),
    configure=partial(encode_reward_and_bound, "survival_auction"),
    default_action=default_action,
    package=__name__,
    options=GameOptions(on_error="default"),
)
