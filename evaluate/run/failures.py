"""Matches that failed: a player, a program, a provider or a file raised an error, and the run went on without them.

They stand in a file of their own beside the records, ``records.jsonl.failed``: a record of what was played, with the
status ``"failed"``, the reason, and no result. The same command plays them again, until they have failed `TRIES` times.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from econzoo.baselines.models.journal import journal
from econzoo.envs.core.folders import cache_folder
from econzoo.envs.core.plurals import many, plural, times
from econzoo.envs.core.record.lines import record_paths
from econzoo.envs.core.record.record import Record
from econzoo.evaluate.run.folder import FAILED, failed_beside, recorded_ids
from econzoo.evaluate.run.writer import writer

__all__ = ["IN_A_ROW", "TRIES", "NoneEndedError", "Run", "StoppedError", "Watch", "failed_in", "given_up", "kept_run"]
__all__ += ["going_on", "none_ended", "reasons", "tell_failed"]

TRIES = 3
"""How often a match is played that fails."""

IN_A_ROW = 5
"""Failures, one after the other, that end a run: then it is not the matches that are at fault."""

MARK = '"status":"failed"'
"""In the line of every match that failed, and of no other: quotes inside of texts are escaped."""


class StoppedError(RuntimeError):
    """A run in which nothing but failures came; the command line ends with the exit code `exit_code`."""

    exit_code = 3


class NoneEndedError(StoppedError):
    """All matches have failed, fewer than end a run; other designs of the same run can be played."""


@contextmanager
def going_on(found: list[NoneEndedError]) -> Iterator[None]:
    """Keeps an error of one design for later, since the others can be played."""
    try:
        yield
    except NoneEndedError as error:
        found.append(error)


class Watch:
    """Counts what ended and what failed, and stops where too much fails in a row.

    Args:
        what: Is counted, in the singular.

    Attributes:
        ended: How many ended.
        why: The reason of each that failed.
    """

    def __init__(self, what: str) -> None:
        self._what, self._row = what, 0
        self.ended = 0
        self.why: list[str] = []

    def end(self) -> None:
        """One more has ended."""
        self.ended, self._row = self.ended + 1, 0

    def fail(self, why: str) -> None:
        """One more has failed; raises `StoppedError` where that makes `IN_A_ROW` of them."""
        self.why.append(why)
        self._row += 1
        if self._row == IN_A_ROW:
            raise StoppedError(f"{IN_A_ROW} {plural(self._what)} in a row failed, {self._last()}")

    def tell(self) -> None:
        """Says on standard error how many failed, and why the last one did."""
        if self.why:
            print(f"{many(len(self.why), self._what)} failed, {self._last()}", file=sys.stderr)

    def check(self) -> None:
        """Raises `NoneEndedError` if something failed and nothing ended."""
        if self.why and not self.ended:
            raise NoneEndedError(f"{many(len(self.why), self._what)} failed, none ended. Last error: {self.why[-1]}")

    def _last(self) -> str:
        return f"the last one: {self.why[-1].rstrip('.')}; the same command tries again"


class Run(Watch):
    """Sorts matches into those that ended and those that failed, and counts.

    Args:
        path: File of the records; None: nothing is written.
        stack: Closes the file.

    Attributes:
        failed: Records of the matches that failed.
    """

    def __init__(self, path: Path | None, stack: ExitStack) -> None:
        super().__init__("match")
        self._path = path
        self._records = stack.enter_context(writer(path)) if path else None
        self.failed: list[Record] = []

    def append(self, lines: Sequence[str]) -> list[str]:
        """Writes matches down.

        Args:
            lines: Of records, in the order in which the matches came to their end.

        Returns:
            Those of them that ended.

        Raises:
            StoppedError: `IN_A_ROW` have failed, one after the other.
        """
        good = [line for line in lines if MARK not in line]
        if self._records and good:
            self._records.append(good)
        for line in lines:
            if MARK in line:
                self._keep(line)
            else:
                self.end()
        return good

    def _keep(self, line: str) -> None:
        """Writes down a match that failed."""
        self.failed.append(Record.from_json(line))
        if self._path:
            with writer(self._path.with_name(self._path.name + FAILED)) as file:
                file.append([line])
        self.fail(str(self.failed[-1].reason))


@contextmanager
def kept_run(path: Path | None, first: str) -> Iterator[Run]:
    """A run that writes to a file of records and keeps the calls of models until all of its matches have ended.

    Args:
        path: The file; None: no record is kept, and the calls are kept in the cache folder.
        first: Id of a match that names the run there.
    """
    with ExitStack() as stack:
        run = Run(path, stack)
        book = stack.enter_context(journal(path or cache_folder() / "calls" / first, vital=path is not None))
        yield run
        book.needed = bool(run.failed)


def given_up(folder: Path) -> set[str]:
    """Ids of the matches of a folder that have failed `TRIES` times."""
    files = [path.with_name(path.name.removesuffix(FAILED)) for path in folder.glob(f"*{FAILED}")]
    return {match for file in files for match, tries in failed_beside(file).items() if len(tries) >= TRIES}


def reasons(failed: Sequence[tuple[Record, int]]) -> list[str]:
    """How many matches failed, and why, in a line for each of the first few; empty where none did.

    Args:
        failed: Each with how often it has failed.
    """
    if not failed:
        return []
    rest = sum(tries < TRIES for _, tries in failed)
    some = {0: "none is", 1: "one is"}.get(rest, f"{rest:,} are")
    again = "the same command tries again" if rest == len(failed) else f"{some} tried again by the same command"
    lines = [
        f"  {' / '.join(one.labels)}, seed {one.seed}, failed {times(tries)}: {one.reason}"
        for one, tries in failed[:IN_A_ROW]
    ]
    more = [f"  and {len(failed) - IN_A_ROW:,} more"] if len(failed) > IN_A_ROW else []
    return [f"{many(len(failed), 'match')} failed; {again}", *lines, *more]


def tell_failed(folder: Path) -> None:
    """Says on standard error which matches of a folder have failed, and not ended since.

    Raises:
        NoneEndedError: There are such, and none has ended.
    """
    if not any(folder.glob(f"*{FAILED}")):  # to read the records takes long where there are many
        return
    ended = recorded_ids(folder)
    failed = failed_in(folder, ended)
    for line in reasons(failed):
        print(line, file=sys.stderr)
    if not ended:
        none_ended(failed)


def none_ended(failed: Sequence[tuple[Record, int]]) -> None:
    """Raises `NoneEndedError` if matches have failed, where none has ended; takes what `reasons` takes."""
    if failed:
        last, tries = failed[-1]
        count = many(len(failed), "match")
        raise NoneEndedError(f"{count} failed and none ended, the last one failed {times(tries)}: {last.reason}")


def failed_in(folder: Path, ended: Collection[str]) -> list[tuple[Record, int]]:
    """The matches of a folder that have failed and are not among those that have ended, each with how often."""
    tries = [one for path in record_paths(folder) for one in failed_beside(path).items()]
    return [(all_tries[-1][1], len(all_tries)) for match, all_tries in tries if match not in ended]
