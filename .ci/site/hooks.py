"""What the site has that docs/ has not: pages that are made or stand elsewhere, and links that lead there."""

from __future__ import annotations

import os
import posixpath
import re
import tomllib
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

import api_pages
import game_figures
import game_pages
import notebooks

ROOT = Path(__file__).resolve().parents[2]

ELSEWHERE = {
    "README.md": "index.md",
    "docs/README.md": "pages.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "benchmarks/README.md": "speed.md",
}
"""Files of the repository that are pages of the site by another name than they have in docs/."""

SOURCE = {page: file for file, page in ELSEWHERE.items()}

STYLE = Path(__file__).with_name("site.css")

REPOSITORY = "repository:"
"""Before the path of a file that is no page, until the page is HTML: the site would look for a relative link here."""

PART = re.compile(
    r"(?P<code>^ *(?P<fence>`{3,}).*?^ *(?P=fence) *$|(?P<ticks>`+)[^`\n]+(?P=ticks))"
    r"|(?P<comment>^[ \t]*<!--.*?-->[ \t]*\n|<!--.*?-->)"
    r"|\]\((?P<target>[^)\s]+)",
    re.MULTILINE | re.DOTALL,
)
"""Code, a comment, or where a link leads."""

DRAWING = re.compile(r'<pre class="mermaid">.*?</pre>', re.DOTALL)


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Links of the project stand in pyproject.toml; pages that are made stand in the navigation behind their list."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    config.repo_url = config.repo_url or project.get("urls", {}).get("Repository")
    config.copyright = f"EconZoo {project['version']}, as are its figures unless they name another version. MIT licence"
    config.nav = [{title: completed(entry) for title, entry in part.items()} for part in config.nav or []]
    return config


def completed(entry: Any) -> Any:
    """A section of the navigation with the pages that are made behind the page that lists them."""
    made = {"games/index.md": game_pages.paths(), "api.md": api_pages.paths()}
    if not isinstance(entry, list):
        return entry
    return [one for page in entry for one in (page, *(made.get(page, ()) if isinstance(page, str) else ()))]


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the pages that docs/ does not have."""
    elsewhere = {page: (ROOT / file).read_text(encoding="utf-8") for file, page in ELSEWHERE.items()}
    for page, text in {**elsewhere, **api_pages.pages(), **game_pages.pages()}.items():
        if written := files.get_file_from_path(page):  # by hand, and a part of the page that is made
            files.remove(written)
        files.append(File.generated(config, page, content=text))
    made = {"site.css": STYLE.read_text(encoding="utf-8"), **notebooks.files(), **game_figures.files()}
    for name, text in made.items():
        files.append(File.generated(config, name, content=text))
    if index := files.get_file_from_path("README.md"):
        files.remove(index)
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Links lead to pages of the site or to the repository; comments, which are for tests, are left out."""
    markdown = notebooks.with_download(markdown, page.file.src_uri)
    return mended(markdown, page.file.src_uri, {file.src_uri for file in files if file.inclusion.is_included()})


def mended(markdown: str, page: str, pages: set[str]) -> str:
    """The text of a page as the site takes it; for the arguments see `led`."""

    def one(part: re.Match[str]) -> str:
        if part["target"]:
            return f"]({led(part['target'], page, pages)}"
        return "" if part["comment"] else part[0]

    return PART.sub(one, markdown)


def led(target: str, page: str, pages: set[str]) -> str:
    """Where a link of a page leads on the site.

    Args:
        target: As it is written, from the file of the page.
        page: Path of the page on the site.
        pages: Paths of everything on the site.
    """
    path, *anchor = re.split("(?=#)", target, maxsplit=1)
    if not path or re.match(r"\w+:", target):
        return target
    file = posixpath.normpath(posixpath.join(posixpath.dirname(SOURCE.get(page, f"docs/{page}")), path))
    there = ELSEWHERE.get(file, file.removeprefix("docs/"))
    if there in pages and (file in ELSEWHERE or file.startswith("docs/")):
        return "".join([posixpath.relpath(there, posixpath.dirname(page) or "."), *anchor])
    return "".join([REPOSITORY, file, *anchor])


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Files of the repository are read where it is published, or in the clone that built the site; drawings scroll."""
    home = repository(config.repo_url, Path(config.site_dir, page.file.dest_uri))
    html = html.replace(f'href="{REPOSITORY}', f'href="{home}/')
    return DRAWING.sub(r'<div class="wide">\g<0></div>', html)


def repository(url: str | None, page: Path) -> str:
    """Where the files of the repository are, for a page in a file: its address if it has one, or the clone."""
    return f"{url.rstrip('/')}/blob/main" if url else Path(os.path.relpath(ROOT, page.parent)).as_posix()
