"""Command lines put together at random from the commands and options that there are, with values that may not fit."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from econzoo.__main__ import APP, COMMANDS, load
from econzoo.evaluate.suites import SUITES
from goldens.commands import RECORDS

GAMES = ("bargaining", "matrix", "persuasion", "guess_average", "coin_game")
SPECS = ("fair", "random", "tit-for-tat", "honest", "spe", "mock('x')", "boulware(0.2)")

WRONG_NUMBERS = (
    *("", " ", "x", "-1", "0", "1.5", "1e9", "nan", "inf", "-0", "9" * 30, "9" * 5_000, "\u0663", "0x10", "1_0", "--"),
)
NUMBERS = ("1", "2")
WRONG_TEXTS = (
    *(
        "",
        " ",
        "x",
        "*",
        ".",
        "..",
        "/",
        "-",
        "--",
        "=",
        "a=b=c",
        "\u202e",
        "\x1b[2J",
        "\ud800",
        "'",
        '"',
        "\\",
        "$HOME",
    ),
    *("{0.__class__}", "%s%n", "None", "null", "nan", "[]", "{}", "[" * 5_000, "x" * 20_000, "\U0001f600", "../../x"),
    *("random(", "random)", "mock(", "mock('x'", "boulware(nan)", "boulware(1e400)", "boulware(__import__('os'))"),
    *("program:", "program:missing.py", "program:binary", "ppo:", "ppo:missing.zip", "ppo:binary", "fair?", "fair?x=1"),
    *("horizon", "horizon=", "horizon=x", "horizon=-1", "horizon=nan", "horizon=" + "9" * 5_000, "=1", "rounds=1.5"),
    *("delta=[", "delta=" + "[" * 5_000, "delta=1e400", "__class__=1", "noise=2", "options=1", "seed=1", "face=x"),
    *("0/0", "1/0", "-1/2", "3/2", "1/2/3", "x/y", "all", "first", "paper"),
)
FILES = ("records.jsonl", "records", "out", "missing", "missing/below", "empty", "binary", "deep.json", "deep.toml")
MORE_FILES = (
    "list.json",
    "number.json",
    "half.jsonl",
    "changed.jsonl",
    "torn.jsonl",
    "/dev/null",
    "/dev/null/x",
    ".",
    "",
)

LONG = {
    **{name: [] for name in ("train ppo", "train grpo", "judge", "evaluate")},
    **{f"run {name}": [] for name in SUITES if name != "sparc"},
    **{
        "train sft": ["--steps"],
        "train dpo": ["--steps"],
        "train iterate": ["--steps"],
        "quickstart": [],
        "run sparc": ["--settings"],
    },
}
"""Commands that train, or play very much, and what is given to them that nobody knows: an argument, or an option."""

UNKNOWN = "no-such-thing"

NOT_TRIED = {"--help", "--check", "--connect", "--here", "--matches", "--ceiling"}
"""What prints much, or plays for as long as one likes; leaves this machine; or writes into a folder of source."""


def commands() -> dict[str, Any]:
    """All commands, those of groups with the group's name first, and that of every suite and some games."""
    found: dict[str, Any] = {}

    def walk(group: Any, before: str) -> None:
        for name in group.table:
            command = load(name, group.table[name][0])
            if hasattr(command, "table"):
                walk(command, f"{before}{name} ")
            else:
                found[before + name] = command

    walk(APP, "")
    return found | {f"run {name}": load("run", COMMANDS["run"][0], [name]) for name in (*SUITES, *GAMES)}


def write_files(folder: Path) -> None:
    """The files that command lines name."""
    line = (RECORDS / "bargaining.jsonl").read_text().splitlines()[0]
    (folder / "records").mkdir()
    (folder / "records/records.jsonl").write_text(line + "\n")
    changed = json.loads(line)
    contents = {
        "records.jsonl": line + "\n",
        "changed.jsonl": json.dumps({**changed, "payoffs": ["\x1b", None], "players": [], "id": "../x"}) + "\n",
        "half.jsonl": json.dumps({key: changed[key] for key in list(changed)[:6]}) + "\n",
        "torn.jsonl": line + "\n" + line[:300],
        "empty": "",
        "deep.json": "[" * 100_000,
        "deep.toml": "a = " + "[" * 100_000,
        "list.json": "[1, null, {}]",
        "number.json": "1e999",
    }
    for name, text in contents.items():
        (folder / name).write_text(text)
    (folder / "binary").write_bytes(bytes(range(256)))


def command_lines(seed: int, count: int) -> Iterator[list[str]]:
    """So many command lines."""
    rng, table = Random(seed), commands()
    for _ in range(count):
        name = rng.choice([*table, *("play", "tournament", "replay", "analyze")])
        yield _line(rng, name, table[name])


def _line(rng: Random, name: str, command: Any) -> list[str]:
    arguments: list[str] = []
    for parameter in command.params:
        if parameter.name == "what" and name != "run":
            continue
        if parameter.param_type_name == "argument":
            count = rng.choice((1, 2, 2, 3)) if parameter.nargs < 0 else 1
            arguments += [_value(rng, parameter.name) for _ in range(count)]
        elif not NOT_TRIED.intersection(parameter.opts) and rng.random() < (0.9 if parameter.required else 0.15):
            arguments += _option(rng, parameter)
    if name in LONG:
        arguments = [*arguments, *[*LONG[name], UNKNOWN] * 2] if LONG[name] else [UNKNOWN, *arguments]
    elif rng.random() < 0.1:
        rng.shuffle(arguments)
    return [*name.split(), *arguments]


def _option(rng: Random, parameter: Any) -> list[str]:
    option = rng.choice(parameter.opts)
    if parameter.is_flag:
        return [option]
    return [option, _value(rng, parameter.name)] if rng.random() < 0.95 else [option]


def _value(rng: Random, name: str) -> str:
    """A value for a parameter of this name, which may fit and may not."""
    if rng.random() < 0.25:
        return rng.choice(rng.choice((WRONG_TEXTS, WRONG_NUMBERS, FILES, MORE_FILES)))
    if name in ("game", "name"):
        return rng.choice(GAMES)
    if name in ("players", "opponent", "opponents", "player", "spec", "lineups"):
        return rng.choice(SPECS)
    if name in ("files", "folder", "records", "path", "out", "markets", "resume", "save", "csv", "matrix", "payoffs"):
        return rng.choice(rng.choice((FILES, MORE_FILES)))
    return rng.choice(rng.choice((NUMBERS, WRONG_NUMBERS, WRONG_TEXTS)))
