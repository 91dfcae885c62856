"""How many replies are read as an answer, by the rule of version 0 and by today's.

    python benchmarks/readings.py [FOLDER ...] [--count 100000]

Without a folder the replies that the tests make are read: random ones and long ones. In a folder it reads all
``*.json`` with chats (lists of objects with ``role`` and ``content``; what assistants say), and all games of GLEE
(``game.csv``; each answer as the JSON object that GLEE asks for, and each message as if it were the reply).
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from econzoo.envs.core.contract.validation import Invalid
from econzoo.envs.core.contract.versions import REPLY_VERSION
from econzoo.envs.core.faces.parse import MAX_REPLY, find_object

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from core.long_replies import SHAPES, longest
from fuzz.replies import replies

READ = "read"

GLEE_FIELDS = ("alice_gain", "bob_gain", "product_price", "message", "decision")
"""Columns of GLEE's tables that hold answers."""


def version_0(reply: str) -> str:
    """How replies were read at first: one JSON object, and no brace beside it, behind the last ``</think>``."""
    text = reply.rpartition("</think>")[2]
    start = text.find("{")
    if start < 0:
        return "no_json" if text.strip() else "empty"
    try:
        _, end = json.JSONDecoder().raw_decode(text, start)
    except (ValueError, RecursionError):
        return "bad_json"
    return "many_json" if set("{}").intersection(text[:start] + text[end:]) else READ


def today(reply: str) -> str:
    """How they are read now."""
    found = Invalid("too_long", "") if len(reply) > MAX_REPLY else find_object(reply)
    return found.code if isinstance(found, Invalid) else READ


RULES: dict[str, Callable[[str], str]] = {"version 0": version_0, f"version {REPLY_VERSION}": today}


def chats(value: Any) -> Iterator[str]:
    """What assistants say, wherever it stands."""
    if isinstance(value, dict) and value.get("role") == "assistant" and isinstance(value.get("content"), str):
        yield value["content"]
    elif isinstance(value, dict | list):
        for inside in value.values() if isinstance(value, dict) else value:
            yield from chats(inside)


def answers(path: Path) -> Iterator[tuple[str, str]]:
    """Answers and messages of a game of GLEE, each with which of them it is."""
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            said = {name: row[name] for name in GLEE_FIELDS if row.get(name) not in (None, "", "None")}
            if said:
                yield "GLEE, answers as JSON", json.dumps(said)
            if "message" in said:
                yield "GLEE, messages alone", said["message"]


def published(folder: Path) -> Iterator[tuple[str, str]]:
    """The replies in a folder, each with what it is."""
    for path in sorted(folder.rglob("*.json")):
        yield from (("chats", reply) for reply in chats(json.loads(path.read_text(encoding="utf-8"))))
    for path in sorted(folder.rglob("game.csv")):
        yield from answers(path)


def made(count: int) -> Iterator[tuple[str, str]]:
    """Those of the tests."""
    yield from (("random, with thoughts of all forms", reply) for reply in replies(1, count))
    yield from (("100,000 characters", longest(name)) for name in SHAPES)


def counted(given: Iterator[tuple[str, str]]) -> dict[str, dict[str, Counter[str]]]:
    """Source to rule to how often each outcome comes, and how often one rule reads what the other does not."""
    found: dict[str, dict[str, Counter[str]]] = {}
    for source, reply in given:
        told = found.setdefault(source, {name: Counter() for name in RULES})
        for name, rule in RULES.items():
            told[name][rule(reply)] += 1
    return found


def table(found: dict[str, dict[str, Counter[str]]]) -> str:
    """A line for each source and rule."""
    lines = []
    for source, rules in found.items():
        for name, outcomes in rules.items():
            told = ", ".join(f"{count:,} {outcome}" for outcome, count in outcomes.most_common())
            lines.append(f"{source:36} {name:10} {outcomes.total():>8,}: {told}")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path, metavar="FOLDER", help="with published replies")
    parser.add_argument("--count", type=int, default=100_000, metavar="N", help="random replies (default: 100,000)")
    args = parser.parse_args()
    for folder in args.folders:
        if not folder.is_dir():
            parser.error(f"no such folder: {folder}")
    found = counted(one for folder in args.folders for one in published(folder)) if args.folders else {}
    print(table(found or counted(made(args.count))))


if __name__ == "__main__":
    main()
