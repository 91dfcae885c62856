"""The glossary names what the code has, and the code uses the glossary's words.

Identifiers and options only: prose is reviewed by reading.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from econzoo.__main__ import COMMANDS, SERVE, STUDY, TRAIN, load
from import_scanner import FILES, tree_of

pytestmark = pytest.mark.repo

PAGE = (Path(__file__).resolve().parents[1] / "docs" / "glossary.md").read_text(encoding="utf-8")
TERMS = re.findall(r"^\| (?!term |-)([^|]+) \| [^|]+ \| ([^|]*) \| [^|]*\|$", PAGE, flags=re.MULTILINE)
REPLACED = dict(
    re.findall(r"^\| (?!word)(\w+) \| ([^|]+) \|$", PAGE.partition("## Replaced words")[2], flags=re.MULTILINE)
)

PARTICIPLES = {
    *(
        "begun",
        "bought",
        "brought",
        "chosen",
        "done",
        "drawn",
        "fought",
        "given",
        "gone",
        "heard",
        "held",
        "kept",
        "known",
        "left",
    ),
    *(
        "lost",
        "made",
        "meant",
        "met",
        "paid",
        "said",
        "seen",
        "sent",
        "shown",
        "sold",
        "sought",
        "spent",
        "spoken",
        "taken",
        "taught",
    ),
    *("thought", "told", "understood", "won", "written"),
}
NOUNS = {"need", "seed", "speed", "feed", "thought", "unwrapped", "died", "mixed"}
"""Nouns and verbs that look like participles; Gymnasium's `unwrapped`, `died` of states, the player `mixed`."""


class Names(ast.NodeVisitor):
    """Every class, function, parameter, field and constant of the library, and members by class."""

    def __init__(self) -> None:
        self.functions: dict[str, str] = {}
        self.all: dict[str, str] = {}
        self.members: set[str] = set()
        self._class = ""

    def add(self, name: str) -> None:
        """Notes an identifier."""
        self.all.setdefault(name, self.file)
        self.members.add(f"{self._class}.{name}")

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.add(node.name)
        outer, self._class = self._class, node.name
        self.generic_visit(node)
        self._class = outer

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self.add(node.name)
        self.functions.setdefault(node.name, self.file)
        self.generic_visit(node)

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815

    def visit_arg(self, node: ast.arg) -> None:
        self.add(node.arg)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if isinstance(node.target, ast.Name):
            self.add(node.target.id)

    def visit_Assign(self, node: ast.Assign) -> None:
        for target in node.targets:
            if isinstance(target, ast.Name) and target.id.isupper():
                self.add(target.id)

    def visit_Module(self, node: ast.Module) -> None:
        self.add(Path(self.file).stem)
        self.generic_visit(node)


def read_names() -> Names:
    names = Names()
    for file in FILES:
        names.file = file
        names.visit(tree_of(file))
    return names


NAMES = read_names()


def options() -> set[str]:
    """All options of the command line."""
    commands = [
        load(name, where) for name, (where, _) in [*COMMANDS.items(), *TRAIN.items(), *STUDY.items(), *SERVE.items()]
    ]
    return {flag for command in commands for one in command.params for flag in (*one.opts, *one.secondary_opts)}


def words(name: str) -> list[str]:
    return re.findall(r"[a-z]+", re.sub(r"([a-z])([A-Z])", r"\1_\2", name).lower())


def is_participle(word: str) -> bool:
    return word not in NOUNS and (word in PARTICIPLES or re.fullmatch(r"\w{2,}[^aeiou]?ed", word) is not None)


def test_the_glossary_has_some_sixty_terms_once_each() -> None:
    names = [term for term, _ in TERMS]
    assert len(names) == len(set(names)) >= 60


def test_every_identifier_of_the_glossary_is_in_the_code() -> None:
    known = options()
    given = {name for _, cell in TERMS for name in re.findall(r"`([^`]+)`", cell)}
    assert len(given) > 80
    assert (
        sorted(
            one
            for one in given
            if one not in (known if one.startswith("-") else NAMES.members if "." in one else NAMES.all)
        )
        == []
    )


def test_no_function_is_a_bare_participle() -> None:
    assert {
        name: file for name, file in NAMES.functions.items() if len(words(name)) == 1 and is_participle(words(name)[0])
    } == {}


def test_no_identifier_uses_a_replaced_word() -> None:
    found = {name: file for name, file in NAMES.all.items() if {*words(name)} & {*REPLACED}}
    assert found == {}


@pytest.mark.parametrize(
    ("word", "expected"), [("told", True), ("ranked", True), ("seed", False), ("need", False), ("rank", False)]
)
def test_a_participle_is_recognized(word: str, expected: bool) -> None:
    assert is_participle(word) == expected
