"""The fenced blocks of the pages, and the commands in them, as a reader copies them."""

from __future__ import annotations

import re
import shlex
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from documentation.declarations import Declaration, declared

ROOT = Path(__file__).resolve().parents[2]
SHELL, RUN = ("bash", "sh", "console"), ("bash", "sh", "console", "python")
SHOWN = ("", "text", "toml", "yaml", "json", "csv", "html", "mermaid", "bibtex")
"""Languages of blocks that are not run, unless they hold a command."""

COMMENT = r"[ \t]*<!--(?:(?!-->).)*-->[ \t]*\n"
FENCE = re.compile(
    rf"^(?P<comments>(?:{COMMENT})*) *(?P<fence>`{{3,}})(?P<language>\w*)[^\n]*\n(?P<text>.*?)^ *(?P=fence) *$",
    re.MULTILINE | re.DOTALL,
)
PROGRAM = re.compile(
    r"^ *(?:\$ +)?(?:\.venv/bin/)?(?:econzoo [a-z]|python3? (?:-m |\S+\.py)|pip install)", re.MULTILINE
)
QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
FOR_A_SHELL = re.compile(r"[<>$`\n]|(?<!:)\*|\bfor ")
LOOP = re.compile(r"\bfor (\w+) in (\S+)")


class Block(NamedTuple):
    """One fenced block.

    Attributes:
        page: Its file.
        line: Number of the line of its first fence.
        language: As it stands behind the fence.
        text: Without the fences.
        declaration: What the comments before it say.
    """

    page: Path
    line: int
    language: str
    text: str
    declaration: Declaration

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"

    @property
    def runs(self) -> bool:
        """Whether it runs here: it is code, no file's content, and no other test runs it."""
        return self.language in RUN and not self.declaration.file and not self.declaration.in_

    @property
    def commands(self) -> list[str]:
        """The commands of a shell block, in order."""
        return list(commands(self.text, self.language == "console")) if self.language in SHELL else []

    @property
    def parts(self) -> list[str]:
        """What runs by itself: each command, or the text of a block of Python."""
        return self.commands if self.language in SHELL else [self.text]


def pages() -> list[Path]:
    """All pages whose blocks are held to."""
    return [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md")), ROOT / "benchmarks" / "README.md"]


def blocks(page: Path) -> list[Block]:
    """The blocks of a page, in order."""
    text = page.read_text(encoding="utf-8")
    return [
        Block(
            page,
            text.count("\n", 0, match.start("fence")) + 1,
            match["language"],
            textwrap.dedent(match["text"]),
            declared(match["comments"]),
        )
        for match in FENCE.finditer(text)
    ]


def without_blocks(page: Path) -> str:
    """The text of a page between its fenced blocks, without comments."""
    return re.sub(r"<!--.*?-->", "", FENCE.sub("", page.read_text(encoding="utf-8")), flags=re.DOTALL)


def tokens(command: str) -> list[str]:
    """Words and operators of the shell, without comments."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
    lexer.whitespace_split, lexer.commenters = True, ""
    return list(lexer)


def without_comment(line: str) -> str:
    """A line up to a ``#`` that begins a word outside quotes."""
    return re.sub(r"""^((?:[^"'#]|"[^"]*"|'[^']*'|(?<=\S)#)*?)\s+#.*$|^#.*$""", r"\1", line)


def commands(text: str, console: bool = False) -> Iterator[str]:
    """Each command of a shell block: a line, several joined by backslashes, or a whole loop."""
    lines = text.replace("\\\n", " ").splitlines()
    if console:
        lines = [line[2:] for line in lines if line.startswith("$ ")]
    kept: list[str] = []
    for line in filter(None, (without_comment(line).strip() for line in lines)):
        kept.append(line)
        words = tokens("\n".join(kept))
        if words.count("do") == words.count("done"):
            yield "\n".join(kept)
            kept = []
    if kept:
        raise ValueError(f"a loop without an end: {kept}")


def first_round(command: str) -> str:
    """A command with the first value of each of its loops in place of the variable."""
    for name, value in LOOP.findall(command):
        command = re.sub(rf"\${name}\b", value.rstrip(";"), command)
    return command


def simple_commands(command: str) -> list[list[str]]:
    """The words of each program that a command starts; of a loop those of its first round."""
    found: list[list[str]] = [[]]
    for word in tokens(first_round(command).replace("\n", " ; ")):
        if word in ("do", "then", "else") or (word and set(word) <= set(";|&()")):
            found.append([])
        else:
            found[-1].append(word)
    return [words for words in found if words and words[0] not in ("for", "done", "fi", "if")]


def is_plain(command: str) -> bool:
    """Whether a command is one program with its words, for which no shell is needed."""
    return len(simple_commands(command)) == 1 and not FOR_A_SHELL.search(QUOTED.sub("", command))
