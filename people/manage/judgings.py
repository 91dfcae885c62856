"""Judging in the browser: whom it is about, who judges by which link, and what they have said.

Judgements are kept in the file that ``econzoo judge`` writes and reads; a judge is named ``human(name='Ann')`` there.
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

from econzoo.baselines.judges import check_person
from econzoo.envs.core.contract.options import Option, declared_options
from econzoo.envs.core.contract.parameters import Integer, OrNone, Text
from econzoo.envs.core.contract.validation import clean, parse_json
from econzoo.envs.core.files import LARGE_FILE_BYTES, read_text, write_file
from econzoo.envs.core.record.spec import identity
from econzoo.evaluate.analyses.judging.evidence import Evidence, Item, evidence, find_items, shuffle_items
from econzoo.evaluate.analyses.judging.judgements import Judgement, new_judgement, read_judgements
from econzoo.evaluate.analyses.judging.ratings import Rating, ratings_of, read_ratings
from econzoo.evaluate.analyses.judging.rubric import Rubric, load_rubric
from econzoo.evaluate.run.writer import open_writer
from econzoo.people.manage.runs import FolderIndex
from econzoo.people.server.fields import Fields
from econzoo.people.server.site import texts
from econzoo.people.table.listing import check_searchable

JUDGING_FILE, JUDGEMENTS, SHEETS = "judging.json", "judgements.jsonl", "sheet-*.csv"

MAX_JUDGES, MAX_NAME_LENGTH, MAX_ITEMS, MAX_NUMBER = 50, 60, 2_000, 10**8


class JudgingForm(NamedTuple):
    """What the form of a new judging asks for."""

    source: Annotated[str, Option(Text(), "All players of its matches are judged, or a sample.")] = ""
    judges: Annotated[
        str, Option(Text(), "One name a line. Each gets a link, and an order of the players of their own.")
    ] = ""
    rubric: Annotated[str, Option(Text(), "alympics, or a TOML file on the disk of this server.")] = "alympics"
    seats: Annotated[
        str, Option(Text(), "Only these roles, or numbers of seats from 0, with commas between. Empty: all.")
    ] = ""
    limit: Annotated[
        int | None, Option(OrNone(Integer(1, MAX_NUMBER)), "So many at random, the same for all judges. Empty: all.")
    ] = None
    seed: Annotated[int, Option(Integer(0, MAX_NUMBER), "Of the sample and the orders.")] = 0


LABELS = {
    **{"source": "judge.source", "judges": "judge.judges", "rubric": "judge.rubric", "seats": "judge.seats"},
    **{"limit": "judge.limit", "seed": "choose.seed"},
}
"""Option to the text that it is called by."""


def judging_fields(given: Mapping[str, str]) -> Fields:
    """The form of a new judging, with what was typed."""
    return Fields(
        declared_options(JudgingForm), LABELS, given, {"rubric": JudgingForm().rubric, "seed": JudgingForm().seed}
    )


class Judge(NamedTuple):
    """Somebody who judges.

    Attributes:
        name: As it was typed.
        token: In the link.
    """

    name: str
    token: str

    @property
    def spec(self) -> str:
        """As judgements name the judge."""
        return f"human(name={self.name!r})"


class JudgingSetup(NamedTuple):
    """What a judging is about.

    Attributes:
        source: File or folder of records.
        rubric: Name, or a TOML file.
        seed: Of the sample and the orders.
        items: Who is judged: ``MATCH:SEAT``.
        judges: Who judges.
    """

    source: str
    rubric: str
    seed: int
    items: tuple[str, ...]
    judges: tuple[Judge, ...]


class Judging:
    """See the module.

    Args:
        folder: Where it is kept.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.id, self.file = folder, folder.name, folder / JUDGEMENTS
        self._lock = Lock()
        self._shown_at: dict[tuple[str, str], float] = {}

    @cached_property
    def setup(self) -> JudgingSetup:
        """What it is about."""
        given = parse_json(read_text(self.folder / JUDGING_FILE, LARGE_FILE_BYTES))
        judges = tuple(Judge(**one) for one in given["judges"])
        return JudgingSetup(**{**given, "items": tuple(given["items"]), "judges": judges})

    @cached_property
    def rubric(self) -> Rubric:
        """What is asked."""
        return load_rubric(self.setup.rubric)

    @cached_property
    def items(self) -> dict[str, Item]:
        """Who is judged, by id."""
        every = {item.id: item for item in find_items(Path(self.setup.source), None, None, self.setup.seed).items}
        return {id: every[id] for id in self.setup.items if id in every}

    def order(self, judge: Judge) -> list[Item]:
        """Whom a judge reads, in an order of the judge's own."""
        return shuffle_items(list(self.items.values()), identity(judge.spec), self.setup.seed)

    def judgements(self) -> list[Judgement]:
        """All of them, of several on one player by one judge the last."""
        return read_judgements(self.file, self.rubric) if self.file.is_file() else []

    def judgements_of(self, judge: Judge) -> dict[str, Judgement]:
        """What a judge has said, by item."""
        return {one.item: one for one in self.judgements() if identity(one.judge) == identity(judge.spec)}

    def ratings(self) -> list[Rating]:
        """The scores that were given here, one by one."""
        return list(ratings_of(self.judgements()))

    @property
    def sheets(self) -> list[Path]:
        """Ratings that were brought in."""
        return sorted(self.folder.glob(SHEETS))

    @property
    def files(self) -> list[Path]:
        """Everything that a report reads."""
        return [*([self.file] if self.file.is_file() else []), *self.sheets]

    def show(self, judge: Judge, item: Item) -> Evidence:
        """What a judge reads about a player; from now on the time counts."""
        self._shown_at.setdefault((judge.token, item.id), time.monotonic())
        return evidence(item.record, item.seat)

    def judge(self, judge: Judge, item: Item, given: Mapping[str, tuple[int | None, str]]) -> None:
        """Writes a judgement down.

        Args:
            judge: Whose.
            item: The player.
            given: Dimension to score and reason; None: no score.
        """
        one = new_judgement(item, judge.spec, self.rubric, self.setup.seed)
        one.record_evidence(evidence(item.record, item.seat))
        one.scores = {key: score for key, (score, _) in given.items()}
        one.reasons = {key: clean(reason) for key, (_, reason) in given.items() if reason}
        one.skipped = [key for key, (score, _) in given.items() if score is None]
        began = self._shown_at.pop((judge.token, item.id), time.monotonic())
        one.seconds = round(time.monotonic() - began, 3)
        with self._lock, open_writer(self.file) as file:
            file.append([one.to_json()])

    def add_sheet(self, text: str) -> None:
        """Takes a sheet of ratings.

        Raises:
            ValueError: It is none; the message names row and column.
        """
        path = self.folder / SHEETS.replace("*", f"{len(self.sheets) + 1:03d}")
        known = {rating[:3] for rating in self.ratings()}
        known |= {rating[:3] for sheet in self.sheets for rating in read_ratings(sheet, self.rubric).ratings}
        write_file(path, text.replace("\r\n", "\n"), must_be_new=True)
        try:
            twice = [rating for rating in read_ratings(path, self.rubric).ratings if rating[:3] in known]
            if twice:
                raise ValueError(texts().say("judge.twice", who=twice[0].judge, item=twice[0].item))
        except ValueError as error:
            path.unlink()
            raise ValueError(str(error).replace(str(path), texts().say("judge.sheet"))) from None


