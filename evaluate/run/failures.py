"""Failed matches: a player, program, provider or file raised an error, and the run continued without the match.

They are in a separate file beside the records, ``records.jsonl.failed``: a record of the moves so far, with the status
``"failed"``, the reason, and no result. The same command retries them, until they have failed `MAX_TRIES` times.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from econzoo.baselines import open_call_log, open_journal
from econzoo.envs.core import cache_folder, format_count, format_times, plural
from econzoo.envs.core.record import Record, record_paths
from econzoo.evaluate.run.folder import FAILED, open_writer, read_failed_tries, recorded_ids

__all__ = [
    "MAX_CONSECUTIVE_FAILURES",
    "MAX_TRIES",
    "NoneEndedError",
    "Run",
    "StoppedError",
    "FailureCounter",
    "failed_matches",
    "exhausted_ids",
    "open_run",
]
__all__ += ["defer_error", "raise_none_ended", "describe_failures", "report_failures"]

MAX_TRIES = 3
"""Maximum attempts at a match that fails."""

MAX_CONSECUTIVE_FAILURES = 5
"""Consecutive failures that stop a run: the cause is then probably not the matches."""

FAILED_MARK = '"status":"failed"'
"""In the line of every failed match, and of no other: quotes in texts are escaped."""


class StoppedError(RuntimeError):
    """A run with nothing but failures; the command line exits with `exit_code`."""

    exit_code = 3


class NoneEndedError(StoppedError):
    """All matches of a design failed, too few to stop the run; other designs can be played."""


@contextmanager
def defer_error(found: list[NoneEndedError]) -> Iterator[None]:
    """Store an error of one design, so that the others are played first."""
    try:
        yield
    except NoneEndedError as error:
        found.append(error)


class FailureCounter:
    """Counts finished and failed items, and stops after too many consecutive failures."""

    def __init__(self, unit: str) -> None:
        self._unit, self._failures_in_row = unit, 0
        self.ended_count = 0
        self.failure_reasons: list[str] = []

    def count_end(self) -> None:
        self.ended_count, self._failures_in_row = self.ended_count + 1, 0

    def count_failure(self, reason: str) -> None:
        """Count a failure; raises `StoppedError` after `MAX_CONSECUTIVE_FAILURES` in a row."""
        self.failure_reasons.append(reason)
        self._failures_in_row += 1
        # In a row: an end in between shows that players and servers work.
        if self._failures_in_row == MAX_CONSECUTIVE_FAILURES:
            raise StoppedError(
                f"{MAX_CONSECUTIVE_FAILURES} {plural(self._unit)} failed in a row. {self._describe_last()}"
            )

    def report(self) -> None:
        """Print to standard error how many failed, and the last reason."""
        if self.failure_reasons:
            print(
                f"{format_count(len(self.failure_reasons), self._unit)} failed. {self._describe_last()}",
                file=sys.stderr,
            )

    def check(self) -> None:
        """Raise `NoneEndedError` if something failed and nothing finished."""
        if self.failure_reasons and not self.ended_count:
            raise NoneEndedError(
                f"{format_count(len(self.failure_reasons), self._unit)} failed, 0 completed. Last "
                f"error: {self.failure_reasons[-1]}"
            )

    def _describe_last(self) -> str:
        return f"Last error: {self.failure_reasons[-1].rstrip('.')}; rerun the same command to retry"


class Run(FailureCounter):
    """Writes finished and failed matches to their files, which the stack closes, and counts them.

    Args:
        path: Record file; None: nothing is written.
    """

    def __init__(self, path: Path | None, stack: ExitStack) -> None:
        super().__init__("match")
        self._path = path
        self._records = stack.enter_context(open_writer(path)) if path else None
        self.failed_records: list[Record] = []

    def append(self, lines: Sequence[str]) -> list[str]:
        """Write matches, and return the lines of those that finished."""
        good = [line for line in lines if FAILED_MARK not in line]
        # Before any failure is counted, which may end the run.
        if self._records and good:
            self._records.append(good)
        for line in lines:
            if FAILED_MARK in line:
                self._record_failure(line)
            else:
                self.count_end()
        return good

    def _record_failure(self, line: str) -> None:
        self.failed_records.append(Record.from_json(line))
        if self._path:
            # Opened for each failure, since most runs have none and then leave no file.
            with open_writer(self._path.with_name(self._path.name + FAILED)) as file:
                file.append([line])
        self.count_failure(str(self.failed_records[-1].reason))


@contextmanager
def open_run(path: Path | None, name: str) -> Iterator[Run]:
    """Open a run with its record file, and a journal of model calls until all matches have ended.

    Args:
        path: Record file; None: no file, and the journal is in the cache folder.
        name: Id of a match that names the run there.
    """
    with ExitStack() as stack:
        run = Run(path, stack)
        if path is not None:
            stack.enter_context(open_call_log(path))
        book = stack.enter_context(open_journal(path or cache_folder() / "calls" / name, required=path is not None))
        yield run
        # Failed matches are retried, with the replies that they had before.
        book.keeps_file = bool(run.failed_records)


def exhausted_ids(folder: Path) -> set[str]:
    """Return ids of the matches of a folder that have failed `MAX_TRIES` times."""
    files = [path.with_name(path.name.removesuffix(FAILED)) for path in folder.glob(f"*{FAILED}")]
    return {match for file in files for match, tries in read_failed_tries(file).items() if len(tries) >= MAX_TRIES}


def describe_failures(failures: Sequence[tuple[Record, int]]) -> list[str]:
    """Return a line with the number of failed matches, and one for each of the first few; empty if none failed."""
    if not failures:
        return []
    rest = sum(tries < MAX_TRIES for _, tries in failures)
    some = {0: "none is", 1: "one is"}.get(rest, f"{rest:,} are")
    again = "rerun the same command to retry" if rest == len(failures) else f"{some} retried by the same command"
    lines = [
        f"  {' / '.join(one.labels)}, seed {one.seed}, failed {format_times(tries)}: {one.reason}"
        for one, tries in failures[:MAX_CONSECUTIVE_FAILURES]
    ]
    more = (
        [f"  and {len(failures) - MAX_CONSECUTIVE_FAILURES:,} more"] if len(failures) > MAX_CONSECUTIVE_FAILURES else []
    )
    return [f"{format_count(len(failures), 'match')} failed; {again}", *lines, *more]


def report_failures(folder: Path) -> None:
    """Print to standard error which matches of a folder have failed and not finished since."""
    if not any(folder.glob(f"*{FAILED}")):  # reading many records is slow
        return
    ended = recorded_ids(folder)
    failed = failed_matches(folder, ended)
    for line in describe_failures(failed):
        print(line, file=sys.stderr)
    if not ended:
        raise_none_ended(failed)


def raise_none_ended(failures: Sequence[tuple[Record, int]]) -> None:
    """Raise `NoneEndedError` if matches have failed and none has finished; takes what `describe_failures` takes."""
    if failures:
        last, tries = failures[-1]
        count = format_count(len(failures), "match")
        raise NoneEndedError(f"{count} failed, 0 completed. Last error, {format_times(tries)}: {last.reason}")


def failed_matches(folder: Path, ended: Collection[str]) -> list[tuple[Record, int]]:
    """Return the failed matches of a folder that have not finished, with the number of failures of each."""
    tries = [one for path in record_paths(folder) for one in read_failed_tries(path).items()]
    return [(all_tries[-1][1], len(all_tries)) for match, all_tries in tries if match not in ended]
