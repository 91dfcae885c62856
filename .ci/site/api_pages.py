"""The pages of public names: the `__all__` of each module that is listed here. mkdocstrings fills in the docstrings.

Sources are read, not imported: no extra is needed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

MODULES = {
    "To begin with": ("econzoo", "econzoo.envs.bargaining_v0"),
    "Environments": (
        "econzoo.envs.core.registry",
        "econzoo.envs.constructors",
        "econzoo.envs.core.env.parallel",
        "econzoo.envs.core.env.aec",
        "econzoo.baselines.single_agent",
        "econzoo.envs.core.vector.gymnasium_env",
        "econzoo.envs.core.vector",
        "econzoo.train.rl.vec_env",
        "econzoo.train.rl.torchrl_env",
        "econzoo.envs.core.contract.objectives",
        "econzoo.envs.core.contract.objectives",
    ),
    "Wrappers": (
        "econzoo.wrappers.face",
        "econzoo.wrappers.message_channel",
        "econzoo.wrappers.objective",
        "econzoo.wrappers.recording",
        "econzoo.wrappers.single_agent",
    ),
    "Games of your own": ("econzoo.testing", "econzoo.envs.core.contract.cases"),
    "Players": (
        "econzoo.baselines.base",
        "econzoo.baselines.factory",
        "econzoo.baselines.torch_player",
        "econzoo.baselines.call_log",
        "econzoo.baselines.pools",
        "econzoo.baselines.language_model",
        "econzoo.baselines.parts",
        "econzoo.baselines.models",
        "econzoo.baselines.models.mock_chat",
    ),
    "Matches and records": (
        "econzoo.envs.core.record",
        "econzoo.evaluate.run.match",
        "econzoo.evaluate.run.table",
        "econzoo.evaluate.run.settings",
        "econzoo.evaluate.run.replay",
        "econzoo.evaluate.run.resuming",
        "econzoo.evaluate.run.design",
        "econzoo.evaluate.run.records",
        "econzoo.evaluate.analyses.analyze",
        "econzoo.evaluate.analyses.exploitability.measure",
        "econzoo.evaluate.analyses.exploitability.results",
        "econzoo.evaluate.show.page",
        "econzoo.evaluate.show.parts",
    ),
    "Studies": (
        "econzoo.evaluate.adapters.hub",
        "econzoo.evaluate.adapters.inspect_task",
        "econzoo.evaluate.adapters.one_seat",
        "econzoo.evaluate.adapters.openenv",
        "econzoo.evaluate.adapters.openspiel",
        "econzoo.evaluate.adapters.mcp",
        "econzoo.evaluate.adapters.player_server",
        "econzoo.baselines.http_player",
        "econzoo.baselines.seat_json",
        "econzoo.evaluate.formats.record_table",
        "econzoo.evaluate.adapters.text_match",
        "econzoo.evaluate.adapters.textarena",
        "econzoo.evaluate.adapters.textarena_game",
        "econzoo.baselines.multi_issue",
        "econzoo.baselines.persuasion.hindsight",
        "econzoo.envs.games.matrix.memory_one",
        "econzoo.envs.games.matrix.solution",
        "econzoo.envs.games.multi_issue.best_response",
        "econzoo.envs.games.multi_issue.scenarios",
        "econzoo.evaluate.analyses.regression.study",
        "econzoo.evaluate.analyses.behaviour.measures",
        "econzoo.evaluate.analyses.dilemmas.round_robin",
        "econzoo.evaluate.analyses.evolution.payoff_matrix",
        "econzoo.evaluate.analyses.evolution.study",
        "econzoo.evaluate.analyses.tidy.export",
        "econzoo.people.study.power",
    ),
    "Judging": (
        "econzoo.evaluate.analyses.judging.evidence",
        "econzoo.evaluate.analyses.judging.judgements",
        "econzoo.evaluate.analyses.judging.model_judge",
        "econzoo.evaluate.analyses.judging.panel",
        "econzoo.evaluate.analyses.judging.ratings",
        "econzoo.evaluate.analyses.judging.report",
        "econzoo.evaluate.analyses.judging.rubric",
    ),
    "Programs": (
        "econzoo.envs.families.open_source.combinator",
        "econzoo.envs.families.open_source.library",
        "econzoo.evaluate.analyses.programs.exploitability",
        "econzoo.evaluate.analyses.programs.play",
        "econzoo.evaluate.analyses.programs.sources",
    ),
    "Training": (
        "econzoo.train.rl.ppo",
        "econzoo.train.rl.recipe",
        "econzoo.train.lm.environment",
        "econzoo.train.reward",
        "econzoo.train.lm.rollout_function",
    ),
    "Writing a game": (
        "econzoo.envs.core.contract.game",
        "econzoo.envs.core.contract.rules",
        "econzoo.envs.core.contract.actions",
        "econzoo.envs.core.contract.parameters",
        "econzoo.envs.core.contract.options",
        "econzoo.envs.core.faces.prompts",
        "econzoo.envs.core.contract.scenarios",
    ),
}
"""Heading to the modules under it."""

PACKAGES = (
    "econzoo.baselines",
    "econzoo.envs.contract",
    "econzoo.envs.vector",
    "econzoo.evaluate",
    "econzoo.evaluate.adapters",
    "econzoo.evaluate.analyses",
    "econzoo.people",
    "econzoo.train",
    "econzoo.wrappers",
)
"""Short import paths: each gives names of modules below it."""

TOP = """# Public names

