"""Test of a study: bots take part, and their observations are compared with the stored data."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from econzoo.evaluate.show.parts import Table
from econzoo.people.bots.bot_report import pages_table, people_table, stages_table, write_result
from econzoo.people.bots.chromium import check_browser
from econzoo.people.bots.trial import Crowd, run_trial
from econzoo.people.bots.verdict import ExportedStudy, Verdict
from econzoo.people.study.declaration import Study, speed_up
from econzoo.people.study.expected_time import TEST_FILE

EXPORT_FILE = "export.zip"
"""The export of the study, with ids."""


def run_study_test(study: Study, crowd: Crowd, out: str) -> tuple[list[Table], list[str]]:
    """Test a study.

    Args:
        study: The study.
        crowd: Bots and speed.
        out: New folder for the data; empty: a temporary one.

    Returns:
        Tables of the report, and a line per problem.

    Raises:
        ValueError: The study cannot be served, or the folder is not empty.
        MissingLibraryError: A browser is requested, and Playwright is not installed.
    """
    if crowd.browsers:
        check_browser()
    with _test_folder(out) as home:
        seen = run_trial(study, crowd, home)
        exported = ExportedStudy(seen.folder, home / EXPORT_FILE)
        reasons = Verdict(speed_up(study, crowd.speed), seen, exported).find_problems()
        write_result(home / TEST_FILE, study, seen, crowd.speed, reasons)
        parts = [people_table(study, seen, exported), stages_table(seen, crowd.speed), pages_table(seen)]
    return parts, reasons


@contextmanager
def _test_folder(out: str) -> Iterator[Path]:
    """Return an empty folder, temporary if `out` is empty."""
    if not out:
        with TemporaryDirectory() as folder:
            yield Path(folder)
        return
    home = Path(out)
    if home.exists() and any(home.iterdir()):
        raise ValueError(f"{home} is not empty: expected a new or empty folder")
    home.mkdir(parents=True, exist_ok=True)
    yield home
