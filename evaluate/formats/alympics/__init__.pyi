from .checking import Difference as Difference, check as check, comparisons as comparisons
from .day_tables import DAYS as DAYS, Line as Line, game_of_table as game_of_table, group_lines as group_lines
from .importing import PERSON as PERSON, TABLE as TABLE, import_games as import_games, read_game as read_game
from .published import PublishedGame as PublishedGame, find_published_games as find_published_games
from .texts import Status as Status
