"""Matches that failed: a player, a program, a provider or a file raised an error, and the run went on without them.

They stand in a file of their own beside the records, ``records.jsonl.failed``: a record of what was played, with the
status ``"failed"``, the reason, and no result. The same command plays them again, until they have failed `TRIES` times.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from econzoo.baselines.models.journal import open_journal
from econzoo.envs.core.folders import cache_folder
from econzoo.envs.core.plurals import format_count, format_times, plural
from econzoo.envs.core.record.lines import record_paths
from econzoo.envs.core.record.record import Record
from econzoo.evaluate.run.folder import FAILED, read_failed_tries, recorded_ids
from econzoo.evaluate.run.writer import open_writer

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
"""How often a match is played that fails."""

MAX_CONSECUTIVE_FAILURES = 5
"""Failures, one after the other, that end a run: then it is not the matches that are at fault."""

FAILED_MARK = '"status":"failed"'
"""In the line of every match that failed, and of no other: quotes inside of texts are escaped."""


class StoppedError(RuntimeError):
    """A run in which nothing but failures came; the command line ends with the exit code `exit_code`."""

    exit_code = 3


class NoneEndedError(StoppedError):
    """All matches have failed, fewer than end a run; other designs of the same run can be played."""


@contextmanager
def defer_error(found: list[NoneEndedError]) -> Iterator[None]:
    """Keeps an error of one design for later, since the others can be played."""
    try:
        yield
    except NoneEndedError as error:
        found.append(error)


class FailureCounter:
    """Counts what ended and what failed, and stops where too much fails in a row.

    Args:
        unit: Is counted, in the singular.

    Attributes:
        ended_count: How many ended.
        failure_reasons: The reason of each that failed.
    """

    def __init__(self, unit: str) -> None:
        self._unit, self._failures_in_row = unit, 0
        self.ended_count = 0
        self.failure_reasons: list[str] = []

    def count_end(self) -> None:
        """One more has ended."""
        self.ended_count, self._failures_in_row = self.ended_count + 1, 0

    def count_failure(self, reason: str) -> None:
        """One more has failed; raises `StoppedError` where that makes `MAX_CONSECUTIVE_FAILURES` of them."""
        self.failure_reasons.append(reason)
        self._failures_in_row += 1
        if self._failures_in_row == MAX_CONSECUTIVE_FAILURES:
            raise StoppedError(
                f"{MAX_CONSECUTIVE_FAILURES} {plural(self._unit)} in a row failed, {self._describe_last()}"
            )

    def report(self) -> None:
        """Says on standard error how many failed, and why the last one did."""
        if self.failure_reasons:
            print(
                f"{format_count(len(self.failure_reasons), self._unit)} failed, {self._describe_last()}",
                file=sys.stderr,
            )

    def check(self) -> None:
        """Raises `NoneEndedError` if something failed and nothing ended."""
        if self.failure_reasons and not self.ended_count:
            raise NoneEndedError(
                f"{format_count(len(self.failure_reasons), self._unit)} failed, none ended. Last "
                f"error: {self.failure_reasons[-1]}"
            )

    def _describe_last(self) -> str:
        return f"the last one: {self.failure_reasons[-1].rstrip('.')}; the same command tries again"


class Run(FailureCounter):
    """Sorts matches into those that ended and those that failed, and counts.

    Args:
        path: File of the records; None: nothing is written.
        stack: Closes the file.

    Attributes:
        failed_records: Records of the matches that failed.
    """

    def __init__(self, path: Path | None, stack: ExitStack) -> None:
        super().__init__("match")
        self._path = path
        self._records = stack.enter_context(open_writer(path)) if path else None
        self.failed_records: list[Record] = []

    def append(self, lines: Sequence[str]) -> list[str]:
        """Writes matches down.

        Args:
            lines: Of records, in the order in which the matches came to their end.

        Returns:
            Those of them that ended.

        Raises:
            StoppedError: `MAX_CONSECUTIVE_FAILURES` have failed, one after the other.
        """
        good = [line for line in lines if FAILED_MARK not in line]
        if self._records and good:
            self._records.append(good)
        for line in lines:
            if FAILED_MARK in line:
                self._record_failure(line)
            else:
                self.count_end()
        return good

    def _record_failure(self, line: str) -> None:
        """Writes down a match that failed."""
        self.failed_records.append(Record.from_json(line))
        if self._path:
            with open_writer(self._path.with_name(self._path.name + FAILED)) as file:
                file.append([line])
        self.count_failure(str(self.failed_records[-1].reason))


@contextmanager
def open_run(path: Path | None, name: str) -> Iterator[Run]:
    """A run that writes to a file of records and keeps the calls of models until all of its matches have ended.

    Args:
        path: The file; None: no record is kept, and the calls are kept in the cache folder.
        name: Id of a match that names the run there.
    """
    with ExitStack() as stack:
        run = Run(path, stack)
        book = stack.enter_context(open_journal(path or cache_folder() / "calls" / name, required=path is not None))
        yield run
        book.keeps_file = bool(run.failed_records)


def exhausted_ids(folder: Path) -> set[str]:
    """Ids of the matches of a folder that have failed `TRIES` times."""
    files = [path.with_name(path.name.removesuffix(FAILED)) for path in folder.glob(f"*{FAILED}")]
    return {match for file in files for match, tries in read_failed_tries(file).items() if len(tries) >= MAX_TRIES}


def describe_failures(failures: Sequence[tuple[Record, int]]) -> list[str]:
    """How many matches failed, and why, in a line for each of the first few; empty where none did.

    Args:
        failures: Each with how often it has failed.
    """
    if not failures:
        return []
    rest = sum(tries < MAX_TRIES for _, tries in failures)
    some = {0: "none is", 1: "one is"}.get(rest, f"{rest:,} are")
    again = "the same command tries again" if rest == len(failures) else f"{some} tried again by the same command"
    lines = [
        f"  {' / '.join(one.labels)}, seed {one.seed}, failed {format_times(tries)}: {one.reason}"
        for one, tries in failures[:MAX_CONSECUTIVE_FAILURES]
    ]
    more = (
        [f"  and {len(failures) - MAX_CONSECUTIVE_FAILURES:,} more"] if len(failures) > MAX_CONSECUTIVE_FAILURES else []
    )
    return [f"{format_count(len(failures), 'match')} failed; {again}", *lines, *more]


def report_failures(folder: Path) -> None:
    """Says on standard error which matches of a folder have failed, and not ended since.

    Raises:
        NoneEndedError: There are such, and none has ended.
    """
    if not any(folder.glob(f"*{FAILED}")):  # to read the records takes long where there are many
        return
    ended = recorded_ids(folder)
    failed = failed_matches(folder, ended)
    for line in describe_failures(failed):
        print(line, file=sys.stderr)
    if not ended:
        raise_none_ended(failed)


def raise_none_ended(failures: Sequence[tuple[Record, int]]) -> None:
    """Raises `NoneEndedError` if matches have failed, where none has ended; takes what `reasons` takes."""
    if failures:
        last, tries = failures[-1]
        count = format_count(len(failures), "match")
        raise NoneEndedError(f"{count} failed and none ended, the last one failed {format_times(tries)}: {last.reason}")


def failed_matches(folder: Path, ended: Collection[str]) -> list[tuple[Record, int]]:
    """The matches of a folder that have failed and are not among those that have ended, each with how often."""
    tries = [one for path in record_paths(folder) for one in read_failed_tries(path).items()]
    return [(all_tries[-1][1], len(all_tries)) for match, all_tries in tries if match not in ended]
