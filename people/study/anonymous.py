"""Ids that say that two rows are of the same participant, and not who that is."""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from pathlib import Path

SALT = "export.salt"
"""The secret of a study's folder; without it ids cannot be tried out. It is in no export."""

DIGITS = 16
"""Hexadecimal digits of an id: 64 bits."""


def salt_of(folder: Path) -> bytes:
    """The secret of a folder, made when it is asked for the first time and readable by its owner only."""
    path = folder / SALT
    try:
        made = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return bytes.fromhex(path.read_text(encoding="ascii").strip())
    with os.fdopen(made, "w", encoding="ascii") as file:
        file.write(secrets.token_hex(32) + "\n")
    return salt_of(folder)


def hashed(salt: bytes, source: str, external_id: str) -> str:
    """The id of a participant: the same in every export of a folder, another in every other folder."""
    return hmac.new(salt, f"{source}/{external_id}".encode(), hashlib.sha256).hexdigest()[:DIGITS]
