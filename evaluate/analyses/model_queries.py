"""Language models asked about many things, each answer written down at once; what was answered is not asked again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeVar

from econzoo.baselines.judges import check_distinct
from econzoo.baselines.models.journal import open_journal
from econzoo.envs.core.record.spec import identity, labels
from econzoo.evaluate.run.budget import Spending, has_prices
from econzoo.evaluate.run.cost_estimate import Pairing, iterate_confirmed_parts
from econzoo.evaluate.run.failures import FailureCounter
from econzoo.evaluate.run.remote_models import concurrency_of
from econzoo.evaluate.run.writer import open_writer


class Judge(Protocol):
    """Who is asked."""

    @property
    def spec(self) -> str:
        """Names the judge."""
        ...


class Item(Protocol):
    """What is asked about."""

    @property
    def id(self) -> str:
        """Names it."""
        ...


class Line(Protocol):
    """What a judge has said about an item; ``about`` is the item's id."""

    judge: str
    answers: list[dict[str, Any]]
    tokens: list[int]
    cost: float

    @property
    def about(self) -> str:
        """The id of the item."""
        ...

    def to_json(self) -> str:
        """One line of JSON."""
        ...


J = TypeVar("J", bound=Judge)
I = TypeVar("I", bound=Item)  # noqa: E741
L = TypeVar("L", bound=Line)


def ask_all(
    judges: Sequence[J],
    items: Sequence[I],
    ask: Callable[[J, Sequence[I]], Iterable[L | Exception]],
    load_lines: Callable[[], list[L]],
    out: Path,
    watch: FailureCounter,
    unit: str,
    concurrent: int = 1,
    on_progress: Callable[[int], None] = lambda count: None,
    needs_model: Callable[[I], bool] = lambda item: True,
) -> list[L]:
    """Every judge is asked about everything that it has said nothing about yet.

    Args:
        judges: With different specs.
        items: With different ids.
        ask: A line for each of some items, or the error of the model in its place.
        load_lines: The lines that are in the file.
        out: The file; a line is written as soon as it is made.
        watch: Counts what could not be had.
        unit: A line is, in the singular.
        concurrent: Items that are asked about at once.
        on_progress: Told of every line.
        needs_model: Whether a model has to be asked about an item.

    Returns:
        The lines of all these judges on these items, old and new.

    Raises:
        ValueError: Two judges with one spec, or the file holds something else.
        StoppedError: Too much in a row could not be had, or nothing could.
    """
    specs = [judge.spec for judge in judges]
    check_distinct(specs)
    with open_writer(out) as file, open_journal(out) as calls:
        for judge, part in _batches(judges, items, load_lines, unit, concurrent, needs_model):
            for line in ask(judge, part):
                if isinstance(line, Exception):
                    watch.count_failure(str(line))
                    continue
                watch.count_end()
                file.append([line.to_json()])
            on_progress(len(part))
        calls.keeps_file = bool(watch.failure_reasons)
    watch.check()
    wanted = {(one.id, identity(spec)) for one in items for spec in specs}
    return [one for one in load_lines() if (one.about, identity(one.judge)) in wanted]


def _batches(
    judges: Sequence[J],
    items: Sequence[I],
    load_lines: Callable[[], list[L]],
    unit: str,
    concurrent: int,
    needs_model: Callable[[I], bool],
) -> Iterator[tuple[J, Sequence[I]]]:
    """Who is asked about what at once, of all that has no line yet; see `iterate_confirmed_parts`."""
    told = labels(judge.spec for judge in judges)
    who = {identity(spec): (told[spec],) if has_prices([spec]) else () for spec in told}

    def pairing(judge: str, asked: bool) -> Pairing:
        return who.get(identity(judge), ()) if asked else ()

    def pairing_costs() -> list[tuple[Pairing, Spending]]:
        every = [(pairing(one.judge, bool(one.answers)), one) for one in load_lines()]
        return [(paid, Spending(one.cost, sum(one.tokens))) for paid, one in every if paid]

    before = {(one.about, identity(one.judge)) for one in load_lines()}
    todo = [(judge, one) for judge in judges for one in items if (one.id, identity(judge.spec)) not in before]
    for part in iterate_confirmed_parts(
        todo, lambda one: pairing(one[0].spec, needs_model(one[1])), pairing_costs, unit
    ):
        for judge in judges:
            mine = [one for who, one in part if who is judge]
            size = concurrency_of(judge.spec, concurrent)
            yield from ((judge, mine[start : start + size]) for start in range(0, len(mine), size))
