"""The Hugging Face Hub: records as a dataset, trained players as models, each with a card made of what is recorded.

    econzoo convert runs/first USER/bargaining --to hub --license cc-by-4.0
    econzoo convert runs/ppo USER/bargaining-ppo --to hub

A repository that does not exist is made, and is private unless somebody says otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

from econzoo.envs.core.contract.options import Option
from econzoo.envs.core.contract.parameters import Flag, Text
from econzoo.envs.core.extras import require_libraries
from econzoo.envs.core.plurals import format_count
from econzoo.envs.core.record.player_labels import label_players
from econzoo.envs.core.record.provenance import strip_addresses
from econzoo.envs.core.record.record import Record
from econzoo.evaluate.adapters.hub_cards import data_card, model_card
from econzoo.evaluate.analyses.tidy.export import setting_names, write_tables
from econzoo.evaluate.formats.conversions import ConversionResult
from econzoo.evaluate.formats.record_table import write_records
from econzoo.evaluate.run.folder import read_folder

__all__ = ["push_model", "push_records"]

FILES = (".zip", ".safetensors", ".json", ".jinja", ".model", ".txt", ".csv", ".toml")
"""Endings of the files in the folder of a training that are pushed; checkpoints and records below it are not."""

License = Annotated[
    str, Option(Text(), "License identifier on the Hub, e.g. mit or cc-by-4.0.", default="none", panel="Hub")
]
Public = Annotated[bool, Option(Flag(), "Make a new repository public.", panel="Hub")]


def push_records(source: str | Path, out: str, license: License = "", public: Public = False) -> ConversionResult:
    """Pushes records as a dataset: whole records and the three tidy tables in Parquet, a codebook and a data card.

    Addresses of servers in the specs of players are left out.

    Args:
        source: Folder of records, or a file of them; of any games.
        out: The repository, USER/NAME; made if it does not exist.
        license: Of the data, as the Hub names it; empty: the card names none.
        public: Whether anybody can read a repository that is made.

    Returns:
        Not complete if a line is no record, or a match failed.

    Raises:
        ValueError: There are no records, or the Hub refuses or cannot be reached.
        MissingLibraryError: huggingface_hub or pyarrow is not installed.
    """
    require_libraries("convert --to hub", "huggingface_hub", "pyarrow", extra="hub")
    records, unread = read_folder(source)
    left_out = [f"left out: {line}" for line in unread]
    if not records:
        raise ValueError(f"no record could be read in {source}: {unread[0] if unread else 'nothing is in it'}")
    _forget_addresses(records)
    with TemporaryDirectory() as place:
        folder = Path(place)
        write_tables(records, setting_names(source), folder, "parquet")
        write_records(records, folder / "records.parquet")
        card = data_card(records, source, out, license)
        files = {path.name: path for path in sorted(folder.iterdir())}
        told = _push(out, "dataset", {"README.md": card.encode(), **files}, public)
    data = {"repository": told, "matches": len(records), "left_out": len(left_out)}
    return ConversionResult([f"{told}: {format_count(len(records), 'match')}"], data, not left_out, left_out)


def _forget_addresses(records: Sequence[Record]) -> None:
    for record in records:
        record.players = [strip_addresses(spec) for spec in record.players]
        record.drawn = record.drawn and [spec and strip_addresses(spec) for spec in record.drawn]
    label_players(records)


def push_model(source: str | Path, out: str, license: License = "", public: Public = False) -> ConversionResult:
    """Pushes what a training has made, with its settings, its curve and a model card.

    The card has the figures of all evaluations whose records lie below the folder.

    Args:
        source: Folder of a training: of a policy, of a language model or of an adapter.
        out: See `push_records`.
        license: Of the model, as the Hub names it; empty: the card names none.
        public: See `push_records`.

    Raises:
        ValueError: The Hub refuses or cannot be reached.
        MissingLibraryError: huggingface_hub is not installed.
    """
    require_libraries("convert --to hub", "huggingface_hub", extra="hub")
    files = {path.name: path for path in sorted(Path(source).iterdir()) if path.suffix in FILES and path.is_file()}
    card = model_card(Path(source), out, license)
    told = _push(out, "model", {**files, "README.md": card.encode()}, public)
    return ConversionResult([f"{told}: {format_count(len(files), 'file')}"], {"repository": told, "files": list(files)})


def _push(repository: str, kind: str, files: Mapping[str, bytes | Path], public: bool) -> str:
    """Uploads files as one commit; gives the address of the repository."""
    from huggingface_hub import CommitOperationAdd, HfApi

    api, said = HfApi(), f"Upload by EconZoo {version('econzoo')}"
    changes = [CommitOperationAdd(name, file) for name, file in files.items()]
    try:
        made = api.create_repo(repository, repo_type=kind, private=not public, exist_ok=True)
        api.create_commit(repository, changes, commit_message=said, repo_type=kind)
    except Exception as error:  # of the client, or of the HTTP library that its version uses
        told = " ".join(str(error).split())
        raise ValueError(f"{repository} cannot be pushed (who pushes logs in with 'hf auth login'): {told}") from error
    return str(made)
