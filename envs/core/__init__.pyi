from . import registry as registry
from .amounts import ROUND_CEILING as ROUND_CEILING, ROUND_FLOOR as ROUND_FLOOR, dollars as dollars
from .amounts import strip_float_noise as strip_float_noise
from .extras import PACKAGE as PACKAGE, MissingLibraryError as MissingLibraryError
from .extras import explain_missing_library as explain_missing_library, missing_library_error as missing_library_error
from .extras import missing_library_message as missing_library_message, require_libraries as require_libraries
from .files import ARCHIVE_BYTES as ARCHIVE_BYTES, DISK_FULL_ERRORS as DISK_FULL_ERRORS
from .files import LARGE_FILE_BYTES as LARGE_FILE_BYTES, SMALL_FILE_BYTES as SMALL_FILE_BYTES, Member as Member
from .files import add_path_to_errors as add_path_to_errors, append as append, append_file as append_file
from .files import atomic_write as atomic_write, cache_folder as cache_folder, check_format as check_format
from .files import escape_name as escape_name, list_members as list_members, open_file as open_file
from .files import parse_yaml as parse_yaml, read_bytes as read_bytes, read_csv_rows as read_csv_rows
from .files import read_text as read_text, reason as reason, wrap_read_errors as wrap_read_errors
from .files import write_file as write_file, write_files as write_files
from .plurals import format_count as format_count, format_times as format_times, plural as plural
from .registry import GameEntry as GameEntry, GameLoadError as GameLoadError, ObjectsByName as ObjectsByName
from .registry import PlayerFile as PlayerFile, add_player_file as add_player_file, add_players as add_players
from .registry import added_players as added_players, all_games as all_games, file_of_player as file_of_player
from .registry import ensure_registered as ensure_registered, game as game, game_entry as game_entry, games as games
from .registry import gymnasium_id as gymnasium_id, iterate_loadable as iterate_loadable, name_hint as name_hint
from .registry import pettingzoo_id as pettingzoo_id, player as player, players_of as players_of
from .registry import register_game as register_game, register_players as register_players
from .registry import remove_player_file as remove_player_file, warn_about as warn_about
