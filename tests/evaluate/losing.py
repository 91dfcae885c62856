"""Matches that are lost afterwards: moved from the records of a folder to its failures."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from econzoo.envs.core import append_file
from econzoo.envs.core.record import Record, clear_result, read_record_file
from econzoo.evaluate.run import FAILED


def lose(folder: Path, is_lost: Callable[[Record], bool], name: str = "records.jsonl") -> list[Record]:
    """Write the matches of a folder as failed, as a run does it; return them as they ended."""
    lost, lines = [], {name: [], name + FAILED: []}
    for record in read_record_file(folder / name):
        if is_lost(record):
            lost.append(Record.from_json(record.to_json()))
            record.status, record.forfeit, record.reason = "failed", None, "HTTP 400"
            clear_result(record)
        lines[name + FAILED * (record.status == "failed")].append(record.to_json() + "\n")
    (folder / name).write_text("".join(lines[name]))
    append_file(folder / (name + FAILED), "".join(lines[name + FAILED]))
    return lost
