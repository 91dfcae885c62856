"""The numbers that commands write and print, without any words: what no change of structure may change.

A command line runs in a folder that holds copies of ``records`` and ``inputs``. What it writes and prints is brought to
a normal form: records by id, tables by column, the numbers of printed tables in order of size. Titles, sentences,
times and versions are left out, so that they may be reworded; long tables are kept as sums and checksums.
"""

from __future__ import annotations

import csv
import io
import json
import re
import shlex
import shutil
import sys
import tempfile
import tomllib
import zipfile
from collections.abc import Callable, Iterator
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout, suppress
from pathlib import Path, PurePosixPath
from runpy import run_path
from typing import Any
from unittest.mock import patch
from zlib import crc32

from goldens.command_lines import LINES
from goldens.commands import plain_terminal

HERE = Path(__file__).parent
FOLDERS = ("records", "inputs", "folders")
DIGITS, NOTHING = 10, 1e-12
LONGEST = 16
"""Lists and columns with more than so many values are kept as a checksum."""
CHANGING = {
    "seconds", "provenance", "run_start", "time", "date", "finished", "host", "python", "platform", "machine",
    "device", "commit", "command", "created", "econzoo", "hash", "wall", "libraries", "package", "software",
    "heads", "title", "note", "notes",
}  # fmt: skip
"""Keys whose values differ from run to run, between machines or with every version, or are words."""
PROSE = 48
"""Strings that are longer are sentences."""
ROOM, SMALLEST = 3000, 60
"""Characters of one file at most: of what is larger, parts are kept as checksums. Those need the smaller number."""


def numbers(name: str) -> dict[str, Any]:
    """What the lines of a command write and print, by number of the line."""
    with beside_folders():
        return {str(number): run(line) for number, line in enumerate(LINES[name])}


@contextmanager
def beside_folders() -> Iterator[None]:
    """An empty folder to work in but for copies of what is read."""
    with tempfile.TemporaryDirectory() as folder, chdir(folder), plain_terminal(columns=400), blank_figures():
        for kept in FOLDERS:
            shutil.copytree(HERE / kept, kept)
        yield


def run(line: str) -> dict[str, Any]:
    """What a command line prints and writes.

    Args:
        line: Words of a command, or of ``python FILE``; a file that it writes has to be new, or to end with
            other bytes than it began with.
    """
    from econzoo.__main__ import main

    before, printed, said, code = contents(), io.StringIO(), io.StringIO(), 0
    words = shlex.split(line)
    with redirect_stdout(printed), redirect_stderr(said), patch.object(sys, "argv", words[1:]):
        try:
            run_path(str(HERE.parents[1] / words[1]), run_name="__main__") if words[0] == "python" else main(words)
        except SystemExit as end:
            code = int(end.code or 0)
    made: dict[str, Any] = {"exit code": code}
    if code:
        print(f"{line}\n{printed.getvalue()}{said.getvalue()}", file=sys.stderr)
    if printed.getvalue().strip():
        made["printed"] = condensed(text_form(printed.getvalue()))
    written = {path: content for path, content in contents().items() if before.get(path) != content}
    forms = dict(form for path in written for form in file_form(path, written[path]) if form[1] not in (..., {}, []))
    return made | {path: condensed(form) for path, form in gathered(forms).items()}


def gathered(forms: dict[str, Any], most: int = 12) -> dict[str, Any]:
    """The same with files of one name in many folders side by side in one digest.

    Args:
        forms: Normal forms by path.
        most: So many stay as they are.
    """
    groups: dict[str, dict[str, Any]] = {}
    for path, form in forms.items():
        place = PurePosixPath(path)
        groups.setdefault(f"{place.parent.parent}/*/{place.name}", {})[path] = form
    return {
        path: form
        for together, group in groups.items()
        for path, form in (group.items() if len(group) <= most else [(together, digest(group))])
    }


@contextmanager
def blank_figures() -> Iterator[None]:
    """Figures are made as ever, and saved blank: to render them takes most of the time, and they hold no new number."""
    from matplotlib.figure import Figure

    def save(_figure: Figure, file: Any, **_: Any) -> None:
        Path(file).touch() if isinstance(file, str | Path) else file.write("<svg></svg>")

    with patch.object(Figure, "savefig", save), patch.object(Figure, "draw_without_rendering", lambda _: None):
        yield


