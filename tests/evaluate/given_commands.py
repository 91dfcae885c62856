"""Commands with a model, given in this process, and what they have played."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from econzoo.__main__ import main
from econzoo.envs.core.record import read_record_file
from econzoo.evaluate.run import replay

GUESS = ("run", "guess", "MODEL", "--opponents", "fixed", "-p", "rounds=3", "--seeds", 2)
SPARC = ("run", "sparc", "MODEL", "--settings", "TitForTat", "--settings", "Grudger", "--no-baselines")
COMMANDS: dict[str, tuple[object, ...]] = {
    "play": ("play", "bargaining", "MODEL", "fair", "--matches", 7, "--out", "o/records.jsonl"),
    "tournament": (
        *("tournament", "persuasion", "MODEL", "--lineups", "MODEL | MODEL"),
        *("--seeds", 4, "-p", "rounds=3", "--out", "o"),
    ),
    "evaluate": ("evaluate", "bargaining", "MODEL", "--opponents", "fair", "--seeds", 1, "--out", "o"),
    "run channel": ("run", "channel", "MODEL", "fair", "--seeds", 2, "--out", "o"),
    "run guess": (*GUESS, "--out", "o"),
    "run sparc": (*SPARC, "--seeds", 5, "--out", "o"),
    "run glee": ("run", "glee", "MODEL", "--opponents", "fair", "--family", "bargaining", "--out", "o"),
    "programs": ("tournament", "program_matrix", "MODEL", "fair-bot", "--seeds", 2, "--out", "o"),
    "judge": ("judge", "m.jsonl", "--judge", "MODEL", "--out", "o/judgements.jsonl"),
}
"""A command that takes a model, with not more than a few matches; what it keeps is in the folder ``o``."""


def command(*words: object) -> int:
    """Runs a command in this process; its exit code."""
    try:
        main([str(word) for word in words])
    except SystemExit as ended:
        return int(ended.code or 0)
    return 0


def filled(name: str, spec: str) -> list[str]:
    """The words of a command for a player."""
    return [str(word).replace("MODEL", spec) for word in COMMANDS[name]]


def played(folder: str) -> list[str]:
    """The matches in all folders below, each of which must replay; without times, ids and the address of the server."""
    found = [record for path in sorted(Path(folder).rglob("*.jsonl")) for record in read_record_file(path)]
    assert all(record.status != "failed" and not replay(record) for record in found)
    assert len({record.id for record in found}) == len(found)
    return lasting(record.to_json() for record in found)


def lasting(lines: Iterable[str]) -> list[str]:
    """Lines without what changes from run to run."""
    changing = re.compile(r'"seconds":[0-9.e-]+|127\.0\.0\.1:\d+|"id":"\w+"')
    return sorted(changing.sub("", line) for line in lines)
