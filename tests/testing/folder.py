"""Files of a game's folder; each check lists what is missing."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from importlib.resources import files
from importlib.util import find_spec
from inspect import getdoc, isfunction
from pathlib import Path
from types import ModuleType

from econzoo.envs.core import read_text
from econzoo.envs.core.contract import Game, Outcome, declared_parameters
from econzoo.envs.core.faces import default_templates
from econzoo.testing.suite import check, is_foreign

FILES = ("rules.py", "text.py", "metrics.py", "solution.py", "scenarios.py", "prompts.toml")
TEXT_FUNCTIONS = ("brief", "turn", "ending", "event", "constant_fields", "fields", "event_fields")

CONTRACT = {
    "econzoo.envs.contract",
    *(f"econzoo.envs.core.contract.{name}" for name in ("game", "parameters", "rules")),
}
PURE_MODULES = {"__future__", "collections.abc", "functools", "itertools", "math", "typing", *CONTRACT}
"""Modules that rules may import, besides other pure modules; caches keep functions pure."""

Problems = Iterable[str]


def check_missing(guide: str, is_optional: bool = False) -> Callable[[Callable[[Game], Problems]], Callable[..., None]]:
    """Declare a check that fails if a function of the game returns missing parts."""

    def declare(function: Callable[[Game], Problems]) -> Callable[..., None]:
        @wraps(function)
        def run_check(game: Game) -> None:
            missing = list(function(game))
            assert not missing, "\n  ".join(missing)

        return check(guide, "do what is listed", is_optional)(run_check)

    return declare


def folder(game: Game) -> Path:
    return Path(str(files(game.package)))


@check_missing("The files")
def files_of_the_folder(game: Game) -> Problems:
    """All files of a game's folder exist."""
    for name in FILES:
        if not (folder(game) / name).is_file():
            yield f"write {folder(game).name}/{name} (see docs/adding_a_game.md)"


@check_missing("The rules")
def functions_of_the_rules(game: Game) -> Problems:
    """A game with chance moves has their distribution; in this package every part of the rules has a docstring."""
    if game.facts.chance and not game.referee and "chance" not in game.rules.defined_parts:
        yield "define chance() in rules.py (see econzoo/envs/core/contract/rules.py)"
    for name in () if is_foreign(game) else game.rules.defined_parts:
        if callable(part := getattr(game.rules, name)) and not getdoc(part):
            yield f"add a one-sentence docstring to {name}() in rules.py"


@check_missing("The rules")
def tuples_of_the_rules(game: Game) -> Problems:
    """Params, State and View are NamedTuples with the fields that the environment needs.

    In games of this package every field is described; a parameter only in `Params`, also for views with a field of
    the same name.
    """
    params = game.params()[1]
    described = {one.name for one in declared_parameters(type(params))}
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
        for field in () if is_foreign(game) else model._fields:
            if f"{field}:" not in doc and field not in described:
                yield f"describe {name}.{field}, with its unit, under Attributes in the docstring of {name} in rules.py"


@check_missing("The rules")
def features_of_the_rules(game: Game) -> Problems:
    """Features are named, and lie in [-1, 1]."""
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


@check_missing("The rules")
def purity_of_the_rules(game: Game) -> Problems:
    """Rules import no impure modules."""
    return impurities(f"{game.package}.rules", {game.package.partition(".")[0], "econzoo"})


def impurities(name: str, own: set[str], seen: tuple[str, ...] = ()) -> Problems:
    """Yield impure imports of a module, directly or through modules of the packages `own`."""
    spec = find_spec(name)
    if spec is None or spec.origin is None:
        return
    file = Path(spec.origin)
    for imported in imports(file):
        if imported in PURE_MODULES or imported in seen:
            continue
        deeper = list(impurities(imported, own, (*seen, name))) if imported.partition(".")[0] in own else None
        if deeper is None:
            yield f"remove the import of {imported} from {file.name}: rules are functions of numbers"
        else:
            yield from deeper


def imports(file: Path) -> Iterator[str]:
    """Yield the modules that a file imports: of what the face of a room gives, the modules in which it lies."""
    for node in ast.walk(ast.parse(read_text(file))):
        if isinstance(node, ast.Import):
            yield from [alias.name for alias in node.names]
        if isinstance(node, ast.ImportFrom):
            module = node.module or ""
            modules = _face_modules(module)
            for name in [alias.name for alias in node.names]:
                full = f"{module}.{name}"
                yield modules.get(name) or (full if "." in module and _is_module(full) else module)


def _face_modules(package: str) -> dict[str, str]:
    """Module of each name that a package of this library imports lazily."""
    spec = find_spec(package) if package.startswith("econzoo.") else None
    stub = Path(spec.origin or "").with_suffix(".pyi") if spec else Path()
    nodes = ast.parse(read_text(stub)).body if stub.is_file() else []
    lazy = [node for node in nodes if isinstance(node, ast.ImportFrom)]
    return {alias.name: f"{package}.{node.module or alias.name}" for node in lazy for alias in node.names}


