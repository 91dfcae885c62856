"""Judging in the browser: judged players, judges with their links, and judgements.

Judgements are stored in the file format of ``econzoo judge``, where a judge is named ``human(name='Ann')``.
"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Annotated, NamedTuple

from starlette.exceptions import HTTPException

from econzoo.baselines import check_person
from econzoo.envs.core import LARGE_FILE_BYTES, check_format, read_text, write_file
from econzoo.envs.core.contract import Integer, Option, OrNone, Text, clean, declared_options, parse_json
from econzoo.envs.core.record import identity
from econzoo.evaluate.analyses.judging import Evidence, Item, Judgement, Rating, Rubric, evidence, find_items
from econzoo.evaluate.analyses.judging import load_rubric, new_judgement, ratings_of, read_judgements, read_ratings
from econzoo.evaluate.analyses.judging import shuffle_items
from econzoo.evaluate.run import open_writer
from econzoo.people.manage.runs import FolderIndex
from econzoo.people.server import Fields, texts
from econzoo.people.table import check_searchable

JUDGING_FILE, JUDGEMENTS, SHEETS = "judging.json", "judgements.jsonl", "sheet-*.csv"

MAX_JUDGES, MAX_NAME_LENGTH, MAX_ITEMS, MAX_NUMBER = 50, 60, 2_000, 10**8


class JudgingForm(NamedTuple):
    """Fields of a new judging."""

    source: Annotated[str, Option(Text(), "File or folder of records, whose players are judged.")] = ""
    judges: Annotated[
        str, Option(Text(), "One name per line. Each judge gets a personal link and a random order of players.")
    ] = ""
    rubric: Annotated[str, Option(Text(), "alympics, or the path of a TOML file on this server.")] = "alympics"
    seats: Annotated[str, Option(Text(), "Roles, or seat numbers from 0, separated by commas. Empty: all.")] = ""
    limit: Annotated[
        int | None,
        Option(OrNone(Integer(1, MAX_NUMBER)), "Random sample, the same for all judges. Empty: all."),
    ] = None
    seed: Annotated[int, Option(Integer(0, MAX_NUMBER), "Random seed of the sample and the orders.")] = 0


LABELS = {
    **{"source": "judge.source", "judges": "judge.judges", "rubric": "judge.rubric", "seats": "judge.seats"},
    **{"limit": "judge.limit", "seed": "choose.seed"},
}
"""Option to its label key."""


def judging_fields(given: Mapping[str, str]) -> Fields:
    """Form fields of a new judging, with the submitted texts."""
    return Fields(
        declared_options(JudgingForm), LABELS, given, {"rubric": JudgingForm().rubric, "seed": JudgingForm().seed}
    )


class Judge(NamedTuple):
    """A judge."""

    name: str
    token: str

    @property
    def spec(self) -> str:
        return f"human(name={self.name!r})"


class JudgingSetup(NamedTuple):
    """Configuration of a judging.

    Attributes:
        source: File or folder of records.
        rubric: Name of a rubric, or a TOML file.
        seed: Random seed of the sample and the orders.
        items: Judged players as ``MATCH:SEAT``.
    """

    source: str
    rubric: str
    seed: int
    items: tuple[str, ...]
    judges: tuple[Judge, ...]


class Judging:
    """A judging of recorded players by people."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.id, self.file = folder, folder.name, folder / JUDGEMENTS
        self._lock = Lock()
        self._shown_at: dict[tuple[str, str], float] = {}

    @cached_property
    def setup(self) -> JudgingSetup:
        given = parse_json(read_text(self.folder / JUDGING_FILE, LARGE_FILE_BYTES))
        check_format(str(self.folder / JUDGING_FILE), given.pop("format", None))
        judges = tuple(Judge(**one) for one in given["judges"])
        return JudgingSetup(**{**given, "items": tuple(given["items"]), "judges": judges})

    @cached_property
    def rubric(self) -> Rubric:
        return load_rubric(self.setup.rubric)

    @cached_property
    def items(self) -> dict[str, Item]:
        """Judged players by id; those whose records are gone are left out."""
        # Without seats and limit: the sample was drawn when the judging was created.
        items = {item.id: item for item in find_items(Path(self.setup.source), None, None, self.setup.seed).items}
        return {id: items[id] for id in self.setup.items if id in items}

    def order(self, judge: Judge) -> list[Item]:
        """Judged players in the random order of a judge."""
        return shuffle_items(list(self.items.values()), identity(judge.spec), self.setup.seed)

    def judgements(self) -> list[Judgement]:
        """The latest judgement of each judge on each player."""
        return read_judgements(self.file, self.rubric) if self.file.is_file() else []

    def judgements_of(self, judge: Judge) -> dict[str, Judgement]:
        return {one.item: one for one in self.judgements() if identity(one.judge) == identity(judge.spec)}

    def ratings(self) -> list[Rating]:
        """Scores given in the browser, one rating each."""
        return list(ratings_of(self.judgements()))

    @property
    def sheets(self) -> list[Path]:
        """Files of uploaded ratings."""
        return sorted(self.folder.glob(SHEETS))

    @property
    def files(self) -> list[Path]:
        """All input files of the report."""
        return [*([self.file] if self.file.is_file() else []), *self.sheets]

    def show(self, judge: Judge, item: Item) -> Evidence:
        """Return the evidence on a player and start the judge's clock."""
        # A reload of the page does not restart the clock.
        self._shown_at.setdefault((judge.token, item.id), time.monotonic())
        return evidence(item.record, item.seat)

    def judge(self, judge: Judge, item: Item, given: Mapping[str, tuple[int | None, str]]) -> None:
        """Save a judgement.

        Args:
            given: Dimension to (score, reason); score None: no score.
        """
        one = new_judgement(item, judge.spec, self.rubric, self.setup.seed)
        one.record_evidence(evidence(item.record, item.seat))
        one.scores = {key: score for key, (score, _) in given.items()}
        one.reasons = {key: clean(reason) for key, (_, reason) in given.items() if reason}
        one.skipped = [key for key, (score, _) in given.items() if score is None]
        began = self._shown_at.pop((judge.token, item.id), time.monotonic())
        one.seconds = round(time.monotonic() - began, 3)
        # Judges share the file.
        with self._lock, open_writer(self.file) as file:
            file.append([one.to_json()])

    def add_sheet(self, text: str) -> None:
        """Add a sheet of ratings; the ValueError of an invalid one names row and column."""
        path = self.folder / SHEETS.replace("*", f"{len(self.sheets) + 1:03d}")
        known = {rating[:3] for rating in self.ratings()}
        known |= {rating[:3] for sheet in self.sheets for rating in read_ratings(sheet, self.rubric).ratings}
        # Written first, since sheets are read from files; removed if invalid.
        write_file(path, text.replace("\r\n", "\n"), must_be_new=True)
        try:
            duplicates = [rating for rating in read_ratings(path, self.rubric).ratings if rating[:3] in known]
            if duplicates:
                raise ValueError(texts().say("judge.twice", who=duplicates[0].judge, item=duplicates[0].item))
        except ValueError as error:
            path.unlink()
            raise ValueError(str(error).replace(str(path), texts().say("judge.sheet"))) from None


