"""Commands on a disk that fails at every call in turn; a process of its own, with `failing_disk.c` loaded.

It is given a folder with the files that each command finds, reads commands by name from standard input, and prints what
went wrong, and how many failures there were.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import io
import json
import os
import shutil
import sys
from pathlib import Path
from typing import NamedTuple

from econzoo.__main__ import main

KINDS = ("open", "write", "move", "sync", "make")
"""Calls that fail, in the order of failing_disk.c."""

ERRORS = {"open": (errno.EROFS, errno.EIO), "write": (errno.ENOSPC, errno.EIO), "move": (errno.EIO, errno.EROFS)}
ERRORS |= {"sync": (errno.EIO,), "make": (errno.EROFS, errno.ENOSPC)}

FIRST = 6
"""Calls of a kind that all fail in turn; of more, these, the last, and one in the middle."""

LIBRARY = ctypes.CDLL(None)


class Ended(NamedTuple):
    code: int
    told: str
    counts: list[int]


def given(words: list[str], folder: Path, failure: tuple[int, int, int, int] = (-1, 0, 0, 0)) -> Ended:
    """A command in a folder whose disk fails: the kind of call, which one, the error, whether for good."""
    os.chdir(folder)
    said, code = io.StringIO(), 0
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(said):
        LIBRARY.plan_failure(os.fsencode(folder), *failure)
        try:
            main(words)
        except SystemExit as ended:
            code = int(ended.code or 0)
        except BaseException as error:
            code = 99
            print(f"Traceback {error!r}", file=said)
        finally:
            counts = [LIBRARY.calls_of(kind) for kind in range(len(KINDS))]
            LIBRARY.plan_failure(b"", -1, 0, 0, 0)
    return Ended(code, said.getvalue(), counts)


def files_in(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def lasting(files: dict[str, bytes]) -> dict[str, object]:
    """Without what differs from run to run: seconds of records, progress in manifests, oTree's secret key."""
    changing = "jsonl", "manifest", "otree/settings.py"
    return {name: any(map(name.__contains__, changing)) or held for name, held in files.items()}


def calls(number: int) -> list[int]:
    return sorted({*range(1, min(number, FIRST) + 1), (number + 1) // 2, number} - {0})


def try_all(name: str, words: list[str], prepared: Path, folder: Path) -> list[str]:
    """What goes wrong with a command: prints how many failures it met."""

    def anew() -> Path:
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(prepared, folder)
        return folder

    if (ended := given(words, anew())).code:
        return [f"{name} ends with {ended}"]
    counts, good = ended.counts, lasting(files_in(folder))
    before, wrong, met = files_in(prepared), list[str](), 0
    for kind, number in enumerate(counts):
        for call in calls(number):
            for error in ERRORS[KINDS[kind]]:
                for for_good in (0, 1):
                    what = f"{name}: {KINDS[kind]} {call} of {number}, {errno.errorcode[error]}{' on' * for_good}"
                    ended, met = given(words, anew(), (kind, call, error, for_good)), met + 1
                    lines = ended.told.strip().splitlines()
                    if ended.code not in (0, 1) or "Traceback" in ended.told or (ended.code and not lines):
                        wrong.append(f"{what}: ended with {ended.code}, {lines[-1:]}")
                    now = files_in(folder)
                    if parts := [one for one in now if one.endswith(".part")]:
                        wrong.append(f"{what}: left {parts}")
                    if lost := [one for one, held in before.items() if not now.get(one, b"").startswith(held)]:
                        wrong.append(f"{what}: changed {lost}")
                    # A failure that does not matter is none, as of a folder that is there.
                    again = given(words, folder) if ended.code else ended
                    if again.code:
                        wrong.append(f"{what}: given again, {again}")
                    elif (found := lasting(files_in(folder))) != good:
                        differing = [one for one in {**found, **good} if found.get(one) != good.get(one)]
                        wrong.append(f"{what}: given again, other files {differing}")
    print(json.dumps([name, met]), flush=True)
    return wrong


def run() -> None:
    prepared, folder = map(Path, sys.argv[1:])
    for line in sys.stdin:
        name, words = json.loads(line)
        for one in try_all(name, words, prepared, folder.resolve()):
            print(json.dumps(one), flush=True)


if __name__ == "__main__":
    run()
