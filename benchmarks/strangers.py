"""Opens sealed families of opponents, and measures players against them.

    python benchmarks/strangers.py FOLDER --players "plan(0.03)" ppo:runs/wide/GAME

Each file, `strangers_LETTER.py` in the folder, must have the SHA-256 that `benchmarks/strangers/seals.toml` has
had since before the first training; others are refused. Players meet the families of each author in the validation
settings of three games, in both seats; GAME in a player is the name of the game. Prints means by author, and for all
authors together the gains by family and the differences to scripts with intervals over families and over settings. The
opening is written to `benchmarks/strangers/opened.toml` ahead of the first match: results after it are validation.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import numpy as np

from econzoo.baselines import group_by_family
from econzoo.envs.core import append_file, read_text
from econzoo.envs.core.contract import parse_toml
from econzoo.evaluate.show import TEXT, Column, Row, Table, show
from econzoo.evaluate.suites import evaluate_families
from econzoo.evaluate.suites.families import FamilyTable

GAMES = ("bargaining", "negotiation", "multi_issue")
HERE = Path("benchmarks", "strangers")


def check_seals(folder: Path, sealed: dict[str, str]) -> dict[str, Path]:
    """Return the files by author.

    Raises:
        SystemExit: A file is missing, or is not the one that was sealed.
    """
    files = {author: folder / f"strangers_{author}.py" for author in sealed}
    for author, file in files.items():
        found = sha256(file.read_bytes()).hexdigest() if file.is_file() else "missing"
        if found != sealed[author]:
            raise SystemExit(
                f"{file} is not the file that was sealed: expected SHA-256 {sealed[author]}, found {found}"
            )
    if others := sorted({*folder.glob("strangers_*.py")} - {*files.values()}):
        raise SystemExit(f"{others[0]} has no seal")
    return files


def log_opening(log: Path, players: list[str], authors: list[str]) -> None:
    """Write the opening, and tell of those before."""
    now, git = datetime.now(UTC).isoformat(timespec="seconds"), ["git", "describe", "--always", "--dirty"]
    commit = subprocess.run(git, capture_output=True, text=True, check=True).stdout.strip()
    before = parse_toml(read_text(log)).get("opening", []) if log.exists() else []
    for one in before:
        print(f"opened before at {one['commit']}, {one['date']}, by {', '.join(one['players'])}")
    if before:
        print("results are validation from now on")
    values = {"date": now, "commit": commit, "authors": authors, "players": players}
    append_file(
        log, "\n".join(["[[opening]]", *(f"{key} = {json.dumps(value)}" for key, value in values.items()), "", ""])
    )


def author_table(table: FamilyTable, authors: dict[str, list[str]]) -> Table:
    """Means by author: of each player and seed, and of the scripts."""
    rows: dict[str, np.ndarray] = {}
    for name, own, seeds in zip(table.players, table.learned, table.seeds, strict=True):
        rows[name] = own.mean(axis=(0, 2))
        rows |= {f"{name}, {seed}": one.mean(axis=1) for seed, one in zip(seeds, own, strict=True) if len(seeds) > 1}
    rows |= {spec: table.by_script[table.scripts.index(spec)].mean(axis=1) for spec in table.references}
    at = {author: [table.families.index(family) for family in own] for author, own in authors.items()}
    lines: list[Row] = [
        [author, *(float(own[places].mean()) for own in rows.values())] for author, places in at.items()
    ]
    lines.append(["all families", *(float(own.mean()) for own in rows.values())])
    columns = [Column("author", kind=TEXT), *(Column(name) for name in rows)]
    return Table("authors", f"{table.game}: gain by author", columns, lines, "A family counts once.")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--players", nargs="+", required=True)
    parser.add_argument("--games", nargs="+", default=GAMES, choices=GAMES)
    parser.add_argument("--seals", type=Path, default=HERE / "seals.toml")
    parser.add_argument("--out", type=Path, help="folder of the records; an interrupted run resumes")
    asked = parser.parse_args()
    files = check_seals(asked.folder, parse_toml(read_text(asked.seals)))
    log_opening(asked.seals.with_name("opened.toml"), asked.players, [*files])
    for game in asked.games:
        by_author = {author: group_by_family(game, [str(file)]) for author, file in files.items()}
        families = {name: specs for own in by_author.values() for name, specs in own.items()}
        players = [re.sub(r"\bGAME\b", game, spec) for spec in asked.players]
        table = evaluate_families(game, players, families, out=asked.out and asked.out / game)
        show([author_table(table, {author: [*own] for author, own in by_author.items()}), *table.tables()])


if __name__ == "__main__":
    main()
