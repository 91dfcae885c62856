"""Conversions between formats, by name; each is a function from one file or folder to another.

    convert("GLEE/Data", "glee.jsonl")
    convert("runs/first", "tables", to="stata", texts=True)
    convert(["shards/0", "shards/1"], "records.jsonl.gz")
    convert("runs/first", "USER/NAME", to="hub")

The options of a conversion are the parameters of its function that are annotated with an
`econzoo.envs.core.contract.options.Option`; ``econzoo convert`` reads them from there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from econzoo.envs.core.contract import check_option_values, options_in
from econzoo.envs.core.record import is_record_file
from econzoo.evaluate.show import Table

__all__ = ["CONVERSIONS", "ConversionResult", "find_conversion", "convert"]

LORA, MODEL, POLICY, RECORDS, HUB = "lora", "model", "policy", "records", "hub"

TRAINING_FORMATS = LORA, POLICY, MODEL
"""Formats of a training; records in its folder are training data or evaluations."""

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
"""(Source format, output format) to ``"module:function"``."""

FOLDER_PATTERNS: dict[str, tuple[str, ...]] = {
    LORA: ("adapter_config.json",),
    POLICY: ("policy.zip",),
    MODEL: ("*.safetensors",),
    "glee": ("**/game.csv",),
    "sheets": ("**/*.xlsx", "**/*.xls"),
    RECORDS: ("*.jsonl", "*.jsonl.gz", "**/records*.jsonl", "**/records*.jsonl.gz"),
}
"""File patterns that identify the format of a folder; other folders are searched for ALYMPICS games."""

FILE_FORMATS = {
    ".jsonl": RECORDS,
    ".gz": RECORDS,
    **dict.fromkeys((".json", ".zip", ".csv"), "alympics"),
    **dict.fromkeys((".xlsx", ".xls"), "sheets"),
}
"""Formats by file suffix."""


class ConversionResult(NamedTuple):
    """Result of a conversion; complete if nothing was left out that needs attention."""

    lines: Sequence[str]
    data: dict[str, Any]
    complete: bool = True
    omissions: Sequence[str] = ()
    tables: Sequence[Table] = ()


def find_conversion(formats: tuple[str, str]) -> Callable[..., ConversionResult]:
    module, _, function = CONVERSIONS[formats].partition(":")
    found: Callable[..., ConversionResult] = getattr(import_module(module), function)
    return found


def convert(
    source: str | Path | Sequence[str | Path], out: str | Path, from_: str = "", to: str = "", **options: Any
) -> ConversionResult:
    """Convert a file or folder to another format.

    Args:
        from_: Source format; empty: detected.
        to: Output format; empty: the only one for the source, or detected from `out`.
    """
    sources = [source] if isinstance(source, str | Path) else list(source)
    formats = formats_of(Path(sources[0]), Path(out), from_, to)
    if len(sources) > 1 and formats != (RECORDS, RECORDS):
        raise ValueError(f"{formats[0]} to {formats[1]} takes one source, got {len(sources)}")
    make = find_conversion(formats)
    own = check_option_values(f"{formats[0]} to {formats[1]}", make, options)
    given = {**own, **({"to": formats[1]} if "to" in options_in(make) else {})}
    return make(sources if len(sources) > 1 else sources[0], out, **given)


def formats_of(source: Path, out: Path, from_: str, to: str) -> tuple[str, str]:
    """Resolve the formats of a conversion, given or detected."""
    # The name of the output decides, as a folder of records fits several formats.
    if not to and is_record_file(out):
        to = RECORDS
    wanted = (to,) if to else {b for _, b in CONVERSIONS} - {HUB}  # publish only on explicit request
    fitting = [(a, b) for a, b in CONVERSIONS if from_ in ("", a) and b in wanted]
    if not fitting:
        given = " ".join(f"--{name} {value}" for name, value in (("from", from_), ("to", to)) if value)
        raise ValueError(f"invalid {given}: expected {', '.join(f'{a} to {b}' for a, b in CONVERSIONS)}")
    sources = list(dict.fromkeys(a for a, _ in fitting))
    if len(sources) > 1:
        detected = [one for one in sources if one in possible_formats(source, sources)]
        if to == RECORDS and len(detected) > 1:  # games with their imported records beside them
            detected = [one for one in detected if one != RECORDS]
        if len(detected) != 1:
            what = f"ambiguous ({', '.join(detected)})" if detected else "unknown"
            raise ValueError(f"format of {source} is {what}: pass --from {', '.join(sources)}")
        fitting = [pair for pair in fitting if pair[0] == detected[0]]
    if len(fitting) > 1:
        raise ValueError(f"missing --to for {fitting[0][0]}: expected {', '.join(b for _, b in fitting)}")
    return fitting[0]


def possible_formats(source: Path, formats: Sequence[str]) -> list[str]:
    """Filter formats by the pattern of a file or folder."""
    if not source.exists():
        raise FileNotFoundError(f"no such file or folder: {source}")
    if not source.is_dir():
        return [FILE_FORMATS.get(source.suffix, "")]
    signs = {name: FOLDER_PATTERNS[name] for name in formats if name in FOLDER_PATTERNS}
    found = [name for name, of in signs.items() if any(True for sign in of for _ in source.glob(sign))]
    # A folder of a training may contain records of its evaluations; the first of its formats counts.
    found = [name for name in TRAINING_FORMATS if name in found][:1] or found
    return found or ["alympics"] * any(True for _ in source.rglob("*.json"))
