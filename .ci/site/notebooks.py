"""The tutorials of docs/ as notebooks: the site offers them for download, and a test runs them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import jupytext

TUTORIALS = Path(__file__).resolve().parents[2] / "docs" / "tutorials"

FILE = re.compile(r"^<!-- run: file (?P<name>\S+) -->\n```\w*\n", re.MULTILINE)
"""A block that is the content of a file."""

SHELL = re.compile(r"^```bash\n", re.MULTILINE)

COMMENT = re.compile(r"^<!--.*?-->\n", re.MULTILINE | re.DOTALL)
"""For the tests only, as in the HTML."""

LINK = re.compile(r"(?<!!)\[([^\]]+)\]\((?!https?:)[^)]+\)")
"""A link within the documentation, which leads nowhere from a folder of the reader's."""

DOWNLOAD = '[Download as notebook]({0}){{ .md-button download="{0}" }}'


def notebook(markdown: str) -> Any:
    """The notebook of a page.

    Python blocks become cells. Shell blocks become cells that stop at the first command that fails. Blocks with
    ``<!-- run: file NAME -->`` before them become cells that write the file.
    """
    text = FILE.sub(r"```python\n%%writefile \g<name>\n", markdown)
    text = LINK.sub(r"\1", COMMENT.sub("", SHELL.sub("```python\n%%bash -e\n", text)))
    made = jupytext.reads(text, fmt="md")
    made.metadata = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    return made


def files() -> dict[str, str]:
    """The path on the site and the JSON of each notebook."""
    return {
        f"tutorials/{page.stem}.ipynb": jupytext.writes(notebook(page.read_text(encoding="utf-8")), fmt="ipynb")
        for page in sorted(TUTORIALS.glob("*.md"))
    }


def with_download(markdown: str, page: str) -> str:
    """A page of the site with the link to its notebook below its title, if it has one."""
    folder, _, name = page.rpartition("/")
    if folder != "tutorials":
        return markdown
    title, _, rest = markdown.partition("\n")
    return f"{title}\n\n{DOWNLOAD.format(name.replace('.md', '.ipynb'))}\n{rest}"
