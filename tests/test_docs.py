"""The game of docs/adding_a_game.md, written to disk as the page says, and held to the tests of every game."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.repo

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
BLOCK = re.compile(r"^```(?:python|toml)\n# (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NAME = "ultimatum"
PYTEST = ("-m", "pytest", "-p", "no:cacheprovider", "-n", "0", "--assert=plain")
PAGES = [*sorted(DOCS.rglob("*.md")), ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]

MADE = {"api.md", "spaces.md", "games/index.md"}
"""Lists that the site makes (.ci/site), which pages lead to."""

PLUGIN = f'''
"""Makes the documented game a part of the package, as its files in this repository would."""
import sys
from pathlib import Path

import econzoo.baselines
import econzoo.envs.games

HERE = Path(__file__).resolve().parent
econzoo.envs.__path__.append(f"{{HERE}}/envs")
econzoo.envs.games.__path__.append(f"{{HERE}}/envs/games")
econzoo.baselines.__path__.append(f"{{HERE}}/baselines")
econzoo.register_game("{NAME}", "econzoo.envs.games.{NAME}:GAME", players="econzoo.baselines.{NAME}")
'''


def files_of_the_page() -> dict[str, str]:
    """Path to text, in order."""
    return dict(BLOCK.findall((DOCS / "adding_a_game.md").read_text(encoding="utf-8")))


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files of the page and a module `make_documented_tuple` that registers the game."""
    folder = tmp_path_factory.mktemp("documented")
    for name, text in files_of_the_page().items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (folder / "documented.py").write_text(PLUGIN, encoding="utf-8")
    return folder


def python(game: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    path = f"{game}{os.pathsep}{ROOT / 'tests'}"
    env = {**os.environ, "PYTHONPATH": path, "PYTEST_ADDOPTS": "", "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([sys.executable, *arguments], cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-3000:]
    return done


def test_the_page_has_every_file_that_its_list_names(game: Path) -> None:
    text = (DOCS / "adding_a_game.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"`((?:envs|baselines)/[^`]*NAME[^`/]*\.\w+)`", text.partition("## The rules")[0]))
    wanted = {path.replace("NAME", NAME) for path in listed} | {f"envs/games/{NAME}/text.py"}
    assert wanted <= set(files_of_the_page())


CHECKED = f'''
from unittest import SkipTest

import documented
from econzoo import game
from econzoo.testing import checks_of

# The page shows one of five files of tests; elsewhere the game is not found; it may end early.
LEFT_OUT = ("package_files.tests", "package_files.page", "package_files.registration", "edges.the_record")
passed = 0
for one in checks_of(game("{NAME}")):
    if one.quick and not one.name.startswith(LEFT_OUT):
        try:
            one()
            passed += 1
        except SkipTest:
            pass
print(passed)
'''


def test_the_documented_game_passes_the_checks_of_every_game(game: Path) -> None:
    done = python(game, "-c", CHECKED)
    assert int(done.stdout.split()[-1]) > 100, done.stdout


def test_a_part_of_a_file_that_is_shown_stands_in_it() -> None:
    text = (DOCS / "adding_a_game.md").read_text(encoding="utf-8")
    shown = re.findall(r"^```python\n# a part of (\S+)\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)
    assert shown
    for name, part in shown:
        whole = (ROOT / name).read_text(encoding="utf-8")
        assert all(definition.strip() in whole for definition in part.split("\n\n\n"))


def test_the_documented_test_passes(game: Path) -> None:
    python(game, *PYTEST, "-p", "documented", str(game / "tests"))


def test_the_documented_match_comes_out_as_it_says(game: Path) -> None:
    python(game, "-c", f"import documented\n{files_of_the_page()['play']}")


def test_the_documented_game_is_clean(game: Path) -> None:
    pytest.importorskip("ruff")
    config = ["--config", str(ROOT / "pyproject.toml"), "--no-cache"]
    parts = [str(game / part) for part in ("envs", "baselines", "tests")]
    python(game, "-m", "ruff", "check", *config, *parts[:2])
    python(game, "-m", "ruff", "format", "--check", *config, *parts)


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


def test_the_page_on_records_has_every_field() -> None:
    from dataclasses import fields

    from econzoo.envs.core.env.options import RECORDED_OPTIONS
    from econzoo.envs.core.record.record import SCHEMA, Record, Turn
    from econzoo.evaluate.run.replay import UNCHECKED_FIELDS

    text = (DOCS / "records.md").read_text(encoding="utf-8")
    names = [field.name for kind in (Record, Turn) for field in fields(kind)]
    assert not [name for name in names if f"`{name}`" not in text]
    assert f"version of this format; now {SCHEMA} " in text
    assert f"follows from them: {', '.join(f'`{name}`' for name in UNCHECKED_FIELDS)}." in text
    assert f"where given: {', '.join(f'`{name}`' for name in RECORDED_OPTIONS)} " in text
