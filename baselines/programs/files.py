"""Files that hold one program."""

from __future__ import annotations

from pathlib import Path

from econzoo.envs.families.open_source.limits import Limits

ALLOWED = "allowed: a text file in UTF-8 that holds the source of a program"


def read_program(path: str | Path) -> str:
    """The text of a file; no more of it is read than a program may be long.

    Raises:
        ValueError: There is no such file, it is no regular one (a folder, a device, a pipe), it may not be read, is no
            UTF-8, or is too long; the message says which.
    """
    path, longest = Path(path), Limits().source
    if path.exists() and not path.is_file():
        raise ValueError(f"the file cannot be read ({path} is no regular file); {ALLOWED}")
    try:
        with path.open(encoding="utf-8-sig") as file:
            text = file.read(longest + 1)
    except (OSError, ValueError) as error:
        raise ValueError(f"the file cannot be read ({getattr(error, 'strerror', None) or error}); {ALLOWED}") from None
    if len(text) > longest:
        raise ValueError(f"the file has more than {longest:,} characters; {ALLOWED} of up to {longest:,}")
    return text


def fenced(text: str) -> bool:
    """Whether a line of a text opens a block of Markdown."""
    return any(line.lstrip().startswith("```") for line in text.splitlines())
