"""Figures of the pages: those that are declared occur in what their commands print.

``<!-- figures -->`` before a table, a paragraph or a block of output says that its figures come from the last block
above it that runs; in a tutorial, from all its cells. Behind a colon stand, one a line:

======================  ==============================================================================================
``COMMAND``             Commands to run in place of that block, as they stand, in the folder of the page.
``long``                They run with ``-m long`` only.
``counts``              Whole numbers are figures too.
``none, REASON``        Nothing that runs here prints them.
======================  ==============================================================================================

A figure is a number with a decimal point or a percent sign, outside of code. It agrees with a printed number that is
equal, or has at least its digits and rounds to it. A figure without a sign may be the amount of a printed number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple

from documentation.blocks import ROOT, Block
from documentation.declarations import Declaration

DECLARED = re.compile(r"^<!-- figures(?::(?P<clauses>.*?))? *-->\n+", re.MULTILINE | re.DOTALL)
ELEMENT = re.compile(r"(?P<fence>`{3,})[^\n]*\n.*?^(?P=fence) *$|.+?(?=\n\s*\n|\Z)", re.MULTILINE | re.DOTALL)
"""A fenced block, or what stands before an empty line."""

NUMBER = re.compile(r"(?<![\w.:/])(?P<sign>[-+]?)(?P<digits>\d[\d,]*(?:\.\d+)?)(?P<percent>%?)(?![\w.]*\w)")
CODE = re.compile(r"`[^`\n]+`|\]\([^)]*\)")
"""Code within a line, and targets of links."""

BESIDE = re.compile(r"^(?:\|[^\n]*\n)+|^```(?:text)?\n.*?^```$", re.MULTILINE | re.DOTALL)
"""What shows results: tables, and blocks of output."""

NONE = "none, "


class Number(NamedTuple):
    """A number of a text; a percentage is a hundredth of it, with two digits more."""

    sign: str
    amount: Decimal
    digits: int
    text: str

    def agrees(self, printed: Number) -> bool:
        """Whether a printed number is or rounds to this one."""
        own, other = (-one.amount if self.sign and one.sign == "-" else one.amount for one in (self, printed))
        return own == other or (
            self.digits <= printed.digits and abs(own - other) <= Decimal(5).scaleb(-self.digits - 1)
        )


class Figures(NamedTuple):
    """A declared element.

    Attributes:
        place: Page and line.
        text: The element.
        source: What prints its figures; None if nothing does.
        made: Whether the source is made of commands of the declaration, and not on the page.
        has_counts: Whether whole numbers are figures.
    """

    place: str
    text: str
    source: Block | None
    made: bool
    has_counts: bool = False

    def missing(self, printed: str) -> str:
        """What a text lacks; empty if nothing."""
        known = list(numbers(printed))
        lacking = [
            one.text for one in results(self.text, self.has_counts) if not any(one.agrees(other) for other in known)
        ]
        return f"{self.place}: {', '.join(lacking)} not in\n{printed[-3000:]}" if lacking else ""


def numbers(text: str) -> Iterator[Number]:
    """All numbers of a text."""
    for match in NUMBER.finditer(text):
        amount, percent = Decimal(match["digits"].replace(",", "")), bool(match["percent"])
        digits = max(-int(amount.as_tuple().exponent), 0) + 2 * percent
        yield Number(match["sign"], amount / (100 if percent else 1), digits, match[0])


def results(text: str, has_counts: bool = False) -> list[Number]:
    """The figures of an element."""
    plain = text if text.startswith("```") else CODE.sub("", text)
    return [one for one in numbers(plain) if one.digits or has_counts]


def figures(page: Path, blocks: list[Block]) -> list[Figures]:
    """The declared elements of a page.

    Raises:
        ValueError: A declaration without figures or without a block above it, or of one that is run with changes.
    """
    text, found = page.read_text(encoding="utf-8"), []
    for match in DECLARED.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        place = f"{page.relative_to(ROOT) if page.is_relative_to(ROOT) else page.name}:{line}"
        element = ELEMENT.match(text, match.end())
        clauses = [one.strip() for one in (match["clauses"] or "").strip().splitlines()]
        has_counts = "counts" in clauses
        if not element or not results(element[0], has_counts):
            raise ValueError(f"{place}: no figures follow")
        commands = [one for one in clauses if one not in ("long", "counts")]
        if commands:
            declaration = Declaration(with_=["the repository"], long=[""] * ("long" in clauses))
            source = Block(page, line, "bash", "\n".join(commands), declaration)
            found.append(Figures(place, element[0], None if commands[0].startswith(NONE) else source, True, has_counts))
            continue
        source = max((one for one in blocks if one.runs and one.line < line), key=lambda one: one.line, default=None)
        if source is None or source.declaration.replacements:
            raise ValueError(f"{place}: the block above runs with changes; the commands stand behind a colon")
        found.append(Figures(place, element[0], source, False, has_counts))
    return found


def undeclared(page: Path, blocks: list[Block]) -> Iterator[str]:
    """The places of results that follow a block which runs as it stands, and are not declared."""
    text = page.read_text(encoding="utf-8")
    lines = text.splitlines(keepends=True)
    running = sorted((one for one in blocks if one.runs), key=lambda one: one.line)
    ends = [*(one.line - 1 for one in running), len(lines)]
    for block, following in zip(running, ends[1:], strict=True):
        if block.declaration.replacements or block.declaration.long:
            continue
        after = "".join(lines[block.line + block.text.count("\n") + 1 : following])
        section = re.split(r"^#", after, maxsplit=1, flags=re.MULTILINE)[0]
        for match in BESIDE.finditer(section):
            before = section[: match.start()].strip().rpartition("\n\n")[2]
            if results(match[0]) and not DECLARED.fullmatch(f"{before}\n"):
                yield f"{block}: {match[0][:60]!r}"
