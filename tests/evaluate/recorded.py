"""What tests of records share."""

from __future__ import annotations

import json


def timeless(line):
    """A record without what differs from run to run."""
    given = json.loads(line)
    given.pop("seconds")
    for turn in given["turns"]:
        turn.pop("seconds")
    return given


def lines(folder):
    return [line for path in sorted(folder.glob("records*.jsonl")) for line in path.read_text().splitlines()]
