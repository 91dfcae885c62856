"""Links, excerpts and the index of the pages."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.repo

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PAGES = [*sorted(DOCS.rglob("*.md")), ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]

MADE = {"api.md", "spaces.md", "games/index.md"}
"""Lists that the site makes (.ci/site), which pages lead to."""


def test_a_part_of_a_file_that_is_shown_stands_in_it() -> None:
    text = (DOCS / "adding_a_game.md").read_text(encoding="utf-8")
    shown = re.findall(r"^```python\n# a part of (\S+)\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)
    assert shown
    for name, part in shown:
        whole = (ROOT / name).read_text(encoding="utf-8")
        assert all(definition.strip() in whole for definition in part.split("\n\n\n"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}/{page.name}")
def test_links_lead_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
    made = MADE if page.is_relative_to(DOCS) else ()
    missing = [
        t for t in targets if "://" not in t and t.removeprefix("../") not in made and not (page.parent / t).exists()
    ]
    assert not missing


def test_every_page_is_in_the_index() -> None:
    index = (DOCS / "README.md").read_text(encoding="utf-8")
    linked = set(re.findall(r"^\* .*?\]\(([\w./]+\.md)\)", index, flags=re.MULTILINE))
    inside = {target for target in linked if not target.startswith("..")}
    pages = [*DOCS.glob("*.md"), *DOCS.glob("tutorials/*.md")]
    assert inside == {page.relative_to(DOCS).as_posix() for page in pages} - {"README.md"} | MADE


def test_the_help_has_the_headings_of_the_index() -> None:
    from econzoo.__main__ import COMMANDS, PANELS

    headings = re.findall(r"^## (.*)$", (DOCS / "README.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert [one for one in headings if one in PANELS] == list(PANELS)
    assert sorted(name for names in PANELS.values() for name in names) == sorted(COMMANDS)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}/{page.name}")
def test_files_that_a_page_names_exist(page: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    top = "|".join(("envs", "wrappers", "baselines", "evaluate", "train", "tests", "docs", "benchmarks"))
    named = {name for name in re.findall(rf"`((?:{top})/[^`\s*]*)`", text) if "NAME" not in name}
    assert not {name for name in named if not (ROOT / name).exists()}
