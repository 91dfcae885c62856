"""A study is tested: bots take part in it, and what they saw is compared with what was kept."""

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
    """Tests a study.

    Args:
        study: The study.
        crowd: Who comes.
        out: New folder for what was kept; empty: it is removed.

    Returns:
        What is told, and a line for everything that went wrong.

    Raises:
        ValueError: The study cannot be served, or there is something in the folder.
        MissingLibraryError: A browser is wanted, and Playwright is not installed.
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
    """An empty folder: a new one that stays, or one that is removed."""
    if not out:
        with TemporaryDirectory() as folder:
            yield Path(folder)
        return
    home = Path(out)
    if home.exists() and any(home.iterdir()):
        raise ValueError(f"{home} is there already; allowed: a new folder, or an empty one")
    home.mkdir(parents=True, exist_ok=True)
    yield home
