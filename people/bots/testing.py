"""Test of a study: bots take part, their observations are compared with the stored data, and reported."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import fmean, median
from tempfile import TemporaryDirectory
from typing import Any

from econzoo.envs.core import format_count, write_file
from econzoo.evaluate.show import COUNT, TEXT, Column, Table
from econzoo.people.bots.bot_behaviour import MATCH_END, OTHER_PAGE, STAGES, WAITING
from econzoo.people.bots.chromium import check_browser
from econzoo.people.bots.story import Story
from econzoo.people.bots.trial import Crowd, TrialResult, run_trial
from econzoo.people.bots.verdict import ExportedStudy, Verdict
from econzoo.people.study import TEST_FILE, Study, speed_up

EXPORT_FILE = "export.zip"
"""The export of the study, with ids."""


def run_study_test(study: Study, crowd: Crowd, out: str) -> tuple[list[Table], list[str]]:
    """Test a study.

    Args:
        out: New folder for the data; empty: a temporary one.
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


# The report


STAGE_LABELS = {MATCH_END: "end of a match", WAITING: "waiting room"}
"""Stage to its display name."""


def people_table(study: Study, seen: TrialResult, exported: ExportedStudy) -> Table:
    """Return the table of endings and payments."""
    rows: dict[str, list[Any]] = defaultdict(list)
    for one in seen.stories:
        row = exported.participants.get(one.name)
        if row is not None:
            rows[_describe_ending(study, one, row["page"])].append((one, row))
    table = []
    for ending, some in sorted(rows.items(), key=lambda pair: -len(pair[1])):
        paid = [row for _, row in some if row["completion_code"]]
        sums = [float(row["fee"]) + float(row["bonus"] or 0) for row in paid]
        matches = [len(one.played_matches) for one, _ in some]
        table.append([ending, len(some), fmean(matches), len(paid), fmean(sums) if sums else None])
    columns = [
        Column("ending", "how they ended", kind=TEXT),
        Column("people", kind=COUNT),
        Column("matches", "matches each", digits=1),
        Column("paid", kind=COUNT),
        Column("mean_pay", f"mean pay, {study.payment.real_currency}", digits=2),
    ]
    return Table("people", f"{study.name}: {len(seen.stories)} participants in {seen.seconds:.0f} s", columns, table)


def _describe_ending(study: Study, one: Story, page: str) -> str:
    count, every = len(one.played_matches), study.matching.repetitions
    if one.has_left:
        return "closed the page for good"
    if page == "done":
        return "completed" if count >= every else f"reached the end after {count} of {format_count(every, 'match')}"
    return {"withdrawn": "withdrew", "excluded": "failed the quiz", "full": "study full"}.get(page, f"on page {page}")


def stages_table(seen: TrialResult, speed: float) -> Table:
    """Return the table of durations per stage, also scaled to people."""
    rows = []
    for stage, some in _seconds_by_stage(seen).items():
        rows.append([STAGE_LABELS.get(stage, stage), len(some), median(some), max(some), fmean(some) * speed / 60])
    columns = [
        Column("stage", kind=TEXT),
        Column("stays", kind=COUNT, meaning="stays: number of visits"),
        Column("median_s", "median, s", digits=2),
        Column("longest_s", "longest, s", digits=2),
        Column("minutes", "for people, min", digits=1, meaning=f"for people: mean times speed {speed:g}"),
    ]
    return Table("stages", "Duration of stages", columns, rows)


def _seconds_by_stage(seen: TrialResult) -> dict[str, list[float]]:
    """Return stage to the seconds of its stays, in the order of stages."""
    found: dict[str, list[float]] = {stage: [] for stage in (*STAGES, OTHER_PAGE)}
    for one in seen.stories:
        # One duration for a stage and match, also if a reload or an absence split the stay.
        for match in {stay.match for stay in one.stays}:
            for stage in found:
                own = [stay.seconds for stay in one.stays if (stay.stage, stay.match) == (stage, match)]
                found[stage] += [sum(own)] if own else []
    return {stage: some for stage, some in found.items() if some}


def pages_table(seen: TrialResult) -> Table:
    """Return the table of loading times by kind of page."""
    taken: dict[str, list[float]] = defaultdict(list)
    for story in seen.stories:
        for one in story.page_loads:
            taken[one.purpose].append(1000 * one.seconds)
    rows = [[STAGE_LABELS.get(what, what), len(some), median(some), percentile(some)] for what, some in taken.items()]
    every = [one for some in taken.values() for one in some]
    rows += [["all pages", len(every), median(every), percentile(every)]] if every else []
    columns = [
        Column("page", kind=TEXT),
        Column("requests", kind=COUNT),
        Column("median_ms", "median, ms", digits=0),
        Column("p95_ms", "95%, ms", digits=0),
    ]
    note = "Time from a request to the complete next page."
    return Table("pages", "Loading times of pages", columns, rows, note)


def percentile(values: Sequence[float], fraction: float = 0.95) -> float:
    return sorted(values)[int(fraction * (len(values) - 1))]


def mean_minutes(seen: TrialResult, speed: float) -> dict[str, float]:
    """Return the minutes of a completing participant, scaled to people, in total and waiting."""
    # Without dropouts, whose times are not those of a whole study.
    done = [one for one in seen.stories if one.has_ended and one.played_matches and not one.behaviour.leaves_at]
    if not done:
        return {}
    each = [sum(stay.seconds for stay in one.stays) for one in done]
    waits = [sum(stay.seconds for stay in one.stays if stay.stage == WAITING) for one in done]
    return {"minutes": fmean(each) * speed / 60, "waiting_minutes": fmean(waits) * speed / 60}


def write_result(path: Path, study: Study, seen: TrialResult, speed: float, reasons: Sequence[str]) -> None:
    """Write the result of a test, for `study plan --test`."""
    result: Mapping[str, Any] = {
        "format": 1,
        "study": study.name,
        "people": len(seen.stories),
        "speed": speed,
        **mean_minutes(seen, speed),
        "reasons": [*reasons],
    }
    write_file(path, json.dumps(result, indent=1) + "\n")
