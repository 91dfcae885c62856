"""Ids that say that two rows are of one participant and not who that is, and forgetting who it is."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from econzoo.envs.core.files import read_text, write_file
from econzoo.people.study.study_data import (
    ENTRY,
    FORGOTTEN_PREFIX,
    PAGE_EVENTS,
    Participant,
    load_participants,
    open_store,
)

SALT = "export.salt"
"""The secret of a study's folder; without it ids cannot be tried out. It is in no export."""

DIGITS = 16
"""Hexadecimal digits of an id: 64 bits."""


def load_salt(folder: Path) -> bytes:
    """The secret of a folder, made when it is asked for the first time and readable by its owner only."""
    path = folder / SALT
    with suppress(FileExistsError):
        write_file(path, secrets.token_hex(32) + "\n", must_be_new=True, mode=0o600)
    return bytes.fromhex(read_text(path).strip())


def hash_id(salt: bytes, source: str, external_id: str) -> str:
    """The id of a participant: the same in every export of a folder, another in every other folder."""
    return hmac.new(salt, f"{source}/{external_id}".encode(), hashlib.sha256).hexdigest()[:DIGITS]


TOMBSTONES = "CREATE TABLE IF NOT EXISTS forgotten (stone TEXT PRIMARY KEY)"
"""Keyed hashes of forgotten ids: who comes under one once more is not let in."""


def tombstone_of(folder: Path, source: str, external_id: str) -> str:
    """What is kept of a forgotten id: a hash with the secret of the folder, without which ids cannot be tried out.

    It is another one than that of exports, so that a row of an export is not found by it.
    """
    return hash_id(load_salt(folder), f"forgotten/{source}", external_id)


def forget_statements(token: str, stone: str) -> Sequence[tuple[str, Sequence[Any]]]:
    """The SQL that forgets who has a secret, with its values; `stone` as `tombstone_of` gives it.

    A random id takes the place of theirs. The label of their link, their completion code, which their platform knows,
    what else came with the link, when pages were shown to them and out of sight, and what they wrote in the
    questionnaire are removed. Attempts at the quiz, when pages were reached, payments and moves stay, and what they
    wrote to others in a match, which is part of its record.
    """
    gap = FORGOTTEN_PREFIX + secrets.token_hex(8)
    return (
        (TOMBSTONES, ()),
        ("INSERT OR IGNORE INTO forgotten (stone) VALUES (?)", (stone,)),
        (
            "UPDATE participants SET external_id = ?, label = '', completion_code = NULL WHERE token = ?",
            (gap, token),
        ),
        *[("DELETE FROM events WHERE participant = ? AND kind = ?", (token, kind)) for kind in (ENTRY, *PAGE_EVENTS)],
        (
            "DELETE FROM answers WHERE participant = ? AND (kind = 'questionnaire' OR kind LIKE 'stage %')",
            (token,),
        ),
    )


def forget(folder: str | Path, external_id: str) -> list[Participant]:
    """Forgets who came under an id, from whatever source; returns who they were.

    Raises:
        FileNotFoundError: No study has run in the folder.
        ValueError: Nobody came under that id.
    """
    with open_store(Path(folder), write=True) as db:
        found = [one for one in load_participants(db) if one.external_id == external_id]
        if not found:
            raise ValueError(
                f"nobody came to {folder} under the id {external_id[:80]!r}; allowed: the id in their link"
            )
        db.execute("PRAGMA secure_delete = ON")  # what is deleted is overwritten, not only left free
        with db:
            for one in found:
                for text, values in forget_statements(
                    one.token, tombstone_of(Path(folder), one.source, one.external_id)
                ):
                    db.execute(text, values)
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return found
