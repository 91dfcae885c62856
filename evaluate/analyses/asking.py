"""Language models asked about many things, each answer written down at once; what was answered is not asked again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeVar

from econzoo.baselines.judges import check_different
from econzoo.baselines.models.journal import journal
from econzoo.envs.core.record.spec import identity, labels
from econzoo.evaluate.run.budget import Spent, has_prices
from econzoo.evaluate.run.estimating import Pairing, in_parts
from econzoo.evaluate.run.failures import Watch
from econzoo.evaluate.run.far_models import concurrency_of
from econzoo.evaluate.run.writer import writer


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
    known: Callable[[], list[L]],
    out: Path,
    watch: Watch,
    what: str,
    concurrent: int = 1,
    done: Callable[[int], None] = lambda count: None,
    costs: Callable[[I], bool] = lambda item: True,
) -> list[L]:
    """Every judge is asked about everything that it has said nothing about yet.

    Args:
        judges: With different specs.
        items: With different ids.
        ask: A line for each of some items, or the error of the model in its place.
        known: The lines that are in the file.
        out: The file; a line is written as soon as it is made.
        watch: Counts what could not be had.
        what: A line is, in the singular.
        concurrent: Items that are asked about at once.
        done: Told of every line.
        costs: Whether a model has to be asked about an item.

    Returns:
        The lines of all these judges on these items, old and new.

    Raises:
        ValueError: Two judges with one spec, or the file holds something else.
        StoppedError: Too much in a row could not be had, or nothing could.
    """
    specs = [judge.spec for judge in judges]
    check_different(specs)
    with writer(out) as file, journal(out) as calls:
        for judge, part in _steps(judges, items, known, what, concurrent, costs):
            for line in ask(judge, part):
                if isinstance(line, Exception):
                    watch.fail(str(line))
                    continue
                watch.end()
                file.append([line.to_json()])
            done(len(part))
        calls.needed = bool(watch.why)
    watch.check()
    wanted = {(one.id, identity(spec)) for one in items for spec in specs}
    return [one for one in known() if (one.about, identity(one.judge)) in wanted]


def _steps(
    judges: Sequence[J],
    items: Sequence[I],
    known: Callable[[], list[L]],
    what: str,
    concurrent: int,
    costs: Callable[[I], bool],
) -> Iterator[tuple[J, Sequence[I]]]:
    """Who is asked about what at once, of all that has no line yet; see `in_parts`."""
    told = labels(judge.spec for judge in judges)
    who = {identity(spec): (told[spec],) if has_prices([spec]) else () for spec in told}

    def pairing(judge: str, asked: bool) -> Pairing:
        return who.get(identity(judge), ()) if asked else ()

    def spent() -> list[tuple[Pairing, Spent]]:
        every = [(pairing(one.judge, bool(one.answers)), one) for one in known()]
        return [(paid, Spent(one.cost, sum(one.tokens))) for paid, one in every if paid]

    before = {(one.about, identity(one.judge)) for one in known()}
    todo = [(judge, one) for judge in judges for one in items if (one.id, identity(judge.spec)) not in before]
    for part in in_parts(todo, lambda one: pairing(one[0].spec, costs(one[1])), spent, what):
        for judge in judges:
            mine = [one for who, one in part if who is judge]
            size = concurrency_of(judge.spec, concurrent)
            yield from ((judge, mine[start : start + size]) for start in range(0, len(mine), size))
