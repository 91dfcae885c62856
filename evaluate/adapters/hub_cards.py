"""Cards of data and of models for the Hugging Face Hub, made of what is recorded: what was played, by whom, and how."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from econzoo.baselines.policy_files import POLICY, read_metadata
from econzoo.envs.core.plurals import format_count
from econzoo.envs.core.record.record import Record
from econzoo.evaluate.analyses.description import describe, played_games
from econzoo.evaluate.analyses.learning_curve import read_curve, read_training_games
from econzoo.evaluate.analyses.summary.summary import Summary, summarize
from econzoo.evaluate.analyses.summary.tables import checkpoint_parts, notes, ranking
from econzoo.evaluate.run.folder import CURVE, MANIFEST, read_provenance
from econzoo.evaluate.run.records import read_records
from econzoo.evaluate.show.markdown import to_markdown
from econzoo.evaluate.show.parts import COUNT, HEADING, TEXT, Column, Part, Table, Text

if TYPE_CHECKING:
    from huggingface_hub import CardData, EvalResult

CARD = "README.md"

CONFIGS = {
    "records": "a match, whole",
    "matches": "a match",
    "seats": "a seat of a match",
    "turns": "an answer",
}
"""The tables of a dataset, and what a row of each is."""

SIZES = {1_000: "n<1K", 10_000: "1K<n<10K", 100_000: "10K<n<100K", 1_000_000: "100K<n<1M"}
"""Matches that there are fewer of, and what the Hub calls that."""

LOAD = """\
```python
from datasets import load_dataset
from econzoo.evaluate.formats.record_table import record_of

records = [record_of(row) for row in load_dataset("{name}", split="train")]
seats = load_dataset("{name}", "seats", split="train").to_pandas()
```
"""

POLICY_CARD = {"library_name": "econzoo", "pipeline_tag": "reinforcement-learning", "tags": ["econzoo"]}

PLAY = """\
```bash
hf download {name} --local-dir {folder}
econzoo evaluate ppo:{folder}
```
"""


def data_card(records: Sequence[Record], source: str | Path, name: str, license: str = "") -> str:
    """The card of a dataset.

    Args:
        records: All of them.
        source: The folder that they lie in, which says what has made them.
        name: Of the repository, USER/NAME.
        license: As the Hub names it; empty: none is named.
    """
    from huggingface_hub import DatasetCardData

    games = list(dict.fromkeys(record.game for record in records))
    size = next((told for fewer, told in SIZES.items() if len(records) < fewer), "1M<n<10M")
    configs: list[dict[str, Any]] = [{"config_name": one, "data_files": f"{one}.parquet"} for one in CONFIGS]
    configs[0]["default"] = True
    data = DatasetCardData(
        license=license or None,
        pretty_name=name.rpartition("/")[2],
        tags=["econzoo", "game-theory", *games],
        size_categories=[size],
        configs=configs,
    )
    parts = [
        Table("tables", "Tables", [Column("table", kind=TEXT), Column("a row is", kind=TEXT)], [*CONFIGS.items()]),
        Text("What the columns mean is in codebook.md. Columns of records that differ by game are JSON."),
        _counts(records),
        *describe(played_games(records), [source]),
    ]
    head = (
        f"{format_count(len(records), 'match')} of {', '.join(games)}, played with "
        f"EconZoo.\n\n{LOAD.format(name=name)}\n"
    )
    return _card(data, name, head + to_markdown(parts))


def _counts(records: Sequence[Record]) -> Table:
    """How many matches there are of each game, by its versions and how they ended."""
    versions = ("rules", "texts", "numeric", "replies")
    counted = Counter(
        (one.game, *(str((one.versions or {}).get(part, 0)) for part in versions), one.status) for one in records
    )
    columns = [*(Column(head, kind=TEXT) for head in ("game", *versions, "ended")), Column("matches", kind=COUNT)]
    return Table("versions", "Matches by versions of the game", columns, [(*key, n) for key, n in counted.items()])


def model_card(folder: Path, name: str, license: str = "") -> str:
    """The card of a model: the training's own, if it has written one, and what its folder holds besides.

    Args:
        folder: Of the training.
        name: Of the repository, USER/NAME.
        license: As the Hub names it; empty: that of the training's own card.
    """
    from huggingface_hub import ModelCard, ModelCardData

    places = [path.parent for path in sorted(folder.rglob(MANIFEST)) if path.parent != folder]
    found = {place: summarize(read_records(place)) for place in places}
    own = ModelCard.load(folder / CARD) if (folder / CARD).is_file() else None
    given: dict[str, Any] = own.data.to_dict() if own else dict(POLICY_CARD)
    given |= {"license": license or given.get("license"), "model_name": name.rpartition("/")[2]}
    results = [result for place, summary in found.items() for result in _results(place, summary)]
    parts = [
        *_curve(folder / CURVE),
        *(part for place, summary in found.items() for part in _evaluation(place, summary)),
        *describe(read_training_games(folder), [folder]),
    ]
    body = own.text.replace(f"hf:{folder}", f"hf:{name}") if own else _policy(folder, name)
    return _card(ModelCardData(**given, eval_results=results or None), "" if own else name, body + to_markdown(parts))


def _policy(folder: Path, name: str) -> str:
    """What a policy is, and how to use it."""
    if not (folder / POLICY).is_file():
        return ""
    known = read_metadata(folder)
    told = f"A policy for {known['game']}, after {known['timesteps']:,} moves of `econzoo train ppo`"
    versions = f"rules {known['version']}, numeric {known['numeric_version']}"
    return f"{told} (versions of the game: {versions}).\n\n{PLAY.format(name=name, folder=name.rpartition('/')[2])}\n"


def _curve(path: Path) -> Iterator[Part]:
    """What a training measured last."""
    with suppress(OSError, ValueError):  # none, or one of losses alone
        curve = read_curve(path)
        rows = [(series or "all", points[-1]) for series, points in curve.series.items()]
        step = max(point.step for _, point in rows)
        title = f"{curve.y.capitalize()} in the last validation of the training, after {step:,.0f} {curve.x}"
        yield Text("Validation", HEADING)
        yield Table("validation", title, [Column("against", kind=TEXT), Column(curve.y)], rows)


def _evaluation(place: Path, summary: Summary) -> Iterator[Part]:
    """The figures of an evaluation whose records lie in a folder."""
    yield Text(f"Evaluation: {_command_or_name(place)}", HEADING)
    yield from checkpoint_parts(summary)[:1] if len(summary.players) == 1 else ranking(summary)
    yield from notes(summary)


def _command_or_name(place: Path) -> str:
    """The command that has made a folder, or its name."""
    return next((one.command for one in read_provenance(place) if one.command), place.name)


def _results(place: Path, summary: Summary) -> Iterator[EvalResult]:
    """The same for the Hub's tables: of an evaluation of the model alone."""
    from huggingface_hub import EvalResult

    if len(summary.players) == 1:
        mean = summary.overall[summary.players[0]][summary.objective].mean
        yield EvalResult(
            task_type="reinforcement-learning",
            dataset_type=summary.game,
            dataset_name=f"{summary.game}: {_command_or_name(place)}",
            dataset_config=place.name,
            metric_type=summary.objective,
            metric_value=mean,
        )


def _card(data: CardData, name: str, body: str) -> str:
    title = f"# {name.rpartition('/')[2]}\n\n" if name else ""
    return f"---\n{data.to_yaml()}\n---\n\n{title}{body}"
