"""The README keeps its word: its first screen, the two commands that do all, and CI, which runs the very one it gives.

Its other commands and its examples run in `documentation/test_pages.py`.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.repo

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```python\n(.*?)^```$", README, flags=re.MULTILINE | re.DOTALL)
FIRST_SCREEN = README.partition("\n## ")[0]


def marked(name: str) -> str:
    """The one command behind a marker."""
    found = re.findall(rf"^<!-- {name} -->\n```bash\n(.+)\n```$", README, flags=re.MULTILINE)
    assert len(found) == 1, f"the marker {name!r} stands before a block of one line"
    return found[0]


def run_example(code: str, folder: Path) -> str:
    """What it prints in a fresh namespace and process, from another folder."""
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_first_screen_has_a_picture_five_lines_and_six_links() -> None:
    assert len(FIRST_SCREEN.splitlines()) <= 40
    assert len([line for line in EXAMPLES[0].splitlines() if line]) == 5
    assert EXAMPLES[0] in FIRST_SCREEN
    assert len(re.findall(r"^\* \[[^]]+\]\([^)]+\)", FIRST_SCREEN, flags=re.MULTILINE)) == 6


def test_the_picture_can_be_shown_and_read_aloud() -> None:
    alt, file = re.findall(r"!\[(.+)\]\((.+\.png)\)", FIRST_SCREEN)[0]
    assert (ROOT / file).read_bytes().startswith(b"\x89PNG")
    assert (ROOT / file).stat().st_size < 300_000
    assert len(alt) > 100


def test_the_five_lines_play_the_match_of_the_picture(tmp_path: Path) -> None:
    """docs/make_picture.py keeps the words of the match in the file; the alternative text tells its end."""
    image = pytest.importorskip("PIL.Image")
    *turns, payoffs = run_example(EXAMPLES[0], tmp_path).splitlines()
    actions = [ast.literal_eval(turn.split(maxsplit=2)[2]) for turn in turns]
    said = [action["message"] for action in actions if action.get("message")]
    assert image.open(ROOT / "docs" / "econzoo.png").text["Words"].splitlines() == said, "make the picture anew"
    alice, bob = ast.literal_eval(payoffs)
    assert f"{alice:,.2f} and {bob:,.2f} dollars" in FIRST_SCREEN


def test_both_commands_do_all_the_set_up() -> None:
    for name, last in (("quickstart", ".venv/bin/econzoo quickstart"), ("tests", ".venv/bin/python -m pytest -n 2")):
        venv, install, command = (part.strip() for part in marked(name).split("&&"))
        assert venv == "python3 -m venv .venv"
        assert install.startswith(".venv/bin/pip install -c constraints.txt -e ")
        assert command == last


def test_ci_runs_the_command_of_the_readme(tmp_path: Path) -> None:
    """What .ci/run takes out of the README, by its own means, is what a reader copies."""
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    taking = re.search(r"^tests=\$\((.+)\)$", script, flags=re.MULTILINE)
    assert taking, ".ci/run has a line tests=$(...)"
    printed = subprocess.run(["bash", "-c", taking[1]], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert printed.strip() == marked("tests")
    assert re.search(r'^\s*run .*bash -c "\$tests"', script, flags=re.MULTILINE), "and it runs that"


def test_ci_needs_nothing_beside_the_repository() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert not re.findall(r"\.\./|/(?:home|root|work|tmp)/", script.replace('")/.."', ""))
