"""Running judges on items that have no judgement yet, and recording their judgements."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import chain
from pathlib import Path
from typing import Protocol

from econzoo.baselines import MODELS, ask_about, check_distinct, check_person, is_person, open_journal
from econzoo.envs.core.contract import check_arguments
from econzoo.envs.core.record import identity
from econzoo.evaluate.analyses.judging.evidence import Item, shuffle_items
from econzoo.evaluate.analyses.judging.human_judge import HumanJudge
from econzoo.evaluate.analyses.judging.judgements import Judgement, read_judgements
from econzoo.evaluate.analyses.judging.model_judge import ModelJudge, read_outcome
from econzoo.evaluate.analyses.judging.rubric import Rubric
from econzoo.evaluate.run import FailureCounter, concurrency_of, model_of, open_writer

__all__ = ["Judge", "new_judge", "run_panel"]

ALLOWED = f"{MODELS}, human, human(name='Ann')"


class Judge(Protocol):
    """Scores players."""

    @property
    def spec(self) -> str:
        """Spec of the judge."""
        ...

    def judge(self, items: Sequence[Item], rubric: Rubric, seed: int) -> Iterator[Judgement | Exception]:
        """Yield a judgement of each item as soon as it is complete, or the error."""
        ...


@check_arguments
def new_judge(spec: str, length: int | None = None, concurrent: int | None = None) -> Judge:
    """Return the judge of a spec: a person or a language model.

    Args:
        spec: Spec, as for players.
        length: Maximum characters of a transcript. Default: by the context of the model.
        concurrent: Number of players that a model judges at once; None: as many as it answers at once.

    Raises:
        ValueError: The spec is unknown, or not a language model or person.
    """
    if is_person(spec):
        check_person(spec)
        return HumanJudge(spec.strip())
    return ModelJudge(spec.strip(), *model_of(spec, ALLOWED), length, concurrency_of(spec, concurrent))


@check_arguments
def run_panel(
    judges: Sequence[Judge],
    items: Sequence[Item],
    rubric: Rubric,
    seed: int,
    out: Path,
    on_progress: Callable[[int], None] = lambda count: None,
    watch: FailureCounter | None = None,
    concurrent: int | None = None,
) -> int:
    """Have every judge score every item that it has not scored yet; models come first, served ones side by side.

    Args:
        judges: Judges with distinct specs.
        items: Items to judge.
        rubric: Rubric.
        seed: Seed of the item orders and of sampling.
        out: File of judgements; those in it are not repeated.
        on_progress: Called once per judge and item, also if a person revises a judgement.
        watch: Counter of failed judgements.
        concurrent: Questions to a served model at once; None: as many as it answers at once.

    Returns:
        Number of judgements that existed already.

    Raises:
        ValueError: Two judges share a spec, or the file has other lines than judgements by this rubric.
        StoppedError: Too many judgements in a row failed, or all did.
    """
    watch = watch or FailureCounter("judgement")
    specs = [judge.spec for judge in judges]
    check_distinct(specs)
    with open_writer(out) as file, open_journal(out) as calls:
        # Read under the lock of the writer, so that no other process adds judgements meanwhile.
        known = {(one.item, identity(one.judge)) for one in read_judgements(out, rubric)}
        todo: dict[str, list[Item]] = {}
        for who in map(identity, specs):
            # Shuffled before those known are left out: a resumed run has the order of an uninterrupted one.
            todo[who] = [i for i in shuffle_items(items, who, seed) if (i.id, who) not in known]
        models = [judge for judge in judges if isinstance(judge, ModelJudge)]
        inquiries = [one.inquiry(item, rubric, seed) for one in models for item in todo[identity(one.spec)]]
        # Closed here, so that calls in flight end before the journal does.
        with closing(ask_about(inquiries, concurrent, lambda is_whole: on_progress(int(is_whole)))) as answered:
            for one in chain(map(read_outcome, answered), _ask_people(judges, todo, rubric, seed, on_progress)):
                if isinstance(one, Exception):
                    watch.count_failure(str(one))
                    continue
                watch.count_end()
                file.append([one.to_json()])
        # Failed judgements are asked again by the same command, which finds their finished calls in the journal.
        calls.keeps_file = bool(watch.failure_reasons)
    watch.check()
    return sum((item.id, identity(spec)) in known for item in items for spec in specs)


def _ask_people(
    judges: Sequence[Judge],
    todo: Mapping[str, Sequence[Item]],
    rubric: Rubric,
    seed: int,
    on_progress: Callable[[int], None],
) -> Iterator[Judgement | Exception]:
    for judge in judges:
        left = todo[identity(judge.spec)]
        if isinstance(judge, ModelJudge) or not left:
            continue
        judged: set[str] = set()
        for one in judge.judge(left, rubric, seed):
            yield one
            # A person may revise a judgement.
            if isinstance(one, Judgement) and one.item not in judged:
                judged.add(one.item)
                on_progress(1)
