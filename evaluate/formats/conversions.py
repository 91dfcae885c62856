"""Conversions by name: each is a function from a file or folder in one format to one in another.

    convert("GLEE/Data", "glee.jsonl")
    convert("runs/first", "tables", to="stata", texts=True)
    convert(["shards/0", "shards/1"], "records.jsonl.gz")
    convert("runs/first", "USER/NAME", to="hub")

Records are one of the formats. The options of a conversion are the parameters of its function that are annotated with
an `econzoo.envs.core.contract.options.Option`; ``econzoo convert`` takes them from there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from econzoo.envs.core.contract.options import check_option_values, options_in
from econzoo.envs.core.record.lines import is_record_file
from econzoo.evaluate.show.parts import Table

__all__ = ["CONVERSIONS", "ConversionResult", "find_conversion", "convert"]

LORA, MODEL, POLICY, RECORDS, HUB = "lora", "model", "policy", "records", "hub"

TRAINING_FORMATS = LORA, POLICY, MODEL
"""What a training makes; records that lie in its folder are what it has learned from, or what it came to."""

TABLES = "econzoo.evaluate.analyses.tidy.export:export_tables"

CONVERSIONS: dict[tuple[str, str], str] = {
    ("glee", RECORDS): "econzoo.evaluate.formats.glee.importing:import_glee",
    ("alympics", RECORDS): "econzoo.evaluate.analyses.alympics.conversions:import_alympics",
    (RECORDS, RECORDS): "econzoo.evaluate.formats.merging:merge",
    (RECORDS, "glee"): "econzoo.evaluate.formats.glee.writing:export_glee",
    (RECORDS, "csv"): TABLES,
    (RECORDS, "parquet"): TABLES,
    (RECORDS, "stata"): TABLES,
    ("sheets", "ratings"): "econzoo.evaluate.analyses.judging.sheets:import_sheets",
    (LORA, MODEL): "econzoo.train.lm.merge:merge",
    (RECORDS, HUB): "econzoo.evaluate.adapters.hub:push_records",
    **{(kind, HUB): "econzoo.evaluate.adapters.hub:push_model" for kind in TRAINING_FORMATS},
}
"""(Format of the source, format of what is made) to ``"module:function"``."""

FOLDER_PATTERNS: dict[str, tuple[str, ...]] = {
    LORA: ("adapter_config.json",),
    POLICY: ("policy.zip",),
    MODEL: ("*.safetensors",),
    "glee": ("**/game.csv",),
    "sheets": ("**/*.xlsx", "**/*.xls"),
    RECORDS: ("*.jsonl", "*.jsonl.gz", "**/records*.jsonl", "**/records*.jsonl.gz"),
}
"""Files in a folder by which its format is known; other folders are searched for ALYMPICS' games."""

FILE_FORMATS = {
    ".jsonl": RECORDS,
    ".gz": RECORDS,
    **dict.fromkeys((".json", ".zip", ".csv"), "alympics"),
    **dict.fromkeys((".xlsx", ".xls"), "sheets"),
}
"""Formats of files."""


class ConversionResult(NamedTuple):
    """What became of a source.

    Attributes:
        lines: For people.
        data: For JSON.
        complete: Whether nothing was left out that somebody should look at.
        omissions: What was, in words, which is no part of the result.
        tables: Told before the lines.
    """

    lines: Sequence[str]
    data: dict[str, Any]
    complete: bool = True
    omissions: Sequence[str] = ()
    tables: Sequence[Table] = ()


def find_conversion(formats: tuple[str, str]) -> Callable[..., ConversionResult]:
    """The function of a conversion.

    Args:
        formats: Of `CONVERSIONS`.
    """
    module, _, function = CONVERSIONS[formats].partition(":")
    found: Callable[..., ConversionResult] = getattr(import_module(module), function)
    return found


def convert(
    source: str | Path | Sequence[str | Path], out: str | Path, from_: str = "", to: str = "", **options: Any
) -> ConversionResult:
    """Turns a file or folder in one format into one in another.

    Args:
        source: The file or folder; of records that become records several.
        out: Where the result goes.
        from_: Format of the source; empty: what it looks like.
        to: Format of the result; empty: the only one that there is for the source, or that of `out`.
        **options: Of the conversion.

    Raises:
        ValueError: A format is not allowed or must be said, an option is not allowed, or there are several sources
            of which one is made into something else than records.
        FileNotFoundError: There is no such source.
        MissingLibraryError: The conversion needs a library that is not installed.
    """
    sources = [source] if isinstance(source, str | Path) else list(source)
    formats = formats_of(Path(sources[0]), Path(out), from_, to)
    if len(sources) > 1 and formats != (RECORDS, RECORDS):
        raise ValueError(f"{formats[0]} to {formats[1]} takes one source; allowed: several with records to records")
    make = find_conversion(formats)
    own = check_option_values(f"{formats[0]} to {formats[1]}", make, options)
    given = {**own, **({"to": formats[1]} if "to" in options_in(make) else {})}
    return make(sources if len(sources) > 1 else sources[0], out, **given)


def formats_of(source: Path, out: Path, from_: str, to: str) -> tuple[str, str]:
    """The formats of a conversion, as they are given or as source and result look.

    Raises:
        ValueError: They are not allowed, or more than one is possible.
        FileNotFoundError: There is no such source.
    """
    if not to and is_record_file(out):
        to = RECORDS
    wanted = (to,) if to else {b for _, b in CONVERSIONS} - {HUB}  # nothing is published unless somebody says so
    fitting = [(a, b) for a, b in CONVERSIONS if from_ in ("", a) and b in wanted]
    if not fitting:
        given = " ".join(f"--{name} {value}" for name, value in (("from", from_), ("to", to)) if value)
        raise ValueError(f"{given} is not allowed; allowed: {', '.join(f'{a} to {b}' for a, b in CONVERSIONS)}")
    sources = list(dict.fromkeys(a for a, _ in fitting))
    if len(sources) > 1:
        looks = [one for one in sources if one in possible_formats(source, sources)]
        if to == RECORDS and len(looks) > 1:  # games beside which records lie that may be theirs
            looks = [one for one in looks if one != RECORDS]
        if len(looks) != 1:
            told = f"looks like {' and '.join(looks)}" if looks else f"does not look like {' or '.join(sources)}"
            raise ValueError(f"{source} {told}: --from is needed; allowed: {', '.join(sources)}")
        fitting = [pair for pair in fitting if pair[0] == looks[0]]
    if len(fitting) > 1:
        raise ValueError(f"--to is needed with {fitting[0][0]}; allowed: {', '.join(b for _, b in fitting)}")
    return fitting[0]


def possible_formats(source: Path, formats: Sequence[str]) -> list[str]:
    """Those of some formats in which a file or folder may be."""
    if not source.exists():
        raise FileNotFoundError(f"no such file or folder: {source}")
    if not source.is_dir():
        return [FILE_FORMATS.get(source.suffix, "")]
    signs = {name: FOLDER_PATTERNS[name] for name in formats if name in FOLDER_PATTERNS}
    found = [name for name, of in signs.items() if any(True for sign in of for _ in source.glob(sign))]
    found = [name for name in TRAINING_FORMATS if name in found][:1] or found
    return found or ["alympics"] * any(True for _ in source.rglob("*.json"))
