"""The steps of adding a game, each a function from the game to the list of what is still missing."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from functools import partial
from importlib import import_module
from importlib.resources import files
from importlib.util import find_spec
from inspect import getdoc, isfunction
from pathlib import Path
from types import ModuleType

from conformance.secrets_table import SECRETS
from econzoo.envs.core.contract.game import Game
from econzoo.envs.core.contract.objectives import Outcome
from econzoo.envs.core.faces.prompts import _shipped

ROOT = Path(__file__).resolve().parents[2]

FILES = ("rules.py", "text.py", "metrics.py", "solution.py", "scenarios.py", "prompts.toml")
TEXT = ("brief", "turn", "ending", "event", "constant_fields", "fields", "event_fields", "example")
BASE_RULES = ("econzoo.envs.games.matrix.rules", "econzoo.envs.games.coin_game.rules")
SHARED = (
    "econzoo.envs.families.elimination",
    "econzoo.envs.families.offers.protocol",
    "econzoo.envs.families.open_source.meta_rounds",
    "econzoo.envs.families.survival.day",
    "econzoo.envs.families.survival.features",
    "econzoo.envs.families.survival.health",
    *BASE_RULES,
)
"""Rules that several games have in common; they are held to the same."""

CONTRACT = ("econzoo.envs.core.contract.game", "econzoo.envs.core.contract.distributions")
PURE = {"__future__", "collections.abc", "functools", "itertools", "math", "typing", *CONTRACT, *SHARED}
"""What rules may import: a cache leaves a function pure."""

TESTS = ("rules", "metrics", "solution", "text", "privacy")

Problems = Iterable[str]


def folder(game: Game) -> Path:
    return Path(str(files(game.package)))


def files_of_the_folder(game: Game) -> Problems:
    for name in FILES:
        if not (folder(game) / name).is_file():
            yield f"write {folder(game).name}/{name} (docs/adding_a_game.md tells what belongs in it)"


def functions_of_the_rules(game: Game) -> Problems:
    if game.facts.chance and not game.referee and "chance" not in game.rules.defined:
        yield "define chance() in rules.py (what it gives is told in econzoo/envs/core/contract/rules.py)"
    for name in game.rules.defined:
        if callable(part := getattr(game.rules, name)) and not getdoc(part):
            yield f"give {name}() in rules.py one sentence of docstring, as an economist would say it"


def tuples_of_the_rules(game: Game) -> Problems:
    params = game.params()[1]
    for model, needed in (
        (type(params), ()),
        (type(game.rules.initial(params)), ("round",)),
        (game.rules.View, ("seat", "round", "over")),
    ):
        name = model.__name__
        if not hasattr(model, "_fields"):
            yield f"make {name} in rules.py a NamedTuple"
            continue
        for field in needed:
            if field not in model._fields:
                yield f"give {name} in rules.py the field {field!r}: the environment needs it"
        doc = model.__doc__ or ""
        for field in model._fields:
            if f"{field}:" not in doc:
                yield f"describe {name}.{field}, with its unit, under Attributes in the docstring of {name} in rules.py"


def features_of_the_rules(game: Game) -> Problems:
    params = game.params()[1]
    named = game.feature_names(params)
    if not named or not all(isinstance(text, str) and text for text in named):
        yield "list FEATURES in rules.py: a few words for each number of features()"
        return
    for seat in range(game.seats(params)):
        view = game.rules.observe(params, game.rules.initial(params), seat)
        numbers = game.rules.features(view)
        if len(numbers) != len(named):
            yield f"make FEATURES ({len(named)}) as long as features() ({len(numbers)}) in rules.py"
        if not all(-1 <= x <= 1 for x in numbers):
            yield f"scale features() in rules.py into [-1, 1]; seat {seat} starts with {numbers}"


def purity_of_the_rules(game: Game) -> Problems:
    yield from impurities(folder(game) / "rules.py")


def impurities(file: Path) -> Problems:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        for name in names:
            if name not in PURE:
                only = f"rules are functions of numbers (only {sorted(PURE)})"
                yield f"take the import of {name} out of {file.name}: {only}"


def _functions(module: ModuleType, file: str, names: Iterable[str]) -> Problems:
    for name in names:
        if not callable(getattr(module, name, None)):
            yield f"define {name}() in {file} (see the same file of bargaining)"


def functions_of_the_texts(game: Game) -> Problems:
    yield from _functions(game.text, "text.py", TEXT)


def templates(game: Game) -> Problems:
    shipped = _shipped(game.package)
    for name in ("turn.wait", "format.one", "format.several", "format.feedback"):
        if name not in shipped:
            yield f"write the text {name!r} in prompts.toml"
    for table in ("brief", "turn", "event", "ending", "format"):
        if not any(name.startswith(f"{table}.") for name in shipped):
            yield f"write the table [{table}] in prompts.toml"


def metrics(game: Game) -> Problems:
    yield from _functions(game.metrics, "metrics.py", ["outcome"])
    if "paper" not in getattr(game.metrics, "DEFINITIONS", ()):
        yield 'list DEFINITIONS in metrics.py, "paper" among them'
        return
    params = game.params()[1]
    for definition in game.metrics.DEFINITIONS:
        outcome = game.metrics.outcome(params, game.rules.initial(params), definition)
        if not isinstance(outcome, Outcome) or len(outcome.gains) != game.seats(params):
            yield f"make outcome() in metrics.py return an Outcome with one gain a seat, also for {definition!r}"


def solution(game: Game) -> Problems:
    yield from _functions(game.solution, "solution.py", ["equilibrium_payoffs"])
    if isfunction(getattr(game.solution, "equilibrium_payoffs", None)):
        params = game.params()[1]
        if len(game.solution.equilibrium_payoffs(params)) != game.seats(params):
            yield "make equilibrium_payoffs() in solution.py return one payoff for each seat"


def scenarios(game: Game) -> Problems:
    distributions = getattr(game.scenarios, "DISTRIBUTIONS", {})
    if not isinstance(distributions, dict) or not all(map(callable, distributions.values())):
        yield "make DISTRIBUTIONS in scenarios.py functions by name, each from a generator to parameters"
    markets = getattr(game.scenarios, "MARKETS", None)
    if not isinstance(markets, dict) or markets.get("default") != {}:
        yield 'define MARKETS in scenarios.py: named dictionaries of parameters, with "default": {} among them'
        return
    for name, market in markets.items():
        try:
            game.params(**market)
        except ValueError as error:
            yield f"repair the market {name!r} in scenarios.py: {error}"


def parameters(game: Game) -> Problems:
    for parameter in game.parameters:
        if not parameter.doc.strip() or not parameter.allowed.strip():
            yield f"document the parameter {parameter.name!r}: `doc` (with its unit) and `allowed`, in __init__.py"
        try:
            parameter.domain(object())
            yield f"make the check of the parameter {parameter.name!r} refuse what it does not know, in __init__.py"
        except (TypeError, ValueError):
            pass
        if parameter.domain(parameter.default) != parameter.default:
            yield f"write the default of the parameter {parameter.name!r} in its plain form, in __init__.py"


def facts(game: Game) -> Problems:
    seats = game.seats(game.params()[1])
    if not game.summary.strip() or not game.facts.source.strip():
        yield "write the summary and the source (author, year) of the game in __init__.py"
    if game.facts.seats != seats or len(game.facts.roles) != seats:
        yield f"give GameFacts in __init__.py the number of seats and a role for each; the default game has {seats}"
    talks = any(kind.message for kind in game.actions.kinds)
    if game.facts.language != talks:
        yield f"set GameFacts.language in __init__.py to {talks}: its kinds of move say so"


def moves(game: Game) -> Problems:
    for kind in game.actions.kinds:
        if not kind.model.__doc__ or kind.model.__doc__.startswith(f"{kind.model.__name__}("):
            yield f"give the move {kind.model.__name__} a docstring: one sentence to the player, in __init__.py"
        for name, mark in kind.marks.items():
            if not mark.doc.strip():
                yield f"describe the field {kind.model.__name__}.{name} in its Amount or Message, in __init__.py"


def secrets(game: Game) -> Problems:
    if not game.facts.perfect_information and not SECRETS.get(game.name):
        yield "add the pairs of games that a seat may not tell apart to tests/conformance/secrets_table.py"


INSIDE: dict[str, Callable[[Game], Problems]] = {
    step.__name__: step
    for step in (
        files_of_the_folder,
        functions_of_the_rules,
        tuples_of_the_rules,
        features_of_the_rules,
        purity_of_the_rules,
        functions_of_the_texts,
        templates,
        metrics,
        solution,
        scenarios,
        parameters,
        facts,
        moves,
        secrets,
    )
}
"""Steps inside the game's folder."""


