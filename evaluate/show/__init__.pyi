from .csv_files import add_columns as add_columns, add_rows as add_rows, append_rows as append_rows
from .csv_files import markdown_table as markdown_table, plain_text as plain_text, write_csv as write_csv
from .csv_files import write_rows as write_rows
from .escapes import reply_text as reply_text, sanitize_text as sanitize_text, shorten_middle as shorten_middle
from .figure_labels import extent as extent, legend as legend, wrap_label as wrap_label, wrap_labels as wrap_labels
from .figures import WIDTH as WIDTH, apply_style as apply_style, axes as axes, band as band, colour_bar as colour_bar
from .figures import format_tick as format_tick, mean_with_band as mean_with_band
from .figures import reliability_curves as reliability_curves, set_integer_ticks as set_integer_ticks
from .figures import set_percent_ticks as set_percent_ticks, to_svg as to_svg, whisker as whisker
from .files import FORMATS as FORMATS, csv_of as csv_of, json_of as json_of
from .heat_map import DIVERGING_PALETTE as DIVERGING_PALETTE, SEQUENTIAL_PALETTE as SEQUENTIAL_PALETTE
from .heat_map import heat_map as heat_map, min_max_scale as min_max_scale, symmetric_scale as symmetric_scale
from .markdown import to_markdown as to_markdown
from .numbers import NOISE as NOISE, NOTHING as NOTHING, agreement_heading as agreement_heading
from .numbers import capitalize_first as capitalize_first, format_duration as format_duration
from .numbers import format_number as format_number, format_percent as format_percent, format_range as format_range
from .numbers import plain_estimates as plain_estimates, replace_nan as replace_nan
from .numbers import undefined_to_none as undefined_to_none
from .page import Page as Page, read_template as read_template, write_and_show as write_and_show
from .palette import GREY as GREY, INK as INK, LINE as LINE, SERIES as SERIES, SeriesStyle as SeriesStyle
from .palette import contrast_color as contrast_color, series_style as series_style, series_styles as series_styles
from .parts import COUNT as COUNT, FILES as FILES, FOLDED as FOLDED, HEADING as HEADING, MONEY as MONEY, NOTE as NOTE
from .parts import PAGE as PAGE, PLACES as PLACES, POINTS as POINTS, RAW as RAW, READER_PLACES as READER_PLACES
from .parts import SHARE as SHARE, SUBHEADING as SUBHEADING, TERMINAL as TERMINAL, TEXT as TEXT, WARNING as WARNING
from .parts import Block as Block, Cell as Cell, Column as Column, Divider as Divider, Figure as Figure, Part as Part
from .parts import Row as Row, Table as Table, Text as Text, file_table as file_table, is_known as is_known
from .parts import method_section as method_section, number_of as number_of, write_interval as write_interval
from .parts import write_number as write_number, write_value as write_value
from .terminal import show as show
