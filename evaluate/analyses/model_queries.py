"""Queries of language models about many items; each answer is saved at once, and answered items are skipped."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Protocol, TypeVar

from econzoo.baselines import Inquiry, ask_about, check_distinct, open_journal
from econzoo.envs.core.record import identity, labels
from econzoo.evaluate.run import FailureCounter, Pairing, Spending, concurrency_of, has_prices, iterate_confirmed_parts
from econzoo.evaluate.run import open_writer


class Judge(Protocol):
    """A model that is queried."""

    @property
    def spec(self) -> str: ...


class Item(Protocol):
    """An item that models are queried about."""

    @property
    def id(self) -> str: ...


class Line(Protocol):
    """A judge's answer about an item."""

    judge: str
    answers: list[dict[str, Any]]
    tokens: list[int]
    cost: float

    @property
    def about(self) -> str:
        """Id of the item."""
        ...

    def to_json(self) -> str: ...


J = TypeVar("J", bound=Judge)
I = TypeVar("I", bound=Item)  # noqa: E741
L = TypeVar("L", bound=Line)


def ask_all(
    judges: Sequence[J],
    items: Sequence[I],
    inquire: Callable[[J, I], Inquiry],
    load_lines: Callable[[], list[L]],
    out: Path,
    watch: FailureCounter,
    unit: str,
    concurrent: int | None = None,
    on_progress: Callable[[int], None] = lambda count: None,
    needs_model: Callable[[I], bool] = lambda item: True,
) -> list[L]:
    """Query every judge about every item that it has no line on yet.

    Args:
        inquire: Function that returns the questions about an item, whose answers are logged in a line.
        load_lines: Function that reads the lines of the file.
        out: The file.
        unit: Noun for a line, in the singular.
        concurrent: Items queried at once of each judge; None: see `concurrency_of`.
        on_progress: Callback with the number of new lines.
        needs_model: Whether an item requires a model query.

    Returns:
        The lines of all these judges on these items, old and new.
    """
    specs = [judge.spec for judge in judges]
    check_distinct(specs)
    with open_writer(out) as file, open_journal(out) as calls:
        sizes = {judge.spec: concurrency_of(judge.spec, concurrent) for judge in judges}
        for part in _parts(judges, items, load_lines, unit, needs_model):
            inquiries = [inquire(judge, item)._replace(batch=sizes[judge.spec]) for judge, item in part]
            # Closed here, so that calls in flight end before the journal does.
            with closing(ask_about(inquiries, concurrent, lambda is_whole: on_progress(1))) as answered:
                for line, _, error in answered:
                    if error is not None:
                        watch.count_failure(str(error))
                        continue
                    watch.count_end()
                    file.append([line.to_json()])
        # Items that failed are queried again by the next run, which then finds those of their calls that were answered.
        calls.keeps_file = bool(watch.failure_reasons)
    watch.check()
    wanted = {(one.id, identity(spec)) for one in items for spec in specs}
    return [one for one in load_lines() if (one.about, identity(one.judge)) in wanted]


def _parts(
    judges: Sequence[J],
    items: Sequence[I],
    load_lines: Callable[[], list[L]],
    unit: str,
    needs_model: Callable[[I], bool],
) -> Iterator[Sequence[tuple[J, I]]]:
    """Yield pairs of a judge and an item without a line, judge by judge; see `iterate_confirmed_parts`."""
    label_of = labels(judge.spec for judge in judges)
    pairings = {identity(spec): (label_of[spec],) if has_prices([spec]) else () for spec in label_of}

    def pairing(judge: str, needs_query: bool) -> Pairing:
        return pairings.get(identity(judge), ()) if needs_query else ()

    def pairing_costs() -> list[tuple[Pairing, Spending]]:
        pairs = [(pairing(one.judge, bool(one.answers)), one) for one in load_lines()]
        return [(paid, Spending(one.cost, sum(one.tokens))) for paid, one in pairs if paid]

    done = {(one.about, identity(one.judge)) for one in load_lines()}
    todo = [(judge, one) for judge in judges for one in items if (one.id, identity(judge.spec)) not in done]
    yield from iterate_confirmed_parts(todo, lambda one: pairing(one[0].spec, needs_model(one[1])), pairing_costs, unit)