def module(game: Game) -> Problems:
    name = f"{game.name}_v{game.version}"
    if find_spec(f"econzoo.envs.{name}") is None:
        yield f"write envs/{name}.py with env, raw_env and parallel_env"
        return
    made = import_module(f"econzoo.envs.{name}")
    for maker in ("env", "raw_env", "parallel_env"):
        if not callable(getattr(made, maker, None)):
            yield f"define {maker} in envs/{name}.py"
    if not made.__doc__:
        yield f"give envs/{name}.py one sentence of docstring"


def baselines(game: Game) -> Problems:
    name = f"econzoo.baselines.{game.name}"
    if find_spec(name) is None:
        yield f"write the scripted players in baselines/{game.name}/"
        return
    players = getattr(import_module(name), "PLAYERS", None)
    if not players:
        yield f"list the scripted players by name in PLAYERS in baselines/{game.name}/__init__.py"
        return
    for spec, given in players.items():
        maker = given.func if isinstance(given, partial) else given
        if "Source" not in (getdoc(maker) or "") + (getdoc(import_module(maker.__module__)) or ""):
            yield f"cite the source of the player {spec!r} in its docstring or its module's (baselines/{game.name})"


def tests(game: Game) -> Problems:
    here = ROOT / "tests" / "games" / game.name
    for about in TESTS:
        if not list(here.glob(f"test_*{about}.py")):
            yield f"write {here.relative_to(ROOT)}/test_{about}.py: tables that a person can check by hand"


AROUND: dict[str, Callable[[Game], Problems]] = {step.__name__: step for step in (module, baselines, tests)}
"""Steps outside of the game's folder."""
