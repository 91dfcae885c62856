from .aec import GameEnv as GameEnv
from .channel import CHANGES as CHANGES, Change as Change, apply_channel as apply_channel
from .channel import message_change as message_change
from .options import FACES as FACES, GRID_SIZES as GRID_SIZES, ON_ERROR as ON_ERROR, OPTIONS as OPTIONS
from .options import PENALTIES as PENALTIES, PROBE as PROBE, RECORDED_OPTIONS as RECORDED_OPTIONS
from .options import RENDER_MODES as RENDER_MODES, REVERSED as REVERSED, Options as Options
from .options import check_choice as check_choice, check_render_mode as check_render_mode
from .options import check_reset_options as check_reset_options, options_for_record as options_for_record
from .options import resolve_black_death as resolve_black_death, split_settings as split_settings
from .parallel import ParallelGameEnv as ParallelGameEnv
from .pettingzoo_env import AECEnv as AECEnv, AgentDict as AgentDict, AgentSpaces as AgentSpaces
