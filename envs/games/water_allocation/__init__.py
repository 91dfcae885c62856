"""Water allocation: residents of a dry town bid for the water of the day (ALYMPICS, Water Allocation Challenge)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple

from econzoo.envs.core.contract import ActionSchema, Amount, CustomDomain, Game, GameFacts, GameOptions, Integer, Kind
from econzoo.envs.core.contract import Parameter, Real, Rules, TupleOf, bound_parameter, check_sequence, check_value
from econzoo.envs.core.contract import declared_parameters
from econzoo.envs.families.survival import REWARD, encode_reward_and_bound
from econzoo.envs.games.water_allocation import rules
from econzoo.envs.games.water_allocation.personas import check_personas

RESIDENTS = (
    ("Alex", 8, 70.0),
    ("Bob", 9, 75.0),
    ("Cindy", 10, 100.0),
    ("David", 11, 120.0),
    ("Eric", 12, 120.0),
)
"""Name, units of water needed a day, and dollars earned a day of the paper's five (Table 1)."""

MAX_UNITS = 1_000_000
MAX_SPREAD = 1_000
SALARY = Real(0.0, 1e9)
MAX_RESIDENTS = 100


class Bid(NamedTuple):
    """Bid for the water that you need today; whoever is served pays the own bid."""

    bid: Annotated[float, Amount("dollars that you bid", are_guards=(False, True))]


ACTIONS = ActionSchema(Kind("bid", Bid))


def validate_name(value: Any) -> str:
    """Validate a name of 1 to 40 printable characters."""
    if not isinstance(value, str):
        raise TypeError
    if not (value.strip() == value and 0 < len(value) <= 40 and value.isprintable()):
        raise ValueError
    return value


def validate_resident(value: Any) -> tuple[str, int, float]:
    """Validate (name, requirement, salary) of one resident."""
    if isinstance(value, Mapping):
        if value.keys() != {"name", "requirement", "salary"}:
            raise ValueError
        value = [value[key] for key in ("name", "requirement", "salary")]
    name, requirement, salary = check_sequence(value, 3, 3)
    return validate_name(name), Integer(1, MAX_UNITS)(requirement), SALARY(salary)


def validate_residents(value: Any) -> tuple[tuple[str, int, float], ...]:
    """Validate 1 to 100 residents with different names."""
    residents = tuple([validate_resident(one) for one in check_sequence(value, 1, MAX_RESIDENTS)])
    if len({name for name, _, _ in residents}) < len(residents):
        raise ValueError
    return residents


def validate_supply_range(value: Any) -> tuple[int, int]:
    """Validate the range (low, high) of daily supplies in units."""
    low, high = TupleOf(2, Integer(0, MAX_UNITS))(value)
    if low > high or high - low > MAX_SPREAD:
        raise ValueError
    return low, high


PARAMETERS = (
    Parameter(
        "residents",
        RESIDENTS,
        CustomDomain(
            validate_residents,
            f"1 to {MAX_RESIDENTS} of (name, requirement, salary) with different names, whole units from 1 to"
            f" {MAX_UNITS:,} and dollars from 0 to 1e9",
        ),
        "Residents: name, units of water needed per day, dollars earned per day.",
    ),
    Parameter(
        "supply",
        (10, 20),
        CustomDomain(
            validate_supply_range,
            f"two whole numbers (least, most) from 0 to {MAX_UNITS:,}, at most {MAX_SPREAD:,} apart",
        ),
        "Daily supply in units of water: uniform over the integers of this range, both ends included.",
    ),
    *declared_parameters(rules.Params),
    REWARD,
    bound_parameter(rules.BOUND, "Highest legal bid, as a multiple of the largest total income"),
)


def configure(public: Mapping[str, Any]) -> dict[str, Any]:
    """Return the rules' parameters of residents, supply, reward and bound."""
    own = encode_reward_and_bound("water_allocation", public)
    if public["persona"]:
        check_personas(names(public))
    _, requirement, salary = zip(*public["residents"], strict=True)
    low, high = public["supply"]
    return {"requirement": requirement, "salary": salary, "low": low, "high": high, **own}


def names(public: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple([name for name, _, _ in public["residents"]])


def supply_moves(params: rules.Params, value: Any) -> list[float]:
    """Return nature's moves for ``reset(options={"supply": [...]})``: units of the first days; later ones are drawn."""
    allowed = TupleOf(params.days, Integer(params.low, params.high), min_length=0)
    return list(map(float, check_value("water_allocation: supply", value, allowed)))


def default_action(view: rules.View) -> Any:
    """Default action: a bid of nothing."""
    return Bid(0.0)


GAME = Game(
    name="water_allocation",
    version=0,
    summary="Residents of a dry town bid every day for too little water; anyone dry for too long dies.",
    facts=GameFacts(
        seats=5,
        chance=True,
        perfect_information=True,
        language=False,
        roles=tuple([name for name, _, _ in RESIDENTS]),
        has_person_names=True,
        source="Mao et al. (2025), ALYMPICS: LLM agents meet game theory, arXiv:2311.03220, section 4",
        agreement="full survival",
        is_countable=False,
        gain="survival to the end (1 or 0), or health or days as a fraction of the maximum",
        gain_range=(0.0, 1.0),
        pays_by_round=True,
    ),
    rules=Rules[rules.Params, rules.State, rules.View].from_module(rules),
    actions=ACTIONS,
    parameters=PARAMETERS,
    configure=configure,
    default_action=default_action,
    package=__name__,
    options=GameOptions(on_error="default", names=names, nature={"supply": supply_moves}),
)