class Judgings(FolderIndex[Judging]):
    """All judgings of a server.

    Args:
        folder: Of the server.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__(folder / "judgings", JUDGING_FILE, Judging)

    def find_link(self, token: str) -> tuple[Judging, Judge]:
        """Whose link that is.

        Raises:
            HTTPException: Nobody's.
        """
        for one in self.list_all():
            for judge in one.setup.judges:
                if secrets.compare_digest(judge.token, token):
                    return one, judge
        raise HTTPException(404)

    def create(self, given: Mapping[str, str]) -> Judging:
        """A judging as it was typed; see `JudgingForm`.

        Raises:
            ValueError: Something is not allowed; the message names it.
        """
        asked = JudgingForm(**judging_fields(given).values())
        load_rubric(asked.rubric)
        judges = create_judges(asked.judges.splitlines())
        with suppress(OSError):
            if not asked.source or "\0" in asked.source:
                raise FileNotFoundError
            path = Path(asked.source).expanduser().resolve()
            found = find_items(check_searchable(path), asked.seats or None, asked.limit, asked.seed)
            if len(found.items) > MAX_ITEMS:
                raise ValueError(texts().say("judge.too_many", count=len(found.items), most=MAX_ITEMS))
            about = JudgingSetup(str(path), asked.rubric, asked.seed, tuple(item.id for item in found.items), judges)
            return self._save(about)
        raise ValueError(texts().say("judge.no_records", source=asked.source[:200]))

    def _save(self, about: JudgingSetup) -> Judging:
        folder = self.folder / secrets.token_hex(4)
        kept = {**about._asdict(), "judges": [one._asdict() for one in about.judges]}
        write_file(folder / JUDGING_FILE, json.dumps(kept, indent=2), must_be_new=True, mode=0o600)  # links are secrets
        return self.find(folder.name)


def create_judges(lines: Sequence[str]) -> tuple[Judge, ...]:
    """Judges by their names, each with a link.

    Raises:
        ValueError: There is none, or a name is not allowed or stands twice.
    """
    names = [clean(line.strip()) for line in lines if line.strip()]
    if not names or len(names) > MAX_JUDGES or len({*names}) < len(names) or max(map(len, names)) > MAX_NAME_LENGTH:
        raise ValueError(texts().say("judge.no_judges", most=MAX_JUDGES, longest=MAX_NAME_LENGTH))
    made = tuple(Judge(name, secrets.token_urlsafe(18)) for name in names)
    for one in made:
        check_person(one.spec)
    return made
