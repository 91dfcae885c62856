"""The tables of a study, beside those of its matches; see `Participants`."""

from __future__ import annotations

OWN_SCHEMA = """
CREATE TABLE IF NOT EXISTS participants (
    token TEXT PRIMARY KEY, study TEXT NOT NULL, source TEXT NOT NULL, external_id TEXT NOT NULL, label TEXT NOT NULL,
    place INTEGER, page TEXT NOT NULL, attention_left INTEGER NOT NULL, quiz_left INTEGER NOT NULL,
    excluded_reason TEXT, withdrawn TEXT, bonus_cents INTEGER, approved INTEGER NOT NULL DEFAULT 0,
    completion_code TEXT UNIQUE, created TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP, finished TEXT,
    repetition INTEGER NOT NULL DEFAULT 0, waits_since REAL NOT NULL DEFAULT 0,
    UNIQUE (study, source, external_id), UNIQUE (study, place));
CREATE TABLE IF NOT EXISTS answers (
    participant TEXT NOT NULL REFERENCES participants, kind TEXT NOT NULL, item INTEGER NOT NULL,
    attempt INTEGER NOT NULL, answer TEXT NOT NULL, at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,
    PRIMARY KEY (participant, kind, item, attempt));
CREATE TABLE IF NOT EXISTS events (
    participant TEXT NOT NULL REFERENCES participants, at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,
    kind TEXT NOT NULL, json TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS played (
    study TEXT NOT NULL, planned INTEGER NOT NULL, match TEXT NOT NULL REFERENCES matches,
    PRIMARY KEY (study, planned));
"""
