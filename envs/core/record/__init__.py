"""Records of matches: format, reading and writing."""

from econzoo.envs.core.record.record import FORMAT, Record, RecordFile, Turn, match_id, read_record_file

__all__ = ["FORMAT", "Record", "RecordFile", "Turn", "match_id", "read_record_file"]
