"""Budgets of commands: options, previous spending in the same place, and the closing report."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from functools import wraps
from inspect import Parameter, signature
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeVar

import typer

from econzoo.baselines import SUFFIX, Budget, current_budget, open_budget, without_call_log
from econzoo.envs.core.contract import parse_json
from econzoo.envs.core.record import Record, identity, read_lines, record_paths
from econzoo.evaluate.run.folder import FAILED

if TYPE_CHECKING:
    from econzoo.baselines.models import SpecPrices

__all__ = ["NO_TERMINAL", "add_budget_options", "count_previous_costs", "spending_at"]

_PRICES = re.compile(r"price_per_million=([\d.]+),([\d.]+)(?:,([\d.]+))?")
"""Option of a spec with a model's prices."""

_SERVED = re.compile(r"\b(openai|openai-responses|anthropic):")
"""Prefixes of models that may have a batch interface."""

_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}


def parse_seconds(text: str) -> float:
    """Parse a duration: seconds, or a number with a unit, such as ``90``, ``10m`` or ``2h``."""
    found = re.fullmatch(r"(\d+(?:\.\d*)?)\s*([smhd]?)", str(text).strip())
    if not found or not float(found[1]):
        raise typer.BadParameter("expected seconds above 0, or a number with s, m, h or d, such as 10m")
    return float(found[1]) * _UNITS[found[2]]


MaxCost = Annotated[
    float | None,
    typer.Option(
        metavar="DOLLARS",
        help="Stop when the total API cost in this folder, including previous runs, reaches DOLLARS. Needs prices: "
        "listed ones, or price_per_million in the player's spec.",
    ),
]
MaxTokens = Annotated[int | None, typer.Option(help="Stop when prompt and completion tokens reach this number.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Skip the cost confirmation.")]

Patience = Annotated[
    float | None,
    typer.Option(
        metavar="SECONDS",
        parser=parse_seconds,
        help="Longest wait for a server that limits its rate or is overloaded, above 0, as 90, 10m or 2h. Default: no "
        "limit, because nothing is lost.",
    ),
]

NoCallLog = Annotated[
    bool, typer.Option("--no-call-log", help="Keep no raw requests and replies of models beside the records.")
]

NO_TERMINAL = "not a terminal"
"""Reason given by a run that cannot ask for confirmation."""

Batch = Annotated[
    bool,
    typer.Option(
        "--batch",
        help="Ask models by their provider's batch interface: half the price, and each round takes minutes to a day.",
    ),
]

OPTIONS = {"max_cost": (MaxCost, None), "max_tokens": (MaxTokens, None), "yes": (Yes, False)}
OPTIONS |= {"patience": (Patience, None)}
"""Name to type and default, in the order of `Budget`."""

Logprobs = Annotated[
    bool, typer.Option("--logprobs", help="Record the probabilities of the kinds of move, where a model tells them.")
]

LOG = "no_call_log"

PLAY_OPTIONS = {"batch": (Batch, False), "logprobs": (Logprobs, False), LOG: (NoCallLog, False)}
"""Further options of commands that play or judge."""

FIELDS = {"yes": "is_confirmed"}
"""Fields of `Budget` with another name than the option."""

REPORT_COSTS = "econzoo.evaluate.run.costs:report_costs"
PRICES_OF = "econzoo.baselines.models.prices:prices_of"

Command = TypeVar("Command", bound=Callable[..., Any])


def add_budget_options(command: Command, plays: bool = False) -> Command:
    """Add the budget options to a command, which opens a budget for all its model calls.

    Args:
        plays: Whether it plays or judges, and gets `PLAY_OPTIONS` too.
    """
    options = OPTIONS | (PLAY_OPTIONS if plays else {})

    @wraps(command)
    def run(*args: Any, **given: Any) -> Any:
        is_unlogged = given.pop(LOG, False)
        limits = {FIELDS.get(name, name): given.pop(name) for name in options if name != LOG}
        with without_call_log(is_unlogged), open_budget(Budget(**limits)) as own:
            try:
                return command(*args, **given)
            finally:
                if own.calls:
                    # Imported only here: tables of costs need more of the package than a match without models.
                    resolve_name(REPORT_COSTS)(own)

    old, more = signature(command, eval_str=True), options.items()
    added = [Parameter(name, Parameter.KEYWORD_ONLY, default=value, annotation=kind) for name, (kind, value) in more]
    # typer reads options from the signature and the annotations; those of `wraps` are the command's own.
    run.__signature__ = old.replace(parameters=[*old.parameters.values(), *added])  # type: ignore[attr-defined]
    run.__annotations__ = {name: one.annotation for name, one in run.__signature__.parameters.items()}  # type: ignore[attr-defined]
    return run  # type: ignore[return-value]


