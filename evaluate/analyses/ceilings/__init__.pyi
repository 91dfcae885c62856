from .belief_tree import can_search as can_search, search_families as search_families
from .ceiling import BEST_KNOWN as BEST_KNOWN, CEILING_NOTE as CEILING_NOTE, BestScript as BestScript
from .ceiling import Ceiling as Ceiling, Scripts as Scripts, cells as cells, solvable_opponents as solvable_opponents
from .ceiling import solve_pool as solve_pool
from .share import share_table as share_table, shares as shares