class Judgings(FolderIndex[Judging]):
    def __init__(self, folder: Path) -> None:
        super().__init__(folder / "judgings", JUDGING_FILE, Judging)

    def find_link(self, token: str) -> tuple[Judging, Judge]:
        for one in self.list_all():
            for judge in one.setup.judges:
                if secrets.compare_digest(judge.token, token):
                    return one, judge
        raise HTTPException(404)

    def create(self, given: Mapping[str, str]) -> Judging:
        """Create a judging from a submitted `JudgingForm`; the ValueError of an invalid input names it."""
        form = JudgingForm(**judging_fields(given).values())
        load_rubric(form.rubric)
        judges = create_judges(form.judges.splitlines())
        with suppress(OSError):
            # resolve() raises ValueError for a null byte, which would be shown as it is.
            if not form.source or "\0" in form.source:
                raise FileNotFoundError
            path = Path(form.source).expanduser().resolve()
            items = find_items(check_searchable(path), form.seats or None, form.limit, form.seed).items
            if len(items) > MAX_ITEMS:
                raise ValueError(texts().say("judge.too_many", count=len(items), most=MAX_ITEMS))
            return self._save(JudgingSetup(str(path), form.rubric, form.seed, tuple(one.id for one in items), judges))
        raise ValueError(texts().say("judge.no_records", source=form.source[:200]))

    def _save(self, setup: JudgingSetup) -> Judging:
        folder = self.folder / secrets.token_hex(4)
        fields = {"format": 1, **setup._asdict(), "judges": [one._asdict() for one in setup.judges]}
        text = json.dumps(fields, indent=2)
        write_file(folder / JUDGING_FILE, text, must_be_new=True, mode=0o600)  # links are secrets
        return self.find(folder.name)


def create_judges(lines: Sequence[str]) -> tuple[Judge, ...]:
    """Create judges with links from their names."""
    names = [clean(line.strip()) for line in lines if line.strip()]
    if not names or len(names) > MAX_JUDGES or len({*names}) < len(names) or max(map(len, names)) > MAX_NAME_LENGTH:
        raise ValueError(texts().say("judge.no_judges", most=MAX_JUDGES, longest=MAX_NAME_LENGTH))
    judges = tuple(Judge(name, secrets.token_urlsafe(18)) for name in names)
    for one in judges:
        check_person(one.spec)
    return judges