def count_previous_costs(place: Path | None, specs: Collection[str]) -> None:
    """Add previous spending at a place to the open budget; tell the list prices that are used.

    Args:
        place: Folder, or file of records or judgements; None: nothing is stored.
    """
    own = current_budget()
    if own is None:
        return
    if (known := _list_prices(specs)) and known.listed:
        print(f"econzoo: {known}", file=sys.stderr)
    # Without prices every call costs 0, and the limit would never be reached.
    if own.max_cost is not None and not has_prices(specs):
        raise ValueError("--max-cost needs prices: expected a player such as openai:MODEL?price_per_million=3,15")
    if own.batch and not any(map(_SERVED.search, specs)):
        raise ValueError("--batch needs a model with a batch interface: expected a player such as openai:MODEL")
    if place is not None:
        # For the table of costs at the end.
        own.record_files.append(place)
        own.add(*spending_at(place))


def has_prices(specs: Collection[str]) -> bool:
    """Whether any of the specs, or a model within it, has a price, or a server that reports costs."""
    found = (price for spec in specs for prices in _PRICES.findall(spec) for price in prices)
    # A price of 0 or 0.00 is none: such a model is free.
    known = _list_prices(specs)
    is_known = known is not None and (bool(known.listed) or known.is_reported)
    return is_known or any(price.strip("0.") for price in found)


def _list_prices(specs: Collection[str]) -> SpecPrices | None:
    """Return the list prices of models in specs; None without a model."""
    # Imported only here: matches of scripts do not need the code of models.
    return resolve_name(PRICES_OF)(specs) if any(":" in spec for spec in specs) else None


def must_run_locally(specs: Collection[str]) -> bool:
    """Whether players must run here with any engine: calls count against a limit, or records need what others lack."""
    own = current_budget()
    limited = own is not None and own.is_particular
    return limited or has_prices(specs) or any("_per_minute=" in spec for spec in specs)


class Spending(NamedTuple):
    """Spending on models.

    Attributes:
        cost: US dollars.
        tokens: Tokens read and written.
    """

    cost: float = 0.0
    tokens: int = 0


def spending_at(place: Path) -> Spending:
    """Return all spending, of finished, failed and unfinished work, in a folder or a file of records or judgements."""
    files = record_paths(place) if place.is_dir() else [place]
    if place.is_dir():  # ahead of the first record there may be calls only
        files += [one.with_name(one.name.removesuffix(SUFFIX)) for one in place.glob(f"*.jsonl{SUFFIX}")]
    spendings = [_file_spending(file) for file in dict.fromkeys(files)]
    return Spending(sum(one.cost for one in spendings), sum(one.tokens for one in spendings))


def spending_by_match(folder: Path) -> dict[str, Spending]:
    """Return the spending on each finished match of a folder, by id."""
    return {name: spent for file in record_paths(folder) for name, spent in _spending_of_lines(file)}


def match_spending(record: Record) -> Spending:
    return sum_spending(Spending(turn.cost, sum(turn.tokens)) for turn in record.stored_turns)


def _file_spending(file: Path) -> Spending:
    """Return finished work by its lines; for the rest journaled calls, or the last failed try."""
    ended = dict(_spending_of_lines(file))
    failed = {
        name: spent for name, spent in _spending_of_lines(file.with_name(file.name + FAILED)) if name not in ended
    }
    calls: dict[str, dict[str, Spending]] = {}
    for name, key, spent in _spending_of_calls(file.with_name(file.name + SUFFIX)):
        # By key, so that a call that is journaled twice counts once.
        calls.setdefault(name, {})[key] = spent
    open_ones = {name: sum_spending(calls_made.values()) for name, calls_made in calls.items() if name not in ended}
    # The journal keeps the calls of failed matches, so that open calls of a match replace its last failed try.
    return sum_spending([*ended.values(), *{**failed, **open_ones}.values()])


def sum_spending(every: Iterable[Spending]) -> Spending:
    found = list(every)
    return Spending(sum(one.cost for one in found), sum(one.tokens for one in found))


_JUDGE_CALL = re.compile(r".* \(\d+, '[^']*'")
"""Beginning of the name of a judge's call: judge, seed and subject."""


def _spending_of_lines(file: Path) -> Iterator[tuple[str, Spending]]:
    """Yield name and spending of a file's lines; unreadable lines are skipped."""
    # JSON instead of `Record`: files of judgements are read too, and records of other versions have cost money as well.
    for _, line in read_lines(file) if file.is_file() else ():
        with suppress(ValueError, KeyError, TypeError, AttributeError):
            given = parse_json(line)
            parts = given.get("turns", [given])
            yield _work_name(given), sum_spending(Spending(float(one["cost"]), sum(one["tokens"])) for one in parts)


def _work_name(given: dict[str, Any]) -> str:
    if "turns" in given:
        return str(given["id"])
    return f"{identity(given['judge'])} ({given['seed']}, {(given.get('item') or given['submission'])!r}"


def _spending_of_calls(file: Path) -> Iterator[tuple[str, str, Spending]]:
    """Yield player, name and spending of a journal's calls."""
    for _, line in read_lines(file) if file.is_file() else ():
        with suppress(ValueError, KeyError, TypeError, AttributeError):
            given = parse_json(line)
            reply, (match, *_) = given["reply"], given["call"]
            judged = _JUDGE_CALL.match(match)
            spent = Spending(float(reply["cost"]), reply["prompt_tokens"] + reply["completion_tokens"])
            yield judged[0] if judged else match, str(given["call"]), spent
