"""Pseudonymous participant ids, and deletion of identifying data."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from econzoo.envs.core import read_text, write_file
from econzoo.people.study.study_data import ENTRY, FORGOTTEN_PREFIX, PAGE_EVENTS, Participant, load_participants
from econzoo.people.study.study_data import open_store

SALT = "export.salt"
"""File of the salt of a study's folder; never exported, so that ids cannot be guessed."""

DIGITS = 16
"""Hexadecimal digits of an id: 64 bits."""


def load_salt(folder: Path) -> bytes:
    """Return the salt of a folder; created on first use, readable by its owner only."""
    path = folder / SALT
    # Of two processes, the first one writes the salt and both read it.
    with suppress(FileExistsError):
        write_file(path, secrets.token_hex(32) + "\n", must_be_new=True, mode=0o600)
    return bytes.fromhex(read_text(path).strip())


def hash_id(salt: bytes, source: str, external_id: str) -> str:
    """Return the pseudonymous id of a participant: equal in all exports of a folder, different between folders."""
    return hmac.new(salt, f"{source}/{external_id}".encode(), hashlib.sha256).hexdigest()[:DIGITS]


def tombstone_of(folder: Path, source: str, external_id: str) -> str:
    """Return the salted hash of a forgotten id; it differs from the id in exports, so that the two cannot be linked."""
    return hash_id(load_salt(folder), f"forgotten/{source}", external_id)


def forget_statements(token: str, tombstone: str) -> Sequence[tuple[str, Sequence[Any]]]:
    """Return the SQL statements, with values, that forget the participant with a token, and keep its `tombstone_of`.

    Replaced by a random id: the external id. Deleted: label, completion code, other link parameters, page-view events
    and questionnaire answers. Kept: quiz attempts, times at which pages were reached, payments, moves, and messages in
    matches, which are part of the records.
    """
    gap = FORGOTTEN_PREFIX + secrets.token_hex(8)
    return (
        ("INSERT OR IGNORE INTO tombstones (tombstone) VALUES (?)", (tombstone,)),
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
    """Forget the participants with an external id, from any source, and return them as they were.

    Raises:
        ValueError: No participant has that id.
    """
    with open_store(Path(folder), write=True) as db:
        found = [one for one in load_participants(db) if one.external_id == external_id]
        if not found:
            raise ValueError(f"unknown participant {external_id[:80]!r} in {folder}: expected the id in their link")
        db.execute("PRAGMA secure_delete = ON")  # overwrite deleted data
        with db:
            for one in found:
                for text, values in forget_statements(
                    one.token, tombstone_of(Path(folder), one.source, one.external_id)
                ):
                    db.execute(text, values)
        # The log may still have what was deleted.
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return found
