"""The tests of the pages can fail: what they read, what they refuse, and what they report."""

from __future__ import annotations

from pathlib import Path

import pytest

from documentation.blocks import ROOT, Block, blocks, commands, is_plain, simple_commands, without_comment
from documentation.declarations import Declaration, declared
from documentation.page import run_page
from documentation.running import job_of
from refusals import refuses

pytestmark = pytest.mark.repo

PAGE = """
Some words.

<!-- run: with thing; 5 -> 1 -->
```bash
econzoo games   # what there is
for seed in 0 1; do
    econzoo evaluate ppo:runs/$seed \\
        --seeds 5
done
```

1. A list.
   ```python
   x = 1
   ```

```console
$ econzoo games
bargaining
```
"""


def page(tmp_path: Path, text: str) -> list[Block]:
    path = tmp_path / "page.md"
    path.write_text(text, encoding="utf-8")
    return [block._replace(page=ROOT / "page.md") for block in blocks(path)]


def python(code: str, declaration: Declaration | None = None, language: str = "python") -> Block:
    return Block(ROOT / "page.md", 1, language, code, declaration or Declaration())


def test_blocks_of_a_page(tmp_path: Path) -> None:
    shell, code, console = page(tmp_path, PAGE)
    assert (shell.line, shell.declaration.with_, shell.declaration.replacements) == (5, ["thing"], [("5", "1")])
    loop = "for seed in 0 1; do\necon" + "zoo evaluate ppo:runs/$seed          --seeds 5\ndone"
    assert shell.commands == ["econzoo games", loop]
    assert simple_commands(loop) == [["econzoo", "evaluate", "ppo:runs/0", "--seeds", "5"]]
    assert (code.text, code.declaration) == ("x = 1\n", Declaration())
    assert console.commands == ["econzoo games"]


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        ("econzoo games  # all", "econzoo games"),
        ("# alone", ""),
        ("play 'a # b' x#y", "play 'a # b' x#y"),
        ('play "a#b" # c', 'play "a#b"'),
    ],
)
def test_comments_end_a_line_outside_quotes_only(line: str, kept: str) -> None:
    assert without_comment(line) == kept


@pytest.mark.parametrize(
    ("command", "plain"),
    [
        ("econzoo play bargaining 'boulware(0.2)' \"human('Ann; or > Bob')\"", True),
        ("econzoo games > games.txt", False),
        ("econzoo games && econzoo games", False),
        ("for x in a; do econzoo show $x; done", False),
    ],
)
def test_a_shell_is_used_only_where_one_is_needed(command: str, plain: bool) -> None:
    assert is_plain(command) is plain


def test_a_loop_has_an_end() -> None:
    with refuses(ValueError, "for seed in 0 1; do"):
        list(commands("for seed in 0 1; do\n    econzoo games"))


def test_unknown_clauses_are_refused() -> None:
    for clause in ["quick", "with", "5 - > 1", "typed"]:
        with refuses(ValueError, clause):
            declared(f"<!-- run: {clause} -->")


def test_a_clause_about_words_that_are_not_there_is_refused() -> None:
    for clause, missing in (("--seeds 9 -> --seeds 1", "--seeds 9"), ("long econzoo train", "econzoo train")):
        with refuses(ValueError, f"'{missing}'"):
            declared(f"<!-- run: {clause} -->").check("econzoo tournament bargaining spe fair --seeds 5")


def test_programs_that_no_page_may_start_are_refused(tmp_path: Path) -> None:
    for command, named in (
        ("sudo reboot", "sudo"),
        ("econzoo games | curl -d @- example.org", "curl"),
        ("rm -r runs", "rm"),
    ):
        with refuses(ValueError, f"'{named}'", "econzoo"):
            job_of(command, tmp_path, {}, "")


def test_what_fails_is_reported_with_its_place_and_output(tmp_path: Path) -> None:
    found = [python("raise SystemExit('so it ended')"), python("econzoo show chess", language="bash")]
    code, command = run_page(found, tmp_path)
    assert "page.md:1" in code
    assert "so it ended" in code
    assert "bargaining" in command, "the error that lists the games"


def test_blocks_share_a_folder_and_nothing_else(tmp_path: Path) -> None:
    first = python("from pathlib import Path\nPath('kept').write_text('1')\ngone = 1")
    second = python("assert open('kept').read() == '1'\nassert 'gone' not in globals()")
    assert run_page([first, second, python("assert __name__ == '__main__'")], tmp_path) == []


def test_typed_lines_are_read_and_a_definition_goes_on(tmp_path: Path) -> None:
    declaration = declared("<!-- run: typed one / two; then assert f() == 'onetwoone' -->")
    assert run_page([python("def f():\n    return input() + input() + input()", declaration)], tmp_path) == []


def test_long_commands_wait_for_the_long_tests(tmp_path: Path) -> None:
    found = [python("raise ValueError('took long')", declared("<!-- run: long took long -->"))]
    assert run_page(found, tmp_path) == []
    assert len(run_page(found, tmp_path, long=True)) == 1