def contents() -> dict[str, bytes]:
    """The bytes of all files below the folder that is read here, by path."""
    paths = sorted(path for path in Path().rglob("*") if path.is_file() and path.parts[0] not in FOLDERS)
    return {path.as_posix(): path.read_bytes() for path in paths}


# -- files -------------------------------------------------------------------------------------------------


def file_form(path: str, content: bytes) -> Iterator[tuple[str, Any]]:
    """The normal form of a file by its path; that of each member of an archive."""
    suffix = Path(path).suffix
    if suffix == ".zip":
        archive = zipfile.ZipFile(io.BytesIO(content))
        for member in sorted(archive.namelist()):
            yield from file_form(f"{path}/{member}", archive.read(member))
    elif suffix in READERS and "_matches/" not in path:  # pages of single matches say what records do
        yield path, READERS[suffix](content.decode("utf-8-sig"))


def text_form(text: str) -> Any:
    """Of JSON, of lines of JSON, of a table in CSV; of everything else the numbers of its tables."""
    if '"turns"' in text:
        return lines_form(text)
    with suppress(ValueError):
        return json_form(json.loads(text))
    commas = {line.count(",") for line in text.splitlines()}
    return table_form(text) if len(commas) == 1 and commas != {0} and text.count("\n") > 2 else cells_form(text)


def lines_form(text: str) -> Any:
    """Of lines of JSON: records by id, other ones in their order."""
    try:
        lines = [json.loads(text)]
    except ValueError:
        lines = [json.loads(line) for line in text.splitlines() if line.strip()]
    if all("turns" in line and "payoffs" in line for line in lines):
        return {line["id"]: record_form(line) for line in lines}
    return short([json_form(line) for line in lines])


def record_form(record: dict[str, Any]) -> list[Any]:
    """Status, seed, payoffs, and checksums of who played what and of all moves and errors."""
    moves = [[turn[key] for key in ("seat", "round", "action", "error", "default")] for turn in record["turns"]]
    played = [record[key] for key in ("game", "params", "options", "players")]
    return [record["status"], record["seed"], json_form(record["payoffs"]), checksum(played), checksum(moves)]


def json_form(value: Any) -> Any:
    """The same without sentences and what changes from run to run; floats with ten digits."""
    if isinstance(value, dict):
        formed = {str(key): json_form(inner) for key, inner in value.items() if key not in CHANGING}
        return short({key: inner for key, inner in formed.items() if inner != ...})
    if isinstance(value, list):
        return short([inner for inner in map(json_form, value) if inner != ...])
    if isinstance(value, str):
        return ... if is_prose(value) else plain(value)
    return rounded(value) if isinstance(value, float) else value


def is_prose(text: str) -> bool:
    """Whether a string is a sentence, a path or the like, which may be reworded."""
    return len(text) > PROSE or "\n" in text or text.startswith("/") or text.endswith((".", "?", ":"))


def table_form(text: str) -> dict[str, Any]:
    """A table in CSV by column; columns of sentences are left out."""
    rows = list(csv.DictReader(io.StringIO(text)))
    columns = [name for name in rows[0] if name] if rows else []
    formed = {
        name: [plain(row[name] or "") for row in rows]
        for name in columns
        if name not in CHANGING and not any(is_prose(row[name] or "") for row in rows)
    }
    return {"rows": len(rows), **{name: short(values) for name, values in formed.items()}}


def toml_form(text: str) -> Any:
    """Of a file of settings: its values."""
    return json_form(tomllib.loads(text))


def page_form(text: str) -> Any:
    """The numbers of the tables of a page."""
    tables = re.findall(r"<td[^>]*>(.*?)</td>", text, re.DOTALL)
    return cells_form("\n".join(re.sub(r"<[^>]*>", "", cell) for cell in tables))


def latex_form(text: str) -> Any:
    """The numbers of LaTeX tables."""
    return cells_form(re.sub(r"\\(textbf|textit|num|,|;|\\|%)|[{}$]|\\[a-z]+", " ", text).replace("&", "|"))


