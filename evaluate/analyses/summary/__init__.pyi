from . import figures as figures, grids as grids, tables as tables
from .keyword_buyers import BY_KEYWORDS as BY_KEYWORDS, KeywordCounts as KeywordCounts, count_keywords as count_keywords
from .keyword_buyers import is_all_scripted as is_all_scripted, uses_keywords as uses_keywords
from .sentences import sentences as sentences
from .summary import Summary as Summary, summarize as summarize
from .tables import NOT_ESTABLISHED as NOT_ESTABLISHED, checkpoint_parts as checkpoint_parts
from .tables import estimates_table as estimates_table, gap_to_first_table as gap_to_first_table
from .tables import group_phrase as group_phrase, heading as heading, measure_column as measure_column, notes as notes
from .tables import objective_columns as objective_columns, ranking as ranking, ranking_columns as ranking_columns
