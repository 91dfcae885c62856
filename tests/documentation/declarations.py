"""What stands in a comment before a block of a page and says how the tests run it.

Tutorials (docs/tutorials) run as notebooks, every cell as it stands: there only ``with`` and ``file`` are allowed.
A block without a comment runs as it is printed. ``<!-- run: ... -->`` directly before the fence changes that. It holds
clauses, one a line, or with ``;`` between them:

======================  ==============================================================================================
``OLD -> NEW``          NEW stands in place of OLD. An OLD that the block does not have is an error.
``long``                The block runs with ``-m long`` only. The default tests check its commands' options.
``long OLD``            The same for the commands that hold OLD.
``with THING``          Something that the reader has and an empty folder lacks; `documentation.stand_ins` makes it.
``typed A / B``         What a person types, line after line, and again from the start.
``file NAME``           The block is the content of this file, for those after it. It does not run by itself.
``then CODE``           Python that goes on where the block ends, for blocks that only define something.
``in PATH``             The block runs in this file (``tests/test_x.py``, or ``tests/test_x.py::test_name``), not here.
======================  ==============================================================================================
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

COMMENT = re.compile(r"<!--(.*?)-->", re.DOTALL)
KEYWORDS = ("long", "with", "typed", "file", "then", "in")


@dataclass
class Declaration:
    """The clauses of a block; see above."""

    replacements: list[tuple[str, str]] = field(default_factory=list)
    long: list[str] = field(default_factory=list)
    with_: list[str] = field(default_factory=list)
    typed: list[str] = field(default_factory=list)
    file: list[str] = field(default_factory=list)
    then: list[str] = field(default_factory=list)
    in_: list[str] = field(default_factory=list)

    def replaced(self, text: str) -> str:
        """A text with all replacements."""
        for old, new in self.replacements:
            text = text.replace(old, new)
        return text

    def is_long(self, command: str) -> bool:
        """Whether a command, or the text of a block of Python, is left to ``-m long``."""
        return any(part in command for part in self.long)

    def check(self, text: str) -> None:
        """Raises `ValueError` if a clause speaks of words that a block's text does not have."""
        for old in [*(old for old, _ in self.replacements), *self.long]:
            if old not in text:
                raise ValueError(f"the block has no {old!r}")


def declared(comments: str) -> Declaration:
    """What the comments before a block declare; other comments than those that begin with ``run:`` are not read.

    Raises:
        ValueError: A clause that is none.
    """
    found = Declaration()
    for comment in COMMENT.findall(comments):
        kind, _, text = comment.strip().partition(":")
        if kind == "run":
            for clause in filter(None, (part.strip() for part in re.split(r"\n|; ", text))):
                add(found, clause)
    return found


def add(declaration: Declaration, clause: str) -> None:
    """One clause more."""
    old, arrow, new = clause.partition(" -> ")
    word, _, rest = clause.partition(" ")
    if arrow:
        declaration.replacements.append((old, new))
    elif word not in KEYWORDS or (not rest and word != "long"):
        raise ValueError(
            f"{clause!r} is not allowed; allowed: OLD -> NEW, {', '.join(KEYWORDS)} with what belongs to it"
        )
    elif word == "typed":
        declaration.typed += rest.split(" / ")
    else:
        getattr(declaration, {"with": "with_", "in": "in_"}.get(word, word)).append(rest.strip())
