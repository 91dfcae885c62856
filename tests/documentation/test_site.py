"""What the documentation site makes beside docs/: links, pages of the games, pages of public names, navigation."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest
import yaml

import api_pages
import docstrings
import econzoo
import game_pages
import hooks
from econzoo.baselines import scripted_players
from econzoo.evaluate.run import game_settings

pytestmark = pytest.mark.repo

ROOT = Path(__file__).resolve().parents[2]
GAMES = list(econzoo.envs.GAMES)


@cache
def made() -> dict[str, str]:
    return {**api_pages.pages(), **game_pages.pages()}


def section(page: str, heading: str) -> str:
    """What stands under a heading of a page, up to the next one of its level or above."""
    level = heading.count("#")
    return re.split(rf"\n#{{1,{level}}} ", page.partition(f"\n{heading}\n")[2])[0]


def rows(text: str) -> list[list[str]]:
    """The cells of the tables of a text, without heads."""
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    cells = [re.split(r" \| ", line.removeprefix("| ").removesuffix(" |")) for line in lines]
    heads = {i - 1 for i, row in enumerate(cells) if set(row) == {"---"}}
    return [row for i, row in enumerate(cells) if i not in heads | {one + 1 for one in heads}]


# Links and comments


def test_links_lead_to_pages_of_the_site_and_else_to_the_repository() -> None:
    pages = {"index.md", "results.md", "games/matrix.md", "changelog.md", "speed.md", "web.png"}
    for page, target, there in [
        ("results.md", "games/matrix.md", "games/matrix.md"),
        ("games/matrix.md", "../results.md#ppo", "../results.md#ppo"),
        ("games/matrix.md", "../../README.md", "../index.md"),
        ("results.md", "../CHANGELOG.md", "changelog.md"),
        ("results.md", "../benchmarks/README.md#how", "speed.md#how"),
        ("results.md", "../benchmarks/speed.py", "repository:benchmarks/speed.py"),
        ("results.md", "make_picture.py", "repository:docs/make_picture.py"),
        ("index.md", "docs/results.md", "results.md"),
        ("index.md", "docs/web.png", "web.png"),
        ("speed.md", "../docs/results.md", "results.md"),
        ("speed.md", "speed.py", "repository:benchmarks/speed.py"),
        ("results.md", "#seeds", "#seeds"),
        ("results.md", "https://arxiv.org/abs/2410.05254", "https://arxiv.org/abs/2410.05254"),
        ("results.md", "mailto:somebody@example.org", "mailto:somebody@example.org"),
    ]:
        assert hooks.led(target, page, pages) == there, (page, target)


def test_code_stays_and_comments_go() -> None:
    code = "```python\nf[0](../x) # <!-- b -->\n```\n`[c](../d)` e "
    assert hooks.mended(f"[a](../envs/a.py)\n<!-- run:\nlong\n-->\n{code}<!-- f -->g\n", "results.md", set()) == (
        f"[a](repository:envs/a.py)\n{code}g\n"
    )


def test_files_of_the_repository_are_read_in_the_clone_or_where_it_is_published() -> None:
    page = ROOT / "build" / "site" / "games" / "matrix.html"
    assert hooks.repository(None, page) == "../../.."
    assert hooks.repository("https://example.org/zoo/", page) == "https://example.org/zoo/blob/main"


# Navigation


def listed(entry: object) -> list[str]:
    """The pages of a part of the navigation."""
    if isinstance(entry, str):
        return [entry]
    return [page for part in (entry.values() if isinstance(entry, dict) else entry) for page in listed(part)]


def test_every_page_stands_in_the_navigation_once() -> None:
    text = re.sub(r"!\S+", "", (ROOT / ".ci" / "mkdocs.yml").read_text(encoding="utf-8"))
    nav = [{title: hooks.completed(entry) for title, entry in part.items()} for part in yaml.safe_load(text)["nav"]]
    assert [title for part in nav for title in part] == [
        *(
            "Start",
            "Tutorials",
            "Games",
            "How-to",
            "Concepts",
            "API",
            "Results",
            "Replications",
            "Glossary",
            "Changelog",
        ),
    ]
    docs = {file.relative_to(ROOT / "docs").as_posix() for file in (ROOT / "docs").rglob("*.md")} - {"README.md"}
    assert sorted(listed(nav)) == sorted(docs | {*made(), *hooks.ELSEWHERE.values()}), "see nav in .ci/mkdocs.yml"


# Pages of the games


@pytest.mark.parametrize("name", GAMES)
def test_the_page_of_a_game_has_what_it_declares(name: str) -> None:
    page, game = made()[f"games/{name}.md"], econzoo.game(name)
    assert page.startswith(f"# {game.title()}\n")
    for heading, names in {
        "## Parameters": [one.name for one in game.parameters],
        "### Settings": game_settings(game),
        "## Moves": game.actions.names,
        "### Structures": game.view_type._fields,
        "## Scripted players": scripted_players(name),
    }.items():
        told = [row[0] for row in rows(section(page, heading).partition("\n### ")[0])]
        assert [re.split(r"[(`]", one)[1] for one in told] == list(names), heading


@pytest.mark.parametrize("name", GAMES)
def test_the_page_of_a_game_has_every_number(name: str) -> None:
    numbers = rows(section(made()[f"games/{name}.md"], "### Numbers"))
    env, together = econzoo.make(name), econzoo.make_parallel(name).action_space("player_0").n
    (shape,) = env.observation_space("player_0")["observation"].shape
    features, actions = numbers[:shape], numbers[shape:]
    assert [int(row[0]) for row in features] == list(range(shape))
    more = together - env.action_space("player_0").n
    assert [row[2] for row in actions].count(game_pages.NO_OP) == more
    assert int(actions[-1][0].split(" to ")[-1]) == together - 1


@pytest.mark.parametrize("name", GAMES)
def test_the_example_of_a_page_is_the_match_that_its_line_plays(name: str) -> None:
    example = section(made()[f"games/{name}.md"], "## Example")
    (line,) = re.findall(r"^record = (econzoo\.play\(.*\))$", example, flags=re.MULTILINE)
    record = eval(line, {"econzoo": econzoo})
    assert [row[1:] for row in rows(example.partition("**")[0])] == [
        [f"`{player}`", f"{payoff:,.2f}"] for player, payoff in zip(record.players, record.payoffs, strict=True)
    ]


def test_a_page_that_was_written_stands_before_the_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "games").mkdir()
    (tmp_path / "games" / "matrix.md").write_text("# Dilemmas by hand\n\nWords.\n", encoding="utf-8")
    (tmp_path / "README.md").write_text("", encoding="utf-8")
    monkeypatch.setattr(game_pages, "DOCS", tmp_path)
    page = "\n".join(game_pages.page(econzoo.game("matrix")))
    assert page.startswith("# Dilemmas by hand\n\nWords.\n")
    assert page.count("\n# ") == 0
    assert "## Parameters" in page


def test_a_text_shows_every_character() -> None:
    assert game_pages._escaped("a*b_c <d> [e] `f_g`") == r"a\*b\_c \<d\> \[e\] `f_g`"
    assert game_pages._fenced("a ``` b").splitlines()[0].startswith("```` ")


# Public names


def test_the_list_of_public_names_has_all_and_every_page_its_modules() -> None:
    index = made()["api.md"]
    for heading, modules in api_pages.MODULES.items():
        page = made()[api_pages.path(heading)]
        assert re.findall(r"^::: (\S+)$", page, flags=re.MULTILINE) == list(modules)
        for module in modules:
            assert [name for name in api_pages.public(module) if f"`{name}`" not in index] == []


def test_sources_of_a_docstring_are_a_list() -> None:
    text = "What.\n\nSources:\n    {}Nash, J. (1950). The\n        problem.\n    {}Selten, R. (1978).\n\nMore.\n"
    assert docstrings.with_list(text.format("", "")) == text.format("* ", "* ")
    assert docstrings.with_list("No sources.") == "No sources."
