"""All files are read and written in one way: by `econzoo.envs.core.files`, which knows what may be wrong with them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from import_scanner import FILES, face_of, tree_of

pytestmark = pytest.mark.repo

HOME = "envs/core/files.py"

FORBIDDEN = {
    *("open", "fdopen", "read_bytes", "read_text", "write_bytes", "write_text"),
    *("ZipFile", "extractall", "testzip", "mkstemp", "copy2", "copytree", "genfromtxt", "fromfile", "tofile", "memmap"),
}
"""Calls that open a file, whatever they are called on."""

OF_MODULES = {"json": {"load", "dump"}, "tomllib": {"load"}, "pickle": {"load"}, "np": {"load", "save"}}
"""Functions that read or write an open file, by the module that they are called on."""

NO_FILES = {"webbrowser", "memory", "curve"}
"""What else can be opened."""

ALLOWED = {
    "envs/__init__.py": "what is installed, looked up before anything else is imported",
    "envs/core/record/provenance.py": "where the package was installed from",
    "envs/families/open_source/sandbox.py": "the script that starts the sandbox, in a folder of its own",
    "envs/new_game/command.py": "templates of the package",
    "baselines/call_log.py": "a log stays open as long as its run",
    "baselines/calls.py": "a journal stays open as long as its run",
    "evaluate/adapters/hub.py": "an archive in memory",
    "evaluate/analyses/tidy/spool.py": "a file without a name, of our own",
    "evaluate/analyses/tidy/table_files.py": "a draft",
    "evaluate/run/folder.py": "a lock",
    "people/bots/trial.py": "the log of a process",
    "people/bots/verdict.py": "an archive that was written a moment before",
    "people/manage/collection_pages.py": "an archive in memory",
    "people/manage/runs.py": "the log of a process",
    "people/otree/project.py": "templates of the package",
    "people/server/serving.py": "the log of a server",
    "people/table/store.py": "SQLite's log, to sync it",
}
"""Files that may, and why."""


def drafts(tree: ast.AST) -> set[str]:
    """Names of drafts: ``with atomic_write(...) as NAME``."""
    items = [item for node in ast.walk(tree) if isinstance(node, ast.With) for item in node.items]
    made = [
        one
        for one in items
        if isinstance(one.context_expr, ast.Call) and ast.unparse(one.context_expr.func) == "atomic_write"
    ]
    return {one.optional_vars.id for one in made if isinstance(one.optional_vars, ast.Name)}


def of_home(tree: ast.AST) -> set[str]:
    """Names that are imported from the one place, which has its own ``read_text``."""
    home = "econzoo." + HOME.removesuffix(".py").replace("/", ".")
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    places = {a.asname or a.name: face_of(str(n.module)).get(a.name, n.module) for n in nodes for a in n.names}
    return {name for name, module in places.items() if module == home}


def is_of_package(called: ast.expr) -> bool:
    """Whether something is read that comes with the package: ``files(...)`` of `importlib.resources`."""
    return any(isinstance(node, ast.Call) and ast.unparse(node.func) == "files" for node in ast.walk(called))


def opened(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and text of every call that opens a file other than a draft or one of the package."""
    own, ours = drafts(tree), of_home(tree)
    resources = {
        target.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and is_of_package(node.value)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        if isinstance(node.func, ast.Name) and node.func.id in ours:
            continue
        receiver = node.func.value if isinstance(node.func, ast.Attribute) else None
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        on = ast.unparse(receiver).rpartition(".")[2] if receiver is not None else ""
        reads = on == "archive" and name in ("read", "open")
        if not (name in FORBIDDEN or name in OF_MODULES.get(on, ()) or reads) or on in NO_FILES:
            continue
        first = ast.unparse(node.args[0]) if node.args else ""
        if on in own or (name == "ZipFile" and first in own) or (receiver is not None and is_of_package(receiver)):
            continue
        if on.partition("[")[0] in resources:
            continue
        yield node.lineno, ast.unparse(node)


def test_files_are_opened_in_one_place() -> None:
    found = {name: [*opened(tree_of(name))] for name in FILES if name != HOME}
    assert [f"{name}:{n} {text}" for name, all_ in found.items() if name not in ALLOWED for n, text in all_] == []
    assert {name for name in ALLOWED if not found[name]} == set(), "these are allowed what they do not do"


def test_every_way_to_open_a_file_is_found() -> None:
    ways = (
        *("open(path)", "path.open('a')", "os.open(path, 0)", "os.fdopen(3)", "self.path.read_text()"),
        *("Path(x).read_bytes()", "(folder / 'a').write_text(text)", "path.write_bytes(b'')", "archive.read(entry)"),
        *("zipfile.ZipFile(path)", "ZipFile(path, 'w')", "json.load(file)", "np.load(path)", "archive.open('a')"),
    )
    assert [way for way in ways if not [*opened(ast.parse(way))]] == []
    others = (
        *("webbrowser.open(url)", "text_of(path)", "files('a').joinpath('b').read_text()"),
        *("with atomic_write(path) as part:\n    part.open('w')", "json.loads(text)"),
    )
    assert [way for way in others if [*opened(ast.parse(way))]] == []
