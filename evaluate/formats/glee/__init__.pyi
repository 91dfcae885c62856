from .answers import PERSON as PERSON
from .exporting import GLEE as GLEE, export_records as export_records
from .folders import FAMILIES as FAMILIES
from .record_reader import RecordReader as RecordReader, public_id as public_id
from .scenarios import grid as grid
