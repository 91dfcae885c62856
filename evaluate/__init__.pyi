from .analyses.analyze import ANALYSES, analyze
from .analyses.exploitability.measure import exploitability
from .formats.record_table import record_features, record_of
from .run.design import Design, new_design
from .run.match import PlayerCache, play_match, play_matches
from .run.records import Record, RecordFile, Records, read_records
from .run.replay import replay, replay_file
from .run.resuming import read_match, resume, save_match
from .run.settings import Setting, validation_settings
from .run.table import Match, new_match
from .show.page import Page
from .show.parts import Cell, Column, Divider, Figure, Table, Text

__all__ = [
    "ANALYSES",
    "Cell",
    "Column",
    "Design",
    "Divider",
    "Figure",
    "Match",
    "Page",
    "PlayerCache",
    "Record",
    "RecordFile",
    "Records",
    "Setting",
    "Table",
    "Text",
    "analyze",
    "exploitability",
    "new_design",
    "new_match",
    "play_match",
    "play_matches",
    "read_match",
    "read_records",
    "record_features",
    "record_of",
    "replay",
    "replay_file",
    "resume",
    "save_match",
    "validation_settings",
]
