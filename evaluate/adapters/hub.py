"""The Hugging Face Hub: records as datasets and trained players as models, with generated cards.

    econzoo convert runs/first USER/bargaining --to hub --license cc-by-4.0
    econzoo convert runs/ppo USER/bargaining-ppo --to hub

Missing repositories are created, private by default.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

from econzoo.envs.core import format_count, require_libraries
from econzoo.envs.core.contract import Flag, Option, Text, check_arguments
from econzoo.envs.core.record import Record, label_players, strip_addresses
from econzoo.evaluate.adapters.hub_cards import data_card, model_card
from econzoo.evaluate.analyses.tidy import setting_names, write_tables
from econzoo.evaluate.formats import ConversionResult, write_records
from econzoo.evaluate.run import read_folder

__all__ = ["push_model", "push_records"]

FILES = (".zip", ".safetensors", ".json", ".jinja", ".model", ".txt", ".csv", ".toml")
"""Suffixes of the pushed files in the folder of a training; subfolders (checkpoints, records) are not pushed."""

License = Annotated[
    str, Option(Text(), "License identifier on the Hub, e.g. mit or cc-by-4.0.", default="none", panel="Hub")
]
Public = Annotated[bool, Option(Flag(), "Make a new repository public.", panel="Hub")]


@check_arguments
def push_records(source: str | Path, out: str, license: License = "", public: Public = False) -> ConversionResult:
    """Push records as a dataset: records and the three tidy tables in Parquet, a codebook and a dataset card.

    Server addresses in player specs are removed.

    Args:
        source: Folder or file of records of any games.
        out: Repository USER/NAME; created if missing.
        license: License identifier of the Hub; empty: none.
        public: Whether a new repository is public.

    Returns:
        Result; incomplete if a line is not a record, or a match failed.

    Raises:
        ValueError: No records, or the Hub refuses or is unreachable.
        MissingLibraryError: huggingface_hub or pyarrow is not installed.
    """
    require_libraries("convert --to hub", "huggingface_hub", "pyarrow", extra="hub")
    records, unread = read_folder(source)
    left_out = [f"left out: {line}" for line in unread]
    if not records:
        raise ValueError(f"no readable record in {source}: {unread[0] if unread else 'it is empty'}")
    _forget_addresses(records)
    with TemporaryDirectory() as place:
        folder = Path(place)
        write_tables(records, setting_names(source), folder, "parquet")
        write_records(records, folder / "records.parquet")
        card = data_card(records, source, out, license)
        files = {path.name: path for path in sorted(folder.iterdir())}
        url = _push(out, "dataset", {"README.md": card.encode(), **files}, public)
    data = {"repository": url, "matches": len(records), "left_out": len(left_out)}
    return ConversionResult([f"{url}: {format_count(len(records), 'match')}"], data, not left_out, left_out)


def _forget_addresses(records: Sequence[Record]) -> None:
    for record in records:
        record.players = [strip_addresses(spec) for spec in record.players]
        sampled = record.sampled_players
        record.sampled_players = sampled and [spec and strip_addresses(spec) for spec in sampled]
    label_players(records)


@check_arguments
def push_model(source: str | Path, out: str, license: License = "", public: Public = False) -> ConversionResult:
    """Push a trained policy, language model or adapter with its settings, learning curve and a model card.

    The card includes all evaluations with records below the folder.

    Args:
        source: Folder of the training.
        out: See `push_records`.
        license: License identifier of the Hub; empty: none.
        public: See `push_records`.

    Raises:
        ValueError: The Hub refuses or is unreachable.
        MissingLibraryError: huggingface_hub is not installed.
    """
    require_libraries("convert --to hub", "huggingface_hub", extra="hub")
    files = {path.name: path for path in sorted(Path(source).iterdir()) if path.suffix in FILES and path.is_file()}
    card = model_card(Path(source), out, license)
    url = _push(out, "model", {**files, "README.md": card.encode()}, public)
    return ConversionResult([f"{url}: {format_count(len(files), 'file')}"], {"repository": url, "files": list(files)})


def _push(repository: str, kind: str, files: Mapping[str, bytes | Path], public: bool) -> str:
    """Upload files in one commit; return the URL of the repository."""
    from huggingface_hub import CommitOperationAdd, HfApi

    api, message = HfApi(), f"Upload by EconZoo {version('econzoo')}"
    changes = [CommitOperationAdd(name, file) for name, file in files.items()]
    try:
        url = api.create_repo(repository, repo_type=kind, private=not public, exist_ok=True)
        api.create_commit(repository, changes, commit_message=message, repo_type=kind)
    except Exception as error:  # of the client, or of the HTTP library that its version uses
        why = " ".join(str(error).split())
        raise ValueError(f"cannot push to {repository} (log in with 'hf auth login'): {why}") from error
    return str(url)
