"""Writes docs/api.md, the list of all public names.

    python docs/make_api.py

A name is public if it stands in the `__all__` of a module that is listed here. Sources are read, not imported: no extra
is needed.
"""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "api.md"

MODULES = {
    "To begin with": ("econzoo", "econzoo.envs.bargaining_v0"),
    "Environments": (
        "econzoo.envs.core.registry",
        "econzoo.envs.making",
        "econzoo.envs.core.env.public",
        "econzoo.envs.core.env.aec",
        "econzoo.baselines.single_agent",
        "econzoo.envs.core.vector.gymnasium_env",
        "econzoo.envs.core.vector",
        "econzoo.train.rl.vec_env",
        "econzoo.train.rl.torchrl_env",
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
        "econzoo.baselines.player",
        "econzoo.baselines.factory",
        "econzoo.baselines.torch_player",
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
        "econzoo.evaluate.analyses.exploitability.standing",
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
        "econzoo.evaluate.analyses.tidy.exporting",
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
        "econzoo.train.lm.reward",
        "econzoo.train.lm.rollout_function",
    ),
    "Writing a game": (
        "econzoo.envs.core.contract.game",
        "econzoo.envs.core.contract.rules",
        "econzoo.envs.core.contract.actions",
        "econzoo.envs.core.contract.parameters",
        "econzoo.envs.core.contract.public",
        "econzoo.envs.core.contract.options",
        "econzoo.envs.core.faces.prompts",
        "econzoo.envs.core.contract.scenarios",
    ),
}
"""Heading to the modules under it."""

TOP = """# Public names

Made by `python docs/make_api.py` from the `__all__` of each module. Every docstring says more: `help(econzoo.make)`.
[Versions](versions.md) says what public means. `econzoo.envs.bargaining_v0` stands for the modules of all games.
"""


class Found(NamedTuple):
    """A definition: the module it stands in, its node, and the statement after it, which may say what it is."""

    module: str
    node: ast.stmt
    after: ast.stmt | None


def source(module: str) -> Path:
    """The file of a module."""
    inside = "/".join(module.split(".")[1:])
    places = [ROOT / folder / inside for folder in ("", "envs/_root", "envs")]  # as package-dir has them
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


def public(module: str) -> list[str]:
    """The `__all__` of a module."""
    lists = [node for node in tree(module).body if defined(node) == ["__all__"]]
    if not lists or not isinstance(lists[0], ast.Assign):
        raise SystemExit(f"{source(module).relative_to(ROOT)} has no __all__")
    names: list[str] = ast.literal_eval(lists[0].value)
    return sorted(names)


def find(module: str, name: str) -> Found | None:
    """Where a name is defined: in this module, or in the one of this package that it is taken from."""
    body = tree(module).body
    for node, after in zip(body, [*body[1:], None], strict=True):
        if name in defined(node):
            return Found(module, node, after)
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("econzoo"):
            for alias in node.names:
                if name == (alias.asname or alias.name):
                    return find(str(node.module), alias.name)
    return None


def summary(text: str | None) -> str:
    """The summary of a docstring: its first paragraph."""
    return " ".join((text or "").strip().partition("\n\n")[0].split())


def bare(annotation: ast.expr | None) -> ast.expr | None:
    """A type without what is ``Annotated`` and without quotes."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        return ast.parse(annotation.value, mode="eval").body
    if isinstance(annotation, ast.Subscript) and ast.unparse(annotation.value) == "Annotated":
        return annotation.slice.elts[0] if isinstance(annotation.slice, ast.Tuple) else annotation
    return annotation


def arguments(function: ast.FunctionDef, method: bool = False) -> str:
    """What a function takes, in parentheses."""
    for one in (*function.args.args, *function.args.kwonlyargs):
        one.annotation = bare(one.annotation)
    given = ast.unparse(function.args)
    return f"({given.removeprefix('self').removeprefix(', ')})" if method else f"({given})"


def fields(module: str, node: ast.ClassDef) -> list[str]:
    """What a dataclass or NamedTuple is made of, with what it has from dataclasses."""
    if not (is_dataclass(node) or "NamedTuple" in map(ast.unparse, node.bases)):
        return []
    found = [find(module, ast.unparse(base)) for base in node.bases]
    inherited = [
        part for one in found if one and isinstance(one.node, ast.ClassDef) for part in fields(one.module, one.node)
    ]
    annotated = [part for part in node.body if isinstance(part, ast.AnnAssign)]
    for part in annotated:
        part.annotation = bare(part.annotation) or part.annotation
    own = [ast.unparse(part) for part in annotated]
    return [*inherited, *(part for part in own if "ClassVar" not in part and "init=False" not in part)]


def is_dataclass(node: ast.ClassDef) -> bool:
    """Whether a class is decorated as one."""
    return any("dataclass" in ast.unparse(one) for one in node.decorator_list)


def called(module: str, node: ast.ClassDef) -> str:
    """How a class is called: by its fields, its own `__init__`, or that of the first base that has one."""
    bases = [ast.unparse(base.value if isinstance(base, ast.Subscript) else base) for base in node.bases]
    if "NamedTuple" in bases or is_dataclass(node):
        return f"({', '.join(fields(module, node))})"
    for part in node.body:
        if isinstance(part, ast.FunctionDef) and part.name == "__init__":
            return arguments(part, method=True)
    found = [find(module, base) for base in bases]
    inherited = [called(one.module, one.node) for one in found if one and isinstance(one.node, ast.ClassDef)]
    return inherited[0] if inherited else ""


def entry(module: str, name: str) -> str:
    """A line of the list: how the name is used, and what it is."""
    found = find(module, name)
    if found is None:
        raise SystemExit(f"{module} has no {name}, which its __all__ lists")
    node = found.node
    if isinstance(node, ast.FunctionDef):
        returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
        return told(f"{name}{arguments(node)}{returns}", ast.get_docstring(node))
    if isinstance(node, ast.ClassDef):
        return told(f"{name}{called(found.module, node)}", ast.get_docstring(node))
    value = ast.unparse(node.value) if isinstance(node, ast.Assign | ast.AnnAssign) and node.value else ""
    said = found.after.value if isinstance(found.after, ast.Expr) else None
    together = isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple)
    shown = f"{name} = {value}" if len(value) <= 60 and not together else name
    return told(shown, ast.literal_eval(said) if said else None)


def told(signature: str, docstring: str | None) -> str:
    """``* `signature`: first line``."""
    line = summary(docstring)
    return f"* `{signature}`" + (f": {line}" if line else "")


def page() -> str:
    """The whole page."""
    parts = [TOP]
    for heading, modules in MODULES.items():
        parts.append(f"## {heading}\n")
        for module in modules:
            about = summary(ast.get_docstring(tree(module)))
            lines = [entry(module, name) for name in public(module)]
            parts.append("\n".join([f"### `{module}`\n", f"{about}\n", *lines, ""]))
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
