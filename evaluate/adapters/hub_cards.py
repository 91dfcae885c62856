"""Dataset and model cards for the Hugging Face Hub, generated from records and training metadata."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from econzoo.baselines import POLICY, read_metadata
from econzoo.envs.core import format_count
from econzoo.envs.core.record import Record, Software
from econzoo.evaluate.analyses import describe, played_games, read_curve, read_training_games
from econzoo.evaluate.analyses.summary import Summary, checkpoint_parts, notes, ranking, summarize
from econzoo.evaluate.run import CURVE, MANIFEST, read_provenance, read_records
from econzoo.evaluate.show import COUNT, HEADING, TEXT, Column, Part, Table, Text, to_markdown

if TYPE_CHECKING:
    from huggingface_hub import CardData, EvalResult

CARD = "README.md"

CONFIGS = {
    "records": "complete match",
    "matches": "match",
    "seats": "seat of a match",
    "turns": "reply",
}
"""Tables of a dataset, and the unit of their rows."""

SIZES = {1_000: "n<1K", 10_000: "1K<n<10K", 100_000: "10K<n<100K", 1_000_000: "100K<n<1M"}
"""Size categories of the Hub by exclusive upper bound of matches."""

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
    """Return a dataset card.

    Args:
        source: Folder of the records, with their provenance.
        license: License identifier of the Hub; empty: none.
    """
    from huggingface_hub import DatasetCardData

    games = list(dict.fromkeys(record.game for record in records))
    size = next((category for bound, category in SIZES.items() if len(records) < bound), "1M<n<10M")
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
        Table("tables", "Tables", [Column("table", kind=TEXT), Column("row", kind=TEXT)], [*CONFIGS.items()]),
        Text("codebook.md describes the columns. Columns of records whose type differs by game are JSON."),
        _counts(records),
        *describe(played_games(records), [source]),
    ]
    head = (
        f"{format_count(len(records), 'match')} of {', '.join(games)}, played with "
        f"EconZoo.\n\n{LOAD.format(name=name)}\n"
    )
    return _card(data, name, head + to_markdown(parts))


def _counts(records: Sequence[Record]) -> Table:
    """Number of matches by game, versions and status."""
    versions = ("rules", "texts", "numeric", "replies")
    counted = Counter((one.game, *(str(one.versions[part]) for part in versions), one.status) for one in records)
    columns = [*(Column(head, kind=TEXT) for head in ("game", *versions, "ended")), Column("matches", kind=COUNT)]
    return Table("versions", "Matches by versions of the game", columns, [(*key, n) for key, n in counted.items()])


def model_card(folder: Path, name: str, license: str = "") -> str:
    """Return a model card: the training's own card, if any, extended by curves, evaluations and training data.

    Args:
        license: License identifier of the Hub; empty: that of the training's own card.
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
    # The training's own card loads the model from its folder here; readers load it from the Hub.
    body = own.text.replace(f"hf:{folder}", f"hf:{name}") if own else _policy(folder, name)
    return _card(ModelCardData(**given, eval_results=results or None), "" if own else name, body + to_markdown(parts))


def _policy(folder: Path, name: str) -> str:
    """Description and usage of a policy."""
    if not (folder / POLICY).is_file():
        return ""
    known = read_metadata(folder)
    summary = f"Policy for {known['game']}, trained with `econzoo train ppo` for {known['timesteps']:,} moves"
    versions = f"rules {known['versions']['rules']}, numeric {known['versions']['numeric']}"
    summary += f" and {Software(**known['software'])}" if known["software"] else ""
    return f"{summary} (game versions: {versions}).\n\n{PLAY.format(name=name, folder=name.rpartition('/')[2])}\n"


def _curve(path: Path) -> Iterator[Part]:
    """Last validation of a training."""
    with suppress(OSError, ValueError):  # no curve, or losses only
        curve = read_curve(path)
        rows = [(series or "all", points[-1]) for series, points in curve.series.items()]
        step = max(point.step for _, point in rows)
        title = f"{curve.y.capitalize()} in the last validation, after {step:,.0f} {curve.x}"
        yield Text("Validation", HEADING)
        yield Table("validation", title, [Column("against", kind=TEXT), Column(curve.y)], rows)


def _evaluation(place: Path, summary: Summary) -> Iterator[Part]:
    """Results of an evaluation with records in a folder."""
    yield Text(f"Evaluation: {_command_or_name(place)}", HEADING)
    yield from checkpoint_parts(summary)[:1] if len(summary.players) == 1 else ranking(summary)
    yield from notes(summary)


def _command_or_name(place: Path) -> str:
    """Command that produced a folder, or the folder's name."""
    return next((one.command for one in read_provenance(place) if one.command), place.name)


def _results(place: Path, summary: Summary) -> Iterator[EvalResult]:
    """Results for the Hub's tables, which order models, from evaluations of one player without missing matches."""
    from huggingface_hub import EvalResult

    if len(summary.players) == 1 and not summary.has_cases:
        mean = summary.overall[summary.players[0]][summary.groups[0].ranked].mean
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