NUMBER = re.compile(r"[-+\u2212]?\d[\d,]*\.?\d*(?:e[-+]?\d+)?|[-+\u2212]?\.\d+")
BETWEEN = re.compile(r"\s{2,}|[|\u2502\u2503\n\t]")


SAID = re.compile(r"(?<![\w.:/,-])-?\d[\d,]*\.\d+(?!\d*[\w.]|,\d| (?:s|seconds)\b)")


def cells_form(text: str) -> Any:
    """The numbers of cells that hold nothing else, and those with a decimal point in sentences; in order of size."""
    found: list[str] = []
    for cell in BETWEEN.split(text):
        alone = re.fullmatch(r"[\s\[\](){}\u00b1%$*<>=/;,.:\u2026\u2013-]*", NUMBER.sub("", cell))
        found += (NUMBER if alone else SAID).findall(cell)
    return short(sorted(float(one.replace(",", "").replace("\u2212", "-")) for one in found), longest=200)


READERS: dict[str, Callable[[str], Any]] = {
    ".json": text_form,
    ".jsonl": lines_form,
    ".csv": table_form,
    ".toml": toml_form,
    ".html": page_form,
    ".tex": latex_form,
    ".md": cells_form,
    ".txt": cells_form,
}
"""What makes the normal form of a file, by the ending of its name."""


# -- values ------------------------------------------------------------------------------------------------


def plain(text: str) -> Any:
    """A number with ten digits if the text is one."""
    if re.fullmatch(r"-?\d{1,15}", text):
        return int(text)
    try:
        return rounded(float(text))
    except ValueError:
        return re.sub(r"^forgotten-\w+$", "forgotten", text)  # what the id of a forgotten participant becomes is random


def rounded(value: float) -> float:
    """Ten digits, and nothing that is a zero but for errors of rounding."""
    return 0.0 if abs(value) < NOTHING else float(f"{value:.{DIGITS}g}")


def short(values: Any, longest: int = LONGEST) -> Any:
    """The same, or a digest if it has more than so many values."""
    return values if len(values) <= longest else digest(values)


def condensed(value: Any, room: int = ROOM) -> Any:
    """The same with digests of the parts for which there is no room.

    Args:
        value: In its normal form.
        room: Characters, which the parts share equally.
    """
    if not isinstance(value, dict | list) or len(json.dumps(value)) <= room:
        return value
    share = room // len(value)
    if share < SMALLEST:
        return digest(value)
    if isinstance(value, list):
        return [condensed(inner, share) for inner in value]
    return {key: condensed(inner, share) for key, inner in value.items()}


def digest(value: Any) -> str:
    """How many values there are, the sum of the numbers, and a checksum that a change of any changes."""
    leaves = list(leaves_of(value))
    return f"{len(leaves)} values, sum {rounded(float(sum(leaves)))}, {checksum(value)}"


def leaves_of(value: Any) -> Iterator[float]:
    """All numbers in it; 0 for what is none."""
    for inner in parts(value):
        yield from leaves_of(inner)
    if not isinstance(value, dict | list):
        yield value if isinstance(value, int | float) else 0


def checksum(value: Any) -> str:
    """Eight digits that a change of any value changes."""
    exact = json.loads(json.dumps(value), parse_float=lambda digits: rounded(float(digits)))
    return f"{crc32(json.dumps(exact, sort_keys=True).encode()):08x}"


def dumped(value: Any, indent: str = "", width: int = 150) -> str:
    """JSON with what fits into a line on one line."""
    line = json.dumps(value, ensure_ascii=False, sort_keys=True)
    if len(line) + len(indent) <= width or not any(isinstance(one, dict | list) for one in parts(value)):
        return line
    deeper = indent + " "
    if isinstance(value, list):
        return "[\n" + ",\n".join(deeper + dumped(one, deeper, width) for one in value) + f"\n{indent}]"
    inner = (
        f"{deeper}{json.dumps(key, ensure_ascii=False)}: {dumped(value[key], deeper, width)}" for key in sorted(value)
    )
    return "{\n" + ",\n".join(inner) + f"\n{indent}}}"


def parts(value: Any) -> list[Any]:
    """What a list or a dictionary holds."""
    return list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []


def kept_numbers(name: str) -> Path:
    """The file that keeps the numbers of a command."""
    return HERE / "numbers" / f"{name}.json"
