"""The Hugging Face Hub: records as datasets and trained players as models, with generated cards.

    econzoo convert runs/first USER/bargaining --to hub --license cc-by-4.0
    econzoo convert runs/ppo USER/bargaining-ppo --to hub

Missing repositories are created, private by default. Only files that a run or training writes leave the machine, never
links, and they are listed first.
"""

from __future__ import annotations

import csv
import io
import re
import sys
import zipfile
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from econzoo.baselines import METADATA, POLICY
from econzoo.envs.command_line import CONFIG_FILE
from econzoo.envs.core import ARCHIVE_BYTES, LARGE_FILE_BYTES, escape_name, format_count, list_members, read_bytes
from econzoo.envs.core import read_csv_rows, read_text, require_libraries
from econzoo.envs.core.contract import Flag, Option, Text, check_arguments
from econzoo.envs.core.record import Record, label_players, strip_addresses
from econzoo.evaluate.adapters.hub_cards import CARD, data_card, model_card
from econzoo.evaluate.analyses.tidy import setting_names, write_tables
from econzoo.evaluate.formats import ConversionResult, write_records
from econzoo.evaluate.run import MANIFEST, NO_TERMINAL, read_folder, record_files

__all__ = ["push_model", "push_records"]

OWN_TEXTS = (CONFIG_FILE, "training.json", "validation_start.json")
"""Texts of a training, which quote the options that it was given."""

WRITTEN = re.compile(
    rf"{'|'.join(map(re.escape, (POLICY, *OWN_TEXTS)))}|(learning|validation)_curve\.csv|rounds\.csv"
    # Of transformers and PEFT: models, shards, tokenizers.
    r"|(adapter_|generation_|tokenizer_|processor_|preprocessor_)?config\.json|(adapter_)?model(-\d+-of-\d+)?\.safetensors"
    r"|(adapter_)?model\.safetensors\.index\.json|tokenizer\.(json|model)|vocab\.(json|txt)|merges\.txt|tekken\.json"
    r"|(special_tokens_map|added_tokens)\.json|chat_template\.(jinja|json)|(spiece|sentencepiece\.bpe)\.model"
)
"""Names of the files that a training writes; no others are pushed, and none of subfolders (checkpoints, records)."""

REPOSITORY = re.compile(r"[A-Za-z0-9_][\w.-]{0,95}/[A-Za-z0-9_][\w.-]{0,95}", re.ASCII)
"""USER/NAME; the client refuses more, such as two dots."""

License = Annotated[
    str, Option(Text(), "License identifier on the Hub, e.g. mit or cc-by-4.0.", default="none", panel="Hub")
]
Public = Annotated[bool, Option(Flag(), "Push to a public repository, which is made if missing.", panel="Hub")]
Yes = Annotated[bool, Option(Flag(), "Do not ask before a public push.", panel="Hub")]


@check_arguments
def push_records(
    source: str | Path, out: str, license: License = "", public: Public = False, yes: Yes = False
) -> ConversionResult:
    """Push records as a dataset: records and the three tidy tables in Parquet, a codebook and a dataset card.

    Server addresses in player specs are removed.

    Args:
        source: Folder or file of records of any games.
        out: Repository USER/NAME; created if missing.
        license: License identifier of the Hub; empty: none.
        public: Whether the repository may be public; a new one then is.
        yes: Whether to push to a public repository without asking at the terminal.

    Returns:
        Result; incomplete if a line is not a record, or a match failed.

    Raises:
        ValueError: No records; links among the files; a public repository without `public`, or without consent; or the
            Hub refuses or is unreachable.
        MissingLibraryError: huggingface_hub or pyarrow is not installed.
    """
    require_libraries("convert --to hub", "huggingface_hub", "pyarrow", extra="hub")
    _check_name(out)
    _refuse_links(Path(source), record_files(source))
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
        url = _push(out, "dataset", {"README.md": card.encode(), **files}, public, yes)
    data = {"repository": url, "matches": len(records), "left_out": len(left_out)}
    return ConversionResult([f"{url}: {format_count(len(records), 'match')}"], data, not left_out, left_out)


def _forget_addresses(records: Sequence[Record]) -> None:
    for record in records:
        record.players = [strip_addresses(spec) for spec in record.players]
        sampled = record.sampled_players
        record.sampled_players = sampled and [spec and strip_addresses(spec) for spec in sampled]
    label_players(records)


