"""Every tutorial runs as a notebook, cell by cell, in an empty folder, and ends with something to look at."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from nbclient import NotebookClient

import hooks
import notebooks
from documentation.blocks import blocks
from documentation.figures import figures
from documentation.page import merged
from documentation.stand_ins import STAND_INS, Given

PAGES = sorted(notebooks.TUTORIALS.glob("*.md"))
MODEL = "hf:smollm2 with weights"

PAGE = """Some [words](../games.md), and [more](https://example.org).

<!-- run: with payoffs.csv -->
```python
x = 1
```

<!-- run: file my/game.py -->
```python
y = 2
```

```bash
econzoo games
```

```text
bargaining
```
"""


def given(page: Path, folder: Path) -> Given:
    """What the blocks of a page declare that the reader has; cells run as they stand, so no words are replaced."""
    return merged([STAND_INS[name](folder) for name in sorted(wanted(page))])


def wanted(page: Path) -> set[str]:
    return {name for block in blocks(page) for name in block.declaration.with_}


def executed(page: Path, folder: Path, environment: Mapping[str, str]) -> Any:
    """The notebook of a page with its outputs; an error in a cell is raised."""
    notebook = notebooks.notebook(page.read_text(encoding="utf-8"))
    own = {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "IPYTHONDIR": str(folder.parent / "ipython"),
        "COLUMNS": "120",
    }
    client = NotebookClient(notebook, timeout=600, kernel_name="python3", resources={"metadata": {"path": str(folder)}})
    return client.execute(env={**os.environ, **own, **environment})


def check(page: Path, folder: Path, environment: Mapping[str, str]) -> None:
    notebook = executed(page, folder, environment)
    *cells, last = (cell for cell in notebook.cells if cell.cell_type == "code")
    assert last.outputs, "a tutorial ends with something to look at"
    shown = [output for cell in (*cells, last) for output in cell.outputs]
    printed = "\n".join(one.get("text") or one.get("data", {}).get("text/plain", "") for one in shown)
    lacking = [one.missing(printed) for one in figures(page, blocks(page)) if one.source]
    assert not any(lacking), "\n".join(lacking)


@pytest.mark.repo
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_tutorial(page: Path, tmp_path: Path) -> None:
    folder = tmp_path / "reader"
    folder.mkdir()
    check(page, folder, given(page, folder).environment)


@pytest.mark.models
@pytest.mark.smollm2
@pytest.mark.parametrize("page", [page for page in PAGES if MODEL in wanted(page)], ids=lambda page: page.stem)
def test_tutorial_with_smollm2(page: Path, tmp_path: Path) -> None:
    folder = tmp_path / "reader"
    folder.mkdir()
    check(page, folder, {})


@pytest.mark.repo
def test_no_words_are_replaced() -> None:
    for page in PAGES:
        assert not [one.place for one in figures(page, blocks(page)) if one.made and one.source], "cells print figures"
        for block in blocks(page):
            assert not block.declaration.replacements, f"{block}: cells run as they stand"
            assert not block.declaration.long, f"{block}: every cell runs"


@pytest.mark.repo
def test_blocks_become_cells() -> None:
    words, code, file, shell, shown = notebooks.notebook(PAGE).cells
    assert words.source == "Some words, and [more](https://example.org)."
    assert code.source == "x = 1"
    assert file.source == "%%writefile my/game.py\ny = 2"
    assert shell.source == "%%bash -e\neconzoo games"
    assert (shown.cell_type, shown.source) == ("markdown", "```text\nbargaining\n```")


@pytest.mark.repo
def test_the_site_offers_every_notebook() -> None:
    files = notebooks.files()
    assert [Path(name).stem for name in files] == [page.stem for page in PAGES]
    for page in PAGES:
        text = notebooks.with_download(page.read_text(encoding="utf-8"), f"tutorials/{page.name}")
        assert text.splitlines()[2].startswith(f"[Download as notebook]({page.stem}.ipynb)")
        mended = hooks.mended(text, f"tutorials/{page.name}", set(files))
        assert f"]({page.stem}.ipynb)" in mended
    assert all(json.loads(text)["nbformat"] == 4 for text in files.values())
    assert notebooks.with_download("# Title\n", "results.md") == "# Title\n"
