from .conversions import CONVERSIONS as CONVERSIONS, ConversionResult as ConversionResult, convert as convert
from .conversions import find_conversion as find_conversion
from .record_table import write_records as write_records