@check_arguments
def push_model(
    source: str | Path, out: str, license: License = "", public: Public = False, yes: Yes = False
) -> ConversionResult:
    """Push a trained policy, language model or adapter with its settings, learning curve and a model card.

    The card includes all evaluations with records below the folder. Server addresses are removed; files that no
    training writes are not pushed, and named.

    Args:
        source: Folder of the training.
        out: See `push_records`.
        license: License identifier of the Hub; empty: none.
        public: See `push_records`.
        yes: See `push_records`.

    Raises:
        ValueError: See `push_records`.
        MissingLibraryError: huggingface_hub is not installed.
    """
    require_libraries("convert --to hub", "huggingface_hub", extra="hub")
    _check_name(out)
    folder = Path(source)
    found = [path for path in sorted(folder.iterdir()) if path.name != CARD and not path.is_dir()]
    files = [path for path in found if WRITTEN.fullmatch(path.name)]
    places = [path.parent for path in folder.rglob(MANIFEST)]
    told = [path for place in places for path in (place / MANIFEST, *record_files(place))]
    _refuse_links(folder, [*files, *folder.glob(CARD), *told])
    card = strip_addresses(model_card(folder, out, license))
    url = _push(out, "model", {**{path.name: _content(path) for path in files}, CARD: card.encode()}, public, yes)
    data = {"repository": url, "files": [path.name for path in files]}
    left = [f"not pushed, since no training writes it: {escape_name(path)}" for path in found if path not in files]
    return ConversionResult([f"{url}: {format_count(len(files), 'file')}"], data, omissions=left)


def _check_name(repository: str) -> None:
    from huggingface_hub.errors import HFValidationError
    from huggingface_hub.utils import validate_repo_id  # type: ignore[attr-defined]  # not re-exported by its stub

    try:
        validate_repo_id(repository)
        wrong = not REPOSITORY.fullmatch(repository)
    except HFValidationError:
        wrong = True
    if wrong:
        raise ValueError(
            f"invalid repository {escape_name(repository)!r}: expected USER/NAME of letters, digits, - _ ."
        )


def _refuse_links(source: Path, files: Sequence[Path]) -> None:
    """Raise `ValueError` if a file, or a folder between the source and it, is a link, which may lead elsewhere."""
    for path in files:
        on_the_way = [path, *path.parents][: len(path.parts) - len(source.parts)]
        for place in on_the_way:
            if place.is_symlink():
                raise ValueError(f"{escape_name(place)} is a link: expected the file or folder itself, or none")


def _content(path: Path) -> bytes | Path:
    """Return what is pushed of a file: itself, or its content without server addresses if it names any."""
    if path.name == POLICY:
        return _without_addresses(path)
    if path.suffix == ".csv":
        rows = [row for _, row in read_csv_rows(path)]
        stripped = [[*map(strip_addresses, row)] for row in rows]
        held = io.StringIO()
        csv.writer(held, lineterminator="\n").writerows(stripped)
        return path if stripped == rows else held.getvalue().encode()
    if path.name not in OWN_TEXTS:
        return path
    text = read_text(path, LARGE_FILE_BYTES)
    return path if (without := strip_addresses(text)) == text else without.encode()


def _without_addresses(path: Path) -> bytes | Path:
    members = list_members(path)
    metadata = read_bytes(members[METADATA], LARGE_FILE_BYTES).decode()
    if (stripped := strip_addresses(metadata)) == metadata:
        return path
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        for name, member in members.items():
            archive.writestr(name, stripped if name == METADATA else read_bytes(member, ARCHIVE_BYTES))
    return held.getvalue()


def _push(repository: str, kind: str, files: Mapping[str, bytes | Path], public: bool, yes: bool) -> str:
    """Upload files in one commit; return the URL of the repository."""
    from huggingface_hub import CommitOperationAdd, HfApi
    from huggingface_hub.errors import RepositoryNotFoundError

    api, message = HfApi(), f"Upload by EconZoo {version('econzoo')}"
    changes = [CommitOperationAdd(name, file) for name, file in files.items()]
    try:
        try:
            is_public = not api.repo_info(repository, repo_type=kind).private
        except RepositoryNotFoundError:
            is_public = public
        _confirm(repository, files, is_public, public, yes)
        url = api.create_repo(repository, repo_type=kind, private=not public, exist_ok=True)
        api.create_commit(repository, changes, commit_message=message, repo_type=kind)
    except _NoConsentError:
        raise
    except Exception as error:  # of the client, or of the HTTP library that its version uses
        why = " ".join(str(error).split())
        raise ValueError(f"cannot push to {repository} (log in with 'hf auth login'): {why}") from error
    return str(url)


class _NoConsentError(ValueError):
    """Nobody has agreed to publish."""


def _confirm(repository: str, files: Mapping[str, bytes | Path], is_public: bool, public: bool, yes: bool) -> None:
    """List what is pushed, and ask before anybody can read it."""
    print(f"To the {'public' if is_public else 'private'} repository {repository}:", file=sys.stderr)
    for name, held in files.items():
        size = len(held) if isinstance(held, bytes) else held.stat().st_size
        print(f"  {size:>13,} bytes  {name}", file=sys.stderr)
    if not is_public or (public and yes):
        return
    if not public:
        raise _NoConsentError(f"{repository} is public: pass --public to push to it")
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise _NoConsentError(f"{NO_TERMINAL} to confirm a public push: pass --yes")
    if not typer.confirm("Everybody can read these files. Continue?", default=False, err=True):
        raise _NoConsentError("nothing was pushed")
