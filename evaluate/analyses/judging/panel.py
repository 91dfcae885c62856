"""Judges at work: who judges what is not judged yet, and where it is written down."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

from econzoo.baselines.factory import is_person
from econzoo.baselines.judges import MODELS, check_distinct, check_person
from econzoo.baselines.models.journal import open_journal
from econzoo.envs.core.record.spec import identity
from econzoo.evaluate.analyses.judging.evidence import Item, shuffle_items
from econzoo.evaluate.analyses.judging.human_judge import HumanJudge
from econzoo.evaluate.analyses.judging.judgements import Judgement, read_judgements
from econzoo.evaluate.analyses.judging.model_judge import ModelJudge
from econzoo.evaluate.analyses.judging.rubric import Rubric
from econzoo.evaluate.run.failures import FailureCounter
from econzoo.evaluate.run.remote_models import concurrency_of, model_of
from econzoo.evaluate.run.writer import open_writer

__all__ = ["Judge", "new_judge", "run_panel"]

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
        check_person(spec)
        return HumanJudge(spec.strip())
    return ModelJudge(spec.strip(), *model_of(spec, ALLOWED), length, concurrency_of(spec, concurrent))


def run_panel(
    judges: Sequence[Judge],
    items: Sequence[Item],
    rubric: Rubric,
    seed: int,
    out: Path,
    on_progress: Callable[[int], None] = lambda count: None,
    watch: FailureCounter | None = None,
) -> int:
    """Every judge judges every item that it has not judged yet; each judgement is written down at once.

    Args:
        judges: With different specs.
        items: To be judged.
        rubric: What is asked.
        seed: Of the orders and of sampling.
        out: The file; judgements that are in it are not made again.
        on_progress: Told of every player judged by a judge, once, also if a person goes back and judges it again.
        watch: Counts the judgements that failed.

    Returns:
        How many were judged already.

    Raises:
        ValueError: Two judges with one spec, or the file holds something else than judgements by this rubric.
        StoppedError: Too many judgements in a row have failed, or all there were.
    """
    watch = watch or FailureCounter("judgement")
    specs = [judge.spec for judge in judges]
    check_distinct(specs)
    with open_writer(out) as file, open_journal(out) as calls:
        known = {(one.item, identity(one.judge)) for one in read_judgements(out, rubric)}
        for judge in judges:
            who = identity(judge.spec)
            todo = [i for i in shuffle_items(items, who, seed) if (i.id, who) not in known]
            made: set[str] = set()
            for one in judge.judge(todo, rubric, seed) if todo else ():
                if isinstance(one, Exception):
                    watch.count_failure(str(one))
                    continue
                watch.count_end()
                file.append([one.to_json()])
                if one.item not in made:
                    on_progress(1)
                made.add(one.item)
        calls.keeps_file = bool(watch.failure_reasons)
    watch.check()
    return sum((item.id, identity(spec)) in known for item in items for spec in specs)
