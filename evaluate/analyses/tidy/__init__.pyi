from .column import KINDS as KINDS
from .export import setting_names as setting_names, write_tables as write_tables
from .tables import Table as Table, parameters as parameters, tables as tables
