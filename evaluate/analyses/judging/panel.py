"""Judges at work: who judges what is not judged yet, and where it is written down."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from econzoo.baselines.factory import arguments, is_person
from econzoo.baselines.judges import MODELS, check_different, language_model
from econzoo.baselines.models.journal import journal
from econzoo.envs.core.record.record import Record
from econzoo.envs.core.record.spec import identity
from econzoo.evaluate.analyses.judging.evidence import evidence
from econzoo.evaluate.analyses.judging.human_judge import HumanJudge
from econzoo.evaluate.analyses.judging.items import Item, items_of, sample, shuffled
from econzoo.evaluate.analyses.judging.judgements import Judgement, read_judgements
from econzoo.evaluate.analyses.judging.model_judge import ModelJudge
from econzoo.evaluate.analyses.judging.rubric import Rubric
from econzoo.evaluate.run.failures import Watch
from econzoo.evaluate.run.folder import read_folder, writer
from econzoo.evaluate.run.replay import implausible

__all__ = ["Judge", "new_judge", "sit"]

ALLOWED = f"{MODELS}, human, human(name='Ann')"


class Judge(Protocol):
    """Scores players."""

    @property
    def spec(self) -> str:
        """Names the judge."""
        ...

    def judge(self, items: Sequence[Item], rubric: Rubric, seed: int) -> Iterator[Judgement | Exception]:
        """A judgement of each item, as soon as it is made, or what kept the judge from making it."""
        ...


def new_judge(spec: str, length: int | None = None, concurrent: int = 1) -> Judge:
    """The judge of a spec: a person, or the language model of a player's spec.

    Args:
        spec: As for players.
        length: Characters of a transcript that a model reads at most; None: what it has room for.
        concurrent: Players that a model judges at once.

    Raises:
        ValueError: The spec is unknown, or a player that is no language model.
    """
    if is_person(spec):
        _check_person(spec)
        return HumanJudge(spec.strip())
    model, constrained = language_model(spec, ALLOWED)
    return ModelJudge(spec.strip(), model, constrained, length, concurrent)


def _check_person(spec: str) -> None:
    _, call, rest = spec.strip().partition("(")
    args, named = arguments(spec, call + rest)
    words = [*args, *named.values()]
    if len(words) > 1 or set(named) - {"name"} or not all(isinstance(word, str) for word in words):
        raise ValueError(f"judge {spec[:80]!r} is not allowed; allowed: human, or with a name: human(name='Ann')")


class Found(NamedTuple):
    """Players to judge.

    Attributes:
        items: The sample, in an order that no judge sees.
        left_out: Lines that are no records, and records that do not replay, each with the reason.
    """

    items: list[Item]
    left_out: list[str]


def find_items(path: Path, seats: str | None, limit: int | None, seed: int, reasoning: bool = False) -> Found:
    """The players of a file or folder of records.

    Args:
        path: See `econzoo.evaluate.run.folder.record_files`.
        seats: See `items_of`.
        limit: See `sample`.
        seed: See `sample`.
        reasoning: See `items_of`.

    Raises:
        ValueError: No match can be judged, or there is no such seat.
        FileNotFoundError: No such file or folder, or a folder without records.
    """
    records, left_out = read_folder(path, unfit)
    if not records:
        why = f": {left_out[0]}" if left_out else ", nothing is in it"
        raise ValueError(f"no record of a match in {path}{why}")
    chosen = sample(items_of(records, seats, reasoning), limit, seed)
    reasons = {item.id: _unreadable(item) for item in chosen}
    bad = [f"{path}, match {id.replace(':', ', seat ')}: {why}" for id, why in reasons.items() if why]
    return Found([item for item in chosen if not reasons[item.id]], [*map(str, left_out), *bad])


def unfit(record: Record) -> str | None:
    """Why a match cannot be judged at a glance, or None."""
    return "it is paused; allowed: matches that have ended" if record.status == "paused" else implausible(record)


def _unreadable(item: Item) -> str | None:
    """Why there is nothing that a judge could read, or None."""
    try:
        evidence(item.record, item.seat)
    except ValueError as error:
        return str(error)
    return None


def sit(
    judges: Sequence[Judge],
    items: Sequence[Item],
    rubric: Rubric,
    seed: int,
    out: Path,
    done: Callable[[int], None] = lambda count: None,
    watch: Watch | None = None,
) -> int:
    """Every judge judges every item that it has not judged yet; each judgement is written down at once.

    Args:
        judges: With different specs.
        items: To be judged.
        rubric: What is asked.
        seed: Of the orders and of sampling.
        out: The file; judgements that are in it are not made again.
        done: Told of every player judged by a judge, once, also if a person goes back and judges it again.
        watch: Counts the judgements that failed.

    Returns:
        How many were judged already.

    Raises:
        ValueError: Two judges with one spec, or the file holds something else than judgements by this rubric.
        StoppedError: Too many judgements in a row have failed, or all there were.
    """
    watch = watch or Watch("judgement")
    specs = [judge.spec for judge in judges]
    check_different(specs)
    with writer(out) as file, journal(out) as calls:
        known = {(one.item, identity(one.judge)) for one in read_judgements(out, rubric)}
        for judge in judges:
            who = identity(judge.spec)
            todo = [i for i in shuffled(items, who, seed) if (i.id, who) not in known]
            made: set[str] = set()
            for one in judge.judge(todo, rubric, seed) if todo else ():
                if isinstance(one, Exception):
                    watch.fail(str(one))
                    continue
                watch.end()
                file.append([one.to_json()])
                if one.item not in made:
                    done(1)
                made.add(one.item)
        calls.needed = bool(watch.why)
    watch.check()
    return sum((item.id, identity(spec)) in known for item in items for spec in specs)
