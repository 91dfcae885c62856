"""Every command and every block of Python on every page runs, cut down where a comment beside it says so."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from declared import PROJECT

from documentation.blocks import PROGRAM, ROOT, RUN, SHOWN, blocks, pages, simple_commands, without_blocks
from documentation.figures import figures, undeclared
from documentation.page import run_page
from documentation.stand_ins import STAND_INS

pytestmark = pytest.mark.repo

BLOCKS = {page: blocks(page) for page in pages()}
FIGURES = {page: figures(page, BLOCKS[page]) for page in BLOCKS}
for page, found in FIGURES.items():
    BLOCKS[page] += [one.source for one in found if one.source and one.made]
TUTORIALS = ROOT / "docs" / "tutorials"  # which run as notebooks, see test_tutorials.py
RUNNING = [block for on_page in BLOCKS.values() for block in on_page if block.runs and block.page.parent != TUTORIALS]
LIBRARIES = ("torch", "transformers", "pandas", "axelrod", "pydantic_monty", "openai", "sb3_contrib", "krippendorff")


def named(page: Path) -> str:
    return str(page.relative_to(ROOT))


def having(long: bool) -> list[Path]:
    """The pages that have something to run which is long, or not."""
    return sorted({b.page for b in RUNNING for text in b.parts if b.declaration.is_long(text) == long})


@pytest.fixture(scope="session")
def _all_extras() -> None:
    if missing := [library for library in LIBRARIES if not find_spec(library)]:  # nothing is imported
        pytest.skip(f"the pages need {', '.join(missing)}")


@pytest.mark.usefixtures("_all_extras")
@pytest.mark.parametrize("page", having(long=False), ids=named)
def test_page(page: Path, tmp_path: Path) -> None:
    failed = run_page(BLOCKS[page], tmp_path, found=FIGURES[page])
    assert not failed, "\n\n".join(failed)


@pytest.mark.long
@pytest.mark.usefixtures("_all_extras")
@pytest.mark.parametrize("page", having(long=True), ids=named)
def test_page_in_full(page: Path, tmp_path: Path) -> None:
    failed = run_page(BLOCKS[page], tmp_path, long=True, found=FIGURES[page])
    assert not failed, "\n\n".join(failed)


@pytest.mark.parametrize("page", BLOCKS, ids=named)
def test_commands_stand_in_blocks_that_are_run(page: Path) -> None:
    for block in BLOCKS[page]:
        assert block.language in (*RUN, *SHOWN), f"{block}: {block.language!r} is not allowed; allowed: {RUN + SHOWN}"
        assert block.language in RUN or not PROGRAM.search(block.text), f"{block} is bash, or console with output"
    assert not PROGRAM.findall(without_blocks(page)), "commands stand in fenced blocks"


@pytest.mark.parametrize("page", BLOCKS, ids=named)
def test_declarations_fit_their_blocks(page: Path) -> None:
    for block in BLOCKS[page]:
        block.declaration.check("\n".join(block.commands) or block.text)
        assert set(block.declaration.with_) <= set(STAND_INS), f"{block}; allowed: {', '.join(STAND_INS)}"
        for place in block.declaration.in_:
            path, _, name = place.partition("::")
            assert f"def {name}(" in (ROOT / path).read_text(encoding="utf-8") if name else (ROOT / path).is_file()


@pytest.mark.parametrize("page", BLOCKS, ids=named)
def test_results_beside_commands_are_declared(page: Path) -> None:
    """A table below a block that runs as it stands is compared with what it prints, or says why not."""
    assert not list(undeclared(page, blocks(page)))


@pytest.mark.parametrize("page", BLOCKS, ids=named)
def test_commands_have_the_options_that_the_page_gives(page: Path) -> None:
    """Asks the command line for each command's parameters, but those in variables of the shell; nothing is played."""
    for block in BLOCKS[page]:
        for words in (words for command in block.commands for words in simple_commands(command)):
            if words[0] == "econzoo":
                command, rest = found([word for word in words[1:] if not word.startswith("$")])
                assert command.make_context("econzoo", rest) is not None, f"{block}: {words}"


@pytest.mark.parametrize("page", BLOCKS, ids=named)
def test_commands_in_the_text_exist(page: Path) -> None:
    for line in re.findall(r"`econzoo ([^`]+)`", without_blocks(page)):
        found(line.split())


@pytest.mark.parametrize("page", BLOCKS, ids=named)
def test_extras_exist(page: Path) -> None:
    extras = re.findall(r"(?:econzoo|\.)\[([a-z,]+)\]", page.read_text(encoding="utf-8"))
    assert {name for names in extras for name in names.split(",")} <= set(PROJECT["optional-dependencies"])


def found(words: list[str]) -> tuple[Any, list[str]]:
    """The command that the words name, and what follows it."""
    from econzoo.__main__ import APP

    command: Any = APP
    while words and hasattr(command, "list_commands") and not words[0].startswith("-"):
        assert words[0] in command.table, f"no such command: {words[0]}"
        _, command, words = command.resolve_command(command.context_class(command), words)
    return command, words