Every name that is meant to be imported, by modules. [Versions](versions.md) says what public means.
`econzoo.envs.bargaining_v0` stands for the modules of all games;
[`make_constructors`][econzoo.envs.constructors.make_constructors] says what their names give.
"""


def source(module: str) -> Path:
    """The file of a module."""
    inside = "/".join(module.split(".")[1:])
    places = [ROOT / folder / inside for folder in ("", "envs/_root", "tests")]  # as package-dir has them
    files = [file for place in places for file in (place.with_suffix(".py"), place / "__init__.py")]
    return next(file for file in files if file.is_file())


@cache
def tree(module: str) -> ast.Module:
    """A module as it is written."""
    return ast.parse(source(module).read_text(encoding="utf-8"))


def defined(node: ast.stmt) -> list[str]:
    """Names that a statement defines itself."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    names = [name for target in targets for name in (target.elts if isinstance(target, ast.Tuple) else [target])]
    return [name.id for name in names if isinstance(name, ast.Name)]


@cache
def face(module: str) -> ast.Module:
    """What a module gives to others: the stub of a room that imports lazily, else the module itself."""
    stub = source(module).with_suffix(".pyi")
    return ast.parse(stub.read_text(encoding="utf-8")) if stub.is_file() else tree(module)


def public(module: str) -> list[str]:
    """The `__all__` of a module."""
    lists = [node for node in face(module).body if defined(node) == ["__all__"]]
    if not lists or not isinstance(lists[0], ast.Assign):
        raise SystemExit(f"{source(module).relative_to(ROOT)} has no __all__")
    names: list[str] = ast.literal_eval(lists[0].value)
    return sorted(names)


def given(package: str) -> dict[str, str]:
    """Every name that a package gives to others, with the module that it lies in."""
    nodes = [node for node in face(package).body if isinstance(node, ast.ImportFrom)]
    found = {a.name: f"{package}.{n.module or a.name}" if n.level else str(n.module) for n in nodes for a in n.names}
    rooms = {place for place in found.values() if place.startswith("econzoo.") and face(place) is not tree(place)}
    return found | {name: given(place)[name] for name, place in found.items() if place in rooms}


def exports(package: str) -> dict[str, str]:
    """The public names of a package in `PACKAGES`, with the module that defines each."""
    places = given(package)
    return {name: places[name] for name in public(package)}


def summary(module: str) -> str:
    """The first paragraph of the docstring of a module."""
    return " ".join((ast.get_docstring(tree(module)) or "").partition("\n\n")[0].split())


def path(heading: str) -> str:
    """The page of a heading."""
    return f"api/{heading.lower().replace(' ', '_')}.md"


def paths() -> list[str]:
    """The pages behind the list of all modules."""
    return [path(heading) for heading in MODULES]


def pages() -> dict[str, str]:
    """Path to text: the list of all modules, and a page for each heading."""
    return {"api.md": "\n".join(_index()), **{path(heading): "\n".join(_page(heading)) for heading in MODULES}}


def _index() -> Iterator[str]:
    yield TOP
    yield "## Short import paths\n"
    for package in PACKAGES:
        names = ", ".join(f"`{name}`" for name in sorted(exports(package)))
        yield f"* `{package}`: {summary(package)} {names}"
    yield ""
    for heading, modules in MODULES.items():
        yield f"## [{heading}]({path(heading)})\n"
        for module in modules:
            names = ", ".join(_linked(module, name) for name in public(module))
            yield f"* [`{module}`]({path(heading)}#{module}): {summary(module)} {names}"
        yield ""


def _linked(module: str, name: str) -> str:
    return f"[`{name}`][{module}.{name}]" if is_linked(module, name) else f"`{name}`"


def is_linked(module: str, name: str) -> bool:
    """Whether a name has a docstring to lead to: those that are bound together, in a tuple, have none."""
    together = [node for node in tree(module).body if isinstance(node, ast.Assign) and len(defined(node)) > 1]
    return not any(name in defined(node) for node in together)


def _page(heading: str) -> Iterator[str]:
    yield f"# {heading}\n"
    for module in MODULES[heading]:
        yield f"::: {module}\n    options:\n      members: {public(module)}\n"
