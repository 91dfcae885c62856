"""What can be downloaded of a collection: its records, the report on them, and tables of them."""

from __future__ import annotations

import io
import subprocess
import sys
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, Response

from econzoo.people.manage.tally import RECORDS

PATIENCE = 600
"""Seconds that a report may take."""


def records(folder: Path, name: str) -> Response:
    """The records, one JSON line a match."""
    if not (folder / RECORDS).is_file():
        raise HTTPException(404)
    return FileResponse(folder / RECORDS, media_type="application/jsonl", filename=f"{name}.jsonl")


def report(folder: Path, name: str) -> Response:
    """The page of ``econzoo analyze``, and its tables, figures and pages of matches beside it, zipped."""
    return _made(folder, f"{name}-report", lambda out: ["analyze", str(folder), "--out", str(out)])


def tables(folder: Path, name: str) -> Response:
    """The tables of ``econzoo export``, zipped."""
    return _made(folder, f"{name}-tables", lambda out: ["export", str(folder), "--out", str(out)])


def _made(folder: Path, name: str, words: Callable[[Path], Sequence[str]]) -> Response:
    if not (folder / RECORDS).is_file():
        raise HTTPException(404)
    with TemporaryDirectory() as made:
        line = [sys.executable, "-m", "econzoo", *words(Path(made))]
        done = subprocess.run(line, capture_output=True, text=True, timeout=PATIENCE, check=False)
        files = sorted(path for path in Path(made).rglob("*") if path.is_file())
        if not files:
            raise HTTPException(422, (done.stderr.strip().splitlines() or [name])[-1])
        return _zipped(Path(made), files, name)


def _zipped(folder: Path, files: Sequence[Path], name: str) -> Response:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as into:
        for path in files:
            into.write(path, f"{name}/{path.relative_to(folder)}")
    headers = {"content-disposition": f'attachment; filename="{name}.zip"'}
    return Response(out.getvalue(), media_type="application/zip", headers=headers)


DOWNLOADS: dict[str, Callable[[Path, str], Response]] = {
    "records.jsonl": records,
    "report.zip": report,
    "tables.zip": tables,
}
"""Name of the file in the address to what makes it."""
