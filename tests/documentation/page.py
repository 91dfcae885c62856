"""Runs the blocks of one page in order, in one folder, as a reader would who begins with an empty one."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from documentation.blocks import Block
from documentation.figures import Figures
from documentation.running import Job, job_of, run
from documentation.stand_ins import STAND_INS, Given


def chosen(block: Block, long: bool) -> list[str]:
    """What of a block runs now. Libraries are installed before, not here."""
    return [
        part
        for part in block.parts
        if block.runs and (long or not block.declaration.is_long(part)) and not part.startswith("pip install")
    ]


def job(block: Block, part: str, folder: Path, given: Given) -> Job:
    """What a command or a block of Python is run as."""
    text = block.declaration.replaced(part)
    for old, new in given.words.items():
        text = text.replace(old, new)
    typed = "\n".join(block.declaration.typed * 300)
    if block.language == "python":
        return Job("python", "\n".join([text, *block.declaration.then]), folder, given.environment, typed)
    return job_of(text, folder, given.environment, typed)


def run_block(block: Block, parts: list[str], folder: Path, found: Sequence[Figures] = ()) -> Iterator[str]:
    """What went wrong in a block: one text for each part that failed, and for each element that lacks a figure."""
    printed = ""
    with ExitStack() as stack:
        given = merged([enter(stack, STAND_INS[name], folder) for name in block.declaration.with_])
        for part in parts:
            doing = job(block, part, folder, given)
            code, output = run(doing)
            printed += output
            if code:
                yield f"{block}: {part}\nrun as: {doing.text}\nexit code {code}:\n{output[-3000:]}"
    if parts == chosen(block, long=True):
        yield from filter(None, (one.missing(printed) for one in found if one.source == block))


def enter(stack: ExitStack, stand_in: Callable[[Path], Any], folder: Path) -> Given:
    """A stand-in, for as long as the stack is open."""
    made = stand_in(folder)
    return made if isinstance(made, Given) else stack.enter_context(made)


def merged(given: list[Given]) -> Given:
    """All variables and words of several stand-ins."""
    environments, words = ([dict(one[at]) for one in given] for at in (0, 1))
    return Given(ChainMap(*environments), ChainMap(*words))


def run_page(blocks: list[Block], folder: Path, long: bool = False, found: Sequence[Figures] = ()) -> list[str]:
    """What went wrong on a page."""
    for block in blocks:
        for name in block.declaration.file:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(block.declaration.replaced(block.text), encoding="utf-8")
    running = ((block, parts) for block in blocks if (parts := chosen(block, long)))
    return [text for block, parts in running for text in run_block(block, parts, folder, found)]