def _is_module(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except (ImportError, AttributeError):
        return False


def _missing_functions(module: ModuleType, file: str, names: Iterable[str]) -> Problems:
    for name in names:
        if not callable(getattr(module, name, None)):
            yield f"define {name}() in {file} (see the same file of bargaining)"


@check_missing("Texts")
def functions_of_the_texts(game: Game) -> Problems:
    """text.py has every function that the text face calls."""
    yield from _missing_functions(game.text, "text.py", TEXT_FUNCTIONS)


@check_missing("Texts")
def templates(game: Game) -> Problems:
    """prompts.toml has every text that the text face uses."""
    shipped = default_templates(game.package)
    if "turn.wait" not in shipped:
        yield "write the text 'turn.wait' in prompts.toml"
    for table in ("brief", "turn", "event", "ending"):
        if not any(name.startswith(f"{table}.") for name in shipped):
            yield f"write the table [{table}] in prompts.toml"


@check_missing("Metrics")
def metrics(game: Game) -> Problems:
    """metrics.py turns every position into an Outcome, under every definition; in this package it has their ranges."""
    yield from _missing_functions(
        game.metrics, "metrics.py", ["outcome"] if is_foreign(game) else ["outcome", "ranges"]
    )
    if "paper" not in getattr(game.metrics, "DEFINITIONS", ()):
        yield 'list DEFINITIONS in metrics.py, "paper" among them'
        return
    params = game.params()[1]
    for definition in game.metrics.DEFINITIONS:
        outcome = game.metrics.outcome(params, game.rules.initial(params), definition)
        if not isinstance(outcome, Outcome) or len(outcome.gains) != game.seats(params):
            yield f"make outcome() in metrics.py return an Outcome with one gain a seat, also for {definition!r}"


@check_missing("The solution")
def solution(game: Game) -> Problems:
    """solution.py returns equilibrium payoffs of the default game, one per seat."""
    yield from _missing_functions(game.solution, "solution.py", ["equilibrium_payoffs"])
    if isfunction(getattr(game.solution, "equilibrium_payoffs", None)):
        params = game.params()[1]
        if len(game.solution.equilibrium_payoffs(params)) != game.seats(params):
            yield "make equilibrium_payoffs() in solution.py return one payoff for each seat"


@check_missing("Scenarios")
def scenarios(game: Game) -> Problems:
    """Every setting and distribution of scenarios.py has valid parameters."""
    distributions = getattr(game.scenarios, "DISTRIBUTIONS", {})
    if not isinstance(distributions, dict) or not all(map(callable, distributions.values())):
        yield "make DISTRIBUTIONS in scenarios.py functions by name, each from a generator to parameters"
    settings = getattr(game.scenarios, "SETTINGS", None)
    if not isinstance(settings, dict) or settings.get("default") != {}:
        yield 'define SETTINGS in scenarios.py: named dictionaries of parameters, with "default": {} among them'
        return
    for name, setting in settings.items():
        try:
            game.params(**setting)
        except ValueError as error:
            yield f"repair the setting {name!r} in scenarios.py: {error}"


@check_missing("Declarations")
def parameters(game: Game) -> Problems:
    """Every parameter is documented, validated, and has a plain default."""
    for parameter in game.parameters:
        if not parameter.doc.strip() or not parameter.value_range.strip():
            yield f"document the parameter {parameter.name!r}: `doc` (with its unit) and `domain`, in __init__.py"
        try:
            parameter.domain(object())
            yield f"make the check of the parameter {parameter.name!r} refuse what it does not know, in __init__.py"
        except (TypeError, ValueError):
            pass
        if parameter.domain(parameter.default) != parameter.default:
            yield f"write the default of the parameter {parameter.name!r} in its plain form, in __init__.py"


@check_missing("Declarations")
def facts(game: Game) -> Problems:
    """The facts of the game are those of its default match."""
    seats = game.seats(game.params()[1])
    if not game.summary.strip() or not game.facts.source.strip():
        yield "write the summary and the source (author, year) of the game in __init__.py"
    if game.facts.seats != seats or len(game.facts.roles) != seats:
        yield f"give GameFacts in __init__.py the number of seats and a role for each; the default game has {seats}"
    talks = any(kind.message for kind in game.actions.kinds)
    if game.facts.language != talks:
        yield f"set GameFacts.language in __init__.py to {talks}: its kinds of move say so"


@check_missing("Declarations")
def moves(game: Game) -> Problems:
    """Every kind of move and every field has a description for players."""
    for kind in game.actions.kinds:
        if not kind.model.__doc__ or kind.model.__doc__.startswith(f"{kind.model.__name__}("):
            yield f"give the move {kind.model.__name__} a docstring: one sentence to the player, in __init__.py"
        for name, mark in kind.marks.items():
            if not mark.doc.strip():
                yield f"describe the field {kind.model.__name__}.{name} in its Amount or Message, in __init__.py"
