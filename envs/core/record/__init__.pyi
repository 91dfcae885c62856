from .bookkeeping import clear_result as clear_result, record_answer as record_answer, record_outcome as record_outcome
from .bookkeeping import record_result as record_result, revealed_facts as revealed_facts, start_record as start_record
from .lines import (
    BLOCK as BLOCK,
    RECORD_SUFFIX as RECORD_SUFFIX,
    check_appendable as check_appendable,
    compress as compress,
)
from .lines import is_compressed as is_compressed, is_record_file as is_record_file, read_lines as read_lines
from .lines import record_paths as record_paths
from .provenance import Provenance as Provenance, Software as Software, current_provenance as current_provenance
from .provenance import current_software as current_software, distinct_provenance as distinct_provenance
from .provenance import is_software as is_software, record_command as record_command, strip_addresses as strip_addresses
from .provenance import strip_secrets as strip_secrets
from .record import FORMAT, Record, RecordFile, Turn, match_id, match_ids as match_ids, none_if_nan as none_if_nan
from .record import read_record_file
from .shape import OPTIONAL_FIELDS as OPTIONAL_FIELDS, ShapeError as ShapeError, check_shape as check_shape
from .spec import MODEL_PREFIXES as MODEL_PREFIXES, NATIVE_PREFIXES as NATIVE_PREFIXES, split_address as split_address
from .spec import SERVER_PREFIXES as SERVER_PREFIXES, distinct_short_forms as distinct_short_forms, elide as elide
from .spec import identity as identity, label_players as label_players, labels as labels, split_name as split_name
from .turn import OPTIONAL_TURN_FIELDS as OPTIONAL_TURN_FIELDS, Probabilities as Probabilities, Served as Served
from .turn import encode_reply as encode_reply, restore_reply as restore_reply

__all__ = [
    "FORMAT",
    "Record",
    "RecordFile",
    "Turn",
    "match_id",
    "read_record_file",
]
